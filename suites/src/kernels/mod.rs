//! Kernel cases: what kernels compute, and what commands move.
//!
//! A [`case::KernelCase`] is a short story that one host thread tells over in-order queues, mostly one:
//! memory with its first contents, kernels from a source, and steps (launches, transfers, writes of
//! the host, looks at memory, and talks of the host with kernels that run: [`talk`]). It is data: it can be stored as YAML ([`yaml`]), run again, and
//! written down in another language; [`valid`] says whether it keeps to its objects. What [`transfer`]s
//! leave behind is computed by [`model`]; what
//! kernels leave behind is part of the case, as expected contents or as one of the few named kinds
//! of [`case::Want`] where a device may choose (work-group sizes, the order of work-groups, the map
//! of sub-groups); [`image`] knows the bytes of images. [`check`] holds what a run observed ([`trace`])
//! against that, [`ids`] does so for the ids of work-items, [`sub_groups`] for their sub-groups.
//! [`reproduce`] writes a case as a C program, [`shrink`] makes one that fails small. [`generate`] draws
//! cases from a seed, one function a family.

pub mod case;
pub mod check;
pub mod generate;
pub(crate) mod ids;
pub mod image;
pub mod model;
pub mod reproduce;
pub mod shrink;
pub(crate) mod sub_groups;
pub mod talk;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod transfer;
pub mod valid;
pub mod yaml;
