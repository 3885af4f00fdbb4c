//! The syntax tree: what the parser read, before anything is looked up or typed.

pub(crate) use crate::operator::{ArithOp, BinaryOp, UnaryOp};

use crate::intern::Symbol;
use crate::source::Loc;
use crate::token::Literal;
use crate::types::{Scalar, Space};

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub(crate) symbol: Symbol,
    pub(crate) loc: Loc,
}

/// Qualifiers of one level of a type.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Qualifiers {
    pub(crate) constant: bool,
    pub(crate) volatile: bool,
    pub(crate) restrict: bool,
    pub(crate) space: Option<Space>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// What the type specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(crate) enum TypeSpec {
    Void,
    Scalar(Scalar),
    Named(Name),
    Record(Box<RecordSpec>),
    Enum(Box<EnumSpec>),
}

#[derive(Clone, Debug)]
pub(crate) struct RecordSpec {
    pub(crate) union: bool,
    pub(crate) tag: Option<Name>,
    pub(crate) fields: Option<Vec<FieldGroup>>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) loc: Loc,
}

/// One declaration in a struct: several fields of one base type.
#[derive(Clone, Debug)]
pub(crate) struct FieldGroup {
    pub(crate) specs: Specs,
    /// Empty for an anonymous struct or union.
    pub(crate) declarators: Vec<FieldDeclarator>,
}

#[derive(Clone, Debug)]
pub(crate) struct FieldDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) bits: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct EnumSpec {
    pub(crate) tag: Option<Name>,
    pub(crate) enumerators: Option<Vec<(Name, Option<Expr>)>>,
    pub(crate) loc: Loc,
}

/// `__attribute__((name(args)))`
#[derive(Clone, Debug)]
pub(crate) struct Attr {
    pub(crate) name: Name,
    pub(crate) args: Vec<AttrArg>,
    /// As it is spelled, for `CL_KERNEL_ATTRIBUTES`.
    pub(crate) spelling: String,
}

#[derive(Clone, Debug)]
pub(crate) enum AttrArg {
    Expr(Expr),
    Type(TypeName),
}

/// Declaration specifiers.
#[derive(Clone, Debug)]
pub(crate) struct Specs {
    pub(crate) storage: Option<Storage>,
    pub(crate) inline: bool,
    pub(crate) kernel: bool,
    pub(crate) access: Option<&'static str>,
    pub(crate) pipe: bool,
    pub(crate) quals: Qualifiers,
    pub(crate) ty: TypeSpec,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) loc: Loc,
}

/// A declarator: its parts from the name outward, so that `int *a[3]` is array, then pointer.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Option<Name>,
    pub(crate) parts: Vec<DeclPart>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) loc: Loc,
}

#[derive(Clone, Debug)]
pub(crate) enum DeclPart {
    Pointer(Qualifiers),
    /// `^`: of a block; a list of parameters follows.
    Block,
    Array(Option<Box<Expr>>),
    Function {
        params: Vec<Param>,
        variadic: bool,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) specs: Specs,
    pub(crate) declarator: Declarator,
}

/// A type in parentheses: of a cast, `sizeof`, a compound literal.
#[derive(Clone, Debug)]
pub(crate) struct TypeName {
    pub(crate) specs: Box<Specs>,
    pub(crate) declarator: Declarator,
}

#[derive(Clone, Debug)]
pub(crate) struct InitDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) init: Option<Init>,
}

/// A declaration of names.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) specs: Specs,
    pub(crate) declarators: Vec<InitDeclarator>,
}

#[derive(Clone, Debug)]
pub(crate) enum Init {
    Expr(Expr),
    List(Vec<InitItem>, Loc),
}

#[derive(Clone, Debug)]
pub(crate) struct InitItem {
    pub(crate) designators: Vec<Designator>,
    pub(crate) value: Init,
}

#[derive(Clone, Debug)]
pub(crate) enum Designator {
    Field(Name),
    Index(Expr),
}

/// What stands at program scope.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Declaration(Declaration),
    Function(Box<FunctionDef>),
}

#[derive(Clone, Debug)]
pub(crate) struct FunctionDef {
    pub(crate) specs: Specs,
    pub(crate) declarator: Declarator,
    pub(crate) body: Vec<Stmt>,
    pub(crate) end: Loc,
}

#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) loc: Loc,
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Expr(Expr),
    Declaration(Box<Declaration>),
    Block(Vec<Stmt>),
    If {
        cond: Expr,
        then: Box<Stmt>,
        other: Option<Box<Stmt>>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
    },
    Do {
        body: Box<Stmt>,
        cond: Expr,
    },
    For {
        init: Option<Box<Stmt>>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// One or more labels and the statement they stand before.
    Labelled(Vec<Label>, Box<Stmt>),
    Goto(Name),
    Break,
    Continue,
    Return(Option<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) enum Label {
    Case(Expr, Loc),
    Default(Loc),
    Name(Name),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) loc: Loc,
    /// How deep the tree below it is; the parser limits it.
    pub(crate) height: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Ident(Symbol),
    Number(Literal),
    Char(i32),
    Str(Vec<u8>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `None` is plain assignment.
    Assign(Option<ArithOp>, Box<Expr>, Box<Expr>),
    /// `++` and `--`, as the operator of `+= 1` and `-= 1`.
    Step {
        op: ArithOp,
        prefix: bool,
        target: Box<Expr>,
    },
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Cast(TypeName, Box<Expr>),
    /// `(float4)(a, b, c, d)`: a cast whose operand is a parenthesised list.
    VectorLiteral(TypeName, Vec<Expr>),
    Compound(TypeName, Vec<InitItem>),
    Measure(Measure, Measured),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member {
        base: Box<Expr>,
        arrow: bool,
        name: Name,
    },
    Block(Box<BlockLiteral>),
}

/// `^result (parameters) { … }`
#[derive(Clone, Debug)]
pub(crate) struct BlockLiteral {
    /// What it says that it returns; otherwise its `return` statements say it.
    pub(crate) ret: Option<TypeName>,
    pub(crate) params: Vec<Param>,
    pub(crate) variadic: bool,
    pub(crate) body: Vec<Stmt>,
    pub(crate) end: Loc,
}

/// `sizeof`, `__alignof__`, `vec_step`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Size,
    Align,
    Step,
}

#[derive(Clone, Debug)]
pub(crate) enum Measured {
    Type(TypeName),
    Expr(Box<Expr>),
}
