//! A lock of an `atomic_flag` that the host and work-items take, around plain data.

use super::sides::{
    Idiom, WITH_HOST, count, differ, meet, quit, repeat, talk, when, with_host, word,
};
use crate::choices::Choices;
use crate::host::exchange::{Change, Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Step, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
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
    case.case.source = cl!("lock.cl", scope, take, give);
    let items = choices.one_of(&[1u32, 2, 4]);
    let passes = choices.one_of(&[20u32, 200, 1000]);
    let flag = case.object(kind, 4, Contents::Zero);
    let here = case.object(kind, 4, Contents::Zero);
    let data = case.object(kind, 8, Contents::Zero);
    let holders = case.object(kind, 4, Contents::Zero);
    let _ = quit(&mut case, kind);
    let bad = case.buffer(4 * items as usize);
    let [own, tally] = [(); 2].map(|()| case.object(Kind::Host, 4, Contents::Zero));
    let args = args![flag, here, data, holders, bad, passes];
    case.launch("hold", args, Range::line(items.into(), 1));
    let (first, second) = (word(data, 0u64), word(data, Num::of(1)));
    let mut inside = vec![
        Operation::Read(ONE, first.clone()),
        Operation::Read(TWO, second.clone()),
        differ(ONE, TWO, own),
        Operation::Write(first, Num::reg(ONE).more(1)),
        Operation::Write(second, Num::reg(TWO).more(1)),
    ];
    inside.extend(count(tally, 0, 1));
    inside.push(Operation::Store(
        word(flag, 0u64),
        Num::of(0),
        idiom.order(),
    ));
    inside.push(Operation::Leave);
    let acts = vec![
        meet(here),
        repeat(
            u64::from(passes).min(300),
            ROUND,
            vec![repeat(
                1000u64,
                TRY,
                vec![
                    Operation::Change {
                        how: Change::Exchange,
                        at: word(flag, 0u64),
                        by: Num::of(1),
                        order: idiom.order(),
                        before: TAKEN,
                    },
                    when(TAKEN, Is::Equal, 0u64, inside),
                ],
            )],
        ),
        Operation::Read(ONE, word(tally, 0u64)),
        Operation::Change {
            how: Change::Add,
            at: word(holders, 0u64),
            by: Num::reg(ONE),
            order: Order::Relaxed,
            before: UNUSED,
        },
    ];
    talk(&mut case, acts, &WITH_HOST);
    case.step(Step::Finish);
    let out = case.buffer(16);
    let args = args![data, holders, out];
    case.launch("compare", args, Range::line(1, 1));
    let mut rules = vec![rule::SV_FINE_ATOMICS_TYPES];
    rules.extend(WITH_HOST);
    let want = Want::Halves { unit: Unit::Word };
    case.look(out, &rules, "the data and how many held the lock", want);
    let want = Want::zeros().racy();
    case.look(bad, &rules, "holders beside another, of the kernel", want);
    let want = Want::zeros().racy();
    case.look(own, &rules, "holders beside another, of the host", want);
    case.case
}
