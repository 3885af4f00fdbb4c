//! Which scenarios show which fault.

use touchstone_faults::Fault::{self, *};

/// Faults that make something wait for ever.
pub fn hangs(fault: Fault) -> bool {
    matches!(
        fault,
        QueuesDepend
            | CrossQueueHangs
            | LockOrderInverted
            | NonBlockingBlocks
            | FlushIgnored
            | WaitDoesNotFlush
            | ReleaseDoesNotFlush
            | FailureHangsFinish
            | UserEventSleeps
            | UserEventWakesOne
            | CallbackHoldsQueue
            | CallbackLateLost
            | CallbackOverwritten
            | CallbackNotOnFailure
    )
}

/// The scenarios that must notice a fault.
pub fn shows(fault: Fault) -> &'static [&'static str] {
    match fault {
        WaitListIgnored => &[
            "list_of_fill",
            "list_of_kernel",
            "list_of_marker",
            "list_of_map",
        ],
        WaitListFirstOnly => &["list_last"],
        WaitListLastDropped => &["list_last"],
        WaitListKernels => &["list_of_kernel"],
        WaitListTransfers => &["list_of_fill"],
        WaitListMarkers => &["list_of_marker"],
        WaitListBarriers => &["list_of_barrier"],
        WaitListMaps => &["list_of_map"],
        WaitListUnmaps => &["list_of_unmap"],
        WaitListSvm => &["list_of_svm"],
        WaitListNative => &["list_of_native"],
        WaitListBuiltIn => &["list_of_built_in"],
        WaitListMigrations => &["list_of_migration"],
        WaitListUserEvents => &["list_of_fill"],
        WaitListOtherQueues => &["other_queue"],
        WaitListOtherDevices => &["other_device"],
        WaitListOutOfOrder => &["list_first"],
        ForeignEventsAccepted => &["foreign_event"],
        InOrderIgnored => &["in_order"],
        InOrderKernelsApart => &["in_order_kinds"],
        MarkerIgnoresEarlier => &["marker_all"],
        BarrierIgnoresEarlier => &["barrier_all"],
        BarrierHoldsNothing => &["barrier_holds"],
        BarrierListHoldsNothing => &["barrier_list_holds"],
        BarrierHoldsOne => &["barrier_holds"],
        QueuesDepend | CrossQueueHangs => &["independent"],
        ThreadsLoseCommands => &["threads"],
        ConcurrentCreationAborts => &["creation"],
        LockOrderInverted => &["locks"],
        FinishReturnsAtOnce | FinishForgetsLast => &["finish"],
        WaitReturnsAtOnce | WaitFirstOnly => &["wait_for_all"],
        BlockingReadReturns => &["blocking_read"],
        BlockingWriteReturns => &["blocking_write"],
        BlockingMapReturns => &["blocking_map"],
        BlockingSvmReturns => &["blocking_svm"],
        NonBlockingBlocks => &["non_blocking"],
        FlushIgnored => &["flush"],
        WaitDoesNotFlush => &["wait_flushes"],
        ReleaseDoesNotFlush => &["release_queue"],
        ReleaseQueueLosesWork => &["release_queue"],
        ReleaseEventLosesWork => &["release_event"],
        ReleaseInCallbackAborts => &["release_in_callback"],
        OverReleaseAborts => &["over_release"],
        EventsLeak => &["leak"],
        CompleteEarly => &["complete_with_data"],
        LastGroupLate => &["last_group"],
        StatusCompleteEarly => &["status_pending"],
        StatusGoesBack => &["status_final"],
        StatusHidesFailure => &["failure_status"],
        WaitHidesFailure | WaitWrongCode => &["failure_waited"],
        UserFailureLost => &["failure_of_user"],
        FailureWrongCode => &["failure_status"],
        FailureIgnored | FailureRuns => &["failure_stops"],
        FailureNotTransitive => &["failure_goes_on"],
        FailureHangsFinish => &["failure_finish"],
        UserEventSleeps | UserEventWakesOne => &["user_event"],
        CallbackCompleteLost
        | CallbackSubmittedLost
        | CallbackRunningLost
        | CallbackTwice
        | CallbackWrongStatus => &["callbacks"],
        CallbackTwiceOnFailure => &["callback_failure"],
        CallbackEarly => &["callback_data"],
        CallbackLateLost => &["callback_late"],
        CallbackNotOnFailure => &["callback_failure"],
        CallbackOverwritten => &["callback_several"],
        CallbackHoldsQueue => &["callback_waits"],
        ProfilingStartEarly
        | ProfilingEndEarly
        | ProfilingEndLate
        | ProfilingZero
        | ProfilingQueuedMissing => &["profiling"],
        ProfilingStartAtEnqueue => &["profiling_order"],
        ProfilingTooSoon => &["profiling_pending"],
        ArgsLate => &["arguments"],
        ArgsReleased => &["argument_released"],
        CloneBare => &["cloned"],
        OffsetIgnored
        | OffsetFirstOnly
        | OffsetInLocalId
        | OffsetInLinearId
        | OffsetInGroupId
        | LastItemMissing
        | FirstGroupTwice
        | RemainderLocalIds
        | RemainderFull
        | RemainderMissing
        | RemainderLocalSize
        | EnqueuedSizeRemainder
        | NumGroupsFloor
        | GlobalSizeRounded
        | LocalLinearSwapped
        | GlobalLinearSwapped
        | DimensionsSwapped => &["ids"],
        NullLocalFloor => &["null_local"],
        EmptyRangeRuns => &["empty"],
        UniformUnchecked => &["uniform"],
        BinaryItemMissing => &["binary"],
        BarrierLastPasses => &["barrier"],
        BarrierFirstPassOnly => &["barrier_loop"],
        BarrierInFunctions => &["barrier_function"],
        LocalShared => &["local_of_group"],
        LocalArgumentsAlias => &["local_arguments"],
        PrivateShared => &["private"],
        PrivateInLocal => &["private_and_local"],
        ConstantWritten => &["constant"],
        GenericSwapped => &["generic"],
        ProgramScopeLost | ProgramScopeTwice | ProgramScopePerKernel | ProgramInitMissing => {
            &["program_scope"]
        }
        MapOtherAddress | UseHostPtrCopies => &["host_pointer"],
        MapStale => &["map_latest"],
        UnmapLost => &["unmap_writes"],
        InvalidateAll => &["invalidate"],
        CopyHostPtrShort => &["copy_host_pointer"],
        SubBufferOrigin | SubBufferDetached => &["sub_buffer"],
        SubBufferUnaligned => &["sub_buffer_alignment"],
        RowPitchIgnored | SlicePitchIgnored | RectRowIgnored => &["rect"],
        FillShort | FillFirstByte => &["fill_pattern"],
        CopyShort => &["copy"],
        ReadShort | WriteShort => &["read_write"],
        OverlapAccepted => &["overlap"],
        MigrateDiscards => &["migrate"],
        ReadersDisturb => &["readers"],
        ImageFillShort | ImageCopyOrigin => &["images"],
        SvmMapStale => &["coarse_map"],
        SvmUnmapLost => &["coarse_unmap"],
        SvmOtherDeviceStale => &["other_device"],
        SvmFineStale | SvmFineHostLost => &["fine"],
        SvmWideStores => &["bytes"],
        SvmSystemRefused => &["system"],
        SvmExecInfoIgnored => &["exec_info"],
        SvmPointerToStart => &["middle"],
        SvmFreeEarly => &["free_in_order"],
        SvmFreeCallbackEarly => &["free_callback"],
        SvmFreeKeepsArray => &["free_array"],
        SvmMemcpyShort | SvmMemcpyFromHost => &["memcpy"],
        SvmFillShort => &["memfill"],
        SvmMigrateDiscards => &["svm_migrate"],
        AtomicAddTorn | AtomicAdd64Torn | AtomicLocalTorn | AtomicHostTorn => &["atomic_add"],
        ExchangeTorn => &["atomic_exchange"],
        CasAlwaysSucceeds | CasTorn => &["atomic_cas"],
        ExchangeGivesNew | FetchGivesNew => &["atomic_values"],
        MinMaxSwapped | MinMaxUnsigned => &["atomic_min_max"],
        StoreTorn => &["atomic_store"],
        Weak => &[],
        ReleaseIgnored | AcquireIgnored | ScopeNarrowed | PlainLoadStale => &["message_passing"],
        SeqCstWeakened => &["store_buffering"],
        SeqCstFencesWeakened => &["store_buffering_fences"],
        ReleaseFenceIgnored | AcquireFenceIgnored | FenceGlobalIgnored | FenceFlagsSwapped => {
            &["fences_global"]
        }
        FenceLocalIgnored => &["fences_local"],
        FenceBothIsLocal => &["fences_both"],
        BarrierOrdersNothing => &["barrier_global", "barrier_local"],
        BarrierGlobalIgnored => &["barrier_global"],
        BarrierLocalIgnored => &["barrier_local"],
        ScopeAllDevicesIgnored => &["message_passing_all_devices"],
        ScopeWorkGroupIgnored => &["message_passing_work_group"],
        ScopesMustMatch => &["message_passing_mixed"],
        LocalNotClamped => &["local_passing_wide"],
        LocalUnordered => &["local_passing"],
        SeqCstOneRegion => &["seq_cst_both"],
        CoherenceReadRead => &["read_read"],
        CoherenceWriteRead => &["write_read"],
        CoherenceWriteWrite => &["write_write"],
        CoherenceReadWrite => &["read_write_coherence"],
        ModificationOrderSplit => &["modification_order"],
        ReleaseSequenceRmw => &["release_sequence_rmw"],
        ReleaseSequenceOwn => &["release_sequence_own"],
        CasFailureRelaxed => &["cas_failure"],
        CasSuccessOrder => &["cas_success"],
        RmwStale => &["read_modify_write"],
        NeverVisible => &["visibility"],
        HostSeesLate => &["dialogue"],
        DefaultOrderRelaxed => &["store_buffering_default"],
        DefaultScopeNarrow => &["message_passing_default"],
        AtomicInitMissing => &["atomic_init"],
    }
}
