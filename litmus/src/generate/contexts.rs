//! The contexts of each API: which spreads, reaches and layouts are tried.

use super::context::Layout::{Global, Image, Local, Split};
use super::context::Reach::{FirstAndOthers, OthersAndLast, Same};
use super::context::Spread::{
    Devices, Families, Groups, OneGroup, OneSubGroup, OthersAndPair, PairAndOthers, SubGroups,
    WithHost,
};
use super::context::{Context, Flags, context};
use crate::program::Api;
use crate::program::MemScope::{AllSvmDevices, Device, QueueFamily, SubGroup, WorkGroup, WorkItem};
use crate::program::ScalarType::{Long, UInt, ULong};

/// Every context of an API. The first is the one that goes without saying; there every combination of
/// orders is tried, in the others the ones that matter most. Local memory is shared only within a
/// work-group.
pub fn contexts(api: Api) -> &'static [Context] {
    match api {
        Api::OpenCl => OPENCL,
        Api::Vulkan => VULKAN,
    }
}

/// The contexts of OpenCL.
const OPENCL: &[Context] = &[
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
    context("+uint", Same(Device), Groups, Global)
        .of(UInt)
        .core(),
    context("+long", Same(Device), Groups, Global)
        .of(Long)
        .core(),
    context("+ulong", Same(Device), Groups, Global).of(ULong),
    context("+wg+uint", Same(WorkGroup), OneGroup, Global).of(UInt),
    context("+wg+long", Same(WorkGroup), OneGroup, Global).of(Long),
    context("+wg+local+uint", Same(WorkGroup), OneGroup, Local).of(UInt),
    context("+wg+local+long", Same(WorkGroup), OneGroup, Local)
        .of(Long)
        .core(),
    context("+wg+local+ulong", Same(WorkGroup), OneGroup, Local).of(ULong),
    context("+wg+split+long", Same(WorkGroup), OneGroup, Split).of(Long),
    context("+dv+local+uint", Same(Device), OneGroup, Local).of(UInt),
    context("+dv+local+long", Same(Device), OneGroup, Local).of(Long),
    context("+sg+uint", Same(SubGroup), OneSubGroup, Global).of(UInt),
    context("+sg+long", Same(SubGroup), OneSubGroup, Global).of(Long),
    context("+sg+local+long", Same(SubGroup), OneSubGroup, Local).of(Long),
    context("+all+uint", Same(AllSvmDevices), Groups, Global).of(UInt),
    context("+all+long", Same(AllSvmDevices), Groups, Global).of(Long),
    context("+all+host+long", Same(AllSvmDevices), WithHost, Global).of(Long),
];

/// The contexts of Vulkan, where every thread is in a sub-group. In chains what one agent makes available, or
/// sees, at a narrow scope another in its work-group passes on to the device, or from it.
const VULKAN: &[Context] = &[
    context("", Same(Device), Groups, Global).core(),
    context("+wg", Same(WorkGroup), SubGroups, Global).core(),
    context("+wg+local", Same(WorkGroup), SubGroups, Local).core(),
    context("+wg+split", Same(WorkGroup), SubGroups, Split).core(),
    context("+dv+pair", Same(Device), PairAndOthers, Global).core(),
    context("+sg", Same(SubGroup), OneSubGroup, Global).core(),
    context("+qf", Same(QueueFamily), Groups, Global).core(),
    context("+dv+families", Same(Device), Families, Global).core(),
    context(
        "+wg-dv+chain",
        FirstAndOthers(WorkGroup, Device),
        PairAndOthers,
        Global,
    )
    .core(),
    context(
        "+dv-wg+chain",
        OthersAndLast(Device, WorkGroup),
        OthersAndPair,
        Global,
    )
    .core(),
    context("+wg+apart", Same(WorkGroup), Groups, Global),
    context("+wg+pair", Same(WorkGroup), PairAndOthers, Global),
    context("+dv+near", Same(Device), SubGroups, Global),
    context("+dv+local", Same(Device), SubGroups, Local),
    context("+dv+split", Same(Device), SubGroups, Split),
    context("+dv+devices", Same(Device), Devices, Global),
    context("+sg+local", Same(SubGroup), OneSubGroup, Local),
    context("+sg+split", Same(SubGroup), OneSubGroup, Split),
    context("+sg+apart", Same(SubGroup), SubGroups, Global),
    context("+qf+near", Same(QueueFamily), SubGroups, Global),
    context("+qf+apart", Same(QueueFamily), Families, Global),
    context("+inv", Same(WorkItem), OneSubGroup, Global),
    context("+cd", Same(AllSvmDevices), Groups, Global),
    context("+cd+devices", Same(AllSvmDevices), Devices, Global),
    context(
        "+dv-wg",
        FirstAndOthers(Device, WorkGroup),
        SubGroups,
        Global,
    ),
    context(
        "+wg-dv",
        FirstAndOthers(WorkGroup, Device),
        SubGroups,
        Global,
    ),
    context(
        "+wg-sg",
        FirstAndOthers(WorkGroup, SubGroup),
        OneSubGroup,
        Global,
    ),
    context(
        "+dv-qf",
        FirstAndOthers(Device, QueueFamily),
        Groups,
        Global,
    ),
    context("+both", Same(Device), Groups, Global).naming(Flags::Both),
    context("+all", Same(Device), Groups, Global).naming(Flags::All),
    context("+other", Same(Device), Groups, Global).naming(Flags::OnlyLocal),
    context("+wg+split+gflag", Same(WorkGroup), SubGroups, Split).naming(Flags::OnlyGlobal),
    context("+wg+split+lflag", Same(WorkGroup), SubGroups, Split).naming(Flags::OnlyLocal),
    context("+image", Same(Device), Groups, Image),
];
