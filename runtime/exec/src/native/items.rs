//! The loop over the items that a call of compiled code runs, one after the other.
//!
//! What differs from item to item lies in the context. At the head of the loop the code loads it, and computes
//! the answers to queries that the kernel asks; where an item ends or waits, the code notes the place,
//! and goes on with the next item until the last one has run. Any other way of leaving leaves the loop:
//! the context says which item did.

use super::context::Context;
use super::translate::Translator;
use crate::interp::code::Fill;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
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

impl Translator<'_> {
    /// A number of the context, the `n`-th of an array.
    fn of_context(&mut self, offset: usize, n: usize) -> Value {
        let flags = MemFlagsData::trusted();
        let offset = (offset + 8 * n) as i32;
        self.b.ins().load(types::I64, flags, self.context, offset)
    }

    fn to_context(&mut self, offset: usize, n: usize, value: Value) {
        let flags = MemFlagsData::trusted();
        let offset = (offset + 8 * n) as i32;
        self.b.ins().store(flags, value, self.context, offset);
    }

    /// The head of the loop: what differs from item to item, for the one that comes.
    pub(super) fn begin_item(&mut self, head: Block) {
        self.b.switch_to_block(head);
        self.origin = self.of_context(offset_of!(Context, origin), 0);
        for (n, &fill) in self.kernel.fills.iter().enumerate() {
            if fill_varies(fill) {
                let value = self.item_has(n, fill);
                self.values.vary(n, value);
            }
        }
    }

    /// What fills a slot of the item that comes.
    fn item_has(&mut self, n: usize, fill: Fill) -> Value {
        let local_id = offset_of!(Context, local_id);
        let item = offset_of!(Context, item);
        match fill {
            Fill::Query(Query::GlobalId, d) => {
                let first = self.of_context(offset_of!(Context, group_global), d.into());
                let own = self.of_context(local_id, d.into());
                self.b.ins().iadd(first, own)
            }
            Fill::Query(Query::LocalId, d) => self.of_context(local_id, d.into()),
            Fill::Query(Query::LocalLinearId, _) => self.of_context(item, 0),
            Fill::Query(Query::GlobalLinearId, _) => {
                let mut linear = self.number(0);
                for d in [2, 1, 0] {
                    let size = self.of_context(offset_of!(Context, global), d);
                    let first = self.of_context(offset_of!(Context, group_first), d);
                    let own = self.of_context(local_id, d);
                    let at = self.b.ins().iadd(first, own);
                    let before = self.b.ins().imul(linear, size);
                    linear = self.b.ins().iadd(before, at);
                }
                linear
            }
            Fill::Query(Query::SubGroupId | Query::SubGroupLocalId | Query::SubGroupSize, _) => {
                let item = self.of_context(item, 0);
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
        let stops = self.of_context(offset_of!(Context, stops), 0);
        self.b.ins().store(flags, pc, stops, 0);
        let item = self.of_context(offset_of!(Context, item), 0);
        let last = self.of_context(offset_of!(Context, last), 0);
        let is_last = self.b.ins().icmp(IntCC::Equal, item, last);
        let next = self.b.create_block();
        let leaving = [pc.into(), fuel.into(), left.into()];
        self.b.ins().brif(is_last, self.leave, &leaving, next, &[]);
        self.b.switch_to_block(next);
        self.b.def_var(self.fuel, fuel);
        let stops = self.b.ins().iadd_imm_s(stops, 8);
        self.to_context(offset_of!(Context, stops), 0, stops);
        let item = self.b.ins().iadd_imm_s(item, 1);
        self.to_context(offset_of!(Context, item), 0, item);
        let origin = self.of_context(offset_of!(Context, origin), 0);
        let stride = self.of_context(offset_of!(Context, stride), 0);
        let origin = self.b.ins().iadd(origin, stride);
        self.to_context(offset_of!(Context, origin), 0, origin);
        // The first id that does not reach the size of the group grows; those before it begin anew.
        for d in 0..3 {
            let id = self.of_context(offset_of!(Context, local_id), d);
            let id = self.b.ins().iadd_imm_s(id, 1);
            self.to_context(offset_of!(Context, local_id), d, id);
            if d == 2 {
                break;
            }
            let size = self.of_context(offset_of!(Context, group_size), d);
            let is_full = self.b.ins().icmp(IntCC::Equal, id, size);
            let full = self.new_block(true);
            self.b.ins().brif(is_full, full, &[], head, &[]);
            self.b.switch_to_block(full);
            let zero = self.number(0);
            self.to_context(offset_of!(Context, local_id), d, zero);
        }
        self.b.ins().jump(head, &[]);
    }
}
