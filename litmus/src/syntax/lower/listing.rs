//! Instructions of the VULKAN dialect.

use super::domain::{DomainWord, Misnamed};
use super::jumps::{self, Step};
use super::opcode::{Mnemonic, Modifiers, Opcode};
use super::thread::ThreadLowering;
use crate::program::{
    Access, Address, Atomic, Atomicity, Barrier, BarrierScope, BinOp, Cas, CasStrength, Expected,
    Expr, Fence, FenceFlags, Instr, LOAD_FORBIDS, Make, MemOrder, MemScope, RegId, Rmw, RmwOp,
    STORE_FORBIDS, UnOp,
};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::parse::is_reserved;
use crate::syntax::tree::{Line, Node, NodeKind};

impl ThreadLowering<'_> {
    /// The lines of a thread.
    pub fn listing(&mut self, lines: &[Line]) -> Outcome<Vec<Instr>> {
        let mut steps = Vec::with_capacity(lines.len());
        for line in lines {
            match line {
                Line::Label(name) => steps.push(Step::Label(name.clone())),
                Line::Instruction(instruction) => {
                    self.line(&Opcode::of(instruction)?, &mut steps)?
                }
            }
        }
        let body = jumps::structured(self, steps)?;
        let whole = lines.first().map_or(Span::default(), Line::span);
        for instr in &body {
            self.check_whole(instr, whole)?;
        }
        Ok(body)
    }

    fn line(&mut self, opcode: &Opcode<'_>, steps: &mut Vec<Step>) -> Outcome<()> {
        let operands = opcode.line.operands.as_slice();
        let Modifiers {
            scope, flags, make, ..
        } = opcode.modifiers;
        let order = opcode.modifiers.order();
        let instr = match opcode.mnemonic {
            Mnemonic::Load => {
                opcode.count(1..=2)?;
                let value = Expr::Load(self.listed_access(opcode, LOAD_FORBIDS)?);
                match operands {
                    [register, _] => self.assigned(register, value)?,
                    _ => Instr::Effect(value),
                }
            }
            Mnemonic::Store => {
                opcode.count(2..=2)?;
                let access = self.listed_access(opcode, STORE_FORBIDS)?;
                let value = self.operand(&operands[1])?;
                Instr::Store { access, value }
            }
            Mnemonic::Rmw => return self.listed_rmw(opcode, steps),
            Mnemonic::MemoryBarrier => {
                opcode.count(0..=0)?;
                let Some(scope) = scope else {
                    return Err(no_scope(opcode));
                };
                Instr::Fence(Fence {
                    flags,
                    order,
                    scope,
                    legacy: false,
                    make,
                })
            }
            Mnemonic::ControlBarrier => Instr::Barrier(control_barrier(opcode)?),
            Mnemonic::Domain(word) => self.listed_domain(opcode, word)?,
            Mnemonic::Goto => {
                opcode.count(1..=1)?;
                return jump(steps, None, &operands[0]);
            }
            Mnemonic::BranchIf(op) => {
                opcode.count(3..=3)?;
                let (left, right) = (self.operand(&operands[0])?, self.operand(&operands[1])?);
                return jump(steps, Some(Expr::binary(op, left, right)), &operands[2]);
            }
            Mnemonic::BranchZero(zero) => {
                opcode.count(2..=2)?;
                let value = self.operand(&operands[0])?;
                let when = match zero {
                    true => Expr::Unary(UnOp::Not, Box::new(value)),
                    false => value,
                };
                return jump(steps, Some(when), &operands[1]);
            }
            Mnemonic::Move => {
                opcode.count(2..=2)?;
                let value = self.operand(&operands[1])?;
                self.assigned(&operands[0], value)?
            }
            Mnemonic::Compute(op) => {
                opcode.count(3..=3)?;
                let (left, right) = (self.operand(&operands[1])?, self.operand(&operands[2])?);
                self.assigned(&operands[0], Expr::binary(op, left, right))?
            }
            Mnemonic::Nothing => {
                opcode.count(0..=0)?;
                Instr::Effect(Expr::Const(0))
            }
            Mnemonic::Return => {
                opcode.count(0..=0)?;
                Instr::Return
            }
        };
        steps.push(Step::Instr(instr));
        Ok(())
    }

    /// A value computed from registers.
    fn operand(&mut self, node: &Node) -> Outcome<Expr> {
        if let Some(name) = node.name()
            && self.locations.find(&name.text).is_none()
        {
            return Ok(Expr::Reg(self.register_or_new(&name)?));
        }
        let value = self.value(node)?;
        let before = self.take_before();
        if value.touches_memory() || !before.is_empty() {
            return Err(node
                .problem(
                    "a memory access is an instruction of its own",
                    "not an operand",
                )
                .help("load into a register first"));
        }
        Ok(value)
    }

    fn assigned(&mut self, target: &Node, value: Expr) -> Outcome<Instr> {
        let register = self.target(target)?;
        Ok(Instr::Assign { register, value })
    }

    fn target(&mut self, node: &Node) -> Outcome<RegId> {
        match node.name() {
            Some(name) => self.register_or_new(&name),
            None => Err(node.problem("expected a register", "not a register")),
        }
    }

    /// What an access touches.
    fn listed_address(&mut self, node: &Node) -> Outcome<Address> {
        if let NodeKind::Index(location, index) = &node.kind
            && location.word().is_some()
        {
            self.operand(index)?;
            return Ok(self.lvalue(node)?.address);
        }
        let Some(name) = node.name() else {
            return Err(node.problem("expected a location", "not a location"));
        };
        let Some(location) = self.locations.find(&name.text) else {
            return Err(self.unknown(&name.text, name.span));
        };
        Ok(Address {
            location,
            index: None,
        })
    }

    /// `avdevice`, or with the location that it is about `avhost x`.
    fn listed_domain(&mut self, opcode: &Opcode<'_>, word: DomainWord) -> Outcome<Instr> {
        let location = match opcode.line.operands.as_slice() {
            [] => None,
            [node] => match node.name() {
                Some(name) => Some(self.mapped(&name)?),
                None => return Err(node.problem("expected a location", "not a location")),
            },
            _ => {
                opcode.count(0..=1)?;
                None
            }
        };
        let operation = word.operation(location).map_err(|wrong| match wrong {
            Misnamed::Missing => opcode
                .problem("the instruction names no location", "of whose memory?")
                .help("add the location whose memory it is about, as in avhost x"),
            Misnamed::Superfluous => {
                opcode.problem("the instruction is about all memory", "names a location")
            }
        })?;
        Ok(Instr::Domain(operation))
    }

    /// The access of a load or a store.
    fn listed_access(&mut self, opcode: &Opcode<'_>, forbidden: &[MemOrder]) -> Outcome<Access> {
        let Modifiers {
            scope,
            available,
            visible,
            non_private,
            ..
        } = opcode.modifiers;
        let Some(node) = opcode.address() else {
            return Err(opcode.problem("the access has no address", "no address"));
        };
        let address = self.listed_address(node)?;
        let order = opcode.modifiers.order();
        if forbidden.contains(&order) {
            let message = "a load acquires at most, and a store releases at most";
            return Err(opcode.problem(message, "not allowed here"));
        }
        if opcode.modifiers.atomic {
            let atomicity = Atomicity::Atomic(self.atomic(opcode, &address)?);
            return Ok(Access { address, atomicity });
        }
        let orders =
            opcode.modifiers.flags != FenceFlags::NONE || opcode.modifiers.make != Make::NOTHING;
        if order != MemOrder::Relaxed || orders {
            return Err(opcode
                .problem("only an atomic access has memory semantics", "not atomic")
                .help("add the modifier atom"));
        }
        let misplaced = match opcode.mnemonic {
            Mnemonic::Store => visible,
            _ => available,
        };
        if misplaced {
            let message = "a load makes visible (vis) and a store makes available (av)";
            return Err(opcode.problem(message, "the wrong one"));
        }
        let coherent = available || visible;
        let atomicity = match (coherent, scope) {
            (true, Some(scope)) => Atomicity::NonPrivate(Some(scope)),
            (true, None) => return Err(no_scope(opcode)),
            (false, Some(_)) => {
                let message = "only an atomic access, or one with av or vis, has a scope";
                return Err(opcode.problem(message, "a scope"));
            }
            (false, None) if non_private => Atomicity::NonPrivate(None),
            (false, None) => Atomicity::Plain,
        };
        Ok(Access { address, atomicity })
    }

    /// What an atomic access states.
    fn atomic(&mut self, opcode: &Opcode<'_>, address: &Address) -> Outcome<Atomic> {
        let Some(scope) = opcode.modifiers.scope else {
            return Err(no_scope(opcode));
        };
        let ty = self.locations.get(address.location).ty;
        if ty.atomic_name().is_none() {
            return Err(opcode.problem("expected 32 or 64 bits", "an atomic access"));
        }
        Ok(Atomic {
            flags: opcode.modifiers.flags,
            make: opcode.modifiers.make,
            ..Atomic::explicit(opcode.modifiers.order(), Some(scope))
        })
    }

    fn listed_rmw(&mut self, opcode: &Opcode<'_>, steps: &mut Vec<Step>) -> Outcome<()> {
        let operands = opcode.line.operands.as_slice();
        let compare = opcode.modifiers.compare;
        opcode.count(if compare { 3..=4 } else { 2..=3 })?;
        let Some(node) = opcode.address() else {
            return Err(opcode.problem("the access has no address", "no address"));
        };
        let address = self.listed_address(node)?;
        let atomic = self.atomic(opcode, &address)?;
        if compare {
            let register = self.target(&operands[0])?;
            if let [_, _, expected, _] = operands {
                let value = self.operand(expected)?;
                steps.push(Step::Instr(Instr::Assign { register, value }));
            }
            let desired = self.operand(&operands[operands.len() - 1])?;
            if operands.len() == 4 && desired.mentions(register) {
                let message = "the register of the old value is also the value to write";
                return Err(opcode.problem(message, "not possible"));
            }
            let failure = opcode.modifiers.failure;
            steps.push(Step::Instr(Instr::Effect(Expr::Cas(Cas {
                strength: CasStrength::Strong,
                address,
                expected: Expected::Register(register),
                desired: Box::new(desired),
                atomic,
                failure: failure.unwrap_or(atomic.order.of_load()),
            }))));
            return Ok(());
        }
        let operand = self.operand(&operands[operands.len() - 1])?;
        let value = Expr::Rmw(Rmw {
            op: opcode.modifiers.operation.unwrap_or(RmwOp::Exchange),
            address,
            operand: Box::new(operand),
            atomic,
        });
        steps.push(Step::Instr(match operands {
            [register, _, _] => self.assigned(register, value)?,
            _ => Instr::Effect(value),
        }));
        Ok(())
    }
}

fn jump(steps: &mut Vec<Step>, when: Option<Expr>, target: &Node) -> Outcome<()> {
    let Some(to) = target.name() else {
        return Err(target.problem("expected a label", "not a label"));
    };
    steps.push(Step::Jump { when, to });
    Ok(())
}

/// `cbar.acq_rel.wg.semsc0 1`, or with a named barrier and how many meet at it: `cbar.… 1, 1, 2`.
fn control_barrier(opcode: &Opcode<'_>) -> Outcome<Barrier> {
    let Modifiers {
        scope,
        execution,
        flags,
        make,
        ..
    } = opcode.modifiers;
    opcode.count(0..=3)?;
    let operands = opcode.line.operands.as_slice();
    let Some(stated) = execution.or(scope) else {
        return Err(no_scope(opcode));
    };
    let group = match stated {
        MemScope::SubGroup => BarrierScope::SubGroup,
        MemScope::WorkGroup => BarrierScope::WorkGroup,
        MemScope::QueueFamily => BarrierScope::QueueFamily,
        MemScope::Device => BarrierScope::Device,
        MemScope::WorkItem | MemScope::AllSvmDevices => {
            let message = "the execution scope of a barrier is sg, wg, qf or dv";
            return Err(opcode.problem(message, "not a group"));
        }
    };
    let label = |node: &Node| match &node.kind {
        NodeKind::Int(number) if *number >= 0 => Ok(number.to_string()),
        NodeKind::Name(name) if !is_reserved(name) => Ok(name.clone()),
        _ => Err(node.problem("a barrier is named by a number or a word", "not a name")),
    };
    let (named, quorum) = match operands {
        [_, resource, quorum] => {
            let count = match quorum.kind {
                NodeKind::Int(count @ 1..) => u32::try_from(count).ok(),
                _ => None,
            };
            let Some(count) = count else {
                return Err(quorum.problem("expected how many meet", "not a number of threads"));
            };
            (Some(resource), Some(count))
        }
        [name] => (Some(name), None),
        [] => (None, None),
        _ => {
            let message = "a barrier has a name, or the two of a named barrier and a number";
            return Err(opcode.problem(message, "neither"));
        }
    };
    Ok(Barrier {
        label: named.map(label).transpose()?,
        group,
        flags,
        scope: scope.filter(|scope| *scope != group.own()),
        order: opcode.modifiers.order(),
        make,
        quorum,
    })
}

fn no_scope(opcode: &Opcode<'_>) -> crate::syntax::error::Problem {
    opcode
        .problem("the instruction states no scope", "no scope")
        .help("add sg, wg, qf or dv")
}

impl Line {
    fn span(&self) -> Span {
        match self {
            Line::Label(name) => name.span,
            Line::Instruction(instruction) => instruction.span,
        }
    }
}

/// The condition under which a branch is not taken.
pub(super) fn negated(condition: Expr) -> Expr {
    let opposite = |op| match op {
        BinOp::Eq => Some(BinOp::Ne),
        BinOp::Ne => Some(BinOp::Eq),
        BinOp::Lt => Some(BinOp::Ge),
        BinOp::Ge => Some(BinOp::Lt),
        BinOp::Le => Some(BinOp::Gt),
        BinOp::Gt => Some(BinOp::Le),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::LogicalAnd
        | BinOp::LogicalOr => None,
    };
    match condition {
        Expr::Binary(op, left, right) => match opposite(op) {
            Some(op) => Expr::Binary(op, left, right),
            None => Expr::Unary(UnOp::Not, Box::new(Expr::Binary(op, left, right))),
        },
        Expr::Unary(UnOp::Not, inner) => *inner,
        other => Expr::Unary(UnOp::Not, Box::new(other)),
    }
}
