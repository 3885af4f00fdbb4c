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
