//! Vectors and their elements.

use super::Check;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::dr;
use rspirv::spirv::Op;
use touchstone_ir::{Operand, Type};

impl Body<'_, '_> {
    /// A vector with all elements equal.
    pub(super) fn splat(&mut self, ty: Type, one: Operand) -> Check<Id> {
        if let Operand::Const(one) = one {
            return Ok(self.writer.words.same(ty, one.bits()));
        }
        let one = self.value(one)?;
        let all = vec![one; ty.lanes() as usize];
        Ok(self.compute(Op::CompositeConstruct, ty, &all))
    }

    /// A vector from its elements.
    pub(super) fn construct(&mut self, ty: Type, parts: &[Operand]) -> Check<Id> {
        let parts = parts.iter().map(|&part| self.value(part));
        let parts = parts.collect::<Check<Vec<Id>>>()?;
        Ok(self.compute(Op::CompositeConstruct, ty, &parts))
    }

    /// The element at an index.
    pub(super) fn extract(&mut self, ty: Type, vector: Operand, index: Operand) -> Check<Id> {
        let lanes = self.type_of(vector)?.lanes();
        let vector = self.value(vector)?;
        if let Operand::Const(index) = index {
            let place = dr::Operand::LiteralBit32(place(index.bits(), lanes));
            let ty = self.writer.words.ty(ty);
            let operands = vec![dr::Operand::IdRef(vector), place];
            return Ok(self.emit(Op::CompositeExtract, ty, operands));
        }
        let index = self.index(index, lanes)?;
        Ok(self.compute(Op::VectorExtractDynamic, ty, &[vector, index]))
    }

    /// A vector with one element replaced.
    pub(super) fn insert(
        &mut self,
        ty: Type,
        vector: Operand,
        index: Operand,
        part: Operand,
    ) -> Check<Id> {
        let (vector, part) = (self.value(vector)?, self.value(part)?);
        if let Operand::Const(index) = index {
            let place = dr::Operand::LiteralBit32(place(index.bits(), ty.lanes()));
            let mut operands = ids(&[part, vector]);
            operands.push(place);
            let ty = self.writer.words.ty(ty);
            return Ok(self.emit(Op::CompositeInsert, ty, operands));
        }
        let index = self.index(index, ty.lanes())?;
        Ok(self.compute(Op::VectorInsertDynamic, ty, &[vector, part, index]))
    }

    /// Elements chosen from two vectors laid end to end.
    pub(super) fn shuffle(&mut self, ty: Type, a: Operand, b: Operand, mask: &[u8]) -> Check<Id> {
        let mut operands = ids(&[self.value(a)?, self.value(b)?]);
        let places = mask.iter().map(|&n| dr::Operand::LiteralBit32(n.into()));
        operands.extend(places);
        let ty = self.writer.words.ty(ty);
        Ok(self.emit(Op::VectorShuffle, ty, operands))
    }
}

/// An index modulo the number of elements.
fn place(index: u64, lanes: u32) -> u32 {
    (index % u64::from(lanes)) as u32
}
