//! What the rules need to know of a program.
//!
//! `P` names a step of the host, `C` a command and `K` a callback: each crate has its own names.

use std::fmt;
use std::hash::Hash;

/// What can name a step, a command or a callback.
pub trait Name: Copy + Eq + Hash {}

impl<T: Copy + Eq + Hash> Name for T {}

/// A moment of a program's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment<P, C, K> {
    /// A step begins.
    Call(P),
    /// A step ends.
    Return(P),
    /// A command starts: its first effect or observation.
    Start(C),
    /// A command is complete, and its event says so.
    End(C),
    /// A callback is invoked.
    Run(K),
}

impl<P: fmt::Display, C: fmt::Display, K: fmt::Display> fmt::Display for Moment<P, C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Call(place) => write!(f, "{place}"),
            Moment::Return(place) => write!(f, "the return of {place}"),
            Moment::Start(command) => write!(f, "the start of command {command}"),
            Moment::End(command) => write!(f, "the completion of command {command}"),
            Moment::Run(callback) => write!(f, "callback {callback}"),
        }
    }
}

/// Something that others wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<P, C> {
    /// The event of a command.
    Command(C),
    /// A user event, by the step that sets it; nothing where no step does.
    User(Option<P>),
}

/// What tells commands apart beside their queue and their wait list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRole {
    /// clEnqueueMarkerWithWaitList
    Marker,
    /// clEnqueueBarrierWithWaitList
    Barrier,
    /// Any other command.
    Other,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<P, C> {
    /// Number of its queue.
    pub queue: usize,
    /// Whether that is an in-order queue.
    pub in_order: bool,
    /// What it is.
    pub role: CommandRole,
    /// Its event wait list.
    pub waits: Vec<Event<P, C>>,
    /// Whether the call that enqueues it returns when it is complete.
    pub blocking: bool,
}

/// A step of a host thread or of a callback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<P, C, K> {
    /// Enqueues a command.
    Enqueue(C),
    /// clWaitForEvents
    Wait(Vec<Event<P, C>>),
    /// clFinish of a queue.
    Finish(usize),
    /// clSetEventCallback. `after` is the event whose completion it is for; nothing where it is for
    /// an earlier status, which promises nothing about memory.
    Register {
        /// The callback.
        callback: K,
        /// The event.
        after: Option<Event<P, C>>,
    },
    /// Waits for the signal that another step gives.
    Await(P),
    /// Something that orders nothing but itself.
    Other,
}

/// Steps done one after the other: those of a host thread, or of a callback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence<P, C, K> {
    /// The callback whose steps they are.
    pub callback: Option<K>,
    /// The steps.
    pub steps: Vec<(P, Step<P, C, K>)>,
}

/// The host's side of a program. Each command is enqueued by one step, and each callback
/// registered by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSide<P, C, K> {
    /// The commands.
    pub commands: Vec<(C, Command<P, C>)>,
    /// The host's threads and callbacks.
    pub sequences: Vec<Sequence<P, C, K>>,
}
