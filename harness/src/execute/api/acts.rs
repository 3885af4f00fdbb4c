//! What host threads do and undo.
//!
//! **Threads.** All acts use the stage, which is not changed, and what [`Common`] has: handles, whose
//! functions are safe to call from several threads at once. A callback tells its thread that it was
//! called through a channel, which orders the two.

use super::stage::{Shared, Stage, buffer, build, context};
use crate::execute::setup::Named;
use crate::execute::setup::SetupError;
use cl3::command_queue as queue;
use cl3::event as ev;
use cl3::memory as mem;
use cl3::types::{cl_event, cl_int, cl_mem};
use classay_suites::api::Act;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// What threads share.
pub struct Common {
    queue: Shared,
    buffer: Shared,
    event: Shared,
    kernel: Shared,
    /// Reads that saw something wrong.
    pub misread: AtomicU64,
}

/// References that an act takes and gives back.
const REFERENCES: usize = 50;

/// Bytes of an act's own buffer.
const BYTES: usize = 256;

/// Gives up an event.
fn done(event: cl_event) {
    // SAFETY: the caller's own reference.
    let _ = unsafe { ev::release_event(event) };
}

fn give_up(memory: cl_mem) {
    // SAFETY: the caller's own reference.
    let _ = unsafe { mem::release_mem_object(memory) };
}

/// What a callback is given: the event to release, and whom to tell.
struct Told {
    tell: SyncSender<cl_int>,
}

extern "C" fn released(event: cl_event, status: cl_int, data: *mut c_void) {
    // The thread's own reference, which it leaves to this callback.
    done(event);
    // SAFETY: made by `Box::into_raw` for this one call.
    let told = unsafe { Box::from_raw(data.cast::<Told>()) };
    // Nobody waits when the thread gave up.
    let _ = told.tell.send(status);
}

/// Callbacks that an act registers while their command completes.
const REGISTERED: usize = 40;

extern "C" fn registered(_: cl_event, _: cl_int, data: *mut c_void) {
    // SAFETY: made by `Arc::into_raw` for this one call.
    let called = unsafe { Arc::from_raw(data.cast::<AtomicUsize>()) };
    called.fetch_add(1, Ordering::AcqRel);
}

/// How long a callback is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

impl Common {
    /// What threads share on a stage.
    pub fn make(stage: &Stage) -> Result<Common, SetupError> {
        let q = stage.queue_in(stage.context, 0)?;
        let shared = buffer(stage.context, BYTES, mem::CL_MEM_READ_WRITE)?;
        Ok(Common {
            queue: Shared(q),
            buffer: Shared(shared),
            event: Shared(stage.user()?),
            kernel: Shared(stage.fill(shared, 1)?),
            misread: AtomicU64::new(0),
        })
    }

    /// Things whose reference count is 0.
    pub fn uncounted(&self) -> Result<i64, SetupError> {
        let counts = [
            mem::get_mem_object_info(self.buffer.0, mem::CL_MEM_REFERENCE_COUNT)
                .of("clGetMemObjectInfo")?
                .to_uint(),
            ev::get_event_info(self.event.0, ev::CL_EVENT_REFERENCE_COUNT)
                .of("clGetEventInfo")?
                .to_uint(),
            queue::get_command_queue_info(self.queue.0, queue::CL_QUEUE_REFERENCE_COUNT)
                .of("clGetCommandQueueInfo")?
                .to_uint(),
            cl3::kernel::get_kernel_info(self.kernel.0, cl3::kernel::CL_KERNEL_REFERENCE_COUNT)
                .of("clGetKernelInfo")?
                .to_uint(),
        ];
        Ok(counts.iter().filter(|count| **count == 0).count() as i64)
    }

    /// Does an act, in the stage's context.
    pub fn act(&self, stage: &Stage, act: Act) -> Result<(), SetupError> {
        let context_of = stage.context;
        match act {
            Act::Buffer => {
                give_up(buffer(context_of, BYTES, mem::CL_MEM_READ_WRITE)?);
                Ok(())
            }
            Act::Part => {
                let whole = buffer(context_of, BYTES, mem::CL_MEM_READ_WRITE)?;
                let region = mem::cl_buffer_region {
                    origin: 0,
                    size: BYTES / 2,
                };
                // SAFETY: the region lives through the call.
                let part = unsafe {
                    mem::create_sub_buffer(
                        whole,
                        mem::CL_MEM_READ_WRITE,
                        mem::CL_BUFFER_CREATE_TYPE_REGION,
                        ptr::from_ref(&region).cast(),
                    )
                };
                give_up(whole);
                give_up(part.of("clCreateSubBuffer")?);
                Ok(())
            }
            Act::UserEvent => {
                let event = stage.user()?;
                let set = ev::set_user_event_status(event, 0).of("clSetUserEventStatus");
                let waited = ev::wait_for_events(&[event]).of("clWaitForEvents");
                done(event);
                set.and(waited)
            }
            Act::Queue => {
                let q = stage.queue_in(context_of, 0)?;
                let marked = marker(q, &[]);
                let finished = queue::finish(q).of("clFinish");
                // SAFETY: made just now, and nothing uses it.
                unsafe { queue::release_command_queue(q) }.of("clReleaseCommandQueue")?;
                done(marked?);
                finished
            }
            Act::Kernel => {
                let own = buffer(context_of, BYTES, mem::CL_MEM_READ_WRITE)?;
                let kernel = stage.fill(own, 3)?;
                let items = BYTES / 4;
                // SAFETY: the kernel's arguments are set; it writes the buffer.
                let made = unsafe {
                    queue::enqueue_nd_range_kernel(
                        self.queue.0,
                        kernel,
                        1,
                        ptr::null(),
                        &items,
                        ptr::null(),
                        0,
                        ptr::null(),
                    )
                };
                // SAFETY: the stage's kernel; what is enqueued stays.
                let _ = unsafe { cl3::kernel::release_kernel(kernel) };
                done(made.of("clEnqueueNDRangeKernel")?);
                let seen = self.look(own, 3);
                give_up(own);
                seen
            }
            Act::Program => {
                let program = build(context_of, stage.device, &stage.options)?;
                let kernel = cl3::kernel::create_kernel(program, c"fill").of("clCreateKernel");
                // SAFETY: both are this act's own.
                unsafe {
                    let _ = cl3::program::release_program(program);
                    cl3::kernel::release_kernel(kernel?).of("clReleaseKernel")
                }
            }
            Act::Context => {
                let own = context(stage.device)?;
                let event = cl3::event::create_user_event(own).of("clCreateUserEvent");
                // SAFETY: the act's own reference.
                unsafe { cl3::context::release_context(own) }.of("clReleaseContext")?;
                done(event?);
                Ok(())
            }
            Act::Marker => {
                let event = marker(self.queue.0, &[])?;
                let waited = ev::wait_for_events(&[event]).of("clWaitForEvents");
                done(event);
                waited
            }
            Act::Fill => {
                let own = buffer(context_of, BYTES, mem::CL_MEM_READ_WRITE)?;
                let pattern = 5_u32;
                // SAFETY: the range is the buffer, and the pattern is copied by the call.
                let made = unsafe {
                    queue::enqueue_fill_buffer(
                        self.queue.0,
                        own,
                        ptr::from_ref(&pattern).cast(),
                        4,
                        0,
                        BYTES,
                        0,
                        ptr::null(),
                    )
                };
                done(made.of("clEnqueueFillBuffer")?);
                let seen = self.look(own, 5);
                give_up(own);
                seen
            }
            Act::Map => self.map(stage),
            Act::Callback => self.callback(stage),
            Act::Register => self.register(stage),
            Act::Retain => {
                // SAFETY: what all share lives; each reference is given back.
                unsafe {
                    for _ in 0..REFERENCES {
                        mem::retain_mem_object(self.buffer.0).of("clRetainMemObject")?;
                        ev::retain_event(self.event.0).of("clRetainEvent")?;
                        queue::retain_command_queue(self.queue.0).of("clRetainCommandQueue")?;
                        cl3::kernel::retain_kernel(self.kernel.0).of("clRetainKernel")?;
                        mem::release_mem_object(self.buffer.0).of("clReleaseMemObject")?;
                        ev::release_event(self.event.0).of("clReleaseEvent")?;
                        queue::release_command_queue(self.queue.0).of("clReleaseCommandQueue")?;
                        cl3::kernel::release_kernel(self.kernel.0).of("clReleaseKernel")?;
                    }
                }
                Ok(())
            }
            Act::Query => {
                for _ in 0..REFERENCES {
                    mem::get_mem_object_info(self.buffer.0, mem::CL_MEM_SIZE)
                        .of("clGetMemObjectInfo")?;
                    ev::get_event_info(self.event.0, ev::CL_EVENT_COMMAND_EXECUTION_STATUS)
                        .of("clGetEventInfo")?;
                    queue::get_command_queue_info(self.queue.0, queue::CL_QUEUE_CONTEXT)
                        .of("clGetCommandQueueInfo")?;
                }
                Ok(())
            }
        }
    }

    /// Reads a buffer that has to be full of this word.
    fn look(&self, of: cl_mem, word: u32) -> Result<(), SetupError> {
        let mut seen = [0_u32; BYTES / 4];
        let to = seen.as_mut_ptr().cast();
        // SAFETY: a blocking read into memory of this size.
        let read = unsafe {
            queue::enqueue_read_buffer(self.queue.0, of, 1, 0, BYTES, to, 0, ptr::null())
        };
        done(read.of("clEnqueueReadBuffer")?);
        if seen.iter().any(|seen| *seen != word) {
            self.misread.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn map(&self, stage: &Stage) -> Result<(), SetupError> {
        let own = buffer(stage.context, BYTES, mem::CL_MEM_READ_WRITE)?;
        let mut pointer: *mut c_void = ptr::null_mut();
        let flags = mem::CL_MAP_READ | mem::CL_MAP_WRITE;
        // SAFETY: a blocking map of the whole buffer; the pointer has room.
        let mapped = unsafe {
            queue::enqueue_map_buffer(
                self.queue.0,
                own,
                1,
                flags,
                0,
                BYTES,
                &mut pointer,
                0,
                ptr::null(),
            )
        };
        done(mapped.of("clEnqueueMapBuffer")?);
        for at in 0..BYTES / 4 {
            // SAFETY: the whole buffer is mapped, and no command uses it.
            unsafe { pointer.cast::<u32>().add(at).write_volatile(9) };
        }
        // SAFETY: the map's own pointer, which is not used any more.
        let unmapped =
            unsafe { queue::enqueue_unmap_mem_object(self.queue.0, own, pointer, 0, ptr::null()) };
        done(unmapped.of("clEnqueueUnmapMemObject")?);
        let seen = self.look(own, 9);
        give_up(own);
        seen
    }

    fn register(&self, stage: &Stage) -> Result<(), SetupError> {
        let q = stage.queue_in(stage.context, 0)?;
        let gate = stage.user()?;
        let event = marker(q, &[gate])?;
        queue::flush(q).of("clFlush")?;
        let registered = while_it_completes(event, gate);
        let finished = queue::finish(q).of("clFinish");
        done(event);
        done(gate);
        // SAFETY: the act's own queue, and its command is done.
        unsafe { queue::release_command_queue(q) }.of("clReleaseCommandQueue")?;
        registered.and(finished)
    }

    fn callback(&self, stage: &Stage) -> Result<(), SetupError> {
        let q = stage.queue_in(stage.context, 0)?;
        let gate = stage.user()?;
        let event = marker(q, &[gate])?;
        let (tell, told) = sync_channel(1);
        let data = Box::into_raw(Box::new(Told { tell }));
        ev::set_event_callback(event, ev::CL_COMPLETE, released, data.cast())
            .of("clSetEventCallback")?;
        queue::flush(q).of("clFlush")?;
        ev::set_user_event_status(gate, 0).of("clSetUserEventStatus")?;
        let status = told.recv_timeout(PATIENCE);
        let finished = queue::finish(q).of("clFinish");
        done(gate);
        // SAFETY: the act's own queue, and its command is done.
        unsafe { queue::release_command_queue(q) }.of("clReleaseCommandQueue")?;
        finished?;
        match status {
            Ok(0) => Ok(()),
            Ok(code) => Err(SetupError {
                call: "a callback",
                code,
            }),
            Err(_) => Err(SetupError {
                call: "a callback that never came",
                code: -1,
            }),
        }
    }
}

/// Registers callbacks for a command while another thread lets it go, so that some come before it is
/// complete, some after, and perhaps one at the very moment.
fn while_it_completes(event: cl_event, gate: cl_event) -> Result<(), SetupError> {
    let called = Arc::new(AtomicUsize::new(0));
    let (begun, gate) = (AtomicBool::new(false), Shared(gate));
    let (set, made) = std::thread::scope(|scope| {
        let (begun, gate) = (&begun, &gate);
        let setter = scope.spawn(move || {
            while !begun.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            ev::set_user_event_status(gate.0, 0).of("clSetUserEventStatus")
        });
        let mut made = Ok(());
        for _ in 0..REGISTERED {
            let data = Arc::into_raw(called.clone()).cast_mut().cast();
            made = made.and_then(|()| {
                ev::set_event_callback(event, ev::CL_COMPLETE, registered, data)
                    .of("clSetEventCallback")
            });
            begun.store(true, Ordering::Release);
        }
        (setter.join(), made)
    });
    made?;
    set.unwrap_or(Err(SetupError {
        call: "clSetUserEventStatus",
        code: -1,
    }))?;
    let deadline = Instant::now() + PATIENCE;
    while called.load(Ordering::Acquire) < REGISTERED {
        if Instant::now() > deadline {
            return Err(SetupError {
                call: "a callback that never came",
                code: -1,
            });
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    Ok(())
}

/// A marker.
pub fn marker(q: cl3::types::cl_command_queue, list: &[cl_event]) -> Result<cl_event, SetupError> {
    let pointer = if list.is_empty() {
        ptr::null()
    } else {
        list.as_ptr()
    };
    // SAFETY: the list has this length.
    unsafe { queue::enqueue_marker_with_wait_list(q, list.len() as u32, pointer) }
        .of("clEnqueueMarkerWithWaitList")
}

impl Drop for Common {
    fn drop(&mut self) {
        let _ = queue::finish(self.queue.0);
        done(self.event.0);
        give_up(self.buffer.0);
        // SAFETY: the handles are its own, and all commands are done.
        unsafe {
            let _ = cl3::kernel::release_kernel(self.kernel.0);
            let _ = queue::release_command_queue(self.queue.0);
        }
    }
}
