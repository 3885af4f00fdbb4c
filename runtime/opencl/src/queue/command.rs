//! What a command is and does.

use opencl_sys::*;
use touchstone_faults::{Fault, on};
use touchstone_queue::Role;

/// Why a command ended abnormally.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The negative status of the event.
    pub status: cl_int,
    /// What the context's callback is told.
    pub message: String,
}

/// What a command does: on a thread of the pool, or on one that waits for it.
pub type Action = Box<dyn FnOnce() -> Result<(), Failure> + Send>;

/// Kinds of commands, as `CL_EVENT_COMMAND_TYPE` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    NdRangeKernel,
    Task,
    NativeKernel,
    ReadBuffer,
    WriteBuffer,
    CopyBuffer,
    ReadBufferRect,
    WriteBufferRect,
    CopyBufferRect,
    FillBuffer,
    MapBuffer,
    ReadImage,
    WriteImage,
    CopyImage,
    CopyImageToBuffer,
    CopyBufferToImage,
    FillImage,
    MapImage,
    UnmapMemObject,
    MigrateMemObjects,
    Marker,
    /// A marker that waits for its list only.
    MarkerWithList,
    Barrier,
    /// A barrier that waits for its list only.
    BarrierWithList,
    SvmFree,
    SvmMemcpy,
    SvmMemFill,
    SvmMap,
    SvmUnmap,
    SvmMigrateMem,
    User,
}

impl Kind {
    /// The code of the queries.
    pub const fn code(self) -> cl_command_type {
        match self {
            Self::NdRangeKernel => CL_COMMAND_NDRANGE_KERNEL,
            Self::Task => CL_COMMAND_TASK,
            Self::NativeKernel => CL_COMMAND_NATIVE_KERNEL,
            Self::ReadBuffer => CL_COMMAND_READ_BUFFER,
            Self::WriteBuffer => CL_COMMAND_WRITE_BUFFER,
            Self::CopyBuffer => CL_COMMAND_COPY_BUFFER,
            Self::ReadBufferRect => CL_COMMAND_READ_BUFFER_RECT,
            Self::WriteBufferRect => CL_COMMAND_WRITE_BUFFER_RECT,
            Self::CopyBufferRect => CL_COMMAND_COPY_BUFFER_RECT,
            Self::FillBuffer => CL_COMMAND_FILL_BUFFER,
            Self::MapBuffer => CL_COMMAND_MAP_BUFFER,
            Self::ReadImage => CL_COMMAND_READ_IMAGE,
            Self::WriteImage => CL_COMMAND_WRITE_IMAGE,
            Self::CopyImage => CL_COMMAND_COPY_IMAGE,
            Self::CopyImageToBuffer => CL_COMMAND_COPY_IMAGE_TO_BUFFER,
            Self::CopyBufferToImage => CL_COMMAND_COPY_BUFFER_TO_IMAGE,
            Self::FillImage => CL_COMMAND_FILL_IMAGE,
            Self::MapImage => CL_COMMAND_MAP_IMAGE,
            Self::UnmapMemObject => CL_COMMAND_UNMAP_MEM_OBJECT,
            Self::MigrateMemObjects => CL_COMMAND_MIGRATE_MEM_OBJECTS,
            Self::Marker | Self::MarkerWithList => CL_COMMAND_MARKER,
            Self::Barrier | Self::BarrierWithList => CL_COMMAND_BARRIER,
            Self::SvmFree => CL_COMMAND_SVM_FREE,
            Self::SvmMemcpy => CL_COMMAND_SVM_MEMCPY,
            Self::SvmMemFill => CL_COMMAND_SVM_MEMFILL,
            Self::SvmMap => CL_COMMAND_SVM_MAP,
            Self::SvmUnmap => CL_COMMAND_SVM_UNMAP,
            Self::SvmMigrateMem => CL_COMMAND_SVM_MIGRATE_MEM,
            Self::User => CL_COMMAND_USER,
        }
    }

    /// How it takes its place in its queue.
    pub fn role(self) -> Role {
        let role = self.usual_role();
        if !touchstone_faults::any() {
            return role;
        }
        Role {
            after_all: role.after_all
                && !match self {
                    Self::Barrier => on(Fault::BarrierIgnoresEarlier),
                    _ => on(Fault::MarkerIgnoresEarlier),
                },
            before_all: role.before_all
                && !match self {
                    Self::BarrierWithList => on(Fault::BarrierListHoldsNothing),
                    _ => on(Fault::BarrierHoldsNothing),
                },
            ..role
        }
    }

    const fn usual_role(self) -> Role {
        Role {
            // What the host and the device share has nothing to move.
            prompt: matches!(
                self,
                Self::Marker
                    | Self::MarkerWithList
                    | Self::Barrier
                    | Self::BarrierWithList
                    | Self::MapBuffer
                    | Self::MapImage
                    | Self::UnmapMemObject
                    | Self::MigrateMemObjects
                    | Self::SvmMap
                    | Self::SvmUnmap
                    | Self::SvmMigrateMem
            ),
            after_all: matches!(self, Self::Marker | Self::Barrier),
            before_all: matches!(self, Self::Barrier | Self::BarrierWithList),
        }
    }
}
