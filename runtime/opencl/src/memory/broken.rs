//! What memory does under a fault; nothing of it is used without one.

use parking_lot::Mutex;
use touchstone_faults::{Fault, on};

/// Buffers that kernels use now, by their first address.
static USED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A kernel with these buffers begins.
pub fn enter(starts: &[usize]) {
    if on(Fault::ReadersDisturb) {
        USED.lock().extend(starts);
    }
}

/// It has ended.
pub fn leave(starts: &[usize]) {
    if on(Fault::ReadersDisturb) {
        let mut used = USED.lock();
        for start in starts {
            if let Some(at) = used.iter().position(|other| other == start) {
                used.swap_remove(at);
            }
        }
    }
}

/// Whether a kernel uses the buffer with this first address.
pub fn is_used(start: *const u8) -> bool {
    on(Fault::ReadersDisturb) && USED.lock().contains(&(start as usize))
}

/// What faults remember of an allocation of shared virtual memory.
#[derive(Debug, Default)]
pub struct Past {
    /// Which device ran the last kernel that had it.
    device: usize,
    /// What was there before that kernel.
    before: Vec<u8>,
    /// What was there after it.
    after: Vec<u8>,
}

impl Past {
    /// A kernel on a device begins that has the allocation, whose contents these are; `fine` says
    /// whether the host may use it without mapping it.
    pub fn kernel_begins(&mut self, device: usize, fine: bool, bytes: &mut [u8]) {
        if self.before.len() != bytes.len() {
            *self = Self {
                device,
                before: vec![0; bytes.len()],
                after: vec![0; bytes.len()],
            };
        }
        if on(Fault::SvmOtherDeviceStale) && self.device != device {
            bytes.copy_from_slice(&self.before);
        }
        self.device = device;
        if fine && on(Fault::SvmFineHostLost) {
            bytes.copy_from_slice(&self.after);
        }
        if fine {
            self.show(bytes);
        }
        self.before.copy_from_slice(bytes);
    }

    /// It has ended.
    pub fn kernel_ends(&mut self, fine: bool, bytes: &mut [u8]) {
        self.after.copy_from_slice(bytes);
        if fine && on(Fault::SvmFineStale) {
            bytes.copy_from_slice(&self.before);
        }
    }

    /// Shows what the last kernel left, but for what the host has changed since, where that is
    /// hidden.
    pub fn show(&self, bytes: &mut [u8]) {
        if !on(Fault::SvmFineStale) {
            return;
        }
        let kept = self.before.iter().zip(&self.after);
        for (byte, (before, after)) in bytes.iter_mut().zip(kept) {
            if byte == before {
                *byte = *after;
            }
        }
    }

    /// A command has written the allocation.
    pub fn written(&mut self, bytes: &[u8]) {
        if on(Fault::SvmFineHostLost) || on(Fault::SvmFineStale) {
            self.after = bytes.to_vec();
            self.before = bytes.to_vec();
        }
    }
}
