//! Bit fields and dot products of integers.

use super::{HEAD, device_without, fails, module, outputs, unit_with, values, with_numbers};
use crate::spirv::assembler::assembled;
use touchstone_clc::{CompileOptions, compile_spirv, spirv};

/// A module that declares capabilities more.
fn declaring(capabilities: &[&str], text: &str) -> String {
    let lines = capabilities
        .iter()
        .map(|name| format!("OpCapability {name}\n"));
    format!("{}{text}", lines.collect::<String>())
}

const BITS: &str = "
    %base = OpConstant %i32 -1985229329
    %some = OpConstant %i32 19088743
    %c8 = OpConstant %i32 8
    %c12 = OpConstant %i32 12
    %short_12 = OpConstant %i16 12
    %v2i8 = OpTypeVector %i8 2
    %b1 = OpConstant %i8 1
    %b6 = OpConstant %i8 6
    %pair = OpConstantComposite %v2i8 %b1 %b6";

#[test]
fn bit_fields() {
    // 0x89abcdef and 0x01234567
    let body = "
        %a = OpBitFieldInsert %i32 %base %some %c8 %c12
        %b = OpBitFieldSExtract %i32 %base %c8 %c12
        %c = OpBitFieldUExtract %i32 %base %c8 %short_12
        %d = OpBitReverse %i32 %base
        %e = OpBitFieldInsert %i32 %base %some %c8 %c0
        %f = OpBitFieldSExtract %i32 %some %c8 %c12
        %pairs = OpBitReverse %v2i8 %pair
        %second = OpCompositeExtract %i8 %pairs 1
        %g = OpUConvert %i32 %second
        %fields = OpBitFieldSExtract %v2i8 %pair %c1 %c2
        %other = OpCompositeExtract %i8 %fields 1
        %h = OpSConvert %i32 %other";
    let wanted = ["%a", "%b", "%c", "%d", "%e", "%f", "%g", "%h"];
    let found = in_module(&["BitInstructions"], BITS, body, &wanted);
    let expected = [
        0x89a5_67ef_u32 as i32,
        // The twelve bits from the eighth on of 0x89abcdef are 0xbcd.
        0xffff_fbcd_u32 as i32,
        0xbcd,
        0xf7b3_d591_u32 as i32,
        0x89ab_cdef_u32 as i32,
        0x345,
        0x60,
        -1,
    ];
    assert_eq!(found, expected);
}

/// What values of 32 bits are in a module with more capabilities.
fn in_module(capabilities: &[&str], globals: &str, body: &str, wanted: &[&str]) -> Vec<i32> {
    let stores: String = wanted
        .iter()
        .enumerate()
        .map(|(n, value)| super::put(n, value))
        .collect();
    let text = with_numbers(globals, &format!("{body}\n{stores}"));
    outputs(&declaring(capabilities, &text), wanted.len())
}

const VECTORS: &str = "
    %v4i8 = OpTypeVector %i8 4
    %b1 = OpConstant %i8 1
    %b2 = OpConstant %i8 2
    %b127 = OpConstant %i8 127
    %b200 = OpConstant %i8 200
    %b255 = OpConstant %i8 255
    %x = OpConstantComposite %v4i8 %b1 %b127 %b200 %b255
    %y = OpConstantComposite %v4i8 %b2 %b255 %b200 %b127
    %px = OpConstant %i32 -3637503
    %py = OpConstant %i32 2143878914
    %most = OpConstant %i32 2147483600
    %l2 = OpConstant %i64 4611686018427387904
    %h1 = OpConstant %i16 32000";

#[test]
fn dot_products() {
    let (x, y) = ([1_i64, 127, 200, 255], [2_i64, 255, 200, 127]);
    let signed = |v: [i64; 4]| v.map(|n| i64::from(n as u8 as i8));
    let dot = |a: [i64; 4], b: [i64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
    assert_eq!((-3_637_503_i32).to_le_bytes(), [1, 127, 200, 255]);
    assert_eq!(2_143_878_914_i32.to_le_bytes(), [2, 255, 200, 127]);
    let body = "
        %a = OpSDot %i32 %x %y
        %b = OpUDot %i32 %x %y
        %c = OpSUDot %i32 %x %y
        %d = OpSDot %i32 %px %py PackedVectorFormat4x8Bit
        %e = OpUDot %i32 %px %py PackedVectorFormat4x8Bit
        %f = OpSUDot %i32 %px %py PackedVectorFormat4x8Bit
        %g = OpUDotAccSat %i32 %x %y %cm1
        %h = OpUDotAccSat %i32 %x %y %most
        %twice = OpSDotAccSat %i32 %x %x %most
        %j = OpSUDotAccSat %i32 %px %py %cm1 PackedVectorFormat4x8Bit
        %wide = OpUDotAccSat %i64 %x %y %l2
        %low = OpUConvert %i32 %wide
        %narrow = OpSDotAccSat %i16 %x %x %h1
        %m = OpSConvert %i32 %narrow";
    let wanted = [
        "%a", "%b", "%c", "%d", "%e", "%f", "%g", "%h", "%twice", "%j", "%low", "%m",
    ];
    let capabilities = [
        "DotProduct",
        "DotProductInput4x8Bit",
        "DotProductInput4x8BitPacked",
    ];
    let found = in_module(&capabilities, VECTORS, body, &wanted);
    let (ss, uu, su) = (dot(signed(x), signed(y)), dot(x, y), dot(signed(x), y));
    let own = dot(signed(x), signed(x));
    let expected = [
        ss,
        uu,
        su,
        ss,
        uu,
        su,
        -1,
        uu + 2_147_483_600,
        (own + 2_147_483_600).min(i32::MAX.into()),
        su - 1,
        uu,
        (own + 32_000).min(i16::MAX.into()),
    ];
    assert_eq!(found, expected.map(|n| n as i32));
}

#[test]
fn what_dot_products_do_not_take() {
    for (capabilities, body, message) in [
        (
            &["DotProduct"][..],
            "%a = OpSDot %i32 %v %v",
            "only vectors of four 8-bit integers",
        ),
        (
            &["DotProduct"],
            "%a = OpSDot %i32 %c1 %c1",
            "only vectors of four 8-bit integers",
        ),
        (
            &["DotProductInputAll"],
            "",
            "OpCapability DotProductInputAll: the device does not have it",
        ),
    ] {
        let log = fails(&declaring(
            capabilities,
            &module("%v = OpConstantNull %v4i32", body),
        ));
        assert!(log.contains(message), "{body}: {log}");
    }
}

/// Capabilities that a device does not have are refused, and not among those that it reports.
#[test]
fn what_is_reported_is_what_is_read() {
    let all = spirv::capabilities(&CompileOptions::default().device);
    for (name, number, needs) in [
        ("GroupNonUniformShuffle", 65, "cl_khr_subgroup_shuffle"),
        (
            "GroupNonUniformShuffleRelative",
            66,
            "cl_khr_subgroup_shuffle_relative",
        ),
        ("GroupNonUniformRotateKHR", 6026, "cl_khr_subgroup_rotate"),
        ("BitInstructions", 6025, "cl_khr_extended_bit_ops"),
        ("DotProductInput4x8Bit", 6017, ""),
        ("Groups", 18, ""),
    ] {
        assert!(all.contains(&number), "{name}");
        let module = assembled(4, &declaring(&[name], &module("", "")));
        assert!(unit_with(&module, &[]).is_ok(), "{name}");
        let mut device = device_without(&[needs]);
        device.version = touchstone_clc::Version::V3_0;
        let has = spirv::capabilities(&device).contains(&number);
        let options = CompileOptions {
            device,
            ..CompileOptions::default()
        };
        assert_eq!(compile_spirv(&module, &[], &options).is_ok(), has, "{name}");
        assert_eq!(has, needs.is_empty(), "{name}");
    }
    // Shader, Pipes, DeviceEnqueue
    assert!([1, 17, 19].iter().all(|other| !all.contains(other)));
    let extensions = spirv::extensions(&device_without(&[]));
    assert!(extensions.contains(&"SPV_KHR_bit_instructions"));
    for set in spirv::extended_instruction_sets() {
        let text = HEAD.replace("OpenCL.std", set);
        assert!(unit_with(&assembled(4, &text), &[]).is_ok(), "{set}");
    }
}

#[test]
fn modules_of_every_version_are_read() {
    for (major, minor) in spirv::VERSIONS {
        assert_eq!(major, 1);
        assert!(unit_with(&assembled(minor, &module("", "")), &[]).is_ok());
    }
    assert_eq!(values("", "%x = OpIAdd %i32 %c1 %c2", &["%x"]), [3]);
}
