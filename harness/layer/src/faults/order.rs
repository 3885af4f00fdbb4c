//! Queues that keep another order than they should, or that let go of work.
//!
//! Everything is done with events: the layer gives a command a user event of its own to wait for,
//! a *gate*, and decides when it opens. A gate is always opened, at the latest by the call that
//! waits: whoever takes a gate out of the book below opens it, and every call of [`open`] takes all
//! of its queue. So nothing hangs but where hanging is the fault.

use super::answers;
use super::call::Call;
use super::command::Command;
use crate::answer::Answer;
use crate::library::driver::{self, Event};
use crate::shared::lock;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread::ThreadId;

/// A command that waits for the next one.
struct Waiting {
    gate: Event,
    /// What it waits for besides.
    before: Vec<Event>,
}

/// A command that waits for a flush.
struct Held {
    gate: Event,
    /// Its event, if the program has it.
    event: Option<usize>,
}

/// What the layer knows of a queue.
#[derive(Default)]
struct Queue {
    /// The program asked for an in-order queue and got one without order.
    unordered: bool,
    /// What the next command must wait for, kernels first, so that order is kept after all.
    tail: [Vec<Event>; 2],
    waiting: Option<Waiting>,
    held: Vec<Held>,
    /// The references that the program has, beyond its first.
    references: usize,
    last: Option<Event>,
    /// Commands that had not ended when the last one was enqueued.
    pending: Vec<Event>,
    /// The thread that enqueued first.
    thread: Option<ThreadId>,
}

/// The queues that a fault concerns, by their handles.
static QUEUES: Mutex<BTreeMap<usize, Queue>> = Mutex::new(BTreeMap::new());

fn with<R>(queue: cl_command_queue, act: impl FnOnce(&mut Queue) -> R) -> R {
    let mut queues = lock(&QUEUES);
    act(queues.entry(queue as usize).or_default())
}

/// Which commands of an unordered queue keep their order.
fn classes(call: &Call, command: &Command) -> &'static [usize] {
    if call.has(ApiViolation::InOrderSwapped) || command.orders() {
        &[0, 1]
    } else if command.is_kernel() {
        &[0]
    } else {
        &[1]
    }
}

/// What the command's event is for.
enum Role {
    /// Later commands of these classes wait for it.
    Chain(&'static [usize]),
    /// As before, and it waits itself for the next command.
    Waits(Event),
    /// The command before waits for it.
    Overtakes(Event),
    /// It waits for a flush.
    Held(Event),
    /// It is the last one.
    Last,
    /// It is one of those that have not ended.
    Pending,
}

/// Enqueues a command with what it has to wait for.
///
/// # Safety
/// As OpenCL asks of the entry point's caller; `issue` passes the command on.
pub(super) unsafe fn around<R: Answer>(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> R,
) -> R {
    let Some((role, before)) = prepare(call, command) else {
        return issue(command);
    };
    // SAFETY: the program's list.
    let mut list = unsafe { command.waits() }.to_vec();
    list.extend(before.iter().map(Event::raw));
    // SAFETY: the caller's command, which writes its event.
    let (answer, event) = unsafe { command.observed(|command| issue(&command.with_list(&list))) };
    settle(command, role, event, before);
    answer
}

/// What the command is to wait for besides its list, and why; none if it goes as it is.
fn prepare(call: &Call, command: &Command) -> Option<(Role, Vec<Event>)> {
    let again = |events: &[Event]| events.iter().map(Event::again).collect::<Vec<_>>();
    if call.has(ApiViolation::InOrderSwapped) || call.has(ApiViolation::TransfersOvertake) {
        let (unordered, waiting) = with(command.queue, |queue| {
            (queue.unordered, queue.waiting.take())
        });
        if !unordered {
            return None;
        }
        if let Some(waiting) = waiting {
            if command.count == 0 && !command.orders() {
                return Some((Role::Overtakes(waiting.gate), waiting.before));
            }
            waiting.gate.set(CL_COMPLETE);
        }
        let classes = classes(call, command);
        let mut before: Vec<Event> = with(command.queue, |queue| {
            classes
                .iter()
                .flat_map(|class| again(&queue.tail[*class]))
                .collect()
        });
        let swaps =
            call.has(ApiViolation::InOrderSwapped) && !command.blocks() && !command.orders();
        if swaps && let Ok(gate) = Event::of_queue(command.queue) {
            before.push(gate.again());
            return Some((Role::Waits(gate), before));
        }
        return Some((Role::Chain(classes), before));
    }
    let holds = [
        ApiViolation::ReleaseLosesQueue,
        ApiViolation::ReleaseLosesEvent,
        ApiViolation::FlushLost,
        ApiViolation::WaitDoesNotFlush,
    ];
    if call.has_any(&holds) {
        if command.blocks() {
            open(Some(command.queue));
            return None;
        }
        if command.orders() && command.count == 0 {
            // With a list it would no longer wait for everything; what is before it is held.
            return None;
        }
        let gate = Event::of_queue(command.queue).ok()?;
        let before = vec![gate.again()];
        return Some((Role::Held(gate), before));
    }
    if call.has(ApiViolation::QueuesSerialized) {
        let queues = lock(&QUEUES);
        let before = queues
            .iter()
            .filter(|(handle, _)| **handle != command.queue as usize)
            .filter_map(|(_, queue)| queue.last.as_ref().map(Event::again))
            .collect();
        return Some((Role::Last, before));
    }
    if call.has(ApiViolation::OrdersSkipRunning) || call.has(ApiViolation::PendingForgotten) {
        let all =
            call.has(ApiViolation::OrdersSkipRunning) && command.orders() && command.count == 0;
        let before = match all {
            true => not_begun(command.queue),
            false => Vec::new(),
        };
        return Some((Role::Pending, before));
    }
    if call.has(ApiViolation::FinishLastOnly) || call.has(ApiViolation::MarkerLastOnly) {
        let before =
            if call.has(ApiViolation::MarkerLastOnly) && command.orders() && command.count == 0 {
                with(command.queue, |queue| {
                    queue.last.iter().map(Event::again).collect()
                })
            } else {
                Vec::new()
            };
        return Some((Role::Last, before));
    }
    None
}

/// Enters the command into the book, and opens the gates that it leaves behind.
fn settle(command: &Command, role: Role, event: Option<Event>, before: Vec<Event>) {
    match (role, event) {
        (Role::Waits(gate) | Role::Overtakes(gate) | Role::Held(gate), None) => {
            gate.set(CL_COMPLETE);
        }
        (Role::Chain(_) | Role::Last | Role::Pending, None) => {}
        (Role::Chain(classes), Some(event)) => with(command.queue, |queue| {
            for class in classes {
                queue.tail[*class] = vec![event.again()];
            }
        }),
        (Role::Waits(gate), Some(event)) => {
            let other = with(command.queue, |queue| {
                queue.tail = [vec![event.again()], Vec::new()];
                queue.waiting.replace(Waiting {
                    gate,
                    before: before_gate(before),
                })
            });
            if let Some(other) = other {
                other.gate.set(CL_COMPLETE);
            }
        }
        (Role::Overtakes(gate), Some(event)) => {
            if command.blocks() {
                gate.set(CL_COMPLETE);
            } else {
                // Not in a callback of the implementation, which may hold locks there.
                std::thread::spawn(move || {
                    let _ = driver::wait(&event);
                    gate.set(CL_COMPLETE);
                });
            }
        }
        (Role::Held(gate), Some(event)) => with(command.queue, |queue| {
            let event = (!command.event.is_null()).then(|| event.raw() as usize);
            queue.held.push(Held { gate, event });
        }),
        (Role::Last, Some(event)) => {
            with(command.queue, |queue| queue.last = Some(event));
        }
        (Role::Pending, Some(event)) => {
            with(command.queue, |queue| queue.pending.push(event));
        }
    }
}

/// What a waiting command waits for besides its gate, which is the last of them.
fn before_gate(mut before: Vec<Event>) -> Vec<Event> {
    before.pop();
    before
}

/// Lets everything begin that waits in this queue, or in every queue.
pub(super) fn open(queue: Option<cl_command_queue>) {
    let gates: Vec<Event> = {
        let mut queues = lock(&QUEUES);
        queues
            .iter_mut()
            .filter(|(handle, _)| queue.is_none_or(|queue| queue as usize == **handle))
            .flat_map(|(_, queue)| {
                let waiting = queue.waiting.take().map(|waiting| waiting.gate);
                waiting
                    .into_iter()
                    .chain(queue.held.drain(..).map(|held| held.gate))
            })
            .collect()
    };
    // Not under the lock: setting a user event may run commands and callbacks of the program.
    for gate in gates {
        gate.set(CL_COMPLETE);
    }
}

/// The program has one more reference to the queue.
pub(super) fn retained(queue: cl_command_queue) {
    with(queue, |queue| queue.references += 1);
}

/// The program gives a reference up: terminates what is held in this queue, if it was the last.
pub(super) fn lose(queue: cl_command_queue) {
    let held = with(queue, |queue| match queue.references.checked_sub(1) {
        Some(fewer) => {
            queue.references = fewer;
            Vec::new()
        }
        None => std::mem::take(&mut queue.held),
    });
    for held in held {
        held.gate.set(-1);
    }
}

/// Terminates the command of this event, if it is held.
pub(super) fn lose_event(event: cl_event) {
    let held = {
        let mut queues = lock(&QUEUES);
        queues.values_mut().find_map(|queue| {
            let found = queue
                .held
                .iter()
                .position(|held| held.event == Some(event as usize))?;
            Some(queue.held.remove(found))
        })
    };
    if let Some(held) = held {
        held.gate.set(-1);
    }
}

/// Whether another thread than this one was the first to enqueue to the queue.
pub(super) fn is_another_threads(queue: cl_command_queue) -> bool {
    let this = std::thread::current().id();
    with(queue, |queue| *queue.thread.get_or_insert(this) != this)
}

/// The commands of the queue that have not ended, with their statuses.
fn pending(queue: cl_command_queue) -> Vec<(Event, cl_int)> {
    with(queue, |queue| {
        let status = |event: &Event| driver::status_of(event.raw()).unwrap_or(CL_COMPLETE);
        queue.pending.retain(|event| status(event) > CL_COMPLETE);
        let pending = queue.pending.iter();
        pending
            .map(|event| (event.again(), status(event)))
            .collect()
    })
}

/// What a marker waits for that does not see commands that run: the others, or an event that is complete.
fn not_begun(queue: cl_command_queue) -> Vec<Event> {
    let others = pending(queue).into_iter();
    let mut others: Vec<Event> = others
        .filter(|(_, status)| *status > CL_RUNNING)
        .map(|(event, _)| event)
        .collect();
    if others.is_empty() {
        others.extend(Event::complete(queue));
    }
    others
}

/// Whether the queue has more commands that have not ended than it can remember.
pub(super) fn is_full(queue: cl_command_queue) -> bool {
    pending(queue).len() >= 256
}

/// The last command of the queue.
pub(super) fn last(queue: cl_command_queue) -> Option<Event> {
    with(queue, |queue| queue.last.as_ref().map(Event::again))
}

/// The queue is gone; its handle may come back for another one.
pub(super) fn forget(queue: cl_command_queue) {
    let mut queues = lock(&QUEUES);
    let forgotten = queues.remove(&(queue as usize));
    drop(queues);
    if let Some(waiting) = forgotten.and_then(|queue| queue.waiting) {
        waiting.gate.set(CL_COMPLETE);
    }
}

/// Whether a queue is to be created without order.
fn unorders(call: &Call) -> bool {
    call.has_any(&[
        ApiViolation::InOrderUnordered,
        ApiViolation::InOrderSwapped,
        ApiViolation::TransfersOvertake,
    ])
}

/// Around `clCreateCommandQueue`. A device that has no out-of-order queues gives the one it has.
pub(crate) unsafe fn create_queue(
    call: &Call,
    create: impl Fn(cl_command_queue_properties) -> cl_command_queue,
    properties: cl_command_queue_properties,
) -> cl_command_queue {
    let ordered = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
    (unorders(call) && ordered)
        .then(|| unordered(create(properties | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)))
        .flatten()
        .unwrap_or_else(|| create(properties))
}

/// Around `clCreateCommandQueueWithProperties`.
pub(crate) unsafe fn create_queue_with(
    call: &Call,
    create: impl Fn(*const cl_queue_properties) -> cl_command_queue,
    properties: *const cl_queue_properties,
) -> cl_command_queue {
    if unorders(call) {
        // SAFETY: NULL, or pairs up to a zero.
        let mut list = unsafe { pairs(properties) };
        const WANTED: cl_queue_properties = CL_QUEUE_PROPERTIES as cl_queue_properties;
        let bits = list
            .iter()
            .find(|pair| pair[0] == WANTED)
            .map_or(0, |pair| pair[1]);
        let fixed =
            (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE) as cl_queue_properties;
        if bits & fixed == 0 {
            list.retain(|pair| pair[0] != WANTED);
            let out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE as cl_queue_properties;
            list.push([WANTED, bits | out_of_order]);
            list.push([0, 0]);
            if let Some(queue) = unordered(create(list.as_flattened().as_ptr())) {
                return queue;
            }
        }
    }
    create(properties)
}

/// Enters a queue that was made without order into the book; none where it could not be made.
fn unordered(queue: cl_command_queue) -> Option<cl_command_queue> {
    (!queue.is_null()).then(|| {
        with(queue, |queue| queue.unordered = true);
        queue
    })
}

/// The pairs of a list of properties.
///
/// # Safety
/// `list` is NULL or pairs up to a zero.
unsafe fn pairs(list: *const cl_queue_properties) -> Vec<[cl_queue_properties; 2]> {
    let mut found = Vec::new();
    let mut at = list;
    // SAFETY: the list is read up to its zero, two words at a time.
    while !at.is_null() && unsafe { *at } != 0 {
        // SAFETY: a pair that does not begin with zero has a second word, and the list goes on.
        unsafe {
            found.push([*at, *at.add(1)]);
            at = at.add(2);
        }
    }
    found
}

/// Around `clGetCommandQueueInfo`: the queue has the properties that were asked for.
pub(crate) unsafe fn queue_info(
    call: &Call,
    ask: impl Fn() -> cl_int,
    queue: cl_command_queue,
    info: cl_command_queue_info,
    room: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    // SAFETY: the caller's memory.
    let status = unsafe { answers::info(call, ask, info, room, value, size) };
    let ours = || {
        let queues = lock(&QUEUES);
        let known = queues.get(&(queue as usize));
        known.is_some_and(|queue| queue.unordered)
    };
    if unorders(call)
        && info == CL_QUEUE_PROPERTIES
        && status == CL_SUCCESS
        && !value.is_null()
        && ours()
    {
        let bits = value.cast::<cl_command_queue_properties>();
        // SAFETY: the query succeeded, so a whole set of properties was written there.
        unsafe {
            bits.write_unaligned(bits.read_unaligned() & !CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        }
    }
    status
}
