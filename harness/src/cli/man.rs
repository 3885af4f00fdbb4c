//! `classay man`: the manual pages.

use super::output::Out;
use clap::Args;
use classay::Error;
use classay_vocabulary::ExitCode;
use std::path::PathBuf;

/// Options of `man`.
#[derive(Debug, Args)]
pub struct ManOptions {
    /// Write the page of each command into this folder, instead of the first to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Does it; returns the exit code.
pub fn main(args: &ManOptions) -> Result<ExitCode, Error> {
    let command = super::command();
    match &args.out {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(Error::output(folder))?;
            clap_mangen::generate_to(command, folder).map_err(Error::output(folder))?;
        }
        None => {
            let mut page = Vec::new();
            let man = clap_mangen::Man::new(command);
            man.render(&mut page)
                .map_err(|e| Error::Bug(e.to_string()))?;
            Out::new().text(&String::from_utf8_lossy(&page));
        }
    }
    Ok(ExitCode::Passed)
}
