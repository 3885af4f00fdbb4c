//! Expressions: arithmetic over registers, constants and the results of memory accesses.

use super::{Access, Address, Atomic, CasStrength, Expected, MemOrder, RegId, RmwOp};

/// An expression. The forms that touch memory are events of the memory model; operands are
/// evaluated from left to right, `&&`, `||` and `?:` only as far as C does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Const(i64),
    /// A register's value.
    Reg(RegId),
    /// A unary operator.
    Unary(UnOp, Box<Expr>),
    /// A binary operator.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A read.
    Load(Access),
    /// A read-modify-write; its value is the old value.
    Rmw(Rmw),
    /// A compare-exchange; its value is 1 on success, 0 on failure.
    Cas(Cas),
}

/// A read-modify-write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rmw {
    /// What it computes.
    pub op: RmwOp,
    /// What it touches.
    pub address: Address,
    /// Its operand.
    pub operand: Box<Expr>,
    /// Its order, scope and form.
    pub atomic: Atomic,
}

/// A compare-exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cas {
    /// Weak or strong.
    pub strength: CasStrength,
    /// What it touches.
    pub address: Address,
    /// Where the expected value is.
    pub expected: Expected,
    /// The value written on success.
    pub desired: Box<Expr>,
    /// Its order on success, its scope and its form; in the short form both orders are seq_cst.
    pub atomic: Atomic,
    /// Its order on failure.
    pub failure: MemOrder,
}

impl Expr {
    /// A binary operator of two expressions.
    pub fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }
}

classay_vocabulary::words! {
    /// A unary operator of C.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum UnOp {
        /// Minus.
        Neg = "-",
        /// 1 for zero, 0 for anything else.
        Not = "!",
        /// Every bit the other way.
        BitNot = "~",
    }
}

classay_vocabulary::words! {
    /// A binary operator of C.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[allow(missing_docs)]
    pub enum BinOp {
        Add = "+",
        Sub = "-",
        Mul = "*",
        Div = "/",
        Rem = "%",
        And = "&",
        Or = "|",
        Xor = "^",
        Shl = "<<",
        Shr = ">>",
        Eq = "==",
        Ne = "!=",
        Lt = "<",
        Le = "<=",
        Gt = ">",
        Ge = ">=",
        /// Evaluates its right side only when the left is not zero.
        LogicalAnd = "&&",
        /// Evaluates its right side only when the left is zero.
        LogicalOr = "||",
    }
}

impl UnOp {
    /// `op a` in 64 bits.
    pub fn apply(self, a: i64) -> i64 {
        match self {
            UnOp::Neg => a.wrapping_neg(),
            UnOp::Not => i64::from(a == 0),
            UnOp::BitNot => !a,
        }
    }
}

impl BinOp {
    /// How tightly it binds, from 1 for the operator that binds least.
    pub fn level(self) -> u8 {
        match self {
            BinOp::LogicalOr => 1,
            BinOp::LogicalAnd => 2,
            BinOp::Or => 3,
            BinOp::Xor => 4,
            BinOp::And => 5,
            BinOp::Eq | BinOp::Ne => 6,
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 7,
            BinOp::Shl | BinOp::Shr => 8,
            BinOp::Add | BinOp::Sub => 9,
            BinOp::Mul | BinOp::Div | BinOp::Rem => 10,
        }
    }

    /// `a op b`, integer arithmetic as C has it, in 64 bits; a division by zero, which C leaves
    /// undefined, gives zero, and shifts take the count modulo 64.
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
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
}
