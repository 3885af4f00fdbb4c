//! Regions: what lies between a branch on which the items of a vector may differ and where all of them meet again.
//!
//! They meet in the block that all ways from the branch to the kernel's end go through, the first of these: the
//! branch's immediate post-dominator (K. Cooper, T. Harvey and K. Kennedy, "A simple, fast dominance algorithm",
//! 2001, on the graph of blocks turned around). Ways that end with a trap do not count. The blocks of a region run one
//! after the other in a weak topological order, each for the items that have come to it and wait there
//! ([`masked`](super::masked)). A region with what items only do one by one, such as to wait at a barrier, is none.

use super::super::flow::Flow;
use super::super::operands::{self, Role, SlotSet};
use crate::interp::code::{Ins, Kernel, Pc};
use crate::interp::lower::numbered;

/// Blocks of a region at most: as many bits as a set of places has, but for [`JOIN`].
const MOST: usize = 63;

/// Instructions of all regions together at most: so many times those of the kernel and some more, but no more than it
/// takes too long to compile.
const TIMES: usize = 2;
const MORE: usize = 256;
const LONGEST: usize = 1 << 13;

/// In a set of places: where all meet again.
pub(super) const JOIN: usize = 63;

/// A set of places in the order of a region's blocks.
pub(super) type Places = u64;

/// The blocks between a branch and where its ways meet.
#[derive(Clone, Debug)]
pub(in super::super) struct Region {
    /// The blocks, in the order in which they run.
    pub(super) blocks: Vec<usize>,
    /// Where all meet again; None where all end.
    pub(super) join: Option<usize>,
    /// Slots that the blocks write.
    pub(super) written: SlotSet,
    /// By place: where other items may wait while that block runs.
    pub(super) others: Vec<Places>,
    /// By place: where loops begin anew whose last block it is, the inner ones first.
    pub(super) again: Vec<Vec<usize>>,
    /// From which places a way leads to a loop of the region.
    pub(super) looping: Places,
}

impl Region {
    /// The place of a block; of all that is not of the region, [`JOIN`].
    pub(super) fn place(&self, block: usize) -> usize {
        let place = self.blocks.iter().position(|&b| b == block);
        place.unwrap_or(JOIN)
    }

    /// Where all meet, and the slots in which they may have anything there.
    pub(super) fn mixes(&self) -> Option<(usize, &SlotSet)> {
        self.join.map(|join| (join, &self.written))
    }

    /// An instruction with which items end, where they meet nowhere else.
    pub(super) fn end(&self, kernel: &Kernel, flow: &Flow) -> Pc {
        let ends = self.blocks.iter().map(|&b| flow.blocks[b].end - 1);
        let mut ends = ends.filter(|&pc| kernel.code[pc as usize] == Ins::End);
        ends.next().unwrap_or_default()
    }
}

/// The places of a set.
pub(super) fn places(set: Places) -> impl Iterator<Item = usize> {
    (0..=JOIN).filter(move |&place| set & 1 << place != 0)
}

/// Finds the regions of a kernel.
#[derive(Debug)]
pub(super) struct Finder<'a> {
    kernel: &'a Kernel,
    flow: &'a Flow,
    /// By block: where all ways from it to the end meet first; the number behind that of the last block for the end
    /// itself, None for what does not get there.
    meets: Vec<Option<usize>>,
    /// Instructions that regions may still have.
    left: usize,
}

impl<'a> Finder<'a> {
    pub(super) fn new(kernel: &'a Kernel, flow: &'a Flow) -> Finder<'a> {
        Finder {
            kernel,
            flow,
            meets: meets(kernel, flow),
            left: (TIMES * kernel.code.len() + MORE).min(LONGEST),
        }
    }

    fn last(&self, block: usize) -> &Ins {
        &self.kernel.code[self.flow.blocks[block].end as usize - 1]
    }

    /// The region of a branch that ends a block.
    pub(super) fn find(&mut self, branch: usize) -> Option<Region> {
        let flow = self.flow;
        let end = flow.blocks.len();
        let meet = self.meets[branch]?;
        let mut inside = Vec::new();
        let mut open: Vec<usize> = flow.blocks[branch].next.clone();
        let mut instructions = 0;
        while let Some(n) = open.pop() {
            if n == meet || inside.contains(&n) {
                continue;
            }
            let block = &flow.blocks[n];
            let code = &self.kernel.code[block.first as usize..block.end as usize];
            instructions += code.len();
            if inside.len() == MOST || instructions > self.left || !code.iter().all(may) {
                return None;
            }
            inside.push(n);
            open.extend(&block.next);
        }
        self.left -= instructions;
        // The branch comes first, as where the region is entered; it may be one of its blocks, too.
        let place = |block: &usize| inside.iter().position(|b| b == block);
        let next = |block: usize| flow.blocks[block].next.iter().filter_map(place);
        let mut graph = vec![next(branch).map(|n| n + 1).collect::<Vec<_>>()];
        graph.extend(inside.iter().map(|&b| next(b).map(|n| n + 1).collect()));
        let numbers = numbered(&graph);
        let mut blocks: Vec<(u32, usize)> = numbers[1..]
            .iter()
            .zip(&inside)
            .map(|(&number, &b)| (number, b))
            .collect();
        blocks.sort_unstable();
        let blocks: Vec<usize> = blocks.into_iter().map(|(_, b)| b).collect();
        let mut region = Region {
            join: (meet < end).then_some(meet),
            written: SlotSet::new(self.kernel.frame),
            others: Vec::new(),
            again: vec![Vec::new(); blocks.len()],
            looping: 0,
            blocks,
        };
        self.follow(&mut region, branch);
        Some(region)
    }

    /// Finds how items go through a region.
    fn follow(&self, region: &mut Region, branch: usize) {
        let flow = self.flow;
        let set = |blocks: &[usize]| {
            let places = blocks.iter().map(|&b| 1 << region.place(b));
            places.fold(0, |set: Places, place| set | place)
        };
        let next: Vec<Places> = (region.blocks.iter())
            .map(|&b| match self.last(b) {
                Ins::End => 1 << JOIN,
                _ => set(&flow.blocks[b].next),
            })
            .collect();
        let first = set(&flow.blocks[branch].next);
        for again in 0..next.len() {
            let last = (again..next.len()).rfind(|&from| next[from] & 1 << again != 0);
            if let Some(last) = last {
                region.again[last].insert(0, again);
            }
        }
        region.others = others(&next, &region.again, first);
        let mut looping = region
            .again
            .iter()
            .flatten()
            .fold(0, |set, &n| set | 1 << n);
        for _ in 0..next.len() {
            let leads = |&place: &usize| next[place] & looping != 0;
            looping |= (0..next.len()).filter(leads).fold(0, |set, n| set | 1 << n);
        }
        region.looping = looping;
        for &b in &region.blocks {
            let block = &flow.blocks[b];
            for ins in &self.kernel.code[block.first as usize..block.end as usize] {
                operands::slots(self.kernel, ins, |role, first, count| {
                    if role == Role::Written {
                        let first = first as usize;
                        (first..first + usize::from(count)).for_each(|s| region.written.insert(s));
                    }
                });
            }
        }
    }
}

/// Where others may wait while each block runs: a block sends items to those that are next, or to where all meet;
/// behind it comes the one that follows in the order, unless a loop begins anew.
fn others(next: &[Places], again: &[Vec<usize>], first: Places) -> Vec<Places> {
    let mut before = vec![0; next.len() + 1];
    before[0] = first;
    let mut news = true;
    while std::mem::take(&mut news) {
        let mut lead = |before: &mut [Places], to: usize, set: Places| {
            news |= set & !before[to] != 0;
            before[to] |= set;
        };
        for at in 0..next.len() {
            let mut behind = before[at] & !(1 << at) | next[at];
            for &again in &again[at] {
                lead(&mut before, again, behind);
                behind &= !(1 << again);
            }
            lead(&mut before, at + 1, behind);
        }
    }
    let at = before.iter().enumerate().take(next.len());
    at.map(|(at, set)| set & !(1 << at)).collect()
}

/// Whether an instruction may be one of a region.
fn may(ins: &Ins) -> bool {
    !matches!(
        ins,
        Ins::Barrier { .. }
            | Ins::Collective { .. }
            | Ins::Call { .. }
            | Ins::Return { .. }
            | Ins::MemCopy { .. }
            | Ins::MemSet { .. }
            | Ins::AtomicLoad32 { .. }
            | Ins::AtomicLoad64 { .. }
            | Ins::AtomicStore32 { .. }
            | Ins::AtomicStore64 { .. }
            | Ins::Cas32 { .. }
            | Ins::Cas64 { .. }
            | Ins::Fence { .. }
            | Ins::Print { .. }
            | Ins::Device { .. }
            | Ins::Query { .. }
            | Ins::Compiled
    )
}

/// By block: its immediate post-dominator, see [`Finder`].
fn meets(kernel: &Kernel, flow: &Flow) -> Vec<Option<usize>> {
    let end = flow.blocks.len();
    let mut next: Vec<Vec<usize>> = flow.blocks.iter().map(|b| b.next.clone()).collect();
    for (n, block) in flow.blocks.iter().enumerate() {
        if kernel.code[block.end as usize - 1] == Ins::End {
            next[n].push(end);
        }
    }
    let mut before = vec![Vec::new(); end + 1];
    for (n, next) in next.iter().enumerate() {
        next.iter().for_each(|&to| before[to].push(n));
    }
    // The blocks from which a way leads to the end, each after those through which it is found.
    const NONE: usize = usize::MAX;
    let mut number = vec![NONE; end + 1];
    let mut seen = vec![false; end + 1];
    let mut order = Vec::new();
    let mut way = vec![(end, 0)];
    seen[end] = true;
    while let Some((n, looked)) = way.last_mut() {
        let n = *n;
        match before[n].get(*looked) {
            Some(&from) => {
                *looked += 1;
                if !std::mem::replace(&mut seen[from], true) {
                    way.push((from, 0));
                }
            }
            None => {
                number[n] = order.len();
                order.push(n);
                way.pop();
            }
        }
    }
    let mut meets = vec![None; end + 1];
    meets[end] = Some(end);
    let mut news = true;
    while std::mem::take(&mut news) {
        for &n in order.iter().rev().filter(|&&n| n != end) {
            let mut meet: Option<usize> = None;
            for &to in next[n].iter().filter(|&&to| meets[to].is_some()) {
                let Some(mut x) = meet.replace(to) else {
                    continue;
                };
                let mut y = to;
                while x != y {
                    let lower = if number[x] < number[y] {
                        &mut x
                    } else {
                        &mut y
                    };
                    *lower = meets[*lower].unwrap_or(end);
                }
                meet = Some(x);
            }
            news |= meets[n] != meet;
            meets[n] = meet;
        }
    }
    meets.truncate(end);
    meets
}
