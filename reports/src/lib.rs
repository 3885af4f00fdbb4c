//! Statistics, results store, JUnit.

#![forbid(unsafe_code)]

pub mod record;
