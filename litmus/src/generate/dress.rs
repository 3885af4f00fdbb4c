//! Dressing a shape: which orders, fences, dependencies and barriers its threads have.

use super::context::{CONTEXTS, Context};
use super::design::{Dependency, Design, Mode, Step};
use super::mutate::swapped;
use super::outfit::{alike, kind, outfits};
use super::shape::{Shape, Slot};
use crate::program::{Barrier, FenceFlags, MemOrder, MemScope};

/// How a thread is dressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dress {
    /// Everything relaxed.
    Relaxed,
    /// What message passing needs: a last write releases, a first read acquires.
    Ends,
    /// Every write releases and every read acquires.
    Every,
    /// Everything seq_cst.
    SeqCst,
    /// Relaxed accesses, and between them the weakest fence that orders them.
    Fence,
    /// Relaxed accesses and fences that acquire and release.
    FenceAcqRel,
    /// Relaxed accesses and seq_cst fences.
    FenceSeqCst,
    /// Relaxed accesses, the later address computed from what was read.
    Address,
    /// Relaxed accesses, the value written computed from what was read.
    Data,
    /// Relaxed accesses, the later made only if the right value was read.
    Control,
    /// Every access a read-modify-write that acquires and releases.
    Update,
    /// Relaxed accesses and a barrier.
    Barrier,
    /// Ordinary accesses and a barrier.
    PlainBarrier,
    /// Ordinary accesses.
    Plain,
}

/// What accesses that hand no messages over are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Idiom {
    /// Every access is atomic.
    Atomic,
    /// Data is ordinary, and touched only after a flag was seen.
    Flag,
    /// Every access is ordinary.
    Plain,
    /// Two accesses are in the other order, so that no cycle is left.
    Opened,
}

/// A dressed shape, not judged yet.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What its orders come from, without the details.
    pub kind: String,
    /// Its context.
    pub context: Context,
    /// Its idiom.
    pub idiom: Idiom,
    /// The test itself.
    pub design: Design,
}

use Dress::{
    Address, Control, Data, Ends, Every, Fence, FenceAcqRel, FenceSeqCst, Plain, PlainBarrier,
    Relaxed, SeqCst, Update,
};

/// Every candidate of a shape, in a fixed order.
pub fn candidates(shape: &Shape) -> Vec<Candidate> {
    let mut out = Vec::new();
    let (threads, locations) = (shape.threads.len(), shape.finals.len());
    for (c, context) in CONTEXTS.iter().enumerate() {
        if !context.suits(threads, locations) {
            continue;
        }
        for dresses in outfits(shape, c == 0) {
            for idiom in [Idiom::Atomic, Idiom::Flag] {
                let Some(candidate) = candidate(shape, context, &dresses, idiom) else {
                    continue;
                };
                let open = alike(shape, &dresses).then(|| opened(&candidate)).flatten();
                out.push(candidate);
                out.extend(open);
            }
        }
    }
    out
}

/// The candidate with its cycle opened, the accesses of one thread in the other order, so that an
/// interleaving can give the outcome: what every device must be able to show.
fn opened(candidate: &Candidate) -> Option<Candidate> {
    let design = (0..candidate.design.threads.len()).find_map(|t| swapped(&candidate.design, t))?;
    Some(Candidate {
        name: format!("{}+swap", candidate.name),
        kind: candidate.kind.clone(),
        context: candidate.context,
        idiom: Idiom::Opened,
        design,
    })
}

fn candidate(
    shape: &Shape,
    context: &Context,
    dresses: &[Dress],
    idiom: Idiom,
) -> Option<Candidate> {
    let mut threads = Vec::new();
    let mut words = Vec::new();
    for (t, slots) in shape.threads.iter().enumerate() {
        let (steps, word) = thread(slots, dresses[t], context, t)?;
        threads.push(steps);
        words.push(word);
    }
    let barriers = threads
        .iter()
        .filter(|steps| steps.iter().any(|s| matches!(s, Step::Barrier(_))))
        .count();
    if barriers != 0 && barriers != threads.len() {
        return None;
    }
    let plain = dresses.iter().all(|d| matches!(d, Plain | PlainBarrier));
    if dresses.iter().all(|d| *d == Plain) && context.names_sub_groups() {
        return None;
    }
    let idiom = match idiom {
        Idiom::Atomic if plain => Idiom::Plain,
        Idiom::Atomic | Idiom::Plain | Idiom::Opened => idiom,
        Idiom::Flag => {
            if plain || !dresses.iter().all(|d| carries_messages(*d)) {
                return None;
            }
            make_plain(shape, &mut threads)?;
            idiom
        }
    };
    let uniform = words.iter().all(|w| *w == words[0]);
    let mut orders = if uniform {
        words[0].clone()
    } else {
        words.join("+")
    };
    if idiom == Idiom::Flag {
        orders.push_str("+flag");
    }
    Some(Candidate {
        name: format!("{}+{orders}{}", shape.name, context.suffix),
        kind: kind(shape, dresses),
        context: *context,
        idiom,
        design: Design {
            placements: (0..threads.len())
                .map(|t| context.placement(t, threads.len()))
                .collect(),
            regions: (0..shape.finals.len()).map(|l| context.region(l)).collect(),
            finals: shape.finals.clone(),
            threads,
        },
    })
}

/// Whether threads dressed like this use flags as such, well or badly.
fn carries_messages(dress: Dress) -> bool {
    match dress {
        Relaxed | Ends | Every | SeqCst | Fence | FenceAcqRel | FenceSeqCst => true,
        Address | Data | Control | Update | Dress::Barrier | PlainBarrier | Plain => false,
    }
}

/// The steps of a thread and the word for them; `None` where the dress does not fit, or is one
/// that another word already stands for.
fn thread(
    slots: &[Slot],
    dress: Dress,
    context: &Context,
    t: usize,
) -> Option<(Vec<Step>, String)> {
    let scope = context.scope(t);
    let flags = context.flags();
    let order = |i: usize, slot: &Slot| -> MemOrder {
        let strong = strongest(slot);
        match dress {
            SeqCst => MemOrder::SeqCst,
            Every => strong,
            Ends => {
                let releases = i + 1 == slots.len() && slot.write.is_some();
                let acquires = i == 0 && slot.read.is_some();
                if releases || acquires {
                    strong
                } else {
                    MemOrder::Relaxed
                }
            }
            Update => MemOrder::AcqRel,
            Relaxed
            | Fence
            | FenceAcqRel
            | FenceSeqCst
            | Address
            | Data
            | Control
            | Dress::Barrier
            | PlainBarrier
            | Plain => MemOrder::Relaxed,
        }
    };
    let mut steps: Vec<Step> = Vec::new();
    let mut between = None;
    for (i, slot) in slots.iter().enumerate() {
        let mode = match dress {
            Plain | PlainBarrier if slot.read.is_some() && slot.write.is_some() => return None,
            Plain | PlainBarrier => Mode::Plain,
            Update => Mode::Update(MemOrder::AcqRel, scope),
            Relaxed
            | Ends
            | Every
            | SeqCst
            | Fence
            | FenceAcqRel
            | FenceSeqCst
            | Address
            | Data
            | Control
            | Dress::Barrier => Mode::Atomic(order(i, slot), scope),
        };
        let mut dependency = Dependency::None;
        if let Some(before) = i.checked_sub(1).map(|i| &slots[i])
            && (before.location != slot.location || slots.len() == 2)
        {
            between = between.or_else(|| link(before, slot, dress, flags, scope));
            dependency = match dress {
                Address if before.read.is_some() => Dependency::Address,
                Data if before.read.is_some() && slot.write.is_some() => Dependency::Data,
                Control if before.read.is_some() => Dependency::Control,
                Address | Data | Control => return None,
                Relaxed
                | Ends
                | Every
                | SeqCst
                | Fence
                | FenceAcqRel
                | FenceSeqCst
                | Update
                | Dress::Barrier
                | PlainBarrier
                | Plain => Dependency::None,
            };
            steps.extend(link(before, slot, dress, flags, scope));
        }
        steps.push(Step::Access {
            slot: slot.clone(),
            mode,
            dependency,
        });
    }
    if matches!(dress, Dress::Barrier | PlainBarrier) {
        let barrier = Step::Barrier(Barrier {
            label: None,
            group: context.barrier()?,
            flags,
            scope: None,
        });
        let at = match slots {
            [one] if one.write.is_none() => 0,
            [_] => 1,
            // between the two locations
            _ => {
                slots
                    .windows(2)
                    .position(|w| w[0].location != w[1].location)?
                    + 1
            }
        };
        steps.insert(at, barrier);
    }
    let single = slots.len() == 1;
    let short = |order: MemOrder| match order {
        MemOrder::Relaxed => "rlx",
        MemOrder::Acquire => "acq",
        MemOrder::Release => "rel",
        MemOrder::AcqRel => "ar",
        MemOrder::SeqCst => "sc",
    };
    let orders: Vec<MemOrder> = slots.iter().enumerate().map(|(i, s)| order(i, s)).collect();
    let ordered: Vec<&str> = orders
        .iter()
        .filter(|o| **o != MemOrder::Relaxed)
        .map(|o| short(*o))
        .collect();
    let word = match dress {
        Relaxed => "rlx".to_string(),
        SeqCst => "sc".to_string(),
        Ends if single || ordered.is_empty() => return None,
        Ends => ordered.join("-"),
        // where the ends are everything, their word says so
        Every if !single && ordered.len() == slots.len() && ends_suffice(slots) => return None,
        Every => ordered.join("-"),
        Fence | FenceAcqRel | FenceSeqCst => match between? {
            Step::Fence(_, order, _) => format!("fence-{}", short(order)),
            Step::Access { .. } | Step::Barrier(_) => return None,
        },
        Address => "addr".to_string(),
        Data => "data".to_string(),
        Control => "ctrl".to_string(),
        Update => "rmw".to_string(),
        Dress::Barrier => "bar".to_string(),
        PlainBarrier => "na-bar".to_string(),
        Plain => "na".to_string(),
    };
    if single && matches!(dress, Address | Data | Control) {
        return None;
    }
    Some((steps, word))
}

/// The order that makes an access release what it can and acquire what it can.
fn strongest(slot: &Slot) -> MemOrder {
    match (slot.read.is_some(), slot.write.is_some()) {
        (true, true) => MemOrder::AcqRel,
        (true, false) => MemOrder::Acquire,
        (false, true) => MemOrder::Release,
        (false, false) => MemOrder::Relaxed,
    }
}

/// Whether the first access reads and the last writes, with none between them.
fn ends_suffice(slots: &[Slot]) -> bool {
    matches!(slots, [first, last] if first.read.is_some() && last.write.is_some())
}

/// The fence between two accesses.
fn link(
    before: &Slot,
    after: &Slot,
    dress: Dress,
    flags: FenceFlags,
    scope: MemScope,
) -> Option<Step> {
    let weakest = match (before.read.is_some(), after.write.is_some()) {
        (false, true) => MemOrder::Release,
        (true, false) => MemOrder::Acquire,
        (true, true) | (false, false) => MemOrder::AcqRel,
    };
    let order = match dress {
        Fence => weakest,
        FenceAcqRel if weakest != MemOrder::AcqRel => MemOrder::AcqRel,
        FenceSeqCst => MemOrder::SeqCst,
        FenceAcqRel
        | Relaxed
        | Ends
        | Every
        | SeqCst
        | Address
        | Data
        | Control
        | Update
        | Dress::Barrier
        | PlainBarrier
        | Plain => return None,
    };
    Some(Step::Fence(flags, order, scope))
}

/// Makes the data plain: the locations that every thread touches either first or after it has seen
/// a flag, which then guards the access. `None` where there are none.
fn make_plain(shape: &Shape, threads: &mut [Vec<Step>]) -> Option<()> {
    let guarded = |slots: &[Slot], i: usize| slots[..i].iter().rposition(|s| s.read.is_some());
    let is_data = |l: usize| {
        let mut any = false;
        let fits = shape.threads.iter().all(|slots| {
            slots.iter().enumerate().all(|(i, slot)| {
                if slot.location != l {
                    return true;
                }
                let flag =
                    guarded(slots, i).is_some_and(|f| slots[f].receives && slots[f].location != l);
                any |= flag;
                let update = slot.read.is_some() && slot.write.is_some();
                !update && (flag || (i == 0 && !slot.receives))
            })
        });
        fits && any
    };
    let data: Vec<usize> = (0..shape.finals.len()).filter(|l| is_data(*l)).collect();
    if data.is_empty() {
        return None;
    }
    for steps in threads.iter_mut() {
        let mut seen_flag = false;
        for step in steps.iter_mut() {
            if let Step::Access {
                slot,
                mode,
                dependency,
            } = step
            {
                if data.contains(&slot.location) {
                    *mode = Mode::Plain;
                    if seen_flag {
                        *dependency = Dependency::Control;
                    }
                }
                seen_flag |= slot.receives;
            }
        }
    }
    Some(())
}
