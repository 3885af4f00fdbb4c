//! `classay environment`: an environment drawn from a seed, as YAML.

use super::args::EnvironmentArgs;
use super::output::Out;
use classay::environment::{Drawing, Environment, draw, vary};
use classay::interrupt::Interrupt;
use classay::plan::seed;
use classay::{Error, exit, open};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Does it; returns the exit code.
pub fn environment(args: &EnvironmentArgs) -> Result<u8, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let like = args
        .like
        .as_ref()
        .map(|path| Environment::from_file(path))
        .transpose()
        .map_err(|e| Error::Usage(format!("--like {e}")))?;
    let selector = match &args.device {
        Some(selector) => selector.clone(),
        None => "touchstone".parse().map_err(Error::Bug)?,
    };
    let session = open::device(&selector, &interrupt)?;
    let capabilities = session.known().capabilities.clone();
    session.close();
    let seed = args.seed.unwrap_or_else(seed::draw);
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
    Ok(exit::PASSED)
}
