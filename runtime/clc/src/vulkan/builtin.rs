//! Built-in functions.

use super::Writer;
use super::atomic::Atomic;
use super::memory::Pointer;
use super::number::Number;
use super::place::Value;
use crate::hir::{Builtin, CompareOp, Expr, ExprKind, Vectors};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::{Qual, Scalar};
use rspirv::spirv::{BuiltIn, Capability, Op};
use touchstone_ir::{Intrinsic, MemScope, Order, Query, RmwOp, Rounding};

/// What a built-in function is called in a message.
fn name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Query(_) => "get_…",
        Builtin::Intrinsic(of) | Builtin::Test(of) | Builtin::Split(of, _) => of.name(),
        Builtin::FloatCompare(_) => "isless",
        Builtin::Convert { .. } => "convert_…_sat",
        Builtin::Bitcast => "as_…",
        Builtin::Select => "select",
        Builtin::BitSelect => "bitselect",
        Builtin::MultiplyAdd(_) => "mad_hi",
        Builtin::Upsample => "upsample",
        Builtin::BitfieldInsert => "bitfield_insert",
        Builtin::BitfieldExtract(_) => "bitfield_extract_…",
        Builtin::IntegerDot(_) => "dot",
        Builtin::Dot => "dot",
        Builtin::Cross => "cross",
        Builtin::Length => "length",
        Builtin::Distance => "distance",
        Builtin::Normalize => "normalize",
        Builtin::Divide => "native_divide",
        Builtin::Recip => "native_recip",
        Builtin::Shuffle => "shuffle",
        Builtin::Shuffle2 => "shuffle2",
        Builtin::VLoad(_) => "vload…",
        Builtin::VStore(..) => "vstore…",
        Builtin::AtomicInit
        | Builtin::AtomicLoad(..)
        | Builtin::AtomicStore(..)
        | Builtin::AtomicRmw(..)
        | Builtin::AtomicCompareExchange(..)
        | Builtin::AtomicCmpxchg
        | Builtin::FlagTestAndSet(..)
        | Builtin::Fence(..) => "atomic_…",
        Builtin::Barrier(..) => "barrier",
        Builtin::Vote { .. } | Builtin::Collective { .. } => "work_group_…",
        Builtin::SubGroupShuffle(_) => "sub_group_…",
        Builtin::Library { .. } => "a function of images or pipes",
        Builtin::ToSpace => "to_…",
        Builtin::GetFence => "get_fence",
        Builtin::AsyncCopy { .. } => "async_work_group_copy",
        Builtin::WaitGroupEvents => "wait_group_events",
        Builtin::Printf => "printf",
        Builtin::Device { .. } => "enqueue_…",
        Builtin::Nothing => "prefetch",
        Builtin::Trap => "__builtin_trap",
    }
}

impl Writer<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        args: &[Expr],
        qual: Qual,
        at: Loc,
    ) -> Checked<Value> {
        match (builtin, args) {
            (Builtin::Query(query), _) => self.query(query, args.first(), qual, at),
            (Builtin::Intrinsic(intrinsic), [a, b]) => {
                let op = match intrinsic {
                    Intrinsic::SMin | Intrinsic::UMin => CompareOp::Lt,
                    Intrinsic::SMax | Intrinsic::UMax => CompareOp::Gt,
                    _ => return self.refuse_function(intrinsic.name(), at),
                };
                let (scalar, _) = self.shape(qual, at)?;
                self.supported(scalar, at)?;
                self.each_two(a, b, |w, a, b| {
                    let truth = w.m.compare(op, scalar, a, b);
                    w.m.choose(scalar, truth, a, b)
                })
            }
            (
                Builtin::Convert {
                    saturate: false, ..
                },
                [a],
            ) => self.converted(a, qual, at),
            (Builtin::Bitcast, [a]) => {
                let (from, to) = (self.shape(a.qual, at)?, self.shape(qual, at)?);
                self.supported(from.0, at)?;
                self.supported(to.0, at)?;
                if from.0.size() != to.0.size() || from.1 != to.1 {
                    return self.refuse(at, "`as_…` between elements of different sizes");
                }
                self.value(a)
            }
            (Builtin::VLoad(vectors), [offset, pointer]) => {
                self.load_vector(vectors, offset, pointer, qual, at)
            }
            (Builtin::VStore(vectors, Rounding::Default), [value, offset, pointer]) => {
                self.store_vector(vectors, [value, offset, pointer], at)
            }
            (Builtin::AtomicInit, [object, value]) => {
                let of = self.object_of(object)?;
                let value = self.number(value)?;
                let access = self.ordinary(false);
                self.store(of.pointer, value, of.scalar, &access, at)?;
                Ok(Value::Void)
            }
            (Builtin::AtomicLoad(order, scope), [object]) => {
                let of = self.object_of(object)?;
                self.atomic_load(of, order, scope)
            }
            (Builtin::AtomicStore(order, scope), [object, value]) => {
                let of = self.object_of(object)?;
                let value = self.number(value)?;
                self.atomic_store(of, value, order, scope)
            }
            (Builtin::AtomicRmw(op, order, scope), [object, value]) => {
                let of = self.object_of(object)?;
                let value = self.number(value)?;
                self.atomic_rmw(of, op, value, order, scope).map(Value::one)
            }
            (Builtin::AtomicCompareExchange(orders, scope, _), [object, expected, desired]) => {
                let of = self.object_of(object)?;
                self.compare_exchange(of, expected, desired, (orders, scope))
            }
            (Builtin::AtomicCmpxchg, [object, expected, desired]) => {
                let of = self.object_of(object)?;
                let values = [self.number(expected)?, self.number(desired)?];
                let relaxed = [Order::Relaxed, Order::Relaxed];
                let scope = MemScope::Device;
                self.atomic_exchange(of, values, relaxed, scope)
                    .map(Value::one)
            }
            (Builtin::FlagTestAndSet(order, scope), [object]) => {
                let of = self.object_of(object)?;
                let set = self.m.number(1, of.scalar);
                let before = self.atomic_rmw(of, RmwOp::Exchange, set, order, scope)?;
                let truth = self.m.is_true(before);
                Ok(Value::one(Number::Truth(truth)))
            }
            (Builtin::Fence(regions, order, scope), _) => self.fence(regions, order, scope, at),
            (Builtin::Barrier(kind, regions, scope), _) => self.barrier(kind, regions, scope, at),
            (Builtin::Nothing, _) => {
                for arg in args {
                    self.effect(arg)?;
                }
                Ok(Value::Void)
            }
            _ => self.refuse_function(name(builtin), at),
        }
    }

    fn refuse_function<T>(&mut self, name: &str, at: Loc) -> Checked<T> {
        self.refuse(at, &format!("the function `{name}`"))
    }

    /// The object that an atomic function's pointer points to.
    fn object_of(&mut self, pointer: &Expr) -> Checked<Atomic> {
        let at = pointer.loc;
        let Some(to) = self.unit.types.pointee(pointer.qual) else {
            return self.refuse(at, "a number as a pointer");
        };
        let (scalar, _) = self.shape(to, at)?;
        let pointer = self.pointer(pointer)?;
        Ok(Atomic {
            pointer,
            scalar,
            at,
        })
    }

    /// The first element of the vector that is the `offset`th behind a pointer.
    fn vector_at(
        &mut self,
        vectors: Vectors,
        offset: &Expr,
        pointer: &Expr,
        scalar: Scalar,
        at: Loc,
    ) -> Checked<Pointer> {
        if vectors.halves {
            return self
                .supported(Scalar::Half, at)
                .and_then(|()| self.pointer(pointer));
        }
        let stride = self.words_of_bytes(u64::from(vectors.stride) * scalar.size(), at)?;
        let offset = self.low(offset)?;
        let pointer = self.pointer(pointer)?;
        let stride = self.m.constant(stride);
        let words = self.m.binary(Op::IMul, offset, stride);
        Ok(self.moved(pointer, words))
    }

    fn load_vector(
        &mut self,
        vectors: Vectors,
        offset: &Expr,
        pointer: &Expr,
        qual: Qual,
        at: Loc,
    ) -> Checked<Value> {
        let (scalar, lanes) = self.shape(qual, at)?;
        let first = self.vector_at(vectors, offset, pointer, scalar, at)?;
        let access = self.ordinary(false);
        let mut numbers = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let place = self.element_of(first, scalar, lane);
            numbers.push(self.load(place, scalar, &access, at)?);
        }
        Ok(Value::Numbers(numbers))
    }

    fn store_vector(
        &mut self,
        vectors: Vectors,
        [value, offset, pointer]: [&Expr; 3],
        at: Loc,
    ) -> Checked<Value> {
        let (scalar, _) = self.shape(value.qual, at)?;
        let Value::Numbers(numbers) = self.value(value)? else {
            return self.refuse(at, "a pointer in memory");
        };
        let first = self.vector_at(vectors, offset, pointer, scalar, at)?;
        let access = self.ordinary(false);
        for (lane, number) in numbers.into_iter().enumerate() {
            let place = self.element_of(first, scalar, lane);
            self.store(place, number, scalar, &access, at)?;
        }
        Ok(Value::Void)
    }

    /// A work-item function. A launch has no global offset.
    fn query(
        &mut self,
        query: Query,
        dimension: Option<&Expr>,
        qual: Qual,
        at: Loc,
    ) -> Checked<Value> {
        let (scalar, _) = self.shape(qual, at)?;
        let dimension = match dimension.map(|d| &d.kind) {
            None => 0,
            Some(ExprKind::Const(dimension)) => *dimension,
            Some(_) => return self.refuse(at, "a dimension that is not a constant"),
        };
        let dimension = u32::try_from(dimension).unwrap_or(u32::MAX);
        if dimension > 2 {
            // OpenCL C 6.15.1: sizes are 1 there, ids 0.
            let size = matches!(
                query,
                Query::GlobalSize | Query::LocalSize | Query::EnqueuedLocalSize | Query::NumGroups
            );
            return Ok(Value::one(self.m.number(size.into(), scalar)));
        }
        let component = Some(dimension);
        let word = match query {
            Query::GlobalId => self.m.input(BuiltIn::GlobalInvocationId, component),
            Query::LocalId => self.m.input(BuiltIn::LocalInvocationId, component),
            Query::GroupId => self.m.input(BuiltIn::WorkgroupId, component),
            Query::NumGroups => self.m.input(BuiltIn::NumWorkgroups, component),
            Query::LocalSize | Query::EnqueuedLocalSize => self.sizes[dimension as usize],
            Query::GlobalSize => {
                let groups = self.m.input(BuiltIn::NumWorkgroups, component);
                let size = self.sizes[dimension as usize];
                self.m.binary(Op::IMul, groups, size)
            }
            Query::GlobalOffset => self.m.constant(0),
            Query::LocalLinearId => self.m.input(BuiltIn::LocalInvocationIndex, None),
            Query::MaxSubGroupSize => self.sub_group(BuiltIn::SubgroupSize),
            Query::NumSubGroups => self.sub_group(BuiltIn::NumSubgroups),
            Query::SubGroupId => self.sub_group(BuiltIn::SubgroupId),
            Query::SubGroupLocalId => self.sub_group(BuiltIn::SubgroupLocalInvocationId),
            Query::WorkDim => return self.refuse_function("get_work_dim", at),
            Query::GlobalLinearId => return self.refuse_function("get_global_linear_id", at),
            Query::SubGroupSize => return self.refuse_function("get_sub_group_size", at),
            Query::EnqueuedNumSubGroups => {
                return self.refuse_function("get_enqueued_num_sub_groups", at);
            }
        };
        let number = self.m.convert(Number::Word(word), Scalar::UInt, scalar);
        Ok(Value::one(number))
    }

    fn sub_group(&mut self, built_in: BuiltIn) -> u32 {
        self.m.capability(Capability::GroupNonUniform);
        self.m.input(built_in, None)
    }
}
