//! How far a run is, on standard error: a live view on a terminal, a line now and then elsewhere, or nothing.
//!
//! - `view`: what is known while a run goes on, and the lines that say it;
//! - this file: where the lines go.
//!
//! The live view has three lines that stay at the bottom (the run, its verdicts, the case that is running
//! with its rate and interval as they come) and leaves a line above them for each case that fails. It goes
//! away at the end: the summary says all of it again.

mod view;

use super::output::{colour_of, say};
use classay::plan::Case;
use classay::run::Observer;
use classay_reports::record::{CaseResult, Launch};
use classay_reports::text::Colour;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use view::View;

/// What is said while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Talk {
    /// The live view on a terminal, a line now and then elsewhere.
    Always,
    /// The live view on a terminal, since it does not stay; nothing elsewhere.
    Live,
    /// Nothing.
    Nothing,
}

/// Shows cases as they begin, go on and end.
pub struct Progress {
    live: Option<Live>,
    /// When a log was last told how far it is.
    told: Option<Instant>,
    view: View,
}

/// Shows a run's progress, and writes what there is to say of each result.
pub struct Shown<W> {
    /// How far it is.
    pub progress: Progress,
    /// Writes to standard output.
    pub write: W,
}

impl<W: FnMut(&CaseResult)> Observer for Shown<W> {
    fn ends_by(&mut self, end: Instant) {
        self.progress.ends_by(end);
    }

    fn case_begins(&mut self, case: &Case) {
        self.progress.begins(&case.test);
    }

    fn launched(&mut self, _case: &Case, launch: &Launch) {
        self.progress.launched(launch);
    }

    fn case_ends(&mut self, result: &CaseResult) {
        self.progress.ends(result);
        self.progress.aside(|| (self.write)(result));
    }

    fn run_ends(&mut self) {
        self.progress.close();
    }
}

/// The live view.
struct Live {
    all: MultiProgress,
    bar: ProgressBar,
    verdicts: ProgressBar,
    case: ProgressBar,
    colour: Colour,
    drawn: Instant,
}

/// How often the case's line is worked out anew.
const REDRAW: Duration = Duration::from_millis(200);

/// How often a log is told how far the run is.
const PAUSE: Duration = Duration::from_secs(30);

impl Progress {
    /// For a run of `total` cases of which `done` are done.
    pub fn new(done: usize, total: usize, talk: Talk) -> Progress {
        let terminal =
            std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        Progress {
            live: (terminal && talk != Talk::Nothing).then(|| Live::new(done, total)),
            told: (talk == Talk::Always).then(Instant::now),
            view: View::new(done, total),
        }
    }

    /// It will end about then.
    fn ends_by(&mut self, end: Instant) {
        let elapsed = self.live.as_ref().map(|live| live.bar.elapsed());
        let left = end.saturating_duration_since(Instant::now());
        self.view.ends_in(elapsed.unwrap_or_default(), left);
    }

    /// A case begins.
    fn begins(&mut self, test: &str) {
        self.view.begins(test);
        if let Some(live) = &mut self.live {
            live.redraw(&self.view);
        }
    }

    /// A launch of it ended.
    fn launched(&mut self, launch: &Launch) {
        self.view.launched(launch);
        if let Some(live) = &mut self.live
            && live.drawn.elapsed() >= REDRAW
        {
            live.redraw(&self.view);
        }
    }

    /// A case ended.
    fn ends(&mut self, result: &CaseResult) {
        self.view.ends(result);
        match &mut self.live {
            Some(live) => {
                if result.verdict.is_failure() {
                    let line = view::failure(result, live.colour);
                    // A terminal that cannot be written is no reason to stop.
                    let _ = live.all.println(line);
                }
                live.bar.set_position(self.view.done() as u64);
                live.redraw(&self.view);
            }
            None => {
                if let Some(told) = self.told.as_mut().filter(|told| told.elapsed() >= PAUSE) {
                    *told = Instant::now();
                    say(&self.view.line());
                }
            }
        }
    }

    /// Does something that writes to the terminal, with the live view out of its way.
    fn aside(&self, write: impl FnOnce()) {
        match &self.live {
            Some(live) => live.all.suspend(write),
            None => write(),
        }
    }

    /// Nothing more comes.
    fn close(&mut self) {
        if let Some(live) = self.live.take() {
            for bar in [&live.case, &live.verdicts, &live.bar] {
                bar.finish_and_clear();
            }
        }
    }
}

impl Live {
    fn new(done: usize, total: usize) -> Live {
        let all = MultiProgress::new();
        let bar = |template: &str, length: usize| {
            let bar = all.add(ProgressBar::new(length as u64));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar
        };
        let live = Live {
            bar: bar("{elapsed_precise} {bar:24} {pos}/{len} {wide_msg}", total),
            verdicts: bar("{wide_msg}", 1),
            case: bar("{wide_msg}", 1),
            colour: colour_of(&std::io::stderr()),
            drawn: Instant::now(),
            all: all.clone(),
        };
        live.bar.set_position(done as u64);
        live.bar.enable_steady_tick(Duration::from_millis(500));
        live
    }

    fn redraw(&mut self, view: &View) {
        self.drawn = Instant::now();
        self.bar.set_message(view.pace(self.bar.elapsed()));
        self.verdicts.set_message(view.verdicts(self.colour));
        self.case.set_message(view.case());
    }
}
