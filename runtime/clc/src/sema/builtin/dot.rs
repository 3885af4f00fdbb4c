//! Dot products of integers (OpenCL C 6.15.3).

use super::Call;
use crate::device::{Language, Version};
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Scalar};

/// A function that computes a dot product of two vectors of four 8-bit integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct DotFunction {
    /// Whether an accumulator is added, with saturation.
    accumulates: bool,
    /// The types of elements where vectors are packed into 32 bits each.
    packed: Option<[Scalar; 2]>,
}

/// The function of a name; not `dot`, which is one of floats, too.
pub(super) fn dot(name: &str) -> Option<DotFunction> {
    let rest = name.strip_prefix("dot_")?;
    let (rest, accumulates) = match rest.strip_prefix("acc_sat") {
        Some("") => {
            return Some(DotFunction {
                accumulates: true,
                packed: None,
            });
        }
        Some(rest) => (rest.strip_prefix('_')?, true),
        None => (rest, false),
    };
    let packed = match rest {
        "4x8packed_uu_uint" => [Scalar::UChar, Scalar::UChar],
        "4x8packed_ss_int" => [Scalar::Char, Scalar::Char],
        "4x8packed_us_int" => [Scalar::UChar, Scalar::Char],
        "4x8packed_su_int" => [Scalar::Char, Scalar::UChar],
        _ => return None,
    };
    Some(DotFunction {
        accumulates,
        packed: Some(packed),
    })
}

impl DotFunction {
    pub(super) fn is_in(self, language: &Language) -> bool {
        match self.packed {
            Some(_) => language.integer_dot_packed,
            None => language.integer_dot,
        }
    }
}

/// The optional feature that a function needs and the language lacks, where the version knows it.
pub(super) fn lacking_for_dot(name: &str, language: &Language) -> Option<&'static str> {
    let function = dot(name).filter(|_| language.version >= Version::V3_0)?;
    (!function.is_in(language)).then_some(match function.packed {
        Some(_) => "__opencl_c_integer_dot_product_input_4x8bit_packed",
        None => "__opencl_c_integer_dot_product_input_4x8bit",
    })
}

impl Sema<'_> {
    /// Whether arguments are vectors that `dot` takes as integers.
    pub(super) fn are_integers_to_dot(&mut self, call: &Call<'_>) -> bool {
        let fits = |arg: &Expr| self.types.arithmetic(arg.qual).is_some_and(fits);
        self.language.integer_dot && call.args.len() == 2 && call.args.iter().all(fits)
    }

    /// A call of a function that computes a dot product of integers, `dot` among them.
    pub(super) fn integer_dot(
        &mut self,
        function: DotFunction,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity(&call, if function.accumulates { 3 } else { 2 })?;
        if let Some(elements) = function.packed {
            let uint = self.types.scalar(Scalar::UInt);
            for (n, element) in elements.into_iter().enumerate() {
                let what = format!("argument {} of `{}`", n + 1, call.name);
                self.convert_argument(&mut call, n, uint, &what)?;
                let vector = self.types.shaped(element, Some(Lanes::L4));
                let word = call.args.remove(n);
                let unpacked = self.builtin(Builtin::Bitcast, vec![word], vector, call.at);
                call.args.insert(n, unpacked);
            }
        }
        let mut unsigned = true;
        for n in 0..2 {
            match self.types.arithmetic(call.args[n].qual) {
                Some(shape) if fits(shape) => unsigned &= shape.0 == Scalar::UChar,
                Some(_) | None => return self.no_overload(&call),
            }
        }
        let scalar = if unsigned { Scalar::UInt } else { Scalar::Int };
        let result = self.types.scalar(scalar);
        if function.accumulates {
            let what = format!("argument 3 of `{}`", call.name);
            self.convert_argument(&mut call, 2, result, &what)?;
        }
        let builtin = Builtin::IntegerDot(function.accumulates);
        Ok(self.builtin(builtin, call.args, result, call.at))
    }

    /// A call of `dot` with integers.
    pub(super) fn dot_of_integers(&mut self, call: Call<'_>) -> Checked<Expr> {
        let function = DotFunction {
            accumulates: false,
            packed: None,
        };
        self.integer_dot(function, call)
    }
}

/// Whether vectors of a shape can be multiplied.
fn fits(shape: (Scalar, Option<Lanes>)) -> bool {
    matches!(shape, (Scalar::Char | Scalar::UChar, Some(Lanes::L4)))
}
