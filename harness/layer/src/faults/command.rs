//! What can go wrong with any command: its wait list, its event, whether it blocks, whether it is
//! enqueued at all, and which errors are kept from the program.

use super::named::Breach;
use super::{Call, order, outcome, waits};
use crate::entry::Answer;
use crate::library::Entry;
use crate::library::driver::{self, Event};
use opencl_sys::*;
use std::ptr;

/// A command as the program enqueues it.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    /// The function that was called.
    pub(crate) entry: Entry,
    /// The queue.
    pub(crate) queue: cl_command_queue,
    /// Whether the call blocks; none for a command that never does.
    pub(crate) blocking: Option<cl_bool>,
    /// The length of the wait list.
    pub(crate) count: cl_uint,
    /// The wait list.
    pub(crate) list: *const cl_event,
    /// Where the event goes, or NULL.
    pub(crate) event: *mut cl_event,
}

const MARKER: Entry = Entry::named("clEnqueueMarkerWithWaitList");
const BARRIER: Entry = Entry::named("clEnqueueBarrierWithWaitList");

impl Command {
    /// Whether the call blocks.
    pub(crate) fn blocks(&self) -> bool {
        self.blocking.is_some_and(|blocking| blocking != CL_FALSE)
    }

    /// Whether it is a marker or a barrier, for which an empty list means everything before.
    pub(crate) fn orders(&self) -> bool {
        self.entry == MARKER || self.entry == BARRIER
    }

    /// Whether it is a kernel.
    pub(crate) fn is_kernel(&self) -> bool {
        [
            const { Entry::named("clEnqueueNDRangeKernel") },
            const { Entry::named("clEnqueueTask") },
            const { Entry::named("clEnqueueNativeKernel") },
        ]
        .contains(&self.entry)
    }

    /// The wait list; empty if it is wrong, which the implementation is to say.
    ///
    /// # Safety
    /// `list` is NULL or has `count` elements.
    pub(crate) unsafe fn waits(&self) -> &[cl_event] {
        if self.list.is_null() {
            return &[];
        }
        // SAFETY: this function's own contract.
        unsafe { std::slice::from_raw_parts(self.list, self.count as usize) }
    }

    /// The same command with another wait list.
    pub(crate) fn with_list(&self, list: &[cl_event]) -> Command {
        Command {
            count: list.len() as cl_uint,
            list: if list.is_empty() {
                ptr::null()
            } else {
                list.as_ptr()
            },
            ..self.clone()
        }
    }

    /// Gives the program a complete event, as if a command without effect had been enqueued.
    fn pretend(&self) -> Result<(), cl_int> {
        if !self.event.is_null() {
            let event = Event::complete(self.queue)?;
            // SAFETY: not NULL, so the program wants its event there.
            unsafe { *self.event = event.into_raw() };
        }
        Ok(())
    }
}

/// Enqueues a command; `issue` calls the implementation with the command as it became.
///
/// # Safety
/// As OpenCL asks of the entry point's caller; `issue` passes the command on.
pub(crate) unsafe fn around<R: Answer>(
    call: &Call,
    command: Command,
    mut issue: impl FnMut(&Command) -> R,
) -> R {
    if call.is_clean() {
        return issue(&command);
    }
    // SAFETY: this function's own contract.
    unsafe { broken(call, command, &mut issue) }
}

unsafe fn broken<R: Answer>(
    call: &Call,
    command: Command,
    issue: &mut impl FnMut(&Command) -> R,
) -> R {
    // SAFETY: the program's list.
    let changed = unsafe { waits::change(call, &command) };
    let mut command = match &changed {
        Some(changed) => command.with_list(changed.list()),
        None => command,
    };
    // SAFETY: the program's command.
    if let Some(answer) = unsafe { instead(call, &command) } {
        return R::without_call(answer);
    }
    if call.has(Breach::OtherThreads) && order::is_another_threads(command.queue) {
        return R::without_call(command.pretend().err().unwrap_or(CL_SUCCESS));
    }
    let early = call.has(Breach::BlockingEarly) && command.blocks();
    if early {
        command.blocking = Some(CL_FALSE);
    } else if call.has(Breach::NonBlockingBlocks) && command.blocking.is_some() {
        command.blocking = Some(CL_TRUE);
    }
    // SAFETY: the program's command.
    let answer = unsafe {
        order::around(call, &command, &mut |command| {
            if call.has(Breach::RunsTwice) {
                twice(command, issue)
            } else {
                issue(command)
            }
        })
    };
    if early && answer.succeeded() {
        // A blocking call flushes: its command is on its way, only nobody waits for it.
        let _ = driver::flush(command.queue);
    }
    match answer.status().map(outcome) {
        None | Some(Ok(())) => answer,
        // SAFETY: the program's command.
        Some(Err(status)) => unsafe { forgiven(call, &command, status, issue) }.unwrap_or(answer),
    }
}

/// What markers and barriers become; the status to answer with where it is not themselves.
unsafe fn instead(call: &Call, command: &Command) -> Option<cl_int> {
    let all = command.count == 0;
    let status = |done: Result<(), cl_int>| Some(done.err().unwrap_or(CL_SUCCESS));
    if command.entry == BARRIER {
        if call.has(Breach::BarrierIgnored) {
            return status(command.pretend());
        }
        if call.has(Breach::BarrierAsMarker) && all || call.has(Breach::BarrierListAsMarker) && !all
        {
            return status(driver::marker(
                command.queue,
                command.count,
                command.list,
                command.event,
            ));
        }
    }
    if command.entry == MARKER && all && call.has(Breach::MarkerEarly) {
        return status(command.pretend());
    }
    None
}

/// Enqueues a kernel twice, the second run behind the first.
fn twice<R: Answer>(command: &Command, issue: &mut impl FnMut(&Command) -> R) -> R {
    let mut first = ptr::null_mut();
    let answer = issue(&Command {
        event: &mut first,
        ..command.clone()
    });
    if !answer.succeeded() || first.is_null() {
        return answer;
    }
    // SAFETY: the implementation gave the layer this reference.
    let first = unsafe { Event::adopt(first) };
    issue(&command.with_list(&[first.raw()]))
}

/// The answer that takes the place of an error.
unsafe fn forgiven<R: Answer>(
    call: &Call,
    command: &Command,
    status: cl_int,
    issue: &mut impl FnMut(&Command) -> R,
) -> Option<R> {
    let pretend = || {
        Some(R::without_call(
            command.pretend().err().unwrap_or(CL_SUCCESS),
        ))
    };
    if call.has(Breach::ForeignEvents) && status == CL_INVALID_CONTEXT && command.count > 0 {
        return Some(issue(&command.with_list(&[])));
    }
    if call.has(Breach::OverlapAccepted) && status == CL_MEM_COPY_OVERLAP
        || call.has(Breach::SvmMisuse) && status == CL_INVALID_VALUE
    {
        return pretend();
    }
    None
}
