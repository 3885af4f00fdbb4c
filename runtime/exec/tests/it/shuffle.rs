//! Shuffles: who takes part where not all of a sub-group come the same way.

use crate::support::*;
use touchstone_exec::{Arg, Engine, Launch, LaunchError, Trap, TrapKind};
use touchstone_ir::{
    BarrierKind, Cmp, Collective, Const, FunctionBuilder, IntOp, MemScope, Module, Op, Operand,
    Query, Reg, Regions, Type,
};

/// Work-items of a sub-group; the last sub-group of the ten items has two.
const SUB_GROUP: u64 = 4;
const ITEMS: usize = 10;

/// What all items find, with each engine and many interleavings alike.
fn found(module: &Module) -> Result<Vec<u32>, Box<Trap>> {
    let mut all = Vec::new();
    for engine in [Engine::Interpreter, Engine::Native] {
        for seed in 0..20 {
            let exe = prepare(module.clone());
            let words = Words::new(ITEMS);
            let id = exe.kernel("k").expect("k").id;
            let args = vec![Arg::Pointer(words.address())];
            let mut launch = Launch::linear(id, args, ITEMS as u64, ITEMS as u64, words.map());
            launch.sub_group_size = SUB_GROUP as u32;
            launch.seed = seed;
            launch.engine = engine;
            match pool(1).run(&exe, launch) {
                Ok(_) => all.push(words.all()),
                Err(LaunchError::Trap(trap)) => return Err(trap),
                Err(other) => panic!("{other}"),
            }
        }
    }
    all.dedup();
    assert_eq!(all.len(), 1, "{all:?}");
    Ok(all.remove(0))
}

/// The item's number in its group.
fn lid(b: &mut FunctionBuilder) -> Reg {
    b.query(Query::LocalLinearId, Const::i32(0))
}

/// The value of the item with an id in the sub-group.
fn shuffle(b: &mut FunctionBuilder, value: impl Into<Operand>, from: impl Into<Operand>) -> Reg {
    let op = Op::Collective {
        kind: BarrierKind::SubGroup,
        function: Collective::Shuffle,
        value: value.into(),
        from: vec![from.into()],
    };
    b.emit(Type::I64, op)
}

/// out[gid] = value
fn put(b: &mut FunctionBuilder, value: impl Into<Operand>) {
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let at = b.ptr_add(b.param(0), gid, 4, 0);
    let op = Op::Convert {
        value: value.into(),
        from: touchstone_ir::NumKind::Unsigned,
        to: touchstone_ir::NumKind::Unsigned,
        rounding: touchstone_ir::Rounding::Default,
        saturate: false,
    };
    let value = b.emit(Type::I32, op);
    b.store(at, value);
}

/// A kernel that puts what `make` makes of the item's number in its group and in its sub-group.
fn made(make: impl FnOnce(&mut FunctionBuilder, Reg, Reg) -> Reg) -> Module {
    let mut b = kernel(&[BUFFER]);
    let own = lid(&mut b);
    let in_sub_group = b.query(Query::SubGroupLocalId, Const::i32(0));
    let value = make(&mut b, own, in_sub_group);
    put(&mut b, value);
    b.ret(None);
    module(b)
}

/// The answer for each item, of its number in the group, its sub-group's first one and how many that has.
fn expected(of: impl Fn(usize, usize, usize) -> usize) -> Vec<u32> {
    let size = SUB_GROUP as usize;
    let all = (0..ITEMS).map(|n| {
        let first = n / size * size;
        of(n, first, size.min(ITEMS - first)) as u32
    });
    all.collect()
}

#[test]
fn each_names_its_own_and_nobody_gives_zero() {
    // The value is the number and a hundred; the next but one of the sub-group, past its end, too.
    let found = found(&made(|b, own, id| {
        let value = b.int(IntOp::Add, own, Const::i64(100));
        let from = b.int(IntOp::Add, id, Const::i64(2));
        shuffle(b, value, from)
    }));
    let wanted = expected(|n, first, count| {
        let from = n - first + 2;
        if from < count { first + from + 100 } else { 0 }
    });
    assert_eq!(found.unwrap(), wanted);
}

/// Odd items shuffle among themselves in a branch that is longer than the other one; behind it all do.
#[test]
fn behind_a_branch_all_are_together_again() {
    let found = found(&made(|b, own, id| {
        let value = b.variable("value", Type::I64);
        b.assign(value, own);
        // The block behind the branch is made first, so that it stands before those of the branch.
        let (join, odd, more) = (b.block(), b.block(), b.block());
        let bit = b.int(IntOp::And, own, Const::i64(1));
        let is_odd = b.compare(Cmp::Ne, bit, Const::i64(0));
        b.branch(is_odd, odd, join);
        b.switch_to(odd);
        // Of the item before, which takes no part, and of oneself.
        let before = b.int(IntOp::Sub, id, Const::i64(1));
        let absent = shuffle(b, Const::i64(1000), before);
        let present = shuffle(b, Const::i64(10), id);
        let sum = b.int(IntOp::Add, absent, present);
        b.assign(value, sum);
        b.jump(more);
        b.switch_to(more);
        let more = shuffle(b, value, id);
        b.assign(value, more);
        b.jump(join);
        b.switch_to(join);
        let other = b.int(IntOp::Xor, id, Const::i64(1));
        shuffle(b, value, other)
    }));
    let wanted = expected(|n, _, _| if n % 2 == 0 { 10 } else { n - 1 });
    assert_eq!(found.unwrap(), wanted);
}

/// Each item goes through a loop as often as its number in the sub-group says, and sums what its neighbour gives while that is
/// there.
#[test]
fn behind_a_loop_all_are_together_again() {
    let found = found(&made(|b, own, id| {
        let (i, sum) = (b.variable("i", Type::I64), b.variable("sum", Type::I64));
        b.assign(i, Const::i64(0));
        b.assign(sum, Const::i64(0));
        let (exit, head, body) = (b.block(), b.block(), b.block());
        b.jump(head);
        b.switch_to(head);
        let on = b.compare(Cmp::ULt, i, id);
        b.branch(on, body, exit);
        b.switch_to(body);
        let next = b.int(IntOp::Add, id, Const::i64(1));
        let given = shuffle(b, own, next);
        let more = b.int(IntOp::Add, sum, given);
        b.assign(sum, more);
        let more = b.int(IntOp::Add, i, Const::i64(1));
        b.assign(i, more);
        b.jump(head);
        b.switch_to(exit);
        // All of the sub-group are here: the first one's sum is zero, the last one has gone round most often.
        let last = shuffle(b, i, Const::i64(1));
        let scaled = b.int(IntOp::Mul, last, Const::i64(1000));
        b.int(IntOp::Add, sum, scaled)
    }));
    let wanted = expected(|n, first, count| {
        let id = n - first;
        // The next one goes round once more, and so is there each time.
        let sum = if id + 1 < count { id * (n + 1) } else { 0 };
        sum + 1000
    });
    assert_eq!(found.unwrap(), wanted);
}

/// A function with a shuffle that two branches call: each with those that came the same way.
#[test]
fn calls_from_two_places_are_two_shuffles() {
    let mut m = Module::new();
    let mut f = FunctionBuilder::new("f", &[Type::I64, Type::I64], Some(Type::I64));
    let (given, from) = (f.param(0), f.param(1));
    let value = shuffle(&mut f, given, from);
    f.ret(Some(value.into()));
    let f = m.add_function(f.finish());
    let mut b = kernel(&[BUFFER]);
    let own = lid(&mut b);
    let id = b.query(Query::SubGroupLocalId, Const::i32(0));
    let other = b.int(IntOp::Xor, id, Const::i64(1));
    let value = b.variable("value", Type::I64);
    let (join, low, high) = (b.block(), b.block(), b.block());
    let is_low = b.compare(Cmp::ULt, id, Const::i64(1));
    b.branch(is_low, low, high);
    for (block, add) in [(low, 100), (high, 200)] {
        b.switch_to(block);
        let given = b.int(IntOp::Add, own, Const::i64(add));
        let args = vec![given.into(), other.into()];
        let got = b.call(f, args, Some(Type::I64)).expect("a result");
        b.assign(value, got);
        b.jump(join);
    }
    b.switch_to(join);
    let args = vec![value.into(), id.into()];
    let same = b.call(f, args, Some(Type::I64)).expect("a result");
    put(&mut b, same);
    b.ret(None);
    m.add_function(b.finish());
    // The first of each sub-group is alone on its way, and so the second finds nobody, either.
    let wanted = expected(|n, first, _| {
        let id = n - first;
        if id < 2 { 0 } else { first + (id ^ 1) + 200 }
    });
    assert_eq!(found(&m).unwrap(), wanted);
}

/// Those that have ended, and those that wait for the whole work-group, do not hold a shuffle back.
#[test]
fn who_has_ended_or_waits_for_the_group_is_not_waited_for() {
    for waits in [false, true] {
        let wanted = expected(|n, first, _| if n - first < 2 { 0 } else { n + 6 });
        assert_eq!(found(&without_the_first(waits)).unwrap(), wanted);
    }
}

/// A shuffle to which the first of each sub-group does not come: it ends, or waits for the work-group.
fn without_the_first(waits: bool) -> Module {
    let mut b = kernel(&[BUFFER]);
    let own = lid(&mut b);
    let id = b.query(Query::SubGroupLocalId, Const::i32(0));
    let (on, end) = (b.block(), b.block());
    let first_ends = b.compare(Cmp::Eq, id, Const::i64(0));
    b.branch(first_ends, end, on);
    b.switch_to(on);
    let other = b.int(IntOp::Sub, id, Const::i64(1));
    let value = b.int(IntOp::Add, own, Const::i64(7));
    let got = shuffle(&mut b, value, other);
    put(&mut b, got);
    b.jump(end);
    b.switch_to(end);
    if waits {
        b.barrier(Regions::GLOBAL, MemScope::WorkGroup);
    }
    b.ret(None);
    module(b)
}

#[test]
fn to_rotate_by_different_numbers_is_a_trap() {
    let rotation = |differs: bool| {
        made(|b, own, id| {
            let delta: Operand = match differs {
                true => id.into(),
                false => Const::i64(-1).into(),
            };
            let op = Op::Collective {
                kind: BarrierKind::SubGroup,
                function: Collective::Shuffle,
                value: own.into(),
                from: vec![id.into(), delta],
            };
            b.emit(Type::I64, op)
        })
    };
    assert_eq!(found(&rotation(false)).unwrap(), expected(|n, _, _| n));
    let trap = found(&rotation(true)).unwrap_err();
    // Which sub-group comes to it first depends on the seed.
    let TrapKind::DivergentRotation {
        delta, other_delta, ..
    } = trap.kind
    else {
        panic!("{trap}");
    };
    assert_eq!((delta, other_delta), (0, 1));
}
