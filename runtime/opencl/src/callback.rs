//! Calling back into the application.
//!
//! Event, error and build callbacks run one after another on a thread of their own, so
//! that a slow callback delays other callbacks but never a queue. Deletion callbacks run
//! in the thread that deletes the object, as applications expect them to have run when
//! `clRelease*` returns; when that thread is one of a queue's, they go to the callback
//! thread like the others.
//!
//! Happens-before: a callback is sent through a channel after the state it reports was
//! written, and the channel's receive synchronizes with the send; so a callback sees
//! everything the command wrote.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};

use crate::edge::raw::HostAddress;

type Job = Box<dyn FnOnce() + Send>;

/// The pointer an application wants back in its callback.
#[derive(Clone, Copy, Debug)]
pub struct UserData(HostAddress);

impl UserData {
    /// Keeps a pointer.
    pub fn new(pointer: *mut c_void) -> Self {
        Self(HostAddress::new(pointer))
    }

    /// The pointer back.
    pub fn get(self) -> *mut c_void {
        self.0.get().cast()
    }
}

thread_local! {
    static ON_QUEUE_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Says that the current thread belongs to a queue: no callback may run on it.
pub fn mark_queue_thread() {
    ON_QUEUE_THREAD.set(true);
}

/// Runs a job on the callback thread.
pub fn later(job: impl FnOnce() + Send + 'static) {
    static CALLBACKS: LazyLock<Option<Sender<Job>>> = LazyLock::new(|| {
        let (sender, receiver) = channel::<Job>();
        std::thread::Builder::new()
            .name("touchstone-callbacks".into())
            .spawn(move || {
                for job in receiver {
                    // A panic was reported by the hook; the other callbacks go on.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            })
            .ok()
            .map(|_| sender)
    });
    let job: Job = Box::new(job);
    match &*CALLBACKS {
        // The receiver lives as long as the process.
        Some(sender) => drop(sender.send(job)),
        // The system has no thread left: here and now is better than never.
        None => job(),
    }
}

/// Runs a deletion callback, which gets the address of the object that goes away.
pub fn at_deletion(job: impl FnOnce(HostAddress) + Send + 'static, object: *mut c_void) {
    let address = HostAddress::new(object);
    if ON_QUEUE_THREAD.get() {
        later(move || job(address));
    } else {
        job(address);
    }
}
