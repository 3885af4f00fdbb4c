//! What a thread knows of the objects it made.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use opencl_sys::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Bytes of host memory that a thread's commands read and write.
pub const HOST_BYTES: usize = 1 << 16;

/// Callbacks that have come, in the whole process.
pub static CALLBACKS: AtomicU64 = AtomicU64::new(0);

/// Whether a user event has been set: nothing that waits for it may be waited for before.
pub type Flag = Arc<AtomicBool>;

/// Whether all of these user events have been set.
pub fn set(flags: &[Flag]) -> bool {
    flags.iter().all(|flag| flag.load(Ordering::SeqCst))
}

/// A fault of the calls that the checks must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// One in eight commands is not enqueued.
    Lost,
    /// Commands do not wait for those before them.
    Unordered,
    /// The fills of linear memory are one pattern short.
    Short,
}

impl Plant {
    pub const ALL: [Self; 3] = [Self::Lost, Self::Unordered, Self::Short];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plant| plant.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Unordered => "unordered",
            Self::Short => "short",
        }
    }
}

/// Contexts: the shared one and the thread's own.
pub const SHARED: usize = 0;
pub const OWN: usize = 1;

pub struct ContextModel {
    pub handle: cl_context,
    /// A built program with the kernels of [`SOURCE`].
    pub program: cl_program,
}

pub struct QueueModel {
    pub handle: cl_command_queue,
    pub references: u32,
    pub context: usize,
    /// User events that something in it waits for.
    pub waits: Vec<Flag>,
}

pub struct BufferModel {
    pub handle: cl_mem,
    pub references: u32,
    pub context: usize,
    pub size: usize,
    pub flags: cl_mem_flags,
    /// Addresses of its mappings, each as often as it is mapped.
    pub mappings: Vec<*mut c_void>,
    pub parent: Option<cl_mem>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    User,
    Command,
}

pub struct EventModel {
    pub handle: cl_event,
    pub references: u32,
    pub context: usize,
    pub kind: EventKind,
    /// The user events that it waits for; of a user event, its own flag.
    pub waits: Vec<Flag>,
}

pub struct KernelModel {
    pub handle: cl_kernel,
    pub references: u32,
}

pub struct SvmModel {
    pub start: *mut c_void,
    pub size: usize,
    pub context: usize,
}

/// The program of every context.
pub const SOURCE: &str = "
    kernel void fill(global uint *out, uint n, uint value) {
        if (get_global_id(0) < n) out[get_global_id(0)] = value;
    }
    kernel void sum(global const uint *in, global uint *out, uint n, local uint *all) {
        size_t l = get_local_id(0);
        all[l] = get_global_id(0) < n ? in[get_global_id(0)] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            uint total = 0;
            for (size_t i = 0; i < get_local_size(0); i++) total += all[i];
            atomic_add(out, total);
        }
    }
    kernel void turn(global uchar *bytes, uint n) {
        if (get_global_id(0) < n) bytes[get_global_id(0)] = bytes[get_global_id(0)] * 3 + 1;
    }";

/// One thread's part of a round.
pub struct World {
    pub random: Random,
    pub device: cl_device_id,
    pub contexts: [ContextModel; 2],
    /// The first two are shared.
    pub queues: Vec<QueueModel>,
    pub buffers: Vec<BufferModel>,
    pub events: Vec<EventModel>,
    pub kernels: Vec<KernelModel>,
    pub svm: Vec<SvmModel>,
    /// A queue of the thread's own context was released with work in it: when that work has
    /// ended cannot be told, so shared virtual memory is not freed before its context.
    pub loose: bool,
    /// Handles of objects that the thread has released for good.
    pub gone: Vec<*mut c_void>,
    /// Callbacks that must have come by the end.
    pub callbacks: u64,
    /// A user event was ended with an error: commands may fail with it.
    pub failures: bool,
    pub host: Vec<u8>,
    /// Host memory of `CL_MEM_USE_HOST_PTR`, for as long as the round.
    pub lent: Vec<Vec<u64>>,
    /// The device offers images.
    pub images: bool,
    /// What is done wrong on purpose.
    pub plant: Option<Plant>,
    /// The last calls, for a finding.
    pub trail: Vec<String>,
}

/// A stream of choices.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self(random)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }

    /// Once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

impl World {
    /// Ends the process if a call returned none of these codes.
    pub fn expect(&mut self, call: &str, code: cl_int, expected: &[cl_int]) {
        self.trail.push(format!("{call} = {code}"));
        if self.trail.len() > 64 {
            self.trail.drain(..32);
        }
        if !expected.contains(&code) {
            self.found(&format!(
                "{call} returned {code}, expected one of {expected:?}"
            ));
        }
    }

    /// Ends the process because the model and the library disagree.
    pub fn found(&self, what: &str) -> ! {
        let mut text = String::from("the last calls of the thread:\n");
        for line in &self.trail {
            text += &format!("    {line}\n");
        }
        eprintln!("{text}finding: {what}");
        std::process::exit(1);
    }

    /// A place in `list`, or none if it is empty.
    pub fn pick<T>(&mut self, list: fn(&Self) -> &Vec<T>) -> Option<usize> {
        let count = list(self).len();
        (count != 0).then(|| self.random.below(count))
    }

    /// A buffer of a context.
    pub fn buffer_in(&mut self, context: usize) -> Option<usize> {
        let places: Vec<usize> = (0..self.buffers.len())
            .filter(|&place| self.buffers[place].context == context)
            .collect();
        (!places.is_empty()).then(|| self.random.of(&places))
    }

    /// A handle that is no object of the wanted type: null, an address in the middle of
    /// nowhere, memory of the program, or an object of another type.
    pub fn foreign(&mut self, other: *mut c_void) -> *mut c_void {
        let host = self.host.as_mut_ptr().cast::<c_void>();
        self.random.of(&[
            null_mut(),
            0x10 as *mut c_void,
            usize::MAX as *mut c_void,
            host,
            other,
        ])
    }

    /// A place in the thread's host memory with room for `size` bytes.
    pub fn host_place(&mut self, size: usize) -> *mut c_void {
        let start = self.random.below(HOST_BYTES - size);
        self.host[start..].as_mut_ptr().cast()
    }
}
