//! The check can fail: what an ideal implementation shows breaks no rule, and each piece of it that
//! is changed breaks one that fits.

mod ideal;

use super::Plan;
use crate::commands::generate::{Profile, enumerate, random, small};
use crate::commands::memory::{self, Value};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{
    CommandId, Event, Place, Reached, Step, Token, UserId, Who, Writer,
};
use crate::commands::trace::{Seen, Trace, status};
use crate::commands::yaml;
use crate::host::NOT_MADE;
use crate::rule::{self, RuleId};
use classay_vocabulary::{Freedom, FreedomCount, Violation};
use ideal::strange;
use std::collections::BTreeMap;

const RUN: u32 = 5;

/// So many programs of every profile, and some of the small ones.
fn plans(each: u64) -> Vec<(String, Plan)> {
    let drawn = Profile::all()
        .into_iter()
        .flat_map(|(family, name, profile)| {
            (0..each).map(move |seed| {
                let plan = random(seed, &profile).expect("a program");
                (format!("{family}/{name}/{seed}"), plan)
            })
        });
    let listed = (0..enumerate::shapes().len()).step_by(701).map(|number| {
        let plan = small(number).expect("a program");
        (format!("queue/small/{number}"), plan)
    });
    drawn.chain(listed).collect()
}

/// Those of which each pair of moments can be tried in the time that a test has.
fn short_plans() -> Vec<(String, Plan)> {
    let mut all = plans(5);
    all.retain(|(_, plan)| plan.program.commands.len() < 200);
    all
}

/// How many corruptions were tried, so that a test that tries none fails.
#[derive(Default)]
struct Tried {
    count: usize,
    /// The program of the last one, and how many there were for it.
    of: String,
    came: usize,
}

impl Tried {
    /// Whether the next one of a program is tried: all of the first, and some of the many that long programs have. The
    /// steps are odd, so that each sort is among these.
    fn takes(&mut self, name: &str) -> bool {
        if self.of != name {
            (self.of, self.came) = (name.to_string(), 0);
        }
        let n = self.came;
        self.came += 1;
        match n {
            0..24 => true,
            24..200 => n.is_multiple_of(11),
            _ => n.is_multiple_of(67),
        }
    }

    /// The changed trace breaks a rule; one of these, if any are told.
    fn must_fail(
        &mut self,
        name: &str,
        plan: &Plan,
        what: &str,
        rules: &[RuleId],
        change: impl FnOnce(&mut Trace),
    ) {
        if !self.takes(name) {
            return;
        }
        let mut trace = ideal::trace(plan, RUN);
        change(&mut trace);
        let found = plan.check(&trace);
        let fits = |v: &Violation| rules.is_empty() || rules.iter().any(|r| v.rules.contains(r));
        assert!(
            found.iter().any(fits),
            "{name}: {what} breaks none of {rules:?}: {found:#?}\n{}",
            crate::commands::yaml::write(&plan.program)
        );
        self.count += 1;
    }
}

#[test]
fn an_ideal_run_breaks_no_rule() {
    for (name, plan) in plans(15) {
        let found = plan.check(&ideal::trace(&plan, RUN));
        let text = || crate::commands::yaml::write(&plan.program);
        assert_eq!(found, [], "{name}\n{}", text());
    }
}

#[test]
fn every_value_that_is_read_is_checked() {
    let mut tried = Tried::default();
    for (name, plan) in short_plans() {
        if plan.order.has_failures() {
            continue;
        }
        let covered: Vec<RuleId> = plan.covers().into_iter().collect();
        for (read, cells) in plan.memory.reads() {
            let (start, _) = memory::moments(&plan.program, *read).expect("its moments");
            for (n, (cell, value)) in cells.iter().enumerate() {
                let Value::Of(writer, of) = *value else {
                    continue;
                };
                let right = Token::of(RUN, writer, of).0;
                // What was there before the last write: the rules that order the two are named.
                let writes = plan.memory.writes(*cell);
                let last = writes.iter().rev().find(|w| plan.order.before(w.to, start));
                let ordered = last.map_or(Vec::new(), |w| plan.order.rules_between(w.to, start));
                let wrong = [
                    ("nothing", Seen::Whole(0)),
                    ("a bit less", Seen::Whole(right ^ 1 << 20)),
                    ("another's", Seen::Whole(strange(&plan, RUN, writer, of))),
                    (
                        "two at once",
                        Seen::Mixed(right, strange(&plan, RUN, writer, of)),
                    ),
                    ("the end missing", Seen::Mixed(right, 0)),
                    (
                        "an earlier run's",
                        Seen::Whole(Token::of(RUN - 1, writer, of).0),
                    ),
                    (
                        "another cell's",
                        Seen::Whole(Token::of(RUN, writer, of ^ 1).0),
                    ),
                ];
                for (what, seen) in wrong {
                    let what = format!("{read:?} seeing {what} in place {n}");
                    tried.must_fail(&name, &plan, &what, &covered, |trace| {
                        trace.reads.get_mut(read).expect("the read")[n] = seen;
                    });
                }
                if !ordered.is_empty() && !matches!(writer, Writer::Creation(_)) {
                    let object = cell.0;
                    let old = Token::of(RUN, Writer::Creation(object), cell.1).0;
                    let what = format!("{read:?} seeing what was there first in place {n}");
                    tried.must_fail(&name, &plan, &what, &ordered, |trace| {
                        trace.reads.get_mut(read).expect("the read")[n] = Seen::Whole(old);
                    });
                }
            }
        }
    }
    assert!(tried.count > 2_000, "{}", tried.count);
}

/// What an earlier write left where a later one should be seen may have come late, so that what keeps the two in
/// order is named, too.
#[test]
fn what_keeps_two_writes_in_order_is_named() {
    let program = "
devices: 1
contexts: 1
cell_words: 1
queues: [{context: 0, device: 0, out_of_order: true}]
objects: [{context: 0, cells: 1, kind: {buffer: copy}}]
commands:
- {queue: 0, what: {write: {range: {object: 0, first: 0, count: 1}}}, blocking: true}
- {queue: 0, what: {fill: {object: 0, first: 0, count: 1}}}
- {queue: 0, what: barrier}
- {queue: 0, what: {read: {range: {object: 0, first: 0, count: 1}}}}
signals: 0
threads:
- - enqueue: 0
  - enqueue: 1
  - enqueue: 2
  - enqueue: 3
  - wait: [{command: 3}]
  - inspect: 3
";
    let program = crate::commands::yaml::read(program).expect("a program");
    let plan = Plan::of(program).expect("a plan");
    let first = Token::of(RUN, Writer::Command(CommandId::at(0)), 0).0;
    let mut trace = ideal::trace(&plan, RUN);
    let read = memory::Read::Command(CommandId::at(3));
    trace.reads.get_mut(&read).expect("the read")[0] = Seen::Whole(first);
    let found = plan.check(&trace);
    let [only] = found.as_slice() else {
        panic!("{found:?}");
    };
    for rule in [rule::SP_BARRIER, rule::QUEUE_BLOCKING] {
        assert!(only.rules.contains(&rule), "{rule}: {only:?}");
    }
}

#[test]
fn what_failed_has_not_run() {
    let mut tried = Tried::default();
    let profile = Profile::find("queue/failure").expect("a profile");
    // Few programs of other profiles have something that fails and something that is read.
    let more = (15..60).map(|seed| {
        let plan = random(seed, &profile).expect("a program");
        (format!("queue/failure/{seed}"), plan)
    });
    for (name, plan) in short_plans().into_iter().chain(more) {
        let fails = (0..plan.program.commands.len())
            .map(crate::commands::program::CommandId::at)
            .find(|c| plan.order.fate(*c) == Fate::Fails);
        let (Some(failed), Some((read, _))) = (fails, plan.memory.reads().iter().next()) else {
            continue;
        };
        let ran = Token::of(RUN, Writer::Command(failed), 0).0;
        tried.must_fail(
            &name,
            &plan,
            "its token",
            &[rule::FAIL_PROPAGATE],
            |trace| {
                trace.reads.get_mut(read).expect("the read")[0] = Seen::Whole(ran);
            },
        );
    }
    assert!(tried.count > 3, "{}", tried.count);
}

#[test]
fn every_code_is_checked() {
    let mut tried = Tried::default();
    for (name, plan) in short_plans() {
        let codes = ideal::trace(&plan, RUN).codes;
        for (place, code) in codes {
            let step = plan
                .program
                .steps()
                .find(|(p, _)| *p == place)
                .map(|(_, s)| s);
            let failing_wait = code == status::ERROR_IN_WAIT_LIST;
            if plan.order.has_failures() && !failing_wait {
                continue;
            }
            let (rule, wrong) = if failing_wait {
                (rule::FAIL_NEGATIVE, [0, -58])
            } else {
                (rule::API_VALID, [-5, -58])
            };
            for wrong in wrong {
                let what = format!("{step:?} giving {wrong}");
                tried.must_fail(&name, &plan, &what, &[rule], |trace| {
                    trace.codes.insert(place, wrong);
                });
            }
        }
    }
    assert!(tried.count > 2_000, "{}", tried.count);
}

#[test]
fn every_order_that_the_host_sees_is_checked() {
    let mut tried = Tried::default();
    for (name, plan) in short_plans() {
        let stamps: Vec<(Moment, u64)> = ideal::trace(&plan, RUN).stamps.into_iter().collect();
        for (n, (a, first)) in stamps.iter().enumerate() {
            // Some of the many pairs.
            let step = (stamps.len() / 24) | 1;
            for (b, second) in stamps.iter().skip(n % step).step_by(step) {
                if !plan.order.surely(*a, *b) {
                    continue;
                }
                // Not only what a thread does one after the other: chains through commands.
                let rules = plan.order.rules_between(*a, *b);
                if rules.is_empty() || plan.leaves_open(&rules) {
                    continue;
                }
                let what = format!("{b} before {a}");
                tried.must_fail(&name, &plan, &what, &rules[..1], |trace| {
                    trace.stamps.insert(*a, *second);
                    trace.stamps.insert(*b, *first);
                });
            }
        }
    }
    assert!(tried.count > 2_000, "{}", tried.count);
}

#[test]
fn every_status_is_checked() {
    let mut tried = Tried::default();
    for (name, plan) in short_plans() {
        for (place, step) in plan.program.steps() {
            let Step::Status(event) = step else { continue };
            let done = plan.order.completion(*event);
            let over = done.is_some_and(|done| plan.order.surely(done, Moment::Call(place)));
            let held = match event {
                Event::Command(c) => plan.order.surely(Moment::Return(place), Moment::Start(*c)),
                Event::User(_) => false,
            };
            let fate = plan.order.fate_of_event(*event);
            let open = done.is_some_and(|done| {
                let rules = plan.order.rules_between(done, Moment::Call(place));
                plan.leaves_open(&rules)
            });
            if over && fate != Fate::Open && !open {
                let wrong = match fate {
                    Fate::Fails => [status::RUNNING, status::COMPLETE],
                    Fate::Completes | Fate::Open => [status::RUNNING, status::QUEUED],
                };
                for wrong in wrong {
                    tried.must_fail(&name, &plan, "a late status", &[], |trace| {
                        trace.statuses.insert(place, wrong);
                    });
                }
            }
            if held {
                for wrong in [status::RUNNING, status::COMPLETE] {
                    tried.must_fail(&name, &plan, "an early status", &[], |trace| {
                        trace.statuses.insert(place, wrong);
                    });
                }
                tried.must_fail(
                    &name,
                    &plan,
                    "early times",
                    &[rule::STATE_PROFILING],
                    |trace| {
                        trace.profiled.insert(place, 0);
                    },
                );
            }
            let timed = over && fate == Fate::Completes && !plan.order.has_failures();
            if timed && matches!(event, Event::Command(_)) {
                let rules = [rule::STATE_PROFILING];
                tried.must_fail(&name, &plan, "no times", &rules, |trace| {
                    trace.profiled.insert(place, status::NO_TIMES);
                });
            }
        }
        for (command, last) in ideal::trace(&plan, RUN).last {
            let wrong: &[i32] = match plan.order.fate(command) {
                Fate::Completes if !plan.order.has_failures() => &[status::RUNNING, -5],
                Fate::Fails => &[status::COMPLETE, status::SUBMITTED],
                Fate::Completes | Fate::Open => &[],
            };
            for wrong in wrong {
                assert_ne!(*wrong, last);
                tried.must_fail(&name, &plan, "the last status", &[], |trace| {
                    trace.last.insert(command, *wrong);
                });
            }
        }
    }
    assert!(tried.count > 2_000, "{}", tried.count);
}

#[test]
fn every_callback_is_checked() {
    let mut tried = Tried::default();
    let rules = [rule::STATE_CALLBACKS];
    for (name, plan) in short_plans() {
        let fired = ideal::trace(&plan, RUN).fired;
        for (n, one) in fired.iter().enumerate() {
            let callback = &plan.program.callbacks[one.callback.index()];
            let fate = plan.order.fate_of_event(callback.event);
            let excused = plan.order.has_failures() && fate != Fate::Fails;
            if !excused {
                let passing = [super::callbacks::passing(callback)];
                tried.must_fail(&name, &plan, "none", &passing, |trace| {
                    trace.fired.remove(n);
                });
                let wrong = match (fate, callback.at) {
                    (Fate::Fails, _) => status::COMPLETE,
                    (_, Reached::Complete) => status::RUNNING,
                    (_, Reached::Submitted | Reached::Running) => status::COMPLETE,
                };
                let told = if wrong == status::COMPLETE {
                    passing
                } else {
                    rules
                };
                tried.must_fail(&name, &plan, "a wrong status", &told, |trace| {
                    trace.fired[n].status = wrong;
                });
            }
            tried.must_fail(&name, &plan, "two", &rules, |trace| {
                trace.fired.push(trace.fired[n]);
            });
            tried.must_fail(&name, &plan, "another event", &rules, |trace| {
                trace.fired[n].right_event = false;
            });
        }
    }
    assert!(tried.count > 500, "{}", tried.count);
}

#[test]
fn every_time_is_checked() {
    let mut tried = Tried::default();
    let rules = [rule::STATE_PROFILING];
    for (name, plan) in short_plans() {
        for (command, t) in ideal::trace(&plan, RUN).times {
            let mut wrong = vec![
                (
                    "submitted before queued",
                    [t.queued + 1, t.queued, t.start, t.end, t.end],
                ),
                (
                    "started before submitted",
                    [t.queued, t.start, t.submit, t.end, t.end],
                ),
                (
                    "ended before started",
                    [t.queued, t.submit, t.end, t.start, t.end],
                ),
                (
                    "complete before ended",
                    [t.queued, t.submit, t.start, t.end, t.end - 1],
                ),
            ];
            if t.start == t.submit {
                wrong.remove(1);
            }
            for (what, [queued, submit, start, end, complete]) in wrong {
                tried.must_fail(&name, &plan, what, &rules, |trace| {
                    let times = trace.times.get_mut(&command).expect("its times");
                    (times.queued, times.submit) = (queued, submit);
                    (times.start, times.end) = (start, end);
                    times.complete = Some(complete);
                });
            }
            if !plan.order.has_failures() {
                tried.must_fail(&name, &plan, "no times", &rules, |trace| {
                    trace.times.remove(&command);
                });
            }
        }
    }
    assert!(tried.count > 3_000, "{}", tried.count);
}

#[test]
fn times_are_held_against_the_order_of_the_host() {
    let mut tried = Tried::default();
    let rules = [rule::STATE_PROFILING];
    for (name, plan) in short_plans() {
        let ideal = ideal::trace(&plan, RUN);
        for (command, t) in &ideal.times {
            // The host held it back for long.
            let since = ideal.clock[&Moment::Return(plan.order.enqueued(*command))];
            let start = Moment::Start(*command);
            let held = ideal.clock.iter().any(|(moment, time)| {
                matches!(moment, Moment::Call(_))
                    && plan.order.surely(*moment, start)
                    && *time >= since + 400_000
            });
            if held {
                tried.must_fail(&name, &plan, "started when queued", &rules, |trace| {
                    trace.times.get_mut(command).expect("its times").start = t.queued;
                });
            }
            // Another waits for it.
            let later = plan
                .starts_after()
                .find(|(first, second)| first == command && ideal.times.contains_key(second));
            if let Some((_, later)) = later {
                tried.must_fail(&name, &plan, "started before another", &rules, |trace| {
                    let times = trace.times.get_mut(&later).expect("its times");
                    times.start = t.end - 1;
                });
            }
            // Another was enqueued later.
            let enqueued = Moment::Return(plan.order.enqueued(*command));
            let later = ideal.times.iter().find(|(other, _)| {
                let call = Moment::Call(plan.order.enqueued(**other));
                plan.program.device_of(**other) == plan.program.device_of(*command)
                    && plan.order.before(enqueued, call)
            });
            if let Some((later, _)) = later {
                tried.must_fail(
                    &name,
                    &plan,
                    "queued before an earlier one",
                    &rules,
                    |trace| {
                        let times = trace.times.get_mut(later).expect("its times");
                        times.queued = t.queued - 1;
                    },
                );
            }
        }
    }
    assert!(tried.count > 500, "{}", tried.count);
}

/// Waits for a marker behind a user event, and for a blocking write that fails through its list.
const MIXED: &str = "
devices: 1
contexts: 1
cell_words: 1
queues: [{context: 0, device: 0, out_of_order: true}]
objects: [{context: 0, cells: 1, kind: {buffer: copy}}]
users: [0, 0]
commands:
- {queue: 0, what: {write: {range: {object: 0, first: 0, count: 1}}}, wait: [{user: 0}, {user: 1}], blocking: true}
- {queue: 0, what: marker, wait: [{user: 1}]}
- {queue: 0, what: {read: {range: {object: 0, first: 0, count: 1}}}}
signals: 0
threads:
- - set: {user: 0, status: -1}
  - enqueue: 0
  - enqueue: 1
  - wait: [{command: 0}, {command: 1}]
  - status: {user: 1}
  - enqueue: 2
- - sleep: 250
  - set: {user: 1, status: 0}
";

/// What a write wrote is read behind it.
const WRITTEN: &str = "
devices: 1
contexts: 1
cell_words: 1
queues: [{context: 0, device: 0, out_of_order: false}]
objects: [{context: 0, cells: 1, kind: {buffer: copy}}]
commands:
- {queue: 0, what: {write: {range: {object: 0, first: 0, count: 1}}}}
- {queue: 0, what: {read: {range: {object: 0, first: 0, count: 1}}}}
signals: 0
threads:
- - enqueue: 0
  - enqueue: 1
  - finish: 0
  - inspect: 1
";

#[test]
fn what_a_refused_command_was_to_do_is_not_missed() {
    let program = crate::commands::yaml::read(WRITTEN).expect("a program");
    let plan = Plan::of(program).expect("a plan");
    let mut trace = ideal::trace(&plan, RUN);
    let read = *trace.reads.keys().next().expect("a read");
    trace.reads.get_mut(&read).expect("the read")[0] = Seen::Whole(0);
    let missed = plan.check(&trace);
    assert!(!missed.is_empty() && missed.iter().all(|v| !v.rules.contains(&rule::API_VALID)));
    let write = Place {
        who: Who::Thread(0),
        step: 0,
    };
    trace.codes.insert(write, -30);
    let refused = plan.check(&trace);
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0].rules, [rule::API_VALID]);
}

/// A command that fails need not wait for the rest of its list, nor the call that enqueues it, if it blocks.
#[test]
fn what_fails_may_end_before_the_rest_of_its_list() {
    let program = crate::commands::yaml::read(MIXED).expect("a program");
    let plan = Plan::of(program).expect("a plan");
    let mut trace = ideal::trace(&plan, RUN);
    let place = |who, step| Place { who, step };
    let (main, other) = (Who::Thread(0), Who::Thread(1));
    // The write's call returns before the other thread has begun; the wait returns when it is done.
    let moments = (0..3).flat_map(|step| {
        let place = place(main, step);
        [Moment::Call(place), Moment::Return(place)]
    });
    for (stamp, moment) in (0..).zip(moments) {
        trace.stamps.insert(moment, stamp);
    }
    assert_eq!(plan.check(&trace), []);
    // That is no freedom of the wait.
    let (back, set) = (
        Moment::Return(place(main, 3)),
        Moment::Call(place(other, 1)),
    );
    let stamp = trace.stamps[&set];
    trace.stamps.insert(back, stamp - 1);
    let found = plan.check(&trace);
    let named = found.iter().any(|v| v.rules.contains(&rule::SP_HOST_WAIT));
    assert!(named, "{found:?}");
    // One that is not made, for want of an event that a call gives which fails, keeps nobody waiting.
    let last = Step::Status(Event::User(UserId(1)));
    let asked = plan.program.steps().find(|(_, step)| **step == last);
    let asked = asked.expect("a question").0;
    trace.statuses.insert(asked, status::SUBMITTED);
    assert!(
        plan.check(&trace)
            .iter()
            .any(|v| v.rules.contains(&rule::FAIL_NEGATIVE))
    );
    trace.codes.insert(place(main, 3), NOT_MADE);
    assert_eq!(plan.check(&trace), []);
}

/// The freedoms that a trace could show, and whether it does.
fn shown(plan: &Plan, trace: &Trace) -> BTreeMap<Freedom, bool> {
    let told = |count: &FreedomCount| (count.freedom, count.seen == 1);
    let counts = plan.freedoms(trace);
    let shown: BTreeMap<Freedom, bool> = counts.iter().map(told).collect();
    assert_eq!(shown.len(), counts.len(), "each freedom once");
    assert!(counts.iter().all(|count| count.of == 1));
    shown
}

#[test]
fn the_order_of_free_commands_is_told_and_breaks_nothing() {
    use Freedom::{EmptyAtOnce, Overlapped, Reordered};
    let (mut free, mut markers) = (0, 0);
    for (name, plan) in short_plans() {
        let trace = ideal::trace(&plan, RUN);
        let before = shown(&plan, &trace);
        let covered = plan.covers();
        assert_eq!(
            before.contains_key(&Reordered),
            covered.contains(&rule::QUEUE_OUT_OF_ORDER) && before.contains_key(&Overlapped),
            "{name}"
        );
        // The same, looked at backwards: what did not overlap came in the other order.
        let mut mirrored = trace.clone();
        for times in mirrored.times.values_mut() {
            (times.start, times.end) = (u64::MAX - times.end, u64::MAX - times.start);
        }
        let after = shown(&plan, &mirrored);
        if before.contains_key(&Reordered) {
            assert_eq!(before[&Overlapped], after[&Overlapped], "{name}");
            let either = before[&Reordered] || after[&Reordered] || before[&Overlapped];
            assert!(either, "{name}");
            free += usize::from(after[&Reordered]);
        }
        if before.contains_key(&EmptyAtOnce) {
            assert!(
                !before[&EmptyAtOnce],
                "{name}: every moment is one of its own"
            );
            let mut empty = trace.clone();
            for times in empty.times.values_mut() {
                times.start = times.end;
            }
            assert!(shown(&plan, &empty)[&EmptyAtOnce], "{name}");
            markers += 1;
        }
    }
    assert!(free > 20 && markers > 20, "{free} {markers}");
}

#[test]
fn what_a_failure_takes_along_is_told_and_breaks_nothing() {
    let mut lost = 0;
    for (name, plan) in short_plans() {
        let trace = ideal::trace(&plan, RUN);
        let Some(is_lost) = shown(&plan, &trace).remove(&Freedom::LostAfterFailure) else {
            continue;
        };
        assert!(plan.order.has_failures() && !is_lost, "{name}");
        let mut taken = trace;
        for last in taken.last.values_mut() {
            *last = status::ERROR_IN_WAIT_LIST;
        }
        assert!(shown(&plan, &taken)[&Freedom::LostAfterFailure], "{name}");
        assert_eq!(plan.check(&taken), [], "{name}");
        lost += 1;
    }
    assert!(lost > 2, "{lost}");
}

#[test]
fn a_status_goes_back_whichever_thread_asked_first() {
    let two_threads = "devices: 1
contexts: 1
cell_words: 1
queues:
- {context: 0, device: 0, out_of_order: false}
objects:
- {context: 0, cells: 4, kind: {buffer: copy}}
commands:
- {queue: 0, what: {fill: {object: 0, first: 0, count: 1}}}
signals: 1
threads:
- [{await: 0}, {status: {command: 0}}, {finish: 0}]
- [{enqueue: 0}, {status: {command: 0}}, {signal: 0}]
";
    let two_threads = yaml::read(two_threads).expect("a program");
    let two_threads = Plan::of(two_threads).expect("a plan");
    let mut tried = Tried::default();
    for (name, plan) in short_plans()
        .into_iter()
        .chain([("two threads".into(), two_threads)])
    {
        let asked: Vec<_> = plan.program.asked().collect();
        for (n, (place, event)) in asked.iter().enumerate() {
            // The program has the later question first: it is another thread's.
            let later = asked[..n].iter().find(|(later, other)| {
                let (asked, again) = (Moment::Return(*place), Moment::Call(*later));
                event == other && plan.order.surely(asked, again)
            });
            if let Some((later, _)) = later {
                tried.must_fail(&name, &plan, "went back", &[rule::STATE_QUERY], |trace| {
                    trace.statuses.insert(*place, status::SUBMITTED);
                    trace.statuses.insert(*later, status::QUEUED);
                });
            }
        }
    }
    assert!(tried.count > 0);
}

/// After a command ended abnormally, what clFinish waits for is the implementation's own affair; what the host waits
/// for by a list is not.
#[test]
fn a_finish_after_a_failure_promises_nothing() {
    let waits = MIXED.replace("wait: [{command: 0}, {command: 1}]", "finish: 0");
    let program = crate::commands::yaml::read(&waits).expect("a program");
    let plan = Plan::of(program).expect("a plan");
    let mut trace = ideal::trace(&plan, RUN);
    let place = |who, step| Place { who, step };
    let set = Moment::Call(place(Who::Thread(1), 1));
    let late = trace.stamps.values().max().copied().unwrap_or_default() + 1;
    trace.stamps.insert(set, late);
    trace
        .stamps
        .insert(Moment::Return(place(Who::Thread(1), 1)), late + 1);
    assert_eq!(plan.check(&trace), []);
}
