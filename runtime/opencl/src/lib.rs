//! Touchstone: the OpenCL API over the executors.

#![allow(non_snake_case)]

pub mod api;
pub mod callback;
pub mod clock;
pub mod context;
pub mod edge;
pub mod frontend;
pub mod icd;
pub mod kernel;
pub mod memory;
pub mod object;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
