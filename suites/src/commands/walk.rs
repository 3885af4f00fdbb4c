//! Goes through what a program names and uses, whatever commands and steps it has.

use super::program::*;
use std::collections::BTreeSet;
use std::slice::from_ref;

classay_vocabulary::words! {
    /// Things that parts of a program name by their numbers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Sort {
        /// A context.
        Context = "context",
        /// A queue.
        Queue = "queue",
        /// An object in memory.
        Object = "object",
        /// A command.
        Command = "command",
        /// A user event.
        User = "user event",
        /// A callback on an event.
        Callback = "callback",
        /// An access of the host.
        Access = "access",
        /// A signal from one host thread to others.
        Signal = "signal",
    }
}

impl Sort {
    /// What several are called.
    pub fn plural(self) -> String {
        let end = if self == Sort::Access { "es" } else { "s" };
        format!("{self}{end}")
    }
}

/// Gets the number of a thing that is named, and may change it; says whether that is there. What loses an entry of
/// a list goes on without it, and what loses anything else, or its whole list, is not there either.
pub type Visit<'v> = &'v mut dyn FnMut(Sort, &mut u16) -> bool;

/// A part of a program that names others.
pub trait Names {
    /// Visits everything that it names; says whether that is there.
    fn visit(&mut self, visit: Visit<'_>) -> bool;
}

impl Names for Event {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        match self {
            Event::Command(id) => visit(Sort::Command, &mut id.0),
            Event::User(id) => visit(Sort::User, &mut id.0),
        }
    }
}

impl Names for Range {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        visit(Sort::Object, &mut self.object.0)
    }
}

impl Names for ObjectId {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        visit(Sort::Object, &mut self.0)
    }
}

impl Names for ContextId {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        visit(Sort::Context, &mut self.0)
    }
}

impl Names for Queue {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        self.context.visit(visit)
    }
}

impl Names for Object {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        let parent = if let Kind::SubBuffer { of, .. } = &mut self.kind {
            of.visit(visit)
        } else {
            true
        };
        self.context.visit(visit) && parent
    }
}

impl Names for Access {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        let map = self.map.as_mut();
        self.range.visit(visit) && map.is_none_or(|map| visit(Sort::Command, &mut map.0))
    }
}

impl Names for Callback {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        self.event.visit(visit)
    }
}

impl Names for Command {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        some(&mut self.wait, visit);
        visit(Sort::Queue, &mut self.queue.0) && self.what.visit(visit)
    }
}

impl Names for What {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        match self {
            What::Kernel(kernel) | What::Native(kernel) => {
                some(&mut kernel.reads, visit);
                some(&mut kernel.writes, visit);
                true
            }
            What::Read(transfer) | What::Write(transfer) => {
                let host = transfer.host.as_mut();
                transfer.range.visit(visit) && host.is_none_or(|host| host.visit(visit))
            }
            What::Copy { from, to, .. } => from.visit(visit) && to.visit(visit),
            What::Fill(range) | What::Map { range, .. } => range.visit(visit),
            What::Unmap(map) => visit(Sort::Command, &mut map.0),
            What::Migrate { objects, .. } | What::Free(objects) => some(objects, visit),
            What::Marker | What::Barrier => true,
        }
    }
}

impl Names for Step {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        match self {
            Step::Enqueue(id) | Step::Inspect(id) => visit(Sort::Command, &mut id.0),
            Step::Flush(queue) | Step::Finish(queue) | Step::ReleaseQueue(queue) => {
                visit(Sort::Queue, &mut queue.0)
            }
            Step::Wait(events) => some(events, visit),
            Step::Set { user, .. } => visit(Sort::User, &mut user.0),
            Step::Register(id) => visit(Sort::Callback, &mut id.0),
            Step::Access(id) => visit(Sort::Access, &mut id.0),
            Step::Status(event) | Step::ReleaseEvent(event) => event.visit(visit),
            Step::Signal(id) | Step::Await(id) => visit(Sort::Signal, &mut id.0),
            Step::ReleaseObject(id) => id.visit(visit),
            Step::Sleep(_) | Step::Yield(_) => true,
        }
    }
}

impl Names for Program {
    fn visit(&mut self, visit: Visit<'_>) -> bool {
        some(&mut self.users, visit);
        some(&mut self.queues, visit);
        some(&mut self.objects, visit);
        some(&mut self.commands, visit);
        some(&mut self.callbacks, visit);
        some(&mut self.accesses, visit);
        for steps in self.lists_mut() {
            some(steps, visit);
        }
        true
    }
}

/// Visits the entries of a list, which loses those that are not there; says whether any are left.
fn some<T: Names>(list: &mut Vec<T>, visit: Visit<'_>) -> bool {
    list.retain_mut(|one| one.visit(visit));
    !list.is_empty()
}

impl Step {
    /// What only this step does: every one is done by exactly one step, and a user event is set by at most one.
    pub fn does(&self) -> Option<(Sort, usize)> {
        match self {
            Step::Enqueue(id) => Some((Sort::Command, id.index())),
            Step::Set { user, .. } => Some((Sort::User, user.index())),
            Step::Register(id) => Some((Sort::Callback, id.index())),
            Step::Access(id) => Some((Sort::Access, id.index())),
            Step::Signal(id) => Some((Sort::Signal, id.index())),
            Step::Flush(_)
            | Step::Finish(_)
            | Step::Wait(_)
            | Step::Inspect(_)
            | Step::Status(_)
            | Step::Await(_)
            | Step::Sleep(_)
            | Step::Yield(_)
            | Step::ReleaseEvent(_)
            | Step::ReleaseQueue(_)
            | Step::ReleaseObject(_) => None,
        }
    }
}

impl What {
    /// The cells that it reads while it runs, and those that it writes; a map's are the host's.
    pub fn data(&self) -> (&[Range], &[Range]) {
        match self {
            What::Kernel(kernel) | What::Native(kernel) => (&kernel.reads, &kernel.writes),
            What::Read(transfer) => (from_ref(&transfer.range), transfer.host.as_slice()),
            What::Write(transfer) => (transfer.host.as_slice(), from_ref(&transfer.range)),
            What::Copy { from, to, .. } => (from_ref(from), from_ref(to)),
            What::Fill(range) => (&[], from_ref(range)),
            What::Map { .. }
            | What::Unmap(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Marker
            | What::Barrier => (&[], &[]),
        }
    }

    /// All its ranges: those that it reads, those that it writes, and that of a map.
    pub fn ranges(&self) -> impl Iterator<Item = &Range> {
        let (reads, writes) = self.data();
        reads.iter().chain(writes).chain(self.mapped())
    }

    /// What a map maps.
    pub fn mapped(&self) -> Option<&Range> {
        let What::Map { range, .. } = self else {
            return None;
        };
        Some(range)
    }

    /// The same, to be changed.
    pub fn ranges_mut(&mut self) -> Vec<&mut Range> {
        match self {
            What::Kernel(kernel) | What::Native(kernel) => {
                kernel.reads.iter_mut().chain(&mut kernel.writes).collect()
            }
            What::Read(transfer) => {
                let host = transfer.host.as_mut();
                std::iter::once(&mut transfer.range).chain(host).collect()
            }
            What::Write(transfer) => {
                let host = transfer.host.as_mut().into_iter();
                host.chain([&mut transfer.range]).collect()
            }
            What::Copy { from, to, .. } => vec![from, to],
            What::Fill(range) | What::Map { range, .. } => vec![range],
            What::Unmap(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Marker
            | What::Barrier => Vec::new(),
        }
    }

    /// The whole objects that it migrates or frees.
    pub fn objects(&self) -> &[ObjectId] {
        let (What::Migrate { objects, .. } | What::Free(objects)) = self else {
            return &[];
        };
        objects
    }

    /// Whether what it writes is what it reads.
    pub fn copies(&self) -> bool {
        match self {
            What::Copy { .. } => true,
            What::Read(transfer) | What::Write(transfer) => transfer.host.is_some(),
            What::Kernel(_)
            | What::Native(_)
            | What::Fill(_)
            | What::Map { .. }
            | What::Unmap(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Marker
            | What::Barrier => false,
        }
    }

    /// Whether it is a read to memory that no other has, which the host looks at later.
    pub fn is_own_read(&self) -> bool {
        matches!(self, What::Read(Transfer { host: None, .. }))
    }

    /// The work of a kernel.
    pub fn kernel(&self) -> Option<&Kernel> {
        let (What::Kernel(kernel) | What::Native(kernel)) = self else {
            return None;
        };
        Some(kernel)
    }
}

impl Program {
    /// Every step with its place: those of the threads, then those of the callbacks.
    pub fn steps(&self) -> impl Iterator<Item = (Place, &Step)> {
        self.lists().flat_map(|(who, steps)| places(who, steps))
    }

    /// The steps of each thread, then those of each callback.
    pub fn lists(&self) -> impl Iterator<Item = (Who, &[Step])> {
        let threads = (0..).map(Who::Thread).zip(&self.threads);
        let callbacks = self.callbacks();
        let callbacks = callbacks.map(|(id, callback)| (Who::Callback(id), &callback.steps));
        threads
            .chain(callbacks)
            .map(|(who, steps)| (who, steps.as_slice()))
    }

    /// The commands with their ids.
    pub fn commands(&self) -> impl Iterator<Item = (CommandId, &Command)> + Clone {
        let commands = self.commands.iter().enumerate();
        commands.map(|(n, command)| (CommandId::at(n), command))
    }

    /// What a command does.
    pub fn what(&self, command: CommandId) -> &What {
        &self.commands[command.index()].what
    }

    /// The objects with their ids.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> + Clone {
        let objects = self.objects.iter().enumerate();
        objects.map(|(n, object)| (ObjectId::at(n), object))
    }

    /// The callbacks with their ids.
    pub fn callbacks(&self) -> impl Iterator<Item = (CallbackId, &Callback)> {
        (0..).map(CallbackId).zip(&self.callbacks)
    }

    /// The device of a command's queue.
    pub fn device_of(&self, command: CommandId) -> u8 {
        let queue = self.commands[command.index()].queue;
        self.queues[queue.index()].device
    }

    /// The context of an event.
    pub fn context_of(&self, event: Event) -> ContextId {
        match event {
            Event::Command(id) => {
                let queue = self.commands[id.index()].queue;
                self.queues[queue.index()].context
            }
            Event::User(id) => self.users[id.index()],
        }
    }

    /// All cells of an object.
    pub fn whole(&self, object: ObjectId) -> Range {
        Range::of(object, 0, self.objects[object.index()].cells)
    }

    /// The object that holds the data, and the cell there that is cell 0 here.
    pub fn root(&self, object: ObjectId) -> (ObjectId, u8) {
        if let Kind::SubBuffer { of, first } = self.objects[object.index()].kind {
            (of, first)
        } else {
            (object, 0)
        }
    }

    /// How many things of a sort there are.
    pub fn count(&self, sort: Sort) -> usize {
        match sort {
            Sort::Context => self.contexts.into(),
            Sort::Queue => self.queues.len(),
            Sort::Object => self.objects.len(),
            Sort::Command => self.commands.len(),
            Sort::User => self.users.len(),
            Sort::Callback => self.callbacks.len(),
            Sort::Access => self.accesses.len(),
            Sort::Signal => self.signals.into(),
        }
    }

    /// The steps of each thread and of each callback, to be changed.
    pub fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<Step>> {
        let callbacks = self.callbacks.iter_mut().map(|c| &mut c.steps);
        self.threads.iter_mut().chain(callbacks)
    }

    /// Every range, to be changed.
    pub fn ranges_mut(&mut self) -> impl Iterator<Item = &mut Range> {
        let accesses = self.accesses.iter_mut().map(|a| &mut a.range);
        let commands = self.commands.iter_mut();
        accesses.chain(commands.flat_map(|c| c.what.ranges_mut()))
    }

    /// The commands whose events something names, or whose queues are released: nothing else tells when they end.
    pub fn with_events(&self) -> BTreeSet<CommandId> {
        let lists = self.commands.iter().flat_map(|command| &command.wait);
        let told = self.callbacks.iter().map(|callback| &callback.event);
        let mut named: Vec<Event> = lists.chain(told).copied().collect();
        let mut released = Vec::new();
        for (_, step) in self.steps() {
            match step {
                Step::Wait(events) => named.extend(events),
                Step::Status(event) | Step::ReleaseEvent(event) => named.push(*event),
                Step::ReleaseQueue(queue) => released.push(*queue),
                Step::Enqueue(_)
                | Step::Inspect(_)
                | Step::Flush(_)
                | Step::Finish(_)
                | Step::Set { .. }
                | Step::Register(_)
                | Step::Access(_)
                | Step::Signal(_)
                | Step::Await(_)
                | Step::Sleep(_)
                | Step::Yield(_)
                | Step::ReleaseObject(_) => {}
            }
        }
        let lost = |(_, command): &(CommandId, &Command)| released.contains(&command.queue);
        let lost = self.commands().filter(lost).map(|(id, _)| id);
        let named = named.iter().filter_map(|event| event.command());
        named.chain(lost).collect()
    }

    /// The steps that ask for an event's status, with the event.
    pub fn asked(&self) -> impl Iterator<Item = (Place, Event)> {
        self.steps().filter_map(|(place, step)| {
            let Step::Status(event) = step else {
                return None;
            };
            Some((place, *event))
        })
    }

    /// The commands that end a map.
    pub fn unmaps(&self, map: CommandId) -> impl Iterator<Item = CommandId> {
        let all = self.commands();
        all.filter(move |(_, command)| command.what == What::Unmap(map))
            .map(|(id, _)| id)
    }

    /// The ranges of a command; of an unmap, that of its map.
    pub fn ranges_of<'p>(&'p self, what: &'p What) -> impl Iterator<Item = &'p Range> {
        let map = if let What::Unmap(map) = what {
            self.what(*map)
        } else {
            what
        };
        map.ranges()
    }

    /// The objects that a command names; of an unmap, that of its map.
    pub fn objects_of<'p>(&'p self, what: &'p What) -> impl Iterator<Item = ObjectId> + 'p {
        let ranges = self.ranges_of(what).map(|range| range.object);
        ranges.chain(what.objects().iter().copied())
    }
}

#[cfg(test)]
mod tests;
