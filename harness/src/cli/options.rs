//! Options that several subcommands take, each declared once.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser};
use classay::device::Api;
use classay::device::Selector;
use classay::environment::{self, Mode};
use classay::judge::{ChosenModel, model};
use classay::plan::MOST_OF_A_KIND;
use classay::plan::select::Selection;
use classay::run::{Conduct, Gate, Run};
use classay::worker::session::{Limits, Patience};
use classay::{Error, open};
use classay_litmus::cat::{Model, Reading, reading};
use classay_litmus::oracle::{self, Deadline};
use classay_vocabulary::{Budget, Enough};
use std::path::PathBuf;
use std::time::Duration;

/// Where `classay run` keeps its results unless told otherwise.
pub const DEFAULT_STORE: &str = "classay.db";

/// Longest time that can be asked for, in seconds: about three years.
pub const LONGEST: f64 = 1e8;

/// Which device.
#[derive(Debug, Args)]
pub struct DeviceOption {
    /// The device: touchstone (default), system (the platform's libOpenCL), the path of an OpenCL library, vulkan
    /// (the platform's Vulkan loader), or vulkan:DRIVER (a Vulkan driver's name or path); `#platform.device` after it
    /// chooses by number
    #[arg(long, value_name = "DEVICE")]
    device: Option<Selector>,
}

impl DeviceOption {
    /// What was asked for, or Touchstone.
    pub fn selector(&self) -> Selector {
        self.device.clone().unwrap_or(Selector::TOUCHSTONE)
    }

    /// What was asked for.
    pub fn given(&self) -> Option<&Selector> {
        self.device.as_ref()
    }
}

/// What campaigns have in common: that of faults, and that of latitudes.
#[derive(Debug, Args)]
pub struct CampaignOptions {
    /// Run this many workers at once [default: one a processor for faults, 1 for latitudes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
    /// Generate this many cases of each kind [default: 40 for faults, 10 for latitudes]
    #[arg(long, value_name = "N", value_parser = of_a_kind())]
    pub programs: Option<u32>,
    /// Print what would be injected or taken, and run nothing
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub select: SelectOption,
    #[command(flatten)]
    pub seed: SeedOption,
    #[command(flatten)]
    pub timeout: CaseTimeoutOption,
    #[command(flatten)]
    pub json: JsonOption,
}

/// Which memory model judges what a device does.
#[derive(Debug, Args)]
pub struct ModelOption {
    /// Judge by this memory model: a name, as opencl-3.0 or vulkan, or the path of a .cat file [default: the model
    /// of the device's version]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    readings: ReadingOption,
}

impl ModelOption {
    /// The name of the model that was asked for, with its readings.
    pub fn name(&self) -> Result<Option<String>, Error> {
        match &self.model {
            Some(model) => self.readings.of(model).map(Some),
            None if self.readings.reading.is_empty() => Ok(None),
            None => Err(Error::Usage(
                "--reading is of a model: give --model too, as in --model opencl-3.0".into(),
            )),
        }
    }

    /// The model that was asked for, read before a device is opened.
    pub fn chosen(&self) -> Result<Option<ChosenModel>, Error> {
        open::chosen(self.name()?.as_deref())
    }
}

/// How the model reads the specification where it can be read in more than one way.
#[derive(Debug, Args)]
pub struct ReadingOption {
    /// Judge by this reading of the specification alone; repeatable. Without it, what only some readings
    /// forbid is contested
    #[arg(long, value_name = "NAME", value_parser = readings())]
    reading: Vec<String>,
}

impl ReadingOption {
    /// The name of a model with these readings.
    fn of(&self, model: &str) -> Result<String, Error> {
        let named = Model::names().any(|name| name == model);
        if !named && !self.reading.is_empty() {
            return Err(Error::Usage(format!(
                "--reading is of the models that come with classay; {model} says itself what it reads"
            )));
        }
        let readings = self.reading.iter().map(String::as_str);
        Ok(reading::joined(model, readings))
    }
}

/// The readings, with what each says.
fn readings() -> PossibleValuesParser {
    let value = |reading: &'static Reading| PossibleValue::new(&*reading.name).help(&*reading.says);
    PossibleValuesParser::new(Reading::all().iter().map(value))
}

/// Which memory model judges where there is no device.
#[derive(Debug, Args)]
pub struct LatestModelOption {
    /// Judge by this memory model: a name, as opencl-3.1, opencl-3.0, opencl-2.0, opencl-scoped-sc, sc,
    /// vulkan or vulkan-no-chains, or the path of a .cat file [default: opencl-3.1, or vulkan for tests of Vulkan]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    readings: ReadingOption,
}

impl LatestModelOption {
    /// The name of the model that was asked for, with its readings; of an API's own where none was.
    pub fn name_for(&self, api: Api) -> Result<String, Error> {
        let own = match api {
            Api::OpenCl => model::LATEST,
            Api::Vulkan => api.model(),
        };
        self.readings.of(self.model.as_deref().unwrap_or(own))
    }

    /// The model that was asked for, or else that of an API.
    pub fn chosen(&self, api: Api) -> Result<ChosenModel, Error> {
        ChosenModel::load(&self.name_for(api)?).map_err(Error::Usage)
    }
}

/// The master seed.
#[derive(Debug, Args)]
pub struct SeedOption {
    /// Set the master seed, which decides everything that is generated [default: random, and printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Which cases, tests or faults.
#[derive(Debug, Args)]
pub struct SelectOption {
    /// Take only what matches in name or id, `*` and `?` being wildcards; repeatable
    #[arg(long, value_name = "PATTERN")]
    select: Vec<String>,
    /// Leave out what matches in name or id; repeatable
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
}

impl SelectOption {
    /// What was asked for.
    pub fn selection(&self) -> Selection {
        Selection {
            select: self.select.clone(),
            skip: self.skip.clone(),
        }
    }
}

/// Where results are kept.
#[derive(Debug, Args)]
pub struct StoreOption {
    /// Keep the results in this file [default: classay.db for `run`, none otherwise]
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
}

/// What a device is known to do.
#[derive(Debug, Args)]
pub struct KnownOption {
    /// Read from this file which failures are known for the device, and fail only on others; repeatable
    #[arg(long, value_name = "FILE")]
    expect: Vec<PathBuf>,
}

impl KnownOption {
    /// What fails a run, and nothing that may fail it beside that.
    pub fn gate(&self) -> Gate {
        Gate {
            files: self.expect.clone(),
            ..Gate::default()
        }
    }
}

/// What a device is known to do, and what else fails.
#[derive(Debug, Args)]
pub struct ExpectOption {
    #[command(flatten)]
    known: KnownOption,
    /// Fail also on what is contested: what some readings of the specification forbid and others allow
    #[arg(long)]
    strict: bool,
    /// Do not fail on what is flaky: what crashed or hung in some attempts and passed in others
    #[arg(long)]
    accept_flaky: bool,
}

impl ExpectOption {
    /// What fails a run.
    pub fn gate(&self) -> Gate {
        Gate {
            strict: self.strict,
            lenient: self.accept_flaky,
            ..self.known.gate()
        }
    }
}

/// Results for a CI service.
#[derive(Debug, Args)]
pub struct JunitOption {
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

/// Machine output.
#[derive(Debug, Args)]
pub struct JsonOption {
    /// Print JSON, one object a line, instead of text
    #[arg(long)]
    pub json: bool,
}

/// When a case is given up.
#[derive(Debug, Args)]
pub struct CaseTimeoutOption {
    /// Give a case up after this long without a sign of life, or past its own time [default: a third of the
    /// budget of `run`, a twelfth where nothing computes, otherwise 60 and 15; 20 for tune, hunt and shrink; 3
    /// for faults]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    case_timeout: Option<f64>,
}

impl CaseTimeoutOption {
    /// What was asked for.
    pub fn given(&self) -> Option<Duration> {
        self.case_timeout.map(Duration::from_secs_f64)
    }

    /// What was asked for, or so many seconds.
    pub fn or(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(self.case_timeout.unwrap_or(seconds))
    }
}

/// What is done about workers that die.
#[derive(Debug, Args)]
pub struct TriageOptions {
    /// Try a case this many times again after it crashed
    #[arg(long, value_name = "N", default_value_t = 1)]
    retries: u32,
    #[command(flatten)]
    timeout: CaseTimeoutOption,
}

impl TriageOptions {
    /// The bounds on each case.
    pub fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            patience: match self.timeout.given() {
                Some(patience) => Patience::of(patience),
                None => usual.patience,
            },
            retries: self.retries,
            ..usual
        }
    }

    /// How a run is conducted with these.
    pub fn conduct(&self) -> Conduct {
        Conduct {
            patience: self.timeout.given(),
            retries: self.retries,
            ..Conduct::default()
        }
    }
}

/// How litmus tests are placed and stressed.
#[derive(Debug, Args)]
pub struct PlacementOptions {
    /// Place and stress litmus tests as this YAML file says [default: as suits the device]
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    /// Play many instances of a litmus test in a launch, or one [default: as the environment says, or
    /// parallel]
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,
    /// Do not use the environment that `classay tune` found for this device
    #[arg(long)]
    untuned: bool,
}

impl PlacementOptions {
    /// The environment that was asked for, or the device's own choice.
    pub fn read(&self) -> Result<environment::Environment, Error> {
        let mut environment = match &self.environment {
            Some(path) => environment::Environment::from_file(path)
                .map_err(|e| Error::Usage(format!("--environment {e}")))?,
            None => environment::Environment::default(),
        };
        if let Some(mode) = self.mode {
            environment.mode = mode;
        }
        Ok(environment)
    }

    /// The environment of litmus tests, where it does not depend on what was tuned for the device.
    pub fn fixed(&self) -> Result<Option<environment::Environment>, Error> {
        Ok((self.given() || self.untuned).then_some(self.read()?))
    }

    /// Whether any was asked for.
    pub fn given(&self) -> bool {
        self.environment.is_some() || self.mode.is_some()
    }
}

/// When a litmus test may end before its time.
#[derive(Debug, Args)]
pub struct StoppingOptions {
    /// End a litmus test once the half width of its interval is at most this part of the rate
    #[arg(long, value_name = "PART", value_parser = part, conflicts_with = "instances")]
    precision: Option<f64>,
    /// End a litmus test once its rate is known to be below this
    #[arg(long, value_name = "RATE", value_parser = part, conflicts_with = "instances")]
    below: Option<f64>,
}

impl StoppingOptions {
    /// So many seconds, or less where that is enough.
    pub fn within(&self, seconds: f64) -> Budget {
        let (precision, below) = (self.precision, self.below);
        if !self.given() {
            return Budget::Seconds(seconds);
        }
        let enough = Enough { precision, below };
        Budget::Enough { seconds, enough }
    }

    /// Whether any was asked for.
    pub fn given(&self) -> bool {
        self.precision.is_some() || self.below.is_some()
    }
}

/// What `run`, `litmus` and `replay` take alike.
#[derive(Debug, Args)]
pub struct SessionOptions {
    #[command(flatten)]
    pub device: DeviceOption,
    #[command(flatten)]
    pub store: StoreOption,
    #[command(flatten)]
    pub expect: ExpectOption,
    #[command(flatten)]
    pub junit: JunitOption,
    #[command(flatten)]
    pub json: JsonOption,
    #[command(flatten)]
    pub triage: TriageOptions,
}

impl SessionOptions {
    /// A run with these.
    pub fn run(&self) -> Run {
        Run {
            device: self.device.selector(),
            store: self.store.store.clone(),
            gate: self.expect.gate(),
            conduct: self.triage.conduct(),
            ..Run::default()
        }
    }
}

/// How many changed rates may be chance.
#[derive(Debug, Args)]
pub struct FalseDiscoveryOption {
    /// Allow this part of the outcomes reported as changed to be chance [default: 0.05]
    #[arg(long, value_name = "PART", value_parser = part)]
    pub rate: Option<f64>,
}

impl FalseDiscoveryOption {
    /// What was asked for, or one in twenty.
    pub fn rate(&self) -> f64 {
        self.rate.unwrap_or(0.05)
    }
}

/// What fails a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum GateKind {
    /// Only failures that the first run would have shown
    Failures,
    /// That, and outcomes that are more or less frequent
    Rates,
}

/// What fails a comparison, and how sure it has to be.
#[derive(Debug, Args)]
pub struct GateOptions {
    /// What exit code 1 is for
    #[arg(long, value_enum, default_value = "rates")]
    gate: GateKind,
    #[command(flatten)]
    chance: FalseDiscoveryOption,
}

impl GateOptions {
    /// The false discovery rate at which outcomes are reported as changed.
    pub fn rate(&self) -> f64 {
        self.chance.rate()
    }

    /// What fails.
    pub fn gate(&self) -> classay_reports::difference::Gate {
        use classay_reports::difference::Gate;
        match self.gate {
            GateKind::Failures => Gate::Failures,
            GateKind::Rates => Gate::Rates(self.rate()),
        }
    }
}

/// The exit codes of commands that compare.
pub const COMPARISON_EXIT_CODES: &str = "Exit codes: 0 nothing that --gate names; 1 a new failure, or, by \
     --gate rates, a rate that changed; a failure is new where no case of the first run shows the same and a run like it \
     would, with at least 95 %, or where a case shows it in each of three plays or more of two processes; \
     2 the command line or an input file is wrong; 3 there is no such device; \
     4 there is nothing to compare; 5 interrupted; 6 a store cannot be read or written. Rates are compared between processes: \
     runs of a single process are not said to differ.";

/// The exit codes of a history.
pub const HISTORY_EXIT_CODES: &str = "Exit codes: 0 no driver's last version is worse than the one before; 1 one \
     is: it has a new failure, or, by --gate rates, a rate that changed; 2 the command line is wrong, there is no \
     such store, or a run is named twice; 4 there is nothing to compare: a store without a result, or one run alone; \
     6 a store cannot be read, or a file cannot be written. Cases are compared that are the same program in both \
     versions and have a result in both.";

/// How far the oracle goes for a test.
#[derive(Debug, Args)]
pub struct OracleOptions {
    /// Give a test up after this long; 0 never does
    #[arg(long, value_name = "SECONDS", value_parser = seconds_or_never, default_value = "60")]
    pub timeout: f64,
    /// Repeat a loop whose condition depends on a read at most this often
    #[arg(
        long,
        value_name = "N",
        default_value_t = oracle::Limits::default().loop_bound
    )]
    pub loop_bound: u32,
}

impl OracleOptions {
    /// For a test that it begins with now.
    pub fn limits(&self) -> oracle::Limits {
        oracle::Limits {
            loop_bound: self.loop_bound,
            deadline: match self.timeout {
                0.0 => Deadline::default(),
                seconds => Deadline::after(Duration::from_secs_f64(seconds)),
            },
            ..oracle::Limits::default()
        }
    }

    /// What an error of the oracle says to the user who gave these limits.
    pub fn described(&self, error: &oracle::Error) -> String {
        match error {
            oracle::Error::Late => format!("that takes more than {} s", self.timeout),
            error => error.to_string(),
        }
    }
}

/// How many cases of each kind are generated.
pub fn of_a_kind() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(0..=i64::from(MOST_OF_A_KIND))
}

/// A time in seconds after which to give up; zero for never.
fn seconds_or_never(text: &str) -> Result<f64, String> {
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
pub fn seconds(text: &str) -> Result<f64, String> {
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

    #[test]
    fn times_are_checked() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "x", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
