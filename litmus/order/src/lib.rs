//! The order that OpenCL requires between commands, host calls and callbacks.
//!
//! A command has two moments, its start and its completion, which its event signals; a call of the
//! host has two, its entry and its return; a callback has one, its invocation ([`Moment`]). The
//! synchronization points of "Host-Side and Device-Side Commands" (3.3.6.5 of the specification)
//! are edges between moments, each with the [`Rule`] that gives it, and their closure is the order
//! ([`Graph`]). [`draw`] makes it from a [`HostSide`], which is what the rules need to know of a
//! program; what the commands compute, and where a program's data is, it does not know.
//!
//! ```
//! use classay_order::{Command, CommandRole, HostSide, Moment, Rule, Sequence, Step, draw};
//!
//! // One thread enqueues two kernels to an in-order queue.
//! let kernel = Command { queue: 0, in_order: true, role: CommandRole::Other, waits: vec![], blocking: false };
//! let steps = vec![((0, 0), Step::Enqueue(0)), ((0, 1), Step::Enqueue(1))];
//! let host = HostSide {
//!     commands: vec![(0, kernel.clone()), (1, kernel)],
//!     sequences: vec![Sequence { callback: None::<u32>, steps }],
//! };
//! let order = draw(&host).expect("no cycle");
//! let (end, start) = (Moment::End(0), Moment::Start(1));
//! assert!(order.before(end, start));
//! assert_eq!(order.path(end, start, |_| false)[0].why.rule(), Some(Rule::InOrder));
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod graph;
mod host;
mod rules;
#[cfg(test)]
mod tests;

pub use graph::{Cycle, Edge, Graph};
pub use host::{Command, CommandRole, Event, HostSide, Moment, Name, Sequence, Step};
pub use rules::{Rule, Why, draw};
