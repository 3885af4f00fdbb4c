//! The OpenCL calls that a test environment makes, as functions that are safe to call.
//!
//! The `unsafe` of the bindings is about three things: sizes and types of kernel arguments (fixed
//! here by [`Arg`]), host memory that must outlive a command (every transfer here either blocks or
//! owns its memory until its event is complete), and objects of one context (a [`Bench`] has one).

#![allow(unsafe_code)]

use super::memory::HostMemory;
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
pub use opencl3::program::Program;
use opencl3::types::{CL_NON_BLOCKING, cl_device_id, cl_mem};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicU32;

/// A call that gave an error code.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{call} gives error {code} ({name})")]
pub struct CallError {
    /// The function.
    pub call: &'static str,
    /// The code.
    pub code: i32,
    /// The code's name.
    pub name: String,
}

/// Gives an error code its call.
trait Naming<T> {
    fn of(self, call: &'static str) -> Result<T, CallError>;
}

impl<T> Naming<T> for Result<T, ClError> {
    fn of(self, call: &'static str) -> Result<T, CallError> {
        self.map_err(|e| CallError {
            call,
            code: e.0,
            name: e.to_string(),
        })
    }
}

/// A context with in-order profiling queues: sets of one for each of its devices.
pub struct Bench {
    // Declared before the context, so that they are released before it.
    queues: Vec<Vec<CommandQueue>>,
    version: (u32, u32),
    context: Context,
    devices: Vec<Device>,
}

/// Why a program did not build.
#[derive(Debug, Clone)]
pub struct BuildFailure {
    /// The error.
    pub error: CallError,
    /// What the compiler said.
    pub log: String,
}

/// An array of 32-bit words that kernels and, for shared memory, host threads work on.
pub struct Words {
    kind: WordsKind,
    lies: In,
    len: usize,
}

enum WordsKind {
    Buffer(Buffer<u32>),
    Shared(SharedAllocation),
    System(HostMemory),
}

/// What an array of words lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum In {
    /// A buffer object.
    Buffer,
    /// Coarse-grained SVM.
    Coarse,
    /// Fine-grained SVM.
    Fine,
    /// Fine-grained SVM with atomics.
    FineAtomics,
    /// Memory of the host.
    System,
}

/// An SVM allocation.
struct SharedAllocation {
    atomics: bool,
    address: *mut c_void,
    context: opencl3::types::cl_context,
}

impl Drop for SharedAllocation {
    fn drop(&mut self) {
        // SAFETY: the address came from clSVMAlloc of this context, which outlives the allocation
        // because the bench drops its context last, and every command using it has completed: a
        // session finishes its bench's queues before its words are dropped.
        let _ = unsafe { cl3::memory::svm_free(self.context, self.address) };
    }
}

/// An argument of a kernel.
pub enum Arg<'a> {
    /// An array of words.
    Words(&'a Words),
    /// One `uint`.
    Uint(u32),
    /// Local memory, in words.
    Local(usize),
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
    pub fn wait(mut self) -> Result<Vec<u32>, CallError> {
        self.event.wait().of("clWaitForEvents")?;
        Ok(std::mem::take(&mut self.words))
    }
}

/// A launch that was enqueued.
pub struct Launched(Event);

impl Launched {
    /// Seconds between start and end by the device's clock, where the device profiles.
    pub fn seconds(&self) -> Option<f64> {
        let start = self.0.profiling_command_start().ok()?;
        let end = self.0.profiling_command_end().ok()?;
        (end >= start).then(|| (end - start) as f64 * 1e-9)
    }
}

impl Bench {
    /// A context over `devices`, the first of which collects.
    pub fn open(devices: &[Device], version: (u32, u32)) -> Result<Bench, CallError> {
        let ids: Vec<cl_device_id> = devices.iter().map(Device::id).collect();
        let context =
            Context::from_devices(&ids, &[], None, ptr::null_mut()).of("clCreateContext")?;
        let devices = ids.into_iter().map(Device::new).collect();
        let mut bench = Bench {
            queues: Vec::new(),
            version,
            context,
            devices,
        };
        bench.want_queues(1)?;
        Ok(bench)
    }

    /// Makes sets of queues until there are `sets`.
    pub fn want_queues(&mut self, sets: usize) -> Result<(), CallError> {
        while self.queues.len() < sets {
            let mut set = Vec::new();
            for device in &self.devices {
                // SAFETY: the device is one of the context.
                let queue = unsafe {
                    if self.version >= (2, 0) {
                        CommandQueue::create_with_properties(
                            &self.context,
                            device.id(),
                            CL_QUEUE_PROFILING_ENABLE,
                            0,
                        )
                        .of("clCreateCommandQueueWithProperties")?
                    } else {
                        CommandQueue::create(&self.context, device.id(), CL_QUEUE_PROFILING_ENABLE)
                            .of("clCreateCommandQueue")?
                    }
                };
                set.push(queue);
            }
            self.queues.push(set);
        }
        Ok(())
    }

    /// Builds a program for every device.
    pub fn build(&self, source: &str, options: &str) -> Result<Program, BuildFailure> {
        let plain = |error| BuildFailure {
            error,
            log: String::new(),
        };
        let mut program = Program::create_from_source(&self.context, source)
            .of("clCreateProgramWithSource")
            .map_err(plain)?;
        let ids: Vec<cl_device_id> = self.devices.iter().map(Device::id).collect();
        let result = program.build(&ids, options);
        let log = ids
            .iter()
            .filter_map(|&id| program.get_build_log(id).ok())
            .map(|l| l.trim_end_matches('\0').trim().to_string())
            .find(|l| !l.is_empty())
            .unwrap_or_default();
        match result {
            Ok(()) => Ok(program),
            Err(e) => {
                let mut error = Err::<(), _>(e).of("clBuildProgram").unwrap_err();
                if error.code == CL_BUILD_PROGRAM_FAILURE {
                    error.name = "CL_BUILD_PROGRAM_FAILURE".into();
                }
                Err(BuildFailure { error, log })
            }
        }
    }

    /// A kernel of a built program.
    pub fn kernel(&self, built: &Program, name: &str) -> Result<Kernel, CallError> {
        Kernel::create(built, name).of("clCreateKernel")
    }

    /// An array of `len` words; at least one is allocated.
    pub fn words(&self, len: usize, lies: In) -> Result<Words, CallError> {
        use opencl3::memory::{CL_MEM_SVM_ATOMICS, CL_MEM_SVM_FINE_GRAIN_BUFFER};
        let len = len.max(1);
        let svm = |flags| {
            // SAFETY: asks for memory; a failure is an error value.
            let address = unsafe {
                cl3::memory::svm_alloc(self.context.get(), CL_MEM_READ_WRITE | flags, len * 4, 64)
            }
            .map_err(ClError)
            .of("clSVMAlloc")?;
            Ok(WordsKind::Shared(SharedAllocation {
                atomics: flags & CL_MEM_SVM_ATOMICS != 0,
                address,
                context: self.context.get(),
            }))
        };
        let kind = match lies {
            In::Buffer => {
                // SAFETY: no host pointer is given.
                let buffer = unsafe {
                    Buffer::<u32>::create(&self.context, CL_MEM_READ_WRITE, len, ptr::null_mut())
                };
                WordsKind::Buffer(buffer.of("clCreateBuffer")?)
            }
            In::Coarse => svm(0)?,
            In::Fine => svm(CL_MEM_SVM_FINE_GRAIN_BUFFER)?,
            In::FineAtomics => svm(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)?,
            In::System => WordsKind::System(HostMemory::words(len)),
        };
        Ok(Words { kind, lies, len })
    }

    /// Writes words to the start of a buffer through the first device's queue of a set.
    pub fn write(
        &self,
        set: usize,
        to: &mut Words,
        words: Vec<u32>,
    ) -> Result<Transfer, CallError> {
        assert!(words.len() <= to.len, "a write stays inside its array");
        let WordsKind::Buffer(buffer) = &mut to.kind else {
            unreachable!("arguments never lie in shared memory")
        };
        // SAFETY: `words` is moved into the result, which waits for the event before the
        // memory goes; moving a Vec does not move its elements.
        let event = unsafe {
            self.queues[set][0].enqueue_write_buffer(buffer, CL_NON_BLOCKING, 0, &words, &[])
        }
        .of("clEnqueueWriteBuffer")?;
        Ok(Transfer { words, event })
    }

    /// Starts reading `len` words from word `offset` of a buffer through the first device's queue of a
    /// set.
    pub fn read(
        &self,
        set: usize,
        from: &Words,
        offset: usize,
        len: usize,
    ) -> Result<Transfer, CallError> {
        assert!(offset + len <= from.len, "a read stays inside its array");
        let WordsKind::Buffer(buffer) = &from.kind else {
            unreachable!("counts are never read from shared memory")
        };
        let mut words = vec![0u32; len];
        let queue = &self.queues[set][0];
        // SAFETY: `words` is moved into the result together with the event; its elements
        // stay where they are. A transfer that is dropped unread waits.
        let event = unsafe {
            queue.enqueue_read_buffer(buffer, CL_NON_BLOCKING, offset * 4, &mut words, &[])
        }
        .of("clEnqueueReadBuffer")?;
        Ok(Transfer { words, event })
    }

    /// Reads `len` words from word `offset` of a buffer, blocking.
    pub fn read_at(
        &self,
        set: usize,
        from: &Words,
        offset: usize,
        len: usize,
    ) -> Result<Vec<u32>, CallError> {
        self.read(set, from, offset, len)?.wait()
    }

    /// Enqueues a kernel on a device's queue of a set: `groups` work-groups of `local` work-items.
    pub fn launch(
        &self,
        (set, device): (usize, usize),
        kernel: &Kernel,
        args: &[Arg<'_>],
        groups: usize,
        local: usize,
    ) -> Result<Launched, CallError> {
        for (i, arg) in args.iter().enumerate() {
            let i = i as u32;
            // SAFETY: the kernels' parameters are pointers to words, `uint`s and local pointers,
            // and callers pass them in that order; a size that does not fit is an error value.
            unsafe {
                match arg {
                    Arg::Words(words) => match &words.kind {
                        WordsKind::Buffer(buffer) => {
                            let mem: cl_mem = buffer.get();
                            kernel.set_arg(i, &mem).of("clSetKernelArg")?;
                        }
                        WordsKind::Shared(SharedAllocation { address, .. }) => kernel
                            .set_arg_svm_pointer(i, *address)
                            .of("clSetKernelArgSVMPointer")?,
                        WordsKind::System(memory) => kernel
                            .set_arg_svm_pointer(i, memory.pointer())
                            .of("clSetKernelArgSVMPointer")?,
                    },
                    Arg::Uint(v) => kernel.set_arg(i, v).of("clSetKernelArg")?,
                    Arg::Local(words) => kernel
                        .set_arg_local_buffer(i, words.max(&1) * 4)
                        .of("clSetKernelArg")?,
                }
            }
        }
        let (global, local) = ([groups * local], [local]);
        // SAFETY: one dimension, sizes that live through the call.
        let event = unsafe {
            self.queues[set][device].enqueue_nd_range_kernel(
                kernel.get(),
                1,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                &[],
            )
        }
        .of("clEnqueueNDRangeKernel")?;
        Ok(Launched(event))
    }

    /// Submits what a device's queue of a set holds.
    pub fn flush(&self, (set, device): (usize, usize)) -> Result<(), CallError> {
        self.queues[set][device].flush().of("clFlush")
    }

    /// Waits for everything in every queue.
    pub fn finish(&self) -> Result<(), CallError> {
        for queue in self.queues.iter().flatten() {
            queue.finish().of("clFinish")?;
        }
        Ok(())
    }

    /// The local size, at most `limit`, at which each work-group has `groups` full sub-groups of at
    /// least `width` work-items: the local size and the sub-groups' width.
    pub fn sub_group_shape(
        &self,
        device: usize,
        kernel: &Kernel,
        groups: usize,
        width: usize,
        limit: usize,
    ) -> Option<(usize, usize)> {
        let id = self.devices[device].id();
        let ask = |what, local: usize| -> Option<usize> {
            let input = [local];
            cl3::kernel::get_kernel_sub_group_info(
                kernel.get(),
                id,
                what,
                size_of_val(&input),
                input.as_ptr().cast::<c_void>(),
            )
            .ok()
            .map(usize::from)
        };
        let mut local = groups.max(width).next_power_of_two();
        while local <= limit {
            use opencl3::kernel::{
                CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
            };
            let size = ask(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local)?;
            let count = ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local)?;
            if size >= width && count >= groups && local / size.max(1) >= groups {
                return Some((local, size));
            }
            local *= 2;
        }
        None
    }

    /// Largest work-group of a kernel on a device.
    pub fn max_group(&self, device: usize, kernel: &Kernel) -> Result<usize, CallError> {
        kernel
            .get_work_group_size(self.devices[device].id())
            .of("clGetKernelWorkGroupInfo")
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

impl Words {
    /// A word of a shared allocation as an atomic, for host threads; `None` in a buffer or outside.
    pub fn shared(&self) -> Option<SharedWords> {
        match &self.kind {
            WordsKind::Shared(s) if s.atomics => Some(SharedWords {
                start: s.address.cast::<AtomicU32>(),
                len: self.len,
            }),
            WordsKind::Buffer(_) | WordsKind::Shared(_) | WordsKind::System(_) => None,
        }
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

/// A shared allocation as host threads see it. Valid while its [`Words`] live.
#[derive(Clone, Copy)]
pub struct SharedWords {
    start: *mut AtomicU32,
    len: usize,
}

// SAFETY: only atomic accesses are made through it, and those may come from any thread.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

impl SharedWords {
    /// The address of `bytes` bytes at byte `at`, aligned to `bytes`, for an atomic access.
    pub fn address(&self, at: usize, bytes: usize) -> *mut u8 {
        assert!(
            at + bytes <= self.len * 4 && at.is_multiple_of(bytes),
            "a host access stays inside its array and is aligned"
        );
        // SAFETY: the assertion keeps it inside the allocation.
        unsafe { self.start.cast::<u8>().add(at) }
    }

    /// The word at `index`.
    pub fn atomic(&self, index: usize) -> &AtomicU32 {
        // SAFETY: inside the allocation and aligned, by `address`.
        unsafe { AtomicU32::from_ptr(self.address(index * 4, 4).cast()) }
    }
}
