//! What the device was seen to do where the specification leaves a choice, and how often. Nothing of it
//! fails a case.

use crate::record::{CaseResult, Freedom, Need};
use crate::stats::cluster::{Cluster, Clustered};
use crate::stats::sequence::always;
use crate::stats::{Confidence, Interval, Never};

/// A freedom, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FreedomFacts {
    /// The freedom.
    pub freedom: Freedom,
    /// How often it was seen, or why it could not be.
    pub sight: Sight,
}

/// How often a freedom was seen, or why it could not be.
#[derive(Debug, Clone, PartialEq)]
pub enum Sight {
    /// Instances could show it.
    Possible {
        /// Those that could and those that did, by launches.
        all: Clustered,
        /// The 95 % interval of the rate.
        interval: Interval,
    },
    /// Cases that could show it were skipped: the device lacks this.
    Lacking(Need),
    /// No case tries it, for this reason.
    Untried(&'static str),
    /// No instance of these cases could show it.
    Unasked,
}

impl FreedomFacts {
    /// What these cases say of it.
    fn of(freedom: Freedom, results: &[CaseResult]) -> FreedomFacts {
        // Processes of one case are numbered from 0, and those of the next are others.
        let mut before = 0;
        let mut launches: Vec<Cluster> = Vec::new();
        for result in results {
            let of_case = launches.len();
            launches.extend(result.freedom(freedom).map(|launch| Cluster {
                process: before + launch.process,
                ..launch
            }));
            let last = launches[of_case..]
                .iter()
                .map(|launch| launch.process)
                .max();
            before = last.map_or(before, |last| last + 1);
        }
        let all = Clustered::of(&launches);
        let lacks = |need: &Need| results.iter().any(|result| result.lacks.contains(need));
        let sight = if all.instances > 0 {
            // Where the data decided when to stop, only an interval that holds at all times is right.
            let interval = match results.iter().any(CaseResult::stopped_early) {
                true => always(&all, [], Confidence::P95),
                false => all.interval(Confidence::P95),
            };
            Sight::Possible { all, interval }
        } else if let Some(why) = freedom.untried() {
            Sight::Untried(why)
        } else if let Some(need) = freedom.need().filter(lacks) {
            Sight::Lacking(need)
        } else {
            Sight::Unasked
        };
        FreedomFacts { freedom, sight }
    }

    /// Where it was possible and never seen: the rate that it is below, at 95 %.
    pub fn bound(&self) -> Option<f64> {
        match &self.sight {
            Sight::Possible { all, .. } if all.count == 0 => {
                Some(Never::of(all, [], Confidence::P95).bound())
            }
            Sight::Possible { .. } | Sight::Lacking(_) | Sight::Untried(_) | Sight::Unasked => None,
        }
    }
}

impl Sight {
    /// Why it could not be seen: a sentence without its full stop; none where it could.
    pub fn obstacle(&self) -> Option<String> {
        match self {
            Sight::Possible { .. } => None,
            Sight::Lacking(need) => Some(format!("the device lacks {need}")),
            Sight::Untried(why) => Some(format!("no case tries it: {why}")),
            Sight::Unasked => Some("no case of this run could show it".into()),
        }
    }
}

/// Every freedom, as these cases show it.
pub fn freedoms(results: &[CaseResult]) -> Vec<FreedomFacts> {
    let facts = |freedom| FreedomFacts::of(freedom, results);
    Freedom::ALL.into_iter().map(facts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FreedomCount;
    use crate::tests::sample;

    fn of(results: &[CaseResult], freedom: Freedom) -> FreedomFacts {
        let all = freedoms(results);
        assert_eq!(all.len(), Freedom::ALL.len());
        let found = all.into_iter().find(|facts| facts.freedom == freedom);
        found.expect("every freedom is there")
    }

    #[test]
    fn launches_of_all_cases_add_up() {
        let mut first = sample::message_passing();
        let mut second = sample::store_buffering();
        let mut possible = 0;
        for (n, launch) in first
            .launches
            .iter_mut()
            .chain(&mut second.launches)
            .enumerate()
        {
            if n % 2 == 0 {
                let (seen, of) = (1, 4);
                let freedom = Freedom::Overlapped;
                launch.freedoms.push(FreedomCount { freedom, seen, of });
                possible += 1;
            }
        }
        let facts = of(&[first, second], Freedom::Overlapped);
        let Sight::Possible { all, interval } = &facts.sight else {
            panic!("{facts:?}");
        };
        assert!(possible > 2);
        assert_eq!((all.count, all.instances), (possible, 4 * possible));
        assert_eq!(all.launches as u64, possible);
        assert!(
            interval.contains(0.25) && interval.high < 1.0,
            "{interval:?}"
        );
        assert_eq!(facts.bound(), None);
    }

    #[test]
    fn what_was_never_seen_differs_from_what_could_not_be() {
        let mut never = sample::message_passing();
        let freedom = Freedom::Reordered;
        let (seen, of_all) = (0, 100);
        never.launches[0].freedoms = vec![FreedomCount {
            freedom,
            seen,
            of: of_all,
        }];
        let mut lacking = sample::skipped();
        lacking.lacks = vec![Need::OutOfOrderQueue];
        let facts = of(&[never, lacking.clone()], freedom);
        assert!(facts.bound().is_some_and(|below| below < 1.0));
        assert_eq!(facts.sight.obstacle(), None);

        let facts = of(std::slice::from_ref(&lacking), freedom);
        assert_eq!(facts.sight, Sight::Lacking(Need::OutOfOrderQueue));
        let unasked = of(&[lacking], Freedom::GroupsReordered);
        assert_eq!(unasked.sight, Sight::Unasked);
        let untried = of(&[], Freedom::MapOverwrites);
        assert!(matches!(untried.sight, Sight::Untried(_)));
        assert_eq!((untried.bound(), unasked.bound()), (None, None));
    }
}
