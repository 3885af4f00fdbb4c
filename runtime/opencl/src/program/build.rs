//! Compiling and linking.
//!
//! A build without a callback is done when the call returns; with one, it runs on a
//! thread of its own and the callback is called when it has ended, on the callback
//! thread. Errors of the arguments are returned at once in both cases.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_exec::{Executable, KernelMeta};
use touchstone_faults::{Fault, Latitude, on, takes};
use touchstone_ir::{AddressSpace, KernelArg, Module};

use super::binary::{Container, Kind};
use super::{Built, Origin, Product, Program};
use crate::callback::{self, UserData};
use crate::ffi::{Error, Result};
use crate::frontend::{self, Code, Source, Unit};
use crate::object;
use crate::platform::limits;

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
        /// For each device of the program the parts, in the order of the inputs.
        parts: Vec<Vec<Part>>,
        /// Whether to make a library.
        library: bool,
    },
}

/// A translation unit that a link takes.
#[derive(Clone)]
pub enum Part {
    /// One that has been compiled.
    Compiled(Arc<Unit>),
    /// One of a binary that was loaded, which is compiled as it was then.
    Loaded(Source),
}

/// What came of it: log and product, or log alone.
type Outcome = std::result::Result<(String, Product), String>;

/// Carries out a task for some devices of a program, given by their numbers, for which
/// [`Program::begin_build`] has succeeded.
///
/// # Errors
/// `failure`, when the task is done at once and fails for one of them.
pub fn carry_out(
    program: &Arc<Program>,
    targets: Vec<usize>,
    task: Task,
    notify: Notify,
    failure: cl_int,
) -> Result<()> {
    let Some((notify, user_data)) = notify else {
        return perform(program, &targets, &task)
            .then_some(())
            .ok_or(Error(failure));
    };
    let on_thread = Arc::clone(program);
    let of_thread = targets.clone();
    let work = move || {
        perform(&on_thread, &of_thread, &task);
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
            for at in targets {
                let log = "the system has no thread left for the build".to_owned();
                program.end_build(at, CL_BUILD_ERROR, log, Product::Nothing);
            }
            Error(CL_OUT_OF_HOST_MEMORY)
        })
}

/// Runs a task and records what came of it; says whether it succeeded for all devices.
fn perform(program: &Program, targets: &[usize], task: &Task) -> bool {
    let mut work = Work::default();
    let mut all_well = true;
    for &at in targets {
        let run = AssertUnwindSafe(|| work.run(program, at, task));
        let outcome = catch_unwind(run).unwrap_or_else(|_| {
            Err("internal error: the compiler panicked; this is a bug of Touchstone\n".into())
        });
        match outcome {
            Ok((log, product)) => program.end_build(at, CL_BUILD_SUCCESS, log, product),
            Err(log) => {
                all_well = false;
                program.end_build(at, CL_BUILD_ERROR, log, Product::Nothing);
            }
        }
    }
    all_well
}

/// A task in progress. What was compiled or linked for one device serves the next that
/// needs the same.
#[derive(Default)]
struct Work {
    compiled: Vec<(Source, Compiled)>,
    linked: Vec<(Vec<Arc<Unit>>, Linked)>,
}

/// The log and the unit, or the log alone.
type Compiled = std::result::Result<(String, Arc<Unit>), String>;

/// The module, and an executable of it where devices can share one.
type Linked = std::result::Result<(Module, Option<Arc<Executable>>), String>;

/// The headers with their names, unless a fault turns their order round.
fn named(headers: &[(String, String)]) -> Vec<(String, String)> {
    let texts: Box<dyn Iterator<Item = &String>> = match on(Fault::HeadersReversed) {
        true => Box::new(headers.iter().rev().map(|(_, text)| text)),
        false => Box::new(headers.iter().map(|(_, text)| text)),
    };
    let names = headers.iter().map(|(name, _)| name);
    names.cloned().zip(texts.cloned()).collect()
}

/// What a build gives: its own, unless a fault gives what a build of the same source with the same options gave before,
/// and so that program's variables.
fn shared(text: &str, options: &str, own: (String, Product)) -> (String, Product) {
    type Known = Vec<(String, String, Arc<Executable>)>;
    static KNOWN: Mutex<Known> = Mutex::new(Vec::new());
    let (log, product) = own;
    let Product::Executable(built) = product else {
        return (log, product);
    };
    if !on(Fault::ProgramVariablesShared) {
        return (log, Product::Executable(built));
    }
    let mut known = KNOWN.lock();
    let before = known.iter().find(|one| one.0 == text && one.1 == options);
    let executable = match before {
        Some((_, _, executable)) => Arc::clone(executable),
        None => {
            let own = Arc::clone(&built.executable);
            known.push((text.into(), options.into(), Arc::clone(&own)));
            own
        }
    };
    let built = Built {
        units: built.units.clone(),
        executable,
        uniform_groups: built.uniform_groups,
        argument_info: built.argument_info,
        launches: AtomicU64::new(0),
        only: None,
    };
    (log, Product::Executable(Arc::new(built)))
}

impl Work {
    fn run(&mut self, program: &Program, at: usize, task: &Task) -> Outcome {
        match task {
            Task::Build { options } => match &program.origin {
                Origin::Source(text) => {
                    let (log, unit) = self.compile(Code::Text(text.clone()), options, &[])?;
                    let product = self.executable(vec![unit], log)?;
                    Ok(shared(text, options, product))
                }
                Origin::Il(il) => {
                    let (log, unit) = self.compile(il.code(), options, &[])?;
                    self.executable(vec![unit], log)
                }
                Origin::Binary(containers) => self.load_binary(&containers[at]),
                Origin::Linked | Origin::BuiltIn => {
                    Err("a program without source or binary cannot be built\n".into())
                }
            },
            Task::Compile { options, headers } => match &program.origin {
                Origin::Source(text) => {
                    self.object(Code::Text(text.clone()), options, &named(headers))
                }
                // "If program was created using clCreateProgramWithIL, then num_input_headers, input_headers, and
                // header_include_names are ignored."
                Origin::Il(il) => self.object(il.code(), options, &[]),
                Origin::Binary(_) | Origin::Linked | Origin::BuiltIn => {
                    Err("a program without source cannot be compiled\n".into())
                }
            },
            Task::Link { parts, library } => {
                let (log, units) = self.compiled(&parts[at])?;
                if *library {
                    let library = true;
                    Ok((log, Product::Objects { units, library }))
                } else {
                    self.executable(units, log)
                }
            }
        }
    }

    fn load_binary(&mut self, container: &Container) -> Outcome {
        let (log, units) = self.compiled(&container.parts())?;
        match container.kind {
            Kind::Executable => self.executable(units, log),
            Kind::Object | Kind::Library => {
                let library = container.kind == Kind::Library;
                Ok((log, Product::Objects { units, library }))
            }
        }
    }

    /// The units of some parts, with what there is to say about those that are compiled only now.
    fn compiled(
        &mut self,
        parts: &[Part],
    ) -> std::result::Result<(String, Vec<Arc<Unit>>), String> {
        let mut log = String::new();
        let mut units = Vec::with_capacity(parts.len());
        for part in parts {
            units.push(match part {
                Part::Compiled(unit) => Arc::clone(unit),
                Part::Loaded(source) => {
                    let (unit_log, unit) = self.compile_source(source.clone())?;
                    log.push_str(&unit_log);
                    unit
                }
            });
        }
        Ok((log, units))
    }

    /// A compiled object of one unit.
    fn object(&mut self, code: Code, options: &str, headers: &[(String, String)]) -> Outcome {
        let (log, unit) = self.compile(code, options, headers)?;
        let units = vec![unit];
        let library = false;
        Ok((log, Product::Objects { units, library }))
    }

    fn compile(&mut self, code: Code, options: &str, headers: &[(String, String)]) -> Compiled {
        self.compile_source(Source {
            options: options.to_owned(),
            code,
            headers: headers.to_vec(),
        })
    }

    fn compile_source(&mut self, source: Source) -> Compiled {
        if let Some((_, done)) = self.compiled.iter().find(|(known, _)| *known == source) {
            return done.clone();
        }
        let compiled = frontend::compile(source.clone());
        let compiled = compiled.map(|(log, unit)| (log, Arc::new(unit)));
        self.compiled.push((source, compiled.clone()));
        compiled
    }

    fn executable(&mut self, units: Vec<Arc<Unit>>, log: String) -> Outcome {
        let same = |known: &[Arc<Unit>]| {
            known.len() == units.len() && known.iter().zip(&units).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let at = self.linked.iter().position(|(known, _)| same(known));
        let at = at.unwrap_or_else(|| {
            let linked = frontend::link(&units).map(|module| (module, None));
            self.linked.push((units.clone(), linked));
            self.linked.len() - 1
        });
        let (module, shared) = match &mut self.linked[at].1 {
            Ok((module, shared)) => (module, shared),
            Err(failure) => return Err(format!("{log}{failure}")),
        };
        let executable = match shared {
            Some(executable) => Arc::clone(executable),
            None => {
                let executable = Executable::prepare(module.clone());
                let executable = executable.map_err(|error| format!("{log}{error}\n"))?;
                let beyond = executable.kernels().iter().find_map(beyond_limits);
                if let Some(what) = beyond.filter(|_| takes(Latitude::SmallestLimits)) {
                    return Err(format!("{log}{what}\n"));
                }
                let executable = Arc::new(executable);
                // Program-scope variables are each device's own.
                if module.globals.is_empty() {
                    *shared = Some(Arc::clone(&executable));
                }
                executable
            }
        };
        let uniform_groups = units.iter().any(|unit| unit.uniform_groups);
        let argument_info = units.iter().any(|unit| unit.argument_info);
        let built = Built {
            units,
            executable,
            uniform_groups,
            argument_info,
            launches: AtomicU64::new(0),
            only: None,
        };
        Ok((log, Product::Executable(Arc::new(built))))
    }
}

/// What a kernel demands beyond what devices report.
fn beyond_limits(kernel: &KernelMeta) -> Option<String> {
    let KernelMeta { name, info, .. } = kernel;
    // What is in local memory takes a pointer.
    let sizes = info.args.iter().map(|arg| arg.pass.size().unwrap_or(8));
    let bytes: usize = sizes.map(|size| size as usize).sum();
    let constant = |arg: &&KernelArg| arg.pass.space() == AddressSpace::Constant;
    let constants = info.args.iter().filter(constant).count();
    let sides = info.reqd_work_group_size.unwrap_or([1; 3]);
    let items = sides.iter().product::<u64>() as usize;
    let demands = [
        (bytes, limits::max_parameter_size(), "bytes of arguments"),
        (constants, limits::max_constant_args(), "constant arguments"),
        (
            items,
            limits::max_work_group_size(),
            "work-items of a group",
        ),
    ];
    let (has, most, what) = demands.into_iter().find(|(has, most, _)| has > most)?;
    Some(format!(
        "kernel {name} needs {has} {what}; devices have {most}"
    ))
}
