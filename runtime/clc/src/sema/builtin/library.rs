//! Calls of functions of the [library](crate::library).

use crate::hir::{Builtin, Expr, FnId, Function};
use crate::intern::add;
use crate::sema::Sema;
use crate::source::Loc;
use crate::types::Qual;

impl Sema<'_> {
    /// A call of a function of the library. `holds` is another one, which is asked first whether there is what
    /// the first two arguments name.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        result: Qual,
        holds: Option<FnId>,
        at: Loc,
    ) -> Expr {
        let params = args.iter().map(|arg| arg.qual.value()).collect();
        let function = self.library_function(name, params, result, at);
        self.builtin(Builtin::Library { function, holds }, args, result, at)
    }

    /// A function of the library, declared.
    pub(super) fn library_function(
        &mut self,
        name: &str,
        params: Vec<Qual>,
        ret: Qual,
        loc: Loc,
    ) -> FnId {
        if let Some(&known) = self.library.get(name) {
            return known;
        }
        let function = Function {
            name: name.to_owned(),
            loc,
            ret,
            params,
            external: true,
            kernel: None,
            body: None,
        };
        let id = FnId(add(&mut self.functions, function));
        self.library.insert(name.to_owned(), id);
        id
    }
}
