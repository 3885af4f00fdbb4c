//! Draws how a program ends: what it frees, releases, waits for and looks at.

use super::Builder;
use crate::commands::generate::profile::Work;
use crate::commands::program::*;

impl Builder<'_> {
    /// Whether another host thread enqueues commands.
    fn has_thread(&self) -> bool {
        let enqueues = |step: &Step| matches!(step, Step::Enqueue(_));
        self.program.threads[1..]
            .iter()
            .any(|steps| steps.iter().any(enqueues))
    }

    /// Whether a callback of a command's event does anything.
    pub(super) fn is_told(&self, id: CommandId) -> bool {
        let of = |c: &Callback| c.event == Event::Command(id) && !c.steps.is_empty();
        self.program.callbacks.iter().any(of)
    }

    /// Frees SVM allocations by a command, which a gate may hold back; whether it does.
    fn free(&mut self) -> bool {
        let svm = self.objects_of(|kind| matches!(kind, Kind::SvmCoarse | Kind::SvmFine));
        // Another thread's commands may come at any time.
        let alone = !self.has_thread();
        let Some(object) = self
            .choices
            .pick(&svm)
            .filter(|_| alone && self.choices.percent(50))
        else {
            return false;
        };
        let queue = self.queue();
        let mut wait: Vec<Event> = self.ends.iter().map(|id| Event::Command(*id)).collect();
        self.flush_all(None);
        self.gate_some(self.profile.gates, &mut wait);
        let mut freed = vec![ObjectId(object)];
        for other in svm {
            if other != object && self.choices.percent(50) {
                freed.push(ObjectId(other));
            }
        }
        self.push(queue, What::Free(freed), wait, Work::Empty);
        self.let_go();
        true
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
            // Callbacks are called all the same, but those that use the event have to have it.
            let told = self.is_told(id);
            let read = self.works[id.index()] == Work::Read;
            let elsewhere = !self.main.contains(&Step::Enqueue(id));
            let with_queue = queues.contains(&self.queue_of(id));
            if with_queue || read || told || elsewhere || self.program.threads.iter().any(waited) {
                continue;
            }
            if self.choices.percent(40) {
                self.main.push(Step::ReleaseEvent(event));
                early.push(id);
            }
        }
        early
    }

    /// A queue has its command done while gates hold the others back.
    fn independent(&mut self) {
        if self.closed.is_empty() || !self.choices.percent(self.profile.independent) {
            return;
        }
        let device = self.choices.below(usize::from(self.profile.devices));
        let out_of_order = self.choices.percent(self.profile.out_of_order);
        let queue = self.new_queue(device, out_of_order);
        self.work(Work::Kernel, queue, Vec::new());
        let Some(id) = self.ends.last().copied() else {
            return;
        };
        if self.choices.percent(50) {
            self.flush(queue);
            self.main.push(Step::Wait(vec![Event::Command(id)]));
        } else {
            self.main.push(Step::Finish(queue));
        }
    }

    /// Reads once more when all is done, by a queue of its own: what commands did that were not to run is
    /// there to be seen.
    fn look_back(&mut self) {
        let out_of_order = self.choices.percent(50);
        let queue = self.new_queue(0, out_of_order);
        // A wait for what fails need not wait for the others.
        for other in 0..queue.index() {
            self.main.push(Step::Finish(QueueId::at(other)));
        }
        for _ in 0..self.choices.between(2, 4) {
            self.work(Work::Read, queue, Vec::new());
        }
        // What has failed is told, too.
        for id in self.ends.clone() {
            if self.choices.percent(30) {
                self.tell(Event::Command(id), Reached::Complete);
            }
        }
        self.main.push(Step::Finish(queue));
    }

    /// Opens gates, and waits until each is: nothing but events may be released while one is closed that a command
    /// waits for (clSetUserEventStatus). What waited for them has hardly begun then.
    fn gates_open(&mut self) {
        self.open();
        let waits = self.program.commands.iter().flat_map(|c| &c.wait);
        let mut users: Vec<Event> = waits
            .copied()
            .filter(|event| matches!(event, Event::User(_)))
            .collect();
        users.sort();
        users.dedup();
        let known = |event: &Event| {
            let waited = |step: &Step| matches!(step, Step::Wait(events) if events.contains(event));
            self.main.iter().any(waited)
        };
        users.retain(|event| !known(event));
        if !users.is_empty() {
            self.main.push(Step::Wait(users));
        }
    }

    /// Releases buffers whose commands have yet to run.
    fn released_objects(&mut self) {
        if self.has_thread() {
            return;
        }
        for object in (0..self.program.objects.len()).map(ObjectId::at) {
            let part_of = |o: &Object| matches!(o.kind, Kind::SubBuffer { of, .. } if of == object);
            let buffer = matches!(
                self.program.objects[object.index()].kind,
                Kind::Buffer(_) | Kind::SubBuffer { .. }
            );
            if buffer && !self.program.objects.iter().any(part_of) && self.choices.percent(40) {
                self.gates_open();
                self.main.push(Step::ReleaseObject(object));
            }
        }
    }

    pub(super) fn end(&mut self) {
        self.independent();
        let release = self.choices.percent(self.profile.releases);
        // Of events that are released the commands are still to come, most surely so behind gates that are closed.
        let gated = release && self.choices.percent(60);
        if !gated {
            self.let_go();
        }
        let queues = self.program.queues.len();
        let freed = self.free();
        // Either a queue is released before its commands are done, or some of their events are: with
        // neither nobody could know when they are.
        let mut released = Vec::new();
        for queue in (0..queues).map(QueueId::at) {
            let goes = release && !self.has_thread() && self.choices.percent(50);
            released.extend(goes.then_some(queue));
            // A release flushes, too.
            if !goes || self.choices.percent(50) {
                self.flush(queue);
            }
        }
        let early = if release {
            self.released_early(&released)
        } else {
            Vec::new()
        };
        if release {
            self.released_objects();
        }
        let enqueued = self.main.iter().filter_map(|step| match step {
            Step::Enqueue(id) => Some(*id),
            _ => None,
        });
        let mine: Vec<CommandId> = enqueued.filter(|id| !early.contains(id)).collect();
        for queue in 0..queues {
            self.end_queue(QueueId::at(queue), &mine, &released, &early);
        }
        // What was released cannot be flushed any more.
        if released.is_empty() && !freed && self.choices.percent(self.profile.looks_back) {
            self.look_back();
        }
        for n in 0..self.works.len() {
            let id = CommandId::at(n);
            let inspect = Step::Inspect(id);
            let seen = (self.program.threads.iter())
                .chain([&self.main])
                .any(|steps| steps.contains(&inspect));
            if self.program.what(id).is_own_read() && !seen {
                self.main.push(inspect);
            }
        }
        if !freed {
            self.host_access();
        }
        for object in self.objects_of(|kind| kind == Kind::Host) {
            self.access(object, false, None);
        }
        for id in &mine {
            if self.choices.percent(30) {
                self.main.push(Step::Status(Event::Command(*id)));
            }
        }
        for user in std::mem::take(&mut self.failing) {
            if self.choices.percent(50) {
                self.main.push(Step::Status(Event::User(user)));
            }
        }
        // Callbacks may still ask for the states of others.
        let mut free = mine;
        free.retain(|id| !self.is_told(*id));
        if release && let Some(id) = self.choices.pick(&free) {
            self.main.push(Step::ReleaseEvent(Event::Command(id)));
        }
    }

    /// Finishes a queue, waits for its commands, or releases it and leaves them to come.
    fn end_queue(
        &mut self,
        queue: QueueId,
        mine: &[CommandId],
        released: &[QueueId],
        early: &[CommandId],
    ) {
        let mut last: Vec<Event> = mine
            .iter()
            .copied()
            .filter(|id| self.queue_of(*id) == queue)
            .map(Event::Command)
            .collect();
        // What counts of a list may stand anywhere in it.
        for n in (1..last.len()).rev() {
            last.swap(n, self.choices.below(n + 1));
        }
        let gone = released.contains(&queue);
        if gone {
            self.gates_open();
            self.main.push(Step::ReleaseQueue(queue));
        }
        self.open();
        let others: Vec<QueueId> = (0..self.program.queues.len())
            .map(QueueId::at)
            .filter(|q| !released.contains(q))
            .collect();
        if gone
            && !last.is_empty()
            && let Some(on) = self.choices.pick(&others)
            && self.choices.percent(60)
        {
            // A wait for its own events would flush it: what has to come is the release's doing.
            let marker = self.push(on, What::Marker, last.clone(), Work::Empty);
            self.flush(on);
            self.main.push(Step::Wait(vec![Event::Command(marker)]));
        }
        let lost = early.iter().any(|id| self.queue_of(*id) == queue);
        if gone || !lost && self.choices.percent(30) {
            if let Some(first) = last.first().copied() {
                // The host's list may be long, too; one event again and again is one event.
                if self.choices.percent(25) {
                    let more = self.choices.between(4, 40);
                    last.splice(0..0, std::iter::repeat_n(first, more));
                }
                self.main.push(Step::Wait(last));
            }
        } else {
            self.main.push(Step::Finish(queue));
        }
    }
}
