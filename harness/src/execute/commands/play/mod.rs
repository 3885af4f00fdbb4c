//! Plays the host threads of a run: each step is a call, with a stamp before and one after it.
//!
//! [`enqueue`] makes the calls that enqueue commands, [`native`] is what native kernels do.

mod enqueue;
mod native;

use super::host::{put, see};
use super::world::{Memory, World, status};
use super::worlds::find;
use cl3::command_queue as queue;
use cl3::types::{cl_event, cl_int, cl_mem};
use classay_suites::commands::memory::Read;
use classay_suites::commands::order::Moment;
use classay_suites::commands::program::{
    AccessId, CallbackId, CommandId, Event, ObjectId, Place, Range, Reached, Step, What, Who,
    Writer,
};
use classay_suites::commands::trace::{Fired, Seen, Trace};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

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
        all.profiled.extend(part.profiled);
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
                (!event.is_null()).then(|| {
                    let times = cl3::event::get_event_profiling_info(
                        event,
                        cl3::event::CL_PROFILING_COMMAND_END,
                    );
                    let times = times.err().unwrap_or(0);
                    self.trace.profiled.insert(place, times);
                    match status(event) {
                        Ok(told) => {
                            self.trace.statuses.insert(place, told);
                            0
                        }
                        Err(code) => code,
                    }
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
