//! The order of queues, markers and barriers, and what a release lets go of.

use super::super::sites::{COPIES, FILLS, KERNELS, ORDERS, QUEUES, READS, SYNC, WORK, WRITES};
use super::{hangs, row, skipped};
use crate::faults::named::{Breach, Named};

/// The rows.
pub(super) const ROWS: &[Named] = &[
    // Queues.
    row(
        "in-order-unordered",
        Breach::InOrderUnordered,
        &[QUEUES],
        &["ex.queue.in-order", "sp.in-order"],
        "an in-order queue keeps order: it is created out-of-order, where the device can",
    ),
    row(
        "in-order-swapped",
        Breach::InOrderSwapped,
        &[QUEUES, WORK, ORDERS, SYNC],
        &["ex.queue.in-order", "sp.in-order"],
        "an in-order queue keeps order: a command that does not block waits for the next one, if \
         that has no list",
    ),
    row(
        "in-order-transfers-overtake",
        Breach::TransfersOvertake,
        &[QUEUES, WORK, ORDERS, SYNC],
        &["ex.queue.in-order", "sp.in-order"],
        "kernels and transfers of an in-order queue keep their order: only kernels among \
         themselves, and the others",
    ),
    row(
        "barrier-ignored",
        Breach::BarrierIgnored,
        &[&["clEnqueueBarrierWithWaitList"]],
        &["ex.prereq.barrier", "sp.barrier"],
        "a barrier orders: nothing is enqueued, its event is complete",
    ),
    row(
        "barrier-as-marker",
        Breach::BarrierAsMarker,
        &[&["clEnqueueBarrierWithWaitList"]],
        &["ex.prereq.barrier", "sp.barrier"],
        "a barrier without a list holds later commands back: it is a marker",
    ),
    row(
        "barrier-list-as-marker",
        Breach::BarrierListAsMarker,
        &[&["clEnqueueBarrierWithWaitList"]],
        &["ex.prereq.barrier", "sp.barrier-list"],
        "a barrier with a list holds later commands back: it is a marker",
    ),
    skipped(
        "legacy-barrier-ignored",
        &[&["clEnqueueBarrier"]],
        &["ex.prereq.barrier", "sp.barrier"],
        "clEnqueueBarrier orders: nothing is enqueued",
    ),
    skipped(
        "legacy-wait-ignored",
        &[&["clEnqueueWaitForEvents"]],
        &["ex.prereq.barrier", "sp.barrier-list"],
        "clEnqueueWaitForEvents holds later commands back: nothing is enqueued",
    ),
    row(
        "marker-early",
        Breach::MarkerEarly,
        &[&["clEnqueueMarkerWithWaitList"]],
        &["ex.prereq.marker", "sp.marker"],
        "a marker without a list completes after all before it: its event is complete at once",
    ),
    row(
        "marker-last-only",
        Breach::MarkerLastOnly,
        &[WORK, ORDERS],
        &["ex.prereq.marker", "sp.marker"],
        "a marker without a list waits for all before it: only for the last command",
    ),
    row(
        "queue-release-loses-work",
        Breach::ReleaseLosesQueue,
        &[WORK, ORDERS, SYNC, &["clRetainCommandQueue"]],
        &["ex.queue.release"],
        "releasing a queue flushes it: commands not flushed before are terminated",
    ),
    row(
        "event-release-loses-work",
        Breach::ReleaseLosesEvent,
        &[WORK, ORDERS, SYNC],
        &["ex.queue.release"],
        "releasing an event leaves its command alone: one not flushed before is terminated",
    ),
    hangs(row(
        "flush-without-effect",
        Breach::FlushLost,
        &[WORK, ORDERS, SYNC],
        &["ex.state.flush"],
        "a flushed command makes progress: only a call that waits lets it begin",
    )),
    hangs(row(
        "wait-does-not-flush",
        Breach::WaitDoesNotFlush,
        &[WORK, ORDERS, SYNC],
        &["ex.state.flush"],
        "clWaitForEvents flushes the queues of its events: what was not flushed never begins",
    )),
    row(
        "other-threads-lost",
        Breach::OtherThreads,
        &[KERNELS, COPIES, FILLS, READS, WRITES],
        &["ex.queue.threads"],
        "several threads enqueue to a queue: commands of all but the first thread are not enqueued, \
         their events are complete",
    ),
    hangs(row(
        "queues-serialized",
        Breach::QueuesSerialized,
        &[WORK, ORDERS],
        &["ex.queue.independent"],
        "queues make progress independently: a command waits for the last one of every other queue",
    )),
];
