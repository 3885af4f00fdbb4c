//! The typed tree to SPIR-V for Vulkan compute shaders: a second way out of the front end, beside
//! `lower`, which makes the IR of Touchstone's own executors.
//!
//! - `module`: the SPIR-V that is being written
//! - `number`, `wide`: integers of 32 and 64 bits
//! - `memory`: objects, pointers into them, ordinary accesses
//! - `atomic`: atomic functions, fences, barriers
//! - `foreign`: declared functions that stand for operations of Vulkan
//! - `place`: variables, reading and writing objects
//! - `flow`: statements and calls
//! - `expr`, `builtin`: expressions and built-in functions
//! - `kernel`: entry points and their parameters
//!
//! What a shader cannot do, or what nobody needed yet, fails the build with a message that names
//! it. Addressing is logical, without variable pointers: a pointer is an object, known while the
//! module is written, and a distance in words of 32 bits. Every function is written in place of
//! its calls: a function with pointers has to be, since each call may be given other objects, and
//! one without then needs no convention for values that are several words. Vectors are lists of
//! scalars, and an integer of 64 bits is a pair of words on a device without such; an index is
//! computed in 32 bits throughout.
//!
//! A buffer is a storage buffer of words, and a second one of 64-bit integers over the same memory
//! (both `Aliased`) where such integers are accessed whole. Arguments of one kernel are different buffers, unless it is
//! said that they may be one (all `Aliased`). A kernel is an entry point; its
//! buffers are bound by the number of the parameter in set 0, its other arguments are push
//! constants, and its local arguments are as long as constants of the pipeline say. Constants 0, 1
//! and 2 of the pipeline are the size of the work-group.

mod atomic;
mod builtin;
mod expr;
mod flow;
mod foreign;
mod kernel;
mod memory;
mod module;
mod number;
mod place;
mod wide;

pub use foreign::{Access, Foreign};
pub use rspirv::spirv::{MemorySemantics, Scope};
pub use touchstone_ir::RmwOp;

use crate::diag::Diagnostics;
use crate::hir::{LocalId, Unit};
use crate::sema::Checked;
use crate::source::Loc;
use flow::Frame;
use memory::{Object, ObjectId};
use module::{Id, Module};
use rspirv::spirv::MemoryModel;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The device a shader is written for, and what the foreign functions of its text are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// shaderInt64: else integers of 64 bits are pairs of words.
    pub int64: bool,
    /// shaderBufferInt64Atomics
    pub int64_atomics: bool,
    /// vulkanMemoryModel: the model Vulkan, else GLSL450.
    pub memory_model: bool,
    /// vulkanMemoryModelDeviceScope: without it, device scope of OpenCL C is the scope
    /// QueueFamily in the model Vulkan.
    pub device_scope: bool,
    /// What declared, undefined functions of the text stand for, by name.
    pub foreign: BTreeMap<String, Foreign>,
    /// Kernels that may be given one buffer for several arguments, by name.
    pub aliasing: BTreeSet<String>,
    /// What the names of parameters begin with that are pointers to words and come as storage texel
    /// buffers of 32-bit integers; None where there are none.
    pub texels: Option<String>,
    /// Texels of a row where those come as storage images of two dimensions, row by row; a power of two.
    pub row: Option<u32>,
}

/// A module of SPIR-V 1.5 with an entry point for each kernel of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The module.
    pub words: Vec<u32>,
    /// The kernels, in the order of the text.
    pub kernels: Vec<Kernel>,
    /// Warnings, possibly none.
    pub log: String,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// One for each parameter.
    pub parameters: Vec<Parameter>,
}

/// How an argument reaches a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A storage buffer of set 0. What the kernel does not use is not in the module.
    Buffer {
        /// Its binding.
        binding: u32,
    },
    /// A storage texel buffer of set 0, of the format R32_UINT. What the kernel does not use is not in
    /// the module.
    Texels {
        /// Its binding.
        binding: u32,
    },
    /// A storage image of set 0, of two dimensions and the format R32_UINT. What the kernel does not use is not in the
    /// module.
    Image {
        /// Its binding.
        binding: u32,
    },
    /// A push constant.
    Constant {
        /// Bytes from the beginning of the push constants.
        offset: u32,
        /// 4 or 8.
        bytes: u32,
    },
    /// Local memory.
    Local {
        /// The number of the pipeline's constant that says how many words of 4 bytes it has.
        size_id: u32,
    },
}

/// The state of writing a module.
struct Writer<'u> {
    unit: &'u Unit,
    target: &'u Target,
    diags: &'u mut Diagnostics,
    m: Module,
    /// Constants that are the size of a work-group.
    sizes: [Id; 3],
    /// The next number of a constant of the pipeline.
    next_constant: u32,
    /// What the kernel's pointers point into.
    objects: Vec<Object>,
    /// Objects of the variables in local memory that the kernel has used.
    locals: HashMap<LocalId, ObjectId>,
    /// The call that is being written, or the kernel itself.
    frame: Frame,
    /// Calls around it.
    depth: u32,
    /// The variable with the kernel's arguments by value.
    arguments: Option<Id>,
}

/// Writes a unit that was checked without errors. What is wrong is in the diagnostics.
pub(crate) fn write(unit: &Unit, target: &Target, diags: &mut Diagnostics) -> Checked<Shader> {
    let memory_model = if target.memory_model {
        MemoryModel::Vulkan
    } else {
        MemoryModel::GLSL450
    };
    let mut m = Module::new(memory_model, target.int64);
    let sizes = [0, 1, 2].map(|dimension| m.set_by_pipeline(dimension));
    m.work_group_size(sizes);
    let mut writer = Writer {
        unit,
        target,
        diags,
        m,
        sizes,
        next_constant: 3,
        objects: Vec::new(),
        locals: HashMap::new(),
        frame: Frame::default(),
        depth: 0,
        arguments: None,
    };
    let mut kernels = Vec::new();
    for function in &unit.functions {
        if let (Some(_), Some(body)) = (&function.kernel, &function.body) {
            kernels.push(writer.kernel(function, body)?);
        }
    }
    Ok(Shader {
        words: writer.m.finish(),
        kernels,
        log: String::new(),
    })
}

impl Writer<'_> {
    /// Reports what a shader cannot do.
    fn refuse<T>(&mut self, at: Loc, what: &str) -> Checked<T> {
        let message = format!("{what} is not supported in Vulkan shaders");
        Err(self.diags.error(at, message))
    }
}
