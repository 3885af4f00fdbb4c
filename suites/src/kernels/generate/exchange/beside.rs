//! Bytes beside each other, written by the host and by work-items while both run.

use super::sides::{cell, count, launch, none, objects, run, talk, word};
use crate::choices::Choices;
use crate::host::exchange::{Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range, Unit};
use crate::kernels::generate::builder::{CaseBuilder, same};
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
    let (kind, needs) = choices
        .pick(&[
            (Kind::SvmFine, &[Need::SvmFine][..]),
            (Kind::SvmAtomics, &[Need::SvmFine, Need::SvmAtomics]),
            (Kind::Host, &[Need::SvmSystem]),
        ])
        .unwrap_or((Kind::SvmFine, &[Need::SvmFine]));
    case.need(needs);
    // With atomics the host can wait until the kernel runs.
    let meets = kind == Kind::SvmAtomics && choices.percent(80);
    let tell = if meets {
        case.need(&[Need::C20, Need::C11Atomics, Need::ScopeAllDevices]);
        "atomic_store_explicit((volatile global atomic_uint *)here, 1u, memory_order_relaxed, memory_scope_all_svm_devices);"
    } else {
        ""
    };
    let count_bytes = choices.pick(&[8usize, 32, 64]).unwrap_or(32);
    let every = choices.between(2, 5);
    let passes = choices.pick(&[10u32, 300, 2000]).unwrap_or(300);
    case.case.source = format!(
        "\
kernel void put(global uchar *bytes, global uint *here, global uint *bad, uint every, uint passes) {{
    uint i = get_global_id(0), wrong = 0;
    bad[i] = 0;
    if (i % every == 0) return;
    {tell}
    volatile global uchar *own = bytes + i;
    uchar last = *own;
    for (uint pass = 0; pass < passes; pass++) {{
        wrong += *own != last;
        *own = last = (uchar)(i * 3 + pass + 1);
    }}
    bad[i] = wrong;
}}
"
    );
    let shared = case.object(kind, count_bytes, Contents::Zero);
    let here = case.object(kind, 4, Contents::Zero);
    let bad = case.buffer(4 * count_bytes);
    let own = case.object(Kind::Host, 4, Contents::Zero);
    let mut args = objects(&[shared, here, bad]);
    args.extend([Arg::Uint(every as u32), Arg::Uint(passes)]);
    let group = choices.pick(&[1, 4, 8]).unwrap_or(1);
    run(
        &mut case,
        launch("put", args, Range::line(count_bytes as u64, group)),
    );
    let at = cell(shared, Unit::Byte, Num::of(0).and(BYTE, every as u64));
    let mine = count_bytes.div_ceil(every) as u64;
    // What the host writes in a pass: below 256, for the number of a pass is its remainder.
    let laps = (passes / 100).clamp(2, 10);
    let value = |pass: Num| pass.more(100);
    let mut acts = Vec::new();
    if meets {
        acts.push(Operation::Await {
            at: word(here, Num::of(0)),
            value: Num::of(1),
            order: Order::Relaxed,
            must: false,
        });
    }
    let each = |acts: Vec<Operation>| Operation::Repeat(Num::of(mine), BYTE, acts);
    acts.push(each(vec![Operation::Write(at.clone(), value(Num::of(99)))]));
    acts.push(Operation::Put(LOW, value(Num::of(99))));
    acts.push(Operation::Repeat(
        Num::of(laps.into()),
        SEEN,
        vec![Operation::Repeat(
            Num::of(100),
            PASS,
            vec![
                each(vec![
                    Operation::Read(Reg(4), at.clone()),
                    Operation::When(
                        Num::reg(Reg(4)),
                        Is::Unequal,
                        Num::reg(LOW),
                        count(own, 0, 1),
                    ),
                    Operation::Write(at.clone(), value(Num::reg(PASS))),
                ]),
                Operation::Put(LOW, value(Num::reg(PASS))),
            ],
        )],
    ));
    talk(&mut case, acts, &[rule::SV_FINE_BYTES]);
    let rules = [rule::SV_FINE_BYTES];
    case.look(bad, &rules, "bytes that changed, of work-items", none());
    case.look(own, &rules, "bytes that changed, of the host", none());
    let wanted = (0..count_bytes).map(|i| {
        if i % every == 0 {
            199
        } else {
            (i as u32 * 3 + passes) as u8
        }
    });
    case.look(
        shared,
        &rules,
        "bytes that the host and work-items wrote",
        same(Unit::Byte, Contents::Bytes(wanted.collect())),
    );
    case.case
}
