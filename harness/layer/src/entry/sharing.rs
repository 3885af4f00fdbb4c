//! Objects shared with OpenGL and EGL, and device fission: extensions with a place in the dispatch table.

use super::find;
use super::forward::entry_points;
use libc::{c_void, size_t};
use opencl_sys::cl_egl::*;
use opencl_sys::*;

entry_points! {
    object(context: cl_context, CL_INVALID_CONTEXT) {
        clCreateFromGLBuffer(flags: cl_mem_flags, bufobj: cl_GLuint) -> cl_mem,
            errcode(errcode_ret);
        clCreateFromGLTexture2D(
            flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint,
        ) -> cl_mem,
            errcode(errcode_ret);
        clCreateFromGLTexture3D(
            flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint,
        ) -> cl_mem,
            errcode(errcode_ret);
        clCreateFromGLRenderbuffer(flags: cl_mem_flags, renderbuffer: cl_GLuint) -> cl_mem,
            errcode(errcode_ret);
        clCreateEventFromGLsyncKHR(sync: cl_GLsync) -> cl_event, errcode(errcode_ret);
        clCreateFromGLTexture(
            flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint,
        ) -> cl_mem,
            errcode(errcode_ret);
        clCreateFromEGLImageKHR(
            egldisplay: CLeglDisplayKHR, eglimage: CLeglImageKHR, flags: cl_mem_flags,
            properties: *const cl_egl_image_properties_khr,
        ) -> cl_mem,
            errcode(errcode_ret);
        clCreateEventFromEGLSyncKHR(sync: CLeglSyncKHR, display: CLeglDisplayKHR) -> cl_event,
            errcode(errcode_ret);
    }
    object(memobj: cl_mem, CL_INVALID_MEM_OBJECT) {
        clGetGLObjectInfo(
            gl_object_type: *mut cl_gl_object_type, gl_object_name: *mut cl_GLuint,
        ) -> cl_int;
        clGetGLTextureInfo(
            param_name: cl_gl_texture_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int;
    }
    command(command_queue, num_events_in_wait_list, event_wait_list, event) {
        clEnqueueAcquireGLObjects(num_objects: cl_uint, mem_objects: *const cl_mem) -> cl_int;
        clEnqueueReleaseGLObjects(num_objects: cl_uint, mem_objects: *const cl_mem) -> cl_int;
        clEnqueueAcquireEGLObjectsKHR(num_objects: cl_uint, mem_objects: *const cl_mem) -> cl_int;
        clEnqueueReleaseEGLObjectsKHR(num_objects: cl_uint, mem_objects: *const cl_mem) -> cl_int;
    }
    other() {
        clGetGLContextInfoKHR(
            properties: *const cl_context_properties, param_name: cl_gl_context_info,
            param_value_size: size_t, param_value: *mut c_void, param_value_size_ret: *mut size_t,
        ) -> cl_int,
            by(properties) => find::properties;
    }
    object(in_device: cl_device_id, CL_INVALID_DEVICE) {
        clCreateSubDevicesEXT(
            properties: *const cl_device_partition_property_ext, num_entries: cl_uint,
            out_devices: *mut cl_device_id, num_devices: *mut cl_uint,
        ) -> cl_int;
        clRetainDeviceEXT() -> cl_int;
        clReleaseDeviceEXT() -> cl_int;
    }
}
