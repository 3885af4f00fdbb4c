//! Nothing that classay generates, and no program of a finding, does what the specification leaves undefined.
//!
//! The checker here is written from the text of the specification, and shares no code with the generators nor
//! with what proves to them that their programs are defined: `order` computes what comes before what, `uses` says
//! what commands do with memory, and one module for each subject tells which sentence ([`clause`]) a program is
//! against, under the strictest reading that any version of the text gives. `cases.yaml` has a program for each
//! sentence that is against it, and a change that makes it right. `host` judges what all families are lowered to.

mod clause;
mod conflicts;
mod generated;
mod host;
mod kernels;
mod lives;
mod lowered;
mod maps;
mod order;
mod progress;
mod recorded;
mod shape;
mod source;
mod uses;
mod values;

use classay_suites::commands::check::Plan;
use classay_suites::commands::program::Program;
use classay_suites::commands::yaml;
use clause::{Clause, Complaint};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Everything that is undefined in a program.
pub fn complaints(program: &Program) -> BTreeSet<Complaint> {
    let mut found = BTreeSet::new();
    let mut tell = |clause, what| {
        found.insert(Complaint { clause, what });
    };
    shape::judge(program, &mut tell);
    if !found.is_empty() {
        return found;
    }
    let mut tell = |clause, what| {
        found.insert(Complaint { clause, what });
    };
    let order = order::Order::of(program);
    shape::bounds(&order, &mut tell);
    conflicts::judge(&order, &mut tell);
    maps::judge(&order, &mut tell);
    lives::judge(&order, &mut tell);
    values::judge(&order, &mut tell);
    progress::judge(&order, &mut tell);
    found
}

/// A program that is undefined, and one change that makes it defined.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What is wrong.
    name: String,
    /// All sentences that it is against.
    against: Vec<Clause>,
    /// The program, after the lines that all have, `prelude.yaml`.
    program: String,
    /// What stands there, and what has to stand there instead.
    instead: [String; 2],
}

#[test]
fn what_is_undefined_is_found_and_its_defined_twin_passes() {
    let cases: Vec<Case> = serde_saphyr::from_str(include_str!("cases.yaml")).expect("cases");
    let read = |name: &str, text: &str| {
        let text = format!("{}{text}", include_str!("prelude.yaml"));
        yaml::read(&text).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"))
    };
    let mut wrong = Vec::new();
    let mut named = BTreeSet::new();
    for case in &cases {
        let program = read(&case.name, &case.program);
        let found = complaints(&program);
        let clauses: BTreeSet<Clause> = found.iter().map(|one| one.clause).collect();
        let against: BTreeSet<Clause> = case.against.iter().copied().collect();
        if clauses != against {
            wrong.push(format!("{}: {found:?}", case.name));
        }
        named.extend(against.iter().copied());
        // What plays programs refuses it as well; of a read of what is discarded it asks nothing.
        if !against.contains(&Clause::Discarded) && Plan::of(program).is_ok() {
            wrong.push(format!("{}: it is played", case.name));
        }
        let [from, to] = &case.instead;
        let twin = case.program.replace(from, to);
        if twin == case.program {
            wrong.push(format!("{}: no {from:?} in it", case.name));
        }
        let found = complaints(&read(&case.name, &twin));
        if !found.is_empty() {
            wrong.push(format!("{}, mended: {found:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Kernels belong to one command each here; `host` has a program for it.
    named.insert(Clause::KernelState);
    let unwatched: Vec<&Clause> = Clause::ALL
        .iter()
        .filter(|one| !named.contains(one))
        .collect();
    assert!(unwatched.is_empty(), "no case is against {unwatched:?}");
}
