//! Memory with machine code, how it is entered, and what happens when the system refuses an access there.
//!
//! # Refused accesses
//!
//! Compiled code is entered through a few instructions that save the registers which a function
//! must keep, and remember the context; the code itself has a frame pointer. When an access of the
//! code faults, the signal handler of [`fault`](crate::interp::port::fault) finds the
//! instruction among those of the code that this thread runs, notes the place and the
//! address in the context, and goes on behind the call, as if the code had returned: the frame pointer leads
//! to the frame of the entrance, which restores the registers. Nothing lies between: compiled
//! code calls helpers, whose own accesses are not its instructions, and has nothing to clean up.
//! Which code a thread runs is a variable of the thread, which the handler reads only for
//! instructions within what was ever mapped for code: no other fault gets that far, and a thread whose fault does
//! has set the variable before, so that reading it allocates nothing.

use super::context::{Context, Left};
use std::arch::naked_asm;
use std::cell::Cell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

/// Executable memory.
#[derive(Debug)]
pub(super) struct Code {
    start: NonNull<u8>,
    /// Bytes that are mapped.
    mapped: usize,
    /// Bytes of code.
    len: usize,
    /// Where accesses of kernels are: ascending offsets.
    faults: Box<[u32]>,
}

// SAFETY: after it is made the code is only read and executed.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// All code lies from the first to the second address, once it has been mapped. Both are changed
/// before the code can be run, by who maps it; a thread that runs it has got it from there through the lock or
/// the release that hands the code over, so it sees the change.
static FIRST: AtomicUsize = AtomicUsize::new(usize::MAX);
static PAST: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The context of the code that this thread runs.
    static RUNNING: Cell<*mut Context> = const { Cell::new(null_mut()) };
}

impl Code {
    /// Maps code; None if the system gives no memory that may be executed.
    pub(super) fn new(code: &[u8], faults: Box<[u32]>) -> Option<Code> {
        // SAFETY: asks only.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let mapped = code.len().max(1).next_multiple_of(page);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever the system puts it.
        let start = unsafe { libc::mmap(null_mut(), mapped, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let code_memory = Code {
            start: NonNull::new(start.cast())?,
            mapped,
            len: code.len(),
            faults,
        };
        // SAFETY: the mapping is as long and nobody else knows it.
        unsafe {
            start
                .cast::<u8>()
                .copy_from_nonoverlapping(code.as_ptr(), code.len())
        };
        // SAFETY: the mapping is ours.
        let changed = unsafe { libc::mprotect(start, mapped, libc::PROT_READ | libc::PROT_EXEC) };
        if changed != 0 {
            return None;
        }
        FIRST.fetch_min(start as usize, Ordering::Relaxed);
        PAST.fetch_max(start as usize + mapped, Ordering::Relaxed);
        Some(code_memory)
    }

    /// Runs the code: from an entry, with so many steps for all items together.
    ///
    /// # Safety
    /// The code is what [`translate`](super::translate) makes of the kernel that the context names; all of the
    /// context is as that says; this thread has a [`Running`] of the context.
    pub(super) unsafe fn enter(&self, context: &mut Context, entry: u64, fuel: u64) -> Left {
        // SAFETY: the caller's promise.
        Left::of(unsafe { enter(context, entry, fuel, self.start.as_ptr()) })
    }

    /// Where accesses of kernels are: ascending offsets.
    #[cfg(test)]
    pub(super) fn faults(&self) -> &[u32] {
        &self.faults
    }

    /// Puts what the signal handler must know into a context.
    pub(super) fn describe(&self, context: &mut Context) {
        context.code = (self.start.as_ptr() as u64, self.len as u64);
        context.faults = (self.faults.as_ptr(), self.faults.len() as u64);
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody runs it: who does holds the executable.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
    }
}

/// This thread runs code with a context for as long as this lives; what it ran before comes back.
#[derive(Debug)]
pub(crate) struct Running(*mut Context);

impl Running {
    pub(super) fn new(context: *mut Context) -> Running {
        let before = Running(RUNNING.replace(context));
        // The handler that reads it runs on this thread.
        compiler_fence(Ordering::SeqCst);
        before
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        RUNNING.set(self.0);
    }
}

/// Bytes from the frame pointer of the entrance down to the last register that it saved.
const SAVED: u64 = 40;

/// The entrance: keeps the registers that a function must keep, calls the code with the first three
/// arguments, and gives what the code gives.
///
/// # Safety
/// As [`Code::enter`].
#[unsafe(naked)]
unsafe extern "sysv64" fn enter(
    context: *mut Context,
    entry: u64,
    fuel: u64,
    code: *const u8,
) -> u64 {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "call rcx",
        "lea rsp, [rbp - {saved}]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        saved = const SAVED,
    )
}

/// What a thread must have in its registers to go on after a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    /// The next instruction.
    pub(crate) instruction: u64,
    /// The frame pointer.
    pub(crate) frame: u64,
    /// The result.
    pub(crate) result: u64,
}

/// Where to go on after a fault, if it is that of an access in the code that this thread runs. The
/// signal handler calls it: it allocates nothing and takes no lock.
///
/// # Safety
/// The calling thread was interrupted at the instruction, with this frame pointer.
pub(crate) unsafe fn landing(instruction: usize, frame: u64, address: u64) -> Option<Landing> {
    let first = FIRST.load(Ordering::Relaxed);
    if instruction < first || instruction >= PAST.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: null or the context of the code that this thread runs, by `Running`.
    let context = unsafe { RUNNING.get().as_mut() }?;
    let offset = (instruction as u64).wrapping_sub(context.code.0);
    if offset >= context.code.1 {
        return None;
    }
    // SAFETY: the table of the code that runs.
    let faults = unsafe { std::slice::from_raw_parts(context.faults.0, context.faults.1 as usize) };
    faults.binary_search(&(offset as u32)).ok()?;
    context.refused = offset;
    context.value = address;
    // SAFETY: the instruction is the code's, so that the frame is, too: there lie the frame pointer of the
    // entrance, and above it the address to return to.
    let (outer, back) = unsafe { (*(frame as *const u64), *(frame as *const u64).add(1)) };
    Some(Landing {
        instruction: back,
        frame: outer,
        result: Left::Refused as u64,
    })
}
