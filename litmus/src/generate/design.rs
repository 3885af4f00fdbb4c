//! Designs: a shape with orders, scopes, fences and placements, and the program it stands for.

use super::shape::Slot;
use crate::program::{
    Access, Address, Atom, Atomicity, Barrier, BinOp, Condition, Expr, FenceFlags, Instr, LocId,
    Location, MemOrder, MemScope, Memory, Observable, Placement, Predicate, Program, Quantifier,
    RegId, Region, Register, Relation, RmwOp, ScalarType, Thread, ThreadId,
};

/// How an access is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An ordinary access.
    Plain,
    /// An atomic load or store.
    Atomic(MemOrder, MemScope),
    /// A read-modify-write: an exchange where it writes, the addition of nothing where it only
    /// reads.
    Update(MemOrder, MemScope),
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
    Fence(FenceFlags, MemOrder, MemScope),
    /// A barrier.
    Barrier(Barrier),
}

/// Everything about a test but its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// What each thread does.
    pub threads: Vec<Vec<Step>>,
    /// Where each thread runs.
    pub placements: Vec<Placement>,
    /// Where each location lies.
    pub regions: Vec<Region>,
    /// The final values that the outcome asks for.
    pub finals: Vec<Option<i64>>,
}

const NAMES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

impl Design {
    /// The program, with the question whether the cycle's outcome can be reached.
    pub fn program(&self, name: &str) -> Program {
        let atomic = |l: usize| {
            self.accesses()
                .any(|(slot, mode)| slot.location == l && mode != Mode::Plain)
        };
        let locations = (0..self.regions.len())
            .map(|l| Location {
                name: NAMES
                    .get(l)
                    .map_or_else(|| format!("x{l}"), |n| (*n).to_string()),
                region: self.regions[l],
                memory: Memory::Unstated,
                generic: false,
                ty: ScalarType::Int,
                atomic: atomic(l),
                array: false,
                init: vec![0],
            })
            .collect();
        let mut asked = Vec::new();
        let mut threads = Vec::new();
        for (t, steps) in self.threads.iter().enumerate() {
            let mut registers = Vec::new();
            let body = body(steps, &mut registers);
            for (r, value) in registers.iter().enumerate() {
                let register = Observable::Register(ThreadId(t as u32), RegId(r as u32));
                asked.push(equal(register, *value));
            }
            threads.push(Thread {
                placement: self.placements[t],
                kernel: None,
                registers: (0..registers.len())
                    .map(|r| Register {
                        name: format!("r{r}"),
                        ty: ScalarType::Int,
                        init: 0,
                    })
                    .collect(),
                body,
            });
        }
        for (l, value) in self.finals.iter().enumerate() {
            if let Some(value) = value {
                asked.push(equal(Observable::Memory(LocId(l as u32), 0), *value));
            }
        }
        let predicate = match asked.len() {
            0 => Predicate::Bool(true),
            1 => asked.remove(0),
            _ => Predicate::And(asked),
        };
        Program {
            name: name.to_string(),
            locations,
            threads,
            queues: Vec::new(),
            commands: Vec::new(),
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
            Step::Fence(..) | Step::Barrier(_) => None,
        })
    }
}

fn equal(observable: Observable, value: i64) -> Predicate {
    Predicate::Compare(Relation::Eq, Atom::Observe(observable), Atom::Const(value))
}

/// The statements of a thread. `reads` collects the value asked of each register.
fn body(steps: &[Step], reads: &mut Vec<i64>) -> Vec<Instr> {
    let mut out = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let (slot, mode, dependency) = match step {
            Step::Fence(flags, order, scope) => {
                out.push(Instr::Fence {
                    flags: *flags,
                    order: *order,
                    scope: *scope,
                });
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
        let source = reads
            .len()
            .checked_sub(1)
            .map(|r| (RegId(r as u32), reads[r]));
        match (dependency, source) {
            (Dependency::Control, Some((register, value))) => {
                let mut rest = steps[i..].to_vec();
                if let Some(Step::Access { dependency, .. }) = rest.first_mut() {
                    *dependency = Dependency::None;
                }
                out.push(Instr::If {
                    condition: Expr::Binary(
                        BinOp::Eq,
                        Box::new(Expr::Reg(register)),
                        Box::new(Expr::Const(value)),
                    ),
                    then: body(&rest, reads),
                    otherwise: Vec::new(),
                });
                return out;
            }
            (Dependency::Address, Some((register, _))) => {
                // unlike zero, plainly within every location
                let index = Expr::Select(
                    Box::new(Expr::Reg(register)),
                    Box::new(Expr::Const(0)),
                    Box::new(Expr::Const(0)),
                );
                out.push(access(slot, mode, Some(index), None, reads));
            }
            (Dependency::Data, Some((register, _))) => {
                out.push(access(slot, mode, None, Some(zero(register)), reads));
            }
            (Dependency::None, _)
            | (Dependency::Control | Dependency::Address | Dependency::Data, None) => {
                out.push(access(slot, mode, None, None, reads));
            }
        }
    }
    out
}

/// Zero, computed from a register.
fn zero(register: RegId) -> Expr {
    Expr::Binary(
        BinOp::Xor,
        Box::new(Expr::Reg(register)),
        Box::new(Expr::Reg(register)),
    )
}

fn access(
    slot: &Slot,
    mode: Mode,
    index: Option<Expr>,
    data: Option<Expr>,
    reads: &mut Vec<i64>,
) -> Instr {
    let address = Address {
        location: LocId(slot.location as u32),
        index: index.map(Box::new),
    };
    let constant = Expr::Const(slot.write.unwrap_or(0));
    let value = match data {
        Some(data) => Expr::Binary(BinOp::Add, Box::new(constant), Box::new(data)),
        None => constant,
    };
    let mut register = |value: i64| {
        reads.push(value);
        RegId(reads.len() as u32 - 1)
    };
    let atomic = |order, scope| Atomicity::Atomic {
        order,
        scope: Some(scope),
        implicit: false,
    };
    let (atomicity, update) = match mode {
        Mode::Plain => (Atomicity::Plain, false),
        Mode::Atomic(order, scope) => (
            atomic(order, scope),
            slot.read.is_some() && slot.write.is_some(),
        ),
        Mode::Update(order, scope) => (atomic(order, scope), true),
    };
    match (update, slot.read, slot.write) {
        (true, read, write) => {
            let value = Expr::Rmw {
                op: if write.is_some() {
                    RmwOp::Exchange
                } else {
                    RmwOp::Add
                },
                address,
                operand: Box::new(value),
                atomicity,
            };
            match read {
                Some(read) => Instr::Assign {
                    register: register(read),
                    value,
                },
                None => Instr::Effect(value),
            }
        }
        (false, Some(read), _) => Instr::Assign {
            register: register(read),
            value: Expr::Load(Access { address, atomicity }),
        },
        (false, None, _) => Instr::Store {
            access: Access { address, atomicity },
            value,
        },
    }
}
