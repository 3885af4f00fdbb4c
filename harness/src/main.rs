//! The command line of classay, and everything behind it: the parent process that plans and keeps,
//! and the worker processes that touch OpenCL.
//!
//! - [`cli`]: one file a subcommand;
//! - [`plan`]: what will run, decided before anything runs;
//! - [`worker`]: the child process that touches the driver, its protocol, crash and hang triage;
//! - [`device`]: find, open and describe an implementation;
//! - [`environment`]: how a litmus test is placed and stressed;
//! - [`execute`]: how a case is run on a device;
//! - [`about`]: what a report says of a run beyond its counts;
//! - [`judge`]: what a memory model says of a test, and of what a device did with it;
//! - [`interrupt`], [`sys`]: Ctrl-C, and the system calls that the standard library lacks.

#![deny(unsafe_code)]

mod about;
mod campaign;
mod cli;
mod device;
mod environment;
mod execute;
mod hunt;
mod interrupt;
mod judge;
mod machine;
mod merge;
mod plan;
mod sys;
mod tune;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::main())
}
