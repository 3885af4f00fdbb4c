//! Options of the commands that read stores: `compare`, `merge`.

use super::part;
use clap::Args;
use std::path::PathBuf;

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
