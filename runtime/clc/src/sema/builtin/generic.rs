//! Functions of generic pointers (OpenCL C 6.15.10).

use super::Call;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Qual, Scalar, Space};

impl Sema<'_> {
    /// The pointer argument as one to the generic address space, and what it points to.
    fn generic_argument(&mut self, call: &mut Call<'_>) -> Checked<Qual> {
        self.arity(call, 1)?;
        let to = self.pointee_argument(call, 0)?;
        if to.space == Space::Constant {
            return self.no_overload(call);
        }
        let generic = self.types.pointer(to.in_space(Space::Generic));
        let arg = call.args.remove(0);
        call.args.push(self.pointer_as(arg, generic));
        Ok(to)
    }

    /// `to_global`, `to_local`, `to_private`
    pub(super) fn generic_to(&mut self, space: Space, mut call: Call<'_>) -> Checked<Expr> {
        let to = self.generic_argument(&mut call)?;
        let qual = self.types.pointer(to.in_space(space));
        Ok(self.builtin(Builtin::ToSpace, call.args, qual, call.at))
    }

    /// `get_fence`
    pub(super) fn get_fence(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        self.generic_argument(&mut call)?;
        let qual = self.types.scalar(Scalar::UInt);
        Ok(self.builtin(Builtin::GetFence, call.args, qual, call.at))
    }
}
