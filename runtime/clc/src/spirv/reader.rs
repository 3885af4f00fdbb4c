//! What is known of a module while it is read: names, decorations, types, constants, functions.

use super::capability::is_there;
use super::constant::{Constant, Given};
use super::extended::Set;
use super::function::Callee;
use super::parse::{Parsed, spec_id};
use super::types::Ty;
use super::variable::Variable;
use super::wrap::Wrapped;
use super::{Check, Specialization, ensure, newest};
use crate::CompileOptions;
use crate::device::Language;
use crate::lower::{Linkage, Lowered};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    AddressingModel, Decoration, FunctionParameterAttribute, LinkageType, MemoryModel, Op, Word,
};
use std::collections::{HashMap, HashSet};
use touchstone_ir as ir;

/// A module being read.
pub(super) struct Reader<'m> {
    pub(super) parsed: &'m Parsed,
    pub(super) language: Language,
    names: HashMap<Word, &'m str>,
    decorations: HashMap<Word, Vec<&'m Instruction>>,
    /// By id, the type of a value.
    value_types: HashMap<Word, Word>,
    pub(super) types: HashMap<Word, Ty>,
    pub(super) constants: HashMap<Word, Constant<'m>>,
    /// By `SpecId`, what the host has set.
    pub(super) given: Given,
    /// Variables that are the values of constants, by the constant.
    pub(super) hidden: HashMap<Word, ir::GlobalId>,
    pub(super) sets: HashMap<Word, Set>,
    pub(super) variables: HashMap<Word, Variable>,
    pub(super) functions: HashMap<Word, Callee>,
    pub(super) lowered: Lowered,
    pub(super) wrapped: Wrapped,
}

/// An operand that is an id.
pub(super) fn id(inst: &Instruction, n: usize) -> Check<Word> {
    match inst.operands.get(n) {
        Some(Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id)) => Ok(*id),
        _ => Err(format!("operand {n} is no id")),
    }
}

/// An operand that is a number of the module's text.
pub(super) fn literal(inst: &Instruction, n: usize) -> Check<u32> {
    match inst.operands.get(n) {
        Some(Operand::LiteralBit32(value)) => Ok(*value),
        _ => Err(format!("operand {n} is no number")),
    }
}

/// The id of the type of what an instruction computes.
pub(super) fn result_type(inst: &Instruction) -> Check<Word> {
    inst.result_type.ok_or_else(|| "it has no type".into())
}

/// The id of what an instruction computes.
pub(super) fn result(inst: &Instruction) -> Check<Word> {
    inst.result_id.ok_or_else(|| "it has no result".into())
}

impl<'m> Reader<'m> {
    /// Reads what stands before the functions.
    pub(super) fn new(
        parsed: &'m Parsed,
        values: &[Specialization],
        options: &CompileOptions<'_>,
    ) -> Check<Self> {
        let mut reader = Self {
            parsed,
            language: Language::new(&options.device, &newest(&options.device)),
            names: HashMap::new(),
            decorations: HashMap::new(),
            value_types: HashMap::new(),
            types: HashMap::new(),
            constants: HashMap::new(),
            given: Given::default(),
            hidden: HashMap::new(),
            sets: HashMap::new(),
            variables: HashMap::new(),
            functions: HashMap::new(),
            lowered: Lowered {
                module: ir::Module::new(),
                functions: Vec::new(),
                globals: Vec::new(),
            },
            wrapped: Wrapped::default(),
        };
        reader.check_models()?;
        for inst in &parsed.module.capabilities {
            reader.capability(inst)?;
        }
        reader.annotations();
        reader.specialize(values)?;
        for inst in &parsed.module.ext_inst_imports {
            reader.import(inst)?;
        }
        reader.number()?;
        for inst in &parsed.module.types_global_values {
            let read = reader.global(inst);
            read.map_err(|message| reader.at(inst, &message))?;
        }
        Ok(reader)
    }

    /// Reads the functions; the unit, and the functions of OpenCL C that it calls.
    pub(super) fn read(mut self) -> Check<(Lowered, Wrapped)> {
        let functions = &self.parsed.module.functions;
        for function in functions {
            self.declare_function(function)?;
        }
        self.entry_points()?;
        for function in functions {
            self.define_function(function)?;
        }
        self.finish_entry_points()?;
        Ok((self.lowered, self.wrapped))
    }

    fn check_models(&self) -> Check<()> {
        let model = self.parsed.module.memory_model.as_ref();
        let operands = model.map_or(&[][..], |inst| &inst.operands);
        match operands {
            [
                Operand::AddressingModel(AddressingModel::Physical64),
                Operand::MemoryModel(MemoryModel::OpenCL),
            ] => Ok(()),
            [
                Operand::AddressingModel(addresses),
                Operand::MemoryModel(memory),
            ] => Err(format!(
                "OpMemoryModel {addresses:?} {memory:?}: kernels have Physical64 OpenCL here"
            )),
            _ => Err("OpMemoryModel is missing".into()),
        }
    }

    /// Whether the device has what a module declares that it needs.
    fn capability(&self, inst: &Instruction) -> Check<()> {
        let Some(Operand::Capability(capability)) = inst.operands.first() else {
            return Err("OpCapability without a capability".into());
        };
        let there = is_there(*capability, &self.language);
        ensure!(
            there,
            "OpCapability {capability:?}: the device does not have it"
        );
        Ok(())
    }

    fn annotations(&mut self) {
        let module = &self.parsed.module;
        for inst in &module.debug_names {
            if let (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) =
                (inst.class.opcode, &inst.operands[..])
                && !name.is_empty()
            {
                self.names.insert(*id, name);
            }
        }
        for inst in &module.annotations {
            if let (Op::Decorate | Op::DecorateId, Some(Operand::IdRef(target))) =
                (inst.class.opcode, inst.operands.first())
            {
                self.decorations.entry(*target).or_default().push(inst);
            }
        }
        // What a group is decorated with, its members are.
        for inst in &module.annotations {
            if inst.class.opcode != Op::GroupDecorate {
                continue;
            }
            let mut ids = (0..inst.operands.len()).filter_map(|n| id(inst, n).ok());
            let group = ids.next().and_then(|group| self.decorations.get(&group));
            let shared = group.cloned().unwrap_or_default();
            for member in ids {
                let own = self.decorations.entry(member).or_default();
                own.extend(&shared);
            }
        }
    }

    /// Notes the values of specialization constants.
    fn specialize(&mut self, values: &[Specialization]) -> Check<()> {
        for inst in &self.parsed.module.annotations {
            let Some((target, number)) = spec_id(inst) else {
                continue;
            };
            if let Some((_, bytes)) = values.iter().rfind(|(id, _)| *id == number) {
                let mut bits = [0; 8];
                let place = bits.get_mut(..bytes.len());
                let place = place
                    .ok_or_else(|| format!("constant {number} is given {} bytes", bytes.len()))?;
                place.copy_from_slice(bytes);
                self.given.insert(target, u64::from_le_bytes(bits));
            }
        }
        Ok(())
    }

    /// Notes the type of every value. Each id names one thing.
    fn number(&mut self) -> Check<()> {
        let module = &self.parsed.module;
        let mut seen = HashSet::new();
        for inst in module.all_inst_iter() {
            let Some(id) = inst.result_id else { continue };
            ensure!(seen.insert(id), "%{id} is the result of two instructions");
            if let Some(ty) = inst.result_type {
                self.value_types.insert(id, ty);
            }
        }
        Ok(())
    }

    /// A type, constant or variable of the module.
    fn global(&mut self, inst: &'m Instruction) -> Check<()> {
        match inst.class.opcode {
            Op::Line | Op::NoLine => Ok(()),
            Op::Variable => self.declare_variable(inst),
            op if op.is_type() => self.declare_type(inst),
            op if op.is_constant() || op == Op::Undef => self.declare_constant(inst),
            _ => Err("this is not supported outside of functions".into()),
        }
    }

    /// A message about an instruction: what it is, and what is wrong with it.
    pub(super) fn at(&self, inst: &Instruction, message: &str) -> String {
        let name = inst.class.opname;
        match inst.result_id {
            Some(id) => format!("{} = Op{name}: {message}", self.name(id)),
            None => format!("Op{name}: {message}"),
        }
    }

    /// What a message calls an id.
    pub(super) fn name(&self, id: Word) -> String {
        match self.names.get(&id) {
            Some(name) => format!("%{id} ({name})"),
            None => format!("%{id}"),
        }
    }

    /// The name that the source gave, or none.
    pub(super) fn source_name(&self, id: Word) -> &'m str {
        self.names.get(&id).copied().unwrap_or_default()
    }

    /// The type of a value.
    pub(super) fn type_of(&self, id: Word) -> Check<Word> {
        match self.value_types.get(&id) {
            Some(ty) => Ok(*ty),
            None => Err(format!("{} is no value", self.name(id))),
        }
    }

    fn decorated(&self, id: Word) -> impl Iterator<Item = &'m [Operand]> + use<'m, '_> {
        let all = self.decorations.get(&id).into_iter().flatten();
        all.map(|inst| inst.operands.get(1..).unwrap_or_default())
    }

    /// Whether an id has a decoration.
    pub(super) fn has(&self, id: Word, decoration: Decoration) -> bool {
        self.decoration(id, decoration).is_some()
    }

    /// The operands of a decoration of an id.
    pub(super) fn decoration(&self, id: Word, wanted: Decoration) -> Option<&'m [Operand]> {
        self.decorated(id).find_map(|operands| match operands {
            [Operand::Decoration(found), rest @ ..] if *found == wanted => Some(rest),
            _ => None,
        })
    }

    /// Whether a parameter has an attribute.
    pub(super) fn has_attribute(&self, id: Word, wanted: FunctionParameterAttribute) -> bool {
        self.decorated(id).any(|operands| {
            matches!(operands, [
                Operand::Decoration(Decoration::FuncParamAttr),
                Operand::FunctionParameterAttribute(found),
            ] if *found == wanted)
        })
    }

    /// How other units see a function or a variable; `defined` tells whether it has a body or memory here.
    pub(super) fn linkage(&self, id: Word, defined: bool) -> Check<Linkage> {
        let operands = self.decoration(id, Decoration::LinkageAttributes);
        let linkage = |name: &str, external| Linkage {
            name: name.to_owned(),
            external,
            defined,
            shared: false,
        };
        Ok(match operands {
            None => {
                ensure!(defined, "{} has no body and is not imported", self.name(id));
                linkage(self.source_name(id), false)
            }
            Some([Operand::LiteralString(name), Operand::LinkageType(kind)]) => match kind {
                LinkageType::Export => linkage(name, true),
                LinkageType::LinkOnceODR => Linkage {
                    shared: true,
                    ..linkage(name, true)
                },
                LinkageType::Import => {
                    ensure!(!defined, "{} is imported and has a body", self.name(id));
                    linkage(name, true)
                }
            },
            Some(_) => return Err(format!("{} has a linkage without a name", self.name(id))),
        })
    }
}
