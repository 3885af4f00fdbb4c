//! Launches: index spaces, arguments, limits, determinism, several at once.

use crate::support::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use touchstone_exec::{Arg, Launch, LaunchError};
use touchstone_ir::{
    ArgPass, Cmp, Const, IntOp, MemScope, Module, NumKind, Order, Query, RmwOp, Type,
};

const QUERIES: [Query; 8] = [
    Query::GlobalSize,
    Query::GlobalId,
    Query::LocalSize,
    Query::EnqueuedLocalSize,
    Query::LocalId,
    Query::NumGroups,
    Query::GroupId,
    Query::GlobalOffset,
];

const LINEAR: [Query; 9] = [
    Query::WorkDim,
    Query::GlobalLinearId,
    Query::LocalLinearId,
    Query::SubGroupSize,
    Query::MaxSubGroupSize,
    Query::NumSubGroups,
    Query::EnqueuedNumSubGroups,
    Query::SubGroupId,
    Query::SubGroupLocalId,
];

/// Every answer of every item, with dimensions from memory (so not constant)
/// or constant.
fn questions(dynamic: bool) -> Module {
    let mut b = kernel(&[BUFFER]);
    let per_item = (QUERIES.len() * 4 + LINEAR.len()) as u32 * 4;
    let linear = b.query(Query::GlobalLinearId, Const::i32(0));
    let base = b.ptr_add(b.param(0), linear, per_item, 16);
    let mut n = 0;
    let mut out = |b: &mut touchstone_ir::FunctionBuilder, r| {
        let v = b.convert(r, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
        let p = b.ptr_offset(base, n);
        b.store(p, v);
        n += 4;
    };
    for q in QUERIES {
        for d in 0..4 {
            let r = if dynamic {
                let p = b.ptr_offset(b.param(0), 4 * i64::from(d));
                let dim = b.load(Type::I32, p);
                b.query(q, dim)
            } else {
                b.query(q, Const::i32(d))
            };
            out(&mut b, r);
        }
    }
    for q in LINEAR {
        let r = b.query(q, Const::i32(0));
        out(&mut b, r);
    }
    b.ret(None);
    module(b)
}

#[test]
fn every_item_knows_its_place() {
    let global = [5u64, 3, 2];
    let local = [2u64, 2, 1];
    let offset = [10u64, 0, 7];
    for dynamic in [false, true] {
        let exe = prepare(questions(dynamic));
        let per_item = QUERIES.len() * 4 + LINEAR.len();
        let words = Words::new(4 + 30 * per_item);
        for d in 0..4 {
            words.0[d].store(d as u32, Ordering::Relaxed);
        }
        let launch = Launch {
            work_dim: 3,
            global_offset: offset,
            global_size: global,
            local_size: local,
            sub_group_size: 3,
            ..Launch::linear(
                exe.kernels()[0].id,
                vec![Arg::Pointer(words.address())],
                1,
                1,
                words.map(),
            )
        };
        let stats = pool(2).run(&exe, launch).expect("runs");
        assert_eq!((stats.groups, stats.items), (12, 30));
        let all = words.all();
        for linear in 0..30u64 {
            let at = [linear % 5, linear / 5 % 3, linear / 15];
            let got: Vec<u64> = all[4 + linear as usize * per_item..][..per_item]
                .iter()
                .map(|&w| w.into())
                .collect();
            let group: [u64; 3] = std::array::from_fn(|d| at[d] / local[d]);
            let id: [u64; 3] = std::array::from_fn(|d| at[d] % local[d]);
            let size: [u64; 3] =
                std::array::from_fn(|d| local[d].min(global[d] - group[d] * local[d]));
            let mut expected = Vec::new();
            let mut dims = |v: [u64; 3], beyond: u64| {
                expected.extend(v);
                expected.push(beyond);
            };
            dims(global, 1);
            dims(std::array::from_fn(|d| at[d] + offset[d]), 0);
            dims(size, 1);
            dims(local, 1);
            dims(id, 0);
            dims([3, 2, 2], 1);
            dims(group, 0);
            dims(offset, 0);
            let in_group = (id[2] * size[1] + id[1]) * size[0] + id[0];
            let items: u64 = size.iter().product();
            let sub = in_group / 3;
            expected.extend([
                3,
                linear,
                in_group,
                3.min(items - sub * 3),
                3,
                items.div_ceil(3),
                2,
                sub,
                in_group % 3,
            ]);
            assert_eq!(got, expected, "item {linear}, dynamic {dynamic}");
        }
    }
}

/// Each item appends its id to a list: the order of everything.
fn list() -> Module {
    let mut b = kernel(&[BUFFER]);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let id = b.convert(gid, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    for _ in 0..4 {
        let at = b.atomic_rmw(
            RmwOp::Add,
            b.param(0),
            Const::i32(1),
            Order::Relaxed,
            MemScope::Device,
        );
        let at = b.convert(at, NumKind::Unsigned, Type::I64, NumKind::Unsigned);
        let p = b.ptr_add(b.param(0), at, 4, 4);
        b.store(p, id);
    }
    b.ret(None);
    module(b)
}

#[test]
fn one_thread_is_deterministic_and_seeds_differ() {
    let exe = prepare(list());
    let run = |seed| {
        let words = Words::new(1 + 4 * 64);
        let mut launch = Launch::linear(
            exe.kernels()[0].id,
            vec![Arg::Pointer(words.address())],
            64,
            32,
            words.map(),
        );
        launch.seed = seed;
        pool(1).run(&exe, launch).expect("runs");
        words.all()
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
    // Groups run in order on one thread.
    assert!(first[1..129].iter().all(|&id| id < 32));
    // Items of a group are interleaved: not all four entries of each are together.
    assert!(first[1..].chunks(4).any(|c| c.iter().any(|&id| id != c[0])));
}

/// Waits until the first word is not zero.
fn endless() -> Module {
    let mut b = kernel(&[BUFFER]);
    let (body, exit) = (b.block(), b.block());
    b.jump(body);
    b.switch_to(body);
    let word = b.load(Type::I32, b.param(0));
    let again = b.compare(Cmp::Eq, word, Const::i32(0));
    b.branch(again, body, exit);
    b.switch_to(exit);
    b.ret(None);
    module(b)
}

#[test]
fn endless_kernels_meet_their_limit() {
    let exe = prepare(endless());
    let words = Words::new(1);
    for local in [1, 4] {
        let mut launch = Launch::linear(
            exe.kernels()[0].id,
            vec![Arg::Pointer(words.address())],
            8,
            local,
            words.map(),
        );
        launch.step_limit = Some(1_000_000);
        let error = pool(2).run(&exe, launch).expect_err("limit");
        assert_eq!(
            error.to_string(),
            "launch of k exceeded its limit of 1000000 steps"
        );
    }
}

#[test]
fn endless_kernels_can_be_cancelled() {
    let exe = prepare(endless());
    let words = Words::new(1);
    let cancel = Arc::new(AtomicBool::new(false));
    let mut launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(words.address())],
        2,
        1,
        words.map(),
    );
    launch.cancel = Some(Arc::clone(&cancel));
    let pool = pool(2);
    std::thread::scope(|s| {
        let running = s.spawn(|| pool.run(&exe, launch));
        std::thread::sleep(std::time::Duration::from_millis(20));
        cancel.store(true, Ordering::Relaxed);
        let result = running.join().expect("no panic");
        assert!(
            matches!(result, Err(LaunchError::Cancelled { .. })),
            "{result:?}"
        );
    });
}

/// Several host threads launch at once on one pool.
#[test]
fn launches_share_the_pool() {
    let exe = prepare(list());
    let pool = pool(3);
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..50 {
                    let words = Words::new(1 + 4 * 256);
                    let launch = Launch::linear(
                        exe.kernels()[0].id,
                        vec![Arg::Pointer(words.address())],
                        256,
                        2,
                        words.map(),
                    );
                    let stats = pool.run(&exe, launch).expect("runs");
                    assert_eq!((stats.groups, words.get(0)), (128, 4 * 256));
                }
            });
        }
    });
}

#[test]
fn launches_that_do_not_fit_say_why() {
    let mut b = kernel(&[
        BUFFER,
        ArgPass::Value(Type::I32),
        ArgPass::LocalPointer { align: 4 },
    ]);
    let sum = b.int(IntOp::Add, b.param(1), Const::i32(1));
    b.store(b.param(0), sum);
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::new(1);
    let good = || {
        vec![
            Arg::Pointer(words.address()),
            Arg::Value(vec![1, 0, 0, 0]),
            Arg::Local(16),
        ]
    };
    let launch = |args| Launch::linear(exe.kernels()[0].id, args, 4, 2, words.map());
    let error = |launch: Launch| {
        pool(1)
            .run(&exe, launch)
            .expect_err("does not fit")
            .to_string()
    };
    pool(1).run(&exe, launch(good())).expect("fits");
    let mut args = good();
    args.pop();
    assert_eq!(
        error(launch(args)),
        "invalid launch of k: 2 arguments are given, 3 are needed"
    );
    let mut args = good();
    args[1] = Arg::Value(vec![1, 2]);
    assert_eq!(
        error(launch(args)),
        "invalid launch of k: argument 1 (x) must be 4 bytes, not 2"
    );
    let mut args = good();
    args.swap(0, 2);
    assert_eq!(
        error(launch(args)),
        "invalid launch of k: argument 0 (x) must be a pointer to global or constant memory"
    );
    let mut l = launch(good());
    l.local_size[0] = 0;
    assert_eq!(error(l), "invalid launch of k: local size 0 in dimension 0");
    let mut l = launch(good());
    l.global_size = [u64::MAX, 1, 1];
    assert_eq!(
        error(l),
        "invalid launch of k: more work-items than 64 bits can number"
    );
    let mut args = good();
    args[2] = Arg::Local(1 << 40);
    assert!(error(launch(args)).starts_with("out of resources: a work-group of k needs 1099"));
    // A launch of nothing is done at once.
    let mut l = launch(good());
    l.global_size[0] = 0;
    assert_eq!(pool(1).run(&exe, l).expect("nothing").items, 0);
}
