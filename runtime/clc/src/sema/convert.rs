//! Conversions: lvalues to values, one type to another, by rule or by cast (OpenCL C 6.4).

use super::{Checked, Sema};
use crate::diag::Reported;
use crate::hir::{Expr, ExprKind};
use crate::source::Loc;
use crate::types::constant;
use crate::types::{Lanes, Qual, Rank, Scalar, Space, Type};

impl Sema<'_> {
    /// The value of an expression: what an lvalue holds, the address of an array.
    pub(super) fn load(&mut self, expr: Expr) -> Checked<Expr> {
        let (qual, loc) = (expr.qual, expr.loc);
        match self.types.of(qual) {
            Type::Array(..) => self.decay(expr),
            Type::Atomic(_) | Type::AtomicFlag if expr.lvalue => {
                let ty = self.show(qual.value());
                let message = format!("`{ty}` can only be accessed by the atomic functions");
                self.error(loc, message)
            }
            Type::Void if expr.lvalue => self.error(loc, "a void pointer cannot be dereferenced"),
            _ if !expr.lvalue => Ok(expr),
            Type::Record(_) => {
                self.complete(qual, loc, "a value")?;
                Ok(self.value(ExprKind::Load(Box::new(expr)), qual, loc))
            }
            Type::Scalar(Scalar::Half) if !self.language.fp16 => {
                self.no_half(loc, "read with vload_half")
            }
            _ => Ok(self.value(ExprKind::Load(Box::new(expr)), qual, loc)),
        }
    }

    fn no_half<T>(&mut self, at: Loc, can_be: &str) -> Checked<T> {
        let why = "this device has no half-precision arithmetic (cl_khr_fp16)";
        self.error(at, format!("a half can only be {can_be}: {why}"))
    }

    /// An array as the pointer to its first element.
    fn decay(&mut self, array: Expr) -> Checked<Expr> {
        let loc = array.loc;
        let Some((element, _)) = self.types.element(array.qual) else {
            return Ok(array);
        };
        let qual = self.types.pointer(element);
        self.mark_in_memory(&array);
        Ok(self.value(ExprKind::AddressOf(Box::new(array)), qual, loc))
    }

    /// A variable whose address is used lives in memory.
    pub(super) fn mark_in_memory(&mut self, expr: &Expr) {
        let mut at = expr;
        loop {
            match &at.kind {
                ExprKind::Field(base, ..) | ExprKind::Swizzle(base, _) => at = base,
                ExprKind::Var(id) | ExprKind::Compound(id, _) => {
                    if let Some(current) = &mut self.current
                        && let Some(var) = current.vars.get_mut(id.0 as usize)
                    {
                        var.in_memory = true;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// A scalar as another scalar, or a vector's elements as another's.
    pub(super) fn numeric(&mut self, expr: Expr, to: Scalar) -> Expr {
        let Some((from, lanes)) = self.types.arithmetic(expr.qual) else {
            return expr;
        };
        if from == to {
            return expr;
        }
        if let Some((bits, from)) = self.constant(&expr)
            && let Some(bits) = constant::convert(bits, from, to)
        {
            return self.number(bits, to, expr.loc);
        }
        let (qual, loc) = (self.types.shaped(to, lanes), expr.loc);
        self.value(ExprKind::Convert(Box::new(expr)), qual, loc)
    }

    /// A scalar in every element of a vector.
    pub(super) fn splat(&mut self, expr: Expr, scalar: Scalar, lanes: Lanes) -> Expr {
        let expr = self.numeric(expr, scalar);
        let (qual, loc) = (self.types.shaped(scalar, Some(lanes)), expr.loc);
        self.value(ExprKind::Splat(Box::new(expr)), qual, loc)
    }

    /// Whether an expression is a null pointer constant (C99 6.3.2.3p3).
    pub(super) fn is_null_constant(&self, expr: &Expr) -> bool {
        if matches!(expr.kind, ExprKind::Null) {
            let to = self.types.pointee(expr.qual);
            return to.is_some_and(|to| self.types.of(to) == Type::Void);
        }
        self.int_constant(expr).is_some_and(|(bits, _)| bits == 0)
    }

    /// The null pointer of a type.
    pub(super) fn null(&self, qual: Qual, loc: Loc) -> Expr {
        self.value(ExprKind::Null, qual, loc)
    }

    fn mismatch<T>(&mut self, from: Qual, to: Qual, what: &str, at: Loc) -> Checked<T> {
        let (from, to) = (self.show(from), self.show(to));
        let message = format!("{what} is of type `{from}`; `{to}` is expected");
        self.error(at, message)
    }

    /// Converts as by assignment. `what` begins the message when it cannot be.
    pub(super) fn implicit(&mut self, expr: Expr, to: Qual, what: &str) -> Checked<Expr> {
        let expr = self.load(expr)?;
        let (from, at) = (expr.qual, expr.loc);
        match (self.types.of(from), self.types.of(to)) {
            (a, b) if a == b => Ok(expr),
            (Type::Scalar(_), Type::Scalar(Scalar::Half)) if !self.language.fp16 => {
                self.no_half(at, "written with vstore_half")
            }
            (Type::Scalar(_), Type::Scalar(scalar)) => Ok(self.numeric(expr, scalar)),
            (Type::Scalar(_), Type::Vector(scalar, lanes)) => Ok(self.splat(expr, scalar, lanes)),
            (Type::Pointer(_), Type::Scalar(Scalar::Bool)) => {
                let qual = self.types.scalar(Scalar::Bool);
                Ok(self.value(ExprKind::Convert(Box::new(expr)), qual, at))
            }
            (_, Type::Pointer(_)) if self.is_null_constant(&expr) => Ok(self.null(to, at)),
            (Type::Scalar(_), Type::Event) if self.is_null_constant(&expr) => {
                Ok(self.value(ExprKind::Const(0), to.value(), at))
            }
            (Type::Scalar(scalar), Type::Sampler) if scalar.is_int() => {
                match self.int_constant(&expr) {
                    Some((bits, _)) => {
                        let bits = bits & u64::from(u32::MAX);
                        Ok(self.value(ExprKind::Const(bits), to.value(), at))
                    }
                    None => self.error(at, "a sampler is an integer constant"),
                }
            }
            (Type::Pointer(a), Type::Pointer(b)) => {
                self.check_pointers(a, b, from, to, what, at)?;
                Ok(self.pointer_as(expr, to))
            }
            (Type::Void, _) => self.error(at, format!("{what} has no value: it is void")),
            _ => self.mismatch(from, to, what, at),
        }
    }

    /// A pointer as another type of pointer.
    pub(super) fn pointer_as(&self, expr: Expr, to: Qual) -> Expr {
        let loc = expr.loc;
        if matches!(expr.kind, ExprKind::Null) {
            return self.null(to, loc);
        }
        self.value(ExprKind::PtrConvert(Box::new(expr)), to, loc)
    }

    /// Whether a pointer may become another without a cast.
    fn check_pointers(
        &mut self,
        a: Qual,
        b: Qual,
        from: Qual,
        to: Qual,
        what: &str,
        at: Loc,
    ) -> Checked<()> {
        let space_ok =
            a.space == b.space || (b.space == Space::Generic && a.space != Space::Constant);
        let (from, to) = (self.show(from), self.show(to));
        if !space_ok {
            let (x, y) = (a.space, b.space);
            let message = format!(
                "{what} points to {x} memory (`{from}`); a pointer to {y} memory is expected (`{to}`)"
            );
            return self.error(at, message);
        }
        let void = [a, b].map(|q| self.types.of(q)).contains(&Type::Void);
        // What lies in constant memory is const, whether or not its pointers say so.
        let loses_const = a.constant && !b.constant && a.space != Space::Constant;
        let why = if !void && !self.same_pointee(a, b) {
            "the types pointed to differ"
        } else if loses_const || (a.volatile && !b.volatile) {
            "a qualifier is lost"
        } else {
            return Ok(());
        };
        let message = format!("{what} is of type `{from}`, `{to}` is expected: {why}");
        self.diags.warning(at, message);
        Ok(())
    }

    /// Whether two pointed-to types are the same but for qualifiers.
    fn same_pointee(&self, a: Qual, b: Qual) -> bool {
        let (mut a, mut b) = (a, b);
        loop {
            if a.ty == b.ty {
                return true;
            }
            match (self.types.of(a), self.types.of(b)) {
                (Type::Pointer(x), Type::Pointer(y)) if x.space == y.space => (a, b) = (x, y),
                (Type::Array(x, m), Type::Array(y, n)) if m == n || m.is_none() || n.is_none() => {
                    (a, b) = (x, y);
                }
                _ => return false,
            }
        }
    }

    /// Converts as a cast does (OpenCL C 6.4.3, 6.7.6).
    pub(super) fn cast(&mut self, expr: Expr, to: Qual, at: Loc) -> Checked<Expr> {
        let expr = self.load(expr)?;
        let from = expr.qual;
        let to = to.value();
        match (self.types.of(from), self.types.of(to)) {
            (_, Type::Void) => Ok(self.value(ExprKind::Discard(Box::new(expr)), to, at)),
            (a, b) if a == b => Ok(expr),
            // A bool in a vector of integers is 0 or -1.
            (Type::Scalar(Scalar::Bool), Type::Vector(scalar, lanes)) if scalar.is_int() => {
                let expr = self.numeric(expr, scalar);
                let (qual, loc) = (expr.qual, expr.loc);
                let expr = self.value(ExprKind::Neg(Box::new(expr)), qual, loc);
                Ok(self.splat(expr, scalar, lanes))
            }
            (Type::Scalar(_), Type::Scalar(_) | Type::Vector(..) | Type::Event) => {
                self.implicit(expr, to, "the operand")
            }
            (Type::Vector(..), Type::Vector(..)) => {
                let (from, to) = (self.show(from), self.show(to));
                let message = format!(
                    "`{from}` cannot be cast to `{to}`; convert_{to} converts and as_{to} keeps \
                     the bits"
                );
                self.error(at, message)
            }
            (Type::Pointer(_), Type::Scalar(Scalar::Bool)) => {
                Ok(self.value(ExprKind::Convert(Box::new(expr)), to, at))
            }
            (Type::Pointer(_), Type::Scalar(scalar)) if scalar.is_int() => {
                let long = self.types.scalar(Scalar::SIZE);
                let bits = self.value(ExprKind::PtrConvert(Box::new(expr)), long, at);
                Ok(self.numeric(bits, scalar))
            }
            (_, Type::Pointer(_)) if self.is_null_constant(&expr) => Ok(self.null(to, at)),
            (Type::Scalar(scalar), Type::Pointer(_)) if scalar.is_int() => {
                // The value is extended by its own sign.
                let signed = scalar.is_signed();
                let bits = self.numeric(expr, if signed { Scalar::Long } else { Scalar::ULong });
                Ok(self.value(ExprKind::PtrConvert(Box::new(bits)), to, at))
            }
            (Type::Pointer(a), Type::Pointer(b)) => {
                let generic = a.space == Space::Generic || b.space == Space::Generic;
                let constant = a.space == Space::Constant || b.space == Space::Constant;
                if a.space != b.space && (!generic || constant) {
                    let (a, b) = (a.space, b.space);
                    let message = format!(
                        "a pointer to {a} memory cannot be cast to a pointer to {b} memory"
                    );
                    return self.error(at, message);
                }
                Ok(self.pointer_as(expr, to))
            }
            _ => {
                let (from, to) = (self.show(from), self.show(to));
                self.error(at, format!("`{from}` cannot be cast to `{to}`"))
            }
        }
    }

    /// The integer promotions of a value.
    pub(super) fn promote(&mut self, expr: Expr) -> Expr {
        match self.types.as_scalar(expr.qual) {
            Some(scalar) => self.numeric(expr, crate::types::promoted(scalar)),
            None => expr,
        }
    }

    /// Brings two arithmetic operands to one type (OpenCL C 6.4.6); returns it.
    pub(super) fn usual_conversions(
        &mut self,
        a: Expr,
        b: Expr,
        at: Loc,
    ) -> Checked<(Expr, Expr, Scalar, Option<Lanes>)> {
        let (x, m) = self.types.arithmetic(a.qual).ok_or(Reported)?;
        let (y, n) = self.types.arithmetic(b.qual).ok_or(Reported)?;
        match (m, n) {
            (None, None) => {
                let scalar = crate::types::usual(x, y);
                let (a, b) = (self.numeric(a, scalar), self.numeric(b, scalar));
                Ok((a, b, scalar, None))
            }
            (Some(m), Some(n)) if m == n && x == y => Ok((a, b, x, Some(m))),
            (Some(_), Some(_)) => {
                let (a, b) = (self.show(a.qual), self.show(b.qual));
                let message = format!(
                    "`{a}` and `{b}` do not go together: vectors are never converted by themselves"
                );
                self.error(at, message)
            }
            (Some(m), None) => {
                self.check_rank(&b, y, x, at)?;
                let b = self.splat(b, x, m);
                Ok((a, b, x, Some(m)))
            }
            (None, Some(n)) => {
                self.check_rank(&a, x, y, at)?;
                let a = self.splat(a, y, n);
                Ok((a, b, y, Some(n)))
            }
        }
    }

    /// A scalar operand may not be of greater rank than the vector's elements; constants may.
    fn check_rank(&mut self, expr: &Expr, from: Scalar, to: Scalar, at: Loc) -> Checked<()> {
        if Rank::of(from) > Rank::of(to) && self.constant(expr).is_none() {
            let (from, to) = (from.name(), to.name());
            let message = format!("a `{from}` is wider than the vector's elements of type `{to}`");
            return self.error(at, message);
        }
        Ok(())
    }

    /// A value that decides something: a scalar or a pointer.
    pub(super) fn condition(&mut self, expr: Expr) -> Checked<Expr> {
        let expr = self.load(expr)?;
        if matches!(self.types.of(expr.qual), Type::Scalar(_) | Type::Pointer(_)) {
            return Ok(expr);
        }
        let shown = self.show(expr.qual);
        let message = format!("a condition is a scalar or a pointer, not `{shown}`");
        self.error(expr.loc, message)
    }
}
