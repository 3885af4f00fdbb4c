//! Names of what is read of SPIR-V, as the queries give them: pointers to strings that are there as long as the library is.

use std::ffi::{CString, c_void};
use std::sync::LazyLock;

use crate::ffi::answer::Answer;
use crate::frontend;

/// Strings of C.
fn strings(names: &[&str]) -> Vec<CString> {
    // No name has a zero within.
    names
        .iter()
        .filter_map(|&name| CString::new(name).ok())
        .collect()
}

fn pointers(strings: &[CString]) -> Answer {
    let pointers = strings
        .iter()
        .map(|text| text.as_ptr().cast_mut().cast::<c_void>());
    Answer::list(pointers)
}

/// `CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS`
pub fn instruction_sets() -> Answer {
    static NAMES: LazyLock<Vec<CString>> =
        LazyLock::new(|| strings(&frontend::spirv_instruction_sets()));
    pointers(&NAMES)
}

/// `CL_DEVICE_SPIRV_EXTENSIONS`
pub fn extensions() -> Answer {
    static NAMES: LazyLock<Vec<CString>> = LazyLock::new(|| strings(&frontend::spirv_extensions()));
    pointers(&NAMES)
}
