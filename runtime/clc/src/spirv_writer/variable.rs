//! Variables of the program and of work-groups, and the built-in ones, which answer questions about the index space.

use super::function::Body;
use super::words::ids;
use super::{Check, Writer, words::Id};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use touchstone_ir::{
    self as ir, AddressSpace, Const, GlobalId, IntOp, LocalId, Query, Scalar, Type,
};

/// The built-in variable that answers a question.
fn built_in(query: Query) -> BuiltIn {
    match query {
        Query::WorkDim => BuiltIn::WorkDim,
        Query::GlobalSize => BuiltIn::GlobalSize,
        Query::GlobalId => BuiltIn::GlobalInvocationId,
        Query::LocalSize => BuiltIn::WorkgroupSize,
        Query::EnqueuedLocalSize => BuiltIn::EnqueuedWorkgroupSize,
        Query::LocalId => BuiltIn::LocalInvocationId,
        Query::NumGroups => BuiltIn::NumWorkgroups,
        Query::GroupId => BuiltIn::WorkgroupId,
        Query::GlobalOffset => BuiltIn::GlobalOffset,
        Query::GlobalLinearId => BuiltIn::GlobalLinearId,
        Query::LocalLinearId => BuiltIn::LocalInvocationIndex,
        Query::SubGroupSize => BuiltIn::SubgroupSize,
        Query::MaxSubGroupSize => BuiltIn::SubgroupMaxSize,
        Query::NumSubGroups => BuiltIn::NumSubgroups,
        Query::EnqueuedNumSubGroups => BuiltIn::NumEnqueuedSubgroups,
        Query::SubGroupId => BuiltIn::SubgroupId,
        Query::SubGroupLocalId => BuiltIn::SubgroupLocalInvocationId,
    }
}

/// Whether the answer has the size of a pointer, and not 32 bits.
fn is_wide(query: Query) -> bool {
    query.takes_dim() || matches!(query, Query::GlobalLinearId | Query::LocalLinearId)
}

/// The answer for a dimension that there is not.
fn beyond(query: Query) -> u64 {
    match query {
        Query::GlobalSize | Query::LocalSize | Query::EnqueuedLocalSize | Query::NumGroups => 1,
        _ => 0,
    }
}

impl Writer<'_> {
    fn global_variable(&mut self, id: GlobalId) -> Check<Id> {
        if let Some(&variable) = self.globals.get(&id) {
            return Ok(variable);
        }
        let global = &self.module.globals[id.0 as usize];
        if !global.relocs.is_empty() {
            return Err(format!(
                "an address in the initial value of {}",
                global.name
            ));
        }
        let (class, size) = (super::class_of(global.space), global.size);
        let initial = self.words.contents(&global.init, size, global.align)?;
        let ty = self.words.room(size, global.align);
        let variable = self.variable(class, ty, Some(initial));
        self.aligned(variable, &global.name, global.align);
        if global.space == AddressSpace::Constant {
            self.words.decorate(variable, Decoration::Constant, None);
        }
        self.globals.insert(id, variable);
        Ok(variable)
    }

    fn local_variable(&mut self, id: LocalId) -> Id {
        if let Some(&variable) = self.locals.get(&id) {
            return variable;
        }
        let local = &self.module.locals[id.0 as usize];
        let ty = self.words.room(local.size, local.align);
        let variable = self.variable(StorageClass::Workgroup, ty, None);
        self.aligned(variable, &local.name, local.align);
        self.locals.insert(id, variable);
        variable
    }

    /// Says how a variable in memory is called and aligned.
    pub(super) fn aligned(&mut self, variable: Id, name: &str, align: u32) {
        self.words.name(variable, name);
        let align = Operand::LiteralBit32(align);
        self.words
            .decorate(variable, Decoration::Alignment, Some(align));
    }

    /// A built-in variable of a type.
    fn input(&mut self, built_in: BuiltIn, ty: Id) -> Id {
        if let Some(&variable) = self.inputs.get(&(built_in as u32)) {
            return variable;
        }
        let variable = self.variable(StorageClass::Input, ty, None);
        let which = Operand::BuiltIn(built_in);
        self.words
            .decorate(variable, Decoration::BuiltIn, Some(which));
        self.words.decorate(variable, Decoration::Constant, None);
        self.inputs.insert(built_in as u32, variable);
        variable
    }
}

impl Body<'_, '_> {
    /// The address of a program-scope variable.
    pub(super) fn global_address(&mut self, id: GlobalId) -> Check<Id> {
        let variable = self.writer.global_variable(id)?;
        let space = self.writer.module.globals[id.0 as usize].space;
        self.uses.insert(variable);
        Ok(self.bytes(variable, space))
    }

    /// The address of a variable in local memory.
    pub(super) fn local_address(&mut self, id: LocalId) -> Id {
        let variable = self.writer.local_variable(id);
        self.uses.insert(variable);
        self.bytes(variable, AddressSpace::Local)
    }

    /// A pointer to the bytes of an object.
    pub(super) fn bytes(&mut self, object: Id, space: AddressSpace) -> Id {
        let ty = self.writer.words.ty(Type::Pointer(space));
        self.emit(Op::Bitcast, ty, ids(&[object]))
    }

    /// What a built-in variable of a type holds.
    pub(super) fn asked(&mut self, built_in: BuiltIn, ty: Id) -> Id {
        let variable = self.writer.input(built_in, ty);
        self.uses.insert(variable);
        self.emit(Op::Load, ty, ids(&[variable]))
    }

    /// The answer to a question about the index space, of 64 bits.
    pub(super) fn query(&mut self, query: Query, dim: Option<ir::Operand>) -> Check<Id> {
        let wide = self.writer.words.ty(Type::I64);
        let Some(dim) = dim else {
            let ty = if is_wide(query) { Type::I64 } else { Type::I32 };
            let own = self.writer.words.ty(ty);
            let answer = self.asked(built_in(query), own);
            return Ok(match ty {
                Type::I64 => answer,
                _ => self.emit(Op::UConvert, wide, ids(&[answer])),
            });
        };
        let default = self.writer.words.wide(beyond(query));
        let three = self.writer.words.three();
        if let ir::Operand::Const(dim) = dim {
            if dim.bits() > 2 {
                return Ok(default);
            }
            let all = self.asked(built_in(query), three);
            let part = Operand::LiteralBit32(dim.bits() as u32);
            return Ok(self.emit(Op::CompositeExtract, wide, vec![Operand::IdRef(all), part]));
        }
        let dim = self.value(dim)?;
        let all = self.asked(built_in(query), three);
        let truth = self.writer.words.ty(Type::BOOL);
        let number = self.writer.words.ty(Type::I32);
        let [count, first] = [3, 0].map(|n| self.writer.words.word(n));
        let there = self.emit(Op::ULessThan, truth, ids(&[dim, count]));
        let place = self.emit(Op::Select, number, ids(&[there, dim, first]));
        let part = self.emit(Op::VectorExtractDynamic, wide, ids(&[all, place]));
        Ok(self.emit(Op::Select, wide, ids(&[there, part, default])))
    }

    /// An index into a vector, taken modulo its length.
    pub(super) fn index(&mut self, index: ir::Operand, lanes: u32) -> Check<Id> {
        let ty = self.type_of(index)?;
        let lanes_of = |bits| Const::scalar(ty.element().unwrap_or(Scalar::I32), bits);
        let op = match lanes.is_power_of_two() {
            true => (IntOp::And, lanes_of(u64::from(lanes) - 1)),
            false => (IntOp::URem, lanes_of(lanes.into())),
        };
        self.int(ty, op.0, index, op.1.into())
    }
}
