//! `classay run`: the shipped tests on a device, within a budget.

use super::args::{DEFAULT_BUDGET, DEFAULT_STORE, RunArgs};
use super::drive::{Pace, Terms, chosen, devices_own, drive, halted, open, surroundings};
use super::failure::Failure;
use super::failures;
use super::keep::{Kept, expect};
use super::output::{Out, colour, complain, say, say_folded};
use super::progress::{Progress, Talk};
use super::shrink;
use crate::device::{Selector, same};
use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{self, Case, Plan, seed, select};
use crate::worker::protocol::Known;
use crate::worker::session::{Limits, Session};
use classay_reports::expectation::Expectations;
use classay_reports::json::TestJson;
use classay_reports::record::CaseResult;
use classay_reports::store::{Run, RunStatus, Store};
use classay_reports::text::summary;
use classay_vocabulary::Budget;
use std::path::Path;
use std::time::Duration;

/// Does it; returns the exit code.
pub fn run(args: &RunArgs) -> Result<u8, Failure> {
    let interrupt = Interrupt::listen().map_err(Failure::Bug)?;
    let path = args.store.clone().unwrap_or_else(|| DEFAULT_STORE.into());
    if args.resume {
        resume(args, &path, &interrupt)
    } else {
        begin(args, &path, &interrupt)
    }
}

fn begin(args: &RunArgs, path: &Path, interrupt: &Interrupt) -> Result<u8, Failure> {
    let mut cases = plan::shipped().map_err(Failure::Bug)?;
    cases.extend(plan::small(args.small));
    cases.extend(plan::drawn(args.programs));
    let all = cases.len();
    cases.retain(|case| select::selected(&args.select, case));
    if cases.is_empty() {
        return Err(Failure::Nothing(format!(
            "no case is selected: none of the {all} shipped cases matches {}; a pattern has to \
             match a whole name or id, as in --select 'MP*'",
            args.select.join(" or ")
        )));
    }
    let chosen = chosen(args.model.as_deref())?;
    if args.shard.is_some() && args.seed.is_none() {
        return Err(Failure::Usage(
            "a shard needs the master seed of the whole run, or the shards would be of different \
             runs: give each the same --seed"
                .into(),
        ));
    }
    let seed = args.seed.unwrap_or_else(seed::draw);
    let asked = args.asked().unwrap_or(Budget::Seconds(DEFAULT_BUDGET));
    let (mut cases, part) = plan::part(cases, seed, args.shard);
    plan::share_out(&mut cases, seed, asked);
    let given = args.surroundings.environment().map_err(Failure::Usage)?;
    let selector = args.device.clone().unwrap_or(Selector::TOUCHSTONE);
    let store = Store::open(path)?;
    let session = open(&selector, interrupt)?;
    let environment = surroundings(&args.surroundings, given, &session.known().record)?;
    for case in &mut cases {
        if case.body.is_litmus() {
            case.environment = environment.clone();
        }
    }
    let model = match chosen {
        Some(model) => model,
        None => devices_own(&session)?,
    };
    let plan = Plan::new(
        selector.to_string(),
        model.given.clone(),
        seed,
        args.select.clone(),
        asked,
        &cases,
        part,
    );
    if !args.quiet {
        introduce(&plan, session.known(), path, cases.len());
    }
    let expectations = expect(&args.expect, &session.known().record)?;
    let mut kept = Kept::begin(Some(store), &plan, &cases, session.known())?;
    kept.expect(expectations);
    go(args, session, &cases, &model, kept, interrupt)
}

fn resume(args: &RunArgs, path: &Path, interrupt: &Interrupt) -> Result<u8, Failure> {
    if !path.exists() {
        return Err(Failure::Usage(format!(
            "there is no results store {} to resume from; --store names another",
            path.display()
        )));
    }
    let store = Store::open(path)?;
    let Some(run) = store.unfinished_run(None)? else {
        return nothing_left(args, store, path);
    };
    let version = env!("CARGO_PKG_VERSION");
    if run.record.version != version {
        return Err(Failure::Usage(format!(
            "run {} of {} was begun by classay {}, and this is {version}: its other half would not \
             be the same experiment; begin a new run",
            run.id,
            path.display(),
            run.record.version
        )));
    }
    let plan = Plan::from_text(&run.record.plan).map_err(Failure::Bug)?;
    agree(args, &plan, &run)?;
    let selector: Selector = plan
        .device
        .parse()
        .map_err(|e| Failure::Bug(format!("the stored device {}: {e}", plan.device)))?;
    // Before the device, as when the run began.
    let model = ChosenModel::load(&plan.model).map_err(Failure::Usage)?;
    let cases = store
        .pending_cases(run.id)?
        .into_iter()
        .map(Case::from_planned)
        .collect::<Result<Vec<Case>, String>>()
        .map_err(Failure::Bug)?;
    let session = open(&selector, interrupt)?;
    same_device(&run, session.known())?;
    if !args.quiet {
        introduce(&plan, session.known(), path, cases.len());
    }
    let expectations = expect(&args.expect, &session.known().record)?;
    let mut kept = Kept::resume(store, run)?;
    kept.expect(expectations);
    go(args, session, &cases, &model, kept, interrupt)
}

/// Options given with `--resume` must be those of the run.
fn agree(args: &RunArgs, plan: &Plan, run: &Run) -> Result<(), Failure> {
    let differs = |option: &str, is: String| {
        Err(Failure::Usage(format!(
            "run {} was begun with {option} {is}; leave {option} out to resume it, or --resume to \
             begin a new run",
            run.id
        )))
    };
    if args
        .device
        .as_ref()
        .is_some_and(|d| d.to_string() != plan.device)
    {
        return differs("--device", plan.device.clone());
    }
    if args.model.as_ref().is_some_and(|m| *m != plan.model) {
        return differs("--model", plan.model.clone());
    }
    if args.seed.is_some_and(|s| s != plan.seed) {
        return differs("--seed", plan.seed.to_string());
    }
    let shard = plan.part.as_ref().map(|part| part.shard);
    if args.shard.is_some() && args.shard != shard {
        let is = shard.map_or("not given".into(), |shard| shard.to_string());
        return differs("--shard", is);
    }
    if !args.select.is_empty() && args.select != plan.select {
        return differs("--select", plan.select.join(" --select "));
    }
    if args.surroundings.given() {
        let asked = args.surroundings.environment().map_err(Failure::Usage)?;
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

/// Half a run on one driver and half on another would be no run.
fn same_device(run: &Run, known: &Known) -> Result<(), Failure> {
    match &run.device {
        Some(device) if same::differs(device, &known.record) => Err(Failure::NoDevice(format!(
            "the device is not what it was when run {} began: it was {}, and is {}, or its \
             capabilities changed; begin a new run",
            run.id,
            same::title(device),
            same::title(&known.record),
        ))),
        Some(_) | None => Ok(()),
    }
}

/// `--resume` where every run is done: says again how the last one ended.
fn nothing_left(args: &RunArgs, store: Store, path: &Path) -> Result<u8, Failure> {
    let Some(run) = store.runs()?.pop() else {
        return Err(Failure::Usage(format!(
            "the results store {} has no run to resume",
            path.display()
        )));
    };
    agree(
        args,
        &Plan::from_text(&run.record.plan).map_err(Failure::Bug)?,
        &run,
    )?;
    say(&format!("run {} of {} is complete", run.id, path.display()));
    let expectations = match &run.device {
        Some(device) => expect(&args.expect, device)?,
        None => Expectations::default(),
    };
    let mut kept = Kept::resume(store, run)?;
    kept.expect(expectations);
    kept.finish(RunStatus::Done)?;
    before(args, &kept, &mut Out::new());
    report(args, &kept)
}

/// With `--json`, what a resumed run has already: the lines are those of the whole run.
fn before(args: &RunArgs, kept: &Kept, out: &mut Out) {
    if args.json {
        let device = kept.run().device.as_ref().map_or("", |d| d.name.as_str());
        for result in kept.results() {
            out.line(&line(result, device, kept.expectations()));
        }
    }
}

/// A result as `--json` prints it.
fn line(result: &CaseResult, device: &str, expectations: &Expectations) -> String {
    TestJson::new(result, device)
        .held_against(expectations.of(result))
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
fn introduce(plan: &Plan, known: &Known, path: &Path, cases: usize) {
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
    for finding in &record.findings {
        say_folded(&format!("finding: {finding}"));
    }
}

fn go(
    args: &RunArgs,
    session: Session,
    cases: &[Case],
    model: &ChosenModel,
    kept: Kept,
    interrupt: &Interrupt,
) -> Result<u8, Failure> {
    let mut kept = kept;
    let mut session = session;
    let device = session.known().record.name.clone();
    let mut out = Out::new();
    before(args, &kept, &mut out);
    if let Some(path) = &args.junit {
        // A file that cannot be written is better known before than after.
        kept.write_junit(path)?;
    }
    let planned = kept.run().planned as usize;
    let talk = match (args.quiet, args.json) {
        (true, _) => Talk::Nothing,
        (false, true) => Talk::Live,
        (false, false) => Talk::Cases,
    };
    let progress = Progress::new(kept.results().len(), planned, talk);
    let expectations = kept.expectations().clone();
    let ended = drive(
        &mut session,
        cases,
        Terms {
            limits: args.care.limits(),
            model,
            pace: Pace::within(cases),
        },
        &mut kept,
        progress,
        &mut |result: &CaseResult| {
            if args.json {
                out.line(&line(result, &device, &expectations));
            }
        },
    );
    match ended {
        Ok(()) if cases.is_empty() && kept.run().planned == 0 => {
            say("no case is in this shard: there is nothing to do");
            session.close();
            report(args, &kept)
        }
        Ok(()) => {
            let code = report(args, &kept)?;
            after(args, &mut session, model, &kept, interrupt)?;
            session.close();
            Ok(code)
        }
        Err(halt) => {
            drop(session);
            show(args, &kept);
            write_junit(args, &kept);
            let resume = || kept.store_path().map(resume_command);
            Err(halted(halt, &kept, &resume))
        }
    }
}

/// What failed is kept small, or the user is told how to get at it.
fn after(
    args: &RunArgs,
    session: &mut Session,
    model: &ChosenModel,
    kept: &Kept,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let device = session.known().record.selector.clone();
    let master = kept.run().record.seed;
    // What is expected to fail is known already.
    let failed: Vec<CaseResult> = kept
        .results()
        .iter()
        .filter(|result| result.verdict.is_failure() && !kept.expectations().passes(result))
        .cloned()
        .collect();
    let (Some(limit), Some(store)) = (args.shrink, kept.store_path()) else {
        if let Some(advice) = failures::advice(&failed, master, &device) {
            say(&advice);
        }
        return Ok(());
    };
    let terms = shrink::Terms {
        limits: Limits {
            retries: 0,
            ..args.care.limits()
        },
        model,
        runs: RUNS_TO_SHRINK,
        limit: Some(Duration::from_secs_f64(limit)),
        interrupt,
    };
    failures::keep(session, &failed, (store, master, &device), &terms)
}

/// Runs of a failed program that say how it fails, before it is made small.
const RUNS_TO_SHRINK: u64 = 30;

/// The JUnit file of a run that halted; that it cannot be written is not what the user must know
/// first, so it is only said.
fn write_junit(args: &RunArgs, kept: &Kept) {
    if let Some(Err(failure)) = args.junit.as_ref().map(|path| kept.write_junit(path)) {
        complain(&failure.to_string());
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
fn report(args: &RunArgs, kept: &Kept) -> Result<u8, Failure> {
    show(args, kept);
    if let Some(path) = &args.junit {
        kept.write_junit(path)?;
    }
    kept.code()
}

fn show(args: &RunArgs, kept: &Kept) {
    if args.json {
        return;
    }
    let device = kept.run().device.as_ref().map_or("", |d| d.name.as_str());
    let planned = kept.run().planned as usize;
    Out::new().text(&summary(
        device,
        planned,
        kept.results(),
        kept.expectations(),
        colour(),
    ));
}
