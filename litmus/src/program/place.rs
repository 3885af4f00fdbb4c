//! Where things are: locations in regions, threads on devices.

use super::{Instr, ScalarType};

/// The memory region a location lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// Global memory.
    Global,
    /// Local memory of one work-group.
    Local,
}

/// A shared location: a scalar, or an array of scalars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Its name in the test.
    pub name: String,
    /// Global or local.
    pub region: Region,
    /// At least one thread reaches it through a pointer without an address-space qualifier.
    pub generic: bool,
    /// Element type.
    pub ty: ScalarType,
    /// At least one thread declares it with an atomic type.
    pub atomic: bool,
    /// Declared as an array (also one of length 1).
    pub array: bool,
    /// Initial value of each element; one element for a scalar, never empty.
    pub init: Vec<i64>,
}

impl Location {
    /// Number of elements; 1 for a scalar.
    pub fn len(&self) -> u32 {
        self.init.len() as u32
    }

    /// Never true: a location has at least one element.
    pub fn is_empty(&self) -> bool {
        self.init.is_empty()
    }
}

/// Where a thread runs. Two threads with equal work-group (and sub-group) numbers on one device
/// share that group; each thread is a work-item of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Placement {
    /// A work-item.
    Device {
        /// Number of the device, from 0, in order of the context's devices.
        device: u32,
        /// Number of the work-group within its device.
        work_group: u32,
        /// Number of the sub-group within its work-group, where the test cares.
        sub_group: Option<u32>,
    },
    /// A host thread.
    Host,
}

/// A register of a thread: a private variable that starts at zero unless initialised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Its name in the test.
    pub name: String,
    /// Its type.
    pub ty: ScalarType,
    /// Value before the thread starts; zero unless the init list says otherwise (`0:r1=5`).
    pub init: i64,
}

/// One thread of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Where it runs.
    pub placement: Placement,
    /// Its registers, in order of first appearance.
    pub registers: Vec<Register>,
    /// What it does.
    pub body: Vec<Instr>,
}
