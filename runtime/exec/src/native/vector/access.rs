//! Accesses of all lanes to memory.
//!
//! Where the address grows evenly, one check of the window at the first and the last lane is enough for all, as what is
//! in a window lies together. Lanes that lie one behind the other are one access a register, others one each, in
//! the order of the lanes. Addresses that are anything are checked lane by lane, as in scalar code. Before
//! an access it is noted in the context where its lanes lie, for the case that the system refuses it.

use super::super::access::Place;
use super::super::context::Context;
use super::super::translate::{Translator, helper};
use super::lanes::{as_lanes, lane_type};
use super::shape::Shape;
use super::{LANES, Refusal};
use crate::interp::code::{Ins, Site, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use std::mem::offset_of;

/// Of an instruction that changes a word: the type of the word, the slots with the address and the operand, the site.
pub(super) fn changes(ins: &Ins) -> Option<(Type, Slot, Slot, Site)> {
    match *ins {
        Ins::Rmw32 { a, v, site, .. } => Some((types::I32, a, v, site)),
        Ins::Rmw64 { a, v, site, .. } => Some((types::I64, a, v, site)),
        _ => None,
    }
}

impl Translator<'_> {
    /// By how much the address of an access grows from lane to lane; None where it does not grow evenly.
    pub(super) fn growth(&mut self, place: Place) -> Option<i64> {
        let Shape::Even(base) = self.lanes.shape(place.a) else {
            return None;
        };
        let Some((index, scale, is_signed)) = place.index else {
            return Some(base);
        };
        let Shape::Even(by) = self.lanes.shape(index) else {
            return None;
        };
        let by = match is_signed {
            true => i64::from(by as i32),
            false => by,
        };
        Some(base.wrapping_add(by.wrapping_mul(scale.into())))
    }

    /// The address of the first lane, where it grows evenly.
    pub(super) fn first_address(&mut self, place: Place) -> Value {
        self.straight_wide(place.a);
        match place.index {
            Some((index, _, true)) => self.straight(index, true),
            Some((index, _, false)) => self.straight_wide(index),
            None => {}
        }
        self.place(place)
    }

    /// Notes of the present access where its first lane lies and how the address grows, or which lane it is for.
    /// Of one that is the same for all nothing is noted: it is the first one's.
    /// Nor is anything of one that the system does not refuse: to local memory, of which it is known that it is there.
    pub(super) fn note_place(&mut self, site: Site, at: Value, refusal: Refusal) {
        if self.checked && self.is_own(site) {
            return;
        }
        if self.masked.is_none() {
            self.refusals.insert(self.pc, refusal);
        }
        self.note(offset_of!(Context, lanes_at), 0, at);
    }

    /// Leaves vector code unless all lanes of an access fall into the window of its site, or into one that
    /// their memory has.
    fn reach(&mut self, place: Place, (first, by): (Value, i64), (log, writes): (u32, bool)) {
        if !self.checked {
            return;
        }
        let (slow, fast) = (self.new_block(true), self.new_block(false));
        let others = by.wrapping_mul(LANES as i64 - 1);
        if by == 1 << log {
            let misses = self.row_misses(place.site, first);
            self.b.ins().brif(misses, slow, &[], fast, &[]);
        } else {
            let last = self.b.ins().iadd_imm_s(first, others);
            let rest = self.new_block(false);
            let misses = self.misses(place.site, first);
            self.b.ins().brif(misses, slow, &[], rest, &[]);
            self.go_on(rest);
            let misses = self.misses(place.site, last);
            self.b.ins().brif(misses, slow, &[], fast, &[]);
        }
        self.go_on(slow);
        let last = self.b.ins().iadd_imm_s(first, others);
        let (low, high) = if by < 0 { (last, first) } else { (first, last) };
        let kind = u64::from(log) | u64::from(writes) << 8;
        let arguments = [
            self.context,
            self.number(place.site.into()),
            low,
            high,
            self.number(kind),
        ];
        let made = self.call_carefully(helper!(careful_reach), &arguments);
        let apart = self.apart();
        self.b.ins().brif(made, fast, &[], apart, &[]);
        self.go_on(fast);
    }

    /// Loads all lanes.
    pub(super) fn load_lanes(&mut self, log: u32, d: Slot, place: Place, ins: &Ins) {
        if self.masked.is_some() {
            return self.load_sparsely(log, d, place, ins);
        }
        let Some(by) = self.growth(place) else {
            return self.lane_by_lane(ins);
        };
        let ty = self.wanted(d, log);
        let first = self.first_address(place);
        self.reach(place, (first, by), (log, false));
        self.note_place(place.site, first, Refusal::Grows(by));
        let values = match by {
            _ if by == 1 << log => self.load_row(log, ty, first),
            _ => {
                let each: Vec<Value> = (0..LANES as i64)
                    .map(|lane| {
                        let at = self.b.ins().iadd_imm_s(first, by.wrapping_mul(lane));
                        self.plain_load(log, ty, at)
                    })
                    .collect();
                self.gathered(ty, &each)
            }
        };
        self.lanes.set(d, ty, &values);
    }

    /// Lanes that lie one behind the other.
    pub(super) fn load_row(&mut self, log: u32, ty: Type, first: Value) -> Vec<Value> {
        let (lanes, count) = lane_type(ty);
        match log {
            0 => (0..LANES as i32 / 8)
                .flat_map(|n| {
                    let flags = self.kernel_memory();
                    let eight = self.b.ins().uload8x8(flags, first, 8 * n);
                    let low = self.b.ins().uwiden_low(eight);
                    [low, self.b.ins().uwiden_high(eight)]
                })
                .collect(),
            1 => (0..count as i32)
                .map(|n| {
                    let flags = self.kernel_memory();
                    self.b.ins().uload16x4(flags, first, 8 * n)
                })
                .collect(),
            _ => (0..count as i32)
                .map(|n| {
                    let flags = self.kernel_memory();
                    self.b.ins().load(lanes, flags, first, 16 * n)
                })
                .collect(),
        }
    }

    /// Stores all lanes.
    pub(super) fn store_lanes(&mut self, log: u32, v: Slot, place: Place, ins: &Ins) {
        if self.masked.is_some() {
            return self.store_sparsely(log, v, place, ins);
        }
        let Some(by) = self.growth(place) else {
            return self.lane_by_lane(ins);
        };
        let first = self.first_address(place);
        self.reach(place, (first, by), (log, true));
        self.note_place(place.site, first, Refusal::Grows(by));
        if by == 1 << log {
            return self.store_row(log, v, first);
        }
        for lane in 0..LANES {
            let at = self.b.ins().iadd_imm_s(first, by.wrapping_mul(lane as i64));
            let (ty, value) = self.one_lane(v, lane);
            let value = match (log, ty) {
                (3, types::I32) => self.b.ins().uextend(types::I64, value),
                (3, types::F32) => {
                    let bits = self.b.ins().bitcast(types::I32, as_lanes(), value);
                    self.b.ins().uextend(types::I64, bits)
                }
                (0..3, types::I64) => self.b.ins().ireduce(types::I32, value),
                (0..3, types::F64) => {
                    let bits = self.b.ins().bitcast(types::I64, as_lanes(), value);
                    self.b.ins().ireduce(types::I32, bits)
                }
                (0..2, types::F32) => self.b.ins().bitcast(types::I32, as_lanes(), value),
                _ => value,
            };
            self.plain_store(log, value, at);
        }
    }

    /// To places that lie one behind the other.
    fn store_row(&mut self, log: u32, v: Slot, first: Value) {
        let form = match self.lanes.shape(v) {
            Shape::Any => self.form_of(v),
            Shape::Even(_) => types::I32,
        };
        let registers = match (log, form) {
            (3, types::F64) => self.double_lanes(v).to_vec(),
            (3, _) => self.wide_lanes(v).to_vec(),
            (2, types::F32) => self.single_lanes(v).to_vec(),
            (2, _) => self.int_lanes(v).to_vec(),
            _ => {
                let mask = match log {
                    0 => 0xff,
                    _ => 0xffff,
                };
                let mask = self.b.ins().iconst(types::I32, mask);
                let mask = self.b.ins().splat(types::I32X4, mask);
                let low = self.int_lanes(v).map(|x| self.b.ins().band(x, mask));
                let halves: Vec<Value> = low
                    .chunks(2)
                    .map(|two| self.b.ins().unarrow(two[0], two[1]))
                    .collect();
                match (log, &*halves) {
                    (1, _) => halves,
                    (_, &[low, high]) => vec![self.b.ins().unarrow(low, high)],
                    _ => {
                        let bytes = self.b.ins().unarrow(halves[0], halves[0]);
                        let bytes = self.b.ins().bitcast(types::I64X2, as_lanes(), bytes);
                        vec![self.b.ins().extractlane(bytes, 0)]
                    }
                }
            }
        };
        for (n, register) in registers.into_iter().enumerate() {
            let flags = self.kernel_memory();
            self.b.ins().store(flags, register, first, 16 * n as i32);
        }
    }

    /// Changes a word for each lane, in their order; nobody reads what was there. Whether all may do so is known before the
    /// first one does, as to do it twice would not be the same.
    pub(super) fn change_lanes(&mut self, ins: &Ins) {
        if self.masked.is_some() {
            return self.change_sparsely(ins);
        }
        let Some((ty, a, v, site)) = changes(ins) else {
            unreachable!("{ins:?} changes nothing");
        };
        let by = match self.lanes.shape(a) {
            Shape::Even(by) => Some(by),
            Shape::Any => None,
        };
        self.straight_wide(a);
        let mut lane_of = |slot, lane, ty| {
            let one = self.one_lane(slot, lane);
            match (ty, one) {
                (types::I32, (types::I32, value)) => value,
                (types::I32, _) => {
                    let wide = self.values.retyped(&mut self.b, one, types::I64);
                    self.b.ins().ireduce(types::I32, wide)
                }
                _ => self.values.retyped(&mut self.b, one, ty),
            }
        };
        let places: [Value; LANES] = std::array::from_fn(|lane| lane_of(a, lane, types::I64));
        let operands: [Value; LANES] = std::array::from_fn(|lane| lane_of(v, lane, ty));
        // What is between the first and the last one is where they are.
        let ends = match by {
            Some(_) => vec![places[0], places[LANES - 1]],
            None => places.to_vec(),
        };
        self.all_aligned(&ends, by, ty);
        if self.checked {
            self.all_reach(site, &ends);
        }
        if let Some(by) = by {
            self.note_place(site, places[0], Refusal::Grows(by));
        }
        for (lane, (place, x)) in places.into_iter().zip(operands).enumerate() {
            if by.is_none() {
                let lane = self.number(lane as u64);
                self.note_place(site, lane, Refusal::Named);
            }
            self.inline_atomic(ins, ty, place, x, x);
        }
    }

    /// Leaves vector code unless addresses are natural ones for a type.
    fn all_aligned(&mut self, places: &[Value], by: Option<i64>, ty: Type) {
        let size = i64::from(ty.bytes());
        let mut bits = self.number(by.unwrap_or(0) as u64);
        for &place in places {
            bits = self.b.ins().bor(bits, place);
        }
        let odd = self.b.ins().band_imm_u(bits, size - 1);
        let is_natural = self.b.ins().icmp_imm_u(IntCC::Equal, odd, 0);
        self.leave_unless(is_natural);
    }

    /// Leaves vector code unless addresses fall into the window of their site, or into the one that it has once the first
    /// of them was looked up.
    fn all_reach(&mut self, site: Site, places: &[Value]) {
        let (check, look, again, inside) = (
            self.new_block(false),
            self.new_block(true),
            self.new_block(true),
            self.new_block(false),
        );
        let looked = self.b.append_block_param(check, types::I8);
        let no = self.b.ins().iconst(types::I8, 0);
        self.b.ins().jump(check, &[no.into()]);
        self.b.switch_to_block(check);
        let mut missed = no;
        for &place in places {
            let misses = self.misses(site, place);
            missed = self.b.ins().bor(missed, misses);
        }
        self.b.ins().brif(missed, look, &[], inside, &[]);
        self.go_on(look);
        let apart = self.apart();
        self.b.ins().brif(looked, apart, &[], again, &[]);
        self.go_on(again);
        let log = match self.kernel.sites[usize::from(site)].size {
            8 => 3,
            _ => 2,
        };
        let kind = self.number(log | 1 << 8);
        let arguments = [
            self.context,
            self.number(site.into()),
            places[0],
            places[0],
            kind,
        ];
        let made = self.call_carefully(helper!(careful_reach), &arguments);
        let found = self.new_block(true);
        self.b.ins().brif(made, found, &[], apart, &[]);
        self.go_on(found);
        let yes = self.b.ins().iconst(types::I8, 1);
        self.b.ins().jump(check, &[yes.into()]);
        self.b.seal_block(check);
        self.go_on(inside);
    }
}
