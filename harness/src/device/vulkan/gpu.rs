//! A Vulkan device with what classay uses of it: its queue families, its kinds of memory, the features that are
//! turned on.

#![allow(unsafe_code)]

use super::layer::{Chained, Layer};
use crate::environment::ROW;
use ash::vk;
use std::rc::Rc;

/// The oldest version that is used: timeline semaphores and the memory model are in it.
pub const LEAST_VERSION: (u32, u32) = (1, 2);

/// Queues of a family that are used, at most.
pub const MOST_QUEUES: u32 = 16;

/// Why a device does not open, in a sentence.
pub type Unusable = String;

/// What a device has of that which tests need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features {
    /// The Vulkan memory model.
    pub memory_model: bool,
    /// Its device scope.
    pub device_scope: bool,
    /// Availability and visibility chains.
    pub chains: bool,
    /// 64-bit integers in shaders.
    pub int64: bool,
    /// 64-bit atomics on buffers.
    pub buffer_int64_atomics: bool,
    /// 64-bit atomics on workgroup memory.
    pub shared_int64_atomics: bool,
    /// Pointers to buffers as numbers.
    pub buffer_device_address: bool,
}

/// A queue family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Its number.
    pub index: u32,
    /// Queues of it.
    pub queues: u32,
    /// It takes compute work.
    pub compute: bool,
    /// Its clock's bits; 0 where it has none.
    pub timestamp_bits: u32,
}

/// Who a device is.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    pub name: String,
    /// Of the driver.
    pub driver: String,
    pub vendor: u32,
    pub version: (u32, u32, u32),
    pub kind: vk::PhysicalDeviceType,
}

/// An instance, with everything that is asked before a device is chosen.
pub struct Instance {
    pub instance: ash::Instance,
    pub version: (u32, u32, u32),
    /// What stands before the driver.
    layer: Option<Layer>,
}

/// Numbers of a version.
fn version(packed: u32) -> (u32, u32, u32) {
    (
        vk::api_version_major(packed),
        vk::api_version_minor(packed),
        vk::api_version_patch(packed),
    )
}

/// A text of fixed size, up to its end.
fn text(characters: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = characters
        .iter()
        .take_while(|&&c| c != 0)
        .map(|&c| c as u8)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a function of Vulkan answers, in a sentence.
pub fn says(function: &str) -> impl Fn(vk::Result) -> Unusable {
    move |result| format!("{function} gives {result:?}")
}

impl Instance {
    /// Makes an instance, through the layer where there is one.
    ///
    /// # Errors
    ///
    /// The library's version is too old, or it makes none.
    pub fn new(entry: ash::Entry, layer: Option<Layer>) -> Result<Rc<Instance>, Unusable> {
        // SAFETY: asks for a number.
        let packed = unsafe { entry.try_enumerate_instance_version() };
        let packed = packed
            .map_err(says("vkEnumerateInstanceVersion"))?
            .unwrap_or(vk::API_VERSION_1_0);
        let have = version(packed);
        if (have.0, have.1) < LEAST_VERSION {
            let (major, minor) = LEAST_VERSION;
            return Err(format!(
                "its Vulkan is {}.{}; {major}.{minor} is needed",
                have.0, have.1
            ));
        }
        let application = vk::ApplicationInfo::default()
            .application_name(c"classay")
            .api_version(packed.min(vk::API_VERSION_1_3));
        let mut create = vk::InstanceCreateInfo::default().application_info(&application);
        let mut link = layer.as_ref().map(Layer::instance_link);
        let mut chained = link.as_mut().map(Chained::of_instance);
        if let Some(chained) = &mut chained {
            create = create.push_next(chained);
        }
        let first = layer.as_ref().map_or(&entry, |layer| &layer.entry);
        // SAFETY: the description lives through the call; nothing is allocated by us.
        let instance = unsafe { first.create_instance(&create, None) };
        Ok(Rc::new(Instance {
            instance: instance.map_err(says("vkCreateInstance"))?,
            version: have,
            layer,
        }))
    }

    /// The devices, in order.
    ///
    /// # Errors
    ///
    /// They cannot be listed.
    pub fn devices(&self) -> Result<Vec<vk::PhysicalDevice>, Unusable> {
        // SAFETY: the instance lives.
        let devices = unsafe { self.instance.enumerate_physical_devices() };
        devices.map_err(says("vkEnumeratePhysicalDevices"))
    }

    /// Who a device is.
    pub fn identity(&self, device: vk::PhysicalDevice) -> Identity {
        // SAFETY: the device is the instance's.
        let properties = unsafe { self.instance.get_physical_device_properties(device) };
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let newer = version(properties.api_version);
        if (newer.0, newer.1) >= LEAST_VERSION {
            let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            // SAFETY: the chain holds what version 1.2 has.
            unsafe {
                self.instance
                    .get_physical_device_properties2(device, &mut all)
            };
        }
        let words = [text(&driver.driver_name), text(&driver.driver_info)];
        let driver = words.join(" ").trim().to_owned();
        Identity {
            name: text(&properties.device_name),
            driver: match driver.is_empty() {
                true => format!("{:#x}", properties.driver_version),
                false => driver,
            },
            vendor: properties.vendor_id,
            version: newer,
            kind: properties.device_type,
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: devices keep the instance alive, so none is left.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// An open device.
pub struct Gpu {
    pub device: ash::Device,
    pub physical: vk::PhysicalDevice,
    pub features: Features,
    pub families: Vec<Family>,
    pub memory: vk::PhysicalDeviceMemoryProperties,
    pub limits: vk::PhysicalDeviceLimits,
    /// Invocations of a subgroup.
    pub subgroup: u32,
    pub identity: Identity,
    // Last: it outlives the device.
    pub instance: Rc<Instance>,
}

impl Gpu {
    /// Opens a device with all compute queues that it has.
    ///
    /// # Errors
    ///
    /// It is too old, takes no compute work, or does not open.
    pub fn open(instance: Rc<Instance>, physical: vk::PhysicalDevice) -> Result<Gpu, Unusable> {
        let vulkan = &instance.instance;
        let identity = instance.identity(physical);
        let (major, minor, _) = identity.version;
        if (major, minor) < LEAST_VERSION {
            let least = LEAST_VERSION;
            return Err(format!(
                "{} has Vulkan {major}.{minor}; {}.{} is needed",
                identity.name, least.0, least.1
            ));
        }
        // SAFETY: the device is the instance's.
        let (families, memory, limits) = unsafe {
            (
                vulkan.get_physical_device_queue_family_properties(physical),
                vulkan.get_physical_device_memory_properties(physical),
                vulkan.get_physical_device_properties(physical).limits,
            )
        };
        let families: Vec<Family> = (0..)
            .zip(families)
            .map(|(index, family)| Family {
                index,
                queues: family.queue_count,
                compute: family.queue_flags.contains(vk::QueueFlags::COMPUTE),
                timestamp_bits: family.timestamp_valid_bits,
            })
            .collect();
        if !families.iter().any(|family| family.compute) {
            return Err(format!("{} has no queue that computes", identity.name));
        }
        let mut subgroup = vk::PhysicalDeviceVulkan11Properties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
        // SAFETY: the chain holds what version 1.2 has.
        unsafe { vulkan.get_physical_device_properties2(physical, &mut properties) };
        let subgroup = subgroup.subgroup_size;
        let (device, features) = make(&instance, physical, &families)?;
        Ok(Gpu {
            device,
            physical,
            features,
            families,
            memory,
            limits,
            subgroup,
            identity,
            instance,
        })
    }

    /// The families that compute.
    pub fn computing(&self) -> impl Iterator<Item = &Family> {
        self.families.iter().filter(|family| family.compute)
    }

    /// Rows that a linear storage image of the format R32_UINT and [`ROW`] texels a row has at most; 0 where there is none
    /// or its texels are not atomic. One is for what ends a row.
    pub fn plane_rows(&self) -> u32 {
        let (vulkan, physical) = (&self.instance.instance, self.physical);
        let format = vk::Format::R32_UINT;
        // SAFETY: the device is the instance's.
        let (has, most) = unsafe {
            (
                vulkan.get_physical_device_format_properties(physical, format),
                vulkan.get_physical_device_image_format_properties(
                    physical,
                    format,
                    vk::ImageType::TYPE_2D,
                    vk::ImageTiling::LINEAR,
                    vk::ImageUsageFlags::STORAGE,
                    vk::ImageCreateFlags::empty(),
                ),
            )
        };
        use vk::FormatFeatureFlags as Features;
        let needed = Features::STORAGE_IMAGE | Features::STORAGE_IMAGE_ATOMIC;
        let offered = has.linear_tiling_features.contains(needed);
        match most {
            Ok(most) if offered && most.max_extent.width >= ROW => most.max_extent.height,
            Ok(_) | Err(_) => 0,
        }
    }

    /// The type of memory among those of `bits` that has all of `wanted`, and of these one that has as much of
    /// `liked` as one has.
    pub fn memory_type(
        &self,
        bits: u32,
        wanted: vk::MemoryPropertyFlags,
        liked: vk::MemoryPropertyFlags,
    ) -> Option<u32> {
        let types = self.memory.memory_types_as_slice();
        (0..types.len() as u32)
            .filter(|at| bits & (1 << at) != 0)
            .filter(|&at| types[at as usize].property_flags.contains(wanted))
            .max_by_key(|&at| {
                let has = types[at as usize].property_flags & liked;
                (has.as_raw().count_ones(), std::cmp::Reverse(at))
            })
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: whatever was made with the device is gone: it keeps a reference to this.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_device(None);
        }
    }
}

/// Makes the logical device, with the features that it has of ours.
fn make(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    families: &[Family],
) -> Result<(ash::Device, Features), Unusable> {
    let Instance {
        instance: vulkan,
        layer,
        ..
    } = instance;
    let mut has12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut has = vk::PhysicalDeviceFeatures2::default().push_next(&mut has12);
    // SAFETY: the chain holds what version 1.2 has.
    unsafe { vulkan.get_physical_device_features2(physical, &mut has) };
    let int64 = has.features.shader_int64;
    if has12.timeline_semaphore == vk::FALSE {
        return Err("it has no timeline semaphores".into());
    }
    let mut use12 = vk::PhysicalDeviceVulkan12Features::default()
        .timeline_semaphore(true)
        .host_query_reset(has12.host_query_reset == vk::TRUE)
        .vulkan_memory_model(has12.vulkan_memory_model == vk::TRUE)
        .vulkan_memory_model_device_scope(has12.vulkan_memory_model_device_scope == vk::TRUE)
        .vulkan_memory_model_availability_visibility_chains(
            has12.vulkan_memory_model_availability_visibility_chains == vk::TRUE,
        )
        .shader_buffer_int64_atomics(has12.shader_buffer_int64_atomics == vk::TRUE)
        .shader_shared_int64_atomics(has12.shader_shared_int64_atomics == vk::TRUE)
        .buffer_device_address(has12.buffer_device_address == vk::TRUE);
    let features = Features {
        memory_model: use12.vulkan_memory_model == vk::TRUE,
        device_scope: use12.vulkan_memory_model_device_scope == vk::TRUE,
        chains: use12.vulkan_memory_model_availability_visibility_chains == vk::TRUE,
        int64: int64 == vk::TRUE,
        buffer_int64_atomics: use12.shader_buffer_int64_atomics == vk::TRUE,
        shared_int64_atomics: use12.shader_shared_int64_atomics == vk::TRUE,
        buffer_device_address: use12.buffer_device_address == vk::TRUE,
    };
    let mut wanted = vk::PhysicalDeviceFeatures2::default()
        .features(vk::PhysicalDeviceFeatures::default().shader_int64(features.int64))
        .push_next(&mut use12);
    let priorities = [1.0; MOST_QUEUES as usize];
    let queues: Vec<vk::DeviceQueueCreateInfo<'_>> = families
        .iter()
        .filter(|family| family.compute)
        .map(|family| {
            let queues = (family.queues.min(MOST_QUEUES)) as usize;
            vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family.index)
                .queue_priorities(&priorities[..queues])
        })
        .collect();
    let mut create = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .push_next(&mut wanted);
    let link = layer
        .as_ref()
        .map(|layer| layer.device_link(vulkan.handle()));
    let mut link = link.transpose()?;
    let mut chained = link.as_mut().map(Chained::of_device);
    if let Some(chained) = &mut chained {
        create = create.push_next(chained);
    }
    // SAFETY: the descriptions live through the call, and ask for what the device says that it has.
    let device = unsafe { vulkan.create_device(physical, &create, None) };
    Ok((device.map_err(says("vkCreateDevice"))?, features))
}
