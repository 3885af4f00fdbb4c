//! Images that kernels write.

use super::super::builder::{CaseBuilder, args, cl, numbers as numbers_of};
use super::filter::contents;
use super::{
    about, answered, asked_of, coordinates, image, shape, told, values, writes_3d, written,
    written_of,
};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Want};
use crate::kernels::image::{Channel, Image, Order, Told};
use crate::kernels::math::format::Format as Precision;
use crate::kernels::math::only;
use crate::rule;
use classay_vocabulary::Need;

/// Normalized numbers are given in so many parts of what a channel keeps.
const PARTS: i64 = 8;

/// A kernel writes every element once, in any order, or one of two or three of them and none beside it.
pub fn write(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel writes the elements of an image");
    case.need(&[Need::Images]);
    let format = written(choices, &mut case);
    // Writes of three dimensions are an extension.
    let kind = match choices.percent(15) {
        _ if format.order == Order::Depth => super::kind(choices, format.order),
        true => 2,
        false => choices.one_of(&[0, 1, 3, 4]),
    };
    let mut before = String::new();
    if kind == 2 {
        before = writes_3d(&mut case);
    }
    let own = Image {
        shape: shape(choices, kind),
        format,
    };
    // Between whole numbers of a byte there is room for what a half rounds.
    let fits = matches!(
        format.channel,
        Channel::Unorm8 | Channel::Snorm8 | Channel::Half
    );
    let half = fits && choices.percent(12);
    if half {
        before += case.need_type("half");
    }
    let (function, vector) = match half {
        true => ("read_imageh", "half4"),
        false => told(format.channel),
    };
    let function = function.replace("read", "write");
    let make = match (format.channel.told(), format.channel.scale()) {
        (Told::Int, _) => "numbers[n]".to_string(),
        (Told::Uint, _) => "as_uint4(numbers[n])".into(),
        (Told::Float, Some(scale)) => {
            format!("convert_float4(numbers[n]) / {PARTS}.0f / {scale}.0f")
        }
        (Told::Float, None) => "as_float4(numbers[n])".into(),
    };
    let make = match half {
        true => format!("convert_half4({make})"),
        false => make,
    };
    let [w, h, d] = own.shape.size();
    let elements = own.shape.elements();
    // In no order that a write could profit from: what one spoils beside its element no later one mends. A prime that does
    // not divide the elements meets each of them.
    let stride = choices.one_of(&[1usize, 1, 7, 101]);
    let stride = match elements.is_multiple_of(stride) {
        true => 1,
        false => stride,
    };
    let first = choices.below(elements);
    let every = choices.one_of(&[1usize, 1, 2, 3]);
    let rest = choices.below(every.min(elements));
    case.case.source = before;
    case.case.source += &cl!(
        "image_write.cl",
        ty = own.c_type(),
        h,
        w,
        elements,
        stride,
        first,
        every,
        rest,
        vector,
        make,
        function,
        at = coordinates(own.shape, "where", false),
        written = written_of(format.order, "v"),
        answers = asked_of(own)
    );
    let seed = choices.below(1 << 20) as u32;
    let former = choices.below(1 << 20) as u32;
    let begin = contents(false, own, former);
    let id = image(&mut case, own, Contents::Bytes(begin.clone()));
    case.case.objects[id.index()].alloc_host = choices.percent(30);
    // Numbers beyond what a channel keeps become the nearest one that it does.
    let odd = choices.percent(60).then(|| choices.below(1 << 20) as u32);
    // Of numbers that are one in memory all are the same.
    let of = |element: usize, channel: usize| {
        let channel = if format.order.is_gray() { 0 } else { channel };
        (element * 4 + channel) as u32
    };
    let given = |element: usize| {
        let values = values(format, seed, element);
        [0, 1, 2, 3].map(|channel| match odd {
            Some(odd) => given(format.channel, values[channel], odd ^ of(element, channel)),
            None => values[channel],
        })
    };
    // Between what a channel keeps, the nearest is kept, or one that is no further than 0.6 from it ("should be within
    // 0.6"): of a number less than 0.4 from it no other is.
    let parts = |value: i64, element: usize, channel: usize| match format.channel.scale() {
        Some(_) if half => value * PARTS,
        Some(_) => value * PARTS + i64::from(mixed(seed ^ of(element, channel)) % 7) - 3,
        None => value,
    };
    let precision = match format.channel {
        Channel::Half => Some(Precision::Half),
        Channel::Float => Some(Precision::Float),
        _ => None,
    };
    let real = |value: i64, element: usize, channel: usize| {
        beyond(value, odd.map(|odd| odd ^ of(element, channel)))
    };
    let numbers = (0..elements)
        .flat_map(|element| {
            let values = given(element);
            [0, 1, 2, 3].map(|channel| match precision {
                Some(_) => (real(values[channel], element, channel) as f32).to_bits(),
                None => parts(values[channel], element, channel) as u32,
            })
        })
        .collect();
    let numbers = case.object(Kind::Buffer, 16 * elements, Contents::Words(numbers));
    let range = Range::new(vec![w as u64, h as u64, d as u64], None);
    let asked = case.object(Kind::Buffer, 16, Contents::Every(0xabcd_ef01));
    case.launch("fill", args![id, numbers, asked], range);
    let (low, high) = format.channel.limits();
    let is_written = |element: usize| element % every == rest;
    let kept = |element: usize| match is_written(element) {
        true => format.encode(given(element).map(|value| value.clamp(low, high))),
        false => begin[element * format.bytes()..][..format.bytes()].to_vec(),
    };
    let want = match precision {
        None => Want::bytes((0..elements).flat_map(kept).collect()),
        Some(precision) => {
            let channels = format.order.stored();
            let places = (0..elements).flat_map(|n| channels.iter().map(move |c| (n, *c)));
            numbers_of(
                precision,
                places.map(|(element, channel)| {
                    let x = match is_written(element) {
                        true => real(given(element)[channel], element, channel),
                        false => values(format, former, element)[channel] as f64,
                    };
                    (format!("{x}"), only(precision, x))
                }),
            )
        }
    };
    let name = format!("elements that a kernel wrote of {}", about(own));
    case.look(id, &[rule::RG_IMAGE], &name, want);
    let name = "what an image that a kernel writes says of itself";
    case.look(asked, &[rule::RG_IMAGE], name, answered(own));
    case.case
}

/// The value that a kernel is given to write, by a number that looks random: now and then one beyond the limits of a
/// channel that saturates.
fn given(channel: Channel, value: i64, number: u32) -> i64 {
    let (low, high) = channel.limits();
    let mixed = mixed(number);
    let by = 1 + i64::from(mixed >> 4) % (2 * high);
    let (below, above) = channel.saturates();
    match mixed % 16 {
        0 | 1 if above => high + by,
        2 | 3 if below => low - by,
        _ => value,
    }
}

/// A number for a channel of floats or halves; now and then, by a number that looks random, no finite one: "A float NaN must
/// be converted to an appropriate NaN in the half type. A float INF must be converted to an appropriate INF".
fn beyond(value: i64, number: Option<u32>) -> f64 {
    match number.map(|number| mixed(number) % 16) {
        Some(0) => f64::INFINITY,
        Some(1) => f64::NEG_INFINITY,
        Some(2) => f64::NAN,
        _ => value as f64,
    }
}

fn mixed(number: u32) -> u32 {
    number.wrapping_mul(0x9e37_79b1) >> 8
}
