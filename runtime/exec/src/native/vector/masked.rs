//! Regions in which the items of a vector have parted: each block runs for those that have come to it, by a mask.
//!
//! For each place in the order of a [region](super::region)'s blocks there is a set of items that wait there, as bits.
//! The code goes through the places in their order; where items wait, they are taken, the block runs, and they wait where
//! it has led each. Behind the last block of a loop it begins anew while anybody waits at its start. After the last
//! place all wait where all meet, and go on together.
//!
//! A block computes for all lanes what traps for none. What it writes goes to the lanes that run it alone, where a lane
//! that does not may need what it has: slots that blocks of the region write are lanes from the branch on until all have
//! met. Accesses are made for these lanes alone ([`sparse`](super::sparse)), and steps are counted for them.
//!
//! Where the items are left within a region, each stands where it waits, and goes on one by one.

use super::super::context::Left;
use super::super::flow;
use super::super::operands::SlotSet;
use super::super::translate::{Translator, helper};
use super::lanes::Known;
use super::parting::Parting;
use super::region::{self, JOIN, Region, places};
use super::shape::{Shape, reads_same};
use super::{LANES, MASKED_PLACE, NARROW, VECTOR_PLACE, WIDE};
use crate::interp::code::{Ins, Pc, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;

/// All lanes, as bits.
const ALL: i64 = (1 << LANES) - 1;

/// Items up to which those that go to a loop do so one by one, where the others do not go to one.
const FEW: i64 = 2;

/// Items of a vector have parted at a branch that a region follows, by the bits of a mask.
#[derive(Debug)]
pub(in super::super) struct Parted {
    pub(super) block: Block,
    pub(super) known: Known,
    pub(super) left: Value,
    pub(super) bits: Value,
    /// Blocks where a bit is set, and where it is not.
    pub(super) to: [usize; 2],
}

/// A region whose code is still to be made.
#[derive(Debug)]
pub(in super::super) struct Task<'a> {
    region: &'a Region,
    /// Where its code begins.
    begin: Block,
    /// By place: who waits there.
    waiting: Vec<Variable>,
    /// By slot: its shape behind the branch until all have met, and whether its numbers are plain.
    slots: Vec<(Shape, bool)>,
}

/// Who runs the block of a region whose code is being made.
#[derive(Clone, Debug)]
pub(in super::super) struct Masked {
    /// Those who do, as bits.
    pub(super) bits: Value,
    /// The same as masks of lanes.
    pub(super) narrow: [Value; NARROW],
    pub(super) wide: [Value; WIDE],
    /// Who waits before an instruction meanwhile.
    others: Vec<(Variable, Pc)>,
    /// Before which instruction all others are.
    join: Pc,
    /// Slots that those who do not run it may need.
    pub(super) kept: SlotSet,
}

impl<'a> Translator<'a> {
    /// The region of the branch that ends a block, if it has one.
    pub(super) fn region(&self, branch: usize) -> Option<&'a Region> {
        self.shapes.and_then(|shapes| shapes.region(branch))
    }

    /// Slots that are needed at some of the places of a region.
    fn needed_at(&self, region: &Region, at: region::Places) -> SlotSet {
        let mut all = SlotSet::new(self.kernel.frame);
        for place in places(at) {
            let block = match place {
                JOIN => region.join,
                _ => Some(region.blocks[place]),
            };
            if let Some(block) = block {
                self.needed[block].iter().for_each(|slot| all.insert(slot));
            }
        }
        all
    }

    /// Enters the region of the branch that ends a block.
    pub(super) fn enter_region(&mut self, region: &'a Region, parted: Parted) {
        let Parted {
            block,
            known,
            left,
            bits,
            to,
        } = parted;
        self.b.switch_to_block(block);
        let others = self.b.ins().bxor_imm_s(bits, ALL);
        let loops = to.map(|to| region.looping & 1 << region.place(to) & !(1 << JOIN) != 0);
        if loops[0] != loops[1] {
            let through = if loops[0] { bits } else { others };
            let count = self.b.ins().popcnt(through);
            let cc = IntCC::UnsignedLessThanOrEqual;
            let is_few = self.b.ins().icmp_imm_u(cc, count, FEW);
            let (few, many) = (self.new_block(true), self.new_block(false));
            self.b.ins().brif(is_few, few, &[], many, &[]);
            self.partings.push(Parting::Ways(Parted {
                block: few,
                known: known.clone(),
                left,
                bits,
                to,
            }));
            self.go_on(many);
        }
        self.know(&known);
        let slots: Vec<(Shape, bool)> = (0..self.kernel.frame)
            .map(|slot| match region.written.contains(slot) {
                true => (Shape::Any, false),
                false => (
                    self.lanes.shape(slot as Slot),
                    self.lanes.is_plain(slot as Slot),
                ),
            })
            .collect();
        let everywhere = (0..region.blocks.len()).fold(1 << JOIN, |set, place| set | 1 << place);
        let needed = self.needed_at(region, everywhere);
        let wanted: Vec<_> = needed.iter().map(|slot| (slot, slots[slot].0)).collect();
        self.bring(&wanted);
        let waiting: Vec<Variable> = (region.blocks.iter())
            .map(|_| self.b.declare_var(types::I64))
            .collect();
        let zero = self.number(0);
        for &variable in &waiting {
            self.b.def_var(variable, zero);
        }
        for (to, bits) in to.into_iter().zip([bits, others]) {
            wait(self, (region, &waiting), to, bits);
        }
        let begin = self.new_block(false);
        self.b.ins().jump(begin, &[]);
        self.tasks.push(Task {
            region,
            begin,
            waiting,
            slots,
        });
    }

    /// The code of all regions.
    pub(super) fn regions(&mut self) {
        for task in std::mem::take(&mut self.tasks) {
            let Task {
                region,
                begin,
                waiting,
                slots,
            } = task;
            self.lanes.apart = Some(slots);
            let mut door = begin;
            let doors: Vec<Block> = (1..region.blocks.len())
                .map(|_| self.b.create_block())
                .collect();
            let doors: Vec<Block> = std::iter::once(begin).chain(doors).collect();
            for at in 0..region.blocks.len() {
                door = doors[at];
                self.b.switch_to_block(door);
                let bits = self.b.use_var(waiting[at]);
                let (run, behind) = (self.new_block(false), self.new_block(false));
                self.b.ins().brif(bits, run, &[], behind, &[]);
                self.go_on(run);
                self.masked_block((region, &waiting), at, bits, behind);
                self.b.switch_to_block(behind);
                for &again in &region.again[at] {
                    let bits = self.b.use_var(waiting[again]);
                    let on = self.new_block(false);
                    self.b.ins().brif(bits, doors[again], &[], on, &[]);
                    self.go_on(on);
                }
                if let Some(&next) = doors.get(at + 1) {
                    self.b.ins().jump(next, &[]);
                }
            }
            if region.blocks.is_empty() {
                self.b.switch_to_block(door);
            }
            self.leave_region(region);
            self.lanes.apart = None;
        }
    }

    /// All items of a region have met.
    fn leave_region(&mut self, region: &Region) {
        self.values.clear();
        let Some(join) = region.join else {
            let pc = region.end(self.kernel, self.flow);
            self.left = self.b.use_var(self.fuel);
            return self.vector_stop(pc + 1, u64::from(pc) + 1, Left::End);
        };
        self.lanes.clear(join);
        let needed = self.needed;
        let start = |slot| (slot, self.lanes.start(join, slot));
        let wanted: Vec<_> = needed[join].iter().map(start).collect();
        self.bring(&wanted);
        self.b.ins().jump(self.vector_blocks[join], &[]);
    }

    /// A block of a region, for those who have waited for it; behind it the code goes on in another one.
    fn masked_block(
        &mut self,
        (region, waiting): (&Region, &[Variable]),
        at: usize,
        bits: Value,
        behind: Block,
    ) {
        let flow = self.flow;
        let n = region.blocks[at];
        let block = &flow.blocks[n];
        self.values.clear();
        self.lanes.clear(n);
        self.apart = None;
        let zero = self.number(0);
        self.b.def_var(waiting[at], zero);
        let others = places(region.others[at] & !(1 << JOIN));
        self.masked = Some(Masked {
            bits,
            narrow: self.narrow_mask(bits),
            wide: self.wide_mask(bits),
            others: others
                .map(|place| (waiting[place], flow.blocks[region.blocks[place]].first))
                .collect(),
            join: match region.join {
                Some(join) => flow.blocks[join].first,
                None => region.end(self.kernel, flow),
            },
            kept: self.needed_at(region, region.others[at]),
        });
        self.masked_spend(n, bits);
        self.after = block.steps;
        self.end = block.end;
        for pc in block.first..block.end {
            self.pc = pc;
            let place = pc | VECTOR_PLACE | MASKED_PLACE;
            self.b
                .set_srcloc(cranelift_codegen::ir::SourceLoc::new(place));
            let ins = &self.kernel.code[pc as usize];
            self.after -= u64::from(flow::takes_step(ins));
            self.before = None;
            if pc + 1 == block.end {
                self.masked_last((region, waiting), n, ins, behind);
            } else {
                self.vector_instruction(ins);
            }
        }
        while let Some(parting) = self.partings.pop() {
            self.part(n, parting);
        }
        self.masked = None;
    }

    /// Takes the steps of a block for those who run it, or leaves before it.
    fn masked_spend(&mut self, n: usize, bits: Value) {
        let block = &self.flow.blocks[n];
        let fuel = self.b.use_var(self.fuel);
        self.left = fuel;
        if block.steps == 0 {
            return;
        }
        let count = self.b.ins().popcnt(bits);
        let steps = self.b.ins().imul_imm_s(count, block.steps as i64);
        let (short, enough) = (self.new_block(true), self.new_block(false));
        let is_short = self.b.ins().icmp(IntCC::UnsignedLessThan, fuel, steps);
        self.b.ins().brif(is_short, short, &[], enough, &[]);
        self.go_on(short);
        let needed = self.needed;
        let slots: Vec<usize> = needed[n].iter().collect();
        self.spread(&slots, (block.first, fuel), Left::ShortSpread);
        self.values.clear();
        self.lanes.clear(n);
        self.go_on(enough);
        self.left = self.b.ins().isub(fuel, steps);
        self.b.def_var(self.fuel, self.left);
    }

    /// Ends a block that leaves a region: those who run the present block are before an instruction and need some slots,
    /// the others where they wait.
    pub(super) fn spread(&mut self, slots: &[usize], (pc, fuel): (Pc, Value), left: Left) {
        let Some(masked) = self.masked.clone() else {
            unreachable!("there is a region");
        };
        let mut all = masked.kept.clone();
        slots.iter().for_each(|&slot| all.insert(slot));
        let all: Vec<usize> = all.iter().collect();
        let exit = self.store_together(&all, [0; 2]);
        let exit = self.number(exit as u64);
        let stops = self.b.use_var(self.at.stops);
        self.note_origin();
        self.call(helper!(part), &[self.context, exit, stops]);
        let everyone = self.number(ALL as u64);
        let stand = |t: &mut Self, bits, pc: Pc| {
            let pc = t.number(pc.into());
            t.call(helper!(stand), &[stops, bits, pc]);
        };
        stand(self, everyone, masked.join);
        for (waiting, pc) in masked.others {
            let bits = self.b.use_var(waiting);
            stand(self, bits, pc);
        }
        stand(self, masked.bits, pc);
        let pc = self.number(pc.into());
        let left = self.number(left as u64);
        let leaving = [pc.into(), fuel.into(), left.into()];
        self.b.ins().jump(self.leave, &leaving);
    }

    /// Steps of the present block that have not been taken: so many by each who runs it.
    pub(super) fn steps_of_all(&mut self, each: u64) -> Value {
        match &self.masked {
            Some(masked) => {
                let count = self.b.ins().popcnt(masked.bits);
                self.b.ins().imul_imm_s(count, each as i64)
            }
            None => self.number(each * LANES as u64),
        }
    }

    /// The last instruction of a block of a region.
    fn masked_last(&mut self, around: (&Region, &[Variable]), n: usize, ins: &Ins, behind: Block) {
        let flow = self.flow;
        let block = &flow.blocks[n];
        let Some(bits) = self.masked.as_ref().map(|masked| masked.bits) else {
            unreachable!("there is a region");
        };
        let same = {
            let lanes = &self.lanes;
            reads_same(self.kernel, ins, |slot| lanes.shape(slot))
        };
        match *ins {
            Ins::Trap { .. } => return self.leave(Left::Trap),
            Ins::End => {}
            Ins::Jump { to } | Ins::JumpBack { to } => {
                self.masked_settle(n);
                wait(self, around, flow.at(to), bits);
            }
            Ins::Switch { a, table } => {
                let kernel = self.kernel;
                let table = &kernel.switches[usize::from(table)];
                let lanes = self.wide_lanes(a);
                self.masked_settle(n);
                let mut rest = bits;
                for &(case, to) in &table.cases {
                    let case = self.number(case);
                    let case = self.b.ins().splat(types::I64X2, case);
                    let is_it = lanes.map(|x| self.b.ins().icmp(IntCC::Equal, x, case));
                    let mask = self.mask_of(&is_it);
                    let found = self.lane_bits(mask);
                    let go = self.b.ins().band(found, rest);
                    rest = self.b.ins().band_not(rest, found);
                    wait(self, around, flow.at(to), go);
                }
                wait(self, around, flow.at(table.default), rest);
            }
            _ => match flow::jump(ins) {
                Some((to, true)) => {
                    let go = match same.then(|| self.condition(ins)).flatten() {
                        Some(condition) => {
                            let none = self.number(0);
                            self.b.ins().select(condition, bits, none)
                        }
                        None => {
                            let mask = self.condition_lanes(ins);
                            let holds = self.lane_bits(mask);
                            self.b.ins().band(holds, bits)
                        }
                    };
                    self.masked_settle(n);
                    let stay = self.b.ins().bxor(bits, go);
                    let [yes, no] = self.both_ways(ins, to, block.end);
                    wait(self, around, yes, go);
                    wait(self, around, no, stay);
                }
                _ => {
                    self.vector_instruction(ins);
                    self.masked_settle(n);
                    wait(self, around, flow.at(block.end), bits);
                }
            },
        }
        self.b.ins().jump(behind, &[]);
    }
}

/// Lets items wait at a block, if it is one of a region; elsewhere all meet.
fn wait(
    t: &mut Translator<'_>,
    (region, waiting): (&Region, &[Variable]),
    block: usize,
    bits: Value,
) {
    if let Some(&variable) = waiting.get(region.place(block)) {
        let already = t.b.use_var(variable);
        let all = t.b.ins().bor(already, bits);
        t.b.def_var(variable, all);
    }
}
