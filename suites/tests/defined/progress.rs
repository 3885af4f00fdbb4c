//! Whether a program ends on every implementation that keeps to the specification: one that submits nothing
//! before it is flushed, runs out-of-order queues in order, and calls callbacks last.

use super::clause::Clause;
use super::order::{Moment, Order};
use classay_suites::commands::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// Tells of what never comes.
pub fn judge(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    across_queues(order, tell);
    let program = order.program;
    let (moments, before) = order.prerequisites();
    let numbers: BTreeMap<Moment, usize> = moments.iter().copied().zip(0..).collect();
    let number = |moment: Moment| numbers.get(&moment).copied();
    let mut more: Vec<Vec<usize>> = before.to_vec();
    for (n, moment) in moments.iter().enumerate() {
        match moment {
            Moment::Start(command) => {
                let behind = (0..program.commands.len())
                    .filter(|first| in_turn(order, *first, *command))
                    .filter_map(|first| number(Moment::Complete(first)));
                more[n].extend(behind);
            }
            Moment::Called(callback) => {
                let event = program.callbacks[*callback].event;
                let command = event.command().map(|id| Moment::Complete(id.index()));
                more[n].extend(command.and_then(number));
            }
            Moment::Call(_) | Moment::Return(_) | Moment::Complete(_) => {}
        }
    }
    let flushes: Vec<Vec<usize>> = (0..program.commands.len())
        .map(|command| {
            let all = order.steps.iter().filter(|(place, step)| {
                let own = matches!(step, Step::Enqueue(id) if id.index() == command);
                let enqueued = order.enqueued(command).map(Moment::Return);
                let after = |enqueued| order.is_before(enqueued, Moment::Call(*place));
                flushes(program, step, program.commands[command].queue)
                    && (own || enqueued.is_some_and(after))
            });
            all.filter_map(|(place, _)| number(Moment::Call(*place)))
                .collect()
        })
        .collect();
    let mut done = vec![false; moments.len()];
    let mut flushed = BTreeSet::new();
    let run = |done: &mut Vec<bool>, flushed: &BTreeSet<QueueId>| loop {
        let mut changed = false;
        for (n, moment) in moments.iter().enumerate() {
            let submitted = |command: usize| {
                flushed.contains(&program.commands[command].queue)
                    || flushes[command].iter().any(|call| done[*call])
            };
            let may = match moment {
                Moment::Start(command) => {
                    submitted(*command) && awaits_what_is_set(order, *command)
                }
                Moment::Return(place) => wait_is_set(order, *place),
                Moment::Call(_) | Moment::Complete(_) | Moment::Called(_) => true,
            };
            if !done[n] && may && more[n].iter().all(|first| done[*first]) {
                done[n] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    };
    run(&mut done, &flushed);
    let by_thread = |moment: &Moment| matches!(moment, Moment::Return(place) if matches!(place.who, Who::Thread(_)));
    let mut stuck = moments
        .iter()
        .zip(&done)
        .filter(|(moment, done)| by_thread(moment) && !**done);
    if let Some((Moment::Return(place), _)) = stuck.next() {
        return tell(Clause::NeverEnds, format!("{place} may never be over"));
    }
    // At the end each queue is finished, one after the other.
    for queue in 0..program.queues.len() {
        let queue = QueueId(queue as u16);
        flushed.insert(queue);
        run(&mut done, &flushed);
        for (n, moment) in moments.iter().enumerate() {
            if let Moment::Complete(command) = moment
                && program.commands[*command].queue == queue
                && !done[n]
            {
                return tell(
                    Clause::NeverEnds,
                    format!("command {command} may never be complete"),
                );
            }
        }
    }
}

/// Tells of commands that wait for one of another queue which was not flushed when they were enqueued: the sentence
/// names no moment, and this is the earliest.
fn across_queues(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    for (then, command) in program.commands.iter().enumerate() {
        let waits_for = command.wait.iter().filter_map(|event| event.command());
        for first in waits_for.map(|id| id.index()) {
            let queue = program.commands[first].queue;
            let (Some(enqueued), Some(used)) = (order.enqueued(first), order.enqueued(then)) else {
                continue;
            };
            let between = |place: Place| {
                place == enqueued
                    || (order.is_before(Moment::Return(enqueued), Moment::Call(place))
                        && order.is_before(Moment::Return(place), Moment::Call(used)))
            };
            let flushed =
                |(place, step): &(Place, &Step)| flushes(program, step, queue) && between(*place);
            if queue != command.queue && !order.steps.iter().any(flushed) {
                let what = format!("command {then} waits for {first}, which is not flushed yet");
                return tell(Clause::NeverEnds, what);
            }
        }
    }
}

/// Whether a command is enqueued before another of its queue.
fn in_turn(order: &Order<'_>, first: usize, then: usize) -> bool {
    let program = order.program;
    let enqueued = order.enqueued(first).zip(order.enqueued(then));
    let before = |(first, then)| order.is_before(Moment::Return(first), Moment::Call(then));
    first != then
        && program.commands[first].queue == program.commands[then].queue
        && enqueued.is_some_and(before)
}

/// Whether a step issues what its queue has.
fn flushes(program: &Program, step: &Step, queue: QueueId) -> bool {
    let command = |id: CommandId| &program.commands[id.index()];
    match step {
        Step::Flush(of) | Step::Finish(of) | Step::ReleaseQueue(of) => *of == queue,
        Step::Enqueue(id) => command(*id).blocking && command(*id).queue == queue,
        Step::Wait(events) => {
            let mut commands = events.iter().filter_map(|event| event.command());
            commands.any(|id| command(id).queue == queue)
        }
        _ => false,
    }
}

fn is_set(order: &Order<'_>, event: &Event) -> bool {
    match event {
        Event::User(user) => order.set(*user).is_some(),
        Event::Command(_) => true,
    }
}

fn awaits_what_is_set(order: &Order<'_>, command: usize) -> bool {
    let mut wait = order.program.commands[command].wait.iter();
    wait.all(|event| is_set(order, event))
}

fn wait_is_set(order: &Order<'_>, place: Place) -> bool {
    let step = order.steps.iter().find(|(other, _)| *other == place);
    match step {
        Some((_, Step::Wait(events))) => events.iter().all(|event| is_set(order, event)),
        _ => true,
    }
}
