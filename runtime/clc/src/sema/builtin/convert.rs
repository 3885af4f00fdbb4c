//! `convert_…` and `as_…` (OpenCL C 6.4.3, 6.4.4).

use super::Call;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Scalar, Type};
use touchstone_ir::Rounding;

/// The rounding that a suffix names.
pub(super) fn rounding(word: &str) -> Option<Rounding> {
    match word {
        "rte" => Some(Rounding::NearestEven),
        "rtz" => Some(Rounding::TowardZero),
        "rtp" => Some(Rounding::Up),
        "rtn" => Some(Rounding::Down),
        _ => None,
    }
}

/// What the name of a conversion function says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion {
    scalar: Scalar,
    lanes: Option<Lanes>,
    /// None for `as_…`.
    how: Option<(Rounding, bool)>,
}

/// The conversion function of a name.
pub(super) fn conversion(name: &str) -> Option<Conversion> {
    if let Some(ty) = name.strip_prefix("as_") {
        let (scalar, lanes) = type_of(ty)?;
        return Some(Conversion {
            scalar,
            lanes,
            how: None,
        });
    }
    let mut words = name.strip_prefix("convert_")?.split('_');
    let (scalar, lanes) = type_of(words.next()?)?;
    let words: Vec<&str> = words.collect();
    let (saturate, round) = match words.as_slice() {
        [] => (false, Rounding::Default),
        ["sat"] => (true, Rounding::Default),
        ["sat", word] => (true, rounding(word)?),
        [word] => (false, rounding(word)?),
        _ => return None,
    };
    if saturate && scalar.is_float() {
        return None;
    }
    Some(Conversion {
        scalar,
        lanes,
        how: Some((round, saturate)),
    })
}

fn type_of(text: &str) -> Option<(Scalar, Option<Lanes>)> {
    let end = text
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(text.len());
    let scalar = Scalar::from_name(&text[..end]).filter(|&scalar| scalar != Scalar::Bool)?;
    let lanes = match &text[end..] {
        "" => None,
        digits => Some(Lanes::from_count(digits.parse().ok()?)?),
    };
    Some((scalar, lanes))
}

impl Sema<'_> {
    pub(super) fn conversion(
        &mut self,
        conversion: Conversion,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        self.arity(&call, 1)?;
        let at = call.at;
        if conversion.scalar == Scalar::Double && !self.language.fp64 {
            return self.error(at, "this device has no double precision (cl_khr_fp64)");
        }
        self.check_half(conversion.scalar, at)?;
        let qual = self.types.shaped(conversion.scalar, conversion.lanes);
        let Some((from, lanes)) = self.types.arithmetic(call.args[0].qual) else {
            if let (Type::Pointer(_), None) = (self.types.of(call.args[0].qual), conversion.how) {
                return self.error(at, "a pointer is cast, not reinterpreted");
            }
            return self.no_overload(&call);
        };
        let Some((rounding, saturate)) = conversion.how else {
            let from_size = self.complete(call.args[0].qual, at, "an operand")?;
            let to_size = self.complete(qual, at, "a result")?;
            if from_size != to_size {
                let name = call.name;
                let message =
                    format!("`{name}` needs an operand of {to_size} bytes, not {from_size}");
                return self.error(at, message);
            }
            if let Some((bits, _)) = self.constant(&call.args[0])
                && conversion.lanes.is_none()
            {
                return Ok(self.number(bits, conversion.scalar, at));
            }
            return Ok(self.builtin(Builtin::Bitcast, call.args, qual, at));
        };
        if lanes != conversion.lanes {
            return self.no_overload(&call);
        }
        if from == conversion.scalar {
            let arg = call.args.remove(0);
            return Ok(arg);
        }
        let builtin = Builtin::Convert { rounding, saturate };
        Ok(self.builtin(builtin, call.args, qual, at))
    }
}
