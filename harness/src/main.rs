//! The program `classay`: its command line over the library of the same name.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    classay::worker::serve_if_asked();
    cli::main().into()
}
