//! Variables of a module: in memory, and the built-in ones, which are questions about the index space.

use super::constant::Initial;
use super::function::{Body, Value};
use super::present::mask;
use super::reader::{Reader, id, result, result_type};
use super::types::{Ty, space_of};
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{BuiltIn, Decoration, LinkageType, StorageClass, Word};
use touchstone_ir::{
    self as ir, AddressSpace, Const, Global, GlobalId, Lanes, LocalId, LocalVar, NumKind, Op,
    Operand, Query, Scalar,
};

/// A variable of a module.
#[derive(Clone, Copy, Debug)]
pub(super) enum Variable {
    Global(GlobalId, AddressSpace),
    Local(LocalId),
    /// A built-in variable with the type of its value.
    Input(Query, Word),
    /// One that a function of OpenCL C gives the value of.
    Mask(&'static str),
}

/// The question that a built-in variable answers.
fn query(builtin: BuiltIn) -> Option<Query> {
    Some(match builtin {
        BuiltIn::NumWorkgroups => Query::NumGroups,
        BuiltIn::WorkgroupSize => Query::LocalSize,
        BuiltIn::WorkgroupId => Query::GroupId,
        BuiltIn::LocalInvocationId => Query::LocalId,
        BuiltIn::GlobalInvocationId => Query::GlobalId,
        BuiltIn::LocalInvocationIndex => Query::LocalLinearId,
        BuiltIn::WorkDim => Query::WorkDim,
        BuiltIn::GlobalSize => Query::GlobalSize,
        BuiltIn::EnqueuedWorkgroupSize => Query::EnqueuedLocalSize,
        BuiltIn::GlobalOffset => Query::GlobalOffset,
        BuiltIn::GlobalLinearId => Query::GlobalLinearId,
        BuiltIn::SubgroupSize => Query::SubGroupSize,
        BuiltIn::SubgroupMaxSize => Query::MaxSubGroupSize,
        BuiltIn::NumSubgroups => Query::NumSubGroups,
        BuiltIn::NumEnqueuedSubgroups => Query::EnqueuedNumSubGroups,
        BuiltIn::SubgroupId => Query::SubGroupId,
        BuiltIn::SubgroupLocalInvocationId => Query::SubGroupLocalId,
        _ => return None,
    })
}

impl Reader<'_> {
    /// Reads the declaration of a variable of the module.
    pub(super) fn declare_variable(&mut self, inst: &Instruction) -> Check<()> {
        let variable = result(inst)?;
        let (to, class) = self.pointer(result_type(inst)?)?;
        let initial = match inst.operands.len() {
            0 | 1 => None,
            _ => {
                let value = id(inst, 1)?;
                // An initial value may be the address of another variable.
                let fits = self.variables.contains_key(&value) || self.type_of(value)? == to;
                ensure!(fits, "{} is of another type", self.name(value));
                Some(self.initial(value)?)
            }
        };
        let declared = match class {
            StorageClass::UniformConstant | StorageClass::CrossWorkgroup => {
                self.program_variable(variable, to, class, initial.unwrap_or_default())?
            }
            StorageClass::Workgroup => {
                let zero =
                    |initial: &Initial| initial.bytes.is_empty() && initial.relocs.is_empty();
                ensure!(
                    initial.is_none_or(|initial| zero(&initial)),
                    "a variable of a work-group has no initial value"
                );
                let layout = self.layout(to)?;
                Variable::Local(self.lowered.module.add_local(LocalVar {
                    name: self.source_name(variable).to_owned(),
                    kernel: None,
                    size: layout.size,
                    align: self.alignment(variable, layout.align)?,
                }))
            }
            StorageClass::Input => {
                let builtin = self.decoration(variable, Decoration::BuiltIn);
                let Some([dr::Operand::BuiltIn(builtin)]) = builtin else {
                    return Err("an input that is no built-in variable".into());
                };
                if let Some(function) = mask(*builtin) {
                    let fits = matches!(self.ty(to)?, Ty::Vector(Scalar::I32, Lanes::L4));
                    ensure!(fits, "{builtin:?} has not the type {}", self.name(to));
                    self.variables.insert(variable, Variable::Mask(function));
                    return Ok(());
                }
                let asked = query(*builtin)
                    .ok_or_else(|| format!("the built-in variable {builtin:?} is not supported"))?;
                let shape = self.ty(to)?;
                let fits = match shape {
                    Ty::Scalar(scalar) => scalar.is_int() && !asked.takes_dim(),
                    Ty::Vector(scalar, Lanes::L3) => scalar.is_int() && asked.takes_dim(),
                    _ => false,
                };
                ensure!(fits, "{builtin:?} has not the type {}", self.name(to));
                Variable::Input(asked, to)
            }
            _ => return Err(format!("variables in {class:?} are not supported")),
        };
        self.variables.insert(variable, declared);
        Ok(())
    }

    fn program_variable(
        &mut self,
        variable: Word,
        to: Word,
        class: StorageClass,
        initial: Initial,
    ) -> Check<Variable> {
        let space = space_of(class).unwrap_or(AddressSpace::Global);
        ensure!(
            space == AddressSpace::Constant || self.language.program_scope_globals,
            "the device has no variables of programs in global memory"
        );
        let imported = matches!(
            self.decoration(variable, Decoration::LinkageAttributes),
            Some([_, dr::Operand::LinkageType(LinkageType::Import)])
        );
        let linkage = self.linkage(variable, !imported)?;
        let layout = self.layout(to)?;
        let global = Global {
            name: linkage.name.clone(),
            space,
            size: layout.size,
            align: self.alignment(variable, layout.align)?,
            init: initial.bytes,
            relocs: initial.relocs,
        };
        self.lowered.globals.push(linkage);
        let global = self.lowered.module.add_global(global);
        Ok(Variable::Global(global, space))
    }

    /// The alignment of a variable: at least that of its type.
    pub(super) fn alignment(&self, variable: Word, natural: u32) -> Check<u32> {
        let Some(operands) = self.decoration(variable, Decoration::Alignment) else {
            return Ok(natural);
        };
        match operands {
            [dr::Operand::LiteralBit32(align)] if align.is_power_of_two() => {
                Ok(natural.max(*align))
            }
            _ => Err("an alignment is no power of two".into()),
        }
    }
}

impl Body<'_, '_> {
    /// What a variable of the module is in a function.
    pub(super) fn variable(&mut self, variable: Variable) -> Value {
        match variable {
            Variable::Global(global, space) => {
                Value::Operand(self.b.global_addr(global, space).into())
            }
            Variable::Local(local) => Value::Operand(self.b.local_addr(local).into()),
            Variable::Input(query, ty) => Value::Input(query, ty),
            Variable::Mask(function) => Value::Mask(function),
        }
    }

    /// The value of a built-in variable of a type.
    pub(super) fn ask(&mut self, query: Query, ty: Word) -> Check<Operand> {
        let register = self.reader.register(ty)?;
        if !query.takes_dim() {
            return Ok(self.ask_one(query, Const::i32(0).into(), register));
        }
        let element = register.element().map(ir::Type::Scalar);
        let element = element.unwrap_or(ir::Type::I64);
        let parts = [0, 1, 2].map(|dim| self.ask_one(query, Const::i32(dim).into(), element));
        Ok(self.b.emit(register, Op::Construct(parts.to_vec())).into())
    }

    /// The value of a built-in variable in one dimension, an `I32`.
    pub(super) fn ask_one(&mut self, query: Query, dim: Operand, ty: ir::Type) -> Operand {
        let value = self.b.query(query, dim).into();
        match ty {
            ir::Type::I64 => value,
            _ => self.integer_as(value, ty, NumKind::Unsigned),
        }
    }

    /// An integer in another width.
    pub(super) fn integer_as(&mut self, value: Operand, ty: ir::Type, kind: NumKind) -> Operand {
        match self.b.type_of(value) {
            same if same == ty => value,
            _ => self.b.convert(value, kind, ty, kind).into(),
        }
    }

    /// One element of a built-in variable of three.
    pub(super) fn ask_element(&mut self, query: Query, ty: Word, index: Word) -> Check<Operand> {
        let register = self.reader.register(ty)?;
        let element = register.element().unwrap_or(Scalar::I64);
        let dim = self.operand(index)?;
        let dim = self.integer_as(dim, ir::Type::I32, NumKind::Unsigned);
        Ok(self.ask_one(query, dim, ir::Type::Scalar(element)))
    }
}
