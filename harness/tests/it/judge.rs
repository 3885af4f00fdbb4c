//! The memory model as users meet it: `classay judge`, and the verdicts of runs.

use crate::common::{SB, classay, device, run, write};
use std::path::PathBuf;

/// Message passing over a barrier: without the barrier it goes wrong at once.
const BARRIER: &str = "OPENCL barrier
{ [x]=0; }
P0@wg 0, dev 0 (global int* x) {
  *x = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
}
P1@wg 0, dev 0 (global int* x) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  int r0 = *x;
}
exists (1:r0=0)
";

/// A race, and a claim that every device contradicts.
const RACE: &str = "OPENCL race
{ [x]=0; }
P0@wg 0, dev 0 (global int* x) { *x = 1; }
P1@wg 1, dev 0 (global int* x) { *x = 1; }
~exists (x=1)
";

fn shipped() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../litmus/tests");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the shipped tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "litmus"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_shipped_test_is_judged_in_order() {
    let files = shipped();
    let done = run(classay().args(["judge", "--json"]).args(&files)).expect(0);
    let lines = done.json();
    assert_eq!(lines.len(), files.len());
    for (line, file) in lines.iter().zip(&files) {
        assert_eq!(line["file"], *file.to_string_lossy());
        assert_eq!(line["model"], "opencl-3.1");
        assert!(
            line["holds"].is_boolean() && line["racy"].is_boolean(),
            "{line}"
        );
        assert!(
            line["bounded"].is_boolean() && line["ms"].is_number(),
            "{line}"
        );
        assert!(
            line["states"].as_array().is_some_and(|s| !s.is_empty()),
            "{line}"
        );
    }
    let racy = |name: &str| {
        let of = lines.iter().find(|l| l["test"] == name);
        of.expect("shipped")["racy"] == true
    };
    assert!(racy("MP+plain") && racy("SB+plain") && !racy("MP+rel+acq"));
}

#[test]
fn files_that_give_no_answer_are_told_after_the_others_were_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(folder.path(), "good.litmus", SB);
    let broken = write(folder.path(), "broken.litmus", "OPENCL broken\n{ [x]=0; ");
    let branch = "if (atomic_load_explicit(x, memory_order_relaxed)) { r0 = r0 + 1; }\n";
    let wide = format!(
        "OPENCL wide\n{{ [x]=0; }}\nP0 (global atomic_int* x) {{ int r0 = 0;\n{} }}\n\
         P1 (global atomic_int* x) {{ atomic_store_explicit(x, 1, memory_order_relaxed); }}\n\
         exists (0:r0=1)\n",
        branch.repeat(20)
    );
    let wide = write(folder.path(), "wide.litmus", wide);
    let none = folder.path().join("none.litmus");
    let files = [&none, &broken, &wide, &good];
    let told = run(classay().args(["judge", "--json"]).args(files)).expect(2);
    let lines = told.json();
    for (line, file) in lines.iter().zip(&files[..3]) {
        assert_eq!(line["file"], *file.to_string_lossy());
        assert!(
            line["error"].as_str().is_some_and(|e| e.len() > 10),
            "{line}"
        );
    }
    // What could not be read is two keys; what was read and is too much says which test it is.
    let keys = |line: &serde_json::Value| line.as_object().map(|o| o.len());
    assert_eq!((keys(&lines[0]), keys(&lines[1])), (Some(2), Some(2)));
    assert_eq!(
        (keys(&lines[2]), &lines[2]["test"]),
        (Some(3), &"wide".into())
    );
    assert_eq!(lines[3]["holds"], true);
    assert_eq!(lines[3]["states"].as_array().map(Vec::len), Some(4));
    let told = run(classay().arg("judge").args(files)).expect(2).says(&[
        "none.litmus cannot be read",
        "P0 can run in more than",
        "broken.litmus:",
    ]);
    assert!(told.stdout.contains("* 0:r0=0 1:r0=0"), "{}", told.told());
}

#[test]
fn models_are_chosen_by_name_or_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let sb = write(folder.path(), "sb.litmus", SB);
    let mine = write(
        folder.path(),
        "mine.cat",
        "acyclic po | rf | co | fr as mine\n",
    );
    let holds = |model: &str| {
        let done = run(classay()
            .args(["judge", "--json", "--model", model])
            .arg(&sb))
        .expect(0);
        let line = done.json().remove(0);
        (
            line["model"].as_str().map(String::from),
            line["holds"] == true,
        )
    };
    assert_eq!(holds("opencl-2.0"), (Some("opencl-2.0".into()), true));
    assert_eq!(holds("sc"), (Some("sc".into()), false));
    assert_eq!(holds(&mine.to_string_lossy()), (Some("mine".into()), false));
    for command in ["judge", "litmus"] {
        run(classay().args([command, "--model", "opencl-9"]).arg(&sb))
            .expect(2)
            .says(&["no model is named `opencl-9`", "opencl-3.0"]);
    }
    run(classay()
        .args(["run", "--model", "opencl-9"])
        .current_dir(folder.path()))
    .expect(2)
    .says(&["no model is named `opencl-9`"]);
}

#[test]
fn a_forbidden_outcome_on_a_device_fails_by_its_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let barrier = write(folder.path(), "barrier.litmus", BARRIER);
    let on_device = |more: &[&str], faults: Option<&str>| {
        let mut command = classay();
        command.args([
            "litmus",
            "--json",
            "--instances",
            "20000",
            "--device",
            &device(),
        ]);
        if let Some(faults) = faults {
            command.env("CLASSAY_LAYER_FAULTS", faults);
        }
        run(command.args(more).arg(&barrier))
    };
    let clean = on_device(&[], None).expect(0);
    assert_eq!(clean.json()[0]["verdict"], "pass", "{}", clean.told());
    let junit = folder.path().join("junit.xml");
    let junit_at = ["--junit", &*junit.to_string_lossy()];
    let wrong = on_device(&junit_at, Some("drop-barriers")).expect(1);
    let line = wrong.json().remove(0);
    assert_eq!(line["verdict"], "fail", "{line}");
    let reason = line["reason"].as_str().expect("a reason");
    assert!(reason.contains("observed `1:r0=0`"), "{reason}");
    assert!(
        reason.contains("mm.visible") && reason.ends_with(") forbids"),
        "{reason}"
    );
    let xml = std::fs::read_to_string(junit).expect("the report");
    assert!(xml.contains("forbids `1:r0=0`, observed"), "{xml}");
    // A model that allows it changes the verdict.
    let lax = write(folder.path(), "lax.cat", "empty 0 as nothing\n");
    let allowed = on_device(&["--model", &lax.to_string_lossy()], Some("drop-barriers")).expect(0);
    assert_eq!(allowed.json()[0]["verdict"], "pass", "{}", allowed.told());
}

#[test]
fn a_race_is_never_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let race = write(folder.path(), "race.litmus", RACE);
    let done = run(classay()
        .args([
            "litmus",
            "--json",
            "--instances",
            "500",
            "--device",
            &device(),
        ])
        .arg(race))
    .expect(0);
    let line = done.json().remove(0);
    assert_eq!(line["verdict"], "inconclusive", "{line}");
    assert!(
        line["reason"]
            .as_str()
            .is_some_and(|r| r.contains("data race")),
        "{line}"
    );
}
