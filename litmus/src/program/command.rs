//! Commands: what host threads enqueue, and the calls by which they do it.
//!
//! A program without commands runs as one kernel-instance on each device, beside its host threads.
//! A program with commands says which kernel-instance each work-item belongs to; host threads
//! enqueue those, and markers, barriers, maps and unmaps beside them, at points of their bodies.
//! What the specification makes of queues, wait lists and calls that wait is an order between
//! these points and the commands: see [`CommandOrder`](super::CommandOrder).

use super::{CommandId, LocId, QueueId};
use serde::{Deserialize, Serialize};

classay_vocabulary::words! {
    /// Whether a queue keeps the order of its commands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum QueueOrder {
        /// Each command waits for the one before it; what OpenCL does unless asked otherwise.
        #[default]
        InOrder = "in_order",
        /// `CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE`
        OutOfOrder = "out_of_order",
    }
}

/// A host command-queue. Its device is that of the kernels in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its name in the test.
    pub name: String,
    /// Whether it keeps order.
    pub order: QueueOrder,
}

classay_vocabulary::words! {
    /// What a host thread wants of memory that it maps.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MapAccess {
        /// `CL_MAP_READ`
        Read = "CL_MAP_READ",
        /// `CL_MAP_WRITE`, with or without `CL_MAP_READ`: the region holds the latest values either way.
        Write = "CL_MAP_WRITE",
    }
}

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// A kernel-instance: the threads whose [`kernel`](super::Thread::kernel) it is.
    Kernel,
    /// `clEnqueueMarkerWithWaitList`
    Marker,
    /// `clEnqueueBarrierWithWaitList`
    Barrier,
    /// `clEnqueueMapBuffer`, `clEnqueueSVMMap`
    Map {
        /// What is mapped, whole.
        location: LocId,
        /// What for.
        access: MapAccess,
        /// The call returns when the command is complete.
        blocking: bool,
    },
    /// `clEnqueueUnmapMemObject`, `clEnqueueSVMUnmap`: ends the latest mapping of the location that
    /// its host thread has not ended yet.
    Unmap {
        /// What is unmapped.
        location: LocId,
    },
}

/// A command: enqueued once, by one [`HostCall::Enqueue`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The name of the kernel-instance, or of the command's event; no two commands share one.
    pub name: String,
    /// What it does.
    pub kind: CommandKind,
    /// Where it is enqueued.
    pub queue: QueueId,
    /// Its event wait list.
    pub waits: Vec<CommandId>,
}

/// A call of the OpenCL API by a host thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostCall {
    /// Enqueues a command.
    Enqueue(CommandId),
    /// `clWaitForEvents`; at least one event.
    Wait(Vec<CommandId>),
    /// `clFinish`
    Finish(QueueId),
    /// `clFlush`
    Flush(QueueId),
}
