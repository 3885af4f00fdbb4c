//! The rules of the specification, one by one, each with a program that it decides.

mod evaluation;
mod explanation;
mod order;
mod synchronization;

use super::under;
use crate::oracle::{Explanation, Limits, Model, explain, judge};
use crate::syntax::read_litmus;

/// What a test says of its outcome.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Forbidden,
    Allowed,
    /// Some execution has a race.
    Racy,
}
use Verdict::{Allowed, Forbidden, Racy};

fn verdict(model: &str, text: &str) -> Verdict {
    let judgement = under(model, text);
    match (judgement.racy, judgement.holds) {
        (true, _) => Racy,
        (false, true) => Allowed,
        (false, false) => Forbidden,
    }
}

/// A test over threads of given placements and bodies; `x` and `y` are global atomics, `l` and `m`
/// local ones, `d` is global and `e` local data.
fn test(threads: &[(&str, &str)], exists: &str) -> String {
    let mut text = "OPENCL test\n{ [x]=0; [y]=0; [l]=0; [m]=0; [d]=0; [e]=0; }\n".to_owned();
    let parameters = "global atomic_int* x, global atomic_int* y, local atomic_int* l, \
                      local atomic_int* m, global int* d, local int* e";
    for (t, (placement, body)) in threads.iter().enumerate() {
        text += &format!("P{t}@{placement} ({parameters}) {{ {body} }}\n");
    }
    text + &format!("exists ({exists})")
}

const HERE: &str = "wg 0, dev 0";
const THERE: &str = "wg 1, dev 0";

fn load(object: &str, order: &str, scope: &str) -> String {
    format!("atomic_load_explicit({object}, memory_order_{order}, memory_scope_{scope})")
}

fn store(object: &str, value: &str, order: &str, scope: &str) -> String {
    format!("atomic_store_explicit({object}, {value}, memory_order_{order}, memory_scope_{scope});")
}

fn fence(flags: &str, order: &str, scope: &str) -> String {
    let flags: Vec<String> = flags
        .split('|')
        .map(|f| format!("CLK_{f}_MEM_FENCE"))
        .collect();
    format!(
        "atomic_work_item_fence({}, memory_order_{order}, memory_scope_{scope});",
        flags.join(" | ")
    )
}

/// Message passing of plain data through a flag.
fn passing(
    data: &str,
    flag: &str,
    (write, write_scope): (&str, &str),
    (read, read_scope): (&str, &str),
    reader: &str,
) -> String {
    test(
        &[
            (
                HERE,
                &format!("*{data} = 1; {}", store(flag, "1", write, write_scope)),
            ),
            (
                reader,
                &format!(
                    "int r0 = {}; int r1 = 7; if (r0 == 1) {{ r1 = *{data}; }}",
                    load(flag, read, read_scope)
                ),
            ),
        ],
        "1:r0=1 /\\ 1:r1=0",
    )
}

fn store_buffering(order: &str, scope: &str, between: &str) -> String {
    let thread = |to: &str, from: &str| {
        format!(
            "{} {between} int r0 = {};",
            store(to, "1", order, scope),
            load(from, order, scope)
        )
    };
    test(
        &[(HERE, &thread("x", "y")), (HERE, &thread("y", "x"))],
        "0:r0=0 /\\ 1:r0=0",
    )
}
