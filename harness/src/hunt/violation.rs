//! A forbidden outcome, written up for who has to repair it: a folder with everything in it.

use super::journal::Found;
use super::reduce::Small;
use crate::device::Capabilities;
use crate::execute::litmus::Standalone;
use crate::judge::{self, ChosenModel};
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
        let why = why.as_ref().map(explain::text);
        let report = self.report(&found, why, svg.is_some(), c.err().as_deref());
        std::fs::write(folder.join("report.md"), report)?;
        Ok(found)
    }

    fn report(
        &self,
        found: &Found,
        why: Option<String>,
        drawn: bool,
        no_c: Option<&str>,
    ) -> String {
        let device = self.device;
        let fence = |of: &str, text: &str| format!("```{of}\n{}\n```", text.trim_end());
        let rules = match found.rules.as_slice() {
            [] => String::new(),
            rules => format!(" ({})", rules.join(", ")),
        };
        let mut table = String::from("| | |\n| --- | --- |\n");
        for (what, value) in [
            ("platform", &device.platform),
            ("device", &device.name),
            ("version", &device.version),
            ("driver", &device.driver),
        ] {
            table += &format!("| {what} | {} |\n", value.replace('|', "\\|"));
        }
        table += &format!(
            "| seen | {} times in {} instances, {:.3} s |",
            self.small.seen.forbidden, self.small.seen.instances, self.small.seen.seconds
        );
        let mut paragraphs = vec![
            format!("# {}: a forbidden outcome", found.test),
            format!(
                "{} shows `{}`, which {}{rules} forbids.",
                device.name,
                found.outcome,
                self.model.name()
            ),
            table,
        ];
        if !self.small.confirmed {
            paragraphs.push(
                "It was **not seen again**: what follows is as it was at first, and nothing was left out."
                    .into(),
            );
        }
        paragraphs.push("## The test".into());
        paragraphs.push(fence("c", &write_litmus(&self.small.program)));
        match why {
            None => paragraphs.push(format!("{}.", self.result.reason)),
            Some(why) => {
                paragraphs.push("## Why it is forbidden".into());
                if drawn {
                    paragraphs.push("![the execution](execution.svg)".into());
                }
                paragraphs.push(fence("text", &why));
            }
        }
        paragraphs.push("## What was seen".into());
        paragraphs.push(fence("text", &histogram(self.result, Colour::Off)));
        paragraphs.push("## How to see it".into());
        let mut commands = format!(
            "classay litmus test.litmus --environment environment.yaml --device '{}' --seconds 10",
            self.selector
        );
        if no_c.is_none() {
            commands +=
                "\ncc -std=c11 -o reproduce reproduce.c -lOpenCL -lpthread && ./reproduce 10";
        }
        paragraphs.push(fence("sh", &commands));
        if let Some(why) = no_c {
            paragraphs.push(format!("There is no C program: {why}."));
        }
        if self.small.steps.is_empty() {
            paragraphs.push("Nothing could be left out of the test or its environment.".into());
        } else {
            paragraphs.push("Still seen without, or with what is weaker:".into());
            let steps = self.small.steps.iter().map(|step| format!("- {step}"));
            paragraphs.push(steps.collect::<Vec<_>>().join("\n"));
        }
        paragraphs.join("\n\n") + "\n"
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
