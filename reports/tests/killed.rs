//! A process that commits cases is killed at random moments. Whatever the moment, the store opens,
//! holds every case that was acknowledged, and holds each case whole or not at all.

use classay_reports::record::{
    CaseId, CaseResult, Evidence, EvidenceKind, Launch, Observable, Outcome, OutcomeCount, RuleId,
    Verdict, Violation,
};
use classay_reports::store::{PlannedCase, RunRecord, RunStatus, Store};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// Set for the process that is to be killed: the store's path.
const CHILD: &str = "CLASSAY_TEST_STORE";

/// More cases than any child gets to commit.
const CASES: usize = 20_000;

fn case_id(i: usize) -> CaseId {
    CaseId::new("litmus", "killed", &format!("case {i}"))
}

fn observable(name: &str) -> Observable {
    Observable {
        name: name.into(),
        unsigned: false,
    }
}

/// The result of case `i`: large enough to fill several pages, and different for each case.
fn result(i: usize) -> CaseResult {
    let n = i as u64;
    let outcomes = |launch: u64| {
        (0..4).map(move |o| OutcomeCount {
            outcome: Outcome::State(vec![o as i64, i as i64]),
            count: n * 100 + launch * 10 + o + 1,
            target: o == 3,
        })
    };
    let launches: Vec<Launch> = (0..30)
        .map(|index| {
            let outcomes: Vec<OutcomeCount> = outcomes(index).collect();
            let instances = outcomes.iter().map(|o| o.count).sum();
            Launch {
                index,
                process: 0,
                instances,
                seconds: index as f64 / 8.0,
                outcomes,
                freedoms: Vec::new(),
            }
        })
        .collect();
    CaseResult {
        test: format!("case {i}"),
        instances: launches.iter().map(|l| l.instances).sum(),
        seconds: i as f64 / 16.0,
        build_seconds: 0.5,
        device_seconds: 0.25,
        observables: ["0:r0", "1:r0"].map(observable).to_vec(),
        launches,
        violations: vec![Violation {
            rules: vec![RuleId::new("mm.coherence.rr")],
            what: format!("violation {i}"),
        }],
        evidence: vec![Evidence {
            kind: EvidenceKind::Source,
            text: format!("{i} ").repeat(3000),
        }],
        ..CaseResult::new(
            case_id(i),
            Verdict::ALL[i % Verdict::ALL.len()],
            format!("reason {i}"),
        )
    }
}

/// The process that is killed: begins or resumes a run, commits its cases, and says so after each.
/// Does nothing in an ordinary run of the tests.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else {
        return;
    };
    let mut store = Store::open(path).unwrap();
    let run = match store.unfinished_run(None).unwrap() {
        Some(run) => run.id,
        None => {
            let record = RunRecord {
                created: SystemTime::now().into(),
                version: "0.1.0".into(),
                seed: 1,
                plan: "plan".into(),
            };
            let planned: Vec<PlannedCase> = (0..CASES)
                .map(|i| PlannedCase {
                    case: case_id(i),
                    spec: i.to_string(),
                })
                .collect();
            store.begin_run(&record, &planned).unwrap()
        }
    };
    for planned in store.pending_cases(run).unwrap() {
        let i: usize = planned.spec.parse().unwrap();
        store.commit_case(run, &result(i)).unwrap();
        // Straight to the descriptor: the test harness would capture `println!`.
        writeln!(std::io::stdout(), "\ncommitted {i}").unwrap();
    }
}

/// Numbers that differ from run to run: the moments are to be arbitrary.
fn arbitrary() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// Starts the child and kills it after `patience`; the cases that it said it had committed.
fn start_and_kill(path: &Path, patience: Duration) -> Vec<usize> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(stdout).lines().map_while(Result::ok);
        lines
            .filter_map(|l| l.strip_prefix("committed ")?.parse().ok())
            .collect::<Vec<usize>>()
    });
    std::thread::sleep(patience);
    // SIGKILL: the child gets no chance to end well.
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(
        status.code(),
        None,
        "the child ended before it was killed: {status}"
    );
    reader.join().unwrap()
}

#[test]
fn a_killed_process_leaves_whole_cases() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let mut acknowledged = Vec::new();
    let mut uncertain = 0;
    let mut most = 300_000;
    for round in 0..24 {
        if round >= 12 && !acknowledged.is_empty() {
            break;
        }
        let patience = Duration::from_micros(20_000 + arbitrary() % most);
        // A slow machine's children need longer to come to their first commit.
        most += most / 2 * u64::from(acknowledged.is_empty());
        acknowledged.extend(start_and_kill(&path, patience));
        let store = Store::open(&path).unwrap();
        let Some(run) = store.unfinished_run(None).unwrap() else {
            // Killed before the plan was committed: then nothing else can have been.
            assert!(acknowledged.is_empty());
            continue;
        };
        assert_eq!(
            (run.status, run.planned),
            (RunStatus::Running, CASES as u64)
        );
        let results = store.case_results(run.id).unwrap();
        for (i, found) in results.iter().enumerate() {
            assert_eq!(*found, result(i), "case {i} is not whole");
        }
        // Every acknowledged case is there; each kill may add one whose acknowledgement was lost.
        assert!(acknowledged.iter().all(|i| *i < results.len()));
        uncertain += 1;
        assert!(
            results.len() <= acknowledged.len() + uncertain,
            "{} cases",
            results.len()
        );
        assert_eq!(
            store.pending_cases(run.id).unwrap().len(),
            CASES - results.len()
        );
        assert_eq!(store.runs().unwrap().len(), 1);
    }
    assert!(
        !acknowledged.is_empty(),
        "no child lived long enough to commit anything"
    );
}
