//! Paths: the events of a run of a thread, and what its reads must satisfy.

use super::Mask;
use crate::oracle::value::Sym;
use crate::program::{Atomicity, BarrierScope, FenceFlags, LocId};

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes, indivisibly.
    Rmw,
    /// A fence.
    Fence,
    /// The entry fence of a barrier.
    Entry,
    /// The exit fence of a barrier.
    Exit,
    /// A barrier that is one operation, as in Vulkan.
    Barrier,
    /// An availability operation.
    Available,
    /// A visibility operation.
    Visible,
    /// An availability operation to the host domain.
    Flush,
    /// A visibility operation from the host domain.
    Invalidate,
    /// A memory domain operation from the host domain to that of the device.
    HostToDevice,
    /// One from the device domain to that of the host.
    DeviceToHost,
    /// The end of an allocation.
    Free,
}

impl EventKind {
    /// Whether it reads memory.
    pub fn reads(self) -> bool {
        match self {
            EventKind::Read | EventKind::Rmw => true,
            EventKind::Write
            | EventKind::Fence
            | EventKind::Entry
            | EventKind::Exit
            | EventKind::Barrier
            | EventKind::Available
            | EventKind::Visible
            | EventKind::Flush
            | EventKind::Invalidate
            | EventKind::HostToDevice
            | EventKind::DeviceToHost
            | EventKind::Free => false,
        }
    }

    /// Whether it writes memory.
    pub fn writes(self) -> bool {
        match self {
            EventKind::Write | EventKind::Rmw => true,
            EventKind::Read
            | EventKind::Fence
            | EventKind::Entry
            | EventKind::Exit
            | EventKind::Barrier
            | EventKind::Available
            | EventKind::Visible
            | EventKind::Flush
            | EventKind::Invalidate
            | EventKind::HostToDevice
            | EventKind::DeviceToHost
            | EventKind::Free => false,
        }
    }
}

/// Which barrier a fence belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarrierId {
    /// Who meets.
    pub group: BarrierScope,
    /// Its label, where it has one.
    pub label: Option<String>,
    /// How often the thread met this barrier before.
    pub instance: u32,
    /// How many meet at it, in Vulkan; nothing is said of OpenCL's.
    pub wanted: u32,
    /// The test says how many, so that who comes after so many have met passes alone.
    pub open_later: bool,
}

/// An event of a path.
#[derive(Debug, Clone)]
pub struct PathEvent {
    /// What it does.
    pub kind: EventKind,
    /// The element it touches; the first one of what is flushed, invalidated or freed; nothing for fences.
    pub place: Option<(LocId, u32)>,
    /// The location through whose reference it touches it: where that is an alias, not the one touched.
    pub reference: Option<LocId>,
    /// How it reaches memory; fences are atomic.
    pub atomicity: Atomicity,
    /// The regions that a fence or an atomic of Vulkan orders, or that an availability or visibility
    /// operation on more than one location covers.
    pub flags: FenceFlags,
    /// The barrier a fence belongs to.
    pub barrier: Option<BarrierId>,
    /// What it writes.
    pub written: Option<Sym>,
    /// How many calls of the OpenCL API its thread has made before it.
    pub calls: u32,
    /// Events sequenced before it.
    pub before: Mask,
    /// Reads that its address depends on.
    pub addr: Mask,
    /// Reads that the value it writes depends on.
    pub data: Mask,
    /// Reads that decided that it is executed.
    pub ctrl: Mask,
}

/// What the reads of a path must satisfy.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// A condition on them.
    pub condition: Sym,
    /// Whether it must be non-zero, or zero.
    pub holds: bool,
}

/// A path of a thread.
#[derive(Debug, Clone)]
pub struct Path {
    /// Its events, in the order of execution.
    pub events: Vec<PathEvent>,
    /// When it is taken.
    pub constraints: Vec<Constraint>,
    /// Final values of the thread's registers.
    pub registers: Vec<Sym>,
    /// The barriers of Vulkan that it comes to, in order.
    pub arrivals: Vec<BarrierId>,
    /// It waits at the last of them for ever.
    pub blocked: bool,
}

/// Why a run is followed no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// A loop is repeated more often than the bound.
    Bound,
    /// An index lies outside its array, which is undefined behaviour.
    Outside,
}

/// The paths of a thread.
#[derive(Debug, Default)]
pub struct Paths {
    /// Those that end.
    pub paths: Vec<Path>,
    /// Those that are cut short, up to where they are.
    pub cut: Vec<(Cut, Path)>,
}

impl Paths {
    /// Those that are cut short in a way.
    pub fn cut_by(&self, way: Cut) -> impl Iterator<Item = &Path> {
        (self.cut.iter()).filter_map(move |(cut, path)| (*cut == way).then_some(path))
    }

    /// Those that end and those that are cut short.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.paths
            .iter()
            .chain(self.cut.iter().map(|(_, path)| path))
    }
}
