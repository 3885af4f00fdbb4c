//! Programs: source or binary in, kernels out.
//!
//! [`build`] compiles and links; [`binary`] is the container that
//! `CL_PROGRAM_BINARIES` returns and `clCreateProgramWithBinary` reads. What is kept per
//! program is one build for all its devices: the devices of the platform are of one kind.

pub mod binary;
pub mod build;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_exec::Executable;

use crate::context::Context;
use crate::edge::answer::Answer;
use crate::edge::{Error, Result, ensure};
use crate::frontend::Unit;
use crate::object::{self, Header, object};
use crate::platform::Device;

/// Where a program came from.
pub enum Origin {
    /// `clCreateProgramWithSource`.
    Source(String),
    /// `clCreateProgramWithBinary`.
    Binary(binary::Container),
    /// `clLinkProgram`.
    Linked,
}

/// What a build left behind.
#[derive(Clone)]
pub enum Product {
    /// Nothing that could be used.
    Nothing,
    /// A compiled object or a library, to be linked.
    Objects {
        /// Its translation units.
        units: Vec<Arc<Unit>>,
        /// Whether it was made with `-create-library`.
        library: bool,
    },
    /// An executable.
    Executable(Arc<Built>),
}

/// An executable and what the host must know about it.
pub struct Built {
    /// What it was linked from.
    pub units: Vec<Arc<Unit>>,
    /// Ready to run.
    pub executable: Arc<Executable>,
    /// Whether every work-group must have the same size: by option, or because a unit is
    /// written in a version of OpenCL C that knows no others.
    pub uniform_groups: bool,
    /// Whether `clGetKernelArgInfo` may answer.
    pub argument_info: bool,
    /// Launches of its kernels so far. How the n-th one interleaves work-items depends on n.
    pub launches: AtomicU64,
}

/// The last build of a program.
#[derive(Clone)]
pub struct Build {
    /// `CL_BUILD_*`.
    pub status: cl_build_status,
    /// As passed by the application.
    pub options: String,
    /// What compiler and linker had to say.
    pub log: String,
    /// What came of it.
    pub product: Product,
}

impl Build {
    fn executable(&self) -> Result<Arc<Built>> {
        match &self.product {
            Product::Executable(built) => Ok(Arc::clone(built)),
            Product::Nothing | Product::Objects { .. } => Err(Error(CL_INVALID_PROGRAM_EXECUTABLE)),
        }
    }
}

/// A program.
#[repr(C)]
pub struct Program {
    header: Header<Self>,
    /// Its context.
    pub context: Arc<Context>,
    /// The devices it is for.
    pub devices: Vec<Arc<Device>>,
    /// Where it came from.
    pub origin: Origin,
    build: Mutex<Build>,
    kernels: AtomicUsize,
}
object!(Program, CL_INVALID_PROGRAM);

impl Program {
    /// A program that has not been built.
    pub fn new(context: Arc<Context>, devices: Vec<Arc<Device>>, origin: Origin) -> Arc<Self> {
        Arc::new(Self {
            header: Header::default(),
            context,
            devices,
            origin,
            build: Mutex::new(Build {
                status: CL_BUILD_NONE,
                options: String::new(),
                log: String::new(),
                product: Product::Nothing,
            }),
            kernels: AtomicUsize::new(0),
        })
    }

    /// Starts a build: from here to [`Program::end_build`] no other may start.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` while another build runs or kernels are attached.
    pub fn begin_build(&self, options: &str) -> Result<()> {
        let mut build = self.build.lock();
        ensure!(build.status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION);
        ensure!(
            self.kernels.load(Ordering::Acquire) == 0,
            CL_INVALID_OPERATION
        );
        *build = Build {
            status: CL_BUILD_IN_PROGRESS,
            options: options.to_owned(),
            log: String::new(),
            product: Product::Nothing,
        };
        Ok(())
    }

    /// Ends a build.
    pub fn end_build(&self, status: cl_build_status, log: String, product: Product) {
        let mut build = self.build.lock();
        build.status = status;
        build.log = log;
        build.product = product;
    }

    /// The last build.
    pub fn last_build(&self) -> Build {
        self.build.lock().clone()
    }

    /// The executable of the last build.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` when there is none.
    pub fn executable(&self) -> Result<Arc<Built>> {
        self.build.lock().executable()
    }

    /// Takes the executable for a new kernel, which counts as attached from here on: no
    /// build can begin in between.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`.
    pub fn attach(&self) -> Result<Arc<Built>> {
        let build = self.build.lock();
        let built = build.executable()?;
        self.kernels.fetch_add(1, Ordering::AcqRel);
        Ok(built)
    }

    /// One kernel less.
    pub fn detach(&self) {
        self.kernels.fetch_sub(1, Ordering::AcqRel);
    }

    /// The binary, the same for each device; empty when there is nothing built.
    pub fn binary(&self) -> Vec<u8> {
        let build = self.build.lock();
        match (&build.product, &self.origin) {
            (Product::Nothing, Origin::Binary(container)) => container.write(),
            (Product::Nothing, Origin::Source(_) | Origin::Linked) => Vec::new(),
            (Product::Objects { units, library }, _) => {
                let kind = if *library {
                    binary::Kind::Library
                } else {
                    binary::Kind::Object
                };
                binary::Container::of(kind, &build.options, units).write()
            }
            (Product::Executable(built), _) => {
                binary::Container::of(binary::Kind::Executable, &build.options, &built.units)
                    .write()
            }
        }
    }

    /// One query, except `CL_PROGRAM_BINARIES`, which is answered through pointers.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name, `CL_INVALID_PROGRAM_EXECUTABLE` where an
    /// executable is needed.
    pub fn info(self: &Arc<Self>, name: cl_program_info) -> Result<Answer> {
        Ok(match name {
            CL_PROGRAM_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_PROGRAM_CONTEXT => Answer::of(object::handle(&self.context)),
            CL_PROGRAM_NUM_DEVICES => Answer::of(self.devices.len() as u32),
            CL_PROGRAM_DEVICES => Answer::list(self.devices.iter().map(object::handle)),
            CL_PROGRAM_SOURCE => Answer::text(match &self.origin {
                Origin::Source(source) => source,
                Origin::Binary(_) | Origin::Linked => "",
            }),
            CL_PROGRAM_BINARY_SIZES => {
                let size = self.binary().len();
                Answer::list(self.devices.iter().map(|_| size))
            }
            CL_PROGRAM_NUM_KERNELS => Answer::of(self.executable()?.executable.kernels().len()),
            CL_PROGRAM_KERNEL_NAMES => {
                let built = self.executable()?;
                let kernels = built.executable.kernels().iter();
                let names: Vec<_> = kernels.map(|kernel| &*kernel.name).collect();
                Answer::text(&names.join(";"))
            }
            CL_PROGRAM_IL => Answer::default(),
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                Answer::boolean(false)
            }
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// One query about the build.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn build_info(&self, name: cl_program_build_info) -> Result<Answer> {
        let build = self.build.lock();
        Ok(match name {
            CL_PROGRAM_BUILD_STATUS => Answer::of(build.status),
            CL_PROGRAM_BUILD_OPTIONS => Answer::text(&build.options),
            CL_PROGRAM_BUILD_LOG => Answer::text(&build.log),
            CL_PROGRAM_BINARY_TYPE => Answer::of(match (&build.product, &self.origin) {
                (Product::Nothing, Origin::Binary(container)) => container.kind.code(),
                (Product::Nothing, Origin::Source(_) | Origin::Linked) => {
                    CL_PROGRAM_BINARY_TYPE_NONE
                }
                (Product::Objects { library: false, .. }, _) => {
                    CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
                }
                (Product::Objects { library: true, .. }, _) => CL_PROGRAM_BINARY_TYPE_LIBRARY,
                (Product::Executable(_), _) => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            }),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => Answer::of(match &build.product {
                Product::Executable(built) => built.executable.global_bytes() as usize,
                Product::Nothing | Product::Objects { .. } => 0,
            }),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
