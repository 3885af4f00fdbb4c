//! The places of a program that can be mutated, in the order of the text.

use crate::program::{Address, Atomicity, Expr, Instr, MemOrder, MemScope, Program};

/// Something that can be mutated.
pub(super) enum Site<'p> {
    Load(&'p Address, &'p mut Atomicity),
    Store(&'p Address, &'p mut Atomicity),
    Rmw(&'p Address, &'p mut Atomicity),
    Cas(Cas<'p>),
    Fence(&'p mut Instr),
    Barrier(&'p mut Instr),
}

/// A compare-exchange.
pub(super) struct Cas<'p> {
    pub address: &'p Address,
    pub success: &'p mut MemOrder,
    pub failure: &'p mut MemOrder,
    pub scope: &'p mut Option<MemScope>,
    pub implicit: &'p mut bool,
}

/// Calls `each` for every place of a program, in the order of execution, with its thread.
pub(super) fn each_site(program: &mut Program, each: &mut dyn FnMut(usize, Site<'_>)) {
    for (t, thread) in program.threads.iter_mut().enumerate() {
        in_body(&mut thread.body, &mut |site| each(t, site));
    }
}

fn in_body(body: &mut [Instr], each: &mut dyn FnMut(Site<'_>)) {
    for instr in body {
        instr.expressions_mut().for_each(|expr| in_expr(expr, each));
        match instr {
            Instr::Store { access, .. } => {
                each(Site::Store(&access.address, &mut access.atomicity));
            }
            Instr::Fence { .. } => each(Site::Fence(instr)),
            Instr::Barrier(_) => each(Site::Barrier(instr)),
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::If { .. }
            | Instr::While { .. }
            | Instr::Return
            | Instr::Host(_) => {}
        }
        instr.blocks_mut().for_each(|block| in_body(block, each));
    }
}

fn in_expr(expr: &mut Expr, each: &mut dyn FnMut(Site<'_>)) {
    expr.parts_mut().for_each(|part| in_expr(part, each));
    match expr {
        Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {}
        Expr::Load(access) => each(Site::Load(&access.address, &mut access.atomicity)),
        Expr::Rmw {
            address, atomicity, ..
        } => each(Site::Rmw(address, atomicity)),
        Expr::Cas {
            address,
            success,
            failure,
            scope,
            implicit,
            ..
        } => each(Site::Cas(Cas {
            address,
            success,
            failure,
            scope,
            implicit,
        })),
    }
}
