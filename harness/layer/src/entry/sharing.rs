//! Objects shared with OpenGL and EGL, and device fission: extensions with a place in the dispatch table.

use super::find;
use super::forward::entry_points;
use libc::{c_void, size_t};
use opencl_sys::cl_egl::*;
use opencl_sys::*;

entry_points! {
    clCreateFromGLBuffer(
        context: cl_context,
        flags: cl_mem_flags,
        bufobj: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateFromGLTexture2D(
        context: cl_context,
        flags: cl_mem_flags,
        target: cl_GLenum,
        miplevel: cl_GLint,
        texture: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateFromGLTexture3D(
        context: cl_context,
        flags: cl_mem_flags,
        target: cl_GLenum,
        miplevel: cl_GLint,
        texture: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateFromGLRenderbuffer(
        context: cl_context,
        flags: cl_mem_flags,
        renderbuffer: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clGetGLObjectInfo(
        memobj: cl_mem,
        gl_object_type: *mut cl_gl_object_type,
        gl_object_name: *mut cl_GLuint,
    ) -> cl_int,
        by object(memobj, CL_INVALID_MEM_OBJECT);
    clGetGLTextureInfo(
        memobj: cl_mem,
        param_name: cl_gl_texture_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(memobj, CL_INVALID_MEM_OBJECT);
    clEnqueueAcquireGLObjects(
        command_queue: cl_command_queue,
        num_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        command(command_queue, num_events_in_wait_list, event_wait_list, event);
    clEnqueueReleaseGLObjects(
        command_queue: cl_command_queue,
        num_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        command(command_queue, num_events_in_wait_list, event_wait_list, event);
    clGetGLContextInfoKHR(
        properties: *const cl_context_properties,
        param_name: cl_gl_context_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by properties(properties);
    clCreateSubDevicesEXT(
        in_device: cl_device_id,
        properties: *const cl_device_partition_property_ext,
        num_entries: cl_uint,
        out_devices: *mut cl_device_id,
        num_devices: *mut cl_uint,
    ) -> cl_int,
        by object(in_device, CL_INVALID_DEVICE);
    clRetainDeviceEXT(
        device: cl_device_id,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE);
    clReleaseDeviceEXT(
        device: cl_device_id,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE);
    clCreateEventFromGLsyncKHR(
        context: cl_context,
        sync: cl_GLsync,
        errcode_ret: *mut cl_int,
    ) -> cl_event,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateFromGLTexture(
        context: cl_context,
        flags: cl_mem_flags,
        target: cl_GLenum,
        miplevel: cl_GLint,
        texture: cl_GLuint,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateFromEGLImageKHR(
        context: cl_context,
        egldisplay: CLeglDisplayKHR,
        eglimage: CLeglImageKHR,
        flags: cl_mem_flags,
        properties: *const cl_egl_image_properties_khr,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clEnqueueAcquireEGLObjectsKHR(
        command_queue: cl_command_queue,
        num_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        command(command_queue, num_events_in_wait_list, event_wait_list, event);
    clEnqueueReleaseEGLObjectsKHR(
        command_queue: cl_command_queue,
        num_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        command(command_queue, num_events_in_wait_list, event_wait_list, event);
    clCreateEventFromEGLSyncKHR(
        context: cl_context,
        sync: CLeglSyncKHR,
        display: CLeglDisplayKHR,
        errcode_ret: *mut cl_int,
    ) -> cl_event,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
}
