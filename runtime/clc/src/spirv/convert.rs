//! Conversions of numbers and pointers.

use super::Check;
use super::function::Body;
use super::reader::result;
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{Decoration, FPRoundingMode, Op as Code};
use touchstone_ir::{self as ir, AddressSpace, NumKind, Op, Operand, Rounding, Scalar};

/// How an instruction reads a number and writes it, and whether it saturates by itself.
fn kinds(code: Code) -> Option<(NumKind, NumKind, bool)> {
    use NumKind::{Float, Signed, Unsigned};
    Some(match code {
        Code::ConvertFToU => (Float, Unsigned, false),
        Code::ConvertFToS => (Float, Signed, false),
        Code::ConvertSToF => (Signed, Float, false),
        Code::ConvertUToF => (Unsigned, Float, false),
        Code::UConvert => (Unsigned, Unsigned, false),
        Code::SConvert => (Signed, Signed, false),
        Code::FConvert => (Float, Float, false),
        Code::SatConvertSToU => (Signed, Unsigned, true),
        Code::SatConvertUToS => (Unsigned, Signed, true),
        _ => return None,
    })
}

/// The rounding of an operand or a decoration.
pub(super) fn rounding(mode: FPRoundingMode) -> Rounding {
    match mode {
        FPRoundingMode::RTE => Rounding::NearestEven,
        FPRoundingMode::RTZ => Rounding::TowardZero,
        FPRoundingMode::RTP => Rounding::Up,
        FPRoundingMode::RTN => Rounding::Down,
    }
}

impl Body<'_, '_> {
    /// Reads an instruction that converts; false if it is none.
    pub(super) fn conversion(&mut self, inst: &Instruction) -> Check<bool> {
        let code = inst.class.opcode;
        let value: Operand = if let Some((from, to, saturates)) = kinds(code) {
            let own = result(inst)?;
            let rounding = match self.reader.decoration(own, Decoration::FPRoundingMode) {
                Some([dr::Operand::FPRoundingMode(mode)]) => rounding(*mode),
                _ => Rounding::Default,
            };
            let decorated = self.reader.has(own, Decoration::SaturatedConversion);
            let op = Op::Convert {
                value: self.arg(inst, 0)?,
                from,
                to,
                rounding,
                saturate: to != NumKind::Float && (saturates || decorated),
            };
            let ty = self.own_type(inst)?;
            self.b.emit(ty, op).into()
        } else {
            let value = match code {
                Code::QuantizeToF16 => {
                    let value = self.arg(inst, 0)?;
                    let ty = self.own_type(inst)?;
                    let half = ty.with_element(Scalar::F16);
                    let half = self.b.convert(value, NumKind::Float, half, NumKind::Float);
                    self.b.convert(half, NumKind::Float, ty, NumKind::Float)
                }
                Code::Bitcast => return self.bitcast(inst),
                Code::ConvertPtrToU => {
                    let address = self.arg(inst, 0)?;
                    let address = self.b.bitcast(address, ir::Type::I64).into();
                    let ty = self.own_type(inst)?;
                    let value = self.integer_as(address, ty, NumKind::Unsigned);
                    self.set(inst, value)?;
                    return Ok(true);
                }
                Code::ConvertUToPtr => {
                    let value = self.arg(inst, 0)?;
                    let value = self.integer_as(value, ir::Type::I64, NumKind::Unsigned);
                    let ty = self.own_type(inst)?;
                    self.b.bitcast(value, ty)
                }
                Code::PtrCastToGeneric | Code::GenericCastToPtr => {
                    let pointer = self.arg(inst, 0)?;
                    let ty = self.own_type(inst)?;
                    self.b.emit(ty, Op::PtrCast(pointer))
                }
                Code::GenericCastToPtrExplicit => {
                    let pointer = self.arg(inst, 0)?;
                    let ty = self.own_type(inst)?;
                    self.b.emit(ty, Op::ToSpace(pointer))
                }
                Code::GenericPtrMemSemantics => return self.pointer_semantics(inst),
                _ => return Ok(false),
            };
            value.into()
        };
        self.set(inst, value)?;
        Ok(true)
    }

    fn bitcast(&mut self, inst: &Instruction) -> Check<bool> {
        let value = self.arg(inst, 0)?;
        let (from, to) = (self.b.type_of(value), self.own_type(inst)?);
        let value = match (from, to) {
            _ if from == to => value,
            // Addresses are numbers of 64 bits, also where several numbers make them up.
            (ir::Type::Pointer(_), ir::Type::Vector(..)) => {
                let address = self.b.bitcast(value, ir::Type::I64);
                self.b.bitcast(address, to).into()
            }
            (ir::Type::Vector(..), ir::Type::Pointer(_)) => {
                let address = self.b.bitcast(value, ir::Type::I64);
                self.b.bitcast(address, to).into()
            }
            (ir::Type::Pointer(_), ir::Type::Pointer(_)) => {
                return Err("a pointer to another address space is no bitcast".into());
            }
            _ => self.b.bitcast(value, to).into(),
        };
        self.set(inst, value)?;
        Ok(true)
    }

    /// The bits of memory semantics for where a generic pointer points.
    fn pointer_semantics(&mut self, inst: &Instruction) -> Check<bool> {
        let pointer = self.arg(inst, 0)?;
        let mut bits: Operand = ir::Const::i32(0).into();
        // WorkgroupMemory, CrossWorkgroupMemory.
        for (space, bit) in [(AddressSpace::Local, 0x100), (AddressSpace::Global, 0x200)] {
            let there = self.b.emit(ir::Type::Pointer(space), Op::ToSpace(pointer));
            let null = self.b.compare(ir::Cmp::Eq, there, ir::Const::Null(space));
            bits = self.b.select(null, bits, ir::Const::i32(bit)).into();
        }
        self.set(inst, bits)?;
        Ok(true)
    }
}
