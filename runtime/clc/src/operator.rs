//! The binary operators, as the parser reads them and as the typed tree computes them.

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
