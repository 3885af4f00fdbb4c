//! Shrinks a failing program of commands, kernel case or API case.
//!
//! Every one that is tried is run in a worker, so that one that crashes or hangs costs a try and not the
//! search. [`crate::run::failures`] does the same for what failed in a run. The judge runs it in batches and
//! stops when it has seen as many failures as it needs, or cannot see them any more.

use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{Body, Case, Work};
use crate::worker::session::{Limits, Session, Stop};
use crate::{Error, Notify};
use classay_reports::record::{CaseId, CaseResult, Verdict};
use classay_reports::stats::{Confidence, clopper_pearson};
use classay_reports::text::outcome::violation;
use classay_suites::commands::shrink::comparable::{self, Death, Observed, Target};
use classay_suites::family::Family;
use classay_suites::shrink::{Answer, Progress, Shrunk};
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
    /// As YAML, with how often it fails, and how, at its head.
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
    };
    let seen = match runner.run(&body(&first)?, options.runs)? {
        Ran::Observed(seen) => seen,
        Ran::Skipped(reason) => return Ok(Reduction::Skipped(reason)),
    };
    let Some(target) = Target::of(&seen) else {
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
        stopped: None,
    };
    let small = search(&mut asker, first, options.notify);
    let stopped = asker.stopped;
    // With the rate that the small one has.
    let least = target.needed_runs().min(MOST_RUNS).max(options.runs);
    let last = match &stopped {
        Some(_) => None,
        None => match asker.runner.run(&body(&small.found)?, least) {
            Ok(Ran::Observed(seen)) => Some(seen),
            Ok(Ran::Skipped(_)) | Err(_) => None,
        },
    };
    let head = heading(
        small.minimal,
        &target,
        last.as_ref(),
        &record.name,
        &record.driver,
    );
    let text = format!("{head}{}", small.found.to_text());
    (options.notify)(&format!(
        "{} tried, {} kept",
        small.progress.asked, small.progress.kept
    ));
    Ok(Reduction::Found(Smallest { text, stopped }))
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

/// Shrinks by what kind of case it is.
fn search(asker: &mut Asker<'_>, first: Work, notify: Notify<'_>) -> Shrunk<Work> {
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
                .map(|plan| Work::Commands(Box::new(plan)))
        }
        Work::Kernel(case) => {
            let size = |case: &kernels::case::KernelCase| {
                let bytes: usize = case.objects.iter().map(|o| o.bytes).sum();
                let (steps, objects) = (case.steps.len(), case.objects.len());
                format!("{steps} steps, {objects} objects of {bytes} bytes")
            };
            smallest(asker, *case, kernel_body, notify, &size)
                .map(|case| Work::Kernel(Box::new(case)))
        }
        Work::Api(case) => {
            let size = |case: &api::Case| format!("{} lines", case.write().lines().count());
            smallest(asker, *case, api_body, notify, &size).map(|case| Work::Api(Box::new(case)))
        }
        // Which [`body`] refuses.
        Work::Litmus(_) => Shrunk {
            found: first,
            progress: Progress::default(),
            minimal: false,
        },
    }
}

/// The smallest case of a family that still fails; `notify` hears of the size of each that is kept.
fn smallest<F: Family>(
    asker: &mut Asker<'_>,
    first: F,
    body: fn(String) -> Body,
    notify: Notify<'_>,
    size: &dyn Fn(&F) -> String,
) -> Shrunk<F> {
    first.shrink(
        &mut |case| asker.ask(&body(case.write())),
        &mut |case, Progress { asked, kept }| {
            notify(&format!("{asked} tried, {kept} kept: {}", size(case)));
        },
    )
}

/// Answers the search's questions by runs, until something ends it early.
struct Asker<'a> {
    runner: Runner<'a>,
    target: &'a Target,
    deadline: Option<Instant>,
    interrupt: &'a Interrupt,
    /// What stopped the search for good.
    stopped: Option<Stop>,
}

impl Asker<'_> {
    fn ask(&mut self, body: &Body) -> Answer {
        if self.interrupt.came() {
            self.stopped = Some(Stop::Interrupted);
            return Answer::Stop;
        }
        if self.deadline.is_some_and(|end| Instant::now() > end) {
            return Answer::Stop;
        }
        // Of many that hardly ever fail some do by chance: each is asked twice.
        let twice = match self.runner.judge(body, self.target) {
            Ok(true) => self.runner.judge(body, self.target),
            other => other,
        };
        match twice {
            Ok(true) => Answer::Fails,
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
}

impl Runner<'_> {
    fn run(&mut self, body: &Body, runs: u64) -> Result<Ran, Stop> {
        let id = CaseId::new("program", "shrink", "candidate");
        let case = Case {
            budget: Budget::Instances(runs),
            ..Case::new(id, "candidate", "", body.clone())
        };
        let result = self
            .session
            .run(&case, self.limits, self.model, &mut |_| {})?;
        Ok(if result.verdict == Verdict::Skip {
            Ran::Skipped(result.reason)
        } else {
            Ran::Observed(observed(&result))
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

fn observed(result: &CaseResult) -> Observed {
    let mut seen = Observed {
        runs: result.launches.iter().map(|l| l.instances).sum(),
        ..Observed::default()
    };
    for outcome in result.launches.iter().flat_map(|l| &l.outcomes) {
        if let Some(violation) = outcome.outcome.violation() {
            *seen.violations.entry(violation.clone()).or_default() += outcome.count;
        }
    }
    seen.death = match result.verdict {
        Verdict::Crash | Verdict::Flaky => Some(Death::Crash),
        Verdict::Timeout => Some(Death::Hang),
        // A call of the harness itself failed, so that no run came to its end.
        Verdict::Fail if seen.violations.is_empty() => Some(Death::Error(result.reason.clone())),
        Verdict::Fail
        | Verdict::Pass
        | Verdict::Inconclusive
        | Verdict::Contested
        | Verdict::Skip => None,
    };
    seen
}

/// How a program fails, in words.
fn described(target: &Target, seen: &Observed) -> String {
    match &target.failure {
        comparable::Failure::Breaks(rules) => {
            let names: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
            let names = names.join(" or ");
            format!("breaks {names} in {} of {} runs", target.failed, seen.runs)
        }
        comparable::Failure::Ends(death) => {
            let how = match death {
                Death::Crash => "crashes".to_string(),
                Death::Hang => "never comes back".to_string(),
                Death::Error(reason) => reason.clone(),
            };
            format!("{how}; {} runs were reported before", seen.runs)
        }
    }
}

/// Comments at the head of the small program's file: how often it fails, and how.
fn heading(
    minimal: bool,
    target: &Target,
    last: Option<&Observed>,
    device: &str,
    driver: &str,
) -> String {
    let mut lines = vec![format!("On {device}, driver {driver}, this")];
    match last {
        Some(seen) => {
            lines.push(described(
                &Target {
                    failed: target.count(seen),
                    ..target.clone()
                },
                seen,
            ));
            if let (comparable::Failure::Breaks(_), true) = (&target.failure, seen.runs > 0) {
                let k = target.count(seen).min(seen.runs);
                let interval = clopper_pearson(k, seen.runs, Confidence::P95);
                lines.push(format!(
                    "(95 % Clopper-Pearson interval of the rate: {:.4} to {:.4}):",
                    interval.low, interval.high
                ));
            }
            lines.extend(seen.violations.keys().take(4).map(violation));
        }
        None => {
            lines.push("fails; how often was not measured, because the search was stopped".into())
        }
    }
    if minimal {
        lines.push("Nothing smaller that was tried fails at a comparable rate.".into());
    } else {
        lines.push("The search was stopped: there may be a smaller one.".into());
    }
    lines
        .iter()
        .map(|line| format!("# {}\n", line.replace('\n', " ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_reports::record::{Launch, Outcome, OutcomeCount, RuleId, Violation};

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
        let seen = observed(&result(
            Verdict::Inconclusive,
            std::slice::from_ref(&incomplete),
        ));
        assert_eq!((seen.runs, seen.violations.len()), (60, 0));
        assert_eq!(Target::of(&seen), None);
        // Also where it is more frequent than the failure that is to be kept.
        let late = Violation {
            rules: vec![RuleId::new("sp.event-wait")],
            what: "late".into(),
        };
        let failing = (Outcome::Violation(late.clone()), 40);
        let seen = observed(&result(Verdict::Fail, &[incomplete, failing]));
        let target = Target::of(&seen).expect("it fails");
        assert_eq!((target.failed, target.runs), (40, 100));
        assert_eq!(target.failure, comparable::Failure::Breaks(late.rules));
    }
}
