//! The checker: syntax tree in, typed tree out.
//!
//! - `scope`: what names mean
//! - `names`: what is declared from the start
//! - `missing`: what Touchstone does not have
//! - `typing`: specifiers and declarators to types
//! - `attrs`: attributes
//! - `decl`: declarations and variables
//! - `function`: functions, kernels and their arguments
//! - `block`: blocks, what they capture and their variables
//! - `template`: functions that take blocks
//! - `init`: initialisers
//! - `stmt`, `expr`, `ops`, `assign`, `convert`, `call`: statements and expressions
//! - `fold`: constants
//! - `builtin`: built-in functions
//!
//! An expression that is wrong is reported once and dropped; the rest of the unit is checked on.

mod assign;
mod attrs;
mod block;
mod builtin;
mod call;
mod convert;
mod decl;
mod expr;
mod fold;
mod function;
mod init;
mod missing;
mod names;
mod ops;
mod scope;
mod stmt;
mod template;
mod typing;

pub(crate) use names::type_names;

use crate::ast;
use crate::device::Language;
use crate::diag::{Diagnostics, Reported};
use crate::hir;
use crate::intern::{Interner, Symbol, add};
use crate::scope::Scopes;
use crate::source::Loc;
use crate::types::{Qual, Types};
use scope::{Entry, Tag};
use std::collections::HashMap;
use touchstone_ir as ir;

/// The result of a check.
pub(crate) type Checked<T> = Result<T, Reported>;

/// The state of the check of one unit.
pub(crate) struct Sema<'a> {
    types: Types,
    names: &'a mut Interner,
    diags: &'a mut Diagnostics,
    language: &'a Language,
    scopes: Scopes<Entry>,
    tags: Scopes<Tag>,
    functions: Vec<hir::Function>,
    by_name: HashMap<Symbol, hir::FnId>,
    /// Functions of the library that are called.
    library: HashMap<String, hir::FnId>,
    globals: Vec<hir::Global>,
    locals: Vec<hir::Local>,
    /// Who calls whom, to find recursion.
    calls: Vec<(hir::FnId, hir::FnId, Loc)>,
    /// The function, or the block, whose body is being checked.
    current: Option<Current>,
    /// The function and the blocks around that block, outermost first.
    enclosing: Vec<Current>,
    templates: template::Templates,
    /// Of each block, the struct of what it captured.
    captures: HashMap<hir::FnId, Qual>,
    /// `ndrange_t`, once it is known.
    range: Option<Qual>,
}

/// The function whose body is being checked.
struct Current {
    id: hir::FnId,
    ret: Qual,
    kernel: bool,
    vars: Vec<hir::Var>,
    labels: u32,
    named_labels: HashMap<Symbol, NamedLabel>,
    loops: u32,
    breakables: u32,
    switches: Vec<Switch>,
    /// Blocks open inside the body.
    blocks: u32,
    /// The first of its scopes, by how many are around it.
    base: usize,
    /// Of a block that does not say what it returns, until a `return` does.
    infers: bool,
    captures: Vec<block::Capture>,
}

impl Current {
    /// Of a function that is no kernel, whose scopes are the next ones to be opened.
    fn new(id: hir::FnId, ret: Qual, base: usize) -> Self {
        Self {
            id,
            ret,
            kernel: false,
            vars: Vec::new(),
            labels: 0,
            named_labels: HashMap::new(),
            loops: 0,
            breakables: 0,
            switches: Vec::new(),
            blocks: 0,
            base,
            infers: false,
            captures: Vec::new(),
        }
    }
}

struct NamedLabel {
    id: hir::LabelId,
    defined: bool,
    at: Loc,
}

/// A `switch` whose body is being checked.
struct Switch {
    qual: Qual,
    cases: Vec<(u64, hir::LabelId)>,
    default: Option<hir::LabelId>,
}

/// Checks a unit.
pub(crate) fn check(
    items: &[ast::Item],
    names: &mut Interner,
    diags: &mut Diagnostics,
    language: &Language,
) -> hir::Unit {
    let mut sema = Sema {
        types: Types::default(),
        names,
        diags,
        language,
        scopes: Scopes::default(),
        tags: Scopes::default(),
        functions: Vec::new(),
        by_name: HashMap::new(),
        library: HashMap::new(),
        globals: Vec::new(),
        locals: Vec::new(),
        calls: Vec::new(),
        current: None,
        enclosing: Vec::new(),
        templates: template::Templates::default(),
        captures: HashMap::new(),
        range: None,
    };
    sema.declare_known_names();
    sema.open_scope();
    for item in items {
        if sema.diags.hopeless() {
            break;
        }
        // What is wrong has been reported.
        let _ = sema.item(item);
    }
    sema.check_recursion();
    hir::Unit {
        types: sema.types,
        functions: sema.functions,
        globals: sema.globals,
        locals: sema.locals,
    }
}

impl Sema<'_> {
    fn error<T>(&mut self, at: Loc, message: impl Into<String>) -> Checked<T> {
        Err(self.diags.error(at, message))
    }

    fn unsupported<T>(&mut self, at: Loc, what: &str, feature: &str) -> Checked<T> {
        Err(self.diags.unsupported(at, what, feature))
    }

    fn show(&self, qual: Qual) -> String {
        self.types.show(qual, self.names)
    }

    fn name(&self, symbol: Symbol) -> String {
        self.names.get(symbol).to_owned()
    }

    fn open_scope(&mut self) {
        self.scopes.open();
        self.tags.open();
    }

    fn close_scope(&mut self) {
        self.scopes.close();
        self.tags.close();
    }

    /// The function being checked; only called inside bodies.
    fn current(&mut self, at: Loc) -> Checked<&mut Current> {
        if self.current.is_none() {
            return self.error(at, "this can only stand inside a function");
        }
        self.current.as_mut().ok_or(Reported)
    }

    /// A new variable of the function being checked.
    fn new_var(&mut self, var: hir::Var, at: Loc) -> Checked<hir::VarId> {
        Ok(hir::VarId(add(&mut self.current(at)?.vars, var)))
    }

    /// Reports each function that ends up calling itself (OpenCL C 6.11: no recursion).
    fn check_recursion(&mut self) {
        let mut calls = vec![Vec::new(); self.functions.len()];
        for (from, to, at) in &self.calls {
            calls[from.0 as usize].push((to.0 as usize, *at));
        }
        ir::calls::cycles(&calls, |cycle, at| {
            let name = &self.functions[cycle[0]].name;
            let message = format!("`{name}` calls itself by this; OpenCL C has no recursion");
            self.diags.error(at, message);
        });
    }
}
