//! What memory does under a fault; nothing of it is used without one.

use std::sync::Arc;

use parking_lot::Mutex;
use touchstone_faults::{Fault, any, on};

use super::Buffer;
use super::svm::SvmHeap;
use crate::kernel::broken as kernels;
use crate::queue::Queue;
use crate::queue::command::Action;

/// The bytes of a range.
///
/// # Safety
/// They stay while the result is used. Somebody else may use them meanwhile as an application
/// may; a fault is not better than that.
pub unsafe fn bytes_of<'a>(start: usize, size: usize) -> &'a mut [u8] {
    // SAFETY: as the caller vouches.
    unsafe { std::slice::from_raw_parts_mut(start as *mut u8, size) }
}

/// A command has written shared virtual memory.
pub fn svm_written(heap: &SvmHeap, start: usize) {
    if let Some(allocation) = heap.find(start) {
        kernels::svm_written(&allocation);
    }
}

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

/// Whether a kernel uses a buffer.
pub fn is_used(buffer: &Buffer) -> bool {
    on(Fault::ReadersDisturb) && USED.lock().contains(&(buffer.start() as usize))
}

/// What a map of shared virtual memory does: nothing, without a fault.
pub fn svm_map(queue: &Arc<Queue>, start: usize) -> Action {
    if !any() {
        return Box::new(|| Ok(()));
    }
    let context = Arc::clone(&queue.context);
    Box::new(move || {
        if let Some(allocation) = context.svm.find(start) {
            kernels::svm_mapped(&allocation);
        }
        Ok(())
    })
}
