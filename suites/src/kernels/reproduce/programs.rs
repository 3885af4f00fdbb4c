//! The program of a case in C: from a source, from a module, or of built-in kernels.

use crate::commands::reproduce::text::{self, Text, quoted};
use crate::kernels::case::KernelCase;
use classay_vocabulary::Need;

/// `begin`: what outlives a run.
pub fn begin(case: &KernelCase, c: &mut Text) {
    c.line("static cl_program program;");
    if !case.source.is_empty() {
        source(case, c);
    }
    if !case.module.is_empty() {
        c.line("static const cl_uint module[] = {");
        for words in case.module.chunks(8) {
            let words: Vec<String> = words.iter().map(|word| format!("0x{word:08x}u")).collect();
            c.line(&format!("    {},", words.join(", ")));
        }
        c.line("};");
    }
    if !case.built_in.is_empty() {
        let names = match case.built_in.as_str() {
            "*" => "",
            names => names,
        };
        c.line("/* The names of built-in kernels. */");
        c.line(&format!("static char built_in[10000] = {};", quoted(names)));
    }
    c.line("");
    c.line("static void begin(void)");
    c.line("{");
    c.line("    cl_int code;");
    c.line("    context = clCreateContext(NULL, DEVICES, devices, NULL, NULL, &code);");
    c.line("    must(code, \"clCreateContext\");");
    let places: Vec<String> = [0]
        .iter()
        .chain(&case.queues)
        .map(|n| n.to_string())
        .collect();
    c.line(&format!(
        "    static const unsigned places[QUEUES] = {{ {} }};",
        places.join(", ")
    ));
    c.line("    for (unsigned n = 0; n < QUEUES; n++) {");
    c.line("#ifdef CL_VERSION_2_0");
    c.line("        queues[n] = clCreateCommandQueueWithProperties(context, devices[places[n]], NULL, &code);");
    c.line("#else");
    c.line("        queues[n] = clCreateCommandQueue(context, devices[places[n]], 0, &code);");
    c.line("#endif");
    c.line("        must(code, \"clCreateCommandQueue\");");
    c.line("    }");
    c.line("    queue = queues[0];");
    needs(case, c);
    if !case.source.is_empty() {
        let versions = versions(case).len();
        // Built first, and kept: they must not matter.
        for n in 0..case.build.before.len() {
            c.line(&format!(
                "    (void)from_source(before_{n}, options_{n}, {versions}, &which);"
            ));
        }
        c.line(&format!(
            "    program = from_source(source, options, {versions}, &which);"
        ));
        if case.build.through_binary {
            c.line("    program = through_binary(program, options[which]);");
        }
    } else if !case.module.is_empty() {
        c.line("    program = clCreateProgramWithIL(context, module, sizeof module, &code);");
        c.line("    must(code, \"clCreateProgramWithIL\");");
        c.line(&format!(
            "    program = built(program, {}, 1);",
            quoted(&case.build.options)
        ));
        if case.build.through_binary {
            c.line(&format!(
                "    program = through_binary(program, {});",
                quoted(&case.build.options)
            ));
        }
    } else if !case.built_in.is_empty() {
        if case.built_in == "*" {
            c.line("    must(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS, sizeof built_in, built_in, NULL),");
            c.line("         \"clGetDeviceInfo\");");
        }
        c.line("    program = clCreateProgramWithBuiltInKernels(context, DEVICES, devices, built_in, &code);");
        c.line("    must(code, \"clCreateProgramWithBuiltInKernels\");");
    } else {
        c.line("    (void)program;");
    }
    c.line("}");
    c.line("");
}

/// What the device must offer and no call of the program tells.
fn needs(case: &KernelCase, c: &mut Text) {
    for need in &case.needs {
        let missing = match need {
            Need::SubGroupProgress => {
                "!info(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)".to_string()
            }
            Need::WorkGroupSize(n) => format!("info(CL_DEVICE_MAX_WORK_GROUP_SIZE) < {n}"),
            Need::SubBufferAlign(n) => format!("info(CL_DEVICE_MEM_BASE_ADDR_ALIGN) > {}", n * 8),
            Need::Bits64 => "info(CL_DEVICE_ADDRESS_BITS) != 64".into(),
            Need::Images | Need::ImageObjects => "!info(CL_DEVICE_IMAGE_SUPPORT)".into(),
            Need::ReadWriteImages => "!info(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS)".into(),
            // Without these something cannot be built, made or called, or there is a choice of devices.
            Need::Devices(_)
            | Need::OutOfOrderQueue
            | Need::NativeKernels
            | Need::BuiltInKernels
            | Need::BuiltIn(_)
            | Need::SvmCoarse
            | Need::SvmFine
            | Need::SvmSystem
            | Need::SvmAtomics
            | Need::ProgramScopeVariables
            | Need::GenericAddressSpace
            | Need::NonUniformGroups
            | Need::SubGroups
            | Need::WorkGroupFunctions
            | Need::DeviceEnqueue
            | Need::Pipes
            | Need::FullProfile
            | Need::Il
            | Need::C11Atomics
            | Need::OrderAcqRel
            | Need::OrderSeqCst
            | Need::ScopeSubGroup
            | Need::ScopeDevice
            | Need::ScopeAllDevices
            | Need::Int64Atomics
            | Need::Fp64
            | Need::Fp16
            | Need::C20
            | Need::Api21
            | Need::Api30 => continue,
        };
        c.line(&format!(
            "    need({missing}, {});",
            quoted(&need.to_string())
        ));
    }
}

/// The versions of the language in which it may be built: the device's latest, unless the case says which.
fn versions(case: &KernelCase) -> Vec<&str> {
    match &case.build.std {
        Some(version) => vec![version.as_str()],
        None => vec!["CL3.0", "CL2.0", "CL1.2", "CL1.1"],
    }
}

/// The texts, and the options with which they are built.
fn source(case: &KernelCase, c: &mut Text) {
    let list = |options: &str| {
        let all: Vec<String> = versions(case)
            .iter()
            .map(|v| quoted(format!("-cl-std={v} {options}").trim_end()))
            .collect();
        all.join(", ")
    };
    for (n, other) in case.build.before.iter().enumerate() {
        c.line(&format!("static const char before_{n}[] ="));
        c.raw(&text::source(&other.source));
        c.line("    ;");
        c.line(&format!(
            "static const char *const options_{n}[] = {{ {} }};",
            list(&other.options)
        ));
    }
    c.line("static const char source[] =");
    c.raw(&text::source(&case.source));
    c.line("    ;");
    c.line(&format!(
        "static const char *const options[] = {{ {} }};",
        list(&case.build.options)
    ));
    c.line("/* Which of them built it. */");
    c.line("static unsigned which;");
}
