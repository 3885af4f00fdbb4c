//! Running kernels (`opencl_runtime_layer`, Executing Kernels).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::buffer_of;
use super::entry::{Launched, entry_points};
use crate::ffi::raw::HostAddress;
use crate::ffi::{Error, Result, ensure, raw};
use crate::kernel::range::Range;
use crate::kernel::{Kernel, broken};
use crate::memory::Buffer;
use crate::object;
use crate::platform::profile::{self, Feature};
use crate::program::Target;
use crate::queue::Queue;
use crate::queue::command::{Action, Kind};

/// A function that the application runs as a command.
pub type NativeFn = unsafe extern "C" fn(args: *mut c_void);

/// Checks that a queue may run a kernel, and gives what there is of it for the queue's device.
fn target<'a>(queue: &Arc<Queue>, kernel: &'a Arc<Kernel>) -> Result<&'a Target> {
    let target = kernel.on(&queue.device);
    let target = target.ok_or(Error(CL_INVALID_PROGRAM_EXECUTABLE))?;
    ensure!(
        Arc::ptr_eq(&queue.context, kernel.context()),
        CL_INVALID_CONTEXT
    );
    Ok(target)
}

/// Checks that a queue may run a kernel now: as [`target`], and its arguments are set.
fn check<'a>(queue: &Arc<Queue>, kernel: &'a Arc<Kernel>) -> Result<&'a Target> {
    let target = target(queue, kernel)?;
    kernel.check_arguments()?;
    Ok(target)
}

/// Reads an index space.
///
/// # Safety
/// Each pointer is null or valid for `dimensions` sizes, if these are at most three.
unsafe fn range(
    target: &Target,
    dimensions: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
) -> Result<Range> {
    ensure!((1..=3).contains(&dimensions), CL_INVALID_WORK_DIMENSION);
    let read = |pointer: *const usize| {
        // SAFETY: not null where it is read, and the caller vouches for the length.
        (!pointer.is_null()).then(|| unsafe { raw::slice(pointer, dimensions as usize) })
    };
    Range::new(
        dimensions,
        read(offset),
        read(global),
        read(local),
        &Kernel::demands(target),
    )
}

entry_points! {
    /// Runs a kernel over an index space.
    status fn clEnqueueNDRangeKernel changing clCommandNDRangeKernelKHR(
        kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
        global_work_size: *const usize, local_work_size: *const usize,
    ) |queue, tail| {
        let kernel = object::find::<Kernel>(kernel)?;
        let target = if tail.may_lack_arguments() {
            target(&queue, &kernel)?
        } else {
            check(&queue, &kernel)?
        };
        // SAFETY: the application vouches for its sizes.
        let range = unsafe {
            range(target, work_dim, global_work_offset, global_work_size, local_work_size)?
        };
        let range = broken::range(range, &kernel);
        let list = tail.wait_list(&queue.context)?;
        let sized = !local_work_size.is_null();
        let launched = Launched { kernel: &kernel, target, range: &range, sized };
        tail.launch(&queue, Kind::NdRangeKernel, list, &launched)
    }

    /// Runs a kernel with one work-item (OpenCL 1.x).
    status fn clEnqueueTask(kernel: cl_kernel) |queue, tail| {
        let kernel = object::find::<Kernel>(kernel)?;
        let target = check(&queue, &kernel)?;
        let range = Range::new(1, None, Some(&[1]), Some(&[1]), &Kernel::demands(target))?;
        let list = tail.wait_list(&queue.context)?;
        let launched = Launched { kernel: &kernel, target, range: &range, sized: true };
        tail.launch(&queue, Kind::Task, list, &launched)
    }

    /// Runs a function of the application as a command.
    ///
    /// Its arguments are copied; where `args_mem_loc` points into them, the addresses of
    /// the buffers' memory are written over the handles.
    status fn clEnqueueNativeKernel(
        user_func: Option<NativeFn>, args: *mut c_void, cb_args: usize,
        num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void,
    ) |queue, tail| {
        profile::require(Feature::NativeKernels)?;
        let function = user_func.ok_or(Error(CL_INVALID_VALUE))?;
        ensure!(args.is_null() == (cb_args == 0), CL_INVALID_VALUE);
        ensure!(!args.is_null() || num_mem_objects == 0, CL_INVALID_VALUE);
        let no_objects = num_mem_objects == 0;
        ensure!(mem_list.is_null() == no_objects, CL_INVALID_VALUE);
        ensure!(args_mem_loc.is_null() == no_objects, CL_INVALID_VALUE);
        let count = num_mem_objects as usize;
        // SAFETY: null only when empty, and the application vouches for the lengths.
        let (bytes, handles, places) = unsafe {
            (
                raw::slice(args.cast::<u8>(), cb_args),
                raw::slice(mem_list, count),
                raw::slice(args_mem_loc, count),
            )
        };
        // The copy is made of words, so that what lies in it is aligned.
        let mut copy = vec![0u64; cb_args.div_ceil(size_of::<u64>())];
        let copy_start = copy.as_mut_ptr().cast::<u8>();
        // SAFETY: the copy has room for as many bytes, rounded up.
        unsafe { copy_start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        let mut held: Vec<Arc<Buffer>> = Vec::with_capacity(count);
        for (&handle, &place) in handles.iter().zip(places) {
            // The list may have NULL in it, for which the function gets NULL.
            let buffer = if handle.is_null() {
                None
            } else {
                Some(buffer_of(&queue, handle)?)
            };
            let start = match &buffer {
                None => std::ptr::null_mut(),
                Some(buffer) => buffer.address(&queue.device)?,
            };
            let offset = (place as usize).checked_sub(args as usize);
            let offset = offset.ok_or(Error(CL_INVALID_VALUE))?;
            let inside = offset.checked_add(size_of::<usize>()).is_some_and(|end| end <= cb_args);
            ensure!(inside, CL_INVALID_VALUE);
            // SAFETY: the place lies inside the copy.
            unsafe { copy_start.add(offset).cast::<*mut u8>().write_unaligned(start) };
            held.extend(buffer);
        }
        let null_args = args.is_null();
        let list = tail.wait_list(&queue.context)?;
        let action: Action = Box::new(move |_| {
            // The function may write them all.
            for buffer in &held {
                buffer.start_mut();
            }
            let args = if null_args {
                HostAddress::new(std::ptr::null())
            } else {
                HostAddress::new(copy.as_mut_ptr().cast())
            };
            // SAFETY: the application gave this function for this purpose; the copy lives
            // until it returns.
            unsafe { function(args.get().cast()) };
            Ok(())
        });
        tail.enqueue(&queue, Kind::NativeKernel, list, action)
    }

    /// Says which work-group size an enqueue without one would get.
    status fn clGetKernelSuggestedLocalWorkSize also clGetKernelSuggestedLocalWorkSizeKHR(
        command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
        global_work_offset: *const usize, global_work_size: *const usize,
        suggested_local_work_size: *mut usize,
    ) {
        let queue = Queue::of_host(command_queue)?;
        profile::require(Feature::SuggestedSize)?;
        let kernel = object::find::<Kernel>(kernel)?;
        let target = check(&queue, &kernel)?;
        ensure!((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION);
        ensure!(!global_work_size.is_null(), CL_INVALID_GLOBAL_WORK_SIZE);
        // SAFETY: the application vouches for its sizes.
        let range = unsafe {
            range(target, work_dim, global_work_offset, global_work_size, std::ptr::null())?
        };
        ensure!(!range.is_empty(), CL_INVALID_GLOBAL_WORK_SIZE);
        ensure!(!suggested_local_work_size.is_null(), CL_INVALID_VALUE);
        // SAFETY: the application vouches for as many sizes as dimensions.
        unsafe { raw::put_all(suggested_local_work_size, work_dim as usize, range.local) };
        Ok(())
    }
}
