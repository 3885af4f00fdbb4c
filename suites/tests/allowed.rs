//! What the specification leaves to implementations is never a violation.

use classay_suites::api;
use classay_suites::commands::check::Plan;
use classay_suites::commands::program::{CommandId, Place, Who};
use classay_suites::commands::trace::Trace;
use classay_suites::commands::yaml;
use classay_suites::family::{DeviceInfo, Family};
use classay_suites::host::Record;
use classay_suites::host::check::That;

fn plan(threads: &str, more: &str) -> Result<Plan, String> {
    let text = format!(
        "kind: commands
devices: 1
contexts: 1
cell_words: 1
queues:
- {{context: 0, device: 0, out_of_order: true}}
objects:
- {{context: 0, cells: 2, kind: svm-fine}}
users: [0]
commands:
- queue: 0
  what: {{kernel: {{writes: [{{object: 0, first: 0, count: 1}}], items: 1}}}}
- queue: 0
  what: marker
{more}
accesses:
- {{range: {{object: 0, first: 0, count: 1}}, write: false}}
threads:
- {threads}
"
    );
    let program = yaml::read(&text).map_err(|e| e.to_string())?;
    Plan::of(program).map_err(|e| e.to_string())
}

fn place(step: u16) -> Place {
    Place {
        who: Who::Thread(0),
        step,
    }
}

#[test]
fn waiting_for_what_was_never_flushed_is_no_program() {
    // A second queue's command waits for a marker that nobody flushes, and the host for that.
    let steps =
        "[{enqueue: 0}, {status: {command: 0}}, {wait: [{command: 0}]}, {access: 0}, {enqueue: 1}]";
    assert!(plan(steps, "").is_ok(), "clWaitForEvents flushes the queue");
    let two = "- queue: 1\n  what: marker\n  wait: [{command: 1}]";
    let text = |flush: &str| {
        let steps = format!(
            "[{{enqueue: 0}}, {{enqueue: 1}}, {flush}{{enqueue: 2}}, {{finish: 1}}, {{finish: 0}}, {{access: 0}}]"
        );
        let program = format!(
            "kind: commands
devices: 1
contexts: 1
cell_words: 1
queues:
- {{context: 0, device: 0, out_of_order: false}}
- {{context: 0, device: 0, out_of_order: false}}
objects:
- {{context: 0, cells: 2, kind: svm-fine}}
commands:
- queue: 0
  what: {{kernel: {{writes: [{{object: 0, first: 0, count: 1}}], items: 1}}}}
- queue: 0
  what: marker
{two}
accesses:
- {{range: {{object: 0, first: 0, count: 1}}, write: false}}
threads:
- {steps}
"
        );
        Plan::of(yaml::read(&program).expect("a program"))
    };
    assert!(
        text("").is_err(),
        "queue 0 is not flushed before it is waited for"
    );
    assert!(text("{flush: 0}, ").is_ok());
}

#[test]
fn a_status_that_jumps_is_right() {
    let steps = "[{enqueue: 0}, {status: {command: 0}}, {status: {command: 0}}, {enqueue: 1}, {finish: 0}, {access: 0}]";
    let plan = plan(steps, "").expect("a program");
    for (first, second) in [(3, 3), (3, 1), (3, 0), (2, 0), (0, 0)] {
        let trace = Trace {
            statuses: [(place(1), first), (place(2), second)].into(),
            ..Trace::default()
        };
        assert_eq!(plan.check(&trace), [], "{first}, then {second}");
    }
    let back = Trace {
        statuses: [(place(1), 1), (place(2), 3)].into(),
        ..Trace::default()
    };
    assert_ne!(plan.check(&back), []);
}

#[test]
fn polling_a_status_orders_nothing() {
    let polled = "[{enqueue: 0}, {flush: 0}, {sleep: 1000}, {status: {command: 0}}, {access: 0}, {enqueue: 1}, {finish: 0}]";
    let why = plan(polled, "").expect_err("a race");
    assert!(why.contains("command 0"), "{why}");
    let waited = polled.replace("{status: {command: 0}}", "{wait: [{command: 0}]}");
    assert!(plan(&waited, "").is_ok());
}

#[test]
fn an_out_of_order_queue_may_run_in_order_or_not() {
    let more = "- queue: 0\n  what: {kernel: {items: 1}}\n  wait: [{user: 0}]";
    let steps = "[{enqueue: 2}, {enqueue: 0}, {flush: 0}, {status: {command: 0}}, {set: {user: 0, status: 0}}, {finish: 0}, {access: 0}, {enqueue: 1}, {finish: 0}]";
    let plan = plan(steps, more).expect("a program");
    // Command 0 waits behind the held command 2, or passes it.
    for told in [3, 2, 1, 0] {
        let trace = Trace {
            statuses: [(place(3), told)].into(),
            ..Trace::default()
        };
        assert_eq!(plan.check(&trace), [], "{told}");
    }
}

#[test]
fn after_a_failure_others_of_its_context_may_fare_as_they_like() {
    let more = "- queue: 0\n  what: {kernel: {items: 1}}\n  wait: [{user: 0}]";
    let steps = "[{enqueue: 0}, {wait: [{command: 0}]}, {access: 0}, {enqueue: 2}, {set: {user: 0, status: -1}}, {finish: 0}, {enqueue: 1}, {finish: 0}]";
    let plan = plan(steps, more).expect("a program");
    for last in [0, -5, 2] {
        let trace = Trace {
            last: [(CommandId(1), last), (CommandId(2), -14)].into(),
            codes: [(place(5), -36), (place(6), -34), (place(7), -36)].into(),
            ..Trace::default()
        };
        assert_eq!(plan.check(&trace), [], "{last}");
    }
    let trace = Trace {
        last: [(CommandId(2), 0)].into(),
        ..Trace::default()
    };
    assert_ne!(plan.check(&trace), [], "the waiter itself must fail");
}

#[test]
fn an_implementation_may_hold_references_of_its_own() {
    // Glossary, Reference Count: "Implementations may also modify the reference count".
    let case = api::Case::generate("api/threads", 0).expect("a case");
    let lowered = case.lower(&DeviceInfo::default());
    let count = |count: u32| {
        let mut record = Record::default();
        for check in &lowered.checks {
            if let That::Number(answer, _) = check.that {
                let bytes = count.to_ne_bytes().to_vec();
                record.answers.insert(answer, bytes);
            }
        }
        case.check(&lowered, &record, 0)
    };
    // Only a count of 0 is reported, and counts above what the program holds never are.
    assert!(count(1).is_empty() && count(7).is_empty());
    assert!(!count(0).is_empty());
}
