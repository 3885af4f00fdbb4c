//! Shrinks a failing program of commands, kernel case or API case.
//!
//! Every one that is tried is run in a worker, so that one that crashes or hangs costs a try and not the
//! search. [`crate::run::failures`] does the same for what failed in a run. The judge runs it in batches and
//! stops when it has seen as many failures as it needs, or cannot see them any more.

use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{Body, Case, Work};
use crate::worker::death::How;
use crate::worker::session::{Limits, Session, Stop};
use crate::worker::triage::{Ending, conclude};
use crate::{Error, Notify};
use classay_reports::record::{CaseId, CaseResult, Verdict, Violation};
use classay_reports::stats::{Confidence, clopper_pearson};
use classay_reports::text::outcome::violation;
use classay_suites::commands::shrink::comparable::{self, Death, Observed, Target};
use classay_suites::family::Family;
use classay_suites::shrink::{Answer, Progress};
use classay_suites::{api, commands, kernels};
use classay_vocabulary::Budget;
use std::time::{Duration, Instant};

/// Most runs of a smaller program; a failure too rare for them is searched for in so many.
const MOST_RUNS: u64 = 20_000;

/// Batches in which a smaller program's runs come.
const BATCHES: u64 = 8;

/// How a generated case is shrunk.
pub struct Options<'a> {
    /// For each program that is tried.
    pub limits: Limits,
    /// What judges; programs of commands are judged by their own order.
    pub model: &'a ChosenModel,
    /// Runs of the program as it is.
    pub runs: u64,
    /// What a run saw of it: the violation that is to be kept is one of these, where they are seen again.
    pub wanted: &'a [Violation],
    /// What the violation that is to be kept says ([`classay_reports::pattern`]); anything where it is not given.
    pub keep: Option<&'a str>,
    /// How long the search may take.
    pub limit: Option<Duration>,
    /// Ends the search.
    pub interrupt: &'a Interrupt,
    /// Is told how the search goes.
    pub notify: Notify<'a>,
}

/// What became of a program.
pub enum Reduction {
    /// It does not fail.
    Passes {
        /// In so many runs.
        runs: u64,
    },
    /// The device lacks what it needs.
    Skipped(String),
    /// It was shrunk, as far as that goes.
    Found(Smallest),
}

/// The smallest program that was found.
pub struct Smallest {
    /// As YAML, with how often it fails, and how, at its head. It was seen to fail in a fresh process after the
    /// search, unless something stopped that.
    pub text: String,
    /// What stopped the search for good.
    pub stopped: Option<Stop>,
}

/// Shrinks a generated case.
///
/// # Errors
///
/// The device is gone, the user interrupted before anything was found, or the case is a litmus test.
pub fn shrink(
    session: &mut Session,
    first: Work,
    options: &Options<'_>,
) -> Result<Reduction, Error> {
    let record = session.known().record.clone();
    let mut runner = Runner {
        session,
        limits: options.limits,
        model: options.model,
        keep: options.keep,
    };
    let whole = body(&first)?;
    let mut seen = match runner.run(&whole, options.runs)? {
        Ran::Observed(seen) => seen,
        Ran::Skipped(reason) => return Ok(Reduction::Skipped(reason)),
    };
    if let (Some(pattern), true) = (options.keep, seen.violations.is_empty()) {
        runner.keep = None;
        return match runner.run(&whole, options.runs)? {
            Ran::Observed(all) => Err(none_says(pattern, &all)),
            Ran::Skipped(reason) => Ok(Reduction::Skipped(reason)),
        };
    }
    if options.keep.is_some() {
        seen.death = None;
    }
    let Some(target) = Target::of(&seen, options.wanted) else {
        return Ok(Reduction::Passes { runs: seen.runs });
    };
    (options.notify)(&format!(
        "it {}; a smaller one gets {} runs and is kept if it does so in {}",
        described(&target, &seen),
        target.needed_runs().min(MOST_RUNS),
        target.needed_failures()
    ));
    let mut asker = Asker {
        runner,
        target: &target,
        deadline: options.limit.map(|limit| Instant::now() + limit),
        interrupt: options.interrupt,
        kept: Vec::new(),
        minimal: false,
        stopped: None,
    };
    let Progress { asked, kept } = search(&mut asker, first, options.notify);
    (options.notify)(&format!("{asked} tried, {kept} kept"));
    let ended = asker.confirm((whole, seen), options);
    let head = heading(&target, &ended, &record.name, &record.driver);
    Ok(Reduction::Found(Smallest {
        text: head + text(&ended.found),
        stopped: asker.stopped,
    }))
}

/// That no violation says this which is to be kept, and what the case shows instead.
fn none_says(pattern: &str, seen: &Observed) -> Error {
    let all: Vec<&str> = seen.violations.keys().map(|v| v.what.as_str()).collect();
    let shown = match all.as_slice() {
        [] => "nothing that is observed".into(),
        all => format!("`{}`", all.join("`, `")),
    };
    Error::Usage(format!(
        "--keep {pattern}: no violation says so; what {} runs show first is {shown}",
        seen.runs
    ))
}

/// The body of a case that runs this.
fn body(work: &Work) -> Result<Body, Error> {
    match work {
        Work::Commands(plan) => Ok(commands_body(plan.write())),
        Work::Kernel(case) => Ok(kernel_body(case.write())),
        Work::Api(case) => Ok(api_body(case.write())),
        Work::Litmus(_) => Err(Error::Usage("litmus tests are not shrunk".into())),
    }
}

fn commands_body(program: String) -> Body {
    Body::Commands { program }
}

fn kernel_body(kernel: String) -> Body {
    Body::Kernel { kernel }
}

fn api_body(api: String) -> Body {
    Body::Api { api }
}

/// The text of a case that was made by [`body`].
fn text(body: &Body) -> &str {
    match body {
        Body::Commands { program } => program,
        Body::Kernel { kernel } => kernel,
        Body::Api { api } => api,
        Body::Litmus(_)
        | Body::Drawn { .. }
        | Body::Small { .. }
        | Body::DrawnKernel { .. }
        | Body::DrawnApi { .. } => "",
    }
}

/// Shrinks by what kind of case it is. The asker keeps what fails.
fn search(asker: &mut Asker<'_>, first: Work, notify: Notify<'_>) -> Progress {
    match first {
        Work::Commands(plan) => {
            let size = |plan: &commands::check::Plan| {
                let p = &plan.program;
                format!(
                    "{} commands, {} queues, {} objects, {} threads, {} steps",
                    p.commands.len(),
                    p.queues.len(),
                    p.objects.len(),
                    p.threads.len(),
                    p.steps().count(),
                )
            };
            smallest(asker, *plan, commands_body, notify, &size)
        }
        Work::Kernel(case) => {
            let size = |case: &kernels::case::KernelCase| {
                let bytes: usize = case.objects.iter().map(|o| o.bytes).sum();
                let (steps, objects) = (case.steps.len(), case.objects.len());
                format!("{steps} steps, {objects} objects of {bytes} bytes")
            };
            smallest(asker, *case, kernel_body, notify, &size)
        }
        Work::Api(case) => {
            let size = |case: &api::Case| format!("{} lines", case.write().lines().count());
            smallest(asker, *case, api_body, notify, &size)
        }
        // Which [`body`] refuses.
        Work::Litmus(_) => Progress::default(),
    }
}

/// Looks for the smallest case of a family that still fails; `notify` hears of the size of each that is kept.
fn smallest<F: Family>(
    asker: &mut Asker<'_>,
    first: F,
    body: fn(String) -> Body,
    notify: Notify<'_>,
    size: &dyn Fn(&F) -> String,
) -> Progress {
    let shrunk = first.shrink(
        &mut |case| asker.ask(body(case.write())),
        &mut |case, Progress { asked, kept }| {
            notify(&format!("{asked} tried, {kept} kept: {}", size(case)));
        },
    );
    asker.minimal = shrunk.minimal;
    shrunk.progress
}

/// Answers the search's questions by runs, until something ends it early.
struct Asker<'a> {
    runner: Runner<'a>,
    target: &'a Target,
    deadline: Option<Instant>,
    interrupt: &'a Interrupt,
    /// What fails, each smaller than the one before.
    kept: Vec<Body>,
    /// Nothing smaller than the last of them that was tried fails.
    minimal: bool,
    /// What stopped the search for good.
    stopped: Option<Stop>,
}

/// The end of a search.
struct Ended {
    found: Body,
    /// What it showed after the search; `None` where something stopped that.
    seen: Option<Observed>,
    /// Nothing smaller that was tried fails.
    minimal: bool,
    /// How many smaller ones failed while they were searched for and did not after it.
    unconfirmed: usize,
}

impl Asker<'_> {
    /// The smallest that fails once more, in a process that ran nothing else: one that was kept by chance, or
    /// because of what ran before it, does not. Where none does it is the first, the case as it was given, which was
    /// seen to fail.
    fn confirm(&mut self, (first, shown): (Body, Observed), options: &Options<'_>) -> Ended {
        let mut ended = Ended {
            found: first,
            seen: Some(shown),
            minimal: self.minimal,
            unconfirmed: 0,
        };
        while let Some(found) = self.kept.pop() {
            let stopped = self.stopped.is_some() || self.interrupt.came();
            let seen = match stopped {
                true => Err(Stop::Interrupted),
                false => self.runner.again(&found, self.target, options.runs),
            };
            match seen {
                Ok(None) => {
                    ended.unconfirmed += 1;
                    ended.minimal = false;
                    let said = "the smallest does not fail again; the one before it is tried";
                    (options.notify)(said);
                    continue;
                }
                Ok(seen) => (ended.found, ended.seen) = (found, seen),
                Err(stop) => {
                    (ended.found, ended.seen) = (found, None);
                    ended.minimal = false;
                    self.stopped.get_or_insert(stop);
                }
            }
            break;
        }
        ended
    }

    fn ask(&mut self, body: Body) -> Answer {
        if self.interrupt.came() {
            self.stopped = Some(Stop::Interrupted);
            return Answer::Stop;
        }
        if self.deadline.is_some_and(|end| Instant::now() > end) {
            return Answer::Stop;
        }
        // Of many that hardly ever fail some do by chance: each is asked twice.
        let twice = match self.runner.judge(&body, self.target) {
            Ok(true) => self.runner.judge(&body, self.target),
            other => other,
        };
        match twice {
            Ok(true) => {
                self.kept.push(body);
                Answer::Fails
            }
            Ok(false) => Answer::Passes,
            Err(stop) => {
                self.stopped = Some(stop);
                Answer::Stop
            }
        }
    }
}

/// What runs of a program gave.
enum Ran {
    Observed(Observed),
    Skipped(String),
}

/// Runs programs in workers.
struct Runner<'a> {
    session: &'a mut Session,
    limits: Limits,
    model: &'a ChosenModel,
    /// Only violations that say this count.
    keep: Option<&'a str>,
}

impl Runner<'_> {
    fn run(&mut self, body: &Body, runs: u64) -> Result<Ran, Stop> {
        let id = CaseId::new("program", "shrink", "candidate");
        let case = Case {
            budget: Budget::Instances(runs),
            keep: self.keep.map(str::to_string),
            ..Case::new(id, "candidate", "", body.clone())
        };
        let attempt = self.session.observe(&case, self.limits, &mut |_| {})?;
        let died = match &attempt.ending {
            Ending::Died(death) => Some(death.how.clone()),
            Ending::Finished(_) | Ending::NotRun(_) => None,
        };
        let result = conclude(&case, vec![attempt], self.model);
        Ok(if result.verdict == Verdict::Skip {
            Ran::Skipped(result.reason)
        } else {
            Ran::Observed(observed(&result, died.as_ref()))
        })
    }

    /// What a program shows in a fresh process; `None` where it does not fail comparably there.
    fn again(
        &mut self,
        body: &Body,
        target: &Target,
        least: u64,
    ) -> Result<Option<Observed>, Stop> {
        self.session.renew();
        let runs = target.needed_runs().min(MOST_RUNS).max(least);
        Ok(match self.run(body, runs)? {
            Ran::Observed(seen) if target.count(&seen) >= target.needed_failures() => Some(seen),
            Ran::Observed(_) | Ran::Skipped(_) => None,
        })
    }

    /// Whether a program fails comparably.
    fn judge(&mut self, body: &Body, target: &Target) -> Result<bool, Stop> {
        let runs = target.needed_runs().min(MOST_RUNS);
        let needed = target.needed_failures();
        let mut seen = Observed::default();
        while seen.runs < runs {
            let batch = runs.div_ceil(BATCHES).min(runs - seen.runs);
            match self.run(body, batch)? {
                Ran::Observed(more) if more.runs == 0 && more.death.is_none() => return Ok(false),
                Ran::Observed(more) => seen.add(more),
                // What a smaller program needs and the device lacks is no failure.
                Ran::Skipped(_) => return Ok(false),
            }
            if target.count(&seen) >= needed {
                return Ok(true);
            }
            if seen.death.is_some() || target.count(&seen) + (runs - seen.runs) < needed {
                return Ok(false);
            }
        }
        Ok(false)
    }
}

fn observed(result: &CaseResult, died: Option<&How>) -> Observed {
    let mut seen = Observed {
        runs: result.launches.iter().map(|l| l.instances).sum(),
        ..Observed::default()
    };
    for outcome in result.launches.iter().flat_map(|l| &l.outcomes) {
        if let Some(violation) = outcome.outcome.violation() {
            *seen.violations.entry(violation.clone()).or_default() += outcome.count;
        }
    }
    seen.death = match died {
        Some(how) if how.verdict() == Verdict::Timeout => Some(Death::Hang),
        Some(how) => Some(Death::Crash(how.kind())),
        // A call of the harness itself failed, so that no run came to its end.
        None if result.verdict == Verdict::Fail && seen.violations.is_empty() => {
            Some(Death::Error(result.reason.clone()))
        }
        None => None,
    };
    seen
}

/// How a program fails, in words.
fn described(target: &Target, seen: &Observed) -> String {
    match &target.failure {
        comparable::Failure::Shows(violation) => {
            let rules = violation.rules.iter();
            let names: Vec<&str> = rules.map(|rule| rule.as_str()).collect();
            let names = names.join(" or ");
            format!("breaks {names} in {} of {} runs", target.failed, seen.runs)
        }
        comparable::Failure::Ends(death) => {
            let how = match death {
                Death::Crash(how) => format!("crashes ({how})"),
                Death::Hang => "never comes back".to_string(),
                Death::Error(reason) => reason.clone(),
            };
            format!("{how}; {} runs were reported before", seen.runs)
        }
    }
}

/// Comments at the head of the small program's file: how often it fails, and how.
fn heading(target: &Target, ended: &Ended, device: &str, driver: &str) -> String {
    let mut lines = vec![format!("On {device}, driver {driver}, this")];
    match &ended.seen {
        Some(seen) => {
            lines.push(described(
                &Target {
                    failed: target.count(seen),
                    ..target.clone()
                },
                seen,
            ));
            if let (comparable::Failure::Shows(_), true) = (&target.failure, seen.runs > 0) {
                let k = target.count(seen).min(seen.runs);
                let interval = clopper_pearson(k, seen.runs, Confidence::P95);
                lines.push(format!(
                    "(95 % Clopper-Pearson interval of the rate: {:.4} to {:.4}):",
                    interval.low, interval.high
                ));
            }
            let shown = seen.violations.keys();
            let (same, others): (Vec<_>, Vec<_>) = shown.partition(|other| {
                matches!(&target.failure, comparable::Failure::Shows(first) if comparable::is_same(first, other))
            });
            lines.extend(same.into_iter().take(4).map(violation));
            if let Some(other) = others.first() {
                lines.push("It shows something else, too, which may be another fault:".into());
                lines.push(violation(other));
            }
        }
        None => {
            lines.push("fails; how often was not measured, because the search was stopped".into())
        }
    }
    lines.push(match (ended.minimal, ended.unconfirmed) {
        (true, _) => "Nothing smaller that was tried fails at a comparable rate.".into(),
        (false, 0) => "The search was stopped: there may be a smaller one.".into(),
        (false, n) => format!(
            "Smaller ones failed while they were searched for, and not in a process of their own: {n}."
        ),
    });
    let comment = |line: &String| format!("# {}\n", line.replace('\n', " "));
    lines.iter().map(comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_reports::record::{Launch, Outcome, OutcomeCount, RuleId};

    fn result(verdict: Verdict, outcomes: &[(Outcome, u64)]) -> CaseResult {
        let outcomes = outcomes.iter().map(|(outcome, count)| OutcomeCount {
            outcome: outcome.clone(),
            count: *count,
            target: outcome.violation().is_some(),
        });
        let outcomes: Vec<OutcomeCount> = outcomes.collect();
        let instances = outcomes.iter().map(|o| o.count).sum();
        CaseResult {
            instances,
            launches: vec![Launch {
                index: 0,
                process: 0,
                instances,
                seconds: 1.0,
                outcomes,
                freedoms: Vec::new(),
            }],
            ..CaseResult::new(CaseId::new("program", "shrink", "candidate"), verdict, "")
        }
    }

    #[test]
    fn an_incomplete_run_is_no_failure() {
        let incomplete = (Outcome::Incomplete, 60);
        let seen = observed(
            &result(Verdict::Inconclusive, std::slice::from_ref(&incomplete)),
            None,
        );
        assert_eq!((seen.runs, seen.violations.len()), (60, 0));
        assert_eq!(Target::of(&seen, &[]), None);
        // Also where it is more frequent than the failure that is to be kept.
        let late = Violation {
            rules: vec![RuleId::new("sp.event-wait")],
            what: "late".into(),
        };
        let failing = (Outcome::Violation(late.clone()), 40);
        let seen = observed(&result(Verdict::Fail, &[incomplete, failing]), None);
        let target = Target::of(&seen, &[]).expect("it fails");
        assert_eq!((target.failed, target.runs), (40, 100));
        assert_eq!(target.failure, comparable::Failure::Shows(late));
    }
}
