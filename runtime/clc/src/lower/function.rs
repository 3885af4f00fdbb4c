//! A function: its variables, blocks and statements.

use super::Context;
use crate::hir::{Body, Expr, Function, Init, LabelId, Stmt, StmtKind, VarId};
use crate::source::Loc;
use crate::types::Qual;
use std::collections::HashMap;
use touchstone_ir as ir;
use touchstone_ir::{BlockId, FunctionBuilder, Op, Operand, Reg, Terminator};

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Reg(Reg),
    /// At the address in this operand, so aligned.
    Memory(Operand, u32),
}

/// The state of lowering one function.
pub(super) struct Lower<'u> {
    pub(super) cx: &'u Context<'u>,
    pub(super) b: FunctionBuilder,
    pub(super) homes: Vec<Home>,
    /// Where a struct result goes.
    result: Option<Operand>,
    ret: Qual,
    labels: HashMap<LabelId, BlockId>,
    breaks: Vec<BlockId>,
    continues: Vec<BlockId>,
    /// Bytes behind the registers that hold slots' addresses.
    pub(super) slot_sizes: HashMap<Reg, u32>,
}

/// Lowers a function with a body.
pub(super) fn lower(
    cx: &Context<'_>,
    function: &Function,
    body: &Body,
    declared: ir::Function,
) -> ir::Function {
    let mut lower = Lower {
        cx,
        b: FunctionBuilder::define(declared),
        homes: Vec::new(),
        result: None,
        ret: function.ret,
        labels: HashMap::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        slot_sizes: HashMap::new(),
    };
    lower.b.set_loc(cx.loc(function.loc));
    lower.variables(function, body);
    // The entry is never a target, so that variables are set up once.
    let start = lower.b.block();
    lower.b.jump(start);
    lower.b.switch_to(start);
    lower.stmts(&body.stmts);
    if !lower.b.is_closed() {
        lower.b.set_loc(cx.loc(body.end));
        // What a function returns that ends without `return` is indeterminate.
        let ret = lower.b.function_mut().ret;
        let value = ret.map(|ty| lower.zero(ty));
        lower.b.ret(value);
    }
    lower.b.finish()
}

impl Lower<'_> {
    fn variables(&mut self, function: &Function, body: &Body) {
        let hidden = usize::from(self.cx.is_aggregate(function.ret));
        if hidden == 1 {
            self.result = Some(self.b.param(0).into());
        }
        for (i, var) in body.vars.iter().enumerate() {
            let is_param = i < function.params.len();
            let aggregate = self.cx.is_aggregate(var.qual);
            let align = u32::try_from(var.align.max(1)).unwrap_or(1);
            if is_param {
                let param = self.b.param(i + hidden);
                if aggregate {
                    self.homes.push(Home::Memory(param.into(), align));
                    continue;
                }
                if !var.in_memory {
                    let name = Some(var.name.clone());
                    self.b.function_mut().regs[param.0 as usize].variable = name;
                    self.homes.push(Home::Reg(param));
                    continue;
                }
                let address = self.slot(&var.name, var.qual, align);
                let volatile = var.qual.volatile;
                self.b.push(Op::Store {
                    ptr: address,
                    value: param.into(),
                    align,
                    volatile,
                });
                self.homes.push(Home::Memory(address, align));
            } else if var.in_memory || aggregate {
                let address = self.slot(&var.name, var.qual, align);
                self.homes.push(Home::Memory(address, align));
            } else if self.cx.is_void(var.qual) {
                // A variable that could not be declared; nothing reads it.
                self.homes.push(Home::Memory(
                    ir::Const::Null(ir::AddressSpace::Private).into(),
                    1,
                ));
            } else {
                let ty = self.cx.ty(var.qual);
                let reg = self.b.variable(var.name.clone(), ty);
                self.homes.push(Home::Reg(reg));
            }
        }
    }

    /// A new slot, and its address.
    pub(super) fn slot(&mut self, name: &str, qual: Qual, align: u32) -> Operand {
        let size = u32::try_from(self.cx.size(qual)).unwrap_or(u32::MAX);
        let slot = self.b.slot(name, size, align.max(1));
        let address = self.b.slot_addr(slot);
        self.slot_sizes.insert(address, size);
        address.into()
    }

    pub(super) fn at(&mut self, loc: Loc) {
        self.b.set_loc(self.cx.loc(loc));
    }

    /// The zero of a type.
    pub(super) fn zero(&mut self, ty: ir::Type) -> Operand {
        match ty {
            ir::Type::Scalar(scalar) => ir::Const::scalar(scalar, 0).into(),
            ir::Type::Pointer(space) => ir::Const::Null(space).into(),
            ir::Type::Vector(scalar, lanes) => {
                self.b.splat(ir::Const::scalar(scalar, 0), lanes).into()
            }
        }
    }

    fn label(&mut self, id: LabelId) -> BlockId {
        if let Some(&block) = self.labels.get(&id) {
            return block;
        }
        let block = self.b.block();
        self.labels.insert(id, block);
        block
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.at(stmt.loc);
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Init(id, init) => self.init_var(*id, init),
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If { cond, then, other } => {
                let yes = self.b.block();
                let end = self.b.block();
                let no = if other.is_some() { self.b.block() } else { end };
                self.branch(cond, yes, no);
                self.b.switch_to(yes);
                self.stmt(then);
                self.b.jump(end);
                if let Some(other) = other {
                    self.b.switch_to(no);
                    self.stmt(other);
                    self.b.jump(end);
                }
                self.b.switch_to(end);
            }
            StmtKind::Loop { cond, step, body } => {
                let head = self.b.block();
                let inside = self.b.block();
                let next = if step.is_some() { self.b.block() } else { head };
                let end = self.b.block();
                self.b.jump(head);
                self.b.switch_to(head);
                match cond {
                    Some(cond) => self.branch(cond, inside, end),
                    None => self.b.jump(inside),
                }
                self.b.switch_to(inside);
                self.loop_body(body, next, end);
                if let Some(step) = step {
                    self.b.switch_to(next);
                    self.at(step.loc);
                    self.effect(step);
                    self.b.jump(head);
                }
                self.b.switch_to(end);
            }
            StmtKind::DoWhile { body, cond } => {
                let inside = self.b.block();
                let next = self.b.block();
                let end = self.b.block();
                self.b.jump(inside);
                self.b.switch_to(inside);
                self.loop_body(body, next, end);
                self.b.switch_to(next);
                self.branch(cond, inside, end);
                self.b.switch_to(end);
            }
            StmtKind::Switch {
                value,
                cases,
                default,
                body,
            } => {
                let end = self.b.block();
                let value = self.value(value);
                let cases = cases
                    .iter()
                    .map(|&(bits, label)| (bits, self.label(label)))
                    .collect();
                let default = match default {
                    Some(label) => self.label(*label),
                    None => end,
                };
                self.b.terminate(Terminator::Switch {
                    value,
                    cases,
                    default,
                });
                self.breaks.push(end);
                self.stmt(body);
                self.breaks.pop();
                self.b.jump(end);
                self.b.switch_to(end);
            }
            StmtKind::Label(id) => {
                let block = self.label(*id);
                self.b.jump(block);
                self.b.switch_to(block);
            }
            StmtKind::Goto(id) => {
                let block = self.label(*id);
                self.b.jump(block);
            }
            StmtKind::Break => {
                if let Some(&block) = self.breaks.last() {
                    self.b.jump(block);
                }
            }
            StmtKind::Continue => {
                if let Some(&block) = self.continues.last() {
                    self.b.jump(block);
                }
            }
            StmtKind::Return(value) => self.ret(value.as_ref()),
        }
    }

    fn loop_body(&mut self, body: &Stmt, next: BlockId, end: BlockId) {
        self.breaks.push(end);
        self.continues.push(next);
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
        self.b.jump(next);
    }

    fn ret(&mut self, value: Option<&Expr>) {
        let value = value.map(|value| self.value(value));
        match (value, self.result) {
            (Some(value), Some(room)) => {
                self.copy(room, value, self.ret, self.cx.align(self.ret));
                self.b.ret(None);
            }
            (value, _) => self.b.ret(value),
        }
    }

    /// Copies an aggregate.
    pub(super) fn copy(&mut self, dst: Operand, src: Operand, qual: Qual, align: u32) {
        let size = ir::Const::scalar(ir::Scalar::I64, self.cx.size(qual));
        self.b.push(Op::MemCopy {
            dst,
            src,
            size: size.into(),
            align: align.max(1),
        });
    }

    fn init_var(&mut self, id: VarId, init: &Init) {
        let Some(&home) = self.homes.get(id.0 as usize) else {
            return;
        };
        match (home, init) {
            (_, Init::None) => {}
            (Home::Reg(reg), Init::Value(value)) => {
                let value = self.value(value);
                self.b.assign(reg, value);
            }
            (Home::Reg(reg), Init::Parts(parts)) => {
                // A scalar or vector in braces has one part.
                if let Some((_, value)) = parts.first() {
                    let value = self.value(value);
                    self.b.assign(reg, value);
                }
            }
            (Home::Memory(address, align), init) => self.init_memory(address, align, id, init),
        }
    }

    /// Initialises the object at an address.
    pub(super) fn init_object(&mut self, id: VarId, init: &Init) -> Option<(Operand, u32)> {
        match self.homes.get(id.0 as usize) {
            Some(&Home::Memory(address, align)) => {
                self.init_memory(address, align, id, init);
                Some((address, align))
            }
            Some(Home::Reg(_)) | None => None,
        }
    }
}
