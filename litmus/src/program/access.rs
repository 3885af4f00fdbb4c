//! Memory accesses: what is accessed, how, with which order and scope.

use super::{Expr, LocId, RegId};
use std::fmt;

/// The element of a location that an access touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The location.
    pub location: LocId,
    /// Element index (`y + r0`); `None` is element 0. An index outside the location is undefined
    /// behaviour of the test.
    pub index: Option<Box<Expr>>,
}

/// A memory order, weakest first. No order is the same as no atomicity, see [`Atomicity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

/// A memory scope, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemScope {
    /// `memory_scope_work_item`
    WorkItem,
    /// `memory_scope_sub_group`
    SubGroup,
    /// `memory_scope_work_group`
    WorkGroup,
    /// `memory_scope_device`
    Device,
    /// `memory_scope_all_svm_devices`, also written `memory_scope_all_devices`
    AllSvmDevices,
}

/// How an access reaches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atomicity {
    /// An ordinary access, `*x`.
    Plain,
    /// An ordinary access through a volatile pointer.
    Volatile,
    /// An atomic function.
    Atomic {
        /// Its order.
        order: MemOrder,
        /// Its scope; `None` where the source leaves it out, which means device.
        scope: Option<MemScope>,
        /// Written in the short form (`atomic_load(x)`), which means seq_cst at device scope.
        /// Readers set `order` to seq_cst and `scope` to `None` with it.
        implicit: bool,
    },
}

/// A read or a write of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// What it touches.
    pub address: Address,
    /// How.
    pub atomicity: Atomicity,
}

/// What a read-modify-write computes from the old value and its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RmwOp {
    /// `atomic_exchange`
    Exchange,
    /// `atomic_fetch_add`
    Add,
    /// `atomic_fetch_sub`
    Sub,
    /// `atomic_fetch_or`
    Or,
    /// `atomic_fetch_xor`
    Xor,
    /// `atomic_fetch_and`
    And,
    /// `atomic_fetch_min`
    Min,
    /// `atomic_fetch_max`
    Max,
    /// `atomic_flag_test_and_set`; the operand is the constant 1.
    TestAndSet,
}

/// Where a compare-exchange finds the expected value, and writes the value seen when it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A shared location, accessed plainly.
    Location(Address),
    /// A private variable (`&r0`).
    Register(RegId),
}

/// Which compare-exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CasStrength {
    /// May fail although the value is the expected one.
    Weak,
    /// Fails only when the value differs.
    Strong,
}

impl MemOrder {
    /// Every order, weakest first.
    pub const ALL: [MemOrder; 5] = [
        MemOrder::Relaxed,
        MemOrder::Acquire,
        MemOrder::Release,
        MemOrder::AcqRel,
        MemOrder::SeqCst,
    ];

    /// The enumerator of OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            MemOrder::Relaxed => "memory_order_relaxed",
            MemOrder::Acquire => "memory_order_acquire",
            MemOrder::Release => "memory_order_release",
            MemOrder::AcqRel => "memory_order_acq_rel",
            MemOrder::SeqCst => "memory_order_seq_cst",
        }
    }
}

impl MemScope {
    /// Every scope, narrowest first.
    pub const ALL: [MemScope; 5] = [
        MemScope::WorkItem,
        MemScope::SubGroup,
        MemScope::WorkGroup,
        MemScope::Device,
        MemScope::AllSvmDevices,
    ];

    /// The enumerator of OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            MemScope::WorkItem => "memory_scope_work_item",
            MemScope::SubGroup => "memory_scope_sub_group",
            MemScope::WorkGroup => "memory_scope_work_group",
            MemScope::Device => "memory_scope_device",
            MemScope::AllSvmDevices => "memory_scope_all_svm_devices",
        }
    }
}

impl RmwOp {
    /// The function's name without `_explicit`.
    pub fn name(self) -> &'static str {
        match self {
            RmwOp::Exchange => "atomic_exchange",
            RmwOp::Add => "atomic_fetch_add",
            RmwOp::Sub => "atomic_fetch_sub",
            RmwOp::Or => "atomic_fetch_or",
            RmwOp::Xor => "atomic_fetch_xor",
            RmwOp::And => "atomic_fetch_and",
            RmwOp::Min => "atomic_fetch_min",
            RmwOp::Max => "atomic_fetch_max",
            RmwOp::TestAndSet => "atomic_flag_test_and_set",
        }
    }
}

impl fmt::Display for MemOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for MemScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
