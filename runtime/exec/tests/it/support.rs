//! What the tests share: kernels from builders, buffers, launches.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use touchstone_exec::{
    Arg, Executable, Launch, LaunchError, LaunchStats, MemoryMap, Owner, Permission, Pool,
};
use touchstone_ir::{
    AddressSpace, ArgPass, FunctionBuilder, KernelArg, KernelInfo, Module, Type, TypeQualifiers,
};

pub const GLOBAL: Type = Type::Pointer(AddressSpace::Global);

/// An argument description from how it is passed.
pub fn arg(pass: ArgPass) -> KernelArg {
    KernelArg {
        name: "x".into(),
        type_name: String::new(),
        qualifiers: TypeQualifiers::default(),
        pass,
    }
}

/// A builder of a kernel `k` with arguments passed so.
pub fn kernel(passes: &[ArgPass]) -> FunctionBuilder {
    let params: Vec<Type> = passes.iter().map(|p| p.reg_type()).collect();
    let mut b = FunctionBuilder::new("k", &params, None);
    b.function_mut().kernel = Some(KernelInfo {
        args: passes.iter().map(|&p| arg(p)).collect(),
        ..KernelInfo::default()
    });
    b
}

pub const BUFFER: ArgPass = ArgPass::Pointer(AddressSpace::Global);

/// A module with one function.
pub fn module(b: FunctionBuilder) -> Module {
    let mut m = Module::new();
    m.add_function(b.finish());
    m
}

pub fn prepare(m: Module) -> Arc<Executable> {
    Arc::new(Executable::prepare(m).unwrap_or_else(|e| panic!("{e}")))
}

/// Shared memory of 32-bit words.
pub struct Words(pub Vec<AtomicU32>);

impl Words {
    pub fn new(n: usize) -> Words {
        Words((0..n).map(|_| AtomicU32::new(0)).collect())
    }
    pub fn of(values: &[u32]) -> Words {
        Words(values.iter().map(|&v| AtomicU32::new(v)).collect())
    }
    pub fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }
    pub fn get(&self, i: usize) -> u32 {
        self.0[i].load(Ordering::Relaxed)
    }
    pub fn all(&self) -> Vec<u32> {
        (0..self.0.len()).map(|i| self.get(i)).collect()
    }
    pub fn map(&self) -> Arc<MemoryMap> {
        let mut map = MemoryMap::new();
        // SAFETY: atomics, alive in the test while launches run.
        unsafe {
            map.add(
                self.address(),
                self.0.len() as u64 * 4,
                Permission::ReadWrite,
            )
        };
        Arc::new(map)
    }
}

/// Shared memory of 64-bit words.
pub struct Longs(pub Vec<AtomicU64>);

impl Longs {
    pub fn of(values: &[u64]) -> Longs {
        Longs(values.iter().map(|&v| AtomicU64::new(v)).collect())
    }
    pub fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }
    pub fn all(&self) -> Vec<u64> {
        self.0.iter().map(|x| x.load(Ordering::Relaxed)).collect()
    }
    pub fn map(&self) -> Arc<MemoryMap> {
        let mut map = MemoryMap::new();
        // SAFETY: atomics, alive in the test while launches run.
        unsafe {
            map.add(
                self.address(),
                self.0.len() as u64 * 8,
                Permission::ReadWrite,
            )
        };
        Arc::new(map)
    }
}

pub fn pool(threads: usize) -> Pool {
    Pool::new(NonZeroUsize::new(threads).expect("not zero"))
}

/// Runs kernel `k` over `global` items in groups of `local` with one buffer.
pub fn run_on(
    exe: &Arc<Executable>,
    threads: usize,
    global: u64,
    local: u64,
    buffer: &Words,
) -> Result<LaunchStats, LaunchError> {
    let launch = Launch::linear(
        exe.kernel("k").expect("kernel k").id,
        vec![Arg::Pointer(buffer.address())],
        global,
        local,
        buffer.map(),
    );
    pool(threads).run(exe, launch)
}

/// A system in which the runtime owns nothing.
pub struct NothingOwned;

impl Owner for NothingOwned {
    fn foreign(&self, _: u64) -> Option<(u64, u64)> {
        Some((0, u64::MAX))
    }
}

/// An argument that points to all of some words.
pub fn object(words: &Words, permission: Permission) -> Arg {
    Arg::Object {
        address: words.address(),
        base: words.address(),
        len: words.0.len() as u64 * 4,
        permission,
    }
}
