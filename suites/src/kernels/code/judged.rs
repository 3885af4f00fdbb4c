//! What says something of numbers with a fraction, or selects them and their bits, on the bits of the numbers, of each
//! precision ("Relational Functions", "Relational Operators", "Ternary Selection Operator").

use super::number::{Comparison, Integer, Type, UINT, ULONG, USHORT};
use super::real::{ANY, BEYOND, Domain, MIDDLE, NEAR, ONE, SMALL, ZERO};
use crate::kernels::math::format::Format;
use std::cmp::Ordering;

/// An operator or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// An operator of two numbers that says whether something holds.
    Compare(Comparison),
    /// A relational function, by its name.
    Relation(Relation),
    /// A number where a condition is wanted: "compares unequal to 0".
    Truth(Truth),
    /// `select`: the second number where the third argument, an integer, says so.
    Select { signed: bool },
    /// `c ? x : y`, written behind the two numbers.
    Choice,
    /// `bitselect`: the bits of the second number where the third has ones.
    Bitselect,
}

/// The unsigned type of the size of a format's numbers.
pub fn bits_of(format: Format) -> Integer {
    match format {
        Format::Half => USHORT,
        Format::Float => UINT,
        Format::Double => ULONG,
    }
}

impl Judged {
    /// The types of its arguments, and of what it gives: `int` of scalars, and of vectors the signed type of their
    /// elements' size.
    pub fn types(self, format: Format, lanes: u8) -> (Vec<Type>, Type) {
        let bits = bits_of(format).vector(lanes);
        let truth = bits.truth();
        match self {
            Judged::Compare(_) => (vec![bits; 2], truth),
            Judged::Relation(relation) if relation.takes_two() => (vec![bits; 2], truth),
            Judged::Truth(Truth::And | Truth::Or) => (vec![bits; 2], truth),
            Judged::Relation(_) | Judged::Truth(_) => (vec![bits], truth),
            Judged::Select { signed: false } => (vec![bits; 3], bits),
            Judged::Select { signed: true } | Judged::Choice => {
                (vec![bits, bits, bits.with(bits.of.signed())], bits)
            }
            Judged::Bitselect => (vec![bits; 3], bits),
        }
    }

    /// What its arguments may be, as bits of `float`s.
    pub fn domains(self, argument: usize) -> &'static [Domain] {
        match self {
            Judged::Compare(_) | Judged::Relation(_) => &[BEYOND, ONE, NEAR, ONE, ZERO, MIDDLE],
            Judged::Truth(_) => &[ZERO, BEYOND, ZERO, NEAR],
            Judged::Select { .. } | Judged::Choice if argument == 2 => &[SMALL, ANY, ZERO],
            Judged::Select { .. } | Judged::Choice => &[NEAR, MIDDLE, ZERO],
            // Of exponents of one domain all mixtures of bits are normal numbers, too.
            Judged::Bitselect if argument == 2 => &[NEAR, MIDDLE],
            Judged::Bitselect => &[NEAR],
        }
    }

    /// Whether an argument is the bits of a number, not an integer.
    pub fn takes_float(self, argument: usize) -> bool {
        !matches!(self, Judged::Select { .. } | Judged::Choice) || argument < 2
    }

    /// Its text with these numbers.
    pub fn form(self, format: Format, lanes: u8, [x, y, z]: [&str; 3]) -> String {
        let bits = bits_of(format).vector(lanes).name();
        match self {
            Judged::Compare(comparison) => format!("({x} {} {y})", comparison.text()),
            Judged::Relation(relation) if relation.takes_two() => {
                format!("{}({x}, {y})", relation.name())
            }
            Judged::Relation(relation) => format!("{}({x})", relation.name()),
            Judged::Truth(Truth::And) => format!("({x} && {y})"),
            Judged::Truth(Truth::Or) => format!("({x} || {y})"),
            Judged::Truth(Truth::Not) => format!("(!{x})"),
            Judged::Truth(Truth::Twice) => format!("(!!{x})"),
            Judged::Select { .. } => format!("as_{bits}(select({x}, {y}, {z}))"),
            Judged::Choice => format!("as_{bits}({z} ? {x} : {y})"),
            Judged::Bitselect => format!("as_{bits}(bitselect({x}, {y}, {z}))"),
        }
    }

    /// What it gives of the bits in a lane; `None` where the text leaves that open.
    pub fn lane(self, format: Format, lanes: u8, bits: [u64; 3]) -> Option<u64> {
        let (types, gives) = self.types(format, lanes);
        let [x, y] = [bits[0], bits[1]].map(|bits| format.number(bits));
        let numbers = [x, y, format.number(bits[2])].into_iter().enumerate();
        let mut numbers = numbers.take(types.len());
        if numbers.any(|(n, number)| self.takes_float(n) && format.subnormal(number)) {
            return None;
        }
        let truth = |holds: bool| bits_of(format).vector(lanes).truth_of(holds);
        let result = match self {
            Judged::Compare(comparison) => return Some(truth(compared(comparison, x, y))),
            Judged::Relation(relation) => return Some(truth(relation.holds(x, y))),
            Judged::Truth(of) => {
                let [x, y] = [x, y].map(|number| number != 0.0);
                return Some(truth(match of {
                    Truth::And => x && y,
                    Truth::Or => x || y,
                    Truth::Not => !x,
                    Truth::Twice => x,
                }));
            }
            Judged::Select { .. } | Judged::Choice => {
                // Of vectors the highest bit of a lane says it.
                let holds = match lanes {
                    1 => bits[2] != 0,
                    _ => bits[2] >> (gives.of.bits - 1) != 0,
                };
                bits[usize::from(holds != (self == Judged::Choice))]
            }
            Judged::Bitselect => (bits[0] & !bits[2]) | (bits[1] & bits[2]),
        };
        let number = format.number(result);
        (!number.is_nan() && !format.subnormal(number)).then_some(result)
    }
}

/// Where a number stands for whether it is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// `!x`.
    Not,
    /// `x && y`.
    And,
    /// `x || y`.
    Or,
    /// `!!x`. (What `?:` chooses by "can be a scalar or vector result except float".)
    Twice,
}

/// Every one.
pub const TRUTHS: [Truth; 4] = [Truth::Not, Truth::Twice, Truth::And, Truth::Or];

/// A relational function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Equal,
    Unequal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    LessOrGreater,
    Ordered,
    Unordered,
    Finite,
    Infinite,
    Nan,
    Normal,
    Sign,
}

/// Every one.
pub const RELATIONS: [Relation; 14] = {
    use Relation::*;
    [
        Equal,
        Nan,
        Unequal,
        Less,
        Finite,
        Greater,
        Ordered,
        Infinite,
        LessOrEqual,
        Normal,
        GreaterOrEqual,
        Sign,
        LessOrGreater,
        Unordered,
    ]
};

impl Relation {
    pub fn name(self) -> &'static str {
        match self {
            Relation::Equal => "isequal",
            Relation::Unequal => "isnotequal",
            Relation::Greater => "isgreater",
            Relation::GreaterOrEqual => "isgreaterequal",
            Relation::Less => "isless",
            Relation::LessOrEqual => "islessequal",
            Relation::LessOrGreater => "islessgreater",
            Relation::Ordered => "isordered",
            Relation::Unordered => "isunordered",
            Relation::Finite => "isfinite",
            Relation::Infinite => "isinf",
            Relation::Nan => "isnan",
            Relation::Normal => "isnormal",
            Relation::Sign => "signbit",
        }
    }

    pub fn takes_two(self) -> bool {
        !matches!(
            self,
            Relation::Finite
                | Relation::Infinite
                | Relation::Nan
                | Relation::Normal
                | Relation::Sign
        )
    }

    fn holds(self, x: f64, y: f64) -> bool {
        match self {
            Relation::Equal => x == y,
            Relation::Unequal => x != y,
            Relation::Greater => x > y,
            Relation::GreaterOrEqual => x >= y,
            Relation::Less => x < y,
            Relation::LessOrEqual => x <= y,
            Relation::LessOrGreater => x.partial_cmp(&y).is_some_and(Ordering::is_ne),
            Relation::Ordered => !x.is_nan() && !y.is_nan(),
            Relation::Unordered => x.is_nan() || y.is_nan(),
            Relation::Finite => x.is_finite(),
            Relation::Infinite => x.is_infinite(),
            Relation::Nan => x.is_nan(),
            // No argument is subnormal.
            Relation::Normal => x.is_finite() && x != 0.0,
            Relation::Sign => x.is_sign_negative(),
        }
    }
}

fn compared(comparison: Comparison, x: f64, y: f64) -> bool {
    match comparison {
        Comparison::Less => x < y,
        Comparison::LessOrEqual => x <= y,
        Comparison::Greater => x > y,
        Comparison::GreaterOrEqual => x >= y,
        Comparison::Equal => x == y,
        Comparison::Unequal => x != y,
    }
}
