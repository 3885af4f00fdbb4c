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

/// Every binary operator in the order of [`BinOp`], as C writes it, and how tightly it binds.
const BINARY: [(BinOp, &str, u8); 18] = [
    (BinOp::Add, "+", 9),
    (BinOp::Sub, "-", 9),
    (BinOp::Mul, "*", 10),
    (BinOp::Div, "/", 10),
    (BinOp::Rem, "%", 10),
    (BinOp::And, "&", 5),
    (BinOp::Or, "|", 3),
    (BinOp::Xor, "^", 4),
    (BinOp::Shl, "<<", 8),
    (BinOp::Shr, ">>", 8),
    (BinOp::Eq, "==", 6),
    (BinOp::Ne, "!=", 6),
    (BinOp::Lt, "<", 7),
    (BinOp::Le, "<=", 7),
    (BinOp::Gt, ">", 7),
    (BinOp::Ge, ">=", 7),
    (BinOp::LogicalAnd, "&&", 2),
    (BinOp::LogicalOr, "||", 1),
];

impl UnOp {
    /// As C writes it.
    pub fn sign(self) -> &'static str {
        match self {
            UnOp::Neg => "-",
            UnOp::Not => "!",
            UnOp::BitNot => "~",
        }
    }

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
    /// The operator that C writes so.
    pub fn of_sign(sign: &str) -> Option<BinOp> {
        let row = BINARY.iter().find(|(_, known, _)| *known == sign)?;
        Some(row.0)
    }

    /// As C writes it.
    pub fn sign(self) -> &'static str {
        BINARY[self as usize].1
    }

    /// How tightly it binds, from 1 for the operator that binds least.
    pub fn level(self) -> u8 {
        BINARY[self as usize].2
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_operators_is_in_their_order() {
        for (place, (op, sign, _)) in BINARY.into_iter().enumerate() {
            assert_eq!(op as usize, place, "{sign}");
            assert_eq!(BinOp::of_sign(sign), Some(op));
        }
    }
}
