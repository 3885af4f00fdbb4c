//! Makes a failing program small.
//!
//! [`shrink`] takes a program and a judge that says whether a program fails as the first one does
//! ([`comparable`] is the measure for that). It tries smaller programs ([`size::Size`]), keeps each that
//! still fails, and ends when none does: first it takes things out with what hangs on them ([`cut`]),
//! half of a kind at once, then quarters, down to one, as in Zeller and Hildebrandt, "Simplifying and
//! Isolating Failure-Inducing Input" (2002); then it makes what is left plainer ([`simplify`]). Every
//! program that it tries is valid: [`Plan::of`] accepts it. The same judge gives the same result.

pub mod comparable;
pub mod cut;
#[cfg(test)]
mod cut_tests;
pub mod simplify;
pub mod size;
#[cfg(test)]
mod tests;

use super::check::Plan;
use super::program::Program;
use super::yaml;
use crate::shrink::{Candidate, Judge, Search, Shrunk, Told};
use cut::{Class, without};
use size::Size;

impl Candidate for Program {
    type Whole = Plan;
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(self)
    }

    fn text(&self) -> String {
        yaml::write(self)
    }

    fn whole(self) -> Option<Plan> {
        Plan::of(self).ok()
    }
}

/// Shrinks a program that fails. `told` hears of each program that is kept.
pub fn shrink(plan: Plan, judge: Judge<'_, Plan>, told: Told<'_, Plan>) -> Shrunk<Plan> {
    let size = Size::of(&plan.program);
    let mut search: Search<'_, Program> = Search::new(plan, size, judge, told);
    search.rounds(|search| {
        for class in Class::ALL {
            search.take_out(
                |plan| class.units(&plan.program),
                |plan, units| without(&plan.program, units),
            );
        }
        for list in [simplify::bypasses, simplify::all] {
            search.go_through(
                |plan| list(&plan.program),
                |_, plainer| Some(plainer.clone()),
            );
        }
    });
    search.done()
}

/// Every program that is one step smaller, valid or not: those among which a minimal program has none
/// that fails.
pub fn candidates(program: &Program) -> Vec<Program> {
    let cuts = Class::ALL
        .into_iter()
        .flat_map(|class| class.units(program))
        .filter_map(|unit| without(program, &[unit]));
    let mut all: Vec<Program> = cuts.collect();
    all.extend(simplify::bypasses(program));
    all.extend(simplify::all(program));
    all.retain(|candidate| Size::of(candidate) < Size::of(program));
    all
}
