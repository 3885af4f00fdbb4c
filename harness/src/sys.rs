//! The few calls of the operating system that the standard library does not have. All of the
//! command line's own `unsafe` code is here and in [`crate::device::touch`].

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd};
use std::sync::atomic::AtomicU32;

/// Takes the standard input and output of this process away from everyone else and returns them:
/// from here on descriptor 0 reads nothing and descriptor 1 writes to standard error, so that a
/// library which prints or reads cannot disturb what travels over the two pipes.
pub fn take_standard_pipes() -> io::Result<(File, File)> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let null = File::open("/dev/null")?;
    redirect(null.as_raw_fd(), 0)?;
    redirect(io::stderr().as_raw_fd(), 1)?;
    Ok((input, output))
}

/// Makes descriptor `onto` another name of descriptor `from`.
fn redirect(from: i32, onto: i32) -> io::Result<()> {
    // SAFETY: dup2 takes two integers and touches no memory of this process. Nothing in Rust owns
    // descriptors 0 and 1, so no owner's descriptor is closed behind its back.
    let result = unsafe { libc::dup2(from, onto) };
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// From here on what this process writes to descriptor 1, after all that C streams hold by now, goes to a file that is
/// returned; [`output_to_errors`] ends that.
pub fn output_to_file() -> io::Result<File> {
    flush_streams();
    // SAFETY: the name is a string that ends with a zero; the descriptor that comes back is nobody else's.
    let file = unsafe {
        match libc::memfd_create(c"printed".as_ptr(), libc::MFD_CLOEXEC) {
            descriptor if descriptor < 0 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    redirect(file.as_raw_fd(), 1)?;
    Ok(file)
}

/// Descriptor 1 writes to standard error again, as [`take_standard_pipes`] has it; what C streams hold is written before.
pub fn output_to_errors() -> io::Result<()> {
    flush_streams();
    redirect(io::stderr().as_raw_fd(), 1)
}

/// Writes what the C library's streams hold, where libraries may have left what they print.
fn flush_streams() {
    // SAFETY: a null pointer stands for all streams; each is locked by the C library while it is flushed.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Asks the kernel to kill this process when the thread that started it ends. Where the kernel has
/// no such service this does nothing; the end of the pipe then tells a worker that it is alone.
pub fn die_with_parent() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: PR_SET_PDEATHSIG takes a signal number by value and touches no memory.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    }
}

/// Ends this process at once: no destructors, no exit handlers of a loaded library.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit takes an integer and does not return.
    unsafe { libc::_exit(code) }
}

/// Kills every process of the group that `leader` leads. A group that is gone is no error.
pub fn kill_group(leader: u32) {
    let Ok(group) = i32::try_from(leader) else {
        return;
    };
    if group > 1 {
        // SAFETY: kill takes two integers and touches no memory. The group was made for one worker
        // and its leader has not been waited for, so the number cannot mean another group.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// A shared library that stays loaded until the process ends.
pub struct Loaded {
    library: libloading::Library,
}

impl Loaded {
    /// Loads the library called `name`: a path, or a bare name that the dynamic loader finds.
    /// The error is the dynamic loader's own sentence.
    pub fn open(name: &str) -> Result<Loaded, String> {
        // SAFETY: loading a library runs its initialisers, which may do anything; that is what a
        // worker process is for. The library is never unloaded (see `keep`).
        match unsafe { libloading::Library::new(name) } {
            Ok(library) => Ok(Loaded { library }),
            Err(error) => Err(innermost(&error)),
        }
    }

    /// Whether the library, or one it depends on, defines `symbol`.
    pub fn has(&self, symbol: &str) -> bool {
        // SAFETY: the symbol's address is only compared with null, never used.
        unsafe { self.library.get::<*const ()>(symbol.as_bytes()) }.is_ok()
    }

    /// A function of the library.
    ///
    /// # Safety
    /// A symbol of this name is a function of type `F`, which is called only while the library is loaded.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
        // SAFETY: by the caller.
        let symbol = unsafe { self.library.get::<F>(name.to_bytes_with_nul()) };
        symbol.ok().map(|symbol| *symbol)
    }

    /// Keeps the library loaded until the process ends.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

/// The message of the last error in the chain: what the dynamic loader said.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    at.to_string()
}

/// The first 32-bit words of a file, as memory that all share who have it; none where the system gives none.
pub fn shared_words(file: &File, count: usize) -> Option<&'static [AtomicU32]> {
    let bytes = 4 * count;
    if file.metadata().ok()?.len() < bytes as u64 {
        return None;
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, of which nothing else in this process knows.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            access,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: so many bytes of a mapping that stays for as long as the process does, at the beginning of a page;
    // they are used as atomics only.
    Some(unsafe { std::slice::from_raw_parts(memory.cast(), count) })
}

/// The number of the calling thread, as the system counts them.
pub fn this_thread() -> i32 {
    // SAFETY: gettid takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

/// The processors that a thread may run on, in order; none where the system does not say.
pub fn processors(thread: i32) -> Vec<usize> {
    let mut set = empty_set();
    let size = std::mem::size_of_val(&set);
    // SAFETY: `set` is as large as said, and is written to by the system alone.
    if unsafe { libc::sched_getaffinity(thread, size, &mut set) } != 0 {
        return Vec::new();
    }
    // SAFETY: the numbers are below the bits of the set, which has been initialised.
    let has = |&processor: &usize| unsafe { libc::CPU_ISSET(processor, &set) };
    (0..libc::CPU_SETSIZE as usize).filter(has).collect()
}

/// Lets a thread of this process run on these processors alone. A thread that has ended is an error.
pub fn set_processors(thread: i32, processors: &[usize]) -> io::Result<()> {
    let mut set = empty_set();
    for &processor in processors
        .iter()
        .filter(|&&p| p < libc::CPU_SETSIZE as usize)
    {
        // SAFETY: the number is below the bits of the set.
        unsafe { libc::CPU_SET(processor, &mut set) };
    }
    // SAFETY: `set` is as large as said, and is read by the system alone.
    match unsafe { libc::sched_setaffinity(thread, std::mem::size_of_val(&set), &set) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn empty_set() -> libc::cpu_set_t {
    // SAFETY: a set of processors is an array of integers, of which all zeros are one.
    unsafe { std::mem::zeroed() }
}

/// Sets the nice value of a thread.
pub fn set_nice(thread: i32, nice: i32) -> io::Result<()> {
    // SAFETY: setpriority takes three integers and touches no memory.
    match unsafe { libc::setpriority(libc::PRIO_PROCESS, thread as libc::id_t, nice) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The nice value of a thread; 0 where the system does not say.
pub fn nice(thread: i32) -> i32 {
    // SAFETY: getpriority takes two integers and touches no memory. An error is -1, as the value may be.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, thread as libc::id_t) };
    nice.clamp(-20, 19)
}
