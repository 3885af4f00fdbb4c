//! `classay tune`: environments that make weak outcomes frequent on a device.

use super::litmus::complain_of;
use super::options::{
    CaseTimeoutOption, DeviceOption, JsonOption, ModelOption, SeedOption, part, seconds,
};
use super::output::{Out, say};
use askama::Template;
use clap::Args;
use classay::Error;
use classay::interrupt::Interrupt;
use classay::plan;
use classay::tune::Tune;
use classay::tune::mutants::Sight;
use classay::tune::tuned::Tuned;
use classay_reports::report::tuning::{Part, Score};
use classay_vocabulary::ExitCode;
use std::path::PathBuf;

/// Options of `tune`.
#[derive(Debug, Args)]
pub struct TuneOptions {
    /// Measure environments by the mutants of these tests, and by those of them that are as weak by themselves: files,
    /// folders, @lists or names of shipped tests, as `litmus` takes them [default: generated ones]
    #[arg(value_name = "TEST")]
    tests: Vec<PathBuf>,
    #[command(flatten)]
    device: DeviceOption,
    /// Search for this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    budget: f64,
    /// Measure environments by this many mutants
    #[arg(long, value_name = "N", default_value_t = 32,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    mutants: u16,
    /// Want this probability that a run of all mutants shows each outcome again
    #[arg(long, value_name = "PART", value_parser = part, default_value = "0.95")]
    reproducibility: f64,
    /// Give each test this many seconds in such a run
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    seconds_each: f64,
    /// Write the result into this file [default: one for this device and driver in the user's data
    /// folder, where `run` finds it]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    model: ModelOption,
    #[command(flatten)]
    timeout: CaseTimeoutOption,
    #[command(flatten)]
    json: JsonOption,
}

/// Does it; returns the exit code.
pub fn main(args: &TuneOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let (tests, unreadable) = plan::from_files(&args.tests);
    let mut out = Out::new();
    for file in &unreadable {
        complain_of(file, args.json.json, &mut out);
    }
    if !unreadable.is_empty() {
        return Ok(ExitCode::Usage);
    }
    let found = Tune {
        device: args.device.selector(),
        tests,
        model: args.model.chosen()?,
        budget: args.budget,
        mutants: usize::from(args.mutants),
        seed: args.seed.seed,
        reproducibility: args.reproducibility,
        seconds_each: args.seconds_each,
        out: args.out.clone(),
        deadline: args.timeout.or(20.0),
        interrupt: &interrupt,
        notify: &say,
    }
    .run()?;
    if args.json.json {
        // Names and numbers: nothing in it can fail to become JSON.
        out.line(&serde_json::to_string(&found.tuned).unwrap_or_default());
    } else {
        let table = Table::of(&found.tuned).render();
        out.text(&table.map_err(|error| Error::Bug(error.to_string()))?);
    }
    say(&format!("kept in {}", found.path.display()));
    match found.halted {
        Some(error) => Err(error),
        None => Ok(ExitCode::Passed),
    }
}

/// What was found, for people.
#[derive(Template)]
#[template(path = "tune.txt")]
struct Table<'a> {
    tuned: &'a Tuned,
    score: &'a Score,
    /// The mutants by what they take.
    parts: [(Part, &'static str); 3],
}

impl Table<'_> {
    fn of(tuned: &Tuned) -> Table<'_> {
        let score = &tuned.score;
        Table {
            tuned,
            score,
            parts: [
                (score.interleaving, "that an interleaving allows"),
                (score.x86, "more that x86-TSO allows"),
                (score.weaker, "that x86-TSO forbids"),
            ],
        }
    }
}

fn rate(rate: Option<[f64; 3]>) -> String {
    match rate {
        Some([0.0, _, high]) => format!("<{high:.1}"),
        Some([rate, _, _]) if rate < 10.0 => format!("{rate:.2}"),
        Some([rate, _, _]) => classay_reports::text::number::short(rate),
        None => "-".into(),
    }
}

fn takes(sight: Sight) -> &'static str {
    match sight {
        Sight::Interleaving => " (an interleaving)",
        Sight::X86 => "",
        Sight::Weaker => " (not on x86)",
    }
}

fn percent(part: usize, of: usize) -> String {
    format!("{:.1}", 100.0 * part as f64 / of.max(1) as f64)
}
