//! Host threads that begin together, and one operation again and again.

use super::operations::{Operations, Shared};
use super::*;
use crate::api::{LEAST_OBJECT, Operation};
use crate::host::Op;

/// Callbacks that an operation registers while their command completes, and in a repetition.
const REGISTERED: u32 = 40;
const REGISTERED_AGAIN: u32 = 8;

/// Stretches in each of which memory has to grow before that counts. What is given back late, or to another thread's
/// store, lets some of them grow in a row, but not so many.
const STRETCHES: usize = 12;

/// Milliseconds. A device on which the first stretch takes longer is not asked about its memory: the others would take
/// as long, and a run that gives no sign of life looks like one that hangs.
const LONGEST: u32 = 3000;

/// Threads that do their operations in rounds. Each round is written out, for each of its reads has to be compared.
pub(super) fn threads(lowering: &mut Lowering, threads: &[Vec<Operation>], rounds: u16) {
    let place = lowering.place();
    let (shared, steps) = lowering.shared(place);
    steps
        .into_iter()
        .for_each(|step| lowering.builder.begin(step));
    let mut helpers = Vec::new();
    for operations in threads {
        let mut all = Operations {
            lowering,
            shared,
            helped: Some(Vec::new()),
            registered: REGISTERED,
            steps: Vec::new(),
        };
        for _ in 0..rounds {
            operations
                .iter()
                .for_each(|operation| all.write(*operation));
        }
        let (steps, helped) = (all.steps, all.helped.unwrap_or_default());
        lowering.builder.thread(steps);
        if !helped.is_empty() {
            let of_one = |one: operations::Helped| {
                [
                    Op::Await(one.begin).into(),
                    set(one.gate),
                    Op::Signal(one.done).into(),
                ]
            };
            helpers.push(helped.into_iter().flat_map(of_one).collect());
        }
    }
    for steps in helpers {
        lowering.builder.thread(steps);
    }
    counted(lowering, shared);
    lowering.builder.end(finish(shared.queue));
}

/// Reference counts of what all share. An implementation may count references of its own, so that a count that is too
/// high shows nothing.
fn counted(lowering: &mut Lowering, shared: Shared) {
    let counts = [
        (
            Function::GetMemObjectInfo,
            shared.buffer,
            cl::CL_MEM_REFERENCE_COUNT,
        ),
        (
            Function::GetEventInfo,
            shared.event,
            cl::CL_EVENT_REFERENCE_COUNT,
        ),
        (
            Function::GetCommandQueueInfo,
            shared.queue,
            cl::CL_QUEUE_REFERENCE_COUNT,
        ),
        (
            Function::GetKernelInfo,
            shared.kernel,
            cl::CL_KERNEL_REFERENCE_COUNT,
        ),
    ];
    for (function, of, what) in counts {
        let (step, answer) = lowering.ask(function, of, what.into(), 4);
        lowering.builder.end(step);
        let says = "a reference count is {} although a reference is left";
        lowering.must(says, That::Number(answer, Right::Not(0)));
    }
}

/// One operation in stretches, until one of them shows that it gives back its memory.
pub(super) fn again(lowering: &mut Lowering, operation: Operation, times: u32) {
    let place = lowering.place();
    let (shared, steps) = lowering.shared(place);
    steps
        .into_iter()
        .for_each(|step| lowering.builder.begin(step));
    let least = LEAST_OBJECT.unsigned_abs() * u64::from(times);
    let mut all = Vec::new();
    let mut answers: Vec<AnswerId> = Vec::new();
    for stretch in 0..=STRETCHES {
        let mut operations = Operations {
            lowering,
            shared,
            helped: None,
            registered: REGISTERED_AGAIN,
            steps: Vec::new(),
        };
        operations.write(operation);
        let body = operations.steps;
        let into = lowering.builder.answer();
        all.push(Step::from(Op::Repeat {
            times,
            within: (stretch == 0).then_some(LONGEST),
            body,
        }));
        all.push(finish(shared.queue));
        let since = answers.last().map(|last| (*last, least));
        all.push(Op::Resident { into, since }.into());
        answers.push(into);
    }
    lowering.builder.thread(all);
    // The amount differs from run to run.
    let says = "memory is not given back: the process grows with each time";
    lowering.must(says, That::Growth(answers, least as i64));
    lowering.builder.end(finish(shared.queue));
}
