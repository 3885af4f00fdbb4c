//! Instructions and terminators.
//!
//! Types follow from the registers: the type of an instruction's result is the
//! type of its destination register. The documentation of each operation says
//! which operand and result types it takes; [`validate`](crate::validate())
//! enforces that.

use crate::device::DeviceFunction;
use crate::ids::{BlockId, FuncId, GlobalId, LocalId, Reg, SlotId};
use crate::intrinsic::Intrinsic;
use crate::memory::{MemScope, Order, Regions, RmwOp};
use crate::value::{Loc, Operand};

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// Where the result goes; None for operations without one, and for calls
    /// whose result is not wanted.
    pub dst: Option<Reg>,
    /// What to do.
    pub op: Op,
    /// The source it comes from, for messages.
    pub loc: Loc,
}

/// An operation. `T` below is the type of the destination.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// `T ← T`.
    Copy(Operand),
    /// Integer arithmetic, element by element: `T ← T, T`, T integers.
    /// `And`, `Or`, `Xor` also take `Bool`.
    Int(IntOp, Operand, Operand),
    /// Floating-point arithmetic, element by element: `T ← T, T`, T floats.
    Float(FloatOp, Operand, Operand),
    /// `T ← T`.
    Unary(UnaryOp, Operand),
    /// Comparison of two values of one type; the result is `Bool` for scalars
    /// and pointers, integers of the element's size, 0 or -1, for vectors.
    Compare(Cmp, Operand, Operand),
    /// Conversion of numbers, element by element.
    Convert {
        /// What to convert.
        value: Operand,
        /// How to read the bits of `value`.
        from: NumKind,
        /// How the result will be read.
        to: NumKind,
        /// Rounding, where the target cannot hold the value.
        rounding: Rounding,
        /// Out-of-range values go to the nearest number of the target
        /// (integers only). Otherwise integers wrap.
        saturate: bool,
    },
    /// The same bits as another type of the same size (`as_typen`). Also
    /// between pointers and `I64`.
    Bitcast(Operand),
    /// A pointer to another address space, with the same address.
    PtrCast(Operand),
    /// A generic pointer as one to the global, local or private address space, with the same
    /// address, or null if it does not lie there (`to_global` and its like).
    ToSpace(Operand),
    /// `Select(c, a, b)`: `a` if `c`, else `b`. `c` is a `Bool`, or, for
    /// vectors, also integers of the same shape, where the top bit of each
    /// element chooses.
    Select(Operand, Operand, Operand),
    /// A vector with all elements equal.
    Splat(Operand),
    /// A vector from its elements, in order.
    Construct(Vec<Operand>),
    /// The element of a vector at an index (`I32` or `I64`), taken modulo the
    /// number of elements.
    Extract(Operand, Operand),
    /// `Insert(v, i, x)`: `v` with element `i` (modulo its length) replaced by `x`.
    Insert(Operand, Operand, Operand),
    /// Elements chosen from two vectors of one type laid end to end; the
    /// result has as many elements as the mask.
    Shuffle(Operand, Operand, Vec<u8>),
    /// The address of a private variable of this activation: pointer to private.
    SlotAddr(SlotId),
    /// The address of a program-scope variable.
    GlobalAddr(GlobalId),
    /// The address of a static local variable: pointer to local.
    LocalAddr(LocalId),
    /// `base + index * scale + disp`, in bytes, wrapping. `index` is an `I64`.
    PtrAdd {
        /// A pointer; the result has its type.
        base: Operand,
        /// Number of elements.
        index: Operand,
        /// Bytes an element.
        scale: u32,
        /// Bytes added at the end.
        disp: i64,
    },
    /// `T ← memory`. A plain (non-atomic) access.
    Load {
        /// Address; its type gives the address space.
        ptr: Operand,
        /// Known alignment of the address, in bytes.
        align: u32,
        /// Declared `volatile`.
        volatile: bool,
    },
    /// A plain (non-atomic) write of a value.
    Store {
        /// Address; its type gives the address space.
        ptr: Operand,
        /// What to write.
        value: Operand,
        /// Known alignment of the address, in bytes.
        align: u32,
        /// Declared `volatile`.
        volatile: bool,
    },
    /// Atomic read of a scalar of 4 or 8 bytes, or a pointer.
    AtomicLoad {
        /// Address.
        ptr: Operand,
        /// Relaxed, acquire or seq_cst.
        order: Order,
        /// Scope.
        scope: MemScope,
    },
    /// Atomic write of a scalar of 4 or 8 bytes, or a pointer.
    AtomicStore {
        /// Address.
        ptr: Operand,
        /// What to write.
        value: Operand,
        /// Relaxed, release or seq_cst.
        order: Order,
        /// Scope.
        scope: MemScope,
    },
    /// Atomic read-modify-write; the result is the value before.
    AtomicRmw {
        /// The modification.
        op: RmwOp,
        /// Address.
        ptr: Operand,
        /// Its operand.
        value: Operand,
        /// Any order.
        order: Order,
        /// Scope.
        scope: MemScope,
    },
    /// Atomic compare and exchange; the result is the value before, which
    /// equals `expected` (bit for bit) exactly when `desired` was written,
    /// unless `weak`, where it may fail spuriously: executors then return a
    /// value that differs from `expected` or do not fail spuriously.
    AtomicCas {
        /// Address.
        ptr: Operand,
        /// Value that must be there.
        expected: Operand,
        /// Value to write.
        desired: Operand,
        /// Order when it writes.
        success: Order,
        /// Order when it does not: relaxed, acquire or seq_cst.
        failure: Order,
        /// Scope.
        scope: MemScope,
        /// May fail spuriously.
        weak: bool,
    },
    /// `atomic_work_item_fence`.
    Fence {
        /// The memories it orders.
        regions: Regions,
        /// Order.
        order: Order,
        /// Scope.
        scope: MemScope,
    },
    /// `work_group_barrier` or `sub_group_barrier`.
    Barrier {
        /// Who waits.
        kind: BarrierKind,
        /// The memories it orders.
        regions: Regions,
        /// Scope.
        scope: MemScope,
    },
    /// A collective function of a work-group or a sub-group: all of its work-items come to it as to a
    /// barrier that orders no memory. `T ← T`.
    Collective {
        /// Who comes together.
        kind: BarrierKind,
        /// What is computed.
        function: Collective,
        /// What this work-item contributes, a scalar.
        value: Operand,
        /// Of a broadcast, whose value it is: the id in each dimension of the work-group, or the one in
        /// the sub-group, `I64`; ids that are not given are zero. Of a shuffle the id in the sub-group, `I64`,
        /// and, where all that take part must be given one number, that, `I64`. Else nothing.
        from: Vec<Operand>,
    },
    /// Copy of a block of bytes; the blocks are the same or do not overlap.
    /// Plain accesses.
    MemCopy {
        /// Where to.
        dst: Operand,
        /// Where from.
        src: Operand,
        /// Number of bytes, `I64`.
        size: Operand,
        /// Known alignment of both addresses.
        align: u32,
    },
    /// Fill of a block of bytes. Plain accesses.
    MemSet {
        /// Where.
        dst: Operand,
        /// The byte, `I8`.
        byte: Operand,
        /// Number of bytes, `I64`.
        size: Operand,
        /// Known alignment of the address.
        align: u32,
    },
    /// Direct call. A module has no recursion.
    Call {
        /// Whom.
        callee: FuncId,
        /// One operand for each of its parameters.
        args: Vec<Operand>,
    },
    /// A question about the index space; the result is `I64`.
    Query {
        /// The question.
        query: Query,
        /// The dimension, `I32`, read at run time; out of range gives the
        /// value that the specification states. Present exactly when
        /// [`Query::takes_dim`].
        dim: Option<Operand>,
    },
    /// A built-in function.
    Intrinsic(Intrinsic, Vec<Operand>),
    /// `printf`: the result is an `I32`, 0 or -1.
    Printf {
        /// Address of the format string.
        format: Operand,
        /// Numbers, vectors and pointers, promoted.
        args: Vec<Operand>,
    },
    /// A function of device-side enqueue.
    Device {
        /// The function.
        function: DeviceFunction,
        /// The block that it is about: a kernel whose [`KernelInfo::is_block`](crate::KernelInfo) is set.
        /// Present exactly when [`DeviceFunction::takes_block`].
        block: Option<FuncId>,
        /// As [`DeviceFunction::operands`] says; to `enqueue_kernel` also a size for each local memory of
        /// the block.
        args: Vec<Operand>,
    },
}

/// Patterns that stand for whole groups of variants, so that an exhaustive match names a group and
/// a new variant is sorted into one in one place.
mod groups {
    /// Operations that compute a value from their operands and touch no memory.
    #[macro_export]
    macro_rules! computations {
        () => {
            $crate::Op::Int(..)
                | $crate::Op::Float(..)
                | $crate::Op::Unary(..)
                | $crate::Op::Compare(..)
                | $crate::Op::Splat(_)
                | $crate::Op::Construct(_)
                | $crate::Op::Extract(..)
                | $crate::Op::Insert(..)
                | $crate::Op::Shuffle(..)
                | $crate::Op::Query { .. }
                | $crate::Op::Intrinsic(..)
        };
    }

    /// Reads and writes of memory.
    #[macro_export]
    macro_rules! accesses {
        () => {
            $crate::Op::Load { .. }
                | $crate::Op::Store { .. }
                | $crate::Op::AtomicLoad { .. }
                | $crate::Op::AtomicStore { .. }
                | $crate::Op::AtomicRmw { .. }
                | $crate::Op::AtomicCas { .. }
                | $crate::Op::MemCopy { .. }
                | $crate::Op::MemSet { .. }
        };
    }

    /// Comparisons of integers, booleans and pointers.
    #[macro_export]
    macro_rules! integer_comparisons {
        () => {
            $crate::Cmp::Eq
                | $crate::Cmp::Ne
                | $crate::Cmp::SLt
                | $crate::Cmp::SLe
                | $crate::Cmp::SGt
                | $crate::Cmp::SGe
                | $crate::Cmp::ULt
                | $crate::Cmp::ULe
                | $crate::Cmp::UGt
                | $crate::Cmp::UGe
        };
    }

    /// Comparisons of floats.
    #[macro_export]
    macro_rules! float_comparisons {
        () => {
            $crate::Cmp::FEq
                | $crate::Cmp::FNe
                | $crate::Cmp::FLt
                | $crate::Cmp::FLe
                | $crate::Cmp::FGt
                | $crate::Cmp::FGe
                | $crate::Cmp::FLtGt
                | $crate::Cmp::FOrdered
                | $crate::Cmp::FUnordered
        };
    }
}

/// Integer operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Signed quotient, toward zero. Division by zero traps; the overflow of
    /// the smallest number by -1 wraps.
    SDiv,
    /// Unsigned quotient. Division by zero traps.
    UDiv,
    /// Signed remainder, with the sign of the dividend. Traps as `SDiv`.
    SRem,
    /// Unsigned remainder. Traps as `UDiv`.
    URem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; the count is taken modulo the width (OpenCL C section 6.3).
    Shl,
    /// Right shift with copies of the sign; count modulo the width.
    AShr,
    /// Right shift with zeros; count modulo the width.
    LShr,
}

/// Floating-point operations, rounded to nearest even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// Operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Integer negation, wrapping.
    Neg,
    /// Bitwise complement of integers; logical not of `Bool`.
    Not,
    /// Floating-point negation: flips the sign bit.
    FNeg,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// Integers, booleans or pointers are equal.
    Eq,
    /// Integers, booleans or pointers differ.
    Ne,
    /// Signed less.
    SLt,
    /// Signed less or equal.
    SLe,
    /// Signed greater.
    SGt,
    /// Signed greater or equal.
    SGe,
    /// Unsigned less; also pointers.
    ULt,
    /// Unsigned less or equal; also pointers.
    ULe,
    /// Unsigned greater; also pointers.
    UGt,
    /// Unsigned greater or equal; also pointers.
    UGe,
    /// Floats are equal; false on NaN.
    FEq,
    /// Floats differ or one is NaN.
    FNe,
    /// Less; false on NaN.
    FLt,
    /// Less or equal; false on NaN.
    FLe,
    /// Greater; false on NaN.
    FGt,
    /// Greater or equal; false on NaN.
    FGe,
    /// Less or greater: differ and neither is NaN (`islessgreater`).
    FLtGt,
    /// Neither is NaN.
    FOrdered,
    /// One is NaN.
    FUnordered,
}

/// How the bits of a number are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumKind {
    /// Two's complement integer.
    Signed,
    /// Unsigned integer; also `Bool`, where 0 or 1 results.
    Unsigned,
    /// Floating point.
    Float,
}

/// Rounding of a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Toward zero to integers, to nearest even to floats.
    #[default]
    Default,
    /// `_rte`.
    NearestEven,
    /// `_rtz`.
    TowardZero,
    /// `_rtp`.
    Up,
    /// `_rtn`.
    Down,
}

/// Who waits at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    /// All work-items of the work-group.
    WorkGroup,
    /// All work-items of the sub-group.
    SubGroup,
}

/// What the work-items of a group compute together (OpenCL C section 6.15.18). The work-items are in the
/// order of their linear local ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Collective {
    /// The value of one of them.
    Broadcast,
    /// All values joined.
    Reduce(RmwOp),
    /// The values up to the own one joined.
    InclusiveScan(RmwOp),
    /// The values before the own one joined; the identity of the operation for the first.
    ExclusiveScan(RmwOp),
    /// Of a sub-group (OpenCL C section 6.15.21): the value of the work-item that each names for itself, zero where
    /// that one takes no part. Not all need come: those take part that come to it on the same way, once all
    /// others of the sub-group have ended or wait for something else.
    Shuffle,
}

impl Collective {
    /// How values are joined, where they are.
    pub const fn operation(self) -> Option<RmwOp> {
        match self {
            Collective::Broadcast | Collective::Shuffle => None,
            Collective::Reduce(op)
            | Collective::InclusiveScan(op)
            | Collective::ExclusiveScan(op) => Some(op),
        }
    }
}

macro_rules! queries {
    ($($name:ident $function:literal $takes_dim:literal;)*) => {
        /// Work-item functions (OpenCL C section 6.15.1).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Query { $(#[doc = concat!("`", $function, "`.")] $name,)* }

        impl Query {
            /// Whether the function takes a dimension.
            pub const fn takes_dim(self) -> bool {
                match self { $(Query::$name => $takes_dim,)* }
            }
        }
    };
}

queries! {
    WorkDim "get_work_dim" false;
    GlobalSize "get_global_size" true;
    GlobalId "get_global_id" true;
    LocalSize "get_local_size" true;
    EnqueuedLocalSize "get_enqueued_local_size" true;
    LocalId "get_local_id" true;
    NumGroups "get_num_groups" true;
    GroupId "get_group_id" true;
    GlobalOffset "get_global_offset" true;
    GlobalLinearId "get_global_linear_id" false;
    LocalLinearId "get_local_linear_id" false;
    SubGroupSize "get_sub_group_size" false;
    MaxSubGroupSize "get_max_sub_group_size" false;
    NumSubGroups "get_num_sub_groups" false;
    EnqueuedNumSubGroups "get_enqueued_num_sub_groups" false;
    SubGroupId "get_sub_group_id" false;
    SubGroupLocalId "get_sub_group_local_id" false;
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// Go to a block.
    Jump(BlockId),
    /// Go to one of two blocks by a `Bool`.
    Branch {
        /// The `Bool`.
        cond: Operand,
        /// Where to when true.
        then_block: BlockId,
        /// Where to when false.
        else_block: BlockId,
    },
    /// Go where the integer `value` says.
    Switch {
        /// An integer scalar.
        value: Operand,
        /// Values, as zero-extended bits, all different, with their blocks.
        cases: Vec<(u64, BlockId)>,
        /// Where to otherwise.
        default: BlockId,
    },
    /// End of the activation; a value exactly when the function has a return type.
    Return(Option<Operand>),
    /// The front end knows that control does not come here; executors trap.
    Unreachable,
    /// End of the launch with an error.
    Trap(TrapReason),
}

/// Why a program asks for a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrapReason {
    /// A function with a return value ended without one, and the value is used.
    MissingReturn,
    /// `__builtin_trap` and its like.
    Explicit,
    /// An access to an element that an image does not have.
    OutsideImage,
}

impl Terminator {
    /// Calls `f` with each block that may come next.
    pub fn for_each_target(&self, mut f: impl FnMut(BlockId)) {
        match self {
            Terminator::Jump(b) => f(*b),
            Terminator::Branch {
                then_block,
                else_block,
                ..
            } => {
                f(*then_block);
                f(*else_block);
            }
            Terminator::Switch { cases, default, .. } => {
                for (_, b) in cases {
                    f(*b);
                }
                f(*default);
            }
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Trap(_) => {}
        }
    }

    /// Replaces each target block.
    pub fn map_targets(&mut self, mut f: impl FnMut(BlockId) -> BlockId) {
        match self {
            Terminator::Jump(b) => *b = f(*b),
            Terminator::Branch {
                then_block,
                else_block,
                ..
            } => {
                *then_block = f(*then_block);
                *else_block = f(*else_block);
            }
            Terminator::Switch { cases, default, .. } => {
                for (_, b) in cases {
                    *b = f(*b);
                }
                *default = f(*default);
            }
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Trap(_) => {}
        }
    }

    /// The operand it reads, if any.
    pub fn operand(&self) -> Option<Operand> {
        match self {
            Terminator::Branch { cond: value, .. } | Terminator::Switch { value, .. } => {
                Some(*value)
            }
            Terminator::Return(value) => *value,
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Trap(_) => None,
        }
    }
}

impl Op {
    /// Calls `f` with each operand, in order.
    #[rustfmt::skip]
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            Op::Copy(a)
            | Op::Unary(_, a)
            | Op::Convert { value: a, .. }
            | Op::Bitcast(a)
            | Op::PtrCast(a)
            | Op::ToSpace(a)
            | Op::Splat(a)
            | Op::Load { ptr: a, .. }
            | Op::AtomicLoad { ptr: a, .. } => f(*a),
            Op::Int(_, a, b)
            | Op::Float(_, a, b)
            | Op::Compare(_, a, b)
            | Op::Extract(a, b)
            | Op::Shuffle(a, b, _)
            | Op::PtrAdd { base: a, index: b, .. }
            | Op::Store { ptr: a, value: b, .. }
            | Op::AtomicStore { ptr: a, value: b, .. }
            | Op::AtomicRmw { ptr: a, value: b, .. } => {
                f(*a);
                f(*b);
            }
            Op::Select(a, b, c)
            | Op::Insert(a, b, c)
            | Op::AtomicCas { ptr: a, expected: b, desired: c, .. }
            | Op::MemCopy { dst: a, src: b, size: c, .. }
            | Op::MemSet { dst: a, byte: b, size: c, .. } => {
                f(*a);
                f(*b);
                f(*c);
            }
            Op::Construct(args)
            | Op::Call { args, .. }
            | Op::Device { args, .. }
            | Op::Intrinsic(_, args) => {
                args.iter().copied().for_each(f);
            }
            Op::Printf { format: first, args } | Op::Collective { value: first, from: args, .. } => {
                f(*first);
                args.iter().copied().for_each(f);
            }
            Op::Query { dim, .. } => {
                if let Some(d) = dim {
                    f(*d);
                }
            }
            Op::SlotAddr(_)
            | Op::GlobalAddr(_)
            | Op::LocalAddr(_)
            | Op::Fence { .. }
            | Op::Barrier { .. } => {}
        }
    }
}
