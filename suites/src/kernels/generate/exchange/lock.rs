//! A lock of an `atomic_flag` that the host and work-items take, around plain data.

use super::sides::{
    Idiom, WITH_HOST, count, differ, launch, none, objects, quit, run, talk, with_host, word,
};
use crate::choices::Choices;
use crate::host::exchange::{Change, Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range, Step, Unit, Want};
use crate::kernels::generate::builder::CaseBuilder;
use crate::rule;
use classay_vocabulary::Need;

const ROUND: Reg = Reg(0);
const TRY: Reg = Reg(1);
const TAKEN: Reg = Reg(2);
const ONE: Reg = Reg(3);
const TWO: Reg = Reg(4);
const UNUSED: Reg = Reg(5);

/// Each holder of the lock finds the two words of the data equal and counts in both; who does not get
/// it in so many tries leaves it. At the end the data has counted all holders.
pub fn lock(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("the host and work-items take a lock around plain data");
    let kind = with_host(choices, &mut case);
    let seq_cst = choices.percent(30);
    let idiom = if seq_cst {
        case.need(&[Need::OrderSeqCst]);
        Idiom::SeqCst
    } else {
        case.need(&[Need::OrderAcqRel]);
        Idiom::RelAcq
    };
    let (take, give) = if seq_cst {
        ("seq_cst", "seq_cst")
    } else {
        ("acquire", "release")
    };
    let scope = "memory_scope_all_svm_devices";
    case.case.source = format!(
        "\
kernel void hold(volatile global atomic_flag *flag, volatile global atomic_uint *here, global uint *data,
                 volatile global atomic_uint *holders, global uint *bad, uint passes) {{
    uint wrong = 0, held = 0;
    atomic_store_explicit(here, 1u, memory_order_relaxed, {scope});
    for (uint pass = 0; pass < passes; pass++) {{
        for (uint tries = 0; tries < 1000; tries++) {{
            if (atomic_flag_test_and_set_explicit(flag, memory_order_{take}, {scope})) continue;
            uint one = data[0], two = data[1];
            wrong += one != two;
            data[0] = one + 1;
            data[1] = two + 1;
            held++;
            atomic_flag_clear_explicit(flag, memory_order_{give}, {scope});
            break;
        }}
    }}
    atomic_fetch_add_explicit(holders, held, memory_order_relaxed, {scope});
    bad[get_global_id(0)] = wrong;
}}
kernel void compare(global uint *data, global uint *holders, global uint *out) {{
    out[0] = data[0]; out[1] = data[1]; out[2] = out[3] = holders[0];
}}
"
    );
    let items = choices.pick(&[1u32, 2, 4]).unwrap_or(1);
    let passes = choices.pick(&[20u32, 200, 1000]).unwrap_or(200);
    let flag = case.object(kind, 4, Contents::Zero);
    let here = case.object(kind, 4, Contents::Zero);
    let data = case.object(kind, 8, Contents::Zero);
    let holders = case.object(kind, 4, Contents::Zero);
    let _ = quit(&mut case, kind);
    let bad = case.buffer(4 * items as usize);
    let [own, tally] = [(); 2].map(|()| case.object(Kind::Host, 4, Contents::Zero));
    let mut args = objects(&[flag, here, data, holders, bad]);
    args.push(Arg::Uint(passes));
    run(
        &mut case,
        launch("hold", args, Range::line(items.into(), 1)),
    );
    let (first, second) = (word(data, Num::of(0)), word(data, Num::of(1)));
    let mut inside = vec![
        Operation::Read(ONE, first.clone()),
        Operation::Read(TWO, second.clone()),
        differ(Num::reg(ONE), Num::reg(TWO), own),
        Operation::Write(first, Num::reg(ONE).more(1)),
        Operation::Write(second, Num::reg(TWO).more(1)),
    ];
    inside.extend(count(tally, 0, 1));
    inside.push(Operation::Store(
        word(flag, Num::of(0)),
        Num::of(0),
        idiom.order(),
    ));
    inside.push(Operation::Leave);
    let acts = vec![
        Operation::Await {
            at: word(here, Num::of(0)),
            value: Num::of(1),
            order: Order::Relaxed,
            must: false,
        },
        Operation::Repeat(
            Num::of(u64::from(passes).min(300)),
            ROUND,
            vec![Operation::Repeat(
                Num::of(1000),
                TRY,
                vec![
                    Operation::Change {
                        how: Change::Exchange,
                        at: word(flag, Num::of(0)),
                        by: Num::of(1),
                        order: idiom.order(),
                        before: TAKEN,
                    },
                    Operation::When(Num::reg(TAKEN), Is::Equal, Num::of(0), inside),
                ],
            )],
        ),
        Operation::Read(ONE, word(tally, Num::of(0))),
        Operation::Change {
            how: Change::Add,
            at: word(holders, Num::of(0)),
            by: Num::reg(ONE),
            order: Order::Relaxed,
            before: UNUSED,
        },
    ];
    talk(&mut case, acts, &WITH_HOST);
    case.step(Step::Finish);
    let out = case.buffer(16);
    let args = objects(&[data, holders, out]);
    run(&mut case, launch("compare", args, Range::line(1, 1)));
    let mut rules = vec![rule::SV_FINE_ATOMICS_TYPES];
    rules.extend(WITH_HOST);
    case.look(
        out,
        &rules,
        "the data and how many held the lock",
        Want::Halves { unit: Unit::Word },
    );
    case.look(bad, &rules, "holders beside another, of the kernel", none());
    case.look(own, &rules, "holders beside another, of the host", none());
    case.case
}
