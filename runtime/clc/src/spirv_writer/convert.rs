//! Conversions of numbers, bits and pointers.

use super::Check;
use super::class_of;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::dr;
use rspirv::spirv::{Decoration, FPRoundingMode, Op};
use touchstone_ir::{AddressSpace, Lanes, NumKind, Operand, Rounding, Scalar, Type};

/// The decoration of a rounding; none where it is that of the instruction.
fn mode(rounding: Rounding) -> Option<FPRoundingMode> {
    match rounding {
        Rounding::Default => None,
        Rounding::NearestEven => Some(FPRoundingMode::RTE),
        Rounding::TowardZero => Some(FPRoundingMode::RTZ),
        Rounding::Up => Some(FPRoundingMode::RTP),
        Rounding::Down => Some(FPRoundingMode::RTN),
    }
}

/// The bits of one as a float.
fn one(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::F32 => u64::from(1f32.to_bits()),
        Scalar::F64 => 1f64.to_bits(),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 1,
    }
}

impl Body<'_, '_> {
    /// A conversion of numbers.
    pub(super) fn convert(
        &mut self,
        ty: Type,
        value: Operand,
        (from, to): (NumKind, NumKind),
        rounding: Rounding,
        saturate: bool,
    ) -> Check<Id> {
        use NumKind::{Float, Signed, Unsigned};
        let source = self.type_of(value)?;
        let value = self.value(value)?;
        if source == Type::BOOL {
            if ty == Type::BOOL {
                return Ok(value);
            }
            let yes = one(ty.element().unwrap_or(Scalar::I32));
            let [yes, no] = [yes, 0].map(|bits| self.writer.words.same(ty, bits));
            return Ok(self.compute(Op::Select, ty, &[value, yes, no]));
        }
        if ty == Type::BOOL {
            let zero = self.writer.words.same(source, 0);
            let code = match from {
                Float => Op::FUnordNotEqual,
                Signed | Unsigned => Op::INotEqual,
            };
            return Ok(self.compute(code, ty, &[value, zero]));
        }
        let same = source.size() == ty.size();
        let (code, saturates) = match (from, to) {
            (Signed, Unsigned) if saturate => (Op::SatConvertSToU, true),
            (Unsigned, Signed) if saturate => (Op::SatConvertUToS, true),
            (Float, Float) | (Signed | Unsigned, Signed | Unsigned) if same => return Ok(value),
            (Float, Float) => (Op::FConvert, true),
            (Float, Signed) => (Op::ConvertFToS, false),
            (Float, Unsigned) => (Op::ConvertFToU, false),
            (Signed, Float) => (Op::ConvertSToF, true),
            (Unsigned, Float) => (Op::ConvertUToF, true),
            (Signed, Signed | Unsigned) => (Op::SConvert, false),
            (Unsigned, Signed | Unsigned) => (Op::UConvert, false),
        };
        let converted = self.compute(code, ty, &[value]);
        let words = &mut self.writer.words;
        if saturate && !saturates {
            words.decorate(converted, Decoration::SaturatedConversion, None);
        }
        if let Some(mode) = mode(rounding)
            && (from == Float || to == Float)
        {
            let mode = dr::Operand::FPRoundingMode(mode);
            words.decorate(converted, Decoration::FPRoundingMode, Some(mode));
        }
        Ok(converted)
    }

    /// The same bits as another type.
    pub(super) fn bitcast(&mut self, ty: Type, value: Operand) -> Check<Id> {
        let source = self.type_of(value)?;
        let value = match source {
            Type::Pointer(_) if source != ty => self.address(value)?,
            _ => self.value(value)?,
        };
        if source == ty {
            return Ok(value);
        }
        Ok(match (source, ty) {
            (Type::Pointer(_) | Type::I64, Type::Pointer(_)) => {
                self.compute(Op::ConvertUToPtr, ty, &[value])
            }
            (_, Type::Pointer(_)) => {
                let address = self.compute(Op::Bitcast, Type::I64, &[value]);
                self.compute(Op::ConvertUToPtr, ty, &[address])
            }
            (Type::Pointer(_), Type::I64) => value,
            (Type::Vector(from, Lanes::L3), Type::Vector(to, Lanes::L3))
                if from.size() == to.size() =>
            {
                self.compute(Op::Bitcast, ty, &[value])
            }
            _ => {
                // A vector of three has the size of one of four.
                let value = match source {
                    Type::Vector(element, Lanes::L3) => {
                        self.resized(Type::Vector(element, Lanes::L4), value, 3)
                    }
                    Type::Vector(..) | Type::Scalar(_) | Type::Pointer(_) => value,
                };
                match ty {
                    Type::Vector(element, Lanes::L3) => {
                        let four = Type::Vector(element, Lanes::L4);
                        let wide = self.compute(Op::Bitcast, four, &[value]);
                        self.resized(ty, wide, 3)
                    }
                    Type::Vector(..) | Type::Scalar(_) | Type::Pointer(_) => {
                        self.recast(ty, source, value)
                    }
                }
            }
        })
    }

    /// Bits as a type that is no vector of three.
    fn recast(&mut self, ty: Type, source: Type, value: Id) -> Id {
        match source {
            Type::Vector(element, Lanes::L3) if Type::Vector(element, Lanes::L4) == ty => value,
            _ => self.compute(Op::Bitcast, ty, &[value]),
        }
    }

    /// A vector with as many elements as its type has, of which so many are those of another; the last is any.
    fn resized(&mut self, ty: Type, value: Id, kept: u32) -> Id {
        let place = |n: u32| dr::Operand::LiteralBit32(if n < kept { n } else { u32::MAX });
        let mut operands = ids(&[value, value]);
        operands.extend((0..ty.lanes()).map(place));
        let ty = self.writer.words.ty(ty);
        self.emit(Op::VectorShuffle, ty, operands)
    }

    /// A pointer to another address space, with the same address.
    pub(super) fn pointer_cast(&mut self, ty: Type, pointer: Operand) -> Check<Id> {
        let source = self.type_of(pointer)?;
        if let Operand::Const(_) = pointer {
            let ty = self.writer.words.ty(ty);
            return Ok(self.writer.words.zero_of(ty));
        }
        let value = self.value(pointer)?;
        let (Type::Pointer(from), Type::Pointer(to)) = (source, ty) else {
            return Err(format!("a pointer of {source}"));
        };
        let code = match (from, to) {
            _ if from == to => return Ok(value),
            (AddressSpace::Constant, _) | (_, AddressSpace::Constant) => {
                return Err(format!("a {from} pointer as a {to} one"));
            }
            (_, AddressSpace::Generic) => Op::PtrCastToGeneric,
            (AddressSpace::Generic, _) => Op::GenericCastToPtr,
            _ => return Err(format!("a {from} pointer as a {to} one")),
        };
        Ok(self.compute(code, ty, &[value]))
    }

    /// A generic pointer as one to a space, or null.
    pub(super) fn cast_explicitly(&mut self, ty: Type, pointer: Operand) -> Check<Id> {
        let Type::Pointer(space) = ty else {
            return Err(format!("a pointer of {ty}"));
        };
        let pointer = dr::Operand::IdRef(self.value(pointer)?);
        let class = dr::Operand::StorageClass(class_of(space));
        let ty = self.writer.words.ty(ty);
        Ok(self.emit(Op::GenericCastToPtrExplicit, ty, vec![pointer, class]))
    }
}
