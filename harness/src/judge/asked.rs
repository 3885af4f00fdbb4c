//! Whether a run put the question of a test that has a filter, which asks about the instances alone that meet it.

use super::verdict::{Judged, Test};
use classay_litmus::kernel::played;
use classay_litmus::program::{Observable, Predicate, Program};
use classay_reports::record::{OutcomeCount, Verdict};

/// A verdict, with what is to be said of it where no instance met the filter of the program: that none could, as
/// launches play it, which shows nothing; or else that none did.
pub(super) fn asked(
    judged: Judged,
    program: &Program,
    histogram: &[OutcomeCount],
    test: &Test<'_>,
) -> Judged {
    let Some(filter) = &program.filter else {
        return judged;
    };
    if judged.verdict != Verdict::Pass || some_meets(filter, &test.observables, histogram) {
        return judged;
    }
    match may_be_met(program, test) {
        true => Judged {
            reason: format!("{}; no instance met the test's filter", judged.reason),
            ..judged
        },
        false => Judged {
            verdict: Verdict::Inconclusive,
            reason: "no instance can meet the test's filter as launches play it, since they order more of its threads \
                     than it does; so it shows nothing of what it asks"
                .into(),
            ..judged
        },
    }
}

/// Whether an instance met the filter.
fn some_meets(filter: &Predicate, observables: &[Observable], histogram: &[OutcomeCount]) -> bool {
    let meets = |values: &[i64]| {
        filter.eval(&|observable| {
            let at = observables.iter().position(|own| *own == observable);
            at.and_then(|at| values.get(at))
                .copied()
                .unwrap_or_default()
        })
    };
    let states = histogram.iter().filter(|seen| seen.count > 0);
    states.filter_map(|seen| seen.outcome.state()).any(meets)
}

/// Whether the model lets some execution meet the filter in the order in which launches play the threads; that it may,
/// where this is not known.
fn may_be_met(program: &Program, test: &Test<'_>) -> bool {
    let Some(played) = played(program) else {
        return true;
    };
    let only = Test::filtered(played, test.chosen);
    let allowed = only.allowed_by(test.chosen.weakest());
    allowed.map_or(true, |allowed| {
        allowed.bounded || allowed.outside || !allowed.states.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{ChosenModel, judge_case};
    use classay_litmus::syntax::read_litmus;
    use classay_reports::record::Outcome;

    /// A host thread that is read by one before it, which no launch can play, and by one beside it.
    fn program(order: &str) -> Program {
        let text = format!(
            "VULKAN t\n{{ x = 0; }}\n{{ {order} }}\n P0@host | P1@host ;\n \
             st.atom.cd.sc0 x, 1 | ld.atom.cd.sc0 r0, x ;\nfilter (1:r0=1)\nforall (x=1)\n"
        );
        read_litmus("t.litmus", &text).expect("a test")
    }

    fn judged(program: &Program, register: i64) -> Judged {
        let seen = OutcomeCount {
            outcome: Outcome::State(vec![1, register]),
            count: 5,
            target: true,
        };
        let model = ChosenModel::load("vulkan").expect("a model");
        judge_case(program, &[seen], &model)
    }

    #[test]
    fn what_cannot_be_met_shows_nothing() {
        let never = judged(&program("ssw 1 0;"), 0);
        assert_eq!(never.verdict, Verdict::Inconclusive, "{}", never.reason);
        assert!(
            never.reason.contains("as launches play it"),
            "{}",
            never.reason
        );
        let not_yet = judged(&program(""), 0);
        assert_eq!(not_yet.verdict, Verdict::Pass, "{}", not_yet.reason);
        assert!(
            not_yet
                .reason
                .ends_with("no instance met the test's filter"),
            "{}",
            not_yet.reason
        );
        let met = judged(&program(""), 1);
        assert_eq!(met.verdict, Verdict::Pass);
        assert!(!met.reason.contains("filter"), "{}", met.reason);
    }
}
