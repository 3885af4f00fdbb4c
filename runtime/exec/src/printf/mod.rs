//! The text that a `printf` of a kernel writes (OpenCL C 6.15.14).
//!
//! | module | subject |
//! | --- | --- |
//! | [`directive`] | conversion specifications: flags, width, precision, vector specifier, length |
//! | [`number`] | integers and floats as text, whatever the locale of the process |
//!
//! Where the specification leaves a call undefined (an argument that is missing or of the wrong
//! kind, a conversion that does not exist, a text past [`LIMIT`]), the specification is copied as it
//! stands and the call fails.

mod directive;
mod number;

use directive::{Conversion, Directive};

/// Bytes that one call may write: what `CL_DEVICE_PRINTF_BUFFER_SIZE` has to be at least.
const LIMIT: usize = 1 << 20;

/// An argument after the format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Elements of an integer type of so many bits, zero-extended.
    Ints { bits: u32, elements: Vec<u64> },
    /// Elements of a floating-point type.
    Floats(Vec<f64>),
    /// An address.
    Pointer(u64),
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Printed {
    /// What it writes.
    pub(crate) text: Vec<u8>,
    /// Whether the call is valid; `printf` gives 0 then.
    pub(crate) valid: bool,
}

/// Formats a call. `string` reads the string that the argument of a number points to, up to its
/// null character or so many bytes; None when it may not be read, which ends the call.
pub(crate) fn format(
    format: &[u8],
    values: &[Value],
    mut string: impl FnMut(usize, usize) -> Option<Vec<u8>>,
) -> Option<Printed> {
    let mut text = Vec::with_capacity(format.len());
    let mut valid = true;
    let mut next = 0;
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&c| c == b'%') {
        text.extend_from_slice(&rest[..percent]);
        rest = &rest[percent..];
        let (directive, after) = Directive::read(rest);
        let spelled = &rest[..rest.len() - after.len()];
        rest = after;
        let done = match directive {
            None => false,
            Some(Directive {
                conversion: Conversion::Percent,
                ..
            }) => {
                text.push(b'%');
                true
            }
            Some(directive) => {
                let number = next;
                next += 1;
                match (values.get(number), directive.conversion) {
                    (Some(&Value::Pointer(_)), Conversion::String) => {
                        let most = directive.precision.unwrap_or(LIMIT).min(LIMIT);
                        let read = string(number, most)?;
                        directive.pad(&mut text, &read);
                        true
                    }
                    (Some(value), _) => directive.write(&mut text, value),
                    (None, _) => false,
                }
            }
        };
        if !done {
            text.extend_from_slice(spelled);
            valid = false;
        }
        if text.len() > LIMIT {
            text.truncate(LIMIT);
            return Some(Printed { text, valid: false });
        }
    }
    text.extend_from_slice(rest);
    Some(Printed { text, valid })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(bits: u32, elements: &[i64]) -> Value {
        let mask = u64::MAX >> (64 - bits);
        Value::Ints {
            bits,
            elements: elements.iter().map(|&e| e as u64 & mask).collect(),
        }
    }

    fn printed(text: &str, values: &[Value]) -> (String, bool) {
        let printed = format(text.as_bytes(), values, |_, most| {
            Some(b"text"[..most.min(4)].to_vec())
        })
        .expect("strings can be read");
        let text = String::from_utf8(printed.text).expect("text");
        (text, printed.valid)
    }

    fn good(text: &str, values: &[Value]) -> String {
        let (out, valid) = printed(text, values);
        assert!(valid, "{text} is valid");
        out
    }

    /// The examples of the specification.
    #[test]
    fn vectors_print_as_in_the_specification() {
        let f = Value::Floats(vec![1.0, 2.0, 3.0, 4.0]);
        assert_eq!(good("f4 = %2.2v4hlf\n", &[f]), "f4 = 1.00,2.00,3.00,4.00\n");
        let uc = ints(8, &[0xfa, 0xfb, 0xfc, 0xfd]);
        assert_eq!(good("uc = %#v4hhx\n", &[uc]), "uc = 0xfa,0xfb,0xfc,0xfd\n");
    }

    #[test]
    fn integers_follow_flags_width_and_precision() {
        let n = |n: i64| [ints(32, &[n])];
        for (text, value, wanted) in [
            ("%d", -5, "-5"),
            ("%5d|", 42, "   42|"),
            ("%-5d|", 42, "42   |"),
            ("%05d", -42, "-0042"),
            ("%+d", 42, "+42"),
            ("% d", 42, " 42"),
            ("%+ d", 42, "+42"),
            ("%.3d", 5, "005"),
            ("%08.3d", 5, "     005"),
            ("%.0d|", 0, "|"),
            ("%u", -1, "4294967295"),
            ("%x", 255, "ff"),
            ("%#X", 255, "0XFF"),
            ("%#x", 0, "0"),
            ("%#08x", 255, "0x0000ff"),
            ("%o", 8, "10"),
            ("%#o", 8, "010"),
            ("%#.3o", 8, "010"),
            ("%#.0o", 0, "0"),
            ("%hhd", 0x1ff, "-1"),
            ("%hhu", 0x1ff, "255"),
            ("%hd", 0x1_8000, "-32768"),
            ("%c%%", 65, "A%"),
            ("%3c|", 65, "  A|"),
        ] {
            assert_eq!(good(text, &n(value)), wanted, "{text} of {value}");
        }
        assert_eq!(good("%ld", &[ints(64, &[i64::MIN])]), i64::MIN.to_string());
        assert_eq!(
            good("%lu %ld", &[ints(64, &[-1]), ints(32, &[-1])]),
            format!("{} -1", u64::MAX)
        );
        assert_eq!(good("%v3hd", &[ints(16, &[-1, 2, 3])]), "-1,2,3");
        assert_eq!(good("%p", &[Value::Pointer(0x1f0)]), "0x1f0");
    }

    #[test]
    fn floats_follow_flags_width_and_precision() {
        for (text, value, wanted) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 0.5, "0"),
            ("%.0f", 2.5, "2"),
            ("%.0f", 3.5, "4"),
            ("%.2f", 0.125, "0.12"),
            ("%#.0f", 1.0, "1."),
            ("%8.2f|", -1.0, "   -1.00|"),
            ("%08.2f", -1.0, "-0001.00"),
            ("%-8.2f|", 1.0, "1.00    |"),
            ("%+.1f", 1.0, "+1.0"),
            ("%e", 0.0, "0.000000e+00"),
            ("%.2e", 12345.0, "1.23e+04"),
            ("%.0e", 1e-300, "1e-300"),
            ("%#.0e", 1.0, "1.e+00"),
            ("%E", 1e10, "1.000000E+10"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1e6, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 0.0, "0"),
            ("%g", -0.0, "-0"),
            ("%.3g", 1234.5, "1.23e+03"),
            ("%.0g", 9.9, "1e+01"),
            ("%#g", 1.0, "1.00000"),
            ("%G", 1e-10, "1E-10"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.0, "0x0p+0"),
            ("%a", -10.5, "-0x1.5p+3"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%.0a", 2.5, "0x1p+1"),
            ("%.1a", 1.96875, "0x2.0p+0"),
            ("%.3A", 1.0, "0X1.000P+0"),
            ("%12a|", 1.0, "      0x1p+0|"),
            ("%012a", 1.0, "0x0000001p+0"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%f", f64::INFINITY, "inf"),
            ("%F", f64::NEG_INFINITY, "-INF"),
            ("%08f", f64::NAN, "     nan"),
            ("%.1100f", 0.0, &format!("0.{}", "0".repeat(1100))),
        ] {
            assert_eq!(
                good(text, &[Value::Floats(vec![value])]),
                wanted,
                "{text} of {value}"
            );
        }
        let long = good("%.70000f", &[Value::Floats(vec![0.5])]);
        assert_eq!(long.len(), 70_002);
    }

    #[test]
    fn strings_are_cut_at_the_precision() {
        let p = [Value::Pointer(1)];
        assert_eq!(good("[%s]", &p), "[text]");
        assert_eq!(good("[%6s]", &p), "[  text]");
        assert_eq!(good("[%-6.2s]", &p), "[te    ]");
    }

    #[test]
    fn undefined_calls_fail_and_say_what_was_asked() {
        let float = [Value::Floats(vec![1.0])];
        for (text, values) in [
            ("%d", &float[..]),
            ("%d", &[]),
            ("%k", &float[..]),
            ("%", &[]),
            ("%*d", &float[..]),
            ("%s", &float[..]),
            ("%n", &float[..]),
            ("%v5hld", &float[..]),
        ] {
            assert_eq!(printed(text, values), (text.to_owned(), false), "{text}");
        }
        let (text, valid) = printed("%4000000000d", &[ints(32, &[1])]);
        assert!(!valid && text.len() <= LIMIT);
    }

    #[test]
    fn a_string_that_cannot_be_read_ends_the_call() {
        assert_eq!(format(b"%s", &[Value::Pointer(1)], |_, _| None), None);
    }
}
