//! Calls.

use super::scope::Entry;
use super::{Checked, Sema};
use crate::ast;
use crate::diag::{Reported, count};
use crate::hir::{Expr, ExprKind};
use crate::source::Loc;

impl Sema<'_> {
    pub(super) fn call(
        &mut self,
        function: &ast::Expr,
        args: &[ast::Expr],
        at: Loc,
    ) -> Checked<Expr> {
        let ast::ExprKind::Ident(symbol) = function.kind else {
            return self.error(at, "only a function can be called, by its name");
        };
        match self.scopes.find(symbol) {
            Some(Entry::Function(id)) => {
                let function = &self.functions[id.0 as usize];
                let (ret, params) = (function.ret, function.params.clone());
                let name = function.name.clone();
                if args.len() != params.len() {
                    let (takes, given) = (count(params.len(), "argument"), args.len());
                    let declared_at = function.loc;
                    self.diags
                        .error(at, format!("`{name}` takes {takes}, and is given {given}"));
                    self.diags
                        .note(declared_at, format!("`{name}` is declared here"));
                    return Err(Reported);
                }
                // Each argument on its own: all that are wrong are reported.
                let values: Vec<_> = (1..)
                    .zip(args.iter().zip(params))
                    .map(|(i, (arg, param))| {
                        let value = self.expr(arg)?;
                        self.implicit(value, param.value(), &format!("argument {i} of `{name}`"))
                    })
                    .collect();
                let values = values.into_iter().collect::<Checked<_>>()?;
                self.calls
                    .extend(self.current.as_ref().map(|current| (current.id, id, at)));
                Ok(self.value(ExprKind::Call(id, values), ret, at))
            }
            Some(_) => {
                let message = format!("`{}` is not a function", self.name(symbol));
                self.error(at, message)
            }
            None => {
                let name = self.name(symbol);
                // Calls at program scope are never constant.
                self.current(at)?;
                self.builtin_call(&name, args, at)
            }
        }
    }
}
