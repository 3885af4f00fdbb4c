//! A program as YAML.

use super::document::{
    Document, Instruction, KIND, LocationEntry, QueueEntry, RegisterEntry, Step, ThreadEntry,
};
use super::value::{At, Flags, Integer, OneOrMany, Text};
use crate::program::{
    Access, Atomicity, Barrier, BarrierScope, CommandId, CommandKind, Expr, HostCall, Instr, LocId,
    Location, Memory, Placement, Program, Quantifier, Queue, Region, Register, ScalarType, Thread,
};
use crate::syntax::write::{ThreadText, names, predicate};
use serde_saphyr::{FlowMap, FlowSeq};

/// Writes a test as YAML. What the readers produce reads back equal.
pub fn write_yaml(program: &Program) -> String {
    let target = Some(text(&predicate(program, &program.condition.predicate)));
    let threads = program.threads.iter();
    let mut document = Document {
        kind: Some(text(KIND)),
        litmus: text(&program.name),
        locations: program.locations.iter().map(location).collect(),
        queues: program.queues.iter().map(queue).collect(),
        threads: At::from(threads.map(|t| thread(program, t)).collect::<Vec<_>>()),
        filter: program
            .filter
            .as_ref()
            .map(|f| text(&predicate(program, f))),
        ..Document::default()
    };
    match program.condition.quantifier {
        Quantifier::Exists => document.exists = target,
        Quantifier::NotExists => document.not_exists = target,
        Quantifier::Forall => document.forall = target,
    }
    let options = serde_saphyr::ser_options! {
        prefer_block_scalars: false,
        compact_list_indent: false,
    };
    serde_saphyr::to_string_with_options(&document, options)
        .expect("every value of the schema can be written")
}

fn text(text: &str) -> Text {
    At::from(text.to_string())
}

/// A value as its type shows it: without a sign where the type has none.
fn integer(ty: ScalarType, value: i64) -> Integer {
    Integer(ty.show(value).parse().unwrap_or(i128::from(value)))
}

fn queue(queue: &Queue) -> FlowMap<QueueEntry> {
    FlowMap(QueueEntry {
        name: text(&queue.name),
        order: queue.order,
    })
}

fn location(location: &Location) -> FlowMap<LocationEntry> {
    let values: Vec<Integer> = location
        .init
        .iter()
        .map(|v| integer(location.ty, *v))
        .collect();
    FlowMap(LocationEntry {
        name: text(&location.name),
        ty: Some(text(location.ty.name())),
        atomic: (location.atomic && location.ty != ScalarType::Flag).then(|| At::from(true)),
        region: (location.region == Region::Local).then_some(Region::Local),
        memory: (location.memory != Memory::Unstated).then(|| At::from(location.memory)),
        generic: location.generic,
        init: Some(At::from(match location.array {
            true => OneOrMany::Many(values),
            false => OneOrMany::One(values[0]),
        })),
    })
}

fn register(register: &Register) -> FlowMap<RegisterEntry> {
    let ty = match register.ty {
        ScalarType::Flag => "bool",
        other => other.name(),
    };
    FlowMap(RegisterEntry {
        name: text(&register.name),
        ty: Some(text(ty)),
        init: (register.init != 0).then(|| integer(register.ty, register.init)),
    })
}

fn thread(program: &Program, thread: &Thread) -> At<ThreadEntry> {
    let kernel = thread
        .kernel
        .map(|kernel| &program.commands[kernel.index()]);
    let writer = Writer(ThreadText {
        program,
        thread,
        volatile: Vec::new(),
    });
    let mut entry = ThreadEntry {
        kernel: kernel.map(|kernel| text(&kernel.name)),
        registers: thread.registers.iter().map(register).collect(),
        body: writer.block(&thread.body),
        ..ThreadEntry::default()
    };
    match thread.placement {
        Placement::Host => entry.host = Some(At::from(true)),
        Placement::Device(item) => {
            entry.device = Some(At::from(item.device));
            entry.work_group = Some(At::from(item.work_group));
            entry.sub_group = item.sub_group.map(At::from);
        }
    }
    At::from(entry)
}

/// Writes the instructions of one thread.
struct Writer<'p>(ThreadText<'p>);

impl Writer<'_> {
    fn block(&self, instrs: &[Instr]) -> Vec<At<Step>> {
        let steps = instrs.iter().map(|instr| match instr {
            Instr::Return => Step::Return,
            other => Step::Instruction(Box::new(self.instruction(other))),
        });
        steps.map(At::from).collect()
    }

    fn expression(&self, expr: &Expr) -> Option<Text> {
        Some(text(&self.0.expression(expr)))
    }

    fn instruction(&self, instr: &Instr) -> Instruction {
        let mut keys = Instruction::default();
        match instr {
            Instr::Assign {
                register,
                value: Expr::Load(access),
            } => {
                keys.load = Some(self.place(access));
                keys.into = Some(text(self.0.register(*register)));
                set_atomicity(&mut keys, access.atomicity);
            }
            Instr::Assign { register, value } => {
                keys.assign = Some(text(self.0.register(*register)));
                keys.value = self.expression(value);
            }
            Instr::Effect(value) => keys.effect = self.expression(value),
            Instr::Store { access, value } if self.is_flag(access) => {
                keys.effect = Some(text(&self.0.store(access, value)));
            }
            Instr::Store { access, value } => {
                keys.store = Some(self.place(access));
                keys.value = self.expression(value);
                set_atomicity(&mut keys, access.atomicity);
            }
            Instr::Fence(fence) => {
                keys.fence = Some(At::from(Flags::from(fence.flags)));
                keys.order = Some(At::from(fence.order));
                keys.scope = Some(At::from(fence.scope));
                keys.legacy = fence.legacy.then(|| At::from(true));
            }
            Instr::Barrier(barrier) => set_barrier(&mut keys, barrier),
            Instr::If(branch) => {
                keys.condition = self.expression(&branch.condition);
                keys.then = Some(At::from(self.block(&branch.then)));
                let otherwise = Some(&branch.otherwise).filter(|block| !block.is_empty());
                keys.otherwise = otherwise.map(|block| At::from(self.block(block)));
            }
            Instr::While { condition, body } => {
                keys.repeat = self.expression(condition);
                keys.body = Some(At::from(self.block(body)));
            }
            Instr::Return => {}
            Instr::Host(call) => set_call(&mut keys, self.0.program, call),
        }
        keys
    }

    fn is_flag(&self, access: &Access) -> bool {
        let location = access.address.location;
        self.0.program.locations[location.index()].ty == ScalarType::Flag
    }

    /// A location or an element of one.
    fn place(&self, access: &Access) -> Text {
        let name = self.0.location(access.address.location);
        match &access.address.index {
            None => text(name),
            Some(index) => text(&format!("{name}[{}]", self.0.expression(index))),
        }
    }
}

fn set_atomicity(keys: &mut Instruction, atomicity: Atomicity) {
    match atomicity {
        Atomicity::Plain => {}
        Atomicity::Volatile => keys.volatile = Some(At::from(true)),
        Atomicity::Atomic(atomic) if atomic.implicit => keys.atomic = Some(At::from(true)),
        Atomicity::Atomic(atomic) => {
            keys.order = Some(At::from(atomic.order));
            keys.scope = atomic.scope.map(At::from);
        }
    }
}

fn set_barrier(keys: &mut Instruction, barrier: &Barrier) {
    let flags = Some(At::from(Flags::from(barrier.flags)));
    match barrier.group {
        BarrierScope::WorkGroup => keys.barrier = flags,
        BarrierScope::SubGroup => keys.sub_group_barrier = flags,
    }
    keys.label = barrier.label.as_deref().map(text);
    keys.scope = barrier.scope.map(At::from);
}

/// The keys of a call of the OpenCL API.
fn set_call(keys: &mut Instruction, program: &Program, call: &HostCall) {
    let list = |events: &[CommandId]| {
        let names = names(program, events);
        Some(At::from(FlowSeq(names.iter().map(|n| text(n)).collect())))
    };
    let queue = |queue: usize| Some(text(&program.queues[queue].name));
    let place = |location: LocId| Some(text(&program.locations[location.index()].name));
    let id = match call {
        HostCall::Enqueue(id) => *id,
        HostCall::Wait(events) => {
            keys.wait = list(events);
            return;
        }
        HostCall::Finish(on) => {
            keys.finish = queue(on.index());
            return;
        }
        HostCall::Flush(on) => {
            keys.flush = queue(on.index());
            return;
        }
    };
    let command = &program.commands[id.index()];
    let name = text(&command.name);
    match command.kind {
        CommandKind::Kernel => keys.enqueue = Some(name),
        CommandKind::Marker => keys.marker = Some(At::from(Some(name.value))),
        CommandKind::Barrier => keys.queue_barrier = Some(At::from(Some(name.value))),
        CommandKind::Map {
            location,
            access,
            blocking,
        } => {
            keys.map = place(location);
            keys.event = Some(name);
            keys.access = Some(At::from(access));
            keys.blocking = Some(At::from(blocking));
        }
        CommandKind::Unmap { location } => {
            keys.unmap = place(location);
            keys.event = Some(name);
        }
    }
    keys.queue = queue(command.queue.index());
    if !command.waits.is_empty() {
        keys.after = list(&command.waits);
    }
}
