//! Orders that all agree on: coherence, read-modify-writes and seq_cst operations.

use super::*;

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
