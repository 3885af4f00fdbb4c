//! Every interleaving of a program, step by step: what `sc` means, without a memory model.
//!
//! It covers what generated programs consist of: at most one access a statement, no loops.

use crate::oracle::State;
use crate::program::{
    Address, Barrier, BarrierScope, BinOp, CasStrength, Expected, Expr, Instr, Observable,
    Placement, Program, RmwOp,
};
use std::collections::{BTreeSet, HashSet};

/// A statement, or a jump over some.
enum Op<'p> {
    Do(&'p Instr),
    Meet(&'p Barrier),
    /// Goes on at the place if the condition is zero.
    Unless(&'p Expr, usize),
    Jump(usize),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Now {
    at: Vec<usize>,
    memory: Vec<i64>,
    registers: Vec<Vec<i64>>,
}

struct Machine<'p> {
    program: &'p Program,
    code: Vec<Vec<Op<'p>>>,
    seen: HashSet<Now>,
    ends: BTreeSet<State>,
}

/// The outcomes of all interleavings.
pub fn outcomes(program: &Program) -> BTreeSet<State> {
    let code = (program.threads.iter())
        .map(|thread| {
            let mut code = Vec::new();
            flatten(&thread.body, &mut code);
            code
        })
        .collect();
    let mut machine = Machine {
        program,
        code,
        seen: HashSet::new(),
        ends: BTreeSet::new(),
    };
    machine.run(Now {
        at: vec![0; program.threads.len()],
        memory: program.locations.iter().map(|l| l.init[0]).collect(),
        registers: (program.threads.iter())
            .map(|t| t.registers.iter().map(|r| r.init).collect())
            .collect(),
    });
    machine.ends
}

fn flatten<'p>(block: &'p [Instr], code: &mut Vec<Op<'p>>) {
    for instr in block {
        match instr {
            Instr::Assign { .. } | Instr::Effect(_) | Instr::Store { .. } => {
                code.push(Op::Do(instr));
            }
            Instr::Fence(_) => {}
            Instr::Barrier(barrier) => code.push(Op::Meet(barrier)),
            Instr::If(jumps) => {
                let branch = code.len();
                code.push(Op::Jump(0));
                flatten(&jumps.then, code);
                let end = code.len();
                code.push(Op::Jump(0));
                code[branch] = Op::Unless(&jumps.condition, code.len());
                flatten(&jumps.otherwise, code);
                code[end] = Op::Jump(code.len());
            }
            Instr::While { .. } | Instr::Domain(_) | Instr::Return | Instr::Host(_) => {
                panic!("generated programs have none")
            }
        }
    }
}

impl Machine<'_> {
    fn run(&mut self, now: Now) {
        if !self.seen.insert(now.clone()) {
            return;
        }
        let threads = self.code.len();
        if (0..threads).all(|t| now.at[t] == self.code[t].len()) {
            let outcome = self.program.observables().into_iter().map(|o| match o {
                Observable::Register(t, r) => now.registers[t.index()][r.0 as usize],
                Observable::Memory(l, _) => now.memory[l.index()],
            });
            self.ends.insert(State(outcome.collect()));
            return;
        }
        for t in 0..threads {
            let Some(op) = self.code[t].get(now.at[t]) else {
                continue;
            };
            let mut next = now.clone();
            next.at[t] += 1;
            match op {
                Op::Jump(to) => {
                    next.at[t] = *to;
                    self.run(next);
                }
                Op::Unless(condition, to) => {
                    if eval(condition, t, &mut next, false) == 0 {
                        next.at[t] = *to;
                    }
                    self.run(next);
                }
                Op::Meet(barrier) => {
                    let members = self.members(t, barrier);
                    let waits =
                        |m: &usize| matches!(self.code[*m].get(now.at[*m]), Some(Op::Meet(_)));
                    if members.iter().all(waits) {
                        let mut next = now.clone();
                        for m in members {
                            next.at[m] += 1;
                        }
                        self.run(next);
                    }
                }
                Op::Do(instr) => {
                    let mut results = Vec::new();
                    // a weak compare-exchange may fail for no reason
                    for spurious in [false, true] {
                        let mut next = next.clone();
                        step(instr, t, &mut next, spurious);
                        results.push(next);
                    }
                    results.dedup();
                    for next in results {
                        self.run(next);
                    }
                }
            }
        }
    }

    fn members(&self, of: usize, barrier: &Barrier) -> Vec<usize> {
        let key = |t: usize| match self.program.threads[t].placement {
            Placement::Host => panic!("no barriers on the host"),
            Placement::Device(item) => match barrier.group {
                BarrierScope::WorkGroup => (item.group(), None),
                BarrierScope::SubGroup => (item.group(), item.sub_group),
                BarrierScope::QueueFamily | BarrierScope::Device => panic!("no such barrier"),
            },
        };
        let on_device = |t: &usize| self.program.threads[*t].placement != Placement::Host;
        (0..self.code.len())
            .filter(on_device)
            .filter(|t| key(*t) == key(of))
            .collect()
    }
}

fn step(instr: &Instr, t: usize, now: &mut Now, spurious: bool) {
    match instr {
        Instr::Assign { register, value } => {
            let value = eval(value, t, now, spurious);
            now.registers[t][register.0 as usize] = value;
        }
        Instr::Effect(value) => {
            eval(value, t, now, spurious);
        }
        Instr::Store { access, value } => {
            let value = eval(value, t, now, spurious);
            let at = location(&access.address, t, now);
            now.memory[at] = value;
        }
        Instr::Fence(_)
        | Instr::Barrier(_)
        | Instr::If(_)
        | Instr::While { .. }
        | Instr::Domain(_)
        | Instr::Return
        | Instr::Host(_) => panic!("not a step"),
    }
}

fn location(address: &Address, t: usize, now: &mut Now) -> usize {
    if let Some(index) = &address.index {
        assert_eq!(eval(index, t, now, false), 0);
    }
    address.location.index()
}

fn eval(expr: &Expr, t: usize, now: &mut Now, spurious: bool) -> i64 {
    match expr {
        Expr::Const(value) => *value,
        Expr::Reg(register) => now.registers[t][register.0 as usize],
        Expr::Binary(op, a, b) => {
            let (a, b) = (eval(a, t, now, spurious), eval(b, t, now, spurious));
            match op {
                BinOp::Add => a + b,
                BinOp::Xor => a ^ b,
                BinOp::Eq => i64::from(a == b),
                other => panic!("generated programs do without {other:?}"),
            }
        }
        Expr::Select(c, a, b) => {
            let branch = if eval(c, t, now, spurious) != 0 { a } else { b };
            eval(branch, t, now, spurious)
        }
        Expr::Unary(op, _) => panic!("generated programs do without {op:?}"),
        Expr::Load(access) => {
            let at = location(&access.address, t, now);
            now.memory[at]
        }
        Expr::Rmw(rmw) => {
            let operand = eval(&rmw.operand, t, now, spurious);
            let at = location(&rmw.address, t, now);
            let old = now.memory[at];
            now.memory[at] = match rmw.op {
                RmwOp::Exchange => operand,
                RmwOp::Add => old + operand,
                other => panic!("generated programs do without {other:?}"),
            };
            old
        }
        Expr::Cas(cas) => {
            let Expected::Register(expected) = cas.expected else {
                panic!("generated programs keep what they expect in registers");
            };
            let desired = eval(&cas.desired, t, now, spurious);
            let at = location(&cas.address, t, now);
            let expected = expected.0 as usize;
            let fails = spurious && cas.strength == CasStrength::Weak;
            if now.memory[at] == now.registers[t][expected] && !fails {
                now.memory[at] = desired;
                1
            } else {
                now.registers[t][expected] = now.memory[at];
                0
            }
        }
    }
}
