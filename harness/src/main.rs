//! The command line.

#![deny(unsafe_code)]

mod device;
mod execute;

fn main() {}
