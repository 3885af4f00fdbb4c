//! Built-in functions.

use super::function::Lower;
use crate::hir::{ArithOp, Builtin, Expr, Vectors};
use crate::types::{Qual, Scalar};
use touchstone_faults::{Fault, on};
use touchstone_ir as ir;
use touchstone_ir::{Const, IntOp, Intrinsic, Op, Operand, Reg, UnaryOp};

impl Lower<'_> {
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr], qual: Qual) -> Operand {
        let loc = self.b.loc();
        let values: Vec<Operand> = args.iter().map(|a| self.value(a)).collect();
        self.b.set_loc(loc);
        let void = Const::i32(0).into();
        // The checker gives each function its number of operands.
        let operand = |i: usize| values.get(i).copied().unwrap_or(void);
        let [a, b, c] = [operand(0), operand(1), operand(2)];
        let ty = self.cx.ty(qual);
        let scalar = self.scalar_of(qual);
        match builtin {
            Builtin::Query(query) => {
                let value = self.b.query(query, a).into();
                self.convert(value, Scalar::ULong, scalar)
            }
            Builtin::Intrinsic(Intrinsic::SSubSat) if on(Fault::DifferenceByNegation) => {
                let negated = self.b.unary(UnaryOp::Neg, b).into();
                let sum = Op::Intrinsic(Intrinsic::SAddSat, vec![a, negated]);
                self.b.emit(ty, sum).into()
            }
            Builtin::Intrinsic(intrinsic) => {
                self.b.emit(ty, Op::Intrinsic(intrinsic, values)).into()
            }
            Builtin::Test(intrinsic) => {
                let truth = self.b.intrinsic(intrinsic, values).into();
                self.as_truth(truth)
            }
            Builtin::FloatCompare(cmp) => {
                let truth = self.b.compare(cmp, a, b).into();
                self.as_truth(truth)
            }
            Builtin::Split(first, second) => {
                let mut rest = values;
                let out = rest.pop().unwrap_or(void);
                let result = self.b.emit(ty, Op::Intrinsic(first, rest.clone()));
                let other = self.b.intrinsic(second, rest);
                self.b.store(out, other);
                result.into()
            }
            Builtin::Convert { rounding, saturate } => {
                let op = Op::Convert {
                    value: a,
                    from: self.scalar_of(args[0].qual).kind(),
                    to: scalar.kind(),
                    rounding,
                    saturate,
                };
                self.b.emit(ty, op).into()
            }
            Builtin::Bitcast => self.as_bits(a, ty),
            Builtin::Select => {
                let c = match self.b.type_of(c) {
                    ir::Type::Vector(..) => c,
                    c_ty @ (ir::Type::Scalar(_) | ir::Type::Pointer(_)) => {
                        let zero = self.zero(c_ty);
                        self.b.compare(ir::Cmp::Ne, c, zero).into()
                    }
                };
                self.b.select(c, b, a).into()
            }
            Builtin::BitSelect => self.bit_select(scalar, ty, [a, b, c]),
            Builtin::MultiplyAdd(product) => {
                let product = self.b.emit(ty, Op::Intrinsic(product, vec![a, b]));
                self.b.int(IntOp::Add, product, c).into()
            }
            Builtin::Upsample => {
                let (from, low) = (self.scalar_of(args[0].qual), self.scalar_of(args[1].qual));
                let (hi, lo) = (self.convert(a, from, scalar), self.convert(b, low, scalar));
                let shift = Const::scalar(scalar.ir(), from.size() * 8);
                let shift = self.shaped(shift.into(), ty);
                let hi = self.b.int(IntOp::Shl, hi, shift);
                self.b.int(IntOp::Or, hi, lo).into()
            }
            Builtin::BitfieldInsert => self.bitfield_insert(scalar, [a, b], (c, operand(3))),
            Builtin::BitfieldExtract(signed) => self.bitfield_extract(signed, scalar, a, (b, c)),
            Builtin::IntegerDot(saturates) => {
                let kinds = [0, 1].map(|n| self.scalar_of(args[n].qual).kind());
                let product = self.integer_dot([a, b], kinds);
                match (saturates, scalar.kind()) {
                    (false, _) => product,
                    (true, ir::NumKind::Unsigned) => {
                        let sum = ir::Intrinsic::UAddSat;
                        self.b.intrinsic(sum, vec![product, c]).into()
                    }
                    (true, ir::NumKind::Signed | ir::NumKind::Float) => {
                        let sum = ir::Intrinsic::SAddSat;
                        self.b.intrinsic(sum, vec![product, c]).into()
                    }
                }
            }
            Builtin::Dot => self.dot(scalar, a, b),
            Builtin::Length => self.length(a),
            Builtin::Distance => {
                let d = self.arith(ArithOp::Sub, scalar, a, b);
                self.length(d)
            }
            Builtin::Normalize => self.normalize(ty, a),
            Builtin::Cross => self.cross(scalar, ty, a, b),
            Builtin::Divide => self.arith(ArithOp::Div, scalar, a, b),
            Builtin::Recip => {
                let one = self.one(scalar);
                let one = self.shaped(one, ty);
                self.arith(ArithOp::Div, scalar, one, a)
            }
            Builtin::Shuffle => self.shuffle(ty, a, a, b),
            Builtin::Shuffle2 => self.shuffle(ty, a, b, c),
            Builtin::VLoad(vectors) => self.load_parts(ty, b, a, vectors),
            Builtin::VStore(vectors, rounding) => {
                self.store_parts(a, c, b, vectors, rounding);
                void
            }
            Builtin::AtomicInit => {
                if !on(Fault::AtomicInitMissing) {
                    self.b.store(a, b);
                }
                void
            }
            Builtin::AtomicLoad(order, scope) => self.b.atomic_load(ty, a, order, scope).into(),
            Builtin::AtomicStore(order, scope) => {
                self.b.atomic_store(a, b, order, scope);
                void
            }
            Builtin::AtomicRmw(op, order, scope) => {
                self.b.atomic_rmw(op, a, b, order, scope).into()
            }
            Builtin::AtomicCompareExchange(orders, scope, weak) => {
                self.compare_exchange(a, b, c, (orders, scope, weak))
            }
            Builtin::AtomicCmpxchg => {
                let scope = match self.b.type_of(a).space() {
                    Some(ir::AddressSpace::Local) => ir::MemScope::WorkGroup,
                    Some(_) | None => ir::MemScope::Device,
                };
                let relaxed = (ir::Order::Relaxed, ir::Order::Relaxed);
                self.b.atomic_cas(a, b, c, relaxed, scope).into()
            }
            Builtin::FlagTestAndSet(order, scope) => {
                let set = Const::i32(1);
                let before = self.b.atomic_rmw(ir::RmwOp::Exchange, a, set, order, scope);
                self.b.compare(ir::Cmp::Ne, before, Const::i32(0)).into()
            }
            Builtin::Fence(regions, order, scope) => {
                self.b.fence(regions, order, scope);
                void
            }
            Builtin::Barrier(kind, regions, scope) => {
                self.barrier(kind, regions, scope);
                void
            }
            Builtin::Vote { kind, all } => {
                let truth = self.b.compare(ir::Cmp::Ne, a, Const::i32(0)).into();
                let value = self.truth_as_int(truth);
                let function = ir::Collective::Reduce(match all {
                    true => ir::RmwOp::And,
                    false => ir::RmwOp::Or,
                });
                self.collective((kind, function), value, Vec::new())
            }
            Builtin::Collective { kind, function } => {
                let from = values.get(1..).unwrap_or_default().to_vec();
                self.collective((kind, function), a, from)
            }
            Builtin::SubGroupShuffle(how) => self.sub_group_shuffle(how, a, b),
            Builtin::Library { function, holds } => self.library(function, holds, values, qual),
            Builtin::ToSpace => self.b.emit(ty, Op::ToSpace(a)).into(),
            Builtin::GetFence => self.fence_of(a),
            Builtin::AsyncCopy { size, strided } => {
                let to = self.cx.unit.types.pointee(args[0].qual);
                let align = to.map_or(1, |to| self.cx.align(to));
                // An element is a scalar or a vector.
                let element = (u32::try_from(size).unwrap_or(1), align);
                match strided {
                    Some(side) => {
                        let (stride, event) = (operand(3), operand(4));
                        self.strided_copy((a, b, c), element, (side, stride), event)
                    }
                    None => self.async_copy((a, b, c), element, operand(3)),
                }
            }
            Builtin::WaitGroupEvents => {
                let regions = ir::Regions::LOCAL | ir::Regions::GLOBAL;
                self.barrier(ir::BarrierKind::WorkGroup, regions, ir::MemScope::WorkGroup);
                void
            }
            Builtin::Printf => {
                let args = values.get(1..).unwrap_or_default().to_vec();
                self.b.emit(ty, Op::Printf { format: a, args }).into()
            }
            Builtin::Device {
                function,
                block,
                explains,
            } => self.device(function, block, explains, values),
            Builtin::Trap => {
                let trap = ir::Terminator::Trap(ir::TrapReason::Explicit);
                self.b.terminate(trap);
                void
            }
            Builtin::Nothing => self.zero(ty),
        }
    }

    fn barrier(&mut self, kind: ir::BarrierKind, regions: ir::Regions, scope: ir::MemScope) {
        self.b.push(Op::Barrier {
            kind,
            regions,
            scope,
        });
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

    /// Loads a vector, or a scalar, the `offset`th behind a pointer.
    fn load_parts(
        &mut self,
        ty: ir::Type,
        ptr: Operand,
        offset: Operand,
        vectors: Vectors,
    ) -> Operand {
        let element = match ty.element() {
            Some(element) if !vectors.halves => ir::Type::Scalar(element),
            Some(_) | None => ir::Type::F16,
        };
        let mut parts: Vec<Operand> = Vec::new();
        for i in 0..vectors.lanes {
            let at = self.element_at(ptr, offset, vectors.stride, i, element.size());
            let part = self.b.load(element, at);
            let float = ir::NumKind::Float;
            parts.push(if vectors.halves {
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

    /// Stores a vector, or a scalar, as the `offset`th behind a pointer.
    fn store_parts(
        &mut self,
        value: Operand,
        ptr: Operand,
        offset: Operand,
        vectors: Vectors,
        rounding: ir::Rounding,
    ) {
        for i in 0..vectors.lanes {
            let mut part = match vectors.lanes {
                1 => value,
                _ => self.b.extract(value, Const::i32(i as i32)).into(),
            };
            if vectors.halves {
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
            let at = self.element_at(ptr, offset, vectors.stride, i, size);
            self.b.store(at, part);
        }
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
        let fails = self.fails_spuriously(weak);
        let desired = match fails {
            Some(fails) if !on(Fault::WeakFailureWrites) => {
                self.b.select(fails, wanted, desired).into()
            }
            Some(_) | None => desired,
        };
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
        let mut wrote = self.b.compare(ir::Cmp::Eq, x, y);
        if let Some(fails) = fails {
            let (no, yes) = (Const::i32(0), Const::i32(1));
            let equal = self.b.select(wrote, yes, no);
            let told = self.b.select(fails, no, equal);
            wrote = self.b.compare(ir::Cmp::Ne, told, no);
        }
        let (failed, end) = (self.b.block(), self.b.block());
        self.b.branch(wrote, end, failed);
        self.b.switch_to(failed);
        self.b.store(expected, before);
        self.b.jump(end);
        self.b.switch_to(end);
        wrote.into()
    }

    /// Whether an exchange is to fail although it finds what it expects: about every second one, and no work-item's
    /// for ever. It still writes, what was there.
    fn fails_spuriously(&mut self, weak: bool) -> Option<Reg> {
        let chance = self.cx.chance()?;
        if !weak && !on(Fault::StrongExchangeFails) {
            return None;
        }
        // The multiples of an irrational number are spread evenly over the words, also every second or third one.
        let step = Const::i32(0x9e37_79b9_u32 as i32);
        let place = self.b.global_addr(chance, ir::AddressSpace::Global);
        let (order, scope) = (ir::Order::Relaxed, ir::MemScope::Device);
        let drawn = self.b.atomic_rmw(ir::RmwOp::Add, place, step, order, scope);
        let high = self.b.int(IntOp::LShr, drawn, Const::i32(31));
        Some(self.b.compare(ir::Cmp::Ne, high, Const::i32(0)))
    }

    /// A `Bool` as an `int`; a vector's truths are integers already.
    fn as_truth(&mut self, truth: Operand) -> Operand {
        match self.b.type_of(truth) {
            ir::Type::BOOL => self.truth_as_int(truth),
            _ => truth,
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
    pub(super) fn shaped(&mut self, value: Operand, ty: ir::Type) -> Operand {
        match ty {
            ir::Type::Vector(_, lanes) => self.b.splat(value, lanes).into(),
            ir::Type::Scalar(_) | ir::Type::Pointer(_) => value,
        }
    }

    fn one(&self, scalar: Scalar) -> Operand {
        match scalar {
            Scalar::Half => Const::scalar(ir::Scalar::F16, 0x3c00).into(),
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
        let disp = i64::from(i) * i64::from(size);
        self.b.ptr_add(ptr, offset, stride * size, disp).into()
    }

    /// The elements of a vector, or a scalar.
    pub(super) fn elements(&mut self, value: Operand) -> Vec<Operand> {
        let n = self.b.type_of(value).lanes();
        if n == 1 {
            return vec![value];
        }
        (0..n)
            .map(|i| self.b.extract(value, Const::i32(i as i32)).into())
            .collect()
    }

    /// Elements of two vectors laid end to end, by a mask known at run time.
    fn shuffle(&mut self, ty: ir::Type, a: Operand, b: Operand, mask: Operand) -> Operand {
        let n = self.b.type_of(a).lanes();
        let mask_scalar = self.b.type_of(mask).element().unwrap_or(ir::Scalar::I32);
        let mut parts = Vec::new();
        for index in self.elements(mask) {
            let index: Operand = match mask_scalar {
                ir::Scalar::I64 | ir::Scalar::I32 => index,
                _ => {
                    let (kind, ty) = (ir::NumKind::Unsigned, ir::Type::I32);
                    self.b.convert(index, kind, ty, kind).into()
                }
            };
            let (x, y) = (self.b.extract(a, index), self.b.extract(b, index));
            let index_scalar = self.b.type_of(index).element().unwrap_or(ir::Scalar::I32);
            let bit = Const::scalar(index_scalar, u64::from(n));
            let second = self.b.int(IntOp::And, index, bit);
            let none = Const::scalar(index_scalar, 0);
            let second = self.b.compare(ir::Cmp::Ne, second, none);
            parts.push(self.b.select(second, y, x).into());
        }
        self.b.emit(ty, Op::Construct(parts)).into()
    }
}
