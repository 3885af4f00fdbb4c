//! Touchstone's OpenCL C front end: program text in, kernel IR (or SPIR-V for Vulkan) and a build
//! log out.
//!
//! [`compile`] takes the units of a program through these modules, one after the other; each knows
//! only what it is given:
//!
//! | module | takes | makes |
//! | --- | --- | --- |
//! | [`options`] | the options string | [`BuildOptions`] |
//! | [`device`] | — | what the device offers, as the language shows it |
//! | `pp` | text, macros, headers | preprocessing tokens |
//! | `token` | preprocessing tokens | tokens with their values |
//! | `parse` | tokens | the syntax tree of `ast` |
//! | `sema` | the syntax tree | the typed tree of `hir`, over `types` |
//! | `lower` | the typed tree | IR; units linked to one module |
//! | [`vulkan`] | the typed tree | SPIR-V for Vulkan, by [`compile_for_vulkan`] |
//! | [`spirv`] | SPIR-V for kernels | IR, by [`compile_spirv`] |
//! | `spirv_writer` | IR | SPIR-V for kernels, by [`compile_for_opencl`] |
//!
//! `library` has the built-in functions that are written in OpenCL C.
//!
//! `source`, `diag`, `intern` and `scope` are what all of them share: where text comes from, what is
//! wrong with it, names as numbers, and what names mean where.
//!
//! What OpenCL C has and Touchstone does not have yet fails the build with a message that names
//! the feature (`… is not supported by Touchstone yet: depth images`). No input makes this crate panic,
//! overflow its stack or grow without bound: nesting, macro expansion, includes and initial values
//! have limits, each with a message.
//!
//! ```
//! use touchstone_clc::{BuildOptions, CompileOptions, Source, compile};
//!
//! let source = Source::new("add.cl", "kernel void add(global int *a) { a[get_global_id(0)] += 1; }");
//! let options = CompileOptions {
//!     build: BuildOptions::parse("-cl-std=CL3.0")?,
//!     ..CompileOptions::default()
//! };
//! let compiled = compile(&[source], &options)?;
//! assert_eq!(compiled.module.kernels().count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod ast;
pub mod device;
mod diag;
pub mod encoding;
mod hir;
mod intern;
mod library;
mod lower;
pub mod operator;
mod options;
mod order;
mod parse;
mod pp;
mod scope;
mod sema;
mod source;
pub mod spirv;
mod spirv_writer;
mod token;
mod types;
pub mod vulkan;

pub use device::{DeviceProfile, Version};
pub use options::{BuildOptions, MacroOption, OptionError};

use diag::Diagnostics;
use intern::Interner;
use lower::Lowered;
use source::{FileId, Loc, SourceMap};
use std::fmt;
use thiserror::Error;
use touchstone_ir as ir;

/// The stack of the thread that compiles: nesting is limited well below it.
const STACK: usize = 64 << 20;

/// One translation unit. The strings of `clCreateProgramWithSource` make one unit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What messages and `__FILE__` call it.
    pub name: String,
    /// Its text; [`encoding`] makes it of bytes that are no UTF-8.
    pub text: String,
}

impl Source {
    /// A unit.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Finds the text that `#include` asks for. It is given the name as written and then the name
/// below each `-I` directory, and says None to those there are not.
pub type Headers<'h> = dyn Fn(&str) -> Option<String> + Sync + 'h;

/// How to compile.
#[derive(Clone, Default)]
pub struct CompileOptions<'h> {
    /// The options string, read.
    pub build: BuildOptions,
    /// The device to compile for.
    pub device: DeviceProfile,
    /// Where `#include` finds texts; without it there are none.
    pub headers: Option<&'h Headers<'h>>,
}

impl fmt::Debug for CompileOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileOptions")
            .field("build", &self.build)
            .field("device", &self.device)
            .field("headers", &self.headers.map(|_| ".."))
            .finish()
    }
}

/// A program that was built.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What executors run. It keeps the rules of [`touchstone_ir::validate()`].
    pub module: ir::Module,
    /// Warnings, possibly none.
    pub log: String,
}

/// A translation unit that was compiled and not yet linked (`clCompileProgram`).
#[derive(Debug)]
pub struct Unit {
    /// It and what it brings along.
    lowered: Vec<Lowered>,
    /// Warnings, possibly none.
    pub log: String,
}

/// A program that was not built; the log says why.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{log}")]
pub struct BuildFailure {
    /// Errors and warnings, each with its place, the source line and a caret.
    pub log: String,
}

/// Compiles translation units and links them.
///
/// # Errors
/// What is wrong with them, as a build log.
pub fn compile(sources: &[Source], options: &CompileOptions<'_>) -> Result<Compiled, BuildFailure> {
    let mut units = Vec::with_capacity(sources.len());
    let mut log = String::new();
    let mut failed = false;
    for source in sources {
        match compile_unit(source, options) {
            Ok(unit) => {
                log.push_str(&unit.log);
                units.push(unit);
            }
            Err(failure) => {
                failed = true;
                log.push_str(&failure.log);
            }
        }
    }
    if failed {
        return Err(BuildFailure { log });
    }
    match link(&units.iter().collect::<Vec<_>>()) {
        Ok(module) => Ok(Compiled { module, log }),
        Err(failure) => Err(BuildFailure {
            log: log + &failure.log,
        }),
    }
}

/// Compiles one translation unit.
///
/// # Errors
/// What is wrong with it, as a build log.
pub fn compile_unit(source: &Source, options: &CompileOptions<'_>) -> Result<Unit, BuildFailure> {
    on_large_stack(|| {
        let (lowered, log) = checked(source, options, |unit, sources, _| {
            Some(lower::lower(unit, sources))
        })?;
        Ok(Unit {
            lowered: vec![lowered],
            log,
        })
    })
}

/// Reads a module of SPIR-V as a unit, with values for its specialization constants. Of the options only the device
/// matters.
///
/// # Errors
/// What is wrong with it, or not supported, as a build log.
pub fn compile_spirv(
    module: &[u8],
    values: &[spirv::Specialization],
    options: &CompileOptions<'_>,
) -> Result<Unit, BuildFailure> {
    on_large_stack(|| {
        let lowered = spirv::read(module, values, options)?;
        let log = String::new();
        Ok(Unit { lowered, log })
    })
}

/// Compiles translation units and links them to a module of SPIR-V for kernels (`clCreateProgramWithIL`): its words. It
/// is of the given version, or the first that has all it needs, and declares no capability that it does not use.
///
/// # Errors
/// What is wrong with the units, or what of them is not expressed in SPIR-V, as a build log.
pub fn compile_for_opencl(
    sources: &[Source],
    options: &CompileOptions<'_>,
    version: (u8, u8),
) -> Result<Vec<u32>, BuildFailure> {
    write_spirv(&compile(sources, options)?.module, version)
}

/// Writes the kernels of a program, and what they call, as a module of SPIR-V, as [`compile_for_opencl`] does.
///
/// # Errors
/// What of them is not expressed in SPIR-V.
pub fn write_spirv(module: &ir::Module, version: (u8, u8)) -> Result<Vec<u32>, BuildFailure> {
    spirv_writer::write(module, version)
}

/// Compiles a translation unit to compute shaders for Vulkan.
///
/// # Errors
/// What is wrong with it, or not supported in shaders, as a build log.
pub fn compile_for_vulkan(
    source: &Source,
    options: &CompileOptions<'_>,
    target: &vulkan::Target,
) -> Result<vulkan::Shader, BuildFailure> {
    on_large_stack(|| {
        let (shader, log) = checked(source, options, |unit, _, diags| {
            vulkan::write(unit, target, diags).ok()
        })?;
        Ok(vulkan::Shader { log, ..shader })
    })
}

/// The reader of nested source recurses; its own thread has the stack that the limits assume.
fn on_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, BuildFailure> + Send,
) -> Result<T, BuildFailure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("clc".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        let internal = |what: &str| BuildFailure {
            log: format!("error: {what}; this is a defect of Touchstone\n"),
        };
        match thread {
            Ok(thread) => match thread.join() {
                Ok(result) => result,
                Err(_) => Err(internal("the compiler stopped unexpectedly")),
            },
            Err(error) => Err(BuildFailure {
                log: format!("error: no thread to compile on: {error}\n"),
            }),
        }
    })
}

/// Links units into a program.
///
/// # Errors
/// Names that are missing or defined twice, recursion between units.
pub fn link(units: &[&Unit]) -> Result<ir::Module, BuildFailure> {
    let mut lowered: Vec<&Lowered> = units.iter().flat_map(|u| &u.lowered).collect();
    lowered.extend(library::called_by(&lowered)?);
    let module = lower::link(&lowered).map_err(|log| BuildFailure { log })?;
    match ir::validate(&module) {
        Ok(()) => Ok(module),
        Err(error) => Err(BuildFailure {
            log: format!("error: invalid IR: {error}; this is a defect of Touchstone\n"),
        }),
    }
}

/// What `finish` makes of a unit that was checked without errors, and the log.
fn checked<T>(
    source: &Source,
    options: &CompileOptions<'_>,
    finish: impl FnOnce(&hir::Unit, &SourceMap, &mut Diagnostics) -> Option<T>,
) -> Result<(T, String), BuildFailure> {
    let mut names = Interner::default();
    let mut sources = SourceMap::default();
    let mut diags = Diagnostics::new(options.build.no_warnings, options.build.warnings_are_errors);
    let mut finished = None;
    let version = options.build.version();
    if version > options.device.version {
        diags.error_nowhere(format!(
            "-cl-std=CL{} is newer than the device, which has OpenCL C {}",
            version.name(),
            options.device.version.name()
        ));
    } else {
        let language = device::Language::new(&options.device, &options.build);
        let none = |_: &str| None;
        let headers: &pp::HeaderLookup<'_> = match &options.headers {
            Some(headers) => headers,
            None => &none,
        };
        let shared = pp::Shared {
            names: &mut names,
            diags: &mut diags,
            sources: &mut sources,
        };
        let tokens = pp::preprocess(
            shared,
            &source.name,
            &source.text,
            &options.build,
            &options.device,
            &language,
            headers,
        );
        let end = Loc {
            // The built-in definitions and the command line come first.
            file: FileId(2),
            offset: u32::try_from(source.text.len()).unwrap_or(u32::MAX),
        };
        let types = sema::type_names(&language, &mut names);
        let tokens = token::tokens(&tokens, &names, &mut diags, end);
        let items = parse::parse(tokens, &names, &mut diags, types.into_iter());
        let unit = sema::check(&items, &mut names, &mut diags, &language);
        if !diags.failed() {
            finished = finish(&unit, &sources, &mut diags);
        }
    }
    let log = encoding::shown(diags.render(&sources));
    match finished {
        Some(finished) => Ok((finished, log)),
        None => Err(BuildFailure { log }),
    }
}
