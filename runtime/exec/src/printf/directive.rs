//! Conversion specifications.

use super::number;
use super::{LIMIT, Value};

/// What a specification does to its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    Signed,
    Unsigned(Base),
    /// A float, and whether letters are capitals.
    Float(Notation, bool),
    Character,
    String,
    Pointer,
    Percent,
}

/// How a float is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Fixed,
    Exponent,
    Shortest,
    Hexadecimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Octal,
    Decimal,
    /// Whether letters are capitals.
    Hexadecimal(bool),
}

/// A specification, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) left: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternative: bool,
    pub(super) zero: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
    /// Bits that the length modifier leaves of an integer.
    bits: u32,
    pub(super) conversion: Conversion,
}

impl Directive {
    /// Reads the specification that a text begins with; what follows it. None if there is no
    /// such specification.
    pub(super) fn read(text: &[u8]) -> (Option<Directive>, &[u8]) {
        let mut at = Cursor { rest: &text[1..] };
        let mut d = Directive {
            left: false,
            plus: false,
            space: false,
            alternative: false,
            zero: false,
            width: 0,
            precision: None,
            bits: 64,
            conversion: Conversion::Percent,
        };
        loop {
            match at.rest.first() {
                Some(b'-') => d.left = true,
                Some(b'+') => d.plus = true,
                Some(b' ') => d.space = true,
                Some(b'#') => d.alternative = true,
                Some(b'0') => d.zero = true,
                _ => break,
            }
            at.rest = &at.rest[1..];
        }
        d.width = at.number().unwrap_or(0);
        if at.takes(b".") {
            d.precision = Some(at.number().unwrap_or(0));
        }
        let lanes_known = !at.takes(b"v") || matches!(at.number(), Some(2 | 3 | 4 | 8 | 16));
        // The longer modifiers first. `ll`, `j`, `z`, `t` are reserved before OpenCL C 3.1.
        for (modifier, bits) in [
            (&b"hh"[..], 8),
            (b"hl", 32),
            (b"h", 16),
            (b"ll", 64),
            (b"l", 64),
            (b"j", 64),
            (b"z", 64),
            (b"t", 64),
        ] {
            if at.takes(modifier) {
                d.bits = bits;
                break;
            }
        }
        let Some((&c, rest)) = at.rest.split_first() else {
            return (None, at.rest);
        };
        d.conversion = match c {
            b'd' | b'i' => Conversion::Signed,
            b'o' => Conversion::Unsigned(Base::Octal),
            b'u' => Conversion::Unsigned(Base::Decimal),
            b'x' | b'X' => Conversion::Unsigned(Base::Hexadecimal(c == b'X')),
            b'f' | b'F' => Conversion::Float(Notation::Fixed, c == b'F'),
            b'e' | b'E' => Conversion::Float(Notation::Exponent, c == b'E'),
            b'g' | b'G' => Conversion::Float(Notation::Shortest, c == b'G'),
            b'a' | b'A' => Conversion::Float(Notation::Hexadecimal, c == b'A'),
            b'c' => Conversion::Character,
            b's' => Conversion::String,
            b'p' => Conversion::Pointer,
            b'%' => Conversion::Percent,
            _ => return (None, rest),
        };
        let fits = lanes_known && d.width <= LIMIT && d.precision.is_none_or(|p| p <= LIMIT);
        (fits.then_some(d), rest)
    }

    /// Writes a value; false if it is not of the kind that the conversion takes.
    pub(super) fn write(&self, out: &mut Vec<u8>, value: &Value) -> bool {
        match (self.conversion, value) {
            (Conversion::Signed, Value::Ints { bits, elements }) => {
                let from = *bits;
                self.list(out, elements, |out, &e| {
                    let n = sign_extended(sign_extended(e, from) as u64, self.bits);
                    let digits = self.digits(n.unsigned_abs().to_string());
                    self.number(out, self.sign(n < 0), &digits, self.precision.is_none());
                });
            }
            (Conversion::Unsigned(base), Value::Ints { elements, .. }) => {
                self.list(out, elements, |out, &e| {
                    let n = e & (u64::MAX >> (64 - self.bits));
                    self.unsigned(out, base, n);
                });
            }
            (Conversion::Float(notation, capital), Value::Floats(elements)) => {
                self.list(out, elements, |out, &x| {
                    self.float(out, notation, capital, x)
                });
            }
            (Conversion::Character, Value::Ints { elements, .. }) => match elements.as_slice() {
                [one] => self.pad(out, &[*one as u8]),
                _ => return false,
            },
            (Conversion::Pointer, Value::Pointer(address)) => {
                self.pad(out, format!("{address:#x}").as_bytes());
            }
            (Conversion::Percent, _)
            | (_, Value::Ints { .. } | Value::Floats(_) | Value::Pointer(_)) => return false,
        }
        true
    }

    /// Elements with commas between them, each in a field of its own.
    fn list<T>(&self, out: &mut Vec<u8>, elements: &[T], mut one: impl FnMut(&mut Vec<u8>, &T)) {
        for (i, element) in elements.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            one(out, element);
        }
    }

    fn unsigned(&self, out: &mut Vec<u8>, base: Base, n: u64) {
        let (prefix, digits) = match base {
            Base::Decimal => ("", n.to_string()),
            Base::Octal => ("", format!("{n:o}")),
            Base::Hexadecimal(false) => ("0x", format!("{n:x}")),
            Base::Hexadecimal(true) => ("0X", format!("{n:X}")),
        };
        let prefix = if self.alternative && n != 0 {
            prefix
        } else {
            ""
        };
        let mut digits = self.digits(digits);
        if self.alternative && base == Base::Octal && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        self.number(out, prefix, &digits, self.precision.is_none());
    }

    /// Digits brought to the precision; zero with a precision of zero has none.
    fn digits(&self, digits: String) -> String {
        match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(least) => format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len()))),
            None => digits,
        }
    }

    fn float(&self, out: &mut Vec<u8>, notation: Notation, capital: bool, x: f64) {
        let sign = self.sign(x.is_sign_negative());
        let (magnitude, point) = (x.abs(), self.alternative);
        let precision = self.precision.unwrap_or(6);
        let mut text = match notation {
            _ if x.is_nan() => "nan".to_owned(),
            _ if x.is_infinite() => "inf".to_owned(),
            Notation::Fixed => number::fixed(magnitude, precision, point),
            Notation::Exponent => number::exponent(magnitude, precision, point),
            Notation::Shortest => number::shortest(magnitude, precision, point),
            Notation::Hexadecimal => number::hexadecimal(magnitude, self.precision, point),
        };
        if capital {
            text.make_ascii_uppercase();
        }
        // Zeros go between the prefix of hexadecimal floats and their digits.
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let (prefix, digits) = text.split_at(if hexadecimal { 2 } else { 0 });
        self.number(out, &format!("{sign}{prefix}"), digits, x.is_finite());
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// A number in its field; zeros may fill it.
    fn number(&self, out: &mut Vec<u8>, prefix: &str, digits: &str, zeros: bool) {
        let mut text = prefix.to_owned();
        if self.zero && !self.left && zeros {
            let missing = self.width.saturating_sub(prefix.len() + digits.len());
            text.push_str(&"0".repeat(missing));
        }
        text.push_str(digits);
        self.pad(out, text.as_bytes());
    }

    /// A text in its field, with spaces around it.
    pub(super) fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let missing = std::iter::repeat_n(b' ', self.width.saturating_sub(text.len()));
        if self.left {
            out.extend_from_slice(text);
            out.extend(missing);
        } else {
            out.extend(missing);
            out.extend_from_slice(text);
        }
    }
}

/// The signed number in the low bits of a word.
fn sign_extended(word: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((word << unused) as i64) >> unused
}

struct Cursor<'t> {
    rest: &'t [u8],
}

impl Cursor<'_> {
    fn takes(&mut self, text: &[u8]) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A decimal number, if one is there; numbers past all limits stay past them.
    fn number(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        (digits > 0).then(|| {
            number.iter().fold(0usize, |n, c| {
                n.saturating_mul(10).saturating_add(usize::from(c - b'0'))
            })
        })
    }
}
