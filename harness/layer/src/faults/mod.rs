//! What the layer can break.
//!
//! | file | what it does |
//! | --- | --- |
//! | `active` | the faults of this process, from its environment |
//! | `grammar` | reads the list in `CLASSAY_LAYER_FAULTS`; takes no word that it does not know |
//! | `registry` | the list for people: every form with what it breaks and where it applies |
//! | `when` | at which calls a fault happens |
//! | `counter` | counts calls, in one process or across processes |
//! | `status` | the names of the error codes |
//! | `call` | one call, and what is to go wrong in it |
//! | `action` | faults that end or disturb the process |
//! | `command` | a command as the program enqueues it |
//! | `enqueue` | what can go wrong with any command: its list, its event, whether it blocks |
//! | `waits` | wait lists that are not what the program gave |
//! | `order` | queues that keep another order, or let go of work |
//! | `sync` | clFinish, clFlush and clWaitForEvents that do less; releases that lose work |
//! | `events` | status, callbacks and profiling times that are wrong |
//! | `answers` | what objects say of themselves |
//! | `user_events` | user events that do not keep their promises |
//! | `kernels` | arguments and index spaces that are not the program's |
//! | `parents` | kernels that are complete before those that they enqueue |
//! | `transfers` | offsets, sizes, pitches and patterns that are not the program's |
//! | `memory` | what memory objects and maps promise the host |
//! | `svm` | shared virtual memory |
//! | `stale` | maps of the program's own memory that are not up to date |
//! | `parts` | transfers in parts, or at another time than their command's |
//! | `crowd` | what goes wrong where threads call in the same instant |
//! | `waiters` | commands that forget what they wait for when its queue is released |
//! | `later` | things to do when a command has completed |
//! | `corrupt` | data that comes back changed |
//! | `spoof` | devices described as what they are not |
//! | `source` | kernel sources mutated before the compiler sees them |
//!
//! The faults that have a name are the rows of `classay_faults`, the catalogue. To add one: write its
//! row there, and let a hook here ask `call.has(ApiViolation::…)`, or `source` carry the mutation out.

pub(crate) mod action;
pub(crate) mod active;
pub(crate) mod answers;
pub(crate) mod call;
pub(crate) mod command;
pub(crate) mod corrupt;
pub(crate) mod counter;
pub(crate) mod crowd;
pub(crate) mod enqueue;
pub(crate) mod events;
pub(crate) mod grammar;
pub(crate) mod kernels;
pub(crate) mod later;
pub(crate) mod memory;
pub(crate) mod order;
pub(crate) mod parents;
pub(crate) mod parts;
pub(crate) mod registry;
pub(crate) mod source;
pub(crate) mod spoof;
pub(crate) mod stale;
pub(crate) mod status;
pub(crate) mod svm;
pub(crate) mod sync;
pub(crate) mod transfers;
pub(crate) mod user_events;
pub(crate) mod waiters;
pub(crate) mod waits;
pub(crate) mod when;

use crate::library::Entry;
use call::Call;
use opencl_sys::cl_int;

/// An entry point is called: looks up what is to happen in this call. A fault may end the process
/// here, or the call: then the status to answer with is the error.
pub(crate) fn enter(entry: Entry) -> Result<Call, cl_int> {
    let broken = active::break_calls();
    crate::effects::of_call(entry, broken);
    if broken {
        kernels::let_go(entry);
    }
    Call::enter(entry)
}

/// The implementation has answered.
pub(crate) fn leave() {
    later::settle();
}
