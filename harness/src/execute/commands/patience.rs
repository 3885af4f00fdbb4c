//! How long the end of a run waits for what should have happened by then.
//!
//! Nothing says how soon a callback is called or a released queue is done, so what does not come is waited
//! for until nobody would wait longer. That is a long time for each of many runs. Once something was
//! missed in that way, so that its program has failed whatever the other runs show, its further runs wait
//! for the same thing only [`AGAIN`]; callbacks of the same sort in other programs are waited for
//! [`LIKEWISE`], which is still far above what a busy machine takes to call one.

use classay_suites::commands::check::Plan;
use classay_suites::commands::order::Fate;
use classay_suites::commands::program::{CallbackId, Event, Reached};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// For what an earlier run of the same program missed.
const AGAIN: Duration = Duration::from_millis(300);

/// For callbacks like one that another program missed.
const LIKEWISE: Duration = Duration::from_millis(2500);

/// Until someone says otherwise.
const FULL: Duration = Duration::from_secs(10);

/// Callbacks that an implementation treats alike: of a user event, of a command that fails, the status.
type Sort = (bool, bool, Reached);

/// What was missed on a device.
#[derive(Default)]
struct Missed {
    full: Option<Duration>,
    /// The program that ran last, and what of it was missed.
    plan: Option<Arc<Plan>>,
    callbacks: BTreeSet<CallbackId>,
    commands: bool,
    sorts: BTreeSet<Sort>,
}

impl Missed {
    /// What is known of a program begins with its first run.
    fn turn_to(&mut self, plan: &Arc<Plan>) {
        if !self
            .plan
            .as_ref()
            .is_some_and(|last| Arc::ptr_eq(last, plan))
        {
            self.plan = Some(plan.clone());
            self.callbacks.clear();
            self.commands = false;
        }
    }

    fn full(&self) -> Duration {
        self.full.unwrap_or(FULL)
    }
}

/// Patience with a device.
#[derive(Default)]
pub struct Patience(Mutex<Missed>);

impl Patience {
    fn with<T>(&self, plan: &Arc<Plan>, act: impl FnOnce(&mut Missed) -> T) -> T {
        let mut missed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        missed.turn_to(plan);
        act(&mut missed)
    }

    /// How long something is waited for that was never missed.
    pub fn set_full(&self, full: Duration) {
        let mut missed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        missed.full = Some(full);
    }

    /// With commands that should be done.
    pub fn with_commands(&self, plan: &Arc<Plan>) -> Duration {
        self.with(plan, |missed| match missed.commands {
            true => AGAIN.min(missed.full()),
            false => missed.full(),
        })
    }

    /// With a callback.
    pub fn with_callback(&self, plan: &Arc<Plan>, id: CallbackId) -> Duration {
        self.with(plan, |missed| {
            let full = missed.full();
            if missed.callbacks.contains(&id) {
                AGAIN.min(full)
            } else if missed.sorts.contains(&sort(plan, id)) {
                LIKEWISE.min(full)
            } else {
                full
            }
        })
    }

    /// Commands were waited for in vain.
    pub fn missed_commands(&self, plan: &Arc<Plan>) {
        self.with(plan, |missed| missed.commands = true);
    }

    /// A callback was waited for in vain.
    pub fn missed_callback(&self, plan: &Arc<Plan>, id: CallbackId) {
        self.with(plan, |missed| {
            missed.callbacks.insert(id);
            missed.sorts.insert(sort(plan, id));
        });
    }
}

fn sort(plan: &Plan, id: CallbackId) -> Sort {
    let callback = &plan.program.callbacks[id.index()];
    let user = matches!(callback.event, Event::User(_));
    let fails = plan.order.fate_of_event(callback.event) == Fate::Fails;
    (user, fails, callback.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_suites::commands::generate::{Profile, random};

    /// Two programs with callbacks.
    fn programs() -> [Arc<Plan>; 2] {
        let mut found = (0..).filter_map(|seed| {
            let plan = random(seed, &Profile::failure()).ok()?;
            (!plan.program.callbacks.is_empty()).then(|| Arc::new(plan))
        });
        [found.next(), found.next()].map(|plan| plan.expect("one of them has a callback"))
    }

    #[test]
    fn what_was_missed_is_waited_for_less_and_only_that() {
        let patience = Patience::default();
        let (id, [one, other]) = (CallbackId::at(0), programs());
        assert_eq!(patience.with_callback(&one, id), FULL);
        patience.missed_callback(&one, id);
        assert_eq!(patience.with_callback(&one, id), AGAIN);
        assert_eq!(patience.with_commands(&one), FULL);
        let alike = sort(&one, id) == sort(&other, id);
        let likewise = if alike { LIKEWISE } else { FULL };
        assert_eq!(patience.with_callback(&other, id), likewise);
        // What a program missed is its own.
        patience.missed_commands(&other);
        assert_eq!(patience.with_commands(&other), AGAIN);
        assert_eq!(patience.with_commands(&one), FULL);
    }

    #[test]
    fn no_patience_is_longer_than_the_whole() {
        let patience = Patience::default();
        let (id, [one, other]) = (CallbackId::at(0), programs());
        let short = Duration::from_millis(100);
        patience.set_full(short);
        patience.missed_callback(&one, id);
        assert_eq!(patience.with_callback(&one, id), short);
        assert_eq!(patience.with_callback(&other, id), short);
    }
}
