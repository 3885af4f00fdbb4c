//! Makes calls that must be refused.
//!
//! [`Props`] are what they are made with; [`enqueue`] makes those that enqueue a command with something wrong
//! that many can have, [`misuse`] all others.

mod enqueue;
mod misuse;

use super::stage::{BYTES, Stage, buffer};
use crate::execute::setup::Named;
use crate::execute::setup::SetupError;
use cl3::command_queue as queue;
use cl3::event as ev;
use cl3::kernel as ker;
use cl3::memory as mem;
use cl3::types::{cl_command_queue, cl_event, cl_kernel, cl_mem, cl_program};
use classay_suites::api::refusal::Refusal;
use std::ffi::c_void;
use std::ptr;

/// What the calls of one case are made with.
pub struct Props<'s> {
    stage: &'s Stage,
    /// Read and written by the host and by kernels.
    pub buffer: cl_mem,
    /// Two halves that overlap by a quarter, where the device lets sub-buffers begin there.
    parts: [cl_mem; 2],
    /// Only written by kernels.
    read_only: cl_mem,
    no_access: cl_mem,
    host_writes: cl_mem,
    host_reads: cl_mem,
    svm: *mut c_void,
    kernel: cl_kernel,
    exchange: cl_kernel,
    four: cl_kernel,
    unset: cl_kernel,
    unbuilt: cl_program,
    /// A user event that is set, one that failed, and one that is never set before the end.
    set: cl_event,
    failed: cl_event,
    open: cl_event,
    /// The event of a command without times, and of one that is held back by `open` in a queue that
    /// profiles, where there is one.
    untimed: cl_event,
    held: Option<(cl_event, cl_command_queue)>,
    host: Vec<u64>,
}

fn code(result: Result<cl_event, i32>) -> i32 {
    match result {
        Ok(event) => {
            let _ = done(event);
            0
        }
        Err(code) => code,
    }
}

/// Gives up an event that should not be there.
fn done(event: cl_event) -> Result<(), i32> {
    // SAFETY: the caller's own reference.
    unsafe { ev::release_event(event) }
}

fn plain(result: Result<(), i32>) -> i32 {
    result.err().unwrap_or(0)
}

fn memory(result: Result<cl_mem, i32>) -> i32 {
    match result {
        Ok(made) => {
            // SAFETY: made just now, and nothing uses it.
            plain(unsafe { mem::release_mem_object(made) })
        }
        Err(code) => code,
    }
}

/// Where sub-buffers begin.
const PART: usize = 4096;

/// CL_PROFILING_INFO_NOT_AVAILABLE.
const NO_TIMES: i32 = -7;

fn part(of: cl_mem, flags: u64, origin: usize, size: usize) -> Result<cl_mem, i32> {
    let region = mem::cl_buffer_region { origin, size };
    let kind = mem::CL_BUFFER_CREATE_TYPE_REGION;
    // SAFETY: the region lives through the call.
    unsafe { mem::create_sub_buffer(of, flags, kind, ptr::from_ref(&region).cast()) }
}

impl<'s> Props<'s> {
    /// Everything that a case needs; with a command that is held back.
    pub fn make(stage: &'s Stage, held: bool) -> Result<Props<'s>, SetupError> {
        let context = stage.context;
        let whole = buffer(context, BYTES, mem::CL_MEM_READ_WRITE)?;
        let kernel = |name| ker::create_kernel(stage.program, name).of("clCreateKernel");
        let half = |n: usize| {
            part(whole, mem::CL_MEM_READ_WRITE, n * PART, 2 * PART).of("clCreateSubBuffer")
        };
        let with = |flags| buffer(context, BYTES, flags);
        let open = stage.user()?;
        let set = stage.user()?;
        ev::set_user_event_status(set, 0).of("clSetUserEventStatus")?;
        let failed = stage.user()?;
        ev::set_user_event_status(failed, -1).of("clSetUserEventStatus")?;
        // SAFETY: a marker without a list.
        let untimed = unsafe { queue::enqueue_marker_with_wait_list(stage.queue, 0, ptr::null()) }
            .of("clEnqueueMarkerWithWaitList")?;
        queue::finish(stage.queue).of("clFinish")?;
        let svm = if stage.svm_offered {
            // SAFETY: freed at the end, when nothing uses it.
            unsafe { mem::svm_alloc(context, mem::CL_MEM_READ_WRITE, BYTES, 0) }.of("clSVMAlloc")?
        } else {
            ptr::null_mut()
        };
        let behind = if held {
            let q = stage.queue_in(context, queue::CL_QUEUE_PROFILING_ENABLE)?;
            // SAFETY: the list has one event.
            let event = unsafe { queue::enqueue_marker_with_wait_list(q, 1, &open) }
                .of("clEnqueueMarkerWithWaitList")?;
            queue::flush(q).of("clFlush")?;
            Some((event, q))
        } else {
            None
        };
        let fill = stage.fill(whole, 0)?;
        let exchange = kernel(c"exchange")?;
        Ok(Props {
            stage,
            buffer: whole,
            parts: [half(0)?, half(1)?],
            read_only: with(mem::CL_MEM_READ_ONLY)?,
            no_access: with(mem::CL_MEM_HOST_NO_ACCESS)?,
            host_writes: with(mem::CL_MEM_HOST_WRITE_ONLY)?,
            host_reads: with(mem::CL_MEM_HOST_READ_ONLY)?,
            svm,
            kernel: fill,
            exchange,
            four: kernel(c"four")?,
            unset: kernel(c"fill")?,
            unbuilt: cl3::program::create_program_with_source(context, &["kernel void k() {}"])
                .of("clCreateProgramWithSource")?,
            set,
            failed,
            open,
            untimed,
            held: behind,
            // A row more than the buffer has.
            host: vec![u64::MAX; BYTES / 8 + 1],
        })
    }

    /// Makes a call; gives its code.
    pub fn call(&mut self, refusal: Refusal) -> i32 {
        match refusal {
            Refusal::Enqueue(call, wrong) => self.enqueue(call, wrong),
            Refusal::Misuse(misuse) => self.misuse(misuse),
        }
    }

    /// Bytes of the buffer that are not as they were made; lets go what is held, and finishes.
    pub fn end(&mut self) -> Result<u64, SetupError> {
        ev::set_user_event_status(self.open, 0).of("clSetUserEventStatus")?;
        if let Some((event, q)) = self.held.take() {
            queue::finish(q).of("clFinish")?;
            let _ = done(event);
            // SAFETY: the props' own queue.
            let _ = unsafe { queue::release_command_queue(q) };
        }
        queue::finish(self.stage.queue).of("clFinish")?;
        let mut seen = vec![1_u8; BYTES];
        let (q, b) = (self.stage.queue, self.buffer);
        let to = seen.as_mut_ptr().cast();
        // SAFETY: a blocking read into memory of this size.
        let read = unsafe { queue::enqueue_read_buffer(q, b, 1, 0, BYTES, to, 0, ptr::null()) };
        let _ = done(read.of("clEnqueueReadBuffer")?);
        Ok(seen.iter().filter(|byte| **byte != 0).count() as u64)
    }
}

impl Drop for Props<'_> {
    fn drop(&mut self) {
        // What a call that failed left behind may still use the host's memory.
        let _ = queue::finish(self.stage.queue);
        // SAFETY: the handles are the props' own, and all commands are done.
        unsafe {
            for event in [self.set, self.failed, self.open, self.untimed] {
                let _ = done(event);
            }
            for kernel in [self.kernel, self.exchange, self.four, self.unset] {
                let _ = ker::release_kernel(kernel);
            }
            let _ = cl3::program::release_program(self.unbuilt);
            let [one, two] = self.parts;
            for memory in [
                one,
                two,
                self.buffer,
                self.read_only,
                self.no_access,
                self.host_writes,
                self.host_reads,
            ] {
                let _ = mem::release_mem_object(memory);
            }
            if !self.svm.is_null() {
                let _ = mem::svm_free(self.stage.context, self.svm);
            }
        }
    }
}
