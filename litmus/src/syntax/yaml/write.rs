//! A program as YAML.

use super::document::{
    Document, Instruction, KIND, LocationEntry, Making, QueueEntry, RegisterEntry, Step,
    ThreadEntry,
};
use super::value::{At, Flags, Integer, OneOrMany, Text};
use crate::program::{
    Access, Address, Api, Atomicity, Barrier, BarrierScope, CommandId, CommandKind, Expr,
    FenceFlags, HostCall, Instr, LocId, Location, Make, MemOrder, Memory, Placement, Program,
    Quantifier, Queue, Region, Register, Rmw, ScalarType, Thread, ThreadId,
};
use crate::syntax::lower::domain::DomainWord;
use crate::syntax::lower::opcode::OPERATIONS;
use crate::syntax::write::{ThreadText, names, predicate};
use serde_saphyr::{FlowMap, FlowSeq};

/// Writes a test as YAML. What the readers produce reads back equal.
pub fn write_yaml(program: &Program) -> String {
    let target = Some(text(&predicate(program, &program.condition.predicate)));
    let threads = program.threads.iter();
    let mut document = Document {
        kind: Some(text(KIND)),
        litmus: text(&program.name),
        api: program.api,
        locations: (program.locations.iter())
            .map(|of| location(program, of))
            .collect(),
        synchronized: pairs(&program.synchronized),
        contributes: pairs(&program.contributes),
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

fn pairs(pairs: &[(ThreadId, ThreadId)]) -> Vec<FlowSeq<At<(u64, u64)>>> {
    let pairs = pairs.iter();
    pairs
        .map(|(a, b)| FlowSeq(At::from((u64::from(a.0), u64::from(b.0)))))
        .collect()
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

fn location(program: &Program, location: &Location) -> FlowMap<LocationEntry> {
    let region = (location.region != Region::Global).then_some(location.region);
    if let Some(of) = location.alias {
        return FlowMap(LocationEntry {
            name: text(&location.name),
            region,
            alias: Some(text(&program.locations[of.index()].name)),
            ..LocationEntry::default()
        });
    }
    let values: Vec<Integer> = location
        .init
        .iter()
        .map(|v| integer(location.ty, *v))
        .collect();
    FlowMap(LocationEntry {
        name: text(&location.name),
        ty: Some(text(location.ty.name())),
        atomic: (location.atomic && location.ty != ScalarType::Flag).then(|| At::from(true)),
        region,
        alias: None,
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
            entry.queue_family = (program.api == Api::Vulkan).then(|| At::from(item.queue_family));
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
            Instr::Assign {
                register,
                value: Expr::Rmw(rmw),
            } if self.0.program.api == Api::Vulkan => {
                self.set_rmw(&mut keys, rmw);
                keys.into = Some(text(self.0.register(*register)));
            }
            Instr::Assign { register, value } => {
                keys.assign = Some(text(self.0.register(*register)));
                keys.value = self.expression(value);
            }
            Instr::Effect(Expr::Load(access)) if self.0.program.api == Api::Vulkan => {
                keys.load = Some(self.place(access));
                set_atomicity(&mut keys, access.atomicity);
            }
            Instr::Effect(Expr::Rmw(rmw)) if self.0.program.api == Api::Vulkan => {
                self.set_rmw(&mut keys, rmw);
            }
            Instr::Effect(Expr::Cas(cas)) if self.0.program.api == Api::Vulkan => {
                keys.compare_exchange = Some(self.place_of(&cas.address));
                let expected = cas.expected.register();
                keys.expected = expected.map(|register| text(self.0.register(register)));
                keys.value = self.expression(&cas.desired);
                let usual = cas.failure == cas.atomic.order.of_load();
                keys.failure = (!usual).then(|| At::from(cas.failure));
                set_atomicity(&mut keys, Atomicity::Atomic(cas.atomic));
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
                set_make(&mut keys, fence.make);
            }
            Instr::Barrier(barrier) => set_barrier(&mut keys, self.0.program.api, barrier),
            Instr::Domain(operation) => {
                keys.domain = Some(At::from(DomainWord::of(*operation)));
                let location = operation.location();
                keys.location = location.map(|location| text(self.0.location(location)));
            }
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

    fn set_rmw(&self, keys: &mut Instruction, rmw: &Rmw) {
        keys.rmw = Some(self.place_of(&rmw.address));
        let operation = OPERATIONS.iter().find(|(_, op)| *op == rmw.op);
        keys.operation = operation.map(|(name, _)| text(name));
        keys.value = self.expression(&rmw.operand);
        set_atomicity(keys, Atomicity::Atomic(rmw.atomic));
    }

    fn place(&self, access: &Access) -> Text {
        self.place_of(&access.address)
    }

    /// A location or an element of one.
    fn place_of(&self, address: &Address) -> Text {
        let name = self.0.location(address.location);
        match &address.index {
            None => text(name),
            Some(index) => text(&format!("{name}[{}]", self.0.expression(index))),
        }
    }
}

fn set_atomicity(keys: &mut Instruction, atomicity: Atomicity) {
    match atomicity {
        Atomicity::Plain => {}
        Atomicity::Volatile => keys.volatile = Some(At::from(true)),
        Atomicity::NonPrivate(None) => keys.non_private = Some(At::from(true)),
        Atomicity::NonPrivate(scope) => keys.coherent = scope.map(At::from),
        Atomicity::Atomic(atomic) if atomic.implicit => keys.atomic = Some(At::from(true)),
        Atomicity::Atomic(atomic) => {
            keys.order = Some(At::from(atomic.order));
            keys.scope = atomic.scope.map(At::from);
            if atomic.flags != FenceFlags::NONE {
                keys.semantics = Some(At::from(Flags::from(atomic.flags)));
            }
            set_make(keys, atomic.make);
        }
    }
}

fn set_make(keys: &mut Instruction, make: Make) {
    let mut made = Vec::new();
    made.extend(make.available.then_some(Making::Available));
    made.extend(make.visible.then_some(Making::Visible));
    keys.make = (!made.is_empty()).then(|| At::from(FlowSeq(made)));
}

fn set_barrier(keys: &mut Instruction, api: Api, barrier: &Barrier) {
    let flags = Some(At::from(Flags::from(barrier.flags)));
    match barrier.group {
        BarrierScope::WorkGroup => keys.barrier = flags,
        BarrierScope::SubGroup => keys.sub_group_barrier = flags,
        BarrierScope::QueueFamily => keys.queue_family_barrier = flags,
        BarrierScope::Device => keys.device_barrier = flags,
    }
    if api == Api::Vulkan && barrier.order != MemOrder::Relaxed {
        keys.order = Some(At::from(barrier.order));
    }
    keys.quorum = barrier.quorum.map(At::from);
    set_make(keys, barrier.make);
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
