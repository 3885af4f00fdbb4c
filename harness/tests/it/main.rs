//! The command line as a user meets it: a module for each subject, in one program, which is built and linked once.

#[path = "../common/mod.rs"]
mod common;

mod alone;
mod bad_input;
mod compare;
mod defaults;
mod documents;
mod enough;
mod environments;
mod expect;
mod explain;
mod findings;
mod generate;
mod history;
mod hunt;
mod judge;
mod kernels;
mod merge;
mod named;
mod pipelines;
mod programs;
mod progress;
mod refused;
mod reproduce;
mod resume;
mod shrink;
mod tune;
mod versus;
mod vulkan;
mod vulkan_engines;
mod workers;
