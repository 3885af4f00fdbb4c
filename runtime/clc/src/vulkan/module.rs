//! The SPIR-V that is being written: ids, types and constants that stand once, and the blocks of
//! the function that is open.

use rspirv::binary::Assemble as _;
use rspirv::dr::{self, Block, Instruction, ModuleHeader, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel,
    FunctionControl, ImageFormat, MemoryModel, Op, StorageClass, Word,
};
use std::collections::{BTreeSet, HashMap};

/// The number of a result, a type, a variable or a block.
pub(super) type Id = Word;

/// Vulkan 1.2 takes SPIR-V up to this version, whose memory model needs no extension.
const VERSION: (u8, u8) = (1, 5);

/// A module with at most one open function.
pub(super) struct Module {
    spirv: dr::Module,
    last: Id,
    /// Types and constants by what they are.
    shared: HashMap<Instruction, Id>,
    /// Values of the constants of 32 bits.
    constants: HashMap<Id, u32>,
    inputs: HashMap<u32, Id>,
    /// Global variables that the open function uses.
    interface: BTreeSet<Id>,
    /// Private variables of the open function.
    variables: Vec<Instruction>,
    blocks: Vec<Block>,
    /// The last block.
    here: Id,
    open: bool,
    /// Instructions in functions, and calls.
    length: usize,
    /// Whether numbers of 64 bits are numbers of the device.
    pub(super) int64: bool,
}

/// Ids as operands.
pub(super) fn ids(ids: &[Id]) -> Vec<Operand> {
    ids.iter().map(|&id| Operand::IdRef(id)).collect()
}

impl Module {
    pub(super) fn new(memory_model: MemoryModel, int64: bool) -> Self {
        let mut module = Self {
            spirv: dr::Module::new(),
            last: 0,
            shared: HashMap::new(),
            constants: HashMap::new(),
            inputs: HashMap::new(),
            interface: BTreeSet::new(),
            variables: Vec::new(),
            blocks: Vec::new(),
            here: 0,
            open: false,
            length: 0,
            int64,
        };
        module.capability(Capability::Shader);
        if memory_model == MemoryModel::Vulkan {
            module.capability(Capability::VulkanMemoryModel);
        }
        let operands = vec![
            Operand::AddressingModel(AddressingModel::Logical),
            Operand::MemoryModel(memory_model),
        ];
        module.spirv.memory_model = Some(Instruction::new(Op::MemoryModel, None, None, operands));
        module
    }

    /// The words of the module.
    pub(super) fn finish(mut self) -> Vec<u32> {
        let mut header = ModuleHeader::new(self.last + 1);
        header.set_version(VERSION.0, VERSION.1);
        // No tool is registered for this writer.
        header.generator = 0;
        self.spirv.header = Some(header);
        self.spirv.assemble()
    }

    /// How many instructions the functions have, and calls that were written in their place.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Counts a call: one that has no instructions takes time, too.
    pub(super) fn count_call(&mut self) {
        self.length += 1;
    }

    pub(super) fn id(&mut self) -> Id {
        self.last += 1;
        self.last
    }

    /// Declares that the module uses a capability.
    pub(super) fn capability(&mut self, capability: Capability) {
        let operands = vec![Operand::Capability(capability)];
        let declared = Instruction::new(Op::Capability, None, None, operands);
        if !self.spirv.capabilities.contains(&declared) {
            self.spirv.capabilities.push(declared);
        }
    }

    pub(super) fn name(&mut self, id: Id, name: &str) {
        let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
        let name = Instruction::new(Op::Name, None, None, operands);
        self.spirv.debug_names.push(name);
    }

    pub(super) fn decorate(&mut self, id: Id, decoration: Decoration, more: Option<Operand>) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend(more);
        let decoration = Instruction::new(Op::Decorate, None, None, operands);
        self.spirv.annotations.push(decoration);
    }

    fn decorate_member(&mut self, id: Id, member: u32, offset: u32) {
        let operands = vec![
            Operand::IdRef(id),
            Operand::LiteralBit32(member),
            Operand::Decoration(Decoration::Offset),
            Operand::LiteralBit32(offset),
        ];
        let decoration = Instruction::new(Op::MemberDecorate, None, None, operands);
        self.spirv.annotations.push(decoration);
    }

    /// Adds a type, a constant or a variable of the module.
    fn global(&mut self, op: Op, ty: Option<Id>, operands: Vec<Operand>) -> Id {
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

    pub(super) fn bool(&mut self) -> Id {
        self.shared(Op::TypeBool, None, Vec::new())
    }

    fn integer(&mut self, bits: u32) -> Id {
        let operands = vec![Operand::LiteralBit32(bits), Operand::LiteralBit32(0)];
        self.shared(Op::TypeInt, None, operands)
    }

    /// The type of words: integers of 32 bits. Instructions say which of them have a sign.
    pub(super) fn word(&mut self) -> Id {
        self.integer(32)
    }

    /// The type of integers of 64 bits.
    pub(super) fn wide(&mut self) -> Id {
        self.capability(Capability::Int64);
        self.integer(64)
    }

    /// The type of two words that some instructions give.
    pub(super) fn two_words(&mut self) -> Id {
        let word = self.word();
        self.shared(Op::TypeStruct, None, ids(&[word, word]))
    }

    fn three_words(&mut self) -> Id {
        let operands = vec![Operand::IdRef(self.word()), Operand::LiteralBit32(3)];
        self.shared(Op::TypeVector, None, operands)
    }

    pub(super) fn pointer(&mut self, class: StorageClass, to: Id) -> Id {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(to)];
        self.shared(Op::TypePointer, None, operands)
    }

    /// The type of so many words, as constant `length` says.
    pub(super) fn words(&mut self, length: Id) -> Id {
        let word = self.word();
        self.shared(Op::TypeArray, None, ids(&[word, length]))
    }

    /// The type of a buffer of elements of so many bytes.
    pub(super) fn buffer(&mut self, element: Id, bytes: u32) -> Id {
        let array = ids(&[element]);
        let known = Instruction::new(Op::TypeRuntimeArray, None, None, array.clone());
        let is_new = !self.shared.contains_key(&known);
        let array = self.shared(Op::TypeRuntimeArray, None, array);
        let block = self.shared(Op::TypeStruct, None, ids(&[array]));
        if is_new {
            let stride = Operand::LiteralBit32(bytes);
            self.decorate(array, Decoration::ArrayStride, Some(stride));
            self.decorate(block, Decoration::Block, None);
            self.decorate_member(block, 0, 0);
        }
        block
    }

    /// The type of four words, as which texels are read and written.
    pub(super) fn four_words(&mut self) -> Id {
        let operands = vec![Operand::IdRef(self.word()), Operand::LiteralBit32(4)];
        self.shared(Op::TypeVector, None, operands)
    }

    /// The type of a coordinate in two dimensions.
    pub(super) fn pair(&mut self) -> Id {
        let operands = vec![Operand::IdRef(self.word()), Operand::LiteralBit32(2)];
        self.shared(Op::TypeVector, None, operands)
    }

    /// The type of an image whose texels are words, one after the other or in a plane.
    pub(super) fn texels(&mut self, plane: bool) -> Id {
        let dim = if plane { Dim::Dim2D } else { Dim::DimBuffer };
        if dim == Dim::DimBuffer {
            self.capability(Capability::ImageBuffer);
        }
        let (no_depth, one, single, stored) = (0, 0, 0, 2);
        let mut operands = vec![Operand::IdRef(self.word()), Operand::Dim(dim)];
        operands.extend([no_depth, one, single, stored].map(Operand::LiteralBit32));
        operands.push(Operand::ImageFormat(ImageFormat::R32ui));
        self.shared(Op::TypeImage, None, operands)
    }

    /// The type of the words that arguments by value are.
    pub(super) fn argument_block(&mut self, words: u32) -> Id {
        let word = self.word();
        let members = vec![Operand::IdRef(word); words as usize];
        let block = self.global(Op::TypeStruct, None, members);
        self.decorate(block, Decoration::Block, None);
        for member in 0..words {
            self.decorate_member(block, member, member * 4);
        }
        block
    }

    pub(super) fn constant(&mut self, value: u32) -> Id {
        let word = self.word();
        let id = self.shared(Op::Constant, Some(word), vec![Operand::LiteralBit32(value)]);
        self.constants.insert(id, value);
        id
    }

    /// The value of a constant of 32 bits.
    pub(super) fn known(&self, id: Id) -> Option<u32> {
        self.constants.get(&id).copied()
    }

    pub(super) fn wide_constant(&mut self, value: u64) -> Id {
        let wide = self.wide();
        self.shared(Op::Constant, Some(wide), vec![Operand::LiteralBit64(value)])
    }

    pub(super) fn truth(&mut self, value: bool) -> Id {
        let bool = self.bool();
        let op = if value {
            Op::ConstantTrue
        } else {
            Op::ConstantFalse
        };
        self.shared(op, Some(bool), Vec::new())
    }

    /// A constant that the pipeline sets; 1 where it does not.
    pub(super) fn set_by_pipeline(&mut self, number: u32) -> Id {
        let word = self.word();
        let id = self.global(Op::SpecConstant, Some(word), vec![Operand::LiteralBit32(1)]);
        self.decorate(id, Decoration::SpecId, Some(Operand::LiteralBit32(number)));
        id
    }

    /// Says that these constants are the size of every work-group.
    pub(super) fn work_group_size(&mut self, sizes: [Id; 3]) {
        let three = self.three_words();
        let id = self.global(Op::SpecConstantComposite, Some(three), ids(&sizes));
        let built_in = Operand::BuiltIn(BuiltIn::WorkgroupSize);
        self.decorate(id, Decoration::BuiltIn, Some(built_in));
    }

    /// A variable of the module, which the open function is about to use.
    pub(super) fn global_variable(&mut self, class: StorageClass, ty: Id) -> Id {
        let pointer = self.pointer(class, ty);
        let operands = vec![Operand::StorageClass(class)];
        let id = self.global(Op::Variable, Some(pointer), operands);
        self.interface.insert(id);
        id
    }

    /// What a variable of the device holds, or one of its three words.
    pub(super) fn input(&mut self, built_in: BuiltIn, component: Option<u32>) -> Id {
        let word = self.word();
        let variable = match self.inputs.get(&(built_in as u32)) {
            Some(&variable) => variable,
            None => {
                let ty = match component {
                    Some(_) => self.three_words(),
                    None => word,
                };
                let variable = self.global_variable(StorageClass::Input, ty);
                let operand = Operand::BuiltIn(built_in);
                self.decorate(variable, Decoration::BuiltIn, Some(operand));
                self.inputs.insert(built_in as u32, variable);
                variable
            }
        };
        self.interface.insert(variable);
        let place = match component {
            Some(component) => {
                let pointer = self.pointer(StorageClass::Input, word);
                let component = self.constant(component);
                self.emit(Op::AccessChain, pointer, ids(&[variable, component]))
            }
            None => variable,
        };
        self.emit(Op::Load, word, ids(&[place]))
    }

    /// Opens a function.
    pub(super) fn begin_function(&mut self) {
        let start = self.id();
        self.begin(start);
    }

    /// Closes the open function, an entry point.
    pub(super) fn end_entry_point(&mut self, name: &str) {
        let void = self.void();
        let ty = self.shared(Op::TypeFunction, None, ids(&[void]));
        let id = self.id();
        self.name(id, name);
        let mut blocks = std::mem::take(&mut self.blocks);
        if let Some(first) = blocks.first_mut() {
            first.instructions.splice(0..0, self.variables.drain(..));
        }
        let control = Operand::FunctionControl(FunctionControl::NONE);
        let operands = vec![control, Operand::IdRef(ty)];
        self.spirv.functions.push(dr::Function {
            def: Some(Instruction::new(
                Op::Function,
                Some(void),
                Some(id),
                operands,
            )),
            end: Some(Instruction::new(Op::FunctionEnd, None, None, Vec::new())),
            parameters: Vec::new(),
            blocks,
        });
        let mut operands = vec![
            Operand::ExecutionModel(ExecutionModel::GLCompute),
            Operand::IdRef(id),
            Operand::LiteralString(name.to_owned()),
        ];
        let interface = std::mem::take(&mut self.interface);
        operands.extend(interface.into_iter().map(Operand::IdRef));
        let entry = Instruction::new(Op::EntryPoint, None, None, operands);
        self.spirv.entry_points.push(entry);
        let mut mode = vec![
            Operand::IdRef(id),
            Operand::ExecutionMode(ExecutionMode::LocalSize),
        ];
        mode.extend([1; 3].map(Operand::LiteralBit32));
        let mode = Instruction::new(Op::ExecutionMode, None, None, mode);
        self.spirv.execution_modes.push(mode);
    }

    /// A private variable of the open function.
    pub(super) fn variable(&mut self, ty: Id, name: &str) -> Id {
        let class = StorageClass::Function;
        let pointer = self.pointer(class, ty);
        let id = self.id();
        let operands = vec![Operand::StorageClass(class)];
        let variable = Instruction::new(Op::Variable, Some(pointer), Some(id), operands);
        self.variables.push(variable);
        self.length += 1;
        if !name.is_empty() {
            self.name(id, name);
        }
        id
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, label: Id) {
        self.blocks.push(Block {
            label: Some(Instruction::new(Op::Label, None, Some(label), Vec::new())),
            instructions: Vec::new(),
        });
        self.here = label;
        self.open = true;
    }

    /// Whether the last block has no end yet.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// The open block.
    pub(super) fn here(&self) -> Id {
        self.here
    }

    fn append(&mut self, instruction: Instruction) {
        if let Some(block) = self.blocks.last_mut().filter(|_| self.open) {
            block.instructions.push(instruction);
            self.length += 1;
        }
    }

    /// Appends an instruction without a result.
    pub(super) fn push(&mut self, op: Op, operands: Vec<Operand>) {
        self.append(Instruction::new(op, None, None, operands));
    }

    /// Appends an instruction with a result.
    pub(super) fn emit(&mut self, op: Op, ty: Id, operands: Vec<Operand>) -> Id {
        let id = self.id();
        self.emit_as(id, op, ty, operands);
        id
    }

    /// Appends an instruction whose result has its number already.
    pub(super) fn emit_as(&mut self, id: Id, op: Op, ty: Id, operands: Vec<Operand>) {
        self.append(Instruction::new(op, Some(ty), Some(id), operands));
    }

    /// Ends the open block.
    pub(super) fn terminate(&mut self, op: Op, operands: Vec<Operand>) {
        self.push(op, operands);
        self.open = false;
    }

    /// Goes to a block, where the open block has no end yet.
    pub(super) fn jump(&mut self, to: Id) {
        if self.open {
            self.terminate(Op::Branch, ids(&[to]));
        }
    }

    /// Goes to one of two blocks.
    pub(super) fn branch(&mut self, truth: Id, yes: Id, no: Id) {
        self.terminate(Op::BranchConditional, ids(&[truth, yes, no]));
    }

    /// The value that comes from whichever block was before.
    pub(super) fn phi(&mut self, ty: Id, from: [(Id, Id); 2]) -> Id {
        let [(a, of_a), (b, of_b)] = from;
        if a == b {
            return a;
        }
        self.emit(Op::Phi, ty, ids(&[a, of_a, b, of_b]))
    }
}
