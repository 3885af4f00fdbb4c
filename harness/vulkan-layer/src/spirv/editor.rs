//! A module as its instructions, which edits replace one by one (SPIR-V specification, "Physical Layout of a SPIR-V
//! Module").

use super::Mutated;
use rspirv::binary::{Assemble, Consumer, ParseAction, parse_words};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope, StorageClass, Word};
use std::collections::{BTreeMap, HashMap};

/// Words before the first instruction.
const HEADER: usize = 5;
/// The word of the header that bounds all ids.
const BOUND: usize = 3;

/// A module and what becomes of it.
pub(super) struct Editor<'a> {
    words: &'a [u32],
    instructions: Vec<Instruction>,
    /// What results are, by their ids: the places of their instructions.
    results: HashMap<Word, usize>,
    bound: Word,
    /// New types and constants, which stand before the first function.
    added: Vec<Instruction>,
    /// What takes the place of instructions, by their places.
    instead: BTreeMap<usize, Vec<Instruction>>,
}

/// The instructions of a module as the parser gives them.
#[derive(Default)]
struct Collected(Vec<Instruction>);

impl Consumer for Collected {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _header: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        self.0.push(instruction);
        ParseAction::Continue
    }
}

/// Whether instructions of the lengths that they say fill the words, which the parser takes for granted.
fn lengths_fit(mut words: &[u32]) -> bool {
    while let Some(&first) = words.first() {
        let length = (first >> 16) as usize;
        match words.get(length..) {
            Some(rest) if length > 0 => words = rest,
            _ => return false,
        }
    }
    true
}

impl<'a> Editor<'a> {
    /// None where the words are no module that the grammar knows.
    pub(super) fn new(words: &'a [u32]) -> Option<Editor<'a>> {
        if !lengths_fit(words.get(HEADER..)?) {
            return None;
        }
        let mut collected = Collected::default();
        parse_words(words, &mut collected).ok()?;
        let instructions = collected.0;
        let results = instructions.iter().enumerate();
        let results = results.filter_map(|(at, i)| Some((i.result_id?, at)));
        Some(Editor {
            words,
            results: results.collect(),
            bound: *words.get(BOUND)?,
            instructions,
            added: Vec::new(),
            instead: BTreeMap::new(),
        })
    }

    /// How many instructions the module has.
    pub(super) fn len(&self) -> usize {
        self.instructions.len()
    }

    /// The instruction at a place.
    pub(super) fn instruction(&self, at: usize) -> Option<&Instruction> {
        self.instructions.get(at)
    }

    /// The instructions that stand at the place of one from now on.
    pub(super) fn replace(&mut self, at: usize, instead: Vec<Instruction>) {
        self.instead.insert(at, instead);
    }

    /// Whether the module declares the capability.
    pub(super) fn declares(&self, capability: Capability) -> bool {
        let mut declared = self.instructions.iter();
        declared.any(|i| i.operands.first() == Some(&Operand::Capability(capability)))
    }

    /// The instruction that gives this result, of the module or new.
    fn result(&self, id: Word) -> Option<&Instruction> {
        let own = self.results.get(&id).and_then(|&at| self.instruction(at));
        own.or_else(|| self.added.iter().find(|i| i.result_id == Some(id)))
    }

    /// The type of a value.
    pub(super) fn type_of(&self, id: Word) -> Option<Word> {
        self.result(id)?.result_type
    }

    /// The storage class that a pointer points to.
    pub(super) fn storage_class(&self, pointer: Word) -> Option<StorageClass> {
        match self.result(self.type_of(pointer)?)?.operands.first()? {
            Operand::StorageClass(class) => Some(*class),
            _ => None,
        }
    }

    /// Bits of a scalar of this type; none of others.
    pub(super) fn width(&self, of: Word) -> Option<u32> {
        let of = self.result(of)?;
        match (of.class.opcode, of.operands.as_slice()) {
            (Op::TypeInt | Op::TypeFloat, [Operand::LiteralBit32(width), ..]) => Some(*width),
            _ => None,
        }
    }

    /// Whether a type is one of floating-point numbers.
    pub(super) fn is_float(&self, of: Word) -> bool {
        self.result(of)
            .is_some_and(|i| i.class.opcode == Op::TypeFloat)
    }

    /// The value of a constant of 32 bits.
    fn value(&self, id: Word) -> Option<u32> {
        let constant = self.result(id)?;
        match (constant.class.opcode, constant.operands.as_slice()) {
            (Op::Constant, [Operand::LiteralBit32(value)]) => Some(*value),
            (Op::ConstantNull, []) if self.width(constant.result_type?) == Some(32) => Some(0),
            _ => None,
        }
    }

    /// The scope that a constant names.
    pub(super) fn scope(&self, id: Word) -> Option<Scope> {
        Scope::from_u32(self.value(id)?)
    }

    /// The semantics that a constant names.
    pub(super) fn semantics(&self, id: Word) -> Option<MemorySemantics> {
        MemorySemantics::from_bits(self.value(id)?)
    }

    /// A constant like another, of this value: one that the module has, or a new one.
    pub(super) fn like(&mut self, other: Word, value: u32) -> Option<Word> {
        if self.value(other)? == value {
            return Some(other);
        }
        let of = self.type_of(other)?;
        self.constant(of, Operand::LiteralBit32(value))
    }

    /// The number one of a type of integers.
    pub(super) fn one(&mut self, of: Word) -> Option<Word> {
        let one = match self.width(of)? {
            64 => Operand::LiteralBit64(1),
            _ => Operand::LiteralBit32(1),
        };
        self.constant(of, one)
    }

    /// The type of truth values.
    pub(super) fn bool_type(&mut self) -> Word {
        self.global(Instruction::new(Op::TypeBool, None, None, Vec::new()))
    }

    fn constant(&mut self, of: Word, value: Operand) -> Option<Word> {
        let constant = Instruction::new(Op::Constant, Some(of), None, vec![value]);
        Some(self.global(constant))
    }

    /// The id of a type or constant that stands before the functions.
    fn global(&mut self, wanted: Instruction) -> Word {
        let is_wanted = |known: &&Instruction| {
            known.class.opcode == wanted.class.opcode
                && known.result_type == wanted.result_type
                && known.operands == wanted.operands
        };
        let mut known = self.instructions.iter().chain(&self.added);
        if let Some(id) = known.find(is_wanted).and_then(|known| known.result_id) {
            return id;
        }
        let id = self.id();
        let result_id = Some(id);
        self.added.push(Instruction {
            result_id,
            ..wanted
        });
        id
    }

    /// A new id.
    pub(super) fn id(&mut self) -> Word {
        let id = self.bound;
        // A module whose bound has no successor is not valid to begin with.
        self.bound = self.bound.wrapping_add(1);
        id
    }

    /// The module with all edits; none where there are none.
    pub(super) fn finish(self) -> Option<Mutated> {
        if self.instead.is_empty() {
            return None;
        }
        let mut words = self.words.get(..HEADER)?.to_vec();
        *words.get_mut(BOUND)? = self.bound;
        let mut rest = self.words.get(HEADER..)?;
        let mut added = Some(&self.added);
        for (at, instruction) in self.instructions.iter().enumerate() {
            let length = usize::from((rest.first()? >> 16) as u16);
            let (own, behind) = rest.split_at_checked(length)?;
            rest = behind;
            if instruction.class.opcode == Op::Function {
                let new = added.take().into_iter().flatten();
                new.for_each(|i| i.assemble_into(&mut words));
            }
            match self.instead.get(&at) {
                None => words.extend_from_slice(own),
                Some(instead) => instead.iter().for_each(|i| i.assemble_into(&mut words)),
            }
        }
        Some(Mutated {
            words,
            changed: self.instead.len() as u64,
        })
    }
}
