//! Masks, and what the lanes of a slot are where a block of a [region](super::masked) has written those of some items.

use super::super::translate::Translator;
use super::lanes::{as_lanes, lane_type};
use super::{NARROW, WIDE};
use crate::interp::code::Slot;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

impl Translator<'_> {
    /// Bits as lanes of 32 bits, all ones where they are set.
    pub(super) fn narrow_mask(&mut self, bits: Value) -> [Value; NARROW] {
        let bits = self.b.ins().ireduce(types::I32, bits);
        let bits = self.b.ins().splat(types::I32X4, bits);
        std::array::from_fn(|n| {
            let own = (0..4).flat_map(|lane| (1u32 << (4 * n + lane)).to_le_bytes());
            self.has_own(types::I32X4, bits, own.collect())
        })
    }

    /// Bits as lanes of 64 bits.
    pub(super) fn wide_mask(&mut self, bits: Value) -> [Value; WIDE] {
        let bits = self.b.ins().splat(types::I64X2, bits);
        std::array::from_fn(|n| {
            let own = (0..2).flat_map(|lane| (1u64 << (2 * n + lane)).to_le_bytes());
            self.has_own(types::I64X2, bits, own.collect())
        })
    }

    fn has_own(&mut self, ty: Type, bits: Value, own: Vec<u8>) -> Value {
        let own = self.b.func.dfg.constants.insert(own.into());
        let own = self.b.ins().vconst(ty, own);
        let has = self.b.ins().band(bits, own);
        self.b.ins().icmp(IntCC::Equal, has, own)
    }

    /// What the lanes of a slot are where those who do not run the present block keep what they had before it; and
    /// whether these are lanes of 32 bits.
    pub(super) fn kept_lanes(&mut self, slot: usize) -> (Vec<Value>, bool) {
        let Some(masked) = self.masked.clone() else {
            unreachable!("there is a region");
        };
        let (variables, ty) = self.lane_variables(slot);
        let before: Vec<Value> = variables.iter().map(|&v| self.b.use_var(v)).collect();
        let as_ints = |t: &mut Self, ty: Type| {
            let cast = |&x| match lane_type(ty).0 {
                own if t.b.func.dfg.value_type(x) == own => x,
                _ => t.b.ins().bitcast(lane_type(ty).0, as_lanes(), x),
            };
            before.iter().map(cast).collect::<Vec<Value>>()
        };
        let was_narrow = ty.bits() == 32;
        let select = |t: &mut Self, mask: &[Value], now: &[Value], before: &[Value]| {
            let lanes = mask.iter().zip(now).zip(before);
            lanes
                .map(|((&mask, &now), &before)| t.b.ins().bitselect(mask, now, before))
                .collect()
        };
        if was_narrow && self.lanes_narrow(slot as Slot) {
            let before = as_ints(self, types::I32);
            let now = self.int_lanes(slot as Slot);
            return (select(self, &masked.narrow, &now, &before), true);
        }
        let before: Vec<Value> = match was_narrow {
            true => {
                let ints = as_ints(self, types::I32);
                let widened = ints
                    .iter()
                    .flat_map(|&x| [self.b.ins().uwiden_low(x), self.b.ins().uwiden_high(x)]);
                widened.collect()
            }
            false => as_ints(self, types::I64),
        };
        let now = self.wide_lanes(slot as Slot);
        (select(self, &masked.wide, &now, &before), false)
    }

    /// What a block of a region leads to needs the values that it has written, for those who run it.
    pub(super) fn masked_settle(&mut self, n: usize) {
        let (flow, needed) = (self.flow, self.needed);
        let next = &flow.blocks[n].next;
        let mut registers = Vec::new();
        for slot in 0..self.kernel.frame {
            let is_needed = next.iter().any(|&next| needed[next].contains(slot));
            if !is_needed || !self.lanes.is_written(slot as Slot) {
                continue;
            }
            let (variables, ty) = self.lane_variables(slot);
            let kept = self.masked.as_ref().is_some_and(|m| m.kept.contains(slot));
            let values = match kept {
                true => {
                    let (values, narrow) = self.kept_lanes(slot);
                    self.cast_lanes((values, narrow), ty)
                }
                false => self.typed_lanes(slot as Slot, ty),
            };
            registers.extend(variables.into_iter().zip(values));
        }
        for (variable, value) in registers {
            self.b.def_var(variable, value);
        }
    }

    /// Lanes of 32 bits or of 64 as such of a type.
    fn cast_lanes(&mut self, (values, narrow): (Vec<Value>, bool), ty: Type) -> Vec<Value> {
        let values = match (narrow, ty.bits()) {
            (false, 32) => (values.chunks(2))
                .map(|two| self.low_halves(two[0], two[1]))
                .collect(),
            _ => values,
        };
        let own = lane_type(ty).0;
        let cast = values.into_iter().map(|x| match ty {
            types::F32 | types::F64 => self.b.ins().bitcast(own, as_lanes(), x),
            _ => x,
        });
        cast.collect()
    }
}
