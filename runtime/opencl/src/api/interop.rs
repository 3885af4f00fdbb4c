//! Entry points of extensions that are in the ICD dispatch table but not supported:
//! OpenGL, EGL, Direct3D, DirectX 9 media and device fission. A loader may call through
//! any slot of the table, so each has a function that says so.

use std::ffi::c_void;

use opencl_sys::cl_d3d10::*;
use opencl_sys::cl_d3d11::*;
use opencl_sys::cl_dx9_media_sharing::*;
use opencl_sys::cl_egl::*;
use opencl_sys::*;

use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::Error;
use crate::ffi::entry::{created, status};
use crate::memory::MemObject;
use crate::queue::Queue;
use crate::{object, platform};

/// Functions that make an object from one of another API.
macro_rules! cannot_create {
    ($($name:ident($($ty:ty),*) -> $made:ty;)*) => {$(
        /// Makes an OpenCL object from one of another API.
        ///
        /// # Safety
        /// Every pointer is null or what the OpenCL specification demands of it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            context: cl_context, $(_: $ty,)* errcode_ret: *mut cl_int,
        ) -> $made {
            let refuse = || {
                object::find::<Context>(context)?;
                Err(Error(CL_INVALID_OPERATION))
            };
            // SAFETY: the caller passes null or a valid pointer for the error code.
            unsafe { created(errcode_ret, refuse) }
        }
    )*};
}

cannot_create! {
    clCreateFromGLBuffer(cl_mem_flags, cl_GLuint) -> cl_mem;
    clCreateFromGLTexture2D(cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint) -> cl_mem;
    clCreateFromGLTexture3D(cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint) -> cl_mem;
    clCreateFromGLTexture(cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint) -> cl_mem;
    clCreateFromGLRenderbuffer(cl_mem_flags, cl_GLuint) -> cl_mem;
    clCreateFromD3D10BufferKHR(cl_mem_flags, ID3D10Buffer_ptr) -> cl_mem;
    clCreateFromD3D10Texture2DKHR(cl_mem_flags, ID3D10Texture2D_ptr, cl_uint) -> cl_mem;
    clCreateFromD3D10Texture3DKHR(cl_mem_flags, ID3D10Texture3D_ptr, cl_uint) -> cl_mem;
    clCreateFromD3D11BufferKHR(cl_mem_flags, ID3D11Buffer_ptr) -> cl_mem;
    clCreateFromD3D11Texture2DKHR(cl_mem_flags, ID3D11Texture2D_ptr, cl_uint) -> cl_mem;
    clCreateFromD3D11Texture3DKHR(cl_mem_flags, ID3D11Texture3D_ptr, cl_uint) -> cl_mem;
    clCreateFromDX9MediaSurfaceKHR(
        cl_mem_flags, cl_dx9_media_adapter_type_khr, *mut c_void, cl_uint
    ) -> cl_mem;
    clCreateFromEGLImageKHR(
        CLeglDisplayKHR, CLeglImageKHR, cl_mem_flags, *const cl_egl_image_properties_khr
    ) -> cl_mem;
    clCreateEventFromGLsyncKHR(cl_GLsync) -> cl_event;
    clCreateEventFromEGLSyncKHR(CLeglSyncKHR, CLeglDisplayKHR) -> cl_event;
}

/// Functions that check one handle and report that there is nothing behind their extension.
macro_rules! absent {
    ($(
        $check:path => $code:ident {
            $($name:ident($handle:ty $(, $ty:ty)*);)*
        }
    )*) => {$($(
        /// Checks its handle and reports that there is nothing behind the extension.
        ///
        /// # Safety
        /// None of the arguments is dereferenced.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: $handle, $(_: $ty),*) -> cl_int {
            status(|| {
                $check(handle)?;
                Err(Error($code))
            })
        }
    )*)*};
}

absent! {
    MemObject::find => CL_INVALID_GL_OBJECT {
        clGetGLObjectInfo(cl_mem, *mut cl_gl_object_type, *mut cl_GLuint);
        clGetGLTextureInfo(cl_mem, cl_gl_texture_info, usize, *mut c_void, *mut usize);
    }

    platform::find_platform => CL_DEVICE_NOT_FOUND {
        clGetDeviceIDsFromD3D10KHR(
            cl_platform_id, cl_d3d10_device_source_khr, *mut c_void, cl_d3d10_device_set_khr,
            cl_uint, *mut cl_device_id, *mut cl_uint
        );
        clGetDeviceIDsFromD3D11KHR(
            cl_platform_id, cl_d3d11_device_source_khr, *mut c_void, cl_d3d11_device_set_khr,
            cl_uint, *mut cl_device_id, *mut cl_uint
        );
        clGetDeviceIDsFromDX9MediaAdapterKHR(
            cl_platform_id, cl_uint, *mut cl_dx9_media_adapter_type_khr, *mut c_void,
            cl_dx9_media_adapter_set_khr, cl_uint, *mut cl_device_id, *mut cl_uint
        );
    }

    // The lists of cl_ext_device_fission are not those of `clCreateSubDevices`.
    super::device_of => CL_INVALID_VALUE {
        clCreateSubDevicesEXT(
            cl_device_id, *const cl_device_partition_property_ext, cl_uint, *mut cl_device_id,
            *mut cl_uint
        );
    }
}

/// Functions that acquire or release objects of another API.
macro_rules! cannot_enqueue {
    ($($name:ident)*) => {
        absent! {
            object::find::<Queue> => CL_INVALID_OPERATION {$(
                $name(
                    cl_command_queue, cl_uint, *const cl_mem, cl_uint, *const cl_event,
                    *mut cl_event
                );
            )*}
        }
    };
}

cannot_enqueue! {
    clEnqueueAcquireGLObjects clEnqueueReleaseGLObjects
    clEnqueueAcquireD3D10ObjectsKHR clEnqueueReleaseD3D10ObjectsKHR
    clEnqueueAcquireD3D11ObjectsKHR clEnqueueReleaseD3D11ObjectsKHR
    clEnqueueAcquireDX9MediaSurfacesKHR clEnqueueReleaseDX9MediaSurfacesKHR
    clEnqueueAcquireEGLObjectsKHR clEnqueueReleaseEGLObjectsKHR
}

entry_points! {
    /// Asks about another API.
    status fn clGetGLContextInfoKHR(
        _properties: *const cl_context_properties, _param_name: cl_gl_context_info,
        _param_value_size: usize, _param_value: *mut c_void, _param_value_size_ret: *mut usize,
    ) {
        Err(Error(CL_INVALID_OPERATION))
    }
}
