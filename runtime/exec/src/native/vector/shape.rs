//! What the items of a vector have in each slot, at the start of each block: found by following the bytecode.
//!
//! It holds for items that have come the same way, and for those that have parted at a branch which a
//! [region](super::region) follows: where they meet again, what the region's blocks write may be anything. Others are scalar
//! until they end or wait, and become a vector again only where their slots are seen to be so ([`pack`](super::pack)).

use super::super::flow::{self, Block, Flow};
use super::super::operands::{self, Role, SlotSet};
use super::region::{Finder, Region};
use crate::interp::code::{Fill, Ins, Kernel, Slot};
use std::collections::BTreeMap;
use touchstone_ir::{Collective, Query};

/// What the items of a vector have in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Shape {
    /// Each has so much more than the one before: modulo 2^32 where the slot's upper half is zero, with zeros above,
    /// else modulo 2^64. With 0 all have the same.
    Even(i64),
    /// Anything.
    Any,
}

impl Shape {
    pub(super) const SAME: Shape = Shape::Even(0);

    fn join(self, other: Shape) -> Shape {
        if self == other { self } else { Shape::Any }
    }
}

/// Shapes of the slots at the start of each block; and the regions of branches on which items may differ.
#[derive(Clone, Debug)]
pub(in super::super) struct Shapes {
    /// None where nothing leads to a block.
    starts: Vec<Option<Vec<Known>>>,
    /// By the block that ends with the branch; None where it has no region.
    regions: BTreeMap<usize, Option<Region>>,
}

/// What is known of a slot: its shape, and whether its numbers are plain.
type Known = (Shape, bool);

/// Of a slot in which items may have anything.
const MIXED: Known = (Shape::Any, false);

/// Blocks times slots beyond which a kernel has no vectors: looking for shapes takes as much memory.
const WIDEST: usize = 1 << 21;

/// Whether a kernel may run several items at once: they meet at barriers only, have no memory of their own, and what
/// they start with grows from each to the next or is the same.
fn may(kernel: &Kernel) -> bool {
    let calls_out = |ins: &Ins| {
        matches!(
            ins,
            Ins::Query { .. } | Ins::Print { .. } | Ins::Device { .. }
        )
    };
    !kernel.synchronizes
        && kernel.private_bytes == 0
        && !kernel.code.iter().any(calls_out)
        && kernel.fills.iter().all(|&fill| of_fill(fill).is_some())
}

/// The shape of what fills a slot; None if it is neither even nor the same.
fn of_fill(fill: Fill) -> Option<Shape> {
    match fill {
        Fill::Const(_) | Fill::Local(_) => Some(Shape::SAME),
        Fill::PrivateBase => None,
        Fill::Query(Query::GlobalId | Query::LocalId, dim) => Some(match dim {
            0 => Shape::Even(1),
            _ => Shape::SAME,
        }),
        Fill::Query(Query::GlobalLinearId | Query::LocalLinearId, _) => Some(Shape::Even(1)),
        Fill::Query(Query::SubGroupId | Query::SubGroupLocalId | Query::SubGroupSize, _) => None,
        Fill::Query(..) => Some(Shape::SAME),
    }
}

/// The shape of a slot below 0.
pub(super) fn of_filled(kernel: &Kernel, slot: Slot) -> Shape {
    of_fill(kernel.fills[(-1 - isize::from(slot)) as usize]).unwrap_or(Shape::Any)
}

/// Whether what fills a slot are plain numbers.
pub(super) fn is_plain_fill(kernel: &Kernel, slot: Slot) -> bool {
    use Query::{GlobalId, GlobalLinearId, LocalId, LocalLinearId};
    matches!(
        kernel.fills[(-1 - isize::from(slot)) as usize],
        Fill::Query(GlobalId | GlobalLinearId | LocalId | LocalLinearId, _)
    )
}

/// The shape of what an instruction writes, from those of what it reads.
#[rustfmt::skip]
pub(super) fn written(kernel: &Kernel, ins: &Ins, mut shape: impl FnMut(Slot) -> Shape) -> Shape {
    use Shape::{Any, Even};
    let constant = |slot: Slot| match slot < 0 {
        true => match kernel.fills[(-1 - isize::from(slot)) as usize] {
            Fill::Const(bits) => Some(bits as i64),
            Fill::Query(..) | Fill::PrivateBase | Fill::Local(_) => None,
        },
        false => None,
    };
    let low = |by: i64| Even(i64::from(by as i32));
    match *ins {
        Ins::Move { a, .. } => shape(a),
        // Nobody reads it: see `Kernel::synchronizes`.
        Ins::Rmw32 { .. } | Ins::Rmw64 { .. } => Any,
        Ins::Add32 { a, b, .. } => match (shape(a), shape(b)) {
            (Even(x), Even(y)) => low(x.wrapping_add(y)),
            _ => Any,
        },
        Ins::Sub32 { a, b, .. } => match (shape(a), shape(b)) {
            (Even(x), Even(y)) => low(x.wrapping_sub(y)),
            _ => Any,
        },
        Ins::Add64 { a, b, .. } => match (shape(a), shape(b)) {
            (Even(x), Even(y)) => Even(x.wrapping_add(y)),
            _ => Any,
        },
        Ins::Sub64 { a, b, .. } => match (shape(a), shape(b)) {
            (Even(x), Even(y)) => Even(x.wrapping_sub(y)),
            _ => Any,
        },
        Ins::Mul32 { a, b, .. } | Ins::Mul64 { a, b, .. } => {
            let by = match (shape(a), constant(b), shape(b), constant(a)) {
                (Even(0), _, Even(0), _) => Some(0),
                (Even(x), Some(c), ..) | (_, _, Even(x), Some(c)) => Some(x.wrapping_mul(c)),
                _ => None,
            };
            match (by, ins) {
                (Some(by), Ins::Mul32 { .. }) => low(by),
                (Some(by), _) => Even(by),
                (None, _) => Any,
            }
        }
        Ins::Shl32 { a, b, .. } => match (shape(a), constant(b), shape(b)) {
            (Even(0), _, Even(0)) => Even(0),
            (Even(x), Some(by @ 0..32), _) => low(x.wrapping_shl(by as u32)),
            _ => Any,
        },
        Ins::Shl64 { a, b, .. } => match (shape(a), constant(b), shape(b)) {
            (Even(0), _, Even(0)) => Even(0),
            (Even(x), Some(by @ 0..64), _) => Even(x.wrapping_shl(by as u32)),
            _ => Any,
        },
        Ins::Mask32 { a, .. } | Ins::SExt32 { a, .. } => match shape(a) {
            Even(x) => low(x),
            Any => Any,
        },
        Ins::PtrAdd { a, index, scale, .. } => match (shape(a), shape(index)) {
            (Even(x), Even(y)) => Even(x.wrapping_add(y.wrapping_mul(scale.into()))),
            _ => Any,
        },
        Ins::PtrAddS { a, index, scale, .. } => match (shape(a), shape(index)) {
            (Even(x), Even(y)) => Even(x.wrapping_add(i64::from(y as i32).wrapping_mul(scale.into()))),
            _ => Any,
        },
        Ins::Select { c, a, b, .. } if shape(c) == Even(0) && shape(a) == shape(b) => shape(a),
        // What a group finds together all of it have.
        Ins::Collective { sub_group: false, meeting } => match kernel.meetings[usize::from(meeting)].function {
            Collective::Reduce(_) | Collective::Broadcast => Even(0),
            Collective::InclusiveScan(_) | Collective::ExclusiveScan(_) | Collective::Shuffle => Any,
        },
        Ins::Collective { sub_group: true, .. } => Any,
        _ => match reads_same(kernel, ins, shape) {
            true => Even(0),
            false => Any,
        },
    }
}

/// Whether all items read the same from all slots that an instruction reads.
pub(super) fn reads_same(kernel: &Kernel, ins: &Ins, mut shape: impl FnMut(Slot) -> Shape) -> bool {
    let mut same = true;
    operands::slots(kernel, ins, |role, first, count| {
        if role == Role::Read {
            same &= (first..first + count as Slot).all(|slot| shape(slot) == Shape::SAME);
        }
    });
    same
}

/// Whether an instruction is a branch on which items may differ.
fn branches_apart(kernel: &Kernel, ins: &Ins, of: &dyn Fn(Slot) -> Shape) -> bool {
    flow::jump(ins).is_some_and(|(_, falls)| falls) && !reads_same(kernel, ins, of)
}

impl Shapes {
    /// The shapes of a kernel that may have vectors.
    pub(in super::super) fn of(kernel: &Kernel, flow: &Flow) -> Option<Shapes> {
        if !may(kernel) || flow.blocks.len().saturating_mul(kernel.frame) > WIDEST {
            return None;
        }
        let mut starts: Vec<Option<Vec<Known>>> = vec![None; flow.blocks.len()];
        *starts.first_mut()? = Some(vec![(Shape::SAME, false); kernel.frame]);
        let mut finder = Finder::new(kernel, flow);
        let mut regions = BTreeMap::new();
        // Slots that items may have anything in, as they have come through different blocks of a region.
        let mut mixed = vec![None; flow.blocks.len()];
        let mut open = vec![0];
        while let Some(n) = open.pop() {
            let block = &flow.blocks[n];
            let Some(mut shapes) = starts[n].clone() else {
                continue;
            };
            let mut parts = false;
            follow(kernel, block, &mut shapes, |ins, of| {
                parts |= branches_apart(kernel, ins, of);
            });
            if parts && !regions.contains_key(&n) {
                let region = finder.find(n);
                if let Some((join, written)) = region.as_ref().and_then(Region::mixes) {
                    let slots = mixed[join].get_or_insert_with(|| SlotSet::new(kernel.frame));
                    written.iter().for_each(|slot| slots.insert(slot));
                    if let Some(there) = &mut starts[join] {
                        written.iter().for_each(|slot| there[slot] = MIXED);
                        open.push(join);
                    }
                }
                regions.insert(n, region);
            }
            for &next in &block.next {
                let news = match &mut starts[next] {
                    Some(there) => {
                        let mut news = false;
                        for (old, &new) in there.iter_mut().zip(&shapes) {
                            let joined = (old.0.join(new.0), old.1 && new.1);
                            news |= joined != *old;
                            *old = joined;
                        }
                        news
                    }
                    none => {
                        let there = none.insert(shapes.clone());
                        let slots = mixed[next].iter().flat_map(SlotSet::iter);
                        slots.for_each(|slot| there[slot] = MIXED);
                        true
                    }
                };
                if news {
                    open.push(next);
                }
            }
        }
        Some(Shapes { starts, regions })
    }

    /// The region of the branch that ends a block, if items may differ there and it has one.
    pub(super) fn region(&self, branch: usize) -> Option<&Region> {
        self.regions.get(&branch)?.as_ref()
    }

    /// The shape of a slot from 0 on at the start of a block.
    pub(super) fn at(&self, block: usize, slot: usize) -> Shape {
        self.starts[block]
            .as_ref()
            .map_or(Shape::Any, |shapes| shapes[slot].0)
    }

    /// Whether the numbers of the items in a slot are plain at the start of a block: ids, or their low halves. They do
    /// not wrap in 32 bits where vectors run ([`Runner`](super::super::Runner)), neither as signed nor as
    /// unsigned numbers.
    pub(super) fn is_plain(&self, block: usize, slot: usize) -> bool {
        self.starts[block]
            .as_ref()
            .is_some_and(|shapes| shapes[slot].1)
    }

    /// Makes entries of the blocks where items are left to scalar code: those that follow a branch on which items may
    /// differ, and those that check for steps, which may not be left.
    pub(in super::super) fn mark_entries(&self, kernel: &Kernel, flow: &mut Flow) {
        let mut entries: Vec<usize> = Vec::new();
        for (block, starts) in flow.blocks.iter().zip(&self.starts) {
            let Some(mut shapes) = starts.clone() else {
                continue;
            };
            follow(kernel, block, &mut shapes, |ins, of| {
                if branches_apart(kernel, ins, of) {
                    entries.extend(&block.next);
                }
            });
        }
        for n in entries {
            flow.blocks[n].entry = true;
        }
        flow.cover(kernel);
        for block in &mut flow.blocks {
            block.entry |= block.steps > 0 && !block.covered;
        }
    }
}

/// Follows the shapes of slots from 0 on through a block; hands each instruction over with what is so before it.
fn follow(
    kernel: &Kernel,
    block: &Block,
    shapes: &mut [Known],
    mut see: impl FnMut(&Ins, &dyn Fn(Slot) -> Shape),
) {
    for ins in &kernel.code[block.first as usize..block.end as usize] {
        let of = |slot: Slot| match usize::try_from(slot) {
            Ok(slot) => shapes[slot].0,
            Err(_) => of_filled(kernel, slot),
        };
        see(ins, &of);
        let is_plain = match *ins {
            Ins::Move { a, .. } | Ins::Mask32 { a, .. } => match usize::try_from(a) {
                Ok(slot) => shapes[slot].1,
                Err(_) => is_plain_fill(kernel, a),
            },
            _ => false,
        };
        let shape = (written(kernel, ins, of), is_plain);
        operands::slots(kernel, ins, |role, first, count| {
            if role == Role::Written {
                shapes[first as usize..first as usize + usize::from(count)].fill(shape);
            }
        });
    }
}
