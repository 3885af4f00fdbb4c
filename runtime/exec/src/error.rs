//! The ways in which preparing or running a program can fail.

use crate::map::Permission;
use std::fmt;
use std::time::Duration;
use touchstone_ir::{Loc, ValidateError};

/// A module cannot be made ready to run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The module breaks a rule of the IR; a defect of the front end.
    #[error("invalid IR: {0}")]
    Invalid(#[from] ValidateError),
    /// A kernel is larger than the interpreter's encoding can hold.
    #[error(
        "kernel {kernel} is too large for the interpreter: it needs {needed} {what}, at most {limit} fit"
    )]
    TooLarge {
        /// The kernel.
        kernel: String,
        /// What there is too much of.
        what: &'static str,
        /// How much.
        needed: usize,
        /// How much fits.
        limit: usize,
    },
    /// The program's variables do not fit into memory.
    #[error("no memory for {bytes} bytes of program-scope variables")]
    OutOfMemory {
        /// Bytes needed.
        bytes: u64,
    },
}

/// A launch did not run, or did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The kernel did something that ends the launch.
    #[error("{0}")]
    Trap(Box<Trap>),
    /// Arguments or index space do not fit the kernel.
    #[error("invalid launch of {kernel}: {message}")]
    Invalid {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        message: String,
    },
    /// A work-group's registers, private and local memory do not fit, or the
    /// system has no memory for them.
    #[error(
        "out of resources: a work-group of {kernel} needs {bytes} bytes; one gets at most {limit}, and no more than the system has"
    )]
    OutOfResources {
        /// The kernel.
        kernel: String,
        /// Bytes needed by one group.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The cancel flag was raised.
    #[error("launch of {kernel} cancelled")]
    Cancelled {
        /// The kernel.
        kernel: String,
    },
    /// The launch took more steps than it was given.
    #[error("launch of {kernel} exceeded its limit of {limit} steps")]
    StepLimit {
        /// The kernel.
        kernel: String,
        /// The limit.
        limit: u64,
    },
}

impl LaunchError {
    /// The kernel that was launched.
    pub fn kernel(&self) -> &str {
        match self {
            Self::Trap(trap) => &trap.kernel,
            Self::Invalid { kernel, .. }
            | Self::OutOfResources { kernel, .. }
            | Self::Cancelled { kernel }
            | Self::StepLimit { kernel, .. } => kernel,
        }
    }
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: String,
    /// Line and column.
    pub loc: Loc,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.loc == Loc::NONE {
            write!(f, "{}", self.function)
        } else {
            write!(f, "{} at {}", self.function, self.loc)
        }
    }
}

/// A kernel did something that no program may do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel}, work-item {global_id:?}: {kind}, in {place}")]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The kernel launched.
    pub kernel: String,
    /// Where it happened.
    pub place: Place,
    /// Global id of the work-item.
    pub global_id: [u64; 3],
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrapKind {
    /// A read outside of the object that the address was computed from or, where that is not
    /// known, of all memory that the launch may touch.
    #[error("{}", bad_access("read", *address, *size, missed.as_ref()))]
    BadRead {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
        /// What it should have met; None if there is nothing that it could have.
        missed: Option<Missed>,
    },
    /// A write outside of the object that the address was computed from or, where that is not
    /// known, of all memory that the launch may touch; or into memory for reading only.
    #[error("{}", bad_access("write", *address, *size, missed.as_ref()))]
    BadWrite {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
        /// What it should have met; None if there is nothing that it could have.
        missed: Option<Missed>,
    },
    /// An access to system memory that is not mapped, or not for this.
    #[error(
        "{} of {size} bytes at {address:#x}, where the process has no memory that can be {}",
        if *write { "write" } else { "read" },
        if *write { "written" } else { "read" }
    )]
    Unmapped {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
        /// Whether it was to write.
        write: bool,
    },
    /// An access through a null pointer (or within the first page).
    #[error("access through a null pointer (address {address:#x})")]
    NullPointer {
        /// Address.
        address: u64,
    },
    /// An atomic operation on an address that is not a multiple of its size.
    #[error("atomic operation of {size} bytes at {address:#x}, which is not a multiple of {size}")]
    MisalignedAtomic {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
    },
    /// Integer division or remainder by zero.
    #[error("integer division by zero")]
    DivisionByZero,
    /// Control is in a loop that nothing leads out of.
    #[error("endless loop: nothing leads out of it")]
    EndlessLoop,
    /// The work-items of a group did nothing but wait for memory to change.
    #[error(
        "endless loop: its work-group did nothing for {limit:?} of processor time but read memory that does not change"
    )]
    WaitedTooLong {
        /// Processor time for which they may.
        limit: Duration,
    },
    /// A work-group took too long.
    #[error("its work-group took more than {limit:?} of processor time")]
    RanTooLong {
        /// Processor time that it may take.
        limit: Duration,
    },
    /// Control came to a place that the compiler took for unreachable.
    #[error("control reached unreachable code")]
    Unreachable,
    /// A function ended without the value that its caller uses.
    #[error("a function with a result ended without returning one")]
    MissingReturn,
    /// A read or a write of an element that an image does not have.
    #[error("access to an element outside of an image")]
    OutsideImage,
    /// The program asked for it.
    #[error("trap")]
    Explicit,
    /// Work-items of one group wait at different barriers.
    #[error(
        "divergent barrier: work-item {other_id:?} of the same group waits at another barrier, in {other}"
    )]
    DivergentBarrier {
        /// Where another work-item of the group waits.
        other: Place,
        /// The global id of that work-item.
        other_id: [u64; 3],
    },
    /// Work-items of a group do not name the same work-item in a broadcast.
    #[error(
        "divergent broadcast: it asks for the value of {from:?} and work-item {other_id:?} of the same group for that of {other_from:?}"
    )]
    DivergentBroadcast {
        /// The ids that it names.
        from: [u64; 3],
        /// What another one names.
        other_from: [u64; 3],
        /// The global id of that work-item.
        other_id: [u64; 3],
    },
    /// Work-items of a sub-group rotate their values by different numbers.
    #[error(
        "divergent rotation: it rotates by {delta} and work-item {other_id:?} of the same sub-group by {other_delta}"
    )]
    DivergentRotation {
        /// By how much it rotates.
        delta: i64,
        /// By how much another one does.
        other_delta: i64,
        /// The global id of that work-item.
        other_id: [u64; 3],
    },
    /// A broadcast of the value of a work-item that the group does not have.
    #[error("broadcast of the value of work-item {from:?} in a group of {sides:?}")]
    BroadcastFromNobody {
        /// The ids that it names.
        from: [u64; 3],
        /// Work-items in each dimension.
        sides: [u64; 3],
    },
    /// A work-item ended while others of its group wait at a barrier.
    #[error(
        "divergent barrier: work-item {ended:?} of the same group has ended and will not reach the barrier"
    )]
    BarrierNotReached {
        /// The global id of a work-item that has ended.
        ended: [u64; 3],
    },
}

impl TrapKind {
    /// Whether it is a write into what may only be read, and not beside it.
    pub fn is_write_where_only_reads_are(&self) -> bool {
        matches!(
            self,
            Self::BadWrite { address, size, missed: Some(missed) }
                if !missed.permission.allows(true) && missed.holds(*address, *size)
        )
    }
}

/// What a bad access should have met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Its name, for people.
    pub object: String,
    /// Its first address.
    pub first: u64,
    /// Its bytes.
    pub len: u64,
    /// What the kernel may do with it.
    pub permission: Permission,
}

impl Missed {
    /// Whether an access lies in it.
    fn holds(&self, address: u64, size: u64) -> bool {
        let offset = address.wrapping_sub(self.first);
        offset < self.len && size <= self.len - offset
    }
}

/// Says where an access lies relative to what it should have met.
fn bad_access(what: &str, address: u64, size: u64, missed: Option<&Missed>) -> String {
    let access = format!("{what} of {size} bytes at {address:#x}");
    let Some(Missed {
        object, first, len, ..
    }) = missed
    else {
        return format!("{access}, but the kernel may use no memory there");
    };
    let place = if address < *first {
        format!("{} bytes before", first - address)
    } else if address - first >= *len {
        match address - first - len {
            0 => "right after the end of".to_owned(),
            past => format!("{past} bytes after the end of"),
        }
    } else if size > (len - (address - first)) {
        "across the end of".to_owned()
    } else {
        "which may only be read: it is in".to_owned()
    };
    format!("{access}, {place} {object} ({len} bytes at {first:#x})")
}
