//! What threads meet through, made of shuttle's primitives: the interface of the crate's
//! `sync`, and faults to see that the checks find them.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::time::Duration;

pub use shuttle::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use shuttle::thread::JoinHandle;

/// What is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// One in four notifications wakes nobody.
    LostWakeUp,
    /// Taking one off a count is a load and a store.
    TornCount,
}

// All threads of one schedule run on one thread of the system, so its variables are theirs
// in common, and using them is no step of the schedule.
thread_local! {
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
    static STARTED: RefCell<Vec<JoinHandle<()>>> = const { RefCell::new(Vec::new()) };
    static NOTIFIED: Cell<u32> = const { Cell::new(0) };
}

/// Lets others go on.
pub fn pause() {
    shuttle::thread::yield_now();
}

/// Begins a schedule.
pub fn reset(fault: Fault) {
    FAULT.set(fault);
    STARTED.take();
    NOTIFIED.set(0);
}

/// Waits for the end of every thread that was started.
pub fn join_all() {
    while let Some(thread) = STARTED.with_borrow_mut(Vec::pop) {
        thread.join().expect("a thread panicked");
    }
}

fn is_lost() -> bool {
    NOTIFIED.set(NOTIFIED.get() + 1);
    FAULT.get() == Fault::LostWakeUp && NOTIFIED.get().is_multiple_of(4)
}

pub struct Mutex<T>(shuttle::sync::Mutex<T>);

pub struct MutexGuard<'a, T>(Option<shuttle::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(shuttle::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().expect("a thread panicked")))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().expect("only absent while it waits")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect("only absent while it waits")
    }
}

pub struct Condvar(shuttle::sync::Condvar);

impl Condvar {
    pub fn new() -> Self {
        Self(shuttle::sync::Condvar::new())
    }

    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let inner = guard.0.take().expect("only absent while it waits");
        guard.0 = Some(self.0.wait(inner).expect("a thread panicked"));
    }

    pub fn notify_one(&self) {
        if !is_lost() {
            self.0.notify_one();
        }
    }

    pub fn notify_all(&self) {
        if !is_lost() {
            self.0.notify_all();
        }
    }
}

pub struct AtomicUsize(shuttle::sync::atomic::AtomicUsize);

impl AtomicUsize {
    pub fn new(value: usize) -> Self {
        Self(shuttle::sync::atomic::AtomicUsize::new(value))
    }

    pub fn load(&self, order: Ordering) -> usize {
        self.0.load(order)
    }

    pub fn store(&self, value: usize, order: Ordering) {
        self.0.store(value, order);
    }

    pub fn fetch_add(&self, value: usize, order: Ordering) -> usize {
        self.0.fetch_add(value, order)
    }

    pub fn fetch_sub(&self, value: usize, order: Ordering) -> usize {
        if FAULT.get() == Fault::TornCount {
            let old = self.0.load(Ordering::SeqCst);
            self.0.store(old - value, Ordering::SeqCst);
            return old;
        }
        self.0.fetch_sub(value, order)
    }
}

pub const SPIN: Duration = Duration::ZERO;

/// Looks once more: whether a thread finds its news awake or sleeps is up to the schedule.
pub fn spin(_: Duration, news: impl Fn() -> bool) -> bool {
    shuttle::thread::yield_now();
    news()
}

pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    let thread = shuttle::thread::Builder::new()
        .name(name.into())
        .spawn(body);
    let thread = thread.expect("shuttle always has a thread");
    STARTED.with_borrow_mut(|started| started.push(thread));
    true
}
