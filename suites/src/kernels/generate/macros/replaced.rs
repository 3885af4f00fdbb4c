//! Macros that are replaced (C99 6.10.3).

use crate::choices::Choices;
use crate::kernels::generate::pieces::Piece;

/// Operands and operators as they stand in a text, with what they are by the operators' precedence.
struct Flat {
    text: String,
    terms: Vec<(char, i64)>,
}

impl Flat {
    fn draw(choices: &mut Choices, most: usize) -> Flat {
        let count = choices.between(1, most);
        let terms = (0..count).map(|n| {
            let op = if n == 0 {
                '+'
            } else {
                choices.one_of(&['+', '-', '*'])
            };
            (op, choices.between(1, 9) as i64)
        });
        let terms: Vec<(char, i64)> = terms.collect();
        let text = terms.iter().enumerate().map(|(n, (op, number))| match n {
            0 => number.to_string(),
            _ => format!(" {op} {number}"),
        });
        Flat {
            text: text.collect(),
            terms,
        }
    }

    /// These one after the other, with an operator between each two.
    fn joined(parts: &[(char, &Flat)]) -> Flat {
        let mut all = Flat {
            text: String::new(),
            terms: Vec::new(),
        };
        for (op, part) in parts {
            let mut terms = part.terms.clone();
            if let Some(first) = terms.first_mut() {
                first.0 = *op;
            }
            all.terms.extend(terms);
        }
        all
    }

    /// Products first.
    fn value(&self) -> i64 {
        let (mut sum, mut product) = (0, 0);
        for (op, number) in &self.terms {
            match op {
                '*' => product *= number,
                '-' => (sum, product) = (sum + product, -number),
                _ => (sum, product) = (sum + product, *number),
            }
        }
        sum + product
    }
}

/// Arguments take the places of parameters as text: what stands beside them binds as it does there.
pub(super) fn flat(choices: &mut Choices, n: usize) -> Piece {
    let ops = ['+', '-', '*'];
    let (one, two) = (choices.one_of(&ops), choices.one_of(&ops));
    let (a, b) = (Flat::draw(choices, 3), Flat::draw(choices, 3));
    let last = Flat::draw(choices, 1);
    let value = Flat::joined(&[('+', &a), (one, &b), (two, &last)]).value();
    let again = Flat::joined(&[('+', &b), (one, &b), (two, &last)]).value();
    Piece::about("arguments as text")
        .before(format!(
            "#define FLAT{n}(x, y) x {one} y {two} {}",
            last.text
        ))
        .gives(format!("FLAT{n}({}, {})", a.text, b.text), value)
        .gives(format!("FLAT{n} ( {} ,{} )", b.text, b.text), again)
}

/// Calls among the arguments of a call, and in what a macro becomes.
pub(super) fn nested(choices: &mut Choices, n: usize) -> Piece {
    let [k, l, a, b] = [(); 4].map(|()| choices.between(1, 20) as i64);
    let f = |x: i64, y: i64| x * k - y;
    let g = |x: i64| f(x, l) + x;
    let depth = choices.between(1, 4);
    let (mut text, mut value) = (a.to_string(), a);
    for _ in 0..depth {
        match choices.percent(50) {
            true => (text, value) = (format!("F{n}({text}, {b})"), f(value, b)),
            false => (text, value) = (format!("G{n}({text})"), g(value)),
        }
    }
    // A macro is known where it is called, not where another one names it.
    Piece::about("calls of macros in calls")
        .before(format!("#define G{n}(x) (F{n}(x, L{n}) + (x))"))
        .before(format!("#define F{n}(x, y) ((x) * {k}L - (y))"))
        .before(format!("#define L{n} {l}"))
        .gives(text, value)
        .gives(format!("G{n}\n    (L{n})"), g(l))
}

/// "If the name of the macro being replaced is found … it is not replaced": variables have such names.
pub(super) fn own_name(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c, x] = [(); 4].map(|()| choices.between(1, 99) as i64);
    Piece::about("a macro in its own replacement")
        .inside(format!(
            "int own{n} = {a}, first{n} = {b}, second{n} = {c};"
        ))
        .inside(format!("#define own{n} (own{n} * 2)"))
        .inside(format!("#define first{n} (second{n} + 1)"))
        .inside(format!("#define second{n} (first{n} + 100)"))
        .inside(format!("#define call{n}(x) ((x) + own{n})"))
        .gives(format!("own{n}"), 2 * a)
        .gives(format!("first{n}"), b + 101)
        .gives(format!("second{n}"), c + 101)
        .gives(format!("call{n}(call{n}({x}))"), x + 4 * a)
}

/// The name of a macro that has parameters is a name where no parenthesis follows.
pub(super) fn without_parentheses(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c] = [(); 3].map(|()| choices.between(1, 99) as i64);
    Piece::about("a macro's name without arguments")
        .before(format!("#define name{n}(x) ((x) + {a})"))
        .before(format!("#define alias{n} name{n}"))
        .before(format!("#define none{n}() {c}"))
        .before(format!("#define object{n} (x{n}) + {a}"))
        .inside(format!("int name{n} = {b}, x{n} = {c};"))
        .gives(format!("name{n} + name{n}({c})"), b + c + a)
        .gives(format!("alias{n}({b}) * alias{n}"), (a + b) * b)
        .gives(format!("none{n}() - none{n}( )"), 0)
        .gives(format!("object{n}"), c + a)
}

/// Tokens that are made of two: names, numbers, operators, and of nothing and something.
pub(super) fn pasted(choices: &mut Choices, n: usize) -> Piece {
    let [a, b] = [(); 2].map(|()| choices.between(1, 99) as i64);
    let [c, shift] = [choices.between(1, 200) as i64, choices.between(1, 8) as i64];
    let digits = |a: i64, b: i64| format!("{a}{b}").parse().unwrap_or_default();
    Piece::about("tokens pasted together")
        .before(format!("#define PASTE{n}(a, b) a ## b"))
        .before(format!("#define VALUE{n}(a, b) PASTE{n}(a, b)"))
        .before(format!("#define THREE{n}(a, b, c) a##b##c"))
        .before(format!("#define DIGIT{n} {a}"))
        .inside(format!("int var{n}_{a} = {b}, var{n}_DIGIT{n} = {c};"))
        .gives(format!("PASTE{n}({a}, {b})"), digits(a, b))
        .gives(
            format!("PASTE{n}(0x, {c:x}) + PASTE{n}(0, {shift:o})"),
            c + shift,
        )
        .gives(format!("{b} PASTE{n}(<, <) {shift}"), b << shift)
        .gives(
            format!("PASTE{n}(, {b}) PASTE{n}(-,) PASTE{n}({a},)"),
            b - a,
        )
        .gives(format!("PASTE{n}(var{n}_, DIGIT{n})"), c)
        .gives(format!("VALUE{n}(var{n}_, DIGIT{n})"), b)
        .gives(format!("VALUE{n}(DIGIT{n}, DIGIT{n})"), digits(a, a))
        .gives(format!("THREE{n}({a}, {b}, L)"), digits(a, b))
}

/// Arguments with commas in parentheses, empty ones, and ones that are macros' names.
pub(super) fn arguments(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c] = [(); 3].map(|()| choices.between(1, 99) as i64);
    Piece::about("arguments of macros")
        .before(format!("#define PICK{n}(x, y) (y)"))
        .before(format!("#define SAME{n}(x) x"))
        .before(format!("#define MINUS{n}(x, y) x - y"))
        .before(format!("#define APPLY{n}(f, x, y) f(x, y)"))
        .before(format!("#define PAIR{n} {a}, {b}"))
        .before(format!("#define SPREAD{n}(f, x) f(x)"))
        .gives(format!("PICK{n}(({a}, {b}), (min({b}, {c})))"), b.min(c))
        .inside(format!("int SAME{n} = {a};"))
        .gives(format!("SAME{n}(SAME{n}) + SAME{n}()({b})"), a + b)
        .gives(format!("MINUS{n}({c} , )MINUS{n}( ,{a})"), c + a)
        .gives(format!("APPLY{n}(MINUS{n}, {c}, {b})"), c - b)
        .gives(format!("SPREAD{n}(MINUS{n}, PAIR{n})"), a - b)
        .gives(format!("max(SAME{n}(PAIR{n}))"), a.max(b))
}

/// A macro that is defined again after it was undefined, and one that is defined twice in the same way.
pub(super) fn again(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c] = [(); 3].map(|()| choices.between(1, 99) as i64);
    Piece::about("a macro that is defined again")
        .inside(format!("#define AGAIN{n} {a}"))
        .inside(format!("#define LATER{n} AGAIN{n}"))
        .inside(format!("#define AGAIN{n}   {a}  /* the same */"))
        .inside(format!("long then{n} = LATER{n};"))
        .inside(format!("#undef AGAIN{n}"))
        .inside(format!("#undef AGAIN{n}"))
        .inside(format!("#define AGAIN{n}(x) (x + {b})"))
        .gives(format!("then{n}"), a)
        .gives(format!("LATER{n}({c})"), c + b)
}

/// Functions and variables whose names macros make, and bodies of several statements.
pub(super) fn joined_names(choices: &mut Choices, n: usize) -> Piece {
    let [a, b, c] = [(); 3].map(|()| choices.between(1, 99) as i64);
    Piece::about("functions that macros write")
        .before(format!("#define DEFINE{n}(type, op) \\"))
        .before(format!("    static type type##_of{n}(type x, type y) \\"))
        .before("    { \\")
        .before("        type z = x; \\")
        .before("        for (int i = 0; i < 2; i++) z = z op y; \\")
        .before("        return z; \\")
        .before("    }")
        .before(format!("DEFINE{n}(long, +) DEFINE{n}(int, -)"))
        .gives(format!("long_of{n}({a}, {b})"), a + 2 * b)
        .gives(format!("int_of{n}({c}, {b})"), c - 2 * b)
}
