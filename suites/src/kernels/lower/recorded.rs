//! Command-buffers: what records their commands, and what enqueues them among other commands.

use super::Lower;
use super::updated::{self, Given};
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::function::PROPERTIES;
use crate::host::*;
use crate::kernels::image::{Addressing, Sampler};
use crate::kernels::recorded::{Action, Form, Mix, Play, Record, Sample, recording};
use crate::kernels::updated::Handle;
use crate::rule;
use std::collections::BTreeMap;

/// A command-buffer of a case.
pub(super) struct Made {
    pub(super) buffer: Slot,
    /// The queue that it is recorded to.
    queue: Slot,
    /// Kernels that are updated, by their places.
    pub(super) handles: BTreeMap<u16, Held>,
}

/// A recorded kernel that is updated.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) handle: Slot,
    pub(super) kernel: Slot,
}

impl Lower<'_> {
    /// Makes, records and finalizes a command-buffer.
    pub(super) fn record(&mut self, n: usize, record: &Record) {
        let queue = match record.out_of_order {
            true => self.queue_of_its_own(true),
            false => self.queues[0],
        };
        let name = format!("recorded_{n}");
        let buffer = self.b.slot(name, SlotKind::CommandBuffer);
        let of = values![1, Value::objects([queue]), properties(record)];
        self.add(Call::new(Function::CreateCommandBufferKHR, of).makes(buffer));
        let points: Vec<Option<AnswerId>> = (0..record.commands.len())
            .map(|place| {
                let place = place as u16;
                let mut commands = record.commands.iter();
                let named = commands.any(|command| command.after.contains(&place));
                named.then(|| self.b.answer())
            })
            .collect();
        let mut handles = BTreeMap::new();
        for (place, command) in record.commands.iter().enumerate() {
            let point = |place: &u16| points.get(usize::from(*place)).copied().flatten();
            let waits = command.after.iter().filter_map(point);
            let waits: Vec<Value> = waits.map(Value::Number32).collect();
            let tail = values![
                waits.len(),
                Value::words(waits),
                points[place].map(|point| Value::Answer(point, 4)),
                Value::Null
            ];
            match &command.what {
                Action::Barrier => {
                    let function = Function::CommandBarrierWithWaitListKHR;
                    self.add(recorded(buffer, function, Vec::new(), tail));
                }
                Action::Move(what) => {
                    for step in self.moving(what, false.into()) {
                        if let Op::Call(call) = step.op
                            && let Some(function) = recording(call.function)
                        {
                            let of = described(&call);
                            self.add(recorded(buffer, function, of, tail.clone()));
                        }
                    }
                }
                Action::Mix(mix) => {
                    let held = self.record_mix(buffer, mix, command.handle, tail);
                    handles.extend(held.map(|held| (place as u16, held)));
                }
                Action::Sample(sample) => {
                    let held = self.record_sample(buffer, sample, command.handle, tail);
                    handles.extend(held.map(|held| (place as u16, held)));
                }
            }
        }
        self.add(Call::of(Function::FinalizeCommandBufferKHR, buffer));
        let mut all = record.commands.iter().filter_map(|one| one.handle);
        if all.any(|handle| handle.late) {
            self.lacks_arguments(buffer);
        }
        for object in &record.released {
            self.add(self.b.release(*object));
        }
        let made = Made {
            buffer,
            queue,
            handles,
        };
        self.recorded.insert(n, made);
    }

    /// Gives a call that records a kernel properties, and a place for its handle.
    fn handle(&mut self, call: &mut Call, kernel: Slot, of: Handle) -> Held {
        let handle = self.b.slot_of_its_own("handle", SlotKind::MutableCommand);
        if let Some(fields) = of.fields {
            let fields = Value::Flags(updated::flags(fields));
            let list = values![cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0];
            call.arguments[PROPERTIES] = Value::list(Class::Long, list);
        }
        if let Some(place) = call.arguments.last_mut() {
            *place = Value::Into(handle);
        }
        Held { handle, kernel }
    }

    /// Records the kernel, gives it other arguments then unless they are to stay, and gives it up unless it has a
    /// handle.
    fn record_mix(
        &mut self,
        buffer: Slot,
        mix: &Mix,
        handle: Option<Handle>,
        tail: Vec<Value>,
    ) -> Option<Held> {
        let program = self.program?;
        let kernel = self.b.slot_of_its_own("mix", SlotKind::Kernel);
        let name = if mix.form.is_some() {
            "shaped"
        } else {
            "mixed"
        };
        self.add(Call::kernel(program, name, kernel));
        let word = |n, value: u32| Call::bytes_argument(kernel, n, value.to_ne_bytes().into());
        let object = |n, id: Slot| match self.case.objects[id.index()].kind.addressed() {
            true => Call::new(
                Function::SetKernelArgSVMPointer,
                values![kernel, n, id.at(0)],
            ),
            false => Call::object_argument(kernel, n, id),
        };
        let room = |words: u32| {
            let bytes = 4 * words;
            Call::new(
                Function::SetKernelArg,
                values![kernel, 7, bytes, Value::Null],
            )
        };
        let late = handle.is_some_and(|handle| handle.late);
        for argument in updated::of_mix(mix).into_iter().filter(|_| !late) {
            self.add(match argument {
                (n, Given::Object(id)) => object(n, id),
                (n, Given::Bytes(bytes)) => Call::bytes_argument(kernel, n, bytes),
                (_, Given::Room(words)) => room(words),
            });
        }
        let of = [values![kernel], range(mix)].concat();
        let function = Function::CommandNDRangeKernelKHR;
        let mut call = recorded(buffer, function, of, tail).about(vec![rule::API_VALID]);
        let held = handle.map(|handle| self.handle(&mut call, kernel, handle));
        self.add(call);
        if !mix.stays && !late {
            // Of whatever is set from now on nothing is recorded.
            self.add(word(4, !mix.add));
            self.add(word(5, 1));
            if mix.form.is_some() {
                self.add(Call::bytes_argument(kernel, 6, vec![0; 32]));
                self.add(room(1));
            }
            self.add(object(2, mix.from.object));
            self.add(object(0, mix.to.object));
        }
        if held.is_none() {
            self.add(self.b.release(kernel));
        }
        held
    }

    /// Records the kernel that reads an image, gives it another image and another sampler then, and gives it up unless
    /// it has a handle.
    fn record_sample(
        &mut self,
        buffer: Slot,
        sample: &Sample,
        handle: Option<Handle>,
        tail: Vec<Value>,
    ) -> Option<Held> {
        let program = self.program?;
        let kernel = self.b.slot_of_its_own("sample", SlotKind::Kernel);
        self.add(Call::kernel(program, "sampled", kernel));
        let [by, then] = [false, true].map(|normalized| {
            let sampler = self.b.slot_of_its_own("sampler", SlotKind::Sampler);
            let addressing = Addressing::ClampToEdge;
            let linear = false;
            let of = Sampler {
                normalized,
                addressing,
                linear,
            };
            self.add(self.sampler(sampler, of));
            sampler
        });
        self.add(Call::object_argument(kernel, 0, sample.from));
        self.add(Call::object_argument(kernel, 1, by));
        self.add(Call::object_argument(kernel, 2, sample.to.object));
        let word = (sample.to.byte / 4) as u32;
        self.add(Call::bytes_argument(kernel, 3, word.to_ne_bytes().into()));
        let [width, height, _] = sample.size(self.case);
        let sizes = Value::sizes([width, height]);
        let of = values![kernel, 2, Value::Null, sizes, Value::Null];
        let function = Function::CommandNDRangeKernelKHR;
        let mut call = recorded(buffer, function, of, tail).about(vec![rule::API_VALID]);
        let held = handle.map(|handle| self.handle(&mut call, kernel, handle));
        self.add(call);
        self.add(Call::object_argument(kernel, 0, sample.then));
        self.add(Call::object_argument(kernel, 1, then));
        if held.is_none() {
            self.add(self.b.release(kernel));
        }
        held
    }

    /// Enqueues a command-buffer after what is on the first queue, and lets that queue go on after it.
    pub(super) fn play(&mut self, n: usize, play: &Play) {
        let Some(Made { buffer, queue, .. }) = self.recorded.get(&usize::from(play.record)) else {
            return;
        };
        let (buffer, own) = (*buffer, *queue);
        let first = self.queues[0];
        let target = match play.elsewhere {
            true => self.queue_of_its_own(play.free),
            false => own,
        };
        let mut waits = Vec::new();
        if target != first {
            let marker = self.event(n, "before");
            let function = Function::EnqueueMarkerWithWaitList;
            self.add(Call::enqueue(function, first, [], &[], Some(marker)));
            self.add(Call::of(Function::Flush, first));
            waits.push(marker);
        }
        let gate = play.held.then(|| {
            let gate = self.event(n, "gate");
            self.add(Call::new(Function::CreateUserEvent, values![self.context]).makes(gate));
            waits.push(gate);
            gate
        });
        let mut events = Vec::new();
        for _ in 0..play.times.max(1) {
            let event = self.event(n, "played");
            let queues = match play.elsewhere {
                true => values![1, Value::objects([target])],
                false => values![0, Value::Null],
            };
            let list = Value::objects(waits.iter().copied());
            let rest = values![buffer, waits.len(), list, Value::Into(event)];
            let call = Call::new(Function::EnqueueCommandBufferKHR, [queues, rest].concat());
            self.add(call.about(vec![rule::CB_AGAIN, rule::API_VALID]));
            events.push(event);
            // Each comes after the one before it, by its queue or by its event.
            waits = match target == first {
                true => Vec::new(),
                false => vec![event],
            };
        }
        if play.last {
            self.add(self.b.release(buffer));
        }
        self.add(Call::of(Function::Flush, target));
        if !play.update.is_empty() {
            self.update(n, play.record, &play.update, false);
        }
        if let Some(gate) = gate {
            let status = self.b.answer();
            self.add(Call::status(events[0], status));
            let says = "while a user event holds a command-buffer back its status is {}";
            let waits = That::Number(status, Right::Between(2, 3));
            let rules = vec![rule::CB_WAIT_LIST, rule::STATE_QUERY];
            self.checks.push(Check::new(rules, says, waits));
            self.add(Call::set(gate, play.fails.unwrap_or(0)));
        }
        let last = events[events.len() - 1];
        if play.fails.is_some() {
            self.failed(last);
        } else if play.awaited {
            self.add(Call::wait(&[last]));
            let status = self.b.answer();
            self.add(Call::status(last, status));
            let says = "after clWaitForEvents the status of a command-buffer is {}";
            let complete = That::Number(status, Right::Among(vec![0]));
            let rules = vec![rule::CB_EVENT, rule::STATE_QUERY];
            self.checks.push(Check::new(rules, says, complete));
        } else if target != first {
            let function = Function::EnqueueBarrierWithWaitList;
            self.add(Call::enqueue(function, first, [], &[last], None));
        }
        if self.case.profiled && target == first {
            events
                .into_iter()
                .for_each(|event| self.time(Function::EnqueueCommandBufferKHR, event));
        }
    }

    /// Waits for a command-buffer that has to fail, and looks at its status.
    fn failed(&mut self, event: Slot) {
        let mark = self.mark(Call::wait(&[event]).whatever());
        let code = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.value();
        let says = "clWaitForEvents returned {} for a command-buffer whose wait list failed";
        let that = That::Code(mark, Right::Among(vec![code]));
        self.checks
            .push(Check::new(vec![rule::FAIL_NEGATIVE], says, that));
        let status = self.b.answer();
        self.add(Call::status(event, status));
        let says = "the status of a command-buffer whose wait list failed is {}, not an error";
        let failed = That::Number(status, Right::Between(i64::MIN, -1));
        let rules = vec![rule::FAIL_PROPAGATE, rule::CB_WAIT_LIST];
        self.checks.push(Check::new(rules, says, failed));
    }

    fn event(&mut self, n: usize, name: &str) -> Slot {
        self.b
            .slot_of_its_own(&format!("{name}_{n}"), SlotKind::Event)
    }

    /// A queue of the case, beside its first, in order or not.
    fn queue_of_its_own(&mut self, out_of_order: bool) -> Slot {
        if let Some(queue) = self.own_queues.get(&out_of_order) {
            return *queue;
        }
        let name = match out_of_order {
            true => "free_queue",
            false => "other_queue",
        };
        let queue = self.b.slot(name, SlotKind::Queue);
        let mut flags = vec![cl::CL_QUEUE_PROFILING_ENABLE];
        flags.extend(out_of_order.then_some(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
        let properties = values![cl::CL_QUEUE_PROPERTIES, Value::Flags(flags), 0];
        let list = Value::list(Class::Long, properties);
        self.add(Call::queue(self.context, self.device, list).makes(queue));
        self.own_queues.insert(out_of_order, queue);
        queue
    }
}

/// The properties that a command-buffer is made with.
fn properties(record: &Record) -> Value {
    let simultaneous = cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let flags = match (record.at_once, record.mutable) {
        (false, false) => None,
        (true, false) => Some(Value::from(simultaneous)),
        (false, true) => Some(cl::CL_COMMAND_BUFFER_MUTABLE_KHR.into()),
        (true, true) => Some(Value::Flags(vec![
            simultaneous,
            cl::CL_COMMAND_BUFFER_MUTABLE_KHR,
        ])),
    };
    let mut list = Vec::new();
    list.extend(flags.map(|flags| values![cl::CL_COMMAND_BUFFER_FLAGS_KHR, flags]));
    list.extend(record.capped.then(|| {
        values![
            cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
            cl::CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR
        ]
    }));
    if list.is_empty() {
        return Value::Null;
    }
    list.push(values![0]);
    Value::list(Class::Long, list.concat())
}

/// What the kernel `shaped` is told of its ND-range.
pub(super) fn told(form: &Form) -> [u32; 8] {
    let [x, y, z] = form.offset.unwrap_or_default();
    let [width, height, depth] = form.local.unwrap_or([1; 3]);
    let items = form.global.iter().product();
    let dimensions = 2 * u32::from(form.dimensions) + u32::from(form.local.is_some());
    [x, y, z, width, height, depth, items, dimensions]
}

/// The ND-range of a launch, as calls give it.
pub(super) fn range(mix: &Mix) -> Vec<Value> {
    match &mix.form {
        None => values![1, Value::Null, Value::sizes([mix.words]), Value::Null],
        Some(form) => {
            let count = usize::from(form.dimensions).min(3);
            let sizes = |of: [u32; 3]| Value::sizes(of[..count].iter().copied());
            let (offset, local) = (form.offset.map(sizes), form.local.map(sizes));
            values![count, offset, sizes(form.global), local]
        }
    }
}

/// What an enqueue is about: its arguments without the queue, without whether it blocks, and without its wait list and
/// event.
fn described(call: &Call) -> Vec<Value> {
    let parameters = call.function.signature().parameters;
    let both = call.arguments.iter().zip(parameters);
    both.filter(|(_, (name, _))| !["queue", "blocking", "count", "list", "event"].contains(name))
        .map(|(value, _)| value.clone())
        .collect()
}

/// A call that records a command.
fn recorded(buffer: Slot, function: Function, of: Vec<Value>, tail: Vec<Value>) -> Call {
    let head = values![buffer, Value::Null, Value::Null];
    Call::new(function, [head, of, tail].concat())
}
