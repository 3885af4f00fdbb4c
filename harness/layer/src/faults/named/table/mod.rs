//! The faults of API calls that have a name of their own, one row each.
//!
//! | file | faults of |
//! | --- | --- |
//! | `waits` | wait lists, and calls that return too early |
//! | `queues` | the order of queues, markers and barriers; releases |
//! | `events` | callbacks, status, user events, failures, profiling |
//! | `memory` | memory objects, maps, shared virtual memory |
//! | `work` | transfers, arguments, index spaces, errors |

mod events;
mod memory;
mod queues;
mod waits;
mod work;

use super::{Breach, Named, Shows};
use crate::faults::act::Deed;
use opencl_sys::{CL_SUCCESS, cl_int};

/// A row whose fault shows on every processor.
const fn row(
    id: &'static str,
    breach: Breach,
    sites: &'static [&'static [&'static str]],
    rules: &'static [&'static str],
    breaks: &'static str,
) -> Named {
    Named {
        id,
        deed: Deed::Break(breach),
        sites,
        rules,
        breaks,
        shows: Shows::Anywhere,
        needs: &[],
    }
}

/// A row whose function is not called and answers with success.
const fn skipped(
    id: &'static str,
    sites: &'static [&'static [&'static str]],
    rules: &'static [&'static str],
    breaks: &'static str,
) -> Named {
    Named {
        id,
        deed: Deed::Answer(CL_SUCCESS),
        sites,
        rules,
        breaks,
        shows: Shows::Anywhere,
        needs: &[],
    }
}

/// A row whose function is not called and answers with an error.
const fn refused(
    id: &'static str,
    code: cl_int,
    sites: &'static [&'static [&'static str]],
    rules: &'static [&'static str],
    breaks: &'static str,
) -> Named {
    Named {
        id,
        deed: Deed::Answer(code),
        sites,
        rules,
        breaks,
        shows: Shows::Anywhere,
        needs: &[],
    }
}

/// The same row, whose fault shows as a call that never returns or a command that never completes.
const fn hangs(row: Named) -> Named {
    Named {
        shows: Shows::Hang,
        ..row
    }
}

const WAITS: &[&str] = &[
    "ex.prereq.wait-list",
    "sp.event-wait",
    "ex.state.not-before-ready",
];
const BLOCKS: &[&str] = &["ex.queue.blocking", "sp.blocking"];

/// Every named fault of API calls, in groups.
pub(super) const TABLE: [&[Named]; 5] = [
    waits::ROWS,
    queues::ROWS,
    events::ROWS,
    memory::ROWS,
    work::ROWS,
];
