//! The SPIR-V that is being written: ids, what is declared before functions, types and constants that stand once.

use super::{Check, class_of};
use rspirv::binary::Assemble as _;
use rspirv::dr::{self, Instruction, ModuleHeader, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, MemoryModel, Op, SourceLanguage, StorageClass, Word,
};
use std::collections::HashMap;
use touchstone_ir::{AddressSpace, Const, Lanes, Scalar, Type};

/// The number of a result, a type, a variable or a block.
pub(super) type Id = Word;

/// The set of extended instructions that are the built-in functions of OpenCL C.
const OPENCL: &str = "OpenCL.std";
/// The version of OpenCL C that modules say they come from.
const LANGUAGE: u32 = 300_000;
/// An instruction has at most so many operands: its length in words is a number of 16 bits.
const OPERANDS: u64 = 65_000;

/// A module without its functions, which are appended to it.
pub(super) struct Words {
    pub(super) spirv: dr::Module,
    last: Id,
    /// Types and constants by what they are.
    shared: HashMap<Instruction, Id>,
    version: (u8, u8),
}

/// Ids as operands.
pub(super) fn ids(ids: &[Id]) -> Vec<Operand> {
    ids.iter().map(|&id| Operand::IdRef(id)).collect()
}

/// The scalar, and how many of them, that elements of memory with an alignment are.
const fn element_of(align: u32) -> (Scalar, u32) {
    match align {
        0 | 1 => (Scalar::I8, 1),
        2 => (Scalar::I16, 1),
        4 => (Scalar::I32, 1),
        8 => (Scalar::I64, 1),
        16 => (Scalar::I64, 2),
        32 => (Scalar::I64, 4),
        64 => (Scalar::I64, 8),
        _ => (Scalar::I64, 16),
    }
}

impl Words {
    pub(super) fn new(version: (u8, u8)) -> Self {
        let mut words = Self {
            spirv: dr::Module::new(),
            last: 0,
            shared: HashMap::new(),
            version,
        };
        words.capability(Capability::Addresses);
        words.capability(Capability::Kernel);
        let models = vec![
            Operand::AddressingModel(AddressingModel::Physical64),
            Operand::MemoryModel(MemoryModel::OpenCL),
        ];
        words.spirv.memory_model = Some(Instruction::new(Op::MemoryModel, None, None, models));
        let source = vec![
            Operand::SourceLanguage(SourceLanguage::OpenCL_C),
            Operand::LiteralBit32(LANGUAGE),
        ];
        let source = Instruction::new(Op::Source, None, None, source);
        words.spirv.debug_string_source.push(source);
        words
    }

    /// The words of the module.
    pub(super) fn finish(mut self) -> Vec<u32> {
        let mut header = ModuleHeader::new(self.last + 1);
        header.set_version(self.version.0, self.version.1);
        // No tool is registered for this writer.
        header.generator = 0;
        self.spirv.header = Some(header);
        self.spirv.assemble()
    }

    pub(super) fn id(&mut self) -> Id {
        self.last += 1;
        self.last
    }

    /// The version of the module.
    pub(super) fn version(&self) -> (u8, u8) {
        self.version
    }

    /// Makes the module one of a version that has what is about to be used.
    pub(super) fn since(&mut self, version: (u8, u8)) {
        self.version = self.version.max(version);
    }

    /// Declares that the module uses a capability.
    pub(super) fn capability(&mut self, capability: Capability) {
        let declared = Instruction::new(
            Op::Capability,
            None,
            None,
            vec![Operand::Capability(capability)],
        );
        if !self.spirv.capabilities.contains(&declared) {
            self.spirv.capabilities.push(declared);
        }
    }

    /// Declares that the module uses an extension.
    pub(super) fn extension(&mut self, name: &str) {
        let operands = vec![Operand::LiteralString(name.to_owned())];
        let declared = Instruction::new(Op::Extension, None, None, operands);
        if !self.spirv.extensions.contains(&declared) {
            self.spirv.extensions.push(declared);
        }
    }

    /// The built-in functions of OpenCL C.
    pub(super) fn opencl(&mut self) -> Id {
        if let Some(id) = self
            .spirv
            .ext_inst_imports
            .first()
            .and_then(|i| i.result_id)
        {
            return id;
        }
        let id = self.id();
        let operands = vec![Operand::LiteralString(OPENCL.to_owned())];
        let import = Instruction::new(Op::ExtInstImport, None, Some(id), operands);
        self.spirv.ext_inst_imports.push(import);
        id
    }

    pub(super) fn name(&mut self, id: Id, name: &str) {
        if !name.is_empty() {
            let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
            let name = Instruction::new(Op::Name, None, None, operands);
            self.spirv.debug_names.push(name);
        }
    }

    /// A text that stands in the module for those who ask about it.
    pub(super) fn text(&mut self, text: String) {
        let id = self.id();
        let operands = vec![Operand::LiteralString(text)];
        let string = Instruction::new(Op::String, None, Some(id), operands);
        // Texts stand before the source that they are about.
        self.spirv.debug_string_source.insert(0, string);
    }

    pub(super) fn decorate(&mut self, id: Id, decoration: Decoration, more: Option<Operand>) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend(more);
        let decoration = Instruction::new(Op::Decorate, None, None, operands);
        self.spirv.annotations.push(decoration);
    }

    /// Adds a type, a constant or a variable of the module.
    pub(super) fn global(&mut self, op: Op, ty: Option<Id>, operands: Vec<Operand>) -> Id {
        let id = self.id();
        let instruction = Instruction::new(op, ty, Some(id), operands);
        self.spirv.types_global_values.push(instruction);
        id
    }

    /// A type or a constant, which stands once.
    fn shared(&mut self, op: Op, ty: Option<Id>, operands: Vec<Operand>) -> Id {
        let key = Instruction::new(op, ty, None, operands.clone());
        if let Some(&id) = self.shared.get(&key) {
            return id;
        }
        let id = self.global(op, ty, operands);
        self.shared.insert(key, id);
        id
    }

    pub(super) fn void(&mut self) -> Id {
        self.shared(Op::TypeVoid, None, Vec::new())
    }

    fn integer(&mut self, bits: u32) -> Id {
        let operands = vec![Operand::LiteralBit32(bits), Operand::LiteralBit32(0)];
        self.shared(Op::TypeInt, None, operands)
    }

    fn float(&mut self, bits: u32) -> Id {
        self.shared(Op::TypeFloat, None, vec![Operand::LiteralBit32(bits)])
    }

    fn scalar(&mut self, scalar: Scalar) -> Id {
        match scalar {
            Scalar::Bool => return self.shared(Op::TypeBool, None, Vec::new()),
            Scalar::I8 => self.capability(Capability::Int8),
            Scalar::I16 => self.capability(Capability::Int16),
            Scalar::I64 => self.capability(Capability::Int64),
            Scalar::F16 => self.capability(Capability::Float16),
            Scalar::F64 => self.capability(Capability::Float64),
            Scalar::I32 | Scalar::F32 => {}
        }
        match scalar.is_float() {
            true => self.float(scalar.bits()),
            false => self.integer(scalar.bits()),
        }
    }

    fn vector(&mut self, element: Scalar, lanes: u32) -> Id {
        if lanes > 4 {
            self.capability(Capability::Vector16);
        }
        let operands = vec![
            Operand::IdRef(self.scalar(element)),
            Operand::LiteralBit32(lanes),
        ];
        self.shared(Op::TypeVector, None, operands)
    }

    /// A type of registers. What pointers point to are bytes.
    pub(super) fn ty(&mut self, ty: Type) -> Id {
        match ty {
            Type::Scalar(scalar) => self.scalar(scalar),
            Type::Vector(element, lanes) => self.vector(element, lanes.count()),
            Type::Pointer(space) => {
                let byte = self.scalar(Scalar::I8);
                self.pointer(space, byte)
            }
        }
    }

    /// The type of the truths of a comparison of values of a type.
    pub(super) fn truths(&mut self, ty: Type) -> Id {
        match ty {
            Type::Vector(_, lanes) => self.vector(Scalar::Bool, lanes.count()),
            Type::Scalar(_) | Type::Pointer(_) => self.scalar(Scalar::Bool),
        }
    }

    /// A pointer to objects of a type.
    pub(super) fn pointer(&mut self, space: AddressSpace, to: Id) -> Id {
        if space == AddressSpace::Generic {
            self.capability(Capability::GenericPointer);
        }
        self.pointer_in(class_of(space), to)
    }

    pub(super) fn pointer_in(&mut self, class: StorageClass, to: Id) -> Id {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(to)];
        self.shared(Op::TypePointer, None, operands)
    }

    pub(super) fn function(&mut self, ret: Option<Type>, params: &[Id]) -> Id {
        let ret = match ret {
            Some(ty) => self.ty(ty),
            None => self.void(),
        };
        let mut operands = ids(&[ret]);
        operands.extend(ids(params));
        self.shared(Op::TypeFunction, None, operands)
    }

    /// A struct of one member.
    pub(super) fn record(&mut self, member: Id) -> Id {
        self.shared(Op::TypeStruct, None, ids(&[member]))
    }

    /// The type of the elements that memory with an alignment is made of.
    pub(super) fn element(&mut self, align: u32) -> Id {
        match element_of(align) {
            (scalar, 1) => self.scalar(scalar),
            (scalar, lanes) => self.vector(scalar, lanes),
        }
    }

    /// The type of an object of so many bytes, or some more, that is so aligned.
    pub(super) fn room(&mut self, bytes: u64, align: u32) -> Id {
        let (scalar, lanes) = element_of(align);
        let size = u64::from(scalar.size() * lanes);
        let element = self.element(align);
        let len = self.wide(bytes.div_ceil(size).max(1));
        self.shared(Op::TypeArray, None, ids(&[element, len]))
    }

    /// The value of an object of a [`room`](Self::room) that begins with some bytes, zeros after them.
    pub(super) fn contents(&mut self, first: &[u8], bytes: u64, align: u32) -> Check<Id> {
        let ty = self.room(bytes, align);
        if first.iter().all(|&byte| byte == 0) {
            return Ok(self.zero_of(ty));
        }
        let (scalar, lanes) = element_of(align);
        let size = u64::from(scalar.size() * lanes);
        let count = bytes.div_ceil(size).max(1);
        if count > OPERANDS {
            return Err(format!("an initial value of {bytes} bytes"));
        }
        let element = self.element(align);
        let mut elements = Vec::new();
        for n in 0..count {
            let from = first.get((n * size) as usize..).unwrap_or_default();
            let parts = (0..lanes as usize).map(|lane| {
                let width = scalar.size() as usize;
                let rest = from.get(lane * width..).unwrap_or_default();
                let mut bits = [0u8; 8];
                for (to, &byte) in bits[..width].iter_mut().zip(rest) {
                    *to = byte;
                }
                self.constant(Const::scalar(scalar, u64::from_le_bytes(bits)))
            });
            let parts: Vec<Id> = parts.collect();
            elements.push(match parts.as_slice() {
                [one] => *one,
                _ => self.shared(Op::ConstantComposite, Some(element), ids(&parts)),
            });
        }
        Ok(self.shared(Op::ConstantComposite, Some(ty), ids(&elements)))
    }

    /// The zero of a type.
    pub(super) fn zero_of(&mut self, ty: Id) -> Id {
        self.shared(Op::ConstantNull, Some(ty), Vec::new())
    }

    /// A constant.
    pub(super) fn constant(&mut self, constant: Const) -> Id {
        let ty = self.ty(constant.ty());
        let literal = match constant {
            Const::Null(_) => return self.zero_of(ty),
            Const::Scalar { ty, bits } => match ty {
                Scalar::Bool if bits != 0 => Err(Op::ConstantTrue),
                Scalar::Bool => Err(Op::ConstantFalse),
                Scalar::I64 | Scalar::F64 => Ok(Operand::LiteralBit64(bits)),
                Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::F16 | Scalar::F32 => {
                    Ok(Operand::LiteralBit32(bits as u32))
                }
            },
        };
        match literal {
            Ok(literal) => self.shared(Op::Constant, Some(ty), vec![literal]),
            Err(truth) => self.shared(truth, Some(ty), Vec::new()),
        }
    }

    /// A number of 32 bits.
    pub(super) fn word(&mut self, value: u32) -> Id {
        self.constant(Const::scalar(Scalar::I32, u64::from(value)))
    }

    /// A number of 64 bits.
    pub(super) fn wide(&mut self, value: u64) -> Id {
        self.constant(Const::scalar(Scalar::I64, value))
    }

    /// A value of a type, all elements of which have the same bits.
    pub(super) fn same(&mut self, ty: Type, bits: u64) -> Id {
        let scalar = ty.element().unwrap_or(Scalar::I64);
        let one = self.constant(Const::scalar(scalar, bits));
        match ty {
            Type::Vector(_, lanes) => {
                let own = self.ty(ty);
                let all = vec![one; lanes.count() as usize];
                self.shared(Op::ConstantComposite, Some(own), ids(&all))
            }
            Type::Scalar(_) | Type::Pointer(_) => one,
        }
    }

    /// The type of three numbers of the size of pointers.
    pub(super) fn three(&mut self) -> Id {
        self.ty(Type::Vector(Scalar::I64, Lanes::L3))
    }
}
