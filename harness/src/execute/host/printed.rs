//! What kernels print to standard output.
//!
//! A worker plays one case at a time, so standard output is that of the case. Only the thread that plays the step of a
//! program listens; what is kept between two steps is behind a lock, which no thread holds while it waits.

use crate::sys;
use crate::threads::lock;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where standard output goes while somebody listens.
static KEPT: Mutex<Option<File>> = Mutex::new(None);

/// Something came in this process: then standard output is the stream to which the implementation prints.
static CAME: AtomicBool = AtomicBool::new(false);

/// Listens from here on. Where the system gives no file nothing will be heard.
pub fn listen() {
    *lock(&KEPT) = sys::output_to_file().ok();
}

/// What came since then; none where nothing ever did, or nobody listened.
pub fn heard() -> Option<Vec<u8>> {
    let mut file = lock(&KEPT).take()?;
    sys::output_to_errors().ok()?;
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_end(&mut text).ok()?;
    // Relaxed: nothing else is made known by it.
    let came = CAME.fetch_or(!text.is_empty(), Ordering::Relaxed);
    (came || !text.is_empty()).then_some(text)
}

/// Nobody listens any more.
pub fn stop() {
    if lock(&KEPT).take().is_some() {
        // Where this fails output goes to a file that nobody reads.
        let _ = sys::output_to_errors();
    }
}
