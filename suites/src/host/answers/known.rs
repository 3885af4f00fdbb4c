//! By what the objects of a program are made.

use crate::host::build::Build;
use crate::host::function::{Class, Function};
use crate::host::program::{Call, Fixture, HostProgram, Op, ProgramOf, SlotKind};
use crate::host::value::{Slot, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What a slot's object is made by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Origin<'p> {
    /// It is there before a run.
    Fixture(&'p Fixture),
    /// A call gives it back.
    Made(&'p Call),
    /// It is the event of a command.
    Event(&'p Call),
    /// A program that a run builds: its context, what of, how.
    Build(Slot, &'p ProgramOf, &'p Build),
}

/// What is known of the objects of a program.
pub struct Known<'p> {
    pub program: &'p HostProgram,
    origins: BTreeMap<Slot, Origin<'p>>,
    /// Slots that callbacks take the reference from, at any time.
    pub taken_in_callbacks: BTreeSet<Slot>,
    /// Objects that maps and unmaps are about.
    mapped: BTreeSet<Slot>,
    /// The calls that build or compile programs.
    builds: BTreeMap<Slot, Vec<&'p Call>>,
}

impl<'p> Known<'p> {
    /// What is known of a program's objects. A slot that different calls fill is not known.
    pub fn of(program: &'p HostProgram) -> Known<'p> {
        let mut known = Known {
            program,
            origins: BTreeMap::new(),
            taken_in_callbacks: BTreeSet::new(),
            mapped: BTreeSet::new(),
            builds: BTreeMap::new(),
        };
        let mut twice = BTreeSet::new();
        let mut found = Vec::new();
        for (slot, fixture) in &program.fixtures {
            found.push((*slot, Origin::Fixture(fixture)));
        }
        program.steps(&mut |step| match &step.op {
            Op::Call(call) => {
                found.extend(made_by(call));
                known.mapped.extend(mapped(call));
                if let Some(program) = built(call) {
                    known.builds.entry(program).or_default().push(call);
                }
            }
            Op::Build {
                program,
                context,
                of,
                build,
            } => found.push((*program, Origin::Build(*context, of, build))),
            _ => {}
        });
        for (slot, origin) in found {
            if known
                .origins
                .insert(slot, origin)
                .is_some_and(|other| other != origin)
            {
                twice.insert(slot);
            }
        }
        known.origins.retain(|slot, _| !twice.contains(slot));
        for callback in &program.callbacks {
            let alone = HostProgram {
                begin: callback.steps.clone(),
                ..HostProgram::default()
            };
            alone.steps(&mut |step| known.taken_in_callbacks.extend(taken(&step.op)));
        }
        known
    }

    /// What a slot's object is made by.
    pub fn origin(&self, slot: Slot) -> Option<Origin<'p>> {
        self.origins.get(&slot).copied()
    }

    /// The call that makes it.
    pub fn made(&self, slot: Slot) -> Option<&'p Call> {
        match self.origin(slot)? {
            Origin::Made(call) => Some(call),
            Origin::Fixture(_) | Origin::Event(_) | Origin::Build(..) => None,
        }
    }

    /// The kind of a slot.
    pub fn kind(&self, slot: Slot) -> Option<SlotKind> {
        let info = self.program.slots.get(slot.index());
        info.map(|info| info.kind)
    }

    /// Whether steps map or unmap a memory object.
    pub fn is_mapped(&self, slot: Slot) -> bool {
        self.mapped.contains(&slot)
    }

    /// The calls that build or compile a program.
    pub fn builds(&self, program: Slot) -> &[&'p Call] {
        self.builds.get(&program).map_or(&[], Vec::as_slice)
    }

    /// Whether some of them stand inside of other steps, so that nothing is known of when they are made.
    pub fn is_built_inside(&self, program: Slot) -> bool {
        let lists = [&self.program.begin, &self.program.end];
        let steps = lists.into_iter().chain(&self.program.threads).flatten();
        let outside = steps.filter(|step| match &step.op {
            Op::Call(call) => built(call) == Some(program),
            _ => false,
        });
        outside.count() != self.builds(program).len()
    }

    /// Whether some of the calls that set arguments of a kernel stand inside of other steps, so that nothing is known of
    /// when they are made.
    pub fn is_set_inside(&self, kernel: Slot) -> bool {
        let sets = |op: &Op| match op {
            Op::Call(call) => {
                call.function == Function::SetKernelArg && object(call, 0) == Some(kernel)
            }
            _ => false,
        };
        let lists = [&self.program.begin, &self.program.end];
        let steps = lists.into_iter().chain(&self.program.threads).flatten();
        let outside = steps.filter(|step| sets(&step.op)).count();
        let mut all = 0;
        self.program
            .steps(&mut |step| all += usize::from(sets(&step.op)));
        outside != all
    }

    /// The context that an object lies in, by the slot that it was made with.
    pub fn context(&self, slot: Slot) -> Option<Slot> {
        match self.origin(slot)? {
            Origin::Fixture(fixture) => match fixture {
                Fixture::Platform | Fixture::Device(_) | Fixture::Context { .. } => None,
                Fixture::Queue { context, .. } | Fixture::Program { context, .. } => Some(*context),
                Fixture::Kernel { program, .. } => self.context(*program),
            },
            Origin::Build(context, ..) => Some(context),
            Origin::Event(call) => match call.function {
                Function::EnqueueCommandBufferKHR => self.context(self.executes_on(call)?),
                _ => self.context(object(call, 0)?),
            },
            Origin::Made(call) if call.function == Function::CreateCommandBufferKHR => {
                self.context(only_queue(call)?)
            }
            Origin::Made(call) => {
                let of = object(call, 0)?;
                match self.kind(of)? {
                    SlotKind::Context => Some(of),
                    _ => self.context(of),
                }
            }
        }
    }

    /// The queue on which an enqueue of a command-buffer has it executed.
    pub fn executes_on(&self, enqueue: &Call) -> Option<Slot> {
        match enqueue.arguments.get(1)? {
            Value::Null => only_queue(self.made(object(enqueue, 2)?)?),
            _ => only_queue(enqueue),
        }
    }

    /// The devices of a context, where all have slots; none where its devices are not known.
    pub fn devices(&self, context: Slot) -> Option<Vec<Slot>> {
        match self.origin(context)? {
            Origin::Fixture(Fixture::Context { devices, .. }) => {
                (0..*devices).map(|n| self.device(n)).collect()
            }
            Origin::Made(call) if call.function == Function::CreateContext => match &call.arguments
                [..]
            {
                [_, _, Value::List(Class::Object, devices), ..] => {
                    let mut all: Vec<Slot> = devices.iter().map(slot_of).collect::<Option<_>>()?;
                    // "Duplicate devices specified in devices are ignored."
                    all.sort();
                    all.dedup();
                    Some(all)
                }
                _ => None,
            },
            Origin::Fixture(_) | Origin::Made(_) | Origin::Event(_) | Origin::Build(..) => None,
        }
    }

    /// The slot of the n-th device.
    pub fn device(&self, n: u8) -> Option<Slot> {
        let fixtures = self.program.fixtures.iter();
        let mut devices = fixtures.filter(|(_, fixture)| *fixture == Fixture::Device(n));
        devices.next().map(|(slot, _)| *slot)
    }
}

/// The queue in the list of a call that makes or enqueues a command-buffer.
pub fn only_queue(call: &Call) -> Option<Slot> {
    match call.arguments.get(1)? {
        Value::List(_, queues) => match queues.as_slice() {
            [queue] => slot_of(queue),
            _ => None,
        },
        _ => None,
    }
}

/// The object of an argument.
pub fn object(call: &Call, n: usize) -> Option<Slot> {
    call.arguments.get(n).and_then(slot_of)
}

fn slot_of(value: &Value) -> Option<Slot> {
    match value {
        Value::Slot(slot) => Some(*slot),
        _ => None,
    }
}

/// A number, a constant or flags, as 64 bits.
pub fn bits(value: &Value) -> Option<u64> {
    Some(match value {
        Value::Null => 0,
        Value::Number(number) => *number,
        Value::Constant(constant) => constant.value() as u64,
        Value::Flags(flags) => flags.iter().fold(0, |all, flag| all | flag.value() as u64),
        _ => return None,
    })
}

/// What a call makes, with the slots that get it. One that must be refused makes nothing that is known; one whose work
/// fails makes what it is about.
pub fn made_by(call: &Call) -> Vec<(Slot, Origin<'_>)> {
    if call.expect.refused() && call.expect.ended.is_none() {
        return Vec::new();
    }
    let mut made = Vec::new();
    if let Some(slot) = call.made {
        made.push((slot, Origin::Made(call)));
    }
    let parameters = call.function.signature().parameters;
    for (value, (name, _)) in call.arguments.iter().zip(parameters) {
        match value {
            Value::Into(slot) if *name == "event" => made.push((*slot, Origin::Event(call))),
            Value::Into(slot) => made.push((*slot, Origin::Made(call))),
            Value::List(_, all) => made.extend(all.iter().filter_map(|value| match value {
                Value::Into(slot) => Some((*slot, Origin::Made(call))),
                _ => None,
            })),
            _ => {}
        }
    }
    made
}

/// The program that a call builds or compiles.
pub fn built(call: &Call) -> Option<Slot> {
    match call.function {
        Function::BuildProgram | Function::CompileProgram => object(call, 0),
        _ => None,
    }
}

/// The slots that an operation takes the program's reference from.
pub fn taken(op: &Op) -> Vec<Slot> {
    let Op::Call(call) = op else {
        return Vec::new();
    };
    let mut slots = Vec::new();
    call.each(&mut |value| {
        if let Value::Take(slot) = value {
            slots.push(*slot);
        }
    });
    slots
}

/// The memory object that a call maps or unmaps, unless it must be refused.
pub fn mapped(call: &Call) -> Option<Slot> {
    match call.function {
        _ if call.expect.refused() => None,
        Function::EnqueueMapBuffer
        | Function::EnqueueMapImage
        | Function::EnqueueUnmapMemObject => object(call, 1),
        _ => None,
    }
}
