//! Prints how many operations a second the interpreter does, and what the bounds checker costs: how much
//! more processor time a kernel takes with it than without, for accesses whose object the
//! compiler knows and for others.
//!
//! `cargo run --release -p touchstone-exec --example speed`

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;
use touchstone_exec::{Arg, Executable, Launch, MemoryMap, Permission, Pool};
use touchstone_ir::{
    AddressSpace, ArgPass, BlockId, Cmp, Const, FunctionBuilder, IntOp, KernelArg, KernelInfo,
    MemScope, Module, NumKind, Order, Query, Reg, Regions, RmwOp, Type, TypeQualifiers,
};

const BUFFER: Type = Type::Pointer(AddressSpace::Global);

/// A kernel with one buffer whose body runs `n` times, given the loop counter.
fn looped(n: i32, body: impl FnOnce(&mut FunctionBuilder, Reg)) -> Module {
    let mut b = FunctionBuilder::new("k", &[BUFFER], None);
    b.function_mut().kernel = Some(KernelInfo {
        args: vec![KernelArg {
            name: "buffer".into(),
            type_name: "int*".into(),
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

/// Processor time of this process so far, in seconds: what other processes take does not count.
fn processor_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A buffer, and the maps with the bounds checker and without.
struct Memory {
    buffer: Vec<AtomicU32>,
    checked: Arc<MemoryMap>,
    unchecked: Arc<MemoryMap>,
}

impl Memory {
    fn new() -> Memory {
        let buffer: Vec<AtomicU32> = (0..1024).map(|_| AtomicU32::new(0)).collect();
        let mut map = MemoryMap::new();
        // SAFETY: atomics that live as long as the launches.
        unsafe { map.add(buffer.as_ptr() as u64, 4096, Permission::ReadWrite) };
        let checked = Arc::new(map.clone());
        // SAFETY: the kernels stay within the buffer.
        unsafe { map.without_bounds_checks() };
        Memory {
            buffer,
            checked,
            unchecked: Arc::new(map),
        }
    }

    /// The buffer as an argument whose object is known, or not.
    fn argument(&self, known: bool) -> Arg {
        let address = self.buffer.as_ptr() as u64;
        if known {
            Arg::Object {
                address,
                base: address,
                len: 4096,
                permission: Permission::ReadWrite,
            }
        } else {
            Arg::Pointer(address)
        }
    }
}

/// Processor seconds of one launch; infinite if it fails.
fn measure(pool: &Pool, exe: &Arc<Executable>, launch: Launch) -> f64 {
    let start = processor_time();
    match pool.run(exe, launch) {
        Ok(_) => processor_time() - start,
        Err(error) => {
            println!("{error}");
            f64::INFINITY
        }
    }
}

/// Times that each way is measured; the least counts.
const REPEATS: usize = 7;

fn main() {
    let n = 4_000_000;
    let memory = Memory::new();
    type Body = fn(&mut FunctionBuilder, Reg);
    let programs: [(&str, Body, u64, i32, u64, u64); 7] = [
        // name, body, operations an iteration, iterations, items, items of a group
        ("arithmetic, 1 item", arithmetic, 14, n, 1, 1),
        ("load and store, 1 item", self::memory, 13, n, 1, 1),
        ("SB role, 1 item", store_buffering, 13, n, 1, 1),
        ("atomic add, 1 item", atomic_add, 4, n, 1, 1),
        ("SB, 2 groups on 2 threads", store_buffering, 13, n, 2, 1),
        ("load and store, 64 items", self::memory, 13, n / 64, 64, 64),
        ("barrier, 64 items", barrier, 4, n / 640, 64, 64),
    ];
    println!(
        "{:28} {:>12} {:>14} {:>16} {:>16}",
        "processor time", "Mop/s", "iterations/s", "checks, known", "checks, unknown"
    );
    let pool = Pool::new(NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN));
    for (name, body, ops, iterations, items, local) in programs {
        let exe = Executable::prepare(looped(iterations, body));
        let exe = Arc::new(exe.unwrap_or_else(|e| panic!("{e}")));
        let launch = |known, map: &Arc<MemoryMap>| {
            let args = vec![memory.argument(known)];
            Launch::linear(exe.kernels()[0].id, args, items, local, Arc::clone(map))
        };
        // In turns, so that all ways meet the same disturbances.
        let mut least = [f64::INFINITY; 3];
        for _ in 0..REPEATS {
            let ways = [
                launch(true, &memory.checked),
                launch(false, &memory.checked),
                launch(true, &memory.unchecked),
            ];
            for (least, way) in least.iter_mut().zip(ways) {
                *least = least.min(measure(&pool, &exe, way));
            }
        }
        let [known, unknown, without] = least;
        let total = f64::from(iterations) * items as f64;
        println!(
            "{name:28} {:>12.0} {:>14.0} {:>15.1}% {:>15.1}%",
            total * ops as f64 / known / 1e6,
            total / known,
            (known / without - 1.0) * 100.0,
            (unknown / without - 1.0) * 100.0
        );
    }
    let empty = Executable::prepare(looped(0, atomic_add));
    let empty = Arc::new(empty.unwrap_or_else(|e| panic!("{e}")));
    for (items, local, times) in [(1, 1, 20_000), (1 << 16, 64, 200)] {
        let start = Instant::now();
        for _ in 0..times {
            let args = vec![memory.argument(true)];
            let id = empty.kernels()[0].id;
            let launch = Launch::linear(id, args, items, local, Arc::clone(&memory.checked));
            if let Err(error) = pool.run(&empty, launch) {
                println!("empty: {error}");
            }
        }
        let each = start.elapsed().as_secs_f64() / f64::from(times);
        println!("empty launch of {items} items: {:.1} us", each * 1e6);
    }
}
