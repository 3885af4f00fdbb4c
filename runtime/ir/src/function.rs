//! Functions, their blocks and registers, and what makes one a kernel.

use crate::ids::Reg;
use crate::op::{Inst, Terminator};
use crate::types::{AddressSpace, Type};
use crate::value::{Const, Loc, Operand};

/// A register's declaration.
///
/// A *temporary* must be written on every path before it is read; the validator
/// checks that. A *variable* stands for a variable of the source whose address
/// is not taken: it may be read before it is written, and its value is then
/// zero in our executors (unspecified in the language).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegDecl {
    /// Its type.
    pub ty: Type,
    /// The source's name for variables, None for temporaries.
    pub variable: Option<String>,
}

/// A private variable in memory, one for each activation. Its first content is
/// unspecified; our executors fill it with zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name in the source, possibly empty.
    pub name: String,
    /// Bytes.
    pub size: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its instructions, in order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Terminator,
    /// The source of the terminator.
    pub term_loc: Loc,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Parameters: distinct registers that hold the arguments at entry.
    pub params: Vec<Reg>,
    /// Type of the result, None for `void`.
    pub ret: Option<Type>,
    /// Register declarations, by [`Reg`].
    pub regs: Vec<RegDecl>,
    /// Private variables, by [`SlotId`].
    pub slots: Vec<Slot>,
    /// Blocks, by [`BlockId`]; empty while only declared.
    pub blocks: Vec<Block>,
    /// Present for kernels.
    pub kernel: Option<KernelInfo>,
    /// Where it is defined.
    pub loc: Loc,
}

impl Function {
    /// A function without a body. Its parameters are registers 0, 1, ….
    pub fn declare(name: impl Into<String>, params: &[Type], ret: Option<Type>) -> Function {
        Function {
            name: name.into(),
            params: (0..params.len() as u32).map(Reg).collect(),
            ret,
            regs: params
                .iter()
                .map(|&ty| RegDecl { ty, variable: None })
                .collect(),
            slots: Vec::new(),
            blocks: Vec::new(),
            kernel: None,
            loc: Loc::NONE,
        }
    }

    /// The type of a register, if it is declared.
    pub fn reg_type(&self, reg: Reg) -> Option<Type> {
        self.regs.get(reg.0 as usize).map(|r| r.ty)
    }

    /// The type of an operand, if it is declared.
    pub fn operand_type(&self, operand: Operand) -> Option<Type> {
        match operand {
            Operand::Reg(r) => self.reg_type(r),
            Operand::Const(c) => Some(Const::ty(c)),
        }
    }
}

/// What a kernel's interface says beyond its registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// One for each parameter.
    pub args: Vec<KernelArg>,
    /// `reqd_work_group_size`.
    pub reqd_work_group_size: Option<[u64; 3]>,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u64; 3]>,
    /// `vec_type_hint`, as spelled.
    pub vec_type_hint: Option<String>,
    /// All attributes as spelled, for `CL_KERNEL_ATTRIBUTES`.
    pub attributes: String,
    /// A block, which kernels enqueue and the host does not. Its first argument is an aggregate: what it
    /// captured; the others are local memory.
    pub is_block: bool,
}

/// A kernel argument, as `clGetKernelArgInfo` and `clSetKernelArg` see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArg {
    /// Name.
    pub name: String,
    /// Type as spelled, such as `float*`.
    pub type_name: String,
    /// Type qualifiers.
    pub qualifiers: TypeQualifiers,
    /// How it is passed.
    pub pass: ArgPass,
}

/// How an argument reaches its parameter's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgPass {
    /// A value of this type: scalar or vector. The register has the type.
    Value(Type),
    /// A struct or union by value. The register is a pointer to private memory
    /// where the executor puts a copy for each work-item.
    Aggregate {
        /// Bytes.
        size: u32,
        /// Alignment in bytes.
        align: u32,
    },
    /// A buffer or SVM pointer in global or constant memory. The register is a
    /// pointer to that space.
    Pointer(AddressSpace),
    /// Local memory whose size the host gives. The register is a pointer to local.
    LocalPointer {
        /// Alignment of the type pointed to, in bytes.
        align: u32,
    },
    /// An image. The register is a pointer to constant memory, to a description of it that the front end and
    /// the host agree on.
    Image(ImageKind, ImageAccess),
    /// A pipe. The register is a pointer to global memory, to the state of the pipe and its packets in a layout that
    /// the front end and the host agree on.
    Pipe {
        /// Whether the kernel writes packets; it reads them otherwise.
        writes: bool,
    },
    /// A sampler. The register is an `I32` with its properties, as the constants of OpenCL C that begin with
    /// `CLK_` encode them.
    Sampler,
    /// A device queue. The register is an `I64` by which the host knows it.
    Queue,
}

/// The kinds of images that kernels have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// `image1d_t`.
    D1,
    /// `image1d_buffer_t`.
    D1Buffer,
    /// `image1d_array_t`.
    D1Array,
    /// `image2d_t`.
    D2,
    /// `image2d_array_t`.
    D2Array,
    /// `image3d_t`.
    D3,
    /// `image2d_depth_t`.
    D2Depth,
    /// `image2d_array_depth_t`.
    D2ArrayDepth,
}

impl ImageKind {
    /// Every kind.
    pub const ALL: [ImageKind; 8] = [
        ImageKind::D1,
        ImageKind::D1Buffer,
        ImageKind::D1Array,
        ImageKind::D2,
        ImageKind::D2Array,
        ImageKind::D3,
        ImageKind::D2Depth,
        ImageKind::D2ArrayDepth,
    ];

    /// The name of its type.
    pub const fn name(self) -> &'static str {
        match self {
            ImageKind::D1 => "image1d_t",
            ImageKind::D1Buffer => "image1d_buffer_t",
            ImageKind::D1Array => "image1d_array_t",
            ImageKind::D2 => "image2d_t",
            ImageKind::D2Array => "image2d_array_t",
            ImageKind::D3 => "image3d_t",
            ImageKind::D2Depth => "image2d_depth_t",
            ImageKind::D2ArrayDepth => "image2d_array_depth_t",
        }
    }

    /// How many coordinates the place of an element has, that of the image in an array among them.
    pub const fn coordinates(self) -> u32 {
        match self {
            ImageKind::D1 | ImageKind::D1Buffer => 1,
            ImageKind::D1Array | ImageKind::D2 | ImageKind::D2Depth => 2,
            ImageKind::D2Array | ImageKind::D2ArrayDepth | ImageKind::D3 => 3,
        }
    }

    /// Whether it is an array of images.
    pub const fn is_array(self) -> bool {
        matches!(
            self,
            ImageKind::D1Array | ImageKind::D2Array | ImageKind::D2ArrayDepth
        )
    }

    /// Whether an element is a depth, a single float.
    pub const fn has_depth(self) -> bool {
        matches!(self, ImageKind::D2Depth | ImageKind::D2ArrayDepth)
    }
}

/// What a kernel may do with an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageAccess {
    /// `read_only`.
    Read,
    /// `write_only`.
    Write,
    /// `read_write`.
    ReadWrite,
}

impl ImageAccess {
    /// The qualifier.
    pub const fn name(self) -> &'static str {
        match self {
            ImageAccess::Read => "read_only",
            ImageAccess::Write => "write_only",
            ImageAccess::ReadWrite => "read_write",
        }
    }

    /// Whether elements may be read.
    pub const fn reads(self) -> bool {
        !matches!(self, ImageAccess::Write)
    }

    /// Whether elements may be written.
    pub const fn writes(self) -> bool {
        !matches!(self, ImageAccess::Read)
    }
}

impl ArgPass {
    /// The size that `clSetKernelArg` demands; None for local memory, whose
    /// size is the host's to choose.
    pub const fn size(self) -> Option<u32> {
        match self {
            ArgPass::Value(ty) => Some(ty.size()),
            ArgPass::Aggregate { size, .. } => Some(size),
            ArgPass::Pointer(_)
            | ArgPass::Image(..)
            | ArgPass::Pipe { .. }
            | ArgPass::Sampler
            | ArgPass::Queue => Some(8),
            ArgPass::LocalPointer { .. } => None,
        }
    }

    /// The address space of what it points to; private for values.
    pub const fn space(self) -> AddressSpace {
        match self {
            ArgPass::Value(_) | ArgPass::Aggregate { .. } | ArgPass::Sampler | ArgPass::Queue => {
                AddressSpace::Private
            }
            ArgPass::Pointer(space) => space,
            ArgPass::Image(..) | ArgPass::Pipe { .. } => AddressSpace::Global,
            ArgPass::LocalPointer { .. } => AddressSpace::Local,
        }
    }

    /// The type of the parameter's register.
    pub const fn reg_type(self) -> Type {
        match self {
            ArgPass::Value(ty) => ty,
            ArgPass::Image(..) => Type::Pointer(AddressSpace::Constant),
            ArgPass::Sampler => Type::I32,
            ArgPass::Queue => Type::I64,
            _ => Type::Pointer(self.space()),
        }
    }
}

/// `CL_KERNEL_ARG_TYPE_*`: qualifiers of the type pointed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeQualifiers {
    /// `const`, also every `constant` pointer.
    pub is_const: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// `volatile`.
    pub is_volatile: bool,
}
