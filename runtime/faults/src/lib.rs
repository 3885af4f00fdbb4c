//! What Touchstone itself can be told to do: faults, the rules that it breaks, one at a time, so that a test suite
//! can be seen to detect that; and latitudes, the freedoms of the specification that it takes in the worst
//! legal way, so that a test suite can be seen to let them pass.
//!
//! `TOUCHSTONE_FAULTS=id,id…` and `TOUCHSTONE_LATITUDE=id,id…` name them; [`ROWS`] and [`LATITUDES`], parts of the
//! catalogue, have them all. The variables are read once, when the platform is first asked for
//! ([`read_environment`]); a name that is none leaves no platform, because a run that was to have one and
//! had none says nothing. Without the variables a switch costs one relaxed load where it is asked for, and the
//! executors ask once a launch.
//!
//! The crates of the runtime ask `on(Fault::…)` at the one place that keeps the rule, and `takes(Latitude::…)` where
//! the specification leaves the choice. Nothing here depends on them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use classay_faults::{Carrier, Entry, LatitudeEntry};

pub use classay_faults::TouchstoneFault as Fault;
pub use classay_faults::latitudes::{Latitude, ROWS as LATITUDES};
pub use classay_faults::touchstone::ROWS;

/// Words of a set.
const WORDS: usize = 4;

/// Numbers below 64 × [`WORDS`].
struct Set([AtomicU64; WORDS]);

impl Set {
    const fn new() -> Set {
        Set([const { AtomicU64::new(0) }; WORDS])
    }

    #[cold]
    fn has(&self, number: usize) -> bool {
        self.0[number / 64].load(Ordering::Relaxed) & (1 << (number % 64)) != 0
    }

    fn add(&self, number: usize) {
        self.0[number / 64].fetch_or(1 << (number % 64), Ordering::Relaxed);
        ANY.store(true, Ordering::Relaxed);
    }
}

static ANY: AtomicBool = AtomicBool::new(false);
static FAULTS: Set = Set::new();
static TAKEN: Set = Set::new();

/// Whether the runtime is to break a rule in this way.
#[inline(always)]
pub fn on(fault: Fault) -> bool {
    any() && FAULTS.has(fault as usize)
}

/// Whether the runtime is to take this freedom.
#[inline(always)]
pub fn takes(latitude: Latitude) -> bool {
    any() && TAKEN.has(latitude as usize)
}

/// The freedoms that the runtime takes.
pub fn taken() -> impl Iterator<Item = &'static LatitudeEntry> {
    LATITUDES.iter().filter(|row| takes(row.latitude))
}

/// Whether there is any fault or latitude.
#[inline(always)]
pub fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// The fault of a row.
fn fault(row: &Entry) -> Option<Fault> {
    match row.carrier {
        Carrier::Touchstone(fault) => Some(fault),
        Carrier::Call(_) | Carrier::Source(_) | Carrier::Capability(_) => None,
    }
}

/// Turns the fault of a row on, for the rest of the process, with the latitudes that it takes to be seen.
fn turn_on(row: &Entry) {
    if let Some(fault) = fault(row) {
        FAULTS.add(fault as usize);
    }
    let weak = row
        .shows
        .needs_weak_memory()
        .then_some(Latitude::WeakMemory);
    row.upon.into_iter().chain(weak).for_each(take);
}

/// Takes a freedom, for the rest of the process.
fn take(latitude: Latitude) {
    TAKEN.add(latitude as usize);
}

/// The rows that a list names, separated by commas; white space is ignored.
///
/// # Errors
/// The first name that is none.
fn named<'a, R>(
    list: &'a str,
    rows: &'static [R],
    id_of: fn(&R) -> &str,
) -> Result<Vec<&'static R>, &'a str> {
    let names = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    names
        .map(|id| rows.iter().find(|row| id_of(row) == id).ok_or(id))
        .collect()
}

/// The rows that a variable of the environment names; `what` is what its names are.
///
/// # Errors
/// A sentence that says which name is none.
fn asked<R>(
    variable: &str,
    what: &str,
    rows: &'static [R],
    id_of: fn(&R) -> &str,
) -> Result<Vec<&'static R>, String> {
    let Some(list) = std::env::var_os(variable) else {
        return Ok(Vec::new());
    };
    named(&list.to_string_lossy(), rows, id_of).map_err(|id| {
        let alike = rows.iter().map(id_of).filter(|known| resemble(known, id));
        let alike: Vec<_> = alike.collect();
        let hint = if alike.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {}?", alike.join(", "))
        };
        format!("{variable} names `{id}`, which is no {what}, so there is no platform.{hint}")
    })
}

/// Turns on what `TOUCHSTONE_FAULTS` and `TOUCHSTONE_LATITUDE` name; for the caller to do once, before anything
/// else.
///
/// # Errors
/// A sentence that says which name is none; then nothing is turned on.
pub fn read_environment() -> Result<(), String> {
    let faults = asked("TOUCHSTONE_FAULTS", "fault", ROWS, |row: &Entry| row.id)?;
    let latitudes = asked(
        "TOUCHSTONE_LATITUDE",
        "latitude",
        LATITUDES,
        |row: &LatitudeEntry| row.id,
    )?;
    faults.into_iter().for_each(turn_on);
    latitudes.into_iter().for_each(|row| take(row.latitude));
    Ok(())
}

/// What is in memory that nobody has written: bytes that differ from each other, and from those of the last time.
pub fn rubbish() -> impl Iterator<Item = u8> {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    static BEGUN: AtomicU64 = AtomicU64::new(STEP);
    let mut state = BEGUN.fetch_add(STEP, Ordering::Relaxed) | 1;
    std::iter::from_fn(move || {
        // Marsaglia's xorshift (2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some((state >> 32) as u8)
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
    fn every_switch_fits_its_set() {
        let faults = ROWS.iter().filter_map(fault).map(|fault| fault as usize);
        let latitudes = LATITUDES.iter().map(|row| row.latitude as usize);
        assert!(faults.chain(latitudes).max() < Some(64 * WORDS));
    }

    #[test]
    fn a_name_that_is_none_is_reported() {
        let ids = |list| named(list, ROWS, |row: &Entry| row.id).map(|rows| rows.len());
        assert_eq!(ids("local-shared, local-shraed"), Err("local-shraed"));
        assert_eq!(ids(" ,, "), Ok(0));
        assert_eq!(ids("local-shared,"), Ok(1));
        assert!(resemble("map-stale", "stale-map"));
    }

    #[test]
    fn a_fault_takes_the_latitude_that_it_needs() {
        let row = ROWS.iter().find(|row| row.id == "acquire-ignored");
        turn_on(row.expect("a fault of the weak machine"));
        assert!(on(Fault::AcquireIgnored) && takes(Latitude::WeakMemory));
        assert!(!on(Fault::ReleaseIgnored));
    }
}
