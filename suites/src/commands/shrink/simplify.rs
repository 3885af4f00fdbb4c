//! Makes one thing of a program plainer. Which of the results are valid and smaller is for others to
//! say: these only have to name everything that there is after the change.

use super::cut::{Unit, without};
use crate::commands::program::*;
use crate::commands::walk::Sort;

/// Programs without one command or one thread of which the work is done by what is left: what waited
/// for the command waits for what it waited for, and another thread does the thread's steps.
pub fn bypasses(p: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for (id, command) in p.commands() {
        let mut instead = vec![command.wait.clone()];
        let in_order = !p.queues[command.queue.index()].out_of_order;
        let is_barrier = matches!(command.what, What::Marker | What::Barrier);
        if command.wait.is_empty() && (in_order || is_barrier) {
            // It waits for what its queue has.
            let others = p.commands();
            let others = others.filter(|(other, c)| *other != id && c.queue == command.queue);
            let others: Vec<Event> = others.map(|(other, _)| Event::Command(other)).collect();
            instead = others.iter().map(|event| vec![*event]).collect();
            instead.push(others);
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

/// The program without a command, where what waited for it waits for these instead; in place of one whose call blocks
/// its queue is flushed, too.
fn bypass(p: &Program, id: CommandId, own: &[Event]) -> Vec<Program> {
    let named = |(_, c): &(CommandId, &Command)| c.wait.contains(&Event::Command(id));
    let mut heirs: Vec<CommandId> = p.commands().filter(named).map(|(heir, _)| heir).collect();
    if heirs.is_empty() {
        // In an in-order queue the next one waits for it without a list.
        let queue = p.commands[id.index()].queue;
        let next = p
            .commands()
            .find(|(c, command)| *c > id && command.queue == queue);
        heirs.extend(next.map(|(next, _)| next));
    }
    if heirs.is_empty() || own.is_empty() {
        return Vec::new();
    }
    let mut changed = p.clone();
    for heir in heirs {
        let wait = &mut changed.commands[heir.index()].wait;
        for event in own {
            if !wait.contains(event) {
                wait.push(*event);
            }
        }
    }
    let command = &p.commands[id.index()];
    let mut flushed = changed.clone();
    for list in flushed.lists_mut().filter(|_| command.blocking) {
        if let Some(at) = list.iter().position(|step| *step == Step::Enqueue(id)) {
            list.insert(at, Step::Flush(command.queue));
        }
    }
    let both = [Some(changed), command.blocking.then_some(flushed)];
    let less = |p: Program| without(&p, &[Unit::Thing(Sort::Command, id.0)]);
    both.into_iter().flatten().filter_map(less).collect()
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
        for step in changed.lists_mut().flatten() {
            if let Step::Flush(queue) | Step::Finish(queue) = step
                && *queue == other
            {
                *queue = one;
            }
        }
        self.all
            .extend(without(&changed, &[Unit::Thing(Sort::Queue, other.0)]));
    }

    fn objects(&mut self) {
        let p = self.p;
        for n in 0..p.objects.len() {
            let id = ObjectId::at(n);
            let object = p.objects[n];
            if let Kind::SubBuffer { of, first } = object.kind {
                self.move_object(id, of, first);
            } else {
                for (to, other) in p.objects() {
                    if to != id && other.kind == object.kind {
                        self.append_object(id, to);
                        self.move_object(id, to, 0);
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
        for range in changed.ranges_mut() {
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
        self.all
            .extend(without(&changed, &[Unit::Thing(Sort::Object, id.0)]));
    }

    /// Another object gets an object's cells behind its own.
    fn append_object(&mut self, id: ObjectId, to: ObjectId) {
        let [cells, more] = [to, id].map(|id| self.p.objects[id.index()].cells);
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
        let commands = self.p.commands.iter().flat_map(|c| c.what.ranges());
        let accesses = self.p.accesses.iter().map(|access| &access.range);
        let own = commands.chain(accesses).filter(|r| r.object == id);
        let own = own.map(|range| (range.first, range.end()));
        let parts = self.p.objects.iter().filter_map(|o| match o.kind {
            Kind::SubBuffer { of, first } if of == id => {
                Some((first, usize::from(first) + usize::from(o.cells)))
            }
            _ => None,
        });
        let used: Vec<(u8, usize)> = own.chain(parts).collect();
        let end = used.iter().map(|(_, end)| *end).max();
        let end = end.unwrap_or(0).max(1);
        if end < usize::from(self.p.objects[id.index()].cells) {
            self.with(|p| p.objects[id.index()].cells = end as u8);
        }
        let starts = used.iter().map(|(first, _)| *first);
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
                if let Kind::SubBuffer { of, first } = &mut object.kind
                    && *of == id
                {
                    *first -= start;
                }
            }
            for range in p.ranges_mut().filter(|range| range.object == id) {
                range.first -= start;
            }
        });
    }

    fn command(&mut self, n: usize) {
        let command = &self.p.commands[n];
        let id = CommandId::at(n);
        if command.blocking {
            self.with(|p| p.commands[n].blocking = false);
        }
        if command.eventless {
            self.with(|p| p.commands[n].eventless = false);
        }
        if !matches!(
            command.what,
            What::Map { .. } | What::Unmap(_) | What::Marker
        ) {
            // What only a read has goes with it.
            self.with(|p| {
                p.commands[n].what = What::Marker;
                p.commands[n].blocking = false;
                for steps in p.lists_mut() {
                    steps.retain(|step| *step != Step::Inspect(id));
                }
            });
        }
        for what in plainer(command) {
            self.with(|p| {
                // The host's accesses stay within a map.
                if let What::Map { range, .. } = what {
                    let within = p.accesses.iter_mut().filter(|a| a.map == Some(id));
                    within.for_each(|access| access.range = range);
                }
                p.commands[n].blocking &= !matches!(what, What::Fill(_));
                p.commands[n].what = what;
            });
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
        for (at, (_, step)) in self.p.steps().enumerate() {
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
                    if let Some(step) = p.lists_mut().flatten().nth(at) {
                        *step = new;
                    }
                });
            }
        }
        for (n, callback) in self.p.callbacks.iter().enumerate() {
            if callback.at != Reached::Complete {
                self.with(|p| p.callbacks[n].at = Reached::Complete);
            }
        }
    }
}

/// What a command could do that is a step plainer.
fn plainer(command: &Command) -> Vec<What> {
    let what = &command.what;
    let mut all = kernels(what);
    all.extend(narrowed(what));
    let mut plain = what.clone();
    if let What::Read(Transfer { rect, .. })
    | What::Write(Transfer { rect, .. })
    | What::Copy { rect, .. } = &mut plain
        && std::mem::take(rect)
    {
        for range in plain.ranges_mut() {
            range.stride = 1;
        }
        all.push(plain);
    }
    let mut alone = what.clone();
    if let What::Read(Transfer { host, .. }) | What::Write(Transfer { host, .. }) = &mut alone
        && host.take().is_some()
    {
        all.push(alone);
    }
    for at in 0..what.objects().len() {
        let mut fewer = what.clone();
        if let What::Migrate { objects, .. } | What::Free(objects) = &mut fewer {
            objects.remove(at);
        }
        all.push(fewer);
    }
    let mut back = what.clone();
    if let What::Migrate { to_host, .. } = &mut back
        && std::mem::take(to_host)
    {
        all.push(back);
    }
    if let What::Map { range, mode } = *what {
        let modes = [MapMode::Read, MapMode::Write, MapMode::ReadWrite].into_iter();
        let others = modes.filter(|other| *other != mode);
        all.extend(others.map(|mode| What::Map { range, mode }));
    }
    // The half of it that matters, as a fill.
    let (reads, writes) = what.data();
    let half = matches!(what, What::Copy { .. })
        || matches!(what, What::Write(transfer) if !transfer.rect && !command.blocking)
        || what.kernel().is_some() && reads.is_empty();
    if let (true, [range]) = (half, writes) {
        let range = Range::of(range.object, range.first, range.count);
        all.push(What::Fill(range));
    }
    all
}

/// A kernel that does less.
fn kernels(what: &What) -> Vec<What> {
    let mut all = Vec::new();
    let Some(kernel) = what.kernel() else {
        return all;
    };
    let mut with = |change: &dyn Fn(&mut Kernel)| {
        let mut changed = what.clone();
        if let What::Kernel(kernel) | What::Native(kernel) = &mut changed {
            change(kernel);
        }
        all.push(changed);
    };
    for at in 0..kernel.reads.len() {
        with(&|k| {
            k.reads.remove(at);
        });
    }
    for at in 0..kernel.writes.len() {
        with(&|k| {
            k.writes.remove(at);
        });
    }
    for spin in shorter(kernel.spin) {
        with(&|k| k.spin = spin);
    }
    if kernel.items != 1 {
        with(&|k| k.items = 1);
        with(&|k| k.items /= 2);
    }
    if kernel.reuse {
        with(&|k| k.reuse = false);
    }
    if matches!(what, What::Native(_)) {
        all.push(What::Kernel(kernel.clone()));
    }
    all
}

/// A command with one range narrower, or with both ranges of what copies: it writes as many cells as it reads.
fn narrowed(what: &What) -> Vec<What> {
    let with = |changes: &[(usize, Range)]| {
        let mut changed = what.clone();
        let mut ranges = changed.ranges_mut();
        for (at, range) in changes {
            *ranges[*at] = *range;
        }
        changed
    };
    if let (true, ([from], [to])) = (what.copies(), what.data()) {
        let from_first = matches!(what, What::Copy { .. } | What::Read(_));
        let (one, other) = if from_first { (from, to) } else { (to, from) };
        let both = narrower(*one).into_iter().zip(narrower(*other));
        let both = both.filter(|(one, other)| one.count == other.count);
        return both
            .map(|(one, other)| with(&[(0, one), (1, other)]))
            .collect();
    }
    let ranges = what.ranges().enumerate();
    let each = ranges.flat_map(|(at, range)| narrower(*range).into_iter().map(move |r| (at, r)));
    each.map(|one| with(&[one])).collect()
}

/// Ranges that are part of a range, or the same one nearer to the object's beginning.
fn narrower(range: Range) -> Vec<Range> {
    let mut all = Vec::new();
    let last = range.cells().last().unwrap_or(range.first);
    if range.count > 1 {
        let one = |first| Range::of(range.object, first, 1);
        all.extend([one(range.first), one(last)]);
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
