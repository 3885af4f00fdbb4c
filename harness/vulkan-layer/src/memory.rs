//! Memory of the device that the host has mapped: flushes and invalidates that do nothing.
//!
//! A flush makes the host's writes available to the device, an invalidate the device's visible to the host
//! (`vk.host`). Memory that is coherent needs neither (Vulkan specification, "Device Memory"), so the ranges of such
//! memory count as no effect.

use crate::device::{ABSENT, Device, slice};
use ash::vk;
use classay_faults::VulkanFault;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The memory of a device that is not coherent.
pub(crate) struct NonCoherent {
    /// A bit for each kind of memory that is coherent.
    coherent: u32,
    /// The allocations of other kinds. An allocation is there before the call that makes it returns, and the lock
    /// orders that before the look-ups of whoever is given it.
    memories: Mutex<HashSet<vk::DeviceMemory>>,
}

impl NonCoherent {
    pub(crate) fn of_types(types: &vk::PhysicalDeviceMemoryProperties) -> NonCoherent {
        let kinds = types.memory_types_as_slice().iter().enumerate();
        let coherent = kinds.filter(|(_, kind)| {
            let flags = kind.property_flags;
            flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT)
        });
        NonCoherent {
            coherent: coherent.fold(0, |bits, (at, _)| bits | 1 << at),
            memories: Mutex::default(),
        }
    }

    fn memories(&self) -> MutexGuard<'_, HashSet<vk::DeviceMemory>> {
        // A set is whole whenever its lock is free.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn allocated(&self, memory: vk::DeviceMemory, kind: u32) {
        if self
            .coherent
            .checked_shr(kind)
            .is_none_or(|bits| bits & 1 == 0)
        {
            self.memories().insert(memory);
        }
    }

    fn freed(&self, memory: vk::DeviceMemory) {
        self.memories().remove(&memory);
    }

    /// How many ranges are of memory that is not coherent.
    fn count(&self, ranges: &[vk::MappedMemoryRange<'_>]) -> u64 {
        let memories = self.memories();
        let counted = ranges
            .iter()
            .filter(|range| memories.contains(&range.memory));
        counted.count() as u64
    }
}

/// `vkAllocateMemory`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn allocate(
    device: &Device,
    handle: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    let Some(next) = device.next.allocate_memory else {
        return ABSENT;
    };
    // SAFETY: the caller's arguments; the memory is one that there is now.
    unsafe {
        let result = next(handle, info, allocator, memory);
        if result == vk::Result::SUCCESS {
            let kind = (*info).memory_type_index;
            device.non_coherent.allocated(*memory, kind);
        }
        result
    }
}

/// `vkFreeMemory`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn free(
    device: &Device,
    handle: vk::Device,
    memory: vk::DeviceMemory,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // Before the call: behind it another thread may get the handle for a new allocation.
    device.non_coherent.freed(memory);
    if let Some(next) = device.next.free_memory {
        // SAFETY: the caller's arguments.
        unsafe { next(handle, memory, allocator) };
    }
}

/// `vkFlushMappedMemoryRanges`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn flush(
    device: &Device,
    handle: vk::Device,
    count: u32,
    ranges: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    let next = device.next.flush_mapped_memory_ranges;
    // SAFETY: the caller's arguments; the two functions have one type.
    unsafe { synchronize(device, VulkanFault::DropFlush, next, handle, count, ranges) }
}

/// `vkInvalidateMappedMemoryRanges`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn invalidate(
    device: &Device,
    handle: vk::Device,
    count: u32,
    ranges: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    let next = device.next.invalidate_mapped_memory_ranges;
    // SAFETY: the caller's arguments.
    unsafe {
        synchronize(
            device,
            VulkanFault::DropInvalidate,
            next,
            handle,
            count,
            ranges,
        )
    }
}

/// Makes the call, or drops it where its fault is active.
///
/// # Safety
/// The arguments are those of the function.
unsafe fn synchronize(
    device: &Device,
    fault: VulkanFault,
    next: Option<vk::PFN_vkFlushMappedMemoryRanges>,
    handle: vk::Device,
    count: u32,
    ranges: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    if device.effects.counts() {
        // SAFETY: so many ranges.
        let ranges = unsafe { slice(ranges, count) };
        device.effects.add(fault, device.non_coherent.count(ranges));
    }
    match next {
        _ if device.faults.has(fault) => vk::Result::SUCCESS,
        // SAFETY: the caller's arguments.
        Some(next) => unsafe { next(handle, count, ranges) },
        None => ABSENT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Next;
    use ash::vk::Handle;
    use std::cell::Cell;
    use std::ptr::null;

    thread_local! {
        static CALLS: Cell<u32> = const { Cell::new(0) };
    }

    unsafe extern "system" fn called(
        _: vk::Device,
        count: u32,
        _: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        CALLS.set(CALLS.get() + count);
        vk::Result::SUCCESS
    }

    unsafe extern "system" fn allocated(
        _: vk::Device,
        info: *const vk::MemoryAllocateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        memory: *mut vk::DeviceMemory,
    ) -> vk::Result {
        // SAFETY: what the test gives; the handle is the size.
        unsafe { *memory = vk::DeviceMemory::from_raw((*info).allocation_size) };
        vk::Result::SUCCESS
    }

    /// A device with an allocation 1 of coherent and an allocation 2 of other memory.
    fn device(faults: &str) -> Device {
        let next = Next {
            allocate_memory: Some(allocated),
            flush_mapped_memory_ranges: Some(called),
            invalidate_mapped_memory_ranges: Some(called),
            ..Next::default()
        };
        let device = Device::of(next, faults);
        for kind in 0..2 {
            let info = vk::MemoryAllocateInfo::default()
                .memory_type_index(kind)
                .allocation_size(u64::from(kind) + 1);
            let mut memory = vk::DeviceMemory::null();
            // SAFETY: a create info and a place for the handle.
            let result =
                unsafe { allocate(&device, vk::Device::null(), &info, null(), &mut memory) };
            assert_eq!(result, vk::Result::SUCCESS);
        }
        device
    }

    /// Flushes both allocations and invalidates the second; how many ranges the next functions saw.
    fn play(device: &Device) -> u32 {
        let ranges = [1, 2].map(|memory| {
            vk::MappedMemoryRange::default().memory(vk::DeviceMemory::from_raw(memory))
        });
        CALLS.set(0);
        let handle = vk::Device::null();
        // SAFETY: so many ranges.
        unsafe {
            let flushed = flush(device, handle, 2, ranges.as_ptr());
            assert_eq!(flushed, vk::Result::SUCCESS);
            let invalidated = invalidate(device, handle, 1, &ranges[1]);
            assert_eq!(invalidated, vk::Result::SUCCESS);
        }
        CALLS.get()
    }

    #[test]
    fn a_dropped_call_succeeds_and_is_none() {
        assert_eq!(play(&device("")), 3);
        assert_eq!(play(&device("drop-flush")), 1);
        assert_eq!(play(&device("drop-invalidate")), 2);
        assert_eq!(play(&device("drop-flush,drop-invalidate")), 0);
    }

    #[test]
    fn ranges_count_where_the_memory_is_not_coherent() {
        for faults in ["", "drop-flush"] {
            let device = device(faults);
            play(&device);
            assert_eq!(device.effects.of(VulkanFault::DropFlush), 1);
            assert_eq!(device.effects.of(VulkanFault::DropInvalidate), 1);
            // SAFETY: no function comes next.
            unsafe { free(&device, vk::Device::null(), Handle::from_raw(2), null()) };
            play(&device);
            assert_eq!(device.effects.of(VulkanFault::DropFlush), 1);
        }
    }
}
