//! Loops, switches, calls.

use crate::support::*;
use touchstone_ir::{
    Cmp, Const, FunctionBuilder, IntOp, Module, NumKind, Op, Operand, Query, Terminator, Type,
};

/// buffer[gid] = f(gid) with a function called in a loop.
#[test]
fn a_called_function_keeps_its_own_registers() {
    let mut m = Module::new();
    // sum(n) = 0 + 1 + … + (n - 1)
    let mut f = FunctionBuilder::new("sum", &[Type::I32], Some(Type::I32));
    let i = f.variable("i", Type::I32);
    let s = f.variable("s", Type::I32);
    f.assign(i, Const::i32(0));
    f.assign(s, Const::i32(0));
    let (head, body, exit) = (f.block(), f.block(), f.block());
    f.jump(head);
    f.switch_to(head);
    let c = f.compare(Cmp::SLt, i, f.param(0));
    f.branch(c, body, exit);
    f.switch_to(body);
    let t = f.int(IntOp::Add, s, i);
    f.assign(s, t);
    let t = f.int(IntOp::Add, i, Const::i32(1));
    f.assign(i, t);
    f.jump(head);
    f.switch_to(exit);
    f.ret(Some(s.into()));
    let sum = m.add_function(f.finish());

    let mut b = kernel(&[BUFFER]);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let n = b.convert(gid, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    let kept = b.int(IntOp::Mul, n, Const::i32(1000));
    let first = b
        .call(sum, vec![n.into()], Some(Type::I32))
        .expect("result");
    let again = b
        .call(sum, vec![first.into()], Some(Type::I32))
        .expect("result");
    let r = b.int(IntOp::Add, again, kept);
    let p = b.ptr_add(b.param(0), gid, 4, 0);
    b.store(p, r);
    b.ret(None);
    m.add_function(b.finish());

    let words = Words::new(10);
    run_on(&prepare(m), 1, 10, 2, &words).expect("runs");
    for n in 0..10u32 {
        let sum = |n: u32| (0..n).sum::<u32>();
        assert_eq!(words.get(n as usize), sum(sum(n)) + n * 1000);
    }
}

#[test]
fn switches_find_their_case_also_backward() {
    // x = gid; loop { switch x { 0: exit; 3: x = 1 → loop; default: x = x - 1 → loop } count++ }
    let mut b = kernel(&[BUFFER]);
    let x = b.variable("x", Type::I32);
    let count = b.variable("count", Type::I32);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let n = b.convert(gid, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    b.assign(x, n);
    let (head, three, other, exit) = (b.block(), b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let t = b.int(IntOp::Add, count, Const::i32(1));
    b.assign(count, t);
    b.terminate(Terminator::Switch {
        value: x.into(),
        cases: vec![(3, three), (0, exit), (77, head)],
        default: other,
    });
    b.switch_to(three);
    b.assign(x, Const::i32(1));
    b.jump(head);
    b.switch_to(other);
    let t = b.int(IntOp::Sub, x, Const::i32(1));
    b.assign(x, t);
    b.jump(head);
    b.switch_to(exit);
    let p = b.ptr_add(b.param(0), gid, 4, 0);
    b.store(p, count);
    b.ret(None);
    let words = Words::new(6);
    run_on(&prepare(module(b)), 1, 6, 6, &words).expect("runs");
    // 0: 1 visit; 1: 2; 2: 3; 3→1→0: 3; 4→3→1→0: 4; 5: 5.
    assert_eq!(words.all(), [1, 2, 3, 3, 4, 5]);
}

/// A copy of a variable keeps the old value when the variable changes.
#[test]
fn copies_of_variables_are_values() {
    let mut b = kernel(&[BUFFER]);
    let i = b.variable("i", Type::I32);
    b.assign(i, Const::i32(7));
    let old = b.copy(i);
    let t = b.int(IntOp::Add, i, Const::i32(1));
    b.assign(i, t);
    let sum = b.int(IntOp::Mul, old, Const::i32(100));
    let sum = b.int(IntOp::Add, sum, i);
    b.store(b.param(0), sum);
    // And where the copy dies in the write: i = copy + copy.
    let old = b.copy(i);
    b.push_to(i, Op::Int(IntOp::Add, old.into(), old.into()));
    let p = b.ptr_offset(b.param(0), 4);
    b.store(p, i);
    b.ret(None);
    let words = Words::new(2);
    run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
    assert_eq!(words.all(), [708, 16]);
}

/// Two variables change places through vectors and scalars.
#[test]
fn swaps_do_not_lose_values() {
    let mut b = kernel(&[BUFFER]);
    let x = b.variable("x", Type::I32);
    let y = b.variable("y", Type::I32);
    b.assign(x, Const::i32(1));
    b.assign(y, Const::i32(2));
    let t = b.copy(x);
    b.assign(x, y);
    b.assign(y, t);
    b.store(b.param(0), x);
    let p = b.ptr_offset(b.param(0), 4);
    b.store(p, y);
    let v = b.variable(
        "v",
        Type::Vector(touchstone_ir::Scalar::I32, touchstone_ir::Lanes::L4),
    );
    b.push_to(
        v,
        Op::Construct((10..14).map(|n| Operand::Const(Const::i32(n))).collect()),
    );
    b.push_to(v, Op::Shuffle(v.into(), v.into(), vec![3, 2, 1, 4]));
    let p = b.ptr_offset(b.param(0), 16);
    b.store(p, v);
    b.ret(None);
    let words = Words::new(8);
    run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
    assert_eq!(words.all(), [2, 1, 0, 0, 13, 12, 11, 10]);
}

#[test]
fn unwritten_variables_are_zero_in_every_activation() {
    let mut m = Module::new();
    let mut f = FunctionBuilder::new("f", &[], Some(Type::I32));
    let v = f.variable("v", Type::I32);
    let t = f.int(IntOp::Add, v, Const::i32(5));
    f.assign(v, t);
    f.ret(Some(v.into()));
    let id = m.add_function(f.finish());
    let mut b = kernel(&[BUFFER]);
    let one = b.call(id, vec![], Some(Type::I32)).expect("result");
    let two = b.call(id, vec![], Some(Type::I32)).expect("result");
    b.store(b.param(0), one);
    let p = b.ptr_offset(b.param(0), 4);
    b.store(p, two);
    b.ret(None);
    m.add_function(b.finish());
    let words = Words::new(2);
    run_on(&prepare(m), 1, 1, 1, &words).expect("runs");
    assert_eq!(words.all(), [5, 5]);
}
