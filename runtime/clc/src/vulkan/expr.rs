//! Expressions.

use super::Writer;
use super::memory::Pointer;
use super::module::{Id, ids};
use super::number::{Number, comparison, is_wide};
use super::place::{Place, Value};
use crate::hir::{ArithOp, CompareOp, Expr, ExprKind, Update};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::{Qual, Scalar};
use rspirv::spirv::Op;

impl Writer<'_> {
    /// Computes an expression for what it does.
    pub(super) fn effect(&mut self, expr: &Expr) -> Checked<()> {
        match &expr.kind {
            ExprKind::Discard(inner) => self.effect(inner),
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.effect(b)
            }
            _ => self.value(expr).map(|_| ()),
        }
    }

    /// The numbers of an expression of an arithmetic type.
    fn numbers(&mut self, expr: &Expr) -> Checked<Vec<Number>> {
        match self.value(expr)? {
            Value::Numbers(numbers) => Ok(numbers),
            Value::Void | Value::Pointer(_) => self.refuse(expr.loc, "a pointer as a number"),
        }
    }

    /// The number of a scalar expression.
    pub(super) fn number(&mut self, expr: &Expr) -> Checked<Number> {
        let numbers = self.numbers(expr)?;
        match numbers.first() {
            Some(&number) => Ok(number),
            None => self.refuse(expr.loc, "a value without numbers"),
        }
    }

    /// Where an expression of a pointer type points.
    pub(super) fn pointer(&mut self, expr: &Expr) -> Checked<Pointer> {
        match self.value(expr)? {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Void | Value::Numbers(_) => self.refuse(expr.loc, "a number as a pointer"),
        }
    }

    /// The lower 32 bits of a scalar expression, with nothing computed for the others: what an
    /// index needs.
    pub(super) fn low(&mut self, expr: &Expr) -> Checked<Id> {
        let (scalar, _) = self.shape(expr.qual, expr.loc)?;
        if is_wide(scalar) {
            match &expr.kind {
                ExprKind::Const(bits) => return Ok(self.m.constant(*bits as u32)),
                ExprKind::Convert(inner) => {
                    let (from, _) = self.shape(inner.qual, inner.loc)?;
                    self.supported(from, inner.loc)?;
                    return self.low(inner);
                }
                ExprKind::Neg(inner) => {
                    let (zero, word) = (self.m.constant(0), self.low(inner)?);
                    return Ok(self.m.binary(Op::ISub, zero, word));
                }
                ExprKind::Arith(op, a, b) => {
                    let op = match op {
                        ArithOp::Add => Some(Op::IAdd),
                        ArithOp::Sub => Some(Op::ISub),
                        ArithOp::Mul => Some(Op::IMul),
                        ArithOp::And => Some(Op::BitwiseAnd),
                        ArithOp::Or => Some(Op::BitwiseOr),
                        ArithOp::Xor => Some(Op::BitwiseXor),
                        ArithOp::Div | ArithOp::Rem | ArithOp::Shl | ArithOp::Shr => None,
                    };
                    if let Some(op) = op {
                        let (a, b) = (self.low(a)?, self.low(b)?);
                        return Ok(self.m.binary(op, a, b));
                    }
                }
                _ => {}
            }
        }
        let number = self.number(expr)?;
        Ok(self.m.low(number))
    }

    /// An expression's truth.
    pub(super) fn truth(&mut self, expr: &Expr) -> Checked<Id> {
        match &expr.kind {
            ExprKind::Not(inner) => {
                let inner = self.truth(inner)?;
                Ok(self.not(inner))
            }
            ExprKind::Const(bits) => Ok(self.m.truth(*bits != 0)),
            _ if self.is_pointer(expr.qual) => self.refuse(expr.loc, "a pointer as a truth"),
            _ => {
                let number = self.number(expr)?;
                Ok(self.m.is_true(number))
            }
        }
    }

    fn not(&mut self, truth: Id) -> Id {
        let bool = self.m.bool();
        let operand = ids(&[truth]);
        self.m.emit(Op::LogicalNot, bool, operand)
    }

    /// `&&` and `||`: the second operand is computed where the first does not decide.
    fn logical(&mut self, and: bool, a: &Expr, b: &Expr) -> Checked<Id> {
        if let ExprKind::Const(bits) = a.kind {
            return match (bits != 0) == and {
                true => self.truth(b),
                false => Ok(self.m.truth(!and)),
            };
        }
        let first = self.truth(a)?;
        let before = self.m.here();
        let (second, end) = (self.m.id(), self.m.id());
        let (yes, no) = if and { (second, end) } else { (end, second) };
        self.selection(first, yes, no, end);
        self.m.begin(second);
        let b = self.truth(b)?;
        let after = self.m.here();
        self.m.jump(end);
        self.m.begin(end);
        let (bool, decided) = (self.m.bool(), self.m.truth(!and));
        Ok(self.m.phi(bool, [(decided, before), (b, after)]))
    }

    /// `?:`
    fn cond(&mut self, cond: &Expr, a: &Expr, b: &Expr, qual: Qual) -> Checked<Value> {
        if let ExprKind::Const(bits) = cond.kind {
            return self.value(if bits != 0 { a } else { b });
        }
        let truth = self.truth(cond)?;
        let (yes, no, end) = (self.m.id(), self.m.id(), self.m.id());
        self.selection(truth, yes, no, end);
        let mut arms = Vec::with_capacity(2);
        for (block, arm) in [(yes, a), (no, b)] {
            self.m.begin(block);
            let value = self.value(arm)?;
            let value = self.settled(value, qual, arm.loc)?;
            arms.push((value, self.m.here()));
            self.m.jump(end);
        }
        self.m.begin(end);
        match arms.as_slice() {
            [(Value::Numbers(a), of_a), (Value::Numbers(b), of_b)] => {
                let pairs = a.iter().zip(b);
                let merged = pairs.map(|(&a, &b)| self.m.merged([(a, *of_a), (b, *of_b)]));
                Ok(Value::Numbers(merged.collect()))
            }
            [(Value::Pointer(a), of_a), (Value::Pointer(b), of_b)] => {
                if a.object != b.object {
                    let what = "a pointer that may point into one of several objects";
                    return self.refuse(cond.loc, what);
                }
                let word = self.m.word();
                let offset = self.m.phi(word, [(a.offset, *of_a), (b.offset, *of_b)]);
                Ok(Value::Pointer(Pointer { offset, ..*a }))
            }
            _ => Ok(Value::Void),
        }
    }

    /// A value in the form that variables of its type have.
    fn settled(&mut self, value: Value, qual: Qual, at: Loc) -> Checked<Value> {
        let Value::Numbers(numbers) = value else {
            return Ok(value);
        };
        let (scalar, _) = self.shape(qual, at)?;
        let numbers = numbers.into_iter().map(|n| self.m.settled(n, scalar));
        Ok(Value::Numbers(numbers.collect()))
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Checked<Value> {
        let (at, qual) = (expr.loc, expr.qual);
        match &expr.kind {
            ExprKind::Const(bits) => {
                let (scalar, _) = self.shape(qual, at)?;
                self.supported(scalar, at)?;
                Ok(Value::one(self.m.number(*bits, scalar)))
            }
            ExprKind::Null => self.refuse(at, "a null pointer"),
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Local(_)
            | ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Compound(..) => {
                let place = self.place(expr)?;
                self.read(&place, qual, at)
            }
            ExprKind::Load(object) => {
                let place = self.place(object)?;
                self.read(&place, object.qual, at)
            }
            ExprKind::AddressOf(object) => match self.place(object)? {
                Place::Memory { pointer, .. } => Ok(Value::Pointer(pointer)),
                Place::Var(_) | Place::Elements { .. } | Place::Value(_) => {
                    self.refuse(at, "the address of what is not in memory")
                }
            },
            ExprKind::Neg(a) => {
                let (scalar, _) = self.shape(qual, at)?;
                self.each(a, |w, n| w.m.negated(scalar, n))
            }
            ExprKind::Complement(a) => {
                let (scalar, _) = self.shape(qual, at)?;
                self.each(a, |w, n| w.m.complement(scalar, n))
            }
            ExprKind::Not(a) => {
                let (scalar, lanes) = self.shape(a.qual, at)?;
                if lanes == 1 {
                    return self.truth(expr).map(Number::Truth).map(Value::one);
                }
                self.each(a, |w, n| {
                    let truth = w.m.is_true(n);
                    let no = w.not(truth);
                    w.mask(no, scalar)
                })
            }
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b, at),
            ExprKind::Logical(and, a, b) => {
                let truth = self.logical(*and, a, b)?;
                Ok(Value::one(Number::Truth(truth)))
            }
            ExprKind::VectorLogical(and, a, b) => {
                let (scalar, _) = self.shape(a.qual, at)?;
                let op = if *and { Op::LogicalAnd } else { Op::LogicalOr };
                self.each_two(a, b, |w, a, b| {
                    let (a, b) = (w.m.is_true(a), w.m.is_true(b));
                    let both = w.m.test(op, a, b);
                    w.mask(both, scalar)
                })
            }
            ExprKind::Arith(op, a, b) => {
                let (scalar, _) = self.shape(qual, at)?;
                self.supported(scalar, at)?;
                self.each_two(a, b, |w, a, b| w.m.arith(*op, scalar, a, b))
            }
            ExprKind::PtrAdd {
                ptr,
                index,
                size,
                minus,
            } => {
                let pointer = self.pointer(ptr)?;
                self.pointer_plus(pointer, index, *size, *minus, at)
                    .map(Value::Pointer)
            }
            ExprKind::PtrDiff(a, b, size) => {
                let words = self.words_of_bytes(*size, at)?;
                let (a, b) = self.same_object(a, b, at)?;
                let apart = self.m.binary(Op::ISub, a.offset, b.offset);
                let words = self.m.constant(words.max(1));
                let elements = self.m.binary(Op::SDiv, apart, words);
                let (scalar, _) = self.shape(qual, at)?;
                let elements = Number::Word(elements);
                Ok(Value::one(self.m.convert(elements, Scalar::Int, scalar)))
            }
            ExprKind::Assign(target, value) => {
                let value = self.value(value)?;
                let place = self.place(target)?;
                self.write(&place, &value, target.qual, at)?;
                Ok(value)
            }
            ExprKind::Update {
                target,
                update,
                old,
            } => self.update(target, update, *old, at),
            ExprKind::Cond(cond, a, b) => self.cond(cond, a, b, qual),
            ExprKind::VectorCond(cond, a, b) => {
                let (by, _) = self.shape(cond.qual, at)?;
                let (scalar, _) = self.shape(qual, at)?;
                let (cond, zero) = (self.numbers(cond)?, self.m.number(0, by));
                let (a, b) = (self.numbers(a)?, self.numbers(b)?);
                let mut chosen = Vec::with_capacity(cond.len());
                for ((cond, a), b) in cond.into_iter().zip(a).zip(b) {
                    // The top bit says.
                    let signed = by.signed_of_size();
                    let truth = self.m.compare(CompareOp::Lt, signed, cond, zero);
                    chosen.push(self.m.choose(scalar, truth, a, b));
                }
                Ok(Value::Numbers(chosen))
            }
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.value(b)
            }
            ExprKind::Convert(a) => self.converted(a, qual, at),
            ExprKind::PtrConvert(a) => {
                if self.is_pointer(qual) && self.is_pointer(a.qual) {
                    return self.value(a);
                }
                self.refuse(at, "a pointer as a number, or a number as a pointer")
            }
            ExprKind::Splat(a) => {
                let (_, lanes) = self.shape(qual, at)?;
                let number = self.number(a)?;
                Ok(Value::Numbers(vec![number; lanes]))
            }
            ExprKind::Build(parts) => {
                let mut numbers = Vec::new();
                for part in parts {
                    numbers.extend(self.numbers(part)?);
                }
                Ok(Value::Numbers(numbers))
            }
            ExprKind::Discard(a) => {
                self.effect(a)?;
                Ok(Value::Void)
            }
            ExprKind::Call(callee, args) => self.call(*callee, args, at),
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, qual, at),
            ExprKind::Block(..) => self.refuse(at, "a block"),
        }
    }

    /// What a function makes of each number of a value.
    pub(super) fn each(
        &mut self,
        a: &Expr,
        mut of: impl FnMut(&mut Self, Number) -> Number,
    ) -> Checked<Value> {
        let numbers = self.numbers(a)?;
        let numbers = numbers.into_iter().map(|n| of(self, n));
        Ok(Value::Numbers(numbers.collect()))
    }

    /// What a function makes of the numbers of two values. The second is a scalar where it shifts
    /// all elements of the first.
    pub(super) fn each_two(
        &mut self,
        a: &Expr,
        b: &Expr,
        mut of: impl FnMut(&mut Self, Number, Number) -> Number,
    ) -> Checked<Value> {
        let (a, b) = (self.numbers(a)?, self.numbers(b)?);
        let pairs = a.into_iter().zip(b.into_iter().cycle());
        let numbers = pairs.map(|(a, b)| of(self, a, b));
        Ok(Value::Numbers(numbers.collect()))
    }

    /// All ones for true, in integers as wide as a type.
    fn mask(&mut self, truth: Id, scalar: Scalar) -> Number {
        let scalar = scalar.signed_of_size();
        let ones = self.m.number(u64::MAX, scalar);
        let zero = self.m.number(0, scalar);
        self.m.choose(scalar, truth, ones, zero)
    }

    fn same_object(&mut self, a: &Expr, b: &Expr, at: Loc) -> Checked<(Pointer, Pointer)> {
        let (a, b) = (self.pointer(a)?, self.pointer(b)?);
        if a.object != b.object {
            return self.refuse(at, "two pointers into different objects");
        }
        Ok((a, b))
    }

    fn compare(&mut self, op: CompareOp, a: &Expr, b: &Expr, at: Loc) -> Checked<Value> {
        if self.is_pointer(a.qual) {
            let (a, b) = self.same_object(a, b, at)?;
            let truth = self.m.test(comparison(op, false), a.offset, b.offset);
            return Ok(Value::one(Number::Truth(truth)));
        }
        let (scalar, lanes) = self.shape(a.qual, at)?;
        self.supported(scalar, at)?;
        self.each_two(a, b, |w, a, b| {
            let truth = w.m.compare(op, scalar, a, b);
            match lanes {
                1 => Number::Truth(truth),
                _ => w.mask(truth, scalar),
            }
        })
    }

    /// A value as one of another arithmetic type.
    pub(super) fn converted(&mut self, a: &Expr, to: Qual, at: Loc) -> Checked<Value> {
        let ((from, lanes), (to, _)) = (self.shape(a.qual, at)?, self.shape(to, at)?);
        self.supported(from, at)?;
        self.supported(to, at)?;
        if lanes == 1 && is_wide(from) && !is_wide(to) && to != Scalar::Bool {
            return self.low(a).map(Number::Word).map(Value::one);
        }
        self.each(a, |w, n| w.m.convert(n, from, to))
    }

    /// A pointer some elements on.
    fn pointer_plus(
        &mut self,
        pointer: Pointer,
        index: &Expr,
        size: u64,
        minus: bool,
        at: Loc,
    ) -> Checked<Pointer> {
        let words = self.words_of_bytes(size, at)?;
        let index = self.low(index)?;
        let words = self.m.constant(words);
        let words = self.m.binary(Op::IMul, index, words);
        let op = if minus { Op::ISub } else { Op::IAdd };
        Ok(Pointer {
            offset: self.m.binary(op, pointer.offset, words),
            ..pointer
        })
    }

    /// Changes what is in a place; gives the value there after it, or before it if `old`.
    fn update(&mut self, target: &Expr, update: &Update, old: bool, at: Loc) -> Checked<Value> {
        let (place, before, after) = match update {
            Update::Arith(op, operand, in_type) => {
                let ((own, _), (wide, _)) =
                    (self.shape(target.qual, at)?, self.shape(*in_type, at)?);
                self.supported(wide, at)?;
                let operand = self.numbers(operand)?;
                let place = self.place(target)?;
                let before = self.read(&place, target.qual, at)?;
                let Value::Numbers(numbers) = &before else {
                    return self.refuse(at, "a pointer as a number");
                };
                let mut after = Vec::with_capacity(numbers.len());
                for (&number, &operand) in numbers.iter().zip(operand.iter().cycle()) {
                    let number = self.m.convert(number, own, wide);
                    let number = self.m.arith(*op, wide, number, operand);
                    after.push(self.m.convert(number, wide, own));
                }
                (place, before, Value::Numbers(after))
            }
            Update::Step { index, size, minus } => {
                let place = self.place(target)?;
                let before = self.read(&place, target.qual, at)?;
                let Value::Pointer(pointer) = before else {
                    return self.refuse(at, "a number as a pointer");
                };
                let after = self.pointer_plus(pointer, index, *size, *minus, at)?;
                (place, before, Value::Pointer(after))
            }
        };
        self.write(&place, &after, target.qual, at)?;
        Ok(if old { before } else { after })
    }
}
