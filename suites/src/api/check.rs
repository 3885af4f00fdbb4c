//! Holds what a run of an API case observed against what the rules require.

use super::refusal::code;
use super::{Case, Legacy, Story};
use crate::commands::trace::status;
use crate::rule::{self, RuleId};
use classay_vocabulary::Violation;
use std::ops::RangeInclusive;

/// Something that a run observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// Bytes of memory that the refused calls changed.
    Changed,
    /// Objects that all share whose reference count is 0 afterwards, although one reference is left. An
    /// implementation may count references of its own, so that a count that is too high shows nothing.
    Uncounted,
    /// Reads that did not see what was filled in just before.
    Misread,
    /// Bytes a time by which the process grew in each of many stretches.
    Growth,
    /// Callbacks for the end of memory that were called while a command needed it.
    DestructorsEarly,
    /// Callbacks for the end of memory that were called in all, less those that were registered.
    DestructorsOff,
    /// Callbacks for the end of memory that were not called in the reverse order.
    DestructorsMisordered,
    /// Callbacks for the end of the context, less the one that was registered.
    ContextOff,
    /// Callbacks of clEnqueueSVMFree while it was held back.
    FreedEarly,
    /// Callbacks of clEnqueueSVMFree, less those that were asked for.
    FreedOff,
    /// Pointers that a callback of clEnqueueSVMFree got and that were not those to be freed.
    FreedOthers,
    /// The status of what is held back.
    StatusHeld,
    /// The status of what is held back, after it was let go and waited for.
    StatusDone,
    /// The status of a user event, less the one that it was set to.
    StatusOff,
    /// What clWaitForEvents returned for an event that had failed.
    WaitFailed,
}

/// What a run observed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// What the calls returned that must be refused, in order.
    pub refused: Vec<i32>,
    /// Calls that failed and must not, with their codes.
    pub failed: Vec<(&'static str, i32)>,
    /// What else was seen.
    pub facts: Vec<(Fact, i64)>,
}

/// What a call that waits returns when an event in its list has failed.
const ERROR_IN_WAIT_LIST: i64 = code::ERROR_IN_WAIT_LIST as i64;

/// Bytes a time below which memory that grows is no leak: the smallest object is larger.
pub const LEAST_OBJECT: i64 = 48;

impl Fact {
    /// What it may be.
    fn wanted(self) -> RangeInclusive<i64> {
        match self {
            Fact::Growth => i64::MIN..=LEAST_OBJECT,
            Fact::StatusHeld => i64::from(status::SUBMITTED)..=i64::from(status::QUEUED),
            Fact::StatusDone => i64::from(status::COMPLETE)..=i64::from(status::COMPLETE),
            Fact::WaitFailed => ERROR_IN_WAIT_LIST..=ERROR_IN_WAIT_LIST,
            Fact::StatusOff
            | Fact::Changed
            | Fact::Uncounted
            | Fact::Misread
            | Fact::DestructorsEarly
            | Fact::DestructorsOff
            | Fact::DestructorsMisordered
            | Fact::ContextOff
            | Fact::FreedEarly
            | Fact::FreedOff
            | Fact::FreedOthers => 0..=0,
        }
    }

    /// In a sentence.
    fn says(self, seen: i64) -> String {
        let off = |what: &str| {
            let less = if seen < 0 { "fewer" } else { "more" };
            format!("{what} were called {less} times than they were registered")
        };
        match self {
            Fact::Changed => "calls that were refused changed memory".into(),
            Fact::Uncounted => "a reference count is 0 although a reference is left".into(),
            Fact::Misread => "a read did not see what was filled in before it".into(),
            // The amount differs from run to run.
            Fact::Growth => "memory is not given back: the process grows with each time".into(),
            Fact::DestructorsEarly => "memory ended while a command needed it".into(),
            Fact::DestructorsOff => off("callbacks for the end of memory"),
            Fact::DestructorsMisordered => {
                "callbacks for the end of memory were not called in the reverse order".into()
            }
            Fact::ContextOff => off("callbacks for the end of a context"),
            Fact::FreedEarly => "memory was freed while the command was held back".into(),
            Fact::FreedOff => off("callbacks of clEnqueueSVMFree"),
            Fact::FreedOthers => "clEnqueueSVMFree was to free other pointers".into(),
            Fact::StatusHeld => format!("what is held back has the status {seen}"),
            Fact::StatusDone => format!("what was waited for has the status {seen}"),
            Fact::StatusOff => "a user event has another status than it was set to".into(),
            Fact::WaitFailed => {
                format!("clWaitForEvents returned {seen} for an event that had failed")
            }
        }
    }
}

/// The rules by which a story's calls and facts are as they are, the main one first.
pub(super) fn rules(story: &Story) -> Vec<RuleId> {
    match story {
        Story::Refusals { .. } => vec![rule::API_ERRORS],
        Story::Threads { .. } => vec![rule::QUEUE_THREADS, rule::QUEUE_RELEASE],
        Story::Again { .. } | Story::Destructors { .. } | Story::Context { .. } => {
            vec![rule::API_LIFETIME, rule::QUEUE_RELEASE]
        }
        Story::SvmFree { .. } => vec![rule::SV_API, rule::QUEUE_IN_ORDER],
        Story::FailedEvent { .. } => vec![rule::FAIL_USER_EVENT, rule::FAIL_NEGATIVE],
        Story::BuiltIn => vec![
            rule::KIND_BUILTIN,
            rule::PREREQ_WAIT_LIST,
            rule::NOT_BEFORE_READY,
        ],
        Story::Legacy { call } => match call {
            Legacy::Marker => vec![rule::SP_MARKER, rule::PREREQ_MARKER],
            Legacy::Barrier => vec![rule::SP_BARRIER, rule::PREREQ_BARRIER],
            Legacy::WaitForEvents => vec![rule::SP_BARRIER_LIST, rule::PREREQ_BARRIER],
        },
    }
}

/// Every rule that a run broke.
pub fn check(case: &Case, trace: &Trace) -> Vec<Violation> {
    let mut found = Vec::new();
    if let Story::Refusals { calls, .. } = &case.story {
        for (call, code) in calls.iter().zip(&trace.refused) {
            if !call.codes().contains(code) {
                let wanted: Vec<String> = call.codes().iter().map(i32::to_string).collect();
                found.push(Violation {
                    rules: call.rules(),
                    what: format!("{call} returned {code}, not {}", wanted.join(" or ")),
                });
            }
        }
    }
    let rules = rules(&case.story);
    for (call, code) in &trace.failed {
        let mut rules = rules.clone();
        rules.push(rule::API_VALID);
        found.push(Violation {
            rules,
            what: format!("{call} returned {code}"),
        });
    }
    for (fact, seen) in &trace.facts {
        if !fact.wanted().contains(seen) {
            found.push(Violation {
                rules: rules.clone(),
                what: fact.says(*seen),
            });
        }
    }
    found.sort();
    found.dedup();
    found
}
