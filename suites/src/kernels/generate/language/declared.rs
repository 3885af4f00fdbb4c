//! Declarations: initializers, scopes and names of types (C99 6.2.1, 6.5.2.5, 6.7.8).

use crate::choices::Choices;
use crate::kernels::generate::pieces::{Piece, given};

/// A number between these.
fn number(choices: &mut Choices) -> i32 {
    choices.between(1, 999) as i32
}

/// A sum that shows each element and its place.
fn weighed(numbers: &[i64]) -> i64 {
    let weighed = numbers
        .iter()
        .zip(1..)
        .map(|(number, place)| number * place);
    weighed.sum()
}

/// The same, of an array.
fn weigh(array: &str, count: usize) -> String {
    let terms: Vec<String> = (0..count)
        .map(|place| format!("{array}[{place}] * {}", place + 1))
        .collect();
    terms.join(" + ")
}

/// An array whose initializer names places: what follows a place is for the next ones, and a later value replaces an
/// earlier one.
pub(super) fn designated(choices: &mut Choices, n: usize) -> Piece {
    let (a, b, c, d) = (
        number(choices),
        number(choices),
        number(choices),
        number(choices),
    );
    let at = choices.between(2, 4);
    let mut array = [0; 8];
    (array[0], array[at], array[at + 1], array[at + 2]) = (a, b, c, a);
    array[1] = d;
    let array = array.map(i64::from);
    let mut constant = [0; 7];
    (constant[at], constant[at + 1], constant[0]) = (1, 2, 3);
    Piece::about("initializers of arrays with places")
        .given(n, &[a, b, c, d])
        .before(format!(
            "constant int table{n}[7] = {{ [{at}] = 1, 2, [0] = 3 }};"
        ))
        .inside(format!(
            "int array{n}[8] = {{ {a0}, [{at}] = {b0}, {c0}, {a0}, [1] = {d0} }};",
            a0 = given(n, 0),
            b0 = given(n, 1),
            c0 = given(n, 2),
            d0 = given(n, 3),
        ))
        .inside(format!(
            "int open{n}[] = {{ [{}] = {}, }};",
            at + 3,
            given(n, 0)
        ))
        .gives(weigh(&format!("array{n}"), 8), weighed(&array))
        .gives(weigh(&format!("table{n}"), 7), weighed(&constant))
        .gives(format!("sizeof(open{n}) / sizeof(*open{n})"), at as i64 + 4)
        .gives(format!("open{n}[{at}] + open{n}[{}]", at + 3), a.into())
}

/// Structures in structures, by braces, by names, and without either.
pub(super) fn nested(choices: &mut Choices, n: usize) -> Piece {
    let (a, b, c, d) = (
        number(choices),
        number(choices),
        number(choices),
        number(choices),
    );
    let [first, second, third] =
        [[a, b, c, d, 0], [0, c, 0, b, a], [d, a, 0, 0, b]].map(|all| weighed(&all.map(i64::from)));
    let shown = |name: &str| {
        format!(
            "{name}{n}.first + 2 * {name}{n}.in.x + 3 * {name}{n}.in.y + 4 * {name}{n}.two[0] + 5L * {name}{n}.two[1]"
        )
    };
    let [a0, b0, c0, d0] = [0, 1, 2, 3].map(|which| given(n, which));
    Piece::about("initializers of structures")
        .given(n, &[a, b, c, d])
        .before(format!("struct inner{n} {{ int x, y; }};"))
        .before(format!("struct outer{n} {{ int first; struct inner{n} in; short two[2]; }};"))
        .inside(format!("struct outer{n} flat{n} = {{ {a0}, {b0}, {c0}, (short){d0} }};"))
        .inside(format!("struct outer{n} named{n} = {{ .two = {{ [1] = (short){a0}, [0] = (short){b0} }}, .in.x = {c0} }};"))
        .inside(format!("struct outer{n} mixed{n} = {{ {d0}, {{ {a0} }}, .two[1] = (short){b0} }};"))
        .inside(format!("struct inner{n} all{n}[3] = {{ [1] = {{ .y = {c0} }}, {{ {a0}, {b0} }} }};"))
        .gives(shown("flat"), first)
        .gives(shown("named"), second)
        .gives(shown("mixed"), third)
        .gives(
            format!("all{n}[0].x + all{n}[1].x + 2 * all{n}[1].y + 3 * all{n}[2].x + 5 * all{n}[2].y"),
            (2 * c + 3 * a + 5 * b).into(),
        )
}

/// Parts without a value are zero, each time anew, also of what was used before.
pub(super) fn rest(choices: &mut Choices, n: usize) -> Piece {
    let (a, turns) = (number(choices), choices.between(2, 5) as i32);
    Piece::about("parts without a first value")
        .given(n, &[a, turns])
        .before(format!(
            "struct rest{n} {{ char c; long wide; int some[5]; uchar3 lanes; }};"
        ))
        .inside(format!("long left{n} = 0;"))
        .inside(format!("for (int i = 0; i < {}; ++i) {{", given(n, 1)))
        .inside(format!(
            "struct rest{n} one = {{ .some = {{ 0, {} }} }};",
            given(n, 0)
        ))
        .inside("int plain[6] = { 0 };")
        .inside(format!(
            "left{n} += one.c + one.wide + one.some[1] + one.some[4] + one.lanes.y + plain[i % 6];"
        ))
        .inside(
            "one.c = 1; one.wide = 2; one.some[4] = 3; one.lanes.y = 4; plain[(i + 1) % 6] = 5;",
        )
        .inside(format!("left{n} += one.c + one.some[4];"))
        .inside("}")
        .gives(format!("left{n}"), i64::from(turns) * (i64::from(a) + 4))
}

/// Objects without names, of arrays and of structures.
///
/// Their addresses are not taken: what many drivers have of Clang gives these no address space of their own.
pub(super) fn literals(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (number(choices), number(choices));
    let at = choices.below(3);
    let list = [a, b, a + b];
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    Piece::about("compound literals")
        .given(n, &[a, b, at as i32])
        .before(format!("struct pair{n} {{ int x, y; }};"))
        .before(format!(
            "static int difference{n}(struct pair{n} of) {{ return of.x - of.y; }}"
        ))
        .inside(format!(
            "struct pair{n} of{n} = (struct pair{n}){{ .y = {a0}, .x = {b0} }};"
        ))
        .inside(format!("of{n}.x += 1;"))
        .gives(
            format!("((int[]){{ {a0}, {b0}, {a0} + {b0} }})[{}]", given(n, 2)),
            list[at].into(),
        )
        .gives(format!("(struct pair{n}){{ {a0}, {b0} }}.y"), b.into())
        .gives(
            format!("difference{n}((struct pair{n}){{ .x = {a0} }})"),
            a.into(),
        )
        .gives(format!("of{n}.x - of{n}.y"), (b + 1 - a).into())
}

/// Names that hide others, as far as their block goes.
pub(super) fn scopes(choices: &mut Choices, n: usize) -> Piece {
    let (a, b, c) = (number(choices), number(choices), number(choices));
    let [a0, b0, c0] = [0, 1, 2].map(|which| given(n, which));
    Piece::about("scopes")
        .given(n, &[a, b, c])
        .before(format!("constant int name{n} = 7;"))
        .before(format!("enum {{ LABEL{n} = 3 }};"))
        .before(format!("struct tag{n} {{ char bytes[3]; }};"))
        .before(format!("static int hides{n}(int name{n}) {{ {{ int name{n} = 1; (void)name{n}; }} return name{n} * 2; }}"))
        .inside(format!("int outside{n} = name{n}, sum{n} = 0;"))
        .inside("{")
        .inside(format!("int name{n} = {a0}; sum{n} += name{n};"))
        .inside(format!("for (int name{n} = 0; name{n} < 2; ++name{n}) {{ int name{n}1 = name{n}; {{ int name{n} = {b0}; sum{n} += name{n} * (name{n}1 + 1); }} }}"))
        .inside(format!("sum{n} += 10 * name{n};"))
        .inside(format!("if (name{n} > 0) {{ int name{n} = {c0}; sum{n} += name{n}; }} else sum{n} = -1;"))
        .inside(format!("{{ struct tag{n} {{ int words[2]; }}; outside{n} += sizeof(struct tag{n}); }}"))
        .inside(format!("{{ int LABEL{n} = {c0}; sum{n} += LABEL{n}; }}"))
        .inside("}")
        .inside(format!("outside{n} += name{n} + LABEL{n} + (int)sizeof(struct tag{n});"))
        .gives(format!("sum{n}"), (11 * a + 3 * b + 2 * c).into())
        .gives(format!("outside{n}"), 7 + 8 + 7 + 3 + 3)
        .gives(format!("hides{n}({a0})"), (2 * a).into())
}

/// Names of types: of arrays, pointers and structures; one names an object in a block.
pub(super) fn typedefs(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (number(choices), number(choices));
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    Piece::about("names of types")
        .given(n, &[a, b])
        .before(format!("typedef int row{n}[4], *address{n}, plain{n};"))
        .before(format!(
            "typedef struct {{ row{n} rows[2]; address{n} at; }} all{n};"
        ))
        .before(format!("typedef unsigned char byte{n};"))
        .inside(format!("row{n} rows{n}[3] = {{ {{ 0 }}, {{ 1, {a0} }} }};"))
        .inside(format!(
            "address{n} at{n} = rows{n}[1]; const address{n} fixed{n} = at{n}; *fixed{n} = 5;"
        ))
        .inside(format!(
            "all{n} whole{n} = {{ .at = at{n} + 1 }}; *whole{n}.at += {b0};"
        ))
        .inside(format!(
            "plain{n} kept{n}; {{ int plain{n} = {b0}; kept{n} = plain{n}; }}"
        ))
        .inside(format!("byte{n} small{n} = (byte{n})({a0} + 256 * 3);"))
        .gives(format!("sizeof(row{n})"), 16)
        .gives(format!("sizeof rows{n} / sizeof(row{n})"), 3)
        .gives(format!("rows{n}[1][1]"), (a + b).into())
        .gives(format!("at{n}[0]"), 5)
        .gives(format!("whole{n}.rows[1][3]"), 0)
        .gives(format!("kept{n} + small{n}"), (b + a % 256).into())
}

/// Tables in constant memory, of several dimensions and of structures.
pub(super) fn tables(choices: &mut Choices, n: usize) -> Piece {
    let (x, y) = (choices.below(3), choices.below(4));
    let first = choices.between(1, 9) as i64;
    let value = |x: usize, y: usize| -> i64 {
        match (x, y) {
            (0, 0) => first,
            (0, 1) => 2,
            (1, 3) => 9,
            (2, 2) => -4,
            _ => 0,
        }
    };
    let ends = [(1, "ab"), (2, "xyz"), (-3, "")][x];
    let letter = ends.1.as_bytes().first().copied().unwrap_or(0);
    Piece::about("tables")
        .given(n, &[x as i32, y as i32])
        .before(format!("constant int grid{n}[][4] = {{ {{ {first}, 2 }}, {{ [3] = 9 }}, {{ [2] = -4 }} }};"))
        .before(format!("constant struct {{ long number; char text[4]; }} rows{n}[] = {{ {{ 1, \"ab\" }}, {{ 2, \"xyz\" }}, {{ -3 }} }};"))
        .before(format!("constant int *constant places{n}[2] = {{ grid{n}[1], &grid{n}[2][2] }};"))
        .inside(format!("const int few{n}[2][3] = {{ 1, 2, 3, 4, {} }};", given(n, 0)))
        .gives(format!("grid{n}[{}][{}]", given(n, 0), given(n, 1)), value(x, y))
        .gives(format!("sizeof grid{n} / sizeof *grid{n}"), 3)
        .gives(format!("rows{n}[{}].number", given(n, 0)), ends.0)
        .gives(format!("rows{n}[{}].text[0]", given(n, 0)), letter.into())
        .gives(format!("places{n}[0][3] + *places{n}[1]"), 5)
        .gives(format!("few{n}[1][1] * 10 + few{n}[1][2]"), 10 * x as i64)
        .gives(format!("few{n}[0][2]"), 3)
}
