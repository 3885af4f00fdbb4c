//! What synchronizes: releases, acquires, scopes, regions, fences, barriers and release sequences.

use super::*;

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
    // A launch of one device allocates a buffer, where the wider scope behaves as device.
    assert_eq!(verdict("opencl-3.0", &text), Forbidden);
    assert_eq!(verdict("opencl-3.1", &text), Forbidden);
    let shared = text.replace("{ [x]=0;", "{ fine_svm_atomics [x]=0;");
    assert_eq!(verdict("opencl-3.0", &shared), Racy);
    assert_eq!(verdict("opencl-3.1", &shared), Forbidden);
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
fn a_barrier_that_not_all_work_items_reach_is_undefined() {
    let flags = |threads: &[(&str, &str)]| under("opencl-3.1", &test(threads, "x=0")).flags;
    let barrier = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);";
    assert_eq!(flags(&[(HERE, barrier), (HERE, "")]), ["ex.wg.converged"]);
    assert_eq!(flags(&[(HERE, barrier), (HERE, barrier)]), [""; 0]);
    assert_eq!(flags(&[(HERE, barrier), (THERE, "")]), [""; 0]);
    let once_more = format!("{barrier} {barrier}");
    assert_eq!(
        flags(&[(HERE, &once_more), (HERE, barrier)]),
        ["ex.wg.converged"]
    );
    // A branch that a read decides: undefined as soon as some execution takes it.
    let branch = format!(
        "if ({} == 1) {{ {barrier} }}",
        load("x", "relaxed", "device")
    );
    assert_eq!(
        flags(&[(HERE, &branch), (HERE, barrier)]),
        ["ex.wg.converged"]
    );
    let set = store("x", "1", "relaxed", "device");
    assert_eq!(flags(&[(HERE, &branch), (HERE, "")]), [""; 0]);
    let may = [(HERE, branch.as_str()), (THERE, set.as_str()), (HERE, "")];
    assert_eq!(flags(&may), ["ex.wg.converged"]);
    // A sub-group meets on its own.
    let sub = "sub_group_barrier(CLK_GLOBAL_MEM_FENCE);";
    let (one, other) = ("sg 0, wg 0, dev 0", "sg 1, wg 0, dev 0");
    assert_eq!(flags(&[(one, sub), (other, "")]), [""; 0]);
    assert_eq!(flags(&[(one, sub), (one, "")]), ["ex.wg.converged"]);
}

#[test]
fn seq_cst_fences_of_narrow_scope_order_other_groups_without_a_race() {
    let text = |order: &str, other: &str| {
        let thread = |mine: &str, theirs: &str| {
            format!(
                "{} {} int r0 = {};",
                store(mine, "1", "relaxed", "device"),
                fence("GLOBAL", order, "work_group"),
                load(theirs, "relaxed", "device")
            )
        };
        let (first, second) = (thread("x", "y"), thread("y", "x"));
        test(&[(HERE, &first), (other, &second)], "0:r0=0 /\\ 1:r0=0")
    };
    for model in ["opencl-3.0", "opencl-3.1"] {
        assert_eq!(
            verdict(model, &text("seq_cst", THERE)),
            Forbidden,
            "{model}"
        );
        assert_eq!(verdict(model, &text("seq_cst", HERE)), Forbidden, "{model}");
        assert_eq!(verdict(model, &text("acq_rel", THERE)), Allowed, "{model}");
    }
    // Where S exists only for operations of the widest scopes, or only orders those that reach each other.
    assert_eq!(verdict("opencl-2.0", &text("seq_cst", THERE)), Allowed);
    assert_eq!(
        verdict("opencl-scoped-sc", &text("seq_cst", THERE)),
        Allowed
    );
    assert_eq!(
        verdict("opencl-scoped-sc", &text("seq_cst", HERE)),
        Forbidden
    );
}
