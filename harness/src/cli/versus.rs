//! `classay versus`: two devices, or one with two drivers, compared by litmus tests.

use super::compare::{exit_code, print};
use super::options::{
    COMPARISON_EXIT_CODES, GateOptions, JsonOption, ModelOption, PlacementOptions, SeedOption,
    SelectOption, TriageOptions, seconds,
};
use super::output::{Out, say};
use clap::Args;
use classay::Error;
use classay::device::Selector;
use classay::interrupt::Interrupt;
use classay::versus::Versus;
use classay_vocabulary::ExitCode;
use std::path::PathBuf;

/// Options of `versus`.
#[derive(Debug, Args)]
#[command(after_help = COMPARISON_EXIT_CODES)]
pub struct VersusOptions {
    /// The two devices, each as --device takes it
    #[arg(value_name = "DEVICE", num_args = 2, required = true)]
    devices: Vec<Selector>,
    /// Keep the results in this folder, as first.db and second.db
    #[arg(long, value_name = "DIR", default_value = "classay-versus")]
    out: PathBuf,
    /// Share this many seconds equally among devices, tests and rounds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    budget: f64,
    /// Give each device this many turns with each test, each in a process of its own
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    #[command(flatten)]
    select: SelectOption,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    model: ModelOption,
    #[command(flatten)]
    gate: GateOptions,
    #[command(flatten)]
    environment: PlacementOptions,
    #[command(flatten)]
    triage: TriageOptions,
    #[command(flatten)]
    json: JsonOption,
}

/// Does it; returns the exit code: that of a comparison.
pub fn main(args: &VersusOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let [first, second] = args.devices.as_slice() else {
        return Err(Error::Usage("two devices are needed".into()));
    };
    let compared = Versus {
        devices: [first.clone(), second.clone()],
        folder: args.out.clone(),
        selection: args.select.selection(),
        budget: args.budget,
        rounds: args.rounds,
        seed: args.seed.seed,
        model: args.model.chosen()?,
        environment: args.environment.read()?,
        limits: args.triage.limits(),
        interrupt: &interrupt,
        notify: &say,
    }
    .run()?;
    print(
        &compared.differences,
        &args.gate,
        args.json.json,
        &mut Out::new(),
    );
    let [first, second] = compared.stores;
    say(&format!(
        "`classay report {} --baseline {} --html FILE` shows both",
        second.display(),
        first.display()
    ));
    Ok(exit_code(&compared.differences, &args.gate))
}
