//! The control flow of a kernel's bytecode: its blocks, what they cost, where an item may be taken up.
//!
//! A block is a straight line of instructions. It has one check of the fuel, at its start, for all
//! the steps that it takes; so blocks of many steps are cut. Where the fuel does not suffice the
//! interpreter goes on, which stops within the block. *Entries* are the places where compiled
//! code takes an item up again: after barriers, where loops begin anew, and now and then in long
//! straight lines.
//!
//! Vector code is left at entries only, so that each of its checks would make one. A loop with entries within is none to
//! Cranelift, which then takes nothing out of it; so the check where a short loop begins is for
//! all steps of a round ([`Flow::cover`]).

use crate::interp::code::{Ins, Kernel, Pc, Slot};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of a block at most.
pub(super) const BLOCK_STEPS: u64 = 16;

/// Steps of code without an entry, about.
const ENTRY_STEPS: u64 = 64;

/// Steps that one check of vector code is for, at most: of a block, or of a round of a loop.
pub(super) const CHECKED_STEPS: u64 = 64;

/// One block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) first: Pc,
    /// One past its last instruction.
    pub(super) end: Pc,
    /// Steps that it takes.
    pub(super) steps: u64,
    /// Whether items are taken up at its start.
    pub(super) entry: bool,
    /// Steps of others that its check in vector code is for as well: those of a round of the loop that begins here.
    pub(super) ahead: u64,
    /// Whether another one's check is for its steps.
    pub(super) covered: bool,
    /// The blocks that may come next, by number.
    pub(super) next: Vec<usize>,
}

/// The blocks that can be reached, in the order of the code.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) blocks: Vec<Block>,
    /// By link slot: the places where functions that are called through it return to.
    pub(super) returns: BTreeMap<Slot, Vec<Pc>>,
}

/// Whether an instruction takes a step.
pub(super) fn takes_step(ins: &Ins) -> bool {
    matches!(
        ins,
        Ins::JumpBack { .. }
            | Ins::Load8 { .. }
            | Ins::Load16 { .. }
            | Ins::Load32 { .. }
            | Ins::Load64 { .. }
            | Ins::Store8 { .. }
            | Ins::Store16 { .. }
            | Ins::Store32 { .. }
            | Ins::Store64 { .. }
            | Ins::Load32X { .. }
            | Ins::Load64X { .. }
            | Ins::Store32X { .. }
            | Ins::Store64X { .. }
            | Ins::Load32S { .. }
            | Ins::Load64S { .. }
            | Ins::Store32S { .. }
            | Ins::Store64S { .. }
            | Ins::AtomicLoad32 { .. }
            | Ins::AtomicLoad64 { .. }
            | Ins::AtomicStore32 { .. }
            | Ins::AtomicStore64 { .. }
            | Ins::Rmw32 { .. }
            | Ins::Rmw64 { .. }
            | Ins::Cas32 { .. }
            | Ins::Cas64 { .. }
            | Ins::Fence { .. }
            | Ins::MemCopy { .. }
            | Ins::MemSet { .. }
            | Ins::Print { .. }
            | Ins::Device { .. }
    )
}

/// The target of an instruction that jumps to one place, and whether it may go on behind itself.
pub(super) fn jump(ins: &Ins) -> Option<(Pc, bool)> {
    match *ins {
        Ins::Jump { to } | Ins::JumpBack { to } | Ins::Call { to, .. } => Some((to, false)),
        Ins::JumpIf { to, .. }
        | Ins::JumpIfNot { to, .. }
        | Ins::JumpEq { to, .. }
        | Ins::JumpNe { to, .. }
        | Ins::JumpULt { to, .. }
        | Ins::JumpULe { to, .. }
        | Ins::JumpSLt32 { to, .. }
        | Ins::JumpSLe32 { to, .. }
        | Ins::JumpSLt64 { to, .. }
        | Ins::JumpSLe64 { to, .. } => Some((to, true)),
        _ => None,
    }
}

/// Whether the code behind an instruction is another block.
fn ends_block(ins: &Ins) -> bool {
    jump(ins).is_some()
        || matches!(
            ins,
            Ins::Switch { .. }
                | Ins::Return { .. }
                | Ins::End
                | Ins::Trap { .. }
                | Ins::Barrier { .. }
                | Ins::Collective { .. }
        )
}

impl Flow {
    pub(super) fn new(kernel: &Kernel) -> Flow {
        let code = &kernel.code;
        let mut returns: BTreeMap<Slot, Vec<Pc>> = BTreeMap::new();
        let mut leader = vec![false; code.len() + 1];
        let mut entry = vec![false; code.len() + 1];
        leader[0] = true;
        for (pc, ins) in code.iter().enumerate() {
            if let Some((to, _)) = jump(ins) {
                leader[to as usize] = true;
            }
            leader[pc + 1] |= ends_block(ins);
            match *ins {
                Ins::JumpBack { to } => entry[to as usize] = true,
                Ins::Barrier { .. } | Ins::Collective { .. } => entry[pc + 1] = true,
                Ins::Call { link, .. } => returns.entry(link).or_default().push(pc as Pc + 1),
                Ins::Switch { table, .. } => {
                    let table = &kernel.switches[usize::from(table)];
                    leader[table.default as usize] = true;
                    for &(_, to) in &table.cases {
                        leader[to as usize] = true;
                    }
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        let mut first = 0;
        let (mut steps, mut since_entry) = (0, 0);
        for pc in 0..code.len() {
            let step = u64::from(takes_step(&code[pc]));
            steps += step;
            since_entry += step;
            if leader[pc + 1] || steps == BLOCK_STEPS {
                if entry[first] || since_entry >= ENTRY_STEPS {
                    entry[first] = true;
                    since_entry = steps;
                }
                all.push(Block {
                    first: first as Pc,
                    end: pc as Pc + 1,
                    steps,
                    entry: entry[first],
                    ahead: 0,
                    covered: false,
                    next: Vec::new(),
                });
                first = pc + 1;
                steps = 0;
            }
        }
        let mut flow = Flow {
            blocks: all,
            returns,
        };
        flow.connect(kernel);
        flow
    }

    /// The number of the block that begins at an instruction.
    pub(super) fn at(&self, pc: Pc) -> usize {
        self.blocks.partition_point(|block| block.first < pc)
    }

    /// Finds what follows each block, and drops those that nothing leads to.
    fn connect(&mut self, kernel: &Kernel) {
        let mut reached = vec![false; self.blocks.len()];
        let mut open = vec![0];
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut reached[n], true) {
                let targets = self.targets(kernel, &self.blocks[n]);
                open.extend(targets.iter().map(|&pc| self.at(pc)));
            }
        }
        let mut reached = reached.into_iter();
        self.blocks.retain(|_| reached.next() == Some(true));
        for n in 0..self.blocks.len() {
            let targets = self.targets(kernel, &self.blocks[n]);
            self.blocks[n].next = targets.iter().map(|&pc| self.at(pc)).collect();
        }
    }

    /// Has the first block of each loop without entries within check for the steps of all its blocks, where these are
    /// few: every way through a round takes each at most once, as whatever goes back is an entry.
    pub(super) fn cover(&mut self, kernel: &Kernel) {
        let mut before = vec![Vec::new(); self.blocks.len()];
        let mut loops: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (n, block) in self.blocks.iter().enumerate() {
            block.next.iter().for_each(|&next| before[next].push(n));
            if let Ins::JumpBack { to } = kernel.code[block.end as usize - 1] {
                loops.entry(self.at(to)).or_default().push(n);
            }
        }
        for (head, mut open) in loops {
            // From what goes back against the flow to the head: a way into the loop but through the head leads to where the
            // kernel begins, to an entry or to a call.
            let mut within = BTreeSet::new();
            while let Some(n) = open.pop() {
                if n != head && within.insert(n) {
                    open.extend(&before[n]);
                }
            }
            let is_plain = |&n: &usize| {
                let block = &self.blocks[n];
                let last = &kernel.code[block.end as usize - 1];
                n > 0 && !block.entry && !matches!(last, Ins::Call { .. } | Ins::Return { .. })
            };
            let ahead: u64 = within.iter().map(|&n| self.blocks[n].steps).sum();
            if within.iter().all(is_plain) && self.blocks[head].steps + ahead <= CHECKED_STEPS {
                self.blocks[head].ahead = ahead;
                within.iter().for_each(|&n| self.blocks[n].covered = true);
            }
        }
    }

    /// Where the code goes on after a block.
    fn targets(&self, kernel: &Kernel, block: &Block) -> Vec<Pc> {
        let last = &kernel.code[block.end as usize - 1];
        if let Some((to, falls)) = jump(last) {
            return if falls { vec![to, block.end] } else { vec![to] };
        }
        match *last {
            Ins::Switch { table, .. } => {
                let table = &kernel.switches[usize::from(table)];
                let mut targets: Vec<Pc> = table.cases.iter().map(|&(_, to)| to).collect();
                targets.push(table.default);
                targets.sort_unstable();
                targets.dedup();
                targets
            }
            Ins::Return { link } => self.returns.get(&link).cloned().unwrap_or_default(),
            Ins::End | Ins::Trap { .. } => Vec::new(),
            _ => vec![block.end],
        }
    }
}
