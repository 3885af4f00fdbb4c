//! Draws queues, commands and what orders them, without data.
//!
//! The main thread enqueues everything. A command that waits for nothing often waits for a *gate*, a
//! user event that another host thread opens a little later: until then, whatever depends on it must
//! not start, so an implementation that forgets a dependency has all the time to show it. Before the
//! main thread blocks, and at its end, it asks for the states of some commands that gates hold back,
//! and lets the gates' threads go on.
//! [`order`] puts one command after another, [`work`] draws what commands are, [`end`] how a program ends.

mod end;
mod order;
mod work;

use super::enumerate::Shape;
use super::profile::{Profile, Work};
use crate::choices::Choices;
use crate::commands::program::*;

/// A program whose ranges are not chosen yet.
pub struct Skeleton {
    /// The program; all its ranges are the first cell of an object.
    pub program: Program,
    /// What each command is.
    pub works: Vec<Work>,
    /// Most cells of a range.
    pub longest: u8,
    /// Native kernels may be given several buffers, or one at several places.
    pub several: bool,
}

struct Builder<'d> {
    choices: &'d mut Choices,
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
    /// Kernels take their time, for something else is to run beside them.
    busy: bool,
}

/// Draws one.
pub fn draw(choices: &mut Choices, profile: &Profile) -> Skeleton {
    let queues = choices.between(1, profile.queues);
    let out_of_order: Vec<bool> = (0..queues)
        .map(|_| choices.percent(profile.out_of_order))
        .collect();
    let mut builder = Builder::new(choices, profile, &out_of_order);
    builder.objects();
    let commands = builder
        .choices
        .between(profile.commands.0, profile.commands.1);
    if builder.choices.percent(profile.threads) {
        let threads = match profile.crew {
            0 | 1 => 1,
            most => builder.choices.between(2, most),
        };
        (0..threads).for_each(|_| builder.thread());
    }
    if profile.hundreds > 0 && builder.choices.percent(profile.hundreds) {
        builder.hundreds();
    }
    let crowd = builder.choices.percent(profile.crowds);
    let place = builder.choices.below(commands);
    for n in 0..commands {
        if crowd && n == place {
            let queue = builder.queue();
            builder.crowd(queue);
        }
        builder.command();
    }
    if profile.mixed_waits > 0 && builder.choices.percent(profile.mixed_waits) {
        (0..builder.choices.between(1, 3)).for_each(|_| builder.mixed_wait());
    }
    if profile.gathers > 0 && builder.choices.percent(profile.gathers) {
        builder.gathered();
    }
    builder.end();
    builder.done()
}

/// Draws the skeleton of a shape: its commands in order, each after those that it follows.
pub fn of_shape(choices: &mut Choices, profile: &Profile, shape: &Shape) -> Skeleton {
    let mut builder = Builder::new(choices, profile, &shape.out_of_order);
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
    Range::of(ObjectId(object), 0, 1)
}

/// Whether a wait list has a gate.
fn is_gated(wait: &[Event]) -> bool {
    wait.iter().any(|event| matches!(event, Event::User(_)))
}

impl<'d> Builder<'d> {
    fn new(choices: &'d mut Choices, profile: &'d Profile, out_of_order: &[bool]) -> Builder<'d> {
        let cell_words = choices.pick(&profile.cell_words).unwrap_or(16);
        let mut builder = Builder {
            program: Program {
                devices: profile.devices,
                contexts: 1,
                cell_words,
                threads: vec![Vec::new()],
                ..Program::default()
            },
            choices,
            profile,
            works: Vec::new(),
            main: Vec::new(),
            closed: Vec::new(),
            held: Vec::new(),
            ends: Vec::new(),
            waiting: None,
            failing: Vec::new(),
            busy: false,
        };
        for (n, out_of_order) in out_of_order.iter().enumerate() {
            builder.new_queue(n % usize::from(profile.devices), *out_of_order);
        }
        builder
    }

    /// A new queue.
    fn new_queue(&mut self, device: usize, out_of_order: bool) -> QueueId {
        self.program.queues.push(Queue {
            context: ContextId(0),
            device: device as u8,
            out_of_order,
        });
        QueueId::at(self.program.queues.len() - 1)
    }

    fn done(mut self) -> Skeleton {
        let several = self.profile.several > 0 && self.choices.percent(self.profile.several);
        self.program.threads[0] = self.main;
        Skeleton {
            several,
            program: self.program,
            works: self.works,
            longest: self.profile.longest,
        }
    }

    fn objects(&mut self) {
        let wanted = self.choices.between(2, self.profile.most_objects);
        for _ in 0..wanted {
            let Some(kind) = self.choices.weighted(&self.profile.objects) else {
                continue;
            };
            if kind == Kind::Variable && !self.objects_of(|k| k == kind).is_empty() {
                continue;
            }
            let cells = self.choices.pick(&self.profile.cells).unwrap_or(4);
            self.new_object(kind, cells);
            // Sub-buffers begin where devices want them, which small cells reach too late.
            let step = 1024 / (u32::from(self.program.cell_words) * 4);
            let step = u8::try_from(step).unwrap_or(MOST_CELLS);
            let reached = step.max(4) <= MOST_CELLS / 2 && matches!(kind, Kind::Buffer(_));
            if reached && self.choices.percent(self.profile.sub_buffers) {
                let of = ObjectId::at(self.program.objects.len() - 1);
                let parent = &mut self.program.objects[of.index()];
                parent.cells = step.max(4) * 2;
                let cells = self.choices.between(1, usize::from(step.min(8))) as u8;
                self.new_object(Kind::SubBuffer { of, first: step }, cells);
                if self.profile.parts > 1 {
                    self.more_parts(of, step);
                }
            }
        }
        // Memory of the host alone is none to begin with.
        if !self.program.objects.iter().any(|o| o.kind.is_kernels()) {
            let cells = self.choices.pick(&self.profile.cells).unwrap_or(4);
            self.new_object(Kind::Buffer(HostPointer::Copy), cells);
        }
    }

    /// Further parts of a buffer, which may begin so many cells apart. The buffer ends anywhere, and one of them with
    /// it.
    fn more_parts(&mut self, of: ObjectId, step: u8) {
        let longer = self
            .choices
            .below(usize::from(MOST_CELLS - step.max(4) * 2) + 1);
        let parent = &mut self.program.objects[of.index()];
        parent.cells += longer.min(3 * usize::from(step)) as u8;
        let whole = parent.cells;
        let places = usize::from((whole - 1) / step) + 1;
        for n in 1..self.choices.between(2, self.profile.parts) {
            let first = step * self.choices.below(places) as u8;
            let rest = whole - first;
            let cells = if n == 1 {
                rest
            } else {
                self.choices.between(1, rest.into()) as u8
            };
            self.new_object(Kind::SubBuffer { of, first }, cells);
        }
    }

    fn new_object(&mut self, kind: Kind, cells: u8) {
        self.program.objects.push(Object {
            context: ContextId(0),
            cells,
            kind,
        });
    }

    /// A new user event.
    fn new_user(&mut self) -> UserId {
        self.program.users.push(ContextId(0));
        UserId::at(self.program.users.len() - 1)
    }

    /// A new signal.
    fn new_signal(&mut self) -> SignalId {
        self.program.signals += 1;
        SignalId(self.program.signals - 1)
    }

    /// The objects of some kinds.
    fn objects_of(&self, fits: impl Fn(Kind) -> bool) -> Vec<u16> {
        let all = (0..).zip(&self.program.objects);
        all.filter(|(_, object)| fits(object.kind))
            .map(|(n, _)| n)
            .collect()
    }

    fn kind(&self, object: u16) -> Kind {
        self.program.objects[usize::from(object)].kind
    }

    fn queues(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.program.queues.len()).map(QueueId::at)
    }

    fn queue(&mut self) -> QueueId {
        QueueId::at(self.choices.below(self.program.queues.len()))
    }

    fn out_of_order(&self, queue: QueueId) -> bool {
        self.program.queues[queue.index()].out_of_order
    }

    fn queue_of(&self, command: CommandId) -> QueueId {
        self.program.commands[command.index()].queue
    }

    /// Enqueues a command on the main thread. Queues whose commands it waits for are flushed before: clFlush asks for
    /// it, and names no moment.
    fn push(&mut self, queue: QueueId, what: What, wait: Vec<Event>, work: Work) -> CommandId {
        for event in &wait {
            if let Event::Command(first) = event
                && self.queue_of(*first) != queue
                && !self.is_flushed(*first)
            {
                self.flush(self.queue_of(*first));
            }
        }
        let id = CommandId::at(self.program.commands.len());
        self.program.commands.push(Command {
            queue,
            what,
            wait,
            blocking: false,
            eventless: false,
        });
        self.works.push(work);
        self.main.push(Step::Enqueue(id));
        if !self.closed.is_empty() {
            self.held.push(id);
        }
        id
    }

    /// Whether the main thread flushed a command's queue after it enqueued the command.
    fn is_flushed(&self, command: CommandId) -> bool {
        let queue = self.queue_of(command);
        let later = self.main.iter().rev();
        let mut later = later.take_while(|step| **step != Step::Enqueue(command));
        later.any(|step| matches!(step, Step::Flush(q) | Step::Finish(q) if *q == queue))
    }

    /// Makes sure that a queue's commands are under way before another queue waits for them.
    fn flush(&mut self, queue: QueueId) {
        self.main.push(Step::Flush(queue));
    }

    /// The same of all queues, but for this one.
    fn flush_all(&mut self, but: Option<QueueId>) {
        let others = self.queues().filter(|queue| Some(*queue) != but);
        others.for_each(|queue| self.flush(queue));
    }

    fn command(&mut self) {
        let queue = self.queue();
        let mut wait = Vec::new();
        if self.profile.relays > 0 && self.choices.percent(self.profile.relays) {
            self.relay(queue);
        }
        if self.out_of_order(queue) && self.choices.percent(self.profile.gated_barriers) {
            self.barriers(queue);
        }
        let dependencies = match self.choices.below(20) {
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
            if let Some(id) = self.choices.pick(tail)
                && !first.contains(&id)
            {
                first.push(id);
            }
        }
        for id in first {
            self.order(id, queue, &mut wait);
        }
        if wait.is_empty() {
            self.gate_some(self.profile.gates, &mut wait);
        }
        let gated = wait.len() == 1 && is_gated(&wait);
        if gated && self.profile.joint > 0 && self.choices.percent(self.profile.joint) {
            for _ in 0..self.choices.between(1, 3) {
                wait.push(self.new_gate());
            }
        }
        if self.profile.gates > 0 && !wait.is_empty() && self.choices.percent(15) {
            let another = self.new_gate();
            let place = self.choices.below(wait.len() + 1);
            wait.insert(place, another);
        }
        if !wait.is_empty() && self.choices.percent(if gated { 15 } else { 25 }) {
            // The same event twice is one dependency, and leaves the others theirs.
            let again = self.choices.below(wait.len());
            let place = self.choices.below(wait.len() + 1);
            wait.insert(place, wait[again]);
        }
        if !wait.is_empty() && self.choices.percent(8) {
            self.lengthen(&mut wait);
        }
        let work = self.choices.weighted(&self.profile.works);
        let work = work.unwrap_or(Work::Kernel);
        let held = wait.len() == 1 && is_gated(&wait);
        if held && self.choices.percent(self.profile.twins) {
            // The same gate lets both go, so that they run together where they can.
            self.busy = true;
            self.work(Work::Kernel, queue, wait.clone());
            let other = self.queue();
            let twins = [Work::Read, Work::Read, Work::Copy, Work::Kernel, work];
            let twin = self.choices.one_of(&twins);
            self.work(twin, other, wait);
            self.busy = false;
            return;
        }
        self.work(work, queue, wait);
    }

    /// Puts events of earlier commands before those of a wait list, so that it is long and the last
    /// ones still count.
    fn lengthen(&mut self, wait: &mut Vec<Event>) {
        if self.ends.is_empty() {
            return;
        }
        self.flush_all(None);
        // Implementations keep short lists in other places than long ones.
        let more = match self.choices.below(4) {
            0 => self.choices.between(17, 70),
            _ => self.choices.between(2, 12),
        };
        let earlier = (0..more).filter_map(|_| self.choices.pick(&self.ends));
        let mut longer: Vec<Event> = earlier.map(Event::Command).collect();
        longer.append(wait);
        *wait = longer;
    }
}
