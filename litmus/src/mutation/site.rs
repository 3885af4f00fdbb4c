//! The places of a program that can be mutated, in the order of the text.

use crate::program::{
    Access, Address, Atomic, Atomicity, Barrier, Cas, Expr, Fence, Instr, Program,
};

/// Something that can be mutated.
pub(super) enum Site<'p> {
    /// An atomic access with what it states.
    Access(AccessKind, &'p Address, &'p mut Atomic),
    /// An access that is not atomic, with how it reaches memory.
    Ordinary(AccessKind, &'p Address, &'p mut Atomicity),
    Cas(&'p mut Cas),
    /// A fence, and whether it is removed.
    Fence(&'p mut Fence, &'p mut bool),
    /// A barrier, and whether it is removed.
    Barrier(&'p mut Barrier, &'p mut bool),
}

impl Site<'_> {
    fn of(kind: AccessKind, access: &mut Access) -> Site<'_> {
        let Access { address, atomicity } = access;
        match atomicity {
            Atomicity::Atomic(atomic) => Site::Access(kind, address, atomic),
            ordinary => Site::Ordinary(kind, address, ordinary),
        }
    }
}

/// Which orders a place can have.
#[derive(Clone, Copy, PartialEq, Eq)]
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
            Instr::Store { access, .. } => each(Site::of(AccessKind::Write, access)),
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
        Expr::Load(access) => each(Site::of(AccessKind::Read, access)),
        Expr::Rmw(rmw) => {
            let kind = AccessKind::Both;
            each(Site::Access(kind, &rmw.address, &mut rmw.atomic));
        }
        Expr::Cas(cas) => each(Site::Cas(cas)),
    }
}
