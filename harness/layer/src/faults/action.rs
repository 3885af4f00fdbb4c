//! Faults that end or disturb the process.

use crate::library::Entry;
use crate::say;
use classay_faults::ApiViolation;
use opencl_sys::cl_int;
use std::time::Duration;

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// The process dies of SIGSEGV.
    Crash,
    /// The process dies of SIGABRT.
    Abort,
    /// The process exits with this code.
    Exit(u8),
    /// The call never returns.
    Hang,
    /// Rubbish appears on standard output; the call goes on.
    Stdout,
    /// Rubbish appears on standard error; the call goes on.
    Stderr,
    /// The implementation is not called; this status is the answer.
    Answer(cl_int),
    /// The call takes this many milliseconds longer.
    Delay(u32),
    /// The call is made, and goes otherwise than it should.
    Violate(ApiViolation),
}

fn announce(what: &str, entry: Entry) {
    say::line(&format!("fault: {what} in {}", entry.name()));
}

/// Dies of SIGSEGV. A handler of the program sees the signal first.
pub(crate) fn crash(entry: Entry) -> ! {
    announce("crash", entry);
    // SAFETY: raising signals and restoring the default action touch no memory of the program.
    unsafe {
        libc::raise(libc::SIGSEGV);
        // A handler that returned, or a mask, kept the process alive.
        libc::signal(libc::SIGSEGV, libc::SIG_DFL);
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGSEGV);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::raise(libc::SIGSEGV);
    }
    std::process::abort()
}

/// Dies of SIGABRT.
pub(crate) fn abort(entry: Entry) -> ! {
    announce("abort", entry);
    std::process::abort()
}

/// Exits at once; exit handlers do not run, so that the exit does not depend on what they do.
pub(crate) fn exit(entry: Entry, code: u8) -> ! {
    announce("exit", entry);
    say::quit(code.into())
}

/// Never returns.
pub(crate) fn hang(entry: Entry) -> ! {
    announce("hang", entry);
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Sleeps.
pub(crate) fn delay(milliseconds: u32) {
    std::thread::sleep(Duration::from_millis(milliseconds.into()));
}

/// Writes what no protocol expects: half a JSON object, a byte that is no UTF-8, a NUL.
pub(crate) fn rubbish(descriptor: i32) {
    say::bytes(descriptor, b"{\"classay-layer\": rubbish \xff\0}\n");
}
