//! Compiling and running kernels in tests.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock};
use touchstone_clc::{
    BuildOptions, CompileOptions, Compiled, DeviceProfile, Source, Version, compile,
};
use touchstone_exec::{Arg, Executable, Launch, MemoryMap, Output, Permission, Pool};

/// Compiles a program called `t.cl`.
pub fn build_with(options: &str, text: &str) -> Result<Compiled, String> {
    let options = CompileOptions {
        build: BuildOptions::parse(options).unwrap(),
        ..CompileOptions::default()
    };
    compile(&[Source::new("t.cl", text)], &options).map_err(|f| f.log)
}

/// Compiles for a device of OpenCL 3.0, or of 3.1 as OpenCL C 3.1, that has neither these extensions nor these features of the language.
pub fn build_without(names: &[&str], options: &str, text: &str) -> Result<Compiled, String> {
    let mut device = DeviceProfile {
        version: match options {
            "-cl-std=CL3.1" => Version::V3_1,
            _ => Version::V3_0,
        },
        ..DeviceProfile::default()
    };
    for name in names {
        assert!(
            device.extensions.remove(*name) || device.features.remove(*name),
            "{name}"
        );
    }
    let options = CompileOptions {
        build: BuildOptions::parse(options).unwrap(),
        device,
        ..CompileOptions::default()
    };
    compile(&[Source::new("t.cl", text)], &options).map_err(|f| f.log)
}

/// Compiles as OpenCL C 3.0.
pub fn build(text: &str) -> Result<Compiled, String> {
    build_with("-cl-std=CL3.0", text)
}

/// The log of a build that has to fail.
pub fn fails(text: &str) -> String {
    match build(text) {
        Ok(_) => panic!("this builds:\n{text}"),
        Err(log) => log,
    }
}

fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new(NonZeroUsize::new(2).unwrap()))
}

/// What a test passes to a kernel.
pub enum Given<'b> {
    /// A buffer, written back.
    Buffer(&'b mut [u8]),
    Value(Vec<u8>),
    Local(u64),
}

/// Runs a kernel of a compiled program.
pub fn launch(compiled: Compiled, kernel: &str, given: Vec<Given<'_>>, global: u64, local: u64) {
    let printed = launch_printing(compiled, kernel, given, global, local);
    assert_eq!(printed, "", "it prints");
}

/// What kernels print.
#[derive(Debug, Default)]
struct Paper(Mutex<Vec<u8>>);

impl Output for Paper {
    fn write(&self, text: &[u8]) -> bool {
        self.0.lock().unwrap().extend_from_slice(text);
        true
    }
}

/// Runs a kernel of a compiled program; what it prints.
pub fn launch_printing(
    compiled: Compiled,
    kernel: &str,
    given: Vec<Given<'_>>,
    global: u64,
    local: u64,
) -> String {
    launched(compiled, kernel, given, (global, local), None)
}

/// Runs a kernel of a compiled program in sub-groups of at most so many work-items.
pub fn launch_in_sub_groups(
    compiled: Compiled,
    kernel: &str,
    given: Vec<Given<'_>>,
    (global, local): (u64, u64),
    size: u32,
) {
    let printed = launched(compiled, kernel, given, (global, local), Some(size));
    assert_eq!(printed, "", "it prints");
}

/// Runs a kernel; without a size a work-group is one sub-group. What it prints.
fn launched(
    compiled: Compiled,
    kernel: &str,
    given: Vec<Given<'_>>,
    (global, local): (u64, u64),
    sub_group: Option<u32>,
) -> String {
    let paper = Arc::new(Paper::default());
    let executable = Arc::new(Executable::prepare(compiled.module).unwrap());
    let id = executable.kernel(kernel).unwrap().id;
    let mut memory = MemoryMap::new();
    let mut args = Vec::new();
    // Copies with the alignment of the largest type.
    let mut copies: Vec<(Vec<u128>, Option<&mut [u8]>)> = Vec::new();
    for one in given {
        match one {
            Given::Value(bytes) => args.push(Arg::Value(bytes)),
            Given::Local(bytes) => args.push(Arg::Local(bytes)),
            Given::Buffer(buffer) => {
                let mut copy = vec![0u128; buffer.len().div_ceil(16) + 8];
                for (chunk, to) in buffer.chunks(16).zip(&mut copy) {
                    let mut bytes = [0; 16];
                    bytes[..chunk.len()].copy_from_slice(chunk);
                    *to = u128::from_ne_bytes(bytes);
                }
                let address = copy.as_mut_ptr() as u64;
                // SAFETY: the copy lives, unborrowed, until the launch has ended.
                unsafe { memory.add(address, buffer.len() as u64, Permission::ReadWrite) };
                args.push(Arg::Pointer(address));
                copies.push((copy, Some(buffer)));
            }
        }
    }
    let mut launch = Launch::linear(id, args, global, local, Arc::new(memory));
    if let Some(size) = sub_group {
        launch.sub_group_size = size;
    }
    launch.step_limit = Some(50_000_000);
    launch.output = Some(Arc::clone(&paper) as Arc<dyn Output>);
    pool().run(&executable, launch).unwrap();
    for (copy, buffer) in copies {
        if let Some(buffer) = buffer {
            for (chunk, from) in buffer.chunks_mut(16).zip(&copy) {
                let n = chunk.len();
                chunk.copy_from_slice(&from.to_ne_bytes()[..n]);
            }
        }
    }
    let printed = paper.0.lock().unwrap().clone();
    String::from_utf8(printed).unwrap()
}

/// Builds a program with options, runs its kernel `k` with one work-item on a buffer of `n`
/// elements of `T`, and gives the buffer.
pub fn run_with<T: Element>(options: &str, text: &str, n: usize) -> Vec<T> {
    let compiled = build_with(options, text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    let mut bytes = vec![0u8; n * size_of::<T>()];
    launch(compiled, "k", vec![Given::Buffer(&mut bytes)], 1, 1);
    T::read(&bytes)
}

/// As [`run_with`], in OpenCL C 3.0.
pub fn run<T: Element>(text: &str, n: usize) -> Vec<T> {
    run_with("-cl-std=CL3.0", text, n)
}

/// The values a kernel body writes to `out`.
pub fn body<T: Element>(ty: &str, body: &str, n: usize) -> Vec<T> {
    run(&format!("kernel void k(global {ty} *out) {{ {body} }}"), n)
}

/// The value of an `int` expression, computed by a kernel.
pub fn int(expression: &str) -> i32 {
    run::<i32>(
        &format!("kernel void k(global int *out) {{ out[0] = {expression}; }}"),
        1,
    )[0]
}

/// Types that buffers hold.
pub trait Element: Sized {
    fn read(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! element {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            fn read(bytes: &[u8]) -> Vec<Self> {
                bytes
                    .chunks_exact(size_of::<$ty>())
                    .map(|c| <$ty>::from_ne_bytes(c.try_into().unwrap()))
                    .collect()
            }
        }
    )*};
}

element! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }
