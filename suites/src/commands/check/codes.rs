//! What calls returned, and in which order.

use super::{Found, call};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::Step;
use crate::commands::trace::status;
use crate::host::NOT_MADE;
use crate::rule;

impl Found<'_> {
    pub(super) fn codes(&mut self) {
        let (order, program) = (&self.plan.order, &self.plan.program);
        for (place, step) in program.steps() {
            let Some(&code) = self
                .trace
                .codes
                .get(&place)
                .filter(|code| **code != NOT_MADE)
            else {
                continue;
            };
            if let Step::Wait(events) = step {
                let fates: Vec<Fate> = events.iter().map(|e| order.fate_of_event(*e)).collect();
                if fates.contains(&Fate::Fails) {
                    if code != status::ERROR_IN_WAIT_LIST {
                        let what = format!(
                            "{place}, clWaitForEvents on an event that fails, returned {code}, not {}",
                            status::ERROR_IN_WAIT_LIST
                        );
                        self.breaks(rule::FAIL_NEGATIVE, what);
                    }
                    continue;
                }
                if fates.contains(&Fate::Open) {
                    continue;
                }
            }
            if code != 0 && !self.after_failure() {
                let call = call(step).unwrap_or("no call");
                let what = format!("{place}, {call}, returned {code}");
                let mut rules = vec![rule::API_VALID];
                if let Step::Wait(_) = step {
                    rules.extend(self.lost());
                }
                self.add(rules, rule::API_VALID, what);
            }
        }
    }

    /// Calls that were not made, because what they need was not there: it follows from what went wrong before, or the
    /// implementation lacks the function. After something failed, nothing is said.
    pub(super) fn not_made(&mut self) {
        if self.after_failure() {
            return;
        }
        let codes = self.trace.codes.iter();
        let missing = codes
            .filter(|(_, code)| **code == NOT_MADE)
            .map(|(place, _)| *place);
        for place in missing.collect::<Vec<_>>() {
            let step = self.plan.program.steps().find(|(own, _)| *own == place);
            let call = step.and_then(|(_, step)| call(step)).unwrap_or("a call");
            let what = format!("{place}, {call}, could not be made: what it needs is missing");
            self.breaks(rule::API_VALID, what);
        }
    }

    /// What happens before something came before it.
    pub(super) fn stamps(&mut self) {
        let mut stamps: Vec<(Moment, u64)> =
            self.trace.stamps.iter().map(|(m, s)| (*m, *s)).collect();
        stamps.sort_by_key(|(_, stamp)| *stamp);
        for (n, (early, _)) in stamps.iter().enumerate() {
            for (late, _) in &stamps[n + 1..] {
                if self.surely(*late, *early) {
                    let rules = self.plan.order.rules_between(*late, *early);
                    if self.plan.leaves_open(&rules) {
                        continue;
                    }
                    let what = format!("{early} came before {late}");
                    self.add(rules, rule::NOT_BEFORE_READY, what);
                }
            }
        }
    }
}
