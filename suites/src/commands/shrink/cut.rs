//! Taking things out of a program, each with what hangs on it.

use crate::commands::program::*;
use std::collections::{BTreeMap, BTreeSet};

/// Something that can be taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// A host thread with its steps.
    Thread(u16),
    /// A command with all that names it; a map and its unmap go together.
    Command(CommandId),
    /// A callback with its steps.
    Callback(CallbackId),
    /// A user event.
    User(UserId),
    /// An object with its ranges.
    Object(ObjectId),
    /// A queue with its commands.
    Queue(QueueId),
    /// An access of the host.
    Access(AccessId),
    /// A signal.
    Signal(SignalId),
    /// A step, with what only it does.
    Step(Place),
    /// An entry of a command's wait list, by its number.
    Entry(CommandId, u16),
    /// An event of a `Wait` step, by its number.
    Waited(Place, u16),
}

/// The units of one kind, in the order in which taking them out is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// [`Unit::Thread`].
    Threads,
    /// [`Unit::Command`].
    Commands,
    /// [`Unit::Callback`].
    Callbacks,
    /// [`Unit::Object`].
    Objects,
    /// [`Unit::Queue`].
    Queues,
    /// [`Unit::User`].
    Users,
    /// [`Unit::Signal`].
    Signals,
    /// [`Unit::Access`].
    Accesses,
    /// [`Unit::Step`].
    Steps,
    /// [`Unit::Entry`].
    Entries,
    /// [`Unit::Waited`].
    Waited,
}

impl Class {
    /// All, big things first.
    pub const ALL: [Class; 11] = [
        Class::Threads,
        Class::Queues,
        Class::Commands,
        Class::Callbacks,
        Class::Objects,
        Class::Users,
        Class::Signals,
        Class::Accesses,
        Class::Steps,
        Class::Entries,
        Class::Waited,
    ];

    /// The units of this kind in a program, last ones first: what comes later needs what is earlier.
    pub fn units(self, p: &Program) -> Vec<Unit> {
        let all = |n: usize, unit: &dyn Fn(usize) -> Unit| (0..n).map(unit).collect::<Vec<_>>();
        let mut units = match self {
            Class::Threads => all(p.threads.len(), &|n| Unit::Thread(n as u16)),
            Class::Commands => all(p.commands.len(), &|n| Unit::Command(CommandId::at(n))),
            Class::Callbacks => all(p.callbacks.len(), &|n| Unit::Callback(CallbackId::at(n))),
            Class::Objects => all(p.objects.len(), &|n| Unit::Object(ObjectId::at(n))),
            Class::Queues => all(p.queues.len(), &|n| Unit::Queue(QueueId::at(n))),
            Class::Users => all(p.users.len(), &|n| Unit::User(UserId::at(n))),
            Class::Signals => all(p.signals.into(), &|n| Unit::Signal(SignalId::at(n))),
            Class::Accesses => all(p.accesses.len(), &|n| Unit::Access(AccessId::at(n))),
            Class::Steps => p.steps().map(|(place, _)| Unit::Step(place)).collect(),
            Class::Entries => {
                let of = |(c, command): (usize, &Command)| {
                    (0..command.wait.len()).map(move |n| Unit::Entry(CommandId::at(c), n as u16))
                };
                p.commands.iter().enumerate().flat_map(of).collect()
            }
            Class::Waited => p
                .steps()
                .flat_map(|(place, step)| {
                    let n = match step {
                        Step::Wait(events) => events.len(),
                        _ => 0,
                    };
                    (0..n).map(move |n| Unit::Waited(place, n as u16))
                })
                .collect(),
        };
        units.reverse();
        units
    }
}

/// The program without these and what hangs on them; `None` where no thread is left.
pub fn without(program: &Program, units: &[Unit]) -> Option<Program> {
    let mut cut = Cut {
        program,
        gone: units.iter().copied().collect(),
    };
    cut.close();
    cut.rebuild()
}

struct Cut<'p> {
    program: &'p Program,
    gone: BTreeSet<Unit>,
}

impl Cut<'_> {
    fn has(&self, unit: Unit) -> bool {
        self.gone.contains(&unit)
    }

    fn event(&self, event: Event) -> bool {
        match event {
            Event::Command(c) => self.has(Unit::Command(c)),
            Event::User(u) => self.has(Unit::User(u)),
        }
    }

    /// Takes out what hangs on what is taken out, until nothing does.
    fn close(&mut self) {
        loop {
            let mut more = Vec::new();
            for (place, step) in self.program.steps() {
                self.step(place, step, &mut more);
            }
            for (n, command) in self.program.commands.iter().enumerate() {
                self.command(CommandId::at(n), command, &mut more);
            }
            for (n, callback) in self.program.callbacks.iter().enumerate() {
                if self.event(callback.event) {
                    more.push(Unit::Callback(CallbackId::at(n)));
                }
            }
            for (n, access) in self.program.accesses.iter().enumerate() {
                let unmapped = access.map.is_some_and(|map| self.has(Unit::Command(map)));
                if unmapped || self.has(Unit::Object(access.range.object)) {
                    more.push(Unit::Access(AccessId::at(n)));
                }
            }
            for (n, object) in self.program.objects.iter().enumerate() {
                if let Kind::SubBuffer { of, .. } = object.kind
                    && self.has(Unit::Object(of))
                {
                    more.push(Unit::Object(ObjectId::at(n)));
                }
            }
            let before = self.gone.len();
            self.gone.extend(more);
            if self.gone.len() == before {
                return;
            }
        }
    }

    fn step(&self, place: Place, step: &Step, more: &mut Vec<Unit>) {
        let who = match place.who {
            Who::Thread(n) => Unit::Thread(n),
            Who::Callback(id) => Unit::Callback(id),
        };
        let here = Unit::Step(place);
        let gone = self.has(here) || self.has(who);
        // What only this step does goes with it, and it with that.
        let does = match step {
            Step::Enqueue(id) => Some(Unit::Command(*id)),
            Step::Set { user, .. } => Some(Unit::User(*user)),
            Step::Register(id) => Some(Unit::Callback(*id)),
            Step::Access(id) => Some(Unit::Access(*id)),
            Step::Signal(id) => Some(Unit::Signal(*id)),
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
        };
        let needless = match step {
            Step::Flush(q) | Step::Finish(q) | Step::ReleaseQueue(q) => self.has(Unit::Queue(*q)),
            Step::Wait(events) => events
                .iter()
                .enumerate()
                .all(|(n, e)| self.event(*e) || self.has(Unit::Waited(place, n as u16))),
            Step::Inspect(id) => self.has(Unit::Command(*id)),
            Step::Status(event) | Step::ReleaseEvent(event) => self.event(*event),
            Step::Await(id) => self.has(Unit::Signal(*id)),
            Step::ReleaseObject(id) => self.has(Unit::Object(*id)),
            Step::Enqueue(_)
            | Step::Set { .. }
            | Step::Register(_)
            | Step::Access(_)
            | Step::Signal(_)
            | Step::Sleep(_)
            | Step::Yield(_) => false,
        };
        if gone {
            more.extend(does);
        }
        if gone || needless || does.is_some_and(|unit| self.has(unit)) {
            more.push(here);
        }
    }

    fn command(&self, id: CommandId, command: &Command, more: &mut Vec<Unit>) {
        let object = |range: &Range| self.has(Unit::Object(range.object));
        let gone = self.has(Unit::Command(id));
        let needless = match &command.what {
            What::Read(t) | What::Write(t) => object(&t.range),
            What::Copy { from, to, .. } => object(from) || object(to),
            What::Fill(range) | What::Map { range, .. } => object(range),
            What::Unmap(map) => {
                if gone {
                    more.push(Unit::Command(*map));
                }
                self.has(Unit::Command(*map))
            }
            What::Migrate { objects, .. } | What::Free(objects) => {
                objects.iter().all(|o| self.has(Unit::Object(*o)))
            }
            // They lose the ranges.
            What::Kernel(_) | What::Native(_) | What::Marker | What::Barrier => false,
        };
        if needless || self.has(Unit::Queue(command.queue)) {
            more.push(Unit::Command(id));
        }
    }

    fn rebuild(&self) -> Option<Program> {
        let p = self.program;
        let new = Renumbered {
            commands: self.numbers(p.commands.len(), |n| Unit::Command(CommandId::at(n))),
            callbacks: self.numbers(p.callbacks.len(), |n| Unit::Callback(CallbackId::at(n))),
            users: self.numbers(p.users.len(), |n| Unit::User(UserId::at(n))),
            objects: self.numbers(p.objects.len(), |n| Unit::Object(ObjectId::at(n))),
            queues: self.numbers(p.queues.len(), |n| Unit::Queue(QueueId::at(n))),
            accesses: self.numbers(p.accesses.len(), |n| Unit::Access(AccessId::at(n))),
            signals: self.numbers(p.signals.into(), |n| Unit::Signal(SignalId::at(n))),
        };
        let steps = |who: Who, steps: &[Step]| -> Vec<Step> {
            steps
                .iter()
                .enumerate()
                .filter_map(|(n, step)| {
                    let place = Place {
                        who,
                        step: n as u16,
                    };
                    (!self.has(Unit::Step(place))).then(|| self.renumber(&new, place, step))?
                })
                .collect()
        };
        let threads: Vec<Vec<Step>> = p
            .threads
            .iter()
            .enumerate()
            .filter(|(n, _)| !self.has(Unit::Thread(*n as u16)))
            .map(|(n, of)| steps(Who::Thread(n as u16), of))
            .collect();
        if threads.is_empty() {
            return None;
        }
        let kept = |n: &usize, map: &BTreeMap<u16, u16>| map.contains_key(&(*n as u16));
        Some(Program {
            kind: p.kind,
            devices: p.devices,
            contexts: p.contexts,
            cell_words: p.cell_words,
            queues: pick(&p.queues, |n| kept(n, &new.queues)),
            objects: pick(&p.objects, |n| kept(n, &new.objects))
                .into_iter()
                .map(|mut object| {
                    if let Kind::SubBuffer { of, .. } = &mut object.kind {
                        of.0 = *new.objects.get(&of.0)?;
                    }
                    Some(object)
                })
                .collect::<Option<_>>()?,
            users: pick(&p.users, |n| kept(n, &new.users)),
            commands: p
                .commands
                .iter()
                .enumerate()
                .filter(|(n, _)| kept(n, &new.commands))
                .map(|(n, command)| self.command_of(&new, CommandId::at(n), command))
                .collect::<Option<_>>()?,
            callbacks: p
                .callbacks
                .iter()
                .enumerate()
                .filter(|(n, _)| kept(n, &new.callbacks))
                .map(|(n, callback)| {
                    Some(Callback {
                        event: new.event(callback.event)?,
                        at: callback.at,
                        steps: steps(Who::Callback(CallbackId::at(n)), &callback.steps),
                    })
                })
                .collect::<Option<_>>()?,
            accesses: p
                .accesses
                .iter()
                .enumerate()
                .filter(|(n, _)| kept(n, &new.accesses))
                .map(|(_, access)| {
                    Some(Access {
                        range: new.range(access.range)?,
                        write: access.write,
                        map: match access.map {
                            Some(map) => Some(new.command(map)?),
                            None => None,
                        },
                    })
                })
                .collect::<Option<_>>()?,
            signals: new.signals.len() as u16,
            threads,
        })
    }

    fn numbers(&self, n: usize, unit: impl Fn(usize) -> Unit) -> BTreeMap<u16, u16> {
        (0..n)
            .filter(|n| !self.has(unit(*n)))
            .enumerate()
            .map(|(new, old)| (old as u16, new as u16))
            .collect()
    }

    fn command_of(&self, new: &Renumbered, id: CommandId, command: &Command) -> Option<Command> {
        let ranges = |of: &[Range]| of.iter().filter_map(|r| new.range(*r)).collect();
        let kernel = |k: &Kernel| Kernel {
            reads: ranges(&k.reads),
            writes: ranges(&k.writes),
            ..k.clone()
        };
        let transfer = |t: &Transfer| {
            Some(Transfer {
                range: new.range(t.range)?,
                rect: t.rect,
            })
        };
        let what = match &command.what {
            What::Kernel(k) => What::Kernel(kernel(k)),
            What::Native(k) => What::Native(kernel(k)),
            What::Read(t) => What::Read(transfer(t)?),
            What::Write(t) => What::Write(transfer(t)?),
            What::Copy { from, to, rect } => What::Copy {
                from: new.range(*from)?,
                to: new.range(*to)?,
                rect: *rect,
            },
            What::Fill(range) => What::Fill(new.range(*range)?),
            What::Map { range, mode } => What::Map {
                range: new.range(*range)?,
                mode: *mode,
            },
            What::Unmap(map) => What::Unmap(new.command(*map)?),
            What::Migrate { objects, to_host } => What::Migrate {
                objects: objects.iter().filter_map(|o| new.object(*o)).collect(),
                to_host: *to_host,
            },
            What::Free(objects) => {
                What::Free(objects.iter().filter_map(|o| new.object(*o)).collect())
            }
            What::Marker => What::Marker,
            What::Barrier => What::Barrier,
        };
        let wait = command
            .wait
            .iter()
            .enumerate()
            .filter(|(n, _)| !self.has(Unit::Entry(id, *n as u16)))
            .filter_map(|(_, event)| new.event(*event))
            .collect();
        Some(Command {
            queue: new.queue(command.queue)?,
            what,
            wait,
            blocking: command.blocking,
        })
    }

    /// The step with new numbers; `None` where it names what is gone.
    fn renumber(&self, new: &Renumbered, place: Place, step: &Step) -> Option<Step> {
        Some(match step {
            Step::Enqueue(id) => Step::Enqueue(new.command(*id)?),
            Step::Flush(q) => Step::Flush(new.queue(*q)?),
            Step::Finish(q) => Step::Finish(new.queue(*q)?),
            Step::Wait(events) => Step::Wait(
                events
                    .iter()
                    .enumerate()
                    .filter(|(n, _)| !self.has(Unit::Waited(place, *n as u16)))
                    .filter_map(|(_, event)| new.event(*event))
                    .collect(),
            ),
            Step::Set { user, status } => Step::Set {
                user: UserId(*new.users.get(&user.0)?),
                status: *status,
            },
            Step::Register(id) => Step::Register(CallbackId(*new.callbacks.get(&id.0)?)),
            Step::Access(id) => Step::Access(AccessId(*new.accesses.get(&id.0)?)),
            Step::Inspect(id) => Step::Inspect(new.command(*id)?),
            Step::Status(event) => Step::Status(new.event(*event)?),
            Step::Signal(id) => Step::Signal(SignalId(*new.signals.get(&id.0)?)),
            Step::Await(id) => Step::Await(SignalId(*new.signals.get(&id.0)?)),
            Step::Sleep(micros) => Step::Sleep(*micros),
            Step::Yield(times) => Step::Yield(*times),
            Step::ReleaseEvent(event) => Step::ReleaseEvent(new.event(*event)?),
            Step::ReleaseQueue(q) => Step::ReleaseQueue(new.queue(*q)?),
            Step::ReleaseObject(id) => Step::ReleaseObject(new.object(*id)?),
        })
    }
}

/// New numbers by old ones.
struct Renumbered {
    commands: BTreeMap<u16, u16>,
    callbacks: BTreeMap<u16, u16>,
    users: BTreeMap<u16, u16>,
    objects: BTreeMap<u16, u16>,
    queues: BTreeMap<u16, u16>,
    accesses: BTreeMap<u16, u16>,
    signals: BTreeMap<u16, u16>,
}

impl Renumbered {
    fn command(&self, id: CommandId) -> Option<CommandId> {
        self.commands.get(&id.0).map(|n| CommandId(*n))
    }

    fn queue(&self, id: QueueId) -> Option<QueueId> {
        self.queues.get(&id.0).map(|n| QueueId(*n))
    }

    fn object(&self, id: ObjectId) -> Option<ObjectId> {
        self.objects.get(&id.0).map(|n| ObjectId(*n))
    }

    fn event(&self, event: Event) -> Option<Event> {
        match event {
            Event::Command(c) => self.command(c).map(Event::Command),
            Event::User(u) => self.users.get(&u.0).map(|n| Event::User(UserId(*n))),
        }
    }

    fn range(&self, range: Range) -> Option<Range> {
        let object = self.object(range.object)?;
        Some(Range { object, ..range })
    }
}

fn pick<T: Copy>(list: &[T], kept: impl Fn(&usize) -> bool) -> Vec<T> {
    list.iter()
        .enumerate()
        .filter(|(n, _)| kept(n))
        .map(|(_, item)| *item)
        .collect()
}
