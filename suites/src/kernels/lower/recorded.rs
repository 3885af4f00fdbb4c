//! Command-buffers: what records their commands, and what enqueues them among other commands.

use super::Lower;
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::*;
use crate::kernels::image::{Addressing, Sampler};
use crate::kernels::recorded::{Action, Form, Mix, Play, Record, Sample, recording};
use crate::rule;

/// A command-buffer of a case.
pub(super) struct Made {
    buffer: Slot,
    /// The queue that it is recorded to.
    queue: Slot,
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
        let flags = values![
            cl::CL_COMMAND_BUFFER_FLAGS_KHR,
            cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
            0
        ];
        let properties = record.at_once.then(|| Value::list(Class::Long, flags));
        let of = values![1, Value::objects([queue]), properties];
        self.add(Call::new(Function::CreateCommandBufferKHR, of).makes(buffer));
        let points: Vec<Option<AnswerId>> = (0..record.commands.len())
            .map(|place| {
                let place = place as u16;
                let mut commands = record.commands.iter();
                let named = commands.any(|command| command.after.contains(&place));
                named.then(|| self.b.answer())
            })
            .collect();
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
                Action::Mix(mix) => self.record_mix(buffer, mix, tail),
                Action::Sample(sample) => self.record_sample(buffer, sample, tail),
            }
        }
        self.add(Call::of(Function::FinalizeCommandBufferKHR, buffer));
        for object in &record.released {
            self.add(self.b.release(*object));
        }
        self.recorded.insert(n, Made { buffer, queue });
    }

    /// Records the kernel, gives it other arguments then unless they are to stay, and gives it up.
    fn record_mix(&mut self, buffer: Slot, mix: &Mix, tail: Vec<Value>) {
        let Some(program) = self.program else {
            return;
        };
        let kernel = self.b.slot_of_its_own("mix", SlotKind::Kernel);
        let name = if mix.form.is_some() {
            "shaped"
        } else {
            "mixed"
        };
        self.add(Call::kernel(program, name, kernel));
        let word = |n, value: u32| Call::bytes_argument(kernel, n, value.to_ne_bytes().into());
        let offset = |byte: usize| (byte / 4) as u32;
        let object = |n, id: Slot| match self.case.objects[id.index()].kind.addressed() {
            true => Call::new(
                Function::SetKernelArgSVMPointer,
                values![kernel, n, id.at(0)],
            ),
            false => Call::object_argument(kernel, n, id),
        };
        let arguments = [
            object(0, mix.from.object),
            word(1, offset(mix.from.byte)),
            object(2, mix.to.object),
            word(3, offset(mix.to.byte)),
            word(4, mix.add),
            word(5, mix.turns),
        ];
        for call in arguments {
            self.add(call);
        }
        let room = |words: u32| {
            let bytes = 4 * words;
            Call::new(
                Function::SetKernelArg,
                values![kernel, 7, bytes, Value::Null],
            )
        };
        if let Some(form) = &mix.form {
            let words = told(form).into_iter().flat_map(u32::to_ne_bytes);
            self.add(Call::bytes_argument(kernel, 6, words.collect()));
            self.add(room(form.group().unwrap_or(1)));
        }
        let of = [values![kernel], range(mix)].concat();
        let function = Function::CommandNDRangeKernelKHR;
        self.add(recorded(buffer, function, of, tail).about(vec![rule::API_VALID]));
        if !mix.stays {
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
        self.add(self.b.release(kernel));
    }

    /// Records the kernel that reads an image, gives it another image and another sampler then, and gives it up.
    fn record_sample(&mut self, buffer: Slot, sample: &Sample, tail: Vec<Value>) {
        let Some(program) = self.program else {
            return;
        };
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
        self.add(recorded(buffer, function, of, tail).about(vec![rule::API_VALID]));
        self.add(Call::object_argument(kernel, 0, sample.then));
        self.add(Call::object_argument(kernel, 1, then));
        self.add(self.b.release(kernel));
    }

    /// Enqueues a command-buffer after what is on the first queue, and lets that queue go on after it.
    pub(super) fn play(&mut self, n: usize, play: &Play) {
        let Some(Made { buffer, queue }) = self.recorded.get(&usize::from(play.record)) else {
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

/// What the kernel `shaped` is told of its ND-range.
fn told(form: &Form) -> [u32; 8] {
    let [x, y, z] = form.offset.unwrap_or_default();
    let [width, height, depth] = form.local.unwrap_or([1; 3]);
    let items = form.global.iter().product();
    let dimensions = 2 * u32::from(form.dimensions) + u32::from(form.local.is_some());
    [x, y, z, width, height, depth, items, dimensions]
}

/// The ND-range of a launch, as calls give it.
fn range(mix: &Mix) -> Vec<Value> {
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
