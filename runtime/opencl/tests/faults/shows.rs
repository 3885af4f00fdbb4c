//! Which scenarios show which fault.

use touchstone_faults::Fault::{self, *};

/// Faults that make something wait for ever.
pub fn hangs(fault: Fault) -> bool {
    matches!(
        fault,
        CrossQueueHangs | LockOrderInverted | FailureHangsFinish | CallbackHoldsQueue
    )
}

/// The scenarios that must detect a fault.
pub fn shows(fault: Fault) -> &'static [&'static str] {
    match fault {
        BarrierHoldsOne => &["barrier_holds"],
        CrossQueueHangs => &["independent"],
        ConcurrentCreationAborts => &["creation"],
        LockOrderInverted => &["locks"],
        FinishForgetsLast => &["finish"],
        CompleteEarly => &["complete_with_data"],
        LastGroupLate => &["last_group"],
        LastGroupEarly => &["early_group"],
        FailureRuns => &["failure_stops"],
        FailureNotTransitive => &["failure_goes_on"],
        FailureHangsFinish => &["failure_finish"],
        CallbackHoldsQueue => &["callback_waits"],
        ArgsReleased => &["argument_released"],
        OffsetInLocalId
        | OffsetInLinearId
        | OffsetInGroupId
        | LastItemMissing
        | FirstGroupTwice
        | GroupOrderRepeats
        | RemainderLocalIds
        | RemainderFull
        | RemainderLocalSize
        | EnqueuedSizeRemainder
        | NumGroupsFloor
        | LocalLinearSwapped
        | GlobalLinearSwapped
        | DimensionsSwapped => &["ids"],
        NullLocalFloor => &["null_local"],
        BinaryItemMissing | BinaryStatusUnwritten => &["binary"],
        ProgramVariablesShared => &["two_programs"],
        HeadersReversed => &["two_headers"],
        CloneShares => &["clone"],
        ImageArgumentKept => &["image_again"],
        ParametersTooSmall | NumericVersionOlder | ExtensionWithoutVersion => &["device_answers"],
        GlobalVariablesUncounted => &["global_variables"],
        ExtensionMacroMissing | FeatureMacroOfAnother => &["macros"],
        MapSlicePitch => &["mapped_plane"],
        LayerBelow | LayerMiddleUp => &["layers"],
        BallotCountsAll => &["ballot"],
        LeastNormBelow => &["least_norm"],
        SourcePiecesApart => &["pieces"],
        FailedBuildForgotten => &["failed_rebuild"],
        SamplerDefaultEdge => &["sampler_defaults"],
        ChildOffsetLost => &["child_offsets"],
        LaterUnitBeginsZero | LinksFirstTwo => &["units"],
        CloneLosesNull => &["clone_without_object"],
        SignedComparesUnsigned
        | ShiftFillsZeros
        | LaneShiftWide
        | LaneTruthOne
        | NarrowSignLost
        | HighProductUnsigned
        | NegativeIndexUnsigned
        | ByteIndexSigned
        | HighHalfOfThree
        | AndBindsTighter
        | AssignedValueWide
        | ShiftsCancel
        | LaneChoiceNonzero
        | NegativeZeroTrue
        | UnsignedOfFloatSigned
        | DifferenceByNegation
        | StructTailLost
        | AlignmentNotCounted
        | WideMemberCloser
        | InitializerRestKept
        | LaneNegationComplements => &["computing"],
        FlagConstantStays | BinaryConstantsLost => &["specialized"],
        RowsCloser => &["rows_apart"],
        DepthSigned => &["depths"],
        LinesCloser => &["lines_apart"],
        IlSignLost | IlBarrierLost | IlAtomicSumReplaces => &["module"],
        CalledBlockHoldsNothing => &["called_block"],
        HexadecimalSigned | OctalEscapeShort | DesignatorKeepsPlace | DefaultTakenLast => {
            &["language"]
        }
        ConditionsSigned | StringsOfValues | OptionValueLost | EmptyValueOne => &["preprocessing"],
        BarrierLastPasses | ItemsRunToEnd => &["barrier"],
        BarrierFirstPassOnly => &["barrier_loop"],
        BarrierInFunctions => &["barrier_function"],
        LocalShared => &["local_of_group"],
        LocalArgumentsAlias | LocalArgumentsTight => &["local_arguments"],
        PrivateShared => &["private"],
        PrivateInLocal => &["private_and_local"],
        ConstantWritten => &["constant"],
        GenericSwapped => &["generic"],
        ProgramScopeLost | ProgramScopeTwice | ProgramScopePerKernel => &["program_scope"],
        ReadersDisturb => &["readers"],
        MoveForgotten => &["other_memory"],
        MapViewStale => &["mapped_read"],
        UnmapByteMore | MapWriteRubbish => &["mapped_written"],
        HostPointerStale => &["host_pointer"],
        SvmOtherDeviceStale => &["other_device"],
        CoarseMapStale => &["other_device"],
        SvmFineStale | SvmFineHostLost => &["fine"],
        SvmWideStores => &["bytes"],
        SvmSystemRefused => &["system"],
        SvmExecInfoIgnored | SvmListKept => &["exec_info"],
        SvmMemcpyFromHost => &["memcpy"],
        AtomicAddTorn | AtomicAdd64Torn | AtomicLocalTorn | AtomicHostTorn | AtomicFloatSumTorn => {
            &["atomic_add"]
        }
        ExchangeTorn => &["atomic_exchange"],
        CasAlwaysSucceeds | CasTorn => &["atomic_cas"],
        StrongExchangeFails => &["atomic_cas_strong"],
        WeakFailureWrites => &["atomic_cas_weak"],
        ExchangeGivesNew | FetchGivesNew => &["atomic_values"],
        MinMaxSwapped | MinMaxUnsigned => &["atomic_min_max"],
        StoreTorn => &["atomic_store"],
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
        ScopeSubGroupIgnored => &["message_passing_sub_group"],
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
        CasSuccessOrder => &["cas_success"],
        RmwStale => &["read_modify_write"],
        NeverVisible => &["visibility"],
        HostSeesLate => &["dialogue"],
        AtomicInitMissing => &["atomic_init"],
        ChildBeforeParent | ChildWaitsForGroup => &["child_waits_for_parent"],
        ChildBeforeGroup => &["child_waits_for_group"],
        ChildWaitListIgnored => &["child_waits_for_events"],
        DeviceMarkerEarly => &["device_marker"],
        ChildLost | CapturesLost | CapturesKept => &["captures"],
        ChildLocalsSwapped => &["child_locals"],
        CaptureLost => &["child_times"],
        RecordedLate
        | EnqueuedUnfinalized
        | CommandBufferStateStuck
        | SyncPointsUnchecked
        | CommandBufferForeignQueue => &["recorded_states"],
        SyncPointsIgnored | SyncPointsFirstOnly => &["recorded_sync_points"],
        RecordedBarrierWaitsForNothing | RecordedBarrierHoldsNothing => &["recorded_barrier"],
        RecordedOutOfOrder => &["recorded_in_order"],
        RecordedArgumentsLate => &["recorded_arguments"],
        RecordedCommandLost | RecordedDoneAtOnce | CommandBufferOnce => &["recorded_commands"],
        CommandBufferWaitListIgnored | CommandBufferCompleteEarly => &["recorded_event"],
        CommandBufferQueueIgnored => &["recorded_elsewhere"],
        UpdateIgnored | UpdateReachesPending | UpdateForgetsFields | UpdateClearsOffset
        | UpdateReachesKernel | UpdatedArgumentLost | UpdatedOffsetLost | UpdatedSizeLost
        | UpdatedGroupLost | MutableInfoStale => &["updated_kernel"],
        UpdatedPointerLost => &["updated_pointer"],
        UpdatePartlyKept | UpdateFieldsUnchecked | UpdateUniformityUnchecked | ImmutableUpdated => {
            &["updates_refused"]
        }
        CommandBufferStateHasty | EnqueuedWithoutArguments => &["late_arguments"],
        ParentCompleteEarly => &["parent_after_children"],
        DeviceUserFailureHidden => &["failure_of_user_event"],
        ChildFailureHidden => &["failure_of_child"],
    }
}
