//! Results that the tests of this crate share.

use crate::difference::differences;
use crate::expectation::Expectations;
use crate::record::{
    CaseId, CaseResult, DeviceRecord, Evidence, EvidenceKind, Launch, MachineRecord, Moment,
    Observable, Outcome, OutcomeCount, Verdict,
};
use crate::report::tuning::tests::KEPT;
use crate::report::{
    About, Annotation, Baseline, Context, Expected, Faults, Kind, Note, Picture, Rule, Tuning,
};
use crate::store::{PlanHash, Run, RunId, RunRecord, RunStatus};
use std::collections::BTreeMap;
use time::macros::datetime;

/// Launches in which each outcome occurs as often as listed, launch by launch.
fn launches(outcomes: &[([i64; 2], bool)], counts: &[&[u64]], seconds: f64) -> Vec<Launch> {
    let launch = |(index, counts): (usize, &&[u64])| Launch {
        index: index as u64,
        process: 0,
        instances: counts.iter().sum(),
        seconds,
        outcomes: outcomes
            .iter()
            .zip(*counts)
            .filter(|(_, count)| **count > 0)
            .map(|(&(values, target), &count)| OutcomeCount {
                outcome: Outcome::State(values.to_vec()),
                count,
                target,
            })
            .collect(),
        freedoms: Vec::new(),
    };
    counts.iter().enumerate().map(launch).collect()
}

fn result(
    test: &str,
    observables: [&str; 2],
    verdict: Verdict,
    reason: &str,
    launches: Vec<Launch>,
) -> CaseResult {
    let observable = |name: &str| Observable {
        name: name.into(),
        unsigned: false,
    };
    CaseResult {
        test: test.into(),
        file: format!("tests/{test}.litmus"),
        instances: launches.iter().map(|l| l.instances).sum(),
        seconds: 0.75,
        build_seconds: 0.125,
        device_seconds: 0.5,
        observables: observables.map(observable).to_vec(),
        launches,
        evidence: vec![Evidence {
            kind: EvidenceKind::Source,
            text: "kernel void k() {}\n".into(),
        }],
        ..CaseResult::new(CaseId::new("litmus", "classic", test), verdict, reason)
    }
}

/// Message passing that never shows its target outcome.
pub fn message_passing() -> CaseResult {
    let outcomes = [([0, 0], false), ([1, 1], false), ([0, 1], false)];
    result(
        "MP+rel+acq",
        ["1:r0", "1:r1"],
        Verdict::Pass,
        "the target outcome was never observed in 3,000",
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
        ([1, 0], false),
        ([0, 1], false),
        ([0, 0], true),
        ([1, 1], false),
    ];
    let counts: [&[u64]; 2] = [
        &[512_345_678, 498_765_432, 123_456, 0],
        &[499_999_999, 511_111_111, 123_000, 3],
    ];
    result(
        "SB+rlx",
        ["0:r0", "1:r0"],
        Verdict::Pass,
        "observed the target outcome 246,456 times in 2,022,468,679 (rate 1.22e-4)",
        launches(&outcomes, &counts, 10.0),
    )
}

/// A coherence violation, seen once.
pub fn coherence_failure() -> CaseResult {
    let outcomes = [([1, 1], false), ([1, 0], true)];
    result(
        "CoRR",
        ["1:r0", "1:r1"],
        Verdict::Fail,
        "observed `1:r0=1 1:r1=0` once in 1,000,000 (rate 1.00e-6), which the test says never occurs",
        launches(&outcomes, &[&[999_999, 1]], 0.1),
    )
}

/// A case that the device cannot run.
pub fn skipped() -> CaseResult {
    let reason = "the device has no sub_groups";
    let mut result = result(
        "MP+sub_group",
        ["1:r0", "1:r1"],
        Verdict::Skip,
        reason,
        vec![],
    );
    result.evidence.clear();
    result.attempts = 0;
    result
}

/// A case whose worker died, with hostile output.
pub fn crashed() -> CaseResult {
    let reason = "the worker was killed by signal 11 (SIGSEGV) after \x1b[31m`]]>`";
    let mut result = result(
        "IRIW+<&\"'>",
        ["1:r0", "1:r1"],
        Verdict::Crash,
        reason,
        vec![],
    );
    result.attempts = 3;
    result.failed_attempts = 2;
    result.evidence = vec![
        Evidence {
            kind: EvidenceKind::Death,
            text: "11".into(),
        },
        Evidence {
            kind: EvidenceKind::Stderr,
            text: "line one\n\x1b[31mred\x1b[0m \0 ]]> <tag> & \u{fffe}\u{1f980}\n".into(),
        },
    ];
    result
}

/// Every sample above.
pub fn all() -> Vec<CaseResult> {
    vec![
        message_passing(),
        store_buffering(),
        coherence_failure(),
        skipped(),
        crashed(),
    ]
}

/// A run that has these results.
pub fn run(results: &[CaseResult]) -> Run {
    Run {
        id: RunId::new(1),
        record: RunRecord {
            created: datetime!(2024-05-06 07:08:09 UTC),
            version: "0.1.0".into(),
            seed: u64::MAX,
            plan: "{}".into(),
        },
        plan_hash: PlanHash::of("{}"),
        device: Some(DeviceRecord {
            selector: "touchstone".into(),
            platform: "Touch<stone>".into(),
            platform_version: "OpenCL 3.0".into(),
            name: "CPU \u{1b} & co".into(),
            vendor: "v".into(),
            version: "OpenCL 3.0".into(),
            driver: "0.1".into(),
            capabilities: vec![("scope_device".into(), "true".into())],
            findings: vec!["says a & b".into()],
        }),
        status: RunStatus::Done,
        finished: Some(datetime!(2024-05-06 07:09:39 UTC)),
        planned: results.len() as u64,
        committed: results.len() as u64,
        reach: None,
        moments: [(8, 0.5), (39, 2.25)]
            .map(|(second, load)| Moment {
                at: datetime!(2024-05-06 07:08:01 UTC) + time::Duration::seconds(second),
                machine: MachineRecord {
                    host: "there".into(),
                    system: "Linux 6.1".into(),
                    processor: "A <fast> one".into(),
                    processors: 2,
                    memory: 8 << 30,
                },
                load: Some(load),
                clock_mhz: Some(2500.0),
            })
            .to_vec(),
    }
}

/// All that a caller can know, of these results.
pub fn context(results: &[CaseResult]) -> Context {
    let rule = |id: &str, section: &str, kind| Rule {
        id: id.into(),
        section: section.into(),
        statement: format!("what {id} says, with <b> & such"),
        kind,
    };
    let annotation = |shape: &str, orders: &str, rank| Annotation {
        shape: shape.into(),
        scopes: "device".into(),
        orders: orders.into(),
        rank,
        strength: orders.len() as u32,
    };
    let mut cases = BTreeMap::new();
    for (place, result) in results.iter().enumerate() {
        let failed = result.verdict == Verdict::Fail;
        let about = About {
            rules: vec!["mm.coherence.rr".into(), "mm.sw.atomic".into()],
            annotation: Some(annotation(
                ["MP", "SB", "CoRR", "MP", "IRIW"][place % 5],
                ["release acquire", "relaxed"][place % 2],
                place as u32 % 5,
            )),
            expected: Some(if failed { Expected::Forbidden } else { Expected::Weak }),
            pictures: failed
                .then(|| Picture {
                    outcome: "1:r0=1 1:r1=0".into(),
                    svg: "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 4\" role=\"img\">\
                          <title>a &lt; b</title></svg>"
                        .into(),
                    text: "a -rf-> b".into(),
                })
                .into_iter()
                .collect(),
            notes: failed
                .then(|| Note {
                    title: "program".into(),
                    text: "{ x = 0; } <&>".into(),
                })
                .into_iter()
                .collect(),
        };
        cases.insert(result.case.clone(), about);
    }
    let mut expectations = Expectations::default();
    let expected = "cases:\n  - { case: '*/MP*', verdict: fail, reason: known }\n  - { case: '*/IRIW*', \
                    verdict: crash, reason: known, link: 'bug:1' }\n";
    let device = run(results).device.expect("a device");
    assert_eq!(expectations.add(expected, &device), Ok(true));
    let mut earlier: Vec<CaseResult> = results.to_vec();
    for result in &mut earlier {
        result.verdict = Verdict::Pass;
        for launch in &mut result.launches {
            for outcome in &mut launch.outcomes {
                outcome.count += 1 + outcome.count / 3;
            }
        }
    }
    let line = r#"{"id":"release-ignored","carrier":"touchstone","rules":["mm.sw.atomic"],"sentence":"R.","#;
    let faults = format!(
        "{line}\"result\":\"detected\",\"case\":\"litmus/classic/MP\",\"own\":true,\"runs\":3}}\n\
         {line}\"result\":\"undetected\",\"runs\":30}}\n\
         {line}\"result\":\"undetected\",\"runs\":30,\"showable\":false,\"power\":\"none\"}}\n\
         {line}\"result\":\"not-applicable\",\"lacks\":[\"pipes\",\"sub-groups\"]}}\n\
         {line}\"result\":\"not-acted\",\"cases\":30,\"showable\":false}}\n\
         {line}\"result\":\"obscured\",\"case\":\"litmus/classic/SB\",\"reason\":\"it fails\"}}\n"
    );
    Context {
        rules: vec![
            rule("mm.coherence.rr", "Memory Model", Kind::Must),
            rule("mm.sw.atomic", "Memory Model", Kind::Must),
            rule("ex.any", "Execution Model", Kind::May),
            rule("ub.race", "Memory Model", Kind::Undefined),
        ],
        cases,
        plan: vec![("model".into(), "opencl-3.0".into())],
        faults: Faults::read("faults.jsonl", &faults).ok(),
        tuning: Tuning::read("tuned.yaml", KEPT).ok(),
        baseline: Some(Baseline {
            name: "old.db".into(),
            run: run(&earlier),
            differences: differences(&earlier, results, &|_| true, &|_| false),
            rate: 0.05,
            same_seed: true,
        }),
        expectations,
        missing: vec!["the model mine.cat is gone".into()],
        progress: None,
    }
}
