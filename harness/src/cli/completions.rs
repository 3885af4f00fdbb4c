//! `classay completions`: what completes the command line in a shell.

use super::output::Out;
use clap::Args;
use clap_complete::Shell;
use classay::Error;
use classay_vocabulary::ExitCode;

/// Options of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsOptions {
    /// The shell, which reads the script that is printed, as in `classay completions bash >
    /// ~/.local/share/bash-completion/completions/classay`
    shell: Shell,
}

/// Does it; returns the exit code.
pub fn main(args: &CompletionsOptions) -> Result<ExitCode, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "classay", &mut script);
    Out::new().text(&String::from_utf8_lossy(&script));
    Ok(ExitCode::Passed)
}
