//! Holds what a run observed against what the rules require.
//!
//! [`Plan::check`] goes through a trace: [`codes`] what calls returned and in which order, [`statuses`]
//! what was told of commands, [`callbacks`] what was called, [`data`] what reads saw, [`times`] what was
//! profiled. [`freedoms`] tells what it shows where the rules leave a choice. [`covers`] says which rules a run puts to the test, and [`means`] by which rules data
//! comes, whatever the order.

mod callbacks;
mod codes;
mod covers;
mod data;
mod freedoms;
mod means;
mod statuses;
#[cfg(test)]
mod tests;
mod times;

pub use callbacks::{called, ran};
pub use times::{STATES, started_early, too_early};

use super::memory::Memory;
use super::order::{Fate, Moment, Order};
use super::program::{CommandId, Program, Step};
use super::trace::Trace;
use crate::host::NOT_MADE;
use crate::rule::{self, RuleId};
use classay_vocabulary::Violation;
use std::collections::BTreeSet;

/// A program with all that is known of it before it runs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The program.
    pub program: Program,
    /// Its happens-before.
    pub order: Order,
    /// Its memory.
    pub memory: Memory,
}

impl Plan {
    /// The plan of a valid program, or what is wrong with it.
    pub fn of(program: Program) -> Result<Plan, super::order::Invalid> {
        let order = Order::of(&program)?;
        let memory = Memory::of(&program, &order)?;
        Ok(Plan {
            program,
            order,
            memory,
        })
    }

    /// Whether rules are about what clFinish waits for in a program in which a command ends abnormally: its queue "and
    /// all other command-queues in the same context may no longer be available and their behavior is
    /// implementation-defined" (Execution Model).
    pub fn leaves_open(&self, rules: &[RuleId]) -> bool {
        let mut commands = self.program.commands();
        let failed = commands.any(|(id, _)| self.order.fate(id) == Fate::Fails);
        failed && rules.contains(&rule::SP_FINISH)
    }

    /// Every rule that a trace breaks, each violation once.
    pub fn check(&self, trace: &Trace) -> Vec<Violation> {
        let not_made = trace.codes.values().any(|code| *code == NOT_MADE);
        let mut found = Found {
            plan: self,
            trace,
            misses_calls: not_made && self.order.has_failures(),
            violations: BTreeSet::new(),
        };
        // What may be why the rest is wrong is told first; what was profiled last, for what the host itself saw is
        // the better evidence.
        found.codes();
        let mut all = found.take();
        if found.refused() {
            return all;
        }
        found.stamps();
        found.statuses();
        found.data();
        found.callbacks();
        found.natives();
        found.times();
        let mut others = found.take();
        others.sort_by_key(|violation| violation.rules.contains(&rule::STATE_PROFILING));
        all.extend(others);
        found.not_made();
        all.extend(found.take());
        all
    }
}

struct Found<'p> {
    plan: &'p Plan,
    trace: &'p Trace,
    /// Whether something failed, and calls were not made behind it.
    misses_calls: bool,
    violations: BTreeSet<Violation>,
}

impl Found<'_> {
    /// What was found since this was last asked.
    fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations).into_iter().collect()
    }

    fn add(&mut self, mut rules: Vec<RuleId>, or: RuleId, what: String) {
        if rules.is_empty() {
            rules.push(or);
        }
        self.violations.insert(Violation { rules, what });
    }

    /// A rule is broken.
    fn breaks(&mut self, rule: RuleId, what: String) {
        self.add(vec![rule], rule, what);
    }

    /// A command's times contradict that one command ends before another starts.
    fn breaks_order(&mut self, first: CommandId, second: CommandId, what: String) {
        let rules = self.plan.by_times(first, second);
        self.add(rules, rule::STATE_PROFILING, what);
    }

    /// After something failed, the specification leaves what else its context does open.
    fn after_failure(&self) -> bool {
        self.plan.order.has_failures()
    }

    /// Whether one moment comes before another whatever fails. After something failed, calls may not be made whose
    /// events there are not, such as that of a blocking read that was refused; a wait among them keeps nobody waiting.
    fn surely(&self, a: Moment, b: Moment) -> bool {
        !self.misses_calls && self.plan.order.surely(a, b)
    }

    /// Whether a command was refused that had to be taken: what comes behind it misses what it was to do, and is its
    /// consequence.
    fn refused(&self) -> bool {
        let enqueues = |step: &Step| matches!(step, Step::Enqueue(_));
        let mut steps = self.plan.program.steps();
        let code = |place| self.trace.codes.get(&place).copied().unwrap_or(NOT_MADE);
        !self.after_failure()
            && steps.any(|(place, step)| enqueues(step) && ![0, NOT_MADE].contains(&code(place)))
    }

    /// The rules by which the command would have run after all.
    fn lost(&self) -> Vec<RuleId> {
        let program = &self.plan.program;
        let mut rules = Vec::new();
        let release = |s: &Step| matches!(s, Step::ReleaseQueue(_) | Step::ReleaseEvent(_));
        if program.steps().any(|(_, step)| release(step)) {
            rules.push(rule::QUEUE_RELEASE);
        }
        if self.plan.covers_of_queues().contains(&rule::QUEUE_THREADS) {
            rules.push(rule::QUEUE_THREADS);
        }
        rules
    }
}

/// What a step calls; none where it is no call whose code is looked at.
pub fn call(step: &Step) -> Option<&'static str> {
    Some(match step {
        Step::Enqueue(_) => "an enqueue",
        Step::Flush(_) => "clFlush",
        Step::Finish(_) => "clFinish",
        Step::Wait(_) => "clWaitForEvents",
        Step::Set { .. } => "clSetUserEventStatus",
        Step::Register(_) => "clSetEventCallback",
        Step::Status(_) => "clGetEventInfo",
        Step::ReleaseEvent(_) => "clReleaseEvent",
        Step::ReleaseQueue(_) => "clReleaseCommandQueue",
        Step::ReleaseObject(_) => "a release",
        Step::Access(_)
        | Step::Inspect(_)
        | Step::Signal(_)
        | Step::Await(_)
        | Step::Sleep(_)
        | Step::Yield(_) => return None,
    })
}
