//! Atomic stores and loads, and the first values of atomic objects.

use super::form::Type;
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, INT64, args};
use crate::rule;
use classay_vocabulary::Need;

/// Stores of values whose parts agree, and loads that must find such values.
pub fn store(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("atomic stores and loads are of whole values");
    let ty = choices.one_of(&[Type::Uint, Type::Ulong, Type::Ulong]);
    let explicit = choices.percent(60);
    case.need(&[Need::C11Atomics, Need::ScopeDevice]);
    case.need_if(!explicit, &[Need::OrderSeqCst]);
    case.need_if(ty.long(), &[Need::Int64Atomics]);
    let (t, half) = if ty.long() {
        ("ulong", 32)
    } else {
        ("uint", 16)
    };
    let (store, load) = if explicit {
        (
            "atomic_store_explicit(p, v, memory_order_relaxed, memory_scope_device)",
            "atomic_load_explicit(p, memory_order_relaxed, memory_scope_device)",
        )
    } else {
        ("atomic_store(p, v)", "atomic_load(p)")
    };
    case.case.source = format!(
        "\
{INT64}\
kernel void halves(volatile global atomic_{t} *p, global uint *torn, uint passes) {{
    uint item = get_global_id(0), bad = 0;
    for (uint pass = 0; pass < passes; pass++) {{
        {t} one = ({t})(item * 131u + pass & 0x7fffu) + 1;
        {t} v = one << {half} | one;
        {store};
        {t} seen = {load};
        bad += (seen >> {half}) != (seen & ((({t})1 << {half}) - 1));
    }}
    torn[item] = bad;
}}
"
    );
    let local = choices.one_of(&[1u64, 2, 16]);
    let items = local * choices.between(2, 8) as u64;
    let cell = case.buffer(ty.unit().bytes());
    let torn = case.buffer(4 * items as usize);
    case.launch(
        "halves",
        args![cell, torn, choices.one_of(&[20u32, 300])],
        Range::line(items, local),
    );
    let want = Want::zeros().racy();
    case.look(torn, &[rule::MM_ATOMICITY], "values in two parts", want);
    case.case
}

/// Objects that atomic_init gives their first values, over memory that has others.
pub fn init(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("atomic_init gives an atomic object its value");
    case.need(&[Need::C11Atomics]);
    let local = choices.percent(50);
    case.case.source = if local {
        "\
kernel void begin(global uint *to, uint value) {
    local atomic_uint here[16];
    uint item = get_local_id(0);
    if (item == 0)
        for (uint n = 0; n < 16; n++) ((local uint *)here)[n] = 7u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_init(&here[item], value + (uint)get_global_id(0));
    to[get_global_id(0)] =
        atomic_load_explicit(&here[item], memory_order_relaxed, memory_scope_work_group);
}
"
    } else {
        "\
kernel void begin(global uint *to, uint value) {
    size_t item = get_global_id(0);
    atomic_init((global atomic_uint *)&to[item], value + (uint)item);
}
"
    }
    .into();
    let group = choices.one_of(&[1u64, 4, 16]);
    let items = group * choices.between(1, 6) as u64;
    let value = choices.between(1, 1 << 30) as u32;
    let bytes = 4 * items as usize;
    let to = case.object(Kind::Buffer, bytes, Contents::Every(3));
    case.launch("begin", args![to, value], Range::line(items, group));
    let want = Want::same(Unit::Word, Contents::Count(value));
    case.look(to, &[rule::MM_INIT], "values of atomic_init", want);
    case.case
}
