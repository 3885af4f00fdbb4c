//! Built-in functions that are calls of functions of the [library](crate::library).

use super::function::Lower;
use crate::hir::FnId;
use crate::types::Qual;
use touchstone_ir as ir;
use touchstone_ir::{Cmp, Const, Operand};

impl Lower<'_> {
    /// Calls a function; where another one is given, only if that says that there is what the first two operands
    /// name: an element of an image.
    pub(super) fn library(
        &mut self,
        function: FnId,
        holds: Option<FnId>,
        args: Vec<Operand>,
        result: Qual,
    ) -> Operand {
        let void = Const::i32(0);
        if let Some(holds) = holds {
            let place = args.iter().take(2).copied().collect();
            let there = self.b.call(holds, place, Some(ir::Type::I32));
            let there = there.map_or(void.into(), Operand::from);
            let there = self.b.compare(Cmp::Ne, there, void);
            let (inside, outside) = (self.b.block(), self.b.block());
            self.b.branch(there, inside, outside);
            self.b.switch_to(outside);
            self.b
                .terminate(ir::Terminator::Trap(ir::TrapReason::OutsideImage));
            self.b.switch_to(inside);
        }
        let ret = (!self.cx.is_void(result)).then(|| self.cx.ty(result));
        let result = self.b.call(function, args, ret);
        result.map_or(void.into(), Operand::from)
    }
}
