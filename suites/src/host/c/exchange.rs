//! The host's part in an exchange, in C.

use super::text::Text;
use crate::host::exchange::{Base, Cell, Change, Is, Num, Operation, Order, REGISTERS, Reg};
use crate::host::program::{HostProgram, Op};
use crate::host::value::{Place, Slot};
use std::fmt;

/// The memory that the host may use while kernels run.
pub fn open_memory(program: &HostProgram, c: &mut Text) {
    c.line("/* Memory that the host may use while kernels run. */");
    c.line("static const struct { unsigned char **start; size_t bytes; } open_memory[] = {");
    for (slot, bytes) in program.open_memory() {
        if let Some(info) = program.slots.get(slot.index()) {
            c.line(&format!("    {{ &{}, {bytes} }},", info.name));
        }
    }
    c.line("    { &(unsigned char *){ NULL }, 0 }");
    c.line("};");
    c.line("");
}

/// A function that plays the operations of an exchange, and says whether it came to their end.
pub fn function(program: &HostProgram, n: usize, exchange: &Op, c: &mut Text) {
    let Op::Exchange { quit, operations } = exchange else {
        return;
    };
    c.line("/* Takes part in what kernels do. */");
    c.function(&format!("static void exchange_{n}(void)"));
    c.put(format!("cl_ulong r[{REGISTERS}] = {{ 0 }};"));
    c.put("unsigned char *at;");
    let place = quit.map_or("NULL".into(), |Place { object, byte }| {
        format!("cell({}, {byte}, 4)", memory(program, object))
    });
    c.put(format!("unsigned char *quit = {place};"));
    all(program, operations, false, c);
    c.put(include_str!("exchange_end.c"));
    c.close();
}

/// The number of a slot's memory among those that are open; the last has no bytes.
fn memory(program: &HostProgram, slot: Slot) -> usize {
    let open = program.open_memory();
    let place = open.keys().position(|other| *other == slot);
    place.unwrap_or(open.len())
}

/// `at` gets the address of a cell.
fn find(program: &HostProgram, cell: &Cell, c: &mut Text) {
    let unit = cell.unit.bytes();
    let found = match &cell.base {
        Base::At(Place { object, byte }, index) => {
            let memory = memory(program, *object);
            format!("cell({memory}, {byte}u + ({index}) * {unit}u, {unit})")
        }
        Base::Pointer(reg, plus) => format!("pointed({reg} + {plus}u, {unit})"),
    };
    c.when(format!("!(at = {found})"), "goto astray;");
}

/// The operations; `inside` a repetition or not.
fn all(program: &HostProgram, operations: &[Operation], inside: bool, c: &mut Text) {
    for operation in operations {
        match operation {
            Operation::Put(reg, value) => c.put(format!("{reg} = {value};")),
            Operation::Address(reg, cell) => {
                find(program, cell, c);
                c.put(format!("{reg} = (cl_ulong)(uintptr_t)at;"));
            }
            Operation::Read(reg, cell) => load(program, *reg, cell, Order::Relaxed, c),
            Operation::Load(reg, cell, order) => load(program, *reg, cell, *order, c),
            Operation::Write(cell, value) => store(program, cell, value, Order::Relaxed, c),
            Operation::Store(cell, value, order) => store(program, cell, value, *order, c),
            Operation::Change {
                how,
                at,
                by,
                order,
                before,
            } => {
                find(program, at, c);
                let (unit, how, order) = (at.unit.bytes(), named(*how), ordered(*order, BOTH));
                c.put(format!(
                    "{before} = change(at, {unit}, {how}, {by}, {order});"
                ));
            }
            Operation::Swap {
                at,
                expected,
                new,
                order,
                weak,
                done,
            } => {
                find(program, at, c);
                let (unit, order) = (at.unit.bytes(), ordered(*order, BOTH));
                let swap = format!("swap(at, {unit}, &{expected}, value, {order})");
                c.open("");
                c.put(format!("cl_ulong wanted = {expected}, value = {new};"));
                c.put(format!("int done = {swap};"));
                if !weak {
                    c.put(format!("while (!done && {expected} == wanted)"));
                    c.put(format!("    done = {swap};"));
                }
                c.put("(void)wanted;");
                c.put(format!("{done} = (cl_ulong)done;"));
                c.close();
            }
            Operation::Fence(Order::Relaxed) => {}
            Operation::Fence(order) => {
                c.put(format!("atomic_thread_fence({});", ordered(*order, BOTH)));
            }
            Operation::Await {
                at,
                value,
                order,
                must,
            } => {
                find(program, at, c);
                let must = if *must { "1" } else { "quitting(quit)" };
                let (unit, order) = (at.unit.bytes(), ordered(*order, ACQUIRE));
                let came = format!("await(at, {unit}, {value}, {order}, quit)");
                c.when(format!("!{came} && {must}"), "goto timed_out;");
            }
            Operation::Repeat(times, count, body) => {
                c.open(format!("for (cl_ulong n = 0, end = {times}; n < end; n++)"));
                c.when("quitting(quit)", "goto timed_out;");
                c.put(format!("{count} = n;"));
                all(program, body, true, c);
                c.close();
            }
            Operation::When(left, is, right, body) => {
                let holds = match is {
                    Is::Equal => format!("{left} == {right}"),
                    Is::Unequal => format!("{left} != {right}"),
                    Is::Below => format!("below({left}, {right})"),
                };
                c.open(format!("if ({holds})"));
                all(program, body, inside, c);
                c.close();
            }
            Operation::Leave if inside => c.put("break;"),
            Operation::Leave => c.put("goto end;"),
        }
    }
}

fn load(program: &HostProgram, reg: Reg, cell: &Cell, order: Order, c: &mut Text) {
    find(program, cell, c);
    let (unit, order) = (cell.unit.bytes(), ordered(order, ACQUIRE));
    c.put(format!("{reg} = load(at, {unit}, {order});"));
}

fn store(program: &HostProgram, cell: &Cell, value: &Num, order: Order, c: &mut Text) {
    find(program, cell, c);
    let (unit, order) = (cell.unit.bytes(), ordered(order, RELEASE));
    c.put(format!("store(at, {unit}, {value}, {order});"));
}

/// A register in C.
impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r[{}]", self.0)
    }
}

/// A number in C.
impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(cl_ulong){}u", self.plus)?;
        let mut terms = self.of.iter();
        terms.try_for_each(|(reg, times)| write!(f, " + {reg} * {times}u"))
    }
}

/// A read-modify-write, as `change` knows it.
fn named(how: Change) -> String {
    how.name().to_uppercase().replace('-', "_")
}

/// What [`Order::AcqRel`] is of what reads, of what writes, and of what does both.
const ACQUIRE: &str = "memory_order_acquire";
const RELEASE: &str = "memory_order_release";
const BOTH: &str = "memory_order_acq_rel";

fn ordered(order: Order, acq_rel: &'static str) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::AcqRel => acq_rel,
        Order::SeqCst => "memory_order_seq_cst",
    }
}
