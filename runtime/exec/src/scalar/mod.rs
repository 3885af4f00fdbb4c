//! What each operation computes, on the bits of its operands.
//!
//! A value is 64 bits: those of the scalar, zero-extended. [`math`] has the
//! built-in functions (on values they are in `float` and [`integer`]), [`convert`] the conversions with their rounding,
//! [`join`] the operations of collective functions.

/// Defines functions of one expression each: of operands of a type, with a result of it or of
/// another type.
macro_rules! functions {
    ($vis:vis $ty:ty: $($rows:tt)*) => {
        functions! { $vis $ty => $ty: $($rows)* }
    };
    ($vis:vis $ty:ty => $result:ty: $($name:ident($($arg:ident),*) = $value:expr;)*) => {$(
        $vis fn $name($($arg: $ty),*) -> $result {
            $value
        }
    )*};
}

#[cfg(test)]
mod accuracy;
pub(crate) mod convert;
mod float;
pub(crate) mod integer;
pub(crate) mod join;
pub(crate) mod math;
