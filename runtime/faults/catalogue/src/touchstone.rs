//! Faults that Touchstone itself has: what no layer in front of a driver can break.
//!
//! Their place is the crate of `runtime/` that asks for them.

faults! {
    /// What Touchstone does wrong.
    TouchstoneFault, Carrier::Touchstone;

    // The orders of queues.

    BarrierHoldsOne { "barrier-holds-one" at [&["queue"]] class 10 breaks "ex.prereq.barrier sp.barrier":
        "A barrier holds back the first command after it only."; }
    CrossQueueHangs { "cross-queue-hangs" at [&["queue"]] class 7 shows Hang breaks "ex.queue.independent ex.queue.cross-event":
        "What waits for an unfinished command of another queue is never woken."; }
    ConcurrentCreationAborts { "concurrent-creation-aborts" at [&["opencl"]] class 23 shows Crash breaks "ex.queue.threads":
        "Two threads in the making of objects at once end the process."; }
    LockOrderInverted { "lock-order-inverted" at [&["opencl"]] class 6 shows Hang breaks "ex.queue.threads":
        "Making a buffer and making a user event take two locks in opposite orders."; }

    // Waiting, finishing, flushing, releasing.

    FinishForgetsLast { "finish-forgets-last" at [&["queue"]] class 8 breaks "sp.finish":
        "clFinish does not wait for the last command."; }

    // States, failures.

    CompleteEarly { "complete-early" at [&["queue"]]
        breaks "sp.completion-event ex.ki.completion ex.state.order sp.kernel-end":
        "Copies, fills and kernels run some time after their events are complete."; }
    LastGroupLate { "last-group-late" at [&["opencl"]] breaks "ex.ki.completion sp.kernel-end ex.state.ended-visible":
        "An event is complete when its kernel's last work-group has still to run."; }
    FailureRuns { "failure-runs" at [&["queue"]] class 5 breaks "ex.fail.propagate":
        "A command that waits for what failed runs, and fails then."; }
    FailureNotTransitive { "failure-not-transitive" at [&["queue"]] class 27 breaks "ex.fail.propagate":
        "The failure of a command that did not run does not reach those that wait for it."; }
    FailureHangsFinish { "failure-hangs-finish" at [&["queue"]] class 1 shows Hang breaks "ex.fail.user-event":
        "clFinish does not see that failed commands have ended."; }

    // Callbacks.

    CallbackHoldsQueue { "callback-holds-queue" at [&["queue"]] class 13
        shows Hang breaks "ex.state.callbacks ex.queue.independent":
        "What waits for a command waits for its callbacks, too."; }

    // Kernels as commands, index spaces.

    ArgsReleased { "args-released" at [&["opencl"]] class 29 breaks "ex.ki.args-captured":
        "A kernel does nothing when a buffer of its arguments was released meanwhile."; }
    OffsetInLocalId { "offset-in-local-id" at [&["exec"]] class 31 breaks "ex.nd.offset ex.nd.local-id":
        "The global offset shifts local ids, too."; }
    OffsetInLinearId { "offset-in-linear-id" at [&["exec"]] class 31 breaks "ex.nd.group-count ex.nd.offset":
        "The global offset is part of the linear id."; }
    OffsetInGroupId { "offset-in-group-id" at [&["exec"]] class 31 breaks "ex.nd.offset ex.nd.local-id":
        "The global offset shifts group ids, too."; }
    LastItemMissing { "last-item-missing" at [&["exec"]] breaks "ex.nd.global-id":
        "The last work-item is not run."; }
    FirstGroupTwice { "first-group-twice" at [&["exec"]] breaks "ex.nd.global-id":
        "The first work-group is run twice."; }
    RemainderLocalIds { "remainder-local-ids" at [&["exec"]] class 30 breaks "ex.nd.local-id ex.nd.non-uniform":
        "The local ids of remainder groups end where those of full ones do."; }
    RemainderFull { "remainder-full" at [&["exec"]] class 30 breaks "ex.nd.non-uniform ex.nd.global-id":
        "Remainder groups are full."; }
    RemainderLocalSize { "remainder-local-size" at [&["exec"]] class 30 breaks "ex.nd.non-uniform ex.nd.group-count":
        "get_local_size is the enqueued size in remainder groups."; }
    EnqueuedSizeRemainder { "enqueued-size-remainder" at [&["exec"]] class 30 breaks "ex.nd.group-count":
        "get_enqueued_local_size is the remainder in remainder groups."; }
    NumGroupsFloor { "num-groups-floor" at [&["exec"]] breaks "ex.nd.group-count":
        "get_num_groups does not count remainder groups."; }
    LocalLinearSwapped { "local-linear-swapped" at [&["exec"]] breaks "ex.nd.group-count":
        "get_local_linear_id has its dimensions swapped."; }
    GlobalLinearSwapped { "global-linear-swapped" at [&["exec"]] breaks "ex.nd.group-count":
        "get_global_linear_id has its dimensions swapped."; }
    DimensionsSwapped { "dimensions-swapped" at [&["exec"]] breaks "ex.nd.global-id ex.nd.local-id":
        "Ids of the first and the second dimension are swapped."; }
    NullLocalFloor { "null-local-floor" at [&["opencl"]] breaks "ex.nd.null-local":
        "Groups of a size that the implementation picks do not cover the rest."; }
    BinaryItemMissing { "binary-item-missing" at [&["opencl"]] breaks "ex.kind.binary":
        "A kernel from a program binary has a work-item less in its first dimension."; }

    // Groups and regions.

    BarrierLastPasses { "barrier-last-passes" at [&["exec"]] class 18 breaks "ex.wg.barrier mm.barrier.wg":
        "The last work-item passes barriers."; }
    BarrierFirstPassOnly { "barrier-first-pass-only" at [&["exec"]] class 18 breaks "ex.wg.barrier":
        "Work-items wait at a barrier of a loop the first time only."; }
    BarrierInFunctions { "barrier-in-functions" at [&["exec"]] class 18 breaks "ex.wg.barrier":
        "Work-items do not wait at barriers of functions that the kernel calls."; }
    LocalShared { "local-shared" at [&["exec"]] breaks "rg.local-per-group":
        "A group finds at its first barrier what another group had in local memory."; }
    LocalArgumentsAlias { "local-arguments-alias" at [&["exec"]] breaks "rg.disjoint rg.local-per-group":
        "Local arguments of a kernel are one."; }
    PrivateShared { "private-shared" at [&["exec"]] breaks "rg.private-per-item":
        "Work-items of a group share their private memory."; }
    PrivateInLocal { "private-in-local" at [&["exec"]] breaks "rg.disjoint":
        "Private and local memory of a group overlap."; }
    ConstantWritten { "constant-written" at [&["opencl"]] breaks "rg.constant":
        "Constant buffers are changed when a kernel starts."; }
    GenericSwapped { "generic-swapped" at [&["exec"]] breaks "rg.generic":
        "to_global and to_local take each other's pointers."; }
    ProgramScopeLost { "program-scope-lost" at [&["exec"]] class 19 breaks "rg.program-scope":
        "Program-scope variables get their first values again before each kernel."; }
    ProgramScopeTwice { "program-scope-twice" at [&["exec"]] class 19
        breaks "ex.prereq.program-init rg.program-scope":
        "Program-scope variables get their first values again before the second kernel."; }
    ProgramScopePerKernel { "program-scope-per-kernel" at [&["exec"]] class 19 breaks "rg.program-scope":
        "Each kernel has program-scope variables of its own."; }

    // Memory objects.

    ReadersDisturb { "readers-disturb" at [&["opencl"]] breaks "sp.concurrent-reads":
        "A read of a buffer that a kernel has at the same time gives zeros."; }

    // Shared virtual memory.

    SvmOtherDeviceStale { "svm-other-device-stale" at [&["opencl"]] breaks "sv.coarse.devices":
        "A kernel on another device than the last finds what was there before that."; }
    SvmFineStale { "svm-fine-stale" at [&["opencl"]] breaks "sv.fine.sync-point":
        "Without a map the host does not see what kernels wrote to fine-grain memory."; }
    SvmFineHostLost { "svm-fine-host-lost" at [&["opencl"]] breaks "sv.fine.sync-point sp.enqueue":
        "Kernels do not see what the host wrote to fine-grain memory without a map."; }
    SvmWideStores { "svm-wide-stores" at [&["exec"]] breaks "sv.fine.bytes":
        "A store of a byte or two rewrites the word around it with what the work-item last saw there."; }
    SvmSystemRefused { "svm-system-refused" at [&["opencl"]] breaks "sv.system.any":
        "Kernels cannot use memory of the system."; }
    SvmExecInfoIgnored { "svm-exec-info-ignored" at [&["opencl"]] breaks "sv.exec-info":
        "Pointers of clSetKernelExecInfo are ignored."; }
    SvmMemcpyFromHost { "svm-memcpy-from-host" at [&["opencl"]] class 16 breaks "sv.api":
        "clEnqueueSVMMemcpy from memory that is no allocation does nothing."; }

    // Atomics.

    AtomicAddTorn { "atomic-add-torn" at [&["exec"]] class 20 breaks "mm.atomicity mm.rmw.last sv.fine.atomics-types":
        "Atomic additions and subtractions are a load and a store."; }
    AtomicAdd64Torn { "atomic-add-64-torn" at [&["exec"]] class 20
        breaks "mm.atomicity mm.rmw.last sv.fine.atomics-types":
        "Atomic additions of 64 bits are a load and a store."; }
    AtomicLocalTorn { "atomic-local-torn" at [&["exec"]] class 20 breaks "mm.atomicity mm.rmw.last":
        "Atomic additions on local memory are a load and a store."; }
    AtomicHostTorn { "atomic-host-torn" at [&["exec"]] class 20 breaks "sv.fine.atomics-types mm.host mm.atomicity":
        "Atomic additions of scope all_svm_devices are a load and a store."; }
    ExchangeTorn { "exchange-torn" at [&["exec"]] class 20 breaks "mm.atomicity mm.rmw.last":
        "Atomic exchanges are a load and a store."; }
    CasAlwaysSucceeds { "cas-always-succeeds" at [&["exec"]] class 20 breaks "mm.rmw.last":
        "Compare-exchange succeeds always."; }
    CasTorn { "cas-torn" at [&["exec"]] class 20 breaks "mm.atomicity mm.rmw.last":
        "Compare-exchange is a load, a comparison and a store."; }
    ExchangeGivesNew { "exchange-gives-new" at [&["exec"]] class 20 breaks "mm.rmw.last":
        "Exchange gives the new value."; }
    FetchGivesNew { "fetch-gives-new" at [&["exec"]] class 20 breaks "mm.rmw.last":
        "Atomic additions give the new value."; }
    MinMaxSwapped { "min-max-swapped" at [&["exec"]] class 20 breaks "mm.rmw.last":
        "Minimum and maximum are swapped."; }
    MinMaxUnsigned { "min-max-unsigned" at [&["exec"]] class 20 breaks "mm.rmw.last":
        "Signed minimum and maximum compare unsigned."; }
    StoreTorn { "store-torn" at [&["exec"]] class 20 breaks "mm.atomicity":
        "Atomic stores of 64 bits are two of 32."; }

    // Memory consistency. All of these turn the weak machine on.

    Weak { "weak" at [&["exec"]] shows WeakProcessor breaks "":
        "No fault: memory is as weak as its rules allow, within the executor's means."; }
    ReleaseIgnored { "release-ignored" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.sw.atomic":
        "Release operations release nothing."; }
    AcquireIgnored { "acquire-ignored" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.sw.atomic":
        "Acquire operations acquire nothing."; }
    SeqCstWeakened { "seq-cst-weakened" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sc.total mm.sc.drf mm.sc.conditions":
        "Sequentially consistent operations and fences are release and acquire only."; }
    SeqCstFencesWeakened { "seq-cst-fences-weakened" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sc.fences":
        "Sequentially consistent fences are release and acquire only."; }
    ReleaseFenceIgnored { "release-fence-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sw.fence-fence mm.sw.fence-atomic":
        "Release fences do nothing."; }
    AcquireFenceIgnored { "acquire-fence-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sw.fence-fence mm.sw.atomic-fence":
        "Acquire fences do nothing."; }
    FenceGlobalIgnored { "fence-global-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sw.fence-fence mm.hb.both-flags":
        "Fences of global memory do nothing for it."; }
    FenceLocalIgnored { "fence-local-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sw.fence-fence mm.hb.both-flags":
        "Fences of local memory do nothing for it."; }
    FenceBothIsLocal { "fence-both-is-local" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.hb.both-flags":
        "A fence with both flags is one of local memory."; }
    FenceFlagsSwapped { "fence-flags-swapped" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.sw.fence-fence mm.hb.split":
        "A fence with one flag is one of the other memory."; }
    BarrierOrdersNothing { "barrier-orders-nothing" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.barrier.wg":
        "Barriers do not order memory."; }
    BarrierGlobalIgnored { "barrier-global-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.barrier.flags mm.barrier.wg":
        "Barriers do not order global memory."; }
    BarrierLocalIgnored { "barrier-local-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.barrier.flags mm.barrier.wg":
        "Barriers do not order local memory."; }
    ScopeNarrowed { "scope-narrowed" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.scope.each":
        "Device scope and wider reach as far as the work-group."; }
    ScopeAllDevicesIgnored { "scope-all-devices-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.scope.each sv.scope-down":
        "Scope all_svm_devices reaches nobody."; }
    ScopeWorkGroupIgnored { "scope-work-group-ignored" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.scope.each":
        "Scope work_group reaches nobody."; }
    ScopesMustMatch { "scopes-must-match" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.scope.inclusive":
        "Operations of different scopes never synchronize."; }
    LocalNotClamped { "local-not-clamped" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.scope.local-clamp":
        "Atomics on local memory of a scope wider than the work-group do not synchronize."; }
    LocalUnordered { "local-unordered" at [&["exec"]] class 20 shows WeakProcessor breaks "mm.sw.atomic":
        "Atomics on local memory order nothing."; }
    SeqCstOneRegion { "seq-cst-one-region" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.hb.seq-cst-both":
        "Sequentially consistent operations synchronize their own region only."; }
    CoherenceReadRead { "coherence-read-read" at [&["exec"]] class 33 shows WeakProcessor
        breaks "mm.coherence.rr mm.mo":
        "A later read may give an older value than an earlier one."; }
    CoherenceWriteRead { "coherence-write-read" at [&["exec"]] class 33 shows WeakProcessor breaks "mm.coherence.wr":
        "A read may give an older value than the work-item's own write."; }
    CoherenceWriteWrite { "coherence-write-write" at [&["exec"]] class 33 shows WeakProcessor
        breaks "mm.coherence.ww":
        "A later write may come before the work-item's own earlier one."; }
    CoherenceReadWrite { "coherence-read-write" at [&["exec"]] class 33 shows WeakProcessor breaks "mm.coherence.rw":
        "A write may come before what the work-item has read."; }
    ModificationOrderSplit { "modification-order-split" at [&["exec"]] class 33 shows WeakProcessor breaks "mm.mo":
        "Every second work-item sees the last two writes the other way round."; }
    ReleaseSequenceRmw { "release-sequence-rmw" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.release-sequence":
        "The release sequence ends at a read-modify-write."; }
    ReleaseSequenceOwn { "release-sequence-own" at [&["exec"]] class 21 shows WeakProcessor
        breaks "mm.release-sequence":
        "The release sequence ends at the work-item's own next write."; }
    CasSuccessOrder { "cas-success-order" at [&["exec"]] class 21 shows WeakProcessor breaks "mm.sw.atomic":
        "A compare-exchange that succeeds has the order of failure."; }
    RmwStale { "rmw-stale" at [&["exec"]] class 20 shows WeakProcessor breaks "mm.rmw.last":
        "Read-modify-writes may read an older value."; }
    NeverVisible { "never-visible" at [&["exec"]] shows WeakProcessor breaks "mm.visibility-time ex.host.progress":
        "A load gives the oldest value that it may, for ever."; }
    PlainLoadStale { "plain-load-stale" at [&["exec"]] class 33 shows WeakProcessor breaks "mm.visible":
        "Ordinary loads may give an older value than the visible one."; }
    HostSeesLate { "host-sees-late" at [&["exec"]] shows WeakProcessor
        breaks "mm.host sv.fine.atomics ex.host.progress":
        "Atomic stores of scope all_svm_devices reach the host when their kernel ends."; }
    AtomicInitMissing { "atomic-init-missing" at [&["clc"]] class 22 breaks "mm.init":
        "atomic_init does nothing."; }
}
