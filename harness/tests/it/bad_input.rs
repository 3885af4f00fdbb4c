//! A user's mistakes: each gives one clear sentence and its exit code. No device is needed.

use crate::common::{SB, classay, run, write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const USAGE: i32 = 2;
const NO_DEVICE: i32 = 3;
const NOTHING: i32 = 4;
const STORE: i32 = 6;

#[test]
fn the_command_line_is_checked() {
    for (arguments, words) in [
        (&["--nonsense"][..], "unexpected argument '--nonsense'"),
        (&["run", "--budget", "0"], "more than 0"),
        (&["run", "--budget", "soon"], "number of seconds"),
        (&["run", "--budget", "NaN"], "more than 0"),
        (&["run", "--instances", "0"], "--instances"),
        (
            &["run", "--budget", "1", "--instances", "1"],
            "cannot be used with",
        ),
        (
            &["run", "--device", ""],
            "touchstone, system, vulkan, or the path",
        ),
        (&["run", "--device", "/a;/b"], "must not contain ';'"),
        (&["run", "--seed=-1"], "--seed"),
        (&["litmus"], "TEST"),
        (&["run", "--programs", "999999999"], "not in 0..=10000"),
        (&["faults", "--programs=-1"], "not in 0..=10000"),
        (
            &["program", "--seed", "1", "queue/random/-1"],
            "-1 is no number of a generated case: one has five digits",
        ),
        (&["program", "--seed", "1", "api/again/7"], "five digits"),
        (&["program", "--seed", "1", "queue/small/x"], "five digits"),
        (
            &["litmus", "x", "--instances", "1", "--seconds", "1"],
            "cannot be used with",
        ),
    ] {
        run(classay().args(arguments)).expect(USAGE).says(&[words]);
    }
}

#[test]
fn help_and_version_are_no_mistakes() {
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["version"],
        &["--version"],
    ] {
        let done = run(classay().args(arguments)).expect(0);
        assert!(!done.stdout.is_empty());
    }
    let help = run(classay().arg("--help")).stdout;
    assert!(help.contains("Exit codes"), "{help}");
    assert!(
        !help.contains("worker"),
        "the worker is nobody's command: {help}"
    );
}

#[test]
fn libraries_that_are_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = write(folder.path(), "sb.litmus", SB);
    let text = write(folder.path(), "text.so", "this is no library");
    let empty = write(folder.path(), "empty.so", "");
    for (device, words) in [
        ("/nowhere/libOpenCL.so", "No such file"),
        ("./nowhere.so", "No such file"),
        ("libnowhere.so.9", "cannot be loaded"),
        ("libm.so.6", "library without OpenCL"),
        (text.to_str().expect("text"), "cannot be loaded"),
        (empty.to_str().expect("text"), "cannot be loaded"),
        (folder.path().to_str().expect("text"), "cannot be loaded"),
    ] {
        run(classay()
            .arg("litmus")
            .arg(&test)
            .args(["--device", device]))
        .expect(NO_DEVICE)
        .says(&["error: ", words]);
        run(classay()
            .args(["run", "--store"])
            .arg(folder.path().join("s.db"))
            .args(["--device", device]))
        .expect(NO_DEVICE)
        .says(&[words]);
        let listed = run(classay().args(["devices", "--json", "--device", device]));
        assert_eq!(listed.code, Some(NO_DEVICE), "{}", listed.told());
        let last = listed.json().pop().expect("a line");
        assert_eq!(last["device"], device);
        assert!(
            last["error"].as_str().expect("a sentence").contains(words),
            "{last}"
        );
    }
}

#[test]
fn a_reference_runtime_that_is_named_and_missing_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = write(folder.path(), "sb.litmus", SB);
    let done = run(classay()
        .env("CLASSAY_TOUCHSTONE", folder.path().join("gone.so"))
        .arg("litmus")
        .arg(&test));
    done.expect(NO_DEVICE).says(&["gone.so", "No such file"]);
}

#[test]
fn a_device_that_is_named_is_listed_alone() {
    let done = run(classay().args(["devices", "--json", "--device", "touchstone"])).expect(0);
    let places: Vec<_> = done
        .json()
        .iter()
        .map(|line| line["device"].clone())
        .collect();
    assert_eq!(places, ["touchstone#0.0"]);
}

#[test]
fn devices_that_are_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = write(folder.path(), "sb.litmus", SB);
    for (device, words) in [
        ("touchstone#7", "has no platform 7: it has 1 platform"),
        ("touchstone#0.9", "has no device 9"),
        ("touchstone#99999999999999999999.0", "cannot be loaded"),
    ] {
        run(classay()
            .arg("litmus")
            .arg(&test)
            .args(["--device", device]))
        .expect(NO_DEVICE)
        .says(&[words]);
    }
}

#[test]
fn unreadable_tests_are_told_and_the_others_still_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let f = |name: &str, text: &[u8]| write(folder.path(), name, text);
    let truncated = f("truncated.litmus", &SB.as_bytes()[..SB.len() / 2]);
    let binary = f(
        "binary.litmus",
        &[0x7f, b'E', b'L', b'F', 0, 1, 2, 0xff, 0xfe],
    );
    let dialect = f(
        "dialect.litmus",
        b"X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\nexists (x=1)\n",
    );
    let huge = f("huge.litmus", &vec![b' '; 3 << 20]);
    let empty = f("empty.litmus", b"");
    let nothing = folder.path().join("nothing");
    std::fs::create_dir(&nothing).expect("a folder");
    let files = [
        &truncated,
        &binary,
        &dialect,
        &huge,
        &empty,
        &folder.path().join("none.litmus"),
        &nothing,
        &Path::new("/dev/zero").to_path_buf(),
    ];
    for file in files {
        let done = run(classay().arg("litmus").arg(file)).expect(USAGE);
        assert_eq!(done.stdout, "", "{}", done.told());
        assert!(!done.stderr.trim().is_empty());
    }
    let done = run(classay().arg("litmus").arg("--json").args(files)).expect(USAGE);
    let objects = done.json();
    assert_eq!(objects.len(), files.len());
    for (object, file) in objects.iter().zip(files) {
        assert_eq!(object["file"], file.to_str().expect("text"));
        assert!(
            object["error"].as_str().is_some_and(|e| e.len() > 10),
            "{object}"
        );
    }
}

#[test]
fn a_mistake_in_a_test_is_shown_in_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = write(
        folder.path(),
        "wrong.litmus",
        SB.replace(
            "memory_order_relaxed, memory_scope_device);\n}\nexists",
            "memory_order_relaxes, memory_scope_device);\n}\nexists",
        ),
    );
    run(classay().arg("litmus").arg(&wrong))
        .expect(USAGE)
        .says(&["memory_order_relaxes", "wrong.litmus:9"]);
}

#[test]
fn stores_that_cannot_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = write(
        folder.path(),
        "notes.txt",
        "this is no database, and long enough to tell",
    );
    let nowhere = folder.path().join("no/such/folder/s.db");
    for (store, words) in [
        (folder.path().to_path_buf(), "directory"),
        (nowhere, "No such file"),
        (text.clone(), "not an SQLite database"),
        ("/proc/classay.db".into(), "/proc"),
    ] {
        run(classay().args(["run", "--store"]).arg(store))
            .expect(STORE)
            .says(&["results store", words]);
    }
    let kept = std::fs::read_to_string(text).expect("the file");
    assert!(
        kept.starts_with("this is no database"),
        "it is left as it is"
    );
    let sealed = folder.path().join("sealed");
    std::fs::create_dir(&sealed).expect("a folder");
    std::fs::set_permissions(&sealed, std::fs::Permissions::from_mode(0o555)).expect("sealed");
    // Root may write there all the same.
    if std::fs::write(sealed.join("try"), "").is_err() {
        run(classay().args(["run", "--store"]).arg(sealed.join("s.db"))).expect(STORE);
    }
}

#[test]
fn nothing_selected() {
    let folder = tempfile::tempdir().expect("a folder");
    run(classay()
        .args(["run", "--select", "no-such-*", "--store"])
        .arg(folder.path().join("s.db")))
    .expect(NOTHING)
    .says(&["no case is selected", "no-such-*"]);
    assert!(
        !folder.path().join("s.db").exists(),
        "nothing is left behind"
    );
}

#[test]
fn nothing_to_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    run(classay().args(["run", "--resume", "--store"]).arg(&store))
        .expect(USAGE)
        .says(&["no results store"]);
    assert!(!store.exists());
    write(folder.path(), "s.db", "");
    run(classay().args(["run", "--resume", "--store"]).arg(&store))
        .expect(USAGE)
        .says(&["no run to resume"]);
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    use std::io::Read;
    use std::process::Stdio;
    let mut child = classay()
        .args(["devices", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut stderr)
        .expect("text");
    let status = child.wait().expect("an end");
    assert!(status.code().is_some(), "{status}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn programs_of_commands_that_are_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let huge = format!("devices: 1\n# {}\n", "x".repeat(8 << 20));
    let cells = crate::common::GATED.replace("cells: 4", "cells: 250");
    let words = crate::common::GATED.replace("cell_words: 8", "cell_words: 60000");
    let step = crate::common::GATED.replace("{inspect: 2}", "{inspect: 77}");
    let kind = crate::common::GATED.replace("{buffer: copy}", "{bufer: copy}");
    let unset = crate::common::GATED.replace(", {set: {user: 0, status: 0}}", "");
    let race = crate::common::GATED.replace("  wait: [{command: 0}]\n", "");
    let many = crate::common::GATED.replace("signals: 1", "signals: 65000");
    let part = crate::common::GATED.replace("{buffer: use}", "{sub-buffer: {of: 0, first: 255}}");
    let early = crate::common::GATED.replace("{buffer: copy}", "{sub-buffer: {of: 1, first: 0}}");
    assert_ne!(early, crate::common::GATED);
    for (name, text, words) in [
        (
            "text.yaml",
            "this is no program",
            &["is no valid program of commands"][..],
        ),
        ("empty.yaml", "", &["is no valid program of commands"]),
        ("huge.yaml", &huge, &["too large"]),
        ("cells.yaml", &cells, &["object 0 has 250 cells; 1 to 64"]),
        ("words.yaml", &words, &["at most 32768 words"]),
        ("step.yaml", &step, &["there is no command 77"]),
        ("kind.yaml", &kind, &["bufer", "line"]),
        (
            "unset.yaml",
            &unset,
            &["waits for user event 0, and no step sets it"],
        ),
        (
            "race.yaml",
            &race,
            &["command 0 and command 1 use object 0"],
        ),
        ("many.yaml", &many, &["65000 signals", "at most 1000"]),
        ("part.yaml", &part, &["object 1 is no part of object 0"]),
        ("early.yaml", &early, &["object 0 is made before object 1"]),
    ] {
        let path = write(folder.path(), name, text);
        let mut said = vec![name];
        said.extend(words);
        for command in [&["replay"][..], &["shrink"], &["reproduce", "--c"]] {
            run(classay().args(command).arg(&path))
                .expect(USAGE)
                .says(&said);
        }
    }
    run(classay().args(["reproduce", "--c", "/nowhere.yaml"]))
        .expect(USAGE)
        .says(&["No such file"]);
    let path = write(folder.path(), "right.yaml", crate::common::GATED);
    run(classay().arg("reproduce").arg(&path))
        .expect(USAGE)
        .says(&["--c"]);
    run(classay()
        .args(["reproduce", "--c", "--out", "/nowhere/x.c"])
        .arg(&path))
    .expect(STORE)
    .says(&["cannot write /nowhere/x.c"]);
}
