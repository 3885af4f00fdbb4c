//! The kernels of crowds.

use super::form::{ABOVE, Form, Operation, Type};
use crate::choices::Choices;
use crate::kernels::generate::builder::INT64;

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
        Operation::Add => pick("add", "fetch_add", &times("3")),
        Operation::Sub => pick("sub", "fetch_sub", &times("3")),
        Operation::Inc if form.legacy => format!("{prefix}_inc(p)"),
        Operation::Inc => new("fetch_add", "1"),
        Operation::Dec if form.legacy => format!("{prefix}_dec(p)"),
        Operation::Dec => new("fetch_sub", "1"),
        Operation::Or => pick("or", "fetch_or", &bit),
        Operation::And => pick("and", "fetch_and", &format!("~({bit})")),
        Operation::Xor => pick("xor", "fetch_xor", &bit),
        // Below zero where the type goes there.
        Operation::Min if ty.signed() => pick("min", "fetch_min", &times("2 - i")),
        Operation::Min => pick("min", "fetch_min", &times(&format!("{ABOVE} - i"))),
        Operation::Max if ty.signed() => pick("max", "fetch_max", &times(&format!("i - {ABOVE}"))),
        Operation::Max => pick("max", "fetch_max", &times("i + 5")),
        Operation::Exchange => pick("xchg", "exchange", &times("i + 1")),
        Operation::Compare | Operation::Flag => String::new(),
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
    let initial = if ty.signed() {
        format!("({})", initial as i64)
    } else {
        format!("{initial}u")
    };
    let atomic = match (form.legacy, operation) {
        (_, Operation::Flag) => "atomic_flag".to_string(),
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
    let base = if inside && operation == Operation::Exchange {
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
        text += INT64;
    }
    if operation == Operation::Flag {
        return text + &flag(&operations, inside);
    }
    let (declare, begin, end) = if inside {
        local_cell((form, &atomic), t, stride, &initial)
    } else {
        (
            format!("    global {atomic} *p = (global {atomic} *)left;\n"),
            String::new(),
            String::new(),
        )
    };
    let bits = ty.bits();
    let first = match operation {
        Operation::Or => {
            format!("        if (!(before >> (i % {bits}) & 1)) atomic_inc(&firsts[i % {bits}]);\n")
        }
        Operation::And => {
            format!("        if (before >> (i % {bits}) & 1) atomic_inc(&firsts[i % {bits}]);\n")
        }
        Operation::Add
        | Operation::Sub
        | Operation::Inc
        | Operation::Dec
        | Operation::Xor
        | Operation::Min
        | Operation::Max
        | Operation::Exchange
        | Operation::Compare
        | Operation::Flag => String::new(),
    };
    text += &format!(
        "\
kernel void crowd(global {t} *left, global {t} *out, volatile global uint *firsts, uint passes) {{
    const uint base = {base};
{declare}{begin}    for (uint pass = 0; pass < passes; pass++) {{
        {t} i = ({t})({item} + pass * {all} + base), before;
        {{
{operations}        }}
        out[get_global_id(0) + pass * get_global_size(0)] = before;
{first}    }}
{end}}}
"
    );
    if operation == Operation::Exchange {
        text += &format!(
            "\
kernel void gather(global {t} *left, global {t} *out, global {t} *all, uint returned, uint cells) {{
    for (uint i = 0; i < returned; i++) all[i] = out[i];
    for (uint i = 0; i < cells; i++) all[returned + i] = left[i];
}}
"
        );
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
        Operation::Compare if form.legacy => {
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
        Operation::Compare => {
            let weak = choices.percent(50);
            let call = form.compare(weak, &format!("p, &old, old + ({t}){stride}"));
            let load = "atomic_load_explicit(p, memory_order_relaxed)";
            let load = if form.explicit == 0 {
                "atomic_load(p)"
            } else {
                load
            };
            let load = if form.explicit == 2 {
                format!(
                    "atomic_load_explicit(p, memory_order_relaxed, memory_scope_{})",
                    form.scope
                )
            } else {
                load.to_string()
            };
            let first = if guessed { "0".to_string() } else { load };
            format!(
                "\
            {t} old = {first};
            while (!{call}) {{ }}
            before = old;
"
            )
        }
        Operation::Flag => {
            let take = match form.explicit {
                0 => "atomic_flag_test_and_set(p)".to_string(),
                1 => "atomic_flag_test_and_set_explicit(p, memory_order_acquire)".into(),
                _ => format!(
                    "atomic_flag_test_and_set_explicit(p, memory_order_acquire, memory_scope_{})",
                    form.scope
                ),
            };
            let give = match form.explicit {
                0 => "atomic_flag_clear(p)".to_string(),
                1 => "atomic_flag_clear_explicit(p, memory_order_release)".into(),
                _ => format!(
                    "atomic_flag_clear_explicit(p, memory_order_release, memory_scope_{})",
                    form.scope
                ),
            };
            let owner = if inside { "&held" } else { "owners" };
            format!(
                "\
            before = 0;
            for (uint tries = 0; tries < 1000; tries++) {{
                if ({take}) continue;
                if (atomic_inc({owner}) != 0) before = 1;
                atomic_dec({owner});
                {give};
                break;
            }}
"
            )
        }
        Operation::Add
        | Operation::Sub
        | Operation::Inc
        | Operation::Dec
        | Operation::Or
        | Operation::And
        | Operation::Xor
        | Operation::Min
        | Operation::Max
        | Operation::Exchange => format!(
            "            before = {};\n",
            one(operation, stride, form, ty)
        ),
    }
}

/// The object of each group in local memory: how it is declared, begun with a value, and given back.
fn local_cell(
    (form, atomic): (&Form, &str),
    t: &str,
    stride: u64,
    initial: &str,
) -> (String, String, String) {
    let (init, load) = if form.legacy {
        (
            format!("cell = ({t}){initial} + ({t})base * ({t}){stride};"),
            "cell".to_string(),
        )
    } else {
        (
            format!("atomic_init(&cell, ({t}){initial} + ({t})base * ({t}){stride});"),
            format!(
                "atomic_fetch_add_explicit(&cell, ({t})0, memory_order_relaxed, \
                 memory_scope_work_group)"
            ),
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
    format!(
        "\
kernel void crowd(global int *left, global int *out, volatile global uint *firsts, uint passes) {{
{begin}    for (uint pass = 0; pass < passes; pass++) {{
        int before;
        {{
{operations}        }}
        out[get_global_id(0) + pass * get_global_size(0)] = before;
    }}
}}
"
    )
}
