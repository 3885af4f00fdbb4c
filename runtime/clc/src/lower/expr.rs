//! Expressions.

use super::function::Lower;
use super::place::Place;
use crate::hir::{ArithOp, CompareOp, Expr, ExprKind, Update};
use crate::types::{Qual, Scalar, Type};
use touchstone_faults::{Fault, on};
use touchstone_ir as ir;
use touchstone_ir::{BlockId, Cmp, Const, FloatOp, IntOp, Op, Operand, UnaryOp};

/// What is an object or a part of one.
macro_rules! objects {
    () => {
        ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Local(_)
            | ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Compound(..)
    };
}

/// The comparison that an operator is on a kind of numbers.
pub(super) fn comparison(op: CompareOp, kind: ir::NumKind) -> Cmp {
    let [signed, unsigned, float] = match op {
        CompareOp::Lt => [Cmp::SLt, Cmp::ULt, Cmp::FLt],
        CompareOp::Gt => [Cmp::SGt, Cmp::UGt, Cmp::FGt],
        CompareOp::Le => [Cmp::SLe, Cmp::ULe, Cmp::FLe],
        CompareOp::Ge => [Cmp::SGe, Cmp::UGe, Cmp::FGe],
        CompareOp::Eq => [Cmp::Eq, Cmp::Eq, Cmp::FEq],
        CompareOp::Ne => [Cmp::Ne, Cmp::Ne, Cmp::FNe],
    };
    match kind {
        ir::NumKind::Signed => signed,
        ir::NumKind::Unsigned => unsigned,
        ir::NumKind::Float => float,
    }
}

impl Lower<'_> {
    /// The element of an arithmetic type; pointers compare as unsigned numbers.
    pub(super) fn scalar_of(&self, qual: Qual) -> Scalar {
        match self.cx.unit.types.of(qual) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Atomic(scalar) => scalar,
            Type::AtomicFlag => Scalar::Int,
            Type::Sampler => Scalar::UInt,
            Type::Void
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Event
            | Type::Image(..)
            | Type::Pipe(..)
            | Type::Reservation
            | Type::Queue
            | Type::DeviceEvent
            | Type::Block(_) => Scalar::SIZE,
        }
    }

    /// Computes an expression for what it does.
    pub(super) fn effect(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Update { target, update, .. } => {
                self.at(expr.loc);
                self.update(target, update, false);
            }
            ExprKind::Discard(inner) => self.effect(inner),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            _ => {
                self.value(expr);
            }
        }
    }

    /// Goes to `yes` or `no` by an expression's truth.
    pub(super) fn branch(&mut self, cond: &Expr, yes: BlockId, no: BlockId) {
        match &cond.kind {
            ExprKind::Logical(and, a, b) => {
                let middle = self.b.block();
                if *and {
                    self.branch(a, middle, no);
                } else {
                    self.branch(a, yes, middle);
                }
                self.b.switch_to(middle);
                self.branch(b, yes, no);
            }
            ExprKind::Not(inner) => self.branch(inner, no, yes),
            ExprKind::Const(_) => {
                let truth = self.constant_truth(cond);
                self.b.jump(if truth { yes } else { no });
            }
            _ => {
                let cond = self.truth(cond);
                self.b.branch(cond, yes, no);
            }
        }
    }

    fn constant_truth(&self, cond: &Expr) -> bool {
        let ExprKind::Const(bits) = cond.kind else {
            return false;
        };
        match self.scalar_of(cond.qual) {
            Scalar::Float => f32::from_bits(bits as u32) != 0.0,
            Scalar::Double => f64::from_bits(bits) != 0.0,
            // Either zero.
            Scalar::Half => bits & 0x7fff != 0,
            _ => bits != 0,
        }
    }

    /// An expression's truth, a `Bool`.
    pub(super) fn truth(&mut self, expr: &Expr) -> Operand {
        match &expr.kind {
            ExprKind::Compare(op, a, b) => {
                let kind = self.scalar_of(a.qual).kind();
                let (a, b) = (self.value(a), self.value(b));
                self.at(expr.loc);
                self.b.compare(comparison(*op, kind), a, b).into()
            }
            ExprKind::Not(inner) => {
                let inner = self.truth(inner);
                self.b.unary(UnaryOp::Not, inner).into()
            }
            ExprKind::Logical(and, a, b) => {
                let result = self.b.temp(ir::Type::BOOL);
                let (second, short, end) = (self.b.block(), self.b.block(), self.b.block());
                if *and {
                    self.branch(a, second, short);
                } else {
                    self.branch(a, short, second);
                }
                self.b.switch_to(short);
                self.b.assign(result, Const::bool(!and));
                self.b.jump(end);
                self.b.switch_to(second);
                let b = self.truth(b);
                self.b.assign(result, b);
                self.b.jump(end);
                self.b.switch_to(end);
                result.into()
            }
            ExprKind::Const(_) => Const::bool(self.constant_truth(expr)).into(),
            ExprKind::Convert(inner)
                if self.scalar_of(inner.qual) == Scalar::Bool
                    && !self.scalar_of(expr.qual).is_float() =>
            {
                self.value(inner)
            }
            _ => {
                let value = self.value(expr);
                self.nonzero(value, expr.qual)
            }
        }
    }

    /// Whether a scalar or a pointer is not zero.
    fn nonzero(&mut self, value: Operand, qual: Qual) -> Operand {
        if self.b.type_of(value) == ir::Type::BOOL {
            return value;
        }
        let scalar = self.scalar_of(qual);
        if scalar.is_float() && on(Fault::NegativeZeroTrue) {
            let bits = match scalar.size() {
                2 => Scalar::UShort,
                4 => Scalar::UInt,
                _ => Scalar::ULong,
            };
            let value = self.b.bitcast(value, ir::Type::Scalar(bits.ir()));
            return self.with_zero(CompareOp::Ne, value.into(), bits);
        }
        self.with_zero(CompareOp::Ne, value, scalar)
    }

    /// A comparison with zero, of a value that is or has elements of a scalar type.
    fn with_zero(&mut self, op: CompareOp, value: Operand, scalar: Scalar) -> Operand {
        let zero = self.zero(self.b.type_of(value));
        let cmp = comparison(op, scalar.kind());
        self.b.compare(cmp, value, zero).into()
    }

    /// A truth as an `int`.
    pub(super) fn truth_as_int(&mut self, truth: Operand) -> Operand {
        let (from, to) = (ir::NumKind::Unsigned, ir::NumKind::Signed);
        self.b.convert(truth, from, ir::Type::I32, to).into()
    }

    /// The value of an expression; of an aggregate, its address; of `void`, anything.
    pub(super) fn value(&mut self, expr: &Expr) -> Operand {
        let ty = self.cx.ty(expr.qual);
        // What has no operation of its own is at the place of its parts.
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Null => {}
            ExprKind::Load(_) | ExprKind::AddressOf(_) | ExprKind::Discard(_) => {}
            objects!() => {}
            _ => self.at(expr.loc),
        }
        match &expr.kind {
            ExprKind::Const(bits) => Const::scalar(self.scalar_of(expr.qual).ir(), *bits).into(),
            ExprKind::Null => self.zero(ty),
            objects!() => {
                let place = self.place(expr);
                self.read(&place, expr.qual)
            }
            ExprKind::Load(object) => {
                let place = self.place(object);
                self.at(expr.loc);
                self.read(&place, object.qual)
            }
            ExprKind::AddressOf(object) => self.address(object),
            ExprKind::Neg(a) => {
                let float = self.scalar_of(a.qual).is_float();
                let a = self.value(a);
                let op = if float { UnaryOp::FNeg } else { UnaryOp::Neg };
                self.b.unary(op, a).into()
            }
            ExprKind::Complement(a) => {
                let a = self.value(a);
                self.b.unary(UnaryOp::Not, a).into()
            }
            ExprKind::Not(a) if matches!(ty, ir::Type::Vector(..)) => {
                let value = self.value(a);
                self.with_zero(CompareOp::Eq, value, self.scalar_of(a.qual))
            }
            ExprKind::Compare(op, a, b) if matches!(ty, ir::Type::Vector(..)) => {
                let kind = self.scalar_of(a.qual).kind();
                let (a, b) = (self.value(a), self.value(b));
                self.b.compare(comparison(*op, kind), a, b).into()
            }
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::Logical(..) => {
                let truth = self.truth(expr);
                self.truth_as_int(truth)
            }
            ExprKind::VectorLogical(and, a, b) => {
                let cmp = comparison(CompareOp::Ne, self.scalar_of(a.qual).kind());
                let (a, b) = (self.value(a), self.value(b));
                let zero = self.zero(self.b.type_of(a));
                let (a, b) = (self.b.compare(cmp, a, zero), self.b.compare(cmp, b, zero));
                let op = if *and { IntOp::And } else { IntOp::Or };
                self.b.int(op, a, b).into()
            }
            ExprKind::Arith(op, a, b) => {
                let scalar = self.scalar_of(expr.qual);
                if *op == ArithOp::Shr
                    && let ExprKind::Arith(ArithOp::Shl, x, by) = &a.kind
                    && let (ExprKind::Const(m), ExprKind::Const(n)) = (&by.kind, &b.kind)
                    && m == n
                    && on(Fault::ShiftsCancel)
                {
                    return self.value(x);
                }
                let (a, b) = (self.value(a), self.value(b));
                self.at(expr.loc);
                self.arith(*op, scalar, a, b)
            }
            ExprKind::PtrAdd {
                ptr,
                index,
                size,
                minus,
            } => {
                let ptr = self.value(ptr);
                self.pointer_plus(ptr, index, *size, *minus)
            }
            ExprKind::PtrDiff(a, b, size) => {
                let [a, b] = [a, b].map(|e| self.value(e));
                let [a, b] = [a, b].map(|p| self.b.bitcast(p, ir::Type::I64));
                let bytes = self.b.int(IntOp::Sub, a, b);
                let size = Const::i64(*size as i64);
                self.b.int(IntOp::SDiv, bytes, size).into()
            }
            ExprKind::Assign(target, value) => {
                let qual = target.qual;
                let value = self.value(value);
                let place = self.place(target);
                self.at(expr.loc);
                self.write(&place, value, qual);
                value
            }
            ExprKind::Update {
                target,
                update,
                old,
            } => self.update(target, update, *old),
            ExprKind::Cond(cond, a, b) => self.cond(cond, a, b, expr.qual),
            ExprKind::VectorCond(cond, a, b) => {
                let scalar = self.scalar_of(cond.qual);
                let (cond, a, b) = (self.value(cond), self.value(a), self.value(b));
                let cond = match on(Fault::LaneChoiceNonzero) {
                    true => self.with_zero(CompareOp::Ne, cond, scalar),
                    false => cond,
                };
                self.b.select(cond, a, b).into()
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.value(b)
            }
            ExprKind::Convert(a) => {
                if ty == ir::Type::BOOL {
                    return self.truth(a);
                }
                let (from, to) = (self.scalar_of(a.qual), self.scalar_of(expr.qual));
                if let ExprKind::Update {
                    target,
                    update,
                    old: false,
                } = &a.kind
                    && let Update::Arith(op, operand, in_type) = &**update
                    && !from.is_float()
                    && from.size() < 4
                    && self.scalar_of(*in_type) == to
                    && on(Fault::AssignedValueWide)
                {
                    let operand = self.value(operand);
                    let (place, before) = self.value_before(target, false);
                    let wide = self.convert(before, from, to);
                    let wide = self.arith(*op, to, wide, operand);
                    let value = self.convert(wide, to, from);
                    self.write(&place, value, target.qual);
                    return wide;
                }
                let a = self.value(a);
                self.convert(a, from, to)
            }
            ExprKind::PtrConvert(a) => {
                let a = self.value(a);
                let from = self.b.type_of(a);
                match (from, ty) {
                    _ if from == ty => a,
                    (ir::Type::Pointer(_), ir::Type::Pointer(space)) => {
                        self.b.ptr_cast(a, space).into()
                    }
                    _ => self.b.bitcast(a, ty).into(),
                }
            }
            ExprKind::Splat(a) => {
                let a = self.value(a);
                self.shaped(a, ty)
            }
            ExprKind::Build(parts) => {
                let mut elements = Vec::new();
                for part in parts {
                    let value = self.value(part);
                    elements.extend(self.elements(value));
                }
                self.b.emit(ty, Op::Construct(elements)).into()
            }
            ExprKind::Discard(a) => {
                self.effect(a);
                Const::i32(0).into()
            }
            ExprKind::Call(callee, args) => self.call(*callee, args, expr.qual),
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr.qual),
            ExprKind::Block(_, captured) => match captured {
                Some(captured) => self.value(captured),
                None => self.zero(ty),
            },
        }
    }

    /// A number, or the elements of a vector, as another type of number.
    pub(super) fn convert(&mut self, value: Operand, from: Scalar, to: Scalar) -> Operand {
        let old = self.b.type_of(value);
        let new = old.with_element(to.ir());
        if old == new {
            return value;
        }
        if new == ir::Type::BOOL {
            return self.with_zero(CompareOp::Ne, value, from);
        }
        let is_unsigned = matches!(to, Scalar::UInt | Scalar::ULong);
        let kind = match from.is_float() && is_unsigned && on(Fault::UnsignedOfFloatSigned) {
            true => ir::NumKind::Signed,
            false => to.kind(),
        };
        self.b.convert(value, from.kind(), new, kind).into()
    }

    /// An arithmetic operation on operands of one type.
    pub(super) fn arith(&mut self, op: ArithOp, scalar: Scalar, a: Operand, b: Operand) -> Operand {
        if scalar.is_float() {
            let op = match op {
                ArithOp::Sub => FloatOp::Sub,
                ArithOp::Mul => FloatOp::Mul,
                ArithOp::Div => FloatOp::Div,
                // The checker gives the other operations integers.
                _ => FloatOp::Add,
            };
            return self.b.float(op, a, b).into();
        }
        let signed = scalar.is_signed();
        let op = match op {
            ArithOp::Add => IntOp::Add,
            ArithOp::Sub => IntOp::Sub,
            ArithOp::Mul => IntOp::Mul,
            ArithOp::Div if signed => IntOp::SDiv,
            ArithOp::Div => IntOp::UDiv,
            ArithOp::Rem if signed => IntOp::SRem,
            ArithOp::Rem => IntOp::URem,
            ArithOp::Shl => IntOp::Shl,
            ArithOp::Shr if signed => IntOp::AShr,
            ArithOp::Shr => IntOp::LShr,
            ArithOp::And => IntOp::And,
            ArithOp::Or => IntOp::Or,
            ArithOp::Xor => IntOp::Xor,
        };
        self.b.int(op, a, b).into()
    }

    /// A pointer some elements on.
    fn pointer_plus(&mut self, ptr: Operand, index: &Expr, size: u64, minus: bool) -> Operand {
        if let ExprKind::Const(bits) = index.kind {
            let step = (bits as i64).wrapping_mul(size as i64);
            let step = if minus { step.wrapping_neg() } else { step };
            return self.b.ptr_offset(ptr, step).into();
        }
        let mut index = self.value(index);
        if minus {
            index = self.b.unary(UnaryOp::Neg, index).into();
        }
        if let Ok(scale) = u32::try_from(size) {
            return self.b.ptr_add(ptr, index, scale, 0).into();
        }
        let bytes = self.b.int(IntOp::Mul, index, Const::i64(size as i64));
        self.b.ptr_add(ptr, bytes, 1, 0).into()
    }

    /// Changes what is in a place; gives the value there after it, or before it if `old`.
    fn update(&mut self, target: &Expr, update: &Update, old: bool) -> Operand {
        let (place, before, value) = match update {
            Update::Arith(op, operand, in_type) => {
                let operand = self.value(operand);
                let (place, before) = self.value_before(target, old);
                let (own, wide) = (self.scalar_of(target.qual), self.scalar_of(*in_type));
                let value = self.convert(before, own, wide);
                let value = self.arith(*op, wide, value, operand);
                (place, before, self.convert(value, wide, own))
            }
            Update::Step { index, size, minus } => {
                let (place, before) = self.value_before(target, old);
                let value = self.pointer_plus(before, index, *size, *minus);
                (place, before, value)
            }
        };
        self.write(&place, value, target.qual);
        if old { before } else { value }
    }

    /// A place, and the value in it; a copy if it is wanted after the place has changed.
    fn value_before(&mut self, target: &Expr, copy: bool) -> (Place, Operand) {
        let place = self.place(target);
        let value = self.read(&place, target.qual);
        let value = if copy {
            self.b.copy(value).into()
        } else {
            value
        };
        (place, value)
    }

    fn cond(&mut self, cond: &Expr, a: &Expr, b: &Expr, qual: Qual) -> Operand {
        let (yes, no, end) = (self.b.block(), self.b.block(), self.b.block());
        let result = (!self.cx.is_void(qual)).then(|| {
            let ty = self.cx.ty(qual);
            self.b.temp(ty)
        });
        self.branch(cond, yes, no);
        for (block, value) in [(yes, a), (no, b)] {
            self.b.switch_to(block);
            let value = self.value(value);
            if let Some(result) = result {
                self.b.assign(result, value);
            }
            self.b.jump(end);
        }
        self.b.switch_to(end);
        result.map_or(Const::i32(0).into(), Operand::from)
    }

    fn call(&mut self, callee: ir::FuncId, args: &[Expr], ret: Qual) -> Operand {
        let mut operands = Vec::with_capacity(args.len() + 1);
        let aggregate = self.cx.is_aggregate(ret);
        let room = aggregate.then(|| {
            let align = self.cx.align(ret);
            self.slot("", ret, align)
        });
        operands.extend(room);
        for arg in args {
            let value = self.value(arg);
            if self.cx.is_aggregate(arg.qual) {
                let align = self.cx.align(arg.qual);
                let copy = self.slot("", arg.qual, align);
                self.copy(copy, value, arg.qual, align);
                operands.push(copy);
            } else {
                operands.push(value);
            }
        }
        let result = (!aggregate && !self.cx.is_void(ret)).then(|| self.cx.ty(ret));
        let value = self.b.call(callee, operands, result);
        let value = value.map_or(Const::i32(0).into(), Operand::from);
        room.unwrap_or(value)
    }
}
