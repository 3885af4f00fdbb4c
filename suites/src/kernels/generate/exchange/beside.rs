//! Bytes beside each other, written by the host and by work-items while both run.

use super::sides::{cell, count, meet, repeat, talk, when};
use crate::choices::Choices;
use crate::host::exchange::{Is, Num, Operation, Reg};
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
use crate::rule;
use classay_vocabulary::Need;

const PASS: Reg = Reg(0);
const BYTE: Reg = Reg(1);
const SEEN: Reg = Reg(2);
const LOW: Reg = Reg(3);

/// Every `every`-th byte is the host's, the others are a work-item's each. All write theirs again and
/// again, and find in them what they wrote last.
pub fn bytes(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("the host and work-items write bytes beside each other");
    let kind = choices.one_of(&[Kind::SvmFine, Kind::SvmAtomics, Kind::Host]);
    case.need_memory(kind);
    // With atomics the host can wait until the kernel runs.
    let meets = kind == Kind::SvmAtomics && choices.percent(80);
    let tell = if meets {
        case.need(&[Need::C20, Need::C11Atomics, Need::ScopeAllDevices]);
        "atomic_store_explicit((volatile global atomic_uint *)here, 1u, memory_order_relaxed, memory_scope_all_svm_devices);"
    } else {
        ""
    };
    let count_bytes = choices.one_of(&[8usize, 32, 64]);
    let every = choices.between(2, 5);
    let passes = choices.one_of(&[10u32, 300, 2000]);
    case.case.source = cl!("bytes.cl", tell);
    let shared = case.object(kind, count_bytes, Contents::Zero);
    let here = case.object(kind, 4, Contents::Zero);
    let bad = case.buffer(4 * count_bytes);
    let own = case.object(Kind::Host, 4, Contents::Zero);
    let args = args![shared, here, bad, every as u32, passes];
    let group = choices.one_of(&[1, 4, 8]);
    case.launch("put", args, Range::line(count_bytes as u64, group));
    let at = cell(shared, Unit::Byte, Num::of(0).and(BYTE, every as u64));
    let mine = count_bytes.div_ceil(every) as u64;
    // What the host writes in a pass: below 256, for the number of a pass is its remainder.
    let laps = (passes / 100).clamp(2, 10);
    let value = |pass: Num| pass.more(100);
    let mut acts = Vec::new();
    if meets {
        acts.push(meet(here));
    }
    let each = |acts: Vec<Operation>| repeat(mine, BYTE, acts);
    acts.push(each(vec![Operation::Write(at.clone(), value(Num::of(99)))]));
    acts.push(Operation::Put(LOW, value(Num::of(99))));
    acts.push(repeat(
        laps,
        SEEN,
        vec![repeat(
            100u64,
            PASS,
            vec![
                each(vec![
                    Operation::Read(Reg(4), at.clone()),
                    when(Num::reg(Reg(4)), Is::Unequal, LOW, count(own, 0, 1)),
                    Operation::Write(at.clone(), value(Num::reg(PASS))),
                ]),
                Operation::Put(LOW, value(Num::reg(PASS))),
            ],
        )],
    ));
    talk(&mut case, acts, &[rule::SV_FINE_BYTES]);
    let rules = [rule::SV_FINE_BYTES];
    let want = Want::zeros().racy();
    case.look(bad, &rules, "bytes that changed, of work-items", want);
    let want = Want::zeros().racy();
    case.look(own, &rules, "bytes that changed, of the host", want);
    let wanted = (0..count_bytes).map(|i| {
        if i % every == 0 {
            199
        } else {
            (i as u32 * 3 + passes) as u8
        }
    });
    let name = "bytes that the host and work-items wrote";
    case.look(shared, &rules, name, Want::bytes(wanted.collect()));
    case.case
}
