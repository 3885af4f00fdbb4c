//! A run that is going on: cases run one after another or beside each other, and each result is kept as soon
//! as its case ends.

use super::alone::{TOGETHER, rounds_of};
use super::beside::{Beside, News};
use super::next::Next;
use super::reach::Covers;
use super::results::Results;
use super::schedule::{Clock, Company, Learned, Pace, TIMES, Until, by_value};
use crate::Error;
use crate::execute::needs::choose_dialect;
use crate::judge::{About, ChosenModel};
use crate::plan::Case;
use crate::threads::lock;
use crate::worker::protocol::Known;
use crate::worker::session::{Limits, Session, Stop};
use classay_litmus::kernel::{Needs, Shape};
use classay_reports::record::{CaseResult, Launch};
use classay_reports::store::{RunStatus, StoreError};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The part of the time of a run of all cases that they share out: what the last of them take, and what comes before
/// the first, is beside it.
const MOST_SHARED: f64 = 0.9;

/// Who is shown a run while it goes on.
pub trait Observer {
    /// The run will end about then.
    fn ends_by(&mut self, _end: Instant) {}

    /// A case begins.
    fn case_begins(&mut self, _case: &Case) {}

    /// The running case launched a kernel, or ran its program a number of times.
    fn launched(&mut self, _case: &Case, _launch: &Launch) {}

    /// A case ended, and its result is kept.
    fn case_ends(&mut self, _result: &CaseResult) {}

    /// No case follows.
    fn run_ends(&mut self) {}
}

/// Shows nothing.
impl Observer for () {}

/// What ended a run before its last case.
#[derive(Debug)]
pub enum Halt {
    /// No device, or the user.
    Stop(Stop),
    /// The store.
    Store(StoreError),
    /// As many failures as the run was to have; it is over then, and nothing is wrong.
    Enough,
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Halt {
        Halt::Store(error)
    }
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Error {
        match halt {
            Halt::Stop(stop) => stop.into(),
            Halt::Store(error) => error.into(),
            Halt::Enough => Error::Bug("the end after some failures is no error".into()),
        }
    }
}

/// A run with its device open and its plan written down.
pub struct Active {
    pub(super) session: Session,
    /// Sessions beside it, for tests that are built beside others.
    pub(super) lanes: Vec<Session>,
    /// Seconds that a fresh worker takes to open the device, once that is known.
    pub(super) opening: Option<f64>,
    /// How long rounds of litmus tests take.
    pub(super) rounds: Learned,
    pub(super) cases: Vec<Case>,
    pub(super) model: ChosenModel,
    pub(super) limits: Limits,
    pub(super) results: Results,
    pub(super) order: Order,
}

/// How the cases of a run follow each other.
pub(super) enum Order {
    /// One after the other, each with the budget that it has.
    Listed,
    /// By what they are worth, so many at once; within these seconds, where there is an end.
    Scheduled {
        /// Cases that may compute at once.
        jobs: usize,
        /// When the run began, its device not yet open.
        begun: Instant,
        /// Seconds from then on that all may take together.
        within: Option<f64>,
        /// The seconds that they share where nothing ends the run.
        shared: Option<f64>,
    },
}

impl Order {
    /// Cases that may compute at once.
    pub(super) fn jobs(&self) -> usize {
        match self {
            Order::Listed => 1,
            Order::Scheduled { jobs, .. } => *jobs,
        }
    }
}

impl Active {
    /// What is known of the device.
    pub fn known(&self) -> &Known {
        self.session.known()
    }

    /// The cases that are still to run.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The results so far.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The device's worker and the model, for what follows a run.
    pub fn session(&mut self) -> (&mut Session, &ChosenModel) {
        (&mut self.session, &self.model)
    }

    /// Runs the cases, and notes in the store how the run ended.
    ///
    /// # Errors
    ///
    /// The device is gone, the user interrupted, or the store failed; what was kept stays.
    pub fn go(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        let ended = match self.all(observer) {
            Err(Halt::Enough) => Ok(()),
            ended => ended,
        };
        observer.run_ends();
        let status = match &ended {
            Ok(()) => RunStatus::Done,
            Err(_) => RunStatus::Interrupted,
        };
        match (ended, self.results.finish(status)) {
            (Ok(()), Ok(())) => match self.order {
                Order::Listed => Ok(()),
                Order::Scheduled { .. } => self
                    .results
                    .reached(&self.cases, &self.model)
                    .map_err(Halt::Store),
            },
            (Ok(()), Err(error)) => Err(Halt::Store(error)),
            (Err(halt), Ok(())) => Err(halt),
            (Err(halt), Err(error)) => {
                // The store's state says "running" then, which resumes just as well.
                tracing::debug!(%error, "the end of the run could not be noted");
                Err(halt)
            }
        }
    }

    fn all(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        let everything = 0..self.cases.len();
        match self.order {
            Order::Listed => everything.into_iter().try_for_each(|at| {
                let rounds = rounds_of(&self.cases[at]);
                self.in_rounds(&[at], (rounds, TOGETHER), None, None, observer)?;
                Ok(())
            }),
            Order::Scheduled {
                jobs,
                begun,
                within,
                shared,
            } => {
                let clock = Clock::new(begun, within);
                if let Some(end) = clock.end() {
                    observer.ends_by(end);
                }
                let (alone, others): (Vec<_>, Vec<_>) =
                    everything.partition(|&at| Company::of(&self.cases[at]) == Company::Alone);
                let all: Vec<&Case> = self.cases.iter().collect();
                let known = Covers::by(&self.model).all(&all);
                let rules = |case: &Case| known.get(&case.id).map(|about| about.rules.clone());
                let rules = |case: &Case| rules(case).unwrap_or_default();
                let by_value = |which, times| by_value(&self.cases, which, times, &rules);
                // What the device lacks is reported at once, and costs nothing; it is about no rule there.
                let apart = |which: Vec<usize>| -> (Vec<usize>, Vec<usize>) {
                    let lacks = |at: &usize| self.is_lacking(*at, known.get(&self.cases[*at].id));
                    which.into_iter().partition(lacks)
                };
                let (lacking, able) = apart(alone);
                let able = by_value(able, 1).places;
                let (first, others) = apart(others);
                let others = by_value(others, TIMES).after(first);
                self.results.know(known);
                let learned = Mutex::default();
                if within.is_none() {
                    // Everything runs to its end. What litmus tests take beyond their share is taken from the
                    // others, which can do with less.
                    let end = |part: f64| {
                        let seconds = shared.map(|shared| shared * part * MOST_SHARED);
                        seconds.map(|seconds| begun + Duration::from_secs_f64(seconds))
                    };
                    let part = able.len() as f64 / self.cases.len().max(1) as f64;
                    self.in_rounds(&lacking, (1, TOGETHER), None, None, observer)?;
                    self.alone(&able, end(part), None, observer)?;
                    let others = Mutex::new(Next::in_order(&others.places));
                    return self.beside(&others, jobs, (None, end(1.0)), &learned, observer);
                }
                let next = Next::by_time(&self.cases, &others.places, others.about_rules);
                let others = Mutex::new(next);
                let until = match able.is_empty() {
                    true => clock.whole(),
                    false => clock.beside(),
                };
                let (from, planned) = (Instant::now(), lock(&others).left());
                let paced = match able.is_empty() {
                    true => until.map(|until| until.last_begin),
                    false => clock.beside_of(planned, able.len()),
                };
                self.beside(&others, jobs, (until, paced), &learned, observer)?;
                let left = lock(&others).left();
                let longer = clock.beside_to_the_end(from.elapsed(), (planned, left));
                if let Some((until, paced)) = longer.filter(|_| !able.is_empty()) {
                    let times = (Some(until), Some(paced));
                    self.beside(&others, jobs, times, &learned, observer)?;
                }
                let until = clock.whole();
                let paced = until.map(|until| until.last_begin);
                self.in_rounds(&lacking, (1, TOGETHER), None, until, observer)?;
                self.alone(&able, paced, until, observer)?;
                // What there is time for of those that were not reached.
                if let Some(until) = until {
                    let paced = Some(until.last_begin);
                    self.beside(&others, jobs, (Some(until), paced), &learned, observer)?;
                }
                Ok(())
            }
        }
    }

    /// Runs cases beside each other.
    fn beside(
        &mut self,
        next: &Mutex<Next>,
        jobs: usize,
        (until, paced): (Option<Until>, Option<Instant>),
        learned: &Mutex<Learned>,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let expectations = self.results.expectations().clone();
        let beside = Beside {
            expectations: &expectations,
            confirmed: Mutex::default(),
            cases: &self.cases,
            next,
            model: &self.model,
            limits: self.limits,
            until,
            jobs,
            pace: Mutex::new(Pace::new(paced, lock(next).left(), jobs)),
            learned,
        };
        let (cases, results) = (&self.cases, &mut self.results);
        beside.go(&self.session, &mut |news| {
            match news {
                News::Begins(at) => observer.case_begins(&cases[at]),
                News::Ends(result) => {
                    results.commit(CaseResult::clone(&result))?;
                    observer.case_ends(&result);
                    results.enough()?;
                }
            }
            Ok(())
        })
    }

    /// Lets the worker go; the results stay.
    pub fn close(self) -> Results {
        self.lanes.into_iter().for_each(Session::close);
        self.session.close();
        self.results
    }

    /// The error for a run that halted, with how far it came and, where a store keeps it, the command
    /// that goes on.
    pub fn halted(&self, halt: Halt, resume: impl Fn(&Path) -> String) -> Error {
        let have = self.results.all().len();
        let planned = self.results.run().planned;
        let so_far = match self.results.store_path() {
            Some(store) => {
                let command = resume(store);
                format!(
                    "{have} of {planned} cases are done and kept; `{command}` finishes the rest."
                )
            }
            None => format!("{have} of {planned} cases are done."),
        };
        match halt {
            Halt::Stop(Stop::Interrupted) => Error::Interrupted(format!(": {so_far}")),
            Halt::Stop(Stop::NoDevice(sentence)) => {
                Error::NoDevice(format!("{sentence}\n{so_far}"))
            }
            Halt::Stop(stop @ Stop::TimeIsUp) => stop.into(),
            halt @ Halt::Enough => halt.into(),
            Halt::Store(error) => Error::Store {
                error,
                advice: format!("\n{so_far}"),
            },
        }
    }

    /// Whether a case needs what the device lacks, as far as is known without asking it. A platform with more devices
    /// than one may have more.
    fn is_lacking(&self, at: usize, about: Option<&About>) -> bool {
        let capabilities = &self.session.known().capabilities;
        let Some(program) = self.cases[at].body.litmus() else {
            let mut needs = about.into_iter().flat_map(|about| &about.needs);
            return needs.any(|need| !capabilities.offers(*need, 1));
        };
        let needs = Shape::of(program).and_then(|shape| Needs::of(program, &shape));
        needs.map_or(true, |needs| {
            choose_dialect(capabilities, &needs, 1).is_err()
        })
    }
}
