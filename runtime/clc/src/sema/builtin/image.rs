//! Functions of images (OpenCL C 6.15.15): which there are, and the functions of the library that they are.

use super::Call;
use crate::device::{Language, Version};
use crate::hir::{Expr, ExprKind};
use crate::sema::{Checked, Sema};
use crate::source::Loc;
use crate::types::{Lanes, Qual, Scalar, Type};
use touchstone_ir::{ImageAccess, ImageKind};

/// A function of images.
#[derive(Clone, Copy, Debug)]
pub(super) enum ImageFunction {
    Read(Colour),
    Write(Colour),
    Query(Asked),
}

/// What the components of a colour are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Colour {
    Float,
    Half,
    Int,
    UInt,
}

/// What an image is asked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    Width,
    Height,
    Depth,
    Dim,
    ArraySize,
    ChannelDataType,
    ChannelOrder,
}

impl Colour {
    /// The functions of the library of images of a kind: those of depth have their own, which are of floats.
    const fn suffix(self, kind: ImageKind) -> Option<&'static str> {
        if kind.has_depth() {
            return match self {
                Self::Float => Some("d"),
                Self::Half | Self::Int | Self::UInt => None,
            };
        }
        Some(match self {
            Self::Float => "f",
            Self::Half => "h",
            Self::Int => "i",
            Self::UInt => "ui",
        })
    }

    /// How many components an image of a kind has.
    const fn lanes(kind: ImageKind) -> Option<Lanes> {
        if kind.has_depth() {
            None
        } else {
            Some(Lanes::L4)
        }
    }

    const fn scalar(self) -> Scalar {
        match self {
            Self::Float => Scalar::Float,
            Self::Half => Scalar::Half,
            Self::Int => Scalar::Int,
            Self::UInt => Scalar::UInt,
        }
    }
}

impl Asked {
    /// Whether images of a kind can be asked.
    const fn of(self, kind: ImageKind) -> bool {
        let is_plane = !matches!(
            kind,
            ImageKind::D1 | ImageKind::D1Buffer | ImageKind::D1Array
        );
        match self {
            Self::Width | Self::ChannelDataType | Self::ChannelOrder => true,
            Self::Height | Self::Dim => is_plane,
            Self::Depth => matches!(kind, ImageKind::D3),
            Self::ArraySize => kind.is_array(),
        }
    }
}

/// The function of images of a name that the language has.
pub(super) fn image(name: &str, language: &Language) -> Option<ImageFunction> {
    let function = named(name).filter(|_| language.images)?;
    let halves = matches!(
        function,
        ImageFunction::Read(Colour::Half) | ImageFunction::Write(Colour::Half)
    );
    (language.fp16 || !halves).then_some(function)
}

fn named(name: &str) -> Option<ImageFunction> {
    use ImageFunction::{Query, Read, Write};
    Some(match name {
        "read_imagef" => Read(Colour::Float),
        "read_imageh" => Read(Colour::Half),
        "read_imagei" => Read(Colour::Int),
        "read_imageui" => Read(Colour::UInt),
        "write_imagef" => Write(Colour::Float),
        "write_imageh" => Write(Colour::Half),
        "write_imagei" => Write(Colour::Int),
        "write_imageui" => Write(Colour::UInt),
        "get_image_width" => Query(Asked::Width),
        "get_image_height" => Query(Asked::Height),
        "get_image_depth" => Query(Asked::Depth),
        "get_image_dim" => Query(Asked::Dim),
        "get_image_array_size" => Query(Asked::ArraySize),
        "get_image_channel_data_type" => Query(Asked::ChannelDataType),
        "get_image_channel_order" => Query(Asked::ChannelOrder),
        _ => return None,
    })
}

impl Sema<'_> {
    pub(super) fn image(&mut self, function: ImageFunction, call: Call<'_>) -> Checked<Expr> {
        let Some(first) = call.args.first().map(|arg| self.types.of(arg.qual)) else {
            let message = format!("`{}` takes an image first", call.name);
            return self.error(call.at, message);
        };
        let Type::Image(kind, access) = first else {
            return self.no_overload(&call);
        };
        match function {
            ImageFunction::Read(colour) => self.image_read(colour, (kind, access), call),
            ImageFunction::Write(colour) => self.image_write(colour, (kind, access), call),
            ImageFunction::Query(asked) => self.image_query(asked, kind, call),
        }
    }

    fn image_read(
        &mut self,
        colour: Colour,
        (kind, access): (ImageKind, ImageAccess),
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity_between(&call, 2, 3)?;
        let Some(suffix) = colour.suffix(kind) else {
            return self.no_overload(&call);
        };
        self.check_access(&call, access.reads(), access)?;
        let sampled = call.args.len() == 3;
        if sampled {
            let sampler = self.types.plain(Type::Sampler);
            self.convert_argument(&mut call, 1, sampler, "the sampler")?;
        }
        // "Sampler-less read functions", those that came with 1.2, are all that these images have.
        if sampled && (kind == ImageKind::D1Buffer || access == ImageAccess::ReadWrite) {
            return self.no_overload(&call);
        }
        if !sampled && self.language.version < Version::V1_2 {
            return self.error(call.at, "reading without a sampler needs OpenCL C 1.2");
        }
        let floats = self.coordinates(&mut call, kind, sampled)?;
        let how = match (sampled, floats) {
            (false, _) => "at",
            (true, false) => "ints",
            (true, true) => "floats",
        };
        let result = self.types.shaped(colour.scalar(), Colour::lanes(kind));
        let name = format!("__read_image{suffix}_{how}");
        self.image_call(&name, call, result, !sampled)
    }

    fn image_write(
        &mut self,
        colour: Colour,
        (kind, access): (ImageKind, ImageAccess),
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity(&call, 3)?;
        let Some(suffix) = colour.suffix(kind) else {
            return self.no_overload(&call);
        };
        self.check_access(&call, access.writes(), access)?;
        let value = self.types.shaped(colour.scalar(), Colour::lanes(kind));
        if kind.has_depth() {
            self.convert_argument(&mut call, 2, value, "the depth")?;
        } else if self.types.of(call.args[2].qual) != self.types.of(value) {
            return self.no_overload(&call);
        }
        let Some(value) = call.args.pop() else {
            return self.no_overload(&call);
        };
        self.coordinates(&mut call, kind, false)?;
        call.args.push(value);
        let void = self.types.void();
        self.image_call(&format!("__write_image{suffix}"), call, void, true)
    }

    fn image_query(&mut self, asked: Asked, kind: ImageKind, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 1)?;
        if !asked.of(kind) {
            return self.no_overload(&call);
        }
        let (scalar, lanes, end) = match asked {
            Asked::ArraySize => (Scalar::SIZE, None, ""),
            Asked::Dim if kind == ImageKind::D3 => (Scalar::Int, Some(Lanes::L4), "4"),
            Asked::Dim => (Scalar::Int, Some(Lanes::L2), "2"),
            Asked::Width
            | Asked::Height
            | Asked::Depth
            | Asked::ChannelDataType
            | Asked::ChannelOrder => (Scalar::Int, None, ""),
        };
        let result = self.types.shaped(scalar, lanes);
        self.image_call(&format!("__{}{end}", call.name), call, result, false)
    }

    /// Checks that the access qualifier of an image allows a call.
    fn check_access(&mut self, call: &Call<'_>, allowed: bool, access: ImageAccess) -> Checked<()> {
        if allowed {
            return Ok(());
        }
        let message = format!(
            "`{}` is not for an image that is {}",
            call.name,
            access.name()
        );
        self.error(call.at, message)
    }

    /// Makes the coordinates, the last argument, a vector of four; whether they are floats.
    fn coordinates(
        &mut self,
        call: &mut Call<'_>,
        kind: ImageKind,
        floats_too: bool,
    ) -> Checked<bool> {
        let shape = call
            .args
            .last()
            .and_then(|arg| self.types.arithmetic(arg.qual));
        let given = match shape {
            Some((scalar, None)) => (scalar, 1),
            Some((scalar, Some(lanes))) => (scalar, lanes.count()),
            None => return self.no_overload(call),
        };
        // A place of three coordinates comes in a vector of four.
        let wanted = match kind.coordinates() {
            3 => 4,
            n => n,
        };
        let scalar = match given {
            (_, n) if n != wanted => return self.no_overload(call),
            (Scalar::Int | Scalar::Float, _) => given.0,
            // A single coordinate is converted as any argument is.
            (scalar, 1) if scalar.is_int() => Scalar::Int,
            (Scalar::Double, 1) => Scalar::Float,
            _ => return self.no_overload(call),
        };
        let is_float = scalar == Scalar::Float;
        if is_float && !floats_too {
            return self.no_overload(call);
        }
        let Some(mut last) = call.args.pop() else {
            return self.no_overload(call);
        };
        if wanted == 1 {
            last = self.numeric(last, scalar);
        }
        if wanted < 4 {
            let at = last.loc;
            let mut parts = vec![last];
            parts.extend((wanted..4).map(|_| self.number(0, scalar, at)));
            let qual = self.types.shaped(scalar, Some(Lanes::L4));
            last = self.value(ExprKind::Build(parts), qual, at);
        }
        call.args.push(last);
        Ok(is_float)
    }

    /// A call of a function of the library; before it the image is asked whether it has the element, where
    /// `checked`.
    fn image_call(
        &mut self,
        name: &str,
        call: Call<'_>,
        result: Qual,
        checked: bool,
    ) -> Checked<Expr> {
        let int = self.types.scalar(Scalar::Int);
        let holds = checked.then(|| {
            let place = call.args.iter().take(2);
            let place = place.map(|arg| arg.qual.value()).collect();
            self.library_function("__image_holds", place, int, call.at)
        });
        Ok(self.library_call(name, call.args, result, holds, call.at))
    }

    /// Gives an image type the access that a qualifier names.
    pub(in crate::sema) fn image_access(
        &mut self,
        qual: Qual,
        word: &str,
        at: Loc,
    ) -> Checked<Qual> {
        let Type::Image(kind, _) = self.types.of(qual) else {
            return self.error(at, format!("`{word}` is for images"));
        };
        let access = match word {
            "write_only" => ImageAccess::Write,
            "read_write" => ImageAccess::ReadWrite,
            _ => ImageAccess::Read,
        };
        if access == ImageAccess::ReadWrite && !self.language.read_write_images {
            let need = "`read_write` needs OpenCL C 2.0, or 3.0 with __opencl_c_read_write_images";
            return self.error(at, need);
        }
        if access.writes() && kind == ImageKind::D3 && !self.language.image_writes_3d {
            return self.error(at, "writing to an `image3d_t` needs cl_khr_3d_image_writes");
        }
        Ok(Qual {
            ty: self.types.id(Type::Image(kind, access)),
            ..qual
        })
    }

    /// Refuses images, samplers and pipes, which are parameters, and samplers constants as well (OpenCL C 6.11).
    pub(in crate::sema) fn no_image(&mut self, qual: Qual, at: Loc, what: &str) -> Checked<()> {
        if let Type::Image(..) | Type::Sampler | Type::Pipe(..) = self.types.of(qual) {
            let ty = self.show(qual.value());
            return self.error(at, format!("{what} cannot be of type `{ty}`"));
        }
        Ok(())
    }

    /// Refuses variables that are images or pipes, and samplers without an initial value.
    pub(in crate::sema) fn no_image_variable(
        &mut self,
        qual: Qual,
        has_init: bool,
        at: Loc,
    ) -> Checked<()> {
        if self.types.of(qual) == Type::Sampler {
            return match has_init {
                true => Ok(()),
                false => self.error(at, "a sampler in the source has an initialiser"),
            };
        }
        self.no_image(qual, at, "a variable")
    }
}
