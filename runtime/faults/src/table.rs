//! The faults: name, bug class, rules, what each does.
//!
//! The text of a fault is its documentation. Rules are those of the catalogue that a program can
//! see broken; the first is the one that the fault is about. Classes are the catalogue's classes of
//! bugs in real runtimes.

use crate::Entry;

macro_rules! faults {
    ($(
        #[doc = $says:literal]
        $name:ident = $id:literal, [$($class:literal)?], $rules:literal;
    )*) => {
        /// A fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Fault {
            $(#[doc = $says] $name,)*
        }

        /// All faults, in the order of [`Fault`].
        pub static TABLE: &[Entry] = &[$(Entry {
            fault: Fault::$name,
            id: $id,
            class: class!($($class)?),
            rules: $rules,
            says: $says,
        },)*];
    };
}

macro_rules! class {
    () => {
        None
    };
    ($class:literal) => {
        Some($class)
    };
}

faults! {
    // Wait lists.

    /// No command waits for its list.
    WaitListIgnored = "wait-list-ignored", [9], "ex.prereq.wait-list sp.event-wait sp.transitive";
    /// A command waits for the first event of its list only.
    WaitListFirstOnly = "wait-list-first-only", [10], "ex.prereq.wait-list";
    /// A command waits for all events of its list but the last, if it has more than one.
    WaitListLastDropped = "wait-list-last-dropped", [10], "ex.prereq.wait-list";
    /// Kernels do not wait for their lists.
    WaitListKernels = "wait-list-kernels", [9], "ex.state.not-before-ready ex.prereq.wait-list sp.kernel-start";
    /// Reads, writes, copies and fills do not wait for their lists.
    WaitListTransfers = "wait-list-transfers", [9], "ex.prereq.wait-list sp.event-wait";
    /// A marker with a list is complete at once.
    WaitListMarkers = "wait-list-markers", [10], "sp.marker-list ex.prereq.marker sp.transitive";
    /// A barrier with a list is complete at once.
    WaitListBarriers = "wait-list-barriers", [10], "sp.barrier-list ex.prereq.barrier";
    /// Maps do not wait for their lists.
    WaitListMaps = "wait-list-maps", [9], "ex.prereq.wait-list sp.map-unmap";
    /// Unmaps do not wait for their lists.
    WaitListUnmaps = "wait-list-unmaps", [14], "ex.prereq.wait-list sp.map-unmap";
    /// Commands of shared virtual memory do not wait for their lists.
    WaitListSvm = "wait-list-svm", [9], "sv.api ex.prereq.wait-list";
    /// Native kernels do not wait for their lists.
    WaitListNative = "wait-list-native", [9], "ex.kind.native ex.prereq.wait-list";
    /// Built-in kernels do not wait for their lists.
    WaitListBuiltIn = "wait-list-built-in", [9], "ex.kind.builtin ex.prereq.wait-list";
    /// Migrations do not wait for their lists.
    WaitListMigrations = "wait-list-migrations", [9], "ex.prereq.wait-list";
    /// User events in a list are not waited for.
    WaitListUserEvents = "wait-list-user-events", [1], "sp.user-event ex.prereq.wait-list";
    /// Events of other queues in a list are not waited for.
    WaitListOtherQueues = "wait-list-other-queues", [9], "ex.queue.cross-event sp.transitive";
    /// Events of other devices in a list are not waited for; seen with several devices.
    WaitListOtherDevices = "wait-list-other-devices", [9], "ex.queue.cross-event sv.coarse.devices";
    /// Commands of out-of-order queues do not wait for their lists.
    WaitListOutOfOrder = "wait-list-out-of-order", [9], "ex.queue.out-of-order-deps ex.prereq.wait-list";
    /// An event of another context is accepted in a list.
    ForeignEventsAccepted = "foreign-events-accepted", [24], "ex.prereq.wait-list";

    // The orders of queues.

    /// In-order queues are out of order.
    InOrderIgnored = "in-order-ignored", [9], "ex.queue.in-order sp.in-order";
    /// In an in-order queue kernels and other commands have an order each.
    InOrderKernelsApart = "in-order-kernels-apart", [11], "ex.queue.in-order sp.in-order";
    /// A marker without a list does not wait for what is before it.
    MarkerIgnoresEarlier = "marker-ignores-earlier", [10], "sp.marker ex.prereq.marker";
    /// A barrier without a list does not wait for what is before it.
    BarrierIgnoresEarlier = "barrier-ignores-earlier", [10], "sp.barrier ex.prereq.barrier";
    /// A barrier without a list holds nothing back.
    BarrierHoldsNothing = "barrier-holds-nothing", [10], "sp.barrier ex.prereq.barrier";
    /// A barrier with a list holds nothing back.
    BarrierListHoldsNothing = "barrier-list-holds-nothing", [10], "sp.barrier-list ex.prereq.barrier";
    /// A barrier holds back the first command after it only.
    BarrierHoldsOne = "barrier-holds-one", [10], "ex.prereq.barrier sp.barrier";
    /// A command waits for the last one enqueued to any other queue of its context.
    QueuesDepend = "queues-depend", [7], "ex.queue.independent";
    /// What waits for an unfinished command of another queue is never told.
    CrossQueueHangs = "cross-queue-hangs", [7], "ex.queue.independent ex.queue.cross-event";
    /// Of commands that two threads enqueue at once, one does nothing.
    ThreadsLoseCommands = "threads-lose-commands", [23], "ex.queue.threads";
    /// Two threads in the making of objects at once end the process.
    ConcurrentCreationAborts = "concurrent-creation-aborts", [23], "ex.queue.threads";
    /// Making a buffer and making a user event take two locks in opposite orders.
    LockOrderInverted = "lock-order-inverted", [6], "ex.queue.threads";

    // Waiting, finishing, flushing, releasing.

    /// clFinish returns at once.
    FinishReturnsAtOnce = "finish-returns-at-once", [8], "sp.finish ex.queue.blocking";
    /// clFinish does not wait for the last command.
    FinishForgetsLast = "finish-forgets-last", [8], "sp.finish";
    /// clWaitForEvents returns at once.
    WaitReturnsAtOnce = "wait-returns-at-once", [8], "sp.host-wait ex.queue.blocking";
    /// clWaitForEvents waits for the first event only.
    WaitFirstOnly = "wait-first-only", [10], "sp.host-wait";
    /// Blocking reads do not wait for their end.
    BlockingReadReturns = "blocking-read-returns", [8], "sp.blocking ex.queue.blocking";
    /// Blocking writes do not wait for their end.
    BlockingWriteReturns = "blocking-write-returns", [8], "sp.blocking ex.queue.blocking";
    /// Blocking maps do not wait for their end.
    BlockingMapReturns = "blocking-map-returns", [8], "sp.blocking ex.queue.blocking sp.map-unmap";
    /// Blocking copies of shared virtual memory do not wait for their end.
    BlockingSvmReturns = "blocking-svm-returns", [8], "sp.blocking sv.api";
    /// Non-blocking reads and writes wait for their end.
    NonBlockingBlocks = "non-blocking-blocks", [13], "ex.queue.non-blocking";
    /// Commands wait for a flush, and clFlush makes none.
    FlushIgnored = "flush-ignored", [8], "ex.state.flush";
    /// Commands wait for a flush, and clWaitForEvents and blocking calls make none.
    WaitDoesNotFlush = "wait-does-not-flush", [8], "ex.state.flush";
    /// Commands wait for a flush, and the release of their queue makes none.
    ReleaseDoesNotFlush = "release-does-not-flush", [8], "ex.queue.release";
    /// What is pending when the last reference to its queue is released does nothing.
    ReleaseQueueLosesWork = "release-queue-loses-work", [8], "ex.queue.release";
    /// A command whose event is released before it has run does nothing.
    ReleaseEventLosesWork = "release-event-loses-work", [4], "ex.queue.release";
    /// The release of an event in a callback ends the process.
    ReleaseInCallbackAborts = "release-in-callback-aborts", [4], "ex.queue.release";
    /// The release of what is no object, or no longer one, ends the process.
    OverReleaseAborts = "over-release-aborts", [25], "ex.queue.release";
    /// Events are never deleted.
    EventsLeak = "events-leak", [26], "ex.queue.release ex.api.lifetime";

    // States, failures.

    /// Copies, fills and kernels run some time after their events are complete.
    CompleteEarly = "complete-early", [], "sp.completion-event ex.ki.completion ex.state.order sp.kernel-end";
    /// An event is complete when its kernel's last work-group has still to run.
    LastGroupLate = "last-group-late", [], "ex.ki.completion sp.kernel-end ex.state.ended-visible";
    /// What waits is shown as complete.
    StatusCompleteEarly = "status-complete-early", [], "ex.state.status-query";
    /// What is complete is shown as running by every second query.
    StatusGoesBack = "status-goes-back", [], "ex.state.status-query ex.state.order";
    /// What failed is shown as complete.
    StatusHidesFailure = "status-hides-failure", [27], "ex.fail.negative";
    /// clWaitForEvents and blocking calls do not tell of failures.
    WaitHidesFailure = "wait-hides-failure", [27], "ex.fail.negative";
    /// Waiting for what failed gives the code of an invalid event.
    WaitWrongCode = "wait-wrong-code", [27], "ex.fail.negative";
    /// A negative status of a user event is taken for completion.
    UserFailureLost = "user-failure-lost", [27], "ex.fail.user-event";
    /// A command that waits for what failed ends with another code, which a blocking call returns.
    FailureWrongCode = "failure-wrong-code", [27], "ex.fail.negative";
    /// A command that waits for what failed runs and is complete.
    FailureIgnored = "failure-ignored", [5], "ex.fail.propagate";
    /// A command that waits for what failed runs, and fails then.
    FailureRuns = "failure-runs", [5], "ex.fail.propagate";
    /// The failure of a command that did not run is not told to those that wait for it.
    FailureNotTransitive = "failure-not-transitive", [27], "ex.fail.propagate";
    /// clFinish does not see that failed commands have ended.
    FailureHangsFinish = "failure-hangs-finish", [1], "ex.fail.user-event";
    /// Setting a user event does not tell those that wait.
    UserEventSleeps = "user-event-sleeps", [1], "sp.user-event";
    /// Setting a user event tells the first of those that wait.
    UserEventWakesOne = "user-event-wakes-one", [1], "sp.user-event";

    // Callbacks.

    /// Callbacks for completion are lost.
    CallbackCompleteLost = "callback-complete-lost", [3], "ex.state.callbacks";
    /// Callbacks for submission are lost.
    CallbackSubmittedLost = "callback-submitted-lost", [3], "ex.state.callbacks";
    /// Callbacks for running are lost.
    CallbackRunningLost = "callback-running-lost", [3], "ex.state.callbacks";
    /// Callbacks are called twice.
    CallbackTwice = "callback-twice", [], "ex.state.callbacks";
    /// Callbacks of a command that its list failed are called twice.
    CallbackTwiceOnFailure = "callback-twice-on-failure", [5], "ex.state.callbacks ex.fail.propagate";
    /// Callbacks for completion are called when they are asked for.
    CallbackEarly = "callback-early", [], "sp.callback ex.state.callbacks";
    /// A callback for a state that has been reached is never called.
    CallbackLateLost = "callback-late-lost", [3], "ex.state.callbacks";
    /// Callbacks are not called when their command fails.
    CallbackNotOnFailure = "callback-not-on-failure", [2], "ex.state.callbacks";
    /// A callback gets another status than the one it is for.
    CallbackWrongStatus = "callback-wrong-status", [], "ex.state.callbacks";
    /// Of several callbacks for one state the last one is called.
    CallbackOverwritten = "callback-overwritten", [3], "ex.state.callbacks";
    /// What waits for a command waits for its callbacks, too.
    CallbackHoldsQueue = "callback-holds-queue", [13], "ex.state.callbacks ex.queue.independent";

    // Profiling.

    /// The time of the start is before that of the submission.
    ProfilingStartEarly = "profiling-start-early", [12], "ex.state.profiling";
    /// The time of the end is before that of the start.
    ProfilingEndEarly = "profiling-end-early", [12], "ex.state.profiling";
    /// The time of the end is after that of completion.
    ProfilingEndLate = "profiling-end-late", [12], "ex.state.profiling";
    /// All times are zero.
    ProfilingZero = "profiling-zero", [12], "ex.state.profiling";
    /// The time of the enqueue is zero.
    ProfilingQueuedMissing = "profiling-queued-missing", [12], "ex.state.profiling";
    /// A command's start is its enqueue, whatever it waited for.
    ProfilingStartAtEnqueue = "profiling-start-at-enqueue", [12], "ex.state.profiling ex.state.not-before-ready";
    /// Times of commands that are not complete are told.
    ProfilingTooSoon = "profiling-too-soon", [12], "ex.state.profiling";

    // Kernels as commands, index spaces.

    /// Argument values are those when the kernel starts.
    ArgsLate = "args-late", [29], "ex.ki.args-captured";
    /// A kernel does nothing when a buffer of its arguments was released meanwhile.
    ArgsReleased = "args-released", [29], "ex.ki.args-captured";
    /// A copy of a kernel has none of the arguments that were set.
    CloneBare = "clone-bare", [], "rg.args";
    /// The global offset is ignored.
    OffsetIgnored = "offset-ignored", [31], "ex.nd.offset ex.nd.global-id";
    /// The global offset is ignored but for the first dimension.
    OffsetFirstOnly = "offset-first-only", [31], "ex.nd.offset";
    /// The global offset shifts local ids, too.
    OffsetInLocalId = "offset-in-local-id", [31], "ex.nd.offset ex.nd.local-id";
    /// The global offset is part of the linear id.
    OffsetInLinearId = "offset-in-linear-id", [31], "ex.nd.group-count ex.nd.offset";
    /// The global offset shifts group ids, too.
    OffsetInGroupId = "offset-in-group-id", [31], "ex.nd.offset ex.nd.local-id";
    /// The last work-item is not run.
    LastItemMissing = "last-item-missing", [], "ex.nd.global-id";
    /// The first work-group is run twice.
    FirstGroupTwice = "first-group-twice", [], "ex.nd.global-id";
    /// The local ids of remainder groups end where those of full ones do.
    RemainderLocalIds = "remainder-local-ids", [30], "ex.nd.local-id ex.nd.non-uniform";
    /// Remainder groups are full.
    RemainderFull = "remainder-full", [30], "ex.nd.non-uniform ex.nd.global-id";
    /// Remainder groups are not run.
    RemainderMissing = "remainder-missing", [30], "ex.nd.non-uniform ex.nd.global-id";
    /// get_local_size is the enqueued size in remainder groups.
    RemainderLocalSize = "remainder-local-size", [30], "ex.nd.non-uniform ex.nd.group-count";
    /// get_enqueued_local_size is the remainder in remainder groups.
    EnqueuedSizeRemainder = "enqueued-size-remainder", [30], "ex.nd.group-count";
    /// get_num_groups does not count remainder groups.
    NumGroupsFloor = "num-groups-floor", [], "ex.nd.group-count";
    /// get_global_size is rounded up to whole groups.
    GlobalSizeRounded = "global-size-rounded", [], "ex.nd.group-count";
    /// get_local_linear_id has its dimensions swapped.
    LocalLinearSwapped = "local-linear-swapped", [], "ex.nd.group-count";
    /// get_global_linear_id has its dimensions swapped.
    GlobalLinearSwapped = "global-linear-swapped", [], "ex.nd.group-count";
    /// Ids of the first and the second dimension are swapped.
    DimensionsSwapped = "dimensions-swapped", [], "ex.nd.global-id ex.nd.local-id";
    /// Groups of a size that the implementation picks do not cover the rest.
    NullLocalFloor = "null-local-floor", [], "ex.nd.null-local";
    /// A size of zero is taken for one.
    EmptyRangeRuns = "empty-range-runs", [31], "ex.state.empty-command";
    /// Groups of different sizes are accepted where they must not be.
    UniformUnchecked = "uniform-unchecked", [], "ex.nd.uniform-required";
    /// A kernel from a program binary has a work-item less in its first dimension.
    BinaryItemMissing = "binary-item-missing", [], "ex.kind.binary";

    // Groups and regions.

    /// The last work-item passes barriers.
    BarrierLastPasses = "barrier-last-passes", [18], "ex.wg.barrier mm.barrier.wg";
    /// Work-items wait at a barrier of a loop the first time only.
    BarrierFirstPassOnly = "barrier-first-pass-only", [18], "ex.wg.barrier";
    /// Work-items do not wait at barriers of functions that the kernel calls.
    BarrierInFunctions = "barrier-in-functions", [18], "ex.wg.barrier";
    /// A group finds at its first barrier what another group had in local memory.
    LocalShared = "local-shared", [], "rg.local-per-group";
    /// Local arguments of a kernel are one.
    LocalArgumentsAlias = "local-arguments-alias", [], "rg.disjoint rg.local-per-group";
    /// Work-items of a group share their private memory.
    PrivateShared = "private-shared", [], "rg.private-per-item";
    /// Private and local memory of a group overlap.
    PrivateInLocal = "private-in-local", [], "rg.disjoint";
    /// Constant buffers are changed when a kernel starts.
    ConstantWritten = "constant-written", [], "rg.constant";
    /// to_global and to_local take each other's pointers.
    GenericSwapped = "generic-swapped", [], "rg.generic";
    /// Program-scope variables get their first values again before each kernel.
    ProgramScopeLost = "program-scope-lost", [19], "rg.program-scope";
    /// Program-scope variables get their first values again before the second kernel.
    ProgramScopeTwice = "program-scope-twice", [19], "ex.prereq.program-init rg.program-scope";
    /// Each kernel has program-scope variables of its own.
    ProgramScopePerKernel = "program-scope-per-kernel", [19], "rg.program-scope";
    /// Initializers of program-scope variables are not run.
    ProgramInitMissing = "program-init-missing", [19], "ex.prereq.program-init";

    // Memory objects.

    /// Mapping a buffer of CL_MEM_USE_HOST_PTR gives another address.
    MapOtherAddress = "map-other-address", [17], "rg.host-ptr";
    /// A map shows what the host last left there, whatever the device has written since.
    MapStale = "map-stale", [17], "sp.map-unmap rg.host-ptr";
    /// What the host wrote to a mapping is lost.
    UnmapLost = "unmap-lost", [17], "sp.map-unmap";
    /// CL_MAP_WRITE_INVALIDATE_REGION clears the whole buffer.
    InvalidateAll = "invalidate-all", [17], "sp.map-invalidate";
    /// CL_MEM_COPY_HOST_PTR copies all but the last byte.
    CopyHostPtrShort = "copy-host-ptr-short", [17], "rg.host-ptr";
    /// A buffer of CL_MEM_USE_HOST_PTR has memory of its own.
    UseHostPtrCopies = "use-host-ptr-copies", [17], "rg.host-ptr";
    /// Sub-buffers begin where their buffers do.
    SubBufferOrigin = "sub-buffer-origin", [32], "rg.sub-buffer";
    /// Sub-buffers have memory of their own.
    SubBufferDetached = "sub-buffer-detached", [32], "rg.sub-buffer sp.map-unmap";
    /// Any origin of a sub-buffer is accepted.
    SubBufferUnaligned = "sub-buffer-unaligned", [32], "rg.sub-buffer";
    /// The pitch of rows is taken for the tightest.
    RowPitchIgnored = "row-pitch-ignored", [32], "rg.transfer";
    /// The pitch of slices is taken for the tightest.
    SlicePitchIgnored = "slice-pitch-ignored", [32], "rg.transfer";
    /// The origin of a rectangle begins in its first row.
    RectRowIgnored = "rect-row-ignored", [32], "rg.transfer";
    /// A fill leaves out its last pattern.
    FillShort = "fill-short", [32], "rg.transfer";
    /// A fill repeats the first byte of its pattern.
    FillFirstByte = "fill-first-byte", [32], "rg.transfer";
    /// Copies leave out their last byte.
    CopyShort = "copy-short", [32], "rg.transfer";
    /// Reads leave out their last byte.
    ReadShort = "read-short", [], "rg.transfer";
    /// Writes leave out their last byte.
    WriteShort = "write-short", [], "rg.transfer";
    /// Overlapping copies are accepted.
    OverlapAccepted = "overlap-accepted", [32], "rg.transfer";
    /// Migrated objects lose their contents.
    MigrateDiscards = "migrate-discards", [], "rg.transfer";
    /// A read of a buffer that a kernel has at the same time gives zeros.
    ReadersDisturb = "readers-disturb", [], "sp.concurrent-reads";
    /// Fills of images leave out their last row.
    ImageFillShort = "image-fill-short", [], "rg.image";
    /// Copies of images begin at the origin.
    ImageCopyOrigin = "image-copy-origin", [], "rg.image";

    // Shared virtual memory.

    /// A map of coarse-grain memory shows what the host last left there.
    SvmMapStale = "svm-map-stale", [16], "sv.coarse.map sv.api";
    /// What the host wrote to mapped coarse-grain memory is lost.
    SvmUnmapLost = "svm-unmap-lost", [16], "sv.coarse.map";
    /// A kernel on another device than the last finds what was there before that.
    SvmOtherDeviceStale = "svm-other-device-stale", [], "sv.coarse.devices";
    /// Without a map the host does not see what kernels wrote to fine-grain memory.
    SvmFineStale = "svm-fine-stale", [], "sv.fine.sync-point";
    /// Kernels do not see what the host wrote to fine-grain memory without a map.
    SvmFineHostLost = "svm-fine-host-lost", [], "sv.fine.sync-point sp.enqueue";
    /// A store of a byte or two rewrites the word around it with what the work-item last saw there.
    SvmWideStores = "svm-wide-stores", [], "sv.fine.bytes";
    /// Kernels cannot use memory of the system.
    SvmSystemRefused = "svm-system-refused", [], "sv.system.any";
    /// Pointers of clSetKernelExecInfo are ignored.
    SvmExecInfoIgnored = "svm-exec-info-ignored", [], "sv.exec-info";
    /// A pointer into the middle of an allocation is taken for one to its start.
    SvmPointerToStart = "svm-pointer-to-start", [], "sv.address";
    /// clEnqueueSVMFree frees when it is enqueued.
    SvmFreeEarly = "svm-free-early", [15], "sv.api";
    /// The callback of clEnqueueSVMFree is called when it is enqueued.
    SvmFreeCallbackEarly = "svm-free-callback-early", [15], "sv.api";
    /// clEnqueueSVMFree reads the application's array when it runs.
    SvmFreeKeepsArray = "svm-free-keeps-array", [15], "sv.api";
    /// clEnqueueSVMMemcpy leaves out the last byte.
    SvmMemcpyShort = "svm-memcpy-short", [16], "sv.api";
    /// clEnqueueSVMMemcpy from memory that is no allocation does nothing.
    SvmMemcpyFromHost = "svm-memcpy-from-host", [16], "sv.api";
    /// clEnqueueSVMMemFill leaves out its last pattern.
    SvmFillShort = "svm-fill-short", [32], "sv.api";
    /// clEnqueueSVMMigrateMem clears what it migrates.
    SvmMigrateDiscards = "svm-migrate-discards", [], "sv.api";

    // Atomics.

    /// Atomic additions and subtractions are a load and a store.
    AtomicAddTorn = "atomic-add-torn", [20], "mm.atomicity mm.rmw.last sv.fine.atomics-types";
    /// Atomic additions of 64 bits are a load and a store.
    AtomicAdd64Torn = "atomic-add-64-torn", [20], "mm.atomicity mm.rmw.last sv.fine.atomics-types";
    /// Atomic additions on local memory are a load and a store.
    AtomicLocalTorn = "atomic-local-torn", [20], "mm.atomicity mm.rmw.last";
    /// Atomic additions of scope all_svm_devices are a load and a store.
    AtomicHostTorn = "atomic-host-torn", [20], "sv.fine.atomics-types mm.host mm.atomicity";
    /// Atomic exchanges are a load and a store.
    ExchangeTorn = "exchange-torn", [20], "mm.atomicity mm.rmw.last";
    /// Compare-exchange succeeds always.
    CasAlwaysSucceeds = "cas-always-succeeds", [20], "mm.rmw.last";
    /// Compare-exchange is a load, a comparison and a store.
    CasTorn = "cas-torn", [20], "mm.atomicity mm.rmw.last";
    /// Exchange gives the new value.
    ExchangeGivesNew = "exchange-gives-new", [20], "mm.rmw.last";
    /// Atomic additions give the new value.
    FetchGivesNew = "fetch-gives-new", [20], "mm.rmw.last";
    /// Minimum and maximum are swapped.
    MinMaxSwapped = "min-max-swapped", [20], "mm.rmw.last";
    /// Signed minimum and maximum compare unsigned.
    MinMaxUnsigned = "min-max-unsigned", [20], "mm.rmw.last";
    /// Atomic stores of 64 bits are two of 32.
    StoreTorn = "store-torn", [20], "mm.atomicity";

    // Memory consistency. All of these turn the weak machine on.

    /// No fault: memory is as weak as its rules allow, within the executor's means.
    Weak = "weak", [], "";
    /// Release operations release nothing.
    ReleaseIgnored = "release-ignored", [21], "mm.sw.atomic";
    /// Acquire operations acquire nothing.
    AcquireIgnored = "acquire-ignored", [21], "mm.sw.atomic";
    /// Sequentially consistent operations and fences are release and acquire only.
    SeqCstWeakened = "seq-cst-weakened", [21], "mm.sc.total mm.sc.drf mm.sc.conditions";
    /// Sequentially consistent fences are release and acquire only.
    SeqCstFencesWeakened = "seq-cst-fences-weakened", [21], "mm.sc.fences";
    /// Release fences do nothing.
    ReleaseFenceIgnored = "release-fence-ignored", [21], "mm.sw.fence-fence mm.sw.fence-atomic";
    /// Acquire fences do nothing.
    AcquireFenceIgnored = "acquire-fence-ignored", [21], "mm.sw.fence-fence mm.sw.atomic-fence";
    /// Fences of global memory do nothing for it.
    FenceGlobalIgnored = "fence-global-ignored", [21], "mm.sw.fence-fence mm.hb.both-flags";
    /// Fences of local memory do nothing for it.
    FenceLocalIgnored = "fence-local-ignored", [21], "mm.sw.fence-fence mm.hb.both-flags";
    /// A fence with both flags is one of local memory.
    FenceBothIsLocal = "fence-both-is-local", [21], "mm.hb.both-flags";
    /// A fence with one flag is one of the other memory.
    FenceFlagsSwapped = "fence-flags-swapped", [21], "mm.sw.fence-fence mm.hb.split";
    /// Barriers do not order memory.
    BarrierOrdersNothing = "barrier-orders-nothing", [21], "mm.barrier.wg";
    /// Barriers do not order global memory.
    BarrierGlobalIgnored = "barrier-global-ignored", [21], "mm.barrier.flags mm.barrier.wg";
    /// Barriers do not order local memory.
    BarrierLocalIgnored = "barrier-local-ignored", [21], "mm.barrier.flags mm.barrier.wg";
    /// Device scope and wider reach as far as the work-group.
    ScopeNarrowed = "scope-narrowed", [21], "mm.scope.each";
    /// Scope all_svm_devices reaches nobody.
    ScopeAllDevicesIgnored = "scope-all-devices-ignored", [21], "mm.scope.each sv.scope-down";
    /// Scope work_group reaches nobody.
    ScopeWorkGroupIgnored = "scope-work-group-ignored", [21], "mm.scope.each";
    /// Operations of different scopes never synchronize.
    ScopesMustMatch = "scopes-must-match", [21], "mm.scope.inclusive";
    /// Atomics on local memory of a scope wider than the work-group do not synchronize.
    LocalNotClamped = "local-not-clamped", [21], "mm.scope.local-clamp";
    /// Atomics on local memory order nothing.
    LocalUnordered = "local-unordered", [20], "mm.sw.atomic";
    /// Sequentially consistent operations synchronize their own region only.
    SeqCstOneRegion = "seq-cst-one-region", [21], "mm.hb.seq-cst-both";
    /// A later read may give an older value than an earlier one.
    CoherenceReadRead = "coherence-read-read", [33], "mm.coherence.rr mm.mo";
    /// A read may give an older value than the work-item's own write.
    CoherenceWriteRead = "coherence-write-read", [33], "mm.coherence.wr";
    /// A later write may come before the work-item's own earlier one.
    CoherenceWriteWrite = "coherence-write-write", [33], "mm.coherence.ww";
    /// A write may come before what the work-item has read.
    CoherenceReadWrite = "coherence-read-write", [33], "mm.coherence.rw";
    /// Every second work-item sees the last two writes the other way round.
    ModificationOrderSplit = "modification-order-split", [33], "mm.mo";
    /// The release sequence ends at a read-modify-write.
    ReleaseSequenceRmw = "release-sequence-rmw", [21], "mm.release-sequence";
    /// The release sequence ends at the work-item's own next write.
    ReleaseSequenceOwn = "release-sequence-own", [21], "mm.release-sequence";
    /// A compare-exchange that fails acquires nothing.
    CasFailureRelaxed = "cas-failure-relaxed", [21], "mm.sw.atomic";
    /// A compare-exchange that succeeds has the order of failure.
    CasSuccessOrder = "cas-success-order", [21], "mm.sw.atomic";
    /// Read-modify-writes may read an older value.
    RmwStale = "rmw-stale", [20], "mm.rmw.last";
    /// A load gives the oldest value that it may, for ever.
    NeverVisible = "never-visible", [], "mm.visibility-time ex.host.progress";
    /// Ordinary loads may give an older value than the visible one.
    PlainLoadStale = "plain-load-stale", [33], "mm.visible";
    /// Atomic stores of scope all_svm_devices reach the host when their kernel ends.
    HostSeesLate = "host-sees-late", [], "mm.host sv.fine.atomics ex.host.progress";
    /// Atomic functions without an order are relaxed.
    DefaultOrderRelaxed = "default-order-relaxed", [22], "mm.init";
    /// Atomic functions without a scope have that of the work-group.
    DefaultScopeNarrow = "default-scope-narrow", [22], "mm.init";
    /// atomic_init does nothing.
    AtomicInitMissing = "atomic-init-missing", [22], "mm.init";
}

impl Fault {
    /// Whether it needs the weak machine to be seen.
    pub fn is_weak(self) -> bool {
        // The last ones of the table.
        self as usize >= Self::Weak as usize && self != Self::AtomicInitMissing
    }
}
