//! The rules of the OpenCL specification, and the cases generated from them.
//!
//! [`catalogue`] holds the rules, read from `rules/*.yaml`; [`rule`] names those that code speaks of.
//! [`commands`] is the language of programs of commands, with the order that the rules give them and
//! the check of what a run observed. [`kernels`] is the language of kernel cases: index space, groups,
//! atomics, regions and transfers. [`api`] is the language of API cases: errors, threads and lifetimes.
//!
//! [`host`] is the language of host programs that families lower to.
//!
//! Nothing here calls OpenCL: the harness runs what this crate plans, and this crate judges what the
//! harness saw.

#![forbid(unsafe_code)]

pub mod api;
pub mod catalogue;
mod choices;
pub use choices::NUMBER_BITS;
pub mod commands;
pub mod family;
pub mod host;
pub mod kernels;
pub mod rule;
pub mod shrink;
