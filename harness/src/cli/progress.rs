//! How far a run is: a bar on a terminal, a line a case elsewhere. Both on standard error.

use super::output::say;
use classay_reports::record::{CaseResult, Launch, Verdict};
use classay_reports::text::number::short;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Shows cases as they begin, go on and end.
pub struct Progress {
    bar: Option<ProgressBar>,
    done: usize,
    total: usize,
    failed: usize,
    instances: u64,
    quiet: bool,
}

impl Progress {
    /// For a run of `total` cases of which `done` are done. `quiet` shows no lines; a bar is shown
    /// even so, since it does not stay.
    pub fn new(done: usize, total: usize, quiet: bool) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = "{elapsed_precise} [{bar:30}] {pos}/{len} {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_position(done as u64);
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Progress {
            bar,
            done,
            total,
            failed: 0,
            instances: 0,
            quiet,
        }
    }

    /// A case begins.
    pub fn begins(&mut self, test: &str) {
        self.instances = 0;
        self.message(test);
    }

    /// A launch of it ended.
    pub fn launched(&mut self, test: &str, launch: &Launch) {
        self.instances = self.instances.saturating_add(launch.instances);
        if self.bar.is_some() {
            self.message(&format!("{test}  {}", short(self.instances as f64)));
        }
    }

    /// A case ended.
    pub fn ends(&mut self, result: &CaseResult) {
        self.done += 1;
        self.failed += usize::from(result.verdict.is_failure());
        match &self.bar {
            Some(bar) => bar.set_position(self.done as u64),
            None if self.quiet => {}
            None => say(&line(self.done, self.total, result)),
        }
    }

    /// Does something that writes to the terminal, with the bar out of its way.
    pub fn aside(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Nothing more comes.
    pub fn close(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    fn message(&self, text: &str) {
        if let Some(bar) = &self.bar {
            let failed = match self.failed {
                0 => String::new(),
                n => format!("{n} not passed  "),
            };
            bar.set_message(format!("{failed}{text}"));
        }
    }
}

fn line(done: usize, total: usize, result: &CaseResult) -> String {
    let width = total.to_string().len();
    let what = match result.verdict {
        Verdict::Pass | Verdict::Fail | Verdict::Inconclusive => format!(
            "{} instances in {:.1} s",
            short(result.instances as f64),
            result.seconds
        ),
        Verdict::Skip | Verdict::Crash | Verdict::Timeout => result.reason.clone(),
    };
    format!(
        "[{done:width$}/{total}] {:12} {}  {what}",
        result.verdict,
        result.name()
    )
}
