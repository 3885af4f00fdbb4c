//! Faults that the layer makes of calls of the API: each breaks one promise at every call that could keep it.
//!
//! A group is an [`ApiViolation`], the hook of the layer that acts; its rows say where it does.

use crate::places::*;

faults! {
    /// How a call of the API goes wrong.
    ApiViolation, Carrier::Call;

    // Wait lists.

    WaitsIgnored {
        "waits-ignored-kernel" at [KERNELS] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a kernel waits for its list: it sees an empty one";
        "waits-ignored-read" at [READS] class 9 breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a read of a buffer, rectangle or image waits for its list";
        "waits-ignored-write" at [WRITES] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a write of a buffer, rectangle or image waits for its list";
        "waits-ignored-copy" at [COPIES] class 9 breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a copy between memory objects waits for its list";
        "waits-ignored-fill" at [FILLS] class 9 breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a fill of a buffer or image waits for its list";
        "waits-ignored-rect" at [RECTS] breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a transfer of a rectangle waits for its list";
        "waits-ignored-map" at [MAPS] class 9 breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a map waits for its list";
        "waits-ignored-unmap" at [&["clEnqueueUnmapMemObject"]] class 14
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "an unmap waits for its list";
        "waits-ignored-migrate" at [&["clEnqueueMigrateMemObjects"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a migration waits for its list";
        "waits-ignored-native" at [&["clEnqueueNativeKernel"]] class 9 breaks "ex.kind.native ex.prereq.wait-list":
            "a native kernel waits for its list: it sees an empty one";
        "waits-ignored-svm-copy" at [&["clEnqueueSVMMemcpy"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a copy of shared virtual memory waits for its list";
        "waits-ignored-svm-fill" at [&["clEnqueueSVMMemFill"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a fill of shared virtual memory waits for its list";
        "waits-ignored-svm-map" at [&["clEnqueueSVMMap"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a map of shared virtual memory waits for its list";
        "waits-ignored-svm-unmap" at [&["clEnqueueSVMUnmap"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "an unmap of shared virtual memory waits for its list";
        "waits-ignored-svm-free" at [&["clEnqueueSVMFree"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "freeing shared virtual memory waits for its list";
        "waits-ignored-svm-migrate" at [&["clEnqueueSVMMigrateMem"]] class 9
            breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
            "a migration of shared virtual memory waits for its list";
        "waits-ignored-marker" at [&["clEnqueueMarkerWithWaitList"]] class 9 breaks "ex.prereq.marker sp.marker-list":
            "a marker with a list waits for it: it sees one complete event";
        "waits-ignored-barrier" at [&["clEnqueueBarrierWithWaitList"]] class 10
            breaks "ex.prereq.barrier sp.barrier-list":
            "a barrier with a list waits for it: it sees one complete event";
    }
    WaitsIgnoredBuiltIn { "waits-ignored-built-in" at [RANGES, &["clCreateProgramWithBuiltInKernels"]] class 9
        needs ["built-in kernels"] breaks "ex.kind.builtin ex.prereq.wait-list":
        "a built-in kernel waits for its list: it sees an empty one"; }
    WaitsFirstOnly { "waits-first-only" at [WORK, ORDERS] class 10
        breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
        "a command waits for every event of its list: only for the first"; }
    WaitsLastDropped { "waits-last-dropped" at [WORK, ORDERS] class 10
        breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
        "a command waits for every event of its list: not for the last of several"; }
    WaitsDuplicatesDropped { "waits-duplicates-dropped" at [WORK, ORDERS]
        breaks "ex.prereq.wait-list sp.event-wait ex.state.not-before-ready":
        "an event that is listed twice counts: all its copies are dropped"; }
    WaitsOtherQueueIgnored { "waits-other-queue-ignored" at [WORK, ORDERS] class 9
        breaks "ex.queue.cross-event sp.event-wait":
        "events of other queues order commands: they are dropped from lists"; }
    WaitsOtherDeviceIgnored { "waits-other-device-ignored" at [WORK, ORDERS] class 9
        breaks "ex.queue.cross-event sv.coarse.devices":
        "events of other devices order commands: they are dropped from lists"; }
    WaitsUserEventsIgnored { "waits-user-events-ignored" at [WORK, ORDERS] class 1
        breaks "sp.user-event ex.prereq.wait-list":
        "a command waits for user events: they are dropped from lists"; }
    WaitsMarkersIgnored { "waits-markers-ignored" at [WORK, ORDERS] breaks "ex.prereq.wait-list sp.marker":
        "a command waits for events of any type: those of markers and barriers are dropped"; }
    WaitsOutOfOrderIgnored { "waits-ignored-out-of-order" at [WORK, ORDERS] class 9
        breaks "ex.queue.out-of-order-deps":
        "lists hold in an out-of-order queue: they hold in in-order ones only"; }

    // Calls that return too early.

    Skipped {
        "finish-at-once" at [&["clFinish"]] class 8 breaks "sp.finish ex.queue.blocking":
            "clFinish waits: it returns at once";
        "wait-at-once" at [&["clWaitForEvents"]] class 8 breaks "sp.host-wait ex.queue.blocking":
            "clWaitForEvents waits: it returns at once";
        "legacy-barrier-ignored" at [&["clEnqueueBarrier"]] breaks "ex.prereq.barrier sp.barrier":
            "clEnqueueBarrier orders: nothing is enqueued";
        "legacy-wait-ignored" at [&["clEnqueueWaitForEvents"]] breaks "ex.prereq.barrier sp.barrier-list":
            "clEnqueueWaitForEvents holds later commands back: nothing is enqueued";
        "callback-lost" at [CALLBACKS] class 3 breaks "ex.state.callbacks":
            "a callback is called: it is not registered";
        "user-event-lost" at [&["clSetUserEventStatus"]] class 1 shows Hang breaks "sp.user-event ex.fail.user-event":
            "setting a user event wakes its waiters: nothing happens";
        "events-leak" at [&["clReleaseEvent"]] class 26 breaks "ex.queue.release ex.api.lifetime":
            "an event whose last reference is released is deleted: no reference is released";
    }
    FinishFlushes { "finish-only-flushes" at [&["clFinish"]] breaks "sp.finish ex.queue.blocking":
        "clFinish waits: it flushes and returns"; }
    FinishLastOnly { "finish-last-only" at [WORK, ORDERS, &["clFinish"]] breaks "sp.finish":
        "clFinish waits for every command: only for the last one enqueued"; }
    WaitForFirst { "wait-first-only" at [&["clWaitForEvents"]] class 10 breaks "sp.host-wait":
        "clWaitForEvents waits for every event: only for the first"; }
    WaitHidesFailure { "wait-hides-failure" at [&["clWaitForEvents"]] class 27
        breaks "ex.fail.negative ex.fail.user-event":
        "clWaitForEvents reports a failed command: it answers with success"; }
    WaitWrongError { "wait-wrong-error" at [&["clWaitForEvents"]] class 27 breaks "ex.fail.negative":
        "a failed command is reported as CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: as CL_OUT_OF_RESOURCES"; }
    BlockingEarly {
        "blocking-read-early" at [READS] class 8 breaks "ex.queue.blocking sp.blocking":
            "a blocking read returns with the data: it does not block";
        "blocking-write-early" at [WRITES] class 8 breaks "ex.queue.blocking sp.blocking":
            "a blocking write is done with the host's memory when it returns: it does not block";
        "blocking-map-early" at [MAPS] class 8 breaks "ex.queue.blocking sp.blocking":
            "a blocking map returns when the region is mapped: it does not block";
        "blocking-svm-copy-early" at [&["clEnqueueSVMMemcpy"]] class 8 breaks "ex.queue.blocking sp.blocking":
            "a blocking clEnqueueSVMMemcpy returns when it has copied: it does not block";
        "blocking-svm-map-early" at [&["clEnqueueSVMMap"]] class 8 breaks "ex.queue.blocking sp.blocking":
            "a blocking clEnqueueSVMMap returns when the region is mapped: it does not block";
    }
    NonBlockingBlocks { "non-blocking-blocks" at [BLOCKING] class 13 shows Hang breaks "ex.queue.non-blocking":
        "a non-blocking transfer or map returns without waiting: it blocks"; }

    // Queues.

    InOrderUnordered { "in-order-unordered" at [QUEUES] class 9 breaks "ex.queue.in-order sp.in-order":
        "an in-order queue keeps order: it is created out-of-order, where the device can"; }
    InOrderSwapped { "in-order-swapped" at [QUEUES, WORK, ORDERS, SYNC] breaks "ex.queue.in-order sp.in-order":
        "an in-order queue keeps order: a command that does not block waits for the next one, if that has no list"; }
    TransfersOvertake { "in-order-transfers-overtake" at [QUEUES, WORK, ORDERS, SYNC] class 11
        breaks "ex.queue.in-order sp.in-order":
        "kernels and transfers of an in-order queue keep their order: only kernels among themselves, and the \
         others"; }
    BarrierIgnored { "barrier-ignored" at [&["clEnqueueBarrierWithWaitList"]] breaks "ex.prereq.barrier sp.barrier":
        "a barrier orders: nothing is enqueued, its event is complete"; }
    BarrierEarly { "barrier-early" at [&["clEnqueueBarrierWithWaitList"]] class 10
        breaks "sp.barrier ex.prereq.barrier":
        "a barrier without a list waits for all before it: it sees a list of one complete event"; }
    BarrierAsMarker { "barrier-as-marker" at [&["clEnqueueBarrierWithWaitList"]] class 10
        breaks "ex.prereq.barrier sp.barrier":
        "a barrier without a list holds later commands back: it is a marker"; }
    BarrierListAsMarker { "barrier-list-as-marker" at [&["clEnqueueBarrierWithWaitList"]] class 10
        breaks "ex.prereq.barrier sp.barrier-list":
        "a barrier with a list holds later commands back: it is a marker"; }
    MarkerEarly { "marker-early" at [&["clEnqueueMarkerWithWaitList"]] class 10 breaks "ex.prereq.marker sp.marker":
        "a marker without a list completes after all before it: its event is complete at once"; }
    MarkerLastOnly { "marker-last-only" at [WORK, ORDERS] breaks "ex.prereq.marker sp.marker":
        "a marker without a list waits for all before it: only for the last command"; }
    ReleaseLosesQueue { "queue-release-loses-work" at [WORK, ORDERS, SYNC, &["clRetainCommandQueue"]] class 8
        breaks "ex.queue.release":
        "releasing a queue flushes it: commands not flushed before are terminated"; }
    ReleaseLosesEvent { "event-release-loses-work" at [WORK, ORDERS, SYNC] class 4 breaks "ex.queue.release":
        "releasing an event leaves its command alone: one not flushed before is terminated"; }
    ReleaseInCallbackAborts { "release-in-callback-aborts" at [&["clReleaseEvent", "clSetEventCallback"]] class 4
        shows Crash breaks "ex.queue.release":
        "an event may be released in a callback: the process aborts"; }
    FlushLost { "flush-without-effect" at [WORK, ORDERS, SYNC] class 8 shows Hang breaks "ex.state.flush":
        "a flushed command makes progress: only a call that waits lets it begin"; }
    WaitDoesNotFlush { "wait-does-not-flush" at [WORK, ORDERS, SYNC] class 8 shows Hang breaks "ex.state.flush":
        "clWaitForEvents flushes the queues of its events: what was not flushed never begins"; }
    OtherThreads { "other-threads-lost" at [KERNELS, COPIES, FILLS, READS, WRITES] class 23 breaks "ex.queue.threads":
        "several threads enqueue to a queue: commands of all but the first thread are not enqueued, their events \
         are complete"; }
    QueuesSerialized { "queues-serialized" at [WORK, ORDERS] class 7 shows Hang breaks "ex.queue.independent":
        "queues make progress independently: a command waits for the last one of every other queue"; }

    // Callbacks.

    CallbackTwice { "callback-twice" at [CALLBACKS] breaks "ex.state.callbacks":
        "a callback is called once: it is registered twice"; }
    CallbackTwiceOnFailure { "callback-twice-on-failure" at [CALLBACKS] class 5
        breaks "ex.state.callbacks ex.fail.propagate":
        "a callback of a failed command is called once: it is called twice"; }
    CallbackEarly { "callback-early" at [CALLBACKS] breaks "ex.state.callbacks sp.callback":
        "a callback is called when its status is reached: it is called at once, and not again"; }
    CallbackWrongStatus { "callback-wrong-status" at [CALLBACKS] breaks "ex.state.callbacks ex.fail.negative":
        "a callback gets the status: running for complete, complete for a failure"; }
    CallbackWrongEvent { "callback-wrong-event" at [CALLBACKS] breaks "ex.state.callbacks":
        "a callback gets its event: it is given another one"; }
    CallbackFailureLost { "callback-failure-lost" at [CALLBACKS] class 2 breaks "ex.state.callbacks ex.fail.negative":
        "a callback is called when the command fails, too: it is not"; }
    CallbackLateLost { "callback-late-lost" at [CALLBACKS] class 3 breaks "ex.state.callbacks":
        "a callback registered after its status was reached is called: it is not"; }
    CallbackFirstOnly { "callback-first-only" at [CALLBACKS] class 3 breaks "ex.state.callbacks":
        "each callback of an event is called: only the first that is registered is"; }
    CallbackStatesLost { "callback-states-lost" at [CALLBACKS] class 3 breaks "ex.state.callbacks":
        "callbacks for submitted and running are called: only those for complete are"; }

    // The status of events.

    StatusEarly { "status-early" at [STATUS] breaks "ex.state.status-query ex.state.not-before-ready":
        "CL_COMPLETE means complete: an accepted command is said to be complete"; }
    StatusBackwards { "status-backwards" at [STATUS] breaks "ex.state.order ex.state.status-query":
        "a status never moves back: every second query returns the state before"; }
    StatusStuck { "status-stuck" at [STATUS] shows Hang breaks "ex.state.status-query":
        "a complete command is said to be complete: it is said to be running"; }
    FailureHidden { "failure-hidden" at [STATUS] class 27 breaks "ex.fail.negative":
        "a failed command has a negative status: it is said to be complete"; }
    FailureWrongStatus { "failure-wrong-code" at [STATUS] class 27 breaks "ex.fail.negative":
        "a failed command keeps the status that it failed with: the status is one less"; }

    // User events and failures.

    FailureNotPropagated { "failure-not-propagated" at [WORK, ORDERS, &["clSetUserEventStatus"]] class 5
        breaks "ex.fail.propagate ex.fail.user-event":
        "commands that wait for a failed user event do not run: they run as if it were complete"; }
    FailureCompletes { "user-event-failure-completes" at [&["clSetUserEventStatus"]] class 27
        breaks "ex.fail.user-event ex.fail.negative":
        "a negative status of a user event fails it: it completes"; }
    FailureWrongCode { "user-event-wrong-code" at [&["clSetUserEventStatus"]] breaks "ex.fail.negative":
        "a user event keeps the negative status that it is given: it gets another"; }
    WakesFirst { "user-event-wakes-first" at [WORK, ORDERS] class 1 shows Hang
        breaks "sp.user-event ex.prereq.wait-list":
        "a user event wakes every command that waits for it: only the first"; }
    StartsComplete { "user-event-starts-complete" at [&["clCreateUserEvent", "clSetUserEventStatus"]]
        breaks "sp.user-event ex.state.not-before-ready":
        "a user event holds its waiters until it is set: it is complete from the beginning"; }
    SetTwice { "user-event-set-twice" at [&["clSetUserEventStatus"]] breaks "sp.user-event":
        "a user event is set once: setting it again is answered with success"; }

    // Profiling.

    TimesEqual { "times-equal" at [TIMES] breaks "ex.state.profiling":
        "each state has its time: all have that of CL_PROFILING_COMMAND_QUEUED"; }
    TimesSwapped { "times-swapped" at [TIMES] class 12 breaks "ex.state.profiling":
        "a command starts before it ends: the two times are exchanged"; }
    StartBeforeSubmit { "times-start-before-submit" at [TIMES] class 12 breaks "ex.state.profiling":
        "a command is submitted before it starts: START is one less than SUBMIT"; }
    SubmitBeforeQueued { "times-submit-before-queued" at [TIMES] breaks "ex.state.profiling":
        "a command is queued before it is submitted: SUBMIT is one less than QUEUED"; }
    EndAfterComplete { "times-end-after-complete" at [TIMES] class 12 breaks "ex.state.profiling":
        "a command ends before it is complete: END is one more than COMPLETE"; }
    TimesZero { "times-zero" at [TIMES] class 12 breaks "ex.state.profiling":
        "profiling measures: every time is zero"; }
    TimesQueuedMissing { "times-queued-missing" at [TIMES] class 12 breaks "ex.state.profiling":
        "CL_PROFILING_COMMAND_QUEUED has a time: it is zero"; }
    TimesBackwards { "times-before-dependence" at [TIMES] class 12
        breaks "ex.state.profiling ex.state.not-before-ready":
        "a command starts after what it waits for: time runs backwards from event to event"; }
    TimesAlways { "times-always-available" at [TIMES] class 12 breaks "ex.state.profiling":
        "without profiling, or before completion, there are no times: zero with success"; }

    // Maps and what memory objects promise the host.

    MapStale { "map-without-data" at [&["clEnqueueMapBuffer", "clEnqueueUnmapMemObject"]] class 17
        breaks "sp.map-unmap":
        "a map gives the latest contents: the host sees memory of 0xA5 (not for USE_HOST_PTR)"; }
    UnmapLoses { "unmap-loses-writes" at [&["clEnqueueMapBuffer", "clEnqueueUnmapMemObject"]] class 17
        breaks "sp.map-unmap":
        "an unmap gives the host's writes to the device: they are lost (not for USE_HOST_PTR)"; }
    InvalidateClobbers { "map-invalidate-clobbers" at [&["clEnqueueMapBuffer"]] class 17 breaks "sp.map-invalidate":
        "CL_MAP_WRITE_INVALIDATE_REGION leaves the rest alone: the rest is filled with 0xA5"; }
    OffsetIgnored {
        "map-offset-ignored" at [&["clEnqueueMapBuffer"]] breaks "sp.map-unmap rg.host-ptr":
            "a map begins at its offset: at the beginning of the buffer";
        "read-offset-ignored" at [&["clEnqueueReadBuffer"]] breaks "rg.transfer":
            "a read begins at its offset: at the beginning of the buffer";
        "write-offset-ignored" at [&["clEnqueueWriteBuffer"]] breaks "rg.transfer":
            "a write begins at its offset: at the beginning of the buffer";
        "copy-source-offset-ignored" at [&["clEnqueueCopyBuffer"]] breaks "rg.transfer":
            "a copy begins at its offset in the source: at the beginning";
        "fill-offset-ignored" at [&["clEnqueueFillBuffer"]] breaks "rg.transfer":
            "a fill begins at its offset: at the beginning of the buffer";
    }
    UseHostPtrCopied { "use-host-ptr-copied" at [BUFFERS] class 17 breaks "rg.host-ptr":
        "a buffer of CL_MEM_USE_HOST_PTR is mapped at that pointer: it copies the memory once"; }
    CopyHostPtrIgnored { "copy-host-ptr-ignored" at [BUFFERS] class 17 breaks "rg.host-ptr":
        "a buffer of CL_MEM_COPY_HOST_PTR begins with that data: it begins with none"; }
    SubBufferOrigin { "sub-buffer-origin-ignored" at [&["clCreateSubBuffer"]] class 32 breaks "rg.sub-buffer":
        "a sub-buffer begins at its origin: at the beginning of its parent"; }
    MigrateClobbers { "migrate-clobbers" at [&["clEnqueueMigrateMemObjects"]] breaks "rg.transfer":
        "a migration keeps the contents: the first buffer is filled with 0xA5"; }
    SvmMigrateClobbers { "svm-migrate-clobbers" at [&["clSVMAlloc", "clSVMFree", "clEnqueueSVMMigrateMem"]] breaks "sv.api":
        "a migration of shared virtual memory keeps the contents: the first region is filled with 0xA5"; }
    SubBufferDetached { "sub-buffer-detached" at [&["clCreateSubBuffer"]] class 32 breaks "rg.sub-buffer":
        "a sub-buffer sees its parent's data: it is a buffer by itself"; }

    // Shared virtual memory.

    SvmMapStale { "svm-map-stale" at [&["clEnqueueSVMMap", "clEnqueueSVMUnmap"]] class 16
        breaks "sv.coarse.map sp.map-unmap":
        "a map shows what kernels wrote: it shows what was there at the unmap before"; }
    SvmUnmapLoses { "svm-unmap-loses-writes" at [&["clEnqueueSVMMap", "clEnqueueSVMUnmap"]] class 16
        breaks "sv.coarse.map sp.map-unmap":
        "an unmap gives the host's writes to kernels: what was there at the map comes back"; }
    SvmFreeEarly { "svm-free-early" at [&["clSVMAlloc", "clSVMFree", "clEnqueueSVMFree"]] class 15
        breaks "sv.api ex.queue.in-order":
        "memory is freed in queue order: it is overwritten with 0xA5 by the enqueue, as a new owner would"; }
    SvmCallbackEarly { "svm-free-callback-early" at [&["clEnqueueSVMFree"]] class 15 breaks "sv.api":
        "the callback of clEnqueueSVMFree is called in queue order: by the enqueue"; }
    SvmCallbackLost { "svm-free-callback-lost" at [&["clEnqueueSVMFree"]] breaks "sv.api":
        "the callback of clEnqueueSVMFree is called: it is not"; }
    SvmKeepsArray { "svm-free-keeps-array" at [&["clEnqueueSVMFree"]] class 15 breaks "sv.api":
        "the array of pointers is the caller's again: the callback gets the caller's own array"; }
    Short {
        "svm-copy-short" at [&["clEnqueueSVMMemcpy"]] class 16 breaks "sv.api":
            "clEnqueueSVMMemcpy copies every byte: not the last";
        "svm-fill-short" at [&["clEnqueueSVMMemFill"]] class 32 breaks "sv.api":
            "clEnqueueSVMMemFill fills every byte: not the last pattern";
        "read-short" at [&["clEnqueueReadBuffer"]] breaks "rg.transfer":
            "a read brings every byte: not the last";
        "write-short" at [&["clEnqueueWriteBuffer"]] breaks "rg.transfer":
            "a write brings every byte: not the last";
        "copy-short" at [&["clEnqueueCopyBuffer"]] class 32 breaks "rg.transfer":
            "a copy brings every byte: not the last";
        "fill-short" at [&["clEnqueueFillBuffer"]] class 32 breaks "rg.transfer":
            "a fill reaches its end: not the last pattern";
    }
    FillPattern {
        "svm-fill-pattern-wrong" at [&["clEnqueueSVMMemFill"]] breaks "sv.api":
            "clEnqueueSVMMemFill repeats its pattern: the pattern's last byte is one more";
        "fill-pattern-wrong" at [&["clEnqueueFillBuffer"]] breaks "rg.transfer":
            "a fill repeats its pattern: the pattern's last byte is one more";
    }
    PointerToBase { "svm-pointer-to-base" at [&["clSVMAlloc", "clSVMFree", "clSetKernelArgSVMPointer"]]
        breaks "sv.address":
        "a kernel gets a pointer into the middle of an allocation: to its beginning"; }
    SvmMisuse { "svm-misuse-accepted" at [SVM] breaks "sv.api":
        "wrong use of shared virtual memory gets its error: success, and a complete event"; }

    // Transfers.

    Corrupt { "data-corrupted" at [&["clEnqueueReadBuffer", "clEnqueueMapBuffer", "clEnqueueSVMMap", "clEnqueueSVMMemcpy"]] breaks "rg.transfer sp.map-unmap sv.api":
        "data arrives as written: 1 is added to its first 32-bit word"; }
    TargetOffsetIgnored { "copy-target-offset-ignored" at [&["clEnqueueCopyBuffer"]] breaks "rg.transfer":
        "a copy begins at its offset in the target: at the beginning"; }
    FillTruncated { "fill-pattern-first-byte" at [&["clEnqueueFillBuffer"]] class 32 breaks "rg.transfer":
        "a fill repeats its pattern: the pattern's first byte"; }
    OriginIgnored {
        "rect-origin-ignored" at [RECTS] class 32 breaks "rg.transfer":
            "a rectangle begins at its origin in the buffer, or in the source: at the beginning";
        "image-origin-ignored" at [IMAGE_ORIGINS] breaks "rg.image":
            "a transfer or map of an image begins at its origin: at the beginning";
    }
    TargetOriginIgnored { "rect-target-origin-ignored" at [RECTS] breaks "rg.transfer":
        "a rectangle begins at its origin in the host's memory, or in the target: at the beginning"; }
    RowPitchIgnored {
        "rect-row-pitch-ignored" at [RECTS] class 32 breaks "rg.transfer":
            "rows of a rectangle are as far apart as their pitch says: they follow each other closely";
        "image-pitch-ignored" at [IMAGES] breaks "rg.image":
            "rows of an image lie as far apart on the host as their pitch says: closely";
    }
    SlicePitchIgnored { "rect-slice-pitch-ignored" at [RECTS] class 32 breaks "rg.transfer":
        "slices of a rectangle are as far apart as their pitch says: they follow each other closely"; }
    ImageFillShort { "image-fill-short" at [&["clEnqueueFillImage"]] breaks "rg.image":
        "a fill of an image reaches its end: not the last of several rows"; }
    OverlapAccepted { "copy-overlap-accepted" at [
        &[
            "clEnqueueCopyBuffer",
            "clEnqueueCopyBufferRect",
            "clEnqueueCopyImage",
            "clEnqueueSVMMemcpy",
        ]] class 32
        breaks "rg.transfer ex.api.errors":
        "an overlapping copy gets CL_MEM_COPY_OVERLAP: success, and a complete event"; }

    // Arguments of kernels.

    ArgsLate { "args-captured-late" at [RANGES] class 29 breaks "ex.ki.args-captured":
        "arguments are captured by the enqueue: by the next call that is no clSetKernelArg…"; }
    ArgsStale { "args-stale" at [RANGES, &[
                "clSetKernelArg",
                "clSetKernelArgSVMPointer",
                "clReleaseKernel",
            ]]
        breaks "ex.ki.args-captured sp.enqueue":
        "a kernel takes the arguments that are set last: those of its first enqueue stay"; }
    CloneBare { "clone-without-arguments" at [&["clCloneKernel"]] breaks "rg.args":
        "a clone of a kernel has its arguments: it has none"; }
    ArgTruncated { "arg-truncated" at [&["clSetKernelArg"]] breaks "rg.args":
        "an argument arrives whole: the upper half of a value is zero (not of eight bytes, which may be an object)"; }

    // Index spaces.

    OffsetDropped { "offset-dropped" at [RANGES] class 31 breaks "ex.nd.offset ex.nd.global-id":
        "the global offset shifts global ids: there is none"; }
    OffsetFirstOnly { "offset-first-only" at [RANGES] class 31 breaks "ex.nd.offset":
        "the global offset shifts every dimension: only the first"; }
    Offset32Bit { "offset-32-bit" at [RANGES] breaks "ex.nd.offset ex.nd.global-id":
        "offsets have as many bits as size_t: they have 32"; }
    LocalSizeIgnored { "local-size-ignored" at [RANGES] breaks "ex.nd.local-id ex.nd.group-count":
        "work-groups have the size that is asked for: each work-item is a group"; }
    LocalSizeHalved { "local-size-halved" at [RANGES] breaks "ex.nd.local-id ex.nd.group-count":
        "work-groups have the size that is asked for: half of an even size in the first dimension"; }
    LastGroupLost { "last-group-lost" at [RANGES] breaks "ex.nd.global-id ex.nd.group-count ex.ki.completion":
        "every work-group runs: the last one of the first dimension does not"; }
    RemainderLost { "remainder-lost" at [RANGES] class 30 breaks "ex.nd.non-uniform":
        "remainder work-groups run: they do not"; }
    RunsTwice { "kernel-runs-twice" at [RANGES] breaks "ex.nd.global-id":
        "every work-item runs once: the kernel is enqueued twice"; }
    EmptyRangeRuns { "empty-range-runs" at [RANGES] class 31 breaks "ex.state.empty-command":
        "a range with a size of zero runs nothing: the size is one"; }
    GroupSizeAccepted { "group-size-accepted" at [RANGES] breaks "ex.nd.uniform-required ex.api.errors":
        "an impossible local size gets CL_INVALID_WORK_GROUP_SIZE: the kernel runs without one"; }
    BuiltInsFirst { "built-in-kernels-first-only" at [
        &["clCreateProgramWithBuiltInKernels"]] needs ["built-in kernels"]
        breaks "ex.kind.builtin":
        "a program of built-in kernels has all that are named: only the first"; }

    // Errors that are no errors, and calls that are none.

    Refused { "fill-refused" at [&["clEnqueueFillBuffer", "clEnqueueSVMMemFill"]] breaks "ex.api.valid":
        "a fill that is right is enqueued: it gets CL_INVALID_VALUE"; }
    ForeignEvents { "foreign-events-accepted" at [WORK, ORDERS] class 24 breaks "ex.prereq.wait-list":
        "an event of another context gets CL_INVALID_CONTEXT: the command runs without its list"; }
    OverRelease { "over-release-accepted" at [RELEASES] breaks "ex.queue.release":
        "releasing too often gets the error of the object: success"; }
    OverReleaseAborts { "over-release-aborts" at [RELEASES] class 25 shows Crash breaks "ex.queue.release":
        "releasing too often gets the error of the object: the process aborts"; }
    SubBufferMisaligned { "sub-buffer-misaligned-accepted" at [&["clCreateSubBuffer"]] class 32
        breaks "rg.sub-buffer ex.api.errors":
        "a misaligned sub-buffer gets CL_MISALIGNED_SUB_BUFFER_OFFSET: it begins at the page before"; }
}
