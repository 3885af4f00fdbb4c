//! Writes host programs, a step at a time.

use super::answers::{Question, QuestionId};
use super::constant::{Constant, cl};
use super::function::Function;
use super::ids::{AnswerId, CallbackId, Mark, SignalId};
use super::program::*;
use super::value::{Place, Slot, Value, values};
use crate::rule::{self, RuleId};

/// A host program that is being written.
#[derive(Debug, Default)]
pub struct Builder {
    program: HostProgram,
    marks: u16,
    answers: u16,
}

impl Builder {
    /// A slot of this name.
    pub fn slot(&mut self, name: impl Into<String>, kind: SlotKind) -> Slot {
        let slot = Slot(self.program.slots.len() as u16);
        let name = name.into();
        self.program.slots.push(SlotInfo { name, kind });
        slot
    }

    /// A slot of this name with the number that tells it from all others.
    pub fn slot_of_its_own(&mut self, name: &str, kind: SlotKind) -> Slot {
        let number = self.program.slots.len();
        self.slot(format!("{name}_{number}"), kind)
    }

    /// A slot for each of so many, `name_0` and so on.
    pub fn slots(&mut self, name: &str, kind: SlotKind, count: usize) -> Vec<Slot> {
        (0..count)
            .map(|n| self.slot(format!("{name}_{n}"), kind))
            .collect()
    }

    /// The call that gives up the program's reference to the object of a slot.
    pub fn release(&self, slot: Slot) -> Call {
        let release = self.program.slots[slot.index()].kind.release();
        Call::take(release.unwrap_or(Function::ReleaseMemObject), slot)
    }

    /// Something that outlives a run, in a slot of this name.
    pub fn fixture(&mut self, name: impl Into<String>, fixture: Fixture) -> Slot {
        let kind = match fixture {
            Fixture::Platform => SlotKind::Platform,
            Fixture::Device(_) => SlotKind::Device,
            Fixture::Context { .. } => SlotKind::Context,
            Fixture::Queue { .. } => SlotKind::Queue,
            Fixture::Program { .. } => SlotKind::Program,
            Fixture::Kernel { .. } => SlotKind::Kernel,
        };
        let slot = self.slot(name, kind);
        self.program.fixtures.push((slot, fixture));
        slot
    }

    /// A new mark.
    pub fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark(self.marks - 1)
    }

    /// A new answer.
    pub fn answer(&mut self) -> AnswerId {
        self.answers += 1;
        AnswerId(self.answers - 1)
    }

    /// A new signal.
    pub fn signal(&mut self) -> SignalId {
        self.program.signals += 1;
        SignalId(self.program.signals - 1)
    }

    /// A function for the implementation to call.
    pub fn callback(&mut self, of: CallbackOf, steps: Vec<Step>) -> CallbackId {
        self.program.callbacks.push(Callback { of, steps });
        CallbackId(self.program.callbacks.len() as u16 - 1)
    }

    /// Adds to what a run begins with.
    pub fn begin(&mut self, step: impl Into<Step>) {
        self.program.begin.push(step.into());
    }

    /// Adds to how a run ends.
    pub fn end(&mut self, step: impl Into<Step>) {
        self.program.end.push(step.into());
    }

    /// A question, as the step that asks it.
    pub fn question(&mut self, question: Question) -> Step {
        let id = QuestionId(self.program.questions.len() as u16);
        self.program.questions.push(question);
        Op::Ask(id).into()
    }

    /// Adds a host thread.
    pub fn thread(&mut self, steps: Vec<Step>) {
        self.program.threads.push(steps);
    }

    /// The program.
    pub fn finish(self) -> HostProgram {
        self.program
    }
}

/// The profiled times of a command, in the order in which it passes them.
pub const TIMES: [Constant; 5] = [
    cl::CL_PROFILING_COMMAND_QUEUED,
    cl::CL_PROFILING_COMMAND_SUBMIT,
    cl::CL_PROFILING_COMMAND_START,
    cl::CL_PROFILING_COMMAND_END,
    cl::CL_PROFILING_COMMAND_COMPLETE,
];

impl Call {
    /// A call that must succeed.
    pub fn new(function: Function, arguments: impl Into<Vec<Value>>) -> Call {
        Call {
            function,
            arguments: arguments.into(),
            made: None,
            expect: Expect::success(vec![rule::API_VALID]),
            silent: false,
        }
    }

    /// It is made without a place for its code, where it can be.
    pub fn silently(mut self) -> Call {
        self.silent = self.may_be_silent();
        self
    }

    /// What it makes goes to a slot.
    pub fn makes(mut self, slot: Slot) -> Call {
        self.made = Some(slot);
        self
    }

    /// It is about these rules.
    pub fn about(mut self, rules: Vec<RuleId>) -> Call {
        self.expect.rules = rules;
        self
    }

    /// Any code will do.
    pub fn whatever(mut self) -> Call {
        self.expect.codes.clear();
        self
    }

    /// It must be refused with one of these codes.
    pub fn refused(mut self, codes: Vec<i32>, sentence: impl Into<String>) -> Call {
        self.expect.codes = codes;
        self.expect.sentence = Some(sentence.into());
        self
    }

    /// Asks an object for a number of so many bytes: clGet…Info of whatever kind.
    pub fn ask(function: Function, of: Vec<Value>, bytes: usize, answer: AnswerId) -> Call {
        let room = values![bytes, Value::Answer(answer, bytes), Value::Null];
        Call::new(function, [of, room].concat())
    }

    /// The event's execution status, as an answer of four bytes.
    pub fn status(event: Slot, answer: AnswerId) -> Call {
        let of = values![event, cl::CL_EVENT_COMMAND_EXECUTION_STATUS];
        Call::ask(Function::GetEventInfo, of, 4, answer)
    }

    /// One of the event's profiled [`TIMES`], as an answer of eight bytes, where it is to be had.
    pub fn time(event: Slot, what: Constant, answer: AnswerId) -> Call {
        let of = values![event, what];
        Call::ask(Function::GetEventProfilingInfo, of, 8, answer).whatever()
    }

    /// clSetKernelArg with the object of a slot.
    pub fn object_argument(kernel: Slot, n: u32, object: Slot) -> Call {
        let arguments = values![kernel, n, 8, Value::objects([object])];
        Call::new(Function::SetKernelArg, arguments)
    }

    /// clSetKernelArg with bytes.
    pub fn bytes_argument(kernel: Slot, n: u32, bytes: Vec<u8>) -> Call {
        let arguments = values![kernel, n, bytes.len(), Value::Bytes(bytes)];
        Call::new(Function::SetKernelArg, arguments)
    }

    /// clFlush, clFinish, or what else takes an object alone.
    pub fn of(function: Function, object: Slot) -> Call {
        Call::new(function, values![object])
    }

    /// A call that enqueues a command on a queue: what it is about, its wait list, and the slot of its event.
    pub fn enqueue(
        function: Function,
        queue: Slot,
        of: impl IntoIterator<Item = Value>,
        wait: &[Slot],
        event: Option<Slot>,
    ) -> Call {
        let list = Value::objects(wait.iter().copied());
        let mut call = Call::of(function, queue);
        call.arguments.extend(of);
        let ordered = values![wait.len(), list, event.map(Value::Into)];
        call.arguments.extend(ordered);
        call
    }

    /// A blocking read of the first bytes of a buffer.
    pub fn read(queue: Slot, buffer: Slot, bytes: usize, to: Value, event: Option<Slot>) -> Call {
        let of = values![buffer, true, 0, bytes, to];
        Call::enqueue(Function::EnqueueReadBuffer, queue, of, &[], event)
    }

    /// A kernel in one dimension, in work-groups of whatever size.
    pub fn launch(
        queue: Slot,
        kernel: Slot,
        items: usize,
        wait: &[Slot],
        event: Option<Slot>,
    ) -> Call {
        let of = values![kernel, 1, Value::Null, Value::sizes([items]), Value::Null];
        Call::enqueue(Function::EnqueueNDRangeKernel, queue, of, wait, event)
    }

    /// clSetEventCallback.
    pub fn register(event: Slot, at: Constant, callback: CallbackId) -> Call {
        let arguments = values![event, at, Value::Callback(callback), Value::Data(callback)];
        Call::new(Function::SetEventCallback, arguments)
    }

    /// clCreateCommandQueueWithProperties.
    pub fn queue(context: Slot, device: Slot, properties: Value) -> Call {
        let arguments = values![context, device, properties];
        Call::new(Function::CreateCommandQueueWithProperties, arguments)
    }

    /// clCreateKernel of this name.
    pub fn kernel(program: Slot, name: &str, kernel: Slot) -> Call {
        let arguments = values![program, Value::Text(name.into())];
        Call::new(Function::CreateKernel, arguments).makes(kernel)
    }

    /// clBuildProgram for a device, without options.
    pub fn build(program: Slot, device: Slot) -> Call {
        let of = values![program, 1, Value::objects([device])];
        let [options, notify, data] = [const { Value::Null }; 3];
        let arguments = [of, values![options, notify, data]].concat();
        Call::new(Function::BuildProgram, arguments)
    }

    /// clReleaseEvent, or what else takes the program's reference.
    pub fn take(function: Function, object: Slot) -> Call {
        Call::new(function, [Value::Take(object)])
    }

    /// clWaitForEvents.
    pub fn wait(events: &[Slot]) -> Call {
        let list = Value::objects(events.iter().copied());
        Call::new(Function::WaitForEvents, values![events.len(), list])
    }

    /// clSetUserEventStatus.
    pub fn set(event: Slot, status: i32) -> Call {
        Call::new(Function::SetUserEventStatus, values![event, status])
    }

    /// clCreateSubBuffer of a region.
    pub fn sub_buffer(of: Slot, flags: Value, origin: usize, size: usize) -> Call {
        let (kind, region) = (cl::CL_BUFFER_CREATE_TYPE_REGION, [origin, size]);
        let arguments = values![of, flags, kind, Value::sizes(region)];
        Call::new(Function::CreateSubBuffer, arguments)
    }
}

impl From<Call> for Step {
    fn from(call: Call) -> Step {
        Step {
            op: Op::Call(call),
            mark: None,
        }
    }
}

impl From<Op> for Step {
    fn from(op: Op) -> Step {
        Step { op, mark: None }
    }
}

impl Step {
    /// The record tells of it under this mark.
    pub fn marked(mut self, mark: Mark) -> Step {
        self.mark = Some(mark);
        self
    }
}

impl Slot {
    /// So many bytes after the address that it holds.
    pub fn at(self, byte: usize) -> Place {
        Place { object: self, byte }
    }
}
