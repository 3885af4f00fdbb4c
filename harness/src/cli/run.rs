//! `classay run`: the shipped tests on a device, within a budget.

use super::options::{
    DEFAULT_STORE, ModelOption, PlacementOptions, SeedOption, SelectOption, SessionOptions,
    StoppingOptions, of_a_kind, seconds,
};
use super::output::{Out, can_be_written, complain, paper, say, say_folded};
use super::progress::{Progress, Shown, Talk};
use clap::Args;
use classay::environment::Environment;
use classay::interrupt::Interrupt;
use classay::plan::Plan;
use classay::plan::shard::Shard;
use classay::run::{Active, Conduct, Results, Run, Source, Stored, failures};
use classay::worker::protocol::Known;
use classay::worker::session::Limits;
use classay::{Error, shrink};
use classay_reports::expectation::Expectations;
use classay_reports::json::TestJson;
use classay_reports::record::CaseResult;
use classay_reports::text::{self, summary};
use classay_vocabulary::{Budget, ExitCode};
use std::path::Path;
use std::time::Duration;

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunOptions {
    #[command(flatten)]
    session: SessionOptions,
    /// End the run after this many seconds; what it did not reach is counted [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "instances")]
    budget: Option<f64>,
    /// Run every case to its end, however long that takes; the cases share the budget
    #[arg(long)]
    full: bool,
    /// Run this many cases beside each other [default: one more than there are processors]; litmus tests, whose
    /// outcomes are counted, always run alone
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Run exactly this many instances of each case instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    instances: Option<u64>,
    /// Shrink each generated case that failed, in at most this many seconds [60 if left out], and keep it
    /// beside the store
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
          default_missing_value = "60", value_parser = seconds)]
    shrink: Option<f64>,
    /// Run only this part of the cases, as 3/16; needs --seed, and `classay merge` puts parts together
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Generate this many cases of each kind, four times as many litmus tests, and eight times as many of
    /// computed kernels; of kinds that make the same calls from every seed, one or two
    #[arg(long, value_name = "N", default_value_t = Run::PROGRAMS, value_parser = of_a_kind())]
    programs: u32,
    /// Run this many bounded-exhaustive programs of commands, spread over the list of all 12,000
    #[arg(long, value_name = "N", default_value_t = Run::BOUNDED)]
    bounded: u32,
    /// Resume the last unfinished run of the store
    #[arg(long)]
    resume: bool,
    /// End the run after this many failures that --expect does not name
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_fail: Option<u32>,
    /// Print the cases that would run, and run nothing
    #[arg(long, conflicts_with = "resume")]
    list: bool,
    /// Print errors and the result only: no live view, no line now and then
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    select: SelectOption,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    model: ModelOption,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    environment: PlacementOptions,
}

impl RunOptions {
    /// How the run is conducted.
    fn conduct(&self) -> Conduct {
        let usual = self.session.triage.conduct();
        Conduct {
            full: self.full,
            jobs: self.jobs.map_or(usual.jobs, usize::from),
            most_failures: self.max_fail,
            ..usual
        }
    }

    /// The budget that was asked for, where one was.
    fn asked(&self) -> Option<Budget> {
        match (self.instances, self.budget) {
            (Some(n), _) => Some(Budget::Instances(n)),
            (None, Some(seconds)) => Some(self.stopping.within(seconds)),
            (None, None) if self.stopping.given() => Some(self.stopping.within(Run::BUDGET)),
            (None, None) => None,
        }
    }
}

/// Does it; returns the exit code.
pub fn main(args: &RunOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let path = args
        .session
        .store
        .store
        .clone()
        .unwrap_or_else(|| DEFAULT_STORE.into());
    if args.list {
        return list(args);
    }
    if let Some(path) = &args.session.junit.junit {
        can_be_written(path)?;
    }
    let active = if args.resume {
        let stored = Stored::last(&path)?;
        agree(args, &stored)?;
        if stored.is_complete() {
            say(&format!(
                "run {} of {} is complete",
                stored.run().id,
                path.display()
            ));
            let results = stored.results(&args.session.expect.gate(), &say)?;
            earlier(args, &results, &mut Out::new());
            return report(args, &results);
        }
        stored.resume(
            &args.conduct(),
            &args.session.expect.gate(),
            &interrupt,
            &say,
        )?
    } else {
        begin(args, &path, &interrupt)?
    };
    if !args.quiet {
        introduce(&active, &path)?;
    }
    go(args, active, &interrupt)
}

fn begin(args: &RunOptions, path: &Path, interrupt: &Interrupt) -> Result<Active, Error> {
    let run = Run {
        model: args.model.chosen()?,
        environment: args.environment.fixed()?,
        store: Some(path.to_path_buf()),
        ..asked(args)
    };
    run.begin(interrupt, &say)
}

/// What was asked for, as far as no file has to be read.
fn asked(args: &RunOptions) -> Run {
    Run {
        cases: Source::Generated {
            programs: args.programs,
            small: args.bounded,
        },
        selection: args.select.selection(),
        budget: args.asked().unwrap_or(Budget::Seconds(Run::BUDGET)),
        seed: args.seed.seed,
        shard: args.shard,
        conduct: args.conduct(),
        ..args.session.run()
    }
}

/// Prints the cases that would run, a line each.
fn list(args: &RunOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    for case in asked(args).cases()? {
        match args.session.json.json {
            true => {
                let object = serde_json::json!({"case": case.id.as_str(), "test": case.test});
                out.line(&object.to_string());
            }
            false => out.line(case.id.as_str()),
        }
    }
    Ok(ExitCode::Passed)
}

/// Options given with `--resume` must be those of the run.
fn agree(args: &RunOptions, stored: &Stored) -> Result<(), Error> {
    let plan = stored.plan();
    let differs = |option: &str, is: String| {
        Err(Error::Usage(format!(
            "run {} was begun with {option} {is}; leave {option} out to resume it, or --resume to \
             begin a new run",
            stored.run().id
        )))
    };
    if args
        .session
        .device
        .given()
        .is_some_and(|d| d.to_string() != plan.device)
    {
        return differs("--device", plan.device.clone());
    }
    if args.model.name()?.is_some_and(|m| m != plan.model) {
        return differs("--model", plan.model.clone());
    }
    if args.seed.seed.is_some_and(|s| s != plan.seed) {
        return differs("--seed", plan.seed.to_string());
    }
    let shard = plan.part.as_ref().map(|part| part.shard);
    if args.shard.is_some() && args.shard != shard {
        let is = shard.map_or("not given".into(), |shard| shard.to_string());
        return differs("--shard", is);
    }
    let selection = args.select.selection();
    if !selection.is_all() && selection != plan.selection {
        return differs("the selection", plan.selection.to_string());
    }
    if args.environment.given() {
        let asked = args.environment.read()?;
        if asked != plan.environment {
            return differs("the environment", plan.environment.label());
        }
    }
    match (args.asked(), plan.asked) {
        (Some(asked), is) if asked == is => Ok(()),
        (None, _) => Ok(()),
        (Some(_), Budget::Seconds(s)) => differs("--budget", s.to_string()),
        (Some(_), Budget::Enough { seconds, enough }) => {
            let what = format!("{seconds} with {enough}");
            differs("--budget", what)
        }
        (Some(_), Budget::Instances(n)) => differs("--instances", n.to_string()),
    }
}

/// With `--json`, what a resumed run has already: the lines are those of the whole run.
fn earlier(args: &RunOptions, kept: &Results, out: &mut Out) {
    if args.session.json.json {
        let device = kept.run().device.as_ref().map_or("", |d| d.name.as_str());
        for result in kept.all() {
            out.line(&line(result, device, kept.expectations()));
        }
    }
}

/// A result as `--json` prints it.
fn line(result: &CaseResult, device: &str, expectations: &Expectations) -> String {
    TestJson::new(result, device)
        .compared_with(expectations.of(result))
        .to_line()
}

/// The words for an environment that was asked for.
pub(super) fn within(environment: &Environment) -> String {
    if *environment == Environment::default() {
        String::new()
    } else {
        format!(", environment {}", environment.label())
    }
}

/// Says on standard error what is about to happen.
fn introduce(active: &Active, path: &Path) -> Result<(), Error> {
    let plan = Plan::from_text(&active.results().run().record.plan).map_err(Error::Bug)?;
    let cases = active.cases().len();
    let known: &Known = active.known();
    let record = &known.record;
    let how_long = match plan.asked {
        Budget::Seconds(s) => format!("about {s} s in all"),
        Budget::Enough { seconds, enough } => {
            format!("at most about {seconds} s in all, {enough}")
        }
        Budget::Instances(n) => format!("{n} instances each"),
    };
    let mut which = if cases == plan.cases {
        format!("{cases} cases")
    } else {
        format!("the {cases} cases left of {}", plan.cases)
    };
    if let Some(part) = &plan.part {
        which += &format!(" (shard {} of {} cases)", part.shard, part.cases);
    }
    say_folded(&format!(
        "classay {}: {which} on {} ({}), driver {}{}\njudged by {}, seed {}, {how_long}, results in {}",
        env!("CARGO_PKG_VERSION"),
        record.name,
        plan.device,
        record.driver,
        within(&plan.environment),
        plan.model,
        plan.seed,
        path.display()
    ));
    for mismatch in &record.findings {
        say_folded(&format!("capability mismatch: {mismatch}"));
    }
    Ok(())
}

fn go(args: &RunOptions, mut active: Active, interrupt: &Interrupt) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    earlier(args, active.results(), &mut out);
    let planned = active.results().run().planned as usize;
    let talk = match (args.quiet, args.session.json.json) {
        (true, _) => Talk::Nothing,
        (false, true) => Talk::Live,
        (false, false) => Talk::Always,
    };
    let device = active.known().record.name.clone();
    let expectations = active.results().expectations().clone();
    let ended = active.go(&mut Shown {
        progress: Progress::new(active.results().all().len(), planned, talk),
        write: |result: &CaseResult| {
            if args.session.json.json {
                out.line(&line(result, &device, &expectations));
            }
        },
    });
    match ended {
        Ok(()) if planned == 0 => {
            say("no case is in this shard: there is nothing to do");
            report(args, &active.close())
        }
        Ok(()) => {
            let code = report(args, active.results())?;
            if let Some(most) = args
                .max_fail
                .filter(|_| active.results().has_failed_enough())
            {
                let s = if most == 1 { "" } else { "s" };
                say(&format!("ended after {most} failure{s} (--max-fail)"));
            }
            after(args, &mut active, interrupt)?;
            active.close();
            Ok(code)
        }
        Err(halt) => {
            let error = active.halted(halt, resume_command);
            let results = active.close();
            show(args, &results);
            write_junit(args.session.junit.junit.as_deref(), &results);
            Err(error)
        }
    }
}

/// What failed is shrunk and kept, or the user is told how to get at it.
fn after(args: &RunOptions, active: &mut Active, interrupt: &Interrupt) -> Result<(), Error> {
    let device = active.known().record.selector.clone();
    let kept = active.results();
    let master = kept.run().record.seed;
    // What is expected to fail is known already.
    let failed: Vec<CaseResult> = kept
        .all()
        .iter()
        .filter(|result| result.verdict.is_failure() && !kept.expectations().passes(result))
        .cloned()
        .collect();
    let (Some(limit), Some(store)) = (args.shrink, kept.store_path().map(Path::to_path_buf)) else {
        if let Some(advice) = failures::advice(&failed, master, &device) {
            say(&advice);
        }
        return Ok(());
    };
    let (session, model) = active.session();
    let options = shrink::Options {
        limits: Limits::once(args.session.triage.limits().patience.waiting),
        model,
        runs: RUNS_TO_SHRINK,
        wanted: &[],
        keep: None,
        limit: Some(Duration::from_secs_f64(limit)),
        interrupt,
        notify: &say,
    };
    failures::keep(session, &failed, (&store, master, &device), &options)
}

/// Runs of a failed program that say how it fails, before it is made small.
const RUNS_TO_SHRINK: u64 = 30;

/// The JUnit file of a run that halted; that it cannot be written is not what the user must know
/// first, so it is only said.
pub(super) fn write_junit(path: Option<&Path>, results: &Results) {
    if let Some(Err(error)) = path.map(|path| results.write_junit(path)) {
        complain(&error.to_string());
    }
}

fn resume_command(path: &Path) -> String {
    if path == Path::new(DEFAULT_STORE) {
        "classay run --resume".into()
    } else {
        format!("classay run --resume --store {}", path.display())
    }
}

/// The table, the JUnit file, the exit code.
fn report(args: &RunOptions, kept: &Results) -> Result<ExitCode, Error> {
    show(args, kept);
    if let Some(path) = &args.session.junit.junit {
        kept.write_junit(path)?;
    }
    kept.exit_code()
}

fn show(args: &RunOptions, kept: &Results) {
    // With --json the results are there already.
    if !args.session.json.json {
        Out::new().text(&summary(
            kept.run(),
            kept.all(),
            kept.expectations(),
            paper(),
        ));
    }
    if let Some(reach) = &kept.run().reach {
        let how = match reach.unreached.is_empty() {
            true => String::new(),
            false => "; --resume goes on, with --full to the end".into(),
        };
        say_folded(&format!("{}{how}", text::reach(reach)));
    }
}
