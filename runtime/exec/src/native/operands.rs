//! What instructions read and write: the slots of each, and which are needed where.

use super::flow::Flow;
use crate::interp::code::{Ins, Kernel, PrintArg, Slot};

/// What happens to a run of slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Read,
    Written,
}

/// Names the slots that an instruction reads and writes, in runs from a first one on.
#[rustfmt::skip]
pub(super) fn slots(kernel: &Kernel, ins: &Ins, mut f: impl FnMut(Role, Slot, u16)) {
    use Role::{Read, Written};
    let mut reads = |slots: &[Slot]| slots.iter().for_each(|&slot| f(Read, slot, 1));
    match *ins {
        Ins::Add32 { a, b, .. } | Ins::Sub32 { a, b, .. } | Ins::Mul32 { a, b, .. }
        | Ins::Shl32 { a, b, .. } | Ins::LShr32 { a, b, .. } | Ins::AShr32 { a, b, .. }
        | Ins::Add64 { a, b, .. } | Ins::Sub64 { a, b, .. } | Ins::Mul64 { a, b, .. }
        | Ins::Shl64 { a, b, .. } | Ins::LShr64 { a, b, .. } | Ins::AShr64 { a, b, .. }
        | Ins::And { a, b, .. } | Ins::Or { a, b, .. } | Ins::Xor { a, b, .. }
        | Ins::SDiv32 { a, b, .. } | Ins::SRem32 { a, b, .. } | Ins::SDiv64 { a, b, .. }
        | Ins::SRem64 { a, b, .. } | Ins::UDiv { a, b, .. } | Ins::URem { a, b, .. }
        | Ins::FAdd32 { a, b, .. } | Ins::FSub32 { a, b, .. } | Ins::FMul32 { a, b, .. }
        | Ins::FDiv32 { a, b, .. } | Ins::FAdd64 { a, b, .. } | Ins::FSub64 { a, b, .. }
        | Ins::FMul64 { a, b, .. } | Ins::FDiv64 { a, b, .. }
        | Ins::Eq { a, b, .. } | Ins::Ne { a, b, .. } | Ins::ULt { a, b, .. } | Ins::ULe { a, b, .. }
        | Ins::SLt32 { a, b, .. } | Ins::SLe32 { a, b, .. } | Ins::SLt64 { a, b, .. } | Ins::SLe64 { a, b, .. }
        | Ins::FEq32 { a, b, .. } | Ins::FNe32 { a, b, .. } | Ins::FLt32 { a, b, .. } | Ins::FLe32 { a, b, .. }
        | Ins::FOrd32 { a, b, .. } | Ins::FEq64 { a, b, .. } | Ins::FNe64 { a, b, .. } | Ins::FLt64 { a, b, .. }
        | Ins::FLe64 { a, b, .. } | Ins::FOrd64 { a, b, .. } | Ins::Call2 { a, b, .. }
        | Ins::JumpEq { a, b, .. } | Ins::JumpNe { a, b, .. } | Ins::JumpULt { a, b, .. } | Ins::JumpULe { a, b, .. }
        | Ins::JumpSLt32 { a, b, .. } | Ins::JumpSLe32 { a, b, .. } | Ins::JumpSLt64 { a, b, .. }
        | Ins::JumpSLe64 { a, b, .. } => reads(&[a, b]),
        Ins::Move { a, .. } | Ins::Mask8 { a, .. } | Ins::Mask16 { a, .. } | Ins::Mask32 { a, .. }
        | Ins::SExt8 { a, .. } | Ins::SExt16 { a, .. } | Ins::SExt32 { a, .. } | Ins::Convert { a, .. }
        | Ins::Call1 { a, .. } | Ins::Query { dim: a, .. } | Ins::JumpIf { a, .. } | Ins::JumpIfNot { a, .. }
        | Ins::Switch { a, .. } | Ins::Return { link: a } | Ins::ToSpace { a, .. }
        | Ins::Load8 { a, .. } | Ins::Load16 { a, .. } | Ins::Load32 { a, .. } | Ins::Load64 { a, .. }
        | Ins::AtomicLoad32 { a, .. } | Ins::AtomicLoad64 { a, .. } => reads(&[a]),
        Ins::PtrAdd { a, index, .. } | Ins::PtrAddS { a, index, .. }
        | Ins::Load32X { a, index, .. } | Ins::Load64X { a, index, .. }
        | Ins::Load32S { a, index, .. } | Ins::Load64S { a, index, .. } => reads(&[a, index]),
        Ins::Store8 { v, a, .. } | Ins::Store16 { v, a, .. } | Ins::Store32 { v, a, .. } | Ins::Store64 { v, a, .. }
        | Ins::AtomicStore32 { v, a, .. } | Ins::AtomicStore64 { v, a, .. }
        | Ins::Rmw32 { v, a, .. } | Ins::Rmw64 { v, a, .. } => reads(&[v, a]),
        Ins::Store32X { v, a, index, .. } | Ins::Store64X { v, a, index, .. }
        | Ins::Store32S { v, a, index, .. } | Ins::Store64S { v, a, index, .. } => reads(&[v, a, index]),
        Ins::Select { c, a, b, .. } | Ins::Call3 { a, b, c, .. } => reads(&[c, a, b]),
        Ins::Cas32 { a, expected, desired, .. } | Ins::Cas64 { a, expected, desired, .. } =>
            reads(&[a, expected, desired]),
        Ins::MemCopy { dst, src, size, .. } => reads(&[dst, src, size]),
        Ins::MemSet { dst, byte, size, .. } => reads(&[dst, byte, size]),
        Ins::ExtractDyn { a, index, n, .. } => {
            f(Read, a, n);
            f(Read, index, 1);
        }
        Ins::InsertDyn { d, a, index, n } => {
            reads(&[a, index]);
            f(Read, d, n);
            f(Written, d, n);
        }
        Ins::Collective { meeting, .. } => {
            let meeting = &kernel.meetings[usize::from(meeting)];
            reads(&[meeting.value]);
            reads(&meeting.from);
        }
        Ins::Print { print, .. } => {
            let printing = &kernel.printings[usize::from(print)];
            reads(&[printing.format.0]);
            for arg in &printing.args {
                match *arg {
                    PrintArg::Number(first, _, lanes) => f(Read, first, lanes as u16),
                    PrintArg::Pointer(slot, _) => f(Read, slot, 1),
                }
            }
        }
        Ins::Device { call, .. } => {
            for &(slot, _) in &kernel.device_calls[usize::from(call)].args {
                f(Read, slot, 1);
            }
        }
        Ins::Jump { .. } | Ins::JumpBack { .. } | Ins::Call { .. } | Ins::End | Ins::Trap { .. }
        | Ins::Fence { .. } | Ins::Barrier { .. } | Ins::Compiled => {}
    }
    if let Some(d) = written(kernel, ins) {
        f(Written, d, 1);
    }
}

/// The one slot that an instruction gives a value; not that of an element of a vector.
#[rustfmt::skip]
pub(super) fn written(kernel: &Kernel, ins: &Ins) -> Option<Slot> {
    Some(match *ins {
        Ins::Move { d, .. } | Ins::Add32 { d, .. } | Ins::Sub32 { d, .. } | Ins::Mul32 { d, .. }
        | Ins::Shl32 { d, .. } | Ins::LShr32 { d, .. } | Ins::AShr32 { d, .. } | Ins::Add64 { d, .. }
        | Ins::Sub64 { d, .. } | Ins::Mul64 { d, .. } | Ins::Shl64 { d, .. } | Ins::LShr64 { d, .. }
        | Ins::AShr64 { d, .. } | Ins::And { d, .. } | Ins::Or { d, .. } | Ins::Xor { d, .. }
        | Ins::SDiv32 { d, .. } | Ins::SRem32 { d, .. } | Ins::SDiv64 { d, .. } | Ins::SRem64 { d, .. }
        | Ins::UDiv { d, .. } | Ins::URem { d, .. } | Ins::Mask8 { d, .. } | Ins::Mask16 { d, .. }
        | Ins::Mask32 { d, .. } | Ins::SExt8 { d, .. } | Ins::SExt16 { d, .. } | Ins::SExt32 { d, .. }
        | Ins::FAdd32 { d, .. } | Ins::FSub32 { d, .. } | Ins::FMul32 { d, .. } | Ins::FDiv32 { d, .. }
        | Ins::FAdd64 { d, .. } | Ins::FSub64 { d, .. } | Ins::FMul64 { d, .. } | Ins::FDiv64 { d, .. }
        | Ins::Eq { d, .. } | Ins::Ne { d, .. } | Ins::ULt { d, .. } | Ins::ULe { d, .. }
        | Ins::SLt32 { d, .. } | Ins::SLe32 { d, .. } | Ins::SLt64 { d, .. } | Ins::SLe64 { d, .. }
        | Ins::FEq32 { d, .. } | Ins::FNe32 { d, .. } | Ins::FLt32 { d, .. } | Ins::FLe32 { d, .. }
        | Ins::FOrd32 { d, .. } | Ins::FEq64 { d, .. } | Ins::FNe64 { d, .. } | Ins::FLt64 { d, .. }
        | Ins::FLe64 { d, .. } | Ins::FOrd64 { d, .. } | Ins::Select { d, .. } | Ins::ExtractDyn { d, .. }
        | Ins::PtrAdd { d, .. } | Ins::PtrAddS { d, .. } | Ins::Convert { d, .. } | Ins::Call1 { d, .. }
        | Ins::Call2 { d, .. } | Ins::Call3 { d, .. } | Ins::Query { d, .. } | Ins::Call { link: d, .. }
        | Ins::Load8 { d, .. } | Ins::Load16 { d, .. } | Ins::Load32 { d, .. } | Ins::Load64 { d, .. }
        | Ins::Load32X { d, .. } | Ins::Load64X { d, .. } | Ins::Load32S { d, .. } | Ins::Load64S { d, .. }
        | Ins::AtomicLoad32 { d, .. } | Ins::AtomicLoad64 { d, .. } | Ins::Rmw32 { d, .. } | Ins::Rmw64 { d, .. }
        | Ins::Cas32 { d, .. } | Ins::Cas64 { d, .. } | Ins::ToSpace { d, .. } | Ins::Print { d, .. }
        | Ins::Device { d, .. } => d,
        Ins::Collective { meeting, .. } => kernel.meetings[usize::from(meeting)].result,
        Ins::InsertDyn { .. } | Ins::Jump { .. } | Ins::JumpBack { .. } | Ins::JumpIf { .. } | Ins::JumpIfNot { .. }
        | Ins::JumpEq { .. } | Ins::JumpNe { .. } | Ins::JumpULt { .. } | Ins::JumpULe { .. }
        | Ins::JumpSLt32 { .. } | Ins::JumpSLe32 { .. } | Ins::JumpSLt64 { .. } | Ins::JumpSLe64 { .. }
        | Ins::Switch { .. } | Ins::Return { .. } | Ins::End | Ins::Trap { .. }
        | Ins::Store8 { .. } | Ins::Store16 { .. } | Ins::Store32 { .. } | Ins::Store64 { .. }
        | Ins::Store32X { .. } | Ins::Store64X { .. } | Ins::Store32S { .. } | Ins::Store64S { .. }
        | Ins::AtomicStore32 { .. } | Ins::AtomicStore64 { .. } | Ins::Fence { .. } | Ins::Barrier { .. }
        | Ins::MemCopy { .. } | Ins::MemSet { .. } | Ins::Compiled => return None,
    })
}

/// A set of the slots from 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SlotSet(Vec<u64>);

impl SlotSet {
    pub(super) fn new(slots: usize) -> SlotSet {
        SlotSet(vec![0; slots.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    pub(super) fn remove(&mut self, slot: usize) {
        self.0[slot / 64] &= !(1 << (slot % 64));
    }

    pub(super) fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] & 1 << (slot % 64) != 0
    }

    /// The slots in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(n, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    n * 64 + bit as usize
                })
            })
        })
    }
}

/// Which slots' values are needed at the start of each block.
pub(super) fn needed(kernel: &Kernel, flow: &Flow) -> Vec<SlotSet> {
    let none = SlotSet::new(kernel.frame);
    // What each block reads before it writes it, and what it writes.
    let mut read = vec![none.clone(); flow.blocks.len()];
    let mut kept = vec![none.clone(); flow.blocks.len()];
    for (n, block) in flow.blocks.iter().enumerate() {
        for ins in kernel.code[block.first as usize..block.end as usize]
            .iter()
            .rev()
        {
            for role in [Role::Written, Role::Read] {
                slots(kernel, ins, |r, first, count| {
                    if r == role && first >= 0 {
                        for slot in first as usize..first as usize + usize::from(count) {
                            match role {
                                Role::Written => {
                                    kept[n].insert(slot);
                                    read[n].remove(slot);
                                }
                                Role::Read => read[n].insert(slot),
                            }
                        }
                    }
                });
            }
        }
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); flow.blocks.len()];
    for (n, block) in flow.blocks.iter().enumerate() {
        for &next in &block.next {
            before[next].push(n);
        }
    }
    let mut needed = read;
    let mut open: Vec<usize> = (0..flow.blocks.len()).collect();
    while let Some(n) = open.pop() {
        for &earlier in &before[n] {
            let mut news = false;
            for word in 0..none.0.len() {
                let through = needed[n].0[word] & !kept[earlier].0[word];
                news |= through & !needed[earlier].0[word] != 0;
                needed[earlier].0[word] |= through;
            }
            if news {
                open.push(earlier);
            }
        }
    }
    needed
}
