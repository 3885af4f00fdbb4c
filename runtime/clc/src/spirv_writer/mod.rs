//! IR to SPIR-V for kernels (`Physical64`, `OpenCL`): modules for `clCreateProgramWithIL`.
//!
//! - `words`: the module that is being written, its types and constants
//! - `kernel`: entry points, their arguments and modes
//! - `variable`: variables of the program and of work-groups, built-in ones
//! - `function`: functions, registers, blocks
//! - `arith`, `convert`, `vector`, `memory`, `atomic`, `group`, `present`, `extended`: operations by their subject
//!
//! The blocks of the IR are those of the module. A register that one instruction writes is a value; any other is a
//! variable of the function. A pointer points to bytes, and is made one to what is accessed where that happens. Memory is
//! arrays of integers, as large as its alignment. What a comparison of vectors gives is a vector of integers, chosen by
//! the truths. What the IR defines and SPIR-V does not (a shift by more than the width, an element behind the last) is
//! written out.
//!
//! Only functions that kernels come to are written. Functions of the [library](crate::library) that have instructions
//! of SPIR-V are these: what they are made of here holds for Touchstone alone. What cannot be said in SPIR-V, or not from
//! the IR (images, pipes, device-side enqueue, addresses in initial values), is refused with its name.

mod arith;
mod atomic;
mod convert;
mod extended;
mod function;
mod group;
mod kernel;
mod memory;
mod present;
mod variable;
mod vector;
mod words;

pub(crate) use atomic::modification;

use crate::BuildFailure;
use rspirv::spirv::StorageClass;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use touchstone_ir::{self as ir, AddressSpace, FuncId, GlobalId, LocalId};
use words::{Id, Words};

/// What cannot be written, in words.
type Check<T> = Result<T, String>;

/// A module being written.
struct Writer<'m> {
    module: &'m ir::Module,
    words: Words,
    /// Functions that are called, with their numbers.
    called: BTreeMap<FuncId, Id>,
    /// Variables of the module, as pointers to what they are declared as.
    globals: HashMap<GlobalId, Id>,
    locals: HashMap<LocalId, Id>,
    /// By the number of a built-in variable.
    inputs: HashMap<u32, Id>,
    /// Variables that each function uses by itself.
    uses: BTreeMap<FuncId, BTreeSet<Id>>,
}

/// Writes the kernels of a module in a version of SPIR-V, or the first that has all they need.
///
/// # Errors
/// What cannot be written.
pub(crate) fn write(module: &ir::Module, version: (u8, u8)) -> Result<Vec<u32>, BuildFailure> {
    let mut writer = Writer {
        module,
        words: Words::new(version),
        called: BTreeMap::new(),
        globals: HashMap::new(),
        locals: HashMap::new(),
        inputs: HashMap::new(),
        uses: BTreeMap::new(),
    };
    let written = writer.kernels();
    written.map_err(|what| BuildFailure {
        log: format!("error: not expressed in SPIR-V: {what}\n"),
    })?;
    Ok(writer.words.finish())
}

/// The storage class of an address space.
fn class_of(space: AddressSpace) -> StorageClass {
    match space {
        AddressSpace::Private => StorageClass::Function,
        AddressSpace::Local => StorageClass::Workgroup,
        AddressSpace::Constant => StorageClass::UniformConstant,
        AddressSpace::Global => StorageClass::CrossWorkgroup,
        AddressSpace::Generic => StorageClass::Generic,
    }
}
