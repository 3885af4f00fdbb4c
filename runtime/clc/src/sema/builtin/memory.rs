//! Vector loads and stores (OpenCL C 6.15.7).

use super::Call;
use super::table::Memory;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Scalar, Space};

impl Sema<'_> {
    /// The element type behind a pointer argument; `write` says what it is for.
    fn elements_behind(&mut self, call: &Call<'_>, index: usize, write: bool) -> Checked<Scalar> {
        let to = self.pointee_argument(call, index)?;
        if write && (to.constant || to.space == Space::Constant) {
            return self.error(call.at, "constant memory cannot be written");
        }
        match self.types.as_scalar(to) {
            Some(scalar) if scalar != Scalar::Bool => Ok(scalar),
            Some(_) | None => self.no_overload(call),
        }
    }

    pub(super) fn memory_builtin(&mut self, memory: Memory, mut call: Call<'_>) -> Checked<Expr> {
        let at = call.at;
        let size = self.types.scalar(Scalar::SIZE);
        match memory {
            Memory::Load(vectors) => {
                self.arity(&call, 2)?;
                let scalar = self.elements_behind(&call, 1, false)?;
                let element = match (vectors.halves, scalar == Scalar::Half) {
                    (false, false) => scalar,
                    (true, true) => Scalar::Float,
                    (true, false) => return self.no_overload(&call),
                    (false, true) => {
                        self.check_half(scalar, at)?;
                        scalar
                    }
                };
                self.convert_argument(&mut call, 0, size, "the offset")?;
                let qual = self.types.shaped(element, Lanes::from_count(vectors.lanes));
                Ok(self.builtin(Builtin::VLoad(vectors), call.args, qual, at))
            }
            Memory::Store(vectors, rounding) => {
                self.arity(&call, 3)?;
                let scalar = self.elements_behind(&call, 2, true)?;
                let shape = Lanes::from_count(vectors.lanes);
                let Some((given, lanes)) = self.types.arithmetic(call.args[0].qual) else {
                    return self.no_overload(&call);
                };
                let element = match (vectors.halves, given) {
                    (true, Scalar::Double) => Scalar::Double,
                    (true, _) => Scalar::Float,
                    (false, _) => scalar,
                };
                // A scalar becomes a vector, as by assignment.
                let fits = (lanes.is_none() || (given, lanes) == (element, shape))
                    && (scalar == Scalar::Half || !vectors.halves);
                if !fits {
                    return self.no_overload(&call);
                }
                self.check_half(element, at)?;
                let value = self.types.shaped(element, shape);
                self.convert_argument(&mut call, 0, value, "the value")?;
                self.convert_argument(&mut call, 1, size, "the offset")?;
                let void = self.types.void();
                Ok(self.builtin(Builtin::VStore(vectors, rounding), call.args, void, at))
            }
            Memory::Prefetch => {
                self.arity(&call, 2)?;
                if self.pointee_argument(&call, 0)?.space != Space::Global {
                    return self.no_overload(&call);
                }
                let void = self.types.void();
                Ok(self.builtin(Builtin::Nothing, call.args, void, at))
            }
        }
    }
}
