//! The generator: the memory model's vocabulary turned into tests.
//!
//! A test starts as a cycle of edges ([`Shape`]), an outcome that no interleaving explains. Its
//! threads are dressed with orders, fences, dependencies and barriers (`dress`, `outfit`) in a context of
//! scopes, placements and regions (`context`); what comes out is a [`Design`], of which `canonical`
//! keeps one among those that are alike. The oracle then says what the outcome is to the model
//! ([`Class`]), `mutate` weakens the tests that forbid it, and `cover` selects a few that have every
//! two traits together.
//!
//! Everything is a function of the options and the model: names and order never change between runs.

mod canonical;
mod context;
mod cover;
mod design;
mod dress;
mod mutate;
mod outfit;
mod shape;

#[cfg(test)]
mod tests;

pub use canonical::{Canonical, canonical};
pub use design::{Dependency, Design, Mode, Step};
pub use shape::{Dir, Edge, Shape, Slot, shapes, spell};

use crate::oracle::{self, Limits, Model, judge};
use crate::program::{Program, Quantifier};
use crate::syntax::write_litmus;
use cover::Traits;
use dress::{Candidate, candidates};
use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// What a test's outcome is to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Forbidden, in a program without a race.
    Conformance,
    /// Allowed, but not by an interleaving.
    Weak,
    /// Allowed by an interleaving.
    Sc,
    /// The program has a race, so nothing is forbidden.
    Racy,
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
}

/// What to generate.
#[derive(Debug, Clone)]
pub struct Options {
    /// Numbers of threads, within 2 to 4.
    pub threads: RangeInclusive<usize>,
    /// Numbers of edges, within 3 to 6.
    pub edges: RangeInclusive<usize>,
    /// Which classes.
    pub classes: Vec<Class>,
    /// Also the mutants of each conformance test that is selected, whatever their class.
    pub mutants: bool,
    /// How many.
    pub selection: Selection,
}

/// A generated test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Its name; no other test of any selection has it.
    pub name: String,
    /// The shape's name.
    pub shape: String,
    /// The shape's cycle.
    pub cycle: String,
    /// What the outcome is to the model.
    pub class: Class,
    /// Some execution that the model calls consistent has the outcome; of racy tests too, although
    /// nothing else is forbidden there either.
    pub allowed: bool,
    /// The tests of which it is a mutant.
    pub mutant_of: Vec<String>,
    /// What it consists of.
    pub design: Design,
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

impl Class {
    /// Every class.
    pub const ALL: [Class; 4] = [Class::Conformance, Class::Weak, Class::Sc, Class::Racy];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Conformance => "conformance",
            Class::Weak => "weak",
            Class::Sc => "sc",
            Class::Racy => "racy",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Default for Options {
    /// Up to four threads and five edges: every class, everything, no mutants. The sixth edge
    /// brings four times as many tests.
    fn default() -> Options {
        Options {
            threads: 2..=4,
            edges: 3..=5,
            classes: Class::ALL.to_vec(),
            mutants: false,
            selection: Selection::All,
        }
    }
}

impl Test {
    /// The program. It asks that the outcome be unreachable where the model forbids it, and whether
    /// it can be reached otherwise.
    pub fn program(&self) -> Program {
        let mut program = self.design.program(&self.name);
        program.condition.quantifier = match self.class {
            Class::Conformance => Quantifier::NotExists,
            Class::Weak | Class::Sc | Class::Racy => Quantifier::Exists,
        };
        program
    }

    /// The test as a `.litmus` file that tells where it comes from.
    pub fn to_litmus(&self, model: &str) -> String {
        let text = write_litmus(&self.program());
        let mut story = format!("Shape {} ({}). ", self.shape, self.cycle);
        story.push_str(match self.class {
            Class::Conformance => "Conformance: the outcome is forbidden",
            Class::Weak => "Weak: the outcome is allowed, but no interleaving gives it",
            Class::Sc => "Sc: an interleaving gives the outcome",
            Class::Racy => "Racy: the program has a data race, so its outcome means nothing",
        });
        story.push_str(&format!(" ({model})."));
        if !self.mutant_of.is_empty() {
            story.push_str(&format!(" Mutant of {}.", self.mutant_of.join(", ")));
        }
        match text.split_once("\n\n") {
            Some((head, rest)) => format!("{head}\n\n(* {} *)\n\n{rest}", wrapped(&story)),
            None => text,
        }
    }
}

/// Text in lines of about a hundred characters, as they stand in a comment.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 3;
    for word in text.split(' ') {
        if width + word.len() > 96 {
            out.push_str("\n   ");
            width = 3;
        } else if !out.is_empty() {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.len();
    }
    out
}

/// A candidate with what the oracle says.
struct Judged {
    shape: usize,
    candidate: Candidate,
    verdict: Verdict,
}

/// What the oracle says of a test.
#[derive(Clone, Copy)]
struct Verdict {
    class: Class,
    /// Some consistent execution has the outcome.
    allowed: bool,
}

/// Generates tests and classifies them by a model.
///
/// # Errors
/// Where the oracle cannot judge a test.
pub fn generate(options: &Options, model: &Model, sc: &Model) -> Result<Vec<Test>, Error> {
    let shapes = shapes(options.threads.clone(), options.edges.clone());
    let mut known: HashMap<Canonical, usize> = HashMap::new();
    let mut all: Vec<(usize, Candidate)> = Vec::new();
    for (s, shape) in shapes.iter().enumerate() {
        for candidate in candidates(shape) {
            let next = all.len();
            if *known.entry(canonical(&candidate.design)).or_insert(next) == next {
                all.push((s, candidate));
            }
        }
    }
    let verdicts = classify(&all, |(_, c)| (&c.name, &c.design), model, sc)?;
    let mut judged: Vec<Judged> = all
        .into_iter()
        .zip(verdicts)
        .map(|((shape, candidate), verdict)| Judged {
            shape,
            candidate,
            verdict,
        })
        .collect();
    judged.retain(|j| options.classes.contains(&j.verdict.class));
    let count = match options.selection {
        Selection::All => None,
        Selection::Pairwise => Some(None),
        Selection::Count(n) => Some(Some(n)),
    };
    if let Some(count) = count {
        let traits: Vec<Traits> = judged.iter().map(|j| traits(&shapes, j)).collect();
        let mut chosen = cover::pairwise(&traits, count);
        chosen.sort_unstable();
        let mut keep = vec![false; judged.len()];
        for c in chosen {
            keep[c] = true;
        }
        let mut keep = keep.into_iter();
        judged.retain(|_| keep.next().unwrap_or(false));
    }
    let mut tests: Vec<Test> = judged
        .into_iter()
        .map(|j| Test {
            name: j.candidate.name,
            shape: shapes[j.shape].name.clone(),
            cycle: spell(&shapes[j.shape].edges),
            class: j.verdict.class,
            allowed: j.verdict.allowed,
            mutant_of: Vec::new(),
            design: j.candidate.design,
        })
        .collect();
    if options.mutants {
        add_mutants(&mut tests, model, sc)?;
    }
    Ok(tests)
}

fn traits(shapes: &[Shape], judged: &Judged) -> Traits {
    let Candidate {
        kind,
        context,
        idiom,
        ..
    } = &judged.candidate;
    [
        shapes[judged.shape].name.clone(),
        kind.clone(),
        format!("{:?}", context.reach),
        format!("{:?}", context.layout),
        format!("{:?}", context.spread),
        format!("{idiom:?}"),
    ]
}

/// Adds the mutants of every conformance test. One that is already there as a test, or as the
/// mutant of another, is not added again but told of both.
fn add_mutants(tests: &mut Vec<Test>, model: &Model, sc: &Model) -> Result<(), Error> {
    let mut place: HashMap<Canonical, usize> = HashMap::new();
    for (i, test) in tests.iter().enumerate() {
        place.insert(canonical(&test.design), i);
    }
    let originals = tests.len();
    let mut fresh: Vec<Test> = Vec::new();
    for i in 0..originals {
        if tests[i].class != Class::Conformance {
            continue;
        }
        let of = tests[i].name.clone();
        for (word, design) in mutate::weakened(&tests[i].design) {
            let next = originals + fresh.len();
            let at = *place.entry(canonical(&design)).or_insert(next);
            let known = if at < originals {
                &mut tests[at].mutant_of
            } else if at < next {
                &mut fresh[at - originals].mutant_of
            } else {
                fresh.push(Test {
                    name: format!("{of}~{word}"),
                    shape: tests[i].shape.clone(),
                    cycle: tests[i].cycle.clone(),
                    class: Class::Conformance,
                    allowed: false,
                    mutant_of: vec![of.clone()],
                    design,
                });
                continue;
            };
            if !known.contains(&of) {
                known.push(of.clone());
            }
        }
    }
    let verdicts = classify(&fresh, |t| (&t.name, &t.design), model, sc)?;
    // a mutant that does not allow the outcome shows nothing
    for test in tests.iter_mut() {
        if !test.allowed {
            test.mutant_of.clear();
        }
    }
    for (mut test, verdict) in fresh.into_iter().zip(verdicts) {
        if verdict.allowed {
            test.class = verdict.class;
            test.allowed = true;
            tests.push(test);
        }
    }
    Ok(())
}

/// What the oracle says of each item, computed on all processors.
fn classify<T: Sync>(
    items: &[T],
    of: impl Fn(&T) -> (&String, &Design) + Sync,
    model: &Model,
    sc: &Model,
) -> Result<Vec<Verdict>, Error> {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            let (name, design) = of(item);
            let verdict = verdict(&design.program(name), model, sc).map_err(|error| Error {
                name: name.clone(),
                error,
            });
            done.push((at, verdict));
        }
    };
    let mut done: Vec<(usize, Result<Verdict, Error>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, verdict)| verdict).collect()
}

/// What the oracle says of a program that asks whether its outcome exists.
fn verdict(program: &Program, model: &Model, sc: &Model) -> Result<Verdict, oracle::Error> {
    let limits = Limits::default();
    let judgement = judge(program, model, &limits)?;
    let allowed = judgement.holds;
    let class = if judgement.racy {
        Class::Racy
    } else if !allowed {
        Class::Conformance
    } else if judge(program, sc, &limits)?.holds {
        Class::Sc
    } else {
        Class::Weak
    };
    Ok(Verdict { class, allowed })
}
