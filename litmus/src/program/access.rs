//! Memory accesses: what is accessed, how, with which order and scope.

use super::{Api, Expr, FenceFlags, LocId, RegId, ScalarType};
use serde::{Deserialize, Serialize};

/// The element of a location that an access touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The location.
    pub location: LocId,
    /// Element index (`y + r0`); `None` is element 0. An index outside the location is undefined
    /// behaviour of the test.
    pub index: Option<Box<Expr>>,
}

classay_vocabulary::words! {
    /// A memory order, weakest first. No order is the same as no atomicity, see [`Atomicity`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MemOrder {
        /// `memory_order_relaxed`
        #[serde(alias = "memory_order_relaxed")]
        Relaxed = "memory_order_relaxed",
        /// `memory_order_acquire`
        #[serde(alias = "memory_order_acquire")]
        Acquire = "memory_order_acquire",
        /// `memory_order_release`
        #[serde(alias = "memory_order_release")]
        Release = "memory_order_release",
        /// `memory_order_acq_rel`
        #[serde(alias = "memory_order_acq_rel")]
        AcqRel = "memory_order_acq_rel",
        /// `memory_order_seq_cst`
        #[serde(alias = "memory_order_seq_cst")]
        SeqCst = "memory_order_seq_cst",
    }
}

classay_vocabulary::words! {
    /// A memory scope, narrowest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MemScope {
        /// `memory_scope_work_item`; Invocation in Vulkan.
        #[serde(alias = "memory_scope_work_item", alias = "invocation")]
        WorkItem = "memory_scope_work_item",
        /// `memory_scope_sub_group`; Subgroup in Vulkan.
        #[serde(alias = "memory_scope_sub_group", alias = "subgroup")]
        SubGroup = "memory_scope_sub_group",
        /// `memory_scope_work_group`; Workgroup in Vulkan.
        #[serde(alias = "memory_scope_work_group", alias = "workgroup")]
        WorkGroup = "memory_scope_work_group",
        /// QueueFamily, a scope of Vulkan alone.
        QueueFamily = "memory_scope_queue_family",
        /// `memory_scope_device`
        #[serde(alias = "memory_scope_device")]
        Device = "memory_scope_device",
        /// `memory_scope_all_svm_devices`, also written `memory_scope_all_devices`; CrossDevice in
        /// Vulkan.
        #[serde(
            alias = "memory_scope_all_svm_devices",
            alias = "all_devices",
            alias = "memory_scope_all_devices",
            alias = "cross_device"
        )]
        AllSvmDevices = "memory_scope_all_svm_devices",
    }
}

impl MemScope {
    /// The scopes of an API, narrowest first.
    pub fn of(api: Api) -> impl DoubleEndedIterator<Item = MemScope> {
        let known = move |scope: &MemScope| *scope != MemScope::QueueFamily || api == Api::Vulkan;
        MemScope::ALL.into_iter().filter(known)
    }
}

/// Orders that a load cannot have.
pub const LOAD_FORBIDS: &[MemOrder] = &[MemOrder::Release, MemOrder::AcqRel];

/// Orders that a store cannot have.
pub const STORE_FORBIDS: &[MemOrder] = &[MemOrder::Acquire, MemOrder::AcqRel];

/// How an access reaches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atomicity {
    /// An ordinary access, `*x`; in Vulkan a private one.
    Plain,
    /// An ordinary access through a volatile pointer.
    Volatile,
    /// A non-private access of Vulkan that is not atomic ("Private vs. Non-Private"). With a scope it
    /// makes what it writes available there, or visible what it reads ("Per-Instruction Availability and
    /// Visibility Semantics").
    NonPrivate(Option<MemScope>),
    /// An atomic function.
    Atomic(Atomic),
}

impl Atomicity {
    /// What the atomic function states, where it is one.
    pub fn atomic(self) -> Option<Atomic> {
        match self {
            Atomicity::Plain | Atomicity::Volatile | Atomicity::NonPrivate(_) => None,
            Atomicity::Atomic(atomic) => Some(atomic),
        }
    }

    /// [`Atomicity::atomic`], to be changed.
    pub fn atomic_mut(&mut self) -> Option<&mut Atomic> {
        match self {
            Atomicity::Plain | Atomicity::Volatile | Atomicity::NonPrivate(_) => None,
            Atomicity::Atomic(atomic) => Some(atomic),
        }
    }
}

/// What an atomic function states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// Its order.
    pub order: MemOrder,
    /// Its scope; `None` where the source leaves it out, which means device.
    pub scope: Option<MemScope>,
    /// Written in the short form (`atomic_load(x)`), which means seq_cst at device scope.
    /// Readers set `order` to seq_cst and `scope` to `None` with it.
    pub implicit: bool,
    /// The storage classes of its semantics, in Vulkan: what it orders.
    pub flags: FenceFlags,
    /// What its semantics make available and visible, in Vulkan.
    pub make: Make,
}

/// The availability and visibility flags of memory semantics ("Memory Semantics" in the memory model of
/// Vulkan).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Make {
    /// MakeAvailable: an availability operation before the release.
    pub available: bool,
    /// MakeVisible: a visibility operation after the acquire.
    pub visible: bool,
}

impl Make {
    /// Neither.
    pub const NOTHING: Make = Make {
        available: false,
        visible: false,
    };

    /// Without what another one makes.
    pub fn without(self, other: Make) -> Make {
        Make {
            available: self.available && !other.available,
            visible: self.visible && !other.visible,
        }
    }

    /// What of it semantics of this order can have: MakeAvailable needs a release, MakeVisible an acquire.
    pub fn under(self, order: MemOrder) -> Make {
        let releases = matches!(order, MemOrder::Release | MemOrder::AcqRel);
        let acquires = matches!(order, MemOrder::Acquire | MemOrder::AcqRel);
        Make {
            available: self.available && releases,
            visible: self.visible && acquires,
        }
    }
}

impl Atomic {
    /// The short form.
    pub const SHORT: Atomic = Atomic {
        order: MemOrder::SeqCst,
        scope: None,
        implicit: true,
        flags: FenceFlags::NONE,
        make: Make::NOTHING,
    };

    /// With an order, and a scope where the source states one.
    pub fn explicit(order: MemOrder, scope: Option<MemScope>) -> Atomic {
        Atomic {
            order,
            scope,
            implicit: false,
            flags: FenceFlags::NONE,
            make: Make::NOTHING,
        }
    }

    /// The scope that it has, stated or not.
    pub fn reach(self) -> MemScope {
        self.scope.unwrap_or(MemScope::Device)
    }

    /// The same with another order, and of its semantics those that this order can have.
    pub fn ordered(self, order: MemOrder) -> Atomic {
        Atomic {
            order,
            flags: match order {
                MemOrder::Relaxed => FenceFlags::NONE,
                MemOrder::Acquire | MemOrder::Release | MemOrder::AcqRel | MemOrder::SeqCst => {
                    self.flags
                }
            },
            make: self.make.under(order),
            ..self
        }
    }

    /// The call of a function in OpenCL C; `failure` is the second order of a compare-exchange.
    pub fn call(self, name: &str, mut arguments: Vec<String>, failure: Option<MemOrder>) -> String {
        if self.implicit {
            return format!("{name}({})", arguments.join(", "));
        }
        arguments.push(self.order.to_string());
        arguments.extend(failure.map(|order| order.to_string()));
        arguments.extend(self.scope.map(|scope| scope.to_string()));
        format!("{name}_explicit({})", arguments.join(", "))
    }
}

/// A read or a write of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// What it touches.
    pub address: Address,
    /// How.
    pub atomicity: Atomicity,
}

classay_vocabulary::words! {
    /// What a read-modify-write computes from the old value and its operand.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum RmwOp {
        /// `atomic_exchange`
        Exchange = "atomic_exchange",
        /// `atomic_fetch_add`
        Add = "atomic_fetch_add",
        /// `atomic_fetch_sub`
        Sub = "atomic_fetch_sub",
        /// `atomic_fetch_or`
        Or = "atomic_fetch_or",
        /// `atomic_fetch_xor`
        Xor = "atomic_fetch_xor",
        /// `atomic_fetch_and`
        And = "atomic_fetch_and",
        /// `atomic_fetch_min`
        Min = "atomic_fetch_min",
        /// `atomic_fetch_max`
        Max = "atomic_fetch_max",
        /// `atomic_flag_test_and_set`; the operand is the constant 1.
        TestAndSet = "atomic_flag_test_and_set",
    }
}

/// Where a compare-exchange finds the expected value, and writes the value seen when it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A shared location, accessed plainly.
    Location(Address),
    /// A private variable (`&r0`).
    Register(RegId),
}

classay_vocabulary::words! {
    /// Which compare-exchange.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CasStrength {
        /// May fail although the value is the expected one.
        Weak = "atomic_compare_exchange_weak",
        /// Fails only when the value differs.
        Strong = "atomic_compare_exchange_strong",
    }
}

impl MemOrder {
    /// The part of it that a load keeps.
    pub fn of_load(self) -> MemOrder {
        match self {
            MemOrder::Relaxed | MemOrder::Release => MemOrder::Relaxed,
            MemOrder::Acquire | MemOrder::AcqRel => MemOrder::Acquire,
            MemOrder::SeqCst => MemOrder::SeqCst,
        }
    }

    /// The part of it that a store keeps.
    pub fn of_store(self) -> MemOrder {
        match self {
            MemOrder::Relaxed | MemOrder::Acquire => MemOrder::Relaxed,
            MemOrder::Release | MemOrder::AcqRel => MemOrder::Release,
            MemOrder::SeqCst => MemOrder::SeqCst,
        }
    }
}

impl RmwOp {
    /// The name in OpenCL C 1.x, after `atomic_` or `atom_`.
    pub fn legacy_name(self) -> &'static str {
        match self {
            RmwOp::Exchange | RmwOp::TestAndSet => "xchg",
            RmwOp::Add => "add",
            RmwOp::Sub => "sub",
            RmwOp::Or => "or",
            RmwOp::Xor => "xor",
            RmwOp::And => "and",
            RmwOp::Min => "min",
            RmwOp::Max => "max",
        }
    }

    /// With this operand it leaves every value as it is. Compilers turn such a one into a fence and a load.
    pub fn is_idle(self, operand: i64) -> bool {
        match self {
            RmwOp::Add | RmwOp::Sub | RmwOp::Or | RmwOp::Xor => operand == 0,
            RmwOp::And => operand == -1,
            // The last two by the type's bounds, with which no compiler is known to do so.
            RmwOp::Exchange | RmwOp::TestAndSet | RmwOp::Min | RmwOp::Max => false,
        }
    }

    /// The one that has a name in OpenCL C 1.x.
    pub fn of_legacy_name(name: &str) -> Option<RmwOp> {
        RmwOp::ALL.into_iter().find(|op| op.legacy_name() == name)
    }

    /// What a read-modify-write of a location of type `ty` stores: `old` is the value in it, in the
    /// type's range, `operand` any value. `min` and `max` compare as the type does.
    pub fn apply(self, ty: ScalarType, old: i64, operand: i64) -> i64 {
        let operand = ty.wrap(operand);
        let less = match ty == ScalarType::ULong {
            true => (operand as u64) < (old as u64),
            false => operand < old,
        };
        let (smaller, larger) = if less { (operand, old) } else { (old, operand) };
        ty.wrap(match self {
            RmwOp::Exchange | RmwOp::TestAndSet => operand,
            RmwOp::Add => old.wrapping_add(operand),
            RmwOp::Sub => old.wrapping_sub(operand),
            RmwOp::Or => old | operand,
            RmwOp::Xor => old ^ operand,
            RmwOp::And => old & operand,
            RmwOp::Min => smaller,
            RmwOp::Max => larger,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_idle_changes_no_value() {
        let idle = |op: RmwOp| [0, -1, 1].into_iter().filter(move |&by| op.is_idle(by));
        let pairs = RmwOp::ALL
            .into_iter()
            .flat_map(|op| idle(op).map(move |by| (op, by)));
        let pairs: Vec<_> = pairs.collect();
        assert_eq!(pairs.len(), 5);
        for (op, by) in pairs {
            for old in [0, 1, 5, u32::MAX.into()] {
                assert_eq!(op.apply(ScalarType::UInt, old, by), old, "{op:?} {by}");
            }
        }
    }

    #[test]
    fn min_and_max_compare_as_the_type_does() {
        let min = |ty, old, operand| RmwOp::Min.apply(ty, old, operand);
        let max = |ty, old, operand| RmwOp::Max.apply(ty, old, operand);
        assert_eq!(min(ScalarType::Int, 3, -1), -1);
        assert_eq!(min(ScalarType::UInt, 3, -1), 3);
        assert_eq!(max(ScalarType::UInt, 3, -1), u32::MAX as i64);
        assert_eq!(min(ScalarType::Long, 3, -1), -1);
        assert_eq!(min(ScalarType::ULong, 3, -1), 3);
        assert_eq!(max(ScalarType::ULong, 3, -1), -1);
    }

    #[test]
    fn what_is_stored_fits_the_type() {
        let stored = |op: RmwOp, ty, old, operand| op.apply(ty, old, operand);
        assert_eq!(stored(RmwOp::Add, ScalarType::UInt, u32::MAX as i64, 1), 0);
        assert_eq!(
            stored(RmwOp::Sub, ScalarType::Int, i32::MIN as i64, 1),
            i32::MAX as i64
        );
        assert_eq!(stored(RmwOp::Exchange, ScalarType::Int, 5, 1 << 32), 0);
        assert_eq!(stored(RmwOp::TestAndSet, ScalarType::Flag, 0, 1), 1);
    }
}
