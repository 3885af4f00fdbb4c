//! The times of transfers, whatever kind of command each is: a queue that profiles tells them when all is finished.

use super::Lower;
use crate::commands::check::STATES;
use crate::host::check::{Check, Right, That};
use crate::host::*;
use crate::rule::{self, RuleId};

/// A transfer with an event.
pub(super) struct Timed {
    function: Function,
    event: Slot,
}

impl Lower<'_> {
    /// A transfer's call, with an event of its own where its case is profiled.
    pub(super) fn timed(&mut self, function: Function, arguments: Vec<Value>) -> Step {
        let event = self.timing.then(|| {
            let event = self.b.slot_of_its_own("moved", SlotKind::Event);
            self.times.push(Timed { function, event });
            event
        });
        Call::enqueue(function, self.queues[0], arguments, &[], event).into()
    }

    /// A command of the first queue of this function has this event.
    pub(super) fn time(&mut self, function: Function, event: Slot) {
        self.times.push(Timed { function, event });
    }

    /// Asks for the times of all transfers, which are finished, in order.
    pub(super) fn times(&mut self) {
        let mut last: Option<(AnswerId, AnswerId)> = None;
        for (n, Timed { function, event }) in
            std::mem::take(&mut self.times).into_iter().enumerate()
        {
            let status = self.b.answer();
            self.add(Call::status(event, status));
            let times = TIMES.map(|what| {
                let answer = self.b.answer();
                self.add(Call::time(event, what, answer));
                answer
            });
            self.add(self.b.release(event));
            let name = format!("transfer {n} ({})", function.name());
            let says = format!("after clFinish the status of {name} is {{}}");
            let complete = That::Number(status, Right::Among(vec![0]));
            let rules = vec![rule::STATE_QUERY, rule::SP_FINISH];
            self.checks.push(Check::new(rules, says, complete));
            for (states, pair) in STATES.windows(2).zip(times.windows(2)) {
                let (one, two) = (states[0], states[1]);
                let says = format!("by its times {name} was {one} after it was {two}");
                let that = That::NotAfter(pair[0], pair[1]);
                self.of_times(vec![rule::STATE_PROFILING], says, that, &[status]);
            }
            let end = times[3];
            if let Some((before, ended)) = last.replace((status, end)) {
                let says = format!("by its times {name} ended before the one before it had");
                let rules = vec![rule::STATE_PROFILING, rule::QUEUE_IN_ORDER];
                self.of_times(rules, says, That::NotAfter(ended, end), &[before, status]);
            }
        }
    }

    /// A check of the times of commands with these statuses, which only complete ones have.
    fn of_times(&mut self, rules: Vec<RuleId>, says: String, that: That, of: &[AnswerId]) {
        let mut check = Check::new(rules, says, that);
        check.complete = of.to_vec();
        self.checks.push(check);
    }
}
