//! What queues and events do under a fault; nothing of it is used without one.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use opencl_sys::*;
use parking_lot::{Mutex, MutexGuard};
use touchstone_faults::{Fault, any, on};
use touchstone_queue::{self as engine, Times};

use super::command::{Action, Kind};
use super::event::Event;
use super::{Queue, pool, submission};
use crate::ffi::Result;
use crate::object;

/// How long a fault waits for another thread to come.
const MOMENT: Duration = Duration::from_millis(2);

/// Whether commands wait for a flush, which a fault then forgets.
pub(super) fn wants_flushes() -> bool {
    on(Fault::FlushIgnored) || on(Fault::WaitDoesNotFlush) || on(Fault::ReleaseDoesNotFlush)
}

/// What a queue has besides.
pub(super) struct Extra {
    /// The queue of kernels, apart from that of other commands.
    kernels: Option<engine::Queue<Event>>,
    /// Threads that are enqueuing.
    enqueuing: AtomicUsize,
}

impl Extra {
    pub(super) fn new(out_of_order: bool) -> Box<Self> {
        let apart = on(Fault::InOrderKernelsApart) && !out_of_order;
        let kernels = || engine::Queue::new(Arc::clone(pool()), false, 1, submission());
        Box::new(Self {
            kernels: apart.then(kernels),
            enqueuing: AtomicUsize::new(0),
        })
    }

    /// Another queue for commands of a kind.
    pub(super) fn engine(&self, kind: Kind) -> Option<&engine::Queue<Event>> {
        let is_kernel = matches!(kind, Kind::NdRangeKernel | Kind::Task);
        self.kernels.as_ref().filter(|_| is_kernel)
    }

    pub(super) fn flush(&self) {
        self.kernels.iter().for_each(engine::Queue::flush);
    }

    pub(super) fn finish(&self) {
        self.kernels.iter().for_each(engine::Queue::finish);
    }
}

impl Queue {
    /// Enqueues a command under some fault.
    pub(super) fn enqueue_broken(
        self: &Arc<Self>,
        kind: Kind,
        mut wait_list: Vec<Arc<Event>>,
        mut action: Action,
        waits: bool,
    ) -> Arc<Event> {
        self.change_list(kind, &mut wait_list);
        if on(Fault::ThreadsLoseCommands)
            && let Some(extra) = &self.broken
        {
            let first = extra.enqueuing.fetch_add(1, Ordering::SeqCst) == 0;
            thread::sleep(MOMENT);
            extra.enqueuing.fetch_sub(1, Ordering::SeqCst);
            if !first {
                action = Box::new(|| Ok(()));
            }
        }
        if on(Fault::QueuesDepend) {
            self.follow_others(&mut wait_list);
        }
        let event = Event::of_command(self, kind, action);
        if on(Fault::QueuesDepend) {
            *LAST.lock() = Arc::downgrade(&event);
        }
        let engine = self.engine(kind);
        if waits {
            engine.enqueue_and_wait(&event, wait_list);
        } else {
            engine.enqueue(&event, wait_list);
        }
        event
    }

    /// The part of a wait list that is waited for.
    fn change_list(&self, kind: Kind, list: &mut Vec<Arc<Event>>) {
        if on(Fault::WaitListIgnored) || of_kind(kind).is_some_and(on) {
            list.clear();
        }
        if on(Fault::WaitListOutOfOrder)
            && self.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
        {
            list.clear();
        }
        if on(Fault::WaitListFirstOnly) {
            list.truncate(1);
        }
        if on(Fault::WaitListLastDropped) && list.len() > 1 {
            list.pop();
        }
        if on(Fault::WaitListUserEvents) {
            list.retain(|event| !event.is_user());
        }
        let queue = |event: &Arc<Event>| event.queue.clone();
        if on(Fault::WaitListOtherQueues) {
            list.retain(|event| queue(event).is_none_or(|of| std::ptr::eq(&*of, self)));
        }
        if on(Fault::WaitListOtherDevices) {
            let same = |of: Arc<Self>| Arc::ptr_eq(&of.device, &self.device);
            list.retain(|event| queue(event).is_none_or(same));
        }
    }

    /// Adds the last command of any other queue of this context.
    fn follow_others(&self, list: &mut Vec<Arc<Event>>) {
        let last = LAST.lock().upgrade();
        list.extend(last.filter(|event| {
            let other = event.queue.as_ref();
            other.is_some_and(|of| !std::ptr::eq(&**of, self))
                && Arc::ptr_eq(&event.context, &self.context)
        }));
    }
}

/// The last command enqueued to any queue.
static LAST: Mutex<Weak<Event>> = Mutex::new(Weak::new());

/// The fault that is about wait lists of a kind of command.
fn of_kind(kind: Kind) -> Option<Fault> {
    Some(match kind {
        Kind::NdRangeKernel | Kind::Task => Fault::WaitListKernels,
        Kind::NativeKernel => Fault::WaitListNative,
        Kind::ReadBuffer
        | Kind::WriteBuffer
        | Kind::CopyBuffer
        | Kind::ReadBufferRect
        | Kind::WriteBufferRect
        | Kind::CopyBufferRect
        | Kind::FillBuffer
        | Kind::ReadImage
        | Kind::WriteImage
        | Kind::CopyImage
        | Kind::CopyImageToBuffer
        | Kind::CopyBufferToImage
        | Kind::FillImage => Fault::WaitListTransfers,
        Kind::MapBuffer | Kind::MapImage => Fault::WaitListMaps,
        Kind::UnmapMemObject => Fault::WaitListUnmaps,
        Kind::MigrateMemObjects => Fault::WaitListMigrations,
        Kind::MarkerWithList => Fault::WaitListMarkers,
        Kind::BarrierWithList => Fault::WaitListBarriers,
        Kind::SvmFree
        | Kind::SvmMemcpy
        | Kind::SvmMemFill
        | Kind::SvmMap
        | Kind::SvmUnmap
        | Kind::SvmMigrateMem => Fault::WaitListSvm,
        Kind::Marker | Kind::Barrier | Kind::User => return None,
    })
}

/// The status that a query gives for the true one.
pub(super) fn status(status: cl_int) -> cl_int {
    static QUERIES: AtomicUsize = AtomicUsize::new(0);
    if on(Fault::StatusCompleteEarly) && matches!(status, CL_QUEUED | CL_SUBMITTED)
        || on(Fault::StatusHidesFailure) && status < 0
    {
        return CL_COMPLETE;
    }
    if on(Fault::StatusGoesBack)
        && status == CL_COMPLETE
        && QUERIES.fetch_add(1, Ordering::Relaxed) % 2 == 1
    {
        return CL_RUNNING;
    }
    status
}

/// The times that are reported for the true ones.
pub(super) fn times(mut times: Times) -> Times {
    if on(Fault::ProfilingStartEarly) {
        times.start = times.submit.saturating_sub(1);
    }
    if on(Fault::ProfilingEndEarly) {
        times.end = times.start.saturating_sub(1);
    }
    if on(Fault::ProfilingZero) {
        times = Times::default();
    }
    if on(Fault::ProfilingQueuedMissing) {
        times.queued = 0;
    }
    if on(Fault::ProfilingStartAtEnqueue) {
        times.start = times.queued;
        times.submit = times.queued;
    }
    times
}

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls an event callback, with what may be wrong about that.
pub(super) fn call_back(call: impl Fn(cl_int), status: cl_int) {
    let told = if on(Fault::CallbackWrongStatus) {
        CL_QUEUED
    } else {
        status
    };
    IN_CALLBACK.set(true);
    call(told);
    if on(Fault::CallbackTwice)
        || on(Fault::CallbackTwiceOnFailure) && status == engine::WAIT_LIST_FAILED
    {
        call(told);
    }
    IN_CALLBACK.set(false);
}

/// `clReleaseEvent`.
///
/// # Errors
/// `CL_INVALID_EVENT`.
pub fn release_event(handle: *mut c_void) -> Result<()> {
    if on(Fault::ReleaseInCallbackAborts) && IN_CALLBACK.get() {
        std::process::abort();
    }
    let last = object::release::<Event>(handle)?;
    if on(Fault::ReleaseEventLosesWork)
        && let Some(event) = &last
    {
        event.forget_action();
    }
    Ok(())
}

/// While it lives, this thread makes an object.
pub struct Creation(());

impl Drop for Creation {
    fn drop(&mut self) {
        MAKING.fetch_sub(1, Ordering::SeqCst);
    }
}

static MAKING: AtomicUsize = AtomicUsize::new(0);

/// Under its fault, ends the process when another thread makes an object, too.
pub fn creation() -> Option<Creation> {
    if !on(Fault::ConcurrentCreationAborts) {
        return None;
    }
    if MAKING.fetch_add(1, Ordering::SeqCst) > 0 {
        std::process::abort();
    }
    thread::sleep(MOMENT);
    Some(Creation(()))
}

/// The locks of buffers and of events, under the fault that takes them in two orders.
pub fn locks(buffers_first: bool) -> Option<(MutexGuard<'static, ()>, MutexGuard<'static, ()>)> {
    static BUFFERS: Mutex<()> = Mutex::new(());
    static EVENTS: Mutex<()> = Mutex::new(());
    if !(any() && on(Fault::LockOrderInverted)) {
        return None;
    }
    let (first, second) = if buffers_first {
        (&BUFFERS, &EVENTS)
    } else {
        (&EVENTS, &BUFFERS)
    };
    let first = first.lock();
    thread::sleep(MOMENT);
    Some((first, second.lock()))
}
