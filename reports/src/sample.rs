//! Results that the tests of this crate share.

use crate::record::{CaseId, CaseResult, Evidence, Launch, OutcomeCount, Verdict};

/// Launches in which each outcome occurs as often as listed, launch by launch.
fn launches(outcomes: &[(&str, bool)], counts: &[&[u64]], seconds: f64) -> Vec<Launch> {
    let launch = |(index, counts): (usize, &&[u64])| Launch {
        index: index as u64,
        instances: counts.iter().sum(),
        seconds,
        outcomes: outcomes
            .iter()
            .zip(*counts)
            .filter(|(_, count)| **count > 0)
            .map(|(&(outcome, asked), &count)| OutcomeCount {
                outcome: outcome.into(),
                count,
                asked,
            })
            .collect(),
    };
    counts.iter().enumerate().map(launch).collect()
}

fn result(test: &str, verdict: Verdict, reason: &str, launches: Vec<Launch>) -> CaseResult {
    CaseResult {
        case: CaseId::new("litmus", "classic", test),
        test: test.into(),
        file: format!("tests/{test}.litmus"),
        verdict,
        reason: reason.into(),
        instances: launches.iter().map(|l| l.instances).sum(),
        seconds: 0.75,
        build_seconds: 0.125,
        device_seconds: 0.5,
        attempts: 1,
        failed_attempts: 0,
        launches,
        evidence: vec![Evidence {
            kind: "source".into(),
            text: "kernel void k() {}\n".into(),
        }],
    }
}

/// Message passing that never shows its asked outcome.
pub fn message_passing() -> CaseResult {
    let outcomes = [
        ("1:r0=0 1:r1=0", false),
        ("1:r0=1 1:r1=1", false),
        ("1:r0=0 1:r1=1", false),
    ];
    result(
        "MP+rel+acq",
        Verdict::Pass,
        "the asked outcome was never observed in 3,000: rate below 9.99e-4 at 95 %",
        launches(
            &outcomes,
            &[&[300, 600, 100], &[300, 650, 50], &[300, 550, 150]],
            0.25,
        ),
    )
}

/// Store buffering with many weak outcomes.
pub fn store_buffering() -> CaseResult {
    let outcomes = [
        ("0:r0=1 1:r0=0", false),
        ("0:r0=0 1:r0=1", false),
        ("0:r0=0 1:r0=0", true),
        ("0:r0=1 1:r0=1", false),
    ];
    let counts: [&[u64]; 2] = [
        &[512_345_678, 498_765_432, 123_456, 0],
        &[499_999_999, 511_111_111, 123_000, 3],
    ];
    result(
        "SB+rlx",
        Verdict::Pass,
        "observed the asked outcome 246,456 times in 2,022,468,679 (rate 1.22e-4)",
        launches(&outcomes, &counts, 10.0),
    )
}

/// A coherence violation, seen once.
pub fn coherence_failure() -> CaseResult {
    let outcomes = [("1:r0=1 1:r1=1", false), ("1:r0=1 1:r1=0", true)];
    result(
        "CoRR",
        Verdict::Fail,
        "observed `1:r0=1 1:r1=0` once in 1,000,000 (rate 1.00e-6), which the test says never occurs",
        launches(&outcomes, &[&[999_999, 1]], 0.1),
    )
}

/// A case that the device cannot run.
pub fn skipped() -> CaseResult {
    let reason = "the device has no sub_groups";
    let mut result = result("MP+sub_group", Verdict::Skip, reason, vec![]);
    result.evidence.clear();
    result.attempts = 0;
    result
}

/// A case whose worker died, with hostile output.
pub fn crashed() -> CaseResult {
    let reason = "the worker was killed by signal 11 (SIGSEGV) after \x1b[31m`]]>`";
    let mut result = result("IRIW+<&\"'>", Verdict::Crash, reason, vec![]);
    result.attempts = 3;
    result.failed_attempts = 2;
    result.evidence = vec![
        Evidence {
            kind: "signal".into(),
            text: "11".into(),
        },
        Evidence {
            kind: "stderr".into(),
            text: "line one\n\x1b[31mred\x1b[0m \0 ]]> <tag> & \u{fffe}\u{1f980}\n".into(),
        },
    ];
    result
}
