//! What the parent does with workers: open a device, run cases on it, replace a worker that dies.
//!
//! To run many litmus tests in many environments: [`Session::load`] the tests, a few dozen at a time;
//! then [`Session::run`], or [`Session::observe`] where no verdict is needed, each case with the
//! environment, the seed and the budget of the moment, as often as wanted. Nothing is built again. A
//! worker that dies takes what it had built with it; the case that killed it says so in its result,
//! and those after it are built when they are run, until they are loaded anew
//! ([`Session::loaded`] tells). [`Session::unload`] forgets them before others are loaded.

use super::death::{Death, How};
pub use super::host::Breakage;
use super::host::{NoReply, Worker};
use super::link::Link;
pub use super::link::Stop;
use super::protocol::{Job, Known, ListedPlatform, Reply, Request, ToLoad};
use super::triage::{Attempt, Ending, conclude};
use super::turns::Turn;
pub use super::vigil::Patience;
use super::vigil::Vigil;
use super::whereabouts::Left;
use crate::device::{At, Library, Selector, TOUCHSTONE};
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::Case;
use classay_reports::record::{CaseResult, DeviceRecord, FreedomCount, Launch};
use classay_vocabulary::Budget;
use std::time::{Duration, Instant};

/// After this many workers in a row that could not open the device again, a run gives up.
const REOPENINGS: u32 = 4;

/// Processes that go on with one case behind calls that ended others, at most.
const PROCESSES: usize = 40;

/// Bounds on one case.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a case may go without a sign of life; and past its time budget, however it fares.
    pub patience: Patience,
    /// How often a case is tried again after its worker crashed.
    pub retries: u32,
    /// When it has to be over, whatever it does.
    pub until: Option<Instant>,
}

impl From<Duration> for Limits {
    /// So long without a sign of life, whatever the worker does, and no second try.
    fn from(patience: Duration) -> Limits {
        Limits::once(patience)
    }
}

/// A library with its device open in a worker.
pub struct Session {
    link: Link,
    at: At,
    known: Known,
    worker: Option<Worker>,
    failed_openings: u32,
    /// Tests that the worker keeps built.
    loaded: usize,
    /// The last worker that built something for a case.
    compiled: Option<u32>,
    /// The turn on the machine that it has, where several share it.
    turn: Option<Turn>,
}

/// What became of a test that was to be loaded.
#[derive(Debug)]
pub enum Load {
    /// It is built and kept; the seconds of its build, those of a program shared equally by its tests.
    Built(f64),
    /// The device cannot run it, or did not build it: one sentence.
    Unfit(String),
    /// The worker died of it.
    Died(Death),
}

impl Session {
    /// Opens the device that `selector` names in a first worker.
    ///
    /// # Errors
    ///
    /// The library or device does not open, or the user interrupted.
    pub fn open(selector: &Selector, interrupt: &Interrupt) -> Result<Session, Stop> {
        Session::open_broken(selector, &Breakage::default(), None, interrupt)
    }

    /// Opens it with a fault or a latitude. What a device can do takes long to find out, so whoever knows it says so.
    ///
    /// # Errors
    ///
    /// The library or device does not open, or does not take the latitude, or the user interrupted.
    pub fn open_broken(
        selector: &Selector,
        breakage: &Breakage,
        known_before: Option<&Known>,
        interrupt: &Interrupt,
    ) -> Result<Session, Stop> {
        let (link, mut worker) = Link::make(selector, breakage, interrupt)?;
        let (at, mut known) = link
            .open(
                &mut worker,
                selector.at,
                known_before.cloned().map(Box::new),
            )
            .map_err(|e| link.stop(e))?;
        let asked = breakage
            .latitude
            .as_deref()
            .filter(|_| known_before.is_none());
        if let Some(latitude) = asked.and_then(|all| not_taken(&known.record.driver, all)) {
            return Err(Stop::NoDevice(format!(
                "{selector} does not take the latitude {latitude}: its driver is {}, and would name it. Latitudes \
                 are Touchstone's, of the same build as this program: unset CLASSAY_TOUCHSTONE where it names \
                 another library.",
                known.record.driver
            )));
        }
        let named = selector.library == Library::Touchstone && TOUCHSTONE.is_named();
        if named && breakage.layer.is_none() && !is_ours(&known.record) {
            return Err(Stop::NoDevice(format!(
                "CLASSAY_TOUCHSTONE names a library of {} whose driver is {}, and not the Touchstone {} of this \
                 program. Unset it, or name the library with --device PATH, as any other.",
                known.record.platform,
                known.record.driver,
                env!("CARGO_PKG_VERSION")
            )));
        }
        known.record.selector = selector.to_string();
        Ok(Session {
            link,
            at,
            known,
            worker: Some(worker),
            failed_openings: 0,
            loaded: 0,
            compiled: None,
            turn: None,
        })
    }

    /// Another session with the same device, whose worker starts when it is needed.
    pub fn another(&self) -> Session {
        Session {
            link: self.link.clone(),
            at: self.at,
            known: self.known.clone(),
            worker: None,
            failed_openings: 0,
            loaded: 0,
            compiled: None,
            turn: None,
        }
    }

    /// The same, with memory that is freed in its worker overwritten, where the C library does that on request: who
    /// uses an object after its end finds nothing of it there, and what was allocated is not zero by chance.
    pub fn poisoned(mut self) -> Session {
        let surroundings = &mut self.link.start.breakage.surroundings;
        surroundings.push(("MALLOC_PERTURB_", "165"));
        self
    }

    /// Gives it a turn on the machine for what it does next, or takes that away.
    pub fn take_turn(&mut self, turn: Option<Turn>) {
        self.turn = turn;
    }

    /// Whether its worker has built something for a case: the first build of a process loads the implementation's
    /// compiler.
    pub fn has_compiled(&self) -> bool {
        let worker = self.worker.as_ref().map(Worker::id);
        worker.is_some() && worker == self.compiled
    }

    /// What is known about the device.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Runs one case to its end, or to the end of its tries, and judges it by `model`. `progress` is
    /// told of each launch.
    ///
    /// # Errors
    ///
    /// The device does not open again, or the user interrupted.
    pub fn run(
        &mut self,
        case: &Case,
        limits: Limits,
        model: &ChosenModel,
        progress: &mut dyn FnMut(&Launch),
    ) -> Result<CaseResult, Stop> {
        let mut attempts = Vec::new();
        loop {
            let mut parts = self.observe_to_end(case, limits, progress)?;
            let goes_on = parts.len() > 1;
            attempts.append(&mut parts);
            if goes_on {
                return Ok(conclude(case, attempts, model));
            }
            let timed_out = attempts.last().is_some_and(Attempt::hung);
            // A hang would hang again, for as long.
            let had_crashed = attempts.iter().any(Attempt::crashed);
            if timed_out || !had_crashed || attempts.len() > limits.retries as usize {
                return Ok(conclude(case, attempts, model));
            }
        }
    }

    /// Runs one case once and says what was observed, without judging it; where a call that must be refused ends the
    /// worker, what is behind it is played by the next one. At least one attempt, and where there are several each
    /// played what the one before it had left.
    ///
    /// # Errors
    ///
    /// The device does not open again, the user interrupted, or its time is up and it showed nothing.
    pub fn observe_to_end(
        &mut self,
        case: &Case,
        limits: Limits,
        progress: &mut dyn FnMut(&Launch),
    ) -> Result<Vec<Attempt>, Stop> {
        let mut attempts = Vec::new();
        let mut left = None;
        loop {
            let attempt = match self.observe_rest(case, left, limits, progress) {
                // What those before it showed counts.
                Err(Stop::TimeIsUp) if left.is_some() => return Ok(attempts),
                attempt => attempt?,
            };
            left = attempt.left();
            attempts.push(attempt);
            if left.is_none() || attempts.len() == PROCESSES {
                return Ok(attempts);
            }
        }
    }

    /// Runs one case once and says what was observed, without judging it.
    ///
    /// # Errors
    ///
    /// The device does not open again, the user interrupted, or its time is up and it showed nothing.
    pub fn observe(
        &mut self,
        case: &Case,
        limits: impl Into<Limits>,
        progress: &mut dyn FnMut(&Launch),
    ) -> Result<Attempt, Stop> {
        self.observe_rest(case, None, limits.into(), progress)
    }

    /// The same of what an earlier worker left that died.
    fn observe_rest(
        &mut self,
        case: &Case,
        left: Option<Left>,
        limits: Limits,
        progress: &mut dyn FnMut(&Launch),
    ) -> Result<Attempt, Stop> {
        let mut attempt = Attempt::default();
        let turn = self.turn.take();
        let ending = self.with_worker(|worker, interrupt| {
            let begun = Instant::now();
            let launches = &mut attempt.launches;
            let vigil = Vigil::new(worker.id(), limits.patience, turn.as_ref());
            let within = (limits, vigil, interrupt);
            let ending = run_on(worker, (case, left), within, launches, progress);
            attempt.seconds = begun.elapsed().as_secs_f64();
            ending
        });
        self.turn = turn;
        if let Ok(Ok(Ending::Finished(ended))) = &ending
            && ended.build_seconds > 0.0
        {
            self.compiled = self.worker.as_ref().map(Worker::id);
        }
        attempt.ending = match ending? {
            Ok(ending) => ending,
            // What it showed by then counts.
            Err(death) if death.how == How::TimeIsUp && attempt.launches.is_empty() => {
                return Err(Stop::TimeIsUp);
            }
            Err(death) if death.how == How::TimeIsUp => Ending::default(),
            Err(death) => Ending::Died(death),
        };
        Ok(attempt)
    }

    /// Does something with the worker, which is opened first where there is none. The inner error is a
    /// worker that died.
    fn with_worker<T>(
        &mut self,
        work: impl FnOnce(&mut Worker, &Interrupt) -> Result<T, NoReply>,
    ) -> Result<Result<T, Death>, Stop> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => match self.reopen()? {
                Ok(worker) => worker,
                Err(death) => return Ok(Err(death)),
            },
        };
        match work(&mut worker, &self.link.interrupt) {
            Ok(done) => {
                self.worker = Some(worker);
                Ok(Ok(done))
            }
            Err(NoReply::Died(death)) => {
                self.loaded = 0;
                Ok(Err(*death))
            }
            Err(error @ (NoReply::Refused(_) | NoReply::Interrupted)) => Err(self.link.stop(error)),
        }
    }

    /// Lets the worker go, so that what comes next gets a fresh one.
    pub fn renew(&mut self) {
        self.loaded = 0;
        if let Some(worker) = self.worker.take() {
            worker.quit();
        }
    }

    /// Starts the worker where there is none, so that it belongs to the thread that calls. One that dies of it
    /// is started again by what comes next.
    ///
    /// # Errors
    ///
    /// The device does not open again, or the user interrupted.
    pub fn ready(&mut self) -> Result<(), Stop> {
        if self.worker.is_none() {
            self.worker = self.reopen()?.ok();
        }
        Ok(())
    }

    /// How many tests the worker keeps built; 0 after it was replaced.
    pub fn loaded(&self) -> usize {
        self.loaded
    }

    /// Builds litmus tests together and keeps them in the worker; gives what became of each, in order.
    /// Where the worker dies of it, they are built one by one, to tell which it was: those that were
    /// built before the last death are then forgotten again, and built when they are run.
    ///
    /// # Errors
    ///
    /// The device does not open again, the user interrupted, or the time is up.
    pub fn load(&mut self, tests: &[Case], limits: impl Into<Limits>) -> Result<Vec<Load>, Stop> {
        let limits = limits.into();
        let all =
            self.with_worker(|worker, interrupt| load_on(worker, tests, limits, interrupt))?;
        if let Err(Death {
            how: How::TimeIsUp, ..
        }) = &all
        {
            return Err(Stop::TimeIsUp);
        }
        match (all, tests) {
            (Ok(all), _) => {
                let built = all.iter().filter(|load| matches!(load, Load::Built(_)));
                self.loaded += built.count();
                Ok(all)
            }
            (Err(death), [_]) => Ok(vec![Load::Died(death)]),
            (Err(_), tests) => {
                let mut all = Vec::new();
                for test in tests {
                    all.extend(self.load(std::slice::from_ref(test), limits)?);
                }
                Ok(all)
            }
        }
    }

    /// Has the worker forget all that it keeps built, tests that were loaded and programs of other cases.
    ///
    /// # Errors
    ///
    /// The device does not open again, or the user interrupted.
    pub fn unload(&mut self) -> Result<(), Stop> {
        self.loaded = 0;
        let Some(mut worker) = self.worker.take() else {
            return Ok(());
        };
        worker.send(&Request::Unload);
        match self.link.receive(&mut worker) {
            Ok(Reply::Unloaded) => self.worker = Some(worker),
            // A worker that dies or talks out of turn here has forgotten them as well: the next
            // request gets a fresh one.
            Ok(_) | Err(NoReply::Died(_) | NoReply::Refused(_)) => {}
            Err(NoReply::Interrupted) => return Err(Stop::Interrupted),
        }
        Ok(())
    }

    /// Ends the worker in order.
    pub fn close(mut self) {
        if let Some(worker) = self.worker.take() {
            worker.quit();
        }
    }

    /// A fresh worker with the device open. The inner error is a worker that died at it.
    fn reopen(&mut self) -> Result<Result<Worker, Death>, Stop> {
        let opened = self.link.start().and_then(|mut worker| {
            let known = Some(Box::new(self.known.clone()));
            self.link.open(&mut worker, Some(self.at), known)?;
            Ok(worker)
        });
        match opened {
            Ok(worker) => {
                self.failed_openings = 0;
                Ok(Ok(worker))
            }
            Err(NoReply::Died(death)) if self.failed_openings + 1 < REOPENINGS => {
                self.failed_openings += 1;
                Ok(Err(*death))
            }
            Err(error) => Err(self.link.stop(error)),
        }
    }
}

/// Platforms and devices of a library, by name.
///
/// # Errors
///
/// The library does not open, or the user interrupted.
pub fn list(selector: &Selector, interrupt: &Interrupt) -> Result<Vec<ListedPlatform>, Stop> {
    let (link, mut worker) = Link::make(selector, &Breakage::default(), interrupt)?;
    worker.send(&Request::List);
    let listed = link.receive(&mut worker).and_then(|reply| match reply {
        Reply::Listed { platforms } => Ok(platforms),
        other => Err(worker.out_of_turn(&other)),
    });
    let platforms = listed.map_err(|error| link.stop(error))?;
    worker.quit();
    Ok(platforms)
}

/// Runs a case on a worker. Launches that came are kept also when it dies.
fn run_on(
    worker: &mut Worker,
    (case, left): (&Case, Option<Left>),
    (limits, mut vigil, interrupt): (Limits, Vigil<'_>, &Interrupt),
    launches: &mut Vec<Launch>,
    progress: &mut dyn FnMut(&Launch),
) -> Result<Ending, NoReply> {
    worker.send(&Request::Run(Box::new(Job {
        case: case.id.clone(),
        body: case.body.clone(),
        environment: case.environment.clone(),
        seed: case.seed,
        // What is left is played once.
        budget: left.map_or(case.budget, |_| Budget::Instances(1)),
        patience: limits.patience.waiting.as_secs_f64(),
        working: limits.patience.working.as_secs_f64(),
        keep: case.keep.clone(),
        left,
    })));
    // A case that goes on sending after its end is as stuck as a silent one.
    let most = limits.patience.working;
    let end = case
        .budget
        .seconds()
        .map(|seconds| Instant::now() + Duration::from_secs_f64(seconds) + most);
    loop {
        let reply = worker.reply_by(vigil.next(), interrupt)?;
        let now = Instant::now();
        if limits.until.is_some_and(|until| now >= until) {
            return Err(worker.condemn(How::TimeIsUp));
        }
        if end.is_some_and(|end| now >= end) {
            return Err(worker.condemn(How::Overrun(most)));
        }
        let Some(reply) = reply else {
            match vigil.silent() {
                Some(how) => return Err(worker.condemn(how)),
                None => continue,
            }
        };
        vigil.spoke();
        match reply {
            Reply::Launch { case: id, launch } if id == case.id => {
                if let Some(wrong) = wrong_launch(&launch, launches.len() as u64) {
                    return Err(worker.condemn(How::Rubbish(wrong)));
                }
                progress(&launch);
                launches.push(launch);
            }
            Reply::Finished { case: id, ended } if id == case.id => {
                return Ok(Ending::Finished(ended));
            }
            Reply::Unrun { case: id, why } if id == case.id => return Ok(Ending::NotRun(why)),
            other => return Err(worker.out_of_turn(&other)),
        }
    }
}

/// Loads tests on a worker.
fn load_on(
    worker: &mut Worker,
    tests: &[Case],
    limits: Limits,
    interrupt: &Interrupt,
) -> Result<Vec<Load>, NoReply> {
    worker.send(&Request::Load {
        tests: tests
            .iter()
            .map(|case| ToLoad {
                case: case.id.clone(),
                body: case.body.clone(),
            })
            .collect(),
    });
    // They are built before the first answer comes.
    let patience = limits.patience.working;
    let all = patience.saturating_mul(u32::try_from(tests.len()).unwrap_or(u32::MAX).max(1));
    let mut deadline = Instant::now() + all;
    let mut late = How::Silent(all);
    if let Some(until) = limits.until.filter(|until| *until < deadline) {
        (deadline, late) = (until, How::TimeIsUp);
    }
    let mut loads = Vec::new();
    for test in tests {
        match worker.receive(deadline, late.clone(), interrupt)? {
            Reply::Built {
                case,
                build_seconds,
            } if case == test.id => loads.push(Load::Built(build_seconds)),
            Reply::Unrun { case, why } if case == test.id => {
                loads.push(Load::Unfit(why.reason().to_string()));
            }
            other => return Err(worker.out_of_turn(&other)),
        }
    }
    Ok(loads)
}

/// The first of these latitudes that a driver does not name in its version, as Touchstone names those that it takes.
fn not_taken<'a>(driver: &str, asked: &'a str) -> Option<&'a str> {
    let asked = asked.split(',').map(str::trim);
    let mut named = asked.filter(|id| !id.is_empty());
    named.find(|id| !driver.split_whitespace().any(|word| word == *id))
}

/// Whether a device is one of the Touchstone of this version.
fn is_ours(device: &DeviceRecord) -> bool {
    let version = device.driver.split_whitespace().next();
    device.platform == "Touchstone" && version == Some(env!("CARGO_PKG_VERSION"))
}

/// What is wrong with a launch that the worker reports, if anything: nothing that a worker says is
/// counted without a look.
fn wrong_launch(launch: &Launch, index: u64) -> Option<String> {
    if launch.index != index {
        return Some(format!("launch {} where {index} was due", launch.index));
    }
    if launch.outcomes.iter().any(|o| o.count == 0) {
        return Some(format!(
            "launch {index} has an outcome with a count of zero"
        ));
    }
    let sum = launch
        .outcomes
        .iter()
        .try_fold(0u64, |sum, o| sum.checked_add(o.count));
    if sum != Some(launch.instances) {
        return Some(format!(
            "the counts of launch {index} do not add up to its {} instances",
            launch.instances
        ));
    }
    let within = |f: &FreedomCount| f.of > 0 && f.seen <= f.of && f.of <= launch.instances;
    if let Some(wrong) = launch.freedoms.iter().find(|f| !within(f)) {
        let (name, seen, of) = (wrong.freedom.name(), wrong.seen, wrong.of);
        return Some(format!(
            "launch {index} of {} instances shows {name} in {seen} of {of}",
            launch.instances
        ));
    }
    if !launch.seconds.is_finite() || launch.seconds < 0.0 {
        return Some(format!("launch {index} took {} seconds", launch.seconds));
    }
    None
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
