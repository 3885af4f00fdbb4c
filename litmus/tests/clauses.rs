//! Every clause of every model is watched: without it some shipped test that devices can play has another
//! verdict, or `models/unwatched.yaml` says why no program can have.

use classay_litmus::cat::{Clause, Model, ways_to_miss};
use classay_litmus::kernel::{AtomicsDialect, CommandKernels, TestKernel};
use classay_litmus::oracle::{Limits, State, judge};
use classay_litmus::program::Program;
use classay_litmus::shipped;
use classay_litmus::syntax::read_litmus;
use serde::Deserialize;
use std::collections::BTreeSet;

/// What a model says of a test: that it is undefined, or which outcomes are allowed.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Racy,
    Allowed(BTreeSet<State>),
}

fn verdict(program: &Program, model: &Model) -> Option<Verdict> {
    let judgement = judge(program, model, &Limits::default()).ok()?;
    Some(match judgement.racy {
        true => Verdict::Racy,
        false => Verdict::Allowed(judgement.states),
    })
}

/// Whether devices can play a test.
fn playable(program: &Program) -> bool {
    match program.queues.is_empty() {
        true => TestKernel::write(program, AtomicsDialect::C11).is_ok(),
        false => CommandKernels::write(program, AtomicsDialect::C11).is_ok(),
    }
}

/// Clauses without which nothing has another verdict.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unwatched {
    /// As they are shown, or without the region: whichever it is.
    clauses: Vec<String>,
    /// In which models; in all that have them where none is named.
    #[serde(default)]
    models: Vec<String>,
    /// The proof.
    why: String,
}

impl Unwatched {
    fn read() -> Vec<Unwatched> {
        let text = include_str!("../models/unwatched.yaml");
        let all: Vec<Unwatched> = serde_saphyr::from_str(text).expect("a list");
        for one in &all {
            assert!(!one.why.is_empty(), "{:?}: why?", one.clauses);
        }
        all
    }

    fn covers(&self, model: &str, clause: &Clause) -> bool {
        let here = self.models.is_empty() || self.models.iter().any(|named| named == model);
        here && self.clauses.iter().any(|listed| is(listed, clause))
    }
}

fn is(listed: &str, clause: &Clause) -> bool {
    listed == clause.to_string() || listed == format!("{}: {}", clause.file, clause.marked)
}

/// The shipped tests, with what the whole model says of each. Whichever noticed the last loss is asked
/// first about the next one.
struct Watch(Vec<(&'static str, Program, Option<Verdict>)>);

impl Watch {
    fn of(model: &str) -> Watch {
        let whole = Model::named(model).expect("a model");
        let programs = shipped()
            .iter()
            .map(|(name, text)| (*name, read_litmus(name, text).expect("a shipped test")));
        let playable = programs.filter(|(_, program)| playable(program));
        Watch(
            playable
                .map(|(name, program)| {
                    let verdict = verdict(&program, &whole);
                    (name, program, verdict)
                })
                .collect(),
        )
    }

    /// A test that has another verdict by this model.
    fn notices(&mut self, without: &Model) -> Option<&'static str> {
        let differs = |(_, program, whole): &(_, Program, _)| verdict(program, without) != *whole;
        let at = self.0.iter().position(differs)?;
        self.0[..=at].rotate_right(1);
        Some(self.0[0].0)
    }
}

/// Asks of each clause of a model whether some test notices its loss.
fn every_clause_is_watched(model: &str) {
    let mut watch = Watch::of(model);
    let listed = Unwatched::read();
    let mut wrong = Vec::new();
    let (mut watched, mut excused) = (0, 0);
    for clause in Model::clauses(model).expect("clauses") {
        let without = Model::without_clause(model, &clause).expect("a model");
        let covered = listed.iter().any(|one| one.covers(model, &clause));
        if clause.rules.is_empty() {
            wrong.push(format!("no rule is named beside\n    {clause}"));
        }
        match (watch.notices(&without), covered) {
            (Some(_), false) => watched += 1,
            (None, true) => excused += 1,
            (Some(test), true) => wrong.push(format!(
                "{test} watches what models/unwatched.yaml lists:\n    {clause}"
            )),
            (None, false) => wrong.push(format!("no shipped test watches\n    {clause}")),
        }
    }
    println!("{model}: {watched} clauses watched, {excused} that make no difference");
    assert!(
        wrong.is_empty(),
        "{model}:\n{}\n{}",
        wrong.join("\n"),
        wrong.len()
    );
}

#[test]
fn every_clause_of_opencl_3_1_is_watched() {
    every_clause_is_watched("opencl-3.1");
}

#[test]
fn every_clause_of_opencl_3_0_is_watched() {
    every_clause_is_watched("opencl-3.0");
}

#[test]
fn every_clause_of_opencl_2_0_is_watched() {
    every_clause_is_watched("opencl-2.0");
}

#[test]
fn every_clause_of_the_scoped_order_is_watched() {
    every_clause_is_watched("opencl-scoped-sc");
}

#[test]
fn every_clause_of_the_models_that_are_not_of_opencl_is_watched() {
    every_clause_is_watched("sc");
}

#[test]
fn every_way_to_miss_a_rule_is_watched() {
    for model in ["opencl-3.1", "opencl-3.0"] {
        let mut watch = Watch::of(model);
        for (rule, ways) in ways_to_miss() {
            let without = Model::without(model, rule).expect("models");
            for (n, without) in without.iter().take(ways.len()).enumerate() {
                let noticed = watch.notices(without);
                assert!(noticed.is_some(), "{model}: {rule}, way {n}");
            }
        }
    }
}

#[test]
fn the_list_of_clauses_that_make_no_difference_has_no_others() {
    let clauses = Model::names().flat_map(|model| Model::clauses(model).expect("clauses"));
    let known: Vec<Clause> = clauses.collect();
    for listed in Unwatched::read().iter().flat_map(|one| &one.clauses) {
        assert!(
            known.iter().any(|clause| is(listed, clause)),
            "no model has {listed}"
        );
    }
}
