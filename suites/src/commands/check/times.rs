//! What was profiled, also against the host's clock.

use super::{Found, Plan};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{CommandId, Event, Place, Who};
use crate::commands::trace::status;
use crate::commands::words;
use crate::rule::{self, RuleId};
use std::collections::BTreeMap;

pub use crate::host::check::{CLOCK_SLACK as SLACK, HELD_LONG};

/// The states whose times are profiled, in the order in which a command passes them.
pub const STATES: [&str; 5] = ["queued", "submitted", "started", "ended", "complete"];

impl Plan {
    /// Commands of one device of which the second surely starts when the first has ended.
    pub fn starts_after(&self) -> impl Iterator<Item = (CommandId, CommandId)> {
        let ids = self.program.commands().map(|(id, _)| id);
        let pairs = ids
            .clone()
            .flat_map(move |first| ids.clone().map(move |second| (first, second)));
        pairs.filter(|(first, second)| self.ends_before(*first, *second))
    }

    /// Commands of one device of which the second waits for the first by its list, whatever else fails.
    pub fn waits_for(&self) -> impl Iterator<Item = (CommandId, CommandId)> {
        let lists = self.program.commands().flat_map(|(id, command)| {
            let listed = command.wait.iter().filter_map(|event| event.command());
            listed.map(move |first| (first, id))
        });
        let device = |id| self.program.device_of(id);
        lists.filter(move |(first, second)| device(*first) == device(*second))
    }

    /// Commands of one device of which the host enqueues the second later, and what it knows of the first then: whether
    /// it has ended, else that it was enqueued.
    pub fn enqueued_after(&self) -> impl Iterator<Item = (CommandId, CommandId, bool)> {
        let ids = || self.program.commands().map(|(id, _)| id);
        let pairs = ids().flat_map(move |first| ids().map(move |second| (first, second)));
        pairs.filter_map(|(first, second)| {
            let ended = self.knows_of(first, second)?;
            Some((first, second, ended))
        })
    }

    /// Whether the host knows that the first of two commands of one device has ended when it enqueues the second;
    /// none where it need not even have enqueued the first.
    fn knows_of(&self, first: CommandId, second: CommandId) -> Option<bool> {
        let call = Moment::Call(self.order.enqueued(second));
        let enqueued = Moment::Return(self.order.enqueued(first));
        let one = self.program.device_of(first) == self.program.device_of(second);
        let ended = self.order.surely(Moment::End(first), call);
        let later = ended || self.order.surely(enqueued, call);
        (one && later).then_some(ended)
    }

    /// The rules that are broken where by their times one command did not end before another started.
    pub fn by_times(&self, first: CommandId, second: CommandId) -> Vec<RuleId> {
        let (end, start) = (Moment::End(first), Moment::Start(second));
        let mut rules = self.order.rules_between(end, start);
        rules.push(rule::STATE_PROFILING);
        rules
    }

    /// The last call of each thread before which a command cannot start.
    pub fn held_by(&self, command: CommandId) -> Vec<Place> {
        let mut last: BTreeMap<Who, Place> = BTreeMap::new();
        for (place, _) in self.program.steps() {
            if self
                .order
                .surely(Moment::Call(place), Moment::Start(command))
            {
                last.insert(place.who, place);
            }
        }
        // The enqueue itself, and what came before it, held nothing.
        let enqueue = self.order.enqueued(command);
        let others = last.into_values();
        others.filter(|place| *place != enqueue).collect()
    }

    /// The rules that are broken where by its times a command started much sooner than what held it back let it.
    pub fn by_held_time(&self, command: CommandId) -> Vec<RuleId> {
        let calls = self.held_by(command).into_iter();
        let held = calls.flat_map(|place| {
            let (call, start) = (Moment::Call(place), Moment::Start(command));
            self.order.rules_between(call, start)
        });
        of_times(held)
    }

    /// The rules that are broken where by its times the second of two commands was queued before the host, that
    /// enqueued it later, had enqueued the first, or knew that it had `ended`.
    pub fn by_host_time(&self, first: CommandId, second: CommandId, ended: bool) -> Vec<RuleId> {
        let call = Moment::Call(self.order.enqueued(second));
        let known = ended.then(|| self.order.rules_between(Moment::End(first), call));
        of_times(known.into_iter().flatten())
    }

    fn ends_before(&self, first: CommandId, second: CommandId) -> bool {
        first != second
            && self.program.device_of(first) == self.program.device_of(second)
            && self.order.surely(Moment::End(first), Moment::Start(second))
    }
}

/// Times that are no command's come first; then the rules that gave what they contradict, each once.
fn of_times(others: impl Iterator<Item = RuleId>) -> Vec<RuleId> {
    let mut rules = vec![rule::STATE_PROFILING];
    for other in others {
        if !rules.contains(&other) {
            rules.push(other);
        }
    }
    rules
}

/// What is wrong where by its times the second was queued before the first was.
pub fn too_early(first: CommandId, second: CommandId, ended: bool) -> String {
    let what = if ended { "had ended" } else { "was enqueued" };
    format!(
        "by its times command {second} was queued before command {first} {what}, after which it was enqueued"
    )
}

/// What is wrong where by its times the second, which waits for the first, started before that ended.
pub fn started_early(first: CommandId, second: CommandId) -> String {
    format!(
        "by its times command {second} started before command {first}, for which it waits, ended"
    )
}

impl Found<'_> {
    /// What waits for another, by whatever rule, starts when that has ended: "a prior command on the queue completes
    /// before the following command begins" (Execution Model).
    fn times_in_order(&mut self) {
        for (first, a) in &self.trace.times {
            for (second, b) in &self.trace.times {
                if a.end > b.start && self.plan.ends_before(*first, *second) {
                    self.breaks_order(*first, *second, started_early(*first, *second));
                }
            }
        }
    }

    /// A command that the host held back for a while was queued at least that long before it started;
    /// half of it is enough here, for clocks differ, and a step of the device's timer less.
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
        let between = between.saturating_add(self.trace.resolution);
        if longest >= HELD_LONG && between < longest / 2 {
            let what = format!(
                "by its times command {command} started much sooner after it was queued than the host let it"
            );
            let rules = self.plan.by_held_time(command);
            self.add(rules, rule::STATE_PROFILING, what);
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
            let what =
                format!("by its times command {command} was queued long before it was enqueued");
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
                // What has times before it could start may have been started too early.
                let start = event.command().map(Moment::Start);
                let held =
                    start.map(|start| plan.order.rules_between(Moment::Return(place), start));
                let rules = of_times(held.into_iter().flatten());
                self.add(rules, rule::STATE_PROFILING, what);
            }
        }
        for (command, last) in &self.trace.last {
            if *last == status::COMPLETE
                && !self.trace.times.contains_key(command)
                && !self.after_failure()
            {
                let what = format!("command {command} is complete and has no times");
                self.breaks(rule::STATE_PROFILING, what);
            }
        }
    }

    /// What the host does later has later times: what it enqueues after another was enqueued is queued
    /// later, and what it enqueues when it knows that another has ended.
    fn times_of_the_host(&mut self) {
        let (plan, trace) = (self.plan, self.trace);
        for (first, a) in &trace.times {
            // Of most pairs there is nothing to ask.
            let odd = trace.times.iter();
            let odd = odd.filter(|(_, b)| a.end.max(a.queued) > b.queued);
            for (second, b) in odd {
                let Some(ended) = plan.knows_of(*first, *second) else {
                    continue;
                };
                let knew = if ended { a.end } else { a.queued };
                if knew > b.queued {
                    let what = too_early(*first, *second, ended);
                    let rules = plan.by_host_time(*first, *second, ended);
                    self.add(rules, rule::STATE_PROFILING, what);
                }
            }
        }
    }

    pub(super) fn times(&mut self) {
        self.times_there();
        self.times_of_the_host();
        self.times_in_order();
        for (command, t) in &self.trace.times {
            let complete = t.complete.unwrap_or(u64::MAX);
            let all = [t.queued, t.submit, t.start, t.end, complete];
            for (names, times) in STATES.windows(2).zip(all.windows(2)) {
                if times[0] > times[1] {
                    let (early, late) = (names[0], names[1]);
                    let what =
                        format!("by its times command {command} was {early} after it was {late}");
                    self.breaks(rule::STATE_PROFILING, what);
                }
            }
            self.held_time(*command, t.start.saturating_sub(t.queued));
            self.whole_time(*command, t.end.saturating_sub(t.queued));
        }
        for (first, second) in self.plan.waits_for() {
            let times = [first, second].map(|id| self.trace.times.get(&id));
            if let [Some(before), Some(after)] = times
                && before.end > after.start
            {
                self.breaks_order(first, second, started_early(first, second));
            }
        }
        for command in &self.trace.elsewhere {
            let what =
                format!("command {command} mapped the application's own memory to another address");
            self.breaks(rule::RG_HOST_PTR, what);
        }
    }
}
