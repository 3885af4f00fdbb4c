//! Kernels and their arguments.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::kernel::*;

use crate::table::{Refusal, refused, room, to};

pub fn cases() -> Vec<Refusal> {
    let mut all = setting();
    all.extend(asking());
    all
}

fn setting() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateKernel {
            (zoo.kernel, c"k".as_ptr()) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object.";
            (zoo.source, c"k".as_ptr()) CL_INVALID_PROGRAM_EXECUTABLE
                "if there is no successfully built executable for _program_.";
            (zoo.compiled, c"k".as_ptr()) CL_INVALID_PROGRAM_EXECUTABLE
                "if there is no successfully built executable for _program_.";
            (zoo.program, c"no_such".as_ptr()) CL_INVALID_KERNEL_NAME
                "if _kernel_name_ is not found in _program_.";
            (zoo.program, c"".as_ptr()) CL_INVALID_KERNEL_NAME
                "if _kernel_name_ is not found in _program_.";
            (zoo.program, null()) CL_INVALID_VALUE "if _kernel_name_ is `NULL`.";
        }
        status clCreateKernelsInProgram {
            (zoo.kernel, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object.";
            (zoo.source, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM_EXECUTABLE
                "if there is no successfully built executable for any device in _program_.";
            (zoo.program, 1, [null_mut(); 2].as_mut_ptr(), &mut 0) CL_INVALID_VALUE
                "if _kernels_ is not `NULL` and _num_kernels_ is less than the number of kernels in _program_.";
        }
        create clCloneKernel {
            (zoo.program) CL_INVALID_KERNEL "if _kernel_ is not a valid kernel object.";
        }
        status clRetainKernel {
            (zoo.program) CL_INVALID_KERNEL "if _kernel_ is not a valid kernel object.";
        }
        status clReleaseKernel {
            (null_mut()) CL_INVALID_KERNEL "if _kernel_ is not a valid kernel object.";
        }
        status clSetKernelArg {
            (zoo.program, 0, 8, to(&zoo.buffer)) CL_INVALID_KERNEL
                "if _kernel_ is not a valid kernel";
            (zoo.kernel, 4, 4, to(&0u32)) CL_INVALID_ARG_INDEX
                "if _arg_index_ is not a valid argument index";
            (zoo.kernel, u32::MAX, 4, to(&0u32)) CL_INVALID_ARG_INDEX
                "if _arg_index_ is not a valid argument index";
            (zoo.kernel, 0, 8, to(&zoo.foreign_buffer)) CL_INVALID_CONTEXT
                "if the context associated with _kernel_ and an OpenCL object pointed to by _arg_value_ are not the same";
            (zoo.kernel, 0, 8, to(&zoo.context)) CL_INVALID_MEM_OBJECT
                "if _arg_value_ is not `NULL`, and does not point to `NULL`, and does not point to a valid memory object";
            (zoo.kernel, 0, 8, to(&zoo.plane)) CL_INVALID_MEM_OBJECT
                "if _arg_value_ points to a valid memory object, but the memory object is not valid for the kernel argument specified by _arg_index_";
            (zoo.kernel, 3, 8, to(&zoo.sampler)) CL_INVALID_MEM_OBJECT
                "if _arg_value_ is not `NULL`, and does not point to `NULL`, and does not point to a valid memory object";
            (zoo.kernel, 0, 4, to(&zoo.buffer)) CL_INVALID_ARG_SIZE
                "if _arg_value_ points to a memory object and _arg_size_ is not equal to";
            (zoo.kernel, 2, 0, null()) CL_INVALID_ARG_SIZE
                "if the kernel argument is a pointer to the `local` address space and _arg_size_ is zero.";
            (zoo.kernel, 1, 8, to(&0u64)) CL_INVALID_ARG_SIZE
                "if _arg_value_ points to the data to be used as the kernel argument value and _arg_size_ does not match the size of the data type for the argument";
            (zoo.kernel, 1, 0, to(&0u64)) CL_INVALID_ARG_SIZE
                "if _arg_value_ points to the data to be used as the kernel argument value and _arg_size_ does not match the size of the data type for the argument";
        }
        status clSetKernelArgSVMPointer {
            (zoo.program, 0, zoo.shared(0)) CL_INVALID_KERNEL
                "if _kernel_ is not a valid kernel object.";
            (zoo.kernel, 4, zoo.shared(0)) CL_INVALID_ARG_INDEX
                "if _arg_index_ is not a valid argument index.";
            (zoo.kernel, 1, zoo.shared(0)) CL_INVALID_ARG_VALUE
                "if _arg_value_ specified is not a valid value.";
            (zoo.kernel, 2, zoo.shared(0)) CL_INVALID_ARG_VALUE
                "if _arg_value_ specified is not a valid value.";
        }
        status clSetKernelExecInfo {
            (zoo.program, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, to(&zoo.svm)) CL_INVALID_KERNEL
                "if _kernel_ is a not a valid kernel object.";
            (zoo.kernel, 0, 8, to(&zoo.svm)) CL_INVALID_VALUE
                "if _param_name_ is not valid, if _param_value_ is `NULL` and _param_value_size_ is greater than zero, or if the size specified by _param_value_size_ is not valid.";
            (zoo.kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, null()) CL_INVALID_VALUE
                "if _param_name_ is not valid, if _param_value_ is `NULL` and _param_value_size_ is greater than zero, or if the size specified by _param_value_size_ is not valid.";
            (zoo.kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, to(&zoo.svm)) CL_INVALID_VALUE
                "if _param_name_ is not valid, if _param_value_ is `NULL` and _param_value_size_ is greater than zero, or if the size specified by _param_value_size_ is not valid.";
            (zoo.kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, to(&CL_FALSE)) CL_INVALID_VALUE
                "if _param_name_ is not valid, if _param_value_ is `NULL` and _param_value_size_ is greater than zero, or if the size specified by _param_value_size_ is not valid.";
        }
    }
}

fn asking() -> Vec<Refusal> {
    refused! { zoo:
        status clGetKernelInfo {
            (zoo.program, CL_KERNEL_CONTEXT, 0, null_mut(), &mut 0) CL_INVALID_KERNEL
                "if _kernel_ is a not a valid kernel object.";
            (zoo.kernel, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.kernel, CL_KERNEL_CONTEXT, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
        }
        status clGetKernelArgInfo {
            (zoo.program, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut 0) CL_INVALID_KERNEL
                "if _kernel_ is a not a valid kernel object.";
            (zoo.kernel, 4, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut 0) CL_INVALID_ARG_INDEX
                "if _arg_index_ is not a valid argument index.";
            (zoo.kernel, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut 0) CL_KERNEL_ARG_INFO_NOT_AVAILABLE
                "if the argument information is not available for kernel.";
        }
        status clGetKernelWorkGroupInfo {
            (zoo.program, zoo.device, CL_KERNEL_WORK_GROUP_SIZE, 0, null_mut(), &mut 0) CL_INVALID_KERNEL
                "if _kernel_ is a not a valid kernel object.";
            (zoo.kernel, zoo.other_device, CL_KERNEL_WORK_GROUP_SIZE, 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not in the list of devices associated with _kernel_ or if _device_ is `NULL` but there is more than one device associated with _kernel_.";
            (zoo.foreign_kernel, null_mut(), CL_KERNEL_WORK_GROUP_SIZE, 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not in the list of devices associated with _kernel_ or if _device_ is `NULL` but there is more than one device associated with _kernel_.";
            (zoo.kernel, zoo.device, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.kernel, zoo.device, CL_KERNEL_WORK_GROUP_SIZE, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
            (zoo.kernel, zoo.device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is {CL_KERNEL_GLOBAL_WORK_SIZE} and _kernel_ is not a built-in kernel.";
        }
        status clGetKernelSubGroupInfo {
            (zoo.program, zoo.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, null(), 0, null_mut(), &mut 0) CL_INVALID_KERNEL
                "if _kernel_ is a not a valid kernel object.";
            (zoo.kernel, zoo.other_device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, null(), 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not in the list of devices associated with _kernel_ or if _device_ is `NULL` but there is more than one device associated with _kernel_.";
            (zoo.kernel, zoo.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, null(), 0, null_mut(), &mut 0) CL_INVALID_OPERATION
                "if _device_ does not support sub-groups.";
        }
        status clGetKernelSubGroupInfoKHR {
            (zoo.kernel, zoo.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, null(), 0, null_mut(), &mut 0) CL_INVALID_OPERATION
                "if _device_ does not support sub-groups.";
        }
    }
}
