//! The textual form of a module, for people and snapshots.

use crate::module::Module;
use std::fmt;

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for function in &self.functions {
            writeln!(f, "{}", function.name)?;
        }
        Ok(())
    }
}
