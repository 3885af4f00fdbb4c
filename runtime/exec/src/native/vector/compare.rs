//! Comparisons of all lanes: masks, all ones where they hold.

use super::super::translate::Translator;
use super::shape::Shape;
use super::{LANES, NARROW};
use crate::interp::code::{Ins, Slot};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

impl Translator<'_> {
    /// A mask of where a comparison, or the condition of a jump, holds.
    #[rustfmt::skip]
    pub(super) fn condition_lanes(&mut self, ins: &Ins) -> [Value; NARROW] {
        use IntCC::{Equal, NotEqual, SignedLessThan, SignedLessThanOrEqual, UnsignedLessThan, UnsignedLessThanOrEqual};
        match *ins {
            Ins::JumpIf { a, .. } | Ins::JumpIfNot { a, .. } => self.mask_lanes(a),
            Ins::Eq { a, b, .. } | Ins::JumpEq { a, b, .. } => self.compare_lanes(Equal, a, b),
            Ins::Ne { a, b, .. } | Ins::JumpNe { a, b, .. } => self.compare_lanes(NotEqual, a, b),
            Ins::ULt { a, b, .. } | Ins::JumpULt { a, b, .. } => self.compare_lanes(UnsignedLessThan, a, b),
            Ins::ULe { a, b, .. } | Ins::JumpULe { a, b, .. } => self.compare_lanes(UnsignedLessThanOrEqual, a, b),
            Ins::SLt32 { a, b, .. } | Ins::JumpSLt32 { a, b, .. } => self.compare_lanes32(SignedLessThan, a, b),
            Ins::SLe32 { a, b, .. } | Ins::JumpSLe32 { a, b, .. } => self.compare_lanes32(SignedLessThanOrEqual, a, b),
            Ins::SLt64 { a, b, .. } | Ins::JumpSLt64 { a, b, .. } => self.compare_lanes64(SignedLessThan, a, b),
            Ins::SLe64 { a, b, .. } | Ins::JumpSLe64 { a, b, .. } => self.compare_lanes64(SignedLessThanOrEqual, a, b),
            Ins::FEq32 { a, b, .. } => self.compare_floats(FloatCC::Equal, (a, b), types::F32),
            Ins::FNe32 { a, b, .. } => self.compare_floats(FloatCC::NotEqual, (a, b), types::F32),
            Ins::FLt32 { a, b, .. } => self.compare_floats(FloatCC::LessThan, (a, b), types::F32),
            Ins::FLe32 { a, b, .. } => self.compare_floats(FloatCC::LessThanOrEqual, (a, b), types::F32),
            Ins::FOrd32 { a, b, .. } => self.compare_floats(FloatCC::Ordered, (a, b), types::F32),
            Ins::FEq64 { a, b, .. } => self.compare_floats(FloatCC::Equal, (a, b), types::F64),
            Ins::FNe64 { a, b, .. } => self.compare_floats(FloatCC::NotEqual, (a, b), types::F64),
            Ins::FLt64 { a, b, .. } => self.compare_floats(FloatCC::LessThan, (a, b), types::F64),
            Ins::FLe64 { a, b, .. } => self.compare_floats(FloatCC::LessThanOrEqual, (a, b), types::F64),
            Ins::FOrd64 { a, b, .. } => self.compare_floats(FloatCC::Ordered, (a, b), types::F64),
            ref other => unreachable!("{other:?} compares nothing"),
        }
    }

    /// Of a branch that compares the items' ids with what is the same for all: whether its condition holds for all, and whether
    /// it does for any, as the first and the last one tell; where these differ, what is in between may. None of other
    /// branches.
    #[rustfmt::skip]
    pub(super) fn ends_tell(&mut self, ins: &Ins) -> Option<[Value; 2]> {
        use IntCC::{SignedLessThan, SignedLessThanOrEqual, UnsignedLessThan, UnsignedLessThanOrEqual};
        let (cc, a, b, narrow) = match *ins {
            Ins::JumpEq { a, b, .. } | Ins::JumpNe { a, b, .. } => (None, a, b, false),
            Ins::JumpULt { a, b, .. } => (Some(UnsignedLessThan), a, b, false),
            Ins::JumpULe { a, b, .. } => (Some(UnsignedLessThanOrEqual), a, b, false),
            Ins::JumpSLt32 { a, b, .. } => (Some(SignedLessThan), a, b, true),
            Ins::JumpSLe32 { a, b, .. } => (Some(SignedLessThanOrEqual), a, b, true),
            Ins::JumpSLt64 { a, b, .. } => (Some(SignedLessThan), a, b, false),
            Ins::JumpSLe64 { a, b, .. } => (Some(SignedLessThanOrEqual), a, b, false),
            _ => return None,
        };
        let grows = |t: &Self, slot| t.lanes.is_plain(slot) && t.lanes.shape(slot) == Shape::Even(1);
        let (id, bound, is_left) = match (self.lanes.shape(a), self.lanes.shape(b)) {
            (_, Shape::SAME) if grows(self, a) => (a, b, true),
            (Shape::SAME, _) if grows(self, b) => (b, a, false),
            _ => return None,
        };
        // Ids are no negative numbers of 32 bits, nor do they become such within a vector.
        let first = self.values.wide(&mut self.b, id);
        let bound = match narrow {
            true => {
                let bound = self.values.int(&mut self.b, bound);
                self.b.ins().sextend(types::I64, bound)
            }
            false => self.values.wide(&mut self.b, bound),
        };
        let Some(cc) = cc else {
            let far = self.b.ins().isub(bound, first);
            let no = self.b.ins().iconst(types::I8, 0);
            let yes = self.b.ins().iconst(types::I8, 1);
            return Some(match ins {
                Ins::JumpEq { .. } => [no, self.b.ins().icmp_imm_u(UnsignedLessThan, far, LANES as i64)],
                _ => [self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, far, LANES as i64), yes],
            });
        };
        let last = self.b.ins().iadd_imm_s(first, LANES as i64 - 1);
        Some(match is_left {
            true => [last, first].map(|id| self.b.ins().icmp(cc, id, bound)),
            false => [first, last].map(|id| self.b.ins().icmp(cc, bound, id)),
        })
    }

    fn compare_floats(&mut self, cc: FloatCC, (a, b): (Slot, Slot), ty: Type) -> [Value; NARROW] {
        let pairs = self.floats(a, b, ty);
        let masks: Vec<Value> = pairs
            .into_iter()
            .map(|(x, y)| self.b.ins().fcmp(cc, x, y))
            .collect();
        self.mask_of(&masks)
    }

    fn compare_lanes(&mut self, cc: IntCC, a: Slot, b: Slot) -> [Value; NARROW] {
        match self.both_narrow(a, b) {
            true => self.compare_lanes32(cc, a, b),
            false => self.compare_lanes64(cc, a, b),
        }
    }

    fn compare_lanes32(&mut self, cc: IntCC, a: Slot, b: Slot) -> [Value; NARROW] {
        self.pairs32(a, b).map(|(x, y)| self.b.ins().icmp(cc, x, y))
    }

    /// The processor compares lanes of 64 bits as signed numbers alone.
    fn compare_lanes64(&mut self, cc: IntCC, a: Slot, b: Slot) -> [Value; NARROW] {
        let pairs = self.pairs64(a, b);
        let (cc, flip) = match cc {
            IntCC::UnsignedLessThan => (IntCC::SignedLessThan, true),
            IntCC::UnsignedLessThanOrEqual => (IntCC::SignedLessThanOrEqual, true),
            other => (other, false),
        };
        let top = self.number(1 << 63);
        let top = self.b.ins().splat(types::I64X2, top);
        let masks = pairs.map(|(x, y)| match flip {
            true => {
                let (x, y) = (self.b.ins().bxor(x, top), self.b.ins().bxor(y, top));
                self.b.ins().icmp(cc, x, y)
            }
            false => self.b.ins().icmp(cc, x, y),
        });
        self.mask_of(&masks)
    }
}
