//! What a family of generated cases is to those who run, judge, shrink and reproduce it.

use crate::host::answers::Described;
use crate::host::{HostProgram, Record};
use crate::rule::RuleId;
use crate::shrink::{Judge, Shrunk, Told};
use classay_vocabulary::{BuiltInKernel, Need, Violation};
use std::collections::BTreeSet;

/// What is known of a device before a case is lowered for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The names of its built-in kernels.
    pub built_in_kernels: Vec<String>,
    /// What it said of itself when it was opened.
    pub said: Described,
}

impl DeviceInfo {
    /// A device of which nothing is known: it may have every built-in kernel that is known.
    pub fn unknown() -> DeviceInfo {
        DeviceInfo {
            built_in_kernels: BuiltInKernel::ALL.map(|kernel| kernel.name().into()).into(),
            said: Described::default(),
        }
    }
}

/// A case of a family.
pub trait Family: Sized + Clone {
    /// The `kind:` of its files.
    const KIND: &'static str;

    /// A case as a host program, with what is needed to judge its runs.
    type Lowered: AsRef<HostProgram>;

    /// The case that a seed generates for a name, `family/kind`; `None` where the family has none of that name.
    fn generate(name: &str, seed: u64) -> Option<Self>;

    /// What the device must offer.
    fn needs(&self) -> BTreeSet<Need>;

    /// The rules whose breach it can show.
    fn covers(&self) -> BTreeSet<RuleId>;

    /// The case as a host program for a device.
    fn lower(&self, device: &DeviceInfo) -> Self::Lowered;

    /// Every rule that a run broke. `run` is the number that the run's tokens name.
    fn check(&self, lowered: &Self::Lowered, record: &Record, run: u32) -> Vec<Violation>;

    /// A smaller case that `judge` finds failing, too. `told` hears of each case that is kept.
    fn shrink(self, judge: Judge<'_, Self>, told: Told<'_, Self>) -> Shrunk<Self>;

    /// The case as one C program for a device; where it `asks`, with questions to its objects
    /// ([`crate::host::answers`]).
    fn to_c(&self, device: &DeviceInfo, asks: bool) -> String;

    /// The case as text. Reading it gives the same case.
    fn write(&self) -> String;

    /// The case in a text.
    ///
    /// # Errors
    /// One sentence that says what is wrong, and where.
    fn read(text: &str) -> Result<Self, String>;
}

/// The `kind:` that a file says, among the entries that begin its lines.
pub fn kind_of(text: &str) -> Option<&str> {
    let kind = text.lines().find_map(|line| line.strip_prefix("kind:"))?;
    let kind = kind.split('#').next().unwrap_or_default();
    Some(kind.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api;
    use crate::commands::check::Plan;
    use crate::kernels::case::KernelCase;

    #[test]
    fn a_file_says_its_kind_at_the_beginning_of_a_line() {
        assert_eq!(
            kind_of("# a finding\nkind: api # of calls\nneeds: []\n"),
            Some("api")
        );
        assert_eq!(kind_of("objects:\n- kind: buffer\n"), None);
        assert_eq!(kind_of("about: a kind: of\n"), None);
        assert_eq!(kind_of(""), None);
    }

    /// What holds of every family: text reads as what was written and says its kind, what a seed generates is the
    /// same again, and the names of no family generate nothing.
    fn keeps_its_promises<F: Family + PartialEq + std::fmt::Debug>(names: &[&str], foreign: &str) {
        for name in names {
            for seed in 0..4 {
                let case = F::generate(name, seed).expect("a case of the family");
                assert_eq!(
                    F::generate(name, seed).as_ref(),
                    Some(&case),
                    "{name} {seed}"
                );
                let text = case.write();
                assert_eq!(kind_of(&text), Some(F::KIND), "{text}");
                assert_eq!(F::read(&text), Ok(case.clone()), "{text}");
                assert!(!case.covers().is_empty(), "{name} {seed}");
                let lowered = case.lower(&DeviceInfo::unknown());
                let program: &HostProgram = lowered.as_ref();
                assert!(!program.threads.is_empty(), "{name} {seed}");
                // A run of which nothing was observed breaks nothing.
                let nothing = Record::default();
                assert_eq!(case.check(&lowered, &nothing, 0), [], "{name} {seed}");
            }
        }
        assert!(F::generate(foreign, 0).is_none());
        assert!(F::read("kind: none\n").is_err());
    }

    #[test]
    fn cases_of_every_language_are_families() {
        keeps_its_promises::<api::Case>(&["api/errors", "api/threads", "svm/free"], "queue/random");
        keeps_its_promises::<KernelCase>(
            &["ndrange/ids", "svm/crowd", "image/transfer", "enqueue/tree"],
            "queue/random",
        );
        keeps_its_promises::<Plan>(&["queue/random", "memory/maps", "svm/fine"], "api/errors");
    }

    #[test]
    fn a_file_of_one_family_is_none_of_another() {
        let program = Plan::generate("queue/random", 1).expect("a program");
        let case = api::Case::generate("api/again", 1).expect("a case");
        let kernel = KernelCase::generate("ndrange/ids", 1).expect("a case");
        assert!(KernelCase::read(&program.write()).is_err());
        assert!(KernelCase::read(&case.write()).is_err());
        assert!(Plan::read(&kernel.write()).is_err());
        assert!(api::Case::read(&kernel.write()).is_err());
        assert!(api::Case::read(&program.write()).is_err());
        assert!(Plan::read(&case.write()).is_err());
    }
}
