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

/// The shipped programs, each with the models under which it ends.
fn shipped() -> Vec<(&'static str, Vec<Progress>)> {
    let all = crate::shipped_progress().iter();
    all.map(|(name, text)| (*name, ends(text))).collect()
}

#[test]
fn shipped_programs_tell_the_models_apart() {
    let names = |models: &[Progress]| -> Vec<&str> { models.iter().map(|m| m.name()).collect() };
    let table: Vec<String> = shipped()
        .iter()
        .map(|(name, models)| format!("{name}: {}", names(models).join(" ")))
        .collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    begun-higher: fair obe hsa+obe lobe
    begun-higher+lower: fair hsa+obe lobe
    begun-lower: fair hsa obe hsa+obe lobe
    between: fair lobe
    between+both: fair lobe
    higher: fair
    higher-chain: fair
    lock: fair obe hsa+obe lobe
    lock+lower: fair hsa+obe lobe
    lower: fair hsa hsa+obe lobe
    lower-chain: fair hsa hsa+obe lobe
    ");
}

/// A model is stronger than another exactly where it ends every shipped program that the other ends, and more.
#[test]
fn a_stronger_model_ends_more_programs() {
    let all = shipped();
    let ended = |model: Progress| -> Vec<bool> {
        all.iter()
            .map(|(_, models)| models.contains(&model))
            .collect()
    };
    for model in Progress::ALL {
        for other in Progress::ALL {
            let (own, others) = (ended(model), ended(other));
            let includes = own.iter().zip(&others).all(|(own, other)| *own || !other);
            assert_eq!(
                model.is_stronger_than(other),
                includes && own != others,
                "{model} and {other}"
            );
        }
    }
}

/// Two instances of a program in one launch: one after the other, or the first threads of both first.
fn twice(text: &str, by_number: bool) -> String {
    let mut parts = text.split("\nP");
    let head = parts.next().unwrap_or_default();
    let init = &head[head.find('{').unwrap_or(0)..];
    let bodies: Vec<&str> = parts
        .filter_map(|part| Some(part.split_once('(')?.1.rsplit_once('}')?.0))
        .collect();
    let own = |text: &str| {
        let rename = |text: String, name: &str| {
            let places = [("* ", ""), ("(", ","), ("[", "]")];
            places.iter().fold(text, |text, (before, after)| {
                text.replace(
                    &format!("{before}{name}{after}"),
                    &format!("{before}{name}2{after}"),
                )
            })
        };
        ["x", "y"]
            .iter()
            .fold(text.to_owned(), |text, name| rename(text, name))
    };
    let second: Vec<String> = bodies.iter().map(|body| own(body)).collect();
    let mut all: Vec<String> = bodies.iter().map(|body| (*body).to_owned()).collect();
    all.extend(second);
    if by_number {
        let count = bodies.len();
        all = (0..2 * count)
            .map(|at| all[at / 2 + at % 2 * count].clone())
            .collect();
    }
    let threads = all.iter().enumerate();
    let threads: String = threads
        .map(|(t, body)| format!("P{t}@wg {t}, dev 0 ({body}}}\n"))
        .collect();
    let init = init.trim_end().trim_end_matches('}');
    format!(
        "OPENCL twice\n{init}{}}}\n{threads}exists (x=1)",
        own(&init[1..])
    )
}

/// What a model guarantees of the threads of a launch it guarantees of those of each instance.
#[test]
fn instances_of_a_launch_end_where_one_does() {
    for (name, text) in crate::shipped_progress() {
        let alone = ends(text);
        for by_number in [false, true] {
            let together = ends(&twice(text, by_number));
            assert_eq!(together, alone, "{name}, by number: {by_number}");
        }
    }
}
