//! What happened, a line each.
//!
//! A journal is a file of JSON objects, one a line, that only ever grows; a line is on its way to the disk
//! before anything else happens. A last line without its end is what a kill has left of it: it is taken
//! away, and what it told of is done again.

use crate::environment::Environment;
use crate::tune::tuned::For;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// The first line: what was asked for.
    Begin(Config),
    /// An environment came into the pool.
    Environment {
        /// Its number.
        number: u32,
        /// What it is.
        environment: Environment,
    },
    /// An environment left the pool.
    Dropped {
        /// Its number.
        number: u32,
    },
    /// A test was played.
    #[serde(alias = "pull")]
    Trial(Trial),
    /// A forbidden outcome was written down.
    #[serde(alias = "finding")]
    Violation(Found),
}

/// What a hunt was asked for when it began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Config {
    /// The version of classay.
    pub classay: String,
    /// As `--device` takes it.
    pub selector: String,
    /// The device.
    pub device: For,
    /// The master seed.
    pub seed: u64,
    /// As `--model` takes it.
    pub model: String,
    /// Whether what any reading of the model forbids counts as forbidden.
    #[serde(default)]
    pub strict: bool,
    /// How many conformance tests.
    pub tests: u32,
    /// Seconds of a test in an environment.
    pub slice: f64,
}

/// A test in an environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Trial {
    /// Seconds of the hunt that are over, with this.
    pub at: f64,
    /// The test.
    pub test: String,
    /// Its shape.
    pub shape: String,
    /// The environment's number.
    pub environment: u32,
    /// What its mutant showed; none where it has none or that did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Instances of the test itself.
    pub instances: u64,
    /// The seed that it was played with.
    pub seed: u64,
    /// How often a forbidden outcome was seen.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forbidden: u64,
    /// How often an outcome was seen that some readings of the model forbid and others allow.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contested: u64,
    /// What went wrong otherwise; one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What a mutant showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Probe {
    /// Its name.
    pub mutant: String,
    /// How often the weak outcome was seen.
    pub weak: u64,
    /// How many of them tell as much as independent ones would; not known in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent: Option<f64>,
    /// Instances.
    pub instances: u64,
    /// Seconds.
    pub seconds: f64,
}

/// A forbidden outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Found {
    /// The test.
    pub test: String,
    /// Its shape.
    pub shape: String,
    /// The outcome, as histograms write it.
    pub outcome: String,
    /// The rules that it breaks.
    pub rules: Vec<String>,
    /// How often it was seen when the smallest test was played in the smallest environment.
    pub seen: u64,
    /// In so many instances.
    pub instances: u64,
    /// It was seen again after the first time.
    pub confirmed: bool,
    /// Where it is written up, in the hunt's folder.
    pub folder: String,
}

/// A journal that is written.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

/// Why a journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A line in the middle is none of ours.
    #[error("line {line} is none of a hunt's: {why}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

impl Journal {
    /// Opens the journal of a hunt, with what is in it; a new one where there is none.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or a line is none of a hunt's.
    pub fn open(path: &Path) -> Result<(Journal, Vec<Record>), JournalError> {
        let text = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(e.into()),
        };
        let whole = text
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let mut records = Vec::new();
        for (n, line) in text[..whole].split(|b| *b == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let record = serde_json::from_slice(line).map_err(|e| JournalError::Line {
                line: n + 1,
                why: e.to_string(),
            })?;
            records.push(record);
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        if whole < text.len() {
            file.set_len(whole as u64)?;
        }
        Ok((Journal { file }, records))
    }

    /// Writes a line and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn add(&mut self, record: &Record) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(record).map_err(std::io::Error::other)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(number: u32) -> Record {
        Record::Dropped { number }
    }

    #[test]
    fn a_torn_line_is_taken_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hunt.jsonl");
        let (mut journal, before) = Journal::open(&path).expect("a journal");
        assert!(before.is_empty());
        let environment = Environment::single();
        let first = Record::Environment {
            number: 3,
            environment,
        };
        for record in [&first, &dropped(1)] {
            journal.add(record).expect("a line");
        }
        let mut torn = std::fs::read(&path).expect("a file");
        torn.extend(b"{\"kind\":\"dropped\",\"num");
        std::fs::write(&path, &torn).expect("a file");
        let (mut journal, records) = Journal::open(&path).expect("a journal");
        assert_eq!(records, [first.clone(), dropped(1)]);
        journal.add(&dropped(2)).expect("a line");
        let (_, records) = Journal::open(&path).expect("a journal");
        assert_eq!(records, [first, dropped(1), dropped(2)]);
    }

    #[test]
    fn what_is_no_journal_is_told_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hunt.jsonl");
        std::fs::write(&path, "{\"kind\":\"dropped\",\"number\":1}\nhello\n").expect("a file");
        let error = Journal::open(&path).expect_err("no journal").to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
