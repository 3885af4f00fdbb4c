//! Finds what is known of an instance or a device by the dispatch key of an object.
//!
//! The first word of a dispatchable object is the loader's: it points to the dispatch table of the object's instance
//! or device, and is the same for all objects of one (LoaderLayerInterface.md, "Creating New Dispatchable Objects").

use crate::device::Device;
use crate::instance::Instance;
use ash::vk::Handle;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// The instances there are.
pub(crate) static INSTANCES: Registry<Instance> = Registry(LazyLock::new(RwLock::default));

/// The devices there are.
pub(crate) static DEVICES: Registry<Device> = Registry(LazyLock::new(RwLock::default));

/// What is known, by dispatch keys. The lock orders an insertion before the look-ups behind it; a change of the map
/// is whole whenever the lock is free, whoever panicked with it.
pub(crate) struct Registry<T>(LazyLock<RwLock<HashMap<usize, Arc<T>>>>);

impl<T> Registry<T> {
    /// An object was created; before the call that created it returns.
    ///
    /// # Safety
    /// The handle is a live dispatchable object.
    pub(crate) unsafe fn insert(&self, object: impl Handle + Copy, known: T) {
        // SAFETY: the caller's handle.
        let key = unsafe { key(object) };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(key, Arc::new(known));
    }

    /// What is known of an object's instance or device.
    ///
    /// # Safety
    /// The handle is null or a live dispatchable object.
    pub(crate) unsafe fn find(&self, object: impl Handle + Copy) -> Option<Arc<T>> {
        if object.is_null() {
            return None;
        }
        // SAFETY: the caller's handle.
        let key = unsafe { key(object) };
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(&key).cloned()
    }

    /// An object is about to be destroyed. It leaves before the call goes on: afterwards another thread may get its
    /// key for a new object.
    ///
    /// # Safety
    /// As [`Registry::find`].
    pub(crate) unsafe fn remove(&self, object: impl Handle + Copy) -> Option<Arc<T>> {
        if object.is_null() {
            return None;
        }
        // SAFETY: the caller's handle.
        let key = unsafe { key(object) };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.remove(&key)
    }
}

/// The dispatch key.
///
/// # Safety
/// The handle is a live dispatchable object.
unsafe fn key(object: impl Handle + Copy) -> usize {
    // SAFETY: a dispatchable handle is a pointer to an object that begins with its key.
    unsafe { *(object.as_raw() as usize as *const usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk;

    #[test]
    fn objects_of_one_key_are_one_and_leave_together() {
        let registry = Registry::<&str>(LazyLock::new(RwLock::default));
        let (one, other): (usize, usize) = (10, 20);
        let device = vk::Device::from_raw(&raw const one as u64);
        let queue = vk::Queue::from_raw(&raw const one as u64);
        let stranger = vk::Queue::from_raw(&raw const other as u64);
        // SAFETY: handles that point to a key.
        unsafe {
            registry.insert(device, "known");
            assert_eq!(registry.find(queue).as_deref(), Some(&"known"));
            assert_eq!(registry.find(stranger), None);
            assert_eq!(registry.find(vk::Queue::null()), None);
            assert_eq!(registry.remove(device).as_deref(), Some(&"known"));
            assert_eq!(registry.find(queue), None);
        }
    }
}
