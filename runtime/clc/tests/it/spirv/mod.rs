//! Modules of SPIR-V, assembled here, read, run.
//!
//! | module | subject |
//! | --- | --- |
//! | `assembler` | from text to words |
//! | `arith` | numbers, conversions, extended instructions |
//! | `bits` | bit fields, dot products of integers |
//! | `flow` | branches, values by where control comes from, calls |
//! | `memory` | types, pointers, variables, structs |
//! | `kernel` | entry points, arguments, built-in variables, linkage |
//! | `groups` | atomics, barriers, groups |
//! | `refused` | what is not read, and how that is reported |
//! | `mutated` | modules with words that are wrong |
//! | `written` | modules that OpenCL C becomes |

mod arith;
mod assembler;
mod bits;
mod flow;
mod groups;
mod kernel;
mod memory;
mod mutated;
mod refused;
mod written;

use super::support::{Element, Given, launch};
use assembler::assembled;
use touchstone_clc::spirv::Specialization;
use touchstone_clc::{CompileOptions, Compiled, DeviceProfile, Unit, compile_spirv, link};

/// What most modules begin with. Types have their names in the IR.
const HEAD: &str = r#"
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Linkage
    OpCapability Int8
    OpCapability Int16
    OpCapability Int64
    OpCapability Float16
    OpCapability Float64
    OpCapability Vector16
    OpCapability GenericPointer
    OpCapability Groups
    %std = OpExtInstImport "OpenCL.std"
    OpMemoryModel Physical64 OpenCL
"#;

/// Types and constants that most modules have.
const TYPES: &str = "
    %void = OpTypeVoid
    %bool = OpTypeBool
    %i8 = OpTypeInt 8 0
    %i16 = OpTypeInt 16 0
    %i32 = OpTypeInt 32 0
    %i64 = OpTypeInt 64 0
    %f16 = OpTypeFloat 16
    %f32 = OpTypeFloat 32
    %f64 = OpTypeFloat 64
    %v2i32 = OpTypeVector %i32 2
    %v4i32 = OpTypeVector %i32 4
    %v3i64 = OpTypeVector %i64 3
    %v4f32 = OpTypeVector %f32 4
    %v4bool = OpTypeVector %bool 4
    %g_i32 = OpTypePointer CrossWorkgroup %i32
    %kernel_type = OpTypeFunction %void %g_i32
    %c0 = OpConstant %i32 0
    %c1 = OpConstant %i32 1
    %c2 = OpConstant %i32 2
    %c3 = OpConstant %i32 3
    %c5 = OpConstant %i32 5
    %c7 = OpConstant %i32 7
    %cm1 = OpConstant %i32 -1
    %cm7 = OpConstant %i32 -7
    %l0 = OpConstant %i64 0
    %l1 = OpConstant %i64 1
    %true = OpConstantTrue %bool
    %false = OpConstantFalse %bool
";

/// Reads a module with values for its specialization constants.
fn unit_with(module: &[u8], values: &[Specialization]) -> Result<Unit, String> {
    compile_spirv(module, values, &CompileOptions::default()).map_err(|failure| failure.log)
}

fn unit(text: &str) -> Result<Unit, String> {
    unit_with(&assembled(2, text), &[])
}

fn linked(unit: Unit) -> Result<Compiled, String> {
    let module = link(&[&unit]).map_err(|failure| failure.log)?;
    let log = unit.log;
    Ok(Compiled { module, log })
}

/// A program of one module.
fn built(text: &str) -> Compiled {
    let compiled = unit(text).and_then(linked);
    compiled.unwrap_or_else(|log| panic!("{log}\n{text}"))
}

/// The log of a module that is not read, or not linked.
fn fails(text: &str) -> String {
    match unit(text).and_then(linked) {
        Ok(_) => panic!("this builds:\n{text}"),
        Err(log) => log,
    }
}

/// A module whose kernel `k(global int *out)` runs `body`; `globals` stand before it, after the usual types.
fn module(globals: &str, body: &str) -> String {
    format!(
        r#"{HEAD}
        OpEntryPoint Kernel %k "k"
        {TYPES}
        {globals}
        %k = OpFunction %void None %kernel_type
        %out = OpFunctionParameter %g_i32
        %entry = OpLabel
        {body}
        OpReturn
        OpFunctionEnd
        "#
    )
}

/// The text that stores a value as the n-th number of `out`.
fn put(n: usize, value: &str) -> String {
    format!(
        "%n{n} = OpConstantNumber {n}
         %p{n} = OpInBoundsPtrAccessChain %g_i32 %out %n{n}
         OpStore %p{n} {value} Aligned 4\n"
    )
}

/// Moves the constants that [`put`] names to where constants stand.
fn with_numbers(globals: &str, body: &str) -> String {
    let (mut constants, mut rest) = (format!("{globals}\n"), String::new());
    for line in body.lines() {
        match line.split_once("OpConstantNumber") {
            Some((name, number)) => {
                constants.push_str(&format!("{name}OpConstant %i64 {number}\n"));
            }
            None => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
    }
    module(&constants, &rest)
}

/// What the kernel of a module writes to `n` numbers.
fn outputs<T: Element>(text: &str, n: usize) -> Vec<T> {
    let mut bytes = vec![0u8; n * size_of::<T>()];
    launch(built(text), "k", vec![Given::Buffer(&mut bytes)], 1, 1);
    T::read(&bytes)
}

/// What values of 32 bits are that a body computes, with constants of its own before.
fn values(globals: &str, body: &str, wanted: &[&str]) -> Vec<i32> {
    let stores: String = (wanted.iter().enumerate())
        .map(|(n, value)| put(n, value))
        .collect();
    outputs(
        &with_numbers(globals, &format!("{body}\n{stores}")),
        wanted.len(),
    )
}

/// A device without some features and extensions.
fn device_without(words: &[&str]) -> DeviceProfile {
    let mut device = DeviceProfile::default();
    device.features.retain(|name| !words.contains(&&**name));
    device.extensions.retain(|name| !words.contains(&&**name));
    device
}
