//! The text itself: strings, lines, comments, and options of the build.

use crate::choices::Choices;
use crate::kernels::generate::pieces::Piece;

/// What stands for the number of a line, and for that of the next one.
const LINE: &str = "@line@";
const NEXT: &str = "@next@";

/// The text with lines' numbers in the places of what stands for them.
pub(super) fn numbered(source: &str) -> String {
    let lines = source.lines().enumerate().map(|(n, line)| {
        let line = line.replace(LINE, &(n + 1).to_string());
        line.replace(NEXT, &(n + 2).to_string()) + "\n"
    });
    lines.collect()
}

/// Strings of arguments: as they are written, each space between two tokens one, and with what they become.
pub(super) fn quoted(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.between(1, 999) as i64;
    let name = choices.one_of(&["x", "long_name", "KEPT"]);
    let (given, spelled) = choices.one_of(&[
        ("  a   +\tb ", "a + b"),
        ("a+b", "a+b"),
        ("f( 1,2 )", "f( 1,2 )"),
        ("\"q\\n\"", "\"q\\n\""),
        ("'\\''  \"\\\\\"", "'\\'' \"\\\\\""),
        ("a /* gone */ b", "a b"),
        ("- -1 / **p", "- -1 / **p"),
    ]);
    let at = choices.below(spelled.len());
    let length = spelled.len() as i64 + 1;
    let character = i64::from(spelled.as_bytes()[at]);
    let digits = number.to_string().len() as i64 + 1;
    let first = i64::from(number.to_string().as_bytes()[0]);
    Piece::about("strings of arguments")
        .before(format!("#define STRING{n}(x) #x"))
        .before(format!("#define BECOMES{n}(x) STRING{n}(x)"))
        .before(format!("#define NAMED{n}(x, y) # y"))
        .before(format!("#define NUMBER{n} {number}"))
        .inside(format!("constant char *text{n} = STRING{n}({given});"))
        .inside(format!("constant char *number{n} = BECOMES{n}(NUMBER{n});"))
        .gives(format!("sizeof(STRING{n}({given}))"), length)
        .gives(format!("text{n}[{at}]"), character)
        .gives(format!("text{n}[{}]", length - 1), 0)
        .gives(
            format!("sizeof(STRING{n}(NUMBER{n}))"),
            format!("NUMBER{n}").len() as i64 + 1,
        )
        .gives(format!("sizeof(BECOMES{n}(NUMBER{n}))"), digits)
        .gives(format!("number{n}[0]"), first)
        .gives(
            format!("sizeof(NAMED{n}(, NUMBER{n}_{name}))"),
            format!("NUMBER{n}_{name}").len() as i64 + 1,
        )
        .gives(format!("sizeof(STRING{n}())"), 1)
}

/// Lines that go on with the next, between tokens and within them.
pub(super) fn continued(choices: &mut Choices, n: usize) -> Piece {
    let [a, b] = [(); 2].map(|()| choices.between(10, 99) as i64);
    let [high, low] = [a / 10, a % 10];
    Piece::about("lines that go on")
        .before(format!("#def\\\nine LONG{n}(x) \\"))
        .before(format!("    ((x) \\\n+ {high}\\\n{low})"))
        .before(format!("#define SHIFT{n} 1 <\\\n< 4"))
        .before(format!("#if LONG{n}({b}) == \\"))
        .before(format!("    {}", a + b))
        .before(format!("#define SUM{n} 1"))
        .before("#endif")
        .inside(format!("int contin\\\nued{n} = {b}; // what is no \\"))
        .inside(format!("statement: continued{n} = 0;"))
        .gives(format!("LONG{n}({b})"), a + b)
        .gives(format!("SHIFT{n}"), 16)
        .gives(format!("continued{n} + SUM{n}"), b + 1)
}

/// The number of the line, as it is and as `#line` says.
pub(super) fn lines(choices: &mut Choices, n: usize) -> Piece {
    let from = choices.between(1, 30_000) as i64;
    let name = choices.one_of(&["", " \"other.cl\""]);
    Piece::about("numbers of lines")
        .before(format!("#define BEGIN{n} {from}"))
        .inside(format!("int before{n} = __LINE__, line{n} = {LINE};"))
        .inside(format!("#line BEGIN{n}{name}"))
        .inside(format!("int at{n} = __LINE__;"))
        .inside(format!("int on{n} ="))
        .inside("    __LINE__;")
        .inside(format!("#line {from}"))
        .inside("#if 0")
        .inside("#endif")
        .inside(format!("int behind{n} = __LINE__;"))
        .inside(format!("#line {NEXT}"))
        .inside(format!("int then{n} = __LINE__ - {LINE};"))
        .gives(format!("before{n} == line{n}"), 1)
        .gives(format!("at{n}"), from)
        .gives(format!("on{n}"), from + 2)
        .gives(format!("behind{n}"), from + 2)
        .gives(format!("then{n}"), 0)
        .gives("__LINE__ - __LINE__", 0)
}

/// An option that makes constants of double precision such of single precision.
pub(super) fn single_constants(choices: &mut Choices, n: usize) -> Piece {
    let whole = choices.between(1, 99) as i64;
    let tenths = format!("0x{whole:x}.1999999999p0");
    Piece::about("an option of constants")
        .option("-cl-single-precision-constant")
        .before("#ifdef cl_khr_fp64")
        .before("#pragma OPENCL EXTENSION cl_khr_fp64: enable")
        .before("#endif")
        .inside(format!("float single{n} = {tenths};"))
        .gives(format!("single{n} == {tenths}f"), 1)
        .gives(format!("{tenths} == {tenths}f"), 1)
        .gives(format!("0x{whole:x}.0000000001p0 == {whole}.0f"), 1)
        .gives(format!("{whole}.5 * 2"), 2 * whole + 1)
}

/// A comment is one space, whatever stands in it.
pub(super) fn comments(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c] = [(); 3].map(|()| choices.between(1, 99) as i64);
    Piece::about("comments")
        .before(format!("#define/**/BESIDE{n}/**/(x{n}) + {a}"))
        .before(format!("#define TWO{n}(x) x/* // */+/* \" */x // + x"))
        .before("/* #if 0")
        .before(format!("#define BESIDE{n} 0"))
        .before("*/ # /* as a directive */ define /* it")
        .before(format!(
            "goes on */ OVER{n} {b} /* and */ - {c} // until the end of the line"
        ))
        .inside(format!(
            "int divisor{n} = {c}, *p{n} = &divisor{n}, x{n} = {a};"
        ))
        .gives(format!("TWO{n}({b})"), 2 * b)
        .gives(format!("OVER{n}"), b - c)
        .gives(format!("BESIDE{n}"), 2 * a)
        .gives(format!("{c} * {b} / *p{n} /* */"), b)
}

/// What the specification itself defines.
pub(super) fn versions(choices: &mut Choices, n: usize) -> Piece {
    let macro_of = choices.one_of(&["CL_VERSION_1_0", "CL_VERSION_1_1", "CL_VERSION_1_2"]);
    let number = match macro_of {
        "CL_VERSION_1_0" => 100,
        "CL_VERSION_1_1" => 110,
        _ => 120,
    };
    Piece::about("macros of OpenCL C")
        .before(format!(
            "#if __OPENCL_C_VERSION__ >= {macro_of} && __OPENCL_VERSION__ >= {macro_of}"
        ))
        .before(format!("#define LATER{n} {macro_of}"))
        .before("#endif")
        .before("#if __OPENCL_C_VERSION__ == 300 && !defined CL_VERSION_3_0")
        .before(format!("#define ODD{n} 1"))
        .before("#elif __OPENCL_C_VERSION__ >= 200 && CL_VERSION_2_0 != 200")
        .before(format!("#define ODD{n} 2"))
        .before("#elif defined __FAST_RELAXED_MATH__")
        .before(format!("#define ODD{n} 3"))
        .before("#else")
        .before(format!("#define ODD{n} 0"))
        .before("#endif")
        .gives(format!("LATER{n}"), number)
        .gives(format!("ODD{n}"), 0)
        .gives("sizeof(__FILE__) > 0", 1)
}

/// Other spellings of `#`, `##`, `{` and `[` (C99 6.4.6).
pub(super) fn digraphs(choices: &mut Choices, n: usize) -> Piece {
    let [a, b] = [(); 2].map(|()| choices.between(1, 99) as i64);
    let joined = format!("{a}{b}").parse().unwrap_or_default();
    Piece::about("other spellings")
        .before(format!("%:define JOINED{n}(x, y) x %:%: y"))
        .before(format!("%:define SPELLED{n}(x) %:x"))
        .inside(format!("int list{n}<:2:> = <% {a}, {b} %>;"))
        .gives(format!("JOINED{n}({a}, {b})"), joined)
        .gives(format!("list{n}<:1:> - list{n}[0]"), b - a)
        // A spelling is kept in a string.
        .gives(format!("sizeof(SPELLED{n}(<:))"), 3)
}

/// A macro that an option defines: 1 where it gives no number.
pub(super) fn option(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.between(2, 9999) as i64;
    let (option, value) = match choices.below(4) {
        0 => (format!("-D GIVEN{n}"), 1),
        1 => (format!("-DGIVEN{n}"), 1),
        2 => (format!("-D GIVEN{n}={number}"), number),
        _ => (format!("-DGIVEN{n}={number}"), number),
    };
    Piece::about("macros of options")
        .option(option)
        .option(format!("-D{}NOTHING{n}=", choices.one_of(&["", " "])))
        .option(format!("-DGONE{n}={number}"))
        .inside("#ifdef GONE@n@".replace("@n@", &n.to_string()))
        .inside(format!("#undef GONE{n}"))
        .inside("#endif")
        .inside(format!("int GONE{n} = GIVEN{n} + 1;"))
        .before(format!("#if GIVEN{n} == {value} && GONE{n}"))
        .before(format!("#define SEEN{n} 1"))
        .before("#endif")
        .gives(format!("GIVEN{n} + SEEN{n}"), value + 1)
        // One that an option defines as nothing.
        .before(format!("#define TEXT{n}(x) #x"))
        .before(format!("#define TEXT_OF{n}(x) TEXT{n}(x)"))
        .gives(format!("sizeof(TEXT_OF{n}(NOTHING{n}))"), 1)
        .gives(format!("GONE{n}"), value + 1)
}

/// Options whose macros become others, of options and of the text.
pub(super) fn option_of_macros(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c] = [(); 3].map(|()| choices.between(1, 99) as i64);
    Piece::about("options whose values hold macros")
        .option(format!("-DOUTER{n}=INNER{n}+{a}"))
        .option(format!("-D INNER{n}={b}*FACTOR{n}"))
        .option(format!("-DCALLS{n}=TWICE{n}(INNER{n})"))
        .before(format!("#define FACTOR{n} {c}"))
        .before(format!("#define TWICE{n}(x) (2 * (x))"))
        .gives(format!("OUTER{n}"), b * c + a)
        .gives(format!("CALLS{n}"), 2 * b * c)
        .gives(format!("2 * OUTER{n}"), 2 * b * c + a)
}
