//! The things of one run: queues, objects, events, and memory of the host.

use super::bench::Bench;
use super::host::{HostWords, put};
use super::{Named, SetupError};
use cl3::command_queue as queue;
use cl3::memory as mem;
use cl3::types::{cl_command_queue, cl_context, cl_event, cl_kernel, cl_mem};
use classay_suites::commands::check::Plan;
use classay_suites::commands::memory::Read;
use classay_suites::commands::program::{
    CallbackId, CommandId, HostPointer, Kernel, Kind, MOST_CELLS, Object, ObjectId, Program, Token,
    What, Writer,
};
use classay_suites::commands::trace::{Seen, Times, Trace};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    System(HostWords),
    /// The variable of the kernels' program.
    Variable,
}

/// What a buffer was made over.
pub enum Under {
    /// Memory of the host.
    Host(HostWords),
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
    pub staging: Vec<Option<HostWords>>,
    /// The kernel object of each kernel command, and whether it is the one with the variable.
    pub kernels: Vec<Option<(Handle, bool)>>,
    /// Where each range that a kernel reads begins in its context's log, in cells.
    pub logged: BTreeMap<Read, usize>,
    /// The log of each context.
    pub logs: Vec<Option<Handle>>,
    services: Vec<Handle>,
    contexts: Vec<Handle>,
    /// Logs of native kernels.
    pub native_log: HostWords,
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
    patience: Duration,
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
            native_log: HostWords::new(0),
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
                    staging = Some(HostWords::new(usize::from(t.range.count) * words));
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
        world.native_log = HostWords::new(native * words);
        for (n, cells) in cells.into_iter().enumerate() {
            // One word more, for kernels that read nothing.
            let zeros = HostWords::new(cells * words + 1);
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
        Ok(super::play::enter(world))
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

    fn object(
        &self,
        bench: &mut Bench,
        id: ObjectId,
        object: &Object,
    ) -> Result<Memory, SetupError> {
        let words = usize::from(self.plan.program.cell_words);
        let cells = usize::from(object.cells);
        let size = cells * words * 4;
        let context = self.contexts[object.context.index()].0;
        let service = self.services[object.context.index()].0;
        let initial = || {
            let memory = HostWords::new(cells * words);
            // SAFETY: the memory has so many words.
            unsafe { self.begin(memory.pointer().cast(), id, cells) };
            memory
        };
        let buffer = |flags, pointer| {
            let flags = mem::CL_MEM_READ_WRITE | flags;
            // SAFETY: the pointer is to this many bytes, which the world keeps as long as the buffer.
            unsafe { mem::create_buffer(context, flags, size, pointer) }.of("clCreateBuffer")
        };
        Ok(match object.kind {
            Kind::Buffer(HostPointer::Copy) => {
                let memory = initial();
                let made = buffer(mem::CL_MEM_COPY_HOST_PTR, memory.pointer())?;
                Memory::Buffer(Handle(made), None)
            }
            Kind::Buffer(HostPointer::Alloc) => {
                let memory = initial();
                let flags = mem::CL_MEM_ALLOC_HOST_PTR | mem::CL_MEM_COPY_HOST_PTR;
                Memory::Buffer(Handle(buffer(flags, memory.pointer())?), None)
            }
            Kind::Buffer(HostPointer::Use) => {
                let memory = initial();
                let made = buffer(mem::CL_MEM_USE_HOST_PTR, memory.pointer())?;
                Memory::Buffer(Handle(made), Some(Under::Host(memory)))
            }
            Kind::Buffer(HostPointer::UseSvm) => {
                let svm = self.svm(context, service, id, cells, false)?;
                let made = buffer(mem::CL_MEM_USE_HOST_PTR, svm.0)?;
                Memory::Buffer(Handle(made), Some(Under::Svm(svm)))
            }
            Kind::SubBuffer { of, first } => {
                let Memory::Buffer(parent, _) = &self.objects[of.index()] else {
                    // The shape of a valid program excludes it.
                    return Err(SetupError {
                        call: "clCreateSubBuffer",
                        code: mem::CL_INVALID_VALUE,
                    });
                };
                let region = mem::cl_buffer_region {
                    origin: usize::from(first) * words * 4,
                    size,
                };
                // SAFETY: the parent is alive and the region is one.
                let made = unsafe {
                    mem::create_sub_buffer(
                        parent.0,
                        mem::CL_MEM_READ_WRITE,
                        mem::CL_BUFFER_CREATE_TYPE_REGION,
                        ptr::from_ref(&region).cast(),
                    )
                }
                .of("clCreateSubBuffer")?;
                Memory::Buffer(Handle(made), None)
            }
            Kind::SvmCoarse => Memory::Svm(self.svm(context, service, id, cells, false)?),
            Kind::SvmFine => Memory::Svm(self.svm(context, service, id, cells, true)?),
            Kind::SvmSystem => Memory::System(initial()),
            Kind::Variable => {
                self.begin_variable(bench, object.context.0, id, cells)?;
                Memory::Variable
            }
        })
    }

    /// Puts an object's first tokens.
    ///
    /// # Safety
    /// `start` points to the object's words, which nothing else uses.
    unsafe fn begin(&self, start: *mut u32, id: ObjectId, cells: usize) {
        let words = usize::from(self.plan.program.cell_words);
        for cell in 0..cells {
            let token = self.token(Writer::Creation(id), cell as u8);
            // SAFETY: the caller's.
            unsafe { put(start, cell, words, token) };
        }
    }

    /// An SVM allocation with its first tokens.
    fn svm(
        &self,
        context: cl_context,
        service: cl_command_queue,
        id: ObjectId,
        cells: usize,
        fine: bool,
    ) -> Result<Handle, SetupError> {
        let size = cells * usize::from(self.plan.program.cell_words) * 4;
        let flags = if fine {
            mem::CL_MEM_READ_WRITE | mem::CL_MEM_SVM_FINE_GRAIN_BUFFER
        } else {
            mem::CL_MEM_READ_WRITE
        };
        // SAFETY: the context is alive; the world frees the memory when nothing uses it any more.
        let svm = unsafe { mem::svm_alloc(context, flags, size, 0) }.of("clSVMAlloc")?;
        if fine {
            // SAFETY: fine-grain memory of this size that nothing else uses yet.
            unsafe { self.begin(svm.cast(), id, cells) };
            return Ok(Handle(svm));
        }
        // SAFETY: the allocation is mapped by a blocking call, written, and unmapped.
        unsafe {
            let map = queue::enqueue_svm_map(
                service,
                1,
                cl3::memory::CL_MAP_WRITE,
                svm,
                size,
                0,
                ptr::null(),
            )
            .of("clEnqueueSVMMap")?;
            release(map);
            self.begin(svm.cast(), id, cells);
            let unmap =
                queue::enqueue_svm_unmap(service, svm, 0, ptr::null()).of("clEnqueueSVMUnmap")?;
            release(unmap);
        }
        queue::finish(service).of("clFinish")?;
        Ok(Handle(svm))
    }

    /// The variable's first tokens, by a kernel of the harness's own.
    fn begin_variable(
        &self,
        bench: &mut Bench,
        context: u16,
        id: ObjectId,
        cells: usize,
    ) -> Result<(), SetupError> {
        let n = self.plan.program.commands.len();
        let bench = bench.context(context)?;
        let kernel = bench.kernel(n, true)?;
        let log = self.logs[usize::from(context)].map_or(ptr::null_mut(), |h| h.0);
        let token = self.token(Writer::Creation(id), 0);
        let args = Arguments {
            pointers: [Pointer::None; 4],
            log,
            ranges: [[0; 4], [0; 4], [0, cells as u32, 1, 0], [0; 4]],
            words: u32::from(self.plan.program.cell_words),
            token,
            spin: 0,
            which: Some(4),
        };
        args.set(kernel)?;
        let items = 16;
        // SAFETY: the kernel's arguments are set; it writes the program's own variable.
        unsafe {
            let event = queue::enqueue_nd_range_kernel(
                bench.service,
                kernel,
                1,
                ptr::null(),
                &items,
                ptr::null(),
                0,
                ptr::null(),
            )
            .of("clEnqueueNDRangeKernel")?;
            release(event);
        }
        queue::finish(bench.service).of("clFinish")
    }

    /// Ends the run: finishes what is left, waits for callbacks, collects what is known only now, and
    /// takes everything down.
    pub fn end(self: &Arc<World>) -> Result<Trace, SetupError> {
        let program = &self.plan.program;
        let deadline = Instant::now() + self.patience;
        let released: Vec<usize> = program
            .steps()
            .filter_map(|(_, step)| match step {
                classay_suites::commands::program::Step::ReleaseQueue(q) => Some(q.index()),
                _ => None,
            })
            .collect();
        for (n, q) in self.queues.iter().enumerate() {
            if !released.contains(&n) {
                // What it gives after a failure is the implementation's own affair.
                let _ = queue::finish(q.0);
            }
        }
        // Commands of released queues, and those that a broken finish left behind: their memory must
        // not go before they are done.
        let pending = || {
            self.events
                .iter()
                .map(|e| e.load(Ordering::Acquire))
                .any(|e| !e.is_null() && status(e).is_ok_and(|s| s > 0))
        };
        while pending() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(50));
        }
        let left_behind = pending();
        self.await_callbacks(deadline);
        let mut trace = {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *shared)
        };
        trace.run = self.run;
        trace.finished = Some(self.begun.elapsed().as_nanos() as u64);
        for (n, event) in self.events.iter().enumerate() {
            let event = event.load(Ordering::Acquire);
            if event.is_null() {
                continue;
            }
            if let Ok(last) = status(event) {
                trace.last.insert(CommandId::at(n), last);
                if last == 0
                    && let Some(times) = times(event)
                {
                    trace.times.insert(CommandId::at(n), times);
                }
            }
        }
        if left_behind {
            // Commands that never end keep their memory for as long as this process lives: taken
            // from under them it would be someone else's when they come to write.
            super::play::leave(self.number);
            std::mem::forget(self.clone());
            return Ok(trace);
        }
        self.read_logs(&mut trace)?;
        super::play::leave(self.number);
        self.take_down();
        Ok(trace)
    }

    fn await_callbacks(&self, deadline: Instant) {
        use classay_suites::commands::order::Fate;
        use classay_suites::commands::program::Reached;
        let program = &self.plan.program;
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let expected: Vec<CallbackId> = program
            .callbacks
            .iter()
            .enumerate()
            .filter(|(n, c)| {
                let place = self.plan.order.registered(CallbackId::at(*n));
                let fate = self.plan.order.fate_of_event(c.event);
                // One that could not be registered, because its command was refused, never comes.
                shared.codes.get(&place) == Some(&0)
                    && self.plan.order.completion(c.event).is_some()
                    && (c.at == Reached::Complete || fate == Fate::Completes)
            })
            .map(|(n, _)| CallbackId::at(n))
            .collect();
        loop {
            let missing = expected
                .iter()
                .any(|id| !shared.fired.iter().any(|f| f.callback == *id));
            let now = Instant::now();
            if !missing || now >= deadline {
                return;
            }
            shared = self
                .called
                .wait_timeout(shared, deadline - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// What kernels saw.
    fn read_logs(&self, trace: &mut Trace) -> Result<(), SetupError> {
        let program = &self.plan.program;
        let words = usize::from(program.cell_words);
        let mut logs: Vec<Option<HostWords>> = Vec::new();
        for (context, log) in self.logs.iter().enumerate() {
            let cells: usize = self
                .logged
                .keys()
                .filter(|read| self.context_of(**read) == Some(context))
                .map(|read| self.cells_of(*read))
                .sum();
            let Some(log) = log.filter(|_| cells > 0) else {
                logs.push(None);
                continue;
            };
            let memory = HostWords::new(cells * words);
            let size = cells * words * 4;
            // SAFETY: a blocking read into memory of this size.
            let read = unsafe {
                queue::enqueue_read_buffer(
                    self.services[context].0,
                    log.0,
                    1,
                    0,
                    size,
                    memory.pointer(),
                    0,
                    ptr::null(),
                )
            };
            match read {
                Ok(event) => {
                    release(event);
                    logs.push(Some(memory));
                }
                // After a failure the context may be gone, and what its kernels saw with it.
                Err(_) if self.plan.order.has_failures() => logs.push(None),
                Err(code) => {
                    return Err(SetupError {
                        call: "clEnqueueReadBuffer",
                        code,
                    });
                }
            }
        }
        for (read, first) in &self.logged {
            let memory = match self.context_of(*read) {
                Some(context) => match &logs[context] {
                    Some(memory) => memory,
                    None => continue,
                },
                None => &self.native_log,
            };
            let seen: Vec<Seen> = (0..self.cells_of(*read))
                // SAFETY: the log has these cells, and nothing writes it any more.
                .map(|n| unsafe { super::host::see(memory.pointer().cast(), first + n, words) })
                .collect();
            trace.reads.insert(*read, seen);
        }
        Ok(())
    }

    /// The context in whose log a kernel's read is; `None` for a native kernel's.
    fn context_of(&self, read: Read) -> Option<usize> {
        let Read::Kernel { command, .. } = read else {
            return None;
        };
        let command = &self.plan.program.commands[command.index()];
        match command.what {
            What::Kernel(_) => {
                let queue = self.plan.program.queues[command.queue.index()];
                Some(queue.context.index())
            }
            _ => None,
        }
    }

    fn cells_of(&self, read: Read) -> usize {
        self.plan.memory.reads().get(&read).map_or_else(
            || match read {
                // A command that does not run reads nothing, and its place in the log stays empty.
                Read::Kernel { command, range } => {
                    match &self.plan.program.commands[command.index()].what {
                        What::Kernel(k) | What::Native(k) => k
                            .reads
                            .get(usize::from(range))
                            .map_or(0, |r| usize::from(r.count)),
                        _ => 0,
                    }
                }
                Read::Command(_) | Read::Access(_) => 0,
            },
            Vec::len,
        )
    }

    fn take_down(&self) {
        let released = |wanted: &dyn Fn(&classay_suites::commands::program::Step) -> bool| {
            self.plan.program.steps().any(|(_, step)| wanted(step))
        };
        use classay_suites::commands::program::Step;
        for event in self.events.iter().chain(&self.users) {
            let event = event.swap(ptr::null_mut(), Ordering::AcqRel);
            if !event.is_null() {
                release(event);
            }
        }
        // Sub-buffers come after their parents, and go before them.
        for (n, object) in self.objects.iter().enumerate().rev() {
            let freed = self.plan.program.commands.iter().enumerate().any(|(c, command)| {
                let event = self.events_made[c].load(Ordering::Acquire);
                matches!(&command.what, What::Free(all) if event && all.contains(&ObjectId::at(n)))
            });
            let gone = freed || released(&|s| *s == Step::ReleaseObject(ObjectId::at(n)));
            let context = self.contexts[self.plan.program.objects[n].context.index()].0;
            match object {
                Memory::Buffer(buffer, under) => {
                    if !gone {
                        // SAFETY: the world's own handle, and all commands on it are done.
                        let _ = unsafe { mem::release_mem_object(buffer.0) };
                    }
                    if let Some(Under::Svm(svm)) = under {
                        // SAFETY: as above.
                        let _ = unsafe { mem::svm_free(context, svm.0) };
                    }
                }
                Memory::Svm(svm) if !gone => {
                    // SAFETY: as above.
                    let _ = unsafe { mem::svm_free(context, svm.0) };
                }
                Memory::Svm(_) | Memory::System(_) | Memory::Variable => {}
            }
        }
        for log in self.logs.iter().flatten() {
            // SAFETY: as above.
            let _ = unsafe { mem::release_mem_object(log.0) };
        }
        for (n, q) in self.queues.iter().enumerate() {
            let id = classay_suites::commands::program::QueueId::at(n);
            if !released(&|s| *s == Step::ReleaseQueue(id)) {
                // SAFETY: as above.
                let _ = unsafe { queue::release_command_queue(q.0) };
            }
        }
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

fn times(event: cl_event) -> Option<Times> {
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

/// How a kernel is given memory.
#[derive(Clone, Copy)]
pub enum Pointer {
    /// Not at all.
    None,
    /// As a buffer.
    Buffer(cl_mem),
    /// By address.
    Svm(*mut c_void),
}

/// The arguments of the workload's kernels.
pub struct Arguments {
    pub pointers: [Pointer; 4],
    pub log: cl_mem,
    pub ranges: [[u32; 4]; 4],
    pub words: u32,
    pub token: u32,
    pub spin: u32,
    /// For the kernel with the variable: which ranges are in it.
    pub which: Option<u32>,
}

impl Arguments {
    /// Sets them.
    pub fn set(&self, kernel: cl_kernel) -> Result<(), SetupError> {
        const CALL: &str = "clSetKernelArg";
        for (n, pointer) in self.pointers.iter().enumerate() {
            let n = n as u32;
            let size = size_of::<cl_mem>();
            // SAFETY: the first four arguments are pointers to global memory.
            unsafe {
                match pointer {
                    Pointer::None => {
                        let null: cl_mem = ptr::null_mut();
                        cl3::kernel::set_kernel_arg(kernel, n, size, ptr::from_ref(&null).cast())
                    }
                    Pointer::Buffer(buffer) => {
                        cl3::kernel::set_kernel_arg(kernel, n, size, ptr::from_ref(buffer).cast())
                    }
                    Pointer::Svm(pointer) => {
                        cl3::kernel::set_kernel_arg_svm_pointer(kernel, n, *pointer)
                    }
                }
            }
            .of(CALL)?;
        }
        let mut at = 4;
        let mut set = |size: usize, value: *const c_void| {
            at += 1;
            // SAFETY: the value has this size, which is the argument's type.
            unsafe { cl3::kernel::set_kernel_arg(kernel, at - 1, size, value) }.of(CALL)
        };
        set(size_of::<cl_mem>(), ptr::from_ref(&self.log).cast())?;
        for range in &self.ranges {
            set(16, range.as_ptr().cast())?;
        }
        for word in [&self.words, &self.token, &self.spin] {
            set(4, ptr::from_ref(word).cast())?;
        }
        match &self.which {
            Some(which) => set(4, ptr::from_ref(which).cast()),
            None => Ok(()),
        }
    }
}

/// Keeps cells within what tokens can name.
const _: () = assert!(MOST_CELLS < 127);
