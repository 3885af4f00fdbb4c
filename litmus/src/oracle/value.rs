//! Values that are not known before reads have chosen their writes.

use crate::program::{BinOp, RmwOp, ScalarType, UnOp};
use std::rc::Rc;

/// A value as a function of what the thread's reads return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sym {
    /// Known.
    Const(i64),
    /// What a read returned; the number of the event within its thread.
    Read(u32),
    /// A unary operator.
    Unary(UnOp, Rc<Sym>),
    /// A binary operator; `&&` and `||` never occur, they are decisions.
    Binary(BinOp, Rc<Sym>, Rc<Sym>),
    /// A conversion.
    Wrap(ScalarType, Rc<Sym>),
    /// What a read-modify-write stores: operator, type, old value, operand.
    Rmw(RmwOp, ScalarType, Rc<Sym>, Rc<Sym>),
}

impl Sym {
    /// `op a`, folded where it can be.
    pub fn unary(op: UnOp, a: Sym) -> Sym {
        match a {
            Sym::Const(a) => Sym::Const(apply_unary(op, a)),
            a => Sym::Unary(op, Rc::new(a)),
        }
    }

    /// `a op b`, folded where it can be.
    pub fn binary(op: BinOp, a: Sym, b: Sym) -> Sym {
        match (a, b) {
            (Sym::Const(a), Sym::Const(b)) => Sym::Const(apply_binary(op, a, b)),
            (a, b) => Sym::Binary(op, Rc::new(a), Rc::new(b)),
        }
    }

    /// `a` converted to `ty`.
    pub fn wrap(ty: ScalarType, a: Sym) -> Sym {
        match a {
            Sym::Const(a) => Sym::Const(ty.wrap(a)),
            a => Sym::Wrap(ty, Rc::new(a)),
        }
    }

    /// What a read-modify-write of `old` with `operand` stores.
    pub fn rmw(op: RmwOp, ty: ScalarType, old: Sym, operand: Sym) -> Sym {
        match op {
            RmwOp::Exchange | RmwOp::TestAndSet => Sym::wrap(ty, operand),
            RmwOp::Add
            | RmwOp::Sub
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::And
            | RmwOp::Min
            | RmwOp::Max => Sym::Rmw(op, ty, Rc::new(old), Rc::new(operand)),
        }
    }

    /// The value, when every read it depends on is known.
    pub fn eval(&self, read: &impl Fn(u32) -> Option<i64>) -> Option<i64> {
        Some(match self {
            Sym::Const(c) => *c,
            Sym::Read(e) => read(*e)?,
            Sym::Unary(op, a) => apply_unary(*op, a.eval(read)?),
            Sym::Binary(op, a, b) => apply_binary(*op, a.eval(read)?, b.eval(read)?),
            Sym::Wrap(ty, a) => ty.wrap(a.eval(read)?),
            Sym::Rmw(op, ty, old, operand) => {
                apply_rmw(*op, *ty, old.eval(read)?, operand.eval(read)?)
            }
        })
    }

    /// Calls `each` for every read the value depends on.
    pub fn reads(&self, each: &mut impl FnMut(u32)) {
        match self {
            Sym::Const(_) => {}
            Sym::Read(e) => each(*e),
            Sym::Unary(_, a) | Sym::Wrap(_, a) => a.reads(each),
            Sym::Binary(_, a, b) | Sym::Rmw(_, _, a, b) => {
                a.reads(each);
                b.reads(each);
            }
        }
    }

    /// Calls `each` for every constant in the expression.
    pub fn constants(&self, each: &mut impl FnMut(i64)) {
        match self {
            Sym::Const(c) => each(*c),
            Sym::Read(_) => {}
            Sym::Unary(_, a) | Sym::Wrap(_, a) => a.constants(each),
            Sym::Binary(_, a, b) | Sym::Rmw(_, _, a, b) => {
                a.constants(each);
                b.constants(each);
            }
        }
    }
}

fn apply_unary(op: UnOp, a: i64) -> i64 {
    match op {
        UnOp::Neg => a.wrapping_neg(),
        UnOp::Not => i64::from(a == 0),
        UnOp::BitNot => !a,
    }
}

/// Integer arithmetic as C has it, in 64 bits; a division by zero, which C leaves undefined, gives
/// zero, and shifts take the count modulo 64.
fn apply_binary(op: BinOp, a: i64, b: i64) -> i64 {
    match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div => a.checked_div(b).unwrap_or(0),
        BinOp::Rem => a.checked_rem(b).unwrap_or(0),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a.wrapping_shl(b as u32),
        BinOp::Shr => a.wrapping_shr(b as u32),
        BinOp::Eq => i64::from(a == b),
        BinOp::Ne => i64::from(a != b),
        BinOp::Lt => i64::from(a < b),
        BinOp::Le => i64::from(a <= b),
        BinOp::Gt => i64::from(a > b),
        BinOp::Ge => i64::from(a >= b),
        BinOp::LogicalAnd => i64::from(a != 0 && b != 0),
        BinOp::LogicalOr => i64::from(a != 0 || b != 0),
    }
}

fn apply_rmw(op: RmwOp, ty: ScalarType, old: i64, operand: i64) -> i64 {
    let operand = ty.wrap(operand);
    let unsigned_less = (operand as u64) < (old as u64);
    let less = match ty {
        ScalarType::ULong => unsigned_less,
        ScalarType::Char
        | ScalarType::UChar
        | ScalarType::Short
        | ScalarType::UShort
        | ScalarType::Int
        | ScalarType::UInt
        | ScalarType::Long
        | ScalarType::Flag => operand < old,
    };
    ty.wrap(match op {
        RmwOp::Exchange | RmwOp::TestAndSet => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::And => old & operand,
        RmwOp::Min => {
            if less {
                operand
            } else {
                old
            }
        }
        RmwOp::Max => {
            if less {
                old
            } else {
                operand
            }
        }
    })
}
