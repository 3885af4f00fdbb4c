//! The layer before a driver, or before a loader: this program does for it what a loader does for layers
//! (LoaderLayerInterface.md of the Vulkan loader; its header `vk_layer.h`).
//!
//! The layer is asked for its functions, and finds in the chains of the create infos of an instance and a device which
//! functions come next. A loader that comes next takes those structures for its own layers' and passes by them.
//!
//! Whose an object is the layer knows by its first word. A loader writes there; without one all objects of a driver
//! begin with one number (LoaderDriverInterface.md, "ICD_LOADER_MAGIC"). So there may be one instance and one device at a
//! time, as there are in a worker.

#![allow(unsafe_code)]

use super::gpu::{Unusable, says};
use crate::sys::Loaded;
use ash::vk;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

/// The version of the interface that loaders and layers speak.
const INTERFACE: u32 = 2;

/// Of `VkNegotiateLayerStructType`.
const LAYER_NEGOTIATE_INTERFACE_STRUCT: i32 = 1;

/// Of `VkLayerFunction`: the structure has a link.
const LAYER_LINK_INFO: i32 = 0;

type GetPhysicalDeviceProcAddr =
    unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
struct NegotiateLayerInterface {
    s_type: i32,
    p_next: *mut c_void,
    loader_layer_interface_version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

type Negotiate = unsafe extern "system" fn(*mut NegotiateLayerInterface) -> vk::Result;

/// `VkLayerInstanceLink`.
#[repr(C)]
pub struct InstanceLink {
    next: *mut InstanceLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
pub struct DeviceLink {
    next: *mut DeviceLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// `VkLayerInstanceCreateInfo` or `VkLayerDeviceCreateInfo` with a link, which lives as long as it.
#[repr(C)]
pub struct Chained<'l, L> {
    s_type: vk::StructureType,
    p_next: *const c_void,
    function: i32,
    link: *mut L,
    lives: PhantomData<&'l mut L>,
}

// SAFETY: a structure with a type and a next one, which loaders and layers find in the chain.
unsafe impl vk::ExtendsInstanceCreateInfo for Chained<'_, InstanceLink> {}
// SAFETY: as before.
unsafe impl vk::ExtendsDeviceCreateInfo for Chained<'_, DeviceLink> {}

impl<'l> Chained<'l, InstanceLink> {
    /// For the create info of an instance.
    pub fn of_instance(link: &'l mut InstanceLink) -> Self {
        chained(vk::StructureType::LOADER_INSTANCE_CREATE_INFO, link)
    }
}

impl<'l> Chained<'l, DeviceLink> {
    /// For the create info of a device.
    pub fn of_device(link: &'l mut DeviceLink) -> Self {
        chained(vk::StructureType::LOADER_DEVICE_CREATE_INFO, link)
    }
}

fn chained<L>(s_type: vk::StructureType, link: &mut L) -> Chained<'_, L> {
    Chained {
        s_type,
        p_next: null(),
        function: LAYER_LINK_INFO,
        link,
        lives: PhantomData,
    }
}

/// A layer that was loaded, and what comes next.
pub struct Layer {
    /// The layer's functions.
    pub entry: ash::Entry,
    next: vk::PFN_vkGetInstanceProcAddr,
}

impl Layer {
    /// Loads a layer before a driver or a loader. It stays loaded.
    ///
    /// # Errors
    ///
    /// It cannot be loaded, or is no layer.
    pub fn before(next: &ash::Entry, path: &str) -> Result<Layer, Unusable> {
        let wrong = |what: &str| format!("the layer {path} {what}");
        let library =
            Loaded::open(path).map_err(|error| wrong(&format!("does not load: {error}")))?;
        // SAFETY: a function of this name has this type, and the library stays loaded.
        let negotiate =
            unsafe { library.function::<Negotiate>(c"vkNegotiateLoaderLayerInterfaceVersion") };
        let negotiate = negotiate.ok_or_else(|| wrong("is no layer of Vulkan"))?;
        library.keep();
        let mut interface = NegotiateLayerInterface {
            s_type: LAYER_NEGOTIATE_INTERFACE_STRUCT,
            p_next: null_mut(),
            loader_layer_interface_version: INTERFACE,
            get_instance_proc_addr: None,
            get_device_proc_addr: None,
            get_physical_device_proc_addr: None,
        };
        // SAFETY: the structure that a loader gives.
        let agreed = unsafe { negotiate(&mut interface) }.result();
        agreed.map_err(says("vkNegotiateLoaderLayerInterfaceVersion"))?;
        let get_instance_proc_addr = interface
            .get_instance_proc_addr
            .ok_or_else(|| wrong("has no vkGetInstanceProcAddr"))?;
        // SAFETY: the function is the layer's own.
        let entry = unsafe {
            ash::Entry::from_static_fn(ash::StaticFn {
                get_instance_proc_addr,
            })
        };
        Ok(Layer {
            entry,
            next: next.static_fn().get_instance_proc_addr,
        })
    }

    /// What comes next for an instance.
    pub fn instance_link(&self) -> InstanceLink {
        InstanceLink {
            next: null_mut(),
            get_instance_proc_addr: self.next,
            get_physical_device_proc_addr: None,
        }
    }

    /// What comes next for a device of an instance.
    ///
    /// # Errors
    ///
    /// What comes next has no functions of devices.
    pub fn device_link(&self, instance: vk::Instance) -> Result<DeviceLink, Unusable> {
        // SAFETY: a live instance of the chain, and a C string.
        let found = unsafe { (self.next)(instance, c"vkGetDeviceProcAddr".as_ptr()) };
        let found = found.ok_or("it has no vkGetDeviceProcAddr")?;
        Ok(DeviceLink {
            next: null_mut(),
            get_instance_proc_addr: self.next,
            // SAFETY: a function of this name has this type.
            get_device_proc_addr: unsafe {
                std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkGetDeviceProcAddr>(
                    found,
                )
            },
        })
    }
}
