//! The installable client driver interface (cl_khr_icd).
//!
//! [`DISPATCH`] has the order of the public `cl_icd.h`; the types of its slots are those
//! of the headers, so a function with a wrong signature does not compile. No slot is
//! empty: programs call deprecated functions through loaders, and loaders do not check.

use std::ffi::{c_char, c_void};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_platform_id;

use crate::api::buffer::*;
use crate::api::command_buffer::*;
use crate::api::context::*;
use crate::api::device::*;
use crate::api::event::*;
use crate::api::image::*;
use crate::api::image_transfer::*;
use crate::api::interop::*;
use crate::api::kernel::*;
use crate::api::map::*;
use crate::api::memory::*;
use crate::api::pipe::*;
use crate::api::platform::*;
use crate::api::program::*;
use crate::api::queue::*;
use crate::api::range::*;
use crate::api::rect::*;
use crate::api::sampler::*;
use crate::api::svm::*;
use crate::api::sync::*;
use crate::api::transfer::*;
use crate::ffi::entry::caught;
use crate::ffi::raw;
use crate::platform::{self, profile};

/// Fills the table and keeps the names for [`clGetExtensionFunctionAddress`].
macro_rules! dispatch {
    ($($name:ident),* $(,)?) => {
        /// What every object points at with its first word.
        #[unsafe(export_name = "touchstone_dispatch")]
        pub static DISPATCH: cl_icd_dispatch = cl_icd_dispatch {
            $($name: Some($name)),*
        };

        /// The names of the slots, in their order, with what is in them.
        fn slots() -> impl Iterator<Item = (&'static str, *mut c_void)> {
            [$((stringify!($name), $name as *mut c_void)),*].into_iter()
        }
    };
}

dispatch! {
    clGetPlatformIDs,
    clGetPlatformInfo,
    clGetDeviceIDs,
    clGetDeviceInfo,
    clCreateContext,
    clCreateContextFromType,
    clRetainContext,
    clReleaseContext,
    clGetContextInfo,
    clCreateCommandQueue,
    clRetainCommandQueue,
    clReleaseCommandQueue,
    clGetCommandQueueInfo,
    clSetCommandQueueProperty,
    clCreateBuffer,
    clCreateImage2D,
    clCreateImage3D,
    clRetainMemObject,
    clReleaseMemObject,
    clGetSupportedImageFormats,
    clGetMemObjectInfo,
    clGetImageInfo,
    clCreateSampler,
    clRetainSampler,
    clReleaseSampler,
    clGetSamplerInfo,
    clCreateProgramWithSource,
    clCreateProgramWithBinary,
    clRetainProgram,
    clReleaseProgram,
    clBuildProgram,
    clUnloadCompiler,
    clGetProgramInfo,
    clGetProgramBuildInfo,
    clCreateKernel,
    clCreateKernelsInProgram,
    clRetainKernel,
    clReleaseKernel,
    clSetKernelArg,
    clGetKernelInfo,
    clGetKernelWorkGroupInfo,
    clWaitForEvents,
    clGetEventInfo,
    clRetainEvent,
    clReleaseEvent,
    clGetEventProfilingInfo,
    clFlush,
    clFinish,
    clEnqueueReadBuffer,
    clEnqueueWriteBuffer,
    clEnqueueCopyBuffer,
    clEnqueueReadImage,
    clEnqueueWriteImage,
    clEnqueueCopyImage,
    clEnqueueCopyImageToBuffer,
    clEnqueueCopyBufferToImage,
    clEnqueueMapBuffer,
    clEnqueueMapImage,
    clEnqueueUnmapMemObject,
    clEnqueueNDRangeKernel,
    clEnqueueTask,
    clEnqueueNativeKernel,
    clEnqueueMarker,
    clEnqueueWaitForEvents,
    clEnqueueBarrier,
    clGetExtensionFunctionAddress,
    clCreateFromGLBuffer,
    clCreateFromGLTexture2D,
    clCreateFromGLTexture3D,
    clCreateFromGLRenderbuffer,
    clGetGLObjectInfo,
    clGetGLTextureInfo,
    clEnqueueAcquireGLObjects,
    clEnqueueReleaseGLObjects,
    clGetGLContextInfoKHR,
    clGetDeviceIDsFromD3D10KHR,
    clCreateFromD3D10BufferKHR,
    clCreateFromD3D10Texture2DKHR,
    clCreateFromD3D10Texture3DKHR,
    clEnqueueAcquireD3D10ObjectsKHR,
    clEnqueueReleaseD3D10ObjectsKHR,
    clSetEventCallback,
    clCreateSubBuffer,
    clSetMemObjectDestructorCallback,
    clCreateUserEvent,
    clSetUserEventStatus,
    clEnqueueReadBufferRect,
    clEnqueueWriteBufferRect,
    clEnqueueCopyBufferRect,
    clCreateSubDevicesEXT,
    clRetainDeviceEXT,
    clReleaseDeviceEXT,
    clCreateEventFromGLsyncKHR,
    clCreateSubDevices,
    clRetainDevice,
    clReleaseDevice,
    clCreateImage,
    clCreateProgramWithBuiltInKernels,
    clCompileProgram,
    clLinkProgram,
    clUnloadPlatformCompiler,
    clGetKernelArgInfo,
    clEnqueueFillBuffer,
    clEnqueueFillImage,
    clEnqueueMigrateMemObjects,
    clEnqueueMarkerWithWaitList,
    clEnqueueBarrierWithWaitList,
    clGetExtensionFunctionAddressForPlatform,
    clCreateFromGLTexture,
    clGetDeviceIDsFromD3D11KHR,
    clCreateFromD3D11BufferKHR,
    clCreateFromD3D11Texture2DKHR,
    clCreateFromD3D11Texture3DKHR,
    clCreateFromDX9MediaSurfaceKHR,
    clEnqueueAcquireD3D11ObjectsKHR,
    clEnqueueReleaseD3D11ObjectsKHR,
    clGetDeviceIDsFromDX9MediaAdapterKHR,
    clEnqueueAcquireDX9MediaSurfacesKHR,
    clEnqueueReleaseDX9MediaSurfacesKHR,
    clCreateFromEGLImageKHR,
    clEnqueueAcquireEGLObjectsKHR,
    clEnqueueReleaseEGLObjectsKHR,
    clCreateEventFromEGLSyncKHR,
    clCreateCommandQueueWithProperties,
    clCreatePipe,
    clGetPipeInfo,
    clSVMAlloc,
    clSVMFree,
    clEnqueueSVMFree,
    clEnqueueSVMMemcpy,
    clEnqueueSVMMemFill,
    clEnqueueSVMMap,
    clEnqueueSVMUnmap,
    clCreateSamplerWithProperties,
    clSetKernelArgSVMPointer,
    clSetKernelExecInfo,
    clGetKernelSubGroupInfoKHR,
    clCloneKernel,
    clCreateProgramWithIL,
    clEnqueueSVMMigrateMem,
    clGetDeviceAndHostTimer,
    clGetHostTimer,
    clGetKernelSubGroupInfo,
    clSetDefaultDeviceCommandQueue,
    clSetProgramReleaseCallback,
    clSetProgramSpecializationConstant,
    clCreateBufferWithProperties,
    clCreateImageWithProperties,
    clSetContextDestructorCallback,
    clGetKernelSuggestedLocalWorkSize,
}

/// The names of the slots of [`DISPATCH`], in their order.
pub fn slot_names() -> impl Iterator<Item = &'static str> {
    slots().map(|(name, _)| name)
}

/// Functions of extensions, which have no slot, each with the extension whose it is.
macro_rules! extension_functions {
    ($($extension:literal: $($name:ident),*;)*) => {
        fn extension_functions() -> impl Iterator<Item = (&'static str, *mut c_void)> {
            let all = [$($(($extension, stringify!($name), $name as *mut c_void)),*),*];
            let there = all.into_iter().filter(|(extension, ..)| profile::keeps(extension));
            there.map(|(_, name, address)| (name, address))
        }
    };
}

extension_functions! {
    "cl_khr_icd": clIcdGetPlatformIDsKHR;
    "cl_khr_il_program": clCreateProgramWithILKHR;
    "cl_khr_suggested_local_work_size": clGetKernelSuggestedLocalWorkSizeKHR;
    "cl_khr_command_buffer":
        clCreateCommandBufferKHR, clRetainCommandBufferKHR, clReleaseCommandBufferKHR,
        clFinalizeCommandBufferKHR, clEnqueueCommandBufferKHR, clCommandBarrierWithWaitListKHR,
        clCommandCopyBufferKHR, clCommandCopyBufferRectKHR, clCommandCopyBufferToImageKHR,
        clCommandCopyImageKHR, clCommandCopyImageToBufferKHR, clCommandFillBufferKHR,
        clCommandFillImageKHR, clCommandNDRangeKernelKHR, clCommandSVMMemcpyKHR,
        clCommandSVMMemFillKHR, clGetCommandBufferInfoKHR;
    "cl_khr_command_buffer_mutable_dispatch":
        clUpdateMutableCommandsKHR, clGetMutableCommandInfoKHR;
}

/// The function with a name, or null.
///
/// Core functions are found too: a program that opened this library by its path and has
/// no loader needs nothing else. Functions of extensions that are not supported are not.
fn address_of(name: &str) -> *mut c_void {
    let unsupported = ["GL", "D3D", "DX9", "EXT"];
    let core = slots().filter(|(slot, _)| !unsupported.iter().any(|part| slot.contains(part)));
    core.chain(extension_functions())
        .find(|&(known, _)| known == name)
        .map_or(std::ptr::null_mut(), |(_, address)| address)
}

/// The address of a function, or null.
///
/// # Safety
/// `func_name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    let found = caught(|| {
        // SAFETY: the caller vouches for its string.
        let name = unsafe { raw::text(func_name) }.unwrap_or_default();
        Ok(address_of(&name))
    });
    found.unwrap_or(std::ptr::null_mut())
}

/// The address of a function of a platform; null also when the platform, which must be named
/// here, is none.
///
/// # Safety
/// `func_name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    let found = caught(|| {
        crate::ffi::ensure!(!platform.is_null(), CL_INVALID_PLATFORM);
        platform::find_platform(platform)?;
        // SAFETY: the caller vouches for its string.
        let name = unsafe { raw::text(func_name) }.unwrap_or_default();
        Ok(address_of(&name))
    });
    found.unwrap_or(std::ptr::null_mut())
}
