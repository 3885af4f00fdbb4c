//! Extended bit operations (OpenCL C 6.15.3.1).

use super::Call;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::Scalar;
use touchstone_ir::Intrinsic;

/// An extended bit operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum BitFunction {
    /// `bitfield_insert`
    Insert,
    /// `bitfield_extract_signed` (true) and `bitfield_extract_unsigned`
    Extract(bool),
    /// `bit_reverse`
    Reverse,
}

/// The extended bit operation of a name.
pub(super) fn bits(name: &str) -> Option<BitFunction> {
    Some(match name {
        "bitfield_insert" => BitFunction::Insert,
        "bitfield_extract_signed" => BitFunction::Extract(true),
        "bitfield_extract_unsigned" => BitFunction::Extract(false),
        "bit_reverse" => BitFunction::Reverse,
        _ => return None,
    })
}

impl Sema<'_> {
    /// A call of an extended bit operation: integers of one type, and where the field begins and how long it is.
    pub(super) fn bit_function(
        &mut self,
        function: BitFunction,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        let (integers, places) = match function {
            BitFunction::Insert => (2, 2),
            BitFunction::Extract(_) => (1, 2),
            BitFunction::Reverse => (1, 0),
        };
        self.arity(&call, integers + places)?;
        let (scalar, lanes) = self.unify(&mut call, 0..integers)?;
        if scalar.is_float() || scalar == Scalar::Bool {
            return self.no_overload(&call);
        }
        let uint = self.types.scalar(Scalar::UInt);
        for n in integers..integers + places {
            let what = format!("argument {} of `{}`", n + 1, call.name);
            self.convert_argument(&mut call, n, uint, &what)?;
        }
        let (builtin, scalar) = match function {
            BitFunction::Insert => (Builtin::BitfieldInsert, scalar),
            BitFunction::Extract(true) => (Builtin::BitfieldExtract(true), scalar.signed_of_size()),
            BitFunction::Extract(false) => {
                (Builtin::BitfieldExtract(false), scalar.unsigned_of_size())
            }
            BitFunction::Reverse => (Builtin::Intrinsic(Intrinsic::BitReverse), scalar),
        };
        let qual = self.types.shaped(scalar, lanes);
        Ok(self.builtin(builtin, call.args, qual, call.at))
    }
}
