//! What must hold of a run, as checks that a C program makes, too. They are drawn from [`Plan::check`]: it
//! is asked about each answer that says something, one at a time, and its violations become checks.

use super::*;
use crate::commands::check;
use crate::commands::order::Moment;
use crate::commands::program::{ANY_CELL, Place, Step as CommandStep, Token, Who, Writer};
use crate::commands::trace::{Fired, Seen, Times, Trace, status};
use crate::commands::words;
use crate::host::check::{self as host, Cell, Check, Instead, Right, That};
use crate::rule::{self, RuleId};
use std::collections::BTreeSet;

/// A negative number that nothing sets.
const ODD: i32 = -9999;

/// What a status may be, and what it hardly is.
const STATUSES: [i32; 6] = [0, 1, 2, 3, -14, ODD];

/// A word that is no token of run 0.
fn no_token() -> u32 {
    Token::of(5, Writer::Creation(ObjectId(0)), 0).0
}

impl Lowered {
    /// The checks of a run.
    pub fn checks(&self, plan: &Plan) -> Vec<Check> {
        let mut drawn = Drawn {
            plan,
            names: &self.names,
            checks: Vec::new(),
        };
        drawn.codes();
        drawn.stamps();
        drawn.statuses();
        drawn.went_back();
        drawn.last();
        drawn.data();
        drawn.callbacks();
        drawn.natives();
        drawn.times();
        drawn.times_in_order();
        drawn.checks
    }
}

struct Drawn<'p> {
    plan: &'p Plan,
    names: &'p Names,
    checks: Vec<Check>,
}

impl Drawn<'_> {
    fn add(&mut self, rules: Vec<RuleId>, says: impl Into<String>, that: That) {
        self.checks.push(Check::new(rules, says, that));
    }

    /// The same of the times of commands, which only complete ones have.
    fn add_timed(
        &mut self,
        commands: &[CommandId],
        rules: Vec<RuleId>,
        says: impl Into<String>,
        that: That,
    ) {
        let mut check = Check::new(rules, says, that);
        let status = |id: &CommandId| self.names.last[id.index()];
        check.complete = commands.iter().map(status).collect();
        self.checks.push(check);
    }

    /// Of some answers only those are right with which a trace breaks nothing, and others break the rules that the
    /// first wrong one does.
    fn ask(
        &mut self,
        says: String,
        answers: &[i32],
        trace: impl Fn(i32) -> Trace,
        that: impl FnOnce(Right) -> That,
    ) {
        let (mut right, mut wrong) = (Vec::new(), None);
        for answer in answers {
            match self.wrong(&trace(*answer)) {
                None => right.push(*answer),
                Some(rules) => wrong = wrong.or(Some(rules)),
            }
        }
        let negative = right.contains(&ODD);
        let right = right.into_iter().filter(|n| *n != ODD).map(i64::from);
        let right = match negative {
            true => Right::AmongOrNegative(right.collect()),
            false => Right::Among(right.collect()),
        };
        if let Some(rules) = wrong {
            self.add(rules, says, that(right));
        }
    }

    /// The rules of the first of the violations of a trace.
    fn wrong(&self, trace: &Trace) -> Option<Vec<RuleId>> {
        let first = self.plan.check(trace).into_iter().next();
        first.map(|violation| violation.rules)
    }

    fn codes(&mut self) {
        for (place, step) in self.plan.program.steps() {
            if check::call(step).is_none() {
                continue;
            }
            // A callback that is registered is called, or that would be reported instead.
            let fired: Vec<Fired> = match step {
                CommandStep::Register(id) => vec![self.as_required(*id)],
                _ => Vec::new(),
            };
            let trace = |code| Trace {
                codes: [(place, code)].into(),
                fired: fired.clone(),
                ..Trace::default()
            };
            let says = format!("{place} ({}) returned {{}}", words::step(step));
            let (_, mark) = self.names.steps[&place];
            self.ask(says, &[0, -14, ODD], trace, |right| That::Code(mark, right));
        }
    }

    /// A callback as it must be called.
    fn as_required(&self, id: commands::CallbackId) -> Fired {
        let callback = &self.plan.program.callbacks[id.index()];
        let status = match self.plan.order.fate_of_event(callback.event) {
            Fate::Fails => status::ERROR_IN_WAIT_LIST,
            Fate::Completes | Fate::Open => callback.at.status(),
        };
        Fired {
            callback: id,
            status,
            right_event: true,
        }
    }

    fn moment(&self, moment: Moment) -> Option<host::Moment> {
        let marks = |place| self.names.steps.get(&place);
        Some(match moment {
            Moment::Call(place) => host::Moment::Began(marks(place)?.0),
            Moment::Return(place) => host::Moment::Ended(marks(place)?.1),
            Moment::Run(id) => host::Moment::Fired(CallbackId(id.0)),
            // Commands have no stamps.
            Moment::Start(_) | Moment::End(_) => return None,
        })
    }

    /// Of all pairs those that do not follow from others within one thread.
    fn stamps(&mut self) {
        let sequence = |(who, steps): (Who, &[CommandStep])| -> Vec<Moment> {
            let run = match who {
                Who::Callback(id) => Some(Moment::Run(id)),
                Who::Thread(_) => None,
            };
            let places = commands::places(who, steps);
            let own = places.flat_map(|(place, _)| [Moment::Call(place), Moment::Return(place)]);
            run.into_iter().chain(own).collect()
        };
        let sequences: Vec<Vec<Moment>> = self.plan.program.lists().map(sequence).collect();
        for (n, one) in sequences.iter().enumerate() {
            for (m, other) in sequences.iter().enumerate() {
                let mut next = other.len();
                for early in one.iter().rev().filter(|_| n != m) {
                    let surely = |late: &Moment| self.plan.order.surely(*early, *late);
                    let first = other.iter().position(surely);
                    if let Some(first) = first.filter(|first| *first < next) {
                        next = first;
                        self.before(*early, other[first]);
                    }
                }
            }
        }
    }

    fn before(&mut self, early: Moment, late: Moment) {
        let trace = Trace {
            stamps: [(early, 2), (late, 1)].into(),
            ..Trace::default()
        };
        let moments = self.moment(early).zip(self.moment(late));
        if let Some((rules, (one, two))) = self.wrong(&trace).zip(moments) {
            let says = format!("{late} came before {early}");
            self.add(rules, says, That::Before(one, two));
        }
    }

    fn statuses(&mut self) {
        for (place, event) in self.plan.program.asked() {
            let mut answers = STATUSES.to_vec();
            if let Event::User(user) = event
                && let Some((_, set)) = self.plan.order.set(user)
                && !answers.contains(&set)
            {
                answers.push(set);
            }
            let trace = |status| Trace {
                statuses: [(place, status)].into(),
                ..Trace::default()
            };
            let says = format!("at {place} the status of {} was {{}}", words::event(event));
            let answer = self.names.statuses[&place];
            self.ask(says, &answers, trace, |right| That::Number(answer, right));
        }
    }

    fn went_back(&mut self) {
        let order = &self.plan.order;
        let asked: Vec<(Place, Event)> = self.plan.program.asked().collect();
        for (place, event) in &asked {
            for (later, other) in &asked {
                let ordered = order.surely(Moment::Return(*place), Moment::Call(*later));
                if event == other && ordered {
                    let [one, two] = [place, later].map(|place| self.names.statuses[place]);
                    let event = words::event(*event);
                    let says =
                        format!("the status of {event} went back between {place} and {later}");
                    self.add(vec![rule::STATE_QUERY], says, That::NotAfter(two, one));
                }
            }
        }
    }

    /// What commands were when all was finished.
    fn last(&mut self) {
        for ((id, _), answer) in self.plan.program.commands().zip(&self.names.last) {
            // What a complete command's times are is another question.
            let times = Times {
                queued: 1,
                submit: 2,
                start: 3,
                end: 4,
                complete: Some(5),
            };
            let trace = |last| Trace {
                last: [(id, last)].into(),
                times: [(id, times)].into(),
                ..Trace::default()
            };
            let says = format!("when all was finished the status of command {id} was {{}}");
            self.ask(says, &STATUSES, trace, |right| That::Number(*answer, right));
        }
    }

    fn data(&mut self) {
        for (read, cells) in self.plan.memory.reads() {
            let Some(answer) = self.names.reads.get(read) else {
                continue;
            };
            let who = read.who().to_string();
            let base: Vec<u32> = cells
                .iter()
                .map(|(_, value)| match value.token() {
                    Some((writer, cell)) => Token::of(0, writer, cell).0,
                    None => no_token(),
                })
                .collect();
            let drawn: Vec<Cell> = (0..cells.len())
                .map(|n| self.cell(*read, &who, &base, n))
                .collect();
            let says = |cell: &Cell| !cell.instead.is_empty() || !cell.otherwise.0.is_empty();
            if drawn.iter().any(says) {
                self.add(Vec::new(), who, That::Cells(*answer, drawn));
            }
        }
    }

    /// What the n-th cell of a read must hold, and what each wrong word in it breaks.
    fn cell(&self, read: Read, who: &str, base: &[u32], n: usize) -> Cell {
        let (cell, value) = self.plan.memory.reads()[&read][n];
        let ask = |seen: Seen| -> Option<Vec<RuleId>> {
            let mut all: Vec<Seen> = base.iter().map(|word| Seen::Whole(*word)).collect();
            all[n] = seen;
            let trace = Trace {
                reads: [(read, all)].into(),
                ..Trace::default()
            };
            self.wrong(&trace)
        };
        // The cell holds the word, or the word stands among those of the right token.
        let both = |word: u32| -> Option<(Vec<RuleId>, Vec<RuleId>)> {
            let whole = ask(Seen::Whole(word))?;
            let torn = ask(Seen::Mixed(base[n], word)).unwrap_or_else(|| whole.clone());
            Some((whole, torn))
        };
        let mut found = BTreeSet::from([(Writer::Creation(cell.0), cell.1)]);
        for write in self.plan.memory.writes(cell) {
            found.extend(write.value.token());
            found.extend([(write.writer, cell.1), (write.writer, ANY_CELL)]);
        }
        let otherwise = both(no_token());
        let named = found.into_iter().map(Some).chain([None]);
        let instead = named
            .filter_map(|found| {
                let word = found.map_or(0, |(writer, of)| Token::of(0, writer, of).0);
                let (rules, torn) = both(word)?;
                let differs = Some((&rules, &torn)) != otherwise.as_ref().map(|(a, b)| (a, b));
                differs.then_some(Instead { found, rules, torn })
            })
            .collect();
        Cell {
            reader: format!("{who} in cell {} of object {}", cell.1, cell.0.0),
            wanted: value.token(),
            instead,
            otherwise: otherwise.unwrap_or_default(),
        }
    }

    fn callbacks(&mut self) {
        for (id, _) in self.plan.program.callbacks() {
            let (name, callback) = (check::called(self.plan, id), CallbackId(id.0));
            let at = self.plan.order.registered(id);
            let registered = Some(self.names.steps[&at].1);
            let trace = |fired: Vec<Fired>| Trace {
                codes: [(at, 0)].into(),
                fired,
                ..Trace::default()
            };
            if let Some(rules) = self.wrong(&trace(Vec::new())) {
                let that = That::Fired(vec![callback], registered, Right::Not(0));
                self.add(rules, format!("{name} was never called"), that);
            }
            let fired = |status| {
                trace(vec![Fired {
                    callback: id,
                    status,
                    right_event: true,
                }])
            };
            let says = format!("{name} was given status {{}}");
            self.ask(says, &STATUSES, fired, |right| {
                That::FiredWith(callback, right)
            });
            let rules = || vec![rule::STATE_CALLBACKS];
            let once = That::Fired(vec![callback], None, Right::Between(0, 1));
            self.add(rules(), format!("{name} was called {{}} times"), once);
            let says = format!("{name} was given another event");
            self.add(rules(), says, That::FiredRight(callback));
        }
    }

    /// A native kernel runs once, with its own arguments, or not at all: the function counts no other run.
    fn natives(&mut self) {
        let plan = self.plan;
        let natives = plan.program.commands();
        let natives = natives.filter(|(_, command)| matches!(command.what, What::Native(_)));
        for ((id, _), n) in natives.zip(plan.program.callbacks.len() as u16..) {
            let Some((times, rule)) = plan.runs(id) else {
                continue;
            };
            let enqueued = self.names.steps[&plan.order.enqueued(id)].1;
            let right = Right::Among(vec![times]);
            let fired = That::Fired(vec![CallbackId(n)], Some(enqueued), right);
            self.add(vec![rule], check::ran(id, "{}"), fired);
        }
    }

    fn times(&mut self) {
        let (plan, names) = (self.plan, self.names);
        let rules = || vec![rule::STATE_PROFILING];
        for ((n, _), times) in plan.program.commands().zip(&names.times) {
            let [queued, _, start, end, _] = *times;
            let (_, since) = names.steps[&plan.order.enqueued(n)];
            for (states, pair) in check::STATES.windows(2).zip(times.windows(2)) {
                let (one, two) = (states[0], states[1]);
                let says = format!("by its times command {n} was {one} after it was {two}");
                self.add_timed(&[n], rules(), says, That::NotAfter(pair[0], pair[1]));
            }
            let held = plan.held_by(n).into_iter();
            let until: Vec<Mark> = held.map(|place| names.steps[&place].0).collect();
            if !until.is_empty() {
                let says = format!(
                    "by its times command {n} started much sooner after it was queued than the host let it"
                );
                let that = That::Held {
                    queued,
                    start,
                    since,
                    until,
                    resolution: names.resolutions[usize::from(plan.program.device_of(n))],
                };
                self.add_timed(&[n], plan.by_held_time(n), says, that);
            }
            let says = format!("by its times command {n} was queued long before it was enqueued");
            self.add_timed(&[n], rules(), says, That::Within { queued, end, since });
        }
        self.times_of_the_host();
    }

    /// The second of two commands starts when the first has ended.
    fn starts_after(&mut self, first: CommandId, second: CommandId) {
        let [ended, start] = [
            self.names.times[first.index()][3],
            self.names.times[second.index()][2],
        ];
        let that = That::NotAfter(ended, start);
        let says = check::started_early(first, second);
        let rules = self.plan.by_times(first, second);
        self.add_timed(&[first, second], rules, says, that);
    }

    /// What the host enqueues later is queued later. What follows from two others is not said again.
    fn times_of_the_host(&mut self) {
        let pairs: BTreeSet<(CommandId, CommandId, bool)> = self.plan.enqueued_after().collect();
        for &(first, second, ended) in &pairs {
            let between = |(b, _): (CommandId, _)| {
                let rest = |knew| pairs.contains(&(b, second, knew));
                pairs.contains(&(first, b, ended)) && (rest(true) || rest(false))
            };
            if self.plan.program.commands().any(between) {
                continue;
            }
            let state = if ended { 3 } else { 0 };
            let knew = self.names.times[first.index()][state];
            let queued = self.names.times[second.index()][0];
            let says = check::too_early(first, second, ended);
            let that = That::NotAfter(knew, queued);
            let rules = self.plan.by_host_time(first, second, ended);
            self.add_timed(&[first, second], rules, says, that);
        }
    }

    /// What waits for another starts when that has ended, by whatever rule. What follows from two others is not said
    /// again, where no list says it.
    fn times_in_order(&mut self) {
        let plan = self.plan;
        let pairs: BTreeSet<(CommandId, CommandId)> = plan.starts_after().collect();
        let listed: BTreeSet<(CommandId, CommandId)> = plan.waits_for().collect();
        for &(first, second) in pairs.union(&listed) {
            let between = |(b, _): (CommandId, _)| {
                pairs.contains(&(first, b)) && pairs.contains(&(b, second))
            };
            if listed.contains(&(first, second)) || !plan.program.commands().any(between) {
                self.starts_after(first, second);
            }
        }
    }
}
