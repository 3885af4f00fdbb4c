//! What a command is and does.

use std::sync::Arc;

use opencl_sys::*;
use touchstone_queue::Role;

use super::event::Event;
use crate::ffi::codes;

/// Why a command ended abnormally.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The negative status of the event.
    pub status: cl_int,
    /// What the context's callback reports.
    pub message: String,
    /// What failed: the kernel, by its name, or the command.
    pub of: String,
    /// What the user can do about it, in a sentence; empty where there is nothing to say.
    pub advice: &'static str,
}

impl Failure {
    /// Of a command that is not allowed what it does.
    pub fn refused(of: &str, message: String) -> Self {
        Self {
            status: CL_INVALID_OPERATION,
            message,
            of: of.to_owned(),
            advice: "",
        }
    }
}

/// What a command does, whose event it gets: on a thread of the pool, or on one that waits for it.
pub type Action = Box<dyn FnOnce(&Arc<Event>) -> Result<(), Failure> + Send>;

codes! {
    /// Kinds of commands, as `CL_EVENT_COMMAND_TYPE` names them.
    #[allow(missing_docs)]
    Kind: cl_command_type;
    NdRangeKernel = CL_COMMAND_NDRANGE_KERNEL;
    Task = CL_COMMAND_TASK;
    NativeKernel = CL_COMMAND_NATIVE_KERNEL;
    ReadBuffer = CL_COMMAND_READ_BUFFER;
    WriteBuffer = CL_COMMAND_WRITE_BUFFER;
    CopyBuffer = CL_COMMAND_COPY_BUFFER;
    ReadBufferRect = CL_COMMAND_READ_BUFFER_RECT;
    WriteBufferRect = CL_COMMAND_WRITE_BUFFER_RECT;
    CopyBufferRect = CL_COMMAND_COPY_BUFFER_RECT;
    FillBuffer = CL_COMMAND_FILL_BUFFER;
    MapBuffer = CL_COMMAND_MAP_BUFFER;
    ReadImage = CL_COMMAND_READ_IMAGE;
    WriteImage = CL_COMMAND_WRITE_IMAGE;
    CopyImage = CL_COMMAND_COPY_IMAGE;
    CopyImageToBuffer = CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    CopyBufferToImage = CL_COMMAND_COPY_BUFFER_TO_IMAGE;
    FillImage = CL_COMMAND_FILL_IMAGE;
    MapImage = CL_COMMAND_MAP_IMAGE;
    UnmapMemObject = CL_COMMAND_UNMAP_MEM_OBJECT;
    MigrateMemObjects = CL_COMMAND_MIGRATE_MEM_OBJECTS;
    Marker = CL_COMMAND_MARKER;
    /// A marker that waits for its list only.
    MarkerWithList = CL_COMMAND_MARKER;
    Barrier = CL_COMMAND_BARRIER;
    /// A barrier that waits for its list only.
    BarrierWithList = CL_COMMAND_BARRIER;
    SvmFree = CL_COMMAND_SVM_FREE;
    SvmMemcpy = CL_COMMAND_SVM_MEMCPY;
    SvmMemFill = CL_COMMAND_SVM_MEMFILL;
    SvmMap = CL_COMMAND_SVM_MAP;
    SvmUnmap = CL_COMMAND_SVM_UNMAP;
    SvmMigrateMem = CL_COMMAND_SVM_MIGRATE_MEM;
    /// All commands of a command-buffer.
    CommandBuffer = CL_COMMAND_COMMAND_BUFFER_KHR;
    User = CL_COMMAND_USER;
}

impl Kind {
    /// How it takes its place in its queue.
    pub const fn role(self) -> Role {
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
