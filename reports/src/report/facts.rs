//! The rates of a case's outcomes: interval, scatter between launches, drift over time.

use super::context::About;
use crate::record::CaseResult;
use crate::stats::cluster::{Cluster, Clustered};
use crate::stats::stationarity::{Stationarity, stationarity};
use crate::stats::{Confidence, Interval, upper_bound_if_never_observed};
use crate::text::histogram::{DRIFT, table_order};

/// An outcome, or several taken together, over all launches of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeFacts {
    /// The outcome; empty for all that the test asks about, taken together.
    pub outcome: String,
    /// The test's condition asks about it.
    pub asked: bool,
    /// What the launches say.
    pub all: Clustered,
    /// The 95 % interval of its rate.
    pub interval: Interval,
    /// What the order of the launches says, where they are enough.
    pub stationarity: Option<Stationarity>,
}

impl OutcomeFacts {
    fn new(result: &CaseResult, outcome: &str, asked: bool, clusters: &[Cluster]) -> OutcomeFacts {
        let all = Clustered::of(clusters);
        OutcomeFacts {
            outcome: outcome.to_owned(),
            asked,
            interval: result.interval(clusters, &all),
            all,
            stationarity: stationarity(clusters),
        }
    }

    /// The rate.
    pub fn rate(&self) -> f64 {
        self.all.rate()
    }

    /// Where it was never seen: the rate that it is below, at 95 %.
    pub fn bound(&self) -> Option<f64> {
        let never = self.all.count == 0 && self.all.instances > 0;
        never.then(|| upper_bound_if_never_observed(self.all.instances, Confidence::P95))
    }
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
    /// The outcomes that its condition asks about, taken together; `None` where no instance ran.
    pub asked: Option<OutcomeFacts>,
}

impl<'a> CaseFacts<'a> {
    /// Works them out.
    pub fn new(result: &'a CaseResult, about: Option<&'a About>) -> CaseFacts<'a> {
        let mut histogram = result.histogram();
        histogram.sort_by(table_order);
        let outcomes: Vec<OutcomeFacts> = histogram
            .iter()
            .map(|o| {
                OutcomeFacts::new(
                    result,
                    &o.outcome,
                    o.asked,
                    &result.clusters(Some(&o.outcome)),
                )
            })
            .collect();
        // Often one outcome is all that is asked about: its facts are those of the question.
        let mut of_question = outcomes.iter().filter(|o| o.asked);
        let asked = match (of_question.next(), of_question.next()) {
            (Some(only), None) => Some(OutcomeFacts {
                outcome: String::new(),
                ..only.clone()
            }),
            (Some(_), Some(_)) | (None, _) => {
                let asked = OutcomeFacts::new(result, "", true, &result.clusters(None));
                (asked.all.instances > 0).then_some(asked)
            }
        };
        CaseFacts {
            result,
            about,
            outcomes,
            asked,
        }
    }

    /// The case's id without its name: `litmus/classic`.
    pub fn kind(&self) -> &'a str {
        let id = self.result.case.as_str();
        id.rsplit_once('/').map_or(id, |(kind, _)| kind)
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
    use crate::sample;

    #[test]
    fn what_was_never_seen_has_a_bound_and_what_was_has_none() {
        let never = sample::message_passing();
        let facts = CaseFacts::new(&never, None);
        let asked = facts.asked.as_ref().expect("instances ran");
        assert_eq!((asked.all.count, asked.all.instances), (0, 3000));
        let bound = asked.bound().expect("it was never seen");
        assert!((bound - 9.981e-4).abs() < 1e-6, "{bound}");
        assert!(facts.outcomes.iter().all(|o| o.bound().is_none()));
        assert_eq!(facts.kind(), "litmus/classic");

        let often = sample::store_buffering();
        let facts = CaseFacts::new(&often, None);
        let asked = facts.asked.as_ref().expect("instances ran");
        assert_eq!(asked.all.count, 246_456);
        assert!(asked.interval.contains(asked.rate()));
        assert!(facts.scatter().is_some_and(|effect| effect > 10.0));
        assert_eq!(CaseFacts::new(&sample::skipped(), None).asked, None);
    }

    #[test]
    fn several_asked_outcomes_are_taken_together() {
        let mut result = sample::message_passing();
        for launch in &mut result.launches {
            for outcome in &mut launch.outcomes {
                outcome.asked = outcome.outcome != "1:r0=1 1:r1=1";
            }
        }
        let facts = CaseFacts::new(&result, None);
        assert_eq!(facts.asked.map(|asked| asked.all.count), Some(1200));
    }
}
