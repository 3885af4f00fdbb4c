//! Where the parts of an instance lie in the buffers, and how an instance's end is read back.
//!
//! All buffers are arrays of 32-bit words. Instance `k` of the launch has, for each global
//! location, a slot in `mem` at word `base + x · instance_pitch`, where `base` and the permutation
//! that makes `x` of `k` are the slot's own; all are arguments of the kernels. What the threads saw goes to `res` at word `column · res_pitch + k`:
//! one column for each 32 bits of an observed register or local location, and one for the loop
//! bound. A collected instance is its *tuple*: the words of its observables in order.

use super::shape::Shape;
use crate::program::{
    Access, Address, Api, Atomic, Expr, Instr, LocId, MemScope, Observable, Program, Quantifier,
    RegId, Region, ScalarType, ThreadId, each_expr, each_instr,
};

/// The shape of one instance in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// For each location: its slot in `mem` (global) or in local memory, and its words.
    pub places: Vec<Place>,
    /// Slots of `mem`.
    pub global_slots: u32,
    /// The slots as they are reached: each through the references to memory that some location is.
    pub references: Vec<Reference>,
    /// Words that one instance takes in local memory.
    pub local_words: u32,
    /// Words of the widest global location; the smallest `instance_pitch`.
    pub slot_words: u32,
    /// Columns of `res`.
    pub columns: u32,
    /// What the tuple records, in order.
    pub fields: Vec<Field>,
    /// Words of a tuple: the fields' words, then one for the loop bound where there are loops.
    pub tuple_words: u32,
    /// Column that counts threads which gave up a loop at its bound.
    pub bound_column: Option<u32>,
    /// Value of a result word that no thread has written.
    pub unwritten: u32,
}

/// Where a location lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Global: index of the slot. Local: first word within the instance's local memory.
    pub at: u32,
    /// Its words.
    pub words: u32,
    /// Global: the index in [`Layout::references`] of how it is reached.
    pub reference: usize,
}

/// A slot as it is reached through one of the arguments that are the instances' memory. In Vulkan each is a descriptor
/// of its own ("Reference" of the memory model), of a buffer or of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The slot.
    pub slot: u32,
    /// The argument.
    pub argument: Argument,
}

/// An argument that is the instances' memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Argument {
    /// It is memory as texels, not as a buffer.
    pub texels: bool,
    /// The references to one location that are alike have different numbers, from 0.
    pub number: u32,
}

impl Argument {
    /// The one that every kernel has.
    pub const MEMORY: Argument = Argument {
        texels: false,
        number: 0,
    };

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Argument::MEMORY => "mem".into(),
            Argument { texels, number } => {
                format!("{}_{number}", if texels { TEXELS } else { "mem" })
            }
        }
    }
}

/// What the names of arguments begin with that are memory as texels.
pub const TEXELS: &str = "texels";

impl Reference {
    /// What its variables' names end in.
    pub fn suffix(self) -> String {
        match self.argument {
            Argument::MEMORY => self.slot.to_string(),
            argument => format!("{}_{}", self.slot, argument.name()),
        }
    }
}

/// One observable in a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// What.
    pub observable: Observable,
    /// First word in the tuple.
    pub word: u32,
    /// One or two words.
    pub words: u32,
    /// First column of `res`, for registers and local locations.
    pub column: Option<u32>,
}

/// How an instance ended, read from its tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It ran to its end.
    State {
        /// Values in the order of `Program::observables`.
        values: Vec<i64>,
        /// The test's predicate holds (or, for a `forall`, the filter excludes the state).
        is_target: bool,
    },
    /// A loop gave up at its bound: the instance says nothing.
    Unfinished,
    /// A thread did not write its registers: the implementation lost part of the launch.
    Unwritten,
}

impl Layout {
    /// Lays out a program's instances.
    pub fn of(program: &Program) -> Layout {
        let mut layout = Layout {
            places: Vec::new(),
            global_slots: 0,
            references: Vec::new(),
            local_words: 0,
            slot_words: 1,
            columns: 0,
            fields: Vec::new(),
            tuple_words: 0,
            bound_column: None,
            unwritten: unwritten_marker(program),
        };
        for location in &program.locations {
            let bytes = location.ty.bits() / 8 * location.len();
            // 64-bit elements need even word offsets.
            let words = match location.ty.bits() {
                64 => bytes.div_ceil(8) * 2,
                _ => bytes.div_ceil(4),
            };
            let at = match location.region {
                // Known once all others are.
                _ if location.alias.is_some() => 0,
                Region::Global | Region::Image | Region::Output | Region::Input => {
                    layout.slot_words = layout.slot_words.max(words);
                    layout.global_slots += 1;
                    layout.global_slots - 1
                }
                Region::Local => {
                    let at = layout.local_words.next_multiple_of(2);
                    layout.local_words = at + words;
                    at
                }
            };
            layout.places.push(Place {
                at,
                words,
                reference: 0,
            });
        }
        layout.refer(program);
        if program.locations.iter().any(|l| l.ty.bits() == 64) {
            layout.slot_words = layout.slot_words.next_multiple_of(2);
        }
        layout.local_words = layout.local_words.next_multiple_of(2);
        for observable in program.observables() {
            let words = program.observable_type(observable).bits().div_ceil(32);
            let in_memory = match observable {
                Observable::Register(..) => false,
                Observable::Memory(l, _) => program.locations[l.index()].region != Region::Local,
            };
            let column = (!in_memory).then_some(layout.columns);
            if column.is_some() {
                layout.columns += words;
            }
            layout.fields.push(Field {
                observable,
                word: layout.tuple_words,
                words,
                column,
            });
            layout.tuple_words += words;
        }
        if has_loops(program) {
            layout.bound_column = Some(layout.columns);
            layout.columns += 1;
            layout.tuple_words += 1;
        }
        layout
    }

    /// Places aliases, and lists the references.
    fn refer(&mut self, program: &Program) {
        for (at, location) in program.locations.iter().enumerate() {
            if location.region == Region::Local {
                continue;
            }
            let slot = self.places[program.memory_behind(LocId(at as u32)).index()].at;
            let texels = location.region == Region::Image;
            let alike = |r: &&Reference| r.slot == slot && r.argument.texels == texels;
            let number = self.references.iter().filter(alike).count() as u32;
            self.places[at].at = slot;
            self.places[at].reference = self.references.len();
            self.references.push(Reference {
                slot,
                argument: Argument { texels, number },
            });
        }
    }

    /// The arguments beside [`Argument::MEMORY`] that are the instances' memory, in order.
    pub fn arguments(&self) -> Vec<Argument> {
        let mut all: Vec<Argument> = self.references.iter().map(|r| r.argument).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|argument| *argument != Argument::MEMORY);
        all
    }

    /// How a global location is reached.
    pub fn reference(&self, location: usize) -> Reference {
        self.references[self.places[location].reference]
    }

    /// The column of a register, where it is observed.
    pub fn register_column(&self, thread: ThreadId, register: RegId) -> Option<u32> {
        self.fields
            .iter()
            .find(|f| f.observable == Observable::Register(thread, register))
            .and_then(|f| f.column)
    }

    /// Local locations whose end is observed: location, element, column.
    pub fn observed_locals(&self) -> impl Iterator<Item = (LocId, u32, u32)> + '_ {
        self.fields
            .iter()
            .filter_map(|f| match (f.observable, f.column) {
                (Observable::Memory(l, element), Some(column)) => Some((l, element, column)),
                (Observable::Memory(..), None) | (Observable::Register(..), _) => None,
            })
    }

    /// Reads a tuple.
    pub fn decode(&self, program: &Program, tuple: &[u32]) -> End {
        if self.bound_column.is_some() && tuple.last().is_some_and(|&n| n != 0) {
            return End::Unfinished;
        }
        let mut values = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let low = tuple[field.word as usize];
            let raw = if field.words == 2 {
                let high = tuple[field.word as usize + 1];
                if field.column.is_some() && low == self.unwritten && high == self.unwritten {
                    return End::Unwritten;
                }
                (u64::from(high) << 32 | u64::from(low)) as i64
            } else {
                if field.column.is_some() && low == self.unwritten {
                    return End::Unwritten;
                }
                i64::from(low)
            };
            values.push(program.observable_type(field.observable).wrap(raw));
        }
        let value = |o: Observable| {
            let at = self.fields.iter().position(|f| f.observable == o);
            at.map(|i| values[i]).unwrap_or_default()
        };
        let holds = program.condition.predicate.eval(&value);
        let takes_part = program.filter.as_ref().is_none_or(|f| f.eval(&value));
        let is_target = match program.condition.quantifier {
            Quantifier::Exists | Quantifier::NotExists => holds && takes_part,
            Quantifier::Forall => holds || !takes_part,
        };
        End::State { values, is_target }
    }
}

/// Whether every access of the program to a location is atomic.
fn only_atomic(program: &Program, location: LocId) -> bool {
    let mut plain = false;
    let mut look = |access: &Access| {
        plain |= access.address.location == location && access.atomicity.atomic().is_none();
    };
    // A compare-exchange reads and writes what it expects plainly.
    let mut expected = false;
    for thread in &program.threads {
        each_instr(&thread.body, &mut |i| {
            if let Instr::Store { access, .. } = i {
                look(access);
            }
        });
        each_expr(&thread.body, &mut |e| {
            if let Expr::Load(access) = e {
                look(access);
            }
            if let Expr::Cas(cas) = e {
                expected |= (cas.expected.location()).is_some_and(|at| at.location == location);
            }
        });
    }
    !plain && !expected
}

/// Whether an atomic load of device scope that is no part of the program may read a location: no access races with
/// it. In Vulkan one does whose scope is too narrow, or that is through another reference ("Mutually Ordered").
pub fn may_be_read(program: &Program, location: LocId) -> bool {
    let memory = program.memory_behind(location);
    let all = (0..program.locations.len()).map(|at| LocId(at as u32));
    if all
        .filter(|&at| program.memory_behind(at) == memory)
        .count()
        > 1
    {
        return false;
    }
    let mut narrow = false;
    let mut look = |address: &Address, atomic: &Atomic| {
        let scope = atomic.scope.unwrap_or(MemScope::Device);
        narrow |= address.location == location && scope < MemScope::QueueFamily;
    };
    for thread in &program.threads {
        each_instr(&thread.body, &mut |i| {
            if let Instr::Store { access, .. } = i
                && let Some(atomic) = access.atomicity.atomic()
            {
                look(&access.address, &atomic);
            }
        });
        each_expr(&thread.body, &mut |e| match e {
            Expr::Load(access) => {
                if let Some(atomic) = access.atomicity.atomic() {
                    look(&access.address, &atomic);
                }
            }
            Expr::Rmw(rmw) => look(&rmw.address, &rmw.atomic),
            Expr::Cas(cas) => look(&cas.address, &cas.atomic),
            _ => {}
        });
    }
    only_atomic(program, location) && !(narrow && program.api == Api::Vulkan)
}

/// Whether any thread loops.
fn has_loops(program: &Program) -> bool {
    let mut found = false;
    for thread in &program.threads {
        each_instr(&thread.body, &mut |i| {
            found |= matches!(i, Instr::While { .. })
        });
    }
    found
}

/// A word that the program is unlikely to compute: one that none of its constants has.
fn unwritten_marker(program: &Program) -> u32 {
    let mut marker = 0x5ca1_ab1e_u32;
    let mut constants = Vec::new();
    for thread in &program.threads {
        each_expr(&thread.body, &mut |e| {
            if let Expr::Const(c) = e {
                constants.extend([*c as u32, (*c >> 32) as u32]);
            }
        });
    }
    for location in &program.locations {
        for v in &location.init {
            constants.extend([*v as u32, (*v >> 32) as u32]);
        }
    }
    while constants.contains(&marker) {
        marker = marker.wrapping_mul(0x9e37_79b1).wrapping_add(1);
    }
    marker
}

/// One half of an element, or all of one that is narrower than a word; `word` is the text of a word of its
/// location.
pub fn element_text(
    ty: ScalarType,
    element: u32,
    half: u32,
    word: impl Fn(u32) -> String,
) -> String {
    match ty.bits() {
        64 => word(element * 2 + half),
        32 => word(element),
        bits => {
            let (per, mask) = (32 / bits, (1u64 << bits) - 1);
            let word = word(element / per);
            format!("({word} >> {}) & {mask}u", element % per * bits)
        }
    }
}

/// Used by the writers to know which work-group finishes a local location.
pub fn owners(program: &Program, shape: &Shape) -> Vec<Option<(usize, usize)>> {
    program
        .locations
        .iter()
        .enumerate()
        .map(|(i, l)| match l.region {
            Region::Local => Some(shape.owner_of_local(program, LocId(i as u32))),
            Region::Global | Region::Image | Region::Output | Region::Input => None,
        })
        .collect()
}
