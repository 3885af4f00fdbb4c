//! The mutants that environments are measured by.

use crate::plan::{self, Case};
use classay_litmus::generate::{Alphabet, Class, Options, Selection, Test, generate};
use classay_litmus::oracle::{self, Limits, Model};
use classay_reports::record::CaseId;
use std::collections::BTreeMap;

/// A weakened test.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Its name.
    pub name: String,
    /// The test that it was weakened from.
    pub of: String,
    /// The shape of its cycle.
    pub shape: String,
    /// Whether an x86 processor shows its outcome where each work-group runs on one.
    pub on_x86: bool,
    /// How to run it.
    pub case: Case,
}

/// So many mutants of conformance tests for a model, of as many shapes as there are, one of each test
/// first. Always the same. The error is a sentence.
pub fn mutants(count: usize, model: &Model) -> Result<Vec<Mutant>, String> {
    let named = |name| Model::named(name).map_err(|e| e.to_string());
    let (sc, tso) = (named("sc")?, named("x86-tso")?);
    let options = Options {
        threads: 2..=4,
        edges: 3..=4,
        classes: vec![Class::Conformance],
        mutants: true,
        // Many mutants are alike or race, so more tests than are wanted.
        selection: Selection::Count(count.saturating_mul(4).max(1)),
        alphabet: Alphabet::Core,
        ..Options::default()
    };
    let made = generate(&options, model, &sc).map_err(|e| e.to_string())?;
    let weak = |test: &&Test| !test.mutant_of.is_empty() && test.class == Class::Weak;
    let mut by_shape: BTreeMap<&str, Vec<&Test>> = BTreeMap::new();
    for test in made.tests.iter().filter(weak) {
        by_shape.entry(&test.shape).or_default().push(test);
    }
    // Within a shape, the first mutant of each test before the second of any.
    for tests in by_shape.values_mut() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut turns: Vec<(usize, &Test)> = Vec::new();
        for test in tests.iter() {
            let turn = seen.entry(&test.mutant_of[0]).or_default();
            turns.push((*turn, test));
            *turn += 1;
        }
        turns.sort_by_key(|(turn, _)| *turn);
        *tests = turns.into_iter().map(|(_, test)| test).collect();
    }
    let mut chosen = Vec::new();
    let mut row = 0;
    while chosen.len() < count {
        let before = chosen.len();
        for tests in by_shape.values() {
            if chosen.len() < count {
                chosen.extend(tests.get(row).copied());
            }
        }
        if chosen.len() == before {
            break;
        }
        row += 1;
    }
    chosen
        .into_iter()
        .map(|test| {
            let program = test.program();
            let judged = oracle::judge(&program, &tso, &Limits::default());
            Ok(Mutant {
                name: test.name.clone(),
                of: test.mutant_of[0].clone(),
                shape: test.shape.clone(),
                on_x86: judged.map_err(|e| e.to_string())?.holds,
                case: plan::of_program(CaseId::new("litmus", "mutant", &test.name), &program),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn mutants_are_of_many_shapes_and_some_are_shown_by_x86() {
        let model = Model::named("opencl-3.0").expect("a model");
        let all = mutants(24, &model).expect("mutants");
        assert_eq!(all.len(), 24);
        let shapes: BTreeSet<&str> = all.iter().map(|m| m.shape.as_str()).collect();
        assert!(shapes.len() >= 6, "{shapes:?}");
        let names: BTreeSet<&str> = all.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
        let shown = all.iter().filter(|m| m.on_x86).count();
        assert!(0 < shown && shown < all.len(), "{shown}");
        assert!(all.iter().any(|m| m.shape == "SB" && m.on_x86));
        assert!(all.iter().all(|m| m.shape != "LB" || !m.on_x86));
    }
}
