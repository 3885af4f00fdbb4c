//! Device-side enqueue: what kernels ask of the device queues (OpenCL C section 6.15.20).
//!
//! Queues and events are numbers that mean something to whoever serves the launch. A range is ten words of
//! eight bytes in memory: the number of dimensions, then the offsets, the global sizes and the local sizes of
//! three dimensions each; local sizes of zero leave the choice to the executor.

use crate::names::named;
use crate::types::Type;

/// Words of a range in memory.
pub const RANGE_WORDS: u32 = 10;

named! {
    /// A function of device-side enqueue.
    DeviceFunction {
        /// `enqueue_kernel`: (queue, flags, range, number of events to wait for, the events, where the event
        /// goes, what the block captured, sizes of local memory …), the status.
        EnqueueKernel = "enqueue_kernel",
        /// `enqueue_marker`: (queue, number of events to wait for, the events, where the event goes), the status.
        EnqueueMarker = "enqueue_marker",
        /// `get_default_queue`
        DefaultQueue = "get_default_queue",
        /// `create_user_event`
        CreateUserEvent = "create_user_event",
        /// `retain_event`
        RetainEvent = "retain_event",
        /// `release_event`
        ReleaseEvent = "release_event",
        /// `is_valid_event`: 0 or 1.
        IsValidEvent = "is_valid_event",
        /// `set_user_event_status`: (event, status).
        SetUserEventStatus = "set_user_event_status",
        /// `capture_event_profiling_info`: (event, name, where the times go).
        CaptureProfiling = "capture_event_profiling_info",
        /// `get_kernel_work_group_size`
        WorkGroupSize = "get_kernel_work_group_size",
        /// `get_kernel_preferred_work_group_size_multiple`
        PreferredMultiple = "get_kernel_preferred_work_group_size_multiple",
        /// `get_kernel_max_sub_group_size_for_ndrange`: (range).
        MaxSubGroupSize = "get_kernel_max_sub_group_size_for_ndrange",
        /// `get_kernel_sub_group_count_for_ndrange`: (range).
        SubGroupCount = "get_kernel_sub_group_count_for_ndrange",
    }
}

/// What an operand of a function of device-side enqueue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceOperand {
    /// A number of this type.
    Number(Type),
    /// A pointer that is read through, or null.
    Read,
    /// A pointer that is written through, or null.
    Written,
}

impl DeviceFunction {
    /// Its operands; those of local memory that follow are `I32`.
    pub const fn operands(self) -> &'static [DeviceOperand] {
        use DeviceOperand::{Number, Read, Written};
        const HANDLE: DeviceOperand = Number(Type::I64);
        const INT: DeviceOperand = Number(Type::I32);
        match self {
            DeviceFunction::EnqueueKernel => &[HANDLE, INT, Read, INT, Read, Written, Read],
            DeviceFunction::EnqueueMarker => &[HANDLE, INT, Read, Written],
            DeviceFunction::RetainEvent
            | DeviceFunction::ReleaseEvent
            | DeviceFunction::IsValidEvent => &[HANDLE],
            DeviceFunction::SetUserEventStatus => &[HANDLE, INT],
            DeviceFunction::CaptureProfiling => &[HANDLE, INT, Written],
            DeviceFunction::MaxSubGroupSize | DeviceFunction::SubGroupCount => &[Read],
            DeviceFunction::DefaultQueue
            | DeviceFunction::CreateUserEvent
            | DeviceFunction::WorkGroupSize
            | DeviceFunction::PreferredMultiple => &[],
        }
    }

    /// The type of its result.
    pub const fn result(self) -> Option<Type> {
        match self {
            DeviceFunction::DefaultQueue | DeviceFunction::CreateUserEvent => Some(Type::I64),
            DeviceFunction::EnqueueKernel
            | DeviceFunction::EnqueueMarker
            | DeviceFunction::IsValidEvent
            | DeviceFunction::WorkGroupSize
            | DeviceFunction::PreferredMultiple
            | DeviceFunction::MaxSubGroupSize
            | DeviceFunction::SubGroupCount => Some(Type::I32),
            DeviceFunction::RetainEvent
            | DeviceFunction::ReleaseEvent
            | DeviceFunction::SetUserEventStatus
            | DeviceFunction::CaptureProfiling => None,
        }
    }

    /// Whether it is about a block.
    pub const fn takes_block(self) -> bool {
        matches!(
            self,
            DeviceFunction::EnqueueKernel
                | DeviceFunction::WorkGroupSize
                | DeviceFunction::PreferredMultiple
                | DeviceFunction::MaxSubGroupSize
                | DeviceFunction::SubGroupCount
        )
    }
}
