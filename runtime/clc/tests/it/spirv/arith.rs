//! Numbers: arithmetic, comparisons, conversions, extended instructions.

use super::{outputs, values, with_numbers};

#[test]
fn integers_are_computed_with_the_signs_of_the_instructions() {
    let body = "
        %sum = OpIAdd %i32 %c5 %cm7
        %sdiv = OpSDiv %i32 %cm7 %c2
        %udiv = OpUDiv %i32 %cm7 %c2
        %srem = OpSRem %i32 %cm7 %c5
        %smod = OpSMod %i32 %cm7 %c5
        %smod_even = OpSMod %i32 %cm7 %c7
        %umod = OpUMod %i32 %cm7 %c5
        %sar = OpShiftRightArithmetic %i32 %cm7 %l1
        %shr = OpShiftRightLogical %i32 %cm7 %c1
        %not = OpNot %i32 %c5
        %neg = OpSNegate %i32 %c5
        %bits = OpBitCount %i32 %cm7";
    let wanted = [
        "%sum",
        "%sdiv",
        "%udiv",
        "%srem",
        "%smod",
        "%smod_even",
        "%umod",
        "%sar",
        "%shr",
        "%not",
        "%neg",
        "%bits",
    ];
    let unsigned = (-7i32) as u32;
    assert_eq!(
        values("", body, &wanted),
        [
            -2,
            -3,
            (unsigned / 2) as i32,
            -2,
            3,
            0,
            (unsigned % 5) as i32,
            -4,
            (unsigned >> 1) as i32,
            !5,
            -5,
            30
        ]
    );
}

/// Comparisons of floats come in pairs, one of which is true of NaN.
#[test]
fn ordered_comparisons_are_false_of_nan_and_unordered_ones_true() {
    let names = [
        "Equal",
        "NotEqual",
        "LessThan",
        "GreaterThan",
        "LessThanEqual",
        "GreaterThanEqual",
    ];
    let constants = "
        %one = OpConstant %f32 1
        %two = OpConstant %f32 2
        %nan = OpConstant %f32 NaN";
    let mut body = String::new();
    let mut wanted = Vec::new();
    for (kind, right) in ["one", "two", "nan"]
        .into_iter()
        .flat_map(|right| ["Ord", "Unord"].map(|kind| (kind, right)))
    {
        for name in names {
            let id = format!("%{kind}{name}{right}");
            body.push_str(&format!(
                "{id}b = OpF{kind}{name} %bool %one %{right}\n\
                 {id} = OpSelect %i32 {id}b %c1 %c0\n"
            ));
            wanted.push(id);
        }
    }
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let found = values(constants, &body, &wanted);
    let equal = [1, 0, 0, 0, 1, 1];
    let less = [0, 1, 1, 0, 1, 0];
    assert_eq!(found[..12], [equal, equal].concat());
    assert_eq!(found[12..24], [less, less].concat());
    assert_eq!(found[24..], [[0; 6], [1; 6]].concat());
}

#[test]
fn vectors_of_booleans_choose_by_element() {
    let constants = "
        %v = OpConstantComposite %v4i32 %c0 %c5 %cm1 %c7
        %w = OpConstantComposite %v4i32 %c3 %c3 %c3 %c3
        %bv = OpConstantComposite %v4bool %true %false %true %true";
    let body = "
        %less = OpSLessThan %v4bool %v %w
        %both = OpLogicalAnd %v4bool %less %bv
        %same = OpLogicalEqual %v4bool %less %bv
        %chosen = OpSelect %v4i32 %both %v %w
        %any = OpAny %bool %both
        %all = OpAll %bool %less
        %a0 = OpCompositeExtract %i32 %chosen 0
        %a1 = OpCompositeExtract %i32 %chosen 1
        %a2 = OpCompositeExtract %i32 %chosen 2
        %a3 = OpCompositeExtract %i32 %chosen 3
        %anyi = OpSelect %i32 %any %c1 %c0
        %alli = OpSelect %i32 %all %c1 %c0
        %s3 = OpCompositeExtract %bool %same 3
        %s3i = OpSelect %i32 %s3 %c1 %c0
        %s1 = OpVectorExtractDynamic %bool %same %c1
        %s1i = OpSelect %i32 %s1 %c1 %c0
        %put = OpVectorInsertDynamic %v4bool %same %false %c0
        %q0 = OpCompositeExtract %bool %put 0
        %q0i = OpSelect %i32 %q0 %c1 %c0";
    let wanted = [
        "%a0", "%a1", "%a2", "%a3", "%anyi", "%alli", "%s3i", "%s1i", "%q0i",
    ];
    assert_eq!(
        values(constants, body, &wanted),
        [0, 3, -1, 3, 1, 0, 0, 1, 0]
    );
}

#[test]
fn parts_of_vectors_are_chosen_put_and_shuffled() {
    let constants = "
        %v = OpConstantComposite %v4i32 %c0 %c1 %c2 %c3
        %w = OpConstantComposite %v2i32 %c5 %c7
        %none = OpConstantNull %v4i32";
    let body = "
        %shuffled = OpVectorShuffle %v4i32 %v %v 3 6 4294967295 1
        %mixed = OpVectorShuffle %v4i32 %w %v 1 2 0 5
        %made = OpCompositeConstruct %v4i32 %w %w
        %put = OpCompositeInsert %v4i32 %c7 %none 2
        %s0 = OpCompositeExtract %i32 %shuffled 0
        %s1 = OpCompositeExtract %i32 %shuffled 1
        %s3 = OpCompositeExtract %i32 %shuffled 3
        %m0 = OpCompositeExtract %i32 %mixed 0
        %m1 = OpCompositeExtract %i32 %mixed 1
        %m3 = OpCompositeExtract %i32 %mixed 3
        %c_3 = OpCompositeExtract %i32 %made 3
        %q1 = OpCompositeExtract %i32 %put 1
        %q2 = OpCompositeExtract %i32 %put 2";
    let wanted = [
        "%s0", "%s1", "%s3", "%m0", "%m1", "%m3", "%c_3", "%q1", "%q2",
    ];
    let body = body.replace("4294967295", "-1");
    assert_eq!(
        values(constants, &body, &wanted),
        [3, 2, 1, 7, 0, 3, 7, 0, 7]
    );
}

#[test]
fn conversions_round_and_saturate_as_they_are_decorated() {
    let text = with_numbers(
        "
        %big = OpConstant %f32 1e10
        %half = OpConstant %f32 2.5
        %neg = OpConstant %f32 -2.5
        %i8m = OpConstant %i32 200",
        &format!(
            "
        %sat = OpConvertFToS %i32 %big
        %rte = OpConvertFToS %i32 %half
        %rtn = OpConvertFToS %i32 %neg
        %rtz = OpConvertFToS %i32 %neg
        %c8 = OpUConvert %i8 %i8m
        %s = OpSConvert %i32 %c8
        %u = OpUConvert %i32 %c8
        %f = OpConvertSToF %f32 %c8
        %fb = OpBitcast %i32 %f
        %us = OpSatConvertSToU %i32 %cm7
        {}{}{}{}{}{}{}{}",
            super::put(0, "%sat"),
            super::put(1, "%rte"),
            super::put(2, "%rtn"),
            super::put(3, "%rtz"),
            super::put(4, "%s"),
            super::put(5, "%u"),
            super::put(6, "%fb"),
            super::put(7, "%us"),
        ),
    );
    let decorations = "
        OpDecorate %sat SaturatedConversion
        OpDecorate %rte FPRoundingMode RTE
        OpDecorate %rtn FPRoundingMode RTN
        %void = OpTypeVoid";
    let text = text.replacen("%void = OpTypeVoid", decorations, 1);
    assert_eq!(
        outputs::<i32>(&text, 8),
        [i32::MAX, 2, -3, -2, -56, 200, (-56f32).to_bits() as i32, 0]
    );
}

/// What is no operation of the IR is the function of OpenCL C.
#[test]
fn extended_instructions_are_functions_of_opencl_c() {
    let constants = "
        %m = OpConstant %f32 -2.25
        %two = OpConstant %f32 2
        %vm = OpConstantComposite %v4f32 %m %two %m %two
        %pf = OpTypePointer Function %f32";
    let body = "
        %room = OpVariable %pf Function
        %abs = OpExtInst %i32 %std s_abs %cm7
        %smax = OpExtInst %i32 %std s_max %cm7 %c5
        %umax = OpExtInst %i32 %std u_max %cm7 %c5
        %clz = OpExtInst %i32 %std clz %c5
        %fabs = OpExtInst %f32 %std fabs %m
        %fabsb = OpBitcast %i32 %fabs
        %vmax = OpExtInst %v4f32 %std fmax %vm %vm
        %dot = OpDot %f32 %vmax %vm
        %doti = OpConvertFToS %i32 %dot
        %fract = OpExtInst %f32 %std fract %m %room
        %fractb = OpBitcast %i32 %fract
        %floor = OpLoad %f32 %room Aligned 4
        %floori = OpConvertFToS %i32 %floor
        %clamped = OpExtInst %f32 %std fclamp %m %two %two
        %clampedi = OpConvertFToS %i32 %clamped";
    let wanted = [
        "%abs",
        "%smax",
        "%umax",
        "%clz",
        "%fabsb",
        "%doti",
        "%fractb",
        "%floori",
        "%clampedi",
    ];
    assert_eq!(
        values(constants, body, &wanted),
        [
            7,
            5,
            -7,
            29,
            2.25f32.to_bits() as i32,
            18,
            0.75f32.to_bits() as i32,
            -3,
            2
        ]
    );
}

#[test]
fn carries_and_high_halves_are_second_members() {
    let constants = "%pair = OpTypeStruct %i32 %i32";
    let body = "
        %add = OpIAddCarry %pair %cm1 %c2
        %sub = OpISubBorrow %pair %c1 %c2
        %mul = OpUMulExtended %pair %cm1 %c5
        %smul = OpSMulExtended %pair %cm1 %c5
        %a0 = OpCompositeExtract %i32 %add 0
        %a1 = OpCompositeExtract %i32 %add 1
        %s0 = OpCompositeExtract %i32 %sub 0
        %s1 = OpCompositeExtract %i32 %sub 1
        %m0 = OpCompositeExtract %i32 %mul 0
        %m1 = OpCompositeExtract %i32 %mul 1
        %h1 = OpCompositeExtract %i32 %smul 1";
    let wanted = ["%a0", "%a1", "%s0", "%s1", "%m0", "%m1", "%h1"];
    assert_eq!(values(constants, body, &wanted), [1, 1, -1, 1, -5, 4, -1]);
}

#[test]
fn vectors_are_loaded_from_and_stored_to_scalars() {
    let constants = "
        %v = OpConstantComposite %v4i32 %c1 %c2 %c3 %c5
        %g_f16 = OpTypePointer CrossWorkgroup %f16
        %x = OpConstant %f32 1.5";
    let body = "
        OpNop
        %none = OpExtInst %void %std vstoren %v %l0 %out
        %back = OpExtInst %v2i32 %std vloadn %l1 %out 2
        %b1 = OpCompositeExtract %i32 %back 1
        %h = OpBitcast %g_f16 %out
        %stored = OpExtInst %void %std vstore_half_r %x %l0 %h RTE
        %half = OpExtInst %f32 %std vload_half %l0 %h
        %halfb = OpBitcast %i32 %half";
    // Four numbers, as many as are stored.
    let found = values(constants, body, &["%halfb", "%b1", "%b1", "%b1"]);
    assert_eq!(found, [1.5f32.to_bits() as i32, 5, 5, 5]);
}
