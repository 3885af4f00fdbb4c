//! Opening the library that the environment names.

use super::names::COUNT;
use super::{Entry, GetExtensionAddress, GetPlatformIds, Kind, Library, Symbol, VARIABLE};
use libc::c_void;
use libloading::os::unix::{self, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CString, OsString};

/// Why there is no implementation.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Missing {
    /// The variable is unset or empty.
    #[error("no implementation: set {VARIABLE} to the path or name of an OpenCL library")]
    NotNamed,
    /// The dynamic loader refused the library.
    #[error("cannot load '{library}' ({VARIABLE}): {1}", library = .0.display())]
    NotLoaded(OsString, String),
    /// It is no OpenCL library.
    #[error(
        "'{}' ({VARIABLE}) is no OpenCL library: it has neither clGetPlatformIDs nor \
         clIcdGetPlatformIDsKHR",
        .0.display()
    )]
    NotOpenCl(OsString),
    /// It is the layer, which would call itself for ever.
    #[error(
        "'{}' ({VARIABLE}) is this layer itself: give the path of the implementation",
        .0.display()
    )]
    Itself(OsString),
}

/// A symbol that distinguishes a layer from an implementation, whatever its file is called.
#[unsafe(no_mangle)]
pub static CLASSAY_LAYER_MARK: u8 = 1;

/// Opens the library that the environment names.
pub(crate) fn named() -> Result<Library, Missing> {
    let name = std::env::var_os(VARIABLE)
        .filter(|name| !name.is_empty())
        .ok_or(Missing::NotNamed)?;
    // SAFETY: the initialisers of the library run; the user asked for this library by name.
    let library = unsafe { unix::Library::open(Some(&name), RTLD_NOW | RTLD_LOCAL | binding()) }
        .map_err(|error| Missing::NotLoaded(name.clone(), reason(&error)))?;
    let library = Opened(library);
    if library.find("CLASSAY_LAYER_MARK").is_some() {
        return Err(Missing::Itself(name));
    }
    let opened = describe(&library).ok_or(Missing::NotOpenCl(name))?;
    // Drivers keep threads and exit handlers: their code must stay where it is.
    std::mem::forget(library);
    Ok(opened)
}

/// The message of the dynamic loader, on one line.
fn reason(error: &libloading::Error) -> String {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        message = inner.to_string();
        source = inner.source();
    }
    message.replace('\n', " ")
}

/// Where the layer's own names are visible to everyone (preloaded, or linked as libOpenCL), the
/// implementation must bind its internal calls to itself, not to the layer.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn binding() -> i32 {
    let base = |address: *const c_void| {
        // SAFETY: a `Dl_info` of zeros is one.
        let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: looks an address up and writes to the local.
        let known = !address.is_null() && unsafe { libc::dladdr(address, &mut found) } != 0;
        known.then_some(found.dli_fbase)
    };
    // SAFETY: looks a name up; the name is a C string.
    let visible = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"clGetPlatformIDs".as_ptr()) };
    let own = base(binding as fn() -> i32 as *const c_void);
    if own.is_some() && base(visible) == own {
        libc::RTLD_DEEPBIND
    } else {
        0
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn binding() -> i32 {
    0
}

struct Opened(unix::Library);

impl Opened {
    /// The address of an exported symbol.
    fn find(&self, name: &str) -> Option<*mut c_void> {
        let name = CString::new(name).ok()?;
        // SAFETY: only the address is taken; nothing is called or read as a type here.
        let symbol = unsafe { self.0.get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?;
        let address = symbol.as_raw_ptr();
        (!address.is_null()).then_some(address)
    }

    fn extension(&self) -> Option<GetExtensionAddress> {
        self.find("clGetExtensionFunctionAddress").map(|address| {
            // SAFETY: OpenCL gives this name to a function of this type.
            unsafe { std::mem::transmute::<*mut c_void, GetExtensionAddress>(address) }
        })
    }
}

/// An extension function by its name.
fn ask(extension: Option<GetExtensionAddress>, name: &str) -> Option<*mut c_void> {
    let (extension, name) = (extension?, CString::new(name).ok()?);
    // SAFETY: the function takes a C string and returns an address or NULL.
    let address = unsafe { extension(name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// The functions of the library, if it is an OpenCL library.
fn describe(library: &Opened) -> Option<Library> {
    let extension = library.extension();
    let mut symbols = vec![Symbol(std::ptr::null_mut()); COUNT];
    for entry in Entry::all() {
        let name = entry.name();
        let mut address = library.find(name);
        if entry.slot().is_none() {
            // Not in the dispatch table: under its name of the core, or of the extension it was.
            let suffixed = format!("{name}KHR");
            address = address
                .or_else(|| library.find(&suffixed))
                .or_else(|| ask(extension, name))
                .or_else(|| ask(extension, &suffixed));
        }
        if let (Some(address), Some(place)) = (address, symbols.get_mut(entry.index())) {
            *place = Symbol(address);
        }
    }
    let has = |entry: Entry| {
        symbols
            .get(entry.index())
            .is_some_and(|symbol| !symbol.0.is_null())
    };
    let icd = const { Entry::named("clIcdGetPlatformIDsKHR") };
    let icd_platforms = symbols.get(icd.index()).filter(|_| has(icd)).map(|symbol| {
        // SAFETY: `cl_khr_icd` gives this name to a function of this type.
        unsafe { std::mem::transmute::<*mut c_void, GetPlatformIds>(symbol.0) }
    });
    let direct = has(const { Entry::named("clGetPlatformIDs") })
        && has(const { Entry::named("clCreateContext") });
    let kind = match (direct, icd_platforms) {
        (true, _) => Kind::Direct,
        (false, Some(_)) => Kind::IcdOnly,
        (false, None) => return None,
    };
    Some(Library {
        symbols,
        icd_platforms,
        kind,
    })
}
