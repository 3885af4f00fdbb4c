//! Conversions and built-in functions for which the processor has instructions. All others are calls.

use super::translate::Translator;
use crate::interp::code::Slot;
use crate::scalar::convert::Conversion;
use crate::scalar::math::Meaning;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use touchstone_ir::{Intrinsic, NumKind, Rounding, Scalar};

/// Whether the processor rounds floats to integers in one instruction.
pub(super) fn rounds() -> bool {
    std::is_x86_feature_detected!("sse4.1")
}

/// Whether it multiplies and adds in one.
pub(super) fn fuses() -> bool {
    std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx")
}

/// The type of floats of a scalar that machine code computes with.
pub(super) fn float_type(scalar: Scalar) -> Option<Type> {
    match scalar {
        Scalar::F32 => Some(types::F32),
        Scalar::F64 => Some(types::F64),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::F16 => None,
    }
}

impl Translator<'_> {
    /// A call of a function of one to three operands as instructions; false if there are none for it.
    pub(super) fn inline(&mut self, d: Slot, operands: &[Slot], meaning: Meaning) -> bool {
        let value = match meaning {
            Meaning::Conversion(conversion) => return self.convert(d, operands[0], conversion),
            Meaning::Intrinsic(intrinsic, scalar) => match (float_type(scalar), scalar) {
                (Some(ty), _) => self.of_floats(operands, intrinsic, ty),
                (None, Scalar::I32 | Scalar::I64) => self.of_ints(operands, intrinsic, scalar),
                (None, _) => None,
            },
        };
        if let Some((ty, value)) = value {
            self.values.set(d, ty, value);
        }
        value.is_some()
    }

    fn float(&mut self, slot: Slot, ty: Type) -> Value {
        match ty {
            types::F32 => self.values.single(&mut self.b, slot),
            _ => self.values.double(&mut self.b, slot),
        }
    }

    /// The bits of a float that are set in a mask, of doubles or of floats.
    fn masked(&mut self, slot: Slot, ty: Type, mask: u64) -> (Type, Value) {
        match ty {
            types::F32 => {
                let bits = self.values.int(&mut self.b, slot);
                let mask = (mask >> 32) as u32;
                let mask = self.b.ins().iconst(types::I32, i64::from(mask));
                (types::I32, self.b.ins().band(bits, mask))
            }
            _ => {
                let bits = self.values.wide(&mut self.b, slot);
                let mask = self.number(mask);
                (types::I64, self.b.ins().band(bits, mask))
            }
        }
    }

    fn of_floats(
        &mut self,
        operands: &[Slot],
        intrinsic: Intrinsic,
        ty: Type,
    ) -> Option<(Type, Value)> {
        let a = operands[0];
        match intrinsic {
            Intrinsic::Fabs => return Some(self.masked(a, ty, u64::MAX >> 1)),
            Intrinsic::Copysign => {
                let (bits, size) = self.masked(a, ty, u64::MAX >> 1);
                let (_, sign) = self.masked(operands[1], ty, 1 << 63);
                return Some((bits, self.b.ins().bor(size, sign)));
            }
            _ => {}
        }
        let x = self.float(a, ty);
        let value = match intrinsic {
            Intrinsic::Sqrt => self.b.ins().sqrt(x),
            Intrinsic::Rsqrt => {
                let root = self.b.ins().sqrt(x);
                let one = match ty {
                    types::F32 => self.b.ins().f32const(1.0),
                    _ => self.b.ins().f64const(1.0),
                };
                self.b.ins().fdiv(one, root)
            }
            Intrinsic::Floor if rounds() => self.b.ins().floor(x),
            Intrinsic::Ceil if rounds() => self.b.ins().ceil(x),
            Intrinsic::Trunc if rounds() => self.b.ins().trunc(x),
            Intrinsic::Rint if rounds() => self.b.ins().nearest(x),
            Intrinsic::Fma | Intrinsic::Mad if fuses() => {
                let (y, z) = (self.float(operands[1], ty), self.float(operands[2], ty));
                self.b.ins().fma(x, y, z)
            }
            _ => return None,
        };
        Some((ty, value))
    }

    #[rustfmt::skip]
    fn of_ints(&mut self, operands: &[Slot], intrinsic: Intrinsic, scalar: Scalar) -> Option<(Type, Value)> {
        let ty = match scalar {
            Scalar::I32 => types::I32,
            _ => types::I64,
        };
        let values: Vec<Value> = operands.iter().map(|&slot| match scalar {
            Scalar::I32 => self.values.int(&mut self.b, slot),
            _ => self.values.wide(&mut self.b, slot),
        }).collect();
        let [a, b, c] = std::array::from_fn(|n| values.get(n).copied().unwrap_or(values[0]));
        let value = match intrinsic {
            Intrinsic::SMax => self.b.ins().smax(a, b),
            Intrinsic::SMin => self.b.ins().smin(a, b),
            Intrinsic::UMax => self.b.ins().umax(a, b),
            Intrinsic::UMin => self.b.ins().umin(a, b),
            Intrinsic::SClamp => {
                let low = self.b.ins().smax(a, b);
                self.b.ins().smin(low, c)
            }
            Intrinsic::UClamp => {
                let low = self.b.ins().umax(a, b);
                self.b.ins().umin(low, c)
            }
            Intrinsic::SAbs => {
                let negative = self.b.ins().ineg(a);
                let is_negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, a, 0);
                self.b.ins().select(is_negative, negative, a)
            }
            Intrinsic::Clz => self.b.ins().clz(a),
            Intrinsic::Ctz => self.b.ins().ctz(a),
            Intrinsic::Popcount => self.b.ins().popcnt(a),
            Intrinsic::Rotate => self.b.ins().rotl(a, b),
            Intrinsic::UMulHi => self.b.ins().umulhi(a, b),
            Intrinsic::SMulHi => self.b.ins().smulhi(a, b),
            _ => return None,
        };
        Some((ty, value))
    }

    /// A conversion as instructions; false if there are none for it.
    pub(super) fn convert(&mut self, d: Slot, a: Slot, c: Conversion) -> bool {
        use NumKind::Float;
        let ((from, source), (to, target)) = (c.from, c.to);
        let to_nearest = matches!(c.rounding, Rounding::Default | Rounding::NearestEven);
        if source == Scalar::Bool || target == Scalar::Bool {
            return false;
        }
        match (from, to, float_type(source), float_type(target)) {
            (Float, Float, Some(types::F32), Some(types::F64)) => {
                let value = self.float(a, types::F32);
                let value = self.b.ins().fpromote(types::F64, value);
                self.values.set_double(d, value);
            }
            (Float, Float, Some(types::F64), Some(types::F32)) if to_nearest => {
                let value = self.float(a, types::F64);
                let value = self.b.ins().fdemote(types::F32, value);
                self.values.set_single(d, value);
            }
            (Float, NumKind::Signed | NumKind::Unsigned, Some(ty), None) => {
                return self.float_to_int(d, rounding_of(c.rounding), (a, ty), c.to);
            }
            (NumKind::Signed | NumKind::Unsigned, Float, None, Some(ty)) if to_nearest => {
                let value = self.extended(a, c.from);
                let value = match c.from {
                    (NumKind::Unsigned, Scalar::I64) => self.b.ins().fcvt_from_uint(ty, value),
                    _ => self.b.ins().fcvt_from_sint(ty, value),
                };
                self.values.set(d, ty, value);
            }
            (NumKind::Signed | NumKind::Unsigned, NumKind::Signed | NumKind::Unsigned, ..) => {
                let value = self.extended(a, c.from);
                let value = match c.saturate {
                    true => self.clamped(value, c.from == (NumKind::Unsigned, Scalar::I64), c.to),
                    false => value,
                };
                self.put_int(d, value, target);
            }
            _ => return false,
        }
        true
    }

    /// An integer of any type as one of 64 bits.
    fn extended(&mut self, a: Slot, (kind, scalar): (NumKind, Scalar)) -> Value {
        let small = match scalar {
            Scalar::I8 => types::I8,
            Scalar::I16 => types::I16,
            Scalar::I32 => types::I32,
            _ => return self.values.wide(&mut self.b, a),
        };
        match (kind, small) {
            (NumKind::Signed, types::I32) => self.signed(a),
            (NumKind::Signed, _) => {
                let value = self.values.int(&mut self.b, a);
                let value = self.b.ins().ireduce(small, value);
                self.b.ins().sextend(types::I64, value)
            }
            // The bits above are zero.
            _ => self.values.wide(&mut self.b, a),
        }
    }

    /// The nearest number that a type of integers has, of a signed one or, where `is_unsigned`, of an unsigned one.
    fn clamped(
        &mut self,
        value: Value,
        is_unsigned: bool,
        (kind, scalar): (NumKind, Scalar),
    ) -> Value {
        let bits = scalar.bits();
        let (least, most) = match kind {
            NumKind::Signed => (i64::MIN >> (64 - bits), u64::MAX >> (65 - bits)),
            NumKind::Unsigned | NumKind::Float => (0, u64::MAX >> (64 - bits)),
        };
        if is_unsigned {
            let most = self.number(most);
            return self.b.ins().umin(value, most);
        }
        let least = self.b.ins().iconst(types::I64, least);
        let value = self.b.ins().smax(value, least);
        match i64::try_from(most) {
            Ok(most) => {
                let most = self.b.ins().iconst(types::I64, most);
                self.b.ins().smin(value, most)
            }
            Err(_) => value,
        }
    }

    /// Gives a slot the low bits of a number, as many as a type of integers has.
    fn put_int(&mut self, d: Slot, value: Value, scalar: Scalar) {
        if scalar.bits() == 64 {
            return self.values.set_wide(d, value);
        }
        let value = self.b.ins().ireduce(types::I32, value);
        let value = match scalar.bits() {
            32 => value,
            bits => {
                let mask = (1 << bits) - 1;
                self.b.ins().band_imm_u(value, mask)
            }
        };
        self.values.set_int(d, value);
    }

    /// The nearest number that a type of integers has, after rounding; of NaN it is zero.
    fn float_to_int(
        &mut self,
        d: Slot,
        rounding: Rounding,
        (a, ty): (Slot, Type),
        to: (NumKind, Scalar),
    ) -> bool {
        if rounding != Rounding::TowardZero && !rounds() {
            return false;
        }
        let value = self.float(a, ty);
        let value = match rounding {
            Rounding::TowardZero | Rounding::Default => value,
            Rounding::NearestEven => self.b.ins().nearest(value),
            Rounding::Up => self.b.ins().ceil(value),
            Rounding::Down => self.b.ins().floor(value),
        };
        let (kind, scalar) = to;
        let is_unsigned = kind == NumKind::Unsigned && scalar == Scalar::I64;
        let value = match is_unsigned {
            true => self.b.ins().fcvt_to_uint_sat(types::I64, value),
            false => self.b.ins().fcvt_to_sint_sat(types::I64, value),
        };
        let value = match scalar {
            Scalar::I64 => value,
            _ => self.clamped(value, false, to),
        };
        self.put_int(d, value, scalar);
        true
    }
}

/// How a conversion from a float to an integer rounds.
fn rounding_of(rounding: Rounding) -> Rounding {
    match rounding {
        Rounding::Default => Rounding::TowardZero,
        other => other,
    }
}
