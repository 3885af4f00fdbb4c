//! What memory operations say: order, scope, regions, read-modify-write kinds.
//!
//! The words are those of the OpenCL C memory model (architecture section
//! 3.3.4 on, OpenCL C section 6.15.12).

use std::fmt;
use std::ops::BitOr;

/// `memory_order_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// `memory_order_relaxed`.
    Relaxed,
    /// `memory_order_acquire`.
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcqRel,
    /// `memory_order_seq_cst`.
    SeqCst,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        })
    }
}

/// `memory_scope_*`, narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemScope {
    /// `memory_scope_work_item` (image fences only).
    WorkItem,
    /// `memory_scope_sub_group`.
    SubGroup,
    /// `memory_scope_work_group`.
    WorkGroup,
    /// `memory_scope_device`.
    Device,
    /// `memory_scope_all_devices`, also `memory_scope_all_svm_devices`.
    AllDevices,
}

impl fmt::Display for MemScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemScope::WorkItem => "work_item",
            MemScope::SubGroup => "sub_group",
            MemScope::WorkGroup => "work_group",
            MemScope::Device => "device",
            MemScope::AllDevices => "all_devices",
        })
    }
}

/// `cl_mem_fence_flags`: the memories that a fence or a barrier orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Regions {
    bits: u8,
}

impl Regions {
    /// No memory: execution only.
    pub const NONE: Regions = Regions { bits: 0 };
    /// `CLK_LOCAL_MEM_FENCE`.
    pub const LOCAL: Regions = Regions { bits: 1 };
    /// `CLK_GLOBAL_MEM_FENCE`.
    pub const GLOBAL: Regions = Regions { bits: 2 };
    /// `CLK_IMAGE_MEM_FENCE`.
    pub const IMAGE: Regions = Regions { bits: 4 };

    /// Whether every memory of `other` is in this set.
    pub const fn contains(self, other: Regions) -> bool {
        self.bits & other.bits == other.bits
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl BitOr for Regions {
    type Output = Regions;
    fn bitor(self, other: Regions) -> Regions {
        Regions {
            bits: self.bits | other.bits,
        }
    }
}

impl fmt::Display for Regions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (region, name) in [
            (Regions::LOCAL, "local"),
            (Regions::GLOBAL, "global"),
            (Regions::IMAGE, "image"),
        ] {
            if self.contains(region) {
                if !first {
                    f.write_str("|")?;
                }
                f.write_str(name)?;
                first = false;
            }
        }
        if first {
            f.write_str("none")?;
        }
        Ok(())
    }
}

/// The modification of an atomic read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RmwOp {
    /// The operand replaces the value. Any scalar of 4 or 8 bytes.
    Exchange,
    /// Integer sum, wrapping.
    Add,
    /// Integer difference, wrapping.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Signed minimum.
    SMin,
    /// Signed maximum.
    SMax,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Floating-point sum.
    FAdd,
    /// Floating-point difference.
    FSub,
    /// Floating-point minimum, as `fmin`.
    FMin,
    /// Floating-point maximum, as `fmax`.
    FMax,
}

impl RmwOp {
    /// Whether the operation works on floating-point values only.
    pub const fn is_float(self) -> bool {
        match self {
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMin | RmwOp::FMax => true,
            RmwOp::Exchange
            | RmwOp::Add
            | RmwOp::Sub
            | RmwOp::And
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::SMin
            | RmwOp::SMax
            | RmwOp::UMin
            | RmwOp::UMax => false,
        }
    }
}

impl fmt::Display for RmwOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RmwOp::Exchange => "exchange",
            RmwOp::Add => "add",
            RmwOp::Sub => "sub",
            RmwOp::And => "and",
            RmwOp::Or => "or",
            RmwOp::Xor => "xor",
            RmwOp::SMin => "smin",
            RmwOp::SMax => "smax",
            RmwOp::UMin => "umin",
            RmwOp::UMax => "umax",
            RmwOp::FAdd => "fadd",
            RmwOp::FSub => "fsub",
            RmwOp::FMin => "fmin",
            RmwOp::FMax => "fmax",
        })
    }
}
