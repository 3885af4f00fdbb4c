//! Conversions between numbers with a fraction of every precision and all others, and between integers, each way to
//! round, with saturation and without.

use super::builder::{self, CaseBuilder, constant, constants, load, store, vector};
use super::halves::nan;
use super::joined::Lines;
use crate::choices::Choices;
use crate::host::check::Bounds;
use crate::kernels::case::{Contents, KernelCase, Kind, ObjectId, Unit, Want};
use crate::kernels::code::number::{INTEGERS, Integer};
use crate::kernels::math::format::{Format, Mode};
use crate::kernels::math::{Gives, bounds, only};
use crate::rule;

/// Numbers of a conversion: a multiple of each size of a vector.
const NUMBERS: usize = 48;

/// Numbers of a conversion that stand in the program, where a compiler may convert them; as many more as fill a vector.
const KNOWN: usize = 12;

/// Conversions of a case.
const CONVERTED: usize = 24;

/// Conversions of a kernel: a compiler takes longer for several kernels than for one of as many lines.
const TOGETHER: usize = 6;

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Real(Format),
    Whole(Integer),
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::Real(format) => format.name(),
            Type::Whole(of) => of.name(),
        }
    }

    fn bytes(self) -> usize {
        match self {
            Type::Real(format) => format.bytes(),
            Type::Whole(of) => usize::from(of.bits) / 8,
        }
    }
}

/// Conversions from one type and to it, of which every bit of the result is known.
pub fn conversions(choices: &mut Choices) -> KernelCase {
    let format = choices
        .weighted(&[
            (Format::Float, 40),
            (Format::Double, 40),
            (Format::Half, 20),
        ])
        .unwrap_or(Format::Float);
    let about = format!("numbers become {} and others of it", format.name());
    let mut case = CaseBuilder::new(about);
    case.case.source = case.need_type(format.name()).into();
    let own = Type::Real(format);
    let both = format == Format::Half && choices.percent(40);
    let count = choices.one_of(&[1, CONVERTED, CONVERTED, CONVERTED]);
    // A device that cannot make a kernel of some constants still has the other cases.
    let known = if choices.percent(25) { 50 } else { 0 };
    // Each other type and either way in turn, and in another turn each form: of all in a row no two are alike.
    let pairs = pairs(own, both);
    let (first, form) = (choices.below(pairs.len()), choices.below(FORMS));
    for kernel in 0..count.div_ceil(TOGETHER) {
        let from = kernel * TOGETHER;
        let drawn: Vec<Conversion> = (from..count.min(from + TOGETHER))
            .filter_map(|n| {
                choices.part(|choices| {
                    let [from, to] = match n % 4 {
                        // The first ones are about what the case is about.
                        3 => [(); 2].map(|()| Type::Whole(choices.one_of(&INTEGERS))),
                        way => pairs[(first + n / 4 * 3 + way) % pairs.len()],
                    };
                    draw(choices, [from, to], form + 11 * n, known)
                })
            })
            .collect();
        add(choices, &mut case, kernel, drawn);
    }
    case.case
}

/// What becomes what, of a format and each other type.
fn pairs(own: Type, both: bool) -> Vec<[Type; 2]> {
    let mut others: Vec<Type> = INTEGERS.into_iter().map(Type::Whole).collect();
    others.push(Type::Real(Format::Float));
    // Halves become doubles where a device has both, which few cases ask for.
    if both {
        others.push(Type::Real(Format::Double));
    }
    let ways = |other| [[own, other], [other, own]];
    others.into_iter().flat_map(ways).collect()
}

/// Ways to round, in turn: where none is named most often, as programs do.
const ROUNDED: [Mode; 7] = [
    Mode::Default,
    Mode::Even,
    Mode::Default,
    Mode::Zero,
    Mode::Default,
    Mode::Up,
    Mode::Down,
];

/// Sizes of vectors.
const LANES: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Ways to call a conversion: each to round, each size of vectors, with saturation or without.
const FORMS: usize = 2 * ROUNDED.len() * LANES.len();

/// A conversion, as it is drawn.
struct Conversion {
    from: Type,
    to: Type,
    lanes: usize,
    /// The function, or a cast.
    call: String,
    /// Whether the program has the numbers.
    known: bool,
    /// The numbers before it, byte by byte, and what has to be there after it.
    given: Vec<u8>,
    wanted: Want,
}

/// A conversion in a form of `FORMS`; of so many percent the program has the numbers.
fn draw(choices: &mut Choices, [from, to]: [Type; 2], form: usize, known: usize) -> Conversion {
    let saturated = matches!(to, Type::Whole(_)) && form / (FORMS / 2) % 2 == 1;
    let mode = ROUNDED[form % ROUNDED.len()];
    let lanes = LANES[form % LANES.len()];
    let sat = if saturated { "_sat" } else { "" };
    // A scalar is cast as well; that rounds as where no mode is named.
    let cast = lanes == 1 && mode == Mode::Default && !saturated && choices.percent(50);
    let call = match cast {
        true => format!("({})", to.name()),
        false => format!("convert_{}{sat}{}", vector(to.name(), lanes), mode.text()),
    };
    let known = choices.percent(known);
    let numbers = if known { KNOWN } else { NUMBERS };
    let mut given: Vec<u8> = Vec::new();
    let mut wanted: Vec<u8> = Vec::new();
    let mut right: Vec<(String, Bounds)> = Vec::new();
    for _ in 0..numbers.next_multiple_of(lanes) {
        let (bits, becomes) = match (from, to) {
            (Type::Real(format), Type::Whole(of)) => {
                let x = real(choices, format, of, saturated);
                (format.bits(x), of.wrap(whole(x, of, mode)))
            }
            (Type::Whole(of), Type::Real(format)) => {
                let x = integer(choices, of, format);
                let becomes = format.of_integer(x, mode);
                right.push((format!("of {x}"), only(format, becomes)));
                (of.wrap(x), 0)
            }
            (Type::Real(own), Type::Real(format)) => {
                let x = common(choices, own, format);
                let becomes = format.rounded(x, mode);
                let gives = match x != 0.0 && becomes == 0.0 {
                    true => Gives::Zero,
                    false => Gives::Exactly(becomes),
                };
                let of = constant(own.name(), own.bits(x));
                // What is not normal before it is rounded may be flushed.
                let small = format != Format::Double && format.subnormal(x);
                let mut may_be = bounds(format, 0.0, gives);
                may_be.zero |= small;
                right.push((format!("of {of}"), may_be));
                (own.bits(x), 0)
            }
            (Type::Whole(of), Type::Whole(becomes)) => {
                let x = between(choices, of, becomes);
                let kept = match saturated {
                    true => x.clamp(becomes.least(), becomes.greatest()),
                    false => x,
                };
                (of.wrap(x), becomes.wrap(kept))
            }
        };
        given.extend(bits.to_le_bytes().iter().take(from.bytes()));
        wanted.extend(becomes.to_le_bytes().iter().take(to.bytes()));
    }
    let wanted = match to {
        Type::Real(format) => builder::numbers(format, right),
        Type::Whole(_) => {
            let unit = match to.bytes() {
                4 => Unit::Word,
                8 => Unit::Long,
                _ => Unit::Byte,
            };
            Want::same(unit, Contents::Bytes(wanted))
        }
    };
    Conversion {
        from,
        to,
        lanes,
        call,
        known,
        given,
        wanted,
    }
}

impl Conversion {
    /// Vectors that it converts, or numbers where it has no lanes.
    fn vectors(&self) -> usize {
        self.given.len() / self.from.bytes() / self.lanes
    }

    /// The statements that convert and keep the results, each work-item's where the host gives the numbers.
    fn statements(&self, k: usize) -> String {
        let to = format!("to{k}");
        if !self.known {
            let value = load(self.lanes, &format!("from{k}"), "i");
            let kept = store(self.lanes, &format!("{}({value})", self.call), &to, "i");
            return format!(
                "    if (i < {}) {{\n        {kept}\n    }}\n",
                self.vectors()
            );
        }
        let bytes = self.from.bytes();
        let kept = self.given.chunks(bytes * self.lanes).enumerate();
        let kept = kept.map(|(at, numbers)| {
            let each = numbers.chunks(bytes).map(|number| {
                let mut bits = [0; 8];
                bits[..bytes].copy_from_slice(number);
                u64::from_le_bytes(bits)
            });
            let value = constants(self.from.name(), each);
            let converted = format!("{}({value})", self.call);
            format!(
                "        {}\n",
                store(self.lanes, &converted, &to, &at.to_string())
            )
        });
        format!("    if (i == 0) {{\n{}    }}\n", kept.collect::<String>())
    }

    /// Looks at the numbers that it left.
    fn look(self, case: &mut CaseBuilder, out: ObjectId) {
        let known = if self.known { "constants of " } else { "" };
        let name = format!("{} of {known}{}", self.call, self.from.name());
        let rules = match (self.from, self.to) {
            (Type::Whole(_), Type::Whole(_)) => &[rule::C_CONVERSIONS][..],
            _ => &[rule::C_CONVERSIONS, rule::C_REALS],
        };
        case.look(out, rules, &name, self.wanted);
    }
}

/// The kernel of some conversions, its launch, and the looks at what it left.
fn add(choices: &mut Choices, case: &mut CaseBuilder, n: usize, drawn: Vec<Conversion>) {
    let double = Type::Real(Format::Double);
    let doubles = drawn.iter().any(|one| [one.from, one.to].contains(&double));
    if doubles && !case.case.source.contains("cl_khr_fp64") {
        let pragma = case.need_type(Format::Double.name());
        case.case.source.insert_str(0, pragma);
    }
    let (mut parameters, mut body) = (Vec::new(), String::new());
    let (mut args, mut outs) = (Vec::new(), Vec::new());
    for (k, one) in drawn.iter().enumerate() {
        let (from, to) = (one.from.name(), one.to.name());
        body += &one.statements(k);
        if !one.known {
            parameters.push(format!("global const {from} *from{k}"));
            let given = Contents::Bytes(one.given.clone());
            let given = case.object(Kind::Buffer, one.given.len(), given);
            args.push(given.into());
        }
        parameters.push(format!("global {to} *to{k}"));
        let bytes = one.vectors() * one.lanes * one.to.bytes();
        let out = case.object(Kind::Buffer, bytes, Contents::Every(0xa5a5_a5a5));
        args.push(out.into());
        outs.push(out);
    }
    let items = drawn.iter().map(Conversion::vectors).max().unwrap_or(1);
    let local = choices.one_of(&[1, 4, 16]);
    let local = if items.is_multiple_of(local) {
        local
    } else {
        1
    };
    let lines = Lines::drawn(choices, items as u64, local as u64);
    if outs.is_empty() {
        return;
    }
    case.case.source += &format!(
        "kernel void convert{n}({}) {{\n    size_t i = {};\n{body}}}\n",
        parameters.join(", "),
        lines.place()
    );
    case.launch(format!("convert{n}"), args, lines.range);
    for (one, out) in drawn.into_iter().zip(outs) {
        one.look(case, out);
    }
}

/// An integer to become one of another type: any of its own, often where either type ends or beside that. Without
/// saturation it keeps the bits that fit.
fn between(choices: &mut Choices, of: Integer, to: Integer) -> i128 {
    let [high, low] = [(); 2].map(|()| choices.below(1 << 32) as u64);
    let bits = (high << 32 | low) >> choices.below(64);
    let beside = i128::from(choices.below(3) as u8) - 1;
    let n = match choices.below(8) {
        0 => of.least(),
        1 => of.greatest(),
        2 => to.least() + beside,
        3 => to.greatest() + beside,
        _ => of.number(of.wrap(bits.into())),
    };
    n.clamp(of.least(), of.greatest())
}

/// A number to become an integer: where that does not saturate, one that the type holds however it is rounded.
fn real(choices: &mut Choices, format: Format, to: Integer, saturated: bool) -> f64 {
    let part = 1.0 + choices.below(1 << 26) as f64 / f64::from(1 << 26);
    let most = i32::from(to.bits) - i32::from(to.signed);
    let special = choices.below(12);
    let value = match special {
        0 => 0.0,
        // Halfway between two integers.
        1 | 2 => choices.below(64) as f64 + 0.5,
        // Where the type ends, and beside that.
        7 | 8 if saturated => {
            let beside = choices.one_of(&[-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0]);
            libm::ldexp(1.0, most) - 1.0 + beside
        }
        // The greatest numbers of the format that the type holds, below the power of two at which it ends.
        9 => {
            let end = format.nearest(libm::ldexp(1.0, most));
            match end.is_finite() {
                true => format.at(format.key(end) - 1 - choices.below(3) as i64),
                false => format.greatest(),
            }
        }
        3 if saturated => f64::INFINITY,
        4 if saturated => f64::NAN,
        5 | 6 if saturated => libm::ldexp(part, choices.below(40) as i32 + most - 8),
        _ => libm::ldexp(part, choices.below(most as usize) as i32 - 2),
    };
    let value = format.nearest(value);
    let below = to.signed || saturated;
    let value = if below && choices.percent(50) {
        -value
    } else {
        value
    };
    let limit = libm::ldexp(1.0, most) - 1.0;
    match saturated || value.abs() < limit {
        true => value,
        false => 1.0,
    }
}

/// The integer that a number becomes ("Out-of-Range Behavior and Saturated Conversions").
fn whole(x: f64, to: Integer, mode: Mode) -> i128 {
    let whole = mode.whole(x);
    // A NaN becomes zero, and what is beyond 128 bits the nearest number of these.
    (whole as i128).clamp(to.least(), to.greatest())
}

/// An integer to become a number, seldom one that is beyond all of the format.
fn integer(choices: &mut Choices, of: Integer, to: Format) -> i128 {
    let [high, low] = [(); 2].map(|()| choices.below(1 << 32) as u64);
    let bits = (high << 32 | low) >> choices.below(64);
    let n = match choices.below(10) {
        0 => of.least(),
        1 => of.greatest(),
        2..=5 => halfway(choices, of, to),
        _ => of.number(of.wrap(bits.into())),
    };
    match to {
        // "Conversions to floating-point types conform to IEEE-754 rounding rules": what is beyond becomes the greatest
        // number or an infinity.
        Format::Half if choices.percent(15) => n,
        Format::Half => n % 32_768,
        Format::Float | Format::Double => n,
    }
}

/// An integer halfway between two numbers of a format, or as near to that as integers are, where the type has so many bits.
fn halfway(choices: &mut Choices, of: Integer, to: Format) -> i128 {
    // With the first bit, which no format stores, and one that is too many.
    let kept = 2 - libm::ilogb(to.epsilon());
    let room = i32::from(of.bits) - i32::from(of.signed);
    let [high, low] = [(); 2].map(|()| choices.below(1 << 32) as u64);
    let bits = i128::from(high << 32 | low);
    if kept > room {
        return of.number(of.wrap(bits));
    }
    let top = 1i128 << (kept - 1);
    let tie = top | (bits % top) | 1;
    let places = choices.below((room - kept + 1) as usize);
    let beside = match places {
        0 => 0,
        _ => choices.one_of(&[0, 0, 1, -1]),
    };
    let n = (tie << places) + beside;
    if of.signed && choices.percent(50) {
        -n
    } else {
        n
    }
}

/// A number that two formats have room for; seldom a NaN, or one that is far beyond all of the second format.
fn common(choices: &mut Choices, from: Format, to: Format) -> f64 {
    let part = 1.0 + choices.below(1 << 30) as f64 / f64::from(1 << 30);
    let least = from.least_exponent().max(to.least_exponent());
    let most = from.greatest_exponent().min(to.greatest_exponent());
    let range = (most - least - 1) as usize;
    let size = match choices.below(13) {
        10 => nan(choices),
        11 if from.greatest() > to.greatest() => {
            let beyond = from.greatest_exponent() - most;
            libm::ldexp(part, most + 1 + choices.below(beyond as usize) as i32)
        }
        12 if from.least_exponent() < to.least_exponent() => {
            let below = to.least_exponent() - from.least_exponent();
            libm::ldexp(
                part,
                from.least_exponent() + choices.below(below as usize) as i32,
            )
        }
        0 => 0.0,
        1 => f64::INFINITY,
        2 => 1.0 + to.epsilon() / 2.0,
        // Halfway between two numbers, and beside that.
        3..=5 if from.epsilon() < to.epsilon() => {
            let size = libm::ldexp(part, least + 2 + choices.below(range - 1) as i32 - 1);
            let tie = to.down(size) + to.ulp(to.down(size)) / 2.0;
            let beside = choices.one_of(&[0, 0, 1, -1]);
            from.at(from.key(from.nearest(tie)) + beside)
        }
        // Beyond the greatest number by less than what is between it and the one before it.
        6 if from.greatest() > to.greatest() => {
            to.greatest() + to.ulp(to.greatest()) * choices.one_of(&[0.25, 0.5, 0.75])
        }
        _ => libm::ldexp(part, least + 1 + choices.below(range) as i32 - 1),
    };
    let value = from.nearest(size);
    if choices.percent(50) { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_become_integers_that_the_type_has() {
        use crate::kernels::code::number::{CHAR, UCHAR};
        assert_eq!(whole(2.5, CHAR, Mode::Even), 2);
        assert_eq!(whole(-2.5, CHAR, Mode::Down), -3);
        assert_eq!(whole(-2.5, CHAR, Mode::Default), -2);
        assert_eq!(whole(1e30, CHAR, Mode::Up), 127);
        assert_eq!(whole(-1.0, UCHAR, Mode::Zero), 0);
        assert_eq!(whole(f64::NAN, UCHAR, Mode::Zero), 0);
    }
}
