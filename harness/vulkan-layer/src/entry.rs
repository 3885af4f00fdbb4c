//! The functions that go through the layer, and how they are found.
//!
//! All others go past it: the answer of whoever comes next is handed on. A function of devices is the layer's only
//! where the next has it, so that the layer adds none that the device does not offer.

use crate::device::{self, ABSENT};
use crate::loader::next_of_instance;
use crate::registry::{DEVICES, INSTANCES};
use crate::{barriers, instance, memory, modules, queues, submits};
use ash::vk;
use std::ffi::{CStr, c_char};

/// What a function needs to be found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Nothing.
    Global,
    /// An instance.
    Instance,
    /// A device.
    Device,
}

/// A function of the layer.
#[derive(Clone, Copy)]
struct Found {
    level: Level,
    function: unsafe extern "system" fn(),
}

/// Functions with the C ABI that look their device up, and leave the rest to one that is given it.
macro_rules! through {
    ($(
        $name:ident($object:ident: $kind:ty $(, $argument:ident: $type:ty)* $(,)?)
            $(-> $answer:ty, else $absent:expr)?, to $does:path;
    )*) => {$(
        unsafe extern "system" fn $name($object: $kind $(, $argument: $type)*) $(-> $answer)? {
            // SAFETY: a live object, and arguments as the function asks for.
            unsafe {
                match DEVICES.find($object) {
                    Some(device) => $does(&device, $object $(, $argument)*),
                    None => { $($absent)? }
                }
            }
        }
    )*};
}

through! {
    create_shader_module(
        device: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        module: *mut vk::ShaderModule,
    ) -> vk::Result, else ABSENT, to modules::create_module;

    create_compute_pipelines(
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        infos: *const vk::ComputePipelineCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        pipelines: *mut vk::Pipeline,
    ) -> vk::Result, else ABSENT, to modules::create_compute;

    create_graphics_pipelines(
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        pipelines: *mut vk::Pipeline,
    ) -> vk::Result, else ABSENT, to modules::create_graphics;

    cmd_pipeline_barrier(
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
    ), to barriers::pipeline_barrier;

    cmd_pipeline_barrier2(
        commands: vk::CommandBuffer,
        info: *const vk::DependencyInfo<'_>,
    ), to barriers::pipeline_barrier2;

    get_device_queue(
        device: vk::Device,
        family: u32,
        number: u32,
        queue: *mut vk::Queue,
    ), to queues::get;

    get_device_queue2(
        device: vk::Device,
        info: *const vk::DeviceQueueInfo2<'_>,
        queue: *mut vk::Queue,
    ), to queues::get2;

    queue_submit(
        queue: vk::Queue,
        count: u32,
        batches: *const vk::SubmitInfo<'_>,
        fence: vk::Fence,
    ) -> vk::Result, else ABSENT, to submits::submit;

    queue_submit2(
        queue: vk::Queue,
        count: u32,
        batches: *const vk::SubmitInfo2<'_>,
        fence: vk::Fence,
    ) -> vk::Result, else ABSENT, to submits::submit2;

    allocate_memory(
        device: vk::Device,
        info: *const vk::MemoryAllocateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        memory: *mut vk::DeviceMemory,
    ) -> vk::Result, else ABSENT, to memory::allocate;

    free_memory(
        device: vk::Device,
        memory: vk::DeviceMemory,
        allocator: *const vk::AllocationCallbacks<'_>,
    ), to memory::free;

    flush_mapped_memory_ranges(
        device: vk::Device,
        count: u32,
        ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result, else ABSENT, to memory::flush;

    invalidate_mapped_memory_ranges(
        device: vk::Device,
        count: u32,
        ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result, else ABSENT, to memory::invalidate;
}

/// The functions of the layer by their names.
macro_rules! functions {
    ($($($name:literal)|+ => $level:ident, $function:expr, $type:ident;)*) => {
        /// The layer's function of this name.
        fn find(name: &[u8]) -> Option<Found> {
            let (level, function) = match name {
                $($($name)|+ => {
                    let function: vk::$type = $function;
                    // SAFETY: one function pointer as another, whoever calls it casts it back.
                    let function = unsafe {
                        std::mem::transmute::<vk::$type, unsafe extern "system" fn()>(function)
                    };
                    (Level::$level, function)
                })*
                _ => return None,
            };
            Some(Found { level, function })
        }

        /// The names of all.
        #[cfg(test)]
        const NAMES: &[&[u8]] = &[$($($name,)+)*];
    };
}

functions! {
    b"vkGetInstanceProcAddr" => Global, get_instance_proc_addr, PFN_vkGetInstanceProcAddr;
    b"vkCreateInstance" => Global, instance::create_instance, PFN_vkCreateInstance;
    b"vkEnumerateInstanceLayerProperties" =>
        Global, instance::instance_layers, PFN_vkEnumerateInstanceLayerProperties;
    b"vkEnumerateInstanceExtensionProperties" =>
        Global, instance::instance_extensions, PFN_vkEnumerateInstanceExtensionProperties;
    b"vkDestroyInstance" => Instance, instance::destroy_instance, PFN_vkDestroyInstance;
    b"vkCreateDevice" => Instance, device::create_device, PFN_vkCreateDevice;
    b"vkEnumerateDeviceLayerProperties" =>
        Instance, instance::device_layers, PFN_vkEnumerateDeviceLayerProperties;
    b"vkEnumerateDeviceExtensionProperties" =>
        Instance, instance::device_extensions, PFN_vkEnumerateDeviceExtensionProperties;
    b"vkGetPhysicalDeviceQueueFamilyProperties" =>
        Instance, queues::families, PFN_vkGetPhysicalDeviceQueueFamilyProperties;
    b"vkGetPhysicalDeviceQueueFamilyProperties2" | b"vkGetPhysicalDeviceQueueFamilyProperties2KHR" =>
        Instance, queues::families2, PFN_vkGetPhysicalDeviceQueueFamilyProperties2;
    b"vkGetDeviceQueue" => Device, get_device_queue, PFN_vkGetDeviceQueue;
    b"vkGetDeviceQueue2" => Device, get_device_queue2, PFN_vkGetDeviceQueue2;
    b"vkGetDeviceProcAddr" => Device, get_device_proc_addr, PFN_vkGetDeviceProcAddr;
    b"vkDestroyDevice" => Device, device::destroy_device, PFN_vkDestroyDevice;
    b"vkCreateShaderModule" => Device, create_shader_module, PFN_vkCreateShaderModule;
    b"vkCreateComputePipelines" => Device, create_compute_pipelines, PFN_vkCreateComputePipelines;
    b"vkCreateGraphicsPipelines" =>
        Device, create_graphics_pipelines, PFN_vkCreateGraphicsPipelines;
    b"vkCmdPipelineBarrier" => Device, cmd_pipeline_barrier, PFN_vkCmdPipelineBarrier;
    b"vkCmdPipelineBarrier2" | b"vkCmdPipelineBarrier2KHR" =>
        Device, cmd_pipeline_barrier2, PFN_vkCmdPipelineBarrier2;
    b"vkQueueSubmit" => Device, queue_submit, PFN_vkQueueSubmit;
    b"vkQueueSubmit2" | b"vkQueueSubmit2KHR" => Device, queue_submit2, PFN_vkQueueSubmit2;
    b"vkAllocateMemory" => Device, allocate_memory, PFN_vkAllocateMemory;
    b"vkFreeMemory" => Device, free_memory, PFN_vkFreeMemory;
    b"vkFlushMappedMemoryRanges" =>
        Device, flush_mapped_memory_ranges, PFN_vkFlushMappedMemoryRanges;
    b"vkInvalidateMappedMemoryRanges" =>
        Device, invalidate_mapped_memory_ranges, PFN_vkInvalidateMappedMemoryRanges;
}

/// `vkGetInstanceProcAddr`. Global functions are found with whatever instance: the loader asks for
/// `vkCreateInstance` with one that is not created yet.
pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a C string, and an instance that is null or begins with its dispatch key.
    unsafe {
        let found = find(CStr::from_ptr(name).to_bytes());
        if let Some(found) = found.filter(|found| found.level == Level::Global) {
            return Some(found.function);
        }
        let known = INSTANCES.find(instance)?;
        match found {
            Some(found) if found.level == Level::Instance => Some(found.function),
            found => {
                let get = known.get_instance_proc_addr;
                let next: unsafe extern "system" fn() =
                    next_of_instance(get, instance, CStr::from_ptr(name))?;
                Some(found.map_or(next, |found| found.function))
            }
        }
    }
}

/// `vkGetDeviceProcAddr`.
pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a C string, and a live device.
    unsafe {
        let known = DEVICES.find(device)?;
        let next = known.next.get_device_proc_addr?(device, name)?;
        let found = find(CStr::from_ptr(name).to_bytes());
        let found = found.filter(|found| found.level == Level::Device);
        Some(found.map_or(next, |found| found.function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_faults::vulkan::ROWS;

    #[test]
    fn every_function_where_a_fault_acts_goes_through_the_layer() {
        for row in ROWS {
            for place in row.places {
                assert!(NAMES.contains(&place.as_bytes()), "{}: {place}", row.id);
            }
        }
        for name in NAMES {
            assert!(find(name).is_some());
        }
    }

    #[test]
    fn nothing_is_found_without_what_it_needs() {
        let get = |name: &CStr| {
            // SAFETY: no instance, and a C string.
            unsafe { get_instance_proc_addr(vk::Instance::null(), name.as_ptr()) }
        };
        assert!(get(c"vkCreateInstance").is_some());
        assert!(get(c"vkEnumerateInstanceLayerProperties").is_some());
        assert!(get(c"vkCreateDevice").is_none());
        assert!(get(c"vkQueueSubmit").is_none());
        assert!(get(c"vkNoSuchFunction").is_none());
    }
}
