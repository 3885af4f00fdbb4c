//! Entry points: which functions are kernels, under which names, with which arguments.
//!
//! What a program may ask about arguments is in the module as far as its compiler left it there: names by `OpName`,
//! types and qualifiers in strings such as `kernel_arg_type.NAME.int*,float,` (as `llvm-spirv` writes them).

use super::reader::{Reader, id, literal, result};
use super::types::Ty;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction, Operand};
use rspirv::spirv::{
    Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, Op, StorageClass, Word,
};
use touchstone_ir::{AddressSpace, ArgPass, KernelArg, KernelInfo, TypeQualifiers};

/// Work-items of a sub-group (the device's, whatever a kernel asks for).
const SUB_GROUP: u32 = 8;

impl Reader<'_> {
    /// The entry points of a module: the function of each and its name.
    fn entries(&self) -> Check<Vec<(Word, String)>> {
        let entries = self.parsed.module.entry_points.iter().map(|inst| {
            let [
                Operand::ExecutionModel(model),
                Operand::IdRef(function),
                Operand::LiteralString(name),
                ..,
            ] = &inst.operands[..]
            else {
                return Err("OpEntryPoint without a function and a name".into());
            };
            ensure!(
                *model == ExecutionModel::Kernel,
                "OpEntryPoint {model:?} {name:?}: this is no kernel"
            );
            Ok((*function, name.clone()))
        });
        entries.collect()
    }

    /// Makes kernels of the functions of entry points, each under the first of its names.
    pub(super) fn entry_points(&mut self) -> Check<()> {
        for (function, name) in self.entries()?.into_iter().rev() {
            let made = self.entry_point(function, &name);
            made.map_err(|message| format!("OpEntryPoint {name:?}: {message}"))?;
        }
        Ok(())
    }

    fn entry_point(&mut self, function: Word, name: &str) -> Check<()> {
        let Some(callee) = self.functions.get(&function).cloned() else {
            return Err(format!("{} is no function", self.name(function)));
        };
        ensure!(
            matches!(self.ty(callee.ret)?, Ty::Void),
            "a kernel returns nothing"
        );
        let defs = self.parsed.module.functions.iter();
        let mut own = defs.filter(|f| f.def_id() == Some(function));
        let params = own.next().map_or(&[][..], |f| &f.parameters);
        let texts = ["kernel_arg_type", "kernel_arg_type_qual"].map(|what| self.texts(what, name));
        let mut args = Vec::with_capacity(params.len());
        for (n, (param, &ty)) in params.iter().zip(callee.params.iter()).enumerate() {
            let [spelled, qualified] = [0, 1].map(|i| texts[i].get(n).map(String::as_str));
            args.push(self.argument(result(param)?, ty, spelled, qualified)?);
        }
        let mut info = KernelInfo {
            args,
            ..KernelInfo::default()
        };
        for mode in &self.parsed.module.execution_modes {
            if id(mode, 0)? == function {
                self.execution_mode(mode, &mut info)?;
            }
        }
        // The kernel may call a function that other units know by the same name.
        let functions = &self.lowered.functions;
        let taken = functions
            .iter()
            .any(|other| other.external && other.name == name);
        let at = callee.id.0 as usize;
        let linkage = &mut self.lowered.functions[at];
        ensure!(linkage.defined, "it has no body");
        linkage.external |= !taken;
        linkage.name = name.to_owned();
        let kernel = &mut self.lowered.module.functions[at];
        kernel.name = name.to_owned();
        kernel.kernel = Some(info);
        Ok(())
    }

    /// Gives functions that are several entry points their other names.
    pub(super) fn finish_entry_points(&mut self) -> Check<()> {
        for (function, name) in self.entries()? {
            let at = self.functions[&function].id.0 as usize;
            let kernel = &self.lowered.module.functions[at];
            if kernel.name == name {
                continue;
            }
            let mut copy = kernel.clone();
            copy.name.clone_from(&name);
            self.lowered.module.add_function(copy);
            let mut linkage = self.lowered.functions[at].clone();
            linkage.name = name;
            self.lowered.functions.push(linkage);
        }
        self.check_rules()
    }

    /// The list that the module has in a string about the arguments of a kernel.
    fn texts(&self, what: &str, kernel: &str) -> Vec<String> {
        let prefix = format!("{what}.{kernel}.");
        let strings = self.parsed.module.debug_string_source.iter();
        let mut found = strings.filter_map(|inst| match (inst.class.opcode, &inst.operands[..]) {
            (Op::String, [Operand::LiteralString(text)]) => text.strip_prefix(&prefix),
            _ => None,
        });
        let list = found.next().map(|list| list.split(',').map(str::to_owned));
        list.map(Iterator::collect).unwrap_or_default()
    }

    fn argument(
        &self,
        param: Word,
        ty: Word,
        spelled: Option<&str>,
        qualified: Option<&str>,
    ) -> Check<KernelArg> {
        let shape = self.ty(ty)?;
        let pass = match shape {
            Ty::Pointer { class, to } => match class {
                StorageClass::CrossWorkgroup => ArgPass::Pointer(AddressSpace::Global),
                StorageClass::UniformConstant => ArgPass::Pointer(AddressSpace::Constant),
                StorageClass::Workgroup => {
                    let align = self.layout(to).map_or(1, |layout| layout.align);
                    ArgPass::LocalPointer {
                        align: self.alignment(param, align)?,
                    }
                }
                StorageClass::Function => self.by_value(to)?,
                _ => return Err(format!("an argument is a pointer to {class:?}")),
            },
            Ty::Array { .. } | Ty::Struct(_) => self.by_value(ty)?,
            Ty::Image(kind, access) => ArgPass::Image(kind, access),
            Ty::Sampler => ArgPass::Sampler,
            Ty::Scalar(_) | Ty::Vector(..) => ArgPass::Value(self.register(ty)?),
            Ty::Void | Ty::Function { .. } | Ty::SampledImage | Ty::Event => {
                return Err(format!("{} is no type of an argument", self.name(ty)));
            }
        };
        let words = qualified.unwrap_or_default();
        let attribute = |wanted| self.has_attribute(param, wanted);
        let constant = matches!(pass, ArgPass::Pointer(AddressSpace::Constant));
        Ok(KernelArg {
            name: self.source_name(param).to_owned(),
            type_name: match spelled {
                Some(text) if !text.is_empty() => text.to_owned(),
                _ => self.spelled(ty),
            },
            qualifiers: TypeQualifiers {
                is_const: constant
                    || words.contains("const")
                    || attribute(FunctionParameterAttribute::NoWrite),
                is_restrict: words.contains("restrict") || self.has(param, Decoration::Restrict),
                is_volatile: words.contains("volatile") || self.has(param, Decoration::Volatile),
            },
            pass,
        })
    }

    /// An argument that each work-item gets a copy of.
    fn by_value(&self, ty: Word) -> Check<ArgPass> {
        let layout = self.layout(ty)?;
        let Ok(size) = u32::try_from(layout.size) else {
            return Err(format!("an argument of {} bytes is too large", layout.size));
        };
        Ok(ArgPass::Aggregate {
            size,
            align: layout.align,
        })
    }

    /// The name of an argument's type where the module has none: integers have no signs in it.
    fn spelled(&self, ty: Word) -> String {
        match self.ty(ty) {
            Ok(Ty::Pointer { to, .. }) => format!("{}*", self.spelled_value(to)),
            _ => self.spelled_value(ty),
        }
    }

    fn spelled_value(&self, ty: Word) -> String {
        match self.c_type(ty, true) {
            Ok(c) => c.text,
            Err(_) => self.source_name(ty).to_owned(),
        }
    }

    fn execution_mode(&self, inst: &Instruction, info: &mut KernelInfo) -> Check<()> {
        let Some(dr::Operand::ExecutionMode(mode)) = inst.operands.get(1) else {
            return Err("OpExecutionMode without a mode".into());
        };
        let literals = || -> Check<[u64; 3]> {
            let [x, y, z] = [2, 3, 4].map(|n| literal(inst, n).map(u64::from));
            Ok([x?, y?, z?])
        };
        let constants = || -> Check<[u64; 3]> {
            let [x, y, z] = [2, 3, 4].map(|n| self.integer(id(inst, n)?));
            Ok([x?, y?, z?])
        };
        match mode {
            ExecutionMode::LocalSize => info.reqd_work_group_size = Some(literals()?),
            ExecutionMode::LocalSizeId => info.reqd_work_group_size = Some(constants()?),
            ExecutionMode::LocalSizeHint => info.work_group_size_hint = Some(literals()?),
            ExecutionMode::LocalSizeHintId => info.work_group_size_hint = Some(constants()?),
            ExecutionMode::VecTypeHint => info.vec_type_hint = vector_hint(literal(inst, 2)?),
            ExecutionMode::SubgroupSize => ensure!(
                literal(inst, 2)? == SUB_GROUP,
                "SubgroupSize {}: sub-groups have {SUB_GROUP} work-items",
                literal(inst, 2)?
            ),
            // Operations are not contracted, are rounded to nearest even, and keep denormal numbers, zeros with signs,
            // infinities and NaN as they are.
            ExecutionMode::ContractionOff
            | ExecutionMode::SignedZeroInfNanPreserve
            | ExecutionMode::DenormPreserve
            | ExecutionMode::RoundingModeRTE => {}
            _ => return Err(format!("the execution mode {mode:?} is not supported")),
        }
        Ok(())
    }
}

/// The type that `VecTypeHint` encodes, as `vec_type_hint` spells it.
fn vector_hint(word: u32) -> Option<String> {
    let names = ["char", "short", "int", "long", "half", "float", "double"];
    let name = names.get((word & 0xffff) as usize)?;
    Some(match word >> 16 {
        0 | 1 => (*name).to_owned(),
        lanes => format!("{name}{lanes}"),
    })
}
