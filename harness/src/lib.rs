//! Assays OpenCL implementations: runs litmus tests and generated programs on a device many times, and
//! says how often each outcome occurs and which rule of the specification a wrong one breaks.
//!
//! This is the engine room of the program `classay`, whose command line only reads options and prints. A
//! run begins with [`Run`].
//!
//! What runs, and what becomes of it:
//!
//! - [`run`]: cases on one device, each result kept before the next begins;
//! - [`merge`]: shards of a run put together;
//! - [`compare`], [`versus`]: a run and its baseline, two devices in turns;
//! - [`history`]: the runs of a driver's versions side by side;
//! - [`bench`]: how fast a device plays, and the driver's share of the time;
//! - [`hunt`]: looks for forbidden outcomes for hours;
//! - [`tune`]: looks for environments in which weak outcomes are frequent;
//! - [`shrink`]: makes a failing generated case small;
//! - [`progress`]: which model of forward progress a device is seen to keep;
//! - [`campaign`]: injects faults, and finds out which ones the suites detect;
//! - [`about`]: what a report says of a run beyond its counts.
//!
//! What they stand on:
//!
//! - [`plan`]: what will run, decided before anything runs;
//! - [`worker`]: the child process that alone touches the driver, its protocol, crash and hang triage;
//! - [`device`]: finds, opens and describes an implementation;
//! - [`environment`]: how a litmus test is placed and stressed;
//! - `execute`: how a case is run on a device, in a worker;
//! - [`judge`]: what a memory model says of a test, and of what a device did with it;
//! - [`open`]: a device with the model that judges it;
//! - [`interrupt`], `activity`, `sys`, `threads`: Ctrl-C, who is at work, system calls that the standard library
//!   lacks, locks.

#![deny(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod about;
mod activity;
pub mod bench;
pub mod campaign;
pub mod compare;
pub mod device;
pub mod environment;
mod error;
mod execute;
pub mod history;
pub mod hunt;
pub mod interrupt;
pub mod judge;
pub mod machine;
pub mod merge;
pub mod open;
pub mod plan;
pub mod progress;
pub mod reproduce;
pub mod run;
pub mod shrink;
mod sys;
mod threads;
pub mod tune;
pub mod versus;
pub mod worker;

pub use classay_vocabulary::{Budget, CaseId, ExitCode, Verdict};
pub use error::Error;
pub use run::{Gate, Run};

/// Is told, in sentences for a person, what an engine does and what the user should know.
pub type Notify<'a> = &'a dyn Fn(&str);
