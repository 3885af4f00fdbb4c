//! The implementation behind the layer: opens it and finds its functions.
//!
//! A library is one of two kinds. *Direct*: it exports the entry points by name, as an ICD loader
//! or a driver that can stand in for one does; calls go to the exported functions, unchanged, NULL
//! handles included. *ICD only*: it offers `clIcdGetPlatformIDsKHR`, and everything else is called
//! through the dispatch table that the first word of every object points to, as an ICD loader does
//! it (extension `cl_khr_icd`). A direct library that lacks one entry point but dispatches is
//! asked through its objects for that one.

pub(crate) mod driver;
mod names;
mod open;

pub use names::Entry;

use libc::c_void;
use opencl_sys::{CL_INVALID_OPERATION, cl_int, cl_platform_id, cl_uint};
use std::ptr;
use std::sync::OnceLock;

/// The environment variable that names the implementation: a path, or a name for the dynamic
/// loader to search.
pub const VARIABLE: &str = "CLASSAY_LAYER_LIBRARY";

/// `clIcdGetPlatformIDsKHR` and `clGetPlatformIDs`.
pub(crate) type GetPlatformIds =
    unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
/// `clGetExtensionFunctionAddress`.
pub(crate) type GetExtensionAddress = unsafe extern "C" fn(*const libc::c_char) -> *mut c_void;

/// What CL_PLATFORM_NOT_FOUND_KHR of `cl_khr_icd` says: no implementation could be loaded.
pub(crate) const PLATFORM_NOT_FOUND: cl_int = opencl_sys::CL_PLATFORM_NOT_FOUND_KHR;

/// An opened implementation.
pub(crate) struct Library {
    /// Exported symbols by entry point; NULL where there is none.
    symbols: Vec<Symbol>,
    /// `clIcdGetPlatformIDsKHR`, exported or handed out as an extension function.
    icd_platforms: Option<GetPlatformIds>,
    kind: Kind,
}

/// How calls reach the implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By exported symbols.
    Direct,
    /// Through dispatch tables.
    IcdOnly,
    /// There is none: nothing was named, or it could not be opened.
    Missing,
}

/// The address of a function of the implementation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbol(pub(crate) *mut c_void);

// SAFETY: the address of code of a library that is never unloaded; any thread may read it.
unsafe impl Send for Symbol {}
// SAFETY: as above; it is never written through.
unsafe impl Sync for Symbol {}

impl Library {
    /// The implementation of this process, opened by the first call.
    pub(crate) fn get() -> &'static Library {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        LIBRARY.get_or_init(|| match open::named() {
            Ok(library) => library,
            Err(error) => {
                crate::say::line(&error.to_string());
                Library::missing()
            }
        })
    }

    fn missing() -> Library {
        Library {
            symbols: vec![Symbol(ptr::null_mut()); names::COUNT],
            icd_platforms: None,
            kind: Kind::Missing,
        }
    }

    /// How calls reach it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The exported function of this name.
    pub(crate) fn symbol(&self, entry: Entry) -> Option<Symbol> {
        self.symbols
            .get(entry.index())
            .copied()
            .filter(|symbol| !symbol.0.is_null())
    }

    /// `clGetPlatformIDs` of a direct library, `clIcdGetPlatformIDsKHR` of the others.
    pub(crate) fn platforms(&self) -> Option<GetPlatformIds> {
        match self.kind {
            Kind::Direct => self
                .symbol(const { Entry::named("clGetPlatformIDs") })
                .map(|symbol| {
                    // SAFETY: the library exports this address as clGetPlatformIDs, of this type.
                    unsafe { std::mem::transmute::<*mut c_void, GetPlatformIds>(symbol.0) }
                }),
            Kind::IcdOnly => self.icd_platforms,
            Kind::Missing => None,
        }
    }

    /// `clIcdGetPlatformIDsKHR`, where the library has it.
    pub(crate) fn icd_platforms(&self) -> Option<GetPlatformIds> {
        self.icd_platforms
    }

    /// The first platform, which stands in where a call names none; NULL if there is no platform.
    pub(crate) fn first_platform(&self) -> cl_platform_id {
        let mut platform = ptr::null_mut();
        if let Some(platforms) = self.platforms() {
            // SAFETY: asks for one handle, and there is a place for one.
            let status = unsafe { platforms(1, &mut platform, ptr::null_mut()) };
            if status != opencl_sys::CL_SUCCESS {
                return ptr::null_mut();
            }
        }
        platform
    }

    /// Where a call of `entry` on `object` goes, or the status to answer with.
    ///
    /// # Safety
    /// `object` is NULL or a valid handle of this library.
    pub(crate) unsafe fn function(
        &self,
        entry: Entry,
        object: *mut c_void,
    ) -> Result<*mut c_void, cl_int> {
        let exported = self.symbol(entry).map(|symbol| symbol.0);
        // SAFETY: as this function's own contract.
        let dispatched = || unsafe { dispatched(entry, object) };
        match self.kind {
            Kind::Direct => exported
                .or_else(|| self.icd_platforms.is_some().then(dispatched).flatten())
                .ok_or(CL_INVALID_OPERATION),
            Kind::IcdOnly => dispatched().or(exported).ok_or(CL_INVALID_OPERATION),
            Kind::Missing => Err(PLATFORM_NOT_FOUND),
        }
    }
}

/// The first slot of a table of the second version of `cl_khr_icd` holds this tag, and no function.
const ICD2_TAG: usize = 0x434C_3331;

/// The function for `entry` in the dispatch table of `object`.
///
/// # Safety
/// `object` is NULL or a valid handle of a library that implements `cl_khr_icd`.
unsafe fn dispatched(entry: Entry, object: *mut c_void) -> Option<*mut c_void> {
    let slot = entry.slot()?;
    if object.is_null() {
        return None;
    }
    // SAFETY: `cl_khr_icd`: the first word of every object points to its dispatch table.
    let table = unsafe { *object.cast::<*const *mut c_void>() };
    if table.is_null() {
        return None;
    }
    // SAFETY: the table has a word for every slot that the extension defines, and one at its head.
    let (head, function) = unsafe { (*table, *table.add(slot)) };
    let tagged = head as usize == ICD2_TAG
        && (slot == 0 || entry == const { Entry::named("clUnloadCompiler") });
    (!function.is_null() && !tagged).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object as `cl_khr_icd` lays it out.
    #[repr(C)]
    struct Object {
        dispatch: *const *mut c_void,
    }

    fn library(kind: Kind, exported: &[(&'static str, usize)]) -> Library {
        let mut library = Library::missing();
        library.kind = kind;
        for &(name, address) in exported {
            if let Some(entry) = Entry::find(name) {
                library.symbols[entry.index()] = Symbol(address as *mut c_void);
            }
        }
        library
    }

    fn table(filled: &[(&'static str, usize)]) -> Vec<*mut c_void> {
        let mut table = vec![ptr::null_mut(); 149];
        for &(name, address) in filled {
            if let Some(slot) = Entry::find(name).and_then(Entry::slot) {
                table[slot] = address as *mut c_void;
            }
        }
        table
    }

    /// The address a call goes to, with no call made.
    fn route(library: &Library, name: &str, object: *mut Object) -> Result<usize, cl_int> {
        let entry = Entry::find(name).expect("an entry point");
        // SAFETY: NULL, or an object of the layout above that outlives the call.
        unsafe { library.function(entry, object.cast()) }.map(|address| address as usize)
    }

    #[test]
    fn an_icd_only_library_is_called_through_its_objects() {
        let table = table(&[("clFinish", 16), ("clFlush", 32)]);
        let mut queue = Object {
            dispatch: table.as_ptr(),
        };
        let library = library(Kind::IcdOnly, &[]);
        assert_eq!(route(&library, "clFinish", &mut queue), Ok(16));
        assert_eq!(route(&library, "clFlush", &mut queue), Ok(32));
    }

    #[test]
    fn an_empty_slot_is_an_invalid_operation() {
        let table = table(&[]);
        let mut queue = Object {
            dispatch: table.as_ptr(),
        };
        let library = library(Kind::IcdOnly, &[]);
        assert_eq!(
            route(&library, "clFinish", &mut queue),
            Err(CL_INVALID_OPERATION)
        );
        assert_eq!(
            route(&library, "clFinish", ptr::null_mut()),
            Err(CL_INVALID_OPERATION)
        );
        let mut bare = Object {
            dispatch: ptr::null(),
        };
        assert_eq!(
            route(&library, "clFinish", &mut bare),
            Err(CL_INVALID_OPERATION)
        );
    }

    #[test]
    fn a_direct_library_is_called_by_name_whatever_the_object() {
        let table = table(&[("clFinish", 16)]);
        let mut queue = Object {
            dispatch: table.as_ptr(),
        };
        let library = library(Kind::Direct, &[("clFinish", 48)]);
        assert_eq!(route(&library, "clFinish", &mut queue), Ok(48));
        assert_eq!(route(&library, "clFinish", ptr::null_mut()), Ok(48));
        // It does not dispatch, so its objects are not read.
        assert_eq!(
            route(&library, "clFlush", &mut queue),
            Err(CL_INVALID_OPERATION)
        );
    }

    #[test]
    fn a_tagged_table_lends_no_tag_as_a_function() {
        let table = table(&[
            ("clGetPlatformIDs", ICD2_TAG),
            ("clUnloadCompiler", 0x4F50_454E),
            ("clFinish", 16),
        ]);
        let mut object = Object {
            dispatch: table.as_ptr(),
        };
        let library = library(Kind::IcdOnly, &[]);
        assert_eq!(
            route(&library, "clUnloadCompiler", &mut object),
            Err(CL_INVALID_OPERATION)
        );
        assert_eq!(route(&library, "clFinish", &mut object), Ok(16));
    }

    #[test]
    fn a_missing_library_says_so() {
        let library = Library::missing();
        assert_eq!(
            route(&library, "clFinish", ptr::null_mut()),
            Err(PLATFORM_NOT_FOUND)
        );
        assert!(library.first_platform().is_null());
    }
}
