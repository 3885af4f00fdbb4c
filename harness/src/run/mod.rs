//! A run: cases on one device, each result kept before the next case begins.
//!
//! [`Run`] says what to run and where, [`Active`] is a run with its device open, [`Stored`] one that a store
//! keeps. `schedule` says what runs when, `beside` runs cases beside each other, `alone` plays litmus
//! tests in several processes each, [`results`] keeps what comes
//! back, `reach` says how far the run came, [`failures`] shrinks what failed.

mod active;
mod alone;
mod beside;
pub mod failures;
mod next;
mod reach;
pub mod results;
mod resume;
mod schedule;

pub use active::{Active, Halt, Observer};
pub use reach::Covers;
pub use results::{Gate, Results};
pub use resume::Stored;

use crate::device::{Api, Selector};
use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::select::Selection;
use crate::plan::shard::Shard;
use crate::plan::{self, Case, Plan, seed};
use crate::tune::tuned::{For, Tuned};
use crate::worker::session::{Breakage, Limits, Patience};
use crate::{Error, Notify, open};
use active::Order;
use classay_reports::expectation::Expectations;
use classay_reports::record::{CaseResult, DeviceRecord, Verdict};
use classay_reports::store::Store;
use classay_vocabulary::Budget;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to run, where, and how long. What is not said is as `classay run` has it: Touchstone, every case,
/// a minute, a seed of its own, no store.
///
/// ```no_run
/// use classay::plan::select::Selection;
/// use classay::{Budget, Run, Verdict, worker};
///
/// // A run starts its own program again for the process that loads the driver.
/// worker::serve_if_asked();
/// let run = Run {
///     device: "system".parse().map_err(classay::Error::Usage)?,
///     selection: Selection::of(&["litmus/*"]),
///     budget: Budget::Seconds(10.0),
///     seed: Some(7),
///     store: Some("results.db".into()),
///     ..Run::default()
/// };
/// let summary = run.run()?;
/// for result in &summary.results {
///     println!("{}: {}", result.case, result.verdict);
/// }
/// assert_eq!(summary.count(Verdict::Fail), 0);
/// # Ok::<(), classay::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Run {
    /// The device.
    pub device: Selector,
    /// Where the cases come from.
    pub cases: Source,
    /// Which of the generated cases; those of files are all taken.
    pub selection: Selection,
    /// How long: seconds that the cases share, or instances of each.
    pub budget: Budget,
    /// The master seed: with the same seed the same cases are generated.
    pub seed: Option<u64>,
    /// Only this part of the cases; needs the master seed of the whole run.
    pub shard: Option<Shard>,
    /// The memory model that judges, in place of that of the device's OpenCL version.
    pub model: Option<ChosenModel>,
    /// How litmus tests are placed and stressed, in place of what was tuned for the device.
    pub environment: Option<Environment>,
    /// A file that keeps the plan and each result; [`Stored`] goes on from it.
    pub store: Option<PathBuf>,
    /// What fails the run.
    pub gate: Gate,
    /// How it is conducted.
    pub conduct: Conduct,
    /// What the device is started with: faults, latitudes, what surrounds it.
    pub breakage: Breakage,
}

/// How a run is conducted: what changes how long it takes, and nothing about its cases.
#[derive(Debug, Clone)]
pub struct Conduct {
    /// Runs every case to its end, however long that takes. Otherwise the budget, where it is a time, ends
    /// the run, and what was not reached by then is counted.
    pub full: bool,
    /// Cases that may compute at once.
    pub jobs: usize,
    /// How long a case may go without a sign of life; as suits the budget where nothing is said.
    pub patience: Option<Duration>,
    /// How often a case is tried again after its worker crashed.
    pub retries: u32,
    /// Ends the run after so many failures that nobody expected.
    pub most_failures: Option<u32>,
}

impl Conduct {
    /// The bounds on each case of a run that ends after so many seconds, where it does.
    fn limits(&self, within: Option<f64>) -> Limits {
        let fitting = within.map_or(Limits::default(), Limits::within);
        Limits {
            patience: self.patience.map_or(fitting.patience, Patience::of),
            retries: self.retries,
            ..fitting
        }
    }

    /// How cases that share a budget follow each other.
    fn order(&self, budget: Budget, begun: Instant) -> (Order, Limits) {
        let (within, shared) = match (self.full, budget.seconds()) {
            (false, within) => (within, None),
            (true, shared) => (None, shared),
        };
        let order = Order::Scheduled {
            jobs: self.jobs.max(1),
            begun,
            within,
            shared,
        };
        (order, self.limits(within))
    }
}

impl Default for Conduct {
    /// As `classay run` has it: the budget ends the run, and one case more runs at once than there are processors: one
    /// of them is often about to start a worker, or not yet known to wait.
    fn default() -> Conduct {
        Conduct {
            full: false,
            jobs: 1 + std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            patience: None,
            retries: 1,
            most_failures: None,
        }
    }
}

/// Where the cases of a run come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// The shipped ones and the generated ones; they share the budget.
    Generated {
        /// Generated cases of each kind, and some times as many of kinds whose cases say the same each time
        /// ([`plan::drawn_for_a_run`]).
        programs: u32,
        /// Bounded-exhaustive programs of commands.
        small: u32,
    },
    /// These, as [`plan::from_files`] reads them, each with the budget to itself.
    Given(Vec<Case>),
}

impl Default for Run {
    fn default() -> Run {
        Run {
            device: Selector::TOUCHSTONE,
            cases: Source::Generated {
                programs: Run::PROGRAMS,
                small: Run::BOUNDED,
            },
            selection: Selection::default(),
            budget: Budget::Seconds(Run::BUDGET),
            seed: None,
            shard: None,
            model: None,
            environment: None,
            store: None,
            gate: Gate::default(),
            conduct: Conduct::default(),
            breakage: Breakage::default(),
        }
    }
}

impl Run {
    /// Seconds that a run takes unless told otherwise.
    pub const BUDGET: f64 = 60.0;

    /// Generated cases of each kind unless told otherwise.
    pub const PROGRAMS: u32 = 10;

    /// Bounded-exhaustive programs of commands unless told otherwise.
    pub const BOUNDED: u32 = 40;

    /// Runs to the end.
    ///
    /// # Errors
    ///
    /// As [`Run::begin`] and [`Active::go`].
    pub fn run(self) -> Result<Summary, Error> {
        let mut active = self.begin(&Interrupt::default(), &|_| ())?;
        active.go(&mut ())?;
        Ok(active.close().into())
    }

    /// The cases of the run, without a device.
    ///
    /// # Errors
    ///
    /// No case is selected, or a shard has no seed.
    pub fn cases(&self) -> Result<Vec<Case>, Error> {
        Ok(self.planned()?.cases)
    }

    fn planned(&self) -> Result<Planned, Error> {
        if self.shard.is_some() && self.seed.is_none() {
            return Err(Error::Usage(
                "a shard needs the master seed of the whole run, or the shards would be of different \
                 runs: give each the same --seed"
                    .into(),
            ));
        }
        let seed = self.seed.unwrap_or_else(seed::draw);
        let api = self.device.library.api();
        let cases = self.cases.list(&self.selection, api, seed)?;
        let (mut cases, part) = plan::part(cases, seed, self.shard);
        plan::share_out(&mut cases, seed, self.budget);
        if let Source::Given(_) = &self.cases {
            for case in &mut cases {
                case.budget = self.budget;
            }
        }
        Ok(Planned { cases, part, seed })
    }

    /// Opens the device and writes the plan down. `notify` is told what the user should know.
    ///
    /// # Errors
    ///
    /// No case is selected, a file or an option is wrong, the device does not open, or the store cannot be
    /// written.
    pub fn begin(self, interrupt: &Interrupt, notify: Notify<'_>) -> Result<Active, Error> {
        let begun = Instant::now();
        let shares = matches!(self.cases, Source::Generated { .. });
        let Planned {
            mut cases,
            part,
            seed,
        } = self.planned()?;
        let store = self.store.as_deref().map(Store::open).transpose()?;
        let (session, model) =
            open::judged_broken(&self.device, &self.breakage, self.model, interrupt)?;
        let record = &session.known().record;
        let environment = match self.environment {
            Some(environment) => environment,
            None => tuned(record, notify)?,
        };
        for case in cases.iter_mut().filter(|case| case.body.is_litmus()) {
            case.environment = environment.clone();
        }
        let plan = Plan::new(
            self.device.to_string(),
            model.given.clone(),
            seed,
            self.selection,
            self.budget,
            &cases,
            part,
        );
        let expectations = results::expectations(&self.gate, record, notify)?;
        let mut results = Results::begin(store, &plan, &cases, session.known())?;
        results.expect(expectations);
        results.end_after(self.conduct.most_failures);
        let (order, limits) = match shares {
            true => self.conduct.order(self.budget, begun),
            false => (Order::Listed, self.conduct.limits(None)),
        };
        Ok(Active {
            order,
            lanes: Vec::new(),
            opening: None,
            rounds: schedule::Learned::default(),
            session,
            cases,
            model,
            limits,
            results,
        })
    }
}

/// Generated litmus tests for each generated case of a kind.
const TESTS_A_PROGRAM: u32 = 4;

/// What a run is to run.
struct Planned {
    cases: Vec<Case>,
    part: Option<plan::Part>,
    seed: u64,
}

impl Source {
    /// The cases, of the generated ones those that are selected.
    fn list(&self, selection: &Selection, api: Api, seed: u64) -> Result<Vec<Case>, Error> {
        let (programs, small) = match self {
            Source::Given(cases) => return Ok(cases.clone()),
            Source::Generated { programs, small } => (*programs, *small),
        };
        let mut cases = plan::shipped_of(api).map_err(Error::Bug)?;
        // The programs of the families call OpenCL.
        if api == Api::OpenCl {
            cases.extend(plan::small(small));
            cases.extend(plan::drawn_for_a_run(programs));
        }
        let tests = plan::generated_tests(api, programs * TESTS_A_PROGRAM, seed);
        cases.extend(tests.map_err(Error::Bug)?);
        let all = cases.len();
        cases.retain(|case| selection.takes(case));
        if cases.is_empty() {
            return Err(Error::Nothing(format!(
                "no case is selected: none of the {all} shipped cases matches {selection}{}; a pattern \
                 has to match a whole name or id, as in --select 'MP*'",
                open::if_of_the_other(selection, api)
            )));
        }
        Ok(cases)
    }
}

/// The environment that was tuned for a device, or else that which suits it.
fn tuned(device: &DeviceRecord, notify: Notify<'_>) -> Result<Environment, Error> {
    let Some(file) = For::of(device).file().filter(|file| file.exists()) else {
        return Ok(Environment::default());
    };
    let tuned = Tuned::read(&file).map_err(|why| {
        Error::Usage(format!(
            "{why}; it is what `classay tune` kept for this device: remove it, or leave it out with \
             --untuned"
        ))
    })?;
    notify(&format!(
        "environment {} of {} (--untuned leaves it out)",
        tuned.merged.digest(),
        file.display()
    ));
    Ok(tuned.merged)
}

impl Limits {
    /// So long without a sign of life, and no second try.
    pub fn once(patience: Duration) -> Limits {
        Limits {
            patience: Patience::of(patience),
            retries: 0,
            until: None,
        }
    }

    /// As suits a run of so many seconds: a hang costs a small part of it.
    pub fn within(seconds: f64) -> Limits {
        let part = |part: f64, least: f64| {
            let seconds = (seconds * part).clamp(least, 60.0);
            Duration::from_secs_f64(seconds)
        };
        Limits {
            patience: Patience {
                waiting: part(1.0 / 12.0, 2.0),
                working: part(1.0 / 3.0, 5.0),
            },
            ..Limits::default()
        }
    }
}

impl Default for Limits {
    /// A minute without a sign of life, a quarter of one where nothing computes, and a second try after a crash.
    fn default() -> Limits {
        Limits {
            patience: Patience {
                waiting: Duration::from_secs(15),
                working: Duration::from_secs(60),
            },
            retries: 1,
            until: None,
        }
    }
}

/// What a run found.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The run, with its plan, its device and the machine.
    pub run: classay_reports::store::Run,
    /// A result for each case, in the order of the plan.
    pub results: Vec<CaseResult>,
    /// What was expected of the device.
    pub expectations: Expectations,
}

impl Summary {
    /// How many cases have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let has = self.results.iter().filter(|r| r.verdict == verdict);
        has.count()
    }
}

impl From<Results> for Summary {
    fn from(results: Results) -> Summary {
        let (run, results, expectations) = results.into_parts();
        Summary {
            run,
            results,
            expectations,
        }
    }
}
