use super::*;

/// The conversion of a text such as `%+5.3d`.
fn conversion(text: &str) -> Conversion {
    let mut flags = Flags::default();
    let rest = text.trim_start_matches('%');
    let end = rest.find(|c| !"-+ #0".contains(c)).expect("a letter");
    for flag in rest[..end].chars() {
        match flag {
            '-' => flags.left = true,
            '+' => flags.plus = true,
            ' ' => flags.space = true,
            '#' => flags.other = true,
            _ => flags.zeros = true,
        }
    }
    let letter = text.chars().last().expect("a letter");
    let numbers = &rest[end..rest.len() - 1];
    let (width, precision) = match numbers.split_once('.') {
        Some((width, precision)) => (width, Some(precision.parse().unwrap_or(0))),
        None => (numbers, None),
    };
    Conversion {
        flags,
        width: width.parse().unwrap_or(0),
        precision,
        letter,
    }
}

/// What `printf` of C prints, as glibc does.
#[test]
fn integers_are_printed_as_c_says() {
    for (text, number, printed) in [
        ("%d", 0, "0"),
        ("%.0d", 0, ""),
        ("%+.0d", 0, "+"),
        ("% .0i", 0, " "),
        ("%5.3d", -7, " -007"),
        ("%-6d", 42, "42    "),
        ("%06d", -42, "-00042"),
        ("%06.2d", 4, "    04"),
        ("%-06d", 4, "4     "),
        ("%+ d", 4, "+4"),
        ("% d", i128::from(i64::MIN), "-9223372036854775808"),
        ("%#o", 8, "010"),
        ("%#.4o", 8, "0010"),
        ("%#o", 0, "0"),
        ("%#.0o", 0, "0"),
        ("%#x", 0, "0"),
        ("%#.0x", 0, ""),
        ("%#010X", 0xbeef, "0X0000BEEF"),
        ("%#10.6x", 0xbeef, "  0x00beef"),
        ("%u", i128::from(u64::MAX), "18446744073709551615"),
    ] {
        assert_eq!(
            conversion(text).integer(number),
            printed,
            "{text} of {number}"
        );
    }
}

#[test]
fn numbers_with_a_fraction_are_printed_as_c_says() {
    for (text, number, printed) in [
        ("%f", 1.5, "1.500000"),
        ("%.0f", 1.25, "1"),
        ("%#.0f", 1.25, "1."),
        ("%+09.2f", 4.141, "+00004.14"),
        ("%-9.1f", -0.0, "-0.0     "),
        ("%e", 0.0, "0.000000e+00"),
        ("%.3E", 123_456.0, "1.235E+05"),
        ("%#.0e", 1e-7, "1.e-07"),
        ("%.2e", 9.999e99, "1.00e+100"),
        ("%g", 100_000.0, "100000"),
        ("%g", 1_000_000.0, "1e+06"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.000_012_5, "1.25e-05"),
        ("%#g", 1.0, "1.00000"),
        ("%.3g", 0.125, "0.125"),
        ("%.0g", 7.0, "7"),
        ("%G", 1e-10, "1E-10"),
        ("%g", 0.0, "0"),
        ("%#.3g", 0.0, "0.00"),
    ] {
        let told = conversion(text).real(number);
        assert_eq!(told, Some(vec![printed.to_owned()]), "{text} of {number}");
    }
    // Where a half decides the text does not say how it is rounded.
    assert_eq!(conversion("%.0f").real(2.5), None);
    assert_eq!(conversion("%.2e").real(1.125), None);
    assert_eq!(conversion("%.1g").real(0.25), None);
}

#[test]
fn what_the_text_leaves_open_is_each_of_some_texts() {
    let of = |text: &str, number: f64| conversion(text).real(number).expect("texts");
    assert_eq!(of("%05f", f64::INFINITY), ["  inf", "infinity"]);
    assert_eq!(of("%-9G", f64::NEG_INFINITY), ["-INF     ", "-INFINITY"]);
    let one = of("%a", 1.5);
    for right in ["0x1.8p+0", "0x3p-1", "0xcp-3", "0x1.8000000000000p+0"] {
        assert!(one.contains(&right.to_owned()), "{right}: {one:?}");
    }
    assert!(of("%.3A", -0.75).contains(&"-0X1.800P-1".to_owned()));
    assert!(of("%012.1a", 2.0).contains(&"0x00001.0p+1".to_owned()));
    assert!(of("%a", 0.0).contains(&"0x0p+0".to_owned()));
}

#[test]
fn elements_of_vectors_are_joined_by_commas() {
    let conversion = conversion("%4d");
    let each = |c: Conversion| [1, -2].map(|n| vec![c.integer(n)]).to_vec();
    let all = conversion.vector(&each(conversion), &each(conversion.bare()));
    assert_eq!(all, ["   1,  -2", "1,-2"]);
    assert_eq!(conversion.text("v2hl"), "%4v2hld");
}

#[test]
fn texts_are_cut_and_padded() {
    assert_eq!(conversion("%-6s").plain("abc"), "abc   ");
    assert_eq!(conversion("%6.2s").plain("abc"), "    ab");
    assert_eq!(conversion("%.9s").plain("abc"), "abc");
}

#[test]
fn a_nan_has_any_sign_and_no_field() {
    let nan = |text: &str| conversion(text).real(f64::NAN);
    assert_eq!(
        nan("%+G"),
        Some(
            ["+NAN", "+NAN(*)", "-NAN", "-NAN(*)", "NAN", "NAN(*)"]
                .map(String::from)
                .into()
        )
    );
    assert_eq!(nan("%f").map(|all| all.len()), Some(4));
    assert_eq!(nan("%9e"), None);
}
