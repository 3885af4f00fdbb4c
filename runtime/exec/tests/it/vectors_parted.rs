//! Work-items that machine code runs several of at once, and that go different ways between two barriers: what they do, what
//! they report and how many steps they take is what it would be one by one. Random kernels of this kind are those of the
//! form [`Parted`](crate::random::Form::Parted).

use crate::support::*;
use crate::vectors::{agree, gid, looped, report, run};
use touchstone_exec::Engine;
use touchstone_ir::{
    BarrierKind, Cmp, Const, FloatOp, FuncId, FunctionBuilder, IntOp, Loc, LocalVar, MemScope,
    Module, NumKind, Op, Operand, Query, Reg, Regions, Scalar, Type,
};

const SINGLE: Type = Type::Scalar(Scalar::F32);
const DOUBLE: Type = Type::Scalar(Scalar::F64);
const BYTE: Type = Type::Scalar(Scalar::I8);
const SHORT: Type = Type::Scalar(Scalar::I16);

/// `if (condition) yes() else no()`.
fn parted(
    b: &mut FunctionBuilder,
    condition: impl Into<Operand>,
    yes: impl FnOnce(&mut FunctionBuilder),
    no: impl FnOnce(&mut FunctionBuilder),
) {
    let (then, other, join) = (b.block(), b.block(), b.block());
    b.branch(condition, then, other);
    b.switch_to(then);
    yes(b);
    b.jump(join);
    b.switch_to(other);
    no(b);
    b.jump(join);
    b.switch_to(join);
}

/// Whether bit `bit` of a scrambled id is set: for about half of the items, without a pattern.
fn odd(b: &mut FunctionBuilder, bit: i64) -> Reg {
    let id = gid(b);
    let x = b.int(IntOp::Mul, id, Const::i64(0x9e37_79b9_7f4a_7c15u64 as i64));
    let x = b.int(IntOp::LShr, x, Const::i64(32 + bit));
    let x = b.int(IntOp::And, x, Const::i64(1));
    b.compare(Cmp::Ne, x, Const::i64(0))
}

/// The item's word of the buffer.
fn own(b: &mut FunctionBuilder) -> Reg {
    let id = gid(b);
    b.ptr_add(b.param(0), id, 4, 0)
}

fn barrier(b: &mut FunctionBuilder) {
    b.push(Op::Barrier {
        kind: BarrierKind::WorkGroup,
        regions: Regions::LOCAL,
        scope: MemScope::WorkGroup,
    });
}

/// A number of 32 bits from one of another type.
fn short(b: &mut FunctionBuilder, x: Reg) -> Reg {
    match b.type_of(x) {
        Type::I32 => x,
        SINGLE | DOUBLE => b.convert(x, NumKind::Float, Type::I32, NumKind::Signed),
        _ => b.convert(x, NumKind::Signed, Type::I32, NumKind::Signed),
    }
}

const SIZES: [(u64, u64); 5] = [(64, 64), (96, 48), (100, 40), (37, 17), (256, 32)];

/// Variables of each type that both ways change, and one of them alone.
#[test]
fn slots_of_each_type_are_their_items_own() {
    for ty in [Type::I32, Type::I64, SINGLE, DOUBLE] {
        for nested in [false, true] {
            let mut b = kernel(&[BUFFER]);
            let p = own(&mut b);
            let x = b.load(Type::I32, p);
            let (v, w) = (b.variable("v", ty), b.variable("w", ty));
            let of = |b: &mut FunctionBuilder, x: Reg| match ty {
                Type::I32 => b.copy(x),
                Type::I64 => b.convert(x, NumKind::Signed, ty, NumKind::Signed),
                _ => b.convert(x, NumKind::Signed, ty, NumKind::Float),
            };
            let start = of(&mut b, x);
            b.assign(v, start);
            let same = of(&mut b, x);
            b.assign(w, same);
            let more = |b: &mut FunctionBuilder, v: Reg, by: Reg| {
                let sum = match ty {
                    Type::I32 | Type::I64 => b.int(IntOp::Add, v, by),
                    _ => b.float(FloatOp::Add, v, by),
                };
                b.assign(v, sum);
            };
            let c = odd(&mut b, 0);
            let d = odd(&mut b, 1);
            parted(
                &mut b,
                c,
                |b| {
                    more(b, v, w);
                    if nested {
                        parted(b, d, |b| more(b, v, v), |b| more(b, w, v));
                    }
                    more(b, v, w);
                },
                |b| more(b, w, w),
            );
            let (v, w) = (short(&mut b, v), short(&mut b, w));
            let w = b.int(IntOp::Mul, w, Const::i32(1000));
            let sum = b.int(IntOp::Add, v, w);
            b.store(p, sum);
            b.ret(None);
            let m = module(b);
            for sizes in SIZES {
                agree(&m, sizes);
            }
        }
    }
}

/// What may not be done is done by nobody: accesses far away, and divisions by zero, on ways that no such item goes.
#[test]
fn who_goes_another_way_does_no_harm() {
    for bit in 0..3 {
        let mut b = kernel(&[BUFFER]);
        let p = own(&mut b);
        let c = odd(&mut b, bit);
        // Out of bounds for those who do not go there.
        let far = b.select(c, Const::i64(0), Const::i64(1 << 40));
        let divisor = b.convert(c, NumKind::Unsigned, Type::I32, NumKind::Signed);
        parted(
            &mut b,
            c,
            |b| {
                let q = b.ptr_add(p, far, 1, 0);
                let x = b.load(Type::I32, q);
                let y = b.int(IntOp::SDiv, x, divisor);
                let z = b.int(IntOp::URem, x, divisor);
                let x = b.int(IntOp::Add, y, z);
                let x = b.int(IntOp::Add, x, Const::i32(1));
                b.store(q, x);
            },
            |_| {},
        );
        b.ret(None);
        let m = module(b);
        for sizes in SIZES {
            agree(&m, sizes);
        }
    }
}

/// Rows of words that end at any place, for those whose words are there alone: nobody is reported.
#[test]
fn rows_end_where_items_stop() {
    for (ty, log) in [(BYTE, 0), (SHORT, 1), (Type::I32, 2), (Type::I64, 3)] {
        for len in [1, 2, 5, 8, 15, 16, 17, 30] {
            let mut b = kernel(&[BUFFER]);
            let id = gid(&mut b);
            let is_there = b.compare(Cmp::ULt, id, Const::i64(len));
            parted(
                &mut b,
                is_there,
                |b| {
                    let id = gid(b);
                    let p = b.ptr_add(b.param(0), id, 1 << log, 0);
                    let x = b.load(ty, p);
                    let y = b.int(IntOp::Add, x, x);
                    b.store(p, y);
                },
                |_| {},
            );
            b.ret(None);
            let m = module(b);
            let bytes = (len as usize) << log;
            let seen = [Engine::Interpreter, Engine::Native].map(|engine| {
                let words: Vec<u32> = (0..bytes.div_ceil(4) as u32)
                    .map(|n| n.wrapping_mul(0x1234_5679))
                    .collect();
                let words = Words::of(&words);
                let stats = run(&m, engine, (64, 32), &words);
                let stats = stats.unwrap_or_else(|trap| panic!("{trap}"));
                (stats, words.all())
            });
            assert_eq!(seen[0], seen[1], "{len} of {ty}");
        }
    }
}

/// The first item that does what it may not is reported, wherever others are: behind, before, or on another way that
/// leads to a trap, too.
#[test]
fn the_first_item_is_reported_whichever_way_it_goes() {
    for first in 0..32 {
        for second in [0, 3, 16, 17, 31] {
            let mut b = kernel(&[BUFFER]);
            let id = gid(&mut b);
            let c = odd(&mut b, 0);
            let far = |b: &mut FunctionBuilder, line, item: i64| {
                b.set_loc(Loc::new(line, 1));
                let is_it = b.compare(Cmp::Eq, id, Const::i64(item));
                let far = b.select(is_it, Const::i64(1 << 30), Const::i64(0));
                let p = b.ptr_add(b.param(0), far, 4, 0);
                b.load(Type::I32, p);
            };
            let zero = b.int(IntOp::Sub, id, Const::i64(first));
            parted(
                &mut b,
                c,
                |b| {
                    far(b, 1, second);
                    far(b, 2, first);
                },
                |b| {
                    b.set_loc(Loc::new(3, 1));
                    let q = b.int(IntOp::SDiv, Const::i64(100), zero);
                    let id = gid(b);
                    let p = b.ptr_add(b.param(0), id, 8, 0);
                    b.store(p, q);
                    far(b, 4, second);
                },
            );
            b.ret(None);
            let m = module(b);
            let seen = [Engine::Interpreter, Engine::Native]
                .map(|engine| report(&m, engine, &Words::new(128)));
            assert_eq!(seen[0], seen[1], "{first} and {second}");
        }
    }
}

/// Loops that each item leaves when its turn comes, also where these are nested and longer than the steps until the next question.
#[test]
fn loops_go_on_until_all_have_left() {
    for (times, inner) in [(1, 3), (7, 5), (900, 40)] {
        for accesses in [false, true] {
            let mut b = kernel(&[BUFFER]);
            let p = own(&mut b);
            let x = b.load(Type::I32, p);
            let n = b.int(IntOp::And, x, Const::i32(7));
            let n = b.int(IntOp::Mul, n, Const::i32(times));
            let sum = b.variable("sum", Type::I32);
            b.assign(sum, x);
            looped(&mut b, n, |b, i| {
                let t = b.int(IntOp::Mul, sum, Const::i32(31));
                let t = b.int(IntOp::Add, t, i);
                b.assign(sum, t);
                let low = b.int(IntOp::And, t, Const::i32(3));
                let low = b.int(IntOp::Mul, low, Const::i32(inner));
                looped(b, low, |b, k| {
                    let t = b.int(IntOp::Xor, sum, k);
                    b.assign(sum, t);
                    if accesses {
                        b.store(p, t);
                    }
                });
            });
            b.store(p, sum);
            b.ret(None);
            let m = module(b);
            agree(&m, (96, 48));
            agree(&m, (37, 17));
        }
    }
}

/// One item of a group loops, and all meet behind that.
#[test]
fn one_item_loops_for_all() {
    for item in [0, 5, 31] {
        let mut b = kernel(&[BUFFER]);
        let lid = b.query(Query::LocalId, Const::i32(0));
        let is_it = b.compare(Cmp::Eq, lid, Const::i64(item));
        let p = own(&mut b);
        parted(
            &mut b,
            is_it,
            |b| {
                looped(b, Const::i32(20), |b, i| {
                    let x = b.load(Type::I32, p);
                    let x = b.int(IntOp::Mul, x, Const::i32(3));
                    let x = b.int(IntOp::Add, x, i);
                    b.store(p, x);
                });
            },
            |_| {},
        );
        barrier(&mut b);
        let x = b.load(Type::I32, p);
        let x = b.int(IntOp::Add, x, Const::i32(1));
        b.store(p, x);
        b.ret(None);
        let m = module(b);
        for sizes in [(64, 32), (96, 48), (70, 35)] {
            agree(&m, sizes);
        }
    }
}

/// A module with a kernel that has an array of local memory of so many words of 8 bytes.
fn with_local(words: u64, body: impl FnOnce(&mut FunctionBuilder, Reg)) -> Module {
    let mut m = Module::new();
    let local = m.add_local(LocalVar {
        name: "shared".into(),
        kernel: Some(FuncId(0)),
        size: words * 8,
        align: 8,
    });
    let mut b = kernel(&[BUFFER]);
    let shared = b.local_addr(local);
    body(&mut b, shared);
    b.ret(None);
    m.add_function(b.finish());
    m
}

/// Halving sums in local memory, of words of each type, between barriers; those of other items stay as they are.
#[test]
fn local_words_of_others_stay() {
    for (ty, log) in [
        (BYTE, 0),
        (SHORT, 1),
        (Type::I32, 2),
        (SINGLE, 2),
        (Type::I64, 3),
        (DOUBLE, 3),
    ] {
        for part in [false, true] {
            let m = with_local(48, |b, shared| {
                let lid = b.query(Query::LocalId, Const::i32(0));
                let p = own(b);
                let x = b.load(Type::I32, p);
                let q = b.ptr_add(shared, lid, 1 << log, 0);
                let is_float = matches!(ty, SINGLE | DOUBLE);
                let kind = if is_float {
                    NumKind::Float
                } else {
                    NumKind::Signed
                };
                let x = match ty {
                    Type::I32 => x,
                    _ => b.convert(x, NumKind::Signed, ty, kind),
                };
                b.store(q, x);
                barrier(b);
                let n = b.variable("n", Type::I64);
                b.assign(n, Const::i64(16));
                let (head, inside, exit) = (b.block(), b.block(), b.block());
                b.jump(head);
                b.switch_to(head);
                let more = b.compare(Cmp::SGt, n, Const::i64(0));
                b.branch(more, inside, exit);
                b.switch_to(inside);
                let takes_part = match part {
                    true => b.compare(Cmp::ULt, lid, n),
                    false => {
                        let bit = b.int(IntOp::And, lid, n);
                        let below = b.int(IntOp::Add, lid, n);
                        let inside = b.compare(Cmp::ULt, below, Const::i64(32));
                        let clear = b.compare(Cmp::Eq, bit, Const::i64(0));
                        b.select(clear, inside, Const::scalar(Scalar::Bool, 0))
                    }
                };
                parted(
                    b,
                    takes_part,
                    |b| {
                        let other = b.ptr_add(q, n, 1 << log, 0);
                        let (x, y) = (b.load(ty, q), b.load(ty, other));
                        let sum = match is_float {
                            true => b.float(FloatOp::Add, x, y),
                            false => b.int(IntOp::Add, x, y),
                        };
                        b.store(q, sum);
                    },
                    |_| {},
                );
                barrier(b);
                let half = b.int(IntOp::LShr, n, Const::i64(1));
                b.assign(n, half);
                b.jump(head);
                b.switch_to(exit);
                let x = b.load(ty, q);
                let x = match is_float {
                    true => b.convert(x, NumKind::Float, Type::I32, NumKind::Signed),
                    false => short(b, x),
                };
                b.store(p, x);
            });
            agree(&m, (128, 32));
        }
    }
}

/// A row of local memory that ends within a vector: those behind its end touch nothing, or are reported.
#[test]
fn local_rows_end_where_items_stop() {
    for bound in [10, 11, 12, 13] {
        let m = with_local(12, |b, shared| {
            b.set_loc(Loc::new(5, 1));
            let lid = b.query(Query::LocalId, Const::i32(0));
            let is_there = b.compare(Cmp::ULt, lid, Const::i64(bound));
            parted(
                b,
                is_there,
                |b| {
                    let q = b.ptr_add(shared, lid, 8, 0);
                    let x = b.load(Type::I64, q);
                    let x = b.int(IntOp::Add, x, lid);
                    b.store(q, x);
                },
                |_| {},
            );
        });
        let seen = [Engine::Interpreter, Engine::Native].map(|engine| {
            let trap = run(&m, engine, (32, 32), &Words::new(32)).err();
            trap.map(|trap| (trap.global_id[0], trap.place.loc.line))
        });
        assert_eq!(seen[0], seen[1]);
        assert_eq!(seen[0], (bound > 12).then_some((12, 5)));
    }
}

/// Items that return early, each from a place of its own.
#[test]
fn items_return_from_several_places() {
    let mut b = kernel(&[BUFFER]);
    let p = own(&mut b);
    for bit in 0..3 {
        let c = odd(&mut b, bit);
        let (leave, on) = (b.block(), b.block());
        b.branch(c, leave, on);
        b.switch_to(leave);
        let x = b.load(Type::I32, p);
        let x = b.int(IntOp::Mul, x, Const::i32(10 + bit as i32));
        b.store(p, x);
        b.ret(None);
        b.switch_to(on);
    }
    b.store(p, Const::i32(-1));
    b.ret(None);
    let m = module(b);
    for sizes in SIZES {
        agree(&m, sizes);
    }
}
