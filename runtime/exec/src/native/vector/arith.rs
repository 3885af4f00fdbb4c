//! Instructions that compute, for all lanes.

use super::super::translate::Translator;
use super::shape::{Shape, reads_same, written};
use super::{LANES, NARROW, Refusal, WIDE};
use crate::interp::code::{Ins, Slot};
use crate::scalar::math::Meaning;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};

impl Translator<'_> {
    /// One instruction that does not lead elsewhere.
    pub(in super::super) fn vector_instruction(&mut self, ins: &Ins) {
        let (shape, same) = {
            let lanes = &self.lanes;
            let shape = |slot| lanes.shape(slot);
            (
                written(self.kernel, ins, shape),
                reads_same(self.kernel, ins, shape),
            )
        };
        if super::access::changes(ins).is_some() {
            return self.change_lanes(ins);
        }
        if let (Ins::Move { d, a }, Shape::Any) = (ins, shape) {
            self.lanes_narrow(*a);
            return self.lanes.copy(*d, *a);
        }
        if same {
            if let (true, Some((.., place, _))) =
                (self.masked.is_some(), super::super::access::plain(ins))
            {
                self.note_first(place.site);
            }
            self.once(ins, 0);
            return self.keep_plain(ins);
        }
        match shape {
            Shape::Even(by) if !super::super::access::is_access(ins) => self.evenly(ins, by),
            _ => self.all_lanes(ins),
        }
    }

    /// Scalar code for the first item; what it writes grows by so much to each next one.
    fn once(&mut self, ins: &Ins, by: i64) {
        self.instruction(ins);
        let lanes = &mut self.lanes;
        super::super::operands::slots(self.kernel, ins, |role, first, count| {
            if role == super::super::operands::Role::Written {
                (first..first + count as Slot).for_each(|slot| lanes.set_even(slot, by));
            }
        });
    }

    /// An instruction whose result grows evenly as its operands do.
    fn evenly(&mut self, ins: &Ins, by: i64) {
        match *ins {
            Ins::Add64 { a, b, .. } | Ins::Sub64 { a, b, .. } | Ins::Mul64 { a, b, .. } => {
                self.straight_wide(a);
                self.straight_wide(b);
            }
            Ins::Shl64 { a, .. } => self.straight_wide(a),
            Ins::PtrAdd { a, index, .. } => {
                self.straight_wide(a);
                self.straight_wide(index);
            }
            Ins::PtrAddS { a, index, .. } => {
                self.straight_wide(a);
                self.straight(index, true);
            }
            Ins::SExt32 { a, .. } => self.straight(a, true),
            Ins::Select { a, b, .. } => {
                let narrow = [a, b].map(|slot| self.lanes_narrow(slot));
                if narrow != [true; 2] {
                    self.straight_wide(a);
                    self.straight_wide(b);
                }
            }
            _ => {}
        }
        if let Ins::Move { d, a } = *ins {
            self.values.copy(&mut self.b, d, a);
            return self.lanes.copy(d, a);
        }
        self.once(ins, by);
        self.keep_plain(ins);
    }

    /// The low half of a plain number is one.
    fn keep_plain(&mut self, ins: &Ins) {
        if let Ins::Mask32 { d, a } = *ins
            && self.lanes.is_plain(a)
        {
            self.lanes.set_plain(d);
        }
    }

    /// An instruction for each lane, as scalar code has it.
    pub(super) fn lane_by_lane(&mut self, ins: &Ins) {
        if self.masked.is_some() {
            return self.set_sparsely(ins);
        }
        let (read, wrote) = self.read_and_written(ins);
        // Forms that are made for one lane are there for the others.
        for &slot in &read {
            self.one_lane(slot, 0);
        }
        let is_kept = self.before.is_some() || !may_leave(ins);
        if !is_kept {
            self.before = Some(self.known());
        }
        let touched: Vec<Slot> = read.iter().chain(&wrote).copied().collect();
        let saved = self.values.cells_of(&touched);
        let mut results: Vec<Vec<(Type, Value)>> = vec![Vec::new(); wrote.len()];
        for lane in 0..LANES {
            let operands: Vec<_> = read.iter().map(|&slot| self.one_lane(slot, lane)).collect();
            for (&slot, &(ty, value)) in read.iter().zip(&operands) {
                self.values.set(slot, ty, value);
            }
            if let Some((.., place, _)) = super::super::access::plain(ins) {
                let lane = self.number(lane as u64);
                self.note_place(place.site, lane, Refusal::Named);
            }
            self.instruction(ins);
            for (&slot, results) in wrote.iter().zip(&mut results) {
                results.push(self.values.typed(&mut self.b, slot));
            }
            self.values.put_back(&saved);
        }
        if !is_kept {
            self.before = None;
        }
        for (&slot, results) in wrote.iter().zip(results) {
            let ty = common(&results);
            let values: Vec<Value> = results
                .into_iter()
                .map(|(from, value)| self.values.retyped(&mut self.b, (from, value), ty))
                .collect();
            let registers = self.gathered(ty, &values);
            self.lanes.set(slot, ty, &registers);
        }
    }

    /// The slots in which an instruction reads what is not the same for all, and those that it writes.
    pub(super) fn read_and_written(&self, ins: &Ins) -> (Vec<Slot>, Vec<Slot>) {
        let (mut read, mut wrote) = (Vec::new(), Vec::new());
        super::super::operands::slots(self.kernel, ins, |role, first, count| {
            let slots = first..first + count as Slot;
            match role {
                super::super::operands::Role::Read => read.extend(slots),
                super::super::operands::Role::Written => wrote.extend(slots),
            }
        });
        read.sort_unstable();
        read.dedup();
        read.retain(|&slot| self.lanes.shape(slot) != Shape::SAME);
        (read, wrote)
    }

    pub(super) fn pairs32(&mut self, x: Slot, y: Slot) -> [(Value, Value); NARROW] {
        let (x, y) = (self.int_lanes(x), self.int_lanes(y));
        std::array::from_fn(|n| (x[n], y[n]))
    }

    pub(super) fn pairs64(&mut self, x: Slot, y: Slot) -> [(Value, Value); WIDE] {
        let (x, y) = (self.wide_lanes(x), self.wide_lanes(y));
        std::array::from_fn(|n| (x[n], y[n]))
    }

    pub(super) fn floats(&mut self, x: Slot, y: Slot, ty: Type) -> Vec<(Value, Value)> {
        let (x, y) = (self.typed_lanes(x, ty), self.typed_lanes(y, ty));
        x.into_iter().zip(y).collect()
    }

    pub(super) fn both_narrow(&mut self, x: Slot, y: Slot) -> bool {
        self.lanes_narrow(x) && self.lanes_narrow(y)
    }

    /// A vector instruction for all lanes where there is one, else an instruction for each.
    #[rustfmt::skip]
    fn all_lanes(&mut self, ins: &Ins) {
        macro_rules! each {
            ($d:ident, $ty:expr, $pairs:expr, $op:ident) => {{
                let values: Vec<Value> = $pairs.into_iter().map(|(x, y)| self.b.ins().$op(x, y)).collect();
                self.lanes.set($d, $ty, &values);
            }};
        }
        macro_rules! bits {
            ($d:ident, $a:ident, $b:ident, $op:ident) => {
                if self.both_narrow($a, $b) {
                    each!($d, types::I32, self.pairs32($a, $b), $op)
                } else {
                    each!($d, types::I64, self.pairs64($a, $b), $op)
                }
            };
        }
        // By as many bits as the low half of the second slot says, which is the same for all.
        macro_rules! shift {
            ($d:ident, $a:ident, $b:ident, $op:ident, $ty:expr) => {{
                if self.lanes.shape($b) != Shape::SAME {
                    return self.lane_by_lane(ins);
                }
                let by = self.values.int(&mut self.b, $b);
                let lanes = self.typed_lanes($a, $ty);
                let values: Vec<Value> = lanes.into_iter().map(|x| self.b.ins().$op(x, by)).collect();
                self.lanes.set($d, $ty, &values);
            }};
        }
        macro_rules! test {
            ($d:ident) => {{
                let mask = self.condition_lanes(ins);
                self.lanes.set_mask($d, mask);
            }};
        }
        match *ins {
            Ins::Add32 { d, a, b } => each!(d, types::I32, self.pairs32(a, b), iadd),
            Ins::Sub32 { d, a, b } => each!(d, types::I32, self.pairs32(a, b), isub),
            Ins::Mul32 { d, a, b } => each!(d, types::I32, self.pairs32(a, b), imul),
            Ins::Shl32 { d, a, b } => shift!(d, a, b, ishl, types::I32),
            Ins::LShr32 { d, a, b } => shift!(d, a, b, ushr, types::I32),
            Ins::AShr32 { d, a, b } => shift!(d, a, b, sshr, types::I32),
            Ins::Add64 { d, a, b } => each!(d, types::I64, self.pairs64(a, b), iadd),
            Ins::Sub64 { d, a, b } => each!(d, types::I64, self.pairs64(a, b), isub),
            Ins::Mul64 { d, a, b } => each!(d, types::I64, self.pairs64(a, b), imul),
            Ins::Shl64 { d, a, b } => shift!(d, a, b, ishl, types::I64),
            Ins::LShr64 { d, a, b } => shift!(d, a, b, ushr, types::I64),
            Ins::AShr64 { d, a, b } => shift!(d, a, b, sshr, types::I64),
            Ins::And { d, a, b } => {
                if self.lanes_narrow(a) || self.lanes_narrow(b) {
                    each!(d, types::I32, self.pairs32(a, b), band)
                } else {
                    each!(d, types::I64, self.pairs64(a, b), band)
                }
            }
            Ins::Or { d, a, b } => bits!(d, a, b, bor),
            Ins::Xor { d, a, b } => bits!(d, a, b, bxor),
            Ins::Mask8 { d, a } => self.masked_lanes(d, a, 0xff),
            Ins::Mask16 { d, a } => self.masked_lanes(d, a, 0xffff),
            Ins::Mask32 { d, a } => {
                let values = self.int_lanes(a);
                self.lanes.set(d, types::I32, &values);
            }
            Ins::SExt32 { d, a } => {
                let ints = self.int_lanes(a);
                let values = self.extended_lanes(ints);
                self.lanes.set(d, types::I64, &values);
            }
            Ins::FAdd32 { d, a, b } => each!(d, types::F32, self.floats(a, b, types::F32), fadd),
            Ins::FSub32 { d, a, b } => each!(d, types::F32, self.floats(a, b, types::F32), fsub),
            Ins::FMul32 { d, a, b } => each!(d, types::F32, self.floats(a, b, types::F32), fmul),
            Ins::FDiv32 { d, a, b } => each!(d, types::F32, self.floats(a, b, types::F32), fdiv),
            Ins::FAdd64 { d, a, b } => each!(d, types::F64, self.floats(a, b, types::F64), fadd),
            Ins::FSub64 { d, a, b } => each!(d, types::F64, self.floats(a, b, types::F64), fsub),
            Ins::FMul64 { d, a, b } => each!(d, types::F64, self.floats(a, b, types::F64), fmul),
            Ins::FDiv64 { d, a, b } => each!(d, types::F64, self.floats(a, b, types::F64), fdiv),
            Ins::Eq { d, .. } | Ins::Ne { d, .. } | Ins::ULt { d, .. } | Ins::ULe { d, .. }
            | Ins::SLt32 { d, .. } | Ins::SLe32 { d, .. } | Ins::SLt64 { d, .. } | Ins::SLe64 { d, .. }
            | Ins::FEq32 { d, .. } | Ins::FNe32 { d, .. } | Ins::FLt32 { d, .. } | Ins::FLe32 { d, .. }
            | Ins::FOrd32 { d, .. } | Ins::FEq64 { d, .. } | Ins::FNe64 { d, .. } | Ins::FLt64 { d, .. }
            | Ins::FLe64 { d, .. } | Ins::FOrd64 { d, .. } => test!(d),
            Ins::Select { d, c, a, b } => self.select_lanes(d, c, (a, b)),
            Ins::PtrAdd { d, a, index, scale, disp } => {
                let index = self.wide_lanes(index);
                self.address_lanes(d, a, index, (scale, disp));
            }
            Ins::PtrAddS { d, a, index, scale, disp } => {
                let index = self.int_lanes(index);
                let index = self.extended_lanes(index);
                self.address_lanes(d, a, index, (scale, disp));
            }
            Ins::Call1 { d, a, f } => self.function(ins, d, &[a], self.kernel.meanings1[usize::from(f)]),
            Ins::Call2 { d, a, b, f } => self.function(ins, d, &[a, b], self.kernel.meanings2[usize::from(f)]),
            Ins::Call3 { d, a, b, c, f } => self.function(ins, d, &[a, b, c], self.kernel.meanings3[usize::from(f)]),
            Ins::Convert { d, a, conversion } => {
                let meaning = Meaning::Conversion(self.kernel.conversions[usize::from(conversion)]);
                self.function(ins, d, &[a], meaning);
            }
            ref other => match super::super::access::plain(other) {
                Some((log, d, place, false)) => self.load_lanes(log, d, place, other),
                Some((log, v, place, true)) => self.store_lanes(log, v, place, other),
                None => self.lane_by_lane(other),
            },
        }
    }

    fn masked_lanes(&mut self, d: Slot, a: Slot, mask: i64) {
        let mask = self.b.ins().iconst(types::I32, mask);
        let mask = self.b.ins().splat(types::I32X4, mask);
        let values = self.int_lanes(a).map(|x| self.b.ins().band(x, mask));
        self.lanes.set(d, types::I32, &values);
    }

    /// Signed numbers of 32 bits as such of 64.
    fn extended_lanes(&mut self, ints: [Value; NARROW]) -> [Value; WIDE] {
        std::array::from_fn(|n| match n % 2 {
            0 => self.b.ins().swiden_low(ints[n / 2]),
            _ => self.b.ins().swiden_high(ints[n / 2]),
        })
    }

    /// `a + index * scale + disp`.
    fn address_lanes(&mut self, d: Slot, a: Slot, index: [Value; WIDE], (scale, disp): (u32, i32)) {
        let base = self.wide_lanes(a);
        let scale = match scale {
            1 => None,
            _ => {
                let scale = self.number(scale.into());
                Some(self.b.ins().splat(types::I64X2, scale))
            }
        };
        let disp = match disp {
            0 => None,
            _ => {
                let disp = self.number(i64::from(disp) as u64);
                Some(self.b.ins().splat(types::I64X2, disp))
            }
        };
        let values: [Value; WIDE] = std::array::from_fn(|n| {
            let index = match scale {
                Some(scale) => self.b.ins().imul(index[n], scale),
                None => index[n],
            };
            let at = self.b.ins().iadd(base[n], index);
            match disp {
                Some(disp) => self.b.ins().iadd(at, disp),
                None => at,
            }
        });
        self.lanes.set(d, types::I64, &values);
    }

    /// `c ? a : b`.
    fn select_lanes(&mut self, d: Slot, c: Slot, (a, b): (Slot, Slot)) {
        if self.lanes.shape(c) == Shape::SAME {
            let ty = if self.both_narrow(a, b) {
                types::I32
            } else {
                types::I64
            };
            let c = self.values.truth(&mut self.b, c);
            let (x, y) = (self.typed_lanes(a, ty), self.typed_lanes(b, ty));
            let values: Vec<Value> = x
                .into_iter()
                .zip(y)
                .map(|(x, y)| self.b.ins().select(c, x, y))
                .collect();
            return self.lanes.set(d, ty, &values);
        }
        let mask = self.mask_lanes(c);
        if self.both_narrow(a, b) {
            let pairs = self.pairs32(a, b);
            let values: [Value; NARROW] =
                std::array::from_fn(|n| self.b.ins().bitselect(mask[n], pairs[n].0, pairs[n].1));
            self.lanes.set(d, types::I32, &values);
        } else {
            let mask = self.extended_lanes(mask);
            let pairs = self.pairs64(a, b);
            let values: [Value; WIDE] =
                std::array::from_fn(|n| self.b.ins().bitselect(mask[n], pairs[n].0, pairs[n].1));
            self.lanes.set(d, types::I64, &values);
        }
    }
}

/// Whether an instruction may turn out not to go on with all lanes after some of them.
#[rustfmt::skip]
fn may_leave(ins: &Ins) -> bool {
    super::super::access::is_access(ins) || matches!(
        ins,
        Ins::SDiv32 { .. } | Ins::SRem32 { .. } | Ins::SDiv64 { .. } | Ins::SRem64 { .. } | Ins::UDiv { .. }
        | Ins::URem { .. } | Ins::MemCopy { .. } | Ins::MemSet { .. }
    )
}

/// The type for lanes that were computed one by one: the one that all have, else of all bits.
fn common(results: &[(Type, Value)]) -> Type {
    let first = results[0].0;
    match results.iter().all(|&(ty, _)| ty == first) {
        true => first,
        false => types::I64,
    }
}
