//! Instances: what is known of one, its creation and end, and what the layer says of itself.

use crate::loader::{InstanceLink, next_of_instance, take_link};
use crate::manifest;
use crate::queues;
use crate::registry::INSTANCES;
use crate::say;
use crate::setting::Faults;
use ash::vk;
use std::ffi::{CStr, c_char};

/// What is known of an instance.
pub(crate) struct Instance {
    /// Its handle, for functions that need it where only a physical device is at hand.
    pub(crate) handle: vk::Instance,
    /// Finds the functions that come next.
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// Those that the layer calls. They are found when the instance is created: later the loader, which comes next to
    /// the last layer, may answer with what comes first.
    pub(crate) next: Next,
    /// What its devices break.
    pub(crate) faults: Faults,
    /// Queues that each family has at least; none where it has the driver's.
    pub(crate) queues: Option<u32>,
}

/// Functions of an instance that come next.
pub(crate) struct Next {
    destroy: Option<vk::PFN_vkDestroyInstance>,
    device_extensions: Option<vk::PFN_vkEnumerateDeviceExtensionProperties>,
    pub(crate) memory_properties: Option<vk::PFN_vkGetPhysicalDeviceMemoryProperties>,
    pub(crate) queue_families: Option<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties>,
    pub(crate) queue_families2: Option<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2>,
}

impl Next {
    /// # Safety
    /// The instance is one of the chain that the function belongs to.
    unsafe fn load(get: vk::PFN_vkGetInstanceProcAddr, instance: vk::Instance) -> Next {
        // SAFETY: the types go with the names.
        unsafe {
            Next {
                destroy: next_of_instance(get, instance, c"vkDestroyInstance"),
                device_extensions: next_of_instance(
                    get,
                    instance,
                    c"vkEnumerateDeviceExtensionProperties",
                ),
                memory_properties: next_of_instance(
                    get,
                    instance,
                    c"vkGetPhysicalDeviceMemoryProperties",
                ),
                queue_families: next_of_instance(
                    get,
                    instance,
                    c"vkGetPhysicalDeviceQueueFamilyProperties",
                ),
                queue_families2: next_of_instance(
                    get,
                    instance,
                    c"vkGetPhysicalDeviceQueueFamilyProperties2",
                )
                .or_else(|| {
                    let name = c"vkGetPhysicalDeviceQueueFamilyProperties2KHR";
                    next_of_instance(get, instance, name)
                }),
            }
        }
    }
}

/// `vkCreateInstance`.
pub(crate) unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    let said = Faults::of_environment().and_then(|faults| Ok((faults, queues::of_environment()?)));
    let (faults, queues) = match said {
        Ok(said) => said,
        Err(message) => {
            say::line(&message);
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
    };
    // SAFETY: a valid create info, and the loader's link in its chain; the next function has that type.
    unsafe {
        let Some(link) = take_link::<InstanceLink>((*info).p_next) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let get = link.get_instance_proc_addr;
        let next: Option<vk::PFN_vkCreateInstance> =
            next_of_instance(get, vk::Instance::null(), c"vkCreateInstance");
        let Some(next) = next else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = next(info, allocator, instance);
        if result == vk::Result::SUCCESS {
            let known = Instance {
                handle: *instance,
                get_instance_proc_addr: get,
                next: Next::load(get, *instance),
                faults,
                queues,
            };
            INSTANCES.insert(*instance, known);
        }
        result
    }
}

/// `vkDestroyInstance`.
pub(crate) unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: a live instance or null, that nobody else uses.
    unsafe {
        let next = INSTANCES.remove(instance).and_then(|i| i.next.destroy);
        if let Some(next) = next {
            next(instance, allocator);
        }
    }
}

/// `vkEnumerateInstanceLayerProperties`: this layer.
pub(crate) unsafe extern "system" fn instance_layers(
    count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: as the function asks.
    unsafe { write_layer(count, properties) }
}

/// `vkEnumerateDeviceLayerProperties`: this layer.
pub(crate) unsafe extern "system" fn device_layers(
    _device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: as the function asks.
    unsafe { write_layer(count, properties) }
}

/// `vkEnumerateInstanceExtensionProperties`: this layer has none, and knows of no others'.
pub(crate) unsafe extern "system" fn instance_extensions(
    layer: *const c_char,
    count: *mut u32,
    _properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: null or a C string.
    if unsafe { !is_this(layer) } {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: a count.
    unsafe { *count = 0 };
    vk::Result::SUCCESS
}

/// `vkEnumerateDeviceExtensionProperties`: this layer has none, the others' come next.
pub(crate) unsafe extern "system" fn device_extensions(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: null or a C string, a count, and a live physical device.
    unsafe {
        if is_this(layer) {
            *count = 0;
            return vk::Result::SUCCESS;
        }
        let known = INSTANCES.find(device);
        let next = known.and_then(|known| known.next.device_extensions);
        let none = vk::Result::ERROR_INITIALIZATION_FAILED;
        next.map_or(none, |next| next(device, layer, count, properties))
    }
}

/// Whether a layer's name is that of this one.
///
/// # Safety
/// The name is null or a C string.
unsafe fn is_this(layer: *const c_char) -> bool {
    // SAFETY: a C string.
    !layer.is_null() && unsafe { CStr::from_ptr(layer) }.to_bytes() == manifest::NAME.as_bytes()
}

/// Writes this layer, as far as there is room.
///
/// # Safety
/// There is a count, and null or room for as many layers as it says.
unsafe fn write_layer(count: *mut u32, properties: *mut vk::LayerProperties) -> vk::Result {
    // SAFETY: the caller's.
    unsafe {
        if properties.is_null() {
            *count = 1;
            return vk::Result::SUCCESS;
        }
        if *count == 0 {
            return vk::Result::INCOMPLETE;
        }
        *count = 1;
        let mut layer = vk::LayerProperties {
            spec_version: vk::HEADER_VERSION_COMPLETE,
            implementation_version: manifest::VERSION,
            ..Default::default()
        };
        write_text(&mut layer.layer_name, manifest::NAME);
        write_text(&mut layer.description, manifest::DESCRIPTION);
        properties.write(layer);
    }
    vk::Result::SUCCESS
}

/// Writes a text, which is shorter than its place.
fn write_text(place: &mut [c_char], text: &str) {
    for (to, from) in place.iter_mut().zip(text.bytes()) {
        *to = from as c_char;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layer_says_what_it_is() {
        let (mut count, mut layers) = (0, [vk::LayerProperties::default(); 2]);
        // SAFETY: a count, and room for two layers.
        unsafe {
            let null = std::ptr::null_mut();
            assert_eq!(instance_layers(&mut count, null), vk::Result::SUCCESS);
            assert_eq!(count, 1);
            count = 0;
            let written = instance_layers(&mut count, layers.as_mut_ptr());
            assert_eq!(written, vk::Result::INCOMPLETE);
            count = 2;
            let written = instance_layers(&mut count, layers.as_mut_ptr());
            assert_eq!((written, count), (vk::Result::SUCCESS, 1));
        }
        let name = layers[0].layer_name_as_c_str().expect("a name");
        assert_eq!(name.to_bytes(), manifest::NAME.as_bytes());
    }

    #[test]
    fn the_layer_has_no_extensions() {
        let mut count = 7;
        let ask = |layer: &CStr, count: &mut u32| {
            // SAFETY: a C string and a count.
            unsafe { instance_extensions(layer.as_ptr(), count, std::ptr::null_mut()) }
        };
        let absent = vk::Result::ERROR_LAYER_NOT_PRESENT;
        assert_eq!(ask(c"VK_LAYER_other", &mut count), absent);
        assert_eq!(
            ask(c"VK_LAYER_CLASSAY_faults", &mut count),
            vk::Result::SUCCESS
        );
        assert_eq!(count, 0);
    }
}
