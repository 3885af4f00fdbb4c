//! The oracle: which outcomes of a program a memory model allows.
//!
//! [`unfold`] turns each thread into the paths it can take, a [`skeleton`] joins one path of each
//! thread, and [`search`] decides what reads return and how writes are ordered, computing the
//! model forward between bounds ([`eval`]) and backward from its checks ([`adjoint`]) as it goes.

mod adjoint;
mod bits;
mod claims;
mod deadline;
mod error;
mod eval;
mod explain;
mod limits;
mod meet;
mod progress;
mod readings;
mod search;
mod skeleton;
mod state;
mod symmetry;
mod unfold;
mod value;

#[cfg(test)]
pub(crate) mod tests;

use crate::cat::Role;

pub use crate::cat::Model;
pub use claims::satisfiable;
pub use deadline::Deadline;
pub use error::Error;
pub use explain::{Edge, Execution, Explanation, Failure, Refusal, Shown, explain};
pub use limits::Limits;
pub use progress::{Graph, Progress, terminates};
pub use readings::{Readings, Said, Standing};
pub use state::State;
pub use unfold::EventKind;

use crate::program::{Atom, Observable, Predicate, Program, Quantifier, ThreadId};
use search::{Findings, Question, Search};
use skeleton::{Setting, Skeleton};
use std::collections::BTreeSet;
use unfold::{Cut, Path, Paths};

/// What the oracle says about a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Every outcome of a consistent execution that the filter lets through.
    pub states: BTreeSet<State>,
    /// Some consistent execution has undefined behaviour: a data race or another flag.
    pub racy: bool,
    /// The names of the flags that were raised.
    pub flags: Vec<String>,
    /// The answer to the test's own question.
    pub holds: bool,
    /// Some consistent execution repeats a loop more often than the bound; it is left out, so there
    /// may be more outcomes.
    pub bounded: bool,
    /// In some consistent execution a thread leaves an array, which is undefined behaviour; it is
    /// left out.
    pub outside: bool,
    /// Consistent executions visited; one may stand for many with the same outcome.
    pub executions: u64,
    /// Nodes of the search.
    pub nodes: u64,
}

/// Everything that a model allows a program to do, and the answer to the program's question.
///
/// # Errors
/// What of the program is beyond `limits`, or wrong with its commands; a model of another API.
pub fn judge(program: &Program, model: &Model, limits: &Limits) -> Result<Judgement, Error> {
    check_api(program, model)?;
    let threads = unfold_all(program, limits)?;
    let observables = program.observables();
    let constants = question_constants(program);
    let question = Question {
        observables: &observables,
        filter: program.filter.as_ref(),
        constants: &constants,
        required: None,
        until: None,
    };
    let mut findings = Findings::new(model.checks.len(), limits);
    each_skeleton(program, &threads, limits, &mut |skeleton| {
        search(model, skeleton, question, limits, &mut findings)
    })?;
    let bounded = some_execution_ends(Cut::Bound, program, &threads, model, limits)?;
    let outside = some_execution_ends(Cut::Outside, program, &threads, model, limits)?;
    let flags = raised(model, &findings);
    let mut states: Vec<State> = findings.states.into_iter().collect();
    states.sort_unstable();
    let states = BTreeSet::from_iter(states);
    Ok(Judgement {
        holds: answer(program, &observables, &states),
        racy: !flags.is_empty(),
        flags,
        states,
        bounded,
        outside,
        executions: findings.executions,
        nodes: findings.nodes,
    })
}

/// The names of the flags that some consistent execution raises: what makes the program's behaviour undefined.
/// That needs no outcomes but those that the filter asks about.
///
/// # Errors
/// As [`judge`].
pub fn flags(program: &Program, model: &Model, limits: &Limits) -> Result<Vec<String>, Error> {
    check_api(program, model)?;
    let threads = unfold_all(program, limits)?;
    let mut observables = Vec::new();
    if let Some(filter) = &program.filter {
        filter.each_observable(&mut |observable| {
            if !observables.contains(&observable) {
                observables.push(observable);
            }
        });
    }
    let constants = question_constants(program);
    let question = Question {
        observables: &observables,
        filter: program.filter.as_ref(),
        constants: &constants,
        required: None,
        until: None,
    };
    let mut findings = Findings::new(model.checks.len(), limits);
    let settled = |raised: &[bool]| {
        let mut flags = model.checks.iter().zip(raised);
        flags.all(|(check, raised)| check.role == Role::Require || *raised)
    };
    each_skeleton(
        program,
        &threads,
        limits,
        &mut |skeleton| match settled(&findings.raised) {
            true => Ok(()),
            false => search(model, skeleton, question, limits, &mut findings),
        },
    )?;
    Ok(raised(model, &findings))
}

/// The names of the flags that were raised.
fn raised(model: &Model, findings: &Findings) -> Vec<String> {
    let flags = model.checks.iter().zip(&findings.raised);
    flags
        .filter(|(_, raised)| **raised)
        .map(|(check, _)| check.name.to_string())
        .collect()
}

/// Fails where a model is one of another API than the program.
fn check_api(program: &Program, model: &Model) -> Result<(), Error> {
    match model.api() {
        Some(api) if api != program.api => Err(Error::OtherApi {
            program: program.api,
            model: model.name.clone(),
            other: program.api.model(),
        }),
        Some(_) | None => Ok(()),
    }
}

/// The answer to a program's own question, which needs no more outcomes than decide it.
///
/// # Errors
/// As [`judge`].
pub fn holds(program: &Program, model: &Model, limits: &Limits) -> Result<bool, Error> {
    check_api(program, model)?;
    let threads = unfold_all(program, limits)?;
    let observables = program.observables();
    let constants = question_constants(program);
    let decisive = match program.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => true,
        Quantifier::Forall => false,
    };
    let question = Question {
        observables: &observables,
        filter: program.filter.as_ref(),
        constants: &constants,
        required: None,
        until: Some((&program.condition.predicate, decisive)),
    };
    let mut findings = Findings::new(model.checks.len(), limits);
    // Flags are of no concern here, so all count as raised.
    findings.raised.fill(true);
    each_skeleton(
        program,
        &threads,
        limits,
        &mut |skeleton| match findings.decided {
            true => Ok(()),
            false => search(model, skeleton, question, limits, &mut findings),
        },
    )?;
    let states: BTreeSet<State> = findings.states.into_iter().collect();
    Ok(answer(program, &observables, &states))
}

fn unfold_all(program: &Program, limits: &Limits) -> Result<Vec<Paths>, Error> {
    (0..program.threads.len() as u32)
        .map(|t| unfold::unfold(program, ThreadId(t), limits))
        .collect()
}

/// The answer to a program's question, given its outcomes.
fn answer(program: &Program, observables: &[Observable], states: &BTreeSet<State>) -> bool {
    let predicate = &program.condition.predicate;
    let mut satisfied = states
        .iter()
        .map(|state| predicate.eval(&|o| state.value(observables, o)));
    match program.condition.quantifier {
        Quantifier::Exists => satisfied.any(|s| s),
        Quantifier::NotExists => !satisfied.any(|s| s),
        Quantifier::Forall => satisfied.all(|s| s),
    }
}

/// The constants that the condition and the filter compare with.
fn question_constants(program: &Program) -> Vec<i64> {
    let mut out = Vec::new();
    collect_constants(&program.condition.predicate, &mut out);
    if let Some(filter) = &program.filter {
        collect_constants(filter, &mut out);
    }
    out
}

fn collect_constants(predicate: &Predicate, out: &mut Vec<i64>) {
    predicate.each_atom(&mut |atom| {
        if let Atom::Const(c) = atom {
            out.push(c);
        }
    });
}

/// Whether in some consistent execution a thread is cut short in a way. The other threads run to
/// their ends or are cut short as well.
fn some_execution_ends(
    way: Cut,
    program: &Program,
    threads: &[Paths],
    model: &Model,
    limits: &Limits,
) -> Result<bool, Error> {
    let question = Question {
        observables: &[],
        filter: None,
        constants: &[],
        required: None,
        until: None,
    };
    let mut findings = Findings::new(model.checks.len(), limits);
    // Flags are of no concern here, so all count as raised.
    findings.raised.fill(true);
    for (cut, paths) in threads.iter().enumerate() {
        let ways: Vec<Vec<&Path>> = threads
            .iter()
            .enumerate()
            .map(|(thread, paths)| match thread == cut {
                true => paths.cut_by(way).collect(),
                false => paths.all().collect(),
            })
            .collect();
        if paths.cut_by(way).next().is_none() {
            continue;
        }
        each_combination(program, &ways, limits, &mut |skeleton| {
            if findings.states.is_empty() {
                search(model, skeleton, question, limits, &mut findings)?;
            }
            Ok(())
        })?;
        if !findings.states.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Calls `each` for every combination of the threads' paths that end.
fn each_skeleton(
    program: &Program,
    threads: &[Paths],
    limits: &Limits,
    each: &mut dyn FnMut(&Skeleton<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let ways: Vec<Vec<&Path>> = threads.iter().map(|t| t.paths.iter().collect()).collect();
    each_combination(program, &ways, limits, each)
}

/// Calls `each` for every combination of one path of each thread.
fn each_combination(
    program: &Program,
    ways: &[Vec<&Path>],
    limits: &Limits,
    each: &mut dyn FnMut(&Skeleton<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let combinations = ways
        .iter()
        .try_fold(1u64, |product, w| product.checked_mul(w.len() as u64));
    match combinations {
        Some(0) => return Ok(()),
        Some(c) if c <= limits.combinations => {}
        Some(_) | None => {
            return Err(Error::Combinations {
                limit: limits.combinations,
            });
        }
    }
    let setting = Setting::of(program)?;
    let mut chosen = vec![0; ways.len()];
    loop {
        limits.deadline.check()?;
        let paths: Vec<&Path> = ways.iter().zip(&chosen).map(|(w, c)| w[*c]).collect();
        for meetings in meet::ways(program, &paths) {
            each(&Skeleton::new(program, &setting, paths.clone(), meetings))?;
        }
        let mut position = 0;
        loop {
            if position == ways.len() {
                return Ok(());
            }
            chosen[position] += 1;
            if chosen[position] < ways[position].len() {
                break;
            }
            chosen[position] = 0;
            position += 1;
        }
    }
}

/// Searches one skeleton; an error when it has too many events, or the search ended early.
fn search(
    model: &Model,
    skeleton: &Skeleton<'_>,
    question: Question<'_>,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), Error> {
    if skeleton.len() > limits.events {
        return Err(Error::Events {
            limit: limits.events,
        });
    }
    match skeleton.len() {
        0..=64 => search_one::<1>(model, skeleton, question, limits, findings),
        65..=128 => search_one::<2>(model, skeleton, question, limits, findings),
        129..=256 => search_one::<4>(model, skeleton, question, limits, findings),
        257..=512 => search_one::<8>(model, skeleton, question, limits, findings),
        _ => return Err(Error::Events { limit: 512 }),
    }
    findings.ended.take().map_or(Ok(()), Err)
}

fn search_one<const W: usize>(
    model: &Model,
    skeleton: &Skeleton<'_>,
    question: Question<'_>,
    limits: &Limits,
    findings: &mut Findings,
) {
    let candidates = skeleton.candidates::<W>();
    if !skeleton.hopeless(&candidates) {
        Search::run(model, skeleton, candidates, question, limits, findings);
    }
}
