//! What was called, how often and with what.

use super::{Found, Plan};
use crate::commands::order::Fate;
use crate::commands::program::{Callback, CallbackId, CommandId, Event, Reached};
use crate::commands::trace::status;
use crate::rule::{self, RuleId};

impl Plan {
    /// Whether a callback must be called by the end of the program, if it could be registered.
    pub fn must_call(&self, id: CallbackId) -> bool {
        let callback = &self.program.callbacks[id.index()];
        let order = &self.order;
        let due = match (order.fate_of_event(callback.event), callback.at) {
            (Fate::Fails, Reached::Complete) => true,
            // A user event is never running, and what is set is past all states. After something
            // failed, the specification leaves what else its context does open.
            (Fate::Completes, _) | (Fate::Open, Reached::Complete) => !order.has_failures(),
            (Fate::Fails | Fate::Open, Reached::Submitted | Reached::Running) => false,
        };
        due && order.completion(callback.event).is_some()
    }

    /// How often the function of a native kernel runs, and the rule that says so; none where that is open.
    pub fn runs(&self, id: CommandId) -> Option<(i64, RuleId)> {
        match self.order.fate(id) {
            Fate::Fails => Some((0, rule::FAIL_PROPAGATE)),
            Fate::Completes | Fate::Open if self.order.has_failures() => None,
            Fate::Completes | Fate::Open => Some((1, rule::KIND_NATIVE)),
        }
    }
}

/// What a callback is called in a sentence: how its event ends decides what it may be told.
pub fn called(plan: &Plan, id: CallbackId) -> String {
    let event = plan.program.callbacks[id.index()].event;
    match plan.order.fate_of_event(event) {
        Fate::Fails => format!("callback {id} of a failing event"),
        Fate::Completes | Fate::Open => format!("callback {id}"),
    }
}

/// The rule by which a callback is called once its event is complete: a user event passes the state of a
/// running command without being in it.
pub(super) fn passing(callback: &Callback) -> RuleId {
    match (callback.event, callback.at) {
        (Event::User(_), Reached::Running) => rule::STATE_CALLBACKS_USER,
        (Event::User(_), Reached::Submitted | Reached::Complete) | (Event::Command(_), _) => {
            rule::STATE_CALLBACKS
        }
    }
}

/// What is said of a native kernel whose function ran so often.
pub fn ran(id: CommandId, times: &str) -> String {
    format!("the function of command {id} ran {times} times with its arguments")
}

impl Found<'_> {
    /// A native kernel that completes has run once, and one that waits for what fails has not.
    pub(super) fn natives(&mut self) {
        let order = &self.plan.order;
        if self.trace.finished.is_none() {
            return;
        }
        for (&id, &times) in &self.trace.ran {
            let enqueued = self.trace.codes.get(&order.enqueued(id)) == Some(&0);
            let Some((wanted, rule)) = self.plan.runs(id) else {
                continue;
            };
            if enqueued && i64::from(times) != wanted {
                self.breaks(rule, ran(id, &times.to_string()));
            }
        }
    }

    pub(super) fn callbacks(&mut self) {
        let order = &self.plan.order;
        for (n, callback) in self.plan.program.callbacks() {
            let fired = self.trace.fired.iter().filter(|f| f.callback == n);
            let fired: Vec<_> = fired.collect();
            let fate = order.fate_of_event(callback.event);
            let registered = self.trace.codes.get(&order.registered(n)) == Some(&0);
            let excused = fate != Fate::Fails && self.after_failure() || !registered;
            let mut wrong = Vec::new();
            let name = called(self.plan, n);
            if registered && fired.is_empty() && self.plan.must_call(n) {
                self.breaks(passing(callback), format!("{name} was never called"));
            }
            if fired.len() > 1 {
                wrong.push(format!("{name} was called {} times", fired.len()));
            }
            for f in &fired {
                if !f.right_event {
                    wrong.push(format!("{name} was given another event"));
                }
                let right = match fate {
                    Fate::Completes => f.status == callback.at.status() || f.status < 0 && excused,
                    Fate::Fails => f.status < 0 || callback.at != Reached::Complete,
                    Fate::Open => true,
                };
                if !right && f.status == status::COMPLETE {
                    self.breaks(passing(callback), format!("{name} was told status 0"));
                } else if !right {
                    wrong.push(format!("{name} was told status {}", f.status));
                }
            }
            for what in wrong {
                self.breaks(rule::STATE_CALLBACKS, what);
            }
        }
    }
}
