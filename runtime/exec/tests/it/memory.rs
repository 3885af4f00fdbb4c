//! Loads and stores: widths, alignments, address spaces, program variables.

use crate::support::*;
use touchstone_exec::{Arg, Launch};
use touchstone_ir::{
    AddressSpace, ArgPass, Const, FuncId, Global, IntOp, Lanes, LocalVar, MemScope, Module,
    NumKind, Op, Operand, Order, Query, Regions, Reloc, RmwOp, Scalar, Type,
};

/// Each width at each offset in memory, aligned or not, through private memory.
#[test]
fn every_width_at_every_address() {
    for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
        for offset in 0..8 {
            let mut b = kernel(&[BUFFER]);
            let slot = b.slot("s", 32, 8);
            let at = b.slot_addr(slot);
            let private = b.ptr_offset(at, offset);
            let from = b.ptr_offset(b.param(0), offset);
            let x = b.load(ty, from);
            b.store(private, x);
            let y = b.load(ty, private);
            let to = b.ptr_offset(b.param(0), 16 + offset);
            b.store(to, y);
            b.ret(None);
            let words = Words::of(&[
                0x0302_0100,
                0x0706_0504,
                0x0b0a_0908,
                0x0f0e_0d0c,
                0,
                0,
                0,
                0,
            ]);
            run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
            let bytes: Vec<u8> = words.all().iter().flat_map(|w| w.to_le_bytes()).collect();
            let (first, size) = (offset as usize, ty.size() as usize);
            for (i, &got) in bytes[16..].iter().enumerate() {
                let inside = (first..first + size).contains(&i);
                assert_eq!(
                    got,
                    if inside { i as u8 } else { 0 },
                    "{ty} at {offset}, byte {i}"
                );
            }
        }
    }
}

#[test]
fn vectors_of_three_leave_the_fourth_element_alone() {
    let v3 = Type::Vector(Scalar::I32, Lanes::L3);
    let mut b = kernel(&[BUFFER]);
    let v = b.load(v3, b.param(0));
    let v = b.int(IntOp::Add, v, v);
    let p = b.ptr_offset(b.param(0), 16);
    b.store(p, v);
    b.ret(None);
    let words = Words::of(&[1, 2, 3, 4, 9, 9, 9, 9]);
    run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
    assert_eq!(words.all()[4..], [2, 4, 6, 9]);
}

#[test]
fn booleans_are_normalized_when_read() {
    let mut b = kernel(&[BUFFER]);
    let x = b.load(Type::BOOL, b.param(0));
    let n = b.convert(x, NumKind::Unsigned, Type::I32, NumKind::Unsigned);
    let p = b.ptr_offset(b.param(0), 4);
    b.store(p, n);
    b.ret(None);
    let words = Words::of(&[0x40, 0]);
    run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
    assert_eq!(words.get(1), 1);
}

/// A counter in global memory, a table in constant memory, and a pointer to it.
#[test]
fn program_variables_keep_their_values_between_launches() {
    let mut m = Module::new();
    let table = m.add_global(Global {
        name: "table".into(),
        space: AddressSpace::Constant,
        size: 8,
        align: 4,
        init: [5u32, 7].iter().flat_map(|w| w.to_ne_bytes()).collect(),
        relocs: vec![],
    });
    let counter = m.add_global(Global {
        name: "counter".into(),
        space: AddressSpace::Global,
        size: 4,
        align: 4,
        init: 40u32.to_ne_bytes().to_vec(),
        relocs: vec![],
    });
    let pointer = m.add_global(Global {
        name: "pointer".into(),
        space: AddressSpace::Constant,
        size: 8,
        align: 8,
        init: vec![],
        relocs: vec![Reloc {
            offset: 0,
            target: table,
            addend: 4,
        }],
    });
    let mut b = kernel(&[BUFFER]);
    let c = b.global_addr(counter, AddressSpace::Global);
    b.atomic_rmw(
        RmwOp::Add,
        c,
        Const::i32(1),
        Order::Relaxed,
        MemScope::Device,
    );
    let now = b.load(Type::I32, c);
    let pp = b.global_addr(pointer, AddressSpace::Constant);
    let p = b.load(Type::Pointer(AddressSpace::Constant), pp);
    let seven = b.load(Type::I32, p);
    b.store(b.param(0), now);
    let out = b.ptr_offset(b.param(0), 4);
    b.store(out, seven);
    b.ret(None);
    m.add_function(b.finish());
    let exe = prepare(m);
    assert_eq!(exe.global_bytes(), 4);
    let words = Words::new(2);
    for n in 1..4 {
        run_on(&exe, 1, 1, 1, &words).expect("runs");
        assert_eq!(words.all(), [40 + n, 7]);
    }
}

/// A static local variable, a local argument and one more, all apart.
#[test]
fn local_memory_is_the_groups_own_and_starts_as_zero() {
    let mut m = Module::new();
    let local = ArgPass::LocalPointer { align: 8 };
    let scratch = m.add_local(LocalVar {
        name: "scratch".into(),
        kernel: Some(FuncId(0)),
        size: 4,
        align: 4,
    });
    let mut b = kernel(&[BUFFER, local, local]);
    let s = b.local_addr(scratch);
    let places = [s, b.param(1), b.param(2)];
    for (i, &p) in places.iter().enumerate() {
        b.atomic_rmw(
            RmwOp::Add,
            p,
            Const::i32(1 + i as i32),
            Order::Relaxed,
            MemScope::WorkGroup,
        );
    }
    b.barrier(Regions::LOCAL, MemScope::WorkGroup);
    let group = b.query(Query::GroupId, Const::i32(0));
    for (i, &p) in places.iter().enumerate() {
        let v = b.load(Type::I32, p);
        let out = b.ptr_add(b.param(0), group, 12, 4 * i as i64);
        b.store(out, v);
    }
    b.ret(None);
    m.add_function(b.finish());
    let exe = prepare(m);
    assert_eq!(exe.kernels()[0].local_bytes, 4);
    let words = Words::new(12);
    let launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(words.address()), Arg::Local(12), Arg::Local(4)],
        16,
        4,
        words.map(),
    );
    pool(2).run(&exe, launch).expect("runs");
    assert_eq!(words.all(), [4, 8, 12].repeat(4));
}

/// One access through a generic pointer reaches each memory.
#[test]
fn generic_pointers_reach_private_local_and_global() {
    let mut b = kernel(&[BUFFER, ArgPass::LocalPointer { align: 4 }]);
    let generic = Type::Pointer(AddressSpace::Generic);
    let slot = b.slot("s", 4, 4);
    let private = b.slot_addr(slot);
    let out = b.ptr_offset(b.param(0), 4);
    let p = b.variable("p", generic);
    let i = b.variable("i", Type::I32);
    let spaces = [private, b.param(1), b.param(0)];
    b.store(private, Const::i32(1));
    b.store(b.param(1), Const::i32(10));
    for s in spaces {
        let g = b.ptr_cast(s, AddressSpace::Generic);
        b.assign(p, g);
        let v = b.load(Type::I32, p);
        let t = b.int(IntOp::Add, i, v);
        b.assign(i, t);
        b.store(p, Const::i32(3));
    }
    let v = b.load(Type::I32, private);
    let w = b.load(Type::I32, b.param(1));
    let t = b.int(IntOp::Mul, v, w);
    let t = b.int(IntOp::Mul, t, Const::i32(1000));
    let t = b.int(IntOp::Add, t, i);
    b.store(out, t);
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::of(&[100, 0]);
    let launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(words.address()), Arg::Local(4)],
        1,
        1,
        words.map(),
    );
    pool(1).run(&exe, launch).expect("runs");
    assert_eq!(words.all(), [3, 9111]);
}

#[test]
fn aggregates_and_values_arrive() {
    let mut b = kernel(&[
        BUFFER,
        ArgPass::Aggregate { size: 12, align: 4 },
        ArgPass::Value(Type::I16),
        ArgPass::Value(Type::Vector(Scalar::I32, Lanes::L2)),
    ]);
    let third = b.ptr_offset(b.param(1), 8);
    let x = b.load(Type::I32, third);
    // The copy is the item's own: writing it changes nothing for others.
    b.store(third, Const::i32(0));
    let y = b.convert(b.param(2), NumKind::Signed, Type::I32, NumKind::Signed);
    let z = b.extract(b.param(3), Const::i32(1));
    let gid = b.query(Query::GlobalId, Const::i32(0));
    for (i, r) in [x, y, z].into_iter().enumerate() {
        let p = b.ptr_add(b.param(0), gid, 12, 4 * i as i64);
        b.store(p, r);
    }
    b.ret(None);
    let exe = prepare(module(b));
    let words = Words::new(6);
    let bytes = |w: &[u32]| w.iter().flat_map(|w| w.to_ne_bytes()).collect();
    let launch = Launch::linear(
        exe.kernels()[0].id,
        vec![
            Arg::Pointer(words.address()),
            Arg::Value(bytes(&[1, 2, 3])),
            Arg::Value((-5i16).to_ne_bytes().to_vec()),
            Arg::Value(bytes(&[8, 9])),
        ],
        2,
        2,
        words.map(),
    );
    pool(1).run(&exe, launch).expect("runs");
    assert_eq!(words.all(), [3, -5i32 as u32, 9, 3, -5i32 as u32, 9]);
}

#[test]
fn blocks_are_copied_and_filled() {
    for (offset, size) in [(0, 24), (3, 13), (4, 1), (1, 0), (8, 16)] {
        let mut b = kernel(&[BUFFER]);
        let slot = b.slot("s", 64, 8);
        let s = b.slot_addr(slot);
        let s = b.ptr_offset(s, offset);
        let from = b.ptr_offset(b.param(0), offset);
        let to = b.ptr_offset(b.param(0), 32 + offset);
        let fill = b.ptr_offset(b.param(0), 64 + offset);
        let size_operand = Operand::Const(Const::i64(size));
        for (dst, src) in [(s, from), (to, s)] {
            b.push(Op::MemCopy {
                dst: dst.into(),
                src: src.into(),
                size: size_operand,
                align: 1,
            });
        }
        b.push(Op::MemSet {
            dst: fill.into(),
            byte: Const::scalar(Scalar::I8, 0xee).into(),
            size: size_operand,
            align: 1,
        });
        b.ret(None);
        let words = Words::of(&(0..24).map(|i| i * 0x0101_0101 + 1).collect::<Vec<_>>());
        let before: Vec<u8> = words.all().iter().flat_map(|w| w.to_le_bytes()).collect();
        run_on(&prepare(module(b)), 1, 1, 1, &words).expect("runs");
        let after: Vec<u8> = words.all().iter().flat_map(|w| w.to_le_bytes()).collect();
        let (first, end) = (offset as usize, (offset + size) as usize);
        let mut expected = before.clone();
        expected[32 + first..32 + end].copy_from_slice(&before[first..end]);
        expected[64 + first..64 + end].fill(0xee);
        assert_eq!(after, expected, "{size} bytes at {offset}");
    }
}
