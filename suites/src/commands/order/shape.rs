//! What a program must be for its order to have a meaning: everything it names exists and belongs
//! together.

use super::invalid::{Invalid, wrong};
use super::places::Places;
use crate::commands::program::{
    Access, CommandId, ContextId, Event, Kernel, Kind, MOST, MOST_CELLS, MOST_WORDS, Object,
    ObjectId, Program, QueueId, Range, What,
};
use std::collections::BTreeSet;

/// Checks all that needs no order, and finds where things are done.
pub(super) fn check(program: &Program) -> Result<Places, Invalid> {
    Shape { program }.check()
}

pub(super) struct Shape<'p> {
    pub program: &'p Program,
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

    pub(super) fn queue(&self, id: QueueId) -> Result<(), Invalid> {
        if id.index() < self.program.queues.len() {
            Ok(())
        } else {
            wrong(format!("there is no queue {}", id.0))
        }
    }

    pub(super) fn object(&self, id: ObjectId) -> Result<&Object, Invalid> {
        match self.program.objects.get(id.index()) {
            Some(object) => Ok(object),
            None => wrong(format!("there is no object {}", id.0)),
        }
    }

    pub(super) fn is_command(&self, id: CommandId) -> Result<(), Invalid> {
        if id.index() < self.program.commands.len() {
            Ok(())
        } else {
            wrong(format!("there is no command {}", id.0))
        }
    }

    pub(super) fn event(&self, event: Event) -> Result<ContextId, Invalid> {
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
                if of >= id {
                    return wrong(format!(
                        "object {} is made before object {}, of which it is a part",
                        id.0, of.0
                    ));
                }
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
