//! The edges that the rules give.

use crate::graph::{Cycle, Graph};
use crate::host::{Command, CommandRole, Event, HostSide, Moment, Name, Sequence, Step};
use classay_vocabulary::RuleId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

classay_vocabulary::words! {
    /// A synchronization point, by the rule of the catalogue that states it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Rule {
        /// The call that enqueues a command synchronizes with the command.
        Enqueue = "sp.enqueue",
        /// A command starts after every event of its wait list.
        EventWait = "sp.event-wait",
        /// A marker with a list starts after every event of it.
        MarkerList = "sp.marker-list",
        /// A barrier with a list starts after every event of it, and what follows after the barrier.
        BarrierList = "sp.barrier-list",
        /// A marker without a list starts after all earlier commands of its queue.
        Marker = "sp.marker",
        /// A barrier without a list does, and what follows starts after the barrier.
        Barrier = "sp.barrier",
        /// In an in-order queue each command is complete before the next one starts.
        InOrder = "sp.in-order",
        /// clWaitForEvents returns after the events that it waits for.
        HostWait = "sp.host-wait",
        /// clSetUserEventStatus synchronizes with what waits for the user event.
        UserEvent = "sp.user-event",
        /// A callback is invoked after the completion that it is registered for.
        Callback = "sp.callback",
        /// A blocking call returns after its command is complete.
        Blocking = "sp.blocking",
        /// clFinish returns after all earlier commands of its queue.
        Finish = "sp.finish",
    }
}

impl Rule {
    /// Its id in the catalogue of rules.
    pub const fn id(self) -> RuleId {
        RuleId::named(self.name())
    }
}

/// Why one moment is before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// A rule says so.
    Rule(Rule),
    /// A host thread does one after the other.
    Sequence,
    /// A host thread waits for another's signal.
    Signal,
    /// A command starts before it ends.
    Runs,
}

impl Why {
    /// The rule, where it is one.
    pub fn rule(self) -> Option<Rule> {
        match self {
            Why::Rule(rule) => Some(rule),
            Why::Sequence | Why::Signal | Why::Runs => None,
        }
    }
}

type Order<P, C, K> = Graph<Moment<P, C, K>, Why>;

/// The commands of a queue with the steps that enqueue them.
type Enqueued<'h, P, C> = Vec<(C, P, &'h Command<P, C>)>;

/// The order of a program, closed.
///
/// # Errors
/// A cycle: something waits for itself.
#[allow(
    clippy::type_complexity,
    reason = "three kinds of names, in a graph and in its cycle"
)]
pub fn draw<P: Name, C: Name, K: Name>(
    host: &HostSide<P, C, K>,
) -> Result<Order<P, C, K>, Cycle<Moment<P, C, K>>> {
    let commands: FxHashMap<C, &Command<P, C>> =
        host.commands.iter().map(|(c, d)| (*c, d)).collect();
    let mut order = Order::default();
    let mut enqueued: FxHashMap<C, P> = FxHashMap::default();
    for sequence in &host.sequences {
        for at in 0..sequence.steps.len() {
            step_edges(&commands, &mut order, sequence, at);
            if let (place, Step::Enqueue(command)) = &sequence.steps[at] {
                enqueued.insert(*command, *place);
            }
        }
    }
    let mut queues: BTreeMap<usize, Enqueued<'_, P, C>> = BTreeMap::new();
    for (id, command) in &host.commands {
        wait_list_edges(&mut order, *id, command);
        if let Some(place) = enqueued.get(id) {
            let queue = queues.entry(command.queue).or_default();
            queue.push((*id, *place, command));
        }
    }
    order.close()?;
    // Which commands a queue gets before which follows from the order of the calls, and that may
    // itself follow from what the queues do: until nothing new follows.
    loop {
        let mut new = false;
        for queue in queues.values() {
            for &(a, first_call, first) in queue {
                for &(b, second_call, second) in queue {
                    let (back, call) = (Moment::Return(first_call), Moment::Call(second_call));
                    if a != b && order.before(back, call) {
                        new |= queue_edges(&mut order, (a, first), (b, second));
                    }
                }
            }
        }
        for (place, step) in host.sequences.iter().flat_map(|s| &s.steps) {
            let Step::Finish(queue) = step else {
                continue;
            };
            // clFinish waits for what its queue got before.
            for &(id, enqueue, _) in queues.get(queue).into_iter().flatten() {
                if order.before(Moment::Return(enqueue), Moment::Call(*place)) {
                    let why = Why::Rule(Rule::Finish);
                    new |= order.edge(Moment::End(id), Moment::Return(*place), why);
                }
            }
        }
        if !new {
            return Ok(order);
        }
        order.close()?;
    }
}

/// Edges of a step, without those that need the order of a queue.
fn step_edges<P: Name, C: Name, K: Name>(
    commands: &FxHashMap<C, &Command<P, C>>,
    order: &mut Order<P, C, K>,
    sequence: &Sequence<P, C, K>,
    at: usize,
) {
    let (place, step) = &sequence.steps[at];
    let (call, back) = (Moment::Call(*place), Moment::Return(*place));
    order.edge(call, back, Why::Sequence);
    if let (Some(callback), 0) = (sequence.callback, at) {
        order.edge(Moment::Run(callback), call, Why::Sequence);
    }
    if let Some((next, _)) = sequence.steps.get(at + 1) {
        order.edge(back, Moment::Call(*next), Why::Sequence);
    }
    match step {
        Step::Enqueue(id) => {
            order.edge(call, Moment::Start(*id), Why::Rule(Rule::Enqueue));
            if commands.get(id).is_some_and(|command| command.blocking) {
                order.edge(Moment::End(*id), back, Why::Rule(Rule::Blocking));
            }
        }
        Step::Wait(events) => {
            for event in events {
                completion_edge(order, *event, back, Rule::HostWait);
            }
        }
        Step::Register { callback, after } => {
            let run = Moment::Run(*callback);
            order.edge(call, run, Why::Sequence);
            if let Some(event) = after {
                completion_edge(order, *event, run, Rule::Callback);
            }
        }
        Step::Await(signal) => {
            order.edge(Moment::Call(*signal), back, Why::Signal);
        }
        Step::Finish(_) | Step::Other => {}
    }
}

/// From the completion of an event to what waits for it; `of_command` is the rule where it is the
/// event of a command.
fn completion_edge<P: Name, C: Name, K: Name>(
    order: &mut Order<P, C, K>,
    event: Event<P, C>,
    to: Moment<P, C, K>,
    of_command: Rule,
) {
    let (from, rule) = match event {
        Event::Command(command) => (Moment::End(command), of_command),
        Event::User(Some(set)) => (Moment::Call(set), Rule::UserEvent),
        Event::User(None) => return,
    };
    order.edge(from, to, Why::Rule(rule));
}

/// Edges of a command and its wait list.
fn wait_list_edges<P: Name, C: Name, K: Name>(
    order: &mut Order<P, C, K>,
    id: C,
    command: &Command<P, C>,
) {
    // All operations of a kernel-instance are between its start and its completion.
    // [sp.kernel-start, sp.kernel-end, sp.completion-event]
    order.edge(Moment::Start(id), Moment::End(id), Why::Runs);
    let rule = match command.role {
        CommandRole::Marker => Rule::MarkerList,
        CommandRole::Barrier => Rule::BarrierList,
        CommandRole::Other => Rule::EventWait,
    };
    for event in &command.waits {
        completion_edge(order, *event, Moment::Start(id), rule);
    }
}

/// The edges between two commands of a queue that gets `a` before `b`; whether one is new.
fn queue_edges<P: Name, C: Name, K: Name>(
    order: &mut Order<P, C, K>,
    (a, first): (C, &Command<P, C>),
    (b, second): (C, &Command<P, C>),
) -> bool {
    let waits_for_all = match second.role {
        CommandRole::Marker if second.waits.is_empty() => Some(Rule::Marker),
        CommandRole::Barrier if second.waits.is_empty() => Some(Rule::Barrier),
        CommandRole::Marker | CommandRole::Barrier | CommandRole::Other => None,
    };
    let holds_back = match first.role {
        CommandRole::Barrier if first.waits.is_empty() => Some(Rule::Barrier),
        CommandRole::Barrier => Some(Rule::BarrierList),
        CommandRole::Marker | CommandRole::Other => None,
    };
    let in_order = first.in_order.then_some(Rule::InOrder);
    let rules = [in_order, waits_for_all, holds_back].into_iter().flatten();
    let mut new = false;
    for rule in rules {
        new |= order.edge(Moment::End(a), Moment::Start(b), Why::Rule(rule));
    }
    new
}
