//! The bridge to the OpenCL C front end.

use touchstone_ir::Module;

use crate::program::binary::Source;

/// A compiled translation unit.
pub struct Unit {
    /// What it was compiled from.
    pub source: Source,
    /// What came of it.
    pub module: Module,
    /// Whether all its work-groups must have the same size.
    pub uniform_groups: bool,
    /// Whether it keeps the arguments' names and types.
    pub argument_info: bool,
}

/// Extensions of the language.
pub fn extensions() -> Vec<String> {
    Vec::new()
}

/// Optional features of OpenCL C 3.0.
pub fn features() -> Vec<String> {
    Vec::new()
}

/// Versions of OpenCL C that programs may ask for, oldest first, as (major, minor).
pub fn versions() -> Vec<(u32, u32)> {
    vec![(1, 0), (1, 1), (1, 2), (2, 0), (3, 0)]
}

/// Checks an options string; says what is wrong with it.
pub fn check_options(_options: &str) -> Result<(), String> {
    Ok(())
}

/// Compiles a unit; gives the log and the unit, or the log alone.
pub fn compile(_source: Source) -> Result<(String, Unit), String> {
    Err("no compiler yet".into())
}

/// Links units into one module.
pub fn link(_units: &[std::sync::Arc<Unit>]) -> Result<Module, String> {
    Err("no linker yet".into())
}
