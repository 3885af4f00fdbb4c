//! The one in-memory form of a litmus test.
//!
//! Every reader produces a [`Program`] and everything else (writers, kernel writer, oracle,
//! generator) consumes it. A program is a handful of threads with a placement, the shared
//! locations they touch, perhaps the [`commands`](command) that its kernels are, and a question
//! about how it may end.
//!
//! Expressions keep the shape of the source: a load may stand inside a larger expression. Every memory
//! access of an expression is sequenced before the access made by the instruction that contains it;
//! operands are evaluated in no order, but of two calls of functions one comes before the other.

mod access;
mod api;
mod claim;
mod command;
mod condition;
mod expr;
mod instr;
mod order;
mod place;
mod value;
mod walk;

pub use access::{
    Access, Address, Atomic, Atomicity, CasStrength, Expected, LOAD_FORBIDS, Make, MemOrder,
    MemScope, RmwOp, STORE_FORBIDS,
};
pub use api::Api;
pub use claim::{Claim, Count, Counted};
pub use command::{Command, CommandKind, HostCall, MapAccess, Queue, QueueOrder};
pub use condition::{Atom, Condition, Observable, Predicate, Quantifier, Relation};
pub use expr::{BinOp, Cas, Expr, Rmw, UnOp};
pub use instr::{
    Barrier, BarrierScope, Branch, DomainOp, Fence, FenceFlags, Instr, flag_name, legacy_fence,
};
pub use order::{CommandError, CommandOrder, Link, Mistake, Point, Where};
pub use place::{Location, Memory, Placement, Region, Register, Thread, WorkItem};
pub use value::ScalarType;
pub use walk::{each_address, each_expr, each_instr, uses_location};

use std::fmt;

/// Declares numbers of things that a program lists.
macro_rules! numbers {
    ($($(#[$of:meta])* $name:ident,)+) => {$(
        $(#[$of])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

numbers! {
    /// Index of a location in [`Program::locations`].
    LocId,
    /// Index of a thread in [`Program::threads`]; printed as `P0`, `P1`, ….
    ThreadId,
    /// Index of a register in [`Thread::registers`] of the thread it belongs to.
    RegId,
    /// Index of a queue in [`Program::queues`].
    QueueId,
    /// Index of a command in [`Program::commands`]; also names its event.
    CommandId,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P{}", self.0)
    }
}

/// A litmus test: a small concurrent program with a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The name from the test's first line; not unique across files.
    pub name: String,
    /// The API that it is written for.
    pub api: Api,
    /// Shared locations, in order of declaration.
    pub locations: Vec<Location>,
    /// Threads, `P0` first.
    pub threads: Vec<Thread>,
    /// Host command-queues; none in a program without commands.
    pub queues: Vec<Queue>,
    /// Commands that host threads enqueue, in the order of their calls, thread by thread.
    pub commands: Vec<Command>,
    /// Pairs of threads of which the first system-synchronizes with the second, in Vulkan: each
    /// operation of the one with each of the other ("System-Synchronizes-With").
    pub synchronized: Vec<(ThreadId, ThreadId)>,
    /// Pairs of threads of which the first is a shader invocation that contributes to generating the second, in
    /// Vulkan: what that one reads of inputs are the outputs of the first ("Shader I/O").
    pub contributes: Vec<(ThreadId, ThreadId)>,
    /// The question.
    pub condition: Condition,
    /// Only executions that end in a state satisfying this take part (`filter`).
    pub filter: Option<Predicate>,
}

impl Program {
    /// The location named `name`.
    pub fn location(&self, name: &str) -> Option<LocId> {
        self.locations
            .iter()
            .position(|l| l.name == name)
            .map(|i| LocId(i as u32))
    }

    /// The location whose memory a location is: itself, or what it is an alias of.
    pub fn memory_behind(&self, location: LocId) -> LocId {
        self.locations[location.index()].alias.unwrap_or(location)
    }

    /// How a location is allocated: as the test states, or else as what its threads need. A launch of a
    /// test without commands has one allocation for all global locations. Local memory is not allocated.
    pub fn memory_of(&self, location: LocId) -> Memory {
        let declared = &self.locations[location.index()];
        if declared.memory != Memory::Unstated || declared.region == Region::Local {
            return declared.memory;
        }
        let shared = match self.commands.is_empty() {
            true => self.crosses_devices(),
            false => self.threads.iter().any(|thread| {
                thread.placement == Placement::Host && uses_location(&thread.body, location)
            }),
        };
        match shared {
            true => Memory::FineSvmAtomics,
            false => Memory::Buffer,
        }
    }

    /// Whether threads run on more than one device, or on the host.
    pub fn crosses_devices(&self) -> bool {
        let mut devices = (self.threads.iter()).map(|thread| {
            let item = thread.placement.work_item();
            item.map(|item| item.device)
        });
        let first = devices.clone().next();
        devices.any(|device| device.is_none() || Some(device) != first)
    }

    /// What an outcome records, in a fixed order without duplicates: every register and location
    /// that the condition or the filter mentions, in order of first mention. A program whose
    /// question mentions nothing is observed through all its registers and locations.
    pub fn observables(&self) -> Vec<Observable> {
        let mut seen = Vec::new();
        let mut add = |o: Observable| {
            if !seen.contains(&o) {
                seen.push(o);
            }
        };
        self.condition.predicate.each_observable(&mut add);
        if let Some(filter) = &self.filter {
            filter.each_observable(&mut add);
        }
        if seen.is_empty() {
            return self.everything();
        }
        seen
    }

    /// Every register and every element of every location.
    pub fn everything(&self) -> Vec<Observable> {
        let mut all = Vec::new();
        for (t, thread) in self.threads.iter().enumerate() {
            let registers = 0..thread.registers.len() as u32;
            all.extend(registers.map(|r| Observable::Register(ThreadId(t as u32), RegId(r))));
        }
        for (l, location) in self.locations.iter().enumerate() {
            if location.alias.is_some() {
                continue;
            }
            let elements = 0..location.len();
            all.extend(elements.map(|element| Observable::Memory(LocId(l as u32), element)));
        }
        all
    }

    /// The names and types of what an outcome records, in the order of [`Program::observables`].
    pub fn recorded(&self) -> Vec<classay_vocabulary::Observable> {
        let recorded = |observable| classay_vocabulary::Observable {
            name: self.observable_name(observable),
            unsigned: self.observable_type(observable) == ScalarType::ULong,
        };
        self.observables().into_iter().map(recorded).collect()
    }

    /// How an observable is written in conditions and outcomes: `1:r0`, `x`, `y[1]`.
    pub fn observable_name(&self, observable: Observable) -> String {
        match observable {
            Observable::Register(t, r) => {
                format!(
                    "{}:{}",
                    t.0,
                    self.threads[t.index()].registers[r.index()].name
                )
            }
            Observable::Memory(l, element) => {
                let location = &self.locations[l.index()];
                if location.array {
                    format!("{}[{element}]", location.name)
                } else {
                    location.name.clone()
                }
            }
        }
    }

    /// The type of an observable's value.
    pub fn observable_type(&self, observable: Observable) -> ScalarType {
        match observable {
            Observable::Register(t, r) => self.threads[t.index()].registers[r.index()].ty,
            Observable::Memory(l, _) => self.locations[l.index()].ty,
        }
    }
}
