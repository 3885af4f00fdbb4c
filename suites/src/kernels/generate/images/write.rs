//! Images that kernels write.

use super::super::builder::{CaseBuilder, args, cl, numbers as numbers_of};
use super::{about, answered, asked_of, coordinates, format, image, noise, shape, told, values};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Want};
use crate::kernels::image::{Channel, Image, Told};
use crate::kernels::math::format::Format as Precision;
use crate::kernels::math::only;
use crate::rule;
use classay_vocabulary::{Extension, Need};

/// Normalized numbers are given in so many parts of what a channel keeps.
const PARTS: i64 = 8;

/// A kernel writes every element once.
pub fn write(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel writes the elements of an image");
    case.need(&[Need::Images]);
    let format = format(choices, &mut case);
    // Writes of three dimensions are an extension.
    let kind = match choices.percent(15) {
        true => 2,
        false => choices.one_of(&[0, 1, 3, 4]),
    };
    let mut before = String::new();
    if kind == 2 {
        let extension = Extension::ImageWrites3d;
        case.need(&[Need::Extension(extension)]);
        before = format!("#pragma OPENCL EXTENSION {} : enable\n", extension.name());
    }
    let own = Image {
        shape: shape(choices, kind),
        format,
    };
    let (function, vector) = told(format.channel);
    let function = function.replace("read", "write");
    let make = match (format.channel.told(), format.channel.scale()) {
        (Told::Int, _) => "numbers[n]".to_string(),
        (Told::Uint, _) => "as_uint4(numbers[n])".into(),
        (Told::Float, Some(scale)) => {
            format!("convert_float4(numbers[n]) / {PARTS}.0f / {scale}.0f")
        }
        (Told::Float, None) => "as_float4(numbers[n])".into(),
    };
    let [w, h, d] = own.shape.size();
    case.case.source = before;
    case.case.source += &cl!(
        "image_write.cl",
        ty = own.shape.c_type(),
        h,
        w,
        vector,
        make,
        function,
        at = coordinates(own.shape, "where", false),
        answers = asked_of(own)
    );
    let seed = choices.below(1 << 20) as u32;
    let elements = own.shape.elements();
    let id = image(&mut case, own, noise(choices));
    case.case.objects[id.index()].alloc_host = choices.percent(30);
    // Numbers beyond what a channel keeps become the nearest one that it does.
    let odd = choices.percent(60).then(|| choices.below(1 << 20) as u32);
    let given = |element: usize| {
        let values = values(format, seed, element);
        [0, 1, 2, 3].map(|channel| match odd {
            Some(odd) => given(
                format.channel,
                values[channel],
                odd ^ (element * 4 + channel) as u32,
            ),
            None => values[channel],
        })
    };
    // Between what a channel keeps, the nearest is kept, or one that is no further than 0.6 from it ("should be within
    // 0.6"): of a number less than 0.4 from it no other is.
    let parts = |value: i64, element: usize, channel: usize| match format.channel.scale() {
        Some(_) => value * PARTS + i64::from(mixed(seed ^ (element * 4 + channel) as u32) % 7) - 3,
        None => value,
    };
    let precision = match format.channel {
        Channel::Half => Some(Precision::Half),
        Channel::Float => Some(Precision::Float),
        _ => None,
    };
    let real = |value: i64, element: usize, channel: usize| {
        beyond(value, odd.map(|odd| odd ^ (element * 4 + channel) as u32))
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
    let kept = |element: usize| format.encode(given(element).map(|value| value.clamp(low, high)));
    let want = match precision {
        None => Want::bytes((0..elements).flat_map(kept).collect()),
        Some(precision) => {
            let channels = 0..format.order.channels();
            let places = (0..elements).flat_map(|n| channels.clone().map(move |c| (n, c)));
            numbers_of(
                precision,
                places.map(|(element, channel)| {
                    let x = real(given(element)[channel], element, channel);
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
