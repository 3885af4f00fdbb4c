//! Runs the program as a user does.

#![allow(dead_code)]

pub mod vulkan;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program.
pub fn classay() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_classay"));
    for variable in [
        "CLASSAY_LAYER_FAULTS",
        "CLASSAY_LAYER_STATE",
        "CLASSAY_TOUCHSTONE",
        "CLASSAY_LAYER",
        "CLASSAY_VULKAN_LAYER",
        "CLASSAY_LOG",
        "OPENCL_DYLIB_PATH",
    ] {
        command.env_remove(variable);
    }
    // Whatever was tuned for a device here.
    command.env("CLASSAY_HOME", "/nonexistent");
    // What cargo built is what the program carries: nothing is unpacked here.
    command.env("CLASSAY_CACHE", "/dev/null");
    // One thread, so that the reference runtime does the same every time.
    command.env("TOUCHSTONE_THREADS", "1");
    command
}

/// A library of ours, where `classay` looks for it.
pub fn library(name: &str) -> PathBuf {
    let beside = Path::new(env!("CARGO_BIN_EXE_classay"))
        .parent()
        .expect("a folder");
    let places = [beside.join("deps").join(name), beside.join(name)];
    let found = places.iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("no {name}")).clone()
}

/// The device that tests run on: Touchstone, or what CLASSAY_TEST_DEVICE says.
pub fn device() -> String {
    std::env::var("CLASSAY_TEST_DEVICE").unwrap_or_else(|_| "touchstone".into())
}

/// What the program did.
pub struct Done {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    pub fn of(output: Output) -> Done {
        Done {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Everything, for a message.
    pub fn told(&self) -> String {
        format!(
            "code {:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.code, self.stdout, self.stderr
        )
    }

    /// Checks the exit code, and that the program did not panic.
    #[track_caller]
    pub fn expect(self, code: i32) -> Done {
        assert_eq!(self.code, Some(code), "{}", self.told());
        assert!(!self.stderr.contains("panicked"), "{}", self.told());
        self
    }

    /// Checks that standard output has these words, however it is wrapped.
    #[track_caller]
    pub fn shows(self, words: &[&str]) -> Done {
        let text: Vec<&str> = self.stdout.split_whitespace().collect();
        let text = text.join(" ");
        for word in words {
            assert!(text.contains(word), "{word}: {}", self.told());
        }
        self
    }

    /// Checks that standard error has these words.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Done {
        let flat = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(flat.contains(word), "{word:?} is missing\n{}", self.told());
        }
        self
    }

    /// The lines of standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }
}

/// Runs to the end.
pub fn run(command: &mut Command) -> Done {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started");
    Done::of(output)
}

/// Waits until `what` holds; fails after a while.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A litmus test that every device can run.
pub const SB: &str = "OPENCL SB
{ [x]=0; [y]=0; }
P0 (global atomic_int* y, global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
}
P1 (global atomic_int* y, global atomic_int* x) {
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
exists (0:r0=0 /\\ 1:r0=0)
";

/// A fill that waits for a gate, a kernel that waits for the fill and reads what it wrote, and much
/// that has nothing to do with it.
pub const GATED: &str = "
kind: commands
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

/// Writes a file into a folder.
pub fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path
}
