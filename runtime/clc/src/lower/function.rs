//! A function: its variables, blocks and statements.

use super::Context;
use crate::hir::{Body, Expr, Function, Init, LabelId, Stmt, StmtKind, VarId};
use crate::source::Loc;
use crate::types::Qual;
use std::collections::HashMap;
use touchstone_faults::{Fault, on};
use touchstone_ir as ir;
use touchstone_ir::{BlockId, FunctionBuilder, Op, Operand, Reg, Terminator};

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Reg(Reg),
    Memory(Room),
}

/// Memory of a variable: so many bytes at an address, so aligned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) address: Operand,
    pub(super) align: u32,
    pub(super) size: u32,
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
            let aggregate = self.cx.is_aggregate(var.qual);
            let align = u32::try_from(var.align.max(1)).unwrap_or(1);
            let param = (i < function.params.len()).then(|| self.b.param(i + hidden));
            let home = match param {
                Some(param) if !aggregate && !var.in_memory => {
                    let name = Some(var.name.clone());
                    self.b.function_mut().regs[param.0 as usize].variable = name;
                    Home::Reg(param)
                }
                None if !aggregate && !var.in_memory && !self.cx.is_void(var.qual) => {
                    let ty = self.cx.ty(var.qual);
                    Home::Reg(self.b.variable(var.name.clone(), ty))
                }
                _ => Home::Memory(Room {
                    address: match param {
                        Some(param) if aggregate => param.into(),
                        Some(_) | None => self.slot(&var.name, var.qual, align),
                    },
                    align,
                    size: self.slot_size(var.qual),
                }),
            };
            if let (Some(param), Home::Memory(room)) = (param, home)
                && !aggregate
            {
                self.b.push(Op::Store {
                    ptr: room.address,
                    value: param.into(),
                    align,
                    volatile: var.qual.volatile,
                });
            }
            self.homes.push(home);
        }
    }

    fn slot_size(&self, qual: Qual) -> u32 {
        u32::try_from(self.cx.size(qual)).unwrap_or(u32::MAX)
    }

    /// A new slot, and its address.
    pub(super) fn slot(&mut self, name: &str, qual: Qual, align: u32) -> Operand {
        let slot = self.b.slot(name, self.slot_size(qual), align.max(1));
        self.b.slot_addr(slot).into()
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
        *self.labels.entry(id).or_insert_with(|| self.b.block())
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
                let (yes, end) = (self.b.block(), self.b.block());
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
                let (head, inside) = (self.b.block(), self.b.block());
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
                let (inside, next, end) = (self.b.block(), self.b.block(), self.b.block());
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
                let targets = cases
                    .iter()
                    .map(|&(bits, label)| (bits, self.label(label)))
                    .collect();
                let is_last = |label: u32| cases.iter().all(|&(_, case)| case.0 < label);
                let default = match default {
                    Some(label) if on(Fault::DefaultTakenLast) && !is_last(label.0) => end,
                    Some(label) => self.label(*label),
                    None => end,
                };
                self.b.terminate(Terminator::Switch {
                    value,
                    cases: targets,
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
        let home = self.homes[id.0 as usize];
        // A scalar or vector in braces has one part.
        let value = match init {
            Init::None => return,
            Init::Value(value) => Some(value.as_ref()),
            Init::Parts(parts) => parts.first().map(|(_, value)| value),
        };
        match (home, value) {
            (Home::Reg(reg), Some(value)) => {
                let value = self.value(value);
                self.b.assign(reg, value);
            }
            (Home::Reg(_), None) => {}
            (Home::Memory(room), _) => self.init_memory(room, init),
        }
    }
}
