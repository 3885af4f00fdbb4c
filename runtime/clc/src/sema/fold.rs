//! Constants among typed expressions.

use super::Sema;
use crate::hir::{Expr, ExprKind};
use crate::types::constant::mask;
use crate::types::{Qual, Scalar};

impl Sema<'_> {
    /// The bits and type of a scalar constant.
    pub(super) fn constant(&self, expr: &Expr) -> Option<(u64, Scalar)> {
        match expr.kind {
            ExprKind::Const(bits) => Some((bits, self.types.as_scalar(expr.qual)?)),
            _ => None,
        }
    }

    /// The bits and type of an integer constant.
    pub(super) fn int_constant(&self, expr: &Expr) -> Option<(u64, Scalar)> {
        self.constant(expr).filter(|(_, scalar)| scalar.is_int())
    }

    /// A constant of a scalar type.
    pub(super) fn number(&mut self, value: u64, scalar: Scalar, loc: crate::source::Loc) -> Expr {
        let qual = self.types.scalar(scalar);
        self.value(ExprKind::Const(mask(value, scalar)), qual, loc)
    }

    /// A value, as an rvalue.
    pub(super) fn value(&self, kind: ExprKind, qual: Qual, loc: crate::source::Loc) -> Expr {
        Expr {
            kind,
            qual: qual.value(),
            lvalue: false,
            loc,
        }
    }
}
