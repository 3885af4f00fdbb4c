//! Happens-before of a program of commands, and whether the program is valid.
//!
//! [`rules`] says of the program what the synchronization points need to know, and [`classay_order`]
//! draws the order. [`shape`] checks first that everything a program names exists and belongs together, [`lifetime`] that it is
//! used while it is there, and [`progress`] checks last that the program ends on every implementation that keeps the rules: also on one that runs
//! its out-of-order queues in order and submits nothing before it is flushed.

mod invalid;
mod lifetime;
mod places;
mod progress;
mod rules;
mod shape;
#[cfg(test)]
mod tests;

use classay_order::Rule;
pub use classay_order::Why;
pub use invalid::{Invalid, Shared};

use super::program::{
    CallbackId, Command, CommandId, Event, Place, Program, Step, UserId, What, Who,
};
use crate::rule::{self, RuleId};
use places::Places;
use std::collections::BTreeMap;

/// A moment of a program's run.
pub type Moment = classay_order::Moment<Place, CommandId, CallbackId>;
/// One moment before another.
pub type Edge = classay_order::Edge<Moment, Why>;
type Graph = classay_order::Graph<Moment, Why>;

/// The rule that gives an edge, where one does.
pub(super) fn rule_of(edge: &Edge) -> Option<RuleId> {
    edge.why.rule().map(Rule::id)
}

/// How a command must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// With CL_COMPLETE.
    Completes,
    /// With a negative status, without having run: it waits for an event that fails.
    Fails,
    /// Somehow: it follows a command that fails in its queue, which the specification leaves to the
    /// implementation.
    Open,
}

/// The happens-before relation of a valid program.
#[derive(Debug, Clone)]
pub struct Order {
    graph: Graph,
    /// The step that enqueues each command.
    enqueued: Vec<Place>,
    /// The step that registers each callback.
    registered: Vec<Place>,
    /// The step that sets each user event, and the status.
    set: Vec<Option<(Place, i32)>>,
    fates: Vec<Fate>,
    /// The part of the relation that holds although something fails; `None` where nothing does.
    sure: Option<Graph>,
    facts: Vec<Facts>,
}

/// What matters of a command for the names of rules.
#[derive(Debug, Clone, Copy)]
struct Facts {
    queue: u16,
    out_of_order: bool,
    kernel: bool,
    native: bool,
}

impl Order {
    /// The relation of a program, or what makes the program invalid.
    pub fn of(program: &Program) -> Result<Order, Invalid> {
        let places = shape::check(program)?;
        let graph = rules::draw(program, &places)?;
        let mut order = Order {
            graph,
            enqueued: places.enqueued,
            registered: places.registered,
            set: places.set,
            fates: Vec::new(),
            sure: None,
            facts: program
                .commands()
                .map(|(_, c)| Facts::of(program, c))
                .collect(),
        };
        order.fates = order.draw_fates(program);
        order.sure = order.draw_sure();
        lifetime::check(program, &order)?;
        progress::check(program, &order)?;
        Ok(order)
    }

    /// Whether `a` happens before `b`.
    pub fn before(&self, a: Moment, b: Moment) -> bool {
        self.graph.before(a, b)
    }

    /// Whether `a` happens before `b` whatever fails in the program. A command that fails need not wait for the rest
    /// of its list. A host thread waits for all of its own ("This function waits on the host thread for commands
    /// identified by event objects in _event_list_ to complete. A command is considered complete if its execution
    /// status is CL_COMPLETE or a negative value", clWaitForEvents).
    pub fn surely(&self, a: Moment, b: Moment) -> bool {
        self.sure.as_ref().unwrap_or(&self.graph).before(a, b)
    }

    /// A shortest chain of edges from `a` to `b`; empty where there is none.
    pub fn path(&self, a: Moment, b: Moment) -> Vec<Edge> {
        self.graph.path(a, b, |_| false)
    }

    /// The rules on a shortest chain from `a` to `b`, each once: those that give its edges, in the
    /// order of the chain, and then those that say the same in other words.
    pub fn rules_between(&self, a: Moment, b: Moment) -> Vec<RuleId> {
        let path = self.path(a, b);
        let given = path.iter().filter_map(rule_of);
        let same = path.iter().flat_map(|edge| self.in_other_words(edge));
        let mut rules = Vec::new();
        for rule in given.chain(same) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        if rules.len() > 2 {
            rules.push(rule::SP_TRANSITIVE);
        }
        rules
    }

    /// Rules of the execution model that a rule of synchronization follows from, or that it makes
    /// whole.
    fn in_other_words(&self, edge: &Edge) -> Vec<RuleId> {
        let Some(given) = rule_of(edge) else {
            return match (edge.why, edge.from) {
                (Why::Runs, Moment::Start(c)) if self.facts[c.index()].native => {
                    vec![rule::KIND_NATIVE]
                }
                (Why::Runs, Moment::Start(c)) if self.facts[c.index()].kernel => {
                    vec![rule::SP_KERNEL_START, rule::SP_KERNEL_END]
                }
                _ => Vec::new(),
            };
        };
        let mut same = match given {
            rule::SP_EVENT_WAIT => vec![rule::PREREQ_WAIT_LIST],
            rule::SP_IN_ORDER => vec![rule::QUEUE_IN_ORDER],
            rule::SP_BLOCKING => vec![rule::QUEUE_BLOCKING],
            rule::SP_BARRIER | rule::SP_BARRIER_LIST => vec![rule::PREREQ_BARRIER],
            rule::SP_MARKER | rule::SP_MARKER_LIST => vec![rule::PREREQ_MARKER],
            rule::SP_USER_EVENT => vec![rule::PREREQ_WAIT_LIST],
            _ => Vec::new(),
        };
        if let Moment::End(_) = edge.from {
            same.push(rule::SP_COMPLETION_EVENT);
        }
        if let Moment::Start(to) = edge.to
            && given != rule::SP_IN_ORDER
            && given != rule::SP_ENQUEUE
        {
            let to = self.facts[to.index()];
            same.push(rule::NOT_BEFORE_READY);
            if to.out_of_order {
                same.push(rule::QUEUE_OUT_OF_ORDER_DEPS);
            }
            if let Moment::End(from) = edge.from
                && self.facts[from.index()].queue != to.queue
            {
                same.push(rule::QUEUE_CROSS_EVENT);
            }
        }
        same
    }

    /// Every moment, in an order that the relation allows.
    pub fn moments(&self) -> impl Iterator<Item = Moment> {
        self.graph.sorted()
    }

    /// Every edge.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        self.graph.edges()
    }

    /// The step that enqueues a command.
    pub fn enqueued(&self, command: CommandId) -> Place {
        self.enqueued[command.index()]
    }

    /// The step that registers a callback.
    pub fn registered(&self, callback: CallbackId) -> Place {
        self.registered[callback.index()]
    }

    /// The step that sets a user event, with the status.
    pub fn set(&self, user: UserId) -> Option<(Place, i32)> {
        self.set[user.index()]
    }

    /// How a command must end.
    pub fn fate(&self, command: CommandId) -> Fate {
        self.fates[command.index()]
    }

    /// How an event must end.
    pub fn fate_of_event(&self, event: Event) -> Fate {
        match event {
            Event::Command(command) => self.fate(command),
            Event::User(user) => match self.set(user) {
                Some((_, status)) if status < 0 => Fate::Fails,
                Some(_) | None => Fate::Completes,
            },
        }
    }

    /// The moment at which an event is complete; `None` for a user event that is never set.
    pub fn completion(&self, event: Event) -> Option<Moment> {
        match event {
            Event::Command(command) => Some(Moment::End(command)),
            Event::User(user) => self.set(user).map(|(place, _)| Moment::Call(place)),
        }
    }

    /// Whether anything fails in the program.
    pub fn has_failures(&self) -> bool {
        self.set.iter().flatten().any(|(_, status)| *status < 0)
    }

    fn draw_sure(&self) -> Option<Graph> {
        if !self.has_failures() {
            return None;
        }
        let mut sure = Graph::default();
        for edge in self.graph.edges() {
            let several = |edge: &Edge| {
                let others = self.graph.incoming(edge.to);
                let waits = others
                    .filter(|e| e.why != Why::Sequence && rule_of(e) != Some(rule::SP_ENQUEUE));
                waits.count() > 1
            };
            let fails = |c: CommandId| self.fate(c) != Fate::Completes;
            let may_be_cut_short = matches!(edge.to, Moment::Start(c) if fails(c));
            let of_the_host = edge.why == Why::Sequence || rule_of(&edge) == Some(rule::SP_ENQUEUE);
            if of_the_host || !may_be_cut_short || !several(&edge) {
                sure.edge(edge.from, edge.to, edge.why);
            }
        }
        // A part of a graph without cycles has none.
        sure.close().ok()?;
        Some(sure)
    }

    fn draw_fates(&self, program: &Program) -> Vec<Fate> {
        let mut fates = vec![Fate::Completes; program.commands.len()];
        for moment in self.graph.sorted() {
            let Moment::Start(id) = moment else { continue };
            let command = &program.commands[id.index()];
            let of = |event: &Event| match event {
                Event::Command(c) => fates[c.index()],
                Event::User(_) => self.fate_of_event(*event),
            };
            let listed: Vec<Fate> = command.wait.iter().map(of).collect();
            let implied = self.graph.incoming(moment).any(|edge| match edge.from {
                Moment::End(c) => fates[c.index()] != Fate::Completes,
                Moment::Call(_) | Moment::Return(_) | Moment::Start(_) | Moment::Run(_) => false,
            });
            fates[id.index()] = if listed.contains(&Fate::Fails) {
                Fate::Fails
            } else if implied || listed.contains(&Fate::Open) {
                Fate::Open
            } else {
                Fate::Completes
            };
        }
        fates
    }
}

impl Facts {
    fn of(program: &Program, command: &Command) -> Facts {
        Facts {
            queue: command.queue.0,
            out_of_order: program.queues[command.queue.index()].out_of_order,
            kernel: matches!(command.what, What::Kernel(_)),
            native: matches!(command.what, What::Native(_)),
        }
    }
}

/// The commands of each queue with their places.
fn by_queue(program: &Program) -> BTreeMap<u16, Vec<CommandId>> {
    let mut queues: BTreeMap<u16, Vec<CommandId>> = BTreeMap::new();
    for (id, command) in program.commands() {
        queues.entry(command.queue.0).or_default().push(id);
    }
    queues
}

/// The queues that a step flushes, told or not.
fn flushes(program: &Program, step: &Step) -> Vec<u16> {
    let queue_of = |id: &CommandId| program.commands[id.index()].queue.0;
    if let Step::Flush(queue) | Step::Finish(queue) | Step::ReleaseQueue(queue) = step {
        vec![queue.0]
    } else if let Step::Enqueue(id) = step
        && program.commands[id.index()].blocking
    {
        vec![queue_of(id)]
    } else if let Step::Wait(events) = step {
        let commands = events.iter().filter_map(|event| event.command());
        commands.map(|id| queue_of(&id)).collect()
    } else {
        Vec::new()
    }
}

/// Whether a step is done in a callback.
fn in_callback(place: Place) -> bool {
    matches!(place.who, Who::Callback(_))
}
