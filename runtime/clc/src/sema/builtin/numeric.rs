//! Functions of numbers: math, integer, common, geometric, relational (OpenCL C 6.15.2 to 6.15.6).
//!
//! Where scalars of different types meet, they are converted as operators would; where a scalar
//! meets a vector, it stands for all elements.

use super::Call;
use super::table::{Gives, Numeric, Takes};
use crate::hir::{Builtin, CompareOp, Expr, ExprKind};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Scalar, Shape, Type, usual};
use touchstone_ir::{Intrinsic, NumKind};

impl Sema<'_> {
    /// Brings the arguments at `range` to one type.
    pub(super) fn unify(
        &mut self,
        call: &mut Call<'_>,
        range: std::ops::Range<usize>,
    ) -> Checked<Shape> {
        let mut vector: Option<Shape> = None;
        let mut scalars: Option<Scalar> = None;
        for arg in &call.args[range.clone()] {
            match self.types.arithmetic(arg.qual) {
                Some(shape @ (_, Some(_))) if vector.is_none_or(|old| old == shape) => {
                    vector = Some(shape);
                }
                Some((scalar, None)) => {
                    scalars = match scalars {
                        Some(old) if old != scalar => Some(usual(old, scalar)),
                        Some(_) | None => Some(scalar),
                    };
                }
                Some((_, Some(_))) | None => return self.no_overload(call),
            }
        }
        let Some(shape) = vector.or(scalars.map(|scalar| (scalar, None))) else {
            return self.no_overload(call);
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
        self.check_half(scalar, call.at)?;
        Ok((scalar, lanes))
    }

    /// Makes vectors of the scalars at `range` where there is a vector among them, without another type of
    /// element.
    fn widen(&mut self, call: &mut Call<'_>, range: std::ops::Range<usize>) {
        let shapes = call.args[range.clone()]
            .iter()
            .map(|arg| self.types.arithmetic(arg.qual));
        let Some(lanes) = shapes.flatten().find_map(|(_, lanes)| lanes) else {
            return;
        };
        for i in range {
            if let Some((scalar, None)) = self.types.arithmetic(call.args[i].qual) {
                self.bring(call, i..i + 1, (scalar, Some(lanes)));
            }
        }
    }

    fn unify_ints(&mut self, call: &mut Call<'_>) -> Checked<Shape> {
        let range = 0..call.args.len();
        let (scalar, lanes) = self.unify(call, range)?;
        if scalar.is_float() || scalar == Scalar::Bool {
            return self.no_overload(call);
        }
        Ok((scalar, lanes))
    }

    /// A call with a result of this shape.
    fn shaped(&mut self, builtin: Builtin, call: Call<'_>, shape: Shape) -> Expr {
        let qual = self.types.shaped(shape.0, shape.1);
        self.builtin(builtin, call.args, qual, call.at)
    }

    pub(super) fn numeric_builtin(
        &mut self,
        numeric: Numeric,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        let (takes, gives, [signed, unsigned, float]) = match numeric {
            Numeric::Plain(takes, gives, forms) => (takes, gives, forms),
            Numeric::Abs => return self.abs(call),
            Numeric::AnyAll(intrinsic) => return self.any_all(intrinsic, call),
            Numeric::Upsample => return self.upsample(call),
            Numeric::Select => return self.select(call),
            Numeric::Shuffle => return self.shuffle(false, call),
            Numeric::Shuffle2 => return self.shuffle(true, call),
        };
        let (scalar, lanes) = self.taken(takes, &mut call)?;
        let builtin = match scalar.kind() {
            NumKind::Signed => signed,
            NumKind::Unsigned => unsigned,
            NumKind::Float => float,
        };
        let qual = match gives {
            Gives::Same => self.types.shaped(scalar, lanes),
            Gives::Element => self.types.scalar(scalar),
            Gives::Int => self.types.shaped(Scalar::Int, lanes),
            Gives::Unsigned => self.types.shaped(scalar.unsigned_of_size(), lanes),
            Gives::Float => {
                let float = match scalar.size() {
                    2 if self.language.fp16 => Scalar::Half,
                    4 => Scalar::Float,
                    8 if self.language.fp64 => Scalar::Double,
                    _ => return self.no_overload(&call),
                };
                self.types.shaped(float, lanes)
            }
            Gives::Truth => self.types.truth((scalar, lanes)),
        };
        Ok(self.builtin(builtin, call.args, qual, call.at))
    }

    /// Brings the arguments to what the function takes; gives their type.
    fn taken(&mut self, takes: Takes, call: &mut Call<'_>) -> Checked<Shape> {
        let (count, unified) = match takes {
            Takes::FloatInt => (2, 1),
            Takes::Cross => (2, 2),
            Takes::FloatsOut { floats, .. } => (floats + 1, floats),
            Takes::Floats(n)
            | Takes::Singles(n)
            | Takes::Geometric(n)
            | Takes::Ints(n)
            | Takes::Ints32(n)
            | Takes::Numbers(n)
            | Takes::Any(n) => (n, n),
        };
        self.arity(call, count)?;
        if let Takes::FloatsOut { .. } = takes {
            self.widen_to_pointee(call, unified);
        }
        let (scalar, lanes) = match takes {
            Takes::Ints(_) | Takes::Ints32(_) => self.unify_ints(call)?,
            Takes::Numbers(_) | Takes::Any(_) => self.unify(call, 0..unified)?,
            _ => self.unify_floats(call, 0..unified)?,
        };
        let fits = match takes {
            Takes::Singles(_) => scalar == Scalar::Float,
            Takes::Geometric(_) => lanes.is_none_or(|lanes| lanes <= Lanes::L4),
            Takes::Cross => matches!(lanes, Some(Lanes::L3 | Lanes::L4)),
            Takes::Numbers(_) => {
                scalar != Scalar::Bool && (scalar != Scalar::Half || self.language.fp16)
            }
            Takes::FloatInt => match self.types.arithmetic(call.args[1].qual) {
                Some((int, shape)) => int.is_int() && (shape == lanes || shape.is_none()),
                None => false,
            },
            // Narrower scalars become `int`.
            Takes::Ints32(_) => scalar.size() == 4 || (scalar.size() < 4 && lanes.is_none()),
            Takes::FloatsOut { .. } | Takes::Floats(_) | Takes::Ints(_) | Takes::Any(_) => true,
        };
        if !fits {
            return self.no_overload(call);
        }
        match takes {
            Takes::FloatInt => self.bring(call, 1..2, (Scalar::Int, lanes)),
            Takes::Ints32(_) if scalar.size() < 4 => {
                self.bring(call, 0..count, (Scalar::Int, None));
                return Ok((Scalar::Int, None));
            }
            Takes::FloatsOut { int, .. } => {
                let other = if int { Scalar::Int } else { scalar };
                let wanted = self.types.shaped(other, lanes);
                self.out_argument(call, unified, wanted)?;
            }
            _ => {}
        }
        Ok((scalar, lanes))
    }

    /// Makes vectors of floats that are all scalars where the pointer after them is to a vector.
    fn widen_to_pointee(&mut self, call: &mut Call<'_>, pointer: usize) {
        let to = self.types.pointee(call.args[pointer].qual);
        let Some((element, lanes @ Some(_))) = to.and_then(|to| self.types.arithmetic(to)) else {
            return;
        };
        let given = call.args[..pointer]
            .iter()
            .map(|arg| self.types.as_scalar(arg.qual));
        let Some(given) = given.reduce(|a, b| Some(usual(a?, b?))).flatten() else {
            return;
        };
        let scalar = match (element.is_float(), given.is_float()) {
            (true, _) => element,
            (false, true) => given,
            (false, false) => Scalar::Float,
        };
        self.bring(call, 0..pointer, (scalar, lanes));
    }

    /// `abs`: the result is unsigned.
    fn abs(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 1)?;
        let (scalar, lanes) = self.unify_ints(&mut call)?;
        if !scalar.is_signed() {
            return Ok(call.args.remove(0));
        }
        let shape = (scalar.unsigned_of_size(), lanes);
        Ok(self.shaped(Builtin::Intrinsic(Intrinsic::SAbs), call, shape))
    }

    /// `any` and `all`: of a scalar they say whether it is negative.
    fn any_all(&mut self, intrinsic: Intrinsic, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 1)?;
        let (scalar, lanes) = self.unify_ints(&mut call)?;
        if !scalar.is_signed() {
            return self.no_overload(&call);
        }
        let int = self.types.scalar(Scalar::Int);
        if lanes.is_none() {
            let arg = call.args.remove(0);
            let zero = self.number(0, scalar, call.at);
            let kind = ExprKind::Compare(CompareOp::Lt, Box::new(arg), Box::new(zero));
            return Ok(self.value(kind, int, call.at));
        }
        Ok(self.builtin(Builtin::Test(intrinsic), call.args, int, call.at))
    }

    /// `upsample(hi, lo)`: twice as wide.
    fn upsample(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 2)?;
        self.widen(&mut call, 0..2);
        let shapes = [0, 1].map(|i| self.types.arithmetic(call.args[i].qual));
        let [Some((hi, m)), Some((lo, n))] = shapes else {
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
        Ok(self.shaped(Builtin::Select, call, shape))
    }

    fn shuffle(&mut self, two: bool, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, if two { 3 } else { 2 })?;
        let mask = call.args.len() - 1;
        let types = [0, mask].map(|i| self.types.of(call.args[i].qual));
        let [Type::Vector(scalar, _), Type::Vector(index, lanes)] = types else {
            return self.no_overload(&call);
        };
        let same = !two || call.args[0].qual.ty == call.args[1].qual.ty;
        if index.is_signed() || index.size() != scalar.size() || !same {
            return self.no_overload(&call);
        }
        let builtin = if two {
            Builtin::Shuffle2
        } else {
            Builtin::Shuffle
        };
        Ok(self.shaped(builtin, call, (scalar, Some(lanes))))
    }
}
