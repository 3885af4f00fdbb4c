//! Functions of `float` whose results the text fixes to the last bit, on the bits of the numbers.
//!
//! Sums, products, fused products and conversions are correctly rounded, and functions of 0 ulp give the exact
//! number ("Relative Error as ULPs"). What meets or gives a number that is not normal is left open, for such numbers
//! may be flushed to zero; so is what gives a NaN, for its bits are any NaN's.

use crate::kernels::math::format::{Format, Mode};

use super::judged::Judged;
use super::number::{INT, Integer, LANES, Type, UINT, Value};

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Real {
    Add,
    Subtract,
    Multiply,
    Fma,
    /// What says something of numbers of a format, or selects some of their bits.
    Judged(Format, Judged),
    /// A function that gives a whole number, as an `int`.
    Whole(Whole),
    /// `convert_T` of this type, perhaps with `_sat`.
    To(Integer, Mode, bool),
    /// `convert_float` of this type.
    From(Integer, Mode),
    /// A cast to this type, towards zero.
    CastTo(Integer),
    /// A cast from this type.
    CastFrom(Integer),
    /// `-x`.
    Negate,
    /// `vstore_half`, and the bits that it stores.
    ToHalf(Mode),
    /// `vload_half` of bits.
    FromHalf,
    Minimum,
    Maximum,
    Absolute,
    CopySign,
    /// `ldexp`, by an `int`.
    Scale,
    /// `fdim`.
    Positive,
    /// `fmod`.
    Remainder,
    /// `nextafter`.
    Next,
    /// `ilogb`.
    Exponent,
}

/// A function that gives a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    Floor,
    Ceil,
    Trunc,
    /// To the nearest, to the even one of two.
    Rint,
    /// To the nearest, away from zero of two.
    Round,
}

/// Every one.
pub const WHOLES: [Whole; 5] = [
    Whole::Floor,
    Whole::Rint,
    Whole::Ceil,
    Whole::Round,
    Whole::Trunc,
];

impl Whole {
    fn name(self) -> &'static str {
        match self {
            Whole::Floor => "floor",
            Whole::Ceil => "ceil",
            Whole::Trunc => "trunc",
            Whole::Rint => "rint",
            Whole::Round => "round",
        }
    }
}

/// Numbers that bits are brought to: the bits that are kept, and those that are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domain {
    pub keeps: u64,
    pub sets: u64,
}

const fn domain(keeps: u64, sets: u64) -> Domain {
    Domain { keeps, sets }
}

impl Domain {
    /// As numbers of a format that this domain, of `float`s, is written of.
    pub fn of(self, format: Format) -> Domain {
        let fraction = match format {
            Format::Half => 10,
            Format::Float => return self,
            Format::Double => 52,
        };
        let (sign, low) = (self.keeps >> 31, self.keeps & 0x007f_ffff);
        let fraction_kept = match fraction < 23 {
            true => low >> (23 - fraction),
            // Where the last bit is kept, all that are further ones are.
            false => (low << (fraction - 23)) | ((low & 1) * ((1 << (fraction - 23)) - 1)),
        };
        let exponents = (2 * format.greatest_exponent() + 1) as u64;
        let exponent = match self.sets >> 23 & 0xff {
            0 => 0,
            0xff => exponents,
            biased => biased + format.greatest_exponent() as u64 - 127,
        };
        let kept = (self.keeps >> 23 & 0xff) << fraction;
        Domain {
            keeps: sign << (8 * format.bytes() - 1) | kept | fraction_kept,
            sets: exponent << fraction,
        }
    }
}

/// From 2⁻⁷ to 2, of either sign.
pub const NEAR: Domain = domain(0x83ff_ffff, 0x3c00_0000);
/// From 2 to 512.
pub const MIDDLE: Domain = domain(0x83ff_ffff, 0x4000_0000);
/// From 2¹⁷ to 2³³.
const WIDE: Domain = domain(0x87ff_ffff, 0x4800_0000);
/// From 2⁵⁷ to 2⁶⁵.
const HUGE: Domain = domain(0x83ff_ffff, 0x5c00_0000);
/// Infinities and quiet NaNs.
pub const BEYOND: Domain = domain(0x8040_0000, 0x7f80_0000);
/// 1 and 1.5.
pub const ONE: Domain = domain(0x8040_0000, 0x3f80_0000);
/// Zeros.
pub const ZERO: Domain = domain(0x8000_0000, 0);
/// 4.5, 5.5, 6.5 and 7.5, which lie between two integers.
const HALF: Domain = domain(0x8060_0000, 0x4090_0000);
/// The same above zero.
const HALF_ABOVE: Domain = domain(0x0060_0000, 0x4090_0000);
/// From 2⁻⁷ to 2.
pub const NEAR_ABOVE: Domain = domain(0x03ff_ffff, 0x3c00_0000);
/// Integers from a power of two to the next one, of either sign or above zero: the greatest that a type holds.
const fn whole(exponent: u32, either_sign: bool) -> Domain {
    let fraction = match exponent {
        0..23 => 0x007f_ffff & !((1 << (23 - exponent)) - 1),
        _ => 0x007f_ffff,
    };
    let exponent = (127 + exponent as u64) << 23;
    domain((either_sign as u64) << 31 | fraction, exponent)
}

/// Integers from 0 to 15.
pub const SMALL: Domain = domain(15, 0);
/// Half-precision numbers from 2⁻³ to 2, of either sign, by their bits.
const HALF_BITS: Domain = domain(0x8fff, 0x3000);
/// All bits.
pub const ANY: Domain = domain(u64::MAX, 0);

impl Real {
    /// The types of its arguments, and of what it gives.
    pub fn types(self, lanes: u8) -> (Vec<Type>, Type) {
        let (bits, int) = (UINT.vector(lanes), INT.vector(lanes));
        match self {
            Real::Add | Real::Subtract | Real::Multiply | Real::Minimum | Real::Maximum => {
                (vec![bits; 2], bits)
            }
            Real::CopySign | Real::Positive | Real::Remainder | Real::Next => (vec![bits; 2], bits),
            Real::Fma => (vec![bits; 3], bits),
            Real::Judged(format, judged) => judged.types(format, lanes),
            Real::Whole(_) | Real::Exponent => (vec![bits], int),
            Real::To(of, ..) | Real::CastTo(of) => (vec![bits], of.vector(lanes)),
            Real::From(of, _) | Real::CastFrom(of) => (vec![of.vector(lanes)], bits),
            Real::Absolute | Real::Negate | Real::ToHalf(_) | Real::FromHalf => (vec![bits], bits),
            Real::Scale => (vec![bits, int], bits),
        }
    }

    /// What its arguments may be that it says something of.
    pub fn domains(self, argument: usize) -> &'static [Domain] {
        match self {
            Real::Judged(_, judged) => judged.domains(argument),
            Real::Whole(_) => &[NEAR, MIDDLE, HALF],
            Real::To(_, _, true) => &[NEAR, MIDDLE, HALF, WIDE, HUGE, BEYOND],
            // Below zero no unsigned type holds what they become.
            Real::To(of, ..) | Real::CastTo(of) => match (of.signed, of.bits) {
                (true, 64) => const { &[NEAR, MIDDLE, HALF, WIDE, whole(62, true)] },
                (true, 32) => const { &[ONE, HALF, NEAR, whole(30, true)] },
                (true, 16) => const { &[ONE, HALF, NEAR, whole(14, true)] },
                (true, _) => const { &[ONE, HALF, NEAR, whole(6, true)] },
                (false, 64) => const { &[HALF_ABOVE, NEAR_ABOVE, whole(63, false)] },
                (false, 32) => const { &[HALF_ABOVE, NEAR_ABOVE, whole(31, false)] },
                (false, 16) => const { &[HALF_ABOVE, NEAR_ABOVE, whole(15, false)] },
                (false, _) => const { &[HALF_ABOVE, NEAR_ABOVE, whole(7, false)] },
            },
            Real::From(..) | Real::CastFrom(_) => &[ANY],
            Real::Negate => &[ZERO, NEAR, MIDDLE],
            // From 2⁻⁷ to 512 all numbers become normal ones of half the precision.
            Real::ToHalf(_) => &[NEAR, MIDDLE],
            Real::FromHalf => &[HALF_BITS],
            Real::Minimum | Real::Maximum if argument == 0 => &[NEAR, MIDDLE, BEYOND],
            Real::Scale if argument == 1 => &[SMALL],
            // A zero has a sign, which no sum or product with it may leave out.
            Real::Add | Real::Subtract | Real::Multiply => &[NEAR, MIDDLE, NEAR, MIDDLE, ZERO],
            Real::Fma
            | Real::Minimum
            | Real::Maximum
            | Real::Absolute
            | Real::CopySign
            | Real::Scale
            | Real::Positive
            | Real::Remainder
            | Real::Next
            | Real::Exponent => &[NEAR, MIDDLE],
        }
    }

    /// The format of its numbers.
    pub fn format(self) -> Format {
        match self {
            Real::Judged(format, _) => format,
            _ => Format::Float,
        }
    }

    /// Whether an argument is the bits of a number of its format, not an integer.
    pub fn takes_float(self, argument: usize) -> bool {
        match self {
            Real::From(..) | Real::CastFrom(_) | Real::FromHalf => false,
            Real::Scale => argument == 0,
            Real::Judged(_, judged) => judged.takes_float(argument),
            _ => true,
        }
    }

    /// An argument as what the function takes: the number of its bits.
    fn taken(self, lanes: u8, n: usize, argument: &str) -> String {
        match self.takes_float(n) {
            true => format!("as_{}{}({argument})", self.format().name(), count(lanes)),
            false => argument.to_owned(),
        }
    }

    /// Whether it takes statements, so that it has no text by itself.
    pub fn has_statements(self) -> bool {
        matches!(self, Real::ToHalf(_) | Real::FromHalf)
    }

    /// Its text with these arguments.
    pub fn text(self, lanes: u8, arguments: &[String]) -> String {
        let arguments = arguments.iter().enumerate();
        let taken: Vec<String> = arguments
            .map(|(n, one)| self.taken(lanes, n, one))
            .collect();
        self.form(lanes, &taken)
    }

    /// A function of the program's own, `$name`, that is this of its parameters, and a call of it with these arguments.
    /// An argument that is given twice is one parameter.
    pub fn apart(self, lanes: u8, arguments: &[String]) -> (String, String) {
        let (types, gives) = self.types(lanes);
        let (mut parameters, mut passed, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (n, (argument, ty)) in arguments.iter().zip(types).enumerate() {
            let before = arguments.iter().take(n).position(|one| one == argument);
            let before = before.filter(|m| self.takes_float(*m) == self.takes_float(n));
            let name = ["x", "y", "z"][before.unwrap_or(n).min(2)].to_owned();
            if before.is_none() {
                let ty = match self.takes_float(n) {
                    true => format!("{}{}", self.format().name(), count(lanes)),
                    false => ty.name(),
                };
                parameters.push(format!("{ty} {name}"));
                passed.push(self.taken(lanes, n, argument));
            }
            names.push(name);
        }
        let (parameters, gives) = (parameters.join(", "), gives.name());
        // Numbers of half the precision can only lie in memory; bytes may be anything.
        let room = "uchar h[2] __attribute__((aligned(2)))";
        let inside = match self {
            Real::ToHalf(mode) => format!(
                "{room}; vstore_half{}(x, 0, (private half*)h); return h[0] | (uint)h[1] << 8;",
                mode.text()
            ),
            Real::FromHalf => format!(
                "{room} = {{ (uchar)x, (uchar)(x >> 8) }}; return as_uint(vload_half(0, (private half*)h));"
            ),
            _ => format!("return {};", self.form(lanes, &names)),
        };
        (
            format!("static {gives} $name({parameters}) {{ {inside} }}"),
            format!("$name({})", passed.join(", ")),
        )
    }

    /// Its text with these numbers.
    fn form(self, lanes: u8, taken: &[String]) -> String {
        let n = count(lanes);
        let float = |at: usize| taken.get(at).map_or("0", String::as_str);
        let operator = |op: &str| format!("{} {op} {}", float(0), float(1));
        let two = |name: &str| format!("as_uint{n}({name}({}, {}))", float(0), float(1));
        match self {
            Real::Add => format!("as_uint{n}({})", operator("+")),
            Real::Subtract => format!("as_uint{n}({})", operator("-")),
            Real::Multiply => format!("as_uint{n}({})", operator("*")),
            Real::Fma => format!("as_uint{n}(fma({}, {}, {}))", float(0), float(1), float(2)),
            Real::Judged(format, judged) => judged.form(format, lanes, [0, 1, 2].map(float)),
            Real::Whole(whole) => format!("convert_int{n}({}({}))", whole.name(), float(0)),
            Real::To(of, mode, saturated) => {
                let sat = if saturated { "_sat" } else { "" };
                let to = of.vector(lanes).name();
                format!("convert_{to}{sat}{}({})", mode.text(), float(0))
            }
            Real::From(_, mode) => {
                format!("as_uint{n}(convert_float{n}{}({}))", mode.text(), float(0))
            }
            Real::CastTo(of) => format!("(({}){})", of.vector(lanes).name(), float(0)),
            Real::CastFrom(_) => format!("as_uint((float)({}))", float(0)),
            Real::Negate => format!("as_uint{n}(-{})", float(0)),
            // What it does, in words that are no OpenCL C.
            Real::ToHalf(mode) => format!("vstore_half{}({})", mode.text(), float(0)),
            Real::FromHalf => format!("vload_half({})", float(0)),
            Real::Minimum => two("fmin"),
            Real::Maximum => two("fmax"),
            Real::Absolute => format!("as_uint{n}(fabs({}))", float(0)),
            Real::CopySign => two("copysign"),
            Real::Scale => two("ldexp"),
            Real::Positive => two("fdim"),
            Real::Remainder => two("fmod"),
            Real::Next => two("nextafter"),
            Real::Exponent => format!("ilogb({})", float(0)),
        }
    }

    /// What it gives of arguments of so many lanes; `None` where the text leaves that open.
    pub fn of(self, lanes: u8, arguments: &[Value]) -> Option<Value> {
        let mut value = [0; LANES];
        for (lane, to) in value.iter_mut().enumerate().take(usize::from(lanes)) {
            let bits = |n: usize| arguments.get(n).map_or(0, |value| value[lane]);
            *to = self.lane(lanes, [bits(0), bits(1), bits(2)])?;
        }
        Some(value)
    }

    fn lane(self, lanes: u8, bits: [u64; 3]) -> Option<u64> {
        let from = match self {
            Real::From(of, mode) => Some((of, mode)),
            Real::CastFrom(of) => Some((of, Mode::Default)),
            _ => None,
        };
        if let Some((of, mode)) = from {
            return Some(Format::Float.bits(Format::Float.of_integer(of.number(bits[0]), mode)));
        }
        if self == Real::FromHalf {
            return from_half(bits[0] as u32).map(u64::from);
        }
        if let Real::Judged(format, judged) = self {
            return judged.lane(format, lanes, bits);
        }
        let [x, y, z] = bits.map(|bits| f32::from_bits(bits as u32));
        let taken = [x, y, z].into_iter().take(match self {
            Real::Scale => 1,
            _ => self.types(1).0.len(),
        });
        if taken.into_iter().any(f32::is_subnormal) {
            return None;
        }
        let result = match self {
            Real::Add => x + y,
            Real::Subtract => x - y,
            Real::Multiply => x * y,
            Real::Fma => x.mul_add(y, z),
            Real::Whole(whole) => {
                let number = f64::from(match whole {
                    Whole::Floor => x.floor(),
                    Whole::Ceil => x.ceil(),
                    Whole::Trunc => x.trunc(),
                    Whole::Rint => x.round_ties_even(),
                    Whole::Round => x.round(),
                });
                let inside = number.abs() < f64::from(1 << 30);
                return inside.then(|| INT.wrap(number as i128));
            }
            Real::To(of, mode, saturated) => return to_integer(x, of, mode, saturated),
            Real::CastTo(of) => return to_integer(x, of, Mode::Zero, false),
            Real::From(..) | Real::CastFrom(_) | Real::FromHalf | Real::Judged(..) => return None,
            Real::Negate => -x,
            Real::ToHalf(mode) => return to_half(x, mode).map(u64::from),
            Real::Minimum | Real::Maximum if x == 0.0 && y == 0.0 => return None,
            Real::Minimum => x.min(y),
            Real::Maximum => x.max(y),
            Real::Absolute => x.abs(),
            Real::CopySign => x.copysign(y),
            Real::Scale => (f64::from(x) * f64::from(bits[1] as u32 as i32).exp2()) as f32,
            Real::Positive if x > y => x - y,
            Real::Positive => 0.0,
            Real::Remainder => x % y,
            Real::Next => next_after(x, y),
            Real::Exponent if x.is_normal() => {
                let exponent = i128::from(x.to_bits() >> 23 & 0xff) - 127;
                return Some(INT.wrap(exponent));
            }
            Real::Exponent => return None,
        };
        let open = result.is_nan() || result.is_subnormal();
        (!open).then(|| result.to_bits().into())
    }
}

/// The lanes in the name of a type.
fn count(lanes: u8) -> String {
    match lanes {
        1 => String::new(),
        _ => lanes.to_string(),
    }
}

/// The integer that a number becomes: where the type does not hold it, the nearest one of a saturated conversion, and
/// zero of a NaN ("Out-of-Range Behavior and Saturated Conversions").
fn to_integer(x: f32, of: Integer, mode: Mode, saturated: bool) -> Option<u64> {
    let x = f64::from(x);
    let whole = match mode {
        Mode::Default | Mode::Zero => x.trunc(),
        Mode::Even => x.round_ties_even(),
        Mode::Up => x.ceil(),
        Mode::Down => x.floor(),
    };
    // What is beyond 128 bits, and infinities, become the nearest number of these, and a NaN becomes zero.
    let number = whole as i128;
    (saturated || (x.is_finite() && of.holds(number))).then(|| of.saturate(number))
}

/// The bits of the number of half the precision that a number becomes, where that is a normal one ("vstore_half",
/// which rounds to the nearest by default).
fn to_half(x: f32, mode: Mode) -> Option<u32> {
    let half = Format::Half.rounded(x.into(), mode);
    let normal = half.is_finite() && half.abs() >= Format::Half.least_normal();
    normal.then(|| Format::Half.bits(half) as u32)
}

/// The bits of the `float` that is a normal number of half the precision.
fn from_half(bits: u32) -> Option<u32> {
    let half = Format::Half.number(bits.into());
    let normal = half.is_finite() && half.abs() >= Format::Half.least_normal();
    normal.then(|| (half as f32).to_bits())
}

/// The number next to one that is not zero, on the way to another.
fn next_after(x: f32, to: f32) -> f32 {
    let away = (to > x) == (x > 0.0);
    match x == to {
        true => to,
        false if away => f32::from_bits(x.to_bits() + 1),
        false => f32::from_bits(x.to_bits() - 1),
    }
}

#[cfg(test)]
mod tests;
