//! Accesses, and instructions that are made lane by lane, for those of a vector's items that run a block of a
//! [region](super::masked).
//!
//! A loop over their bits makes the instruction for one after the other, as scalar code has it: what it reads and
//! what it gives lies in the frame of the function. For all lanes at once are made
//!
//! - *loads* of words that lie one behind the other, where those of all lanes are in the window of the access, and on one
//!   page: then what is loaded for a lane that does not run the block is in bounds and there, and nobody looks at it;
//! - *stores* to such words of local memory, of which those for other lanes are stored as they are: the group has
//!   its local memory for itself, and its thread does nothing in between.

use super::super::access::Place;
use super::super::translate::{Translator, helper};
use super::access::changes;
use super::lanes::lane_type;
use super::{LANES, Refusal};
use crate::interp::code::{Ins, Site, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block, BlockArg, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Type,
    Value, types,
};

/// The least page of a system.
const PAGE: i64 = 4096;

/// What an instruction gives all lanes: slot, type, registers.
type Given = Vec<(Slot, Type, Vec<Value>)>;

impl Translator<'_> {
    /// Who runs the present block of a region, as bits.
    fn runners(&self) -> Value {
        match &self.masked {
            Some(masked) => masked.bits,
            None => unreachable!("there is a region"),
        }
    }

    /// The n-th place in the frame for the values of all lanes.
    fn room(&mut self, n: usize) -> StackSlot {
        while self.rooms.len() <= n {
            let size = (LANES * 8) as u32;
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
            let room = self.b.create_sized_stack_slot(data);
            self.rooms.push(room);
        }
        self.rooms[n]
    }

    /// Puts lanes into the frame.
    fn put_lanes(&mut self, n: usize, lanes: &[Value]) {
        let room = self.room(n);
        for (register, &value) in lanes.iter().enumerate() {
            let offset = 16 * register as i32;
            self.b.ins().stack_store(types::I64, value, room, offset);
        }
    }

    /// Where a lane's value is in the frame.
    fn in_frame(&mut self, n: usize, (lane, ty): (Value, Type)) -> Value {
        let room = self.room(n);
        let start = self.b.ins().stack_addr(types::I64, room, 0);
        let size = i64::from(ty.bytes());
        let offset = self.b.ins().imul_imm_s(lane, size);
        self.b.ins().iadd(start, offset)
    }

    /// Does something for each lane that runs the block, in their order.
    fn each_lane(&mut self, body: impl FnOnce(&mut Self, Value)) {
        let (head, done) = (self.new_block(false), self.new_block(false));
        let rest = self.b.append_block_param(head, types::I64);
        let bits = self.runners();
        self.b.ins().jump(head, &[bits.into()]);
        self.b.switch_to_block(head);
        let lane = self.b.ins().ctz(rest);
        body(self, lane);
        let less = self.b.ins().iadd_imm_s(rest, -1);
        let others = self.b.ins().band(rest, less);
        self.b.ins().brif(others, head, &[others.into()], done, &[]);
        self.b.seal_block(head);
        self.go_on(done);
    }

    /// An instruction for each lane that runs the block, as scalar code has it.
    pub(super) fn sparsely(&mut self, ins: &Ins) -> Given {
        let (read, wrote) = self.read_and_written(ins);
        let before = self.before.take();
        self.before = Some(before.clone().unwrap_or_else(|| self.known()));
        let mut types_read = Vec::new();
        for (n, &slot) in read.iter().enumerate() {
            let ty = self.form_of(slot);
            let lanes = self.typed_lanes(slot, ty);
            self.put_lanes(n, &lanes);
            types_read.push(ty);
        }
        let touched: Vec<Slot> = read.iter().chain(&wrote).copied().collect();
        let saved = self.values.cells_of(&touched);
        let mut types_given = Vec::new();
        let flags = MemFlagsData::trusted();
        self.each_lane(|t, lane| {
            for (n, (&slot, &ty)) in read.iter().zip(&types_read).enumerate() {
                let at = t.in_frame(n, (lane, ty));
                let value = t.b.ins().load(ty, flags, at, 0);
                t.values.set(slot, ty, value);
            }
            if let Some((.., place, _)) = super::super::access::plain(ins) {
                t.note_place(place.site, lane, Refusal::Named);
            }
            t.instruction(ins);
            for (n, &slot) in wrote.iter().enumerate() {
                let (ty, value) = t.values.typed(&mut t.b, slot);
                let at = t.in_frame(read.len() + n, (lane, ty));
                t.b.ins().store(flags, value, at, 0);
                types_given.push(ty);
            }
            t.values.put_back(&saved);
        });
        self.before = before;
        let mut given = Vec::new();
        for (n, (&slot, ty)) in wrote.iter().zip(types_given).enumerate() {
            let room = self.room(read.len() + n);
            let (lanes, count) = lane_type(ty);
            let registers = (0..count as i32)
                .map(|register| {
                    self.b
                        .ins()
                        .stack_load(types::I64, lanes, room, 16 * register)
                })
                .collect();
            given.push((slot, ty, registers));
        }
        given
    }

    /// The same; slots get what it gives.
    pub(super) fn set_sparsely(&mut self, ins: &Ins) {
        for (slot, ty, registers) in self.sparsely(ins) {
            self.lanes.set(slot, ty, &registers);
        }
    }

    /// Whether the words of all lanes may be loaded, which lie one behind the other from an address on.
    fn row_is_there(&mut self, site: Site, first: Value, log: u32) -> Value {
        let inside = self.checked.then(|| {
            let misses = self.row_misses(site, first);
            self.b.ins().icmp_imm_u(IntCC::Equal, misses, 0)
        });
        if let (Some(inside), true) = (inside, self.is_own(site)) {
            return inside;
        }
        let at = self.b.ins().band_imm_u(first, PAGE - 1);
        let last = PAGE - ((LANES as i64) << log);
        let cc = IntCC::UnsignedLessThanOrEqual;
        let on_page = self.b.ins().icmp_imm_u(cc, at, last);
        match inside {
            Some(inside) => self.b.ins().band(inside, on_page),
            None => on_page,
        }
    }

    /// For the case that the system refuses an access that is the same for all who run the block: it is the first one's.
    pub(super) fn note_first(&mut self, site: Site) -> Value {
        let bits = self.runners();
        let lane = self.b.ins().ctz(bits);
        self.note_place(site, lane, Refusal::Named);
        lane
    }

    /// Loads for those who run the block.
    pub(super) fn load_sparsely(&mut self, log: u32, d: Slot, place: Place, ins: &Ins) {
        if self.growth(place) != Some(1 << log) {
            return self.set_sparsely(ins);
        }
        let ty = self.wanted(d, log);
        let first = self.first_address(place);
        let is_there = self.row_is_there(place.site, first, log);
        let (one_by_one, join) = self.fork(is_there);
        let known = self.known();
        if !self.is_own(place.site) {
            // If the system refuses this one it does so for them all.
            let lane = self.note_first(place.site);
            let far = self.b.ins().ishl_imm_u(lane, i64::from(log));
            let at = self.b.ins().iadd(first, far);
            self.plain_load(log, ty, at);
        }
        let values = self.load_row(log, ty, first);
        let params: Vec<Value> = (values.iter())
            .map(|_| self.b.append_block_param(join, lane_type(ty).0))
            .collect();
        let as_arguments = |values: Vec<Value>| values.into_iter().map(BlockArg::from);
        let arguments: Vec<BlockArg> = as_arguments(values).collect();
        self.b.ins().jump(join, &arguments);
        self.know(&known);
        self.go_on(one_by_one);
        let given = self.sparsely(ins);
        let mut arguments = Vec::new();
        for (_, from, values) in given {
            debug_assert_eq!(from, ty, "as it is wanted");
            arguments.extend(as_arguments(values));
        }
        self.b.ins().jump(join, &arguments);
        self.know(&known);
        self.go_on(join);
        self.lanes.set(d, ty, &params);
    }

    /// Goes on where something holds; the block where it does not, and the one where both may lead.
    fn fork(&mut self, holds: Value) -> (Block, Block) {
        let [yes, no, join] = [false, true, false].map(|is_cold| self.new_block(is_cold));
        self.b.ins().brif(holds, yes, &[], no, &[]);
        self.go_on(yes);
        (no, join)
    }

    /// Stores for those who run the block.
    pub(super) fn store_sparsely(&mut self, log: u32, v: Slot, place: Place, ins: &Ins) {
        let is_row = self.growth(place) == Some(1 << log);
        if !is_row || log < 2 || !self.checked || !self.is_own(place.site) {
            self.sparsely(ins);
            return;
        }
        let Some(masked) = self.masked.clone() else {
            unreachable!("there is a region");
        };
        let first = self.first_address(place);
        let (lanes, values, mask) = match log {
            3 => (types::I64X2, self.wide_lanes(v).to_vec(), &masked.wide[..]),
            _ => (types::I32X4, self.int_lanes(v).to_vec(), &masked.narrow[..]),
        };
        let is_there = self.row_is_there(place.site, first, log);
        let (one_by_one, join) = self.fork(is_there);
        let known = self.known();
        for (n, (value, &mask)) in values.into_iter().zip(mask).enumerate() {
            let at = 16 * n as i32;
            let flags = self.kernel_memory();
            let there = self.b.ins().load(lanes, flags, first, at);
            let value = self.b.ins().bitselect(mask, value, there);
            let flags = self.kernel_memory();
            self.b.ins().store(flags, value, first, at);
        }
        self.b.ins().jump(join, &[]);
        self.know(&known);
        self.go_on(one_by_one);
        self.sparsely(ins);
        self.b.ins().jump(join, &[]);
        self.know(&known);
        self.go_on(join);
    }

    /// Changes a word for each who runs the block, once it is known that all may do so.
    pub(super) fn change_sparsely(&mut self, ins: &Ins) {
        let Some((ty, a, _, site)) = changes(ins) else {
            unreachable!("{ins:?} changes nothing");
        };
        let lanes = self.wide_lanes(a);
        self.put_lanes(0, &lanes);
        let log = ty.bytes().trailing_zeros();
        self.each_lane(|t, lane| {
            let at = t.in_frame(0, (lane, types::I64));
            let flags = MemFlagsData::trusted();
            let place = t.b.ins().load(types::I64, flags, at, 0);
            let odd = t.b.ins().band_imm_u(place, i64::from(ty.bytes()) - 1);
            let is_natural = t.b.ins().icmp_imm_u(IntCC::Equal, odd, 0);
            t.leave_unless(is_natural);
            if !t.checked {
                return;
            }
            let misses = t.misses(site, place);
            let (look, inside) = (t.new_block(true), t.new_block(false));
            t.b.ins().brif(misses, look, &[], inside, &[]);
            t.go_on(look);
            let arguments = [
                t.context,
                t.number(site.into()),
                place,
                place,
                t.number(u64::from(log) | 1 << 8),
            ];
            let made = t.call_carefully(helper!(careful_reach), &arguments);
            let apart = t.apart();
            t.b.ins().brif(made, inside, &[], apart, &[]);
            t.go_on(inside);
        });
        self.sparsely(ins);
    }
}
