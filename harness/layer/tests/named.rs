//! Each named fault of API calls breaks the promise that it names, and without it the promise is
//! kept: shown with one probe each on the reference runtime.

mod common;

use common::{layer, touchstone};
use std::path::Path;
use std::process::Command;

/// How often a fault is given the chance to show itself.
const TRIES: u32 = 3;

/// Every named fault of API calls, and the probe that shows it.
const SHOWN: &[(&str, &str)] = &[
    ("built-in-kernels-first-only", "built-in"),
    ("waits-ignored-kernel", "wait-list:kernel"),
    ("waits-ignored-read", "wait-list:read"),
    ("waits-ignored-write", "wait-list:write"),
    ("waits-ignored-copy", "wait-list:copy"),
    ("waits-ignored-fill", "wait-list:fill"),
    ("waits-ignored-rect", "wait-list:rect"),
    ("waits-ignored-map", "wait-list:map"),
    ("waits-ignored-unmap", "wait-list:unmap"),
    ("waits-ignored-migrate", "wait-list:migrate"),
    ("waits-ignored-svm-copy", "wait-list:svm-copy"),
    ("waits-ignored-svm-fill", "wait-list:svm-fill"),
    ("waits-ignored-svm-map", "wait-list:svm-map"),
    ("waits-ignored-svm-unmap", "wait-list:svm-unmap"),
    ("waits-ignored-svm-free", "wait-list:svm-free"),
    ("waits-ignored-svm-migrate", "wait-list:svm-migrate"),
    ("waits-ignored-marker", "wait-list:marker"),
    ("waits-ignored-barrier", "wait-list:barrier"),
    ("waits-first-only", "list"),
    ("waits-last-dropped", "list"),
    ("waits-duplicates-dropped", "list"),
    ("waits-other-queue-ignored", "list"),
    ("waits-user-events-ignored", "wait-list:fill"),
    ("waits-markers-ignored", "list"),
    ("waits-ignored-out-of-order", "wait-list:fill"),
    ("finish-at-once", "finish"),
    ("finish-only-flushes", "finish"),
    ("finish-last-only", "finish"),
    ("wait-at-once", "wait"),
    ("wait-first-only", "wait"),
    ("wait-ends-at-failure", "failure-among-others"),
    ("wait-hides-failure", "failure-wait"),
    ("wait-wrong-error", "failure-wait"),
    ("blocking-read-early", "blocking:read"),
    ("blocking-write-early", "blocking:write"),
    ("blocking-map-early", "blocking:map"),
    ("blocking-svm-copy-early", "blocking:svm-copy"),
    ("blocking-svm-map-early", "blocking:svm-map"),
    ("non-blocking-blocks", "non-blocking"),
    ("in-order-unordered", "in-order"),
    ("in-order-swapped", "in-order"),
    ("in-order-transfers-overtake", "overtake"),
    ("barrier-ignored", "barrier"),
    ("barrier-as-marker", "barrier"),
    ("barrier-list-as-marker", "barrier-list"),
    ("legacy-barrier-ignored", "legacy-barrier"),
    ("legacy-wait-ignored", "legacy-barrier"),
    ("marker-early", "marker"),
    ("marker-last-only", "marker"),
    ("queue-release-loses-work", "release"),
    ("event-release-loses-work", "release"),
    ("flush-without-effect", "flush"),
    ("fill-refused", "valid"),
    ("wait-does-not-flush", "flush"),
    ("callback-lost", "callback"),
    ("callback-twice", "callback"),
    ("callback-early", "callback"),
    ("callback-wrong-status", "callback"),
    ("callback-wrong-event", "callback"),
    ("callback-failure-lost", "callback-failure"),
    ("callback-late-lost", "callback-late"),
    ("callback-first-only", "callback-two"),
    ("status-early", "status"),
    ("status-backwards", "status"),
    ("status-stuck", "status"),
    ("failure-hidden", "failure"),
    ("failure-not-propagated", "failure"),
    ("user-event-failure-completes", "failure"),
    ("user-event-wrong-code", "failure-code"),
    ("user-event-lost", "user-event"),
    ("user-event-wakes-first", "user-event"),
    ("user-event-starts-complete", "user-event"),
    ("user-event-set-twice", "user-event-twice"),
    ("times-equal", "times"),
    ("times-swapped", "times"),
    ("times-start-before-submit", "times"),
    ("times-submit-before-queued", "times"),
    ("times-end-after-complete", "times"),
    ("times-zero", "times"),
    ("times-before-dependence", "times"),
    ("times-always-available", "times-without"),
    ("args-captured-late", "arguments"),
    ("args-stale", "arguments"),
    ("arg-truncated", "arguments"),
    ("map-without-data", "map"),
    ("unmap-loses-writes", "unmap"),
    ("map-invalidate-clobbers", "invalidate"),
    ("map-offset-ignored", "map"),
    ("use-host-ptr-copied", "host-ptr"),
    ("copy-host-ptr-ignored", "host-ptr"),
    ("sub-buffer-origin-ignored", "sub-buffer"),
    ("sub-buffer-misaligned-accepted", "misaligned"),
    ("migrate-clobbers", "migrate"),
    ("svm-free-early", "svm-free"),
    ("svm-free-callback-early", "svm-callback"),
    ("svm-free-callback-lost", "svm-callback"),
    ("svm-free-keeps-array", "svm-callback"),
    ("svm-copy-short", "svm-copy"),
    ("svm-fill-short", "svm-copy"),
    ("svm-fill-pattern-wrong", "svm-copy"),
    ("svm-pointer-to-base", "svm-pointer"),
    ("svm-misuse-accepted", "svm-misuse"),
    ("read-short", "read"),
    ("write-short", "write"),
    ("copy-short", "copy"),
    ("fill-short", "fill"),
    ("read-offset-ignored", "read"),
    ("write-offset-ignored", "write"),
    ("copy-source-offset-ignored", "copy"),
    ("copy-target-offset-ignored", "copy"),
    ("fill-offset-ignored", "fill"),
    ("fill-pattern-wrong", "fill"),
    ("fill-pattern-first-byte", "fill"),
    ("rect-origin-ignored", "rect"),
    ("rect-target-origin-ignored", "rect"),
    ("rect-row-pitch-ignored", "rect"),
    ("rect-slice-pitch-ignored", "rect"),
    ("image-origin-ignored", "image"),
    ("image-pitch-ignored", "image"),
    ("copy-overlap-accepted", "overlap"),
    ("offset-dropped", "range"),
    ("offset-first-only", "range"),
    ("offset-first-without-local", "range-chosen"),
    ("offset-32-bit", "wide"),
    ("local-size-ignored", "range"),
    ("local-size-halved", "range"),
    ("last-group-lost", "range"),
    ("remainder-lost", "remainder"),
    ("kernel-runs-twice", "range"),
    ("group-size-accepted", "uniform"),
    ("foreign-events-accepted", "foreign"),
    ("over-release-accepted", "over-release"),
    ("sub-buffer-detached", "sub-buffer-data"),
    ("svm-map-stale", "svm-map"),
    ("svm-unmap-loses-writes", "svm-map"),
    ("other-threads-lost", "threads"),
    ("queues-serialized", "independent"),
    ("callback-states-lost", "callback-states"),
    ("callback-of-user-event-lost", "callback-user-event"),
    ("parent-complete-early", "parent"),
    ("waits-ignored-built-in", "wait-list:built-in"),
    ("waits-ignored-native", "wait-list:native"),
    ("waits-other-device-ignored", "other-device"),
    ("barrier-early", "barrier-all"),
    ("release-in-callback-aborts", "callback-release"),
    ("callback-twice-on-failure", "callback-failure"),
    ("failure-wrong-code", "failure-code"),
    ("times-queued-missing", "times"),
    ("clone-without-arguments", "clone"),
    ("empty-range-runs", "empty"),
    ("over-release-aborts", "over-release"),
    ("events-leak", "references"),
    ("image-fill-short", "image-fill"),
    ("image-fill-swapped", "image-fill"),
    ("svm-migrate-clobbers", "svm-migrate"),
    ("data-corrupted", "read"),
    ("waits-after-64-dropped", "long-list"),
    ("waits-after-255-dropped", "long-list"),
    ("waits-lost-at-once", "lists-at-once"),
    ("waits-forgotten-at-release", "released-waiter"),
    ("wait-after-64-ignored", "long-wait"),
    ("marker-skips-running", "running"),
    ("pending-forgotten", "pending"),
    ("user-event-status-shared", "set-at-once"),
    ("user-event-lost-at-once", "set-at-once"),
    ("host-pointer-map-stale", "host-ptr-map"),
    ("sub-buffer-second-origin", "parts"),
    ("read-short-at-end", "end"),
    ("write-short-at-end", "end"),
    ("copy-short-at-end", "end"),
    ("large-transfer-early", "large-early"),
    ("large-transfer-rest-lost", "large"),
    ("write-captured-early", "chain"),
    ("read-delivered-late", "chain"),
    ("rect-pitch-shared", "pitches"),
    ("kernels-in-program-short", "answer:kernels-in-program"),
    ("sub-devices-short", "answer:sub-devices"),
    ("image-format-missing", "answer:formats"),
    ("memory-answers-wrong", "answer:memory"),
    ("event-answers-wrong", "answer:event"),
    ("queue-answers-wrong", "answer:queue"),
    ("context-answers-wrong", "answer:context"),
    ("program-answers-wrong", "answer:program"),
    ("build-answers-wrong", "answer:build"),
    ("kernel-answers-wrong", "answer:kernel"),
    ("work-group-answers-wrong", "answer:work-group"),
    ("argument-answers-wrong", "answer:argument"),
    ("image-answers-wrong", "answer:image"),
    ("pipe-answers-wrong", "answer:pipe"),
    ("sampler-answers-wrong", "answer:sampler"),
    ("answer-size-wrong", "answer:memory"),
    ("answer-short-accepted", "answer:memory"),
    ("answer-with-room-refused", "answer:memory"),
    ("release-in-callback-lost", "callback-release"),
];

/// Exit codes of the probe.
const KEPT: i32 = 0;
const LACKS: i32 = 5;

/// Asks a probe; its exit code and what it says.
fn ask(library: &Path, probe: &str, faults: &str) -> (Option<i32>, String) {
    // With a fault the probe ends at what is wrong, so it may be patient; what must come and does
    // not is the fault itself. Without one it is the other way round.
    let (patience, limit) = if faults.is_empty() {
        ("40", "20000")
    } else {
        ("4000", "250")
    };
    let output = Command::new(common::built(2, "examples/probe"))
        .arg(layer())
        .args([probe, patience, limit])
        .env("CLASSAY_LAYER_LIBRARY", library)
        .env("CLASSAY_LAYER_FAULTS", faults)
        .env("TOUCHSTONE_DEVICES", "2")
        .env_remove("CLASSAY_LAYER_STATE")
        .output()
        .expect("the probe runs");
    let said = common::stdout(&output) + &common::stderr(&output);
    (output.status.code(), said)
}

/// The names are the tables': none is missing here, none is made up.
#[test]
fn every_fault_of_the_api_has_a_probe() {
    let rows = classay_faults::calls::ROWS.iter();
    let listed: std::collections::BTreeSet<_> = rows.map(|row| row.id).collect();
    let shown: std::collections::BTreeSet<_> = SHOWN.iter().map(|(id, _)| *id).collect();
    assert_eq!(listed, shown);
}

fn show_all(library: &Path) -> Vec<String> {
    let mut probes: Vec<&str> = SHOWN.iter().map(|(_, probe)| *probe).collect();
    probes.sort_unstable();
    probes.dedup();
    let mut wrong = Vec::new();
    let mut lacking = Vec::new();
    for probe in probes {
        match ask(library, probe, "") {
            (Some(KEPT), _) => {}
            (Some(LACKS), _) => lacking.push(probe),
            (code, said) => wrong.push(format!("{probe} without a fault: {code:?}: {said}")),
        }
    }
    // Two at a time: most of the time they wait.
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(wrong);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((fault, probe)) =
                    SHOWN.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    if lacking.contains(probe) {
                        println!("skipped: {fault}: the device has not what '{probe}' needs");
                        continue;
                    }
                    // On a busy machine the broken way of some faults may come too late to be seen.
                    let shows = |said: &(Option<i32>, String)| match said {
                        (Some(1 | 4), said) => said.contains("wrong: "),
                        (None, _) => fault.ends_with("-aborts"),
                        _ => false,
                    };
                    let mut said = ask(library, probe, fault);
                    for _ in 1..TRIES {
                        if !shows(&said) {
                            said = ask(library, probe, fault);
                        }
                    }
                    if !shows(&said) {
                        let (code, said) = said;
                        wrong
                            .lock()
                            .expect("a lock")
                            .push(format!("{fault} in {probe}: {code:?}: {said}"));
                    }
                }
            });
        }
    });
    wrong.into_inner().expect("a lock")
}

#[test]
fn each_fault_breaks_the_promise_that_is_kept_without_it() {
    let wrong = show_all(&touchstone());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A library of the machine, for people: `CLASSAY_LAYER_SHOW=PATH` names it.
#[test]
fn a_library_that_is_named_shows_them_too() {
    let Some(library) = std::env::var_os("CLASSAY_LAYER_SHOW") else {
        println!("skipped: CLASSAY_LAYER_SHOW names no library");
        return;
    };
    let wrong = show_all(Path::new(&library));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every mutated source builds where the source does.
#[test]
fn weakened_sources_build_where_the_source_does() {
    let library = touchstone();
    let (code, clean) = ask(&library, "build", "");
    assert_eq!(code, Some(KEPT), "{clean}");
    assert!(clean.contains("true"), "{clean}");
    for row in classay_faults::sources::ROWS {
        let (_, mutated) = ask(&library, "build", row.id);
        assert_eq!(mutated, clean, "{}", row.id);
    }
    let (code, said) = ask(&library, "initializer", "initializers-dropped");
    assert!(code == Some(1) || code == Some(LACKS), "{said}");
}

#[test]
fn the_listing_is_json_on_request() {
    let (code, said) = ask(&touchstone(), "fill", "list=json");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said, classay_faults::json());
}
