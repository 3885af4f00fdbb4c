//! What the oracle says of generated programs, on all processors.

use super::canonical::{Canonical, canonical};
use super::{Class, Error};
use crate::oracle::{Limits, Model, Readings, Standing, judge};
use crate::program::Program;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the oracle says of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    pub class: Class,
    /// In every reading some consistent execution has the outcome.
    pub allowed: bool,
}

/// Judges programs; each canonical form once.
pub(super) struct Judge<'m> {
    readings: Readings<'m>,
    sc: &'m Model,
    /// What was said so far. A verdict is a function of the form, so it does not matter who asks
    /// first.
    known: Mutex<HashMap<Canonical, Verdict>>,
}

impl<'m> Judge<'m> {
    pub fn new(readings: impl Into<Readings<'m>>, sc: &'m Model) -> Judge<'m> {
        Judge {
            readings: readings.into(),
            sc,
            known: Mutex::new(HashMap::new()),
        }
    }

    /// The form of a program that asks whether its outcome exists, and what the oracle says.
    pub fn judge(&self, program: &Program) -> Result<(Canonical, Verdict), Error> {
        let form = canonical(program);
        let verdict = self.verdict(program, &form)?;
        Ok((form, verdict))
    }

    /// As [`Judge::judge`], where the form is known.
    pub fn verdict(&self, program: &Program, form: &Canonical) -> Result<Verdict, Error> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(verdict) = known().get(form) {
            return Ok(*verdict);
        }
        let failure = |error| Error {
            name: program.name.clone(),
            error,
        };
        let limits = Limits::default();
        let ask = |model: &Model| judge(program, model, &limits).map_err(failure);
        let said = self.readings.ask(|judgement| judgement.holds, ask)?;
        let class = match said.standing(|judgement| judgement.holds) {
            Standing::Undefined => Class::Racy,
            Standing::Forbidden => Class::Conformance,
            Standing::Contested => Class::Contested,
            Standing::Allowed if ask(self.sc)?.holds => Class::Sc,
            Standing::Allowed => Class::Weak,
        };
        let allowed = said.allowed.holds;
        let verdict = Verdict { class, allowed };
        known().insert(form.clone(), verdict);
        Ok(verdict)
    }
}

/// Does `work` for each item on `workers` threads; the results are in the order of the items, so
/// they do not depend on how many threads there are.
pub(super) fn in_parallel<T: Sync, R: Send>(
    workers: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        // Relaxed: the counter hands out numbers and nothing else; the results are handed over by
        // the threads' ends.
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            done.push((at, work(item)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
