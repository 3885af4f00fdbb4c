//! Capabilities that a device has not, or has and denies: the layer answers queries with them.
//!
//! A row claims a capability; the same with `no-` before it, as `spoof=no-svm`, denies it. No rule is
//! broken by that alone: what the device then does in tests that need the capability is.

use crate::places::CAPABILITIES;

faults! {
    /// A capability that can be claimed or denied.
    SpoofedCapability, Carrier::Capability;

    Svm { "spoof=svm" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports shared virtual memory of some kind"; }
    SvmCoarseGrainBuffer { "spoof=svm-coarse-grain-buffer" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports coarse-grain buffers of shared virtual memory"; }
    SvmFineGrainBuffer { "spoof=svm-fine-grain-buffer" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports fine-grain buffers of shared virtual memory"; }
    SvmFineGrainSystem { "spoof=svm-fine-grain-system" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports fine-grain sharing of system memory"; }
    SvmAtomics { "spoof=svm-atomics" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports atomics on shared virtual memory"; }
    AtomicOrderRelaxed { "spoof=atomic-order-relaxed" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports order relaxed of atomic operations"; }
    AtomicOrderAcqRel { "spoof=atomic-order-acq-rel" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports order acquire and release of atomic operations"; }
    AtomicOrderSeqCst { "spoof=atomic-order-seq-cst" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports order sequentially consistent of atomic operations"; }
    AtomicScopeWorkItem { "spoof=atomic-scope-work-item" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope work-item of atomic operations"; }
    AtomicScopeWorkGroup { "spoof=atomic-scope-work-group" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope work-group of atomic operations"; }
    AtomicScopeDevice { "spoof=atomic-scope-device" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope device of atomic operations"; }
    AtomicScopeAllDevices { "spoof=atomic-scope-all-devices" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope all devices of atomic operations"; }
    FenceOrderRelaxed { "spoof=fence-order-relaxed" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports order relaxed of fences"; }
    FenceOrderAcqRel { "spoof=fence-order-acq-rel" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports order acquire and release of fences"; }
    FenceOrderSeqCst { "spoof=fence-order-seq-cst" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports order sequentially consistent of fences"; }
    FenceScopeWorkItem { "spoof=fence-scope-work-item" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope work-item of fences"; }
    FenceScopeWorkGroup { "spoof=fence-scope-work-group" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope work-group of fences"; }
    FenceScopeDevice { "spoof=fence-scope-device" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope device of fences"; }
    FenceScopeAllDevices { "spoof=fence-scope-all-devices" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports scope all devices of fences"; }
    OutOfOrderQueue { "spoof=out-of-order-queue" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports out-of-order host queues"; }
    DeviceEnqueue { "spoof=device-enqueue" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports device-side enqueue"; }
    GenericAddressSpace { "spoof=generic-address-space" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports the generic address space"; }
    NonUniformWorkGroups { "spoof=non-uniform-work-groups" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports non-uniform work-groups"; }
    WorkGroupCollectiveFunctions { "spoof=work-group-collective-functions" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports work-group collective functions"; }
    SubGroupForwardProgress { "spoof=sub-group-forward-progress" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports independent forward progress of sub-groups"; }
    Pipes { "spoof=pipes" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports pipes"; }
    Images { "spoof=images" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports images"; }
    Compiler { "spoof=compiler" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports a compiler"; }
    Available { "spoof=available" at [CAPABILITIES] breaks "":
        "the device reports what it has: it reports itself as available"; }
}
