//! Loops as long as kernels have them: every work-item takes each of its turns, and then goes on.
//!
//! Implementations that guard against kernels without an end, or that run work-items in lanes of a
//! vector, have been seen to leave a loop after 2^16 turns.

use super::builder::{CaseBuilder, args};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Range, Unit, Want};
use crate::rule;

/// Each counts the turns of a work-item in `sums[me]`, which it reads and writes in each turn, so that
/// none is left out; `turns` is how many, and `marks[me]` counts what comes after the loop.
const SOURCE: &str = include_str!("cl/loops.cl");

/// How often a work-item turns: few times, about 2^16, and beyond it.
const TURNS: [u32; 8] = [1, 100, 32_768, 65_535, 65_536, 65_537, 70_001, 131_073];

/// A case.
pub fn loops(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("each work-item takes every turn of a loop, and goes on");
    let turns = choices.one_of(&TURNS);
    let more = choices.one_of(&[0u32, 0, 1, 17]);
    let group = choices.one_of(&[1u32, 1, 2, 4]);
    let groups = choices.between(1, 2) as u32;
    let kernel = choices.one_of(&["simple", "nested", "leaving", "meeting"]);
    case.case.source = SOURCE.into();
    let items = group * groups;
    let (sums, marks) = (
        case.buffer(4 * items as usize),
        case.buffer(4 * items as usize),
    );
    let range = Range::line(u64::from(items), u64::from(group));
    case.launch(kernel, args![sums, marks, turns, more], range);
    let each = (0..items).map(|me| turns + more * me).collect();
    for (buffer, name, words) in [
        (sums, "turns of each work-item", Contents::Words(each)),
        (marks, "work-items that went on", Contents::Every(1)),
    ] {
        let want = Want::same(Unit::Word, words);
        case.look(buffer, &[rule::KI_COMPLETION], name, want);
    }
    case.case
}
