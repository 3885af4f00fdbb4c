//! Random programs: expressions against an evaluator of C, and token soups that must not break
//! anything.

use crate::support::{build_with, run};
use proptest::prelude::*;

/// A value of C's integer types from `int` up.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Value {
    /// Sign- or zero-extended to 64 bits.
    bits: i128,
    wide: bool,
    signed: bool,
}

impl Value {
    fn new(bits: i128, wide: bool, signed: bool) -> Self {
        let bits = match (wide, signed) {
            (false, true) => i128::from(bits as i32),
            (false, false) => i128::from(bits as u32),
            (true, true) => i128::from(bits as i64),
            (true, false) => i128::from(bits as u64),
        };
        Self { bits, wide, signed }
    }

    fn like(self, bits: i128) -> Self {
        Self::new(bits, self.wide, self.signed)
    }
}

/// Integer types of variables and casts: name, bits, signed.
const TYPES: [(&str, u32, bool); 8] = [
    ("char", 8, true),
    ("uchar", 8, false),
    ("short", 16, true),
    ("ushort", 16, false),
    ("int", 32, true),
    ("uint", 32, false),
    ("long", 64, true),
    ("ulong", 64, false),
];

fn narrow(bits: i128, width: u32, signed: bool) -> i128 {
    let shift = 128 - width;
    if signed {
        (bits << shift) >> shift
    } else {
        ((bits as u128) << shift >> shift) as i128
    }
}

/// The value of a cast or a variable, promoted.
fn of_type(ty: usize, bits: i128) -> Value {
    let (_, width, signed) = TYPES[ty];
    let bits = narrow(bits, width, signed);
    if width < 32 {
        Value::new(bits, false, true)
    } else {
        Value::new(bits, width == 64, signed)
    }
}

#[derive(Clone, Debug)]
enum Expr {
    Var(usize),
    Literal(i32),
    Unary(char, Box<Expr>),
    Cast(usize, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
}

const OPERATORS: [&str; 18] = [
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&",
    "||",
];

fn common(a: Value, b: Value) -> (bool, bool) {
    if a.wide == b.wide {
        (a.wide, a.signed && b.signed)
    } else if a.wide {
        (true, a.signed)
    } else {
        (true, b.signed)
    }
}

impl Expr {
    fn text(&self) -> String {
        match self {
            Expr::Var(ty) => format!("v{ty}"),
            Expr::Literal(value) if *value < 0 => format!("({value})"),
            Expr::Literal(value) => value.to_string(),
            Expr::Unary(op, e) => format!("({op} {})", e.text()),
            Expr::Cast(ty, e) => format!("(({}){})", TYPES[*ty].0, e.text()),
            Expr::Binary(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Expr::Ternary(a, b, c) => format!("({} ? {} : {})", a.text(), b.text(), c.text()),
        }
    }

    /// C99's value, with OpenCL C's shifts; None where the program divides by zero.
    fn eval(&self, vars: &[i64; 8]) -> Option<Value> {
        let truth = |b: bool| Some(Value::new(i128::from(b), false, true));
        match self {
            Expr::Var(ty) => Some(of_type(*ty, i128::from(vars[*ty]))),
            Expr::Literal(value) => Some(Value::new(i128::from(*value), false, true)),
            Expr::Unary(op, e) => {
                let v = e.eval(vars)?;
                match op {
                    '-' => Some(v.like(-v.bits)),
                    '~' => Some(v.like(!v.bits)),
                    _ => truth(v.bits == 0),
                }
            }
            Expr::Cast(ty, e) => Some(of_type(*ty, e.eval(vars)?.bits)),
            Expr::Ternary(c, a, b) => {
                let c = c.eval(vars)?;
                let (x, y) = (a.eval(vars), b.eval(vars));
                // The type depends on both, so both have to be known.
                let (wide, signed) = common(x?, y?);
                let chosen = if c.bits != 0 { x? } else { y? };
                Some(Value::new(chosen.bits, wide, signed))
            }
            Expr::Binary("&&", a, b) => {
                let a = a.eval(vars)?.bits != 0;
                truth(a && b.eval(vars)?.bits != 0)
            }
            Expr::Binary("||", a, b) => {
                let a = a.eval(vars)?.bits != 0;
                truth(a || b.eval(vars)?.bits != 0)
            }
            Expr::Binary(op @ ("<<" | ">>"), a, b) => {
                let (a, b) = (a.eval(vars)?, b.eval(vars)?);
                let count = (b.bits as u64 & if a.wide { 63 } else { 31 }) as u32;
                Some(a.like(if *op == "<<" {
                    a.bits << count
                } else {
                    a.bits >> count
                }))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.eval(vars)?, b.eval(vars)?);
                let (wide, signed) = common(a, b);
                let (x, y) = (
                    Value::new(a.bits, wide, signed).bits,
                    Value::new(b.bits, wide, signed).bits,
                );
                let number = |bits| Some(Value::new(bits, wide, signed));
                match *op {
                    "+" => number(x + y),
                    "-" => number(x - y),
                    "*" => number(x.wrapping_mul(y)),
                    "/" if y == 0 => None,
                    "%" if y == 0 => None,
                    "/" => number(x / y),
                    "%" => number(x % y),
                    "&" => number(x & y),
                    "|" => number(x | y),
                    "^" => number(x ^ y),
                    "<" => truth(x < y),
                    ">" => truth(x > y),
                    "<=" => truth(x <= y),
                    ">=" => truth(x >= y),
                    "==" => truth(x == y),
                    _ => truth(x != y),
                }
            }
        }
    }
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (0..8usize).prop_map(Expr::Var),
        prop_oneof![
            -3..4i32,
            any::<i32>().prop_filter("-2147483648 is a long", |v| *v != i32::MIN)
        ]
        .prop_map(Expr::Literal),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        prop_oneof![
            1 => (prop_oneof![Just('-'), Just('~'), Just('!')], inner.clone())
                .prop_map(|(op, e)| Expr::Unary(op, Box::new(e))),
            1 => (0..8usize, inner.clone()).prop_map(|(ty, e)| Expr::Cast(ty, Box::new(e))),
            5 => (0..OPERATORS.len(), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Expr::Binary(OPERATORS[op], Box::new(a), Box::new(b))),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| Expr::Ternary(Box::new(a), Box::new(b), Box::new(c))),
        ]
    })
}

fn edge() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(-1),
        Just(i64::from(i32::MIN)),
        Just(i64::from(i32::MAX)),
        Just(i64::MIN),
        Just(i64::MAX),
        Just(128),
        Just(255),
        Just(32768),
        any::<i64>(),
    ]
}

/// What token soups are made of.
const WORDS: &[&str] = &[
    "int",
    "float4",
    "kernel",
    "void",
    "global",
    "local",
    "constant",
    "struct",
    "union",
    "enum",
    "typedef",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "return",
    "break",
    "continue",
    "sizeof",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    "=",
    "+",
    "-",
    "*",
    "/",
    "&",
    "|",
    "^",
    "~",
    "!",
    "<",
    ">",
    "->",
    ".",
    "++",
    "+=",
    "<<=",
    "==",
    "&&",
    "#",
    "##",
    "\n",
    "\n#define ",
    "\n#if ",
    "\n#endif\n",
    "\n#include ",
    "\n#elif ",
    "\n#line ",
    "...",
    "a",
    "b",
    "f",
    "x",
    "1",
    "0x1p3",
    "1.5f",
    "'c'",
    "\"s\"",
    "'",
    "\"",
    "\\",
    "@",
    "é",
    "__attribute__",
    "((",
    "))",
    "aligned",
    "atomic_int",
    "atomic_load",
    "get_global_id",
    "as_int",
    "convert_int4",
    "vload4",
    "memory_order_seq_cst",
    "select",
    ".xyz",
    "static",
    "const",
    "__VA_ARGS__",
    "defined",
    "_Pragma",
    "kernel void k(global int *a) {",
    "a[0] =",
    "(int4)(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn expressions_compute_what_c_says(
        exprs in prop::collection::vec(expr(), 8),
        vars in prop::array::uniform8(edge()),
    ) {
        // Constants and variables take different ways through the compiler.
        let known: Vec<_> = exprs.iter().filter_map(|e| Some((e, e.eval(&vars)?))).collect();
        let mut text = String::from("kernel void k(global long *out) {\n");
        for ((name, ..), (i, value)) in TYPES.iter().zip(vars.iter().enumerate()) {
            text += &format!("  {name} v{i} = ({name})(as_long({}UL));\n", *value as u64);
        }
        for (i, (e, _)) in known.iter().enumerate() {
            text += &format!("  out[{i}] = {};\n", e.text());
        }
        text += "}";
        let got = run::<i64>(&text, known.len().max(1));
        for ((e, want), got) in known.iter().zip(got) {
            prop_assert_eq!(want.bits as i64, got, "{} in\n{}", e.text(), text);
        }
    }

    #[test]
    fn token_soups_do_not_break_anything(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..120),
        tight in any::<bool>(),
    ) {
        let text = words.join(if tight { "" } else { " " });
        let result = build_with("-cl-std=CL3.0", &text);
        if let Err(log) = result {
            prop_assert!(log.contains("error: "), "{}", log);
            prop_assert!(!log.contains("defect"), "{}\n{}", text, log);
        }
    }

    #[test]
    fn bytes_do_not_break_anything(text in ".{0,200}") {
        if let Err(log) = build_with("-cl-std=CL1.2", &text) {
            prop_assert!(!log.contains("defect"), "{}\n{}", text, log);
        }
    }
}
