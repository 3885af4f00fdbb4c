//! A command as the program enqueues it.

use crate::answer::Answer;
use crate::library::Entry;
use crate::library::driver::{Event, Place};
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

pub(super) const MARKER: Entry = Entry::named("clEnqueueMarkerWithWaitList");
pub(super) const BARRIER: Entry = Entry::named("clEnqueueBarrierWithWaitList");

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

    /// Where it is enqueued.
    pub(super) fn place(&self) -> Place {
        (self.queue, self.count, self.list, self.event)
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

    /// Enqueues it with a place for its event in any case: its answer, and a reference to the event
    /// where it was accepted.
    ///
    /// # Safety
    /// `issue` writes the event of a command that it enqueues.
    pub(super) unsafe fn observed<R: Answer>(
        &self,
        issue: impl FnOnce(&Command) -> R,
    ) -> (R, Option<Event>) {
        let mut own = ptr::null_mut();
        let event = if self.event.is_null() {
            &raw mut own
        } else {
            self.event
        };
        let answer = issue(&Command {
            event,
            ..self.clone()
        });
        let enqueued = answer.succeeded().then(|| {
            // SAFETY: the command was accepted, so its event was written; the program keeps its own
            // reference, or has asked for none and the layer has the only one.
            unsafe {
                if self.event.is_null() {
                    Event::adopt(own)
                } else {
                    Event::retain(*event)
                }
            }
        });
        (answer, enqueued)
    }

    /// Gives the program a complete event, as if a command without effect had been enqueued.
    pub(super) fn pretend(&self) -> Result<(), cl_int> {
        if !self.event.is_null() {
            let event = Event::complete(self.queue)?;
            // SAFETY: not NULL, so the program wants its event there.
            unsafe { *self.event = event.into_raw() };
        }
        Ok(())
    }
}
