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
pub mod simplify;
pub mod size;
#[cfg(test)]
mod tests;

use super::check::Plan;
use super::program::Program;
use super::yaml;
use cut::{Class, without};
use size::Size;
use std::collections::HashSet;

/// What the judge says of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It fails as the first one does.
    Fails,
    /// It does not.
    Passes,
    /// Nothing: shrinking is to end with what there is.
    Stop,
}

/// How far shrinking is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Programs that the judge was asked about.
    pub asked: usize,
    /// Those that failed, each smaller than the one before.
    pub kept: usize,
}

/// The end of shrinking.
#[derive(Debug, Clone)]
pub struct Shrunk {
    /// The smallest program that fails.
    pub plan: Plan,
    /// How it was come by.
    pub progress: Progress,
    /// Nothing smaller that was tried fails; false where the judge stopped it before.
    pub minimal: bool,
}

/// Shrinks a program that fails. `told` hears of each program that is kept.
pub fn shrink(
    plan: Plan,
    judge: &mut dyn FnMut(&Plan) -> Answer,
    told: &mut dyn FnMut(&Plan, Progress),
) -> Shrunk {
    let mut shrinker = Shrinker {
        size: Size::of(&plan.program),
        best: plan,
        rejected: HashSet::new(),
        progress: Progress::default(),
        stopped: false,
        judge,
        told,
    };
    loop {
        let kept = shrinker.progress.kept;
        for class in Class::ALL {
            shrinker.take_out(class);
        }
        shrinker.go_through(simplify::bypasses);
        shrinker.go_through(simplify::all);
        if shrinker.stopped || shrinker.progress.kept == kept {
            return Shrunk {
                plan: shrinker.best,
                progress: shrinker.progress,
                minimal: !shrinker.stopped,
            };
        }
    }
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

struct Shrinker<'j> {
    best: Plan,
    size: Size,
    /// Programs that do not fail, as text.
    rejected: HashSet<String>,
    progress: Progress,
    stopped: bool,
    judge: &'j mut dyn FnMut(&Plan) -> Answer,
    told: &'j mut dyn FnMut(&Plan, Progress),
}

impl Shrinker<'_> {
    /// Tries a program; whether it is the best now.
    fn accept(&mut self, program: Program) -> bool {
        let size = Size::of(&program);
        if self.stopped || size >= self.size {
            return false;
        }
        let text = yaml::write(&program);
        if self.rejected.contains(&text) {
            return false;
        }
        let Ok(plan) = Plan::of(program) else {
            self.rejected.insert(text);
            return false;
        };
        self.progress.asked += 1;
        match (self.judge)(&plan) {
            Answer::Fails => {
                self.progress.kept += 1;
                self.best = plan;
                self.size = size;
                (self.told)(&self.best, self.progress);
                true
            }
            Answer::Passes => {
                self.rejected.insert(text);
                false
            }
            Answer::Stop => {
                self.stopped = true;
                false
            }
        }
    }

    /// Takes out units of a kind, many at once first.
    fn take_out(&mut self, class: Class) {
        let mut units = class.units(&self.best.program);
        let mut chunk = units.len();
        while chunk > 0 && !self.stopped {
            let mut at = 0;
            while at < units.len() && !self.stopped {
                let end = (at + chunk).min(units.len());
                let cut = without(&self.best.program, &units[at..end]);
                if cut.is_some_and(|program| self.accept(program)) {
                    // What came after them is here now.
                    units = class.units(&self.best.program);
                } else {
                    at = end;
                }
            }
            chunk /= 2;
        }
    }

    /// Tries each of the programs that are one step plainer, and those of what is kept.
    fn go_through(&mut self, list: fn(&Program) -> Vec<Program>) {
        let mut candidates = list(&self.best.program);
        let mut at = 0;
        while at < candidates.len() && !self.stopped {
            if self.accept(candidates[at].clone()) {
                candidates = list(&self.best.program);
            } else {
                at += 1;
            }
        }
    }
}
