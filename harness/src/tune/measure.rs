//! Tuning for a device: which mutants it can run, and a search that plays them on it.

use super::made::Source;
use super::mutants::{Mutant, Pool};
use super::search::{Config, Played, Player, Trial, search};
use super::tuned::{For, Tuned, Wanted, ceiling};
use crate::device::{Capabilities, Selector};
use crate::environment::{self, Drawing, Environment};
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{Case, seed};
use crate::worker::session::{Load, Session, Stop};
use crate::{Error, Notify, open};
use classay_litmus::program::Program;
use classay_reports::record::CaseId;
use classay_reports::stats::Confidence;
use classay_vocabulary::Budget;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seconds of a mutant in an environment at least.
const SHORTEST: f64 = 0.15;

/// What tuning is asked for.
#[derive(Clone)]
pub struct Tune<'a> {
    /// The device under test.
    pub device: Selector,
    /// The tests whose mutants environments are measured by, and those of them that are as weak by themselves; made
    /// ones where there are none.
    pub tests: Vec<Case>,
    /// The model that says what a mutant is; that of the device's version where none is chosen.
    pub model: Option<ChosenModel>,
    /// Seconds of playing.
    pub budget: f64,
    /// How many mutants environments are measured by.
    pub mutants: usize,
    /// The master seed; drawn where none is given.
    pub seed: Option<u64>,
    /// The probability wanted that a run of all mutants shows each outcome again.
    pub reproducibility: f64,
    /// Seconds that such a run gives each test.
    pub seconds_each: f64,
    /// The file of the result; without one that of the device in the user's data folder, where runs
    /// find it.
    pub out: Option<PathBuf>,
    /// How long an environment may go without a sign of life.
    pub deadline: Duration,
    /// Ends the search; what was found is kept.
    pub interrupt: &'a Interrupt,
    /// Is told how the search goes.
    pub notify: Notify<'a>,
}

/// What tuning found.
#[derive(Debug)]
pub struct Found {
    /// The environments, and what they are worth.
    pub tuned: Tuned,
    /// Where it is kept.
    pub path: PathBuf,
    /// Why it ended before its time.
    pub halted: Option<Error>,
}

impl Tune<'_> {
    /// Searches, and keeps what was found.
    ///
    /// # Errors
    ///
    /// The device does not open or runs no mutant, or the result cannot be kept.
    pub fn run(self) -> Result<Found, Error> {
        let source = self.source()?;
        let (mut session, model) = open::judged(&self.device, self.model.clone(), self.interrupt)?;
        let record = session.known().record.clone();
        let path = match &self.out {
            Some(path) => path.clone(),
            None => For::of(&record).file().ok_or_else(|| {
                Error::Usage(
                    "there is no folder to keep the result in: set CLASSAY_HOME, or give --out FILE"
                        .into(),
                )
            })?,
        };
        // A file that cannot be written is better known before than after.
        writable(&path)?;
        let seed = self.seed.unwrap_or_else(seed::draw);
        let pool =
            Pool::new(&source, self.mutants, model.readings()).map_err(|why| match source {
                Source::Made(_) => Error::Bug(why),
                Source::Named(_) => Error::Usage(why),
            })?;
        let (usable, without) = self.build(&mut session, &pool)?;
        if usable.is_empty() {
            return Err(Error::Nothing(match without.len() {
                0 => "the tests have no mutant whose outcome a right device may show".into(),
                n => format!("none of {n} mutants can be run on {}", record.name),
            }));
        }
        let confidence = Confidence::new(self.reproducibility).unwrap_or(Confidence::P95);
        let wanted = Wanted {
            reproducibility: self.reproducibility,
            seconds_each: self.seconds_each,
            ceiling: ceiling(confidence, usable.len(), self.seconds_each),
        };
        (self.notify)(&format!(
            "{} mutants on {} ({}), driver {}; seed {seed}, about {} s; often enough is {:.1} times a \
             second",
            usable.len(),
            record.name,
            self.device,
            record.driver,
            self.budget,
            wanted.ceiling
        ));
        let config = Config {
            seconds: self.budget,
            // Every mutant in a few dozen environments; but not so short that meetings have not yet
            // learned when to begin.
            slice: (self.budget / usable.len() as f64 / 60.0).clamp(SHORTEST, 1.0),
            ceiling: wanted.ceiling,
        };
        let mut rng = seed::stream(seed, &CaseId::new("litmus", "tune", "search"));
        let mut player = OnDevice {
            capabilities: session.known().capabilities.clone(),
            seeds: seed::stream(seed, &CaseId::new("litmus", "tune", "seeds")),
            cases: usable.iter().map(|mutant| mutant.case.clone()).collect(),
            session: &mut session,
            deadline: self.deadline,
            notify: self.notify,
            spent: 0.0,
            tried: 0,
            most: 0,
        };
        let (found, halted) = search(&mut player, usable.len(), config, &mut rng);
        let spent = player.spent;
        let tuned = Tuned::new(&record, seed, wanted, &usable, without.len(), &found, spent);
        let text = tuned.to_yaml().map_err(Error::Bug)?;
        std::fs::write(&path, &text).map_err(Error::output(&path))?;
        let halted = match halted {
            None => {
                session.close();
                None
            }
            Some(stop) => {
                let so_far = format!(
                    ": what was found in {spent:.0} s is kept in {}",
                    path.display()
                );
                Some(Error::stopped(stop, so_far))
            }
        };
        Ok(Found {
            tuned,
            path,
            halted,
        })
    }

    /// Where the mutants come from.
    fn source(&self) -> Result<Source, Error> {
        if self.tests.is_empty() {
            return Ok(Source::Made(self.device.library.api()));
        }
        open::are_played_by(&self.device, &self.tests)?;
        let programs = self.tests.iter().filter_map(|case| case.body.litmus());
        Ok(Source::Named(
            programs.map(|program| Program::clone(program)).collect(),
        ))
    }

    /// Chooses mutants that the device can run, and builds them; also the names of those that it cannot, in
    /// whose places others are.
    fn build(
        &self,
        session: &mut Session,
        pool: &Pool,
    ) -> Result<(Vec<Mutant>, HashSet<String>), Error> {
        let mut without: HashSet<String> = HashSet::new();
        let mut reasons: BTreeSet<String> = BTreeSet::new();
        let mut built: HashSet<String> = HashSet::new();
        let usable = loop {
            let chosen = pool.choose(self.mutants, &session.known().capabilities, &without);
            let new = chosen.iter().filter(|m| !built.contains(&m.name));
            let new: Vec<&Mutant> = new.collect();
            if new.is_empty() {
                break chosen;
            }
            let cases: Vec<Case> = new.iter().map(|mutant| mutant.case.clone()).collect();
            for (mutant, load) in new.iter().zip(session.load(&cases, self.deadline)?) {
                let name = mutant.name.clone();
                match load {
                    Load::Built(_) => {
                        built.insert(name);
                    }
                    Load::Unfit(reason) => {
                        reasons.insert(reason);
                        without.insert(name);
                    }
                    Load::Died(death) => {
                        (self.notify)(&format!("{name} does not build: {}", death.how));
                        without.insert(name);
                    }
                }
            }
        };
        if !reasons.is_empty() {
            let reasons: Vec<String> = reasons.into_iter().collect();
            (self.notify)(&format!(
                "{} mutants do not run here, others are in their places: {}",
                without.len(),
                reasons.join("; ")
            ));
        }
        Ok((usable, without))
    }
}

fn writable(out: &Path) -> Result<(), Error> {
    if let Some(folder) = out.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(Error::output(out))?;
    }
    // Opening for appending changes nothing of an earlier result.
    let mut open = std::fs::OpenOptions::new();
    open.create(true)
        .append(true)
        .open(out)
        .map_err(Error::output(out))?;
    Ok(())
}

/// A device that plays mutants.
struct OnDevice<'s> {
    session: &'s mut Session,
    notify: Notify<'s>,
    cases: Vec<Case>,
    capabilities: Capabilities,
    seeds: ChaCha8Rng,
    deadline: Duration,
    spent: f64,
    tried: usize,
    most: usize,
}

impl Player for OnDevice<'_> {
    type Halt = Stop;

    fn play(
        &mut self,
        mutant: usize,
        environment: &Environment,
        seconds: f64,
    ) -> Result<Played, Stop> {
        if self.session.loaded() == 0 {
            self.session.load(&self.cases, self.deadline)?;
        }
        let case = Case {
            environment: environment.clone(),
            seed: self.seeds.next_u64(),
            budget: Budget::Seconds(seconds),
            ..self.cases[mutant].clone()
        };
        let attempt = self.session.observe(&case, self.deadline, &mut |_| {})?;
        self.spent += attempt.seconds;
        let built = attempt.build_seconds();
        let (built, trouble) = (built.clone().unwrap_or(0.0), built.err());
        // What launches took by the device's clock is stretched to what the whole took by the wall's.
        let on_device: f64 = attempt.launches.iter().map(|launch| launch.seconds).sum();
        let stretch = if on_device > 0.0 {
            (attempt.seconds - built).max(0.0) / on_device
        } else {
            0.0
        };
        let launches = attempt.launches.iter().map(|launch| {
            let targets = launch.outcomes.iter().filter(|o| o.target);
            (targets.map(|o| o.count).sum(), launch.seconds * stretch)
        });
        Ok(Played {
            launches: launches.collect(),
            seconds: attempt.seconds,
            trouble,
        })
    }

    fn draw(&mut self, rng: &mut ChaCha8Rng) -> Environment {
        environment::draw(&mut Drawing {
            rng,
            capabilities: &self.capabilities,
        })
    }

    fn vary(&mut self, rng: &mut ChaCha8Rng, of: &Environment) -> Environment {
        let capabilities = &self.capabilities;
        environment::vary(of, &mut Drawing { rng, capabilities })
    }

    fn tried(&mut self, trial: &Trial, enough: usize, gone: f64) {
        self.tried += 1;
        let all = self.cases.len();
        let gone = 100.0 * gone.min(1.0);
        if enough > self.most || self.tried == 1 {
            self.most = enough;
            (self.notify)(&format!(
                "{gone:3.0} %  environment {} of {}: {enough} of {all} mutants often enough",
                self.tried,
                trial.environment.label()
            ));
        }
        tracing::debug!(
            environment = trial.environment.label(),
            enough,
            stopped = trial.stopped,
            trouble = ?trial.trouble,
            "tried"
        );
    }
}
