//! Exit codes. The README lists them; they do not change.

/// Everything that ran passed.
pub const PASSED: u8 = 0;
/// A case failed, crashed or timed out.
pub const FAILED: u8 = 1;
/// The command line or an input file is wrong.
pub const USAGE: u8 = 2;
/// There is no such device, or it can no longer be opened.
pub const NO_DEVICE: u8 = 3;
/// Nothing was tested: no case was selected, or every one was skipped.
pub const NOTHING: u8 = 4;
/// Interrupted; `classay run --resume` goes on.
pub const INTERRUPTED: u8 = 5;
/// The results store, or another output file, cannot be written or read. What was committed is kept.
pub const STORE: u8 = 6;
/// This program is wrong.
pub const BUG: u8 = 70;
