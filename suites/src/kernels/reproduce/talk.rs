//! A talk in C.

use super::wants;
use crate::commands::reproduce::text::{Text, quoted};
use crate::kernels::case::{KernelCase, Place};
use crate::kernels::talk::{Act, Base, Cell, Change, Is, Num, Order, REGISTERS, Reg};
use crate::rule::RuleId;

/// The functions that talks call.
pub const FUNCTIONS: &str = include_str!("talk.c");

/// The rest of a step that talks.
pub fn write(case: &KernelCase, acts: &[Act], rules: &[RuleId], c: &mut Text) {
    c.line(&format!("    cl_ulong r[{REGISTERS}] = {{ 0 }};"));
    c.line("    unsigned char *at;");
    match case.quit {
        Some(Place { object, byte }) => c.line(&format!(
            "    unsigned char *quit = cell({}, {byte}, 4);",
            object.0
        )),
        None => c.line("    unsigned char *quit = NULL;"),
    }
    let mut body = Body { c, depth: 1 };
    body.acts(acts, false);
    c.line("    goto end;");
    c.line("astray:");
    c.line(&format!(
        "    violation({}, \"%s\", {});",
        wants::rules(rules),
        quoted("a pointer or a number leads the host nowhere")
    ));
    c.line("given_up:");
    c.line("    if (quit)");
    c.line("        store(quit, 4, 1, memory_order_relaxed);");
    c.line("end:");
    c.line("    (void)r;");
    c.line("    (void)at;");
    c.line("    if (0)");
    c.line("        goto astray;");
    c.line("    if (0)");
    c.line("        goto given_up;");
    c.line("    return 1;");
}

struct Body<'a> {
    c: &'a mut Text,
    depth: usize,
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        self.c.line(&format!("{indent}{text}"));
    }

    /// `at` gets the address of a cell.
    fn find(&mut self, cell: &Cell) {
        let unit = cell.unit.bytes();
        let found = match &cell.base {
            Base::At(place, index) => format!(
                "cell({}, {}u + ({}) * {unit}u, {unit})",
                place.object.0,
                place.byte,
                num(index)
            ),
            Base::Pointer(reg, plus) => format!("pointed({} + {plus}u, {unit})", register(*reg)),
        };
        self.line(&format!("if (!(at = {found}))"));
        self.line("    goto astray;");
    }

    /// The acts; `inside` a repetition or not.
    fn acts(&mut self, acts: &[Act], inside: bool) {
        for act in acts {
            self.act(act, inside);
        }
    }

    fn act(&mut self, act: &Act, inside: bool) {
        match act {
            Act::Put(reg, value) => {
                let text = format!("{} = {};", register(*reg), num(value));
                self.line(&text);
            }
            Act::Address(reg, cell) => {
                self.find(cell);
                self.line(&format!("{} = (cl_ulong)(uintptr_t)at;", register(*reg)));
            }
            Act::Read(reg, cell) => self.load(*reg, cell, "memory_order_relaxed"),
            Act::Load(reg, cell, order) => self.load(*reg, cell, reads(*order)),
            Act::Write(cell, value) => self.store(cell, value, "memory_order_relaxed"),
            Act::Store(cell, value, order) => self.store(cell, value, writes(*order)),
            Act::Change {
                how,
                at,
                by,
                order,
                before,
            } => {
                self.find(at);
                self.line(&format!(
                    "{} = change(at, {}, {}, {}, {});",
                    register(*before),
                    at.unit.bytes(),
                    named(*how),
                    num(by),
                    both(*order)
                ));
            }
            Act::Swap {
                at,
                expected,
                new,
                order,
                weak,
                done,
            } => {
                self.find(at);
                let (unit, expected) = (at.unit.bytes(), register(*expected));
                self.line("{");
                self.depth += 1;
                self.line(&format!(
                    "cl_ulong wanted = {expected}, value = {};",
                    num(new)
                ));
                self.line(&format!(
                    "int done = swap(at, {unit}, &{expected}, value, {});",
                    both(*order)
                ));
                if !weak {
                    self.line(&format!("while (!done && {expected} == wanted)"));
                    self.line(&format!(
                        "    done = swap(at, {unit}, &{expected}, value, {});",
                        both(*order)
                    ));
                }
                self.line("(void)wanted;");
                self.line(&format!("{} = (cl_ulong)done;", register(*done)));
                self.depth -= 1;
                self.line("}");
            }
            Act::Fence(Order::Relaxed) => {}
            Act::Fence(order) => self.line(&format!("atomic_thread_fence({});", both(*order))),
            Act::Await {
                at,
                value,
                order,
                must,
            } => {
                self.find(at);
                let must = if *must { "1" } else { "quitting(quit)" };
                self.line(&format!(
                    "if (!await(at, {}, {}, {}, quit) && {must})",
                    at.unit.bytes(),
                    num(value),
                    reads(*order)
                ));
                self.line("    goto given_up;");
            }
            Act::Repeat(times, count, body) => {
                self.line(&format!(
                    "for (cl_ulong n = 0, end = {}; n < end; n++) {{",
                    num(times)
                ));
                self.depth += 1;
                self.line("if (quitting(quit))");
                self.line("    goto given_up;");
                self.line(&format!("{} = n;", register(*count)));
                self.acts(body, true);
                self.depth -= 1;
                self.line("}");
            }
            Act::When(left, is, right, body) => {
                let (left, right) = (num(left), num(right));
                let holds = match is {
                    Is::Equal => format!("{left} == {right}"),
                    Is::Unequal => format!("{left} != {right}"),
                    Is::Below => format!("below({left}, {right})"),
                };
                self.line(&format!("if ({holds}) {{"));
                self.depth += 1;
                self.acts(body, inside);
                self.depth -= 1;
                self.line("}");
            }
            Act::Leave if inside => self.line("break;"),
            Act::Leave => self.line("goto end;"),
        }
    }

    fn load(&mut self, reg: Reg, cell: &Cell, order: &str) {
        self.find(cell);
        self.line(&format!(
            "{} = load(at, {}, {order});",
            register(reg),
            cell.unit.bytes()
        ));
    }

    fn store(&mut self, cell: &Cell, value: &Num, order: &str) {
        self.find(cell);
        self.line(&format!(
            "store(at, {}, {}, {order});",
            cell.unit.bytes(),
            num(value)
        ));
    }
}

fn register(reg: Reg) -> String {
    format!("r[{}]", reg.0)
}

fn num(n: &Num) -> String {
    let mut text = format!("(cl_ulong){}u", n.plus);
    for (reg, times) in &n.of {
        text += &format!(" + {} * {times}u", register(*reg));
    }
    text
}

fn named(how: Change) -> &'static str {
    match how {
        Change::Add => "ADD",
        Change::Sub => "SUB",
        Change::Or => "OR",
        Change::And => "AND",
        Change::Xor => "XOR",
        Change::Min => "MIN",
        Change::Max => "MAX",
        Change::MinSigned => "MIN_SIGNED",
        Change::MaxSigned => "MAX_SIGNED",
        Change::Exchange => "EXCHANGE",
    }
}

fn reads(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::AcqRel => "memory_order_acquire",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

fn writes(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::AcqRel => "memory_order_release",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

fn both(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}
