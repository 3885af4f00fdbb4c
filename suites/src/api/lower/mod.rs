//! API cases as host programs, with what must hold of their runs.
//!
//! [`refused`] makes the calls that must be refused, [`operations`] what a thread does and undoes, [`contention`] threads
//! that begin together and one operation again and again, [`lifetimes`] the ends of objects, and [`held`] what commands
//! and events do that are held back or fail.

mod contention;
mod held;
mod lifetimes;
mod operations;
mod refused;

use super::{Case, Scenario};
use crate::family::DeviceInfo;
use crate::host::Build;
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::{
    AnswerId, Builder, Call, Fixture, Function, Lowered, ProgramOf, Slot, SlotKind, Step, Value,
};
use crate::rule::RuleId;

/// Bytes of the buffers of operations and scenarios.
const BYTES: usize = 256;

/// The kernels of operations.
const SOURCE: &str = "
kernel void fill(global uint *to, uint value) { to[get_global_id(0)] = value; }
";

/// The host program of a case, on a device of which this is known.
pub fn lower(case: &Case, device: &DeviceInfo) -> Lowered {
    let mut lowering = Lowering {
        builder: Builder::default(),
        checks: Vec::new(),
        rules: case.scenario.rules(),
    };
    match &case.scenario {
        Scenario::Refused { held, calls } => refused::lower(&mut lowering, *held, calls),
        Scenario::Threads { threads, rounds } => {
            contention::threads(&mut lowering, threads, *rounds);
        }
        Scenario::Again { operation, times } => {
            contention::again(&mut lowering, *operation, *times);
        }
        Scenario::Destructors {
            callbacks,
            sub_buffer,
        } => lifetimes::destructors(&mut lowering, *callbacks, *sub_buffer),
        Scenario::Context { operations } => lifetimes::context(&mut lowering, operations),
        Scenario::SvmFree { allocations, times } => {
            lifetimes::svm_free(&mut lowering, usize::from(*allocations), *times);
        }
        Scenario::FailedEvent { code } => held::failed_event(&mut lowering, *code),
        Scenario::BuiltIn => held::built_in(&mut lowering, &device.built_in_kernels),
        Scenario::BuiltInKernels(names) => held::built_in(&mut lowering, names),
        Scenario::Legacy { call } => held::legacy(&mut lowering, *call),
    }
    Lowered {
        program: lowering.builder.finish(),
        checks: lowering.checks,
        ..Lowered::default()
    }
}

/// A host program that is being written, with its checks.
struct Lowering {
    builder: Builder,
    checks: Vec<Check>,
    /// The rules of the scenario.
    rules: Vec<RuleId>,
}

/// A context, and what operations and scenarios make in it.
#[derive(Debug, Clone, Copy)]
struct Place {
    context: Slot,
    device: Slot,
    program: Slot,
}

impl Lowering {
    /// The context of the fixture, with its program.
    fn place(&mut self) -> Place {
        let device = self.builder.fixture("device", Fixture::Device(0));
        let context = self.builder.fixture(
            "context",
            Fixture::Context {
                devices: 1,
                number: 0,
            },
        );
        let program = self.builder.fixture(
            "program",
            Fixture::Program {
                context,
                of: ProgramOf::Source(SOURCE.into()),
                build: Build::default(),
            },
        );
        Place {
            context,
            device,
            program,
        }
    }

    /// Something that must hold.
    fn must(&mut self, says: &str, that: That) {
        let rules = self.rules.clone();
        self.checks.push(Check::new(rules, says, that));
    }

    /// An event's status, which must be one of what is held back, or that of what is complete.
    fn status(&mut self, event: Slot, held: bool) -> Step {
        let answer = self.builder.answer();
        let (says, right) = if held {
            let least = cl::CL_SUBMITTED.value();
            let most = cl::CL_QUEUED.value();
            (
                "what is held back has the status {}",
                Right::Between(least, most),
            )
        } else {
            let complete = vec![cl::CL_COMPLETE.value()];
            (
                "what was waited for has the status {}",
                Right::Among(complete),
            )
        };
        self.must(says, That::Number(answer, right));
        Call::status(event, answer).into()
    }

    /// A new answer of a question about an object.
    fn ask(&mut self, function: Function, of: Slot, what: Value, bytes: usize) -> (Step, AnswerId) {
        let answer = self.builder.answer();
        let call = Call::ask(function, vec![of.into(), what], bytes, answer);
        (call.into(), answer)
    }

    /// Gives up the program's reference to the object of a slot.
    fn release(&self, slot: Slot) -> Step {
        self.builder.release(slot).into()
    }

    fn event(&mut self, name: &str) -> Slot {
        self.builder.slot(name, SlotKind::Event)
    }
}

/// A buffer of zeros.
fn buffer(context: Slot, slot: Slot) -> Step {
    let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
    let zeros = Value::Bytes(vec![0; BYTES]);
    Call::new(
        Function::CreateBuffer,
        [context.into(), flags, BYTES.into(), zeros],
    )
    .makes(slot)
    .into()
}

/// An in-order queue.
fn queue(place: Place, slot: Slot) -> Step {
    Call::new(
        Function::CreateCommandQueueWithProperties,
        [place.context.into(), place.device.into(), Value::Null],
    )
    .makes(slot)
    .into()
}

/// A user event.
fn user_event(context: Slot, slot: Slot) -> Step {
    Call::of(Function::CreateUserEvent, context)
        .makes(slot)
        .into()
}

/// A marker behind these events.
fn marker(queue: Slot, list: &[Slot], event: Slot) -> Step {
    Call::enqueue(
        Function::EnqueueMarkerWithWaitList,
        queue,
        [],
        list,
        Some(event),
    )
    .into()
}

/// The kernel `fill` over a buffer, in as many work-items as it has words.
fn kernel(place: Place, kernel: Slot, to: Slot, value: u32) -> Vec<Step> {
    vec![
        Call::kernel(place.program, "fill", kernel).into(),
        Call::object_argument(kernel, 0, to).into(),
        Call::bytes_argument(kernel, 1, value.to_ne_bytes().to_vec()).into(),
    ]
}

fn flush(queue: Slot) -> Step {
    Call::of(Function::Flush, queue).into()
}

fn finish(queue: Slot) -> Step {
    Call::of(Function::Finish, queue).into()
}

fn set(event: Slot) -> Step {
    Call::set(event, 0).into()
}
