//! The library: built-in functions that are written in OpenCL C, in files of `library/`.
//!
//! A unit that calls one only declares it; [`link`](crate::link()) adds the library where a unit does so. The names
//! of its functions begin with two underscores, as names of a program may not.

use crate::lower::Lowered;
use crate::{BuildFailure, BuildOptions, CompileOptions, Source, compile_unit};
use std::sync::LazyLock;

/// Functions of images.
const IMAGES: &str = include_str!("library/image.cl");

/// How the names of its functions begin.
const OWN: &str = "__";

/// The library, where one of the units calls it.
///
/// # Errors
/// When it does not compile, which is a defect of it.
pub(crate) fn called_by(units: &[&Lowered]) -> Result<Option<&'static Lowered>, BuildFailure> {
    static LIBRARY: LazyLock<Result<Lowered, BuildFailure>> = LazyLock::new(|| {
        let options = CompileOptions {
            build: BuildOptions::parse("-cl-std=CL3.0").unwrap_or_default(),
            ..CompileOptions::default()
        };
        compile_unit(&Source::new("image.cl", IMAGES), &options).map(|unit| unit.lowered)
    });
    let mut declared = units.iter().flat_map(|unit| &unit.functions);
    if !declared.any(|function| !function.defined && function.name.starts_with(OWN)) {
        return Ok(None);
    }
    LIBRARY.as_ref().map(Some).map_err(BuildFailure::clone)
}
