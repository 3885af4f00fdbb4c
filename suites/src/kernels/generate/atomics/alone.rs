//! Atomic stores and loads, and the first values of atomic objects.

use super::form::Type;
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, INT64, args, cl};
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
    case.case.source = cl!("halves.cl", int64 = INT64, t, half, store, load);
    let local = choices.one_of(&[1u64, 2, 16]);
    let items = local * choices.between(2, 8) as u64;
    let cell = case.buffer(ty.unit().bytes());
    let torn = case.buffer(4 * items as usize);
    let args = args![cell, torn, choices.one_of(&[20u32, 300])];
    case.launch("halves", args, Range::line(items, local));
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
        include_str!("../cl/init_local.cl")
    } else {
        include_str!("../cl/init_global.cl")
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
