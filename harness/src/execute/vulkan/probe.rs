//! What a device does with loops, by an experiment: some stop them after a number of turns, silently.

use super::Bench;
use crate::device::vulkan::gpu::{Gpu, Unusable};
use crate::execute::bench::{Arg, At, Foreigns, In, Words};
use std::rc::Rc;

/// Turns that a loop should have.
const TURNS: u32 = 200_000;

/// Counts the turns of a loop that no compiler can take out.
const TEXT: &str = "
__kernel void turns(__global uint *told, uint turns)
{
    uint counted = 0;
    for (uint i = 0; i < turns; ++i)
        counted += 1u + atomic_load_explicit(
            (volatile __global atomic_uint *)(told + 1), memory_order_relaxed, memory_scope_work_group);
    told[0] = counted;
}
";

/// After how many turns a loop ends that should have many more; `None` where it has them all.
///
/// # Errors
///
/// The device fails.
pub fn loop_turns(gpu: &Rc<Gpu>) -> Result<Option<u32>, Unusable> {
    let mut bench = Bench::open(gpu, 1)?;
    let module = bench
        .build(TEXT, &Foreigns::default())
        .map_err(|not| not.reason)?;
    let kernel = bench.kernel(module, "turns")?;
    let told = bench.words(2, In::Buffer)?;
    bench.write(0, &told, &[0, 0])?;
    let told = Words::Vulkan(told, In::Buffer);
    let args = [Arg::Words(&told), Arg::Uint(TURNS)];
    let launched = bench.launch(At::own(0, 0), kernel, &args, 0..1, 1);
    launched.map_err(|not_run| not_run.reason().to_owned())?;
    let Words::Vulkan(told, _) = &told else {
        return Ok(None);
    };
    let counted = bench.read(0, told, 0, 1)?.wait()?[0];
    Ok((counted < TURNS).then_some(counted))
}
