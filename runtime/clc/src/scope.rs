//! What names mean where.

use crate::intern::Symbol;
use std::collections::HashMap;

/// What names mean in the open scopes, innermost last. The outermost holds what is declared from
/// the start, the next one is program scope.
#[derive(Debug)]
pub(crate) struct Scopes<T> {
    scopes: Vec<HashMap<Symbol, T>>,
}

impl<T> Default for Scopes<T> {
    /// The outermost scope, empty.
    fn default() -> Self {
        Self {
            scopes: vec![HashMap::new()],
        }
    }
}

impl<T: Copy> Scopes<T> {
    pub(crate) fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub(crate) fn close(&mut self) {
        self.scopes.pop();
    }

    /// How many are open.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Closes all but the outermost `depth` ones.
    pub(crate) fn close_to(&mut self, depth: usize) {
        self.scopes.truncate(depth);
    }

    pub(crate) fn find(&self, name: Symbol) -> Option<T> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.get(&name)).copied()
    }

    /// What a name means, and in which of the open scopes it was declared, the outermost being 0.
    pub(crate) fn find_in(&self, name: Symbol) -> Option<(usize, T)> {
        let mut scopes = self.scopes.iter().enumerate().rev();
        scopes.find_map(|(at, scope)| Some((at, *scope.get(&name)?)))
    }

    /// Declares in one of the open scopes.
    pub(crate) fn declare_in(&mut self, at: usize, name: Symbol, meaning: T) {
        if let Some(scope) = self.scopes.get_mut(at) {
            scope.insert(name, meaning);
        }
    }

    /// Closes all but the outermost `depth` ones, for a while: gives what [`Scopes::reopen`] takes.
    pub(crate) fn set_aside(&mut self, depth: usize) -> Vec<HashMap<Symbol, T>> {
        self.scopes.split_off(depth.min(self.scopes.len()))
    }

    /// Opens again what was set aside, after all that was opened since has been closed.
    pub(crate) fn reopen(&mut self, aside: Vec<HashMap<Symbol, T>>) {
        self.scopes.extend(aside);
    }

    /// What the innermost scope itself says.
    pub(crate) fn find_here(&self, name: Symbol) -> Option<T> {
        self.scopes.last()?.get(&name).copied()
    }

    pub(crate) fn declare(&mut self, name: Symbol, meaning: T) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, meaning);
        }
    }

    /// Declares at program scope.
    pub(crate) fn declare_global(&mut self, name: Symbol, meaning: T) {
        if let Some(scope) = self.scopes.get_mut(1) {
            scope.insert(name, meaning);
        }
    }
}
