//! The order that commands have: a program as the rules of synchronization points see it, and what
//! their order means for the points of host threads and the kernel-instances.
//!
//! The rules themselves are in [`classay_order`]. A command's end is the completion that its event
//! signals. Also says which accesses to memory meet it mapped as they need it.
//!
//! Every run makes the same calls in the same order: calls stand outside branches and loops, a queue
//! belongs to one host thread, and commands do not wait for one another in a circle.

mod check;
mod mapping;
mod mistake;

pub use mistake::{CommandError, Mistake, Where};

use super::{
    Command, CommandId, CommandKind, HostCall, LocId, MapAccess, Memory, Program, QueueId,
    QueueOrder, ThreadId,
};
use classay_order::{CommandRole, Edge, Event, Graph, HostSide, Rule, Sequence, Step, Why};
use mapping::Mapping;
use mistake::mistake;
use std::convert::Infallible;

/// A call of a host thread, by its number there.
type Call = (ThreadId, u32);
/// A test has no callbacks.
type Moment = classay_order::Moment<Call, CommandId, Infallible>;

/// A point of a program, as commands order it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// In a host thread, after so many of its calls.
    Host(ThreadId, u32),
    /// In a kernel-instance.
    Kernel(CommandId),
    /// In a kernel-instance of a program without commands.
    Free,
}

/// The order of a program's commands.
#[derive(Debug, Clone, Default)]
pub struct CommandOrder {
    graph: Graph<Moment, Why>,
    /// For each thread the numbers in the graph of the entry and the return of each call.
    calls: Vec<Vec<(usize, usize)>>,
    /// For each command the numbers of its start and its end.
    commands: Vec<(usize, usize)>,
    /// The queue of each command, and whether it is a barrier.
    facts: Vec<(QueueId, bool)>,
    maps: Vec<Mapping>,
}

/// What puts one command, or one call of a host thread, before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A host thread enqueues the command.
    Enqueue(CommandId),
    /// A command waits for this event.
    Event(CommandId),
    /// An in-order queue.
    InOrder(QueueId),
    /// This barrier or marker waits for what its queue holds.
    Sync(CommandId),
    /// A host thread waits for this event.
    Wait(CommandId),
    /// A host thread waits for all that is in this queue.
    Finish(QueueId),
    /// A call returns when this command is complete.
    Blocking(CommandId),
}

impl CommandOrder {
    /// The order of a program's commands.
    ///
    /// # Errors
    /// What is wrong with the commands.
    pub fn of(program: &Program) -> Result<CommandOrder, CommandError> {
        check::local_memory(program)?;
        let calls = check::calls(program)?;
        if program.commands.is_empty() && calls.iter().all(Vec::is_empty) {
            return match program.threads.iter().position(|t| t.kernel.is_some()) {
                Some(t) => mistake(Where::Thread(ThreadId(t as u32)), Mistake::Unknown),
                None => Ok(CommandOrder::default()),
            };
        }
        let enqueued = check::enqueued(program, &calls)?;
        check::kernels(program, &enqueued)?;
        let maps = mapping::mappings(program, &calls)?;
        let place = |command: CommandId| {
            let (thread, call) = enqueued[command.index()];
            Where::Call(thread, call)
        };
        let graph = classay_order::draw(&host_side(program, &calls)).map_err(|cycle| {
            let command = cycle.0.into_iter().filter_map(command_of).min();
            CommandError {
                at: command.map_or(Where::Program, place),
                what: Mistake::Circle(command.map_or(String::new(), |command| {
                    program.commands[command.index()].name.clone()
                })),
            }
        })?;
        let order = CommandOrder::numbered(program, &calls, graph, maps);
        order.check_mappings(program, place)?;
        Ok(order)
    }

    fn numbered(
        program: &Program,
        calls: &[Vec<HostCall>],
        graph: Graph<Moment, Why>,
        maps: Vec<Mapping>,
    ) -> CommandOrder {
        let number = |moment: Moment| graph.number(moment).unwrap_or_default();
        let thread = |(t, calls): (usize, &Vec<HostCall>)| {
            let calls = (0..calls.len() as u32).map(|k| (ThreadId(t as u32), k));
            calls
                .map(|call| (number(Moment::Call(call)), number(Moment::Return(call))))
                .collect()
        };
        let ids = (0..program.commands.len() as u32).map(CommandId);
        CommandOrder {
            calls: calls.iter().enumerate().map(thread).collect(),
            commands: ids
                .map(|c| (number(Moment::Start(c)), number(Moment::End(c))))
                .collect(),
            facts: program
                .commands
                .iter()
                .map(|c| (c.queue, c.kind == CommandKind::Barrier))
                .collect(),
            graph,
            maps,
        }
    }

    /// Whether everything at `a` happens before everything at `b` because of commands. Says nothing
    /// of two points of one host thread or of one kernel.
    pub fn before(&self, a: Point, b: Point) -> bool {
        let ends = self.leaves(a).zip(self.arrives(b));
        ends.is_some_and(|(from, to)| self.graph.is_before(from, to))
    }

    /// Why everything at `a` happens before everything at `b`: the fewest rules that lead from one
    /// to the other, in their order; none where commands do not order the two.
    pub fn why(&self, a: Point, b: Point) -> Vec<Link> {
        let (Some(from), Some(to)) = (self.leaves(a), self.arrives(b)) else {
            return Vec::new();
        };
        let is_free = |why: Why| why.rule().is_none();
        let path = self.graph.path_of(from, to, is_free);
        path.iter().filter_map(|edge| self.link(edge)).collect()
    }

    /// What gives an edge; nothing where the beginning of a command or a call is before its end, or
    /// a call before the next one.
    fn link(&self, edge: &Edge<Moment, Why>) -> Option<Link> {
        let rule = edge.why.rule()?;
        let (from, to) = (command_of(edge.from), command_of(edge.to));
        let queue = |command: CommandId| self.facts[command.index()].0;
        Some(match rule {
            Rule::Enqueue => Link::Enqueue(to?),
            Rule::EventWait | Rule::MarkerList => Link::Event(from?),
            // What is enqueued after a barrier starts after it.
            Rule::Barrier | Rule::BarrierList if self.facts[from?.index()].1 => Link::Sync(from?),
            Rule::BarrierList => Link::Event(from?),
            Rule::Barrier | Rule::Marker => Link::Sync(to?),
            Rule::InOrder => Link::InOrder(queue(from?)),
            Rule::HostWait => Link::Wait(from?),
            Rule::Blocking => Link::Blocking(from?),
            Rule::Finish => Link::Finish(queue(from?)),
            Rule::UserEvent | Rule::Callback => return None,
        })
    }

    /// The first moment that comes after a point.
    fn leaves(&self, a: Point) -> Option<usize> {
        match a {
            Point::Host(thread, made) => {
                let calls = self.calls.get(thread.index())?;
                calls.get(made as usize).map(|(entry, _)| *entry)
            }
            Point::Kernel(command) => Some(self.end(command)),
            Point::Free => None,
        }
    }

    /// The last moment that comes before a point.
    fn arrives(&self, b: Point) -> Option<usize> {
        match b {
            Point::Host(thread, made) => {
                let calls = self.calls.get(thread.index())?;
                let last = (made as usize).checked_sub(1)?;
                calls.get(last).map(|(_, back)| *back)
            }
            Point::Kernel(command) => Some(self.start(command)),
            Point::Free => None,
        }
    }

    fn start(&self, command: CommandId) -> usize {
        self.commands[command.index()].0
    }

    fn end(&self, command: CommandId) -> usize {
        self.commands[command.index()].1
    }

    /// Whether one command is complete before another starts.
    fn complete_before(&self, a: CommandId, b: CommandId) -> bool {
        self.graph.is_before(self.end(a), self.start(b))
    }

    /// Whether an access at `at` meets memory that is not mapped as it needs: a host thread reaches
    /// buffers and coarse-grained SVM only while they are mapped, and writes them only while they
    /// are mapped for writing; a kernel reads only what is not mapped for writing, and writes only
    /// what is not mapped ("Accessing Mapped Regions of a Memory Object").
    pub fn strays(&self, memory: Memory, location: LocId, at: Point, writes: bool) -> bool {
        if !memory.needs_map() {
            return false;
        }
        let mut mappings = self.maps.iter().filter(|m| m.location == location);
        match at {
            Point::Host(..) => !mappings.any(|m| {
                let allowed = !writes || m.access == MapAccess::Write;
                let kept = m.given_back.is_none_or(|(thread, call)| match at {
                    Point::Host(t, made) if t == thread => made <= call,
                    Point::Host(..) | Point::Kernel(_) | Point::Free => {
                        self.enters(at, thread, call)
                    }
                });
                allowed && kept && self.before(Point::Kernel(m.map), at)
            }),
            Point::Kernel(kernel) => mappings.any(|m| {
                let conflicts = writes || m.access == MapAccess::Write;
                let earlier = self.complete_before(kernel, m.map);
                let later = m
                    .unmap
                    .is_some_and(|unmap| self.complete_before(unmap, kernel));
                conflicts && !earlier && !later
            }),
            Point::Free => false,
        }
    }

    /// Whether everything at `at` comes before a host call is entered.
    fn enters(&self, at: Point, thread: ThreadId, call: u32) -> bool {
        let calls = |thread: ThreadId| self.calls.get(thread.index());
        let entered = calls(thread).and_then(|calls| calls.get(call as usize));
        match (at, entered) {
            (Point::Host(..), Some((entry, _))) => self
                .leaves(at)
                .is_some_and(|from| self.graph.is_before(from, *entry)),
            (Point::Host(..) | Point::Kernel(_) | Point::Free, _) => false,
        }
    }

    /// Checks that mappings do not overlap, where one of them is for writing.
    fn check_mappings(
        &self,
        program: &Program,
        place: impl Fn(CommandId) -> Where,
    ) -> Result<(), CommandError> {
        let apart = |a: &Mapping, b: &Mapping| {
            a.unmap
                .is_some_and(|unmap| self.complete_before(unmap, b.map))
        };
        for (i, a) in self.maps.iter().enumerate() {
            for b in &self.maps[i + 1..] {
                let reads = a.access == MapAccess::Read && b.access == MapAccess::Read;
                if a.location == b.location && !reads && !apart(a, b) && !apart(b, a) {
                    let name = program.locations[a.location.index()].name.clone();
                    return mistake(place(b.map), Mistake::MappedTwice(name));
                }
            }
        }
        Ok(())
    }
}

/// The command that a moment is of.
fn command_of(moment: Moment) -> Option<CommandId> {
    match moment {
        Moment::Start(command) | Moment::End(command) => Some(command),
        Moment::Call(_) | Moment::Return(_) => None,
        Moment::Run(never) => match never {},
    }
}

/// The program as the rules see it.
fn host_side(program: &Program, calls: &[Vec<HostCall>]) -> HostSide<Call, CommandId, Infallible> {
    let events = |list: &[CommandId]| list.iter().map(|c| Event::Command(*c)).collect();
    let command = |command: &Command| classay_order::Command {
        queue: command.queue.index(),
        in_order: program.queues[command.queue.index()].order == QueueOrder::InOrder,
        role: match command.kind {
            CommandKind::Marker => CommandRole::Marker,
            CommandKind::Barrier => CommandRole::Barrier,
            CommandKind::Kernel | CommandKind::Map { .. } | CommandKind::Unmap { .. } => {
                CommandRole::Other
            }
        },
        waits: events(&command.waits),
        blocking: matches!(command.kind, CommandKind::Map { blocking: true, .. }),
    };
    let step = |call: &HostCall| match call {
        HostCall::Enqueue(command) => Step::Enqueue(*command),
        HostCall::Wait(list) => Step::Wait(events(list)),
        HostCall::Finish(queue) => Step::Finish(queue.index()),
        HostCall::Flush(_) => Step::Other,
    };
    let sequence = |(t, calls): (usize, &Vec<HostCall>)| {
        let places = (0..).map(|k| (ThreadId(t as u32), k));
        Sequence {
            callback: None,
            steps: places.zip(calls.iter().map(step)).collect(),
        }
    };
    HostSide {
        commands: (0..)
            .map(CommandId)
            .zip(program.commands.iter().map(command))
            .collect(),
        sequences: calls.iter().enumerate().map(sequence).collect(),
    }
}
