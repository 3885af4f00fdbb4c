//! What work-items that run at once find together by collective functions, and count together: it is what they would one
//! by one.

use crate::support::*;
use crate::vectors::{agree, for_one, gid, looped, report, run};
use touchstone_exec::{Engine, TrapKind};
use touchstone_ir::{
    BarrierKind, Cmp, Collective, Const, IntOp, Loc, MemScope, NumKind, Op, Order, Query, RmwOp,
    Type,
};

/// What a group finds together, by each function of three values of which two grow from item to item; also where the last
/// group is smaller, and where the result is read or not.
#[test]
fn groups_find_what_they_would_one_by_one() {
    let reduce = [RmwOp::Add, RmwOp::SMax, RmwOp::UMin].map(Collective::Reduce);
    let inclusive = [RmwOp::Add, RmwOp::SMin].map(Collective::InclusiveScan);
    let exclusive = [RmwOp::Add, RmwOp::UMax].map(Collective::ExclusiveScan);
    let all = [
        &reduce[..],
        &inclusive,
        &exclusive,
        &[Collective::Broadcast],
    ]
    .concat();
    for function in all {
        for (wide, read) in [(false, true), (true, true), (false, false)] {
            let mut b = kernel(&[BUFFER]);
            let id = gid(&mut b);
            let p = b.ptr_add(b.param(0), id, 4, 0);
            let x = b.load(Type::I32, p);
            let x = b.int(IntOp::Mul, x, Const::i32(0x9e37_79b1_u32 as i32));
            let x = b.convert(x, NumKind::Signed, Type::I64, NumKind::Signed);
            let group = b.query(Query::GroupId, Const::i32(0));
            let mut found = id;
            for value in [x, id, group] {
                let value = match wide {
                    true => value,
                    false => b.convert(value, NumKind::Signed, Type::I32, NumKind::Signed),
                };
                let ty = b.type_of(value);
                let from = match function {
                    Collective::Broadcast => {
                        let second = b.int(IntOp::Sub, group, group);
                        let second = b.int(IntOp::Add, second, Const::i64(1));
                        vec![second.into()]
                    }
                    _ => vec![],
                };
                let kind = BarrierKind::WorkGroup;
                let value = value.into();
                let made = Op::Collective {
                    kind,
                    function,
                    value,
                    from,
                };
                let made = b.emit(ty, made);
                if read {
                    let made = b.convert(made, NumKind::Signed, Type::I64, NumKind::Signed);
                    let made = b.int(IntOp::Mul, made, Const::i64(31));
                    found = b.int(IntOp::Add, found, made);
                }
                // What all have is used as such, too.
                let odd = b.int(IntOp::And, group, Const::i64(1));
                let is_odd = b.compare(Cmp::Ne, odd, Const::i64(0));
                found = b.select(is_odd, found, id);
            }
            let found = b.convert(found, NumKind::Signed, Type::I32, NumKind::Signed);
            b.store(p, found);
            b.ret(None);
            let m = module(b);
            for sizes in [(64, 64), (96, 48), (100, 40), (37, 17)] {
                agree(&m, sizes);
            }
        }
    }
}

/// A broadcast from an item that is none, or that not all name alike, by items that run at once.
#[test]
fn broadcasts_that_are_none_are_reported() {
    for (own, engine) in [false, true]
        .into_iter()
        .flat_map(|own| [Engine::Interpreter, Engine::Native].map(|engine| (own, engine)))
    {
        let mut b = kernel(&[BUFFER]);
        b.set_loc(Loc::new(3, 1));
        let id = gid(&mut b);
        let from = match own {
            true => b.query(Query::LocalId, Const::i32(0)),
            false => {
                let size = b.query(Query::LocalSize, Const::i32(0));
                b.int(IntOp::Add, size, Const::i64(0))
            }
        };
        let made = Op::Collective {
            kind: BarrierKind::WorkGroup,
            function: Collective::Broadcast,
            value: id.into(),
            from: vec![from.into()],
        };
        b.emit(Type::I64, made);
        b.ret(None);
        let words = Words::new(64);
        let trap = run(&module(b), engine, (64, 32), &words).expect_err("a trap");
        let is_right = match own {
            true => matches!(trap.kind, TrapKind::DivergentBroadcast { .. }),
            false => matches!(trap.kind, TrapKind::BroadcastFromNobody { .. }),
        };
        assert!(is_right && trap.global_id == [0; 3], "{engine:?}: {trap}");
        assert_eq!(trap.place.loc.line, 3);
    }
}

/// All count in a few words, by the ids of a row or by anything: each is counted once.
#[test]
fn what_items_count_together_is_whole() {
    for (op, by_id) in [
        (RmwOp::Add, false),
        (RmwOp::Add, true),
        (RmwOp::Xor, false),
        (RmwOp::SMax, false),
    ] {
        let mut b = kernel(&[BUFFER]);
        let id = gid(&mut b);
        let short = b.convert(id, NumKind::Unsigned, Type::I32, NumKind::Signed);
        looped(&mut b, Const::i32(3), |b, i| {
            let at = match by_id {
                true => b.query(Query::LocalId, Const::i32(0)),
                false => {
                    let n = b.int(IntOp::Mul, short, Const::i32(7));
                    let n = b.int(IntOp::Add, n, i);
                    let n = b.int(IntOp::And, n, Const::i32(15));
                    b.convert(n, NumKind::Signed, Type::I64, NumKind::Signed)
                }
            };
            let p = b.ptr_add(b.param(0), at, 4, 0);
            b.atomic_rmw(op, p, short, Order::Relaxed, MemScope::Device);
        });
        b.ret(None);
        let m = module(b);
        let words = agree(&m, (640, 40));
        let mut expected: Vec<u32> = (0..640).collect();
        for id in 0..640u32 {
            for i in 0..3 {
                let at = match by_id {
                    true => id % 40,
                    false => (id * 7 + i) % 16,
                };
                let word = &mut expected[at as usize];
                *word = match op {
                    RmwOp::Xor => *word ^ id,
                    RmwOp::SMax => (*word).max(id),
                    _ => word.wrapping_add(id),
                };
            }
        }
        assert_eq!(words, expected, "{op:?}");
    }
}

/// One of several may not count where it wants to: it is reported, and none before it is counted twice.
#[test]
fn who_counts_elsewhere_is_reported() {
    for (far, line) in [(1 << 30, 5), (2, 5)] {
        for engine in [Engine::Interpreter, Engine::Native] {
            let mut b = kernel(&[BUFFER]);
            b.set_loc(Loc::new(line, 1));
            let far = for_one(&mut b, 11, far);
            let p = b.ptr_add(b.param(0), far, 1, 0);
            b.atomic_rmw(
                RmwOp::Add,
                p,
                Const::i32(1),
                Order::Relaxed,
                MemScope::Device,
            );
            b.ret(None);
            let words = Words::new(64);
            assert_eq!(report(&module(b), engine, &words), (11, line), "{engine:?}");
            assert_eq!(words.all()[0], 11, "{engine:?}");
        }
    }
}
