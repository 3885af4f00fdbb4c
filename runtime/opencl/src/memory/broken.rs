//! What memory does under a fault; nothing of it is used without one.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::{CL_MAP_WRITE_INVALIDATE_REGION, cl_map_flags};
use parking_lot::Mutex;
use touchstone_faults::{Fault, any, on};

use super::svm::Allocation;
use super::{Buffer, MemObject, svm::SvmHeap};
use crate::ffi::raw::HostAddress;
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

/// What a mapping hides.
struct Hidden {
    truth: Vec<u8>,
    shown: Vec<u8>,
}

/// Mappings that hide something, by address.
static HIDDEN: Mutex<Option<HashMap<usize, Vec<Hidden>>>> = Mutex::new(None);
/// What the host last left in an object, by the start of the object.
static LEFT: Mutex<Option<HashMap<usize, Vec<u8>>>> = Mutex::new(None);

/// An object comes; its memory stays until [`forget`].
pub fn made(start: usize, size: usize) {
    if on(Fault::MapStale) || on(Fault::SvmMapStale) {
        // SAFETY: the caller has just made it.
        let bytes = unsafe { bytes_of(start, size) }.to_vec();
        LEFT.lock().get_or_insert_default().insert(start, bytes);
    }
}

/// An object goes.
pub fn forget(start: usize) {
    if let Some(left) = LEFT.lock().as_mut() {
        left.remove(&start);
    }
    kernels::forget(start);
}

/// What the host last left in a range of an object.
fn left(object: usize, start: usize, size: usize) -> Option<Vec<u8>> {
    let left = LEFT.lock();
    let bytes = left.as_ref()?.get(&object)?;
    let first = start.checked_sub(object)?;
    Some(bytes.get(first..first + size)?.to_vec())
}

/// A range of an object is mapped now: `stale` and `lost` are the faults about that.
pub fn mapped(object: usize, start: usize, size: usize, stale: Fault, lost: Fault) {
    if !on(stale) && !on(lost) {
        return;
    }
    // SAFETY: the command that maps holds the object.
    let bytes = unsafe { bytes_of(start, size) };
    let truth = bytes.to_vec();
    if on(stale)
        && let Some(old) = left(object, start, size)
    {
        bytes.copy_from_slice(&old);
    }
    let shown = bytes.to_vec();
    let mut hidden = HIDDEN.lock();
    let hidden = hidden.get_or_insert_default().entry(start).or_default();
    hidden.push(Hidden { truth, shown });
}

/// What was mapped at an address is unmapped now.
pub fn unmapped(object: usize, start: usize, lost: Fault) {
    let mut hidden = HIDDEN.lock();
    let hidden = hidden.as_mut().and_then(|hidden| hidden.get_mut(&start));
    let Some(Hidden { truth, shown }) = hidden.and_then(Vec::pop) else {
        return;
    };
    // SAFETY: the command that unmaps holds the object.
    let bytes = unsafe { bytes_of(start, truth.len()) };
    for (byte, (truth, shown)) in bytes.iter_mut().zip(truth.iter().zip(&shown)) {
        if on(lost) || byte == shown {
            *byte = *truth;
        }
    }
    let mut left = LEFT.lock();
    let left = left.as_mut().and_then(|left| left.get_mut(&object));
    let range = (start - object)..(start - object + bytes.len());
    if let Some(left) = left.and_then(|left| left.get_mut(range)) {
        left.copy_from_slice(bytes);
    }
}

/// A range of shared virtual memory is mapped now.
pub fn svm_mapped(heap: &SvmHeap, start: usize, size: usize) {
    if let Some(allocation) = heap.find(start) {
        kernels::svm_mapped(&allocation);
        let size = size.min(allocation.start() + allocation.size() - start);
        if !allocation.is_fine_grain() {
            let (stale, lost) = (Fault::SvmMapStale, Fault::SvmUnmapLost);
            mapped(allocation.start(), start, size, stale, lost);
        }
    }
}

/// What was mapped of shared virtual memory is unmapped now.
pub fn svm_unmapped(heap: &SvmHeap, start: usize) {
    if let Some(allocation) = heap.find(start) {
        unmapped(allocation.start(), start, Fault::SvmUnmapLost);
    }
}

/// A command has written shared virtual memory.
pub fn svm_written(heap: &SvmHeap, start: usize) {
    if let Some(allocation) = heap.find(start) {
        kernels::svm_written(&allocation);
    }
}

/// An allocation is freed too early: its contents go, its memory stays, as commands may use it.
pub fn svm_freed_early(allocation: Option<Arc<Allocation>>) {
    if let Some(allocation) = allocation {
        // SAFETY: the allocation is held here.
        unsafe { bytes_of(allocation.start(), allocation.size()) }.fill(0xdd);
        std::mem::forget(allocation);
    }
}

/// Clears what a buffer holds outside of a range.
pub fn clear_around(buffer: &Buffer, offset: usize, size: usize) {
    // SAFETY: the command holds the buffer.
    let bytes = unsafe { bytes_of(buffer.start() as usize, buffer.size()) };
    bytes[..offset].fill(0);
    bytes[offset + size..].fill(0);
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

/// Other addresses that mappings of the application's memory were given, with the ranges
/// that they stand for.
static ELSEWHERE: Mutex<Vec<(usize, usize, usize)>> = Mutex::new(Vec::new());

/// The map of a range of a buffer, whose address is known, is performed.
pub fn map(buffer: &Buffer, address: usize, offset: usize, size: usize, flags: cl_map_flags) {
    let start = buffer.start() as usize + offset;
    if flags & CL_MAP_WRITE_INVALIDATE_REGION != 0 && on(Fault::InvalidateAll) {
        clear_around(buffer, offset, size);
    }
    if address != start {
        // SAFETY: both have as many bytes, one of the application's and one of the fault's.
        unsafe { super::copy::bytes(start as *const u8, address as *mut u8, size) };
        ELSEWHERE.lock().push((address, start, size));
    }
    mapped(
        buffer.root_start(),
        start,
        size,
        Fault::MapStale,
        Fault::UnmapLost,
    );
}

/// The unmap of a range of a buffer is performed.
pub fn unmap(buffer: &Buffer, address: usize) {
    let mut elsewhere = ELSEWHERE.lock();
    let known = elsewhere.iter().position(|(at, ..)| *at == address);
    if let Some((from, to, size)) = known.map(|at| elsewhere.swap_remove(at)) {
        // SAFETY: as for the map.
        unsafe { super::copy::bytes(from as *const u8, to as *mut u8, size) };
    }
    unmapped(buffer.root_start(), address, Fault::UnmapLost);
}

/// Clears the contents of an object.
pub fn clear(object: &MemObject) {
    if let MemObject::Buffer(buffer) = object {
        clear_around(buffer, 0, 0);
    }
}

/// What maps (with a size) and unmaps of shared virtual memory do: nothing, without a fault.
pub fn svm_action(queue: &Arc<Queue>, start: usize, size: Option<usize>) -> Action {
    if !any() {
        return Box::new(|| Ok(()));
    }
    let context = Arc::clone(&queue.context);
    Box::new(move || {
        match size {
            Some(size) => svm_mapped(&context.svm, start, size),
            None => svm_unmapped(&context.svm, start),
        }
        Ok(())
    })
}

/// What migrations of shared virtual memory do: nothing, without a fault.
pub fn svm_migration(queue: &Arc<Queue>, pointers: &[*const c_void], keeps: bool) -> Action {
    if !(on(Fault::SvmMigrateDiscards) && keeps) {
        return Box::new(|| Ok(()));
    }
    let found = |pointer: &*const c_void| queue.context.svm.find(*pointer as usize);
    let allocations: Vec<_> = pointers.iter().filter_map(found).collect();
    Box::new(move || {
        for allocation in allocations {
            // SAFETY: the allocation is held here.
            unsafe { bytes_of(allocation.start(), allocation.size()) }.fill(0);
        }
        Ok(())
    })
}

/// An application's array of pointers as it is now; zeros where it cannot be read.
pub fn read_pointers(array: HostAddress, count: usize) -> Vec<HostAddress> {
    let mut pointers = vec![0usize; count];
    let to = pointers.as_mut_ptr().cast();
    // SAFETY: there is room for as many; what cannot be read is caught.
    let _ = unsafe { touchstone_exec::copy_caught(array.get(), to, size_of_val(&*pointers)) };
    let pointers = pointers.into_iter();
    pointers
        .map(|p| HostAddress::new(p as *const c_void))
        .collect()
}
