use super::refusal::Refusal;
use super::*;

fn drawn() -> impl Iterator<Item = Case> {
    let kinds = FAMILIES
        .iter()
        .map(|(family, kind, _)| format!("{family}/{kind}"));
    kinds.flat_map(|name| (0..40).map(move |seed| draw(&name, seed).expect("a case")))
}

/// What an ideal device would show.
fn ideal(case: &Case) -> Trace {
    let refused = match &case.story {
        Story::Refusals { calls, .. } => calls.iter().map(|call| call.codes()[0]).collect(),
        Story::Threads { .. }
        | Story::Again { .. }
        | Story::Destructors { .. }
        | Story::Context { .. }
        | Story::SvmFree { .. }
        | Story::FailedEvent { .. }
        | Story::BuiltIn
        | Story::Legacy { .. } => Vec::new(),
    };
    Trace {
        refused,
        failed: Vec::new(),
        facts: vec![
            (Fact::StatusHeld, 3),
            (Fact::StatusDone, 0),
            (Fact::Changed, 0),
        ],
    }
}

#[test]
fn a_case_reads_as_it_was_written() {
    for case in drawn() {
        let text = write(&case);
        assert_eq!(read(&text), Ok(case), "{text}");
    }
}

#[test]
fn every_refusal_is_drawn() {
    let seen: BTreeSet<Refusal> = (0..400)
        .flat_map(|seed| {
            ["api/errors", "api/errors-held", "queue/failed-list"].map(|name| draw(name, seed))
        })
        .flatten()
        .flat_map(|case| match case.story {
            Story::Refusals { calls, .. } => calls,
            _ => Vec::new(),
        })
        .collect();
    for refusal in Refusal::all() {
        assert!(seen.contains(&refusal), "{refusal}");
        assert!(!refusal.codes().is_empty() && !refusal.rules().is_empty());
    }
}

#[test]
fn what_is_as_it_must_be_passes_and_all_else_fails() {
    for case in drawn() {
        assert_eq!(check(&case, &ideal(&case)), [], "{case:?}");
        for n in 0..ideal(&case).refused.len() {
            for code in [0, -5] {
                let mut trace = ideal(&case);
                trace.refused[n] = code;
                let found = check(&case, &trace);
                assert_eq!(found.len(), 1, "{found:?}");
                assert!(
                    found[0]
                        .rules
                        .iter()
                        .all(|rule| case.covers().contains(rule))
                );
            }
        }
        let facts = [
            (Fact::Changed, 1),
            (Fact::Uncounted, 1),
            (Fact::Misread, 1),
            (Fact::Growth, 200),
            (Fact::DestructorsEarly, 1),
            (Fact::DestructorsOff, -1),
            (Fact::DestructorsMisordered, 1),
            (Fact::ContextOff, -1),
            (Fact::FreedEarly, 1),
            (Fact::FreedOff, 1),
            (Fact::FreedOthers, 1),
            (Fact::StatusHeld, 0),
            (Fact::StatusHeld, 1),
            (Fact::StatusDone, 1),
            (Fact::StatusOff, -1),
            (Fact::WaitFailed, 0),
            (Fact::WaitFailed, -5),
        ];
        for fact in facts {
            let mut trace = ideal(&case);
            trace.facts.push(fact);
            assert_eq!(check(&case, &trace).len(), 1, "{fact:?}");
        }
        let mut trace = ideal(&case);
        trace.failed.push(("clFinish", -5));
        assert_eq!(check(&case, &trace).len(), 1);
    }
}
