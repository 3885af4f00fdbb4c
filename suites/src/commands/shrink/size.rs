//! How large a program is: what shrinking makes smaller with every step.

use crate::commands::program::*;

/// The size of a program, what matters most first; compared as words are in a dictionary. Every
/// component is a natural number, so no chain of ever smaller sizes is endless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size([u64; 22]);

impl Size {
    /// The size of a program.
    pub fn of(p: &Program) -> Size {
        let mut ranges: Vec<Range> = p.accesses.iter().map(|a| a.range).collect();
        let (mut what, mut flags, mut entries) = (0, 0, 0);
        let (mut items, mut delay) = (0u64, 0u64);
        for command in &p.commands {
            entries += command.wait.len() as u64;
            flags += u64::from(command.blocking);
            ranges.extend(command.what.ranges());
            flags += command.what.objects().len() as u64;
            if let Some(k) = command.what.kernel() {
                items += u64::from(k.items.max(1)) - 1;
                delay += u64::from(k.spin);
                flags += u64::from(k.reuse) + u64::from(k.items == 0);
            }
            let (own, flag) = match &command.what {
                What::Marker => (0, 0),
                What::Barrier => (1, 0),
                What::Fill(_) => (2, 0),
                What::Kernel(_) => (3, 0),
                What::Write(transfer) | What::Read(transfer) => (
                    4,
                    u64::from(transfer.rect) + u64::from(transfer.host.is_some()),
                ),
                What::Native(_) => (5, 0),
                What::Copy { rect, .. } => (5, u64::from(*rect)),
                What::Map { mode, .. } => (6, *mode as u64),
                What::Migrate { to_host, .. } => (6, u64::from(*to_host)),
                What::Unmap(_) | What::Free(_) => (6, 0),
            };
            what += own;
            flags += flag;
        }
        let (mut steps, mut failures) = (0, 0u64);
        for (_, step) in p.steps() {
            steps += 1;
            if let Step::Wait(events) = step {
                entries += events.len() as u64;
            } else if let Step::Set { status, .. } = step {
                failures += u64::from(status.unsigned_abs());
            } else if let Step::Sleep(micros) = step {
                delay += u64::from(*micros);
            } else if let Step::Yield(times) = step {
                delay += u64::from(*times);
            }
        }
        let sum = |of: &dyn Fn(&Range) -> u8| ranges.iter().map(|r| u64::from(of(r))).sum::<u64>();
        let early = |c: &&Callback| c.at != Reached::Complete;
        Size([
            p.contexts.into(),
            p.devices.into(),
            p.threads.len() as u64,
            p.commands.len() as u64,
            p.callbacks.len() as u64,
            p.users.len() as u64,
            p.queues.len() as u64,
            p.objects.len() as u64,
            p.accesses.len() as u64,
            p.signals.into(),
            steps,
            entries,
            ranges.len() as u64,
            sum(&|r| r.count),
            what,
            p.objects.iter().map(|o| kind(o.kind)).sum(),
            p.queues.iter().map(|q| u64::from(q.out_of_order)).sum(),
            flags + failures + p.callbacks.iter().filter(early).count() as u64,
            sum(&|r| r.stride) + sum(&|r| r.first),
            p.objects.iter().map(|o| u64::from(o.cells)).sum(),
            u64::from(p.cell_words) + items,
            delay,
        ])
    }
}

fn kind(kind: Kind) -> u64 {
    match kind {
        Kind::Buffer(HostPointer::Copy) => 0,
        Kind::Buffer(HostPointer::Alloc) => 1,
        Kind::Buffer(HostPointer::Use) => 2,
        Kind::Variable => 3,
        Kind::SvmCoarse => 4,
        Kind::SvmFine => 5,
        Kind::SvmSystem => 6,
        Kind::Buffer(HostPointer::UseSvm) => 7,
        Kind::SubBuffer { .. } => 8,
        Kind::Host => 9,
    }
}
