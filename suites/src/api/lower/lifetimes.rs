//! The ends of objects: destructors, contexts, SVM that a command frees.

use super::operations::{Operations, built, context_of};
use super::*;
use crate::api::Operation;
use crate::host::check::Moment;
use crate::host::{Awaited, CallbackId, CallbackOf, Mark, Op};

/// Microseconds in which a callback may come that is one too many.
const LONGER: u32 = 1000;

/// Waits for callbacks, and a little longer for one too many.
fn wait_for(callbacks: &[(CallbackId, Mark)]) -> Vec<Step> {
    let awaited = callbacks.iter().map(|(callback, registered)| Awaited {
        callback: *callback,
        registered: *registered,
        sort: 0,
    });
    let settle = Op::Settle {
        events: Vec::new(),
        callbacks: awaited.collect(),
    };
    vec![settle.into(), Op::Sleep(LONGER).into()]
}

/// A buffer with callbacks for its end, released while a command that uses it is held back.
pub(super) fn destructors(lowering: &mut Lowering, callbacks: u8, sub_buffer: bool) {
    let place = lowering.place();
    let own = lowering.builder.slot("queue", SlotKind::Queue);
    let whole = lowering.builder.slot("whole", SlotKind::Memory);
    let out = lowering.builder.slot("out", SlotKind::Memory);
    let gate = lowering.builder.slot("gate", SlotKind::Event);
    let copied = lowering.builder.slot("copied", SlotKind::Event);
    let mut steps = vec![queue(place, own), buffer(place.context, whole)];
    let mut registered = Vec::new();
    for _ in 0..callbacks {
        let callback = lowering.builder.callback(CallbackOf::Memory, Vec::new());
        let mark = lowering.builder.mark();
        let call = Call::new(
            Function::SetMemObjectDestructorCallback,
            [
                whole.into(),
                Value::Callback(callback),
                Value::Data(callback),
            ],
        );
        steps.push(Step::from(call).marked(mark));
        registered.push((callback, mark));
    }
    steps.push(user_event(place.context, gate));
    steps.push(buffer(place.context, out));
    let copy = [
        whole.into(),
        out.into(),
        0_usize.into(),
        0_usize.into(),
        BYTES.into(),
    ];
    let function = Function::EnqueueCopyBuffer;
    steps.push(Call::enqueue(function, own, copy, &[gate], Some(copied)).into());
    steps.push(lowering.release(copied));
    steps.push(flush(own));
    let part = sub_buffer.then(|| lowering.builder.slot("part", SlotKind::Memory));
    if let Some(part) = part {
        let flags = cl::CL_MEM_READ_WRITE.into();
        steps.push(
            Call::sub_buffer(whole, flags, 0, BYTES / 2)
                .makes(part)
                .into(),
        );
    }
    steps.push(lowering.release(whole));
    let let_go = lowering.builder.mark();
    steps.push(set(gate).marked(let_go));
    steps.push(finish(own));
    steps.push(lowering.release(gate));
    let mut needed_until = let_go;
    if let Some(part) = part {
        // It keeps its parent.
        needed_until = lowering.builder.mark();
        steps.push(lowering.release(part).marked(needed_until));
    }
    steps.push(lowering.release(out));
    steps.extend(wait_for(&registered));
    steps.push(lowering.release(own));
    lowering.builder.thread(steps);
    for (callback, mark) in &registered {
        let early = That::Before(Moment::Began(needed_until), Moment::Fired(*callback));
        lowering.must("memory ended while a command needed it", early);
        once(
            lowering,
            *callback,
            *mark,
            "a callback for the end of memory was called {} times",
        );
    }
    let reverse = registered.iter().rev().map(|(callback, _)| *callback);
    let says = "callbacks for the end of memory were not called in the reverse order";
    lowering.must(says, That::FiredInOrder(reverse.collect()));
}

/// A callback that comes once.
fn once(lowering: &mut Lowering, callback: CallbackId, registered: Mark, says: &str) {
    let right = Right::Among(vec![1]);
    lowering.must(says, That::Fired(vec![callback], Some(registered), right));
}

/// A context with a callback for its end, after these operations were done in it.
pub(super) fn context(lowering: &mut Lowering, operations: &[Operation]) {
    let builder = &mut lowering.builder;
    let device = builder.fixture("device", Fixture::Device(0));
    let context = builder.slot("context", SlotKind::Context);
    let program = builder.slot("program", SlotKind::Program);
    let event = builder.slot("last", SlotKind::Event);
    let place = Place {
        context,
        device,
        program,
    };
    let callback = builder.callback(CallbackOf::Context, Vec::new());
    let mark = builder.mark();
    let call = Call::new(
        Function::SetContextDestructorCallback,
        [
            context.into(),
            Value::Callback(callback),
            Value::Data(callback),
        ],
    );
    let mut steps = vec![context_of(device, context), Step::from(call).marked(mark)];
    steps.extend(built(place, program));
    let (shared, made) = lowering.shared(place);
    steps.extend(made);
    let mut all = Operations {
        lowering,
        shared,
        helped: None,
        registered: 40,
        steps,
    };
    operations
        .iter()
        .for_each(|operation| all.write(*operation));
    let mut steps = all.steps;
    steps.extend([
        marker(shared.queue, &[], event),
        finish(shared.queue),
        lowering.release(event),
        lowering.release(shared.kernel),
        lowering.release(shared.event),
        lowering.release(shared.buffer),
        lowering.release(shared.queue),
        lowering.release(program),
        lowering.release(context),
    ]);
    steps.extend(wait_for(&[(callback, mark)]));
    lowering.builder.thread(steps);
    once(
        lowering,
        callback,
        mark,
        "a callback for the end of a context was called {} times",
    );
}

/// clEnqueueSVMFree with a callback, held back by a user event.
pub(super) fn svm_free(lowering: &mut Lowering, allocations: usize, times: u8) {
    let place = lowering.place();
    let own = lowering.builder.slot("queue", SlotKind::Queue);
    let mut steps = vec![queue(place, own)];
    for _ in 0..times {
        let pointers: Vec<Slot> = (0..allocations)
            .map(|_| {
                let kind = SlotKind::Svm(place.context);
                lowering.builder.slot_of_its_own("allocation", kind)
            })
            .collect();
        for pointer in &pointers {
            let arguments = [
                place.context.into(),
                cl::CL_MEM_READ_WRITE.into(),
                64_usize.into(),
                0_u32.into(),
            ];
            let call = Call::new(Function::SVMAlloc, arguments);
            steps.push(call.makes(*pointer).into());
        }
        let builder = &mut lowering.builder;
        let frees = pointers.iter().map(|pointer| {
            let arguments = [place.context.into(), Value::Take(*pointer)];
            Step::from(Call::new(Function::SVMFree, arguments))
        });
        let callback = builder.callback(
            CallbackOf::SvmFree {
                queue: own,
                pointers: pointers.clone(),
            },
            frees.collect(),
        );
        let gate = builder.slot_of_its_own("gate", SlotKind::Event);
        let freed = builder.slot_of_its_own("freed", SlotKind::Event);
        let [enqueued, let_go, finished] = [builder.mark(), builder.mark(), builder.mark()];
        let of = [
            allocations.into(),
            Value::list(crate::host::Class::Pointer, pointers),
            Value::Callback(callback),
            Value::Data(callback),
        ];
        let call = Call::enqueue(Function::EnqueueSVMFree, own, of, &[gate], Some(freed));
        steps.push(user_event(place.context, gate));
        steps.push(Step::from(call).marked(enqueued));
        steps.push(flush(own));
        steps.push(Op::Sleep(200).into());
        steps.push(lowering.status(freed, true));
        steps.push(set(gate).marked(let_go));
        steps.push(finish(own).marked(finished));
        steps.push(lowering.status(freed, false));
        steps.push(lowering.release(freed));
        steps.push(lowering.release(gate));
        let early = That::Before(Moment::Began(let_go), Moment::Fired(callback));
        lowering.must("memory was freed while the command was held back", early);
        let late = That::Before(Moment::Fired(callback), Moment::Ended(finished));
        lowering.must("memory was freed after the command was complete", late);
        once(
            lowering,
            callback,
            enqueued,
            "the callback of clEnqueueSVMFree was called {} times",
        );
        lowering.must(
            "clEnqueueSVMFree was to free other pointers",
            That::FiredRight(callback),
        );
    }
    lowering.builder.thread(steps);
}
