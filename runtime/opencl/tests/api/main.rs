//! Calls the entry points as a C program would, through the same functions.
//!
//! [`rig`] has what every test needs; the other modules are one a chapter of the
//! specification.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod bounds;
mod buffers;
mod callbacks;
mod children;
mod command_buffers;
mod consistency;
mod contexts;
mod events;
mod graphs;
mod handles;
mod icd;
mod il;
mod kernels;
mod links;
mod maps;
mod mutable_commands;
mod pipes;
mod platform;
mod programs;
mod queues;
mod rects;
mod rig;
mod sub_groups;
mod svm;
