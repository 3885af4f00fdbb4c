//! What kinds of arithmetic, comparisons, conversions, barriers and queries there are.

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

/// Patterns for the comparisons of one kind of operands.
mod groups {
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
