//! The functions: how each is called, by how much it may be wrong, and what it is of real numbers.
//!
//! Numbers are `f64`s that are numbers of the format; a `float` or `half` is computed as exactly as an `f64` can be and
//! rounded once.

use super::edges::{cospi, extreme, powr, remquo, rootn, sinpi, tanpi};
use super::format::{Format, to_odd};
use super::{Gives, edges};
use std::f64::consts::PI;

/// Which numbers are drawn for an argument, beside some of every size and the special ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// From 2⁻⁶ to 2⁶ in size.
    Near,
    /// The same above zero.
    Above,
    /// From -1 to 1.
    Unit,
    /// Multiples of a quarter, and others, up to 100 in size.
    Turns,
    /// Of every size.
    Wide,
    /// From 2⁻⁶ to 2⁶ in size and nothing else: no infinities, NaNs, zeros.
    Plain,
    /// The same above zero.
    PlainAbove,
    /// As `Plain`, and zeros of either sign.
    Signed,
    /// As `Signed`, and infinities and the numbers at which a format ends.
    Ordered,
    /// As `Signed`, and ones, infinities and NaNs.
    Edges,
    /// As `Turns`, and integers below zero, zeros and the infinity above it: no other infinities and NaNs.
    Poles,
    /// From 0 to 1 and nothing else.
    Part,
    /// Of any size that squares of four may have, and nothing else.
    Finite,
    /// The same, and vectors with infinities and NaNs among them.
    Directed,
}

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Of each lane.
    Lanes,
    /// `x op y` of each lane, where one of them may be a scalar beside a vector.
    Operator,
    /// `op x` of each lane.
    Prefix,
    /// Of each lane, where the bits of the argument are taken as an unsigned integer.
    Bits,
    /// Of each lane, where the arguments from this one on may be scalars beside vectors.
    ScalarFrom(usize),
    /// Of each lane, where the arguments before this one may be scalars beside vectors.
    ScalarBefore(usize),
    /// Of vectors of up to four, giving a scalar.
    Whole,
    /// Of vectors of up to four, giving a vector.
    Vector,
    /// Of vectors of three or four.
    Cross,
}

/// What is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number of the format.
    Real,
    /// An `int`.
    Int,
}

/// The numbers that a function gets, of one lane; of a function of vectors, of all.
#[derive(Debug, Clone)]
pub struct Given {
    /// Their format.
    pub format: Format,
    /// The arguments, each a vector; those of a function of lanes have one.
    pub of: Vec<Vec<f64>>,
    /// The `int` that comes last, where there is one.
    pub n: i32,
    /// The lane that is asked of a function of vectors.
    pub lane: usize,
}

impl Given {
    fn at(&self, argument: usize) -> f64 {
        let lanes = self.of.get(argument);
        lanes
            .and_then(|lanes| lanes.first())
            .copied()
            .unwrap_or(0.0)
    }
    fn x(&self) -> f64 {
        self.at(0)
    }
    fn y(&self) -> f64 {
        self.at(1)
    }
    fn z(&self) -> f64 {
        self.at(2)
    }
    fn vector(&self, argument: usize) -> &[f64] {
        self.of.get(argument).map_or(&[], Vec::as_slice)
    }
    fn lanes(&self) -> f64 {
        self.vector(0).len() as f64
    }
    /// Whether no argument is zero, infinite or a NaN.
    fn ordinary(&self) -> bool {
        let mut all = self.of.iter().flatten();
        all.all(|x| x.is_finite() && *x != 0.0)
    }
    /// Whether some arguments are 0 and some -0.
    fn zeros_of_both_signs(&self) -> bool {
        let zero = |negative: bool| {
            let mut all = self.of.iter().flatten();
            all.any(|x| *x == 0.0 && x.is_sign_negative() == negative)
        };
        zero(false) && zero(true)
    }
    /// The greatest size of an argument's lane.
    fn largest(&self) -> f64 {
        self.of
            .iter()
            .flatten()
            .fold(0.0, |all, x| x.abs().max(all))
    }
}

/// A function.
pub struct Function {
    /// Its name, or operator.
    pub name: &'static str,
    /// How it is called.
    pub form: Form,
    /// Its arguments, each with what it may be.
    pub takes: &'static [Domain],
    /// An `int` comes last.
    pub takes_int: bool,
    /// The argument from which on two are in order, the lesser first, and how far they are apart at least.
    pub ordered: Option<(usize, f64)>,
    /// What it gives.
    pub gives: Type,
    /// What it stores where its last argument points.
    pub stores: Option<Type>,
    /// By how many units of the last place it may be wrong, of halves, floats and doubles of vectors of so many lanes;
    /// `None` where nothing is said of it, or nothing is asked here.
    pub ulps: fn(Format, f64) -> Option<f64>,
    /// What it is.
    pub of: fn(&Given) -> Gives,
    /// What it stores.
    pub stored: fn(&Given) -> Gives,
    /// What is looked at of an `int` that it gives or stores, where not all of it is known: an expression with `@` in place
    /// of the `int`s and `#` in place of their type.
    pub seen: &'static str,
}

const fn function(
    name: &'static str,
    takes: &'static [Domain],
    ulps: fn(Format, f64) -> Option<f64>,
    of: fn(&Given) -> Gives,
) -> Function {
    Function {
        name,
        form: Form::Lanes,
        takes,
        takes_int: false,
        ordered: None,
        gives: Type::Real,
        stores: None,
        ulps,
        of,
        stored: |_| Gives::Zero,
        seen: "@",
    }
}

impl Function {
    const fn with_int(self) -> Function {
        Function {
            takes_int: true,
            ..self
        }
    }
    const fn form(self, form: Form) -> Function {
        Function { form, ..self }
    }
    const fn ordered(self, from: usize, apart: f64) -> Function {
        Function {
            ordered: Some((from, apart)),
            ..self
        }
    }
    const fn gives(self, gives: Type) -> Function {
        Function { gives, ..self }
    }
    const fn seen(self, seen: &'static str) -> Function {
        Function { seen, ..self }
    }
    const fn stores(self, stores: Type, stored: fn(&Given) -> Gives) -> Function {
        Function {
            stores: Some(stores),
            stored,
            ..self
        }
    }
}

/// A function of one number: its value where that is prescribed exactly, else nearly ("Those values shall produce exactly
/// the prescribed answers, and no other").
fn near(given: &Given, value: f64) -> Gives {
    if value == 0.0 || !value.is_finite() {
        return Gives::Exactly(value);
    }
    let x = given.x();
    if value == 1.0 && x == 0.0 {
        return Gives::Exactly(value);
    }
    Gives::Near(value)
}

/// The same of a function that becomes too small for any number.
fn falling(given: &Given, value: f64) -> Gives {
    match value == 0.0 && given.ordinary() {
        true => Gives::Near(value),
        false => near(given, value),
    }
}

/// The same where no value is prescribed at 0.
fn open(given: &Given, value: f64) -> Gives {
    match falling(given, value) {
        Gives::Exactly(1.0) => Gives::Near(1.0),
        gives => gives,
    }
}

/// A power, which is exactly 1 where the text says so.
fn power(given: &Given, value: f64, exponent: f64) -> Gives {
    let x = given.x();
    if value == 1.0 && (exponent == 0.0 || exponent.is_infinite() || x == 1.0) {
        return Gives::Exactly(value);
    }
    falling(given, value)
}

/// A row of a function of one number, of two, and of two whose value may be too small.
macro_rules! near {
    ($f:expr) => {
        |given| near(given, ($f)(given.x()))
    };
    ($f:expr, 2) => {
        |given| near(given, ($f)(given.x(), given.y()))
    };
    ($f:expr, falling) => {
        |given| falling(given, ($f)(given.x()))
    };
    ($f:expr, falling 2) => {
        |given| falling(given, ($f)(given.x(), given.y()))
    };
}
macro_rules! exact {
    ($f:expr) => {
        |given| Gives::Exactly(($f)(given.x()))
    };
    ($f:expr, 2) => {
        |given| Gives::Exactly(($f)(given.x(), given.y()))
    };
}
/// Units of the last place: of halves, of floats and doubles.
macro_rules! ulps {
    ($half:expr, $others:expr) => {
        |format, _| match format {
            Format::Half => Some($half),
            Format::Float | Format::Double => Some($others),
        }
    };
    ($half:expr, $float:expr, $double:expr) => {
        |format, _| match format {
            Format::Half => Some($half),
            Format::Float => Some($float),
            Format::Double => Some($double),
        }
    };
}
/// None at all.
const NONE: fn(Format, f64) -> Option<f64> = |_, _| Some(0.0);
/// Of floats alone, so many.
macro_rules! floats {
    ($ulps:expr) => {
        |format, _| (format == Format::Float).then_some($ulps)
    };
}
/// The functions with only so many bits right.
const ROUGH: f64 = 8192.0;

/// Sums, products and the like, rounded once.
fn rounded(given: &Given, float: fn(f32, f32) -> f32, wide: fn(f64, f64) -> f64) -> Gives {
    let (x, y) = (given.x(), given.y());
    Gives::Exactly(match given.format {
        Format::Float => float(x as f32, y as f32).into(),
        Format::Half | Format::Double => wide(x, y),
    })
}

/// The greater or lesser of two numbers.
fn greater(given: &Given, sign: f64) -> Gives {
    extreme(given.x(), given.y(), sign).map_or(Gives::Zero, Gives::Exactly)
}

/// The one of two numbers whose size is greater, or lesser.
fn sized(given: &Given, sign: f64) -> Gives {
    let (x, y) = (given.x(), given.y());
    let more = (x.abs() - y.abs()) * sign;
    match (more > 0.0, more < 0.0) {
        (true, _) => Gives::Exactly(x),
        (_, true) => Gives::Exactly(y),
        _ => greater(given, sign),
    }
}

/// The length of a vector, without overflow.
fn length(vector: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = vector.clone().fold(0.0, |all: f64, x| all.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let exponent = libm::ilogb(largest);
    let scaled = vector.map(|x| libm::ldexp(x, -exponent));
    libm::ldexp(libm::sqrt(scaled.map(|x| x * x).sum()), exponent)
}

fn apart(given: &Given) -> f64 {
    let pairs = given.vector(0).iter().zip(given.vector(1));
    length(pairs.map(|(x, y)| x - y))
}

fn normal(given: &Given) -> Gives {
    let mut vector = given.vector(0).to_vec();
    if vector.iter().any(|x| x.is_nan()) {
        return Gives::Exactly(f64::NAN);
    }
    // "as if the elements in v were replaced": by ones, and zeros beside them.
    if vector.iter().any(|x| x.is_infinite()) {
        for x in &mut vector {
            *x = f64::from(x.is_infinite()).copysign(*x);
        }
    }
    let x = vector.get(given.lane).copied().unwrap_or(0.0);
    match length(vector.iter().copied()) {
        0.0 => Gives::Exactly(x),
        size => Gives::Near(x / size),
    }
}

/// `lgamma`: "Undefined" is what it may be wrong by, but not what C99 prescribes (F.9.5.3).
fn log_gamma(given: &Given) -> Gives {
    let x = given.x();
    match x {
        x if x.is_nan() => Gives::Exactly(x),
        1.0 | 2.0 => Gives::Exactly(0.0),
        x if x.is_infinite() || x <= 0.0 && x == x.trunc() => Gives::Exactly(f64::INFINITY),
        _ => Gives::Any,
    }
}

/// The sign of the gamma function, which is none where it has a pole; it turns at each integer below zero.
fn gamma_sign(x: f64) -> f64 {
    match x {
        x if x > 0.0 => 1.0,
        x if x == x.trunc() => 0.0,
        x if libm::fmod(x.floor(), 2.0) == 0.0 => 1.0,
        _ => -1.0,
    }
}

/// What floats may give, where of doubles and halves any value is allowed.
fn of_floats(given: &Given, gives: Gives) -> Gives {
    match given.format {
        Format::Float => gives,
        Format::Half | Format::Double => Gives::Any,
    }
}

/// The fraction of a number, below 1.
fn fraction(given: &Given) -> Gives {
    let x = given.x();
    if x.is_nan() {
        return Gives::Exactly(x);
    }
    if x.is_infinite() || x == 0.0 {
        return Gives::Exactly(0f64.copysign(x));
    }
    Gives::Exactly((x - x.floor()).min(1.0 - given.format.epsilon() / 2.0))
}

/// The number after one in the direction of another.
fn next(given: &Given) -> Gives {
    let (format, x, y) = (given.format, given.x(), given.y());
    if x.is_nan() || y.is_nan() {
        return Gives::Exactly(f64::NAN);
    }
    if x == y {
        return Gives::Exactly(y);
    }
    if x == 0.0 {
        let least = format.at(0x0000_0001).copysign(y);
        return match format {
            Format::Double => Gives::Exactly(least),
            // "a device may choose": the least normal number where others are flushed.
            Format::Half | Format::Float => {
                Gives::Between(least, format.least_normal().copysign(y))
            }
        };
    }
    let key = format.key(x) + if y > x { 1 } else { -1 };
    Gives::Exactly(format.at(key))
}

use Domain::*;

/// Every one.
pub static FUNCTIONS: &[Function] = &[
    function("acos", &[Unit], ulps!(2.0, 4.0), near!(libm::acos)),
    function("acosh", &[Above], ulps!(2.0, 4.0), near!(edges::acosh)),
    function(
        "acospi",
        &[Unit],
        ulps!(2.0, 5.0),
        near!(|x| libm::acos(x) / PI),
    ),
    function("asin", &[Unit], ulps!(2.0, 4.0), near!(libm::asin)),
    function("asinh", &[Near], ulps!(2.0, 4.0), near!(libm::asinh)),
    function(
        "asinpi",
        &[Unit],
        ulps!(2.0, 5.0),
        near!(|x| libm::asin(x) / PI),
    ),
    function("atan", &[Near], ulps!(2.0, 5.0), near!(libm::atan)),
    function("atanh", &[Unit], ulps!(2.0, 5.0), near!(libm::atanh)),
    function(
        "atanpi",
        &[Near],
        ulps!(2.0, 5.0),
        near!(|x| libm::atan(x) / PI),
    ),
    function(
        "atan2",
        &[Near, Near],
        ulps!(2.0, 6.0),
        near!(libm::atan2, falling 2),
    ),
    function(
        "atan2pi",
        &[Near, Near],
        ulps!(2.0, 6.0),
        near!(|y, x| libm::atan2(y, x) / PI, falling 2),
    ),
    function("cbrt", &[Wide], ulps!(2.0, 2.0), near!(libm::cbrt)),
    function("ceil", &[Turns], NONE, exact!(f64::ceil)),
    function("copysign", &[Wide, Near], NONE, exact!(f64::copysign, 2)),
    function("cos", &[Near], ulps!(2.0, 4.0), near!(libm::cos)),
    function("cosh", &[Near], ulps!(2.0, 4.0), near!(libm::cosh)),
    function("cospi", &[Turns], ulps!(2.0, 4.0), near!(cospi)),
    function("erf", &[Near], ulps!(4.0, 16.0), near!(libm::erf)),
    function("erfc", &[Near], ulps!(4.0, 16.0), |given| {
        open(given, libm::erfc(given.x()))
    }),
    function("exp", &[Near], ulps!(2.0, 3.0), near!(libm::exp, falling)),
    function("exp2", &[Near], ulps!(2.0, 3.0), near!(libm::exp2, falling)),
    function("exp10", &[Near], ulps!(2.0, 3.0), |given| {
        open(given, libm::exp10(given.x()))
    }),
    function("expm1", &[Near], ulps!(2.0, 3.0), near!(libm::expm1)),
    function("fabs", &[Wide], NONE, exact!(f64::abs)),
    function("fdim", &[Near, Near], NONE, |given| {
        match given.x() <= given.y() {
            true => Gives::Exactly(0.0),
            false => rounded(given, |x, y| x - y, |x, y| x - y),
        }
    }),
    function("floor", &[Turns], NONE, exact!(f64::floor)),
    function("fma", &[Near, Near, Near], NONE, |given| {
        let (x, y, z) = (given.x(), given.y(), given.z());
        Gives::Exactly(match given.format {
            Format::Half => to_odd(x * y, z),
            Format::Float => libm::fmaf(x as f32, y as f32, z as f32).into(),
            Format::Double => libm::fma(x, y, z),
        })
    }),
    function("fmax", &[Near, Near], NONE, |given| greater(given, 1.0)).form(Form::ScalarFrom(1)),
    function("fmin", &[Near, Near], NONE, |given| greater(given, -1.0)).form(Form::ScalarFrom(1)),
    function("fmod", &[Near, Near], NONE, exact!(libm::fmod, 2)),
    function(
        "hypot",
        &[Wide, Near],
        ulps!(2.0, 4.0),
        near!(libm::hypot, 2),
    ),
    function("ldexp", &[Near], NONE, |given| {
        Gives::Exactly(libm::ldexp(given.x(), given.n))
    })
    .with_int()
    .form(Form::ScalarFrom(1)),
    function("lgamma", &[Turns], NONE, log_gamma),
    function("log", &[Above], ulps!(2.0, 3.0), near!(libm::log)),
    function("log2", &[Above], ulps!(2.0, 3.0), near!(libm::log2)),
    function("log10", &[Above], ulps!(2.0, 3.0), near!(libm::log10)),
    function("log1p", &[Above], ulps!(2.0, 2.0), near!(libm::log1p)),
    function("logb", &[Wide], NONE, |given| {
        let x = given.x();
        Gives::Exactly(match x {
            0.0 => f64::NEG_INFINITY,
            x if !x.is_finite() => x.abs(),
            x => libm::ilogb(x).into(),
        })
    }),
    function("mad", &[Near, Near, Near], NONE, |given| {
        let (x, y, z) = (given.x() as f32, given.y() as f32, given.z() as f32);
        let between = Gives::Between(libm::fmaf(x, y, z).into(), (x * y + z).into());
        of_floats(given, between)
    }),
    function("maxmag", &[Near, Near], NONE, |given| sized(given, 1.0)),
    function("minmag", &[Near, Near], NONE, |given| sized(given, -1.0)),
    function("nan", &[Wide], NONE, |_| Gives::Exactly(f64::NAN)).form(Form::Bits),
    function("nextafter", &[Near, Near], NONE, next),
    function("pow", &[Near, Near], ulps!(4.0, 16.0), |given| {
        power(given, libm::pow(given.x(), given.y()), given.y())
    }),
    function("pown", &[Near], ulps!(4.0, 16.0), |given| match given.n {
        0 => Gives::Exactly(1.0),
        n => open(given, libm::pow(given.x(), n.into())),
    })
    .with_int(),
    function("powr", &[Above, Near], ulps!(4.0, 16.0), |given| {
        power(given, powr(given.x(), given.y()), given.y())
    }),
    function(
        "remainder",
        &[Near, Near],
        NONE,
        exact!(|x, y| libm::remquo(x, y).0, 2),
    ),
    function("rint", &[Turns], NONE, exact!(f64::round_ties_even)),
    function(
        "rootn",
        &[Wide],
        |format, _| match format {
            Format::Half => Some(4.0),
            Format::Float => Some(16.0),
            Format::Double => Some(16.0),
        },
        |given| near(given, rootn(given.x(), given.n)),
    )
    .with_int(),
    function("round", &[Turns], NONE, exact!(f64::round)),
    function(
        "rsqrt",
        &[PlainAbove],
        ulps!(1.0, 2.0),
        near!(|x: f64| 1.0 / libm::sqrt(x)),
    ),
    function("sin", &[Near], ulps!(2.0, 4.0), near!(libm::sin)),
    function("sinh", &[Near], ulps!(2.0, 4.0), near!(libm::sinh)),
    function("sinpi", &[Turns], ulps!(2.0, 4.0), near!(sinpi)),
    function(
        "sqrt",
        &[Above],
        ulps!(1.5, 3.0, 0.0),
        |given| match given.format {
            Format::Double => Gives::Exactly(libm::sqrt(given.x())),
            Format::Half | Format::Float => near(given, libm::sqrt(given.x())),
        },
    ),
    function("tan", &[Near], ulps!(2.5, 5.0), near!(libm::tan)),
    function("tanh", &[Near], ulps!(2.0, 5.0), near!(libm::tanh)),
    function("tanpi", &[Turns], ulps!(2.0, 6.0), near!(tanpi)),
    function(
        "tgamma",
        &[Near],
        ulps!(4.0, 16.0),
        near!(libm::tgamma, falling),
    ),
    function("trunc", &[Turns], NONE, exact!(f64::trunc)),
    // Those that store something, too.
    function("fract", &[Near], NONE, fraction).stores(Type::Real, exact!(f64::floor)),
    function("frexp", &[Wide], NONE, |given| {
        Gives::Exactly(parts(given.x()).0)
    })
    .stores(Type::Int, |given| Gives::Exactly(parts(given.x()).1.into())),
    function("lgamma_r", &[Poles], NONE, log_gamma)
        .stores(Type::Int, exact!(gamma_sign))
        .seen("clamp(@, -1, 1)"),
    function(
        "modf",
        &[Near],
        NONE,
        exact!(|x: f64| match x.is_infinite() {
            true => 0f64.copysign(x),
            false => (x - x.trunc()).copysign(x),
        }),
    )
    .stores(Type::Real, exact!(f64::trunc)),
    function(
        "remquo",
        &[Near, Near],
        NONE,
        exact!(|x, y| remquo(x, y).0, 2),
    )
    .stores(Type::Int, exact!(|x, y| f64::from(remquo(x, y).1), 2))
    // Of a quotient the lowest seven bits are known, and its sign.
    .seen("@ % 128"),
    function("sincos", &[Near], ulps!(2.0, 4.0), near!(libm::sin))
        .stores(Type::Real, near!(libm::cos)),
    function(
        "ilogb",
        &[Wide],
        NONE,
        exact!(|x: f64| match x.is_finite() && x != 0.0 {
            true => f64::from(libm::ilogb(x)),
            false => f64::from(i32::MIN),
        }),
    )
    .gives(Type::Int)
    // What zeros, NaNs and infinities give is looked at as one.
    .seen("(@ == FP_ILOGB0 || @ == FP_ILOGBNAN || @ == INT_MAX) ? (#)(INT_MIN) : @"),
    // Operators.
    function("+", &[Near, Near], NONE, |given| {
        rounded(given, |x, y| x + y, |x, y| x + y)
    })
    .form(Form::Operator),
    function("-", &[Near, Near], NONE, |given| {
        rounded(given, |x, y| x - y, |x, y| x - y)
    })
    .form(Form::Operator),
    function("*", &[Near, Near], NONE, |given| {
        rounded(given, |x, y| x * y, |x, y| x * y)
    })
    .form(Form::Operator),
    function(
        "/",
        &[Near, Near],
        ulps!(1.0, 2.5, 0.0),
        |given| match given.format {
            Format::Double => Gives::Exactly(given.x() / given.y()),
            Format::Half | Format::Float => falling(given, given.x() / given.y()),
        },
    )
    .form(Form::Operator),
    function("-", &[Wide], NONE, exact!(|x: f64| -x)).form(Form::Prefix),
    function("+", &[Wide], NONE, exact!(|x: f64| x)).form(Form::Prefix),
    // Common functions.
    function("clamp", &[Ordered, Ordered, Ordered], NONE, |given| {
        let value = given.x().max(given.y()).min(given.z());
        match value == 0.0 && given.zeros_of_both_signs() {
            true => Gives::Zero,
            false => Gives::Exactly(value),
        }
    })
    .ordered(1, 0.0)
    .form(Form::ScalarFrom(1)),
    function(
        "degrees",
        &[Near],
        ulps!(2.0, 2.0),
        near!(|x| x * (180.0 / PI)),
    ),
    function("max", &[Signed, Signed], NONE, |given| greater(given, 1.0)).form(Form::ScalarFrom(1)),
    function("min", &[Signed, Signed], NONE, |given| greater(given, -1.0))
        .form(Form::ScalarFrom(1)),
    function("mix", &[Part, Part, Part], NONE, |given| {
        let (x, y, part) = (given.x(), given.y(), given.z());
        of_floats(given, Gives::Within(x + (y - x) * part, 1e-3))
    })
    .form(Form::ScalarFrom(2)),
    function(
        "radians",
        &[Near],
        ulps!(2.0, 2.0),
        near!(|x| x * (PI / 180.0)),
    ),
    function(
        "step",
        &[Ordered, Ordered],
        NONE,
        exact!(|edge, x| f64::from(x >= edge), 2),
    )
    .form(Form::ScalarBefore(1)),
    function("smoothstep", &[Part, Part, Part], NONE, |given| {
        let (first, second, x) = (given.x(), given.y(), given.z());
        let t = ((x - first) / (second - first)).clamp(0.0, 1.0);
        of_floats(given, Gives::Within(t * t * (3.0 - 2.0 * t), 1e-5))
    })
    // Edges must differ; a quarter keeps what lies between from being of any size.
    .ordered(0, 0.25)
    .form(Form::ScalarBefore(2)),
    function(
        "sign",
        &[Near],
        NONE,
        exact!(|x: f64| match x {
            x if x.is_nan() => 0.0,
            x if x == 0.0 => x,
            x => 1f64.copysign(x),
        }),
    ),
    // Geometric functions.
    function("dot", &[Signed, Signed], NONE, |given| {
        let pairs = given.vector(0).iter().zip(given.vector(1));
        let dot = pairs.map(|(x, y)| x * y).sum();
        within(dot, allowed(given, 2.0 * given.lanes() - 1.0))
    })
    .form(Form::Whole),
    function("cross", &[Signed, Signed], NONE, |given| {
        let (x, y) = (given.vector(0), given.vector(1));
        if given.lane > 2 {
            return Gives::Zero;
        }
        let at = |of: &[f64], more: usize| of.get((given.lane + more) % 3).copied().unwrap_or(0.0);
        let cross = at(x, 1) * at(y, 2) - at(x, 2) * at(y, 1);
        within(cross, allowed(given, 3.0))
    })
    .form(Form::Cross),
    function(
        "length",
        &[Finite],
        |format, n| {
            Some(match format {
                Format::Half => 0.25 + 0.5 * n,
                Format::Float => 2.75 + 0.5 * n,
                Format::Double => 5.5 + n,
            })
        },
        |given| near(given, length(given.vector(0).iter().copied())),
    )
    .form(Form::Whole),
    function(
        "distance",
        &[Finite, Finite],
        |format, n| {
            Some(match format {
                Format::Half => 2.0 * n,
                Format::Float => 2.5 + 2.0 * n,
                Format::Double => 5.5 + 2.0 * n,
            })
        },
        |given| near(given, apart(given)),
    )
    .form(Form::Whole),
    function(
        "normalize",
        &[Directed],
        |format, n| {
            Some(match format {
                Format::Half => 1.0 + n,
                Format::Float => 2.0 + n,
                Format::Double => 4.5 + n,
            })
        },
        normal,
    )
    .form(Form::Vector),
    function(
        "fast_length",
        &[Plain],
        |format, n| (format == Format::Float).then_some(ROUGH + n),
        |given| near(given, length(given.vector(0).iter().copied())),
    )
    .form(Form::Whole),
    function(
        "fast_distance",
        &[Plain, Plain],
        |format, n| (format == Format::Float).then_some(ROUGH + 2.0 * n),
        |given| near(given, apart(given)),
    )
    .form(Form::Whole),
    function(
        "fast_normalize",
        &[Plain],
        |format, n| (format == Format::Float).then_some(ROUGH + n),
        normal,
    )
    .form(Form::Vector),
    // Rough ones.
    function("half_cos", &[Signed], floats!(ROUGH), near!(libm::cos)),
    function(
        "half_divide",
        &[Plain, Plain],
        floats!(ROUGH),
        near!(|x, y| x / y, 2),
    ),
    function("half_exp", &[Edges], floats!(ROUGH), near!(libm::exp)),
    function("half_exp2", &[Edges], floats!(ROUGH), near!(libm::exp2)),
    function("half_exp10", &[Edges], floats!(ROUGH), |given| {
        open(given, libm::exp10(given.x()))
    }),
    function("half_log", &[Edges], floats!(ROUGH), near!(libm::log)),
    function("half_log2", &[Edges], floats!(ROUGH), near!(libm::log2)),
    function("half_log10", &[Edges], floats!(ROUGH), near!(libm::log10)),
    function("half_powr", &[Edges, Edges], floats!(ROUGH), |given| {
        power(given, powr(given.x(), given.y()), given.y())
    }),
    function(
        "half_recip",
        &[Plain],
        floats!(ROUGH),
        near!(|x: f64| 1.0 / x),
    ),
    function(
        "half_rsqrt",
        &[PlainAbove],
        floats!(ROUGH),
        near!(|x| 1.0 / libm::sqrt(x)),
    ),
    function("half_sin", &[Signed], floats!(ROUGH), near!(libm::sin)),
    function("half_sqrt", &[Edges], floats!(ROUGH), near!(libm::sqrt)),
    function("half_tan", &[Signed], floats!(ROUGH), near!(libm::tan)),
];

/// A number that may be wrong by so much; of zeros alone a zero of either sign.
fn within(value: f64, error: f64) -> Gives {
    match error == 0.0 {
        true => Gives::Zero,
        false => Gives::Within(value, error),
    }
}

/// What a sum of products may be wrong by: of doubles, too, the table speaks of FLT_EPSILON.
fn allowed(given: &Given, operations: f64) -> f64 {
    let epsilon = match given.format {
        Format::Half => Format::Half.epsilon(),
        Format::Float | Format::Double => Format::Float.epsilon(),
    };
    given.largest() * given.largest() * operations * epsilon
}

/// The mantissa and the exponent of a number.
fn parts(x: f64) -> (f64, i32) {
    match x.is_finite() && x != 0.0 {
        true => libm::frexp(x),
        false => (x, 0),
    }
}
