//! Conditions (C99 6.10.1).

use crate::choices::Choices;
use crate::kernels::code::number::{ARITHMETIC, Arithmetic, COMPARISONS, Integer, LONG, ULONG};
use crate::kernels::generate::pieces::Piece;

/// An expression of a condition, and what it is. Its numbers have the widest type of the implementation, which may be
/// wider than 64 bits: what is no `long` and no `ulong`, and a negative number where it loses its sign, is not computed.
struct Number {
    text: String,
    of: Integer,
    value: i128,
}

impl Number {
    fn is(text: String, of: Integer, value: i128) -> Number {
        Number { text, of, value }
    }

    fn truth(text: String, holds: bool) -> Number {
        Number::is(text, LONG, holds.into())
    }

    /// As operands meet: one without a sign makes the other so.
    fn meets(&self, other: &Number) -> Option<Integer> {
        let of = self.of.common(other.of);
        (of.holds(self.value) && of.holds(other.value)).then_some(of)
    }
}

/// A number that stands there, by itself, as a character, or as a macro's or nobody's name.
fn leaf(choices: &mut Choices, n: usize) -> Number {
    let small = choices.between(0, 99) as i128;
    match choices.below(9) {
        0 => Number::is(format!("{small}u"), ULONG, small),
        1 => Number::is(format!("0x{small:x}UL"), ULONG, small),
        2 => Number::is("'a'".into(), LONG, 97),
        3 => Number::is("'\\n'".into(), LONG, 10),
        // "all remaining identifiers are replaced with the pp-number 0", names of types and of the language, too.
        4 => {
            let name = choices.one_of(&["int", "kernel", "unknown", "sizeof"]);
            let name = match name {
                "unknown" => format!("unknown{n}"),
                name => name.into(),
            };
            Number::is(name, LONG, 0)
        }
        5 => Number::is(format!("KNOWN{n}"), LONG, 7),
        6 => Number::is("0x7fffffffffffffff".into(), LONG, LONG.greatest()),
        7 => Number::is(format!("0{small:o}L"), LONG, small),
        _ => Number::is(small.to_string(), LONG, small),
    }
}

fn expr(choices: &mut Choices, n: usize, depth: usize) -> Number {
    if depth == 0 {
        return leaf(choices, n);
    }
    let left = expr(choices, n, depth - 1);
    match choices.below(10) {
        0 if left.of.holds(-left.value) => {
            Number::is(format!("(-{})", left.text), left.of, -left.value)
        }
        1 if left.of.signed => Number::is(format!("(~{})", left.text), left.of, !left.value),
        0 | 1 => left,
        2 => Number::truth(format!("(!{})", left.text), left.value == 0),
        3 | 4 => {
            let right = expr(choices, n, depth - 1);
            let op = choices.one_of(&COMPARISONS);
            if left.meets(&right).is_none() {
                return left;
            }
            let text = format!("({} {} {})", left.text, op.text(), right.text);
            Number::truth(text, op.holds(left.value, right.value))
        }
        5 => {
            let right = expr(choices, n, depth - 1);
            let and = choices.percent(50);
            let (a, b) = (left.value != 0, right.value != 0);
            let op = if and { "&&" } else { "||" };
            let text = format!("({} {op} {})", left.text, right.text);
            Number::truth(text, if and { a && b } else { a || b })
        }
        6 => {
            let (yes, no) = (expr(choices, n, depth - 1), expr(choices, n, depth - 1));
            let value = if left.value != 0 { yes.value } else { no.value };
            // What is not chosen gives the other its type, too.
            let of = yes.of.common(no.of);
            if !of.holds(value) {
                return left;
            }
            let text = format!("({} ? {} : {})", left.text, yes.text, no.text);
            Number::is(text, of, value)
        }
        _ => {
            let op = choices.one_of(&ARITHMETIC);
            let right = match op {
                // Shifts by less than the width.
                Arithmetic::Left | Arithmetic::Right => {
                    let by = choices.between(0, 63) as i128;
                    Number::is(by.to_string(), LONG, by)
                }
                _ => expr(choices, n, depth - 1),
            };
            operated(op, left, right)
        }
    }
}

/// An operator's number; what it is about alone where the text does not say what it gives.
fn operated(op: Arithmetic, left: Number, right: Number) -> Number {
    let of = match op.shifts() {
        true => Some(left.of),
        false => left.meets(&right),
    };
    let (a, b) = (left.value, right.value);
    let value = of.and_then(|of| {
        // C99 leaves shifts of negative numbers to the implementation.
        if op.shifts() && a < 0 {
            return None;
        }
        let exact = match op {
            Arithmetic::Add => Some(a + b),
            Arithmetic::Subtract => Some(a - b),
            Arithmetic::Multiply => a.checked_mul(b),
            Arithmetic::Left => Some(a << b),
            _ => {
                let (bits, defined) = op.of(of, a, b);
                defined.then(|| of.number(bits))
            }
        };
        let value = exact.filter(|value| of.holds(*value))?;
        Some((of, value))
    });
    match value {
        Some((of, value)) => {
            let text = format!("({} {} {})", left.text, op.text(), right.text);
            Number::is(text, of, value)
        }
        None => left,
    }
}

/// A number as a condition has it.
fn written(of: Integer, value: i128) -> String {
    match of.signed {
        true if value == LONG.least() => "(-0x7fffffffffffffff - 1)".into(),
        true => format!("({value})"),
        false => format!("{value}u"),
    }
}

/// A number that a condition computes: it is that number, and of its sign.
pub(super) fn value(choices: &mut Choices, n: usize) -> Piece {
    let depth = choices.between(1, 4);
    let number = expr(choices, n, depth);
    // Beside a number without a sign, -1 is the greatest one.
    let signed = number.of.signed;
    let compared = format!("(1 ? -1 : {}) < 0", number.text);
    Piece::about("what a condition computes")
        .before(format!("#define KNOWN{n} (3 + 4)"))
        .before(format!(
            "#if {} == {}",
            number.text,
            written(number.of, number.value)
        ))
        .before(format!("#define EQUAL{n} 1"))
        .before("#else")
        .before(format!("#define EQUAL{n} 0"))
        .before("#endif")
        .before(format!("#if {compared}"))
        .before(format!("#define SIGNED{n} 1"))
        .before("#else")
        .before(format!("#define SIGNED{n} 0"))
        .before("#endif")
        .gives(format!("EQUAL{n}"), 1)
        .gives(format!("SIGNED{n}"), signed.into())
}

/// Parts of which one is taken, the first whose condition holds, also within each other.
pub(super) fn chosen(choices: &mut Choices, n: usize) -> Piece {
    let value = choices.below(6) as i64;
    let tests = [1, 2, 3].map(|of| (of, choices.between(0, 5) as i64));
    let met = tests.iter().find(|(_, test)| *test == value);
    let inner = choices.below(3) as i64;
    let mut piece = Piece::about("the part that is taken")
        .before(format!("#define VALUE{n} {value}"))
        .before(format!("#define INNER{n} {inner}"));
    for (of, test) in tests {
        let word = if of == 1 { "#if" } else { "#  elif" };
        piece = piece
            .before(format!("{word} VALUE{n} == {test}"))
            .before(format!("# if INNER{n}"))
            .before(format!("#define TAKEN{n} {of}"))
            .before(format!("# elif defined INNER{n}"))
            .before(format!("#define TAKEN{n} {of}0"))
            .before("# else")
            .before(format!("#define TAKEN{n} {of}00"))
            .before("# endif");
    }
    let taken = match met {
        Some((of, _)) if inner != 0 => *of,
        Some((of, _)) => 10 * of,
        None => 9,
    };
    piece
        .before("#else")
        .before(format!("#define TAKEN{n} 9"))
        .before("#endif // of all")
        .gives(format!("TAKEN{n}"), taken)
}

/// `defined`, `#ifdef` and `#ifndef`, of names that are, were or never have been macros.
pub(super) fn defined(choices: &mut Choices, n: usize) -> Piece {
    let mut piece = Piece::about("whether a name is defined")
        .before(format!("#define IS{n}"))
        .before(format!("#define CALLED{n}(x) x"))
        .before(format!("#define WAS{n} 1"))
        .before(format!("#undef WAS{n}"));
    let names = [
        ("IS", true),
        ("CALLED", true),
        ("WAS", false),
        ("NEVER", false),
    ];
    for count in 0..choices.between(1, 4) {
        let (one, is) = choices.one_of(&names);
        let (other, other_is) = choices.one_of(&names);
        let name = format!("{one}{n}");
        let (condition, holds) = match choices.below(6) {
            0 => (format!("#ifdef {name}"), is),
            1 => (format!("#ifndef {name}"), !is),
            2 => (
                format!("#if defined {name} && defined({other}{n})"),
                is && other_is,
            ),
            3 => (
                format!("#if !defined( {name} ) || defined {other}{n}"),
                !is || other_is,
            ),
            4 => (format!("#if defined {name} + 1 == 2"), is),
            _ => (format!("#if 0\n#elif defined({name})"), is),
        };
        piece = piece
            .inside(format!("int defined{n}_{count} = 0;"))
            .inside(condition)
            .inside(format!("defined{n}_{count} = 1;"))
            .inside("#endif")
            .gives(format!("defined{n}_{count}"), holds.into());
    }
    piece
}

/// What is skipped is not looked at, but for where it ends.
pub(super) fn skipped(choices: &mut Choices, n: usize) -> Piece {
    let [a, b] = [(); 2].map(|()| choices.between(1, 99) as i64);
    let nonsense = choices.one_of(&[
        "#error this is skipped",
        "#nothing of this name",
        "#include \"nothing.h\"",
        "#define",
        "#if of what is no expression +",
    ]);
    let closes = nonsense.starts_with("#if");
    let mut piece = Piece::about("what is skipped")
        .inside(format!("int skipped{n} = {a};"))
        .inside("#if 0 && 1 / 0")
        .inside(nonsense);
    if closes {
        piece = piece.inside("#else !").inside("#endif");
    }
    piece
        .inside(format!("skipped{n} = {b} of no statement; else +"))
        .inside("#elif 1 || 1 / 0")
        .inside(format!("skipped{n} += {b};"))
        .inside("#elif of what is no expression +")
        .inside(format!("skipped{n} = 0;"))
        .inside("#else")
        .inside(format!("#define skipped{n} 0"))
        .inside("#endif")
        .gives(format!("skipped{n}"), a + b)
}
