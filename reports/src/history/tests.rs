//! Histories with known turns, which the tests of the forms of reports share.

use super::*;
use crate::record::{DeviceRecord, Launch, Observable, Outcome, OutcomeCount, Verdict, Violation};
use crate::report::Kind;
use crate::tests::sample;
use time::Duration;

fn rules() -> Vec<Rule> {
    let rule = |id: &str, kind| Rule {
        id: id.into(),
        section: "Execution <Model>".into(),
        statement: format!("what {id} says, with <b> & such"),
        kind,
    };
    vec![
        rule("sp.marker", Kind::Must),
        rule("sp.finish", Kind::Must),
        rule("mm.sw.atomic", Kind::Must),
        rule("sp.overlap", Kind::May),
    ]
}

fn context() -> Context {
    Context {
        rules: rules(),
        weak: [sb(0).case].into(),
        false_discovery: 0.05,
        notes: vec!["A note with <tags>.".into()],
    }
}

fn case(kind: &str, name: &str, verdict: Verdict) -> CaseResult {
    CaseResult::new(CaseId::new("queue", kind, name), verdict, "so it is")
}

fn broken(kind: &str, name: &str, rule: &str, what: &str) -> CaseResult {
    CaseResult {
        violations: vec![Violation {
            rules: vec![RuleId::new(rule)],
            what: what.into(),
        }],
        attempts: 3,
        failed_attempts: 3,
        ..case(kind, name, Verdict::Fail)
    }
}

/// A weak outcome that is seen about so often in a thousand, in each of eight processes.
fn sb(weak: u64) -> CaseResult {
    let launch = |index: u64| {
        let seen = match weak {
            0 => 0,
            weak => weak + index % 3,
        };
        let outcomes = [(0, seen, true), (1, 1000 - seen, false)];
        let counted = outcomes.into_iter().filter(|(_, count, _)| *count > 0);
        Launch {
            index,
            process: index as u32 / 5,
            instances: 1000,
            seconds: 0.01,
            outcomes: counted
                .map(|(value, count, target)| OutcomeCount {
                    outcome: Outcome::State(vec![value]),
                    count,
                    target,
                })
                .collect(),
            freedoms: Vec::new(),
        }
    };
    CaseResult {
        test: "SB".into(),
        instances: 40_000,
        seconds: 1.0,
        observables: vec![Observable {
            name: "r0".into(),
            unsigned: false,
        }],
        launches: (0..40).map(launch).collect(),
        ..CaseResult::new(CaseId::new("litmus", "classic", "SB"), Verdict::Pass, "")
    }
}

fn about(case: &CaseId) -> Vec<String> {
    let rules: &[&str] = match case.kind() {
        "queue/markers" => &["sp.marker"],
        "queue/finish" => &["sp.finish", "sp.marker"],
        "queue/late" => &["mm.sw.atomic"],
        _ => &[],
    };
    rules.iter().map(|rule| (*rule).to_owned()).collect()
}

/// A run of a driver's version that plans `planned`, whose seed decides what generated cases are.
fn version(driver: (&str, &str), results: Vec<CaseResult>, planned: &[&CaseResult]) -> Version {
    let mut run = sample::run(&results);
    let (platform, reported) = driver;
    let device = run.device.take();
    run.device = device.map(|device| DeviceRecord {
        platform: platform.into(),
        driver: reported.into(),
        ..device
    });
    Version {
        name: reported.into(),
        store: format!("{reported}.db"),
        planned: planned
            .iter()
            .map(|result| Planned {
                case: result.case.clone(),
                content: "the same".into(),
                rules: about(&result.case),
            })
            .collect(),
        run,
        results,
    }
}

/// Three versions: the second breaks a rule, mends another and offers more; the third does not reach a case.
pub fn broken_and_mended() -> History {
    let late = case("late", "00001", Verdict::Pass);
    let all = [
        vec![
            case("markers", "00001", Verdict::Pass),
            case("markers", "00002", Verdict::Pass),
            broken("finish", "00001", "sp.finish", "command 7 is queued"),
            case("alone", "00001", Verdict::Pass),
            sb(10),
        ],
        vec![
            broken(
                "markers",
                "00001",
                "sp.marker",
                "command 1 came <b>before</b> command 0",
            ),
            broken(
                "markers",
                "00002",
                "sp.marker",
                "command 12 came <b>before</b> command 4",
            ),
            case("finish", "00001", Verdict::Pass),
            case("alone", "00001", Verdict::Pass),
            sb(200),
        ],
        vec![
            broken(
                "markers",
                "00001",
                "sp.marker",
                "command 1 came <b>before</b> command 0",
            ),
            case("finish", "00001", Verdict::Pass),
            CaseResult {
                reason: "the worker was killed by signal 11 (SIGSEGV)".into(),
                attempts: 3,
                failed_attempts: 3,
                ..case("alone", "00001", Verdict::Crash)
            },
            sb(0),
        ],
    ];
    let planned: Vec<&CaseResult> = all[0].iter().chain([&late]).collect();
    let versions = ["1.9", "1.10", "2.0-rc1"].into_iter().zip(all.clone());
    let mut versions: Vec<Version> = versions
        .map(|(number, results)| version(("Test <driver>", number), results, &planned))
        .collect();
    for (version, (c, sub_groups)) in
        versions
            .iter_mut()
            .zip([("2.0", "no"), ("3.0", "yes"), ("3.0", "yes")])
    {
        if let Some(device) = &mut version.run.device {
            device.capabilities = vec![
                ("c-version".into(), c.into()),
                ("sub-groups".into(), sub_groups.into()),
                ("images".into(), "yes".into()),
            ];
        }
    }
    History::new(vec![versions], context())
}

/// Two drivers, of which one has two versions whose cases are other programs.
pub fn two_drivers() -> History {
    let results = vec![case("markers", "00001", Verdict::Pass), sb(5)];
    let fails = vec![
        broken("markers", "00001", "sp.marker", "late"),
        broken("finish", "00001", "sp.finish", "early"),
    ];
    let planned: Vec<&CaseResult> = results.iter().chain(&fails[1..]).collect();
    let first = version(("A", "1"), results.clone(), &planned);
    let mut second = version(("A", "2"), fails.clone(), &planned);
    for planned in &mut second.planned {
        planned.content = "another".into();
    }
    let other = version(("B", "7"), fails.clone(), &planned);
    History::new(vec![vec![first, second], vec![other]], context())
}

/// One version alone.
pub fn one() -> History {
    let results = vec![case("markers", "00001", Verdict::Skip)];
    let planned: Vec<&CaseResult> = results.iter().collect();
    let only = version(("A", "1"), results.clone(), &planned);
    History::new(vec![vec![only]], Context::default())
}

#[test]
fn a_rule_that_breaks_and_one_that_is_mended_are_found_where_it_happens() {
    let history = broken_and_mended();
    let group = &history.groups[0];
    let turns: Vec<Vec<(Turn, &str)>> = group
        .steps
        .iter()
        .map(|step| {
            step.rules
                .iter()
                .map(|r| (r.turn, r.rule.as_str()))
                .collect()
        })
        .collect();
    assert_eq!(
        turns,
        [
            vec![(Turn::Broke, "sp.marker"), (Turn::Mended, "sp.finish")],
            vec![]
        ]
    );
    // What shows the same but for its numbers stands together.
    let first = &group.steps[0];
    assert_eq!(
        first
            .cases(Turn::Broke)
            .map(|c| c.cases.len())
            .collect::<Vec<_>>(),
        [2]
    );
    assert!(!first.found.passes(Gate::Failures));
    let second: Vec<(Turn, Verdict)> = group.steps[1]
        .cases
        .iter()
        .map(|c| (c.turn, c.after))
        .collect();
    assert_eq!(second, [(Turn::Broke, Verdict::Crash)]);
    assert_eq!(group.steps[1].scope.unreached_after, 1);
    assert_eq!(history.passes(Gate::Failures), Some(false));
    let failures: Vec<Vec<usize>> = group
        .failures
        .iter()
        .map(|failure| failure.cases.iter().map(Vec::len).collect())
        .collect();
    assert_eq!(failures, [[0, 2, 1], [0, 0, 1], [1, 0, 0]]);
}

#[test]
fn a_row_of_marks_says_how_a_rule_fared() {
    let history = broken_and_mended();
    let group = &history.groups[0];
    let marks = |rule: &str| -> String {
        let row = group
            .rules
            .iter()
            .find(|row| row.of.as_str() == rule)
            .expect("a row");
        row.cells.iter().map(|cell| cell.mark.sign()).collect()
    };
    assert_eq!(marks("sp.marker"), "·FF");
    assert_eq!(marks("sp.finish"), "F··");
    assert_eq!(marks("mm.sw.atomic"), "………");
    assert_eq!(group.rules.len(), 3, "what may be has no row");
    let kind = |name: &str| -> String {
        let row = group
            .kinds
            .iter()
            .find(|row| row.of == name)
            .expect("a row");
        row.cells.iter().map(|cell| cell.mark.sign()).collect()
    };
    assert_eq!(
        (kind("queue/alone"), kind("litmus/classic")),
        ("··C".into(), "···".into())
    );
    let signs: BTreeSet<char> = Mark::ALL.into_iter().map(Mark::sign).collect();
    assert_eq!(signs.len(), Mark::ALL.len());
}

#[test]
fn rates_that_change_are_marked_and_capabilities_that_come_are_gained() {
    let history = broken_and_mended();
    let group = &history.groups[0];
    let [sb] = group.rates.as_slice() else {
        panic!("one test has a weak outcome");
    };
    assert_eq!(sb.changed, [1, 2].into());
    assert_eq!(
        sb.points[2].as_ref().map(|p| p.bound().is_some()),
        Some(true)
    );
    let changed: Vec<(&str, Way)> = group.steps[0]
        .capabilities
        .iter()
        .map(|change| (change.name.as_str(), change.way))
        .collect();
    assert_eq!(
        changed,
        [("c-version", Way::Changed), ("sub-groups", Way::Gained)]
    );
    assert!(group.steps[1].capabilities.is_empty());
}

#[test]
fn other_programs_are_not_compared_and_drivers_not_with_each_other() {
    let history = two_drivers();
    let step = &history.groups[0].steps[0];
    assert_eq!(
        (step.scope.compared.len(), step.scope.other_programs),
        (0, 3)
    );
    let turns: Vec<Turn> = step.rules.iter().map(|change| change.turn).collect();
    assert_eq!(turns, [Turn::Found, Turn::Found]);
    assert!(step.found.passes(Gate::Rates(0.05)));
    assert_eq!(history.passes(Gate::Failures), Some(true));
    assert!(history.groups[1].steps.is_empty());
    assert_eq!(one().passes(Gate::Failures), None);
}

#[test]
fn versions_are_put_in_order_and_runs_of_one_by_their_dates() {
    let of = |platform: &str, driver: &str, days: i64| {
        let mut version = version((platform, driver), Vec::new(), &[]);
        version.run.record.created += Duration::days(days);
        version
    };
    let all = || {
        vec![
            of("A", "1.10", 0),
            of("B", "x", 0),
            of("A", "1.9", 3),
            of("B", "1", 0),
            of("A", "1.9", 1),
        ]
    };
    let told = |groups: &[Vec<Version>]| -> Vec<Vec<(String, u8)>> {
        let one = |v: &Version| (v.name.clone(), v.run.record.created.day());
        groups
            .iter()
            .map(|group| group.iter().map(one).collect())
            .collect()
    };
    let (groups, unordered) = grouped(all(), true);
    let [a, b] = told(&groups).try_into().expect("two drivers");
    assert_eq!(
        a,
        [("1.9".into(), 7), ("1.9".into(), 9), ("1.10".into(), 6)]
    );
    assert_eq!(b[0].0, "x", "what has no number stays as it is");
    assert_eq!(unordered, ["B"]);
    let (groups, unordered) = grouped(all(), false);
    assert_eq!(told(&groups)[0][0].0, "1.10");
    assert!(unordered.is_empty());
}
