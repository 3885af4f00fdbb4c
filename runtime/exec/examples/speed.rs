//! Prints how many operations a second the interpreter and machine code do, and what the bounds checker costs
//! both: how much more processor time a kernel takes with it than without, for accesses whose
//! object the compiler knows and for others; what launches cost that do nothing, and what
//! compiling does.
//!
//! `cargo run --release -p touchstone-exec --example speed`, with a part of a row's name, `launch` or `compile` to
//! measure that alone.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;
use touchstone_exec::{Arg, Engine, Executable, Launch, MemoryMap, Permission, Pool};
use touchstone_ir::{
    AddressSpace, ArgPass, BlockId, Cmp, Const, FloatOp, FunctionBuilder, IntOp, KernelArg,
    KernelInfo, MemScope, Module, NumKind, Order, Query, Reg, Regions, RmwOp, Scalar, Type,
    TypeQualifiers,
};

const BUFFER: Type = Type::Pointer(AddressSpace::Global);

/// What is known of a kernel with one buffer.
fn info() -> KernelInfo {
    KernelInfo {
        args: vec![KernelArg {
            name: "buffer".into(),
            type_name: "int*".into(),
            qualifiers: TypeQualifiers::default(),
            pass: ArgPass::Pointer(AddressSpace::Global),
        }],
        ..KernelInfo::default()
    }
}

/// A kernel with one buffer whose body runs `n` times, given the loop counter.
fn looped(n: i32, body: impl FnOnce(&mut FunctionBuilder, Reg)) -> Module {
    let mut b = FunctionBuilder::new("k", &[BUFFER], None);
    b.function_mut().kernel = Some(info());
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

/// `buffer[gid] += 1.5` as floats, once for each work-item.
fn stream() -> Module {
    let mut b = FunctionBuilder::new("k", &[BUFFER], None);
    b.function_mut().kernel = Some(info());
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let place = b.int(IntOp::And, gid, Const::i64(1023));
    let p = b.ptr_add(b.param(0), place, 4, 0);
    let x = b.load(Type::Scalar(Scalar::F32), p);
    let y = b.float(FloatOp::Add, x, Const::f32(1.5));
    b.store(p, y);
    b.ret(None);
    let mut m = Module::new();
    m.add_function(b.finish());
    m
}

/// Sums of products of floats, from memory.
fn products(b: &mut FunctionBuilder, i: Reg) {
    let float = Type::Scalar(Scalar::F32);
    let sum = b.variable("sum", float);
    let j = b.int(IntOp::And, i, Const::i32(511));
    let j = b.convert(j, NumKind::Signed, Type::I64, NumKind::Signed);
    let p = b.ptr_add(b.param(0), j, 4, 0);
    let x = b.load(float, p);
    let p = b.ptr_add(b.param(0), j, 4, 2048);
    let y = b.load(float, p);
    let x = b.float(FloatOp::Mul, x, y);
    let x = b.float(FloatOp::Add, sum, x);
    b.assign(sum, x);
}

/// Times that each way is measured; the least counts.
const REPEATS: usize = 7;

/// What is measured: a name, a kernel, operations that an iteration takes, iterations, work-items, those of a group.
type Row = (&'static str, Module, u64, i32, u64, u64);

fn rows() -> Vec<Row> {
    let n = 4_000_000;
    vec![
        ("arithmetic, 1 item", looped(n, arithmetic), 14, n, 1, 1),
        ("load and store, 1 item", looped(n, memory), 13, n, 1, 1),
        ("sum of products, 1 item", looped(n, products), 11, n, 1, 1),
        ("SB role, 1 item", looped(n, store_buffering), 13, n, 1, 1),
        ("atomic add, 1 item", looped(n, atomic_add), 4, n, 1, 1),
        (
            "SB, 2 groups on 2 threads",
            looped(n, store_buffering),
            13,
            n,
            2,
            1,
        ),
        (
            "load and store, 64 items",
            looped(n / 64, memory),
            13,
            n / 64,
            64,
            64,
        ),
        (
            "barrier, 64 items",
            looped(n / 640, barrier),
            4,
            n / 640,
            64,
            64,
        ),
        ("one addition an item", stream(), 5, 1, 1 << 20, 64),
    ]
}

fn main() {
    let memory = Memory::new();
    println!(
        "{:26} | interpreter            | machine code           |",
        "processor time"
    );
    let columns = " Mop/s   known unknown";
    println!("{:26} |{columns} |{columns} | ratio", "");
    let pool = Pool::new(NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN));
    let wanted = std::env::args().nth(1);
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| name.contains(wanted));
    for (name, module, ops, iterations, items, local) in rows() {
        if !is_wanted(name) {
            continue;
        }
        let exe = Executable::prepare(module);
        let exe = Arc::new(exe.unwrap_or_else(|e| panic!("{e}")));
        let launch = |engine, known, map: &Arc<MemoryMap>| {
            let args = vec![memory.argument(known)];
            let mut launch =
                Launch::linear(exe.kernels()[0].id, args, items, local, Arc::clone(map));
            launch.engine = engine;
            launch
        };
        // In turns, so that all ways meet the same disturbances.
        let engines = [Engine::Interpreter, Engine::Native];
        let mut least = [[f64::INFINITY; 3]; 2];
        for _ in 0..REPEATS {
            for (least, engine) in least.iter_mut().zip(engines) {
                let ways = [
                    launch(engine, true, &memory.checked),
                    launch(engine, false, &memory.checked),
                    launch(engine, true, &memory.unchecked),
                ];
                for (least, way) in least.iter_mut().zip(ways) {
                    *least = least.min(measure(&pool, &exe, way));
                }
            }
        }
        let total = f64::from(iterations) * items as f64 * ops as f64 / 1e6;
        let columns = least.map(|[known, unknown, without]| {
            format!(
                "{:>6.0} {:>6.0}% {:>6.0}%",
                total / known,
                (known / without - 1.0) * 100.0,
                (unknown / without - 1.0) * 100.0
            )
        });
        let [[interpreted, ..], [compiled, ..]] = least;
        println!(
            "{name:26} | {} | {:>5.1}",
            columns.join(" | "),
            interpreted / compiled
        );
    }
    if is_wanted("launch") {
        empty_launches(&pool, &memory);
    }
    if is_wanted("compile") {
        compilation(&pool, &memory);
    }
}

/// What a launch costs that does nothing.
fn empty_launches(pool: &Pool, memory: &Memory) {
    let empty = Executable::prepare(looped(0, atomic_add));
    let empty = Arc::new(empty.unwrap_or_else(|e| panic!("{e}")));
    for (items, local, times) in [(1, 1, 20_000), (1 << 16, 64, 200)] {
        for engine in [Engine::Interpreter, Engine::Native] {
            let start = Instant::now();
            for _ in 0..times {
                let args = vec![memory.argument(true)];
                let id = empty.kernels()[0].id;
                let map = Arc::clone(&memory.checked);
                let mut launch = Launch::linear(id, args, items, local, map);
                launch.engine = engine;
                if let Err(error) = pool.run(&empty, launch) {
                    println!("empty: {error}");
                }
            }
            let each = start.elapsed().as_secs_f64() / f64::from(times);
            println!(
                "empty launch of {items} items, {engine:?}: {:.1} us",
                each * 1e6
            );
        }
    }
}

/// How long kernels of some lengths take to compile: the first launch with machine code
/// beyond the second.
fn compilation(pool: &Pool, memory: &Memory) {
    for lines in [1, 20, 200] {
        let module = looped(0, |b, i| {
            for _ in 0..lines {
                self::memory(b, i);
                let mut x = i;
                for k in 0..5 {
                    x = b.int(IntOp::Mul, x, Const::i32(1_664_525 + k));
                    x = b.int(IntOp::Add, x, i);
                }
                let p = b.ptr_offset(b.param(0), 64);
                b.store(p, x);
            }
        });
        let mut least = f64::INFINITY;
        for _ in 0..REPEATS {
            let exe = Executable::prepare(module.clone());
            let exe = Arc::new(exe.unwrap_or_else(|e| panic!("{e}")));
            let one = || {
                let args = vec![memory.argument(true)];
                let map = Arc::clone(&memory.checked);
                let mut launch = Launch::linear(exe.kernels()[0].id, args, 1, 1, map);
                launch.engine = Engine::Native;
                measure(pool, &exe, launch)
            };
            let first = one();
            least = least.min(first - one());
        }
        println!(
            "to compile {} operations: {:.2} ms",
            lines * 20 + 3,
            least * 1e3
        );
    }
}
