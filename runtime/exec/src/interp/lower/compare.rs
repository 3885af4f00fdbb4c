//! Comparisons.

use super::function::Lowering;
use crate::interp::code::{Ins, Slot};
use touchstone_faults::{Fault, on};
use touchstone_ir::{Cmp, Scalar, Type, UnaryOp, float_comparisons, integer_comparisons};

impl Lowering<'_> {
    /// 0 or 1 from a comparison of two scalars.
    pub(super) fn compare(&mut self, cmp: Cmp, scalar: Scalar, d: Slot, a: Slot, b: Slot) {
        if scalar.is_float() {
            let (a, b) = if scalar == Scalar::F16 {
                (self.half_to_single(a), self.half_to_single(b))
            } else {
                (a, b)
            };
            return self.compare_floats(cmp, scalar == Scalar::F64, d, a, b);
        }
        let signed = matches!(cmp, Cmp::SLt | Cmp::SLe | Cmp::SGt | Cmp::SGe);
        let narrow = scalar == Scalar::I32;
        let (a, b) = if signed && scalar.size() < 4 {
            (self.widen(scalar, a), self.widen(scalar, b))
        } else {
            (a, b)
        };
        let cmp = match cmp {
            Cmp::SLt if on(Fault::SignedComparesUnsigned) => Cmp::ULt,
            Cmp::SLe if on(Fault::SignedComparesUnsigned) => Cmp::ULe,
            Cmp::SGt if on(Fault::SignedComparesUnsigned) => Cmp::UGt,
            Cmp::SGe if on(Fault::SignedComparesUnsigned) => Cmp::UGe,
            cmp => cmp,
        };
        self.e.emit(match (cmp, narrow) {
            (Cmp::Eq, _) => Ins::Eq { d, a, b },
            (Cmp::Ne, _) => Ins::Ne { d, a, b },
            (Cmp::ULt, _) => Ins::ULt { d, a, b },
            (Cmp::ULe, _) => Ins::ULe { d, a, b },
            (Cmp::UGt, _) => Ins::ULt { d, a: b, b: a },
            (Cmp::UGe, _) => Ins::ULe { d, a: b, b: a },
            (Cmp::SLt, true) => Ins::SLt32 { d, a, b },
            (Cmp::SLe, true) => Ins::SLe32 { d, a, b },
            (Cmp::SGt, true) => Ins::SLt32 { d, a: b, b: a },
            (Cmp::SGe, true) => Ins::SLe32 { d, a: b, b: a },
            (Cmp::SLt, false) => Ins::SLt64 { d, a, b },
            (Cmp::SLe, false) => Ins::SLe64 { d, a, b },
            (Cmp::SGt, false) => Ins::SLt64 { d, a: b, b: a },
            (Cmp::SGe, false) => Ins::SLe64 { d, a: b, b: a },
            (float_comparisons!(), _) => {
                unreachable!("the module is valid: integers are not compared as floats")
            }
        });
    }

    fn compare_floats(&mut self, cmp: Cmp, double: bool, d: Slot, a: Slot, b: Slot) {
        let ins = match (cmp, double) {
            (Cmp::FEq, false) => Ins::FEq32 { d, a, b },
            (Cmp::FNe, false) => Ins::FNe32 { d, a, b },
            (Cmp::FLt, false) => Ins::FLt32 { d, a, b },
            (Cmp::FLe, false) => Ins::FLe32 { d, a, b },
            (Cmp::FGt, false) => Ins::FLt32 { d, a: b, b: a },
            (Cmp::FGe, false) => Ins::FLe32 { d, a: b, b: a },
            (Cmp::FOrdered, false) => Ins::FOrd32 { d, a, b },
            (Cmp::FEq, true) => Ins::FEq64 { d, a, b },
            (Cmp::FNe, true) => Ins::FNe64 { d, a, b },
            (Cmp::FLt, true) => Ins::FLt64 { d, a, b },
            (Cmp::FLe, true) => Ins::FLe64 { d, a, b },
            (Cmp::FGt, true) => Ins::FLt64 { d, a: b, b: a },
            (Cmp::FGe, true) => Ins::FLe64 { d, a: b, b: a },
            (Cmp::FOrdered, true) => Ins::FOrd64 { d, a, b },
            (Cmp::FUnordered, _) => {
                let t = self.scratch(1);
                self.compare_floats(Cmp::FOrdered, double, t, a, b);
                let one = self.e.constant(1);
                Ins::Xor { d, a: t, b: one }
            }
            (Cmp::FLtGt, _) => {
                let (less, greater) = (self.scratch(1), self.scratch(1));
                self.compare_floats(Cmp::FLt, double, less, a, b);
                self.compare_floats(Cmp::FGt, double, greater, a, b);
                let (a, b) = (less, greater);
                Ins::Or { d, a, b }
            }
            (integer_comparisons!(), _) => {
                unreachable!("the module is valid: floats are not compared as integers")
            }
        };
        self.e.emit(ins);
    }

    /// For vectors, turns 1 into -1.
    pub(super) fn spread(&mut self, ty: Type, d: Slot) {
        if let Type::Vector(element, _) = ty
            && !on(Fault::LaneTruthOne)
        {
            self.unary(UnaryOp::Neg, element, d, d);
        }
    }
}
