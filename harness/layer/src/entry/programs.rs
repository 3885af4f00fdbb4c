//! Programs and kernels.

use super::find;
use super::forward::entry_points;
use crate::faults::{kernels, source, sync};
use libc::{c_char, c_void, size_t};
use opencl_sys::*;

entry_points! {
    clCreateProgramWithSource(
        context: cl_context,
        count: cl_uint,
        strings: *mut *const c_char,
        lengths: *const size_t,
        errcode_ret: *mut cl_int,
    ) -> cl_program,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        hook source::create_program_with_source;
    clCreateProgramWithBinary(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        lengths: *const size_t,
        binaries: *mut *const libc::c_uchar,
        binary_status: *mut cl_int,
        errcode_ret: *mut cl_int,
    ) -> cl_program,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clRetainProgram(
        program: cl_program,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clReleaseProgram(
        program: cl_program,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM),
        hook sync::release;
    clBuildProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)>,
        user_data: *mut c_void,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clGetProgramInfo(
        program: cl_program,
        param_name: cl_program_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clGetProgramBuildInfo(
        program: cl_program,
        device: cl_device_id,
        param_name: cl_program_build_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clCreateKernel(
        program: cl_program,
        kernel_name: *const c_char,
        errcode_ret: *mut cl_int,
    ) -> cl_kernel,
        by object(program, CL_INVALID_PROGRAM),
        errcode errcode_ret;
    clCreateKernelsInProgram(
        program: cl_program,
        num_kernels: cl_uint,
        kernels: *mut cl_kernel,
        num_kernels_ret: *mut cl_uint,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clRetainKernel(
        kernel: cl_kernel,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL);
    clReleaseKernel(
        kernel: cl_kernel,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL),
        hook sync::release_kernel;
    clSetKernelArg(
        kernel: cl_kernel,
        arg_index: cl_uint,
        arg_size: size_t,
        arg_value: *const c_void,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL),
        hook kernels::set_argument;
    clGetKernelInfo(
        kernel: cl_kernel,
        param_name: cl_kernel_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL);
    clGetKernelWorkGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_work_group_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL);
    clCreateProgramWithBuiltInKernels(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        kernel_names: *const c_char,
        errcode_ret: *mut cl_int,
    ) -> cl_program,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        hook kernels::built_in;
    clCompileProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        num_input_headers: cl_uint,
        input_headers: *const cl_program,
        header_include_names: *mut *const c_char,
        pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)>,
        user_data: *mut c_void,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clLinkProgram(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        num_input_programs: cl_uint,
        input_programs: *const cl_program,
        pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)>,
        user_data: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_program,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clUnloadPlatformCompiler(
        platform: cl_platform_id,
    ) -> cl_int,
        by object(platform, CL_INVALID_PLATFORM);
    clGetKernelArgInfo(
        kernel: cl_kernel,
        arg_index: cl_uint,
        param_name: cl_kernel_arg_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL);
    clSetKernelArgSVMPointer(
        kernel: cl_kernel,
        arg_index: cl_uint,
        arg_value: *const c_void,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL),
        hook kernels::set_pointer;
    clSetKernelExecInfo(
        kernel: cl_kernel,
        param_name: cl_kernel_exec_info,
        param_value_size: size_t,
        param_value: *const c_void,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL);
    clGetKernelSubGroupInfoKHR(
        in_kernel: cl_kernel,
        in_device: cl_device_id,
        param_name: cl_kernel_sub_group_info,
        input_value_size: size_t,
        input_value: *const c_void,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(in_kernel, CL_INVALID_KERNEL);
    clCloneKernel(
        source_kernel: cl_kernel,
        errcode_ret: *mut cl_int,
    ) -> cl_kernel,
        by object(source_kernel, CL_INVALID_KERNEL),
        errcode errcode_ret,
        hook kernels::clone;
    clCreateProgramWithIL(
        context: cl_context,
        il: *const c_void,
        length: size_t,
        errcode_ret: *mut cl_int,
    ) -> cl_program,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        hook source::create_program_with_il;
    clGetKernelSubGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_sub_group_info,
        input_value_size: size_t,
        input_value: *const c_void,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(kernel, CL_INVALID_KERNEL);
    clSetProgramReleaseCallback(
        program: cl_program,
        pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)>,
        user_data: *mut c_void,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clSetProgramSpecializationConstant(
        program: cl_program,
        spec_id: cl_uint,
        spec_size: size_t,
        spec_value: *const c_void,
    ) -> cl_int,
        by object(program, CL_INVALID_PROGRAM);
    clGetKernelSuggestedLocalWorkSize(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        suggested_local_work_size: *mut usize,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE);
}
