//! Contents that a map discarded, and that nobody wrote again before they are read.

use super::clause::Clause;
use super::order::{Moment, Order};
use super::uses;
use classay_suites::commands::program::*;

/// A cell of a root object.
type Cell = (ObjectId, u8);

/// Something that changes a cell, between two moments.
struct Change {
    begins: Moment,
    ends: Moment,
    how: How,
}

enum How {
    /// A map that discards it.
    Discards,
    /// A write of something.
    Writes,
    /// A copy of another cell.
    Copies(Cell),
}

/// Tells of every read of them.
pub fn judge(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    let discards = |n: usize| {
        matches!(uses::mapped(program, n), Some((_, MapMode::Invalidate))) && !order.fails(n)
    };
    if !(0..program.commands.len()).any(discards) {
        return;
    }
    for (n, command) in program.commands.iter().enumerate() {
        let reads: Vec<Range> = match &command.what {
            What::Kernel(kernel) | What::Native(kernel) if kernel.items > 0 => kernel.reads.clone(),
            What::Read(transfer) if transfer.host.is_none() => vec![transfer.range],
            _ => continue,
        };
        for range in reads.into_iter().filter(|_| !order.fails(n)) {
            if cells(program, range).any(|cell| discarded(order, Moment::Start(n), cell)) {
                tell(
                    Clause::Discarded,
                    format!("command {n} reads what a map discarded"),
                );
            }
        }
    }
    for (place, step) in &order.steps {
        let Step::Access(id) = step else { continue };
        let access = &program.accesses[id.index()];
        let mut all = cells(program, access.range);
        if !access.write && all.any(|cell| discarded(order, Moment::Call(*place), cell)) {
            tell(
                Clause::Discarded,
                format!("{place} reads what a map discarded"),
            );
        }
    }
}

fn cells(program: &Program, range: Range) -> impl Iterator<Item = Cell> {
    let (root, first) = uses::root(program, range.object);
    range
        .cells()
        .map(move |cell| (root, cell.saturating_add(first)))
}

/// Whether a read that begins at a moment may find what a map left undefined.
fn discarded(order: &Order<'_>, read: Moment, cell: Cell) -> bool {
    let changes = changes(order, cell);
    let clean = |change: &Change| match change.how {
        How::Discards => false,
        How::Writes => true,
        How::Copies(from) => !discarded(order, change.begins, from),
    };
    let wrote: Vec<&Change> = changes
        .iter()
        .filter(|change| order.is_before(change.ends, read) && clean(change))
        .collect();
    // What comes between a change and the read makes it good again.
    let good = |change: &Change| {
        let after = |wrote: &&Change| order.is_before(change.ends, wrote.begins);
        wrote.iter().any(after)
    };
    let came = |change: &&Change| order.is_before(change.ends, read);
    changes
        .iter()
        .filter(came)
        .any(|change| !clean(change) && !good(change))
}

fn changes(order: &Order<'_>, cell: Cell) -> Vec<Change> {
    let program = order.program;
    let mut changes = Vec::new();
    let within = |range: Range| cells(program, range).position(|other| other == cell);
    for n in (0..program.commands.len()).filter(|n| !order.fails(*n)) {
        let mut add = |how| {
            changes.push(Change {
                begins: Moment::Start(n),
                ends: Moment::Complete(n),
                how,
            });
        };
        match &program.commands[n].what {
            What::Map {
                range,
                mode: MapMode::Invalidate,
            } if within(*range).is_some() => add(How::Discards),
            What::Copy { from, to, .. }
            | What::Read(Transfer {
                range: from,
                host: Some(to),
                ..
            })
            | What::Write(Transfer {
                range: to,
                host: Some(from),
                ..
            }) => {
                if let Some(at) = within(*to)
                    && let Some(from) = cells(program, *from).nth(at)
                {
                    add(How::Copies(from));
                }
            }
            _ => {
                let all = uses::of_command(program, n);
                let bit = 1_u128.checked_shl(u32::from(cell.1)).unwrap_or(0);
                let writes = |x: &uses::Use| x.write && x.root == cell.0 && x.cells & bit != 0;
                if all.iter().any(writes) {
                    add(How::Writes);
                }
            }
        }
    }
    for (place, step) in &order.steps {
        if let Step::Access(id) = step {
            let access = &program.accesses[id.index()];
            if access.write && within(access.range).is_some() {
                changes.push(Change {
                    begins: Moment::Call(*place),
                    ends: Moment::Return(*place),
                    how: How::Writes,
                });
            }
        }
    }
    changes
}
