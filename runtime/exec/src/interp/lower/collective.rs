//! Calls of collective functions.

use super::function::Lowering;
use crate::interp::code::{Ins, Meeting};
use touchstone_ir::{Collective, Operand, Reg};

impl Lowering<'_> {
    pub(super) fn collective(
        &mut self,
        (sub_group, function): (bool, Collective),
        value: Operand,
        from: &[Operand],
        dst: Option<Reg>,
    ) {
        let meeting = Meeting {
            function,
            scalar: self.element(self.type_of(value)),
            value: self.operand(value),
            from: from.iter().map(|&id| self.operand(id)).collect(),
            result: self.result(dst),
        };
        let meeting = self.e.meeting(meeting);
        self.e.emit(Ins::Collective { sub_group, meeting });
    }
}
