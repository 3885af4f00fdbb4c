//! What a hunt plays: conformance tests, each with a mutant.

use crate::plan::{self, Case};
use crate::tune::made::{Made, Source};
use crate::tune::mutants::{Sight, sight, x86};
use classay_litmus::generate::{Alphabet, Class, Options, Selection};
use classay_litmus::oracle::Readings;
use classay_litmus::program::{Api, Program};
use classay_reports::record::CaseId;
use std::collections::HashMap;

/// A conformance test.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The shape of its cycle.
    pub shape: String,
    /// The test.
    pub program: Program,
    /// How to run it.
    pub case: Case,
    /// How to run a test that was weakened from it, or from another of its shape, until its outcome is
    /// allowed; none where there is none.
    pub mutant: Option<Case>,
}

/// Up to so many conformance tests for a model, which have as many pairs of traits as so many can have.
/// Always the same. The error is a sentence.
///
/// # Errors
///
/// The model is beyond the oracle; one sentence.
pub fn candidates<'m>(
    api: Api,
    count: usize,
    readings: impl Into<Readings<'m>>,
) -> Result<Vec<Candidate>, String> {
    let x86 = x86()?;
    let options = Options {
        threads: 2..=4,
        edges: 3..=5,
        classes: vec![Class::Conformance],
        mutants: true,
        selection: Selection::Count(count.max(1)),
        alphabet: Alphabet::Graded,
        ..Options::default()
    };
    let made = Source::Made(api).tests(&options, readings.into())?;
    let case =
        |kind, test: &Made| plan::of_program(CaseId::new("hunt", kind, &test.name), &test.program);
    let mut mutants: HashMap<&str, Case> = HashMap::new();
    let mut relatives: HashMap<&str, Case> = HashMap::new();
    // What says most of an environment is what as many devices as possible can show.
    let mut probes: Vec<(usize, &Made)> = Vec::new();
    for test in &made {
        match sight(test, &x86)? {
            Some(Sight::X86) => probes.push((0, test)),
            Some(Sight::Weaker) => probes.push((1, test)),
            Some(Sight::Interleaving) => probes.push((2, test)),
            None => {}
        }
    }
    probes.sort_by_key(|(rank, _)| *rank);
    for (_, test) in probes {
        let shape = relatives.entry(&test.shape);
        shape.or_insert_with(|| case("mutant", test));
        for of in &test.mutant_of {
            mutants.entry(of).or_insert_with(|| case("mutant", test));
        }
    }
    let tests = made.iter().filter(|t| t.mutant_of.is_empty());
    let conformance = tests.filter(|t| t.class == Class::Conformance);
    Ok(conformance
        .map(|test| Candidate {
            name: test.name.clone(),
            shape: test.shape.clone(),
            program: test.program.clone(),
            case: case("test", test),
            mutant: mutants
                .get(test.name.as_str())
                .or_else(|| relatives.get(test.shape.as_str()))
                .cloned(),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_litmus::oracle::Model;

    #[test]
    fn many_tests_have_a_mutant_and_none_is_one() {
        for api in Api::ALL {
            let model = Model::named(api.model()).expect("a model");
            let all = candidates(api, 16, &model).expect("tests");
            assert_eq!(all.len(), 16);
            // In Vulkan most that weakens a test makes it race, and a race says nothing of an environment.
            let with = all.iter().filter(|q| q.mutant.is_some()).count();
            let least = match api {
                Api::OpenCl => 8,
                Api::Vulkan => 4,
            };
            assert!(with > least, "{api}: {with}");
            for one in &all {
                let mutant = one.mutant.as_ref().map(|m| &m.body);
                assert_ne!(mutant, Some(&one.case.body), "{}", one.name);
                assert_eq!(one.program.api, api);
            }
        }
    }
}
