//! What is wrong with a cat file, and where.

use miette::{Diagnostic, NamedSource, SourceSpan};
use std::sync::Arc;
use thiserror::Error;

/// A mistake in a cat file: one sentence, the place, and often what to write instead.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
pub struct CatError {
    /// The sentence.
    pub message: String,
    /// The file.
    #[source_code]
    pub source_code: NamedSource<Arc<str>>,
    /// The place in the file.
    #[label("{label}")]
    pub span: SourceSpan,
    /// What stands at that place.
    pub label: String,
    /// What to do.
    #[help]
    pub help: Option<String>,
}

/// A result of reading a cat file.
pub type Result<T> = std::result::Result<T, Box<CatError>>;

/// A cat file's text and the name it goes by in messages.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name.
    pub name: Arc<str>,
    /// The text.
    pub text: Arc<str>,
}

/// A range of bytes in a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From one byte to just before another.
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

impl Source {
    /// A text by a name.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Source {
        Source {
            name: name.into(),
            text: text.into(),
        }
    }

    /// An error at `span` of this file.
    pub fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Box<CatError> {
        let start = span.start as usize;
        let length = (span.end.max(span.start) - span.start) as usize;
        Box::new(CatError {
            message: message.into(),
            source_code: NamedSource::new(&*self.name, self.text.clone()),
            span: SourceSpan::new(start.into(), length),
            label: label.into(),
            help: None,
        })
    }
}

impl CatError {
    /// The same error with advice.
    pub fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}
