//! The places of a program that can be mutated, in the order of the text.

use crate::program::{Address, Atomic, Barrier, Cas, Expr, Fence, Instr, Program};

/// Something that can be mutated.
pub(super) enum Site<'p> {
    /// An access with what it states, where it is atomic.
    Access(AccessKind, &'p Address, Option<&'p mut Atomic>),
    Cas(&'p mut Cas),
    /// A fence, and whether it is removed.
    Fence(&'p mut Fence, &'p mut bool),
    /// A barrier, and whether it is removed.
    Barrier(&'p mut Barrier, &'p mut bool),
}

/// Which orders a place can have.
#[derive(Clone, Copy)]
pub(super) enum AccessKind {
    Read,
    Write,
    Both,
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
        let mut removed = false;
        match instr {
            Instr::Store { access, .. } => {
                let atomic = access.atomicity.atomic_mut();
                each(Site::Access(AccessKind::Write, &access.address, atomic));
            }
            Instr::Fence(fence) => each(Site::Fence(fence, &mut removed)),
            Instr::Barrier(barrier) => each(Site::Barrier(barrier, &mut removed)),
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::If(_)
            | Instr::While { .. }
            | Instr::Domain(_)
            | Instr::Return
            | Instr::Host(_) => {}
        }
        if removed {
            *instr = Instr::Effect(Expr::Const(0));
        }
        instr.blocks_mut().for_each(|block| in_body(block, each));
    }
}

fn in_expr(expr: &mut Expr, each: &mut dyn FnMut(Site<'_>)) {
    expr.parts_mut().for_each(|part| in_expr(part, each));
    match expr {
        Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {}
        Expr::Load(access) => {
            let atomic = access.atomicity.atomic_mut();
            each(Site::Access(AccessKind::Read, &access.address, atomic));
        }
        Expr::Rmw(rmw) => {
            let atomic = Some(&mut rmw.atomic);
            each(Site::Access(AccessKind::Both, &rmw.address, atomic));
        }
        Expr::Cas(cas) => each(Site::Cas(cas)),
    }
}
