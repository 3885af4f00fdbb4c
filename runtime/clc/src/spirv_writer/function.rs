//! Functions: their registers and blocks.

use super::words::{Id, ids};
use super::{Check, Writer};
use crate::order::reverse_post_order;
use rspirv::dr::{self, Block, Instruction, Operand};
use rspirv::spirv::{FunctionControl, Op, StorageClass};
use std::collections::BTreeSet;
use touchstone_ir::{
    self as ir, AddressSpace, ArgPass, BlockId, FuncId, Inst, Reg, Scalar, Terminator, TrapReason,
    Type,
};

/// As what a function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// As an entry point, which nothing calls.
    Kernel,
    /// As one that others call.
    Called,
}

/// Where the value of a register is.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// It is a value, once its instruction has been written.
    Value(Option<Id>),
    /// In a variable of the function.
    Variable(Id),
}

/// A function being written.
pub(super) struct Body<'w, 'm> {
    pub(super) writer: &'w mut Writer<'m>,
    pub(super) function: &'m ir::Function,
    /// By register.
    homes: Vec<Home>,
    /// Private variables, as pointers to bytes.
    slots: Vec<Id>,
    variables: Vec<Instruction>,
    labels: Vec<Id>,
    blocks: Vec<Block>,
    /// Variables of the module that it uses.
    pub(super) uses: BTreeSet<Id>,
}

impl<'m> Writer<'m> {
    /// The number of a function that is called.
    pub(super) fn callee(&mut self, id: FuncId) -> Id {
        let words = &mut self.words;
        *self.called.entry(id).or_insert_with(|| words.id())
    }

    /// Writes a function.
    pub(super) fn function(&mut self, id: FuncId, own: Id, entry: Entry) -> Check<()> {
        let module = self.module;
        let function = &module.functions[id.0 as usize];
        if function.blocks.is_empty() {
            return Err(format!("the function {}, which has no body", function.name));
        }
        self.words.name(own, &function.name);
        let mut body = Body {
            writer: self,
            function,
            homes: Vec::new(),
            slots: Vec::new(),
            variables: Vec::new(),
            labels: Vec::new(),
            blocks: Vec::new(),
            uses: BTreeSet::new(),
        };
        let written = body.write(own, entry)?;
        let uses = std::mem::take(&mut body.uses);
        self.uses.entry(id).or_default().extend(uses);
        self.words.spirv.functions.push(written);
        Ok(())
    }
}

impl<'m> Body<'_, 'm> {
    fn write(&mut self, own: Id, entry: Entry) -> Check<dr::Function> {
        let function = self.function;
        let order = order(function);
        let start = self.writer.words.id();
        self.begin(start);
        self.homes(&order);
        let parameters = self.parameters(entry)?;
        for slot in &function.slots {
            let ty = self.writer.words.room(slot.size.into(), slot.align);
            let variable = self.variable(ty);
            self.writer.aligned(variable, &slot.name, slot.align);
            let bytes = self.bytes(variable, AddressSpace::Private);
            self.slots.push(bytes);
        }
        self.labels = function
            .blocks
            .iter()
            .map(|_| self.writer.words.id())
            .collect();
        self.terminate(Op::Branch, ids(&[self.labels[0]]));
        for n in order {
            self.begin(self.labels[n]);
            for inst in &function.blocks[n].insts {
                self.instruction(inst)?;
            }
            self.terminator(&function.blocks[n].term)?;
        }
        // Variables stand before all else of a function.
        let mut blocks = std::mem::take(&mut self.blocks);
        if let Some(first) = blocks.first_mut() {
            first.instructions.splice(0..0, self.variables.drain(..));
        }
        let types: Vec<Id> = parameters.iter().filter_map(|p| p.result_type).collect();
        let (ty, ret) = self.writer.signature(function.ret, &types);
        let control = Operand::FunctionControl(FunctionControl::NONE);
        let operands = vec![control, Operand::IdRef(ty)];
        Ok(dr::Function {
            def: Some(Instruction::new(
                Op::Function,
                Some(ret),
                Some(own),
                operands,
            )),
            end: Some(Instruction::new(Op::FunctionEnd, None, None, Vec::new())),
            parameters,
            blocks,
        })
    }

    /// Decides where registers are: one that an instruction of its own writes is its value.
    fn homes(&mut self, order: &[usize]) {
        let function = self.function;
        let mut writes = vec![0u32; function.regs.len()];
        for &Reg(param) in &function.params {
            writes[param as usize] += 1;
        }
        let insts = order.iter().flat_map(|&n| &function.blocks[n].insts);
        for Reg(reg) in insts.filter_map(|inst| inst.dst) {
            writes[reg as usize] += 1;
        }
        for (n, (declared, writes)) in function.regs.iter().zip(writes).enumerate() {
            let is_param = function.params.contains(&Reg(n as u32));
            // A variable of the source may be read before it is written.
            let once = writes == 1 && (is_param || declared.variable.is_none());
            let home = if once || writes == 0 && declared.variable.is_none() {
                Home::Value(None)
            } else {
                let ty = self.writer.words.ty(declared.ty);
                let variable = self.variable(ty);
                let name = declared.variable.as_deref().unwrap_or_default();
                self.writer.words.name(variable, name);
                Home::Variable(variable)
            };
            self.homes.push(home);
        }
    }

    /// The parameters, whose values go to their registers.
    fn parameters(&mut self, entry: Entry) -> Check<Vec<Instruction>> {
        let function = self.function;
        let info = function.kernel.as_ref().filter(|_| entry == Entry::Kernel);
        let mut parameters = Vec::with_capacity(function.params.len());
        for (n, &param) in function.params.iter().enumerate() {
            let id = self.writer.words.id();
            let ty = self.type_of(param.into())?;
            let arg = info.and_then(|info| info.args.get(n));
            let mut value = id;
            let declared = match arg {
                Some(arg) => {
                    let declared = self.writer.argument(arg)?;
                    self.writer.decorate_argument(id, arg);
                    // They point to what has the right size or alignment.
                    if let ArgPass::Aggregate { .. } | ArgPass::LocalPointer { .. } = arg.pass {
                        value = self.bytes(id, arg.pass.space());
                    }
                    declared
                }
                None => self.writer.words.ty(ty),
            };
            parameters.push(Instruction::new(
                Op::FunctionParameter,
                Some(declared),
                Some(id),
                Vec::new(),
            ));
            self.define(param, value);
        }
        Ok(parameters)
    }

    /// A variable of the function.
    pub(super) fn variable(&mut self, ty: Id) -> Id {
        let class = StorageClass::Function;
        let pointer = self.writer.words.pointer_in(class, ty);
        let id = self.writer.words.id();
        let operands = vec![Operand::StorageClass(class)];
        let variable = Instruction::new(Op::Variable, Some(pointer), Some(id), operands);
        self.variables.push(variable);
        id
    }

    /// The address of a private variable of the IR.
    pub(super) fn slot(&self, slot: ir::SlotId) -> Id {
        self.slots[slot.0 as usize]
    }

    /// The type of an operand.
    pub(super) fn type_of(&self, operand: ir::Operand) -> Check<Type> {
        let ty = self.function.operand_type(operand);
        ty.ok_or_else(|| format!("the register {operand}, which is not declared"))
    }

    /// The value of an operand.
    pub(super) fn value(&mut self, operand: ir::Operand) -> Check<Id> {
        let reg = match operand {
            ir::Operand::Const(constant) => return Ok(self.writer.words.constant(constant)),
            ir::Operand::Reg(reg) => reg,
        };
        match self.homes[reg.0 as usize] {
            Home::Value(Some(id)) => Ok(id),
            Home::Value(None) => Err(format!("the register {reg}, which nothing has written")),
            Home::Variable(variable) => {
                let ty = self.type_of(operand)?;
                let ty = self.writer.words.ty(ty);
                Ok(self.emit(Op::Load, ty, ids(&[variable])))
            }
        }
    }

    /// Gives a register its value.
    pub(super) fn define(&mut self, reg: Reg, value: Id) {
        match &mut self.homes[reg.0 as usize] {
            Home::Value(own) => *own = Some(value),
            Home::Variable(variable) => {
                let operands = ids(&[*variable, value]);
                self.push(Op::Store, operands);
            }
        }
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, label: Id) {
        self.blocks.push(Block {
            label: Some(Instruction::new(Op::Label, None, Some(label), Vec::new())),
            instructions: Vec::new(),
        });
    }

    /// The label of the block that is being written.
    pub(super) fn here(&self) -> Id {
        let last = self.blocks.last().and_then(|block| block.label.as_ref());
        last.and_then(|label| label.result_id).unwrap_or_default()
    }

    fn append(&mut self, instruction: Instruction) {
        if let Some(block) = self.blocks.last_mut() {
            block.instructions.push(instruction);
        }
    }

    /// Appends an instruction without a result.
    pub(super) fn push(&mut self, op: Op, operands: Vec<Operand>) {
        self.append(Instruction::new(op, None, None, operands));
    }

    /// Appends an instruction with a result.
    pub(super) fn emit(&mut self, op: Op, ty: Id, operands: Vec<Operand>) -> Id {
        let id = self.writer.words.id();
        self.append(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Appends an instruction that gives a value of a type of the IR.
    pub(super) fn compute(&mut self, op: Op, ty: Type, operands: &[Id]) -> Id {
        let ty = self.writer.words.ty(ty);
        self.emit(op, ty, ids(operands))
    }

    /// Appends an instruction whose result has its number already.
    pub(super) fn compute_as(&mut self, id: Id, op: Op, ty: Type, operands: &[Id]) {
        let ty = self.writer.words.ty(ty);
        self.append(Instruction::new(op, Some(ty), Some(id), ids(operands)));
    }

    /// Ends the block.
    pub(super) fn terminate(&mut self, op: Op, operands: Vec<Operand>) {
        self.push(op, operands);
    }

    fn label(&self, block: BlockId) -> Operand {
        Operand::IdRef(self.labels[block.0 as usize])
    }

    fn terminator(&mut self, term: &Terminator) -> Check<()> {
        match term {
            Terminator::Jump(to) => self.terminate(Op::Branch, vec![self.label(*to)]),
            Terminator::Branch {
                cond,
                then_block,
                else_block,
            } => {
                let cond = Operand::IdRef(self.value(*cond)?);
                let operands = vec![cond, self.label(*then_block), self.label(*else_block)];
                self.terminate(Op::BranchConditional, operands);
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => self.switch(*value, cases, *default)?,
            Terminator::Return(None) => self.terminate(Op::Return, Vec::new()),
            Terminator::Return(Some(value)) => {
                let value = self.value(*value)?;
                self.terminate(Op::ReturnValue, ids(&[value]));
            }
            // Nothing says what happens there.
            Terminator::Unreachable | Terminator::Trap(TrapReason::MissingReturn) => {
                self.terminate(Op::Unreachable, Vec::new());
            }
            Terminator::Trap(TrapReason::Explicit) => return Err("a trap".into()),
            Terminator::Trap(TrapReason::OutsideImage) => return Err("an image".into()),
        }
        Ok(())
    }

    fn switch(
        &mut self,
        value: ir::Operand,
        cases: &[(u64, BlockId)],
        default: BlockId,
    ) -> Check<()> {
        let ty = self.type_of(value)?;
        let mut selector = self.value(value)?;
        if ty.size() < 4 {
            selector = self.compute(Op::UConvert, Type::I32, &[selector]);
        }
        let mut operands = vec![Operand::IdRef(selector), self.label(default)];
        for &(bits, to) in cases {
            operands.push(match ty.element() {
                Some(Scalar::I64) => Operand::LiteralBit64(bits),
                _ => Operand::LiteralBit32(bits as u32),
            });
            operands.push(self.label(to));
        }
        self.terminate(Op::Switch, operands);
        Ok(())
    }

    fn instruction(&mut self, inst: &'m Inst) -> Check<()> {
        let ty = match inst.dst {
            Some(reg) => Some(self.type_of(reg.into())?),
            None => None,
        };
        let value = self.operation(&inst.op, ty)?;
        if let (Some(reg), Some(value)) = (inst.dst, value) {
            self.define(reg, value);
        }
        Ok(())
    }

    /// Writes an operation; its result, of a type, where it has one.
    fn operation(&mut self, op: &'m ir::Op, ty: Option<Type>) -> Check<Option<Id>> {
        if let Some(value) = self.accesses(op, ty)? {
            return Ok(value);
        }
        if let ir::Op::Call { callee, args } = op {
            return self.call(*callee, args, ty);
        }
        if let ir::Op::Device { function, .. } = op {
            return Err(format!("the function {function} of device-side enqueue"));
        }
        // All others compute a value; those that nobody wants have no effect either.
        let Some(ty) = ty else {
            return match op {
                ir::Op::Printf { format, args } => self.printf(*format, args).map(Some),
                ir::Op::Collective { value, .. } => {
                    let ty = self.type_of(*value)?;
                    self.computed(op, ty).map(Some)
                }
                _ => Ok(None),
            };
        };
        self.computed(op, ty).map(Some)
    }

    /// Writes an operation that computes a value of a type.
    fn computed(&mut self, op: &'m ir::Op, ty: Type) -> Check<Id> {
        match op {
            ir::Op::Copy(a) => self.value(*a),
            ir::Op::Int(op, a, b) => self.int(ty, *op, *a, *b),
            ir::Op::Float(op, a, b) => self.float(ty, *op, *a, *b),
            ir::Op::Unary(op, a) => self.unary(ty, *op, *a),
            ir::Op::Compare(cmp, a, b) => self.compare(*cmp, *a, *b),
            ir::Op::Select(c, a, b) => self.select(ty, *c, *a, *b),
            ir::Op::Convert {
                value,
                from,
                to,
                rounding,
                saturate,
            } => self.convert(ty, *value, (*from, *to), *rounding, *saturate),
            ir::Op::Bitcast(a) => self.bitcast(ty, *a),
            ir::Op::PtrCast(a) => self.pointer_cast(ty, *a),
            ir::Op::ToSpace(a) => self.cast_explicitly(ty, *a),
            ir::Op::Splat(a) => self.splat(ty, *a),
            ir::Op::Construct(parts) => self.construct(ty, parts),
            ir::Op::Extract(v, index) => self.extract(ty, *v, *index),
            ir::Op::Insert(v, index, part) => self.insert(ty, *v, *index, *part),
            ir::Op::Shuffle(a, b, mask) => self.shuffle(ty, *a, *b, mask),
            ir::Op::SlotAddr(slot) => Ok(self.slot(*slot)),
            ir::Op::GlobalAddr(id) => self.global_address(*id),
            ir::Op::LocalAddr(id) => Ok(self.local_address(*id)),
            ir::Op::PtrAdd {
                base,
                index,
                scale,
                disp,
            } => self.pointer_add(ty, *base, *index, (*scale, *disp)),
            ir::Op::Query { query, dim } => self.query(*query, *dim),
            ir::Op::Intrinsic(intrinsic, args) => self.intrinsic(ty, *intrinsic, args),
            ir::Op::Printf { format, args } => self.printf(*format, args),
            ir::Op::Collective {
                kind,
                function,
                value,
                from,
            } => self.collective(ty, (*kind, *function), *value, from),
            ir::Op::Call { .. } | ir::Op::Device { .. } | ir::Op::Fence { .. } => {
                Err("an operation without a result".into())
            }
            touchstone_ir::accesses!() | ir::Op::Barrier { .. } => {
                Err("an operation without a result".into())
            }
        }
    }

    fn call(
        &mut self,
        callee: FuncId,
        args: &[ir::Operand],
        ty: Option<Type>,
    ) -> Check<Option<Id>> {
        let function = &self.writer.module.functions[callee.0 as usize];
        if let Some(value) = self.present(&function.name, args)? {
            return Ok(ty.and(Some(value)));
        }
        let mut operands = vec![self.writer.callee(callee)];
        for &arg in args {
            operands.push(self.value(arg)?);
        }
        let ret = match function.ret {
            Some(ty) => self.writer.words.ty(ty),
            None => self.writer.words.void(),
        };
        let value = self.emit(Op::FunctionCall, ret, ids(&operands));
        Ok(function.ret.and(Some(value)))
    }
}

/// The numbers of the blocks that control comes to, each after those that all ways to it lead through: reverse
/// post-order.
fn order(function: &ir::Function) -> Vec<usize> {
    let next = |n: usize| -> Vec<usize> {
        let mut next = Vec::new();
        function.blocks[n]
            .term
            .for_each_target(|to| next.push(to.0 as usize));
        next
    };
    reverse_post_order(function.blocks.len(), next)
}
