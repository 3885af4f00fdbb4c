//! Canonical forms: two designs that differ only in the numbers of their threads, locations and
//! groups have the same one.

use super::design::{Dependency, Design, Mode, Step};
use crate::program::{BarrierScope, FenceFlags, MemOrder, MemScope, Placement, Region};

/// A design as numbers, the same for all that are alike.
pub type Canonical = Vec<u8>;

/// The canonical form of a design: the least of its forms over all orders of its threads, with
/// everything else numbered by first mention.
pub fn canonical(design: &Design) -> Canonical {
    let mut order: Vec<usize> = (0..design.threads.len()).collect();
    let mut best = form(design, &order);
    while next_permutation(&mut order) {
        best = best.min(form(design, &order));
    }
    best
}

/// The next order in lexicographic sequence; false after the last.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(pivot) = order.windows(2).rposition(|w| w[0] < w[1]) else {
        return false;
    };
    let swap = order
        .iter()
        .rposition(|&o| o > order[pivot])
        .unwrap_or(pivot + 1);
    order.swap(pivot, swap);
    order[pivot + 1..].reverse();
    true
}

/// The number of something by first mention.
fn number<T: PartialEq>(seen: &mut Vec<T>, old: T) -> u8 {
    let at = seen.iter().position(|o| *o == old).unwrap_or_else(|| {
        seen.push(old);
        seen.len() - 1
    });
    at as u8
}

fn form(design: &Design, order: &[usize]) -> Canonical {
    let mut out = Vec::with_capacity(96);
    let mut locations: Vec<usize> = Vec::new();
    let (mut devices, mut groups, mut sub_groups) = (Vec::new(), Vec::new(), Vec::new());
    for &t in order {
        match design.placements[t] {
            Placement::Host => out.push(0),
            Placement::Device {
                device,
                work_group,
                sub_group,
            } => {
                out.push(1 + number(&mut devices, device));
                out.push(number(&mut groups, (device, work_group)));
                out.push(sub_group.map_or(0, |sg| {
                    1 + number(&mut sub_groups, (device, work_group, sg))
                }));
            }
        }
        for step in &design.threads[t] {
            match step {
                Step::Access {
                    slot,
                    mode,
                    dependency,
                } => {
                    out.push(1);
                    out.push(number(&mut locations, slot.location));
                    out.push(slot.read.map_or(0, |v| 1 + v as u8));
                    out.push(slot.write.map_or(0, |v| 1 + v as u8));
                    match mode {
                        Mode::Plain => out.push(0),
                        Mode::Atomic(order, scope) => out.extend([1, of(*order), at(*scope)]),
                        Mode::Update(order, scope) => out.extend([2, of(*order), at(*scope)]),
                    }
                    out.push(match dependency {
                        Dependency::None => 0,
                        Dependency::Address => 1,
                        Dependency::Data => 2,
                        Dependency::Control => 3,
                    });
                }
                Step::Fence(flags, order, scope) => {
                    out.extend([2, regions(*flags), of(*order), at(*scope)]);
                }
                Step::Barrier(barrier) => {
                    out.extend([
                        3,
                        regions(barrier.flags),
                        match barrier.group {
                            BarrierScope::WorkGroup => 0,
                            BarrierScope::SubGroup => 1,
                        },
                        barrier.scope.map_or(0, |s| 1 + at(s)),
                    ]);
                }
            }
        }
        out.push(0);
    }
    for location in locations {
        out.push(match design.regions[location] {
            Region::Global => 0,
            Region::Local => 1,
        });
        out.push(design.finals[location].map_or(0, |v| 1 + v as u8));
    }
    out
}

fn of(order: MemOrder) -> u8 {
    order as u8
}

fn at(scope: MemScope) -> u8 {
    scope as u8
}

fn regions(flags: FenceFlags) -> u8 {
    u8::from(flags.global) + 2 * u8::from(flags.local) + 4 * u8::from(flags.image)
}
