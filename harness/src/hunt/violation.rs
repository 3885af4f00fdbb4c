//! A forbidden outcome, written up for who has to repair it: a folder with everything in it.

use super::journal::Found;
use super::reduce::Small;
use crate::device::Capabilities;
use crate::execute::litmus::Standalone;
use crate::judge::{self, ChosenModel};
use askama::Template;
use classay_litmus::explain::{self, Report};
use classay_litmus::oracle::Explanation;
use classay_litmus::program::Program;
use classay_litmus::syntax::{write_litmus, write_yaml};
use classay_reports::record::{CaseResult, DeviceRecord};
use classay_reports::text::outcome::outcome;
use classay_reports::text::{Colour, histogram};
use std::path::Path;

/// So many forbidden outcomes are looked at for one that can be explained.
const EXPLAINED: usize = 4;

/// What is written up.
pub struct Violation<'a> {
    /// The test as it was generated.
    pub original: &'a Program,
    /// Its shape.
    pub shape: &'a str,
    /// The smallest that still shows a forbidden outcome.
    pub small: &'a Small,
    /// What was seen of that at last, or of the original where nothing was seen again.
    pub result: &'a CaseResult,
    /// What judges.
    pub model: &'a ChosenModel,
    /// The device.
    pub device: &'a DeviceRecord,
    /// What it offers.
    pub capabilities: &'a Capabilities,
    /// As `--device` takes it.
    pub selector: &'a str,
    /// The seed of the C program's launches.
    pub seed: u64,
}

/// The report of a violation, for people.
#[derive(Template)]
#[template(path = "violation.md")]
struct Page<'a> {
    of: &'a Violation<'a>,
    found: &'a Found,
    /// Why the model forbids the outcome, in words.
    why: Option<String>,
    /// Whether there is a picture of that.
    drawn: bool,
    /// Why there is no C program.
    no_c: Option<String>,
}

impl Violation<'_> {
    /// The outcome that was seen most often of those that the model does not allow, with why; first of those
    /// that some execution has.
    fn explained(&self) -> Option<(String, Option<Report>)> {
        let program = &self.small.program;
        let mut seen = self.result.histogram();
        let why = judge::forbidden(program, &seen, self.model, EXPLAINED);
        if let Some((outcome, report)) = why.into_iter().next() {
            return Some((outcome, Some(report)));
        }
        let allowed = judge::allowed_values(program.clone(), self.model).ok()?;
        seen.retain(|o| {
            let state = o.outcome.state();
            state.is_some_and(|values| !allowed.iter().any(|known| known == values))
        });
        let most = seen.into_iter().max_by_key(|o| o.count)?;
        Some((outcome(&most.outcome, &program.recorded()), None))
    }

    /// Writes the folder; what the journal keeps of it.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path, name: &str) -> std::io::Result<Found> {
        std::fs::create_dir_all(folder)?;
        let program = &self.small.program;
        let explained = self.explained();
        std::fs::write(folder.join("test.litmus"), write_litmus(program))?;
        std::fs::write(folder.join("test.yaml"), write_yaml(program))?;
        std::fs::write(
            folder.join("environment.yaml"),
            self.small.environment.to_yaml(),
        )?;
        let (outcome, why) = explained.unwrap_or_default();
        let svg = why.as_ref().and_then(explain::svg);
        if let Some(svg) = &svg {
            std::fs::write(folder.join("execution.svg"), svg)?;
        }
        let c = Standalone {
            program,
            capabilities: self.capabilities,
            environment: &self.small.environment,
            seed: self.seed,
            allowed: judge::allowed_values(program.clone(), self.model).ok(),
            about: vec![format!(
                "Litmus test {}: {} was seen to give an outcome that {} forbids.",
                program.name,
                self.device.name,
                self.model.name()
            )],
        }
        .to_c();
        if let Ok(text) = &c {
            std::fs::write(folder.join("reproduce.c"), text)?;
        }
        let found = Found {
            test: self.original.name.clone(),
            shape: self.shape.to_string(),
            outcome,
            rules: why.as_ref().map(rules).unwrap_or_default(),
            seen: self.small.seen.forbidden,
            instances: self.small.seen.instances,
            confirmed: self.small.confirmed,
            folder: name.to_string(),
        };
        let page = Page {
            of: self,
            found: &found,
            why: why.as_ref().map(explain::text),
            drawn: svg.is_some(),
            no_c: c.err(),
        };
        let page = page.render().map_err(std::io::Error::other)?;
        std::fs::write(folder.join("report.md"), page)?;
        Ok(found)
    }
}

/// The rules that forbid what a report explains.
fn rules(report: &Report) -> Vec<String> {
    match &report.explanation {
        Explanation::Forbidden(refusal) => {
            let rules = judge::axioms(refusal).into_iter();
            rules.map(|rule| rule.to_string()).collect()
        }
        Explanation::Allowed(_) | Explanation::Impossible => Vec::new(),
    }
}
