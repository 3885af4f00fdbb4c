//! Options of the commands that play for a long time to find something out: `versus`, `tune`, `hunt`.

use super::{CareArgs, DEVICE_HELP, LONGEST, MODEL_HELP, SurroundingsArgs, part, seconds};
use clap::Args;
use classay::device::Selector;
use std::path::PathBuf;

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

/// A time in hours: more than nothing, and no more than can be waited for.
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
