//! The rules of the specification, one by one, each with a program that it decides.

use crate::oracle::{Explanation, Judgement, Limits, Model, explain, judge};
use crate::syntax::read_litmus;

fn under(model: &str, text: &str) -> Judgement {
    let program = read_litmus("test", text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    judge(&program, &Model::named(model).unwrap(), &Limits::default()).unwrap()
}

/// What a test says of its outcome.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Forbidden,
    Allowed,
    /// Some execution has a race.
    Racy,
}
use Verdict::{Allowed, Forbidden, Racy};

fn verdict(model: &str, text: &str) -> Verdict {
    let judgement = under(model, text);
    match (judgement.racy, judgement.holds) {
        (true, _) => Racy,
        (false, true) => Allowed,
        (false, false) => Forbidden,
    }
}

/// A test over threads of given placements and bodies; `x` and `y` are global atomics, `l` and `m`
/// local ones, `d` is global and `e` local data.
fn test(threads: &[(&str, &str)], exists: &str) -> String {
    let mut text = "OPENCL test\n{ [x]=0; [y]=0; [l]=0; [m]=0; [d]=0; [e]=0; }\n".to_owned();
    let parameters = "global atomic_int* x, global atomic_int* y, local atomic_int* l, \
                      local atomic_int* m, global int* d, local int* e";
    for (t, (placement, body)) in threads.iter().enumerate() {
        text += &format!("P{t}@{placement} ({parameters}) {{ {body} }}\n");
    }
    text + &format!("exists ({exists})")
}

const HERE: &str = "wg 0, dev 0";
const THERE: &str = "wg 1, dev 0";

fn load(object: &str, order: &str, scope: &str) -> String {
    format!("atomic_load_explicit({object}, memory_order_{order}, memory_scope_{scope})")
}

fn store(object: &str, value: &str, order: &str, scope: &str) -> String {
    format!("atomic_store_explicit({object}, {value}, memory_order_{order}, memory_scope_{scope});")
}

fn fence(flags: &str, order: &str, scope: &str) -> String {
    let flags: Vec<String> = flags
        .split('|')
        .map(|f| format!("CLK_{f}_MEM_FENCE"))
        .collect();
    format!(
        "atomic_work_item_fence({}, memory_order_{order}, memory_scope_{scope});",
        flags.join(" | ")
    )
}

/// Message passing of plain data through a flag.
fn passing(
    data: &str,
    flag: &str,
    (write, write_scope): (&str, &str),
    (read, read_scope): (&str, &str),
    reader: &str,
) -> String {
    test(
        &[
            (
                HERE,
                &format!("*{data} = 1; {}", store(flag, "1", write, write_scope)),
            ),
            (
                reader,
                &format!(
                    "int r0 = {}; int r1 = 7; if (r0 == 1) {{ r1 = *{data}; }}",
                    load(flag, read, read_scope)
                ),
            ),
        ],
        "1:r0=1 /\\ 1:r1=0",
    )
}

#[test]
fn release_and_acquire_synchronize() {
    for model in ["opencl-2.0", "opencl-3.0", "opencl-3.1", "opencl-scoped-sc"] {
        for write in ["release", "seq_cst"] {
            for read in ["acquire", "seq_cst"] {
                let text = passing("d", "x", (write, "device"), (read, "device"), THERE);
                assert_eq!(verdict(model, &text), Forbidden, "{model} {write} {read}");
            }
        }
        for (write, read) in [
            ("relaxed", "acquire"),
            ("release", "relaxed"),
            ("relaxed", "relaxed"),
        ] {
            let text = passing("d", "x", (write, "device"), (read, "device"), THERE);
            assert_eq!(verdict(model, &text), Racy, "{model} {write} {read}");
        }
    }
}

#[test]
fn scopes_must_be_inclusive() {
    let narrow = passing(
        "d",
        "x",
        ("release", "work_group"),
        ("acquire", "work_group"),
        THERE,
    );
    assert_eq!(verdict("opencl-3.0", &narrow), Racy);
    let near = passing(
        "d",
        "x",
        ("release", "work_group"),
        ("acquire", "work_group"),
        HERE,
    );
    assert_eq!(verdict("opencl-3.0", &near), Forbidden);
}

#[test]
fn different_scopes_are_inclusive_since_3_1() {
    let text = passing(
        "d",
        "x",
        ("release", "device"),
        ("acquire", "work_group"),
        HERE,
    );
    assert_eq!(verdict("opencl-2.0", &text), Racy);
    assert_eq!(verdict("opencl-3.0", &text), Racy);
    assert_eq!(verdict("opencl-3.1", &text), Forbidden);
    // The narrower scope still has to reach.
    let text = passing(
        "d",
        "x",
        ("release", "device"),
        ("acquire", "work_group"),
        THERE,
    );
    assert_eq!(verdict("opencl-3.1", &text), Racy);
    let text = passing(
        "d",
        "x",
        ("release", "all_svm_devices"),
        ("acquire", "device"),
        THERE,
    );
    assert_eq!(verdict("opencl-3.0", &text), Racy);
    assert_eq!(verdict("opencl-3.1", &text), Forbidden);
}

#[test]
fn on_local_memory_wider_scopes_mean_work_group() {
    let text = passing(
        "e",
        "l",
        ("release", "device"),
        ("acquire", "work_group"),
        HERE,
    );
    assert_eq!(verdict("opencl-3.0", &text), Forbidden);
    assert_eq!(verdict("opencl-3.1", &text), Forbidden);
}

#[test]
fn other_devices_need_all_svm_devices() {
    let text = passing(
        "d",
        "x",
        ("release", "device"),
        ("acquire", "device"),
        "wg 0, dev 1",
    );
    assert_eq!(verdict("opencl-3.1", &text), Racy);
    let wide = ("release", "all_svm_devices");
    let text = passing(
        "d",
        "x",
        wide,
        ("acquire", "all_svm_devices"),
        "wg 0, dev 1",
    );
    assert_eq!(verdict("opencl-3.1", &text), Forbidden);
}

#[test]
fn happens_before_is_separate_for_each_region() {
    // Local data is not ordered by a flag in global memory, nor the reverse.
    let text = passing("e", "x", ("release", "device"), ("acquire", "device"), HERE);
    assert_eq!(verdict("opencl-3.0", &text), Racy);
    let text = passing(
        "d",
        "l",
        ("release", "work_group"),
        ("acquire", "work_group"),
        HERE,
    );
    assert_eq!(verdict("opencl-3.0", &text), Racy);
}

#[test]
fn seq_cst_synchronizes_in_both_regions() {
    let text = passing("e", "x", ("seq_cst", "device"), ("seq_cst", "device"), HERE);
    assert_eq!(verdict("opencl-3.0", &text), Forbidden);
    let text = passing(
        "d",
        "l",
        ("seq_cst", "work_group"),
        ("seq_cst", "work_group"),
        HERE,
    );
    assert_eq!(verdict("opencl-3.0", &text), Forbidden);
    let text = passing("e", "x", ("seq_cst", "device"), ("acquire", "device"), HERE);
    assert_eq!(verdict("opencl-3.0", &text), Racy);
}

/// Message passing with fences around relaxed accesses of the flag.
fn fenced(data: &str, flag: &str, release: &str, acquire: &str) -> String {
    test(
        &[
            (
                HERE,
                &format!(
                    "*{data} = 1; {release} {}",
                    store(flag, "1", "relaxed", "work_group")
                ),
            ),
            (
                HERE,
                &format!(
                    "int r0 = {}; {acquire} int r1 = 7; if (r0 == 1) {{ r1 = *{data}; }}",
                    load(flag, "relaxed", "work_group")
                ),
            ),
        ],
        "1:r0=1 /\\ 1:r1=0",
    )
}

#[test]
fn fences_synchronize_through_the_accesses_they_enclose() {
    let release = fence("GLOBAL", "release", "work_group");
    let acquire = fence("GLOBAL", "acquire", "work_group");
    assert_eq!(
        verdict("opencl-3.0", &fenced("d", "x", &release, &acquire)),
        Forbidden
    );
    assert_eq!(verdict("opencl-3.0", &fenced("d", "x", &release, "")), Racy);
    assert_eq!(verdict("opencl-3.0", &fenced("d", "x", "", &acquire)), Racy);
    let relaxed = fence("GLOBAL", "relaxed", "work_group");
    assert_eq!(
        verdict("opencl-3.0", &fenced("d", "x", &relaxed, &acquire)),
        Racy
    );
    // A fence orders the regions of its flags and synchronizes through objects of those regions.
    let local_release = fence("LOCAL", "release", "work_group");
    let local_acquire = fence("LOCAL", "acquire", "work_group");
    assert_eq!(
        verdict(
            "opencl-3.0",
            &fenced("d", "x", &local_release, &local_acquire)
        ),
        Racy
    );
    assert_eq!(
        verdict(
            "opencl-3.0",
            &fenced("e", "l", &local_release, &local_acquire)
        ),
        Forbidden
    );
    assert_eq!(
        verdict("opencl-3.0", &fenced("e", "x", &release, &acquire)),
        Racy
    );
}

#[test]
fn fences_with_both_flags_synchronize_both_regions() {
    let release = fence("GLOBAL|LOCAL", "release", "work_group");
    let acquire = fence("GLOBAL|LOCAL", "acquire", "work_group");
    assert_eq!(
        verdict("opencl-3.0", &fenced("e", "x", &release, &acquire)),
        Forbidden
    );
    assert_eq!(
        verdict("opencl-3.0", &fenced("d", "l", &release, &acquire)),
        Forbidden
    );
    let one = fence("GLOBAL", "acquire", "work_group");
    assert_eq!(
        verdict("opencl-3.0", &fenced("e", "x", &release, &one)),
        Racy
    );
}

#[test]
fn a_fence_and_an_atomic_synchronize() {
    let fence_first = test(
        &[
            (
                HERE,
                &format!(
                    "*d = 1; {} {}",
                    fence("GLOBAL", "release", "device"),
                    store("x", "1", "relaxed", "device")
                ),
            ),
            (
                THERE,
                &format!(
                    "int r0 = {}; int r1 = 7; if (r0 == 1) {{ r1 = *d; }}",
                    load("x", "acquire", "device")
                ),
            ),
        ],
        "1:r0=1 /\\ 1:r1=0",
    );
    assert_eq!(verdict("opencl-3.0", &fence_first), Forbidden);
    let fence_last = test(
        &[
            (
                HERE,
                &format!("*d = 1; {}", store("x", "1", "release", "device")),
            ),
            (
                THERE,
                &format!(
                    "int r0 = {}; {} int r1 = 7; if (r0 == 1) {{ r1 = *d; }}",
                    load("x", "relaxed", "device"),
                    fence("GLOBAL", "acquire", "device")
                ),
            ),
        ],
        "1:r0=1 /\\ 1:r1=0",
    );
    assert_eq!(verdict("opencl-3.0", &fence_last), Forbidden);
}

#[test]
fn barriers_order_the_regions_of_their_flags() {
    let text = |data: &str, flags: &str| {
        test(
            &[
                (HERE, &format!("*{data} = 1; barrier({flags});")),
                (HERE, &format!("barrier({flags}); int r0 = *{data};")),
            ],
            "1:r0=0",
        )
    };
    let (global, local) = ("CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE");
    assert_eq!(verdict("opencl-3.0", &text("d", global)), Forbidden);
    assert_eq!(verdict("opencl-3.0", &text("e", local)), Forbidden);
    assert_eq!(verdict("opencl-3.0", &text("d", local)), Racy);
    assert_eq!(verdict("opencl-3.0", &text("e", global)), Racy);
    let both = format!("{global} | {local}");
    assert_eq!(verdict("opencl-3.0", &text("d", &both)), Forbidden);
    assert_eq!(verdict("opencl-3.0", &text("e", &both)), Forbidden);
}

#[test]
fn the_example_of_42_is_allowed_across_regions_and_forbidden_within_one() {
    let text = |a: &str, b: &str| {
        let thread = |from: &str, to: &str| {
            format!(
                "int t = {}; {}",
                load(from, "acquire", "work_group"),
                store(to, "t", "release", "work_group")
            )
        };
        test(
            &[(HERE, &thread(b, a)), (HERE, &thread(a, b))],
            &format!("{a}=42 /\\ {b}=42"),
        )
    };
    for model in ["opencl-2.0", "opencl-3.0", "opencl-3.1", "opencl-scoped-sc"] {
        assert_eq!(verdict(model, &text("x", "l")), Allowed, "{model}");
        assert_eq!(verdict(model, &text("x", "y")), Forbidden, "{model}");
        assert_eq!(verdict(model, &text("l", "m")), Forbidden, "{model}");
    }
}

#[test]
fn release_sequences_go_on_through_rmws_and_the_same_thread() {
    let text = |between: &str| {
        test(
            &[
                (
                    HERE,
                    &format!("*d = 1; {} {between}", store("x", "1", "release", "device")),
                ),
                (
                    THERE,
                    "atomic_fetch_add_explicit(x, 10, memory_order_relaxed, memory_scope_device);",
                ),
                (
                    THERE,
                    &format!(
                        "int r0 = {}; int r1 = 7; if (r0 > 10) {{ r1 = *d; }}",
                        load("x", "acquire", "device")
                    ),
                ),
            ],
            "2:r0=11 /\\ 2:r1=0",
        )
    };
    let judgement = under("opencl-3.0", &text(""));
    // The increment may come first; the sum is eleven only after the release.
    assert!(!judgement.holds);
}

#[test]
fn coherence_holds_for_relaxed_accesses_of_one_object() {
    let relaxed = |v: &str| store("x", v, "relaxed", "device");
    let read = load("x", "relaxed", "device");
    let rr = test(
        &[
            (HERE, &relaxed("1")),
            (HERE, &format!("int r0 = {read}; int r1 = {read};")),
        ],
        "1:r0=1 /\\ 1:r1=0",
    );
    assert_eq!(verdict("opencl-3.0", &rr), Forbidden);
    let ww = test(
        &[(HERE, &format!("{} {}", relaxed("1"), relaxed("2")))],
        "x=1",
    );
    assert_eq!(verdict("opencl-3.0", &ww), Forbidden);
    let rw = test(
        &[(HERE, &format!("int r0 = {read}; {}", relaxed("1")))],
        "0:r0=1",
    );
    assert_eq!(verdict("opencl-3.0", &rw), Forbidden);
    let wr = test(
        &[(HERE, &format!("{} int r0 = {read};", relaxed("1")))],
        "0:r0=0",
    );
    assert_eq!(verdict("opencl-3.0", &wr), Forbidden);
}

#[test]
fn an_rmw_reads_the_last_value_before_its_own() {
    let add =
        "int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);";
    let text = test(&[(HERE, add), (THERE, add), (THERE, add)], "x=3");
    let judgement = under("opencl-3.0", &text);
    assert!(judgement.holds);
    assert_eq!(judgement.states.len(), 1);
    let swap = |v: &str| {
        format!(
            "int r0 = atomic_exchange_explicit(x, {v}, memory_order_relaxed, memory_scope_device);"
        )
    };
    let text = test(
        &[(HERE, &swap("1")), (THERE, &swap("2"))],
        "0:r0=0 /\\ 1:r0=0",
    );
    assert_eq!(verdict("opencl-3.0", &text), Forbidden);
}

fn store_buffering(order: &str, scope: &str, between: &str) -> String {
    let thread = |to: &str, from: &str| {
        format!(
            "{} {between} int r0 = {};",
            store(to, "1", order, scope),
            load(from, order, scope)
        )
    };
    test(
        &[(HERE, &thread("x", "y")), (HERE, &thread("y", "x"))],
        "0:r0=0 /\\ 1:r0=0",
    )
}

#[test]
fn seq_cst_operations_and_fences_forbid_store_buffering() {
    for model in ["opencl-2.0", "opencl-3.0", "opencl-3.1", "opencl-scoped-sc"] {
        let text = store_buffering("seq_cst", "device", "");
        assert_eq!(verdict(model, &text), Forbidden, "{model}");
        let full = fence("GLOBAL", "seq_cst", "device");
        let text = store_buffering("relaxed", "device", &full);
        assert_eq!(verdict(model, &text), Forbidden, "{model}");
        let weak = fence("GLOBAL", "acq_rel", "device");
        let text = store_buffering("relaxed", "device", &weak);
        assert_eq!(verdict(model, &text), Allowed, "{model}");
    }
}

#[test]
fn in_2_0_the_order_of_seq_cst_operations_exists_under_two_conditions() {
    let narrow = store_buffering("seq_cst", "work_group", "");
    assert_eq!(verdict("opencl-2.0", &narrow), Allowed);
    assert_eq!(verdict("opencl-3.0", &narrow), Forbidden);
    let wide = store_buffering("seq_cst", "all_svm_devices", "");
    assert_eq!(verdict("opencl-2.0", &wide), Forbidden);
    // One operation outside both conditions takes the order away from all.
    let text = store_buffering(
        "seq_cst",
        "device",
        &fence("GLOBAL", "seq_cst", "work_group"),
    );
    assert_eq!(verdict("opencl-2.0", &text), Allowed);
    assert_eq!(verdict("opencl-3.0", &text), Forbidden);
}

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
