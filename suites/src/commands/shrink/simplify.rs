//! Makes one thing of a program plainer. Which of the results are valid and smaller is for others to
//! say: these only have to name everything that there is after the change.

use super::cut::{Unit, without};
use crate::commands::program::*;

/// Programs without one command or one thread of which the work is done by what is left: what waited
/// for the command waits for what it waited for, and another thread does the thread's steps.
pub fn bypasses(p: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for (n, command) in p.commands.iter().enumerate() {
        let id = CommandId::at(n);
        let mut instead = vec![command.wait.clone()];
        if command.wait.is_empty() && matches!(command.what, What::Marker | What::Barrier) {
            // It waits for what its queue has.
            let earlier = |c: &usize| *c != n && p.commands[*c].queue == command.queue;
            let earlier: Vec<usize> = (0..p.commands.len()).filter(earlier).collect();
            let event = |c: &usize| Event::Command(CommandId::at(*c));
            instead = earlier.iter().map(|c| vec![event(c)]).collect();
            instead.push(earlier.iter().map(event).collect());
        }
        for own in instead {
            all.extend(bypass(p, id, &own));
        }
    }
    for thread in 1..p.threads.len() {
        all.extend(merged_threads(p, thread));
    }
    all
}

/// The program without a command, where what waited for it waits for these instead.
fn bypass(p: &Program, id: CommandId, own: &[Event]) -> Option<Program> {
    let names = |c: &usize| p.commands[*c].wait.contains(&Event::Command(id));
    let mut heirs: Vec<usize> = (0..p.commands.len()).filter(names).collect();
    if heirs.is_empty() {
        // In an in-order queue the next one waits for it without a list.
        let queue = p.commands[id.index()].queue;
        let next = (id.index() + 1..p.commands.len()).find(|c| p.commands[*c].queue == queue);
        heirs.extend(next);
    }
    if heirs.is_empty() || own.is_empty() {
        return None;
    }
    let mut changed = p.clone();
    for heir in heirs {
        let wait = &mut changed.commands[heir].wait;
        for event in own {
            if !wait.contains(event) {
                wait.push(*event);
            }
        }
    }
    without(&changed, &[Unit::Command(id)])
}

/// The programs in which thread 0 does the steps of another: after the signal that the other awaits
/// first, at its end, or at its beginning.
fn merged_threads(p: &Program, thread: usize) -> Vec<Program> {
    let steps = &p.threads[thread];
    let mut places = vec![p.threads[0].len(), 0];
    if let Some(Step::Await(signal)) = steps.first()
        && let Some(at) = p.threads[0]
            .iter()
            .position(|s| *s == Step::Signal(*signal))
    {
        places.insert(0, at + 1);
    }
    let merge = |at: usize| {
        let mut changed = p.clone();
        let steps = changed.threads.remove(thread);
        changed.threads[0].splice(at..at, steps);
        changed
    };
    places.into_iter().map(merge).collect()
}

/// Programs in which one thing is plainer.
pub fn all(p: &Program) -> Vec<Program> {
    let mut list = List { p, all: Vec::new() };
    list.whole();
    list.queues();
    list.objects();
    for n in 0..p.commands.len() {
        list.command(n);
    }
    list.accesses();
    list.steps();
    list.all
}

struct List<'p> {
    p: &'p Program,
    all: Vec<Program>,
}

impl List<'_> {
    fn with(&mut self, change: impl FnOnce(&mut Program)) {
        let mut changed = self.p.clone();
        change(&mut changed);
        self.all.push(changed);
    }

    /// What is of the program as a whole.
    fn whole(&mut self) {
        let p = self.p;
        if p.contexts > 1 {
            self.with(|p| {
                p.contexts = 1;
                p.queues.iter_mut().for_each(|q| q.context.0 = 0);
                p.objects.iter_mut().for_each(|o| o.context.0 = 0);
                p.users.iter_mut().for_each(|u| u.0 = 0);
            });
            self.with(|p| p.contexts -= 1);
        }
        if p.devices > 1 {
            self.with(|p| {
                p.devices = 1;
                p.queues.iter_mut().for_each(|q| q.device = 0);
            });
            self.with(|p| p.devices -= 1);
        }
        for words in [1, 2, p.cell_words / 2] {
            if words > 0 && words < p.cell_words {
                self.with(|p| p.cell_words = words);
            }
        }
    }

    fn queues(&mut self) {
        for one in 0..self.p.queues.len() {
            for other in 0..self.p.queues.len() {
                if one != other {
                    self.merge_queues(QueueId::at(one), QueueId::at(other));
                }
            }
            if self.p.queues[one].out_of_order {
                self.with(|p| p.queues[one].out_of_order = false);
            }
            if self.p.queues[one].device > 0 {
                self.with(|p| p.queues[one].device = 0);
            }
        }
    }

    /// One queue takes over the commands of another; its releases are its own.
    fn merge_queues(&mut self, one: QueueId, other: QueueId) {
        let mut changed = self.p.clone();
        for command in &mut changed.commands {
            if command.queue == other {
                command.queue = one;
            }
        }
        for steps in every_list(&mut changed) {
            for step in steps {
                match step {
                    Step::Flush(q) | Step::Finish(q) if *q == other => *q = one,
                    _ => {}
                }
            }
        }
        self.all.extend(without(&changed, &[Unit::Queue(other)]));
    }

    fn objects(&mut self) {
        let p = self.p;
        for n in 0..p.objects.len() {
            let id = ObjectId::at(n);
            let object = p.objects[n];
            if let Kind::SubBuffer { of, first } = object.kind {
                self.move_object(id, of, first);
            } else {
                for m in 0..p.objects.len() {
                    let other = p.objects[m];
                    if m != n && other.kind == object.kind {
                        self.append_object(id, ObjectId::at(m));
                        self.move_object(id, ObjectId::at(m), 0);
                    }
                }
                for kind in [
                    Kind::Buffer(HostPointer::Copy),
                    Kind::Buffer(HostPointer::Alloc),
                    Kind::Buffer(HostPointer::Use),
                    Kind::SvmCoarse,
                    Kind::SvmFine,
                ] {
                    if kind != object.kind {
                        self.with(|p| p.objects[n].kind = kind);
                    }
                }
            }
            self.trim(id);
        }
    }

    /// What used an object uses another's cells from `first` on.
    fn move_object(&mut self, id: ObjectId, to: ObjectId, first: u8) {
        let mut changed = self.p.clone();
        for range in every_range(&mut changed) {
            if range.object == id {
                range.object = to;
                range.first = range.first.saturating_add(first);
            }
        }
        for command in &mut changed.commands {
            if let What::Migrate { objects, .. } = &mut command.what
                && objects.contains(&id)
                && !objects.contains(&to)
            {
                objects.push(to);
            }
        }
        for object in &mut changed.objects {
            if let Kind::SubBuffer { of, first: at } = &mut object.kind
                && *of == id
            {
                *of = to;
                *at = at.saturating_add(first);
            }
        }
        self.all.extend(without(&changed, &[Unit::Object(id)]));
    }

    /// Another object gets an object's cells behind its own.
    fn append_object(&mut self, id: ObjectId, to: ObjectId) {
        let (cells, more) = (
            self.p.objects[to.index()].cells,
            self.p.objects[id.index()].cells,
        );
        let Some(sum) = cells.checked_add(more).filter(|n| *n <= MOST_CELLS) else {
            return;
        };
        let before = self.all.len();
        self.move_object(id, to, cells);
        if let Some(changed) = self.all.get_mut(before) {
            let to = if to > id { to.index() - 1 } else { to.index() };
            changed.objects[to].cells = sum;
        }
    }

    /// An object has no more cells than are used, from the first on.
    fn trim(&mut self, id: ObjectId) {
        let mut copy = self.p.clone();
        let used: Vec<Range> = every_range(&mut copy)
            .into_iter()
            .map(|r| *r)
            .filter(|r| r.object == id)
            .collect();
        let parts = self.p.objects.iter().filter_map(|o| match o.kind {
            Kind::SubBuffer { of, first } if of == id => Some((first, o.cells)),
            _ => None,
        });
        let parts: Vec<(u8, u8)> = parts.collect();
        let of_parts = parts.iter().map(|(f, n)| usize::from(*f) + usize::from(*n));
        let end = used.iter().map(|r| r.end()).chain(of_parts).max();
        let end = end.unwrap_or(0).max(1);
        if end < usize::from(self.p.objects[id.index()].cells) {
            self.with(|p| p.objects[id.index()].cells = end as u8);
        }
        let starts = used
            .iter()
            .map(|r| r.first)
            .chain(parts.iter().map(|p| p.0));
        let Some(start) = starts.min().filter(|n| *n > 0) else {
            return;
        };
        // A sub-buffer then begins later in its parent.
        self.with(|p| {
            let object = &mut p.objects[id.index()];
            object.cells = object.cells.saturating_sub(start).max(1);
            if let Kind::SubBuffer { first, .. } = &mut object.kind {
                *first = first.saturating_add(start);
            }
            for object in &mut p.objects {
                match &mut object.kind {
                    Kind::SubBuffer { of, first } if *of == id => *first -= start,
                    _ => {}
                }
            }
            for range in every_range(p) {
                if range.object == id {
                    range.first -= start;
                }
            }
        });
    }

    fn command(&mut self, n: usize) {
        let p = self.p;
        let command = &p.commands[n];
        let id = CommandId::at(n);
        if command.blocking {
            self.with(|p| p.commands[n].blocking = false);
        }
        match &command.what {
            What::Map { .. } | What::Unmap(_) | What::Marker => {}
            What::Read(_)
            | What::Write(_)
            | What::Copy { .. }
            | What::Fill(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Kernel(_)
            | What::Native(_)
            | What::Barrier => {
                // What only a read has goes with it.
                let mut changed = p.clone();
                changed.commands[n].what = What::Marker;
                changed.commands[n].blocking = false;
                for steps in every_list(&mut changed) {
                    steps.retain(|step| *step != Step::Inspect(id));
                }
                self.all.push(changed);
            }
        }
        match &command.what {
            What::Kernel(kernel) | What::Native(kernel) => self.kernel(n, kernel),
            What::Read(t) => self.transfer(n, *t, false, command.blocking),
            What::Write(t) => self.transfer(n, *t, true, command.blocking),
            What::Copy { from, to, rect } => self.copy(n, *from, *to, *rect),
            What::Fill(range) => {
                for range in narrower(*range) {
                    self.with(|p| p.commands[n].what = What::Fill(range));
                }
            }
            What::Map { range, mode } => self.map(n, *range, *mode),
            What::Migrate { objects, to_host } => {
                for at in 0..objects.len() {
                    self.with(|p| {
                        if let What::Migrate { objects, .. } = &mut p.commands[n].what {
                            objects.remove(at);
                        }
                    });
                }
                if *to_host {
                    let what = What::Migrate {
                        objects: objects.clone(),
                        to_host: false,
                    };
                    self.with(|p| p.commands[n].what = what);
                }
            }
            What::Free(objects) => {
                for at in 0..objects.len() {
                    self.with(|p| {
                        if let What::Free(objects) = &mut p.commands[n].what {
                            objects.remove(at);
                        }
                    });
                }
            }
            What::Unmap(_) | What::Marker | What::Barrier => {}
        }
    }

    fn transfer(&mut self, n: usize, t: Transfer, write: bool, blocking: bool) {
        let set = |p: &mut Program, new: Transfer| match &mut p.commands[n].what {
            What::Read(t) | What::Write(t) => *t = new,
            _ => {}
        };
        for range in narrower(t.range) {
            self.with(|p| set(p, Transfer { range, ..t }));
        }
        if t.rect {
            let range = Range {
                stride: 1,
                ..t.range
            };
            self.with(|p| set(p, Transfer { range, rect: false }));
        }
        if write && !t.rect && !blocking {
            self.with(|p| p.commands[n].what = What::Fill(t.range));
        }
    }

    fn copy(&mut self, n: usize, from: Range, to: Range, rect: bool) {
        for (a, b) in narrower(from).into_iter().zip(narrower(to)) {
            let what = What::Copy {
                from: a,
                to: b,
                rect,
            };
            self.with(|p| p.commands[n].what = what);
        }
        if rect {
            let plain = |range| Range { stride: 1, ..range };
            let what = What::Copy {
                from: plain(from),
                to: plain(to),
                rect: false,
            };
            self.with(|p| p.commands[n].what = what);
        }
        // The half of it that matters, as a fill.
        self.with(|p| {
            p.commands[n].what = What::Fill(Range { stride: 1, ..to });
            p.commands[n].blocking = false;
        });
    }

    fn map(&mut self, n: usize, range: Range, mode: MapMode) {
        let id = CommandId::at(n);
        for range in narrower(range) {
            // The host's accesses stay within it.
            self.with(|p| {
                p.commands[n].what = What::Map { range, mode };
                for access in &mut p.accesses {
                    if access.map == Some(id) {
                        access.range = range;
                    }
                }
            });
        }
        for plainer in [MapMode::Read, MapMode::Write, MapMode::ReadWrite] {
            if plainer != mode {
                let what = What::Map {
                    range,
                    mode: plainer,
                };
                self.with(|p| p.commands[n].what = what);
            }
        }
    }

    fn kernel(&mut self, n: usize, kernel: &Kernel) {
        let native = matches!(self.p.commands[n].what, What::Native(_));
        let mut put = |kernel: Kernel| {
            let what = if native {
                What::Native(kernel)
            } else {
                What::Kernel(kernel)
            };
            self.with(|p| p.commands[n].what = what);
        };
        let with = |change: &dyn Fn(&mut Kernel)| {
            let mut changed = kernel.clone();
            change(&mut changed);
            changed
        };
        for at in 0..kernel.reads.len() {
            put(with(&|k| k.reads.retain(other_than(at))));
            for range in narrower(kernel.reads[at]) {
                put(with(&|k| k.reads[at] = range));
            }
        }
        for at in 0..kernel.writes.len() {
            put(with(&|k| k.writes.retain(other_than(at))));
            for range in narrower(kernel.writes[at]) {
                put(with(&|k| k.writes[at] = range));
            }
        }
        for spin in shorter(kernel.spin) {
            put(with(&|k| k.spin = spin));
        }
        if kernel.items != 1 {
            put(with(&|k| k.items = 1));
            put(with(&|k| k.items /= 2));
        }
        if kernel.reuse {
            put(with(&|k| k.reuse = false));
        }
        if native {
            self.with(|p| p.commands[n].what = What::Kernel(kernel.clone()));
        }
        if let ([], [range]) = (kernel.reads.as_slice(), kernel.writes.as_slice()) {
            let fill = What::Fill(Range {
                stride: 1,
                ..*range
            });
            self.with(|p| p.commands[n].what = fill);
        }
    }

    fn accesses(&mut self) {
        for (n, access) in self.p.accesses.iter().enumerate() {
            for range in narrower(access.range) {
                self.with(|p| p.accesses[n].range = range);
            }
        }
    }

    fn steps(&mut self) {
        let p = self.p;
        for (place, step) in p.steps() {
            let plainer: Vec<Step> = match step {
                Step::Sleep(micros) => shorter(*micros).into_iter().map(Step::Sleep).collect(),
                Step::Yield(times) => shorter((*times).into())
                    .into_iter()
                    .map(|n| Step::Yield(n as u16))
                    .collect(),
                Step::Set { user, status } => [0, -1]
                    .into_iter()
                    .filter(|new| new > status)
                    .map(|status| Step::Set {
                        user: *user,
                        status,
                    })
                    .collect(),
                _ => Vec::new(),
            };
            for new in plainer {
                self.with(|p| {
                    let steps = match place.who {
                        Who::Thread(n) => &mut p.threads[usize::from(n)],
                        Who::Callback(id) => &mut p.callbacks[id.index()].steps,
                    };
                    steps[usize::from(place.step)] = new;
                });
            }
        }
        for (n, callback) in p.callbacks.iter().enumerate() {
            if callback.at != Reached::Complete {
                self.with(|p| p.callbacks[n].at = Reached::Complete);
            }
        }
    }
}

/// Ranges that are part of a range, or the same one nearer to the object's beginning.
fn narrower(range: Range) -> Vec<Range> {
    let mut all = Vec::new();
    let last = range.cells().last().unwrap_or(range.first);
    if range.count > 1 {
        let one = |first| Range {
            first,
            count: 1,
            stride: 1,
            ..range
        };
        all.push(one(range.first));
        all.push(one(last));
        all.push(Range {
            count: range.count - 1,
            ..range
        });
    }
    if range.stride > 1 {
        all.push(Range { stride: 1, ..range });
    }
    if range.first > 0 {
        all.push(Range { first: 0, ..range });
    }
    all
}

/// Shorter delays.
fn shorter(delay: u32) -> Vec<u32> {
    match delay {
        0 => Vec::new(),
        1..=3 => vec![0],
        _ => vec![0, delay / 16, delay / 2],
    }
}

fn every_list(p: &mut Program) -> impl Iterator<Item = &mut Vec<Step>> {
    let callbacks = p.callbacks.iter_mut().map(|c| &mut c.steps);
    p.threads.iter_mut().chain(callbacks)
}

fn every_range(p: &mut Program) -> Vec<&mut Range> {
    let mut all: Vec<&mut Range> = p.accesses.iter_mut().map(|a| &mut a.range).collect();
    for command in &mut p.commands {
        match &mut command.what {
            What::Kernel(k) | What::Native(k) => {
                all.extend(k.reads.iter_mut().chain(&mut k.writes));
            }
            What::Read(t) | What::Write(t) => all.push(&mut t.range),
            What::Copy { from, to, .. } => all.extend([from, to]),
            What::Fill(range) | What::Map { range, .. } => all.push(range),
            What::Unmap(_)
            | What::Migrate { .. }
            | What::Free(_)
            | What::Marker
            | What::Barrier => {}
        }
    }
    all
}

/// Says no to the n-th of what it is asked, and yes to all else.
fn other_than(n: usize) -> impl FnMut(&Range) -> bool {
    let mut at = 0;
    move |_| {
        at += 1;
        at != n + 1
    }
}
