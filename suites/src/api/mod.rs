//! API cases: what calls of the host do by themselves, beside programs of commands.
//!
//! A [`Case`] tells one [`Story`]: calls that must be refused ([`refusal`]), calls of several host
//! threads at once ([`Act`]), and the lives of objects: destructors, freed memory, events that are
//! released where they are called back, memory that is not given back. [`draw`] draws one from a seed,
//! [`check`] holds against it what a run observed, its [`Trace`], [`reproduce`] writes it as a C program,
//! and [`shrink`] makes one that fails small.

mod check;
mod draw;
pub mod refusal;
pub mod reproduce;
pub mod shrink;
#[cfg(test)]
mod tests;

pub use check::{Fact, LEAST_OBJECT, Trace, check};
pub use draw::{FAMILIES, draw};

use crate::rule::{self, RuleId};
use classay_vocabulary::Need;
use refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the device must offer.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub needs: BTreeSet<Need>,
    /// What is done.
    pub story: Story,
}

/// What an API case does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Story {
    /// Calls that must be refused, one after the other, and what is in memory afterwards.
    Refusals {
        /// Commands of the queue are held back meanwhile.
        held: bool,
        /// The calls.
        calls: Vec<Refusal>,
    },
    /// Host threads that begin together.
    Threads {
        /// What each does.
        threads: Vec<Vec<Act>>,
        /// How often each does it all.
        rounds: u16,
    },
    /// One thing again and again, until it shows whether it gives back its memory.
    Again {
        /// The thing.
        act: Act,
        /// How often in a stretch.
        times: u32,
    },
    /// A buffer with callbacks for its end, released while a command that uses it is held back.
    Destructors {
        /// How many callbacks.
        callbacks: u8,
        /// A sub-buffer is released last.
        part: bool,
    },
    /// A context with a callback for its end, after these things were done in it.
    Context {
        /// The things.
        acts: Vec<Act>,
    },
    /// clEnqueueSVMFree with a callback, held back by a user event.
    SvmFree {
        /// How many allocations.
        allocations: u8,
        /// How often.
        times: u8,
    },
    /// A user event that is set to a negative status, asked for and waited for; no command waits for it.
    FailedEvent {
        /// The status.
        code: i32,
    },
    /// Every built-in kernel, held back by a user event.
    BuiltIn,
    /// clEnqueueMarker, clEnqueueBarrier or clEnqueueWaitForEvents between two commands of a queue of
    /// which the first is held back.
    Legacy {
        /// Which.
        call: Legacy,
    },
}

/// A function of OpenCL 1.1 that orders commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Legacy {
    /// clEnqueueMarker.
    Marker,
    /// clEnqueueBarrier.
    Barrier,
    /// clEnqueueWaitForEvents.
    WaitForEvents,
}

/// Something that a host thread does and undoes, with objects of its own but where it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// A buffer.
    Buffer,
    /// A buffer with a sub-buffer.
    Part,
    /// A user event that is set and waited for.
    UserEvent,
    /// A queue with a marker.
    Queue,
    /// A kernel with arguments, enqueued and waited for.
    Kernel,
    /// A program, built, with a kernel.
    Program,
    /// A context.
    Context,
    /// A marker in a queue that all share.
    Marker,
    /// A fill of a buffer of its own in a queue that all share, and a blocking read.
    Fill,
    /// A map of a buffer of its own in a queue that all share, and its unmap.
    Map,
    /// A marker behind a user event, whose callback releases its event.
    Callback,
    /// Callbacks for a marker, registered while another thread lets it go.
    Register,
    /// References to what all share, taken and given back.
    Retain,
    /// Questions about what all share.
    Query,
}

impl Act {
    /// All.
    pub const ALL: [Act; 14] = [
        Act::Buffer,
        Act::Part,
        Act::UserEvent,
        Act::Queue,
        Act::Kernel,
        Act::Program,
        Act::Context,
        Act::Marker,
        Act::Fill,
        Act::Map,
        Act::Callback,
        Act::Register,
        Act::Retain,
        Act::Query,
    ];
}

impl Case {
    /// The rules whose breach it can tell.
    pub fn covers(&self) -> BTreeSet<RuleId> {
        let mut rules: BTreeSet<RuleId> = match &self.story {
            Story::Refusals { calls, .. } => calls.iter().flat_map(|call| call.rules()).collect(),
            story => check::rules(story).into_iter().collect(),
        };
        rules.insert(rule::API_VALID);
        rules
    }
}

/// The case as text. Reading it gives the same case.
pub fn write(case: &Case) -> String {
    // Numbers, names and lists: nothing in it can fail to become YAML.
    serde_saphyr::to_string(case).unwrap_or_default()
}

/// The case in a text.
///
/// # Errors
/// One sentence that says what is wrong, and where.
pub fn read(text: &str) -> Result<Case, String> {
    serde_saphyr::from_str(text).map_err(|e| e.to_string())
}
