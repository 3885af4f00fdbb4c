//! The functions of the implementation that this process has loaded, called by their rows.

use crate::execute::ended::NotRun;
use classay_suites::host::constant::cl;
use classay_suites::host::{Constant, Function, NOT_MADE, PROPERTIES, failed};
use classay_suites::rule::{self, RuleId};
use libloading::Library;
use std::ffi::{CString, c_char, c_void};
use std::{fmt, ptr};
use touchstone_clc::DeviceProfile;

/// What a call gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gave {
    /// Its code. An address alone, or what is made without a place for the code, has that of an invalid value where it
    /// is null.
    pub code: i32,
    /// The object or the address; null of a function that makes none.
    pub made: usize,
}

/// A call of the harness's own that failed, outside the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupError {
    /// The function.
    pub call: Function,
    /// How it failed.
    pub why: Failure,
}

/// How a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It gave this error code.
    Code(i32),
    /// It gave no error, but this in `binary_status`.
    BinaryStatus(i32),
    /// It gave no error, and wrote nothing to `binary_status`.
    NoBinaryStatus,
    /// It was not called: what it is given could not be made.
    NothingToGive,
}

impl SetupError {
    /// A call that gave an error.
    pub fn of(call: Function, code: i32) -> SetupError {
        SetupError {
            call,
            why: Failure::Code(code),
        }
    }

    /// The error code that it gave, or that says the same.
    pub fn code(&self) -> i32 {
        match self.why {
            Failure::Code(code) => code,
            Failure::BinaryStatus(_) | Failure::NoBinaryStatus | Failure::NothingToGive => {
                cl::CL_INVALID_BINARY.value() as i32
            }
        }
    }
}

impl SetupError {
    /// The rules by which the call succeeds: that of the kind of program which it makes, or that of valid calls.
    fn rules(&self) -> Vec<RuleId> {
        use Function::*;
        let kind = match self.call {
            CreateProgramWithSource | BuildProgram | CompileProgram | LinkProgram => {
                Some(rule::KIND_SOURCE)
            }
            CreateProgramWithBinary => Some(rule::KIND_BINARY),
            CreateProgramWithIL => Some(rule::KIND_IL),
            CreateProgramWithBuiltInKernels => Some(rule::KIND_BUILTIN),
            _ => None,
        };
        kind.into_iter().chain([rule::API_VALID]).collect()
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = self.call.name();
        let code = match self.why {
            Failure::Code(code) => code,
            Failure::BinaryStatus(status) => {
                return write!(f, "{call} wrote {status} to binary_status, not CL_SUCCESS");
            }
            Failure::NoBinaryStatus => {
                return write!(f, "{call} wrote nothing to binary_status");
            }
            Failure::NothingToGive => return write!(f, "there is nothing to give to {call}"),
        };
        f.write_str(&failed(self.call, code))?;
        match Constant::code(code) {
            Some(constant) => write!(f, " ({})", constant.name()),
            None => Ok(()),
        }
    }
}

impl From<SetupError> for NotRun {
    fn from(error: SetupError) -> NotRun {
        let rules = error.rules();
        NotRun::failed(error.to_string()).breaks(rules)
    }
}

/// What is to be known of a device.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// The device under test and its neighbours.
    pub handles: Vec<usize>,
    /// The version of OpenCL, as (major, minor).
    pub version: (u32, u32),
    /// The highest `-cl-std` value.
    pub std: String,
    /// The names of the built-in kernels, separated by semicolons.
    pub built_in: String,
    /// The intermediate languages that it takes, separated by spaces.
    pub il: String,
    /// What OpenCL C is translated for.
    pub language: DeviceProfile,
}

/// The functions of an implementation.
pub struct Api {
    addresses: Vec<Option<usize>>,
    /// clGetExtensionFunctionAddressForPlatform.
    extension_lookup: Option<usize>,
    /// Functions that record commands have no properties, but for kernels, as before version 0.9.5 of `cl_khr_command_buffer`.
    record_without_properties: bool,
}

/// The version of `cl_khr_command_buffer` from which on functions that record have properties, as (major, minor, patch).
const RECORD_WITH_PROPERTIES: (u32, u32, u32) = (0, 9, 5);

/// Whether functions that record have no properties in a version.
fn records_without_properties(version: (u32, u32, u32)) -> bool {
    version < RECORD_WITH_PROPERTIES
}

type GetExtension = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

const INVALID_VALUE: i32 = -30;

impl Api {
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
        let lookup = b"clGetExtensionFunctionAddressForPlatform";
        // SAFETY: as above.
        let lookup = unsafe { library.get::<*const c_void>(lookup) };
        let extension_lookup = lookup.ok().map(|symbol| symbol.addr());
        // Its threads may outlive whoever calls it, so it stays loaded.
        std::mem::forget(library);
        Some(Api {
            addresses,
            extension_lookup,
            record_without_properties: false,
        })
    }

    /// Finds the functions of `cl_khr_command_buffer` of a version, as (major, minor, patch), that a platform has.
    ///
    /// # Safety
    /// The platform is one of the library.
    pub unsafe fn extend(&mut self, platform: usize, version: (u32, u32, u32)) {
        self.record_without_properties = records_without_properties(version);
        let Some(of_platform) = self.extension_lookup else {
            return;
        };
        let address: *const c_void = ptr::with_exposed_provenance(of_platform);
        // SAFETY: the address of this function, whose type OpenCL fixes.
        let find: GetExtension = unsafe { std::mem::transmute(address) };
        for function in Function::ALL.iter().filter(|f| f.is_extension()) {
            let Ok(name) = CString::new(function.name()) else {
                continue;
            };
            // SAFETY: by the caller; the name is a C string.
            let found = unsafe { find(ptr::with_exposed_provenance_mut(platform), name.as_ptr()) };
            if !found.is_null() {
                self.addresses[*function as usize] = Some(found.expose_provenance());
            }
        }
    }

    /// Calls a function with its arguments, each in 64 bits; none where the library lacks it.
    ///
    /// # Safety
    /// There are as many arguments as the function has parameters, and each is what its class says;
    /// pointers are to memory that the function may use as the specification says.
    pub unsafe fn call(&self, function: Function, arguments: &[u64]) -> Option<Gave> {
        // SAFETY: by the caller.
        unsafe { self.call_with(function, arguments, false) }
    }

    /// The same; a `silent` call of a function that makes something gives NULL where its code would come. Then a null
    /// result has the code that the call gives when it is made again, or that of an invalid value where it succeeds then.
    ///
    /// # Safety
    /// As [`Api::call`].
    pub unsafe fn call_with(
        &self,
        function: Function,
        arguments: &[u64],
        silent: bool,
    ) -> Option<Gave> {
        let address = (*self.addresses.get(function as usize)?)?;
        // SAFETY: by the caller; the address is the function's.
        Some(unsafe {
            if self.record_without_properties && function.had_no_properties() {
                let mut without = arguments.to_vec();
                without.remove(PROPERTIES.min(without.len().saturating_sub(1)));
                dispatch_without(function, address, &without)
            } else {
                let gave = dispatch(function, address, arguments, silent);
                let again = (silent && gave.code != 0)
                    .then(|| dispatch(function, address, arguments, false));
                again.filter(|again| again.code != 0).unwrap_or(gave)
            }
        })
    }

    /// Calls a function that must succeed; what it makes.
    ///
    /// # Safety
    /// As [`Api::call`].
    pub unsafe fn must(&self, function: Function, arguments: &[u64]) -> Result<usize, SetupError> {
        // SAFETY: by the caller.
        let gave = unsafe { self.call(function, arguments) };
        match gave.map(|gave| (gave.code, gave.made)) {
            Some((0, made)) => Ok(made),
            failed => {
                let code = failed.map_or(NOT_MADE, |(code, _)| code);
                Err(SetupError::of(function, code))
            }
        }
    }

    /// A number of 64 bits that an object answers.
    ///
    /// # Safety
    /// As [`Api::call`] of a question with such an answer; `of` is what comes before the answer's size.
    pub unsafe fn number(&self, function: Function, of: &[u64]) -> Result<u64, SetupError> {
        let mut answer = [0];
        // SAFETY: by the caller; the answer has eight bytes.
        unsafe { self.must(function, &[of, &[8, room(&mut answer), 0]].concat()) }?;
        Ok(answer[0])
    }

    /// The bytes that an object answers, however many these are.
    ///
    /// # Safety
    /// As [`Api::call`] of a question; `of` is what comes before the answer's size.
    pub unsafe fn bytes(&self, function: Function, of: &[u64]) -> Result<Vec<u8>, SetupError> {
        let mut length = [0_usize];
        // SAFETY: by the caller; the length has eight bytes.
        unsafe { self.must(function, &[of, &[0, 0, room(&mut length)]].concat()) }?;
        let mut bytes = vec![0; length[0]];
        let size = length[0] as u64;
        // SAFETY: by the caller; there is room for so many bytes.
        unsafe { self.must(function, &[of, &[size, room(&mut bytes), 0]].concat()) }?;
        Ok(bytes)
    }

    /// Gives up an object that is the harness's own and not used after this.
    pub fn release(&self, function: Function, object: usize) {
        // SAFETY: by the caller; what it answers is its own affair.
        let _ = unsafe { self.call(function, &[object as u64]) };
    }

    /// Frees an SVM allocation of a context, on which all commands are done.
    pub fn free(&self, context: usize, address: usize) {
        // SAFETY: by the caller.
        let _ = unsafe { self.call(Function::SVMFree, &[context as u64, address as u64]) };
    }
}

/// Where a list begins that a call reads.
pub fn address<T>(list: &[T]) -> u64 {
    list.as_ptr().expose_provenance() as u64
}

/// Where a list begins that a call writes.
pub fn room<T>(list: &mut [T]) -> u64 {
    list.as_mut_ptr().expose_provenance() as u64
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
    ($address:ident, $words:ident, $silent:ident, code, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class)),*) -> i32;
        let f: F = std::mem::transmute($address);
        Gave { code: f($(<class!($class)>::of($words.next().unwrap_or_default())),*), made: 0 }
    }};
    ($address:ident, $words:ident, $silent:ident, made, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class),)* *mut i32) -> *mut c_void;
        let f: F = std::mem::transmute($address);
        let mut code = 0;
        let place = if $silent { ptr::null_mut() } else { &raw mut code };
        let made = f($(<class!($class)>::of($words.next().unwrap_or_default()),)* place);
        if $silent && made.is_null() {
            code = INVALID_VALUE;
        }
        Gave { code, made: made.expose_provenance() }
    }};
    ($address:ident, $words:ident, $silent:ident, address, $($class:ident)*) => {{
        type F = unsafe extern "C" fn($(class!($class)),*) -> *mut c_void;
        let f: F = std::mem::transmute($address);
        let made = f($(<class!($class)>::of($words.next().unwrap_or_default())),*);
        let code = if made.is_null() { INVALID_VALUE } else { 0 };
        Gave { code, made: made.expose_provenance() }
    }};
    ($address:ident, $words:ident, $silent:ident, nothing, $($class:ident)*) => {{
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
        unsafe fn dispatch(function: Function, address: usize, arguments: &[u64], silent: bool) -> Gave {
            #[allow(unused_mut, unused_variables)]
            let mut words = arguments.iter().copied();
            let address: *const c_void = ptr::with_exposed_provenance(address);
            // SAFETY: the types are those of the function's row, and the rest is the caller's.
            unsafe {
                match function {
                    $(Function::$name => call!(address, words, silent, $gives, $($class)*),)*
                }
            }
        }
    };
}

classay_suites::for_each_function!(dispatch);

/// A call of a function that gives a code, without the third parameter of its row.
macro_rules! call_without {
    ($address:ident, $words:ident, code, $first:ident $second:ident $third:ident $($class:ident)*) => {
        call!($address, $words, silent, code, $first $second $($class)*)
    };
    ($address:ident, $words:ident, $gives:ident, $($class:ident)*) => {{
        // No function that records has such a row.
        Gave { code: NOT_MADE, made: 0 }
    }};
}

macro_rules! dispatch_without {
    ($($name:ident($since:literal $(.. $until:literal)?; $($parameter:ident: $class:ident),*) -> $gives:ident;)*) => {
        /// A function that records, as it was before it had properties.
        ///
        /// # Safety
        /// As [`Api::call`]; the address is the function's, which is without its third parameter, as the arguments are.
        unsafe fn dispatch_without(function: Function, address: usize, arguments: &[u64]) -> Gave {
            #[allow(unused_mut, unused_variables)]
            let mut words = arguments.iter().copied();
            let address: *const c_void = ptr::with_exposed_provenance(address);
            // SAFETY: the types are those of the function's row, and the rest is the caller's.
            unsafe {
                match function {
                    $(Function::$name => call_without!(address, words, $gives, $($class)*),)*
                }
            }
        }
    };
}

classay_suites::for_each_function!(dispatch_without);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_records_has_properties_from_a_version_on() {
        let without = [(0, 9, 0), (0, 9, 4)];
        let with = [(0, 9, 5), (0, 9, 8), (1, 0, 0), (1, 1, 2)];
        assert!(without.into_iter().all(records_without_properties));
        assert!(!with.into_iter().any(records_without_properties));
    }
}
