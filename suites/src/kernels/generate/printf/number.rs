//! Types of numbers that kernels print: how they are named in formats and in OpenCL C, and what their bits are.

use super::super::builder::constant;
use super::convert::Conversion;
use crate::kernels::math::format::Format;

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// Its name in OpenCL C, and what makes a number of bits it.
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
    /// The length modifier of a scalar, and that of a vector.
    pub scalar: &'static str,
    pub vector: &'static str,
    pub fraction: bool,
}

const fn integer(
    name: &'static str,
    bits: u32,
    signed: bool,
    scalar: &'static str,
    vector: &'static str,
) -> Number {
    Number {
        name,
        bits,
        signed,
        scalar,
        vector,
        fraction: false,
    }
}

const fn real(name: &'static str, bits: u32, vector: &'static str) -> Number {
    Number {
        name,
        bits,
        signed: true,
        scalar: "",
        vector,
        fraction: true,
    }
}

pub(super) const SIGNED: [Number; 4] = [
    integer("int", 32, true, "", "hl"),
    integer("long", 64, true, "l", "l"),
    integer("char", 8, true, "hh", "hh"),
    integer("short", 16, true, "h", "h"),
];
pub(super) const UNSIGNED: [Number; 4] = [
    integer("uint", 32, false, "", "hl"),
    integer("ulong", 64, false, "l", "l"),
    integer("uchar", 8, false, "hh", "hh"),
    integer("ushort", 16, false, "h", "h"),
];
pub(super) const HALF: Number = real("half", 16, "h");
pub(super) const FLOAT: Number = real("float", 32, "hl");
pub(super) const DOUBLE: Number = real("double", 64, "l");

/// The texts of which each is right.
pub(super) fn printed(conversion: Conversion, of: Number, bits: u64) -> Vec<String> {
    match of.fraction {
        true => conversion.real(of.real(bits)).unwrap_or_default(),
        false => vec![conversion.integer(of.whole(bits))],
    }
}

impl Number {
    /// The bits of one, of a number that a `float` holds; of a `half`, of the nearest one or, where that is not normal, 1.
    pub fn bits_of(self, number: f64) -> u64 {
        match self.bits {
            64 => number.to_bits(),
            16 => {
                let near = Format::Half.nearest(number);
                let fits = near.is_infinite() == number.is_infinite();
                let number = match fits && !Format::Half.subnormal(near) {
                    true => near,
                    false => 1.0,
                };
                Format::Half.bits(number)
            }
            _ => u64::from((number as f32).to_bits()),
        }
    }

    pub fn real(self, bits: u64) -> f64 {
        match self.bits {
            16 => Format::Half.number(bits),
            64 => f64::from_bits(bits),
            _ => f64::from(f32::from_bits(bits as u32)),
        }
    }

    fn whole(self, bits: u64) -> i128 {
        let number = i128::from(bits);
        match self.signed && bits >> (self.bits - 1) & 1 == 1 {
            true => number - (1 << self.bits),
            false => number,
        }
    }

    /// One of the bits of a `long`.
    pub fn of(self, long: &str) -> String {
        match (self.fraction, self.bits) {
            (true, 64) => format!("as_double({long})"),
            (true, 16) => format!("as_half((ushort){long})"),
            (true, _) => format!("as_float((uint){long})"),
            (false, _) => format!("({}){long}", self.name),
        }
    }

    /// One that is known.
    pub fn literal(self, bits: u64) -> String {
        constant(self.name, bits)
    }
}
