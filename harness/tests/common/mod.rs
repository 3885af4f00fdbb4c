//! Runs the program as a user does.

#![allow(dead_code)]

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
        "CLASSAY_LOG",
        "OPENCL_DYLIB_PATH",
    ] {
        command.env_remove(variable);
    }
    // One thread, so that the reference runtime does the same every time.
    command.env("TOUCHSTONE_THREADS", "1");
    command
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

/// Writes a file into a folder.
pub fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path
}
