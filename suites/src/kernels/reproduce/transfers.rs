//! Transfers in C.

use super::steps::{buffer, code, pointer};
use super::{images, world};
use crate::commands::reproduce::text::Text;
use crate::kernels::case::{KernelCase, Place};
use crate::kernels::transfer::{Corner, Effect, Move, Transfer};

pub(super) fn three(list: [usize; 3]) -> String {
    format!(
        "(const size_t[]){{ {}u, {}u, {}u }}",
        list[0], list[1], list[2]
    )
}

/// The rest of a step that moves something.
pub fn write(case: &KernelCase, moved: &Move, c: &mut Text) {
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
        Transfer::Fill { pattern, to, bytes } => fill(pattern, *to, *bytes),
        Transfer::Renew {
            pattern,
            to,
            bytes,
            to_host,
        } => {
            let host = if *to_host {
                "CL_MIGRATE_MEM_OBJECT_HOST | "
            } else {
                ""
            };
            c.line("    cl_int code = clEnqueueMigrateMemObjects(");
            c.line(&format!(
                "        queue, 1, &{}, {host}CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);",
                buffer(to.object)
            ));
            c.line("    if (code != CL_SUCCESS)");
            c.line("        return expect_code(\"ex.api.valid\", \"clEnqueueMigrateMemObjects\", code, 0);");
            fill(pattern, *to, *bytes)
        }
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
        Transfer::ReadImage { .. }
        | Transfer::WriteImage { .. }
        | Transfer::CopyImage { .. }
        | Transfer::CopyImageToBuffer { .. }
        | Transfer::CopyBufferToImage { .. }
        | Transfer::FillImage { .. }
        | Transfer::MapReadImage { .. }
        | Transfer::MapWriteImage { .. } => images::call(case, &moved.what, blocking, c),
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

fn fill(pattern: &[u8], to: Place, bytes: usize) -> (&'static str, String) {
    let call = format!(
        "clEnqueueFillBuffer(queue, {}, {}, {}, {}u, {bytes}u, 0, NULL, NULL)",
        buffer(to.object),
        list(pattern),
        pattern.len(),
        to.byte
    );
    ("clEnqueueFillBuffer", call)
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

pub(super) fn unmap(at: Place) -> (&'static str, String) {
    let buffer = buffer(at.object);
    (
        "clEnqueueUnmapMemObject",
        format!("clEnqueueUnmapMemObject(queue, {buffer}, mapped, 0, NULL, NULL)"),
    )
}

pub(super) fn list(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("(const cl_uchar[]){{ {} }}", all.join(", "))
}

/// What a transfer leaves behind, as [`crate::kernels::model`] has it.
fn modelled(case: &KernelCase, what: &Transfer) -> Option<String> {
    let whole = |corner: &Corner| {
        let at = Place {
            object: corner.object,
            byte: 0,
        };
        world::model(case, at)
    };
    match what.effect(case)? {
        Effect::Bytes { from, to, bytes } => Some(format!(
            "memmove({}, {}, {bytes}u);",
            world::model(case, to)?,
            world::model(case, from)?
        )),
        Effect::Pattern { pattern, to, bytes } => Some(format!(
            "repeated({}, {bytes}u, {}, {});",
            world::model(case, to)?,
            list(pattern),
            pattern.len()
        )),
        Effect::Rectangle { from, to, region } => Some(format!(
            "rectangle({}, {}, {}u, {}u, {}, {}, {}u, {}u, {});",
            whole(&to)?,
            three(to.origin),
            to.row,
            to.slice,
            whole(&from)?,
            three(from.origin),
            from.row,
            from.slice,
            three(region)
        )),
        Effect::Elements {
            element,
            to,
            region,
        } => Some(format!(
            "elements({}, {}, {}u, {}u, {}, {}, {});",
            whole(&to)?,
            three(to.origin),
            to.row,
            to.slice,
            list(&element),
            element.len(),
            three(region)
        )),
    }
}
