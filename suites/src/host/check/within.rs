//! Numbers with a fraction that lie between bounds.

use serde::{Deserialize, Serialize};

/// What numbers of an IEEE 754 format have to be, each in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    /// Bytes of a number: 2, 4 or 8.
    pub bytes: usize,
    /// What each has to be, and what it is the value of.
    pub numbers: Vec<Wanted>,
}

/// What a number has to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// What it is the value of, in a few words.
    pub of: String,
    /// What is right.
    pub right: Bounds,
}

/// The numbers that are right, by their places in the order of all numbers of the format: +0 is at place 0, the positive
/// ones follow by their bits, -0 is at place -1, and the negative ones go on downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least.
    pub low: i64,
    /// The greatest; below the least where only what follows is right.
    pub high: i64,
    /// So are zeros of either sign.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero: bool,
    /// So is any NaN.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nan: bool,
}

impl Bounds {
    /// A NaN, and nothing else.
    pub const NAN: Bounds = Bounds {
        low: 1,
        high: 0,
        zero: false,
        nan: true,
    };
}

/// The bits of a number's fraction in a format of so many bytes, and the bits that are its infinity.
fn format(bytes: usize) -> (u32, u64) {
    match bytes {
        2 => (10, 0x7c00),
        4 => (23, 0x7f80_0000),
        _ => (52, 0x7ff0_0000_0000_0000),
    }
}

/// A number as text: its bits and about what it is.
fn shown(bytes: usize, bits: u64) -> String {
    let (fraction, infinity) = format(bytes);
    let magnitude = bits & (u64::MAX >> (65 - 8 * bytes));
    let sign = if bits == magnitude { "" } else { "-" };
    let about = if magnitude > infinity {
        "a NaN".into()
    } else if magnitude == infinity {
        "infinite".into()
    } else {
        // The number of the format as a `f64` of the same value.
        let bias = (infinity >> fraction) as i32 / 2;
        let exponent = (magnitude >> fraction) as i32;
        let part = magnitude & ((1 << fraction) - 1);
        let whole = if exponent == 0 {
            part
        } else {
            part | 1 << fraction
        };
        let scale = exponent.max(1) - bias - fraction as i32;
        // In two steps, since the least powers of two are not normal.
        let value = whole as f64 * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2);
        format!("{value:.9e}")
    };
    format!("0x{bits:0width$x} ({sign}{about})", width = 2 * bytes)
}

/// The bits of the number at a place.
fn bits(bytes: usize, place: i64) -> u64 {
    let top = 1u64 << (8 * bytes - 1);
    match place < 0 {
        true => top | !place as u64,
        false => place as u64,
    }
}

fn is_right(bytes: usize, seen: u64, right: Bounds) -> bool {
    let (_, infinity) = format(bytes);
    let top = 1u64 << (8 * bytes - 1);
    let magnitude = seen & (top - 1);
    if magnitude > infinity {
        return right.nan;
    }
    let place = match seen & top != 0 {
        true => !(magnitude as i64),
        false => magnitude as i64,
    };
    right.zero && magnitude == 0 || (right.low..=right.high).contains(&place)
}

/// The first number that is wrong, in a sentence.
pub(super) fn check(name: &str, wanted: &Within, seen: &[u8]) -> Option<String> {
    let bytes = wanted.bytes;
    let numbers = seen.chunks_exact(bytes).map(|chunk| {
        let mut long = [0; 8];
        long[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(long)
    });
    let wrong = |(seen, wanted): &(u64, &Wanted)| !is_right(bytes, *seen, wanted.right);
    let (seen, Wanted { of, right }) = numbers.zip(&wanted.numbers).find(wrong)?;
    Some(format!(
        "{name}: {of} is {}, not {}",
        shown(bytes, seen),
        right_numbers(bytes, *right)
    ))
}

/// What is right, in words.
pub(in crate::host) fn right_numbers(bytes: usize, right: Bounds) -> String {
    let mut words = Vec::new();
    if right.low < right.high {
        let [low, high] = [right.low, right.high].map(|place| shown(bytes, bits(bytes, place)));
        words.push(format!("from {low} to {high}"));
    } else if right.low == right.high {
        words.push(shown(bytes, bits(bytes, right.low)));
    }
    if right.zero {
        words.push("a zero".into());
    }
    if right.nan {
        words.push("a NaN".into());
    }
    words.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_right_between_its_bounds_alone() {
        let one = 0x3f80_0000;
        let right = Bounds {
            low: one - 1,
            high: one + 1,
            zero: false,
            nan: false,
        };
        for (bits, is) in [
            (one - 2, false),
            (one - 1, true),
            (one + 1, true),
            (one + 2, false),
            (0xbf80_0000, false),
            (0x7fc0_0000, false),
            (0, false),
        ] {
            assert_eq!(is_right(4, bits as u64, right), is, "{bits:#x}");
        }
        let zero = Bounds {
            zero: true,
            ..right
        };
        assert!(is_right(4, 0, zero) && is_right(4, 0x8000_0000, zero));
        assert!(is_right(4, 0xffc0_0001, Bounds::NAN) && !is_right(4, 0x7f80_0000, Bounds::NAN));
        // -0 is not +0 where its sign is prescribed.
        let plus = Bounds {
            low: 0,
            high: 0,
            ..right
        };
        assert!(is_right(8, 0, plus) && !is_right(8, 1 << 63, plus));
    }

    #[test]
    fn the_sentence_names_what_was_asked_what_was_seen_and_what_is_right() {
        let wanted = Within {
            bytes: 2,
            numbers: vec![Wanted {
                of: "exp(0x0000)".into(),
                right: Bounds {
                    low: 0x3c00,
                    high: 0x3c01,
                    zero: false,
                    nan: false,
                },
            }],
        };
        assert_eq!(
            check("exp of half", &wanted, &0x3c01u16.to_le_bytes()),
            None
        );
        assert_eq!(
            check("exp of half", &wanted, &0xbc00u16.to_le_bytes()).as_deref(),
            Some(
                "exp of half: exp(0x0000) is 0xbc00 (-1.000000000e0), not from 0x3c00 (1.000000000e0) to 0x3c01 (1.000976562e0)"
            )
        );
    }
}
