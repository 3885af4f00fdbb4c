//! Counts in, claims out: what a run observed, kept, judged, and reported.
//!
//! - [`record`]: the plain data that travels from the worker to every report;
//! - [`store`]: the SQLite file in which a case is whole or absent;
//! - [`stats`]: what counts allow one to claim, and under which assumptions;
//! - [`verdict`]: outcome counts and the test's question in, verdict and reason out;
//! - [`difference`]: two runs, held against each other;
//! - [`expectation`]: what is known to fail, and what of a run is as expected;
//! - [`text`], [`json`], [`junit`]: the same results for a person, a program and a CI system.
//!
//! Nothing here knows OpenCL or the syntax of litmus tests: an outcome is a text with a count.
//! README.md beside this crate's manifest documents the store's schema and the JSON.

#![forbid(unsafe_code)]

pub mod difference;
pub mod expectation;
pub mod json;
pub mod junit;
pub mod pattern;
pub mod record;
#[cfg(test)]
mod sample;
pub mod stats;
pub mod store;
pub mod text;
pub mod verdict;
