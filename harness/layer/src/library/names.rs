//! The names of the entry points, in the order of the dispatch table of `cl_khr_icd`.

/// Entry points that have a slot in the dispatch table, in its order.
pub(crate) const DISPATCHED: [&str; 149] = [
    "clGetPlatformIDs",
    "clGetPlatformInfo",
    "clGetDeviceIDs",
    "clGetDeviceInfo",
    "clCreateContext",
    "clCreateContextFromType",
    "clRetainContext",
    "clReleaseContext",
    "clGetContextInfo",
    "clCreateCommandQueue",
    "clRetainCommandQueue",
    "clReleaseCommandQueue",
    "clGetCommandQueueInfo",
    "clSetCommandQueueProperty",
    "clCreateBuffer",
    "clCreateImage2D",
    "clCreateImage3D",
    "clRetainMemObject",
    "clReleaseMemObject",
    "clGetSupportedImageFormats",
    "clGetMemObjectInfo",
    "clGetImageInfo",
    "clCreateSampler",
    "clRetainSampler",
    "clReleaseSampler",
    "clGetSamplerInfo",
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clRetainProgram",
    "clReleaseProgram",
    "clBuildProgram",
    "clUnloadCompiler",
    "clGetProgramInfo",
    "clGetProgramBuildInfo",
    "clCreateKernel",
    "clCreateKernelsInProgram",
    "clRetainKernel",
    "clReleaseKernel",
    "clSetKernelArg",
    "clGetKernelInfo",
    "clGetKernelWorkGroupInfo",
    "clWaitForEvents",
    "clGetEventInfo",
    "clRetainEvent",
    "clReleaseEvent",
    "clGetEventProfilingInfo",
    "clFlush",
    "clFinish",
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueCopyBuffer",
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueMapBuffer",
    "clEnqueueMapImage",
    "clEnqueueUnmapMemObject",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clEnqueueNativeKernel",
    "clEnqueueMarker",
    "clEnqueueWaitForEvents",
    "clEnqueueBarrier",
    "clGetExtensionFunctionAddress",
    "clCreateFromGLBuffer",
    "clCreateFromGLTexture2D",
    "clCreateFromGLTexture3D",
    "clCreateFromGLRenderbuffer",
    "clGetGLObjectInfo",
    "clGetGLTextureInfo",
    "clEnqueueAcquireGLObjects",
    "clEnqueueReleaseGLObjects",
    "clGetGLContextInfoKHR",
    "clGetDeviceIDsFromD3D10KHR",
    "clCreateFromD3D10BufferKHR",
    "clCreateFromD3D10Texture2DKHR",
    "clCreateFromD3D10Texture3DKHR",
    "clEnqueueAcquireD3D10ObjectsKHR",
    "clEnqueueReleaseD3D10ObjectsKHR",
    "clSetEventCallback",
    "clCreateSubBuffer",
    "clSetMemObjectDestructorCallback",
    "clCreateUserEvent",
    "clSetUserEventStatus",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBufferRect",
    "clCreateSubDevicesEXT",
    "clRetainDeviceEXT",
    "clReleaseDeviceEXT",
    "clCreateEventFromGLsyncKHR",
    "clCreateSubDevices",
    "clRetainDevice",
    "clReleaseDevice",
    "clCreateImage",
    "clCreateProgramWithBuiltInKernels",
    "clCompileProgram",
    "clLinkProgram",
    "clUnloadPlatformCompiler",
    "clGetKernelArgInfo",
    "clEnqueueFillBuffer",
    "clEnqueueFillImage",
    "clEnqueueMigrateMemObjects",
    "clEnqueueMarkerWithWaitList",
    "clEnqueueBarrierWithWaitList",
    "clGetExtensionFunctionAddressForPlatform",
    "clCreateFromGLTexture",
    "clGetDeviceIDsFromD3D11KHR",
    "clCreateFromD3D11BufferKHR",
    "clCreateFromD3D11Texture2DKHR",
    "clCreateFromD3D11Texture3DKHR",
    "clCreateFromDX9MediaSurfaceKHR",
    "clEnqueueAcquireD3D11ObjectsKHR",
    "clEnqueueReleaseD3D11ObjectsKHR",
    "clGetDeviceIDsFromDX9MediaAdapterKHR",
    "clEnqueueAcquireDX9MediaSurfacesKHR",
    "clEnqueueReleaseDX9MediaSurfacesKHR",
    "clCreateFromEGLImageKHR",
    "clEnqueueAcquireEGLObjectsKHR",
    "clEnqueueReleaseEGLObjectsKHR",
    "clCreateEventFromEGLSyncKHR",
    "clCreateCommandQueueWithProperties",
    "clCreatePipe",
    "clGetPipeInfo",
    "clSVMAlloc",
    "clSVMFree",
    "clEnqueueSVMFree",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clCreateSamplerWithProperties",
    "clSetKernelArgSVMPointer",
    "clSetKernelExecInfo",
    "clGetKernelSubGroupInfoKHR",
    "clCloneKernel",
    "clCreateProgramWithIL",
    "clEnqueueSVMMigrateMem",
    "clGetDeviceAndHostTimer",
    "clGetHostTimer",
    "clGetKernelSubGroupInfo",
    "clSetDefaultDeviceCommandQueue",
    "clSetProgramReleaseCallback",
    "clSetProgramSpecializationConstant",
    "clCreateBufferWithProperties",
    "clCreateImageWithProperties",
    "clSetContextDestructorCallback",
];

/// Entry points that a program can link to or ask for and that have no slot that can be relied on.
pub(crate) const UNDISPATCHED: [&str; 2] = [
    "clGetKernelSuggestedLocalWorkSize",
    "clIcdGetPlatformIDsKHR",
];

/// How many entry points there are.
pub(crate) const COUNT: usize = DISPATCHED.len() + UNDISPATCHED.len();

/// One entry point of OpenCL, known by its place in the dispatch table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u16);

impl Entry {
    /// The entry point with this name, or none if OpenCL has no such entry point.
    pub const fn find(name: &str) -> Option<Entry> {
        let mut index = 0;
        while index < COUNT {
            if same(Entry(index as u16).name(), name) {
                return Some(Entry(index as u16));
            }
            index += 1;
        }
        None
    }

    /// Like [`Entry::find`], for names written in this crate: a wrong one does not compile.
    pub(crate) const fn named(name: &str) -> Entry {
        match Entry::find(name) {
            Some(entry) => entry,
            None => panic!("no such entry point"),
        }
    }

    /// The name that a program calls it by.
    pub const fn name(self) -> &'static str {
        let index = self.0 as usize;
        if index < DISPATCHED.len() {
            DISPATCHED[index]
        } else {
            UNDISPATCHED[index - DISPATCHED.len()]
        }
    }

    /// Its place among all entry points.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its slot in the dispatch table, if it has one.
    pub(crate) const fn slot(self) -> Option<usize> {
        if self.index() < DISPATCHED.len() {
            Some(self.index())
        } else {
            None
        }
    }

    /// Every entry point.
    pub(crate) fn all() -> impl Iterator<Item = Entry> {
        (0..COUNT as u16).map(Entry)
    }
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_dispatch_table() {
        let slot = |name| Entry::find(name).and_then(Entry::slot);
        // Checked against the C header's offsetof: first, last, and one behind each foreign block.
        assert_eq!(slot("clGetPlatformIDs"), Some(0));
        assert_eq!(slot("clSetEventCallback"), Some(81));
        assert_eq!(slot("clCreateImage"), Some(96));
        assert_eq!(slot("clCreateCommandQueueWithProperties"), Some(123));
        assert_eq!(slot("clSetContextDestructorCallback"), Some(148));
        assert_eq!(slot("clGetKernelSuggestedLocalWorkSize"), None);
        assert_eq!(Entry::find("clNoSuchThing"), None);
    }

    #[test]
    fn the_table_agrees_with_the_published_binding() {
        use opencl_sys::cl_icd::cl_icd_dispatch;
        use std::mem::offset_of;
        let word = size_of::<usize>();
        for (name, offset) in [
            (
                "clGetPlatformInfo",
                offset_of!(cl_icd_dispatch, clGetPlatformInfo),
            ),
            ("clFinish", offset_of!(cl_icd_dispatch, clFinish)),
            (
                "clSetEventCallback",
                offset_of!(cl_icd_dispatch, clSetEventCallback),
            ),
            ("clCreateImage", offset_of!(cl_icd_dispatch, clCreateImage)),
            ("clSVMAlloc", offset_of!(cl_icd_dispatch, clSVMAlloc)),
            ("clCloneKernel", offset_of!(cl_icd_dispatch, clCloneKernel)),
            (
                "clSetContextDestructorCallback",
                offset_of!(cl_icd_dispatch, clSetContextDestructorCallback),
            ),
        ] {
            let slot = Entry::find(name).and_then(Entry::slot);
            assert_eq!(slot, Some(offset / word), "{name}");
        }
    }
}
