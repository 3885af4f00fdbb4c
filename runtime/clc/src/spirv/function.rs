//! Functions: their signatures, the values in them, calls.
//!
//! A value of an array or struct is private memory, as it travels between functions of OpenCL C: the receiver owns it,
//! and a result has room in a first, hidden argument.

use super::flow::Phi;
use super::reader::{Reader, id, result, result_type};
use super::types::Ty;
use super::variable::Variable;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{Op as Code, Word};
use std::collections::HashMap;
use std::rc::Rc;
use touchstone_ir::{
    self as ir, AddressSpace, BlockId, Const, FuncId, Function, FunctionBuilder, Loc, Op, Operand,
    Query,
};

/// A function as its callers know it.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) id: FuncId,
    pub(super) params: Rc<[Word]>,
    pub(super) ret: Word,
}

/// What an id is in a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A value; of an array or struct its address.
    Operand(Operand),
    /// A pointer to a built-in variable of a type.
    Input(Query, Word),
    /// A pointer to the element of a built-in variable that an id names.
    InputElement(Query, Word, Word),
    /// The address of one that a function of OpenCL C gives the value of.
    Mask(&'static str),
    /// The value of a built-in variable of a type, which is asked for where it is needed.
    Asked(Query, Word),
    /// An image, its type, and a sampler.
    Sampled(Operand, Word, Operand),
}

/// A function being read.
pub(super) struct Body<'r, 'm> {
    pub(super) reader: &'r mut Reader<'m>,
    pub(super) b: FunctionBuilder,
    pub(super) values: HashMap<Word, Value>,
    /// By label.
    pub(super) blocks: HashMap<Word, BlockId>,
    /// By label, what the blocks before it write.
    pub(super) phis: HashMap<Word, Vec<Phi>>,
    /// The label of the block being read.
    pub(super) label: Word,
    /// Where an array or struct goes that the function returns.
    pub(super) result: Option<Operand>,
}

impl Reader<'_> {
    /// The type of the register of a parameter.
    fn parameter(&self, ty: Word) -> Check<ir::Type> {
        match self.ty(ty)?.is_aggregate() {
            true => Ok(ir::Type::Pointer(AddressSpace::Private)),
            false => self.register(ty),
        }
    }

    /// Notes a function with its signature.
    pub(super) fn declare_function(&mut self, function: &dr::Function) -> Check<()> {
        let def = function.def.as_ref().ok_or("a function without a head")?;
        let declared = self.declaration(def, function);
        declared.map_err(|message| self.at(def, &message))
    }

    fn declaration(&mut self, def: &Instruction, function: &dr::Function) -> Check<()> {
        let own = result(def)?;
        let Ty::Function { ret, params } = self.ty(id(def, 1)?)? else {
            return Err("its type is that of no function".into());
        };
        ensure!(
            result_type(def)? == ret && params.len() == function.parameters.len(),
            "its parameters or result are not those of its type"
        );
        let mut registers = Vec::with_capacity(params.len() + 1);
        let result = match self.ty(ret)? {
            Ty::Void => None,
            shape if shape.is_aggregate() => {
                registers.push(ir::Type::Pointer(AddressSpace::Private));
                None
            }
            _ => Some(self.register(ret)?),
        };
        for (&ty, param) in params.iter().zip(&function.parameters) {
            ensure!(
                result_type(param)? == ty,
                "a parameter is not of the function's type"
            );
            registers.push(self.parameter(ty)?);
        }
        let linkage = self.linkage(own, !function.blocks.is_empty())?;
        let name = match linkage.name.as_str() {
            "" => format!("%{own}"),
            name => name.to_owned(),
        };
        self.lowered.functions.push(linkage);
        let declared = Function::declare(name, &registers, result);
        let callee = Callee {
            id: self.lowered.module.add_function(declared),
            params,
            ret,
        };
        self.functions.insert(own, callee);
        Ok(())
    }

    /// Reads a function that has been declared.
    pub(super) fn define_function(&mut self, function: &dr::Function) -> Check<()> {
        let def = function.def.as_ref().ok_or("a function without a head")?;
        let own = result(def)?;
        let Some(callee) = self.functions.get(&own).cloned() else {
            return Err(format!("{} is not declared", self.name(own)));
        };
        if function.blocks.is_empty() {
            return Ok(());
        }
        let declared = self.lowered.module.functions[callee.id.0 as usize].clone();
        let name = self.name(own);
        let mut body = Body {
            reader: self,
            b: FunctionBuilder::define(declared),
            values: HashMap::new(),
            blocks: HashMap::new(),
            phis: HashMap::new(),
            label: 0,
            result: None,
        };
        let read = body.fill(function, &callee);
        let read = read.map(|()| body.b.finish());
        let place = |message: String| format!("in the function {name}: {message}");
        self.lowered.module.functions[callee.id.0 as usize] = read.map_err(place)?;
        Ok(())
    }

    /// Checks what was read against the rules of the IR, which the module's own rules imply.
    pub(super) fn check_rules(&self) -> Check<()> {
        let module = &self.lowered.module;
        ir::validate::variables(module).map_err(|error| error.to_string())?;
        let defined = module.functions.iter().zip(&self.lowered.functions);
        for (function, _) in defined.filter(|(_, linkage)| linkage.defined) {
            ir::validate::function(module, function).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Body<'_, '_> {
    fn fill(&mut self, function: &dr::Function, callee: &Callee) -> Check<()> {
        let hidden = usize::from(self.reader.ty(callee.ret)?.is_aggregate());
        if hidden == 1 {
            self.result = Some(self.b.param(0).into());
        }
        for (n, param) in function.parameters.iter().enumerate() {
            let name = self.reader.source_name(result(param)?).to_owned();
            let register = self.b.param(n + hidden);
            if !name.is_empty() {
                self.b.function_mut().regs[register.0 as usize].variable = Some(name);
            }
            self.values
                .insert(result(param)?, Value::Operand(register.into()));
        }
        self.blocks(function)
    }

    /// What an id is.
    pub(super) fn value(&mut self, id: Word) -> Check<Value> {
        if let Some(value) = self.values.get(&id) {
            return Ok(*value);
        }
        if let Some(&variable) = self.reader.variables.get(&id) {
            return Ok(self.variable(variable));
        }
        if self.reader.constants.contains_key(&id) {
            return self.constant(id).map(Value::Operand);
        }
        let name = self.reader.name(id);
        Err(match self.reader.functions.contains_key(&id) {
            true => format!("{name} is a function; pointers to functions are not supported"),
            false => format!("{name} is used before it is computed"),
        })
    }

    /// A value as an operand; that of an array or struct is its address.
    pub(super) fn operand(&mut self, id: Word) -> Check<Operand> {
        let value = self.value(id)?;
        self.operand_of(&value)
    }

    pub(super) fn operand_of(&mut self, value: &Value) -> Check<Operand> {
        match *value {
            Value::Operand(operand) => Ok(operand),
            Value::Asked(query, ty) => self.ask(query, ty),
            Value::Input(..) | Value::InputElement(..) | Value::Mask(_) => {
                Err("a built-in variable is only loaded from".into())
            }
            Value::Sampled(..) => Err("an image with a sampler is only read".into()),
        }
    }

    /// An operand of an instruction.
    pub(super) fn arg(&mut self, inst: &Instruction, n: usize) -> Check<Operand> {
        let id = id(inst, n)?;
        self.operand(id)
    }

    /// The type of an operand of an instruction.
    pub(super) fn arg_type(&self, inst: &Instruction, n: usize) -> Check<Word> {
        self.reader.type_of(id(inst, n)?)
    }

    /// The register type of what an instruction computes.
    pub(super) fn own_type(&self, inst: &Instruction) -> Check<ir::Type> {
        self.reader.register(result_type(inst)?)
    }

    /// Notes what an instruction computes.
    pub(super) fn set(&mut self, inst: &Instruction, value: impl Into<Operand>) -> Check<()> {
        self.values
            .insert(result(inst)?, Value::Operand(value.into()));
        Ok(())
    }

    /// Reads an instruction that ends no block.
    pub(super) fn instruction(&mut self, inst: &Instruction) -> Check<()> {
        let read = self.dispatch(inst);
        read.map_err(|message| self.reader.at(inst, &message))
    }

    fn dispatch(&mut self, inst: &Instruction) -> Check<()> {
        match inst.class.opcode {
            Code::Nop | Code::NoLine | Code::Phi => return Ok(()),
            Code::LoopMerge | Code::SelectionMerge => return Ok(()),
            // Advice to optimizers.
            Code::LifetimeStart | Code::LifetimeStop | Code::AssumeTrueKHR => return Ok(()),
            Code::Line => {
                let [line, column] = [1, 2].map(|n| super::reader::literal(inst, n));
                self.b.set_loc(Loc::new(line?, column?));
                return Ok(());
            }
            Code::FunctionCall => return self.call(inst),
            Code::Undef => {
                let ty = result_type(inst)?;
                let undefined = match self.reader.ty(ty)?.is_aggregate() {
                    true => self.room(ty)?,
                    false => {
                        let register = self.reader.register(ty)?;
                        self.zero(register)
                    }
                };
                return self.set(inst, undefined);
            }
            Code::CopyObject | Code::CopyLogical | Code::ExpectKHR => {
                let value = self.value(id(inst, 0)?)?;
                self.values.insert(result(inst)?, value);
                return Ok(());
            }
            Code::ExtInst => return self.extended(inst),
            _ => {}
        }
        let read = self.arithmetic(inst)?
            || self.conversion(inst)?
            || self.composite(inst)?
            || self.memory(inst)?
            || self.pointer(inst)?
            || self.atomic(inst)?
            || self.group(inst)?
            || self.present(inst)?
            || self.image(inst)?;
        ensure!(read, "this instruction is not supported");
        Ok(())
    }

    /// The zero of a register type.
    pub(super) fn zero(&mut self, ty: ir::Type) -> Operand {
        match ty {
            ir::Type::Scalar(scalar) => Const::scalar(scalar, 0).into(),
            ir::Type::Pointer(space) => Const::Null(space).into(),
            ir::Type::Vector(scalar, lanes) => self.b.splat(Const::scalar(scalar, 0), lanes).into(),
        }
    }

    /// New private memory for a value of a type; its address.
    pub(super) fn room(&mut self, ty: Word) -> Check<Operand> {
        let layout = self.reader.layout(ty)?;
        self.room_of("", layout.size, layout.align)
    }

    /// New private memory; its address.
    pub(super) fn room_of(&mut self, name: &str, size: u64, align: u32) -> Check<Operand> {
        let Ok(size) = u32::try_from(size) else {
            return Err(format!("{size} bytes of private memory are too many"));
        };
        let slot = self.b.slot(name, size, align);
        Ok(self.b.slot_addr(slot).into())
    }

    /// Copies the value of an array or struct between addresses.
    pub(super) fn copy(&mut self, ty: Word, to: Operand, from: Operand) -> Check<()> {
        let align = self.reader.layout(ty)?.align;
        self.copy_aligned(ty, to, from, align)
    }

    /// Copies as many bytes as a type has between addresses that are known to be aligned so.
    pub(super) fn copy_aligned(
        &mut self,
        ty: Word,
        dst: Operand,
        src: Operand,
        align: u32,
    ) -> Check<()> {
        let size = self.reader.layout(ty)?.size;
        self.b.push(Op::MemCopy {
            dst,
            src,
            size: Const::i64(size as i64).into(),
            align,
        });
        Ok(())
    }

    /// A copy of the value of an array or struct, for somebody else to own.
    pub(super) fn copied(&mut self, ty: Word, from: Operand) -> Check<Operand> {
        let room = self.room(ty)?;
        self.copy(ty, room, from)?;
        Ok(room)
    }

    fn call(&mut self, inst: &Instruction) -> Check<()> {
        let function = id(inst, 0)?;
        let Some(callee) = self.reader.functions.get(&function).cloned() else {
            return Err(format!("{} is no function", self.reader.name(function)));
        };
        let given = inst.operands.len() - 1;
        ensure!(
            given == callee.params.len(),
            "{given} arguments for {} parameters",
            callee.params.len()
        );
        let shape = self.reader.ty(callee.ret)?;
        let mut args = Vec::with_capacity(given + 1);
        let room = match shape.is_aggregate() {
            true => Some(self.room(callee.ret)?),
            false => None,
        };
        args.extend(room);
        for (n, &ty) in callee.params.iter().enumerate() {
            let mut arg = self.arg(inst, n + 1)?;
            if self.reader.ty(ty)?.is_aggregate() {
                arg = self.copied(ty, arg)?;
            }
            args.push(arg);
        }
        let ret = match shape {
            Ty::Void => None,
            _ if room.is_some() => None,
            _ => Some(self.reader.register(callee.ret)?),
        };
        let value = self.b.call(callee.id, args, ret);
        match room.or(value.map(Operand::from)) {
            Some(value) => self.set(inst, value),
            None => Ok(()),
        }
    }

    /// The global variable that an id is, if it is one in memory.
    pub(super) fn is_input(&self, id: Word) -> bool {
        matches!(self.reader.variables.get(&id), Some(Variable::Input(..)))
    }
}
