//! What launches of kernels do under a fault or a latitude; nothing of it is used without one.

use std::sync::Arc;

use touchstone_exec::{LaunchError, LaunchStats};
use touchstone_faults::{Fault, any, on};

use super::Kernel;
use super::launch::Held;
use super::range::Range;
use crate::memory::broken as memory;
use crate::memory::svm::Used;
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
        let released = |(buffer, _): &(Arc<_>, _)| object::references(buffer) == 0;
        if on(Fault::ArgsReleased) && held.buffers.iter().any(released) {
            return Ok(LaunchStats::default());
        }
        for buffer in &held.constants {
            // SAFETY: the first byte of a buffer that this command holds.
            unsafe { *buffer.start_mut() ^= 1 };
        }
        let _used: Vec<_> = held.allocations.iter().map(Used::new).collect();
        let device = Arc::as_ptr(&self.device) as usize;
        for allocation in &held.allocations {
            let fine = allocation.is_fine_grain();
            allocation.broken(|past, bytes| past.kernel_begins(device, fine, bytes));
        }
        let late =
            on(Fault::LastGroupLate) && !held.buffers.iter().any(|(b, _)| b.uses_host_memory());
        if late {
            // Somebody uses them for longer than this command lives.
            std::mem::forget(held.clone());
        }
        // Where memories are apart, this brings them.
        let reached = held.buffers.iter().map(|(buffer, writes)| match writes {
            true => buffer.start_mut().cast_const(),
            false => buffer.start(),
        });
        let starts: Vec<usize> = reached.map(|start| start as usize).collect();
        memory::enter(&starts);
        let ran = run(late);
        memory::leave(&starts);
        for allocation in &held.allocations {
            let fine = allocation.is_fine_grain();
            allocation.broken(|past, bytes| past.kernel_ends(fine, bytes));
        }
        ran
    }
}
