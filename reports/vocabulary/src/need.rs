//! What a case needs of a device: one list for litmus tests and for the suites.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A capability. Its name in reports is what [`fmt::Display`] writes, and in files the name of the variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// So many devices on the platform; 1 is always there.
    Devices(u32),
    /// Out-of-order host queues.
    OutOfOrderQueue,
    /// Native kernels.
    NativeKernels,
    /// Built-in kernels.
    BuiltInKernels,
    /// A built-in kernel of which it is known what it does.
    BuiltIn(BuiltInKernel),
    /// Coarse-grain SVM.
    SvmCoarse,
    /// Fine-grain SVM allocations.
    SvmFine,
    /// Fine-grain system SVM.
    SvmSystem,
    /// Atomics on fine-grain SVM.
    SvmAtomics,
    /// Program-scope variables in global memory.
    ProgramScopeVariables,
    /// The generic address space.
    GenericAddressSpace,
    /// Non-uniform work-groups.
    NonUniformGroups,
    /// Sub-groups.
    SubGroups,
    /// Independent progress of sub-groups.
    SubGroupProgress,
    /// Work-group collective functions.
    WorkGroupFunctions,
    /// Device-side enqueue.
    DeviceEnqueue,
    /// Pipes.
    Pipes,
    /// Images in kernels.
    Images,
    /// Images that the host moves.
    ImageObjects,
    /// Images that a kernel both reads and writes.
    ReadWriteImages,
    /// The full profile.
    FullProfile,
    /// Intermediate language.
    Il,
    /// C11 atomics.
    C11Atomics,
    /// Atomic orders beyond relaxed.
    OrderAcqRel,
    /// Sequentially consistent atomics.
    OrderSeqCst,
    /// Atomic scope sub_group.
    ScopeSubGroup,
    /// Atomic scope device.
    ScopeDevice,
    /// Atomic scope all_svm_devices.
    ScopeAllDevices,
    /// 64-bit atomics.
    Int64Atomics,
    /// Double precision.
    Fp64,
    /// Half precision.
    Fp16,
    /// Work-groups of so many work-items.
    WorkGroupSize(u32),
    /// Sub-buffers that begin at multiples of so many bytes.
    SubBufferAlign(u32),
    /// OpenCL C 2.0 or later.
    C20,
    /// A 64-bit address space.
    Bits64,
    /// The functions and rules of OpenCL 2.0.
    Api20,
    /// The functions and rules of OpenCL 2.1.
    Api21,
    /// The functions and rules of OpenCL 2.2.
    Api22,
    /// The functions and rules of OpenCL 3.0.
    Api30,
    /// The functions and rules of OpenCL 3.1.
    Api31,
    /// Rules that OpenCL 3.1 dropped.
    BeforeApi31,
}

words! {
    /// A built-in kernel of some implementation, and what it does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BuiltInKernel {
        /// `(global uint *counter)`: each work-item adds one.
        Count = "touchstone_count",
        /// `(global uint *out, uint first)`: a work-item writes the first number plus its global id.
        Iota = "touchstone_iota",
        /// `(global const uchar *from, global uchar *to)`: a work-item copies a byte.
        Copy = "touchstone_copy",
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Devices(n) => write!(f, "{n} devices on its platform"),
            Need::OutOfOrderQueue => f.write_str("out-of-order queues"),
            Need::NativeKernels => f.write_str("native kernels"),
            Need::BuiltInKernels => f.write_str("built-in kernels"),
            Need::BuiltIn(kernel) => write!(f, "the built-in kernel {}", kernel.name()),
            Need::SvmCoarse => f.write_str("coarse-grain SVM"),
            Need::SvmFine => f.write_str("fine-grain SVM buffers"),
            Need::SvmSystem => f.write_str("fine-grain system SVM"),
            Need::SvmAtomics => f.write_str("SVM atomics"),
            Need::ProgramScopeVariables => f.write_str("program-scope variables"),
            Need::GenericAddressSpace => f.write_str("the generic address space"),
            Need::NonUniformGroups => f.write_str("non-uniform work-groups"),
            Need::SubGroups => f.write_str("sub-groups"),
            Need::SubGroupProgress => f.write_str("independent progress of sub-groups"),
            Need::WorkGroupFunctions => f.write_str("work-group collective functions"),
            Need::DeviceEnqueue => f.write_str("device-side enqueue"),
            Need::Pipes => f.write_str("pipes"),
            Need::Images => f.write_str("images in kernels"),
            Need::ImageObjects => f.write_str("images"),
            Need::ReadWriteImages => f.write_str("read-write images"),
            Need::FullProfile => f.write_str("the full profile"),
            Need::Il => f.write_str("an intermediate language"),
            Need::C11Atomics => f.write_str("C11 atomics"),
            Need::OrderAcqRel => f.write_str("atomic orders acquire and release"),
            Need::OrderSeqCst => f.write_str("atomic order seq_cst"),
            Need::ScopeSubGroup => f.write_str("atomic scope sub_group"),
            Need::ScopeDevice => f.write_str("atomic scope device"),
            Need::ScopeAllDevices => f.write_str("atomic scope all_svm_devices"),
            Need::Int64Atomics => f.write_str("64-bit atomics"),
            Need::Fp64 => f.write_str("double precision"),
            Need::Fp16 => f.write_str("half precision"),
            Need::WorkGroupSize(n) => write!(f, "work-groups of {n} work-items"),
            Need::SubBufferAlign(n) => write!(f, "sub-buffers at multiples of {n} bytes"),
            Need::C20 => f.write_str("OpenCL C 2.0"),
            Need::Bits64 => f.write_str("64-bit addresses"),
            Need::Api20 => f.write_str("OpenCL 2.0"),
            Need::Api21 => f.write_str("OpenCL 2.1"),
            Need::Api22 => f.write_str("OpenCL 2.2"),
            Need::Api30 => f.write_str("OpenCL 3.0"),
            Need::Api31 => f.write_str("OpenCL 3.1"),
            Need::BeforeApi31 => f.write_str("a version of OpenCL before 3.1"),
        }
    }
}
