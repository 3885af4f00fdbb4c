//! One function: blocks, instructions, calls.

use super::analysis::{Analysis, Expr, analyse};
use super::emit::{Emitter, Label};
use super::provenance::{Instance, InstanceId};
use super::{Program, width};
use crate::interp::code::{Fill, Ins, Slot};
use touchstone_ir::{BarrierKind, Function, Inst, Op, Operand, Reg, Type, accesses, computations};

/// The slots through which a function is called.
#[derive(Debug)]
pub(super) struct Interface {
    /// First slot of each parameter.
    pub(super) params: Vec<Slot>,
    /// First slot of the result.
    pub(super) result: Slot,
    /// Where to return to.
    pub(super) link: Slot,
}

impl Interface {
    pub(super) fn new(function: &Function, e: &mut Emitter) -> Interface {
        let mut slots = |lanes: u32| {
            let n = e.pool.permanent(width(lanes));
            // The last slot of the run decides whether it fits.
            e.slot(n + width(lanes).saturating_sub(1));
            e.slot(n)
        };
        let params = function
            .params
            .iter()
            .map(|&p| slots(function.regs[p.0 as usize].ty.lanes()))
            .collect();
        Interface {
            params,
            result: slots(function.ret.map_or(0, Type::lanes)),
            link: slots(1),
        }
    }
}

/// A function in the making.
pub(super) struct Lowering<'a> {
    pub(super) program: Program<'a>,
    pub(super) function: &'a Function,
    pub(super) instance: &'a Instance,
    pub(super) e: &'a mut Emitter,
    pub(super) analysis: Analysis,
    pub(super) interface: &'a Interface,
    pub(super) is_kernel: bool,
    /// Offsets of private variables.
    pub(super) private: &'a [u64],
    /// First slot of registers that have slots now.
    homes: Vec<Option<Slot>>,
    pub(super) labels: Vec<Label>,
    /// Slots taken for the present instruction alone.
    scratch: Vec<(usize, usize)>,
}

/// Lowers an instance of a function to the end of the code.
pub(super) fn lower(program: Program<'_>, id: InstanceId, e: &mut Emitter) {
    let instance = &program.instances.list[id.0];
    let function = &program.module.functions[instance.function.0 as usize];
    let interface = &program.interfaces[&id];
    let labels = function.blocks.iter().map(|_| e.label()).collect();
    e.begin_function(&function.name);
    e.pool.seal();
    let entry = e.entry(id);
    e.place(entry);
    let mut homes = vec![None; function.regs.len()];
    for (&p, &slot) in function.params.iter().zip(&interface.params) {
        homes[p.0 as usize] = Some(slot);
    }
    let mut l = Lowering {
        program,
        function,
        instance,
        e,
        analysis: analyse(function),
        interface,
        is_kernel: id == InstanceId(0),
        private: &program.private[&instance.function],
        homes,
        labels,
        scratch: Vec::new(),
    };
    l.zero_variables();
    for b in 0..function.blocks.len() {
        l.block(b);
    }
}

impl Lowering<'_> {
    /// Variables that may be read before they are written start as zero.
    fn zero_variables(&mut self) {
        let unwritten = touchstone_ir::validate::read_before_written(self.function);
        self.e.set_loc(self.function.loc);
        for reg in unwritten {
            let lanes = self.reg_type(reg).lanes();
            let home = self.home(reg);
            let zero = self.e.constant(0);
            for lane in 0..lanes {
                self.e.emit(Ins::Move {
                    d: home + lane as Slot,
                    a: zero,
                });
            }
        }
    }

    pub(super) fn reg_type(&self, reg: Reg) -> Type {
        self.function.regs[reg.0 as usize].ty
    }

    pub(super) fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(r) => self.reg_type(r),
            Operand::Const(c) => c.ty(),
        }
    }

    /// The first slot of a register's own slots, given to it now if it has none.
    pub(super) fn home(&mut self, reg: Reg) -> Slot {
        if let Some(slot) = self.homes[reg.0 as usize] {
            return slot;
        }
        let lanes = width(self.reg_type(reg).lanes());
        let first = if self.analysis.last_use[reg.0 as usize].is_some() {
            self.e.pool.take(lanes)
        } else {
            self.e.pool.permanent(lanes)
        };
        self.e.slot(first + lanes - 1);
        let slot = self.e.slot(first);
        self.homes[reg.0 as usize] = Some(slot);
        slot
    }

    /// Slots for the present instruction alone.
    pub(super) fn scratch(&mut self, lanes: u32) -> Slot {
        let lanes = width(lanes);
        let first = self.e.pool.take(lanes);
        self.scratch.push((first, lanes));
        self.e.slot(first + lanes - 1);
        self.e.slot(first)
    }

    /// The first slot of an operand's value.
    pub(super) fn operand(&mut self, operand: Operand) -> Slot {
        match operand {
            Operand::Const(c) => self.e.constant(c.bits()),
            Operand::Reg(reg) => match self.analysis.exprs[reg.0 as usize] {
                Expr::Slots => self.home(reg),
                Expr::Alias(other) => self.operand(other),
                Expr::Query(query, dim) => self.e.fill(Fill::Query(query, dim)),
                Expr::SlotAddr(_) | Expr::Address { .. } => {
                    let d = self.scratch(1);
                    let address = self.address(operand);
                    self.emit_address(d, address);
                    d
                }
                Expr::Widened(value) => {
                    let a = self.operand(value);
                    let d = self.scratch(1);
                    self.e.emit(Ins::SExt32 { d, a });
                    d
                }
            },
        }
    }

    fn block(&mut self, b: usize) {
        let block = &self.function.blocks[b];
        let label = self.labels[b];
        self.e.place(label);
        for (i, inst) in block.insts.iter().enumerate() {
            if !self.analysis.vanished[b][i] {
                self.e.set_loc(inst.loc);
                let dst = self.analysis.redirected[b][i].or(inst.dst);
                self.inst(inst, dst, (b, i));
            }
            self.release(inst, b, i);
        }
        self.e.set_loc(block.term_loc);
        self.terminator(b);
        // What lived to the end of the block is free again.
        let n = block.insts.len();
        for inst in &block.insts {
            if let Some(d) = inst.dst {
                self.release_reg(d, n);
            }
        }
        self.release_scratch();
    }

    fn release_scratch(&mut self) {
        while let Some((first, lanes)) = self.scratch.pop() {
            self.e.pool.give(first, lanes);
        }
    }

    /// Gives back slots of values that nothing needs after instruction `i`.
    fn release(&mut self, inst: &Inst, b: usize, i: usize) {
        self.release_scratch();
        inst.op.for_each_operand(|o| {
            if let Operand::Reg(r) = o {
                self.release_deep(r, i);
            }
        });
        // A result that nobody reads.
        if let Some(d) = inst.dst
            && !self.analysis.vanished[b][i]
        {
            self.release_reg(d, i);
        }
    }

    /// A register may keep others alive that it is computed from.
    fn release_deep(&mut self, reg: Reg, at: usize) {
        match self.analysis.exprs[reg.0 as usize] {
            Expr::Slots => self.release_reg(reg, at),
            Expr::Query(..) | Expr::SlotAddr(_) => {}
            Expr::Alias(o) | Expr::Widened(o) => {
                if let Operand::Reg(r) = o {
                    self.release_deep(r, at);
                }
            }
            Expr::Address { base, index, .. } => {
                for o in [base, index] {
                    if let Operand::Reg(r) = o {
                        self.release_deep(r, at);
                    }
                }
            }
        }
    }

    /// Gives a register's slots back if `at` is where it is needed last.
    fn release_reg(&mut self, reg: Reg, at: usize) {
        let n = reg.0 as usize;
        if self.analysis.last_use[n].is_some_and(|last| last <= at)
            && let Some(slot) = self.homes[n].take()
        {
            let lanes = width(self.reg_type(reg).lanes());
            self.e.pool.give(slot as usize, lanes);
        }
    }

    fn inst(&mut self, inst: &Inst, dst: Option<Reg>, (b, i): (usize, usize)) {
        match &inst.op {
            accesses!()
            | Op::SlotAddr(_)
            | Op::GlobalAddr(_)
            | Op::LocalAddr(_)
            | Op::PtrAdd { .. }
            | Op::ToSpace(_) => self.memory(&inst.op, dst),
            Op::Printf { format, args } => self.printf(*format, args, dst),
            Op::Fence {
                order,
                scope,
                regions,
            } => self.e.emit(Ins::Fence {
                regions: *regions,
                order: *order,
                scope: *scope,
            }),
            Op::Barrier {
                kind,
                regions,
                scope,
            } => self.e.emit(Ins::Barrier {
                sub_group: match kind {
                    BarrierKind::WorkGroup => false,
                    BarrierKind::SubGroup => true,
                },
                regions: *regions,
                scope: *scope,
            }),
            Op::Call { args, .. } => {
                // Every call has been given its instance.
                if let Some(callee) = self.instance.callee(b, i) {
                    self.call(callee, args, dst);
                }
            }
            computations!()
            | Op::Copy(_)
            | Op::Convert { .. }
            | Op::Bitcast(_)
            | Op::PtrCast(_)
            | Op::Select(..) => {
                if let Some(dst) = dst {
                    self.arith(&inst.op, dst);
                }
            }
        }
    }

    /// Moves `lanes` slots.
    pub(super) fn moves(&mut self, d: Slot, a: Slot, lanes: u32) {
        if d != a {
            for lane in 0..lanes as Slot {
                self.e.emit(Ins::Move {
                    d: d + lane,
                    a: a + lane,
                });
            }
        }
    }

    fn call(&mut self, callee: InstanceId, args: &[Operand], dst: Option<Reg>) {
        let interface = &self.program.interfaces[&callee];
        for (&arg, &param) in args.iter().zip(&interface.params) {
            let lanes = self.type_of(arg).lanes();
            let a = self.operand(arg);
            self.moves(param, a, lanes);
        }
        let entry = self.e.entry(callee);
        let to = self.e.target(entry);
        self.e.emit(Ins::Call {
            link: interface.link,
            to,
        });
        if let Some(dst) = dst {
            let lanes = self.reg_type(dst).lanes();
            let d = self.home(dst);
            self.moves(d, interface.result, lanes);
        }
    }
}
