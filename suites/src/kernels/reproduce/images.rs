//! Images in C: made, moved, mapped.

use super::steps::{buffer, pointer};
use super::transfers::{three, unmap};
use crate::commands::reproduce::text::Text;
use crate::kernels::case::{KernelCase, Place};
use crate::kernels::image::{Channel, Image, Order, Shape, Spot};
use crate::kernels::transfer::{Corner, Transfer, in_image};

/// The functions that cases with images call.
pub const FUNCTIONS: &str = include_str!("images.c");

/// Makes an image from the bytes in the model of its object.
pub fn make(n: usize, image: Image, flags: &str, c: &mut Text) {
    let order = match image.format.order {
        Order::R => "CL_R",
        Order::Rg => "CL_RG",
        Order::Rgba => "CL_RGBA",
        Order::Bgra => "CL_BGRA",
    };
    let channel = match image.format.channel {
        Channel::Unorm8 => "CL_UNORM_INT8",
        Channel::Unorm16 => "CL_UNORM_INT16",
        Channel::Snorm8 => "CL_SNORM_INT8",
        Channel::Snorm16 => "CL_SNORM_INT16",
        Channel::Signed8 => "CL_SIGNED_INT8",
        Channel::Signed16 => "CL_SIGNED_INT16",
        Channel::Signed32 => "CL_SIGNED_INT32",
        Channel::Unsigned8 => "CL_UNSIGNED_INT8",
        Channel::Unsigned16 => "CL_UNSIGNED_INT16",
        Channel::Unsigned32 => "CL_UNSIGNED_INT32",
        Channel::Half => "CL_HALF_FLOAT",
        Channel::Float => "CL_FLOAT",
    };
    let [width, height, depth] = image.shape.size();
    let shape = match image.shape {
        Shape::Line(_) => "CL_MEM_OBJECT_IMAGE1D".to_string(),
        Shape::Plane(..) => format!("CL_MEM_OBJECT_IMAGE2D, .image_height = {height}"),
        Shape::Block(..) => {
            format!("CL_MEM_OBJECT_IMAGE3D, .image_height = {height}, .image_depth = {depth}")
        }
        Shape::Lines(..) => format!("CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_array_size = {height}"),
        Shape::Planes(..) => format!(
            "CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_height = {height}, .image_array_size = {depth}"
        ),
    };
    c.line("    {");
    c.line(&format!(
        "        const cl_image_format format = {{ {order}, {channel} }};"
    ));
    c.line(&format!(
        "        const cl_image_desc description = {{ .image_width = {width}, .image_type = {shape} }};"
    ));
    c.line(&format!(
        "        objects[{n}].buffer = clCreateImage(context, {flags}, &format,"
    ));
    c.line(&format!(
        "                                          &description, objects[{n}].model, &code);"
    ));
    c.line("        must(code, \"clCreateImage\");");
    for (d, size) in [width, height, depth].into_iter().enumerate() {
        c.line(&format!("        objects[{n}].size[{d}] = {size};"));
    }
    c.line("    }");
}

/// The function that moves something from or to an image, and the call; lines before it are written.
pub fn call(
    case: &KernelCase,
    what: &Transfer,
    blocking: &str,
    c: &mut Text,
) -> (&'static str, String) {
    // Rectangles of the host begin at a byte of a row of some slice.
    let host = |corner: &Corner| {
        let [byte, row, slice] = corner.origin;
        pointer(Place {
            object: corner.object,
            byte: byte + row * corner.row + slice * corner.slice,
        })
    };
    let plain = |name: &'static str, rest: String| {
        let call = format!("{name}(queue, {rest}, 0, NULL, NULL)");
        (name, call)
    };
    match what {
        Transfer::ReadImage { from, to, region } => plain(
            "clEnqueueReadImage",
            format!(
                "{}, {blocking}, {}, {},\n                {}u, {}u, {}",
                buffer(from.object),
                three(from.origin),
                three(*region),
                to.row,
                to.slice,
                host(to)
            ),
        ),
        Transfer::WriteImage { from, to, region } => plain(
            "clEnqueueWriteImage",
            format!(
                "{}, {blocking}, {}, {},\n                {}u, {}u, {}",
                buffer(to.object),
                three(to.origin),
                three(*region),
                from.row,
                from.slice,
                host(from)
            ),
        ),
        Transfer::CopyImage { from, to, region } => plain(
            "clEnqueueCopyImage",
            format!(
                "{}, {}, {},\n                {}, {}",
                buffer(from.object),
                buffer(to.object),
                three(from.origin),
                three(to.origin),
                three(*region)
            ),
        ),
        Transfer::CopyImageToBuffer { from, to, region } => plain(
            "clEnqueueCopyImageToBuffer",
            format!(
                "{}, {}, {}, {},\n                {}u",
                buffer(from.object),
                buffer(to.object),
                three(from.origin),
                three(*region),
                to.byte
            ),
        ),
        Transfer::CopyBufferToImage { from, to, region } => plain(
            "clEnqueueCopyBufferToImage",
            format!(
                "{}, {}, {}u, {},\n                {}",
                buffer(from.object),
                buffer(to.object),
                from.byte,
                three(to.origin),
                three(*region)
            ),
        ),
        Transfer::FillImage { colour, to, region } => {
            let words = in_image(case, *to, region)
                .map(|(image, ..)| image.format.fill_words(*colour))
                .unwrap_or_default();
            let words: Vec<String> = words.iter().map(|word| format!("{word}u")).collect();
            plain(
                "clEnqueueFillImage",
                format!(
                    "{}, (const cl_uint[]){{ {} }},\n                {}, {}",
                    buffer(to.object),
                    words.join(", "),
                    three(to.origin),
                    three(*region)
                ),
            )
        }
        Transfer::MapReadImage { from, to, region } => {
            map(case, *from, region, "CL_MAP_READ", *to, c);
            unmap(at_begin(*from))
        }
        Transfer::MapWriteImage {
            from,
            to,
            region,
            invalidate,
        } => {
            let flags = match invalidate {
                true => "CL_MAP_WRITE_INVALIDATE_REGION",
                false => "CL_MAP_WRITE",
            };
            map(case, *to, region, flags, *from, c);
            unmap(at_begin(*to))
        }
        Transfer::Read { .. }
        | Transfer::Write { .. }
        | Transfer::Copy { .. }
        | Transfer::Fill { .. }
        | Transfer::ReadRect { .. }
        | Transfer::WriteRect { .. }
        | Transfer::CopyRect { .. }
        | Transfer::MapRead { .. }
        | Transfer::MapWrite { .. }
        | Transfer::Renew { .. }
        | Transfer::SvmCopy { .. }
        | Transfer::SvmFill { .. } => ("no transfer of an image", "CL_SUCCESS".into()),
    }
}

fn at_begin(spot: Spot) -> Place {
    Place {
        object: spot.object,
        byte: 0,
    }
}

/// Maps a region, and copies between its rows and the host's own.
fn map(case: &KernelCase, at: Spot, region: &[usize; 3], flags: &str, host: Place, c: &mut Text) {
    let Some((image, _, [bytes, rows, slices])) = in_image(case, at, region) else {
        return;
    };
    // The layers of an array of lines are slices.
    let pitches = match image.shape {
        Shape::Lines(..) => "slice, 0",
        Shape::Line(_) | Shape::Plane(..) | Shape::Block(..) | Shape::Planes(..) => "row, slice",
    };
    c.line("    cl_int code;");
    c.line("    size_t row = 0, slice = 0;");
    c.line(&format!(
        "    void *mapped = clEnqueueMapImage(queue, {}, CL_TRUE, {flags}, {},",
        buffer(at.object),
        three(at.origin)
    ));
    c.line(&format!(
        "                                     {}, &row, &slice, 0, NULL, NULL, &code);",
        three(*region)
    ));
    c.line("    if (code != CL_SUCCESS || !mapped)");
    c.line("        return expect_code(\"ex.api.valid\", \"clEnqueueMapImage\", code, 0);");
    c.line(&format!(
        "    image_rows(mapped, {pitches}, {}, {bytes}u, {rows}u, {slices}u, {});",
        pointer(host),
        u8::from(flags != "CL_MAP_READ")
    ));
}
