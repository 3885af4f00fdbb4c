//! Constants: what they are as operands, as numbers, and as the initial values of variables.
//!
//! A specialization constant is what the host has set, or else what the module says. An `OpSpecConstantOp` is computed
//! here where a number or an address has to be known (lengths of arrays, initial values); a function computes it where
//! it uses it, as the instruction that it stands for.

use super::function::Body;
use super::reader::{Reader, id, literal, result, result_type};
use super::types::Ty;
use super::variable::Variable;
use super::{Check, ensure};
use crate::lower::Linkage;
use crate::operator::ArithOp;
use crate::types::{Scalar as Number, constant};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{Op as Code, SamplerAddressingMode, SamplerFilterMode, Word};
use std::collections::HashMap;
use touchstone_faults::{Fault, on};
use touchstone_ir::{
    self as ir, AddressSpace, Const, Global, GlobalId, Op, Operand, Reloc, Scalar,
};

/// By the id of a specialization constant, the bits that the host has set.
pub(super) type Given = HashMap<Word, u64>;

/// How many constants one may be computed of, each counted as often as it is used.
const COMPUTED_LIMIT: u32 = 1000;
/// How many parts the value of an array or struct may have, those of its parts among them.
const PARTS_LIMIT: u32 = 1 << 28;
/// The largest initial value that is not zero, in bytes.
const INITIAL_LIMIT: u64 = 1 << 28;

/// A constant of the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant<'m> {
    inst: &'m Instruction,
    /// Itself and the constants that it is made of, each as often as it is used.
    made_of: u32,
}

/// What a scalar or pointer constant is.
#[derive(Clone, Copy, Debug)]
enum Folded {
    Bits(u64),
    /// So many bytes behind a variable.
    Address(GlobalId, i64),
}

/// The first bytes of a variable.
#[derive(Debug, Default)]
pub(super) struct Initial {
    pub(super) bytes: Vec<u8>,
    pub(super) relocs: Vec<Reloc>,
}

/// A scalar as the front end computes with it.
fn number(scalar: Scalar, signed: bool) -> Number {
    match (scalar, signed) {
        (Scalar::Bool, _) => Number::Bool,
        (Scalar::I8, true) => Number::Char,
        (Scalar::I8, false) => Number::UChar,
        (Scalar::I16, true) => Number::Short,
        (Scalar::I16, false) => Number::UShort,
        (Scalar::I32, true) => Number::Int,
        (Scalar::I32, false) => Number::UInt,
        (Scalar::I64, true) => Number::Long,
        (Scalar::I64, false) => Number::ULong,
        (Scalar::F16, _) => Number::Half,
        (Scalar::F32, _) => Number::Float,
        (Scalar::F64, _) => Number::Double,
    }
}

/// Arithmetic that is known here: the operator, and whether its operands have signs.
fn arithmetic(code: Code) -> Option<(ArithOp, bool)> {
    Some(match code {
        Code::IAdd | Code::FAdd => (ArithOp::Add, false),
        Code::ISub | Code::FSub => (ArithOp::Sub, false),
        Code::IMul | Code::FMul => (ArithOp::Mul, false),
        Code::UDiv | Code::FDiv => (ArithOp::Div, false),
        Code::SDiv => (ArithOp::Div, true),
        Code::UMod => (ArithOp::Rem, false),
        Code::SRem => (ArithOp::Rem, true),
        Code::ShiftLeftLogical => (ArithOp::Shl, false),
        Code::ShiftRightLogical => (ArithOp::Shr, false),
        Code::ShiftRightArithmetic => (ArithOp::Shr, true),
        Code::BitwiseAnd | Code::LogicalAnd => (ArithOp::And, false),
        Code::BitwiseOr | Code::LogicalOr => (ArithOp::Or, false),
        Code::BitwiseXor | Code::LogicalNotEqual => (ArithOp::Xor, false),
        _ => return None,
    })
}

impl<'m> Reader<'m> {
    /// Notes a constant. What it is made of stands before it, so no constant is made of itself, and what it takes to
    /// compute it or to write it has a limit.
    pub(super) fn declare_constant(&mut self, inst: &'m Instruction) -> Check<()> {
        self.ty(result_type(inst)?)?;
        let own = result(inst)?;
        let computed = self.parsed.constant_ops.get(&own);
        let mut made_of = 1u32;
        for operand in &computed.unwrap_or(inst).operands {
            let dr::Operand::IdRef(part) = operand else {
                continue;
            };
            let known = self.constants.get(part).map(|part| part.made_of);
            let known = known.or_else(|| self.variables.contains_key(part).then_some(1));
            let Some(parts) = known else {
                let part = self.name(*part);
                return Err(format!("{part} is no constant or variable before it"));
            };
            made_of = made_of.saturating_add(parts);
        }
        let limit = match computed {
            Some(_) => COMPUTED_LIMIT,
            None => PARTS_LIMIT,
        };
        ensure!(
            made_of <= limit,
            "this is made of more than {limit} other constants"
        );
        self.constants.insert(own, Constant { inst, made_of });
        Ok(())
    }
}

impl Reader<'_> {
    /// The integer that a constant is, as its bits.
    pub(super) fn integer(&self, id: Word) -> Check<u64> {
        match self.fold(id)? {
            Folded::Bits(bits) => Ok(bits),
            Folded::Address(..) => Err(format!("{} is an address", self.name(id))),
        }
    }

    /// The integer that an id is, with its sign, where it is a constant.
    pub(super) fn index(&self, id: Word) -> Check<Option<i64>> {
        if !self.constants.contains_key(&id) {
            return Ok(None);
        }
        let bits = self.integer(id)?;
        let scalar = self.scalar_of(id)?;
        let signed = constant::extend(bits, number(scalar, true));
        Ok(Some(signed as i64))
    }

    /// The scalar that the type of a value is.
    fn scalar_of(&self, id: Word) -> Check<Scalar> {
        match self.ty(self.type_of(id)?)? {
            Ty::Scalar(scalar) => Ok(scalar),
            _ => Err(format!("{} is no scalar", self.name(id))),
        }
    }

    fn fold(&self, id: Word) -> Check<Folded> {
        if let Some(Variable::Global(global, _)) = self.variables.get(&id) {
            return Ok(Folded::Address(*global, 0));
        }
        let Some(Constant { inst, .. }) = self.constants.get(&id) else {
            return Err(format!("{} is no constant", self.name(id)));
        };
        if let Some(inst) = self.parsed.constant_ops.get(&id) {
            let folded = self.fold_op(inst);
            return folded.map_err(|message| self.at(inst, &message));
        }
        let given = self.given.get(&id).copied();
        let bits = match inst.class.opcode {
            Code::ConstantTrue => 1,
            Code::SpecConstantTrue if on(Fault::FlagConstantStays) => 1,
            Code::SpecConstantTrue => given.map_or(1, |bits| u64::from(bits != 0)),
            Code::SpecConstantFalse => given.map_or(0, |bits| u64::from(bits != 0)),
            Code::ConstantFalse | Code::ConstantNull | Code::Undef => 0,
            Code::Constant | Code::SpecConstant => {
                let own = match inst.operands.first() {
                    Some(dr::Operand::LiteralBit32(bits)) => u64::from(*bits),
                    Some(dr::Operand::LiteralBit64(bits)) => *bits,
                    _ => return Err(format!("{} has no value", self.name(id))),
                };
                given.unwrap_or(own) & self.scalar_of(id)?.mask()
            }
            Code::ConstantSampler => sampler(inst)?,
            _ => return Err(format!("{} is no number", self.name(id))),
        };
        Ok(Folded::Bits(bits))
    }

    fn fold_op(&self, inst: &Instruction) -> Check<Folded> {
        let code = inst.class.opcode;
        let fold = |n: usize| self.fold(id(inst, n)?);
        let bits = |n: usize| match fold(n)? {
            Folded::Bits(bits) => Ok(bits),
            Folded::Address(..) => Err("this is not computed of addresses".to_owned()),
        };
        let own = || match self.ty(result_type(inst)?)? {
            Ty::Scalar(scalar) => Ok(scalar),
            _ => Err("this is computed in functions only".to_owned()),
        };
        let from = || self.scalar_of(id(inst, 0)?);
        if let Some((op, signed)) = arithmetic(code) {
            let folded = constant::arith(op, number(own()?, signed), bits(0)?, bits(1)?);
            return folded
                .map(Folded::Bits)
                .ok_or_else(|| "division by zero".into());
        }
        let converted = |signed_from, signed_to| {
            let (from, to) = (number(from()?, signed_from), number(own()?, signed_to));
            let folded = constant::convert(bits(0)?, from, to);
            folded.ok_or_else(|| String::from("the number does not fit"))
        };
        Ok(Folded::Bits(match code {
            Code::UConvert | Code::FConvert | Code::ConvertUToF | Code::ConvertFToU => {
                converted(false, false)?
            }
            Code::SConvert | Code::ConvertSToF | Code::ConvertFToS => converted(true, true)?,
            Code::SNegate => bits(0)?.wrapping_neg() & own()?.mask(),
            Code::Not | Code::LogicalNot => !bits(0)? & own()?.mask(),
            Code::IEqual | Code::LogicalEqual => u64::from(bits(0)? == bits(1)?),
            Code::INotEqual => u64::from(bits(0)? != bits(1)?),
            Code::ULessThan => u64::from(bits(0)? < bits(1)?),
            Code::UGreaterThan => u64::from(bits(0)? > bits(1)?),
            Code::ULessThanEqual => u64::from(bits(0)? <= bits(1)?),
            Code::UGreaterThanEqual => u64::from(bits(0)? >= bits(1)?),
            Code::Select => return fold(if bits(0)? != 0 { 1 } else { 2 }),
            Code::Bitcast
            | Code::PtrCastToGeneric
            | Code::GenericCastToPtr
            | Code::ConvertPtrToU
            | Code::ConvertUToPtr => return fold(0),
            Code::AccessChain
            | Code::InBoundsAccessChain
            | Code::PtrAccessChain
            | Code::InBoundsPtrAccessChain => {
                let Folded::Address(global, offset) = fold(0)? else {
                    return Err("its base is no variable".into());
                };
                let more = self.constant_offset(inst)?;
                return Ok(Folded::Address(global, offset.wrapping_add(more)));
            }
            _ => return Err("this is not computed before the program runs".into()),
        }))
    }

    /// What an access chain of constants adds to its base, in bytes.
    fn constant_offset(&self, inst: &Instruction) -> Check<i64> {
        let element = matches!(
            inst.class.opcode,
            Code::PtrAccessChain | Code::InBoundsPtrAccessChain
        );
        let (mut ty, _) = self.pointer(self.type_of(id(inst, 0)?)?)?;
        let mut offset = 0i64;
        for n in 1..inst.operands.len() {
            let Some(index) = self.index(id(inst, n)?)? else {
                return Err("an index is no constant".into());
            };
            let bytes = if element && n == 1 {
                let size = self.layout(ty)?.size;
                index.wrapping_mul(size as i64)
            } else {
                let part;
                (ty, part) = self.part(ty, index as u64)?;
                part as i64
            };
            offset = offset.wrapping_add(bytes);
        }
        Ok(offset)
    }

    /// The initial value that a constant is.
    pub(super) fn initial(&self, id: Word) -> Check<Initial> {
        let mut initial = Initial::default();
        self.write(id, 0, &mut initial)?;
        Ok(initial)
    }

    fn write(&self, id: Word, offset: u64, to: &mut Initial) -> Check<()> {
        let ty = self.type_of(id)?;
        let shape = self.ty(ty)?;
        if let Some(Constant { inst, .. }) = self.constants.get(&id)
            && is_composite(inst.class.opcode)
        {
            for n in 0..inst.operands.len() {
                let part = super::reader::id(inst, n)?;
                let at = match shape {
                    Ty::Vector(scalar, lanes) if n < lanes.count() as usize => {
                        ensure!(
                            self.scalar_of(part)? == scalar,
                            "part {n} of {} is of another type",
                            self.name(id)
                        );
                        n as u64 * u64::from(scalar.size())
                    }
                    _ => {
                        let (part_ty, at) = self.part(ty, n as u64)?;
                        ensure!(
                            self.type_of(part)? == part_ty,
                            "part {n} of {} is of another type",
                            self.name(id)
                        );
                        at
                    }
                };
                self.write(part, offset + at, to)?;
            }
            return Ok(());
        }
        if self.is_null(id) {
            return Ok(());
        }
        let size = self.layout(ty)?.size as usize;
        match self.fold(id)? {
            Folded::Bits(0) => {}
            Folded::Bits(bits) => {
                let end = offset + size as u64;
                ensure!(
                    end <= INITIAL_LIMIT && size <= 8,
                    "an initial value of more than {INITIAL_LIMIT} bytes"
                );
                let (from, end) = (offset as usize, end as usize);
                if to.bytes.len() < end {
                    to.bytes.resize(end, 0);
                }
                to.bytes[from..end].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
            Folded::Address(target, addend) => {
                ensure!(size == 8, "{} is no pointer", self.name(id));
                to.relocs.push(Reloc {
                    offset,
                    target,
                    addend,
                });
            }
        }
        Ok(())
    }

    /// Whether a constant is all zero by what it is.
    fn is_null(&self, id: Word) -> bool {
        let null = |constant: &Constant<'_>| {
            matches!(constant.inst.class.opcode, Code::ConstantNull | Code::Undef)
                && !self.parsed.constant_ops.contains_key(&id)
        };
        self.constants.get(&id).is_some_and(null)
    }

    /// A variable of the unit that nobody names.
    fn add_hidden(&mut self, ty: Word, initial: Initial) -> Check<GlobalId> {
        let layout = self.layout(ty)?;
        self.lowered.globals.push(Linkage {
            name: String::new(),
            external: false,
            defined: true,
            shared: false,
        });
        Ok(self.lowered.module.add_global(Global {
            name: String::new(),
            space: AddressSpace::Constant,
            size: layout.size,
            align: layout.align,
            init: initial.bytes,
            relocs: initial.relocs,
        }))
    }
}

fn is_composite(code: Code) -> bool {
    matches!(code, Code::ConstantComposite | Code::SpecConstantComposite)
}

/// The bits of a sampler, as the constants of OpenCL C encode them.
fn sampler(inst: &Instruction) -> Check<u64> {
    let [
        dr::Operand::SamplerAddressingMode(addressing),
        dr::Operand::LiteralBit32(normalized),
        dr::Operand::SamplerFilterMode(filter),
    ] = inst.operands[..]
    else {
        return Err("a sampler without its properties".into());
    };
    let addressing = match addressing {
        SamplerAddressingMode::None => 0,
        SamplerAddressingMode::ClampToEdge => 2,
        SamplerAddressingMode::Clamp => 4,
        SamplerAddressingMode::Repeat => 6,
        SamplerAddressingMode::RepeatMirrored => 8,
    };
    let filter = match filter {
        SamplerFilterMode::Nearest => 16,
        SamplerFilterMode::Linear => 32,
    };
    Ok(addressing | filter | u64::from(normalized != 0))
}

impl Body<'_, '_> {
    /// A constant as an operand. One of several numbers is made where it is used; the value of an array or struct is
    /// a variable that is never written.
    pub(super) fn constant(&mut self, id: Word) -> Check<Operand> {
        if let Some(inst) = self.reader.parsed.constant_ops.get(&id) {
            self.instruction(inst)?;
            // It is computed anew at each use: this one need not come before the next.
            let value = self.values.remove(&id);
            let value = value.ok_or_else(|| String::from("it computes nothing"))?;
            return self.operand_of(&value);
        }
        let ty = self.reader.type_of(id)?;
        let shape = self.reader.ty(ty)?;
        match shape {
            Ty::Vector(scalar, lanes) => {
                let register = self.reader.register(ty)?;
                let element = register.element().unwrap_or(scalar);
                let parts = self.elements(id, scalar, lanes.count())?;
                let parts: Vec<Operand> = parts
                    .into_iter()
                    .map(|bits| Const::scalar(element, bits).into())
                    .collect();
                let op = match parts.split_first() {
                    Some((&first, rest)) if rest.iter().all(|&part| part == first) => {
                        Op::Splat(first)
                    }
                    _ => Op::Construct(parts),
                };
                Ok(self.b.emit(register, op).into())
            }
            Ty::Array { .. } | Ty::Struct(_) => {
                let known = self.reader.hidden.get(&id).copied();
                let global = match known {
                    Some(global) => global,
                    None => {
                        let initial = self.reader.initial(id)?;
                        let global = self.reader.add_hidden(ty, initial)?;
                        self.reader.hidden.insert(id, global);
                        global
                    }
                };
                Ok(self.b.global_addr(global, AddressSpace::Constant).into())
            }
            _ => {
                let bits = self.reader.integer(id)?;
                Ok(match self.reader.register(ty)? {
                    ir::Type::Scalar(scalar) => Const::scalar(scalar, bits).into(),
                    ir::Type::Pointer(space) => Const::Null(space).into(),
                    ir::Type::Vector(..) => return Err("a vector is no scalar".into()),
                })
            }
        }
    }

    /// The bits of the elements of a vector; those of booleans are 0 or all 1.
    fn elements(&self, id: Word, scalar: Scalar, lanes: u32) -> Check<Vec<u64>> {
        if self.reader.is_null(id) {
            return Ok(vec![0; lanes as usize]);
        }
        let inst = self.reader.constants.get(&id).map(|known| known.inst);
        let inst = inst.filter(|inst| is_composite(inst.class.opcode));
        let Some(inst) = inst.filter(|inst| inst.operands.len() == lanes as usize) else {
            return Err(format!(
                "{} is no vector of {lanes} constants",
                self.reader.name(id)
            ));
        };
        let bits = (0..inst.operands.len()).map(|n| {
            let bits = self.reader.integer(super::reader::id(inst, n)?)?;
            Ok(match scalar {
                Scalar::Bool => bits.wrapping_neg(),
                _ => bits,
            })
        });
        bits.collect()
    }

    /// The number that an operand of an instruction is, where a constant has to stand.
    pub(super) fn constant_operand(&self, inst: &Instruction, n: usize) -> Check<Option<u64>> {
        let id = id(inst, n)?;
        match self.reader.constants.contains_key(&id) {
            true => self.reader.integer(id).map(Some),
            false => Ok(None),
        }
    }

    /// The number of a literal operand.
    pub(super) fn literals(inst: &Instruction, from: usize) -> Check<Vec<u32>> {
        (from..inst.operands.len())
            .map(|n| literal(inst, n))
            .collect()
    }
}
