//! The modules that edits are tested on.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, InsertPoint, Instruction, Operand};
use rspirv::spirv::*;

/// A module in the making, within the first block of its only function.
struct Making {
    builder: Builder,
    /// The type of scopes and semantics.
    word: Word,
    /// The type of the numbers that instructions are about, and zero of it.
    of: Word,
    zero: Word,
    /// Points to a word of a buffer.
    buffer: Word,
    /// Points to another.
    other: Word,
    /// Points to a word of workgroup memory.
    local: Word,
    /// An image of words, and the pointer to it.
    image: Word,
    image_pointer: Word,
}

const NONE: MemorySemantics = MemorySemantics::RELAXED;
const ACQUIRE: MemorySemantics = MemorySemantics::ACQUIRE;
const RELEASE: MemorySemantics = MemorySemantics::RELEASE;
const BOTH: MemorySemantics = MemorySemantics::ACQUIRE_RELEASE;
const UNIFORM: MemorySemantics = MemorySemantics::UNIFORM_MEMORY;
const WORKGROUP: MemorySemantics = MemorySemantics::WORKGROUP_MEMORY;
const IMAGE: MemorySemantics = MemorySemantics::IMAGE_MEMORY;
const AVAILABLE: MemorySemantics = MemorySemantics::MAKE_AVAILABLE;
const VISIBLE: MemorySemantics = MemorySemantics::MAKE_VISIBLE;

impl Making {
    fn begin(model: MemoryModel) -> Making {
        let mut b = Builder::new();
        b.set_version(1, 3);
        b.capability(Capability::Shader);
        if model == MemoryModel::Vulkan {
            b.capability(Capability::VulkanMemoryModel);
            b.capability(Capability::VulkanMemoryModelDeviceScope);
            b.extension("SPV_KHR_vulkan_memory_model");
        }
        b.extension("SPV_KHR_storage_buffer_storage_class");
        b.memory_model(AddressingModel::Logical, model);
        let uint = b.type_int(32, 0);
        let words = b.type_runtime_array(uint);
        b.decorate(words, Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
        let block = b.type_struct([words]);
        b.decorate(block, Decoration::Block, []);
        b.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        let image = b.type_image(uint, Dim::Dim2D, 0, 0, 0, 2, ImageFormat::R32ui, None);
        let void = b.type_void();
        let function = b.type_function(void, []);
        let pointer = |b: &mut Builder, class, to| b.type_pointer(None, class, to);
        let to_block = pointer(&mut b, StorageClass::StorageBuffer, block);
        let to_word = pointer(&mut b, StorageClass::StorageBuffer, uint);
        let to_local = pointer(&mut b, StorageClass::Workgroup, uint);
        let to_image = pointer(&mut b, StorageClass::UniformConstant, image);
        let buffer = b.variable(to_block, None, StorageClass::StorageBuffer, None);
        let local = b.variable(to_local, None, StorageClass::Workgroup, None);
        let image_pointer = b.variable(to_image, None, StorageClass::UniformConstant, None);
        if model == MemoryModel::GLSL450 {
            b.decorate(buffer, Decoration::Coherent, []);
        }
        for (binding, variable) in [buffer, image_pointer].into_iter().enumerate() {
            let binding = [Operand::LiteralBit32(binding as u32)];
            b.decorate(
                variable,
                Decoration::DescriptorSet,
                [Operand::LiteralBit32(0)],
            );
            b.decorate(variable, Decoration::Binding, binding);
        }
        let (zero, one) = (b.constant_bit32(uint, 0), b.constant_bit32(uint, 1));
        let main = b
            .begin_function(void, None, FunctionControl::NONE, function)
            .expect("a function");
        b.entry_point(ExecutionModel::GLCompute, main, "main", []);
        b.execution_mode(main, ExecutionMode::LocalSize, [64, 1, 1]);
        b.begin_block(None).expect("a block");
        let word = b.access_chain(to_word, None, buffer, [zero, zero]);
        let other = b.access_chain(to_word, None, buffer, [zero, one]);
        let loaded = b.load(image, None, image_pointer, None, []);
        let mut making = Making {
            word: uint,
            of: uint,
            zero,
            buffer: word.expect("a pointer"),
            other: other.expect("a pointer"),
            local,
            image: loaded.expect("an image"),
            image_pointer,
            builder: b,
        };
        making.separate();
        making
    }

    /// Ends the part of the function that stands before.
    fn separate(&mut self) {
        self.builder.nop().expect("in a block");
    }

    fn scope(&mut self, scope: Scope) -> Word {
        self.builder.constant_bit32(self.word, scope as u32)
    }

    fn semantics(&mut self, semantics: MemorySemantics) -> Word {
        self.builder.constant_bit32(self.word, semantics.bits())
    }

    /// A part of one instruction, in which scopes and semantics are constants.
    fn add(&mut self, operation: Op, operands: Vec<Operand>) {
        let result = match operation {
            Op::AtomicStore
            | Op::ControlBarrier
            | Op::MemoryBarrier
            | Op::Store
            | Op::CopyMemory
            | Op::ImageWrite => None,
            _ => Some(self.builder.id()),
        };
        let of = result.map(|_| self.of);
        let instruction = Instruction::new(operation, of, result, operands);
        let end = InsertPoint::End;
        self.builder
            .insert_into_block(end, instruction)
            .expect("in a block");
        self.separate();
    }

    /// An atomic operation.
    fn atomic(
        &mut self,
        operation: Op,
        pointer: Word,
        scope: Scope,
        semantics: &[MemorySemantics],
        values: usize,
    ) {
        let mut operands = vec![Operand::IdRef(pointer), Operand::IdScope(self.scope(scope))];
        for &semantics in semantics {
            operands.push(Operand::IdMemorySemantics(self.semantics(semantics)));
        }
        operands.extend(vec![Operand::IdRef(self.zero); values]);
        self.add(operation, operands);
    }

    fn control_barrier(&mut self, memory: Scope, semantics: MemorySemantics) {
        let execution = self.scope(Scope::Workgroup);
        let operands = vec![
            Operand::IdScope(execution),
            Operand::IdScope(self.scope(memory)),
            Operand::IdMemorySemantics(self.semantics(semantics)),
        ];
        self.add(Op::ControlBarrier, operands);
    }

    fn memory_barrier(&mut self, scope: Scope, semantics: MemorySemantics) {
        let operands = vec![
            Operand::IdScope(self.scope(scope)),
            Operand::IdMemorySemantics(self.semantics(semantics)),
        ];
        self.add(Op::MemoryBarrier, operands);
    }

    fn finish(mut self) -> Vec<u32> {
        self.builder.ret().expect("in a block");
        self.builder.end_function().expect("in a function");
        self.builder.module().assemble()
    }
}

/// A module of the Vulkan memory model with everything that edits are about.
pub(crate) fn vulkan() -> Vec<u32> {
    let mut m = Making::begin(MemoryModel::Vulkan);
    let (buffer, other, local) = (m.buffer, m.other, m.local);
    let full = BOTH | UNIFORM | WORKGROUP | AVAILABLE | VISIBLE;
    m.atomic(
        Op::AtomicLoad,
        buffer,
        Scope::Device,
        &[ACQUIRE | UNIFORM | VISIBLE],
        0,
    );
    m.atomic(
        Op::AtomicStore,
        buffer,
        Scope::Device,
        &[RELEASE | UNIFORM | AVAILABLE],
        1,
    );
    m.atomic(Op::AtomicIAdd, buffer, Scope::QueueFamily, &[full], 1);
    let exchange = [BOTH | WORKGROUP, ACQUIRE | WORKGROUP];
    m.atomic(
        Op::AtomicCompareExchange,
        local,
        Scope::Workgroup,
        &exchange,
        2,
    );
    m.atomic(Op::AtomicUMin, local, Scope::Workgroup, &[NONE], 1);
    m.atomic(Op::AtomicIIncrement, buffer, Scope::Device, &[NONE], 0);
    m.control_barrier(Scope::Workgroup, BOTH | WORKGROUP | AVAILABLE | VISIBLE);
    m.control_barrier(Scope::Workgroup, NONE);
    m.memory_barrier(Scope::Device, RELEASE | UNIFORM | AVAILABLE);
    m.memory_barrier(Scope::QueueFamily, ACQUIRE | IMAGE | UNIFORM | VISIBLE);
    let device = Operand::IdScope(m.scope(Scope::Device));
    let workgroup = Operand::IdScope(m.scope(Scope::Workgroup));
    let non_private = MemoryAccess::NON_PRIVATE_POINTER;
    let available = MemoryAccess::MAKE_POINTER_AVAILABLE;
    let visible = MemoryAccess::MAKE_POINTER_VISIBLE;
    let (to, from) = (Operand::IdRef(buffer), Operand::IdRef(other));
    let zero = Operand::IdRef(m.zero);
    m.add(
        Op::Load,
        vec![
            to.clone(),
            Operand::MemoryAccess(visible | non_private),
            device.clone(),
        ],
    );
    m.add(
        Op::Store,
        vec![
            to.clone(),
            zero.clone(),
            Operand::MemoryAccess(MemoryAccess::ALIGNED | available | non_private),
            Operand::LiteralBit32(4),
            workgroup.clone(),
        ],
    );
    m.add(
        Op::CopyMemory,
        vec![
            to.clone(),
            from,
            Operand::MemoryAccess(available | visible | non_private),
            device.clone(),
            workgroup,
        ],
    );
    m.add(Op::Load, vec![to]);
    let pair = m.builder.type_vector(m.of, 2);
    let coordinate = m.builder.constant_composite(pair, [m.zero, m.zero]);
    let texel = m.builder.type_vector(m.of, 4);
    let texel = m.builder.constant_null(texel);
    let (image, coordinate) = (Operand::IdRef(m.image), Operand::IdRef(coordinate));
    m.add(
        Op::ImageWrite,
        vec![
            image,
            coordinate.clone(),
            Operand::IdRef(texel),
            Operand::ImageOperands(
                ImageOperands::NON_PRIVATE_TEXEL | ImageOperands::MAKE_TEXEL_AVAILABLE,
            ),
            device,
        ],
    );
    // A texel, to which only atomic operations may point.
    let to_texel = m.builder.type_pointer(None, StorageClass::Image, m.of);
    let zero = m.zero;
    let (image, coordinate) = (m.image_pointer, coordinate.unwrap_id_ref());
    let texel = m
        .builder
        .image_texel_pointer(to_texel, None, image, coordinate, zero)
        .expect("in a block");
    m.separate();
    m.atomic(Op::AtomicLoad, texel, Scope::Device, &[NONE], 0);
    m.finish()
}

/// A module of the GLSL450 memory model.
pub(super) fn glsl() -> Vec<u32> {
    let mut m = Making::begin(MemoryModel::GLSL450);
    let buffer = m.buffer;
    m.atomic(Op::AtomicIAdd, buffer, Scope::Device, &[NONE], 1);
    m.memory_barrier(Scope::Device, BOTH | UNIFORM);
    m.control_barrier(Scope::Workgroup, BOTH | WORKGROUP);
    m.finish()
}

/// A module without anything that edits are about.
pub(super) fn plain() -> Vec<u32> {
    let mut m = Making::begin(MemoryModel::Vulkan);
    let (to, zero) = (Operand::IdRef(m.buffer), Operand::IdRef(m.zero));
    m.add(Op::Load, vec![to.clone()]);
    m.add(Op::Store, vec![to, zero]);
    m.finish()
}

/// A module with two loads of different scopes.
pub(super) fn scopes() -> Vec<u32> {
    let mut m = Making::begin(MemoryModel::Vulkan);
    let buffer = m.buffer;
    m.atomic(Op::AtomicLoad, buffer, Scope::Device, &[NONE], 0);
    m.atomic(Op::AtomicLoad, buffer, Scope::Workgroup, &[NONE], 0);
    m.finish()
}

/// A module of numbers of other types, at addresses.
pub(super) fn addressed() -> Vec<u32> {
    let mut m = Making::begin(MemoryModel::Vulkan);
    for capability in [
        Capability::PhysicalStorageBufferAddresses,
        Capability::Int64,
        Capability::Int64Atomics,
        Capability::AtomicFloat32AddEXT,
        Capability::AtomicFloat32MinMaxEXT,
    ] {
        m.builder.capability(capability);
    }
    for extension in [
        "SPV_KHR_physical_storage_buffer",
        "SPV_EXT_shader_atomic_float_add",
        "SPV_EXT_shader_atomic_float_min_max",
    ] {
        m.builder.extension(extension);
    }
    let model = m.builder.module_mut().memory_model.as_mut();
    let model = model.expect("a model");
    model.operands[0] = Operand::AddressingModel(AddressingModel::PhysicalStorageBuffer64);
    let pair = m.builder.type_vector(m.of, 2);
    let address = m.builder.constant_composite(pair, [m.zero, m.zero]);
    let (word, word_zero) = (m.of, m.zero);
    let long = m.builder.type_int(64, 0);
    let long_zero = m.builder.constant_bit64(long, 0);
    let float = m.builder.type_float(32, None);
    let float_zero = m.builder.constant_bit32(float, 0);
    let at = |m: &mut Making, of: Word, zero: Word| {
        let class = StorageClass::PhysicalStorageBuffer;
        let pointer = m.builder.type_pointer(None, class, of);
        let pointer = m.builder.bitcast(pointer, None, address);
        (m.of, m.zero) = (of, zero);
        m.separate();
        pointer.expect("in a block")
    };
    let (device, none) = (Scope::Device, [NONE]);
    let pointer = at(&mut m, word, word_zero);
    m.atomic(Op::AtomicLoad, pointer, device, &[ACQUIRE | UNIFORM], 0);
    m.atomic(Op::AtomicStore, pointer, device, &none, 1);
    let pointer = at(&mut m, long, long_zero);
    m.atomic(Op::AtomicLoad, pointer, device, &none, 0);
    m.atomic(Op::AtomicStore, pointer, device, &none, 1);
    m.atomic(Op::AtomicIIncrement, pointer, device, &none, 0);
    m.atomic(Op::AtomicIDecrement, pointer, device, &none, 0);
    m.atomic(Op::AtomicSMax, pointer, device, &none, 1);
    m.atomic(Op::AtomicExchange, pointer, device, &none, 1);
    m.atomic(Op::AtomicCompareExchange, pointer, device, &[NONE; 2], 2);
    let pointer = at(&mut m, float, float_zero);
    m.atomic(Op::AtomicExchange, pointer, device, &none, 1);
    m.atomic(Op::AtomicFAddEXT, pointer, device, &none, 1);
    m.atomic(Op::AtomicFMinEXT, pointer, device, &none, 1);
    m.finish()
}
