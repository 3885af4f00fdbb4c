//! Images: transfers of every shape, and kernels that read, write, and do both.
//!
//! Elements hold whole numbers that their channels keep exactly; kernels tell them as integers, so that
//! what they read and write is checked exactly in every format.

use super::builder::{CaseBuilder, args, at, cl};
use crate::choices::Choices;
use crate::kernels::case::{Apart, Arg, Contents, KernelCase, Kind, ObjectId, Range, Step, Want};
use crate::kernels::image::{
    Addressing, Channel, Format, Image, Order, Sampler, Shape, Spot, Told,
};
use crate::kernels::transfer::{Corner, Region, Transfer};
use crate::rule;
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

/// The shape with sizes that are powers of two.
fn powers(shape: Shape) -> Shape {
    let power = usize::next_power_of_two;
    match shape {
        Shape::Line(w) => Shape::Line(power(w)),
        Shape::Plane(w, h) => Shape::Plane(power(w), power(h)),
        Shape::Block(w, h, d) => Shape::Block(power(w), power(h), power(d)),
        Shape::Lines(w, n) => Shape::Lines(power(w), n),
        Shape::Planes(w, h, n) => Shape::Planes(power(w), power(h), n),
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

/// Quarters by which a linear filter mixes elements in each of up to three dimensions keep numbers whole that are
/// multiples of this.
const MIXED: i64 = 64;

/// The values of an element of an image that is read with a linear filter, or without.
fn read_values(linear: bool, format: Format, seed: u32, element: usize) -> [i64; 4] {
    values(format, seed, element).map(|value| match linear {
        true => value.div_euclid(MIXED) * MIXED,
        false => value,
    })
}

/// The bytes of an image that is filled with such numbers.
fn contents(linear: bool, image: Image, seed: u32) -> Vec<u8> {
    let elements = 0..image.shape.elements();
    // The two lowest numbers of a signed normalized channel are both -1 ("-128 and -127 must convert to -1.0f").
    let signed = matches!(image.format.channel, Channel::Snorm8 | Channel::Snorm16);
    let (low, _) = image.format.channel.limits();
    let bytes = |element| {
        let values = read_values(linear, image.format, seed, element);
        let lowest = |value| i64::from(signed && element % 2 == 1 && value == low);
        image
            .format
            .encode(values.map(|value| value - lowest(value)))
    };
    elements.flat_map(bytes).collect()
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

/// A region of an image, and its elements.
fn region(choices: &mut Choices, size: [usize; 3]) -> ([usize; 3], [usize; 3]) {
    let region = size.map(|n| choices.between(1, n));
    let origin = [0, 1, 2].map(|d| choices.below(size[d] - region[d] + 1));
    (origin, region)
}

/// Reads, writes, copies, fills and maps of regions.
pub fn transfer(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("regions of images are moved");
    case.need(&[Need::ImageObjects]);
    let format = format(choices, &mut case);
    let kinds = [choices.below(5), choices.below(5)];
    let images = kinds.map(|kind| {
        let shape = shape(choices, kind);
        let own = Image { shape, format };
        let id = image(&mut case, own, noise(choices));
        case.case.objects[id.index()].apart = apart(choices, own);
        (id, own)
    });
    // Room for the largest region with gaps between its rows.
    let largest = images.iter().map(|(_, image)| image.bytes()).max();
    let room = largest.unwrap_or(1) * 3 + 4096;
    let host = case.object(Kind::Host, room, noise(choices));
    let buffer = case.object(Kind::Buffer, room, noise(choices));
    for _ in 0..choices.between(4, 12) {
        let (id, own) = images[choices.below(2)];
        let (origin, region) = region(choices, own.shape.size());
        let spot = Spot { object: id, origin };
        let element = format.bytes();
        let bytes = region.iter().product::<usize>() * element;
        // Rows of the host may stand apart, where that is told in one way only.
        let plane = !matches!(own.shape, Shape::Line(_) | Shape::Lines(..));
        let (row, slice) = if plane && choices.percent(40) {
            let row = (region[0] + choices.below(3)) * element;
            let third = !matches!(own.shape, Shape::Plane(..));
            // Without a slice pitch the rows of slices follow each other as rows do.
            let said = third && choices.percent(60);
            (
                row,
                if said {
                    row * (region[1] + choices.below(2))
                } else {
                    0
                },
            )
        } else {
            (0, 0)
        };
        let begin = choices.below(64) * 4;
        let corner = Corner {
            object: host,
            origin: [begin, 0, 0],
            row,
            slice,
        };
        let other = images
            .iter()
            .find(|(other, _)| *other != id)
            .map_or((id, own), |found| *found);
        let fit = [0, 1, 2].map(|d| region[d].min(other.1.shape.size()[d]));
        let near = [host, buffer];
        let what = one(
            choices,
            (own, spot, region),
            corner,
            near,
            (other, fit),
            format,
        );
        debug_assert!(begin + bytes <= room, "a region has room");
        let blocking = choices.percent(40);
        case.transfer(what, blocking);
        // The host's memory is for one command at a time where the host copies by itself.
        case.step(Step::Finish);
    }
    let rules = &[rule::RG_IMAGE];
    for (n, (id, _)) in images.into_iter().enumerate() {
        case.look(id, rules, &format!("image {n}"), Want::AsMoved);
    }
    case.look(host, rules, "the host's memory", Want::AsMoved);
    case.look(buffer, rules, "the buffer", Want::AsMoved);
    case.case.profiled = choices.percent(60);
    case.case
}

/// A transfer between a region of an image and the host, a buffer or the other image.
fn one(
    choices: &mut Choices,
    (own, spot, region): (Image, Spot, [usize; 3]),
    corner: Corner,
    [host, buffer]: [ObjectId; 2],
    (other, fit): ((ObjectId, Image), [usize; 3]),
    format: Format,
) -> Transfer {
    let begin = corner.origin[0];
    match choices.below(12) {
        0 | 9 => Transfer::ReadImage(moved(spot, corner, region)),
        1 | 10 => Transfer::WriteImage(moved(corner, spot, region)),
        2 | 3 if choices.percent(35) && own.shape.elements() > 1 => {
            Transfer::CopyImage(beside(choices, spot.object, own.shape, region))
        }
        2 | 3 => {
            let to = Spot {
                object: other.0,
                origin: [0, 1, 2].map(|d| choices.below(other.1.shape.size()[d] - fit[d] + 1)),
            };
            Transfer::CopyImage(moved(spot, to, fit))
        }
        4 => Transfer::CopyImageToBuffer(moved(spot, at(buffer, begin), region)),
        5 => Transfer::CopyBufferToImage(moved(at(buffer, begin), spot, region)),
        6 | 11 => Transfer::FillImage {
            colour: values(format, choices.below(1000) as u32, 0),
            to: spot,
            region,
        },
        7 => Transfer::MapReadImage(moved(spot, at(host, begin), region)),
        _ => Transfer::MapWriteImage {
            from: at(host, begin),
            to: spot,
            region,
            // All of the region is written.
            invalidate: choices.percent(40),
        },
    }
}

/// From one part of an image to another that has no element in common with it: in other columns, rows or slices.
fn beside(
    choices: &mut Choices,
    image: ObjectId,
    shape: Shape,
    mut region: [usize; 3],
) -> Region<Spot, Spot> {
    let size = shape.size();
    let wide: Vec<usize> = (0..3).filter(|d| size[*d] > 1).collect();
    let apart = choices.pick(&wide).unwrap_or(0);
    region[apart] = choices.between(1, size[apart] / 2);
    let mut places = || [0, 1, 2].map(|d| choices.below(size[d] - region[d] + 1));
    let (mut from, mut to) = (places(), places());
    from[apart] = choices.below(size[apart] - 2 * region[apart] + 1);
    to[apart] = choices.between(from[apart] + region[apart], size[apart] - region[apart]);
    if choices.percent(50) {
        std::mem::swap(&mut from, &mut to);
    }
    let [from, to] = [from, to].map(|origin| Spot {
        object: image,
        origin,
    });
    moved(from, to, region)
}

fn moved<From, To>(from: From, to: To, region: [usize; 3]) -> Region<From, To> {
    Region { from, to, region }
}

/// What a coordinate outside of an image leads to; none is the border.
fn resolve(addressing: Addressing, at: i64, size: usize) -> Option<usize> {
    let size = size as i64;
    let inside = match addressing {
        Addressing::None | Addressing::Clamp => (0..size).contains(&at).then_some(at)?,
        Addressing::ClampToEdge => at.clamp(0, size - 1),
        Addressing::Repeat => at.rem_euclid(size),
        Addressing::MirroredRepeat => {
            let twice = at.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    Some(inside as usize)
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

/// Reads through samplers, and without, of several images.
pub fn read(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("kernels read elements inside and outside of images");
    case.need(&[Need::Images]);
    for n in 0..choices.between(1, 4) {
        sample(choices, &mut case, n);
    }
    case.case
}

/// A kernel of a number that reads an image.
fn sample(choices: &mut Choices, case: &mut CaseBuilder, n: usize) {
    let sampled = choices.percent(75);
    let linear = sampled && choices.percent(45);
    let mut format = format(choices, case);
    let kind = choices.below(5);
    let mut shape = shape(choices, kind);
    if linear {
        // What is mixed is asked of numbers that every way to mix them keeps exactly.
        format.channel = choices.one_of(&[Channel::Unorm8, Channel::Half, Channel::Float]);
        if format.order == Order::Bgra {
            format.channel = Channel::Unorm8;
        }
        shape = choices
            .one_of(&[Some(powers(shape)), Some(powers(shape)), None])
            .unwrap_or(shape);
    }
    let own = Image { shape, format };
    let seed = choices.below(1 << 20) as u32;
    let (_, spatial) = own.shape.coordinates();
    let powers = own
        .shape
        .size()
        .into_iter()
        .take(spatial)
        .all(usize::is_power_of_two);
    let normalized = sampled && choices.percent(60) && (powers || !linear);
    let addressing = match (sampled, normalized) {
        (false, _) => Addressing::None,
        // Of neighbours of elements at an edge all must be said.
        (true, false) if linear => choices.one_of(&[Addressing::ClampToEdge, Addressing::Clamp]),
        (true, true) if linear => choices.one_of(&[
            Addressing::ClampToEdge,
            Addressing::Clamp,
            Addressing::Repeat,
            Addressing::Repeat,
        ]),
        (true, false) => {
            choices.one_of(&[Addressing::None, Addressing::ClampToEdge, Addressing::Clamp])
        }
        (true, true) => choices.one_of(&[
            Addressing::ClampToEdge,
            Addressing::Clamp,
            Addressing::Clamp,
            Addressing::Repeat,
            Addressing::MirroredRepeat,
        ]),
    };
    let float = normalized || linear || sampled && choices.percent(50);
    let size = own.shape.size();
    let samples = choices.between(8, 64);
    let mut places: Vec<[i64; 3]> = Vec::new();
    for _ in 0..samples {
        places.push([0, 1, 2].map(|d| {
            let size = size[d] as i64;
            let inside = addressing == Addressing::None || d >= spatial || choices.percent(50);
            if inside {
                choices.below(size as usize) as i64
            } else {
                choices.below(3 * size as usize + 4) as i64 - size - 2
            }
        }));
    }
    let argument = sampled && choices.percent(30);
    let literal = format!(
        "CLK_NORMALIZED_COORDS_{} | CLK_ADDRESS_{} | CLK_FILTER_{}",
        if normalized { "TRUE" } else { "FALSE" },
        addressing.name(),
        if linear { "LINEAR" } else { "NEAREST" }
    );
    let (parameter, variable) = match (sampled, argument) {
        (false, _) => (String::new(), String::new()),
        (true, true) => (format!(", sampler_t how{n}"), String::new()),
        (true, false) => (
            String::new(),
            format!("constant sampler_t how{n} = {literal};\n"),
        ),
    };
    let how = match sampled {
        true => format!("how{n}, "),
        false => String::new(),
    };
    let (function, vector) = told(format.channel);
    // By how many quarters of an element a place lies beyond the middle of one.
    let beyond = match linear {
        true => choices.one_of(&[0, 1, 2, -1, -1]),
        false => 0,
    };
    let place = match float {
        true if linear => {
            let inside = format!("{:.2}", 0.5 + 0.25 * beyond as f64);
            within(own.shape, normalized, &inside, "0.0")
        }
        true => {
            // Of powers of two, so that no rounding leaves the element.
            let inside = choices.one_of(&["0.5", "0.25", "0.75", "0.125"]);
            let layer = choices.one_of(&["0.0", "0.25", "-0.375", "0.4375", "-0.125"]);
            within(own.shape, normalized, inside, layer)
        }
        false => "    int4 place = where;\n".into(),
    };
    let result = match format.channel.told() {
        Told::Int => "v".to_string(),
        Told::Uint => "as_int4(v)".into(),
        Told::Float => match format.channel.scale() {
            Some(scale) => format!("convert_int4_rte(v * {scale}.0f)"),
            None => "convert_int4_rte(v)".into(),
        },
    };
    case.case.source += &cl!(
        "image_read.cl",
        n,
        variable,
        ty = own.shape.c_type(),
        parameter,
        place,
        vector,
        function,
        how,
        at = coordinates(own.shape, "place", float),
        result,
        size = sizes(own.shape),
        channel = format!("CLK_{}", channel_name(format.channel)),
        order = format!("CLK_{:?}", format.order).to_uppercase()
    );
    let id = image(case, own, Contents::Bytes(contents(linear, own, seed)));
    case.case.objects[id.index()].alloc_host = choices.percent(30);
    case.case.objects[id.index()].apart = apart(choices, own);
    let list = places
        .iter()
        .flat_map(|p| [p[0] as u32, p[1] as u32, p[2] as u32, 0])
        .collect();
    let list = case.object(Kind::Buffer, 16 * samples, Contents::Words(list));
    let out = case.object(Kind::Buffer, 16 * samples, Contents::Every(0xabcd_ef01));
    let asked = case.object(Kind::Buffer, 16, Contents::Every(0xabcd_ef01));
    let mut args = args![id, list, out, asked];
    if argument {
        args.push(Arg::Sampler(Sampler {
            normalized,
            addressing,
            linear,
        }));
    }
    case.launch(format!("sample{n}"), args, Range::line(samples as u64, 1));
    let seen = |place: &[i64; 3]| match linear {
        true => mixed(own, seed, addressing, place, beyond),
        false => sampled_element(own, seed, addressing, place),
    };
    let wanted = places.iter().flat_map(seen).collect();
    let want = Want::words(wanted);
    let name = format!("elements that sample{n} read");
    case.look(out, &[rule::RG_IMAGE], &name, want);
    let [width, height, depth] = own.shape.size().map(|size| size as u32);
    let want = Want::words(vec![width, height, depth, 3]);
    let name = format!("the size and the format of an image that sample{n} asks for");
    case.look(asked, &[rule::RG_IMAGE], &name, want);
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

/// What a kernel reads with a linear filter so many quarters behind the middle of an element: "the weighted average"
/// of the elements on both sides of the place, in each direction of one image ("Linear Filtering").
fn mixed(own: Image, seed: u32, addressing: Addressing, place: &[i64; 3], beyond: i64) -> [u32; 4] {
    let (_, spatial) = own.shape.coordinates();
    let (before, behind) = (beyond.div_euclid(4), beyond.rem_euclid(4));
    let mut sums = [0i64; 4];
    for corner in 0..1 << spatial {
        let (mut at, mut weight) = (*place, 1);
        for (d, at) in at.iter_mut().enumerate() {
            let far = corner >> d & 1;
            let (shift, quarters) = match d < spatial {
                true if far == 1 => (before + 1, behind),
                true => (before, 4 - behind),
                false => (0, 4),
            };
            *at += shift;
            weight *= quarters;
        }
        let element = element_values(true, own, seed, addressing, &at);
        for (sum, value) in sums.iter_mut().zip(element) {
            *sum += weight * value;
        }
    }
    // Of each direction four quarters, of one that is none, too.
    sums.map(|sum| (sum / MIXED) as u32)
}

/// Coordinates so far behind the beginning of elements, well inside of them, and beside the number of a layer, which is
/// the nearest one: no rounding makes another element of them.
fn within(shape: Shape, normalized: bool, inside: &str, layer: &str) -> String {
    let (size, (_, spatial)) = (shape.size(), shape.coordinates());
    let part = |d: usize| match (d < spatial, normalized) {
        (true, true) => format!("((float)where.s{d} + {inside}f) / {}.0f", size[d]),
        (true, false) => format!("(float)where.s{d} + {inside}f"),
        (false, _) => format!("(float)where.s{d} + ({layer}f)"),
    };
    let [x, y, z] = [0, 1, 2].map(part);
    format!("    float4 place = (float4)({x}, {y}, {z}, 0.0f);\n")
}

/// What a kernel reads at a place inside or outside of an image.
fn sampled_element(own: Image, seed: u32, addressing: Addressing, place: &[i64; 3]) -> [u32; 4] {
    element_values(false, own, seed, addressing, place).map(|value| value as u32)
}

/// The values of red, green, blue and alpha at a place inside or outside of an image.
fn element_values(
    linear: bool,
    own: Image,
    seed: u32,
    addressing: Addressing,
    place: &[i64; 3],
) -> [i64; 4] {
    let (size, (coordinates, spatial)) = (own.shape.size(), own.shape.coordinates());
    let (mut at, mut inside) = ([0; 3], true);
    for d in 0..coordinates {
        let mode = match d < spatial {
            true => addressing,
            false => Addressing::ClampToEdge,
        };
        match resolve(mode, place[d], size[d]) {
            Some(coordinate) => at[d] = coordinate,
            None => inside = false,
        }
    }
    let element = read_values(linear, own.format, seed, own.shape.index(at));
    let channels = own.format.order.places();
    [0, 1, 2, 3].map(|channel| {
        // What an image lacks is 0, and 1 for alpha; the border of one with alpha is 0.
        match (channels[channel], inside) {
            (Some(_), true) => element[channel],
            (None, _) if channel == 3 => own.format.channel.scale().unwrap_or(1).into(),
            (Some(_) | None, _) => 0,
        }
    })
}

/// A kernel writes every element once.
pub fn write(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel writes the elements of an image");
    case.need(&[Need::Images]);
    let format = format(choices, &mut case);
    // Writes of three dimensions are an extension.
    let kind = choices.one_of(&[0, 1, 3, 4]);
    let own = Image {
        shape: shape(choices, kind),
        format,
    };
    let (function, vector) = told(format.channel);
    let function = function.replace("read", "write");
    let make = match (format.channel.told(), format.channel.scale()) {
        (Told::Int, _) => "numbers[n]".to_string(),
        (Told::Uint, _) => "as_uint4(numbers[n])".into(),
        (Told::Float, Some(scale)) => format!("convert_float4(numbers[n]) / {scale}.0f"),
        (Told::Float, None) => "convert_float4(numbers[n])".into(),
    };
    let [w, h, d] = own.shape.size();
    case.case.source = cl!(
        "image_write.cl",
        ty = own.shape.c_type(),
        h,
        w,
        vector,
        make,
        function,
        at = coordinates(own.shape, "where", false)
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
    let numbers = (0..elements)
        .flat_map(|element| given(element).map(|v| v as u32))
        .collect();
    let numbers = case.object(Kind::Buffer, 16 * elements, Contents::Words(numbers));
    let range = Range::new(vec![w as u64, h as u64, d as u64], None);
    case.launch("fill", args![id, numbers], range);
    let (low, high) = format.channel.limits();
    let kept = |element: usize| format.encode(given(element).map(|value| value.clamp(low, high)));
    let want = Want::bytes((0..elements).flat_map(kept).collect());
    case.look(id, &[rule::RG_IMAGE], "elements that a kernel wrote", want);
    case.case
}

/// The value that a kernel is given to write, by a number that looks random: now and then one beyond the limits of a
/// channel that saturates: "the conversions described in this section must be correctly saturated".
fn given(channel: Channel, value: i64, number: u32) -> i64 {
    let (low, high) = channel.limits();
    let mixed = number.wrapping_mul(0x9e37_79b1) >> 8;
    let by = 1 + i64::from(mixed >> 4) % (2 * high);
    let (above, below) = match channel.told() {
        // What a fraction below -1 becomes is one of two numbers.
        Told::Float => (
            channel.scale().is_some(),
            low == 0 && channel.scale().is_some(),
        ),
        Told::Int => (high < 1 << 16, high < 1 << 16),
        Told::Uint => (high < 1 << 16, false),
    };
    match mixed % 16 {
        0 | 1 if above => high + by,
        2 | 3 if below => low - by,
        _ => value,
    }
}

/// A kernel writes and reads one image: a fence orders the accesses of a work-item, a barrier those
/// of a work-group.
pub fn fence(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("work-items read back what was written to an image before a fence");
    case.need(&[
        Need::Images,
        Need::FullProfile,
        Need::C20,
        Need::ReadWriteImages,
    ]);
    let channel = choices.one_of(&[Channel::Unsigned8, Channel::Unsigned16, Channel::Unsigned32]);
    let order = choices.one_of(&[Order::R, Order::Rgba]);
    let format = Format { order, channel };
    let group = choices.one_of(&[1u64, 4, 16, 33]);
    let groups = choices.between(1, 4) as u64;
    let items = (group * groups) as usize;
    let kind = choices.below(4);
    let shape = match kind {
        0 => Shape::Line(items),
        1 => Shape::Plane(group as usize, groups as usize),
        2 => Shape::Lines(group as usize, groups as usize),
        _ => Shape::Planes(group as usize, 1, groups as usize),
    };
    let own = Image { shape, format };
    let passes = choices.between(2, 6) as u32;
    let group_wide = choices.percent(50);
    // Where the work-item of a number in a group has its element.
    let place = |inside: &str| match kind {
        0 => format!("(int)(group * {group}u + {inside})"),
        1 | 2 => format!("(int2)((int)({inside}), (int)group)"),
        _ => format!("(int4)((int)({inside}), 0, (int)group, 0)"),
    };
    let (order_it, read) = if group_wide {
        (
            "work_group_barrier(CLK_IMAGE_MEM_FENCE);",
            format!("(me + pass + 1u) % {group}u"),
        )
    } else {
        (
            "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);",
            "me".into(),
        )
    };
    case.case.source = cl!(
        "fence.cl",
        ty = shape.c_type(),
        passes,
        own = place("me"),
        order_it,
        read,
        theirs = place("other")
    );
    let id = image(&mut case, own, Contents::Zero);
    let wrong = case.unwritten(items);
    let range = Range::line(items as u64, group);
    case.launch("exchange", args![id, wrong], range);
    let name = "elements that were not read back";
    let want = Want::zeros();
    case.look(wrong, &[rule::MM_IMAGE_FENCE, rule::RG_IMAGE], name, want);
    case.case
}
