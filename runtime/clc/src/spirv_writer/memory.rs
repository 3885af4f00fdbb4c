//! Addresses, loads, stores, copies.

use super::Check;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::dr;
use rspirv::spirv::{MemoryAccess, Op};
use touchstone_ir::{self as ir, Const, IntOp, Operand, Scalar, Type};

/// How memory is accessed, as operands.
fn access(align: u32, volatile: bool) -> [dr::Operand; 2] {
    let mut how = MemoryAccess::ALIGNED;
    how.set(MemoryAccess::VOLATILE, volatile);
    [
        dr::Operand::MemoryAccess(how),
        dr::Operand::LiteralBit32(align),
    ]
}

impl Body<'_, '_> {
    /// Writes an access to memory, a fence or a barrier; None if the operation is none, else its result.
    pub(super) fn accesses(&mut self, op: &ir::Op, ty: Option<Type>) -> Check<Option<Option<Id>>> {
        match op {
            ir::Op::Load {
                ptr,
                align,
                volatile,
            } => {
                let Some(ty) = ty else {
                    return Ok(Some(None));
                };
                let value = self.load(ty, *ptr, (*align, *volatile))?;
                return Ok(Some(Some(value)));
            }
            ir::Op::Store {
                ptr,
                value,
                align,
                volatile,
            } => self.store(*ptr, *value, (*align, *volatile))?,
            ir::Op::MemCopy {
                dst,
                src,
                size,
                align,
            } => self.copy(*dst, *src, *size, *align)?,
            ir::Op::MemSet {
                dst, byte, size, ..
            } => self.fill(*dst, *byte, *size)?,
            _ => return self.atomic(op, ty),
        }
        Ok(Some(None))
    }

    /// An address as a pointer to objects of a type.
    pub(super) fn pointer_to(&mut self, ptr: Operand, ty: Type) -> Check<Id> {
        let Type::Pointer(space) = self.type_of(ptr)? else {
            return Err(format!("the address {ptr}"));
        };
        let value = self.value(ptr)?;
        if ty == Type::I8 {
            return Ok(value);
        }
        let to = self.writer.words.ty(ty);
        let pointer = self.writer.words.pointer(space, to);
        Ok(self.emit(Op::Bitcast, pointer, ids(&[value])))
    }

    fn load(&mut self, ty: Type, ptr: Operand, (align, volatile): (u32, bool)) -> Check<Id> {
        let stored = if ty == Type::BOOL { Type::I8 } else { ty };
        let mut operands = ids(&[self.pointer_to(ptr, stored)?]);
        operands.extend(access(align, volatile));
        let own = self.writer.words.ty(stored);
        let value = self.emit(Op::Load, own, operands);
        if ty != Type::BOOL {
            return Ok(value);
        }
        let zero = self.writer.words.same(Type::I8, 0);
        Ok(self.compute(Op::INotEqual, ty, &[value, zero]))
    }

    fn store(&mut self, ptr: Operand, value: Operand, (align, volatile): (u32, bool)) -> Check<()> {
        let ty = self.type_of(value)?;
        let mut value = self.value(value)?;
        let mut stored = ty;
        if ty == Type::BOOL {
            stored = Type::I8;
            let [yes, no] = [1, 0].map(|bits| self.writer.words.same(stored, bits));
            value = self.compute(Op::Select, stored, &[value, yes, no]);
        }
        let mut operands = ids(&[self.pointer_to(ptr, stored)?, value]);
        operands.extend(access(align, volatile));
        self.push(Op::Store, operands);
        Ok(())
    }

    /// `base + index * scale + disp`, in bytes.
    pub(super) fn pointer_add(
        &mut self,
        ty: Type,
        base: Operand,
        index: Operand,
        (scale, disp): (u32, i64),
    ) -> Check<Id> {
        let number = |n: i64| Const::scalar(Scalar::I64, n as u64);
        let offset = match index {
            Operand::Const(index) => {
                let scaled = (index.bits() as i64).wrapping_mul(scale.into());
                let offset = scaled.wrapping_add(disp);
                if offset == 0 {
                    return self.value(base);
                }
                self.writer.words.constant(number(offset))
            }
            Operand::Reg(_) => {
                let mut offset = match scale {
                    1 => self.value(index)?,
                    _ => self.int(Type::I64, IntOp::Mul, index, number(scale.into()).into())?,
                };
                if disp != 0 {
                    let more = self.writer.words.constant(number(disp));
                    offset = self.compute(Op::IAdd, Type::I64, &[offset, more]);
                }
                offset
            }
        };
        let base = self.value(base)?;
        Ok(self.compute(Op::PtrAccessChain, ty, &[base, offset]))
    }

    fn copy(&mut self, dst: Operand, src: Operand, size: Operand, align: u32) -> Check<()> {
        // A length that is a constant is not zero.
        if let Operand::Const(size) = size
            && size.bits() == 0
        {
            return Ok(());
        }
        let mut operands = ids(&[self.value(dst)?, self.value(src)?, self.value(size)?]);
        operands.extend(access(align, false));
        self.push(Op::CopyMemorySized, operands);
        Ok(())
    }

    /// Writes a byte to each of so many places, in a loop.
    fn fill(&mut self, dst: Operand, byte: Operand, size: Operand) -> Check<()> {
        let (pointer, byte, size) = (self.value(dst)?, self.value(byte)?, self.value(size)?);
        let (before, place) = (self.here(), self.type_of(dst)?);
        let [head, body, end, next] = [0; 4].map(|_| self.writer.words.id());
        let [zero, one] = [0, 1].map(|n| self.writer.words.wide(n));
        self.terminate(Op::Branch, ids(&[head]));
        self.begin(head);
        let n = self.compute(Op::Phi, Type::I64, &[zero, before, next, body]);
        let more = self.compute(Op::ULessThan, Type::BOOL, &[n, size]);
        self.terminate(Op::BranchConditional, ids(&[more, body, end]));
        self.begin(body);
        let at = self.compute(Op::PtrAccessChain, place, &[pointer, n]);
        let mut operands = ids(&[at, byte]);
        operands.extend(access(1, false));
        self.push(Op::Store, operands);
        self.compute_as(next, Op::IAdd, Type::I64, &[n, one]);
        self.terminate(Op::Branch, ids(&[head]));
        self.begin(end);
        Ok(())
    }
}
