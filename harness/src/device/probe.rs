//! Small experiments that check what a device claims: one program, allocation or queue a question.

use super::touch::{self, SvmKind};
use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::program::Program;

/// Who answers the questions: a device, or in tests a made-up one.
pub trait Probe {
    /// Builds a program; the error is the build log.
    fn build(&mut self, source: &str, options: &str) -> Result<(), String>;
    /// Allocates and frees shared virtual memory of a kind.
    fn svm(&mut self, kind: SvmKind) -> Result<(), String>;
    /// Creates an out-of-order queue.
    fn out_of_order_queue(&mut self) -> Result<(), String>;
}

/// The device itself.
pub struct OnDevice {
    context: Context,
}

impl OnDevice {
    /// Makes a context for the experiments.
    pub fn new(device: &Device) -> Result<OnDevice, String> {
        Context::from_device(device)
            .map(|context| OnDevice { context })
            .map_err(|e| format!("clCreateContext gives error {} ({e})", e.0))
    }
}

impl Probe for OnDevice {
    fn build(&mut self, source: &str, options: &str) -> Result<(), String> {
        Program::create_and_build_from_source(&self.context, source, options).map(drop)
    }

    fn svm(&mut self, kind: SvmKind) -> Result<(), String> {
        touch::svm_round_trip(&self.context, kind)
    }

    fn out_of_order_queue(&mut self) -> Result<(), String> {
        CommandQueue::create_default(&self.context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
            .map(drop)
            .map_err(|e| format!("error {} ({e})", e.0))
    }
}

/// What a build log says is wrong: its first error, without the names and places of files, which
/// differ from one build to the next, and shortened.
pub fn first_error(log: &str) -> String {
    let lines = || log.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines()
        .find(|l| l.contains("error"))
        .or_else(|| lines().next())
        .unwrap_or("no build log");
    let after = |line, mark| str::rsplit_once(line, mark).map_or(line, |(_, rest)| rest);
    let message = after(after(line, "build log:"), "error:");
    let message: Vec<&str> = message
        .split_whitespace()
        .filter(|w| !is_place(w))
        .collect();
    let message = message.join(" ");
    if message.chars().count() <= 120 {
        message
    } else {
        message.chars().take(119).chain(['…']).collect()
    }
}

/// `file.cl:2:53:`, with or without the last colon.
fn is_place(word: &str) -> bool {
    let mut parts = word.trim_end_matches(':').rsplit(':');
    let number = |part: Option<&str>| {
        part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
    };
    number(parts.next()) && number(parts.next()) && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_found_without_its_place() {
        for (log, expected) in [
            ("warning: a\n x.cl:1:2: error: b 'c'\nerror: d", "b 'c'"),
            (
                "BUILD_FAILURE, build log: error: /tmp/t_a1.cl:2:53: use of 'x'",
                "use of 'x'",
            ),
            ("BUILD_FAILURE, build log: no compiler", "no compiler"),
            (" \n something\n", "something"),
            ("", "no build log"),
        ] {
            assert_eq!(first_error(log), expected);
        }
        assert_eq!(first_error(&"é".repeat(500)).chars().count(), 120);
    }
}
