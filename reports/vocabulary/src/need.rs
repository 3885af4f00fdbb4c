//! What a case needs of a device: one list for litmus tests and for the suites.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Declares [`Need`]: its variants, each with what it is called in reports.
macro_rules! needs {
    ($($(#[$of:meta])* $variant:ident $(($value:ident: $type:ty))? = $words:literal,)+) => {
        /// A capability. Its name in reports is what [`fmt::Display`] writes, and in files the name of the
        /// variant.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Need {
            $($(#[$of])* $variant $(($type))?,)+
        }

        impl fmt::Display for Need {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Need::$variant $(($value))? => write!(f, $words),)+
                }
            }
        }
    };
}

needs! {
    /// So many devices on the platform; 1 is always there.
    Devices(n: u32) = "{n} devices on its platform",
    /// Out-of-order host queues.
    OutOfOrderQueue = "out-of-order queues",
    /// Command-buffers (`cl_khr_command_buffer`), of version 0.9.n or later.
    CommandBuffers(n: u32) = "cl_khr_command_buffer 0.9.{n}",
    /// Command-buffers whose commands are recorded to out-of-order queues.
    CommandBuffersOutOfOrder = "command-buffers of out-of-order queues",
    /// Command-buffers that may be in flight more than once.
    CommandBuffersAtOnce = "simultaneous use of command-buffers",
    /// Recorded kernels that are updated (`cl_khr_command_buffer_mutable_dispatch`), by version 0.9.n or later.
    MutableDispatch(n: u32) = "cl_khr_command_buffer_mutable_dispatch 0.9.{n}",
    /// Updates of arguments of recorded kernels.
    UpdatedArguments = "updates of arguments of recorded kernels",
    /// Updates of offsets, global and local sizes of recorded kernels.
    UpdatedSizes = "updates of sizes of recorded kernels",
    /// Updates of what recorded kernels are given besides arguments.
    UpdatedInfo = "updates of what recorded kernels are given besides arguments",
    /// Native kernels.
    NativeKernels = "native kernels",
    /// Built-in kernels.
    BuiltInKernels = "built-in kernels",
    /// A built-in kernel of which it is known what it does.
    BuiltIn(kernel: BuiltInKernel) = "the built-in kernel {kernel}",
    /// Coarse-grain SVM.
    SvmCoarse = "coarse-grain SVM",
    /// Fine-grain SVM allocations.
    SvmFine = "fine-grain SVM buffers",
    /// Fine-grain system SVM.
    SvmSystem = "fine-grain system SVM",
    /// Atomics on fine-grain SVM.
    SvmAtomics = "SVM atomics",
    /// Program-scope variables in global memory.
    ProgramScopeVariables = "program-scope variables",
    /// The generic address space.
    GenericAddressSpace = "the generic address space",
    /// The memory model of Vulkan.
    VulkanMemoryModel = "the Vulkan memory model",
    /// So many queue families that compute; 1 is always there.
    QueueFamilies(n: u32) = "{n} queue families that compute",
    /// Non-uniform work-groups.
    NonUniformGroups = "non-uniform work-groups",
    /// Sub-groups.
    SubGroups = "sub-groups",
    /// An extension whose functions kernels call.
    Extension(extension: Extension) = "the extension {extension}",
    /// Independent progress of sub-groups.
    SubGroupProgress = "independent progress of sub-groups",
    /// Work-group collective functions.
    WorkGroupFunctions = "work-group collective functions",
    /// Device-side enqueue.
    DeviceEnqueue = "device-side enqueue",
    /// Pipes.
    Pipes = "pipes",
    /// Images in kernels.
    Images = "images in kernels",
    /// Images that the host moves.
    ImageObjects = "images",
    /// Images that a kernel both reads and writes.
    ReadWriteImages = "read-write images",
    /// The full profile.
    FullProfile = "the full profile",
    /// Intermediate language.
    Il = "an intermediate language",
    /// Compiling and linking of several sources.
    Linker = "a compiler and a linker",
    /// C11 atomics.
    C11Atomics = "C11 atomics",
    /// Atomic orders beyond relaxed.
    OrderAcqRel = "atomic orders acquire and release",
    /// Sequentially consistent atomics.
    OrderSeqCst = "atomic order seq_cst",
    /// Atomic scope sub_group.
    ScopeSubGroup = "atomic scope sub_group",
    /// Atomic scope device.
    ScopeDevice = "atomic scope device",
    /// Atomic scope all_svm_devices.
    ScopeAllDevices = "atomic scope all_svm_devices",
    /// 64-bit atomics.
    Int64Atomics = "64-bit atomics",
    /// Functions of `cl_ext_float_atomics`.
    FloatAtomics(of: FloatAtomics) = "cl_ext_float_atomics with {of}",
    /// Quotients and roots of `float` that are rounded correctly where a build asks for that.
    RoundedDivision = "correctly rounded division and roots",
    /// Double precision.
    Fp64 = "double precision",
    /// Half precision.
    Fp16 = "half precision",
    /// Work-groups of so many work-items.
    WorkGroupSize(n: u32) = "work-groups of {n} work-items",
    /// Sub-buffers that begin at multiples of so many bytes.
    SubBufferAlign(n: u32) = "sub-buffers at multiples of {n} bytes",
    /// Planes over buffers with rows so many elements apart.
    PitchAlign(n: u32) = "planes over buffers with rows {n} elements apart",
    /// OpenCL C 2.0 or later.
    C20 = "OpenCL C 2.0",
    /// What kernels print comes to standard output; it may come to any stream.
    PrintsToStdout = "standard output as the stream of printf",
    /// A 64-bit address space.
    Bits64 = "64-bit addresses",
    /// The functions and rules of OpenCL 2.0.
    Api20 = "OpenCL 2.0",
    /// The functions and rules of OpenCL 2.1.
    Api21 = "OpenCL 2.1",
    /// The functions and rules of OpenCL 2.2.
    Api22 = "OpenCL 2.2",
    /// The functions and rules of OpenCL 3.0.
    Api30 = "OpenCL 3.0",
    /// The functions and rules of OpenCL 3.1.
    Api31 = "OpenCL 3.1",
    /// Rules that OpenCL 3.1 dropped.
    BeforeApi31 = "a version of OpenCL before 3.1",
}

words! {
    /// An extension that cases need, most of them in their kernels.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Extension {
        /// Values of any work-item of a sub-group.
        SubGroupShuffle = "cl_khr_subgroup_shuffle",
        /// Those of one so many places away.
        SubGroupShuffleRelative = "cl_khr_subgroup_shuffle_relative",
        /// The same, around the end.
        SubGroupRotate = "cl_khr_subgroup_rotate",
        /// For whom a condition holds.
        SubGroupBallot = "cl_khr_subgroup_ballot",
        /// Whether it holds for all that are there.
        SubGroupVote = "cl_khr_subgroup_non_uniform_vote",
        /// Sums of those that are there.
        SubGroupArithmetic = "cl_khr_subgroup_non_uniform_arithmetic",
        /// Sums of neighbours.
        SubGroupClustered = "cl_khr_subgroup_clustered_reduce",
        /// Fields of bits, and bits in reverse order.
        ExtendedBitOps = "cl_khr_extended_bit_ops",
        /// Dot products of integers.
        IntegerDotProduct = "cl_khr_integer_dot_product",
        /// Images of three dimensions that kernels write.
        ImageWrites3d = "cl_khr_3d_image_writes",
        /// Images whose elements are depths.
        DepthImages = "cl_khr_depth_images",
        /// Integers of fewer bits in the functions of sub-groups.
        SubGroupExtendedTypes = "cl_khr_subgroup_extended_types",
        /// Images of two dimensions over a buffer.
        ImageFromBuffer = "cl_khr_image2d_from_buffer",
    }
}

words! {
    /// Atomic functions of floats, by the feature of the language that has them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FloatAtomics {
        /// Additions and subtractions of `float` in global memory.
        SingleGlobalAdd = "__opencl_c_ext_fp32_global_atomic_add",
        /// Minima and maxima of `float` in global memory.
        SingleGlobalMinMax = "__opencl_c_ext_fp32_global_atomic_min_max",
        /// Additions and subtractions of `float` in local memory.
        SingleLocalAdd = "__opencl_c_ext_fp32_local_atomic_add",
        /// Minima and maxima of `float` in local memory.
        SingleLocalMinMax = "__opencl_c_ext_fp32_local_atomic_min_max",
        /// Additions and subtractions of `double` in global memory.
        DoubleGlobalAdd = "__opencl_c_ext_fp64_global_atomic_add",
        /// Minima and maxima of `double` in global memory.
        DoubleGlobalMinMax = "__opencl_c_ext_fp64_global_atomic_min_max",
        /// Additions and subtractions of `double` in local memory.
        DoubleLocalAdd = "__opencl_c_ext_fp64_local_atomic_add",
        /// Minima and maxima of `double` in local memory.
        DoubleLocalMinMax = "__opencl_c_ext_fp64_local_atomic_min_max",
    }
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
