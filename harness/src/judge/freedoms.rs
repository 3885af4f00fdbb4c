//! Which outcomes of a litmus test show that a device took a freedom: the model allows them, and does not
//! require anybody to show them.

use super::shown::ShownBy;
use super::verdict::Test;
use classay_litmus::oracle::{self, State};
use classay_litmus::program::Region;
use classay_reports::record::{Freedom, OutcomeCount};
use std::collections::BTreeSet;

impl Test<'_> {
    /// The freedoms that instances could show by the model that allows these outcomes.
    pub(super) fn freedoms(
        &self,
        histogram: &[OutcomeCount],
        allowed: &oracle::Judgement,
    ) -> Vec<ShownBy> {
        if allowed.bounded || allowed.outside {
            return Vec::new();
        }
        let sequential = self.chosen.sequential.as_deref();
        let grounded = self.chosen.without_thin_air.as_deref();
        [
            (Freedom::WeakOutcome, sequential),
            (
                Freedom::ThinAir,
                grounded.filter(|_| self.has_both_regions()),
            ),
        ]
        .into_iter()
        .filter_map(|(freedom, narrower)| {
            let narrower = self.whole(narrower?)?;
            let open: BTreeSet<&State> = allowed
                .states
                .iter()
                .filter(|state| !narrower.states.contains(state))
                .collect();
            let shows = |o: &&OutcomeCount| {
                let state = o.outcome.state().map(|values| State(values.to_vec()));
                state.is_some_and(|state| open.contains(&state))
            };
            let seen = histogram.iter().filter(|o| o.count > 0).filter(shows);
            (!open.is_empty()).then(|| ShownBy {
                freedom,
                outcomes: seen.map(|o| o.outcome.clone()).collect(),
            })
        })
        .collect()
    }

    fn has_both_regions(&self) -> bool {
        let has = |region| self.program.locations.iter().any(|l| l.region == region);
        has(Region::Local) && has(Region::Global)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChosenModel, judge_case};
    use super::*;
    use classay_litmus::syntax;
    use classay_reports::record::{Launch, Outcome};

    fn launch(outcomes: &[(Outcome, u64)]) -> Launch {
        let outcomes = outcomes.iter().map(|(outcome, count)| OutcomeCount {
            outcome: outcome.clone(),
            count: *count,
            target: false,
        });
        let outcomes: Vec<OutcomeCount> = outcomes.collect();
        Launch {
            index: 0,
            process: 0,
            instances: outcomes.iter().map(|o| o.count).sum(),
            seconds: 0.1,
            outcomes,
            freedoms: Vec::new(),
        }
    }

    /// What a launch of a shipped test shows.
    fn shown(name: &str, outcomes: &[(Outcome, u64)]) -> Vec<(Freedom, u64, u64)> {
        let mut shipped = classay_litmus::shipped().iter();
        let (_, source) = shipped.find(|(of, _)| *of == name).expect("a shipped test");
        let program = syntax::read_litmus(name, source).expect("a program");
        let model = ChosenModel::load("opencl-3.0").expect("the model");
        let mut launch = launch(outcomes);
        let judged = judge_case(&program, &launch.outcomes, &model);
        assert!(!judged.verdict.is_failure(), "{name}: {}", judged.reason);
        for _ in 0..2 {
            // To count again changes nothing.
            ShownBy::count(&judged.freedoms, &mut launch);
        }
        let counts = launch.freedoms.into_iter();
        counts.map(|c| (c.freedom, c.seen, c.of)).collect()
    }

    fn state(values: &[i64], count: u64) -> (Outcome, u64) {
        (Outcome::State(values.to_vec()), count)
    }

    #[test]
    fn what_no_interleaving_gives_is_weak() {
        let outcomes = [
            state(&[0, 0], 3),
            state(&[1, 0], 4),
            (Outcome::Incomplete, 2),
        ];
        assert_eq!(shown("SB+rlx", &outcomes), [(Freedom::WeakOutcome, 3, 7)]);
        // Where the model allows interleavings alone, there is nothing to see.
        assert_eq!(shown("SB+sc+all", &[state(&[1, 1], 9)]), []);
    }

    #[test]
    fn values_out_of_thin_air_are_a_freedom_across_regions() {
        let counts = shown("LB+split+42", &[state(&[0, 0], 5)]);
        let thin = counts.iter().find(|(f, _, _)| *f == Freedom::ThinAir);
        assert_eq!(thin, Some(&(Freedom::ThinAir, 0, 5)));
    }
}
