//! Programs about what becomes of their text before it is compiled: macros, conditions, lines and options. The host
//! knows each number that is left ("Preprocessor Directives and Macros", C99 6.10).
//!
//! What OpenCL C does not have (variadic macros), what C99 leaves open (the order of `#` and `##`, directives among
//! arguments, overflow of signed numbers in conditions) and what only some devices have is not written.

mod condition;
mod replaced;
mod text;

use super::pieces::{self, Draw};
use crate::choices::Choices;
use crate::host::OfBinary;
use crate::kernels::case::KernelCase;
use crate::rule;

/// Some pieces at most: compilers build them within a second.
const PIECES: usize = 14;

/// Every one.
const DRAWS: [Draw; 22] = [
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
    text::single_constants,
    replaced::joined_names,
];

/// A program of several pieces, of which each leaves its numbers.
pub fn macros(choices: &mut Choices) -> KernelCase {
    let pieces = pieces::drawn(choices, &DRAWS, PIECES);
    let binary = OfBinary::drawn(choices, 50);
    let rules: &[_] = match binary {
        Some(_) => &[rule::C_PREPROCESSOR, rule::KIND_BINARY],
        None => &[rule::C_PREPROCESSOR],
    };
    let mut case = pieces::program(
        "macros, conditions and options make of a text what C99 says",
        "macros",
        pieces,
        rules,
    );
    case.build.through_binary = binary;
    // Where a line stands is known of the whole text.
    case.source = text::numbered(&case.source);
    case
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
