//! Barriers: work-group, sub-group, divergent.

use crate::support::*;
use touchstone_exec::{Arg, Launch, LaunchError, TrapKind};
use touchstone_ir::{
    ArgPass, BarrierKind, Cmp, Const, IntOp, Loc, MemScope, NumKind, Op, Query, Regions, Type,
};

/// local[lid] = lid + round; barrier; out[gid] += local[(lid + 1) % n]; barrier — for some rounds.
fn rotate(rounds: i32) -> touchstone_ir::Module {
    let mut b = kernel(&[BUFFER, ArgPass::LocalPointer { align: 4 }]);
    let lid = b.query(Query::LocalId, Const::i32(0));
    let n = b.query(Query::LocalSize, Const::i32(0));
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let lid32 = b.convert(lid, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    let next = b.int(IntOp::Add, lid, Const::i64(1));
    let next = b.int(IntOp::URem, next, n);
    let round = b.variable("round", Type::I32);
    b.assign(round, Const::i32(0));
    let (head, body, exit) = (b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let c = b.compare(Cmp::SLt, round, Const::i32(rounds));
    b.branch(c, body, exit);
    b.switch_to(body);
    let v = b.int(IntOp::Add, lid32, round);
    let mine = b.ptr_add(b.param(1), lid, 4, 0);
    b.store(mine, v);
    b.barrier(Regions::LOCAL, MemScope::WorkGroup);
    let theirs = b.ptr_add(b.param(1), next, 4, 0);
    let got = b.load(Type::I32, theirs);
    let out = b.ptr_add(b.param(0), gid, 4, 0);
    let old = b.load(Type::I32, out);
    let sum = b.int(IntOp::Add, old, got);
    b.store(out, sum);
    b.barrier(Regions::LOCAL, MemScope::WorkGroup);
    let r = b.int(IntOp::Add, round, Const::i32(1));
    b.assign(round, r);
    b.jump(head);
    b.switch_to(exit);
    b.ret(None);
    module(b)
}

#[test]
fn what_is_written_before_a_barrier_is_read_after_it() {
    let exe = prepare(rotate(10));
    for (global, local) in [(64u64, 16u64), (60, 16), (7, 7), (5, 1)] {
        for seed in 0..20 {
            let words = Words::new(global as usize);
            let mut launch = Launch::linear(
                exe.kernel("k").expect("k").id,
                vec![Arg::Pointer(words.address()), Arg::Local(4 * local)],
                global,
                local,
                words.map(),
            );
            launch.seed = seed;
            pool(2).run(&exe, launch).expect("runs");
            for i in 0..global {
                let first = i / local * local;
                let size = local.min(global - first);
                let next = (i - first + 1) % size;
                let expected: u64 = (0..10).map(|r| next + r).sum();
                assert_eq!(u64::from(words.get(i as usize)), expected, "item {i}");
            }
        }
    }
}

/// if (lid == 0) barrier (at 3:1); else barrier (at 5:1).
#[test]
fn different_barriers_are_a_trap_with_both_places() {
    let mut b = kernel(&[BUFFER]);
    let lid = b.query(Query::LocalId, Const::i32(0));
    let c = b.compare(Cmp::Eq, lid, Const::i64(0));
    let (yes, no, exit) = (b.block(), b.block(), b.block());
    b.branch(c, yes, no);
    b.switch_to(yes);
    b.set_loc(Loc::new(3, 1));
    b.barrier(Regions::LOCAL, MemScope::WorkGroup);
    b.jump(exit);
    b.switch_to(no);
    b.set_loc(Loc::new(5, 1));
    b.barrier(Regions::LOCAL, MemScope::WorkGroup);
    b.jump(exit);
    b.switch_to(exit);
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::new(1);
    let Err(LaunchError::Trap(trap)) = run_on(&exe, 1, 8, 4, &words) else {
        panic!("no trap");
    };
    assert_eq!(trap.place.loc, Loc::new(3, 1));
    let TrapKind::DivergentBarrier { other, other_id } = &trap.kind else {
        panic!("{trap}");
    };
    assert_eq!(other.loc, Loc::new(5, 1));
    assert_eq!((trap.global_id, *other_id), ([0, 0, 0], [1, 0, 0]));
    // Groups of one cannot diverge.
    run_on(&exe, 1, 8, 1, &words).expect("runs");
}

/// if (lid != 2) barrier.
#[test]
fn an_item_that_ends_before_a_barrier_is_a_trap() {
    let mut b = kernel(&[BUFFER]);
    let lid = b.query(Query::LocalId, Const::i32(0));
    let c = b.compare(Cmp::Ne, lid, Const::i64(2));
    let (yes, exit) = (b.block(), b.block());
    b.branch(c, yes, exit);
    b.switch_to(yes);
    b.set_loc(Loc::new(9, 2));
    b.barrier(Regions::NONE, MemScope::WorkGroup);
    b.jump(exit);
    b.switch_to(exit);
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::new(1);
    let Err(LaunchError::Trap(trap)) = run_on(&exe, 1, 4, 4, &words) else {
        panic!("no trap");
    };
    assert_eq!(trap.place.loc, Loc::new(9, 2));
    assert_eq!(trap.kind, TrapKind::BarrierNotReached { ended: [2, 0, 0] });
}

/// Sub-groups pass barriers of their own, in different numbers.
#[test]
fn sub_group_barriers_wait_for_the_sub_group_alone() {
    // for (i = 0; i < sub_group_id; i++) sub_group_barrier; out[gid] = sub_group_local_id
    let mut b = kernel(&[BUFFER]);
    let id = b.query(Query::SubGroupId, Const::i32(0));
    let i = b.variable("i", Type::I64);
    b.assign(i, Const::i64(0));
    let (head, body, exit) = (b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let c = b.compare(Cmp::ULt, i, id);
    b.branch(c, body, exit);
    b.switch_to(body);
    b.push(Op::Barrier {
        kind: BarrierKind::SubGroup,
        regions: Regions::LOCAL,
        scope: MemScope::SubGroup,
    });
    let t = b.int(IntOp::Add, i, Const::i64(1));
    b.assign(i, t);
    b.jump(head);
    b.switch_to(exit);
    b.barrier(Regions::NONE, MemScope::WorkGroup);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let lane = b.query(Query::SubGroupLocalId, Const::i32(0));
    let v = b.convert(lane, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    let p = b.ptr_add(b.param(0), gid, 4, 0);
    b.store(p, v);
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::new(10);
    let mut launch = Launch::linear(
        exe.kernel("k").expect("k").id,
        vec![Arg::Pointer(words.address())],
        10,
        10,
        words.map(),
    );
    launch.sub_group_size = 4;
    pool(1).run(&exe, launch).expect("runs");
    assert_eq!(words.all(), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
}
