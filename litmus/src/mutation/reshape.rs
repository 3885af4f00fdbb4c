//! Mutations of what a program does: two accesses change places, a read-modify-write becomes a
//! load and a store.
//!
//! Program order on one location, and nothing coming between the two halves of a read-modify-write,
//! hold whatever the orders and scopes are. Only a program without them can show what they forbid.

use super::change::{Change, Property, Target};
use crate::program::{
    Access, Address, Atomicity, BinOp, Expected, Expr, Instr, LocId, Program, RegId, RmwOp,
};

/// What becomes of the n-th place of a thread where something can be reshaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reshaping {
    thread: usize,
    place: usize,
    how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// Two accesses of a block change places.
    Swap,
    /// A read-modify-write is split in two.
    Split,
}

/// Every pair of neighbouring accesses to one location that can change places, and every
/// read-modify-write that can be split.
pub fn reshapings(program: &Program) -> Vec<Change> {
    let mut out = swaps(program, true);
    let first = out.len();
    for t in 0..program.threads.len() {
        let mut copy = program.threads[t].body.clone();
        let mut number = 0;
        each_update(program, t, &mut copy, &mut |_, _| {
            out.push(Change {
                word: numbered(format!("P{t}-split"), number),
                what: format!("P{t}: a read-modify-write as a load and a store"),
                steps: 1,
                place: (first + number, Property::Atomicity),
                target: Target::Reshape(Reshaping {
                    thread: t,
                    place: number,
                    how: How::Split,
                }),
            });
            number += 1;
        });
    }
    out
}

/// Every pair of neighbouring accesses, to one location or to any, that can change places: neither
/// uses what the other reads, and only fences stand between them.
pub fn swaps(program: &Program, same_location: bool) -> Vec<Change> {
    let mut out: Vec<Change> = Vec::new();
    for t in 0..program.threads.len() {
        let mut copy = program.threads[t].body.clone();
        let mut number = 0;
        let mut place = 0;
        each_pair(&mut copy, &mut |block, first, second| {
            let locations = (access(&block[first]), access(&block[second]));
            let same = matches!(locations, (Some(a), Some(b)) if a == b);
            if same || !same_location {
                out.push(Change {
                    word: numbered(format!("P{t}-swap"), number),
                    what: format!("P{t}: two neighbouring accesses in the other order"),
                    steps: 1,
                    place: (out.len(), Property::Position),
                    target: Target::Reshape(Reshaping {
                        thread: t,
                        place,
                        how: How::Swap,
                    }),
                });
                number += 1;
            }
            place += 1;
        });
    }
    out
}

/// A word, and a number from the second on.
fn numbered(word: String, number: usize) -> String {
    match number {
        0 => word,
        n => format!("{word}{}", n + 1),
    }
}

impl Reshaping {
    pub(super) fn thread(self) -> usize {
        self.thread
    }

    pub(super) fn apply(self, program: &mut Program) {
        let Some(thread) = program.threads.get_mut(self.thread) else {
            return;
        };
        let mut at = 0;
        match self.how {
            How::Swap => each_pair(&mut thread.body, &mut |block, first, second| {
                if at == self.place {
                    block.swap(first, second);
                }
                at += 1;
            }),
            How::Split => {
                let mut body = std::mem::take(&mut thread.body);
                each_update(program, self.thread, &mut body, &mut |block, i| {
                    if at == self.place
                        && let Some(two) = split(&block[i])
                    {
                        block.splice(i..=i, two);
                    }
                    at += 1;
                });
                program.threads[self.thread].body = body;
            }
        }
    }
}

/// Calls `each` for every pair of neighbouring accesses that can change places, with their block.
fn each_pair(block: &mut [Instr], each: &mut dyn FnMut(&mut [Instr], usize, usize)) {
    let mut pairs = Vec::new();
    let mut last: Option<usize> = None;
    for (i, instr) in block.iter().enumerate() {
        match (access(instr), last) {
            (Some(_), Some(before)) => {
                if independent(&block[before], instr) {
                    pairs.push((before, i));
                }
                last = Some(i);
            }
            (Some(_), None) => last = Some(i),
            (None, _) if matches!(instr, Instr::Fence { .. }) => {}
            (None, _) => last = None,
        }
    }
    for (first, second) in pairs {
        each(block, first, second);
    }
    for inner in block.iter_mut().flat_map(Instr::blocks_mut) {
        each_pair(inner, each);
    }
}

/// The location of an instruction that makes one access and nothing else.
fn access(instr: &Instr) -> Option<LocId> {
    let quiet = |expr: &Expr| !expr.touches_memory();
    match instr {
        Instr::Store { access, value } => quiet(value).then_some(access.address.location),
        Instr::Assign { value, .. } | Instr::Effect(value) => match value {
            Expr::Load(access) => Some(access.address.location),
            Expr::Rmw {
                address, operand, ..
            } => quiet(operand).then_some(address.location),
            Expr::Cas {
                address,
                expected: Expected::Register(_),
                desired,
                ..
            } => quiet(desired).then_some(address.location),
            Expr::Cas { .. }
            | Expr::Const(_)
            | Expr::Reg(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..) => None,
        },
        Instr::Fence { .. }
        | Instr::Barrier(_)
        | Instr::If { .. }
        | Instr::While { .. }
        | Instr::Return
        | Instr::Host(_) => None,
    }
}

/// Whether neither of two accesses uses or writes a register that the other writes.
fn independent(first: &Instr, second: &Instr) -> bool {
    let clash = |a: &Instr, b: &Instr| written(a).iter().any(|r| b.mentions(*r));
    !clash(first, second) && !clash(second, first)
}

/// The registers that an access writes.
fn written(instr: &Instr) -> Vec<RegId> {
    let mut out = Vec::new();
    let value = match instr {
        Instr::Assign { register, value } => {
            out.push(*register);
            value
        }
        Instr::Effect(value) => value,
        Instr::Store { .. }
        | Instr::Fence { .. }
        | Instr::Barrier(_)
        | Instr::If { .. }
        | Instr::While { .. }
        | Instr::Return
        | Instr::Host(_) => return out,
    };
    if let Expr::Cas {
        expected: Expected::Register(register),
        ..
    } = value
    {
        out.push(*register);
    }
    out
}

/// Calls `each` for every read-modify-write of a thread that a load and a store can stand for, with
/// its block.
fn each_update(
    program: &Program,
    thread: usize,
    block: &mut Vec<Instr>,
    each: &mut dyn FnMut(&mut Vec<Instr>, usize),
) {
    let found: Vec<usize> = (0..block.len())
        .filter(|i| splits(program, thread, &block[*i]))
        .collect();
    for inner in block.iter_mut().flat_map(Instr::blocks_mut) {
        each_update(program, thread, inner, each);
    }
    // From the end, so that a split one moves none that is still to come.
    for i in found.into_iter().rev() {
        each(block, i);
    }
}

/// Whether two statements can do what a read-modify-write does, but for atomicity.
fn splits(program: &Program, thread: usize, instr: &Instr) -> bool {
    let Instr::Assign { register, value } = instr else {
        return false;
    };
    let wide = |location: LocId| {
        let registers = &program.threads[thread].registers;
        registers[register.0 as usize].ty == program.locations[location.index()].ty
    };
    let apart = |expr: &Expr| !expr.touches_memory() && !expr.mentions(*register);
    let here = |address: &Address| address.index.as_deref().is_none_or(apart);
    match value {
        Expr::Rmw {
            op: RmwOp::Exchange | RmwOp::Add,
            address,
            operand,
            ..
        } => wide(address.location) && apart(operand) && here(address),
        Expr::Cas {
            address,
            expected: Expected::Register(expected),
            desired,
            ..
        } => wide(address.location) && apart(desired) && here(address) && expected != register,
        Expr::Rmw { .. }
        | Expr::Cas { .. }
        | Expr::Const(_)
        | Expr::Reg(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..)
        | Expr::Load(_) => false,
    }
}

/// A load and a store for a read-modify-write that [`splits`].
fn split(instr: &Instr) -> Option<Vec<Instr>> {
    let Instr::Assign { register, value } = instr else {
        return None;
    };
    let atomic = |order, scope, implicit| Atomicity::Atomic {
        order,
        scope,
        implicit,
    };
    let load = |address: &Address, atomicity| Instr::Assign {
        register: *register,
        value: Expr::Load(Access {
            address: address.clone(),
            atomicity,
        }),
    };
    let store = |address: &Address, atomicity, value| Instr::Store {
        access: Access {
            address: address.clone(),
            atomicity,
        },
        value,
    };
    let old = || Box::new(Expr::Reg(*register));
    match value {
        Expr::Rmw {
            op,
            address,
            operand,
            atomicity:
                Atomicity::Atomic {
                    order,
                    scope,
                    implicit,
                },
        } => {
            let new = match op {
                RmwOp::Add => Expr::Binary(BinOp::Add, old(), operand.clone()),
                // [`splits`] lets no other operation through
                RmwOp::Exchange
                | RmwOp::Sub
                | RmwOp::Or
                | RmwOp::Xor
                | RmwOp::And
                | RmwOp::Min
                | RmwOp::Max
                | RmwOp::TestAndSet => (**operand).clone(),
            };
            Some(vec![
                load(address, atomic(order.of_load(), *scope, *implicit)),
                store(address, atomic(order.of_store(), *scope, *implicit), new),
            ])
        }
        Expr::Cas {
            address,
            expected: Expected::Register(expected),
            desired,
            success,
            scope,
            implicit,
            ..
        } => {
            let set = |register, value| Instr::Assign { register, value };
            Some(vec![
                load(address, atomic(success.of_load(), *scope, *implicit)),
                Instr::If {
                    condition: Expr::Binary(BinOp::Eq, old(), Box::new(Expr::Reg(*expected))),
                    then: vec![
                        store(
                            address,
                            atomic(success.of_store(), *scope, *implicit),
                            (**desired).clone(),
                        ),
                        set(*register, Expr::Const(1)),
                    ],
                    otherwise: vec![
                        set(*expected, Expr::Reg(*register)),
                        set(*register, Expr::Const(0)),
                    ],
                },
            ])
        }
        Expr::Rmw { .. }
        | Expr::Cas { .. }
        | Expr::Const(_)
        | Expr::Reg(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..)
        | Expr::Load(_) => None,
    }
}
