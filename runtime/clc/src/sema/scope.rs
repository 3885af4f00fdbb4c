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
    Typedef(TypeEntry),
    Enumerator(u64, Scalar),
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
