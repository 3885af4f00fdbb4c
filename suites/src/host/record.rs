//! What a run of a host program observed.

use super::answers::{QuestionId, Said};
use super::function::Function;
use super::ids::{AnswerId, CallbackId, Mark};
use super::value::Slot;
use classay_vocabulary::Need;
use std::collections::{BTreeMap, BTreeSet};

/// What a run observed. What is missing was not observed, because a step did not come to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// What marked calls returned; [`NOT_MADE`] where a call was not made, since a slot was empty or the
    /// implementation lacks the function.
    pub codes: BTreeMap<Mark, i32>,
    /// When marked steps began and ended, in one order for all threads.
    pub stamps: BTreeMap<Mark, (u64, u64)>,
    /// The same by the host's clock, in nanoseconds from the run's beginning.
    pub clock: BTreeMap<Mark, (u64, u64)>,
    /// When everything was finished, by that clock.
    pub finished: Option<u64>,
    /// What calls that succeeded answered, and what was read; of a step that came several times, the last.
    pub answers: BTreeMap<AnswerId, Vec<u8>>,
    /// Callbacks, in the order in which they were called.
    pub fired: Vec<Fired>,
    /// How often callbacks came that are not listed, since they were given the same as one that is listed and
    /// many of theirs are: a program that registers thousands says how often, and needs no memory for it.
    pub recurred: BTreeMap<CallbackId, u32>,
    /// The addresses that slots of memory were given, each its last.
    pub addresses: BTreeMap<Slot, u64>,
    /// A call that failed and ended the run.
    pub failed: Option<(Function, i32)>,
    /// What a launch needs and its kernel does not permit on the device, by what it answers: the run shows nothing.
    pub lacks: Option<Need>,
    /// A side of an exchange timed out, so the run shows little.
    pub timed_out: bool,
    /// Where an exchange came upon a pointer that leads nowhere, by its mark, and which.
    pub astray: BTreeMap<Mark, String>,
    /// What was said of a program's kernels, by the mark of the step that asked.
    pub kernels: BTreeMap<Mark, Kernels>,
    /// The marked calls that had succeeded when the run waited for callbacks the last time: of what was registered after
    /// that, nobody waited for the call.
    pub settled: Option<BTreeSet<Mark>>,
    /// What objects said to questions, of one that came several times, the last.
    pub said: BTreeMap<QuestionId, Said>,
}

/// The host's view of a program's kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernels {
    /// The names that were asked for.
    pub asked: Vec<String>,
    /// CL_PROGRAM_KERNEL_NAMES.
    pub names: Vec<String>,
    /// CL_PROGRAM_NUM_KERNELS.
    pub count: u64,
    /// CL_KERNEL_FUNCTION_NAME of a kernel made for each name that was asked for, or the code of
    /// what failed.
    pub made: Vec<Result<String, i32>>,
}

/// Callbacks of one function that are listed before those that are alike are only counted.
const LISTED: usize = 64;

impl Record {
    /// Notes a callback that was called.
    pub fn fire(&mut self, fired: Fired) {
        let own = || self.fired.iter().filter(|f| f.callback == fired.callback);
        let alike = own().any(|f| (f.status, f.right) == (fired.status, fired.right));
        if alike && own().count() >= LISTED {
            *self.recurred.entry(fired.callback).or_default() += 1;
        } else {
            self.fired.push(fired);
        }
    }

    /// How often a callback was called.
    pub fn times(&self, callback: CallbackId) -> usize {
        let listed = self.fired.iter().filter(|f| f.callback == callback).count();
        listed
            + self
                .recurred
                .get(&callback)
                .map_or(0, |times| *times as usize)
    }
}

/// The code of a call that was not made.
pub const NOT_MADE: i32 = i32::MIN;

/// What a call did that had to succeed, in words: its code is told where it has one.
pub fn failed(function: Function, code: i32) -> String {
    match code {
        NOT_MADE => format!("{function} could not be called, or said nothing that can be read"),
        code => format!("{function} gives error {code}"),
    }
}

/// A callback that was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fired {
    /// Which.
    pub callback: CallbackId,
    /// The status or code that it was given; 0 where there is none.
    pub status: i32,
    /// It was given the objects that it was registered for.
    pub right: bool,
    /// When, in the order of [`Record::stamps`].
    pub stamp: u64,
}
