//! Workers that misbehave, played by shell scripts.

use super::*;
use crate::plan::{Body, LitmusTest};
use crate::worker::host::Start;
use classay_reports::record::{CaseId, EvidenceKind, Outcome, OutcomeCount, Verdict};
use classay_vocabulary::Budget;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const TEST: &str = "OPENCL MP\n{ [x]=0; }\nP0 (global int* x) { *x = 1; }\nexists (x=1)\n";

const HELLO: &str = r#"echo '{"reply":"hello","protocol":5}'"#;

fn known() -> Known {
    Known {
        record: DeviceRecord {
            selector: String::new(),
            platform: "made up".into(),
            platform_version: String::new(),
            name: "made up".into(),
            vendor: String::new(),
            version: String::new(),
            driver: String::new(),
            capabilities: Vec::new(),
            findings: Vec::new(),
        },
        capabilities: Default::default(),
    }
}

/// Writes a script. Another process does it, so that no test running beside this one has the file
/// open for writing when it is started.
fn script(folder: &Path, body: &str) -> std::path::PathBuf {
    let path = folder.join("worker.sh");
    let mut writer = Command::new("/bin/sh")
        .args(["-c", r#"cat > "$0" && chmod +x "$0""#])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut pipe = writer.stdin.take().expect("a pipe");
    writeln!(pipe, "#!/bin/sh\n{body}").expect("written");
    drop(pipe);
    assert!(writer.wait().expect("an end").success());
    path
}

fn session(folder: &Path, body: &str) -> Session {
    Session {
        link: Link {
            selector: "touchstone".parse().expect("a selector"),
            start: Start {
                breakage: Breakage::default(),
                program: script(folder, body),
                api: crate::device::Api::OpenCl,
                library: String::new(),
                under_layer: None,
            },
            interrupt: Interrupt::default(),
        },
        at: At {
            platform: 0,
            device: 0,
        },
        known: known(),
        worker: None,
        failed_openings: 0,
        loaded: 0,
        compiled: None,
        turn: None,
    }
}

fn case(budget: Budget) -> Case {
    Case {
        id: CaseId::new("litmus", "classic", "MP"),
        test: "MP".into(),
        file: String::new(),
        body: Body::Litmus(LitmusTest::read(TEST).expect("a test")),
        environment: crate::environment::Environment::default(),
        seed: 1,
        budget,
        place: 0,
        keep: None,
    }
}

/// Opens, and then does `body` when a case comes.
fn worker(body: &str) -> String {
    let opened = Reply::Opened {
        at: At {
            platform: 0,
            device: 0,
        },
        known: Box::new(known()),
    };
    let opened = serde_json::to_string(&opened).expect("json");
    format!("{HELLO}\nread request\necho '{opened}'\nread request\n{body}\n")
}

fn launch(index: u64, instances: u64, count: u64) -> String {
    format!(
        r#"echo '{{"reply":"launch","case":"litmus/classic/MP","launch":{{"index":{index},"instances":{instances},"seconds":0.5,"outcomes":[{{"outcome":{{"state":[1]}},"count":{count},"target":true}}]}}}}'"#
    )
}

fn finished(case: &str) -> String {
    format!(
        r#"echo '{{"reply":"finished","case":"{case}","ended":{{"build_seconds":0.1,"device_seconds":0.2,"violations":[],"evidence":[]}}}}'"#
    )
}

fn limits(retries: u32) -> Limits {
    Limits {
        patience: Patience::of(Duration::from_secs(1)),
        until: None,
        retries,
    }
}

fn model() -> ChosenModel {
    ChosenModel::load("opencl-3.0").expect("a model")
}

/// The result of a case on such a worker.
fn result(body: &str) -> CaseResult {
    let folder = tempfile::tempdir().expect("a folder");
    session(folder.path(), &worker(body))
        .run(
            &case(Budget::Instances(10)),
            limits(0),
            &model(),
            &mut |_| {},
        )
        .expect("a result")
}

#[test]
fn a_worker_that_behaves() {
    let done = result(&format!(
        "{}\n{}\n{}\nread request",
        launch(0, 5, 5),
        launch(1, 7, 7),
        finished("litmus/classic/MP")
    ));
    assert_eq!(done.verdict, Verdict::Pass, "{}", done.reason);
    assert_eq!(
        (done.instances, done.attempts, done.failed_attempts),
        (12, 1, 0)
    );
    assert_eq!((done.build_seconds, done.device_seconds), (0.1, 0.2));
}

#[test]
fn a_worker_has_compiled_once_it_has_built_something() {
    let folder = tempfile::tempdir().expect("a folder");
    let ends = format!("{}\nread request", finished("litmus/classic/MP"));
    let mut session = session(folder.path(), &worker(&ends));
    assert!(!session.has_compiled());
    let case = case(Budget::Instances(10));
    let done = session.run(&case, limits(0), &model(), &mut |_| {});
    assert_eq!(done.expect("a result").build_seconds, 0.1);
    assert!(session.has_compiled());
    session.renew();
    assert!(!session.has_compiled());
}

#[test]
fn workers_that_misbehave() {
    for (body, verdict, words) in [
        (
            "echo 'Hello from the driver'",
            Verdict::Crash,
            "\"Hello from the driver\" is no reply",
        ),
        ("echo", Verdict::Crash, "rubbish"),
        (HELLO, Verdict::Crash, "\"hello\" out of turn"),
        (
            &finished("litmus/classic/SB"),
            Verdict::Crash,
            "\"finished\" out of turn",
        ),
        (&launch(0, 5, 4), Verdict::Crash, "do not add up"),
        (&launch(1, 5, 5), Verdict::Crash, "launch 1 where 0 was due"),
        ("exit 3", Verdict::Crash, "exited with code 3"),
        ("exit 0", Verdict::Crash, "exited with code 0"),
        ("kill -SEGV $$", Verdict::Crash, "SIGSEGV"),
        ("kill -KILL $$", Verdict::Crash, "SIGKILL"),
        (
            "printf '{\"reply\":'; kill -ABRT $$",
            Verdict::Crash,
            "SIGABRT",
        ),
        ("exec >&-; sleep 100", Verdict::Crash, "closed its pipe"),
        ("sleep 100", Verdict::Timeout, "no sign of life for 1 s"),
    ] {
        let result = result(body);
        assert_eq!(result.verdict, verdict, "{body}: {}", result.reason);
        assert!(result.reason.contains(words), "{body}: {}", result.reason);
        assert_eq!((result.attempts, result.failed_attempts), (1, 1));
    }
}

#[test]
fn launches_before_the_end_are_kept() {
    let result = result(&format!("{}\nkill -SEGV $$", launch(0, 5, 5)));
    assert_eq!((result.verdict, result.instances), (Verdict::Crash, 5));
}

#[test]
fn a_case_that_never_ends_is_a_timeout_although_it_lives() {
    let folder = tempfile::tempdir().expect("a folder");
    let endless = format!(
        "n=0\nwhile true; do\n{}\nn=$((n+1))\nsleep 0.1\ndone",
        launch(0, 5, 5).replace("\"index\":0", "\"index\":'$n'")
    );
    let result = session(folder.path(), &worker(&endless))
        .run(
            &case(Budget::Seconds(0.2)),
            limits(0),
            &model(),
            &mut |_| {},
        )
        .expect("a result");
    assert_eq!(result.verdict, Verdict::Timeout, "{}", result.reason);
    assert!(
        result.reason.contains("past its time budget"),
        "{}",
        result.reason
    );
    assert!(result.instances >= 25, "{}", result.instances);
}

#[test]
fn standard_error_is_kept_but_not_all_of_it() {
    let noise = "head -c 1000000 /dev/zero | tr '\\0' 'x' >&2; echo the end >&2; exit 1";
    let result = result(noise);
    let kept = result
        .evidence
        .iter()
        .find(|e| e.kind == EvidenceKind::Stderr)
        .expect("stderr");
    assert!(kept.text.len() <= 64 << 10, "{}", kept.text.len());
    assert!(kept.text.ends_with("the end\n"));
}

#[test]
fn a_device_that_cannot_be_opened_again_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session(
        folder.path(),
        &format!("{HELLO}\nread request\nkill -SEGV $$"),
    );
    let mut crashes = 0;
    let stop = loop {
        match session.run(
            &case(Budget::Instances(10)),
            limits(0),
            &model(),
            &mut |_| {},
        ) {
            Ok(result) => {
                assert_eq!(result.verdict, Verdict::Crash);
                crashes += 1;
                assert!(crashes < 100, "it never gives up");
            }
            Err(stop) => break stop,
        }
    };
    assert_eq!(crashes, 3);
    let Stop::NoDevice(sentence) = stop else {
        panic!("not that: {stop:?}");
    };
    assert!(sentence.contains("SIGSEGV"), "{sentence}");
}

#[test]
fn another_version_of_the_program_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let result = session(
        folder.path(),
        r#"echo '{"reply":"hello","protocol":0}'; read request"#,
    )
    .run(
        &case(Budget::Instances(10)),
        limits(0),
        &model(),
        &mut |_| {},
    )
    .expect("a result");
    assert!(
        result.reason.contains("replaced while it ran"),
        "{}",
        result.reason
    );
}

#[test]
fn an_interruption_kills_the_worker_with_its_children() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("child");
    let body = worker(&format!("sleep 1000 & echo $! > {}; wait", mark.display()));
    let mut session = session(folder.path(), &body);
    let interrupt = session.link.interrupt.clone();
    let stopper = std::thread::spawn({
        let mark = mark.clone();
        move || {
            while !std::fs::read_to_string(&mark).is_ok_and(|t| t.ends_with('\n')) {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.note();
        }
    });
    let mut limits = limits(0);
    limits.patience = Patience::of(Duration::from_secs(60));
    let stopped = session.run(&case(Budget::Instances(10)), limits, &model(), &mut |_| {});
    assert!(matches!(stopped, Err(Stop::Interrupted)), "{stopped:?}");
    stopper.join().expect("it ended");
    let child = std::fs::read_to_string(mark).expect("a process id");
    let stat = format!("/proc/{}/stat", child.trim());
    let end = Instant::now() + Duration::from_secs(10);
    while std::fs::read_to_string(&stat).is_ok_and(|s| !s.contains(") Z")) {
        assert!(Instant::now() < end, "the worker's child lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn counts_must_add_up() {
    let launch = |index, instances, counts: &[u64]| Launch {
        index,
        process: 0,
        instances,
        seconds: 0.1,
        outcomes: counts
            .iter()
            .enumerate()
            .map(|(i, count)| OutcomeCount {
                outcome: Outcome::State(vec![i as i64]),
                count: *count,
                target: false,
            })
            .collect(),
        freedoms: Vec::new(),
    };
    assert_eq!(wrong_launch(&launch(0, 5, &[2, 3]), 0), None);
    assert!(wrong_launch(&launch(0, 6, &[2, 3]), 0).is_some());
    assert!(wrong_launch(&launch(0, 5, &[5, 0]), 0).is_some());
    assert!(wrong_launch(&launch(1, 5, &[5]), 0).is_some());
    assert!(wrong_launch(&launch(0, 1, &[u64::MAX, 2]), 0).is_some());
    let mut backwards = launch(0, 5, &[5]);
    backwards.seconds = -1.0;
    assert!(wrong_launch(&backwards, 0).is_some());
}

#[test]
fn a_touchstone_of_another_version_is_told_from_ours() {
    let of = |platform: &str, driver: &str| {
        let mut record = known().record;
        (record.platform, record.driver) = (platform.into(), driver.into());
        is_ours(&record)
    };
    let version = env!("CARGO_PKG_VERSION");
    assert!(of("Touchstone", version));
    assert!(of("Touchstone", &format!("{version} weak-memory")));
    assert!(!of("Touchstone", "0.0.9"));
    assert!(!of("Touchstone", ""));
    assert!(!of("Portable Computing Language", version));
}

#[test]
fn a_driver_names_the_latitudes_that_it_takes() {
    let not = |driver| not_taken(driver, "statuses-jump, weak-memory");
    assert_eq!(not("0.1.0 weak-memory statuses-jump"), None);
    assert_eq!(not("0.1.0 statuses-jump"), Some("weak-memory"));
    assert_eq!(
        not("0.1.0 statuses-jumpy weak-memory"),
        Some("statuses-jump")
    );
    assert_eq!(not("0.1.0"), Some("statuses-jump"));
    assert_eq!(not_taken("0.1.0", ""), None);
}
