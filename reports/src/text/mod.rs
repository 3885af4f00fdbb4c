//! Results for a person at a terminal: plain text of at most [`WIDTH`] columns, in UTF-8, that is
//! the same for the same results. Colour only where the caller asks for it.
//!
//! - [`mod@histogram`]: one test, each outcome with its rate and interval;
//! - [`mod@summary`]: one run, a line a case, then the whole reason of each case that needs a look;
//! - `freedoms`: what the device was seen to do where rules leave a choice;
//! - `reach`: how far a run came in its time;
//! - [`mod@difference`]: a run, compared with a baseline;
//! - [`mod@history`]: the runs of a driver's versions side by side;
//! - [`mod@outcome`]: what an instance showed, in words;
//! - [`number`]: counts, rates and bounds as text;
//! - [`layout`]: wrapping, cutting and cleaning of text that comes from elsewhere.

pub mod difference;
mod freedoms;
pub mod histogram;
pub mod history;
pub mod layout;
pub mod number;
pub mod outcome;
mod reach;
pub mod summary;

pub use difference::difference;
pub use histogram::histogram;
pub use history::history;
pub use reach::reach;
pub use summary::summary;

use crate::record::Verdict;

/// Columns that no line of prose exceeds; a table is as wide as the terminal.
pub const WIDTH: usize = 80;

/// Whether to use terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Off,
    /// ANSI colours.
    On,
}

/// Where a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paper {
    /// Whether to use terminal colours.
    pub colour: Colour,
    /// Columns of the terminal; none for a file or a log, in which nothing is cut.
    pub columns: Option<usize>,
}

impl Paper {
    /// A log, or a file.
    pub const LOG: Paper = Paper {
        colour: Colour::Off,
        columns: None,
    };
}

impl Colour {
    /// `text` in the colour of a verdict.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        let code = match verdict {
            Verdict::Pass => "32",
            Verdict::Fail | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => "1;31",
            Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => "33",
        };
        self.wrap(code, text)
    }

    /// `text` made to stand out.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Colour::Off => text.to_string(),
            Colour::On => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
