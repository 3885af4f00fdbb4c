//! Batches whose commands do not wait for their semaphores.
//!
//! A semaphore orders the batch that signals it before the one that waits (`vk.ssw`). Such a batch becomes two: one
//! of its commands alone, and behind it one of its waits and signals. So its commands begin too early, while every
//! semaphore and fence is signaled and unsignaled as before: what the program may do next stays valid, and a test
//! sees a missing order rather than a lost device.
//!
//! A batch without commands has nothing that could be early, and one for several devices of a group
//! (`VkDeviceGroupSubmitInfo`), whose chain has lists of the same lengths, stays as it is.

use crate::device::{ABSENT, Device, slice};
use crate::loader::structures;
use ash::vk;
use classay_faults::VulkanFault;

/// A batch of either function.
trait Batch: Copy {
    /// How many semaphores its commands wait for, where that can be dropped.
    fn waits(&self) -> u32;

    /// Its commands alone.
    fn commands(self) -> Self;

    /// All but its commands.
    fn semaphores(self) -> Self;
}

impl Batch for vk::SubmitInfo<'_> {
    fn waits(&self) -> u32 {
        // SAFETY: the chain of a batch that the program submits.
        let mut chain = unsafe { structures(self.p_next) };
        let group = chain.any(|(kind, _)| kind == vk::StructureType::DEVICE_GROUP_SUBMIT_INFO);
        if self.command_buffer_count == 0 || group {
            return 0;
        }
        self.wait_semaphore_count
    }

    fn commands(self) -> Self {
        vk::SubmitInfo {
            wait_semaphore_count: 0,
            signal_semaphore_count: 0,
            ..self
        }
    }

    fn semaphores(self) -> Self {
        vk::SubmitInfo {
            command_buffer_count: 0,
            ..self
        }
    }
}

impl Batch for vk::SubmitInfo2<'_> {
    fn waits(&self) -> u32 {
        if self.command_buffer_info_count == 0 {
            return 0;
        }
        self.wait_semaphore_info_count
    }

    fn commands(self) -> Self {
        vk::SubmitInfo2 {
            wait_semaphore_info_count: 0,
            signal_semaphore_info_count: 0,
            ..self
        }
    }

    fn semaphores(self) -> Self {
        vk::SubmitInfo2 {
            command_buffer_info_count: 0,
            ..self
        }
    }
}

/// The batches as the fault has them; none where they stay as they are. What could be dropped is counted.
fn without_waits<B: Batch>(device: &Device, batches: &[B]) -> Option<Vec<B>> {
    let waits: u64 = batches.iter().map(|batch| u64::from(batch.waits())).sum();
    device.effects.add(VulkanFault::DropSemaphoreWait, waits);
    if waits == 0 || !device.faults.has(VulkanFault::DropSemaphoreWait) {
        return None;
    }
    let parts = batches.iter().flat_map(|&batch| match batch.waits() {
        0 => vec![batch],
        _ => vec![batch.commands(), batch.semaphores()],
    });
    Some(parts.collect())
}

/// The number of batches, and where they are.
fn array<B>(batches: &[B]) -> (u32, *const B) {
    // At most two for each of the program's, whose number has 32 bits itself.
    let count = u32::try_from(batches.len()).unwrap_or(u32::MAX);
    (count, batches.as_ptr())
}

/// `vkQueueSubmit`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn submit(
    device: &Device,
    queue: vk::Queue,
    count: u32,
    batches: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let Some(next) = device.next.queue_submit else {
        return ABSENT;
    };
    // SAFETY: so many batches.
    let parts = without_waits(device, unsafe { slice(batches, count) });
    let (count, batches) = parts.as_deref().map_or((count, batches), array);
    // SAFETY: the caller's batches or parts of them.
    unsafe { next(queue, count, batches, fence) }
}

/// `vkQueueSubmit2`, and the extension's.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn submit2(
    device: &Device,
    queue: vk::Queue,
    count: u32,
    batches: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let Some(next) = device.next.queue_submit2 else {
        return ABSENT;
    };
    // SAFETY: so many batches.
    let parts = without_waits(device, unsafe { slice(batches, count) });
    let (count, batches) = parts.as_deref().map_or((count, batches), array);
    // SAFETY: the caller's batches or parts of them.
    unsafe { next(queue, count, batches, fence) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Next;
    use std::cell::RefCell;

    thread_local! {
        /// Waits, commands and signals of each batch.
        static SUBMITTED: RefCell<Vec<[u32; 3]>> = const { RefCell::new(Vec::new()) };
    }

    unsafe extern "system" fn submitted(
        _: vk::Queue,
        count: u32,
        batches: *const vk::SubmitInfo<'_>,
        _: vk::Fence,
    ) -> vk::Result {
        // SAFETY: so many batches.
        let batches = unsafe { slice(batches, count) }.iter().map(|b| {
            [
                b.wait_semaphore_count,
                b.command_buffer_count,
                b.signal_semaphore_count,
            ]
        });
        SUBMITTED.set(batches.collect());
        vk::Result::SUCCESS
    }

    unsafe extern "system" fn submitted2(
        _: vk::Queue,
        count: u32,
        batches: *const vk::SubmitInfo2<'_>,
        _: vk::Fence,
    ) -> vk::Result {
        // SAFETY: so many batches.
        let batches = unsafe { slice(batches, count) }.iter().map(|b| {
            [
                b.wait_semaphore_info_count,
                b.command_buffer_info_count,
                b.signal_semaphore_info_count,
            ]
        });
        SUBMITTED.set(batches.collect());
        vk::Result::SUCCESS
    }

    fn device(faults: &str) -> Device {
        let next = Next {
            queue_submit: Some(submitted),
            queue_submit2: Some(submitted2),
            ..Next::default()
        };
        Device::of(next, faults)
    }

    /// Submits a batch that waits, one that does not, and one that only waits, by both functions; what came next.
    fn play(device: &Device) -> [Vec<[u32; 3]>; 2] {
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS; 2];
        let semaphores = [vk::Semaphore::null(); 2];
        let commands = [vk::CommandBuffer::null()];
        let waiting = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages);
        let batches = [
            waiting
                .command_buffers(&commands)
                .signal_semaphores(&semaphores[..1]),
            vk::SubmitInfo::default().command_buffers(&commands),
            waiting,
        ];
        let semaphores = [vk::SemaphoreSubmitInfo::default(); 2];
        let commands = [vk::CommandBufferSubmitInfo::default()];
        let waiting = vk::SubmitInfo2::default().wait_semaphore_infos(&semaphores);
        let batches2 = [
            waiting
                .command_buffer_infos(&commands)
                .signal_semaphore_infos(&semaphores[..1]),
            vk::SubmitInfo2::default().command_buffer_infos(&commands),
            waiting,
        ];
        let (queue, fence) = (vk::Queue::null(), vk::Fence::null());
        // SAFETY: so many batches.
        unsafe {
            let result = submit(device, queue, 3, batches.as_ptr(), fence);
            assert_eq!(result, vk::Result::SUCCESS);
            let first = SUBMITTED.take();
            let result = submit2(device, queue, 3, batches2.as_ptr(), fence);
            assert_eq!(result, vk::Result::SUCCESS);
            [first, SUBMITTED.take()]
        }
    }

    #[test]
    fn commands_do_not_wait_and_semaphores_are_used_up() {
        let as_given = vec![[2, 1, 1], [0, 1, 0], [2, 0, 0]];
        let all = device("");
        assert_eq!(play(&all), [as_given.clone(), as_given]);
        assert_eq!(all.effects.of(VulkanFault::DropSemaphoreWait), 4);
        let without = vec![[0, 1, 0], [2, 0, 1], [0, 1, 0], [2, 0, 0]];
        let early = device("drop-semaphore-wait");
        assert_eq!(play(&early), [without.clone(), without]);
        assert_eq!(early.effects.of(VulkanFault::DropSemaphoreWait), 4);
    }

    #[test]
    fn a_batch_of_a_device_group_stays() {
        let semaphores = [vk::Semaphore::null()];
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        let commands = [vk::CommandBuffer::null()];
        let mut group = vk::DeviceGroupSubmitInfo::default();
        let batch = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&commands)
            .push_next(&mut group);
        let device = device("drop-semaphore-wait");
        // SAFETY: one batch.
        let result = unsafe { submit(&device, vk::Queue::null(), 1, &batch, vk::Fence::null()) };
        assert_eq!(result, vk::Result::SUCCESS);
        assert_eq!(SUBMITTED.take(), [[1, 1, 0]]);
        assert_eq!(device.effects.of(VulkanFault::DropSemaphoreWait), 0);
    }
}
