//! Progress models on programs whose ends are known.

use crate::oracle::{Limits, Progress, terminates};
use crate::syntax::read_litmus;

/// Under which models a program always ends.
fn ends(text: &str) -> Vec<Progress> {
    let program = read_litmus("test", text).expect("a test");
    Progress::ALL
        .into_iter()
        .filter(|p| terminates(&program, *p, &Limits::default()).expect("few states"))
        .collect()
}

fn open_cl(threads: &[&str]) -> Vec<Progress> {
    let threads = threads.iter().enumerate().map(|(t, body)| {
        format!("P{t}@wg {t}, dev 0 (global atomic_int* x, global atomic_int* y) {{ {body} }}\n")
    });
    let threads: String = threads.collect();
    ends(&format!(
        "OPENCL t\n{{ [x] = 0; [y] = 0; }}\n{threads}exists (x=1)"
    ))
}

const SPIN: &str = "while (atomic_load(x) == 0) { }";
const SET: &str = "atomic_store(x, 1);";

#[test]
fn a_loop_without_memory_ends_or_not_whoever_is_scheduled() {
    assert_eq!(
        open_cl(&["int i = 0; while (i < 3) { i = i + 1; }"]),
        Progress::ALL
    );
    assert_eq!(open_cl(&["while (1) { }"]), []);
}

#[test]
fn the_lowest_thread_is_guaranteed_by_hsa() {
    assert_eq!(
        open_cl(&[SET, SPIN]),
        [
            Progress::Fair,
            Progress::Hsa,
            Progress::HsaObe,
            Progress::Lobe
        ]
    );
    assert_eq!(open_cl(&[SPIN, SET]), [Progress::Fair]);
}

/// A lock: who holds it has taken a step.
#[test]
fn who_has_begun_is_guaranteed_by_occupancy() {
    let lock = "while (atomic_exchange(x, 1) == 1) { } atomic_store(x, 0);";
    assert_eq!(
        open_cl(&[lock, lock]),
        [
            Progress::Fair,
            Progress::Obe,
            Progress::HsaObe,
            Progress::Lobe
        ]
    );
}

/// P0 waits for P1 as soon as P2 has taken a step, and then those before P2 are guaranteed.
#[test]
fn who_comes_before_is_guaranteed_by_linear_occupancy() {
    let wait = "while (atomic_load(y) == 1 && atomic_load(x) == 0) { }";
    assert_eq!(
        open_cl(&[wait, SET, "atomic_store(y, 1);"]),
        [Progress::Fair, Progress::Lobe]
    );
}

#[test]
fn who_waits_for_nobody_is_stuck_whoever_is_scheduled() {
    let test = |quorum: u32| {
        format!(
            "VULKAN t\n{{}}\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 | P2@sg 2, wg 0, qf 0 ;\n\
             cbar.wg 0, 0, {quorum} | cbar.wg 0, 0, {quorum} | cbar.wg 0, 0, {quorum} ;\nexists (true)"
        )
    };
    assert_eq!(ends(&test(2)), Progress::ALL);
    assert_eq!(ends(&test(3)), Progress::ALL);
    assert_eq!(ends(&test(4)), []);
}
