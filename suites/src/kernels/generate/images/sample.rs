//! Images that kernels read, through samplers and without, and what they answer about themselves.

use super::super::builder::{CaseBuilder, args, cl};
use super::filter::{contents, mixed, sampled_element};
use super::{
    answered, apart, asked_of, channels, common, format, image, read_of, shape, told, whole,
};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, ObjectId, Range, Want};
use crate::kernels::image::{Addressing, Channel, Image, Order, Sampler, Shape};
use crate::rule;
use classay_vocabulary::Need;

/// Reads through samplers, and without, of several images.
pub fn read(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("kernels read elements inside and outside of images");
    case.need(&[Need::Images]);
    let kernels = choices.between(1, 4);
    // Some of several are functions that one kernel calls, so that it has several images.
    let together = (kernels > 1 && choices.percent(50)).then(|| choices.between(8, 40));
    let sampled: Vec<Sampled> = (0..kernels)
        .map(|n| sample(choices, &mut case, n, together))
        .collect();
    if let Some(samples) = together {
        case.case.source += &all(&sampled);
        let args = sampled.iter().flat_map(|of| of.args.clone()).collect();
        case.launch("samples", args, Range::line(samples as u64, 1));
    } else {
        for (n, of) in sampled.iter().enumerate() {
            let range = Range::line(of.samples as u64, 1);
            case.launch(format!("sample{n}"), of.args.clone(), range);
        }
    }
    for (n, of) in sampled.into_iter().enumerate() {
        let name = format!("elements that sample{n} read of {}", of.about);
        case.look(of.out, &[rule::RG_IMAGE], &name, of.elements);
        let name = format!("the size and the format of an image that sample{n} asks for");
        case.look(of.asked, &[rule::RG_IMAGE], &name, of.answers);
    }
    case.case
}

/// A kernel that reads an image, and what it must leave behind.
struct Sampled {
    own: Image,
    /// The image and the sampler in words: drivers go wrong with some of them.
    about: String,
    samples: usize,
    /// The image, the places, what is read and what is asked; then the sampler, where it is an argument.
    args: Vec<Arg>,
    out: ObjectId,
    elements: Want,
    asked: ObjectId,
    answers: Want,
}

/// A kernel that calls all of these as functions, with the arguments of each.
fn all(sampled: &[Sampled]) -> String {
    let (mut parameters, mut calls) = (Vec::new(), String::new());
    for (n, of) in sampled.iter().enumerate() {
        let mut all = vec![
            (format!("read_only {}_t", of.own.c_type()), "image"),
            ("global const int4 *restrict".into(), "places"),
            ("global int4 *restrict".into(), "out"),
            ("global int4 *".into(), "asked"),
        ];
        if of.args.len() > all.len() {
            all.push(("sampler_t".into(), "how"));
        }
        parameters.extend(all.iter().map(|(ty, name)| format!("{ty} {name}{n}")));
        let names: Vec<String> = all.iter().map(|(_, name)| format!("{name}{n}")).collect();
        calls += &format!("    sample{n}({});\n", names.join(", "));
    }
    format!(
        "kernel void samples({}) {{\n{calls}}}\n",
        parameters.join(", ")
    )
}

/// A kernel of a number that reads an image, at so many places or at any number of them.
fn sample(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    n: usize,
    samples: Option<usize>,
) -> Sampled {
    let sampled = choices.percent(75);
    let linear = sampled && choices.percent(45);
    // One format at most that a device may lack.
    let mut format = match n {
        0 => format(choices, case),
        _ => common(choices, case),
    };
    let kind = super::kind(choices, format.order);
    let mut shape = shape(choices, kind);
    if linear {
        // Of another colour space only the darkest and the lightest are known exactly.
        if format.order == Order::Srgba {
            format.order = Order::Rgba;
        }
        // What is mixed is asked of numbers that every way to mix them keeps exactly.
        let kept = format;
        format.channel = choices.one_of(&[
            Channel::Unorm8,
            Channel::Half,
            Channel::Float,
            Channel::Unorm8,
            Channel::Half,
            Channel::Float,
            Channel::Unorm16,
            Channel::Snorm8,
            Channel::Snorm16,
        ]);
        if format.order == Order::Depth {
            format = kept;
        } else if !channels(format.order).contains(&format.channel) || format.order == Order::Bgra {
            format.channel = Channel::Unorm8;
        }
        let signed = matches!(format.channel, Channel::Snorm8 | Channel::Snorm16);
        case.need_if(signed, &[Need::C20]);
        shape = choices
            .one_of(&[Some(powers(shape)), Some(powers(shape)), None])
            .unwrap_or(shape);
    }
    let own = Image { shape, format };
    let seed = choices.below(1 << 20) as u32;
    let (coordinates, spatial) = own.shape.coordinates();
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
            Addressing::MirroredRepeat,
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
    // In the middle between two layers the even one is chosen ("rint"), where there are layers.
    let between = float && !linear && coordinates > spatial && choices.percent(25);
    let size = own.shape.size();
    let is_alone = samples.is_none();
    let samples = samples.unwrap_or_else(|| choices.between(8, 64));
    // Each with the quarters of an element by which it lies beyond the middle of one, and with as many eighths by which it
    // lies beside the number of a layer, up to the middle between two.
    let mut places: Vec<([i64; 3], i64)> = Vec::new();
    for _ in 0..samples {
        let place = [0, 1, 2].map(|d| {
            let size = size[d] as i64;
            // The layer of an array is chosen by a sampler with "CLAMP_TO_EDGE", whatever its mode.
            let inside = addressing == Addressing::None || d >= coordinates || choices.percent(50);
            if inside {
                choices.below(size as usize) as i64
            } else {
                choices.below(3 * size as usize + 4) as i64 - size - 2
            }
        });
        let beyond = match linear {
            true => choices.one_of(&[0, 1, 2, -1]),
            false if between => choices.one_of(&[0, 3, 4, -3, -4]),
            false if float => choices.one_of(&[0, 1, 3, -1, -3]),
            false => 0,
        };
        places.push((place, beyond));
    }
    // Between whole numbers of a byte there is room for what a half rounds.
    let fits = matches!(
        format.channel,
        Channel::Unorm8 | Channel::Snorm8 | Channel::Half
    );
    let half = fits && !linear && choices.percent(12);
    if half {
        let pragma = case.need_type("half");
        case.case.source += pragma;
    }
    let argument = sampled && choices.percent(30);
    let literal = format!(
        "CLK_NORMALIZED_COORDS_{} | CLK_ADDRESS_{} | CLK_FILTER_{}",
        if normalized { "TRUE" } else { "FALSE" },
        addressing.name(),
        if linear { "LINEAR" } else { "NEAREST" }
    );
    let (mut parameter, mut variable, mut inside) = Default::default();
    match (sampled, argument, choices.below(4)) {
        (false, ..) => (),
        (true, true, _) => parameter = format!(", sampler_t how{n}"),
        // "Declared in the outermost scope of kernel functions", of a kernel that no other calls.
        (true, false, 0) if is_alone => {
            inside = format!("    const sampler_t how{n} = {literal};\n");
        }
        (true, false, 1) => variable = format!("const sampler_t how{n} = {literal};\n"),
        (true, false, _) => variable = format!("constant sampler_t how{n} = {literal};\n"),
    }
    let how = match sampled {
        true => format!("how{n}, "),
        false => String::new(),
    };
    let (function, vector) = match half {
        true => ("read_imageh", "half4"),
        false => told(format.channel),
    };
    let place = match float {
        true if linear => {
            let inside = "0.5f + 0.25f * (float)where.s3";
            within(own.shape, normalized, inside)
        }
        true => {
            // Of powers of two, so that no rounding leaves the element.
            let inside = choices.one_of(&["0.5f", "0.25f", "0.75f", "0.125f"]);
            within(own.shape, normalized, inside)
        }
        false => "    int4 place = where;\n".into(),
    };
    let at = super::coordinates(own.shape, "place", float);
    let read = read_of(format.order, &format!("{function}(image, {how}{at})"));
    let result = whole(format.channel, if half { "convert_float4(v)" } else { "v" });
    case.case.source += &cl!(
        "image_read.cl",
        n,
        variable,
        ty = own.c_type(),
        parameter,
        inside,
        place,
        vector,
        read,
        result,
        answers = asked_of(own)
    );
    let id = image(case, own, Contents::Bytes(contents(linear, own, seed)));
    case.case.objects[id.index()].alloc_host = choices.percent(30);
    let gaps = apart(choices, own);
    case.case.objects[id.index()].apart = gaps;
    let list = places
        .iter()
        .flat_map(|(p, beyond)| [p[0], p[1], p[2], *beyond].map(|n| n as u32))
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
    let seen = |(place, beyond): &([i64; 3], i64)| match linear {
        true => mixed(own, seed, addressing, place, *beyond),
        false => sampled_element(own, seed, addressing, place, *beyond),
    };
    let wanted = places.iter().flat_map(seen).collect();
    let about = [
        Some(super::about(own)),
        half.then(|| "halves".into()),
        between.then(|| "between layers".into()),
        normalized.then(|| "normalized".into()),
        linear.then(|| "linear".into()),
        gaps.is_some().then(|| "over memory with gaps".into()),
    ];
    Sampled {
        own,
        about: about.into_iter().flatten().collect::<Vec<_>>().join(", "),
        samples,
        args,
        out,
        elements: Want::words(wanted),
        asked,
        answers: answered(own),
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

/// Coordinates so far behind the beginning of elements, well inside of them, and beside the number of a layer: no rounding
/// makes another element of them.
fn within(shape: Shape, normalized: bool, inside: &str) -> String {
    let (size, (_, spatial)) = (shape.size(), shape.coordinates());
    let part = |d: usize| match (d < spatial, normalized) {
        (true, true) => format!("((float)where.s{d} + {inside}) / {}.0f", size[d]),
        (true, false) => format!("(float)where.s{d} + {inside}"),
        (false, _) => format!("(float)where.s{d} + 0.125f * (float)where.s3"),
    };
    let [x, y, z] = [0, 1, 2].map(part);
    format!("    float4 place = (float4)({x}, {y}, {z}, 0.0f);\n")
}
