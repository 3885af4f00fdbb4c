//! Draws queues, commands and what orders them, without data.
//!
//! The main thread enqueues everything. A command that waits for nothing often waits for a *gate*, a
//! user event that another host thread opens a little later: until then, whatever depends on it must
//! not start, so an implementation that forgets a dependency has all the time to show it. Before the
//! main thread blocks, and at its end, it asks for the states of some commands that gates hold back,
//! and lets the gates' threads go on.

use super::Draw;
use super::enumerate::Shape;
use super::profile::{Idiom, Profile, Work};
use crate::commands::program::*;

/// A program whose ranges are not chosen yet.
pub struct Skeleton {
    /// The program; all its ranges are the first cell of an object.
    pub program: Program,
    /// What each command is.
    pub works: Vec<Work>,
}

struct Builder<'d> {
    draw: &'d mut Draw,
    profile: &'d Profile,
    program: Program,
    works: Vec<Work>,
    main: Vec<Step>,
    /// Signals of gates that are still to be given.
    closed: Vec<SignalId>,
    /// Commands that may be held back by them.
    held: Vec<CommandId>,
    /// Commands that later ones may depend on.
    ends: Vec<CommandId>,
    /// The user event of the last gate that is still closed.
    waiting: Option<UserId>,
    /// User events that fail.
    failing: Vec<UserId>,
}

/// Draws one.
pub fn draw(draw: &mut Draw, profile: &Profile) -> Skeleton {
    let queues = draw.between(1, profile.queues);
    let out_of_order: Vec<bool> = (0..queues)
        .map(|_| draw.percent(profile.out_of_order))
        .collect();
    let mut builder = Builder::new(draw, profile, &out_of_order);
    builder.objects();
    let commands = builder.draw.between(profile.commands.0, profile.commands.1);
    if builder.draw.percent(profile.threads) {
        builder.thread();
    }
    for _ in 0..commands {
        builder.command();
    }
    builder.end();
    builder.done()
}

/// Draws the skeleton of a shape: its commands in order, each after those that it follows.
pub fn of_shape(draw: &mut Draw, profile: &Profile, shape: &Shape) -> Skeleton {
    let mut builder = Builder::new(draw, profile, &shape.out_of_order);
    builder.objects();
    let mut ids: Vec<CommandId> = Vec::new();
    for (n, queue) in shape.queues.iter().enumerate() {
        let queue = QueueId(u16::from(*queue));
        let mut wait = Vec::new();
        for &first in &shape.after[n] {
            builder.order_by(shape.idiom, ids[first], queue, &mut wait);
        }
        if shape.after[n].is_empty() {
            let gate = builder.gate();
            wait.push(gate);
        }
        builder.work(Work::Kernel, queue, wait);
        ids.extend(builder.ends.last().copied());
    }
    builder.end();
    builder.done()
}

/// A range for now.
fn some(object: u16) -> Range {
    Range {
        object: ObjectId(object),
        first: 0,
        count: 1,
        stride: 1,
    }
}

impl<'d> Builder<'d> {
    fn new(draw: &'d mut Draw, profile: &'d Profile, out_of_order: &[bool]) -> Builder<'d> {
        let cell_words = draw.pick(&[16, 16, 32, 64]).unwrap_or(16);
        Builder {
            program: Program {
                devices: profile.devices,
                contexts: 1,
                cell_words,
                queues: out_of_order
                    .iter()
                    .enumerate()
                    .map(|(n, out_of_order)| Queue {
                        context: ContextId(0),
                        device: (n % usize::from(profile.devices)) as u8,
                        out_of_order: *out_of_order,
                    })
                    .collect(),
                objects: Vec::new(),
                users: Vec::new(),
                commands: Vec::new(),
                callbacks: Vec::new(),
                accesses: Vec::new(),
                signals: 0,
                threads: vec![Vec::new()],
            },
            draw,
            profile,
            works: Vec::new(),
            main: Vec::new(),
            closed: Vec::new(),
            held: Vec::new(),
            ends: Vec::new(),
            waiting: None,
            failing: Vec::new(),
        }
    }

    fn done(mut self) -> Skeleton {
        self.program.threads[0] = self.main;
        Skeleton {
            program: self.program,
            works: self.works,
        }
    }

    fn objects(&mut self) {
        let wanted = self.draw.between(1, 3);
        for _ in 0..wanted {
            let Some(kind) = self.draw.weighted(&self.profile.objects) else {
                continue;
            };
            let again = |o: &Object| o.kind == Kind::Variable && kind == Kind::Variable;
            if self.program.objects.iter().any(again) {
                continue;
            }
            let cells = self.draw.pick(&[4, 8, 12]).unwrap_or(8);
            self.program.objects.push(Object {
                context: ContextId(0),
                cells,
                kind,
            });
            if matches!(kind, Kind::Buffer(_)) && self.draw.percent(self.profile.sub_buffers) {
                // Sub-buffers begin where devices want them: cells are at least 64 bytes here.
                let step = (1024 / (u32::from(self.program.cell_words) * 4)) as u8;
                let of = ObjectId::at(self.program.objects.len() - 1);
                let parent = &mut self.program.objects[of.index()];
                parent.cells = step.max(4) * 2;
                let cells = self.draw.between(1, usize::from(step.min(8))) as u8;
                self.program.objects.push(Object {
                    context: ContextId(0),
                    cells,
                    kind: Kind::SubBuffer { of, first: step },
                });
            }
        }
    }

    fn queue(&mut self) -> QueueId {
        QueueId::at(self.draw.below(self.program.queues.len()))
    }

    fn out_of_order(&self, queue: QueueId) -> bool {
        self.program.queues[queue.index()].out_of_order
    }

    fn queue_of(&self, command: CommandId) -> QueueId {
        self.program.commands[command.index()].queue
    }

    /// Enqueues a command on the main thread.
    fn push(&mut self, queue: QueueId, what: What, wait: Vec<Event>, work: Work) -> CommandId {
        let id = CommandId::at(self.program.commands.len());
        self.program.commands.push(Command {
            queue,
            what,
            wait,
            blocking: false,
        });
        self.works.push(work);
        self.main.push(Step::Enqueue(id));
        if !self.closed.is_empty() {
            self.held.push(id);
        }
        id
    }

    /// Makes sure that a queue's commands are under way before another queue waits for them.
    fn flush(&mut self, queue: QueueId) {
        self.main.push(Step::Flush(queue));
    }

    /// Lets gates open before the main thread waits for anything.
    fn let_go(&mut self) {
        if self.closed.is_empty() {
            return;
        }
        // The last ones depend on the most.
        let held = self.held.len();
        for &id in &self.held.clone()[held.saturating_sub(4)..] {
            if self.draw.percent(70) {
                self.main.push(Step::Status(Event::Command(id)));
            }
        }
        for signal in std::mem::take(&mut self.closed) {
            self.main.push(Step::Signal(signal));
        }
        self.held.clear();
    }

    /// A user event that another thread sets later.
    fn gate(&mut self) -> Event {
        // One event may hold back several commands.
        if let Some(user) = self.waiting
            && !self.closed.is_empty()
            && self.draw.percent(25)
        {
            return Event::User(user);
        }
        let user = UserId::at(self.program.users.len());
        self.program.users.push(ContextId(0));
        let signal = SignalId(self.program.signals);
        self.program.signals += 1;
        let status = if self.draw.percent(self.profile.failures) {
            -(self.draw.between(1, 9999) as i32)
        } else {
            0
        };
        let sleep = self.draw.below(self.profile.longest_gate + 1) as u32;
        self.program.threads.push(vec![
            Step::Await(signal),
            Step::Sleep(sleep),
            Step::Set { user, status },
        ]);
        self.closed.push(signal);
        self.waiting = Some(user);
        if status < 0 {
            self.failing.push(user);
        }
        Event::User(user)
    }

    fn command(&mut self) {
        let queue = self.queue();
        let mut wait = Vec::new();
        let dependencies = match self.draw.below(20) {
            0..=2 => 0,
            3..=13 => 1,
            14..=17 => 2,
            _ => 3,
        };
        let mut first = Vec::new();
        for _ in 0..dependencies {
            // Mostly on what came last, so that chains grow.
            let recent = self.ends.len().min(3);
            let tail = &self.ends[self.ends.len() - recent..];
            if let Some(id) = self.draw.pick(tail)
                && !first.contains(&id)
            {
                first.push(id);
            }
        }
        for id in first {
            self.order(id, queue, &mut wait);
        }
        if wait.is_empty() && self.draw.percent(self.profile.gates) {
            let gate = self.gate();
            wait.push(gate);
        }
        if !wait.is_empty() && self.draw.percent(10) {
            // The same event twice is one dependency.
            wait.push(wait[0]);
        }
        let work = self.draw.weighted(&self.profile.works);
        self.work(work.unwrap_or(Work::Kernel), queue, wait);
    }

    /// Orders what comes next in a queue after a command, in some way.
    fn order(&mut self, first: CommandId, queue: QueueId, wait: &mut Vec<Event>) {
        let idiom = self.draw.weighted(&self.profile.idioms);
        self.order_by(idiom, first, queue, wait);
    }

    /// Orders it in this way, or in one like it where this one does nothing there.
    fn order_by(
        &mut self,
        idiom: Option<Idiom>,
        first: CommandId,
        queue: QueueId,
        wait: &mut Vec<Event>,
    ) {
        let from = self.queue_of(first);
        let across = from != queue;
        match idiom.unwrap_or(Idiom::WaitList) {
            Idiom::WaitList => wait.push(Event::Command(first)),
            Idiom::Marker if self.out_of_order(from) => {
                let marker = self.push(from, What::Marker, Vec::new(), Work::Empty);
                wait.push(Event::Command(marker));
            }
            Idiom::MarkerList | Idiom::Marker => {
                let list = vec![Event::Command(first)];
                let on = self.queue();
                if on != from {
                    self.flush(from);
                }
                let marker = self.push(on, What::Marker, list, Work::Empty);
                if on != queue {
                    self.flush(on);
                }
                wait.push(Event::Command(marker));
            }
            Idiom::Barrier if !across => {
                self.push(queue, What::Barrier, Vec::new(), Work::Empty);
            }
            Idiom::BarrierList | Idiom::Barrier => {
                if across {
                    self.flush(from);
                }
                let list = vec![Event::Command(first)];
                self.push(queue, What::Barrier, list, Work::Empty);
            }
            Idiom::HostWait => {
                // Sometimes while gates hold other queues back.
                if !self.draw.percent(25) {
                    self.let_go();
                }
                // A wait flushes, too.
                if !self.draw.percent(30) {
                    self.flush(from);
                }
                self.main.push(Step::Wait(vec![Event::Command(first)]));
                self.look(first);
            }
            Idiom::Finish => {
                self.let_go();
                self.main.push(Step::Finish(from));
                self.look(first);
            }
            Idiom::Callback => {
                let user = UserId::at(self.program.users.len());
                self.program.users.push(ContextId(0));
                let callback = CallbackId::at(self.program.callbacks.len());
                let mut steps = Vec::new();
                if self.works[first.index()] == Work::Read {
                    steps.push(Step::Inspect(first));
                }
                steps.push(Step::Set { user, status: 0 });
                self.program.callbacks.push(Callback {
                    event: Event::Command(first),
                    at: Reached::Complete,
                    steps,
                });
                self.main.push(Step::Register(callback));
                self.flush(from);
                wait.push(Event::User(user));
            }
            Idiom::OtherThread => {
                let user = UserId::at(self.program.users.len());
                self.program.users.push(ContextId(0));
                let signal = SignalId(self.program.signals);
                self.program.signals += 1;
                self.flush(from);
                self.main.push(Step::Signal(signal));
                self.program.threads.push(vec![
                    Step::Await(signal),
                    Step::Wait(vec![Event::Command(first)]),
                    Step::Set { user, status: 0 },
                ]);
                wait.push(Event::User(user));
            }
        }
        if across && wait.contains(&Event::Command(first)) {
            self.flush(from);
        }
    }

    /// What the host may look at when a command is done.
    fn look(&mut self, done: CommandId) {
        if self.works[done.index()] == Work::Read {
            self.main.push(Step::Inspect(done));
        }
        if self.draw.percent(30) {
            self.main.push(Step::Status(Event::Command(done)));
        }
        self.host_access();
    }

    /// An access to memory that needs no map; its cells are chosen later.
    fn host_access(&mut self) {
        let fine: Vec<u16> = (0..self.program.objects.len() as u16)
            .filter(|n| self.program.objects[usize::from(*n)].kind.is_fine())
            .collect();
        if let Some(object) = self.draw.pick(&fine)
            && self.draw.percent(60)
        {
            let write = self.draw.percent(40);
            self.access(object, write, None);
        }
    }

    fn access(&mut self, object: u16, write: bool, map: Option<CommandId>) {
        let id = AccessId::at(self.program.accesses.len());
        self.program.accesses.push(Access {
            range: some(object),
            write,
            map,
        });
        self.main.push(Step::Access(id));
    }

    /// An object that a kind of work can use.
    fn object_for(&mut self, work: Work) -> Option<u16> {
        let fits = |kind: Kind| match work {
            Work::Kernel | Work::Empty => true,
            Work::Native => !kind.is_svm() && kind != Kind::Variable,
            Work::Read | Work::Write | Work::Copy | Work::Fill => kind != Kind::Variable,
            Work::Map => kind != Kind::Variable && kind != Kind::SvmSystem,
            Work::Migrate => {
                kind != Kind::Variable && kind != Kind::SvmSystem
                    // A migration takes the whole object, and with it its parts.
                    && !matches!(kind, Kind::SubBuffer { .. })
            }
        };
        let fitting: Vec<u16> = (0..self.program.objects.len() as u16)
            .filter(|n| fits(self.program.objects[usize::from(*n)].kind))
            .collect();
        self.draw.pick(&fitting)
    }

    fn work(&mut self, work: Work, queue: QueueId, wait: Vec<Event>) {
        let object = self.object_for(work);
        let kernel = |builder: &mut Builder<'_>| Kernel {
            reads: Vec::new(),
            writes: Vec::new(),
            spin: builder.draw.pick(&[0, 0, 0, 50, 500]).unwrap_or(0),
            items: builder.draw.pick(&[1, 4, 8, 16]).unwrap_or(1),
            reuse: false,
        };
        let what = match (work, object) {
            (Work::Empty, _) | (_, None) => {
                if self.draw.percent(30) {
                    What::Kernel(Kernel {
                        items: 0,
                        spin: 0,
                        ..kernel(self)
                    })
                } else {
                    What::Marker
                }
            }
            (Work::Kernel, Some(_)) => {
                let reuse = self.draw.percent(30);
                What::Kernel(Kernel {
                    reuse,
                    ..kernel(self)
                })
            }
            (Work::Native, Some(_)) => What::Native(kernel(self)),
            (Work::Read | Work::Write, Some(object)) => {
                let svm = self.program.objects[usize::from(object)].kind.is_svm();
                let transfer = Transfer {
                    range: some(object),
                    rect: !svm && self.draw.percent(30),
                };
                if work == Work::Read {
                    What::Read(transfer)
                } else {
                    What::Write(transfer)
                }
            }
            (Work::Copy, Some(object)) if self.program.objects[usize::from(object)].cells < 2 => {
                What::Fill(some(object))
            }
            (Work::Copy, Some(object)) => What::Copy {
                from: some(object),
                to: Range {
                    first: 1,
                    ..some(object)
                },
                rect: !self.program.objects[usize::from(object)].kind.is_svm()
                    && self.draw.percent(30),
            },
            (Work::Fill, Some(object)) => What::Fill(some(object)),
            (Work::Migrate, Some(object)) => What::Migrate {
                objects: vec![ObjectId(object)],
                to_host: self.draw.percent(50),
            },
            (Work::Map, Some(object)) => {
                self.map(queue, wait, object);
                return;
            }
        };
        let empty =
            matches!(&what, What::Marker) || matches!(&what, What::Kernel(k) if k.items == 0);
        let work = if empty { Work::Empty } else { work };
        let blocks = matches!(what, What::Read(_) | What::Write(_)) && self.draw.percent(25);
        if blocks {
            self.let_go();
            // What it waits for in other queues must be under way.
            let queues: Vec<QueueId> = (0..self.program.queues.len()).map(QueueId::at).collect();
            for other in queues {
                if other != queue {
                    self.flush(other);
                }
            }
        }
        let id = self.push(queue, what, wait, work);
        if blocks {
            self.program.commands[id.index()].blocking = true;
            self.look(id);
        } else if self.draw.percent(self.profile.callbacks) {
            self.tell(id);
        }
        self.ends.push(id);
    }

    /// A callback that does nothing, for some state of a command.
    fn tell(&mut self, id: CommandId) {
        let at = self
            .draw
            .pick(&[Reached::Submitted, Reached::Running, Reached::Complete]);
        let callback = CallbackId::at(self.program.callbacks.len());
        let at = at.unwrap_or(Reached::Complete);
        let steps = if at == Reached::Complete {
            vec![Step::Status(Event::Command(id))]
        } else {
            Vec::new()
        };
        self.program.callbacks.push(Callback {
            event: Event::Command(id),
            at,
            steps,
        });
        self.main.push(Step::Register(callback));
    }

    /// Another host thread that enqueues commands of its own, to queues that all use.
    fn thread(&mut self) {
        let main = std::mem::take(&mut self.main);
        let place = self.program.threads.len();
        self.program.threads.push(Vec::new());
        for _ in 0..self.draw.between(1, 3) {
            self.command();
        }
        self.let_go();
        for queue in 0..self.program.queues.len() {
            self.main.push(Step::Finish(QueueId::at(queue)));
        }
        for id in std::mem::take(&mut self.ends) {
            self.look(id);
        }
        self.program.threads[place] = std::mem::replace(&mut self.main, main);
    }

    fn map(&mut self, queue: QueueId, wait: Vec<Event>, object: u16) {
        let mode = self.draw.pick(&[
            MapMode::Read,
            MapMode::Write,
            MapMode::ReadWrite,
            MapMode::Invalidate,
        ]);
        let mode = mode.unwrap_or(MapMode::Read);
        self.let_go();
        for other in 0..self.program.queues.len() {
            if QueueId::at(other) != queue {
                self.flush(QueueId::at(other));
            }
        }
        let what = What::Map {
            range: some(object),
            mode,
        };
        // A gate of its own would still be closed.
        let signals = std::mem::take(&mut self.closed);
        let blocking = signals.is_empty() && self.draw.percent(50);
        let map = self.push(queue, what, wait, Work::Map);
        for signal in signals {
            self.main.push(Step::Signal(signal));
        }
        self.program.commands[map.index()].blocking = blocking;
        if !blocking {
            self.flush(queue);
            self.main.push(Step::Wait(vec![Event::Command(map)]));
        }
        if mode != MapMode::Invalidate && self.draw.percent(80) {
            self.access(object, false, Some(map));
        }
        if mode.writes() {
            self.access(object, true, Some(map));
        }
        let on = if self.draw.percent(80) {
            queue
        } else {
            self.queue()
        };
        let wait = if self.draw.percent(self.profile.gates / 2) {
            vec![self.gate()]
        } else {
            Vec::new()
        };
        let unmap = self.push(on, What::Unmap(map), wait, Work::Empty);
        self.ends.push(unmap);
    }

    /// Whether another host thread enqueues commands.
    fn has_thread(&self) -> bool {
        let enqueues = |step: &Step| matches!(step, Step::Enqueue(_));
        self.program.threads[1..]
            .iter()
            .any(|steps| steps.iter().any(enqueues))
    }

    /// Frees an SVM allocation by a command, which a gate may hold back.
    fn free(&mut self) {
        let svm: Vec<u16> = (0..self.program.objects.len() as u16)
            .filter(|n| {
                let kind = self.program.objects[usize::from(*n)].kind;
                matches!(kind, Kind::SvmCoarse | Kind::SvmFine)
            })
            .collect();
        // Another thread's commands may come at any time.
        let alone = !self.has_thread();
        let Some(object) = self
            .draw
            .pick(&svm)
            .filter(|_| alone && self.draw.percent(50))
        else {
            return;
        };
        let queue = self.queue();
        let wait: Vec<Event> = self.ends.iter().map(|id| Event::Command(*id)).collect();
        for other in 0..self.program.queues.len() {
            self.flush(QueueId::at(other));
        }
        let mut wait = wait;
        if self.draw.percent(self.profile.gates) {
            let gate = self.gate();
            wait.push(gate);
        }
        self.push(queue, What::Free(vec![ObjectId(object)]), wait, Work::Empty);
        self.let_go();
    }

    /// Releases events whose commands may not have run yet, and which nothing uses afterwards.
    fn released_early(&mut self, queues: &[QueueId]) -> Vec<CommandId> {
        let mut early = Vec::new();
        for id in self.ends.clone() {
            let event = Event::Command(id);
            let waited = |steps: &Vec<Step>| {
                steps.iter().any(|step| match step {
                    Step::Wait(events) => events.contains(&event),
                    Step::Inspect(of) => *of == id,
                    _ => false,
                })
            };
            let told = self.program.callbacks.iter().any(|c| c.event == event);
            let read = self.works[id.index()] == Work::Read;
            let elsewhere = !self.main.contains(&Step::Enqueue(id));
            let with_queue = queues.contains(&self.queue_of(id));
            if with_queue || read || told || elsewhere || self.program.threads.iter().any(waited) {
                continue;
            }
            if self.draw.percent(40) {
                self.main.push(Step::ReleaseEvent(event));
                early.push(id);
            }
        }
        early
    }

    fn end(&mut self) {
        self.let_go();
        let queues = self.program.queues.len();
        let release = self.draw.percent(self.profile.releases);
        self.free();
        // Either a queue is released before its commands are done, or some of their events are: with
        // neither nobody could know when they are.
        let mut released = Vec::new();
        for queue in 0..queues {
            let queue = QueueId::at(queue);
            if release && !self.has_thread() && self.draw.percent(50) {
                released.push(queue);
                // A release flushes, too.
                if self.draw.percent(50) {
                    self.flush(queue);
                }
            } else {
                self.flush(queue);
            }
        }
        let early = if release {
            self.released_early(&released)
        } else {
            Vec::new()
        };
        let mut mine: Vec<CommandId> = self
            .main
            .iter()
            .filter_map(|step| match step {
                Step::Enqueue(id) => Some(*id),
                _ => None,
            })
            .collect();
        mine.retain(|id| !early.contains(id));
        for queue in 0..queues {
            let queue = QueueId::at(queue);
            let last: Vec<Event> = mine
                .iter()
                .copied()
                .filter(|id| self.queue_of(*id) == queue)
                .map(Event::Command)
                .collect();
            let gone = released.contains(&queue);
            if gone {
                self.main.push(Step::ReleaseQueue(queue));
            }
            let lost = early.iter().any(|id| self.queue_of(*id) == queue);
            if gone || !lost && self.draw.percent(30) {
                if !last.is_empty() {
                    self.main.push(Step::Wait(last));
                }
            } else {
                self.main.push(Step::Finish(queue));
            }
        }
        let reads: Vec<CommandId> = (0..self.works.len())
            .filter(|n| self.works[*n] == Work::Read)
            .map(CommandId::at)
            .filter(|id| !self.main.contains(&Step::Inspect(*id)))
            .collect();
        for id in reads {
            self.main.push(Step::Inspect(id));
        }
        self.host_access();
        for id in &mine {
            if self.draw.percent(30) {
                self.main.push(Step::Status(Event::Command(*id)));
            }
        }
        for user in std::mem::take(&mut self.failing) {
            if self.draw.percent(50) {
                self.main.push(Step::Status(Event::User(user)));
            }
        }
        // Callbacks may still ask for the states of others.
        let free: Vec<CommandId> = mine
            .iter()
            .copied()
            .filter(|id| {
                let of = |c: &Callback| c.event == Event::Command(*id) && !c.steps.is_empty();
                !self.program.callbacks.iter().any(of)
            })
            .collect();
        if release && let Some(id) = self.draw.pick(&free) {
            self.main.push(Step::ReleaseEvent(Event::Command(id)));
        }
    }
}
