//! The edges that the rules give.

use super::graph::{Graph, Moment, Why};
use super::invalid::Invalid;
use super::{Places, after, by_queue};
use crate::commands::program::{
    Command, CommandId, Event, Place, Program, Reached, Step, What, Who,
};
use crate::rule::{self, RuleId};

/// The closed graph of a program whose shape is right.
pub(super) fn draw(program: &Program, places: &Places) -> Result<Graph, Invalid> {
    let mut graph = Graph::default();
    for (place, step) in program.steps() {
        step_edges(program, places, &mut graph, place, step);
    }
    for (n, command) in program.commands.iter().enumerate() {
        command_edges(places, &mut graph, CommandId::at(n), command);
    }
    close(&mut graph)?;
    // Which commands a queue gets before which follows from the order of the calls, and that may
    // itself follow from what the queues do: until nothing new follows.
    loop {
        let mut new = false;
        for commands in by_queue(program).into_values() {
            for &a in &commands {
                for &b in &commands {
                    if a != b && enqueued_before(&graph, places, a, b) {
                        new |= queue_edges(program, &mut graph, a, b);
                    }
                }
            }
        }
        for (place, step) in program.steps() {
            new |= finish_edges(program, places, &mut graph, place, step);
        }
        if !new {
            return Ok(graph);
        }
        close(&mut graph)?;
    }
}

fn close(graph: &mut Graph) -> Result<(), Invalid> {
    graph.close().map_err(|at| Invalid::WaitsForItself { at })
}

/// Whether `a` is certain to be enqueued before `b`.
pub(super) fn enqueued_before(graph: &Graph, places: &Places, a: CommandId, b: CommandId) -> bool {
    graph.before(
        Moment::Return(places.enqueued[a.index()]),
        Moment::Call(places.enqueued[b.index()]),
    )
}

fn step_edges(program: &Program, places: &Places, graph: &mut Graph, place: Place, step: &Step) {
    let (call, back) = (Moment::Call(place), Moment::Return(place));
    graph.edge(call, back, Why::Sequence);
    let steps = match place.who {
        Who::Thread(n) => &program.threads[usize::from(n)],
        Who::Callback(id) => {
            if place.step == 0 {
                graph.edge(Moment::Run(id), call, Why::Sequence);
            }
            &program.callbacks[id.index()].steps
        }
    };
    if usize::from(place.step) + 1 < steps.len() {
        graph.edge(back, Moment::Call(after(place)), Why::Sequence);
    }
    match step {
        Step::Enqueue(id) => {
            let command = &program.commands[id.index()];
            graph.edge(call, Moment::Start(*id), Why::Rule(rule::SP_ENQUEUE));
            if command.blocking {
                graph.edge(Moment::End(*id), back, Why::Rule(rule::SP_BLOCKING));
            }
        }
        Step::Wait(events) => {
            for event in events {
                if let Some((from, rule)) = completion(places, *event, rule::SP_HOST_WAIT) {
                    graph.edge(from, back, Why::Rule(rule));
                }
            }
        }
        Step::Register(id) => {
            let run = Moment::Run(*id);
            let callback = &program.callbacks[id.index()];
            graph.edge(call, run, Why::Sequence);
            match callback.at {
                Reached::Complete => {
                    let event = callback.event;
                    if let Some((from, rule)) = completion(places, event, rule::SP_CALLBACK) {
                        graph.edge(from, run, Why::Rule(rule));
                    }
                }
                // It comes after the command was submitted or started; that promises nothing about
                // memory, and an implementation may tell it late.
                Reached::Submitted | Reached::Running => {}
            }
        }
        Step::Signal(_) => {}
        Step::Await(id) => {
            let from = Moment::Call(places.signalled[id.index()]);
            graph.edge(from, back, Why::Signal);
        }
        // Its edges need the order of the queue.
        Step::Finish(_) => {}
        Step::Flush(_)
        | Step::Set { .. }
        | Step::Access(_)
        | Step::Inspect(_)
        | Step::Status(_)
        | Step::Sleep(_)
        | Step::Yield(_)
        | Step::ReleaseEvent(_)
        | Step::ReleaseQueue(_)
        | Step::ReleaseObject(_) => {}
    }
}

/// The moment at which an event is complete, with the rule for what waits for it.
fn completion(places: &Places, event: Event, of_command: RuleId) -> Option<(Moment, RuleId)> {
    match event {
        Event::Command(c) => Some((Moment::End(c), of_command)),
        Event::User(u) => {
            let (place, _) = places.set[u.index()]?;
            Some((Moment::Call(place), rule::SP_USER_EVENT))
        }
    }
}

fn command_edges(places: &Places, graph: &mut Graph, id: CommandId, command: &Command) {
    let (start, end) = (Moment::Start(id), Moment::End(id));
    graph.edge(start, end, Why::Runs);
    let rule = match command.what {
        What::Marker => rule::SP_MARKER_LIST,
        What::Barrier => rule::SP_BARRIER_LIST,
        What::Kernel(_)
        | What::Native(_)
        | What::Read(_)
        | What::Write(_)
        | What::Copy { .. }
        | What::Fill(_)
        | What::Map { .. }
        | What::Unmap(_)
        | What::Migrate { .. }
        | What::Free(_) => rule::SP_EVENT_WAIT,
    };
    for event in &command.wait {
        if let Some((from, rule)) = completion(places, *event, rule) {
            graph.edge(from, start, Why::Rule(rule));
        }
    }
}

/// The edges between two commands of a queue that gets `a` before `b`; whether one is new.
fn queue_edges(program: &Program, graph: &mut Graph, a: CommandId, b: CommandId) -> bool {
    let (first, second) = (&program.commands[a.index()], &program.commands[b.index()]);
    let (end, start) = (Moment::End(a), Moment::Start(b));
    let mut new = false;
    if !program.queues[first.queue.index()].out_of_order {
        new |= graph.edge(end, start, Why::Rule(rule::SP_IN_ORDER));
    }
    match second.what {
        What::Marker if second.wait.is_empty() => {
            new |= graph.edge(end, start, Why::Rule(rule::SP_MARKER));
        }
        What::Barrier if second.wait.is_empty() => {
            new |= graph.edge(end, start, Why::Rule(rule::SP_BARRIER));
        }
        What::Marker
        | What::Barrier
        | What::Kernel(_)
        | What::Native(_)
        | What::Read(_)
        | What::Write(_)
        | What::Copy { .. }
        | What::Fill(_)
        | What::Map { .. }
        | What::Unmap(_)
        | What::Migrate { .. }
        | What::Free(_) => {}
    }
    if first.what == What::Barrier {
        let rule = if first.wait.is_empty() {
            rule::SP_BARRIER
        } else {
            rule::SP_BARRIER_LIST
        };
        new |= graph.edge(end, start, Why::Rule(rule));
    }
    new
}

/// clFinish waits for what its queue got before; whether an edge is new.
fn finish_edges(
    program: &Program,
    places: &Places,
    graph: &mut Graph,
    place: Place,
    step: &Step,
) -> bool {
    let Step::Finish(queue) = step else {
        return false;
    };
    let mut new = false;
    for (n, command) in program.commands.iter().enumerate() {
        let enqueued = Moment::Return(places.enqueued[n]);
        if command.queue == *queue && graph.before(enqueued, Moment::Call(place)) {
            let end = Moment::End(CommandId::at(n));
            new |= graph.edge(end, Moment::Return(place), Why::Rule(rule::SP_FINISH));
        }
    }
    new
}
