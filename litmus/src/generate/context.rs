//! Contexts: where a test's threads run, where its locations lie, and which scopes it states.

use crate::mutation::scope_word;
use crate::program::{
    Api, Barrier, BarrierScope, FenceFlags, MemScope, Placement, Region, ScalarType, WorkItem,
};
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
        /// The last two in one work-group, each of the others in one of its own.
        OthersAndPair = "the last two in one work-group",
        /// Each in a queue family of its own, on one device.
        Families = "queue families",
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
    /// The last thread the second and the others the first.
    OthersAndLast(MemScope, MemScope),
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
        /// All in images.
        Image = "image",
    }
}

/// Which regions the fences and barriers name; in Vulkan the storage classes of all semantics.
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
    /// Every one there is.
    All,
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
    /// The type of the locations.
    pub ty: ScalarType,
    /// It is one of the few that the core alphabet has.
    pub core: bool,
}

use Layout::{Global, Image, Local, Split};
use Reach::{FirstAndOthers, OthersAndLast, Same};
use Spread::{
    Devices, Families, Groups, OneGroup, OneSubGroup, OthersAndPair, PairAndOthers, SubGroups,
    WithHost,
};

pub(super) const fn context(
    suffix: &'static str,
    reach: Reach,
    spread: Spread,
    layout: Layout,
) -> Context {
    Context {
        suffix,
        reach,
        spread,
        layout,
        flags: Flags::Fitting,
        ty: ScalarType::Int,
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
            OthersAndLast(others, last) => {
                write!(f, "{}, {} at last", scope_word(*others), scope_word(*last))
            }
        }
    }
}

impl Context {
    pub(super) const fn naming(self, flags: Flags) -> Context {
        Context { flags, ..self }
    }

    pub(super) const fn of(self, ty: ScalarType) -> Context {
        Context { ty, ..self }
    }

    pub(super) const fn core(self) -> Context {
        Context { core: true, ..self }
    }
}

impl Context {
    /// Whether it says something about so many threads and locations that another does not.
    pub fn suits(&self, threads: usize, locations: usize) -> bool {
        let pairs = matches!(self.spread, PairAndOthers | OthersAndPair);
        (!pairs || threads > 2) && (self.layout != Split || locations > 1)
    }

    /// Whether it puts threads into sub-groups, which only scopes and barriers can ask for. In Vulkan every
    /// thread is in one; those of one sub-group can be in different ones as well.
    pub fn names_sub_groups(&self, api: Api) -> bool {
        match self.spread {
            OneSubGroup => true,
            SubGroups => api == Api::OpenCl,
            Groups | OneGroup | PairAndOthers | OthersAndPair | Families | Devices | WithHost => {
                false
            }
        }
    }

    /// Where thread `t` of `threads` runs.
    pub fn placement(&self, t: usize, threads: usize, api: Api) -> Placement {
        let number = t as u32;
        let first = WorkItem {
            device: 0,
            queue_family: 0,
            work_group: 0,
            sub_group: None,
        };
        let group = |work_group| WorkItem {
            work_group,
            ..first
        };
        let sub_group = |sub_group| WorkItem {
            sub_group: Some(sub_group),
            ..first
        };
        let mut item = match self.spread {
            Groups => group(number),
            OneGroup => first,
            OneSubGroup => sub_group(0),
            SubGroups => sub_group(number),
            PairAndOthers => group(number.saturating_sub(1)),
            OthersAndPair => group(number.min(threads as u32 - 2)),
            Families => WorkItem {
                queue_family: number,
                ..first
            },
            Devices => WorkItem {
                device: number,
                ..first
            },
            WithHost if t + 1 == threads => return Placement::Host,
            WithHost => group(number),
        };
        if api == Api::Vulkan && item.sub_group.is_none() {
            // The second of a pair is in another sub-group than the first.
            let second = match self.spread {
                PairAndOthers => t == 1,
                OthersAndPair => t + 1 == threads,
                Groups | OneGroup | OneSubGroup | SubGroups | Families | Devices | WithHost => {
                    false
                }
            };
            item.sub_group = Some(u32::from(second));
        }
        Placement::Device(item)
    }

    /// The scope that thread `t` states.
    pub fn scope(&self, t: usize, threads: usize) -> MemScope {
        match self.reach {
            Same(scope) => scope,
            FirstAndOthers(first, _) if t == 0 => first,
            FirstAndOthers(_, others) => others,
            OthersAndLast(_, last) if t + 1 == threads => last,
            OthersAndLast(others, _) => others,
        }
    }

    /// Where location `l` lies.
    pub fn region(&self, l: usize) -> Region {
        match self.layout {
            Global => Region::Global,
            Local => Region::Local,
            Split if l == 0 => Region::Local,
            Split => Region::Global,
            Image => Region::Image,
        }
    }

    /// The locations' regions and type, and which regions fences and barriers name where it is not those.
    pub fn memory(&self) -> String {
        let layout = match self.ty {
            ScalarType::Int => self.layout.to_string(),
            ty => format!("{} of {}", self.layout, ty.name()),
        };
        match self.flags {
            Flags::Fitting => layout.to_string(),
            Flags::Both => format!("{layout} with both flags"),
            Flags::OnlyGlobal => format!("{layout} with global flag"),
            Flags::OnlyLocal => format!("{layout} with local flag"),
            Flags::All => format!("{layout} with all flags"),
        }
    }

    /// The flags of a fence.
    pub fn flags(&self) -> FenceFlags {
        let regions: &[Region] = match (self.flags, self.layout) {
            (Flags::Fitting, Global) | (Flags::OnlyGlobal, _) => &[Region::Global],
            (Flags::Fitting, Local) | (Flags::OnlyLocal, _) => &[Region::Local],
            (Flags::Fitting, Split) | (Flags::Both, _) => &[Region::Global, Region::Local],
            (Flags::Fitting, Image) => &[Region::Image],
            (Flags::All, _) => &Region::ALL,
        };
        let mut flags = FenceFlags::NONE;
        for (word, flag) in flags.named() {
            *flag = regions.iter().any(|region| region.name() == word);
        }
        flags
    }

    /// The barrier that thread `t` can meet others at, where there are any: that of the sub-group
    /// if all are in one, else that of the work-group. It states the scope where that is not its
    /// group's own.
    pub fn barrier(&self, t: usize) -> Option<Barrier> {
        let group = match self.spread {
            OneGroup | SubGroups => BarrierScope::WorkGroup,
            OneSubGroup => BarrierScope::SubGroup,
            PairAndOthers if t < 2 => BarrierScope::WorkGroup,
            Groups | PairAndOthers | OthersAndPair | Families | Devices | WithHost => return None,
        };
        let own = group.own();
        let scope = match self.reach {
            Same(scope) if scope != own => Some(scope),
            // one barrier has one scope
            Same(_) | FirstAndOthers(..) | OthersAndLast(..) => None,
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
