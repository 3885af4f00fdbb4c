//! Readers and writers of litmus tests.
//!
//! Two forms, one [`Program`]: the OPENCL and VULKAN `.litmus` dialects ([`read_litmus`],
//! [`write_litmus`]) and YAML ([`read_yaml`], [`write_yaml`]); Alloy tests are read as well
//! ([`read_alloy`]). [`read_bytes`] distinguishes them. Reading goes
//! through rooms in a row:
//!
//! ```text
//! text ─ header ─ lexer ─ parse ─▶ tree ─ lower ─▶ Program ─ write ─▶ text
//! YAML ─ yaml ── (expressions) ────┘
//! ```
//!
//! `tree` has the shape of the source with names as written; `lower` resolves the names and
//! checks everything that needs to know what a name stands for. Every error is a [`SyntaxError`]
//! that points at the text it is about. The README beside this crate's manifest has the grammar
//! and the YAML schema; [`limits`] bounds what hostile input can cost.

mod alloy;
mod error;
mod header;
mod lexer;
pub mod limits;
mod lower;
mod parse;
mod parsed;
mod tree;
mod write;
mod yaml;

pub use alloy::{AlloyTest, read_alloy};
pub use error::SyntaxError;
pub(crate) use error::edit_distance;
pub(crate) use lexer::nested_comment;
pub(crate) use lower::domain::DomainWord;
pub use parsed::ParsedTest;
pub use write::write_litmus;
pub(crate) use write::{placement_text, predicate as predicate_text};
pub use yaml::{read_yaml, write_yaml};

use crate::program::Program;
use error::{Outcome, Problem, Span};

/// Reads a test in the OPENCL `.litmus` dialect. `name` is what errors call the source, its path
/// for example.
///
/// # Errors
/// The first thing in `text` that is not part of the dialect.
pub fn read_litmus(name: &str, text: &str) -> Result<Program, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_size(text.len())
        .and_then(|()| litmus(text))
        .map_err(|problem| problem.within(name, excerpt(text)))
}

fn litmus(text: &str) -> Outcome<Program> {
    if let Some(at) = text.find('\0') {
        return Err(binary(at));
    }
    let (api, name, from) = header::read(text)?;
    let tokens = lexer::tokens(text, from, lexer::Bodies::Braced)?;
    let test = parse::Parser::new(text, tokens, "the test").test(api, name)?;
    lower::program(test)
}

/// Reads a test of any form: an Alloy test where `name` ends in `.test`; YAML where `name` ends in `.yaml` or `.yml`, or where it does not
/// end in `.litmus` and the text starts like our YAML; `.litmus` otherwise.
///
/// # Errors
/// As the two readers, and when the bytes are not text at all.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Program, SyntaxError> {
    if let Err(problem) = check_size(bytes.len()) {
        return Err(problem.within(name, ""));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let problem = match bytes.contains(&0) {
                true => binary(bytes.iter().position(|b| *b == 0).unwrap_or(at)),
                false => Span::new(at, at + 1).problem(
                    "the file is not text in UTF-8",
                    "this byte is not part of a character",
                ),
            };
            return Err(problem.within(name, &String::from_utf8_lossy(bytes)));
        }
    };
    if name.to_ascii_lowercase().ends_with(".test") {
        return read_alloy(name, text).map(|test| test.program);
    }
    match is_yaml(name, text) {
        true => read_yaml(name, text),
        false => read_litmus(name, text),
    }
}

fn is_yaml(name: &str, text: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if lower.ends_with(".yaml") || lower.ends_with(".yml") {
        return true;
    }
    if lower.ends_with(".litmus") {
        return false;
    }
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(|line| !(line.is_empty() || line.starts_with('#') || *line == "---"))
        .is_some_and(|line| {
            yaml::FIRST_KEYS.iter().any(|key| {
                line.strip_prefix(key)
                    .is_some_and(|rest| rest.starts_with(':'))
            })
        })
}

fn check_size(bytes: usize) -> Outcome<()> {
    if bytes <= limits::MAX_BYTES {
        return Ok(());
    }
    Err(Span::new(0, 0).problem(
        format!(
            "the file has {bytes} bytes; a litmus test has at most {}",
            limits::MAX_BYTES
        ),
        "too large",
    ))
}

/// The source to keep with an error: none of it where it is too large to be a test.
fn excerpt(text: &str) -> &str {
    if text.len() <= limits::MAX_BYTES {
        text
    } else {
        ""
    }
}

fn binary(at: usize) -> Problem {
    Span::new(at, at + 1).problem("this is a binary file, not a litmus test", "not text")
}

/// Keeps the README's example true.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
