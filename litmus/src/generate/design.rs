//! Designs: a shape with orders, scopes, fences and placements, and the program it stands for.

use super::shape::Slot;
use crate::program::{
    Access, Address, Api, Atom, Atomic, Atomicity, Barrier, BinOp, Branch, Cas, CasStrength,
    Condition, Expected, Expr, Fence, FenceFlags, Instr, LocId, Location, Make, Memory, Observable,
    Placement, Predicate, Program, Quantifier, RegId, Region, Register, Relation, Rmw, RmwOp,
    ScalarType, Thread, ThreadId,
};

/// How an access is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An access that is not atomic.
    Ordinary(Atomicity),
    /// An atomic load or store.
    Atomic(Atomic),
    /// A read-modify-write.
    Update(Update, Atomic),
}

/// Which function a read-modify-write is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Update {
    /// An exchange; the addition of nothing where the shape only reads.
    Exchange,
    /// A fetch-and-add: of the difference, of one, or of nothing.
    Add,
    /// A strong compare-exchange: it must succeed where the shape writes, and fails where it only
    /// reads. A failure has the order of the read that the success's order implies.
    CasStrong,
    /// As `CasStrong`, weak.
    CasWeak,
}

/// How an access depends on the read before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dependency {
    /// Not.
    None,
    /// Its address is computed from the value read.
    Address,
    /// The value written is computed from the value read.
    Data,
    /// It happens only if the value read is the one that the outcome asks for.
    Control,
}

/// One step of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An access.
    Access {
        /// Of what.
        slot: Slot,
        /// How.
        mode: Mode,
        /// Whether it depends on the read before.
        dependency: Dependency,
    },
    /// A fence.
    Fence(Fence),
    /// A barrier.
    Barrier(Barrier),
}

impl Step {
    /// The flags of a fence or a barrier; in Vulkan the storage classes of any semantics.
    pub(super) fn flags(&self) -> FenceFlags {
        match self {
            Step::Access { mode, .. } => mode.atomic().map_or(FenceFlags::NONE, |of| of.flags),
            Step::Fence(fence) => fence.flags,
            Step::Barrier(barrier) => barrier.flags,
        }
    }

    /// What its semantics make available and visible.
    pub(super) fn made(&self) -> Make {
        match self {
            Step::Access { mode, .. } => mode.atomic().map_or(Make::NOTHING, |of| of.make),
            Step::Fence(fence) => fence.make,
            Step::Barrier(barrier) => barrier.make,
        }
    }
}

impl Mode {
    /// What an atomic access states.
    pub fn atomic(self) -> Option<Atomic> {
        match self {
            Mode::Ordinary(_) => None,
            Mode::Atomic(atomic) | Mode::Update(_, atomic) => Some(atomic),
        }
    }
}

impl Update {
    /// Whether an API has the function: Vulkan's shaders have no weak compare-exchange.
    pub(super) fn known(self, api: Api) -> bool {
        match self {
            Update::Exchange | Update::Add | Update::CasStrong => true,
            Update::CasWeak => api == Api::OpenCl,
        }
    }

    /// Its words in the names of tests and in the trait of orders.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Update::Exchange => ("", ""),
            Update::Add => ("+add", " with add"),
            Update::CasStrong => ("+cas", " with strong"),
            Update::CasWeak => ("+wcas", " with weak"),
        }
    }
}

/// Everything about a test but its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// The API that it is written for.
    pub api: Api,
    /// What each thread does.
    pub threads: Vec<Vec<Step>>,
    /// Where each thread runs.
    pub placements: Vec<Placement>,
    /// Where each location lies.
    pub regions: Vec<Region>,
    /// The type of the locations, and of what is read from them. What is written then has bits in all of it.
    pub ty: ScalarType,
    /// The final values that the outcome asks for.
    pub finals: Vec<Option<i64>>,
}

const NAMES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

impl Design {
    /// The program, with the question whether the cycle's outcome can be reached.
    pub fn program(&self, name: &str) -> Program {
        // Only OpenCL C has types for what is accessed atomically.
        let typed = self.api == Api::OpenCl;
        let atomic = |l: usize| {
            let mut accesses = self.accesses();
            accesses.any(|(slot, mode)| {
                typed && slot.location == l && !matches!(mode, Mode::Ordinary(_))
            })
        };
        let locations = (0..self.regions.len())
            .map(|l| Location {
                name: NAMES
                    .get(l)
                    .map_or_else(|| format!("x{l}"), |n| (*n).to_string()),
                region: self.regions[l],
                alias: None,
                memory: Memory::Unstated,
                generic: false,
                ty: self.ty,
                atomic: atomic(l),
                array: false,
                init: vec![0],
            })
            .collect();
        let mut target = Vec::new();
        let mut threads = Vec::new();
        for (t, steps) in self.threads.iter().enumerate() {
            let mut registers = Registers::of(self.api, self.ty);
            let body = body(steps, &mut registers);
            for (r, (_, _, asks)) in registers.all.iter().enumerate() {
                if let Some(value) = asks {
                    let register = Observable::Register(ThreadId(t as u32), RegId(r as u32));
                    target.push(equal(register, *value));
                }
            }
            threads.push(Thread {
                placement: self.placements[t],
                kernel: None,
                registers: (registers.all.iter().enumerate())
                    .map(|(r, (ty, init, _))| Register {
                        name: format!("r{r}"),
                        ty: *ty,
                        init: *init,
                    })
                    .collect(),
                body,
            });
        }
        for (l, value) in self.finals.iter().enumerate() {
            if let Some(value) = value {
                let value = filling(self.ty, *value);
                target.push(equal(Observable::Memory(LocId(l as u32), 0), value));
            }
        }
        let predicate = match target.len() {
            0 => Predicate::Bool(true),
            1 => target.remove(0),
            _ => Predicate::And(target),
        };
        Program {
            name: name.to_string(),
            api: self.api,
            locations,
            threads,
            queues: Vec::new(),
            commands: Vec::new(),
            synchronized: Vec::new(),
            contributes: Vec::new(),
            condition: Condition {
                quantifier: Quantifier::Exists,
                predicate,
            },
            filter: None,
        }
    }

    /// Every access.
    pub fn accesses(&self) -> impl Iterator<Item = (&Slot, Mode)> {
        self.threads.iter().flatten().filter_map(|step| match step {
            Step::Access { slot, mode, .. } => Some((slot, *mode)),
            Step::Fence(_) | Step::Barrier(_) => None,
        })
    }
}

fn equal(observable: Observable, value: i64) -> Predicate {
    Predicate::Compare(Relation::Eq, Atom::Observe(observable), Atom::Const(value))
}

/// The value of a type that stands for a value of a shape, 0 for 0: a multiple of it, so that sums stay what they
/// are, with bits in the upper half, so that half a value is none.
fn filling(ty: ScalarType, value: i64) -> i64 {
    let unit = match ty {
        ScalarType::UInt => 0x8000_0001,
        ScalarType::Long | ScalarType::ULong => 0x1_0000_0001,
        ScalarType::Int
        | ScalarType::Char
        | ScalarType::UChar
        | ScalarType::Short
        | ScalarType::UShort
        | ScalarType::Flag => 1,
    };
    ty.wrap(value * unit)
}

/// A thread's registers.
struct Registers {
    api: Api,
    /// The type of what is read.
    ty: ScalarType,
    /// The type and the first value of each, and the value that the outcome asks for.
    all: Vec<(ScalarType, i64, Option<i64>)>,
    /// The last one that says what was read, and what it then is.
    source: Option<(RegId, i64)>,
}

impl Registers {
    fn of(api: Api, ty: ScalarType) -> Registers {
        Registers {
            api,
            ty,
            all: Vec::new(),
            source: None,
        }
    }

    /// A register for values of the locations.
    fn add(&mut self, init: i64, asks: Option<i64>) -> RegId {
        self.push((self.ty, self.value(init), asks.map(|asks| self.value(asks))))
    }

    /// A register for whether something succeeded, which it has to where that is asked for.
    fn success(&mut self, asks: bool) -> RegId {
        self.push((ScalarType::Int, 0, asks.then_some(1)))
    }

    fn push(&mut self, register: (ScalarType, i64, Option<i64>)) -> RegId {
        self.all.push(register);
        RegId(self.all.len() as u32 - 1)
    }

    /// A register for a value that is read.
    fn reading(&mut self, value: i64) -> RegId {
        let register = self.add(0, Some(value));
        self.comes_from(register, value);
        register
    }

    /// What comes next may depend on this register, which then has a value of the shape.
    fn comes_from(&mut self, register: RegId, value: i64) {
        self.source = Some((register, self.value(value)));
    }

    fn value(&self, value: i64) -> i64 {
        filling(self.ty, value)
    }
}

/// The statements of a thread.
fn body(steps: &[Step], registers: &mut Registers) -> Vec<Instr> {
    let mut out = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let (slot, mode, dependency) = match step {
            Step::Fence(fence) => {
                out.push(Instr::Fence(*fence));
                continue;
            }
            Step::Barrier(barrier) => {
                out.push(Instr::Barrier(barrier.clone()));
                continue;
            }
            Step::Access {
                slot,
                mode,
                dependency,
            } => (slot, *mode, *dependency),
        };
        match (dependency, registers.source) {
            (Dependency::Control, Some((register, value))) => {
                let mut rest = steps[i..].to_vec();
                if let Some(Step::Access { dependency, .. }) = rest.first_mut() {
                    *dependency = Dependency::None;
                }
                out.push(Instr::If(Branch {
                    condition: Expr::binary(BinOp::Eq, Expr::Reg(register), Expr::Const(value)),
                    then: body(&rest, registers),
                    otherwise: Vec::new(),
                }));
                return out;
            }
            (Dependency::Address, Some((register, _))) => {
                // unlike zero, plainly within every location
                let index = Expr::Select(
                    Box::new(Expr::Reg(register)),
                    Box::new(Expr::Const(0)),
                    Box::new(Expr::Const(0)),
                );
                out.push(access(slot, mode, Some(index), None, registers));
            }
            (Dependency::Data, Some((register, _))) => {
                out.push(access(slot, mode, None, Some(zero(register)), registers));
            }
            (Dependency::None, _)
            | (Dependency::Control | Dependency::Address | Dependency::Data, None) => {
                out.push(access(slot, mode, None, None, registers));
            }
        }
    }
    out
}

/// Zero, computed from a register.
fn zero(register: RegId) -> Expr {
    Expr::binary(BinOp::Xor, Expr::Reg(register), Expr::Reg(register))
}

fn access(
    slot: &Slot,
    mode: Mode,
    index: Option<Expr>,
    data: Option<Expr>,
    registers: &mut Registers,
) -> Instr {
    let address = Address {
        location: LocId(slot.location as u32),
        index: index.map(Box::new),
    };
    let ty = registers.ty;
    let with_data = |value: i64| {
        let constant = Expr::Const(filling(ty, value));
        match &data {
            Some(data) => Expr::binary(BinOp::Add, constant, data.clone()),
            None => constant,
        }
    };
    let atomicity = match mode {
        Mode::Ordinary(atomicity) => atomicity,
        Mode::Atomic(atomic) => Atomicity::Atomic(atomic),
        Mode::Update(update, atomic) => {
            return self::update(slot, update, atomic, address, &with_data, registers);
        }
    };
    match slot.read {
        Some(read) => Instr::Assign {
            register: registers.reading(read),
            value: Expr::Load(Access { address, atomicity }),
        },
        None => Instr::Store {
            access: Access { address, atomicity },
            value: with_data(slot.write.unwrap_or(0)),
        },
    }
}

/// A value that no access writes.
const NEVER: i64 = -1;

/// A read-modify-write.
fn update(
    slot: &Slot,
    update: Update,
    atomic: Atomic,
    address: Address,
    with_data: &dyn Fn(i64) -> Expr,
    registers: &mut Registers,
) -> Instr {
    let strength = match update {
        Update::Exchange | Update::Add => {
            let (op, operand) = match (update, slot.write) {
                (Update::Exchange, Some(write)) => (RmwOp::Exchange, write),
                // values count the writes of a location, so the one before is one less
                (_, Some(write)) => (RmwOp::Add, write - slot.read.unwrap_or(write - 1)),
                (_, None) => (RmwOp::Add, 0),
            };
            let value = Expr::Rmw(Rmw {
                op,
                address,
                operand: Box::new(with_data(operand)),
                atomic,
            });
            return match slot.read {
                Some(read) => Instr::Assign {
                    register: registers.reading(read),
                    value,
                },
                None => Instr::Effect(value),
            };
        }
        Update::CasStrong => CasStrength::Strong,
        Update::CasWeak => CasStrength::Weak,
    };
    let (success, expected, desired) = match slot.write {
        // In Vulkan what was there takes the place of what it expects, and says whether it succeeded.
        Some(write) if registers.api == Api::Vulkan => {
            let before = slot.read.unwrap_or(write - 1);
            let expected = registers.add(before, Some(before));
            registers.comes_from(expected, before);
            (None, expected, write)
        }
        Some(write) => {
            let before = slot.read.unwrap_or(write - 1);
            // what it expects is in one register, whether it was there in the next
            let expected = registers.add(before, None);
            let success = registers.success(true);
            registers.source = Some((success, 1));
            (Some(success), expected, write)
        }
        None => {
            let expected = registers.add(NEVER, slot.read);
            let success = (registers.api == Api::OpenCl).then(|| registers.success(false));
            registers.source = None;
            if let Some(read) = slot.read {
                registers.comes_from(expected, read);
            }
            (success, expected, NEVER)
        }
    };
    let value = Expr::Cas(Cas {
        strength,
        address,
        expected: Expected::Register(expected),
        desired: Box::new(with_data(desired)),
        atomic,
        // what of it a read can have
        failure: atomic.order.of_load(),
    });
    match success {
        Some(register) => Instr::Assign { register, value },
        None => Instr::Effect(value),
    }
}
