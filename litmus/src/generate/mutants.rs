//! Mutants: a test mutated so that its outcome is allowed.
//!
//! A device that never shows a conformance test's outcome may be right, or its environment may be
//! too gentle to show anything. A mutant whose outcome is allowed distinguishes the two: an
//! environment that shows the mutant's outcome would have seen the bug.
//!
//! A mutant is one step weaker: one order, scope, fence, flag or barrier, two accesses of one
//! location in the other order, a read-modify-write in two; in Vulkan also one storage class, one thing
//! less made available or visible, or an access made private. Of each property of each place only the
//! smallest steps that allow the outcome count. Where none does, a race does: anything may happen; in Vulkan it
//! does so for each property of each place. Some tests are ordered twice over (LB where both
//! threads acquire and release): where no single change helps, everything is mutated, and then
//! put back as far as the outcome stays allowed.

use super::canonical::Canonical;
use super::classify::{Judge, Verdict, in_parallel};
use super::{Class, Dependency, Error, Step, Test, canonical};
use crate::mutation::{self, Change, Property, changes, reshapings};
use crate::program::{Api, Program};
use std::collections::HashMap;

classay_vocabulary::words! {
    /// Why a conformance test has no mutants: its outcome stays forbidden with every order relaxed,
    /// every scope narrow, no fence and no barrier, with any two independent accesses of one location
    /// exchanged and any read-modify-write split.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Why {
        /// What coherence keeps in order is a read and an access that depends on it, which cannot be
        /// exchanged. Without the dependency it is another test, which has mutants.
        Dependency = "coherence forbids the outcome, and the accesses in question depend on each other",
        /// Coherence alone forbids it.
        Coherence = "coherence alone forbids the outcome",
    }
}

/// Whether some access of a test depends on another.
fn depends(test: &Test) -> bool {
    let depends = |step: &Step| match step {
        Step::Access { dependency, .. } => *dependency != Dependency::None,
        Step::Fence(_) | Step::Barrier(_) => false,
    };
    test.design.threads.iter().flatten().any(depends)
}

/// A mutant of a test.
pub(super) struct Mutant {
    pub changes: Vec<Change>,
    form: Canonical,
    pub verdict: Verdict,
}

/// Adds the mutants of every conformance test; returns the tests that have none. A mutant that is
/// already there as a test, or as the mutant of another, is not added again but names both.
pub(super) fn add_mutants(
    tests: &mut Vec<Test>,
    judge: &Judge<'_>,
    workers: usize,
) -> Result<Vec<(String, Why)>, Error> {
    let all = in_parallel(workers, tests, |test| match test.class {
        Class::Conformance if test.changes.is_empty() => mutants(&test.existential(), judge),
        Class::Conformance | Class::Contested | Class::Weak | Class::Sc | Class::Racy => {
            Ok(Vec::new())
        }
    });
    let mut place: HashMap<Canonical, usize> = tests
        .iter()
        .enumerate()
        .map(|(i, test)| (canonical(&test.existential()), i))
        .collect();
    let mut unmutated = Vec::new();
    for (i, mutants) in all.into_iter().enumerate() {
        let mutants = mutants?;
        let of = tests[i].name.clone();
        if mutants.is_empty() && tests[i].class == Class::Conformance && tests[i].changes.is_empty()
        {
            let why = if depends(&tests[i]) {
                Why::Dependency
            } else {
                Why::Coherence
            };
            unmutated.push((of.clone(), why));
        }
        for mutant in mutants {
            let at = *place.entry(mutant.form).or_insert(tests.len());
            if let Some(known) = tests.get_mut(at) {
                if !known.mutant_of.contains(&of) {
                    known.mutant_of.push(of.clone());
                }
                continue;
            }
            let words: Vec<&str> = mutant.changes.iter().map(|c| c.word.as_str()).collect();
            tests.push(Test {
                name: format!("{of}~{}", words.join("~")),
                class: mutant.verdict.class,
                allowed: mutant.verdict.allowed,
                mutant_of: vec![of.clone()],
                changes: mutant.changes,
                ..tests[i].clone()
            });
        }
    }
    Ok(unmutated)
}

/// The mutants of a program that asks whether its outcome exists, which is forbidden.
pub(super) fn mutants(program: &Program, judge: &Judge<'_>) -> Result<Vec<Mutant>, Error> {
    let changes = changes(program);
    let mut out = Vec::new();
    let mut done: Vec<((usize, Property), u32)> = Vec::new();
    for change in &changes {
        let further = |(place, steps): &_| *place == change.place && *steps < change.steps;
        if done.iter().any(further) {
            continue;
        }
        if let Some(mutant) = mutant(program, vec![change.clone()], judge)? {
            done.push((change.place, change.steps));
            out.push(mutant);
        }
    }
    for change in reshapings(program) {
        out.extend(mutant(program, vec![change], judge)?);
    }
    // What makes available and visible orders nothing itself: without it many an outcome stays impossible, and
    // only the race shows that it is missing.
    if out.is_empty() || program.api == Api::Vulkan {
        let mut more = undefined(program, &changes, judge)?;
        more.retain(|mutant| {
            done.iter()
                .all(|(place, _)| *place != mutant.changes[0].place)
        });
        out.extend(more);
    }
    if out.is_empty() {
        out.extend(several(program, &changes, judge)?);
    }
    Ok(out)
}

/// The mutants that a race makes undefined, though no execution that the model calls consistent has
/// the outcome: what ordinary accesses are where nothing orders them any more. Narrower scopes are
/// left out, since they make every program racy.
fn undefined(
    program: &Program,
    changes: &[Change],
    judge: &Judge<'_>,
) -> Result<Vec<Mutant>, Error> {
    let mut out: Vec<Mutant> = Vec::new();
    for change in changes.iter().filter(|c| c.place.1 != Property::Scope) {
        let nearer = |m: &Mutant| m.changes[0].place == change.place;
        if out.iter().any(nearer) {
            continue;
        }
        let (form, verdict) = judge.judge(&change.apply(program))?;
        if verdict.class == Class::Racy {
            out.push(Mutant {
                changes: vec![change.clone()],
                form,
                verdict,
            });
        }
    }
    Ok(out)
}

/// A program after changes, if that allows its outcome.
fn mutant(
    program: &Program,
    changes: Vec<Change>,
    judge: &Judge<'_>,
) -> Result<Option<Mutant>, Error> {
    let (form, verdict) = judge.judge(&mutation::apply(program, &changes))?;
    Ok(verdict.allowed.then_some(Mutant {
        changes,
        form,
        verdict,
    }))
}

/// A mutant by as few changes as a greedy search finds: of orders, fences and flags if they do,
/// else of scopes as well.
fn several(
    program: &Program,
    changes: &[Change],
    judge: &Judge<'_>,
) -> Result<Option<Mutant>, Error> {
    for scopes in [false, true] {
        // changes go from the smallest on, so the last of a place and property is the furthest
        let mut furthest: Vec<Change> = Vec::new();
        for change in changes {
            if change.place.1 == Property::Scope && !scopes {
                continue;
            }
            match furthest.iter_mut().find(|f| f.place == change.place) {
                Some(known) => *known = change.clone(),
                None => furthest.push(change.clone()),
            }
        }
        let Some(mut best) = mutant(program, furthest, judge)? else {
            continue;
        };
        let mut at = 0;
        while at < best.changes.len() {
            let mut fewer = best.changes.clone();
            fewer.remove(at);
            match mutant(program, fewer, judge)? {
                Some(smaller) => best = smaller,
                None => at += 1,
            }
        }
        for at in 0..best.changes.len() {
            let now = best.changes[at].clone();
            for nearer in changes {
                if nearer.place != now.place || nearer.steps >= now.steps {
                    continue;
                }
                let mut smaller = best.changes.clone();
                smaller[at] = nearer.clone();
                if let Some(smaller) = mutant(program, smaller, judge)? {
                    best = smaller;
                    break;
                }
            }
        }
        return Ok(Some(best));
    }
    Ok(None)
}
