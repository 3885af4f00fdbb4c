//! Counts in, claims out: what a run observed, kept, judged, and reported.
//!
//! - [`record`]: the plain data that travels from the worker to every report;
//! - [`store`]: the SQLite file in which a case is whole or absent;
//! - [`stats`]: what counts allow one to claim, and under which assumptions;
//! - [`verdict`]: outcome counts and the test's condition in, verdict and reason out;
//! - [`signature`]: what a failure shows, so that those that show the same stand together;
//! - [`difference`]: a run, compared with a baseline;
//! - [`expectation`]: what is known to fail, and what of a run is as expected;
//! - [`repeat`]: the command that plays a case again;
//! - [`report`]: what there is to say about a run, worked out once for the forms of reports;
//! - [`history`]: the runs of a driver's versions side by side;
//! - [`html`], [`text`]: for a person; [`json`], [`mod@csv`]: for a program; [`junit`]: for a CI system.
//!
//! Nothing here knows OpenCL or the syntax of litmus tests. What all crates name (cases, rules, outcomes,
//! verdicts) is in `classay-vocabulary`, within this folder.
//! README.md beside this crate's manifest documents the store's schema and the JSON.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod csv;
pub mod difference;
pub mod expectation;
pub mod history;
pub mod html;
pub mod json;
pub mod junit;
pub mod pattern;
pub mod record;
pub mod repeat;
pub mod report;
pub mod signature;
pub mod stats;
pub mod store;
#[cfg(test)]
mod tests {
    pub mod sample;
}
pub mod text;
pub mod verdict;
