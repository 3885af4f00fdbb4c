//! A cat file as it is written.

use super::error::Span;
use std::sync::Arc;

/// An expression with its place.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

classay_vocabulary::words! {
    /// A binary operator, weakest binding first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Infix {
        /// Of two sets, relations or sets of tags.
        Union = "|",
        /// Adds an element to a set of tags.
        Add = "++",
        /// One relation after the other.
        Seq = ";",
        /// Without what the other has.
        Diff = "\\",
        /// What both have.
        Inter = "&",
        /// The pairs of two sets.
        Product = "*",
    }
}

/// A postfix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Postfix {
    /// `+`
    Plus,
    /// `*`
    Star,
    /// `?`
    Opt,
    /// `^-1`
    Inverse,
}

/// The forms of an expression.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A name.
    Name(Arc<str>),
    /// `'tag`
    Tag(Arc<str>),
    /// `0`
    Zero,
    /// `_`
    Universe,
    /// `{a, b}`; `{}` is empty
    Braces(Vec<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `[s]`
    Identity(Box<Expr>),
    /// `~e`, `!e`
    Complement(Box<Expr>),
    /// `a op b`
    Infix(Infix, Box<Expr>, Box<Expr>),
    /// `a op`
    Postfix(Postfix, Box<Expr>),
    /// `f(a, b)`
    Apply(Box<Expr>, Box<Expr>),
    /// `fun p -> e`
    Fun(Pattern, Arc<Expr>),
    /// `let … in e`
    Let {
        /// `rec`
        recursive: bool,
        /// The definitions.
        bindings: Vec<Binding>,
        /// What they are for.
        body: Box<Expr>,
    },
    /// `if c then a else b`
    If(Condition, Box<Expr>, Box<Expr>),
    /// `match e with || 'tag -> a || _ -> b end`
    Match(Box<Expr>, Vec<(Case, Expr)>),
    /// `try a with b`
    Try(Box<Expr>, Box<Expr>),
}

/// What a case of a `match` accepts.
#[derive(Debug, Clone)]
pub enum Case {
    /// A tag.
    Tag(Arc<str>),
    /// The empty set.
    Empty,
    /// `x ++ rest`: a set that is not empty, as one element and the others.
    Parts(Arc<str>, Arc<str>),
    /// Everything else.
    Default,
}

/// The condition of an `if`.
#[derive(Debug, Clone)]
pub enum Condition {
    /// `"name"` or `variant "name"`: is the variant switched on?
    Variant(Arc<str>),
    /// `a = b`
    Equal(Box<Expr>, Box<Expr>),
    /// `not c`, `~c`, `!c`
    Not(Box<Condition>),
    /// `a && b`
    And(Box<Condition>, Box<Condition>),
    /// `a || b`
    Or(Box<Condition>, Box<Condition>),
}

/// What a function's parameter, or the left side of a definition, binds.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// One name.
    Name(Arc<str>),
    /// `(a, b)`; `()` binds nothing.
    Tuple(Vec<Arc<str>>),
}

/// One definition.
#[derive(Debug, Clone)]
pub struct Binding {
    /// What it defines.
    pub pattern: Pattern,
    /// Where that stands.
    pub span: Span,
    /// Its value.
    pub value: Expr,
}

/// Which property a check asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    /// `acyclic`
    Acyclic,
    /// `irreflexive`
    Irreflexive,
    /// `empty`
    Empty,
}

/// What follows from a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// An execution that fails it is inconsistent.
    Require,
    /// An execution that passes it is flagged.
    Flag,
    /// An execution that fails it has undefined behaviour.
    UndefinedUnless,
}

/// An instruction with its place.
#[derive(Debug, Clone)]
pub struct Instr {
    /// What it is.
    pub kind: InstrKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an instruction.
#[derive(Debug, Clone)]
pub enum InstrKind {
    /// `let`, `let rec … and`
    Let {
        /// `rec`
        recursive: bool,
        /// The definitions.
        bindings: Vec<Binding>,
    },
    /// A check.
    Check {
        /// What follows from it.
        role: Role,
        /// `~` before the property.
        negated: bool,
        /// The property.
        property: Property,
        /// Of what.
        subject: Expr,
        /// `as name`
        name: Option<Arc<str>>,
    },
    /// `with x from e`
    WithFrom(Arc<str>, Expr),
    /// `include "file"`
    Include(Arc<str>),
    /// `procedure p(a, b) = … end`
    Procedure(Arc<str>, Pattern, Arc<Vec<Instr>>),
    /// `call p(a, b)`
    Call(Arc<str>, Expr),
    /// `forall x in e do … end`
    Forall(Arc<str>, Expr, Vec<Instr>),
    /// `if c then … else … end` around instructions
    If(Condition, Vec<Instr>, Vec<Instr>),
    /// `enum name = 'a || 'b`
    Enum(Arc<str>, Vec<Arc<str>>),
    /// `show`, `unshow`, `instructions`, `default`: nothing to compute.
    Nothing,
}

/// A whole file.
#[derive(Debug, Clone)]
pub struct File {
    /// The title, a string or a name on the first line.
    pub title: Option<Arc<str>>,
    /// The instructions.
    pub instrs: Vec<Instr>,
}
