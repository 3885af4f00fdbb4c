//! Contexts: where a test's threads run, where its locations lie, and which scopes it states.

use crate::program::{BarrierScope, FenceFlags, MemScope, Placement, Region};

/// How the threads are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spread {
    /// Each thread in a work-group of its own, on one device.
    Groups,
    /// All in one work-group.
    OneGroup,
    /// All in one sub-group.
    OneSubGroup,
    /// Each in a sub-group of its own, all in one work-group.
    SubGroups,
    /// The first two in one work-group, each of the others in one of its own.
    PairAndOthers,
    /// Each on a device of its own.
    Devices,
    /// The last on the host, each of the others in a work-group of its own.
    WithHost,
}

/// Which scopes the threads state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// All the same.
    Same(MemScope),
    /// The first thread one and the others another.
    FirstAndOthers(MemScope, MemScope),
}

/// Where the locations lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// All in global memory.
    Global,
    /// All in local memory.
    Local,
    /// The first in local memory, the others in global memory.
    Split,
}

/// A spread, a reach and a layout that make sense together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context {
    /// What a test's name ends with.
    pub suffix: &'static str,
    /// The scopes.
    pub reach: Reach,
    /// The threads.
    pub spread: Spread,
    /// The locations.
    pub layout: Layout,
}

use Layout::{Global, Local, Split};
use MemScope::{AllSvmDevices, Device, SubGroup, WorkGroup};
use Reach::{FirstAndOthers, Same};
use Spread::{Devices, Groups, OneGroup, OneSubGroup, PairAndOthers, SubGroups, WithHost};

const fn context(suffix: &'static str, reach: Reach, spread: Spread, layout: Layout) -> Context {
    Context {
        suffix,
        reach,
        spread,
        layout,
    }
}

/// Every context. The first is the one that goes without saying; there every combination of orders
/// is tried, in the others the ones that matter most. Local memory is shared only within a
/// work-group, and sub-groups are named only where a scope asks for them.
pub const CONTEXTS: &[Context] = &[
    context("", Same(Device), Groups, Global),
    context("+wg", Same(WorkGroup), OneGroup, Global),
    context("+wg+local", Same(WorkGroup), OneGroup, Local),
    context("+wg+split", Same(WorkGroup), OneGroup, Split),
    context("+wg+apart", Same(WorkGroup), Groups, Global),
    context("+wg+pair", Same(WorkGroup), PairAndOthers, Global),
    context("+dv+near", Same(Device), OneGroup, Global),
    context("+dv+local", Same(Device), OneGroup, Local),
    context("+dv+split", Same(Device), OneGroup, Split),
    context("+dv+pair", Same(Device), PairAndOthers, Global),
    context("+dv+devices", Same(Device), Devices, Global),
    context("+sg", Same(SubGroup), OneSubGroup, Global),
    context("+sg+local", Same(SubGroup), OneSubGroup, Local),
    context("+sg+apart", Same(SubGroup), SubGroups, Global),
    context("+all", Same(AllSvmDevices), Groups, Global),
    context("+all+devices", Same(AllSvmDevices), Devices, Global),
    context("+all+host", Same(AllSvmDevices), WithHost, Global),
    context(
        "+dv-wg",
        FirstAndOthers(Device, WorkGroup),
        OneGroup,
        Global,
    ),
    context(
        "+wg-sg",
        FirstAndOthers(WorkGroup, SubGroup),
        OneSubGroup,
        Global,
    ),
    context(
        "+all-dv",
        FirstAndOthers(AllSvmDevices, Device),
        Groups,
        Global,
    ),
];

impl Context {
    /// Whether it says something about so many threads and locations that another does not.
    pub fn suits(&self, threads: usize, locations: usize) -> bool {
        (self.spread != PairAndOthers || threads > 2) && (self.layout != Split || locations > 1)
    }

    /// Whether it puts threads into sub-groups, which only scopes and barriers can ask for.
    pub fn names_sub_groups(&self) -> bool {
        match self.spread {
            OneSubGroup | SubGroups => true,
            Groups | OneGroup | PairAndOthers | Devices | WithHost => false,
        }
    }

    /// Where thread `t` of `threads` runs.
    pub fn placement(&self, t: usize, threads: usize) -> Placement {
        let place = |device, work_group, sub_group| Placement::Device {
            device,
            work_group,
            sub_group,
        };
        let number = t as u32;
        match self.spread {
            Groups => place(0, number, None),
            OneGroup => place(0, 0, None),
            OneSubGroup => place(0, 0, Some(0)),
            SubGroups => place(0, 0, Some(number)),
            PairAndOthers => place(0, number.saturating_sub(1), None),
            Devices => place(number, 0, None),
            WithHost if t + 1 == threads => Placement::Host,
            WithHost => place(0, number, None),
        }
    }

    /// The scope that thread `t` states.
    pub fn scope(&self, t: usize) -> MemScope {
        match self.reach {
            Same(scope) => scope,
            FirstAndOthers(first, _) if t == 0 => first,
            FirstAndOthers(_, others) => others,
        }
    }

    /// Where location `l` lies.
    pub fn region(&self, l: usize) -> Region {
        match self.layout {
            Global => Region::Global,
            Local => Region::Local,
            Split if l == 0 => Region::Local,
            Split => Region::Global,
        }
    }

    /// The flags of a fence that orders all the locations.
    pub fn flags(&self) -> FenceFlags {
        FenceFlags {
            global: self.layout != Local,
            local: self.layout != Global,
            image: false,
        }
    }

    /// Who can meet at a barrier, where all threads can.
    pub fn barrier(&self) -> Option<BarrierScope> {
        match self.spread {
            OneGroup => Some(BarrierScope::WorkGroup),
            OneSubGroup => Some(BarrierScope::SubGroup),
            Groups | SubGroups | PairAndOthers | Devices | WithHost => None,
        }
    }
}
