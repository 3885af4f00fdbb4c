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
use crate::kernels::case::{Apart, Contents, Kind, ObjectId};
use crate::kernels::image::{Channel, Format, Image, Order, Shape, Told};
use classay_vocabulary::Need;

/// A format that every device with the full profile has for images that are read or written.
fn format(choices: &mut Choices, case: &mut CaseBuilder) -> Format {
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

/// A shape of a kind: 0 to 4.
fn shape(choices: &mut Choices, kind: usize) -> Shape {
    let mut size = || choices.one_of(&[1usize, 2, 3, 5, 8, 17]);
    let (w, h, d) = (size(), size(), size());
    match kind {
        0 => Shape::Line(w * 3),
        1 => Shape::Plane(w, h),
        // A depth of one is no third dimension.
        2 => Shape::Block(w, h.min(8), d.clamp(2, 8)),
        3 => Shape::Lines(w, h),
        _ => Shape::Planes(w, h.min(8), d.min(8)),
    }
}

/// The number in a channel of an element.
fn value(format: Format, seed: u32, element: usize, channel: usize) -> i64 {
    let (low, high) = format.channel.limits();
    let mixed = (element as u32 * 4 + channel as u32 + seed).wrapping_mul(2_654_435_761);
    let mixed = i64::from(mixed ^ mixed >> 15);
    // The limits are where conversions go wrong.
    match mixed % 16 {
        0 => low,
        1 => high,
        _ => low + mixed / 16 % (high - low + 1),
    }
}

fn values(format: Format, seed: u32, element: usize) -> [i64; 4] {
    [0, 1, 2, 3].map(|channel| value(format, seed, element, channel))
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
