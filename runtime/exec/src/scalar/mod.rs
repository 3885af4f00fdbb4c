//! What each operation computes, on the bits of its operands.
//!
//! A value is 64 bits: those of the scalar, zero-extended. [`math`] has the
//! built-in functions (on values they are in `float` and [`integer`]), [`convert`] the conversions with their rounding.

pub(crate) mod convert;
mod float;
pub(crate) mod integer;
pub(crate) mod math;
