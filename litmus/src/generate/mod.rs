//! The generator: the memory model's vocabulary turned into tests.
//!
//! A test starts as a cycle of edges ([`Shape`]), an outcome that no interleaving explains. Its
//! threads are annotated with orders, fences, dependencies and barriers (`annotation`, `combination`; how much
//! of them, `alphabet` says) in a context of scopes, placements and regions (`context`); what comes
//! out is a `candidate` with its [`Design`], of which `canonical` keeps one among those that are alike. The oracle then
//! says what the outcome is to the model (`classify`), `mutants` mutates the tests that forbid it,
//! and `cover` selects a few that have every two traits together. `index` is the table of what was
//! made. Tests that come from elsewhere are classified and mutated by `given`.
//!
//! Everything is a function of the options and the model: names and order never change between
//! runs, whatever the number of threads that judge.

mod alphabet;
mod annotation;
mod candidate;
mod canonical;
mod classify;
mod combination;
mod context;
mod contexts;
mod cover;
mod design;
mod draw;
mod given;
mod index;
mod manner;
mod mutants;
mod shape;
mod test;

#[cfg(test)]
mod tests;

pub use alphabet::{Alphabet, Level};
pub use canonical::{Canonical, canonical};
pub use cover::{Coverage, DIMENSIONS, TRAITS, Traits};
pub use design::{Dependency, Design, Mode, Step, Update};
pub use given::{Given, given};
pub use index::{HEADER, index};
pub use mutants::Why;
pub use shape::{Dir, Edge, Shape, Slot, shapes, spell};
pub use test::Test;

use crate::kernel;
use crate::oracle::{self, Model, Readings};
use crate::program::Api;
use candidate::{Candidate, candidates};
use classify::{Judge, Verdict, in_parallel};
use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use thiserror::Error;

classay_vocabulary::words! {
    /// What a test's outcome is to a model.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Class {
        /// Forbidden, in a program without a race.
        Conformance = "conformance",
        /// Forbidden by some readings of the model's text, allowed by others or left undefined.
        Contested = "contested",
        /// Allowed, but not by an interleaving.
        Weak = "weak",
        /// Allowed by an interleaving.
        Sc = "sc",
        /// The program has a race, so nothing is forbidden.
        Racy = "racy",
    }
}

/// How much of what is generated is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Everything.
    All,
    /// A few that have every two traits together.
    Pairwise,
    /// So many, as many pairs of traits as possible first.
    Count(usize),
    /// So many of each shape, as many pairs of traits of the shape as possible first.
    EachShape(usize),
    /// So many, drawn by a seed: one of a shape, one of another, and when all had their turn another of the
    /// first. The others are not judged.
    Drawn {
        /// How many.
        count: usize,
        /// The seed.
        seed: u64,
    },
}

/// What to generate.
#[derive(Debug, Clone)]
pub struct Options {
    /// For which API.
    pub api: Api,
    /// Numbers of threads, within 2 to 4.
    pub threads: RangeInclusive<usize>,
    /// Numbers of edges, within 3 to 6.
    pub edges: RangeInclusive<usize>,
    /// Which classes.
    pub classes: Vec<Class>,
    /// Also the mutants of each conformance test that is selected, whatever their class.
    pub mutants: bool,
    /// Only what one launch can play, which of Vulkan's contexts several devices and CrossDevice scope are not.
    pub playable: bool,
    /// How many.
    pub selection: Selection,
    /// How much of the vocabulary.
    pub alphabet: Alphabet,
    /// On how many threads to judge; what is generated does not depend on it.
    pub workers: usize,
}

/// What was generated.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The tests, and after them their mutants.
    pub tests: Vec<Test>,
    /// Pairs of traits that the tests have, of those that any test of the options has. Mutants do
    /// not count.
    pub pairs: Coverage,
    /// Conformance tests for which no mutants were found, where mutants were asked for.
    pub unmutated: Vec<(String, Why)>,
}

/// A test that the oracle does not judge.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name} cannot be judged: {error}")]
pub struct Error {
    /// The test.
    pub name: String,
    /// What the oracle says.
    pub error: oracle::Error,
}

impl Default for Options {
    /// Tests of OpenCL, of two to four threads and three to six edges in the graded alphabet: every class,
    /// everything, no mutants, on all processors.
    fn default() -> Options {
        Options {
            api: Api::OpenCl,
            threads: 2..=4,
            edges: 3..=6,
            classes: Class::ALL.to_vec(),
            mutants: false,
            playable: false,
            selection: Selection::All,
            alphabet: Alphabet::Graded,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// A candidate with its shape and form.
struct Found {
    shape: usize,
    candidate: Candidate,
    form: Canonical,
}

/// Generates tests and classifies them by a model, or by all readings of its text.
///
/// # Errors
/// Where the oracle cannot judge a test.
pub fn generate<'m>(
    options: &Options,
    readings: impl Into<Readings<'m>>,
    sc: &'m Model,
) -> Result<Generated, Error> {
    let judge = Judge::new(readings, sc);
    let shapes = shapes(options.threads.clone(), options.edges.clone());
    let judged = match options.selection {
        Selection::Drawn { count, seed } => draw::drawn(&shapes, options, count, seed, &judge)?,
        Selection::All | Selection::Pairwise | Selection::Count(_) | Selection::EachShape(_) => {
            judged(distinct(&shapes, options), options, &judge)?
        }
    };
    let mut tests: Vec<Test> = judged
        .into_iter()
        .filter(|(_, verdict)| options.classes.contains(&verdict.class))
        .map(|(found, verdict)| test(&shapes[found.shape], found.candidate, verdict))
        .collect();
    let traits: Vec<&Traits> = tests.iter().map(|t| &t.traits).collect();
    let chosen = match options.selection {
        Selection::All | Selection::Drawn { .. } => (0..tests.len()).collect(),
        Selection::Pairwise => cover::pairwise(&traits, None),
        Selection::Count(n) => cover::pairwise(&traits, Some(n)),
        Selection::EachShape(n) => each_shape(&tests, n),
    };
    let pairs = Coverage::of(&traits, &chosen);
    let mut keep = vec![false; tests.len()];
    for c in chosen {
        keep[c] = true;
    }
    let mut keep = keep.into_iter();
    tests.retain(|_| keep.next().unwrap_or(false));
    let unmutated = if options.mutants {
        mutants::add_mutants(&mut tests, &judge, options.workers)?
    } else {
        Vec::new()
    };
    Ok(Generated {
        tests,
        pairs,
        unmutated,
    })
}

/// So many tests of each shape, by their places.
fn each_shape(tests: &[Test], count: usize) -> Vec<usize> {
    let mut of_shape: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, test) in tests.iter().enumerate() {
        of_shape.entry(&test.shape).or_default().push(place);
    }
    let mut chosen = Vec::new();
    for places in of_shape.values() {
        let traits: Vec<&Traits> = places.iter().map(|p| &tests[*p].traits).collect();
        let of_it = cover::pairwise(&traits, Some(count));
        chosen.extend(of_it.into_iter().map(|at| places[at]));
    }
    chosen
}

/// The test with a name, whatever its class, where the options have it.
///
/// # Errors
/// Where the oracle cannot judge it.
pub fn named<'m>(
    name: &str,
    options: &Options,
    readings: impl Into<Readings<'m>>,
    sc: &'m Model,
) -> Result<Option<Test>, Error> {
    let judge = Judge::new(readings, sc);
    let shapes = shapes(options.threads.clone(), options.edges.clone());
    let found = draw::named(&shapes, options, name, &judge)?;
    Ok(found.map(|(found, verdict)| test(&shapes[found.shape], found.candidate, verdict)))
}

/// The candidates with what the judge says of each.
fn judged(
    found: Vec<Found>,
    options: &Options,
    judge: &Judge<'_>,
) -> Result<Vec<(Found, Verdict)>, Error> {
    let verdicts: Result<Vec<Verdict>, Error> = in_parallel(options.workers, &found, |f| {
        judge.verdict(&f.candidate.program(), &f.form)
    })
    .into_iter()
    .collect();
    Ok(found.into_iter().zip(verdicts?).collect())
}

/// The candidates of all shapes, the first of each canonical form.
fn distinct(shapes: &[Shape], options: &Options) -> Vec<Found> {
    let numbers: Vec<usize> = (0..shapes.len()).collect();
    let all = in_parallel(options.workers, &numbers, |&shape| {
        of_shape(shapes, shape, options)
    });
    first_of_each_form(all.into_iter().flatten().collect())
}

/// The candidates of the shape with a number.
fn of_shape(shapes: &[Shape], shape: usize, options: &Options) -> Vec<Found> {
    let level = options.alphabet.level(&shapes[shape]);
    let candidates = level.map_or_else(Vec::new, |level| {
        candidates(&shapes[shape], level, options.api)
    });
    let found = |candidate: Candidate| Found {
        shape,
        form: canonical(&candidate.program()),
        candidate,
    };
    let wanted = |candidate: &Candidate| {
        !options.playable || kernel::Shape::of(&candidate.program()).is_ok()
    };
    candidates.into_iter().filter(wanted).map(found).collect()
}

/// The first of each canonical form.
fn first_of_each_form(mut all: Vec<Found>) -> Vec<Found> {
    let mut known = HashSet::new();
    all.retain(|found| known.insert(found.form.clone()));
    all
}

/// A candidate of a shape as a test.
fn test(shape: &Shape, candidate: Candidate, verdict: Verdict) -> Test {
    let handing = candidate.handing();
    let Candidate {
        name,
        kind,
        context,
        design,
        changes,
        ..
    } = candidate;
    Test {
        name,
        shape: shape.name.clone(),
        cycle: spell(&shape.edges),
        class: verdict.class,
        allowed: verdict.allowed,
        traits: [
            shape.name.clone(),
            kind,
            context.reach.to_string(),
            context.memory(),
            context.spread.to_string(),
            handing,
        ],
        mutant_of: Vec::new(),
        design,
        changes,
    }
}
