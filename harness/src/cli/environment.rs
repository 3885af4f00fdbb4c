//! `classay environment`: an environment generated from a seed, as YAML.

use super::options::{DeviceOption, SeedOption};
use super::output::Out;
use clap::Args;
use classay::environment::{Drawing, Environment, draw, vary};
use classay::interrupt::Interrupt;
use classay::plan::seed;
use classay::{Error, open};
use classay_vocabulary::ExitCode;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::path::PathBuf;

/// Options of `environment`.
#[derive(Debug, Args)]
pub struct EnvironmentOptions {
    /// Change one to three knobs of this environment instead
    #[arg(long, value_name = "FILE")]
    like: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    seed: SeedOption,
}

/// Does it; returns the exit code.
pub fn main(args: &EnvironmentOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let like = args
        .like
        .as_ref()
        .map(|path| Environment::from_file(path))
        .transpose()
        .map_err(|e| Error::Usage(format!("--like {e}")))?;
    let selector = args.device.selector();
    let session = open::device(&selector, &interrupt)?;
    let capabilities = session.known().capabilities.clone();
    session.close();
    let seed = args.seed.seed.unwrap_or_else(seed::draw);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawing = Drawing {
        rng: &mut rng,
        capabilities: &capabilities,
    };
    let environment = match &like {
        Some(like) => vary(like, &mut drawing),
        None => draw(&mut drawing),
    };
    let mut out = Out::new();
    out.line(&format!("# seed {seed}, for {selector}"));
    out.text(&environment.to_yaml());
    Ok(ExitCode::Passed)
}
