//! The instructions of `OpenCL.std`, each of which is a built-in function of OpenCL C.
//!
//! Their names are those of the functions, but for a prefix where integers have signs (`s_`) or have not (`u_`), and
//! for some that are told apart by their types in OpenCL C.

use super::convert::rounding;
use super::function::Body;
use super::reader::{Reader, id, result};
use super::types::Ty;
use super::wrap::C;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::grammar::ext_inst_table;
use rspirv::spirv::FPRoundingMode;
use touchstone_ir::{self as ir, NumKind, Op, Operand, Rounding, Scalar};

/// A set of extended instructions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Set {
    OpenCl,
    /// What it says is for debuggers and tools.
    Remarks,
}

/// The set that has the instructions of OpenCL.
pub(super) const OPENCL: &str = "OpenCL.std";

impl Reader<'_> {
    /// Notes a set of extended instructions.
    pub(super) fn import(&mut self, inst: &Instruction) -> Check<()> {
        let Some(dr::Operand::LiteralString(name)) = inst.operands.first() else {
            return Err("OpExtInstImport without a name".into());
        };
        let set = match name.as_str() {
            OPENCL => Set::OpenCl,
            "DebugInfo" | "OpenCL.DebugInfo.100" => Set::Remarks,
            name if name.starts_with("NonSemantic.") => Set::Remarks,
            _ => {
                return Err(format!(
                    "OpExtInstImport {name:?}: this set is not supported"
                ));
            }
        };
        self.sets.insert(result(inst)?, set);
        Ok(())
    }
}

/// A function of OpenCL C, and which of its integers have signs.
struct Named {
    name: String,
    args: bool,
    result: bool,
}

/// The function that an instruction is, by its name.
fn named(instruction: &str) -> Named {
    let (signed, base) = match instruction.split_at_checked(2) {
        Some(("u_", base)) => (false, base),
        Some(("s_", base)) => (true, base),
        _ => (true, instruction),
    };
    let name = match base {
        "fclamp" => "clamp",
        "fmax_common" => "max",
        "fmin_common" => "min",
        other => other,
    };
    Named {
        name: name.to_owned(),
        args: signed && name != "nan",
        // A magnitude has no sign.
        result: signed && !matches!(name, "abs" | "abs_diff"),
    }
}

/// How `vstore_half…` spells a rounding.
fn suffix(mode: FPRoundingMode) -> &'static str {
    match rounding(mode) {
        Rounding::NearestEven | Rounding::Default => "_rte",
        Rounding::TowardZero => "_rtz",
        Rounding::Up => "_rtp",
        Rounding::Down => "_rtn",
    }
}

impl Body<'_, '_> {
    /// Reads an extended instruction.
    pub(super) fn extended(&mut self, inst: &Instruction) -> Check<()> {
        match self.reader.sets.get(&id(inst, 0)?) {
            Some(Set::OpenCl) => {}
            Some(Set::Remarks) => return Ok(()),
            None => return Err(format!("{} is no set", self.arg_name(inst, 0))),
        }
        let Some(dr::Operand::LiteralExtInstInteger(number)) = inst.operands.get(1) else {
            return Err("an extended instruction without a number".into());
        };
        let table = ext_inst_table(OPENCL);
        let Some(known) = table.and_then(|table| table.lookup_opcode(*number)) else {
            return Err(format!("{OPENCL} has no instruction {number}"));
        };
        let read = self.opencl(inst, known.opname);
        read.map_err(|message| format!("{OPENCL} {}: {message}", known.opname))
    }

    fn opencl(&mut self, inst: &Instruction, instruction: &str) -> Check<()> {
        match instruction {
            "printf" => return self.printf(inst),
            // Advice.
            "prefetch" => return Ok(()),
            "vloadn" | "vload_half" | "vload_halfn" | "vloada_halfn" => {
                return self.vector_load(inst, instruction);
            }
            _ if instruction.starts_with("vstore") => {
                return self.vector_store(inst, instruction);
            }
            _ => {}
        }
        let named = named(instruction);
        let count = inst.operands.len() - 2;
        let mut args = Vec::with_capacity(count);
        for n in 0..count {
            let last = n + 1 == count;
            let signed = match named.name.as_str() {
                // Which elements, and the low half, are numbers without sign.
                "shuffle" | "shuffle2" | "upsample" if last => false,
                _ => named.args,
            };
            args.push(self.c_arg(inst, n + 2, signed)?);
        }
        self.call_c(inst, &named.name, named.result, args)
    }

    /// `vload…(offset, p)`, with a number of elements where the result is a vector.
    fn vector_load(&mut self, inst: &Instruction, instruction: &str) -> Check<()> {
        let name = match instruction.strip_suffix('n') {
            Some(base) => format!("{base}{}", lanes(number(inst, 4)?)),
            None => instruction.to_owned(),
        };
        let args = vec![self.c_arg(inst, 2, false)?, self.c_arg(inst, 3, true)?];
        self.call_c(inst, &name, true, args)
    }

    /// `vstore…(data, offset, p)`, with a rounding where it is of halves.
    fn vector_store(&mut self, inst: &Instruction, instruction: &str) -> Check<()> {
        let (base, mode) = match instruction.strip_suffix("_r") {
            Some(base) => match FPRoundingMode::from_u32(number(inst, 5)?) {
                Some(mode) => (base, suffix(mode)),
                None => return Err("it has no rounding".into()),
            },
            None => (instruction, ""),
        };
        let count = match self.reader.ty(self.arg_type(inst, 2)?)? {
            Ty::Vector(_, lanes) => lanes.count(),
            _ => 1,
        };
        let name = match base.strip_suffix('n') {
            Some(base) => format!("{base}{}{mode}", lanes(count)),
            None => format!("{base}{mode}"),
        };
        let args: Vec<(Operand, C)> = vec![
            self.c_arg(inst, 2, true)?,
            self.c_arg(inst, 3, false)?,
            self.c_arg(inst, 4, true)?,
        ];
        self.call_c(inst, &name, true, args)
    }

    /// `printf`, whose arguments are promoted as those of OpenCL C are.
    fn printf(&mut self, inst: &Instruction) -> Check<()> {
        let format = self.arg(inst, 2)?;
        ensure!(
            self.b.type_of(format).space().is_some(),
            "the format is no pointer"
        );
        let wide = match self.reader.language.fp64 {
            true => ir::Type::F64,
            false => ir::Type::F32,
        };
        let mut args = Vec::new();
        for n in 3..inst.operands.len() {
            let arg = self.arg(inst, n)?;
            args.push(match self.b.type_of(arg) {
                ir::Type::BOOL => self.truth_as_int(arg)?,
                ir::Type::Scalar(Scalar::F16 | Scalar::F32) => match self.b.type_of(arg) == wide {
                    true => arg,
                    false => self
                        .b
                        .convert(arg, NumKind::Float, wide, NumKind::Float)
                        .into(),
                },
                ir::Type::Scalar(Scalar::I8 | Scalar::I16) => {
                    self.integer_as(arg, ir::Type::I32, NumKind::Signed)
                }
                _ => arg,
            });
        }
        let printed = self.b.emit(ir::Type::I32, Op::Printf { format, args });
        self.set(inst, printed)
    }
}

/// An operand that is a number: the crate takes all operands of extended instructions for ids.
fn number(inst: &Instruction, n: usize) -> Check<u32> {
    id(inst, n)
}

/// How a name ends that has a number of elements.
fn lanes(count: u32) -> String {
    match count {
        1 => String::new(),
        count => count.to_string(),
    }
}
