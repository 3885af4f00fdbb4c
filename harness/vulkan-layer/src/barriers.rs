//! Pipeline barriers that are not recorded.
//!
//! A pipeline barrier orders the commands before and behind it, and makes memory available and visible (`vk.av`,
//! `vk.vis`, `vk.locord`). One that also moves an image to another layout, or a resource to another queue family,
//! stays as it is: without that the contents are undefined, which is no matter of order.

use crate::device::{Device, slice};
use ash::vk;
use classay_faults::VulkanFault;

/// Whether a barrier that only orders is to be dropped; it is counted.
fn drops(device: &Device, only_orders: bool) -> bool {
    if only_orders {
        device.effects.add(VulkanFault::DropPipelineBarrier, 1);
    }
    only_orders && device.faults.has(VulkanFault::DropPipelineBarrier)
}

/// `vkCmdPipelineBarrier`.
///
/// # Safety
/// As the function asks.
#[allow(clippy::too_many_arguments, reason = "Vulkan's")]
pub(crate) unsafe fn pipeline_barrier(
    device: &Device,
    commands: vk::CommandBuffer,
    before: vk::PipelineStageFlags,
    behind: vk::PipelineStageFlags,
    flags: vk::DependencyFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    // SAFETY: so many barriers of each kind.
    let (of_buffers, of_images) =
        unsafe { (slice(buffers, buffer_count), slice(images, image_count)) };
    let keep_owner = |from: u32, to: u32| from == to;
    let only_orders = of_buffers
        .iter()
        .all(|b| keep_owner(b.src_queue_family_index, b.dst_queue_family_index))
        && of_images.iter().all(|b| {
            keep_owner(b.src_queue_family_index, b.dst_queue_family_index)
                && b.old_layout == b.new_layout
        });
    if drops(device, only_orders) {
        return;
    }
    if let Some(next) = device.next.cmd_pipeline_barrier {
        // SAFETY: the caller's arguments.
        unsafe {
            next(
                commands,
                before,
                behind,
                flags,
                memory_count,
                memory,
                buffer_count,
                buffers,
                image_count,
                images,
            );
        }
    }
}

/// `vkCmdPipelineBarrier2`, and the extension's.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn pipeline_barrier2(
    device: &Device,
    commands: vk::CommandBuffer,
    info: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: the caller's structure, with so many barriers of each kind.
    let (of_buffers, of_images) = unsafe {
        let info = &*info;
        (
            slice(
                info.p_buffer_memory_barriers,
                info.buffer_memory_barrier_count,
            ),
            slice(
                info.p_image_memory_barriers,
                info.image_memory_barrier_count,
            ),
        )
    };
    let only_orders = of_buffers
        .iter()
        .all(|b| b.src_queue_family_index == b.dst_queue_family_index)
        && of_images.iter().all(|b| {
            b.src_queue_family_index == b.dst_queue_family_index && b.old_layout == b.new_layout
        });
    if drops(device, only_orders) {
        return;
    }
    if let Some(next) = device.next.cmd_pipeline_barrier2 {
        // SAFETY: the caller's arguments.
        unsafe { next(commands, info) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Next;
    use std::cell::Cell;
    use std::ptr::null;

    thread_local! {
        static RECORDED: Cell<u32> = const { Cell::new(0) };
    }

    #[allow(clippy::too_many_arguments, reason = "Vulkan's")]
    unsafe extern "system" fn recorded(
        _: vk::CommandBuffer,
        _: vk::PipelineStageFlags,
        _: vk::PipelineStageFlags,
        _: vk::DependencyFlags,
        _: u32,
        _: *const vk::MemoryBarrier<'_>,
        _: u32,
        _: *const vk::BufferMemoryBarrier<'_>,
        _: u32,
        _: *const vk::ImageMemoryBarrier<'_>,
    ) {
        RECORDED.set(RECORDED.get() + 1);
    }

    unsafe extern "system" fn recorded2(_: vk::CommandBuffer, _: *const vk::DependencyInfo<'_>) {
        RECORDED.set(RECORDED.get() + 1);
    }

    /// Records a barrier by both functions; how many were recorded next, and how many counted.
    fn record(
        faults: &str,
        family: u32,
        image: Option<(vk::ImageLayout, vk::ImageLayout)>,
    ) -> (u32, u64) {
        let next = Next {
            cmd_pipeline_barrier: Some(recorded),
            cmd_pipeline_barrier2: Some(recorded2),
            ..Next::default()
        };
        let device = Device::of(next, faults);
        RECORDED.set(0);
        let buffer = vk::BufferMemoryBarrier::default().dst_queue_family_index(family);
        let buffer2 = [vk::BufferMemoryBarrier2::default().dst_queue_family_index(family)];
        let (old, new) = image.unwrap_or_default();
        let images = vk::ImageMemoryBarrier::default()
            .old_layout(old)
            .new_layout(new);
        let images2 = [vk::ImageMemoryBarrier2::default()
            .old_layout(old)
            .new_layout(new)];
        let count = u32::from(image.is_some());
        let mut info = vk::DependencyInfo::default().buffer_memory_barriers(&buffer2);
        if image.is_some() {
            info = info.image_memory_barriers(&images2);
        }
        let commands = vk::CommandBuffer::null();
        let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: as many barriers as it says.
        unsafe {
            pipeline_barrier(
                &device,
                commands,
                stage,
                stage,
                flags,
                0,
                null(),
                1,
                &buffer,
                count,
                &images,
            );
            pipeline_barrier2(&device, commands, &info);
        }
        let counted = device.effects.of(VulkanFault::DropPipelineBarrier);
        (RECORDED.get(), counted)
    }

    #[test]
    fn a_barrier_that_only_orders_is_dropped() {
        let (general, other) = (
            vk::ImageLayout::GENERAL,
            vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        );
        let fault = "drop-pipeline-barrier";
        assert_eq!(record("", 0, None), (2, 2));
        assert_eq!(record(fault, 0, None), (0, 2));
        assert_eq!(record(fault, 0, Some((general, general))), (0, 2));
        assert_eq!(record(fault, 0, Some((general, other))), (2, 0));
        assert_eq!(record(fault, 1, None), (2, 0));
        assert_eq!(record("drop-flush", 0, None), (2, 2));
    }
}
