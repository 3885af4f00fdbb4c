//! What a block's end names and reads.

use super::typing::show;
use super::{Check, check_id, check_operand, ensure};
use crate::function::Function;
use crate::op::Terminator;
use crate::types::Type;

pub(super) fn check(function: &Function, term: &Terminator) -> Check {
    let mut targets = Ok(());
    term.for_each_target(|b| {
        if targets.is_ok() {
            targets = check_id(b, b.0, function.blocks.len());
        }
    });
    targets?;
    match term {
        Terminator::Branch { cond, .. } => {
            let ty = check_operand(function, *cond)?;
            ensure!(ty == Type::BOOL, "a branch by {ty}, not bool");
        }
        Terminator::Switch { value, cases, .. } => {
            let ty = check_operand(function, *value)?;
            let Type::Scalar(scalar) = ty else {
                return Err(format!("a switch by {ty}, not an integer"));
            };
            ensure!(scalar.is_int(), "a switch by {ty}, not an integer");
            let mut values: Vec<u64> = cases.iter().map(|c| c.0).collect();
            values.sort_unstable();
            for pair in values.windows(2) {
                ensure!(pair[0] != pair[1], "case {} appears twice", pair[0]);
            }
            if let Some(&last) = values.last() {
                ensure!(
                    last & !scalar.mask() == 0,
                    "case {last:#x} has bits beyond {ty}"
                );
            }
        }
        Terminator::Return(value) => {
            let ty = value
                .map(|value| check_operand(function, value))
                .transpose()?;
            ensure!(
                ty == function.ret,
                "returns {}, the function has {}",
                show(ty),
                show(function.ret)
            );
        }
        Terminator::Jump(_) | Terminator::Unreachable | Terminator::Trap(_) => {}
    }
    Ok(())
}
