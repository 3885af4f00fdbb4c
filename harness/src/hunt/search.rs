//! The search: what is run next, and what is written down.

use super::bandit::below;
use super::candidate::Candidate;
use super::journal::{Config, Journal, JournalError, Probe, Record, Trial};
use super::reduce::Seen;
use super::state::State;
use crate::device::Selector;
use crate::environment::{Drawing, Environment};
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{Case, seed};
use crate::tune::tuned::Tuned;
use crate::worker::session::{Limits, Load, Session, Stop};
use crate::{Error, Notify};
use classay_reports::record::{CaseId, Verdict};
use classay_reports::stats::Confidence;
use classay_reports::stats::frequency::Frequency;
use classay_reports::text::number::short;
use classay_vocabulary::Budget;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Tests that are built together, each with its mutant.
const BATCH: usize = 12;
/// Times that each of them is played before the next are built.
const ROUNDS: usize = 4;
/// Of a slice, the part that the mutant gets.
const PROBE: f64 = 0.2;
/// Seconds between two lines about how it goes.
const REPORT: u64 = 30;
/// What a hunt is asked for.
#[derive(Clone)]
pub struct Hunt<'a> {
    /// The folder of the journal and of what is found.
    pub folder: PathBuf,
    /// Whether to go on with the hunt in that folder; device, model, seed, tests and slice come from there.
    pub resume: bool,
    /// The device under test.
    pub device: Selector,
    /// The memory model, as `--model` takes it; that of the device's version where none is given.
    pub model: Option<String>,
    /// The master seed; drawn where none is given.
    pub seed: Option<u64>,
    /// How many generated conformance tests are played.
    pub tests: u32,
    /// Seconds of a test in an environment, with its mutant.
    pub slice: f64,
    /// Hours in all, with those of earlier sessions.
    pub hours: f64,
    /// Whether what any reading of the model forbids counts as forbidden; otherwise what every one does.
    pub strict: bool,
    /// How many forbidden outcomes are enough.
    pub violations: Option<u32>,
    /// How long a test may go without a sign of life.
    pub deadline: Duration,
    /// Ends the hunt; it can be resumed.
    pub interrupt: &'a Interrupt,
    /// Is told how the hunt goes.
    pub notify: Notify<'a>,
}

/// What ends a hunt before its time.
pub(super) enum Over {
    Stop(Stop),
    Journal(JournalError),
    Error(Error),
}

impl From<Stop> for Over {
    fn from(stop: Stop) -> Over {
        Over::Stop(stop)
    }
}

impl From<JournalError> for Over {
    fn from(error: JournalError) -> Over {
        Over::Journal(error)
    }
}

pub(super) struct Search<'a> {
    pub(super) hunt: &'a Hunt<'a>,
    pub(super) config: &'a Config,
    pub(super) model: &'a ChosenModel,
    pub(super) session: Session,
    pub(super) journal: Journal,
    pub(super) state: State,
    pub(super) candidates: Vec<Candidate>,
    /// Tests that the device does not run.
    pub(super) unfit: HashSet<String>,
    /// Seconds of earlier sessions.
    pub(super) before: f64,
    pub(super) begun: Instant,
    /// When it was last said how it goes.
    pub(super) reported: Instant,
    /// Choices of a shape.
    pub(super) turn: u32,
}

impl Search<'_> {
    fn now(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    fn left(&self) -> f64 {
        self.hunt.hours * 3600.0 - self.now()
    }

    /// The time is over, or enough was found.
    fn is_over(&self) -> bool {
        let found = self.state.violations.len();
        self.left() <= 0.0 || self.hunt.violations.is_some_and(|n| found >= n as usize)
    }

    pub(super) fn notify(&self, sentence: &str) {
        (self.hunt.notify)(sentence);
    }

    pub(super) fn note(&mut self, record: Record) -> Result<(), Over> {
        self.journal.add(&record)?;
        self.state.note(&record);
        Ok(())
    }

    /// A stream that no earlier session has used: all that was written down is part of its name.
    fn stream(&self, what: &str) -> ChaCha8Rng {
        let name = format!(
            "{what}-{}-{}",
            self.state.trials,
            self.state.environments.len()
        );
        seed::stream(self.config.seed, &CaseId::new("hunt", "stream", &name))
    }

    /// Searches until the time is over or enough was found; `first` where nothing is in the journal yet.
    pub(super) fn go(&mut self, first: bool) -> Result<(), Over> {
        if first {
            self.note(Record::Begin(self.config.clone()))?;
        }
        self.first_pool()?;
        if let Some(trial) = self.state.open.clone() {
            self.write_up(&trial, None)?;
        }
        while !self.is_over() {
            if self.hunt.interrupt.came() {
                return Err(Stop::Interrupted.into());
            }
            self.batch()?;
            let records = {
                let mut rng = self.stream("pool");
                let capabilities = &self.session.known().capabilities;
                self.state.renew(&mut Drawing {
                    rng: &mut rng,
                    capabilities,
                })
            };
            for record in records {
                self.note(record)?;
            }
        }
        Ok(())
    }

    /// What every hunt begins with: the device's own choice, and what was tuned for it.
    fn first_pool(&mut self) -> Result<(), Over> {
        if !self.state.environments.is_empty() {
            return Ok(());
        }
        let mut first = vec![Environment::default()];
        let file = self.config.device.file().filter(|file| file.exists());
        if let Some(file) = file {
            match Tuned::read(&file) {
                Ok(tuned) => {
                    self.notify(&format!("environments of {}", file.display()));
                    first.push(tuned.merged);
                    first.extend(tuned.environments);
                }
                Err(why) => self.notify(&format!("{why}; it is left out")),
            }
        }
        for environment in first {
            let number = self.state.fresh();
            self.note(Record::Environment {
                number,
                environment,
            })?;
        }
        Ok(())
    }

    /// Tests that are worth a try now, by their places.
    fn choose(&mut self) -> Vec<usize> {
        let mut rng = self.stream("tests");
        let mut by_shape: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, one) in self.candidates.iter().enumerate() {
            if !self.unfit.contains(&one.name) {
                by_shape.entry(&one.shape).or_default().push(place);
            }
        }
        let shapes: Vec<&str> = by_shape.keys().copied().collect();
        let mut chosen = Vec::new();
        if shapes.is_empty() {
            return chosen;
        }
        for _ in 0..4 * BATCH {
            if chosen.len() == BATCH {
                break;
            }
            let shape = shapes[self.state.bandit.shape(&shapes, self.turn, &mut rng)];
            self.turn += 1;
            // Of those that were played least, any.
            let played = |place: &usize| {
                let name = &self.candidates[*place].name;
                self.state.played.get(name).copied().unwrap_or(0)
            };
            let free = by_shape[shape].iter().filter(|p| !chosen.contains(*p));
            let free: Vec<usize> = free.copied().collect();
            let Some(least) = free.iter().map(played).min() else {
                continue;
            };
            let free: Vec<usize> = free.into_iter().filter(|p| played(p) == least).collect();
            chosen.push(free[below(free.len(), &mut rng)]);
        }
        chosen
    }

    fn batch(&mut self) -> Result<(), Over> {
        let chosen = self.choose();
        let mut cases: Vec<Case> = Vec::new();
        for place in &chosen {
            cases.push(self.candidates[*place].case.clone());
            // Tests of a shape may share one.
            let mutant = self.candidates[*place].mutant.clone();
            let new = mutant.filter(|m| cases.iter().all(|c| c.id != m.id));
            cases.extend(new);
        }
        self.session.unload()?;
        let loaded = self.session.load(&cases, self.hunt.deadline)?;
        let mut built: HashSet<CaseId> = HashSet::new();
        for (case, load) in cases.iter().zip(loaded) {
            match load {
                Load::Built(_) => {
                    built.insert(case.id.clone());
                }
                Load::Unfit(why) => tracing::debug!(case = %case.id, why, "does not run"),
                Load::Died(death) => {
                    self.notify(&format!("{} does not build: {}", case.id, death.how));
                }
            }
        }
        let mut usable = Vec::new();
        for place in chosen {
            let one = &self.candidates[place];
            if built.contains(&one.case.id) {
                usable.push(place);
            } else {
                self.unfit.insert(one.name.clone());
            }
        }
        if self.unfit.len() == self.candidates.len() {
            return Err(Over::Error(Error::Nothing(format!(
                "none of {} tests can be run on {}",
                self.candidates.len(),
                self.config.device.name
            ))));
        }
        let mut rng = self.stream("batch");
        for _ in 0..ROUNDS {
            for place in &usable {
                if self.hunt.interrupt.came() {
                    return Err(Stop::Interrupted.into());
                }
                if self.is_over() {
                    return Ok(());
                }
                if self.session.loaded() == 0 {
                    self.session.load(&cases, self.hunt.deadline)?;
                }
                let one = self.candidates[*place].clone();
                self.trial(&one, built.contains(&mutant_id(&one)), &mut rng)?;
                self.report();
            }
        }
        Ok(())
    }

    /// Plays a test and its mutant in an environment.
    fn trial(&mut self, one: &Candidate, probe: bool, rng: &mut ChaCha8Rng) -> Result<(), Over> {
        let pool = &self.state.pool;
        let number = pool[self.state.bandit.environment(&one.shape, pool, rng)];
        let environment = self.state.environment(number);
        let seed = rng.next_u64();
        let mut trouble = String::new();
        let probe = match &one.mutant {
            Some(mutant) if probe => {
                let case = placed(mutant, &environment, seed, self.config.slice * PROBE);
                let attempt = self
                    .session
                    .observe(&case, self.hunt.deadline, &mut |_| {})?;
                trouble = attempt.build_seconds().err().unwrap_or_default();
                let launches = attempt.launches.iter().map(|launch| {
                    let targets = launch.outcomes.iter().filter(|o| o.target);
                    (targets.map(|o| o.count).sum::<u64>(), launch.seconds)
                });
                let shown = Frequency::of(&launches.collect::<Vec<_>>(), Confidence::P95);
                (!attempt.launches.is_empty()).then(|| Probe {
                    mutant: mutant.test.clone(),
                    weak: shown.count,
                    independent: Some(shown.count as f64 / shown.dispersion),
                    instances: attempt.launches.iter().map(|l| l.instances).sum(),
                    seconds: attempt.seconds,
                })
            }
            Some(_) | None => None,
        };
        let case = placed(
            &one.case,
            &environment,
            seed,
            self.config.slice * (1.0 - PROBE),
        );
        let limits = Limits::once(self.hunt.deadline);
        let result = self.session.run(&case, limits, self.model, &mut |_| {})?;
        let seen = Seen::of(&one.program, &result, self.model);
        if seen.forbidden == 0 {
            match result.verdict {
                Verdict::Pass | Verdict::Inconclusive | Verdict::Contested => {}
                Verdict::Fail
                | Verdict::Crash
                | Verdict::Timeout
                | Verdict::Flaky
                | Verdict::Skip => {
                    trouble = format!("{}: {}", result.verdict, result.reason);
                }
            }
        }
        let trial = Trial {
            at: self.now(),
            test: one.name.clone(),
            shape: one.shape.clone(),
            environment: number,
            probe,
            instances: seen.instances,
            seed,
            forbidden: seen.forbidden,
            contested: seen.contested,
            trouble,
        };
        let worth = self.state.is_news(&trial);
        self.note(Record::Trial(trial.clone()))?;
        if worth {
            self.write_up(&trial, Some((seen, result)))?;
        }
        Ok(())
    }

    fn report(&mut self) {
        if self.reported.elapsed().as_secs() < REPORT {
            return;
        }
        self.reported = Instant::now();
        let state = &self.state;
        let best = state.best().map_or_else(String::new, |n| {
            format!("; best environment {}", state.environment(n).label())
        });
        self.notify(&format!(
            "{:3.0} %  {} instances of {} tests, {} weak outcomes a second in mutants, {} forbidden{best}",
            100.0 * (1.0 - self.left().max(0.0) / (self.hunt.hours * 3600.0)),
            short(state.instances as f64),
            state.played.len(),
            short(state.weak as f64 / state.probed.max(1e-9)),
            state.forbidden
        ));
    }
}

fn mutant_id(one: &Candidate) -> CaseId {
    let mutant = one.mutant.as_ref().unwrap_or(&one.case);
    mutant.id.clone()
}

/// A case in an environment, for so many seconds.
pub(super) fn placed(case: &Case, environment: &Environment, seed: u64, seconds: f64) -> Case {
    Case {
        environment: environment.clone(),
        seed,
        budget: Budget::Seconds(seconds),
        ..case.clone()
    }
}
