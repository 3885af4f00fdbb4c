//! An access belongs to the object that its address was computed from.

use crate::support::*;
use std::sync::Arc;
use touchstone_exec::{
    Arg, Launch, LaunchError, LaunchStats, MemoryMap, Missed, Permission, Trap, TrapKind,
};
use touchstone_ir::{
    AddressSpace, ArgPass, Const, FunctionBuilder, Global, Loc, LocalVar, Module, Op, Operand,
    Scalar, Type,
};

/// Two objects that touch: the halves of one allocation.
struct Halves(Words);

const HALF: u64 = 16;

impl Halves {
    fn new() -> Halves {
        Halves(Words::new(8))
    }

    fn half(&self, n: u64) -> Arg {
        let base = self.0.address() + n * HALF;
        Arg::Object {
            address: base,
            base,
            len: HALF,
            permission: Permission::ReadWrite,
        }
    }

    fn map(&self) -> Arc<MemoryMap> {
        let mut map = MemoryMap::new();
        for n in 0..2 {
            // SAFETY: atomics, alive in the test while launches run.
            unsafe { map.add(self.0.address() + n * HALF, HALF, Permission::ReadWrite) };
        }
        Arc::new(map)
    }

    fn run(&self, m: Module) -> Result<LaunchStats, LaunchError> {
        let exe = prepare(m);
        let args = vec![self.half(0), self.half(1)];
        let kernel = exe.kernel("k").expect("kernel k").id;
        pool(1).run(&exe, Launch::linear(kernel, args, 1, 1, self.map()))
    }
}

fn trap(result: Result<LaunchStats, LaunchError>) -> Trap {
    match result {
        Err(LaunchError::Trap(trap)) => *trap,
        other => panic!("no trap: {other:?}"),
    }
}

fn missed(trap: &Trap) -> Missed {
    match &trap.kind {
        TrapKind::BadRead { missed, .. } | TrapKind::BadWrite { missed, .. } => {
            missed.clone().expect("an object was missed")
        }
        other => panic!("{other}"),
    }
}

fn two_buffers(write: impl FnOnce(&mut FunctionBuilder)) -> Module {
    let mut b = kernel(&[BUFFER, BUFFER]);
    b.set_loc(Loc::new(1, 1));
    write(&mut b);
    b.ret(None);
    module(b)
}

/// The neighbour's first word is in reach of the launch, but not of this pointer.
#[test]
fn an_overrun_does_not_pass_for_the_neighbour() {
    let halves = Halves::new();
    for (argument, offset, inside) in [
        (0, 12, true),
        (0, 16, false),
        (1, 0, true),
        (1, -4, false),
        (0, 13, false),
    ] {
        let m = two_buffers(|b| {
            let p = b.ptr_offset(b.param(argument), offset);
            b.store(p, Const::i32(1));
        });
        let result = halves.run(m);
        if inside {
            result.expect("runs");
            continue;
        }
        let trap = trap(result);
        let missed = missed(&trap);
        assert_eq!(missed.object, format!("argument {argument} `x`"));
        assert_eq!(missed.first, halves.0.address() + argument as u64 * HALF);
        assert_eq!(missed.len, HALF);
    }
    assert_eq!(halves.0.all(), [0, 0, 0, 1, 1, 0, 0, 0]);
}

#[test]
fn messages_say_what_was_missed_and_by_how_much() {
    let halves = Halves::new();
    let base = halves.0.address();
    for (offset, text) in [
        (16, "right after the end of"),
        (24, "8 bytes after the end of"),
        (-8, "8 bytes before"),
        (14, "across the end of"),
    ] {
        let m = two_buffers(|b| {
            let p = b.ptr_offset(b.param(0), offset);
            b.load(Type::I32, p);
        });
        assert_eq!(
            trap(halves.run(m)).to_string(),
            format!(
                "kernel k, work-item [0, 0, 0]: read of 4 bytes at {:#x}, {text} argument 0 `x` \
                 (16 bytes at {base:#x}), in k at 1:1",
                base.wrapping_add_signed(offset)
            )
        );
    }
}

/// A helper called with either buffer is held to each in turn.
#[test]
fn helpers_are_held_to_their_callers_objects() {
    for (argument, index, inside) in [(0, 3, true), (0, 4, false), (1, 3, true), (1, -1, false)] {
        let halves = Halves::new();
        let mut m = Module::new();
        let mut f = FunctionBuilder::new("put", &[GLOBAL, Type::I64], None);
        let p = f.ptr_add(f.param(0), f.param(1), 4, 0);
        f.store(p, Const::i32(1));
        f.ret(None);
        let put = m.add_function(f.finish());
        let mut b = kernel(&[BUFFER, BUFFER]);
        for n in 0..2 {
            let i = if n == argument { index } else { 0 };
            b.call(put, vec![b.param(n).into(), Const::i64(i).into()], None);
        }
        b.ret(None);
        m.add_function(b.finish());
        assert_eq!(
            halves.run(m).is_ok(),
            inside,
            "argument {argument} at {index}"
        );
    }
}

/// A pointer of unknown origin may reach every object, but each access only one.
#[test]
fn pointers_out_of_memory_reach_any_one_object() {
    for (offset, inside) in [(0, true), (20, true), (14, false), (32, false)] {
        let halves = Halves::new();
        let m = two_buffers(|b| {
            let slot = b.slot("p", 8, 8);
            let at = b.slot_addr(slot);
            b.store(at, b.param(0));
            let p = b.load(GLOBAL, at);
            let p = b.ptr_offset(p, offset);
            b.load(Type::I32, p);
        });
        let result = halves.run(m);
        assert_eq!(result.is_ok(), inside, "at {offset}");
        if !inside {
            let missed = missed(&trap(result));
            assert_eq!(missed.object, "the nearest memory that the kernel may use");
        }
    }
}

/// What one argument may only read, another that overlaps it may write.
#[test]
fn permissions_are_the_arguments() {
    let words = Words::new(4);
    let m = |argument: usize| {
        two_buffers(|b| {
            b.load(Type::I32, b.param(argument));
            b.store(b.param(argument), Const::i32(1));
        })
    };
    for argument in [0, 1] {
        let exe = prepare(m(argument));
        let args = vec![
            object(&words, Permission::Read),
            object(&words, Permission::ReadWrite),
        ];
        let launch = Launch::linear(exe.kernels()[0].id, args, 1, 1, words.map());
        let result = pool(1).run(&exe, launch);
        assert_eq!(result.is_ok(), argument == 1);
        if argument == 0 {
            let text = trap(result).to_string();
            assert!(
                text.contains("which may only be read: it is in argument 0"),
                "{text}"
            );
        }
    }
}

#[test]
fn an_argument_must_be_in_the_map() {
    let words = Words::new(4);
    let other = Words::new(4);
    let exe = prepare(module({
        let mut b = kernel(&[BUFFER]);
        b.ret(None);
        b
    }));
    let launch = Launch::linear(
        exe.kernels()[0].id,
        vec![object(&other, Permission::Read)],
        1,
        1,
        words.map(),
    );
    assert_eq!(
        pool(1)
            .run(&exe, launch)
            .expect_err("not there")
            .to_string(),
        "invalid launch of k: argument 0 (x) must be a pointer into memory that the launch may touch"
    );
}

/// Variables of each kind end where they end, although others follow.
#[test]
fn variables_are_told_apart() {
    type Address = fn(&mut FunctionBuilder) -> Operand;
    let cases: [(&str, Address); 3] = [
        ("the private variable `first`", |b| {
            let slot = b.slot("first", 16, 4);
            b.slot("second", 16, 4);
            b.slot_addr(slot).into()
        }),
        ("the local variable `l0`", |b| {
            b.local_addr(touchstone_ir::LocalId(1));
            b.local_addr(touchstone_ir::LocalId(0)).into()
        }),
        ("the program's variable `g0`", |b| {
            b.global_addr(touchstone_ir::GlobalId(0), AddressSpace::Global)
                .into()
        }),
    ];
    for (name, address) in cases {
        for (offset, inside) in [(12, true), (16, false), (-4, false)] {
            let mut b = kernel(&[BUFFER, BUFFER]);
            let base = address(&mut b);
            let p = b.ptr_offset(base, offset);
            b.store(p, Const::i32(7));
            b.ret(None);
            let mut m = Module::new();
            let k = m.add_function(b.finish());
            for n in 0..2 {
                m.add_local(LocalVar {
                    name: format!("l{n}"),
                    kernel: Some(k),
                    size: 16,
                    align: 4,
                });
                m.add_global(Global {
                    name: format!("g{n}"),
                    space: AddressSpace::Global,
                    size: 16,
                    align: 4,
                    init: Vec::new(),
                    relocs: Vec::new(),
                });
            }
            let result = Halves::new().run(m);
            if inside {
                result.unwrap_or_else(|e| panic!("{name} at {offset}: {e}"));
            } else {
                assert_eq!(missed(&trap(result)).object, name);
            }
        }
    }
}

/// Two local arguments lie side by side, too.
#[test]
fn local_arguments_are_told_apart() {
    let words = Words::new(1);
    let local = ArgPass::LocalPointer { align: 4 };
    for (offset, inside) in [(12, true), (16, false)] {
        let mut b = kernel(&[local, local]);
        let p = b.ptr_offset(b.param(0), offset);
        b.store(p, Const::i32(1));
        b.push(Op::MemSet {
            dst: b.param(1).into(),
            byte: Const::scalar(Scalar::I8, 1).into(),
            size: Const::i64(16).into(),
            align: 1,
        });
        b.ret(None);
        let exe = prepare(module(b));
        let args = vec![Arg::Local(16), Arg::Local(16)];
        // Items in turns, each with windows of its own.
        let launch = Launch::linear(exe.kernels()[0].id, args, 8, 4, words.map());
        assert_eq!(pool(1).run(&exe, launch).is_ok(), inside);
    }
}

/// With the bounds checker off an access goes where it goes, and what is no memory is still caught.
#[test]
fn without_the_bounds_checker_nothing_is_checked() {
    let halves = Halves::new();
    let mut map = MemoryMap::clone(&halves.map());
    // SAFETY: the kernel's accesses are to the words, or to no memory.
    unsafe { map.without_bounds_checks() };
    let map = Arc::new(map);
    let run = |offset| {
        let exe = prepare(two_buffers(|b| {
            let p = b.ptr_offset(b.param(0), offset);
            b.store(p, Const::i32(1));
        }));
        let args = vec![halves.half(0), halves.half(1)];
        let kernel = exe.kernels()[0].id;
        pool(1).run(&exe, Launch::linear(kernel, args, 1, 1, Arc::clone(&map)))
    };
    run(16).expect("the neighbour's first word");
    assert_eq!(halves.0.get(4), 1);
    if touchstone_exec::CATCHES_FAULTS {
        let trap = trap(run(i64::MIN));
        assert!(matches!(trap.kind, TrapKind::Unmapped { .. }), "{trap}");
    }
}
