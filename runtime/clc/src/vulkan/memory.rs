//! Objects in memory, pointers into them, and ordinary accesses.
//!
//! Addressing is logical: which object a pointer points into is known while the module is written,
//! and what the shader computes is how far into it, in words of 32 bits. Nothing smaller than a
//! word is accessed.

use super::Writer;
use super::foreign::Access;
use super::module::{Id, ids};
use super::number::{Number, is_wide};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::Scalar;
use rspirv::dr::Operand;
use rspirv::spirv::{
    Capability, Decoration, ImageOperands, MemoryAccess, MemorySemantics, Op, StorageClass,
};

/// An object of the kernel that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectId(usize);

/// Where a value of a pointer type points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) object: ObjectId,
    /// Words from the object's beginning.
    pub(super) offset: Id,
}

/// Something that pointers point into.
#[derive(Clone, Debug)]
pub(super) struct Object {
    name: String,
    region: Region,
    /// The words, once they are accessed.
    words: Option<Id>,
}

#[derive(Clone, Debug)]
pub(super) enum Region {
    Buffer {
        binding: u32,
        /// The pointer that it came as is one to what is const.
        constant: bool,
        written: bool,
        /// The same memory in numbers of 64 bits.
        wides: Option<Id>,
    },
    /// Words that are texels of an image.
    Texels { binding: u32 },
    /// Local memory that comes as an argument; the constant of the pipeline that says its words.
    Argument { size: u32 },
    /// Local memory of so many words.
    Local { words: u32 },
    /// Private memory of so many words.
    Private { words: u32 },
}

impl Region {
    fn class(&self) -> StorageClass {
        match self {
            Self::Buffer { .. } => StorageClass::StorageBuffer,
            Self::Texels { .. } => StorageClass::UniformConstant,
            Self::Argument { .. } | Self::Local { .. } => StorageClass::Workgroup,
            Self::Private { .. } => StorageClass::Function,
        }
    }
}

impl Writer<'_> {
    pub(super) fn object(&mut self, name: &str, region: Region) -> ObjectId {
        self.objects.push(Object {
            name: name.to_owned(),
            region,
            words: None,
        });
        ObjectId(self.objects.len() - 1)
    }

    pub(super) fn region(&self, object: ObjectId) -> &Region {
        &self.objects[object.0].region
    }

    /// The storage classes of semantics for a fence or an atomic access of an object.
    pub(super) fn semantics_of(&self, object: ObjectId) -> MemorySemantics {
        match self.region(object).class() {
            StorageClass::Workgroup => MemorySemantics::WORKGROUP_MEMORY,
            StorageClass::UniformConstant => MemorySemantics::IMAGE_MEMORY,
            _ => MemorySemantics::UNIFORM_MEMORY,
        }
    }

    pub(super) fn is_private(&self, object: ObjectId) -> bool {
        matches!(self.region(object), Region::Private { .. })
    }

    pub(super) fn is_local(&self, object: ObjectId) -> bool {
        self.region(object).class() == StorageClass::Workgroup
    }

    /// A pointer some words on.
    pub(super) fn moved(&mut self, pointer: Pointer, words: Id) -> Pointer {
        Pointer {
            offset: self.m.binary(Op::IAdd, pointer.offset, words),
            ..pointer
        }
    }

    /// As [`Writer::moved`], by a constant.
    pub(super) fn words_on(&mut self, pointer: Pointer, words: u32) -> Pointer {
        let words = self.m.constant(words);
        self.moved(pointer, words)
    }

    /// A variable of the module over a buffer.
    fn buffer_variable(&mut self, object: ObjectId, binding: u32, wide: bool) -> Id {
        let (element, bytes) = if wide {
            (self.m.wide(), 8)
        } else {
            (self.m.word(), 4)
        };
        let block = self.m.buffer(element, bytes);
        let variable = self.m.global_variable(StorageClass::StorageBuffer, block);
        self.bind(variable, object, binding);
        variable
    }

    /// Says where a variable of the module comes from.
    fn bind(&mut self, variable: Id, object: ObjectId, binding: u32) {
        let place = [
            (Decoration::DescriptorSet, 0),
            (Decoration::Binding, binding),
        ];
        for (decoration, value) in place {
            let value = Operand::LiteralBit32(value);
            self.m.decorate(variable, decoration, Some(value));
        }
        if !self.target.memory_model {
            self.m.decorate(variable, Decoration::Coherent, None);
        }
        self.m.name(variable, &self.objects[object.0].name);
    }

    /// The variable with an object's words.
    fn words_of(&mut self, object: ObjectId) -> Id {
        let Object { region, words, .. } = &self.objects[object.0];
        if let Some(words) = *words {
            return words;
        }
        let class = region.class();
        let length = match *region {
            Region::Buffer { binding, .. } => {
                let words = self.buffer_variable(object, binding, false);
                self.objects[object.0].words = Some(words);
                return words;
            }
            Region::Texels { binding } => {
                let image = self.m.texels(self.target.row.is_some());
                let words = self.m.global_variable(class, image);
                self.bind(words, object, binding);
                self.objects[object.0].words = Some(words);
                return words;
            }
            Region::Argument { size } => self.m.set_by_pipeline(size),
            Region::Local { words } | Region::Private { words } => self.m.constant(words.max(1)),
        };
        let ty = self.m.words(length);
        let words = if class == StorageClass::Function {
            self.m.variable(ty, "")
        } else {
            self.m.global_variable(class, ty)
        };
        self.m.name(words, &self.objects[object.0].name);
        self.objects[object.0].words = Some(words);
        words
    }

    /// The variable with a buffer's numbers of 64 bits; None where the object is no buffer.
    fn wides_of(&mut self, object: ObjectId) -> Option<Id> {
        let Region::Buffer { binding, wides, .. } = *self.region(object) else {
            return None;
        };
        if wides.is_some() {
            return wides;
        }
        let variable = self.buffer_variable(object, binding, true);
        if let Region::Buffer { wides, .. } = &mut self.objects[object.0].region {
            *wides = Some(variable);
        }
        Some(variable)
    }

    /// What an instruction takes to reach a number: its type, and the pointer.
    pub(super) fn reach(&mut self, pointer: Pointer, wide: bool) -> (Id, Id) {
        let (object, zero) = (pointer.object, self.m.constant(0));
        let wides = if wide { self.wides_of(object) } else { None };
        let (variable, ty, index) = match wides {
            Some(variable) => {
                let one = self.m.constant(1);
                // Numbers of 64 bits are aligned.
                let index = self.m.binary(Op::ShiftRightLogical, pointer.offset, one);
                (variable, self.m.wide(), index)
            }
            None => (self.words_of(object), self.m.word(), pointer.offset),
        };
        let class = self.region(object).class();
        let to = self.m.pointer(class, ty);
        let path = if class == StorageClass::StorageBuffer {
            ids(&[variable, zero, index])
        } else {
            ids(&[variable, index])
        };
        (ty, self.m.emit(Op::AccessChain, to, path))
    }

    /// Records that an object is written.
    pub(super) fn writes(&mut self, object: ObjectId) {
        if let Region::Buffer { written, .. } = &mut self.objects[object.0].region {
            *written = true;
        }
    }

    /// The operands that say how a pointer is accessed.
    fn access_operands(&mut self, object: ObjectId, access: &Access) -> Vec<Operand> {
        let mut bits = MemoryAccess::NONE;
        let mut scopes = Vec::new();
        if access.volatile && !self.is_private(object) {
            bits |= MemoryAccess::VOLATILE;
        }
        for (bit, scope) in [
            (MemoryAccess::MAKE_POINTER_AVAILABLE, access.available),
            (MemoryAccess::MAKE_POINTER_VISIBLE, access.visible),
        ] {
            if let Some(scope) = scope {
                bits |= bit;
                scopes.push(Operand::IdScope(self.m.constant(scope as u32)));
            }
        }
        if access.non_private && !self.is_private(object) {
            bits |= MemoryAccess::NON_PRIVATE_POINTER;
        }
        if bits.is_empty() {
            return Vec::new();
        }
        let mut operands = vec![Operand::MemoryAccess(bits)];
        operands.append(&mut scopes);
        operands
    }

    /// How the language's ordinary accesses are made: synchronization orders them, so they are
    /// not private in the sense of the Vulkan memory model.
    pub(super) fn ordinary(&self, volatile: bool) -> Access {
        Access {
            volatile,
            non_private: self.target.memory_model,
            available: None,
            visible: None,
        }
    }

    /// The image that an object is, where it is one.
    fn image_of(&mut self, object: ObjectId) -> Option<Id> {
        if !matches!(self.region(object), Region::Texels { .. }) {
            return None;
        }
        let variable = self.words_of(object);
        let image = self.m.texels(self.target.row.is_some());
        Some(self.m.emit(Op::Load, image, ids(&[variable])))
    }

    /// The operands that say how a texel is accessed (SPIR-V 3.14).
    fn texel_operands(&mut self, access: &Access) -> Vec<Operand> {
        let mut bits = ImageOperands::NONE;
        let mut scopes = Vec::new();
        for (bit, scope) in [
            (ImageOperands::MAKE_TEXEL_AVAILABLE, access.available),
            (ImageOperands::MAKE_TEXEL_VISIBLE, access.visible),
        ] {
            if let Some(scope) = scope {
                bits |= bit;
                scopes.push(Operand::IdScope(self.m.constant(scope as u32)));
            }
        }
        if access.non_private {
            bits |= ImageOperands::NON_PRIVATE_TEXEL;
        }
        if access.volatile && self.target.memory_model {
            bits |= ImageOperands::VOLATILE_TEXEL;
        }
        if bits.is_empty() {
            return Vec::new();
        }
        let mut operands = vec![Operand::ImageOperands(bits)];
        operands.append(&mut scopes);
        operands
    }

    /// The coordinate of a texel: its number, or its place in a row and the row.
    fn texel(&mut self, number: Id) -> Id {
        let Some(row) = self.target.row else {
            return number;
        };
        let (last, bits) = (self.m.constant(row - 1), self.m.constant(row.ilog2()));
        let place = self.m.binary(Op::BitwiseAnd, number, last);
        let line = self.m.binary(Op::ShiftRightLogical, number, bits);
        let pair = self.m.pair();
        self.m
            .emit(Op::CompositeConstruct, pair, ids(&[place, line]))
    }

    fn load_one(&mut self, pointer: Pointer, wide: bool, access: &Access) -> Id {
        if let Some(image) = self.image_of(pointer.object) {
            let texel = self.texel(pointer.offset);
            let mut operands = ids(&[image, texel]);
            operands.extend(self.texel_operands(access));
            let (texel, word) = (self.m.four_words(), self.m.word());
            let texel = self.m.emit(Op::ImageRead, texel, operands);
            let first = vec![Operand::IdRef(texel), Operand::LiteralBit32(0)];
            return self.m.emit(Op::CompositeExtract, word, first);
        }
        let (ty, place) = self.reach(pointer, wide);
        let mut operands = ids(&[place]);
        operands.extend(self.access_operands(pointer.object, access));
        self.m.emit(Op::Load, ty, operands)
    }

    fn store_one(&mut self, pointer: Pointer, value: Id, wide: bool, access: &Access) {
        if let Some(image) = self.image_of(pointer.object) {
            let (ty, at) = (self.m.four_words(), self.texel(pointer.offset));
            let texel = self.m.emit(Op::CompositeConstruct, ty, ids(&[value; 4]));
            let mut operands = ids(&[image, at, texel]);
            operands.extend(self.texel_operands(access));
            self.m.push(Op::ImageWrite, operands);
            return;
        }
        let (_, place) = self.reach(pointer, wide);
        let mut operands = ids(&[place, value]);
        operands.extend(self.access_operands(pointer.object, access));
        self.m.push(Op::Store, operands);
    }

    /// Whether a number of 64 bits at a place is accessed as one; else it is two words.
    fn whole(&self, object: ObjectId) -> bool {
        self.target.int64 && matches!(self.region(object), Region::Buffer { .. })
    }

    /// Reads a number.
    pub(super) fn load(
        &mut self,
        pointer: Pointer,
        scalar: Scalar,
        access: &Access,
        at: Loc,
    ) -> Checked<Number> {
        self.in_memory(scalar, at)?;
        Ok(if !is_wide(scalar) {
            Number::Word(self.load_one(pointer, false, access))
        } else if self.whole(pointer.object) {
            Number::Wide(self.load_one(pointer, true, access))
        } else {
            let low = self.load_one(pointer, false, access);
            let next = self.words_on(pointer, 1);
            let high = self.load_one(next, false, access);
            self.m.joined([low, high])
        })
    }

    /// Writes a number.
    pub(super) fn store(
        &mut self,
        pointer: Pointer,
        value: Number,
        scalar: Scalar,
        access: &Access,
        at: Loc,
    ) -> Checked<()> {
        self.in_memory(scalar, at)?;
        self.writes(pointer.object);
        match value {
            Number::Wide(wide) if self.whole(pointer.object) => {
                self.store_one(pointer, wide, true, access);
            }
            _ if is_wide(scalar) => {
                let [low, high] = self.m.halves(value);
                self.store_one(pointer, low, false, access);
                let next = self.words_on(pointer, 1);
                self.store_one(next, high, false, access);
            }
            _ => {
                let word = self.m.low(value);
                self.store_one(pointer, word, false, access);
            }
        }
        Ok(())
    }

    /// Checks that memory can hold a type.
    fn in_memory(&mut self, scalar: Scalar, at: Loc) -> Checked<()> {
        if scalar == Scalar::Bool {
            return self.refuse(at, "`bool` in memory");
        }
        self.supported(scalar, at)
    }

    /// Checks that numbers have a type that shaders here compute with.
    pub(super) fn supported(&mut self, scalar: Scalar, at: Loc) -> Checked<()> {
        match scalar {
            Scalar::Bool | Scalar::Int | Scalar::UInt | Scalar::Long | Scalar::ULong => Ok(()),
            Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => {
                let name = scalar.name();
                self.refuse(at, &format!("`{name}` (integers of 8 or 16 bits)"))
            }
            Scalar::Half | Scalar::Float | Scalar::Double => {
                let name = scalar.name();
                self.refuse(at, &format!("`{name}` (floating-point numbers)"))
            }
        }
    }

    /// Where an atomic operation finds its object: the type of the number, and the pointer.
    pub(super) fn reach_atomic(
        &mut self,
        pointer: Pointer,
        wide: bool,
        at: Loc,
    ) -> Checked<(Id, Id)> {
        if self.is_private(pointer.object) {
            return self.refuse(at, "an atomic operation on private memory");
        }
        if wide {
            self.wide_atomic(pointer.object, at)?;
        }
        if matches!(self.region(pointer.object), Region::Texels { .. }) {
            let (variable, word) = (self.words_of(pointer.object), self.m.word());
            let to = self.m.pointer(StorageClass::Image, word);
            let (sample, texel) = (self.m.constant(0), self.texel(pointer.offset));
            let operands = ids(&[variable, texel, sample]);
            return Ok((word, self.m.emit(Op::ImageTexelPointer, to, operands)));
        }
        Ok(self.reach(pointer, wide))
    }

    fn wide_atomic(&mut self, object: ObjectId, at: Loc) -> Checked<()> {
        if self.is_local(object) {
            return self.refuse(at, "an atomic operation on 64 bits of local memory");
        }
        if matches!(self.region(object), Region::Texels { .. }) {
            return self.refuse(at, "an atomic operation on 64 bits of an image");
        }
        if !(self.target.int64 && self.target.int64_atomics) {
            return self.refuse(at, "an atomic operation on 64 bits (of this device)");
        }
        self.m.capability(Capability::Int64Atomics);
        Ok(())
    }

    /// Decorates the buffers of the kernel that ends by what it did with them; `aliasing` where several may be one.
    pub(super) fn finish_objects(&mut self, aliasing: bool) {
        for object in std::mem::take(&mut self.objects) {
            if let (Region::Texels { .. }, Some(variable)) = (&object.region, object.words)
                && aliasing
            {
                self.m.decorate(variable, Decoration::Aliased, None);
            }
            let Region::Buffer {
                constant,
                written,
                wides,
                ..
            } = object.region
            else {
                continue;
            };
            let aliased = aliasing || object.words.is_some() && wides.is_some();
            for variable in object.words.into_iter().chain(wides) {
                if aliased {
                    self.m.decorate(variable, Decoration::Aliased, None);
                }
                if constant && !written {
                    self.m.decorate(variable, Decoration::NonWritable, None);
                }
            }
        }
    }
}
