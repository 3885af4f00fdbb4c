//! The command line: one file a subcommand.
//!
//! [`args`] is the grammar, `progress` shows how far a run is, `output` writes to standard output and
//! error. What the subcommands do is the library's.

mod args;
mod bench;
mod compare;
mod devices;
mod environment;
mod explain;
mod faults;
mod generate;
mod hunt;
mod judge;
mod litmus;
mod merge;
mod output;
mod progress;
mod replay;
mod report;
mod reproduce;
mod rules;
mod run;
mod shrink;
mod tune;
mod versus;

use args::{Cli, Command};
use clap::Parser;
use classay::{Error, exit};

/// Runs the command line; returns the exit code.
pub fn main() -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, mistakes to standard error; neither can be
            // written where nobody reads.
            let _ = error.print();
            return if error.use_stderr() {
                exit::USAGE
            } else {
                exit::PASSED
            };
        }
    };
    log();
    let done = match cli.command {
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Litmus(args)) => litmus::litmus(&args),
        Some(Command::Judge(args)) => judge::judge(&args),
        Some(Command::Generate(args)) => generate::generate(&args),
        Some(Command::Explain(args)) => explain::explain(&args),
        Some(Command::Program(args)) => replay::program(&args),
        Some(Command::Replay(args)) => replay::replay(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        Some(Command::Environment(args)) => environment::environment(&args),
        Some(Command::Faults(args)) => faults::faults(&args),
        Some(Command::Rules(args)) => rules::rules(&args),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Versus(args)) => versus::versus(&args),
        Some(Command::Tune(args)) => tune::tune(&args),
        Some(Command::Hunt(args)) => hunt::hunt(&args),
        Some(Command::Merge(args)) => merge::merge(&args),
        Some(Command::Report(args)) => report::report(&args),
        Some(Command::Shrink(args)) => shrink::shrink(&args),
        Some(Command::Reproduce(args)) => reproduce::reproduce(&args),
        Some(Command::Devices(args)) => devices::devices(&args),
        Some(Command::Version) => {
            output::Out::new().line(&format!("classay {}", env!("CARGO_PKG_VERSION")));
            Ok(exit::PASSED)
        }
        None => run::run(&cli.run),
    };
    done.unwrap_or_else(|failure: Error| {
        output::complain(&failure.to_string());
        failure.exit_code()
    })
}

/// What CLASSAY_LOG asks for goes to standard error, as in `CLASSAY_LOG=debug`.
fn log() {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_env_var("CLASSAY_LOG")
        .from_env_lossy();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
