//! Programs of pieces: each piece is a text about one part of the language, and leaves numbers that the host knows.

use super::builder::{CaseBuilder, args};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Unit, Want};
use crate::rule::RuleId;

/// Numbers that a piece may have from the host at most.
const GIVEN: usize = 4;

/// A part of a program that is about one thing, with names of its own.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// What it is about.
    pub(super) about: &'static str,
    /// Lines before the kernel.
    pub(super) before: String,
    /// Lines in it.
    pub(super) inside: String,
    /// Options of the build.
    options: Vec<String>,
    /// Numbers that the host gives, so that no compiler knows them: of each its place and itself.
    given: Vec<(usize, i32)>,
    /// Expressions and the numbers that they are.
    pub(super) results: Vec<(String, i64)>,
}

impl Piece {
    pub(super) fn about(about: &'static str) -> Piece {
        Piece {
            about,
            ..Piece::default()
        }
    }

    pub(super) fn before(mut self, line: impl AsRef<str>) -> Piece {
        self.before += line.as_ref();
        self.before += "\n";
        self
    }

    /// A name for what a macro is, or for something else where there is no such macro.
    pub(super) fn where_defined(self, name: &str, of: &str, otherwise: &str) -> Piece {
        self.before(format!("#ifdef {of}"))
            .before(format!("#define {name} {of}"))
            .before("#else")
            .before(format!("#define {name} {otherwise}"))
            .before("#endif")
    }

    pub(super) fn inside(mut self, line: impl AsRef<str>) -> Piece {
        self.inside += line.as_ref();
        self.inside += "\n";
        self
    }

    pub(super) fn option(mut self, option: impl Into<String>) -> Piece {
        self.options.push(option.into());
        self
    }

    /// Numbers of the piece with this number, four at most, which [`given`] reads.
    pub(super) fn given(mut self, n: usize, numbers: &[i32]) -> Piece {
        let places = n * GIVEN..(n + 1) * GIVEN;
        self.given = places.zip(numbers.iter().copied()).collect();
        self
    }

    pub(super) fn gives(mut self, expr: impl Into<String>, number: i64) -> Piece {
        self.results.push((expr.into(), number));
        self
    }
}

/// The expression that reads a number which the host gives to the piece with this number.
pub(super) fn given(n: usize, which: usize) -> String {
    format!("in[{}]", n * GIVEN + which)
}

/// How a piece is drawn: by choices, with a number of which its names are made.
pub(super) type Draw = fn(&mut Choices, usize) -> Piece;

/// Several pieces that follow each other among these, from three to so many.
pub(super) fn drawn(choices: &mut Choices, draws: &[Draw], most: usize) -> Vec<Piece> {
    let first = choices.below(draws.len());
    let count = choices.between(3, most);
    let pieces = (0..count)
        .filter_map(|n| choices.part(|choices| draws[(first + n) % draws.len()](choices, n)));
    pieces.collect()
}

/// A case whose kernel leaves the numbers of each piece.
pub(super) fn program(
    title: &str,
    kernel: &str,
    pieces: Vec<Piece>,
    rules: &[RuleId],
) -> KernelCase {
    let mut case = CaseBuilder::new(title);
    let mut given = Vec::new();
    for (place, number) in pieces.iter().flat_map(|piece| &piece.given) {
        given.resize(given.len().max(place + 1), 0);
        given[*place] = *number as u32;
    }
    let mut source = String::new();
    for piece in &pieces {
        source += &piece.before;
    }
    let also = match given.is_empty() {
        true => "",
        false => ", global const int *in",
    };
    source += &format!("kernel void {kernel}(global long *out{also}) {{\n");
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
    case.case.source = source;
    let options: Vec<String> = pieces.into_iter().flat_map(|piece| piece.options).collect();
    case.case.build.options = options.join(" ");
    let out = case.buffer(8 * numbers.len());
    let range = Range::line(1, 1);
    match given.is_empty() {
        true => case.launch(kernel, args![out], range),
        false => {
            let given = case.object(Kind::Buffer, 4 * given.len(), Contents::Words(given));
            case.launch(kernel, args![out, given], range)
        }
    };
    let want = Want::same(Unit::Long, Contents::Longs(numbers)).in_columns(columns);
    case.look(out, rules, "numbers of a text", want);
    case.case
}
