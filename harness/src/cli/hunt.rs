//! `classay hunt`: looks for forbidden outcomes until the time ends; everything goes on where it stopped.

use super::args::HuntArgs;
use super::output::{Out, say};
use classay::device::Selector;
use classay::environment::{Drawing, Environment};
use classay::hunt::bandit::below;
use classay::hunt::field::Field;
use classay::hunt::finding::Finding;
use classay::hunt::journal::{Found, Journal, JournalError, Probe, Pull, Record, Terms};
use classay::hunt::quarry::{Quarry, quarry};
use classay::hunt::reduce::{Seen, Small, reduce};
use classay::interrupt::Interrupt;
use classay::judge::{self, ChosenModel};
use classay::plan::{self, Case, seed};
use classay::tune::tuned::{For, Tuned};
use classay::worker::session::{Limits, Load, Session, Stop};
use classay::worker::triage::Outcome;
use classay::{Error, exit, open};
use classay_litmus::program::Program;
use classay_reports::record::{CaseId, CaseResult, Verdict};
use classay_reports::text::number::{grouped, short};
use classay_vocabulary::Budget;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// Tests that are built together, each with its mutant.
const BATCH: usize = 12;
/// Times that each of them is played before the next are built.
const ROUNDS: usize = 4;
/// Of a slice, the part that the mutant gets.
const PROBE: f64 = 0.2;
/// Of the time of the hunt, what a finding may take to be reduced at most.
const REDUCING: f64 = 0.1;
/// And at least, in seconds.
const LEAST: f64 = 20.0;
/// Seconds between two lines about how it goes.
const TELL: u64 = 30;
/// The journal's name in the hunt's folder.
const JOURNAL: &str = "hunt.jsonl";

/// What ends a hunt before its time.
enum Over {
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

/// Does it; returns the exit code.
pub fn hunt(args: &HuntArgs) -> Result<u8, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let path = args.out.join(JOURNAL);
    if path.exists() && !args.resume {
        return Err(Error::Usage(format!(
            "{} has a hunt already: --resume goes on with it, --out DIR begins another elsewhere",
            args.out.display()
        )));
    }
    if args.resume && !path.exists() {
        return Err(Error::Usage(format!(
            "{} has no hunt to go on with",
            args.out.display()
        )));
    }
    let output = |e: std::io::Error| Error::Output {
        path: args.out.clone(),
        reason: e.to_string(),
    };
    std::fs::create_dir_all(&args.out).map_err(output)?;
    let (journal, records) = Journal::open(&path).map_err(|e| unreadable(&path, e))?;
    let begun = records.iter().find_map(|record| match record {
        Record::Begin(terms) => Some(terms.clone()),
        Record::Environment { .. }
        | Record::Dropped { .. }
        | Record::Pull(_)
        | Record::Finding(_) => None,
    });
    let (selector, given) = match &begun {
        Some(terms) => {
            let selector: Selector = terms.selector.parse().map_err(Error::Usage)?;
            (selector, Some(terms.model.as_str()))
        }
        None => (
            args.device.clone().unwrap_or(Selector::TOUCHSTONE),
            args.model.as_deref(),
        ),
    };
    let chosen = open::chosen(given)?;
    let (session, model) = open::judged(&selector, chosen, &interrupt)?;
    let device = For::of(&session.known().record);
    let terms = match begun {
        Some(terms) => same(terms, &device)?,
        None => Terms {
            classay: env!("CARGO_PKG_VERSION").into(),
            selector: selector.to_string(),
            device: device.clone(),
            seed: args.seed.unwrap_or_else(seed::draw),
            model: model.given.clone(),
            tests: u32::from(args.tests),
            slice: args.slice,
        },
    };
    let field = Field::of(&records);
    say(&format!(
        "{} ({selector}), driver {}; judged by {}; seed {}; {:.2} of {} hours are over{}",
        device.name,
        device.driver,
        model.given,
        terms.seed,
        field.seconds / 3600.0,
        args.hours,
        if args.resume { ", going on" } else { "" }
    ));
    let quarry = quarry(terms.tests as usize, &model.model).map_err(Error::Bug)?;
    let mut hunter = Hunter {
        args,
        terms: &terms,
        model: &model,
        interrupt: &interrupt,
        session,
        journal,
        before: field.seconds,
        field,
        begun: Instant::now(),
        told: Instant::now(),
        quarry,
        unfit: HashSet::new(),
        turn: 0,
    };
    let over = hunter.go(records.is_empty());
    let Hunter { session, field, .. } = hunter;
    let mut out = Out::new();
    if args.json {
        out.line(&summary_json(&field, &terms));
    } else {
        out.text(&summary(&field, &args.out));
    }
    match over {
        Ok(()) => {
            session.close();
            Ok(if field.findings.is_empty() {
                exit::PASSED
            } else {
                exit::FAILED
            })
        }
        Err(Over::Stop(Stop::Interrupted)) => Err(Error::Interrupted(format!(
            ": `classay hunt --resume --out {} --hours {}` goes on",
            args.out.display(),
            args.hours
        ))),
        Err(Over::Stop(stop @ Stop::NoDevice(_))) => Err(stop.into()),
        Err(Over::Journal(error)) => Err(Error::Output {
            path,
            reason: error.to_string(),
        }),
        Err(Over::Error(failure)) => Err(failure),
    }
}

fn unreadable(path: &Path, error: JournalError) -> Error {
    match error {
        JournalError::Io(error) => Error::Output {
            path: path.to_path_buf(),
            reason: error.to_string(),
        },
        JournalError::Line { .. } => Error::Usage(format!("{}: {error}", path.display())),
    }
}

/// The terms of a hunt that goes on, where nothing has changed under it.
fn same(terms: Terms, device: &For) -> Result<Terms, Error> {
    let wrong = |what: &str, was: &str, is: &str| {
        Err(Error::Usage(format!(
            "this hunt began with {what} {was}, and this is {is}: begin another with --out DIR"
        )))
    };
    if terms.classay != env!("CARGO_PKG_VERSION") {
        return wrong("classay", &terms.classay, env!("CARGO_PKG_VERSION"));
    }
    if terms.device != *device {
        let text = |d: &For| format!("{} {} {} {}", d.platform, d.name, d.version, d.driver);
        return wrong("the device", &text(&terms.device), &text(device));
    }
    Ok(terms)
}

struct Hunter<'a> {
    args: &'a HuntArgs,
    terms: &'a Terms,
    model: &'a ChosenModel,
    interrupt: &'a Interrupt,
    session: Session,
    journal: Journal,
    field: Field,
    quarry: Vec<Quarry>,
    /// Tests that the device does not run.
    unfit: HashSet<String>,
    /// Seconds of earlier sessions.
    before: f64,
    begun: Instant,
    told: Instant,
    /// Choices of a shape.
    turn: u32,
}

impl Hunter<'_> {
    fn now(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    fn left(&self) -> f64 {
        self.args.hours * 3600.0 - self.now()
    }

    /// The time is over, or enough was found.
    fn is_over(&self) -> bool {
        let found = self.field.findings.len();
        self.left() <= 0.0 || self.args.findings.is_some_and(|n| found >= n as usize)
    }

    fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.args.case_timeout)
    }

    fn note(&mut self, record: Record) -> Result<(), Over> {
        self.journal.add(&record)?;
        self.field.note(&record);
        Ok(())
    }

    /// A stream that no earlier session has used: all that was written down is part of its name.
    fn stream(&self, what: &str) -> ChaCha8Rng {
        let name = format!(
            "{what}-{}-{}",
            self.field.pulls,
            self.field.environments.len()
        );
        seed::stream(self.terms.seed, &CaseId::new("hunt", "stream", &name))
    }

    fn go(&mut self, first: bool) -> Result<(), Over> {
        if first {
            self.note(Record::Begin(self.terms.clone()))?;
        }
        self.first_pool()?;
        if let Some(pull) = self.field.open.clone() {
            self.write_up(&pull, None)?;
        }
        while !self.is_over() {
            if self.interrupt.came() {
                return Err(Stop::Interrupted.into());
            }
            self.batch()?;
            let records = {
                let mut rng = self.stream("pool");
                let capabilities = &self.session.known().capabilities;
                self.field.renew(&mut Drawing {
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
        if !self.field.environments.is_empty() {
            return Ok(());
        }
        let mut first = vec![Environment::default()];
        let file = self.terms.device.file().filter(|file| file.exists());
        if let Some(file) = file {
            match Tuned::read(&file) {
                Ok(tuned) => {
                    say(&format!("environments of {}", file.display()));
                    first.push(tuned.merged);
                    first.extend(tuned.environments);
                }
                Err(why) => say(&format!("{why}; it is left out")),
            }
        }
        for environment in first {
            let number = self.field.fresh();
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
        for (place, one) in self.quarry.iter().enumerate() {
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
            let shape = shapes[self.field.bandit.shape(&shapes, self.turn, &mut rng)];
            self.turn += 1;
            // Of those that were played least, any.
            let played = |place: &usize| {
                let name = &self.quarry[*place].name;
                self.field.played.get(name).copied().unwrap_or(0)
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
            cases.push(self.quarry[*place].case.clone());
            // Tests of a shape may share one.
            let mutant = self.quarry[*place].mutant.clone();
            let new = mutant.filter(|m| cases.iter().all(|c| c.id != m.id));
            cases.extend(new);
        }
        self.session.unload()?;
        let loaded = self.session.load(&cases, self.patience())?;
        let mut built: HashSet<CaseId> = HashSet::new();
        for (case, load) in cases.iter().zip(loaded) {
            match load {
                Load::Built => {
                    built.insert(case.id.clone());
                }
                Load::Unfit(why) => tracing::debug!(case = %case.id, why, "does not run"),
                Load::Died(death) => {
                    say(&format!("{} does not build: {}", case.id, death.how));
                }
            }
        }
        let mut usable = Vec::new();
        for place in chosen {
            let one = &self.quarry[place];
            if built.contains(&one.case.id) {
                usable.push(place);
            } else {
                self.unfit.insert(one.name.clone());
            }
        }
        if self.unfit.len() == self.quarry.len() {
            return Err(Over::Error(Error::Nothing(format!(
                "none of {} generated tests can be run on {}",
                self.quarry.len(),
                self.terms.device.name
            ))));
        }
        let mut rng = self.stream("batch");
        for _ in 0..ROUNDS {
            for place in &usable {
                if self.interrupt.came() {
                    return Err(Stop::Interrupted.into());
                }
                if self.is_over() {
                    return Ok(());
                }
                if self.session.loaded() == 0 {
                    self.session.load(&cases, self.patience())?;
                }
                let one = self.quarry[*place].clone();
                self.pull(&one, built.contains(&mutant_id(&one)), &mut rng)?;
                self.tell();
            }
        }
        Ok(())
    }

    /// Plays a test and its mutant in an environment.
    fn pull(&mut self, one: &Quarry, probe: bool, rng: &mut ChaCha8Rng) -> Result<(), Over> {
        let pool = &self.field.pool;
        let number = pool[self.field.bandit.environment(&one.shape, pool, rng)];
        let environment = self.field.environment(number);
        let seed = rng.next_u64();
        let mut trouble = String::new();
        let probe = match &one.mutant {
            Some(mutant) if probe => {
                let case = placed(mutant, &environment, seed, self.terms.slice * PROBE);
                let attempt = self.session.observe(&case, self.patience(), &mut |_| {})?;
                match &attempt.outcome {
                    Outcome::Finished { .. } => {}
                    Outcome::Skipped { reason, .. } | Outcome::Failed { reason, .. } => {
                        trouble = reason.clone();
                    }
                    Outcome::Died(death) => trouble = death.how.to_string(),
                }
                let outcomes = attempt.launches.iter().flat_map(|l| &l.outcomes);
                (!attempt.launches.is_empty()).then(|| Probe {
                    mutant: mutant.test.clone(),
                    weak: outcomes.filter(|o| o.asked).map(|o| o.count).sum(),
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
            self.terms.slice * (1.0 - PROBE),
        );
        let limits = Limits {
            patience: self.patience(),
            retries: 0,
        };
        let result = self.session.run(&case, limits, self.model, &mut |_| {})?;
        let seen = seen_of(&one.program, &result, self.model);
        if seen.forbidden == 0 {
            match result.verdict {
                Verdict::Pass | Verdict::Inconclusive => {}
                Verdict::Fail | Verdict::Crash | Verdict::Timeout | Verdict::Skip => {
                    trouble = format!("{}: {}", result.verdict, result.reason);
                }
            }
        }
        let pull = Pull {
            at: self.now(),
            test: one.name.clone(),
            shape: one.shape.clone(),
            environment: number,
            probe,
            instances: seen.instances,
            seed,
            forbidden: seen.forbidden,
            trouble,
        };
        let worth = self.field.is_news(&pull);
        self.note(Record::Pull(pull.clone()))?;
        if worth {
            self.write_up(&pull, Some((seen, result)))?;
        }
        Ok(())
    }

    /// Reduces a forbidden outcome and writes it up; what was seen is unknown where a hunt goes on after
    /// it was interrupted here.
    fn write_up(&mut self, pull: &Pull, seen: Option<(Seen, CaseResult)>) -> Result<(), Over> {
        let Some(one) = self.quarry.iter().find(|q| q.name == pull.test).cloned() else {
            return Ok(());
        };
        let environment = self.field.environment(pull.environment);
        let limits = Limits {
            patience: self.patience(),
            retries: 0,
        };
        let first = match &seen {
            Some((seen, _)) => *seen,
            None => Seen {
                forbidden: pull.forbidden,
                instances: pull.instances,
                seconds: self.terms.slice,
            },
        };
        say(&format!(
            "{}: a forbidden outcome, {} times in {} instances; looking for the smallest test and \
             environment that show it",
            one.name, first.forbidden, first.instances
        ));
        let known = self
            .field
            .findings
            .iter()
            .any(|f| f.shape == one.shape && f.confirmed);
        let most = (self.args.hours * 3600.0 * REDUCING).max(LEAST);
        // What is like an earlier finding gets less.
        let most = if known { most / 4.0 } else { most };
        let until = Instant::now() + Duration::from_secs_f64(most);
        self.session.unload()?;
        let mut last: Option<(Program, Environment, CaseResult)> = None;
        let mut rng = seed::stream(
            self.terms.seed,
            &CaseId::new("hunt", "again", &pull.seed.to_string()),
        );
        let session = &mut self.session;
        let model = self.model;
        let small: Small = {
            let mut play = |program: &Program, environment: &Environment, seconds: f64| {
                let case = plan::of_program(CaseId::new("hunt", "again", &one.name), program);
                let case = placed(&case, environment, rng.next_u64(), seconds);
                let result = session.run(&case, limits, model, &mut |_| {})?;
                let seen = seen_of(program, &result, model);
                if seen.forbidden > 0 {
                    last = Some((program.clone(), environment.clone(), result));
                }
                Ok::<Seen, Stop>(seen)
            };
            reduce(&one.program, &environment, first, until, &mut play)?
        };
        let result = match (last, seen) {
            (Some((program, environment, result)), _)
                if program == small.program && environment == small.environment =>
            {
                result
            }
            (_, Some((_, result))) if !small.confirmed => result,
            // The last try of what is smallest saw nothing, or the first result is lost.
            _ => {
                let case =
                    plan::of_program(CaseId::new("hunt", "again", &one.name), &small.program);
                let case = placed(&case, &small.environment, rng.next_u64(), 2.0);
                self.session.run(&case, limits, self.model, &mut |_| {})?
            }
        };
        let number = self.field.findings.len() + 1;
        let name = format!("finding-{number:03}-{}", file_name(&one.name));
        let folder = self.args.out.join(&name);
        let known = self.session.known().clone();
        let found: Found = Finding {
            original: &one.program,
            shape: &one.shape,
            small: &small,
            result: &result,
            model: self.model,
            device: &known.record,
            capabilities: &known.capabilities,
            selector: &self.terms.selector,
            seed: pull.seed,
        }
        .write(&folder, &name)
        .map_err(|e| {
            Over::Error(Error::Output {
                path: folder.clone(),
                reason: e.to_string(),
            })
        })?;
        say(&format!(
            "{}: `{}`{}; written up in {}",
            one.name,
            found.outcome,
            if found.rules.is_empty() {
                String::new()
            } else {
                format!(" breaks {}", found.rules.join(", "))
            },
            folder.display()
        ));
        self.note(Record::Finding(found))
    }

    fn tell(&mut self) {
        if self.told.elapsed().as_secs() < TELL {
            return;
        }
        self.told = Instant::now();
        let field = &self.field;
        let best = field.best().map_or_else(String::new, |n| {
            format!("; best environment {}", field.environment(n).label())
        });
        say(&format!(
            "{:3.0} %  {} instances of {} tests, {} weak outcomes a second in mutants, {} forbidden{best}",
            100.0 * (1.0 - self.left().max(0.0) / (self.args.hours * 3600.0)),
            short(field.instances as f64),
            field.played.len(),
            short(field.weak as f64 / field.probed.max(1e-9)),
            field.forbidden
        ));
    }
}

fn mutant_id(one: &Quarry) -> CaseId {
    let mutant = one.mutant.as_ref().unwrap_or(&one.case);
    mutant.id.clone()
}

fn placed(case: &Case, environment: &Environment, seed: u64, seconds: f64) -> Case {
    Case {
        environment: environment.clone(),
        seed,
        budget: Budget::Seconds(seconds),
        ..case.clone()
    }
}

/// A name of a test as part of the name of a file.
fn file_name(test: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "+-._".contains(c) {
            c
        } else {
            '_'
        }
    };
    test.chars().map(plain).take(60).collect()
}

/// How often a result has an outcome that the model forbids for this program.
fn seen_of(program: &Program, result: &CaseResult, model: &ChosenModel) -> Seen {
    let forbidden = match result.verdict {
        Verdict::Fail => match judge::allowed_values(program.clone(), model) {
            Ok(allowed) => {
                let observables = program.observables();
                let histogram = result.histogram();
                let is = |text: &str| {
                    judge::outcome::state(program, &observables, text)
                        .is_some_and(|state| !allowed.contains(&state.0))
                };
                histogram
                    .iter()
                    .filter(|o| is(&o.outcome))
                    .map(|o| o.count)
                    .sum()
            }
            Err(_) => 0,
        },
        Verdict::Pass
        | Verdict::Inconclusive
        | Verdict::Skip
        | Verdict::Crash
        | Verdict::Timeout => 0,
    };
    Seen {
        forbidden,
        instances: result.instances,
        seconds: result.device_seconds.max(1e-6),
    }
}

fn summary(field: &Field, folder: &Path) -> String {
    let mut text = format!(
        "{} instances of {} conformance tests in {} environments, {:.2} hours\n",
        grouped(field.instances),
        field.played.len(),
        field.environments.len(),
        field.seconds / 3600.0
    );
    text.push_str(&format!(
        "weak outcomes in mutants: {} in {:.1} s\n",
        grouped(field.weak),
        field.probed
    ));
    let shapes: HashSet<&str> = field.findings.iter().map(|f| f.shape.as_str()).collect();
    if !field.trouble.is_empty() {
        text.push_str("trouble:\n");
        let mut trouble: Vec<(&String, &u32)> = field.trouble.iter().collect();
        trouble.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for (what, n) in trouble.iter().take(5) {
            text.push_str(&format!("  {n} times: {what}\n"));
        }
        if trouble.len() > 5 {
            text.push_str(&format!("  and {} kinds more\n", trouble.len() - 5));
        }
    }
    if field.findings.is_empty() {
        text.push_str("no forbidden outcome was seen\n");
    } else {
        text.push_str(&format!(
            "{} forbidden outcomes were written up, of {} shapes:\n",
            field.findings.len(),
            shapes.len()
        ));
    }
    for found in &field.findings {
        text.push_str(&format!(
            "  {}: `{}` {} times in {}{}\n    {}\n",
            found.test,
            found.outcome,
            grouped(found.seen),
            grouped(found.instances),
            if found.confirmed {
                ""
            } else {
                ", not seen again"
            },
            folder.join(&found.folder).join("report.md").display()
        ));
    }
    text
}

fn summary_json(field: &Field, terms: &Terms) -> String {
    let value = serde_json::json!({
        "device": terms.device,
        "seed": terms.seed,
        "model": terms.model,
        "seconds": field.seconds,
        "pulls": field.pulls,
        "tests": field.played.len(),
        "environments": field.environments.len(),
        "instances": field.instances,
        "weak": field.weak,
        "forbidden": field.forbidden,
        "findings": field.findings,
        "trouble": field.trouble,
    });
    value.to_string()
}
