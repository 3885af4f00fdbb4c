//! The command line.

#![deny(unsafe_code)]

fn main() {}
