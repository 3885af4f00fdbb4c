//! Types, their sizes and layouts: those of OpenCL C (`Ty::Struct` is laid out as C does it, unless it is packed).

use super::reader::{Reader, id, literal};
use super::{Check, ensure};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{AccessQualifier, Decoration, Dim, Op, StorageClass, Word};
use std::rc::Rc;
use touchstone_ir::{self as ir, AddressSpace, ImageAccess, ImageKind, Lanes, Scalar};

/// The largest object, in bytes; far below what arithmetic on offsets holds.
const OBJECT_LIMIT: u64 = 1 << 40;
/// How deep types may nest ("Structure nesting depth" of the universal limits).
const DEPTH: u32 = 255;

/// A type of a module. Types that it is made of are ids.
#[derive(Clone, Debug)]
pub(super) enum Ty {
    Void,
    Scalar(Scalar),
    Vector(Scalar, Lanes),
    Array {
        element: Word,
        len: u64,
        layout: Layout,
    },
    Struct(Rc<Record>),
    Pointer {
        class: StorageClass,
        to: Word,
    },
    Function {
        ret: Word,
        params: Rc<[Word]>,
    },
    Image(ImageKind, ImageAccess),
    Sampler,
    /// An image with a sampler.
    SampledImage,
    Event,
}

/// A struct: its members with their offsets.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) members: Vec<(Word, u64)>,
    pub(super) layout: Layout,
}

/// What a type takes in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Bytes.
    pub(super) size: u64,
    /// In bytes, a power of two.
    pub(super) align: u32,
    /// How many types it nests.
    depth: u32,
}

/// The address space of a storage class; None for those whose objects are no memory.
pub(super) fn space_of(class: StorageClass) -> Option<AddressSpace> {
    Some(match class {
        StorageClass::UniformConstant => AddressSpace::Constant,
        StorageClass::CrossWorkgroup => AddressSpace::Global,
        StorageClass::Workgroup => AddressSpace::Local,
        StorageClass::Function => AddressSpace::Private,
        StorageClass::Generic => AddressSpace::Generic,
        _ => return None,
    })
}

impl Ty {
    /// The type of a register with a value; None where values are memory or nothing.
    pub(super) fn register(&self) -> Option<ir::Type> {
        Some(match self {
            // Vectors of booleans are vectors of 0 and -1.
            Ty::Vector(Scalar::Bool, lanes) => ir::Type::Vector(Scalar::I8, *lanes),
            Ty::Scalar(scalar) => ir::Type::Scalar(*scalar),
            Ty::Vector(scalar, lanes) => ir::Type::Vector(*scalar, *lanes),
            Ty::Pointer { class, .. } => ir::Type::Pointer(space_of(*class)?),
            Ty::Image(..) => ir::Type::Pointer(AddressSpace::Constant),
            Ty::Sampler => ir::Type::I32,
            Ty::Event => ir::Type::I64,
            Ty::Void
            | Ty::Array { .. }
            | Ty::Struct(_)
            | Ty::Function { .. }
            | Ty::SampledImage => return None,
        })
    }

    /// Whether values are memory.
    pub(super) fn is_aggregate(&self) -> bool {
        matches!(self, Ty::Array { .. } | Ty::Struct(_))
    }

    /// What an object takes; None for what lies in no memory.
    pub(super) fn layout(&self) -> Option<Layout> {
        match self {
            Ty::Array { layout, .. } => Some(*layout),
            Ty::Struct(record) => Some(record.layout),
            // Whatever they point to.
            Ty::Pointer { .. } => Some(Layout {
                size: 8,
                align: 8,
                depth: 1,
            }),
            _ => self.register().map(|ty| Layout {
                size: ty.size().into(),
                align: ty.align(),
                depth: 1,
            }),
        }
    }
}

impl Reader<'_> {
    /// A type.
    pub(super) fn ty(&self, id: Word) -> Check<Ty> {
        match self.types.get(&id) {
            Some(ty) => Ok(ty.clone()),
            None => Err(format!("{} is no type", self.name(id))),
        }
    }

    /// The type of a register with a value of a type.
    pub(super) fn register(&self, ty: Word) -> Check<ir::Type> {
        let register = self.ty(ty)?.register();
        register.ok_or_else(|| format!("{} is no type of a value here", self.name(ty)))
    }

    /// What an object of a type takes.
    pub(super) fn layout(&self, ty: Word) -> Check<Layout> {
        let layout = self.ty(ty)?.layout();
        layout.ok_or_else(|| format!("{} has no size", self.name(ty)))
    }

    /// What a pointer type points to, and its class.
    pub(super) fn pointer(&self, ty: Word) -> Check<(Word, StorageClass)> {
        match self.ty(ty)? {
            Ty::Pointer { class, to } => Ok((to, class)),
            _ => Err(format!("{} is no pointer type", self.name(ty))),
        }
    }

    /// Reads the declaration of a type.
    pub(super) fn declare_type(&mut self, inst: &Instruction) -> Check<()> {
        if inst.class.opcode == Op::TypeForwardPointer {
            let class = storage_class(inst, 1)?;
            self.types
                .insert(id(inst, 0)?, Ty::Pointer { class, to: 0 });
            return Ok(());
        }
        let result = inst.result_id.ok_or("a type without an id")?;
        let ty = match inst.class.opcode {
            Op::TypeVoid => Ty::Void,
            Op::TypeBool => Ty::Scalar(Scalar::Bool),
            Op::TypeInt => Ty::Scalar(match literal(inst, 0)? {
                8 => Scalar::I8,
                16 => Scalar::I16,
                32 => Scalar::I32,
                64 => Scalar::I64,
                bits => return Err(format!("integers of {bits} bits are not supported")),
            }),
            Op::TypeFloat => {
                ensure!(
                    inst.operands.len() == 1,
                    "floats with an encoding are not supported"
                );
                Ty::Scalar(match literal(inst, 0)? {
                    16 => Scalar::F16,
                    32 => Scalar::F32,
                    64 => Scalar::F64,
                    bits => return Err(format!("floats of {bits} bits are not supported")),
                })
            }
            Op::TypeVector => {
                let lanes = literal(inst, 1)?;
                match (self.ty(id(inst, 0)?)?, Lanes::from_count(lanes)) {
                    (Ty::Scalar(scalar), Some(lanes)) => Ty::Vector(scalar, lanes),
                    (Ty::Scalar(_), None) => {
                        return Err(format!("there are no vectors of {lanes} elements"));
                    }
                    _ => return Err("a vector of what is no scalar".into()),
                }
            }
            Op::TypeArray => self.array(id(inst, 0)?, id(inst, 1)?)?,
            Op::TypeStruct => self.record(result, inst)?,
            Op::TypePointer => Ty::Pointer {
                class: storage_class(inst, 0)?,
                to: id(inst, 1)?,
            },
            Op::TypeFunction => {
                let ids = (0..inst.operands.len()).map(|n| id(inst, n));
                let ids = ids.collect::<Check<Vec<Word>>>()?;
                match ids.split_first() {
                    Some((&ret, params)) => Ty::Function {
                        ret,
                        params: params.into(),
                    },
                    None => return Err("a function type without a result".into()),
                }
            }
            Op::TypeImage => image(inst)?,
            Op::TypeSampler => Ty::Sampler,
            Op::TypeSampledImage => Ty::SampledImage,
            Op::TypeEvent => Ty::Event,
            // It is only ever pointed to.
            Op::TypeOpaque => Ty::Void,
            _ => return Err("this type is not supported".into()),
        };
        let announced = self.types.insert(result, ty);
        ensure!(
            announced.is_none() || matches!(self.ty(result)?, Ty::Pointer { .. }),
            "a pointer is announced and something else declared"
        );
        Ok(())
    }

    fn array(&self, element: Word, len: Word) -> Check<Ty> {
        let of = self.layout(element)?;
        let len = self.integer(len)?;
        let size = of.size.checked_mul(len).filter(|&n| n <= OBJECT_LIMIT);
        let Some(size) = size else {
            return Err(format!("an array of {len} elements is too large"));
        };
        Ok(Ty::Array {
            element,
            len,
            layout: nested(size, of.align, of.depth)?,
        })
    }

    fn record(&self, own: Word, inst: &Instruction) -> Check<Ty> {
        let packed = self.has(own, Decoration::CPacked);
        let (mut end, mut align, mut depth) = (0u64, 1, 0);
        let mut members = Vec::with_capacity(inst.operands.len());
        for n in 0..inst.operands.len() {
            let member = id(inst, n)?;
            let of = self.layout(member)?;
            let aligned = if packed { 1 } else { of.align };
            let offset = end.next_multiple_of(aligned.into());
            members.push((member, offset));
            end = offset + of.size;
            ensure!(end <= OBJECT_LIMIT, "a struct of {end} bytes is too large");
            (align, depth) = (align.max(aligned), depth.max(of.depth));
        }
        let size = end.next_multiple_of(align.into());
        Ok(Ty::Struct(Rc::new(Record {
            members,
            layout: nested(size, align, depth)?,
        })))
    }

    /// The member of a struct or the element of an array or vector with a number: its type and its offset.
    pub(super) fn part(&self, ty: Word, index: u64) -> Check<(Word, u64)> {
        let found = match self.ty(ty)? {
            Ty::Struct(record) => {
                let member = usize::try_from(index).ok();
                member.and_then(|n| record.members.get(n).copied())
            }
            Ty::Array { element, len, .. } if index < len => {
                Some((element, index * self.layout(element)?.size))
            }
            _ => None,
        };
        found.ok_or_else(|| format!("{} has no part {index}", self.name(ty)))
    }
}

fn nested(size: u64, align: u32, inner: u32) -> Check<Layout> {
    let depth = inner + 1;
    ensure!(depth <= DEPTH, "types are nested more than {DEPTH} deep");
    Ok(Layout { size, align, depth })
}

/// An operand that is a storage class.
pub(super) fn storage_class(inst: &Instruction, n: usize) -> Check<StorageClass> {
    match inst.operands.get(n) {
        Some(Operand::StorageClass(class)) => Ok(*class),
        _ => Err(format!("operand {n} is no storage class")),
    }
}

fn image(inst: &Instruction) -> Check<Ty> {
    let Some(Operand::Dim(dim)) = inst.operands.get(1) else {
        return Err("an image without dimensions".into());
    };
    let (depth, arrayed, sampled) = (literal(inst, 2)?, literal(inst, 3)?, literal(inst, 4)?);
    ensure!(sampled == 0, "multi-sampled images are not supported");
    let kind = match (dim, arrayed != 0) {
        (Dim::Dim1D, false) => ImageKind::D1,
        (Dim::Dim1D, true) => ImageKind::D1Array,
        (Dim::Dim2D, false) => ImageKind::D2,
        (Dim::Dim2D, true) => ImageKind::D2Array,
        (Dim::Dim3D, false) => ImageKind::D3,
        (Dim::DimBuffer, false) => ImageKind::D1Buffer,
        _ => return Err(format!("images of {dim:?} are not supported")),
    };
    // 2 says that it is not known whether the elements are depths; a kernel that does not say so has none.
    let kind = match (depth, kind) {
        (1, ImageKind::D2) => ImageKind::D2Depth,
        (1, ImageKind::D2Array) => ImageKind::D2ArrayDepth,
        (1, _) => return Err(format!("depth images of {dim:?} are not supported")),
        _ => kind,
    };
    let access = match inst.operands.get(7) {
        Some(Operand::AccessQualifier(AccessQualifier::WriteOnly)) => ImageAccess::Write,
        Some(Operand::AccessQualifier(AccessQualifier::ReadWrite)) => ImageAccess::ReadWrite,
        _ => ImageAccess::Read,
    };
    Ok(Ty::Image(kind, access))
}
