//! Atomics, fences, barriers, groups.

use super::{Given, HEAD, TYPES, built, launch, module, values};

/// Constants of scopes and memory semantics.
const SCOPES: &str = "
    %device = OpConstant %i32 1
    %group = OpConstant %i32 2
    %sub_group = OpConstant %i32 3
    %seq_cst = OpConstant %i32 528
    %acquire = OpConstant %i32 514
    %release = OpConstant %i32 516
    %local_acq_rel = OpConstant %i32 264";

#[test]
fn atomics_say_what_was_there() {
    let body = "
        OpAtomicStore %out %device %release %c5
        %a = OpAtomicIAdd %i32 %out %device %seq_cst %c7
        %b = OpAtomicSMin %i32 %out %device %seq_cst %cm1
        %c = OpAtomicUMax %i32 %out %device %seq_cst %c3
        %d = OpAtomicIIncrement %i32 %out %device %c0
        %e = OpAtomicExchange %i32 %out %device %seq_cst %c3
        %f = OpAtomicCompareExchange %i32 %out %device %seq_cst %acquire %c2 %c3
        %g = OpAtomicCompareExchange %i32 %out %device %seq_cst %acquire %c1 %c3
        %h = OpAtomicLoad %i32 %out %device %acquire
        %taken = OpAtomicFlagTestAndSet %bool %out %device %seq_cst
        %i = OpSelect %i32 %taken %c1 %c0
        OpAtomicFlagClear %out %device %release
        %j = OpLoad %i32 %out";
    let wanted = ["%a", "%b", "%c", "%d", "%e", "%f", "%g", "%h", "%i", "%j"];
    assert_eq!(
        values(SCOPES, body, &wanted),
        [5, 12, -1, -1, 0, 3, 2, 2, 1, 0]
    );
}

/// The orders, scopes and memories of the instructions reach the executor.
#[test]
fn orders_and_scopes_are_those_of_the_module() {
    let body = "
        OpMemoryBarrier %group %local_acq_rel
        %x = OpAtomicLoad %i32 %out %group %acquire
        OpControlBarrier %group %device %seq_cst
        OpControlBarrier %sub_group %sub_group %local_acq_rel
        %unknown = OpCopyObject %i32 %x
        %y = OpAtomicLoad %i32 %out %device %unknown";
    let shown = built(&module(SCOPES, body)).module.to_string();
    for part in [
        "fence local, acq_rel, work_group",
        "acquire, work_group",
        "barrier.work_group global, device",
        "barrier.sub_group local, sub_group",
        // Only the run knows the order: the strongest one.
        "seq_cst, device",
    ] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
}

#[test]
fn groups_compute_together() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k" %lid
        OpDecorate %lid BuiltIn LocalInvocationIndex
        {TYPES}
        {SCOPES}
        %in = OpTypePointer Input %i64
        %lid = OpVariable %in Input
        %c4 = OpConstant %i64 4
        %ev = OpTypeEvent
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %l = OpLabel
        %n = OpLoad %i64 %lid
        %x = OpUConvert %i32 %n
        %sum = OpGroupIAdd %i32 %group Reduce %x
        %before = OpGroupIAdd %i32 %group ExclusiveScan %x
        %most = OpGroupSMax %i32 %sub_group InclusiveScan %x
        %some = OpIEqual %bool %x %c2
        %any = OpGroupAny %bool %group %some
        %all = OpGroupAll %bool %group %some
        %sent = OpGroupBroadcast %i32 %group %x %l1
        %a = OpSelect %i32 %any %c2 %c0
        %b = OpSelect %i32 %all %c1 %c0
        %votes = OpIAdd %i32 %a %b
        %both = OpIAdd %i32 %votes %sent
        %at = OpIMul %i64 %n %c4
        %p0 = OpInBoundsPtrAccessChain %g_i32 %out %at
        %p1 = OpInBoundsPtrAccessChain %g_i32 %p0 %l1
        %p2 = OpInBoundsPtrAccessChain %g_i32 %p1 %l1
        %p3 = OpInBoundsPtrAccessChain %g_i32 %p2 %l1
        OpStore %p0 %sum
        OpStore %p1 %before
        OpStore %p2 %most
        OpStore %p3 %both
        OpReturn
        OpFunctionEnd
        "#
    );
    let mut bytes = vec![0u8; 4 * 4 * 5];
    launch(built(&text), "k", vec![Given::Buffer(&mut bytes)], 5, 5);
    let found: Vec<i32> = super::Element::read(&bytes);
    let sums = [0, 0, 1, 3, 6];
    for (n, item) in found.chunks(4).enumerate() {
        assert_eq!(item, [10, sums[n], n as i32, 3]);
    }
}

/// A work-group copies from global to local memory and waits for it.
#[test]
fn groups_copy_together() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k" %lid
        OpDecorate %lid BuiltIn LocalInvocationIndex
        {TYPES}
        {SCOPES}
        %in = OpTypePointer Input %i64
        %lid = OpVariable %in Input
        %count = OpConstant %i64 3
        %stride = OpConstant %i64 2
        %c8 = OpConstant %i32 8
        %last = OpConstant %i64 7
        %arr = OpTypeArray %i32 %c8
        %w_arr = OpTypePointer Workgroup %arr
        %w_i32 = OpTypePointer Workgroup %i32
        %room = OpVariable %w_arr Workgroup
        %ev = OpTypeEvent
        %f_ev = OpTypePointer Function %ev
        %none = OpConstantNull %ev
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %l = OpLabel
        %list = OpVariable %f_ev Function
        %to = OpInBoundsAccessChain %w_i32 %room %c0
        %e = OpGroupAsyncCopy %ev %group %to %out %count %l1 %none
        OpStore %list %e
        OpGroupWaitEvents %group %c1 %list
        %e2 = OpGroupAsyncCopy %ev %group %out %to %count %stride %none
        OpStore %list %e2
        OpGroupWaitEvents %group %c1 %list
        OpReturn
        OpFunctionEnd
        "#
    );
    let mut bytes: Vec<u8> = (1..=6).flat_map(|n: i32| n.to_ne_bytes()).collect();
    launch(built(&text), "k", vec![Given::Buffer(&mut bytes)], 2, 2);
    let found: Vec<i32> = super::Element::read(&bytes);
    assert_eq!(found, [1, 2, 2, 4, 3, 6]);
}

/// Shuffles and rotations: `%x` is the item's number and a hundred, `%n32` its number.
#[test]
fn sub_groups_shuffle() {
    let text = format!(
        r#"
        OpCapability GroupNonUniformShuffle
        OpCapability GroupNonUniformShuffleRelative
        OpCapability GroupNonUniformRotateKHR
        {HEAD}
        OpEntryPoint Kernel %k "k" %lid
        OpDecorate %lid BuiltIn LocalInvocationIndex
        {TYPES}
        {SCOPES}
        %in = OpTypePointer Input %i64
        %lid = OpVariable %in Input
        %c8 = OpConstant %i64 8
        %c100 = OpConstant %i32 100
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %l = OpLabel
        %n = OpLoad %i64 %lid
        %n32 = OpUConvert %i32 %n
        %x = OpIAdd %i32 %n32 %c100
        %at = OpIMul %i64 %n %c8
        %p0 = OpInBoundsPtrAccessChain %g_i32 %out %at
        %a = OpGroupNonUniformShuffle %i32 %sub_group %x %c2
        OpStore %p0 %a
        %p1 = OpInBoundsPtrAccessChain %g_i32 %p0 %l1
        %b = OpGroupNonUniformShuffleXor %i32 %sub_group %x %c3
        OpStore %p1 %b
        %p2 = OpInBoundsPtrAccessChain %g_i32 %p1 %l1
        %c = OpGroupNonUniformShuffleUp %i32 %sub_group %x %n32
        OpStore %p2 %c
        %p3 = OpInBoundsPtrAccessChain %g_i32 %p2 %l1
        %d = OpGroupNonUniformShuffleDown %i32 %sub_group %x %c1
        OpStore %p3 %d
        %p4 = OpInBoundsPtrAccessChain %g_i32 %p3 %l1
        %e = OpGroupNonUniformRotateKHR %i32 %sub_group %x %cm1
        OpStore %p4 %e
        %p5 = OpInBoundsPtrAccessChain %g_i32 %p4 %l1
        %f = OpGroupNonUniformRotateKHR %i32 %sub_group %x %c1 %c2
        OpStore %p5 %f
        %p6 = OpInBoundsPtrAccessChain %g_i32 %p5 %l1
        %narrow = OpUConvert %i8 %x
        %some = OpGroupNonUniformShuffle %i8 %sub_group %narrow %c3
        %g = OpUConvert %i32 %some
        OpStore %p6 %g
        %p7 = OpInBoundsPtrAccessChain %g_i32 %p6 %l1
        %wide = OpConvertUToF %f64 %x
        %other = OpGroupNonUniformShuffleDown %f64 %sub_group %wide %c2
        %h = OpConvertFToU %i32 %other
        OpStore %p7 %h
        OpReturn
        OpFunctionEnd
        "#
    );
    let mut bytes = vec![0u8; 4 * 8 * 4];
    launch(built(&text), "k", vec![Given::Buffer(&mut bytes)], 4, 4);
    let found: Vec<i32> = super::Element::read(&bytes);
    let there = |n: i32| if (0..4).contains(&n) { n + 100 } else { 0 };
    for (n, item) in (0..).zip(found.chunks(8)) {
        let wanted = [
            102,
            there(n ^ 3),
            100,
            there(n + 1),
            there((n + 3) % 4),
            there(n ^ 1),
            103,
            there(n + 2),
        ];
        assert_eq!(item, wanted, "{n}");
    }
}

/// Votes, ballots, scans and reductions of those that are present: the items from the first on.
#[test]
fn those_that_are_present_compute_together() {
    let text = format!(
        r#"
        OpCapability GroupNonUniformVote
        OpCapability GroupNonUniformBallot
        OpCapability GroupNonUniformArithmetic
        OpCapability GroupNonUniformClustered
        {HEAD}
        OpEntryPoint Kernel %k "k" %lid %mask
        OpDecorate %lid BuiltIn LocalInvocationIndex
        OpDecorate %mask BuiltIn SubgroupGeMask
        {TYPES}
        {SCOPES}
        %in = OpTypePointer Input %i64
        %lid = OpVariable %in Input
        %in_bits = OpTypePointer Input %v4i32
        %mask = OpVariable %in_bits Input
        %c10 = OpConstant %i64 10
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %l = OpLabel
        %n = OpLoad %i64 %lid
        %x = OpUConvert %i32 %n
        %at = OpIMul %i64 %n %c10
        %p0 = OpInBoundsPtrAccessChain %g_i32 %out %at
        %comes = OpINotEqual %bool %x %c0
        OpBranchConditional %comes %some %end
        %some = OpLabel
        %elected = OpGroupNonUniformElect %bool %sub_group
        %a = OpSelect %i32 %elected %c1 %c0
        OpStore %p0 %a
        %p1 = OpInBoundsPtrAccessChain %g_i32 %p0 %l1
        %odd = OpBitwiseAnd %i32 %x %c1
        %is_odd = OpINotEqual %bool %odd %c0
        %bits = OpGroupNonUniformBallot %v4i32 %sub_group %is_odd
        %b = OpCompositeExtract %i32 %bits 0
        OpStore %p1 %b
        %p2 = OpInBoundsPtrAccessChain %g_i32 %p1 %l1
        %c = OpGroupNonUniformBallotBitCount %i32 %sub_group InclusiveScan %bits
        OpStore %p2 %c
        %p3 = OpInBoundsPtrAccessChain %g_i32 %p2 %l1
        %d = OpGroupNonUniformBroadcastFirst %i32 %sub_group %x
        OpStore %p3 %d
        %p4 = OpInBoundsPtrAccessChain %g_i32 %p3 %l1
        %e = OpGroupNonUniformIMul %i32 %sub_group Reduce %x
        OpStore %p4 %e
        %p5 = OpInBoundsPtrAccessChain %g_i32 %p4 %l1
        %less = OpISub %i32 %x %c2
        %f = OpGroupNonUniformUMax %i32 %sub_group InclusiveScan %less
        OpStore %p5 %f
        %p6 = OpInBoundsPtrAccessChain %g_i32 %p5 %l1
        %g = OpGroupNonUniformIAdd %i32 %sub_group ClusteredReduce %x %c2
        OpStore %p6 %g
        %p7 = OpInBoundsPtrAccessChain %g_i32 %p6 %l1
        %alike = OpGroupNonUniformAllEqual %bool %sub_group %odd
        %any = OpGroupNonUniformLogicalXor %bool %sub_group Reduce %is_odd
        %both = OpSelect %i32 %alike %c2 %c0
        %h = OpSelect %i32 %any %c1 %both
        OpStore %p7 %h
        %p8 = OpInBoundsPtrAccessChain %g_i32 %p7 %l1
        %own = OpLoad %v4i32 %mask
        %i = OpCompositeExtract %i32 %own 0
        OpStore %p8 %i
        %p9 = OpInBoundsPtrAccessChain %g_i32 %p8 %l1
        %j = OpGroupNonUniformBallotFindMSB %i32 %sub_group %bits
        OpStore %p9 %j
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
        "#
    );
    let mut bytes = vec![0u8; 4 * 10 * 6];
    launch(built(&text), "k", vec![Given::Buffer(&mut bytes)], 6, 6);
    let found: Vec<i32> = super::Element::read(&bytes);
    for (n, item) in (0_i32..).zip(found.chunks(10)) {
        let wanted = match n {
            0 => [0; 10],
            _ => [
                i32::from(n == 1),
                0b101010,
                (n + 1) / 2,
                1,
                120,
                // Of -1, 0, 1, … as numbers without sign.
                -1,
                // Clusters of two; the first has the first item alone.
                [0, 1, 5, 5, 9, 9][n as usize],
                // Three are odd.
                1,
                0b111111 & !((1 << n) - 1),
                5,
            ],
        };
        assert_eq!(item, wanted, "{n}");
    }
}

#[test]
fn only_sub_groups_shuffle_and_by_constant_clusters() {
    let capabilities =
        "OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformRotateKHR\n";
    let log = |body: &str| super::fails(&format!("{capabilities}{}", module(SCOPES, body)));
    let group = log("%x = OpGroupNonUniformShuffle %i32 %group %c1 %c2");
    assert!(group.contains("only sub-groups shuffle"), "{group}");
    let computed =
        "%n = OpLoad %i32 %out\n%x = OpGroupNonUniformRotateKHR %i32 %sub_group %c1 %c2 %n";
    assert!(log(computed).contains("clusters is no constant"));
    let odd = log("%x = OpGroupNonUniformRotateKHR %i32 %sub_group %c1 %c2 %c3");
    assert!(odd.contains("no constant power of two"), "{odd}");
}
