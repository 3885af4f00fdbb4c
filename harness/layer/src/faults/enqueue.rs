//! What can go wrong with any command: its wait list, its event, whether it blocks, whether it is
//! enqueued at all, and which errors are kept from the program.

use super::call::{Call, outcome};
use super::command::{BARRIER, Command, MARKER};
use super::{order, waits};
use crate::answer::Answer;
use crate::library::driver::{self, Event};
use classay_faults::ApiViolation;
use opencl_sys::*;
use std::ptr;

/// Enqueues a command; `issue` calls the implementation with the command as it became.
///
/// # Safety
/// As OpenCL asks of the entry point's caller; `issue` passes the command on.
pub(crate) unsafe fn around<R: Answer>(
    call: &Call,
    command: Command,
    issue: impl Fn(&Command) -> R,
) -> R {
    if call.is_clean() {
        return issue(&command);
    }
    // SAFETY: this function's own contract.
    unsafe { broken(call, command, &issue) }
}

unsafe fn broken<R: Answer>(call: &Call, command: Command, issue: &impl Fn(&Command) -> R) -> R {
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
    if call.has(ApiViolation::OtherThreads) && order::is_another_threads(command.queue) {
        return R::without_call(command.pretend().err().unwrap_or(CL_SUCCESS));
    }
    if call.has(ApiViolation::PendingForgotten)
        && order::is_full(command.queue)
        && call.does(ApiViolation::PendingForgotten)
    {
        return R::without_call(command.pretend().err().unwrap_or(CL_SUCCESS));
    }
    let early = call.has(ApiViolation::BlockingEarly) && command.blocks();
    if early {
        command.blocking = Some(CL_FALSE);
    } else if call.has(ApiViolation::NonBlockingBlocks) && command.blocking.is_some() {
        command.blocking = Some(CL_TRUE);
    }
    // SAFETY: the program's command.
    let answer = unsafe {
        order::around(call, &command, |command| {
            if call.has(ApiViolation::RunsTwice) {
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
        if call.has(ApiViolation::BarrierIgnored) {
            return status(command.pretend());
        }
        if call.has(ApiViolation::BarrierAsMarker) && all
            || call.has(ApiViolation::BarrierListAsMarker) && !all
        {
            return status(driver::marker(command.place()));
        }
    }
    if command.entry == MARKER && all && call.has(ApiViolation::MarkerEarly) {
        return status(command.pretend());
    }
    None
}

/// Enqueues a kernel twice, the second run behind the first.
fn twice<R: Answer>(command: &Command, issue: &impl Fn(&Command) -> R) -> R {
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
    issue: &impl Fn(&Command) -> R,
) -> Option<R> {
    let pretend = || {
        Some(R::without_call(
            command.pretend().err().unwrap_or(CL_SUCCESS),
        ))
    };
    if call.has(ApiViolation::ForeignEvents) && status == CL_INVALID_CONTEXT && command.count > 0 {
        return Some(issue(&command.with_list(&[])));
    }
    if call.has(ApiViolation::OverlapAccepted) && status == CL_MEM_COPY_OVERLAP
        || call.has(ApiViolation::SvmMisuse) && status == CL_INVALID_VALUE
    {
        return pretend();
    }
    None
}
