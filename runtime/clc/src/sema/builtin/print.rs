//! `printf` (OpenCL C 6.15.14).

use super::Call;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Scalar, Space, Type};

impl Sema<'_> {
    /// The format points to constant memory; what follows is promoted as C promotes the
    /// arguments of functions without a prototype.
    pub(super) fn printf(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        let format = match call.args.first() {
            Some(format) => self.types.pointee(format.qual),
            None => return self.error(call.at, "`printf` needs a format"),
        };
        let string = |to| self.types.as_scalar(to) == Some(Scalar::Char);
        if !format.is_some_and(|to| to.space == Space::Constant && string(to)) {
            let message = "the format of `printf` is a string in constant memory";
            return self.error(call.args[0].loc, message);
        }
        let mut args = std::mem::take(&mut call.args).into_iter();
        call.args.extend(args.next());
        for (i, arg) in args.enumerate() {
            let arg = match self.types.of(arg.qual) {
                Type::Scalar(Scalar::Float) if self.language.fp64 => {
                    self.numeric(arg, Scalar::Double)
                }
                Type::Scalar(Scalar::Half) => {
                    let to = match self.language.fp64 {
                        true => Scalar::Double,
                        false => Scalar::Float,
                    };
                    self.numeric(arg, to)
                }
                Type::Scalar(_) => self.promote(arg),
                Type::Vector(..) | Type::Pointer(_) => arg,
                _ => {
                    let (n, ty) = (i + 2, self.show(arg.qual));
                    let message = format!(
                        "argument {n} of `printf` is of type `{ty}`, which it does not print"
                    );
                    return self.error(arg.loc, message);
                }
            };
            call.args.push(arg);
        }
        let int = self.types.scalar(Scalar::Int);
        Ok(self.builtin(Builtin::Printf, call.args, int, call.at))
    }
}
