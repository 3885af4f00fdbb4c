//! What cases show on the device as it is.
//!
//! A device may break rules of its own, and a case that fails there without a fault must not count for
//! one. So where a case fails under a fault it is run on the device as it is, too, once for all faults,
//! and only what it does not show there is laid to the fault. Cases that no fault makes fail are not
//! run at all.

use super::terms::{MORE_PATIENCE, Terms, again, run};
use crate::plan::Case;
use crate::threads::lock;
use crate::worker::session::{Limits, Session, Stop};
use classay_reports::record::{CaseId, CaseResult, Outcome, RuleId, Verdict, Violation};
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many times more a case is run without a fault of which a launch failed under one.
const MORE_LOOKS: u32 = 6;

/// What is known of the cases, of all that ask.
pub type Known = Mutex<HashMap<CaseId, Shown>>;

/// The device as it is.
///
/// **Threads.** Each has a worker of its own; what is known is shared behind a lock, which nobody holds
/// while a case runs. So two may find out the same at once, and the later answer stays.
pub struct Clean<'a> {
    open: &'a dyn Fn() -> Result<Session, Stop>,
    /// The worker, once it was needed.
    session: Option<Session>,
    known: &'a Known,
    /// Time spent here so far, which is not the faults'.
    pub spent: Duration,
}

impl<'a> Clean<'a> {
    /// Asks workers on the device without a fault.
    pub fn new(open: &'a dyn Fn() -> Result<Session, Stop>, known: &'a Known) -> Clean<'a> {
        Clean {
            open,
            session: None,
            known,
            spent: Duration::ZERO,
        }
    }

    /// What a case shows, which is reported where it is new and wrong.
    ///
    /// # Errors
    ///
    /// The device is gone, or the user interrupted.
    pub fn of(&mut self, case: &Case, limits: Limits, terms: &Terms<'_>) -> Result<Shown, Stop> {
        let known = self.known;
        let all = || lock(known);
        if let Some(shown) = all().get(&case.id) {
            return Ok(shown.clone());
        }
        let begun = Instant::now();
        let session = match &mut self.session {
            Some(session) => session,
            None => self.session.insert((self.open)()?),
        };
        let mut result = run(session, case, again(case), limits, terms.model);
        if matches!(&result, Ok(result) if result.verdict == Verdict::Timeout) {
            // A busy machine makes cases late; what is found out here is never asked again.
            let limits = Limits {
                patience: limits.patience.times(MORE_PATIENCE),
                ..limits
            };
            result = run(session, case, again(case), limits, terms.model);
        }
        self.spent += begun.elapsed();
        let result = result?;
        let shown = Shown::of(&result);
        all().insert(case.id.clone(), shown.clone());
        if shown != Shown::Nothing {
            (terms.tell)(&format!(
                "without a fault: {} {}: {}",
                result.verdict, case.id, result.reason
            ));
        }
        Ok(shown)
    }

    /// What a case shows of which a launch failed under a fault: nothing of memory. Some devices lose results now and
    /// then by themselves, so where it shows nothing wrong it is run several times more.
    ///
    /// # Errors
    ///
    /// As [`Clean::of`].
    pub fn of_failing(
        &mut self,
        case: &Case,
        limits: Limits,
        terms: &Terms<'_>,
    ) -> Result<Shown, Stop> {
        for _ in 0..MORE_LOOKS {
            let shown = self.of(case, limits, terms)?;
            if shown != Shown::Nothing {
                return Ok(shown);
            }
            lock(self.known).remove(&case.id);
        }
        self.of(case, limits, terms)
    }

    /// How a case is known not to come to its end, so that it cannot show any fault.
    pub fn lost(&self, case: &CaseId) -> Option<Verdict> {
        let all = lock(self.known);
        match all.get(case) {
            Some(Shown::Dies(verdict)) => Some(*verdict),
            Some(Shown::Nothing | Shown::Breaks(_)) | None => None,
        }
    }

    /// Ends the worker in order.
    pub fn close(self) {
        if let Some(session) = self.session {
            session.close();
        }
    }
}

/// What a case shows without a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Nothing that is wrong.
    Nothing,
    /// This is wrong.
    Breaks(BTreeSet<Wrong>),
    /// It does not come to its end, so that it says nothing of a fault.
    Dies(Verdict),
}

impl Shown {
    /// What a result without a fault shows.
    fn of(result: &CaseResult) -> Shown {
        match result.verdict {
            Verdict::Pass | Verdict::Skip | Verdict::Inconclusive => Shown::Nothing,
            Verdict::Fail | Verdict::Contested => Shown::Breaks(wrongs(result).collect()),
            Verdict::Crash | Verdict::Timeout | Verdict::Flaky => Shown::Dies(result.verdict),
        }
    }

    /// Whether a result under a fault shows something that is not here.
    pub fn tells(&self, result: &CaseResult) -> bool {
        match (self, result.verdict) {
            (_, Verdict::Pass | Verdict::Skip | Verdict::Inconclusive) => false,
            (
                Shown::Nothing,
                Verdict::Fail
                | Verdict::Contested
                | Verdict::Crash
                | Verdict::Timeout
                | Verdict::Flaky,
            ) => true,
            (Shown::Breaks(_), Verdict::Crash | Verdict::Timeout | Verdict::Flaky) => true,
            (Shown::Breaks(known), Verdict::Fail | Verdict::Contested) => {
                wrongs(result).any(|wrong| !known.contains(&wrong))
            }
            (
                Shown::Dies(_),
                Verdict::Fail
                | Verdict::Contested
                | Verdict::Crash
                | Verdict::Timeout
                | Verdict::Flaky,
            ) => false,
        }
    }

    /// Whether something that is wrong is not shown here.
    pub fn is_new(&self, wrong: &Wrong) -> bool {
        match self {
            Shown::Nothing => true,
            Shown::Breaks(known) => !known.contains(wrong),
            Shown::Dies(_) => false,
        }
    }
}

/// So many rules of a violation say which one it is; the others vary from run to run.
const RULES: usize = 4;

/// Something that is wrong with a case, without what varies from run to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// One of these rules is broken.
    Rules(Vec<RuleId>),
    /// A litmus test ended in this target outcome.
    Outcome(Outcome),
}

impl Wrong {
    /// What a violation says.
    pub fn violation(violation: &Violation) -> Wrong {
        Wrong::Rules(violation.rules.iter().take(RULES).copied().collect())
    }

    /// What a target outcome says.
    pub fn outcome(outcome: &Outcome) -> Wrong {
        match outcome {
            Outcome::Violation(violation) => Wrong::violation(violation),
            Outcome::State(_) | Outcome::Required | Outcome::Incomplete => {
                Wrong::Outcome(outcome.clone())
            }
        }
    }
}

/// What is wrong with a result: its target outcomes, and all kinds of violations.
fn wrongs(result: &CaseResult) -> impl Iterator<Item = Wrong> {
    let outcomes = result.histogram().into_iter().filter(|o| o.target);
    let outcomes = outcomes.map(|o| Wrong::outcome(&o.outcome));
    outcomes.chain(result.violations.iter().map(Wrong::violation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_reports::record::{Launch, OutcomeCount};

    fn result(verdict: Verdict, violations: &[(&[&str], &str)]) -> CaseResult {
        let violation = |(rules, what): &(&[&str], &str)| Violation {
            rules: rules.iter().map(|rule| RuleId::new(rule)).collect(),
            what: (*what).into(),
        };
        let outcomes = violations.iter().map(violation).map(|found| OutcomeCount {
            outcome: Outcome::Violation(found),
            count: 1,
            target: true,
        });
        CaseResult {
            instances: 3,
            launches: vec![Launch {
                index: 0,
                process: 0,
                instances: 3,
                seconds: 1.0,
                outcomes: outcomes.collect(),
                freedoms: Vec::new(),
            }],
            ..CaseResult::new(CaseId::new("a", "b", "c"), verdict, "")
        }
    }

    #[test]
    fn what_the_device_does_anyway_is_not_laid_to_a_fault() {
        let clean = Shown::of(&result(
            Verdict::Fail,
            &[(&["a.b", "c.d"], "step 1 came early")],
        ));
        let same = result(Verdict::Fail, &[(&["a.b", "c.d"], "step 2 came early")]);
        let more = result(
            Verdict::Fail,
            &[(&["a.b", "c.d"], "step 2 came early"), (&["e.f"], "lost")],
        );
        let dead = result(Verdict::Crash, &[]);
        assert!(!clean.tells(&same));
        assert!(clean.tells(&more));
        assert!(clean.tells(&dead));
        assert!(!Shown::of(&dead).tells(&more));
        assert!(!clean.tells(&result(Verdict::Pass, &[])));
        let good = Shown::of(&result(Verdict::Pass, &[]));
        assert_eq!(good, Shown::Nothing);
        assert!(good.tells(&same) && good.tells(&dead));
        let contested = result(
            Verdict::Contested,
            &[(&["a.b", "c.d"], "step 3 came early")],
        );
        assert!(good.tells(&contested) && !Shown::of(&contested).tells(&same));
    }
}
