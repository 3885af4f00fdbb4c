//! The faults that the environment names.
//!
//! `CLASSAY_LAYER_FAULTS` is a list of names, separated by commas; white space is ignored. It is read when an
//! instance is created, and its faults are those of the instance and its devices. A name that is none leaves no
//! instance: a fault that silently does not happen would make a test that cannot fail. `list` prints all faults on
//! standard error and ends the process with 0.

use crate::say;
use classay_faults::vulkan::{ROWS, find};
use classay_faults::{VulkanEntry, VulkanFault};
use std::env::VarError;
use std::fmt::Write;

/// The variable that lists the faults.
pub const VARIABLE: &str = "CLASSAY_LAYER_FAULTS";

/// Faults that act together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults(Vec<VulkanFault>);

impl Faults {
    /// The faults of a list.
    ///
    /// # Errors
    /// A sentence that says which name is none, and where the names are.
    pub fn named(list: &str) -> Result<Faults, String> {
        let names = list.split(',').map(str::trim).filter(|id| !id.is_empty());
        let faults: Result<Vec<_>, String> = names.map(fault).collect();
        faults.map(Faults)
    }

    /// The faults of the environment.
    ///
    /// # Errors
    /// A sentence, as those of [`Faults::named`].
    pub(crate) fn of_environment() -> Result<Faults, String> {
        let list = match std::env::var(VARIABLE) {
            Ok(list) => list,
            Err(VarError::NotPresent) => String::new(),
            Err(VarError::NotUnicode(_)) => return Err(format!("{VARIABLE} is not valid UTF-8")),
        };
        if list.trim() == "list" {
            say::text(&listing());
            // SAFETY: `_exit` takes any code and runs nothing of this process any more.
            unsafe { libc::_exit(0) };
        }
        Faults::named(&list)
    }

    /// Whether a fault is one of them.
    pub fn has(&self, fault: VulkanFault) -> bool {
        self.0.contains(&fault)
    }

    /// All of them, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = VulkanFault> {
        self.0.iter().copied()
    }
}

fn fault(id: &str) -> Result<VulkanFault, String> {
    find(id).map(|row| row.fault).ok_or_else(|| {
        format!(
            "{VARIABLE} names '{id}', which is no fault of Vulkan, so there is no instance; \
             {VARIABLE}=list prints every fault"
        )
    })
}

/// All faults, for people.
pub fn listing() -> String {
    let mut text = String::from("faults, separated by commas:\n");
    for row in ROWS {
        let VulkanEntry { id, sentence, .. } = row;
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {id}");
        let _ = writeln!(text, "      breaks:  {sentence}");
        let _ = writeln!(text, "      section: {}", row.section);
        let _ = writeln!(text, "      rules:   {}", row.rules.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_faults_and_nothing_else() {
        assert_eq!(Faults::named(""), Ok(Faults::default()));
        let faults = Faults::named(" drop-flush, weaken-release,").expect("two faults");
        let both = [VulkanFault::DropFlush, VulkanFault::WeakenRelease];
        assert_eq!(faults.iter().collect::<Vec<_>>(), both);
        assert!(faults.has(VulkanFault::DropFlush) && !faults.has(VulkanFault::DropInvalidate));
        let refused = Faults::named("drop-flush,drop-flsh").expect_err("no such fault");
        assert!(refused.contains("'drop-flsh'") && refused.contains("CLASSAY_LAYER_FAULTS=list"));
    }

    #[test]
    fn the_listing_has_every_fault() {
        let text = listing();
        for row in ROWS {
            assert!(text.contains(row.id) && text.contains(row.sentence));
            assert_eq!(Faults::named(row.id), Ok(Faults(vec![row.fault])));
        }
    }
}
