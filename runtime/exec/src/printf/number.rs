//! Magnitudes of finite floats as text, correctly rounded.

/// Digits after the point past which every `f64` has only zeros, and what the standard library
/// is asked for at most.
const MOST: usize = 1100;

/// `%f`.
pub(super) fn fixed(x: f64, precision: usize, point: bool) -> String {
    let known = precision.min(MOST);
    let mut text = format!("{x:.known$}");
    text.push_str(&"0".repeat(precision - known));
    if precision == 0 && point {
        text.push('.');
    }
    text
}

/// Digits (`d.ddd`) and exponent of `%e`.
fn scientific(x: f64, precision: usize) -> (String, i32) {
    let known = precision.min(MOST);
    let text = format!("{x:.known$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = format!("{digits}{}", "0".repeat(precision - known));
    (digits, exponent.parse().unwrap_or(0))
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// `%e`.
pub(super) fn exponent(x: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = scientific(x, precision);
    if precision == 0 && point {
        digits.push('.');
    }
    with_exponent(&digits, exponent)
}

/// `%g`: as `%f` or `%e`, without zeros at the end unless `point` keeps them.
pub(super) fn shortest(x: f64, precision: usize, point: bool) -> String {
    let significant = precision.max(1);
    let (digits, exponent) = scientific(x, significant - 1);
    let trimmed = |text: String| {
        if point {
            if text.contains('.') { text } else { text + "." }
        } else if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    };
    // P > X >= -4, where the exponent always fits: it is between -324 and 308.
    let before_point = i64::from(exponent) + 1;
    let after_point = significant as i64 - before_point;
    if after_point >= 0 && exponent >= -4 {
        trimmed(fixed(x, after_point as usize, false))
    } else {
        with_exponent(&trimmed(digits), exponent)
    }
}

/// `%a`: without a precision, as many digits as the value has.
pub(super) fn hexadecimal(x: f64, precision: Option<usize>, point: bool) -> String {
    const DIGITS: usize = 13;
    let bits = x.to_bits();
    let (exponent_bits, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let (mut mantissa, exponent) = match (exponent_bits, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (fraction, -1022),
        _ => (fraction | 1 << 52, exponent_bits as i64 - 1023),
    };
    if let Some(kept) = precision
        && kept < DIGITS
    {
        // To nearest, ties to even.
        let dropped = 4 * (DIGITS - kept) as u32;
        let (low, half) = (mantissa & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        mantissa >>= dropped;
        if low > half || low == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        mantissa <<= dropped;
    }
    let lead = mantissa >> 52;
    let mut digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    match precision {
        Some(precision) => {
            digits.truncate(precision);
            digits.push_str(&"0".repeat(precision - digits.len()));
        }
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{lead:x}{dot}{digits}p{sign}{}", exponent.unsigned_abs())
}
