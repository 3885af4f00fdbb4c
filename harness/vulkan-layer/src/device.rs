//! Devices: what is known of one, its creation and end.

use crate::effects::Effects;
use crate::instance::Instance;
use crate::loader::{DeviceLink, next_of_device, next_of_instance, take_link};
use crate::memory::NonCoherent;
use crate::queues;
use crate::registry::{DEVICES, INSTANCES};
use crate::setting::Faults;
use ash::vk;

/// The answer of a function that the device does not have: the layer gives out no such function.
pub(crate) const ABSENT: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

/// The elements of an array of Vulkan, which may be null where it is empty.
///
/// # Safety
/// There are so many elements, for as long as the slice is used.
pub(crate) unsafe fn slice<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's elements.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

/// What is known of a device.
pub(crate) struct Device {
    /// Its handle, for functions that need it where only a queue or a command buffer is at hand.
    pub(crate) handle: vk::Device,
    /// The functions that come next.
    pub(crate) next: Next,
    /// What is broken.
    pub(crate) faults: Faults,
    /// What faults would change.
    pub(crate) effects: Effects,
    /// The memory that flushes and invalidates are for.
    pub(crate) non_coherent: NonCoherent,
    /// The driver's queues of each family; none where programs see no others.
    pub(crate) queues: Vec<u32>,
}

/// The functions that come next, each under its name.
macro_rules! next {
    ($($field:ident: $type:ident = $name:literal $(or $other:literal)?,)*) => {
        /// The functions that come next; none where the device has no such function.
        #[derive(Default)]
        pub(crate) struct Next {
            $(pub(crate) $field: Option<vk::$type>,)*
        }

        impl Next {
            /// # Safety
            /// The device is one of the chain that the function belongs to.
            unsafe fn load(get: vk::PFN_vkGetDeviceProcAddr, device: vk::Device) -> Next {
                Next {
                    $($field: {
                        // SAFETY: the type goes with the name.
                        let found = unsafe { next_of_device(get, device, $name) };
                        // SAFETY: an extension's function has the type of the one that it became.
                        $(let found = found.or_else(|| unsafe { next_of_device(get, device, $other) });)?
                        found
                    },)*
                }
            }
        }
    };
}

next! {
    get_device_proc_addr: PFN_vkGetDeviceProcAddr = c"vkGetDeviceProcAddr",
    destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice",
    create_shader_module: PFN_vkCreateShaderModule = c"vkCreateShaderModule",
    destroy_shader_module: PFN_vkDestroyShaderModule = c"vkDestroyShaderModule",
    create_compute_pipelines: PFN_vkCreateComputePipelines = c"vkCreateComputePipelines",
    create_graphics_pipelines: PFN_vkCreateGraphicsPipelines = c"vkCreateGraphicsPipelines",
    cmd_pipeline_barrier: PFN_vkCmdPipelineBarrier = c"vkCmdPipelineBarrier",
    cmd_pipeline_barrier2: PFN_vkCmdPipelineBarrier2 =
        c"vkCmdPipelineBarrier2" or c"vkCmdPipelineBarrier2KHR",
    get_device_queue: PFN_vkGetDeviceQueue = c"vkGetDeviceQueue",
    get_device_queue2: PFN_vkGetDeviceQueue2 = c"vkGetDeviceQueue2",
    queue_submit: PFN_vkQueueSubmit = c"vkQueueSubmit",
    queue_submit2: PFN_vkQueueSubmit2 = c"vkQueueSubmit2" or c"vkQueueSubmit2KHR",
    allocate_memory: PFN_vkAllocateMemory = c"vkAllocateMemory",
    free_memory: PFN_vkFreeMemory = c"vkFreeMemory",
    flush_mapped_memory_ranges: PFN_vkFlushMappedMemoryRanges = c"vkFlushMappedMemoryRanges",
    invalidate_mapped_memory_ranges: PFN_vkInvalidateMappedMemoryRanges =
        c"vkInvalidateMappedMemoryRanges",
}

/// `vkCreateDevice`.
pub(crate) unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    let failed = vk::Result::ERROR_INITIALIZATION_FAILED;
    // SAFETY: a live physical device, a valid create info, and the loader's link in its chain; the functions that come
    // next have those types.
    unsafe {
        let Some(instance) = INSTANCES.find(physical) else {
            return failed;
        };
        let Some(link) = take_link::<DeviceLink>((*info).p_next) else {
            return failed;
        };
        let get = link.get_instance_proc_addr;
        let create: Option<vk::PFN_vkCreateDevice> =
            next_of_instance(get, instance.handle, c"vkCreateDevice");
        let Some(create) = create else {
            return failed;
        };
        let has = match instance.queues {
            Some(_) => queues::of_driver(&instance, physical),
            None => Vec::new(),
        };
        let asked = slice(
            (*info).p_queue_create_infos,
            (*info).queue_create_info_count,
        );
        let asked = queues::fewer(asked, &has);
        let mut own = *info;
        own.p_queue_create_infos = asked.as_ptr();
        let result = create(physical, &own, allocator, device);
        if result == vk::Result::SUCCESS {
            let known = Device {
                handle: *device,
                next: Next {
                    get_device_proc_addr: Some(link.get_device_proc_addr),
                    ..Next::load(link.get_device_proc_addr, *device)
                },
                faults: instance.faults.clone(),
                effects: Effects::of_environment(),
                non_coherent: NonCoherent::of_types(&memory_types(&instance, physical)),
                queues: has,
            };
            DEVICES.insert(*device, known);
        }
        result
    }
}

/// The kinds of memory that a physical device has.
///
/// # Safety
/// The physical device is one of the instance.
unsafe fn memory_types(
    instance: &Instance,
    physical: vk::PhysicalDevice,
) -> vk::PhysicalDeviceMemoryProperties {
    let mut properties = vk::PhysicalDeviceMemoryProperties::default();
    if let Some(next) = instance.next.memory_properties {
        // SAFETY: the caller's physical device.
        unsafe { next(physical, &mut properties) };
    }
    properties
}

/// `vkDestroyDevice`.
pub(crate) unsafe extern "system" fn destroy_device(
    device: vk::Device,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live device or null, that nobody else uses.
    unsafe {
        let next = DEVICES.remove(device).and_then(|d| d.next.destroy_device);
        if let Some(next) = next {
            next(device, allocator);
        }
    }
}

#[cfg(test)]
impl Device {
    /// A device that does not exist, with these functions and faults.
    pub(crate) fn of(next: Next, faults: &str) -> Device {
        let mut types = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: 2,
            ..Default::default()
        };
        types.memory_types[0].property_flags = vk::MemoryPropertyFlags::HOST_COHERENT;
        Device {
            handle: vk::Device::null(),
            next,
            faults: Faults::named(faults).expect("names of faults"),
            effects: Effects::alone(),
            non_coherent: NonCoherent::of_types(&types),
            queues: Vec::new(),
        }
    }
}
