//! What is shared: between threads, and memory with whoever reads a file.

use std::ffi::{OsStr, c_void};
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The contents of a lock, whoever panicked with it: every change to what the layer locks is whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first bytes of the file that a variable of the environment names, as shared memory, which is
/// zero where the file was shorter; it is never given up. None where the variable is not set, and
/// with a line on standard error where the file cannot be shared.
pub(crate) fn named_by(variable: &str, bytes: usize) -> Option<NonNull<c_void>> {
    let path = std::env::var_os(variable).filter(|v| !v.is_empty())?;
    let memory = map(&path, bytes);
    if memory.is_none() {
        let path = path.to_string_lossy();
        crate::say::line(&format!("{variable}: {path} cannot be shared"));
    }
    memory
}

fn map(path: &OsStr, bytes: usize) -> Option<NonNull<c_void>> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .ok()?;
    file.set_len(bytes as u64).ok()?;
    // SAFETY: a new mapping of a file that is as long as it; nothing else is at its place.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    NonNull::new(start)
}
