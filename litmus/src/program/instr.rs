//! Instructions: the statements of a thread.

use super::{Access, Expr, HostCall, LocId, Make, MemOrder, MemScope, RegId, Region};
use std::fmt;

/// Which regions a fence or barrier orders; in Vulkan the storage class semantics, also of atomics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FenceFlags {
    /// `CLK_GLOBAL_MEM_FENCE`; UniformMemory in Vulkan.
    pub global: bool,
    /// `CLK_LOCAL_MEM_FENCE`; WorkgroupMemory in Vulkan.
    pub local: bool,
    /// `CLK_IMAGE_MEM_FENCE`; ImageMemory in Vulkan.
    pub image: bool,
    /// OutputMemory, which is Vulkan's alone.
    pub output: bool,
}

impl FenceFlags {
    /// No region.
    pub const NONE: FenceFlags = FenceFlags {
        global: false,
        local: false,
        image: false,
        output: false,
    };

    /// Each flag by its word, in the order of [`Region::ALL`].
    pub fn named(&mut self) -> [(&'static str, &mut bool); 4] {
        [
            ("global", &mut self.global),
            ("local", &mut self.local),
            ("image", &mut self.image),
            ("output", &mut self.output),
        ]
    }

    /// Whether a region is among them.
    pub fn has(self, region: Region) -> bool {
        match region {
            Region::Global => self.global,
            Region::Local => self.local,
            Region::Image => self.image,
            Region::Output => self.output,
            Region::Input => false,
        }
    }

    /// The regions among them, in order.
    pub fn regions(self) -> impl Iterator<Item = Region> {
        Region::ALL.into_iter().filter(move |r| self.has(*r))
    }

    /// The words of those that are set.
    pub fn words(mut self) -> Vec<&'static str> {
        let set = self.named().into_iter().filter(|(_, set)| **set);
        set.map(|(word, _)| word).collect()
    }
}

/// The name in OpenCL C of the flag with a word.
pub fn flag_name(word: &str) -> String {
    format!("CLK_{}_MEM_FENCE", word.to_ascii_uppercase())
}

/// As an argument in OpenCL C.
impl fmt::Display for FenceFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.words().into_iter().map(flag_name).collect();
        f.write_str(if names.is_empty() { "0" } else { "" })?;
        f.write_str(&names.join(" | "))
    }
}

/// The function of OpenCL C 1.x that is a fence of this order and scope ("Fence Functions": `mem_fence`
/// and its kin are fences of work-group scope that acquire and release, acquire, or release).
pub fn legacy_fence(order: MemOrder, scope: MemScope) -> Option<&'static str> {
    match (order, scope) {
        (MemOrder::AcqRel, MemScope::WorkGroup) => Some("mem_fence"),
        (MemOrder::Acquire, MemScope::WorkGroup) => Some("read_mem_fence"),
        (MemOrder::Release, MemScope::WorkGroup) => Some("write_mem_fence"),
        (MemOrder::Relaxed | MemOrder::SeqCst, MemScope::WorkGroup)
        | (
            _,
            MemScope::WorkItem
            | MemScope::SubGroup
            | MemScope::QueueFamily
            | MemScope::Device
            | MemScope::AllSvmDevices,
        ) => None,
    }
}

/// A fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// Which regions it orders.
    pub flags: FenceFlags,
    /// Its order.
    pub order: MemOrder,
    /// Its scope.
    pub scope: MemScope,
    /// Written as one of the functions of OpenCL C 1.x, where one of them has this order and scope.
    pub legacy: bool,
    /// What it makes available and visible, in Vulkan.
    pub make: Make,
}

/// As a call in OpenCL C.
impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fence {
            flags,
            order,
            scope,
            legacy,
            make: _,
        } = self;
        match legacy_fence(*order, *scope).filter(|_| *legacy) {
            Some(name) => write!(f, "{name}({flags})"),
            None => write!(f, "atomic_work_item_fence({flags}, {order}, {scope})"),
        }
    }
}

/// A choice between two blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The first is taken when it is not zero.
    pub condition: Expr,
    /// The block taken then.
    pub then: Vec<Instr>,
    /// The block taken otherwise; empty where there is none.
    pub otherwise: Vec<Instr>,
}

/// Who meets at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierScope {
    /// All work-items of the work-group: `barrier`, `work_group_barrier`.
    WorkGroup,
    /// All work-items of the sub-group: `sub_group_barrier`.
    SubGroup,
    /// Invocations of a queue family: an execution scope that published tests of Vulkan use.
    QueueFamily,
    /// Invocations of a device: likewise.
    Device,
}

impl BarrierScope {
    /// The memory scope of a barrier that states none.
    pub fn own(self) -> MemScope {
        match self {
            BarrierScope::WorkGroup => MemScope::WorkGroup,
            BarrierScope::SubGroup => MemScope::SubGroup,
            BarrierScope::QueueFamily => MemScope::QueueFamily,
            BarrierScope::Device => MemScope::Device,
        }
    }
}

/// A barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Barrier {
    /// The label before it (`B1: barrier(…)`): barriers of one group with one label are the same
    /// barrier. Without labels the n-th barriers of a group's threads are the same one.
    pub label: Option<String>,
    /// Who meets.
    pub group: BarrierScope,
    /// Which regions it orders.
    pub flags: FenceFlags,
    /// The memory scope, where the source states one; that of its group otherwise.
    pub scope: Option<MemScope>,
    /// Its order: acq_rel in OpenCL, where its entry releases and its exit acquires; in Vulkan what
    /// its semantics say, and relaxed for a control barrier without memory semantics.
    pub order: MemOrder,
    /// What it makes available and visible, in Vulkan.
    pub make: Make,
    /// How many meet at it, where the test says so. Otherwise all of the group that OpenCL knows, and
    /// in Vulkan those of the group whose code has a barrier with its label.
    pub quorum: Option<u32>,
}

/// What is done to memory by dependencies and by calls of the host, and by no shader instruction ("Availability,
/// Visibility, and Domain Operations" and "Deallocation" in the memory model of Vulkan).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DomainOp {
    /// Makes writes of all agents and references available to the device domain.
    Available,
    /// Makes writes that are available to the device domain visible to all agents and references.
    Visible,
    /// Makes writes that are available to the host domain available to the device domain: what a memory
    /// dependency with `VK_ACCESS_HOST_WRITE_BIT` among its source accesses begins with.
    HostToDevice,
    /// The reverse: what a memory dependency whose destination accesses have those of the host ends with.
    DeviceToHost,
    /// `vkQueueSubmit`: [`DomainOp::HostToDevice`], then [`DomainOp::Visible`].
    Submit,
    /// `vkFlushMappedMemoryRanges` of the memory of a location: makes what host threads wrote there available to
    /// the host domain.
    Flush(LocId),
    /// `vkInvalidateMappedMemoryRanges`: makes what is available to the host domain visible to host threads.
    Invalidate(LocId),
    /// `vkFreeMemory`, which all operations on the memory happen before.
    Free(LocId),
}

impl DomainOp {
    /// The location whose memory it is about, where it is about one.
    pub fn location(self) -> Option<LocId> {
        match self {
            DomainOp::Available
            | DomainOp::Visible
            | DomainOp::HostToDevice
            | DomainOp::DeviceToHost
            | DomainOp::Submit => None,
            DomainOp::Flush(location)
            | DomainOp::Invalidate(location)
            | DomainOp::Free(location) => Some(location),
        }
    }

    /// Whether it is a call of the host, and no part of a dependency.
    pub fn is_call(self) -> bool {
        match self {
            DomainOp::Available
            | DomainOp::Visible
            | DomainOp::HostToDevice
            | DomainOp::DeviceToHost => false,
            DomainOp::Submit | DomainOp::Flush(_) | DomainOp::Invalidate(_) | DomainOp::Free(_) => {
                true
            }
        }
    }
}

impl Barrier {
    /// One as OpenCL has it, without a label, of its group's scope.
    pub fn of(group: BarrierScope, flags: FenceFlags) -> Barrier {
        Barrier {
            label: None,
            group,
            flags,
            scope: None,
            order: MemOrder::AcqRel,
            make: Make::NOTHING,
            quorum: None,
        }
    }

    /// The memory scope that it has, stated or not.
    pub fn reach(&self) -> MemScope {
        self.scope.unwrap_or(self.group.own())
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instr {
    /// `r = e`
    Assign {
        /// The register.
        register: RegId,
        /// The value; converted to the register's type.
        value: Expr,
    },
    /// `e` evaluated for its effects.
    Effect(Expr),
    /// `*x = e`, `atomic_store…(x, e)`, and `atomic_init(x, e)` as a plain store;
    /// `atomic_flag_clear` stores 0.
    Store {
        /// Where and how.
        access: Access,
        /// The value; evaluated before the store, converted to the location's type.
        value: Expr,
    },
    /// `atomic_work_item_fence`, and `mem_fence`-style forms mapped onto it.
    Fence(Fence),
    /// A barrier.
    Barrier(Barrier),
    /// An operation on memory domains.
    Domain(DomainOp),
    /// `if (c) … else …`
    If(Branch),
    /// `while (c) …`
    While {
        /// Goes on while not zero; evaluated before each pass.
        condition: Expr,
        /// The loop's body.
        body: Vec<Instr>,
    },
    /// `return;` ends the thread.
    Return,
    /// A call of the OpenCL API; host threads only, not inside branches or loops.
    Host(HostCall),
}
