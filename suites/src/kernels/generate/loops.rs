//! Loops as long as kernels have them: every work-item takes each of its turns, and then goes on.
//!
//! Implementations that guard against kernels without an end, or that run work-items in lanes of a
//! vector, have been seen to leave a loop after 2^16 turns.

use super::builder::{CaseBuilder, object, same};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Launch, Range, Step, Unit};
use crate::rule;

/// Each counts the turns of a work-item in `sums[me]`, which it reads and writes in each turn, so that
/// none is left out; `turns` is how many, and `marks[me]` counts what comes after the loop.
const SOURCE: &str = "\
kernel void simple(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    for (uint i = 0; i < mine; ++i) sums[me] += 1u;
    marks[me] += 1u;
}
kernel void nested(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    uint done = 0;
    for (uint outer = 0; done < mine; ++outer)
        for (uint inner = 0; inner <= outer && done < mine; ++inner, ++done) sums[me] += 1u;
    marks[me] += 1u;
}
kernel void leaving(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    uint i = 0;
    while (true) {
        if (i++ == mine) break;
        if (i % 3u == 0u) { sums[me] += 1u; continue; }
        sums[me] += 1u;
    }
    marks[me] += 1u;
}
kernel void meeting(volatile global uint *sums, volatile global uint *marks, uint turns, uint more) {
    const size_t me = get_global_id(0);
    const uint mine = turns + more * (uint)me;
    uint i = 0;
    if (mine) do sums[me] += 1u; while (++i < mine);
    barrier(CLK_GLOBAL_MEM_FENCE);
    marks[me] += 1u;
}
";

/// How often a work-item turns: few times, about 2^16, and beyond it.
const TURNS: [u32; 8] = [1, 100, 32_768, 65_535, 65_536, 65_537, 70_001, 131_073];

/// A case.
pub fn loops(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("each work-item takes every turn of a loop, and goes on");
    let turns = choices.pick(&TURNS).unwrap_or(65_537);
    let more = choices.pick(&[0u32, 0, 1, 17]).unwrap_or(0);
    let group = choices.pick(&[1u32, 1, 2, 4]).unwrap_or(1);
    let groups = choices.between(1, 2) as u32;
    let kernel = choices
        .pick(&["simple", "nested", "leaving", "meeting"])
        .unwrap_or("simple");
    case.case.source = SOURCE.into();
    let items = group * groups;
    let (sums, marks) = (
        case.buffer(4 * items as usize),
        case.buffer(4 * items as usize),
    );
    case.step(Step::Launch(Launch {
        kernel: kernel.into(),
        args: vec![
            object(sums),
            object(marks),
            Arg::Uint(turns),
            Arg::Uint(more),
        ],
        range: Range::line(u64::from(items), u64::from(group)),
        times: 1,
        ..Launch::default()
    }));
    let each = (0..items).map(|me| turns + more * me).collect();
    for (buffer, name, words) in [
        (sums, "turns of each work-item", Contents::Words(each)),
        (marks, "work-items that went on", Contents::Every(1)),
    ] {
        case.look(
            buffer,
            &[rule::KI_COMPLETION],
            name,
            same(Unit::Word, words),
        );
    }
    case.case
}
