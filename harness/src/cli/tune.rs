//! `classay tune`: environments that make weak outcomes frequent on a device.

use super::args::TuneArgs;
use super::output::{Out, say};
use classay::device::{Capabilities, Selector};
use classay::environment::{self, Drawing, Environment};
use classay::interrupt::Interrupt;
use classay::plan::{Case, seed};
use classay::tune::mutants::{Mutant, Pool, Sight};
use classay::tune::search::{Played, Player, Terms, Trial, search};
use classay::tune::tuned::{For, Tuned, Wanted, ceiling};
use classay::worker::session::{Load, Session, Stop};
use classay::worker::triage::Outcome;
use classay::{Error, exit, open};
use classay_reports::record::CaseId;
use classay_reports::stats::Confidence;
use classay_vocabulary::Budget;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::Duration;

/// Seconds of a mutant in an environment at least.
const SHORTEST: f64 = 0.15;

/// Does it; returns the exit code.
pub fn tune(args: &TuneArgs) -> Result<u8, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let chosen = open::chosen(args.model.as_deref())?;
    let selector = args.device.clone().unwrap_or(Selector::TOUCHSTONE);
    let (mut session, model) = open::judged(&selector, chosen, &interrupt)?;
    let record = session.known().record.clone();
    let out = match &args.out {
        Some(path) => path.clone(),
        None => For::of(&record).file().ok_or_else(|| {
            Error::Usage(
                "there is no folder to keep the result in: set CLASSAY_HOME, or give --out FILE"
                    .into(),
            )
        })?,
    };
    // A file that cannot be written is better known before than after.
    writable(&out)?;
    let seed = args.seed.unwrap_or_else(seed::draw);
    let patience = Duration::from_secs_f64(args.case_timeout);
    let pool = Pool::new(args.mutants as usize, &model.model).map_err(Error::Bug)?;
    let (usable, without) = build(&mut session, &pool, args.mutants as usize, patience)?;
    if usable.is_empty() {
        return Err(Error::Nothing(format!(
            "none of {} mutants can be run on {}",
            without.len(),
            record.name
        )));
    }
    let confidence = Confidence::new(args.reproducibility).unwrap_or(Confidence::P95);
    let wanted = Wanted {
        reproducibility: args.reproducibility,
        seconds_each: args.seconds_each,
        ceiling: ceiling(confidence, usable.len(), args.seconds_each),
    };
    say(&format!(
        "{} mutants on {} ({selector}), driver {}; seed {seed}, about {} s; often enough is {:.1} times a \
         second",
        usable.len(),
        record.name,
        record.driver,
        args.budget,
        wanted.ceiling
    ));
    let terms = Terms {
        seconds: args.budget,
        // Every mutant in a few dozen environments; but not so short that meetings have not yet learned
        // when to begin.
        slice: (args.budget / usable.len() as f64 / 60.0).clamp(SHORTEST, 1.0),
        ceiling: wanted.ceiling,
    };
    let mut rng = seed::stream(seed, &CaseId::new("litmus", "tune", "search"));
    let mut bench = Bench {
        capabilities: session.known().capabilities.clone(),
        seeds: seed::stream(seed, &CaseId::new("litmus", "tune", "seeds")),
        cases: usable.iter().map(|mutant| mutant.case.clone()).collect(),
        session: &mut session,
        patience,
        spent: 0.0,
        tried: 0,
        most: 0,
    };
    let (found, halted) = search(&mut bench, usable.len(), terms, &mut rng);
    let spent = bench.spent;
    let not_run = without.len();
    let tuned = Tuned::new(&record, seed, wanted, &usable, not_run, &found, spent);
    let text = tuned.to_yaml().map_err(Error::Bug)?;
    std::fs::write(&out, &text).map_err(|e| Error::Output {
        path: out.clone(),
        reason: e.to_string(),
    })?;
    let mut console = Out::new();
    if args.json {
        // Names and numbers: nothing in it can fail to become JSON.
        console.line(&serde_json::to_string(&tuned).unwrap_or_default());
    } else {
        console.text(&told(&tuned));
    }
    say(&format!("kept in {}", out.display()));
    match halted {
        None => {
            session.close();
            Ok(exit::PASSED)
        }
        Some(Stop::Interrupted) => Err(Error::Interrupted(format!(
            ": what was found in {spent:.0} s is kept in {}",
            out.display()
        ))),
        Some(stop @ Stop::NoDevice(_)) => Err(stop.into()),
    }
}

/// Chooses mutants that the device can run, and builds them; also the names of those that it cannot, in
/// whose places others are.
fn build(
    session: &mut Session,
    pool: &Pool,
    count: usize,
    patience: Duration,
) -> Result<(Vec<Mutant>, HashSet<String>), Error> {
    let mut without: HashSet<String> = HashSet::new();
    let mut reasons: BTreeSet<String> = BTreeSet::new();
    let mut built: HashSet<String> = HashSet::new();
    let usable = loop {
        let chosen = pool.choose(count, &session.known().capabilities, &without);
        let new = chosen.iter().filter(|m| !built.contains(&m.name));
        let new: Vec<&Mutant> = new.collect();
        if new.is_empty() {
            break chosen;
        }
        let cases: Vec<Case> = new.iter().map(|mutant| mutant.case.clone()).collect();
        for (mutant, load) in new.iter().zip(session.load(&cases, patience)?) {
            let name = mutant.name.clone();
            match load {
                Load::Built => {
                    built.insert(name);
                }
                Load::Unfit(reason) => {
                    reasons.insert(reason);
                    without.insert(name);
                }
                Load::Died(death) => {
                    say(&format!("{name} does not build: {}", death.how));
                    without.insert(name);
                }
            }
        }
    };
    if !reasons.is_empty() {
        let reasons: Vec<String> = reasons.into_iter().collect();
        say(&format!(
            "{} mutants do not run here, others are in their places: {}",
            without.len(),
            reasons.join("; ")
        ));
    }
    Ok((usable, without))
}

fn writable(out: &Path) -> Result<(), Error> {
    let failure = |reason: std::io::Error| Error::Output {
        path: out.to_path_buf(),
        reason: reason.to_string(),
    };
    if let Some(folder) = out.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failure)?;
    }
    // Opening for appending changes nothing of an earlier result.
    let mut open = std::fs::OpenOptions::new();
    open.create(true).append(true).open(out).map_err(failure)?;
    Ok(())
}

/// A device that plays mutants.
struct Bench<'s> {
    session: &'s mut Session,
    cases: Vec<Case>,
    capabilities: Capabilities,
    seeds: ChaCha8Rng,
    patience: Duration,
    spent: f64,
    tried: usize,
    most: usize,
}

impl Player for Bench<'_> {
    type Halt = Stop;

    fn play(
        &mut self,
        mutant: usize,
        environment: &Environment,
        seconds: f64,
    ) -> Result<Played, Stop> {
        if self.session.loaded() == 0 {
            self.session.load(&self.cases, self.patience)?;
        }
        let case = Case {
            environment: environment.clone(),
            seed: self.seeds.next_u64(),
            budget: Budget::Seconds(seconds),
            ..self.cases[mutant].clone()
        };
        let attempt = self.session.observe(&case, self.patience, &mut |_| {})?;
        self.spent += attempt.seconds;
        let (built, trouble) = match &attempt.outcome {
            Outcome::Finished { build_seconds, .. } => (*build_seconds, None),
            Outcome::Skipped { reason, .. } | Outcome::Failed { reason, .. } => {
                (0.0, Some(reason.clone()))
            }
            Outcome::Died(death) => (0.0, Some(death.how.to_string())),
        };
        // What launches took by the device's clock is stretched to what the whole took by the wall's.
        let on_device: f64 = attempt.launches.iter().map(|launch| launch.seconds).sum();
        let stretch = if on_device > 0.0 {
            (attempt.seconds - built).max(0.0) / on_device
        } else {
            0.0
        };
        let launches = attempt.launches.iter().map(|launch| {
            let asked = launch.outcomes.iter().filter(|o| o.asked);
            (asked.map(|o| o.count).sum(), launch.seconds * stretch)
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

    fn told(&mut self, trial: &Trial, enough: usize, gone: f64) {
        self.tried += 1;
        let all = self.cases.len();
        let gone = 100.0 * gone.min(1.0);
        if enough > self.most || self.tried == 1 {
            self.most = enough;
            say(&format!(
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

/// What was found, for a terminal.
fn told(tuned: &Tuned) -> String {
    let mut text = String::from("per second: merged      best  of        mutant\n");
    let rate = |rate: Option<[f64; 3]>| match rate {
        Some([0.0, _, high]) => format!("<{high:.1}"),
        Some([rate, _, _]) if rate < 10.0 => format!("{rate:.2}"),
        Some([rate, _, _]) => classay_reports::text::number::short(rate),
        None => "-".into(),
    };
    for mutant in &tuned.mutants {
        text.push_str(&format!(
            "{:>18} {:>9}  {:8}  {}{}\n",
            rate(mutant.in_merged),
            rate(mutant.rate),
            mutant.best.as_deref().unwrap_or("none"),
            mutant.name,
            match mutant.sight {
                Sight::Interleaving => " (an interleaving)",
                Sight::X86 => "",
                Sight::Weaker => " (not on x86)",
            }
        ));
    }
    let score = &tuned.score;
    let percent = |n: usize, of: usize| 100.0 * n as f64 / of.max(1) as f64;
    text.push_str(&format!(
        "\nmutation score: {} of {} mutants were seen ({:.1} %)\n",
        score.killed,
        score.mutants,
        percent(score.killed, score.mutants),
    ));
    for (part, what) in [
        (score.interleaving, "that an interleaving allows"),
        (score.x86, "more that x86-TSO allows"),
        (score.weaker, "that x86-TSO forbids"),
    ] {
        if part.mutants > 0 {
            let percent = percent(part.killed, part.mutants);
            text.push_str(&format!(
                "  {:2} of {:2} {what} ({percent:.1} %)\n",
                part.killed, part.mutants
            ));
        }
    }
    text.push_str(&format!(
        "often enough ({:.1} a second): {} in the best environment of each, {} in the\nmerged one; \
         {} environments were tried in {:.0} s\n",
        tuned.wanted.ceiling,
        score.often_enough,
        score.often_enough_in_merged,
        tuned.tried,
        tuned.seconds
    ));
    if let Some(budget) = tuned.budget {
        text.push_str(&format!(
            "a run of {budget:.3} s in the merged environment shows all that it shows again with a\n\
             probability of {:.0} %\n",
            100.0 * tuned.wanted.reproducibility
        ));
    }
    if !tuned.trouble.is_empty() {
        text.push_str(&format!(
            "{} environments gave trouble; the file has them\n",
            tuned.trouble.len()
        ));
    }
    text
}
