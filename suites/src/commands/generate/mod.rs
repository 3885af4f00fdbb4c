//! Makes programs of commands.
//!
//! [`random`] draws one: [`skeleton`] draws queues, commands and what orders them, and [`data`] then
//! lets each command read and write where the order of the skeleton allows it, so that nothing races
//! by construction. [`super::check::Plan::of`] proves it once more, and that the program ends on every
//! implementation that keeps the rules; a draft that may not end is drawn again.
//! [`small`] makes one of those that [`enumerate`] lists instead.

mod data;
pub mod enumerate;
mod profile;
mod skeleton;
#[cfg(test)]
mod tests;

pub use profile::{Idiom, Profile};

use super::check::Plan;
use super::order::Invalid;
use super::program::{CommandId, Program};
use crate::choices::Choices;
use profile::Work;
use skeleton::Skeleton;

/// How often a draft is drawn again before the generator gives up.
const DRAFTS: usize = 200;

/// The plan of a program drawn from a seed. An error is a fault of the generator.
pub fn random(seed: u64, profile: &Profile) -> Result<Plan, Invalid> {
    let profile = &profile.with_failures();
    first_valid(seed, profile, |choices| skeleton::draw(choices, profile))
}

/// The plan of the small program with this number, below the number of [`enumerate::shapes`].
///
/// # Errors
/// The number is that of none, or the generator is at fault.
pub fn small(number: usize) -> Result<Plan, Invalid> {
    let shapes = enumerate::shapes();
    let Some(shape) = shapes.get(number) else {
        return Err(Invalid::Shape {
            what: format!(
                "there are {} small programs, and number {number} is not among them",
                shapes.len()
            ),
        });
    };
    let profile = Profile {
        works: vec![(Work::Kernel, 1)],
        gates: 100,
        callbacks: 0,
        threads: 0,
        releases: 0,
        independent: 0,
        eventless: 0,
        ..Profile::queue()
    };
    first_valid(number as u64, &profile, |choices| {
        skeleton::of_shape(choices, &profile, shape)
    })
}

/// The program with so many of a hundred of the commands whose events nothing names enqueued without one.
fn without_events(choices: &mut Choices, mut program: Program, percent: usize) -> Program {
    if percent > 0 {
        let named = program.with_events();
        for (n, command) in program.commands.iter_mut().enumerate() {
            command.eventless = !named.contains(&CommandId::at(n)) && choices.percent(percent);
        }
    }
    program
}

/// The plan of the first of the drafts of a seed that is valid.
fn first_valid(
    seed: u64,
    profile: &Profile,
    mut skeleton: impl FnMut(&mut Choices) -> Skeleton,
) -> Result<Plan, Invalid> {
    let mut choices = Choices::new(seed);
    let mut last = None;
    for _ in 0..DRAFTS {
        let skeleton = skeleton(&mut choices);
        let filled = data::fill(&mut choices, skeleton);
        let filled = filled.map(|program| without_events(&mut choices, program, profile.eventless));
        match filled.and_then(Plan::of) {
            Ok(plan) => return Ok(plan),
            Err(why) => last = Some(why),
        }
    }
    Err(last.unwrap_or(Invalid::Shape {
        what: "no draft was drawn".into(),
    }))
}
