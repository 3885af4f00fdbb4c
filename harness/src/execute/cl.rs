//! The OpenCL calls of launches of litmus tests, as functions that are safe to call.
//!
//! What is `unsafe` about them is three things: sizes and types of kernel arguments (fixed here by
//! [`Arg`]), host memory that must outlive a command (every transfer here owns its memory until its event
//! is complete), and objects of one context (a [`Bench`] has one).

#![allow(unsafe_code)]

use super::bench::{Arg, At, In, mixed};
use super::ended::NotRun;
use super::host::{Api, BuildFailed, Fixtures, SetupError, address, room};
use super::memory::{HostMemory, SharedWords};
use crate::device::OpenDevice;
use classay_suites::host::constant::cl;
use classay_suites::host::{Build, Constant, Function, ProgramOf};
use std::ptr;
use std::slice::from_ref;
use std::sync::Arc;

/// A context of its own with in-order profiling queues: sets of one for each of its devices.
pub struct Bench {
    fixtures: Fixtures,
    context: usize,
    devices: u8,
    queues: Vec<Vec<usize>>,
}

/// An array of 32-bit words that kernels and, for shared memory, host threads work on.
pub struct Words {
    api: Arc<Api>,
    context: usize,
    lies: In,
    /// The buffer, or the address.
    start: usize,
    /// What keeps memory of the host alive.
    _memory: Option<HostMemory>,
    len: usize,
}

impl Drop for Words {
    /// Every command on the words is complete by then: a session finishes its bench's queues before its words
    /// are dropped. Their context lives, because a room drops its bench last.
    fn drop(&mut self) {
        match self.lies {
            In::Buffer | In::NonCoherent => {
                self.api.release(Function::ReleaseMemObject, self.start)
            }
            In::Coarse | In::Fine | In::Shared => self.api.free(self.context, self.start),
            In::System => {}
        }
    }
}

/// The event of a command.
struct Event {
    api: Arc<Api>,
    handle: usize,
}

impl Event {
    fn wait(&self) -> Result<(), SetupError> {
        let words = [1, address(from_ref(&self.handle))];
        // SAFETY: the list has one event, and lives through the call.
        unsafe { self.api.must(Function::WaitForEvents, &words) }.map(drop)
    }

    /// A moment of the command by the device's clock, in nanoseconds.
    fn moment(&self, what: Constant) -> Option<u64> {
        let of = [self.handle as u64, what.value() as u64];
        // SAFETY: the event is alive, and its moments are numbers of 64 bits.
        unsafe { self.api.number(Function::GetEventProfilingInfo, &of) }.ok()
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.api.release(Function::ReleaseEvent, self.handle);
    }
}

/// A read or a write of words that is under way, with its host memory.
pub struct Transfer {
    words: Vec<u32>,
    event: Event,
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // The memory must outlive the command; an error here means the queue is gone.
        let _ = self.event.wait();
    }
}

impl Transfer {
    /// Waits for the words.
    pub fn wait(mut self) -> Result<Vec<u32>, SetupError> {
        self.event.wait()?;
        Ok(std::mem::take(&mut self.words))
    }
}

/// A launch that was enqueued.
pub struct Launched(Event);

impl Launched {
    /// Seconds between start and end by the device's clock, where the device profiles.
    pub fn seconds(&self) -> Option<f64> {
        let start = self.0.moment(cl::CL_PROFILING_COMMAND_START)?;
        let end = self.0.moment(cl::CL_PROFILING_COMMAND_END)?;
        (end >= start).then(|| (end - start) as f64 * 1e-9)
    }
}

impl Bench {
    /// A context over so many devices of the platform, the first of which collects.
    pub fn open(device: &OpenDevice, devices: u8) -> Result<Bench, NotRun> {
        let mut fixtures = Fixtures::new(device)?;
        let mut bench = Bench {
            context: fixtures.context(devices, 0)?,
            fixtures,
            devices,
            queues: Vec::new(),
        };
        bench.want_queues(1)?;
        Ok(bench)
    }

    /// Makes sets of queues until there are `sets`.
    pub fn want_queues(&mut self, sets: u8) -> Result<(), SetupError> {
        for set in self.queues.len() as u8..sets {
            let queue = |device| self.fixtures.queue(self.context, device, true, set);
            let set = (0..self.devices).map(queue).collect::<Result<_, _>>()?;
            self.queues.push(set);
        }
        Ok(())
    }

    /// Builds a program for every device.
    pub fn build(&mut self, source: &str) -> Result<usize, BuildFailed> {
        let of = ProgramOf::Source(source.to_string());
        self.fixtures.program(self.context, of, Build::default())
    }

    /// A kernel of a built program.
    pub fn kernel(&mut self, program: usize, name: &str) -> Result<usize, SetupError> {
        self.fixtures.kernel(program, name, 0)
    }

    /// An array of `len` words; at least one is allocated.
    pub fn words(&self, len: usize, lies: In) -> Result<Words, SetupError> {
        let len = len.max(1);
        let (api, bytes) = (&self.fixtures.api, 4 * len as u64);
        let make = |function, more: &[Constant], last| {
            let mut flags = cl::CL_MEM_READ_WRITE.value() as u64;
            more.iter().for_each(|flag| flags |= flag.value() as u64);
            let words = [self.context as u64, flags, bytes, last];
            // SAFETY: asks for memory, at no pointer of the host; a failure is an error value.
            unsafe { api.must(function, &words) }
        };
        let svm = |more: &[Constant]| make(Function::SVMAlloc, more, 64);
        let mut memory = None;
        let start = match lies {
            In::Buffer | In::NonCoherent => make(Function::CreateBuffer, &[], 0)?,
            In::Coarse => svm(&[])?,
            In::Fine => svm(&[cl::CL_MEM_SVM_FINE_GRAIN_BUFFER])?,
            In::Shared => svm(&[cl::CL_MEM_SVM_FINE_GRAIN_BUFFER, cl::CL_MEM_SVM_ATOMICS])?,
            In::System => {
                let own = memory.insert(HostMemory::bytes(4 * len));
                own.pointer().expose_provenance()
            }
        };
        Ok(Words {
            api: api.clone(),
            context: self.context,
            lies,
            start,
            _memory: memory,
            len,
        })
    }

    /// Enqueues a command on a device's queue of a set, without a wait list.
    ///
    /// # Safety
    /// As [`Api::call`]; `of` is what stands between the queue and the wait list.
    unsafe fn enqueue<const N: usize>(
        &self,
        (set, device): (usize, usize),
        function: Function,
        of: [u64; N],
    ) -> Result<Event, SetupError> {
        let mut event = [0_usize];
        let queue = [self.queues[set][device] as u64];
        let words = [&queue[..], &of, &[0, 0, room(&mut event)]].concat();
        // SAFETY: by the caller.
        unsafe { self.fixtures.api.must(function, &words) }?;
        Ok(Event {
            api: self.fixtures.api.clone(),
            handle: event[0],
        })
    }

    /// Starts moving words to or from word `offset` of a buffer through the first device's queue of a set.
    fn transfer(
        &self,
        function: Function,
        set: usize,
        (buffer, offset): (&Words, usize),
        mut words: Vec<u32>,
    ) -> Result<Transfer, SetupError> {
        assert!(buffer.lies == In::Buffer, "what is moved lies in buffers");
        let inside = offset + words.len() <= buffer.len;
        assert!(inside, "a transfer stays inside its array");
        let (at, bytes) = (4 * offset as u64, 4 * words.len() as u64);
        let of = [buffer.start as u64, 0, at, bytes, room(&mut words)];
        // SAFETY: `words` is moved into the result together with the event; moving a Vec does not move its
        // elements. A transfer waits for its event before the memory goes, also one that is dropped unread.
        let event = unsafe { self.enqueue((set, 0), function, of) }?;
        Ok(Transfer { words, event })
    }

    /// Starts writing words to the start of a buffer.
    pub fn write(
        &self,
        set: usize,
        to: &mut Words,
        words: Vec<u32>,
    ) -> Result<Transfer, SetupError> {
        self.transfer(Function::EnqueueWriteBuffer, set, (to, 0), words)
    }

    /// Starts reading `len` words from word `offset` of a buffer.
    pub fn read(
        &self,
        set: usize,
        from: &Words,
        offset: usize,
        len: usize,
    ) -> Result<Transfer, SetupError> {
        let words = vec![0; len];
        self.transfer(Function::EnqueueReadBuffer, set, (from, offset), words)
    }

    /// Gives a kernel an argument.
    fn argument(&self, kernel: usize, n: u64, arg: &Arg<'_>) -> Result<(), NotRun> {
        let kernel = kernel as u64;
        let value =
            |bytes: usize, value| (Function::SetKernelArg, [kernel, n, bytes as u64, value]);
        let (function, words) = match arg {
            Arg::Words(words) => {
                let words = words.opencl()?;
                match words.lies {
                    In::Buffer | In::NonCoherent => value(8, address(from_ref(&words.start))),
                    _ => {
                        let words = [kernel, n, words.start as u64, 0];
                        (Function::SetKernelArgSVMPointer, words)
                    }
                }
            }
            Arg::Texels(_) => return Err(mixed()),
            Arg::Uint(number) => value(4, address(from_ref(number))),
            Arg::Local(words) => value(4 * words.max(&1), 0),
        };
        // SAFETY: the kernels' parameters are pointers to words, `uint`s and local pointers, and callers
        // pass them in that order; a size that does not fit is an error value.
        Ok(unsafe { self.fixtures.api.must(function, &words) }.map(drop)?)
    }

    /// Enqueues a kernel on a device's queue of a set: `groups` work-groups of `local` work-items.
    pub fn launch(
        &self,
        at: At,
        kernel: usize,
        args: &[Arg<'_>],
        groups: usize,
        local: usize,
    ) -> Result<Launched, NotRun> {
        for (n, arg) in (0..).zip(args) {
            self.argument(kernel, n, arg)?;
        }
        let (global, local) = ([groups * local], [local]);
        let of = [kernel as u64, 1, 0, address(&global), address(&local)];
        // SAFETY: one dimension, sizes that live through the call.
        Ok(Launched(unsafe {
            self.enqueue((at.set, at.part), Function::EnqueueNDRangeKernel, of)
        }?))
    }

    /// Submits what a device's queue of a set holds.
    pub fn flush(&self, at: At) -> Result<(), SetupError> {
        self.of_queue(Function::Flush, self.queues[at.set][at.part])
    }

    /// Waits for everything in every queue.
    pub fn finish(&self) -> Result<(), SetupError> {
        let mut queues = self.queues.iter().flatten();
        queues.try_for_each(|queue| self.of_queue(Function::Finish, *queue))
    }

    fn of_queue(&self, function: Function, queue: usize) -> Result<(), SetupError> {
        // SAFETY: the queue is alive.
        unsafe { self.fixtures.api.must(function, &[queue as u64]) }.map(drop)
    }

    /// The local size, at most `limit`, at which each work-group has `groups` full sub-groups of at
    /// least `width` work-items: the local size and the sub-groups' width.
    pub fn sub_group_shape(
        &self,
        device: u8,
        kernel: usize,
        groups: usize,
        width: usize,
        limit: usize,
    ) -> Option<(usize, usize)> {
        let id = self.fixtures.handle(device).ok()? as u64;
        let ask = |what: Constant, local: usize| -> Option<usize> {
            let input = address(from_ref(&local));
            let of = [kernel as u64, id, what.value() as u64, 8, input];
            // SAFETY: kernel and device are alive; a local size lives through the call, and the answer is a
            // `size_t`.
            let answer = unsafe {
                self.fixtures
                    .api
                    .number(Function::GetKernelSubGroupInfo, &of)
            };
            answer.ok().map(|answer| answer as usize)
        };
        let mut local = groups.max(width).next_power_of_two();
        while local <= limit {
            let size = ask(cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local)?;
            let count = ask(cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local)?;
            if size >= width && count >= groups && local / size.max(1) >= groups {
                return Some((local, size));
            }
            local *= 2;
        }
        None
    }

    /// Largest work-group of a kernel on a device.
    pub fn max_group(&self, device: u8, kernel: usize) -> Result<usize, SetupError> {
        let what = cl::CL_KERNEL_WORK_GROUP_SIZE.value() as u64;
        let of = [kernel as u64, self.fixtures.handle(device)? as u64, what];
        // SAFETY: kernel and device are alive, and the answer is a `size_t`.
        let most = unsafe {
            self.fixtures
                .api
                .number(Function::GetKernelWorkGroupInfo, &of)
        }?;
        Ok(most as usize)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

impl Words {
    /// The words as host threads see them; none where they may not use them while a kernel does.
    pub fn shared(&self) -> Option<SharedWords> {
        (self.lies == In::Shared)
            .then(|| SharedWords::new(ptr::with_exposed_provenance_mut(self.start), self.len))
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// What they lie in.
    pub fn lies(&self) -> In {
        self.lies
    }
}
