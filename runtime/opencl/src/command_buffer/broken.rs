//! What command-buffers do under a fault; nothing of it is done without one.

use std::sync::atomic::{AtomicBool, Ordering};

use touchstone_faults::{Fault, on};

use crate::queue::command::Kind;

/// Whether a command-buffer that is enqueued now does nothing, because it has been enqueued before.
pub(super) fn is_spent(enqueued: &AtomicBool) -> bool {
    // It orders nothing.
    on(Fault::CommandBufferOnce) && enqueued.swap(true, Ordering::Relaxed)
}

/// How many of so many commands are done.
pub(super) fn done_of(commands: usize) -> usize {
    commands - usize::from(on(Fault::RecordedCommandLost) && commands > 0)
}

/// How a command takes its place in its queue.
pub(super) fn kind(kind: Kind) -> Kind {
    match kind {
        Kind::Barrier if on(Fault::RecordedBarrierWaitsForNothing) => Kind::BarrierWithList,
        Kind::Barrier if on(Fault::RecordedBarrierHoldsNothing) => Kind::Marker,
        Kind::BarrierWithList if on(Fault::RecordedBarrierHoldsNothing) => Kind::MarkerWithList,
        kind => kind,
    }
}

/// The commands that one waits for, of those that it should.
pub(super) fn after(after: &[usize]) -> &[usize] {
    if on(Fault::SyncPointsIgnored) {
        &[]
    } else if on(Fault::SyncPointsFirstOnly) {
        &after[..after.len().min(1)]
    } else {
        after
    }
}
