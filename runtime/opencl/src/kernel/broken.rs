//! What launches of kernels do under a fault or a latitude; nothing of it is used without one.

use std::sync::Arc;
use std::thread::JoinHandle;

use touchstone_exec::{Executable, Groups, Launch, LaunchError, LaunchStats};
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

impl Held {
    /// Whether groups may use it before their command begins or after it has ended.
    fn may_outlive(&self) -> bool {
        !self.buffers.iter().any(|(b, _)| b.uses_host_memory())
    }
}

/// What surrounds one run of a kernel.
pub(super) struct Around {
    held: Held,
    device: Arc<Device>,
    /// The last group, which runs already.
    early: Option<JoinHandle<()>>,
}

impl Around {
    /// Of a command that is about to be enqueued.
    pub(super) fn new(
        held: &Held,
        device: &Arc<Device>,
        executable: &Arc<Executable>,
        launch: &Launch,
    ) -> Self {
        let early = (on(Fault::LastGroupEarly) && held.may_outlive()).then(|| {
            let (held, device) = (held.clone(), Arc::clone(device));
            let (executable, launch) = (Arc::clone(executable), launch.clone());
            std::thread::spawn(move || {
                let pool = device.pool();
                // What is wrong with it is wrong with the other groups, too.
                let _ = pool.run_broken::<Around>(&executable, launch, Groups::Last);
                drop(held);
            })
        });
        Self {
            held: held.clone(),
            device: Arc::clone(device),
            early,
        }
    }

    /// Runs the kernel; `run` gets which of its groups are to run.
    pub(super) fn run(
        self,
        run: impl FnOnce(Groups) -> Result<LaunchStats, LaunchError>,
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
        let groups = if on(Fault::LastGroupLate) && held.may_outlive() {
            // Somebody uses them for longer than this command lives.
            std::mem::forget(held.clone());
            Groups::LastLate
        } else if self.early.is_some() {
            Groups::ButLast
        } else {
            Groups::All
        };
        // Where memories are apart, this brings them.
        let reached = held.buffers.iter().map(|(buffer, writes)| match writes {
            true => buffer.start_mut().cast_const(),
            false => buffer.start(),
        });
        let starts: Vec<usize> = reached.map(|start| start as usize).collect();
        memory::enter(&starts);
        let ran = run(groups);
        if let Some(early) = self.early {
            // A thread that panics has said so.
            let _ = early.join();
        }
        memory::leave(&starts);
        for allocation in &held.allocations {
            let fine = allocation.is_fine_grain();
            allocation.broken(|past, bytes| past.kernel_ends(fine, bytes));
        }
        ran
    }
}
