//! A program as YAML.

use super::fields::short;
use crate::program::{
    Access, Atomicity, Barrier, BarrierScope, CommandId, CommandKind, Expr, FenceFlags, HostCall,
    Instr, LocId, Location, MapAccess, Placement, Program, Quantifier, QueueId, QueueOrder, Region,
    Register, ScalarType, Thread,
};
use crate::syntax::write::{ThreadText, names, predicate};
use std::fmt::Write;

/// Writes a test as YAML. What the readers produce reads back equal.
pub fn write_yaml(program: &Program) -> String {
    let mut out = format!("litmus: {}\n", quoted(&program.name));
    if !program.locations.is_empty() {
        out.push_str("locations:\n");
        for location in &program.locations {
            let _ = writeln!(out, "  - {}", location_fields(location));
        }
    }
    if !program.queues.is_empty() {
        out.push_str("queues:\n");
        for queue in &program.queues {
            let order = match queue.order {
                QueueOrder::InOrder => "in_order",
                QueueOrder::OutOfOrder => "out_of_order",
            };
            let _ = writeln!(out, "  - {{name: {}, order: {order}}}", quoted(&queue.name));
        }
    }
    out.push_str("threads:\n");
    for thread in &program.threads {
        thread_fields(program, thread, &mut out);
    }
    if let Some(filter) = &program.filter {
        let _ = writeln!(out, "filter: {}", quoted(&predicate(program, filter)));
    }
    let quantifier = match program.condition.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "not_exists",
        Quantifier::Forall => "forall",
    };
    let asked = predicate(program, &program.condition.predicate);
    let _ = writeln!(out, "{quantifier}: {}", quoted(&asked));
    out
}

/// Text as a YAML scalar: bare where nothing in it could mean anything else.
fn quoted(text: &str) -> String {
    let word = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '+')
        && text.chars().any(|c| c.is_ascii_alphabetic() || c == '_')
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let special = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off"
    );
    if word && !special || text.parse::<i64>().is_ok_and(|v| v.to_string() == text) {
        return text.to_string();
    }
    if !text.contains('\'') && !text.chars().any(char::is_control) {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn location_fields(location: &Location) -> String {
    let mut fields = vec![
        format!("name: {}", quoted(&location.name)),
        format!("type: {}", location.ty.name()),
    ];
    if location.atomic && location.ty != ScalarType::Flag {
        fields.push("atomic: true".to_string());
    }
    if location.region == Region::Local {
        fields.push("region: local".to_string());
    }
    if let Some(memory) = location.memory.name() {
        fields.push(format!("memory: {memory}"));
    }
    if location.generic {
        fields.push("generic: true".to_string());
    }
    let values: Vec<String> = location.init.iter().map(|v| location.ty.show(*v)).collect();
    if location.array {
        fields.push(format!("init: [{}]", values.join(", ")));
    } else {
        fields.push(format!("init: {}", values[0]));
    }
    format!("{{{}}}", fields.join(", "))
}

fn register_fields(register: &Register) -> String {
    let ty = match register.ty {
        ScalarType::Flag => "bool",
        ScalarType::Char
        | ScalarType::UChar
        | ScalarType::Short
        | ScalarType::UShort
        | ScalarType::Int
        | ScalarType::UInt
        | ScalarType::Long
        | ScalarType::ULong => register.ty.name(),
    };
    let init = match register.init {
        0 => String::new(),
        value => format!(", init: {}", register.ty.show(value)),
    };
    format!("{{name: {}, type: {ty}{init}}}", quoted(&register.name))
}

fn thread_fields(program: &Program, thread: &Thread, out: &mut String) {
    match thread.placement {
        Placement::Host => out.push_str("  - host: true\n"),
        Placement::Device {
            device,
            work_group,
            sub_group,
        } => {
            let _ = writeln!(out, "  - device: {device}\n    work_group: {work_group}");
            if let Some(kernel) = thread.kernel {
                let name = quoted(&program.commands[kernel.index()].name);
                let _ = writeln!(out, "    kernel: {name}");
            }
            if let Some(sub_group) = sub_group {
                let _ = writeln!(out, "    sub_group: {sub_group}");
            }
        }
    }
    if !thread.registers.is_empty() {
        out.push_str("    registers:\n");
        for register in &thread.registers {
            let _ = writeln!(out, "      - {}", register_fields(register));
        }
    }
    let mut writer = Writer {
        text: ThreadText {
            program,
            thread,
            volatile: Vec::new(),
        },
        out,
    };
    writer.block("body", &thread.body, 4);
}

struct Writer<'p, 'o> {
    text: ThreadText<'p>,
    out: &'o mut String,
}

impl Writer<'_, '_> {
    /// `key:` and a list of instructions below it, all `indent` deep.
    fn block(&mut self, key: &str, instrs: &[Instr], indent: usize) {
        if instrs.is_empty() {
            let _ = writeln!(self.out, "{:indent$}{key}: []", "");
            return;
        }
        let _ = writeln!(self.out, "{:indent$}{key}:", "");
        for instr in instrs {
            let _ = write!(self.out, "{:1$}- ", "", indent + 2);
            self.instr(instr, indent + 4);
        }
    }

    fn fields(&mut self, fields: &[String]) {
        let _ = writeln!(self.out, "{{{}}}", fields.join(", "));
    }

    fn expression(&self, expr: &Expr) -> String {
        quoted(&self.text.expression(expr))
    }

    /// One instruction; `indent` is where further keys of it stand.
    fn instr(&mut self, instr: &Instr, indent: usize) {
        match instr {
            Instr::Assign {
                register,
                value: Expr::Load(access),
            } => {
                let mut fields = vec![
                    format!("load: {}", self.place(access)),
                    format!("into: {}", quoted(self.text.register(*register))),
                ];
                fields.extend(access_fields(access.atomicity));
                self.fields(&fields);
            }
            Instr::Assign { register, value } => {
                let register = quoted(self.text.register(*register));
                let value = self.expression(value);
                self.fields(&[format!("assign: {register}"), format!("value: {value}")]);
            }
            Instr::Effect(value) => {
                let value = self.expression(value);
                self.fields(&[format!("effect: {value}")]);
            }
            Instr::Store { access, value } if self.is_flag(access) => {
                let clear = quoted(&self.text.store(access, value));
                self.fields(&[format!("effect: {clear}")]);
            }
            Instr::Store { access, value } => {
                let mut fields = vec![
                    format!("store: {}", self.place(access)),
                    format!("value: {}", self.expression(value)),
                ];
                fields.extend(access_fields(access.atomicity));
                self.fields(&fields);
            }
            Instr::Fence {
                flags,
                order,
                scope,
                legacy,
            } => {
                let mut fields = vec![
                    format!("fence: {}", flag_list(*flags)),
                    format!("order: {}", short(order.name())),
                    format!("scope: {}", short(scope.name())),
                ];
                if *legacy {
                    fields.push("legacy: true".into());
                }
                self.fields(&fields);
            }
            Instr::Barrier(barrier) => self.barrier(barrier),
            Instr::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expression(condition);
                let _ = writeln!(self.out, "if: {condition}");
                self.block("then", then, indent);
                if !otherwise.is_empty() {
                    self.block("else", otherwise, indent);
                }
            }
            Instr::While { condition, body } => {
                let condition = self.expression(condition);
                let _ = writeln!(self.out, "while: {condition}");
                self.block("do", body, indent);
            }
            Instr::Return => self.out.push_str("return\n"),
            Instr::Host(call) => {
                let fields = call_fields(self.text.program, call);
                self.fields(&fields);
            }
        }
    }

    fn barrier(&mut self, barrier: &Barrier) {
        let key = match barrier.group {
            BarrierScope::WorkGroup => "barrier",
            BarrierScope::SubGroup => "sub_group_barrier",
        };
        let mut fields = vec![format!("{key}: {}", flag_list(barrier.flags))];
        if let Some(label) = &barrier.label {
            fields.push(format!("label: {}", quoted(label)));
        }
        if let Some(scope) = barrier.scope {
            fields.push(format!("scope: {}", short(scope.name())));
        }
        self.fields(&fields);
    }

    fn is_flag(&self, access: &Access) -> bool {
        let location = access.address.location;
        self.text.program.locations[location.index()].ty == ScalarType::Flag
    }

    /// A location or an element of one.
    fn place(&self, access: &Access) -> String {
        let name = self.text.location(access.address.location);
        match &access.address.index {
            None => quoted(name),
            Some(index) => quoted(&format!("{name}[{}]", self.text.expression(index))),
        }
    }
}

fn access_fields(atomicity: Atomicity) -> Vec<String> {
    match atomicity {
        Atomicity::Plain => Vec::new(),
        Atomicity::Volatile => vec!["volatile: true".to_string()],
        Atomicity::Atomic { implicit: true, .. } => vec!["atomic: true".to_string()],
        Atomicity::Atomic { order, scope, .. } => {
            let mut fields = vec![format!("order: {}", short(order.name()))];
            fields.extend(scope.map(|s| format!("scope: {}", short(s.name()))));
            fields
        }
    }
}

/// The keys of a call of the OpenCL API.
fn call_fields(program: &Program, call: &HostCall) -> Vec<String> {
    let list = |events: &[CommandId]| {
        let events: Vec<String> = names(program, events).iter().map(|n| quoted(n)).collect();
        format!("[{}]", events.join(", "))
    };
    let queue = |queue: QueueId| quoted(&program.queues[queue.index()].name);
    let id = match call {
        HostCall::Enqueue(id) => *id,
        HostCall::Wait(events) => return vec![format!("wait: {}", list(events))],
        HostCall::Finish(on) => return vec![format!("finish: {}", queue(*on))],
    };
    let command = &program.commands[id.index()];
    let name = quoted(&command.name);
    let place = |location: LocId| quoted(&program.locations[location.index()].name);
    let mut fields = match command.kind {
        CommandKind::Kernel => vec![format!("enqueue: {name}")],
        CommandKind::Marker => vec![format!("marker: {name}")],
        CommandKind::Barrier => vec![format!("queue_barrier: {name}")],
        CommandKind::Map {
            location,
            access,
            blocking,
        } => {
            let access = match access {
                MapAccess::Read => "read",
                MapAccess::Write => "write",
            };
            vec![
                format!("map: {}", place(location)),
                format!("event: {name}"),
                format!("access: {access}"),
                format!("blocking: {blocking}"),
            ]
        }
        CommandKind::Unmap { location } => {
            vec![
                format!("unmap: {}", place(location)),
                format!("event: {name}"),
            ]
        }
    };
    fields.push(format!("queue: {}", queue(command.queue)));
    if !command.waits.is_empty() {
        fields.push(format!("after: {}", list(&command.waits)));
    }
    fields
}

fn flag_list(flags: FenceFlags) -> String {
    let names: Vec<&str> = [
        (flags.global, "global"),
        (flags.local, "local"),
        (flags.image, "image"),
    ]
    .into_iter()
    .filter_map(|(set, name)| set.then_some(name))
    .collect();
    format!("[{}]", names.join(", "))
}
