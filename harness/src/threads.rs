//! Locks, and threads that work side by side.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a lock holds, whoever panicked with it: every change to what this crate locks is whole.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a lock held that is of no more use.
pub fn unlock<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Does the work on so many threads, each of which gets its number and a question that says whether
/// another one failed.
///
/// # Errors
/// The error of one that failed.
pub fn side_by_side<E: Send>(
    threads: usize,
    work: impl Fn(usize, &dyn Fn() -> bool) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let failed: Mutex<Option<E>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (work, failed) = (&work, &failed);
            scope.spawn(move || {
                if let Err(error) = work(number, &|| lock(failed).is_some()) {
                    *lock(failed) = Some(error);
                }
            });
        }
    });
    unlock(failed).map_or(Ok(()), Err)
}
