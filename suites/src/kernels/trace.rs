//! What a run of a kernel case observed.

use super::case::ObjectId;
use std::collections::BTreeMap;

/// A run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// The function that each step called, and the code that it gave; a step that was not reached
    /// has none.
    pub codes: BTreeMap<usize, (&'static str, i32)>,
    /// The bytes that each look saw.
    pub looks: BTreeMap<usize, Vec<u8>>,
    /// The execution status of each launch whose event the host waited for.
    pub statuses: BTreeMap<usize, i32>,
    /// What the host was told of sub-groups by each step that asked.
    pub sub_groups: BTreeMap<usize, SubGroups>,
    /// What the host was told of a program's kernels by each step that asked.
    pub kernels: BTreeMap<usize, Kernels>,
    /// Addresses of objects that have one.
    pub addresses: BTreeMap<ObjectId, u64>,
    /// A side of a dialogue gave up waiting.
    pub gave_up: bool,
    /// Where a talk came upon a pointer that leads nowhere, and which.
    pub astray: BTreeMap<usize, String>,
}

/// The host's view of the sub-groups of a kernel in work-groups of one shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubGroups {
    /// CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE.
    pub size: u64,
    /// CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE.
    pub count: u64,
    /// The product of CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT for that count: a work-group of one
    /// dimension with as many sub-groups, or 0.
    pub local: u64,
    /// CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE of that work-group.
    pub again: u64,
}

/// The host's view of a program's kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernels {
    /// The names that the program was made of.
    pub asked: Vec<String>,
    /// CL_PROGRAM_KERNEL_NAMES.
    pub names: Vec<String>,
    /// CL_PROGRAM_NUM_KERNELS.
    pub count: u64,
    /// CL_KERNEL_FUNCTION_NAME of a kernel made for each name that was asked for, or the code of
    /// what failed.
    pub made: Vec<Result<String, i32>>,
}
