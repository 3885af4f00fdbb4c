//! Geometric functions (OpenCL C 6.15.5).

use super::function::Lower;
use crate::hir::ArithOp;
use crate::types::Scalar;
use touchstone_ir as ir;
use touchstone_ir::{Cmp, Const, FloatOp, Intrinsic, NumKind, Op, Operand};

/// Doubles above it, or below what one divided by it is, are scaled before they are squared.
const FAR: f64 = 1e150;

/// A power of two by which the square of no double that is scaled leaves the range.
const SCALE: f64 = f64::from_bits((1023 - 600) << 52);

impl Lower<'_> {
    pub(super) fn dot(&mut self, scalar: Scalar, a: Operand, b: Operand) -> Operand {
        let products = self.arith(ArithOp::Mul, scalar, a, b);
        let mut parts = self.elements(products).into_iter();
        let first = parts.next().unwrap_or(products);
        parts.fold(first, |sum, part| {
            self.arith(ArithOp::Add, scalar, sum, part)
        })
    }

    pub(super) fn length(&mut self, a: Operand) -> Operand {
        if self.b.type_of(a).lanes() == 1 {
            return self.b.intrinsic(Intrinsic::Fabs, vec![a]).into();
        }
        // hypot neither overflows nor underflows on the way.
        let mut parts = self.elements(a).into_iter();
        let first = parts.next().unwrap_or(a);
        parts.fold(first, |sum, part| {
            self.b.intrinsic(Intrinsic::Hypot, vec![sum, part]).into()
        })
    }

    pub(super) fn cross(
        &mut self,
        scalar: Scalar,
        ty: ir::Type,
        a: Operand,
        b: Operand,
    ) -> Operand {
        let (a, b) = (self.elements(a), self.elements(b));
        let mut parts = Vec::new();
        for (i, j) in [(1, 2), (2, 0), (0, 1)] {
            let (Some(&ai), Some(&aj), Some(&bi), Some(&bj)) =
                (a.get(i), a.get(j), b.get(i), b.get(j))
            else {
                return self.zero(ty);
            };
            let plus = self.arith(ArithOp::Mul, scalar, ai, bj);
            let minus = self.arith(ArithOp::Mul, scalar, aj, bi);
            parts.push(self.arith(ArithOp::Sub, scalar, plus, minus));
        }
        if ty.lanes() == 4 {
            parts.push(self.zero(ir::Type::Scalar(scalar.ir())));
        }
        self.b.emit(ty, Op::Construct(parts)).into()
    }

    /// Divides a vector by its length, in double precision: the length of floats may be more than the
    /// largest float, and that of very small ones has few digits.
    pub(super) fn normalize(&mut self, ty: ir::Type, a: Operand) -> Operand {
        let float = NumKind::Float;
        let double = ty.with_element(ir::Scalar::F64);
        let wide = match ty == double {
            true => a,
            false => self.b.convert(a, float, double, float).into(),
        };
        let wide = self.directed(wide);
        let wide = match ty == double {
            true => self.in_range(wide),
            false => wide,
        };
        let length = self.length(wide);
        let none = self.b.compare(Cmp::FEq, length, Const::f64(0.0));
        let length = self.b.select(none, Const::f64(1.0), length).into();
        let length = self.shaped(length, double);
        let unit = self.b.float(FloatOp::Div, wide, length);
        match ty == double {
            true => unit.into(),
            false => self.b.convert(unit, float, ty, float).into(),
        }
    }

    /// The greatest size of a lane of doubles.
    fn largest(&mut self, sizes: Operand) -> Operand {
        let mut parts = self.elements(sizes).into_iter();
        let first = parts.next().unwrap_or(sizes);
        parts.fold(first, |most, part| {
            self.b.intrinsic(Intrinsic::Fmax, vec![most, part]).into()
        })
    }

    /// Doubles as `normalize` takes them: where any is infinite, "as if the elements in v were replaced", infinite ones by
    /// ones of their signs and others by their products with zero.
    fn directed(&mut self, a: Operand) -> Operand {
        let ty = self.b.type_of(a);
        let [zero, one, beyond] = [0.0, 1.0, f64::INFINITY].map(Const::f64);
        let sizes = self.b.intrinsic(Intrinsic::Fabs, vec![a]).into();
        let most = self.largest(sizes);
        let any = self.b.compare(Cmp::FEq, most, beyond);
        let factor = self.b.select(any, zero, one).into();
        let factor = self.shaped(factor, ty);
        let others = self.b.float(FloatOp::Mul, a, factor);
        let [ones, beyond] = [one, beyond].map(|each| self.shaped(each.into(), ty));
        let signs = self.b.intrinsic(Intrinsic::Copysign, vec![ones, a]);
        let infinite = self.b.compare(Cmp::FEq, sizes, beyond);
        self.b.select(infinite, signs, others).into()
    }

    /// Doubles in the same direction, whose squares and their sum neither overflow nor lose digits.
    fn in_range(&mut self, a: Operand) -> Operand {
        let ty = self.b.type_of(a);
        let sizes = self.b.intrinsic(Intrinsic::Fabs, vec![a]).into();
        let most = self.largest(sizes);
        let large = self.b.compare(Cmp::FGt, most, Const::f64(FAR));
        let small = self.b.compare(Cmp::FLt, most, Const::f64(1.0 / FAR));
        let up = self
            .b
            .select(small, Const::f64(1.0 / SCALE), Const::f64(1.0));
        let scale = self.b.select(large, Const::f64(SCALE), up).into();
        let scale = self.shaped(scale, ty);
        self.b.float(FloatOp::Mul, a, scale).into()
    }
}
