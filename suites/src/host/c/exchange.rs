//! The host's part in an exchange, in C.

use super::Writer;
use super::text::Text;
use crate::host::exchange::{Base, Cell, Change, Is, Num, Operation, Order, REGISTERS, Reg};
use crate::host::program::HostProgram;
use crate::host::value::{Place, Slot};

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

/// A function that plays the operations, and says whether it came to their end.
pub fn function(
    writer: &Writer<'_>,
    n: usize,
    quit: Option<Place>,
    operations: &[Operation],
    c: &mut Text,
) {
    c.line("/* Takes part in what kernels do. */");
    c.function(&format!("static void exchange_{n}(void)"));
    c.put(format!("cl_ulong r[{REGISTERS}] = {{ 0 }};"));
    c.put("unsigned char *at;");
    let place = match quit {
        Some(Place { object, byte }) => {
            format!("cell({}, {byte}, 4)", memory(writer.program, object))
        }
        None => "NULL".into(),
    };
    c.put(format!("unsigned char *quit = {place};"));
    let mut body = Body { writer, c };
    body.operations(operations, false);
    let rest = [
        "goto end;",
        "astray:",
        "astray = \"a pointer or a number leads the host nowhere\";",
        "goto timed_out;",
        "timed_out:",
        "exchange_timed_out |= !astray;",
        "if (quit)",
        "    store(quit, 4, 1, memory_order_relaxed);",
        "end:",
        "(void)r;",
        "(void)at;",
        "if (0)",
        "    goto astray;",
    ];
    rest.iter().for_each(|line| c.put(line));
    c.close();
}

/// The number of a slot's memory among those that are open; the last has no bytes.
fn memory(program: &HostProgram, slot: Slot) -> usize {
    let open = program.open_memory();
    let place = open.keys().position(|other| *other == slot);
    place.unwrap_or(open.len())
}

struct Body<'a> {
    writer: &'a Writer<'a>,
    c: &'a mut Text,
}

impl Body<'_> {
    /// `at` gets the address of a cell.
    fn find(&mut self, cell: &Cell) {
        let unit = cell.unit.bytes();
        let found = match &cell.base {
            Base::At(place, index) => format!(
                "cell({}, {}u + ({}) * {unit}u, {unit})",
                memory(self.writer.program, place.object),
                place.byte,
                num(index)
            ),
            Base::Pointer(reg, plus) => format!("pointed({} + {plus}u, {unit})", register(*reg)),
        };
        self.c.put(format!("if (!(at = {found}))"));
        self.c.put("    goto astray;");
    }

    /// The operations; `inside` a repetition or not.
    fn operations(&mut self, operations: &[Operation], inside: bool) {
        for operation in operations {
            self.operation(operation, inside);
        }
    }

    fn operation(&mut self, operation: &Operation, inside: bool) {
        match operation {
            Operation::Put(reg, value) => {
                self.c.put(format!("{} = {};", register(*reg), num(value)));
            }
            Operation::Address(reg, cell) => {
                self.find(cell);
                let register = register(*reg);
                self.c.put(format!("{register} = (cl_ulong)(uintptr_t)at;"));
            }
            Operation::Read(reg, cell) => self.load(*reg, cell, "memory_order_relaxed"),
            Operation::Load(reg, cell, order) => self.load(*reg, cell, ordered(*order, ACQUIRE)),
            Operation::Write(cell, value) => self.store(cell, value, "memory_order_relaxed"),
            Operation::Store(cell, value, order) => {
                self.store(cell, value, ordered(*order, RELEASE))
            }
            Operation::Change {
                how,
                at,
                by,
                order,
                before,
            } => {
                self.find(at);
                self.c.put(format!(
                    "{} = change(at, {}, {}, {}, {});",
                    register(*before),
                    at.unit.bytes(),
                    named(*how),
                    num(by),
                    ordered(*order, BOTH)
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
                self.find(at);
                let (unit, expected) = (at.unit.bytes(), register(*expected));
                let swap = format!(
                    "swap(at, {unit}, &{expected}, value, {})",
                    ordered(*order, BOTH)
                );
                self.c.open("");
                self.c.put(format!(
                    "cl_ulong wanted = {expected}, value = {};",
                    num(new)
                ));
                self.c.put(format!("int done = {swap};"));
                if !weak {
                    self.c.put(format!("while (!done && {expected} == wanted)"));
                    self.c.put(format!("    done = {swap};"));
                }
                self.c.put("(void)wanted;");
                self.c.put(format!("{} = (cl_ulong)done;", register(*done)));
                self.c.close();
            }
            Operation::Fence(Order::Relaxed) => {}
            Operation::Fence(order) => {
                self.c
                    .put(format!("atomic_thread_fence({});", ordered(*order, BOTH)));
            }
            Operation::Await {
                at,
                value,
                order,
                must,
            } => {
                self.find(at);
                let must = if *must { "1" } else { "quitting(quit)" };
                self.c.put(format!(
                    "if (!await(at, {}, {}, {}, quit) && {must})",
                    at.unit.bytes(),
                    num(value),
                    ordered(*order, ACQUIRE)
                ));
                self.c.put("    goto timed_out;");
            }
            Operation::Repeat(times, count, body) => {
                self.c.open(format!(
                    "for (cl_ulong n = 0, end = {}; n < end; n++)",
                    num(times)
                ));
                self.c.put("if (quitting(quit))");
                self.c.put("    goto timed_out;");
                self.c.put(format!("{} = n;", register(*count)));
                self.operations(body, true);
                self.c.close();
            }
            Operation::When(left, is, right, body) => {
                let (left, right) = (num(left), num(right));
                let holds = match is {
                    Is::Equal => format!("{left} == {right}"),
                    Is::Unequal => format!("{left} != {right}"),
                    Is::Below => format!("below({left}, {right})"),
                };
                self.c.open(format!("if ({holds})"));
                self.operations(body, inside);
                self.c.close();
            }
            Operation::Leave if inside => self.c.put("break;"),
            Operation::Leave => self.c.put("goto end;"),
        }
    }

    fn load(&mut self, reg: Reg, cell: &Cell, order: &str) {
        self.find(cell);
        let unit = cell.unit.bytes();
        self.c
            .put(format!("{} = load(at, {unit}, {order});", register(reg)));
    }

    fn store(&mut self, cell: &Cell, value: &Num, order: &str) {
        self.find(cell);
        let unit = cell.unit.bytes();
        self.c
            .put(format!("store(at, {unit}, {}, {order});", num(value)));
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
