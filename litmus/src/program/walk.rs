//! Which locations a thread touches.

use super::{Access, Address, Expected, Expr, Instr, LocId, Thread};

impl Thread {
    /// Calls `each` for the location of every access in the body, duplicates included.
    pub fn each_location(&self, each: &mut dyn FnMut(LocId)) {
        instrs(&self.body, each);
    }
}

fn instrs(body: &[Instr], each: &mut dyn FnMut(LocId)) {
    for instr in body {
        match instr {
            Instr::Assign { value, .. } | Instr::Effect(value) => expr(value, each),
            Instr::Store { access, value } => {
                self::access(access, each);
                expr(value, each);
            }
            Instr::If {
                condition,
                then,
                otherwise,
            } => {
                expr(condition, each);
                instrs(then, each);
                instrs(otherwise, each);
            }
            Instr::While { condition, body } => {
                expr(condition, each);
                instrs(body, each);
            }
            Instr::Fence { .. } | Instr::Barrier(_) | Instr::Return | Instr::Host(_) => {}
        }
    }
}

fn access(access: &Access, each: &mut dyn FnMut(LocId)) {
    address(&access.address, each);
}

fn address(address: &Address, each: &mut dyn FnMut(LocId)) {
    each(address.location);
    if let Some(index) = &address.index {
        expr(index, each);
    }
}

fn expr(value: &Expr, each: &mut dyn FnMut(LocId)) {
    match value {
        Expr::Const(_) | Expr::Reg(_) => {}
        Expr::Unary(_, operand) => expr(operand, each),
        Expr::Binary(_, left, right) => {
            expr(left, each);
            expr(right, each);
        }
        Expr::Select(condition, yes, no) => {
            expr(condition, each);
            expr(yes, each);
            expr(no, each);
        }
        Expr::Load(from) => access(from, each),
        Expr::Rmw {
            address: at,
            operand,
            ..
        } => {
            address(at, each);
            expr(operand, each);
        }
        Expr::Cas {
            address: at,
            expected,
            desired,
            ..
        } => {
            address(at, each);
            match expected {
                Expected::Location(at) => address(at, each),
                Expected::Register(_) => {}
            }
            expr(desired, each);
        }
    }
}
