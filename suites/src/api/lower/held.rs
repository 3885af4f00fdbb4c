//! Commands and events that are held back, or fail.

use super::operations::fill;
use super::*;
use crate::api::Legacy;
use crate::host::{Class, Op};

/// Microseconds in which a command that is not held back would run.
const SHOWS: u32 = 1000;

/// Most arguments of a built-in kernel.
const ARGUMENTS: u32 = 8;

/// A user event that fails, by itself.
pub(super) fn failed_event(lowering: &mut Lowering, code: i32) {
    let place = lowering.place();
    let event = lowering.event("event");
    let answer = lowering.builder.answer();
    let waited = lowering.builder.mark();
    let steps = vec![
        user_event(place.context, event),
        Call::set(event, code).into(),
        Call::status(event, answer).into(),
        Step::from(Call::wait(&[event]).whatever()).marked(waited),
        lowering.release(event),
    ];
    lowering.builder.thread(steps);
    let status = Right::Among(vec![i64::from(code)]);
    let says = "a user event has the status {}, not the one it was set to";
    lowering.must(says, That::Number(answer, status));
    let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.value();
    let says = "clWaitForEvents returned {} for an event that had failed";
    lowering.must(says, That::Code(waited, Right::Among(vec![failed])));
}

/// A program of built-in kernels. Some want it built, others refuse to build what has no source.
fn program_of(place: Place, names: &str, program: Slot) -> [Step; 2] {
    let made = Call::new(
        Function::CreateProgramWithBuiltInKernels,
        [
            place.context.into(),
            1_u32.into(),
            Value::objects([place.device]),
            Value::Text(names.into()),
        ],
    );
    [
        made.makes(program).into(),
        Call::build(program, place.device).whatever().into(),
    ]
}

/// Every built-in kernel, held back by a user event; and a program that has them all.
pub(super) fn built_in(lowering: &mut Lowering, names: &[String]) {
    let place = lowering.place();
    let own = lowering.builder.slot("queue", SlotKind::Queue);
    let mut steps = vec![queue(place, own)];
    for name in names {
        steps.extend(one_built_in(lowering, place, own, name));
    }
    if names.len() > 1 {
        let program = lowering.builder.slot("together", SlotKind::Program);
        steps.extend(program_of(place, &names.join(";"), program));
        for name in names {
            let kernel = lowering.builder.slot_of_its_own("kernel", SlotKind::Kernel);
            steps.push(Call::kernel(program, name, kernel).into());
            steps.push(lowering.release(kernel));
        }
        steps.push(lowering.release(program));
    }
    lowering.builder.thread(steps);
}

/// A built-in kernel over buffers, wherever it takes one, and small numbers elsewhere.
fn one_built_in(lowering: &mut Lowering, place: Place, own: Slot, name: &str) -> Vec<Step> {
    let builder = &mut lowering.builder;
    let program = builder.slot_of_its_own("program", SlotKind::Program);
    let kernel = builder.slot_of_its_own("kernel", SlotKind::Kernel);
    let gate = builder.slot_of_its_own("gate", SlotKind::Event);
    let event = builder.slot_of_its_own("event", SlotKind::Event);
    let mut steps = program_of(place, name, program).to_vec();
    steps.push(Call::kernel(program, name, kernel).into());
    for n in 0..ARGUMENTS {
        let memory = builder.slot_of_its_own("argument", SlotKind::Memory);
        steps.push(buffer(place.context, memory));
        // A number of eight bytes takes the buffer's handle for one.
        let number = Call::bytes_argument(kernel, n, 1_u32.to_ne_bytes().to_vec());
        steps.push(Call::object_argument(kernel, n, memory).whatever().into());
        steps.push(number.whatever().into());
    }
    steps.push(user_event(place.context, gate));
    let mut enqueue = Call::launch(own, kernel, 4, &[gate], Some(event));
    // One that takes something else is not enqueued.
    let unset = cl::CL_INVALID_KERNEL_ARGS.value() as i32;
    enqueue.expect.codes.push(unset);
    steps.push(enqueue.into());
    steps.push(flush(own));
    steps.push(Op::Sleep(SHOWS).into());
    steps.push(lowering.status(event, true));
    steps.push(set(gate));
    steps.push(finish(own));
    steps.push(lowering.status(event, false));
    steps.push(lowering.release(kernel));
    steps.push(lowering.release(program));
    steps
}

/// A queue that is out of order: a held marker, the old function, and a fill behind it.
pub(super) fn legacy(lowering: &mut Lowering, call: Legacy) {
    let place = lowering.place();
    let own = lowering.builder.slot("queue", SlotKind::Queue);
    let memory = lowering.builder.slot("memory", SlotKind::Memory);
    let [gate, first, between, behind] =
        ["gate", "first", "between", "behind"].map(|name| lowering.event(name));
    let properties = [
        Value::from(cl::CL_QUEUE_PROPERTIES),
        cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE.into(),
        0_usize.into(),
    ];
    let out_of_order = Call::new(
        Function::CreateCommandQueueWithProperties,
        [
            place.context.into(),
            place.device.into(),
            Value::list(Class::Long, properties),
        ],
    );
    let (old, waits) = match call {
        Legacy::Marker => {
            let arguments = [own.into(), Value::Into(between)];
            (Call::new(Function::EnqueueMarker, arguments), between)
        }
        Legacy::Barrier => (Call::of(Function::EnqueueBarrier, own), behind),
        Legacy::WaitForEvents => {
            let arguments = [own.into(), 1_u32.into(), Value::objects([first])];
            (Call::new(Function::EnqueueWaitForEvents, arguments), behind)
        }
    };
    let held = lowering.status(waits, true);
    let done = lowering.status(waits, false);
    let steps = vec![
        out_of_order.makes(own).into(),
        user_event(place.context, gate),
        buffer(place.context, memory),
        marker(own, &[gate], first),
        // Nothing is shown where the implementation lacks the function.
        Op::Sequence(vec![
            old.into(),
            fill(own, memory, 0, behind),
            flush(own),
            Op::Sleep(SHOWS).into(),
            held,
        ])
        .into(),
        set(gate),
        finish(own),
        done,
    ];
    lowering.builder.thread(steps);
}
