//! Collective functions: who meets, what goes wrong.

use crate::support::*;
use touchstone_exec::{Arg, Launch, LaunchError, Trap, TrapKind};
use touchstone_ir::{
    BarrierKind, Cmp, Collective, Const, FunctionBuilder, NumKind, Op, Operand, Query, Reg, RmwOp,
    Type,
};

/// out[gid] = a collective function of each item's number in its group and one.
fn meeting(
    kind: BarrierKind,
    function: Collective,
    from: impl FnOnce(&mut FunctionBuilder) -> Vec<Operand>,
) -> touchstone_ir::Module {
    let mut b = kernel(&[BUFFER]);
    let lid = b.query(Query::LocalLinearId, Const::i32(0));
    let one = b.int(touchstone_ir::IntOp::Add, lid, Const::i64(1));
    let value = b.convert(one, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    let from = from(&mut b);
    let result = b.emit(
        Type::I32,
        Op::Collective {
            kind,
            function,
            value: value.into(),
            from,
        },
    );
    put(&mut b, result);
    b.ret(None);
    module(b)
}

/// out[gid] = value
fn put(b: &mut FunctionBuilder, value: Reg) {
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let at = b.ptr_add(b.param(0), gid, 4, 0);
    b.store(at, value);
}

/// What ten items in one group find, in sub-groups of four.
fn found(module: touchstone_ir::Module) -> Result<Vec<u32>, Box<Trap>> {
    let exe = prepare(module);
    let words = Words::new(10);
    let id = exe.kernel("k").expect("k").id;
    let args = vec![Arg::Pointer(words.address())];
    let mut launch = Launch::linear(id, args, 10, 10, words.map());
    launch.sub_group_size = 4;
    for seed in 0..20 {
        launch.seed = seed;
        match pool(1).run(&exe, launch.clone()) {
            Ok(_) => {}
            Err(LaunchError::Trap(trap)) => return Err(trap),
            Err(other) => panic!("{other}"),
        }
    }
    Ok(words.all())
}

fn none(_: &mut FunctionBuilder) -> Vec<Operand> {
    Vec::new()
}

#[test]
fn sub_groups_meet_by_themselves_and_the_last_is_smaller() {
    let sum = Collective::Reduce(RmwOp::Add);
    let of_all = found(meeting(BarrierKind::WorkGroup, sum, none)).expect("runs");
    assert_eq!(of_all, [55; 10]);
    let of_parts = found(meeting(BarrierKind::SubGroup, sum, none)).expect("runs");
    assert_eq!(of_parts, [10, 10, 10, 10, 26, 26, 26, 26, 19, 19]);
    let scan = Collective::ExclusiveScan(RmwOp::UMax);
    let scanned = found(meeting(BarrierKind::SubGroup, scan, none)).expect("runs");
    assert_eq!(scanned, [0, 1, 2, 3, 0, 5, 6, 7, 0, 9]);
    let scan = Collective::InclusiveScan(RmwOp::Add);
    let scanned = found(meeting(BarrierKind::SubGroup, scan, none)).expect("runs");
    assert_eq!(scanned, [1, 3, 6, 10, 5, 11, 18, 26, 9, 19]);
    let second = |_: &mut FunctionBuilder| vec![Const::i64(1).into()];
    let given = found(meeting(
        BarrierKind::SubGroup,
        Collective::Broadcast,
        second,
    ))
    .expect("runs");
    assert_eq!(given, [2, 2, 2, 2, 6, 6, 6, 6, 10, 10]);
}

#[test]
fn a_broadcast_that_is_not_one_is_a_trap() {
    let own = |b: &mut FunctionBuilder| vec![b.query(Query::LocalId, Const::i32(0)).into()];
    let trap = found(meeting(BarrierKind::WorkGroup, Collective::Broadcast, own)).unwrap_err();
    let differs = TrapKind::DivergentBroadcast {
        from: [0; 3],
        other_from: [1, 0, 0],
        other_id: [1, 0, 0],
    };
    assert_eq!(trap.kind, differs);
    // The last sub-group has two items.
    let third = |_: &mut FunctionBuilder| vec![Const::i64(2).into()];
    let trap = found(meeting(BarrierKind::SubGroup, Collective::Broadcast, third)).unwrap_err();
    let nobody = TrapKind::BroadcastFromNobody {
        from: [2, 0, 0],
        sides: [2, 1, 1],
    };
    assert_eq!((trap.kind, trap.global_id), (nobody, [8, 0, 0]));
    let row = |_: &mut FunctionBuilder| vec![Const::i64(0).into(), Const::i64(1).into()];
    let trap = found(meeting(BarrierKind::WorkGroup, Collective::Broadcast, row)).unwrap_err();
    assert!(
        matches!(trap.kind, TrapKind::BroadcastFromNobody { .. }),
        "{trap}"
    );
}

/// if (lid != 2) reduce.
#[test]
fn who_does_not_come_is_a_trap() {
    let mut b = kernel(&[BUFFER]);
    let lid = b.query(Query::LocalId, Const::i32(0));
    let comes = b.compare(Cmp::Ne, lid, Const::i64(2));
    let (yes, exit) = (b.block(), b.block());
    b.branch(comes, yes, exit);
    b.switch_to(yes);
    let op = Op::Collective {
        kind: BarrierKind::SubGroup,
        function: Collective::Reduce(RmwOp::Add),
        value: Const::i32(1).into(),
        from: Vec::new(),
    };
    let sum = b.emit(Type::I32, op);
    put(&mut b, sum);
    b.jump(exit);
    b.switch_to(exit);
    b.ret(None);
    let trap = found(module(b)).unwrap_err();
    let ended = TrapKind::BarrierNotReached { ended: [2, 0, 0] };
    assert_eq!(trap.kind, ended);
}
