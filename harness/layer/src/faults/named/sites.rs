//! The entry points that a class of commands goes through.

/// Kernels, in an ND-range or alone, and native kernels.
pub(super) const KERNELS: &[&str] = &[
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clEnqueueNativeKernel",
];
/// ND-ranges.
pub(super) const RANGES: &[&str] = &["clEnqueueNDRangeKernel"];
/// From device to host.
pub(super) const READS: &[&str] = &[
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueReadImage",
];
/// From host to device.
pub(super) const WRITES: &[&str] = &[
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueWriteImage",
];
/// From object to object.
pub(super) const COPIES: &[&str] = &[
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
];
/// Fills.
pub(super) const FILLS: &[&str] = &["clEnqueueFillBuffer", "clEnqueueFillImage"];
/// Maps of memory objects.
pub(super) const MAPS: &[&str] = &["clEnqueueMapBuffer", "clEnqueueMapImage"];
/// Rectangles.
pub(super) const RECTS: &[&str] = &[
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBufferRect",
];
/// Images to or from the host.
pub(super) const IMAGES: &[&str] = &["clEnqueueReadImage", "clEnqueueWriteImage"];
/// Every command of an image that has an origin of its own.
pub(super) const IMAGE_ORIGINS: &[&str] = &[
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueMapImage",
];
/// Commands of shared virtual memory.
pub(super) const SVM: &[&str] = &[
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clEnqueueSVMFree",
    "clEnqueueSVMMigrateMem",
];
/// Every command that takes a wait list, but markers and barriers.
pub(super) const WORK: &[&str] = &[
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
pub(super) const ORDERS: &[&str] = &[
    "clEnqueueMarkerWithWaitList",
    "clEnqueueBarrierWithWaitList",
];
/// Every call that lets commands begin, waits for them, or gives a queue or an event up.
pub(super) const SYNC: &[&str] = &[
    "clFlush",
    "clFinish",
    "clWaitForEvents",
    "clReleaseCommandQueue",
    "clReleaseEvent",
];
/// Queries of an event's status.
pub(super) const STATUS: &[&str] = &["clGetEventInfo"];
/// Profiling times.
pub(super) const TIMES: &[&str] = &["clGetEventProfilingInfo"];
/// Callbacks of events.
pub(super) const CALLBACKS: &[&str] = &["clSetEventCallback"];
/// Commands that can block.
pub(super) const BLOCKING: &[&str] = &[
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
pub(super) const QUEUES: &[&str] = &[
    "clCreateCommandQueue",
    "clCreateCommandQueueWithProperties",
    "clGetCommandQueueInfo",
];
/// Both ways to create a buffer.
pub(super) const BUFFERS: &[&str] = &["clCreateBuffer", "clCreateBufferWithProperties"];
/// Functions that give up a reference.
pub(super) const RELEASES: &[&str] = &[
    "clReleaseEvent",
    "clReleaseCommandQueue",
    "clReleaseMemObject",
    "clReleaseKernel",
    "clReleaseProgram",
    "clReleaseContext",
    "clReleaseSampler",
];
