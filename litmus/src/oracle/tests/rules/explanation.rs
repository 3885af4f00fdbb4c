//! Other models, and explanations of what is allowed and forbidden.

use super::*;

#[test]
fn sequential_consistency_is_a_model_too() {
    let text = store_buffering("relaxed", "device", "");
    assert_eq!(verdict("sc", &text), Forbidden);
    assert_eq!(verdict("opencl-3.0", &text), Allowed);
}

fn explained(model: &str, text: &str) -> Explanation {
    let program = read_litmus("test", text).unwrap();
    let model = Model::named(model).unwrap();
    let outcome = &program.condition.predicate;
    explain(&program, &model, outcome, &Limits::default()).unwrap()
}

/// The rules that forbid a test's outcome, each with the labels of its cycle.
fn reasons(text: &str) -> Vec<(String, Vec<String>)> {
    match explained("opencl-3.0", text) {
        Explanation::Forbidden(refusal) => refusal
            .failures
            .iter()
            .map(|f| {
                for pair in f.cycle.windows(2) {
                    assert_eq!(pair[0].to, pair[1].from, "{f:?}");
                }
                let labels = f.cycle.iter().map(|e| e.label.clone()).collect();
                (f.check.to_string(), labels)
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_forbidden_outcome_is_explained_by_its_rule_and_cycle() {
    let read = load("x", "relaxed", "device");
    let text = test(
        &[
            (HERE, &store("x", "1", "relaxed", "device")),
            (HERE, &format!("int r0 = {read}; int r1 = {read};")),
        ],
        "1:r0=1 /\\ 1:r1=0",
    );
    let expected = ["fr", "rf", "po"].map(str::to_owned).to_vec();
    assert_eq!(reasons(&text), [("mm.coherence.rr".to_owned(), expected)]);

    let text = store_buffering("seq_cst", "device", "");
    let found = reasons(&text);
    assert!(
        found.iter().all(|(rule, _)| rule.starts_with("mm.sc.")),
        "{found:?}"
    );
    let cycle = &found[0].1;
    assert_eq!(cycle.iter().filter(|l| *l == "po").count(), 2, "{cycle:?}");

    let swap =
        "int r0 = atomic_exchange_explicit(x, 1, memory_order_relaxed, memory_scope_device);";
    let text = test(&[(HERE, swap), (THERE, swap)], "0:r0=0 /\\ 1:r0=0");
    assert_eq!(reasons(&text)[0].0, "mm.rmw.last");

    let text = passing(
        "d",
        "x",
        ("release", "device"),
        ("acquire", "device"),
        THERE,
    );
    let found = reasons(&text);
    assert_eq!(found[0].0, "mm.coherence.wr");
    assert_eq!(found[0].1, ["fr", "po", "gsw", "po"], "{found:?}");
}

#[test]
fn an_allowed_outcome_has_a_witness_and_an_impossible_one_nothing() {
    let text = store_buffering("relaxed", "device", "");
    let Explanation::Allowed(execution) = explained("opencl-3.0", &text) else {
        panic!("store buffering is allowed");
    };
    assert_eq!(execution.outcome.0, [0, 0]);
    assert_eq!(execution.reads_from.len(), 2);
    assert!(
        execution
            .reads_from
            .iter()
            .all(|(w, _)| execution.events[*w].thread.is_none())
    );
    assert_eq!(execution.coherence.len(), 2);
    let text = test(&[(HERE, &store("x", "1", "relaxed", "device"))], "x=5");
    assert_eq!(explained("opencl-3.0", &text), Explanation::Impossible);
}

/// What x86 processors show: stores that wait in a buffer, which the work-items of a group share.
#[test]
fn x86_shows_store_buffering_between_processors_and_little_else() {
    let shows = |threads: &[(&str, &[&str])], exists: &str| {
        let access = |access: &&str| match access.split_once(' ') {
            Some((register, object)) => {
                format!("int {register} = {};", load(object, "relaxed", "device"))
            }
            None => store(access, "1", "relaxed", "device"),
        };
        let body = |accesses: &&[&str]| accesses.iter().map(access).collect::<String>();
        let bodies: Vec<String> = threads.iter().map(|(_, all)| body(all)).collect();
        let at = threads.iter().map(|(at, _)| *at);
        let threads: Vec<(&str, &str)> = at.zip(bodies.iter().map(String::as_str)).collect();
        under("x86-tso", &test(&threads, exists)).holds
    };
    // A store is `x`, a load into r0 is `r0 x`.
    let (both, third) = ("0:r0=0 /\\ 1:r0=0", "wg 2, dev 0");
    assert!(shows(
        &[(HERE, &["x", "r0 y"]), (THERE, &["y", "r0 x"])],
        both
    ));
    assert!(!shows(
        &[(HERE, &["x", "r0 y"]), (HERE, &["y", "r0 x"])],
        both
    ));
    let buffered = [(HERE, &["r0 y", "x"][..]), (THERE, &["r0 x", "y"])];
    assert!(!shows(&buffered, "0:r0=1 /\\ 1:r0=1"));
    let passed = [(HERE, &["x", "y"][..]), (THERE, &["r0 y", "r1 x"])];
    assert!(!shows(&passed, "1:r0=1 /\\ 1:r1=0"));

    // Two of a group have one buffer: one sees early what the other stores, but what it stores itself goes
    // the same way later.
    let early = |second, fourth| {
        let readers = [(second, &["r0 x", "r1 y"][..]), (fourth, &["r0 y", "r1 x"])];
        let threads = [(HERE, &["x"][..]), readers[0], (THERE, &["y"]), readers[1]];
        shows(&threads, "1:r0=1 /\\ 1:r1=0 /\\ 3:r0=1 /\\ 3:r1=0")
    };
    assert!(early(HERE, THERE));
    assert!(!early(third, "wg 3, dev 0"));
    let passed_on = |second| {
        let reader = (third, &["r0 y", "r1 x"][..]);
        let threads = [(HERE, &["x"][..]), (second, &["r0 x", "y"]), reader];
        shows(&threads, "1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0")
    };
    assert!(!passed_on(HERE) && !passed_on(THERE));
}
