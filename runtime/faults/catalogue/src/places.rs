//! Where faults act: the entry points that a class of calls goes through.

/// Kernels, in an ND-range or alone, and native kernels.
pub(crate) const KERNELS: &[&str] = &[
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clEnqueueNativeKernel",
];
/// ND-ranges.
pub(crate) const RANGES: &[&str] = &["clEnqueueNDRangeKernel"];
/// From device to host.
pub(crate) const READS: &[&str] = &[
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueReadImage",
];
/// From host to device.
pub(crate) const WRITES: &[&str] = &[
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueWriteImage",
];
/// From object to object.
pub(crate) const COPIES: &[&str] = &[
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
];
/// Fills.
pub(crate) const FILLS: &[&str] = &["clEnqueueFillBuffer", "clEnqueueFillImage"];
/// Maps of memory objects.
pub(crate) const MAPS: &[&str] = &["clEnqueueMapBuffer", "clEnqueueMapImage"];
/// Rectangles.
pub(crate) const RECTS: &[&str] = &[
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBufferRect",
];
/// Images to or from the host.
pub(crate) const IMAGES: &[&str] = &["clEnqueueReadImage", "clEnqueueWriteImage"];
/// Every command of an image that has an origin of its own.
pub(crate) const IMAGE_ORIGINS: &[&str] = &[
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueMapImage",
];
/// Commands of shared virtual memory.
pub(crate) const SVM: &[&str] = &[
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clEnqueueSVMFree",
    "clEnqueueSVMMigrateMem",
];
/// Every command that takes a wait list, but markers and barriers.
pub(crate) const WORK: &[&str] = &[
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clEnqueueNativeKernel",
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueReadImage",
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueWriteImage",
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueFillBuffer",
    "clEnqueueFillImage",
    "clEnqueueMapBuffer",
    "clEnqueueMapImage",
    "clEnqueueUnmapMemObject",
    "clEnqueueMigrateMemObjects",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clEnqueueSVMFree",
    "clEnqueueSVMMigrateMem",
];
/// Markers and barriers.
pub(crate) const ORDERS: &[&str] = &[
    "clEnqueueMarkerWithWaitList",
    "clEnqueueBarrierWithWaitList",
];
/// Every call that lets commands begin, waits for them, or gives a queue or an event up.
pub(crate) const SYNC: &[&str] = &[
    "clFlush",
    "clFinish",
    "clWaitForEvents",
    "clReleaseCommandQueue",
    "clReleaseEvent",
];
/// Queries of an event's status.
pub(crate) const STATUS: &[&str] = &["clGetEventInfo"];
/// Profiling times.
pub(crate) const TIMES: &[&str] = &["clGetEventProfilingInfo"];
/// Callbacks of events.
pub(crate) const CALLBACKS: &[&str] = &["clSetEventCallback"];
/// Commands that can block.
pub(crate) const BLOCKING: &[&str] = &[
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueReadImage",
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueWriteImage",
    "clEnqueueMapBuffer",
    "clEnqueueMapImage",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMap",
];
/// Both ways to create a queue, and the query of its properties.
pub(crate) const QUEUES: &[&str] = &[
    "clCreateCommandQueue",
    "clCreateCommandQueueWithProperties",
    "clGetCommandQueueInfo",
];
/// Both ways to create a buffer.
pub(crate) const BUFFERS: &[&str] = &["clCreateBuffer", "clCreateBufferWithProperties"];
/// Functions that give up a reference.
pub(crate) const RELEASES: &[&str] = &[
    "clReleaseEvent",
    "clReleaseCommandQueue",
    "clReleaseMemObject",
    "clReleaseKernel",
    "clReleaseProgram",
    "clReleaseContext",
    "clReleaseSampler",
];
/// Programs from source.
pub(crate) const SOURCES: &[&str] = &["clCreateProgramWithSource"];
/// Programs from an intermediate language.
pub(crate) const IL_PROGRAMS: &[&str] = &["clCreateProgramWithIL"];
/// Queries of what a device or a platform can do.
pub(crate) const CAPABILITIES: &[&str] = &["clGetDeviceInfo", "clGetPlatformInfo"];
