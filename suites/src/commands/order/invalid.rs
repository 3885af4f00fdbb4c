//! What makes a program invalid.

use super::Moment;
use crate::commands::program::{CommandId, ObjectId, Place, UserId};

/// Why a program is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Something has a number that its list does not reach, or a size out of range.
    #[error("{what}")]
    Shape {
        /// One sentence.
        what: String,
    },
    /// Something is done never or twice that is done once.
    #[error("{what} is {done} by {times} steps, and must be by one")]
    NotOnce {
        /// What.
        what: String,
        /// "enqueued", "registered", …
        done: &'static str,
        /// How many do it.
        times: usize,
    },
    /// Something waits for what waits for it.
    #[error("{at} waits for itself")]
    WaitsForItself {
        /// A moment of the cycle.
        at: Moment,
    },
    /// It can block for ever on an implementation that keeps the rules.
    #[error(
        "{at} may never come: an implementation may run an out-of-order queue in order, and need not submit a command before its queue is flushed"
    )]
    MayNeverEnd {
        /// A moment of the cycle.
        at: String,
    },
    /// Something waits for a command that nothing flushes.
    #[error("something waits for command {}, and no step is certain to flush its queue", command.0)]
    NotFlushed {
        /// The command.
        command: CommandId,
    },
    /// Something waits for a user event that no step sets.
    #[error("something waits for user event {}, and no step sets it", user.0)]
    NeverSet {
        /// The user event.
        user: UserId,
    },
    /// Something is used when it may not be there yet, or not any more.
    #[error("{place} uses {what} {when}")]
    Lifetime {
        /// The step.
        place: Place,
        /// What it uses.
        what: String,
        /// "before it is there" or "after its release".
        when: &'static str,
    },
    /// One command's own accesses race: it names a buffer and its part, or overlapping ranges.
    #[error("{who} uses {shared} twice at once, and writes it")]
    Twice {
        /// What they may not share.
        shared: Shared,
        /// The command.
        who: String,
    },
    /// Two accesses race.
    #[error("{first} and {second} use {shared}, and nothing orders them")]
    Race {
        /// What they may not share.
        shared: Shared,
        /// Who.
        first: String,
        /// And who.
        second: String,
    },
}

/// What two accesses, one of which writes, may not share unless they are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Shared {
    /// A cell of the object that holds the data.
    #[error("cell {cell} of object {}", of.0)]
    Cell {
        /// The object.
        of: ObjectId,
        /// Which of its cells.
        cell: u8,
    },
    /// The object that holds the data, whatever cells they use.
    #[error("object {}", .0.0)]
    Object(ObjectId),
}

/// A shape that is none.
pub(super) fn wrong<T>(what: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::Shape { what: what.into() })
}
