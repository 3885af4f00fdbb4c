//! What a reader says when a test cannot be read: one sentence, and the place it is about.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;

/// A range of bytes of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// A problem here; `label` is written under the text itself.
    pub fn problem(self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem(Box::new(Details {
            message: message.into(),
            span: self,
            label: label.into(),
            second: None,
            help: None,
        }))
    }

    /// A problem with the second of two things where there can be one.
    pub fn second(self, message: impl Into<String>) -> Problem {
        self.problem(message, "the second one")
    }

    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end.max(self.start))
    }
}

/// A test that cannot be read: what is wrong, where, and what to do about it.
#[derive(Debug, Clone)]
pub struct SyntaxError(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    problem: Details,
    source: NamedSource<String>,
}

impl SyntaxError {
    /// The sentence, without the place.
    pub fn message(&self) -> &str {
        &self.0.problem.message
    }

    /// Byte offsets of the offending text.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.0.problem.span.start..self.0.problem.span.end
    }

    /// Line and column of the offending text, both counted from 1; the column counts characters.
    pub fn position(&self) -> (usize, usize) {
        let text = self.0.source.inner();
        let before = &text[..floor_boundary(text, self.0.problem.span.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// The text with `?` for each byte of a control character; offsets stay as they are.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && !matches!(c, '\n' | '\r' | '\t') {
            out.extend(std::iter::repeat_n('?', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    out
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for SyntaxError {}

impl Diagnostic for SyntaxError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.0.problem.help.as_deref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let problem = &self.0.problem;
        let first = LabeledSpan::new_primary_with_span(
            Some(problem.label.clone()),
            (problem.span.start, problem.span.end - problem.span.start),
        );
        let second = problem.second.as_ref().map(|(span, label)| {
            LabeledSpan::new_with_span(Some(label.clone()), (span.start, span.end - span.start))
        });
        Some(Box::new(std::iter::once(first).chain(second)))
    }
}

/// A [`SyntaxError`] before it knows its source.
#[derive(Debug, Clone)]
pub(crate) struct Problem(Box<Details>);

#[derive(Debug, Clone)]
struct Details {
    message: String,
    span: Span,
    label: String,
    second: Option<(Span, String)>,
    help: Option<String>,
}

pub(crate) type Outcome<T> = Result<T, Problem>;

impl Problem {
    /// What to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.0.help = Some(help.into());
        self
    }

    /// Asks whether the nearest of the known words was meant; helps otherwise where there is none.
    pub fn did_you_mean(self, near: Option<&str>, otherwise: impl FnOnce() -> String) -> Problem {
        self.help(match near {
            Some(near) => format!("did you mean {near}?"),
            None => otherwise(),
        })
    }

    /// A second place that has to do with it.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Problem {
        self.0.second = Some((span, label.into()));
        self
    }

    /// Moves every span; used where the text read was cut out of a larger source.
    pub fn relocate(mut self, place: impl Fn(Span) -> Span) -> Problem {
        self.0.span = place(self.0.span);
        if let Some((span, _)) = &mut self.0.second {
            *span = place(*span);
        }
        self
    }

    /// The finished error. Spans are clipped to the source, and control characters in it are
    /// blanked so that showing it cannot drive a terminal.
    pub fn within(self, name: &str, source: &str) -> SyntaxError {
        let mut problem = *self.0;
        let clip = |span: Span| {
            let start = floor_boundary(source, span.start);
            Span::new(start, floor_boundary(source, span.end).max(start))
        };
        problem.span = clip(problem.span);
        if let Some((span, _)) = &mut problem.second {
            *span = clip(*span);
        }
        SyntaxError(Box::new(Inner {
            problem,
            source: NamedSource::new(name, printable(source)),
        }))
    }
}

/// The candidate nearest to a misspelt word, if one is near enough to be meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > 64 {
        return None;
    }
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (edit_distance(word, c), c))
        .filter(|(d, c)| *d <= allowed && *d < c.chars().count())
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// How many letters must change to make one word the other (Levenshtein).
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
