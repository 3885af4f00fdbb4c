//! Compiling and running kernels in tests.

use rspirv::spirv::{Capability, Op};
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use touchstone_clc::{
    BuildOptions, CompileOptions, Compiled, DeviceProfile, Source, Version, compile, compile_spirv,
    link, write_spirv,
};
use touchstone_exec::{Arg, Executable, Launch, MemoryMap, Output, Permission, Pool};

/// The validator of SPIRV-Tools.
const VALIDATOR: &str = "spirv-val";

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

impl Given<'_> {
    /// What it holds, where it is a buffer.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Given::Buffer(buffer) => buffer.to_vec(),
            Given::Value(_) | Given::Local(_) => Vec::new(),
        }
    }
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

/// Runs a kernel; without a size a work-group is one sub-group. What it prints. Where the program can be written as a
/// module of SPIR-V, that is read again, and has to do the same.
fn launched(
    compiled: Compiled,
    kernel: &str,
    mut given: Vec<Given<'_>>,
    range: (u64, u64),
    sub_group: Option<u32>,
) -> String {
    let Some(translated) = translated(&compiled) else {
        return launched_once(compiled, kernel, given, range, sub_group);
    };
    let mut copies: Vec<Vec<u8>> = given.iter().map(Given::bytes).collect();
    let pairs = given.iter().zip(&mut copies);
    let again = pairs.map(|(one, copy)| match one {
        Given::Buffer(_) => Given::Buffer(copy),
        Given::Value(bytes) => Given::Value(bytes.clone()),
        Given::Local(bytes) => Given::Local(*bytes),
    });
    let printed_again = launched_once(translated, kernel, again.collect(), range, sub_group);
    let own = given.iter_mut().map(|one| match one {
        Given::Buffer(buffer) => Given::Buffer(buffer),
        Given::Value(bytes) => Given::Value(bytes.clone()),
        Given::Local(bytes) => Given::Local(*bytes),
    });
    let printed = launched_once(compiled, kernel, own.collect(), range, sub_group);
    // Work-groups print in any order.
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(
        sorted(&printed_again),
        sorted(&printed),
        "what a module prints"
    );
    for (one, copy) in given.iter().zip(&copies) {
        assert!(one.bytes() == *copy, "a module writes something else");
    }
    printed
}

/// A program that was written as a module of SPIR-V and read again; None where it is not expressed in SPIR-V.
fn translated(compiled: &Compiled) -> Option<Compiled> {
    let words = write_spirv(&compiled.module, (1, 2)).ok()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_valid(&bytes);
    let unit = compile_spirv(&bytes, &[], &CompileOptions::default());
    let module = unit.and_then(|unit| link(&[&unit]));
    let module = module.unwrap_or_else(|failure| panic!("{}", failure.log));
    let log = String::new();
    Some(Compiled { module, log })
}

/// Whether `spirv-val` is there.
fn has_validator() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let there = Command::new(VALIDATOR).arg("--version").output().is_ok();
        if !there {
            println!("{VALIDATOR} is not installed: modules are not validated");
        }
        there
    })
}

/// Asks `spirv-val`, where it is installed, about a module.
pub fn assert_valid(module: &[u8]) {
    if !has_validator() {
        return;
    }
    // The environment of OpenCL 2.2 has no later versions, nor what is an extension.
    let (words, _) = module.as_chunks::<4>();
    let extends = |capability: Capability| {
        let declared = [2 << 16 | Op::Capability as u32, capability as u32];
        let declared = declared.map(u32::to_le_bytes);
        words.windows(2).any(|pair| pair == declared)
    };
    let extended = extends(Capability::Float16) || extends(Capability::Int64Atomics);
    let environment = match module[5] {
        minor if minor > 2 || extended => format!("spv1.{minor}"),
        _ => "opencl2.2".to_owned(),
    };
    let mut validator = Command::new(VALIDATOR)
        .args(["--target-env", &environment, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    validator.stdin.take().unwrap().write_all(module).unwrap();
    let said = validator.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        said.status.success(),
        "{VALIDATOR}: {}{}",
        text(&said.stdout),
        text(&said.stderr)
    );
}

fn launched_once(
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
