//! SPIR-V to IR: kernels that come compiled (`clCreateProgramWithIL`) instead of as OpenCL C.
//!
//! - `parse`: words to the instructions of a module
//! - `capability`: what modules may declare that they need
//! - `types`: types, their sizes and layouts
//! - `constant`: constants, specialization constants, initial values
//! - `variable`: variables of the module, built-in variables among them
//! - `kernel`: entry points and their arguments
//! - `function`: functions, values, calls
//! - `flow`: blocks, branches, `OpPhi`
//! - `arith`, `dot`, `convert`, `composite`, `memory`, `pointer`, `atomic`, `group`, `present`, `image`: instructions by their
//!   subject
//! - `extended`: the instructions of `OpenCL.std`
//! - `wrap`: built-in functions of OpenCL C, called from a module
//!
//! An instruction that is an operation of the IR becomes that. All others are built-in functions of OpenCL C by
//! another name, and the front end has them: the reader writes a function of OpenCL C for each form that a module uses
//! (`float4 …(float4 a0, float4 a1) { return fmax(a0, a1); }`), which is compiled as any source and linked with the
//! module. So there is one implementation of each function, and what a device lacks is missing from both languages.
//!
//! The basic blocks of a module are those of the IR, structured or not. A value is a register; `OpPhi` is one that each
//! of the blocks before it writes, on an edge of its own where a block has several successors. A vector of booleans is
//! a vector of bytes, 0 or -1. The IR has no values of arrays and structs: such a value is private memory that nothing
//! writes after it has been made.
//!
//! What is not SPIR-V for kernels, and what is not here yet (pipes, device-side enqueue, images that are
//! multi-sampled or have depth), fails the build with a message that names the instruction. No words make the reader panic, and none make it
//! grow beyond what the words themselves ask for.

mod arith;
mod atomic;
mod capability;
mod composite;
mod constant;
mod convert;
mod dot;
mod extended;
mod flow;
mod function;
mod group;
mod image;
mod kernel;
mod memory;
mod parse;
mod pointer;
mod present;
mod reader;
mod types;
mod variable;
mod wrap;

pub use capability::{capabilities, extended_instruction_sets, extensions};
pub use parse::{SpecConstant, spec_constants};

use crate::device::Version;
use crate::lower::Lowered;
use crate::{BuildFailure, BuildOptions, CompileOptions, DeviceProfile};
use reader::Reader;

/// Why something cannot be read: a sentence without its place.
type Check<T> = Result<T, String>;

/// The versions of SPIR-V that are read, as `CL_DEVICE_ILS_WITH_VERSION` lists them: (major, minor).
pub const VERSIONS: [(u32, u32); 7] = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)];

/// A value for a specialization constant: its `SpecId`, and its bytes as the host has them.
pub type Specialization = (u32, Vec<u8>);

/// Reads a module to units: the module's own and one of the built-in functions that it calls.
///
/// # Errors
/// The first thing that is wrong with it, or that is not supported, as a build log.
pub(crate) fn read(
    module: &[u8],
    values: &[Specialization],
    options: &CompileOptions<'_>,
) -> Result<Vec<Lowered>, BuildFailure> {
    let failure = |message: String| BuildFailure {
        log: format!("error: SPIR-V: {message}\n"),
    };
    let parsed = parse::parse(module).map_err(failure)?;
    let reader = Reader::new(&parsed, values, options).map_err(failure)?;
    let (lowered, wrapped) = reader.read().map_err(failure)?;
    let mut units = vec![lowered];
    units.extend(wrapped.compiled(options)?);
    Ok(units)
}

/// The options as which OpenCL C is compiled for a module: that has all that the device has.
fn newest(device: &DeviceProfile) -> BuildOptions {
    BuildOptions {
        standard: Some(device.version.max(Version::V3_0)),
        ..BuildOptions::default()
    }
}

/// `Err` with a formatted message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
use ensure;
