//! A stack of nodes that the host and work-items push onto with compare-exchanges, and that one or both
//! of them empty at a stroke and walk, while the other goes on.

use super::sides::{cell, differ, leave_when, meet, quit, repeat, talk, when, with_host, word};
use crate::choices::Choices;
use crate::host::exchange::{Base, Cell, Change, Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Contents, KernelCase, Kind, Launch, ObjectId, Range, Step, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
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
    let taker = choices.one_of(&[Taker::Host, Taker::Kernel, Taker::Both]);
    let mut case = CaseBuilder::new(format!(
        "the host and work-items push nodes with pointers onto a stack ({taker:?} empties it)"
    ));
    let kind = with_host(choices, &mut case);
    case.need(&[Need::OrderAcqRel, Need::Int64Atomics, Need::Bits64]);
    let items = choices.one_of(&[1u32, 3, 8]);
    let each = choices.one_of(&[2u32, 16, 64]);
    let hosts = choices.one_of(&[0u32, 8, 40]);
    let kernels = items * each;
    let total = kernels + hosts;
    let kernel_takes = u32::from(taker != Taker::Host);
    case.case.source = cl!("stack.cl", kernel_takes);
    let head = case.object(kind, 8, Contents::Zero);
    let here = case.object(kind, 4, Contents::Zero);
    let quit = quit(&mut case, kind);
    let pool = case.object(kind, NODE * total as usize, Contents::Zero);
    let marks = case.object(kind, 4 * total as usize, Contents::Zero);
    let bad = case.buffer(4 * items as usize);
    let left = case.buffer(4);
    let own = case.object(Kind::Host, 4, Contents::Zero);
    let args = args![head, here, quit, pool, marks, bad, each, total];
    let mut first = Launch::new("push", args, Range::line(items.into(), 1));
    first.reaches = vec![pool];
    case.run(first);
    let top = cell(head, Unit::Long, 0u64);
    let push = push(&top, pool, kernels, choices.percent(50));
    let mut round = vec![when(ROUND, Is::Below, hosts, push)];
    if taker != Taker::Kernel {
        round.extend(take(top, marks, own, total));
    }
    let mut rules = vec![rule::SV_FINE_ATOMICS, rule::SV_ADDRESS];
    rules.extend([rule::MM_HOST, rule::SV_EXEC_INFO]);
    let acts = vec![meet(here), repeat(u64::from(hosts.max(60)), ROUND, round)];
    talk(&mut case, acts, &rules);
    case.step(Step::Finish);
    let args = args![head, marks, left, total];
    let mut last = Launch::new("rest", args, Range::line(1, 1));
    last.reaches = vec![pool];
    case.run(last);
    let want = Want::zeros().racy();
    case.look(bad, &rules, "nodes that the kernel found damaged", want);
    let want = Want::zeros().racy();
    case.look(own, &rules, "nodes that the host found damaged", want);
    let want = Want::zeros().racy();
    case.look(left, &rules, "nodes that were left and damaged", want);
    let want = Want::same(Unit::Word, Contents::Every(1)).racy();
    case.look(marks, &rules, "how often each node was found", want);
    case.case
}

/// A field of the node that a register points to.
fn field(node: Reg, byte: u64, unit: Unit) -> Cell {
    Cell {
        base: Base::Pointer(node, byte),
        unit,
    }
}

/// The host pushes a node of its own, behind those of the kernel.
fn push(top: &Cell, pool: ObjectId, kernels: u32, weak: bool) -> Vec<Operation> {
    let number =
        |times: u64, plus: u64| Num::of(u64::from(kernels) * times + plus).and(ROUND, times);
    let swap = Operation::Swap {
        at: top.clone(),
        expected: OLD,
        new: Num::reg(OWN),
        order: Order::AcqRel,
        weak,
        done: DONE,
    };
    let next = Operation::Write(field(OWN, 0, Unit::Long), Num::reg(OLD));
    vec![
        // A node has three longs.
        Operation::Address(OWN, cell(pool, Unit::Long, number(3, 0))),
        Operation::Write(field(OWN, 8, Unit::Word), number(1, 0)),
        Operation::Write(field(OWN, 12, Unit::Word), number(77, 5)),
        Operation::Write(field(OWN, 16, Unit::Word), number(13, 1)),
        Operation::Load(OLD, top.clone(), Order::Relaxed),
        repeat(1_000_000u64, TRY, vec![next, swap, leave_when(DONE, 1)]),
    ]
}

/// The host takes all that is there, and marks each node.
fn take(top: Cell, marks: ObjectId, own: ObjectId, total: u32) -> Vec<Operation> {
    let mark = word(marks, Num::reg(NUMBER));
    let all = Operation::Change {
        how: Change::Exchange,
        at: top,
        by: Num::of(0),
        order: Order::AcqRel,
        before: OLD,
    };
    let one = vec![
        leave_when(OLD, 0),
        Operation::Read(NUMBER, field(OLD, 8, Unit::Word)),
        Operation::Read(SUM, field(OLD, 12, Unit::Word)),
        differ(SUM, Num::of(5).and(NUMBER, 77), own),
        Operation::Read(SUM, field(OLD, 16, Unit::Word)),
        differ(SUM, Num::of(1).and(NUMBER, 13), own),
        Operation::Read(MARKS, mark.clone()),
        Operation::Write(mark, Num::reg(MARKS).more(1)),
        Operation::Read(OLD, field(OLD, 0, Unit::Long)),
    ];
    vec![all, repeat(u64::from(total) + 1, TRY, one)]
}
