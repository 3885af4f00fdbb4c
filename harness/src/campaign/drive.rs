//! The whole campaign: every fault in turn, in rounds, on several workers at once.
//!
//! In the first round each fault gets a short time, with the cases that have most to do with it. What
//! is left alive shares what is left of the budget in the next, and goes on where it stopped: so a
//! fault that shows at once costs little, and one that shows seldom gets the time that others leave.
//! Where faults of sources or modules outlive the first round, a [survey](super::survey) tells which cases can
//! show them, and which faults none can.
//! The campaign ends with its budget.
//!
//! **Threads.** Each has workers of its own. They share the list of what is still to be done in a
//! round, what is known of the clean device, and what was learned of the cases, each behind a lock.

use super::clean::{Clean, Known};
use super::hunt::Hunt;
use super::list::{CarrierKind, WEAK};
use super::order::Learned;
use super::survey::{Seen, Survey};
use super::terms::{Campaign, surroundings};
use super::weaken::Noticing;
use super::{Fault, Found};
use crate::device::Library;
use crate::threads::{lock, side_by_side, unlock};
use crate::worker::protocol;
use crate::worker::session::{Breakage, Session, Stop};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What part of the time that is left a round takes.
const ROUNDS: [f64; 3] = [0.4, 0.5, 0.9];

/// The shortest time for a fault in a round, in seconds.
const LEAST: f64 = 0.2;

/// What part of the budget a single fault of many gets at most that the device is not known to show, or breaks
/// by itself; of few, each gets its share.
const MOST: f64 = 0.05;

/// What part of the budget the survey takes at most.
const SURVEY: f64 = 0.15;

impl Campaign<'_> {
    /// Does it. `settled` hears of each fault when nothing more will be found out about it.
    ///
    /// # Errors
    ///
    /// No worker opens the device any more, or the user interrupted.
    pub fn run(&self, settled: &(dyn Fn(&Fault, &Found) + Sync)) -> Result<Vec<Found>, Stop> {
        let deadline = Instant::now() + self.budget;
        let results: Mutex<Vec<Option<Found>>> = Mutex::new(vec![None; self.faults.len()]);
        let settle = |hunt: &Hunt<'_>, found: Found| {
            settled(hunt.fault, &found);
            lock(&results)[hunt.number] = Some(found);
        };
        let session =
            Session::open_broken(self.selector, &self.whole(false), None, self.interrupt)?;
        let device = session.known().clone();
        session.close();
        // Of the device as it is, and of the one whose memory is weak.
        let known: [Known; 2] = Default::default();
        let learned = Learned::default();
        let noticing = Noticing::of(self.cases, self.terms.model);
        let faults = self.faults.iter().enumerate();
        let mut alive: Vec<Hunt<'_>> = faults
            .map(|(n, fault)| {
                let (tests, noticing) = (self.power.tests(fault), noticing.places(fault));
                Hunt::new(fault, n, self.cases, &tests, noticing)
            })
            .collect();
        for round in 0.. {
            let left = deadline
                .saturating_duration_since(Instant::now())
                .as_secs_f64();
            if alive.is_empty() || left <= 0.0 {
                break;
            }
            let part = ROUNDS.get(round).copied().unwrap_or(0.9);
            let share = left * self.jobs as f64 / alive.len() as f64 * part;
            let slice = Duration::from_secs_f64(share.max(LEAST));
            if round == 1 {
                alive = self.survey(alive, &device, deadline, &settle)?;
            }
            alive = self.round(
                alive,
                &device,
                (slice, deadline),
                (&known, &learned),
                &settle,
            )?;
            alive.retain(|hunt| {
                let over = self.left(hunt).is_zero();
                if over {
                    settle(hunt, hunt.given_up());
                }
                !over
            });
        }
        for hunt in &alive {
            settle(hunt, hunt.given_up());
        }
        let results = unlock(results);
        Ok(results.into_iter().flatten().collect())
    }

    /// Tells the hunts which cases can show their faults; those that are left.
    fn survey<'h>(
        &self,
        mut hunts: Vec<Hunt<'h>>,
        device: &protocol::Known,
        deadline: Instant,
        settle: &(dyn Fn(&Hunt<'h>, Found) + Sync),
    ) -> Result<Vec<Hunt<'h>>, Stop> {
        let of_layer = |hunt: &&Hunt<'_>| match hunt.fault.kind() {
            CarrierKind::Source | CarrierKind::Module => true,
            // What calls it needs is known; what it needs of the device, from the cases that are skipped.
            CarrierKind::Call | CarrierKind::Capability => !hunt.fault.needs.is_empty(),
            CarrierKind::Touchstone => false,
        };
        let faults: Vec<&Fault> = hunts.iter().filter(of_layer).map(|h| h.fault).collect();
        if faults.is_empty() {
            return Ok(hunts);
        }
        let until = (Instant::now() + self.budget.mul_f64(SURVEY)).min(deadline);
        let survey = Survey::take(self, &faults, device, until)?;
        hunts.retain_mut(|hunt| {
            let lacks = survey.missing(hunt.fault);
            if lacks.is_empty() {
                hunt.learn(&survey);
                return true;
            }
            let found = Found::NotApplicable {
                lacks: lacks.iter().map(|need| (*need).to_string()).collect(),
                cases: survey.cases() as u64,
            };
            settle(hunt, found);
            false
        });
        Ok(hunts)
    }

    /// Gives each fault so much time; what is still alive.
    fn round<'h>(
        &self,
        hunts: Vec<Hunt<'h>>,
        device: &protocol::Known,
        (slice, deadline): (Duration, Instant),
        (known, learned): (&[Known; 2], &Learned<'h>),
        settle: &(dyn Fn(&Hunt<'h>, Found) + Sync),
    ) -> Result<Vec<Hunt<'h>>, Stop> {
        let waiting = Mutex::new(hunts.into_iter());
        let alive = Mutex::new(Vec::new());
        let touchstone = self.selector.library == Library::Touchstone;
        let work = |number: usize, stopped: &dyn Fn() -> bool| -> Result<(), Stop> {
            let seen = Seen::new(number)?;
            let open = |weak: bool| {
                let whole = self.whole(weak);
                Session::open_broken(self.selector, &whole, Some(device), self.interrupt)
            };
            let (strong, weak) = (|| open(false), || open(true));
            let mut cleans = [Clean::new(&strong, &known[0]), Clean::new(&weak, &known[1])];
            loop {
                let next = lock(&waiting).next();
                let Some(mut hunt) = next else { break };
                let begun = Instant::now();
                if begun >= deadline || stopped() {
                    lock(&alive).push(hunt);
                    continue;
                }
                let slice = slice.min(self.left(&hunt));
                let until = (begun + slice).min(deadline);
                let broken = hunt.fault.breakage(touchstone);
                let breakage = Breakage {
                    latitude: self.taken(broken.latitude.as_deref()),
                    surroundings: surroundings(self.selector),
                    // What changes programs is known by the survey, and would be looked for once more for each.
                    effects: (hunt.fault.kind() == CarrierKind::Call).then(|| seen.path.clone()),
                    ..broken
                };
                let weak = touchstone && hunt.fault.shows.needs_weak_memory();
                let clean = &mut cleans[usize::from(weak)];
                // A fault inside the device may change what it can do, a spoofed answer what it says of that.
                let device = match hunt.fault.kind() {
                    CarrierKind::Call | CarrierKind::Source | CarrierKind::Module => Some(device),
                    CarrierKind::Capability | CarrierKind::Touchstone => None,
                };
                let opened = Session::open_broken(self.selector, &breakage, device, self.interrupt);
                let found = opened.and_then(|mut session| {
                    hunt.go(
                        (until, deadline),
                        &self.terms,
                        &mut session,
                        clean,
                        (learned, &seen),
                    )
                });
                let found = match found {
                    Ok(found) => found,
                    Err(Stop::NoDevice(why)) => Some(Found::Unopened { why }),
                    Err(stop) => return Err(stop),
                };
                match found {
                    Some(found) => settle(&hunt, found),
                    None => lock(&alive).push(hunt),
                }
            }
            cleans.into_iter().for_each(Clean::close);
            Ok(())
        };
        side_by_side(self.jobs, work)?;
        Ok(unlock(alive))
    }

    /// The time that a hunt may take yet. What the device can show is looked for as long as there is time.
    fn left(&self, hunt: &Hunt<'_>) -> Duration {
        if !hunt.has_cases() {
            return Duration::ZERO;
        }
        let share = self.jobs as f64 / self.faults.len() as f64;
        let part = match self.power.shows(hunt.fault) && !hunt.is_obscured() {
            true => 1.0,
            false => share.clamp(MOST, 1.0),
        };
        let most = self.budget.mul_f64(part);
        most.saturating_sub(Duration::from_secs_f64(hunt.seconds))
    }

    /// The latitudes that are taken with another one, as `TOUCHSTONE_LATITUDE` takes them.
    fn taken(&self, other: Option<&str>) -> Option<String> {
        let all: Vec<&str> = other
            .into_iter()
            .chain(self.latitude.map(|row| row.id))
            .collect();
        (!all.is_empty()).then(|| all.join(","))
    }

    /// Nothing broken.
    fn whole(&self, weak: bool) -> Breakage {
        Breakage {
            latitude: self.taken(weak.then_some(WEAK)),
            surroundings: surroundings(self.selector),
            ..Breakage::default()
        }
    }
}
