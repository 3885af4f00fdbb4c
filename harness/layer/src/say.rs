//! Speaking on the process's standard error without ever failing.

/// Writes one line to standard error. A closed or full standard error is no reason to stop.
pub(crate) fn line(message: &str) {
    bytes(
        libc::STDERR_FILENO,
        format!("classay-layer: {message}\n").as_bytes(),
    );
}

/// Writes bytes to a file descriptor as far as it takes them.
pub(crate) fn bytes(descriptor: i32, mut rest: &[u8]) {
    while !rest.is_empty() {
        // SAFETY: the pointer and length describe `rest`, which lives across the call.
        let written = unsafe { libc::write(descriptor, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(0) | Err(_) => return,
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
        }
    }
}

/// Ends the process at once with this code: a setting that cannot be obeyed must not pass silently.
pub(crate) fn quit(code: i32) -> ! {
    // SAFETY: `_exit` takes any code and runs nothing of this process any more.
    unsafe { libc::_exit(code) }
}
