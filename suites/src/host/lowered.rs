//! What a case is lowered to.

use super::check::Check;
use super::freedom::Choice;
use super::ids::{AnswerId, Mark};
use super::program::HostProgram;
use super::record::{Record, failed};
use crate::rule;
use classay_vocabulary::{FreedomCount, Violation};

/// A host program, and what must hold of its runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lowered {
    /// The program.
    pub program: HostProgram,
    /// The checks.
    pub checks: Vec<Check>,
    /// The answers that show which way the device took where rules leave a choice.
    pub choices: Vec<Choice>,
    /// An answer that is not zero where a side of an exchange timed out.
    pub quit: Option<AnswerId>,
    /// The first step of the first thread, where a call that fails before it says nothing of the case.
    pub started: Option<Mark>,
}

impl AsRef<HostProgram> for Lowered {
    fn as_ref(&self) -> &HostProgram {
        &self.program
    }
}

impl Lowered {
    /// Whether the run came to what the case is about.
    pub fn started(&self, record: &Record) -> bool {
        let came = |mark| record.stamps.contains_key(&mark);
        self.started.is_none_or(came)
    }

    /// Whether a side of an exchange timed out.
    pub fn timed_out(&self, record: &Record) -> bool {
        let word = self.quit.and_then(|id| record.answers.get(&id));
        record.timed_out || word.is_some_and(|word| word.iter().any(|byte| *byte != 0))
    }

    /// What a run broke of the checks, in their order. `run` is the number that the run's tokens name.
    pub fn broken(&self, record: &Record, run: u32) -> Vec<Violation> {
        let timed_out = self.timed_out(record);
        let made = |check: &&Check| check.even_so || !timed_out;
        let checks = self.checks.iter().filter(made);
        checks
            .flat_map(|check| check.evaluate(record, run))
            .collect()
    }

    /// The freedoms that a run could show, each once, and whether it did.
    pub fn freedoms(&self, record: &Record) -> Vec<FreedomCount> {
        let mut shown: Vec<FreedomCount> = Vec::new();
        if self.timed_out(record) || record.failed.is_some() {
            return shown;
        }
        for count in self.choices.iter().flat_map(|choice| choice.shown(record)) {
            match shown
                .iter_mut()
                .find(|known| known.freedom == count.freedom)
            {
                Some(known) => known.seen = known.seen.max(count.seen),
                None => shown.push(count),
            }
        }
        shown
    }

    /// What a run broke: the checks, and then the call that ended it against the program.
    pub fn violations(&self, record: &Record, run: u32) -> Vec<Violation> {
        let mut found = self.broken(record, run);
        if let Some((function, code)) = record.failed {
            found.push(Violation {
                rules: vec![rule::API_VALID],
                what: failed(function, code),
            });
        }
        found
    }
}
