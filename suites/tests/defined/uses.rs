//! What commands and host threads do with memory.

use classay_suites::commands::program::*;

/// A use of cells of an object.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    /// The object that is named.
    pub object: ObjectId,
    /// The object whose memory it is: a sub-buffer is part of another.
    pub root: ObjectId,
    /// The cells, a bit each, as the root numbers them.
    pub cells: u128,
    /// Writes them; else reads.
    pub write: bool,
}

/// The object that an object's memory belongs to, and the first of its cells there.
pub fn root(program: &Program, object: ObjectId) -> (ObjectId, u8) {
    match program.objects[object.index()].kind {
        Kind::SubBuffer { of, first } => (of, first),
        _ => (object, 0),
    }
}

/// What the memory of an object is.
pub fn kind(program: &Program, object: ObjectId) -> Kind {
    program.objects[root(program, object).0.index()].kind
}

/// Whether the host uses an object's memory as it is, beside commands that use other bytes of it.
pub fn is_shared_by_byte(program: &Program, object: ObjectId) -> bool {
    matches!(
        kind(program, object),
        Kind::SvmFine | Kind::SvmSystem | Kind::Host
    )
}

/// Whether two objects have bytes in common.
pub fn overlap(program: &Program, a: ObjectId, b: ObjectId) -> bool {
    let all = |object: ObjectId| {
        let cells = program.objects[object.index()].cells;
        of_range(program, Range::of(object, 0, cells), false)
    };
    let (a, b) = (all(a), all(b));
    a.root == b.root && a.cells & b.cells != 0
}

/// A use of a range.
pub fn of_range(program: &Program, range: Range, write: bool) -> Use {
    let (root, first) = root(program, range.object);
    let cells = range.cells().fold(0, |cells, cell| {
        let cell = u32::from(cell) + u32::from(first);
        cells | 1_u128.checked_shl(cell).unwrap_or(0)
    });
    Use {
        object: range.object,
        root,
        cells,
        write,
    }
}

/// What a command uses while it runs, but for maps and what ends them, migrations and frees. Maps of memory that
/// is shared by byte change nothing, but that they discard what they say.
pub fn of_command(program: &Program, command: usize) -> Vec<Use> {
    let one = |range: &Range, write| of_range(program, *range, write);
    match &program.commands[command].what {
        What::Kernel(kernel) | What::Native(kernel) => {
            let reads = kernel.reads.iter().map(|range| one(range, false));
            let all = reads.chain(kernel.writes.iter().map(|range| one(range, true)));
            all.filter(|_| kernel.items > 0).collect()
        }
        What::Read(Transfer { range, host, .. }) => {
            let host = host.iter().map(|host| one(host, true));
            std::iter::once(one(range, false)).chain(host).collect()
        }
        What::Write(Transfer { range, host, .. }) => {
            let host = host.iter().map(|host| one(host, false));
            host.chain([one(range, true)]).collect()
        }
        What::Copy { from, to, .. } => vec![one(from, false), one(to, true)],
        What::Fill(range) => vec![one(range, true)],
        What::Map {
            range,
            mode: MapMode::Invalidate,
        } if is_shared_by_byte(program, range.object) => vec![one(range, true)],
        What::Map { .. } | What::Unmap(_) | What::Marker | What::Barrier => Vec::new(),
        What::Migrate { .. } | What::Free(_) => Vec::new(),
    }
}

/// All objects that a command names.
pub fn named(program: &Program, command: usize) -> Vec<ObjectId> {
    match &program.commands[command].what {
        What::Kernel(kernel) | What::Native(kernel) => {
            let ranges = kernel.reads.iter().chain(&kernel.writes);
            ranges.map(|range| range.object).collect()
        }
        What::Read(transfer) | What::Write(transfer) => {
            let host = transfer.host.map(|host| host.object);
            std::iter::once(transfer.range.object).chain(host).collect()
        }
        What::Copy { from, to, .. } => vec![from.object, to.object],
        What::Fill(range) | What::Map { range, .. } => vec![range.object],
        What::Unmap(map) => mapped(program, map.index())
            .map(|(range, _)| range.object)
            .into_iter()
            .collect(),
        What::Migrate { objects, .. } | What::Free(objects) => objects.clone(),
        What::Marker | What::Barrier => Vec::new(),
    }
}

/// What a command maps; none where it is no map.
pub fn mapped(program: &Program, command: usize) -> Option<(Range, MapMode)> {
    match program.commands[command].what {
        What::Map { range, mode } => Some((range, mode)),
        _ => None,
    }
}

/// All ranges of a command.
pub fn ranges(program: &Program, command: usize) -> Vec<Range> {
    match &program.commands[command].what {
        What::Kernel(kernel) | What::Native(kernel) => {
            kernel.reads.iter().chain(&kernel.writes).copied().collect()
        }
        What::Read(transfer) | What::Write(transfer) => std::iter::once(transfer.range)
            .chain(transfer.host)
            .collect(),
        What::Copy { from, to, .. } => vec![*from, *to],
        What::Fill(range) | What::Map { range, .. } => vec![*range],
        What::Unmap(_) | What::Migrate { .. } | What::Free(_) | What::Marker | What::Barrier => {
            Vec::new()
        }
    }
}
