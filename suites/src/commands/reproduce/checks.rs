//! What had to be, drawn from [`Plan::check`]: it is asked about each answer that tells something, one
//! at a time, and its violations become the tables of the C program.

use super::text::{self, Text, quoted};
use super::{has_code, step_name};
use crate::commands::check::Plan;
use crate::commands::memory::{Read, Value};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::*;
use crate::commands::trace::{Fired, Seen, Times, Trace, status};
use crate::rule::{self, RuleId};
use classay_vocabulary::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// A negative number that nothing sets.
const ODD: i32 = -9999;
/// A word that is no token of run 0.
fn no_token() -> u32 {
    Token::of(5, Writer::Creation(ObjectId(0)), 0).0
}

/// Writes the function `check`; gives the rules that it names.
pub fn write(plan: &Plan, c: &mut Text) -> BTreeSet<RuleId> {
    let mut checks = Checks {
        plan,
        c,
        rules: BTreeSet::new(),
    };
    checks.c.line("/* ---- what must be, after each run -------------------------------------------------------------- */");
    checks.c.line("");
    checks.c.line("static void check(void)");
    checks.c.line("{");
    checks.codes();
    checks.stamps();
    checks.statuses();
    checks.data();
    checks.callbacks();
    checks.times();
    checks.c.line("}");
    checks.c.line("");
    checks.rules
}

struct Checks<'p> {
    plan: &'p Plan,
    c: &'p mut Text,
    rules: BTreeSet<RuleId>,
}

impl Checks<'_> {
    fn line(&mut self, line: &str) {
        self.c.line(line);
    }

    /// The rules as a C string.
    fn named(&mut self, rules: &[RuleId]) -> String {
        self.rules.extend(rules.iter().take(4));
        let names: Vec<&str> = rules.iter().take(4).map(|r| r.as_str()).collect();
        quoted(&names.join("|"))
    }

    /// Of these answers those that are right, and the rules that the first wrong one breaks; `None`
    /// where none is wrong.
    fn right(
        &mut self,
        answers: &[i32],
        trace: &dyn Fn(i32) -> Trace,
    ) -> Option<(Vec<i32>, Vec<RuleId>)> {
        let (mut right, mut wrong): (Vec<i32>, Option<Violation>) = (Vec::new(), None);
        for answer in answers {
            match self.plan.check(&trace(*answer)).into_iter().next() {
                None => right.push(*answer),
                Some(violation) => wrong = wrong.or(Some(violation)),
            }
        }
        wrong.map(|wrong| (right, wrong.rules))
    }

    fn expect_answer(&mut self, what: &str, answer: &str, right: &[i32], rules: &[RuleId]) {
        let rules = self.named(rules);
        let values: Vec<String> = right
            .iter()
            .map(|v| match *v {
                ODD => "NEGATIVE".to_string(),
                v => v.to_string(),
            })
            .collect();
        let (count, list) = match values.len() {
            0 => (0, "NULL".to_string()),
            n => (n, format!("(const int[]){{ {} }}", values.join(", "))),
        };
        self.line(&format!(
            "        expect_answer({rules}, {}, {answer}, {count}, {list});",
            quoted(what)
        ));
    }

    fn codes(&mut self) {
        self.line("    /* What calls returned. */");
        for (place, step) in self.plan.program.steps() {
            if !has_code(step) {
                continue;
            }
            // A callback that is registered is called, or that would be told instead.
            let fired: Vec<Fired> = match step {
                Step::Register(id) => vec![self.as_required(*id)],
                _ => Vec::new(),
            };
            let trace = |code| Trace {
                codes: [(place, code)].into(),
                fired: fired.clone(),
                ..Trace::default()
            };
            if let Some((right, rules)) = self.right(&[0, -14, ODD], &trace) {
                let name = step_name(place);
                self.line(&format!("    if (w.code[{name}] != NOT_ASKED)"));
                let what = format!("what {place} ({}) returned", text::step(step));
                self.expect_answer(&what, &format!("w.code[{name}]"), &right, &rules);
            }
        }
    }

    /// A callback as it must be called.
    fn as_required(&self, id: CallbackId) -> Fired {
        let callback = &self.plan.program.callbacks[id.index()];
        let status = match (self.plan.order.fate_of_event(callback.event), callback.at) {
            (Fate::Fails, _) => status::ERROR_IN_WAIT_LIST,
            (Fate::Completes | Fate::Open, Reached::Submitted) => status::SUBMITTED,
            (Fate::Completes | Fate::Open, Reached::Running) => status::RUNNING,
            (Fate::Completes | Fate::Open, Reached::Complete) => status::COMPLETE,
        };
        Fired {
            callback: id,
            status,
            right_event: true,
        }
    }

    /// Of all pairs those that do not follow from others within one thread.
    fn stamps(&mut self) {
        let p = &self.plan.program;
        let mut sequences: Vec<Vec<Moment>> = Vec::new();
        let steps = |who: Who, n: usize| -> Vec<Moment> {
            let place = |step: usize| Place {
                who,
                step: step as u16,
            };
            (0..n)
                .flat_map(|s| [Moment::Call(place(s)), Moment::Return(place(s))])
                .collect()
        };
        for (n, thread) in p.threads.iter().enumerate() {
            sequences.push(steps(Who::Thread(n as u16), thread.len()));
        }
        for (n, callback) in p.callbacks.iter().enumerate() {
            let id = CallbackId::at(n);
            let mut all = vec![Moment::Run(id)];
            all.extend(steps(Who::Callback(id), callback.steps.len()));
            sequences.push(all);
        }
        self.line("");
        self.line("    /* What happens before something came before it. */");
        for (n, one) in sequences.iter().enumerate() {
            for (m, other) in sequences.iter().enumerate() {
                if n == m {
                    continue;
                }
                let mut next = other.len();
                let mut pairs = Vec::new();
                for early in one.iter().rev() {
                    let first = other
                        .iter()
                        .position(|late| self.plan.order.surely(*early, *late))
                        .filter(|first| *first < next);
                    if let Some(first) = first {
                        next = first;
                        pairs.push((*early, other[first]));
                    }
                }
                for (early, late) in pairs {
                    let trace = Trace {
                        stamps: [(early, 2), (late, 1)].into(),
                        ..Trace::default()
                    };
                    let Some(wrong) = self.plan.check(&trace).into_iter().next() else {
                        continue;
                    };
                    let rules = self.named(&wrong.rules);
                    let line = format!(
                        "    expect_before({rules}, {}, {}, {}, {});",
                        stamp(early),
                        quoted(&early.to_string()),
                        stamp(late),
                        quoted(&late.to_string())
                    );
                    self.line(&line);
                }
            }
        }
    }

    fn statuses(&mut self) {
        let p = &self.plan.program;
        self.line("");
        self.line("    /* What events said of their commands. */");
        let mut asked: Vec<(Event, Place)> = Vec::new();
        for (place, step) in p.steps() {
            let Step::Status(event) = step else { continue };
            asked.push((*event, place));
            let mut answers = vec![0, 1, 2, 3, -14, ODD];
            if let Event::User(user) = event
                && let Some((_, set)) = self.plan.order.set(*user)
                && !answers.contains(&set)
            {
                answers.push(set);
            }
            let trace = |told| Trace {
                statuses: [(place, told)].into(),
                ..Trace::default()
            };
            if let Some((right, rules)) = self.right(&answers, &trace) {
                let name = step_name(place);
                self.line(&format!("    if (w.status[{name}] != NOT_ASKED)"));
                let what = format!("at {place} the status of {}", text::event(*event));
                self.expect_answer(&what, &format!("w.status[{name}]"), &right, &rules);
            }
        }
        for (n, (event, place)) in asked.iter().enumerate() {
            for (other, later) in &asked[n + 1..] {
                let trace = Trace {
                    statuses: [(*place, 1), (*later, 3)].into(),
                    ..Trace::default()
                };
                let back = |v: &Violation| v.what.contains("went back");
                if event != other || !self.plan.check(&trace).iter().any(back) {
                    continue;
                }
                let (one, two) = (step_name(*place), step_name(*later));
                let rules = self.named(&[rule::STATE_QUERY]);
                self.line(&format!(
                    "    if (w.status[{one}] != NOT_ASKED && w.status[{two}] != NOT_ASKED &&"
                ));
                self.line(&format!("        w.status[{two}] > w.status[{one}])"));
                self.line(&format!(
                    "        violation({rules}, \"the status of {} went back from %d at {place} to %d at {later}\", w.status[{one}], w.status[{two}]);",
                    text::event(*event)
                ));
            }
        }
        self.line("    /* And when all was finished. */");
        for n in 0..p.commands.len() {
            let id = CommandId::at(n);
            // What a complete command's times are is another question.
            let times = Times {
                queued: 1,
                submit: 2,
                start: 3,
                end: 4,
                complete: Some(5),
            };
            let trace = |told| Trace {
                last: [(id, told)].into(),
                times: (told == status::COMPLETE)
                    .then_some((id, times))
                    .into_iter()
                    .collect(),
                ..Trace::default()
            };
            if let Some((right, rules)) = self.right(&[0, 1, 2, 3, -14, ODD], &trace) {
                self.line(&format!("    if (w.last[{n}] != NOT_ASKED)"));
                let what = format!("when all was finished the status of command {n}");
                self.expect_answer(&what, &format!("w.last[{n}]"), &right, &rules);
            }
        }
    }

    fn data(&mut self) {
        let plan = self.plan;
        for (read, cells) in plan.memory.reads() {
            let (place, what) = match read {
                Read::Kernel { command, range } => {
                    (format!("w.kernel_saw[{}][{range}]", command.0), "read by")
                }
                Read::Command(command) => (format!("w.inspected[{}]", command.0), "brought by"),
                Read::Access(access) => (format!("w.looked[{}]", access.0), "seen by"),
            };
            let who = match read {
                Read::Kernel { command, .. } | Read::Command(command) => {
                    format!("command {}", command.0)
                }
                Read::Access(access) => format!("host access {}", access.0),
            };
            let base: Vec<Seen> = cells
                .iter()
                .map(|(_, value)| match value {
                    Value::Of(writer, cell) => Seen::Whole(Token::of(0, *writer, *cell).0),
                    Value::Anything => Seen::Whole(no_token()),
                })
                .collect();
            let mut lines = Vec::new();
            for (n, (cell, value)) in cells.iter().enumerate() {
                let mut ask = |cell: Seen| -> Option<String> {
                    let mut seen = base.clone();
                    seen[n] = cell;
                    let trace = Trace {
                        reads: [(*read, seen)].into(),
                        ..Trace::default()
                    };
                    let wrong = self.plan.check(&trace).into_iter().next()?;
                    Some(self.named(&wrong.rules))
                };
                // The cell holds the word, or the word stands among those of the right token.
                let right = match base[n] {
                    Seen::Whole(word) | Seen::Mixed(word, _) => word,
                };
                let mut both = |word: u32| -> Option<String> {
                    let whole = ask(Seen::Whole(word))?;
                    let torn = ask(Seen::Mixed(right, word)).unwrap_or_else(|| whole.clone());
                    Some(format!("{whole}, {torn}"))
                };
                let mut words = BTreeSet::from([0]);
                for write in plan.memory.writes(*cell) {
                    if let Value::Of(writer, of) = write.value {
                        words.insert(Token::of(0, writer, of).0);
                    }
                    words.insert(Token::of(0, write.writer, cell.1).0);
                    words.insert(Token::of(0, write.writer, ANY_CELL).0);
                }
                words.insert(Token::of(0, Writer::Creation(cell.0), cell.1).0);
                let otherwise = both(no_token());
                let mut instead: Vec<String> = Vec::new();
                for word in words {
                    if let Some(rules) = both(word)
                        && Some(&rules) != otherwise.as_ref()
                    {
                        instead.push(format!("{{ {}, {rules} }}", token(word)));
                    }
                }
                if instead.is_empty() && otherwise.is_none() {
                    continue;
                }
                let end = otherwise.unwrap_or_else(|| "\"\", \"\"".into());
                instead.push(format!("{{ ANYTHING, {end} }}"));
                let wanted = match value {
                    Value::Of(writer, of) => token(Token::of(0, *writer, *of).0),
                    Value::Anything => "ANYTHING".into(),
                };
                lines.push(format!(
                    "        expect_cell({}, {place} + {n} * WORDS, {wanted},",
                    quoted(&format!("{who} in cell {} of object {}", cell.1, cell.0.0))
                ));
                lines.push("                    (const struct instead[]){".into());
                lines.extend(
                    instead
                        .iter()
                        .map(|i| format!("                        {i},")),
                );
                lines.push("                    });".into());
            }
            if lines.is_empty() {
                continue;
            }
            self.line("");
            self.line(&format!("    /* What was {what} {who}. */"));
            self.line(&format!("    if ({place}) {{"));
            lines.iter().for_each(|line| self.line(line));
            self.line("    }");
        }
    }

    fn callbacks(&mut self) {
        for n in 0..self.plan.program.callbacks.len() {
            let id = CallbackId::at(n);
            let at = self.plan.order.registered(id);
            let trace = |fired: Vec<Fired>| Trace {
                codes: [(at, 0)].into(),
                fired,
                ..Trace::default()
            };
            let never = self.plan.check(&trace(Vec::new())).into_iter().next();
            self.line("");
            self.line(&format!("    /* Callback {n}. */"));
            if let Some(never) = never {
                let rules = self.named(&never.rules);
                let name = step_name(at);
                self.line(&format!(
                    "    if (w.code[{name}] == CL_SUCCESS && w.fired[{n}] == 0)"
                ));
                self.line(&format!(
                    "        violation({rules}, \"callback {n} was never called\");"
                ));
            }
            let fired = |status| {
                trace(vec![Fired {
                    callback: id,
                    status,
                    right_event: true,
                }])
            };
            if let Some((right, rules)) = self.right(&[0, 1, 2, 3, -14, ODD], &fired) {
                self.line(&format!("    if (w.fired[{n}] > 0)"));
                let what = format!("the status that callback {n} was told");
                self.expect_answer(&what, &format!("w.fired_with[{n}]"), &right, &rules);
            }
            let rules = self.named(&[rule::STATE_CALLBACKS]);
            self.line(&format!("    if (w.fired[{n}] > 1)"));
            self.line(&format!(
                "        violation({rules}, \"callback {n} was called %u times\", w.fired[{n}]);"
            ));
            self.line(&format!("    if (w.fired_wrong[{n}])"));
            self.line(&format!(
                "        violation({rules}, \"callback {n} was given another event\");"
            ));
        }
    }

    fn times(&mut self) {
        let p = &self.plan.program;
        let order = &self.plan.order;
        let rules = self.named(&[rule::STATE_PROFILING]);
        self.line("");
        self.line("    /* The times of what completed, in nanoseconds of its device. */");
        for n in 0..p.commands.len() {
            let id = CommandId::at(n);
            let enqueue = step_name(order.enqueued(id));
            self.line(&format!("    expect_times({rules}, {n}, &w.times[{n}]);"));
            let held = self.held(id);
            if !held.is_empty() {
                self.line(&format!(
                    "    expect_held({rules}, {n}, &w.times[{n}], w.clock_ended[{enqueue}], {},",
                    held.len()
                ));
                self.line(&format!(
                    "                (const cl_ulong[]){{ {} }});",
                    held.join(", ")
                ));
            }
            self.line(&format!(
                "    expect_within({rules}, {n}, &w.times[{n}], w.clock_began[{enqueue}], w.finished);"
            ));
        }
        for (n, command) in p.commands.iter().enumerate() {
            for event in &command.wait {
                let Event::Command(first) = event else {
                    continue;
                };
                let device = |c: &Command| p.queues[c.queue.index()].device;
                let f = first.index();
                if device(command) != device(&p.commands[f]) {
                    continue;
                }
                let mut broken =
                    order.rules_between(Moment::End(*first), Moment::Start(CommandId::at(n)));
                broken.push(rule::STATE_PROFILING);
                let rules = self.named(&broken);
                self.line(&format!(
                    "    if (w.times[{n}].known && w.times[{f}].known &&"
                ));
                self.line(&format!("        w.times[{f}].of[3] > w.times[{n}].of[2])"));
                self.line(&format!(
                    "        violation({rules}, \"by its times command {n} started before command {f}, for which it waits, ended\");"
                ));
            }
        }
        self.times_in_order();
    }

    /// What waits for another ends later, by whatever rule. What follows from two others is not said again.
    fn times_in_order(&mut self) {
        let pairs: BTreeSet<(CommandId, CommandId)> = self.plan.ends_after().collect();
        for &(first, second) in &pairs {
            let between =
                |(a, b): &(CommandId, CommandId)| *a == first && pairs.contains(&(*b, second));
            if pairs.iter().any(between) {
                continue;
            }
            let (end, start) = (Moment::End(first), Moment::Start(second));
            let mut broken = self.plan.order.rules_between(end, start);
            broken.push(rule::STATE_PROFILING);
            let rules = self.named(&broken);
            let (f, n) = (first.0, second.0);
            self.line(&format!(
                "    if (w.times[{n}].known && w.times[{f}].known && w.times[{f}].of[3] > w.times[{n}].of[3])"
            ));
            self.line(&format!(
                "        violation({rules}, \"by its times command {n} ended before command {f}, for which it waits, had\");"
            ));
        }
    }

    /// Where the C program keeps when the last call of each thread began before which a command
    /// cannot start.
    fn held(&self, command: CommandId) -> Vec<String> {
        let order = &self.plan.order;
        let mut last: BTreeMap<Who, Place> = BTreeMap::new();
        for (place, _) in self.plan.program.steps() {
            if order.surely(Moment::Call(place), Moment::Start(command)) {
                last.insert(place.who, place);
            }
        }
        // The enqueue itself, and what came before it, held nothing.
        let enqueue = order.enqueued(command);
        last.retain(|_, place| *place != enqueue);
        last.into_values()
            .map(|place| format!("w.clock_began[{}]", step_name(place)))
            .collect()
    }
}

/// Where the C program keeps a moment's stamp.
fn stamp(moment: Moment) -> String {
    match moment {
        Moment::Call(place) => format!("w.began[{}]", step_name(place)),
        Moment::Return(place) => format!("w.ended[{}]", step_name(place)),
        Moment::Run(id) => format!("w.ran[{}]", id.0),
        // Commands have no stamps.
        Moment::Start(_) | Moment::End(_) => "0".into(),
    }
}

/// A token of run 0 in C.
pub fn token(word: u32) -> String {
    let cell = |n: u8| match n {
        ANY_CELL => "ANY_CELL".to_string(),
        n => format!("{n}u"),
    };
    match Token(word).read() {
        Some((_, Writer::Creation(id), c)) => format!("CREATION({}u) | {}", id.0, cell(c)),
        Some((_, Writer::Command(id), c)) => format!("COMMAND({}u) | {}", id.0, cell(c)),
        Some((_, Writer::Access(id), c)) => format!("ACCESS({}u) | {}", id.0, cell(c)),
        None => format!("{word}u"),
    }
}
