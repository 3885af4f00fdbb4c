//! Fine-grain system SVM: any address of the process, and faults that end the launch only.

use crate::support::*;
use std::sync::Arc;
use touchstone_exec::{
    Arg, CATCHES_FAULTS, Engine, Interleaving, Launch, LaunchError, MemoryMap, Pool, TrapKind,
    copy_caught,
};
use touchstone_ir::{
    Cmp, Const, FunctionBuilder, IntOp, MemScope, Module, Op, Order, Query, RmwOp, Scalar, Type,
};

/// Two pages of which the second may be read only, and none lies behind.
struct Pages(*mut u8);

const PAGE: usize = 4096;

impl Pages {
    fn new() -> Pages {
        // SAFETY: a new mapping, of which a part is protected.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let base = libc::mmap(std::ptr::null_mut(), 3 * PAGE, access, flags, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            let base = base.cast::<u8>();
            assert_eq!(
                libc::mprotect(base.add(PAGE).cast(), PAGE, libc::PROT_READ),
                0
            );
            assert_eq!(
                libc::mprotect(base.add(2 * PAGE).cast(), PAGE, libc::PROT_NONE),
                0
            );
            Pages(base)
        }
    }

    fn at(&self, offset: usize) -> u64 {
        self.0 as u64 + offset as u64
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`.
        unsafe { libc::munmap(self.0.cast(), 3 * PAGE) };
    }
}

fn system() -> Arc<MemoryMap> {
    let mut map = MemoryMap::new();
    // SAFETY: the kernels use pages that nothing else does.
    unsafe { map.add_system(Arc::new(NothingOwned)) };
    Arc::new(map)
}

fn run(pool: &Pool, m: Module, address: u64) -> Result<(), TrapKind> {
    let exe = prepare(m);
    let launch = Launch::linear(
        exe.kernels()[0].id,
        vec![Arg::Pointer(address)],
        1,
        1,
        system(),
    );
    match pool.run(&exe, launch) {
        Ok(_) => Ok(()),
        Err(LaunchError::Trap(trap)) => Err(trap.kind),
        Err(other) => panic!("{other}"),
    }
}

type Access = fn(&mut FunctionBuilder);

/// Every kind of access: its bytes, whether it writes.
fn accesses() -> Vec<(Access, u64, bool)> {
    vec![
        (|b| read(b, Type::I8), 1, false),
        (|b| read(b, Type::I16), 2, false),
        (|b| read(b, Type::I32), 4, false),
        (|b| read(b, Type::I64), 8, false),
        (
            |b| b.store(b.param(0), Const::scalar(Scalar::I8, 1)),
            1,
            true,
        ),
        (
            |b| b.store(b.param(0), Const::scalar(Scalar::I16, 1)),
            2,
            true,
        ),
        (|b| b.store(b.param(0), Const::i32(1)), 4, true),
        (|b| b.store(b.param(0), Const::i64(1)), 8, true),
        (
            |b| {
                b.atomic_load(Type::I32, b.param(0), Order::SeqCst, MemScope::Device);
            },
            4,
            false,
        ),
        (
            |b| b.atomic_store(b.param(0), Const::i32(1), Order::Relaxed, MemScope::Device),
            4,
            true,
        ),
        (
            |b| b.atomic_store(b.param(0), Const::i64(1), Order::SeqCst, MemScope::Device),
            8,
            true,
        ),
        (|b| rmw(b, RmwOp::Add), 4, true),
        (|b| rmw(b, RmwOp::Exchange), 4, true),
        (|b| rmw(b, RmwOp::And), 4, true),
        (
            |b| {
                b.push(Op::MemSet {
                    dst: b.param(0).into(),
                    byte: Const::scalar(Scalar::I8, 1).into(),
                    size: Const::i64(1).into(),
                    align: 1,
                });
            },
            1,
            true,
        ),
    ]
}

fn read(b: &mut FunctionBuilder, ty: Type) {
    b.load(ty, b.param(0));
}

fn rmw(b: &mut FunctionBuilder, op: RmwOp) {
    b.atomic_rmw(
        op,
        b.param(0),
        Const::i32(1),
        Order::AcqRel,
        MemScope::Device,
    );
}

fn with(access: Access) -> Module {
    let mut b = kernel(&[BUFFER]);
    access(&mut b);
    b.ret(None);
    module(b)
}

#[test]
fn faults_end_the_launch_and_nothing_else() {
    if !CATCHES_FAULTS {
        return;
    }
    let pages = Pages::new();
    let pool = pool(2);
    for (access, size, write) in accesses() {
        assert_eq!(run(&pool, with(access), pages.at(0)), Ok(()));
        let protected = run(&pool, with(access), pages.at(PAGE));
        // Read-modify-writes that find nothing to change are writes all the same.
        let expected = |address| TrapKind::Unmapped {
            address,
            size,
            write,
        };
        if write {
            assert_eq!(protected, Err(expected(pages.at(PAGE))));
        } else {
            assert_eq!(protected, Ok(()));
        }
        let beyond = pages.at(2 * PAGE);
        assert_eq!(run(&pool, with(access), beyond), Err(expected(beyond)));
        // No address at all: the upper half is not the process's, and the middle is nobody's.
        for address in [1 << 63, 1 << 60] {
            assert_eq!(run(&pool, with(access), address), Err(expected(address)));
        }
    }
    assert_eq!(
        run(&pool, with(|b| rmw(b, RmwOp::Add)), 64),
        Err(TrapKind::NullPointer { address: 64 })
    );
}

/// Where several items make an access at once, the one is named whose address nothing is at: of rows that reach a page
/// that nobody may write, without gaps and with them, and of lanes one by one.
#[test]
fn who_was_refused_is_named() {
    if !CATCHES_FAULTS {
        return;
    }
    let pages = Pages::new();
    for (by, item) in [(4, 13), (4, 16), (12, 5), (0, 9)] {
        let mut b = kernel(&[BUFFER]);
        let id = b.query(Query::GlobalId, Const::i32(0));
        let index = match by {
            0 => {
                let is_it = b.compare(Cmp::Eq, id, Const::i64(item));
                b.select(is_it, Const::i64(4), Const::i64(-64))
            }
            _ => b.int(IntOp::Mul, id, Const::i64(by)),
        };
        let p = b.ptr_add(b.param(0), index, 1, 0);
        b.store(p, Const::i32(1));
        b.ret(None);
        let exe = prepare(module(b));
        let address = match by {
            0 => pages.at(PAGE - 4),
            _ => pages.at(PAGE).wrapping_add_signed(-by * item),
        };
        for engine in [Engine::Interpreter, Engine::Native] {
            let kernel = exe.kernels()[0].id;
            let mut launch = Launch::linear(kernel, vec![Arg::Pointer(address)], 32, 32, system());
            launch.engine = engine;
            launch.interleaving = Interleaving::Coarse;
            let Err(LaunchError::Trap(trap)) = pool(1).run(&exe, launch) else {
                panic!("a page that nobody may write was written")
            };
            assert_eq!(trap.global_id[0], item as u64, "{engine:?} {by}");
            let (size, write) = (4, true);
            let address = pages.at(PAGE);
            let expected = TrapKind::Unmapped {
                address,
                size,
                write,
            };
            assert_eq!(trap.kind, expected, "{engine:?} {by}");
        }
    }
}

/// Of items that run at once some load and others go elsewhere: nothing need be where these would load, and of those that
/// do the first one is named that is refused, with its address.
#[test]
fn who_goes_elsewhere_is_not_refused() {
    if !CATCHES_FAULTS {
        return;
    }
    let pages = Pages::new();
    // Items that load: from a first one to before a last one, all or every other one.
    for (first, last, odd) in [(0, 16, 0), (0, 17, 0), (3, 20, 0), (0, 32, 1), (5, 30, 1)] {
        // The page that nobody may read begins with this item's word.
        for end in [1, 7, 8, 15, 16, 17, 31, 32] {
            let mut b = kernel(&[BUFFER, BUFFER]);
            let id = b.query(Query::GlobalId, Const::i32(0));
            let far = b.int(IntOp::Sub, id, Const::i64(first));
            let inside = b.compare(Cmp::ULt, far, Const::i64(last - first));
            let bit = b.int(IntOp::And, id, Const::i64(odd));
            let has = b.compare(Cmp::Eq, bit, Const::i64(odd));
            let loads = b.select(has, inside, Const::scalar(Scalar::Bool, 0));
            let (load, join) = (b.block(), b.block());
            b.branch(loads, load, join);
            b.switch_to(load);
            let p = b.ptr_add(b.param(0), id, 4, 0);
            let x = b.load(Type::I32, p);
            let x = b.int(IntOp::Add, x, Const::i32(1));
            let q = b.ptr_add(b.param(1), id, 4, 0);
            b.store(q, x);
            b.jump(join);
            b.switch_to(join);
            b.ret(None);
            let exe = prepare(module(b));
            let address = pages.at(2 * PAGE) - 4 * end;
            let refused = (0..32)
                .filter(|id| (first..last).contains(id) && id & odd == odd)
                .find(|&id| id as u64 >= end);
            for engine in [Engine::Interpreter, Engine::Native] {
                let out = Words::new(32);
                let kernel = exe.kernels()[0].id;
                let arguments = vec![Arg::Pointer(address), Arg::Pointer(out.address())];
                let mut launch = Launch::linear(kernel, arguments, 32, 32, system());
                launch.engine = engine;
                launch.interleaving = Interleaving::Coarse;
                let seen = match pool(1).run(&exe, launch) {
                    Ok(_) => None,
                    Err(LaunchError::Trap(trap)) => Some((trap.global_id[0], trap.kind)),
                    Err(other) => panic!("{other}"),
                };
                let expected = refused.map(|id| {
                    let unmapped = TrapKind::Unmapped {
                        address: address + 4 * id as u64,
                        size: 4,
                        write: false,
                    };
                    (id as u64, unmapped)
                });
                assert_eq!(seen, expected, "{engine:?} {first}..{last} {odd} {end}");
                if refused.is_none() {
                    let stored = |id: i64| (first..last).contains(&id) && id & odd == odd;
                    let words: Vec<u32> = (0..32).map(|id| stored(id).into()).collect();
                    assert_eq!(out.all(), words);
                }
            }
        }
    }
}

/// What is on the stack, on the heap and in statics is memory of the system.
#[test]
fn any_memory_of_the_process_may_be_used() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static STATIC: AtomicU32 = AtomicU32::new(1);
    let stack = AtomicU32::new(1);
    let heap = Box::new(AtomicU32::new(1));
    for place in [&STATIC, &stack, &heap] {
        let at = std::ptr::from_ref(place) as u64;
        assert_eq!(run(&pool(1), with(|b| rmw(b, RmwOp::Add)), at), Ok(()));
        assert_eq!(place.load(Ordering::Relaxed), 2);
    }
}

/// An access across the end of what is mapped.
#[test]
fn words_at_unnatural_addresses_can_fault_in_the_middle() {
    if !CATCHES_FAULTS {
        return;
    }
    let pages = Pages::new();
    let at = pages.at(2 * PAGE - 2);
    let result = run(&pool(1), with(|b| read(b, Type::I32)), at);
    assert_eq!(
        result,
        Err(TrapKind::Unmapped {
            address: at,
            size: 4,
            write: false
        })
    );
}

/// The application's own handler, installed after ours, stays where it is for its own faults.
#[test]
fn other_handlers_are_put_behind() {
    if !CATCHES_FAULTS {
        return;
    }
    let pages = Pages::new();
    let load: Access = |b| read(b, Type::I32);
    let bad = pages.at(2 * PAGE);
    assert!(run(&pool(1), with(load), bad).is_err());
    unsafe extern "C" fn theirs(_: libc::c_int) {
        std::process::abort();
    }
    // SAFETY: a handler that ends the process.
    let before = unsafe { libc::signal(libc::SIGBUS, theirs as *const () as usize) };
    assert_ne!(before, libc::SIG_ERR);
    assert!(run(&pool(1), with(load), bad).is_err());
}

/// A copy goes as far as both sides are mapped, and says how far.
#[test]
fn copies_end_where_nothing_is_mapped() {
    if !CATCHES_FAULTS {
        return;
    }
    let (from, to) = (Pages::new(), Pages::new());
    let end = 2 * PAGE;
    let copy = |source: u64, target: u64, size| {
        // SAFETY: what is mapped of both is the test's.
        unsafe { copy_caught(source as *const u8, target as *mut u8, size) }
    };
    assert_eq!(copy(from.at(0), to.at(0), 0), Ok(()));
    assert_eq!(copy(from.at(end - 100), to.at(0), 100), Ok(()));
    // Processors move many bytes at a time and may give up all of them for one that faults.
    let ends = |result: Result<(), usize>, most| result.is_err_and(|done| done <= most);
    assert!(ends(copy(from.at(end - 100), to.at(0), 101), 100));
    assert!(ends(copy(from.at(0), to.at(PAGE - 5), 8), 5));
    assert_eq!(copy(from.at(end), to.at(0), 8), Err(0));
    assert_eq!(copy(8, to.at(0), 8), Err(0));
    assert_eq!(copy(from.at(0), 8, 8), Err(0));
    let numbers: Vec<u8> = (0..=255).collect();
    assert_eq!(
        copy(numbers.as_ptr() as u64, to.at(PAGE - 256), 256),
        Ok(())
    );
    let mut back = [0u8; 256];
    assert_eq!(
        copy(to.at(PAGE - 256), back.as_mut_ptr() as u64, 256),
        Ok(())
    );
    assert_eq!(back[..], numbers);
}
