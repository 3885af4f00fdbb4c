//! Several items at once: vectors of [`LANES`] items that follow each other in a row of their group.
//!
//! Where items run up to the next barrier each, the loop over them ([`items`](super::items)) takes as many as a vector
//! has together, while the group's row has so many. The vector code is the kernel's once more, block by block: what is
//! the same for all items, or grows evenly from each to the next ([`shape`]), is computed once, as in scalar code; all
//! else in registers of lanes ([`lanes`]), by vector instructions where there are such ([`arith`]), lane by lane where
//! there are none. Results are those of scalar code, bit for bit: no operation is reordered, joined or left out.
//!
//! # Where the items part
//!
//! - *At a branch* on which they differ, they go on together to where their ways meet: each block in between runs for
//!   those that come to it ([`region`], [`masked`]). Where it is not so simple what lies in between, or few would go
//!   through a loop there, each goes its way to the next barrier or to its end in scalar code; then the loop goes on with
//!   the next vector. Behind the barrier they are a vector again, if their slots allow it.
//! - *At an access* that not all may make, a division by zero, a trap: nothing of the instruction has been done for
//!   good, and all items are left in front of it. The stepper goes on with each of them in their order, so that the
//!   first one that does what it may not is reported, as it would be without vectors. Those that have gone another way
//!   are left where they wait. Where some lanes have been
//!   stored before another one was refused, they are stored once more.
//! - *Before a block* that takes more steps than are left: they go on together later.
//! - *A refusal by the system* (nothing is mapped there) ends the launch; the context says which lanes the access was for.
//!   Of several items that touch what is not mapped it may report another one than scalar code would.
//!
//! # What is observed
//!
//! Items of kernels with vectors synchronize at barriers only, so that whoever could see in which order they
//! make their accesses between two of these has a data race. What they count by relaxed operations comes out the same in
//! any order; such an operation is made once for each lane, after it is known that all may make it. Each lane of an access is of one word, naturally
//! aligned where the kernel's access is, and the processor does not tear it.
//!
//! # Where slots are
//!
//! Scalar code and the stepper find the slots of an item in the item's region. Vector code stores those of its items,
//! where it leaves them, in the regions of all of them together: slot after slot, each with the first one's value
//! or those of all lanes. [`pack`] makes the one of the other. The stops of items that are stored so are flagged.
//! Where a group waits for a collective function the slots stay so: what the function reads is taken from them, and what it
//! gives is put there ([`Runner::bring`](super::Runner::bring)).
//! What a slot's shape is at a place holds for items that have come there together, through regions, too: what their blocks
//! write may be anything where they end. Of others it is looked whether it holds before they become a vector again.
//!
//! | module | subject |
//! | --- | --- |
//! | [`shape`] | which slots are the same for all items, or grow evenly |
//! | [`lanes`], [`forms`] | what is known of slots in a block, and their values in each form |
//! | [`block`] | blocks, their ends, where vectors are taken up |
//! | [`region`], [`masked`] | from a branch to where its ways meet, and blocks there |
//! | [`blend`] | slots that such a block has written for some of the items |
//! | [`parting`] | where vectors are left |
//! | [`pack`] | slots of all items, and of each |
//! | [`arith`], [`compare`], [`functions`], [`access`] | instructions |
//! | [`sparse`] | accesses, and what is made lane by lane, for some of the items |

mod access;
mod arith;
mod blend;
mod block;
mod compare;
mod forms;
mod functions;
mod lanes;
mod masked;
pub(super) mod pack;
mod parting;
mod region;
pub(super) mod shape;
mod sparse;

pub(super) use lanes::{Known, Lanes};
pub(super) use masked::{Masked, Task};
pub(super) use pack::Exit;
pub(super) use parting::Parting;
pub(super) use shape::Shapes;

use super::context::Context;
use super::flow::CHECKED_STEPS;
use super::items::At;
use super::translate::Translator;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, JumpTableData, MemFlagsData, Value, types};
use std::mem::offset_of;

/// Items of a vector.
pub(super) const LANES: usize = crate::interp::port::host::ROW as usize;
/// Registers for lanes of 32 bits.
const NARROW: usize = LANES / 4;
/// Registers for lanes of 64 bits.
const WIDE: usize = LANES / 2;

/// Marks the stops of items whose slots are stored together; that of the first one of a vector stands for all.
pub(super) const TOGETHER: u64 = 1 << 63;

/// Marks those of them that wait for what a collective function gives: their slots are stored as its place says
/// ([`Translated::meets`](super::translate::Translated::meets)), not as those behind it.
pub(super) const MEETS: u64 = 1 << 62;

/// Marks the places of vector code.
pub(super) const VECTOR_PLACE: u32 = 1 << 31;

/// Marks those of its regions, too.
pub(super) const MASKED_PLACE: u32 = 1 << 30;

/// For which lane an access of vector code is that the system refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The context names it.
    Named,
    /// The context has the address of the first one, which grows by so much to each next one.
    Grows(i64),
}

/// Steps with which vectors get on: those that any check is for, for all lanes.
pub(super) const ENOUGH: u64 = CHECKED_STEPS * LANES as u64;

/// Whether the processor has the instructions.
pub(super) fn can() -> bool {
    std::is_x86_feature_detected!("sse4.2")
}

/// The blocks around the vector code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// Where the loop takes the next items.
    pub(super) next: Block,
    /// Where a vector begins.
    begin: Block,
    /// Where all items of a vector have ended or wait: pc, steps left, how the code is left, what is noted as their stop.
    ended: Block,
}

impl Around {
    /// Of a kernel without vectors: none that anybody goes to.
    pub(super) fn none(head: Block) -> Around {
        Around {
            next: head,
            begin: head,
            ended: head,
        }
    }
}

impl Translator<'_> {
    /// The blocks around the vector code.
    pub(super) fn around(&mut self) -> Around {
        let [next, begin, ended] = std::array::from_fn(|_| self.b.create_block());
        for _ in 0..4 {
            self.b.append_block_param(ended, types::I64);
        }
        Around { next, begin, ended }
    }

    /// Takes the next items: a vector where so many may still run and the row has them, and they are new or
    /// stored together; else one.
    pub(super) fn take_items(&mut self, around: Around, number: Value, head: Block) {
        let At { item, x, stops, .. } = self.at;
        self.b.switch_to_block(around.next);
        let [maybe, together, one, some] = std::array::from_fn(|_| self.new_block(false));
        let count = self.b.append_block_param(some, types::I64);
        let first = self.b.use_var(item);
        let last = self.b.ins().iadd_imm_s(first, LANES as i64 - 1);
        let to = self.of_context(offset_of!(Context, vectors_to), 0);
        let fits = self.b.ins().icmp(IntCC::SignedLessThanOrEqual, last, to);
        self.b.ins().brif(fits, maybe, &[], one, &[]);
        self.go_on(maybe);
        let x = self.b.use_var(x);
        let past = self.b.ins().iadd_imm_s(x, LANES as i64);
        let size = self.of_context(offset_of!(Context, group_size), 0);
        let fits = self
            .b
            .ins()
            .icmp(IntCC::UnsignedLessThanOrEqual, past, size);
        let old = self.new_block(false);
        self.b.ins().brif(fits, together, &[], one, &[]);
        self.go_on(together);
        let to_last = self.b.ins().isub(to, first);
        let in_row = self.b.ins().isub(size, x);
        let to_last = self.b.ins().iadd_imm_s(to_last, 1);
        let items = self.b.ins().umin(to_last, in_row);
        let vectors = self.b.ins().udiv_imm_u(items, LANES as i64);
        self.b.ins().brif(number, old, &[], some, &[vectors.into()]);
        self.go_on(old);
        let together = self.of_context(offset_of!(Context, together), 0);
        let look = self.new_block(false);
        let arguments = [vectors.into()];
        self.b.ins().brif(together, some, &arguments, look, &[]);
        self.go_on(look);
        let stops = self.b.use_var(stops);
        let flags = MemFlagsData::trusted();
        let stop = self.b.ins().load(types::I64, flags, stops, 0);
        let zero = self.number(0);
        let flagged = self.b.ins().icmp(IntCC::SignedLessThan, stop, zero);
        let only = self.number(1);
        self.b.ins().brif(flagged, some, &[only.into()], one, &[]);
        self.go_on(some);
        self.b.def_var(self.at.row, count);
        self.b.ins().jump(around.begin, &[]);
        self.go_on(one);
        let first = self.b.use_var(item);
        self.b.def_var(self.at.scalar_to, first);
        self.b.def_var(self.at.number, number);
        self.b.ins().jump(head, &[]);
    }

    /// The vector code; false where that is more than so many instructions.
    pub(super) fn vectors(
        &mut self,
        around: Around,
        (number, params): (Value, Value),
        most: usize,
    ) -> bool {
        std::mem::swap(&mut self.values, &mut self.vector_values);
        let origin = self.origin;
        self.in_vector = true;
        self.vector_blocks = self
            .flow
            .blocks
            .iter()
            .map(|_| self.b.create_block())
            .collect();
        self.begin_vector(around.begin);
        self.vector_entries(number, params);
        for n in 0..self.flow.blocks.len() {
            self.vector_block(n);
            if self.b.func.dfg.num_insts() > most {
                return false;
            }
        }
        self.regions();
        self.vector_ended(around);
        self.in_vector = false;
        self.origin = origin;
        std::mem::swap(&mut self.values, &mut self.vector_values);
        self.b.func.dfg.num_insts() <= most
    }

    /// A vector begins.
    fn begin_vector(&mut self, begin: Block) {
        self.b.switch_to_block(begin);
        self.origin = self.b.use_var(self.at.origin);
        let item = self.b.use_var(self.at.item);
        self.note(offset_of!(Context, item), 0, item);
        self.vary();
    }

    /// Where vectors are taken up.
    fn vector_entries(&mut self, number: Value, params: Value) {
        let start = self.b.create_block();
        let mut doors = Vec::new();
        for (n, _) in self.flow.blocks.iter().enumerate().filter(|(_, b)| b.entry) {
            let door = self.b.create_block();
            self.b.set_cold_block(door);
            doors.push((door, n));
        }
        let mut call = |block| self.b.func.dfg.block_call(block, &[]);
        let first = call(start);
        let mut table = vec![first];
        table.extend(doors.iter().map(|&(door, _)| call(door)));
        let table = self.b.create_jump_table(JumpTableData::new(first, &table));
        let number = self.b.ins().ireduce(types::I32, number);
        self.b.ins().br_table(number, table);
        self.b.switch_to_block(start);
        self.b.seal_block(start);
        self.start_slots(params);
        self.b.ins().jump(self.vector_blocks[0], &[]);
        for (door, n) in doors {
            self.b.switch_to_block(door);
            self.b.seal_block(door);
            self.take_up(n);
            self.b.ins().jump(self.vector_blocks[n], &[]);
        }
    }

    /// All items of a vector have ended or wait.
    fn vector_ended(&mut self, around: Around) {
        self.b.switch_to_block(around.ended);
        let &[pc, fuel, left, stop] = self.b.block_params(around.ended) else {
            unreachable!("it has four");
        };
        // What has been noted before need not be so again.
        let any = self.of_context(offset_of!(Context, stops_any), 0);
        let is_noted = self.b.ins().icmp(IntCC::Equal, any, stop);
        let (new, noted) = (self.new_block(true), self.new_block(false));
        self.b.ins().brif(is_noted, noted, &[], new, &[]);
        self.go_on(new);
        self.note_stop(stop);
        self.b.ins().jump(noted, &[]);
        self.go_on(noted);
        let row = self.b.use_var(self.at.row);
        let row = self.b.ins().iadd_imm_s(row, -1);
        let (look, follows) = (self.new_block(false), self.new_block(false));
        self.b.ins().brif(row, follows, &[], look, &[]);
        self.go_on(follows);
        self.b.def_var(self.at.row, row);
        self.b.def_var(self.fuel, fuel);
        self.follow(LANES);
        let x = self.b.use_var(self.at.x);
        let x = self.b.ins().iadd_imm_s(x, LANES as i64);
        self.b.def_var(self.at.x, x);
        self.b.ins().jump(around.begin, &[]);
        self.go_on(look);
        let item = self.b.use_var(self.at.item);
        let of_last = self.b.ins().iadd_imm_s(item, LANES as i64 - 1);
        let last = self.of_context(offset_of!(Context, last), 0);
        let is_last = self.b.ins().icmp(IntCC::Equal, of_last, last);
        let (all, more) = (self.new_block(true), self.new_block(false));
        self.b.ins().brif(is_last, all, &[], more, &[]);
        self.go_on(all);
        self.note(offset_of!(Context, item), 0, of_last);
        let leaving = [pc.into(), fuel.into(), left.into()];
        self.b.ins().jump(self.leave, &leaving);
        self.go_on(more);
        self.b.def_var(self.fuel, fuel);
        self.advance(LANES, around.next);
    }
}
