//! Calls.

use super::scope::Entry;
use super::{Checked, Sema};
use crate::ast;
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
                    let message = format!(
                        "`{name}` takes {} argument{}, and is given {}",
                        params.len(),
                        if params.len() == 1 { "" } else { "s" },
                        args.len()
                    );
                    let declared_at = self.functions[id.0 as usize].loc;
                    self.diags.error(at, message);
                    self.diags
                        .note(declared_at, format!("`{name}` is declared here"));
                    return Err(crate::diag::Reported);
                }
                let mut values = Vec::with_capacity(args.len());
                let mut wrong = None;
                for (i, (arg, param)) in args.iter().zip(params).enumerate() {
                    let what = format!("argument {} of `{name}`", i + 1);
                    let value = self
                        .expr(arg)
                        .and_then(|value| self.implicit(value, param.value(), &what));
                    match value {
                        Ok(value) => values.push(value),
                        Err(reported) => wrong = Some(reported),
                    }
                }
                if let Some(reported) = wrong {
                    return Err(reported);
                }
                if let Some(current) = &self.current {
                    let from = current.id;
                    self.calls.push((from, id, at));
                }
                Ok(self.value(ExprKind::Call(id, values), ret, at))
            }
            Some(
                Entry::Var(_)
                | Entry::Global(_)
                | Entry::Local(_)
                | Entry::Typedef(_)
                | Entry::Enumerator(..),
            ) => {
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
