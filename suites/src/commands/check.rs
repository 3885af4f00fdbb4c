//! Holds what a run observed against what the rules require.

use super::memory::{self, Cell, Memory, Read, Value};
use super::order::{Fate, Moment, Order};
use super::program::{
    ANY_CELL, AccessId, CallbackId, CommandId, Event, HostPointer, Kind, MapMode, ObjectId,
    Program, Reached, Step, Token, What, Writer,
};
use super::trace::{Seen, Trace, status};
use crate::rule::{self, RuleId};
use std::collections::BTreeSet;
use std::fmt;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The rules of which one is broken, the likeliest first; never empty.
    pub rules: Vec<RuleId>,
    /// What was seen and what had to be, the same words in every run that sees the same.
    pub what: String,
}

impl Violation {
    /// With all its rules.
    pub fn whole(&self) -> String {
        let rules: Vec<&str> = self.rules.iter().map(|rule| rule.as_str()).collect();
        format!("{}: {}", rules.join("|"), self.what)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The others say the same in other words, or are less likely.
        for (n, rule) in self.rules.iter().take(4).enumerate() {
            write!(f, "{}{rule}", if n == 0 { "" } else { "|" })?;
        }
        write!(f, ": {}", self.what)
    }
}

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

    /// Every rule that a trace breaks, each violation once, and what it shows of rules that allow
    /// several ways.
    pub fn check(&self, trace: &Trace) -> Vec<Violation> {
        let mut found = Found {
            plan: self,
            trace,
            violations: BTreeSet::new(),
        };
        found.codes();
        found.stamps();
        found.statuses();
        found.data();
        found.callbacks();
        found.times();
        found.violations.into_iter().collect()
    }

    /// The rules that a run of the program puts to the test: those whose breach could change what is
    /// observed.
    pub fn covers(&self) -> BTreeSet<RuleId> {
        let mut rules = BTreeSet::new();
        let mut between = |from, to| rules.extend(self.order.rules_between(from, to));
        for (read, cells) in self.memory.reads() {
            let Some((from, to)) = memory::moments(&self.program, *read) else {
                continue;
            };
            for (cell, _) in cells {
                for write in self.memory.writes(*cell) {
                    between(write.to, from);
                    between(to, write.from);
                }
            }
        }
        for (read, cells) in self.memory.reads() {
            match read {
                Read::Kernel { command, .. } | Read::Command(command) => {
                    rules.extend(carried_by(&self.program, *command));
                }
                Read::Access(access) => rules.extend(by_host(&self.program, *access)),
            }
            for (cell, value) in cells {
                let writes = self.memory.writes(*cell);
                for write in writes.iter().filter(|w| w.value == *value) {
                    match write.writer {
                        Writer::Command(id) => rules.extend(carried_by(&self.program, id)),
                        Writer::Access(id) => rules.extend(by_host(&self.program, id)),
                        Writer::Creation(_) => {}
                    }
                }
            }
        }
        for (place, step) in self.program.steps() {
            match step {
                Step::Wait(_) | Step::Finish(_) => {
                    let incoming = |edge: &super::order::Edge| edge.to == Moment::Return(place);
                    rules.extend(
                        self.order
                            .edges()
                            .filter(incoming)
                            .filter_map(|e| e.why.rule()),
                    );
                }
                Step::Status(_) => {
                    rules.insert(rule::STATE_QUERY);
                }
                Step::Register(_) => {
                    rules.insert(rule::STATE_CALLBACKS);
                }
                Step::Set { status, .. } if *status < 0 => {
                    rules.insert(rule::FAIL_USER_EVENT);
                    rules.insert(rule::FAIL_PROPAGATE);
                    rules.insert(rule::FAIL_NEGATIVE);
                }
                Step::Flush(_) => {
                    rules.insert(rule::STATE_FLUSH);
                }
                Step::ReleaseQueue(_) | Step::ReleaseEvent(_) => {
                    rules.insert(rule::QUEUE_RELEASE);
                }
                Step::Enqueue(_)
                | Step::Set { .. }
                | Step::Access(_)
                | Step::Inspect(_)
                | Step::Signal(_)
                | Step::Await(_)
                | Step::Sleep(_)
                | Step::Yield(_)
                | Step::ReleaseObject(_) => {}
            }
        }
        rules.insert(rule::STATE_PROFILING);
        rules.insert(rule::API_VALID);
        rules.extend(self.covers_of_queues());
        rules
    }
}

impl Plan {
    /// What the commands' places say, whatever their data.
    fn covers_of_queues(&self) -> BTreeSet<RuleId> {
        let (program, order) = (&self.program, &self.order);
        let mut rules = BTreeSet::new();
        let enqueuing: BTreeSet<_> = (0..program.commands.len())
            .map(|n| order.enqueued(CommandId::at(n)).who)
            .collect();
        if enqueuing.len() > 1 {
            rules.insert(rule::QUEUE_THREADS);
        }
        let sets = program
            .steps()
            .filter(|(_, s)| matches!(s, Step::Set { .. }));
        for (set, _) in sets {
            let set = Moment::Call(set);
            for (n, held) in program.commands.iter().enumerate() {
                let id = CommandId::at(n);
                let enqueued = Moment::Return(order.enqueued(id));
                if !order.before(set, Moment::Start(id)) {
                    continue;
                }
                if !held.blocking && order.before(enqueued, set) {
                    rules.insert(rule::QUEUE_NON_BLOCKING);
                }
                let passes = program.commands.iter().enumerate().any(|(m, other)| {
                    let other_id = CommandId::at(m);
                    other.queue != held.queue
                        && order.before(enqueued, Moment::Call(order.enqueued(other_id)))
                        && order.before(Moment::End(other_id), set)
                });
                if passes {
                    rules.insert(rule::QUEUE_INDEPENDENT);
                }
            }
        }
        let asked: Vec<_> = program
            .steps()
            .filter_map(|(place, step)| match step {
                Step::Status(event) => Some((place, *event)),
                _ => None,
            })
            .collect();
        let twice = asked.iter().any(|(place, event)| {
            asked.iter().any(|(later, of)| {
                event == of && order.before(Moment::Return(*place), Moment::Call(*later))
            })
        });
        if twice {
            rules.insert(rule::STATE_ORDER);
        }
        let reads: Vec<(Read, &Vec<(Cell, Value)>)> =
            self.memory.reads().iter().map(|(r, c)| (*r, c)).collect();
        for (n, (read, cells)) in reads.iter().enumerate() {
            let written_by_kernel = cells.iter().any(|(cell, value)| {
                let writes = self.memory.writes(*cell).iter();
                writes
                    .filter(|w| w.value == *value)
                    .any(|w| match w.writer {
                        Writer::Command(c) => {
                            matches!(program.commands[c.index()].what, What::Kernel(_))
                        }
                        Writer::Access(_) | Writer::Creation(_) => false,
                    })
            });
            if written_by_kernel {
                rules.insert(rule::ENDED_VISIBLE);
            }
            let Some((from, to)) = memory::moments(program, *read) else {
                continue;
            };
            let together = reads[n + 1..].iter().any(|(other, theirs)| {
                memory::moments(program, *other).is_some_and(|(start, end)| {
                    !order.before(to, start)
                        && !order.before(end, from)
                        && cells
                            .iter()
                            .any(|(c, _)| theirs.iter().any(|(t, _)| t == c))
                })
            });
            if together {
                rules.insert(rule::SP_CONCURRENT_READS);
            }
        }
        for (n, object) in program.objects.iter().enumerate() {
            let devices: BTreeSet<u8> = program
                .commands
                .iter()
                .filter(|c| super::order::names(program, &c.what, ObjectId::at(n)))
                .map(|c| program.queues[c.queue.index()].device)
                .collect();
            if object.kind == Kind::SvmCoarse && devices.len() > 1 {
                rules.insert(rule::SV_COARSE_DEVICES);
            }
        }
        rules
    }
}

struct Found<'p> {
    plan: &'p Plan,
    trace: &'p Trace,
    violations: BTreeSet<Violation>,
}

impl Found<'_> {
    fn add(&mut self, mut rules: Vec<RuleId>, or: RuleId, what: String) {
        if rules.is_empty() {
            rules.push(or);
        }
        self.violations.insert(Violation { rules, what });
    }

    /// After something failed, the specification leaves what else its context does open.
    fn after_failure(&self) -> bool {
        self.plan.order.has_failures()
    }

    fn codes(&mut self) {
        let order = &self.plan.order;
        let steps: Vec<_> = self.plan.program.steps().collect();
        for (place, step) in steps {
            let Some(&code) = self.trace.codes.get(&place) else {
                continue;
            };
            if let Step::Wait(events) = step {
                let fates: Vec<Fate> = events.iter().map(|e| order.fate_of_event(*e)).collect();
                if fates.contains(&Fate::Fails) {
                    if code != status::ERROR_IN_WAIT_LIST {
                        let what = format!(
                            "{place}, clWaitForEvents on an event that fails, returned {code}, not {}",
                            status::ERROR_IN_WAIT_LIST
                        );
                        self.add(vec![rule::FAIL_NEGATIVE], rule::FAIL_NEGATIVE, what);
                    }
                    continue;
                }
                if fates.contains(&Fate::Open) {
                    continue;
                }
            }
            if code != 0 && !self.after_failure() {
                let what = format!("{place}, {}, returned {code}", call(step));
                let mut rules = vec![rule::API_VALID];
                if let Step::Wait(_) = step {
                    rules.extend(self.lost());
                }
                self.add(rules, rule::API_VALID, what);
            }
        }
    }

    /// What happens before something came before it.
    fn stamps(&mut self) {
        let mut stamps: Vec<(Moment, u64)> =
            self.trace.stamps.iter().map(|(m, s)| (*m, *s)).collect();
        stamps.sort_by_key(|(_, stamp)| *stamp);
        for (n, (early, _)) in stamps.iter().enumerate() {
            for (late, _) in &stamps[n + 1..] {
                if self.plan.order.surely(*late, *early) {
                    let rules = self.plan.order.rules_between(*late, *early);
                    let what = format!("{early} came before {late}");
                    self.add(rules, rule::NOT_BEFORE_READY, what);
                }
            }
        }
    }

    fn statuses(&mut self) {
        let steps: Vec<_> = self.plan.program.steps().collect();
        let order = &self.plan.order;
        let mut asked: Vec<(Event, super::program::Place, i32)> = Vec::new();
        for (place, step) in steps {
            let (Step::Status(event), Some(&told)) = (step, self.trace.statuses.get(&place)) else {
                continue;
            };
            let name = name(*event);
            let fate = order.fate_of_event(*event);
            let done = order.completion(*event);
            if let Event::User(user) = event
                && let Some((set, wanted)) = order.set(*user)
                && order.surely(Moment::Call(set), Moment::Call(place))
                && told != wanted
            {
                let what =
                    format!("at {place} the status of {name} was {told}, and {wanted} was set");
                self.add(vec![rule::FAIL_NEGATIVE], rule::FAIL_NEGATIVE, what);
            }
            if done.is_some_and(|done| order.surely(done, Moment::Call(place))) {
                let right = match fate {
                    Fate::Completes => told == status::COMPLETE || told < 0 && self.after_failure(),
                    Fate::Fails => told < 0,
                    Fate::Open => told <= status::COMPLETE,
                };
                if !right {
                    let what = format!("at {place} the status of {name} was {told}, after its end");
                    let rules = done
                        .map(|done| order.rules_between(done, Moment::Call(place)))
                        .unwrap_or_default();
                    self.add(rules, rule::STATE_QUERY, what);
                }
            }
            let held = match event {
                Event::Command(c) => order.surely(Moment::Return(place), Moment::Start(*c)),
                Event::User(u) => order
                    .set(*u)
                    .is_some_and(|(set, _)| order.surely(Moment::Return(place), Moment::Call(set))),
            };
            if held && told < status::SUBMITTED {
                let what = format!(
                    "at {place} the status of {name} was {told}, before its prerequisites were complete"
                );
                let rules = match event {
                    Event::Command(c) => {
                        order.rules_between(Moment::Return(place), Moment::Start(*c))
                    }
                    Event::User(_) => Vec::new(),
                };
                self.add(rules, rule::NOT_BEFORE_READY, what);
            }
            asked.push((*event, place, told));
        }
        for (n, (event, place, told)) in asked.iter().enumerate() {
            for (other, later, then) in &asked[n + 1..] {
                let ordered = order.surely(Moment::Return(*place), Moment::Call(*later));
                if event == other && ordered && then > told {
                    let what = format!(
                        "the status of {} went back from {told} at {place} to {then} at {later}",
                        name(*event)
                    );
                    self.add(vec![rule::STATE_QUERY], rule::STATE_QUERY, what);
                }
            }
        }
        for (command, last) in &self.trace.last {
            let (right, rule) = match order.fate(*command) {
                Fate::Completes => (*last == status::COMPLETE, rule::STATE_QUERY),
                Fate::Fails => (*last < 0, rule::FAIL_NEGATIVE),
                Fate::Open => (true, rule::STATE_QUERY),
            };
            let excused = order.fate(*command) == Fate::Completes && self.after_failure();
            if !right && !excused {
                let what = format!(
                    "when all was finished the status of command {} was {last}",
                    command.0
                );
                let mut rules = vec![rule];
                if order.fate(*command) == Fate::Fails {
                    rules.extend([rule::FAIL_PROPAGATE, rule::FAIL_USER_EVENT]);
                } else {
                    rules.extend(self.lost());
                }
                self.add(rules, rule, what);
            }
        }
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

    fn data(&mut self) {
        let reads = self.plan.memory.reads().clone();
        for (read, cells) in reads {
            let Some(seen) = self.trace.reads.get(&read) else {
                continue;
            };
            for ((cell, value), seen) in cells.iter().zip(seen) {
                self.cell(read, *cell, *value, *seen);
            }
        }
    }

    fn cell(&mut self, read: Read, cell: Cell, value: Value, seen: Seen) {
        let run = self.trace.run;
        let plan = self.plan;
        if self.after_failure() {
            // Whatever else the context does: who fails has not run.
            let words = match seen {
                Seen::Whole(word) => vec![word],
                Seen::Mixed(one, other) => vec![one, other],
            };
            for word in words {
                if let Some((writer @ Writer::Command(command), _)) = token(run, word)
                    && plan.order.fate(command) == Fate::Fails
                {
                    let what = format!("{writer} ran, although an event in its wait list failed");
                    self.add(vec![rule::FAIL_PROPAGATE], rule::FAIL_PROPAGATE, what);
                }
            }
            return;
        }
        let Value::Of(writer, from) = value else {
            return;
        };
        let wanted = Token::of(run, writer, from);
        if seen == Seen::Whole(wanted.0) {
            return;
        }
        let Some((start, end)) = memory::moments(&plan.program, read) else {
            return;
        };
        // The last write that the read must see, and the writes that it must not see yet.
        let writes = plan.memory.writes(cell);
        let last = writes
            .iter()
            .rev()
            .find(|write| plan.order.before(write.to, start));
        let shown = |word: u32| match token(run, word) {
            Some((writer, ANY_CELL)) => format!("{writer}"),
            Some((writer, of)) if of == cell.1 => format!("{writer}"),
            Some((writer, of)) => format!("cell {of} of {writer}"),
            None => "no token of this run".into(),
        };
        let what_seen = match seen {
            Seen::Whole(word) => shown(word),
            Seen::Mixed(one, other) => format!("{} and {}", shown(one), shown(other)),
        };
        let (Seen::Whole(word) | Seen::Mixed(_, word)) = seen;
        let future = token(run, word).and_then(|(writer, of)| {
            let write = writes.iter().find(|w| w.value == Value::Of(writer, of))?;
            plan.order.before(end, write.from).then_some(*write)
        });
        let untouched = matches!(seen, Seen::Whole(0) | Seen::Mixed(0, _) | Seen::Mixed(_, 0));
        let rules = match (future, last) {
            // The host looked at what the command had not brought yet.
            _ if untouched => self.brought(read),
            (Some(write), _) => plan.order.rules_between(end, write.from),
            (None, Some(write)) => plan.order.rules_between(write.to, start),
            (None, None) => Vec::new(),
        };
        let what = format!(
            "{} saw in cell {} of object {} {what_seen}, not {}",
            reader(read),
            cell.1,
            cell.0.0,
            shown(wanted.0),
        );
        // Where the cell itself is another's, or its words are not one writer's, no order explains it.
        let elsewhere = match token(run, word) {
            Some((_, of)) => of != ANY_CELL && of != from,
            None => !untouched,
        };
        let invalidated = self.plan.program.commands.iter().any(|c| match &c.what {
            What::Map {
                range,
                mode: MapMode::Invalidate,
            } => self.plan.program.root(range.object).0 == cell.0,
            _ => false,
        });
        let rules = if elsewhere && invalidated {
            [rules, vec![rule::SP_MAP_INVALIDATE]].concat()
        } else {
            rules
        };
        let means = self.means(read, last.map(|write| write.writer));
        let mut all = if elsewhere || matches!(seen, Seen::Mixed(..)) {
            [means, rules].concat()
        } else {
            [rules, means].concat()
        };
        let mut seen_before = BTreeSet::new();
        all.retain(|rule| seen_before.insert(*rule));
        self.add(all, rule::RG_TRANSFER, what);
    }

    /// The rules by which the data itself came: those of the commands and the memory of a read and of
    /// the write that it must see.
    fn means(&self, read: Read, last: Option<Writer>) -> Vec<RuleId> {
        let program = &self.plan.program;
        let mut rules = Vec::new();
        match read {
            Read::Kernel { command, .. } | Read::Command(command) => {
                rules.extend(carried_by(program, command));
            }
            Read::Access(access) => rules.extend(by_host(program, access)),
        }
        match last {
            Some(Writer::Command(command)) => rules.extend(carried_by(program, command)),
            Some(Writer::Access(access)) => rules.extend(by_host(program, access)),
            Some(Writer::Creation(_)) | None => {}
        }
        rules
    }

    /// The rules by which a read is done when the host looks at what it brought.
    fn brought(&self, read: Read) -> Vec<RuleId> {
        let order = &self.plan.order;
        match read {
            Read::Kernel { .. } => {
                let mut rules = vec![rule::KI_COMPLETION];
                rules.extend(self.lost());
                rules
            }
            Read::Command(id) => {
                let look = self
                    .plan
                    .program
                    .steps()
                    .find(|(_, s)| **s == Step::Inspect(id));
                look.map(|(place, _)| order.rules_between(Moment::End(id), Moment::Call(place)))
                    .unwrap_or_default()
            }
            Read::Access(_) => Vec::new(),
        }
    }

    fn callbacks(&mut self) {
        let order = &self.plan.order;
        for (n, callback) in self.plan.program.callbacks.iter().enumerate() {
            let id = CallbackId::at(n);
            let fired: Vec<_> = self
                .trace
                .fired
                .iter()
                .filter(|f| f.callback == id)
                .collect();
            let fate = order.fate_of_event(callback.event);
            let must = match (fate, callback.at) {
                (_, Reached::Complete) => order.completion(callback.event).is_some(),
                (Fate::Completes, Reached::Submitted | Reached::Running) => {
                    // A user event is never running, and what is set is past all states.
                    order.completion(callback.event).is_some()
                }
                (Fate::Fails | Fate::Open, Reached::Submitted | Reached::Running) => false,
            };
            let registered = self.trace.codes.get(&order.registered(id)) == Some(&0);
            let excused = fate != Fate::Fails && self.after_failure() || !registered;
            let wanted = match callback.at {
                Reached::Submitted => status::SUBMITTED,
                Reached::Running => status::RUNNING,
                Reached::Complete => status::COMPLETE,
            };
            let mut wrong = Vec::new();
            if must && fired.is_empty() && !excused {
                wrong.push(format!("callback {n} was never called"));
            }
            if fired.len() > 1 {
                wrong.push(format!("callback {n} was called {} times", fired.len()));
            }
            for f in &fired {
                if !f.right_event {
                    wrong.push(format!("callback {n} was given another event"));
                }
                let right = match fate {
                    Fate::Completes => f.status == wanted || f.status < 0 && excused,
                    Fate::Fails => f.status < 0 || callback.at != Reached::Complete,
                    Fate::Open => true,
                };
                if !right {
                    wrong.push(format!("callback {n} was told status {}", f.status));
                }
            }
            for what in wrong {
                self.add(vec![rule::STATE_CALLBACKS], rule::STATE_CALLBACKS, what);
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
                matches!(moment, Moment::Call(_)) && order.before(**moment, Moment::Start(command))
            })
            .map(|(_, time)| time.saturating_sub(since))
            .max()
            .unwrap_or_default();
        if longest >= HELD_LONG && between < longest / 2 {
            let what = format!(
                "by its times command {} started much sooner after it was queued than the host let it",
                command.0
            );
            self.add(vec![rule::STATE_PROFILING], rule::STATE_PROFILING, what);
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
            self.add(vec![rule::STATE_PROFILING], rule::STATE_PROFILING, what);
        }
    }

    fn times(&mut self) {
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
                    self.add(vec![rule::STATE_PROFILING], rule::STATE_PROFILING, what);
                }
            }
            self.held_time(*command, t.start.saturating_sub(t.queued));
            self.whole_time(*command, t.end.saturating_sub(t.queued));
            let spec = &program.commands[command.index()];
            for event in &spec.wait {
                let Event::Command(first) = event else {
                    continue;
                };
                let device =
                    |c: CommandId| program.queues[program.commands[c.index()].queue.index()].device;
                let Some(before) = self.trace.times.get(first) else {
                    continue;
                };
                if device(*first) == device(*command) && before.end > t.start {
                    let what = format!(
                        "by its times command {} started before command {}, for which it waits, ended",
                        command.0, first.0
                    );
                    let mut rules = self
                        .plan
                        .order
                        .rules_between(Moment::End(*first), Moment::Start(*command));
                    rules.push(rule::STATE_PROFILING);
                    self.add(rules, rule::STATE_PROFILING, what);
                }
            }
        }
        for command in &self.trace.elsewhere {
            let what = format!(
                "command {} mapped the application's own memory to another address",
                command.0
            );
            self.add(vec![rule::RG_HOST_PTR], rule::RG_HOST_PTR, what);
        }
    }
}

/// The rules by which a command carries data.
fn carried_by(program: &Program, command: CommandId) -> Vec<RuleId> {
    let mut rules = Vec::new();
    let mut object = |id: ObjectId, transfer: bool| {
        let kind = program.objects[id.index()].kind;
        rules.extend(of_kind(kind));
        if transfer {
            rules.push(if kind.is_svm() {
                rule::SV_API
            } else {
                rule::RG_TRANSFER
            });
        }
    };
    match &program.commands[command.index()].what {
        What::Kernel(kernel) | What::Native(kernel) => {
            for range in kernel.reads.iter().chain(&kernel.writes) {
                object(range.object, false);
            }
            if kernel.reuse {
                rules.push(rule::ARGS_CAPTURED);
            }
            rules.push(rule::KI_COMPLETION);
        }
        What::Read(transfer) | What::Write(transfer) => object(transfer.range.object, true),
        What::Copy { from, to, .. } => {
            object(from.object, true);
            object(to.object, true);
        }
        What::Fill(range) => object(range.object, true),
        What::Map { .. } | What::Unmap(_) => rules.push(rule::SP_MAP_UNMAP),
        What::Migrate { objects, .. } | What::Free(objects) => {
            objects.iter().for_each(|o| object(*o, true));
        }
        What::Marker | What::Barrier => {}
    }
    rules
}

/// The rules by which a host thread and the device share data.
fn by_host(program: &Program, access: AccessId) -> Vec<RuleId> {
    let access = &program.accesses[access.index()];
    let kind = program.objects[access.range.object.index()].kind;
    let mut rules = Vec::new();
    if let Some(map) = access.map {
        rules.push(rule::SP_MAP_UNMAP);
        if let What::Map {
            mode: MapMode::Invalidate,
            ..
        } = program.commands[map.index()].what
        {
            rules.push(rule::SP_MAP_INVALIDATE);
        }
    }
    rules.extend(of_kind(kind));
    rules
}

/// The rules of a kind of memory.
fn of_kind(kind: Kind) -> Option<RuleId> {
    match kind {
        Kind::Buffer(HostPointer::Copy) => None,
        Kind::Buffer(HostPointer::Use | HostPointer::Alloc | HostPointer::UseSvm) => {
            Some(rule::RG_HOST_PTR)
        }
        Kind::SubBuffer { .. } => Some(rule::RG_SUB_BUFFER),
        Kind::SvmCoarse => Some(rule::SV_COARSE_MAP),
        Kind::SvmFine => Some(rule::SV_FINE_SYNC_POINT),
        Kind::SvmSystem => Some(rule::SV_SYSTEM_ANY),
        Kind::Variable => Some(rule::RG_PROGRAM_SCOPE),
    }
}

/// Nanoseconds that clocks may differ beside.
const SLACK: u64 = 50_000_000;

/// Nanoseconds by which the coarsest timer of a device can be told from none.
const HELD_LONG: u64 = 200_000;

/// The writer and the cell of a token of this run.
fn token(run: u32, word: u32) -> Option<(Writer, u8)> {
    match Token(word).read() {
        Some((of, writer, cell)) if of == run & 0x7ff => Some((writer, cell)),
        Some(_) | None => None,
    }
}

fn name(event: Event) -> String {
    match event {
        Event::Command(c) => format!("command {}", c.0),
        Event::User(u) => format!("user event {}", u.0),
    }
}

fn reader(read: Read) -> String {
    match read {
        Read::Kernel { command, .. } | Read::Command(command) => format!("command {}", command.0),
        Read::Access(access) => format!("host access {}", access.0),
    }
}

/// What a step calls.
fn call(step: &Step) -> &'static str {
    match step {
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
        | Step::Yield(_) => "no call",
    }
}
