//! What inputs are made of, and what is checked of each.

use super::damage::{below, change, instructions, one, tokens};
use opencl_sys::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone_clc::{BuildOptions, CompileOptions, Source, compile_for_opencl};

/// Texts that inputs are made of.
const TEXTS: [&str; 4] = [
    include_str!("language.cl"),
    include_str!("../../../clc/src/library/enqueue.cl"),
    include_str!("../../../clc/src/library/pipe.cl"),
    include_str!("../../../clc/src/library/sub_group.cl"),
];

/// Kernels that SPIR-V expresses.
const KERNELS: [&str; 3] = [
    "kernel void add(global const int *a, global const int *b, global int *c, int n) {
        size_t i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }",
    "typedef struct { int a[3]; float4 b; char c; } S;
     constant int table[5] = { 1, 2, 3, 4, 5 };
     int f(int x) { return x * 3 + table[x & 3]; }
     kernel void k(global S *s, local int *l, float given) {
        size_t me = get_local_id(0); l[me] = s[me].a[1]; barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 4; ++i) { if (l[i] > 2) s[me].b.yz += given; else s[me].c ^= f(i); }
        switch (l[0]) { case 1: s[0].a[0] = 4; break; case 7: s[0].a[2] = f(5); default: s[1].a[1] = 0; }
        s[me].b = fma(s[me].b, (float4)(2), sin(s[me].b)).wxyz; }",
    "kernel void a(volatile global atomic_int *x, global long *y, global half *h) {
        int old = atomic_fetch_max_explicit(x, 3, memory_order_acq_rel, memory_scope_device);
        y[get_global_id(0)] = work_group_reduce_add((long)old) << (old & 7);
        vstore_half(convert_float(old), 0, h); }",
];

/// Words of the language that texts get beside their own.
const WORDS: [&str; 40] = [
    "kernel",
    "global",
    "local",
    "constant",
    "private",
    "generic",
    "struct",
    "union",
    "typedef",
    "enum",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "return",
    "goto",
    "sizeof",
    "half16",
    "double3",
    "ulong8",
    "image3d_t",
    "read_write",
    "pipe",
    "\\\n",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "#include \"x\"\n",
    "#define f(x) #x ## x\n",
    "#if 1/0\n",
    "\n#endif\n",
    "0x1p99999",
    "18446744073709551616ul",
    "__VA_ARGS__",
    "((((((((((((((((",
];

/// What is fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Text,
    Il,
    Binary,
}

impl Target {
    const ALL: [Self; 3] = [Self::Text, Self::Il, Self::Binary];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Il => "il",
            Self::Binary => "binary",
        }
    }
}

/// What became of an input.
pub enum Checked {
    Built,
    Refused,
    /// What must not be, and why.
    Wrong(String),
}

/// What inputs are drawn from.
pub struct Inputs {
    target: Target,
    context: cl_context,
    device: cl_device_id,
    modules: Vec<Vec<u32>>,
    binaries: Vec<Vec<u8>>,
}

impl Inputs {
    pub fn new(target: Target) -> Self {
        let (mut platform, mut device, mut error) = (null_mut(), null_mut(), 0);
        let context = unsafe {
            clGetPlatformIDs(1, &mut platform, null_mut());
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut());
            clCreateContext(null(), 1, &device, None, null_mut(), &mut error)
        };
        assert_eq!(error, CL_SUCCESS, "there is no context");
        let mut inputs = Self {
            target,
            context,
            device,
            modules: Vec::new(),
            binaries: Vec::new(),
        };
        let modules = KERNELS.into_iter().zip([(1, 0), (1, 2), (1, 4)]);
        inputs.modules = modules
            .map(|(text, version)| module(text, version))
            .collect();
        inputs.binaries = inputs.whole_binaries();
        let is_right =
            target != Target::Text || matches!(inputs.check(TEXTS[0].as_bytes()), Checked::Built);
        assert!(is_right, "a text that is to be damaged is built as it is");
        inputs
    }

    /// The input with a number.
    pub fn input(&self, seed: u64, at: u64) -> Vec<u8> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(at);
        match self.target {
            Target::Text => text(&mut random),
            Target::Il => self.il(&mut random),
            Target::Binary => self.binary(&mut random),
        }
    }

    fn il(&self, random: &mut ChaCha8Rng) -> Vec<u8> {
        let module = one(random, &self.modules);
        let words = match below(random, 4) {
            0 => {
                let mut parts = instructions(module);
                let all = parts.clone();
                change(random, &mut parts, |random| one(random, &all).clone());
                let header = module.iter().take(5).copied();
                header.chain(parts.into_iter().flatten()).collect()
            }
            _ => {
                let mut words = module.clone();
                for _ in 0..1 + below(random, 5) {
                    let at = below(random, words.len());
                    words[at] = match below(random, 4) {
                        0 => random.next_u32() % 160,
                        1 => (words[at] & 0xffff_0000) | (random.next_u32() % 420),
                        2 => *one(random, module),
                        _ => random.next_u32(),
                    };
                }
                if below(random, 32) == 0 {
                    words.truncate(below(random, words.len()));
                }
                words
            }
        };
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn binary(&self, random: &mut ChaCha8Rng) -> Vec<u8> {
        let mut bytes = one(random, &self.binaries).clone();
        match below(random, 3) {
            // Most lengths and kinds are there.
            0 => {
                let at = below(random, bytes.len().saturating_sub(8));
                let numbers = [0, 1, 2, 0x7f, u64::from(u32::MAX), u64::MAX, 1 << 40];
                let number = one(random, &numbers).to_le_bytes();
                let many = if below(random, 2) == 0 { 4 } else { 8 };
                bytes[at..at + many].copy_from_slice(&number[..many]);
            }
            1 => {
                for _ in 0..1 + below(random, 4) {
                    let at = below(random, bytes.len());
                    bytes[at] ^= 1 << below(random, 8);
                }
            }
            _ => change(random, &mut bytes, |random| random.next_u32() as u8),
        }
        bytes
    }

    /// Builds an input.
    pub fn check(&self, input: &[u8]) -> Checked {
        let (mut error, mut status) = (CL_SUCCESS, CL_SUCCESS);
        let (mut start, length) = (input.as_ptr(), input.len());
        let program = unsafe {
            match self.target {
                Target::Text => {
                    let mut text = start.cast();
                    clCreateProgramWithSource(self.context, 1, &mut text, &length, &mut error)
                }
                Target::Il => clCreateProgramWithIL(self.context, start.cast(), length, &mut error),
                Target::Binary => clCreateProgramWithBinary(
                    self.context,
                    1,
                    &self.device,
                    &length,
                    &mut start,
                    &mut status,
                    &mut error,
                ),
            }
        };
        if program.is_null() {
            return match error {
                CL_INVALID_VALUE | CL_INVALID_BINARY => Checked::Refused,
                other => Checked::Wrong(format!("creating the program returned {other}")),
            };
        }
        let checked = self.build(program);
        match unsafe { clReleaseProgram(program) } {
            CL_SUCCESS => checked,
            other => Checked::Wrong(format!("releasing the program returned {other}")),
        }
    }

    fn build(&self, program: cl_program) -> Checked {
        let options = match self.target {
            Target::Text => c"-cl-std=CL3.0 -cl-kernel-arg-info",
            Target::Il | Target::Binary => c"",
        };
        let built =
            unsafe { clBuildProgram(program, 1, &self.device, options.as_ptr(), None, null_mut()) };
        let log = self.log(program);
        if log.contains("defect of Touchstone") {
            return Checked::Wrong(log);
        }
        match built {
            CL_SUCCESS => self.kernels(program),
            CL_BUILD_PROGRAM_FAILURE if log.len() > 1 => Checked::Refused,
            // A library has nothing to build.
            CL_INVALID_BINARY | CL_INVALID_OPERATION if self.target == Target::Binary => {
                Checked::Refused
            }
            // Options of a binary.
            CL_INVALID_BUILD_OPTIONS if self.target == Target::Binary => Checked::Refused,
            other => Checked::Wrong(format!("building returned {other}, and this log: {log}")),
        }
    }

    fn log(&self, program: cl_program) -> String {
        let mut length = 0;
        unsafe {
            let what = CL_PROGRAM_BUILD_LOG;
            clGetProgramBuildInfo(program, self.device, what, 0, null_mut(), &mut length);
            let mut bytes = vec![0u8; length];
            let to = bytes.as_mut_ptr().cast();
            clGetProgramBuildInfo(program, self.device, what, length, to, null_mut());
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }

    /// Asks what was built for its kernels, and them for their arguments.
    fn kernels(&self, program: cl_program) -> Checked {
        let mut many = 0;
        let code = unsafe { clCreateKernelsInProgram(program, 0, null_mut(), &mut many) };
        match code {
            CL_SUCCESS => {}
            // A compiled object is no executable.
            CL_INVALID_PROGRAM_EXECUTABLE if self.target == Target::Binary => {
                return Checked::Built;
            }
            other => return Checked::Wrong(format!("the number of kernels is not known: {other}")),
        }
        let mut kernels = vec![null_mut(); many as usize];
        if many > 0 {
            let to = kernels.as_mut_ptr();
            let code = unsafe { clCreateKernelsInProgram(program, many, to, null_mut()) };
            if code != CL_SUCCESS {
                return Checked::Wrong(format!("{many} kernels are not made: {code}"));
            }
        }
        let mut wrong = None;
        for kernel in kernels {
            let mut arguments: cl_uint = 0;
            let to = (&raw mut arguments).cast();
            let code = unsafe {
                clGetKernelInfo(
                    kernel,
                    CL_KERNEL_NUM_ARGS,
                    size_of::<cl_uint>(),
                    to,
                    null_mut(),
                )
            };
            let mut name = [0u8; 64];
            for at in 0..arguments {
                let (to, size) = (name.as_mut_ptr().cast(), name.len());
                // There may be no names, and they may be longer.
                unsafe { clGetKernelArgInfo(kernel, at, CL_KERNEL_ARG_NAME, size, to, null_mut()) };
            }
            let released = unsafe { clReleaseKernel(kernel) };
            if (code, released) != (CL_SUCCESS, CL_SUCCESS) {
                wrong = Some(format!(
                    "a kernel's arguments: {code}, its release: {released}"
                ));
            }
        }
        wrong.map_or(Checked::Built, Checked::Wrong)
    }

    /// The binaries of programs of texts and of modules, built and compiled.
    fn whole_binaries(&self) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        for (text, module) in KERNELS.into_iter().zip(&self.modules) {
            for (n, whole) in [(0, true), (1, false), (2, true)] {
                let mut error = 0;
                let program = unsafe {
                    match n {
                        2 => {
                            let start = module.as_ptr().cast();
                            clCreateProgramWithIL(self.context, start, module.len() * 4, &mut error)
                        }
                        _ => {
                            let (mut start, length) = (text.as_ptr().cast(), text.len());
                            let (context, start) = (self.context, &mut start);
                            clCreateProgramWithSource(context, 1, start, &length, &mut error)
                        }
                    }
                };
                assert_eq!(error, CL_SUCCESS, "a program of {text}");
                let options: &CStr = c"-cl-std=CL3.0 -DX=1";
                let built = unsafe {
                    let options = options.as_ptr();
                    match whole {
                        true => clBuildProgram(program, 1, &self.device, options, None, null_mut()),
                        false => clCompileProgram(
                            program,
                            1,
                            &self.device,
                            options,
                            0,
                            null(),
                            null_mut(),
                            None,
                            null_mut(),
                        ),
                    }
                };
                assert_eq!(built, CL_SUCCESS, "{}", self.log(program));
                let mut length = 0usize;
                let size = size_of::<usize>();
                let to = (&raw mut length).cast();
                unsafe { clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, size, to, null_mut()) };
                let mut bytes = vec![0u8; length];
                let mut start = bytes.as_mut_ptr();
                let to = (&raw mut start).cast();
                let size = size_of::<*mut u8>();
                unsafe { clGetProgramInfo(program, CL_PROGRAM_BINARIES, size, to, null_mut()) };
                all.push(bytes);
                unsafe { clReleaseProgram(program) };
            }
        }
        all
    }
}

fn module(text: &str, version: (u8, u8)) -> Vec<u32> {
    let sources = [Source::new("module.cl", text)];
    let build = BuildOptions::parse("-cl-std=CL3.0").expect("the options are right");
    let options = CompileOptions {
        build,
        ..CompileOptions::default()
    };
    let written = compile_for_opencl(&sources, &options, version);
    written.unwrap_or_else(|failure| panic!("{}", failure.log))
}

/// A text: one of ours with changes, or words after each other.
fn text(random: &mut ChaCha8Rng) -> Vec<u8> {
    let whole = *one(random, &TEXTS);
    let all = tokens(whole);
    let other = |random: &mut ChaCha8Rng| match below(random, 3) {
        0 => *one(random, &WORDS),
        _ => *one(random, &all),
    };
    let parts = match below(random, 8) {
        0 => {
            let many = below(random, 120);
            let mut soup = Vec::new();
            for _ in 0..many {
                soup.push(other(random));
                soup.push(" ");
            }
            soup
        }
        _ => {
            // All of it, or a part, which has more changes for what it takes.
            let begin = below(random, all.len());
            let mut parts = match below(random, 2) {
                0 => all.clone(),
                _ => all[begin..(begin + 400).min(all.len())].to_vec(),
            };
            change(random, &mut parts, other);
            parts
        }
    };
    let mut bytes = parts.concat().into_bytes();
    if below(random, 32) == 0 && !bytes.is_empty() {
        let at = below(random, bytes.len());
        bytes[at] = random.next_u32() as u8;
    }
    // A length of 0 says that the text ends with a zero.
    bytes.push(b'\n');
    bytes
}
