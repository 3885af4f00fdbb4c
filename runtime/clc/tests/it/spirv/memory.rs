//! Types, pointers, variables, initial values, structs in memory.

use super::assembler::assembled;
use super::{HEAD, TYPES, built, module, outputs, unit_with, values};
use touchstone_clc::spirv::{SpecConstant, spec_constants};

#[test]
fn access_chains_follow_structs_arrays_and_vectors() {
    let globals = "
        %c4 = OpConstant %i32 4
        %arr = OpTypeArray %v4i32 %c4
        %s = OpTypeStruct %i8 %arr %i64
        %p_s = OpTypePointer Function %s
        %p_i32 = OpTypePointer Function %i32
        %p_i8 = OpTypePointer Function %i8
        %p_i64 = OpTypePointer Function %i64";
    let body = "
        %room = OpVariable %p_s Function
        %at = OpInBoundsAccessChain %p_i32 %room %c1 %c2 %c3
        OpStore %at %c7
        %moved = OpCopyObject %i32 %c2
        %dynamic = OpAccessChain %p_i32 %room %c1 %moved %c3
        %read = OpLoad %i32 %dynamic
        %first = OpAccessChain %p_i8 %room %c0
        %last = OpAccessChain %p_i64 %room %c2
        %fa = OpConvertPtrToU %i64 %first
        %la = OpConvertPtrToU %i64 %last
        %aa = OpConvertPtrToU %i64 %at
        %d1 = OpISub %i64 %la %fa
        %d2 = OpISub %i64 %aa %fa
        %distance = OpUConvert %i32 %d1
        %element = OpUConvert %i32 %d2
        %whole = OpLoad %s %room
        %part = OpCompositeExtract %i32 %whole 1 2 3
        OpStore %at %c5
        %kept = OpCompositeExtract %i32 %whole 1 2 3
        %now = OpLoad %i32 %at";
    let wanted = ["%read", "%distance", "%element", "%part", "%kept", "%now"];
    assert_eq!(values(globals, body, &wanted), [7, 80, 60, 7, 7, 5]);
}

#[test]
fn packed_structs_have_no_gaps() {
    let globals = "
        OpDecorate %s CPacked
        %inner = OpTypeStruct %i32 %i32
        %s = OpTypeStruct %i8 %inner %i32
        %p_s = OpTypePointer Function %s
        %p_i32 = OpTypePointer Function %i32
        %in = OpConstantComposite %inner %c5 %c7
        %b = OpConstant %i8 1
        %start = OpConstantComposite %s %b %in %c3";
    let body = "
        %room = OpVariable %p_s Function %start
        %last = OpAccessChain %p_i32 %room %c2
        %l = OpLoad %i32 %last Aligned 1
        %base = OpConvertPtrToU %i64 %room
        %la = OpConvertPtrToU %i64 %last
        %d = OpISub %i64 %la %base
        %distance = OpUConvert %i32 %d
        %whole = OpLoad %s %room Aligned 1
        %pair = OpCompositeExtract %inner %whole 1
        %second = OpCompositeExtract %i32 %pair 1
        %made = OpCompositeConstruct %s %b %pair %c1
        %third = OpCompositeExtract %i32 %made 2
        %again = OpCompositeExtract %i32 %made 1 0";
    let wanted = ["%l", "%distance", "%second", "%third", "%again"];
    assert_eq!(values(globals, body, &wanted), [3, 9, 7, 1, 5]);
}

/// Variables of the program keep what they are given first, addresses of others among it.
#[test]
fn variables_have_initial_values_with_addresses() {
    let globals = "
        %c4 = OpConstant %i32 4
        %arr = OpTypeArray %i32 %c4
        %u_arr = OpTypePointer UniformConstant %arr
        %u_i32 = OpTypePointer UniformConstant %i32
        %list = OpConstantComposite %arr %c1 %c2 %c3 %c5
        %table = OpVariable %u_arr UniformConstant %list
        %third = OpSpecConstantOp %u_i32 InBoundsPtrAccessChain %table %c0 %c2
        %u_u_i32 = OpTypePointer UniformConstant %u_i32
        %holder = OpVariable %u_u_i32 UniformConstant %third
        %g_g = OpTypePointer CrossWorkgroup %i32
        %count = OpVariable %g_g CrossWorkgroup %c7
        %half = OpSpecConstantOp %i32 IMul %c7 %c5
        %packed = OpTypeStruct %i32 %u_i32
        %u_packed = OpTypePointer UniformConstant %packed
        %both = OpConstantComposite %packed %half %third
        %pair = OpVariable %u_packed UniformConstant %both
        %u_p = OpTypePointer UniformConstant %u_i32";
    let body = "
        %q = OpLoad %u_i32 %holder
        %x = OpLoad %i32 %q
        %y = OpLoad %i32 %count
        %in = OpInBoundsAccessChain %u_i32 %pair %c0
        %z = OpLoad %i32 %in
        %pp = OpInBoundsAccessChain %u_p %pair %c1
        %next = OpLoad %u_i32 %pp
        %after = OpPtrAccessChain %u_i32 %next %c1
        %w = OpLoad %i32 %after
        %direct = OpLoad %i32 %third";
    assert_eq!(
        values(globals, body, &["%x", "%y", "%z", "%w", "%direct"]),
        [3, 7, 35, 5, 3]
    );
}

#[test]
fn pointers_are_cast_compared_and_subtracted() {
    let globals = "
        %c9 = OpConstant %i64 9
        %gen = OpTypePointer Generic %i32
        %p_i32 = OpTypePointer Function %i32
        %p_i64 = OpTypePointer Function %i64";
    let body = "
        %room = OpVariable %p_i32 Function %c5
        %any = OpPtrCastToGeneric %gen %room
        %x = OpLoad %i32 %any
        %back = OpGenericCastToPtr %p_i32 %any
        OpStore %back %c7
        %y = OpLoad %i32 %room
        %wrong = OpGenericCastToPtrExplicit %g_i32 %any Function
        %address = OpConvertPtrToU %i64 %wrong
        %low = OpUConvert %i32 %address
        %where = OpGenericPtrMemSemantics %i32 %any
        %outside = OpPtrCastToGeneric %gen %out
        %global = OpGenericPtrMemSemantics %i32 %outside
        %far = OpPtrAccessChain %g_i32 %out %c9
        %d = OpPtrDiff %i64 %far %out
        %distance = OpUConvert %i32 %d";
    let body = body.replace(" Function\n        %address", "\n        %address");
    let wanted = ["%x", "%y", "%low", "%where", "%global", "%distance"];
    let body = body.replace(
        "OpGenericCastToPtrExplicit %g_i32 %any",
        "OpGenericCastToPtrExplicit %g_i32 %any CrossWorkgroup",
    );
    assert_eq!(values(globals, &body, &wanted), [5, 7, 0, 0, 0x200, 9]);
}

#[test]
fn blocks_of_memory_are_copied() {
    let globals = "
        %c4 = OpConstant %i32 4
        %size = OpConstant %i64 8
        %arr = OpTypeArray %i32 %c4
        %p_arr = OpTypePointer Function %arr
        %p_i32 = OpTypePointer Function %i32
        %list = OpConstantComposite %arr %c1 %c2 %c3 %c5";
    let body = "
        %a = OpVariable %p_arr Function %list
        %b = OpVariable %p_arr Function
        %c = OpVariable %p_arr Function
        OpCopyMemory %b %a
        OpCopyMemorySized %c %a %size Aligned 4
        %b3 = OpAccessChain %p_i32 %b %c3
        %c_1 = OpAccessChain %p_i32 %c %c1
        %c_2 = OpAccessChain %p_i32 %c %c2
        %x = OpLoad %i32 %b3
        %y = OpLoad %i32 %c_1
        %z = OpLoad %i32 %c_2";
    assert_eq!(values(globals, body, &["%x", "%y", "%z"]), [5, 2, 0]);
}

/// A module with constants that the host may set; its kernel writes what they come to.
fn specialized() -> String {
    let globals = "
        OpDecorate %word SpecId 3
        OpDecorate %wide SpecId 4
        OpDecorate %yes SpecId 9
        OpDecorate %byte SpecId 1
        %word = OpSpecConstant %i32 10
        %wide = OpSpecConstant %i64 100
        %yes = OpSpecConstantTrue %bool
        %byte = OpSpecConstant %i8 7
        %len = OpSpecConstantOp %i32 IAdd %word %c1
        %arr = OpTypeArray %i32 %len
        %p_arr = OpTypePointer Function %arr
        %p_i32 = OpTypePointer Function %i32
        %vec = OpSpecConstantComposite %v2i32 %word %c5";
    let body = "
        %room = OpVariable %p_arr Function
        %a = OpPtrAccessChain %p_arr %room %c1
        %from = OpConvertPtrToU %i64 %room
        %to = OpConvertPtrToU %i64 %a
        %d = OpISub %i64 %to %from
        %bytes = OpUConvert %i32 %d
        %narrow = OpUConvert %i32 %wide
        %chosen = OpSelect %i32 %yes %c1 %c2
        %extended = OpSConvert %i32 %byte
        %first = OpCompositeExtract %i32 %vec 0";
    let wanted = ["%bytes", "%narrow", "%chosen", "%extended", "%first"];
    let stores: String = (wanted.iter().enumerate())
        .map(|(n, value)| super::put(n, value))
        .collect();
    super::with_numbers(globals, &format!("{body}\n{stores}"))
}

#[test]
fn specialization_constants_are_what_the_host_says() {
    let text = specialized();
    assert_eq!(outputs::<i32>(&text, 5), [44, 100, 1, 7, 10]);
    let module = assembled(2, &text);
    let mut known = spec_constants(&module).expect("a module");
    known.sort_by_key(|constant| constant.id);
    let sizes: Vec<_> = known
        .iter()
        .map(|&SpecConstant { id, size }| (id, size))
        .collect();
    assert_eq!(sizes, [(1, 1), (3, 4), (4, 8), (9, 1)]);
    let values = [
        (3, 4u32.to_le_bytes().to_vec()),
        (9, vec![0]),
        (4, (1u64 << 40 | 5).to_le_bytes().to_vec()),
        (1, vec![0xfe]),
    ];
    let unit = unit_with(&module, &values).expect("a module");
    let compiled = super::linked(unit).expect("a program");
    let mut bytes = vec![0u8; 20];
    let given = vec![super::Given::Buffer(&mut bytes)];
    super::launch(compiled, "k", given, 1, 1);
    let found: Vec<i32> = super::Element::read(&bytes);
    assert_eq!(found, [20, 5, 2, -2, 4]);
}

/// The same words in the other order are the same module.
#[test]
fn words_may_have_either_order_of_bytes() {
    let text = module("", "OpStore %out %c7");
    let mut swapped = assembled(0, &text);
    for word in swapped.chunks_mut(4) {
        word.reverse();
    }
    let compiled = unit_with(&swapped, &[])
        .and_then(super::linked)
        .expect("a program");
    assert_eq!(compiled.module.to_string(), built(&text).module.to_string());
}

/// A variable of a work-group belongs to the module: every kernel that comes to it has one of its own.
#[test]
fn variables_of_work_groups_are_each_kernels_own() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k"
        OpEntryPoint Kernel %other "other"
        {TYPES}
        %c8 = OpConstant %i32 8
        %arr = OpTypeArray %i32 %c8
        %w_arr = OpTypePointer Workgroup %arr
        %w_i32 = OpTypePointer Workgroup %i32
        %shared = OpVariable %w_arr Workgroup
        %get = OpTypeFunction %w_i32 %i32
        %place = OpFunction %w_i32 None %get
        %n = OpFunctionParameter %i32
        %pl = OpLabel
        %at = OpInBoundsAccessChain %w_i32 %shared %n
        OpReturnValue %at
        OpFunctionEnd
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %entry = OpLabel
        %a = OpFunctionCall %w_i32 %place %c2
        OpStore %a %c7
        %b = OpInBoundsAccessChain %w_i32 %shared %c2
        %x = OpLoad %i32 %b
        OpStore %out %x
        OpReturn
        OpFunctionEnd
        %other = OpFunction %void None %kernel_type
        %out2 = OpFunctionParameter %g_i32
        %entry2 = OpLabel
        %c = OpFunctionCall %w_i32 %place %c3
        OpStore %c %c5
        %y = OpLoad %i32 %c
        OpStore %out2 %y
        OpReturn
        OpFunctionEnd
        "#
    );
    assert_eq!(outputs::<i32>(&text, 1), [7]);
    let mut bytes = vec![0u8; 4];
    let given = vec![super::Given::Buffer(&mut bytes)];
    super::launch(built(&text), "other", given, 1, 1);
    assert_eq!(bytes, 5i32.to_ne_bytes());
}
