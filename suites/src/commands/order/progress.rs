//! That a program ends on every implementation that keeps the rules.
//!
//! The relation that must have no cycle here is larger than happens-before: an out-of-order queue
//! may run its commands in order, and a command may wait until its queue is flushed.

use super::invalid::Invalid;
use super::{Graph, Moment, Order, Why, by_queue, flushes};
use crate::commands::program::{CommandId, Event, Place, Program, Step, Who};
use std::collections::BTreeMap;

/// Checks it.
pub(super) fn check(program: &Program, order: &Order) -> Result<(), Invalid> {
    let lists = program.commands.iter().map(|command| &command.wait);
    let waited = program.steps().filter_map(|(_, step)| match step {
        Step::Wait(events) => Some(events),
        _ => None,
    });
    for event in lists.chain(waited).flatten() {
        if let Event::User(user) = event
            && order.set(*user).is_none()
        {
            return Err(Invalid::NeverSet { user: *user });
        }
    }
    let mut graph = order.graph.clone();
    for commands in by_queue(program).into_values() {
        for &next in &commands {
            for last in enqueued_last(order, &commands, next) {
                graph.edge(Moment::End(last), Moment::Start(next), Why::Sequence);
            }
        }
    }
    let close = |graph: &mut Graph| {
        graph.close().map_err(|cycle| Invalid::MayNeverEnd {
            at: cycle.0[0].to_string(),
        })
    };
    close(&mut graph)?;
    let flushing: Vec<(Place, Vec<u16>)> = program
        .steps()
        .map(|(place, step)| (place, flushes(program, step)))
        .filter(|(_, queues)| !queues.is_empty())
        .collect();
    flushed_across(program, order, &flushing)?;
    for (id, command) in program.commands() {
        let enqueued = order.enqueued(id);
        let start = Moment::Start(id);
        // The first step that flushes it for certain and does not wait for it before the call.
        let flush = graph.sorted().find(|moment| match moment {
            Moment::Call(place) => {
                let here = *place == enqueued && command.blocking;
                let later = order.before(Moment::Return(enqueued), *moment)
                    && flushing
                        .iter()
                        .any(|(at, queues)| at == place && queues.contains(&command.queue.0));
                (here || later) && !graph.before(start, *moment)
            }
            Moment::Return(_) | Moment::Start(_) | Moment::End(_) | Moment::Run(_) => false,
        });
        if let Some(flush) = flush {
            if !graph.before(flush, start) && graph.edge(flush, start, Why::Sequence) {
                close(&mut graph)?;
            }
            continue;
        }
        let needed = graph.sorted().any(|moment| {
            let needs = match moment {
                Moment::Return(_) => true,
                Moment::Start(other) => program.commands[other.index()].queue != command.queue,
                Moment::Call(_) | Moment::End(_) | Moment::Run(_) => false,
            };
            needs && graph.before(start, moment)
        });
        if needed {
            return Err(Invalid::NotFlushed { command: id });
        }
    }
    // Commands of one queue that two threads enqueue in no fixed order may come in either.
    for commands in by_queue(program).into_values() {
        for (n, &a) in commands.iter().enumerate() {
            for &b in &commands[n + 1..] {
                let (first, second) = (order.enqueued(a), order.enqueued(b));
                let fixed = order.before(Moment::Return(first), Moment::Call(second))
                    || order.before(Moment::Return(second), Moment::Call(first));
                let waits =
                    |x: CommandId, y: CommandId| graph.before(Moment::End(x), Moment::Start(y));
                if !fixed && (waits(a, b) || waits(b, a)) {
                    return Err(Invalid::MayNeverEnd {
                        at: Moment::Start(b).to_string(),
                    });
                }
            }
        }
    }
    Ok(())
}

/// The last of these commands that each thread and callback surely enqueues before another one: what it enqueues
/// earlier comes before them.
fn enqueued_last(
    order: &Order,
    commands: &[CommandId],
    next: CommandId,
) -> impl Iterator<Item = CommandId> + use<> {
    let mut last: BTreeMap<Who, CommandId> = BTreeMap::new();
    let call = Moment::Call(order.enqueued(next));
    for &command in commands {
        let place = order.enqueued(command);
        if command == next || !order.before(Moment::Return(place), call) {
            continue;
        }
        let known = last.entry(place.who).or_insert(command);
        if order.enqueued(*known).step < place.step {
            *known = command;
        }
    }
    last.into_values()
}

/// Checks that a queue is flushed between a command and the enqueueing of what waits for it in another queue.
/// clFlush: "To use event objects that refer to commands enqueued in a command-queue as event objects to wait on by
/// commands enqueued in a different command-queue, the application must call a clFlush or any blocking commands that
/// perform an implicit flush of the command-queue where the commands that refer to these event objects are
/// enqueued." It names no moment; this is the earliest.
fn flushed_across(
    program: &Program,
    order: &Order,
    flushing: &[(Place, Vec<u16>)],
) -> Result<(), Invalid> {
    for (id, command) in program.commands() {
        let used = Moment::Call(order.enqueued(id));
        for first in command.wait.iter().filter_map(|event| event.command()) {
            let (queue, enqueued) = (program.commands[first.index()].queue, order.enqueued(first));
            let between = |place: Place| {
                place == enqueued
                    || (order.before(Moment::Return(enqueued), Moment::Call(place))
                        && order.before(Moment::Return(place), used))
            };
            let mut flushes = flushing.iter();
            let flushed =
                |(place, queues): &(Place, Vec<u16>)| queues.contains(&queue.0) && between(*place);
            if queue != command.queue && !flushes.any(flushed) {
                return Err(Invalid::NotFlushed { command: first });
            }
        }
    }
    Ok(())
}
