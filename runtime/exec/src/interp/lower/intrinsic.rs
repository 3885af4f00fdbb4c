//! Calls of built-in functions.

use super::function::Lowering;
use crate::interp::code::{Ins, Slot};
use crate::scalar::math::{self, Function, Meaning};
use touchstone_faults::{Fault, on};
use touchstone_ir::intrinsic::Signature;
use touchstone_ir::{Intrinsic, Operand, Reg};

impl Lowering<'_> {
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Operand], dst: Reg) {
        let intrinsic = match intrinsic {
            Intrinsic::SMulHi if on(Fault::HighProductUnsigned) => Intrinsic::UMulHi,
            intrinsic => intrinsic,
        };
        let ty = self.reg_type(dst);
        let first = self.type_of(args[0]);
        if intrinsic.signature() == Signature::LaneTest {
            return self.lane_test(intrinsic, args[0], dst);
        }
        let element = self.element(first);
        let Some(function) = math::function(intrinsic, element) else {
            unreachable!("the module is valid: {} has this type", intrinsic.name());
        };
        let slots: Vec<Slot> = args.iter().map(|&o| self.operand(o)).collect();
        let d = self.home(dst);
        let is_test = intrinsic.signature() == Signature::FloatTest;
        let meaning = Meaning::Intrinsic(intrinsic, element);
        let f = self.e.function(function, meaning);
        self.each(ty.lanes(), |l, i| {
            let d = d + i;
            let operands: Vec<Slot> = slots.iter().map(|slot| slot + i).collect();
            l.e.emit(match (function, &*operands) {
                (Function::One(_), &[a, ..]) => Ins::Call1 { d, a, f },
                (Function::Two(_), &[a, b, ..]) => Ins::Call2 { d, a, b, f },
                (Function::Three(_), &[a, b, c, ..]) => Ins::Call3 { d, a, b, c, f },
                _ => unreachable!(
                    "the module is valid: {} has these operands",
                    intrinsic.name()
                ),
            });
            if is_test {
                l.spread(ty, d);
            }
        });
    }

    /// `any` and `all`: the top bits of all elements, joined.
    fn lane_test(&mut self, intrinsic: Intrinsic, value: Operand, dst: Reg) {
        let ty = self.type_of(value);
        let element = self.element(ty);
        let a = self.operand(value);
        let d = self.home(dst);
        let joined = self.scratch(1);
        self.moves(joined, a, 1);
        for lane in 1..ty.lanes() as Slot {
            let (a, b) = (joined, a + lane);
            self.e.emit(if intrinsic == Intrinsic::All {
                Ins::And { d: joined, a, b }
            } else {
                Ins::Or { d: joined, a, b }
            });
        }
        let bit = self.top_bit(element, joined);
        self.moves(d, bit, 1);
    }
}
