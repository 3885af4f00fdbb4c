//! The order that commands have: from queues, wait lists and host calls to a partial order between
//! the points of host threads and the kernel-instances.
//!
//! Each host call is entered and returns, each command starts and ends; the rules of "Host-Side and
//! Device-Side Commands" (3.3.6.5) are edges between these, and the order is their closure. A
//! command's end is the completion that its event signals. Also says which accesses to memory meet
//! it mapped as they need it.
//!
//! Every run makes the same calls in the same order: calls stand outside branches and loops, a queue
//! belongs to one host thread, and commands do not wait for one another in a circle.

use super::{
    CommandId, CommandKind, HostCall, Instr, LocId, MapAccess, Memory, Placement, Program, QueueId,
    QueueOrder, Region, ThreadId,
};
use std::collections::VecDeque;
use std::fmt;
use thiserror::Error;

/// Most calls that the host threads of a program make.
const MAX_CALLS: usize = 256;

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
    /// For each node the nodes after it.
    after: Vec<Vec<bool>>,
    /// The edges that the rules state, each with its rule.
    links: Vec<(usize, usize, Link)>,
    /// First node of each thread's calls, and how many calls there are.
    calls: Vec<(usize, u32)>,
    /// Mappings.
    maps: Vec<Mapping>,
}

/// What puts one command, or one call of a host thread, before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The beginning of a command or a call is before its end, and a call before the next one.
    Inner,
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

/// From the start of a map command to the end of the unmap command, if there is one.
#[derive(Debug, Clone, Copy)]
struct Mapping {
    location: LocId,
    access: MapAccess,
    map: CommandId,
    unmap: Option<CommandId>,
    /// The call that enqueues the unmap command.
    given_back: Option<(ThreadId, u32)>,
}

/// Something that is wrong with the commands of a program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct CommandError {
    /// Where.
    pub at: Where,
    /// What.
    pub what: Mistake,
}

/// What an error about commands is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// A thread's call, numbered from 0 in the order of its body, those in branches and loops
    /// included.
    Call(ThreadId, u32),
    /// A thread's place.
    Thread(ThreadId),
    /// The test as a whole.
    Program,
}

/// A mistake in the use of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// A work-item calls the host's API.
    NotHost,
    /// A call in a branch or a loop, or one that a return may skip.
    Conditional,
    /// The host makes too many calls.
    TooMany,
    /// A command, queue or kernel that does not exist.
    Unknown,
    /// A command is enqueued twice.
    Twice(String),
    /// A command is never enqueued.
    Never(String),
    /// Two commands have one name.
    SameName(String),
    /// Two host threads use one queue.
    SharedQueue(String),
    /// A queue whose kernels are on two devices.
    TwoDevices(String),
    /// A work-item without a kernel, in a program with commands.
    NoKernel,
    /// A host thread with a kernel.
    HostInKernel,
    /// A thread's kernel is another kind of command.
    NotKernel(String),
    /// A kernel without threads.
    Empty(String),
    /// A wait without events.
    WaitsForNothing,
    /// Commands that wait for one another.
    Circle(String),
    /// A map or unmap of local memory.
    LocalMapped(String),
    /// An unmap of something that the thread has not mapped.
    NotMapped(String),
    /// Two mappings that may overlap, one of them for writing.
    MappedTwice(String),
    /// Local memory that two kernels, or a kernel and the host, use.
    LocalShared(String),
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::NotHost => f.write_str("only host threads can call the OpenCL API"),
            Mistake::Conditional => f.write_str(
                "a call of the OpenCL API cannot stand in a branch or a loop, or after a return",
            ),
            Mistake::TooMany => write!(f, "the host makes more than {MAX_CALLS} calls"),
            Mistake::Unknown => f.write_str("a command, a queue or a kernel does not exist"),
            Mistake::Twice(name) => write!(f, "{name} is enqueued twice"),
            Mistake::Never(name) => write!(f, "{name} is never enqueued"),
            Mistake::SameName(name) => write!(f, "two commands are named {name}"),
            Mistake::SharedQueue(queue) => write!(f, "two host threads use the queue {queue}"),
            Mistake::TwoDevices(name) => write!(f, "{name} is on two devices"),
            Mistake::NoKernel => {
                f.write_str("the test has commands, but this thread belongs to no kernel")
            }
            Mistake::HostInKernel => f.write_str("a host thread belongs to no kernel"),
            Mistake::NotKernel(name) => write!(f, "{name} is not a kernel"),
            Mistake::Empty(name) => write!(f, "no thread belongs to the kernel {name}"),
            Mistake::WaitsForNothing => f.write_str("clWaitForEvents needs at least one event"),
            Mistake::Circle(name) => {
                write!(f, "{name} cannot start before something that waits for it")
            }
            Mistake::LocalMapped(location) => {
                write!(f, "{location} is local memory, which cannot be mapped")
            }
            Mistake::NotMapped(location) => {
                write!(f, "this thread has no mapping of {location} left to end")
            }
            Mistake::MappedTwice(location) => {
                write!(f, "{location} may be mapped twice at once, and for writing")
            }
            Mistake::LocalShared(location) => write!(
                f,
                "{location} is local memory, and more than one kernel uses it"
            ),
        }
    }
}

impl Mistake {
    /// What to do about it, where that is not plain.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Mistake::SharedQueue(_) => Some(
                "the order of its commands would not be determined; give each host thread queues \
                 of its own",
            ),
            Mistake::NoKernel => Some("place it as in P1@kernel A, wg 0, dev 0"),
            Mistake::Never(_) => {
                Some("a host thread enqueues it, as in clEnqueueNDRangeKernel(q, A)")
            }
            Mistake::Empty(_) => Some("place its threads as in P1@kernel A, wg 0, dev 0"),
            Mistake::Conditional => Some("every run must make the same calls in the same order"),
            Mistake::MappedTwice(_) => {
                Some("end one mapping before the other starts, or map both for reading")
            }
            Mistake::NotHost
            | Mistake::TooMany
            | Mistake::Unknown
            | Mistake::Twice(_)
            | Mistake::SameName(_)
            | Mistake::TwoDevices(_)
            | Mistake::HostInKernel
            | Mistake::NotKernel(_)
            | Mistake::WaitsForNothing
            | Mistake::Circle(_)
            | Mistake::LocalMapped(_)
            | Mistake::NotMapped(_)
            | Mistake::LocalShared(_) => None,
        }
    }
}

fn mistake<T>(at: Where, what: Mistake) -> Result<T, CommandError> {
    Err(CommandError { at, what })
}

impl CommandOrder {
    /// The order of a program's commands, or what is wrong with them.
    pub fn of(program: &Program) -> Result<CommandOrder, CommandError> {
        let calls = calls(program)?;
        if program.commands.is_empty() && calls.iter().all(Vec::is_empty) {
            return match program.threads.iter().position(|t| t.kernel.is_some()) {
                Some(t) => mistake(Where::Thread(ThreadId(t as u32)), Mistake::Unknown),
                None => Ok(CommandOrder::default()),
            };
        }
        let enqueued = enqueued(program, &calls)?;
        kernels(program, &enqueued)?;
        let mut order = CommandOrder {
            maps: mappings(program, &calls)?,
            ..CommandOrder::default()
        };
        order.edges(program, &calls);
        order.close();
        order.check(program, &enqueued)?;
        Ok(order)
    }

    /// Whether everything at `a` happens before everything at `b` because of commands. Says nothing
    /// of two points of one host thread or of one kernel.
    pub fn before(&self, a: Point, b: Point) -> bool {
        match (self.leaves(a), self.arrives(b)) {
            (Some(from), Some(to)) => self.reaches(from, to),
            (Some(_) | None, _) => false,
        }
    }

    /// Why everything at `a` happens before everything at `b`: the fewest rules that lead from one
    /// to the other, in their order; none where commands do not order the two.
    pub fn why(&self, a: Point, b: Point) -> Vec<Link> {
        let (Some(from), Some(to)) = (self.leaves(a), self.arrives(b)) else {
            return Vec::new();
        };
        // How a node is reached with the fewest rules, nodes with few rules first.
        let mut reached: Vec<Option<(usize, Link)>> = vec![None; self.after.len()];
        let mut front = VecDeque::from([from]);
        while let Some(at) = front.pop_front() {
            for (_, next, link) in self.links.iter().filter(|(f, _, _)| *f == at) {
                if *next == from || reached[*next].is_some() {
                    continue;
                }
                reached[*next] = Some((at, *link));
                match link {
                    Link::Inner => front.push_front(*next),
                    Link::Enqueue(_)
                    | Link::Event(_)
                    | Link::InOrder(_)
                    | Link::Sync(_)
                    | Link::Wait(_)
                    | Link::Finish(_)
                    | Link::Blocking(_) => front.push_back(*next),
                }
            }
        }
        let mut chain = Vec::new();
        let mut at = to;
        while at != from {
            let Some((before, link)) = reached[at] else {
                return Vec::new();
            };
            chain.push(link);
            at = before;
        }
        chain.retain(|link| *link != Link::Inner);
        chain.reverse();
        chain
    }

    /// The first node that comes after a point.
    fn leaves(&self, a: Point) -> Option<usize> {
        match a {
            Point::Host(thread, made) => {
                let &(first, count) = self.calls.get(thread.index())?;
                (made < count).then(|| first + 2 * made as usize)
            }
            Point::Kernel(command) => Some(end(command)),
            Point::Free => None,
        }
    }

    /// The last node that comes before a point.
    fn arrives(&self, b: Point) -> Option<usize> {
        match b {
            Point::Host(thread, made) => {
                let &(first, _) = self.calls.get(thread.index())?;
                (made > 0).then(|| first + 2 * made as usize - 1)
            }
            Point::Kernel(command) => Some(start(command)),
            Point::Free => None,
        }
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
                let earlier = self.reaches(end(kernel), start(m.map));
                let later = m
                    .unmap
                    .is_some_and(|unmap| self.reaches(end(unmap), start(kernel)));
                conflicts && !earlier && !later
            }),
            Point::Free => false,
        }
    }

    /// Whether everything at `at` comes before a host call is entered.
    fn enters(&self, at: Point, thread: ThreadId, call: u32) -> bool {
        let Some(&(first, _)) = self.calls.get(thread.index()) else {
            return false;
        };
        let Point::Host(t, made) = at else {
            return false;
        };
        match self.calls.get(t.index()) {
            Some(&(own, count)) if made < count => {
                self.reaches(own + 2 * made as usize, first + 2 * call as usize)
            }
            Some(_) | None => false,
        }
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        self.after[from][to]
    }

    fn edge(&mut self, from: usize, to: usize, link: Link) {
        self.after[from][to] = true;
        self.links.push((from, to, link));
    }

    /// The rules, each an edge.
    fn edges(&mut self, program: &Program, calls: &[Vec<HostCall>]) {
        let commands = program.commands.len();
        let mut next = 2 * commands;
        for thread in calls {
            self.calls.push((next, thread.len() as u32));
            next += 2 * thread.len();
        }
        self.after = vec![vec![false; next]; next];
        for c in 0..commands as u32 {
            // All operations of a kernel-instance are between its start and its completion.
            // [sp.kernel-start, sp.kernel-end, sp.completion-event]
            self.edge(start(CommandId(c)), end(CommandId(c)), Link::Inner);
        }
        for (t, thread) in calls.iter().enumerate() {
            let first = self.calls[t].0;
            // What each queue of this thread holds so far.
            let mut held: Vec<(QueueId, Vec<CommandId>)> = Vec::new();
            for (k, call) in thread.iter().enumerate() {
                let (entry, exit) = (first + 2 * k, first + 2 * k + 1);
                self.edge(entry, exit, Link::Inner);
                if k + 1 < thread.len() {
                    self.edge(exit, exit + 1, Link::Inner);
                }
                match call {
                    HostCall::Enqueue(command) => {
                        let queue = program.commands[command.index()].queue;
                        let at = match held.iter().position(|(q, _)| *q == queue) {
                            Some(at) => at,
                            None => {
                                held.push((queue, Vec::new()));
                                held.len() - 1
                            }
                        };
                        self.enqueue(program, *command, entry, exit, &held[at].1);
                        held[at].1.push(*command);
                    }
                    // [sp.host-wait]
                    HostCall::Wait(events) => {
                        for event in events {
                            self.edge(end(*event), exit, Link::Wait(*event));
                        }
                    }
                    // [sp.finish]
                    HostCall::Finish(queue) => {
                        for (_, earlier) in held.iter().filter(|(q, _)| q == queue) {
                            for command in earlier {
                                self.edge(end(*command), exit, Link::Finish(*queue));
                            }
                        }
                    }
                }
            }
        }
    }

    fn enqueue(
        &mut self,
        program: &Program,
        id: CommandId,
        entry: usize,
        exit: usize,
        earlier: &[CommandId],
    ) {
        let command = &program.commands[id.index()];
        // [sp.enqueue]
        self.edge(entry, start(id), Link::Enqueue(id));
        // [sp.event-wait, sp.marker-list, sp.barrier-list]
        for event in &command.waits {
            self.edge(end(*event), start(id), Link::Event(*event));
        }
        // [sp.in-order]
        if program.queues[command.queue.index()].order == QueueOrder::InOrder
            && let Some(last) = earlier.last()
        {
            self.edge(end(*last), start(id), Link::InOrder(command.queue));
        }
        for other in earlier {
            // What is enqueued after a barrier starts after it. [sp.barrier]
            if program.commands[other.index()].kind == CommandKind::Barrier {
                self.edge(end(*other), start(id), Link::Sync(*other));
            }
        }
        match command.kind {
            // With an empty list they wait for all that was enqueued before them.
            // [sp.marker, sp.barrier]
            CommandKind::Marker | CommandKind::Barrier if command.waits.is_empty() => {
                for other in earlier {
                    self.edge(end(*other), start(id), Link::Sync(id));
                }
            }
            // [sp.blocking]
            CommandKind::Map { blocking: true, .. } => {
                self.edge(end(id), exit, Link::Blocking(id));
            }
            CommandKind::Kernel
            | CommandKind::Marker
            | CommandKind::Barrier
            | CommandKind::Map { .. }
            | CommandKind::Unmap { .. } => {}
        }
    }

    /// Chains of edges are edges. [sp.transitive]
    fn close(&mut self) {
        let n = self.after.len();
        for via in 0..n {
            let beyond = self.after[via].clone();
            for row in &mut self.after {
                if row[via] {
                    for (to, reached) in row.iter_mut().zip(&beyond) {
                        *to |= reached;
                    }
                }
            }
        }
    }

    /// What only the closed order tells: circles, and mappings that overlap.
    fn check(&self, program: &Program, enqueued: &[(ThreadId, u32)]) -> Result<(), CommandError> {
        let place = |c: CommandId| {
            let (thread, call) = enqueued[c.index()];
            Where::Call(thread, call)
        };
        for c in (0..program.commands.len() as u32).map(CommandId) {
            if self.reaches(start(c), start(c)) || self.reaches(end(c), end(c)) {
                let name = program.commands[c.index()].name.clone();
                return mistake(place(c), Mistake::Circle(name));
            }
        }
        for (i, a) in self.maps.iter().enumerate() {
            for b in &self.maps[i + 1..] {
                if a.location != b.location
                    || (a.access == MapAccess::Read && b.access == MapAccess::Read)
                {
                    continue;
                }
                let apart = |x: &Mapping, y: &Mapping| {
                    x.unmap
                        .is_some_and(|unmap| self.reaches(end(unmap), start(y.map)))
                };
                if !apart(a, b) && !apart(b, a) {
                    let name = program.locations[a.location.index()].name.clone();
                    return mistake(place(b.map), Mistake::MappedTwice(name));
                }
            }
        }
        Ok(())
    }
}

fn start(command: CommandId) -> usize {
    2 * command.index()
}

fn end(command: CommandId) -> usize {
    2 * command.index() + 1
}

/// The calls of each thread.
fn calls(program: &Program) -> Result<Vec<Vec<HostCall>>, CommandError> {
    let mut total = 0;
    let mut all = Vec::with_capacity(program.threads.len());
    for (t, thread) in program.threads.iter().enumerate() {
        let id = ThreadId(t as u32);
        let mut seen = Seen::default();
        seen.block(&thread.body, 0);
        if let Some(call) = seen.conditional {
            return mistake(Where::Call(id, call), Mistake::Conditional);
        }
        if thread.placement != Placement::Host && !seen.calls.is_empty() {
            return mistake(Where::Call(id, 0), Mistake::NotHost);
        }
        total += seen.calls.len();
        if total > MAX_CALLS {
            return mistake(Where::Call(id, 0), Mistake::TooMany);
        }
        all.push(seen.calls);
    }
    Ok(all)
}

/// Calls found in a body.
#[derive(Default)]
struct Seen {
    calls: Vec<HostCall>,
    number: u32,
    returned: bool,
    /// The first call that not every run makes.
    conditional: Option<u32>,
}

impl Seen {
    fn block(&mut self, body: &[Instr], depth: u32) {
        for instr in body {
            match instr {
                Instr::Host(call) => {
                    if depth > 0 || self.returned {
                        self.conditional.get_or_insert(self.number);
                    }
                    self.number += 1;
                    self.calls.push(call.clone());
                }
                Instr::Return => self.returned = true,
                Instr::If {
                    then, otherwise, ..
                } => {
                    self.block(then, depth + 1);
                    self.block(otherwise, depth + 1);
                }
                Instr::While { body, .. } => self.block(body, depth + 1),
                Instr::Assign { .. }
                | Instr::Effect(_)
                | Instr::Store { .. }
                | Instr::Fence { .. }
                | Instr::Barrier(_) => {}
            }
        }
    }
}

/// Which call enqueues each command.
fn enqueued(
    program: &Program,
    calls: &[Vec<HostCall>],
) -> Result<Vec<(ThreadId, u32)>, CommandError> {
    let mut by: Vec<Option<(ThreadId, u32)>> = vec![None; program.commands.len()];
    let mut owners: Vec<Option<ThreadId>> = vec![None; program.queues.len()];
    for (t, thread) in calls.iter().enumerate() {
        let thread_id = ThreadId(t as u32);
        for (k, call) in thread.iter().enumerate() {
            let at = Where::Call(thread_id, k as u32);
            let (events, queue): (&[CommandId], Option<QueueId>) = match call {
                HostCall::Enqueue(id) => {
                    let Some(command) = program.commands.get(id.index()) else {
                        return mistake(at, Mistake::Unknown);
                    };
                    if by[id.index()].replace((thread_id, k as u32)).is_some() {
                        return mistake(at, Mistake::Twice(command.name.clone()));
                    }
                    let before = &program.commands[..id.index()];
                    if before.iter().any(|c| c.name == command.name) {
                        return mistake(at, Mistake::SameName(command.name.clone()));
                    }
                    (&command.waits, Some(command.queue))
                }
                HostCall::Wait(events) if events.is_empty() => {
                    return mistake(at, Mistake::WaitsForNothing);
                }
                HostCall::Wait(events) => (events, None),
                HostCall::Finish(queue) => (&[], Some(*queue)),
            };
            if events.iter().any(|e| e.index() >= program.commands.len()) {
                return mistake(at, Mistake::Unknown);
            }
            if let Some(queue) = queue {
                let Some(owner) = owners.get_mut(queue.index()) else {
                    return mistake(at, Mistake::Unknown);
                };
                if *owner.get_or_insert(thread_id) != thread_id {
                    let name = program.queues[queue.index()].name.clone();
                    return mistake(at, Mistake::SharedQueue(name));
                }
            }
        }
    }
    let mut out = Vec::with_capacity(by.len());
    for (command, by) in program.commands.iter().zip(by) {
        match by {
            Some(by) => out.push(by),
            None => return mistake(Where::Program, Mistake::Never(command.name.clone())),
        }
    }
    Ok(out)
}

/// Checks that threads, kernels, queues, devices and local memory fit together.
fn kernels(program: &Program, enqueued: &[(ThreadId, u32)]) -> Result<(), CommandError> {
    let mut members = vec![false; program.commands.len()];
    let mut devices: Vec<Option<u32>> = vec![None; program.queues.len()];
    let mut owners: Vec<Option<Option<CommandId>>> = vec![None; program.locations.len()];
    for (t, thread) in program.threads.iter().enumerate() {
        let at = Where::Thread(ThreadId(t as u32));
        match (thread.placement, thread.kernel) {
            (Placement::Host, None) => {}
            (Placement::Host, Some(_)) => return mistake(at, Mistake::HostInKernel),
            (Placement::Device { .. }, None) => return mistake(at, Mistake::NoKernel),
            (Placement::Device { device, .. }, Some(kernel)) => {
                let Some(command) = program.commands.get(kernel.index()) else {
                    return mistake(at, Mistake::Unknown);
                };
                if command.kind != CommandKind::Kernel {
                    return mistake(at, Mistake::NotKernel(command.name.clone()));
                }
                members[kernel.index()] = true;
                if *devices[command.queue.index()].get_or_insert(device) != device {
                    let name = program.queues[command.queue.index()].name.clone();
                    return mistake(at, Mistake::TwoDevices(name));
                }
            }
        }
        let mut shared = None;
        thread.each_location(&mut |location| {
            let declared = &program.locations[location.index()];
            if declared.region == Region::Local
                && *owners[location.index()].get_or_insert(thread.kernel) != thread.kernel
            {
                shared = Some(declared.name.clone());
            }
        });
        if let Some(name) = shared {
            return mistake(at, Mistake::LocalShared(name));
        }
    }
    for ((command, has_threads), (thread, call)) in
        program.commands.iter().zip(members).zip(enqueued)
    {
        if command.kind == CommandKind::Kernel && !has_threads {
            return mistake(
                Where::Call(*thread, *call),
                Mistake::Empty(command.name.clone()),
            );
        }
    }
    Ok(())
}

/// Every mapping with the unmap that ends it.
fn mappings(program: &Program, calls: &[Vec<HostCall>]) -> Result<Vec<Mapping>, CommandError> {
    let mut maps: Vec<Mapping> = Vec::new();
    for (t, thread) in calls.iter().enumerate() {
        let id = ThreadId(t as u32);
        let own = maps.len();
        for (k, call) in thread.iter().enumerate() {
            let at = Where::Call(id, k as u32);
            let HostCall::Enqueue(command) = call else {
                continue;
            };
            let location = match program.commands[command.index()].kind {
                CommandKind::Map { location, .. } | CommandKind::Unmap { location } => location,
                CommandKind::Kernel | CommandKind::Marker | CommandKind::Barrier => continue,
            };
            let Some(declared) = program.locations.get(location.index()) else {
                return mistake(at, Mistake::Unknown);
            };
            if declared.region == Region::Local {
                return mistake(at, Mistake::LocalMapped(declared.name.clone()));
            }
            if let CommandKind::Map { access, .. } = program.commands[command.index()].kind {
                maps.push(Mapping {
                    location,
                    access,
                    map: *command,
                    unmap: None,
                    given_back: None,
                });
                continue;
            }
            let open = maps[own..]
                .iter_mut()
                .rev()
                .find(|m| m.location == location && m.unmap.is_none());
            match open {
                Some(mapping) => {
                    mapping.unmap = Some(*command);
                    mapping.given_back = Some((id, k as u32));
                }
                None => return mistake(at, Mistake::NotMapped(declared.name.clone())),
            }
        }
    }
    Ok(maps)
}
