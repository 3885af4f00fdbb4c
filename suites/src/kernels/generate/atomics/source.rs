//! The kernels of crowds.

use super::form::Operation::{self, *};
use super::form::{ABOVE, Form, Type};
use super::values::enable;
use crate::choices::Choices;
use crate::kernels::generate::builder::cl;

/// An operation of item `i`, whose result is the value before.
fn one(operation: Operation, stride: u64, form: &Form, ty: Type) -> String {
    let t = ty.name();
    let bit = format!("({t})1 << (i % {})", ty.bits());
    let times = |value: &str| format!("({value}) * ({t}){stride}");
    // Extensions name the 64-bit forms `atom_`.
    let prefix = if ty.long() { "atom" } else { "atomic" };
    let old = |name: &str, value: &str| format!("{prefix}_{name}(p, ({t})({value}))");
    let new = |name: &str, value: &str| form.call(name, &format!("p, ({t})({value})"));
    let pick = |legacy: &str, c11: &str, value: &str| {
        if form.legacy {
            old(legacy, value)
        } else {
            new(c11, value)
        }
    };
    match operation {
        Add => pick("add", "fetch_add", &times("3")),
        Sub => pick("sub", "fetch_sub", &times("3")),
        Inc if form.legacy => format!("{prefix}_inc(p)"),
        Inc => new("fetch_add", "1"),
        Dec if form.legacy => format!("{prefix}_dec(p)"),
        Dec => new("fetch_sub", "1"),
        Or => pick("or", "fetch_or", &bit),
        And => pick("and", "fetch_and", &format!("~({bit})")),
        Xor => pick("xor", "fetch_xor", &bit),
        // Below zero where the type goes there.
        Min if ty.signed() => pick("min", "fetch_min", &times("2 - i")),
        Min => pick("min", "fetch_min", &times(&format!("{ABOVE} - i"))),
        Max if ty.signed() => pick("max", "fetch_max", &times(&format!("i - {ABOVE}"))),
        Max => pick("max", "fetch_max", &times("i + 5")),
        Exchange => pick("xchg", "exchange", &times("i + 1")),
        Compare | Flag => String::new(),
    }
}

/// The kernel of a crowd.
pub(super) fn source(
    choices: &mut Choices,
    (operation, stride): (Operation, u64),
    form: &Form,
    ty: Type,
    inside: bool,
    initial: u64,
) -> String {
    let t = ty.name();
    // The values before are whole numbers.
    let word = match ty {
        Type::Float => "int",
        Type::Double => "long",
        _ => t,
    };
    let initial = if ty.signed() {
        format!("({})", initial as i64)
    } else {
        format!("{initial}u")
    };
    let atomic = match (form.legacy, operation) {
        (_, Flag) => "atomic_flag".to_string(),
        (true, _) => format!("volatile {t}"),
        (false, _) => format!("volatile atomic_{t}"),
    };
    let operations = operations(choices, (operation, stride), form, ty, inside);
    let item = if inside {
        "get_local_id(0)"
    } else {
        "get_global_id(0)"
    };
    // The values that groups exchange in their own cells follow each other.
    let base = if inside && operation == Exchange {
        "get_group_id(0) * (get_local_size(0) * passes + 1)"
    } else {
        "0"
    };
    let all = if inside {
        "get_local_size(0)"
    } else {
        "get_global_size(0)"
    };
    let mut text = String::new();
    if ty.long() {
        text += &enable(ty);
    }
    if operation == Flag {
        return text + &flag(&operations, inside);
    }
    let (declare, begin, end) = if inside {
        local_cell((form, &atomic), ty, stride, &initial)
    } else {
        (
            format!("    global {atomic} *p = (global {atomic} *)left;\n"),
            String::new(),
            String::new(),
        )
    };
    let bits = ty.bits();
    let first = match operation {
        Or => {
            format!("        if (!(before >> (i % {bits}) & 1)) atomic_inc(&firsts[i % {bits}]);\n")
        }
        And => {
            format!("        if (before >> (i % {bits}) & 1) atomic_inc(&firsts[i % {bits}]);\n")
        }
        Add | Sub | Inc | Dec | Xor | Min | Max | Exchange | Compare | Flag => String::new(),
    };
    text += &cl!(
        "crowd.cl", t, word, base, declare, begin, item, all, operations, first, end
    );
    if operation == Exchange {
        text += &cl!("gather.cl", t, word);
    }
    text
}

/// What a work-item does to its object: statements that leave the value before in `before`.
fn operations(
    choices: &mut Choices,
    (operation, stride): (Operation, u64),
    form: &Form,
    ty: Type,
    inside: bool,
) -> String {
    let t = ty.name();
    // Whoever guesses is mostly told the value by a comparison that fails.
    let guessed = choices.percent(50);
    match operation {
        Compare if form.legacy => {
            let name = if ty.long() { "atom" } else { "atomic" };
            let first = if guessed {
                "0".to_string()
            } else {
                format!("{name}_add(p, ({t})0)")
            };
            format!(
                "\
            {t} old = {first}, seen;
            while ((seen = {name}_cmpxchg(p, old, old + ({t}){stride})) != old) old = seen;
            before = old;
"
            )
        }
        Compare => {
            let weak = choices.percent(50);
            let call = form.compare(weak, &format!("p, &old, old + ({t}){stride}"));
            let load = form.call_in("load", "relaxed", "p");
            let first = if guessed { "0".to_string() } else { load };
            format!(
                "\
            {t} old = {first};
            while (!{call}) {{ }}
            before = old;
"
            )
        }
        Flag => {
            let take = form.call_in("flag_test_and_set", "acquire", "p");
            let give = form.call_in("flag_clear", "release", "p");
            let owner = if inside { "&held" } else { "owners" };
            cl!("flag_hold.cl", take, owner, give)
        }
        Add | Sub | Inc | Dec | Or | And | Xor | Min | Max | Exchange => {
            let value = one(operation, stride, form, ty);
            format!(
                "            before = {value};
"
            )
        }
    }
}

/// The object of each group in local memory: how it is declared, begun with a value, and given back.
fn local_cell(
    (form, atomic): (&Form, &str),
    ty: Type,
    stride: u64,
    initial: &str,
) -> (String, String, String) {
    let t = ty.name();
    let (init, load) = if form.legacy {
        (
            format!("cell = ({t}){initial} + ({t})base * ({t}){stride};"),
            "cell".to_string(),
        )
    } else {
        (
            format!("atomic_init(&cell, ({t}){initial} + ({t})base * ({t}){stride});"),
            // Sums of floats are not everywhere.
            match ty.real() {
                true => {
                    "atomic_load_explicit(&cell, memory_order_relaxed, memory_scope_work_group)"
                        .to_string()
                }
                false => format!(
                    "atomic_fetch_add_explicit(&cell, ({t})0, memory_order_relaxed, \
                     memory_scope_work_group)"
                ),
            },
        )
    };
    (
        format!("    local {atomic} cell;\n    local {atomic} *p = &cell;\n"),
        format!("    if (get_local_id(0) == 0) {init}\n    barrier(CLK_LOCAL_MEM_FENCE);\n"),
        format!(
            "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (get_local_id(0) == 0) left[get_group_id(0)] = {load};\n"
        ),
    )
}

/// The kernel of a crowd around a flag; behind the flag lies the count of its holders.
fn flag(operations: &str, inside: bool) -> String {
    let begin = if inside {
        "\
    local atomic_flag cell;
    local atomic_flag *p = &cell;
    local int held;
    if (get_local_id(0) == 0) { atomic_flag_clear(&cell); held = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
"
    } else {
        "\
    volatile global atomic_flag *p = (volatile global atomic_flag *)left;
    volatile global int *owners = left + 1;
"
    };
    cl!("flag.cl", begin, operations)
}
