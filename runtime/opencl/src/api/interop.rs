//! Entry points of extensions that are in the ICD dispatch table but not supported:
//! OpenGL, EGL, Direct3D, DirectX 9 media and device fission. A loader may call through
//! any slot of the table, so each has a function that says so.

use std::ffi::c_void;

use opencl_sys::cl_d3d10::*;
use opencl_sys::cl_d3d11::*;
use opencl_sys::cl_dx9_media_sharing::*;
use opencl_sys::cl_egl::*;
use opencl_sys::*;

use crate::context::Context;
use crate::ffi::Error;
use crate::ffi::entry::entry_points;
use crate::memory::MemObject;
use crate::queue::Queue;
use crate::{object, platform};

entry_points! {
    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromGLBuffer(
        context: cl_context,
        _flags: cl_mem_flags,
        _bufobj: cl_GLuint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromGLTexture2D(
        context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _miplevel: cl_GLint,
        _texture: cl_GLuint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromGLTexture3D(
        context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _miplevel: cl_GLint,
        _texture: cl_GLuint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromGLRenderbuffer(
        context: cl_context,
        _flags: cl_mem_flags,
        _renderbuffer: cl_GLuint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Asks about another API.
    status fn clGetGLObjectInfo(
        memobj: cl_mem,
        _gl_object_type: *mut cl_gl_object_type,
        _gl_object_name: *mut cl_GLuint,
    ) {
        MemObject::find(memobj)?;
        Err(Error(CL_INVALID_GL_OBJECT))
    }

    /// Asks about another API.
    status fn clGetGLTextureInfo(
        memobj: cl_mem,
        _param_name: cl_gl_texture_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) {
        MemObject::find(memobj)?;
        Err(Error(CL_INVALID_GL_OBJECT))
    }

    /// Acquires objects of another API.
    status fn clEnqueueAcquireGLObjects(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Releases objects of another API.
    status fn clEnqueueReleaseGLObjects(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Asks about another API.
    status fn clGetGLContextInfoKHR(
        _properties: *const cl_context_properties,
        _param_name: cl_gl_context_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) {
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Asks about another API.
    status fn clGetDeviceIDsFromD3D10KHR(
        platform: cl_platform_id,
        _d3d_device_source: cl_d3d10_device_source_khr,
        _d3d_object: *mut c_void,
        _d3d_device_set: cl_d3d10_device_set_khr,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) {
        platform::find_platform(platform)?;
        Err(Error(CL_DEVICE_NOT_FOUND))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromD3D10BufferKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _resource: ID3D10Buffer_ptr,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromD3D10Texture2DKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _resource: ID3D10Texture2D_ptr,
        _subresource: cl_uint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromD3D10Texture3DKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _resource: ID3D10Texture3D_ptr,
        _subresource: cl_uint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Acquires objects of another API.
    status fn clEnqueueAcquireD3D10ObjectsKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Releases objects of another API.
    status fn clEnqueueReleaseD3D10ObjectsKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateEventFromGLsyncKHR(
        context: cl_context,
        _sync: cl_GLsync,
    ) -> cl_event {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromGLTexture(
        context: cl_context,
        _flags: cl_mem_flags,
        _target: cl_GLenum,
        _miplevel: cl_GLint,
        _texture: cl_GLuint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Asks about another API.
    status fn clGetDeviceIDsFromD3D11KHR(
        platform: cl_platform_id,
        _d3d_device_source: cl_d3d11_device_source_khr,
        _d3d_object: *mut c_void,
        _d3d_device_set: cl_d3d11_device_set_khr,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) {
        platform::find_platform(platform)?;
        Err(Error(CL_DEVICE_NOT_FOUND))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromD3D11BufferKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _resource: ID3D11Buffer_ptr,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromD3D11Texture2DKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _resource: ID3D11Texture2D_ptr,
        _subresource: cl_uint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromD3D11Texture3DKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _resource: ID3D11Texture3D_ptr,
        _subresource: cl_uint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromDX9MediaSurfaceKHR(
        context: cl_context,
        _flags: cl_mem_flags,
        _adapter_type: cl_dx9_media_adapter_type_khr,
        _surface_info: *mut c_void,
        _plane: cl_uint,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Acquires objects of another API.
    status fn clEnqueueAcquireD3D11ObjectsKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Releases objects of another API.
    status fn clEnqueueReleaseD3D11ObjectsKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Asks about another API.
    status fn clGetDeviceIDsFromDX9MediaAdapterKHR(
        platform: cl_platform_id,
        _num_media_adapters: cl_uint,
        _media_adapter_type: *mut cl_dx9_media_adapter_type_khr,
        _media_adapters: *mut c_void,
        _media_adapter_set: cl_dx9_media_adapter_set_khr,
        _num_entries: cl_uint,
        _devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) {
        platform::find_platform(platform)?;
        Err(Error(CL_DEVICE_NOT_FOUND))
    }

    /// Acquires objects of another API.
    status fn clEnqueueAcquireDX9MediaSurfacesKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Releases objects of another API.
    status fn clEnqueueReleaseDX9MediaSurfacesKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateFromEGLImageKHR(
        context: cl_context,
        _egldisplay: CLeglDisplayKHR,
        _eglimage: CLeglImageKHR,
        _flags: cl_mem_flags,
        _properties: *const cl_egl_image_properties_khr,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Acquires objects of another API.
    status fn clEnqueueAcquireEGLObjectsKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Releases objects of another API.
    status fn clEnqueueReleaseEGLObjectsKHR(
        command_queue: cl_command_queue,
        _num_objects: cl_uint,
        _mem_objects: *const cl_mem,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an OpenCL object from one of another API.
    create fn clCreateEventFromEGLSyncKHR(
        context: cl_context,
        _sync: CLeglSyncKHR,
        _display: CLeglDisplayKHR,
    ) -> cl_event {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Partitions a device by the lists of cl_ext_device_fission, which is not supported:
    /// `clCreateSubDevices` is.
    status fn clCreateSubDevicesEXT(
        in_device: cl_device_id,
        _properties: *const cl_device_partition_property_ext,
        _num_entries: cl_uint,
        _out_devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) {
        super::device_of(in_device)?;
        Err(Error(CL_INVALID_VALUE))
    }

    /// Retains a device (cl_ext_device_fission).
    status fn clRetainDeviceEXT(
        device: cl_device_id,
    ) {
        super::device::retain(device)
    }

    /// Releases a device (cl_ext_device_fission).
    status fn clReleaseDeviceEXT(
        device: cl_device_id,
    ) {
        super::device::release(device)
    }
}
