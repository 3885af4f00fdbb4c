//! Contexts: where a test's threads run, where its locations lie, and which scopes it states.

use crate::mutation::scope_word;
use crate::program::{Barrier, BarrierScope, FenceFlags, MemScope, Placement, Region, WorkItem};
use std::fmt;

classay_vocabulary::words! {
    /// How the threads are spread.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Spread {
        /// Each thread in a work-group of its own, on one device.
        Groups = "work-groups",
        /// All in one work-group.
        OneGroup = "one work-group",
        /// All in one sub-group.
        OneSubGroup = "one sub-group",
        /// Each in a sub-group of its own, all in one work-group.
        SubGroups = "sub-groups",
        /// The first two in one work-group, each of the others in one of its own.
        PairAndOthers = "two in one work-group",
        /// Each on a device of its own.
        Devices = "devices",
        /// The last on the host, each of the others in a work-group of its own.
        WithHost = "device and host",
    }
}

/// Which scopes the threads state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// All the same.
    Same(MemScope),
    /// The first thread one and the others another.
    FirstAndOthers(MemScope, MemScope),
}

classay_vocabulary::words! {
    /// Where the locations lie.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Layout {
        /// All in global memory.
        Global = "global",
        /// All in local memory.
        Local = "local",
        /// The first in local memory, the others in global memory.
        Split = "both",
    }
}

/// Which regions the fences and barriers name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flags {
    /// Those in which the locations lie.
    Fitting,
    /// Global and local memory, though the locations lie in global memory.
    Both,
    /// Global memory alone, though some location lies in local memory.
    OnlyGlobal,
    /// Local memory alone, though some location lies in global memory.
    OnlyLocal,
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
    /// What fences and barriers name.
    pub flags: Flags,
    /// It is one of the few that the core alphabet has.
    pub core: bool,
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
        flags: Flags::Fitting,
        core: false,
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Same(scope) => f.write_str(scope_word(*scope)),
            FirstAndOthers(first, others) => {
                write!(f, "{} and {}", scope_word(*first), scope_word(*others))
            }
        }
    }
}

impl Context {
    const fn naming(self, flags: Flags) -> Context {
        Context { flags, ..self }
    }

    const fn core(self) -> Context {
        Context { core: true, ..self }
    }
}

/// Every context. The first is the one that goes without saying; there every combination of orders
/// is tried, in the others the ones that matter most. Local memory is shared only within a
/// work-group.
pub const CONTEXTS: &[Context] = &[
    context("", Same(Device), Groups, Global).core(),
    context("+wg", Same(WorkGroup), OneGroup, Global).core(),
    context("+wg+local", Same(WorkGroup), OneGroup, Local).core(),
    context("+wg+split", Same(WorkGroup), OneGroup, Split).core(),
    context("+wg+apart", Same(WorkGroup), Groups, Global),
    context("+wg+pair", Same(WorkGroup), PairAndOthers, Global),
    context("+dv+near", Same(Device), OneGroup, Global),
    context("+dv+local", Same(Device), OneGroup, Local),
    context("+dv+split", Same(Device), OneGroup, Split),
    context("+dv+pair", Same(Device), PairAndOthers, Global).core(),
    context("+dv+devices", Same(Device), Devices, Global),
    context("+sg", Same(SubGroup), OneSubGroup, Global).core(),
    context("+sg+local", Same(SubGroup), OneSubGroup, Local),
    context("+sg+apart", Same(SubGroup), SubGroups, Global),
    context("+all", Same(AllSvmDevices), Groups, Global),
    context("+all+devices", Same(AllSvmDevices), Devices, Global).core(),
    context("+all+host", Same(AllSvmDevices), WithHost, Global).core(),
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
    context("+both", Same(Device), Groups, Global).naming(Flags::Both),
    context("+wg+both", Same(WorkGroup), OneGroup, Global).naming(Flags::Both),
    context("+wg+split+gflag", Same(WorkGroup), OneGroup, Split).naming(Flags::OnlyGlobal),
    context("+wg+split+lflag", Same(WorkGroup), OneGroup, Split).naming(Flags::OnlyLocal),
    context("+wg+sub", Same(WorkGroup), OneSubGroup, Global),
    context("+wg+subs", Same(WorkGroup), SubGroups, Global),
    context("+sg+split", Same(SubGroup), OneSubGroup, Split),
    context("+all+near", Same(AllSvmDevices), OneGroup, Global),
    context("+all+local", Same(AllSvmDevices), OneGroup, Local),
    context("+dv+host", Same(Device), WithHost, Global),
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
        let place = |device, work_group, sub_group| {
            Placement::Device(WorkItem {
                device,
                queue_family: 0,
                work_group,
                sub_group,
            })
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

    /// The locations' regions, and which of them fences and barriers name where it is not those.
    pub fn memory(&self) -> String {
        let layout = self.layout;
        match self.flags {
            Flags::Fitting => layout.to_string(),
            Flags::Both => format!("{layout} with both flags"),
            Flags::OnlyGlobal => format!("{layout} with global flag"),
            Flags::OnlyLocal => format!("{layout} with local flag"),
        }
    }

    /// The flags of a fence.
    pub fn flags(&self) -> FenceFlags {
        let (global, local) = match self.flags {
            Flags::Fitting => (self.layout != Local, self.layout != Global),
            Flags::Both => (true, true),
            Flags::OnlyGlobal => (true, false),
            Flags::OnlyLocal => (false, true),
        };
        FenceFlags {
            global,
            local,
            ..FenceFlags::NONE
        }
    }

    /// The barrier that thread `t` can meet others at, where there are any: that of the sub-group
    /// if all are in one, else that of the work-group. It states the scope where that is not its
    /// group's own.
    pub fn barrier(&self, t: usize) -> Option<Barrier> {
        let group = match self.spread {
            OneGroup | SubGroups => BarrierScope::WorkGroup,
            OneSubGroup => BarrierScope::SubGroup,
            PairAndOthers if t < 2 => BarrierScope::WorkGroup,
            Groups | PairAndOthers | Devices | WithHost => return None,
        };
        let own = group.own();
        let scope = match self.reach {
            Same(scope) if scope != own => Some(scope),
            // one barrier has one scope
            Same(_) | FirstAndOthers(..) => None,
        };
        // a barrier's scope is not narrower than its group
        if scope.is_some_and(|scope| scope < own) {
            return None;
        }
        Some(Barrier {
            scope,
            ..Barrier::of(group, self.flags())
        })
    }
}
