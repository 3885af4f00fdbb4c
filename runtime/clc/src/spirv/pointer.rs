//! Arithmetic on pointers.

use super::function::{Body, Value};
use super::reader::{id, result_type};
use super::types::Ty;
use super::{Check, ensure};
use rspirv::dr::Instruction;
use rspirv::spirv::{Op as Code, Word};
use touchstone_ir::{self as ir, Const, IntOp, NumKind, Operand};

impl Body<'_, '_> {
    /// Reads an instruction about pointers; false if it is none.
    pub(super) fn pointer(&mut self, inst: &Instruction) -> Check<bool> {
        match inst.class.opcode {
            Code::AccessChain | Code::InBoundsAccessChain => self.chain(inst, false)?,
            Code::PtrAccessChain | Code::InBoundsPtrAccessChain => self.chain(inst, true)?,
            Code::PtrDiff => {
                let (ty, _) = self.reader.pointer(self.arg_type(inst, 0)?)?;
                let size = self.reader.layout(ty)?.size.max(1);
                let [a, b] = [0, 1].map(|n| {
                    let pointer = self.arg(inst, n)?;
                    Ok::<Operand, String>(self.b.bitcast(pointer, ir::Type::I64).into())
                });
                let bytes = self.b.int(IntOp::Sub, a?, b?);
                let elements = self.b.int(IntOp::SDiv, bytes, Const::i64(size as i64));
                let own = self.own_type(inst)?;
                let elements = self.integer_as(elements.into(), own, NumKind::Signed);
                self.set(inst, elements)?;
            }
            Code::SizeOf => {
                let (ty, _) = self.reader.pointer(self.arg_type(inst, 0)?)?;
                let size = Const::i64(self.reader.layout(ty)?.size as i64);
                let own = self.own_type(inst)?;
                let size = self.integer_as(size.into(), own, NumKind::Unsigned);
                self.set(inst, size)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The address of a part of what a pointer points to; `element` says whether the first index counts whole objects.
    fn chain(&mut self, inst: &Instruction, element: bool) -> Check<()> {
        let base = id(inst, 0)?;
        if self.is_input(base) {
            return self.input_chain(inst, element);
        }
        let mut address = self.operand(base)?;
        let (mut ty, _) = self.reader.pointer(self.reader.type_of(base)?)?;
        ensure!(
            self.b.type_of(address).space().is_some(),
            "its base is no pointer"
        );
        // What constant indices add up to.
        let mut offset = 0i64;
        for n in 1..inst.operands.len() {
            let index = id(inst, n)?;
            let known = self.reader.index(index)?;
            let of = match self.reader.ty(ty)? {
                _ if element && n == 1 => ty,
                Ty::Struct(_) => {
                    let Some(member) = known else {
                        return Err("the number of a member is no constant".into());
                    };
                    let (member_ty, at) = self.reader.part(ty, member as u64)?;
                    ty = member_ty;
                    offset = offset.wrapping_add(at as i64);
                    continue;
                }
                Ty::Array { element, .. } => element,
                Ty::Vector(..) => {
                    // It is the last index: a scalar has no parts.
                    let size = self
                        .reader
                        .register(ty)?
                        .element()
                        .map_or(1, ir::Scalar::size);
                    let last = n + 1 == inst.operands.len();
                    ensure!(last, "a scalar has no parts");
                    address = self.step(address, index, known, size.into(), &mut offset)?;
                    continue;
                }
                _ => return Err(format!("{} has no parts", self.reader.name(ty))),
            };
            let size = self.reader.layout(of)?.size;
            ty = of;
            address = self.step(address, index, known, size, &mut offset)?;
        }
        if offset != 0 {
            address = self.b.ptr_offset(address, offset).into();
        }
        let own = self.own_type(inst)?;
        ensure!(
            self.b.type_of(address) == own,
            "its result is in another address space than its base"
        );
        self.set(inst, address)
    }

    /// So many objects of a size on: an address where the number is computed, else more of the offset.
    fn step(
        &mut self,
        address: Operand,
        index: Word,
        known: Option<i64>,
        size: u64,
        offset: &mut i64,
    ) -> Check<Operand> {
        if let Some(index) = known {
            *offset = offset.wrapping_add(index.wrapping_mul(size as i64));
            return Ok(address);
        }
        let index = self.operand(index)?;
        ensure!(
            matches!(self.b.type_of(index), ir::Type::Scalar(scalar) if scalar.is_int()),
            "an index is no integer"
        );
        let index = self.integer_as(index, ir::Type::I64, NumKind::Signed);
        Ok(match u32::try_from(size) {
            Ok(scale) => self.b.ptr_add(address, index, scale, 0).into(),
            Err(_) => {
                let bytes = self.b.int(IntOp::Mul, index, Const::i64(size as i64));
                self.b.ptr_add(address, bytes, 1, 0).into()
            }
        })
    }

    /// A pointer to an element of a built-in variable.
    fn input_chain(&mut self, inst: &Instruction, element: bool) -> Check<()> {
        let Value::Input(query, ty) = self.value(id(inst, 0)?)? else {
            return Err("its base is no built-in variable".into());
        };
        let first = if element { 2 } else { 1 };
        if element {
            let whole = self.reader.index(id(inst, 1)?)?;
            ensure!(whole == Some(0), "a built-in variable is no array");
        }
        let value = match inst.operands.len().checked_sub(first) {
            Some(0) => Value::Input(query, ty),
            Some(1) if query.takes_dim() => Value::InputElement(query, ty, id(inst, first)?),
            _ => return Err("a built-in variable has no such part".into()),
        };
        self.reader.pointer(result_type(inst)?)?;
        self.alias(inst, value)
    }
}
