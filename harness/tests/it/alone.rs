//! The program is one file: copied alone, it has its libraries with it.

use crate::common::vulkan::LAVAPIPE;
use crate::common::{Done, run};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NO_DEVICE: i32 = 3;

/// The program alone in a folder, and a home that has nothing.
struct Alone {
    folder: tempfile::TempDir,
}

impl Alone {
    fn new() -> Alone {
        let folder = tempfile::tempdir().expect("a folder");
        let alone = Alone { folder };
        let built = env!("CARGO_BIN_EXE_classay");
        std::fs::create_dir_all(alone.bin()).expect("a folder");
        std::fs::create_dir(alone.home()).expect("a folder");
        // A second name is as good as a copy, and takes no time.
        let copy = alone.bin().join("classay");
        std::fs::hard_link(built, &copy)
            .or_else(|_| std::fs::copy(built, &copy).map(|_| ()))
            .expect("a copy");
        alone
    }

    fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The program with nothing in its environment but a home.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.bin().join("classay"));
        command
            .env_clear()
            .env("HOME", self.home())
            .env("TMPDIR", self.folder.path())
            .current_dir(self.folder.path())
            .args(arguments);
        command
    }

    /// A test on Touchstone.
    fn litmus(&self) -> Command {
        self.command(&["litmus", "SB+rlx", "--instances", "100", "--seed", "1"])
    }

    /// What was unpacked of this name, in the user's cache.
    fn unpacked(&self, name: &str) -> Option<PathBuf> {
        unpacked(&self.home().join(".cache/classay"), name)
    }
}

fn unpacked(root: &Path, name: &str) -> Option<PathBuf> {
    let mut folders = std::fs::read_dir(root).ok()?.flatten();
    let folder = folders.next()?.path();
    assert!(folders.next().is_none(), "one version, one folder");
    Some(folder.join(name)).filter(|path| path.is_file())
}

/// What `classay version` says of Touchstone.
#[track_caller]
fn touchstone(done: Done) -> String {
    let done = done.expect(0);
    let head = format!("classay {}\ntouchstone: ", env!("CARGO_PKG_VERSION"));
    let said = done.stdout.strip_prefix(&head);
    let said = said.unwrap_or_else(|| panic!("{}", done.told()));
    said.lines().next().unwrap_or_default().to_string()
}

#[test]
fn a_copy_runs_touchstone_and_unpacks_it_once() {
    let alone = Alone::new();
    let before = touchstone(run(&mut alone.command(&["version"])));
    assert!(before.ends_with("not unpacked yet"), "{before}");
    assert!(!alone.home().join(".cache").exists());

    run(&mut alone.litmus()).expect(0);
    let library = alone.unpacked("libtouchstone.so").expect("Touchstone");
    assert!(alone.unpacked("libclassay_layer.so").is_none());
    let said = touchstone(run(&mut alone.command(&["version"])));
    assert!(said.ends_with(&library.display().to_string()), "{said}");

    let inode = || library.metadata().expect("Touchstone").ino();
    let first = inode();
    run(&mut alone.litmus()).expect(0);
    assert_eq!(inode(), first);
    // What is damaged is made anew.
    std::fs::write(&library, "rubbish").expect("a file");
    run(&mut alone.litmus()).expect(0);
    assert!(library.metadata().expect("Touchstone").len() > 100_000);
}

#[test]
fn a_library_of_another_build_beside_it_is_not_taken() {
    let alone = Alone::new();
    for name in ["libtouchstone.so", "libclassay_layer.so"] {
        std::fs::write(alone.bin().join(name), "of another build").expect("a file");
    }
    run(&mut alone.litmus()).expect(0);
    assert!(alone.unpacked("libtouchstone.so").is_some());
    // One of this build is: nothing is unpacked for it.
    let alone = Alone::new();
    let ours = crate::common::library("libtouchstone.so");
    std::fs::copy(ours, alone.bin().join("libtouchstone.so")).expect("a copy");
    run(&mut alone.litmus()).expect(0);
    assert!(!alone.home().join(".cache").exists());
}

#[test]
fn the_layer_comes_with_it() {
    let alone = Alone::new();
    // A fault that no litmus test meets.
    run(alone
        .litmus()
        .env("CLASSAY_LAYER_FAULTS", "copy-source-offset-ignored"))
    .expect(0);
    assert!(alone.unpacked("libclassay_layer.so").is_some());
}

#[test]
fn the_layer_of_vulkan_comes_with_it() {
    if !crate::common::vulkan::devices().contains(&LAVAPIPE.to_owned()) {
        return;
    }
    let alone = Alone::new();
    let test = ["litmus", "vulkan/RMW+add", "--instances", "100"];
    // A fault that no litmus test meets.
    run(alone
        .command(&test)
        .args(["--device", LAVAPIPE])
        .env("CLASSAY_LAYER_FAULTS", "drop-flush"))
    .expect(0);
    assert!(alone.unpacked("libclassay_vulkan_layer.so").is_some());
    assert!(alone.unpacked("libclassay_layer.so").is_none());
}

#[test]
fn programs_that_start_at_once_do_not_disturb_each_other() {
    let alone = Alone::new();
    let started: Vec<_> = (0..4)
        .map(|_| {
            let mut program = alone.litmus();
            program.stdout(Stdio::null());
            program.spawn().expect("the program can be started")
        })
        .collect();
    for mut program in started {
        assert!(program.wait().expect("an end").success());
    }
    let library = alone.unpacked("libtouchstone.so").expect("Touchstone");
    let folder = library.parent().expect("a folder");
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), 1);
}

#[test]
fn where_it_can_be_unpacked_is_looked_for() {
    let alone = Alone::new();
    let at = |root: &str| alone.folder.path().join(root);
    // Another cache, by either name.
    run(alone.litmus().env("XDG_CACHE_HOME", at("xdg"))).expect(0);
    assert!(unpacked(&at("xdg/classay"), "libtouchstone.so").is_some());
    run(alone.litmus().env("CLASSAY_CACHE", at("own"))).expect(0);
    assert!(unpacked(&at("own"), "libtouchstone.so").is_some());
    // No home, or none that can be written: among temporary files.
    let user = rustix::process::geteuid().as_raw();
    let temporary = at(&format!("classay-{user}"));
    run(alone.litmus().env_remove("HOME")).expect(0);
    assert!(unpacked(&temporary, "libtouchstone.so").is_some());
    std::fs::remove_dir_all(&temporary).expect("a folder");
    run(alone.litmus().env("HOME", "/dev/null")).expect(0);
    assert!(unpacked(&temporary, "libtouchstone.so").is_some());
    // Nowhere.
    run(alone
        .litmus()
        .env("HOME", "/dev/null")
        .env("TMPDIR", "/dev/null"))
    .expect(NO_DEVICE)
    .says(&[
        "libtouchstone.so comes with classay, and there is no place to unpack it",
        "/dev/null/.cache/classay: Not a directory",
        "CLASSAY_CACHE",
        "CLASSAY_TOUCHSTONE",
    ]);
    run(alone.litmus().env("CLASSAY_CACHE", "/dev/null"))
        .expect(NO_DEVICE)
        .says(&["/dev/null: ", "CLASSAY_CACHE"]);
}

#[test]
fn a_library_that_is_named_goes_before() {
    let alone = Alone::new();
    let ours = crate::common::library("libtouchstone.so");
    let named = |path: &Path, arguments: &[&str]| {
        run(alone.command(arguments).env("CLASSAY_TOUCHSTONE", path))
    };
    let said = touchstone(named(&ours, &["version"]));
    assert_eq!(said, format!("CLASSAY_TOUCHSTONE={}", ours.display()));
    named(&ours, &["devices", "--device", "touchstone"]).expect(0);
    assert!(!alone.home().join(".cache").exists());
}
