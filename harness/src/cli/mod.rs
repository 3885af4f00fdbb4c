//! The command line: one file a subcommand, with its options and what it prints.
//!
//! A subcommand is a file with its options and a `main`, and a line of [`subcommands`]. [`options`] has
//! the options that several take, `progress` shows how far a run is, `output` writes to standard output and
//! error. What the subcommands do is the library's.

mod bench;
mod compare;
mod completions;
mod defaults;
mod devices;
mod environment;
mod explain;
mod faults;
mod forward;
mod generate;
mod history;
mod hunt;
mod judge;
mod latitudes;
mod litmus;
mod man;
mod merge;
mod options;
mod output;
mod program;
mod progress;
mod refused;
mod replay;
mod report;
mod reproduce;
mod rules;
mod run;
mod show;
mod shrink;
mod tune;
mod version;
mod versus;

use clap::{CommandFactory, FromArgMatches, Parser};
use classay::Error;
use classay_vocabulary::ExitCode;
use std::ffi::OsString;

const EXIT_CODES: &str = include_str!("exit_codes.txt").trim_ascii_end();

/// Assays OpenCL implementations: runs litmus tests and generated programs many times and reports how
/// often each outcome occurs. Without a command it does `run` on the bundled Touchstone.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::RunOptions,
}

/// Declares the subcommands: what each says of itself, its name, its options.
macro_rules! subcommands {
    ($($(#[$help:meta])* $name:ident: $module:ident::$options:ident,)*) => {
        #[derive(Debug, clap::Subcommand)]
        enum Command {
            $($(#[$help])* $name($module::$options),)*
        }

        impl Command {
            fn run(&self) -> Result<ExitCode, Error> {
                match self {
                    $(Command::$name(options) => $module::main(options),)*
                }
            }
        }
    };
}

subcommands! {
    /// Run the shipped and generated cases on a device within a time budget
    Run: run::RunOptions,
    /// Run litmus tests from files and print how often each outcome occurs
    Litmus: litmus::LitmusOptions,
    /// Print what a memory model allows tests to do
    Judge: judge::JudgeOptions,
    /// Explain why a memory model allows or forbids an outcome of a test
    Explain: explain::ExplainOptions,
    /// Generate litmus tests from shapes, orders, scopes and placements
    Generate: generate::GenerateOptions,
    /// Print shipped litmus tests, or list them
    Show: show::ShowOptions,
    /// Print a generated case as YAML
    Program: program::ProgramOptions,
    /// Run generated cases from YAML files
    Replay: replay::ReplayOptions,
    /// Shrink a failing program of commands, kernel case or API case
    Shrink: shrink::ShrinkOptions,
    /// Write a case as a C program that needs only an OpenCL library
    Reproduce: reproduce::ReproduceOptions,
    /// Write a run as an HTML page, JSON, CSV or JUnit, or print it as a table
    Report: report::ReportOptions,
    /// Compare a run with a baseline: new failures and changed outcome rates
    Compare: compare::CompareOptions,
    /// Show the runs of a driver's versions side by side: what broke and was mended in which
    History: history::HistoryOptions,
    /// Run litmus tests alternately on two devices and compare outcome rates
    Versus: versus::VersusOptions,
    /// Merge the shards of a run, or runs of the same tests from different seeds
    Merge: merge::MergeOptions,
    /// Search for environments in which a device shows weak outcomes often, and keep them for its runs
    Tune: tune::TuneOptions,
    /// Search for forbidden outcomes for hours, and write up each violation
    Hunt: hunt::HuntOptions,
    /// Inject known faults and report which ones the suites detect
    Faults: faults::FaultsOptions,
    /// Play programs that wait in spin loops, and report which model of forward progress a device is seen to keep
    Progress: forward::ProgressOptions,
    /// Run the cases on Touchstone under each freedom of the specification, and report what fails
    Latitudes: latitudes::LatitudesOptions,
    /// Measure command programs and litmus instances per second, and the driver's share of the time
    Bench: bench::BenchOptions,
    /// List the rules of the specification with the cases and faults of each
    Rules: rules::RulesOptions,
    /// List the calls that must be refused, with the sentence of each, or write them as cases
    Refused: refused::RefusedOptions,
    /// Generate an environment for litmus tests from a seed and print it
    Environment: environment::EnvironmentOptions,
    /// List implementations, platforms and devices with their capabilities
    Devices: devices::DevicesOptions,
    /// Print what completes the command line in a shell
    Completions: completions::CompletionsOptions,
    /// Print the manual page, or write the pages of all commands
    Man: man::ManOptions,
    /// Print the version
    Version: version::VersionOptions,
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(Wrong::Defaults(error)) => {
            output::complain(&error.to_string());
            return error.exit_code();
        }
        Err(Wrong::Line(error)) => {
            // Help and version go to standard output, mistakes to standard error; neither can be
            // written where nobody reads.
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Passed
            };
        }
    };
    log();
    let done = match &cli.command {
        Some(command) => command.run(),
        None => run::main(&cli.run),
    };
    done.unwrap_or_else(|error| {
        output::complain(&error.to_string());
        error.exit_code()
    })
}

/// The grammar of the command line.
fn command() -> clap::Command {
    Cli::command()
}

/// What is wrong with what the user asks for.
enum Wrong {
    /// The command line; help and version, too, come so.
    Line(clap::Error),
    /// The project's defaults.
    Defaults(Error),
}

/// The command line, with the project's defaults.
fn parse() -> Result<Cli, Wrong> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let grammar = command();
    let matches = grammar.clone().try_get_matches_from(&words);
    let matches = matches.map_err(Wrong::Line)?;
    let Some(added) = defaults::of(&grammar, &matches).map_err(Wrong::Defaults)? else {
        return Cli::from_arg_matches(&matches).map_err(Wrong::Line);
    };
    let options: Vec<_> = added
        .options
        .iter()
        .map(|option| option.to_string_lossy())
        .collect();
    if !words.iter().any(|word| word == "--quiet") {
        let file = added.file.display();
        output::say_folded(&format!("{file} adds {}", options.join(" ")));
    }
    // A command's name, where there is one, comes first.
    let at = if matches.subcommand().is_some() { 2 } else { 1 };
    words.splice(at..at, added.options);
    let wrong = |error: clap::Error| {
        let said = error.render().to_string();
        let said = said.lines().next().unwrap_or_default();
        let said = said.trim_start_matches("error: ");
        Wrong::Defaults(Error::Usage(format!("{}: {said}", added.file.display())))
    };
    let matches = grammar.try_get_matches_from(&words).map_err(wrong)?;
    Cli::from_arg_matches(&matches).map_err(wrong)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }
}
