//! Statistics, results store, JUnit.

#![forbid(unsafe_code)]
