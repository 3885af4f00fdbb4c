//! Images and samplers: the functions of OpenCL C.
//!
//! An instruction does not say whether the elements of an image have signs, and OpenCL C has a function for each: which
//! it is, the image tells.

use super::function::{Body, Value};
use super::reader::{id, result_type};
use super::types::Ty;
use super::wrap::C;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{ImageOperands, Op as Code, Word};
use touchstone_ir::{self as ir, Const, ImageKind, Op, Operand, Scalar};

/// What precedes the numbers of `ImageChannelOrder` and of `ImageChannelDataType` in OpenCL C.
const ORDERS: &str = "CLK_R";
const DATA_TYPES: &str = "CLK_SNORM_INT8";

impl Body<'_, '_> {
    /// Reads an instruction about images; false if it is none.
    pub(super) fn image(&mut self, inst: &Instruction) -> Check<bool> {
        match inst.class.opcode {
            Code::SampledImage => {
                let (image, sampler) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let sampled = Value::Sampled(image, self.arg_type(inst, 0)?, sampler);
                self.alias(inst, sampled)?;
            }
            Code::Image => {
                let Value::Sampled(image, ..) = self.value(id(inst, 0)?)? else {
                    return Err("it is no image with a sampler".into());
                };
                self.set(inst, image)?;
            }
            Code::ImageSampleExplicitLod => {
                let Value::Sampled(image, ty, sampler) = self.value(id(inst, 0)?)? else {
                    return Err("it is no image with a sampler".into());
                };
                let sampler = (sampler, C::sampler());
                self.read(inst, (image, ty), Some(sampler))?;
            }
            Code::ImageRead => {
                let image = (self.arg(inst, 0)?, self.arg_type(inst, 0)?);
                self.read(inst, image, None)?;
            }
            Code::ImageWrite => self.write_image(inst)?,
            Code::ImageQuerySize | Code::ImageQuerySizeLod => self.size(inst)?,
            Code::ImageQueryFormat => {
                self.enumerant(inst, "get_image_channel_data_type", DATA_TYPES)?;
            }
            Code::ImageQueryOrder => self.enumerant(inst, "get_image_channel_order", ORDERS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn kind(&self, ty: Word) -> Check<ImageKind> {
        match self.reader.ty(ty)? {
            Ty::Image(kind, _) => Ok(kind),
            _ => Err(format!("{} is no type of images", self.reader.name(ty))),
        }
    }

    /// Whether elements are extended without signs, as far as the operands of an instruction say.
    fn extension(inst: &Instruction, n: usize) -> Check<Option<bool>> {
        let Some(dr::Operand::ImageOperands(mask)) = inst.operands.get(n) else {
            return Ok(None);
        };
        let known = ImageOperands::LOD | ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND;
        ensure!(
            known.contains(*mask),
            "image operands of {mask:?} are not supported"
        );
        Ok(match () {
            () if mask.contains(ImageOperands::SIGN_EXTEND) => Some(true),
            () if mask.contains(ImageOperands::ZERO_EXTEND) => Some(false),
            () => None,
        })
    }

    /// The place of an element as OpenCL C has it: one number, two, or four of which the last does not matter.
    fn place(&mut self, inst: &Instruction, n: usize, kind: ImageKind) -> Check<(Operand, C)> {
        let place = self.arg(inst, n)?;
        let ty = self.b.type_of(place);
        let Some(element @ (Scalar::I32 | Scalar::F32)) = ty.element() else {
            return Err("a place is of integers of 32 bits or floats".into());
        };
        let given = ty.lanes();
        let needed = kind.coordinates();
        ensure!(given >= needed, "{given} coordinates for {needed}");
        let wanted = if needed == 3 { 4 } else { needed };
        let mut parts: Vec<Operand> = match ty {
            ir::Type::Vector(..) => (0..needed)
                .map(|at| {
                    let op = Op::Extract(place, Const::i32(at as i32).into());
                    self.b.emit(ir::Type::Scalar(element), op).into()
                })
                .collect(),
            ir::Type::Scalar(_) | ir::Type::Pointer(_) => vec![place],
        };
        parts.resize(wanted as usize, Const::scalar(element, 0).into());
        let c = C::numbers(element, wanted);
        Ok(match parts.as_slice() {
            [one] => (*one, c),
            _ => (self.b.emit(c.register(), Op::Construct(parts)).into(), c),
        })
    }

    /// Reads an element.
    fn read(
        &mut self,
        inst: &Instruction,
        (image, ty): (Operand, Word),
        sampler: Option<(Operand, C)>,
    ) -> Check<()> {
        let kind = self.kind(ty)?;
        let extended = Self::extension(inst, 2)?;
        let mut args = vec![(image, self.reader.c_type(ty, true)?)];
        args.extend(sampler);
        args.push(self.place(inst, 1, kind)?);
        let own = result_type(inst)?;
        let given = match args.len() {
            2 => "a0, a1",
            _ => "a0, a1, a2",
        };
        let (name, body) = match self.reader.ty(own)? {
            Ty::Vector(Scalar::F32, ir::Lanes::L4) if kind.has_depth() => (
                "read_depth".to_owned(),
                format!("return (float4)(read_imagef({given}), 0.0f, 0.0f, 1.0f);"),
            ),
            Ty::Vector(Scalar::F32, ir::Lanes::L4) => {
                return self.call_c(inst, "read_imagef", true, args);
            }
            Ty::Scalar(Scalar::F32) if kind.has_depth() => {
                return self.call_c(inst, "read_imagef", true, args);
            }
            _ if kind.has_depth() => return Err("a depth is a float, or the first of four".into()),
            Ty::Vector(Scalar::F16, ir::Lanes::L4) => {
                return self.call_c(inst, "read_imageh", true, args);
            }
            Ty::Vector(Scalar::I32, ir::Lanes::L4) => by_signs(
                "read_image",
                extended,
                &format!("return as_int4(read_imageui({given}));"),
                &format!("return read_imagei({given});"),
            ),
            _ => return Err("an element is four floats, halves or integers of 32 bits".into()),
        };
        self.call_c_text(inst, &name, true, args, &body)
    }

    fn write_image(&mut self, inst: &Instruction) -> Check<()> {
        let ty = self.arg_type(inst, 0)?;
        let kind = self.kind(ty)?;
        let extended = Self::extension(inst, 3)?;
        let image = (self.arg(inst, 0)?, self.reader.c_type(ty, true)?);
        let args = vec![
            image,
            self.place(inst, 1, kind)?,
            self.c_arg(inst, 2, true)?,
        ];
        let (name, body) = match self.reader.ty(self.arg_type(inst, 2)?)? {
            Ty::Vector(Scalar::F32, ir::Lanes::L4) if kind.has_depth() => (
                "write_depth".to_owned(),
                "write_imagef(a0, a1, a2.x); return;".to_owned(),
            ),
            Ty::Vector(Scalar::F32, ir::Lanes::L4) => {
                return self.call_c(inst, "write_imagef", true, args);
            }
            Ty::Scalar(Scalar::F32) if kind.has_depth() => {
                return self.call_c(inst, "write_imagef", true, args);
            }
            _ if kind.has_depth() => return Err("a depth is a float, or the first of four".into()),
            Ty::Vector(Scalar::F16, ir::Lanes::L4) => {
                return self.call_c(inst, "write_imageh", true, args);
            }
            Ty::Vector(Scalar::I32, ir::Lanes::L4) => by_signs(
                "write_image",
                extended,
                "write_imageui(a0, a1, as_uint4(a2)); return;",
                "write_imagei(a0, a1, a2); return;",
            ),
            _ => return Err("an element is four floats, halves or integers of 32 bits".into()),
        };
        self.call_c_text(inst, &name, true, args, &body)
    }

    /// How large an image is, and how many there are in an array.
    fn size(&mut self, inst: &Instruction) -> Check<()> {
        let kind = self.kind(self.arg_type(inst, 0)?)?;
        let image = self.c_arg(inst, 0, true)?;
        let sides = match kind {
            ImageKind::D1 | ImageKind::D1Buffer => "width",
            ImageKind::D1Array => "width array_size",
            ImageKind::D2 | ImageKind::D2Depth => "width height",
            ImageKind::D2Array | ImageKind::D2ArrayDepth => "width height array_size",
            ImageKind::D3 => "width height depth",
        };
        let own = self.reader.c_type(result_type(inst)?, true)?.text;
        let element: String = own.chars().filter(|c| !c.is_ascii_digit()).collect();
        let sides = sides.split(' ');
        let sides: Vec<String> = sides
            .map(|side| format!("({element})get_image_{side}(a0)"))
            .collect();
        let body = match sides.as_slice() {
            [one] => format!("return {one};"),
            _ => format!("return ({own})({});", sides.join(", ")),
        };
        self.call_c_text(inst, "image_size", true, vec![image], &body)
    }

    /// A property of an image, as a number that SPIR-V counts from the first one of OpenCL C.
    fn enumerant(&mut self, inst: &Instruction, name: &str, first: &str) -> Check<()> {
        let image = self.c_arg(inst, 0, true)?;
        let body = format!("return {name}(a0) - {first};");
        self.call_c_text(inst, name, true, vec![image], &body)
    }
}

/// A name and a body that does one thing for elements without signs and another for those with: which one the
/// instruction says, or else the image.
fn by_signs(name: &str, signed: Option<bool>, without: &str, with: &str) -> (String, String) {
    match signed {
        Some(true) => (format!("{name}_signed"), with.to_owned()),
        Some(false) => (format!("{name}_unsigned"), without.to_owned()),
        None => {
            let unsigned = ["8", "16", "32"].map(|bits| format!("case CLK_UNSIGNED_INT{bits}: "));
            let body = format!(
                "switch (get_image_channel_data_type(a0)) {{ {}{without} default: {with} }}",
                unsigned.concat()
            );
            (name.to_owned(), body)
        }
    }
}
