//! Atomics: nothing is lost, and spinning items let others run.

use crate::support::*;
use touchstone_ir::{Cmp, Const, IntOp, MemScope, Module, Order, Query, RmwOp, Terminator, Type};

/// n times: atomic add of 1.
fn counter(n: i32) -> Module {
    let mut b = kernel(&[BUFFER]);
    let i = b.variable("i", Type::I32);
    b.assign(i, Const::i32(0));
    let (head, body, exit) = (b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let c = b.compare(Cmp::SLt, i, Const::i32(n));
    b.branch(c, body, exit);
    b.switch_to(body);
    b.atomic_rmw(
        RmwOp::Add,
        b.param(0),
        Const::i32(1),
        Order::Relaxed,
        MemScope::Device,
    );
    let t = b.int(IntOp::Add, i, Const::i32(1));
    b.assign(i, t);
    b.jump(head);
    b.switch_to(exit);
    b.ret(None);
    module(b)
}

#[test]
fn no_update_is_lost() {
    let words = Words::new(1);
    let stats = run_on(&prepare(counter(1000)), 4, 128, 8, &words).expect("runs");
    assert_eq!(words.get(0), 128_000);
    assert_eq!((stats.groups, stats.items), (16, 128));
    // Each addition and each jump back is a step.
    assert_eq!(stats.steps, 256_000);
}

/// A lock taken with compare and exchange, and a plain counter under it.
#[test]
fn a_spin_lock_excludes_and_progresses_within_a_group() {
    let mut b = kernel(&[BUFFER]);
    let (spin, held, exit) = (b.block(), b.block(), b.block());
    b.jump(spin);
    b.switch_to(spin);
    let old = b.atomic_cas(
        b.param(0),
        Const::i32(0),
        Const::i32(1),
        (Order::Acquire, Order::Relaxed),
        MemScope::Device,
    );
    let c = b.compare(Cmp::Eq, old, Const::i32(0));
    b.branch(c, held, spin);
    b.switch_to(held);
    let p = b.ptr_offset(b.param(0), 4);
    let v = b.load(Type::I32, p);
    let v = b.int(IntOp::Add, v, Const::i32(1));
    b.store(p, v);
    b.atomic_store(b.param(0), Const::i32(0), Order::Release, MemScope::Device);
    b.jump(exit);
    b.switch_to(exit);
    b.ret(None);
    let exe = prepare(module(b));
    for threads in [1, 3] {
        let words = Words::new(2);
        run_on(&exe, threads, 256, 64, &words).expect("runs");
        assert_eq!(words.all(), [0, 256]);
    }
}

/// Item 0 waits until the last item has stored.
#[test]
fn an_item_may_wait_for_a_later_one_of_its_group() {
    let mut b = kernel(&[BUFFER]);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let first = b.compare(Cmp::Eq, gid, Const::i64(0));
    let (wait, set, exit) = (b.block(), b.block(), b.block());
    b.branch(first, wait, set);
    b.switch_to(wait);
    let v = b.atomic_load(Type::I32, b.param(0), Order::Acquire, MemScope::WorkGroup);
    let c = b.compare(Cmp::Eq, v, Const::i32(0));
    b.branch(c, wait, exit);
    b.switch_to(set);
    b.atomic_store(
        b.param(0),
        Const::i32(1),
        Order::Release,
        MemScope::WorkGroup,
    );
    b.jump(exit);
    b.switch_to(exit);
    b.terminate(Terminator::Return(None));
    let words = Words::new(1);
    run_on(&prepare(module(b)), 1, 2, 2, &words).expect("runs");
}

#[test]
fn every_modification_is_what_its_name_says() {
    let cases: [(RmwOp, u32, u32, u32); 14] = [
        (RmwOp::Exchange, 5, 9, 9),
        (RmwOp::Add, u32::MAX, 2, 1),
        (RmwOp::Sub, 1, 2, u32::MAX),
        (RmwOp::And, 0b1100, 0b1010, 0b1000),
        (RmwOp::Or, 0b1100, 0b1010, 0b1110),
        (RmwOp::Xor, 0b1100, 0b1010, 0b0110),
        (RmwOp::SMin, 1, -1i32 as u32, -1i32 as u32),
        (RmwOp::SMax, 1, -1i32 as u32, 1),
        (RmwOp::UMin, 1, -1i32 as u32, 1),
        (RmwOp::UMax, 1, -1i32 as u32, -1i32 as u32),
        (
            RmwOp::FAdd,
            1.5f32.to_bits(),
            2.0f32.to_bits(),
            3.5f32.to_bits(),
        ),
        (
            RmwOp::FSub,
            1.5f32.to_bits(),
            2.0f32.to_bits(),
            (-0.5f32).to_bits(),
        ),
        (
            RmwOp::FMin,
            1.5f32.to_bits(),
            f32::NAN.to_bits(),
            1.5f32.to_bits(),
        ),
        (
            RmwOp::FMax,
            1.5f32.to_bits(),
            2.0f32.to_bits(),
            2.0f32.to_bits(),
        ),
    ];
    for (op, before, operand, after) in cases {
        let mut b = kernel(&[BUFFER]);
        let ty = if op.is_float() { Type::F32 } else { Type::I32 };
        let src = b.ptr_offset(b.param(0), 4);
        let v = b.load(ty, src);
        let old = b.atomic_rmw(op, b.param(0), v, Order::SeqCst, MemScope::AllDevices);
        let out = b.ptr_offset(b.param(0), 8);
        b.store(out, old);
        b.ret(None);
        let words = Words::of(&[before, operand, 0]);
        run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
        assert_eq!(words.all(), [after, operand, before], "{op}");
    }
}
