//! Loops that do not end: each way in which that is found out, and loops that do end.

use crate::support::*;
use std::sync::Arc;
use std::time::Duration;
use touchstone_exec::{Arg, Launch, LaunchError, LaunchStats, TrapKind};
use touchstone_ir::{
    Cmp, Const, FunctionBuilder, IntOp, MemScope, Module, NumKind, Operand, Order, Query, Regions,
    RmwOp, Type,
};

const MOMENT: Duration = Duration::from_millis(1);

fn run(m: Module, words: &Words, items: u64, limit: bool) -> Result<LaunchStats, LaunchError> {
    let exe = prepare(m);
    let mut launch = Launch::linear(
        exe.kernel("k").expect("kernel k").id,
        vec![Arg::Pointer(words.address())],
        items,
        items,
        words.map(),
    );
    if limit {
        launch.wait_time = Some(MOMENT);
    }
    pool(1).run(&exe, launch)
}

fn kind(result: Result<LaunchStats, LaunchError>) -> TrapKind {
    match result {
        Err(LaunchError::Trap(trap)) => trap.kind,
        other => panic!("no trap: {other:?}"),
    }
}

/// A kernel with a loop that goes on while `again` says so, after it has written 1 to the
/// buffer's second word.
fn looped(again: impl FnOnce(&mut FunctionBuilder) -> Operand) -> Module {
    let mut b = kernel(&[BUFFER]);
    let (body, exit) = (b.block(), b.block());
    b.jump(body);
    b.switch_to(body);
    let second = b.ptr_offset(b.param(0), 4);
    let first = b.load(Type::I32, second);
    let write = b.block();
    let next = b.block();
    let fresh = b.compare(Cmp::Eq, first, Const::i32(0));
    b.branch(fresh, write, next);
    b.switch_to(write);
    b.store(second, Const::i32(1));
    b.jump(next);
    b.switch_to(next);
    let again = again(&mut b);
    b.branch(again, body, exit);
    b.switch_to(exit);
    b.ret(None);
    module(b)
}

/// No way leads out: found before the loop begins anew, after its first round.
#[test]
fn a_loop_without_an_exit() {
    let words = Words::new(2);
    let mut b = kernel(&[BUFFER]);
    let body = b.block();
    b.jump(body);
    b.switch_to(body);
    b.atomic_rmw(
        RmwOp::Add,
        b.param(0),
        Const::i32(1),
        Order::Relaxed,
        MemScope::Device,
    );
    b.jump(body);
    assert_eq!(
        kind(run(module(b), &words, 1, false)),
        TrapKind::EndlessLoop
    );
    assert_eq!(words.get(0), 1);
}

/// A way leads out, but the work-item never takes it, and nothing can make it.
#[test]
fn a_work_item_that_goes_round_in_a_circle() {
    for items in [1, 4] {
        let words = Words::new(2);
        let mut b = kernel(&[BUFFER]);
        let slot = b.slot("a", 8, 4);
        let x = b.load(Type::I32, b.param(0));
        let (body, exit) = (b.block(), b.block());
        b.jump(body);
        b.switch_to(body);
        let at = b.slot_addr(slot);
        b.store(at, x);
        let y = b.load(Type::I32, at);
        let again = b.compare(Cmp::Eq, y, Const::i32(0));
        b.branch(again, body, exit);
        b.switch_to(exit);
        b.ret(None);
        let result = run(module(b), &words, items, false);
        assert_eq!(kind(result), TrapKind::EndlessLoop);
    }
}

/// It reads what others could change, and nobody does.
#[test]
fn waiting_for_what_does_not_come() {
    let read = |b: &mut FunctionBuilder| {
        let x = b.load(Type::I32, b.param(0));
        b.compare(Cmp::Eq, x, Const::i32(0)).into()
    };
    let cas = |b: &mut FunctionBuilder| {
        let orders = (Order::AcqRel, Order::Relaxed);
        let one = Const::i32(1);
        let old = b.atomic_cas(b.param(0), one, one, orders, MemScope::Device);
        b.compare(Cmp::Eq, old, Const::i32(0)).into()
    };
    for m in [looped(read), looped(cas)] {
        for items in [1, 3] {
            let words = Words::new(2);
            let found = kind(run(m.clone(), &words, items, true));
            assert_eq!(found, TrapKind::WaitedTooLong { limit: MOMENT });
            assert_eq!(words.all(), [0, 1]);
        }
    }
}

/// One item waits in a loop, the others at a barrier.
#[test]
fn waiting_while_others_are_at_a_barrier() {
    let words = Words::new(2);
    let mut b = kernel(&[BUFFER]);
    let (body, exit) = (b.block(), b.block());
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let first = b.compare(Cmp::Eq, gid, Const::i64(0));
    b.branch(first, body, exit);
    b.switch_to(body);
    let x = b.load(Type::I32, b.param(0));
    let again = b.compare(Cmp::Eq, x, Const::i32(0));
    b.branch(again, body, exit);
    b.switch_to(exit);
    b.barrier(Regions::GLOBAL, MemScope::WorkGroup);
    b.ret(None);
    let found = kind(run(module(b), &words, 3, true));
    assert_eq!(found, TrapKind::WaitedTooLong { limit: MOMENT });
}

/// Items that work and meet at a barrier again and again wait for nothing.
#[test]
fn meeting_at_barriers_for_long() {
    let words = Words::new(2);
    let mut b = kernel(&[BUFFER]);
    let n = b.variable("n", Type::I32);
    b.assign(n, Const::i32(0));
    let (body, exit) = (b.block(), b.block());
    b.jump(body);
    b.switch_to(body);
    b.load(Type::I32, b.param(0));
    b.barrier(Regions::GLOBAL, MemScope::WorkGroup);
    let next = b.int(IntOp::Add, n, Const::i32(1));
    b.assign(n, next);
    let again = b.compare(Cmp::SLt, n, Const::i32(2_500_000));
    b.branch(again, body, exit);
    b.switch_to(exit);
    b.ret(None);
    run(module(b), &words, 4, true).expect("ends");
}

/// A loop that counts for long is no circle; with a limit of time it ends like all others.
#[test]
fn a_loop_that_counts() {
    let count = |to: i64| {
        let mut b = kernel(&[BUFFER]);
        let n = b.variable("n", Type::I64);
        b.assign(n, Const::i64(0));
        let (body, exit) = (b.block(), b.block());
        b.jump(body);
        b.switch_to(body);
        let next = b.int(IntOp::Add, n, Const::i64(1));
        b.assign(n, next);
        let again = b.compare(Cmp::ULt, n, Const::i64(to));
        b.branch(again, body, exit);
        b.switch_to(exit);
        let low = b.convert(n, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
        b.store(b.param(0), low);
        b.ret(None);
        module(b)
    };
    let words = Words::new(2);
    // Longer than the time between two watches.
    run(count(1 << 24), &words, 1, true).expect("ends");
    assert_eq!(words.get(0), 1 << 24);
    let exe = prepare(count(-1));
    let mut launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(words.address())],
        1,
        1,
        words.map(),
    );
    launch.group_time = Some(MOMENT);
    let found = kind(pool(1).run(&exe, launch));
    assert_eq!(found, TrapKind::RanTooLong { limit: MOMENT });
}

/// Two groups: one waits for longer than a watch takes, the other comes and lets it go.
#[test]
fn waiting_for_what_comes_late() {
    let words = Arc::new(Words::new(2));
    let exe = prepare(looped(|b| {
        let x = b.load(Type::I32, b.param(0));
        b.compare(Cmp::Eq, x, Const::i32(0)).into()
    }));
    let mut launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(words.address())],
        1,
        1,
        words.map(),
    );
    launch.wait_time = Some(Duration::from_secs(600));
    std::thread::scope(|s| {
        let running = s.spawn(|| pool(1).run(&exe, launch));
        std::thread::sleep(Duration::from_millis(500));
        words.0[0].store(1, std::sync::atomic::Ordering::Relaxed);
        let stats = running.join().expect("no panic").expect("ends");
        assert_eq!(stats.items, 1);
    });
}
