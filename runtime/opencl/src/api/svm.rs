//! Shared virtual memory (`opencl_runtime_layer`, Shared Virtual Memory).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, any, on};

use super::entry::entry_points;
use super::map::check_map_flags;
use super::transfer::pattern_of;
use crate::callback::UserData;
use crate::context::Context;
use crate::ffi::entry::caught;
use crate::ffi::raw::HostAddress;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::named;
use crate::object;
use crate::platform::capabilities;
use crate::queue::command::{Action, Failure, Kind};
use crate::queue::event::Event;

/// The callback of `clEnqueueSVMFree`, which frees in the application's stead.
pub type FreeFn = unsafe extern "C" fn(
    queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *mut c_void,
    user_data: *mut c_void,
);

/// Allocates shared virtual memory; null when that is impossible or an argument is wrong.
///
/// # Safety
/// None of the arguments is dereferenced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMAlloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    let allocated = caught(|| {
        let context = object::find::<Context>(context)?;
        let limit = context
            .devices
            .iter()
            .map(|device| device.limits.max_allocation);
        let limit = limit.min().unwrap_or(0);
        let start = context.svm.allocate(flags, size, alignment, limit);
        start.ok_or(Error(CL_MEM_OBJECT_ALLOCATION_FAILURE))
    });
    allocated.map_or(std::ptr::null_mut(), <*mut u8>::cast)
}

/// Frees shared virtual memory at once. Null and what is no allocation are ignored.
///
/// # Safety
/// No command that uses the memory is pending.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) {
    // There is no way to report an error from here.
    let _ = caught(|| {
        let context = object::find::<Context>(context)?;
        context.svm.free(svm_pointer as usize);
        Ok(())
    });
}

/// What copies memory, as often as it is asked to.
///
/// # Errors
/// `CL_INVALID_OPERATION` where there is no shared virtual memory, `CL_INVALID_VALUE` for null,
/// `CL_MEM_COPY_OVERLAP`.
fn copying(
    context: &Arc<Context>,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> Result<impl Fn(&Arc<Event>) -> std::result::Result<(), Failure> + Send + Sync + 'static> {
    capabilities::require_svm()?;
    ensure!(!to.is_null() && !from.is_null(), CL_INVALID_VALUE);
    let distance = (to as usize).abs_diff(from as usize);
    ensure!(distance >= size, CL_MEM_COPY_OVERLAP);
    let (from, to) = (HostAddress::new(from), HostAddress::new(to));
    let context = Arc::clone(context);
    Ok(move |_: &Arc<Event>| {
        let foreign = || context.svm.find(from.get() as usize).is_none();
        if on(Fault::SvmMemcpyFromHost) && foreign() {
            return Ok(());
        }
        let ends = [from.get() as usize, to.get() as usize];
        // SAFETY: the application vouches for both ranges until the command completes.
        let copy = || unsafe { named::copy(from.get(), to.get(), size) };
        context.svm.used(&ends, copy)?;
        context.svm.written(to.get() as usize);
        Ok(())
    })
}

entry_points! {
    /// Frees shared virtual memory in queue order.
    status fn clEnqueueSVMFree(
        num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void,
        pfn_free_func: Option<FreeFn>, user_data: *mut c_void,
    ) |queue, tail| {
        capabilities::require_svm()?;
        ensure!(svm_pointers.is_null() == (num_svm_pointers == 0), CL_INVALID_VALUE);
        // SAFETY: not null unless empty, and the application vouches for the length.
        let pointers = unsafe { raw::slice(svm_pointers, num_svm_pointers as usize) };
        let pointers: Vec<_> = pointers.iter().map(|&p| HostAddress::new(p)).collect();
        let list = tail.wait_list(&queue.context)?;
        let user_data = UserData::new(user_data);
        // A pending command keeps its queue alive through its event.
        let handle = HostAddress::new(object::handle(&queue));
        let context = std::sync::Arc::clone(&queue.context);
        let action: Action = Box::new(move |_| {
            match pfn_free_func {
                Some(free) => {
                    let mut list: Vec<_> = pointers.iter().map(|p| p.get().cast()).collect();
                    // SAFETY: the application gave this function for this purpose.
                    unsafe {
                        free(
                            handle.get().cast(),
                            list.len() as cl_uint,
                            list.as_mut_ptr(),
                            user_data.get(),
                        );
                    }
                }
                None => {
                    for pointer in pointers {
                        context.svm.free(pointer.get() as usize);
                    }
                }
            }
            Ok(())
        });
        tail.enqueue(&queue, Kind::SvmFree, list, action)
    }

    /// Copies memory.
    status fn clEnqueueSVMMemcpy(
        blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize,
    ) |queue, tail| {
        let action = copying(&queue.context, dst_ptr, src_ptr, size)?;
        let list = tail.wait_list(&queue.context)?;
        tail.blocking(blocking_copy).repeatable(&queue, Kind::SvmMemcpy, list, action)
    }

    /// Records a copy of memory.
    record fn clCommandSVMMemcpyKHR(dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize)
    |queue, tail| {
        let action = copying(&queue.context, dst_ptr, src_ptr, size)?;
        let list = tail.wait_list(&queue.context)?;
        tail.repeatable(&queue, Kind::SvmMemcpy, list, action)
    }

    /// Fills memory with a pattern.
    status fn clEnqueueSVMMemFill recorded clCommandSVMMemFillKHR(
        svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize,
    ) |queue, tail| {
        capabilities::require_svm()?;
        ensure!(!svm_ptr.is_null(), CL_INVALID_VALUE);
        // SAFETY: the application vouches for its pattern.
        let pattern = unsafe { pattern_of(pattern, pattern_size, svm_ptr as usize, size)? };
        let pattern = pattern.to_vec();
        let list = tail.wait_list(&queue.context)?;
        let to = HostAddress::new(svm_ptr);
        let context = std::sync::Arc::clone(&queue.context);
        let action = move |_: &Arc<Event>| {
            let start = to.get() as usize;
            // SAFETY: the application vouches for the range until the command completes.
            context.svm.used(&[start], || unsafe { named::fill(to.get(), size, &pattern) })?;
            context.svm.written(to.get() as usize);
            Ok(())
        };
        tail.repeatable(&queue, Kind::SvmMemFill, list, action)
    }

    /// Lets the host use a range; a command that is there for its place in the order.
    status fn clEnqueueSVMMap(
        blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void, size: usize,
    ) |queue, tail| {
        capabilities::require_svm()?;
        ensure!(!svm_ptr.is_null() && size != 0, CL_INVALID_VALUE);
        check_map_flags(flags)?;
        let tail = tail.blocking(blocking_map);
        let list = tail.wait_list(&queue.context)?;
        let context = std::sync::Arc::clone(&queue.context);
        let start = svm_ptr as usize;
        let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
        let action: Action = Box::new(move |_| {
            if any()
                && let Some(allocation) = context.svm.find(start)
            {
                if allocation.is_fine_grain() {
                    allocation.broken(|past, bytes| past.show(bytes));
                }
                let first = start - allocation.start();
                let range = (first, size.min(allocation.size() - first));
                allocation.shadowed(|shadow, bytes| shadow.map(bytes, range, writes));
            }
            Ok(())
        });
        tail.enqueue(&queue, Kind::SvmMap, list, action)
    }

    /// Gives a range back to the devices.
    status fn clEnqueueSVMUnmap(svm_ptr: *mut c_void) |queue, tail| {
        capabilities::require_svm()?;
        ensure!(!svm_ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        let context = std::sync::Arc::clone(&queue.context);
        let start = svm_ptr as usize;
        let action: Action = Box::new(move |_| {
            if any()
                && let Some(allocation) = context.svm.find(start)
            {
                let first = start - allocation.start();
                allocation.shadowed(|shadow, bytes| shadow.unmap(bytes, first));
            }
            Ok(())
        });
        tail.enqueue(&queue, Kind::SvmUnmap, list, action)
    }

    /// Migrates ranges: a command that has nothing to move.
    status fn clEnqueueSVMMigrateMem(
        num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void, sizes: *const usize,
        flags: cl_mem_migration_flags,
    ) |queue, tail| {
        capabilities::require_svm()?;
        ensure!(num_svm_pointers != 0 && !svm_pointers.is_null(), CL_INVALID_VALUE);
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        ensure!(flags & !known == 0, CL_INVALID_VALUE);
        let count = num_svm_pointers as usize;
        // SAFETY: not null, and the application vouches for the length.
        let pointers = unsafe { raw::slice(svm_pointers, count) };
        // SAFETY: null means that all sizes are zero; else as above.
        let sizes = unsafe { raw::slice(sizes, count) };
        for (at, &pointer) in pointers.iter().enumerate() {
            let address = pointer as usize;
            let size = sizes.get(at).copied().unwrap_or(0);
            // A size of zero stands for the whole allocation.
            let inside = queue.context.svm.find(address).is_some_and(|allocation| {
                size <= allocation.size() - (address - allocation.start())
            });
            ensure!(inside, CL_INVALID_VALUE);
        }
        let list = tail.wait_list(&queue.context)?;
        tail.enqueue(&queue, Kind::SvmMigrateMem, list, Box::new(|_| Ok(())))
    }
}
