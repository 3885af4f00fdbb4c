//! What a conversion of `printf` prints, by "printf Format String" of OpenCL C, whose words are those of C99.
//!
//! What the text leaves open comes as several texts of which each is right: how infinities and NaNs are written, the first digit
//! of a hexadecimal number, and whether the width is that of each element of a vector or of all.

/// Flags, in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub other: bool,
    pub zeros: bool,
}

/// A conversion specification but for its length modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    pub flags: Flags,
    pub width: usize,
    pub precision: Option<usize>,
    pub letter: char,
}

impl Conversion {
    /// As it is written, with a length modifier.
    pub fn text(self, modifier: &str) -> String {
        let flags = self.flags;
        let all = [
            (flags.left, '-'),
            (flags.plus, '+'),
            (flags.space, ' '),
            (flags.other, '#'),
            (flags.zeros, '0'),
        ];
        let mut text = "%".to_owned();
        text.extend(all.iter().filter(|(has, _)| *has).map(|(_, flag)| flag));
        if self.width > 0 {
            text += &self.width.to_string();
        }
        match self.precision {
            None => {}
            // "if only the period is specified, the precision is taken as zero"
            Some(0) if flags.left => text.push('.'),
            Some(precision) => text += &format!(".{precision}"),
        }
        text + modifier + &self.letter.to_string()
    }

    /// Without a width.
    pub fn bare(self) -> Conversion {
        Conversion { width: 0, ..self }
    }

    fn sign(self, negative: bool) -> &'static str {
        match (negative, self.flags.plus, self.flags.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// A text in the field; zeros may stand between what comes before the digits and these.
    fn padded(self, before: &str, digits: &str, zeros: bool) -> String {
        let length = before.len() + digits.len();
        let missing = self.width.saturating_sub(length);
        if self.flags.left {
            format!("{before}{digits}{}", " ".repeat(missing))
        } else if self.flags.zeros && zeros {
            format!("{before}{}{digits}", "0".repeat(missing))
        } else {
            format!("{}{before}{digits}", " ".repeat(missing))
        }
    }

    /// A text as it is.
    pub fn plain(self, text: &str) -> String {
        let most = self.precision.unwrap_or(text.len()).min(text.len());
        self.padded("", &text[..most], false)
    }

    /// An integer, which is not negative where the conversion is unsigned.
    pub fn integer(self, number: i128) -> String {
        let magnitude = number.unsigned_abs();
        let mut digits = match self.letter {
            'd' | 'i' | 'u' => format!("{magnitude}"),
            'o' => format!("{magnitude:o}"),
            'x' => format!("{magnitude:x}"),
            _ => format!("{magnitude:X}"),
        };
        if self.precision == Some(0) && magnitude == 0 {
            digits.clear();
        }
        let least = self.precision.unwrap_or(1);
        digits = "0".repeat(least.saturating_sub(digits.len())) + &digits;
        let signed = matches!(self.letter, 'd' | 'i');
        let mut before = match signed {
            true => self.sign(number < 0),
            false => "",
        };
        match self.letter {
            'o' if self.flags.other && !digits.starts_with('0') => digits.insert(0, '0'),
            'x' if self.flags.other && magnitude != 0 => before = "0x",
            'X' if self.flags.other && magnitude != 0 => before = "0X",
            _ => {}
        }
        self.padded(before, &digits, self.precision.is_none())
    }

    /// A number with a fraction: what is right of it, in the style of the conversion; none where that depends on how a
    /// number halfway between two is rounded.
    pub fn real(self, number: f64) -> Option<Vec<String>> {
        let sign = self.sign(number.is_sign_negative());
        let magnitude = number.abs();
        let cased = |text: String| match self.letter.is_uppercase() {
            true => text.to_uppercase(),
            false => text,
        };
        if magnitude.is_infinite() {
            let styles = ["inf", "infinity"].map(|text| cased(text.to_owned()));
            let each = styles.iter().map(|text| self.padded(sign, text, false));
            return Some(each.collect());
        }
        if number.is_nan() {
            // Its sign is nobody's business, and a field has room for what nobody knows.
            let signs = ["", "-", self.sign(false)];
            let texts = ["nan", "nan(*)"].map(|text| cased(text.to_owned()));
            let each = |sign: &&str| texts.clone().map(|text| format!("{sign}{text}"));
            let mut all: Vec<String> = signs.iter().flat_map(each).collect();
            all.sort();
            all.dedup();
            return (self.width == 0).then_some(all);
        }
        let precision = self.precision.unwrap_or(6);
        let all = match self.letter.to_ascii_lowercase() {
            'f' => vec![self.fixed(magnitude, precision)?],
            'e' => vec![self.scientific(magnitude, precision)?],
            'g' => vec![self.general(magnitude, precision)?],
            _ => return Some(self.hexadecimal(sign, magnitude)),
        };
        let each = all.into_iter();
        Some(
            each.map(|text| self.padded(sign, &cased(text), true))
                .collect(),
        )
    }

    fn fixed(self, magnitude: f64, precision: usize) -> Option<String> {
        let more = format!("{magnitude:.*}", precision + EXACT);
        let digits = more.len() - EXACT;
        not_halfway(&more[digits..])?;
        let text = format!("{magnitude:.precision$}");
        Some(self.point(text, precision))
    }

    /// With a point where it would end without one, and has to have it.
    fn point(self, text: String, precision: usize) -> String {
        match precision {
            0 if self.flags.other => text + ".",
            _ => text,
        }
    }

    fn scientific(self, magnitude: f64, precision: usize) -> Option<String> {
        let more = format!("{magnitude:.*e}", precision + EXACT);
        let (long, _) = more.split_once('e')?;
        not_halfway(&long[long.len() - EXACT..])?;
        let text = format!("{magnitude:.precision$e}");
        let (digits, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = self.point(digits.to_owned(), precision);
        Some(format!("{digits}e{sign}{:02}", exponent.abs()))
    }

    fn general(self, magnitude: f64, precision: usize) -> Option<String> {
        let precision = precision.max(1);
        let scientific = self.scientific(magnitude, precision - 1)?;
        let (_, exponent) = scientific.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let (digits, exponent) = if exponent >= -4 && exponent < precision as i32 {
            let after = (precision as i32 - 1 - exponent) as usize;
            (self.fixed(magnitude, after)?, String::new())
        } else {
            let (digits, exponent) = scientific.split_once('e')?;
            (digits.to_owned(), format!("e{exponent}"))
        };
        let digits = match digits.contains('.') && !self.flags.other {
            true => digits.trim_end_matches('0').trim_end_matches('.'),
            false => &digits,
        };
        Some(format!("{digits}{exponent}"))
    }

    /// Of a number that is normal or zero: where the first digit begins is open, and how many zeros end it where no
    /// precision is named. A precision is at least as long as the number.
    fn hexadecimal(self, sign: &str, magnitude: f64) -> Vec<String> {
        let [x, p] = match self.letter {
            'A' => ["0X", "P"],
            _ => ["0x", "p"],
        };
        let bits = magnitude.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let exponent = (bits >> 52) as i32 - 1023;
        let mut all = Vec::new();
        for shift in 0..4 {
            // Four bits before the point at most, the highest of which is the number's.
            let (first, rest, power) = match magnitude == 0.0 {
                true => (0, 0, 0),
                false => {
                    let whole = (1 << 52 | fraction) << shift;
                    (whole >> 52, whole & ((1 << 52) - 1), exponent - shift)
                }
            };
            let digits = format!("{rest:013x}");
            let least = digits.trim_end_matches('0').len();
            let lengths = match self.precision {
                Some(precision) => vec![precision],
                None => vec![least, least.max(6), 13],
            };
            for length in lengths {
                let digits = match length <= 13 {
                    true => digits[..length].to_owned(),
                    false => digits.clone() + &"0".repeat(length - 13),
                };
                let digits = match self.letter {
                    'A' => digits.to_uppercase(),
                    _ => digits,
                };
                let first = match self.letter {
                    'A' => format!("{first:X}"),
                    _ => format!("{first:x}"),
                };
                let point = match length == 0 && !self.flags.other {
                    true => "",
                    false => ".",
                };
                let before = format!("{sign}{x}");
                let number = format!("{first}{point}{digits}{p}{power:+}");
                let text = self.padded(&before, &number, true);
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        }
        all
    }

    /// The elements of a vector, each of which may be any of some texts, by a conversion without a width: the field is
    /// that of each element, or of all.
    pub fn vector(self, each: &[Vec<String>], bare: &[Vec<String>]) -> Vec<String> {
        let joined = |all: &[Vec<String>]| {
            let parts: Vec<String> = all.iter().map(|texts| one_of(texts)).collect();
            parts.join(",")
        };
        let single: Option<Vec<&str>> = bare
            .iter()
            .map(|texts| match &texts[..] {
                [text] => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let mut all = vec![joined(each)];
        if let Some(texts) = single.filter(|_| self.width > 0) {
            let whole = self.padded("", &texts.join(","), false);
            if !all.contains(&whole) {
                all.push(whole);
            }
        }
        all
    }
}

/// Digits beyond those that are printed by which a number halfway between two is known: a `float` has no more than 150
/// behind the point.
const EXACT: usize = 160;

/// Nothing where the digits that are left out are a half.
fn not_halfway(left: &str) -> Option<()> {
    let half = left.starts_with('5') && left[1..].bytes().all(|digit| digit == b'0');
    (!half).then_some(())
}

/// A pattern for any of some texts.
pub fn one_of(texts: &[String]) -> String {
    match texts {
        [text] => text.clone(),
        texts => format!("{{{}}}", texts.join("|")),
    }
}

#[cfg(test)]
mod tests;
