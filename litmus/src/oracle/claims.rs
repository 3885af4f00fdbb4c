//! Claims of Alloy tests: whether some consistent execution has relations of a stated size.

use super::bits::count;
use super::skeleton::Skeleton;
use super::{Error, Limits, Model, each_skeleton, flags, holds, question_constants, unfold_all};
use crate::cat::Role;
use crate::oracle::search::{Accept, Findings, Question, Search};
use crate::program::{Claim, Count, Counted, Program, Quantifier, Relation};

/// Whether a claim's formula has a solution: a consistent execution that the program's question asks about, and
/// that has as many races and release sequences as the claim says.
///
/// # Errors
/// What of the program is beyond `limits`.
pub fn satisfiable(program: &Program, claim: &Claim, limits: &Limits) -> Result<bool, Error> {
    let name = match claim.chains {
        true => "vulkan",
        false => "vulkan-no-chains",
    };
    let model = Model::named(name).expect("a model that comes with classay");
    let program = reading(program);
    match claim.counts.as_slice() {
        [] => holds(&program, &model, limits),
        [
            Count {
                of: Counted::Races,
                relation: Relation::Eq,
                with: 0,
            },
        ] => holds(&program, &model.defined(), limits),
        [
            Count {
                of: Counted::Races,
                relation: Relation::Gt,
                with: 0,
            },
        ] => Ok(flags(&program, &model, limits)?
            .iter()
            .any(|flag| flag == "vk.race")),
        counts => {
            let model = Model::counting(name).expect("a model that comes with classay");
            counted(&program, &model, counts, limits)
        }
    }
}

/// The program, of which only the executions count that read what the test states.
fn reading(program: &Program) -> Program {
    let mut program = program.clone();
    program.filter = Some(program.condition.predicate.clone());
    program.condition.quantifier = Quantifier::Exists;
    program
}

/// Looks at one consistent execution after the other.
fn counted(
    program: &Program,
    model: &Model,
    counts: &[Count],
    limits: &Limits,
) -> Result<bool, Error> {
    let threads = unfold_all(program, limits)?;
    let observables = program.observables();
    let constants = question_constants(program);
    let mut found = false;
    each_skeleton(program, &threads, limits, &mut |skeleton| {
        if found {
            return Ok(());
        }
        let question = Question {
            observables: &observables,
            filter: program.filter.as_ref(),
            constants: &constants,
            required: None,
            until: None,
        };
        found = match skeleton.len() {
            0..=64 => one::<1>(model, skeleton, question, counts, limits)?,
            65..=128 => one::<2>(model, skeleton, question, counts, limits)?,
            129..=256 => one::<4>(model, skeleton, question, counts, limits)?,
            257..=512 => one::<8>(model, skeleton, question, counts, limits)?,
            _ => return Err(Error::Events { limit: 512 }),
        };
        Ok(())
    })?;
    Ok(found)
}

fn one<const W: usize>(
    model: &Model,
    skeleton: &Skeleton<'_>,
    question: Question<'_>,
    counts: &[Count],
    limits: &Limits,
) -> Result<bool, Error> {
    let candidates = skeleton.candidates::<W>();
    if skeleton.hopeless(&candidates) {
        return Ok(false);
    }
    let mut findings = Findings::new(model.checks.len(), limits);
    findings.raised.fill(true);
    let accept: Accept<'_, W> = &|bounds| {
        counts.iter().all(|wanted| {
            let name = match wanted.of {
                Counted::Races => "vk.race",
                Counted::ReleaseSequences => Model::RELEASE_SEQUENCES,
            };
            let check = model.checks.iter().find(|check| *check.name == *name);
            let pairs = check.map_or(0, |check| {
                let rows = bounds.low(check.node);
                rows.iter().map(|row| i64::from(count(row))).sum()
            });
            wanted.relation.holds(pairs, wanted.with)
        })
    };
    let witness = Search::accepted(model, skeleton, candidates, question, &mut findings, accept);
    findings.ended.map_or(Ok(witness), Err)
}

impl Model {
    /// The model in which undefined behaviour makes an execution inconsistent.
    pub fn defined(&self) -> Model {
        let mut model = self.clone();
        for check in &mut model.checks {
            match check.role {
                Role::Require => {}
                Role::Flag => {
                    check.role = Role::Require;
                    check.negated = !check.negated;
                }
                Role::UndefinedUnless => check.role = Role::Require,
            }
        }
        model
    }
}
