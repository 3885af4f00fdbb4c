//! What a case is lowered to.

use super::check::Check;
use super::freedom::Choice;
use super::ids::{AnswerId, Mark};
use super::program::HostProgram;
use super::record::{Record, failed};
use crate::rule::{self, RuleId};
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
            .chain(self.misaligned(record))
            .collect()
    }

    /// Memory that does not begin where clSVMAlloc has to let it.
    fn misaligned(&self, record: &Record) -> Vec<Violation> {
        let alignments = self.program.alignments().into_iter();
        let wrong = alignments.filter(|(slot, alignment)| {
            let address = record.addresses.get(slot);
            address.is_some_and(|address| address % alignment != 0)
        });
        wrong
            .map(|(slot, alignment)| {
                let name = &self.program.slots[slot.index()].name;
                Violation {
                    rules: MISALIGNED.to_vec(),
                    what: misaligned(name, alignment),
                }
            })
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

/// The rules of which memory breaks one that is not aligned as it must be.
pub const MISALIGNED: [RuleId; 2] = [rule::SV_API, rule::API_ANSWERS];

/// The sentence for memory that is not aligned as it must be.
pub fn misaligned(name: &str, alignment: u64) -> String {
    format!("clSVMAlloc gives {name} at an address that is no multiple of {alignment}")
}

#[cfg(test)]
mod tests {
    use super::Lowered;
    use crate::host::builder::Builder;
    use crate::host::function::Function;
    use crate::host::program::{Call, SlotKind};
    use crate::host::record::Record;
    use crate::host::values;

    #[test]
    fn shared_memory_begins_at_a_multiple_of_what_was_asked_for() {
        for (asked, right, wrong) in [(0, 1280, 1344), (256, 512, 640)] {
            let mut builder = Builder::default();
            let context = builder.slot("context", SlotKind::Context);
            let memory = builder.slot("memory", SlotKind::Svm(context));
            let alloc = Call::new(Function::SVMAlloc, values![context, 0, 64, asked]);
            builder.begin(alloc.makes(memory));
            let lowered = Lowered {
                program: builder.finish(),
                ..Lowered::default()
            };
            let at = |address| {
                let mut record = Record::default();
                record.addresses.insert(memory, address);
                lowered.broken(&record, 0)
            };
            assert_eq!(at(right), []);
            let found = at(wrong);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].what.contains("memory at an address"), "{found:?}");
        }
    }
}
