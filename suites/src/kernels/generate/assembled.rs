//! The kernel `apply` of a SPIR-V module that is assembled here: what stands around its instructions.

use rspirv::binary::Assemble as _;
use rspirv::dr::{Builder, Error, InsertPoint, Instruction, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, FunctionControl,
    MemoryAccess, MemoryModel, StorageClass, Word,
};

/// A kernel of which the first block is being written.
pub(super) struct Kernel {
    pub(super) b: Builder,
    /// Its parameters, pointers to global memory.
    pub(super) parameters: Vec<Word>,
    /// The type of the parameters.
    pub(super) pointer: Word,
    /// The work-item's global id, of 64 bits.
    pub(super) id: Word,
    /// The block.
    pub(super) block: Word,
    /// Variables of the function.
    pub(super) variables: Vec<Instruction>,
    function: Word,
    ids: Word,
}

impl Kernel {
    /// One with so many parameters, pointers to integers of so many bits, in a module that needs these capabilities beside
    /// the usual ones.
    pub(super) fn begin(needs: &[Capability], bits: u32, count: usize) -> Result<Kernel, Error> {
        let mut b = Builder::new();
        b.set_version(1, 0);
        let usual = [Capability::Kernel, Capability::Addresses, Capability::Int64];
        let all = usual.iter().chain(needs);
        all.for_each(|one| b.capability(*one));
        b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
        let void = b.type_void();
        let long = b.type_int(64, 0);
        let pointee = b.type_int(bits, 0);
        let three = b.type_vector(long, 3);
        let input = b.type_pointer(None, StorageClass::Input, three);
        let pointer = b.type_pointer(None, StorageClass::CrossWorkgroup, pointee);
        let kind = b.type_function(void, vec![pointer; count]);
        let ids = b.variable(input, None, StorageClass::Input, None);
        let builtin = Operand::BuiltIn(BuiltIn::GlobalInvocationId);
        b.decorate(ids, Decoration::BuiltIn, vec![builtin]);
        b.decorate(ids, Decoration::Constant, vec![]);
        let function = b.begin_function(void, None, FunctionControl::NONE, kind)?;
        let mut parameters = Vec::new();
        for _ in 0..count {
            parameters.push(b.function_parameter(pointer)?);
        }
        let block = b.begin_block(None)?;
        let aligned = vec![Operand::LiteralBit32(32)];
        let all = b.load(three, None, ids, Some(MemoryAccess::ALIGNED), aligned)?;
        let id = b.composite_extract(long, None, all, vec![0])?;
        Ok(Kernel {
            b,
            parameters,
            pointer,
            id,
            block,
            variables: Vec::new(),
            function,
            ids,
        })
    }

    /// The words of the module.
    pub(super) fn end(mut self) -> Result<Vec<u32>, Error> {
        self.b.ret()?;
        // They come before all else in the first block.
        self.b.select_block(Some(0))?;
        for variable in self.variables {
            self.b.insert_into_block(InsertPoint::Begin, variable)?;
        }
        self.b.end_function()?;
        let (kernel, ids) = (self.function, vec![self.ids]);
        self.b
            .entry_point(ExecutionModel::Kernel, kernel, "apply", ids);
        Ok(self.b.module().assemble())
    }
}
