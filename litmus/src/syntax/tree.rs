//! The shape of the source, with names not yet resolved: what the parser makes and the lowering
//! takes.

use super::error::{Problem, Span};
use crate::program::{
    Api, BinOp, Memory, Quantifier, QueueOrder, Region, Relation, ScalarType, UnOp,
};

/// A word of the source.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub text: String,
    pub span: Span,
}

impl Name {
    /// A problem where it stands.
    pub fn problem(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.span.problem(message, label)
    }
}

/// What a declaration says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseType {
    Void,
    Bool,
    Scalar(ScalarType),
}

/// An address space that a declaration names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Memory(Region),
    Generic,
    Constant,
    Private,
}

/// A type with its qualifiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub base: BaseType,
    pub atomic: bool,
    /// What is pointed to is volatile, or the variable where nothing is pointed to.
    pub volatile: bool,
    pub space: Option<(Space, Span)>,
    pub pointer: bool,
    pub span: Span,
}

impl Type {
    /// A problem where it stands.
    pub fn problem(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.span.problem(message, label)
    }
}

/// An expression.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub kind: NodeKind,
    pub span: Span,
    /// Levels below and including this one; bounded by the parser.
    pub height: u32,
}

impl Node {
    /// A problem where it stands.
    pub fn problem(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.span.problem(message, label)
    }

    /// The word that it is, where it is one.
    pub fn word(&self) -> Option<&str> {
        if let NodeKind::Name(text) = &self.kind {
            return Some(text);
        }
        None
    }

    /// That word as a name.
    pub fn name(&self) -> Option<Name> {
        Some(Name {
            text: self.word()?.to_owned(),
            span: self.span,
        })
    }
}

#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    Int(i64),
    Name(String),
    Unary(UnOp, Box<Node>),
    Deref(Box<Node>),
    AddressOf(Box<Node>),
    Binary(BinOp, Box<Node>, Box<Node>),
    Select(Box<Node>, Box<Node>, Box<Node>),
    Index(Box<Node>, Box<Node>),
    Call(Name, Vec<Node>),
    Cast(Type, Box<Node>),
}

/// A statement.
#[derive(Debug, Clone)]
pub(crate) struct Stmt {
    pub label: Option<Name>,
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum StmtKind {
    Declare(Type, Vec<Declarator>),
    /// `target = value`, or `target op= value`.
    Assign(Node, Option<BinOp>, Node),
    Effect(Node),
    If(Node, Vec<Stmt>, Vec<Stmt>),
    While(Node, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Node),
    /// Init, condition, step, body.
    For(
        Option<Box<Stmt>>,
        Option<Node>,
        Option<Box<Stmt>>,
        Vec<Stmt>,
    ),
    Block(Vec<Stmt>),
    Return,
    Break,
    Continue,
    Empty,
}

#[derive(Debug, Clone)]
pub(crate) struct Declarator {
    pub name: Name,
    pub pointer: bool,
    pub value: Option<Node>,
}

/// An entry of the init list.
#[derive(Debug, Clone)]
pub(crate) enum Init {
    Location {
        memory: Option<(Memory, Span)>,
        /// The storage class, where no access states it.
        class: Option<Region>,
        ty: Option<Type>,
        name: Name,
        /// Declared with `[n]` or `[]`: the length, where stated.
        array: Option<Option<u64>>,
        values: Vec<i64>,
        span: Span,
    },
    Register {
        thread: u64,
        ty: Option<Type>,
        name: Name,
        value: i64,
        span: Span,
    },
    Queue {
        name: Name,
        order: QueueOrder,
    },
    /// `b aliases a`
    Alias {
        class: Option<Region>,
        name: Name,
        of: Name,
    },
}

/// Where a thread's header puts it; `None` where it does not say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place {
    pub host: Option<Span>,
    pub device: Option<u32>,
    pub queue_family: Option<u32>,
    pub work_group: Option<u32>,
    pub sub_group: Option<u32>,
}

/// A parameter of a thread.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub ty: Type,
    pub name: Name,
}

/// A thread.
#[derive(Debug, Clone)]
pub(crate) struct ThreadTree {
    pub place: Place,
    /// The kernel-instance it says it belongs to.
    pub kernel: Option<Name>,
    /// Where its name and placement stand.
    pub header: Span,
    pub params: Vec<Param>,
    pub body: Body,
}

/// What a thread does.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// C.
    Statements(Vec<Stmt>),
    /// One instruction after the other.
    Listing(Vec<Line>),
}

/// A line of a listing.
#[derive(Debug, Clone)]
pub(crate) enum Line {
    /// `LC00:`
    Label(Name),
    /// `ld.atom.dv.sc0 r0, x`
    Instruction(Instruction),
}

/// An instruction of a listing.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    /// What stands between its dots: the mnemonic and its modifiers.
    pub words: Vec<Name>,
    pub operands: Vec<Node>,
    pub span: Span,
}

/// A predicate.
#[derive(Debug, Clone)]
pub(crate) enum Pred {
    Bool(bool),
    Compare(Relation, Operand, Operand),
    Not(Box<Pred>),
    And(Vec<Pred>),
    Or(Vec<Pred>),
}

/// One side of a comparison.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    Const(i64),
    Register {
        thread: u64,
        name: Name,
        span: Span,
    },
    Location {
        name: Name,
        index: Option<u64>,
        span: Span,
    },
}

/// A whole test.
#[derive(Debug, Clone)]
pub(crate) struct Test {
    pub api: Api,
    pub name: String,
    pub init: Vec<Init>,
    pub threads: Vec<ThreadTree>,
    /// `ssw 0 1`: numbers of threads.
    pub synchronized: Vec<(u64, u64, Span)>,
    /// `contributes 0 1`: likewise.
    pub contributes: Vec<(u64, u64, Span)>,
    pub question: (Quantifier, Pred, Span),
    pub filter: Option<(Pred, Span)>,
    /// Names listed by `locations […]`.
    pub listed: Vec<Operand>,
}
