//! Which case comes next of those that run beside each other.
//!
//! In a run that has an end, kinds of cases share the time, not the number of cases: of those that ran, the kind that
//! has had the least time comes next. A kind whose cases take seconds, because the device hangs or dies in them or
//! its compiler is slow, has a few of them then, and one whose cases take milliseconds has all.

use super::schedule::kind;
use crate::plan::Case;
use classay_suites::kernels::generate::cases_a_round;
use std::collections::{BTreeMap, VecDeque};

/// Seconds that a case is thought to take before any has ended.
const UNKNOWN: f64 = 0.1;

/// The cases that are still to begin.
#[derive(Debug, Default)]
pub(super) struct Next {
    /// Those that come before all others, in order.
    first: VecDeque<usize>,
    kinds: BTreeMap<String, Kind>,
    /// What all that ended took.
    all: Took,
}

/// The cases of a kind.
#[derive(Debug, Default)]
struct Kind {
    /// Those that have not begun, each with its rank in the order of all.
    left: VecDeque<(usize, usize)>,
    /// Those that have begun and not ended.
    begun: u32,
    took: Took,
    /// Cases that it has for one of other kinds.
    weight: u32,
}

/// What cases took that ended.
#[derive(Debug, Default, Clone, Copy)]
struct Took {
    seconds: f64,
    cases: u32,
}

impl Took {
    fn add(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.cases += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.cases > 0).then(|| self.seconds / f64::from(self.cases))
    }
}

impl Kind {
    /// The time that it has had, with what those will take that have begun.
    fn share(&self, all: Took) -> f64 {
        let each = self.took.mean().or(all.mean()).unwrap_or(UNKNOWN);
        (self.took.seconds + each * f64::from(self.begun)) / f64::from(self.weight.max(1))
    }
}

impl Next {
    /// The cases at these places, one after the other.
    pub fn in_order(places: &[usize]) -> Next {
        Next {
            first: places.iter().copied().collect(),
            ..Next::default()
        }
    }

    /// The cases at these places: the first so many one after the other, the rest by the time that kinds have had;
    /// of kinds that have had as much, and within a kind, in order.
    pub fn by_time(cases: &[Case], places: &[usize], first: usize) -> Next {
        let (first, others) = places.split_at(first.min(places.len()));
        let mut next = Next::in_order(first);
        for (rank, &at) in others.iter().enumerate() {
            next.kind_of(&cases[at]).left.push_back((rank, at));
        }
        next
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.first.len() + self.kinds.values().map(|k| k.left.len()).sum::<usize>()
    }

    /// The next one, which begins.
    pub fn begin(&mut self, cases: &[Case]) -> Option<usize> {
        let at = self.first.pop_front().or_else(|| {
            let all = self.all;
            let waiting = self.kinds.values_mut().filter(|k| !k.left.is_empty());
            let least = waiting.min_by(|a, b| {
                let rank = |kind: &Kind| kind.left.front().map(|(rank, _)| *rank);
                let shares = a.share(all).total_cmp(&b.share(all));
                shares.then_with(|| rank(a).cmp(&rank(b)))
            })?;
            least.left.pop_front().map(|(_, at)| at)
        })?;
        self.kind_of(&cases[at]).begun += 1;
        Some(at)
    }

    /// The case at this place ended after so many seconds.
    pub fn ended(&mut self, cases: &[Case], at: usize, seconds: f64) {
        self.all.add(seconds);
        let kind = self.kind_of(&cases[at]);
        kind.begun = kind.begun.saturating_sub(1);
        kind.took.add(seconds);
    }

    /// The case at this place was cut off, and is to begin once more where there is time.
    pub fn cut(&mut self, cases: &[Case], at: usize) {
        let kind = self.kind_of(&cases[at]);
        kind.begun = kind.begun.saturating_sub(1);
        self.first.push_back(at);
    }

    fn kind_of(&mut self, case: &Case) -> &mut Kind {
        let kind = kind(case);
        self.kinds.entry(kind.to_owned()).or_insert_with(|| Kind {
            weight: cases_a_round(kind),
            ..Kind::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use std::collections::BTreeSet;

    /// The kinds of the cases that a run would begin, one at a time, where one of a kind takes so long.
    fn begun(
        cases: &[Case],
        mut next: Next,
        many: usize,
        takes: impl Fn(&str) -> f64,
    ) -> BTreeMap<&str, usize> {
        let mut seen = BTreeMap::new();
        for _ in 0..many {
            let at = next.begin(cases).expect("one is left");
            *seen.entry(kind(&cases[at])).or_default() += 1;
            next.ended(cases, at, takes(kind(&cases[at])));
        }
        seen
    }

    #[test]
    fn kinds_share_the_time_and_not_the_number_of_cases() {
        let mut cases = plan::drawn(9);
        cases.retain(|case| {
            ["api/context", "api/errors-held", "transfer/errors"].contains(&kind(case))
        });
        let kinds: BTreeSet<&str> = cases.iter().map(kind).collect();
        assert_eq!(kinds.len(), 3);
        let places: Vec<usize> = (0..cases.len()).collect();
        let takes = |kind: &str| match kind {
            "api/errors-held" => 4.0,
            _ => 0.5,
        };
        let next = Next::by_time(&cases, &places, 0);
        let seen = begun(&cases, next, kinds.len() * 4, takes);
        assert_eq!(seen["api/errors-held"], 1);
        assert!(
            seen.values().filter(|&&many| many > 4).count() > 0,
            "{seen:?}"
        );
        // Where all take as long, each has as many.
        let next = Next::by_time(&cases, &places, 0);
        let seen = begun(&cases, next, kinds.len() * 4, |_| 1.0);
        assert!(seen.values().all(|&many| many == 4), "{seen:?}");
        // In order, each comes in its place.
        let next = Next::in_order(&places);
        assert_eq!(begun(&cases, next, 9, takes).len(), 1);
    }

    #[test]
    fn the_first_come_first_and_what_was_cut_comes_again() {
        let cases = plan::drawn(2);
        let places: Vec<usize> = (0..cases.len()).rev().collect();
        let mut next = Next::by_time(&cases, &places, 3);
        assert_eq!(next.left(), cases.len());
        let first: Vec<_> = (0..3).filter_map(|_| next.begin(&cases)).collect();
        assert_eq!(first, places[..3]);
        next.cut(&cases, first[1]);
        assert_eq!(next.begin(&cases), Some(first[1]));
        let mut all: Vec<_> = std::iter::from_fn(|| next.begin(&cases)).collect();
        assert_eq!(next.left(), 0);
        all.extend(first);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..cases.len()), "each once");
    }

    #[test]
    fn a_kind_of_which_one_has_begun_waits_for_the_others() {
        let cases = plan::drawn(2);
        let places: Vec<usize> = (0..cases.len()).collect();
        let mut next = Next::by_time(&cases, &places, 0);
        let both: Vec<_> = (0..2).filter_map(|_| next.begin(&cases)).collect();
        assert_ne!(kind(&cases[both[0]]), kind(&cases[both[1]]));
    }
}
