//! `classay refused`: the calls that must be refused, with the sentence of each, and as cases to replay.

use super::options::{JsonOption, SelectOption};
use super::output::Out;
use clap::Args;
use classay::Error;
use classay_reports::text::layout::wrap;
use classay_suites::api::refused::{self, Refused};
use classay_suites::api::{Case, Kind, Scenario};
use classay_suites::family::Family;
use classay_vocabulary::ExitCode;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Options of `refused`.
#[derive(Debug, Args)]
pub struct RefusedOptions {
    #[command(flatten)]
    select: SelectOption,
    /// Write each as a case of its own into this folder, for `classay replay`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

/// Does it; returns the exit code.
pub fn main(args: &RefusedOptions) -> Result<ExitCode, Error> {
    let selection = args.select.selection();
    let wanted = |row: &Refused| {
        let function = row.call.function.signature().name;
        selection.takes_named(&[function])
    };
    let rows: Vec<(usize, &Refused)> = refused::all()
        .iter()
        .enumerate()
        .filter(|(_, row)| wanted(row))
        .collect();
    if rows.is_empty() {
        return Err(Error::Usage(format!(
            "no call that must be refused has a function named {selection}; `classay refused` lists all"
        )));
    }
    let mut out = Out::new();
    for (number, row) in &rows {
        match &args.out {
            Some(folder) => write(folder, *number, row)?,
            None if args.json.json => out.line(&serde_json::json!(row).to_string()),
            None => out.text(&text(row)),
        }
    }
    if let Some(folder) = &args.out {
        out.line(&format!("{} cases in {}", rows.len(), folder.display()));
    }
    Ok(ExitCode::Passed)
}

/// One call with what refuses it, in lines of at most 80 columns.
fn text(row: &Refused) -> String {
    let codes: Vec<String> = row.codes.iter().map(ToString::to_string).collect();
    let rules: Vec<&str> = row.rules().iter().map(|rule| rule.as_str()).collect();
    let mut out = String::new();
    for line in wrap(&row.to_string(), 80) {
        out.push_str(&line);
        out.push('\n');
    }
    let because = format!(
        "{}: {} ({})",
        codes.join(" or "),
        row.sentence,
        rules.join(", ")
    );
    for line in wrap(&because, 76) {
        out.push_str(&format!("    {line}\n"));
    }
    out
}

/// Writes a call as a case, named by its function and its number in the table.
fn write(folder: &Path, number: usize, row: &Refused) -> Result<(), Error> {
    let function = row.call.function.signature().name;
    let path = folder.join(format!("{function}-{number:03}.yaml"));
    let case = Case {
        kind: Kind::Api,
        // They follow from the call.
        needs: BTreeSet::new(),
        scenario: Scenario::Refused {
            held: row.holds(),
            calls: vec![row.clone()],
        },
    };
    std::fs::create_dir_all(folder).map_err(Error::output(folder))?;
    std::fs::write(&path, case.write()).map_err(Error::output(&path))
}
