//! Draws what commands are, and what the host does beside them.

use super::{Builder, is_gated, some};
use crate::commands::generate::profile::Work;
use crate::commands::program::*;

/// What callbacks are registered for.
const STATES: [Reached; 3] = [Reached::Submitted, Reached::Running, Reached::Complete];

/// What maps are for.
const MODES: [MapMode; 4] = [
    MapMode::Read,
    MapMode::Write,
    MapMode::ReadWrite,
    MapMode::Invalidate,
];

impl Builder<'_> {
    /// What the host may look at when a command is done.
    pub(super) fn look(&mut self, done: CommandId) {
        if self.program.what(done).is_own_read() {
            self.main.push(Step::Inspect(done));
        }
        if self.choices.percent(30) {
            self.main.push(Step::Status(Event::Command(done)));
        }
        // A state that has been reached is told, too.
        if self.choices.percent(self.profile.callbacks / 2) {
            self.tell_of(done);
        }
        self.host_access();
    }

    /// An access to memory that needs no map; its cells are chosen later.
    pub(super) fn host_access(&mut self) {
        let open = self.objects_of(Kind::is_open);
        if let Some(object) = self.choices.pick(&open)
            && self.choices.percent(60)
        {
            let write = self.choices.percent(40);
            self.access(object, write, None);
        }
    }

    pub(super) fn access(&mut self, object: u16, write: bool, map: Option<CommandId>) {
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
            Work::Kernel | Work::Empty => kind.is_kernels(),
            Work::Native => matches!(kind, Kind::Buffer(_) | Kind::SubBuffer { .. }),
            Work::Read | Work::Write | Work::Copy | Work::Fill => {
                !matches!(kind, Kind::Variable | Kind::Host)
            }
            Work::Map => !matches!(kind, Kind::Variable | Kind::SvmSystem | Kind::Host),
            // A migration takes the whole object, and with it its parts.
            Work::Migrate => !matches!(
                kind,
                Kind::Variable | Kind::SvmSystem | Kind::Host | Kind::SubBuffer { .. }
            ),
        };
        let fitting = self.objects_of(fits);
        self.choices.pick(&fitting)
    }

    /// A kernel that takes its time.
    fn kernel(&mut self) -> Kernel {
        // Long enough for what runs beside it to begin, also where kernels are compiled well.
        let long = self.profile.long > 0 && self.choices.percent(self.profile.long);
        let (spin, items) = if self.busy || long {
            (self.choices.one_of(&[3000, 100_000, 300_000]), 1)
        } else {
            let spin = self.choices.one_of(&[0, 0, 0, 50, 500]);
            (spin, self.choices.one_of(&[1, 4, 8, 16]))
        };
        Kernel {
            spin,
            items,
            ..Kernel::default()
        }
    }

    pub(super) fn work(&mut self, work: Work, queue: QueueId, mut wait: Vec<Event>) {
        let object = self.object_for(work);
        if work == Work::Migrate && object.is_some() {
            wait = self.after_all(queue, wait);
        }
        let what = match (work, object) {
            (Work::Empty, _) | (_, None) => {
                if self.choices.percent(30) {
                    What::Kernel(Kernel {
                        items: 0,
                        spin: 0,
                        ..self.kernel()
                    })
                } else {
                    What::Marker
                }
            }
            (Work::Kernel, Some(_)) => {
                let reuse = self.choices.percent(30);
                What::Kernel(Kernel {
                    reuse,
                    ..self.kernel()
                })
            }
            (Work::Native, Some(_)) => What::Native(self.kernel()),
            (Work::Read | Work::Write, Some(object)) => {
                let svm = self.kind(object).is_svm();
                let transfer = Transfer {
                    range: some(object),
                    rect: !svm && self.choices.percent(self.profile.rects),
                    host: self.memory_for_transfer(),
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
                rect: !self.kind(object).is_svm() && self.choices.percent(30),
            },
            (Work::Fill, Some(object)) => What::Fill(some(object)),
            (Work::Migrate, Some(object)) => What::Migrate {
                objects: vec![ObjectId(object)],
                to_host: self.choices.percent(50),
            },
            (Work::Map, Some(object)) if self.profile.failures > 0 => {
                self.failing_map(object);
                return;
            }
            (Work::Map, Some(object)) => {
                self.map(queue, wait, object);
                return;
            }
        };
        let empty =
            matches!(&what, What::Marker) || matches!(&what, What::Kernel(k) if k.items == 0);
        let work = if empty { Work::Empty } else { work };
        let blocks = matches!(what, What::Read(_) | What::Write(_))
            && self.choices.percent(self.profile.blocking);
        if blocks {
            if !is_gated(&wait) && self.profile.gated_blocks > 0 {
                self.gate_some(self.profile.gated_blocks, &mut wait);
            }
            self.let_go();
            // What it waits for in other queues must be under way.
            self.flush_all(Some(queue));
        }
        let id = self.push(queue, what, wait, work);
        if blocks {
            self.program.commands[id.index()].blocking = true;
            // Where the call that returns too soon is what is looked for, what the event then says hides it.
            if self.profile.gated_blocks == 0 || self.choices.percent(20) {
                self.look(id);
            } else if self.program.what(id).is_own_read() {
                self.main.push(Step::Inspect(id));
            }
        } else if self.choices.percent(self.profile.callbacks) {
            self.tell_of(id);
            // Each is called, however many there are.
            if self.choices.percent(30) {
                self.tell_of(id);
            }
        }
        self.ends.push(id);
    }

    /// Memory that a transfer shares with others, where there is any; its cells are chosen later.
    fn memory_for_transfer(&mut self) -> Option<Range> {
        let memory = self.objects_of(|kind| kind == Kind::Host);
        if memory.is_empty() || !self.choices.percent(92) {
            return None;
        }
        self.choices.pick(&memory).map(some)
    }

    /// A wait list for what needs an object to itself: after everything, and mostly behind a gate.
    fn after_all(&mut self, queue: QueueId, mut wait: Vec<Event>) -> Vec<Event> {
        self.flush_all(Some(queue));
        for id in self.ends.clone() {
            let event = Event::Command(id);
            if !wait.contains(&event) {
                wait.push(event);
            }
        }
        if !is_gated(&wait) {
            self.gate_some(self.profile.gates, &mut wait);
        }
        wait
    }

    /// A callback that does nothing much, for some state of a command.
    fn tell_of(&mut self, id: CommandId) {
        let at = self.choices.one_of(&STATES);
        self.tell(Event::Command(id), at);
    }

    /// Likewise, for a state of an event. It may ask for another callback of the same event.
    pub(super) fn tell(&mut self, event: Event, at: Reached) {
        let callback = CallbackId::at(self.program.callbacks.len());
        let asks = matches!(event, Event::Command(_)) && at == Reached::Complete;
        let mut steps = Vec::new();
        if asks && self.choices.percent(65) {
            steps.push(Step::Status(event));
        }
        let another = self.choices.percent(15);
        if another {
            steps.push(Step::Register(CallbackId(callback.0 + 1)));
        }
        self.program.callbacks.push(Callback { event, at, steps });
        if another {
            // Hardly an implementation tells that a user event runs.
            let states: &[Reached] = match event {
                Event::Command(_) => &STATES,
                Event::User(_) => &[Reached::Complete],
            };
            self.program.callbacks.push(Callback {
                event,
                at: self.choices.pick(states).unwrap_or(Reached::Complete),
                steps: Vec::new(),
            });
        }
        self.main.push(Step::Register(callback));
    }

    /// One more host thread that enqueues commands of its own, to queues that all use.
    pub(super) fn thread(&mut self) {
        let main = std::mem::take(&mut self.main);
        let place = self.program.threads.len();
        self.program.threads.push(Vec::new());
        for _ in 0..self.choices.between(1, 3) {
            self.command();
        }
        self.let_go();
        let own = std::mem::take(&mut self.ends);
        let crew = self.profile.crew > 1;
        if crew && !own.is_empty() && self.choices.percent(60) {
            self.flush_all(None);
            let own = own.iter().map(|id| Event::Command(*id));
            self.main.push(Step::Wait(own.collect()));
        } else {
            for queue in self.queues() {
                self.main.push(Step::Finish(queue));
            }
        }
        for &id in &own {
            self.look(id);
        }
        let free = own.into_iter().filter(|id| !self.is_told(*id));
        for id in free.collect::<Vec<_>>() {
            if crew && self.choices.percent(60) {
                self.main.push(Step::ReleaseEvent(Event::Command(id)));
            }
        }
        self.program.threads[place] = std::mem::replace(&mut self.main, main);
    }

    /// A further map for reading of an object that is mapped for reading, and the ends of both in some
    /// order. Each counts by itself, also where their addresses are equal.
    fn map_again(&mut self, queue: QueueId, map: CommandId, object: u16) {
        let what = What::Map {
            range: some(object),
            mode: MapMode::Read,
        };
        let again = self.push(queue, what, Vec::new(), Work::Map);
        self.program.commands[again.index()].blocking = true;
        self.access(object, false, Some(again));
        let (first, second) = if self.choices.percent(50) {
            (map, again)
        } else {
            (again, map)
        };
        for (ended, left) in [(first, Some(second)), (second, None)] {
            let unmap = self.push(queue, What::Unmap(ended), Vec::new(), Work::Empty);
            self.ends.push(unmap);
            if left.is_some() && self.choices.percent(60) {
                self.access(object, false, left);
            }
        }
    }

    /// A map that fails, or one whose unmap does: an object of its own, for that stays mapped. Whether another command
    /// of an in-order queue runs is left open behind a failure, so they have a queue of their own.
    fn failing_map(&mut self, object: u16) {
        let device = self.choices.below(usize::from(self.profile.devices));
        let queue = self.new_queue(device, true);
        let mode = self.choices.one_of(&MODES);
        let maps = self.choices.percent(40);
        let Object { cells, kind, .. } = self.program.objects[usize::from(object)];
        let kind = match kind {
            Kind::SubBuffer { .. } => Kind::Buffer(HostPointer::Copy),
            kind => kind,
        };
        let range = if maps {
            self.new_object(kind, cells);
            some((self.program.objects.len() - 1) as u16)
        } else {
            some(object)
        };
        let mut last = What::Map { range, mode };
        if maps {
            self.let_go();
            let map = self.push(queue, last, Vec::new(), Work::Map);
            self.program.commands[map.index()].blocking = true;
            if mode != MapMode::Invalidate {
                self.access(range.object.0, false, Some(map));
            }
            if mode.writes() {
                self.access(range.object.0, true, Some(map));
            }
            last = What::Unmap(map);
        }
        let gate = self.failing_gate();
        let work = if maps { Work::Empty } else { Work::Map };
        let id = self.push(queue, last, vec![gate], work);
        if self.choices.percent(self.profile.callbacks) {
            self.tell_of(id);
        }
        self.ends.push(id);
    }

    fn map(&mut self, queue: QueueId, wait: Vec<Event>, object: u16) {
        let mode = self.choices.one_of(&MODES);
        self.let_go();
        self.flush_all(Some(queue));
        let what = What::Map {
            range: some(object),
            mode,
        };
        // A gate of its own would still be closed.
        let signals = std::mem::take(&mut self.closed);
        let blocking = signals.is_empty() && self.choices.percent(50);
        let map = self.push(queue, what, wait, Work::Map);
        for signal in signals {
            self.main.push(Step::Signal(signal));
        }
        self.program.commands[map.index()].blocking = blocking;
        if !blocking {
            self.flush(queue);
            self.main.push(Step::Wait(vec![Event::Command(map)]));
        }
        if mode != MapMode::Invalidate && self.choices.percent(80) {
            self.access(object, false, Some(map));
        }
        if mode.writes() {
            self.access(object, true, Some(map));
        }
        // Only buffers count their maps.
        let counted = matches!(self.kind(object), Kind::Buffer(_) | Kind::SubBuffer { .. });
        if counted && mode == MapMode::Read && self.choices.percent(50) {
            self.map_again(queue, map, object);
            return;
        }
        let on = if self.choices.percent(80) {
            queue
        } else {
            self.queue()
        };
        let mut wait = Vec::new();
        self.gate_some(self.profile.gates / 2, &mut wait);
        let unmap = self.push(on, What::Unmap(map), wait, Work::Empty);
        self.ends.push(unmap);
    }
}
