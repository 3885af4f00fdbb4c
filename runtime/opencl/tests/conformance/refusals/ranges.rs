//! Running kernels.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::range::*;

use crate::table::{Refusal, refused};

unsafe extern "C" fn native(_: *mut std::ffi::c_void) {}

pub fn cases() -> Vec<Refusal> {
    refused! { zoo:
        status clEnqueueNDRangeKernel {
            (zoo.context, zoo.kernel, 1, null(), &8, null(), 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.program, 1, null(), &8, null(), 0, null(), null_mut()) CL_INVALID_KERNEL
                "if _kernel_ is not a valid kernel";
            (zoo.queue, zoo.foreign_kernel, 1, null(), &8, null(), 0, null(), null_mut()) CL_INVALID_CONTEXT
                "if the context associated with _command_queue_ and _kernel_ are not the same";
            (zoo.queue, zoo.bare, 1, null(), &8, null(), 0, null(), null_mut()) CL_INVALID_KERNEL_ARGS
                "if any kernel arguments for _kernel_ have not been set";
            (zoo.queue, zoo.kernel, 0, null(), &8, null(), 0, null(), null_mut()) CL_INVALID_WORK_DIMENSION
                "if _work_dim_ is not valid for the device associated with _command_queue_";
            (zoo.queue, zoo.kernel, 4, null(), [8; 4].as_ptr(), null(), 0, null(), null_mut()) CL_INVALID_WORK_DIMENSION
                "if _work_dim_ is not valid for the device associated with _command_queue_";
            (zoo.queue, zoo.kernel, 1, &usize::MAX, &8, null(), 0, null(), null_mut()) CL_INVALID_GLOBAL_OFFSET
                "if the value specified in _global_work_size_ plus the corresponding value in _global_work_offset_ for any dimensions is greater than the maximum value representable by {size_t_TYPE} on the device associated with _command_queue_";
            (zoo.queue, zoo.kernel, 1, null(), &8, &0, 0, null(), null_mut()) CL_INVALID_WORK_GROUP_SIZE
                "if _local_work_size_ is not `NULL` and if the total number of work-items in the work-group is zero";
            (zoo.queue, zoo.kernel, 1, null(), &9, &4, 0, null(), null_mut()) CL_INVALID_WORK_GROUP_SIZE
                "if _local_work_size_ is not `NULL`, if the work-group size must be uniform, and if the _global_work_size_ is not evenly divisible by the _local_work_size_";
            (zoo.queue, zoo.kernel, 2, null(), [1024, 2].as_ptr(), [1024, 2].as_ptr(), 0, null(), null_mut()) CL_INVALID_WORK_GROUP_SIZE
                "is greater than the maximum work-group size supported for _kernel_ on the device associated with _command_queue_";
            (zoo.queue, zoo.eight, 1, null(), &16, &4, 0, null(), null_mut()) CL_INVALID_WORK_GROUP_SIZE
                "if _local_work_size_ is not `NULL` and if the _local_work_size_ does not match the required work-group size for _kernel_";
            (zoo.queue, zoo.kernel, 1, null(), &4096, &2048, 0, null(), null_mut()) CL_INVALID_WORK_ITEM_SIZE
                "if the number of work-items specified in any dimension of _local_work_size_ is not valid for the device associated with _command_queue_";
        }
        status clEnqueueTask {
            (zoo.context, zoo.kernel, 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, zoo.program, 0, null(), null_mut()) CL_INVALID_KERNEL
                "if _kernel_ is not a valid kernel object.";
            (zoo.queue, zoo.foreign_kernel, 0, null(), null_mut()) CL_INVALID_CONTEXT
                "if context associated with _command_queue_ and _kernel_ are not the same";
            (zoo.queue, zoo.bare, 0, null(), null_mut()) CL_INVALID_KERNEL_ARGS
                "if the kernel argument values have not been specified.";
            (zoo.queue, zoo.eight, 0, null(), null_mut()) CL_INVALID_WORK_GROUP_SIZE
                "if a work-group size is specified for _kernel_ in the program source and it is not (1, 1, 1).";
        }
        status clGetKernelSuggestedLocalWorkSize {
            (zoo.context, zoo.kernel, 1, null(), &8, &mut 0) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.program, 1, null(), &8, &mut 0) CL_INVALID_KERNEL
                "if _kernel_ is not a valid kernel";
            (zoo.queue, zoo.foreign_kernel, 1, null(), &8, &mut 0) CL_INVALID_CONTEXT
                "if the context associated with _command_queue_ and _kernel_ are not the same";
            (zoo.queue, zoo.bare, 1, null(), &8, &mut 0) CL_INVALID_KERNEL_ARGS
                "if any kernel arguments for _kernel_ have not been set";
            (zoo.queue, zoo.kernel, 0, null(), &8, &mut 0) CL_INVALID_WORK_DIMENSION
                "if _work_dim_ is not valid for the device associated with _command_queue_";
            (zoo.queue, zoo.kernel, 4, null(), [8; 4].as_ptr(), [0; 4].as_mut_ptr()) CL_INVALID_WORK_DIMENSION
                "if _work_dim_ is not valid for the device associated with _command_queue_";
            (zoo.queue, zoo.kernel, 1, &usize::MAX, &8, &mut 0) CL_INVALID_GLOBAL_OFFSET
                "if the value specified in _global_work_size_ plus the corresponding value in _global_work_offset_ for any dimensions is greater than the maximum value representable by {size_t_TYPE} on the device associated with _command_queue_";
            (zoo.queue, zoo.kernel, 1, null(), null(), &mut 0) CL_INVALID_GLOBAL_WORK_SIZE
                "if _global_work_size_ is `NULL`";
            (zoo.queue, zoo.kernel, 2, null(), [8, 0].as_ptr(), [0; 2].as_mut_ptr()) CL_INVALID_GLOBAL_WORK_SIZE
                "if any of the values specified in _global_work_size_[0], ... _global_work_size_[_work_dim_ - 1] are zero";
            (zoo.queue, zoo.kernel, 1, null(), &8, null_mut()) CL_INVALID_VALUE
                "if _suggested_local_work_size_ is `NULL`";
        }
        status clGetKernelSuggestedLocalWorkSizeKHR {
            (zoo.queue, zoo.kernel, 1, null(), &8, null_mut()) CL_INVALID_VALUE
                "if _suggested_local_work_size_ is `NULL`";
        }
        status clEnqueueNativeKernel {
            (zoo.context, Some(native), null_mut(), 0, 0, null(), null_mut(), 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, None, null_mut(), 0, 0, null(), null_mut(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _user_func_ is `NULL`.";
            (zoo.queue, Some(native), null_mut(), 8, 0, null(), null_mut(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _args_ is a `NULL` value and _cb_args_ > 0, or if _args_ is a `NULL` value and _num_mem_objects_ > 0.";
            (zoo.queue, Some(native), null_mut(), 0, 1, &zoo.buffer, &mut null(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _args_ is a `NULL` value and _cb_args_ > 0, or if _args_ is a `NULL` value and _num_mem_objects_ > 0.";
            (zoo.queue, Some(native), zoo.shared(0), 0, 0, null(), null_mut(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _args_ is not `NULL` and _cb_args_ is 0.";
            (zoo.queue, Some(native), zoo.shared(0), 8, 1, null(), &mut zoo.shared(0).cast_const(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _num_mem_objects_ > 0 and _mem_list_ or _args_mem_loc_ are `NULL`.";
            (zoo.queue, Some(native), zoo.shared(0), 8, 1, &zoo.buffer, null_mut(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _num_mem_objects_ > 0 and _mem_list_ or _args_mem_loc_ are `NULL`.";
            (zoo.queue, Some(native), zoo.shared(0), 8, 0, &zoo.buffer, null_mut(), 0, null(), null_mut()) CL_INVALID_VALUE
                "if _num_mem_objects_ = 0 and _mem_list_ or _args_mem_loc_ are not `NULL`.";
            (zoo.queue, Some(native), zoo.shared(0), 8, 1, &zoo.plane, &mut zoo.shared(0).cast_const(), 0, null(), null_mut()) CL_INVALID_MEM_OBJECT
                "if one or more memory objects specified in _mem_list_ are not valid or are not buffer objects.";
        }
    }
}
