//! What was profiled, also against the host's clock.

use super::{Found, Plan};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{CommandId, Event};
use crate::commands::trace::status;
use crate::commands::words;
use crate::rule::{self, RuleId};

pub use crate::host::check::{CLOCK_SLACK as SLACK, HELD_LONG};

impl Plan {
    /// Commands of one device of which the second surely starts when the first has ended, and so ends later.
    pub fn ends_after(&self) -> impl Iterator<Item = (CommandId, CommandId)> {
        let all = 0..self.program.commands.len();
        let ids = all.clone().map(CommandId::at);
        ids.flat_map(move |first| {
            let others = all.clone().map(CommandId::at);
            others
                .filter(move |second| self.ends_before(first, *second))
                .map(move |second| (first, second))
        })
    }

    /// The rules that are broken where by their times one command did not end before another started.
    pub fn by_times(&self, first: CommandId, second: CommandId) -> Vec<RuleId> {
        let (end, start) = (Moment::End(first), Moment::Start(second));
        let mut rules = self.order.rules_between(end, start);
        rules.push(rule::STATE_PROFILING);
        rules
    }

    fn ends_before(&self, first: CommandId, second: CommandId) -> bool {
        first != second
            && self.program.device_of(first) == self.program.device_of(second)
            && self.order.surely(Moment::End(first), Moment::Start(second))
    }
}

impl Found<'_> {
    /// What waits for another, by whatever rule, ends later.
    fn times_in_order(&mut self) {
        for (first, a) in &self.trace.times {
            for (second, b) in &self.trace.times {
                if a.end <= b.end || !self.plan.ends_before(*first, *second) {
                    continue;
                }
                let what = format!(
                    "by its times command {} ended before command {}, for which it waits, had",
                    second.0, first.0
                );
                self.breaks_order(*first, *second, what);
            }
        }
    }

    /// A command that the host held back for a while was queued at least that long before it started;
    /// half of it is enough here, for clocks differ.
    fn held_time(&mut self, command: CommandId, between: u64) {
        let order = &self.plan.order;
        let enqueued = Moment::Return(order.enqueued(command));
        let Some(&since) = self.trace.clock.get(&enqueued) else {
            return;
        };
        let longest = self
            .trace
            .clock
            .iter()
            .filter(|(moment, _)| {
                matches!(moment, Moment::Call(_)) && order.surely(**moment, Moment::Start(command))
            })
            .map(|(_, time)| time.saturating_sub(since))
            .max()
            .unwrap_or_default();
        if longest >= HELD_LONG && between < longest / 2 {
            let what = format!(
                "by its times command {} started much sooner after it was queued than the host let it",
                command.0
            );
            self.breaks(rule::STATE_PROFILING, what);
        }
    }

    /// A command took no longer, from queued to ended, than the whole run since its enqueue; twice that
    /// and a little more is let pass, for clocks differ.
    fn whole_time(&mut self, command: CommandId, between: u64) {
        let enqueue = Moment::Call(self.plan.order.enqueued(command));
        let clock = &self.trace.clock;
        let (Some(&since), Some(&until)) = (clock.get(&enqueue), clock.values().max()) else {
            return;
        };
        // The run may go on after its last step, until everything is finished.
        if self
            .trace
            .finished
            .is_some_and(|end| between > 2 * end.max(until).saturating_sub(since) + SLACK)
        {
            let what = format!(
                "by its times command {} was queued long before it was enqueued",
                command.0
            );
            self.breaks(rule::STATE_PROFILING, what);
        }
    }

    /// A command has times when it is complete, and none before; a user event has none at all.
    fn times_there(&mut self) {
        let plan = self.plan;
        for (place, event) in plan.program.asked() {
            let Some(&code) = self.trace.profiled.get(&place) else {
                continue;
            };
            let wrong = match event {
                Event::User(_) => code != status::NO_TIMES,
                Event::Command(c) => {
                    let held = plan.order.surely(Moment::Return(place), Moment::Start(c));
                    let done = plan.order.surely(Moment::End(c), Moment::Call(place))
                        && plan.order.fate(c) == Fate::Completes
                        && !self.after_failure();
                    held && code != status::NO_TIMES || done && code != 0
                }
            };
            if wrong {
                let what = format!(
                    "at {place} the query for the times of {} returned {code}",
                    words::event(event)
                );
                self.breaks(rule::STATE_PROFILING, what);
            }
        }
        for (command, last) in &self.trace.last {
            if *last == status::COMPLETE
                && !self.trace.times.contains_key(command)
                && !self.after_failure()
            {
                let what = format!("command {} is complete and has no times", command.0);
                self.breaks(rule::STATE_PROFILING, what);
            }
        }
    }

    /// What the host does later has later times: what it enqueues after another was enqueued is queued
    /// later, and what it enqueues when it knows that another has ended.
    fn times_of_the_host(&mut self) {
        let plan = self.plan;
        for (first, a) in &self.trace.times {
            let enqueued = Moment::Return(plan.order.enqueued(*first));
            for (second, b) in &self.trace.times {
                if plan.program.device_of(*first) != plan.program.device_of(*second) {
                    continue;
                }
                let call = Moment::Call(plan.order.enqueued(*second));
                let what = if plan.order.surely(Moment::End(*first), call) && a.end > b.queued {
                    "had ended"
                } else if plan.order.surely(enqueued, call) && a.queued > b.queued {
                    "was enqueued"
                } else {
                    continue;
                };
                let what = format!(
                    "by its times command {} was queued before command {} {what}, after which it was enqueued",
                    second.0, first.0
                );
                self.breaks(rule::STATE_PROFILING, what);
            }
        }
    }

    pub(super) fn times(&mut self) {
        self.times_there();
        self.times_of_the_host();
        self.times_in_order();
        let program = &self.plan.program;
        for (command, t) in &self.trace.times {
            let all = [
                ("queued", Some(t.queued)),
                ("submitted", Some(t.submit)),
                ("started", Some(t.start)),
                ("ended", Some(t.end)),
                ("complete", t.complete),
            ];
            let known: Vec<(&str, u64)> = all
                .into_iter()
                .filter_map(|(name, time)| time.map(|time| (name, time)))
                .collect();
            for pair in known.windows(2) {
                if pair[0].1 > pair[1].1 {
                    let what = format!(
                        "by its times command {} was {} after it was {}",
                        command.0, pair[0].0, pair[1].0
                    );
                    self.breaks(rule::STATE_PROFILING, what);
                }
            }
            self.held_time(*command, t.start.saturating_sub(t.queued));
            self.whole_time(*command, t.end.saturating_sub(t.queued));
            let spec = &program.commands[command.index()];
            for event in &spec.wait {
                let Event::Command(first) = event else {
                    continue;
                };
                let Some(before) = self.trace.times.get(first) else {
                    continue;
                };
                if program.device_of(*first) == program.device_of(*command) && before.end > t.start
                {
                    let what = format!(
                        "by its times command {} started before command {}, for which it waits, ended",
                        command.0, first.0
                    );
                    self.breaks_order(*first, *command, what);
                }
            }
        }
        for command in &self.trace.elsewhere {
            let what = format!(
                "command {} mapped the application's own memory to another address",
                command.0
            );
            self.breaks(rule::RG_HOST_PTR, what);
        }
    }
}
