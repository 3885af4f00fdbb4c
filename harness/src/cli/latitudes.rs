//! `classay latitudes`: has Touchstone take the freedoms of the specification, and reports which cases fail for it.

use super::options::{CampaignOptions, seconds};
use super::output::{Out, say};
use clap::Args;
use classay::Error;
use classay::campaign::latitudes::{Latitudes, Taken};
use classay::interrupt::Interrupt;
use classay::plan;
use classay::run::{Conduct, Run, Source};
use classay_faults::{LatitudeEntry, latitudes};
use classay_reports::record::CaseResult;
use classay_vocabulary::{Budget, ExitCode};
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Options of `latitudes`.
#[derive(Debug, Args)]
pub struct LatitudesOptions {
    /// Take only latitudes whose name matches this pattern, with * and ?; repeatable
    #[arg(long, value_name = "PATTERN")]
    latitude: Vec<String>,
    /// Run under each latitude with this many seeds: --seed and those that follow it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,
    /// Give each run this many seconds, which its cases share
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    budget: f64,
    #[command(flatten)]
    campaign: CampaignOptions,
}

/// A latitude as `--list --json` prints it.
#[derive(Serialize)]
struct Listed {
    id: &'static str,
    sentence: &'static str,
    section: &'static str,
    grants: &'static str,
    beyond: &'static [&'static str],
}

/// A run as `--json` prints it.
#[derive(Serialize)]
struct Line<'a> {
    latitude: &'static str,
    seed: u64,
    cases: usize,
    passed: usize,
    failures: Vec<Failure<'a>>,
}

/// A case that takes the freedom for a fault.
#[derive(Serialize)]
struct Failure<'a> {
    case: &'a str,
    verdict: String,
    reason: &'a str,
}

/// Does it; returns the exit code.
pub fn main(args: &LatitudesOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let chosen = chosen(&args.latitude)?;
    let CampaignOptions {
        jobs,
        programs,
        list,
        select,
        seed,
        timeout,
        json,
    } = &args.campaign;
    if *list {
        let mut out = Out::new();
        for row in chosen {
            out.line(&listed(row, json.json));
        }
        return Ok(ExitCode::Passed);
    }
    let first = seed.seed.unwrap_or_else(plan::seed::draw);
    let seeds: Vec<u64> = (0..u64::from(args.seeds))
        .map(|more| first.wrapping_add(more))
        .collect();
    let defaults = Run::default();
    let run = Run {
        cases: Source::Generated {
            programs: programs.unwrap_or(Run::PROGRAMS),
            small: Run::BOUNDED,
        },
        selection: select.selection(),
        budget: Budget::Seconds(args.budget),
        conduct: Conduct {
            full: true,
            jobs: 1,
            patience: timeout.given(),
            ..defaults.conduct
        },
        ..defaults
    };
    say(&format!(
        "{} latitudes, {} seeds from {first}, {} s each",
        chosen.len(),
        seeds.len(),
        args.budget
    ));
    let campaign = Latitudes {
        latitudes: &chosen,
        seeds: &seeds,
        run: &run,
        jobs: jobs.unwrap_or(1).into(),
        interrupt: &interrupt,
    };
    let out = Mutex::new(Out::new());
    let [failed, ran] = [const { AtomicUsize::new(0) }; 2];
    campaign.run(&say, &|taken| {
        failed.fetch_add(taken.failures().count(), Ordering::Relaxed);
        ran.fetch_add(1, Ordering::Relaxed);
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        lines(taken, json.json)
            .iter()
            .for_each(|line| out.line(line));
    })?;
    let failed = failed.into_inner();
    say(&format!("{failed} failures in {} runs", ran.into_inner()));
    Ok(if failed == 0 {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// The latitudes that are asked for.
pub fn chosen(patterns: &[String]) -> Result<Vec<&'static LatitudeEntry>, Error> {
    let matches = |row: &&LatitudeEntry| {
        patterns.is_empty() || patterns.iter().any(|p| plan::select::matches(p, row.id))
    };
    let chosen: Vec<_> = latitudes::ROWS.iter().filter(matches).collect();
    if chosen.is_empty() {
        return Err(Error::Nothing(format!(
            "no latitude matches {}; `classay latitudes --list` prints them",
            patterns.join(" or ")
        )));
    }
    Ok(chosen)
}

fn listed(row: &LatitudeEntry, json: bool) -> String {
    if !json {
        return format!(
            "{}\n    {}\n    {}: \"{}\"\n    beyond: {}",
            row.id,
            row.sentence,
            row.section,
            row.grants,
            row.beyond.join(" ")
        );
    }
    let listed = Listed {
        id: row.id,
        sentence: row.sentence,
        section: row.section,
        grants: row.grants,
        beyond: row.beyond,
    };
    // Strings: nothing in it can fail to become JSON.
    serde_json::to_string(&listed).unwrap_or_default()
}

/// A run that has ended, as it is printed.
fn lines(taken: &Taken, json: bool) -> Vec<String> {
    let cases = taken.summary.results.len();
    let failures: Vec<&CaseResult> = taken.failures().collect();
    if json {
        let failures = failures.iter().map(|result| Failure {
            case: result.case.as_str(),
            verdict: result.verdict.to_string(),
            reason: &result.reason,
        });
        let line = Line {
            latitude: taken.latitude.id,
            seed: taken.seed,
            cases,
            passed: taken.passed(),
            failures: failures.collect(),
        };
        return vec![serde_json::to_string(&line).unwrap_or_default()];
    }
    let head = format!(
        "{:<30} seed {}: {} of {cases} cases pass, {} fail",
        taken.latitude.id,
        taken.seed,
        taken.passed(),
        failures.len()
    );
    let each = failures.iter().map(|result| {
        let reason = result.reason.lines().next().unwrap_or_default();
        format!("    {} {}: {reason}", result.verdict, result.case)
    });
    std::iter::once(head).chain(each).collect()
}
