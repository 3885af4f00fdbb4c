//! The oracle: which outcomes of a program a memory model allows.
//!
//! [`unfold`] turns each thread into the paths it can take, a [`skeleton`] joins one path of each
//! thread, and [`search`] decides what reads return and how writes are ordered, computing the
//! model forward between bounds ([`eval`]) and backward from its checks ([`adjoint`]) as it goes.

mod adjoint;
mod bits;
mod eval;
mod explain;
mod search;
mod skeleton;
mod unfold;
mod value;

#[cfg(test)]
mod tests;

pub use crate::cat::Model;
pub use explain::{Action, Edge, Execution, Explanation, Failure, Refusal, Shown, explain};

use crate::program::{
    Atom, CommandError, CommandOrder, Observable, Predicate, Program, Quantifier, ThreadId,
};
use search::{Findings, Question, Search};
use skeleton::Skeleton;
use std::collections::BTreeSet;
use thiserror::Error;
use unfold::Paths;

/// An outcome: the values of [`Program::observables`], in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub Vec<i64>);

impl State {
    /// The value of one observable; zero for one that the outcome does not record.
    pub fn value(&self, observables: &[Observable], wanted: Observable) -> i64 {
        observables
            .iter()
            .position(|o| *o == wanted)
            .map_or(0, |i| self.0[i])
    }
}

/// How far the oracle goes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How often a loop whose condition depends on a read is repeated.
    pub loop_bound: u32,
    /// Most events of one execution.
    pub events: usize,
    /// Most paths of one thread.
    pub paths: usize,
    /// Most combinations of paths.
    pub combinations: u64,
    /// Most outcomes.
    pub states: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            loop_bound: 2,
            events: 512,
            paths: 4096,
            combinations: 1_000_000,
            states: 4_000_000,
        }
    }
}

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
    /// A loop was cut at the bound, so there may be more outcomes.
    pub bounded: bool,
    /// A thread can leave an array, which is undefined behaviour; those runs are left out.
    pub outside: bool,
    /// Consistent executions visited; one may stand for many with the same outcome.
    pub executions: u64,
    /// Nodes of the search.
    pub nodes: u64,
}

/// Why a program cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A thread has too many paths.
    #[error("P{thread} can run in more than {limit} ways; the oracle does not enumerate more")]
    Paths {
        /// The thread.
        thread: u32,
        /// The limit.
        limit: usize,
    },
    /// The threads' paths combine in too many ways.
    #[error(
        "the threads can run in more than {limit} ways together; the oracle does not enumerate more"
    )]
    Combinations {
        /// The limit.
        limit: u64,
    },
    /// An execution has too many events.
    #[error("an execution has more than {limit} events; the oracle does not judge longer ones")]
    Events {
        /// The limit.
        limit: usize,
    },
    /// Its commands make no sense together.
    #[error("{0}")]
    Commands(#[from] CommandError),
    /// There are too many outcomes.
    #[error("the program has more than {limit} outcomes; the oracle does not keep more")]
    States {
        /// The limit.
        limit: usize,
    },
}

/// Everything that a model allows a program to do, and the answer to the program's question.
pub fn judge(program: &Program, model: &Model, limits: &Limits) -> Result<Judgement, Error> {
    let threads = unfold_all(program, limits)?;
    let observables = program.observables();
    let constants = question_constants(program);
    let question = Question {
        observables: &observables,
        filter: program.filter.as_ref(),
        constants: &constants,
        required: None,
    };
    let mut findings = Findings::new(model.checks.len(), limits.states);
    each_skeleton(program, &threads, limits, &mut |skeleton| {
        if skeleton.len() > limits.events {
            return Err(Error::Events {
                limit: limits.events,
            });
        }
        match skeleton.len() {
            0..=64 => search_one::<1>(model, skeleton, question, &mut findings),
            65..=128 => search_one::<2>(model, skeleton, question, &mut findings),
            129..=256 => search_one::<4>(model, skeleton, question, &mut findings),
            257..=512 => search_one::<8>(model, skeleton, question, &mut findings),
            _ => return Err(Error::Events { limit: 512 }),
        }
        if findings.overflow {
            return Err(Error::States {
                limit: limits.states,
            });
        }
        Ok(())
    })?;
    let mut states: Vec<State> = findings.states.into_iter().collect();
    states.sort_unstable();
    let states = BTreeSet::from_iter(states);
    let flags: Vec<String> = model
        .checks
        .iter()
        .zip(&findings.raised)
        .filter(|(_, raised)| **raised)
        .map(|(check, _)| check.name.to_string())
        .collect();
    Ok(Judgement {
        holds: answer(program, &observables, &states),
        racy: !flags.is_empty(),
        flags,
        states,
        bounded: threads.iter().any(|t| t.bounded),
        outside: threads.iter().any(|t| t.undefined),
        executions: findings.executions,
        nodes: findings.nodes,
    })
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
    match predicate {
        Predicate::Bool(_) => {}
        Predicate::Compare(_, a, b) => {
            for atom in [a, b] {
                if let Atom::Const(c) = atom {
                    out.push(*c);
                }
            }
        }
        Predicate::Not(inner) => collect_constants(inner, out),
        Predicate::And(parts) | Predicate::Or(parts) => {
            for part in parts {
                collect_constants(part, out);
            }
        }
    }
}

/// Calls `each` for every combination of the threads' paths.
fn each_skeleton(
    program: &Program,
    threads: &[Paths],
    limits: &Limits,
    each: &mut dyn FnMut(&Skeleton<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let combinations = threads
        .iter()
        .try_fold(1u64, |product, t| product.checked_mul(t.paths.len() as u64));
    match combinations {
        Some(0) => return Ok(()),
        Some(c) if c <= limits.combinations => {}
        Some(_) | None => {
            return Err(Error::Combinations {
                limit: limits.combinations,
            });
        }
    }
    let order = CommandOrder::of(program)?;
    let mut chosen = vec![0; threads.len()];
    loop {
        let paths = threads
            .iter()
            .zip(&chosen)
            .map(|(t, c)| &t.paths[*c])
            .collect();
        each(&Skeleton::new(program, &order, paths))?;
        let mut position = 0;
        loop {
            if position == threads.len() {
                return Ok(());
            }
            chosen[position] += 1;
            if chosen[position] < threads[position].paths.len() {
                break;
            }
            chosen[position] = 0;
            position += 1;
        }
    }
}

fn search_one<const W: usize>(
    model: &Model,
    skeleton: &Skeleton<'_>,
    question: Question<'_>,
    findings: &mut Findings,
) {
    let candidates = skeleton.candidates::<W>();
    if !skeleton.hopeless(&candidates) {
        Search::run(model, skeleton, candidates, question, findings);
    }
}
