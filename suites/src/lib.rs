//! The rules of the OpenCL specification, and the cases generated from them.
//!
//! The crate marks the place of the suites in the house and is empty: no rule has its cases yet.

#![forbid(unsafe_code)]
