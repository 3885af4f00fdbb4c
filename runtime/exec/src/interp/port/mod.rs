//! The memory port: what the stepper asks of memory, and the machine's memory
//! as its answer.
//!
//! | module | subject |
//! | --- | --- |
//! | [`word`] | words of memory and the accesses to them |
//! | `machine`, `portable` | the instructions of accesses; where there are means, each can be refused |
//! | [`fault`] | catches accesses that the system refuses |
//! | [`host`] | the machine's own memory, with the bounds checker |
//! | [`broken`] | the same under faults, and weaker than the machine's ([`weak`], with what a work-item must know: [`view`]) |
//!
//! # Orders and scopes
//!
//! Orders are those of the machine's atomics. Every scope is served as the widest.

pub(crate) mod broken;
pub(crate) mod fault;
pub(crate) mod host;
#[cfg(catches_faults)]
mod machine;
#[cfg(not(catches_faults))]
mod portable;
mod view;
mod weak;
pub(crate) mod word;

use crate::device::DeviceQueues;
use crate::error::TrapKind;
use crate::interp::code::Site;
use host::{Block, Window};
use std::ops::Range;
use touchstone_ir::{AddressSpace, MemScope, Order, Regions};
use word::{Atomic, AtomicWord, Word};

/// Where an atomic access is made, and how it orders others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicAt {
    pub(crate) site: Site,
    pub(crate) address: u64,
    pub(crate) order: Order,
    pub(crate) scope: MemScope,
}

/// What the stepper asks of memory. None means that the access traps; the port
/// keeps the reason for [`Port::take_fault`].
pub(crate) trait Port {
    fn load<W: Word>(&mut self, site: Site, address: u64) -> Option<W>;
    fn store<W: Word>(&mut self, site: Site, address: u64, value: W) -> Option<()>;
    /// An atomic access; gives what was there before, or the value of a store.
    fn atomic<W: AtomicWord>(&mut self, at: AtomicAt, access: Atomic<W>) -> Option<W>;
    fn copy(&mut self, sites: (Site, Site), dst: u64, src: u64, size: u64) -> Option<()>;
    fn fill(&mut self, site: Site, dst: u64, byte: u8, size: u64) -> Option<()>;
    fn fence(&mut self, order: Order, scope: MemScope, regions: Regions);
    /// Whether integer division by zero gives some value instead of a trap.
    fn divides_by_zero(&self) -> bool;
    /// The space that an address lies in, of global, local and private memory; None for the
    /// null pointer. One past the end of a block may be taken to lie in the next.
    fn space_of(&self, address: u64) -> Option<AddressSpace>;
    /// Writes what a kernel prints; false if it cannot be written.
    fn print(&mut self, text: &[u8]) -> bool;
    /// Whether somebody else may write bytes at an address for the kernel; traps if not.
    fn permits(&mut self, site: Site, address: u64, size: u64) -> Option<()>;
    /// Whether accesses of `size` bytes may be made at a first address, at a last one, and between them; the next ones
    /// may then need no look-up. False where that is not known; notes no reason.
    #[cfg_attr(not(compiles_kernels), allow(dead_code))]
    fn reaches(&mut self, _site: Site, _first: u64, _last: (u64, u64), _writes: bool) -> bool {
        false
    }
    /// The device queues, if there are any.
    fn queues(&self) -> Option<&dyn DeviceQueues>;
    /// The group that runs, by its number.
    fn group(&self) -> u64;
    fn take_fault(&mut self) -> Option<TrapKind>;
}

/// A port that work-groups run over.
pub(crate) trait GroupPort: Port {
    /// Whether compiled code may make its accesses; it finds the windows at [`GroupPort::windows`] then.
    const COMPILED: bool = false;

    /// Whether accesses are checked against the windows.
    const CHECKED: bool = true;

    /// The windows by site, of compiled code; they stay there.
    #[cfg_attr(not(compiles_kernels), allow(dead_code))]
    fn windows(&self) -> *const Window {
        std::ptr::null()
    }

    /// Sets the local memory of the thread's groups, for the rest of the launch.
    fn set_local(&mut self, block: Block);

    /// Sets the private memory of the item that runs next.
    fn set_private(&mut self, block: Block);

    /// A group of so many items begins, in sub-groups of `sub_group`; its number.
    fn begin_group(&mut self, _number: u64, _items: usize, _sub_group: usize) {}

    /// The item that runs next.
    #[inline(always)]
    fn set_item(&mut self, _item: u32) {}

    /// Items of the group have all come to a barrier.
    fn barrier(&mut self, _items: Range<usize>, scope: MemScope, regions: Regions) {
        if !regions.is_empty() {
            self.fence(Order::AcqRel, scope, regions);
        }
    }

    /// Whether the access that has just been refused is to be made again later.
    fn take_retry(&mut self) -> bool {
        false
    }
}
