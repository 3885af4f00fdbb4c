//! The binary operators, as the parser reads them and as the typed tree computes them.

use crate::token::Punct;
use touchstone_faults::{Fault, on};

macro_rules! operators {
    ($(#[$meta:meta])* $name:ident { $($op:ident $text:literal $level:literal)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($op,)* }

        impl $name {
            /// As it is written.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$op => $text,)* }
            }

            /// The operator that is written so, and how tightly it binds.
            pub(crate) fn of(text: &str) -> Option<(Self, u8)> {
                match text { $($text => Some((Self::$op, $level)),)* _ => None }
            }
        }
    };
}

operators! {
    /// Arithmetic; each can be part of an assignment.
    ArithOp {
        Or "|" 3 Xor "^" 4 And "&" 5 Shl "<<" 8 Shr ">>" 8 Add "+" 9 Sub "-" 9 Mul "*" 10
        Div "/" 10 Rem "%" 10
    }
}

operators! {
    /// Comparisons.
    CompareOp { Eq "==" 6 Ne "!=" 6 Lt "<" 7 Gt ">" 7 Le "<=" 7 Ge ">=" 7 }
}

operators! {
    /// Operators before their operand.
    UnaryOp { Plus "+" 11 Neg "-" 11 Complement "~" 11 Not "!" 11 Deref "*" 11 AddressOf "&" 11 }
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
        let text = punct.text();
        let compare = || CompareOp::of(text).map(|(op, level)| (Self::Compare(op), level));
        let arith = || ArithOp::of(text).map(|(op, level)| (Self::Arith(op), level));
        match punct {
            Punct::OrOr => Some((Self::Or, 1)),
            Punct::AndAnd => Some((Self::And, 2)),
            _ if text == "&" && on(Fault::AndBindsTighter) => Some((Self::Arith(ArithOp::And), 7)),
            _ => compare().or_else(arith),
        }
    }
}
