//! Callbacks, the status of events, user events and failures, profiling times.

use super::super::sites::{CALLBACKS, ORDERS, STATUS, TIMES, WORK};
use super::{hangs, row, skipped};
use crate::faults::named::{Breach, Named};

/// The rows.
pub(super) const ROWS: &[Named] = &[
    // Callbacks.
    skipped(
        "callback-lost",
        &[CALLBACKS],
        &["ex.state.callbacks"],
        "a callback is called: it is not registered",
    ),
    row(
        "callback-twice",
        Breach::CallbackTwice,
        &[CALLBACKS],
        &["ex.state.callbacks"],
        "a callback is called once: it is registered twice",
    ),
    row(
        "callback-early",
        Breach::CallbackEarly,
        &[CALLBACKS],
        &["ex.state.callbacks", "sp.callback"],
        "a callback is called when its status is reached: it is called at once, and not again",
    ),
    row(
        "callback-wrong-status",
        Breach::CallbackWrongStatus,
        &[CALLBACKS],
        &["ex.state.callbacks", "ex.fail.negative"],
        "a callback is told the status: complete is told as running, a failure as complete",
    ),
    row(
        "callback-wrong-event",
        Breach::CallbackWrongEvent,
        &[CALLBACKS],
        &["ex.state.callbacks"],
        "a callback is told its event: it is given another one",
    ),
    row(
        "callback-failure-lost",
        Breach::CallbackFailureLost,
        &[CALLBACKS],
        &["ex.state.callbacks", "ex.fail.negative"],
        "a callback is called when the command fails, too: it is not",
    ),
    row(
        "callback-late-lost",
        Breach::CallbackLateLost,
        &[CALLBACKS],
        &["ex.state.callbacks"],
        "a callback registered after its status was reached is called: it is not",
    ),
    row(
        "callback-first-only",
        Breach::CallbackFirstOnly,
        &[CALLBACKS],
        &["ex.state.callbacks"],
        "each callback of an event is called: only the first that is registered is",
    ),
    row(
        "callback-states-lost",
        Breach::CallbackStatesLost,
        &[CALLBACKS],
        &["ex.state.callbacks"],
        "callbacks for submitted and running are called: only those for complete are",
    ),
    // The status of events.
    row(
        "status-early",
        Breach::StatusEarly,
        &[STATUS],
        &["ex.state.status-query", "ex.state.not-before-ready"],
        "CL_COMPLETE means complete: an accepted command is said to be complete",
    ),
    row(
        "status-backwards",
        Breach::StatusBackwards,
        &[STATUS],
        &["ex.state.order", "ex.state.status-query"],
        "a status never moves back: every second query tells the state before",
    ),
    hangs(row(
        "status-stuck",
        Breach::StatusStuck,
        &[STATUS],
        &["ex.state.status-query"],
        "a complete command is said to be complete: it is said to be running",
    )),
    row(
        "failure-hidden",
        Breach::FailureHidden,
        &[STATUS],
        &["ex.fail.negative"],
        "a failed command has a negative status: it is said to be complete",
    ),
    // User events and failures.
    row(
        "failure-not-propagated",
        Breach::FailureNotPropagated,
        &[WORK, ORDERS, &["clSetUserEventStatus"]],
        &["ex.fail.propagate", "ex.fail.user-event"],
        "commands that wait for a failed user event do not run: they run as if it were complete",
    ),
    row(
        "user-event-failure-completes",
        Breach::FailureCompletes,
        &[&["clSetUserEventStatus"]],
        &["ex.fail.user-event", "ex.fail.negative"],
        "a negative status of a user event fails it: it completes",
    ),
    row(
        "user-event-wrong-code",
        Breach::FailureWrongCode,
        &[&["clSetUserEventStatus"]],
        &["ex.fail.negative"],
        "a user event keeps the negative status that it is given: it gets another",
    ),
    hangs(skipped(
        "user-event-lost",
        &[&["clSetUserEventStatus"]],
        &["sp.user-event", "ex.fail.user-event"],
        "setting a user event wakes its waiters: nothing happens",
    )),
    hangs(row(
        "user-event-wakes-first",
        Breach::WakesFirst,
        &[WORK, ORDERS],
        &["sp.user-event", "ex.prereq.wait-list"],
        "a user event wakes every command that waits for it: only the first",
    )),
    row(
        "user-event-starts-complete",
        Breach::StartsComplete,
        &[&["clCreateUserEvent", "clSetUserEventStatus"]],
        &["sp.user-event", "ex.state.not-before-ready"],
        "a user event holds its waiters until it is set: it is complete from the beginning",
    ),
    row(
        "user-event-set-twice",
        Breach::SetTwice,
        &[&["clSetUserEventStatus"]],
        &["sp.user-event"],
        "a user event is set once: setting it again is answered with success",
    ),
    // Profiling.
    row(
        "times-equal",
        Breach::TimesEqual,
        &[TIMES],
        &["ex.state.profiling"],
        "each state has its time: all have that of CL_PROFILING_COMMAND_QUEUED",
    ),
    row(
        "times-swapped",
        Breach::TimesSwapped,
        &[TIMES],
        &["ex.state.profiling"],
        "a command starts before it ends: the two times are exchanged",
    ),
    row(
        "times-start-before-submit",
        Breach::StartBeforeSubmit,
        &[TIMES],
        &["ex.state.profiling"],
        "a command is submitted before it starts: START is one less than SUBMIT",
    ),
    row(
        "times-submit-before-queued",
        Breach::SubmitBeforeQueued,
        &[TIMES],
        &["ex.state.profiling"],
        "a command is queued before it is submitted: SUBMIT is one less than QUEUED",
    ),
    row(
        "times-end-after-complete",
        Breach::EndAfterComplete,
        &[TIMES],
        &["ex.state.profiling"],
        "a command ends before it is complete: END is one more than COMPLETE",
    ),
    row(
        "times-zero",
        Breach::TimesZero,
        &[TIMES],
        &["ex.state.profiling"],
        "profiling measures: every time is zero",
    ),
    row(
        "times-before-dependence",
        Breach::TimesBackwards,
        &[TIMES],
        &["ex.state.profiling", "ex.state.not-before-ready"],
        "a command starts after what it waits for: time runs backwards from event to event",
    ),
    row(
        "times-always-available",
        Breach::TimesAlways,
        &[TIMES],
        &["ex.state.profiling"],
        "without profiling, or before completion, there are no times: zero with success",
    ),
];
