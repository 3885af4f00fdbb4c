//! A program of commands as a host program, and what a run of that observed as a trace.
//!
//! [`lower`] makes what the program begins with ([`memory`]), writes its host threads ([`steps`],
//! [`enqueue`]), and ends with what is known only then; [`Lowered::trace`] reads the record ([`trace`]), and [`checks`] are
//! what must hold of it, for a C program.

mod checks;
mod enqueue;
mod memory;
mod steps;
#[cfg(test)]
mod tests;
mod trace;

use super::check::Plan;
use super::memory::Read;
use super::order::Fate;
use super::program::{
    self as commands, CommandId, ContextId, Event, ObjectId, Program, QueueId, Range, What,
};
use crate::host::Build;
use crate::host::constant::cl;
use crate::host::{
    AnswerId, Awaited, Builder, Call, CallbackId, CallbackOf, Class, Constant, Data, Fixture,
    Function, HostProgram, Mark, Op, Place, ProgramOf, Slot, SlotKind, Step, Stretches, TIMES,
    Value, Writer,
};
use std::collections::BTreeMap;

/// The kernels `work` and `work_variable`, which do what the kernel commands say.
const WORKLOAD: &str = include_str!("workload.cl");

/// A program of commands as a host program.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The host program.
    pub program: HostProgram,
    names: Names,
}

impl AsRef<HostProgram> for Lowered {
    fn as_ref(&self) -> &HostProgram {
        &self.program
    }
}

/// Where the record has what the trace tells.
#[derive(Debug, Clone, Default)]
struct Names {
    /// The first and the last mark of each step.
    steps: BTreeMap<commands::Place, (Mark, Mark)>,
    /// The answers to questions for an event's status.
    statuses: BTreeMap<commands::Place, AnswerId>,
    /// The status of each command after everything was finished.
    last: Vec<AnswerId>,
    /// Its profiled times.
    times: Vec<[AnswerId; 5]>,
    /// The resolution of each device's timer.
    resolutions: Vec<AnswerId>,
    reads: BTreeMap<Read, AnswerId>,
    /// Maps of memory that is the program's own: the map's address, and where it has to be.
    in_place: Vec<(CommandId, Slot, Place)>,
}

/// The host program of a valid program.
pub fn lower(plan: &Plan) -> Lowered {
    let mut lowering = Lowering::new(plan);
    lowering.begin();
    lowering.threads();
    lowering.end();
    Lowered {
        program: lowering.builder.finish(),
        names: lowering.names,
    }
}

/// A context with the fixtures in it.
struct Context {
    slot: Slot,
    /// An in-order queue for transfers that are not the program's.
    service: Slot,
    /// The kernels' program, where there are kernels.
    kernels: Option<Slot>,
}

/// What kernels saw. Kernels that may run at the same time write to no buffer that both have: those of an
/// in-order queue share a log, one of a queue out of order has its own.
struct Log {
    context: ContextId,
    /// On the device, and on the host.
    memory: Option<(Slot, Slot)>,
    /// Its cells.
    cells: usize,
}

/// Where an object is.
#[derive(Clone, Copy)]
enum Object {
    /// A buffer or sub-buffer, with the memory that it was made over where that is the program's own.
    Buffer(Slot, Option<Slot>),
    /// Memory at an address, with the slot that owns it.
    Memory(Slot, Slot),
    /// The variable of the kernels' program.
    Variable,
}

struct Lowering<'p> {
    plan: &'p Plan,
    builder: Builder,
    names: Names,
    devices: Vec<Slot>,
    contexts: Vec<Context>,
    queues: Vec<Slot>,
    objects: Vec<Object>,
    users: Vec<Slot>,
    events: Vec<Slot>,
    /// The addresses of maps.
    maps: BTreeMap<CommandId, Slot>,
    /// Where a command's data is on the host: a read's destination, a write's source.
    staging: BTreeMap<CommandId, Slot>,
    kernels: BTreeMap<CommandId, Slot>,
    logs: Vec<Log>,
    /// The log of each kernel.
    log_of: BTreeMap<CommandId, usize>,
    /// Where each range that a kernel reads is in which log, in cells.
    logged: BTreeMap<Read, (usize, std::ops::Range<usize>)>,
    natives: BTreeMap<CommandId, CallbackId>,
}

impl<'p> Lowering<'p> {
    fn new(plan: &'p Plan) -> Lowering<'p> {
        Lowering {
            plan,
            builder: Builder::default(),
            names: Names::default(),
            devices: Vec::new(),
            contexts: Vec::new(),
            queues: Vec::new(),
            objects: Vec::new(),
            users: Vec::new(),
            events: Vec::new(),
            maps: BTreeMap::new(),
            staging: BTreeMap::new(),
            kernels: BTreeMap::new(),
            logs: Vec::new(),
            log_of: BTreeMap::new(),
            logged: BTreeMap::new(),
            natives: BTreeMap::new(),
        }
    }

    fn program(&self) -> &'p Program {
        &self.plan.program
    }

    /// Bytes of so many cells.
    fn bytes(&self, cells: impl Into<usize>) -> usize {
        cells.into() * self.words() * 4
    }

    fn words(&self) -> usize {
        usize::from(self.program().cell_words)
    }

    fn object(&self, id: ObjectId) -> Object {
        self.objects[id.index()]
    }

    fn buffer(&self, id: ObjectId) -> Option<Slot> {
        match self.object(id) {
            Object::Buffer(slot, _) => Some(slot),
            Object::Memory(..) | Object::Variable => None,
        }
    }

    /// The address of an object that commands reach by pointer.
    fn pointer(&self, id: ObjectId) -> Option<Slot> {
        match self.object(id) {
            Object::Memory(slot, _) => Some(slot),
            Object::Buffer(..) | Object::Variable => None,
        }
    }

    /// The same, of a range's first cell.
    fn cell(&self, range: Range) -> Option<Place> {
        let at = self.bytes(range.first);
        self.pointer(range.object).map(|slot| slot.at(at))
    }

    /// Writes a writer's tokens for cells of a range's object to a place: from one cell on, so many.
    fn tokens(&self, at: Place, writer: Writer, range: Range) -> Step {
        let data = Data::Tokens {
            writer,
            first: self.program().root(range.object).1 + range.first,
            count: range.count,
            stride: range.stride,
            words: self.program().cell_words,
        };
        Op::Write { at, data }.into()
    }

    fn queue(&self, id: QueueId) -> Slot {
        self.queues[id.index()]
    }

    fn event(&self, event: Event) -> Slot {
        match event {
            Event::Command(id) => self.events[id.index()],
            Event::User(id) => self.users[id.index()],
        }
    }

    /// The context of a command's queue.
    fn context_of(&self, id: CommandId) -> ContextId {
        self.program().context_of(Event::Command(id))
    }

    /// What a run begins with.
    fn begin(&mut self) {
        let p = self.program();
        for n in 0..p.devices.max(1) {
            let device = Fixture::Device(n);
            let slot = self.builder.fixture(format!("device_{n}"), device);
            self.devices.push(slot);
        }
        for n in 0..p.contexts {
            self.context(n);
        }
        for (n, queue) in p.queues.iter().enumerate() {
            let slot = self.builder.slot(format!("queue_{n}"), SlotKind::Queue);
            let mut flags = vec![cl::CL_QUEUE_PROFILING_ENABLE];
            if queue.out_of_order {
                flags.push(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
            }
            let properties = [
                cl::CL_QUEUE_PROPERTIES.into(),
                Value::Flags(flags),
                Value::Number(0),
            ];
            let arguments = [
                self.contexts[queue.context.index()].slot.into(),
                self.devices[usize::from(queue.device)].into(),
                Value::list(Class::Long, properties),
            ];
            let call = Call::new(Function::CreateCommandQueueWithProperties, arguments);
            self.builder.begin(call.makes(slot));
            self.queues.push(slot);
        }
        for (n, context) in p.users.iter().enumerate() {
            let slot = self.builder.slot(format!("user_{n}"), SlotKind::Event);
            let context = self.contexts[context.index()].slot;
            let call = Call::new(Function::CreateUserEvent, [context.into()]);
            self.builder.begin(call.makes(slot));
            self.users.push(slot);
        }
        self.commands();
        for n in 0..self.logs.len() {
            self.log(n);
        }
        for n in 0..p.objects.len() {
            let made = self.make(ObjectId::at(n));
            self.objects.push(made);
        }
        let events = p.commands.len();
        self.events = self.builder.slots("event", SlotKind::Event, events);
    }

    fn context(&mut self, n: u8) {
        let (builder, p) = (&mut self.builder, &self.plan.program);
        let fixture = Fixture::Context {
            devices: p.devices.max(1),
            number: n,
        };
        let slot = builder.fixture(format!("context_{n}"), fixture);
        let service = Fixture::Queue {
            context: slot,
            device: 0,
            profiling: true,
            number: 0,
        };
        let service = builder.fixture(format!("service_{n}"), service);
        let here = |context: ContextId| context.0 == u16::from(n);
        let kernel = |c: &commands::Command| {
            let context = p.queues[c.queue.index()].context;
            matches!(c.what, What::Kernel(_)) && here(context)
        };
        let variable = |o: &commands::Object| o.kind == commands::Kind::Variable && here(o.context);
        let kernels = p.commands.iter().any(kernel) || p.objects.iter().any(variable);
        let kernels = kernels.then(|| {
            let fixture = Fixture::Program {
                context: slot,
                of: ProgramOf::Source(WORKLOAD.into()),
                build: Build::default(),
            };
            builder.fixture(format!("workload_{n}"), fixture)
        });
        self.contexts.push(Context {
            slot,
            service,
            kernels,
        });
    }

    /// A kernel of a context; none where the context has no kernels.
    fn kernel(&mut self, context: ContextId, number: usize, variable: bool) -> Option<Slot> {
        let fixture = Fixture::Kernel {
            program: self.contexts[context.index()].kernels?,
            name: if variable { "work_variable" } else { "work" }.into(),
            number: number as u16,
        };
        Some(self.builder.fixture(format!("kernel_{number}"), fixture))
    }

    /// What commands need: kernels, memory of the host, places in logs, slots of maps.
    fn commands(&mut self) {
        let p = self.program();
        for (id, command) in p.commands() {
            if let What::Kernel(work) = &command.what {
                let variable =
                    |r: &Range| p.objects[r.object.index()].kind == commands::Kind::Variable;
                let variable = command.what.ranges().any(variable);
                let context = self.context_of(id);
                if let Some(slot) = self.kernel(context, id.index(), variable) {
                    self.kernels.insert(id, slot);
                }
                let log = self.log_for(command.queue);
                self.log_of.insert(id, log);
                for (range, cells) in (0..).zip(&work.reads) {
                    let read = Read::Kernel { command: id, range };
                    let at = &mut self.logs[log].cells;
                    let stretch = (log, *at..*at + usize::from(cells.count));
                    *at = stretch.1.end;
                    self.logged.insert(read, stretch);
                }
            } else if let What::Read(t) | What::Write(t) = &command.what
                && t.host.is_none()
            {
                let bytes = self.bytes(t.range.count);
                let kind = SlotKind::Host { bytes };
                let slot = self.builder.slot(format!("staging_{id}"), kind);
                self.staging.insert(id, slot);
            } else if let What::Map { .. } = &command.what {
                let slot = self.builder.slot(format!("map_{id}"), SlotKind::Address);
                self.maps.insert(id, slot);
            }
        }
    }

    /// The log for one more kernel of a queue.
    fn log_for(&mut self, queue: QueueId) -> usize {
        let p = self.program();
        let mine = |id: &CommandId| p.commands[id.index()].queue == queue;
        let shared = self.log_of.iter().find(|(id, _)| mine(id));
        match shared {
            Some((_, log)) if !p.queues[queue.index()].out_of_order => *log,
            Some(_) | None => {
                self.logs.push(Log {
                    context: p.queues[queue.index()].context,
                    memory: None,
                    cells: 0,
                });
                self.logs.len() - 1
            }
        }
    }

    /// Finishes everything, and asks for what is known only then.
    fn end(&mut self) {
        for queue in self.queues.clone() {
            // What it gives after a failure is the implementation's own affair.
            self.builder
                .end(Call::of(Function::Finish, queue).whatever());
        }
        let callbacks = self
            .plan
            .program
            .callbacks()
            .filter(|(id, _)| self.plan.must_call(*id))
            .map(|(id, callback)| {
                let user = matches!(callback.event, Event::User(_));
                let fails = self.plan.order.fate_of_event(callback.event) == Fate::Fails;
                Awaited {
                    callback: CallbackId(id.0),
                    registered: self.names.steps[&self.plan.order.registered(id)].1,
                    sort: u8::from(user) | u8::from(fails) << 1 | (callback.at as u8) << 2,
                }
            })
            .collect();
        let commands = self.plan.program.commands.iter();
        let events: Vec<(Slot, bool)> = commands
            .zip(&self.events)
            .map(|(command, event)| (*event, command.eventless))
            .collect();
        let there = events.iter().filter(|(_, eventless)| !eventless);
        self.builder.end(Op::Settle {
            events: there.map(|(event, _)| *event).collect(),
            callbacks,
        });
        // What a command without an event would be asked; every later answer has a greater number.
        let never = self.builder.answer();
        for device in self.devices.clone() {
            let answer = self.builder.answer();
            let of = vec![
                device.into(),
                cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION.into(),
            ];
            let ask = Call::ask(Function::GetDeviceInfo, of, 8, answer);
            self.builder.end(ask.whatever());
            self.names.resolutions.push(answer);
        }
        for (event, eventless) in events {
            if eventless {
                self.names.last.push(never);
                self.names.times.push([never; 5]);
                continue;
            }
            let last = self.builder.answer();
            let times = TIMES.map(|what| (what, self.builder.answer()));
            self.names.last.push(last);
            self.names.times.push(times.map(|(_, answer)| answer));
            self.builder.end(Call::status(event, last).whatever());
            for (what, answer) in times {
                self.builder.end(Call::time(event, what, answer));
            }
        }
        for n in 0..self.logs.len() {
            let read = self.read_log(n);
            if !read.is_empty() {
                self.builder.end(Op::Settled(read));
            }
        }
    }

    /// Brings what is in a log to the host.
    fn read_log(&mut self, n: usize) -> Vec<Step> {
        let (cells, memory) = (self.logs[n].cells, self.logs[n].memory);
        let service = self.contexts[self.logs[n].context.index()].service;
        let (Some((log, host)), true) = (memory, cells > 0) else {
            return Vec::new();
        };
        let bytes = self.bytes(cells);
        let call = Call::read(service, log, bytes, host.at(0).into(), None);
        // After a failure the context may be gone, and what its kernels saw with it.
        let call = match self.plan.order.has_failures() {
            true => call.whatever(),
            false => call,
        };
        let mut steps = vec![Step::from(call)];
        for (read, (log, cells)) in &self.logged {
            if *log == n {
                let into = self.builder.answer();
                self.names.reads.insert(*read, into);
                steps.push(Step::from(Op::Read {
                    from: host.at(self.bytes(cells.start)),
                    stretches: Stretches::whole(self.bytes(cells.len())),
                    into,
                }));
            }
        }
        vec![Op::Sequence(steps).into()]
    }
}
