//! API cases as host programs, with what must hold of their runs.
//!
//! [`refused`] makes the calls that must be refused, [`operations`] what a thread does and undoes, [`contention`]
//! threads that begin together and one operation again and again, [`lifetimes`] and [`last`] the ends of objects,
//! [`programs`] programs in every state, and [`held`] what commands and events do that are held back or fail.

mod arguments;
mod contention;
mod crowds;
mod default_queue;
mod devices;
mod ends;
mod flagged;
mod groups;
mod held;
mod images;
mod last;
mod lifetimes;
mod listed;
mod made;
mod offered;
mod operations;
mod over;
mod parts;
mod programs;
mod references;
mod refused;
mod timers;

use super::{Case, Scenario};
use crate::family::DeviceInfo;
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::{
    AnswerId, Build, Builder, Call, CallbackId, Class, Constant, Fixture, Function, Layout,
    Lowered, Mark, Op, ProgramOf, Slot, SlotKind, Step, Value, values,
};
use crate::rule::RuleId;

/// Bytes of the buffers of operations and scenarios.
const BYTES: usize = 256;

/// One of so many calls that make something has no place for its code.
const SILENT: usize = 4;

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
        steps: Vec::new(),
        sources: 0,
        value: 0,
        added: 0,
        version: 0,
        calls: 0,
        makers: 0,
        late: device.said.language(),
    };
    match &case.scenario {
        Scenario::Refused { held, calls } => lowering.refused(*held, calls),
        Scenario::Threads { threads, rounds } => lowering.threads(threads, *rounds),
        Scenario::Again { operation, times } => lowering.again(*operation, *times),
        Scenario::Destructors {
            callbacks,
            sub_buffer,
        } => lowering.destructors(*callbacks, *sub_buffer),
        Scenario::Context {
            operations,
            callbacks,
        } => lowering.context(operations, *callbacks),
        Scenario::SvmFree {
            allocations,
            times,
            queues,
        } => lowering.svm_free(*allocations, *times, *queues),
        Scenario::Last { trigger, given } => lowering.last(*trigger, given),
        Scenario::Programs(works) => lowering.programs(works),
        Scenario::Listed(all) => lowering.listed(all),
        Scenario::FailedEvent { code } => lowering.failed_event(*code),
        Scenario::Described(said) => lowering.described(said),
        Scenario::BuiltIn => lowering.built_in(&device.built_in_kernels),
        Scenario::BuiltInKernels(names) => lowering.built_in(names),
        Scenario::Legacy { call } => lowering.legacy(*call),
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
    /// The thread that is being written.
    steps: Vec<Step>,
    /// How many programs have been given their sources.
    sources: usize,
    /// The value that the options of the last build or compilation gave.
    value: u32,
    /// What a kernel adds by all that these options define.
    added: u32,
    /// The version of OpenCL C that they said, or that is meant without them.
    version: u32,
    /// How many builds and compilations there were.
    calls: usize,
    /// How many calls that make something could do without a place for their codes.
    makers: usize,
    /// The latest OpenCL C of the device, where that is behind 1.2: its name in options, and its number.
    late: Option<(&'static str, u32)>,
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
        let (devices, number) = (1, 0);
        let device = self.builder.fixture("device", Fixture::Device(0));
        let context = Fixture::Context { devices, number };
        let context = self.builder.fixture("context", context);
        let program = Fixture::Program {
            context,
            of: ProgramOf::Source(SOURCE.into()),
            build: Build::default(),
        };
        let program = self.builder.fixture("program", program);
        Place {
            context,
            device,
            program,
        }
    }

    /// A program of this source alone, built without options.
    fn own_program(&mut self, place: Place, source: impl Into<String>) -> Slot {
        let program = self.own("program", SlotKind::Program);
        self.step(Op::Build {
            program,
            context: place.context,
            of: ProgramOf::Source(source.into()),
            build: Build::default(),
        });
        program
    }

    /// Something that must hold.
    fn must(&mut self, says: &str, that: That) {
        let rules = self.rules.clone();
        self.checks.push(Check::new(rules, says, that));
    }

    /// A callback that comes so often, where it was registered.
    fn must_come(&mut self, callback: CallbackId, registered: Mark, times: i64, says: &str) {
        let right = Right::Among(vec![times]);
        self.must(says, That::Fired(vec![callback], Some(registered), right));
    }

    /// A step; of the calls that make something, every fourth has no place for its code.
    fn step(&mut self, step: impl Into<Step>) {
        let mut step = step.into();
        if let Op::Call(call) = &mut step.op
            && call.may_be_silent()
        {
            call.silent = self.makers % SILENT == SILENT - 1;
            self.makers += 1;
        }
        self.steps.push(step);
    }

    fn add(&mut self, calls: impl IntoIterator<Item = Call>) {
        for call in calls {
            self.step(call);
        }
    }

    /// A step under a new mark.
    fn marked(&mut self, step: impl Into<Step>) -> Mark {
        let mark = self.builder.mark();
        self.step(step.into().marked(mark));
        mark
    }

    /// Ends the thread that is being written.
    fn end_thread(&mut self) {
        let steps = std::mem::take(&mut self.steps);
        self.builder.thread(steps);
    }

    /// An event's status, which must be one of what is held back, or that of what is complete.
    fn status(&mut self, event: Slot, held: bool) -> Step {
        let answer = self.builder.answer();
        let (says, right) = if held {
            let (least, most) = (cl::CL_SUBMITTED.value(), cl::CL_QUEUED.value());
            let says = "what is held back has the status {}";
            (says, Right::Between(least, most))
        } else {
            let says = "what was waited for has the status {}";
            (says, Right::Among(vec![cl::CL_COMPLETE.value()]))
        };
        self.must(says, That::Number(answer, right));
        Call::status(event, answer).into()
    }

    /// Asks for an event's status.
    fn has_status(&mut self, event: Slot, held: bool) {
        let step = self.status(event, held);
        self.steps.push(step);
    }

    /// A new answer of a question about an object.
    fn ask(&mut self, function: Function, of: Slot, what: Value, bytes: usize) -> (Step, AnswerId) {
        let answer = self.builder.answer();
        let call = Call::ask(function, values![of, what], bytes, answer);
        (call.into(), answer)
    }

    /// Gives up the program's references to the objects of slots.
    fn release(&mut self, slots: impl IntoIterator<Item = Slot>) {
        let slots = slots.into_iter();
        let calls: Vec<Call> = slots.map(|slot| self.builder.release(slot)).collect();
        self.add(calls);
    }

    fn slot(&mut self, name: &str, kind: SlotKind) -> Slot {
        self.builder.slot(name, kind)
    }

    fn event(&mut self, name: &str) -> Slot {
        self.slot(name, SlotKind::Event)
    }

    /// A slot with the number that tells it from others of its name.
    fn own(&mut self, name: &str, kind: SlotKind) -> Slot {
        self.builder.slot_of_its_own(name, kind)
    }

    fn own_event(&mut self, name: &str) -> Slot {
        self.own(name, SlotKind::Event)
    }
}

/// A buffer of zeros.
fn buffer(context: Slot, slot: Slot) -> Call {
    buffer_of(context, BYTES, slot)
}

/// The same, of so many bytes.
fn buffer_of(context: Slot, bytes: usize, slot: Slot) -> Call {
    let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
    let zeros = Value::Bytes(vec![0; bytes]);
    let arguments = values![context, flags, bytes, zeros];
    Call::new(Function::CreateBuffer, arguments).makes(slot)
}

/// An image of four bytes an element: the members of its description, and what it is made from.
fn image(context: Slot, flags: Value, members: Vec<Value>, host: Value, slot: Slot) -> Call {
    image_of(context, flags, cl::CL_UNSIGNED_INT8, (members, host), slot)
}

/// The same, of another type of channels.
fn image_of(
    context: Slot,
    flags: Value,
    channel: Constant,
    (members, host): (Vec<Value>, Value),
    slot: Slot,
) -> Call {
    let format = values![cl::CL_RGBA, channel];
    let format = Value::Struct(Layout::ImageFormat, format);
    let description = Value::Struct(Layout::ImageDesc, members);
    let arguments = values![context, flags, format, description, host];
    Call::new(Function::CreateImage, arguments).makes(slot)
}

/// An in-order queue: no list of properties says so, or one without a flag.
fn queue(place: Place, slot: Slot) -> Call {
    let properties = match slot.index() % 2 {
        0 => Value::Null,
        _ => {
            let none = Value::Flags(Vec::new());
            Value::list(Class::Long, values![cl::CL_QUEUE_PROPERTIES, none, 0])
        }
    };
    Call::queue(place.context, place.device, properties).makes(slot)
}

/// A user event.
fn user_event(context: Slot, slot: Slot) -> Call {
    Call::of(Function::CreateUserEvent, context).makes(slot)
}

/// A marker behind these events.
fn marker(queue: Slot, list: &[Slot], event: Slot) -> Call {
    let function = Function::EnqueueMarkerWithWaitList;
    Call::enqueue(function, queue, values![], list, Some(event))
}

/// The kernel `fill` over a buffer, in as many work-items as it has words.
fn kernel(place: Place, kernel: Slot, to: Slot, value: u32) -> [Call; 3] {
    [
        Call::kernel(place.program, "fill", kernel),
        Call::object_argument(kernel, 0, to),
        Call::bytes_argument(kernel, 1, value.to_ne_bytes().to_vec()),
    ]
}

/// Has a function called at the end of an object.
fn at_end(function: Function, of: Slot, callback: CallbackId) -> Call {
    let arguments = values![of, Value::Callback(callback), Value::Data(callback)];
    Call::new(function, arguments)
}

fn flush(queue: Slot) -> Call {
    Call::of(Function::Flush, queue)
}

fn finish(queue: Slot) -> Call {
    Call::of(Function::Finish, queue)
}

fn set(event: Slot) -> Call {
    Call::set(event, 0)
}
