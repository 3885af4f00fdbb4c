//! Images: transfers of every shape, and kernels that read, write, and do both.
//!
//! Elements hold whole numbers that their channels keep exactly; kernels tell them as integers, so that
//! what they read and write is checked exactly in every format.

mod fence;
mod filter;
mod sample;
mod transfer;
mod write;

pub use fence::fence;
pub use sample::read;
pub use transfer::transfer;
pub use write::write;

use super::builder::CaseBuilder;
use crate::choices::Choices;
use crate::kernels::case::{Apart, Contents, Kind, ObjectId, Want};
use crate::kernels::image::{Channel, Format, Image, Order, Shape, Told};
use classay_vocabulary::{Extension, Need};

/// Channels of one byte, as those orders have them that permute four.
const BYTES: [Channel; 4] = [
    Channel::Unorm8,
    Channel::Snorm8,
    Channel::Signed8,
    Channel::Unsigned8,
];

/// Channels of numbers with a fraction.
const FRACTIONS: [Channel; 6] = [
    Channel::Unorm8,
    Channel::Unorm16,
    Channel::Snorm8,
    Channel::Snorm16,
    Channel::Half,
    Channel::Float,
];

/// The types of channels that go with an order.
fn channels(order: Order) -> &'static [Channel] {
    match order {
        Order::R | Order::Rg | Order::Rgba | Order::A | Order::Ra => &Channel::ALL,
        Order::Bgra | Order::Argb | Order::Abgr => &BYTES,
        Order::Intensity | Order::Luminance => &FRACTIONS,
        Order::Srgba => &[Channel::Unorm8],
        Order::Depth => &[Channel::Unorm16, Channel::Float],
    }
}

/// Orders that no device must have.
const RARE: [Order; 12] = [
    Order::Depth,
    Order::Depth,
    Order::Depth,
    Order::A,
    Order::A,
    Order::Ra,
    Order::Argb,
    Order::Argb,
    Order::Abgr,
    Order::Bgra,
    Order::Intensity,
    Order::Luminance,
];

/// A format of images that kernels only read, or that the host alone moves: now and then one that few devices have.
pub(super) fn format(choices: &mut Choices, case: &mut CaseBuilder) -> Format {
    match choices.below(100) {
        0..12 => rare(choices, case),
        // "ABGR" and the orders of another colour space are of OpenCL C 2.0; writes of the latter are an extension.
        12 => {
            case.need(&[Need::FullProfile, Need::C20]);
            Format {
                order: Order::Srgba,
                channel: Channel::Unorm8,
            }
        }
        _ => common(choices, case),
    }
}

/// A format of images that kernels write.
fn written(choices: &mut Choices, case: &mut CaseBuilder) -> Format {
    match choices.percent(12) {
        true => rare(choices, case),
        false => common(choices, case),
    }
}

/// A format that a device need not have. Those that do not list it are not asked (`lower/memory.rs`).
fn rare(choices: &mut Choices, case: &mut CaseBuilder) -> Format {
    let order = choices.one_of(&RARE);
    let channel = choices.pick(channels(order)).unwrap_or(Channel::Unorm8);
    case.need(&[Need::FullProfile]);
    case.need_if(order == Order::Abgr, &[Need::C20]);
    if order == Order::Depth {
        depth(case);
    }
    Format { order, channel }
}

/// Needs images of depth. `CLK_DEPTH` is of OpenCL C 2.0.
fn depth(case: &mut CaseBuilder) {
    case.need(&[Need::Extension(Extension::DepthImages), Need::C20]);
}

/// A number of a kind of [`shape`], as images of a format have them.
pub(super) fn kind(choices: &mut Choices, order: Order) -> usize {
    match order {
        Order::Depth => choices.one_of(&[1, 4]),
        _ => choices.below(5),
    }
}

/// A format that every device with the full profile has for images that are read or written.
fn common(choices: &mut Choices, case: &mut CaseBuilder) -> Format {
    case.need(&[Need::FullProfile]);
    if choices.percent(15) {
        return Format {
            order: Order::Bgra,
            channel: Channel::Unorm8,
        };
    }
    let order = choices.one_of(&[Order::R, Order::Rg, Order::Rgba, Order::Rgba]);
    let channel = choices.one_of(&Channel::ALL);
    // These came with OpenCL 2.0.
    case.need_if(
        order != Order::Rgba || matches!(channel, Channel::Snorm8 | Channel::Snorm16),
        &[Need::C20],
    );
    Format { order, channel }
}

/// A shape of a kind: 0 to 4. Now and then one dimension is longer than the parts are by which hardware keeps images.
pub(super) fn shape(choices: &mut Choices, kind: usize) -> Shape {
    let [w, h, d] = [0; 3].map(|_| choices.one_of(&[1usize, 2, 3, 5, 8, 17]));
    let [w, h, d] = match choices.percent(15) {
        true => {
            let mut sizes = [w, h, d].map(|size| size.min(2));
            let dimensions = [1, 2, 3, 2, 3][kind.min(4)];
            sizes[choices.below(dimensions)] = choices.one_of(&[33, 65, 129, 257, 300, 1025]);
            sizes
        }
        false if kind == 1 || kind == 3 => [w, h, d],
        false => [w, h.min(8), d.min(8)],
    };
    match kind {
        0 => Shape::Line(w * 3),
        1 => Shape::Plane(w, h),
        // A depth of one is no third dimension.
        2 => Shape::Block(w, h, d.max(2)),
        3 => Shape::Lines(w, h),
        _ => Shape::Planes(w, h, d),
    }
}

/// The number in a channel of an element.
fn value(format: Format, seed: u32, element: usize, channel: usize) -> i64 {
    let (low, high) = format.channel.limits();
    let mixed = (element as u32 * 4 + channel as u32 + seed).wrapping_mul(2_654_435_761);
    let mixed = i64::from(mixed ^ mixed >> 15);
    // The limits are where conversions go wrong.
    match mixed % 7 {
        0 => low,
        1 => high,
        _ => low + mixed / 7 % (high - low + 1),
    }
}

pub(super) fn values(format: Format, seed: u32, element: usize) -> [i64; 4] {
    let (low, high) = format.channel.limits();
    [0, 1, 2, 3].map(|channel| match format.order {
        order if order.is_gray() => value(format, seed, element, 0),
        // "All 0's maps to 0.0f, and all 1's maps to 1.0f"; alpha is as in any other image.
        Order::Srgba if channel < 3 => match value(format, seed, element, channel) % 2 {
            0 => low,
            _ => high,
        },
        _ => value(format, seed, element, channel),
    })
}

/// How the rows of the memory stand apart that an image is made from, now and then.
fn apart(choices: &mut Choices, image: Image) -> Option<Apart> {
    if matches!(image.shape, Shape::Line(_)) || choices.percent(60) {
        return None;
    }
    let row = image.row() + choices.below(4) * image.format.bytes();
    let [_, rows, _] = image.shape.size();
    let slice = match image.shape {
        Shape::Line(_) | Shape::Plane(..) => 0,
        Shape::Lines(..) => row * choices.between(1, 2),
        Shape::Block(..) | Shape::Planes(..) => row * (rows + choices.below(3)),
    };
    Some(Apart { row, slice })
}

fn noise(choices: &mut Choices) -> Contents {
    Contents::Noise(choices.below(1 << 20) as u32)
}

fn image(case: &mut CaseBuilder, image: Image, contents: Contents) -> ObjectId {
    case.object(Kind::Image(image), image.bytes(), contents)
}

/// `(int4)(…)`, as a kernel tells what it read or writes.
fn told(channel: Channel) -> (&'static str, &'static str) {
    match channel.told() {
        Told::Int => ("read_imagei", "int4"),
        Told::Uint => ("read_imageui", "uint4"),
        Told::Float => ("read_imagef", "float4"),
    }
}

/// What a kernel reads with this call, as a vector: a depth is its first component.
fn read_of(order: Order, call: &str) -> String {
    match order {
        Order::Depth => format!("(float4)({call}, 0.0f, 0.0f, 1.0f)"),
        _ => call.to_string(),
    }
}

/// What a kernel writes of a vector.
fn written_of(order: Order, vector: &str) -> String {
    match order {
        Order::Depth => format!("({vector}).x"),
        _ => vector.to_string(),
    }
}

/// Needs that kernels write images of three dimensions, which is an extension; gives what declares it.
fn writes_3d(case: &mut CaseBuilder) -> String {
    let extension = Extension::ImageWrites3d;
    case.need(&[Need::Extension(extension)]);
    format!("#pragma OPENCL EXTENSION {} : enable\n", extension.name())
}

/// What a kernel read, in this vector, as an `int4` of the whole numbers that channels keep.
fn whole(channel: Channel, told: &str) -> String {
    match (channel.told(), channel.scale()) {
        (Told::Int, _) => told.into(),
        (Told::Uint, _) => format!("as_int4({told})"),
        (Told::Float, Some(scale)) => format!("convert_int4_rte({told} * {scale}.0f)"),
        (Told::Float, None) => format!("convert_int4_rte({told})"),
    }
}

/// The coordinates of an element as an expression, of whole numbers or of floats.
fn coordinates(shape: Shape, element: &str, float: bool) -> String {
    let kind = if float { "float" } else { "int" };
    let part = |n: usize| format!("{element}.s{n}");
    match shape.coordinates().0 {
        1 => part(0),
        2 => format!("({kind}2)({}, {})", part(0), part(1)),
        _ => format!("({kind}4)({}, {}, {}, 0)", part(0), part(1), part(2)),
    }
}

/// What a kernel asks of its argument `image`, as four numbers: its sizes, and whether its type and its order are what they
/// should be.
fn asked_of(own: Image) -> String {
    let channel = channel_name(own.format.channel);
    let order = order_name(own.format.order);
    let kept = format!(
        "(get_image_channel_data_type(image) == CLK_{channel}) + \
         2 * (get_image_channel_order(image) == CLK_{order})"
    );
    format!("(int4)({}, {kept})", sizes(own.shape))
}

/// What the image must answer.
fn answered(own: Image) -> Want {
    let [width, height, depth] = own.shape.size().map(|size| size as u32);
    Want::words(vec![width, height, depth, 3])
}

/// The width, the height or the layers, and the depth or the layers of an image, asked in each way that there is.
fn sizes(shape: Shape) -> String {
    let both = |one: &str, other: &str| format!("({one} == {other} ? {one} : -1)");
    let dim = |part: &str| format!("get_image_dim(image).{part}");
    let layers = "(int)get_image_array_size(image)";
    let width = "get_image_width(image)";
    let height = "get_image_height(image)";
    match shape {
        Shape::Line(_) => format!("{width}, 1, 1"),
        Shape::Lines(..) => format!("{width}, {layers}, 1"),
        Shape::Plane(..) => {
            let (x, y) = (both(width, &dim("x")), both(height, &dim("y")));
            format!("{x}, {y}, 1")
        }
        Shape::Planes(..) => {
            let (x, y) = (both(width, &dim("x")), both(height, &dim("y")));
            format!("{x}, {y}, {layers}")
        }
        Shape::Block(..) => {
            let (x, y) = (both(width, &dim("x")), both(height, &dim("y")));
            let z = both("get_image_depth(image)", &dim("z"));
            format!("{x}, {y}, {z} + {}", dim("w"))
        }
    }
}

/// Its type and its format, as in `image2d_t of RGBA FLOAT`.
pub(super) fn about(image: Image) -> String {
    let order = order_name(image.format.order);
    let channel = channel_name(image.format.channel);
    format!("{} of {order} {channel}", image.c_type())
}

/// The end of the name of an order of channels.
fn order_name(order: Order) -> &'static str {
    let name = order.constant().name();
    name.strip_prefix("CL_").unwrap_or(name)
}

/// The end of the name of a type of channels.
fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Unorm8 => "UNORM_INT8",
        Channel::Unorm16 => "UNORM_INT16",
        Channel::Snorm8 => "SNORM_INT8",
        Channel::Snorm16 => "SNORM_INT16",
        Channel::Signed8 => "SIGNED_INT8",
        Channel::Signed16 => "SIGNED_INT16",
        Channel::Signed32 => "SIGNED_INT32",
        Channel::Unsigned8 => "UNSIGNED_INT8",
        Channel::Unsigned16 => "UNSIGNED_INT16",
        Channel::Unsigned32 => "UNSIGNED_INT32",
        Channel::Half => "HALF_FLOAT",
        Channel::Float => "FLOAT",
    }
}
