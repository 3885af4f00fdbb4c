//! Calls of `printf`.

use super::function::Lowering;
use crate::interp::code::{Ins, PrintArg, Printing};
use touchstone_ir::{Operand, Reg, Type};

impl Lowering<'_> {
    pub(super) fn printf(&mut self, format: Operand, args: &[Operand], dst: Option<Reg>) {
        let site = self.site(format, 1, false);
        let format = (self.operand(format), site);
        let args = args
            .iter()
            .map(|&arg| {
                let slot = self.operand(arg);
                match self.type_of(arg) {
                    Type::Scalar(scalar) => PrintArg::Number(slot, scalar, 1),
                    Type::Vector(scalar, lanes) => PrintArg::Number(slot, scalar, lanes.count()),
                    Type::Pointer(_) => PrintArg::Pointer(slot, self.site(arg, 1, false)),
                }
            })
            .collect();
        let print = self.e.printing(Printing { format, args });
        let d = self.result(dst);
        self.e.emit(Ins::Print { d, print });
    }
}
