//! Kernel cases: what kernels compute, and what commands move.
//!
//! A [`case::KernelCase`] is what one host thread does with in-order queues, mostly one: memory with its
//! first contents, kernels from a source, and steps (launches, transfers, writes of the host, readbacks,
//! and exchanges of the host with kernels that run). It is data: it can be stored as YAML ([`yaml`]) and run
//! again; [`valid`] says whether it keeps to its objects. [`lower`] makes it a host program with the checks
//! of its runs: what [`transfer`]s leave behind is computed by [`model`]; what kernels leave behind is part
//! of the case, as expected contents or as one of the few named kinds of [`case::Want`] where a device may
//! choose (work-group sizes, the order of work-groups, the map of sub-groups). [`image`] knows the bytes of
//! images, and `code` programs of OpenCL C as data with what they compute. [`shrink`] makes a case that fails
//! small. [`generate`] generates cases from a seed, one function a family.

pub mod case;
mod code;
pub mod effect;
mod family;
pub mod generate;
pub mod image;
pub mod lower;
mod math;
pub mod model;
pub mod recorded;
pub mod shrink;
#[cfg(test)]
mod tests;
pub mod transfer;
pub mod updated;
pub mod valid;
pub mod yaml;

pub use lower::{lower, to_c};
