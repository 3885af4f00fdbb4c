//! The typed tree to IR.
//!
//! - `function`: a function's variables, its blocks, statements
//! - `place`: objects, and reading and writing them
//! - `expr`: expressions
//! - `builtin`: built-in functions
//! - `bits`: extended bit operations, dot products of integers
//! - `enqueue`: device-side enqueue
//! - `geometry`: functions of vectors in space
//! - `group`: copies by a work-group, collective functions, shuffles of sub-groups
//! - `library`: functions that are written in OpenCL C
//! - `link`: several units to one module
//!
//! A scalar, vector or pointer variable whose address nobody takes is a register; everything else
//! has a slot in private memory. Structs travel as pointers to private memory that belongs to the
//! receiver: the caller copies arguments, and gives room for a result in a first, hidden argument.

mod bits;
mod builtin;
mod enqueue;
mod expr;
mod function;
mod geometry;
mod group;
mod library;
mod link;
mod place;

pub(crate) use link::{Linkage, link};

use crate::hir::Unit;
use crate::source::{Loc, SourceMap};
use crate::types::{Qual, Type};
use touchstone_faults::{Latitude, takes};
use touchstone_ir as ir;

/// A unit's module before linking, with what other units may see of it.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) module: ir::Module,
    /// By function.
    pub(crate) functions: Vec<Linkage>,
    /// By program-scope variable.
    pub(crate) globals: Vec<Linkage>,
}

/// What lowering reads.
pub(crate) struct Context<'u> {
    pub(crate) unit: &'u Unit,
    pub(crate) sources: &'u SourceMap,
}

impl Context<'_> {
    /// The variable from which weak exchanges learn whether they fail, where they do so under a latitude: one
    /// more than the unit has.
    fn chance(&self) -> Option<ir::GlobalId> {
        let next = ir::GlobalId(u32::try_from(self.unit.globals.len()).ok()?);
        takes(Latitude::WeakCompareExchangeFails).then_some(next)
    }

    fn loc(&self, at: Loc) -> ir::Loc {
        let position = self.sources.position(at);
        ir::Loc::new(position.line, position.column)
    }

    /// Bytes; every type that reaches lowering has a size.
    fn size(&self, qual: Qual) -> u64 {
        self.unit.types.size(qual).unwrap_or(0)
    }

    fn align(&self, qual: Qual) -> u32 {
        u32::try_from(self.unit.types.align(qual)).unwrap_or(1)
    }

    fn is_void(&self, qual: Qual) -> bool {
        self.unit.types.of(qual) == Type::Void
    }

    /// Whether values of a type travel as pointers.
    fn is_aggregate(&self, qual: Qual) -> bool {
        matches!(self.unit.types.of(qual), Type::Record(_) | Type::Array(..))
    }

    /// The IR's type of a value; aggregates are pointers to private memory.
    fn ty(&self, qual: Qual) -> ir::Type {
        let pointer = ir::Type::Pointer(ir::AddressSpace::Private);
        self.unit.types.ir(qual).unwrap_or(pointer)
    }

    /// The IR's parameters and result of a function.
    fn signature(&self, function: &crate::hir::Function) -> (Vec<ir::Type>, Option<ir::Type>) {
        let mut params = Vec::new();
        let ret = if self.is_void(function.ret) {
            None
        } else if self.is_aggregate(function.ret) {
            params.push(ir::Type::Pointer(ir::AddressSpace::Private));
            None
        } else {
            Some(self.ty(function.ret))
        };
        params.extend(function.params.iter().map(|&p| self.ty(p)));
        (params, ret)
    }
}

/// Lowers a unit that was checked without errors.
pub(crate) fn lower(unit: &Unit, sources: &SourceMap) -> Lowered {
    let context = Context { unit, sources };
    let mut module = ir::Module::new();
    let mut functions = Vec::new();
    for function in &unit.functions {
        let (params, ret) = context.signature(function);
        let mut declared = ir::Function::declare(function.name.clone(), &params, ret);
        declared.loc = context.loc(function.loc);
        declared.kernel = function.kernel.clone();
        module.add_function(declared);
        functions.push(Linkage {
            name: function.name.clone(),
            external: function.external,
            defined: function.body.is_some(),
            shared: false,
        });
    }
    let mut globals = Vec::new();
    for global in &unit.globals {
        module.add_global(ir::Global {
            name: global.name.clone(),
            space: global.qual.space,
            size: context.size(global.qual),
            align: u32::try_from(global.align).unwrap_or(1),
            init: global.init.clone(),
            relocs: global.relocs.clone(),
        });
        globals.push(Linkage {
            name: global.name.clone(),
            external: global.external,
            defined: !global.declared_only,
            shared: false,
        });
    }
    if context.chance().is_some() {
        let name = String::from("the chance of weak exchanges");
        module.add_global(ir::Global {
            name: name.clone(),
            space: ir::AddressSpace::Global,
            size: 4,
            align: 4,
            init: Vec::new(),
            relocs: Vec::new(),
        });
        globals.push(Linkage {
            name,
            external: false,
            defined: true,
            shared: false,
        });
    }
    for local in &unit.locals {
        module.add_local(ir::LocalVar {
            name: local.name.clone(),
            kernel: Some(local.kernel),
            size: context.size(local.qual),
            align: u32::try_from(local.align).unwrap_or(1),
        });
    }
    for (i, function) in unit.functions.iter().enumerate() {
        if let Some(body) = &function.body {
            let declared = module.functions[i].clone();
            module.functions[i] = function::lower(&context, function, body, declared);
        }
    }
    Lowered {
        module,
        functions,
        globals,
    }
}
