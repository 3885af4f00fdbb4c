//! Programs of commands: what a host does with queues, events and memory, and what the
//! specification lets it observe.
//!
//! A [`Program`] is a plain value: contexts, devices, queues, objects, host threads and the commands
//! that they enqueue. From it [`order::Order`] computes the happens-before relation of the section
//! "Host-Side and Device-Side Commands", an explicit edge with a rule for each reason; [`conflict`] says
//! which uses of memory must be ordered; [`memory`] proves that nothing races and says which value every read must see; [`check`] holds what
//! a run observed, its [`trace::Trace`], against that.
//!
//! Memory is divided into *cells* of some words. A write fills all words of a cell with one token
//! that names the writer, so that a read tells whom it saw, and whether it saw two of them at once.

pub mod check;
pub mod conflict;
mod family;
pub mod generate;
pub mod lower;
pub mod memory;
pub mod needs;
pub mod order;
pub mod program;
pub mod reproduce;
pub mod shrink;
pub mod trace;
pub mod walk;
pub mod words;
pub mod yaml;

pub use order::Order;
pub use program::Program;
