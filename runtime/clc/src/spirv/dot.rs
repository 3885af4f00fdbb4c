//! Dot products of integers: two vectors of four 8-bit integers, or packed into 32 bits each.

use super::function::Body;
use super::reader::result_type;
use super::types::Ty;
use super::{Check, ensure};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op as Code, PackedVectorFormat};
use touchstone_ir::{Lanes, Scalar};

impl Body<'_, '_> {
    /// `OpSDot` and its like: the function `dot` of OpenCL C, whose result has 32 bits, as a number of the result's width.
    pub(super) fn integer_dot(&mut self, inst: &Instruction) -> Check<()> {
        let code = inst.class.opcode;
        let (name, signs) = match code {
            Code::UDot | Code::UDotAccSat => ("udot", [false, false]),
            Code::SUDot | Code::SUDotAccSat => ("sudot", [true, false]),
            _ => ("sdot", [true, true]),
        };
        let accumulates = matches!(
            code,
            Code::SDotAccSat | Code::UDotAccSat | Code::SUDotAccSat
        );
        let is_signed = signs != [false; 2];
        let count = if accumulates { 3 } else { 2 };
        let packed = match inst.operands.get(count) {
            None => false,
            Some(Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit)) => true,
            Some(_) => return Err("this format of packed vectors is not known".into()),
        };
        let mut args = Vec::new();
        let mut vectors = Vec::new();
        for (n, signed) in signs.into_iter().enumerate() {
            let ty = self.reader.ty(self.arg_type(inst, n)?)?;
            let element = if signed { "char4" } else { "uchar4" };
            match ty {
                Ty::Scalar(Scalar::I32) if packed => {
                    vectors.push(format!("as_{element}(a{n})"));
                    args.push(self.c_arg(inst, n, false)?);
                }
                Ty::Vector(Scalar::I8, Lanes::L4) if !packed => {
                    vectors.push(format!("a{n}"));
                    args.push(self.c_arg(inst, n, signed)?);
                }
                _ => {
                    return Err(
                        "only vectors of four 8-bit integers are multiplied, or such as are packed"
                            .into(),
                    );
                }
            }
        }
        let result = self.reader.c_type(result_type(inst)?, is_signed)?;
        let product = format!("({})dot({})", result.text, vectors.join(", "));
        let (name, body) = if accumulates {
            args.push(self.c_arg(inst, 2, is_signed)?);
            ensure!(
                self.arg_type(inst, 2)? == result_type(inst)?,
                "the accumulator has another type than the result"
            );
            (
                format!("{name}_acc_sat"),
                format!("return add_sat({product}, a2);"),
            )
        } else {
            (name.to_owned(), format!("return {product};"))
        };
        self.call_c_text(inst, &name, is_signed, args, &body)
    }
}
