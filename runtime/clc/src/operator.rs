//! The binary operators, as the parser reads them and as the typed tree computes them.

use crate::token::Punct;

macro_rules! operators {
    ($(#[$meta:meta])* $name:ident { $($op:ident $text:literal)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($op,)* }

        impl $name {
            /// As it is written.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$op => $text,)* }
            }
        }
    };
}

operators! {
    /// Arithmetic; each can be part of an assignment.
    ArithOp { Add "+" Sub "-" Mul "*" Div "/" Rem "%" Shl "<<" Shr ">>" And "&" Or "|" Xor "^" }
}

operators! {
    /// Operators before their operand.
    UnaryOp { Plus "+" Neg "-" Complement "~" Not "!" Deref "*" AddressOf "&" }
}

operators! {
    /// Comparisons.
    CompareOp { Lt "<" Gt ">" Le "<=" Ge ">=" Eq "==" Ne "!=" }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Arith(ArithOp),
    Compare(CompareOp),
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    /// The operator that a punctuator is between two operands, and how tightly it binds.
    pub(crate) fn of(punct: Punct) -> Option<(Self, u8)> {
        Some(match punct {
            Punct::OrOr => (Self::Or, 1),
            Punct::AndAnd => (Self::And, 2),
            Punct::Pipe => (Self::Arith(ArithOp::Or), 3),
            Punct::Caret => (Self::Arith(ArithOp::Xor), 4),
            Punct::Amp => (Self::Arith(ArithOp::And), 5),
            Punct::EqEq => (Self::Compare(CompareOp::Eq), 6),
            Punct::Ne => (Self::Compare(CompareOp::Ne), 6),
            Punct::Lt => (Self::Compare(CompareOp::Lt), 7),
            Punct::Gt => (Self::Compare(CompareOp::Gt), 7),
            Punct::Le => (Self::Compare(CompareOp::Le), 7),
            Punct::Ge => (Self::Compare(CompareOp::Ge), 7),
            Punct::Shl => (Self::Arith(ArithOp::Shl), 8),
            Punct::Shr => (Self::Arith(ArithOp::Shr), 8),
            Punct::Plus => (Self::Arith(ArithOp::Add), 9),
            Punct::Minus => (Self::Arith(ArithOp::Sub), 9),
            Punct::Star => (Self::Arith(ArithOp::Mul), 10),
            Punct::Slash => (Self::Arith(ArithOp::Div), 10),
            Punct::Percent => (Self::Arith(ArithOp::Rem), 10),
            _ => return None,
        })
    }
}
