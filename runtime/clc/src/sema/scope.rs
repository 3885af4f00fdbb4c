//! What names and tags mean.

use crate::hir::{FnId, GlobalId, LocalId, VarId};
use crate::types::{Qual, RecordId, Scalar, Space};

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Var(VarId),
    Global(GlobalId),
    Local(LocalId),
    Function(FnId),
    Block(BlockEntry),
    /// The object that a variable of this block points to: a variable in local memory outside of it.
    Through(VarId),
    Typedef(TypeEntry),
    Enumerator(u64, Scalar),
}

/// A name of a block: of a variable, or of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockEntry {
    /// The function that the block is.
    pub(super) function: FnId,
    /// Its type.
    pub(super) qual: Qual,
    /// The variable with the pointer to what it captured, if it did so.
    pub(super) captured: Option<VarId>,
}

/// A name of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeEntry {
    Known {
        qual: Qual,
        /// The address space that the typedef itself names.
        space: Option<Space>,
        /// The name of the type, if kernels' arguments may not have it (`size_t`, …).
        not_for_kernels: Option<&'static str>,
    },
    /// A type of OpenCL C that Touchstone does not have, and the feature it belongs to.
    Missing(&'static str),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(Scalar),
}
