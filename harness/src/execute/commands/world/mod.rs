//! The things of one run: queues, objects, events, and memory of the host.
//!
//! [`objects`] makes what is in memory, [`end`] collects what is known only when all is finished and
//! takes everything down, [`arguments`] are those of the workload's kernels.

mod arguments;
mod end;
mod objects;

pub use arguments::{Arguments, Pointer};

use super::bench::Bench;
use super::patience::Patience;
use super::{Named, SetupError};
use crate::execute::memory::HostMemory;
use cl3::memory as mem;
use cl3::types::{cl_context, cl_event};
use classay_suites::commands::check::Plan;
use classay_suites::commands::memory::Read;
use classay_suites::commands::program::{
    CommandId, Kernel, Kind, ObjectId, Program, Token, What, Writer,
};
use classay_suites::commands::trace::{Times, Trace};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// A handle that threads may share: the specification makes the functions that take it safe to call
/// from several threads at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub *mut c_void);

// SAFETY: an opaque handle; see above.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// An object of the program.
pub enum Memory {
    /// A buffer or sub-buffer, with the memory that it was made over.
    Buffer(Handle, Option<Under>),
    /// An SVM allocation.
    Svm(Handle),
    /// Memory of the host.
    System(HostMemory),
    /// The variable of the kernels' program.
    Variable,
}

/// What a buffer was made over.
pub enum Under {
    /// Memory of the host.
    Host(HostMemory),
    /// An SVM allocation.
    Svm(Handle),
}

/// A run of a program.
pub struct World {
    pub plan: Arc<Plan>,
    pub run: u32,
    pub queues: Vec<Handle>,
    pub objects: Vec<Memory>,
    /// Events of commands; null until they are enqueued, and after their release.
    pub events: Vec<AtomicPtr<c_void>>,
    /// Whether commands were enqueued.
    pub events_made: Vec<AtomicBool>,
    /// User events.
    pub users: Vec<AtomicPtr<c_void>>,
    /// Pointers of maps.
    pub maps: Vec<AtomicPtr<c_void>>,
    /// Where a command's data is on the host: a read's destination, a write's source.
    pub staging: Vec<Option<HostMemory>>,
    /// The kernel object of each kernel command, and whether it is the one with the variable.
    pub kernels: Vec<Option<(Handle, bool)>>,
    /// Where each range that a kernel reads begins in its context's log, in cells.
    pub logged: BTreeMap<Read, usize>,
    /// The log of each context.
    pub logs: Vec<Option<Handle>>,
    services: Vec<Handle>,
    contexts: Vec<Handle>,
    /// Logs of native kernels.
    pub native_log: HostMemory,
    pub signals: Vec<Signal>,
    pub clock: AtomicU64,
    /// When the run began.
    pub begun: Instant,
    /// What callbacks add to; threads bring theirs when they end.
    pub shared: Mutex<Trace>,
    pub called: Condvar,
    /// Its number in the table of worlds.
    pub number: u64,
    /// How long the end waits for commands and callbacks that should be done.
    patience: Arc<Patience>,
}

/// A signal between host threads.
#[derive(Default)]
pub struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    /// Gives it.
    pub fn give(&self) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for it.
    pub fn wait(&self) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        while !*given {
            given = self
                .changed
                .wait(given)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn nulls(n: usize) -> Vec<AtomicPtr<c_void>> {
    (0..n).map(|_| AtomicPtr::new(ptr::null_mut())).collect()
}

impl World {
    /// Makes everything that the program begins with.
    pub fn make(bench: &mut Bench, plan: &Arc<Plan>, run: u32) -> Result<Arc<World>, SetupError> {
        let program = &plan.program;
        let words = usize::from(program.cell_words);
        let mut world = World {
            plan: plan.clone(),
            run,
            queues: Vec::new(),
            objects: Vec::new(),
            events: nulls(program.commands.len()),
            events_made: program
                .commands
                .iter()
                .map(|_| AtomicBool::new(false))
                .collect(),
            users: Vec::new(),
            maps: nulls(program.commands.len()),
            staging: Vec::new(),
            kernels: Vec::new(),
            logged: BTreeMap::new(),
            logs: Vec::new(),
            services: Vec::new(),
            contexts: Vec::new(),
            native_log: HostMemory::words(0),
            signals: (0..program.signals).map(|_| Signal::default()).collect(),
            clock: AtomicU64::new(1),
            begun: Instant::now(),
            shared: Mutex::new(Trace {
                run,
                ..Trace::default()
            }),
            called: Condvar::new(),
            number: 0,
            patience: bench.patience(),
        };
        for n in 0..u16::from(program.contexts) {
            let context = bench.context(n)?;
            world.contexts.push(Handle(context.context));
            world.services.push(Handle(context.service));
        }
        for q in &program.queues {
            let context = world.contexts[q.context.index()].0;
            let made = bench.queue(context, bench.device(q.device), q.out_of_order)?;
            world.queues.push(Handle(made));
        }
        for context in &program.users {
            let event = cl3::event::create_user_event(world.contexts[context.index()].0)
                .of("clCreateUserEvent")?;
            world.users.push(AtomicPtr::new(event));
        }
        world.log_places(program);
        let mut cells = vec![0; usize::from(program.contexts)];
        let mut native = 0;
        for (n, command) in program.commands.iter().enumerate() {
            let context = program.queues[command.queue.index()].context;
            let (mut kernel, mut staging) = (None, None);
            match &command.what {
                What::Kernel(k) => {
                    let variable = k
                        .reads
                        .iter()
                        .chain(&k.writes)
                        .any(|r| program.objects[r.object.index()].kind == Kind::Variable);
                    let object = bench.context(context.0)?.kernel(n, variable)?;
                    kernel = Some((Handle(object), variable));
                    cells[context.index()] += log_cells(k);
                }
                What::Native(k) => native += log_cells(k),
                What::Read(t) | What::Write(t) => {
                    staging = Some(HostMemory::words(usize::from(t.range.count) * words));
                }
                What::Copy { .. }
                | What::Fill(_)
                | What::Map { .. }
                | What::Unmap(_)
                | What::Migrate { .. }
                | What::Free(_)
                | What::Marker
                | What::Barrier => {}
            }
            world.kernels.push(kernel);
            world.staging.push(staging);
        }
        world.native_log = HostMemory::words(native * words);
        for (n, cells) in cells.into_iter().enumerate() {
            // One word more, for kernels that read nothing.
            let zeros = HostMemory::words(cells * words + 1);
            let flags = mem::CL_MEM_READ_WRITE | mem::CL_MEM_COPY_HOST_PTR;
            let context = world.contexts[n].0;
            // SAFETY: the memory has this size and is copied by the call.
            let log =
                unsafe { mem::create_buffer(context, flags, zeros.len() * 4, zeros.pointer()) }
                    .of("clCreateBuffer")?;
            world.logs.push(Some(Handle(log)));
        }
        for (n, object) in program.objects.iter().enumerate() {
            let made = world.object(bench, ObjectId::at(n), object)?;
            world.objects.push(made);
        }
        let world = Arc::new(world);
        Ok(super::worlds::enter(world))
    }

    /// Decides where in its log each range goes.
    fn log_places(&mut self, program: &Program) {
        let mut next = vec![0; usize::from(program.contexts)];
        let mut native = 0;
        for (n, command) in program.commands.iter().enumerate() {
            let context = program.queues[command.queue.index()].context.index();
            let (kernel, at) = match &command.what {
                What::Kernel(kernel) => (kernel, &mut next[context]),
                What::Native(kernel) => (kernel, &mut native),
                What::Read(_)
                | What::Write(_)
                | What::Copy { .. }
                | What::Fill(_)
                | What::Map { .. }
                | What::Unmap(_)
                | What::Migrate { .. }
                | What::Free(_)
                | What::Marker
                | What::Barrier => continue,
            };
            for (range, cells) in kernel.reads.iter().enumerate() {
                let read = Read::Kernel {
                    command: CommandId::at(n),
                    range: range as u8,
                };
                self.logged.insert(read, *at);
                *at += usize::from(cells.count);
            }
        }
    }

    /// A context's handle.
    pub fn context(&self, n: usize) -> cl_context {
        self.contexts[n].0
    }

    /// The token of a writer.
    pub fn token(&self, writer: Writer, cell: u8) -> u32 {
        Token::of(self.run, writer, cell).0
    }
}

fn log_cells(kernel: &Kernel) -> usize {
    kernel.reads.iter().map(|r| usize::from(r.count)).sum()
}

/// Releases an event that nothing uses any more.
pub fn release(event: cl_event) {
    // SAFETY: the caller owns the reference.
    let _ = unsafe { cl3::event::release_event(event) };
}

/// CL_EVENT_COMMAND_EXECUTION_STATUS.
pub fn status(event: cl_event) -> Result<i32, i32> {
    cl3::event::get_event_info(event, cl3::event::CL_EVENT_COMMAND_EXECUTION_STATUS)
        .map(|info| info.to_int())
}

pub(super) fn times(event: cl_event) -> Option<Times> {
    use cl3::event as e;
    let time = |name| {
        e::get_event_profiling_info(event, name)
            .ok()
            .map(|info| info.to_ulong())
    };
    Some(Times {
        queued: time(e::CL_PROFILING_COMMAND_QUEUED)?,
        submit: time(e::CL_PROFILING_COMMAND_SUBMIT)?,
        start: time(e::CL_PROFILING_COMMAND_START)?,
        end: time(e::CL_PROFILING_COMMAND_END)?,
        complete: time(e::CL_PROFILING_COMMAND_COMPLETE),
    })
}
