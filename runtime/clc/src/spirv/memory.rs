//! Loads, stores, copies, variables of functions.

use super::function::{Body, Value};
use super::reader::{id, result, result_type};
use super::types::Ty;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{MemoryAccess, Op as Code, StorageClass, Word};
use touchstone_ir::{self as ir, NumKind, Op, Operand};

/// How memory is accessed.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    /// Known alignment of the address, in bytes.
    align: Option<u32>,
    volatile: bool,
}

/// The memory operands of an instruction, from one of its operands on.
fn access(inst: &Instruction, n: usize) -> Check<Access> {
    let Some(dr::Operand::MemoryAccess(mask)) = inst.operands.get(n) else {
        return Ok(Access::default());
    };
    let known = MemoryAccess::VOLATILE | MemoryAccess::ALIGNED | MemoryAccess::NONTEMPORAL;
    ensure!(
        known.contains(*mask),
        "accesses of {mask:?} are not supported"
    );
    let align = match inst.operands.get(n + 1) {
        Some(dr::Operand::LiteralBit32(align)) if mask.contains(MemoryAccess::ALIGNED) => {
            ensure!(
                align.is_power_of_two(),
                "the alignment {align} is no power of two"
            );
            Some(*align)
        }
        _ => None,
    };
    Ok(Access {
        align,
        volatile: mask.contains(MemoryAccess::VOLATILE),
    })
}

impl Body<'_, '_> {
    /// Reads an instruction that accesses memory; false if it is none.
    pub(super) fn memory(&mut self, inst: &Instruction) -> Check<bool> {
        match inst.class.opcode {
            Code::Variable => self.local_variable(inst)?,
            Code::Load => self.load(inst)?,
            Code::Store => self.store(inst)?,
            Code::CopyMemory => {
                let (to, from) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let (ty, _) = self.reader.pointer(self.arg_type(inst, 0)?)?;
                let natural = self.reader.layout(ty)?.align;
                let align = access(inst, 2)?.align.unwrap_or(natural);
                self.copy_aligned(ty, to, from, align.min(natural))?;
            }
            Code::CopyMemorySized => {
                let (dst, src) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let size = self.arg(inst, 2)?;
                let size = self.integer_as(size, ir::Type::I64, NumKind::Unsigned);
                self.b.push(Op::MemCopy {
                    dst,
                    src,
                    size,
                    align: access(inst, 3)?.align.unwrap_or(1),
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A variable of the function: private memory.
    fn local_variable(&mut self, inst: &Instruction) -> Check<()> {
        let (ty, class) = self.reader.pointer(result_type(inst)?)?;
        ensure!(
            class == StorageClass::Function,
            "a variable of a function lies in Function, not {class:?}"
        );
        let own = result(inst)?;
        let layout = self.reader.layout(ty)?;
        let align = self.reader.alignment(own, layout.align)?;
        let name = self.reader.source_name(own).to_owned();
        let address = self.room_of(&name, layout.size, align)?;
        if inst.operands.len() > 1 {
            let value = self.arg(inst, 1)?;
            ensure!(
                self.arg_type(inst, 1)? == ty,
                "{} is of another type",
                self.arg_name(inst, 1)
            );
            self.write(ty, address, value, Access::default())?;
        }
        self.set(inst, address)
    }

    fn load(&mut self, inst: &Instruction) -> Check<()> {
        let ty = result_type(inst)?;
        let address = match self.value(id(inst, 0)?)? {
            Value::Mask(function) => return self.call_c(inst, function, false, Vec::new()),
            Value::Input(query, _) => return self.alias(inst, Value::Asked(query, ty)),
            Value::InputElement(query, of, index) => {
                let element = self.ask_element(query, of, index)?;
                return self.set(inst, element);
            }
            other => self.operand_of(&other)?,
        };
        ensure!(
            self.b.type_of(address).space().is_some(),
            "{} is no pointer",
            self.arg_name(inst, 0)
        );
        let access = access(inst, 1)?;
        let layout = self.reader.layout(ty)?;
        let align = access.align.unwrap_or(layout.align).min(layout.align);
        if self.reader.ty(ty)?.is_aggregate() {
            let room = self.room(ty)?;
            self.copy_aligned(ty, room, address, align)?;
            return self.set(inst, room);
        }
        let register = self.reader.register(ty)?;
        let op = Op::Load {
            ptr: address,
            align,
            volatile: access.volatile,
        };
        let value = self.b.emit(register, op);
        self.set(inst, value)
    }

    fn store(&mut self, inst: &Instruction) -> Check<()> {
        let (address, value) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        ensure!(
            self.b.type_of(address).space().is_some(),
            "{} is no pointer",
            self.arg_name(inst, 0)
        );
        let ty = self.arg_type(inst, 1)?;
        self.write(ty, address, value, access(inst, 2)?)
    }

    fn write(&mut self, ty: Word, address: Operand, value: Operand, access: Access) -> Check<()> {
        let natural = self.reader.layout(ty)?.align;
        let align = access.align.unwrap_or(natural).min(natural);
        match self.reader.ty(ty)? {
            Ty::Array { .. } | Ty::Struct(_) => self.copy_aligned(ty, address, value, align),
            _ => {
                self.b.push(Op::Store {
                    ptr: address,
                    value,
                    align,
                    volatile: access.volatile,
                });
                Ok(())
            }
        }
    }
}
