//! Temporaries are written before they are read; which variables may not be.
//!
//! A forward analysis: a register is *written* at a point if every path from
//! the entry to it writes the register.

use crate::function::Function;
use crate::ids::Reg;
use crate::value::{Loc, Operand};

/// A set of registers: for each, whether it is in it.
type Regs = Vec<bool>;

/// Leaves in a set what is in another, too; tells whether that is less.
fn intersect(set: &mut [bool], other: &[bool]) -> bool {
    let mut changed = false;
    for (here, &there) in set.iter_mut().zip(other) {
        changed |= *here && !there;
        *here &= there;
    }
    changed
}

/// Calls `f` for each read of a register that some path has not written.
fn unwritten_reads(function: &Function, mut f: impl FnMut(Reg, Loc)) {
    let count = function.regs.len();
    let mut at_entry = vec![vec![true; count]; function.blocks.len()];
    let mut params = vec![false; count];
    for p in &function.params {
        params[p.0 as usize] = true;
    }
    at_entry[0] = params;
    let mut work = vec![0];
    let mut reached = vec![false; function.blocks.len()];
    reached[0] = true;
    while let Some(b) = work.pop() {
        let mut written = at_entry[b].clone();
        for inst in &function.blocks[b].insts {
            if let Some(d) = inst.dst {
                written[d.0 as usize] = true;
            }
        }
        function.blocks[b].term.for_each_target(|t| {
            let t = t.0 as usize;
            if intersect(&mut at_entry[t], &written) || !reached[t] {
                reached[t] = true;
                work.push(t);
            }
        });
    }
    for (b, block) in function.blocks.iter().enumerate() {
        if !reached[b] {
            continue;
        }
        let written = &mut at_entry[b];
        let mut read = |written: &Regs, operand: Operand, loc: Loc| {
            if let Operand::Reg(r) = operand
                && !written[r.0 as usize]
            {
                f(r, loc);
            }
        };
        for inst in &block.insts {
            inst.op.for_each_operand(|o| read(written, o, inst.loc));
            if let Some(d) = inst.dst {
                written[d.0 as usize] = true;
            }
        }
        if let Some(o) = block.term.operand() {
            read(written, o, block.term_loc);
        }
    }
}

/// Checks that temporaries are written before they are read.
pub(super) fn check(function: &Function) -> Result<(), (Loc, String)> {
    let mut first = None;
    unwritten_reads(function, |reg, loc| {
        if function.regs[reg.0 as usize].variable.is_none() && first.is_none() {
            first = Some((
                loc,
                format!("temporary {reg} may be read before it is written"),
            ));
        }
    });
    first.map_or(Ok(()), Err)
}

/// The variables (registers with a name) that some path may read before it has
/// written them, in order. The function must be valid.
pub fn read_before_written(function: &Function) -> Vec<Reg> {
    let mut regs = Vec::new();
    unwritten_reads(function, |reg, _| regs.push(reg));
    regs.sort_unstable();
    regs.dedup();
    regs
}
