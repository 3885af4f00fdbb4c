//! A stack of nodes that the host and work-items push onto with compare-exchanges, and that one or both
//! of them empty at a stroke and walk, while the other goes on.

use super::sides::{cell, differ, launch, none, objects, quit, run, talk, with_host, word};
use crate::choices::Choices;
use crate::host::exchange::{Base, Cell, Change, Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Arg, Contents, KernelCase, Range, Step, Unit, Want};
use crate::kernels::generate::builder::CaseBuilder;
use crate::rule;
use classay_vocabulary::Need;

/// Bytes of a node: the next one's address, a number, and what follows from it.
const NODE: usize = 24;

const ROUND: Reg = Reg(0);
const OLD: Reg = Reg(1);
const OWN: Reg = Reg(2);
const DONE: Reg = Reg(3);
const TRY: Reg = Reg(4);
const NUMBER: Reg = Reg(5);
const SUM: Reg = Reg(6);
const MARKS: Reg = Reg(7);

/// Who empties the stack while it grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taker {
    Host,
    Kernel,
    Both,
}

/// Every node is found once, with its contents.
pub fn stack(choices: &mut Choices) -> KernelCase {
    let taker = choices
        .pick(&[Taker::Host, Taker::Kernel, Taker::Both])
        .unwrap_or(Taker::Host);
    let mut case = CaseBuilder::new(format!(
        "the host and work-items push nodes with pointers onto a stack ({taker:?} empties it)"
    ));
    let kind = with_host(choices, &mut case);
    case.need(&[Need::OrderAcqRel, Need::Int64Atomics, Need::Bits64]);
    let items = choices.pick(&[1u32, 3, 8]).unwrap_or(3);
    let each = choices.pick(&[2u32, 16, 64]).unwrap_or(16);
    let hosts = choices.pick(&[0u32, 8, 40]).unwrap_or(8);
    let kernels = items * each;
    let total = kernels + hosts;
    let kernel_takes = u32::from(taker != Taker::Host);
    case.case.source = format!(
        "\
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#define ALL memory_scope_all_svm_devices
typedef struct {{ ulong next; uint number; uint sum; uint more; uint mark; }} node;
uint walk(ulong from, global uint *marks, uint most) {{
    uint bad = 0;
    for (uint n = 0; from && n < most; n++) {{
        global node *at = (global node *)from;
        uint number = at->number;
        if (number >= most || at->sum != number * 77u + 5u || at->more != number * 13u + 1u) return bad + 1;
        marks[number] += 1;
        from = at->next;
    }}
    return bad + (from != 0);
}}
kernel void push(volatile global atomic_ulong *head, volatile global atomic_uint *here, volatile global atomic_uint *quit,
                 global node *pool, global uint *marks, global uint *bad, uint each, uint most) {{
    uint item = get_global_id(0), wrong = 0;
    atomic_store_explicit(here, 1u, memory_order_relaxed, ALL);
    for (uint n = 0; n < each; n++) {{
        uint number = item * each + n;
        global node *own = pool + number;
        own->number = number; own->sum = number * 77u + 5u; own->more = number * 13u + 1u;
        ulong old = atomic_load_explicit(head, memory_order_relaxed, ALL);
        uint tries = 0;
        do {{
            own->next = old;
            if (++tries > 1000000u) {{ atomic_store_explicit(quit, 1u, memory_order_relaxed, ALL); return; }}
        }} while (!atomic_compare_exchange_weak_explicit(head, &old, (ulong)own, memory_order_release, memory_order_relaxed, ALL));
        if ({kernel_takes} && n % 4 == 3)
            wrong += walk(atomic_exchange_explicit(head, 0ul, memory_order_acquire, ALL), marks, most);
    }}
    bad[item] = wrong;
}}
kernel void rest(volatile global atomic_ulong *head, global uint *marks, global uint *bad, uint most) {{
    bad[0] = walk(atomic_exchange_explicit(head, 0ul, memory_order_acquire, ALL), marks, most);
}}
"
    );
    let head = case.object(kind, 8, Contents::Zero);
    let here = case.object(kind, 4, Contents::Zero);
    let quit = quit(&mut case, kind);
    let pool = case.object(kind, NODE * total as usize, Contents::Zero);
    let marks = case.object(kind, 4 * total as usize, Contents::Zero);
    let bad = case.buffer(4 * items as usize);
    let left = case.buffer(4);
    let own = case.object(super::super::super::case::Kind::Host, 4, Contents::Zero);
    let mut args = objects(&[head, here, quit, pool, marks, bad]);
    args.extend([Arg::Uint(each), Arg::Uint(total)]);
    let mut first = launch("push", args, Range::line(items.into(), 1));
    first.reaches = vec![pool];
    run(&mut case, first);
    let node = |field: u64, unit: Unit| Cell {
        base: Base::Pointer(OLD, field),
        unit,
    };
    let top = cell(head, Unit::Long, Num::of(0));
    let field = |n: u64, unit: Unit| Cell {
        base: Base::Pointer(OWN, n),
        unit,
    };
    let number =
        |times: u64, plus: u64| Num::of(u64::from(kernels) * times + plus).and(ROUND, times);
    let push = vec![
        // A node has three longs.
        Operation::Address(OWN, cell(pool, Unit::Long, number(3, 0))),
        Operation::Write(field(8, Unit::Word), number(1, 0)),
        Operation::Write(field(12, Unit::Word), number(77, 5)),
        Operation::Write(field(16, Unit::Word), number(13, 1)),
        Operation::Load(OLD, top.clone(), Order::Relaxed),
        Operation::Repeat(
            Num::of(1_000_000),
            TRY,
            vec![
                Operation::Write(field(0, Unit::Long), Num::reg(OLD)),
                Operation::Swap {
                    at: top.clone(),
                    expected: OLD,
                    new: Num::reg(OWN),
                    order: Order::AcqRel,
                    weak: choices.percent(50),
                    done: DONE,
                },
                Operation::When(
                    Num::reg(DONE),
                    Is::Equal,
                    Num::of(1),
                    vec![Operation::Leave],
                ),
            ],
        ),
    ];
    let mark = word(marks, Num::reg(NUMBER));
    let take = vec![
        Operation::Change {
            how: Change::Exchange,
            at: top,
            by: Num::of(0),
            order: Order::AcqRel,
            before: OLD,
        },
        Operation::Repeat(
            Num::of(u64::from(total) + 1),
            TRY,
            vec![
                Operation::When(Num::reg(OLD), Is::Equal, Num::of(0), vec![Operation::Leave]),
                Operation::Read(NUMBER, node(8, Unit::Word)),
                Operation::Read(SUM, node(12, Unit::Word)),
                differ(Num::reg(SUM), Num::of(5).and(NUMBER, 77), own),
                Operation::Read(SUM, node(16, Unit::Word)),
                differ(Num::reg(SUM), Num::of(1).and(NUMBER, 13), own),
                Operation::Read(MARKS, mark.clone()),
                Operation::Write(mark, Num::reg(MARKS).more(1)),
                Operation::Read(OLD, node(0, Unit::Long)),
            ],
        ),
    ];
    let mut round = vec![Operation::When(
        Num::reg(ROUND),
        Is::Below,
        Num::of(hosts.into()),
        push,
    )];
    if taker != Taker::Kernel {
        round.extend(take);
    }
    let mut rules = vec![rule::SV_FINE_ATOMICS, rule::SV_ADDRESS];
    rules.push(rule::MM_HOST);
    rules.push(rule::SV_EXEC_INFO);
    let acts = vec![
        Operation::Await {
            at: word(here, Num::of(0)),
            value: Num::of(1),
            order: Order::Relaxed,
            must: false,
        },
        Operation::Repeat(Num::of(u64::from(hosts.max(60))), ROUND, round),
    ];
    talk(&mut case, acts, &rules);
    case.step(Step::Finish);
    let mut args = objects(&[head, marks, left]);
    args.push(Arg::Uint(total));
    let mut last = launch("rest", args, Range::line(1, 1));
    last.reaches = vec![pool];
    run(&mut case, last);
    case.look(bad, &rules, "nodes that the kernel found damaged", none());
    case.look(own, &rules, "nodes that the host found damaged", none());
    case.look(left, &rules, "nodes that were left and damaged", none());
    let want = Want::Same {
        unit: Unit::Word,
        contents: Contents::Every(1),
        racy: true,
    };
    case.look(marks, &rules, "how often each node was found", want);
    case.case
}
