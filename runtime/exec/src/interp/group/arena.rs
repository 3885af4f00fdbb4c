//! The memory of a thread for the groups that it runs, and what items start from.

use crate::interp::code::{Fill, Kernel, MAX_ALIGN, Pc};
use touchstone_ir::{MemScope, Regions};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not yet begun.
    Fresh,
    Ready,
    /// Waits at the barrier before `pc`.
    Waiting {
        sub_group: bool,
        regions: Regions,
        scope: MemScope,
    },
    Ended,
}

impl State {
    /// Whether it waits at a barrier, of the sub-group or of the work-group.
    pub(super) fn waits(self, for_sub_group: bool) -> bool {
        matches!(self, State::Waiting { sub_group, .. } if sub_group == for_sub_group)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) pc: Pc,
    pub(super) state: State,
    /// Its slots hold what the stepper needs. Compiled code keeps but those that it must.
    pub(super) is_whole: bool,
    /// It is not run at once with others any more, in this phase of its group.
    pub(super) alone: bool,
}

/// What a kernel's items start from: slots and private memory.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Slots from the lowest to the end of the parameters.
    pub(super) template: Vec<u64>,
    /// Parameters that point into private memory: slot and offset.
    pub(super) private: Vec<(usize, u64)>,
    /// Parameters that point into local memory: slot and offset.
    pub(super) local: Vec<(usize, u64)>,
    /// The bytes of aggregate arguments, by their offset in private memory.
    pub(super) aggregates: Vec<(u64, Vec<u8>)>,
}

impl Start {
    /// A template with the constants in place, and the parameters' slots.
    pub(crate) fn new(
        kernel: &Kernel,
        params: &[u64],
        private: Vec<(usize, u64)>,
        local: Vec<(usize, u64)>,
        aggregates: Vec<(u64, Vec<u8>)>,
    ) -> Start {
        let below = kernel.fills.len();
        let mut template = vec![0; below];
        for (i, fill) in kernel.fills.iter().enumerate() {
            if let Fill::Const(bits) = *fill {
                template[below - 1 - i] = bits;
            }
        }
        template.extend_from_slice(params);
        Start {
            template,
            private,
            local,
            aggregates,
        }
    }
}

/// The memory of one thread for the groups that it runs: register files,
/// private and local memory. Kept from launch to launch.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    pub(super) words: Vec<u64>,
    pub(super) items: Vec<Item>,
    pub(super) ready: Vec<u32>,
}

impl Arena {
    /// Words that are kept although a launch needs less.
    const KEPT: usize = 1 << 20;

    /// Makes room for so many words; None when there is no memory for them.
    pub(super) fn resize(&mut self, words: usize) -> Option<()> {
        if self.words.len() < words || self.words.len() / 4 > words.max(Arena::KEPT) {
            self.words = Vec::new();
            self.words.try_reserve_exact(words).ok()?;
            self.words.resize(words, 0);
        }
        Some(())
    }
}

/// How the arena is divided for a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Words of registers for each item.
    pub(super) regs: usize,
    /// Bytes of private memory for each item, a multiple of `MAX_ALIGN`.
    pub(super) private: u64,
    /// Bytes of local memory, a multiple of `MAX_ALIGN`.
    pub(super) local: u64,
    /// Items of the largest group.
    pub(super) items: u64,
}

impl Layout {
    /// None when it does not fit into addresses.
    pub(crate) fn new(kernel: &Kernel, items: u64, local: u64) -> Option<Layout> {
        let layout = Layout {
            regs: kernel.frame + kernel.fills.len(),
            private: kernel.private_bytes.checked_next_multiple_of(MAX_ALIGN)?,
            local: local.checked_next_multiple_of(MAX_ALIGN)?,
            items,
        };
        layout.bytes().map(|_| layout)
    }

    /// Bytes of all of it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let item = (self.regs as u64)
            .checked_mul(8)?
            .checked_add(self.private)?;
        item.checked_mul(self.items)?
            .checked_add(self.local)?
            .checked_add(MAX_ALIGN)
    }
}
