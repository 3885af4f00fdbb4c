//! The command line's grammar.

use crate::device::Selector;
use crate::environment::{Environment, Mode};
use crate::execute::{Budget, Enough};
use crate::plan::shard::Shard;
use crate::worker::session::Limits;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

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
    /// Serve requests over a library (started by classay itself)
    #[command(hide = true)]
    Worker,
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
    #[arg(long, value_name = "MODEL", default_value = crate::judge::model::LATEST)]
    pub model: String,
    /// Print one JSON object a test instead
    #[arg(long)]
    pub json: bool,
    /// Give a test up that takes longer; 0 never does
    #[arg(long, value_name = "SECONDS", value_parser = patience, default_value = "60")]
    pub timeout: f64,
    /// How often a loop whose condition depends on a read is repeated at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = classay_litmus::oracle::Limits::default().loop_bound
    )]
    pub loop_bound: u32,
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
    #[arg(long, value_name = "MODEL", default_value = crate::judge::model::LATEST)]
    pub model: String,
    /// Also draw the execution as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Also write the execution as DOT, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// How often a loop whose condition depends on a read is repeated at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = classay_litmus::oracle::Limits::default().loop_bound
    )]
    pub loop_bound: u32,
}

/// What the alphabets of `generate` are.
const ALPHABETS: &str = "\
Alphabets: how much of the vocabulary a cycle is dressed with.
  full    every cycle; all 30 contexts; in the first, every pair of the 11 words that threads can
          wear, and read-modify-writes as exchange, add, strong and weak compare-exchange; in the
          others 16 words with all threads alike, and mixtures of 4
  core    the cycles with a name and the elementary ones (of Pod, Rfe, Fre and Coe alone); 8
          contexts; 10 words with all threads alike, and mixtures of 4 in the first context; add and
          compare-exchange there where all threads wear the same
  graded  3 and 4 edges: full. 5 edges: elementary and named cycles as in full, with add and
          compare-exchange where all threads wear the same; the other cycles with the words and
          contexts of core. 6 edges: core
Nothing else bounds what is generated. The litmus crate's README lists words and contexts.

Files: DIR/NAME.litmus (or .yaml), and DIR/index.csv, a line a test: name, file, class, allowed,
shape, cycle, threads, edges, orders, scopes, layout, spread, idiom, mutant_of, needs, inexpressible.
Existing files that differ are not written over unless --replace is given; then nothing is written.";

/// Options of `generate`.
#[derive(Debug, Args)]
#[command(after_help = ALPHABETS)]
pub struct GenerateArgs {
    /// Write each test into this folder as NAME.litmus, with an index; without it they are listed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which form the files have
    #[arg(long, value_name = "FORM", default_value = "litmus", requires = "out")]
    pub format: Form,
    /// Write over files of the folder that differ from what is to be written
    #[arg(long, requires = "out")]
    pub replace: bool,
    /// The memory model that says what each test is: a name, as opencl-3.1 or opencl-3.0, or the
    /// path of a .cat file
    #[arg(long, value_name = "MODEL", default_value = crate::judge::model::LATEST)]
    pub model: String,
    /// How many threads, within 2-4 [default: 2-4]
    #[arg(long, value_name = "N-M", value_parser = |text: &str| span(text, 2, 4))]
    pub threads: Option<Span>,
    /// How many edges the cycle has, within 3-6 [default: 3-6]
    #[arg(long, value_name = "N-M", value_parser = |text: &str| span(text, 3, 6))]
    pub edges: Option<Span>,
    /// How much of the vocabulary is used; below is what each is
    #[arg(long, value_name = "ALPHABET", default_value = "graded")]
    pub alphabet: GeneratedAlphabet,
    /// Only these classes: conformance is forbidden, weak is allowed though no interleaving gives
    /// it, sc is given by an interleaving, racy has a data race
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub class: Vec<GeneratedClass>,
    /// Also each conformance test weakened by one step, or by more where that is what it takes,
    /// so that its outcome is allowed
    #[arg(long)]
    pub mutants: bool,
    /// Only a few, which have every two traits together that some test has
    #[arg(long, value_name = "HOW")]
    pub cover: Option<Cover>,
    /// Only so many, covering as many pairs of traits as possible; mutants come on top
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Threads that judge; what is generated does not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// List the tests also when they are written
    #[arg(long)]
    pub list: bool,
}

/// The form of a generated file.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Form {
    /// The OPENCL dialect of .litmus.
    Litmus,
    /// YAML.
    Yaml,
}

/// How much of the vocabulary is used.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum GeneratedAlphabet {
    /// Full for short cycles, core for long ones.
    Graded,
    /// A little, for every size.
    Core,
    /// Everything, for every size.
    Full,
}

impl From<GeneratedAlphabet> for classay_litmus::generate::Alphabet {
    fn from(alphabet: GeneratedAlphabet) -> Self {
        match alphabet {
            GeneratedAlphabet::Graded => Self::Graded,
            GeneratedAlphabet::Core => Self::Core,
            GeneratedAlphabet::Full => Self::Full,
        }
    }
}

/// From one number to another, both included.
#[derive(Debug, Clone)]
pub struct Span(pub std::ops::RangeInclusive<usize>);

/// How a selection covers what there is.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Cover {
    /// Every two traits together.
    Pairwise,
}

/// What a generated test's outcome is to a model.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum GeneratedClass {
    /// Forbidden, and the program has no race.
    Conformance,
    /// Allowed, but not by an interleaving.
    Weak,
    /// Allowed by an interleaving.
    Sc,
    /// The program has a race.
    Racy,
}

impl From<GeneratedClass> for classay_litmus::generate::Class {
    fn from(class: GeneratedClass) -> Self {
        match class {
            GeneratedClass::Conformance => Self::Conformance,
            GeneratedClass::Weak => Self::Weak,
            GeneratedClass::Sc => Self::Sc,
            GeneratedClass::Racy => Self::Racy,
        }
    }
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

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The store of the earlier run
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The store of the later run; may be the same file
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Which run of BEFORE [default: the last]
    #[arg(long, value_name = "N")]
    pub before_run: Option<u32>,
    /// Which run of AFTER [default: the last]
    #[arg(long, value_name = "N")]
    pub after_run: Option<u32>,
    /// Of the outcomes told to have changed, the part that may be chance
    #[arg(long, value_name = "PART", value_parser = part, default_value = "0.05")]
    pub rate: f64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Options of `versus`.
#[derive(Debug, Args)]
pub struct VersusArgs {
    #[arg(value_name = "DEVICE", num_args = 2, required = true, help = DEVICE_HELP)]
    pub devices: Vec<Selector>,
    /// The folder of the results: first.db and second.db
    #[arg(long, value_name = "DIR", default_value = "classay-versus")]
    pub out: PathBuf,
    /// Seconds in all, shared equally by devices, tests and rounds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub budget: f64,
    /// How many times each device has its turn with a test
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Only the litmus tests whose name or id matches, `*` and `?` being wildcards; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub select: Vec<String>,
    /// Master seed; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[arg(long, value_name = "MODEL", help = MODEL_HELP)]
    pub model: Option<String>,
    /// Of the outcomes told to differ, the part that may be chance
    #[arg(long, value_name = "PART", value_parser = part, default_value = "0.05")]
    pub rate: f64,
    /// Print one JSON object instead
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
    #[command(flatten)]
    pub care: CareArgs,
}

/// Options of `tune`.
#[derive(Debug, Args)]
pub struct TuneArgs {
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// Seconds of playing
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub budget: f64,
    /// How many mutants to measure environments by
    #[arg(long, value_name = "N", default_value_t = 32,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub mutants: u16,
    /// Master seed; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The probability wanted that a run of all mutants shows each outcome again
    #[arg(long, value_name = "PART", value_parser = part, default_value = "0.95")]
    pub reproducibility: f64,
    /// Seconds that such a run gives each test
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub seconds_each: f64,
    #[arg(long, value_name = "MODEL", help = MODEL_HELP)]
    pub model: Option<String>,
    /// Write the result into this file [default: one for this device and driver in the user's data
    /// folder, where `run` finds it]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Give an environment up when there is no sign of life for this long
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub case_timeout: f64,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,
}

/// Options of `hunt`.
#[derive(Debug, Args)]
pub struct HuntArgs {
    #[arg(long, value_name = "DEVICE", help = DEVICE_HELP)]
    pub device: Option<Selector>,
    /// How long, in hours, with the time of earlier sessions; 0.5 is half an hour
    #[arg(long, value_name = "HOURS", default_value = "1", value_parser = hours)]
    pub hours: f64,
    /// The folder of the journal and of what is found
    #[arg(long, value_name = "DIR", default_value = "classay-hunt")]
    pub out: PathBuf,
    /// Go on with the hunt in that folder: device, seed, model and tests come from there
    #[arg(long, conflicts_with_all = ["device", "seed", "model", "tests", "slice"])]
    pub resume: bool,
    /// How many generated conformance tests are played
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub tests: u16,
    /// End when so many forbidden outcomes were written up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub findings: Option<u32>,
    /// Seconds of a test in an environment, with its mutant
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub slice: f64,
    /// Master seed; drawn and printed unless given
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[arg(long, value_name = "MODEL", help = MODEL_HELP)]
    pub model: Option<String>,
    /// Give a test up when there is no sign of life for this long
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub case_timeout: f64,
    /// Print one JSON object instead of the summary
    #[arg(long)]
    pub json: bool,
}

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Stores; of each the last run is taken
    #[arg(value_name = "STORE", required = true)]
    pub stores: Vec<PathBuf>,
    /// Add the merged run to this store, which is made where there is none
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Merge also where shards are missing; `classay run --resume` does not run those
    #[arg(long)]
    pub partial: bool,
    /// Exit as `run` would have: with 1 where a case failed, or is not as --expect says
    #[arg(long)]
    pub gate: bool,
    /// Merge also runs of different devices, as of a CI service's machines; what differs is told
    #[arg(long)]
    pub any_device: bool,
    /// Hold the results against what this file expects of the device; may be repeated. Then only what is
    /// not expected counts as a failure
    #[arg(long, value_name = "FILE")]
    pub expect: Vec<PathBuf>,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

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

/// A number or a span of numbers, `2` or `2-4`, within bounds.
fn span(text: &str, least: usize, most: usize) -> Result<Span, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.trim().parse(), to.trim().parse()) {
        (Ok(from), Ok(to)) if least <= from && from <= to && to <= most => Ok(Span(from..=to)),
        (Ok(_), Ok(_)) | (Err(_), _) | (_, Err(_)) => Err(format!(
            "expected a number or a span of numbers from {least} to {most}, like {least}-{most}"
        )),
    }
}

/// A time in seconds after which to give up; zero for never.
fn patience(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(0.0) => Ok(0.0),
        Ok(_) | Err(_) => seconds(text),
    }
}

/// A time in seconds: more than nothing, and no more than can be waited for.
pub fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part < 1.0 => Ok(part),
        Ok(_) | Err(_) => Err("a part is a number between 0 and 1, like 0.05".into()),
    }
}

fn hours(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hours) if hours > 0.0 && hours * 3600.0 <= LONGEST => Ok(hours),
        Ok(_) => Err(format!(
            "a hunt takes more than 0 and at most {} hours",
            LONGEST / 3600.0
        )),
        Err(_) => Err("hours are a number, like 0.5".into()),
    }
}

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
    fn spans_are_checked() {
        for (text, expected) in [("3", 3..=3), ("2-4", 2..=4), ("2 - 3", 2..=3)] {
            assert_eq!(span(text, 2, 4).map(|s| s.0), Ok(expected));
        }
        for wrong in ["", "1", "1-2", "4-2", "2-5", "2-", "-", "x", "2-3-4"] {
            assert!(span(wrong, 2, 4).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_checked() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "x", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
