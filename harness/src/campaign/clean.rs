//! What cases show on the device as it is.
//!
//! A device may break rules of its own, and a case that fails there without a fault must not count for
//! one. So where a case fails under a fault it is run on the device as it is, too, once for all faults,
//! and only what it does not show there is laid to the fault. Cases that no fault makes fail are not
//! run at all.

use super::hunt::{MORE_PATIENCE, again, run};
use crate::judge::ChosenModel;
use crate::plan::Case;
use crate::worker::session::{Limits, Session, Stop};
use classay_reports::record::{CaseId, CaseResult, Verdict};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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

    /// What a case shows, and a sentence about it where it is new and wrong.
    ///
    /// # Errors
    ///
    /// The device is gone, or the user interrupted.
    pub fn of(
        &mut self,
        case: &Case,
        limits: Limits,
        model: &ChosenModel,
    ) -> Result<(Shown, Option<String>), Stop> {
        let known = self.known;
        let all = || known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shown) = all().get(&case.id) {
            return Ok((shown.clone(), None));
        }
        let begun = Instant::now();
        let session = match &mut self.session {
            Some(session) => session,
            None => self.session.insert((self.open)()?),
        };
        let mut result = run(session, case, again(case), limits, model);
        if matches!(&result, Ok(result) if result.verdict == Verdict::Timeout) {
            // A busy machine makes cases late; what is found out here is never asked again.
            let limits = Limits {
                patience: limits.patience * MORE_PATIENCE,
                ..limits
            };
            result = run(session, case, again(case), limits, model);
        }
        self.spent += begun.elapsed();
        let result = result?;
        let shown = Shown::of(&result);
        all().insert(case.id.clone(), shown.clone());
        let told = (shown != Shown::Nothing).then(|| {
            format!(
                "without a fault: {} {}: {}",
                result.verdict, case.id, result.reason
            )
        });
        Ok((shown, told))
    }

    /// How a case is known not to come to its end, so that it cannot show any fault.
    pub fn lost(&self, case: &CaseId) -> Option<Verdict> {
        let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// These rules are broken, as violations list them.
    Breaks(BTreeSet<String>),
    /// It does not come to its end, so that it says nothing of a fault.
    Dies(Verdict),
}

impl Shown {
    /// What a result without a fault shows.
    fn of(result: &CaseResult) -> Shown {
        match result.verdict {
            Verdict::Pass | Verdict::Skip | Verdict::Inconclusive => Shown::Nothing,
            Verdict::Fail => Shown::Breaks(violations(result).map(rules).collect()),
            Verdict::Crash | Verdict::Timeout => Shown::Dies(result.verdict),
        }
    }

    /// Whether a result under a fault shows something that is not here.
    pub fn tells(&self, result: &CaseResult) -> bool {
        match (self, result.verdict) {
            (_, Verdict::Pass | Verdict::Skip | Verdict::Inconclusive) => false,
            (Shown::Nothing, Verdict::Fail | Verdict::Crash | Verdict::Timeout) => true,
            (Shown::Breaks(_), Verdict::Crash | Verdict::Timeout) => true,
            (Shown::Breaks(known), Verdict::Fail) => {
                violations(result).any(|text| !known.contains(&rules(text)))
            }
            (Shown::Dies(_), Verdict::Fail | Verdict::Crash | Verdict::Timeout) => false,
        }
    }

    /// Whether a violation, as an outcome or as evidence tells it, is not shown here.
    pub fn is_new(&self, text: &str) -> bool {
        match self {
            Shown::Nothing => true,
            Shown::Breaks(known) => !known.contains(&rules(text.to_string())),
            Shown::Dies(_) => false,
        }
    }
}

/// The violations that a result tells of: those that stand for a run, and all kinds of them.
pub fn violations(result: &CaseResult) -> impl Iterator<Item = String> {
    let outcomes = result
        .histogram()
        .into_iter()
        .filter(|o| o.asked)
        .map(|o| o.outcome);
    outcomes.chain(result.violations().map(str::to_string))
}

/// The first four rules of a violation, which outcomes and evidence have alike; the outcome itself
/// where it is a litmus test's.
fn rules(violation: String) -> String {
    match violation.split_once(": ") {
        Some((rules, _)) => rules.split('|').take(4).collect::<Vec<_>>().join("|"),
        None => violation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_reports::record::{Launch, OutcomeCount};

    fn result(verdict: Verdict, outcomes: &[&str]) -> CaseResult {
        CaseResult {
            case: CaseId::new("a", "b", "c"),
            test: String::new(),
            file: String::new(),
            verdict,
            reason: String::new(),
            instances: 3,
            seconds: 1.0,
            build_seconds: 0.0,
            device_seconds: 0.0,
            attempts: 1,
            failed_attempts: 0,
            launches: vec![Launch {
                index: 0,
                instances: 3,
                seconds: 1.0,
                outcomes: outcomes
                    .iter()
                    .map(|outcome| OutcomeCount {
                        outcome: (*outcome).into(),
                        count: 1,
                        asked: true,
                    })
                    .collect(),
            }],
            evidence: Vec::new(),
        }
    }

    #[test]
    fn what_the_device_does_anyway_is_not_laid_to_a_fault() {
        let clean = Shown::of(&result(Verdict::Fail, &["a.b|c.d: step 1 came early"]));
        let same = result(Verdict::Fail, &["a.b|c.d: step 2 came early"]);
        let more = result(Verdict::Fail, &["a.b|c.d: step 2 came early", "e.f: lost"]);
        let dead = result(Verdict::Crash, &[]);
        assert!(!clean.tells(&same));
        assert!(clean.tells(&more));
        assert!(clean.tells(&dead));
        assert!(!Shown::of(&dead).tells(&more));
        assert!(!clean.tells(&result(Verdict::Pass, &[])));
        let good = Shown::of(&result(Verdict::Pass, &[]));
        assert_eq!(good, Shown::Nothing);
        assert!(good.tells(&same) && good.tells(&dead));
    }
}
