//! Assignments and selections: `=`, `op=`, `++`, `?:` (OpenCL C 6.5).

use super::ops::integers_only;
use super::{Checked, Sema};
use crate::hir::{ArithOp, Expr, ExprKind, Update};
use crate::source::Loc;
use crate::types::constant;
use crate::types::{Lanes, Scalar, Space, Type, promoted};

impl Sema<'_> {
    /// Checks that an expression can be assigned to.
    fn assignable(&mut self, target: &Expr, at: Loc) -> Checked<()> {
        if !target.lvalue {
            return self.error(at, "this cannot be assigned to");
        }
        let problem = match self.types.of(target.qual) {
            _ if target.qual.space == Space::Constant => "constant memory cannot be written",
            _ if target.qual.constant => "this is const and cannot be assigned to",
            Type::Array(..) => "an array cannot be assigned to",
            Type::Void => "void cannot be assigned to",
            Type::Atomic(_) | Type::AtomicFlag => {
                "an atomic object can only be accessed by the atomic functions"
            }
            _ => {
                if let ExprKind::Swizzle(_, elements) = &target.kind {
                    let mut seen = elements.clone();
                    seen.sort_unstable();
                    seen.dedup();
                    if seen.len() != elements.len() {
                        return self.error(at, "an element is assigned to twice");
                    }
                }
                return Ok(());
            }
        };
        self.error(at, problem)
    }

    /// `=`
    pub(super) fn assign(&mut self, target: Expr, value: Expr, at: Loc) -> Checked<Expr> {
        self.assignable(&target, at)?;
        let qual = target.qual;
        let value = self.implicit(value, qual.value(), "the value assigned")?;
        let kind = ExprKind::Assign(Box::new(target), Box::new(value));
        Ok(self.value(kind, qual, at))
    }

    /// `op=`, and `++` and `--` as `+= 1` and `-= 1`.
    pub(super) fn assign_op(
        &mut self,
        op: ArithOp,
        target: Expr,
        operand: Expr,
        old: bool,
        at: Loc,
    ) -> Checked<Expr> {
        self.assignable(&target, at)?;
        let operand = self.load(operand)?;
        let qual = target.qual;
        let text = op.text();
        if self.types.pointee(qual).is_some() {
            if !matches!(op, ArithOp::Add | ArithOp::Sub) {
                return self.operands(text, qual, operand.qual, at);
            }
            let size = self.stride(qual, at)?;
            let index = self.index(operand)?;
            let minus = op == ArithOp::Sub;
            let step = Update::Step { index, size, minus };
            return Ok(self.update(target, step, old, at));
        }
        let shapes = [qual, operand.qual].map(|q| self.types.arithmetic(q));
        let [Some((x, m)), Some((y, n))] = shapes else {
            return self.operands(text, qual, operand.qual, at);
        };
        if integers_only(op) && (x.is_float() || y.is_float()) {
            return self.operands(text, qual, operand.qual, at);
        }
        self.check_half(x, at)?;
        let shift = matches!(op, ArithOp::Shl | ArithOp::Shr);
        let (in_scalar, operand) = match (m, n) {
            (None, None) if shift => {
                let scalar = promoted(x);
                (scalar, self.numeric(operand, scalar))
            }
            (None, None) => {
                let scalar = crate::types::usual(x, y);
                (scalar, self.numeric(operand, scalar))
            }
            (Some(m), None) => (x, self.splat(operand, x, m)),
            (Some(m), Some(n)) if m == n && x == y => (x, operand),
            (Some(m), Some(n)) if shift && m == n && x.size() == y.size() => {
                (x, self.numeric(operand, x))
            }
            _ => return self.operands(text, qual, operand.qual, at),
        };
        let in_type = self.types.shaped(in_scalar, m);
        Ok(self.update(target, Update::Arith(op, operand, in_type), old, at))
    }

    fn update(&mut self, target: Expr, update: Update, old: bool, at: Loc) -> Expr {
        let qual = target.qual;
        let kind = ExprKind::Update {
            target: Box::new(target),
            update: Box::new(update),
            old,
        };
        self.value(kind, qual, at)
    }

    /// `?:`
    pub(super) fn ternary(&mut self, cond: Expr, yes: Expr, no: Expr, at: Loc) -> Checked<Expr> {
        let (cond, yes, no) = (self.load(cond)?, self.load(yes)?, self.load(no)?);
        if let Some((scalar, Some(lanes))) = self.types.arithmetic(cond.qual) {
            return self.vector_ternary(cond, (scalar, lanes), yes, no, at);
        }
        let cond = self.condition(cond)?;
        let (a, b) = (yes.qual, no.qual);
        let (yes, no, qual) = if a.ty == b.ty {
            (yes, no, a)
        } else if self.both_arithmetic(a, b) {
            let (yes, no, scalar, lanes) = self.usual_conversions(yes, no, at)?;
            (yes, no, self.types.shaped(scalar, lanes))
        } else {
            match (self.types.pointee(a), self.types.pointee(b)) {
                (Some(_), _) if self.is_null_constant(&no) => (yes, self.null(a, at), a),
                (_, Some(_)) if self.is_null_constant(&yes) => (self.null(b, at), no, b),
                (Some(x), Some(y)) => {
                    let (yes, no) = self.common_space(yes, no, at)?;
                    let to = match self.types.of(y) {
                        Type::Void => no.qual,
                        _ => yes.qual,
                    };
                    let void = [x, y].map(|q| self.types.of(q)).contains(&Type::Void);
                    if x.ty != y.ty && !void {
                        let message = "the operands of `?:` point to different types";
                        self.diags.warning(at, message);
                    }
                    // Qualifiers of both.
                    let Some(mut target) = self.types.pointee(to) else {
                        return self.operands("?:", a, b, at);
                    };
                    target.constant |= x.constant || y.constant;
                    target.volatile |= x.volatile || y.volatile;
                    let to = self.types.pointer(target);
                    (self.pointer_as(yes, to), self.pointer_as(no, to), to)
                }
                _ => return self.operands("?:", a, b, at),
            }
        };
        let mut qual = qual.value();
        let (mut yes, mut no) = (yes, no);
        // Operands narrower than int are promoted even when they have the same type.
        if let Some(scalar) = self.types.as_scalar(qual) {
            let wide = promoted(scalar);
            (yes, no) = (self.numeric(yes, wide), self.numeric(no, wide));
            qual = self.types.scalar(wide);
        }
        if let Some((bits, scalar)) = self.constant(&cond)
            && self.constant(&yes).is_some()
            && self.constant(&no).is_some()
        {
            let chosen = if constant::truth(bits, scalar) {
                yes
            } else {
                no
            };
            return Ok(chosen);
        }
        let kind = ExprKind::Cond(Box::new(cond), Box::new(yes), Box::new(no));
        Ok(self.value(kind, qual, at))
    }

    fn vector_ternary(
        &mut self,
        cond: Expr,
        (scalar, lanes): (Scalar, Lanes),
        yes: Expr,
        no: Expr,
        at: Loc,
    ) -> Checked<Expr> {
        if scalar.is_float() {
            return self.error(at, "the condition of `?:` is a vector of integers");
        }
        let (a, b) = (yes.qual, no.qual);
        if !self.both_arithmetic(a, b) {
            return self.operands("?:", a, b, at);
        }
        let (mut yes, mut no, element, shape) = self.usual_conversions(yes, no, at)?;
        if shape.is_none() {
            yes = self.splat(yes, element, lanes);
            no = self.splat(no, element, lanes);
        } else if shape != Some(lanes) {
            let message = "the operands of `?:` have different numbers of elements";
            return self.error(at, message);
        }
        if element.size() != scalar.size() {
            let message = "the condition of `?:` has elements of the size of the operands'";
            return self.error(at, message);
        }
        let qual = self.types.shaped(element, Some(lanes));
        let kind = ExprKind::VectorCond(Box::new(cond), Box::new(yes), Box::new(no));
        Ok(self.value(kind, qual, at))
    }
}
