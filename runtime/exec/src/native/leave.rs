//! Where the code is left: for the stepper, at an item's end, at a barrier, at a trap.

use super::context::{Context, Left};
use super::flow::Block;
use super::translate::Translator;
use crate::interp::code::{Ins, Slot};
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, MemFlagsData, Value};
use std::mem::offset_of;

impl Translator<'_> {
    /// The one place where the function returns.
    pub(super) fn leave_block(&mut self) {
        self.b.switch_to_block(self.leave);
        let &[pc, fuel, left] = self.b.block_params(self.leave) else {
            unreachable!("it has three");
        };
        let flags = MemFlagsData::trusted();
        let context = self.context;
        self.b
            .ins()
            .store(flags, pc, context, offset_of!(Context, pc) as i32);
        self.b
            .ins()
            .store(flags, fuel, context, offset_of!(Context, fuel) as i32);
        self.b.ins().return_(&[left]);
    }

    /// The arguments of the block that leaves: from the present instruction.
    fn leaving(&mut self, left: Left) -> [BlockArg; 3] {
        let pc = self.number(u64::from(self.pc) + 1);
        let fuel = self.b.ins().iadd_imm_s(self.left, self.after as i64);
        let left = self.number(left as u64);
        [pc.into(), fuel.into(), left.into()]
    }

    /// The item ends at the present instruction, or waits behind it.
    pub(super) fn end(&mut self, left: Left) {
        if self.in_vector {
            return self.vector_end(left);
        }
        let arguments = self.leaving(left);
        self.b.ins().jump(self.ended, &arguments);
    }

    /// Leaves at the present instruction.
    pub(super) fn leave(&mut self, left: Left) {
        if self.in_vector {
            let apart = self.apart();
            self.b.ins().jump(apart, &[]);
            return;
        }
        let arguments = self.leaving(left);
        self.b.ins().jump(self.leave, &arguments);
    }

    /// Goes on in a block if a helper's answer is not zero, and leaves otherwise.
    pub(super) fn unless(&mut self, made: Value, left: Left, then: ir::Block, value: &[BlockArg]) {
        if self.in_vector {
            let apart = self.apart();
            self.b.ins().brif(made, then, value, apart, &[]);
            return;
        }
        let arguments = self.leaving(left);
        self.b.ins().brif(made, then, value, self.leave, &arguments);
    }

    /// Stores a slot's value where the stepper has it.
    pub(super) fn keep(&mut self, slot: Slot) {
        let value = self.values.wide(&mut self.b, slot);
        let offset = 8 * i32::from(slot);
        self.b
            .ins()
            .store(MemFlagsData::trusted(), value, self.origin, offset);
    }

    /// Leaves for a barrier or a collective function, which reads slots and writes one.
    pub(super) fn wait(&mut self, block: &Block, ins: &Ins) {
        let needed = self.needed;
        let mut slots: Vec<Slot> = needed[self.flow.at(block.end)]
            .iter()
            .map(|s| s as Slot)
            .collect();
        if let Ins::Collective { meeting, .. } = *ins {
            let meeting = &self.kernel.meetings[usize::from(meeting)];
            slots.retain(|&slot| slot != meeting.result);
            let read = meeting.from.iter().chain([&meeting.value]);
            slots.extend(read.filter(|&&slot| slot >= 0));
            slots.sort_unstable();
            slots.dedup();
        }
        for slot in slots {
            self.keep(slot);
        }
        self.end(Left::Barrier);
    }
}
