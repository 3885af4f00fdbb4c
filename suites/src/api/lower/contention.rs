//! Host threads that begin together, and one operation again and again.

use super::operations::Shared;
use super::*;
use crate::api::{LEAST_OBJECT, Operation};

/// Callbacks that an operation registers while their command completes, and in a repetition.
const REGISTERED: u32 = 40;
const REGISTERED_AGAIN: u32 = 8;

/// Stretches in each of which memory has to grow before that counts. What is given back late, or to another thread's
/// store, lets some of them grow in a row, but not so many.
const STRETCHES: usize = 12;

/// Microseconds of a pause after the first stretch that grows; after the n-th it is n times as long. What another
/// thread gives back late, which had no processor for a while, is there again after one of them.
const PAUSE: u32 = 10_000;

/// Milliseconds. A device on which the first stretch takes longer is not asked about its memory: the others would take
/// as long, and a run that gives no sign of life looks like one that hangs.
const LONGEST: u32 = 3000;

impl Lowering {
    /// What all threads share, made when a run begins.
    fn shared_at_begin(&mut self, registered: u32, counts: bool) -> Shared {
        let place = self.place();
        let (shared, calls) = self.shared(place, registered, counts);
        calls.into_iter().for_each(|call| self.builder.begin(call));
        shared
    }

    /// Threads that do their operations in rounds. Each round is written out, for each of its reads has to be compared.
    pub(super) fn threads(&mut self, threads: &[Vec<Operation>], rounds: u16) {
        let shared = self.shared_at_begin(REGISTERED, true);
        for operations in threads {
            for _ in 0..rounds {
                operations
                    .iter()
                    .for_each(|of| self.operation(&shared, *of));
            }
            self.end_thread();
        }
        self.counted(&shared);
        self.builder.end(finish(shared.queue));
    }

    /// Reference counts of what all share. An implementation may count references of its own, so that a count that is
    /// too high shows nothing.
    fn counted(&mut self, shared: &Shared) {
        use Function::{GetCommandQueueInfo, GetEventInfo, GetKernelInfo, GetMemObjectInfo};
        let counts = [
            (GetMemObjectInfo, shared.buffer, cl::CL_MEM_REFERENCE_COUNT),
            (GetEventInfo, shared.event, cl::CL_EVENT_REFERENCE_COUNT),
            (
                GetCommandQueueInfo,
                shared.queue,
                cl::CL_QUEUE_REFERENCE_COUNT,
            ),
            (GetKernelInfo, shared.kernel, cl::CL_KERNEL_REFERENCE_COUNT),
        ];
        for (function, of, what) in counts {
            let (step, answer) = self.ask(function, of, what.into(), 4);
            self.builder.end(step);
            let says = "a reference count is {} although a reference is left";
            self.must(says, That::Number(answer, Right::Not(0)));
        }
    }

    /// One operation in stretches, until one of them shows that it gives back its memory.
    pub(super) fn again(&mut self, operation: Operation, times: u32) {
        let shared = self.shared_at_begin(REGISTERED_AGAIN, false);
        let least = LEAST_OBJECT.unsigned_abs() * u64::from(times);
        let mut answers: Vec<AnswerId> = Vec::new();
        for stretch in 0..=STRETCHES {
            let before = std::mem::take(&mut self.steps);
            self.operation(&shared, operation);
            let body = std::mem::replace(&mut self.steps, before);
            let within = (stretch == 0).then_some(LONGEST);
            self.step(Op::Repeat {
                times,
                within,
                body,
            });
            self.step(finish(shared.queue));
            let into = self.builder.answer();
            let since = answers.last().map(|last| (*last, least));
            self.step(Op::Resident { into, since });
            answers.push(into);
            // Where memory did not grow, the steps that follow are left out.
            if (1..STRETCHES).contains(&stretch) {
                self.step(Op::Sleep(PAUSE * stretch as u32));
            }
        }
        self.end_thread();
        // The amount differs from run to run.
        let says = "memory is not given back: the process grows with each time";
        self.must(says, That::Growth(answers, least as i64));
        self.builder.end(finish(shared.queue));
    }
}
