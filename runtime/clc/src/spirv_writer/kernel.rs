//! Kernels as entry points: their arguments, what may be asked about these, and how they are launched.

use super::function::Entry;
use super::words::{Id, ids};
use super::{Check, Writer};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, Op, StorageClass,
};
use std::collections::{BTreeMap, BTreeSet};
use touchstone_ir::{self as ir, AddressSpace, ArgPass, FuncId, KernelArg, KernelInfo, Type};

impl<'m> Writer<'m> {
    /// Writes all kernels, and the functions that they call.
    pub(super) fn kernels(&mut self) -> Check<()> {
        let module = self.module;
        let kernels = module.kernels().filter(|(_, f)| !is_block(f));
        let kernels: Vec<(FuncId, &ir::Function)> = kernels.collect();
        if kernels.is_empty() {
            return Err("a program without kernels".into());
        }
        let mut entries = BTreeMap::new();
        for &(id, function) in &kernels {
            let entry = self.words.id();
            let written = self.function(id, entry, Entry::Kernel);
            written.map_err(|what| format!("{what} (in the kernel {})", function.name))?;
            entries.insert(id, entry);
        }
        let mut written = BTreeSet::new();
        while let Some((&id, &own)) = self.called.iter().find(|(id, _)| !written.contains(*id)) {
            written.insert(id);
            let name = &module.functions[id.0 as usize].name;
            let function = self.function(id, own, Entry::Called);
            function.map_err(|what| format!("{what} (in the function {name})"))?;
        }
        for (id, function) in kernels {
            self.entry_point(id, entries[&id], function);
        }
        Ok(())
    }

    /// Declares a function as an entry point, with the variables that it and all it calls use.
    fn entry_point(&mut self, id: FuncId, entry: Id, function: &ir::Function) {
        let calls = ir::calls::calls(self.module);
        let mut interface = BTreeSet::new();
        let mut left = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = left.pop() {
            if !seen.insert(id) {
                continue;
            }
            interface.extend(self.uses.get(&id).into_iter().flatten());
            let callees = calls.get(id.0 as usize).into_iter().flatten();
            left.extend(callees.map(|&(callee, _)| FuncId(callee as u32)));
        }
        // Before version 1.4 only inputs are named.
        if self.words.version() < (1, 4) {
            let inputs: BTreeSet<Id> = self.inputs.values().copied().collect();
            interface.retain(|variable| inputs.contains(variable));
        }
        let mut operands = vec![
            Operand::ExecutionModel(ExecutionModel::Kernel),
            Operand::IdRef(entry),
            Operand::LiteralString(function.name.clone()),
        ];
        operands.extend(interface.into_iter().map(Operand::IdRef));
        let point = Instruction::new(Op::EntryPoint, None, None, operands);
        self.words.spirv.entry_points.push(point);
        if let Some(info) = &function.kernel {
            self.modes(entry, info);
            self.describe(&function.name, info);
        }
    }

    fn mode(&mut self, entry: Id, mode: ExecutionMode, numbers: &[u32]) {
        let mut operands = vec![Operand::IdRef(entry), Operand::ExecutionMode(mode)];
        operands.extend(numbers.iter().map(|&n| Operand::LiteralBit32(n)));
        let mode = Instruction::new(Op::ExecutionMode, None, None, operands);
        self.words.spirv.execution_modes.push(mode);
    }

    fn modes(&mut self, entry: Id, info: &KernelInfo) {
        let sizes = |sizes: [u64; 3]| sizes.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        if let Some(required) = info.reqd_work_group_size {
            self.mode(entry, ExecutionMode::LocalSize, &sizes(required));
        }
        if let Some(hint) = info.work_group_size_hint {
            self.mode(entry, ExecutionMode::LocalSizeHint, &sizes(hint));
        }
        if let Some(hint) = info.vec_type_hint.as_deref().and_then(vector_hint) {
            self.mode(entry, ExecutionMode::VecTypeHint, &[hint]);
        }
        // Each operation is rounded by itself.
        self.mode(entry, ExecutionMode::ContractionOff, &[]);
    }

    /// What a program may ask about arguments, in texts as `llvm-spirv` writes them.
    fn describe(&mut self, name: &str, info: &KernelInfo) {
        if info.args.is_empty() {
            return;
        }
        let qualifiers = |arg: &KernelArg| {
            let all = [
                (arg.qualifiers.is_const, "const"),
                (arg.qualifiers.is_restrict, "restrict"),
                (arg.qualifiers.is_volatile, "volatile"),
            ];
            let there = all.iter().filter(|(there, _)| *there);
            let words: Vec<&str> = there.map(|&(_, word)| word).collect();
            words.join(" ")
        };
        let types: String = info
            .args
            .iter()
            .map(|arg| format!("{},", arg.type_name))
            .collect();
        let words: String = info.args.iter().map(|arg| qualifiers(arg) + ",").collect();
        self.words.text(format!("kernel_arg_type.{name}.{types}"));
        self.words
            .text(format!("kernel_arg_type_qual.{name}.{words}"));
    }

    /// The type of a parameter of an entry point.
    pub(super) fn argument(&mut self, arg: &KernelArg) -> Check<Id> {
        let refused = |what: &str| Err(format!("{what} as the argument {}", arg.name));
        Ok(match arg.pass {
            ArgPass::Value(ty) => self.words.ty(ty),
            ArgPass::Aggregate { size, align } => {
                let room = self.words.room(size.into(), align);
                let record = self.words.record(room);
                self.words.pointer_in(StorageClass::Function, record)
            }
            ArgPass::Pointer(space) => self.words.ty(Type::Pointer(space)),
            ArgPass::LocalPointer { align } => {
                let element = self.words.element(align);
                self.words.pointer(AddressSpace::Local, element)
            }
            ArgPass::Image(..) => return refused("an image"),
            ArgPass::Pipe { .. } => return refused("a pipe"),
            ArgPass::Sampler => return refused("a sampler"),
            ArgPass::Queue => return refused("a device queue"),
        })
    }

    /// Says of the parameter of an entry point what its type does not.
    pub(super) fn decorate_argument(&mut self, id: Id, arg: &KernelArg) {
        self.words.name(id, &arg.name);
        if let ArgPass::Aggregate { .. } = arg.pass {
            let by_value = Operand::FunctionParameterAttribute(FunctionParameterAttribute::ByVal);
            self.words
                .decorate(id, Decoration::FuncParamAttr, Some(by_value));
        }
        if arg.qualifiers.is_volatile {
            self.words.decorate(id, Decoration::Volatile, None);
        }
    }

    /// The type of a function.
    pub(super) fn signature(&mut self, ret: Option<Type>, params: &[Id]) -> (Id, Id) {
        let ty = self.words.function(ret, params);
        let ret = match ret {
            Some(ty) => self.words.ty(ty),
            None => self.words.void(),
        };
        (ty, ret)
    }

    /// A variable of the module, with a value where it has one.
    pub(super) fn variable(&mut self, class: StorageClass, ty: Id, initial: Option<Id>) -> Id {
        let pointer = self.words.pointer_in(class, ty);
        let mut operands = vec![Operand::StorageClass(class)];
        operands.extend(ids(initial.as_slice()));
        self.words.global(Op::Variable, Some(pointer), operands)
    }
}

/// Whether a kernel is a block, which only kernels enqueue.
fn is_block(function: &ir::Function) -> bool {
    function.kernel.as_ref().is_some_and(|info| info.is_block)
}

/// How `VecTypeHint` encodes a type.
fn vector_hint(spelled: &str) -> Option<u32> {
    let digits = spelled.trim_start_matches(|c: char| !c.is_ascii_digit());
    let name = spelled.strip_suffix(digits)?;
    let lanes: u32 = if digits.is_empty() {
        1
    } else {
        digits.parse().ok()?
    };
    let names = ["char", "short", "int", "long", "half", "float", "double"];
    let place = names
        .iter()
        .position(|&known| known == name.trim_start_matches('u'))?;
    Some(lanes << 16 | place as u32)
}
