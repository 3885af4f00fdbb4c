//! What each mutation makes of a source.

use super::*;

fn weak(source: &str, mutations: &[SourceMutation]) -> String {
    String::from_utf8(mutate(source.as_bytes(), mutations)).expect("text")
}

#[test]
fn nothing_asked_nothing_changed() {
    let source = "kernel void f(global atomic_int*x){atomic_store(x,1);barrier(1);} // memory";
    assert_eq!(weak(source, &[]), source);
}

#[test]
fn orders_are_relaxed_named_or_not() {
    for (source, expected) in [
        (
            "atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);",
            "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);",
        ),
        (
            "atomic_store(x, f(1, 2));",
            "atomic_store_explicit(x, f(1, 2), memory_order_relaxed);",
        ),
        (
            "r = atomic_load(&x[i, 2]);",
            "r = atomic_load_explicit(&x[i, 2], memory_order_relaxed);",
        ),
        (
            "atomic_store(x, atomic_load(y))",
            "atomic_store_explicit(x, atomic_load_explicit(y, memory_order_relaxed), \
             memory_order_relaxed)",
        ),
        (
            "atomic_compare_exchange_strong(x, &e, 1)",
            "atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_relaxed, \
             memory_order_relaxed)",
        ),
        (
            "#define ACQ memory_order_acquire\n",
            "#define ACQ memory_order_relaxed\n",
        ),
        (
            "atomic_add(x, 1); atomic_init(x, 0);",
            "atomic_add(x, 1); atomic_init(x, 0);",
        ),
    ] {
        assert_eq!(weak(source, &[RelaxOrders]), expected);
    }
}

#[test]
fn fences_keep_their_orders_when_orders_are_relaxed() {
    let fence =
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);";
    assert_eq!(weak(fence, &[RelaxOrders]), fence);
    let both = format!("{fence} int o = memory_order_seq_cst;");
    assert_eq!(
        weak(&both, &[RelaxOrders]),
        format!("{fence} int o = memory_order_relaxed;")
    );
}

#[test]
fn comments_and_strings_are_left_alone() {
    let source = "/* barrier(1) */ char*s = \"memory_order_acquire\"; // mem_fence(1)\n";
    assert_eq!(
        weak(
            source,
            &[
                RelaxOrders,
                DropFences,
                DropBarriers,
                NarrowScopes,
                SwapFlags
            ]
        ),
        source
    );
}

#[test]
fn scopes_are_narrowed_named_or_not() {
    for (source, expected) in [
        (
            "atomic_load_explicit(x, memory_order_acquire, memory_scope_all_svm_devices)",
            "atomic_load_explicit(x, memory_order_acquire, memory_scope_work_group)",
        ),
        (
            "atomic_load_explicit(x, memory_order_acquire)",
            "atomic_load_explicit(x, memory_order_acquire, memory_scope_work_group)",
        ),
        (
            "atomic_fetch_add(x, 1)",
            "atomic_fetch_add_explicit(x, 1, memory_order_seq_cst, memory_scope_work_group)",
        ),
        (
            "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device)",
            "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group)",
        ),
        (
            "atomic_load_explicit(x, memory_order_acquire, memory_scope_sub_group)",
            "atomic_load_explicit(x, memory_order_acquire, memory_scope_sub_group)",
        ),
    ] {
        assert_eq!(weak(source, &[NarrowScopes]), expected);
    }
    assert_eq!(
        weak("atomic_fetch_add(x, 1)", &[NarrowScopes, RelaxOrders]),
        "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group)"
    );
}

#[test]
fn flags_are_exchanged() {
    assert_eq!(
        weak(
            "barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE);",
            &[SwapFlags]
        ),
        "barrier(CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_LOCAL_MEM_FENCE);"
    );
}

#[test]
fn fences_and_barriers_are_removed_and_lines_stay() {
    let source = "#ifdef X\nbarrier(CLK_LOCAL_MEM_FENCE\n | CLK_GLOBAL_MEM_FENCE);\n#endif\n\
                  if (a) mem_fence(f(1)); else read_mem_fence (1);";
    assert_eq!(
        weak(source, &[DropFences, DropBarriers]),
        "#ifdef X\n((void)0)\n;\n#endif\nif (a) ((void)0); else ((void)0);"
    );
    assert_eq!(
        weak("barrier(1); mem_fence(1);", &[DropFences]),
        "barrier(1); ((void)0);"
    );
    assert_eq!(
        weak("barrier(1); mem_fence(1);", &[DropBarriers]),
        "((void)0); mem_fence(1);"
    );
}

#[test]
fn macros_are_rewritten_in_their_bodies_only() {
    assert_eq!(
        weak(
            "#define SYNC barrier(1) // all\n#define F(x) mem_fence(x)\n",
            &[DropBarriers, DropFences]
        ),
        "#define SYNC ((void)0) // all\n#define F(x) ((void)0)\n"
    );
    assert_eq!(
        weak("#define L \\\n  barrier( \\\n 1); x\n", &[DropBarriers]),
        "#define L \\\n  ((void)0)\\\n; x\n"
    );
    let declared = "#define mem_fence(x) nothing\nvoid barrier(int flags);\n";
    assert_eq!(weak(declared, &[DropBarriers, DropFences]), declared);
}

#[test]
fn what_does_not_close_is_left_alone() {
    for source in ["barrier(", "atomic_store(x, (1]", "mem_fence", "barrier(1"] {
        assert_eq!(
            weak(source, &[DropBarriers, DropFences, RelaxOrders]),
            source
        );
    }
}

/// Every mutation there is.
fn everything() -> Vec<SourceMutation> {
    let rows = classay_faults::sources::ROWS.iter();
    rows.filter_map(|row| match row.carrier {
        classay_faults::Carrier::Source(mutation) => Some(mutation),
        _ => None,
    })
    .collect()
}

/// What one mutation makes of a source.
fn one(mutation: SourceMutation, source: &str, expected: &str) {
    assert_eq!(weak(source, &[mutation]), expected, "{mutation:?}");
}

#[test]
fn each_order_is_mutated_by_itself() {
    let ops = "f_explicit(a, memory_order_acquire); g_explicit(a, memory_order_release); \
               h_explicit(a, memory_order_acq_rel); i_explicit(a, memory_order_seq_cst);";
    let changed = |from: &str, to: &str| ops.replace(from, to);
    one(
        AcquireToRelaxed,
        ops,
        &changed("acquire", "relaxed").replace("acq_rel", "release"),
    );
    one(
        ReleaseToRelaxed,
        ops,
        &changed("release", "relaxed").replace("acq_rel", "acquire"),
    );
    one(AcqRelToRelaxed, ops, &changed("acq_rel", "relaxed"));
    one(SeqCstToRelaxed, ops, &changed("seq_cst", "relaxed"));
    one(
        SeqCstToAcqRel,
        "atomic_store(x, 1); atomic_load_explicit(x, memory_order_seq_cst); atomic_fetch_or(x, 1);",
        "atomic_store_explicit(x, 1, memory_order_release); atomic_load_explicit(x, \
         memory_order_acquire); atomic_fetch_or_explicit(x, 1, memory_order_acq_rel);",
    );
    one(
        DefaultOrderRelaxed,
        "atomic_load(x); atomic_load_explicit(x, memory_order_seq_cst);",
        "atomic_load_explicit(x, memory_order_relaxed); \
         atomic_load_explicit(x, memory_order_seq_cst);",
    );
    one(
        CasFailureRelaxed,
        "atomic_compare_exchange_weak_explicit(x, &e, 1, memory_order_acq_rel, memory_order_acquire)",
        "atomic_compare_exchange_weak_explicit(x, &e, 1, memory_order_acq_rel, memory_order_relaxed)",
    );
}

#[test]
fn a_compare_exchange_never_fails_stronger_than_it_succeeds() {
    let exchange = |success: &str, failure: &str| {
        format!(
            "atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_{success}, \
             memory_order_{failure})"
        )
    };
    one(
        AcqRelToRelaxed,
        &exchange("acq_rel", "acquire"),
        &exchange("relaxed", "relaxed"),
    );
    one(
        SeqCstToRelaxed,
        &exchange("seq_cst", "acquire"),
        &exchange("relaxed", "relaxed"),
    );
    one(
        SeqCstToAcqRel,
        &exchange("seq_cst", "seq_cst"),
        &exchange("acq_rel", "acquire"),
    );
    one(
        ReleaseToRelaxed,
        &exchange("acq_rel", "acquire"),
        &exchange("acquire", "acquire"),
    );
}

#[test]
fn fences_have_weakenings_of_their_own() {
    let fence = |order: &str| {
        format!("atomic_work_item_fence(f, memory_order_{order}, memory_scope_device);")
    };
    one(FencesRelaxed, &fence("acquire"), &fence("relaxed"));
    one(FenceAcquire, &fence("acq_rel"), &fence("release"));
    one(FenceRelease, &fence("release"), &fence("relaxed"));
    one(FenceSeqCst, &fence("seq_cst"), &fence("acq_rel"));
    one(AcquireToRelaxed, &fence("acquire"), &fence("acquire"));
    let fences = "mem_fence(1); read_mem_fence(1); write_mem_fence(1);";
    one(
        DropMemFences,
        fences,
        "((void)0); read_mem_fence(1); write_mem_fence(1);",
    );
    one(
        DropReadFences,
        fences,
        "mem_fence(1); ((void)0); write_mem_fence(1);",
    );
    one(
        DropWriteFences,
        fences,
        "mem_fence(1); read_mem_fence(1); ((void)0);",
    );
    one(DropWorkItemFences, &fence("seq_cst"), "((void)0);");
}

#[test]
fn scopes_and_flags_step_down_one_at_a_time() {
    one(
        ScopeSvmToDevice,
        "memory_scope_all_svm_devices",
        "memory_scope_device",
    );
    one(
        ScopeDeviceToWorkGroup,
        "memory_scope_device",
        "memory_scope_work_group",
    );
    one(
        ScopeDeviceToWorkGroup,
        "memory_scope_all_svm_devices",
        "memory_scope_all_svm_devices",
    );
    one(
        ScopeWorkGroupToSubGroup,
        "memory_scope_work_group get_sub_group_id()",
        "memory_scope_sub_group get_sub_group_id()",
    );
    let without = "memory_scope_work_group";
    one(ScopeWorkGroupToSubGroup, without, without);
    one(
        ScopeWorkGroupToWorkItem,
        "atomic_work_item_fence(f, o, memory_scope_work_group); \
         atomic_work_item_fence(f, o, memory_scope_device);",
        "((void)0); atomic_work_item_fence(f, o, memory_scope_device);",
    );
    let both = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
    one(
        FlagGlobalToLocal,
        both,
        "barrier(CLK_LOCAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);",
    );
    one(
        FlagLocalToGlobal,
        both,
        "barrier(CLK_GLOBAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    );
    one(BarrierFlags, both, "barrier(0 | 0);");
    one(
        BarrierToFence,
        both,
        "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    );
    one(DropImageFences, "f(CLK_IMAGE_MEM_FENCE)", "f(0)");
}

#[test]
fn barriers_of_sub_groups_and_work_groups_are_told_apart() {
    let both = "work_group_barrier(1); sub_group_barrier(1);";
    one(DropGroupBarriers, both, "((void)0); sub_group_barrier(1);");
    one(
        DropSubGroupBarriers,
        both,
        "work_group_barrier(1); ((void)0);",
    );
}

#[test]
fn read_modify_writes_are_split_and_exchanges_are_blind() {
    one(
        SplitRmw,
        "r = atomic_add(p + 1, v);",
        "r = ((*(p + 1) += (v)) - (v));",
    );
    one(
        SplitRmw,
        "atomic_inc(&x[atomic_inc(y)]);",
        "((*(&x[((*(y))++)]))++);",
    );
    one(
        SplitRmw,
        "atomic_fetch_sub_explicit(p,\n 2, memory_order_acq_rel, s);",
        "(atomic_store_explicit(p, atomic_load_explicit(p, memory_order_relaxed, s) - (2), \
         memory_order_relaxed, s), atomic_load_explicit(p, memory_order_relaxed, s) + (2))\n;",
    );
    one(
        SplitRmw,
        "atomic_fetch_min(p, 1);",
        "atomic_fetch_min(p, 1);",
    );
    one(
        BlindExchange,
        "while (!atomic_compare_exchange_strong(p, &e, d)) ;",
        "while (!(atomic_exchange(p, d), true)) ;",
    );
    one(
        BlindExchange,
        "atomic_cmpxchg(p, 0, 1)",
        "(atomic_xchg(p, 1), (0))",
    );
}

#[test]
fn functions_of_groups_are_others() {
    one(
        ScanSwapped,
        "work_group_scan_inclusive_add(x); sub_group_scan_exclusive_min(x);",
        "work_group_scan_exclusive_add(x); sub_group_scan_inclusive_min(x);",
    );
    one(
        ReduceAdd,
        "work_group_reduce_add(x)",
        "work_group_reduce_max(x)",
    );
    one(
        ReduceMin,
        "sub_group_reduce_min(x)",
        "sub_group_reduce_max(x)",
    );
    one(
        AllAny,
        "work_group_all(x) + work_group_any(y)",
        "work_group_any(x) + work_group_all(y)",
    );
    one(
        BroadcastFirst,
        "work_group_broadcast(x, i, j)",
        "work_group_broadcast(x, 0, 0)",
    );
}

#[test]
fn identifiers_are_wrong() {
    one(
        IdWithoutOffset,
        "get_global_id(0)",
        "(get_global_id(0) - get_global_offset(0))",
    );
    one(
        IdRepeats,
        "get_global_id(d)",
        "(get_global_id(d) & ~(size_t)1)",
    );
    one(
        LocalIdReversed,
        "get_local_id(1)",
        "(get_local_size(1) - 1 - get_local_id(1))",
    );
    one(
        GroupCountShort,
        "get_num_groups(0)",
        "(get_num_groups(0) - (get_num_groups(0) > 1))",
    );
    one(
        GlobalSizeRounded,
        "get_global_size(0)",
        "(get_num_groups(0) * get_local_size(0))",
    );
    one(
        EnqueuedSize,
        "get_enqueued_local_size(0)",
        "get_local_size(0)",
    );
    one(
        SubGroupIdReversed,
        "get_sub_group_id()",
        "(get_num_sub_groups() - 1 - get_sub_group_id())",
    );
    one(
        SubGroupMapByGroup,
        "get_sub_group_local_id()",
        "(get_group_id(0) & 1 ? get_sub_group_size() - 1 - get_sub_group_local_id() : get_sub_group_local_id())",
    );
    one(
        SubGroupOneSum,
        "sub_group_reduce_add(v)",
        "(get_num_sub_groups() == 1 ? (v) : sub_group_reduce_add(v))",
    );
    one(
        SubGroupCountShort,
        "get_num_sub_groups()",
        "(get_num_sub_groups() - 1)",
    );
}

#[test]
fn expressions_and_statements_are_others() {
    one(
        SaturationDropped,
        "y = convert_char4_sat(x) + convert_int(x);",
        "y = convert_char4(x) + convert_int(x);",
    );
    one(
        RoundingModeDropped,
        "y = convert_int4_sat_rtp(x) + convert_int(x);",
        "y = convert_int4_sat(x) + convert_int(x);",
    );
    one(
        NanComparesEqual,
        "isequal(a, b)",
        "(isequal(a, b) | isunordered(a, b))",
    );
    one(
        HalfStoredToZero,
        "vstore_half(x, 0, p); vstore_half_rte(x, 0, p);",
        "vstore_half_rtz(x, 0, p); vstore_half_rte(x, 0, p);",
    );
    one(
        PrintfPrecisionLost,
        "printf(\"%%1.5 %+5.3d %.v2hld %s.7\\n\", a, b, s);",
        "printf(\"%%1.5 %+5d %v2hld %s.7\\n\", a, b, s);",
    );
    one(
        PrintfFlagsLost,
        "printf(\"%%-1 %+#05.3x %-v2hld\", a, b);",
        "printf(\"%%-1 %5.3x %v2hld\", a, b);",
    );
    one(
        PrintfOddLost,
        "printf(\"%d\", a);",
        "(get_global_id(0) & 1 ? 0 : printf(\"%d\", a));",
    );
    one(CtzFromTop, "ctz(a)", "clz(a)");
    one(BitsNotReversed, "bit_reverse(a)", "(a)");
    one(
        FieldOfOneLess,
        "bitfield_insert(a, b, 1, c)",
        "bitfield_insert(a, b, 1, (c) - ((c) > 0))",
    );
    one(
        PackedSignLost,
        "dot_4x8packed_ss_int(a, b)",
        "dot_4x8packed_su_int(a, b)",
    );
    one(RemainderToZero, "remainder(a, b)", "fmod(a, b)");
    one(RintRoundsAway, "rint(a)", "round(a)");
    one(CbrtInexact, "cbrt(a)", "(cbrt(a) + cbrt(a) / 1000000)");
    one(PowOfNegativeLost, "pow(a, b)", "powr(a, b)");
    one(AngleByQuotient, "atan2(a, b)", "atan((a) / (b))");
    one(LengthOverflows, "length(a)", "sqrt(dot(a, a))");
    one(HalfVectorsPacked, "vloada_half3(i, p)", "vload_half3(i, p)");
    one(ShuffleKeepsOwn, "sub_group_shuffle(v, n)", "(v)");
    one(
        VoteOfAny,
        "sub_group_non_uniform_all(a > 4)",
        "sub_group_non_uniform_any(a > 4)",
    );
    one(HaddRoundsUp, "hadd(a, hadd(b, c))", "rhadd(a, rhadd(b, c))");
    one(AbsDiffSaturates, "abs_diff(a, b)", "sub_sat(a, b)");
    one(BitselectSwapped, "bitselect(a, b, c)", "bitselect(b, a, c)");
    one(
        GroupIdWithOffset,
        "get_group_id(1)",
        "(get_group_id(1) + get_global_offset(1))",
    );
    one(
        LastLocalSize,
        "get_local_size(d)",
        "get_local_size((d) == 2 ? 1 : (d))",
    );
    one(
        DivisionShifts,
        "a = b / 8 + c / 7 + d / e / 1024UL;",
        "a = b >> 3 + c / 7 + d / e >> 10;",
    );
    one(
        SizeofMore,
        "n = ((uint)sizeof(struct s0));",
        "n = ((uint)1 + sizeof(struct s0));",
    );
    one(ContinueEndsLoop, "if (a) continue;", "if (a) break;");
    one(
        InternalNamesShared,
        "static int f(int a);",
        " int f(int a);",
    );
    one(
        ReturnIgnored,
        "if (a) return; return b;",
        "if (a) (void)0; return b;",
    );
    one(
        FallThroughLost,
        "switch (a) { case 1: case 2: b++; default: c++; }",
        "switch (a) { case 1: case 2: b++; break; default: c++; }",
    );
}

#[test]
fn initializers_of_program_scope_are_dropped_and_no_others() {
    one(
        DropInitializers,
        "#define A = 3\nglobal int x = 5, y[2] = {1, 2}; constant int c = 1;\n\
         void f(int a) { int z = 1; }\nstatic global float4 v = (float4)(1, 2,\n3, 4);",
        "#define A = 3\nglobal int x , y[2] ; constant int c = 1;\n\
         void f(int a) { int z = 1; }\nstatic global float4 v \n;",
    );
}

#[test]
fn device_side_enqueues_and_pipes_lose_what_they_promise() {
    one(
        EnqueueWaitKernel,
        "CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
        "CLK_ENQUEUE_FLAGS_NO_WAIT",
    );
    one(
        EnqueueWaitGroup,
        "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP",
        "CLK_ENQUEUE_FLAGS_NO_WAIT",
    );
    one(
        EnqueueLost,
        "enqueue_kernel(q, f, n, ^{ g(1); });",
        "enqueue_kernel(q, f, n, ^{});",
    );
    one(
        EnqueueLost,
        "enqueue_kernel(q, f, n, 1, &e, &d, ^(local void *p) { g(p); }, 4);",
        "enqueue_kernel(q, f, n, 1, &e, &d, ^{});",
    );
    one(EnqueueLost, "enqueue_kernel(q, f, n, b);", "(0);");
    one(
        EnqueueLocal,
        "enqueue_kernel(q, f, n, ^(local void *p) { g(p); }, 4);",
        "enqueue_kernel(q, f, n, ^{});",
    );
    let unsized_block = "enqueue_kernel(q, f, n, 1, &e, &d, ^{ g(1, 2); });";
    one(EnqueueLocal, unsized_block, unsized_block);
    one(
        EnqueueWaitKernelGroup,
        "CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
        "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP",
    );
    one(
        EnqueueMarker,
        "enqueue_marker(q, 2, list, &m);",
        "(*(&m) = create_user_event(), set_user_event_status(*(&m), CL_COMPLETE), 0);",
    );
    one(
        CaptureLost,
        "capture_event_profiling_info(e, n, p);",
        "((void)0);",
    );
    one(
        DeviceFailureHidden,
        "set_user_event_status(e, -5);",
        "set_user_event_status(e, CL_COMPLETE);",
    );
    one(PipeReadStale, "read_pipe(p, &x)", "(0)");
    one(
        PipeIndex,
        "write_pipe(p, id, i + 1, &x)",
        "write_pipe(p, id, 0, &x)",
    );
    one(PipeFull, "write_pipe(p, &x)", "(write_pipe(p, &x), 0)");
    one(PipeEmpty, "read_pipe(p, &x)", "(read_pipe(p, &x), 0)");
    one(ImageWriteLost, "write_imageui(i, c, v);", "((void)0);");
    one(
        ImageWriteCut,
        "write_imagef(i, c, v);",
        "write_imagef(i, c, get_image_channel_data_type(i) == CLK_UNORM_INT8 ? floor((v) * 255.0f + 0.125f) / 255.0f : (v));",
    );
    one(StepAtEdge, "step(e, x)", "(1 - step(x, e))");
    one(
        ImageChannels,
        "read_imagef(i, s, c).x",
        "(read_imagef(i, s, c).s2103).x",
    );
    // A depth has no channels.
    let depths =
        "kernel void k(read_only image2d_depth_t i) { float x = read_imagef(i, (int2)(0)); }";
    one(ImageChannels, depths, depths);
    one(
        ImageBorder,
        "CLK_ADDRESS_CLAMP | CLK_ADDRESS_CLAMP_TO_EDGE",
        "CLK_ADDRESS_CLAMP_TO_EDGE | CLK_ADDRESS_CLAMP_TO_EDGE",
    );
    one(
        SubGroupSize,
        "get_max_sub_group_size()",
        "(get_max_sub_group_size() + 1u)",
    );
    one(
        EnqueueWaits,
        "enqueue_kernel(q, f, n, 1, &e, &d, ^{ g(); });",
        "enqueue_kernel(q, f, n, 0, 0, &d, ^{ g(); });",
    );
    let sized = "enqueue_kernel(q, f, n, ^(local void *p) { g(p); }, 4, 4, 4);";
    one(EnqueueWaits, sized, sized);
    one(
        PipeWriteLost,
        "if (write_pipe(p, &x) == 0) y = 1;",
        "if ((0) == 0) y = 1;",
    );
    one(
        GetFenceSwapped,
        "get_fence(p)",
        "(get_fence(p) ^ (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))",
    );
    one(
        AsyncCopyShort,
        "e = async_work_group_copy(to, from, n, 0);",
        "e = async_work_group_copy(to, from, (n) - ((n) > 1), 0);",
    );
    one(
        AsyncCopyShort,
        "async_work_group_strided_copy(to, from, 8, 2, e)",
        "async_work_group_strided_copy(to, from, (8) - ((8) > 1), 2, e)",
    );
    one(
        VectorStoreWide,
        "vstore3(v, i + 1, p); vstore4(w, i, p);",
        "vstore4((v).s0120, 0, (p) + 3 * (i + 1)); vstore4(w, i, p);",
    );
    one(ToAddressNull, "to_global(p)", "(1 ? 0 : to_global(p))");
}

proptest::proptest! {
    #[test]
    fn any_bytes_can_be_weakened(source: Vec<u8>) {
        mutate(&source, &everything());
    }

    #[test]
    fn any_words_can_be_weakened(words in proptest::collection::vec(
        proptest::sample::select(vec![
            "barrier", "(", ")", "atomic_store", ",", "\n", "#define", "{", "]", " ", "x",
            "mem_fence", "memory_order_acquire", "/*", "*/", "\\\n",
        ]),
        0..40,
    )) {
        let source = words.concat();
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        let mutated =
            mutate(source.as_bytes(), &everything());
        proptest::prop_assert_eq!(lines(&mutated), lines(source.as_bytes()));
    }
}

#[test]
fn loops_get_a_counter_of_their_own() {
    let head = |n: usize| {
        format!(
            "for (uint classay_once{n} = 1, classay_turns{n} = 0; classay_once{n}; \
             classay_once{n} = 0) for"
        )
    };
    let turns = |n: usize| format!("classay_turns{n}++ < 65535u");
    for (source, expected) in [
        (
            "for (int i = f(1, 2); i < n; ++i) x += i;",
            format!(
                "{}  (int i = f(1, 2); {} && ( i < n); ++i) x += i;",
                head(0),
                turns(0)
            ),
        ),
        (
            "for(;;)break;",
            format!("{} (; {};)break;", head(0), turns(0)),
        ),
        (
            "while (!done) { done = 1; }",
            format!("{}  (; {} && (!done); ) {{ done = 1; }}", head(0), turns(0)),
        ),
        ("do x++; while (x < 3);", "do x++; while (x < 3);".into()),
        (
            "int format = 1; whiles(x) {}",
            "int format = 1; whiles(x) {}".into(),
        ),
    ] {
        assert_eq!(weak(source, &[CutLoops]), expected, "{source}");
    }
}
