//! A launch in C.

use super::steps::{buffer, code, pointer, rules, sizes};
use super::transfers::list;
use crate::commands::reproduce::text::{Text, quoted};
use crate::kernels::case::{Arg, KernelCase, Kind, Launch, ObjectId};
use crate::kernels::image::{Addressing, Sampler};

/// The rest of a step that launches a kernel.
pub fn write(case: &KernelCase, launch: &Launch, step: usize, c: &mut Text) {
    c.line("    cl_int code;");
    let mut program = "program";
    if launch.rebuilt {
        program = "own_program";
        c.line("    /* Built for this launch alone. */");
        c.line("    unsigned again;");
        c.line("    cl_program own_program = from_source(source, options + which, 1, &again);");
    }
    c.line(&format!(
        "    cl_kernel kernel = clCreateKernel({program}, {}, &code);",
        quoted(&launch.kernel)
    ));
    let of = rules(launch.code, &launch.rules);
    let wanted = launch.code;
    c.line("    if (code != CL_SUCCESS)");
    c.line(&format!(
        "        return expect_code({of}, \"clCreateKernel\", code, {wanted});"
    ));
    for (n, arg) in launch.args.iter().enumerate() {
        if let Arg::Sampler(how) = arg {
            sampler(n, *how, c);
        }
        let (name, call) = argument(case, n, arg);
        c.line(&format!(
            "    if (code == CL_SUCCESS && (code = {call}) != CL_SUCCESS)"
        ));
        c.line(&format!(
            "        (void)expect_code({of}, \"{name}\", code, {wanted});"
        ));
    }
    let (system, svm): (Vec<ObjectId>, Vec<ObjectId>) = launch
        .reaches
        .iter()
        .partition(|id| case.objects[id.index()].kind == Kind::Host);
    if !svm.is_empty() {
        let list: Vec<String> = svm
            .iter()
            .map(|id| match launch.reaches_at {
                0 => format!("objects[{}].memory", id.0),
                byte => format!("(char *)objects[{}].memory + {byte}", id.0),
            })
            .collect();
        c.line(&format!("    void *reached[] = {{ {} }};", list.join(", ")));
        c.line("    if (code == CL_SUCCESS)");
        c.line("        code = clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached);");
    }
    if !system.is_empty() {
        c.line("    if (code == CL_SUCCESS)");
        c.line("        code = clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(cl_bool),");
        c.line("                                   &(cl_bool){ CL_TRUE });");
    }
    if launch.cloned || launch.disturbed {
        c.line("    if (code == CL_SUCCESS) {");
        c.line("        cl_kernel copy = clCloneKernel(kernel, &code);");
        c.line("        if (code != CL_SUCCESS)");
        c.line(&format!(
            "            return expect_code({of}, \"clCloneKernel\", code, {wanted});"
        ));
        if launch.cloned {
            c.line("        clReleaseKernel(kernel);");
            c.line("        kernel = copy;");
        } else {
            other_bytes(launch, c);
            c.line("        clReleaseKernel(copy);");
        }
        c.line("    }");
    }
    let or_null = |list: &Option<Vec<u64>>| list.as_deref().map_or("NULL".into(), sizes);
    let range = &launch.range;
    let all: Vec<String> = launch
        .after
        .iter()
        .map(|n| format!("events[{n}]"))
        .collect();
    let waits = match all.is_empty() {
        true => "0, NULL".into(),
        false => format!("{}, (const cl_event[]){{ {} }}", all.len(), all.join(", ")),
    };
    let mut queue = format!("queues[{}]", launch.queue);
    // Of launches that are repeated, the last one's event stands for all of the queue's.
    let mut event = match case.waited_for().contains(&step) {
        true => format!("n + 1 == {} ? &events[{step}] : NULL", launch.times.max(1)),
        false => "NULL".into(),
    };
    if launch.fails {
        c.line(
            "    /* What fails has a queue of its own, and does not keep others from theirs. */",
        );
        c.line("    cl_int created;");
        c.line("    cl_command_queue own_queue = clCreateCommandQueueWithProperties(context, device, NULL, &created);");
        c.line("    must(created, \"clCreateCommandQueueWithProperties\");");
        c.line("    cl_event event = NULL;");
        queue = "own_queue".into();
        event = "&event".into();
    }
    c.line(&format!(
        "    for (unsigned n = 0; n < {} && code == CL_SUCCESS; n++) {{",
        launch.times.max(1)
    ));
    c.line(&format!(
        "        code = clEnqueueNDRangeKernel({queue}, kernel, {}, {}, {},",
        range.global.len(),
        or_null(&range.offset),
        sizes(&range.global)
    ));
    c.line(&format!(
        "                                      {}, {waits}, {event});",
        or_null(&range.local)
    ));
    if launch.fails {
        c.line("        if (code == CL_SUCCESS)");
        c.line(&format!(
            "            expect_failure({}, {}, event);",
            rules(-1, &launch.rules),
            quoted(&launch.kernel)
        ));
    }
    c.line("    }");
    if launch.fails {
        c.line("    clFinish(own_queue);");
        c.line("    clReleaseCommandQueue(own_queue);");
    }
    for (n, arg) in launch.args.iter().enumerate() {
        if matches!(arg, Arg::Sampler(_)) {
            c.line(&format!("    clReleaseSampler(sampler_{n});"));
        }
    }
    c.line("    clReleaseKernel(kernel);");
    if launch.rebuilt {
        c.line("    clReleaseProgram(own_program);");
    }
    code("clEnqueueNDRangeKernel", "code", wanted, &launch.rules, c);
}

/// A sampler that is an argument.
fn sampler(n: usize, sampler: Sampler, c: &mut Text) {
    let addressing = match sampler.addressing {
        Addressing::None => "CL_ADDRESS_NONE",
        Addressing::ClampToEdge => "CL_ADDRESS_CLAMP_TO_EDGE",
        Addressing::Clamp => "CL_ADDRESS_CLAMP",
        Addressing::Repeat => "CL_ADDRESS_REPEAT",
        Addressing::MirroredRepeat => "CL_ADDRESS_MIRRORED_REPEAT",
    };
    let filter = match sampler.linear {
        true => "CL_FILTER_LINEAR",
        false => "CL_FILTER_NEAREST",
    };
    c.line(&format!(
        "    const cl_sampler_properties sampling_{n}[] = {{"
    ));
    c.line(&format!(
        "        CL_SAMPLER_NORMALIZED_COORDS, {}, CL_SAMPLER_ADDRESSING_MODE, {addressing},",
        u8::from(sampler.normalized)
    ));
    c.line(&format!("        CL_SAMPLER_FILTER_MODE, {filter}, 0"));
    c.line("    };");
    c.line("    cl_int sampled;");
    c.line(&format!("    cl_sampler sampler_{n} = clCreateSamplerWithProperties(context, sampling_{n}, &sampled);"));
    c.line("    must(sampled, \"clCreateSamplerWithProperties\");");
}

/// Gives a copy of the kernel other values for the arguments that are bytes.
fn other_bytes(launch: &Launch, c: &mut Text) {
    for (n, arg) in launch.args.iter().enumerate() {
        if let Arg::Bytes(bytes) = arg {
            let other: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
            c.line(&format!(
                "        code = code ? code : clSetKernelArg(copy, {n}, {}, {});",
                other.len(),
                list(&other)
            ));
        }
    }
}

/// The function that sets an argument, and the call.
fn argument(case: &KernelCase, n: usize, arg: &Arg) -> (&'static str, String) {
    let plain = |size: String, value: String| {
        (
            "clSetKernelArg",
            format!("clSetKernelArg(kernel, {n}, {size}, {value})"),
        )
    };
    let svm = |address: String| {
        (
            "clSetKernelArgSVMPointer",
            format!("clSetKernelArgSVMPointer(kernel, {n}, {address})"),
        )
    };
    match arg {
        Arg::Object(id) if case.objects[id.index()].kind.addressed() => {
            svm(format!("objects[{}].memory", id.0))
        }
        Arg::Object(id) => plain("sizeof(cl_mem)".into(), format!("&{}", buffer(*id))),
        Arg::Pointer(at) => svm(pointer(*at)),
        Arg::Local(bytes) => plain(bytes.to_string(), "NULL".into()),
        Arg::Bytes(bytes) => {
            let all: Vec<String> = bytes.iter().map(u8::to_string).collect();
            let list = match all.is_empty() {
                true => "NULL".into(),
                false => format!("(const cl_uchar[]){{ {} }}", all.join(", ")),
            };
            plain(bytes.len().to_string(), list)
        }
        Arg::Queue(queue) => plain(
            "sizeof(cl_command_queue)".into(),
            format!("&device_queues[{queue}]"),
        ),
        Arg::Sampler(_) => plain("sizeof(cl_sampler)".into(), format!("&sampler_{n}")),
        Arg::Uint(value) => plain("4".into(), format!("&(cl_uint){{ {value}u }}")),
        Arg::Ulong(value) => plain("8".into(), format!("&(cl_ulong){{ {value}u }}")),
    }
}
