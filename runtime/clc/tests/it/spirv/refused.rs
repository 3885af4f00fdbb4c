//! What is not read: messages say what, where and why.

use super::assembler::{assembled, bytes};
use super::{HEAD, TYPES, device_without, fails, module, unit_with};
use touchstone_clc::spirv::spec_constants;
use touchstone_clc::{CompileOptions, compile_spirv};

#[test]
fn what_is_no_module_is_told() {
    let why = |bytes: &[u8]| spec_constants(bytes).expect_err("no module");
    assert!(why(&[]).contains("no words"));
    assert!(why(&[3, 2, 0x23]).contains("3 bytes are no whole number of words"));
    assert!(why(&[0; 20]).contains("the first word is 0x00000000"));
    assert!(why(&bytes(&[0x0723_0203, 0x10000])).contains("less than the header"));
    let header = |version| bytes(&[0x0723_0203, version, 0, 1, 0]);
    assert!(why(&header(0x0001_0700)).contains("version 1.7; versions up to 1.6 are read"));
    let cut = bytes(&[0x0723_0203, 0x10000, 0, 1, 0, 0x0004_0011, 6]);
    assert!(
        why(&cut).contains("says that it has 4 words; 2 are left"),
        "{}",
        why(&cut)
    );
}

#[test]
fn errors_name_the_function_the_instruction_and_the_reason() {
    let cases = [
        (
            "",
            "%x = OpIAdd %i32 %c1 %later",
            "%x = OpIAdd",
            "used before it is computed",
        ),
        ("", "%x = OpLoad %i32 %c1", "OpLoad", "is no pointer"),
        (
            "",
            "OpBranch %out\n%after = OpLabel",
            "OpBranch",
            "is no block of the function",
        ),
        (
            "",
            "%x = OpFunctionCall %i32 %c1",
            "OpFunctionCall",
            "is no function",
        ),
        (
            "%p = OpTypePointer Function %i32",
            "%x = OpVariable %p Workgroup\n%y = OpFwidth %f32 %c1",
            "OpFwidth",
            "not supported",
        ),
        (
            "",
            "%x = OpExtInst %f32 %c1 fabs %c1",
            "OpExtInst",
            "is no set",
        ),
        ("", "%x = OpFAdd %i32 %c1 %c2", "", "not floats"),
    ];
    for (globals, body, place, reason) in cases {
        let place = match place.strip_prefix("%x = ") {
            Some(rest) => rest,
            None => place,
        };
        let log = fails(&module(globals, body));
        assert!(log.starts_with("error: SPIR-V: "), "{log}");
        assert!(log.contains(place), "{place}: {log}");
        if reason != "not floats" {
            assert!(log.contains(reason), "{reason}: {log}");
            assert!(log.contains("in the function "), "{log}");
        }
    }
}

#[test]
fn types_that_kernels_do_not_have_are_refused() {
    for (globals, reason) in [
        ("%t = OpTypeInt 24 0", "integers of 24 bits"),
        ("%t = OpTypeFloat 128", "floats of 128 bits"),
        ("%t = OpTypeVector %i32 5", "no vectors of 5 elements"),
        ("%t = OpTypeMatrix %v4f32 4", "not supported"),
        ("%t = OpTypeArray %void %c5", "has no size"),
        (
            "%t = OpTypeArray %i32 %cm1\n%u = OpTypeArray %t %cm1",
            "too large",
        ),
        (
            "%t = OpTypeImage %void Cube 0 0 0 0 Unknown ReadOnly",
            "are not supported",
        ),
        (
            "%t = OpTypeImage %void 3D 1 0 0 0 Unknown ReadOnly",
            "depth images of Dim3D are not supported",
        ),
        (
            "%p = OpTypePointer Private %i32\n%v = OpVariable %p Private",
            "Private",
        ),
    ] {
        let log = fails(&module(globals, ""));
        assert!(log.contains(reason), "{reason}: {log}");
    }
}

#[test]
fn models_and_capabilities_of_other_devices_are_refused() {
    let shader = module("", "").replacen("OpCapability Kernel", "OpCapability Shader", 1);
    assert!(fails(&shader).contains("OpCapability Shader: the device does not have it"));
    let narrow = module("", "").replacen("Physical64", "Physical32", 1);
    assert!(fails(&narrow).contains("Physical32 OpenCL: kernels have Physical64"));
    let set = module("", "").replacen("OpenCL.std", "GLSL.std.450", 1);
    assert!(fails(&set).contains("\"GLSL.std.450\": this set is not supported"));
    let version = assembled(2, &module("", ""));
    let options = CompileOptions {
        device: device_without(&["cl_khr_fp64", "__opencl_c_fp64"]),
        ..CompileOptions::default()
    };
    let log = compile_spirv(&version, &[], &options)
        .expect_err("no doubles")
        .log;
    assert!(log.contains("OpCapability Float64"), "{log}");
}

/// What a device lacks is missing from modules as it is from OpenCL C.
#[test]
fn functions_that_the_device_lacks_are_refused() {
    let text = module(
        "%scope = OpConstant %i32 2",
        "%x = OpGroupIAdd %i32 %scope Reduce %c1",
    );
    let options = CompileOptions {
        device: device_without(&["__opencl_c_work_group_collective_functions"]),
        ..CompileOptions::default()
    };
    let log = compile_spirv(&assembled(2, &text), &[], &options)
        .expect_err("no groups")
        .log;
    assert!(
        log.contains("no collective functions of work-groups"),
        "{log}"
    );
}

#[test]
fn recursion_is_refused() {
    let text = format!(
        r#"{HEAD}
        OpDecorate %f LinkageAttributes "round" Export
        {TYPES}
        %t = OpTypeFunction %void
        %f = OpFunction %void None %t
        %l = OpLabel
        %x = OpFunctionCall %void %f
        OpReturn
        OpFunctionEnd
        "#
    );
    let log = fails(&text);
    assert!(log.contains("`round` calls itself"), "{log}");
}

#[test]
fn a_deep_type_is_told() {
    let mut globals = String::from("%t0 = OpTypeStruct %i32\n");
    for n in 1..400 {
        globals.push_str(&format!("%t{n} = OpTypeStruct %t{}\n", n - 1));
    }
    let log = fails(&module(&globals, ""));
    assert!(log.contains("nested more than 255 deep"), "{log}");
    assert!(unit_with(&assembled(2, &module("", "")), &[]).is_ok());
}

/// The log of a module with a variable of a type whose value is a constant.
fn fails_with_value(globals: &str, ty: &str, value: &str) -> String {
    fails(&module(
        &format!(
            "{globals}
            %p_value = OpTypePointer UniformConstant {ty}
            %variable = OpVariable %p_value UniformConstant {value}"
        ),
        "",
    ))
}

#[test]
fn a_constant_that_is_made_of_itself_or_of_a_later_one_is_told() {
    let before = "is no constant or variable before it";
    let own = "%v = OpConstantComposite %v2i32 %v %v";
    let log = fails_with_value(own, "%v2i32", "%v");
    assert!(log.contains(before), "{log}");
    let ring = "%s = OpTypeStruct %i32
        %a = OpConstantComposite %s %b
        %b = OpSpecConstantOp %i32 IAdd %a %a";
    let log = fails_with_value(ring, "%s", "%a");
    assert!(log.contains(before), "{log}");
    let own = "%n = OpSpecConstantOp %i32 IAdd %n %c1
        %list = OpTypeArray %i32 %n";
    let log = fails(&module(own, ""));
    assert!(log.contains(before), "{log}");
}

/// Each is made of the one before twice: to compute or to write the last would take longer than anybody waits.
#[test]
fn constants_that_double_sixty_times_are_told() {
    let mut sums = String::from("%n0 = OpSpecConstantOp %i32 IAdd %c1 %c1\n");
    let mut structs = String::from("%t0 = OpTypeStruct\n%s0 = OpConstantComposite %t0\n");
    for n in 1..60 {
        let last = n - 1;
        sums += &format!("%n{n} = OpSpecConstantOp %i32 IAdd %n{last} %n{last}\n");
        structs += &format!("%t{n} = OpTypeStruct %t{last} %t{last}\n");
        structs += &format!("%s{n} = OpConstantComposite %t{n} %s{last} %s{last}\n");
    }
    let log = fails_with_value(&sums, "%i32", "%n59");
    assert!(log.contains("made of more than 1000 other"), "{log}");
    let log = fails_with_value(&structs, "%t59", "%s59");
    assert!(log.contains("made of more than 268435456 other"), "{log}");
}

#[test]
fn an_announced_pointer_that_is_something_else_is_told() {
    let globals = "OpTypeForwardPointer %later CrossWorkgroup
        %s = OpTypeStruct %later
        %later = OpTypeStruct %s";
    let log = fails(&module(globals, ""));
    assert!(log.contains("a pointer is announced"), "{log}");
}
