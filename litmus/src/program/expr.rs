//! Expressions: arithmetic over registers, constants and the results of memory accesses.

use super::{Access, Address, Atomicity, CasStrength, Expected, MemOrder, MemScope, RegId, RmwOp};

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
    Rmw {
        /// What it computes.
        op: RmwOp,
        /// What it touches.
        address: Address,
        /// Its operand.
        operand: Box<Expr>,
        /// Its order, scope and form; never plain.
        atomicity: Atomicity,
    },
    /// A compare-exchange; its value is 1 on success, 0 on failure.
    Cas {
        /// Weak or strong.
        strength: CasStrength,
        /// What it touches.
        address: Address,
        /// Where the expected value is.
        expected: Expected,
        /// The value written on success.
        desired: Box<Expr>,
        /// Order on success.
        success: MemOrder,
        /// Order on failure.
        failure: MemOrder,
        /// Scope; `None` where the source leaves it out, which means device.
        scope: Option<MemScope>,
        /// Written in the short form without orders; both are then seq_cst.
        implicit: bool,
    },
}

/// A unary operator of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// A binary operator of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`, evaluates its right side only when the left is not zero
    LogicalAnd,
    /// `||`, evaluates its right side only when the left is zero
    LogicalOr,
}
