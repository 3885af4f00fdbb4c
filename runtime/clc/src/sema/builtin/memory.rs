//! Vector loads and stores (OpenCL C 6.15.7).

use super::Call;
use super::table::Memory;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Lanes, Qual, Scalar, Space};

impl Sema<'_> {
    /// The element type behind a pointer argument; `write` says what it is for.
    fn elements_behind(
        &mut self,
        call: &Call<'_>,
        index: usize,
        write: bool,
    ) -> Checked<(Scalar, Qual)> {
        let Some(to) = call
            .args
            .get(index)
            .and_then(|a| self.types.pointee(a.qual))
        else {
            return self.no_overload(call);
        };
        if write && (to.constant || to.space == Space::Constant) {
            return self.error(call.at, "constant memory cannot be written");
        }
        match self.types.as_scalar(to) {
            Some(scalar) if scalar != Scalar::Bool => Ok((scalar, to)),
            Some(_) | None => self.no_overload(call),
        }
    }

    /// Converts the offset argument to `size_t`.
    fn offset_argument(&mut self, call: &mut Call<'_>, index: usize) -> Checked<()> {
        let size = self.types.scalar(Scalar::SIZE);
        let offset = call.args.remove(index);
        let offset = self.implicit(offset, size, "the offset")?;
        call.args.insert(index, offset);
        Ok(())
    }

    pub(super) fn memory_builtin(&mut self, memory: Memory, mut call: Call<'_>) -> Checked<Expr> {
        let at = call.at;
        match memory {
            Memory::Load(n) => {
                self.arity(&call, 2)?;
                let (scalar, _) = self.elements_behind(&call, 1, false)?;
                if scalar == Scalar::Half {
                    return self.unsupported(at, "this function", "half-precision arithmetic");
                }
                self.offset_argument(&mut call, 0)?;
                let qual = self.types.shaped(scalar, Lanes::from_count(n));
                Ok(self.builtin(Builtin::VLoad, call.args, qual, at))
            }
            Memory::Store(n) => {
                self.arity(&call, 3)?;
                let (scalar, _) = self.elements_behind(&call, 2, true)?;
                let wanted = self.types.shaped(scalar, Lanes::from_count(n));
                if call.args[0].qual.ty != wanted.ty {
                    return self.no_overload(&call);
                }
                self.offset_argument(&mut call, 1)?;
                let void = self.types.void();
                Ok(self.builtin(Builtin::VStore, call.args, void, at))
            }
            Memory::LoadHalf { lanes, aligned } => {
                self.arity(&call, 2)?;
                let (scalar, _) = self.elements_behind(&call, 1, false)?;
                if scalar != Scalar::Half {
                    return self.no_overload(&call);
                }
                self.offset_argument(&mut call, 0)?;
                let stride = stride(lanes, aligned);
                let qual = self.types.shaped(Scalar::Float, Lanes::from_count(lanes));
                Ok(self.builtin(Builtin::VLoadHalf { stride }, call.args, qual, at))
            }
            Memory::StoreHalf {
                lanes,
                aligned,
                rounding,
            } => {
                self.arity(&call, 3)?;
                let (scalar, _) = self.elements_behind(&call, 2, true)?;
                if scalar != Scalar::Half {
                    return self.no_overload(&call);
                }
                if lanes == 1
                    && self
                        .types
                        .as_scalar(call.args[0].qual)
                        .is_some_and(Scalar::is_int)
                {
                    let value = call.args.remove(0);
                    let value = self.numeric(value, Scalar::Float);
                    call.args.insert(0, value);
                }
                match self.types.arithmetic(call.args[0].qual) {
                    Some((Scalar::Float | Scalar::Double, shape))
                        if shape == Lanes::from_count(lanes) => {}
                    Some(_) | None => return self.no_overload(&call),
                }
                self.offset_argument(&mut call, 1)?;
                let stride = stride(lanes, aligned);
                let void = self.types.void();
                let builtin = Builtin::VStoreHalf { stride, rounding };
                Ok(self.builtin(builtin, call.args, void, at))
            }
            Memory::Prefetch => {
                self.arity(&call, 2)?;
                match call.args.first().and_then(|a| self.types.pointee(a.qual)) {
                    Some(to) if to.space == Space::Global => {}
                    Some(_) | None => return self.no_overload(&call),
                }
                let void = self.types.void();
                Ok(self.builtin(Builtin::Nothing, call.args, void, at))
            }
        }
    }
}

/// Elements between vectors: the aligned form of three elements has room for a fourth.
fn stride(lanes: u32, aligned: bool) -> u32 {
    if aligned && lanes == 3 { 4 } else { lanes }
}
