//! Faults: the rules that Touchstone itself can be told to break, one at a time, so that a test suite
//! can be seen to detect that.
//!
//! `TOUCHSTONE_FAULTS=id,id…` names them; [`ROWS`], a part of the catalogue, has them all. The variable
//! is read once, when the platform is first asked for ([`read_environment`]); a name that is none leaves
//! no platform, because a run that was to have a fault and had none says nothing. Without the variable a
//! fault costs one relaxed load where it is asked for, and the executors ask once a launch.
//!
//! The crates of the runtime ask `on(Fault::…)` at the one place that keeps the rule. Nothing here
//! depends on them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use classay_faults::{Carrier, Entry};

pub use classay_faults::TouchstoneFault as Fault;
pub use classay_faults::touchstone::ROWS;

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
        && ROWS
            .iter()
            .any(|row| row.shows.needs_weak_memory() && fault(row).is_some_and(on))
}

/// The fault of a row.
fn fault(row: &Entry) -> Option<Fault> {
    match row.carrier {
        Carrier::Touchstone(fault) => Some(fault),
        Carrier::Call(_) | Carrier::Source(_) | Carrier::Capability(_) => None,
    }
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
        let row = ROWS.iter().find(|row| row.id == id);
        faults.push(row.and_then(fault).ok_or_else(|| id.to_owned())?);
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
        let alike = ROWS.iter().map(|row| row.id);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_fits_the_set() {
        let faults = ROWS.iter().filter_map(fault);
        assert!(faults.map(|fault| fault as usize).max() < Some(64 * WORDS));
    }

    #[test]
    fn a_name_that_is_none_is_reported_and_turns_nothing_on() {
        assert_eq!(
            turn_on_list("local-shared, local-shraed"),
            Err("local-shraed".into())
        );
        assert!(!any());
        assert_eq!(turn_on_list(" ,, "), Ok(()));
        assert!(resemble("map-stale", "stale-map"));
    }
}
