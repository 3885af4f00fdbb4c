//! The whole layer between a loader and a driver that exist in the tests only: instances and devices come and go, and
//! each call goes on to the device that it is for.

use crate::loader::{
    CreateInfo, DeviceLink, InstanceLink, Link, NegotiateLayerInterface,
    vkNegotiateLoaderLayerInterfaceVersion,
};
use ash::vk::{self, Handle};
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

thread_local! {
    /// The calls that the driver got: names, and the first words of the objects that they are for.
    static CALLS: RefCell<Vec<(&'static str, usize)>> = const { RefCell::new(Vec::new()) };
}

/// A dispatchable object of the driver, with this dispatch key.
fn object<T: Handle>(key: usize) -> T {
    T::from_raw(&raw const *Box::leak(Box::new(key)) as u64)
}

/// The driver was called for an object.
fn called(name: &'static str, of: impl Handle) {
    // SAFETY: the driver's objects begin with their keys.
    let key = unsafe { *(of.as_raw() as *const usize) };
    CALLS.with_borrow_mut(|calls| calls.push((name, key)));
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: a place for the handle; the flags are the key.
    unsafe { *instance = object((*info).flags.as_raw() as usize) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    _: *const vk::AllocationCallbacks<'_>,
) {
    called("destroy instance", instance);
}

unsafe extern "system" fn create_device(
    _: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: a place for the handle; the flags are the key.
    unsafe { *device = object((*info).flags.as_raw() as usize) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_device(
    device: vk::Device,
    _: *const vk::AllocationCallbacks<'_>,
) {
    called("destroy device", device);
}

unsafe extern "system" fn submit(
    queue: vk::Queue,
    _: u32,
    _: *const vk::SubmitInfo<'_>,
    _: vk::Fence,
) -> vk::Result {
    called("submit", queue);
    vk::Result::SUCCESS
}

unsafe extern "system" fn wait_idle(queue: vk::Queue) -> vk::Result {
    called("wait", queue);
    vk::Result::SUCCESS
}

/// The driver's function of this name. It has no second form of barriers and submits, for one.
fn driver(name: &CStr) -> vk::PFN_vkVoidFunction {
    let function = match name.to_bytes() {
        b"vkCreateInstance" => create_instance as *const (),
        b"vkDestroyInstance" => destroy_instance as *const (),
        b"vkCreateDevice" => create_device as *const (),
        b"vkDestroyDevice" => destroy_device as *const (),
        b"vkQueueSubmit" => submit as *const (),
        b"vkQueueWaitIdle" => wait_idle as *const (),
        b"vkGetDeviceProcAddr" => of_device as *const (),
        _ => return None,
    };
    // SAFETY: a function, cast back by who calls it.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(function) })
}

unsafe extern "system" fn of_instance(
    _: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a C string.
    driver(unsafe { CStr::from_ptr(name) })
}

unsafe extern "system" fn of_device(_: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: a C string.
    driver(unsafe { CStr::from_ptr(name) })
}

/// The layer as the loader has it.
struct Layer {
    of_instance: vk::PFN_vkGetInstanceProcAddr,
    of_device: vk::PFN_vkGetDeviceProcAddr,
}

impl Layer {
    fn new() -> Layer {
        let mut interface = NegotiateLayerInterface::asking(2);
        // SAFETY: the structure that the loader gives.
        let result = unsafe { vkNegotiateLoaderLayerInterfaceVersion(&mut interface) };
        assert_eq!(result, vk::Result::SUCCESS);
        let (of_instance, of_device) = interface.functions();
        Layer {
            of_instance: of_instance.expect("a function"),
            of_device: of_device.expect("a function"),
        }
    }

    /// A function of an instance.
    fn instance_function<F: Copy>(&self, instance: vk::Instance, name: &CStr) -> Option<F> {
        // SAFETY: the tests ask for the type that goes with the name.
        unsafe { crate::loader::next_of_instance(self.of_instance, instance, name) }
    }

    /// A function of a device.
    fn device_function<F: Copy>(&self, device: vk::Device, name: &CStr) -> Option<F> {
        // SAFETY: the tests ask for the type that goes with the name.
        unsafe { crate::loader::next_of_device(self.of_device, device, name) }
    }

    fn create_instance(&self, key: u32) -> vk::Instance {
        let mut link = InstanceLink::last(of_instance);
        let mut link = CreateInfo::of(&mut link);
        let info = vk::InstanceCreateInfo {
            p_next: (&raw mut link).cast(),
            flags: vk::InstanceCreateFlags::from_raw(key),
            ..Default::default()
        };
        let create: vk::PFN_vkCreateInstance = self
            .instance_function(vk::Instance::null(), c"vkCreateInstance")
            .expect("a function");
        let mut instance = vk::Instance::null();
        // SAFETY: a create info as the loader gives it.
        let result = unsafe { create(&info, null(), &mut instance) };
        assert_eq!(result, vk::Result::SUCCESS);
        instance
    }

    fn create_device(&self, instance: vk::Instance, key: u32) -> vk::Device {
        let mut link = DeviceLink::last(of_instance, of_device);
        let mut link = CreateInfo::of(&mut link);
        let info = vk::DeviceCreateInfo {
            p_next: (&raw mut link).cast(),
            flags: vk::DeviceCreateFlags::from_raw(key),
            ..Default::default()
        };
        let create: vk::PFN_vkCreateDevice = self
            .instance_function(instance, c"vkCreateDevice")
            .expect("a function");
        let mut device = vk::Device::null();
        // A physical device has the key of its instance.
        let physical = vk::PhysicalDevice::from_raw(instance.as_raw());
        // SAFETY: a create info as the loader gives it.
        let result = unsafe { create(physical, &info, null(), &mut device) };
        assert_eq!(result, vk::Result::SUCCESS);
        device
    }

    fn submit(&self, device: vk::Device) -> vk::Result {
        let submit: vk::PFN_vkQueueSubmit = self
            .device_function(device, c"vkQueueSubmit")
            .expect("a function");
        // A queue has the key of its device.
        let queue = vk::Queue::from_raw(device.as_raw());
        // SAFETY: no batches.
        unsafe { submit(queue, 0, null(), vk::Fence::null()) }
    }
}

#[test]
fn each_call_goes_to_the_device_that_it_is_for() {
    let layer = Layer::new();
    // Keys that no other test has.
    let [one, other] = [0x1001, 0x1002].map(|key| layer.create_instance(key));
    let first = layer.create_device(one, 0x2001);
    let second = layer.create_device(one, 0x2002);
    let third = layer.create_device(other, 0x2003);
    for device in [third, first, second] {
        assert_eq!(layer.submit(device), vk::Result::SUCCESS);
    }
    let submits = [0x2003, 0x2001, 0x2002].map(|key| ("submit", key));
    assert_eq!(CALLS.take(), submits);

    let destroy: vk::PFN_vkDestroyDevice = layer
        .device_function(second, c"vkDestroyDevice")
        .expect("a function");
    // SAFETY: live devices, and null.
    unsafe {
        destroy(second, null());
        destroy(vk::Device::null(), null());
    }
    assert_eq!(CALLS.take(), [("destroy device", 0x2002)]);
    // A device that is gone has no functions, and the others have theirs.
    let gone: Option<vk::PFN_vkQueueSubmit> = layer.device_function(second, c"vkQueueSubmit");
    assert!(gone.is_none());
    assert_eq!(layer.submit(third), vk::Result::SUCCESS);
    assert_eq!(CALLS.take(), [("submit", 0x2003)]);

    let destroy: vk::PFN_vkDestroyInstance = layer
        .instance_function(one, c"vkDestroyInstance")
        .expect("a function");
    // SAFETY: a live instance, and null.
    unsafe {
        destroy(one, null());
        destroy(vk::Instance::null(), null());
    }
    assert_eq!(CALLS.take(), [("destroy instance", 0x1001)]);
    let gone: Option<vk::PFN_vkDestroyInstance> =
        layer.instance_function(one, c"vkDestroyInstance");
    assert!(gone.is_none());
}

#[test]
fn functions_are_the_layers_the_drivers_or_nobodys() {
    let layer = Layer::new();
    let instance = layer.create_instance(0x1003);
    let device = layer.create_device(instance, 0x2004);
    let found = |name: &CStr| {
        // SAFETY: a C string.
        let of_instance = unsafe { (layer.of_instance)(instance, name.as_ptr()) };
        // SAFETY: as before.
        let of_device = unsafe { (layer.of_device)(device, name.as_ptr()) };
        [of_instance, of_device].map(|function| function.map(|f| f as usize))
    };
    let drivers = |name: &CStr| driver(name).map(|f| f as usize);
    // The driver's own.
    let waits = drivers(c"vkQueueWaitIdle");
    assert!(waits.is_some());
    assert_eq!(found(c"vkQueueWaitIdle"), [waits; 2]);
    // The layer's, one and the same by instance and device.
    let [by_instance, by_device] = found(c"vkQueueSubmit");
    assert!(by_instance.is_some() && by_instance == by_device);
    assert_ne!(by_device, drivers(c"vkQueueSubmit"));
    // Nobody's, as the driver has none.
    for name in [
        c"vkQueueSubmit2",
        c"vkCmdPipelineBarrier2KHR",
        c"vkFlushMappedMemoryRanges",
    ] {
        assert_eq!(found(name), [None, None], "{name:?}");
    }
    // A device has no functions of instances.
    assert_eq!(
        found(c"vkDestroyInstance")[1],
        drivers(c"vkDestroyInstance")
    );
}

#[test]
fn without_a_link_of_the_loader_nothing_is_created() {
    let layer = Layer::new();
    let create: vk::PFN_vkCreateInstance = layer
        .instance_function(vk::Instance::null(), c"vkCreateInstance")
        .expect("a function");
    let mut link = CreateInfo::<InstanceLink>::of(null_mut());
    for chain in [null(), (&raw mut link).cast()] {
        let info = vk::InstanceCreateInfo {
            p_next: chain,
            ..Default::default()
        };
        let mut instance = vk::Instance::null();
        // SAFETY: a create info, though not the loader's.
        let result = unsafe { create(&info, null(), &mut instance) };
        assert_eq!(result, vk::Result::ERROR_INITIALIZATION_FAILED);
    }
    assert_eq!(InstanceLink::STRUCTURE.as_raw(), 47);
    assert_eq!(DeviceLink::STRUCTURE.as_raw(), 48);
}
