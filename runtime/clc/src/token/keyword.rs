//! Keywords (C99 6.4.1, OpenCL C 6.1.9).

/// What a keyword can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    /// A type name, and so a declaration.
    Type,
    /// A declaration, before its type.
    Declaration,
    Neither,
}

macro_rules! keywords {
    ($($begins:ident { $($name:ident $($text:literal)|+,)* })*) => {
        /// A keyword. Names of types other than C's own are ordinary identifiers that are
        /// declared from the start.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Keyword { $($($name,)*)* }

        impl Keyword {
            /// The keyword that is spelled so.
            pub(crate) fn from_text(text: &str) -> Option<Self> {
                match text { $($($($text)|+ => Some(Self::$name),)*)* _ => None }
            }

            /// Its plain spelling.
            pub(crate) const fn text(self) -> &'static str {
                match self { $($(Self::$name => [$($text),+][0],)*)* }
            }

            pub(crate) const fn begins(self) -> Begins {
                match self { $($(Self::$name => Begins::$begins,)*)* }
            }
        }
    };
}

keywords! {
    Type {
        Void "void", Bool "bool" | "_Bool", Char "char", Short "short", Int "int", Long "long",
        Float "float", Double "double", Half "half",
        Signed "signed" | "__signed__" | "__signed", Unsigned "unsigned",
        Struct "struct", Union "union", Enum "enum",
        Const "const" | "__const", Volatile "volatile" | "__volatile__",
        Restrict "restrict" | "__restrict" | "__restrict__",
        Global "global" | "__global", Local "local" | "__local",
        Constant "constant" | "__constant", Private "private" | "__private",
        Generic "generic" | "__generic",
        ReadOnly "read_only" | "__read_only", WriteOnly "write_only" | "__write_only",
        ReadWrite "read_write" | "__read_write", Pipe "pipe",
        // of other languages, rejected by name
        Typeof "typeof" | "__typeof__", Complex "_Complex" | "complex",
        Imaginary "_Imaginary" | "imaginary", Atomic "_Atomic",
    }
    Declaration {
        Typedef "typedef", Extern "extern", Static "static",
        Inline "inline" | "__inline" | "__inline__", Auto "auto", Register "register",
        Kernel "kernel" | "__kernel", Attribute "__attribute__" | "__attribute",
    }
    Neither {
        // statements
        If "if", Else "else", For "for", While "while", Do "do", Switch "switch", Case "case",
        Default "default", Goto "goto", Break "break", Continue "continue", Return "return",
        // expressions
        Sizeof "sizeof", Alignof "__alignof__" | "__alignof" | "_Alignof", VecStep "vec_step",
        // of other languages, rejected by name
        Asm "asm" | "__asm__", Generics "_Generic", StaticAssert "_Static_assert",
    }
}
