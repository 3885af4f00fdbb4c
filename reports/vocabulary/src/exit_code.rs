//! How the program ends.

use std::process;

/// The program's exit code. The README lists them; they do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything that ran passed.
    Passed = 0,
    /// A case failed, crashed or timed out.
    Failed = 1,
    /// The command line or an input file is wrong.
    Usage = 2,
    /// There is no such device, or it can no longer be opened.
    NoDevice = 3,
    /// Nothing was tested: no case was selected, or every one was skipped.
    Nothing = 4,
    /// Interrupted; `classay run --resume` continues.
    Interrupted = 5,
    /// The results store, or another output file, cannot be written or read. What was committed is kept.
    Store = 6,
    /// This program is wrong.
    Bug = 70,
}

impl ExitCode {
    /// The number.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> process::ExitCode {
        process::ExitCode::from(code.code())
    }
}
