//! What every OpenCL object has in common: a handle that C code can hold.
//!
//! A handle is the address of an [`Arc`]'d Rust object whose first word points at the
//! ICD dispatch table, as cl_khr_icd demands. A [`Registry`] knows every live object by
//! its address, so a stale or foreign handle is distinguished from a live one without
//! being dereferenced.
//!
//! Two counts keep an object alive. The application's own references
//! (`clRetain*`/`clRelease*`) are counted in the registry and together hold one strong
//! reference; objects that need each other (a queue its context, a pending command its
//! buffers) hold strong references of their own. An object is deleted when both are
//! gone, which is when the specification says so: "after the reference count becomes
//! zero and all the objects attached to it are released". Until then its handle is
//! valid, as queries such as `CL_QUEUE_CONTEXT` may still return it.

mod registry;

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_int;

use crate::ffi::{Error, Result};

pub use registry::Registry;

/// A type whose instances C code can hold by handle.
///
/// # Safety
/// The type is `#[repr(C)]` and its first field is its `Header<Self>`: the ICD loader
/// reads the dispatch pointer through the handle.
pub unsafe trait Object: Sized + Send + Sync + 'static {
    /// The error code for a handle that is no live object of this type.
    const INVALID: cl_int;

    /// The live objects of this type.
    fn registry() -> &'static Registry<Self>;
}

unsafe extern "C" {
    /// The ICD dispatch table. It names every entry point, all of which are above the objects, so
    /// the linker brings it here.
    #[link_name = "touchstone_dispatch"]
    safe static DISPATCH: cl_icd_dispatch;
}

/// The first field of every object.
#[repr(C)]
pub struct Header<T: Object> {
    dispatch: &'static cl_icd_dispatch,
    object: std::marker::PhantomData<fn() -> T>,
}

impl<T: Object> Default for Header<T> {
    fn default() -> Self {
        Self {
            dispatch: &DISPATCH,
            object: std::marker::PhantomData,
        }
    }
}

impl<T: Object> Drop for Header<T> {
    /// The header sits at the object's own address. By now no strong reference is left,
    /// and the memory is not yet free, so no other object can have this address.
    fn drop(&mut self) {
        T::registry().forget(std::ptr::from_ref(self) as usize);
    }
}

/// Gives a new object to the application: registers it with one reference.
pub fn publish<T: Object>(object: &Arc<T>) -> *mut c_void {
    let _alone = crate::queue::broken::creation();
    T::registry().insert(object);
    handle(object)
}

/// The handle of an object.
pub fn handle<T: Object>(object: &Arc<T>) -> *mut c_void {
    Arc::as_ptr(object).cast_mut().cast()
}

/// The live object behind a handle.
///
/// # Errors
/// The type's own `CL_INVALID_*` when there is none.
pub fn find<T: Object>(handle: *mut c_void) -> Result<Arc<T>> {
    T::registry().find(handle as usize).ok_or(Error(T::INVALID))
}

/// `clRetain*`.
///
/// # Errors
/// The type's own `CL_INVALID_*` for a handle that is no live object.
pub fn retain<T: Object>(handle: *mut c_void) -> Result<()> {
    T::registry()
        .retain(handle as usize)
        .ok_or(Error(T::INVALID))
}

/// `clRelease*`. Gives back the object when this was the last reference of the
/// application, so that the caller decides what happens before it may be deleted.
///
/// # Errors
/// The type's own `CL_INVALID_*` for a handle that is no live object or has no reference
/// left to release.
pub fn release<T: Object>(handle: *mut c_void) -> Result<Option<Arc<T>>> {
    let released = T::registry().release(handle as usize);
    released.ok_or(Error(T::INVALID))
}

/// The application's references to an object.
pub fn references<T: Object>(object: &Arc<T>) -> u32 {
    T::registry().references(Arc::as_ptr(object) as usize)
}

/// Implements [`Object`] for a type whose first field is `header: Header<Self>`.
macro_rules! object {
    ($ty:ty, $invalid:ident) => {
        const _: () = assert!(std::mem::offset_of!($ty, header) == 0);
        // SAFETY: the assertion above shows that the header comes first; every type
        // passed here is `#[repr(C)]`.
        unsafe impl $crate::object::Object for $ty {
            const INVALID: opencl_sys::cl_int = opencl_sys::$invalid;

            fn registry() -> &'static $crate::object::Registry<Self> {
                static REGISTRY: $crate::object::Registry<$ty> = $crate::object::Registry::new();
                &REGISTRY
            }
        }
    };
}
pub(crate) use object;
