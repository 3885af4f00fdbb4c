//! Calls that must be refused, and the sentence of the specification that refuses each.

use std::ffi::c_void;
use std::time::Duration;

use opencl_sys::cl_int;

use crate::refusals;
use crate::zoo::{Zoo, turn};

/// A call that must be refused.
pub struct Refusal {
    /// The entry point.
    pub function: &'static str,
    /// The code that the specification has for it.
    pub code: cl_int,
    /// When it has it.
    pub sentence: &'static str,
    /// Makes the call; gives the code.
    pub call: fn(&Zoo) -> cl_int,
}

/// Where a value is.
pub fn to<T>(value: &T) -> *const c_void {
    std::ptr::from_ref(value).cast()
}

/// Writes down calls: those that report their status, and those that make something, which must be
/// null then, and report through their last argument.
macro_rules! refused {
    ($zoo:ident: $($kind:ident $function:ident {
        $(($($arg:expr),* $(,)?) $code:ident $sentence:literal;)*
    })*) => {
        vec![$($($crate::table::Refusal {
            function: stringify!($function),
            code: $code,
            sentence: $sentence,
            #[allow(unused_variables, reason = "not every call needs the objects")]
            call: |$zoo| $crate::table::called!($kind $function($($arg),*)),
        }),*),*]
    };
}
pub(crate) use refused;

/// Makes one call; gives its code.
macro_rules! called {
    (status $function:ident($($arg:expr),*)) => { unsafe { $function($($arg),*) } };
    (create $function:ident($($arg:expr),*)) => {{
        let mut code = 1;
        let made = unsafe { $function($($arg,)* &mut code) };
        assert!(made.is_null(), "{} made something", stringify!($function));
        code
    }};
}
pub(crate) use called;

#[test]
fn what_the_specification_refuses_is_refused_with_its_code_and_changes_nothing() {
    let _turn = turn();
    let zoo = Zoo::new();
    let before = zoo.live();
    let mut wrong = Vec::new();
    for refusal in refusals::all() {
        let code = (refusal.call)(&zoo);
        if code != refusal.code {
            wrong.push(format!(
                "{} gives {code}, not {} {}",
                refusal.function, refusal.code, refusal.sentence
            ));
        }
        // A blocking command that its wait list ends is let go of a moment after.
        for _ in 0..1000 {
            if zoo.live() != before {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        assert_eq!(zoo.live(), before, "{} left something", refusal.function);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Entry points that cannot be refused: they have no way to say so.
const WITHOUT_CODES: [&str; 5] = [
    // Null where an allocation fails.
    "clSVMAlloc",
    // Nothing.
    "clSVMFree",
    // Always success.
    "clUnloadCompiler",
    // Null for a function that is not there.
    "clGetExtensionFunctionAddress",
    "clGetExtensionFunctionAddressForPlatform",
];

/// Whether an entry point belongs to another interface, none of which is supported.
fn is_foreign(name: &str) -> bool {
    ["GL", "D3D", "DX9", "EGL", "EXT"]
        .iter()
        .any(|part| name.contains(part))
}

/// The refused calls of the suites, which are played on Touchstone like on any device.
fn portable() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/rules/refused");
    let files = std::fs::read_dir(folder).expect("the refused calls of the suites");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        std::fs::read_to_string(path).expect("a file of refused calls")
    };
    files.map(read).collect()
}

fn is_listed(name: &str, portable: &str) -> bool {
    WITHOUT_CODES.contains(&name)
        || portable.contains(&format!("call: {name}("))
        || refusals::all()
            .iter()
            .any(|refusal| refusal.function == name)
}

#[test]
fn every_entry_point_of_the_dispatch_table_is_in_the_table_of_refusals() {
    let portable = portable();
    let missing: Vec<_> = touchstone::icd::slot_names()
        .filter(|name| !is_foreign(name) && !is_listed(name, &portable))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The public header, where it is installed, has no function that is not in the table.
#[test]
fn every_function_of_the_public_header_is_in_the_table_of_refusals() {
    let Ok(header) = std::fs::read_to_string("/usr/include/CL/cl.h") else {
        eprintln!("no cl.h is installed; nothing to compare with");
        return;
    };
    let functions: Vec<_> = header
        .split('(')
        .filter_map(|before| before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next())
        .filter(|name| {
            let rest = name.strip_prefix("cl").unwrap_or_default();
            rest.starts_with(|c: char| c.is_ascii_uppercase())
        })
        .collect();
    assert!(functions.len() > 100, "{functions:?}");
    let portable = portable();
    let missing: Vec<_> = functions
        .iter()
        .filter(|name| !is_listed(name, &portable))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
