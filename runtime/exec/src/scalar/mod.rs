//! What each operation computes, on the bits of its operands.
//!
//! A value is 64 bits: those of the scalar, zero-extended. [`math`] has the
//! built-in functions, [`convert`] the conversions with their rounding.

pub(crate) mod convert;
pub(crate) mod integer;
pub(crate) mod math;
