//! Manners: how the threads of a candidate state scopes and storage classes, and how ordinary data is handed
//! over between them.

use super::context::Context;
use super::shape::Slot;
use crate::program::{
    Api, Atomic, Atomicity, Barrier, Fence, FenceFlags, Make, MemOrder, MemScope,
};

classay_vocabulary::words! {
    /// How ordinary data is accessed. In OpenCL there is one way; in Vulkan data is private by default,
    /// and what is non-private still has to be made available and visible.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Data {
        /// As it is where nothing is said; in Vulkan privately.
        Default = "priv",
        /// Non-privately, and nothing is made available or visible.
        NonPrivate = "np",
        /// Each write makes itself available, each read makes visible what it reads.
        Instructions = "av-vis",
        /// The semantics of releases make available, those of acquires make visible.
        Semantics = "semav-semvis",
        /// Each write makes itself available, the semantics of acquires make visible.
        WritesAndSemantics = "av-semvis",
        /// The semantics of releases make available, each read makes visible what it reads.
        SemanticsAndReads = "semav-vis",
    }
}

use Data::{Default, Instructions, NonPrivate, Semantics, SemanticsAndReads, WritesAndSemantics};

impl Data {
    /// The ways of an API: all, or those that are most often right.
    pub fn of(api: Api, all: bool) -> &'static [Data] {
        match (api, all) {
            (Api::OpenCl, _) => &[Default],
            (Api::Vulkan, true) => &Data::ALL,
            (Api::Vulkan, false) => &[Instructions, Semantics],
        }
    }

    /// The ways of an API where no flag and no barrier orders anything: what reaches other agents, and what does
    /// not.
    pub fn unordered(api: Api) -> &'static [Data] {
        match api {
            Api::OpenCl => &[Default],
            Api::Vulkan => &[Default, NonPrivate],
        }
    }

    /// What semantics make available and visible.
    pub fn made(self) -> Make {
        Make {
            available: matches!(self, Semantics | SemanticsAndReads),
            visible: matches!(self, Semantics | WritesAndSemantics),
        }
    }

    fn atomicity(self, slot: &Slot, scope: MemScope) -> Atomicity {
        let writes = slot.write.is_some();
        let itself = match self {
            Default => return Atomicity::Plain,
            NonPrivate | Semantics => false,
            Instructions => true,
            WritesAndSemantics => writes,
            SemanticsAndReads => !writes,
        };
        Atomicity::NonPrivate(itself.then_some(scope))
    }
}

/// How a thread of a candidate states what it states.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'c> {
    /// The API that it is written for.
    pub api: Api,
    /// Its context.
    pub context: &'c Context,
    /// How ordinary data is handed over.
    pub data: Data,
    /// The thread's number.
    pub thread: usize,
    /// How many threads there are.
    pub threads: usize,
}

impl Manner<'_> {
    /// The scope that the thread states.
    pub fn scope(self) -> MemScope {
        self.context.scope(self.thread, self.threads)
    }

    /// What an atomic access of this order states.
    pub fn atomic(self, order: MemOrder) -> Atomic {
        let atomic = Atomic::explicit(order, Some(self.scope()));
        match self.api {
            Api::OpenCl => atomic,
            Api::Vulkan => Atomic {
                flags: self.context.flags(),
                make: self.data.made(),
                ..atomic
            }
            .ordered(order),
        }
    }

    /// How an ordinary access reaches memory.
    pub fn ordinary(self, slot: &Slot) -> Atomicity {
        self.data.atomicity(slot, self.scope())
    }

    /// A fence of this order.
    pub fn fence(self, order: MemOrder) -> Fence {
        Fence {
            flags: self.context.flags(),
            order,
            scope: self.scope(),
            legacy: false,
            make: self.data.made().under(order),
        }
    }

    /// The barrier that the thread meets others at, where there are any.
    pub fn barrier(self) -> Option<Barrier> {
        let barrier = self.context.barrier(self.thread)?;
        Some(Barrier {
            make: self.data.made(),
            ..barrier
        })
    }

    /// That barrier without memory semantics, between two fences that order what it orders.
    pub fn fenced_barrier(self) -> Option<(Fence, Barrier, Fence)> {
        let barrier = self.barrier()?;
        let fence = |order| Fence {
            scope: barrier.reach(),
            ..self.fence(order)
        };
        let bare = Barrier {
            flags: FenceFlags::NONE,
            order: MemOrder::Relaxed,
            make: Make::NOTHING,
            ..barrier.clone()
        };
        Some((fence(MemOrder::Release), bare, fence(MemOrder::Acquire)))
    }
}
