//! More queues than a driver has, so that programs can be tested that use several of a family.
//!
//! `CLASSAY_LAYER_QUEUES` says how many each family has at least. Those that the driver lacks are its last one again, by
//! the same handle. What the program submits to them is executed as it would be by a driver that has them, and gets to
//! them one after the other; the layer takes no lock for programs whose threads use two of them at once.

use crate::device::Device;
use crate::instance::Instance;
use crate::registry::INSTANCES;
use ash::vk;

/// The variable that says how many.
pub const VARIABLE: &str = "CLASSAY_LAYER_QUEUES";

/// How many queues a family has at least, where the environment says so.
///
/// # Errors
/// A sentence: it says something else.
pub(crate) fn of_environment() -> Result<Option<u32>, String> {
    let Some(said) = std::env::var_os(VARIABLE) else {
        return Ok(None);
    };
    let number = said.to_str().and_then(|said| said.trim().parse().ok());
    let wanted = number.filter(|&wanted: &u32| wanted > 0);
    wanted.map(Some).ok_or_else(|| {
        format!("{VARIABLE} is {said:?}, and no number from 1, so there is no instance")
    })
}

/// The queues that the driver has of each family.
///
/// # Safety
/// The physical device is one of the instance.
pub(crate) unsafe fn of_driver(instance: &Instance, physical: vk::PhysicalDevice) -> Vec<u32> {
    let Some(next) = instance.next.queue_families else {
        return Vec::new();
    };
    let mut count = 0;
    // SAFETY: the caller's physical device, a count, and room for as many as it says.
    let families = unsafe {
        next(physical, &mut count, std::ptr::null_mut());
        let mut families = vec![vk::QueueFamilyProperties::default(); count as usize];
        next(physical, &mut count, families.as_mut_ptr());
        families
    };
    families.iter().map(|family| family.queue_count).collect()
}

/// As a program asks for queues, with no more than the driver has.
pub(crate) fn fewer<'a>(
    asked: &[vk::DeviceQueueCreateInfo<'a>],
    has: &[u32],
) -> Vec<vk::DeviceQueueCreateInfo<'a>> {
    let few = |&info: &vk::DeviceQueueCreateInfo<'a>| vk::DeviceQueueCreateInfo {
        queue_count: info.queue_count.min(most(has, info.queue_family_index)),
        ..info
    };
    asked.iter().map(few).collect()
}

/// The queues of a family of the driver.
fn most(has: &[u32], family: u32) -> u32 {
    has.get(family as usize).copied().unwrap_or(u32::MAX)
}

/// `vkGetPhysicalDeviceQueueFamilyProperties`.
pub(crate) unsafe extern "system" fn families(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::QueueFamilyProperties,
) {
    // SAFETY: a live physical device, a count, and null or room for as many as it says.
    unsafe {
        let Some(instance) = INSTANCES.find(physical) else {
            return;
        };
        if let Some(next) = instance.next.queue_families {
            next(physical, count, properties);
        }
        if let (Some(least), false) = (instance.queues, properties.is_null()) {
            for family in std::slice::from_raw_parts_mut(properties, *count as usize) {
                family.queue_count = family.queue_count.max(least);
            }
        }
    }
}

/// `vkGetPhysicalDeviceQueueFamilyProperties2`.
pub(crate) unsafe extern "system" fn families2(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::QueueFamilyProperties2<'_>,
) {
    // SAFETY: as for the first form.
    unsafe {
        let Some(instance) = INSTANCES.find(physical) else {
            return;
        };
        if let Some(next) = instance.next.queue_families2 {
            next(physical, count, properties);
        }
        if let (Some(least), false) = (instance.queues, properties.is_null()) {
            for family in std::slice::from_raw_parts_mut(properties, *count as usize) {
                let family = &mut family.queue_family_properties;
                family.queue_count = family.queue_count.max(least);
            }
        }
    }
}

/// `vkGetDeviceQueue`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn get(
    device: &Device,
    handle: vk::Device,
    family: u32,
    number: u32,
    queue: *mut vk::Queue,
) {
    if let Some(next) = device.next.get_device_queue {
        let last = most(&device.queues, family).saturating_sub(1);
        // SAFETY: the caller's arguments; the number is one that the driver's device has.
        unsafe { next(handle, family, number.min(last), queue) };
    }
}

/// `vkGetDeviceQueue2`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn get2(
    device: &Device,
    handle: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    queue: *mut vk::Queue,
) {
    if let Some(next) = device.next.get_device_queue2 {
        // SAFETY: the caller's arguments; the number is one that the driver's device has.
        unsafe {
            let mut info = *info;
            let last = most(&device.queues, info.queue_family_index).saturating_sub(1);
            info.queue_index = info.queue_index.min(last);
            next(handle, &info, queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_asked_for_the_queues_that_it_has() {
        let priorities = [1.0; 4];
        let asked = |family, count: usize| {
            let info = vk::DeviceQueueCreateInfo::default().queue_family_index(family);
            info.queue_priorities(&priorities[..count])
        };
        let few = fewer(&[asked(0, 4), asked(1, 1), asked(2, 3)], &[1, 8]);
        let counts: Vec<u32> = few.iter().map(|info| info.queue_count).collect();
        assert_eq!(
            counts,
            [1, 1, 3],
            "of an unknown family as many as asked for"
        );
    }
}
