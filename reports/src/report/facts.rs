//! The rates of a case's outcomes: interval, scatter between launches, drift over time.

use super::context::About;
use crate::record::{CaseResult, Freedom, Outcome, OutcomeCount};
use crate::stats::cluster::Cluster;
use crate::stats::cluster::Clustered;
use crate::stats::stationarity::{Stationarity, stationarity};
use crate::stats::{Confidence, Interval, Never};
use crate::text::outcome::table;

/// An outcome, or several taken together, over all launches of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeFacts {
    /// The outcome in words; empty for all target outcomes, taken together.
    pub text: String,
    /// The outcome; none for all target outcomes, taken together.
    pub outcome: Option<Outcome>,
    /// It is a target outcome.
    pub target: bool,
    /// What the launches say.
    pub all: Clustered,
    /// The 95 % interval of its rate.
    pub interval: Interval,
    /// Where it was never seen: what is known of it.
    pub never: Option<Never>,
    /// What the order of the launches says, where they are enough.
    pub stationarity: Option<Stationarity>,
}

impl OutcomeFacts {
    fn new(result: &CaseResult, text: String, of: Option<OutcomeCount>) -> OutcomeFacts {
        let (outcome, target) = match of {
            Some(of) => (Some(of.outcome), of.target),
            None => (None, true),
        };
        let clusters = result.clusters(outcome.as_ref());
        OutcomeFacts {
            outcome,
            target,
            ..OutcomeFacts::over(result, text, &clusters)
        }
    }

    /// What launches say of anything that is counted.
    fn over(result: &CaseResult, text: String, clusters: &[Cluster]) -> OutcomeFacts {
        let all = Clustered::of(clusters);
        OutcomeFacts {
            text,
            outcome: None,
            target: false,
            interval: result.interval(&all, &[]),
            never: never(&all, &[]),
            all,
            stationarity: stationarity(clusters),
        }
    }

    /// The same, knowing how the other outcomes of the case scatter.
    fn beside(&mut self, result: &CaseResult, others: &[Clustered]) {
        self.interval = result.interval(&self.all, others);
        self.never = never(&self.all, others);
    }

    /// The rate.
    pub fn rate(&self) -> f64 {
        self.all.rate()
    }

    /// Where it was never seen: the rate that it is below, at 95 %.
    pub fn bound(&self) -> Option<f64> {
        self.never.as_ref().map(Never::bound)
    }
}

/// What is known of what no instance showed.
fn never(all: &Clustered, others: &[Clustered]) -> Option<Never> {
    let never = all.count == 0 && all.instances > 0;
    never.then(|| Never::of(all, others, Confidence::P95))
}

/// A case with the rates of its outcomes.
#[derive(Debug, Clone)]
pub struct CaseFacts<'a> {
    /// The result.
    pub result: &'a CaseResult,
    /// What else is known of the case.
    pub about: Option<&'a About>,
    /// Its outcomes, most frequent first; only those that occurred.
    pub outcomes: Vec<OutcomeFacts>,
    /// Its target outcomes, taken together; `None` where no instance ran.
    pub target: Option<OutcomeFacts>,
    /// The freedoms that its instances could show, each by its name.
    pub freedoms: Vec<OutcomeFacts>,
}

/// A drift is reported at this probability without one, divided by the number of outcomes.
const DRIFT: f64 = 0.01;

impl<'a> CaseFacts<'a> {
    /// Works them out.
    pub fn new(result: &'a CaseResult, about: Option<&'a About>) -> CaseFacts<'a> {
        let mut outcomes: Vec<OutcomeFacts> = table(result)
            .into_iter()
            .map(|(text, of)| OutcomeFacts::new(result, text, Some(of)))
            .collect();
        // Often there is one target outcome: its facts are those of all.
        let mut targets = outcomes.iter().filter(|o| o.target);
        let mut target = match (targets.next(), targets.next()) {
            (Some(only), None) => Some(OutcomeFacts {
                text: String::new(),
                outcome: None,
                ..only.clone()
            }),
            (Some(_), Some(_)) | (None, _) => {
                let all = OutcomeFacts::new(result, String::new(), None);
                (all.all.instances > 0).then_some(all)
            }
        };
        let seen: Vec<Clustered> = outcomes.iter().map(|o| o.all).collect();
        for of in outcomes.iter_mut().chain(&mut target) {
            of.beside(result, &seen);
        }
        let freedoms = Freedom::ALL.into_iter().filter_map(|freedom| {
            let clusters: Vec<Cluster> = result.freedom(freedom).collect();
            (!clusters.is_empty())
                .then(|| OutcomeFacts::over(result, freedom.name().into(), &clusters))
        });
        CaseFacts {
            result,
            about,
            outcomes,
            target,
            freedoms: freedoms.collect(),
        }
    }

    /// The case's id without its name: `litmus/classic`.
    pub fn kind(&self) -> &'a str {
        self.result.case.kind()
    }

    /// The largest design effect of an outcome whose launches scatter beyond doubt.
    pub fn scatter(&self) -> Option<f64> {
        self.outcomes
            .iter()
            .filter(|o| o.all.is_overdispersed())
            .filter_map(|o| o.all.design_effect)
            .max_by(f64::total_cmp)
    }

    /// The outcome that drifts most surely, where one does at one per cent for all outcomes together.
    pub fn drift(&self) -> Option<(&OutcomeFacts, Stationarity)> {
        let all = self.outcomes.len() as f64;
        self.outcomes
            .iter()
            .filter_map(|o| o.stationarity.map(|found| (o, found)))
            .min_by(|(_, a), (_, b)| a.p_value().total_cmp(&b.p_value()))
            .filter(|(_, found)| found.p_value() * all < DRIFT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;

    #[test]
    fn what_was_never_seen_has_a_bound_and_what_was_has_none() {
        let never = sample::message_passing();
        let facts = CaseFacts::new(&never, None);
        let target = facts.target.as_ref().expect("instances ran");
        assert_eq!((target.all.count, target.all.instances), (0, 3000));
        let bound = target.bound().expect("it was never seen");
        assert!((bound - 0.1251).abs() < 1e-4, "{bound}");
        let never = target.never.expect("it was never seen");
        assert!((never.whatever - 0.6316).abs() < 1e-4 && !never.across_processes);
        assert!(facts.outcomes.iter().all(|o| o.bound().is_none()));
        assert_eq!(facts.kind(), "litmus/classic");

        let often = sample::store_buffering();
        let facts = CaseFacts::new(&often, None);
        let target = facts.target.as_ref().expect("instances ran");
        assert_eq!(target.all.count, 246_456);
        assert!(target.interval.contains(target.rate()));
        assert!(facts.scatter().is_some_and(|effect| effect > 10.0));
        assert_eq!(CaseFacts::new(&sample::skipped(), None).target, None);
    }

    #[test]
    fn several_target_outcomes_are_taken_together() {
        let mut result = sample::message_passing();
        for launch in &mut result.launches {
            for outcome in &mut launch.outcomes {
                outcome.target = outcome.outcome != Outcome::State(vec![1, 1]);
            }
        }
        let facts = CaseFacts::new(&result, None);
        assert_eq!(facts.target.map(|target| target.all.count), Some(1200));
    }
}
