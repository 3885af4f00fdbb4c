//! What can be wrong with the commands of a program.

use super::check::MAX_CALLS;
use crate::program::ThreadId;
use std::fmt;
use thiserror::Error;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mistake {
    /// A work-item calls the host's API.
    NotHost,
    /// A call in a branch or a loop, or one that a return may skip.
    Conditional,
    /// The host makes too many calls.
    TooMany,
    /// A command, queue or kernel that does not exist.
    Unknown,
    /// A command is enqueued twice.
    Twice(String),
    /// A command is never enqueued.
    Never(String),
    /// Two commands have one name.
    SameName(String),
    /// Two host threads use one queue.
    SharedQueue(String),
    /// A queue whose kernels are on two devices.
    TwoDevices(String),
    /// A work-item without a kernel, in a program with commands.
    NoKernel,
    /// A host thread with a kernel.
    HostInKernel,
    /// A thread's kernel is another kind of command.
    NotKernel(String),
    /// A kernel without threads.
    Empty(String),
    /// A wait without events.
    WaitsForNothing,
    /// Commands that wait for one another.
    Circle(String),
    /// A map or unmap of local memory.
    LocalMapped(String),
    /// An unmap of something that the thread has not mapped.
    NotMapped(String),
    /// Two mappings that may overlap, one of them for writing.
    MappedTwice(String),
    /// Local memory that two kernels, or a kernel and the host, use.
    LocalShared(String),
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::NotHost => f.write_str("only host threads can call the OpenCL API"),
            Mistake::Conditional => f.write_str(
                "a call of the OpenCL API cannot stand in a branch or a loop, or after a return",
            ),
            Mistake::TooMany => write!(f, "the host makes more than {MAX_CALLS} calls"),
            Mistake::Unknown => f.write_str("a command, a queue or a kernel does not exist"),
            Mistake::Twice(name) => write!(f, "{name} is enqueued twice"),
            Mistake::Never(name) => write!(f, "{name} is never enqueued"),
            Mistake::SameName(name) => write!(f, "two commands are named {name}"),
            Mistake::SharedQueue(queue) => write!(f, "two host threads use the queue {queue}"),
            Mistake::TwoDevices(name) => write!(f, "{name} is on two devices"),
            Mistake::NoKernel => {
                f.write_str("the test has commands, but this thread belongs to no kernel")
            }
            Mistake::HostInKernel => f.write_str("a host thread belongs to no kernel"),
            Mistake::NotKernel(name) => write!(f, "{name} is not a kernel"),
            Mistake::Empty(name) => write!(f, "no thread belongs to the kernel {name}"),
            Mistake::WaitsForNothing => f.write_str("clWaitForEvents needs at least one event"),
            Mistake::Circle(name) => {
                write!(f, "{name} cannot start before something that waits for it")
            }
            Mistake::LocalMapped(location) => {
                write!(f, "{location} is local memory, which cannot be mapped")
            }
            Mistake::NotMapped(location) => {
                write!(f, "this thread has no mapping of {location} left to end")
            }
            Mistake::MappedTwice(location) => {
                write!(f, "{location} may be mapped twice at once, and for writing")
            }
            Mistake::LocalShared(location) => write!(
                f,
                "{location} is local memory, and more than one kernel uses it"
            ),
        }
    }
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
