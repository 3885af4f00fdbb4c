//! What a program must be for its order to have a meaning: everything it names exists, belongs
//! together and is used while it is there.

use super::graph::Moment;
use super::{Order, Places, in_callback};
use crate::commands::program::{
    Access, CommandId, ContextId, Event, Kernel, Kind, MOST, MOST_CELLS, MOST_WORDS, Object,
    ObjectId, Place, Program, QueueId, Range, Step, UserId, What,
};
use std::collections::BTreeSet;

/// Why a program is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Something has a number that its list does not reach, or a size out of range.
    #[error("{what}")]
    Shape {
        /// One sentence.
        what: String,
    },
    /// Something is done never or twice that is done once.
    #[error("{what} is {done} by {times} steps, and must be by one")]
    NotOnce {
        /// What.
        what: String,
        /// "enqueued", "registered", …
        done: &'static str,
        /// How many do it.
        times: usize,
    },
    /// Something waits for what waits for it.
    #[error("{at} waits for itself")]
    WaitsForItself {
        /// A moment of the cycle.
        at: Moment,
    },
    /// It can block for ever on an implementation that keeps the rules.
    #[error(
        "{at} may never come: an implementation may run an out-of-order queue in order, and need not submit a command before its queue is flushed"
    )]
    MayNeverEnd {
        /// A moment of the cycle.
        at: String,
    },
    /// Something waits for a command that nothing flushes.
    #[error("something waits for command {}, and no step is certain to flush its queue", command.0)]
    NotFlushed {
        /// The command.
        command: CommandId,
    },
    /// Something waits for a user event that no step sets.
    #[error("something waits for user event {}, and no step sets it", user.0)]
    NeverSet {
        /// The user event.
        user: UserId,
    },
    /// Something is used when it may not be there yet, or not any more.
    #[error("{place} uses {what} {when}")]
    Lifetime {
        /// The step.
        place: Place,
        /// What it uses.
        what: String,
        /// "before it is there" or "after its release".
        when: &'static str,
    },
    /// Two accesses race.
    #[error("{first} and {second} use cell {cell} of object {}, and nothing orders them", object.0)]
    Race {
        /// The object that holds the data.
        object: ObjectId,
        /// The cell.
        cell: u8,
        /// Who.
        first: String,
        /// And who.
        second: String,
    },
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::Shape { what: what.into() })
}

/// Checks all that needs no order, and finds where things are done.
pub(super) fn check(program: &Program) -> Result<Places, Invalid> {
    Shape { program }.check()
}

struct Shape<'p> {
    program: &'p Program,
}

impl Shape<'_> {
    fn check(&self) -> Result<Places, Invalid> {
        let p = self.program;
        if p.devices == 0 || p.contexts == 0 || p.cell_words == 0 || p.threads.is_empty() {
            return wrong(
                "a program has at least a device, a context, a word in a cell and a thread",
            );
        }
        if p.cell_words > MOST_WORDS {
            return wrong(format!("a cell has at most {MOST_WORDS} words"));
        }
        let lists = [
            ("queues", p.queues.len()),
            ("objects", p.objects.len()),
            ("user events", p.users.len()),
            ("commands", p.commands.len()),
            ("callbacks", p.callbacks.len()),
            ("accesses", p.accesses.len()),
            ("signals", usize::from(p.signals)),
            ("threads", p.threads.len()),
        ];
        for (what, n) in lists {
            if n > MOST {
                return wrong(format!("{n} {what}: a program has at most {MOST}"));
            }
        }
        let steps = p.threads.iter().chain(p.callbacks.iter().map(|c| &c.steps));
        if steps.map(Vec::len).any(|n| n > MOST) {
            return wrong(format!("a thread or callback has at most {MOST} steps"));
        }
        for (n, queue) in p.queues.iter().enumerate() {
            self.context(queue.context)?;
            if queue.device >= p.devices {
                return wrong(format!(
                    "queue {n} is on device {}, which is not there",
                    queue.device
                ));
            }
        }
        for context in &p.users {
            self.context(*context)?;
        }
        for (n, object) in p.objects.iter().enumerate() {
            self.object_shape(ObjectId::at(n), object)?;
        }
        for (n, command) in p.commands.iter().enumerate() {
            self.command(CommandId::at(n), command)?;
        }
        for callback in &p.callbacks {
            self.event(callback.event)?;
        }
        for access in &p.accesses {
            self.access(access)?;
        }
        self.places()
    }

    fn context(&self, id: ContextId) -> Result<(), Invalid> {
        if id.0 < u16::from(self.program.contexts) {
            Ok(())
        } else {
            wrong(format!("there is no context {}", id.0))
        }
    }

    fn queue(&self, id: QueueId) -> Result<(), Invalid> {
        if id.index() < self.program.queues.len() {
            Ok(())
        } else {
            wrong(format!("there is no queue {}", id.0))
        }
    }

    fn object(&self, id: ObjectId) -> Result<&Object, Invalid> {
        match self.program.objects.get(id.index()) {
            Some(object) => Ok(object),
            None => wrong(format!("there is no object {}", id.0)),
        }
    }

    fn is_command(&self, id: CommandId) -> Result<(), Invalid> {
        if id.index() < self.program.commands.len() {
            Ok(())
        } else {
            wrong(format!("there is no command {}", id.0))
        }
    }

    fn event(&self, event: Event) -> Result<ContextId, Invalid> {
        match event {
            Event::Command(c) => {
                self.is_command(c)?;
                let queue = self.program.commands[c.index()].queue;
                self.queue(queue)?;
                Ok(self.program.queues[queue.index()].context)
            }
            Event::User(u) => match self.program.users.get(u.index()) {
                Some(context) => Ok(*context),
                None => wrong(format!("there is no user event {}", u.0)),
            },
        }
    }

    fn object_shape(&self, id: ObjectId, object: &Object) -> Result<(), Invalid> {
        self.context(object.context)?;
        if object.cells == 0 || object.cells > MOST_CELLS {
            return wrong(format!(
                "object {} has {} cells; 1 to {MOST_CELLS} are possible",
                id.0, object.cells
            ));
        }
        match object.kind {
            Kind::SubBuffer { of, first } => {
                let parent = self.object(of)?;
                let inside = u16::from(first) + u16::from(object.cells) <= u16::from(parent.cells);
                if !matches!(parent.kind, Kind::Buffer(_))
                    || parent.context != object.context
                    || !inside
                {
                    return wrong(format!("object {} is no part of object {}", id.0, of.0));
                }
            }
            Kind::Variable => {
                let same = |o: &&Object| o.kind == Kind::Variable && o.context == object.context;
                if self.program.objects.iter().filter(same).count() > 1 {
                    return wrong(format!(
                        "context {} has more than one variable",
                        object.context.0
                    ));
                }
            }
            Kind::Buffer(_) | Kind::SvmCoarse | Kind::SvmFine | Kind::SvmSystem => {}
        }
        Ok(())
    }

    fn range(&self, range: Range, context: ContextId) -> Result<Kind, Invalid> {
        let object = self.object(range.object)?;
        if object.context != context {
            return wrong(format!("object {} is of another context", range.object.0));
        }
        if range.count == 0 || range.stride == 0 || range.end() > usize::from(object.cells) {
            return wrong(format!("a range leaves object {}", range.object.0));
        }
        Ok(object.kind)
    }

    fn kernel(&self, kernel: &Kernel, context: ContextId, native: bool) -> Result<(), Invalid> {
        if kernel.reads.len() > Kernel::RANGES || kernel.writes.len() > Kernel::RANGES {
            return wrong(format!(
                "a kernel reads and writes at most {} ranges each",
                Kernel::RANGES
            ));
        }
        for range in kernel.reads.iter().chain(&kernel.writes) {
            let kind = self.range(*range, context)?;
            if native && (kind.is_svm() || kind == Kind::Variable) {
                return wrong("a native kernel is given buffers");
            }
        }
        if kernel.items == 0 && (native || !kernel.reads.is_empty() || !kernel.writes.is_empty()) {
            return wrong("an empty index space reads and writes nothing");
        }
        if self.overlap(&kernel.writes) || kernel.reuse && native {
            return wrong("a kernel writes no cell twice, and a native one has no arguments");
        }
        Ok(())
    }

    fn overlap(&self, ranges: &[Range]) -> bool {
        let mut seen = BTreeSet::new();
        ranges.iter().any(|range| {
            let (root, first) = self.program.root(range.object);
            range.cells().any(|cell| !seen.insert((root, first + cell)))
        })
    }

    fn command(
        &self,
        id: CommandId,
        command: &crate::commands::program::Command,
    ) -> Result<(), Invalid> {
        self.queue(command.queue)?;
        let queue = self.program.queues[command.queue.index()];
        let context = queue.context;
        // Each device has variables of its own.
        let variable = |o: &ObjectId| {
            self.program
                .objects
                .get(o.index())
                .is_some_and(|o| o.kind == Kind::Variable)
        };
        if queue.device > 0 && objects_named(&command.what).any(variable) {
            return wrong(format!(
                "command {} uses a variable of another device",
                id.0
            ));
        }
        for event in &command.wait {
            if self.event(*event)? != context {
                return wrong(format!(
                    "command {} waits for an event of another context",
                    id.0
                ));
            }
        }
        let can_block = match &command.what {
            What::Kernel(kernel) => {
                self.kernel(kernel, context, false)?;
                false
            }
            What::Native(kernel) => {
                self.kernel(kernel, context, true)?;
                false
            }
            What::Read(transfer) | What::Write(transfer) => {
                let kind = self.range(transfer.range, context)?;
                if kind == Kind::Variable
                    || kind.is_svm() && (transfer.rect || transfer.range.stride > 1)
                {
                    return wrong(format!("command {} transfers what it cannot", id.0));
                }
                if !transfer.rect && transfer.range.stride > 1 {
                    return wrong(format!(
                        "command {} takes cells apart without the rectangular form",
                        id.0
                    ));
                }
                true
            }
            What::Copy { from, to, rect } => {
                let (a, b) = (self.range(*from, context)?, self.range(*to, context)?);
                let variable = a == Kind::Variable || b == Kind::Variable;
                let apart = from.stride > 1 || to.stride > 1;
                if variable || a.is_svm() != b.is_svm() || *rect && a.is_svm() || apart && !rect {
                    return wrong(format!("command {} copies what it cannot", id.0));
                }
                if from.count != to.count || self.overlap(&[*from, *to]) {
                    return wrong(format!(
                        "command {} copies as many cells as it reads, and none onto itself",
                        id.0
                    ));
                }
                a.is_svm()
            }
            What::Fill(range) => {
                if self.range(*range, context)? == Kind::Variable || range.stride > 1 {
                    return wrong(format!("command {} fills what it cannot", id.0));
                }
                false
            }
            What::Map { range, .. } => {
                let kind = self.range(*range, context)?;
                let mappable = match kind {
                    // Memory under a buffer made over it is mapped as that buffer.
                    Kind::Buffer(_) | Kind::SubBuffer { .. } | Kind::SvmCoarse | Kind::SvmFine => {
                        true
                    }
                    Kind::SvmSystem | Kind::Variable => false,
                };
                if !mappable || range.stride > 1 {
                    return wrong(format!("command {} maps what it cannot", id.0));
                }
                true
            }
            What::Unmap(map) => {
                self.is_command(*map)?;
                let map = &self.program.commands[map.index()];
                let What::Map { range, .. } = &map.what else {
                    return wrong(format!("command {} unmaps what is no map", id.0));
                };
                self.range(*range, context)?;
                false
            }
            What::Migrate { objects, .. } => {
                let mut svm = BTreeSet::new();
                for object in objects {
                    let object = self.object(*object)?;
                    if object.context != context
                        || matches!(object.kind, Kind::Variable | Kind::SvmSystem)
                    {
                        return wrong(format!("command {} migrates what it cannot", id.0));
                    }
                    svm.insert(object.kind.is_svm());
                }
                if svm.len() != 1 {
                    return wrong(format!(
                        "command {} migrates either SVM or other memory",
                        id.0
                    ));
                }
                false
            }
            What::Free(objects) => {
                for object in objects {
                    let kind = self.object(*object)?.kind;
                    if !matches!(kind, Kind::SvmCoarse | Kind::SvmFine) {
                        return wrong(format!("command {} frees what it cannot", id.0));
                    }
                }
                if objects.is_empty() {
                    return wrong(format!("command {} frees nothing", id.0));
                }
                false
            }
            What::Marker | What::Barrier => false,
        };
        if command.blocking && !can_block {
            return wrong(format!("command {} cannot block", id.0));
        }
        Ok(())
    }

    fn access(&self, access: &Access) -> Result<(), Invalid> {
        let object = self.object(access.range.object)?;
        let kind = self.range(access.range, object.context)?;
        let Some(map) = access.map else {
            return if kind.is_fine() {
                Ok(())
            } else {
                wrong(format!(
                    "the host uses object {} without a map",
                    access.range.object.0
                ))
            };
        };
        self.is_command(map)?;
        let What::Map { range, mode } = &self.program.commands[map.index()].what else {
            return wrong(format!(
                "the host goes through command {}, which is no map",
                map.0
            ));
        };
        let inside = access.range.first >= range.first && access.range.end() <= range.end();
        if range.object != access.range.object || !inside || access.write && !mode.writes() {
            return wrong(format!("the host uses more than command {} maps", map.0));
        }
        Ok(())
    }

    /// Where things are done, each once.
    fn places(&self) -> Result<Places, Invalid> {
        let p = self.program;
        let mut enqueued = vec![Vec::new(); p.commands.len()];
        let mut registered = vec![Vec::new(); p.callbacks.len()];
        let mut accessed = vec![Vec::new(); p.accesses.len()];
        let mut signalled = vec![Vec::new(); usize::from(p.signals)];
        let mut set: Vec<Vec<(Place, i32)>> = vec![Vec::new(); p.users.len()];
        for (place, step) in p.steps() {
            let blocks = match step {
                Step::Enqueue(id) => {
                    self.is_command(*id)?;
                    enqueued[id.index()].push(place);
                    p.commands[id.index()].blocking
                }
                Step::Register(id) => match registered.get_mut(id.index()) {
                    Some(places) => {
                        places.push(place);
                        false
                    }
                    None => return wrong(format!("there is no callback {}", id.0)),
                },
                Step::Access(id) => match accessed.get_mut(id.index()) {
                    Some(places) => {
                        places.push(place);
                        false
                    }
                    None => return wrong(format!("there is no access {}", id.0)),
                },
                Step::Set { user, status } => {
                    if *status > 0 {
                        return wrong(format!(
                            "{place} sets a status of {status}: it is 0 or negative"
                        ));
                    }
                    match set.get_mut(user.index()) {
                        Some(places) => {
                            places.push((place, *status));
                            false
                        }
                        None => return wrong(format!("there is no user event {}", user.0)),
                    }
                }
                Step::Signal(id) => match signalled.get_mut(id.index()) {
                    Some(places) => {
                        places.push(place);
                        false
                    }
                    None => return wrong(format!("there is no signal {}", id.0)),
                },
                Step::Await(id) => {
                    if id.0 >= p.signals {
                        return wrong(format!("there is no signal {}", id.0));
                    }
                    true
                }
                Step::Wait(events) => {
                    let mut contexts = BTreeSet::new();
                    for event in events {
                        contexts.insert(self.event(*event)?);
                    }
                    if contexts.len() != 1 {
                        return wrong(format!("{place} waits for events of one context"));
                    }
                    true
                }
                Step::Status(event) | Step::ReleaseEvent(event) => {
                    self.event(*event)?;
                    false
                }
                Step::Inspect(id) => {
                    self.is_command(*id)?;
                    if !matches!(p.commands[id.index()].what, What::Read(_)) {
                        return wrong(format!(
                            "{place} inspects command {}, which is no read",
                            id.0
                        ));
                    }
                    false
                }
                Step::Flush(queue) | Step::ReleaseQueue(queue) => {
                    self.queue(*queue)?;
                    false
                }
                Step::Finish(queue) => {
                    self.queue(*queue)?;
                    true
                }
                Step::ReleaseObject(object) => {
                    self.object(*object)?;
                    false
                }
                Step::Sleep(_) | Step::Yield(_) => false,
            };
            if blocks && in_callback(place) {
                return wrong(format!("{place} blocks, which a callback may not"));
            }
        }
        once(accessed, "access", "made")?;
        Ok(Places {
            enqueued: once(enqueued, "command", "enqueued")?,
            registered: once(registered, "callback", "registered")?,
            signalled: once(signalled, "signal", "given")?,
            set: at_most_once(set)?,
        })
    }
}

fn once(places: Vec<Vec<Place>>, what: &str, done: &'static str) -> Result<Vec<Place>, Invalid> {
    let one = |(n, places): (usize, Vec<Place>)| match places.as_slice() {
        [place] => Ok(*place),
        many => Err(Invalid::NotOnce {
            what: format!("{what} {n}"),
            done,
            times: many.len(),
        }),
    };
    places.into_iter().enumerate().map(one).collect()
}

fn at_most_once(set: Vec<Vec<(Place, i32)>>) -> Result<Vec<Option<(Place, i32)>>, Invalid> {
    let one = |(n, places): (usize, Vec<(Place, i32)>)| match places.as_slice() {
        [] => Ok(None),
        [place] => Ok(Some(*place)),
        many => Err(Invalid::NotOnce {
            what: format!("user event {n}"),
            done: "set",
            times: many.len(),
        }),
    };
    set.into_iter().enumerate().map(one).collect()
}

/// Checks that things are used while they are there.
pub(super) fn check_use(program: &Program, order: &Order) -> Result<(), Invalid> {
    let mut uses: Vec<(Place, Thing)> = Vec::new();
    let mut releases: Vec<(Place, Thing)> = Vec::new();
    for (place, step) in program.steps() {
        let mut uses_of = |thing| uses.push((place, thing));
        match step {
            Step::Enqueue(id) => {
                let command = &program.commands[id.index()];
                uses_of(Thing::Queue(command.queue));
                command.wait.iter().for_each(|e| uses_of(Thing::Event(*e)));
                objects_of(program, &command.what)
                    .into_iter()
                    .for_each(|o| uses_of(Thing::Object(o)));
            }
            Step::Flush(queue) | Step::Finish(queue) => uses_of(Thing::Queue(*queue)),
            Step::Wait(events) => events.iter().for_each(|e| uses_of(Thing::Event(*e))),
            Step::Set { user, .. } => uses_of(Thing::Event(Event::User(*user))),
            Step::Register(id) => uses_of(Thing::Event(program.callbacks[id.index()].event)),
            Step::Status(event) => uses_of(Thing::Event(*event)),
            Step::Access(id) => {
                let access = &program.accesses[id.index()];
                uses_of(Thing::Object(access.range.object));
                if let Some(map) = access.map {
                    through_map(program, order, place, map)?;
                }
            }
            Step::Inspect(id) => {
                if !order.before(Moment::End(*id), Moment::Call(place)) {
                    return Err(Invalid::Lifetime {
                        place,
                        what: format!("what command {} brings", id.0),
                        when: "before it is there",
                    });
                }
            }
            Step::ReleaseEvent(event) => releases.push((place, Thing::Event(*event))),
            Step::ReleaseQueue(queue) => releases.push((place, Thing::Queue(*queue))),
            Step::ReleaseObject(object) => releases.push((place, Thing::Object(*object))),
            Step::Signal(_) | Step::Await(_) | Step::Sleep(_) | Step::Yield(_) => {}
        }
    }
    let lifetime = |place: Place, thing: Thing, when| Invalid::Lifetime {
        place,
        what: thing.to_string(),
        when,
    };
    for (place, thing) in uses.iter().chain(&releases) {
        if let Thing::Event(Event::Command(c)) = thing
            && !order.before(Moment::Return(order.enqueued(*c)), Moment::Call(*place))
        {
            return Err(lifetime(*place, *thing, "before it is there"));
        }
    }
    for (n, (release, thing)) in releases.iter().enumerate() {
        for (m, (other, released)) in releases.iter().enumerate() {
            if n != m && thing == released {
                return Err(lifetime(*other, *thing, "after its release"));
            }
        }
        for (place, used) in &uses {
            if used == thing && !order.before(Moment::Return(*place), Moment::Call(*release)) {
                return Err(lifetime(*place, *thing, "after its release"));
            }
        }
        if let Thing::Object(object) = thing {
            let child = |o: &Object| matches!(o.kind, Kind::SubBuffer { of, .. } if of == *object);
            let children = program.objects.iter().any(child);
            let pending = program.commands.iter().enumerate().any(|(c, command)| {
                program.objects[object.index()].kind.is_svm()
                    && objects_of(program, &command.what).contains(object)
                    && !order.before(Moment::End(CommandId::at(c)), Moment::Call(*release))
            });
            if children || pending {
                return Err(lifetime(
                    *release,
                    *thing,
                    "in a release while it is needed",
                ));
            }
        }
    }
    known_to_end(program, order, &releases)?;
    frees_last(program, order)?;
    maps_end(program, order)
}

/// What is freed is used by nothing that may come after.
fn frees_last(program: &Program, order: &Order) -> Result<(), Invalid> {
    for (n, command) in program.commands.iter().enumerate() {
        let What::Free(objects) = &command.what else {
            continue;
        };
        let free = CommandId::at(n);
        for object in objects {
            let used = |place, what: String| {
                Err(Invalid::Lifetime {
                    place,
                    what,
                    when: "although it may be freed before",
                })
            };
            for (m, other) in program.commands.iter().enumerate() {
                let id = CommandId::at(m);
                let uses = objects_of(program, &other.what).contains(object);
                if m != n && uses && !order.before(Moment::End(id), Moment::Start(free)) {
                    return used(order.enqueued(id), format!("object {}", object.0));
                }
            }
            for (place, step) in program.steps() {
                let uses = match step {
                    Step::Access(id) => program.accesses[id.index()].range.object == *object,
                    Step::ReleaseObject(id) => id == object,
                    _ => false,
                };
                if uses && !order.before(Moment::Return(place), Moment::Start(free)) {
                    return used(place, format!("object {}", object.0));
                }
            }
        }
    }
    Ok(())
}

/// A command's queue or its event lasts until the end, or its completion is waited for: otherwise
/// nobody knows when it is done with its memory.
fn known_to_end(
    program: &Program,
    order: &Order,
    releases: &[(Place, Thing)],
) -> Result<(), Invalid> {
    let released = |thing: Thing| releases.iter().find(|(_, t)| *t == thing);
    for (n, command) in program.commands.iter().enumerate() {
        let id = CommandId::at(n);
        let event = released(Thing::Event(Event::Command(id)));
        let queue = released(Thing::Queue(command.queue));
        if let (Some((event, _)), Some(_)) = (event, queue) {
            let waited = order.moments().any(|moment| {
                matches!(moment, Moment::Return(_)) && order.before(Moment::End(id), moment)
            });
            if !waited {
                return Err(Invalid::Lifetime {
                    place: *event,
                    what: format!("the event of command {n}"),
                    when: "in a release although its queue goes, too, and nothing waits for it",
                });
            }
        }
    }
    Ok(())
}

/// A host access goes through a map after it is complete and before its unmap is enqueued.
fn through_map(
    program: &Program,
    order: &Order,
    place: Place,
    map: CommandId,
) -> Result<(), Invalid> {
    let outside = |when| {
        Err(Invalid::Lifetime {
            place,
            what: format!("the pointer of command {}", map.0),
            when,
        })
    };
    if !order.before(Moment::End(map), Moment::Call(place))
        || !order.before(Moment::Return(order.enqueued(map)), Moment::Call(place))
    {
        return outside("before it is there");
    }
    for (n, command) in program.commands.iter().enumerate() {
        if command.what == What::Unmap(map) {
            let unmap = order.enqueued(CommandId::at(n));
            if !order.before(Moment::Return(place), Moment::Call(unmap)) {
                return outside("after its unmap");
            }
        }
    }
    Ok(())
}

/// Every map has one unmap, which is enqueued when the pointer is known.
fn maps_end(program: &Program, order: &Order) -> Result<(), Invalid> {
    for (n, command) in program.commands.iter().enumerate() {
        let map = CommandId::at(n);
        let What::Map { .. } = command.what else {
            continue;
        };
        let unmaps: Vec<CommandId> = program
            .commands
            .iter()
            .enumerate()
            .filter(|(_, c)| c.what == What::Unmap(map))
            .map(|(u, _)| CommandId::at(u))
            .collect();
        let [unmap] = unmaps.as_slice() else {
            return Err(Invalid::NotOnce {
                what: format!("the map of command {n}"),
                done: "ended",
                times: unmaps.len(),
            });
        };
        let place = order.enqueued(*unmap);
        let known = order.before(Moment::Return(order.enqueued(map)), Moment::Call(place));
        if !known || !order.before(Moment::End(map), Moment::Start(*unmap)) {
            return Err(Invalid::Lifetime {
                place,
                what: format!("the pointer of command {n}"),
                when: "before it is there",
            });
        }
    }
    Ok(())
}

/// Something that can be released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    Event(Event),
    Queue(QueueId),
    Object(ObjectId),
}

impl std::fmt::Display for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Thing::Event(Event::Command(c)) => write!(f, "the event of command {}", c.0),
            Thing::Event(Event::User(UserId(u))) => write!(f, "user event {u}"),
            Thing::Queue(queue) => write!(f, "queue {}", queue.0),
            Thing::Object(object) => write!(f, "object {}", object.0),
        }
    }
}

/// The objects of the ranges that kernels name.
fn objects_named(what: &What) -> impl Iterator<Item = &ObjectId> {
    let kernel = match what {
        What::Kernel(kernel) | What::Native(kernel) => Some(kernel),
        What::Read(_)
        | What::Write(_)
        | What::Copy { .. }
        | What::Fill(_)
        | What::Map { .. }
        | What::Unmap(_)
        | What::Migrate { .. }
        | What::Free(_)
        | What::Marker
        | What::Barrier => None,
    };
    kernel
        .into_iter()
        .flat_map(|k| k.reads.iter().chain(&k.writes))
        .map(|range| &range.object)
}

/// The objects that a command names.
pub(super) fn objects_of(program: &Program, what: &What) -> Vec<ObjectId> {
    match what {
        What::Kernel(kernel) | What::Native(kernel) => kernel
            .reads
            .iter()
            .chain(&kernel.writes)
            .map(|range| range.object)
            .collect(),
        What::Read(transfer) | What::Write(transfer) => vec![transfer.range.object],
        What::Copy { from, to, .. } => vec![from.object, to.object],
        What::Fill(range) | What::Map { range, .. } => vec![range.object],
        What::Unmap(map) => match &program.commands[map.index()].what {
            What::Map { range, .. } => vec![range.object],
            What::Kernel(_)
            | What::Native(_)
            | What::Read(_)
            | What::Write(_)
            | What::Copy { .. }
            | What::Fill(_)
            | What::Unmap(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Marker
            | What::Barrier => Vec::new(),
        },
        What::Migrate { objects, .. } | What::Free(objects) => objects.clone(),
        What::Marker | What::Barrier => Vec::new(),
    }
}
