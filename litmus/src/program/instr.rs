//! Instructions: the statements of a thread.

use super::{Access, Expr, HostCall, MemOrder, MemScope, RegId};
use std::fmt;

/// Which regions a fence or barrier orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FenceFlags {
    /// `CLK_GLOBAL_MEM_FENCE`
    pub global: bool,
    /// `CLK_LOCAL_MEM_FENCE`
    pub local: bool,
    /// `CLK_IMAGE_MEM_FENCE`
    pub image: bool,
}

impl FenceFlags {
    /// Each flag by its word.
    pub fn named(&mut self) -> [(&'static str, &mut bool); 3] {
        [
            ("global", &mut self.global),
            ("local", &mut self.local),
            ("image", &mut self.image),
        ]
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
            MemScope::WorkItem | MemScope::SubGroup | MemScope::Device | MemScope::AllSvmDevices,
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
}

/// As a call in OpenCL C.
impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fence {
            flags,
            order,
            scope,
            legacy,
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
}

impl BarrierScope {
    /// The memory scope of a barrier that states none.
    pub fn own(self) -> MemScope {
        match self {
            BarrierScope::WorkGroup => MemScope::WorkGroup,
            BarrierScope::SubGroup => MemScope::SubGroup,
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
    /// The memory scope, where the source states one; work-group (or sub-group) otherwise.
    pub scope: Option<MemScope>,
}

impl Barrier {
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
