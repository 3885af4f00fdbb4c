//! Functions of numbers: math, integer, common, geometric, relational (OpenCL C 6.15.2 to 6.15.6).
//!
//! Where scalars of different types meet, they are converted as operators would; where a scalar
//! meets a vector, it stands for all elements.

use super::Call;
use super::table::Numeric;
use crate::hir::{Builtin, CompareOp, Expr, ExprKind};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Scalar, Space, Type, usual};
use touchstone_ir::Intrinsic;

type Shape = (Scalar, Option<Lanes>);

/// The signed or the unsigned form of a function.
fn by_sign(scalar: Scalar, signed: Intrinsic, unsigned: Intrinsic) -> Intrinsic {
    if scalar.is_signed() { signed } else { unsigned }
}

impl Sema<'_> {
    /// Brings the arguments at `range` to one type.
    fn unify(&mut self, call: &mut Call<'_>, range: std::ops::Range<usize>) -> Checked<Shape> {
        let mut shape: Option<Shape> = None;
        let mut scalars: Option<Scalar> = None;
        for arg in &call.args[range.clone()] {
            match self.types.arithmetic(arg.qual) {
                Some((scalar, Some(lanes))) => match shape {
                    None => shape = Some((scalar, Some(lanes))),
                    Some(old) if old == (scalar, Some(lanes)) => {}
                    Some(_) => return self.no_overload(call),
                },
                Some((scalar, None)) => {
                    scalars = Some(match scalars {
                        None => scalar,
                        Some(old) if old == scalar => old,
                        Some(old) => usual(old, scalar),
                    });
                }
                None => return self.no_overload(call),
            }
        }
        let shape = match (shape, scalars) {
            (Some(shape), _) => shape,
            (None, Some(scalar)) => (scalar, None),
            (None, None) => return self.no_overload(call),
        };
        self.bring(call, range, shape);
        Ok(shape)
    }

    /// Converts the arguments at `range` to a type.
    fn bring(&mut self, call: &mut Call<'_>, range: std::ops::Range<usize>, shape: Shape) {
        for i in range {
            let arg = call.args.remove(i);
            let is_scalar = matches!(self.types.arithmetic(arg.qual), Some((_, None)));
            let arg = match shape.1 {
                Some(lanes) if is_scalar => self.splat(arg, shape.0, lanes),
                Some(_) | None => self.numeric(arg, shape.0),
            };
            call.args.insert(i, arg);
        }
    }

    /// Brings arguments to one type of floats; integers become `float`.
    fn unify_floats(
        &mut self,
        call: &mut Call<'_>,
        range: std::ops::Range<usize>,
    ) -> Checked<Shape> {
        let (mut scalar, lanes) = self.unify(call, range.clone())?;
        if scalar.is_int() {
            if lanes.is_some() {
                return self.no_overload(call);
            }
            scalar = Scalar::Float;
            self.bring(call, range, (scalar, None));
        }
        if scalar == Scalar::Half {
            return self.unsupported(call.at, "this function", "half-precision arithmetic");
        }
        Ok((scalar, lanes))
    }

    fn unify_ints(&mut self, call: &mut Call<'_>) -> Checked<Shape> {
        let range = 0..call.args.len();
        let (scalar, lanes) = self.unify(call, range)?;
        if scalar.is_float() || scalar == Scalar::Bool {
            return self.no_overload(call);
        }
        Ok((scalar, lanes))
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, call: Call<'_>, shape: Shape) -> Expr {
        self.shaped(Builtin::Intrinsic(intrinsic), call, shape)
    }

    /// A call with a result of this shape.
    fn shaped(&mut self, builtin: Builtin, call: Call<'_>, shape: Shape) -> Expr {
        let qual = self.types.shaped(shape.0, shape.1);
        self.builtin(builtin, call.args, qual, call.at)
    }

    /// The type of a truth about values of a type.
    fn truth_of(&mut self, shape: Shape) -> crate::types::Qual {
        match shape.1 {
            None => self.types.scalar(Scalar::Int),
            Some(_) => self.types.shaped(shape.0.signed_of_size(), shape.1),
        }
    }

    pub(super) fn numeric_builtin(
        &mut self,
        numeric: Numeric,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        let at = call.at;
        let n = call.args.len();
        match numeric {
            Numeric::Float(intrinsic) => {
                self.arity(&call, intrinsic.arity())?;
                let shape = self.unify_floats(&mut call, 0..n)?;
                Ok(self.intrinsic(intrinsic, call, shape))
            }
            Numeric::Single(intrinsic) => {
                self.arity(&call, intrinsic.arity())?;
                let shape = self.unify_floats(&mut call, 0..n)?;
                if shape.0 != Scalar::Float {
                    return self.no_overload(&call);
                }
                Ok(self.intrinsic(intrinsic, call, shape))
            }
            Numeric::FloatInt(intrinsic) => {
                self.arity(&call, 2)?;
                let shape = self.unify_floats(&mut call, 0..1)?;
                match self.types.arithmetic(call.args[1].qual) {
                    Some((scalar, lanes))
                        if scalar.is_int() && (lanes == shape.1 || lanes.is_none()) =>
                    {
                        self.bring(&mut call, 1..2, (Scalar::Int, shape.1));
                    }
                    Some(_) | None => return self.no_overload(&call),
                }
                Ok(self.intrinsic(intrinsic, call, shape))
            }
            Numeric::FloatToInt(intrinsic) => {
                self.arity(&call, 1)?;
                let shape = self.unify_floats(&mut call, 0..1)?;
                Ok(self.intrinsic(intrinsic, call, (Scalar::Int, shape.1)))
            }
            Numeric::Nan => {
                self.arity(&call, 1)?;
                let (scalar, lanes) = self.unify_ints(&mut call)?;
                let float = match scalar {
                    Scalar::UInt | Scalar::Int => Scalar::Float,
                    Scalar::ULong | Scalar::Long if self.language.fp64 => Scalar::Double,
                    _ => return self.no_overload(&call),
                };
                Ok(self.intrinsic(Intrinsic::Nan, call, (float, lanes)))
            }
            Numeric::Test(intrinsic) => {
                self.arity(&call, 1)?;
                let shape = self.unify_floats(&mut call, 0..1)?;
                let qual = self.truth_of(shape);
                Ok(self.builtin(Builtin::Test(intrinsic), call.args, qual, at))
            }
            Numeric::Compare(cmp) => {
                self.arity(&call, 2)?;
                let shape = self.unify_floats(&mut call, 0..2)?;
                let qual = self.truth_of(shape);
                Ok(self.builtin(Builtin::FloatCompare(cmp), call.args, qual, at))
            }
            Numeric::SplitFloat(first, second) => {
                self.arity(&call, first.arity() + 1)?;
                let shape = self.unify_floats(&mut call, 0..n - 1)?;
                self.split(first, second, shape, shape.0, call)
            }
            Numeric::SplitInt(first, second) => {
                self.arity(&call, first.arity() + 1)?;
                let shape = self.unify_floats(&mut call, 0..n - 1)?;
                self.split(first, second, shape, Scalar::Int, call)
            }
            Numeric::Int(signed, unsigned) => {
                self.arity(&call, signed.arity())?;
                let shape = self.unify_ints(&mut call)?;
                let intrinsic = by_sign(shape.0, signed, unsigned);
                Ok(self.intrinsic(intrinsic, call, shape))
            }
            Numeric::IntUnsigned(signed, unsigned) => {
                self.arity(&call, signed.arity())?;
                let (scalar, lanes) = self.unify_ints(&mut call)?;
                let intrinsic = by_sign(scalar, signed, unsigned);
                Ok(self.intrinsic(intrinsic, call, (scalar.unsigned_of_size(), lanes)))
            }
            Numeric::Int32(signed, unsigned) => {
                self.arity(&call, signed.arity())?;
                let (scalar, lanes) = self.unify_ints(&mut call)?;
                let scalar = self.only_32(scalar, lanes, &mut call)?;
                let intrinsic = by_sign(scalar, signed, unsigned);
                Ok(self.intrinsic(intrinsic, call, (scalar, lanes)))
            }
            Numeric::Any(signed, unsigned, float) => {
                self.arity(&call, signed.arity())?;
                let shape = self.unify(&mut call, 0..n)?;
                let intrinsic = match shape.0 {
                    Scalar::Bool | Scalar::Half => return self.no_overload(&call),
                    scalar if scalar.is_float() => float,
                    scalar if scalar.is_signed() => signed,
                    _ => unsigned,
                };
                Ok(self.intrinsic(intrinsic, call, shape))
            }
            Numeric::Abs => {
                self.arity(&call, 1)?;
                let (scalar, lanes) = self.unify_ints(&mut call)?;
                if !scalar.is_signed() {
                    return Ok(call.args.remove(0));
                }
                Ok(self.intrinsic(Intrinsic::SAbs, call, (scalar.unsigned_of_size(), lanes)))
            }
            Numeric::MadHi => {
                self.arity(&call, 3)?;
                let shape = self.unify_ints(&mut call)?;
                let high = by_sign(shape.0, Intrinsic::SMulHi, Intrinsic::UMulHi);
                Ok(self.shaped(Builtin::MadHi(high), call, shape))
            }
            Numeric::Mad24 => {
                self.arity(&call, 3)?;
                let (scalar, lanes) = self.unify_ints(&mut call)?;
                let scalar = self.only_32(scalar, lanes, &mut call)?;
                let product = by_sign(scalar, Intrinsic::SMul24, Intrinsic::UMul24);
                Ok(self.shaped(Builtin::Mad24(product), call, (scalar, lanes)))
            }
            Numeric::Upsample => self.upsample(call),
            Numeric::AnyAll(intrinsic) => {
                self.arity(&call, 1)?;
                let (scalar, lanes) = self.unify_ints(&mut call)?;
                if !scalar.is_signed() {
                    return self.no_overload(&call);
                }
                let int = self.types.scalar(Scalar::Int);
                if lanes.is_none() {
                    let arg = call.args.remove(0);
                    let zero = self.number(0, scalar, at);
                    let kind = ExprKind::Compare(CompareOp::Lt, Box::new(arg), Box::new(zero));
                    return Ok(self.value(kind, int, at));
                }
                Ok(self.builtin(Builtin::Test(intrinsic), call.args, int, at))
            }
            Numeric::Select => self.select(call),
            Numeric::BitSelect => {
                self.arity(&call, 3)?;
                let shape = self.unify(&mut call, 0..3)?;
                Ok(self.shaped(Builtin::BitSelect, call, shape))
            }
            Numeric::Dot | Numeric::Distance | Numeric::Length => {
                let (builtin, arity) = match numeric {
                    Numeric::Dot => (Builtin::Dot, 2),
                    Numeric::Distance => (Builtin::Distance, 2),
                    _ => (Builtin::Length, 1),
                };
                self.arity(&call, arity)?;
                let (scalar, _) = self.unify_floats(&mut call, 0..arity)?;
                self.geometric_shape(&call)?;
                Ok(self.shaped(builtin, call, (scalar, None)))
            }
            Numeric::Normalize => {
                self.arity(&call, 1)?;
                let shape = self.unify_floats(&mut call, 0..1)?;
                self.geometric_shape(&call)?;
                Ok(self.shaped(Builtin::Normalize, call, shape))
            }
            Numeric::Cross => {
                self.arity(&call, 2)?;
                let shape = self.unify_floats(&mut call, 0..2)?;
                if !matches!(shape.1, Some(Lanes::L3 | Lanes::L4)) {
                    return self.no_overload(&call);
                }
                Ok(self.shaped(Builtin::Cross, call, shape))
            }
            Numeric::Divide | Numeric::Recip => {
                let (builtin, arity) = match numeric {
                    Numeric::Divide => (Builtin::Divide, 2),
                    _ => (Builtin::Recip, 1),
                };
                self.arity(&call, arity)?;
                let shape = self.unify_floats(&mut call, 0..n)?;
                Ok(self.shaped(builtin, call, shape))
            }
            Numeric::Shuffle | Numeric::Shuffle2 => {
                let two = matches!(numeric, Numeric::Shuffle2);
                self.shuffle(two, call)
            }
        }
    }

    fn geometric_shape(&mut self, call: &Call<'_>) -> Checked<()> {
        match self.types.arithmetic(call.args[0].qual) {
            Some((_, None | Some(Lanes::L2 | Lanes::L3 | Lanes::L4))) => Ok(()),
            Some(_) | None => self.no_overload(call),
        }
    }

    /// 32-bit integers; narrower scalars become `int`.
    fn only_32(
        &mut self,
        scalar: Scalar,
        lanes: Option<Lanes>,
        call: &mut Call<'_>,
    ) -> Checked<Scalar> {
        match scalar {
            Scalar::Int | Scalar::UInt => Ok(scalar),
            Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort if lanes.is_none() => {
                let n = call.args.len();
                self.bring(call, 0..n, (Scalar::Int, None));
                Ok(Scalar::Int)
            }
            _ => self.no_overload(call),
        }
    }

    /// A function that also writes through its last argument.
    fn split(
        &mut self,
        first: Intrinsic,
        second: Intrinsic,
        shape: Shape,
        other: Scalar,
        call: Call<'_>,
    ) -> Checked<Expr> {
        let wanted = self.types.shaped(other, shape.1);
        match call.args.last().and_then(|a| self.types.pointee(a.qual)) {
            Some(to) if to.ty == wanted.ty && !to.constant && to.space != Space::Constant => {}
            Some(_) | None => return self.no_overload(&call),
        }
        let qual = self.types.shaped(shape.0, shape.1);
        Ok(self.builtin(Builtin::Split(first, second), call.args, qual, call.at))
    }

    /// `upsample(hi, lo)`: twice as wide.
    fn upsample(&mut self, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 2)?;
        let (a, b) = (
            self.types.arithmetic(call.args[0].qual),
            self.types.arithmetic(call.args[1].qual),
        );
        let (Some((hi, m)), Some((lo, n))) = (a, b) else {
            return self.no_overload(&call);
        };
        let wide = match hi {
            Scalar::Char => Scalar::Short,
            Scalar::UChar => Scalar::UShort,
            Scalar::Short => Scalar::Int,
            Scalar::UShort => Scalar::UInt,
            Scalar::Int => Scalar::Long,
            Scalar::UInt => Scalar::ULong,
            _ => return self.no_overload(&call),
        };
        if m != n || lo != hi.unsigned_of_size() {
            return self.no_overload(&call);
        }
        Ok(self.shaped(Builtin::Upsample, call, (wide, m)))
    }

    /// `select(a, b, c)`: `b` where `c` says so.
    fn select(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 3)?;
        let shape = self.unify(&mut call, 0..2)?;
        let Some((condition, lanes)) = self.types.arithmetic(call.args[2].qual) else {
            return self.no_overload(&call);
        };
        // A scalar condition of another width is taken as a truth, as C would.
        let fits = lanes.is_none() || condition.size() == shape.0.size();
        if condition.is_float() || lanes != shape.1 || !fits {
            return self.no_overload(&call);
        }
        let qual = self.types.shaped(shape.0, shape.1);
        Ok(self.builtin(Builtin::Select, call.args, qual, call.at))
    }

    fn shuffle(&mut self, two: bool, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, if two { 3 } else { 2 })?;
        let (Type::Vector(scalar, _), Some(mask)) = (
            self.types.of(call.args[0].qual),
            call.args.last().map(|a| self.types.of(a.qual)),
        ) else {
            return self.no_overload(&call);
        };
        let Type::Vector(index, lanes) = mask else {
            return self.no_overload(&call);
        };
        let same = !two || call.args[0].qual.ty == call.args[1].qual.ty;
        if index.is_signed() || index.size() != scalar.size() || !same {
            return self.no_overload(&call);
        }
        let qual = self.types.shaped(scalar, Some(lanes));
        let builtin = if two {
            Builtin::Shuffle2
        } else {
            Builtin::Shuffle
        };
        Ok(self.builtin(builtin, call.args, qual, call.at))
    }
}
