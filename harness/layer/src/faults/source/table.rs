//! The faults of kernel sources, one row each.

use super::Weakening::{self, *};
use crate::faults::act::Deed;
use crate::faults::named::{Named, Shows};

const fn row(
    id: &'static str,
    weakening: Weakening,
    shows: Shows,
    rules: &'static [&'static str],
    breaks: &'static str,
) -> Named {
    Named {
        id,
        deed: Deed::Weaken(weakening),
        sites: &[],
        rules,
        breaks,
        shows,
        needs: &[],
    }
}

/// A fault of programs that need one of these.
const fn needing(needs: &'static [&'static str], row: Named) -> Named {
    Named { needs, ..row }
}

const DEVICE_ENQUEUE: &[&str] = &["device-side enqueue"];
const PIPES: &[&str] = &["pipes"];
const IMAGES: &[&str] = &["images in kernels"];
const GROUP_FUNCTIONS: &[&str] = &["work-group collective functions", "sub-groups"];
const SUB_GROUPS: &[&str] = &["sub-groups"];
const IL: &[&str] = &["an intermediate language"];
const GENERIC: &[&str] = &["the generic address space"];
const NON_UNIFORM: &[&str] = &["non-uniform work-groups"];
const PROGRAM_SCOPE: &[&str] = &["program-scope variables"];

/// Every fault of kernel sources.
pub(crate) const TABLE: &[Named] = &[
    // Orders of atomic operations.
    row(
        "relax-orders",
        RelaxOrders,
        Shows::StoreBuffer,
        &["mm.sw.atomic", "mm.sc.total", "mm.sc.drf", "mm.init"],
        "atomic operations have the order they name, or seq_cst: all are relaxed (fences keep theirs)",
    ),
    row(
        "acquire-to-relaxed",
        AcquireToRelaxed,
        Shows::WeakProcessor,
        &["mm.sw.atomic"],
        "acquire and the acquire half of acq_rel order later accesses: they do not",
    ),
    row(
        "release-to-relaxed",
        ReleaseToRelaxed,
        Shows::WeakProcessor,
        &["mm.sw.atomic", "mm.release-sequence"],
        "release and the release half of acq_rel order earlier accesses: they do not",
    ),
    row(
        "acq-rel-to-relaxed",
        AcqRelToRelaxed,
        Shows::WeakProcessor,
        &["mm.sw.atomic"],
        "acq_rel orders: it is relaxed",
    ),
    row(
        "seq-cst-to-acq-rel",
        SeqCstToAcqRel,
        Shows::StoreBuffer,
        &["mm.sc.total", "mm.sc.conditions", "mm.sc.drf"],
        "seq_cst operations, named or by default, have one total order: they acquire and release",
    ),
    row(
        "seq-cst-to-relaxed",
        SeqCstToRelaxed,
        Shows::StoreBuffer,
        &["mm.sc.total", "mm.sc.drf", "mm.sw.atomic"],
        "seq_cst that is named orders: it is relaxed",
    ),
    row(
        "default-order-relaxed",
        DefaultOrderRelaxed,
        Shows::StoreBuffer,
        &["mm.init", "mm.sc.drf"],
        "an operation that names no order is seq_cst: it is relaxed",
    ),
    row(
        "cas-failure-relaxed",
        CasFailureRelaxed,
        Shows::WeakProcessor,
        &["mm.rmw.last", "mm.sw.atomic"],
        "a compare-exchange that fails has its failure order: it is relaxed",
    ),
    // Fences.
    row(
        "drop-fences",
        DropFences,
        Shows::StoreBuffer,
        &[
            "mm.sw.fence-fence",
            "mm.sw.fence-atomic",
            "mm.sw.atomic-fence",
            "mm.sc.fences",
        ],
        "fences order memory: they are removed",
    ),
    row(
        "drop-work-item-fences",
        DropWorkItemFences,
        Shows::StoreBuffer,
        &["mm.sw.fence-fence", "mm.sc.fences"],
        "atomic_work_item_fence orders memory: it is removed",
    ),
    row(
        "drop-mem-fences",
        DropMemFences,
        Shows::WeakProcessor,
        &["mm.sw.fence-fence"],
        "mem_fence orders memory: it is removed",
    ),
    row(
        "drop-read-mem-fences",
        DropReadFences,
        Shows::WeakProcessor,
        &["mm.sw.fence-fence", "mm.sw.atomic-fence"],
        "read_mem_fence orders loads: it is removed",
    ),
    row(
        "drop-write-mem-fences",
        DropWriteFences,
        Shows::WeakProcessor,
        &["mm.sw.fence-fence", "mm.sw.fence-atomic"],
        "write_mem_fence orders stores: it is removed",
    ),
    row(
        "fences-relaxed",
        FencesRelaxed,
        Shows::StoreBuffer,
        &[
            "mm.sw.fence-fence",
            "mm.sw.fence-atomic",
            "mm.sw.atomic-fence",
            "mm.sc.fences",
        ],
        "atomic_work_item_fence has the order it names: it is relaxed, without effect",
    ),
    row(
        "fence-acquire-dropped",
        FenceAcquire,
        Shows::WeakProcessor,
        &["mm.sw.atomic-fence", "mm.sw.fence-fence"],
        "an acquire fence, or half of one, orders: it does not",
    ),
    row(
        "fence-release-dropped",
        FenceRelease,
        Shows::WeakProcessor,
        &["mm.sw.fence-atomic", "mm.sw.fence-fence"],
        "a release fence, or half of one, orders: it does not",
    ),
    row(
        "fence-seq-cst-to-acq-rel",
        FenceSeqCst,
        Shows::StoreBuffer,
        &["mm.sc.fences"],
        "seq_cst fences take part in the total order: they are acq_rel",
    ),
    needing(
        IMAGES,
        row(
            "drop-image-fences",
            DropImageFences,
            Shows::WeakProcessor,
            &["mm.image-fence", "rg.image"],
            "CLK_IMAGE_MEM_FENCE orders accesses of images: it is no flag",
        ),
    ),
    // Scopes.
    row(
        "narrow-scopes",
        NarrowScopes,
        Shows::ScopedCaches,
        &["mm.scope.each", "mm.scope.inclusive", "sv.fine.atomics"],
        "device and all-devices scope, named or by default, reach beyond a work-group: they are \
         work-group scope",
    ),
    row(
        "scope-svm-to-device",
        ScopeSvmToDevice,
        Shows::DeviceCaches,
        &["mm.scope.each", "sv.fine.atomics", "mm.host"],
        "all_svm_devices scope reaches the host and other devices: it is device scope",
    ),
    row(
        "scope-device-to-work-group",
        ScopeDeviceToWorkGroup,
        Shows::ScopedCaches,
        &["mm.scope.each", "mm.scope.inclusive"],
        "device scope that is named reaches beyond a work-group: it is work-group scope",
    ),
    needing(
        SUB_GROUPS,
        row(
            "scope-work-group-to-sub-group",
            ScopeWorkGroupToSubGroup,
            Shows::ScopedCaches,
            &["mm.scope.each"],
            "work-group scope reaches beyond a sub-group: it is sub-group scope (in a source \
             that knows sub-groups)",
        ),
    ),
    row(
        "scope-work-group-to-work-item",
        ScopeWorkGroupToWorkItem,
        Shows::WeakProcessor,
        &["mm.scope.each"],
        "a fence of work-group scope reaches beyond its work-item: it does not, and is removed",
    ),
    row(
        "default-scope-work-group",
        DefaultScope,
        Shows::ScopedCaches,
        &["mm.init", "mm.scope.each"],
        "an operation that names no scope has device scope: it has work-group scope",
    ),
    // Flags.
    row(
        "swap-flags",
        SwapFlags,
        Shows::WeakProcessor,
        &["mm.barrier.flags", "mm.barrier.wg", "mm.sw.fence-fence"],
        "fence flags name the region they order: local and global are exchanged",
    ),
    row(
        "flag-global-to-local",
        FlagGlobalToLocal,
        Shows::WeakProcessor,
        &["mm.barrier.flags", "mm.hb.both-flags"],
        "CLK_GLOBAL_MEM_FENCE orders global memory: it is CLK_LOCAL_MEM_FENCE",
    ),
    row(
        "flag-local-to-global",
        FlagLocalToGlobal,
        Shows::WeakProcessor,
        &["mm.barrier.flags", "mm.hb.both-flags"],
        "CLK_LOCAL_MEM_FENCE orders local memory: it is CLK_GLOBAL_MEM_FENCE",
    ),
    row(
        "barrier-without-flags",
        BarrierFlags,
        Shows::WeakProcessor,
        &["mm.barrier.wg"],
        "a barrier orders the memory of its flags: it has none",
    ),
    // Barriers.
    row(
        "drop-barriers",
        DropBarriers,
        Shows::Group,
        &["ex.wg.barrier", "ex.sg.barrier", "mm.barrier.wg"],
        "barriers gather the work-items and order memory: they are removed",
    ),
    row(
        "drop-work-group-barriers",
        DropGroupBarriers,
        Shows::Group,
        &["ex.wg.barrier", "mm.barrier.wg"],
        "barriers of work-groups gather the work-items and order memory: they are removed",
    ),
    needing(
        SUB_GROUPS,
        row(
            "drop-sub-group-barriers",
            DropSubGroupBarriers,
            Shows::Group,
            &["ex.sg.barrier", "mm.barrier.sg"],
            "barriers of sub-groups gather the work-items and order memory: they are removed",
        ),
    ),
    row(
        "barrier-to-fence",
        BarrierToFence,
        Shows::Group,
        &["ex.wg.barrier"],
        "a barrier of a work-group gathers the work-items: it is only a mem_fence of its flags",
    ),
    // Atomicity.
    row(
        "split-read-modify-write",
        SplitRmw,
        Shows::Anywhere,
        &[
            "mm.atomicity",
            "mm.rmw.last",
            "sp.parent-child-atomics",
            "sp.cross-kernel-atomics-svm",
        ],
        "atomic add, subtract, increment, decrement and exclusive or are indivisible: they load and \
         then store",
    ),
    row(
        "blind-compare-exchange",
        BlindExchange,
        Shows::Anywhere,
        &["mm.rmw.last", "mm.atomicity"],
        "a compare-exchange compares: it exchanges and reports success",
    ),
    // Functions of groups.
    needing(
        GROUP_FUNCTIONS,
        row(
            "scan-swapped",
            ScanSwapped,
            Shows::Anywhere,
            &["ex.wg.functions", "ex.sg.functions"],
            "inclusive and exclusive scans differ: they are exchanged",
        ),
    ),
    needing(
        GROUP_FUNCTIONS,
        row(
            "reduce-add-to-max",
            ReduceAdd,
            Shows::Anywhere,
            &["ex.wg.functions", "ex.sg.functions"],
            "a reduction by addition adds: it takes the maximum",
        ),
    ),
    needing(
        GROUP_FUNCTIONS,
        row(
            "reduce-min-to-max",
            ReduceMin,
            Shows::Anywhere,
            &["ex.wg.functions", "ex.sg.functions"],
            "a reduction by minimum takes the minimum: it takes the maximum",
        ),
    ),
    needing(
        GROUP_FUNCTIONS,
        row(
            "broadcast-first",
            BroadcastFirst,
            Shows::Anywhere,
            &["ex.wg.functions", "ex.sg.functions"],
            "a broadcast takes the value of the work-item that it names: that of the first",
        ),
    ),
    needing(
        GROUP_FUNCTIONS,
        row(
            "all-any-swapped",
            AllAny,
            Shows::Anywhere,
            &["ex.wg.functions", "ex.sg.functions"],
            "all and any differ: they are exchanged",
        ),
    ),
    // Identifiers of work-items.
    row(
        "global-id-without-offset",
        IdWithoutOffset,
        Shows::Anywhere,
        &["ex.nd.offset", "ex.nd.global-id"],
        "get_global_id counts from the global offset: from zero",
    ),
    row(
        "global-id-repeats",
        IdRepeats,
        Shows::Anywhere,
        &["ex.nd.global-id"],
        "each global id is one work-item's: odd ones are those of their neighbours",
    ),
    row(
        "loops-cut",
        CutLoops,
        Shows::Anywhere,
        &["ex.ki.completion"],
        "a work-item takes every turn of its loops: those of more than 65,535 end after so many",
    ),
    row(
        "async-copy-short",
        AsyncCopyShort,
        Shows::Anywhere,
        &["ex.wg.async-copy"],
        "an asynchronous copy by a work-group copies as many elements as it is told: of several, not the last",
    ),
    row(
        "vector-store-wide",
        VectorStoreWide,
        Shows::Anywhere,
        &["mm.visible"],
        "a store changes nothing but what it names: vstore3 stores a fourth component, too",
    ),
    row(
        "local-id-reversed",
        LocalIdReversed,
        Shows::Anywhere,
        &["ex.nd.local-id"],
        "local, group and global ids agree: local ids count down",
    ),
    row(
        "group-count-short",
        GroupCountShort,
        Shows::Anywhere,
        &["ex.nd.group-count"],
        "get_num_groups counts every work-group: not the last of several",
    ),
    // Where all groups are alike, there is no difference.
    needing(
        NON_UNIFORM,
        row(
            "global-size-rounded",
            GlobalSizeRounded,
            Shows::Anywhere,
            &["ex.nd.group-count", "ex.nd.non-uniform"],
            "get_global_size is what was enqueued: it is the number of groups times the size of this one",
        ),
    ),
    needing(
        NON_UNIFORM,
        row(
            "enqueued-size-is-local",
            EnqueuedSize,
            Shows::Anywhere,
            &["ex.nd.group-count", "ex.nd.non-uniform"],
            "get_enqueued_local_size is the same in every group: it is get_local_size",
        ),
    ),
    needing(
        SUB_GROUPS,
        row(
            "sub-group-id-reversed",
            SubGroupIdReversed,
            Shows::Anywhere,
            &["ex.nd.subgroup-map"],
            "sub-groups are numbered along the work-group: they count down",
        ),
    ),
    needing(
        SUB_GROUPS,
        row(
            "sub-group-size-wrong",
            SubGroupSize,
            Shows::Anywhere,
            &["ex.nd.subgroup-map"],
            "get_max_sub_group_size is what the host is told: it is one more",
        ),
    ),
    needing(
        SUB_GROUPS,
        row(
            "sub-group-count-short",
            SubGroupCountShort,
            Shows::Anywhere,
            &["ex.nd.subgroup-degenerate", "ex.nd.subgroup-map"],
            "get_num_sub_groups counts the sub-groups of the work-group, of which there is one at least: \
             it is one less",
        ),
    ),
    row(
        "source-stale",
        StaleSource,
        Shows::Anywhere,
        &["ex.kind.source"],
        "a program has the source that it is made of: that of the first one of the same length",
    ),
    // Regions, pipes, program scope.
    needing(
        PROGRAM_SCOPE,
        row(
            "initializers-dropped",
            DropInitializers,
            Shows::Anywhere,
            &["ex.prereq.program-init", "rg.program-scope"],
            "variables of program scope in global memory begin with their initializers: with zero",
        ),
    ),
    needing(
        GENERIC,
        row(
            "get-fence-swapped",
            GetFenceSwapped,
            Shows::Anywhere,
            &["rg.generic"],
            "get_fence tells the region of a pointer: local and global are exchanged",
        ),
    ),
    needing(
        GENERIC,
        row(
            "to-address-null",
            ToAddressNull,
            Shows::Anywhere,
            &["rg.generic"],
            "to_global and to_local give a pointer that is one: they give NULL",
        ),
    ),
    needing(
        PIPES,
        row(
            "pipe-write-lost",
            PipeWriteLost,
            Shows::Anywhere,
            &["rg.pipe"],
            "a packet that write_pipe reports as written arrives: it does not",
        ),
    ),
    needing(
        PIPES,
        row(
            "pipe-read-stale",
            PipeReadStale,
            Shows::Anywhere,
            &["rg.pipe"],
            "a packet that read_pipe reports as read is there: nothing is read",
        ),
    ),
    needing(
        PIPES,
        row(
            "pipe-index-ignored",
            PipeIndex,
            Shows::Anywhere,
            &["rg.pipe"],
            "a packet of a reservation has the place of its index: all have the first",
        ),
    ),
    needing(
        PIPES,
        row(
            "pipe-full-hidden",
            PipeFull,
            Shows::Anywhere,
            &["rg.pipe"],
            "a write to a full pipe is told to fail: it is told to succeed",
        ),
    ),
    needing(
        PIPES,
        row(
            "pipe-empty-hidden",
            PipeEmpty,
            Shows::Anywhere,
            &["rg.pipe"],
            "a read of an empty pipe is told to fail: it is told to succeed",
        ),
    ),
    // Images.
    needing(
        IMAGES,
        row(
            "image-write-lost",
            ImageWriteLost,
            Shows::Anywhere,
            &["rg.image", "mm.image-fence"],
            "an element that a kernel writes is there after a fence, and when the kernel ended: it is not",
        ),
    ),
    needing(
        IMAGES,
        row(
            "image-channels-swapped",
            ImageChannels,
            Shows::Anywhere,
            &["rg.image"],
            "a kernel reads red, green, blue and alpha: red and blue are exchanged",
        ),
    ),
    needing(
        IMAGES,
        row(
            "image-border-edge",
            ImageBorder,
            Shows::Anywhere,
            &["rg.image"],
            "CLK_ADDRESS_CLAMP reads the border's colour outside: the element at the edge",
        ),
    ),
    // Where kernels come from.
    row(
        "rebuilt-differs",
        RebuiltDiffers,
        Shows::Anywhere,
        &["ex.kind.source"],
        "a source that is built again gives the same kernels: odd global ids are those of their \
         neighbours in them",
    ),
    needing(
        IL,
        row(
            "il-addition-subtracts",
            IlAddition,
            Shows::Anywhere,
            &["ex.kind.il"],
            "a module does what its instructions say: additions of integers subtract",
        ),
    ),
    // Device-side enqueue.
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-wait-kernel-ignored",
            EnqueueWaitKernel,
            Shows::Anywhere,
            &["ex.dev.wait-kernel", "sp.device-wait-kernel"],
            "a child of WAIT_KERNEL starts after its parent ended: NO_WAIT",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-wait-work-group-ignored",
            EnqueueWaitGroup,
            Shows::Anywhere,
            &["ex.dev.wait-work-group", "sp.device-wait-work-group"],
            "a child of WAIT_WORK_GROUP starts after the work-group ended: NO_WAIT",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-kernel-lost",
            EnqueueLost,
            Shows::Anywhere,
            &[
                "ex.state.complete-children",
                "ex.dev.no-wait",
                "ex.dev.parent-complete",
            ],
            "a child that enqueue_kernel accepts runs: nothing runs in its place",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-wait-list-ignored",
            EnqueueWaits,
            Shows::Anywhere,
            &["ex.dev.events", "ex.dev.out-of-order"],
            "a child waits for its list: it sees an empty one",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-wait-kernel-to-work-group",
            EnqueueWaitKernelGroup,
            Shows::Anywhere,
            &["ex.dev.wait-kernel", "sp.device-wait-kernel"],
            "a child of WAIT_KERNEL starts after its parent ended: WAIT_WORK_GROUP",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-marker-early",
            EnqueueMarker,
            Shows::Anywhere,
            &["ex.dev.events"],
            "enqueue_marker waits for its list: its event is complete at once",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "enqueue-local-lost",
            EnqueueLocal,
            Shows::Anywhere,
            &["ex.dev.local-args"],
            "a child whose block takes local memory runs: nothing runs in its place",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "capture-profiling-lost",
            CaptureLost,
            Shows::Anywhere,
            &["ex.dev.events"],
            "capture_event_profiling_info gives times: it does nothing",
        ),
    ),
    needing(
        DEVICE_ENQUEUE,
        row(
            "device-failure-hidden",
            DeviceFailureHidden,
            Shows::Anywhere,
            &["ex.dev.child-failure", "ex.fail.propagate"],
            "set_user_event_status fails a user event of the device: it completes it",
        ),
    ),
];
