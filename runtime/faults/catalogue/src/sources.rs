//! Faults that the layer makes of kernel sources and modules, before the compiler sees them.

use crate::places::{IL_PROGRAMS, SOURCES};

faults! {
    /// How a source is mutated.
    SourceMutation, Carrier::Source;

    // Orders of atomic operations.

    RelaxOrders { "relax-orders" at [SOURCES] shows StoreBuffer breaks "mm.sw.atomic mm.sc.total mm.sc.drf mm.init":
        "atomic operations have the order they name, or seq_cst: all are relaxed (fences keep theirs)"; }
    AcquireToRelaxed { "acquire-to-relaxed" at [SOURCES] shows WeakProcessor breaks "mm.sw.atomic":
        "acquire and the acquire half of acq_rel order later accesses: they do not"; }
    ReleaseToRelaxed { "release-to-relaxed" at [SOURCES] shows WeakProcessor
        breaks "mm.sw.atomic mm.release-sequence":
        "release and the release half of acq_rel order earlier accesses: they do not"; }
    AcqRelToRelaxed { "acq-rel-to-relaxed" at [SOURCES] shows WeakProcessor breaks "mm.sw.atomic":
        "acq_rel orders: it is relaxed"; }
    SeqCstToAcqRel { "seq-cst-to-acq-rel" at [SOURCES] shows StoreBuffer
        breaks "mm.sc.total mm.sc.conditions mm.sc.drf":
        "seq_cst operations, named or by default, have one total order: they acquire and release"; }
    SeqCstToRelaxed { "seq-cst-to-relaxed" at [SOURCES] shows StoreBuffer breaks "mm.sc.total mm.sc.drf mm.sw.atomic":
        "seq_cst that is named orders: it is relaxed"; }
    DefaultOrderRelaxed { "default-order-relaxed" at [SOURCES] class 22 shows StoreBuffer breaks "mm.init mm.sc.drf":
        "an operation that names no order is seq_cst: it is relaxed"; }
    CasFailureRelaxed { "cas-failure-relaxed" at [SOURCES] class 21 shows WeakProcessor
        breaks "mm.rmw.last mm.sw.atomic":
        "a compare-exchange that fails has its failure order: it is relaxed"; }

    // Fences.

    DropFences { "drop-fences" at [SOURCES] shows StoreBuffer
        breaks "mm.sw.fence-fence mm.sw.fence-atomic mm.sw.atomic-fence mm.sc.fences":
        "fences order memory: they are removed"; }
    DropWorkItemFences { "drop-work-item-fences" at [SOURCES] shows StoreBuffer
        breaks "mm.sw.fence-fence mm.sc.fences":
        "atomic_work_item_fence orders memory: it is removed"; }
    DropMemFences { "drop-mem-fences" at [SOURCES] shows WeakProcessor breaks "mm.sw.fence-fence":
        "mem_fence orders memory: it is removed"; }
    DropReadFences { "drop-read-mem-fences" at [SOURCES] shows WeakProcessor
        breaks "mm.sw.fence-fence mm.sw.atomic-fence":
        "read_mem_fence orders loads: it is removed"; }
    DropWriteFences { "drop-write-mem-fences" at [SOURCES] shows WeakProcessor
        breaks "mm.sw.fence-fence mm.sw.fence-atomic":
        "write_mem_fence orders stores: it is removed"; }
    FencesRelaxed { "fences-relaxed" at [SOURCES] shows StoreBuffer
        breaks "mm.sw.fence-fence mm.sw.fence-atomic mm.sw.atomic-fence mm.sc.fences":
        "atomic_work_item_fence has the order it names: it is relaxed, without effect"; }
    FenceAcquire { "fence-acquire-dropped" at [SOURCES] shows WeakProcessor
        breaks "mm.sw.atomic-fence mm.sw.fence-fence":
        "an acquire fence, or half of one, orders: it does not"; }
    FenceRelease { "fence-release-dropped" at [SOURCES] shows WeakProcessor
        breaks "mm.sw.fence-atomic mm.sw.fence-fence":
        "a release fence, or half of one, orders: it does not"; }
    FenceSeqCst { "fence-seq-cst-to-acq-rel" at [SOURCES] shows StoreBuffer breaks "mm.sc.fences":
        "seq_cst fences take part in the total order: they are acq_rel"; }
    DropImageFences { "drop-image-fences" at [SOURCES] shows WeakProcessor needs ["images in kernels"]
        breaks "mm.image-fence rg.image":
        "CLK_IMAGE_MEM_FENCE orders accesses of images: it is no flag"; }

    // Scopes.

    NarrowScopes { "narrow-scopes" at [SOURCES] shows ScopedCaches
        breaks "mm.scope.each mm.scope.inclusive sv.fine.atomics":
        "device and all-devices scope, named or by default, reach beyond a work-group: they are work-group scope"; }
    ScopeSvmToDevice { "scope-svm-to-device" at [SOURCES] shows DeviceCaches
        breaks "mm.scope.each sv.fine.atomics mm.host":
        "all_svm_devices scope reaches the host and other devices: it is device scope"; }
    ScopeDeviceToWorkGroup { "scope-device-to-work-group" at [SOURCES] shows ScopedCaches
        breaks "mm.scope.each mm.scope.inclusive":
        "device scope that is named reaches beyond a work-group: it is work-group scope"; }
    ScopeWorkGroupToSubGroup { "scope-work-group-to-sub-group" at [SOURCES] shows ScopedCaches needs ["sub-groups"]
        breaks "mm.scope.each":
        "work-group scope reaches beyond a sub-group: it is sub-group scope (in a source that knows sub-groups)"; }
    ScopeWorkGroupToWorkItem { "scope-work-group-to-work-item" at [SOURCES] shows WeakProcessor
        breaks "mm.scope.each":
        "a fence of work-group scope reaches beyond its work-item: it does not, and is removed"; }
    DefaultScope { "default-scope-work-group" at [SOURCES] class 22 shows ScopedCaches breaks "mm.init mm.scope.each":
        "an operation that names no scope has device scope: it has work-group scope"; }

    // Flags.

    SwapFlags { "swap-flags" at [SOURCES] shows WeakProcessor
        breaks "mm.barrier.flags mm.barrier.wg mm.sw.fence-fence":
        "fence flags name the region they order: local and global are exchanged"; }
    FlagGlobalToLocal { "flag-global-to-local" at [SOURCES] shows WeakProcessor
        breaks "mm.barrier.flags mm.hb.both-flags":
        "CLK_GLOBAL_MEM_FENCE orders global memory: it is CLK_LOCAL_MEM_FENCE"; }
    FlagLocalToGlobal { "flag-local-to-global" at [SOURCES] shows WeakProcessor
        breaks "mm.barrier.flags mm.hb.both-flags":
        "CLK_LOCAL_MEM_FENCE orders local memory: it is CLK_GLOBAL_MEM_FENCE"; }
    BarrierFlags { "barrier-without-flags" at [SOURCES] shows WeakProcessor breaks "mm.barrier.wg":
        "a barrier orders the memory of its flags: it has none"; }

    // Barriers.

    DropBarriers { "drop-barriers" at [SOURCES] shows Group breaks "ex.wg.barrier ex.sg.barrier mm.barrier.wg":
        "barriers gather the work-items and order memory: they are removed"; }
    DropGroupBarriers { "drop-work-group-barriers" at [SOURCES] shows Group breaks "ex.wg.barrier mm.barrier.wg":
        "barriers of work-groups gather the work-items and order memory: they are removed"; }
    DropSubGroupBarriers { "drop-sub-group-barriers" at [SOURCES] shows Group needs ["sub-groups"]
        breaks "ex.sg.barrier mm.barrier.sg":
        "barriers of sub-groups gather the work-items and order memory: they are removed"; }
    BarrierToFence { "barrier-to-fence" at [SOURCES] shows Group breaks "ex.wg.barrier":
        "a barrier of a work-group gathers the work-items: it is only a mem_fence of its flags"; }

    // Atomicity.

    SplitRmw { "split-read-modify-write" at [SOURCES]
        breaks "mm.atomicity mm.rmw.last sp.parent-child-atomics sp.cross-kernel-atomics-svm":
        "atomic add, subtract, increment, decrement and exclusive or are indivisible: they load and then store"; }
    BlindExchange { "blind-compare-exchange" at [SOURCES] breaks "mm.rmw.last mm.atomicity":
        "a compare-exchange compares: it exchanges and reports success"; }

    // Functions of groups.

    ScanSwapped { "scan-swapped" at [SOURCES] needs ["work-group collective functions", "sub-groups"]
        breaks "ex.wg.functions ex.sg.functions":
        "inclusive and exclusive scans differ: they are exchanged"; }
    ReduceAdd { "reduce-add-to-max" at [SOURCES] needs ["work-group collective functions", "sub-groups"]
        breaks "ex.wg.functions ex.sg.functions":
        "a reduction by addition adds: it takes the maximum"; }
    ReduceMin { "reduce-min-to-max" at [SOURCES] needs ["work-group collective functions", "sub-groups"]
        breaks "ex.wg.functions ex.sg.functions":
        "a reduction by minimum takes the minimum: it takes the maximum"; }
    BroadcastFirst { "broadcast-first" at [SOURCES] needs ["work-group collective functions", "sub-groups"]
        breaks "ex.wg.functions ex.sg.functions":
        "a broadcast takes the value of the work-item that it names: that of the first"; }
    AllAny { "all-any-swapped" at [SOURCES] needs ["work-group collective functions", "sub-groups"]
        breaks "ex.wg.functions ex.sg.functions":
        "all and any differ: they are exchanged"; }

    // Identifiers of work-items.

    IdWithoutOffset { "global-id-without-offset" at [SOURCES] breaks "ex.nd.offset ex.nd.global-id":
        "get_global_id counts from the global offset: from zero"; }
    IdRepeats { "global-id-repeats" at [SOURCES] breaks "ex.nd.global-id":
        "each global id is one work-item's: odd ones are those of their neighbours"; }
    CutLoops { "loops-cut" at [SOURCES] breaks "ex.ki.completion":
        "a work-item takes every turn of its loops: those of more than 65,535 end after so many"; }
    AsyncCopyShort { "async-copy-short" at [SOURCES] breaks "ex.wg.async-copy":
        "an asynchronous copy by a work-group copies as many elements as its argument says: of several, not the last"; }
    VectorStoreWide { "vector-store-wide" at [SOURCES] breaks "mm.visible":
        "a store changes nothing but what it names: vstore3 stores a fourth component, too"; }
    LocalIdReversed { "local-id-reversed" at [SOURCES] breaks "ex.nd.local-id":
        "local, group and global ids agree: local ids count down"; }
    GroupCountShort { "group-count-short" at [SOURCES] breaks "ex.nd.group-count":
        "get_num_groups counts every work-group: not the last of several"; }

    // Where all groups are alike, there is no difference.

    GlobalSizeRounded { "global-size-rounded" at [SOURCES] needs ["non-uniform work-groups"]
        breaks "ex.nd.group-count ex.nd.non-uniform":
        "get_global_size is what was enqueued: it is the number of groups times the size of this one"; }
    EnqueuedSize { "enqueued-size-is-local" at [SOURCES] needs ["non-uniform work-groups"]
        breaks "ex.nd.group-count ex.nd.non-uniform":
        "get_enqueued_local_size is the same in every group: it is get_local_size"; }
    SubGroupIdReversed { "sub-group-id-reversed" at [SOURCES] needs ["sub-groups"] breaks "ex.nd.subgroup-map":
        "sub-groups are numbered along the work-group: they count down"; }
    SubGroupSize { "sub-group-size-wrong" at [SOURCES] needs ["sub-groups"] breaks "ex.nd.subgroup-map":
        "get_max_sub_group_size is what the host's query returns: it is one more"; }
    SubGroupCountShort { "sub-group-count-short" at [SOURCES] needs ["sub-groups"]
        breaks "ex.nd.subgroup-degenerate ex.nd.subgroup-map":
        "get_num_sub_groups counts the sub-groups of the work-group, of which there is one at least: it is one \
         less"; }
    StaleSource { "source-stale" at [SOURCES] breaks "ex.kind.source":
        "a program has the source that it is made of: that of the first one of the same length"; }

    // Regions, pipes, program scope.

    DropInitializers { "initializers-dropped" at [SOURCES] class 19 needs ["program-scope variables"]
        breaks "ex.prereq.program-init rg.program-scope":
        "variables of program scope in global memory begin with their initializers: with zero"; }
    GetFenceSwapped { "get-fence-swapped" at [SOURCES] needs ["the generic address space"] breaks "rg.generic":
        "get_fence returns the region of a pointer: local and global are exchanged"; }
    ToAddressNull { "to-address-null" at [SOURCES] needs ["the generic address space"] breaks "rg.generic":
        "to_global and to_local give a pointer that is one: they give NULL"; }
    PipeWriteLost { "pipe-write-lost" at [SOURCES] needs ["pipes"] breaks "rg.pipe":
        "a packet that write_pipe reports as written arrives: it does not"; }
    PipeReadStale { "pipe-read-stale" at [SOURCES] needs ["pipes"] breaks "rg.pipe":
        "a packet that read_pipe reports as read is there: nothing is read"; }
    PipeIndex { "pipe-index-ignored" at [SOURCES] needs ["pipes"] breaks "rg.pipe":
        "a packet of a reservation has the place of its index: all have the first"; }
    PipeFull { "pipe-full-hidden" at [SOURCES] needs ["pipes"] breaks "rg.pipe":
        "a write to a full pipe returns a failure: it returns success"; }
    PipeEmpty { "pipe-empty-hidden" at [SOURCES] needs ["pipes"] breaks "rg.pipe":
        "a read of an empty pipe returns a failure: it returns success"; }

    // Images.

    ImageWriteLost { "image-write-lost" at [SOURCES] needs ["images in kernels"] breaks "rg.image mm.image-fence":
        "an element that a kernel writes is there after a fence, and when the kernel ended: it is not"; }
    ImageChannels { "image-channels-swapped" at [SOURCES] needs ["images in kernels"] breaks "rg.image":
        "a kernel reads red, green, blue and alpha: red and blue are exchanged"; }
    ImageBorder { "image-border-edge" at [SOURCES] needs ["images in kernels"] breaks "rg.image":
        "CLK_ADDRESS_CLAMP reads the border's colour outside: the element at the edge"; }

    // Where kernels come from.

    RebuiltDiffers { "rebuilt-differs" at [SOURCES] breaks "ex.kind.source":
        "a source that is built again gives the same kernels: odd global ids are those of their neighbours in them"; }
    IlAddition { "il-addition-subtracts" at [IL_PROGRAMS] needs ["an intermediate language"] breaks "ex.kind.il":
        "a module does what its instructions say: additions of integers subtract"; }

    // Device-side enqueue.

    EnqueueWaitKernel { "enqueue-wait-kernel-ignored" at [SOURCES] class 28 needs ["device-side enqueue"]
        breaks "ex.dev.wait-kernel sp.device-wait-kernel":
        "a child of WAIT_KERNEL starts after its parent ended: NO_WAIT"; }
    EnqueueWaitGroup { "enqueue-wait-work-group-ignored" at [SOURCES] class 28 needs ["device-side enqueue"]
        breaks "ex.dev.wait-work-group sp.device-wait-work-group":
        "a child of WAIT_WORK_GROUP starts after the work-group ended: NO_WAIT"; }
    EnqueueLost { "enqueue-kernel-lost" at [SOURCES] class 28 needs ["device-side enqueue"]
        breaks "ex.state.complete-children ex.dev.no-wait ex.dev.parent-complete":
        "a child that enqueue_kernel accepts runs: nothing runs in its place"; }
    EnqueueWaits { "enqueue-wait-list-ignored" at [SOURCES] class 28 needs ["device-side enqueue"]
        breaks "ex.dev.events ex.dev.out-of-order":
        "a child waits for its list: it sees an empty one"; }
    EnqueueWaitKernelGroup { "enqueue-wait-kernel-to-work-group" at [SOURCES] class 28 needs ["device-side enqueue"]
        breaks "ex.dev.wait-kernel sp.device-wait-kernel":
        "a child of WAIT_KERNEL starts after its parent ended: WAIT_WORK_GROUP"; }
    EnqueueMarker { "enqueue-marker-early" at [SOURCES] class 28 needs ["device-side enqueue"] breaks "ex.dev.events":
        "enqueue_marker waits for its list: its event is complete at once"; }
    EnqueueLocal { "enqueue-local-lost" at [SOURCES] class 28 needs ["device-side enqueue"] breaks "ex.dev.local-args":
        "a child whose block takes local memory runs: nothing runs in its place"; }
    CaptureLost { "capture-profiling-lost" at [SOURCES] class 28 needs ["device-side enqueue"] breaks "ex.dev.events":
        "capture_event_profiling_info gives times: it does nothing"; }
    DeviceFailureHidden { "device-failure-hidden" at [SOURCES] class 28 needs ["device-side enqueue"]
        breaks "ex.dev.child-failure ex.fail.propagate":
        "set_user_event_status fails a user event of the device: it completes it"; }
}
