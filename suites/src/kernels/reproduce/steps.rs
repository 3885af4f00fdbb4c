//! The steps of a case in C.

use super::{talk, wants, world};
use crate::commands::reproduce::text::{Text, quoted};
use crate::kernels::case::{
    Arg, Corner, KernelCase, Kind, Launch, Move, ObjectId, Place, Step, Transfer,
};
use crate::rule::{self, RuleId};
use std::collections::BTreeSet;

/// The steps, launches, for whose events others wait.
pub fn waited_for(case: &KernelCase) -> BTreeSet<u16> {
    let launches = case.steps.iter().filter_map(|step| match step {
        Step::Launch(launch) => Some(&launch.after),
        Step::Move(_)
        | Step::Finish
        | Step::Talk { .. }
        | Step::Host { .. }
        | Step::Point { .. }
        | Step::AskSubGroups { .. }
        | Step::AskKernels { .. }
        | Step::Look { .. } => None,
    });
    launches.flatten().copied().collect()
}

/// A function for each step, and `play`, which calls them.
pub fn write(case: &KernelCase, c: &mut Text) {
    c.line("/* ---- what the host does ------------------------------------------------------------------------ */");
    c.line("");
    if !waited_for(case).is_empty() {
        c.line(&format!("static cl_event events[{}];", case.steps.len()));
        c.line("");
    }
    for (n, step) in case.steps.iter().enumerate() {
        c.line(&format!("/* Step {n}; says whether the run goes on. */"));
        c.line(&format!("static int step_{n}(void)"));
        c.line("{");
        match step {
            Step::Launch(launch) => self::launch(case, launch, n, c),
            Step::Move(moved) => transfer(case, moved, c),
            Step::Finish => code("clFinish", "finish_all()", 0, &[], c),
            Step::Talk { acts, rules } => {
                code_or_stop("clFlush", "flush_all()", c);
                talk::write(case, acts, rules, c);
            }
            Step::Host {
                at,
                bytes,
                contents,
            } => {
                c.line(&format!("    unsigned char *mine = room({bytes});"));
                world::contents("mine", *bytes, contents, c);
                let there = pointer(*at);
                let object = at.object.0;
                c.line(&format!(
                    "    by_host(&objects[{object}], {there}, mine, {bytes}, 1);"
                ));
                if let Some(model) = world::model(case, *at) {
                    c.line(&format!("    memcpy({model}, mine, {bytes});"));
                }
                c.line("    free(mine);");
                c.line("    return 1;");
            }
            // Cases with these are refused.
            Step::AskSubGroups { .. } | Step::AskKernels { .. } => {}
            Step::Point { at, to } => {
                let to = to.map_or("NULL".into(), pointer);
                let (there, object) = (pointer(*at), at.object.0);
                c.line(&format!("    unsigned char *address = {to};"));
                c.line(&format!("    by_host(&objects[{object}], {there}, (unsigned char *)&address, sizeof address, 1);"));
                c.line("    return 1;");
            }
            Step::Look {
                object,
                rules,
                name,
                want,
                even_so,
            } => {
                code_or_stop("clFinish", "finish_all()", c);
                if case.quit.is_some() && !even_so {
                    c.line("    if (gave_up())");
                    c.line("        return 1;");
                }
                let bytes = case.objects[object.index()].bytes;
                c.line(&format!(
                    "    unsigned char *seen = look(&objects[{}], {bytes});",
                    object.0
                ));
                wants::write(case, *object, rules, name, want, c);
                c.line("    free(seen);");
                c.line("    return 1;");
            }
        }
        c.line("}");
        c.line("");
    }
    c.line("static void play(void)");
    c.line("{");
    let all: Vec<String> = (0..case.steps.len()).map(|n| format!("step_{n}")).collect();
    if !all.is_empty() {
        c.line("    static int (*const steps[])(void) = {");
        for line in all.chunks(8) {
            c.line(&format!("        {},", line.join(", ")));
        }
        c.line("    };");
        c.line("    for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++)");
        c.line("        if (!steps[n]())");
        c.line("            return;");
    }
    c.line("}");
    c.line("");
}

/// The rules that a call breaks which does not give the code that it must.
fn rules(wanted: i32, of: &[RuleId]) -> String {
    if wanted == 0 || of.is_empty() {
        wants::rules(&[rule::API_VALID])
    } else {
        wants::rules(of)
    }
}

fn code(name: &str, call: &str, wanted: i32, of: &[RuleId], c: &mut Text) {
    let rules = rules(wanted, of);
    c.line(&format!(
        "    return expect_code({rules}, {}, {call}, {wanted});",
        quoted(name)
    ));
}

fn code_or_stop(name: &str, call: &str, c: &mut Text) {
    let rules = rules(0, &[]);
    c.line(&format!(
        "    if (!expect_code({rules}, {}, {call}, 0))",
        quoted(name)
    ));
    c.line("        return 0;");
}

fn pointer(at: Place) -> String {
    format!("objects[{}].memory + {}", at.object.0, at.byte)
}

fn buffer(id: ObjectId) -> String {
    format!("objects[{}].buffer", id.0)
}

fn launch(case: &KernelCase, launch: &Launch, step: usize, c: &mut Text) {
    c.line("    cl_int code;");
    c.line(&format!(
        "    cl_kernel kernel = clCreateKernel(program, {}, &code);",
        quoted(&launch.kernel)
    ));
    let of = rules(launch.code, &launch.rules);
    let wanted = launch.code;
    c.line("    if (code != CL_SUCCESS)");
    c.line(&format!(
        "        return expect_code({of}, \"clCreateKernel\", code, {wanted});"
    ));
    for (n, arg) in launch.args.iter().enumerate() {
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
            .map(|id| format!("objects[{}].memory", id.0))
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
    let sizes = |list: &[u64]| -> String {
        let all: Vec<String> = list.iter().map(|n| format!("{n}u")).collect();
        format!("(const size_t[]){{ {} }}", all.join(", "))
    };
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
    // Of launches that are repeated, the last one's event stands for all of the queue's.
    let event = match waited_for(case).iter().any(|n| usize::from(*n) == step) {
        true => format!("n + 1 == {} ? &events[{step}] : NULL", launch.times.max(1)),
        false => "NULL".into(),
    };
    c.line(&format!(
        "    for (unsigned n = 0; n < {} && code == CL_SUCCESS; n++)",
        launch.times.max(1)
    ));
    c.line(&format!(
        "        code = clEnqueueNDRangeKernel(queues[{}], kernel, {}, {}, {},",
        launch.queue,
        range.global.len(),
        or_null(&range.offset),
        sizes(&range.global)
    ));
    c.line(&format!(
        "                                      {}, {waits}, {event});",
        or_null(&range.local)
    ));
    c.line("    clReleaseKernel(kernel);");
    code("clEnqueueNDRangeKernel", "code", wanted, &launch.rules, c);
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
        // Cases with these are refused.
        Arg::Queue(_) | Arg::Sampler(_) => plain("0".into(), "NULL".into()),
        Arg::Uint(value) => plain("4".into(), format!("&(cl_uint){{ {value}u }}")),
        Arg::Ulong(value) => plain("8".into(), format!("&(cl_ulong){{ {value}u }}")),
    }
}

fn three(list: [usize; 3]) -> String {
    format!(
        "(const size_t[]){{ {}u, {}u, {}u }}",
        list[0], list[1], list[2]
    )
}

fn transfer(case: &KernelCase, moved: &Move, c: &mut Text) {
    let blocking = if moved.blocking {
        "CL_TRUE"
    } else {
        "CL_FALSE"
    };
    let rect = |name: &str, first: &Corner, second: &Corner, region: &[usize; 3], tail: String| {
        format!(
            "{name}, {}, {}, {},\n                {}u, {}u, {}u, {}u, {tail}0, NULL, NULL)",
            three(first.origin),
            three(second.origin),
            three(*region),
            first.row,
            first.slice,
            second.row,
            second.slice,
        )
    };
    let host = |corner: &Corner| format!("objects[{}].memory, ", corner.object.0);
    let (name, call) = match &moved.what {
        Transfer::Read { from, to, bytes } => (
            "clEnqueueReadBuffer",
            format!(
                "clEnqueueReadBuffer(queue, {}, {blocking}, {}u, {bytes}u, {}, 0, NULL, NULL)",
                buffer(from.object),
                from.byte,
                pointer(*to)
            ),
        ),
        Transfer::Write { from, to, bytes } => (
            "clEnqueueWriteBuffer",
            format!(
                "clEnqueueWriteBuffer(queue, {}, {blocking}, {}u, {bytes}u, {}, 0, NULL, NULL)",
                buffer(to.object),
                to.byte,
                pointer(*from)
            ),
        ),
        Transfer::Copy { from, to, bytes } => (
            "clEnqueueCopyBuffer",
            format!(
                "clEnqueueCopyBuffer(queue, {}, {}, {}u, {}u, {bytes}u, 0, NULL, NULL)",
                buffer(from.object),
                buffer(to.object),
                from.byte,
                to.byte
            ),
        ),
        Transfer::Fill { pattern, to, bytes } => (
            "clEnqueueFillBuffer",
            format!(
                "clEnqueueFillBuffer(queue, {}, {}, {}, {}u, {bytes}u, 0, NULL, NULL)",
                buffer(to.object),
                list(pattern),
                pattern.len(),
                to.byte
            ),
        ),
        Transfer::ReadRect { from, to, region } => (
            "clEnqueueReadBufferRect",
            rect(
                &format!(
                    "clEnqueueReadBufferRect(queue, {}, {blocking}",
                    buffer(from.object)
                ),
                from,
                to,
                region,
                host(to),
            ),
        ),
        Transfer::WriteRect { from, to, region } => (
            "clEnqueueWriteBufferRect",
            rect(
                &format!(
                    "clEnqueueWriteBufferRect(queue, {}, {blocking}",
                    buffer(to.object)
                ),
                to,
                from,
                region,
                host(from),
            ),
        ),
        Transfer::CopyRect { from, to, region } => (
            "clEnqueueCopyBufferRect",
            rect(
                &format!(
                    "clEnqueueCopyBufferRect(queue, {}, {}",
                    buffer(from.object),
                    buffer(to.object)
                ),
                from,
                to,
                region,
                String::new(),
            ),
        ),
        Transfer::MapRead { from, to, bytes } => {
            map(*from, "CL_MAP_READ", *bytes, c);
            c.line(&format!("    memcpy({}, mapped, {bytes}u);", pointer(*to)));
            unmap(*from)
        }
        Transfer::MapWrite {
            from,
            to,
            bytes,
            invalidate,
        } => {
            let flags = match invalidate {
                true => "CL_MAP_WRITE_INVALIDATE_REGION",
                false => "CL_MAP_WRITE",
            };
            map(*to, flags, *bytes, c);
            c.line(&format!(
                "    memcpy(mapped, {}, {bytes}u);",
                pointer(*from)
            ));
            unmap(*to)
        }
        Transfer::SvmCopy { from, to, bytes } => (
            "clEnqueueSVMMemcpy",
            format!(
                "clEnqueueSVMMemcpy(queue, {blocking}, {}, {}, {bytes}u, 0, NULL, NULL)",
                pointer(*to),
                pointer(*from)
            ),
        ),
        Transfer::SvmFill { pattern, to, bytes } => (
            "clEnqueueSVMMemFill",
            format!(
                "clEnqueueSVMMemFill(queue, {}, {}, {}, {bytes}u, 0, NULL, NULL)",
                pointer(*to),
                list(pattern),
                pattern.len()
            ),
        ),
        // Cases with these are refused.
        Transfer::ReadImage { .. }
        | Transfer::WriteImage { .. }
        | Transfer::CopyImage { .. }
        | Transfer::CopyImageToBuffer { .. }
        | Transfer::CopyBufferToImage { .. }
        | Transfer::FillImage { .. }
        | Transfer::MapReadImage { .. }
        | Transfer::MapWriteImage { .. } => return,
    };
    c.line("    cl_int given;");
    c.line(&format!("    given = {call};"));
    if moved.code == 0
        && let Some(lines) = modelled(case, &moved.what)
    {
        c.line("    if (given == CL_SUCCESS) /* what it leaves behind */");
        c.line(&format!("        {lines}"));
    }
    code(name, "given", moved.code, &moved.rules, c);
}

fn map(at: Place, flags: &str, bytes: usize, c: &mut Text) {
    c.line("    cl_int code;");
    c.line(&format!(
        "    void *mapped = clEnqueueMapBuffer(queue, {}, CL_TRUE, {flags}, {}u, {bytes}u, 0, NULL, NULL,",
        buffer(at.object),
        at.byte
    ));
    c.line("                                      &code);");
    c.line("    if (code != CL_SUCCESS || !mapped)");
    c.line("        return expect_code(\"ex.api.valid\", \"clEnqueueMapBuffer\", code, 0);");
}

fn unmap(at: Place) -> (&'static str, String) {
    let buffer = buffer(at.object);
    (
        "clEnqueueUnmapMemObject",
        format!("clEnqueueUnmapMemObject(queue, {buffer}, mapped, 0, NULL, NULL)"),
    )
}

fn list(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("(const cl_uchar[]){{ {} }}", all.join(", "))
}

/// What a transfer leaves behind, as [`crate::kernels::model`] has it.
fn modelled(case: &KernelCase, what: &Transfer) -> Option<String> {
    let rows = |from: &Corner, to: &Corner, region: &[usize; 3]| {
        let place = |corner: &Corner| {
            let at = Place {
                object: corner.object,
                byte: 0,
            };
            world::model(case, at)
        };
        Some(format!(
            "rectangle({}, {}, {}u, {}u, {}, {}, {}u, {}u, {});",
            place(to)?,
            three(to.origin),
            to.row,
            to.slice,
            place(from)?,
            three(from.origin),
            from.row,
            from.slice,
            three(*region)
        ))
    };
    match what {
        Transfer::Read { from, to, bytes }
        | Transfer::Write { from, to, bytes }
        | Transfer::Copy { from, to, bytes }
        | Transfer::MapRead { from, to, bytes }
        | Transfer::MapWrite {
            from, to, bytes, ..
        }
        | Transfer::SvmCopy { from, to, bytes } => Some(format!(
            "memmove({}, {}, {bytes}u);",
            world::model(case, *to)?,
            world::model(case, *from)?
        )),
        Transfer::Fill { pattern, to, bytes } | Transfer::SvmFill { pattern, to, bytes } => {
            Some(format!(
                "repeated({}, {bytes}u, {}, {});",
                world::model(case, *to)?,
                list(pattern),
                pattern.len()
            ))
        }
        Transfer::ReadRect { from, to, region }
        | Transfer::WriteRect { from, to, region }
        | Transfer::CopyRect { from, to, region } => rows(from, to, region),
        Transfer::ReadImage { .. }
        | Transfer::WriteImage { .. }
        | Transfer::CopyImage { .. }
        | Transfer::CopyImageToBuffer { .. }
        | Transfer::CopyBufferToImage { .. }
        | Transfer::FillImage { .. }
        | Transfer::MapReadImage { .. }
        | Transfer::MapWriteImage { .. } => None,
    }
}
