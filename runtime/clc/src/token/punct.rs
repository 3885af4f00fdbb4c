//! Punctuators of C, and which text each has.

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        /// A punctuator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Punct { $($name,)* }

        impl Punct {
            /// As it is written.
            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Every punctuator, longest first.
            const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

// Longest first, so that the first that matches is the right one.
puncts! {
    Ellipsis "...", ShlAssign "<<=", ShrAssign ">>=",
    HashHash "##", Arrow "->", PlusPlus "++", MinusMinus "--", Shl "<<", Shr ">>",
    Le "<=", Ge ">=", EqEq "==", Ne "!=", AndAnd "&&", OrOr "||",
    MulAssign "*=", DivAssign "/=", RemAssign "%=", AddAssign "+=", SubAssign "-=",
    AndAssign "&=", XorAssign "^=", OrAssign "|=", ColonColon "::",
    LBracket "[", RBracket "]", LParen "(", RParen ")", LBrace "{", RBrace "}",
    Dot ".", Amp "&", Star "*", Plus "+", Minus "-", Tilde "~", Bang "!",
    Slash "/", Percent "%", Lt "<", Gt ">", Caret "^", Pipe "|", Question "?",
    Colon ":", Semi ";", Assign "=", Comma ",", Hash "#", At "@",
}

impl Punct {
    /// The longest punctuator at the start of `text`. Digraphs are read as what they stand for.
    pub(crate) fn lex(text: &[u8]) -> Option<(Self, usize)> {
        const DIGRAPHS: [(&[u8], Punct); 6] = [
            (b"%:%:", Punct::HashHash),
            (b"<:", Punct::LBracket),
            (b":>", Punct::RBracket),
            (b"<%", Punct::LBrace),
            (b"%>", Punct::RBrace),
            (b"%:", Punct::Hash),
        ];
        for (digraph, punct) in DIGRAPHS {
            if text.starts_with(digraph) {
                return Some((punct, digraph.len()));
            }
        }
        Self::ALL
            .iter()
            .find(|p| text.starts_with(p.text().as_bytes()))
            .map(|&p| (p, p.text().len()))
    }
}
