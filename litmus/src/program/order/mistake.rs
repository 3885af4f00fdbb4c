//! What can be wrong with the commands of a program.

use crate::program::ThreadId;
use thiserror::Error;

/// Most calls that the host threads of a program make.
pub(super) const MAX_CALLS: usize = 256;

/// Something that is wrong with the commands of a program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct CommandError {
    /// Where.
    pub at: Where,
    /// What.
    pub what: Mistake,
}

/// What an error about commands is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// A thread's call, numbered from 0 in the order of its body, those in branches and loops
    /// included.
    Call(ThreadId, u32),
    /// A thread's place.
    Thread(ThreadId),
    /// The test as a whole.
    Program,
}

/// A mistake in the use of commands.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Mistake {
    /// A work-item calls the host's API.
    #[error("only host threads can call the OpenCL API")]
    NotHost,
    /// A call in a branch or a loop, or one that a return may skip.
    #[error("a call of the OpenCL API cannot stand in a branch or a loop, or after a return")]
    Conditional,
    /// The host makes too many calls.
    #[error("the host makes more than {MAX_CALLS} calls")]
    TooMany,
    /// A command, queue or kernel that does not exist.
    #[error("a command, a queue or a kernel does not exist")]
    Unknown,
    /// A command is enqueued twice.
    #[error("{0} is enqueued twice")]
    Twice(String),
    /// A command is never enqueued.
    #[error("{0} is never enqueued")]
    Never(String),
    /// Two commands have one name.
    #[error("two commands are named {0}")]
    SameName(String),
    /// Two host threads use one queue.
    #[error("two host threads use the queue {0}")]
    SharedQueue(String),
    /// A queue whose kernels are on two devices.
    #[error("{0} is on two devices")]
    TwoDevices(String),
    /// A work-item without a kernel, in a program with commands.
    #[error("the test has commands, but this thread belongs to no kernel")]
    NoKernel,
    /// A host thread with a kernel.
    #[error("a host thread belongs to no kernel")]
    HostInKernel,
    /// A thread's kernel is another kind of command.
    #[error("{0} is not a kernel")]
    NotKernel(String),
    /// A kernel without threads.
    #[error("no thread belongs to the kernel {0}")]
    Empty(String),
    /// A wait without events.
    #[error("clWaitForEvents needs at least one event")]
    WaitsForNothing,
    /// Commands that wait for one another.
    #[error("{0} cannot start before something that waits for it")]
    Circle(String),
    /// A map or unmap of local memory.
    #[error("{0} is local memory, which cannot be mapped")]
    LocalMapped(String),
    /// An unmap of something that the thread has not mapped.
    #[error("this thread has no mapping of {0} left to end")]
    NotMapped(String),
    /// Two mappings that may overlap, one of them for writing.
    #[error("{0} may be mapped twice at once, and for writing")]
    MappedTwice(String),
    /// Local memory that a host thread uses.
    #[error(
        "{0} is local memory, and a host thread uses it; only work-items of one work-group can"
    )]
    LocalOnHost(String),
    /// Local memory that two kernels use.
    #[error("{0} is local memory, and more than one kernel uses it")]
    LocalShared(String),
}

impl Mistake {
    /// What to do about it, where that is not plain.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Mistake::SharedQueue(_) => Some(
                "the order of its commands would not be determined; give each host thread queues \
                 of its own",
            ),
            Mistake::NoKernel => Some("place it as in P1@kernel A, wg 0, dev 0"),
            Mistake::Never(_) => {
                Some("a host thread enqueues it, as in clEnqueueNDRangeKernel(q, A)")
            }
            Mistake::Empty(_) => Some("place its threads as in P1@kernel A, wg 0, dev 0"),
            Mistake::Conditional => Some("every run must make the same calls in the same order"),
            Mistake::MappedTwice(_) => {
                Some("end one mapping before the other starts, or map both for reading")
            }
            Mistake::LocalOnHost(_) => Some(
                "place the thread in the work-group whose memory it is, or let the location be in memory of another kind",
            ),
            Mistake::NotHost
            | Mistake::TooMany
            | Mistake::Unknown
            | Mistake::Twice(_)
            | Mistake::SameName(_)
            | Mistake::TwoDevices(_)
            | Mistake::HostInKernel
            | Mistake::NotKernel(_)
            | Mistake::WaitsForNothing
            | Mistake::Circle(_)
            | Mistake::LocalMapped(_)
            | Mistake::NotMapped(_)
            | Mistake::LocalShared(_) => None,
        }
    }
}

pub(super) fn mistake<T>(at: Where, what: Mistake) -> Result<T, CommandError> {
    Err(CommandError { at, what })
}
