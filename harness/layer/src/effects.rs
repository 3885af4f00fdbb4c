//! Which named faults would make a difference to what a program does.
//!
//! The file of [`classay_faults::effects`] counts, for each named fault, how often it could act so far: a fault of
//! kernel sources on a source or a module that it would change, a fault of API calls on a call of one of its entry
//! points.
//!
//! While faults of calls are active, sources are not looked at, and faults that wait for an
//! [occasion](is_occasional), as a command that fails, are counted when it comes and they
//! act, not at every call: so a fault that never finds one differs from one that acts undetected.

use crate::library::Entry;
use crate::shared::lock;
use classay_faults::effects::{VARIABLE, bytes};
use classay_faults::{ApiViolation, Carrier, SourceMutation, all};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// The counts of the file, and for each entry point the faults that act at it.
struct Effects {
    /// Relaxed, for the reader looks when the program waits for it.
    counts: &'static [AtomicU64],
    at: Vec<Vec<usize>>,
    /// Those of them that wait for no occasion.
    at_once: Vec<Vec<usize>>,
}

impl Effects {
    fn add(&self, fault: usize) {
        if let Some(count) = self.counts.get(fault) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn effects() -> Option<&'static Effects> {
    static EFFECTS: OnceLock<Option<Effects>> = OnceLock::new();
    let effects = EFFECTS.get_or_init(|| {
        let count = all().count();
        let memory = crate::shared::named_by(VARIABLE, bytes(count))?;
        // SAFETY: so many words of a mapping that stays, at the begin of a page; they are used as atomics only.
        let counts = unsafe { std::slice::from_raw_parts(memory.as_ptr().cast(), count) };
        let mut at = vec![Vec::new(); Entry::all().count()];
        let mut at_once = at.clone();
        for (number, fault) in all().enumerate() {
            let Carrier::Call(violation) = fault.carrier else {
                continue;
            };
            let waits = is_occasional(violation);
            for entry in fault.places().filter_map(Entry::find) {
                if let Some(faults) = at.get_mut(entry.index()) {
                    faults.push(number);
                }
                if let Some(faults) = at_once.get_mut(entry.index()).filter(|_| !waits) {
                    faults.push(number);
                }
            }
        }
        Some(Effects {
            counts,
            at,
            at_once,
        })
    });
    effects.as_ref()
}

/// A call is made; `broken` where faults are active.
pub(crate) fn of_call(entry: Entry, broken: bool) {
    let Some(effects) = effects() else { return };
    let at = if broken {
        &effects.at_once
    } else {
        &effects.at
    };
    for &fault in at.get(entry.index()).into_iter().flatten() {
        effects.add(fault);
    }
}

/// A fault that waits for an occasion acts.
pub(crate) fn of_act(violation: ApiViolation) {
    let Some(effects) = effects() else { return };
    numbers(Carrier::Call(violation)).for_each(|fault| effects.add(fault));
}

/// A program is created from a source.
pub(crate) fn of_source(source: &[u8], changes: impl Fn(SourceMutation, &[u8]) -> bool) {
    let Some(effects) = effects() else { return };
    /// What sources were found to be changed by, by their hash.
    static KNOWN: Mutex<Option<HashMap<u64, Vec<usize>>>> = Mutex::new(None);
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    // An entry is made at once when it is known, so the map is whole whenever its lock is free.
    let mut known = lock(&KNOWN);
    let changed = known
        .get_or_insert_default()
        .entry(hasher.finish())
        .or_insert_with(|| {
            let mutated = |carrier| matches!(carrier, Carrier::Source(m) if changes(m, source));
            let numbered = all().enumerate();
            let changed = numbered.filter(|(_, fault)| mutated(fault.carrier));
            changed.map(|(number, _)| number).collect()
        });
    changed.iter().for_each(|&fault| effects.add(fault));
}

/// A program is created from a module, which differs under the fault of modules or does not.
pub(crate) fn of_module(differs: impl FnOnce() -> bool) {
    let Some(effects) = effects() else { return };
    if differs() {
        let carrier = Carrier::Source(SourceMutation::IlAddition);
        numbers(carrier).for_each(|fault| effects.add(fault));
    }
}

/// The places in the catalogue of the faults that one hook makes.
fn numbers(carrier: Carrier) -> impl Iterator<Item = usize> {
    let numbered = all().enumerate();
    numbered
        .filter(move |(_, fault)| fault.carrier == carrier)
        .map(|(number, _)| number)
}

/// Whether it takes more than a call of an entry point: a failure, or several of something. What acts
/// then says so itself (`Call::does`).
fn is_occasional(violation: ApiViolation) -> bool {
    matches!(
        violation,
        ApiViolation::CallbackFailureLost
            | ApiViolation::CallbackTwiceOnFailure
            | ApiViolation::WaitHidesFailure
            | ApiViolation::WaitEndsAtFailure
            | ApiViolation::WaitWrongError
            | ApiViolation::OffsetWithoutLocal
            | ApiViolation::FailureHidden
            | ApiViolation::FailureWrongStatus
            | ApiViolation::FailureNotPropagated
            | ApiViolation::FailureCompletes
            | ApiViolation::FailureWrongCode
            | ApiViolation::OverReleaseAborts
            | ApiViolation::BuiltInsFirst
            | ApiViolation::CallbackUserLost
            | ApiViolation::ParentEarly
            | ApiViolation::ReleaseInCallbackLost
            | ApiViolation::WaitsAfter64Dropped
            | ApiViolation::WaitsAfter255Dropped
            | ApiViolation::WaitAfter64Ignored
            | ApiViolation::WaitsLostAtOnce
            | ApiViolation::LargeInParts
            | ApiViolation::LargeRestLost
            | ApiViolation::ShortAtEnd
            | ApiViolation::StatusShared
            | ApiViolation::SetAtOnceLost
            | ApiViolation::SubBufferSecond
            | ApiViolation::PendingForgotten
    )
}
