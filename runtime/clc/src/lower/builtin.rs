//! Built-in functions.

use super::expr::comparison;
use super::function::Lower;
use crate::hir::{ArithOp, Builtin, CompareOp, Expr};
use crate::types::{Qual, Scalar};
use touchstone_ir as ir;
use touchstone_ir::{Const, IntOp, Intrinsic, Op, Operand, UnaryOp};

impl Lower<'_> {
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr], qual: Qual) -> Operand {
        let loc = self.b.loc();
        let values: Vec<Operand> = args.iter().map(|a| self.value(a)).collect();
        self.b.set_loc(loc);
        let void = || Const::i32(0).into();
        let ty = self.cx.ty(qual);
        let scalar = self.scalar_of(qual);
        match (builtin, values.as_slice()) {
            (Builtin::Query(query), dims) => {
                let dim = dims.first().copied().unwrap_or(Const::i32(0).into());
                let value = self.b.query(query, dim).into();
                self.convert(value, Scalar::ULong, scalar)
            }
            (Builtin::Intrinsic(intrinsic), args) => self
                .b
                .emit(ty, Op::Intrinsic(intrinsic, args.to_vec()))
                .into(),
            (Builtin::Test(intrinsic), args) => {
                let truth = self.b.intrinsic(intrinsic, args.to_vec()).into();
                self.as_truth(truth)
            }
            (Builtin::FloatCompare(cmp), &[a, b]) => {
                let truth = self.b.compare(cmp, a, b).into();
                self.as_truth(truth)
            }
            (Builtin::Split(first, second), [rest @ .., out]) => {
                let result = self.b.emit(ty, Op::Intrinsic(first, rest.to_vec()));
                let other = self.b.intrinsic(second, rest.to_vec());
                self.b.store(*out, other);
                result.into()
            }
            (Builtin::Convert { rounding, saturate }, &[value]) => {
                let from = self.scalar_of(args[0].qual).kind();
                let op = Op::Convert {
                    value,
                    from,
                    to: scalar.kind(),
                    rounding,
                    saturate,
                };
                self.b.emit(ty, op).into()
            }
            (Builtin::Bitcast, &[value]) => {
                if self.b.type_of(value) == ty {
                    return value;
                }
                self.b.bitcast(value, ty).into()
            }
            (Builtin::Select, &[a, b, c]) => {
                let c = match self.b.type_of(c) {
                    ir::Type::Vector(..) => c,
                    c_ty @ (ir::Type::Scalar(_) | ir::Type::Pointer(_)) => {
                        let zero = self.zero(c_ty);
                        self.b.compare(ir::Cmp::Ne, c, zero).into()
                    }
                };
                self.b.select(c, b, a).into()
            }
            (Builtin::BitSelect, &[a, b, c]) => self.bit_select(scalar, ty, [a, b, c]),
            (Builtin::MadHi(product) | Builtin::Mad24(product), &[a, b, c]) => {
                let product = self.b.emit(ty, Op::Intrinsic(product, vec![a, b]));
                self.b.int(IntOp::Add, product, c).into()
            }
            (Builtin::Upsample, &[hi, lo]) => {
                let (from, low) = (self.scalar_of(args[0].qual), self.scalar_of(args[1].qual));
                let hi = self.convert(hi, from, scalar);
                let lo = self.convert(lo, low, scalar);
                let shift = Const::scalar(scalar.ir(), from.size() * 8);
                let shift = self.shaped(shift.into(), ty);
                let hi = self.b.int(IntOp::Shl, hi, shift);
                self.b.int(IntOp::Or, hi, lo).into()
            }
            (Builtin::Dot, &[a, b]) => self.dot(scalar, a, b),
            (Builtin::Length, &[a]) => self.length(a),
            (Builtin::Distance, &[a, b]) => {
                let d = self.arith(ArithOp::Sub, scalar, a, b);
                self.length(d)
            }
            (Builtin::Normalize, &[a]) => self.normalize(scalar, ty, a),
            (Builtin::Cross, &[a, b]) => self.cross(scalar, ty, a, b),
            (Builtin::Divide, &[a, b]) => self.arith(ArithOp::Div, scalar, a, b),
            (Builtin::Recip, &[a]) => {
                let one = self.one(scalar);
                let one = self.shaped(one, ty);
                self.arith(ArithOp::Div, scalar, one, a)
            }
            (Builtin::Shuffle, &[v, mask]) => self.shuffle(ty, v, v, mask),
            (Builtin::Shuffle2, &[a, b, mask]) => self.shuffle(ty, a, b, mask),
            (Builtin::VLoad, &[offset, ptr]) => {
                self.load_parts(ty, (ptr, offset, ty.lanes()), false)
            }
            (Builtin::VLoadHalf { stride }, &[offset, ptr]) => {
                self.load_parts(ty, (ptr, offset, stride), true)
            }
            (Builtin::VStore, &[value, offset, ptr]) => {
                let lanes = self.b.type_of(value).lanes();
                self.store_parts(value, (ptr, offset, lanes), None)
            }
            (Builtin::VStoreHalf { stride, rounding }, &[value, offset, ptr]) => {
                self.store_parts(value, (ptr, offset, stride), Some(rounding))
            }
            (Builtin::AtomicInit, &[ptr, value]) => {
                if !touchstone_faults::on(touchstone_faults::Fault::AtomicInitMissing) {
                    self.b.store(ptr, value);
                }
                void()
            }
            (Builtin::AtomicLoad(order, scope), &[ptr]) => {
                self.b.atomic_load(ty, ptr, order, scope).into()
            }
            (Builtin::AtomicStore(order, scope), &[ptr, value]) => {
                self.b.atomic_store(ptr, value, order, scope);
                void()
            }
            (Builtin::AtomicRmw(op, order, scope), &[ptr, value]) => {
                self.b.atomic_rmw(op, ptr, value, order, scope).into()
            }
            (Builtin::AtomicCompareExchange(orders, scope, weak), &[ptr, expected, desired]) => {
                self.compare_exchange(ptr, expected, desired, (orders, scope, weak))
            }
            (Builtin::AtomicCmpxchg, &[ptr, expected, desired]) => {
                let scope = match self.b.type_of(ptr).space() {
                    Some(ir::AddressSpace::Local) => ir::MemScope::WorkGroup,
                    Some(_) | None => ir::MemScope::Device,
                };
                let relaxed = (ir::Order::Relaxed, ir::Order::Relaxed);
                self.b
                    .atomic_cas(ptr, expected, desired, relaxed, scope)
                    .into()
            }
            (Builtin::FlagTestAndSet(order, scope), &[ptr]) => {
                let one = Const::i32(1);
                let before = self
                    .b
                    .atomic_rmw(ir::RmwOp::Exchange, ptr, one, order, scope);
                self.b.compare(ir::Cmp::Ne, before, Const::i32(0)).into()
            }
            (Builtin::FlagClear(order, scope), &[ptr]) => {
                self.b.atomic_store(ptr, Const::i32(0), order, scope);
                void()
            }
            (Builtin::Fence(regions, order, scope), _) => {
                self.b.fence(regions, order, scope);
                void()
            }
            (Builtin::Barrier(kind, regions, scope), _) => {
                self.b.push(Op::Barrier {
                    kind,
                    regions,
                    scope,
                });
                void()
            }
            (Builtin::ToSpace, &[pointer]) => self.b.emit(ty, Op::ToSpace(pointer)).into(),
            (Builtin::GetFence, &[pointer]) => self.fence_of(pointer),
            (Builtin::AsyncCopy { size, .. }, &[dst, src, n, ref stride @ .., event]) => {
                let align = match self.cx.unit.types.pointee(args[0].qual) {
                    Some(to) => self.cx.align(to),
                    None => 1,
                };
                // An element is a scalar or a vector.
                let element = (u32::try_from(size).unwrap_or(1), align);
                match (builtin, stride) {
                    (
                        Builtin::AsyncCopy {
                            strided: Some(side),
                            ..
                        },
                        &[stride],
                    ) => self.strided_copy((dst, src, n), element, (side, stride), event),
                    _ => self.async_copy((dst, src, n), element, event),
                }
            }
            (Builtin::WaitGroupEvents, _) => {
                self.wait_for_copies();
                void()
            }
            (Builtin::Printf, &[format, ref rest @ ..]) => {
                let args = rest.to_vec();
                self.b.emit(ty, Op::Printf { format, args }).into()
            }
            (Builtin::Trap, _) => {
                self.b
                    .terminate(ir::Terminator::Trap(ir::TrapReason::Explicit));
                void()
            }
            // The checker gives each function its number of operands.
            (
                Builtin::Nothing
                | Builtin::FloatCompare(_)
                | Builtin::Split(..)
                | Builtin::Convert { .. }
                | Builtin::Bitcast
                | Builtin::Select
                | Builtin::BitSelect
                | Builtin::MadHi(_)
                | Builtin::Mad24(_)
                | Builtin::Upsample
                | Builtin::Dot
                | Builtin::Cross
                | Builtin::Length
                | Builtin::Distance
                | Builtin::Normalize
                | Builtin::Divide
                | Builtin::Recip
                | Builtin::Shuffle
                | Builtin::Shuffle2
                | Builtin::VLoad
                | Builtin::VStore
                | Builtin::VLoadHalf { .. }
                | Builtin::VStoreHalf { .. }
                | Builtin::AtomicInit
                | Builtin::AtomicLoad(..)
                | Builtin::AtomicStore(..)
                | Builtin::AtomicRmw(..)
                | Builtin::AtomicCompareExchange(..)
                | Builtin::AtomicCmpxchg
                | Builtin::FlagTestAndSet(..)
                | Builtin::FlagClear(..)
                | Builtin::ToSpace
                | Builtin::GetFence
                | Builtin::AsyncCopy { .. }
                | Builtin::Printf,
                _,
            ) => self.zero(ty),
        }
    }

    /// `bitselect`: bits of `b` where those of `c` are 1, else of `a`.
    fn bit_select(&mut self, scalar: Scalar, ty: ir::Type, values: [Operand; 3]) -> Operand {
        let bits = ty.with_element(scalar.ir().int_of_size());
        let [a, b, c] = values.map(|v| self.as_bits(v, bits));
        let keep = self.b.unary(UnaryOp::Not, c);
        let a = self.b.int(IntOp::And, a, keep);
        let b = self.b.int(IntOp::And, b, c);
        let r = self.b.int(IntOp::Or, a, b).into();
        self.as_bits(r, ty)
    }

    fn normalize(&mut self, scalar: Scalar, ty: ir::Type, a: Operand) -> Operand {
        let length = self.length(a);
        let zero = self.zero(ir::Type::Scalar(scalar.ir()));
        let one = self.one(scalar);
        let none = self.b.compare(ir::Cmp::FEq, length, zero);
        let length = self.b.select(none, one, length).into();
        let length = self.shaped(length, ty);
        self.arith(ArithOp::Div, scalar, a, length)
    }

    /// Loads the elements of a vector, or a scalar, from `offset` times `stride` elements behind a
    /// pointer; from halves, if these are there.
    fn load_parts(
        &mut self,
        ty: ir::Type,
        (ptr, offset, stride): (Operand, Operand, u32),
        halves: bool,
    ) -> Operand {
        let element = match ty.element() {
            Some(element) if !halves => ir::Type::Scalar(element),
            Some(_) | None => ir::Type::F16,
        };
        let mut parts: Vec<Operand> = Vec::new();
        for i in 0..ty.lanes() {
            let at = self.element_at(ptr, offset, stride, i, element.size());
            let part = self.b.load(element, at);
            let float = ir::NumKind::Float;
            parts.push(if halves {
                self.b.convert(part, float, ir::Type::F32, float).into()
            } else {
                part.into()
            });
        }
        match parts.as_slice() {
            [one] => *one,
            _ => self.b.emit(ty, Op::Construct(parts)).into(),
        }
    }

    /// Stores the elements of a vector, or a scalar, `offset` times `stride` elements behind a
    /// pointer; as halves where a rounding is given.
    fn store_parts(
        &mut self,
        value: Operand,
        (ptr, offset, stride): (Operand, Operand, u32),
        halves: Option<ir::Rounding>,
    ) -> Operand {
        let ty = self.b.type_of(value);
        let lanes = ty.lanes();
        for i in 0..lanes {
            let mut part = if lanes == 1 {
                value
            } else {
                self.b.extract(value, Const::i32(i as i32)).into()
            };
            if let Some(rounding) = halves {
                let op = Op::Convert {
                    value: part,
                    from: ir::NumKind::Float,
                    to: ir::NumKind::Float,
                    rounding,
                    saturate: false,
                };
                part = self.b.emit(ir::Type::F16, op).into();
            }
            let size = self.b.type_of(part).size();
            let at = self.element_at(ptr, offset, stride, i, size);
            self.b.store(at, part);
        }
        Const::i32(0).into()
    }

    /// C11's compare and exchange: true when it wrote, else what was there goes to `expected`.
    fn compare_exchange(
        &mut self,
        ptr: Operand,
        expected: Operand,
        desired: Operand,
        ((success, failure), scope, weak): ((ir::Order, ir::Order), ir::MemScope, bool),
    ) -> Operand {
        let value_ty = self.b.type_of(desired);
        let wanted = self.b.load(value_ty, expected);
        let op = Op::AtomicCas {
            ptr,
            expected: wanted.into(),
            desired,
            success,
            failure,
            scope,
            weak,
        };
        let before: Operand = self.b.emit(value_ty, op).into();
        let element = value_ty.element().unwrap_or(ir::Scalar::I64);
        let bits = ir::Type::Scalar(element.int_of_size());
        let [x, y] = [before, wanted.into()].map(|v| self.as_bits(v, bits));
        let wrote = self.b.compare(ir::Cmp::Eq, x, y);
        let (failed, end) = (self.b.block(), self.b.block());
        self.b.branch(wrote, end, failed);
        self.b.switch_to(failed);
        self.b.store(expected, before);
        self.b.jump(end);
        self.b.switch_to(end);
        wrote.into()
    }

    /// A `Bool` as an `int`; a vector's truths are integers already.
    fn as_truth(&mut self, truth: Operand) -> Operand {
        match self.b.type_of(truth) {
            ir::Type::Scalar(ir::Scalar::Bool) => self.truth_as_int(truth),
            ir::Type::Scalar(_) | ir::Type::Vector(..) | ir::Type::Pointer(_) => truth,
        }
    }

    fn as_bits(&mut self, value: Operand, ty: ir::Type) -> Operand {
        if self.b.type_of(value) == ty {
            value
        } else {
            self.b.bitcast(value, ty).into()
        }
    }

    /// A scalar in the shape of a type.
    fn shaped(&mut self, value: Operand, ty: ir::Type) -> Operand {
        match ty {
            ir::Type::Vector(_, lanes) => self.b.splat(value, lanes).into(),
            ir::Type::Scalar(_) | ir::Type::Pointer(_) => value,
        }
    }

    fn one(&self, scalar: Scalar) -> Operand {
        match scalar {
            Scalar::Double => Const::f64(1.0).into(),
            _ => Const::f32(1.0).into(),
        }
    }

    /// `ptr + (offset * stride + i) * size`
    fn element_at(
        &mut self,
        ptr: Operand,
        offset: Operand,
        stride: u32,
        i: u32,
        size: u32,
    ) -> Operand {
        self.b
            .ptr_add(ptr, offset, stride * size, i64::from(i) * i64::from(size))
            .into()
    }

    fn elements(&mut self, value: Operand) -> Vec<Operand> {
        let n = self.b.type_of(value).lanes();
        if n == 1 {
            return vec![value];
        }
        (0..n)
            .map(|i| self.b.extract(value, Const::i32(i as i32)).into())
            .collect()
    }

    fn dot(&mut self, scalar: Scalar, a: Operand, b: Operand) -> Operand {
        let products = self.arith(ArithOp::Mul, scalar, a, b);
        let parts = self.elements(products);
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or(products);
        parts.fold(first, |sum, part| {
            self.arith(ArithOp::Add, scalar, sum, part)
        })
    }

    fn length(&mut self, a: Operand) -> Operand {
        if self.b.type_of(a).lanes() == 1 {
            return self.b.intrinsic(Intrinsic::Fabs, vec![a]).into();
        }
        // hypot neither overflows nor underflows on the way.
        let parts = self.elements(a);
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or(a);
        parts.fold(first, |sum, part| {
            self.b.intrinsic(Intrinsic::Hypot, vec![sum, part]).into()
        })
    }

    fn cross(&mut self, scalar: Scalar, ty: ir::Type, a: Operand, b: Operand) -> Operand {
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

    /// Elements of two vectors laid end to end, by a mask known at run time.
    fn shuffle(&mut self, ty: ir::Type, a: Operand, b: Operand, mask: Operand) -> Operand {
        let n = self.b.type_of(a).lanes();
        let mask_scalar = self.b.type_of(mask).element().unwrap_or(ir::Scalar::I32);
        let mut parts = Vec::new();
        for index in self.elements(mask) {
            let index: Operand = if mask_scalar == ir::Scalar::I64 || mask_scalar == ir::Scalar::I32
            {
                index
            } else {
                let unsigned = ir::NumKind::Unsigned;
                self.b
                    .convert(index, unsigned, ir::Type::I32, unsigned)
                    .into()
            };
            let (x, y) = (self.b.extract(a, index), self.b.extract(b, index));
            let index_scalar = self.b.type_of(index).element().unwrap_or(ir::Scalar::I32);
            let bit = Const::scalar(index_scalar, u64::from(n));
            let second = self.b.int(IntOp::And, index, bit);
            let cmp = comparison(CompareOp::Ne, ir::NumKind::Unsigned);
            let second = self.b.compare(cmp, second, Const::scalar(index_scalar, 0));
            parts.push(self.b.select(second, y, x).into());
        }
        self.b.emit(ty, Op::Construct(parts)).into()
    }
}
