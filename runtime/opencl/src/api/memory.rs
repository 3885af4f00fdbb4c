//! Memory objects of any kind (`opencl_runtime_layer`, Memory Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::Tail;
use crate::callback::UserData;
use crate::ffi::entry::entry_points;
use crate::ffi::{Error, ensure, raw};
use crate::memory::destructors::DestructorFn;
use crate::memory::{MemObject, broken};
use crate::object;
use crate::queue::Queue;
use crate::queue::command::Kind;

entry_points! {
    /// Retains a memory object.
    status fn clRetainMemObject(memobj: cl_mem) {
        MemObject::retain(memobj)
    }

    /// Releases a memory object.
    status fn clReleaseMemObject(memobj: cl_mem) {
        MemObject::release(memobj)
    }

    /// Registers a callback for the deletion of a memory object.
    status fn clSetMemObjectDestructorCallback(
        memobj: cl_mem,
        pfn_notify: Option<DestructorFn>,
        user_data: *mut c_void,
    ) {
        let object = MemObject::find(memobj)?;
        let notify = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        object.on_destruction(notify, UserData::new(user_data));
        Ok(())
    }

    /// Answers a query about a memory object.
    status fn clGetMemObjectInfo(
        memobj: cl_mem,
        param_name: cl_mem_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) {
        let answer = MemObject::find(memobj)?.info(param_name)?;
        // SAFETY: the application vouches for its pointers.
        unsafe { answer.deliver(param_value_size, param_value, param_value_size_ret) }
    }

    /// Migrates memory objects: a command that has nothing to move.
    status fn clEnqueueMigrateMemObjects(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem,
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        let tail = Tail::new(num_events_in_wait_list, event_wait_list, event);
        let queue = object::find::<Queue>(command_queue)?;
        ensure!(num_mem_objects != 0 && !mem_objects.is_null(), CL_INVALID_VALUE);
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        ensure!(flags & !known == 0, CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the length.
        let handles = unsafe { raw::slice(mem_objects, num_mem_objects as usize) };
        let mut held: Vec<MemObject> = Vec::with_capacity(handles.len());
        for &handle in handles {
            let object = MemObject::find(handle)?;
            ensure!(Arc::ptr_eq(object.context(), &queue.context), CL_INVALID_CONTEXT);
            held.push(object);
        }
        // SAFETY: the application vouches for its wait list and its place for the event.
        unsafe {
            let list = tail.wait_list(&queue.context)?;
            let keeps = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED == 0;
            let action = Box::new(move || {
                if on(Fault::MigrateDiscards) && keeps {
                    held.iter().for_each(broken::clear);
                }
                drop(held);
                Ok(())
            });
            tail.enqueue(&queue, Kind::MigrateMemObjects, list, action)
        }
    }
}
