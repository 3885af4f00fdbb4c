//! Which model of forward progress a device was seen to keep: the lines of JSON that `classay progress --json` prints.
//! One is about a program ([`ProgramLine`]), or about all whose threads are alike ([`SeenLine`]).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A program that was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramLine {
    /// The device.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// What the program's threads are, as `work-groups`.
    pub among: String,
    /// Its name.
    pub program: String,
    /// The models under which it always ends.
    pub ends_under: Vec<String>,
    /// `ended`, `stuck`, `gave-up`, `cut`, `skipped` or `failed`.
    pub seen: String,
    /// Of one that ended: so many instances did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u64>,
    /// Of one that gave up: after so many turns of a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// What that means: a clause.
    pub what: String,
    /// How long it took.
    pub seconds: f64,
}

/// What all programs show whose threads are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeenLine {
    /// The device.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// What the programs' threads are.
    pub among: String,
    /// The models that were seen to be kept.
    pub kept: Vec<String>,
    /// Of those, the ones that no other implies.
    pub strongest: Vec<String>,
    /// The models that were not kept, with the programs that did not end.
    pub refuted: BTreeMap<String, Vec<String>>,
    /// The models of which nothing is known, with the programs that showed nothing.
    pub unknown: BTreeMap<String, Vec<String>>,
    /// The model that the device promises, where it promises one.
    pub promised: Option<String>,
    /// What the device did that it may not: a sentence each.
    pub failures: Vec<String>,
}

impl SeenLine {
    /// The strongest models that were seen to be kept, in words.
    pub fn keeps(&self) -> String {
        match self.strongest.is_empty() {
            true => "none of the models".into(),
            false => self.strongest.join(" and "),
        }
    }
}

/// All lines of one device.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Progress {
    /// Where they were read from, as the user named it.
    pub source: String,
    /// Those about programs.
    pub programs: Vec<ProgramLine>,
    /// Those about all whose threads are alike.
    pub seen: Vec<SeenLine>,
}

/// Lines that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is none that `classay progress --json` prints: {reason}")]
pub struct ProgressError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl Progress {
    /// Reads the lines; empty ones are left out.
    ///
    /// # Errors
    ///
    /// A line is neither of the two; the error has its number.
    pub fn read(source: &str, text: &str) -> Result<Progress, ProgressError> {
        let mut all = Progress {
            source: source.to_owned(),
            ..Progress::default()
        };
        for (place, line) in text.lines().enumerate() {
            let wrong = |error: serde_json::Error| ProgressError {
                line: place + 1,
                reason: error.to_string(),
            };
            if line.trim().is_empty() {
                continue;
            }
            let value: serde_json::Value = serde_json::from_str(line).map_err(wrong)?;
            match value.get("program") {
                Some(_) => all
                    .programs
                    .push(serde_json::from_value(value).map_err(wrong)?),
                None => all.seen.push(serde_json::from_value(value).map_err(wrong)?),
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_kinds_are_read() {
        let program = ProgramLine {
            device: "d".into(),
            driver: "1".into(),
            among: "work-groups".into(),
            program: "higher".into(),
            ends_under: vec!["fair".into()],
            seen: "stuck".into(),
            instances: None,
            turns: None,
            what: "did not end within 2 s".into(),
            seconds: 2.1,
        };
        let seen = SeenLine {
            device: "d".into(),
            driver: "1".into(),
            among: "work-groups".into(),
            kept: vec!["obe".into(), "hsa".into()],
            strongest: vec!["hsa".into(), "obe".into()],
            refuted: BTreeMap::from([("fair".into(), vec!["higher".into()])]),
            unknown: BTreeMap::new(),
            promised: None,
            failures: Vec::new(),
        };
        assert_eq!(seen.keeps(), "hsa and obe");
        let text = [
            serde_json::to_string(&program).expect("JSON"),
            String::new(),
            serde_json::to_string(&seen).expect("JSON"),
        ];
        let read = Progress::read("file", &text.join("\n")).expect("both");
        assert_eq!((read.programs, read.seen), (vec![program], vec![seen]));
        let wrong = Progress::read("file", "\n{\"program\":\"x\"}").expect_err("no line of it");
        assert_eq!(wrong.line, 2);
    }
}
