//! `classay version`.

use super::output::Out;
use clap::Args;
use classay::Error;
use classay::device::{LAYER, TOUCHSTONE, VULKAN_LAYER};
use classay_vocabulary::ExitCode;

/// Options of `version`: none.
#[derive(Debug, Args)]
pub struct VersionOptions {}

/// Does it; returns the exit code.
pub fn main(_: &VersionOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    out.line(&format!("classay {}", env!("CARGO_PKG_VERSION")));
    let carried = [
        ("touchstone", &TOUCHSTONE),
        ("layer", &LAYER),
        ("vulkan layer", &VULKAN_LAYER),
    ];
    for (name, library) in carried {
        let origin = library.origin().map_err(Error::Usage)?;
        out.line(&format!("{name}: {origin}"));
    }
    Ok(ExitCode::Passed)
}
