//! Compiling and linking.
//!
//! A build without a callback is done when the call returns; with one, it runs on a
//! thread of its own and the callback is called when it has ended, on the callback
//! thread. Errors of the arguments are told at once in both cases.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use opencl_sys::*;
use touchstone_exec::Executable;

use super::binary::{Kind, Source};
use super::{Built, Origin, Product, Program};
use crate::callback::{self, UserData};
use crate::edge::{Error, Result};
use crate::frontend::{self, Unit};
use crate::object;

/// The callback of a build.
pub type BuiltFn = unsafe extern "C" fn(program: cl_program, user_data: *mut c_void);

/// A callback with its pointer.
pub type Notify = Option<(BuiltFn, UserData)>;

/// What is to be done.
pub enum Task {
    /// `clBuildProgram`: compile what the program came from and link it.
    Build {
        /// The options.
        options: String,
    },
    /// `clCompileProgram`: compile the program's source.
    Compile {
        /// The options.
        options: String,
        /// Names and texts of headers.
        headers: Vec<(String, String)>,
    },
    /// `clLinkProgram`: link compiled units into this, a new program.
    Link {
        /// The units, in the order of the inputs.
        units: Vec<Arc<Unit>>,
        /// Whether to make a library.
        library: bool,
    },
}

/// What came of it: log and product, or log alone.
type Outcome = std::result::Result<(String, Product), String>;

/// Carries out a task for a program whose [`Program::begin_build`] has succeeded.
///
/// # Errors
/// `failure`, when the task is done at once and fails.
pub fn carry_out(
    program: &Arc<Program>,
    task: Task,
    notify: Notify,
    failure: cl_int,
) -> Result<()> {
    let Some((notify, user_data)) = notify else {
        return perform(program, &task).then_some(()).ok_or(Error(failure));
    };
    let on_thread = Arc::clone(program);
    let work = move || {
        perform(&on_thread, &task);
        callback::later(move || {
            // SAFETY: the application gave this function for this purpose; the program is
            // alive until it returns.
            unsafe { notify(object::handle(&on_thread), user_data.get()) };
        });
    };
    std::thread::Builder::new()
        .name("touchstone-build".into())
        .spawn(work)
        .map(drop)
        .map_err(|_| {
            let log = "the system has no thread left for the build".to_owned();
            program.end_build(CL_BUILD_ERROR, log, Product::Nothing);
            Error(CL_OUT_OF_HOST_MEMORY)
        })
}

/// Runs a task and records what came of it; says whether it succeeded.
fn perform(program: &Program, task: &Task) -> bool {
    let outcome = catch_unwind(AssertUnwindSafe(|| run(program, task))).unwrap_or_else(|_| {
        Err("internal error: the compiler panicked; this is a bug of Touchstone\n".into())
    });
    match outcome {
        Ok((log, product)) => {
            program.end_build(CL_BUILD_SUCCESS, log, product);
            true
        }
        Err(log) => {
            program.end_build(CL_BUILD_ERROR, log, Product::Nothing);
            false
        }
    }
}

fn run(program: &Program, task: &Task) -> Outcome {
    match task {
        Task::Build { options } => match &program.origin {
            Origin::Source(text) => {
                let (log, unit) = compile(text, options, Vec::new())?;
                executable(vec![unit], log)
            }
            Origin::Binary(container) => {
                let mut log = String::new();
                let mut units = Vec::new();
                for source in &container.units {
                    let (unit_log, unit) = frontend::compile(source.clone())?;
                    log.push_str(&unit_log);
                    units.push(Arc::new(unit));
                }
                match container.kind {
                    Kind::Executable => executable(units, log),
                    Kind::Object | Kind::Library => {
                        let library = container.kind == Kind::Library;
                        Ok((log, Product::Objects { units, library }))
                    }
                }
            }
            Origin::Linked => Err("a linked program cannot be built again\n".into()),
        },
        Task::Compile { options, headers } => match &program.origin {
            Origin::Source(text) => {
                let (log, unit) = compile(text, options, headers.clone())?;
                let units = vec![unit];
                Ok((
                    log,
                    Product::Objects {
                        units,
                        library: false,
                    },
                ))
            }
            Origin::Binary(_) | Origin::Linked => {
                Err("a program without source cannot be compiled\n".into())
            }
        },
        Task::Link {
            units,
            library: true,
        } => Ok((
            String::new(),
            Product::Objects {
                units: units.clone(),
                library: true,
            },
        )),
        Task::Link {
            units,
            library: false,
        } => executable(units.clone(), String::new()),
    }
}

fn compile(
    text: &str,
    options: &str,
    headers: Vec<(String, String)>,
) -> std::result::Result<(String, Arc<Unit>), String> {
    let (log, unit) = frontend::compile(Source {
        options: options.to_owned(),
        text: text.to_owned(),
        headers,
    })?;
    Ok((log, Arc::new(unit)))
}

fn executable(units: Vec<Arc<Unit>>, log: String) -> Outcome {
    let module = frontend::link(&units).map_err(|failure| format!("{log}{failure}"))?;
    let executable = Executable::prepare(module).map_err(|error| format!("{log}{error}\n"))?;
    let uniform_groups = units.iter().any(|unit| unit.uniform_groups);
    let argument_info = units.iter().any(|unit| unit.argument_info);
    let built = Built {
        units,
        executable: Arc::new(executable),
        uniform_groups,
        argument_info,
        launches: AtomicU64::new(0),
    };
    Ok((log, Product::Executable(Arc::new(built))))
}
