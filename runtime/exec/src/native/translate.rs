//! From the bytecode of a kernel to a function of Cranelift's.
//!
//! The function has the contract of the stepper: it takes an item up at an entry, runs it, and leaves when
//! the item ends, waits, traps, or has no steps left for the next block; but it may be asked to run the items
//! that follow in the same way first ([`items`](super::items)). Slots are values in
//! registers meanwhile. Where an item is taken up, the slots that are needed from there on are
//! loaded; where it is left, they are stored, so that the stepper can go on with it.
//!
//! # What the compiler may do with accesses
//!
//! Accesses to the memory of kernels are made one by one and in the order of the program, each by one
//! instruction, as in the stepper; in [vector](super::vector) code one instruction may be those of several items. Cranelift's alias analysis would make one of two loads, let a load have the
//! value of a store before it, and drop a store of what is there: so before each access stands a point of
//! the sequence (Cranelift's `sequence_point`), over which it carries nothing and moves no access.
//! Such a point is no instruction of the processor. Accesses may trap, so that none is dropped
//! for want of a use. What Cranelift does is make a load an operand of the instruction that uses
//! it, where no other access lies between.

use super::context::{Context, Left};
use super::flow::{Block, Flow};
use super::helpers::Helpers;
use super::items::At;
use super::operands::SlotSet;
use super::values::{Values, constant_memory};
use super::vector::{Around, Exit, Known, Lanes, Masked, Parting, Refusal, Shapes, Task};
use crate::interp::code::{Ins, Kernel, Pc, Slot};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, Function, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch, Variable};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// A kernel on its way.
pub(super) struct Translator<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) flow: &'a Flow,
    /// By block: the slots that are needed from its start on.
    pub(super) needed: &'a [SlotSet],
    pub(super) b: FunctionBuilder<'a>,
    pub(super) values: Values<'a>,
    /// Of vector code: what is the same for all lanes, and the first lane of what grows evenly.
    pub(super) vector_values: Values<'a>,
    pub(super) lanes: Lanes<'a>,
    /// What all lanes have at the start of each block, and where their ways part; None where there are no vectors.
    pub(super) shapes: Option<&'a Shapes>,
    /// Who runs the present block, where it is one of a region of vector code.
    pub(super) masked: Option<Masked>,
    /// Regions whose code is still to be made.
    pub(super) tasks: Vec<Task<'a>>,
    /// Places in the frame for the values of all lanes.
    pub(super) rooms: Vec<ir::StackSlot>,
    /// The kernel has vector code, and it is what is being translated.
    pub(super) has_vectors: bool,
    pub(super) in_vector: bool,
    pub(super) around: Around,
    /// By number of our blocks: those of vector code.
    pub(super) vector_blocks: Vec<ir::Block>,
    /// Where scalar code takes an item up.
    pub(super) head: ir::Block,
    /// What was known before the present instruction of vector code, where that has changed it since.
    pub(super) before: Option<Known>,
    /// Where vector code leaves before the present instruction.
    pub(super) apart: Option<(Pc, ir::Block)>,
    /// Blocks that leave vector code and are still to be made.
    pub(super) partings: Vec<Parting>,
    pub(super) exits: Vec<Exit>,
    /// By place behind a collective function: the exit that says how what vectors wait with is stored.
    pub(super) meets: BTreeMap<Pc, usize>,
    /// By instruction of vector code: for which lane an access of it is refused.
    pub(super) refusals: BTreeMap<Pc, Refusal>,
    /// With the bounds checker.
    pub(super) checked: bool,
    pub(super) context: Value,
    pub(super) windows: Value,
    /// The address of the values of slots below 0 that are the same for all items of a group.
    pub(super) fills: Value,
    pub(super) origin: Value,
    pub(super) at: At,
    /// Steps left at the start of a block.
    pub(super) fuel: Variable,
    /// By number of our blocks.
    blocks: Vec<ir::Block>,
    /// Takes pc, steps left and how the code is left.
    pub(super) leave: ir::Block,
    /// The same, where an item has ended or waits.
    pub(super) ended: ir::Block,
    /// By how many registers a helper takes.
    signatures: [Option<SigRef>; 6],
    /// The same of those that keep all registers.
    careful: [Option<SigRef>; 6],
    /// The instruction that is translated.
    pub(super) pc: Pc,
    /// One past the last instruction of its block.
    pub(super) end: Pc,
    /// Steps of the block that come after it.
    pub(super) after: u64,
    /// Steps left at the end of the present block.
    pub(super) left: Value,
}

/// A kernel as a function of Cranelift's.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) function: Function,
    /// Where its vector code is left, by number.
    pub(super) exits: Vec<Exit>,
    /// How vectors are taken up, by number of the entry from 1 on; none where there are no vectors.
    pub(super) entries: Vec<Exit>,
    /// By place behind a collective function: the exit that says how what vectors wait with is stored.
    pub(super) meets: BTreeMap<Pc, usize>,
    pub(super) refusals: BTreeMap<Pc, Refusal>,
}

/// Translates a kernel; none where that takes more than so many instructions with code that runs items at once. Items
/// are taken up at entry 0, where they begin, or at entry n + 1, the n-th block that is an entry.
pub(super) fn translate(
    kernel: &Kernel,
    flow: &Flow,
    needed: &[SlotSet],
    (checked, shapes, most): (bool, Option<&Shapes>, usize),
    config: TargetFrontendConfig,
) -> Option<Translated> {
    let mut signature = Signature::new(CallConv::SystemV);
    for _ in 0..3 {
        signature.params.push(AbiParam::new(types::I64));
    }
    signature.returns.push(AbiParam::new(types::I64));
    let mut function = Function::with_name_signature(ir::UserFuncName::default(), signature);
    let mut frontend = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut frontend);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let &[context, number, fuel] = b.block_params(entry) else {
        unreachable!("the signature has three");
    };
    let mut base = |offset: usize| {
        b.ins()
            .load(types::I64, constant_memory(), context, offset as i32)
    };
    let fills = base(offset_of!(Context, fills));
    let params = base(offset_of!(Context, params));
    let windows = base(offset_of!(Context, windows));
    let variable = b.declare_var(types::I64);
    b.def_var(variable, fuel);
    let blocks: Vec<ir::Block> = flow.blocks.iter().map(|_| b.create_block()).collect();
    let head = b.create_block();
    let at = At::new(&mut b);
    let [leave, ended] = std::array::from_fn(|_| {
        let block = b.create_block();
        for _ in 0..3 {
            b.append_block_param(block, types::I64);
        }
        block
    });
    b.set_cold_block(leave);
    let values = Values::new(kernel, flow, fills);
    let mut t = Translator {
        kernel,
        flow,
        needed,
        b,
        vector_values: Values::new(kernel, flow, fills),
        lanes: Lanes::new(kernel, shapes),
        shapes,
        masked: None,
        tasks: Vec::new(),
        rooms: Vec::new(),
        has_vectors: shapes.is_some(),
        in_vector: false,
        around: Around::none(head),
        vector_blocks: Vec::new(),
        head,
        before: None,
        apart: None,
        partings: Vec::new(),
        exits: Vec::new(),
        meets: BTreeMap::new(),
        refusals: BTreeMap::new(),
        values,
        checked,
        context,
        windows,
        fills,
        origin: context,
        at,
        fuel: variable,
        blocks,
        leave,
        ended,
        signatures: [None; 6],
        careful: [None; 6],
        pc: 0,
        end: 0,
        after: 0,
        left: fuel,
    };
    let mut entries = Vec::new();
    if shapes.is_some() {
        t.around = t.around();
        t.first_item(t.around.next);
        t.take_items(t.around, number, head);
        t.begin_item(head);
        let number = t.b.use_var(t.at.number);
        t.entries(number, params);
        entries = t.entry_forms();
    } else {
        t.first_item(head);
        t.begin_item(head);
        t.entries(number, params);
    }
    for n in 0..flow.blocks.len() {
        t.block(n);
    }
    t.end_item(head);
    if shapes.is_some() && !t.vectors(t.around, (number, params), most) {
        return None;
    }
    t.leave_block();
    t.b.seal_all_blocks();
    let exits = std::mem::take(&mut t.exits);
    let meets = std::mem::take(&mut t.meets);
    let refusals = std::mem::take(&mut t.refusals);
    t.b.finalize(config);
    Some(Translated {
        function,
        exits,
        entries,
        meets,
        refusals,
    })
}

impl Translator<'_> {
    /// Where items are taken up.
    fn entries(&mut self, number: Value, params: Value) {
        let start = self.b.create_block();
        let mut switch = Switch::new();
        let mut doors = Vec::new();
        for (n, _) in self.flow.blocks.iter().enumerate().filter(|(_, b)| b.entry) {
            let door = self.b.create_block();
            self.b.set_cold_block(door);
            doors.push((door, n));
            switch.set_entry(doors.len() as u128, door);
        }
        if doors.is_empty() {
            self.b.ins().jump(start, &[]);
        } else {
            switch.emit(&mut self.b, number, start);
        }
        self.b.switch_to_block(start);
        self.b.seal_block(start);
        for slot in self.needed[0].iter() {
            let (variable, ty) = self.values.variable(&mut self.b, slot);
            let value = if slot < self.kernel.params_end {
                self.b
                    .ins()
                    .load(ty, constant_memory(), params, 8 * slot as i32)
            } else {
                // What is read before it is written is an element of a vector that nobody uses.
                self.zero(ty)
            };
            self.b.def_var(variable, value);
        }
        self.b.ins().jump(self.blocks[0], &[]);
        for (door, n) in doors {
            self.b.switch_to_block(door);
            self.b.seal_block(door);
            for slot in self.needed[n].iter() {
                let (variable, ty) = self.values.variable(&mut self.b, slot);
                let flags = MemFlagsData::trusted();
                let value = self.b.ins().load(ty, flags, self.origin, 8 * slot as i32);
                self.b.def_var(variable, value);
            }
            self.b.ins().jump(self.blocks[n], &[]);
        }
    }

    pub(super) fn zero(&mut self, ty: Type) -> Value {
        match ty {
            types::F32 => self.b.ins().f32const(0.0),
            types::F64 => self.b.ins().f64const(0.0),
            _ => self.b.ins().iconst(ty, 0),
        }
    }

    pub(super) fn number(&mut self, n: u64) -> Value {
        self.b.ins().iconst(types::I64, n as i64)
    }

    /// A new block; one that is rarely run is out of the way.
    pub(super) fn new_block(&mut self, is_cold: bool) -> ir::Block {
        let block = self.b.create_block();
        if is_cold {
            self.b.set_cold_block(block);
        }
        block
    }

    /// Goes on in a block that all who lead to are known.
    pub(super) fn go_on(&mut self, block: ir::Block) {
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }

    /// Calls a helper, which is at an offset in the table.
    pub(super) fn call(&mut self, offset: usize, arguments: &[Value]) -> Value {
        let signature = *self.signatures[arguments.len()].get_or_insert_with(|| {
            let mut signature = Signature::new(CallConv::SystemV);
            signature.params = vec![AbiParam::new(types::I64); arguments.len()];
            signature.returns.push(AbiParam::new(types::I64));
            self.b.import_signature(signature)
        });
        let helper = self.helper(offset);
        let call = self.b.ins().call_indirect(signature, helper, arguments);
        self.b.inst_results(call)[0]
    }

    /// Calls a helper that keeps all registers.
    pub(super) fn call_carefully(&mut self, offset: usize, arguments: &[Value]) -> Value {
        let signature = *self.careful[arguments.len()].get_or_insert_with(|| {
            let mut signature = Signature::new(CallConv::PreserveAll);
            signature.params = vec![AbiParam::new(types::I64); arguments.len()];
            self.b.import_signature(signature)
        });
        let helper = self.helper(offset);
        self.b.ins().call_indirect(signature, helper, arguments);
        let made = offset_of!(Context, made) as i32;
        let flags = MemFlagsData::trusted();
        self.b.ins().load(types::I64, flags, self.context, made)
    }

    /// The address of a helper, which is at an offset in the table.
    fn helper(&mut self, offset: usize) -> Value {
        let table = offset_of!(Context, helpers) as i32;
        let flags = MemFlagsData::trusted();
        let table = self.b.ins().load(types::I64, flags, self.context, table);
        self.b.ins().load(types::I64, flags, table, offset as i32)
    }

    /// The value that a helper left in the context.
    pub(super) fn given(&mut self, ty: Type) -> Value {
        let offset = offset_of!(Context, value) as i32;
        self.b
            .ins()
            .load(ty, MemFlagsData::trusted(), self.context, offset)
    }

    fn block(&mut self, n: usize) {
        let flow = self.flow;
        let block = &flow.blocks[n];
        self.b.switch_to_block(self.blocks[n]);
        self.values.clear();
        self.spend(n, block);
        self.after = block.steps;
        self.end = block.end;
        for pc in block.first..block.end {
            self.pc = pc;
            self.b.set_srcloc(ir::SourceLoc::new(pc));
            let ins = &self.kernel.code[pc as usize];
            self.after -= u64::from(super::flow::takes_step(ins));
            if pc + 1 == block.end {
                self.last(n, block, ins);
            } else {
                self.instruction(ins);
            }
        }
    }

    /// Takes the steps of a block, or leaves before it.
    fn spend(&mut self, n: usize, block: &Block) {
        let fuel = self.b.use_var(self.fuel);
        if block.steps == 0 {
            self.left = fuel;
            return;
        }
        let (short, enough) = (self.new_block(true), self.new_block(false));
        let steps = block.steps as i64;
        let is_short = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedLessThan, fuel, steps);
        self.b.ins().brif(is_short, short, &[], enough, &[]);
        self.go_on(short);
        let slots: Vec<usize> = self.needed[n].iter().collect();
        for slot in slots {
            self.keep(slot as Slot);
        }
        self.values.clear();
        let pc = self.number(block.first.into());
        let left = self.number(Left::Fuel as u64);
        self.b
            .ins()
            .jump(self.leave, &[pc.into(), fuel.into(), left.into()]);
        self.go_on(enough);
        self.left = self.b.ins().iadd_imm_s(fuel, -steps);
        self.b.def_var(self.fuel, self.left);
    }

    /// What a block leads to needs the values that it has written.
    fn settle(&mut self, n: usize) {
        if self.in_vector {
            return self.vector_settle(n, None);
        }
        let (flow, needed) = (self.flow, self.needed);
        let next = &flow.blocks[n].next;
        self.values.settle(&mut self.b, |slot| {
            next.iter().any(|&next| needed[next].contains(slot))
        });
    }

    /// The block that begins at an instruction.
    fn at(&self, pc: Pc) -> ir::Block {
        let blocks = match self.in_vector {
            true => &self.vector_blocks,
            false => &self.blocks,
        };
        blocks[self.flow.at(pc)]
    }

    /// The last instruction of a block, which leads to others.
    pub(super) fn last(&mut self, n: usize, block: &Block, ins: &Ins) {
        let Some(condition) = self.condition(ins) else {
            return self.last_without_condition(n, block, ins);
        };
        self.settle(n);
        let Some((to, _)) = super::flow::jump(ins) else {
            unreachable!("a jump")
        };
        let (to, behind) = (self.at(to), self.at(block.end));
        let (yes, no) = match ins {
            Ins::JumpIfNot { .. } => (behind, to),
            _ => (to, behind),
        };
        self.b.ins().brif(condition, yes, &[], no, &[]);
    }

    /// The condition of a branch.
    #[rustfmt::skip]
    pub(super) fn condition(&mut self, ins: &Ins) -> Option<Value> {
        use IntCC::{Equal, NotEqual, SignedLessThan, SignedLessThanOrEqual, UnsignedLessThan, UnsignedLessThanOrEqual};
        Some(match *ins {
            Ins::JumpIf { a, .. } | Ins::JumpIfNot { a, .. } => self.values.truth(&mut self.b, a),
            Ins::JumpEq { a, b, .. } => self.values.compare(&mut self.b, Equal, a, b),
            Ins::JumpNe { a, b, .. } => self.values.compare(&mut self.b, NotEqual, a, b),
            Ins::JumpULt { a, b, .. } => self.values.compare(&mut self.b, UnsignedLessThan, a, b),
            Ins::JumpULe { a, b, .. } => self.values.compare(&mut self.b, UnsignedLessThanOrEqual, a, b),
            Ins::JumpSLt32 { a, b, .. } => self.compare32(SignedLessThan, a, b),
            Ins::JumpSLe32 { a, b, .. } => self.compare32(SignedLessThanOrEqual, a, b),
            Ins::JumpSLt64 { a, b, .. } => self.compare64(SignedLessThan, a, b),
            Ins::JumpSLe64 { a, b, .. } => self.compare64(SignedLessThanOrEqual, a, b),
            _ => return None,
        })
    }

    fn last_without_condition(&mut self, n: usize, block: &Block, ins: &Ins) {
        match *ins {
            Ins::Jump { to } | Ins::JumpBack { to } => {
                self.settle(n);
                let to = self.at(to);
                self.b.ins().jump(to, &[]);
            }
            Ins::Call { link, to } => {
                let back = self.b.ins().iconst(types::I32, i64::from(block.end));
                self.values.set_int(link, back);
                if self.in_vector {
                    self.lanes.set_even(link, 0);
                }
                self.settle(n);
                let to = self.at(to);
                self.b.ins().jump(to, &[]);
            }
            Ins::Return { link } => {
                let link_value = self.values.int(&mut self.b, link);
                self.settle(n);
                let flow = self.flow;
                let places = flow.returns.get(&link).map_or(&[][..], |places| places);
                let mut switch = Switch::new();
                let Some((&first, others)) = places.split_first() else {
                    // Nobody calls it, so that nobody comes here.
                    return self.end(Left::End);
                };
                for &place in others {
                    switch.set_entry(place.into(), self.at(place));
                }
                let first = self.at(first);
                if others.is_empty() {
                    self.b.ins().jump(first, &[]);
                } else {
                    switch.emit(&mut self.b, link_value, first);
                }
            }
            Ins::Switch { a, table } => {
                let value = self.values.wide(&mut self.b, a);
                self.settle(n);
                let kernel = self.kernel;
                let table = &kernel.switches[usize::from(table)];
                let mut switch = Switch::new();
                for &(case, to) in &table.cases {
                    switch.set_entry(case.into(), self.at(to));
                }
                let default = self.at(table.default);
                switch.emit(&mut self.b, value, default);
            }
            Ins::End => self.end(Left::End),
            Ins::Trap { .. } => self.leave(Left::Trap),
            Ins::Barrier { .. } | Ins::Collective { .. } => self.wait(block, ins),
            _ => {
                match self.in_vector {
                    true => self.vector_instruction(ins),
                    false => self.instruction(ins),
                }
                self.settle(n);
                let next = self.at(block.end);
                self.b.ins().jump(next, &[]);
            }
        }
    }
}

/// The offset of a helper in the table.
macro_rules! helper {
    ($name:ident) => {
        std::mem::offset_of!($crate::native::helpers::Helpers, $name)
    };
}
pub(super) use helper;
const _: usize = offset_of!(Helpers, load);
