//! Mutations of what a program does: two accesses change places, a read-modify-write becomes a
//! load and a store.
//!
//! Program order on one location, and nothing coming between the two halves of a read-modify-write,
//! hold whatever the orders and scopes are. Only a program without them can show what they forbid.

use crate::program::{
    Access, Atomic, Atomicity, BinOp, Branch, Expr, Instr, LocId, MemOrder, Program, RegId, RmwOp,
};

/// What becomes of the n-th place of a thread where something can be reshaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reshaping {
    pub thread: usize,
    pub place: usize,
    pub how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Two accesses of a block change places.
    Swap,
    /// A read-modify-write is split in two.
    Split,
}

impl Reshaping {
    pub fn apply(self, program: &mut Program) {
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
                each_update(program, self.thread, &mut body, &mut |block, i, two| {
                    if at == self.place {
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
pub(super) fn each_pair(block: &mut [Instr], each: &mut dyn FnMut(&mut [Instr], usize, usize)) {
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
            (None, _) if matches!(instr, Instr::Fence(_)) => {}
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
pub(super) fn access(instr: &Instr) -> Option<LocId> {
    if let Instr::Store { access, value } = instr {
        return (!value.touches_memory()).then_some(access.address.location);
    }
    let (Instr::Assign { value, .. } | Instr::Effect(value)) = instr else {
        return None;
    };
    let mut touched = value.addresses();
    let only = touched.next()?;
    let quiet = touched.next().is_none() && !value.parts().any(Expr::touches_memory);
    quiet.then_some(only.location)
}

/// Whether neither of two accesses uses or writes a register that the other writes.
fn independent(first: &Instr, second: &Instr) -> bool {
    let clash = |a: &Instr, b: &Instr| written(a).iter().any(|r| b.mentions(*r));
    !clash(first, second) && !clash(second, first)
}

/// The registers that an access writes.
fn written(instr: &Instr) -> Vec<RegId> {
    let mut out: Vec<RegId> = instr.assigned().into_iter().collect();
    for value in instr.expressions() {
        if let Expr::Cas(cas) = value {
            out.extend(cas.expected.register());
        }
    }
    out
}

/// Is given a block, a place in it, and what can stand there instead.
type EachUpdate<'a> = dyn FnMut(&mut Vec<Instr>, usize, Vec<Instr>) + 'a;

/// Calls `each` for every read-modify-write of a thread that a load and a store can stand for, with
/// its block and these.
pub(super) fn each_update(
    program: &Program,
    thread: usize,
    block: &mut Vec<Instr>,
    each: &mut EachUpdate<'_>,
) {
    let found: Vec<(usize, Vec<Instr>)> = (0..block.len())
        .filter_map(|i| Some((i, split(program, thread, &block[i])?)))
        .collect();
    for inner in block.iter_mut().flat_map(Instr::blocks_mut) {
        each_update(program, thread, inner, each);
    }
    // From the end, so that a split one moves none that is still to come.
    for (i, two) in found.into_iter().rev() {
        each(block, i, two);
    }
}

/// A load and a store that do what a read-modify-write does, but for atomicity; none where two statements
/// cannot.
fn split(program: &Program, thread: usize, instr: &Instr) -> Option<Vec<Instr>> {
    let Instr::Assign { register, value } = instr else {
        return None;
    };
    let address = value.addresses().next()?;
    let held = program.threads[thread].registers[register.index()].ty;
    let apart = |part: &Expr| !part.touches_memory() && !part.mentions(*register);
    let wide = held == program.locations[address.location.index()].ty;
    if !wide || !value.parts().all(apart) {
        return None;
    }
    let access = |atomic: Atomic, order: MemOrder| Access {
        address: address.clone(),
        atomicity: Atomicity::Atomic(atomic.ordered(order)),
    };
    let load = |atomic: Atomic| Instr::Assign {
        register: *register,
        value: Expr::Load(access(atomic, atomic.order.of_load())),
    };
    let store = |atomic: Atomic, value| Instr::Store {
        access: access(atomic, atomic.order.of_store()),
        value,
    };
    match value {
        Expr::Rmw(rmw) => {
            let operand = (*rmw.operand).clone();
            let new = match rmw.op {
                RmwOp::Exchange => operand,
                RmwOp::Add => Expr::binary(BinOp::Add, Expr::Reg(*register), operand),
                _ => return None,
            };
            Some(vec![load(rmw.atomic), store(rmw.atomic, new)])
        }
        Expr::Cas(cas) => {
            let expected = cas.expected.register().filter(|held| held != register)?;
            let set = |register, value| Instr::Assign { register, value };
            let branch = Branch {
                condition: Expr::binary(BinOp::Eq, Expr::Reg(*register), Expr::Reg(expected)),
                then: vec![
                    store(cas.atomic, (*cas.desired).clone()),
                    set(*register, Expr::Const(1)),
                ],
                otherwise: vec![
                    set(expected, Expr::Reg(*register)),
                    set(*register, Expr::Const(0)),
                ],
            };
            Some(vec![load(cas.atomic), Instr::If(branch)])
        }
        Expr::Const(_)
        | Expr::Reg(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..)
        | Expr::Load(_) => None,
    }
}
