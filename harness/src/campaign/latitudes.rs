//! Which cases fail where Touchstone takes the freedoms of the specification: none may.
//!
//! Each latitude is taken alone, in the worst legal way, and the cases of a run are played under it with several
//! seeds. A case that fails so takes a freedom for a fault.

use super::terms::surroundings;
use crate::Error;
use crate::interrupt::Interrupt;
use crate::run::{Run, Summary};
use crate::threads::{lock, side_by_side};
use crate::worker::session::Breakage;
use classay_faults::LatitudeEntry;
use classay_reports::record::{CaseResult, Verdict};
use std::sync::Mutex;

/// Runs under latitudes.
pub struct Latitudes<'a> {
    /// What is taken, one after the other.
    pub latitudes: &'a [&'static LatitudeEntry],
    /// With which seeds.
    pub seeds: &'a [u64],
    /// What is run, but for its seed and what is taken.
    pub run: &'a Run,
    /// Runs at once.
    pub jobs: usize,
    /// Ends it.
    pub interrupt: &'a Interrupt,
}

/// One run under a latitude.
pub struct Taken {
    /// What was taken.
    pub latitude: &'static LatitudeEntry,
    /// The seed of the cases.
    pub seed: u64,
    /// What the cases showed.
    pub summary: Summary,
}

impl Taken {
    /// The cases that failed, crashed or timed out.
    pub fn failures(&self) -> impl Iterator<Item = &CaseResult> {
        let results = self.summary.results.iter();
        results.filter(|result| result.verdict.is_failure())
    }

    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.summary.count(Verdict::Pass)
    }
}

impl Latitudes<'_> {
    /// Does it. `settled` hears of each run as it ends.
    ///
    /// # Errors
    ///
    /// As [`Run::begin`], the device is gone, or the user interrupted.
    pub fn run(
        &self,
        notify: &(dyn Fn(&str) + Sync),
        settled: &(dyn Fn(&Taken) + Sync),
    ) -> Result<(), Error> {
        let seeds = self.seeds.iter();
        let of_seed = |seed| self.latitudes.iter().map(move |latitude| (*latitude, seed));
        let waiting = Mutex::new(seeds.flat_map(|seed| of_seed(*seed)));
        side_by_side(self.jobs, |_, stopped| {
            while !stopped() {
                let Some((latitude, seed)) = lock(&waiting).next() else {
                    break;
                };
                let run = Run {
                    seed: Some(seed),
                    breakage: Breakage {
                        latitude: Some(latitude.id.to_string()),
                        surroundings: surroundings(&self.run.device),
                        ..self.run.breakage.clone()
                    },
                    ..self.run.clone()
                };
                let mut active = run.begin(self.interrupt, notify)?;
                active.go(&mut ())?;
                settled(&Taken {
                    latitude,
                    seed,
                    summary: active.close().into(),
                });
            }
            Ok(())
        })
    }
}
