//! Every clause of every model is watched: without it some shipped test that devices can play has another
//! verdict, or `models/unwatched.yaml` says why no program can have. A verdict is what a report says: which
//! outcomes are allowed, which rules make a test undefined, and which ones forbid the outcome that it asks
//! about.

use classay_litmus::cat::reading::joined;
use classay_litmus::cat::{Clause, Model, ways_to_miss};
use classay_litmus::kernel::{AtomicsDialect, CommandKernels, TestKernel};
use classay_litmus::oracle::{Explanation, Limits, State, explain, judge};
use classay_litmus::program::{Api, Predicate, Program, Quantifier};
use classay_litmus::syntax::read_litmus;
use classay_litmus::{shipped, shipped_vulkan};
use serde::Deserialize;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// What a model says of a test: the rules that make it undefined, or which outcomes are allowed.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Undefined(Vec<String>),
    Allowed(BTreeSet<State>),
}

fn verdict(program: &Program, model: &Model) -> Option<Verdict> {
    let judgement = judge(program, model, &Limits::default()).ok()?;
    Some(match judgement.racy {
        true => Verdict::Undefined(judgement.flags),
        false => Verdict::Allowed(judgement.states),
    })
}

/// The rules that forbid the outcome that a test asks about, and whether each is explained by a cycle; none
/// where it is allowed.
fn forbidding(program: &Program, model: &Model) -> BTreeSet<(String, bool)> {
    let asked = &program.condition.predicate;
    let target = match program.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => asked.clone(),
        Quantifier::Forall => Predicate::Not(Box::new(asked.clone())),
    };
    match explain(program, model, &target, &Limits::default()) {
        Ok(Explanation::Forbidden(refusal)) => {
            let failures = refusal.failures.iter();
            failures
                .map(|failure| (failure.check.to_string(), !failure.cycle.is_empty()))
                .collect()
        }
        Ok(Explanation::Allowed(_) | Explanation::Impossible) | Err(_) => BTreeSet::new(),
    }
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

/// A shipped test, with what the whole model says of it.
struct Watcher {
    name: &'static str,
    program: Program,
    verdict: Option<Verdict>,
    /// Made where it is asked for, since an explanation takes far longer than a verdict.
    forbidding: OnceCell<BTreeSet<(String, bool)>>,
}

/// The shipped tests and a model. Whichever detected the last loss is asked first about the next one.
struct Watch {
    name: String,
    whole: Model,
    tests: Vec<Watcher>,
}

impl Watch {
    fn of(model: &str) -> Watch {
        let whole = Model::named(model).expect("a model");
        let (opencl, others) = match whole.api() {
            Some(Api::OpenCl) => (shipped(), &[][..]),
            Some(Api::Vulkan) => (&[][..], shipped_vulkan()),
            None => (shipped(), shipped_vulkan()),
        };
        let programs = opencl
            .iter()
            .chain(others)
            .map(|(name, text)| (*name, read_litmus(name, text).expect("a shipped test")));
        let playable =
            programs.filter(|(_, program)| program.api == Api::Vulkan || playable(program));
        let tests = playable.map(|(name, program)| Watcher {
            name,
            verdict: verdict(&program, &whole),
            forbidding: OnceCell::new(),
            program,
        });
        Watch {
            name: model.to_owned(),
            tests: tests.collect(),
            whole,
        }
    }

    /// A test of which this model allows other outcomes, or that other rules make undefined.
    fn notices(&mut self, without: &Model) -> Option<&'static str> {
        let differs = |test: &Watcher| verdict(&test.program, without) != test.verdict;
        let at = self.tests.iter().position(differs)?;
        Some(self.first(at))
    }

    /// A test whose outcome is forbidden by other rules in this model.
    fn names_others(&mut self, without: &Model) -> Option<&'static str> {
        let differs = |test: &Watcher| {
            let whole = (test.forbidding).get_or_init(|| forbidding(&test.program, &self.whole));
            !whole.is_empty() && forbidding(&test.program, without) != *whole
        };
        let at = self.tests.iter().position(differs)?;
        Some(self.first(at))
    }

    fn first(&mut self, at: usize) -> &'static str {
        self.tests[..=at].rotate_right(1);
        self.tests[0].name
    }
}

/// What watches the clauses of a model: the tests as it judges them, and then as it does with each reading
/// of it, since an outcome that one of them allows is contested; last, by the rules that are named.
fn detected(watches: &mut [Watch], clause: &Clause) -> Option<&'static str> {
    let without = |name: &str| Model::without_clause(name, clause).expect("a model");
    let by_outcome = watches.iter_mut().find_map(|watch| {
        let without = without(&watch.name);
        watch.notices(&without)
    });
    by_outcome.or_else(|| {
        let chosen = watches.first_mut()?;
        let without = without(&chosen.name);
        chosen.names_others(&without)
    })
}

/// Asks of each of these clauses of a model whether some test notices its loss.
fn are_watched(model: &str, clauses: Vec<Clause>) {
    let whole = Model::named(model).expect("a model");
    let readings = whole.readings().map(|r| joined(model, [r.name.as_str()]));
    let names = [model.to_owned()].into_iter().chain(readings);
    let mut watches: Vec<Watch> = names.map(|name| Watch::of(&name)).collect();
    let listed = Unwatched::read();
    let mut wrong = Vec::new();
    let (mut watched, mut excused) = (0, 0);
    for clause in clauses {
        let covered = listed.iter().any(|one| one.covers(model, &clause));
        if clause.rules.is_empty() {
            wrong.push(format!("no rule is named beside\n    {clause}"));
        }
        match (detected(&mut watches, &clause), covered) {
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

fn every_clause_is_watched(model: &str) {
    are_watched(model, Model::clauses(model).expect("clauses"));
}

/// Asks it of the clauses that a model has with one of its readings, and not without.
fn every_clause_of_the_readings_is_watched(model: &str) {
    let shown = |clauses: Vec<Clause>| clauses.into_iter().map(|c| (c.to_string(), c));
    let clauses = |name: &str| shown(Model::clauses(name).expect("clauses"));
    let chosen: BTreeSet<String> = clauses(model).map(|(text, _)| text).collect();
    for reading in Model::named(model).expect("a model").readings() {
        let name = joined(model, [reading.name.as_str()]);
        let own = clauses(&name).filter(|(text, _)| !chosen.contains(text));
        are_watched(&name, own.map(|(_, clause)| clause).collect());
    }
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
fn every_clause_of_vulkan_is_watched() {
    every_clause_is_watched("vulkan");
}

#[test]
fn every_clause_of_vulkan_without_chains_is_watched() {
    every_clause_is_watched("vulkan-no-chains");
}

#[test]
fn every_clause_of_the_models_that_are_not_of_opencl_is_watched() {
    every_clause_is_watched("sc");
    every_clause_is_watched("x86-tso");
}

#[test]
fn every_clause_of_the_readings_of_the_text_is_watched() {
    for model in ["opencl-3.1", "opencl-3.0", "opencl-2.0", "opencl-scoped-sc"] {
        every_clause_of_the_readings_is_watched(model);
    }
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
    let readings = |model: &'static str| {
        let whole = Model::named(model).expect("a model");
        let read = whole
            .readings()
            .map(move |r| joined(model, [r.name.as_str()]));
        [model.to_owned()]
            .into_iter()
            .chain(read)
            .collect::<Vec<_>>()
    };
    let names = Model::names().flat_map(readings);
    let known: Vec<Clause> = names
        .flat_map(|name| Model::clauses(&name).expect("clauses"))
        .collect();
    for listed in Unwatched::read().iter().flat_map(|one| &one.clauses) {
        assert!(
            known.iter().any(|clause| is(listed, clause)),
            "no model has {listed}"
        );
    }
}

/// Every rule that the models of Vulkan name is one of the catalogue.
#[test]
fn the_rules_of_vulkan_are_in_the_catalogue() {
    let catalogue = include_str!("../../suites/rules/vk.yaml");
    for model in ["vulkan", "vulkan-no-chains"] {
        for clause in Model::clauses(model).expect("clauses") {
            for rule in &clause.rules {
                let entry = format!("- id: {rule}\n");
                assert!(catalogue.contains(&entry), "{model} names {rule}");
            }
        }
    }
}
