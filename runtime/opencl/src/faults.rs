//! The listing of faults, for programs that open the library.

use std::ffi::{CString, c_char};
use std::sync::LazyLock;

/// The faults that `TOUCHSTONE_FAULTS` can name, one a line: name, rules separated by blanks, class
/// of bugs or nothing, sentence; separated by tabs. The text stays for the life of the process.
#[unsafe(no_mangle)]
pub extern "C" fn touchstoneFaults() -> *const c_char {
    static LISTING: LazyLock<CString> =
        LazyLock::new(|| CString::new(touchstone_faults::listing()).unwrap_or_default());
    LISTING.as_ptr()
}
