//! Where vectors are left: what is stored, and where each item goes on.

use super::super::context::{Context, Left};
use super::super::flow;
use super::super::operands::{self, Role, SlotSet};
use super::super::translate::{Translator, helper};
use super::LANES;
use super::lanes::Known;
use super::masked::Parted;
use super::pack::{Exit, Form};
use super::shape::Shape;
use crate::interp::code::{Pc, Slot};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use std::mem::offset_of;

/// A block that leaves vector code, to be made when the present one is.
#[derive(Debug)]
pub(in super::super) enum Parting {
    /// All items are before an instruction.
    Apart {
        block: Block,
        pc: Pc,
        known: Known,
        left: Value,
        /// Steps of the block that have not been taken, by each.
        rest: u64,
    },
    /// Each goes its way: behind a branch, by the bits of a mask.
    Ways(Parted),
    /// All go through the region behind a branch.
    Masks(Parted),
}

impl Translator<'_> {
    /// Leaves vector code before the present instruction unless something holds.
    pub(super) fn leave_unless(&mut self, holds: Value) {
        let (apart, then) = (self.apart(), self.new_block(false));
        self.b.ins().brif(holds, then, &[], apart, &[]);
        self.go_on(then);
    }

    /// The block that leaves all items before the present instruction, for the stepper.
    pub(in super::super) fn apart(&mut self) -> Block {
        if let Some((pc, block)) = self.apart
            && pc == self.pc
        {
            return block;
        }
        let block = self.new_block(true);
        self.apart = Some((self.pc, block));
        let own = u64::from(flow::takes_step(&self.kernel.code[self.pc as usize]));
        let rest = self.after + own;
        // What the instruction has done so far is to look at slots, unless it has said before how they were.
        let known = self.before.clone().unwrap_or_else(|| self.known());
        self.partings.push(Parting::Apart {
            block,
            pc: self.pc,
            known,
            left: self.left,
            rest,
        });
        block
    }

    /// Ends a block that leaves vector code: the slots are stored, and the exit's number is known.
    pub(super) fn leave_vector(&mut self, exit: usize, (pc, fuel): (u32, Value), left: Left) {
        let exit = self.number(exit as u64);
        let stops = self.b.use_var(self.at.stops);
        self.note_origin();
        self.call(helper!(part), &[self.context, exit, stops]);
        let pc = self.number(pc.into());
        let left = self.number(left as u64);
        self.b
            .ins()
            .jump(self.leave, &[pc.into(), fuel.into(), left.into()]);
    }

    /// What is stored of a slot where vectors are left, and how.
    fn form(&mut self, slot: Slot) -> Form {
        Form {
            slot,
            even: match self.lanes.shape(slot) {
                Shape::Even(by) => Some(by),
                Shape::Any => None,
            },
            narrow: self.lanes_narrow(slot),
        }
    }

    /// Whether a slot was written in a block of a region, and those who do not run it may need what was there before.
    fn keeps(&self, slot: Slot) -> bool {
        let kept = self.masked.as_ref().map(|masked| &masked.kept);
        kept.is_some_and(|kept| kept.contains(slot as usize)) && self.lanes.is_written(slot)
    }

    /// For who calls a helper that gives each item its slots: where they are.
    pub(super) fn note_origin(&mut self) {
        self.note(offset_of!(Context, origin), 0, self.origin);
    }

    /// The address of a slot where those of all lanes are stored together, from slot 0 of the first one on.
    pub(super) fn together(slot: usize) -> i32 {
        (slot * LANES * 8) as i32
    }

    /// Stores slots together; the number of the exit that says how.
    pub(super) fn store_together(&mut self, slots: &[usize], ways: [u32; 2]) -> usize {
        let mut forms = Vec::new();
        for &slot in slots {
            let mut form = self.form(slot as Slot);
            let flags = MemFlagsData::trusted();
            let at = Translator::together(slot);
            let lanes = match form.even {
                _ if self.keeps(form.slot) => {
                    let (lanes, narrow) = self.kept_lanes(slot);
                    form = Form {
                        even: None,
                        narrow,
                        ..form
                    };
                    lanes
                }
                Some(_) => vec![self.values.wide(&mut self.b, form.slot)],
                None => {
                    let ty = self.form_of(form.slot);
                    self.typed_lanes(form.slot, ty)
                }
            };
            for (n, value) in lanes.into_iter().enumerate() {
                let at = at + 16 * n as i32;
                self.b.ins().store(flags, value, self.origin, at);
            }
            forms.push(form);
        }
        self.exits.push(Exit { forms, ways });
        self.exits.len() - 1
    }

    /// How the slots are stored that a block needs when it begins.
    pub(super) fn forms_at(&mut self, n: usize) -> Vec<Form> {
        let needed = self.needed;
        let of = |slot: usize| Form {
            slot: slot as Slot,
            even: match self.lanes.start(n, slot) {
                Shape::Even(by) => Some(by),
                Shape::Any => None,
            },
            narrow: self.values.type_of(slot).bits() == 32,
        };
        needed[n].iter().map(of).collect()
    }

    /// For the entries, in their order: how slots are stored where vectors are taken up.
    pub(in super::super) fn entry_forms(&mut self) -> Vec<Exit> {
        let flow = self.flow;
        let entries = (0..flow.blocks.len()).filter(|&n| flow.blocks[n].entry);
        entries
            .map(|n| Exit {
                forms: self.forms_at(n),
                ways: [0; 2],
            })
            .collect()
    }

    /// Makes a block that leaves vector code.
    pub(super) fn part(&mut self, n: usize, parting: Parting) {
        match parting {
            Parting::Apart {
                block,
                pc,
                known,
                left,
                rest,
            } => {
                self.b.switch_to_block(block);
                self.know(&known);
                let slots = self.needed_before(n, pc);
                let rest = self.steps_of_all(rest);
                let fuel = self.b.ins().iadd(left, rest);
                if self.masked.is_some() {
                    return self.spread(&slots, (pc, fuel), Left::Spread);
                }
                let exit = self.store_together(&slots, [0; 2]);
                self.leave_vector(exit, (pc, fuel), Left::Apart);
            }
            Parting::Masks(parted) => {
                let Some(region) = self.region(n) else {
                    unreachable!("only who knows it goes there");
                };
                self.enter_region(region, parted);
            }
            Parting::Ways(Parted {
                block,
                known,
                left,
                bits,
                to,
            }) => {
                self.b.switch_to_block(block);
                self.know(&known);
                let [yes, no] = to.map(|to| &self.needed[to]);
                let slots: Vec<usize> = (0..self.kernel.frame)
                    .filter(|&slot| yes.contains(slot) || no.contains(slot))
                    .collect();
                let ways = to.map(|to| self.entry_number(to));
                let exit = self.store_together(&slots, ways);
                let exit = self.number(exit as u64);
                let stops = self.b.use_var(self.at.stops);
                self.note_origin();
                let arguments = [self.context, exit, stops, bits];
                self.call(helper!(part_ways), &arguments);
                let item = self.b.use_var(self.at.item);
                let last = self.b.ins().iadd_imm_s(item, LANES as i64 - 1);
                self.b.def_var(self.at.scalar_to, last);
                self.note(offset_of!(Context, parted_to), 0, last);
                self.b.def_var(self.fuel, left);
                let flags = MemFlagsData::trusted();
                let number = self.b.ins().load(types::I64, flags, stops, 0);
                self.b.def_var(self.at.number, number);
                self.b.ins().jump(self.head, &[]);
            }
        }
    }

    /// The number by which a block is entered.
    fn entry_number(&self, block: usize) -> u32 {
        let before = self.flow.blocks[..block].iter().filter(|b| b.entry);
        before.count() as u32 + 1
    }

    /// The slots that are needed from an instruction of a block on.
    fn needed_before(&self, n: usize, pc: Pc) -> Vec<usize> {
        let block = &self.flow.blocks[n];
        let mut all = SlotSet::new(self.kernel.frame);
        for &next in &block.next {
            for slot in self.needed[next].iter() {
                all.insert(slot);
            }
        }
        for ins in self.kernel.code[pc as usize..block.end as usize]
            .iter()
            .rev()
        {
            for role in [Role::Written, Role::Read] {
                operands::slots(self.kernel, ins, |r, first, count| {
                    if r == role && first >= 0 {
                        for slot in first as usize..first as usize + usize::from(count) {
                            match role {
                                Role::Written => all.remove(slot),
                                Role::Read => all.insert(slot),
                            }
                        }
                    }
                });
            }
        }
        all.iter().collect()
    }
}
