//! Comparisons.

use super::function::Lowering;
use crate::interp::code::{Ins, Slot};
use touchstone_ir::{Cmp, Scalar, Type, UnaryOp, float_comparisons, integer_comparisons};

/// What instructions ask of two slots: what is greater asks whether the other is less. Those without
/// a width look at all bits, which are zero-extended.
#[derive(Clone, Copy, Debug)]
pub(super) enum TestKind {
    Eq,
    Ne,
    ULt,
    ULe,
    SLt32,
    SLe32,
    SLt64,
    SLe64,
}

/// A comparison of two slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) kind: TestKind,
    pub(super) a: Slot,
    pub(super) b: Slot,
}

impl Test {
    fn swapped(self) -> Test {
        let (a, b) = (self.b, self.a);
        Test { a, b, ..self }
    }

    /// The test that holds when this one does not.
    pub(super) fn negated(self) -> Test {
        let kind = match self.kind {
            TestKind::Eq => {
                return Test {
                    kind: TestKind::Ne,
                    ..self
                };
            }
            TestKind::Ne => {
                return Test {
                    kind: TestKind::Eq,
                    ..self
                };
            }
            TestKind::ULt => TestKind::ULe,
            TestKind::ULe => TestKind::ULt,
            TestKind::SLt32 => TestKind::SLe32,
            TestKind::SLe32 => TestKind::SLt32,
            TestKind::SLt64 => TestKind::SLe64,
            TestKind::SLe64 => TestKind::SLt64,
        };
        Test { kind, ..self }.swapped()
    }
}

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
        let Test { kind, a, b } = self.test(cmp, scalar, a, b);
        self.e.emit(match kind {
            TestKind::Eq => Ins::Eq { d, a, b },
            TestKind::Ne => Ins::Ne { d, a, b },
            TestKind::ULt => Ins::ULt { d, a, b },
            TestKind::ULe => Ins::ULe { d, a, b },
            TestKind::SLt32 => Ins::SLt32 { d, a, b },
            TestKind::SLe32 => Ins::SLe32 { d, a, b },
            TestKind::SLt64 => Ins::SLt64 { d, a, b },
            TestKind::SLe64 => Ins::SLe64 { d, a, b },
        });
    }

    /// The test that compares two integers, booleans or pointers.
    pub(super) fn test(&mut self, cmp: Cmp, scalar: Scalar, a: Slot, b: Slot) -> Test {
        let signed = matches!(cmp, Cmp::SLt | Cmp::SLe | Cmp::SGt | Cmp::SGe);
        let (a, b) = if signed && scalar.size() < 4 {
            (self.widen(scalar, a), self.widen(scalar, b))
        } else {
            (a, b)
        };
        let (less, at_most) = match scalar {
            Scalar::I32 => (TestKind::SLt32, TestKind::SLe32),
            _ => (TestKind::SLt64, TestKind::SLe64),
        };
        let (kind, swapped) = match cmp {
            Cmp::Eq => (TestKind::Eq, false),
            Cmp::Ne => (TestKind::Ne, false),
            Cmp::ULt | Cmp::UGt => (TestKind::ULt, cmp == Cmp::UGt),
            Cmp::ULe | Cmp::UGe => (TestKind::ULe, cmp == Cmp::UGe),
            Cmp::SLt | Cmp::SGt => (less, cmp == Cmp::SGt),
            Cmp::SLe | Cmp::SGe => (at_most, cmp == Cmp::SGe),
            float_comparisons!() => {
                unreachable!("the module is valid: integers are not compared as floats")
            }
        };
        let test = Test { kind, a, b };
        if swapped { test.swapped() } else { test }
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
        if let Type::Vector(element, _) = ty {
            self.unary(UnaryOp::Neg, element, d, d);
        }
    }
}
