//! Puts one command after another, and behind gates.

use super::Builder;
use crate::commands::generate::profile::{Idiom, Work};
use crate::commands::program::*;

impl Builder<'_> {
    /// Lets gates open before the main thread waits for anything.
    pub(super) fn let_go(&mut self) {
        if self.closed.is_empty() {
            return;
        }
        // The last ones depend on the most.
        let held = self.held.len();
        for &id in &self.held.clone()[held.saturating_sub(4)..] {
            if self.choices.percent(70) {
                self.main.push(Step::Status(Event::Command(id)));
            }
        }
        if self.choices.percent(self.profile.watchers) {
            self.watch();
        }
        self.open();
    }

    /// Lets gates open, and asks nothing of what they hold back, which may be released.
    pub(super) fn open(&mut self) {
        for signal in std::mem::take(&mut self.closed) {
            self.main.push(Step::Signal(signal));
        }
        self.held.clear();
    }

    /// Other host threads wait for a command that gates hold back, or for a gate, all at once.
    fn watch(&mut self) {
        let behind = self.held.clone().into_iter().map(Event::Command);
        let events: Vec<Event> = behind.chain(self.waiting.map(Event::User)).collect();
        let Some(event) = self.choices.pick(&events) else {
            return;
        };
        self.flush_all(None);
        for _ in 0..self.choices.between(2, 3) {
            let signal = self.new_signal();
            let steps = vec![Step::Await(signal), Step::Wait(vec![event])];
            self.program.threads.push(steps);
            self.main.push(Step::Signal(signal));
        }
    }

    /// Barriers that gates hold back, which open before another holds back a command behind them.
    pub(super) fn barriers(&mut self, queue: QueueId) {
        for _ in 0..self.choices.one_of(&[1, 1, 2]) {
            let gate = self.new_gate();
            self.push(queue, What::Barrier, vec![gate], Work::Empty);
        }
        let mut wait = Vec::new();
        if self.choices.percent(70) {
            wait.push(self.new_gate());
        } else if let Some(done) = self.ends.last().copied()
            && self.choices.percent(50)
        {
            // A list that is complete, or nearly so, does not replace the barriers.
            wait.push(Event::Command(done));
            self.flush(self.queue_of(done));
        }
        let work = self.choices.weighted(&self.profile.works);
        self.work(work.unwrap_or(Work::Kernel), queue, wait);
    }

    /// A command that a gate holds back, many after it that nothing does, and something that waits for them
    /// all: an implementation that looks back over the last ones only forgets the first.
    pub(super) fn crowd(&mut self, queue: QueueId) {
        let gate = self.new_gate();
        let works = [Work::Write, Work::Fill, Work::Kernel];
        let work = self.choices.one_of(&works);
        self.work(work, queue, vec![gate]);
        for _ in 0..self.choices.between(15, 40) {
            if self.choices.percent(95) {
                // No markers: they would wait for the first one, and others for them.
                self.nothing(queue, What::Kernel(Kernel::default()));
            } else {
                self.work(Work::Kernel, queue, Vec::new());
            }
        }
        if self.choices.percent(60) {
            self.nothing(queue, What::Marker);
        } else {
            self.push(queue, What::Barrier, Vec::new(), Work::Empty);
            self.work(Work::Kernel, queue, Vec::new());
        }
    }

    /// Hundreds of commands of which one is behind a gate, at any place, and a command and the host that wait for
    /// each of them by a list. Tables of 64, 128 and 256 are too short for them.
    pub(super) fn hundreds(&mut self) {
        let queue = self.queue();
        let many = self.choices.between(260, 300);
        let anywhere = self.choices.below(many);
        let place = self.choices.one_of(&[anywhere, many - 1, many - 1]);
        let mut list = Vec::new();
        for n in 0..many {
            // In order, what comes first holds back all the others.
            let id = if n == place || n == 0 && !self.out_of_order(queue) {
                let gate = self.new_gate();
                let work = self
                    .choices
                    .one_of(&[Work::Write, Work::Fill, Work::Kernel]);
                self.work(work, queue, vec![gate]);
                CommandId::at(self.works.len() - 1)
            } else {
                self.push(
                    queue,
                    What::Kernel(Kernel::default()),
                    Vec::new(),
                    Work::Empty,
                )
            };
            list.push(Event::Command(id));
        }
        let on = self.queue();
        self.work(Work::Kernel, on, list.clone());
        self.let_go();
        self.flush_all(None);
        self.main.push(Step::Wait(list));
    }

    /// The host waits by one list for what fails at once and for what a gate still holds back, in any order: such a
    /// wait is over when all have ended. What it waits for has a queue of its own, so that nothing else that fails
    /// decides how it ends.
    pub(super) fn mixed_wait(&mut self) {
        self.let_go();
        let device = self.choices.below(usize::from(self.profile.devices));
        let queue = self.new_queue(device, true);
        let failing = self.new_user();
        let status = -(self.choices.between(1, 9999) as i32);
        self.failing.push(failing);
        let mut list = vec![Event::User(failing)];
        let set = Step::Set {
            user: failing,
            status,
        };
        self.main.push(set);
        // What waits for it fails, too.
        if self.choices.percent(20) {
            self.work(Work::Kernel, queue, list.clone());
            if self.choices.percent(50) {
                list.clear();
            }
            list.extend(self.ends.last().copied().map(Event::Command));
        }
        let failed = list[0];
        let (user, signal) = (self.new_user(), self.new_signal());
        let sleep = self.choices.between(200, 1500) as u32;
        self.program.threads.push(vec![
            Step::Await(signal),
            Step::Sleep(sleep),
            Step::Set { user, status: 0 },
        ]);
        self.closed.push(signal);
        for _ in 0..self.choices.between(1, 2) {
            let works = [Work::Kernel, Work::Write, Work::Read, Work::Empty];
            let work = self.choices.one_of(&works);
            self.work(work, queue, vec![Event::User(user)]);
            list.extend(self.ends.last().copied().map(Event::Command));
        }
        for n in (1..list.len()).rev() {
            list.swap(n, self.choices.below(n + 1));
        }
        // What comes behind the failed one is what may be forgotten.
        if self.choices.percent(60)
            && let Some(place) = list.iter().position(|event| *event == failed)
        {
            list.swap(0, place);
        }
        self.flush(queue);
        self.open();
        self.main.push(Step::Wait(list));
    }

    /// A command that waits by one list, in any order, for commands of several queues: gates hold some of them back, and
    /// others may be complete by then.
    pub(super) fn gathered(&mut self) {
        let device = self.choices.below(usize::from(self.profile.devices));
        let count = self.choices.between(2, 4);
        let held = self.choices.below(count);
        let (mut list, mut free) = (Vec::new(), Vec::new());
        for n in 0..count {
            let out_of_order = self.choices.percent(self.profile.out_of_order);
            let queue = self.new_queue(device, out_of_order);
            let is_held = n == held || self.choices.percent(30);
            let wait = is_held.then(|| self.new_gate()).into_iter().collect();
            let works = [Work::Kernel, Work::Write, Work::Fill];
            let work = self.choices.one_of(&works);
            self.work(work, queue, wait);
            let event = self.ends.last().copied().map(Event::Command);
            list.extend(event);
            free.extend(event.filter(|_| !is_held));
        }
        for n in (1..list.len()).rev() {
            list.swap(n, self.choices.below(n + 1));
        }
        if !free.is_empty() && self.choices.percent(60) {
            self.flush_all(None);
            self.main.push(Step::Wait(free));
        }
        let out_of_order = self.choices.percent(self.profile.out_of_order);
        let queue = self.new_queue(device, out_of_order);
        self.work(Work::Kernel, queue, list);
    }

    /// A read to memory of the host that a gate holds back, and a write from there that comes behind it: what the
    /// write brings is what the read left, whenever its call was made.
    pub(super) fn relay(&mut self, queue: QueueId) {
        let gate = self.new_gate();
        self.work(Work::Read, queue, vec![gate]);
        let read = self.ends.last().copied();
        let listed = self.out_of_order(queue) || self.choices.percent(30);
        let read = read.filter(|_| listed).map(Event::Command);
        self.work(Work::Write, queue, read.into_iter().collect());
    }

    /// Gives what has no gate the time to begin, where that is what counts.
    fn lets_run(&mut self, queue: QueueId) {
        if self.profile.long > 0 && self.choices.percent(70) {
            self.flush(queue);
            let micros = self.choices.between(200, 1000) as u32;
            self.main.push(Step::Sleep(micros));
        }
    }

    /// A command that does nothing.
    fn nothing(&mut self, queue: QueueId, what: What) {
        let id = self.push(queue, what, Vec::new(), Work::Empty);
        self.ends.push(id);
    }

    /// Has a command wait for a gate, too, in so many of a hundred.
    pub(super) fn gate_some(&mut self, percent: usize, wait: &mut Vec<Event>) {
        if self.choices.percent(percent) {
            wait.push(self.gate());
        }
    }

    /// A user event that another thread sets later, which may hold back others, too.
    pub(super) fn gate(&mut self) -> Event {
        // One event may hold back several commands.
        if let Some(user) = self.waiting
            && !self.closed.is_empty()
            && self.choices.percent(25)
        {
            return Event::User(user);
        }
        self.new_gate()
    }

    /// One of its own.
    pub(super) fn new_gate(&mut self) -> Event {
        self.gate_failing(self.profile.failures)
    }

    /// One of its own, which fails.
    pub(super) fn failing_gate(&mut self) -> Event {
        self.gate_failing(100)
    }

    /// One of its own, which fails in so many of a hundred.
    fn gate_failing(&mut self, percent: usize) -> Event {
        let user = self.new_user();
        let at_once = self.profile.at_once > 0 && self.choices.percent(self.profile.at_once);
        let together = self.closed.last().copied().filter(|_| at_once);
        let signal = together.unwrap_or_else(|| self.new_signal());
        let status = if self.choices.percent(percent) {
            -(self.choices.between(1, 9999) as i32)
        } else {
            0
        };
        let mut steps = vec![Step::Await(signal)];
        if self.profile.at_once == 0 {
            let sleep = self.choices.below(self.profile.longest_gate + 1) as u32;
            steps.push(Step::Sleep(sleep));
        }
        steps.push(Step::Set { user, status });
        self.program.threads.push(steps);
        if together.is_none() {
            self.closed.push(signal);
        }
        self.waiting = Some(user);
        if status < 0 {
            self.failing.push(user);
        }
        if self.choices.percent(self.profile.callbacks / 2) {
            // It never runs; once complete it is past that. Hardly an implementation tells so.
            let at = if self.choices.percent(15) {
                Reached::Running
            } else {
                Reached::Complete
            };
            self.tell(Event::User(user), at);
        }
        Event::User(user)
    }

    /// Orders what comes next in a queue after a command, in some way.
    pub(super) fn order(&mut self, first: CommandId, queue: QueueId, wait: &mut Vec<Event>) {
        let idiom = self.choices.weighted(&self.profile.idioms);
        self.order_by(idiom, first, queue, wait);
    }

    /// Orders it in this way, or in one like it where this one does nothing there.
    pub(super) fn order_by(
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
                self.lets_run(from);
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
                self.lets_run(queue);
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
                if !self.choices.percent(25) {
                    self.let_go();
                }
                // A wait flushes, too.
                if !self.choices.percent(30) {
                    self.flush(from);
                }
                let mut list = vec![Event::Command(first)];
                if self.choices.percent(25) {
                    // It waits for what another thread does, too.
                    let (user, signal) = (self.new_user(), self.new_signal());
                    let sleep = self.choices.between(50, 600) as u32;
                    self.main.push(Step::Signal(signal));
                    self.program.threads.push(vec![
                        Step::Await(signal),
                        Step::Sleep(sleep),
                        Step::Set { user, status: 0 },
                    ]);
                    list.insert(self.choices.below(2), Event::User(user));
                }
                self.main.push(Step::Wait(list));
                self.look(first);
            }
            Idiom::Finish => {
                self.let_go();
                self.main.push(Step::Finish(from));
                self.look(first);
            }
            Idiom::Callback => {
                let user = self.new_user();
                let callback = CallbackId::at(self.program.callbacks.len());
                let mut steps = Vec::new();
                if self.program.what(first).is_own_read() {
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
                let user = self.new_user();
                let signal = self.new_signal();
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
}
