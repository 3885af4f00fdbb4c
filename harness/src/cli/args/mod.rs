//! The command line's grammar.

use clap::{Args, Parser, Subcommand};
use classay::campaign::list::By;
use classay::device::Selector;
use classay::environment::{Environment, Mode};
use classay::plan::shard::Shard;
use classay::worker::session::Limits;
use classay_litmus::oracle::{self, Patience};
use classay_vocabulary::{Budget, Enough};
use std::path::PathBuf;
use std::time::Duration;

mod generate;
mod search;
mod stores;

pub use generate::{Cover, Form, GenerateArgs};
pub use search::{HuntArgs, TuneArgs, VersusArgs};
pub use stores::{CompareArgs, MergeArgs};

/// Where `classay run` keeps its results unless told otherwise.
pub const DEFAULT_STORE: &str = "classay.db";

/// Seconds that a whole run takes unless told otherwise.
pub const DEFAULT_BUDGET: f64 = 60.0;

/// Seconds that `classay litmus` gives each test unless told otherwise.
pub const DEFAULT_SECONDS: f64 = 1.0;

/// Longest time that can be asked for, in seconds: about three years.
const LONGEST: f64 = 1e8;

const EXIT_CODES: &str = "\
Exit codes:
  0  everything that ran passed
  1  a case failed, crashed or timed out
  2  the command line or an input file is wrong
  3  there is no such device
  4  nothing was tested: no case selected, or every case skipped
  5  interrupted; `classay run --resume` goes on
  6  the results store or another output file failed; what was committed is kept";

/// Assays OpenCL implementations: runs litmus tests many times and says how often each outcome
/// occurs. Without a command it does `run` on the bundled Touchstone.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `run`, which is what happens without a command.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the shipped tests on a device, within a time budget
    Run(RunArgs),
    /// Run litmus tests from files and print how often each outcome occurs
    Litmus(LitmusArgs),
    /// Say what a memory model allows tests to do
    Judge(JudgeArgs),
    /// Generate litmus tests from shapes, orders, scopes and placements
    Generate(GenerateArgs),
    /// Say why a memory model allows or forbids an outcome of a test
    Explain(ExplainArgs),
    /// Print the program of a generated case as YAML
    Program(ProgramArgs),
    /// Run a generated case from a YAML file again and again
    Replay(ReplayArgs),
    /// Break a device in every known way and say which of its faults the suites notice
    Faults(FaultsArgs),
    /// Say how many small programs of commands a second devices play, and how much of that is theirs
    Bench(BenchArgs),
    /// Print the catalogue of rules and what covers them
    Rules(RulesArgs),
    /// Hold a run against an earlier one: new failures, and outcomes that are more or less frequent
    Compare(CompareArgs),
    /// Play litmus tests on two devices in turns, and compare how often what is seen
    Versus(VersusArgs),
    /// Look for environments in which weak outcomes are frequent on a device, and keep them for its runs
    Tune(TuneArgs),
    /// Look for forbidden outcomes for hours, where weak ones are frequent, and write up what is found
    Hunt(HuntArgs),
    /// Put the shards of a run together, or runs of the same tests from different seeds
    Merge(MergeArgs),
    /// Write what a run found: as one HTML page, JSON, CSV, JUnit; without any of these as a table
    Report(super::report::ReportArgs),
    /// Make a failing program of commands, kernel case or API case small
    Shrink(ShrinkArgs),
    /// Write a generated case as a C program that needs nothing but an OpenCL library
    Reproduce(ReproduceArgs),
    /// Draw an environment for litmus tests from a seed and print it
    Environment(EnvironmentArgs),
    /// List implementations, platforms and devices with what they can do
    Devices(DevicesArgs),
    /// Print the version
    Version,
}

/// Which device.
const DEVICE_HELP: &str = "touchstone (the default), system (the platform's libOpenCL), or the \
    path of any OpenCL library; `#platform.device` after it chooses by number";

/// Which memory model judges.
const MODEL_HELP: &str = "The memory model that judges: a name, as opencl-3.0, or the path of a \
    .cat file [default: that of the device's OpenCL version]";

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// File that keeps the results [default: classay.db]
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Seconds for the whole run, shared equally by the cases [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "instances")]
    pub budget: Option<f64>,
    /// Run exactly this many instances of each case instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub instances: Option<u64>,
    /// Master seed; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Make each generated case that failed small, in at most this many seconds [60 if left
    /// out], and keep it beside the store
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
          default_missing_value = "60", value_parser = seconds)]
    pub shrink: Option<f64>,
    /// Run only the cases whose name or id matches, `*` and `?` being wildcards; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub select: Vec<String>,
    /// Run only this part of the cases, as 3/16; needs --seed, and `classay merge` puts parts together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Programs of commands of each kind that the run draws
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub programs: u32,
    /// Small programs of commands of the run, spread over the list of all 12,000
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub small: u32,
    /// Go on with the last unfinished run of the store
    #[arg(long)]
    pub resume: bool,
    /// Hold the results against what this file expects of the device; may be repeated. Then only what is
    /// not expected counts as a failure
    #[arg(long, value_name = "FILE")]
    pub expect: Vec<PathBuf>,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object a case instead of the table
    #[arg(long)]
    pub json: bool,
    /// Say nothing while it runs: no live view, no line a case; errors and the result are printed
    #[arg(long)]
    pub quiet: bool,
    #[arg(long, value_name = "MODEL", help = MODEL_HELP)]
    pub model: Option<String>,
    #[command(flatten)]
    pub enough: EnoughArgs,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
    #[command(flatten)]
    pub care: CareArgs,
}

/// How litmus tests are placed and stressed.
#[derive(Debug, Args)]
pub struct SurroundingsArgs {
    /// How litmus tests are placed and stressed, as YAML [default: as suits the device]
    #[arg(long, value_name = "FILE")]
    pub environment: Option<PathBuf>,
    /// Whether a launch plays many instances of a litmus test or one [default: the environment's, or
    /// parallel]
    #[arg(long, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// Do not use the environment that `classay tune` found for this device
    #[arg(long)]
    pub untuned: bool,
}

impl SurroundingsArgs {
    /// The environment that is asked for; the error is a sentence.
    pub fn environment(&self) -> Result<Environment, String> {
        let mut environment = match &self.environment {
            Some(path) => Environment::from_file(path).map_err(|e| format!("--environment {e}"))?,
            None => Environment::default(),
        };
        if let Some(mode) = self.mode {
            environment.mode = mode;
        }
        Ok(environment)
    }

    /// The environment that litmus tests run in whatever was tuned for the device; the error is a sentence.
    pub fn fixed(&self) -> Result<Option<Environment>, String> {
        Ok((self.given() || self.untuned).then_some(self.environment()?))
    }

    /// Whether any was asked for.
    pub fn given(&self) -> bool {
        self.environment.is_some() || self.mode.is_some()
    }
}

/// Options of `environment`.
#[derive(Debug, Args)]
pub struct EnvironmentArgs {
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// Seed of the draw; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Change one to three knobs of this environment instead
    #[arg(long, value_name = "FILE")]
    pub like: Option<PathBuf>,
}

/// Options of `litmus`.
#[derive(Debug, Args)]
pub struct LitmusArgs {
    /// Litmus tests, as .litmus (OPENCL dialect) or YAML
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// Run exactly this many instances of each test
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with = "seconds"
    )]
    pub instances: Option<u64>,
    /// Run each test for about this long [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Master seed; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Also keep the results in this file
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Hold the results against what this file expects of the device; may be repeated. Then only what is
    /// not expected counts as a failure
    #[arg(long, value_name = "FILE")]
    pub expect: Vec<PathBuf>,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object a test instead of tables
    #[arg(long)]
    pub json: bool,
    #[arg(long, value_name = "MODEL", help = MODEL_HELP)]
    pub model: Option<String>,
    #[command(flatten)]
    pub enough: EnoughArgs,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
    #[command(flatten)]
    pub care: CareArgs,
}

/// Options of `judge`.
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Litmus tests, as .litmus (OPENCL dialect) or YAML
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The memory model: a name, as opencl-3.1, opencl-3.0, opencl-2.0, opencl-scoped-sc or sc, or
    /// the path of a .cat file
    #[arg(long, value_name = "MODEL", default_value = classay::judge::model::LATEST)]
    pub model: String,
    /// Print one JSON object a test instead
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub oracle: OracleArgs,
}

/// How far the oracle goes for a test.
#[derive(Debug, Args)]
pub struct OracleArgs {
    /// Give a test up that takes longer; 0 never does
    #[arg(long, value_name = "SECONDS", value_parser = patience, default_value = "60")]
    pub timeout: f64,
    /// How often a loop whose condition depends on a read is repeated at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = oracle::Limits::default().loop_bound
    )]
    pub loop_bound: u32,
}

impl OracleArgs {
    /// For a test that it begins with now.
    pub fn limits(&self) -> oracle::Limits {
        oracle::Limits {
            loop_bound: self.loop_bound,
            patience: match self.timeout {
                0.0 => Patience::default(),
                seconds => Patience::lasting(Duration::from_secs_f64(seconds)),
            },
            ..oracle::Limits::default()
        }
    }

    /// What an error of the oracle says to the user who gave these limits.
    pub fn said(&self, error: &oracle::Error) -> String {
        match error {
            oracle::Error::Late => format!("that takes more than {} s", self.timeout),
            error => error.to_string(),
        }
    }
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A litmus test, as .litmus (OPENCL dialect) or YAML
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The outcome, as in '1:r0=1 1:r1=0'; registers and locations that it leaves out may have any
    /// value [default: what the test asks about]
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: Option<String>,
    /// The memory model: a name, as opencl-3.1, opencl-3.0, opencl-2.0, opencl-scoped-sc or sc, or
    /// the path of a .cat file
    #[arg(long, value_name = "MODEL", default_value = classay::judge::model::LATEST)]
    pub model: String,
    /// Also draw the execution as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Also write the execution as DOT, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    #[command(flatten)]
    pub oracle: OracleArgs,
}

/// How much trouble to take with workers that die.
#[derive(Debug, Args)]
pub struct CareArgs {
    /// Try a case this often again after it crashed or timed out
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub retries: u32,
    /// Give a case up when there is no sign of life for this long, or when it is this long past
    /// its time budget
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub case_timeout: f64,
}

/// Options of `program`.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// The case, as `queue/random/00017`
    #[arg(value_name = "CASE")]
    pub case: String,
    /// The run's master seed
    #[arg(long, value_name = "N")]
    pub seed: u64,
}

/// Options of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Programs of commands, as YAML
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// Run each program this many times [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub instances: Option<u64>,
    /// Also keep the results in this file
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Hold the results against what this file expects of the device; may be repeated. Then only what is
    /// not expected counts as a failure
    #[arg(long, value_name = "FILE")]
    pub expect: Vec<PathBuf>,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object a program instead of tables
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub care: CareArgs,
}

/// Options of `faults`.
#[derive(Debug, Args)]
pub struct FaultsArgs {
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// Only the faults whose name matches, `*` and `?` being wildcards; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub select: Vec<String>,
    /// Only the faults of this kind; may be repeated
    #[arg(long, value_name = "KIND")]
    pub by: Vec<By>,
    /// Seconds for the whole campaign
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub budget: f64,
    /// Workers at once [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
    /// Master seed of the cases; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Cases of each kind
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub programs: u32,
    /// Give a case up when there is no sign of life for this long
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    pub case_timeout: f64,
    /// Print one JSON object a fault instead of the table
    #[arg(long)]
    pub json: bool,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print the faults and run nothing
    #[arg(long)]
    pub list: bool,
}

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[arg(long, value_name = "DEVICE", help = DEVICE_MANY)]
    pub device: Vec<Selector>,
    /// Seconds that each measure of a device takes: three of programs, and two of each litmus test
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
    pub seconds: f64,
    /// Measure only one of the two
    #[arg(long, value_name = "PART")]
    pub only: Option<Part>,
    /// Master seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Small programs of commands
    Programs,
    /// Litmus tests, with many instances a launch and with one
    Litmus,
}

/// Which devices.
const DEVICE_MANY: &str = "A device to measure, as for run; may be repeated [default: touchstone]";

/// How `rules` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RulesFormat {
    /// For a terminal.
    Text,
    /// A table in Markdown.
    Md,
    /// One JSON array.
    Json,
}

/// Options of `rules`.
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t = RulesFormat::Text)]
    pub format: RulesFormat,
    /// Cases of each kind that are drawn to see what they cover
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub programs: u32,
}

/// What `shrink` does with what.
const SHRINK_CODES: &str = "\
Exit codes:
  0  the program passes: there is nothing to shrink
  1  it fails, and what is written is the smallest program found that fails comparably
  2  the command line or the file is wrong
  3  there is no such device, or it is gone
  4  the device lacks what the program needs
  5  interrupted; the smallest program so far is written
  6  the output file cannot be written";

/// Options of `shrink`.
#[derive(Debug, Args)]
#[command(after_help = SHRINK_CODES)]
pub struct ShrinkArgs {
    /// A program of commands, a kernel case or an API case, as YAML
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// Write the small program into this file instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Run the program as it is this many times to see how it fails [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub instances: Option<u64>,
    /// Stop after this long with what there is [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub limit: Option<f64>,
    /// A program hangs when it gives no sign of life for this long
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub case_timeout: f64,
}

/// Options of `reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// A litmus test, or a program of commands, a kernel case or an API case as YAML
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// In C, which is the only language that there is
    #[arg(long, required = true)]
    pub c: bool,
    /// For a litmus test: write it for this device's capabilities
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<Selector>,
    /// For a litmus test: place and stress it as this environment says
    #[arg(long, value_name = "FILE")]
    pub environment: Option<PathBuf>,
    /// For a litmus test: what is drawn for its launches comes from this seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[arg(long, value_name = "MODEL", help = MODEL_HELP)]
    pub model: Option<String>,
    /// Write it into this file instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Options of `devices`.
#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// List this implementation or device too; may be repeated
    #[arg(long, value_name = "DEVICE")]
    pub device: Vec<Selector>,
    /// Print one JSON object a device instead
    #[arg(long)]
    pub json: bool,
}

/// When a litmus test may end before its time.
#[derive(Debug, Args)]
pub struct EnoughArgs {
    /// End a litmus test once the half width of the interval for what it asks is at most this part of the
    /// rate
    #[arg(long, value_name = "PART", value_parser = part, conflicts_with = "instances")]
    pub precision: Option<f64>,
    /// End a litmus test once the rate of what it asks is known to be below this
    #[arg(long, value_name = "RATE", value_parser = part, conflicts_with = "instances")]
    pub below: Option<f64>,
}

impl EnoughArgs {
    /// So many seconds, or less where that is enough.
    fn within(&self, seconds: f64) -> Budget {
        let (precision, below) = (self.precision, self.below);
        if precision.is_none() && below.is_none() {
            return Budget::Seconds(seconds);
        }
        let enough = Enough { precision, below };
        Budget::Enough { seconds, enough }
    }

    fn given(&self) -> bool {
        self.precision.is_some() || self.below.is_some()
    }
}

impl RunArgs {
    /// What was asked for, where something was.
    pub fn asked(&self) -> Option<Budget> {
        match (self.instances, self.budget) {
            (Some(n), _) => Some(Budget::Instances(n)),
            (None, Some(seconds)) => Some(self.enough.within(seconds)),
            (None, None) if self.enough.given() => Some(self.enough.within(DEFAULT_BUDGET)),
            (None, None) => None,
        }
    }
}

impl LitmusArgs {
    /// The budget of each test.
    pub fn budget(&self) -> Budget {
        match (self.instances, self.seconds) {
            (Some(n), _) => Budget::Instances(n),
            (None, seconds) => self.enough.within(seconds.unwrap_or(DEFAULT_SECONDS)),
        }
    }
}

impl CareArgs {
    /// The bounds on each case.
    pub fn limits(&self) -> Limits {
        Limits {
            patience: Duration::from_secs_f64(self.case_timeout),
            retries: self.retries,
        }
    }
}

/// A time in seconds after which to give up; zero for never.
fn patience(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(0.0) => Ok(0.0),
        Ok(_) | Err(_) => seconds(text),
    }
}

/// A part of one: more than nothing, less than all.
pub fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part < 1.0 => Ok(part),
        Ok(_) | Err(_) => Err("a part is a number between 0 and 1, like 0.05".into()),
    }
}

/// A time in seconds: more than nothing, and no more than can be waited for.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST => Ok(seconds),
        Ok(_) => Err(format!(
            "a time is more than 0 and at most {LONGEST} seconds"
        )),
        Err(_) => Err("a time is a number of seconds, like 60 or 0.5".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_are_checked() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "x", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
