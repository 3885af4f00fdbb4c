//! Which faults would make a difference to what a program does.
//!
//! The file of [`classay_faults::effects`] counts how much of what the program gave so far each fault changes, whether
//! it is active or not.
//!
//! | fault | counts |
//! | --- | --- |
//! | of modules | instructions of each module that is given, every time that it is |
//! | `drop-pipeline-barrier` | barriers that are recorded, and only order |
//! | `drop-semaphore-wait` | semaphores that batches with commands wait for |
//! | `drop-flush`, `drop-invalidate` | ranges of memory that is not coherent: others need neither |

use crate::say;
use classay_faults::VulkanFault;
pub use classay_faults::effects::VARIABLE;
use classay_faults::vulkan::ROWS;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A count for each fault; none where nobody asks.
#[derive(Clone, Copy)]
pub(crate) struct Effects(Option<&'static [AtomicU64]>);

impl Effects {
    /// Those of the file that the environment names. With a line on standard error where it cannot be shared.
    pub(crate) fn of_environment() -> Effects {
        static SHARED: OnceLock<Option<&[AtomicU64]>> = OnceLock::new();
        Effects(*SHARED.get_or_init(|| {
            let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
            let shared = shared(&path);
            if shared.is_none() {
                let path = path.to_string_lossy();
                say::line(&format!("{VARIABLE}: '{path}' cannot be shared"));
            }
            shared
        }))
    }

    /// Counts of this process alone.
    #[cfg(test)]
    pub(crate) fn alone() -> Effects {
        let counts = ROWS.iter().map(|_| AtomicU64::new(0)).collect();
        Effects(Some(Vec::leak(counts)))
    }

    /// Whether anybody asks.
    pub(crate) fn counts(self) -> bool {
        self.0.is_some()
    }

    /// So much more would be changed.
    pub(crate) fn add(self, fault: VulkanFault, changed: u64) {
        if let Some(count) = self.0.and_then(|counts| counts.get(fault as usize)) {
            count.fetch_add(changed, Ordering::Relaxed);
        }
    }

    /// How much was counted of a fault.
    #[cfg(test)]
    pub(crate) fn of(self, fault: VulkanFault) -> u64 {
        let count = self.0.and_then(|counts| counts.get(fault as usize));
        count.map_or(0, |count| count.load(Ordering::Relaxed))
    }
}

/// The counts at the begin of a file, zero where it was shorter; never given up.
fn shared(path: &OsStr) -> Option<&'static [AtomicU64]> {
    let length = classay_faults::effects::bytes(ROWS.len());
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .ok()?;
    if file.metadata().ok()?.len() < length as u64 {
        file.set_len(length as u64).ok()?;
    }
    // SAFETY: a new mapping of a file that is as long as it; nothing else is at its place.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: so many words of a mapping that stays, at the begin of a page; they are used as atomics only.
    Some(unsafe { std::slice::from_raw_parts(start.cast(), ROWS.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_count_for_each_fault_and_keeps_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("effects");
        let effects = Effects(shared(path.as_os_str()));
        effects.add(VulkanFault::DropFlush, 2);
        effects.add(VulkanFault::DropFlush, 1);
        let again = Effects(shared(path.as_os_str()));
        assert_eq!(again.of(VulkanFault::DropFlush), 3);
        let bytes = std::fs::read(&path).expect("a file");
        assert_eq!(bytes.len(), classay_faults::effects::bytes(ROWS.len()));
        for (count, row) in classay_faults::effects::counts(&bytes).zip(ROWS) {
            assert_eq!(count, if row.id == "drop-flush" { 3 } else { 0 });
        }
        assert!(shared(folder.path().as_os_str()).is_none());
    }
}
