//! What numbers, characters and strings mean (C99 6.4.4, OpenCL C 6.1).

use crate::encoding::bytes_of;
use touchstone_faults::{Fault, on};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    Int {
        value: u64,
        /// Has `u`.
        unsigned: bool,
        /// Has `l`.
        long: bool,
        /// Written in base ten, so that its type is never chosen unsigned.
        decimal: bool,
    },
    Float {
        /// The value rounded to double.
        value: f64,
        /// The value rounded once to float.
        single: f32,
        suffix: FloatSuffix,
    },
}

impl Literal {
    /// What stands for a number that is wrong.
    pub(crate) const ZERO: Self = Self::Int {
        value: 0,
        unsigned: false,
        long: false,
        decimal: true,
    };
}

/// What follows a floating constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatSuffix {
    None,
    Single,
    Half,
}

/// Reads a preprocessing number.
pub(crate) fn number(text: &str) -> Result<Literal, String> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.strip_prefix("0x");
    let float = match hex {
        Some(digits) => digits.contains(['.', 'p']),
        None => lower.contains(['.', 'e']) && !lower.starts_with("0b"),
    };
    if float {
        return floating(text, &lower, hex);
    }
    let (digits, base, decimal) = match (hex, lower.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16, false),
        (None, Some(digits)) => (digits, 2, false),
        (None, None) if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8, false),
        (None, None) => (lower.as_str(), 10, true),
    };
    let end = digits
        .find(|c: char| !c.is_digit(if base == 8 { 10 } else { base }))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let octal_zero = base == 8 && digits.is_empty();
    if digits.is_empty() && !octal_zero {
        return Err(format!("`{text}` is not a number: it has no digits"));
    }
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return Err(format!("`{text}` is not a number: bad suffix `{suffix}`")),
    };
    if let Some(c) = digits.chars().find(|c| !c.is_digit(base)) {
        return Err(format!("`{text}` is not a number: `{c}` is no octal digit"));
    }
    let digits = if octal_zero { "0" } else { digits };
    let value = u64::from_str_radix(digits, base)
        .map_err(|_| format!("`{text}` does not fit in 64 bits"))?;
    Ok(Literal::Int {
        value,
        unsigned,
        long,
        decimal: decimal || on(Fault::HexadecimalSigned),
    })
}

fn floating(text: &str, lower: &str, hex: Option<&str>) -> Result<Literal, String> {
    let (body, suffix) = match (hex, lower.as_bytes().last()) {
        (_, Some(b'f')) if hex.is_none() || lower.contains('p') => {
            (&lower[..lower.len() - 1], FloatSuffix::Single)
        }
        (_, Some(b'h')) => (&lower[..lower.len() - 1], FloatSuffix::Half),
        _ => (lower, FloatSuffix::None),
    };
    let plain = body
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-'));
    let read = || plain.then_some((body.parse().ok()?, body.parse().ok()?));
    let read = if hex.is_some() {
        hex_float(&body[2..])
    } else {
        read()
    };
    let (value, single) = read.ok_or_else(|| format!("`{text}` is not a number"))?;
    Ok(Literal::Float {
        value,
        single,
        suffix,
    })
}

/// `h.hhhp±d`, rounded to nearest even for each width.
fn hex_float(text: &str) -> Option<(f64, f32)> {
    let (mantissa, exponent) = text.split_once('p')?;
    let exponent: i64 = exponent.parse::<i64>().ok()?.clamp(-100_000, 100_000);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // 60 bits of mantissa and a sticky bit decide every rounding.
    let (mut bits, mut shift, mut sticky) = (0u64, 0i64, false);
    for (i, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let after_point = i >= whole.len();
        if bits >> 58 == 0 {
            bits = bits << 4 | digit;
            shift -= i64::from(after_point) * 4;
        } else {
            sticky |= digit != 0;
            shift += i64::from(!after_point) * 4;
        }
    }
    let exponent = exponent.checked_add(shift)?;
    let bits = bits << 1 | u64::from(sticky);
    let exponent = exponent - 1;
    Some((
        f64::from_bits(round(bits, exponent, 53, 1024)),
        f32::from_bits(u32::try_from(round(bits, exponent, 24, 128)).ok()?),
    ))
}

/// The bits of the float nearest to `bits × 2^exponent`, with `precision` bits of mantissa and
/// exponents below `limit`.
fn round(bits: u64, exponent: i64, precision: i64, limit: i64) -> u64 {
    if bits == 0 {
        return 0;
    }
    let width = 64 - i64::from(bits.leading_zeros());
    let top = exponent + width - 1;
    let lowest = 2 - limit;
    // Subnormals have fewer bits.
    let keep = if top < lowest {
        precision - (lowest - top)
    } else {
        precision
    };
    if keep < 0 {
        return 0;
    }
    let drop = width - keep;
    let mut mantissa = if drop <= 0 {
        bits << -drop
    } else if drop >= 64 {
        u64::from(bits > 1 << 63)
    } else {
        let kept = bits.checked_shr(drop as u32).unwrap_or(0);
        let rest = bits & ((1u64 << drop) - 1);
        let half = 1u64 << (drop - 1);
        kept + u64::from(rest > half || (rest == half && kept & 1 == 1))
    };
    let mut top = top;
    if mantissa >> precision != 0 {
        mantissa >>= 1;
        top += 1;
    }
    let field = precision - 1;
    if top >= limit {
        return ((2 * limit - 1) as u64) << field;
    }
    if top < lowest {
        // A carry into the lowest normal number comes out right by itself.
        return mantissa;
    }
    let biased = (top + limit - 1) as u64;
    (biased << field) | (mantissa & ((1 << field) - 1))
}

/// The value of a character constant, an `int`.
pub(crate) fn char_constant(text: &str) -> Result<i32, String> {
    let bytes = unescape(&text[1..text.len() - 1])?;
    match bytes.as_slice() {
        [byte] => Ok(i32::from(*byte as i8)),
        [] => Err("a character is expected between the quotes".to_owned()),
        _ => Err("a character constant holds one character".to_owned()),
    }
}

/// The bytes of a string constant, without the final zero.
pub(crate) fn string_constant(text: &str) -> Result<Vec<u8>, String> {
    unescape(&text[1..text.len() - 1])
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut bytes = bytes_of(text).into_iter().peekable();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(escape) = bytes.next() else {
            return Err("nothing follows this `\\`".to_owned());
        };
        out.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                let more = if on(Fault::OctalEscapeShort) { 1 } else { 2 };
                for _ in 0..more {
                    if let Some(d) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) {
                        value = value * 8 + u32::from(d - b'0');
                    }
                }
                u8::try_from(value).map_err(|_| "this escape is more than a byte".to_owned())?
            }
            b'x' => {
                let mut value = 0u32;
                let mut digits = 0;
                while let Some(d) = bytes.peek().and_then(|&b| (b as char).to_digit(16)) {
                    bytes.next();
                    digits += 1;
                    value = (value * 16 + d).min(0x1000);
                }
                match u8::try_from(value) {
                    Ok(byte) if digits > 0 => byte,
                    Ok(_) => return Err("`\\x` needs a hexadecimal digit".to_owned()),
                    Err(_) => return Err("this escape is more than a byte".to_owned()),
                }
            }
            _ => {
                return Err(format!("`\\{}` is not an escape of C", escape as char));
            }
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (u64, bool, bool) {
        match number(text).unwrap() {
            Literal::Int {
                value,
                unsigned,
                long,
                ..
            } => (value, unsigned, long),
            Literal::Float { .. } => panic!("{text} is a float"),
        }
    }

    fn float(text: &str) -> (f64, f32) {
        match number(text).unwrap() {
            Literal::Float { value, single, .. } => (value, single),
            Literal::Int { .. } => panic!("{text} is an integer"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int("0"), (0, false, false));
        assert_eq!(int("017"), (15, false, false));
        assert_eq!(int("0xFFu"), (255, true, false));
        assert_eq!(int("0b101"), (5, false, false));
        assert_eq!(int("18446744073709551615UL"), (u64::MAX, true, true));
        assert!(number("18446744073709551616").is_err());
        assert!(number("089").is_err());
        assert!(number("1x").is_err());
        assert!(number("0x").is_err());
    }

    #[test]
    fn floats() {
        assert_eq!(float("1.5"), (1.5, 1.5));
        assert_eq!(float("1e3f"), (1000.0, 1000.0));
        assert_eq!(float(".25"), (0.25, 0.25));
        assert_eq!(float("0x1.8p1"), (3.0, 3.0));
        assert_eq!(float("0x1p-149f").1, f32::from_bits(1));
        assert_eq!(float("0x1p-1074").0, f64::from_bits(1));
        assert_eq!(float("0x1.fffffep127f").1, f32::MAX);
        assert_eq!(float("0x1.fffffffffffffp1023").0, f64::MAX);
        assert_eq!(float("0x1p1024").0, f64::INFINITY);
        assert_eq!(float("0x1.fffffffp127").1, f32::INFINITY);
        // Half way between two floats, decided by a far digit.
        assert_eq!(float("0x1.0000010000000000000000000p0").1, 1.0);
        assert_eq!(
            float("0x1.0000010000000000000000001p0").1,
            f32::from_bits(0x3f80_0001)
        );
        assert!(number("1.0q").is_err());
        assert!(number("0x1.8").is_err());
        assert!(number("1e").is_err());
    }

    #[test]
    fn characters() {
        assert_eq!(char_constant("'a'").unwrap(), 97);
        assert_eq!(char_constant("'\\377'").unwrap(), -1);
        assert_eq!(char_constant("'\\x41'").unwrap(), 65);
        assert!(char_constant("''").is_err());
        assert!(char_constant("'ab'").is_err());
        assert!(char_constant("'\\q'").is_err());
        assert_eq!(string_constant("\"a\\n\\0\"").unwrap(), b"a\n\0");
    }
}
