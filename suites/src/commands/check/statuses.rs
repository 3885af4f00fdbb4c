//! What was told of the states of commands.

use super::Found;
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{Event, Place};
use crate::commands::trace::status;
use crate::commands::words;
use crate::rule;

impl Found<'_> {
    pub(super) fn statuses(&mut self) {
        let order = &self.plan.order;
        let mut asked: Vec<(Event, Place, i32)> = Vec::new();
        for (place, event) in self.plan.program.asked() {
            let Some(&told) = self.trace.statuses.get(&place) else {
                continue;
            };
            let name = words::event(event);
            let fate = order.fate_of_event(event);
            let done = order.completion(event);
            if let Event::User(user) = event
                && let Some((set, wanted)) = order.set(user)
                && self.surely(Moment::Call(set), Moment::Call(place))
                && told != wanted
            {
                let what =
                    format!("at {place} the status of {name} was {told}, and {wanted} was set");
                self.breaks(rule::FAIL_NEGATIVE, what);
            }
            if let Some(done) = done.filter(|done| self.surely(*done, Moment::Call(place))) {
                let right = match fate {
                    Fate::Completes => told == status::COMPLETE || told < 0 && self.after_failure(),
                    Fate::Fails => told < 0,
                    Fate::Open => told <= status::COMPLETE,
                };
                let rules = || order.rules_between(done, Moment::Call(place));
                if !right && !self.plan.leaves_open(&rules()) {
                    let what = format!("at {place} the status of {name} was {told}, after its end");
                    self.add(rules(), rule::STATE_QUERY, what);
                }
            }
            // A user event goes on when it is set.
            let start = event.command().map(Moment::Start);
            let held = |start| self.surely(Moment::Return(place), start);
            if start.or(done).is_some_and(held) && told < status::SUBMITTED {
                let what = format!(
                    "at {place} the status of {name} was {told}, before its prerequisites were complete"
                );
                let rules = start.map(|start| order.rules_between(Moment::Return(place), start));
                self.add(rules.unwrap_or_default(), rule::NOT_BEFORE_READY, what);
            }
            asked.push((event, place, told));
        }
        for (event, place, told) in &asked {
            for (other, later, then) in &asked {
                let ordered = self.surely(Moment::Return(*place), Moment::Call(*later));
                if event == other && ordered && then > told {
                    let what = format!(
                        "the status of {} went back from {told} at {place} to {then} at {later}",
                        words::event(*event)
                    );
                    self.breaks(rule::STATE_QUERY, what);
                }
            }
        }
        for (command, last) in &self.trace.last {
            let (right, rule) = match order.fate(*command) {
                Fate::Completes => (*last == status::COMPLETE, rule::STATE_QUERY),
                Fate::Fails => (*last < 0, rule::FAIL_NEGATIVE),
                Fate::Open => (true, rule::STATE_QUERY),
            };
            let excused = order.fate(*command) == Fate::Completes && self.after_failure();
            if !right && !excused {
                let what = format!(
                    "when all was finished the status of command {} was {last}",
                    command.0
                );
                let mut rules = vec![rule];
                if order.fate(*command) == Fate::Fails {
                    rules.extend([rule::FAIL_PROPAGATE, rule::FAIL_USER_EVENT]);
                } else {
                    rules.extend(self.lost());
                }
                self.add(rules, rule, what);
            }
        }
    }
}
