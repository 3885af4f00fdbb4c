//! Programs about how C is written: constants and sizes, declarations with their initializers and scopes, statements.
//! The host knows each number that they leave.
//!
//! Expressions of every kind, with operands of every type, are what `kernels/computed` is about; here each form of the
//! grammar comes once. What OpenCL C lacks (bit-fields, recursion, pointers to functions, storage classes `auto` and
//! `register`), what it leaves to the implementation (irreducible control flow) and what only some devices have
//! (double) is not written.

mod blocks;
mod constants;
mod declared;
mod limits;
mod objects;
mod statements;

use super::pieces::{self, Draw};
use crate::choices::Choices;
use crate::kernels::case::KernelCase;
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Some pieces at most: compilers build them within a second.
const PIECES: usize = 12;

/// What programs are about, what the pieces of each are, and its rule.
const SUBJECTS: [(&str, &[Draw], RuleId); 3] = [
    (
        "constants have the value and the type that their text says, and sizeof says of each how large it is",
        &[
            constants::integers,
            constants::characters,
            constants::enumerators,
            constants::floats,
            constants::fractions,
            constants::sizes,
            constants::strings,
            constants::sizes_of_expressions,
            constants::constant_expressions,
            limits::integer_limits,
            limits::truths,
            limits::real_limits,
            limits::precisions,
            limits::predefined,
            limits::contracted,
            limits::mixed,
        ],
        rule::C_CONSTANTS,
    ),
    (
        "an object has the value that its initializer gives to it, as long as its scope lasts",
        &[
            declared::designated,
            declared::scopes,
            declared::nested,
            objects::rows,
            declared::literals,
            objects::pointers,
            declared::tables,
            objects::unions,
            declared::typedefs,
            objects::structures,
            declared::rest,
            objects::parameters,
            objects::differences,
            objects::members,
            objects::alignments,
            limits::truth_objects,
        ],
        rule::C_OBJECTS,
    ),
    (
        "each statement hands over to the one that C says",
        &[
            statements::labels,
            statements::default_between,
            statements::turns,
            statements::dense,
            statements::inside_a_loop,
            statements::once,
            statements::kernel_called,
            statements::parameters,
            statements::out_of_loops,
            statements::deep,
            statements::converted,
            limits::hints,
        ],
        rule::C_STATEMENTS,
    ),
];

/// A program of several pieces about one subject.
pub fn language(choices: &mut Choices) -> KernelCase {
    let (about, draws, rule) = choices.one_of(&SUBJECTS);
    let pieces = pieces::drawn(choices, draws, PIECES);
    pieces::program(about, "language", pieces, &[rule])
}

/// A program about blocks that kernels call, and ask about.
pub fn blocks(choices: &mut Choices) -> KernelCase {
    let draws: [Draw; 3] = [blocks::held, blocks::nested, blocks::asked];
    let pieces = pieces::drawn(choices, &draws, 6);
    let about = "a block is a function with the values that it holds";
    let mut case = pieces::program(about, "blocks", pieces, &[rule::C_STATEMENTS]);
    case.needs.insert(Need::DeviceEnqueue);
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_leaves_numbers() {
        for (_, draws, _) in SUBJECTS {
            for seed in 0..100 {
                let mut choices = Choices::new(seed);
                for (n, draw) in draws.iter().enumerate() {
                    let piece = draw(&mut choices, n + 100);
                    assert!(!piece.results.is_empty(), "{piece:?}");
                }
            }
        }
    }
}
