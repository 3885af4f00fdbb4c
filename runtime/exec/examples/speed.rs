//! Prints how many operations a second the interpreter does.
//!
//! `cargo run --release -p touchstone-exec --example speed`

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;
use touchstone_exec::{Arg, Executable, Launch, MemoryMap, Permission, Pool};
use touchstone_ir::{
    AccessQualifier, AddressSpace, ArgPass, ArgQualifier, BlockId, Cmp, Const, FunctionBuilder,
    IntOp, KernelArg, KernelInfo, MemScope, Module, NumKind, Order, Query, Reg, Regions, RmwOp,
    Type, TypeQualifiers,
};

const BUFFER: Type = Type::Pointer(AddressSpace::Global);

/// A kernel with one buffer whose body runs `n` times, given the loop counter.
fn looped(n: i32, body: impl FnOnce(&mut FunctionBuilder, Reg)) -> Module {
    let mut b = FunctionBuilder::new("k", &[BUFFER], None);
    b.function_mut().kernel = Some(KernelInfo {
        args: vec![KernelArg {
            name: "buffer".into(),
            type_name: "int*".into(),
            address: ArgQualifier::Global,
            access: AccessQualifier::None,
            qualifiers: TypeQualifiers::default(),
            pass: ArgPass::Pointer(AddressSpace::Global),
        }],
        ..KernelInfo::default()
    });
    let i = b.variable("i", Type::I32);
    b.assign(i, Const::i32(0));
    let (head, inside, exit): (BlockId, BlockId, BlockId) = (b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let c = b.compare(Cmp::SLt, i, Const::i32(n));
    b.branch(c, inside, exit);
    b.switch_to(inside);
    body(&mut b, i);
    let t = b.int(IntOp::Add, i, Const::i32(1));
    b.assign(i, t);
    b.jump(head);
    b.switch_to(exit);
    b.ret(None);
    let mut m = Module::new();
    m.add_function(b.finish());
    m
}

/// Ten integer operations and the loop's three.
fn arithmetic(b: &mut FunctionBuilder, i: Reg) {
    let mut x = i;
    for k in 0..5 {
        x = b.int(IntOp::Mul, x, Const::i32(1_664_525 + k));
        x = b.int(IntOp::Add, x, i);
    }
    let sum = b.variable("sum", Type::I32);
    let t = b.int(IntOp::Xor, sum, x);
    b.assign(sum, t);
}

/// `buffer[i & 1023] = buffer[(i + 7) & 1023] + i`.
fn memory(b: &mut FunctionBuilder, i: Reg) {
    let j = b.int(IntOp::Add, i, Const::i32(7));
    let j = b.int(IntOp::And, j, Const::i32(1023));
    let j = b.convert(j, NumKind::Signed, Type::I64, NumKind::Signed);
    let p = b.ptr_add(b.param(0), j, 4, 0);
    let v = b.load(Type::I32, p);
    let v = b.int(IntOp::Add, v, i);
    let k = b.int(IntOp::And, i, Const::i32(1023));
    let k = b.convert(k, NumKind::Signed, Type::I64, NumKind::Signed);
    let p = b.ptr_add(b.param(0), k, 4, 0);
    b.store(p, v);
}

/// One role of store buffering: store to one place, load from another, keep the result.
fn store_buffering(b: &mut FunctionBuilder, i: Reg) {
    let gid = b.query(Query::GroupId, Const::i32(0));
    let role = b.int(IntOp::And, gid, Const::i64(1));
    let other = b.int(IntOp::Xor, role, Const::i64(1));
    let slot = b.int(IntOp::And, i, Const::i32(127));
    let slot = b.convert(slot, NumKind::Signed, Type::I64, NumKind::Signed);
    let base = b.ptr_add(b.param(0), slot, 16, 0);
    let x = b.ptr_add(base, role, 4, 0);
    let y = b.ptr_add(base, other, 4, 0);
    b.atomic_store(x, Const::i32(1), Order::Relaxed, MemScope::Device);
    let r = b.atomic_load(Type::I32, y, Order::Relaxed, MemScope::Device);
    let out = b.ptr_add(base, role, 4, 8);
    b.store(out, r);
}

fn atomic_add(b: &mut FunctionBuilder, _: Reg) {
    b.atomic_rmw(
        RmwOp::Add,
        b.param(0),
        Const::i32(1),
        Order::Relaxed,
        MemScope::Device,
    );
}

fn barrier(b: &mut FunctionBuilder, _: Reg) {
    b.barrier(Regions::LOCAL, MemScope::WorkGroup);
}

fn main() {
    let n = 20_000_000;
    let buffer: Vec<AtomicU32> = (0..1024).map(|_| AtomicU32::new(0)).collect();
    let mut map = MemoryMap::new();
    let address = buffer.as_ptr() as u64;
    // SAFETY: atomics that live to the end of main.
    unsafe { map.add(address, 4096, Permission::ReadWrite) };
    let map = Arc::new(map);
    type Body = fn(&mut FunctionBuilder, Reg);
    let programs: [(&str, Body, u64, i32, u64, u64); 7] = [
        // name, body, operations an iteration, iterations, items, items of a group
        ("arithmetic, 1 item", arithmetic, 14, n, 1, 1),
        ("load and store, 1 item", memory, 13, n, 1, 1),
        ("SB role, 1 item", store_buffering, 13, n, 1, 1),
        ("atomic add, 1 item", atomic_add, 4, n, 1, 1),
        ("SB, 2 groups on 2 threads", store_buffering, 13, n, 2, 1),
        ("load and store, 64 items", memory, 13, n / 64, 64, 64),
        ("barrier, 64 items", barrier, 4, n / 640, 64, 64),
    ];
    println!("{:28} {:>12} {:>14}", "", "Mop/s", "iterations/s");
    for (name, body, ops, iterations, items, local) in programs {
        let exe = Executable::prepare(looped(iterations, body));
        let exe = Arc::new(exe.unwrap_or_else(|e| panic!("{e}")));
        let launch = Launch::linear(
            exe.kernels()[0].id,
            vec![Arg::Pointer(address)],
            items,
            local,
            Arc::clone(&map),
        );
        let pool = Pool::new(NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN));
        let start = Instant::now();
        if let Err(error) = pool.run(&exe, launch) {
            println!("{name}: {error}");
            continue;
        }
        let seconds = start.elapsed().as_secs_f64();
        let total = iterations as f64 * items as f64;
        println!(
            "{name:28} {:>12.0} {:>14.0}",
            total * ops as f64 / seconds / 1e6,
            total / seconds
        );
    }
    let empty = Executable::prepare(looped(0, atomic_add));
    let empty = Arc::new(empty.unwrap_or_else(|e| panic!("{e}")));
    for (items, local, times) in [(1, 1, 20_000), (1 << 16, 64, 200)] {
        let pool = Pool::new(NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN));
        let start = Instant::now();
        for _ in 0..times {
            let launch = Launch::linear(
                empty.kernels()[0].id,
                vec![Arg::Pointer(address)],
                items,
                local,
                Arc::clone(&map),
            );
            if let Err(error) = pool.run(&empty, launch) {
                println!("empty: {error}");
            }
        }
        let each = start.elapsed().as_secs_f64() / f64::from(times);
        println!("empty launch of {items} items: {:.1} us", each * 1e6);
    }
}
