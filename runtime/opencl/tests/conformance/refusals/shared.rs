//! Shared virtual memory.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::svm::*;

use crate::table::{Refusal, refused, to};
use crate::zoo::SIZE;

pub fn cases() -> Vec<Refusal> {
    refused! { zoo:
        status clEnqueueSVMFree {
            (zoo.context, 1, &mut zoo.shared(0), None, null_mut(), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, 0, &mut zoo.shared(0), None, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _num_svm_pointers_ is 0 and _svm_pointers_ is non-`NULL`, _or_ if _svm_pointers_ is `NULL` and _num_svm_pointers_ is not 0.";
            (zoo.queue, 1, null_mut(), None, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _num_svm_pointers_ is 0 and _svm_pointers_ is non-`NULL`, _or_ if _svm_pointers_ is `NULL` and _num_svm_pointers_ is not 0.";
        }
        status clEnqueueSVMMemcpy {
            (zoo.context, CL_TRUE, zoo.shared(0), zoo.shared(64), 8, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, CL_TRUE, null_mut(), zoo.shared(64), 8, 0, null(), null_mut())
                CL_INVALID_VALUE "if _dst_ptr_ is `NULL`";
            (zoo.queue, CL_TRUE, zoo.shared(0), null(), 8, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_ptr_ is `NULL`";
            (zoo.queue, CL_TRUE, zoo.shared(0), zoo.shared(64), 8, 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the copy operations is blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error";
            (zoo.queue, CL_TRUE, zoo.shared(0), zoo.shared(7), 8, 0, null(), null_mut())
                CL_MEM_COPY_OVERLAP "if the values specified for _dst_ptr_, _src_ptr_ and _size_ result in an overlapping copy";
            (zoo.queue, CL_TRUE, zoo.shared(7), zoo.shared(0), 8, 0, null(), null_mut())
                CL_MEM_COPY_OVERLAP "if the values specified for _dst_ptr_, _src_ptr_ and _size_ result in an overlapping copy";
        }
        status clEnqueueSVMMemFill {
            (zoo.context, zoo.shared(0), to(&0u64), 8, 64, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, null_mut(), to(&0u64), 8, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _svm_ptr_ is `NULL`";
            (zoo.queue, zoo.shared(4), to(&0u64), 8, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _svm_ptr_ is not aligned to _pattern_size_ bytes";
            (zoo.queue, zoo.shared(0), null(), 8, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_ is `NULL`";
            (zoo.queue, zoo.shared(0), to(&0u64), 0, 64, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_size_ is zero";
            (zoo.queue, zoo.shared(0), to(&0u64), 6, 60, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_size_ is not a power of two";
            (zoo.queue, zoo.shared(0), to(&[0u64; 32]), 256, 512, 0, null(), null_mut())
                CL_INVALID_VALUE "if _pattern_size_ is greater than 128";
            (zoo.queue, zoo.shared(0), to(&0u64), 8, 60, 0, null(), null_mut())
                CL_INVALID_VALUE "if _size_ is not a multiple of _pattern_size_";
        }
        status clEnqueueSVMMap {
            (zoo.context, CL_TRUE, CL_MAP_READ, zoo.shared(0), 8, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, CL_TRUE, CL_MAP_READ, null_mut(), 8, 0, null(), null_mut())
                CL_INVALID_VALUE "if _svm_ptr_ is `NULL`";
            (zoo.queue, CL_TRUE, CL_MAP_READ, zoo.shared(0), 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _size_ is zero";
            (zoo.queue, CL_TRUE, 1 << 9, zoo.shared(0), 8, 0, null(), null_mut())
                CL_INVALID_VALUE "if values specified in _map_flags_ are not valid";
            (zoo.queue, CL_TRUE, CL_MAP_READ, zoo.shared(0), 8, 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the map operations is blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error";
        }
        status clEnqueueSVMUnmap {
            (zoo.context, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _svm_ptr_ is `NULL`";
        }
        status clEnqueueSVMMigrateMem {
            (zoo.context, 1, &mut zoo.shared(0).cast_const(), null(), 0, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, 0, &mut zoo.shared(0).cast_const(), null(), 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _num_svm_pointers_ is zero";
            (zoo.queue, 1, null_mut(), null(), 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _svm_pointers_ is `NULL`";
            (zoo.queue, 1, &mut zoo.shared(0).cast_const(), null(), 1 << 9, 0, null(), null_mut())
                CL_INVALID_VALUE "if _flags_ is not zero and is not a valid combination of the values described in the <<migration-flags-table, Memory migration Flags>> table";
            (zoo.queue, 1, &mut zoo.shared(1).cast_const(), &SIZE, 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _sizes_[i] is non-zero and the memory range described by _svm_pointers_[i] and _sizes_[i] is not contained within an SVM allocation returned by {clSVMAlloc}";
        }
    }
}
