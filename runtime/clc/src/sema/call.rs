//! Calls.

use super::scope::Entry;
use super::{Checked, Sema};
use crate::ast;
use crate::diag::{Reported, count};
use crate::hir::{Expr, ExprKind, FnId};
use crate::source::Loc;

impl Sema<'_> {
    pub(super) fn call(
        &mut self,
        function: &ast::Expr,
        args: &[ast::Expr],
        at: Loc,
    ) -> Checked<Expr> {
        let ast::ExprKind::Ident(symbol) = function.kind else {
            let block = self.rvalue(function)?;
            return self.call_block(block, args, at);
        };
        match self.resolve(symbol, at)? {
            Some(Entry::Block(block)) => {
                let block = self.named_block(block, at);
                self.call_block(block, args, at)
            }
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
                let values = values.into_iter().collect::<Checked<Vec<_>>>()?;
                let (id, values) = match self.takes_blocks(id) {
                    true => self.with_blocks(id, values, at)?,
                    false => (id, values),
                };
                self.note_call(id, at);
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

    /// What a call of a function that takes blocks calls, and with which values.
    fn with_blocks(&mut self, id: FnId, values: Vec<Expr>, at: Loc) -> Checked<(FnId, Vec<Expr>)> {
        let pointer = self.captured_pointer();
        let mut blocks = Vec::new();
        let mut passed = Vec::with_capacity(values.len());
        for value in values {
            if !self.types.is_block(value.qual) {
                passed.push(value);
                continue;
            }
            let (qual, loc) = (value.qual, value.loc);
            let (block, captured) = self.block_of(value, qual, "an argument")?;
            blocks.push(block);
            passed.push(captured.map_or_else(|| self.null(pointer, loc), |captured| *captured));
        }
        Ok((self.instance_for(id, blocks, at)?, passed))
    }

    /// Keeps in mind who calls whom.
    pub(super) fn note_call(&mut self, callee: FnId, at: Loc) {
        let caller = self.current.as_ref().map(|current| current.id);
        self.calls.extend(caller.map(|caller| (caller, callee, at)));
    }
}
