//! What a front end uses to write a function, block by block.
//!
//! The builder has a current block. Instructions go to its end; a terminator
//! closes it. Instructions given while the current block is closed (code after
//! `return`) go to a fresh block that nothing reaches, so a front end need not
//! ask. [`finish`](FunctionBuilder::finish) drops blocks that cannot be reached.

use crate::function::{Block, Function, RegDecl, Slot};
use crate::ids::{BlockId, FuncId, GlobalId, LocalId, Reg, SlotId};
use crate::intrinsic::Intrinsic;
use crate::memory::{MemScope, Order, Regions, RmwOp};
use crate::op::{
    BarrierKind, Cmp, FloatOp, Inst, IntOp, NumKind, Op, Query, Rounding, Terminator, UnaryOp,
};
use crate::types::{AddressSpace, Lanes, Scalar, Type};
use crate::value::{Const, Loc, Operand};

/// Writes one function.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    /// Blocks so far; None in `term` while open.
    blocks: Vec<OpenBlock>,
    current: BlockId,
    loc: Loc,
}

#[derive(Debug, Default)]
struct OpenBlock {
    insts: Vec<Inst>,
    term: Option<(Terminator, Loc)>,
}

impl FunctionBuilder {
    /// Begins a function; its parameters are registers 0, 1, …, and the current
    /// block is the entry.
    pub fn new(name: impl Into<String>, params: &[Type], ret: Option<Type>) -> FunctionBuilder {
        Self::define(Function::declare(name, params, ret))
    }

    /// Continues from a declaration: its name, parameters, result and kernel info.
    pub fn define(declaration: Function) -> FunctionBuilder {
        FunctionBuilder {
            function: Function {
                blocks: Vec::new(),
                ..declaration
            },
            blocks: vec![OpenBlock::default()],
            current: BlockId(0),
            loc: Loc::NONE,
        }
    }

    /// The function so far: name, registers, slots, kernel info; not its blocks.
    pub fn function_mut(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The register of a parameter.
    ///
    /// # Panics
    /// If there is no such parameter.
    pub fn param(&self, index: usize) -> Reg {
        self.function.params[index]
    }

    /// Sets the source place of what follows.
    pub fn set_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// The source place in force.
    pub fn loc(&self) -> Loc {
        self.loc
    }

    /// A new temporary.
    pub fn temp(&mut self, ty: Type) -> Reg {
        self.function.regs.push(RegDecl { ty, variable: None });
        Reg(self.function.regs.len() as u32 - 1)
    }

    /// A new variable register: written and read any number of times, in any order.
    pub fn variable(&mut self, name: impl Into<String>, ty: Type) -> Reg {
        self.function.regs.push(RegDecl {
            ty,
            variable: Some(name.into()),
        });
        Reg(self.function.regs.len() as u32 - 1)
    }

    /// A new private variable in memory.
    pub fn slot(&mut self, name: impl Into<String>, size: u32, align: u32) -> SlotId {
        self.function.slots.push(Slot {
            name: name.into(),
            size,
            align,
        });
        SlotId(self.function.slots.len() as u32 - 1)
    }

    /// The type of an operand.
    ///
    /// # Panics
    /// If the register belongs to another function.
    pub fn type_of(&self, operand: impl Into<Operand>) -> Type {
        match operand.into() {
            Operand::Reg(r) => self.function.regs[r.0 as usize].ty,
            Operand::Const(c) => c.ty(),
        }
    }

    /// A new, empty block. It does not become current.
    pub fn block(&mut self) -> BlockId {
        self.blocks.push(OpenBlock::default());
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Makes a block current.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    /// The current block.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Whether the current block already has its terminator.
    pub fn is_closed(&self) -> bool {
        self.blocks[self.current.0 as usize].term.is_some()
    }

    fn open(&mut self) -> &mut OpenBlock {
        if self.is_closed() {
            self.current = self.block();
        }
        &mut self.blocks[self.current.0 as usize]
    }

    /// Appends an operation without (wanted) result.
    pub fn push(&mut self, op: Op) {
        self.push_inst(None, op);
    }

    /// Appends an operation that writes a given register.
    pub fn push_to(&mut self, dst: Reg, op: Op) {
        self.push_inst(Some(dst), op);
    }

    /// Appends an operation that writes a new temporary of a type.
    pub fn emit(&mut self, ty: Type, op: Op) -> Reg {
        let dst = self.temp(ty);
        self.push_inst(Some(dst), op);
        dst
    }

    fn push_inst(&mut self, dst: Option<Reg>, op: Op) {
        let loc = self.loc;
        self.open().insts.push(Inst { dst, op, loc });
    }

    /// Closes the current block. Ignored when it is closed already.
    pub fn terminate(&mut self, term: Terminator) {
        let loc = self.loc;
        let block = &mut self.blocks[self.current.0 as usize];
        if block.term.is_none() {
            block.term = Some((term, loc));
        }
    }

    /// `goto target`.
    pub fn jump(&mut self, target: BlockId) {
        self.terminate(Terminator::Jump(target));
    }

    /// `if cond goto then_block else goto else_block`.
    pub fn branch(&mut self, cond: impl Into<Operand>, then_block: BlockId, else_block: BlockId) {
        self.terminate(Terminator::Branch {
            cond: cond.into(),
            then_block,
            else_block,
        });
    }

    /// Returns.
    pub fn ret(&mut self, value: Option<Operand>) {
        self.terminate(Terminator::Return(value));
    }

    /// Writes a register.
    pub fn assign(&mut self, dst: Reg, value: impl Into<Operand>) {
        self.push_to(dst, Op::Copy(value.into()));
    }

    /// A copy of an operand's present value, in a new temporary.
    pub fn copy(&mut self, value: impl Into<Operand>) -> Reg {
        let value = value.into();
        let ty = self.type_of(value);
        self.emit(ty, Op::Copy(value))
    }

    /// Integer arithmetic.
    pub fn int(&mut self, op: IntOp, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (a, b) = (a.into(), b.into());
        let ty = self.type_of(a);
        self.emit(ty, Op::Int(op, a, b))
    }

    /// Floating-point arithmetic.
    pub fn float(&mut self, op: FloatOp, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (a, b) = (a.into(), b.into());
        let ty = self.type_of(a);
        self.emit(ty, Op::Float(op, a, b))
    }

    /// An operation with one operand.
    pub fn unary(&mut self, op: UnaryOp, a: impl Into<Operand>) -> Reg {
        let a = a.into();
        let ty = self.type_of(a);
        self.emit(ty, Op::Unary(op, a))
    }

    /// A comparison.
    pub fn compare(&mut self, cmp: Cmp, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (a, b) = (a.into(), b.into());
        let ty = self.type_of(a).compare_result();
        self.emit(ty, Op::Compare(cmp, a, b))
    }

    /// A conversion with default rounding and without saturation.
    pub fn convert(
        &mut self,
        value: impl Into<Operand>,
        from: NumKind,
        ty: Type,
        to: NumKind,
    ) -> Reg {
        self.emit(
            ty,
            Op::Convert {
                value: value.into(),
                from,
                to,
                rounding: Rounding::Default,
                saturate: false,
            },
        )
    }

    /// The same bits as another type of the same size.
    pub fn bitcast(&mut self, value: impl Into<Operand>, ty: Type) -> Reg {
        self.emit(ty, Op::Bitcast(value.into()))
    }

    /// The same address in another space.
    pub fn ptr_cast(&mut self, ptr: impl Into<Operand>, space: AddressSpace) -> Reg {
        self.emit(Type::Pointer(space), Op::PtrCast(ptr.into()))
    }

    /// `cond ? a : b`.
    pub fn select(
        &mut self,
        cond: impl Into<Operand>,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
    ) -> Reg {
        let (a, b) = (a.into(), b.into());
        let ty = self.type_of(a);
        self.emit(ty, Op::Select(cond.into(), a, b))
    }

    /// A vector of equal elements.
    ///
    /// # Panics
    /// If the operand is a pointer.
    pub fn splat(&mut self, value: impl Into<Operand>, lanes: Lanes) -> Reg {
        let value = value.into();
        let element = self.element(value);
        self.emit(Type::Vector(element, lanes), Op::Splat(value))
    }

    /// An element of a vector.
    ///
    /// # Panics
    /// If the operand is a pointer.
    pub fn extract(&mut self, vector: impl Into<Operand>, index: impl Into<Operand>) -> Reg {
        let vector = vector.into();
        let element = self.element(vector);
        self.emit(Type::Scalar(element), Op::Extract(vector, index.into()))
    }

    /// A vector with one element replaced.
    pub fn insert(
        &mut self,
        vector: impl Into<Operand>,
        index: impl Into<Operand>,
        value: impl Into<Operand>,
    ) -> Reg {
        let vector = vector.into();
        let ty = self.type_of(vector);
        self.emit(ty, Op::Insert(vector, index.into(), value.into()))
    }

    fn element(&self, operand: Operand) -> Scalar {
        match self.type_of(operand) {
            Type::Scalar(s) | Type::Vector(s, _) => s,
            Type::Pointer(space) => panic!("a pointer to {space} has no elements"),
        }
    }

    /// The address of a private variable.
    pub fn slot_addr(&mut self, slot: SlotId) -> Reg {
        self.emit(Type::Pointer(AddressSpace::Private), Op::SlotAddr(slot))
    }

    /// The address of a program-scope variable that lies in `space`.
    pub fn global_addr(&mut self, global: GlobalId, space: AddressSpace) -> Reg {
        self.emit(Type::Pointer(space), Op::GlobalAddr(global))
    }

    /// The address of a static local variable.
    pub fn local_addr(&mut self, local: LocalId) -> Reg {
        self.emit(Type::Pointer(AddressSpace::Local), Op::LocalAddr(local))
    }

    /// `base + index * scale + disp`, in bytes.
    pub fn ptr_add(
        &mut self,
        base: impl Into<Operand>,
        index: impl Into<Operand>,
        scale: u32,
        disp: i64,
    ) -> Reg {
        let base = base.into();
        let ty = self.type_of(base);
        self.emit(
            ty,
            Op::PtrAdd {
                base,
                index: index.into(),
                scale,
                disp,
            },
        )
    }

    /// `base + disp`, in bytes: a member of a struct.
    pub fn ptr_offset(&mut self, base: impl Into<Operand>, disp: i64) -> Reg {
        self.ptr_add(base, Const::i64(0), 1, disp)
    }

    /// A plain load of a naturally aligned value.
    pub fn load(&mut self, ty: Type, ptr: impl Into<Operand>) -> Reg {
        self.emit(
            ty,
            Op::Load {
                ptr: ptr.into(),
                align: ty.align(),
                volatile: false,
            },
        )
    }

    /// A plain store of a naturally aligned value.
    pub fn store(&mut self, ptr: impl Into<Operand>, value: impl Into<Operand>) {
        let value = value.into();
        let align = self.type_of(value).align();
        self.push(Op::Store {
            ptr: ptr.into(),
            value,
            align,
            volatile: false,
        });
    }

    /// An atomic load.
    pub fn atomic_load(
        &mut self,
        ty: Type,
        ptr: impl Into<Operand>,
        order: Order,
        scope: MemScope,
    ) -> Reg {
        let ptr = ptr.into();
        self.emit(ty, Op::AtomicLoad { ptr, order, scope })
    }

    /// An atomic store.
    pub fn atomic_store(
        &mut self,
        ptr: impl Into<Operand>,
        value: impl Into<Operand>,
        order: Order,
        scope: MemScope,
    ) {
        self.push(Op::AtomicStore {
            ptr: ptr.into(),
            value: value.into(),
            order,
            scope,
        });
    }

    /// An atomic read-modify-write; the value before.
    pub fn atomic_rmw(
        &mut self,
        op: RmwOp,
        ptr: impl Into<Operand>,
        value: impl Into<Operand>,
        order: Order,
        scope: MemScope,
    ) -> Reg {
        let value = value.into();
        let ty = self.type_of(value);
        self.emit(
            ty,
            Op::AtomicRmw {
                op,
                ptr: ptr.into(),
                value,
                order,
                scope,
            },
        )
    }

    /// A strong compare and exchange; the value before.
    pub fn atomic_cas(
        &mut self,
        ptr: impl Into<Operand>,
        expected: impl Into<Operand>,
        desired: impl Into<Operand>,
        (success, failure): (Order, Order),
        scope: MemScope,
    ) -> Reg {
        let expected = expected.into();
        let ty = self.type_of(expected);
        self.emit(
            ty,
            Op::AtomicCas {
                ptr: ptr.into(),
                expected,
                desired: desired.into(),
                success,
                failure,
                scope,
                weak: false,
            },
        )
    }

    /// A fence.
    pub fn fence(&mut self, regions: Regions, order: Order, scope: MemScope) {
        self.push(Op::Fence {
            regions,
            order,
            scope,
        });
    }

    /// A work-group barrier.
    pub fn barrier(&mut self, regions: Regions, scope: MemScope) {
        self.push(Op::Barrier {
            kind: BarrierKind::WorkGroup,
            regions,
            scope,
        });
    }

    /// A call; the result's register when the function has one (`ret`).
    pub fn call(&mut self, callee: FuncId, args: Vec<Operand>, ret: Option<Type>) -> Option<Reg> {
        let dst = ret.map(|ty| self.temp(ty));
        self.push_inst(dst, Op::Call { callee, args });
        dst
    }

    /// A work-item query in a dimension (ignored where the query takes none); `I64`.
    pub fn query(&mut self, query: Query, dim: impl Into<Operand>) -> Reg {
        let dim = query.takes_dim().then(|| dim.into());
        self.emit(Type::I64, Op::Query { query, dim })
    }

    /// A built-in function.
    ///
    /// # Panics
    /// If there are no operands.
    pub fn intrinsic(&mut self, intrinsic: Intrinsic, args: Vec<Operand>) -> Reg {
        let ty = intrinsic.result(self.type_of(args[0]));
        self.emit(ty, Op::Intrinsic(intrinsic, args))
    }

    /// The finished function. Open blocks end in `Unreachable`, unless the
    /// function returns nothing: then they return. Blocks that nothing reaches
    /// are dropped.
    pub fn finish(self) -> Function {
        let FunctionBuilder {
            mut function,
            blocks,
            ..
        } = self;
        let default = if function.ret.is_none() {
            Terminator::Return(None)
        } else {
            Terminator::Unreachable
        };
        let finished = blocks.into_iter().map(|b| {
            let (term, term_loc) = b.term.unwrap_or((default.clone(), Loc::NONE));
            Block {
                insts: b.insts,
                term,
                term_loc,
            }
        });
        function.blocks = finished.collect();
        drop_unreachable(&mut function.blocks);
        function
    }
}

/// Removes blocks that cannot be reached from the entry and renumbers the rest.
fn drop_unreachable(blocks: &mut Vec<Block>) {
    let mut reached = vec![false; blocks.len()];
    let mut work = vec![0usize];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut reached[b], true) {
            continue;
        }
        blocks[b].term.for_each_target(|t| work.push(t.0 as usize));
    }
    // The number of a reachable block is how many stand before it.
    let mut before = 0;
    let mut new_ids = Vec::with_capacity(blocks.len());
    for &reached in &reached {
        new_ids.push(BlockId(before));
        before += u32::from(reached);
    }
    let mut keep = reached.iter();
    blocks.retain(|_| keep.next() == Some(&true));
    for block in blocks {
        // Every target of a reachable block is reachable.
        block.term.map_targets(|t| new_ids[t.0 as usize]);
    }
}
