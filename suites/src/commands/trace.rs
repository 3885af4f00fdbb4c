//! What one run of a program of commands observed.

use super::memory::Read;
use super::order::Moment;
use super::program::{CallbackId, CommandId, Place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Status values of the specification's header.
pub mod status {
    /// CL_COMPLETE.
    pub const COMPLETE: i32 = 0;
    /// CL_RUNNING.
    pub const RUNNING: i32 = 1;
    /// CL_SUBMITTED.
    pub const SUBMITTED: i32 = 2;
    /// CL_QUEUED.
    pub const QUEUED: i32 = 3;
    /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
    pub const ERROR_IN_WAIT_LIST: i32 = -14;
    /// CL_PROFILING_INFO_NOT_AVAILABLE.
    pub const NO_TIMES: i32 = -7;
}

/// The words of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// All words were this one.
    Whole(u32),
    /// The first word, and the first that differs from it.
    Mixed(u32, u32),
}

impl Seen {
    /// What these words show; `None` of no words.
    pub fn of(words: &[u32]) -> Option<Seen> {
        let first = *words.first()?;
        Some(match words.iter().find(|word| **word != first) {
            None => Seen::Whole(first),
            Some(other) => Seen::Mixed(first, *other),
        })
    }

    /// The words that tell what it shows.
    pub fn words(self) -> Vec<u32> {
        match self {
            Seen::Whole(word) => vec![word],
            Seen::Mixed(first, other) => vec![first, other],
        }
    }
}

/// The times of a command in nanoseconds of its device: queued, submitted, started, ended and, where
/// the implementation knows it, complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// CL_PROFILING_COMMAND_QUEUED.
    pub queued: u64,
    /// CL_PROFILING_COMMAND_SUBMIT.
    pub submit: u64,
    /// CL_PROFILING_COMMAND_START.
    pub start: u64,
    /// CL_PROFILING_COMMAND_END.
    pub end: u64,
    /// CL_PROFILING_COMMAND_COMPLETE.
    pub complete: Option<u64>,
}

/// A callback that was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fired {
    /// Which.
    pub callback: CallbackId,
    /// The status that it was given.
    pub status: i32,
    /// The event that it was given is the one it was registered for.
    pub right_event: bool,
}

/// What one run observed. What is missing was not observed, because a step did not come to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// The run's number in its tokens.
    pub run: u32,
    /// What reads saw, a value for each cell.
    pub reads: BTreeMap<Read, Vec<Seen>>,
    /// When moments of the host came, in one order for all threads: a call's stamp is drawn before
    /// the call, a return's after it, a callback's as its first act.
    pub stamps: BTreeMap<Moment, u64>,
    /// The same moments by the host's clock, in nanoseconds from the run's beginning.
    pub clock: BTreeMap<Moment, u64>,
    /// When everything was finished, by that clock.
    pub finished: Option<u64>,
    /// What calls returned.
    pub codes: BTreeMap<Place, i32>,
    /// What `Status` steps were told.
    pub statuses: BTreeMap<Place, i32>,
    /// What a query of the profiled times gave at the same steps.
    pub profiled: BTreeMap<Place, i32>,
    /// The status of each command after everything was finished.
    pub last: BTreeMap<CommandId, i32>,
    /// Callbacks, in the order in which they were called.
    pub fired: Vec<Fired>,
    /// How often the function of each native kernel ran with its arguments, where that was counted.
    pub ran: BTreeMap<CommandId, u32>,
    /// Nanoseconds between two readings that differ of the coarsest of the devices' timers, at most.
    pub resolution: u64,
    /// Times of commands, where they were to be had.
    pub times: BTreeMap<CommandId, Times>,
    /// Maps of memory that is the application's own which gave another address.
    pub elsewhere: Vec<CommandId>,
}
