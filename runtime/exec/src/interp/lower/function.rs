//! One function: blocks, terminators, calls.

use super::analysis::{Analysis, Expr, analyse};
use super::emit::{Emitter, Label};
use super::order::order;
use super::provenance::{Instance, InstanceId};
use super::{Program, width};
use crate::interp::code::{Fill, Ins, Slot, SwitchTable, TrapCode};
use touchstone_ir::{
    BarrierKind, BlockId, Cmp, Function, Inst, Op, Operand, Reg, Terminator, Type, accesses,
    computations, float_comparisons,
};

/// The slots through which a function is called.
#[derive(Debug)]
pub(super) struct Interface {
    /// First slot of each parameter.
    pub(super) params: Vec<Slot>,
    /// First slot of the result.
    result: Slot,
    /// Where to return to.
    link: Slot,
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
    interface: &'a Interface,
    is_kernel: bool,
    /// Offsets of private variables.
    pub(super) private: &'a [u64],
    /// First slot of registers that have slots now.
    homes: Vec<Option<Slot>>,
    labels: Vec<Label>,
    /// Slots taken for the present instruction alone.
    scratch: Vec<(usize, usize)>,
    /// By block: no way leads from it to an end of the function.
    endless: Vec<bool>,
}

/// Lowers an instance of a function to the end of the code.
pub(super) fn lower(program: Program<'_>, id: InstanceId, e: &mut Emitter) {
    let instance = &program.instances.list[id.0];
    let function = &program.module.functions[instance.function.0 as usize];
    let interface = &program.interfaces[&id];
    let labels = function.blocks.iter().map(|_| e.label()).collect();
    let is_kernel = id == InstanceId(0);
    e.begin_function(&function.name, (!is_kernel).then_some(interface.link));
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
        is_kernel,
        private: &program.private[&instance.function],
        homes,
        labels,
        scratch: Vec::new(),
        endless: endless(function),
    };
    l.zero_variables();
    let order = program.shuffles.then(|| order(function));
    for b in 0..function.blocks.len() {
        if let Some(order) = &order {
            l.e.begin_block(order[b]);
        }
        l.block(b);
    }
}

/// The blocks from which no way leads to an end of the function. Whoever jumps back to one
/// never gets out.
fn endless(function: &Function) -> Vec<bool> {
    let mut endless = vec![true; function.blocks.len()];
    loop {
        let mut news = false;
        for (b, block) in function.blocks.iter().enumerate().rev() {
            if !endless[b] {
                continue;
            }
            let mut ends = match block.term {
                Terminator::Return(_) | Terminator::Unreachable | Terminator::Trap(_) => true,
                Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                    false
                }
            };
            block
                .term
                .for_each_target(|to| ends |= !endless[to.0 as usize]);
            endless[b] = !ends;
            news |= ends;
        }
        if !news {
            return endless;
        }
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
            Op::Device {
                function,
                block,
                args,
            } => {
                self.e.synchronizes();
                self.device(*function, *block, args, dst);
            }
            Op::Fence {
                order,
                scope,
                regions,
            } => {
                self.e.synchronizes();
                self.e.emit(Ins::Fence {
                    regions: *regions,
                    order: *order,
                    scope: *scope,
                });
            }
            Op::Collective {
                kind,
                function,
                value,
                from,
            } => {
                let of = (*kind == BarrierKind::SubGroup, *function);
                self.collective(of, *value, from, dst);
            }
            Op::Barrier {
                kind,
                regions,
                scope,
            } => self.e.emit(Ins::Barrier {
                sub_group: *kind == BarrierKind::SubGroup,
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

    fn terminator(&mut self, b: usize) {
        let block = &self.function.blocks[b];
        match &block.term {
            Terminator::Jump(to) => {
                if to.0 as usize != b + 1 {
                    self.jump(b, *to);
                }
            }
            Terminator::Branch {
                cond,
                then_block,
                else_block,
            } => self.branch(b, *cond, *then_block, *else_block),
            Terminator::Switch {
                value,
                cases,
                default,
            } => self.switch(b, *value, cases, *default),
            Terminator::Return(value) => {
                if self.is_kernel {
                    self.e.emit(Ins::End);
                    return;
                }
                if let Some(value) = *value {
                    let lanes = self.type_of(value).lanes();
                    let a = self.operand(value);
                    self.moves(self.interface.result, a, lanes);
                }
                self.e.emit(Ins::Return {
                    link: self.interface.link,
                });
            }
            Terminator::Unreachable => self.e.emit(Ins::Trap {
                reason: TrapCode::Unreachable,
            }),
            Terminator::Trap(reason) => self.e.emit(Ins::Trap {
                reason: TrapCode::Reason(*reason),
            }),
        }
    }

    fn jump(&mut self, b: usize, to: BlockId) {
        let back = to.0 as usize <= b;
        if back && self.endless[to.0 as usize] {
            self.e.emit(Ins::Trap {
                reason: TrapCode::EndlessLoop,
            });
            return;
        }
        let to = self.e.target(self.labels[to.0 as usize]);
        self.e.emit(if back {
            Ins::JumpBack { to }
        } else {
            Ins::Jump { to }
        });
    }

    /// Every cycle of blocks has a jump to the same or an earlier block, which
    /// is made by `JumpBack`, so that loops cost steps.
    fn branch(&mut self, b: usize, cond: Operand, yes: BlockId, no: BlockId) {
        if yes == no {
            if yes.0 as usize != b + 1 {
                self.jump(b, yes);
            }
            return;
        }
        let condition = self.condition(b, cond);
        let is_back = |to: BlockId| to.0 as usize <= b;
        let is_next = |to: BlockId| to.0 as usize == b + 1;
        let label = |l: &Self, to: BlockId| l.labels[to.0 as usize];
        if !is_back(yes) && !is_next(yes) {
            let to = label(self, yes);
            self.jump_if(condition, true, to);
            if !is_next(no) {
                self.jump(b, no);
            }
        } else if !is_back(no) && !is_next(no) {
            let to = label(self, no);
            self.jump_if(condition, false, to);
            if !is_next(yes) {
                self.jump(b, yes);
            }
        } else {
            // One is next and the other goes back, or both go back.
            let (back, other, when) = if is_next(yes) {
                (no, yes, true)
            } else {
                (yes, no, false)
            };
            let skip = self.e.label();
            self.jump_if(condition, when, skip);
            self.jump(b, back);
            self.e.place(skip);
            if !is_next(other) {
                self.jump(b, other);
            }
        }
    }

    /// The slots that a branch compares.
    fn condition(&mut self, b: usize, cond: Operand) -> Condition {
        let block = &self.function.blocks[b];
        if self.analysis.fused_branch[b]
            && let Some(Inst {
                op: Op::Compare(cmp, x, y),
                ..
            }) = block.insts.last()
        {
            let wide = self.type_of(*x).size() == 8;
            let narrow = self.type_of(*x).size() < 4;
            let signed = matches!(cmp, Cmp::SLt | Cmp::SLe | Cmp::SGt | Cmp::SGe);
            let (a, b) = if narrow && signed {
                let element = self.type_of(*x).element();
                (
                    self.sign_extended(*x, element),
                    self.sign_extended(*y, element),
                )
            } else {
                (self.operand(*x), self.operand(*y))
            };
            let wide = wide || narrow;
            return match cmp {
                Cmp::Eq => Condition::Eq(a, b),
                Cmp::Ne => Condition::Ne(a, b),
                Cmp::ULt => Condition::ULt(a, b),
                Cmp::ULe => Condition::ULe(a, b),
                Cmp::UGt => Condition::ULt(b, a),
                Cmp::UGe => Condition::ULe(b, a),
                Cmp::SLt => Condition::SLt(wide, a, b),
                Cmp::SLe => Condition::SLe(wide, a, b),
                Cmp::SGt => Condition::SLt(wide, b, a),
                Cmp::SGe => Condition::SLe(wide, b, a),
                // The analysis fuses comparisons of integers and pointers only.
                float_comparisons!() => Condition::Ne(a, b),
            };
        }
        Condition::True(self.operand(cond))
    }

    /// Jumps if the condition is `when`.
    fn jump_if(&mut self, condition: Condition, when: bool, to: Label) {
        let to = self.e.target(to);
        let ins = match (condition, when) {
            (Condition::True(a), true) => Ins::JumpIf { a, to },
            (Condition::True(a), false) => Ins::JumpIfNot { a, to },
            (Condition::Eq(a, b), true) | (Condition::Ne(a, b), false) => Ins::JumpEq { a, b, to },
            (Condition::Ne(a, b), true) | (Condition::Eq(a, b), false) => Ins::JumpNe { a, b, to },
            (Condition::ULt(a, b), true) | (Condition::ULe(b, a), false) => {
                Ins::JumpULt { a, b, to }
            }
            (Condition::ULe(a, b), true) | (Condition::ULt(b, a), false) => {
                Ins::JumpULe { a, b, to }
            }
            (Condition::SLt(false, a, b), true) | (Condition::SLe(false, b, a), false) => {
                Ins::JumpSLt32 { a, b, to }
            }
            (Condition::SLe(false, a, b), true) | (Condition::SLt(false, b, a), false) => {
                Ins::JumpSLe32 { a, b, to }
            }
            (Condition::SLt(true, a, b), true) | (Condition::SLe(true, b, a), false) => {
                Ins::JumpSLt64 { a, b, to }
            }
            (Condition::SLe(true, a, b), true) | (Condition::SLt(true, b, a), false) => {
                Ins::JumpSLe64 { a, b, to }
            }
        };
        self.e.emit(ins);
    }

    fn switch(&mut self, b: usize, value: Operand, cases: &[(u64, BlockId)], default: BlockId) {
        let a = self.operand(value);
        // Targets that go back get a jump of their own, which costs a step.
        let mut stubs: Vec<(Label, BlockId)> = Vec::new();
        let mut target = |l: &mut Self, to: BlockId| {
            let label = if to.0 as usize > b {
                l.labels[to.0 as usize]
            } else if let Some(&(label, _)) = stubs.iter().find(|s| s.1 == to) {
                label
            } else {
                let label = l.e.label();
                stubs.push((label, to));
                label
            };
            l.e.target(label)
        };
        let table = SwitchTable {
            cases: cases
                .iter()
                .map(|&(value, to)| (value, target(self, to)))
                .collect(),
            default: target(self, default),
        };
        let table = self.e.switch(table);
        self.e.emit(Ins::Switch { a, table });
        for (label, to) in stubs {
            self.e.place(label);
            self.jump(b, to);
        }
    }
}

/// What a branch looks at.
#[derive(Clone, Copy, Debug)]
enum Condition {
    True(Slot),
    Eq(Slot, Slot),
    Ne(Slot, Slot),
    ULt(Slot, Slot),
    ULe(Slot, Slot),
    /// The flag: 64 bits wide rather than 32.
    SLt(bool, Slot, Slot),
    SLe(bool, Slot, Slot),
}
