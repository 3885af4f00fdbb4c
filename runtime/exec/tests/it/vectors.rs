//! Work-items that machine code runs several of at once: what they report and leave is what they would one by one. Random
//! kernels of this kind are those of the form [`Apart`](crate::random::Form::Apart).

use crate::support::*;
use std::sync::Arc;
use touchstone_exec::{Arg, Engine, Interleaving, Launch, LaunchError, LaunchStats, Trap};
use touchstone_ir::{
    BarrierKind, BlockId, Cmp, Const, FunctionBuilder, IntOp, Loc, MemScope, Module, NumKind, Op,
    Operand, Query, Reg, Regions, Type,
};

/// Runs kernel `k` on one buffer, coarsely interleaved.
pub fn run(
    m: &Module,
    engine: Engine,
    (global, local): (u64, u64),
    words: &Words,
) -> Result<LaunchStats, Box<Trap>> {
    let exe = prepare(m.clone());
    let argument = Arg::Object {
        address: words.address(),
        base: words.address(),
        len: words.0.len() as u64 * 4,
        permission: touchstone_exec::Permission::ReadWrite,
    };
    let kernel = exe.kernel("k").expect("k").id;
    let mut launch = Launch::linear(kernel, vec![argument], global, local, words.map());
    launch.interleaving = Interleaving::Coarse;
    launch.engine = engine;
    pool(1).run(&exe, launch).map_err(|error| match error {
        LaunchError::Trap(trap) => trap,
        other => panic!("{other}"),
    })
}

pub fn gid(b: &mut FunctionBuilder) -> Reg {
    b.query(Query::GlobalId, Const::i32(0))
}

/// A launch that is interpreted at first, goes on with code for one item after the other, which is soon compiled, and ends
/// with such as runs several at once, which takes longer: groups change over between each other, and leave the same.
#[test]
fn a_long_launch_leaves_the_same_with_each_code_that_it_takes_up() {
    const DIVISIONS: u32 = 400;
    let mut b = kernel(&[BUFFER]);
    let place = gid(&mut b);
    let id = b.convert(place, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    let mut x = id;
    for n in 0..DIVISIONS {
        let divided = b.int(IntOp::UDiv, x, Const::i32(n as i32 % 7 + 1));
        let odd = b.int(IntOp::Or, divided, Const::i32(1));
        x = b.int(IntOp::URem, id, odd);
    }
    let p = b.ptr_add(b.param(0), place, 4, 0);
    b.store(p, x);
    b.ret(None);
    let m = module(b);
    let words = Words::new(600_000);
    let count = words.0.len() as u64;
    run(&m, Engine::Automatic, (count, 50), &words).unwrap_or_else(|trap| panic!("{trap}"));
    for (id, left) in (0..).zip(words.all()) {
        let next = |x: u32, n: u32| id % ((x / (n % 7 + 1)) | 1);
        assert_eq!(left, (0..DIVISIONS).fold(id, next), "of {id}");
    }
}

/// `far` for one item, else 0.
pub fn for_one(b: &mut FunctionBuilder, item: i64, far: i64) -> Reg {
    let id = gid(b);
    let is_it = b.compare(Cmp::Eq, id, Const::i64(item));
    b.select(is_it, Const::i64(far), Const::i64(0))
}

/// The item that traps, and the line it does so in.
pub fn report(m: &Module, engine: Engine, words: &Words) -> (u64, u32) {
    let trap = run(m, engine, (64, 32), words).expect_err("a trap");
    (trap.global_id[0], trap.place.loc.line)
}

/// Rows of words that end at any place: the first item behind the end is reported, and those before it have stored.
#[test]
fn the_first_item_that_misses_is_reported() {
    for len in 1..40 {
        for engine in [Engine::Interpreter, Engine::Native] {
            let mut b = kernel(&[BUFFER]);
            b.set_loc(Loc::new(7, 1));
            let id = gid(&mut b);
            let p = b.ptr_add(b.param(0), id, 4, 0);
            b.store(p, Const::i32(5));
            b.ret(None);
            let words = Words::new(len);
            let seen = report(&module(b), engine, &words);
            assert_eq!(seen, (len as u64, 7), "{engine:?}");
            assert_eq!(words.all(), vec![5; len], "{engine:?}");
        }
    }
}

/// One item may not make the second access, a later one not even the first: one by one, the former is met first.
#[test]
fn the_first_item_is_reported_though_another_traps_earlier_in_the_kernel() {
    for engine in [Engine::Interpreter, Engine::Native] {
        let mut b = kernel(&[BUFFER]);
        for (line, item) in [(1, 5), (2, 3)] {
            b.set_loc(Loc::new(line, 1));
            let far = for_one(&mut b, item, 1 << 30);
            let p = b.ptr_add(b.param(0), far, 4, 0);
            b.load(Type::I32, p);
        }
        b.ret(None);
        let words = Words::new(64);
        assert_eq!(report(&module(b), engine, &words), (3, 2), "{engine:?}");
    }
}

/// Division by zero by one of several.
#[test]
fn who_divides_by_zero_is_reported() {
    for engine in [Engine::Interpreter, Engine::Native] {
        let mut b = kernel(&[BUFFER]);
        b.set_loc(Loc::new(4, 1));
        let id = gid(&mut b);
        let divisor = b.int(IntOp::Sub, id, Const::i64(11));
        let q = b.int(IntOp::SDiv, Const::i64(100), divisor);
        let p = b.ptr_add(b.param(0), id, 8, 0);
        b.store(p, q);
        b.ret(None);
        let words = Words::new(128);
        assert_eq!(report(&module(b), engine, &words), (11, 4), "{engine:?}");
    }
}

/// `for (i = 0; i < n; i++) body(i)`.
pub fn looped(
    b: &mut FunctionBuilder,
    n: impl Into<Operand>,
    body: impl FnOnce(&mut FunctionBuilder, Reg),
) {
    let i = b.variable("i", Type::I32);
    b.assign(i, Const::i32(0));
    let (head, inside, exit): (BlockId, BlockId, BlockId) = (b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let c = b.compare(Cmp::SLt, i, n);
    b.branch(c, inside, exit);
    b.switch_to(inside);
    body(b, i);
    let t = b.int(IntOp::Add, i, Const::i32(1));
    b.assign(i, t);
    b.jump(head);
    b.switch_to(exit);
}

/// The item's word of the buffer becomes `7 * word + i`.
fn change(b: &mut FunctionBuilder, i: Reg) {
    let id = gid(b);
    let p = b.ptr_add(b.param(0), id, 4, 0);
    let x = b.load(Type::I32, p);
    let x = b.int(IntOp::Mul, x, Const::i32(7));
    let x = b.int(IntOp::Add, x, i);
    b.store(p, x);
}

/// Both engines, whose memory and steps are to be the same.
pub fn agree(m: &Module, sizes: (u64, u64)) -> Vec<u32> {
    let [(stats, words), other] = [Engine::Interpreter, Engine::Native].map(|engine| {
        let words = Words::of(&(0..sizes.0 as u32).collect::<Vec<_>>());
        let stats = run(m, engine, sizes, &words).unwrap_or_else(|trap| panic!("{trap}"));
        (stats, words.all())
    });
    assert_eq!((&stats, &words), (&other.0, &other.1), "{m}");
    words
}

/// Loops that take more steps than there are until the next question whether to go on; also where each item goes
/// round for another number of times.
#[test]
fn long_loops_go_on_where_they_were() {
    for differ in [false, true] {
        let mut b = kernel(&[BUFFER]);
        let mut n: Operand = Const::i32(40_000).into();
        if differ {
            let id = gid(&mut b);
            let id = b.convert(id, NumKind::Unsigned, Type::I32, NumKind::Signed);
            n = b.int(IntOp::Mul, id, Const::i32(2_000)).into();
        }
        looped(&mut b, n, change);
        b.ret(None);
        let m = module(b);
        agree(&m, (35, 35));
        agree(&m, (32, 16));
    }
}

/// A halving sum with a barrier in each round, in which fewer and fewer items take part.
#[test]
fn items_that_part_meet_again_at_barriers() {
    let mut b = kernel(&[BUFFER]);
    let id = gid(&mut b);
    let own = b.ptr_add(b.param(0), id, 4, 0);
    let lid = b.query(Query::LocalId, Const::i32(0));
    let n = b.variable("n", Type::I64);
    b.assign(n, Const::i64(32));
    let (head, inside, add, meet, exit) = (b.block(), b.block(), b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let more = b.compare(Cmp::SGt, n, Const::i64(0));
    b.branch(more, inside, exit);
    b.switch_to(inside);
    let takes_part = b.compare(Cmp::ULt, lid, n);
    b.branch(takes_part, add, meet);
    b.switch_to(add);
    let other = b.ptr_add(own, n, 4, 0);
    let (x, y) = (b.load(Type::I32, own), b.load(Type::I32, other));
    let sum = b.int(IntOp::Add, x, y);
    b.store(own, sum);
    b.jump(meet);
    b.switch_to(meet);
    b.push(Op::Barrier {
        kind: BarrierKind::WorkGroup,
        regions: Regions::GLOBAL,
        scope: MemScope::WorkGroup,
    });
    let half = b.int(IntOp::LShr, n, Const::i64(1));
    b.assign(n, half);
    b.jump(head);
    b.switch_to(exit);
    b.ret(None);
    let words = agree(&module(b), (256, 64));
    for group in 0..4u32 {
        let sum: u32 = (64 * group..64 * group + 64).sum();
        assert_eq!(words[64 * group as usize], sum);
    }
}

/// Numbers of 32 bits that wrap within a vector where they become numbers of 64.
#[test]
fn what_wraps_in_32_bits_does_so_in_vectors() {
    for first in [-3, i32::MAX - 3, i32::MIN] {
        for kind in [NumKind::Signed, NumKind::Unsigned] {
            let mut b = kernel(&[BUFFER]);
            let id = gid(&mut b);
            let short = b.convert(id, NumKind::Unsigned, Type::I32, NumKind::Signed);
            let x = b.int(IntOp::Add, short, Const::i32(first));
            let x = b.convert(x, kind, Type::I64, NumKind::Signed);
            let x = b.int(IntOp::LShr, x, Const::i64(8));
            let p = b.ptr_add(b.param(0), id, 4, 0);
            let x = b.convert(x, NumKind::Unsigned, Type::I32, NumKind::Signed);
            b.store(p, x);
            b.ret(None);
            let words = agree(&module(b), (32, 32));
            for (id, &word) in words.iter().enumerate() {
                let x = first.wrapping_add(id as i32);
                let x = match kind {
                    NumKind::Signed => i64::from(x) as u64,
                    _ => u64::from(x as u32),
                };
                assert_eq!(word, (x >> 8) as u32, "{first} + {id}");
            }
        }
    }
}

/// Arguments are the same for all; what is made of them may reach any number.
#[test]
fn prepared_kernels_are_used_by_several_threads() {
    let mut b = kernel(&[BUFFER]);
    looped(&mut b, Const::i32(10), change);
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::new(1 << 14);
    let kernel = exe.kernel("k").expect("k").id;
    let arguments = vec![Arg::Pointer(words.address())];
    let mut launch = Launch::linear(kernel, arguments, 1 << 14, 64, words.map());
    launch.engine = Engine::Native;
    launch.interleaving = Interleaving::Coarse;
    pool(2).run(&Arc::clone(&exe), launch).expect("runs");
    let expected = (0..10).fold(0u32, |x, i| x.wrapping_mul(7).wrapping_add(i));
    assert!(words.all().iter().all(|&word| word == expected));
}
