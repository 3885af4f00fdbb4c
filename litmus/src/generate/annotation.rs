//! Annotations: which orders, fences, dependencies and barriers a thread has.

use super::design::Dependency;
use super::shape::Slot;
use crate::mutation::short_order;
use crate::program::{Api, MemOrder};

/// How a thread is annotated: its orders, fences and dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Annotation {
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
    /// Every access a relaxed read-modify-write.
    UpdateRelaxed,
    /// Every access a seq_cst read-modify-write.
    UpdateSeqCst,
    /// What message passing needs beside a barrier: the first thread meets the others after its
    /// accesses, they before theirs.
    Meet,
    /// Relaxed accesses and a barrier.
    Barrier,
    /// Ordinary accesses and a barrier.
    PlainBarrier,
    /// Ordinary accesses.
    Plain,
    /// Ordinary accesses and a control barrier without memory semantics between two fences, in Vulkan.
    FencedBarrier,
}

use Annotation::{
    Address, Control, Data, Ends, Every, Fence, FenceAcqRel, FenceSeqCst, FencedBarrier, Meet,
    Plain, PlainBarrier, Relaxed, SeqCst, Update, UpdateRelaxed, UpdateSeqCst,
};

impl Annotation {
    /// Whether an API has what it consists of: Vulkan has no sequential consistency, and OpenCL no barrier
    /// that orders nothing.
    pub fn known(self, api: Api) -> bool {
        match self {
            SeqCst | FenceSeqCst | UpdateSeqCst => api == Api::OpenCl,
            FencedBarrier => api == Api::Vulkan,
            Relaxed
            | Ends
            | Every
            | Fence
            | FenceAcqRel
            | Address
            | Data
            | Control
            | Update
            | UpdateRelaxed
            | Meet
            | Annotation::Barrier
            | PlainBarrier
            | Plain => true,
        }
    }

    /// Whether every access is an ordinary one.
    pub fn ordinary(self) -> bool {
        matches!(self, Plain | PlainBarrier | FencedBarrier)
    }

    /// Whether every access is a read-modify-write.
    pub fn updates(self) -> bool {
        matches!(self, Update | UpdateRelaxed | UpdateSeqCst)
    }

    /// How accesses depend on those before them.
    pub fn dependency(self) -> Dependency {
        match self.link() {
            Link::Dependency(dependency) => dependency,
            Link::Nothing | Link::WeakestFence | Link::Fence(_) => Dependency::None,
        }
    }

    /// What it puts between two accesses.
    fn link(self) -> Link {
        match self {
            Address => Link::Dependency(Dependency::Address),
            Data => Link::Dependency(Dependency::Data),
            Control => Link::Dependency(Dependency::Control),
            Fence => Link::WeakestFence,
            FenceAcqRel => Link::Fence(MemOrder::AcqRel),
            FenceSeqCst => Link::Fence(MemOrder::SeqCst),
            Relaxed
            | Ends
            | Every
            | SeqCst
            | Update
            | UpdateRelaxed
            | UpdateSeqCst
            | Meet
            | Annotation::Barrier
            | PlainBarrier
            | FencedBarrier
            | Plain => Link::Nothing,
        }
    }

    /// The order of an access of a thread.
    pub fn order(self, slots: &[Slot], i: usize) -> MemOrder {
        let slot = &slots[i];
        let strong = strongest(slot);
        match self {
            SeqCst | UpdateSeqCst => MemOrder::SeqCst,
            Every => strong,
            Ends | Meet => {
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
            | UpdateRelaxed
            | Annotation::Barrier
            | PlainBarrier
            | FencedBarrier
            | Plain => MemOrder::Relaxed,
        }
    }

    /// Its word in the names of tests; none where another annotation gives the same thread.
    pub fn word(self, slots: &[Slot], mut fences: Vec<MemOrder>) -> Option<String> {
        let single = slots.len() == 1;
        let orders = (0..slots.len()).map(|i| self.order(slots, i));
        let ordered: Vec<&str> = orders
            .filter(|o| *o != MemOrder::Relaxed)
            .map(short_order)
            .collect();
        let word = match self {
            Address | Data | Control if single => return None,
            Ends if single || ordered.is_empty() => return None,
            // where the ends are everything, their word says so
            Every if !single && ordered.len() == slots.len() && ends_suffice(slots) => {
                return None;
            }
            Ends | Every => ordered.join("-"),
            Fence | FenceAcqRel | FenceSeqCst => {
                let first = *fences.first()?;
                if fences.iter().all(|order| *order == first) {
                    fences.truncate(1);
                }
                let words: Vec<&str> = fences.iter().map(|order| short_order(*order)).collect();
                format!("fence-{}", words.join("-"))
            }
            Relaxed => "rlx".to_string(),
            SeqCst => "sc".to_string(),
            Address => "addr".to_string(),
            Data => "data".to_string(),
            Control => "ctrl".to_string(),
            Update => "rmw".to_string(),
            UpdateRelaxed => "rmw-rlx".to_string(),
            UpdateSeqCst => "rmw-sc".to_string(),
            Meet => "meet".to_string(),
            Annotation::Barrier => "bar".to_string(),
            PlainBarrier => "na-bar".to_string(),
            Plain => "na".to_string(),
            FencedBarrier => "na-fbar".to_string(),
        };
        Some(word)
    }
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

/// The weakest order of a fence that orders two accesses.
pub fn weakest(before: &Slot, after: &Slot) -> MemOrder {
    match (before.read.is_some(), after.write.is_some()) {
        (false, true) => MemOrder::Release,
        (true, false) => MemOrder::Acquire,
        (true, true) | (false, false) => MemOrder::AcqRel,
    }
}

/// What an annotation puts between two accesses.
enum Link {
    Nothing,
    Dependency(Dependency),
    /// The weakest fence that orders them.
    WeakestFence,
    Fence(MemOrder),
}

/// The order of the fence between two accesses.
pub fn link(before: &Slot, after: &Slot, annotation: Annotation) -> Option<MemOrder> {
    match annotation.link() {
        Link::WeakestFence => Some(weakest(before, after)),
        Link::Fence(order) => Some(order),
        Link::Nothing | Link::Dependency(_) => None,
    }
}
