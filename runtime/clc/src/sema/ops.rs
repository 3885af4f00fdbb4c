//! Operators (OpenCL C 6.5).

use super::{Checked, Sema};
use crate::hir::{ArithOp, CompareOp, Expr, ExprKind};
use crate::operator::{BinaryOp, UnaryOp};
use crate::source::Loc;
use crate::types::constant;
use crate::types::{Lanes, Qual, Scalar, Space, Type, promoted};
use touchstone_faults::{Fault, on};

/// Whether an operation is for integers only.
pub(super) fn integers_only(op: ArithOp) -> bool {
    match op {
        ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div => false,
        ArithOp::Rem | ArithOp::Shl | ArithOp::Shr | ArithOp::And | ArithOp::Or | ArithOp::Xor => {
            true
        }
    }
}

impl Sema<'_> {
    pub(super) fn operands<T>(&mut self, op: &str, a: Qual, b: Qual, at: Loc) -> Checked<T> {
        let (a, b) = (self.show(a), self.show(b));
        self.error(at, format!("`{op}` does not work on `{a}` and `{b}`"))
    }

    /// The size of what a pointer points to, for arithmetic on it.
    pub(super) fn stride(&mut self, pointer: Qual, at: Loc) -> Checked<u64> {
        let Some(to) = self.types.pointee(pointer) else {
            return self.error(at, "a pointer is expected here");
        };
        if self.types.of(to) == Type::Void {
            return self.error(at, "arithmetic on a pointer to void");
        }
        self.complete(to, at, "what this pointer points to")
    }

    /// The index of a pointer operation, as a `long`.
    pub(super) fn index(&mut self, expr: Expr) -> Checked<Expr> {
        match self.types.as_scalar(expr.qual) {
            Some(scalar) if scalar.is_int() => {
                let expr = match on(Fault::ByteIndexSigned) && scalar == Scalar::UChar {
                    true => self.numeric(expr, Scalar::Char),
                    false => expr,
                };
                // An unsigned index is extended with zeros before its bits are taken as a long.
                Ok(self.numeric(expr, Scalar::Long))
            }
            Some(_) | None => {
                let message = format!("an index is an integer, not `{}`", self.show(expr.qual));
                self.error(expr.loc, message)
            }
        }
    }

    /// Pointer plus or minus an integer.
    pub(super) fn pointer_plus(
        &mut self,
        ptr: Expr,
        index: Expr,
        minus: bool,
        at: Loc,
    ) -> Checked<Expr> {
        let size = self.stride(ptr.qual, at)?;
        let index = self.index(index)?;
        let qual = ptr.qual;
        let kind = ExprKind::PtrAdd {
            ptr: Box::new(ptr),
            index: Box::new(index),
            size,
            minus,
        };
        Ok(self.value(kind, qual, at))
    }

    /// A binary operator on two values.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr, at: Loc) -> Checked<Expr> {
        let (a, b) = (self.load(a)?, self.load(b)?);
        let op = match op {
            BinaryOp::Compare(op) => return self.compare(op, a, b, at),
            BinaryOp::And | BinaryOp::Or => return self.logical(op == BinaryOp::And, a, b, at),
            BinaryOp::Arith(op) => op,
        };
        let pointers = [a.qual, b.qual].map(|q| self.types.pointee(q).is_some());
        match (op, pointers) {
            (ArithOp::Add, [true, false]) => return self.pointer_plus(a, b, false, at),
            (ArithOp::Add, [false, true]) => return self.pointer_plus(b, a, false, at),
            (ArithOp::Sub, [true, false]) => return self.pointer_plus(a, b, true, at),
            (ArithOp::Sub, [true, true]) => return self.pointer_minus(a, b, at),
            _ => {}
        }
        let (Some((x, m)), Some((y, n))) =
            (self.types.arithmetic(a.qual), self.types.arithmetic(b.qual))
        else {
            return self.operands(op.text(), a.qual, b.qual, at);
        };
        if integers_only(op) && (x.is_float() || y.is_float()) {
            return self.operands(op.text(), a.qual, b.qual, at);
        }
        if matches!(op, ArithOp::Shl | ArithOp::Shr) {
            return self.shift(op, a, b, (x, m), (y, n), at);
        }
        let (a, b, scalar, lanes) = self.usual_conversions(a, b, at)?;
        self.arith(op, a, b, scalar, lanes, at)
    }

    /// An operation on operands of the result's type.
    fn arith(
        &mut self,
        op: ArithOp,
        a: Expr,
        b: Expr,
        scalar: Scalar,
        lanes: Option<Lanes>,
        at: Loc,
    ) -> Checked<Expr> {
        self.check_half(scalar, at)?;
        if let (Some((x, _)), Some((y, _))) = (self.constant(&a), self.constant(&b)) {
            if let Some(bits) = constant::arith(op, scalar, x, y) {
                return Ok(self.number(bits, scalar, at));
            }
            self.diags.warning(at, "division by zero");
        }
        let qual = self.types.shaped(scalar, lanes);
        Ok(self.value(ExprKind::Arith(op, Box::new(a), Box::new(b)), qual, at))
    }

    /// `<<` and `>>`: the result has the type of the promoted left operand.
    fn shift(
        &mut self,
        op: ArithOp,
        a: Expr,
        b: Expr,
        (x, m): (Scalar, Option<Lanes>),
        (y, n): (Scalar, Option<Lanes>),
        at: Loc,
    ) -> Checked<Expr> {
        match (m, n) {
            (None, None) => {
                let (a, b) = (self.promote(a), self.promote(b));
                let scalar = promoted(x);
                // Only the low bits of the count matter, so its width does not.
                let b = self.numeric(b, scalar);
                self.arith(op, a, b, scalar, None, at)
            }
            (Some(m), None) => {
                let b = self.splat(b, x, m);
                self.arith(op, a, b, x, Some(m), at)
            }
            (Some(m), Some(n)) if m == n && x.size() == y.size() => {
                let b = self.numeric(b, x);
                self.arith(op, a, b, x, Some(m), at)
            }
            _ => self.operands(op.text(), a.qual, b.qual, at),
        }
    }

    fn pointer_minus(&mut self, a: Expr, b: Expr, at: Loc) -> Checked<Expr> {
        let (Some(x), Some(y)) = (self.types.pointee(a.qual), self.types.pointee(b.qual)) else {
            return self.operands("-", a.qual, b.qual, at);
        };
        if x.ty != y.ty {
            return self.operands("-", a.qual, b.qual, at);
        }
        let (a, b) = self.common_space(a, b, at)?;
        let size = self.stride(a.qual, at)?.max(1);
        let qual = self.types.scalar(Scalar::PTRDIFF);
        Ok(self.value(ExprKind::PtrDiff(Box::new(a), Box::new(b), size), qual, at))
    }

    /// Brings two pointers to one address space: their own, or generic.
    pub(super) fn common_space(&mut self, a: Expr, b: Expr, at: Loc) -> Checked<(Expr, Expr)> {
        let (Some(x), Some(y)) = (self.types.pointee(a.qual), self.types.pointee(b.qual)) else {
            return Ok((a, b));
        };
        if x.space == y.space {
            return Ok((a, b));
        }
        let generic = self.language.generic
            && (x.space == Space::Generic || y.space == Space::Generic)
            && x.space != Space::Constant
            && y.space != Space::Constant;
        if !generic {
            let (x, y) = (x.space, y.space);
            let message = format!("a pointer to {x} and one to {y} memory do not go together");
            return self.error(at, message);
        }
        let gx = self.types.pointer(x.in_space(Space::Generic));
        let gy = self.types.pointer(y.in_space(Space::Generic));
        Ok((self.pointer_as(a, gx), self.pointer_as(b, gy)))
    }

    fn compare(&mut self, op: CompareOp, a: Expr, b: Expr, at: Loc) -> Checked<Expr> {
        let pointers = [a.qual, b.qual].map(|q| self.types.pointee(q).is_some());
        let int = (Scalar::Int, None);
        let (a, b, shape) = match pointers {
            [true, _] if self.is_null_constant(&b) => {
                let null = self.null(a.qual, at);
                (a, null, int)
            }
            [_, true] if self.is_null_constant(&a) => {
                let null = self.null(b.qual, at);
                (null, b, int)
            }
            [true, true] => {
                let (a, b) = self.common_space(a, b, at)?;
                (a, b, int)
            }
            [false, false] if self.are_handles(op, a.qual, b.qual) => (a, b, int),
            [false, false] if self.both_arithmetic(a.qual, b.qual) => {
                let (a, b, scalar, lanes) = self.usual_conversions(a, b, at)?;
                if let (Some((x, _)), Some((y, _))) = (self.constant(&a), self.constant(&b))
                    && let Some(value) = constant::compare(op, scalar, x, y)
                {
                    return Ok(self.number(u64::from(value), Scalar::Int, at));
                }
                (a, b, (scalar, lanes))
            }
            _ => return self.operands(op.text(), a.qual, b.qual, at),
        };
        let qual = self.types.truth(shape);
        Ok(self.value(ExprKind::Compare(op, Box::new(a), Box::new(b)), qual, at))
    }

    /// Whether two handles of device-side enqueue are compared, which are the same or not.
    fn are_handles(&self, op: CompareOp, a: Qual, b: Qual) -> bool {
        let is_handle = matches!(self.types.of(a), Type::Queue | Type::DeviceEvent);
        is_handle && a.ty == b.ty && matches!(op, CompareOp::Eq | CompareOp::Ne)
    }

    pub(super) fn both_arithmetic(&self, a: Qual, b: Qual) -> bool {
        self.types.arithmetic(a).is_some() && self.types.arithmetic(b).is_some()
    }

    fn logical(&mut self, and: bool, a: Expr, b: Expr, at: Loc) -> Checked<Expr> {
        let is_vector = |q| matches!(self.types.of(q), Type::Vector(..));
        if is_vector(a.qual) || is_vector(b.qual) {
            if !self.both_arithmetic(a.qual, b.qual) {
                return self.operands(if and { "&&" } else { "||" }, a.qual, b.qual, at);
            }
            let (a, b, scalar, lanes) = self.usual_conversions(a, b, at)?;
            let qual = self.types.truth((scalar, lanes));
            let kind = ExprKind::VectorLogical(and, Box::new(a), Box::new(b));
            return Ok(self.value(kind, qual, at));
        }
        let (a, b) = (self.condition(a)?, self.condition(b)?);
        if let Some((bits, scalar)) = self.constant(&a) {
            if constant::truth(bits, scalar) != and {
                return Ok(self.number(u64::from(!and), Scalar::Int, at));
            }
            if let Some((bits, scalar)) = self.constant(&b) {
                let value = constant::truth(bits, scalar);
                return Ok(self.number(u64::from(value), Scalar::Int, at));
            }
        }
        let int = self.types.scalar(Scalar::Int);
        Ok(self.value(ExprKind::Logical(and, Box::new(a), Box::new(b)), int, at))
    }

    /// `+ - ~ !` on a value.
    pub(super) fn unary(&mut self, op: UnaryOp, expr: Expr, at: Loc) -> Checked<Expr> {
        let expr = self.load(expr)?;
        if op == UnaryOp::Not {
            return self.not(expr, at);
        }
        let fits = |&(scalar, _): &(Scalar, _)| op != UnaryOp::Complement || !scalar.is_float();
        let Some((scalar, _)) = self.types.arithmetic(expr.qual).filter(fits) else {
            let (op, ty) = (op.text(), self.show(expr.qual));
            return self.error(at, format!("`{op}` does not work on `{ty}`"));
        };
        self.check_half(scalar, at)?;
        let expr = self.promote(expr);
        if let Some((bits, scalar)) = self.constant(&expr) {
            let value = match op {
                UnaryOp::Neg if scalar == Scalar::Float => bits ^ 0x8000_0000,
                UnaryOp::Neg if scalar == Scalar::Half => bits ^ 0x8000,
                UnaryOp::Neg if scalar == Scalar::Double => bits ^ (1 << 63),
                UnaryOp::Neg => bits.wrapping_neg(),
                UnaryOp::Complement => !bits,
                UnaryOp::Plus | UnaryOp::Not | UnaryOp::Deref | UnaryOp::AddressOf => bits,
            };
            return Ok(self.number(value, scalar, at));
        }
        let qual = expr.qual;
        Ok(match op {
            UnaryOp::Neg => self.value(ExprKind::Neg(Box::new(expr)), qual, at),
            UnaryOp::Complement => self.value(ExprKind::Complement(Box::new(expr)), qual, at),
            UnaryOp::Plus | UnaryOp::Not | UnaryOp::Deref | UnaryOp::AddressOf => expr,
        })
    }

    fn not(&mut self, expr: Expr, at: Loc) -> Checked<Expr> {
        if let Some(shape @ (_, Some(_))) = self.types.arithmetic(expr.qual) {
            let qual = self.types.truth(shape);
            return Ok(self.value(ExprKind::Not(Box::new(expr)), qual, at));
        }
        let expr = self.condition(expr)?;
        if let Some((bits, scalar)) = self.constant(&expr) {
            let value = !constant::truth(bits, scalar);
            return Ok(self.number(u64::from(value), Scalar::Int, at));
        }
        let int = self.types.scalar(Scalar::Int);
        Ok(self.value(ExprKind::Not(Box::new(expr)), int, at))
    }
}
