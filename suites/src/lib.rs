//! The rules of the OpenCL specification and the cases generated from them.

#![forbid(unsafe_code)]
