//! Where registers live: slots handed out and taken back.

use std::collections::BTreeMap;

/// Hands out runs of slots from a growing frame.
#[derive(Debug, Default)]
pub(super) struct SlotPool {
    /// Slots handed out so far.
    frame: usize,
    /// Runs given back, by their length.
    free: BTreeMap<usize, Vec<usize>>,
}

impl SlotPool {
    /// The frame's size so far.
    pub(super) fn frame(&self) -> usize {
        self.frame
    }

    /// Forgets what was given back: a callee must not use what a caller, which
    /// was compiled before it, holds while it calls.
    pub(super) fn seal(&mut self) {
        self.free.clear();
    }

    /// A run that is never given back and was never used before.
    pub(super) fn permanent(&mut self, width: usize) -> usize {
        let first = self.frame;
        self.frame += width;
        first
    }

    /// A run that may have been used before.
    pub(super) fn take(&mut self, width: usize) -> usize {
        match self.free.get_mut(&width).and_then(Vec::pop) {
            Some(first) => first,
            None => self.permanent(width),
        }
    }

    /// Gives a run back.
    pub(super) fn give(&mut self, first: usize, width: usize) {
        self.free.entry(width).or_default().push(first);
    }
}
