//! What a program must be for its order to have a meaning: everything it names exists and belongs
//! together.

use super::invalid::{Invalid, wrong};
use super::places::{self, Places};
use crate::commands::program::*;
use crate::commands::walk::{Names, Sort};
use std::collections::BTreeSet;

/// Checks all that needs no order, and finds where things are done.
pub(super) fn check(program: &Program) -> Result<Places, Invalid> {
    let shape = Shape { program };
    shape.sizes()?;
    shape.all_there()?;
    for (n, queue) in program.queues.iter().enumerate() {
        if queue.device >= program.devices {
            return wrong(format!(
                "queue {n} is on device {}, which is not there",
                queue.device
            ));
        }
    }
    for (n, object) in program.objects.iter().enumerate() {
        shape.object(ObjectId::at(n), object)?;
    }
    for (n, command) in program.commands.iter().enumerate() {
        shape.command(CommandId::at(n), command)?;
    }
    let named = program.with_events();
    let mut eventless = program.commands().filter(|(_, command)| command.eventless);
    if let Some((id, _)) = eventless.find(|(id, _)| named.contains(id)) {
        return wrong(format!(
            "command {id} has no event, and something names it, or its queue is released"
        ));
    }
    for access in &program.accesses {
        shape.access(access)?;
    }
    places::of(program)
}

struct Shape<'p> {
    program: &'p Program,
}

impl Shape<'_> {
    /// There is enough of everything, and not too much.
    fn sizes(&self) -> Result<(), Invalid> {
        let p = self.program;
        if p.devices == 0 || p.contexts == 0 || p.cell_words == 0 || p.threads.is_empty() {
            return wrong(
                "a program has at least a device, a context, a word in a cell and a thread",
            );
        }
        if p.cell_words > MOST_WORDS {
            return wrong(format!("a cell has at most {MOST_WORDS} words"));
        }
        let lists = Sort::ALL.map(|sort| (sort.plural(), p.count(sort)));
        let threads = ("threads".to_string(), p.threads.len());
        for (what, n) in lists.into_iter().chain([threads]) {
            if n > MOST {
                return wrong(format!("{n} {what}: a program has at most {MOST}"));
            }
        }
        let steps = p.threads.iter().chain(p.callbacks.iter().map(|c| &c.steps));
        if steps.map(Vec::len).any(|n| n > MOST) {
            return wrong(format!("a thread or callback has at most {MOST} steps"));
        }
        Ok(())
    }

    /// Everything that is named is there.
    fn all_there(&self) -> Result<(), Invalid> {
        let mut missing = None;
        let mut named = self.program.clone();
        named.visit(&mut |sort, n| {
            if usize::from(*n) >= self.program.count(sort) {
                missing.get_or_insert((sort, *n));
            }
            true
        });
        match missing {
            Some((sort, n)) => wrong(format!("there is no {} {n}", sort.name())),
            None => Ok(()),
        }
    }

    fn kind(&self, id: ObjectId) -> Kind {
        self.program.objects[id.index()].kind
    }

    fn object(&self, id: ObjectId, object: &Object) -> Result<(), Invalid> {
        if object.cells == 0 || object.cells > MOST_CELLS {
            return wrong(format!(
                "object {id} has {} cells; 1 to {MOST_CELLS} are possible",
                object.cells
            ));
        }
        match object.kind {
            Kind::SubBuffer { of, first } => {
                let parent = &self.program.objects[of.index()];
                if of >= id {
                    return wrong(format!(
                        "object {id} is made before object {of}, of which it is a part"
                    ));
                }
                let inside = u16::from(first) + u16::from(object.cells) <= u16::from(parent.cells);
                if !matches!(parent.kind, Kind::Buffer(_))
                    || parent.context != object.context
                    || !inside
                {
                    return wrong(format!("object {id} is no part of object {of}"));
                }
            }
            Kind::Variable => {
                let same = |o: &&Object| o.kind == Kind::Variable && o.context == object.context;
                if self.program.objects.iter().filter(same).count() > 1 {
                    return wrong(format!(
                        "context {} has more than one variable",
                        object.context
                    ));
                }
                if self.program.cell_words > MOST_VARIABLE_WORDS {
                    return wrong(format!(
                        "a cell of a variable has at most {MOST_VARIABLE_WORDS} words"
                    ));
                }
            }
            Kind::Buffer(_) | Kind::SvmCoarse | Kind::SvmFine | Kind::SvmSystem | Kind::Host => {}
        }
        Ok(())
    }

    fn range(&self, range: Range, context: ContextId) -> Result<(), Invalid> {
        let object = &self.program.objects[range.object.index()];
        if object.context != context {
            return wrong(format!("object {} is of another context", range.object));
        }
        if range.count == 0 || range.stride == 0 || range.end() > usize::from(object.cells) {
            return wrong(format!("a range leaves object {}", range.object));
        }
        Ok(())
    }

    fn kernel(&self, kernel: &Kernel, native: bool) -> Result<(), Invalid> {
        if kernel.reads.len() > Kernel::RANGES || kernel.writes.len() > Kernel::RANGES {
            return wrong(format!(
                "a kernel reads and writes at most {} ranges each",
                Kernel::RANGES
            ));
        }
        let kinds = kernel.reads.iter().chain(&kernel.writes);
        let mut kinds = kinds.map(|range| self.kind(range.object));
        let buffer = |kind: Kind| matches!(kind, Kind::Buffer(_) | Kind::SubBuffer { .. });
        if !kinds.all(|kind| buffer(kind) || !native && kind.is_kernels()) {
            return wrong("a kernel is given no memory of the host alone, a native one buffers");
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

    fn command(&self, id: CommandId, command: &Command) -> Result<(), Invalid> {
        let queue = self.program.queues[command.queue.index()];
        for range in self.program.ranges_of(&command.what) {
            self.range(*range, queue.context)?;
        }
        if let Some(kernel) = command.what.kernel() {
            self.kernel(kernel, matches!(command.what, What::Native(_)))?;
        }
        let variable = |r: &Range| self.kind(r.object) == Kind::Variable;
        let kernel = command.what.kernel().is_some();
        let foreign = |e: &Event| self.program.context_of(*e) != queue.context;
        let (why, can_block) = self.what(&command.what, queue.context);
        let why = [
            // Each device has variables of its own.
            (
                kernel && queue.device > 0 && command.what.ranges().any(variable),
                "uses a variable of another device",
            ),
            (
                command.wait.iter().any(foreign),
                "waits for an event of another context",
            ),
        ]
        .into_iter()
        .chain(why)
        .chain([(command.blocking && !can_block, "cannot block")])
        .find(|(wrong, _)| *wrong);
        match why {
            Some((_, why)) => wrong(format!("command {id} {why}")),
            None => Ok(()),
        }
    }

    /// What may be wrong with what a command does, whether it is, and whether the call may block.
    fn what(&self, what: &What, context: ContextId) -> (Vec<(bool, &'static str)>, bool) {
        let kind = |range: &Range| self.kind(range.object);
        match what {
            What::Kernel(_) | What::Native(_) | What::Marker | What::Barrier => (vec![], false),
            What::Read(transfer) | What::Write(transfer) => {
                let (kind, rect) = (kind(&transfer.range), transfer.rect);
                let apart = transfer.range.stride > 1;
                let cannot =
                    matches!(kind, Kind::Variable | Kind::Host) || kind.is_svm() && (rect || apart);
                let why = vec![
                    (cannot, "transfers what it cannot"),
                    (
                        transfer
                            .host
                            .is_some_and(|host| !self.is_other_end(transfer, host)),
                        "needs as many cells of the host's memory, apart only in a rectangle",
                    ),
                    (
                        !rect && apart,
                        "takes cells apart without the rectangular form",
                    ),
                ];
                (why, true)
            }
            What::Copy { from, to, rect } => {
                let (a, b) = (kind(from), kind(to));
                let variable = [a, b]
                    .iter()
                    .any(|kind| matches!(kind, Kind::Variable | Kind::Host));
                let mixed = a.is_svm() != b.is_svm() || *rect && a.is_svm();
                let apart = !rect && (from.stride > 1 || to.stride > 1);
                let why = vec![
                    (variable || mixed || apart, "copies what it cannot"),
                    (
                        from.count != to.count || self.overlap(&[*from, *to]),
                        "copies as many cells as it reads, and none onto itself",
                    ),
                ];
                (why, a.is_svm())
            }
            What::Fill(range) => {
                let cannot = matches!(kind(range), Kind::Variable | Kind::Host) || range.stride > 1;
                (vec![(cannot, "fills what it cannot")], false)
            }
            What::Map { range, .. } => {
                // Memory under a buffer made over it is mapped as that buffer.
                let cannot = matches!(kind(range), Kind::SvmSystem | Kind::Variable | Kind::Host);
                let why = vec![(cannot || range.stride > 1, "maps what it cannot")];
                (why, true)
            }
            What::Unmap(map) => {
                let map = &self.program.commands[map.index()].what;
                let is_map = matches!(map, What::Map { .. });
                (vec![(!is_map, "unmaps what is no map")], false)
            }
            What::Migrate { objects, .. } => {
                let all = objects.iter().map(|o| &self.program.objects[o.index()]);
                let cannot = |o: &Object| {
                    let whole = matches!(o.kind, Kind::Variable | Kind::SvmSystem | Kind::Host);
                    o.context != context || whole
                };
                let svm: BTreeSet<bool> = all.clone().map(|o| o.kind.is_svm()).collect();
                let why = vec![
                    (all.into_iter().any(cannot), "migrates what it cannot"),
                    (svm.len() != 1, "migrates either SVM or other memory"),
                ];
                (why, false)
            }
            What::Free(objects) => {
                let svm = |o: &ObjectId| matches!(self.kind(*o), Kind::SvmCoarse | Kind::SvmFine);
                let why = vec![
                    (!objects.iter().all(svm), "frees what it cannot"),
                    (objects.is_empty(), "frees nothing"),
                ];
                (why, false)
            }
        }
    }

    /// Whether a transfer can bring its cells to this memory, or take them from there.
    fn is_other_end(&self, transfer: &Transfer, host: Range) -> bool {
        self.kind(host.object) == Kind::Host
            && host.count == transfer.range.count
            && (transfer.rect || host.stride == 1)
    }

    fn access(&self, access: &Access) -> Result<(), Invalid> {
        let object = access.range.object;
        self.range(access.range, self.program.objects[object.index()].context)?;
        let Some(map) = access.map else {
            return if self.kind(object).is_open() {
                Ok(())
            } else {
                wrong(format!("the host uses object {object} without a map"))
            };
        };
        let What::Map { range, mode } = &self.program.commands[map.index()].what else {
            return wrong(format!(
                "the host goes through command {map}, which is no map"
            ));
        };
        let inside = access.range.first >= range.first && access.range.end() <= range.end();
        if range.object != object || !inside || access.write && !mode.writes() {
            return wrong(format!("the host uses more than command {map} maps"));
        }
        Ok(())
    }
}
