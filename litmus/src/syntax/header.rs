//! The first line of a test, `OPENCL name`, and what may stand between it and the init list:
//! comments, descriptions in quotes, and `Key=value` lines.

use super::error::{Outcome, Span};
use super::lexer::{nested_comment, shorten};
use crate::program::Api;

/// Other litmus dialects, to tell a file of theirs from a file of noise.
const OTHER_DIALECTS: &[&str] = &[
    "C", "LISA", "X86", "X86_64", "AARCH64", "ARM", "PPC", "MIPS", "RISCV", "PTX", "BPF", "ASL",
    "JAVA", "BELL", "CPP", "CUDA", "LKMM", "SPIRV",
];

/// What the test is written for, its name, and the offset at which its tokens start.
pub(crate) fn read(source: &str) -> Outcome<(Api, String, usize)> {
    let from = skip_blanks(source, 0);
    let line_end = source[from..].find('\n').map_or(source.len(), |n| from + n);
    let line = source[from..line_end].trim_end();
    let span = Span::new(from, from + line.len());
    if line.is_empty() {
        return Err(Span::new(0, 0)
            .problem("the file is empty", "nothing here")
            .help("a test starts with the line: OPENCL name"));
    }
    let word_end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (dialect, name) = line.split_at(word_end);
    let span_of_dialect = Span::new(from, from + word_end);
    let upper = dialect.to_ascii_uppercase();
    let known = Api::ALL
        .into_iter()
        .find(|api| api.name().eq_ignore_ascii_case(&upper));
    let Some(api) = known else {
        return Err(if OTHER_DIALECTS.contains(&upper.as_str()) {
            span_of_dialect.problem(
                format!(
                    "this is a test in the {dialect} dialect; the OPENCL and VULKAN dialects can be read"
                ),
                "the dialect",
            )
        } else {
            span_of_dialect.problem(
                format!(
                    "this is not a litmus test: it starts with {} where the dialect should stand",
                    printable(&shorten(dialect))
                ),
                "expected OPENCL or VULKAN",
            )
            .help("a test starts with the line: OPENCL name")
        });
    };
    let name = name.trim();
    if name.is_empty() {
        return Err(span
            .problem("the test has no name", "a name should follow")
            .help("a test starts with the line: OPENCL name"));
    }
    let name = name.replace('\t', " ");
    if name.chars().any(char::is_control) {
        return Err(span.problem("the test's name holds a control character", "not a name"));
    }
    Ok((api, name, skip_preamble(source, line_end)?))
}

/// Control characters replaced, so that a message stays one line.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// Skips blanks and comments as far as they are whole; the lexer reports those that are not.
fn skip_blanks(source: &str, mut at: usize) -> usize {
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let skipped = if trimmed.starts_with("//") {
            Some(trimmed.find('\n').unwrap_or(trimmed.len()))
        } else if let Some(inside) = trimmed.strip_prefix("/*") {
            inside.find("*/").map(|end| end + 4)
        } else if trimmed.starts_with("(*") {
            nested_comment(trimmed)
        } else {
            None
        };
        match skipped {
            Some(length) => at += length,
            None => return at,
        }
    }
}

fn skip_preamble(source: &str, mut at: usize) -> Outcome<usize> {
    loop {
        at = skip_blanks(source, at);
        let rest = &source[at..];
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some(length) = quoted_length(quoted) else {
                return Err(Span::new(at, at + 1).problem(
                    "a description in quotes is never closed",
                    "no closing quote follows",
                ));
            };
            at += 1 + length;
        } else if is_key_line(rest) {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            return Ok(at);
        }
    }
}

/// Length up to and with the closing quote. A quote after which the line goes on in words closes nothing
/// where the line ends in another one: `"an "enforced" order"`.
fn quoted_length(text: &str) -> Option<usize> {
    let first = first_quote(text)?;
    let line = text[first..].lines().next().unwrap_or_default();
    let goes_on = line.starts_with(|c: char| c.is_alphanumeric());
    let line = line.trim_end();
    match goes_on || line.trim_start().starts_with(|c: char| c.is_alphanumeric()) {
        true if line.ends_with('"') => Some(first + line.len()),
        true | false => Some(first),
    }
}

/// Length up to and with the first quote.
fn first_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return Some(at + 1),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// `Cycle=Rfe PodRR …`, as test generators leave it.
fn is_key_line(text: &str) -> bool {
    let word = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .unwrap_or(0);
    word > 0 && text[word..].starts_with('=')
}
