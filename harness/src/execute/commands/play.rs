//! Plays the host threads of a run: each step is a call, with a stamp before and one after it.

use super::host::{put, see};
use super::world::{Arguments, Memory, Pointer, Under, World, status};
use cl3::command_queue as queue;
use cl3::types::{cl_event, cl_int, cl_mem};
use classay_suites::commands::memory::{Read, in_place};
use classay_suites::commands::order::Moment;
use classay_suites::commands::program::{
    ANY_CELL, AccessId, CallbackId, CommandId, Event, Kernel, MapMode, ObjectId, Place, Range,
    Reached, Step, Transfer, What, Who, Writer,
};
use classay_suites::commands::trace::{Fired, Seen, Trace};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The worlds that callbacks and native kernels can find.
fn worlds() -> &'static Mutex<HashMap<u64, Arc<World>>> {
    static WORLDS: OnceLock<Mutex<HashMap<u64, Arc<World>>>> = OnceLock::new();
    WORLDS.get_or_init(Mutex::default)
}

/// Gives a world its number, by which callbacks find it.
pub fn enter(mut world: Arc<World>) -> Arc<World> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    if let Some(world) = Arc::get_mut(&mut world) {
        world.number = number;
    }
    let mut all = worlds().lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(number, world.clone());
    world
}

/// Lets callbacks that come later find nothing.
pub fn leave(number: u64) {
    let mut all = worlds().lock().unwrap_or_else(PoisonError::into_inner);
    all.remove(&number);
}

fn find(number: u64) -> Option<Arc<World>> {
    let all = worlds().lock().unwrap_or_else(PoisonError::into_inner);
    all.get(&number).cloned()
}

/// Plays all threads to their ends.
pub fn play(world: &Arc<World>) {
    let threads = &world.plan.program.threads;
    std::thread::scope(|scope| {
        for n in 1..threads.len() {
            scope.spawn(move || thread(world, n));
        }
        thread(world, 0);
    });
}

fn thread(world: &World, n: usize) {
    let mut player = Player {
        world,
        trace: Trace::default(),
    };
    for (step, what) in world.plan.program.threads[n].iter().enumerate() {
        let place = Place {
            who: Who::Thread(n as u16),
            step: step as u16,
        };
        player.step(place, what);
    }
    world.add(player.trace);
}

impl World {
    fn stamp(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    fn nanoseconds(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    fn add(&self, part: Trace) {
        let mut all = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        all.reads.extend(part.reads);
        all.stamps.extend(part.stamps);
        all.clock.extend(part.clock);
        all.codes.extend(part.codes);
        all.statuses.extend(part.statuses);
        all.fired.extend(part.fired);
        all.elsewhere.extend(part.elsewhere);
    }

    fn event(&self, event: Event) -> cl_event {
        match event {
            Event::Command(c) => self.events[c.index()].load(Ordering::Acquire),
            Event::User(u) => self.users[u.index()].load(Ordering::Acquire),
        }
    }

    fn bytes(&self, cells: u8) -> usize {
        usize::from(cells) * usize::from(self.plan.program.cell_words) * 4
    }

    fn words(&self) -> usize {
        usize::from(self.plan.program.cell_words)
    }

    fn buffer(&self, object: ObjectId) -> Option<cl_mem> {
        match &self.objects[object.index()] {
            Memory::Buffer(handle, _) => Some(handle.0),
            Memory::Svm(_) | Memory::System(_) | Memory::Variable => None,
        }
    }

    /// Where an object is that commands reach by pointer.
    fn pointer(&self, object: ObjectId) -> Option<*mut c_void> {
        match &self.objects[object.index()] {
            Memory::Svm(handle) => Some(handle.0),
            Memory::System(words) => Some(words.pointer()),
            Memory::Buffer(..) | Memory::Variable => None,
        }
    }

    fn cell_pointer(&self, range: Range) -> Option<*mut c_void> {
        let base = self.pointer(range.object)?;
        Some(
            base.cast::<u8>()
                .wrapping_add(self.bytes(range.first))
                .cast(),
        )
    }
}

struct Player<'w> {
    world: &'w World,
    trace: Trace,
}

impl Player<'_> {
    fn step(&mut self, place: Place, step: &Step) {
        let world = self.world;
        self.trace
            .clock
            .insert(Moment::Call(place), world.nanoseconds());
        let call = world.stamp();
        self.trace.stamps.insert(Moment::Call(place), call);
        let code = match step {
            Step::Enqueue(id) => Some(self.enqueue(*id)),
            Step::Flush(q) => Some(code(queue::flush(world.queues[q.index()].0))),
            Step::Finish(q) => Some(code(queue::finish(world.queues[q.index()].0))),
            Step::Wait(events) => {
                let events: Vec<cl_event> = events.iter().map(|e| world.event(*e)).collect();
                (!events.iter().any(|e| e.is_null()))
                    .then(|| code(cl3::event::wait_for_events(&events)))
            }
            Step::Set { user, status } => {
                let event = world.event(Event::User(*user));
                Some(code(cl3::event::set_user_event_status(event, *status)))
            }
            Step::Register(id) => self.register(*id),
            Step::Access(id) => {
                self.access(*id);
                None
            }
            Step::Inspect(id) => {
                self.inspect(*id);
                None
            }
            Step::Status(event) => {
                let event = world.event(*event);
                (!event.is_null()).then(|| match status(event) {
                    Ok(told) => {
                        self.trace.statuses.insert(place, told);
                        0
                    }
                    Err(code) => code,
                })
            }
            Step::Signal(id) => {
                world.signals[id.index()].give();
                None
            }
            Step::Await(id) => {
                world.signals[id.index()].wait();
                None
            }
            Step::Sleep(micros) => {
                pause(Duration::from_micros(u64::from(*micros)));
                None
            }
            Step::Yield(times) => {
                for _ in 0..*times {
                    std::thread::yield_now();
                }
                None
            }
            Step::ReleaseEvent(event) => {
                let place = match event {
                    Event::Command(c) => &world.events[c.index()],
                    Event::User(u) => &world.users[u.index()],
                };
                let event = place.swap(ptr::null_mut(), Ordering::AcqRel);
                // SAFETY: the world's own reference, taken out so that nothing else uses it.
                (!event.is_null()).then(|| code(unsafe { cl3::event::release_event(event) }))
            }
            Step::ReleaseQueue(q) => {
                let q = world.queues[q.index()].0;
                // SAFETY: the world's own reference; a valid program does not use it afterwards.
                Some(code(unsafe { queue::release_command_queue(q) }))
            }
            Step::ReleaseObject(id) => self.release_object(*id),
        };
        let back = world.stamp();
        self.trace.stamps.insert(Moment::Return(place), back);
        self.trace
            .clock
            .insert(Moment::Return(place), world.nanoseconds());
        if let Some(code) = code {
            self.trace.codes.insert(place, code);
        }
    }

    fn release_object(&self, id: ObjectId) -> Option<i32> {
        match &self.world.objects[id.index()] {
            Memory::Buffer(buffer, _) => {
                // SAFETY: the world's own reference; a valid program does not use it afterwards.
                Some(code(unsafe { cl3::memory::release_mem_object(buffer.0) }))
            }
            Memory::Svm(svm) => {
                // Any context's handle would do to find it: queues of the program have it.
                let object = self.world.plan.program.objects[id.index()];
                let context = self.world.context(object.context.index());
                // SAFETY: no command uses it any more, as the program's order proves.
                Some(code(unsafe { cl3::memory::svm_free(context, svm.0) }))
            }
            Memory::System(_) | Memory::Variable => None,
        }
    }

    fn register(&mut self, id: CallbackId) -> Option<i32> {
        let callback = &self.world.plan.program.callbacks[id.index()];
        let event = self.world.event(callback.event);
        let at = match callback.at {
            Reached::Submitted => cl3::event::CL_SUBMITTED,
            Reached::Running => cl3::event::CL_RUNNING,
            Reached::Complete => cl3::event::CL_COMPLETE,
        };
        let data = (self.world.number << 12 | u64::from(id.0)) as usize as *mut c_void;
        (!event.is_null()).then(|| code(cl3::event::set_event_callback(event, at, called, data)))
    }

    fn access(&mut self, id: AccessId) {
        let world = self.world;
        let access = &world.plan.program.accesses[id.index()];
        let base = match access.map {
            Some(map) => {
                let What::Map { range, .. } = &world.plan.program.commands[map.index()].what else {
                    return;
                };
                let pointer = world.maps[map.index()].load(Ordering::Acquire);
                if pointer.is_null() {
                    return;
                }
                pointer
                    .cast::<u8>()
                    .wrapping_sub(world.bytes(range.first))
                    .cast::<u32>()
            }
            None => match world.pointer(access.range.object) {
                Some(pointer) => pointer.cast(),
                None => return,
            },
        };
        let words = world.words();
        if access.write {
            let first = world.plan.program.root(access.range.object).1;
            for cell in access.range.cells() {
                let token = world.token(Writer::Access(id), first + cell);
                // SAFETY: the cell is in the object, or in the part of it that is mapped, and the
                // program's order keeps others from it.
                unsafe { put(base, usize::from(cell), words, token) };
            }
        } else {
            let seen: Vec<Seen> = access
                .range
                .cells()
                // SAFETY: as above.
                .map(|cell| unsafe { see(base, usize::from(cell), words) })
                .collect();
            self.trace.reads.insert(Read::Access(id), seen);
        }
    }

    fn inspect(&mut self, id: CommandId) {
        let world = self.world;
        if world.events[id.index()].load(Ordering::Acquire).is_null() {
            return;
        }
        if let (Some(memory), What::Read(transfer)) = (
            &world.staging[id.index()],
            &world.plan.program.commands[id.index()].what,
        ) {
            let seen: Vec<Seen> = (0..usize::from(transfer.range.count))
                // SAFETY: the destination has these cells.
                .map(|cell| unsafe { see(memory.pointer().cast(), cell, world.words()) })
                .collect();
            self.trace.reads.insert(Read::Command(id), seen);
        }
    }

    /// Enqueues a command; the code of the first call that failed, or of the last.
    fn enqueue(&mut self, id: CommandId) -> i32 {
        let world = self.world;
        let command = &world.plan.program.commands[id.index()];
        let q = world.queues[command.queue.index()].0;
        let wait: Vec<cl_event> = command.wait.iter().map(|e| world.event(*e)).collect();
        if wait.iter().any(|e| e.is_null()) {
            return NOT_CALLED;
        }
        let n = wait.len() as u32;
        let list = if wait.is_empty() {
            ptr::null()
        } else {
            wait.as_ptr()
        };
        let blocking = u32::from(command.blocking);
        let made = match &command.what {
            What::Kernel(kernel) => self.kernel(id, kernel, n, list),
            What::Native(kernel) => self.native(id, kernel, n, list),
            What::Read(transfer) => {
                // What it does not write shows.
                if let Some(memory) = &world.staging[id.index()] {
                    (0..memory.len()).for_each(|at| memory.put(at, 0));
                }
                self.transfer(id, transfer, false, blocking, n, list)
            }
            What::Write(transfer) => {
                let first = world.plan.program.root(transfer.range.object).1;
                if let Some(memory) = &world.staging[id.index()] {
                    for (at, cell) in transfer.range.cells().enumerate() {
                        let token = world.token(Writer::Command(id), first + cell);
                        // SAFETY: the source has these cells, and the command is not enqueued yet.
                        unsafe { put(memory.pointer().cast(), at, world.words(), token) };
                    }
                }
                let made = self.transfer(id, transfer, true, blocking, n, list);
                // After a blocking write the application may use its memory again.
                if command.blocking
                    && let Some(memory) = &world.staging[id.index()]
                {
                    (0..memory.len()).for_each(|at| memory.put(at, 0));
                }
                made
            }
            What::Copy { from, to, rect } => self.copy(q, *from, *to, *rect, n, list),
            What::Fill(range) => {
                let token = world.token(Writer::Command(id), ANY_CELL);
                let pattern = ptr::from_ref(&token).cast();
                let size = world.bytes(range.count);
                match (world.buffer(range.object), world.cell_pointer(*range)) {
                    // SAFETY: the range is in the buffer; the pattern is copied by the call.
                    (Some(buffer), _) => unsafe {
                        let offset = world.bytes(range.first);
                        queue::enqueue_fill_buffer(q, buffer, pattern, 4, offset, size, n, list)
                    },
                    // SAFETY: the range is in the allocation; the pattern is copied by the call.
                    (None, Some(pointer)) => unsafe {
                        queue::enqueue_svm_mem_fill(q, pointer, pattern, 4, size, n, list)
                    },
                    (None, None) => Err(NOT_CALLED),
                }
            }
            What::Map { range, mode } => self.map(id, *range, *mode, blocking, n, list),
            What::Unmap(map) => self.unmap(q, *map, n, list),
            What::Migrate { objects, to_host } => self.migrate(q, objects, *to_host, n, list),
            What::Free(objects) => self.free(q, objects, n, list),
            // SAFETY: the list has n events.
            What::Marker => unsafe { queue::enqueue_marker_with_wait_list(q, n, list) },
            // SAFETY: the list has n events.
            What::Barrier => unsafe { queue::enqueue_barrier_with_wait_list(q, n, list) },
        };
        match made {
            Ok(event) => {
                world.events[id.index()].store(event, Ordering::Release);
                world.events_made[id.index()].store(true, Ordering::Release);
                0
            }
            Err(code) => code,
        }
    }

    fn argument(&self, range: &Range) -> (Pointer, bool) {
        match &self.world.objects[range.object.index()] {
            Memory::Buffer(buffer, _) => (Pointer::Buffer(buffer.0), false),
            // A pointer into the middle: to the range's first cell.
            Memory::Svm(_) | Memory::System(_) => match self.world.cell_pointer(*range) {
                Some(pointer) => (Pointer::Svm(pointer), false),
                None => (Pointer::None, false),
            },
            Memory::Variable => (Pointer::None, true),
        }
    }

    fn kernel(
        &self,
        id: CommandId,
        kernel: &Kernel,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let program = &world.plan.program;
        let q = program.commands[id.index()].queue;
        let context = program.queues[q.index()].context.index();
        let Some((object, variable)) = world.kernels[id.index()] else {
            return Err(NOT_CALLED);
        };
        let mut args = Arguments {
            pointers: [Pointer::None; 4],
            log: world.logs[context].map_or(ptr::null_mut(), |h| h.0),
            ranges: [[0; 4]; 4],
            words: u32::from(program.cell_words),
            token: world.token(Writer::Command(id), 0),
            spin: kernel.spin,
            which: None,
        };
        let mut which = 0;
        for (at, range) in kernel.reads.iter().enumerate() {
            let read = Read::Kernel {
                command: id,
                range: at as u8,
            };
            let place = world.logged.get(&read).copied().unwrap_or_default();
            let (pointer, is_variable) = self.argument(range);
            args.pointers[at] = pointer;
            let first = if let Pointer::Svm(_) = pointer {
                0
            } else {
                range.first
            };
            args.ranges[at] = [
                u32::from(first),
                u32::from(range.count),
                u32::from(range.stride),
                place as u32,
            ];
            which |= u32::from(is_variable) << at;
        }
        for (at, range) in kernel.writes.iter().enumerate() {
            let (pointer, is_variable) = self.argument(range);
            args.pointers[2 + at] = pointer;
            let root = program.root(range.object).1;
            let (first, before) = if let Pointer::Svm(_) = pointer {
                (0, range.first)
            } else {
                (range.first, root)
            };
            args.ranges[2 + at] = [
                u32::from(first),
                u32::from(range.count),
                u32::from(range.stride),
                u32::from(before),
            ];
            which |= u32::from(is_variable) << (2 + at);
        }
        args.which = variable.then_some(which);
        args.set(object.0).map_err(|e| e.code)?;
        let items = usize::from(kernel.items);
        // SAFETY: the arguments fit the kernel, and their memory lives until the run's end.
        let made = unsafe {
            queue::enqueue_nd_range_kernel(
                world.queues[q.index()].0,
                object.0,
                1,
                ptr::null(),
                &items,
                ptr::null(),
                n,
                list,
            )
        };
        if kernel.reuse && made.is_ok() {
            // Arguments are those at the enqueue: these must reach nothing.
            args.token = 0;
            args.spin = 0;
            args.ranges = [[0, 0, 1, 0]; 4];
            args.set(object.0).map_err(|e| e.code)?;
        }
        made
    }

    fn native(
        &self,
        id: CommandId,
        kernel: &Kernel,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let mut args = NativeArguments {
            world: world.number,
            command: id.0,
            memory: [ptr::null_mut(); 4],
        };
        let mut objects: Vec<cl_mem> = Vec::new();
        let mut places: Vec<*const c_void> = Vec::new();
        let ranges = kernel
            .reads
            .iter()
            .enumerate()
            .chain(kernel.writes.iter().enumerate().map(|(n, r)| (n + 2, r)));
        for (at, range) in ranges {
            if let Some(buffer) = world.buffer(range.object) {
                args.memory[at] = buffer;
                objects.push(buffer);
                places.push(ptr::from_ref(&args.memory[at]).cast());
            }
        }
        let q = world.plan.program.commands[id.index()].queue;
        let (list_of_objects, list_of_places) = if objects.is_empty() {
            (ptr::null(), ptr::null())
        } else {
            (objects.as_ptr(), places.as_ptr())
        };
        // SAFETY: the function takes what is copied from `args`, in which the places are; they hold
        // the buffers that are listed.
        unsafe {
            queue::enqueue_native_kernel(
                world.queues[q.index()].0,
                Some(native_kernel),
                ptr::from_mut(&mut args).cast(),
                size_of::<NativeArguments>(),
                objects.len() as u32,
                list_of_objects,
                list_of_places,
                n,
                list,
            )
        }
    }

    fn transfer(
        &self,
        id: CommandId,
        transfer: &Transfer,
        write: bool,
        blocking: u32,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let q = world.queues[world.plan.program.commands[id.index()].queue.index()].0;
        let Some(memory) = &world.staging[id.index()] else {
            return Err(NOT_CALLED);
        };
        let range = transfer.range;
        let size = world.bytes(range.count);
        let host = memory.pointer();
        let Some(buffer) = world.buffer(range.object) else {
            let Some(pointer) = world.cell_pointer(range) else {
                return Err(NOT_CALLED);
            };
            let (to, from) = if write {
                (pointer, host)
            } else {
                (host, pointer)
            };
            // SAFETY: both have this size, and live until the run's end.
            return unsafe { queue::enqueue_svm_mem_cpy(q, blocking, to, from, size, n, list) };
        };
        let offset = world.bytes(range.first);
        if !transfer.rect {
            // SAFETY: the range is in the buffer, and the host's memory lives until the run's end.
            return unsafe {
                if write {
                    queue::enqueue_write_buffer(q, buffer, blocking, offset, size, host, n, list)
                } else {
                    queue::enqueue_read_buffer(q, buffer, blocking, offset, size, host, n, list)
                }
            };
        }
        // A cell is a row; rows of the buffer are a stride apart, those of the host follow each other.
        let origin = [0, 0, 0];
        let cell = world.bytes(1);
        let pitch = world.bytes(range.stride);
        let rows = [cell, usize::from(range.count), 1];
        let first = [offset % pitch, offset / pitch, 0];
        // SAFETY: the rectangle is in the buffer, and the host's memory has its rows.
        unsafe {
            if write {
                queue::enqueue_write_buffer_rect(
                    q,
                    buffer,
                    blocking,
                    first.as_ptr(),
                    origin.as_ptr(),
                    rows.as_ptr(),
                    pitch,
                    0,
                    cell,
                    0,
                    host,
                    n,
                    list,
                )
            } else {
                queue::enqueue_read_buffer_rect(
                    q,
                    buffer,
                    blocking,
                    first.as_ptr(),
                    origin.as_ptr(),
                    rows.as_ptr(),
                    pitch,
                    0,
                    cell,
                    0,
                    host,
                    n,
                    list,
                )
            }
        }
    }

    fn copy(
        &self,
        q: cl3::types::cl_command_queue,
        from: Range,
        to: Range,
        rect: bool,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let size = world.bytes(from.count);
        let (Some(a), Some(b)) = (world.buffer(from.object), world.buffer(to.object)) else {
            let (Some(a), Some(b)) = (world.cell_pointer(from), world.cell_pointer(to)) else {
                return Err(NOT_CALLED);
            };
            // SAFETY: both ranges are in their allocations, and do not overlap.
            return unsafe { queue::enqueue_svm_mem_cpy(q, 0, b, a, size, n, list) };
        };
        let (first, second) = (world.bytes(from.first), world.bytes(to.first));
        if !rect {
            // SAFETY: both ranges are in their buffers, and do not overlap.
            return unsafe { queue::enqueue_copy_buffer(q, a, b, first, second, size, n, list) };
        }
        let pitches = [world.bytes(from.stride), world.bytes(to.stride)];
        let origins = [
            [first % pitches[0], first / pitches[0], 0],
            [second % pitches[1], second / pitches[1], 0],
        ];
        let rows = [world.bytes(1), usize::from(from.count), 1];
        // SAFETY: both rectangles are in their buffers, and do not overlap.
        unsafe {
            queue::enqueue_copy_buffer_rect(
                q,
                a,
                b,
                origins[0].as_ptr(),
                origins[1].as_ptr(),
                rows.as_ptr(),
                pitches[0],
                0,
                pitches[1],
                0,
                n,
                list,
            )
        }
    }

    fn map(
        &mut self,
        id: CommandId,
        range: Range,
        mode: MapMode,
        blocking: u32,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let q = world.queues[world.plan.program.commands[id.index()].queue.index()].0;
        let flags = match mode {
            MapMode::Read => cl3::memory::CL_MAP_READ,
            MapMode::Write => cl3::memory::CL_MAP_WRITE,
            MapMode::ReadWrite => cl3::memory::CL_MAP_READ | cl3::memory::CL_MAP_WRITE,
            MapMode::Invalidate => cl3::memory::CL_MAP_WRITE_INVALIDATE_REGION,
        };
        let size = world.bytes(range.count);
        let Some(buffer) = world.buffer(range.object) else {
            let Some(pointer) = world.cell_pointer(range) else {
                return Err(NOT_CALLED);
            };
            world.maps[id.index()].store(pointer, Ordering::Release);
            // SAFETY: the range is in the allocation.
            return unsafe { queue::enqueue_svm_map(q, blocking, flags, pointer, size, n, list) };
        };
        let mut pointer: cl_mem = ptr::null_mut();
        let offset = world.bytes(range.first);
        // SAFETY: the range is in the buffer.
        let made = unsafe {
            queue::enqueue_map_buffer(
                q,
                buffer,
                blocking,
                flags,
                offset,
                size,
                &mut pointer,
                n,
                list,
            )
        };
        world.maps[id.index()].store(pointer, Ordering::Release);
        let program = &world.plan.program;
        let (root, first) = program.root(range.object);
        if in_place(program.objects[root.index()].kind)
            && let Memory::Buffer(_, Some(under)) = &world.objects[root.index()]
            && made.is_ok()
        {
            let base = match under {
                Under::Host(words) => words.pointer(),
                Under::Svm(svm) => svm.0,
            };
            let there = base
                .cast::<u8>()
                .wrapping_add(world.bytes(first) + offset)
                .cast();
            if pointer != there {
                self.trace.elsewhere.push(id);
            }
        }
        made
    }

    fn unmap(
        &self,
        q: cl3::types::cl_command_queue,
        map: CommandId,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let What::Map { range, .. } = &world.plan.program.commands[map.index()].what else {
            return Err(NOT_CALLED);
        };
        let pointer = world.maps[map.index()].load(Ordering::Acquire);
        if pointer.is_null() {
            return Err(NOT_CALLED);
        }
        match world.buffer(range.object) {
            // SAFETY: the pointer is the map's, and a valid program does not use it afterwards.
            Some(buffer) => unsafe { queue::enqueue_unmap_mem_object(q, buffer, pointer, n, list) },
            // SAFETY: as above.
            None => unsafe { queue::enqueue_svm_unmap(q, pointer, n, list) },
        }
    }

    fn free(
        &self,
        q: cl3::types::cl_command_queue,
        objects: &[ObjectId],
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let mut pointers: Vec<*const c_void> = objects
            .iter()
            .filter_map(|o| self.world.pointer(*o).map(<*mut c_void>::cast_const))
            .collect();
        let count = pointers.len() as u32;
        // SAFETY: the list has this length; a valid program does not use the memory afterwards.
        let made = unsafe {
            queue::enqueue_svm_free(
                q,
                count,
                pointers.as_mut_ptr(),
                None,
                ptr::null_mut(),
                n,
                list,
            )
        };
        // The array is the caller's again.
        pointers.fill(ptr::null());
        std::hint::black_box(&pointers);
        made
    }

    fn migrate(
        &self,
        q: cl3::types::cl_command_queue,
        objects: &[ObjectId],
        to_host: bool,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let flags = u64::from(to_host);
        let buffers: Vec<cl_mem> = objects.iter().filter_map(|o| world.buffer(*o)).collect();
        let pointers: Vec<*const c_void> = objects
            .iter()
            .filter_map(|o| world.pointer(*o).map(<*mut c_void>::cast_const))
            .collect();
        // SAFETY: the lists have these lengths; null sizes mean whole allocations.
        unsafe {
            if pointers.is_empty() {
                let count = buffers.len() as u32;
                queue::enqueue_migrate_mem_object(q, count, buffers.as_ptr(), flags, n, list)
            } else {
                let count = pointers.len() as u32;
                queue::enqueue_svm_migrate_mem(
                    q,
                    count,
                    pointers.as_ptr(),
                    ptr::null(),
                    flags,
                    n,
                    list,
                )
            }
        }
    }
}

/// The code of a call that was not made, because an earlier one failed.
const NOT_CALLED: i32 = i32::MIN;

fn code(result: Result<(), i32>) -> i32 {
    result.err().unwrap_or(0)
}

/// Waits; short waits by turning, which the system's timer would make much longer.
fn pause(time: Duration) {
    if time > Duration::from_micros(300) {
        std::thread::sleep(time);
        return;
    }
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::thread::yield_now();
    }
}

/// A callback of an event: `data` is the world's number and the callback's.
extern "C" fn called(event: cl_event, status: cl_int, data: *mut c_void) {
    let data = data as usize as u64;
    let Some(world) = find(data >> 12) else {
        return;
    };
    let id = CallbackId((data & 0xfff) as u16);
    let Some(callback) = world.plan.program.callbacks.get(id.index()) else {
        return;
    };
    let stamp = world.stamp();
    let mut player = Player {
        world: &world,
        trace: Trace::default(),
    };
    player.trace.stamps.insert(Moment::Run(id), stamp);
    let known = world.event(callback.event);
    for (n, step) in callback.steps.iter().enumerate() {
        let place = Place {
            who: Who::Callback(id),
            step: n as u16,
        };
        player.step(place, step);
    }
    player.trace.fired.push(Fired {
        callback: id,
        status,
        right_event: known.is_null() || known == event,
    });
    world.add(player.trace);
    world.called.notify_all();
}

/// What a native kernel is given: numbers by which it finds its world, and memory that the
/// implementation puts in the place of the buffers.
#[repr(C)]
struct NativeArguments {
    world: u64,
    command: u16,
    memory: [*mut c_void; 4],
}

/// A native kernel: the workload on the host.
unsafe extern "C" fn native_kernel(args: *mut c_void) {
    if args.is_null() {
        return;
    }
    // SAFETY: a copy of the arguments of the enqueue, of which the alignment is not promised.
    let args = unsafe { args.cast::<NativeArguments>().read_unaligned() };
    let Some(world) = find(args.world) else {
        return;
    };
    let id = CommandId(args.command);
    let Some(What::Native(kernel)) = world
        .plan
        .program
        .commands
        .get(id.index())
        .map(|command| &command.what)
    else {
        return;
    };
    let words = world.words();
    for (n, range) in kernel.reads.iter().enumerate() {
        let read = Read::Kernel {
            command: id,
            range: n as u8,
        };
        let at = world.logged.get(&read).copied().unwrap_or_default();
        let from = args.memory[n].cast::<u32>();
        if from.is_null() {
            continue;
        }
        for (place, cell) in range.cells().enumerate() {
            for w in 0..words {
                // SAFETY: the buffer has the cell, and the order keeps writers from it.
                let word = unsafe { from.add(usize::from(cell) * words + w).read_volatile() };
                world.native_log.put((at + place) * words + w, word);
            }
        }
    }
    let mut x = std::hint::black_box(1u32);
    for _ in 0..kernel.spin {
        x = std::hint::black_box(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    }
    for (n, range) in kernel.writes.iter().enumerate() {
        let to = args.memory[2 + n].cast::<u32>();
        if to.is_null() {
            continue;
        }
        let first = world.plan.program.root(range.object).1;
        for cell in range.cells() {
            let token = world.token(Writer::Command(id), first + cell);
            // SAFETY: as above.
            unsafe { put(to, usize::from(cell), words, token) };
        }
    }
}
