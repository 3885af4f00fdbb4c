//! Faults: the rules that Touchstone can be told to break, one at a time, so that a test suite
//! can be seen to find that.
//!
//! `TOUCHSTONE_FAULTS=id,id…` names them; [`TABLE`] has them all. The variable is read once, when
//! the platform is first asked for ([`read_environment`]); a name that is none leaves no platform,
//! because a run that was to have a fault and had none says nothing. Without the variable a
//! fault costs one relaxed load where it is asked for, and the executors ask once a launch.
//!
//! The crates of the runtime ask `on(Fault::…)` at the one place that keeps the rule. Nothing here
//! depends on them.

mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use table::{Fault, TABLE};

/// What there is to know about a fault.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The fault.
    pub fault: Fault,
    /// Its name in the environment.
    pub id: &'static str,
    /// The class of bugs of real runtimes that it is an example of.
    pub class: Option<u8>,
    /// The rules that it breaks, separated by blanks, the main one first; none for what
    /// breaks none.
    pub rules: &'static str,
    says: &'static str,
}

impl Entry {
    /// One sentence that says what it does.
    pub fn says(&self) -> &'static str {
        self.says.trim()
    }
}

/// Words of the set.
const WORDS: usize = 4;

static ANY: AtomicBool = AtomicBool::new(false);
static SET: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];

/// Whether the runtime is to break a rule in this way.
#[inline(always)]
pub fn on(fault: Fault) -> bool {
    ANY.load(Ordering::Relaxed) && is_set(fault)
}

/// Whether there is any fault.
#[inline(always)]
pub fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

#[cold]
fn is_set(fault: Fault) -> bool {
    let number = fault as usize;
    SET[number / 64].load(Ordering::Relaxed) & (1 << (number % 64)) != 0
}

/// Whether memory is to be weak: for its own sake, or because a fault needs that to be seen.
pub fn is_weak() -> bool {
    any()
        && TABLE
            .iter()
            .any(|entry| entry.fault.is_weak() && on(entry.fault))
}

/// Turns a fault on, for the rest of the process.
pub fn turn_on(fault: Fault) {
    let number = fault as usize;
    SET[number / 64].fetch_or(1 << (number % 64), Ordering::Relaxed);
    ANY.store(true, Ordering::Relaxed);
}

/// Turns on the faults that a list names, separated by commas; white space is ignored. If one of
/// the names is none, no fault is turned on.
///
/// # Errors
/// The first name that is none.
pub fn turn_on_list(list: &str) -> Result<(), String> {
    let names = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    let mut faults = Vec::new();
    for id in names {
        let entry = TABLE.iter().find(|entry| entry.id == id);
        faults.push(entry.ok_or_else(|| id.to_owned())?.fault);
    }
    faults.into_iter().for_each(turn_on);
    Ok(())
}

/// Turns on what `TOUCHSTONE_FAULTS` names; for the caller to do once, before anything else.
///
/// # Errors
/// A sentence that says which name is none.
pub fn read_environment() -> Result<(), String> {
    let Some(list) = std::env::var_os("TOUCHSTONE_FAULTS") else {
        return Ok(());
    };
    turn_on_list(&list.to_string_lossy()).map_err(|id| {
        let alike = TABLE.iter().map(|entry| entry.id);
        let alike: Vec<_> = alike.filter(|known| resemble(known, &id)).collect();
        let hint = if alike.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {}?", alike.join(", "))
        };
        format!("TOUCHSTONE_FAULTS names `{id}`, which is no fault, so there is no platform.{hint}")
    })
}

/// Whether two names have a word in common.
fn resemble(known: &str, given: &str) -> bool {
    let mut words = given.split('-').filter(|word| word.len() > 3);
    words.any(|word| known.split('-').any(|part| part == word))
}

/// The table as text, one fault a line: name, rules separated by blanks, class of bugs or
/// nothing, `weak` where memory has to be weak for it to be seen or nothing, sentence; separated by
/// tabs.
pub fn listing() -> String {
    let lines = TABLE.iter().map(|entry| {
        let class = entry.class.map_or(String::new(), |class| class.to_string());
        let (id, rules, says) = (entry.id, entry.rules, entry.says());
        let memory = if entry.fault.is_weak() { "weak" } else { "" };
        format!("{id}\t{rules}\t{class}\t{memory}\t{says}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_fits_the_set() {
        assert!(TABLE.len() <= 64 * WORDS, "{}", TABLE.len());
        for (number, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.fault as usize, number);
        }
    }

    #[test]
    fn names_are_unique_and_sentences_are_sentences() {
        let ids: HashSet<_> = TABLE.iter().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), TABLE.len());
        for entry in TABLE {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(entry.id.chars().all(plain), "{}", entry.id);
            assert!(entry.says().ends_with('.'), "{}", entry.says());
            assert!(
                entry
                    .rules
                    .split(' ')
                    .all(|rule| rule.is_empty() || rule.contains('.'))
            );
            assert_eq!(entry.rules.is_empty(), entry.fault == Fault::Weak);
            assert!(entry.class.is_none_or(|class| (1..=33).contains(&class)));
        }
    }

    #[test]
    fn a_name_that_is_none_is_told_and_turns_nothing_on() {
        assert_eq!(
            turn_on_list("map-stale, map-stael"),
            Err("map-stael".into())
        );
        assert!(!any());
        assert_eq!(turn_on_list(" ,, "), Ok(()));
        assert!(resemble("map-stale", "stale-map"));
    }

    #[test]
    fn a_line_has_five_parts() {
        assert!(listing().lines().all(|line| line.split('\t').count() == 5));
        assert_eq!(listing().lines().count(), TABLE.len());
    }
}
