//! Blocks of vector code, their ends, and where vectors are taken up and left.

use super::super::context::Left;
use super::super::flow;
use super::super::translate::Translator;
use super::super::values::constant_memory;
use super::lanes::lane_type;
use super::masked::Parted;
use super::parting::Parting;
use super::shape::{Shape, reads_same};
use super::{LANES, MEETS, NARROW, TOGETHER, VECTOR_PLACE};
use crate::interp::code::{Ins, Pc, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};

impl Translator<'_> {
    /// The slots that a vector begins with.
    pub(super) fn start_slots(&mut self, params: Value) {
        let needed = self.needed;
        for slot in needed[0].iter() {
            let (variable, ty) = self.values.variable(&mut self.b, slot);
            let value = match slot < self.kernel.params_end {
                true => {
                    let flags = constant_memory();
                    self.b.ins().load(ty, flags, params, 8 * slot as i32)
                }
                false => self.zero(ty),
            };
            if self.lanes.start(0, slot) == Shape::Any {
                // The kernel begins with a loop.
                let (variables, _) = self.lane_variables(slot);
                let value = self.b.ins().splat(lane_type(ty).0, value);
                for variable in variables {
                    self.b.def_var(variable, value);
                }
            } else {
                self.b.def_var(variable, value);
            }
        }
    }

    /// Loads what a block needs of slots that are stored together.
    pub(super) fn take_up(&mut self, n: usize) {
        let needed = self.needed;
        let flags = MemFlagsData::trusted();
        for slot in needed[n].iter() {
            let at = Translator::together(slot);
            if self.lanes.start(n, slot) == Shape::Any {
                let (variables, ty) = self.lane_variables(slot);
                for (register, variable) in variables.into_iter().enumerate() {
                    let at = at + 16 * register as i32;
                    let ty = lane_type(ty).0;
                    let value = self.b.ins().load(ty, flags, self.origin, at);
                    self.b.def_var(variable, value);
                }
            } else {
                let (variable, ty) = self.values.variable(&mut self.b, slot);
                let value = self.b.ins().load(ty, flags, self.origin, at);
                self.b.def_var(variable, value);
            }
        }
    }

    pub(super) fn vector_block(&mut self, n: usize) {
        let flow = self.flow;
        let block = &flow.blocks[n];
        self.b.switch_to_block(self.vector_blocks[n]);
        self.values.clear();
        self.lanes.clear(n);
        self.apart = None;
        self.vector_spend(n);
        self.after = block.steps;
        self.end = block.end;
        for pc in block.first..block.end {
            self.pc = pc;
            self.b.set_srcloc(ir::SourceLoc::new(pc | VECTOR_PLACE));
            let ins = &self.kernel.code[pc as usize];
            self.after -= u64::from(flow::takes_step(ins));
            self.before = None;
            if pc + 1 == block.end {
                // It may be left after the instruction has changed slots.
                self.before = Some(self.known());
                self.vector_last(n, ins);
            } else {
                self.vector_instruction(ins);
            }
        }
        while let Some(parting) = self.partings.pop() {
            self.part(n, parting);
        }
    }

    /// Takes the steps of a block for all lanes, or leaves before it.
    fn vector_spend(&mut self, n: usize) {
        let block = &self.flow.blocks[n];
        let fuel = self.b.use_var(self.fuel);
        self.left = fuel;
        let of_lanes = |steps: u64| (steps * LANES as u64) as i64;
        let steps = of_lanes(block.steps);
        let checked = of_lanes(block.steps + block.ahead);
        if checked == 0 {
            return;
        }
        if block.covered {
            return self.take_steps(steps);
        }
        let first = block.first;
        let (short, enough) = (self.new_block(true), self.new_block(false));
        let is_short = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedLessThan, fuel, checked);
        self.b.ins().brif(is_short, short, &[], enough, &[]);
        self.go_on(short);
        let slots: Vec<usize> = self.needed[n].iter().collect();
        let exit = self.store_together(&slots, [0; 2]);
        self.leave_vector(exit, (first, fuel), Left::Short);
        self.values.clear();
        self.lanes.clear(n);
        self.go_on(enough);
        self.take_steps(steps);
    }

    fn take_steps(&mut self, steps: i64) {
        self.left = self.b.ins().iadd_imm_s(self.left, -steps);
        self.b.def_var(self.fuel, self.left);
    }

    /// The last instruction of a block.
    fn vector_last(&mut self, n: usize, ins: &Ins) {
        let block = &self.flow.blocks[n];
        let same = {
            let lanes = &self.lanes;
            reads_same(self.kernel, ins, |slot| lanes.shape(slot))
        };
        match ins {
            Ins::Barrier { .. } | Ins::Collective { .. } => self.vector_wait(block.end, ins),
            Ins::Switch { .. } | Ins::Return { .. } if !same => {
                let apart = self.apart();
                self.b.ins().jump(apart, &[]);
            }
            _ if flow::jump(ins).is_some_and(|(_, falls)| falls) && !same => self.ways(n, ins),
            _ => self.last(n, block, ins),
        }
    }

    /// A branch on which the items may differ.
    fn ways(&mut self, n: usize, ins: &Ins) {
        let block = &self.flow.blocks[n];
        self.vector_settle(n, None);
        let Some((to, _)) = flow::jump(ins) else {
            unreachable!("a jump")
        };
        let [yes, no] = self.both_ways(ins, to, block.end);
        let is_rare = self.region(n).is_none();
        let (some, apart) = (self.new_block(false), self.new_block(is_rare));
        let [into_yes, into_no] = [yes, no].map(|to| self.vector_blocks[to]);
        let bits = match self.ends_tell(ins) {
            Some([all, any]) => {
                let mixed = self.new_block(is_rare);
                self.b.ins().brif(all, into_yes, &[], some, &[]);
                self.go_on(some);
                self.b.ins().brif(any, mixed, &[], into_no, &[]);
                self.go_on(mixed);
                let mask = self.condition_lanes(ins);
                let bits = self.lane_bits(mask);
                self.b.ins().jump(apart, &[]);
                bits
            }
            None => {
                let mask = self.condition_lanes(ins);
                let bits = self.lane_bits(mask);
                let all = i64::from((1u32 << LANES) - 1);
                let is_all = self.b.ins().icmp_imm_u(IntCC::Equal, bits, all);
                self.b.ins().brif(is_all, into_yes, &[], some, &[]);
                self.go_on(some);
                self.b.ins().brif(bits, apart, &[], into_no, &[]);
                bits
            }
        };
        let parted = Parted {
            block: apart,
            known: self.known(),
            left: self.left,
            bits,
            to: [yes, no],
        };
        self.partings.push(match self.region(n) {
            Some(_) => Parting::Masks(parted),
            None => Parting::Ways(parted),
        });
    }

    /// The blocks that a branch leads to where its condition holds, and where it does not.
    pub(super) fn both_ways(&self, ins: &Ins, to: Pc, behind: Pc) -> [usize; 2] {
        let (to, behind) = (self.flow.at(to), self.flow.at(behind));
        match ins {
            Ins::JumpIfNot { .. } => [behind, to],
            _ => [to, behind],
        }
    }

    /// Leaves for a barrier or a collective function.
    fn vector_wait(&mut self, end: Pc, ins: &Ins) {
        let behind = self.flow.at(end);
        let mut slots: Vec<usize> = self.needed[behind].iter().collect();
        let meeting = match *ins {
            Ins::Collective { meeting, .. } => Some(&self.kernel.meetings[usize::from(meeting)]),
            _ => None,
        };
        slots.retain(|&slot| meeting.is_none_or(|meeting| slot != meeting.result as usize));
        // They are stored as they are taken up.
        self.vector_settle(self.lanes.block, meeting.map(|meeting| meeting.result));
        let flags = MemFlagsData::trusted();
        for &slot in &slots {
            let at = Translator::together(slot);
            if self.lanes.start(behind, slot) == Shape::Any {
                let (variables, _) = self.lane_variables(slot);
                for (register, variable) in variables.into_iter().enumerate() {
                    let value = self.b.use_var(variable);
                    let at = at + 16 * register as i32;
                    self.b.ins().store(flags, value, self.origin, at);
                }
            } else {
                let (variable, _) = self.values.variable(&mut self.b, slot);
                let value = self.b.use_var(variable);
                self.b.ins().store(flags, value, self.origin, at);
            }
        }
        let mut stop = u64::from(end) | TOGETHER;
        if let Some(meeting) = meeting {
            // What the function computes with comes on top.
            let mut read: Vec<usize> = meeting
                .from
                .iter()
                .chain([&meeting.value])
                .filter_map(|&slot| usize::try_from(slot).ok())
                .filter(|slot| !slots.contains(slot))
                .collect();
            read.sort_unstable();
            read.dedup();
            let exit = self.store_together(&read, [0; 2]);
            let taken_up = self.forms_at(behind);
            let kept = taken_up
                .into_iter()
                .filter(|form| form.slot != meeting.result);
            self.exits[exit].forms.extend(kept);
            self.meets.insert(end, exit);
            stop |= MEETS;
        }
        self.vector_stop(end, stop, Left::Barrier);
    }

    /// All items end or wait before a place; what is noted as their stop: where their slots are stored together, as that
    /// of the first one alone.
    pub(super) fn vector_stop(&mut self, pc: Pc, stop: u64, left: Left) {
        let pc = self.number(pc.into());
        let stops = self.b.use_var(self.at.stops);
        let flags = MemFlagsData::trusted();
        let is_together = stop & TOGETHER != 0;
        let stop = self.number(stop);
        if is_together {
            self.b.ins().store(flags, stop, stops, 0);
        } else {
            let noted = self.b.ins().splat(types::I64X2, stop);
            for n in 0..LANES / 2 {
                self.b.ins().store(flags, noted, stops, 16 * n as i32);
            }
        }
        let fuel = self.left;
        let left = self.number(left as u64);
        let arguments = [pc.into(), fuel.into(), left.into(), stop.into()];
        self.b.ins().jump(self.around.ended, &arguments);
    }

    /// All items end here.
    pub(in super::super) fn vector_end(&mut self, left: Left) {
        self.vector_stop(self.pc + 1, u64::from(self.pc) + 1, left);
    }

    /// What a block leads to needs the values that it has, in its own shapes; but for one that it gets otherwise.
    pub(in super::super) fn vector_settle(&mut self, n: usize, but_for: Option<Slot>) {
        let (flow, needed) = (self.flow, self.needed);
        let mut slots = Vec::new();
        for &next in &flow.blocks[n].next {
            let wanted = needed[next]
                .iter()
                .filter(|&slot| but_for != Some(slot as Slot));
            slots.extend(wanted.map(|slot| (slot, self.lanes.start(next, slot))));
        }
        self.bring(&slots);
    }

    /// Brings slots into the shapes that code behind wants them in.
    pub(super) fn bring(&mut self, slots: &[(usize, Shape)]) {
        let mut scalars = Vec::new();
        let mut registers = Vec::new();
        for &(slot, wanted) in slots {
            let name = slot as Slot;
            let is_written = self.lanes.is_written(name);
            if wanted == Shape::Any {
                if is_written || self.lanes.shape(name) != Shape::Any {
                    let (variables, ty) = self.lane_variables(slot);
                    registers.extend(variables.into_iter().zip(self.typed_lanes(name, ty)));
                }
            } else if is_written {
                if self.values.type_of(slot).bits() == 64 {
                    self.straight_wide(name);
                }
                scalars.push(slot);
            }
        }
        for slot in scalars {
            self.values.settle_one(&mut self.b, slot);
        }
        for (variable, value) in registers {
            self.b.def_var(variable, value);
        }
    }

    /// A bit for each lane of a mask.
    pub(super) fn lane_bits(&mut self, mask: [Value; NARROW]) -> Value {
        let halves: Vec<Value> = mask
            .chunks(2)
            .map(|two| self.b.ins().snarrow(two[0], two[1]))
            .collect();
        let narrowed = match *halves {
            [halves] => halves,
            [low, high] => self.b.ins().snarrow(low, high),
            _ => unreachable!("a vector has eight or sixteen lanes"),
        };
        let bits = self.b.ins().vhigh_bits(types::I32, narrowed);
        self.b.ins().uextend(types::I64, bits)
    }

    /// A mask from registers of comparisons of 32 bits or of 64.
    pub(super) fn mask_of(&mut self, masks: &[Value]) -> [Value; NARROW] {
        std::array::from_fn(|n| match masks.len() {
            NARROW => masks[n],
            _ => self.low_halves(masks[2 * n], masks[2 * n + 1]),
        })
    }
}
