//! What the loader and a layer say to each other (LoaderLayerInterface.md of the Vulkan loader; its header
//! `vk_layer.h`).
//!
//! The loader asks `vkNegotiateLoaderLayerInterfaceVersion` for the layer's two functions that find others. When an
//! instance or a device is created, a structure in the chain of its create info says which functions of that kind
//! come next: each layer takes the first link and leaves the others to the next.

use crate::entry;
use ash::vk;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

/// The version of the interface that the layer speaks.
const INTERFACE: u32 = 2;

/// Of `VkNegotiateLayerStructType`: the structure that the loader gives.
const LAYER_NEGOTIATE_INTERFACE_STRUCT: i32 = 1;

/// Of `VkLayerFunction`: the structure has a link.
const LAYER_LINK_INFO: i32 = 0;

/// `PFN_GetPhysicalDeviceProcAddr`.
type GetPhysicalDeviceProcAddr =
    unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct NegotiateLayerInterface {
    s_type: i32,
    p_next: *mut c_void,
    loader_layer_interface_version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `VkLayerInstanceLink`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct InstanceLink {
    next: *mut InstanceLink,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DeviceLink {
    next: *mut DeviceLink,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, as far as they are alike: with a link in their union.
#[repr(C)]
pub(crate) struct CreateInfo<L> {
    s_type: vk::StructureType,
    p_next: *const c_void,
    function: i32,
    link: *mut L,
}

/// A link of a chain.
pub(crate) trait Link: Copy {
    /// The structure that has it.
    const STRUCTURE: vk::StructureType;

    /// The link behind it.
    fn next(&self) -> *mut Self;
}

impl Link for InstanceLink {
    const STRUCTURE: vk::StructureType = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;

    fn next(&self) -> *mut InstanceLink {
        self.next
    }
}

impl Link for DeviceLink {
    const STRUCTURE: vk::StructureType = vk::StructureType::LOADER_DEVICE_CREATE_INFO;

    fn next(&self) -> *mut DeviceLink {
        self.next
    }
}

/// Takes the first link of the chain of a create info, and leaves the next one there for the next layer. None where
/// no loader has put one there.
///
/// # Safety
/// The chain is one of valid structures, given by the loader to this layer.
pub(crate) unsafe fn take_link<L: Link>(chain: *const c_void) -> Option<L> {
    // SAFETY: the caller's chain.
    let mut found = unsafe { structures(chain) }.filter(|(s_type, _)| *s_type == L::STRUCTURE);
    let info = found.find_map(|(_, structure)| {
        let info = structure.cast::<CreateInfo<L>>();
        // SAFETY: this type has that layout.
        (unsafe { info.as_ref() }.function == LAYER_LINK_INFO).then_some(info)
    })?;
    // SAFETY: of the kind with a link; the loader lets layers write it, and gives it to one at a time.
    unsafe {
        let link = NonNull::new((*info.as_ptr()).link)?.read();
        (*info.as_ptr()).link = link.next();
        Some(link)
    }
}

/// The structures of a chain, with their types.
///
/// # Safety
/// The chain is one of valid structures, and stays while the iterator is used.
pub(crate) unsafe fn structures(
    chain: *const c_void,
) -> impl Iterator<Item = (vk::StructureType, NonNull<vk::BaseOutStructure<'static>>)> {
    let first = NonNull::new(chain.cast_mut().cast::<vk::BaseOutStructure<'static>>());
    // SAFETY: every structure begins with its type and the next one.
    let next =
        |s: &NonNull<vk::BaseOutStructure<'static>>| NonNull::new(unsafe { s.as_ref() }.p_next);
    // SAFETY: as before.
    std::iter::successors(first, next).map(|s| (unsafe { s.as_ref() }.s_type, s))
}

/// The function of this name, cast to its type.
///
/// # Safety
/// `F` is the type of the function pointer of that name.
pub(crate) unsafe fn function<F: Copy>(found: vk::PFN_vkVoidFunction) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<unsafe extern "system" fn()>()) }
    // SAFETY: of one size, and the caller says that it is one type.
    found.map(|found| unsafe { std::mem::transmute_copy(&found) })
}

/// The function of this name that comes next, by an instance.
///
/// # Safety
/// As [`function`]; the instance is null or one of this chain.
pub(crate) unsafe fn next_of_instance<F: Copy>(
    get: vk::PFN_vkGetInstanceProcAddr,
    instance: vk::Instance,
    name: &CStr,
) -> Option<F> {
    // SAFETY: the caller's.
    unsafe { function(get(instance, name.as_ptr())) }
}

/// The function of this name that comes next, by a device.
///
/// # Safety
/// As [`function`]; the device is one of this chain.
pub(crate) unsafe fn next_of_device<F: Copy>(
    get: vk::PFN_vkGetDeviceProcAddr,
    device: vk::Device,
    name: &CStr,
) -> Option<F> {
    // SAFETY: the caller's.
    unsafe { function(get(device, name.as_ptr())) }
}

/// The one symbol of the layer: agrees with the loader on the version of their interface.
///
/// # Safety
/// `interface` is null or a `VkNegotiateLayerInterface` of the loader.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the loader's name")]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    // SAFETY: the loader's structure.
    let Some(interface) = (unsafe { interface.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let known = interface.s_type == LAYER_NEGOTIATE_INTERFACE_STRUCT;
    if !known || interface.loader_layer_interface_version < INTERFACE {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    interface.loader_layer_interface_version = INTERFACE;
    interface.get_instance_proc_addr = Some(entry::get_instance_proc_addr);
    interface.get_device_proc_addr = Some(entry::get_device_proc_addr);
    interface.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// What a loader says, for the tests.
#[cfg(test)]
mod saying {
    use super::*;
    use std::ptr::{null, null_mut};

    impl NegotiateLayerInterface {
        /// The question of a loader of this version.
        pub(crate) fn asking(loader_layer_interface_version: u32) -> Self {
            NegotiateLayerInterface {
                s_type: LAYER_NEGOTIATE_INTERFACE_STRUCT,
                p_next: null_mut(),
                loader_layer_interface_version,
                get_instance_proc_addr: None,
                get_device_proc_addr: None,
                get_physical_device_proc_addr: None,
            }
        }

        /// The answer.
        pub(crate) fn functions(
            &self,
        ) -> (
            Option<vk::PFN_vkGetInstanceProcAddr>,
            Option<vk::PFN_vkGetDeviceProcAddr>,
        ) {
            (self.get_instance_proc_addr, self.get_device_proc_addr)
        }
    }

    impl InstanceLink {
        /// The link of the last layer.
        pub(crate) fn last(get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr) -> Self {
            InstanceLink {
                next: null_mut(),
                get_instance_proc_addr,
                get_physical_device_proc_addr: None,
            }
        }
    }

    impl DeviceLink {
        /// The link of the last layer.
        pub(crate) fn last(
            get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
            get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
        ) -> Self {
            DeviceLink {
                next: null_mut(),
                get_instance_proc_addr,
                get_device_proc_addr,
            }
        }
    }

    impl<L: Link> CreateInfo<L> {
        /// The structure with a link.
        pub(crate) fn of(link: *mut L) -> Self {
            CreateInfo {
                s_type: L::STRUCTURE,
                p_next: null(),
                function: LAYER_LINK_INFO,
                link,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    unsafe extern "system" fn no_function(
        _: vk::Instance,
        _: *const c_char,
    ) -> vk::PFN_vkVoidFunction {
        None
    }

    #[test]
    fn each_layer_takes_one_link() {
        let mut second = InstanceLink::last(no_function);
        let mut first = InstanceLink {
            next: &raw mut second,
            ..second
        };
        let mut info = CreateInfo::of(&raw mut first);
        // A callback of the loader is in front of the link, and another structure behind that.
        let other = CreateInfo::<InstanceLink> {
            s_type: vk::StructureType::VALIDATION_FEATURES_EXT,
            p_next: (&raw mut info).cast(),
            function: LAYER_LINK_INFO,
            link: null_mut(),
        };
        let callback = CreateInfo::<InstanceLink> {
            s_type: InstanceLink::STRUCTURE,
            p_next: (&raw const other).cast(),
            function: 1,
            link: null_mut(),
        };
        let chain = (&raw const callback).cast();
        // SAFETY: a chain as the loader makes it.
        let links = [(); 3].map(|()| unsafe { take_link::<InstanceLink>(chain) });
        let nexts = links.map(|link| link.map(|link| link.next));
        assert_eq!(nexts, [Some(&raw mut second), Some(null_mut()), None]);
        // SAFETY: as before.
        assert!(unsafe { take_link::<DeviceLink>(chain) }.is_none());
    }

    #[test]
    fn one_version_of_the_interface_is_spoken() {
        let mut interface = NegotiateLayerInterface::asking(5);
        // SAFETY: the structure that the loader gives.
        let ask = |interface: &mut _| unsafe { vkNegotiateLoaderLayerInterfaceVersion(interface) };
        assert_eq!(ask(&mut interface), vk::Result::SUCCESS);
        assert_eq!(interface.loader_layer_interface_version, INTERFACE);
        assert!(interface.get_instance_proc_addr.is_some());
        interface.loader_layer_interface_version = 1;
        let refused = vk::Result::ERROR_INITIALIZATION_FAILED;
        assert_eq!(ask(&mut interface), refused);
        // SAFETY: null is answered.
        let of_null = unsafe { vkNegotiateLoaderLayerInterfaceVersion(null_mut()) };
        assert_eq!(of_null, refused);
    }
}
