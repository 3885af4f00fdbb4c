//! Modules with words that are wrong: they are read or told, and nothing panics.

use super::assembler::{assembled, bytes};
use super::{HEAD, TYPES, linked, unit_with};
use proptest::prelude::*;
use std::sync::LazyLock;

/// A module with much of what there is.
static SEED: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k" %gid
        OpExecutionMode %k LocalSize 4 1 1
        OpName %k "k"
        OpDecorate %gid BuiltIn GlobalInvocationId
        OpDecorate %word SpecId 3
        {TYPES}
        %scope = OpConstant %i32 1
        %order = OpConstant %i32 528
        %word = OpSpecConstant %i32 4
        %len = OpSpecConstantOp %i32 IAdd %word %c1
        %arr = OpTypeArray %i32 %len
        %s = OpTypeStruct %i8 %arr %v4i32
        %p_s = OpTypePointer Function %s
        %p_i32 = OpTypePointer Function %i32
        %u_v = OpTypePointer UniformConstant %v4i32
        %vec = OpConstantComposite %v4i32 %c0 %c1 %c2 %c3
        %table = OpVariable %u_v UniformConstant %vec
        %null = OpConstantNull %s
        %in = OpTypePointer Input %v3i64
        %gid = OpVariable %in Input
        %f = OpTypeFunction %s %s %i32
        %x = OpConstant %f32 1.5
        %change = OpFunction %s None %f
        %a = OpFunctionParameter %s
        %n = OpFunctionParameter %i32
        %cl = OpLabel
        %b = OpCompositeInsert %s %n %a 1 2
        OpSwitch %n %d 1 %e 2 %e
        %e = OpLabel
        OpBranch %d
        %d = OpLabel
        %m = OpPhi %s %a %cl %b %e
        OpReturnValue %m
        OpFunctionEnd
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %entry = OpLabel
        %room = OpVariable %p_s Function %null
        %g = OpLoad %v3i64 %gid
        %id = OpCompositeExtract %i64 %g 0
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %i32 %c0 %entry %next %head
        %v = OpLoad %s %room
        %w = OpFunctionCall %s %change %v %i
        OpStore %room %w
        %next = OpIAdd %i32 %i %c1
        %more = OpSLessThan %bool %next %c5
        OpBranchConditional %more %head %end
        %end = OpLabel
        %at = OpAccessChain %p_i32 %room %c1 %i
        %y = OpLoad %i32 %at Aligned 4
        %z = OpAtomicIAdd %i32 %out %scope %order %y
        %abs = OpExtInst %f32 %std fabs %x
        %t = OpLoad %v4i32 %table
        %sh = OpVectorShuffle %v2i32 %t %t 1 6
        %less = OpSLessThan %v4bool %t %vec
        %any = OpAny %bool %less
        %sat = OpConvertFToS %i32 %abs
        %where = OpInBoundsPtrAccessChain %g_i32 %out %id
        OpStore %where %sat Aligned 4
        OpReturn
        OpFunctionEnd
        "#
    );
    let module = assembled(2, &text);
    let (words, _) = module.as_chunks();
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
});

/// Reads words; what is wrong is reported as that, not as a defect of the reader.
fn read(words: &[u32]) {
    if let Err(log) = unit_with(&bytes(words), &[]).and_then(linked) {
        assert!(log.starts_with("error: "), "{log}");
        assert!(!log.contains("defect of Touchstone"), "{log}");
    }
}

#[test]
fn the_seed_is_a_program() {
    let unit = unit_with(&bytes(&SEED), &[]).unwrap_or_else(|log| panic!("{log}"));
    assert_eq!(linked(unit).expect("a program").module.kernels().count(), 1);
}

/// Each prefix is read or told.
#[test]
fn no_prefix_stops_the_reader() {
    for length in (0..SEED.len()).step_by(3) {
        read(&SEED[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Words are replaced by ids, small numbers, opcodes of others, or anything.
    #[test]
    fn no_wrong_words_stop_the_reader(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u32>()), 1..6)
    ) {
        let mut words = SEED.clone();
        for (at, kind, value) in changes {
            let at = at.index(words.len() - 5) + 5;
            let other = words[value as usize % (words.len() - 5) + 5];
            words[at] = match kind {
                0 => value % 160,
                1 => (words[at] & 0xffff_0000) | (value % 420),
                2 => other,
                _ => value,
            };
        }
        read(&words);
    }
}
