//! Which loops reads keep going.
//!
//! A loop that counts ends by itself. A loop whose condition a read decides need not: neither when
//! the read stands in the condition, nor when the condition is a constant on every single path and
//! the read decides, inside the loop, whether a register in the condition is assigned (`break`) or
//! whether the thread returns. Such loops are cut at the bound; this distinguishes them from those that
//! count.

use super::Value;
use crate::program::{BinOp, Expected, Expr, Instr, RegId};

/// Whether reads decide how often a loop repeats, and nothing in its condition counts. `entry` holds
/// the registers' values where the loop is entered.
pub fn kept_going_by_reads(condition: &Expr, body: &[Instr], entry: &[Value]) -> bool {
    let from_reads: Vec<bool> = entry
        .iter()
        .map(|v| v.deps.iter().any(|w| *w != 0))
        .collect();
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let mut flow = Flow {
        influenced: from_reads.clone(),
        from_reads,
        stepped: vec![false; entry.len()],
        goes_on: parts
            .iter()
            .filter_map(|part| {
                if let Expr::Reg(r) = part {
                    Some(*r)
                } else {
                    None
                }
            })
            .collect(),
        returns: false,
        changed: true,
    };
    let always = Reached {
        by_reads: false,
        each_round: true,
    };
    while std::mem::take(&mut flow.changed) {
        flow.expr(condition);
        flow.block(body, always);
    }
    let by_reads = flow.returns || parts.iter().any(|part| part.uses(&flow.influenced, true));
    let counts =
        |part: &&Expr| !part.uses(&flow.from_reads, true) && part.uses(&flow.stepped, false);
    by_reads && !parts.iter().any(counts)
}

fn conjuncts<'e>(condition: &'e Expr, out: &mut Vec<&'e Expr>) {
    match condition {
        Expr::Binary(BinOp::LogicalAnd, left, right) => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        other => out.push(other),
    }
}

/// When an instruction of the loop is executed.
#[derive(Clone, Copy)]
struct Reached {
    /// A read decides whether it is.
    by_reads: bool,
    /// In each round that another one follows.
    each_round: bool,
}

/// What reads have a say in, as far as one loop is concerned; grows to a fixed point.
struct Flow {
    /// Registers whose value depends on a read, or on a branch that a read decided.
    influenced: Vec<bool>,
    /// Registers whose value is computed from one.
    from_reads: Vec<bool>,
    /// Registers assigned in each round that another one follows.
    stepped: Vec<bool>,
    /// Registers without which the loop does not go on.
    goes_on: Vec<RegId>,
    /// A read decides whether the thread returns.
    returns: bool,
    changed: bool,
}

impl Flow {
    fn assign(&mut self, register: RegId, from_reads: bool, reached: Reached) {
        let i = register.index();
        for (fact, holds) in [
            (&mut self.influenced[i], from_reads || reached.by_reads),
            (&mut self.from_reads[i], from_reads),
            (&mut self.stepped[i], reached.each_round),
        ] {
            self.changed |= holds && !*fact;
            *fact |= holds;
        }
    }

    fn block(&mut self, instrs: &[Instr], reached: Reached) {
        for instr in instrs {
            self.instr(instr, reached);
        }
    }

    fn instr(&mut self, instr: &Instr, reached: Reached) {
        match instr {
            Instr::Assign { register, value } => {
                self.expr(value);
                let from_reads = value.uses(&self.from_reads, true);
                self.assign(*register, from_reads, reached);
            }
            Instr::Effect(value) | Instr::Store { access: _, value } => self.expr(value),
            Instr::Fence(_) | Instr::Barrier(_) | Instr::Domain(_) | Instr::Host(_) => {}
            Instr::If(branch) => {
                let condition = &branch.condition;
                self.expr(condition);
                let by_reads = reached.by_reads || condition.uses(&self.influenced, true);
                let goes_on = matches!(condition, Expr::Reg(r) if self.goes_on.contains(r));
                let mut inside = Reached {
                    by_reads,
                    each_round: reached.each_round && goes_on,
                };
                self.block(&branch.then, inside);
                inside.each_round = false;
                self.block(&branch.otherwise, inside);
            }
            Instr::While { condition, body } => {
                self.expr(condition);
                let by_reads = reached.by_reads || condition.uses(&self.influenced, true);
                self.block(
                    body,
                    Reached {
                        by_reads,
                        each_round: false,
                    },
                );
            }
            Instr::Return => {
                self.changed |= reached.by_reads && !self.returns;
                self.returns |= reached.by_reads;
            }
        }
    }

    /// The registers that an expression assigns: a failing compare-exchange's expected value.
    fn expr(&mut self, expr: &Expr) {
        if let Expr::Cas(cas) = expr
            && let Expected::Register(register) = cas.expected
        {
            let i = register.index();
            self.changed |= !self.from_reads[i];
            self.from_reads[i] = true;
            self.influenced[i] = true;
        }
        expr.parts().for_each(|part| self.expr(part));
    }
}

impl Expr {
    /// Whether an expression uses one of the given registers, or memory where that counts.
    fn uses(&self, registers: &[bool], memory: bool) -> bool {
        match self {
            Expr::Reg(register) => registers[register.index()],
            Expr::Load(_) | Expr::Rmw(_) | Expr::Cas(_) => memory,
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
                self.parts().any(|part| part.uses(registers, memory))
            }
        }
    }
}
