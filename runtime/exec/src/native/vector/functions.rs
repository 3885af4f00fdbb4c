//! Built-in functions and conversions for which the processor has vector instructions. All others are made lane by lane.

use super::super::numbers::{float_type, fuses, rounds};
use super::super::translate::Translator;
use super::NARROW;
use super::lanes::lane_type;
use crate::interp::code::{Ins, Slot};
use crate::scalar::convert::Conversion;
use crate::scalar::math::Meaning;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use touchstone_ir::{Intrinsic, NumKind, Rounding, Scalar};

impl Translator<'_> {
    /// A function or a conversion.
    pub(super) fn function(&mut self, ins: &Ins, d: Slot, operands: &[Slot], meaning: Meaning) {
        let made = match meaning {
            Meaning::Conversion(c) => self.conversion(operands[0], c),
            Meaning::Intrinsic(intrinsic, scalar) => match (float_type(scalar), scalar) {
                (Some(ty), _) => self.float_function(operands, intrinsic, ty),
                (None, Scalar::I32) => self.int_function(operands, intrinsic),
                (None, _) => None,
            },
        };
        match made {
            Some((ty, values)) => self.lanes.set(d, ty, &values),
            None => self.lane_by_lane(ins),
        }
    }

    /// Between floats and integers of at most 32 bits.
    fn conversion(&mut self, a: Slot, c: Conversion) -> Option<(Type, Vec<Value>)> {
        use NumKind::{Float, Signed, Unsigned};
        use Scalar::{F32, I8, I16, I32};
        match (c.from, c.to) {
            ((kind @ (Signed | Unsigned), from @ (I8 | I16 | I32)), (Float, F32)) => {
                if !matches!(c.rounding, Rounding::Default | Rounding::NearestEven) {
                    return None;
                }
                let ints = self.int_lanes(a);
                let above = i64::from(32 - from.bits());
                let values = ints.map(|x| match (kind, above) {
                    (Unsigned, 0) => self.b.ins().fcvt_from_uint(types::F32X4, x),
                    (Signed, 1..) => {
                        let high = self.b.ins().ishl_imm_u(x, above);
                        let x = self.b.ins().sshr_imm_u(high, above);
                        self.b.ins().fcvt_from_sint(types::F32X4, x)
                    }
                    // What has fewer bits than 32 is no negative number.
                    _ => self.b.ins().fcvt_from_sint(types::F32X4, x),
                });
                Some((types::F32, values.to_vec()))
            }
            ((Float, F32), (kind @ (Signed | Unsigned), to @ (I8 | I16 | I32))) => {
                if (kind, to) == (Unsigned, I32) || !rounds() {
                    return None;
                }
                let bits = to.bits();
                let (least, most) = match kind {
                    Signed => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
                    _ => (0, (1i64 << bits) - 1),
                };
                let number = |b: &mut FunctionBuilder<'_>, n: i64| {
                    let n = b.ins().iconst(types::I32, n & 0xffff_ffff);
                    b.ins().splat(types::I32X4, n)
                };
                let singles = self.single_lanes(a);
                let values = singles.map(|x| {
                    let b = &mut self.b;
                    let x = match c.rounding {
                        Rounding::Default | Rounding::TowardZero => x,
                        Rounding::NearestEven => b.ins().nearest(x),
                        Rounding::Up => b.ins().ceil(x),
                        Rounding::Down => b.ins().floor(x),
                    };
                    // Cuts off what is behind the point; the nearest where there is none, 0 for what is no number.
                    let x = b.ins().fcvt_to_sint_sat(types::I32X4, x);
                    if to == I32 {
                        return x;
                    }
                    let (least, most) = (number(b, least), number(b, most));
                    let x = b.ins().smax(x, least);
                    let x = b.ins().smin(x, most);
                    let mask = number(b, (1 << bits) - 1);
                    b.ins().band(x, mask)
                });
                Some((types::I32, values.to_vec()))
            }
            _ => None,
        }
    }

    fn float_function(
        &mut self,
        operands: &[Slot],
        intrinsic: Intrinsic,
        ty: Type,
    ) -> Option<(Type, Vec<Value>)> {
        let has = match intrinsic {
            Intrinsic::Sqrt | Intrinsic::Rsqrt => true,
            Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Trunc | Intrinsic::Rint => rounds(),
            Intrinsic::Fma | Intrinsic::Mad => fuses(),
            Intrinsic::Fabs => ty == types::F32,
            _ => false,
        };
        if !has {
            return None;
        }
        if intrinsic == Intrinsic::Fabs {
            let mask = self.b.ins().iconst(types::I32, 0x7fff_ffff);
            let mask = self.b.ins().splat(types::I32X4, mask);
            let values = self
                .int_lanes(operands[0])
                .map(|x| self.b.ins().band(x, mask));
            return Some((types::I32, values.to_vec()));
        }
        let lanes: Vec<Vec<Value>> = operands
            .iter()
            .map(|&slot| self.typed_lanes(slot, ty))
            .collect();
        let values = (0..lanes[0].len()).map(|n| {
            let x = lanes[0][n];
            match intrinsic {
                Intrinsic::Sqrt => self.b.ins().sqrt(x),
                Intrinsic::Rsqrt => {
                    let root = self.b.ins().sqrt(x);
                    let one = match ty {
                        types::F32 => self.b.ins().f32const(1.0),
                        _ => self.b.ins().f64const(1.0),
                    };
                    let one = self.b.ins().splat(lane_type(ty).0, one);
                    self.b.ins().fdiv(one, root)
                }
                Intrinsic::Floor => self.b.ins().floor(x),
                Intrinsic::Ceil => self.b.ins().ceil(x),
                Intrinsic::Trunc => self.b.ins().trunc(x),
                Intrinsic::Rint => self.b.ins().nearest(x),
                _ => self.b.ins().fma(x, lanes[1][n], lanes[2][n]),
            }
        });
        Some((ty, values.collect()))
    }

    fn int_function(
        &mut self,
        operands: &[Slot],
        intrinsic: Intrinsic,
    ) -> Option<(Type, Vec<Value>)> {
        use Intrinsic::{SClamp, SMax, SMin, UClamp, UMax, UMin};
        if !matches!(intrinsic, SClamp | SMax | SMin | UClamp | UMax | UMin) {
            return None;
        }
        let lanes: Vec<[Value; NARROW]> =
            operands.iter().map(|&slot| self.int_lanes(slot)).collect();
        let values = (0..NARROW).map(|n| {
            let (x, y) = (lanes[0][n], lanes[1][n]);
            match intrinsic {
                SMax => self.b.ins().smax(x, y),
                SMin => self.b.ins().smin(x, y),
                UMax => self.b.ins().umax(x, y),
                UMin => self.b.ins().umin(x, y),
                SClamp => {
                    let low = self.b.ins().smax(x, y);
                    self.b.ins().smin(low, lanes[2][n])
                }
                _ => {
                    let low = self.b.ins().umax(x, y);
                    self.b.ins().umin(low, lanes[2][n])
                }
            }
        });
        Some((types::I32, values.collect()))
    }
}
