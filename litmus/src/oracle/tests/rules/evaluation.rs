//! What threads compute: weak functions, operands, loops, indices, dependencies and filters.

use super::*;

#[test]
fn a_weak_compare_exchange_may_fail_and_a_strong_one_not() {
    let text = |strength: &str| {
        test(
            &[(
                HERE,
                &format!(
                    "int old = 0; int r0 = atomic_compare_exchange_{strength}_explicit(x, &old, 1, \
                     memory_order_relaxed, memory_order_relaxed, memory_scope_device);"
                ),
            )],
            "0:r0=0",
        )
    };
    assert_eq!(verdict("opencl-3.0", &text("strong")), Forbidden);
    assert_eq!(verdict("opencl-3.0", &text("weak")), Allowed);
}

#[test]
fn operands_of_an_operator_are_unsequenced() {
    let text = test(
        &[
            (
                HERE,
                &format!("*d = 1; {}", store("x", "1", "release", "device")),
            ),
            (
                THERE,
                &format!("int r0 = {} + *d;", load("x", "acquire", "device")),
            ),
        ],
        "1:r0=2",
    );
    // The acquire is not sequenced before the read of the data, so that read cannot see the store.
    let judgement = under("opencl-3.0", &text);
    assert!(judgement.racy && !judgement.holds);
}

/// Two threads that each read the other's location and their own in one expression.
fn two_calls(left: &str, right: &str) -> String {
    let body = format!("int r0 = {left} + {right};");
    let writer = format!(
        "{} {}",
        store("x", "1", "relaxed", "device"),
        store("y", "1", "release", "device")
    );
    test(&[(HERE, &writer), (THERE, &body)], "1:r0=10")
}

#[test]
fn calls_of_one_expression_are_one_before_the_other_in_some_order() {
    // y is seen and x is not: only where x is read first.
    let y = load("y", "acquire", "device");
    let x = load("x", "relaxed", "device");
    for text in [
        two_calls(&format!("10 * {y}"), &x),
        two_calls(&x, &format!("10 * {y}")),
    ] {
        let judgement = under("opencl-3.0", &text);
        assert!(judgement.holds && !judgement.racy, "{text}");
    }
    // In statements of their own, in the order that forbids it.
    let apart = two_calls("0", "0").replace(
        "int r0 = 0 + 0;",
        &format!("int r1 = 10 * {y}; int r0 = r1 + {x};"),
    );
    assert!(!under("opencl-3.0", &apart).holds);
    // Two increments of one location are one after the other: each sees what the other left or not, and
    // never are both unsequenced.
    let add = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device)";
    let twice = |sum: i32| {
        test(
            &[(HERE, &format!("int r0 = {add} + {add};"))],
            &format!("0:r0={sum}"),
        )
    };
    assert!(under("opencl-3.0", &twice(1)).holds);
    assert!(!under("opencl-3.0", &twice(0)).holds);
}

#[test]
fn a_call_before_or_after_another_takes_its_arguments_along() {
    // y is read as the argument of the exchange, so what the exchange is before comes after both.
    let y = load("y", "acquire", "device");
    let x = load("x", "relaxed", "device");
    let exchange = format!(
        "(atomic_exchange_explicit(l, {y}, memory_order_relaxed, memory_scope_work_group) * 0)"
    );
    let first = |text: String| under("opencl-3.0", &text);
    // `l` keeps what was read of y; x is read in either order.
    let both = two_calls(&exchange, &x).replace("exists (1:r0=10)", "exists (l=1 /\\ 1:r0=0)");
    assert!(first(both).holds);
    // Twin: with the sum in the exchange's argument both reads come before it.
    let inner = format!(
        "int r0 = atomic_exchange_explicit(x, {x} + 1, memory_order_relaxed, memory_scope_device);"
    );
    let alone = |end: &str| test(&[(HERE, &inner)], end);
    assert!(first(alone("x=1 /\\ 0:r0=0")).holds);
    assert!(!first(alone("not x=1")).holds);
}

#[test]
fn a_compare_exchange_is_one_call() {
    // The read of what is expected, the exchange and the write of what was seen stay together.
    let cas = "atomic_compare_exchange_strong_explicit(x, d, 5, memory_order_relaxed, \
               memory_order_relaxed, memory_scope_device)";
    let add = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device)";
    let text = |end: &str| test(&[(HERE, &format!("int r0 = {cas} + 10 * {add};"))], end);
    let holds = |end: &str| under("opencl-3.0", &text(end)).holds;
    // The exchange first: 0 is expected and found, then 5 becomes 6.
    assert!(holds("x=6 /\\ 0:r0=51"));
    // The addition first: 0 is expected and 1 is found, so `d` becomes 1.
    assert!(holds("x=1 /\\ d=1 /\\ 0:r0=0"));
    assert!(!holds("x=1 /\\ d=0"));
    assert!(!under("opencl-3.0", &text("x=6")).racy);
}

#[test]
fn loops_are_cut_at_the_bound_and_say_so() {
    let spin = format!(
        "while ({} == 0) {{ }} int r0 = *d;",
        load("x", "acquire", "device")
    );
    let text = test(
        &[
            (
                HERE,
                &format!("*d = 1; {}", store("x", "1", "release", "device")),
            ),
            (THERE, &spin),
        ],
        "1:r0=0",
    );
    let judgement = under("opencl-3.0", &text);
    assert!(judgement.bounded && !judgement.holds && !judgement.racy);
}

#[test]
fn a_bound_counts_where_a_consistent_execution_meets_it() {
    let store = store("x", "1", "relaxed", "device");
    let spin = format!("while ({} == 0) {{ }}", load("x", "relaxed", "device"));
    let apart = test(&[(HERE, &store), (THERE, &spin)], "x=1");
    assert!(under("opencl-3.0", &apart).bounded);
    // After the barrier the load cannot return the initial value.
    let barrier = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);";
    let after = test(
        &[
            (HERE, &format!("{store} {barrier}")),
            (HERE, &format!("{barrier} {spin}")),
        ],
        "x=1",
    );
    let judgement = under("opencl-3.0", &after);
    assert!(judgement.holds && !judgement.bounded);
    // Nothing but the loop itself ends it.
    let forever = test(&[(HERE, "while (1) { }")], "x=0");
    let judgement = under("opencl-3.0", &forever);
    assert!(judgement.bounded && judgement.states.is_empty());
}

/// A test of one thread that reads `x` and then an array of two elements.
fn indexing(values: &str, index: &str) -> String {
    let store = store("x", values, "release", "device");
    let load = load("x", "acquire", "device");
    format!(
        "OPENCL indexing\n{{ [x]=0; int y[2] = {{3, 4}}; }}\n\
         P0@{HERE} (global atomic_int* x) {{ {store} }}\n\
         P1@{THERE} (global atomic_int* x, global int* y) {{ int r0 = {load}; int r1 = y[{index}]; }}\n\
         exists (1:r1=3)"
    )
}

#[test]
fn an_index_counts_as_outside_where_a_consistent_execution_goes_there() {
    for (value, index, outside) in [
        ("1", "r0", false),
        ("2", "r0", true),
        ("1", "r0 - 1", true),
        ("2", "r0 - r0", false),
        ("2", "r0 ^ r0", false),
        ("2", "r0 & 0", false),
        ("2", "r0 * 0 + 1", false),
        ("2", "2 - (r0 == r0)", false),
        ("2", "r0 / 2", false),
        ("1", "r0 == 1 ? 0 : r0", false),
        ("1", "r0 == 1 ? 2 : r0", true),
    ] {
        let judgement = under("opencl-3.0", &indexing(value, index));
        assert_eq!(judgement.outside, outside, "{value} {index}");
        assert!(!judgement.bounded && !judgement.states.is_empty());
    }
    // The value that would lead outside cannot be read.
    let ordered = format!(
        "OPENCL ordered\n{{ [x]=0; int y[2] = {{3, 4}}; }}\n\
         P0@{HERE} (global atomic_int* x, global int* y) {{ {} {} int r0 = {}; int r1 = y[r0]; }}\n\
         exists (0:r1=4)",
        store("x", "2", "relaxed", "device"),
        store("x", "1", "relaxed", "device"),
        load("x", "relaxed", "device"),
    );
    let judgement = under("opencl-3.0", &ordered);
    assert!(!judgement.outside && judgement.holds);
}

#[test]
fn dependencies_stay_where_values_do_not() {
    for index in ["r0 ^ r0", "r0 * 0"] {
        let forbids = Model::parse("addr", "empty addr as none").unwrap();
        let program = read_litmus("test", &indexing("1", index)).unwrap();
        let judgement = judge(&program, &forbids, &Limits::default()).unwrap();
        assert!(judgement.states.is_empty(), "{index}");
    }
    let stored = test(
        &[(
            HERE,
            &format!(
                "int r0 = {}; int r1 = r0 & 0; if (r1 == 0) *d = r0 - r0;",
                load("x", "relaxed", "device")
            ),
        )],
        "d=0",
    );
    for relation in ["data", "ctrl"] {
        let forbids = Model::parse(relation, &format!("empty {relation} as none")).unwrap();
        let program = read_litmus("test", &stored).unwrap();
        let judgement = judge(&program, &forbids, &Limits::default()).unwrap();
        assert!(judgement.states.is_empty(), "{relation}");
    }
}

#[test]
fn a_filter_leaves_the_other_outcomes_out() {
    let text = test(
        &[
            (HERE, &store("x", "1", "relaxed", "device")),
            (HERE, &store("x", "2", "relaxed", "device")),
        ],
        "x=1",
    );
    assert!(under("opencl-3.0", &text).holds);
    let filtered = text.replace("exists", "filter (x=2)\nexists");
    let judgement = under("opencl-3.0", &filtered);
    assert!(!judgement.holds);
    assert_eq!(judgement.states.len(), 1);
}
