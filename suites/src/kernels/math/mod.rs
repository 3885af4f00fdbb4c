//! Functions of numbers with a fraction: what the specification lets each of them give.
//!
//! [`format`] knows the numbers of each precision, [`functions`] the functions with their bounds and what they are of
//! real numbers, and [`Bounds`] says which bits are right ("Relative Error as ULPs", "Edge Case Behavior").

mod edges;
pub(super) mod format;
pub(super) mod functions;
#[cfg(test)]
mod tests;

use crate::host::check::Bounds;
use format::Format;

/// What a function gives of real numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gives {
    /// This number, which the format has, or the nearest one that it has: no error is allowed. A zero has its sign.
    Exactly(f64),
    /// A number as near to this as the bound of the function says, in units of the last place.
    Near(f64),
    /// A number at most so far from this.
    Within(f64, f64),
    /// One of two numbers, or one between.
    Between(f64, f64),
    /// Zero, of either sign.
    Zero,
    /// Anything: nothing is said of it, or the implementation says it.
    Any,
}

/// How far a number of the reference may be from the true value, in units of the last place of a `double`: the
/// functions of the library that computes them are within one or two, and some here are made of two of these.
const REFERENCE: f64 = 3.0;

/// The bits that are right where a function that may be wrong by so many units of the last place gives this. Numbers
/// that are not normal may be flushed to zero, but those of `double`.
pub fn bounds(format: Format, ulps: f64, gives: Gives) -> Bounds {
    let (value, error) = match gives {
        Gives::Exactly(value) => return exactly(format, value),
        Gives::Zero => {
            return Bounds {
                zero: true,
                ..exactly(format, 0.0)
            };
        }
        Gives::Any => {
            return Bounds {
                low: -i64::MAX,
                high: i64::MAX,
                zero: true,
                nan: true,
            };
        }
        Gives::Between(one, other) => {
            let [one, other] = [one, other].map(|value| exactly(format, value));
            let bounds = Bounds {
                low: one.low.min(other.low),
                high: one.high.max(other.high),
                zero: one.zero || other.zero,
                nan: one.nan || other.nan,
            };
            return bounds;
        }
        Gives::Near(value) => {
            let ulps = match format {
                Format::Double => ulps + REFERENCE,
                Format::Half | Format::Float => ulps,
            };
            (value, ulps * format.ulp(value))
        }
        Gives::Within(value, error) => (value, error),
    };
    if value.is_nan() || value.is_infinite() {
        return exactly(format, value);
    }
    let (low, high) = (format.up(value - error), format.down(value + error));
    let bounds = Bounds {
        low: format.key(low),
        high: format.key(high),
        zero: false,
        nan: false,
    };
    flushed(format, bounds, value.abs() - error < format.least_normal())
}

/// This number and no other, or any NaN where it is one.
pub fn only(format: Format, number: f64) -> Bounds {
    if number.is_nan() {
        return Bounds::NAN;
    }
    let key = format.key(number);
    Bounds {
        low: key,
        high: key,
        zero: false,
        nan: false,
    }
}

/// The nearest number to a value; any NaN for a NaN.
fn exactly(format: Format, value: f64) -> Bounds {
    flushed(
        format,
        only(format, format.nearest(value)),
        value != 0.0 && value.abs() < format.least_normal(),
    )
}

/// The same where a number so small that it is not normal may be given as a zero of either sign.
fn flushed(format: Format, bounds: Bounds, small: bool) -> Bounds {
    let zero = bounds.zero || small && format != Format::Double;
    Bounds { zero, ..bounds }
}
