//! Where `printf` writes: the standard output of the host program.
//!
//! On Linux that is the C library's stream, so that what kernels print and what the program itself
//! prints come in the order in which they were printed. It is flushed before the command is
//! complete, so `clFinish` has nothing left to flush.

use std::sync::Arc;

use touchstone_exec::Output;

/// The standard output.
#[derive(Debug)]
pub struct Stdout;

/// The standard output, for a launch.
pub fn stdout() -> Arc<dyn Output> {
    Arc::new(Stdout)
}

impl Output for Stdout {
    fn write(&self, text: &[u8]) -> bool {
        stream::write(text)
    }
}

impl Stdout {
    /// Passes on what was written. A program that cannot write its output learns nothing of it.
    pub fn flush(&self) {
        stream::flush();
    }
}

#[cfg(target_os = "linux")]
mod stream {
    unsafe extern "C" {
        /// `stdout` of C, which the program may change.
        static mut stdout: *mut libc::FILE;
    }

    pub(super) fn write(text: &[u8]) -> bool {
        // SAFETY: the stream of the C library, which locks it, is open unless the program has
        // closed it, after which nobody may print (C99 7.19.3p4); the bytes are a slice's.
        let written = unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
        written == text.len()
    }

    pub(super) fn flush() {
        // SAFETY: as above.
        let _ = unsafe { libc::fflush(stdout) };
    }
}

#[cfg(not(target_os = "linux"))]
mod stream {
    use std::io::Write;

    pub(super) fn write(text: &[u8]) -> bool {
        std::io::stdout().write_all(text).is_ok()
    }

    pub(super) fn flush() {
        let _ = std::io::stdout().flush();
    }
}
