//! What no program may do ends the launch with its place, and nothing else.

use crate::support::*;
use std::sync::Arc;
use touchstone_exec::{Arg, Launch, LaunchError, MemoryMap, Permission, Trap, TrapKind};
use touchstone_ir::{
    AddressSpace, Const, FunctionBuilder, Loc, MemScope, Module, Op, Operand, Order, Query, RmwOp,
    Terminator, TrapReason, Type,
};

fn trap_of(m: Module, words: &Words, map: Arc<MemoryMap>) -> Trap {
    let exe = prepare(m);
    let launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(words.address())],
        1,
        1,
        map,
    );
    match pool(1).run(&exe, launch) {
        Err(LaunchError::Trap(trap)) => *trap,
        other => panic!("no trap: {other:?}"),
    }
}

/// Where a trap's bad write was, and its bytes.
fn written(trap: &Trap) -> (u64, u64) {
    match &trap.kind {
        TrapKind::BadWrite { address, size, .. } => (*address, *size),
        other => panic!("{other}"),
    }
}

fn kernel_with(write: impl FnOnce(&mut FunctionBuilder)) -> Module {
    let mut b = kernel(&[BUFFER]);
    b.set_loc(Loc::new(2, 3));
    write(&mut b);
    b.ret(None);
    module(b)
}

#[test]
fn accesses_outside_of_the_buffer() {
    let words = Words::new(4);
    let base = words.address();
    for (offset, bad) in [
        (-4i64, true),
        (0, false),
        (12, false),
        (13, true),
        (16, true),
        (1 << 40, true),
    ] {
        let read = kernel_with(|b| {
            let p = b.ptr_offset(b.param(0), offset);
            b.load(Type::I32, p);
        });
        if !bad {
            run_on(&prepare(read), 1, 1, 1, &words).expect("runs");
            continue;
        }
        let address = base.wrapping_add_signed(offset);
        let trap = trap_of(read, &words, words.map());
        let found = match &trap.kind {
            TrapKind::BadRead { address, size, .. } => (*address, *size),
            other => panic!("{other}"),
        };
        assert_eq!(found, (address, 4));
        assert_eq!(trap.place.loc, Loc::new(2, 3));
        let write = kernel_with(|b| {
            let p = b.ptr_offset(b.param(0), offset);
            b.store(p, Const::i32(1));
        });
        let trap = trap_of(write, &words, words.map());
        assert_eq!(written(&trap), (address, 4));
    }
    assert_eq!(words.all(), [0; 4]);
}

/// The window of an instruction follows its accesses from buffer to buffer and
/// never admits what lies between.
#[test]
fn each_access_is_checked_when_an_instruction_wanders() {
    let a = Words::new(2);
    let c = Words::new(2);
    let mut map = MemoryMap::new();
    // SAFETY: atomics, alive while launches run.
    unsafe {
        map.add(a.address(), 8, Permission::ReadWrite);
        map.add(c.address(), 8, Permission::ReadWrite);
    }
    let map = Arc::new(map);
    for (addresses, fails) in [
        ([a.address(), c.address(), a.address() + 4], false),
        ([a.address(), c.address() + 4, c.address() + 8], true),
    ] {
        // for each address in the list (in private memory): ++*address
        let mut b = kernel(&[BUFFER]);
        let slot = b.slot("list", 24, 8);
        let list = b.slot_addr(slot);
        for (i, &address) in addresses.iter().enumerate() {
            let p = b.ptr_offset(list, 8 * i as i64);
            b.store(p, Const::i64(address as i64));
        }
        let i = b.variable("i", Type::I64);
        let (head, body, exit) = (b.block(), b.block(), b.block());
        b.jump(head);
        b.switch_to(head);
        let go = b.compare(touchstone_ir::Cmp::ULt, i, Const::i64(3));
        b.branch(go, body, exit);
        b.switch_to(body);
        let p = b.ptr_add(list, i, 8, 0);
        let target = b.load(Type::Pointer(AddressSpace::Global), p);
        b.atomic_rmw(
            RmwOp::Add,
            target,
            Const::i32(1),
            Order::Relaxed,
            MemScope::Device,
        );
        let t = b.int(touchstone_ir::IntOp::Add, i, Const::i64(1));
        b.assign(i, t);
        b.jump(head);
        b.switch_to(exit);
        b.ret(None);
        let exe = prepare(module(b));
        let launch = Launch::linear(
            exe.kernels()[0].id,
            vec![Arg::Pointer(a.address())],
            1,
            1,
            Arc::clone(&map),
        );
        assert_eq!(pool(1).run(&exe, launch).is_err(), fails);
    }
}

#[test]
fn null_pointers_have_a_name() {
    let words = Words::new(1);
    let m = kernel_with(|b| {
        let p = b.ptr_offset(Operand::Const(Const::Null(AddressSpace::Global)), 8);
        b.load(Type::I32, p);
    });
    let mut everything = MemoryMap::new();
    // SAFETY: the kernel uses no valid address.
    unsafe { everything.add_system(Arc::new(NothingOwned)) };
    let trap = trap_of(m, &words, Arc::new(everything));
    assert_eq!(trap.kind, TrapKind::NullPointer { address: 8 });
    assert_eq!(
        trap.to_string(),
        "kernel k, work-item [0, 0, 0]: access through a null pointer (address 0x8), in k at 2:3"
    );
}

#[test]
fn memory_given_for_reading_is_not_written() {
    let words = Words::of(&[7]);
    let mut map = MemoryMap::new();
    // SAFETY: atomics, alive while launches run.
    unsafe { map.add(words.address(), 4, Permission::Read) };
    let map = Arc::new(map);
    let m = kernel_with(|b| {
        b.load(Type::I32, b.param(0));
        b.store(b.param(0), Const::i32(1));
    });
    let trap = trap_of(m, &words, map);
    let address = words.address();
    assert_eq!(written(&trap), (address, 4));
    assert_eq!(words.get(0), 7);
}

/// Private memory of another item, and past the end of one's own.
#[test]
fn private_memory_has_an_end() {
    let words = Words::new(1);
    for offset in [-8i64, 128] {
        let m = kernel_with(|b| {
            let slot = b.slot("s", 128, 8);
            let p = b.slot_addr(slot);
            let p = b.ptr_offset(p, offset);
            b.store(p, Const::i64(1));
        });
        let trap = trap_of(m, &words, words.map());
        assert!(
            matches!(trap.kind, TrapKind::BadWrite { size: 8, .. }),
            "{trap}"
        );
    }
}

#[test]
fn misaligned_atomics() {
    let words = Words::new(2);
    let m = kernel_with(|b| {
        let p = b.ptr_offset(b.param(0), 2);
        b.atomic_rmw(
            RmwOp::Add,
            p,
            Const::i32(1),
            Order::Relaxed,
            MemScope::Device,
        );
    });
    let trap = trap_of(m, &words, words.map());
    let address = words.address() + 2;
    assert_eq!(trap.kind, TrapKind::MisalignedAtomic { address, size: 4 });
}

#[test]
fn block_operations_are_checked_at_both_ends() {
    let words = Words::new(4);
    for (dst, src, bad_write) in [(0, 8, false), (8, 0, true)] {
        let m = kernel_with(|b| {
            let dst = b.ptr_offset(b.param(0), dst);
            let src = b.ptr_offset(b.param(0), src);
            b.push(Op::MemCopy {
                dst: dst.into(),
                src: src.into(),
                size: Const::i64(12).into(),
                align: 4,
            });
        });
        let trap = trap_of(m, &words, words.map());
        let is_write = matches!(trap.kind, TrapKind::BadWrite { size: 12, .. });
        assert_eq!(is_write, bad_write, "{trap}");
    }
}

#[test]
fn the_program_traps_by_itself() {
    let words = Words::new(1);
    for (term, kind) in [
        (Terminator::Unreachable, TrapKind::Unreachable),
        (Terminator::Trap(TrapReason::Explicit), TrapKind::Explicit),
        (
            Terminator::Trap(TrapReason::MissingReturn),
            TrapKind::MissingReturn,
        ),
    ] {
        let trap = trap_of(kernel_with(|b| b.terminate(term)), &words, words.map());
        assert_eq!(trap.kind, kind);
    }
}

/// The place is that of the called function, the item the one that trapped.
#[test]
fn a_trap_names_function_and_item() {
    let mut m = Module::new();
    let mut f = FunctionBuilder::new("helper", &[BUFFER_TYPE, Type::I64], None);
    f.set_loc(Loc::new(1, 9));
    let p = f.ptr_add(f.param(0), f.param(1), 4, 0);
    f.store(p, Const::i32(1));
    f.ret(None);
    let helper = m.add_function(f.finish());
    let mut b = kernel(&[BUFFER]);
    let gid = b.query(Query::GlobalId, Const::i32(0));
    b.call(helper, vec![b.param(0).into(), gid.into()], None);
    b.ret(None);
    m.add_function(b.finish());
    let words = Words::new(5);
    let Err(LaunchError::Trap(trap)) = run_on(&prepare(m), 1, 8, 4, &words) else {
        panic!("no trap");
    };
    assert_eq!(
        (trap.place.function.as_str(), trap.place.loc),
        ("helper", Loc::new(1, 9))
    );
    assert_eq!(trap.global_id, [5, 0, 0]);
    assert_eq!(words.all(), [1; 5]);
}

const BUFFER_TYPE: Type = GLOBAL;
