//! Which instructions disappear into others, and how long values live.
//!
//! Three things vanish: copies that only rename (conversions that keep the bits
//! among them), address arithmetic that the access can do, and widenings of an
//! index that the address arithmetic can do. An instruction may vanish only if
//! what it reads still holds the same values where its result is used; the pass
//! goes backward over each block and knows where each register is written next.

use touchstone_ir::types::Type;
use touchstone_ir::{
    Block, Const, Function, Inst, NumKind, Op, Operand, Query, Reg, Scalar, SlotId, Terminator,
    accesses, computations,
};

/// How a register's value is had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Expr {
    /// It lies in slots of its own.
    Slots,
    /// It is the value of an operand.
    Alias(Operand),
    /// It is the answer to a query that never changes.
    Query(Query, u8),
    /// It is an address of a private variable plus bytes.
    SlotAddr(SlotId),
    /// It is computed where it is used: `base + index * scale + disp`.
    Address {
        base: Operand,
        index: Operand,
        scale: u32,
        disp: i64,
    },
    /// It is a signed 32-bit number as one of 64 bits, widened where it is used.
    Widened(Operand),
}

/// What the pass finds out about a function.
#[derive(Debug)]
pub(super) struct Analysis {
    /// By register.
    pub(super) exprs: Vec<Expr>,
    /// By block and instruction: it is not emitted.
    pub(super) vanished: Vec<Vec<bool>>,
    /// By block and instruction: it writes this register instead of its own.
    pub(super) redirected: Vec<Vec<Option<Reg>>>,
    /// By block: the branch does the comparison that is the last instruction.
    pub(super) fused_branch: Vec<bool>,
    /// By register: for those that live within one block, the number of the
    /// last instruction that needs them (the terminator's is the block's length).
    pub(super) last_use: Vec<Option<usize>>,
    /// By register: nobody reads it.
    pub(super) unread: Vec<bool>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    defs: u32,
    uses: u32,
    /// Uses as the address of an access.
    as_ptr: u32,
    /// Uses as the address of an access that can add an index.
    as_indexed_ptr: u32,
    /// Uses as the base of address arithmetic.
    as_base: u32,
    /// Uses as the index of address arithmetic.
    as_index: u32,
    /// Block of the first occurrence, plus 1.
    block: u32,
    /// Occurs in other blocks, too, or is a parameter or a variable.
    global: bool,
}

/// Whether the bits of the source, zero-extended, are those of the result.
pub(super) fn keeps_bits(
    (from, source): (NumKind, Scalar),
    (to, target): (NumKind, Scalar),
    saturate: bool,
) -> bool {
    let float = |k| k == NumKind::Float;
    if float(from) || float(to) {
        return float(from) && float(to) && source == target;
    }
    if source == target {
        return !saturate || from == to;
    }
    if target == Scalar::Bool {
        return false;
    }
    target.bits() > source.bits() && (from == NumKind::Unsigned || source == Scalar::Bool)
}

fn is_renaming(function: &Function, inst: &Inst, dst: Reg) -> Option<Operand> {
    let target = function.reg_type(dst)?;
    match inst.op {
        Op::Copy(value) | Op::PtrCast(value) => Some(value),
        Op::Bitcast(value) => {
            let source = function.operand_type(value)?;
            let same = source.lanes() == target.lanes() && source.size() == target.size();
            same.then_some(value)
        }
        Op::Convert {
            value,
            from,
            to,
            saturate,
            ..
        } => {
            let source = function.operand_type(value)?.element()?;
            keeps_bits((from, source), (to, target.element()?), saturate).then_some(value)
        }
        computations!()
        | accesses!()
        | Op::ToSpace(_)
        | Op::Select(..)
        | Op::SlotAddr(_)
        | Op::GlobalAddr(_)
        | Op::LocalAddr(_)
        | Op::PtrAdd { .. }
        | Op::Fence { .. }
        | Op::Barrier { .. }
        | Op::Collective { .. }
        | Op::Call { .. }
        | Op::Device { .. }
        | Op::Printf { .. } => None,
    }
}

/// An access of this type takes an index in its instruction.
pub(super) fn takes_index(ty: Type) -> bool {
    ty.lanes() == 1 && matches!(ty.size(), 4 | 8)
}

fn count(function: &Function) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); function.regs.len()];
    for &p in &function.params {
        uses[p.0 as usize].defs += 1;
        uses[p.0 as usize].global = true;
    }
    for (i, decl) in function.regs.iter().enumerate() {
        uses[i].global |= decl.variable.is_some();
    }
    for (b, block) in function.blocks.iter().enumerate() {
        let mut with = |reg: Reg, f: &dyn Fn(&mut Uses)| {
            let u = &mut uses[reg.0 as usize];
            let here = b as u32 + 1;
            if u.block == 0 {
                u.block = here;
            } else if u.block != here {
                u.global = true;
            }
            f(u);
        };
        for inst in &block.insts {
            inst.op.for_each_operand(|o| {
                if let Operand::Reg(r) = o {
                    with(r, &|u| u.uses += 1);
                }
            });
            let ptr = if let Op::Load { ptr, .. } = &inst.op {
                Some((*ptr, inst.dst.and_then(|d| function.reg_type(d))))
            } else if let Op::Store { ptr, value, .. } = &inst.op {
                Some((*ptr, function.operand_type(*value)))
            } else {
                None
            };
            if let Some((Operand::Reg(r), ty)) = ptr {
                with(r, &|u| {
                    u.as_ptr += 1;
                    u.as_indexed_ptr += u32::from(ty.is_some_and(takes_index));
                });
            }
            if let Op::PtrAdd { base, index, .. } = inst.op {
                if let Operand::Reg(r) = base {
                    with(r, &|u| u.as_base += 1);
                }
                if let Operand::Reg(r) = index {
                    with(r, &|u| u.as_index += 1);
                }
            }
            if let Some(d) = inst.dst {
                with(d, &|u| u.defs += 1);
            }
        }
        if let Some(Operand::Reg(r)) = block.term.operand() {
            with(r, &|u| u.uses += 1);
        }
    }
    uses
}

/// Analyses a function.
pub(super) fn analyse(function: &Function) -> Analysis {
    let uses = count(function);
    let mut a = Analysis {
        exprs: vec![Expr::Slots; function.regs.len()],
        vanished: Vec::new(),
        redirected: Vec::new(),
        fused_branch: Vec::new(),
        last_use: vec![None; function.regs.len()],
        unread: uses.iter().map(|u| u.uses == 0).collect(),
    };
    let mut next_def = vec![usize::MAX; function.regs.len()];
    for block in &function.blocks {
        a.block(function, block, &uses, &mut next_def);
    }
    for (i, u) in uses.iter().enumerate() {
        if u.global {
            a.last_use[i] = None;
        }
    }
    a
}

impl Analysis {
    /// Goes backward over a block. `next_def` is all `usize::MAX` before and after.
    fn block(&mut self, function: &Function, block: &Block, uses: &[Uses], next_def: &mut [usize]) {
        let n = block.insts.len();
        let mut vanished = vec![false; n];
        let mut redirected = vec![None; n];
        let mut fused = false;
        if let Some(Operand::Reg(r)) = block.term.operand() {
            self.used(r, n);
        }
        for i in (0..n).rev() {
            let inst = &block.insts[i];
            // Where the operands are needed: here, or where the result is.
            let mut needed = i;
            if let Some(dst) = inst.dst {
                let u = &uses[dst.0 as usize];
                let target = redirected[i].unwrap_or(dst);
                if target == dst && u.defs == 1 {
                    let until = self.last_use[dst.0 as usize].unwrap_or(i);
                    if let Some(expr) =
                        self.vanishing(function, inst, dst, u, until, next_def, uses)
                    {
                        self.exprs[dst.0 as usize] = expr;
                        vanished[i] = true;
                        needed = until;
                    } else if i + 1 == n && self.fuses(function, block, inst, dst, u) {
                        fused = true;
                        vanished[i] = true;
                        needed = n;
                    }
                }
                // `t = op …; v = copy t` becomes `v = op …`.
                if !vanished[i]
                    && let Op::Copy(Operand::Reg(t)) = inst.op
                    && i > 0
                    && block.insts[i - 1].dst == Some(t)
                    && is_renaming(function, &block.insts[i - 1], t).is_none()
                    && function.reg_type(t).is_some_and(|ty| ty.lanes() == 1)
                    && uses[t.0 as usize].defs == 1
                    && uses[t.0 as usize].uses == 1
                    && !uses[t.0 as usize].global
                {
                    redirected[i - 1] = Some(target);
                    vanished[i] = true;
                    continue;
                }
                next_def[target.0 as usize] = i;
            }
            inst.op.for_each_operand(|o| {
                if let Operand::Reg(r) = o {
                    self.used(r, needed);
                }
            });
        }
        for inst in &block.insts {
            if let Some(dst) = inst.dst {
                next_def[dst.0 as usize] = usize::MAX;
            }
        }
        self.vanished.push(vanished);
        self.redirected.push(redirected);
        self.fused_branch.push(fused);
    }

    fn used(&mut self, reg: Reg, at: usize) {
        let last = &mut self.last_use[reg.0 as usize];
        *last = Some(last.map_or(at, |l| l.max(at)));
    }

    /// What an instruction with a single definition becomes, if it can vanish.
    #[allow(clippy::too_many_arguments)]
    fn vanishing(
        &self,
        function: &Function,
        inst: &Inst,
        dst: Reg,
        u: &Uses,
        until: usize,
        next_def: &[usize],
        uses: &[Uses],
    ) -> Option<Expr> {
        if function.regs[dst.0 as usize].variable.is_some() {
            return None;
        }
        // Whether an operand has its present value for as long as the result lives.
        let stays = |o: Operand| match o {
            Operand::Const(_) => true,
            Operand::Reg(r) => {
                let constant =
                    uses[r.0 as usize].defs == 1 && function.regs[r.0 as usize].variable.is_none();
                !u.global && (constant || next_def[r.0 as usize] >= until)
            }
        };
        if let Some(source) = is_renaming(function, inst, dst) {
            return stays(source).then_some(Expr::Alias(source));
        }
        if let Op::Query { query, dim } = inst.op {
            return match dim {
                None => Some(Expr::Query(query, 0)),
                Some(Operand::Const(c)) => Some(Expr::Query(query, c.bits().min(3) as u8)),
                Some(Operand::Reg(_)) => None,
            };
        }
        if let Op::SlotAddr(slot) = inst.op {
            return Some(Expr::SlotAddr(slot));
        }
        if let Op::PtrAdd {
            base,
            index,
            scale,
            disp,
        } = inst.op
        {
            let constant = matches!(index, Operand::Const(_));
            let cheap = if constant {
                u.uses == u.as_ptr + u.as_base
            } else {
                u.uses == 1 && u.as_indexed_ptr == 1 && u16::try_from(scale).is_ok()
            };
            return (cheap && stays(base) && stays(index)).then_some(Expr::Address {
                base,
                index,
                scale,
                disp,
            });
        }
        if let Op::Convert {
            value,
            from: NumKind::Signed,
            to: NumKind::Signed | NumKind::Unsigned,
            saturate: false,
            ..
        } = inst.op
        {
            let widens = function.operand_type(value) == Some(Type::I32)
                && function.reg_type(dst) == Some(Type::I64);
            return (widens && u.uses == u.as_index && stays(value))
                .then_some(Expr::Widened(value));
        }
        None
    }

    /// Whether the branch at the end of the block can do this comparison.
    fn fuses(&self, function: &Function, block: &Block, inst: &Inst, dst: Reg, u: &Uses) -> bool {
        let Terminator::Branch {
            cond: Operand::Reg(cond),
            ..
        } = block.term
        else {
            return false;
        };
        let Op::Compare(_, a, _) = inst.op else {
            return false;
        };
        let ty = function.operand_type(a);
        let branches = ty.is_some_and(|ty| ty.lanes() == 1 && !ty.is_float());
        cond == dst && u.uses == 1 && !u.global && branches
    }
}

/// The constant zero of 64 bits.
pub(super) const ZERO: Operand = Operand::Const(Const::i64(0));
