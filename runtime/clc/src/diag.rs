//! Diagnostics: what is wrong, where, shown with the source line and a caret.

use crate::source::{Loc, SourceMap};
use std::fmt::Write as _;

/// Errors after which a build stops; the rest would mostly repeat the first ones.
const ERROR_LIMIT: usize = 50;
/// Warnings after which the rest are only counted.
const WARNING_LIMIT: usize = 200;
/// Longest source line shown whole, in characters.
const SHOWN_COLUMNS: usize = 200;

#[derive(Clone, Debug)]
struct Diagnostic {
    /// How serious it is: `error`, `warning` or `note`.
    severity: &'static str,
    at: Option<Loc>,
    message: String,
}

/// An error that is already in the log; what it poisons is dropped without another message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// The diagnostics of one build.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    /// `-w`
    silence_warnings: bool,
    /// `-Werror`
    warnings_are_errors: bool,
}

impl Diagnostics {
    /// No diagnostics yet; `-w` and `-Werror`.
    pub(crate) fn new(silence_warnings: bool, warnings_are_errors: bool) -> Self {
        Self {
            silence_warnings,
            warnings_are_errors,
            ..Self::default()
        }
    }

    fn add(&mut self, severity: &'static str, at: Option<Loc>, message: String) {
        self.items.push(Diagnostic {
            severity,
            at,
            message,
        });
    }

    /// Records an error.
    pub(crate) fn error(&mut self, at: Loc, message: impl Into<String>) -> Reported {
        self.errors += 1;
        if self.errors <= ERROR_LIMIT {
            self.add("error", Some(at), message.into());
        }
        Reported
    }

    /// Records an error that has no place in a source.
    pub(crate) fn error_nowhere(&mut self, message: impl Into<String>) -> Reported {
        self.errors += 1;
        self.add("error", None, message.into());
        Reported
    }

    /// Records a use of something that Touchstone does not have yet.
    pub(crate) fn unsupported(&mut self, at: Loc, what: &str, feature: &str) -> Reported {
        let message = format!("{what} is not supported by Touchstone yet: {feature}");
        self.error(at, message)
    }

    /// Records a warning, which `-Werror` makes an error.
    pub(crate) fn warning(&mut self, at: Loc, message: impl Into<String>) {
        if self.silence_warnings {
            return;
        }
        if self.warnings_are_errors {
            self.error(at, format!("{} [-Werror]", message.into()));
            return;
        }
        self.warnings += 1;
        if self.warnings <= WARNING_LIMIT {
            self.add("warning", Some(at), message.into());
        }
    }

    /// Adds a remark to the diagnostic before it.
    pub(crate) fn note(&mut self, at: Loc, message: impl Into<String>) {
        if self.errors <= ERROR_LIMIT && self.warnings <= WARNING_LIMIT {
            self.add("note", Some(at), message.into());
        }
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Whether the build has failed.
    pub(crate) fn failed(&self) -> bool {
        self.errors > 0
    }

    /// Whether so much is wrong that going on helps nobody.
    pub(crate) fn hopeless(&self) -> bool {
        self.errors >= ERROR_LIMIT
    }

    /// The build log.
    pub(crate) fn render(&self, sources: &SourceMap) -> String {
        let mut log = String::new();
        for item in &self.items {
            let word = item.severity;
            let Some(at) = item.at else {
                let _ = writeln!(log, "{word}: {}", item.message);
                continue;
            };
            let position = sources.position(at);
            let _ = writeln!(
                log,
                "{}:{}:{}: {word}: {}",
                position.name, position.line, position.column, item.message
            );
            show_line(&mut log, sources.line_text(at), position.column as usize);
        }
        let counts = [(self.errors, "error"), (self.warnings, "warning")];
        let counts = counts.into_iter().filter(|&(n, _)| n > 0);
        let counts: Vec<String> = counts.map(|(n, what)| count(n, what)).collect();
        if !counts.is_empty() {
            let _ = writeln!(log, "{}.", counts.join(", "));
        }
        log
    }
}

/// A number of things: `1 error`, `2 errors`.
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Writes a source line and a caret under `column`, cutting long lines around it.
fn show_line(log: &mut String, line: &str, column: usize) {
    let skip = match line.chars().count() {
        0..=SHOWN_COLUMNS => 0,
        _ => column.saturating_sub(SHOWN_COLUMNS / 2),
    };
    let shown: String = line.chars().skip(skip).take(SHOWN_COLUMNS).collect();
    let caret: String = shown
        .chars()
        .take((column - 1).saturating_sub(skip))
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let _ = writeln!(log, "    {shown}");
    let _ = writeln!(log, "    {caret}^");
}
