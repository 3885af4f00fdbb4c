//! What launches of kernels do under a fault; nothing of it is used without one.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use touchstone_exec::{LaunchError, LaunchStats};
use touchstone_faults::{Fault, any, on};

use super::Kernel;
use super::launch::Held;
use super::range::Range;
use crate::memory::broken as memory;
use crate::memory::svm::Allocation;
use crate::object;
use crate::platform::Device;
use crate::program::Origin;

/// The index space that is used for the one that was asked for.
pub fn range(mut range: Range, kernel: &Kernel) -> Range {
    if !any() {
        return range;
    }
    let is_binary = matches!(kernel.program.origin, Origin::Binary(_));
    if on(Fault::BinaryItemMissing) && is_binary && range.global[0] > 1 {
        range.global[0] -= 1;
    }
    range
}

/// What surrounds one run of a kernel.
pub(super) struct Around {
    held: Held,
    device: Arc<Device>,
}

/// What faults remember of an allocation of shared virtual memory.
#[derive(Default)]
struct Past {
    /// Which device ran the last kernel that had it.
    device: usize,
    /// What was there before that kernel.
    before: Vec<u8>,
    /// What was there after it.
    after: Vec<u8>,
}

/// By the start of the allocation.
static PAST: Mutex<Option<HashMap<usize, Past>>> = Mutex::new(None);

impl Around {
    pub(super) fn new(held: &Held, device: &Arc<Device>) -> Self {
        Self {
            held: held.clone(),
            device: Arc::clone(device),
        }
    }

    /// Runs the kernel; `run` is told whether its last group is to be late.
    pub(super) fn run(
        &self,
        run: impl FnOnce(bool) -> Result<LaunchStats, LaunchError>,
    ) -> Result<LaunchStats, LaunchError> {
        let held = &self.held;
        let released = |buffer: &Arc<_>| object::references(buffer) == 0;
        if on(Fault::ArgsReleased) && held.buffers.iter().any(released) {
            return Ok(LaunchStats::default());
        }
        for buffer in &held.constants {
            // SAFETY: the first byte of a buffer that this command holds.
            unsafe { *buffer.start() ^= 1 };
        }
        for allocation in &held.allocations {
            self.before(allocation);
        }
        let late = on(Fault::LastGroupLate) && !held.buffers.iter().any(|b| b.uses_host_memory());
        if late {
            // Somebody uses them for longer than this command lives.
            std::mem::forget(held.clone());
        }
        let starts: Vec<usize> = held.buffers.iter().map(|b| b.start() as usize).collect();
        memory::enter(&starts);
        let ran = run(late);
        memory::leave(&starts);
        for allocation in &held.allocations {
            after(allocation);
        }
        ran
    }

    fn before(&self, allocation: &Arc<Allocation>) {
        let fine = allocation.is_fine_grain();
        let mut past = PAST.lock();
        let past = past.get_or_insert_default();
        let past = past.entry(allocation.start()).or_default();
        // SAFETY: the allocation is held by this command.
        let bytes = unsafe { memory::bytes_of(allocation.start(), allocation.size()) };
        if past.before.len() != bytes.len() {
            *past = Past {
                device: Arc::as_ptr(&self.device) as usize,
                before: vec![0; bytes.len()],
                after: vec![0; bytes.len()],
            };
        }
        let device = Arc::as_ptr(&self.device) as usize;
        if on(Fault::SvmOtherDeviceStale) && past.device != device {
            bytes.copy_from_slice(&past.before);
        }
        past.device = device;
        if fine && on(Fault::SvmFineHostLost) {
            bytes.copy_from_slice(&past.after);
        }
        if fine && on(Fault::SvmFineStale) {
            show(past, bytes);
        }
        past.before.copy_from_slice(bytes);
    }
}

/// Shows what the last kernel left, but for what the host has changed since.
fn show(past: &Past, bytes: &mut [u8]) {
    let kept = past.before.iter().zip(&past.after);
    for (byte, (before, after)) in bytes.iter_mut().zip(kept) {
        if byte == before {
            *byte = *after;
        }
    }
}

fn after(allocation: &Arc<Allocation>) {
    let mut past = PAST.lock();
    let Some(past) = past.as_mut().and_then(|p| p.get_mut(&allocation.start())) else {
        return;
    };
    // SAFETY: the allocation is held by the command that ends.
    let bytes = unsafe { memory::bytes_of(allocation.start(), allocation.size()) };
    past.after.copy_from_slice(bytes);
    if allocation.is_fine_grain() && on(Fault::SvmFineStale) {
        bytes.copy_from_slice(&past.before);
    }
}

/// A map of shared virtual memory, which shows all.
pub fn svm_mapped(allocation: &Arc<Allocation>) {
    let past = PAST.lock();
    let past = past.as_ref().and_then(|p| p.get(&allocation.start()));
    if let Some(past) = past
        && on(Fault::SvmFineStale)
        && allocation.is_fine_grain()
    {
        // SAFETY: the caller holds the allocation.
        let bytes = unsafe { memory::bytes_of(allocation.start(), allocation.size()) };
        show(past, bytes);
    }
}

/// A command has written shared virtual memory.
pub fn svm_written(allocation: &Arc<Allocation>) {
    if !(on(Fault::SvmFineHostLost) || on(Fault::SvmFineStale)) {
        return;
    }
    let mut past = PAST.lock();
    let past = past.get_or_insert_default();
    // SAFETY: the caller holds the allocation.
    let bytes = unsafe { memory::bytes_of(allocation.start(), allocation.size()) };
    let past = past.entry(allocation.start()).or_default();
    past.after = bytes.to_vec();
    past.before = bytes.to_vec();
}

/// An allocation goes away.
pub fn forget(start: usize) {
    if let Some(past) = PAST.lock().as_mut() {
        past.remove(&start);
    }
}
