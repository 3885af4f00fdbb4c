//! The places of a program that can be mutated, in the order of the text.

use crate::program::{
    Address, Atomicity, Expected, Expr, Instr, MemOrder, MemScope, Program, Thread,
};

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
        let Thread { body, .. } = thread;
        in_body(body, &mut |site| each(t, site));
    }
}

fn in_body(body: &mut [Instr], each: &mut dyn FnMut(Site<'_>)) {
    for instr in body {
        match instr {
            Instr::Assign { value, .. } | Instr::Effect(value) => in_expr(value, each),
            Instr::Store { access, value } => {
                in_address(&mut access.address, each);
                in_expr(value, each);
                each(Site::Store(&access.address, &mut access.atomicity));
            }
            Instr::Fence { .. } => each(Site::Fence(instr)),
            Instr::Barrier(_) => each(Site::Barrier(instr)),
            Instr::If {
                condition,
                then,
                otherwise,
            } => {
                in_expr(condition, each);
                in_body(then, each);
                in_body(otherwise, each);
            }
            Instr::While { condition, body } => {
                in_expr(condition, each);
                in_body(body, each);
            }
            Instr::Return | Instr::Host(_) => {}
        }
    }
}

fn in_address(address: &mut Address, each: &mut dyn FnMut(Site<'_>)) {
    if let Some(index) = &mut address.index {
        in_expr(index, each);
    }
}

fn in_expr(expr: &mut Expr, each: &mut dyn FnMut(Site<'_>)) {
    match expr {
        Expr::Const(_) | Expr::Reg(_) => {}
        Expr::Unary(_, a) => in_expr(a, each),
        Expr::Binary(_, a, b) => {
            in_expr(a, each);
            in_expr(b, each);
        }
        Expr::Select(a, b, c) => {
            in_expr(a, each);
            in_expr(b, each);
            in_expr(c, each);
        }
        Expr::Load(access) => {
            in_address(&mut access.address, each);
            each(Site::Load(&access.address, &mut access.atomicity));
        }
        Expr::Rmw {
            address,
            operand,
            atomicity,
            op: _,
        } => {
            in_address(address, each);
            in_expr(operand, each);
            each(Site::Rmw(address, atomicity));
        }
        Expr::Cas {
            address,
            expected,
            desired,
            success,
            failure,
            scope,
            implicit,
            strength: _,
        } => {
            in_address(address, each);
            if let Expected::Location(at) = expected {
                in_address(at, each);
            }
            in_expr(desired, each);
            each(Site::Cas(Cas {
                address,
                success,
                failure,
                scope,
                implicit,
            }));
        }
    }
}
