//! A program as the rules see it.

use super::invalid::Invalid;
use super::{Graph, Places};
use crate::commands::program::{
    self, CallbackId, Command, CommandId, Event, Place, Program, Reached, Step, What, Who,
};
use classay_order::{self as order, CommandRole, HostSide, Sequence};

/// The closed graph of a program whose shape is right.
pub(super) fn draw(program: &Program, places: &Places) -> Result<Graph, Invalid> {
    order::draw(&host_side(program, places))
        .map_err(|cycle| Invalid::WaitsForItself { at: cycle.0[0] })
}

fn host_side(program: &Program, places: &Places) -> HostSide<Place, CommandId, CallbackId> {
    let sequence = |(who, steps)| Sequence {
        callback: match who {
            Who::Thread(_) => None,
            Who::Callback(id) => Some(id),
        },
        steps: program::places(who, steps)
            .map(|(place, step)| (place, step_of(program, places, step)))
            .collect(),
    };
    let commands = program.commands();
    HostSide {
        commands: commands
            .map(|(id, command)| (id, command_of(program, places, command)))
            .collect(),
        sequences: program.lists().map(sequence).collect(),
    }
}

fn event_of(places: &Places, event: Event) -> order::Event<Place, CommandId> {
    match event {
        Event::Command(command) => order::Event::Command(command),
        Event::User(user) => order::Event::User(places.set[user.index()].map(|(place, _)| place)),
    }
}

fn command_of(
    program: &Program,
    places: &Places,
    command: &Command,
) -> order::Command<Place, CommandId> {
    order::Command {
        queue: command.queue.index(),
        in_order: !program.queues[command.queue.index()].out_of_order,
        role: if command.what == What::Marker {
            CommandRole::Marker
        } else if command.what == What::Barrier {
            CommandRole::Barrier
        } else {
            CommandRole::Other
        },
        waits: command.wait.iter().map(|e| event_of(places, *e)).collect(),
        blocking: command.blocking,
    }
}

fn step_of(
    program: &Program,
    places: &Places,
    step: &Step,
) -> order::Step<Place, CommandId, CallbackId> {
    if let Step::Enqueue(id) = step {
        order::Step::Enqueue(*id)
    } else if let Step::Wait(events) = step {
        order::Step::Wait(events.iter().map(|e| event_of(places, *e)).collect())
    } else if let Step::Register(id) = step {
        let callback = &program.callbacks[id.index()];
        // An implementation may report earlier states late.
        let complete = callback.at == Reached::Complete;
        order::Step::Register {
            callback: *id,
            after: complete.then(|| event_of(places, callback.event)),
        }
    } else if let Step::Await(id) = step {
        order::Step::Await(places.signalled[id.index()])
    } else if let Step::Finish(queue) = step {
        order::Step::Finish(queue.index())
    } else {
        order::Step::Other
    }
}
