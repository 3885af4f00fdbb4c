//! Programs about what becomes of their text before it is compiled: macros, conditions, lines and options. The host
//! knows each number that is left ("Preprocessor Directives and Macros", C99 6.10).
//!
//! What OpenCL C does not have (variadic macros), what C99 leaves open (the order of `#` and `##`, directives among
//! arguments, overflow of signed numbers in conditions) and what only some devices have is not written.

mod condition;
mod replaced;
mod text;

use super::builder::{CaseBuilder, args};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Range, Unit, Want};
use crate::rule;

/// Some pieces at most: compilers build them within a second.
const PIECES: usize = 14;

/// A part of a program that is about one thing, with names of its own.
#[derive(Debug, Default)]
struct Piece {
    /// What it is about.
    about: &'static str,
    /// Lines before the kernel.
    before: String,
    /// Lines in it.
    inside: String,
    /// Options of the build.
    options: Vec<String>,
    /// Expressions and the numbers that they are.
    results: Vec<(String, i64)>,
}

impl Piece {
    fn about(about: &'static str) -> Piece {
        Piece {
            about,
            ..Piece::default()
        }
    }

    fn before(mut self, line: impl AsRef<str>) -> Piece {
        self.before += line.as_ref();
        self.before += "\n";
        self
    }

    fn inside(mut self, line: impl AsRef<str>) -> Piece {
        self.inside += line.as_ref();
        self.inside += "\n";
        self
    }

    fn option(mut self, option: impl Into<String>) -> Piece {
        self.options.push(option.into());
        self
    }

    fn gives(mut self, expr: impl Into<String>, number: i64) -> Piece {
        self.results.push((expr.into(), number));
        self
    }
}

/// How a piece is drawn: by choices, with a number of which its names are made.
type Draw = fn(&mut Choices, usize) -> Piece;

/// Every one.
const DRAWS: [Draw; 21] = [
    replaced::flat,
    condition::chosen,
    replaced::nested,
    text::quoted,
    replaced::pasted,
    condition::value,
    text::continued,
    replaced::own_name,
    condition::defined,
    text::lines,
    replaced::without_parentheses,
    text::option,
    replaced::arguments,
    condition::skipped,
    text::comments,
    replaced::again,
    condition::value,
    text::option_of_macros,
    text::digraphs,
    text::versions,
    replaced::joined_names,
];

/// A program of several pieces, of which each leaves its numbers.
pub fn macros(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("macros, conditions and options make of a text what C99 says");
    let first = choices.below(DRAWS.len());
    let count = choices.between(3, PIECES);
    let pieces = (0..count).map(|n| DRAWS[(first + n) % DRAWS.len()](choices, n));
    let pieces: Vec<Piece> = pieces.collect();
    let mut source = String::new();
    for piece in &pieces {
        source += &piece.before;
    }
    source += "kernel void macros(global long *out) {\n";
    let (mut numbers, mut columns) = (Vec::new(), Vec::new());
    for piece in &pieces {
        source += &piece.inside;
        for (expr, number) in &piece.results {
            source += &format!("out[{}] = (long)({expr});\n", numbers.len());
            numbers.push(*number as u64);
            columns.push(piece.about.to_owned());
        }
    }
    source += "}\n";
    // Where a line stands is known of the whole text.
    case.case.source = text::numbered(&source);
    let options: Vec<String> = pieces.into_iter().flat_map(|piece| piece.options).collect();
    case.case.build.options = options.join(" ");
    let out = case.buffer(8 * numbers.len());
    case.launch("macros", args![out], Range::line(1, 1));
    let want = Want::same(Unit::Long, Contents::Longs(numbers)).in_columns(columns);
    case.look(out, &[rule::C_PREPROCESSOR], "numbers of a text", want);
    case.case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_has_names_of_its_own() {
        for seed in 0..200 {
            let mut choices = Choices::new(seed);
            for (n, draw) in DRAWS.iter().enumerate() {
                let piece = draw(&mut choices, n + 100);
                assert!(!piece.results.is_empty(), "{piece:?}");
                for line in piece
                    .before
                    .lines()
                    .filter(|line| line.starts_with("#define"))
                {
                    assert!(line.contains(&format!("{}", n + 100)), "{line}");
                }
            }
        }
    }

    #[test]
    fn texts_have_the_numbers_of_their_lines() {
        let mut seen = false;
        for seed in 0..60 {
            let case = macros(&mut Choices::new(seed));
            crate::kernels::valid::valid(&case).expect("it keeps to its objects");
            for (n, line) in case.source.lines().enumerate() {
                let number = line.split_once("= __LINE__ - ").map(|(_, number)| number);
                assert!(number.is_none_or(|number| number == format!("{};", n + 1)));
                seen |= number.is_some();
            }
        }
        assert!(seen);
    }
}
