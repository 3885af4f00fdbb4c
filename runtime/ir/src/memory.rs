//! What memory operations say: order, scope, regions, read-modify-write kinds.
//!
//! The words are those of the OpenCL C memory model (architecture section
//! 3.3.4 on, OpenCL C section 6.15.12).

use crate::names::named;
use std::fmt;

named! {
    /// `memory_order_*`.
    Order {
        /// `memory_order_relaxed`.
        Relaxed = "relaxed",
        /// `memory_order_acquire`.
        Acquire = "acquire",
        /// `memory_order_release`.
        Release = "release",
        /// `memory_order_acq_rel`.
        AcqRel = "acq_rel",
        /// `memory_order_seq_cst`.
        SeqCst = "seq_cst",
    }
}

named! {
    /// `memory_scope_*`, narrow to wide.
    MemScope {
        /// `memory_scope_work_item` (image fences only).
        WorkItem = "work_item",
        /// `memory_scope_sub_group`.
        SubGroup = "sub_group",
        /// `memory_scope_work_group`.
        WorkGroup = "work_group",
        /// `memory_scope_device`.
        Device = "device",
        /// `memory_scope_all_devices`, also `memory_scope_all_svm_devices`.
        AllDevices = "all_devices",
    }
}

bitflags::bitflags! {
    /// `cl_mem_fence_flags`: the memories that a fence or a barrier orders.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Regions: u8 {
        /// `CLK_LOCAL_MEM_FENCE`.
        const LOCAL = 1;
        /// `CLK_GLOBAL_MEM_FENCE`.
        const GLOBAL = 2;
        /// `CLK_IMAGE_MEM_FENCE`.
        const IMAGE = 4;
    }
}

impl Regions {
    /// No memory: execution only.
    pub const NONE: Regions = Regions::empty();
}

impl fmt::Display for Regions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        let names: Vec<String> = self
            .iter_names()
            .map(|(name, _)| name.to_lowercase())
            .collect();
        f.write_str(&names.join("|"))
    }
}

named! {
    /// The modification of an atomic read-modify-write.
    RmwOp {
        /// The operand replaces the value. Any scalar of 4 or 8 bytes.
        Exchange = "exchange",
        /// Integer sum, wrapping.
        Add = "add",
        /// Integer difference, wrapping.
        Sub = "sub",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Signed minimum.
        SMin = "smin",
        /// Signed maximum.
        SMax = "smax",
        /// Unsigned minimum.
        UMin = "umin",
        /// Unsigned maximum.
        UMax = "umax",
        /// Floating-point sum.
        FAdd = "fadd",
        /// Floating-point difference.
        FSub = "fsub",
        /// Floating-point minimum, as `fmin`.
        FMin = "fmin",
        /// Floating-point maximum, as `fmax`.
        FMax = "fmax",
    }
}

impl RmwOp {
    /// Whether the operation works on floating-point values only.
    pub const fn is_float(self) -> bool {
        matches!(self, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMin | RmwOp::FMax)
    }
}
