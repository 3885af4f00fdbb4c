//! What an ideal implementation would show: a run of a program in the order of
//! [`Order::moments`](crate::commands::order::Order::moments), one moment after the other.

use super::super::Plan;
use crate::commands::memory::Value;
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{CommandId, Event, Reached, Step, Token, Writer};
use crate::commands::trace::{Fired, Seen, Times, Trace, status};
use std::collections::BTreeMap;

/// Nanoseconds from one moment to the next.
const TICK: u64 = 20_000;

/// What is told of an event at a moment whose number is `now`.
fn told(plan: &Plan, at: &BTreeMap<Moment, u64>, event: Event, now: u64) -> i32 {
    let passed = |moment: Moment| at.get(&moment).is_some_and(|then| *then < now);
    match event {
        Event::Command(c) => match plan.order.fate(c) {
            Fate::Fails if passed(Moment::End(c)) => status::ERROR_IN_WAIT_LIST,
            _ if passed(Moment::End(c)) => status::COMPLETE,
            Fate::Completes if passed(Moment::Start(c)) => status::RUNNING,
            Fate::Completes | Fate::Fails | Fate::Open => status::QUEUED,
        },
        Event::User(u) => match plan.order.set(u) {
            Some((place, status)) if passed(Moment::Call(place)) => status,
            Some(_) | None => status::SUBMITTED,
        },
    }
}

/// The trace of such a run.
pub fn trace(plan: &Plan, run: u32) -> Trace {
    let at: BTreeMap<Moment, u64> = plan.order.moments().zip(1..).collect();
    let mut trace = Trace {
        run,
        finished: Some((at.len() as u64 + 1) * TICK),
        ..Trace::default()
    };
    for (moment, number) in &at {
        match moment {
            Moment::Call(_) | Moment::Return(_) | Moment::Run(_) => {
                trace.stamps.insert(*moment, *number);
                trace.clock.insert(*moment, number * TICK);
            }
            Moment::Start(_) | Moment::End(_) => {}
        }
    }
    for (read, cells) in plan.memory.reads() {
        let seen = cells.iter().map(|(_, value)| match value {
            Value::Of(writer, cell) => Seen::Whole(Token::of(run, *writer, *cell).0),
            Value::Anything => Seen::Mixed(0xdead_beef, 0),
        });
        trace.reads.insert(*read, seen.collect());
    }
    let mut released = Vec::new();
    for (place, step) in plan.program.steps() {
        let now = at[&Moment::Call(place)];
        match step {
            Step::Status(event) => {
                let told = told(plan, &at, *event, now);
                trace.statuses.insert(place, told);
                trace.codes.insert(place, 0);
                let timed = told == status::COMPLETE && matches!(event, Event::Command(_));
                trace
                    .profiled
                    .insert(place, if timed { 0 } else { status::NO_TIMES });
            }
            Step::Wait(events) => {
                let fails = |e: &Event| plan.order.fate_of_event(*e) == Fate::Fails;
                let code = if events.iter().any(fails) {
                    status::ERROR_IN_WAIT_LIST
                } else {
                    0
                };
                trace.codes.insert(place, code);
            }
            Step::ReleaseEvent(event) => {
                released.push(*event);
                trace.codes.insert(place, 0);
            }
            Step::Enqueue(_)
            | Step::Flush(_)
            | Step::Finish(_)
            | Step::Set { .. }
            | Step::Register(_)
            | Step::ReleaseQueue(_)
            | Step::ReleaseObject(_) => {
                trace.codes.insert(place, 0);
            }
            Step::Access(_)
            | Step::Inspect(_)
            | Step::Signal(_)
            | Step::Await(_)
            | Step::Sleep(_)
            | Step::Yield(_) => {}
        }
    }
    for n in 0..plan.program.commands.len() {
        let id = CommandId::at(n);
        if released.contains(&Event::Command(id)) {
            continue;
        }
        let completes = plan.order.fate(id) == Fate::Completes;
        let last = if completes {
            status::COMPLETE
        } else {
            status::ERROR_IN_WAIT_LIST
        };
        trace.last.insert(id, last);
        if completes {
            let queued = at[&Moment::Call(plan.order.enqueued(id))] * TICK;
            let end = at[&Moment::End(id)] * TICK;
            let times = Times {
                queued,
                submit: queued,
                start: at[&Moment::Start(id)] * TICK,
                end,
                complete: Some(end),
            };
            trace.times.insert(id, times);
        }
    }
    for (id, callback) in plan.program.callbacks() {
        let fate = plan.order.fate_of_event(callback.event);
        let status = match (fate, callback.at) {
            (Fate::Fails | Fate::Open, Reached::Submitted | Reached::Running) => continue,
            (Fate::Fails | Fate::Open, Reached::Complete) => status::ERROR_IN_WAIT_LIST,
            (Fate::Completes, Reached::Submitted) => status::SUBMITTED,
            (Fate::Completes, Reached::Running) => status::RUNNING,
            (Fate::Completes, Reached::Complete) => status::COMPLETE,
        };
        trace.fired.push(Fired {
            callback: id,
            status,
            right_event: true,
        });
    }
    trace
}

/// A token of this run that no correct read of this cell gives.
pub fn strange(plan: &Plan, run: u32, right: Writer, cell: u8) -> u32 {
    let other = match right {
        Writer::Command(c) if c.index() + 1 < plan.program.commands.len() => {
            Writer::Command(CommandId(c.0 + 1))
        }
        Writer::Creation(_) | Writer::Command(_) | Writer::Access(_) => {
            Writer::Creation(crate::commands::program::ObjectId(999))
        }
    };
    Token::of(run, other, cell).0
}
