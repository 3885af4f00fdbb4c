//! Memory objects of any kind (`opencl_runtime_layer`, Memory Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Latitude, takes};

use super::entry::entry_points;
use crate::callback::UserData;
use crate::destructors::DestructorFn;
use crate::ffi::{Error, ensure, raw};
use crate::memory::{MemObject, rubbish};
use crate::queue::command::{Action, Kind};

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
        memobj: cl_mem, pfn_notify: Option<DestructorFn>, user_data: *mut c_void,
    ) {
        let object = MemObject::find(memobj)?;
        let notify = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        object.on_destruction(notify, UserData::new(user_data));
        Ok(())
    }

    /// Answers a query about a memory object.
    query fn clGetMemObjectInfo(memobj: cl_mem, param_name: cl_mem_info) {
        MemObject::find(memobj)?.info(param_name)
    }

    /// Migrates memory objects: a command that has nothing to move, but where memories are apart.
    status fn clEnqueueMigrateMemObjects(
        num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_mem_migration_flags,
    ) |queue, tail| {
        ensure!(num_mem_objects != 0 && !mem_objects.is_null(), CL_INVALID_VALUE);
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        ensure!(flags & !known == 0, CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the length.
        let handles = unsafe { raw::slice(mem_objects, num_mem_objects as usize) };
        let mut held: Vec<MemObject> = Vec::with_capacity(handles.len());
        for &handle in handles {
            let object = MemObject::find(handle)?;
            ensure!(Arc::ptr_eq(object.context(), &queue.context), CL_INVALID_CONTEXT);
            object.prepare(&queue.device)?;
            held.push(object);
        }
        let list = tail.wait_list(&queue.context)?;
        let undefined = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED != 0;
        let action: Action = Box::new(move |_| {
            for object in held {
                let store = object.store();
                // A pipe stays one without packets that anybody knows.
                let is_pipe = matches!(object, MemObject::Pipe(_));
                if undefined && !is_pipe && takes(Latitude::FreshMemoryRubbish) {
                    // SAFETY: the object is alive, and what is in it is given up.
                    unsafe { rubbish::fill(store.start_mut(), store.size()) };
                } else {
                    store.start();
                }
            }
            Ok(())
        });
        tail.enqueue(&queue, Kind::MigrateMemObjects, list, action)
    }
}
