//! Blocks: branches, and values that depend on where control comes from.
//!
//! The register of an `OpPhi` is written on each edge to its block. An edge from a block with several successors gets a
//! block of its own: on the others the register keeps what it had.

use super::function::{Body, Value};
use super::reader::{id, result, result_type};
use super::{Check, ensure};
use crate::order::reverse_post_order;
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{Op as Code, Word};
use std::collections::{HashMap, HashSet};
use touchstone_ir::{BlockId, Operand, Reg, Terminator, Type};

/// An `OpPhi`.
#[derive(Clone, Debug)]
pub(super) struct Phi {
    home: Home,
    ty: Word,
    /// Values with the labels that they come from.
    sources: Vec<(Word, Word)>,
}

/// Where the value of an `OpPhi` is.
#[derive(Clone, Copy, Debug)]
enum Home {
    Register(Reg),
    /// The address of an array or struct.
    Memory(Operand),
}

impl Body<'_, '_> {
    /// Reads the blocks of a function.
    pub(super) fn blocks(&mut self, function: &dr::Function) -> Check<()> {
        let entry = self.b.current();
        for (n, block) in function.blocks.iter().enumerate() {
            let label = label_of(block)?;
            let own = if n == 0 { entry } else { self.b.block() };
            self.blocks.insert(label, own);
        }
        for block in &function.blocks {
            let label = label_of(block)?;
            for inst in &block.instructions {
                if inst.class.opcode == Code::Phi {
                    let phi = self.phi(inst);
                    let phi = phi.map_err(|message| self.reader.at(inst, &message))?;
                    self.phis.entry(label).or_default().push(phi);
                }
            }
        }
        for n in order(function)? {
            let block = &function.blocks[n];
            self.label = label_of(block)?;
            self.b.switch_to(self.blocks[&self.label]);
            let Some((end, insts)) = block.instructions.split_last() else {
                return Err(format!("the block %{} is empty", self.label));
            };
            for inst in insts {
                self.instruction(inst)?;
            }
            let ended = self.end(end);
            ended.map_err(|message| self.reader.at(end, &message))?;
        }
        Ok(())
    }

    fn phi(&mut self, inst: &Instruction) -> Check<Phi> {
        let ty = result_type(inst)?;
        let (home, value) = match self.reader.ty(ty)?.is_aggregate() {
            true => {
                let room = self.room(ty)?;
                (Home::Memory(room), room)
            }
            false => {
                let register = self.reader.register(ty)?;
                let register = self.b.temp(register);
                (Home::Register(register), register.into())
            }
        };
        let (pairs, rest) = inst.operands.as_chunks::<2>();
        ensure!(rest.is_empty(), "a value without the block it comes from");
        let sources = (0..pairs.len()).map(|n| Ok((id(inst, 2 * n)?, id(inst, 2 * n + 1)?)));
        let sources = sources.collect::<Check<Vec<_>>>()?;
        self.values.insert(result(inst)?, Value::Operand(value));
        Ok(Phi { home, ty, sources })
    }

    /// Reads how a block ends.
    fn end(&mut self, inst: &Instruction) -> Check<()> {
        match inst.class.opcode {
            Code::Branch => {
                let to = id(inst, 0)?;
                self.moves(to)?;
                let to = self.block(to)?;
                self.b.jump(to);
            }
            Code::BranchConditional => {
                let cond = self.arg(inst, 0)?;
                let [then, other] = [1, 2].map(|n| self.edge(id(inst, n)?));
                self.b.branch(cond, then?, other?);
            }
            Code::Switch => self.switch(inst)?,
            Code::Return => self.b.ret(None),
            Code::ReturnValue => {
                let value = self.arg(inst, 0)?;
                match self.result {
                    Some(room) => {
                        let ty = self.arg_type(inst, 0)?;
                        self.copy(ty, room, value)?;
                        self.b.ret(None);
                    }
                    None => self.b.ret(Some(value)),
                }
            }
            Code::Unreachable => self.b.terminate(Terminator::Unreachable),
            _ => return Err("this end of a block is not supported".into()),
        }
        Ok(())
    }

    fn switch(&mut self, inst: &Instruction) -> Check<()> {
        let value = self.arg(inst, 0)?;
        let Type::Scalar(scalar) = self.b.type_of(value) else {
            return Err("it chooses by what is no integer".into());
        };
        let default = self.edge(id(inst, 1)?)?;
        let mut cases = Vec::new();
        let mut seen = HashSet::new();
        let (pairs, _) = inst.operands.get(2..).unwrap_or_default().as_chunks::<2>();
        for (n, [number, _]) in pairs.iter().enumerate() {
            let bits = match number {
                dr::Operand::LiteralBit32(bits) => u64::from(*bits),
                dr::Operand::LiteralBit64(bits) => *bits,
                _ => return Err("a case is no number".into()),
            } & scalar.mask();
            ensure!(seen.insert(bits), "the case {bits} appears twice");
            cases.push((bits, self.edge(id(inst, 2 * n + 3)?)?));
        }
        self.b.terminate(Terminator::Switch {
            value,
            cases,
            default,
        });
        Ok(())
    }

    fn block(&self, label: Word) -> Check<BlockId> {
        let block = self.blocks.get(&label).copied();
        block.ok_or_else(|| format!("{} is no block of the function", self.reader.name(label)))
    }

    /// Where one of several ways to a block begins.
    fn edge(&mut self, to: Word) -> Check<BlockId> {
        let target = self.block(to)?;
        if !self.phis.contains_key(&to) {
            return Ok(target);
        }
        let here = self.b.current();
        let edge = self.b.block();
        self.b.switch_to(edge);
        self.moves(to)?;
        self.b.jump(target);
        self.b.switch_to(here);
        Ok(edge)
    }

    /// Writes what the block that comes next chooses by where control comes from: all at once, as one may be computed
    /// of another's value before.
    fn moves(&mut self, to: Word) -> Check<()> {
        let Some(phis) = self.phis.get(&to).cloned() else {
            return Ok(());
        };
        let mut values = Vec::with_capacity(phis.len());
        for phi in &phis {
            let source = phi.sources.iter().find(|(_, from)| *from == self.label);
            let Some(&(source, _)) = source else {
                let (from, to) = (self.label, self.reader.name(to));
                return Err(format!("an OpPhi of {to} has no value from %{from}"));
            };
            let value = self.operand(source)?;
            values.push(match phi.home {
                Home::Register(_) if phis.len() > 1 => self.b.copy(value).into(),
                Home::Register(_) => value,
                Home::Memory(_) => self.copied(phi.ty, value)?,
            });
        }
        for (phi, value) in phis.iter().zip(values) {
            match phi.home {
                Home::Register(register) => self.b.assign(register, value),
                Home::Memory(room) => self.copy(phi.ty, room, value)?,
            }
        }
        Ok(())
    }
}

/// The numbers of the blocks that control comes to, each after those that all ways to it lead through: reverse
/// post-order. Modules have them in such an order by the rules, and compilers write others.
fn order(function: &dr::Function) -> Check<Vec<usize>> {
    let mut numbers = HashMap::new();
    for (n, block) in function.blocks.iter().enumerate() {
        numbers.insert(label_of(block)?, n);
    }
    let next = |n: usize| -> Vec<usize> {
        let end = function.blocks[n].instructions.last();
        let labels = end.map_or(&[][..], |end| &end.operands);
        let labels = labels.iter().filter_map(|operand| match operand {
            dr::Operand::IdRef(label) => numbers.get(label).copied(),
            _ => None,
        });
        labels.collect()
    };
    Ok(reverse_post_order(function.blocks.len(), next))
}

fn label_of(block: &dr::Block) -> Check<Word> {
    match &block.label {
        Some(label) => result(label),
        None => Err("a block without a label".into()),
    }
}
