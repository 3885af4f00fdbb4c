//! Terminators: jumps, branches, switches, ends.

use super::compare::{Test, TestKind};
use super::emit::Label;
use super::function::Lowering;
use crate::interp::code::{Ins, Slot, SwitchTable, TrapCode};
use touchstone_ir::{BlockId, Op, Operand, Terminator};

/// What a branch looks at.
#[derive(Clone, Copy, Debug)]
enum Condition {
    True(Slot),
    Test(Test),
}

impl Lowering<'_> {
    pub(super) fn terminator(&mut self, b: usize) {
        let block = &self.function.blocks[b];
        match &block.term {
            Terminator::Jump(to) => {
                if to.0 as usize != b + 1 {
                    self.jump(b, *to);
                }
            }
            Terminator::Branch {
                cond,
                then_block,
                else_block,
            } => self.branch(b, *cond, *then_block, *else_block),
            Terminator::Switch {
                value,
                cases,
                default,
            } => self.switch(b, *value, cases, *default),
            Terminator::Return(value) => {
                if self.is_kernel {
                    self.e.emit(Ins::End);
                    return;
                }
                if let Some(value) = *value {
                    let lanes = self.type_of(value).lanes();
                    let a = self.operand(value);
                    self.moves(self.interface.result, a, lanes);
                }
                self.e.emit(Ins::Return {
                    link: self.interface.link,
                });
            }
            Terminator::Unreachable => self.e.emit(Ins::Trap {
                reason: TrapCode::Unreachable,
            }),
            Terminator::Trap(reason) => self.e.emit(Ins::Trap {
                reason: TrapCode::Reason(*reason),
            }),
        }
    }

    fn jump(&mut self, b: usize, to: BlockId) {
        let back = to.0 as usize <= b;
        if back && self.analysis.endless[to.0 as usize] {
            self.e.emit(Ins::Trap {
                reason: TrapCode::EndlessLoop,
            });
            return;
        }
        let to = self.e.target(self.labels[to.0 as usize]);
        self.e.emit(if back {
            Ins::JumpBack { to }
        } else {
            Ins::Jump { to }
        });
    }

    /// Every cycle of blocks has a jump to the same or an earlier block, which
    /// is made by `JumpBack`, so that loops cost steps.
    fn branch(&mut self, b: usize, cond: Operand, yes: BlockId, no: BlockId) {
        if yes == no {
            if yes.0 as usize != b + 1 {
                self.jump(b, yes);
            }
            return;
        }
        let condition = self.condition(b, cond);
        let is_back = |to: BlockId| to.0 as usize <= b;
        let is_next = |to: BlockId| to.0 as usize == b + 1;
        let label = |l: &Self, to: BlockId| l.labels[to.0 as usize];
        if !is_back(yes) && !is_next(yes) {
            let to = label(self, yes);
            self.jump_if(condition, true, to);
            if !is_next(no) {
                self.jump(b, no);
            }
        } else if !is_back(no) && !is_next(no) {
            let to = label(self, no);
            self.jump_if(condition, false, to);
            if !is_next(yes) {
                self.jump(b, yes);
            }
        } else {
            // One is next and the other goes back, or both go back.
            let (back, other, when) = if is_next(yes) {
                (no, yes, true)
            } else {
                (yes, no, false)
            };
            let skip = self.e.label();
            self.jump_if(condition, when, skip);
            self.jump(b, back);
            self.e.place(skip);
            if !is_next(other) {
                self.jump(b, other);
            }
        }
    }

    /// What a branch looks at.
    fn condition(&mut self, b: usize, cond: Operand) -> Condition {
        if self.analysis.fused_branch[b]
            && let Some(last) = self.function.blocks[b].insts.last()
            && let Op::Compare(cmp, x, y) = last.op
        {
            let scalar = self.element(self.type_of(x));
            let (a, b) = (self.operand(x), self.operand(y));
            return Condition::Test(self.test(cmp, scalar, a, b));
        }
        Condition::True(self.operand(cond))
    }

    /// Jumps if the condition is `when`.
    fn jump_if(&mut self, condition: Condition, when: bool, to: Label) {
        let to = self.e.target(to);
        self.e.emit(match condition {
            Condition::True(a) if when => Ins::JumpIf { a, to },
            Condition::True(a) => Ins::JumpIfNot { a, to },
            Condition::Test(test) => {
                let Test { kind, a, b } = if when { test } else { test.negated() };
                match kind {
                    TestKind::Eq => Ins::JumpEq { a, b, to },
                    TestKind::Ne => Ins::JumpNe { a, b, to },
                    TestKind::ULt => Ins::JumpULt { a, b, to },
                    TestKind::ULe => Ins::JumpULe { a, b, to },
                    TestKind::SLt32 => Ins::JumpSLt32 { a, b, to },
                    TestKind::SLe32 => Ins::JumpSLe32 { a, b, to },
                    TestKind::SLt64 => Ins::JumpSLt64 { a, b, to },
                    TestKind::SLe64 => Ins::JumpSLe64 { a, b, to },
                }
            }
        });
    }

    fn switch(&mut self, b: usize, value: Operand, cases: &[(u64, BlockId)], default: BlockId) {
        let a = self.operand(value);
        // Targets that go back get a jump of their own, which costs a step.
        let mut stubs: Vec<(Label, BlockId)> = Vec::new();
        let mut target = |l: &mut Self, to: BlockId| {
            let label = if to.0 as usize > b {
                l.labels[to.0 as usize]
            } else if let Some(&(label, _)) = stubs.iter().find(|s| s.1 == to) {
                label
            } else {
                let label = l.e.label();
                stubs.push((label, to));
                label
            };
            l.e.target(label)
        };
        let table = SwitchTable {
            cases: cases
                .iter()
                .map(|&(value, to)| (value, target(self, to)))
                .collect(),
            default: target(self, default),
        };
        let table = self.e.switch(table);
        self.e.emit(Ins::Switch { a, table });
        for (label, to) in stubs {
            self.e.place(label);
            self.jump(b, to);
        }
    }
}
