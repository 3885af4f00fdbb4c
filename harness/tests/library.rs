//! The library without the command line: a program of its own drives runs on Touchstone.
//!
//! This program is its own worker, so it has a `main` that says so before anything else.

use classay::environment::Environment;
use classay::interrupt::Interrupt;
use classay::plan::Case;
use classay::plan::select::Selection;
use classay::run::{Conduct, Observer, Stored};
use classay::{Budget, Error, ExitCode, Gate, Run, Verdict, worker};
use classay_reports::record::{CaseResult, Launch};
use classay_reports::store::Store;
use libtest_mimic::{Arguments, Failed, Trial};

type Done = Result<(), Failed>;

fn main() -> std::process::ExitCode {
    worker::serve_if_asked();
    let trials = vec![
        Trial::test("a_run_gives_each_selected_case_a_result", || {
            selected().map_err(Failed::from)
        }),
        Trial::test("a_run_is_seen_while_it_goes_on_and_kept", || {
            observed().map_err(Failed::from)
        }),
        Trial::test("what_cannot_run_is_an_error_with_its_exit_code", wrong),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Two litmus tests and what the device makes of them.
fn small() -> Run {
    Run {
        selection: Selection::of(&["SB+sc", "litmus/classic/MP+rel+acq"]),
        budget: Budget::Instances(200),
        environment: Some(Environment::default()),
        seed: Some(7),
        ..Run::default()
    }
}

fn selected() -> Result<(), Error> {
    let summary = small().run()?;
    let names: Vec<&str> = summary.results.iter().map(|r| r.case.name()).collect();
    assert_eq!(names, ["MP+rel+acq", "SB+sc"]);
    assert_eq!(summary.count(Verdict::Pass), 2, "{:?}", summary.results);
    assert!(summary.results.iter().all(|r| r.instances == 200));
    assert_eq!(summary.run.record.seed, 7);
    assert!(summary.run.device.is_some());
    Ok(())
}

#[derive(Default)]
struct Seen {
    begun: Vec<String>,
    launches: usize,
    ended: Vec<String>,
    over: bool,
}

impl Observer for Seen {
    fn case_begins(&mut self, case: &Case) {
        self.begun.push(case.id.to_string());
    }

    fn launched(&mut self, _: &Case, _: &Launch) {
        self.launches += 1;
    }

    fn case_ends(&mut self, result: &CaseResult) {
        assert!(self.begun.contains(&result.case.to_string()));
        self.ended.push(result.case.to_string());
    }

    fn run_ends(&mut self) {
        self.over = true;
    }
}

fn observed() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let interrupt = Interrupt::default();
    let mut seen = Seen::default();
    let run = Run {
        store: Some(path.clone()),
        ..small()
    };
    let mut active = run.begin(&interrupt, &|_| ())?;
    active.go(&mut seen)?;
    let results = active.close();
    assert_eq!(results.exit_code()?, ExitCode::Passed);
    assert_eq!(seen.begun.len(), 2);
    assert_eq!(seen.begun, seen.ended);
    assert!(seen.launches >= 2 && seen.over);

    let stored = Store::open_read_only(&path)?;
    let run = stored.runs()?.pop().expect("a run");
    assert_eq!(stored.case_results(run.id)?.len(), 2);
    drop(stored);
    let last = Stored::last(&path)?;
    assert!(last.is_complete());
    assert_eq!(last.plan().seed, 7);
    assert_eq!(last.results(&Gate::default(), &|_| ())?.all().len(), 2);
    Ok(())
}

fn wrong() -> Done {
    let code = |run: Run| run.run().err().map(|error| error.exit_code());
    let mut more = small();
    more.selection.select.push("none".into());
    assert_eq!(code(more), None);
    let none = Run {
        selection: Selection::of(&["none"]),
        ..Run::default()
    };
    assert_eq!(code(none), Some(ExitCode::Nothing));
    let missing = Run {
        device: "/nonexistent/libOpenCL.so".parse()?,
        ..small()
    };
    assert_eq!(code(missing), Some(ExitCode::NoDevice));
    let shard = Run {
        shard: Some("1/2".parse()?),
        ..small()
    };
    assert!(code(shard).is_none());
    let unseeded = Run {
        shard: Some("1/2".parse()?),
        ..Run::default()
    };
    assert_eq!(code(unseeded), Some(ExitCode::Usage));
    let unread = Run {
        gate: Gate {
            files: vec!["/nonexistent.yaml".into()],
            ..Gate::default()
        },
        conduct: Conduct::default(),
        ..small()
    };
    assert_eq!(code(unread), Some(ExitCode::Usage));
    let nowhere = Stored::last(std::path::Path::new("/nonexistent.db")).err();
    assert_eq!(nowhere.map(|e| e.exit_code()), Some(ExitCode::Usage));
    Ok(())
}
