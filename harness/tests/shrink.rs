//! `classay shrink` as a user runs it, over the layer, which breaks what it is told to.

mod common;

use common::{classay, device, run, write};

/// A fill that waits for a gate, a kernel that waits for the fill and reads what it wrote, and much
/// that has nothing to do with it.
const PROGRAM: &str = "
devices: 1
contexts: 1
cell_words: 8
queues:
- {context: 0, device: 0, out_of_order: false}
- {context: 0, device: 0, out_of_order: false}
objects:
- {context: 0, cells: 4, kind: {buffer: copy}}
- {context: 0, cells: 6, kind: {buffer: use}}
users: [0]
commands:
- queue: 0
  what: {fill: {object: 0, first: 1, count: 2}}
  wait: [{user: 0}]
- queue: 1
  what: {kernel: {reads: [{object: 0, first: 1, count: 2}], writes: [{object: 1, first: 3, count: 1}], items: 3, spin: 50}}
  wait: [{command: 0}]
- queue: 1
  what: {read: {range: {object: 1, first: 3, count: 1}}}
- queue: 1
  what: {write: {range: {object: 1, first: 0, count: 2}}}
callbacks:
- {event: {command: 3}, at: complete}
signals: 1
threads:
- [{enqueue: 0}, {flush: 0}, {enqueue: 1}, {enqueue: 2}, {flush: 1}, {signal: 0}, {enqueue: 3}, {register: 0}, {finish: 1}, {inspect: 2}]
- [{await: 0}, {sleep: 2000}, {set: {user: 0, status: 0}}]
";

#[test]
fn what_has_nothing_to_do_with_a_failure_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "large.yaml", PROGRAM);
    let small = folder.path().join("small.yaml");
    run(classay()
        .env("CLASSAY_LAYER_FAULTS", "waits-ignored-kernel")
        .args(["shrink", "--device", &device(), "--instances", "8", "--out"])
        .args([&small, &file]))
    .expect(1)
    .says(&["tried", "kept"]);
    let text = std::fs::read_to_string(&small).expect("the small program");
    assert!(text.starts_with("# On "), "{text}");
    assert!(text.contains("Clopper-Pearson"), "{text}");
    assert!(text.matches("- queue:").count() <= 2, "{text}");
    assert!(!text.contains("callbacks"), "{text}");
    // It is a program like any other, and fails as the large one does.
    run(classay()
        .env("CLASSAY_LAYER_FAULTS", "waits-ignored-kernel")
        .args(["replay", "--device", &device(), "--instances", "50"])
        .arg(&small))
    .expect(1);
    run(classay()
        .args(["replay", "--device", &device(), "--instances", "50"])
        .arg(&small))
    .expect(0);
}

#[test]
fn a_crash_is_shrunk_in_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "large.yaml", PROGRAM);
    let done = run(classay()
        .env("CLASSAY_LAYER_FAULTS", "crash@clSetEventCallback:1")
        .args(["shrink", "--device", &device()])
        .arg(&file))
    .expect(1)
    .says(&["crashes"]);
    assert!(done.stdout.contains("callbacks"), "{}", done.told());
    assert_eq!(
        done.stdout.matches("- queue:").count(),
        0,
        "{}",
        done.told()
    );
}

#[test]
fn a_program_that_passes_is_not_shrunk() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "large.yaml", PROGRAM);
    let done = run(classay()
        .args(["shrink", "--device", &device(), "--instances", "5"])
        .arg(&file))
    .expect(0)
    .says(&["nothing to shrink"]);
    assert!(done.stdout.is_empty(), "{}", done.told());
}
