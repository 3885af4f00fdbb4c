//! Text to [`Document`], and the library's errors to ours.

use super::document::Document;
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::lexer::shorten;
use crate::syntax::limits::MAX_BLOCKS;
use serde::de::IgnoredAny;
use serde_saphyr::{Error, Location};

/// Takes a document apart.
pub(super) fn parse(text: &str) -> Outcome<Document> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: 2 * MAX_BLOCKS as usize + 32,
            flow_nesting_limit: 2 * MAX_BLOCKS as usize + 32,
            max_nodes: 500_000,
        },
    };
    serde_saphyr::from_str_with_options(text, options.clone()).map_err(|error| {
        // what is no YAML at all is said first: a bracket left open makes keys of other mappings
        let broken = serde_saphyr::from_str_with_options::<IgnoredAny>(text, options).err();
        problem(broken.as_ref().unwrap_or(&error).without_snippet(), text)
    })
}

fn problem(error: &Error, text: &str) -> Problem {
    let span = error
        .location()
        .map_or(Span::default(), |l| place(&l, text));
    match error {
        Error::SerdeUnknownField {
            field, expected, ..
        } => {
            let message = format!("no key is called {} here", shorten(field));
            span.problem(message, "unknown key")
                .did_you_mean(nearest(field, expected.iter().copied()), || {
                    format!("the keys are {}", expected.join(", "))
                })
        }
        Error::SerdeMissingField { field, .. } => {
            span.problem(format!("the key {field} is missing"), "not complete")
        }
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => span
            .problem(
                format!("{} is none of the words expected", shorten(variant)),
                "unknown",
            )
            .help(format!("one of {}", expected.join(", "))),
        Error::SerdeInvalidType {
            unexpected,
            expected,
            ..
        }
        | Error::SerdeInvalidValue {
            unexpected,
            expected,
            ..
        } => span.problem(
            format!("expected {expected}, not {}", shorten(unexpected)),
            "not what is expected",
        ),
        Error::Unexpected { expected, .. } => {
            let expected = match *expected {
                "sequence start" => "a list",
                "mapping start" => "a mapping",
                other => other,
            };
            let message = format!("{expected} is expected");
            span.problem(message, "not what is expected")
        }
        other => {
            // the label shows the place already, and the library's options are not the user's
            let message = other.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let message = message.split(", set ").next().unwrap_or_default();
            let message = message.lines().next().unwrap_or("it cannot be read");
            span.problem(format!("not the YAML expected: {message}"), "here")
        }
    }
}

fn place(location: &Location, text: &str) -> Span {
    let span = location.span();
    if let (Some(offset), Some(length)) = (span.byte_offset(), span.byte_len()) {
        let start = (offset as usize).min(text.len());
        return Span::new(start, start + (length as usize).max(1));
    }
    let line_start = text
        .split_inclusive('\n')
        .take(location.line().saturating_sub(1) as usize)
        .map(str::len)
        .sum::<usize>();
    let column = location.column().saturating_sub(1) as usize;
    let start = line_start
        + text[line_start..]
            .chars()
            .take(column)
            .map(char::len_utf8)
            .sum::<usize>();
    Span::new(start, start + 1)
}
