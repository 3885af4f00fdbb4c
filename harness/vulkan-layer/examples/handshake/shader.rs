//! The shader: it has every kind of instruction that a fault of buffers and workgroup memory acts on.
//!
//! In the Vulkan memory model its accesses are not private and name availability and visibility; in the old one its
//! buffer is coherent.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Error, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel,
    FunctionControl, MemoryAccess, MemoryModel, MemorySemantics, Scope, StorageClass, Word,
};

/// Invocations, and words of the buffer that are theirs.
pub const WORDS: u32 = 64;
/// The word to which every invocation adds one.
pub const ADDITIONS: u32 = WORDS;
/// The word to which those add one that have seen what their neighbour wrote.
pub const NEIGHBOURS: u32 = WORDS + 1;
/// The first of the words to which they write what they computed.
const COPIES: u32 = WORDS + 2;
/// All words of the buffer.
pub const ALL: u32 = COPIES + WORDS;

/// A module in the making.
struct Making {
    builder: Builder,
    uint: Word,
    /// Of the Vulkan memory model.
    vulkan: bool,
}

impl Making {
    fn number(&mut self, number: u32) -> Word {
        self.builder.constant_bit32(self.uint, number)
    }

    /// Memory semantics, with the availability and visibility that go with them.
    fn order(&mut self, order: MemorySemantics, class: MemorySemantics) -> Word {
        let mut all = order | class;
        let both = MemorySemantics::ACQUIRE_RELEASE;
        if self.vulkan && order.intersects(MemorySemantics::RELEASE | both) {
            all |= MemorySemantics::MAKE_AVAILABLE;
        }
        if self.vulkan && order.intersects(MemorySemantics::ACQUIRE | both) {
            all |= MemorySemantics::MAKE_VISIBLE;
        }
        self.number(all.bits())
    }

    /// The memory operands of an access that others see, or that sees others'.
    fn access(&mut self, flag: MemoryAccess, scope: Scope) -> (Option<MemoryAccess>, Vec<Operand>) {
        if !self.vulkan {
            return (None, Vec::new());
        }
        let scope = Operand::IdScope(self.number(scope as u32));
        (Some(flag | MemoryAccess::NON_PRIVATE_POINTER), vec![scope])
    }

    fn load(&mut self, pointer: Word, scope: Scope) -> Result<Word, Error> {
        let (mask, operands) = self.access(MemoryAccess::MAKE_POINTER_VISIBLE, scope);
        self.builder.load(self.uint, None, pointer, mask, operands)
    }

    fn store(&mut self, pointer: Word, value: Word, scope: Scope) -> Result<(), Error> {
        let (mask, operands) = self.access(MemoryAccess::MAKE_POINTER_AVAILABLE, scope);
        self.builder.store(pointer, value, mask, operands)
    }
}

/// The words of the module.
///
/// # Errors
/// None that this module has.
pub fn module(vulkan: bool) -> Result<Vec<u32>, Error> {
    let mut b = Builder::new();
    b.set_version(1, 3);
    b.capability(Capability::Shader);
    let model = if vulkan {
        b.capability(Capability::VulkanMemoryModel);
        b.capability(Capability::VulkanMemoryModelDeviceScope);
        b.extension("SPV_KHR_vulkan_memory_model");
        MemoryModel::Vulkan
    } else {
        MemoryModel::GLSL450
    };
    b.memory_model(AddressingModel::Logical, model);
    let (void, uint, truth) = (b.type_void(), b.type_int(32, 0), b.type_bool());
    let words = b.type_runtime_array(uint);
    b.decorate(words, Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
    let block = b.type_struct([words]);
    b.decorate(block, Decoration::Block, []);
    b.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
    let to_block = b.type_pointer(None, StorageClass::StorageBuffer, block);
    let to_word = b.type_pointer(None, StorageClass::StorageBuffer, uint);
    let buffer = b.variable(to_block, None, StorageClass::StorageBuffer, None);
    b.decorate(
        buffer,
        Decoration::DescriptorSet,
        [Operand::LiteralBit32(0)],
    );
    b.decorate(buffer, Decoration::Binding, [Operand::LiteralBit32(0)]);
    if !vulkan {
        b.decorate(buffer, Decoration::Coherent, []);
    }
    let count = b.constant_bit32(uint, WORDS);
    let array = b.type_array(uint, count);
    let to_array = b.type_pointer(None, StorageClass::Workgroup, array);
    let to_local = b.type_pointer(None, StorageClass::Workgroup, uint);
    let local = b.variable(to_array, None, StorageClass::Workgroup, None);
    let triple = b.type_vector(uint, 3);
    let to_triple = b.type_pointer(None, StorageClass::Input, triple);
    let ids = b.variable(to_triple, None, StorageClass::Input, None);
    let which = Operand::BuiltIn(BuiltIn::LocalInvocationId);
    b.decorate(ids, Decoration::BuiltIn, [which]);
    let function = b.type_function(void, []);
    let main = b.begin_function(void, None, FunctionControl::NONE, function)?;
    b.entry_point(ExecutionModel::GLCompute, main, "main", [ids]);
    b.execution_mode(main, ExecutionMode::LocalSize, [WORDS, 1, 1]);
    b.begin_block(None)?;

    let mut m = Making {
        builder: b,
        uint,
        vulkan,
    };
    let [zero, one, two] = [0, 1, 2].map(|number| m.number(number));
    let [additions, neighbours, copies] =
        [ADDITIONS, NEIGHBOURS, COPIES].map(|number| m.number(number));
    let [device, family, workgroup] =
        [Scope::Device, Scope::QueueFamily, Scope::Workgroup].map(|scope| m.number(scope as u32));
    let (of_buffers, of_group) = (
        MemorySemantics::UNIFORM_MEMORY,
        MemorySemantics::WORKGROUP_MEMORY,
    );
    let acquire = m.order(MemorySemantics::ACQUIRE, of_buffers);
    let release = m.order(MemorySemantics::RELEASE, of_buffers);
    let both = m.order(MemorySemantics::ACQUIRE_RELEASE, of_buffers);
    let in_group = m.order(MemorySemantics::ACQUIRE_RELEASE, of_group);

    let all = m.builder.load(triple, None, ids, None, [])?;
    let own = m.builder.composite_extract(uint, None, all, [0])?;
    // x -> x + 2x + 1, of a load of each kind.
    let word = m.builder.access_chain(to_word, None, buffer, [zero, own])?;
    let loaded = m.load(word, Scope::Device)?;
    let again = m.builder.atomic_load(uint, None, word, device, acquire)?;
    let double = m.builder.i_mul(uint, None, again, two)?;
    let triple = m.builder.i_add(uint, None, loaded, double)?;
    let new = m.builder.i_add(uint, None, triple, one)?;
    m.builder.atomic_store(word, device, release, new)?;
    let at = m.builder.i_add(uint, None, copies, own)?;
    let copy = m.builder.access_chain(to_word, None, buffer, [zero, at])?;
    m.store(copy, new, Scope::Device)?;
    // The neighbour's number, by workgroup memory.
    let mine = m.builder.access_chain(to_local, None, local, [own])?;
    m.store(mine, own, Scope::Workgroup)?;
    m.builder.control_barrier(workgroup, workgroup, in_group)?;
    let other = m.builder.bitwise_xor(uint, None, own, one)?;
    let theirs = m.builder.access_chain(to_local, None, local, [other])?;
    let seen = m.load(theirs, Scope::Workgroup)?;
    let right = m.builder.i_equal(truth, None, seen, other)?;
    let right = m.builder.select(uint, None, right, one, zero)?;
    let barrier_scope = if vulkan { family } else { device };
    m.builder.memory_barrier(barrier_scope, both)?;
    for (at, value, order) in [(additions, one, both), (neighbours, right, zero)] {
        let word = m.builder.access_chain(to_word, None, buffer, [zero, at])?;
        m.builder
            .atomic_i_add(uint, None, word, device, order, value)?;
    }
    m.builder.ret()?;
    m.builder.end_function()?;
    Ok(m.builder.module().assemble())
}
