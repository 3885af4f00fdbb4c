//! What names mean where.

use crate::hir::{FnId, GlobalId, LocalId, VarId};
use crate::intern::Symbol;
use crate::types::{Qual, RecordId, Scalar, Space};
use std::collections::HashMap;

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

#[derive(Debug, Default)]
struct Scope {
    names: HashMap<Symbol, Entry>,
    tags: HashMap<Symbol, Tag>,
}

/// Open scopes, innermost last. The first holds what is declared from the start.
#[derive(Debug)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Self {
            scopes: vec![Scope::default()],
        }
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn find(&self, name: Symbol) -> Option<Entry> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|s| s.names.get(&name)).copied()
    }

    /// What the innermost scope itself says.
    pub(super) fn find_here(&self, name: Symbol) -> Option<Entry> {
        self.scopes.last()?.names.get(&name).copied()
    }

    pub(super) fn declare(&mut self, name: Symbol, entry: Entry) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, entry);
        }
    }

    /// Declares at program scope.
    pub(super) fn declare_global(&mut self, name: Symbol, entry: Entry) {
        if let Some(scope) = self.scopes.get_mut(1) {
            scope.names.insert(name, entry);
        }
    }

    pub(super) fn find_tag(&self, name: Symbol) -> Option<Tag> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|s| s.tags.get(&name)).copied()
    }

    pub(super) fn find_tag_here(&self, name: Symbol) -> Option<Tag> {
        self.scopes.last()?.tags.get(&name).copied()
    }

    pub(super) fn declare_tag(&mut self, name: Symbol, tag: Tag) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name, tag);
        }
    }
}
