//! What a family of generated cases is to those who run, judge, shrink and reproduce it.

use crate::host::{Check, HostProgram, Record};
use crate::rule::RuleId;
use crate::shrink::{Judge, Shrunk, Told};
use classay_vocabulary::{Need, Violation};
use std::collections::BTreeSet;

/// What is known of a device before a case is lowered for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The names of its built-in kernels.
    pub built_in_kernels: Vec<String>,
}

/// A case as a host program, and what must hold of its runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lowered {
    /// The program.
    pub program: HostProgram,
    /// What must hold of a run's record.
    pub checks: Vec<Check>,
}

impl Lowered {
    /// Everything that a record breaks, in the order of the checks.
    pub fn broken(&self, record: &Record, run: u32) -> Vec<Violation> {
        let checks = self.checks.iter();
        checks
            .flat_map(|check| check.evaluate(record, run))
            .collect()
    }
}

/// A case of a family.
pub trait Family: Sized + Clone {
    /// The `kind:` of its files.
    const KIND: &'static str;

    /// The case that a seed generates for a name, `family/kind`; `None` where the family has none of that name.
    fn generate(name: &str, seed: u64) -> Option<Self>;

    /// What the device must offer.
    fn needs(&self) -> BTreeSet<Need>;

    /// The rules whose breach it can show.
    fn covers(&self) -> BTreeSet<RuleId>;

    /// The case as a host program for a device.
    fn lower(&self, device: &DeviceInfo) -> Lowered;

    /// Every rule that a run broke. `run` is the number that the run's tokens name.
    fn check(&self, lowered: &Lowered, record: &Record, run: u32) -> Vec<Violation> {
        lowered.broken(record, run)
    }

    /// A smaller case that `judge` finds failing, too. `told` hears of each case that is kept.
    fn shrink(self, judge: Judge<'_, Self>, told: Told<'_, Self>) -> Shrunk<Self>;

    /// The case as text. Reading it gives the same case.
    fn write(&self) -> String;

    /// The case in a text.
    ///
    /// # Errors
    /// One sentence that says what is wrong, and where.
    fn read(text: &str) -> Result<Self, String>;
}
