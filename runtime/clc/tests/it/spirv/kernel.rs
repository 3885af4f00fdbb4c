//! Entry points, arguments, built-in variables, linkage.

use super::{Given, HEAD, TYPES, built, launch, unit};
use touchstone_clc::{BuildOptions, CompileOptions, Source, compile_unit, link};
use touchstone_ir::{AddressSpace, ArgPass, ImageAccess, ImageKind, Scalar, Type};

#[test]
fn arguments_are_what_their_types_say() {
    let text = format!(
        r#"{HEAD}
        OpCapability ImageBasic
        OpEntryPoint Kernel %k "k"
        OpExecutionMode %k LocalSize 4 2 1
        OpExecutionMode %k LocalSizeHint 8 1 1
        OpExecutionMode %k VecTypeHint 262149
        OpExecutionMode %k ContractionOff
        %types = OpString "kernel_arg_type.k.int*,float4*,mine,,image2d_t,sampler_t,float4,"
        OpName %a "a"
        OpName %value "value"
        OpDecorate %by FuncParamAttr ByVal
        OpDecorate %a FuncParamAttr NoWrite
        OpDecorate %a Restrict
        {TYPES}
        %w_v4 = OpTypePointer Workgroup %v4f32
        %s = OpTypeStruct %i8 %i64
        %f_s = OpTypePointer Function %s
        %u_i32 = OpTypePointer UniformConstant %i32
        %image = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
        %sampler = OpTypeSampler
        %type = OpTypeFunction %void %g_i32 %w_v4 %f_s %u_i32 %image %sampler %v4f32
        %k = OpFunction %void None %type
        %a = OpFunctionParameter %g_i32
        %b = OpFunctionParameter %w_v4
        %by = OpFunctionParameter %f_s
        %c = OpFunctionParameter %u_i32
        %i = OpFunctionParameter %image
        %sa = OpFunctionParameter %sampler
        %value = OpFunctionParameter %v4f32
        %l = OpLabel
        OpReturn
        OpFunctionEnd
        "#
    );
    let module = built(&text).module;
    let (_, kernel) = module.kernels().next().expect("a kernel");
    let info = kernel.kernel.as_ref().expect("a kernel");
    let passes: Vec<ArgPass> = info.args.iter().map(|arg| arg.pass).collect();
    let lanes = touchstone_ir::Lanes::L4;
    assert_eq!(
        passes,
        [
            ArgPass::Pointer(AddressSpace::Global),
            ArgPass::LocalPointer { align: 16 },
            ArgPass::Aggregate { size: 16, align: 8 },
            ArgPass::Pointer(AddressSpace::Constant),
            ArgPass::Image(ImageKind::D2, ImageAccess::Write),
            ArgPass::Sampler,
            ArgPass::Value(Type::Vector(Scalar::F32, lanes)),
        ]
    );
    let names: Vec<&str> = info.args.iter().map(|arg| &*arg.type_name).collect();
    let wanted = [
        "int*",
        "float4*",
        "mine",
        "int*",
        "image2d_t",
        "sampler_t",
        "float4",
    ];
    assert_eq!(names, wanted);
    assert_eq!((&*info.args[0].name, &*info.args[6].name), ("a", "value"));
    let first = info.args[0].qualifiers;
    assert!(first.is_const && first.is_restrict && !first.is_volatile);
    assert_eq!(info.reqd_work_group_size, Some([4, 2, 1]));
    assert_eq!(info.work_group_size_hint, Some([8, 1, 1]));
    assert_eq!(info.vec_type_hint.as_deref(), Some("float4"));
}

/// Built-in variables are asked whole, by an element, by one that the run knows, and as scalars.
#[test]
fn built_in_variables_are_questions_about_the_index_space() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k" %gid %lid %size %lin
        OpDecorate %gid BuiltIn GlobalInvocationId
        OpDecorate %lid BuiltIn LocalInvocationId
        OpDecorate %size BuiltIn WorkgroupSize
        OpDecorate %lin BuiltIn GlobalLinearId
        {TYPES}
        %in = OpTypePointer Input %v3i64
        %in1 = OpTypePointer Input %i64
        %gid = OpVariable %in Input
        %lid = OpVariable %in Input
        %size = OpVariable %in Input
        %lin = OpVariable %in1 Input
        %c4 = OpConstant %i64 4
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %l = OpLabel
        %g = OpLoad %v3i64 %gid Aligned 32
        %x = OpCompositeExtract %i64 %g 0
        %lp = OpInBoundsAccessChain %in1 %lid %c0
        %y = OpLoad %i64 %lp
        %zero = OpISub %i64 %l1 %l1
        %sp = OpAccessChain %in1 %size %zero
        %s = OpLoad %i64 %sp
        %n = OpLoad %i64 %lin
        %twice = OpVectorShuffle %v3i64 %g %g 2 1 0
        %again = OpCompositeExtract %i64 %twice 2
        %at = OpIMul %i64 %x %c4
        %p0 = OpInBoundsPtrAccessChain %g_i32 %out %at
        %p1 = OpInBoundsPtrAccessChain %g_i32 %p0 %l1
        %p2 = OpInBoundsPtrAccessChain %g_i32 %p1 %l1
        %p3 = OpInBoundsPtrAccessChain %g_i32 %p2 %l1
        %v0 = OpUConvert %i32 %again
        %v1 = OpUConvert %i32 %y
        %v2 = OpUConvert %i32 %s
        %v3 = OpUConvert %i32 %n
        OpStore %p0 %v0
        OpStore %p1 %v1
        OpStore %p2 %v2
        OpStore %p3 %v3
        OpReturn
        OpFunctionEnd
        "#
    );
    let mut bytes = vec![0u8; 4 * 4 * 6];
    launch(built(&text), "k", vec![Given::Buffer(&mut bytes)], 6, 3);
    let found: Vec<i32> = super::Element::read(&bytes);
    for (n, item) in found.chunks(4).enumerate() {
        let n = n as i32;
        assert_eq!(item, [n, n % 3, 3, n]);
    }
}

/// One function is a kernel under two names.
#[test]
fn a_function_may_be_several_entry_points() {
    let text = super::module("", "OpStore %out %c7").replacen(
        "OpEntryPoint Kernel %k \"k\"",
        "OpEntryPoint Kernel %k \"first\"\nOpEntryPoint Kernel %k \"second\"",
        1,
    );
    let module = built(&text).module;
    let mut names: Vec<&str> = module.kernels().map(|(_, kernel)| &*kernel.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["first", "second"]);
}

/// A module that calls a function of OpenCL C and exports one that OpenCL C calls.
#[test]
fn modules_are_linked_with_opencl_c() {
    let il = format!(
        r#"{HEAD}
        OpDecorate %twice LinkageAttributes "twice" Import
        OpDecorate %more LinkageAttributes "more" Export
        OpDecorate %level LinkageAttributes "level" Import
        {TYPES}
        %f = OpTypeFunction %i32 %i32
        %level = OpVariable %g_i32 CrossWorkgroup
        %twice = OpFunction %i32 None %f
        %tp = OpFunctionParameter %i32
        OpFunctionEnd
        %more = OpFunction %i32 None %f
        %x = OpFunctionParameter %i32
        %l = OpLabel
        %y = OpFunctionCall %i32 %twice %x
        %v = OpLoad %i32 %level
        %z = OpIAdd %i32 %y %v
        OpReturnValue %z
        OpFunctionEnd
        "#
    );
    let text = "
        global int level = 100;
        int more(int x);
        int twice(int x) { return 2 * x; }
        kernel void k(global int *out) { *out = more(21); }";
    let options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0").expect("options"),
        ..CompileOptions::default()
    };
    let c = compile_unit(&Source::new("t.cl", text), &options).expect("a unit");
    let il = unit(&il).unwrap_or_else(|log| panic!("{log}"));
    let module = link(&[&c, &il]).unwrap_or_else(|failure| panic!("{failure}"));
    let log = String::new();
    let mut bytes = vec![0u8; 4];
    let given = vec![Given::Buffer(&mut bytes)];
    launch(touchstone_clc::Compiled { module, log }, "k", given, 1, 1);
    assert_eq!(bytes, 142i32.to_ne_bytes());
    let missing = link(&[&il]).expect_err("a name is missing").log;
    assert!(
        missing.contains("`twice` is used and nowhere defined"),
        "{missing}"
    );
}

/// Two modules with the same `LinkOnceODR` function, and with the same built-in function, are linked.
#[test]
fn what_modules_have_alike_is_linked_once() {
    let text = |name: &str| {
        format!(
            r#"{HEAD}
            OpEntryPoint Kernel %k "{name}"
            OpDecorate %same LinkageAttributes "same" LinkOnceODR
            {TYPES}
            %f = OpTypeFunction %i32 %i32
            %same = OpFunction %i32 None %f
            %x = OpFunctionParameter %i32
            %sl = OpLabel
            %y = OpExtInst %i32 %std s_abs %x
            OpReturnValue %y
            OpFunctionEnd
            %k = OpFunction %void None %kernel_type
            %out = OpFunctionParameter %g_i32
            %l = OpLabel
            %r = OpFunctionCall %i32 %same %cm7
            OpStore %out %r
            OpReturn
            OpFunctionEnd
            "#
        )
    };
    let units = ["one", "two"].map(|name| unit(&text(name)).expect("a unit"));
    let module = link(&[&units[0], &units[1]]).unwrap_or_else(|failure| panic!("{failure}"));
    for name in ["one", "two"] {
        let (module, log) = (module.clone(), String::new());
        let mut bytes = vec![0u8; 4];
        let given = vec![Given::Buffer(&mut bytes)];
        launch(touchstone_clc::Compiled { module, log }, name, given, 1, 1);
        assert_eq!(bytes, 7i32.to_ne_bytes());
    }
}

/// `llvm-spirv` makes an entry point that calls the function of the same name.
#[test]
fn a_kernel_may_call_the_exported_function_of_its_name() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %entry_point "k"
        OpDecorate %body LinkageAttributes "k" Export
        {TYPES}
        %body = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %l = OpLabel
        OpStore %out %c5
        OpReturn
        OpFunctionEnd
        %entry_point = OpFunction %void None %kernel_type
        %out2 = OpFunctionParameter %g_i32
        %l2 = OpLabel
        %none = OpFunctionCall %void %body %out2
        OpReturn
        OpFunctionEnd
        "#
    );
    assert_eq!(super::outputs::<i32>(&text, 1), [5]);
}

/// Depths are read as floats, as `llvm-spirv` has it without a sampler, or as the first of four, and written as either.
#[test]
fn images_of_depth_are_read_and_written() {
    let text = format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k"
        {TYPES}
        %read = OpTypeImage %void 2D 1 0 0 0 Unknown ReadOnly
        %written = OpTypeImage %void 2D 1 1 0 0 Unknown WriteOnly
        %sampler = OpTypeSampler
        %both = OpTypeSampledImage %read
        %type = OpTypeFunction %void %read %written %sampler
        %at = OpConstantComposite %v2i32 %c0 %c1
        %layer = OpConstantComposite %v4i32 %c0 %c1 %c1 %c0
        %lod = OpConstant %f32 0.0
        %k = OpFunction %void None %type
        %r = OpFunctionParameter %read
        %w = OpFunctionParameter %written
        %s = OpFunctionParameter %sampler
        %l = OpLabel
        %plain = OpImageRead %f32 %r %at
        OpImageWrite %w %layer %plain
        %si = OpSampledImage %both %r %s
        %sampled = OpImageSampleExplicitLod %v4f32 %si %at Lod %lod
        OpImageWrite %w %layer %sampled
        OpReturn
        OpFunctionEnd
        "#
    );
    let module = built(&text).module;
    let (_, kernel) = module.kernels().next().expect("a kernel");
    let info = kernel.kernel.as_ref().expect("a kernel");
    let passes: Vec<ArgPass> = info.args.iter().map(|arg| arg.pass).collect();
    assert_eq!(
        passes,
        [
            ArgPass::Image(ImageKind::D2Depth, ImageAccess::Read),
            ArgPass::Image(ImageKind::D2ArrayDepth, ImageAccess::Write),
            ArgPass::Sampler,
        ]
    );
}
