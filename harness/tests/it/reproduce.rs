//! `classay reproduce --c`: the C programs compile without warnings, pass on Touchstone, and name the
//! broken rule over the layer. Without a C compiler or OpenCL headers there is nothing to test.

use crate::common::{Done, GATED, classay, library, run, write};
use std::path::{Path, PathBuf};
use std::process::Command;

fn compile(source: &Path) -> Result<PathBuf, String> {
    let program = source.with_extension("program");
    let touchstone = library("libtouchstone.so");
    let done = run(Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .arg(&touchstone)
        .arg(format!(
            "-Wl,-rpath,{}",
            touchstone.parent().expect("a folder").display()
        ))
        .arg("-lpthread"));
    match done.code {
        Some(0) => Ok(program),
        _ => Err(done.told()),
    }
}

/// Whether C programs that use OpenCL can be compiled here; says so where not.
fn can_compile(folder: &Path) -> bool {
    let text =
        "#define CL_TARGET_OPENCL_VERSION 210\n#include <CL/cl.h>\nint main(void) { return 0; }\n";
    let there = Command::new("cc").arg("--version").output().is_ok()
        && compile(&write(folder, "nothing.c", text)).is_ok();
    if !there {
        eprintln!("skipped: there is no C compiler with OpenCL headers");
    }
    there
}

fn reproduce(yaml: &Path) -> PathBuf {
    let c = yaml.with_extension("c");
    run(classay()
        .args(["reproduce", "--c", "--out"])
        .args([&c, yaml]))
    .expect(0);
    c
}

fn play(program: &Path, runs: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(runs);
    command.env("TOUCHSTONE_THREADS", "2");
    command
}

#[test]
fn programs_of_every_kind_compile_and_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    if !can_compile(folder.path()) {
        return;
    }
    for kind in [
        "queue/random",
        "queue/failure",
        "queue/barriers",
        "queue/released",
        "queue/devices",
        "sync/random",
        "memory/random",
        "memory/maps",
        "memory/variable",
        "svm/coarse",
        "svm/fine",
        "svm/system",
        "kernels/native",
    ] {
        for seed in ["1", "2"] {
            let case = format!("{kind}/00000");
            let drawn = run(classay().args(["program", &case, "--seed", seed])).expect(0);
            let name = format!("{}-{seed}.yaml", kind.replace('/', "-"));
            let yaml = write(folder.path(), &name, drawn.stdout);
            let program = compile(&reproduce(&yaml)).unwrap_or_else(|e| panic!("{case}: {e}"));
            let done = run(&mut play(&program, "10"));
            let too_few = done.stderr.contains("there are fewer");
            assert!(
                done.code == Some(0) || too_few && kind == "queue/devices",
                "{case} of seed {seed}: {}",
                done.told()
            );
        }
    }
}

fn broken(program: &Path, fault: &str) -> Done {
    run(play(program, "10")
        .env("LD_PRELOAD", library("libclassay_layer.so"))
        .env("CLASSAY_LAYER_LIBRARY", library("libtouchstone.so"))
        .env("CLASSAY_LAYER_FAULTS", fault))
}

#[test]
fn what_the_layer_breaks_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    if !can_compile(folder.path()) {
        return;
    }
    let yaml = write(folder.path(), "gated.yaml", GATED);
    let program = compile(&reproduce(&yaml)).unwrap_or_else(|e| panic!("{e}"));
    run(&mut play(&program, "20")).expect(0);
    for (fault, words) in [
        ("waits-ignored-kernel", "sp.event-wait"),
        ("waits-ignored-fill", "sp.user-event"),
        ("finish-at-once", "sp.finish"),
        ("skip@clSetEventCallback", "ex.state.callbacks"),
        ("error=CL_OUT_OF_RESOURCES@clFlush:*", "ex.api.valid"),
    ] {
        let done = broken(&program, fault).expect(1);
        assert!(done.stdout.contains(words), "{fault}: {}", done.told());
    }
}

#[test]
fn kernel_cases_compile_and_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    if !can_compile(folder.path()) {
        return;
    }
    for family in FAMILIES {
        let drawn =
            run(classay().args(["program", &format!("{family}/00001"), "--seed", "5"])).expect(0);
        let name = format!("{}.yaml", family.replace('/', "-"));
        let yaml = write(folder.path(), &name, drawn.stdout);
        let program = compile(&reproduce(&yaml)).unwrap_or_else(|e| panic!("{family}: {e}"));
        let done = run(play(&program, "2").env("TOUCHSTONE_DEVICES", "2"));
        // What Touchstone does not offer cannot be built there.
        let cannot = done.code == Some(2) && done.stderr.contains("the test cannot be made");
        assert!(done.code == Some(0) || cannot, "{family}: {}", done.told());
    }
}

/// A family of each way to hold memory against what must be there.
const FAMILIES: [&str; 45] = [
    "ndrange/ids",
    "ndrange/errors",
    "group/barrier",
    "group/functions",
    "group/copies",
    "atomics/crowd",
    "atomics/values",
    "memory/program-scope",
    "memory/arguments",
    "svm/structures",
    "svm/bytes",
    "svm/turns",
    "svm/crowd",
    "svm/lock",
    "svm/stack",
    "svm/pairs",
    "transfer/buffer",
    "transfer/rect",
    "transfer/map",
    "transfer/svm",
    "image/transfer",
    "image/read",
    "pipe/order",
    "pipe/reserve",
    "enqueue/tree",
    "enqueue/failure",
    "subgroup/exchange",
    "subgroup/map",
    "subgroup/one",
    "subgroup/progress",
    "program/il",
    "il/computed",
    "il/groups",
    "il/atomics",
    "program/built-in",
    "kernels/source",
    "kernels/computed",
    "kernels/phases",
    "kernels/macros",
    "kernels/printf",
    "kernels/math",
    "kernels/conversions",
    "memory/halves",
    "svm/places",
    "kernels/random",
];

#[test]
fn what_only_some_cases_of_a_family_do_compiles_and_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    if !can_compile(folder.path()) {
        return;
    }
    for (family, does) in [
        ("queue/failed-list", "{failed}"),
        ("memory/arguments", "cloned: true"),
        ("memory/arguments", "disturbed: true"),
        ("transfer/buffer", "renew:"),
        ("transfer/buffer", "alloc_host: true"),
        ("kernels/computed", "units:"),
    ] {
        let mut played = 0;
        for n in 0..10 {
            let case = format!("{family}/{n:05}");
            let drawn = run(classay().args(["program", &case, "--seed", "3"])).expect(0);
            let images = drawn.stdout.contains("image-objects");
            if played > 0 || images || !drawn.stdout.contains(does) {
                continue;
            }
            let name = format!("{}-{n}.yaml", does.replace([':', ' '], ""));
            let yaml = write(folder.path(), &name, drawn.stdout);
            let program = compile(&reproduce(&yaml)).unwrap_or_else(|e| panic!("{case}: {e}"));
            run(&mut play(&program, "10")).expect(0);
            played += 1;
        }
        assert!(played > 0, "no case of {family} has {does}");
    }
}

#[test]
fn what_the_layer_breaks_in_kernel_cases_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    if !can_compile(folder.path()) {
        return;
    }
    for (family, fault, words) in [
        ("ndrange/ids", "offset-dropped", "ex.nd.global-id"),
        ("ndrange/ids", "last-group-lost", "work-items ran, not"),
        ("transfer/buffer", "read-short", "rg.transfer"),
        ("atomics/crowd", "split-read-modify-write", "mm."),
        ("svm/structures", "svm-pointer-to-base", "sv.address"),
    ] {
        // Of a few cases of the family one at least has to do with it.
        let named = (0..6).any(|n| {
            let case = format!("{family}/{n:05}");
            let drawn = run(classay().args(["program", &case, "--seed", "7"])).expect(0);
            let name = format!("{}-{fault}-{n}.yaml", family.replace('/', "-"));
            let yaml = write(folder.path(), &name, drawn.stdout);
            let program = compile(&reproduce(&yaml)).unwrap_or_else(|e| panic!("{case}: {e}"));
            let done = broken(&program, fault);
            done.code == Some(1) && done.stdout.contains(words)
        });
        assert!(named, "{fault} is not told by {family}");
    }
}

#[test]
fn the_text_says_what_is_expected_and_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let yaml = write(folder.path(), "gated.yaml", GATED);
    let text = std::fs::read_to_string(reproduce(&yaml)).expect("text");
    for words in [
        "command 0: fills cells 1 2 of object 0; on queue 0 (in order); waits for user event 0",
        "#define CL_TARGET_OPENCL_VERSION 120",
        "sp.event-wait (",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}\n{text}");
    }
}

/// What a litmus test's C program prints, and whether it saw anything forbidden.
fn litmus(folder: &Path, name: &str, environment: &str) -> PathBuf {
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../litmus/tests/{name}.litmus"));
    let c = folder.join(format!("{name}.c"));
    run(classay()
        .args(["reproduce", "--c", "--seed", "3", "--environment"])
        .arg(write(folder, &format!("{name}.yaml"), environment))
        .arg("--out")
        .args([&c, &test]))
    .expect(0);
    compile(&c).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn litmus_tests_count_outcomes_and_tell_forbidden_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    if !can_compile(folder.path()) {
        return;
    }
    let weak = |command: &mut Command| run(command.env("TOUCHSTONE_LATITUDE", "weak-memory"));
    let stressed = "launch: {instances: 256, teams: 2}\norder: {groups: 50, locations: 100}\n\
                    stress: {percent: 50, groups: 2, passes: 4}\n";
    let sb = litmus(folder.path(), "SB+rlx", stressed);
    let done = weak(&mut play(&sb, "1")).expect(0);
    assert!(done.stdout.contains(" 0:r0=0 1:r1=0\n"), "{}", done.told());
    let mp = litmus(
        folder.path(),
        "MP+rel+acq",
        "launch: {instances: 256, teams: 2}\norder: {locations: 100}\nmemory: {kind: coarse}\n",
    );
    let done = weak(&mut play(&mp, "1")).expect(0);
    assert!(!done.stdout.contains("FORBIDDEN"), "{}", done.told());
    let broken = play(&mp, "2")
        .env("TOUCHSTONE_LATITUDE", "weak-memory")
        .env("LD_PRELOAD", library("libclassay_layer.so"))
        .env("CLASSAY_LAYER_LIBRARY", library("libtouchstone.so"))
        .env("CLASSAY_LAYER_FAULTS", "relax-orders")
        .output()
        .expect("the program runs");
    let done = Done::of(broken).expect(1);
    let line = done.stdout.lines().find(|l| l.ends_with("FORBIDDEN"));
    assert!(
        line.is_some_and(|l| l.contains("1:r0=1 1:r1=0")),
        "{}",
        done.told()
    );
}
