//! Catching accesses that the system refuses.
//!
//! With fine-grain system SVM a kernel may use any address of the process, so that whether
//! something is mapped there shows only when it is used. The processor's fault becomes
//! a signal, SIGSEGV or SIGBUS; its handler looks whether the instruction is one of the
//! [accesses](super::machine) and lets it go on after it, saying that nothing was accessed. If it is an
//! access of compiled code, the code is left ([`native::machine`](crate::native::machine)).
//! All other signals go to the handler that was there before.
//!
//! Applications have handlers of their own and install them when they like. So every launch
//! that may meet a fault looks whether the handler is in place, and puts it back in front of
//! what is there if it is not.

#[cfg(catches_faults)]
pub(crate) use linux::{prepare_launch, prepare_thread};
#[cfg(not(catches_faults))]
pub(crate) use nothing::{prepare_launch, prepare_thread};

/// Whether accesses that the system refuses are caught on this machine.
pub const CATCHES_FAULTS: bool = cfg!(catches_faults);

#[cfg(catches_faults)]
use super::machine as accesses;
#[cfg(not(catches_faults))]
use super::portable as accesses;

/// Copies bytes between addresses that an application names, where there may be nothing: as far as
/// the system allows. Where faults are not caught ([`CATCHES_FAULTS`]), one ends the process.
///
/// # Errors
/// How many bytes from the start have been copied at least, when one of the next cannot be.
///
/// # Safety
/// What is mapped in both ranges is valid, to read and to write; they do not overlap.
pub unsafe fn copy_caught(from: *const u8, to: *mut u8, size: usize) -> Result<(), usize> {
    prepare_launch();
    // SAFETY: the caller's promise.
    match unsafe { accesses::copy(from, to, size) } {
        0 => Ok(()),
        rest => Err(size - rest),
    }
}

#[cfg(not(catches_faults))]
mod nothing {
    pub(crate) fn prepare_launch() {}
    pub(crate) fn prepare_thread() {}
}

#[cfg(catches_faults)]
mod linux {
    use crate::native::machine;
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr::{null, null_mut};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

    /// One access: where its instruction is and where to go on, each relative to the field.
    #[repr(C)]
    struct Access {
        instruction: i32,
        landing: i32,
    }

    unsafe extern "C" {
        // The linker puts these at both ends of the section that the accesses fill.
        static __start_touchstone_faults: [Access; 0];
        static __stop_touchstone_faults: [Access; 0];
    }

    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// The handler that was there before, one for each of [`SIGNALS`].
    struct Previous {
        handler: AtomicUsize,
        flags: AtomicI32,
    }

    static PREVIOUS: [Previous; 2] = [const {
        Previous {
            handler: AtomicUsize::new(libc::SIG_DFL),
            flags: AtomicI32::new(0),
        }
    }; 2];

    /// Handlers called within handlers: one that was installed later may call this one.
    static NESTED: AtomicU32 = AtomicU32::new(0);

    /// Where to go on after the access at an instruction.
    fn landing(instruction: usize) -> Option<usize> {
        // The fields' addresses plus what is in them.
        let resolve = |field: *const i32| {
            // SAFETY: a field of the table.
            (field as usize).wrapping_add_signed(unsafe { *field } as isize)
        };
        let mut at = (&raw const __start_touchstone_faults).cast::<Access>();
        let end = (&raw const __stop_touchstone_faults).cast::<Access>();
        while at < end {
            // SAFETY: between both ends of the table, which holds nothing but these.
            let (i, l) = unsafe { (&raw const (*at).instruction, &raw const (*at).landing) };
            if resolve(i) == instruction {
                return Some(resolve(l));
            }
            at = at.wrapping_add(1);
        }
        None
    }

    /// The signal handler. It does nothing that a signal handler may not.
    unsafe extern "C" fn handle(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        let user = context.cast::<libc::ucontext_t>();
        // SAFETY: the system gives the context of the interrupted thread.
        let instruction = unsafe { &mut (*user).uc_mcontext.gregs[libc::REG_RIP as usize] };
        if let Some(landing) = landing(*instruction as usize) {
            *instruction = landing as libc::greg_t;
            return;
        }
        // SAFETY: as given by the system.
        if unsafe { leave_compiled_code(user, info) } {
            return;
        }
        // SAFETY: as given by the system.
        unsafe { pass_on(signal, info, context) };
    }

    /// Lets the thread leave compiled code, if one of the accesses there has faulted.
    ///
    /// # Safety
    /// The system has given both for the interrupted thread, which is the calling one.
    unsafe fn leave_compiled_code(user: *mut libc::ucontext_t, info: *mut libc::siginfo_t) -> bool {
        // SAFETY: the caller's promise.
        let (registers, address) = unsafe { (&mut (*user).uc_mcontext.gregs, (*info).si_addr()) };
        let instruction = registers[libc::REG_RIP as usize] as usize;
        let frame = registers[libc::REG_RBP as usize] as u64;
        // SAFETY: the thread was interrupted there, with this frame pointer.
        let landing = unsafe { machine::landing(instruction, frame, address as u64) };
        let Some(landing) = landing else {
            return false;
        };
        registers[libc::REG_RIP as usize] = landing.instruction as libc::greg_t;
        registers[libc::REG_RBP as usize] = landing.frame as libc::greg_t;
        registers[libc::REG_RAX as usize] = landing.result as libc::greg_t;
        true
    }

    /// Not a fault of ours: what would have happened without this handler.
    unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let Some(index) = SIGNALS.iter().position(|&s| s == signal) else {
            return;
        };
        let previous = &PREVIOUS[index];
        let handler = previous.handler.load(Ordering::Acquire);
        let deep = NESTED.fetch_add(1, Ordering::Relaxed) > 16;
        if deep || handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // The instruction faults again and ends the process, as a fault does.
            // SAFETY: restores the default.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        } else if previous.flags.load(Ordering::Relaxed) & libc::SA_SIGINFO != 0 {
            type Handler =
                unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: `sigaction` gave this as a handler of this kind.
            unsafe { std::mem::transmute::<usize, Handler>(handler)(signal, info, context) };
        } else {
            // SAFETY: `sigaction` gave this as a handler of this kind.
            unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn(libc::c_int)>(handler)(signal);
            }
        }
        NESTED.fetch_sub(1, Ordering::Relaxed);
    }

    /// Lets the calling thread take the faults of kernels that it runs. A fault that is
    /// blocked ends the process.
    fn prepare_caller() {
        thread_local! {
            static PREPARED: Cell<bool> = const { Cell::new(false) };
        }
        if PREPARED.replace(true) {
            return;
        }
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the set is initialized by the first call.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in SIGNALS {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), null_mut());
        }
    }

    /// Puts the handler in its place before a launch that may meet a fault.
    pub(crate) fn prepare_launch() {
        prepare_caller();
        static INSTALLING: Mutex<()> = Mutex::new(());
        let ours = handle as *const () as usize;
        let present = |signal| {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: asks only.
            unsafe { libc::sigaction(signal, null(), action.as_mut_ptr()) };
            // SAFETY: all zero bytes are a valid action, whatever the call did.
            unsafe { action.assume_init() }
        };
        if SIGNALS.iter().all(|&s| present(s).sa_sigaction == ours) {
            return;
        }
        // The lock guards nothing that a panic could leave half done.
        let _one = INSTALLING
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for (&signal, previous) in SIGNALS.iter().zip(&PREVIOUS) {
            let action = present(signal);
            if action.sa_sigaction == ours {
                continue;
            }
            previous.flags.store(action.sa_flags, Ordering::Relaxed);
            previous
                .handler
                .store(action.sa_sigaction, Ordering::Release);
            // SAFETY: all zero bytes are a valid action.
            let mut new: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
            new.sa_sigaction = ours;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            // SAFETY: the handler keeps to what handlers may do.
            unsafe {
                libc::sigemptyset(&mut new.sa_mask);
                libc::sigaction(signal, &new, null_mut());
            }
        }
    }

    /// Sets which signals a thread that runs kernels takes: its own faults, and nothing that is
    /// meant for the application.
    pub(crate) fn prepare_thread() {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the set is initialized by the first call.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            for signal in [
                libc::SIGSEGV,
                libc::SIGBUS,
                libc::SIGFPE,
                libc::SIGILL,
                libc::SIGTRAP,
                libc::SIGABRT,
                libc::SIGSYS,
            ] {
                libc::sigdelset(set.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), null_mut());
        }
    }
}
