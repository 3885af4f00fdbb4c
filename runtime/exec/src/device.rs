//! Device-side enqueue: what kernels ask of the device queues, and who answers.
//!
//! Kernels know queues and events by numbers. Whoever makes a launch serves it: a child is a launch of its own,
//! which the executor does not start. What it promises is when it tells and asks:
//!
//! * A call is made by the thread that runs the work-item's group, between two of its steps: what the work-item did
//!   before is before the call, and what the call gives is before what it does next.
//! * [`DeviceQueues::group_ended`] is called once for each group that has run to its end, after all its work-items.

use crate::launch::KernelId;
use std::fmt;

/// A block that a work-item enqueues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The block.
    pub block: KernelId,
    /// What it captured, as many bytes as its first argument has.
    pub captures: Vec<u8>,
    /// Bytes of local memory for each of its other arguments.
    pub locals: Vec<u32>,
    /// Where it runs, unchecked.
    pub range: ChildRange,
    /// When it may begin.
    pub start: ChildStart,
    /// The work-group that enqueues it, by its linear number.
    pub group: u64,
}

/// A range as a kernel writes it: it may be none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChildRange {
    /// Number of dimensions.
    pub dimensions: u64,
    /// Offsets.
    pub offset: [u64; 3],
    /// Work-items.
    pub global: [u64; 3],
    /// Work-items of a work-group; zeros leave the choice open.
    pub local: [u64; 3],
}

/// When a child may begin (`kernel_enqueue_flags_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildStart {
    /// At once.
    NoWait,
    /// When its parent has ended.
    WaitKernel,
    /// When the work-group that enqueues it has ended.
    WaitWorkGroup,
}

impl ChildStart {
    /// The flag of a number; an unknown one waits for the most, which no flag forbids.
    pub(crate) const fn of(flags: i32) -> ChildStart {
        match flags {
            0 => ChildStart::NoWait,
            2 => ChildStart::WaitWorkGroup,
            _ => ChildStart::WaitKernel,
        }
    }
}

/// Why a command is not enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnqueueError {
    /// There is no such queue.
    InvalidQueue,
    /// The range is none, or the block cannot run in it.
    InvalidRange,
    /// The wait list is none.
    InvalidWaitList,
    /// The queue has no room.
    QueueFull,
    /// A size of local memory is zero.
    InvalidArgSize,
    /// There are too many events.
    EventAllocation,
    /// The device cannot run it.
    OutOfResources,
}

impl EnqueueError {
    /// The value of its `CLK_…`.
    pub const fn code(self) -> i32 {
        match self {
            EnqueueError::InvalidQueue => -102,
            EnqueueError::InvalidRange => -160,
            EnqueueError::InvalidWaitList => -57,
            EnqueueError::QueueFull => -161,
            EnqueueError::InvalidArgSize => -51,
            EnqueueError::EventAllocation => -100,
            EnqueueError::OutOfResources => -5,
        }
    }
}

/// What a kernel may know of a block before it enqueues it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockQuery {
    /// The most work-items of a work-group.
    WorkGroupSize,
    /// The work-group size whose multiples are fast.
    PreferredMultiple,
    /// The most work-items of a sub-group in a range.
    MaxSubGroupSize(ChildRange),
    /// Sub-groups of each whole work-group of a range.
    SubGroupCount(ChildRange),
}

/// The device queues, as the kernels of one launch see them.
pub trait DeviceQueues: fmt::Debug + Send + Sync {
    /// The default queue; zero if there is none.
    fn default_queue(&self) -> u64;

    /// Enqueues a child behind the events of a list; gives its event, of which the caller has a reference, if it
    /// wants one.
    ///
    /// # Errors
    /// Why it is not enqueued.
    fn enqueue(
        &self,
        queue: u64,
        child: Child,
        waits: &[u64],
        wants_event: bool,
    ) -> Result<Option<u64>, EnqueueError>;

    /// Enqueues a marker behind the events of a list; gives its event, of which the caller has a reference.
    ///
    /// # Errors
    /// Why it is not enqueued.
    fn mark(&self, queue: u64, waits: &[u64]) -> Result<u64, EnqueueError>;

    /// Makes a user event, of which the caller has a reference; zero if there are too many events.
    fn create_user_event(&self) -> u64;

    /// Adds a reference to an event, if it is one.
    fn retain(&self, event: u64);

    /// Takes a reference from an event, if it is one.
    fn release(&self, event: u64);

    /// Whether there is such an event.
    fn is_valid(&self, event: u64) -> bool;

    /// Sets a user event, if it is one.
    fn set_status(&self, event: u64, status: i32);

    /// Has two times of an event written to sixteen bytes at an address, which the kernel may write, once it is
    /// complete.
    fn capture(&self, event: u64, place: u64);

    /// Answers a query.
    fn query(&self, block: KernelId, query: BlockQuery) -> u32;

    /// A work-group of the kernel has ended.
    fn group_ended(&self, group: u64);
}
