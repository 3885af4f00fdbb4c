//! The loop over the items that a call of compiled code runs, one after the other.
//!
//! At the head of the loop the code computes the answers to queries that the kernel asks and that differ from item
//! to item, and notes in the context which one runs; where an item ends or waits, the code notes the place,
//! and goes on with the next item until the last one has run. Any other way of leaving leaves the loop:
//! the context says which item did. Where the kernel has vectors, the loop takes as many items as they hold at a time,
//! where these are there ([`vector`](super::vector)).

use super::context::Context;
use super::translate::Translator;
use crate::interp::code::Fill;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use std::mem::offset_of;
use touchstone_ir::Query;

/// Whether items of a group may have different answers.
pub(super) fn varies(query: Query) -> bool {
    match query {
        Query::GlobalId
        | Query::LocalId
        | Query::GlobalLinearId
        | Query::LocalLinearId
        | Query::SubGroupId
        | Query::SubGroupLocalId
        | Query::SubGroupSize => true,
        Query::WorkDim
        | Query::GlobalSize
        | Query::LocalSize
        | Query::EnqueuedLocalSize
        | Query::NumGroups
        | Query::GroupId
        | Query::GlobalOffset
        | Query::MaxSubGroupSize
        | Query::NumSubGroups
        | Query::EnqueuedNumSubGroups => false,
    }
}

/// Whether what fills a slot differs from item to item.
pub(super) fn fill_varies(fill: Fill) -> bool {
    match fill {
        // Past the third dimension all have the same.
        Fill::Query(query @ (Query::GlobalId | Query::LocalId), dim) => varies(query) && dim < 3,
        Fill::Query(query, _) => varies(query),
        Fill::PrivateBase => true,
        Fill::Const(_) | Fill::Local(_) => false,
    }
}

/// Where the loop is: the item's number, slot 0 and first local id, and where its stop goes.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) item: Variable,
    pub(super) origin: Variable,
    pub(super) x: Variable,
    pub(super) stops: Variable,
    /// Where there are vectors: the entry at which scalar code takes the item up, and the last item that scalar
    /// code runs before it is looked whether a vector fits.
    pub(super) number: Variable,
    pub(super) scalar_to: Variable,
    /// Vectors that the row has from the present one on, none of which is looked at before it runs.
    pub(super) row: Variable,
}

impl At {
    pub(super) fn new(b: &mut FunctionBuilder<'_>) -> At {
        let [item, origin, x, stops, number, scalar_to, row] =
            std::array::from_fn(|_| b.declare_var(types::I64));
        At {
            item,
            origin,
            x,
            stops,
            number,
            scalar_to,
            row,
        }
    }
}

impl Translator<'_> {
    /// A number of the context, the `n`-th of an array.
    pub(super) fn of_context(&mut self, offset: usize, n: usize) -> Value {
        let flags = MemFlagsData::trusted();
        let offset = (offset + 8 * n) as i32;
        self.b.ins().load(types::I64, flags, self.context, offset)
    }

    /// Puts a number into the context.
    pub(super) fn note(&mut self, offset: usize, n: usize, value: Value) {
        let flags = MemFlagsData::trusted();
        let offset = (offset + 8 * n) as i32;
        self.b.ins().store(flags, value, self.context, offset);
    }

    /// What the loop begins with, from the context; then its head.
    pub(super) fn first_item(&mut self, head: Block) {
        for (at, offset) in [
            (self.at.item, offset_of!(Context, item)),
            (self.at.origin, offset_of!(Context, origin)),
            (self.at.x, offset_of!(Context, local_id)),
            (self.at.stops, offset_of!(Context, stops)),
        ] {
            let value = self.of_context(offset, 0);
            self.b.def_var(at, value);
        }
        self.b.ins().jump(head, &[]);
    }

    /// The head of the loop: what differs from item to item, for the one that comes. The context has it, too, for those
    /// who are called or come after this.
    pub(super) fn begin_item(&mut self, head: Block) {
        self.b.switch_to_block(head);
        self.origin = self.b.use_var(self.at.origin);
        self.note(offset_of!(Context, origin), 0, self.origin);
        let item = self.b.use_var(self.at.item);
        self.note(offset_of!(Context, item), 0, item);
        let x = self.b.use_var(self.at.x);
        self.note(offset_of!(Context, local_id), 0, x);
        self.vary();
    }

    /// Computes what differs from item to item, for the one that comes.
    pub(super) fn vary(&mut self) {
        for (n, &fill) in self.kernel.fills.iter().enumerate() {
            if fill_varies(fill) {
                let value = self.item_has(n, fill);
                self.values.vary(n, value);
            }
        }
    }

    /// A local id of the item that comes.
    fn local_id(&mut self, d: usize) -> Value {
        match d {
            0 => self.b.use_var(self.at.x),
            _ => self.of_context(offset_of!(Context, local_id), d),
        }
    }

    /// What fills a slot of the item that comes.
    fn item_has(&mut self, n: usize, fill: Fill) -> Value {
        match fill {
            Fill::Query(Query::GlobalId, d) => {
                let first = self.of_context(offset_of!(Context, group_global), d.into());
                let own = self.local_id(d.into());
                self.b.ins().iadd(first, own)
            }
            Fill::Query(Query::LocalId, d) => self.local_id(d.into()),
            Fill::Query(Query::LocalLinearId, _) => self.b.use_var(self.at.item),
            Fill::Query(Query::GlobalLinearId, _) => {
                let mut linear = self.number(0);
                for d in [2, 1, 0] {
                    let size = self.of_context(offset_of!(Context, global), d);
                    let first = self.of_context(offset_of!(Context, group_first), d);
                    let own = self.local_id(d);
                    let at = self.b.ins().iadd(first, own);
                    let before = self.b.ins().imul(linear, size);
                    linear = self.b.ins().iadd(before, at);
                }
                linear
            }
            Fill::Query(Query::SubGroupId | Query::SubGroupLocalId | Query::SubGroupSize, _) => {
                let item = self.b.use_var(self.at.item);
                let size = self.of_context(offset_of!(Context, sub_group), 0);
                let number = self.b.ins().udiv(item, size);
                let first = self.b.ins().imul(number, size);
                match fill {
                    Fill::Query(Query::SubGroupId, _) => number,
                    Fill::Query(Query::SubGroupLocalId, _) => self.b.ins().isub(item, first),
                    _ => {
                        let items = self.of_context(offset_of!(Context, items), 0);
                        let rest = self.b.ins().isub(items, first);
                        self.b.ins().umin(size, rest)
                    }
                }
            }
            // Who enters the code has stored it; where items follow each other there is no private memory.
            _ => {
                let flags = MemFlagsData::trusted();
                let offset = 8 * n as i32;
                self.b.ins().load(types::I64, flags, self.fills, offset)
            }
        }
    }

    /// An item has ended or waits: notes where, and goes on with the next one, or leaves after the last.
    pub(super) fn end_item(&mut self, head: Block) {
        self.b.switch_to_block(self.ended);
        let &[pc, fuel, left] = self.b.block_params(self.ended) else {
            unreachable!("it has three");
        };
        let flags = MemFlagsData::trusted();
        let stops = self.b.use_var(self.at.stops);
        self.b.ins().store(flags, pc, stops, 0);
        self.note_stop(pc);
        let item = self.b.use_var(self.at.item);
        let last = self.of_context(offset_of!(Context, last), 0);
        let is_last = self.b.ins().icmp(IntCC::Equal, item, last);
        let next = self.b.create_block();
        let leaving = [pc.into(), fuel.into(), left.into()];
        self.b.ins().brif(is_last, self.leave, &leaving, next, &[]);
        self.go_on(next);
        self.b.def_var(self.fuel, fuel);
        if !self.has_vectors {
            return self.advance(1, head);
        }
        let to = self.b.use_var(self.at.scalar_to);
        let is_end = self.b.ins().icmp(IntCC::Equal, item, to);
        let more = self.b.create_block();
        self.advance(1, more);
        self.b.switch_to_block(more);
        let on = self.b.create_block();
        self.b.ins().brif(is_end, self.around.next, &[], on, &[]);
        self.go_on(on);
        // Of items that parted at a branch, each has its way noted.
        let stops = self.b.use_var(self.at.stops);
        let number = self.b.ins().load(types::I64, flags, stops, 0);
        self.b.def_var(self.at.number, number);
        self.b.ins().jump(head, &[]);
    }

    /// Notes a place where items end or wait among those of all.
    pub(super) fn note_stop(&mut self, stop: Value) {
        let all = self.of_context(offset_of!(Context, stops_all), 0);
        let all = self.b.ins().band(all, stop);
        self.note(offset_of!(Context, stops_all), 0, all);
        let any = self.of_context(offset_of!(Context, stops_any), 0);
        let any = self.b.ins().bor(any, stop);
        self.note(offset_of!(Context, stops_any), 0, any);
    }

    /// Goes on to the item that comes so many after this one; the row has as many, or ends with the last of them.
    pub(super) fn advance(&mut self, items: usize, head: Block) {
        self.follow(items);
        // The first id that does not reach the size of the group grows; those before it begin anew.
        for d in 0..3 {
            let id = self.local_id(d);
            let id = self
                .b
                .ins()
                .iadd_imm_s(id, if d == 0 { items as i64 } else { 1 });
            self.set_local_id(d, id);
            if d == 2 {
                break;
            }
            let size = self.of_context(offset_of!(Context, group_size), d);
            let is_full = self.b.ins().icmp(IntCC::Equal, id, size);
            let full = self.new_block(true);
            self.b.ins().brif(is_full, full, &[], head, &[]);
            self.b.switch_to_block(full);
            let zero = self.number(0);
            self.set_local_id(d, zero);
        }
        self.b.ins().jump(head, &[]);
    }

    /// The same but for its ids.
    pub(super) fn follow(&mut self, items: usize) {
        let stops = self.b.use_var(self.at.stops);
        let stops = self.b.ins().iadd_imm_s(stops, 8 * items as i64);
        self.b.def_var(self.at.stops, stops);
        let item = self.b.use_var(self.at.item);
        let item = self.b.ins().iadd_imm_s(item, items as i64);
        self.b.def_var(self.at.item, item);
        let origin = self.b.use_var(self.at.origin);
        let stride = self.of_context(offset_of!(Context, stride), 0);
        let stride = match items {
            1 => stride,
            _ => self.b.ins().imul_imm_s(stride, items as i64),
        };
        let origin = self.b.ins().iadd(origin, stride);
        self.b.def_var(self.at.origin, origin);
    }

    fn set_local_id(&mut self, d: usize, id: Value) {
        match d {
            0 => self.b.def_var(self.at.x, id),
            _ => self.note(offset_of!(Context, local_id), d, id),
        }
    }
}
