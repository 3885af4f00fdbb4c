//! The typed tree: every name resolved, every conversion written out, every lvalue marked.
//!
//! `sema` makes it and `lower` turns it into IR. Its types are those of the program's [`Types`].

pub(crate) use crate::operator::{ArithOp, CompareOp};
/// Functions, variables that outlive their function and those in local memory have the numbers
/// that they have in the IR.
pub(crate) use ir::{FuncId as FnId, GlobalId, LocalId, Reloc};

use crate::source::Loc;
use crate::types::{Qual, Types};
use touchstone_ir as ir;

/// A private variable or parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VarId(pub(crate) u32);

/// A place that a `goto`, a `case` or a `default` goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LabelId(pub(crate) u32);

/// A checked translation unit.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) types: Types,
    pub(crate) functions: Vec<Function>,
    pub(crate) globals: Vec<Global>,
    pub(crate) locals: Vec<Local>,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) loc: Loc,
    pub(crate) ret: Qual,
    /// Types of the parameters; the first variables of a body.
    pub(crate) params: Vec<Qual>,
    /// Visible to other units.
    pub(crate) external: bool,
    pub(crate) kernel: Option<ir::KernelInfo>,
    pub(crate) body: Option<Body>,
}

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) vars: Vec<Var>,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) end: Loc,
}

#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) qual: Qual,
    /// Lives in memory: its address is taken, or it is an aggregate.
    pub(crate) in_memory: bool,
    pub(crate) align: u64,
}

#[derive(Debug)]
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) qual: Qual,
    pub(crate) align: u64,
    pub(crate) external: bool,
    /// Declared `extern` and not defined here.
    pub(crate) declared_only: bool,
    pub(crate) init: Vec<u8>,
    pub(crate) relocs: Vec<Reloc>,
}

#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) qual: Qual,
    pub(crate) align: u64,
    pub(crate) kernel: FnId,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) loc: Loc,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    /// A variable comes to life.
    Init(VarId, Init),
    Block(Vec<Stmt>),
    If {
        cond: Expr,
        then: Box<Stmt>,
        other: Option<Box<Stmt>>,
    },
    /// `for` and `while`.
    Loop {
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
    },
    Switch {
        value: Expr,
        cases: Vec<(u64, LabelId)>,
        default: Option<LabelId>,
        body: Box<Stmt>,
    },
    Label(LabelId),
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// What a variable begins with.
#[derive(Debug)]
pub(crate) enum Init {
    /// Nothing: an indeterminate value.
    None,
    /// A value of the variable's own type.
    Value(Box<Expr>),
    /// Zeros, then values at offsets.
    Parts(Vec<(u64, Expr)>),
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// Of an lvalue, with the qualifiers and the address space of the object.
    pub(crate) qual: Qual,
    pub(crate) lvalue: bool,
    pub(crate) loc: Loc,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    /// A scalar constant: the bits of its type, zero-extended.
    Const(u64),
    /// The null pointer.
    Null,
    Var(VarId),
    Global(GlobalId),
    Local(LocalId),
    /// The object a pointer points to.
    Deref(Box<Expr>),
    /// A field of a struct, by offset and known alignment.
    Field(Box<Expr>, u64, u64),
    /// Elements of a vector.
    Swizzle(Box<Expr>, Vec<u8>),
    /// An object that the initialiser makes, in a variable of its own.
    Compound(VarId, Box<Init>),
    /// The value in an lvalue.
    Load(Box<Expr>),
    /// A pointer to an lvalue; also what an array becomes.
    AddressOf(Box<Expr>),
    Neg(Box<Expr>),
    Complement(Box<Expr>),
    /// `!`: an `int`, or a vector of 0 and -1.
    Not(Box<Expr>),
    /// Both operands have the result's type, except the right one of a shift.
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// Both operands have one type; an `int`, or a vector of 0 and -1.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `&&` (true) and `||` of scalars.
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `&&` and `||` of vectors.
    VectorLogical(bool, Box<Expr>, Box<Expr>),
    /// Pointer plus (or minus) a `long`, in elements of `size` bytes.
    PtrAdd {
        ptr: Box<Expr>,
        index: Box<Expr>,
        size: u64,
        minus: bool,
    },
    /// Elements of `size` bytes between two pointers.
    PtrDiff(Box<Expr>, Box<Expr>, u64),
    /// The value assigned.
    Assign(Box<Expr>, Box<Expr>),
    /// `op=`, `++` and `--`.
    Update {
        target: Box<Expr>,
        update: Box<Update>,
        /// Of `x++`, the value before.
        old: bool,
    },
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Element by element, by the top bits of the first.
    VectorCond(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// A number as a number of another type; vectors element by element.
    Convert(Box<Expr>),
    /// A pointer as another pointer, an integer as a pointer or the reverse.
    PtrConvert(Box<Expr>),
    /// A scalar in all elements.
    Splat(Box<Expr>),
    /// A vector from parts, in order: scalars and vectors.
    Build(Vec<Expr>),
    /// The value is not wanted.
    Discard(Box<Expr>),
    Call(FnId, Vec<Expr>),
    Builtin(Builtin, Vec<Expr>),
    /// A block: the function that it is, and a pointer to what it captured, if it did so.
    Block(FnId, Option<Box<Expr>>),
}

/// What an assignment does to the value that is there.
#[derive(Debug)]
pub(crate) enum Update {
    /// Of a number: `op` with an operand, computed in a type.
    Arith(ArithOp, Expr, Qual),
    /// Of a pointer: plus (or minus) a `long`, in elements of `size` bytes.
    Step { index: Expr, size: u64, minus: bool },
}

/// Which side of a copy has its elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strided {
    Source,
    Destination,
}

/// What `vload…` and `vstore…` find in memory: vectors, or scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vectors {
    pub(crate) lanes: u32,
    /// Elements from one to the next.
    pub(crate) stride: u32,
    /// Elements are `half`, their values `float` or `double`.
    pub(crate) halves: bool,
}

/// Whose value a work-item of a sub-group gets: which, a number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubGroupShuffle {
    /// That with this id.
    Index,
    /// That with the own id, some bits of which are inverted.
    Xor,
    /// So many before.
    Up,
    /// So many behind.
    Down,
    /// So many behind in the sub-group, or in clusters of it of so many, which begins anew behind its end.
    Rotate(Option<u32>),
}

/// What a built-in function does. Its operands are the call's, converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Query(ir::Query),
    Intrinsic(ir::Intrinsic),
    /// An intrinsic that tells a truth: an `int`, or a vector of 0 and -1.
    Test(ir::Intrinsic),
    /// A comparison of floats, with a result like `Test`.
    FloatCompare(ir::Cmp),
    /// The result of the first intrinsic; what the second makes goes through the last operand,
    /// a pointer, which no intrinsic gets.
    Split(ir::Intrinsic, ir::Intrinsic),
    /// `convert_…`
    Convert {
        rounding: ir::Rounding,
        saturate: bool,
    },
    /// `as_…`
    Bitcast,
    /// `select`
    Select,
    /// `bitselect`
    BitSelect,
    /// `mad_hi`, `mad24`: the intrinsic of the first two, and the third added
    MultiplyAdd(ir::Intrinsic),
    /// `upsample`
    Upsample,
    /// `bitfield_insert`
    BitfieldInsert,
    /// `bitfield_extract_signed` (true) and `bitfield_extract_unsigned`
    BitfieldExtract(bool),
    /// `dot` of integers: (vector, vector), and `dot_acc_sat` (true), to which the third is added
    IntegerDot(bool),
    Dot,
    Cross,
    Length,
    Distance,
    Normalize,
    /// `native_divide`, `half_divide`
    Divide,
    /// `native_recip`, `half_recip`
    Recip,
    /// `maxmag` and its like are intrinsics; this is `shuffle` with constant shape.
    Shuffle,
    Shuffle2,
    /// `vloadn(offset, p)`
    VLoad(Vectors),
    /// `vstoren(value, offset, p)`, and the rounding of halves
    VStore(Vectors, ir::Rounding),
    AtomicInit,
    AtomicLoad(ir::Order, ir::MemScope),
    AtomicStore(ir::Order, ir::MemScope),
    AtomicRmw(ir::RmwOp, ir::Order, ir::MemScope),
    /// (pointer, pointer to expected, desired), true when it wrote. The orders of success and of
    /// failure; whether it may fail spuriously.
    AtomicCompareExchange((ir::Order, ir::Order), ir::MemScope, bool),
    /// OpenCL 1.x: (pointer, expected, desired), the value before
    AtomicCmpxchg,
    FlagTestAndSet(ir::Order, ir::MemScope),
    Fence(ir::Regions, ir::Order, ir::MemScope),
    Barrier(ir::BarrierKind, ir::Regions, ir::MemScope),
    /// Whether all work-items of a group, or any, tell something but zero.
    Vote {
        kind: ir::BarrierKind,
        all: bool,
    },
    /// (value, the ids of a broadcast …)
    Collective {
        kind: ir::BarrierKind,
        function: ir::Collective,
    },
    /// (value, a number that says whose), and the size of the clusters that a sub-group is rotated in
    SubGroupShuffle(SubGroupShuffle),
    /// A function of the library is called with the operands; before that an image is asked by the other
    /// one whether it has the element of the first two, where that is not certain.
    Library {
        function: FnId,
        holds: Option<FnId>,
    },
    /// `to_global` and its like: a pointer to the result's space from a generic one.
    ToSpace,
    /// The `CLK_…_MEM_FENCE` flag of where a generic pointer points.
    GetFence,
    /// (destination, source, number of elements, the event), the stride before the event where
    /// there is one; elements of `size` bytes.
    AsyncCopy {
        size: u64,
        strided: Option<Strided>,
    },
    /// (number of events, pointer to them)
    WaitGroupEvents,
    /// (format, what it prints …)
    Printf,
    /// A function of device-side enqueue, the block that it is about, and whether its status says why it failed.
    Device {
        function: ir::DeviceFunction,
        block: Option<FnId>,
        explains: bool,
    },
    /// The operands are computed, and nothing else happens (`prefetch`).
    Nothing,
    Trap,
}
