//! The functions of the implementation that this process has loaded, called by their rows.

use crate::worker::variables;
use classay_suites::host::Function;
use libloading::Library;
use std::ffi::c_void;
use std::ptr;

/// What a call gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gave {
    /// Its code. An address alone has that of an invalid value where it is null.
    pub code: i32,
    /// The object or the address; null of a function that makes none.
    pub made: usize,
}

/// The functions of an implementation.
pub struct Api {
    addresses: Vec<Option<usize>>,
}

const INVALID_VALUE: i32 = -30;

impl Api {
    /// The functions of the library that the worker has opened.
    pub fn opened() -> Option<Api> {
        let names = std::env::var(variables::LIBRARY).ok()?;
        names.split(';').find_map(Api::of)
    }

    /// The functions of a library; none where it cannot be loaded.
    pub fn of(name: &str) -> Option<Api> {
        // SAFETY: an implementation of OpenCL; the worker has loaded it already, so that nothing is
        // initialized again.
        let library = unsafe { Library::new(name) }.ok()?;
        let find = |function: &Function| {
            let name = function.name();
            // SAFETY: the symbol is only taken as an address here; `call` gives it its type.
            let symbol = unsafe { library.get::<*const c_void>(name.as_bytes()) };
            symbol.ok().map(|symbol| symbol.addr())
        };
        let addresses = Function::ALL.iter().map(find).collect();
        // Its threads may outlive whoever calls it, so it stays loaded.
        std::mem::forget(library);
        Some(Api { addresses })
    }

    /// Calls a function with its arguments, each in 64 bits; none where the library lacks it.
    ///
    /// # Safety
    /// There are as many arguments as the function has parameters, and each is what its class says;
    /// pointers are to memory that the function may use as the specification says.
    pub unsafe fn call(&self, function: Function, arguments: &[u64]) -> Option<Gave> {
        let address = (*self.addresses.get(function as usize)?)?;
        // SAFETY: by the caller; the address is the function's.
        Some(unsafe { dispatch(function, address, arguments) })
    }
}

/// An argument as it is passed.
trait Passed {
    fn of(word: u64) -> Self;
}

impl Passed for u32 {
    fn of(word: u64) -> u32 {
        word as u32
    }
}

impl Passed for u64 {
    fn of(word: u64) -> u64 {
        word
    }
}

impl Passed for *mut c_void {
    fn of(word: u64) -> *mut c_void {
        ptr::with_exposed_provenance_mut(word as usize)
    }
}

impl Passed for Option<unsafe extern "C" fn()> {
    fn of(word: u64) -> Option<unsafe extern "C" fn()> {
        let address: *const c_void = ptr::with_exposed_provenance(word as usize);
        // SAFETY: null, or the address of a function, which the implementation calls by its own type.
        unsafe { std::mem::transmute(address) }
    }
}

macro_rules! class {
    (object) => { *mut c_void };
    (word) => { u32 };
    (long) => { u64 };
    (pointer) => { *mut c_void };
    (callback) => { Option<unsafe extern "C" fn()> };
}

macro_rules! call {
    ($address:ident, $words:ident, code, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class)),*) -> i32;
        let f: F = std::mem::transmute($address);
        Gave { code: f($(<class!($class)>::of($words.next().unwrap_or_default())),*), made: 0 }
    }};
    ($address:ident, $words:ident, made, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class),)* *mut i32) -> *mut c_void;
        let f: F = std::mem::transmute($address);
        let mut code = 0;
        let made = f($(<class!($class)>::of($words.next().unwrap_or_default()),)* &raw mut code);
        Gave { code, made: made.expose_provenance() }
    }};
    ($address:ident, $words:ident, address, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class)),*) -> *mut c_void;
        let f: F = std::mem::transmute($address);
        let made = f($(<class!($class)>::of($words.next().unwrap_or_default())),*);
        let code = if made.is_null() { INVALID_VALUE } else { 0 };
        Gave { code, made: made.expose_provenance() }
    }};
    ($address:ident, $words:ident, nothing, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class)),*);
        let f: F = std::mem::transmute($address);
        f($(<class!($class)>::of($words.next().unwrap_or_default())),*);
        Gave::default()
    }};
}

macro_rules! dispatch {
    ($($name:ident($since:literal $(.. $until:literal)?; $($parameter:ident: $class:ident),*) -> $gives:ident;)*) => {
        /// # Safety
        /// As [`Api::call`]; the address is the function's.
        unsafe fn dispatch(function: Function, address: usize, arguments: &[u64]) -> Gave {
            #[allow(unused_mut, unused_variables)]
            let mut words = arguments.iter().copied();
            let address: *const c_void = ptr::with_exposed_provenance(address);
            // SAFETY: the types are those of the function's row, and the rest is the caller's.
            unsafe {
                match function {
                    $(Function::$name => call!(address, words, $gives, $($class)*),)*
                }
            }
        }
    };
}

classay_suites::for_each_function!(dispatch);
