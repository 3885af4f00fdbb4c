//! Programs: source or binary in, kernels out.
//!
//! [`build`] compiles and links; [`binary`] is the container that
//! `CL_PROGRAM_BINARIES` returns and `clCreateProgramWithBinary` reads; [`builtin`] has
//! the built-in kernels; [`il`] is what comes as SPIR-V. A program keeps one build for each of its devices: they can be
//! built at different times with different options, and program-scope variables are each
//! device's own.

pub mod binary;
pub mod build;
pub mod builtin;
pub mod il;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_exec::{Executable, KernelMeta};
use touchstone_faults::{Fault, on};

use crate::context::Context;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure};
use crate::frontend::Unit;
use crate::object::{self, Header, object};
use crate::platform::Device;
use build::Part;

/// Where a program came from.
pub enum Origin {
    /// `clCreateProgramWithSource`.
    Source(String),
    /// `clCreateProgramWithIL`.
    Il(il::Il),
    /// `clCreateProgramWithBinary`: one binary for each device.
    Binary(Vec<binary::Container>),
    /// `clCreateProgramWithBuiltInKernels`.
    BuiltIn,
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

impl Product {
    /// What a binary of it holds, and its translation units.
    fn parts(&self) -> Option<(binary::Kind, &[Arc<Unit>])> {
        match self {
            Self::Nothing => None,
            Self::Objects { units, library } if *library => Some((binary::Kind::Library, units)),
            Self::Objects { units, .. } => Some((binary::Kind::Object, units)),
            Self::Executable(built) => Some((binary::Kind::Executable, &built.units)),
        }
    }
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
    /// The only kernels that can be made; none where all can.
    pub only: Option<Vec<String>>,
}

impl Built {
    /// Whether a kernel of this name can be made, if there is one.
    fn offers(&self, name: &str) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|only| only.iter().any(|offered| offered == name))
    }
}

/// The last build of a program for one device.
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
    fn none() -> Self {
        Self {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            product: Product::Nothing,
        }
    }

    fn executable(&self) -> Option<&Arc<Built>> {
        match &self.product {
            Product::Executable(built) => Some(built),
            Product::Nothing | Product::Objects { .. } => None,
        }
    }
}

/// A kernel of the executable of one device.
#[derive(Clone)]
pub struct Target {
    /// The device that it was built for.
    pub device: Arc<Device>,
    /// Its executable.
    pub built: Arc<Built>,
    /// The kernel in it.
    pub meta: KernelMeta,
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
    /// The last build for each of the devices.
    builds: Mutex<Vec<Build>>,
    kernels: AtomicUsize,
}
object!(Program, CL_INVALID_PROGRAM);

impl Program {
    /// A program that has not been built.
    pub fn new(context: Arc<Context>, devices: Vec<Arc<Device>>, origin: Origin) -> Arc<Self> {
        let builds = devices.iter().map(|_| Build::none()).collect();
        Arc::new(Self {
            header: Header::default(),
            context,
            devices,
            origin,
            builds: Mutex::new(builds),
            kernels: AtomicUsize::new(0),
        })
    }

    /// The number of a device among this program's.
    pub fn index_of(&self, device: &Arc<Device>) -> Option<usize> {
        self.devices.iter().position(|own| Arc::ptr_eq(own, device))
    }

    /// Starts a build for some devices, given by their numbers: from here to
    /// [`Program::end_build`] no other may start for them.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` while another build for one of them runs or kernels are
    /// attached.
    pub fn begin_build(&self, targets: &[usize], options: &str) -> Result<()> {
        let mut builds = self.builds.lock();
        let busy = |&at: &usize| builds[at].status == CL_BUILD_IN_PROGRESS;
        ensure!(!targets.iter().any(busy), CL_INVALID_OPERATION);
        ensure!(
            self.kernels.load(Ordering::Acquire) == 0,
            CL_INVALID_OPERATION
        );
        for &at in targets {
            builds[at] = Build {
                status: CL_BUILD_IN_PROGRESS,
                options: options.to_owned(),
                ..Build::none()
            };
        }
        Ok(())
    }

    /// Ends a build for one device.
    pub fn end_build(&self, at: usize, status: cl_build_status, log: String, product: Product) {
        let build = &mut self.builds.lock()[at];
        build.status = match on(Fault::FailedBuildForgotten) && status == CL_BUILD_ERROR {
            true => CL_BUILD_NONE,
            false => status,
        };
        build.log = log;
        build.product = product;
    }

    /// Whether its kernels were written in OpenCL C by the application, which may then ask what
    /// it wrote.
    pub fn is_from_source(&self) -> bool {
        match self.origin {
            Origin::Source(_) | Origin::Linked => true,
            Origin::Il(_) | Origin::Binary(_) | Origin::BuiltIn => false,
        }
    }

    /// The numbers of a device and of those that it is a part of, as far as the program is for them. "If a program
    /// binary has not been built for a sub-device, the program binary associated with the parent device will be
    /// used" (`clGetProgramBuildInfo`).
    fn family(&self, device: &Arc<Device>) -> impl Iterator<Item = usize> {
        let family = std::iter::successors(Some(device), |device| device.parent.as_ref());
        family.filter_map(|device| self.index_of(device))
    }

    /// What a link for a device takes of it: what was compiled for the device, or for one that it is a part of, or
    /// loaded as a compiled object or library. None when there is nothing of that kind.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` while a build for the device runs.
    pub fn parts(&self, device: &Arc<Device>) -> Result<Option<Vec<Part>>> {
        let builds = self.builds.lock();
        for at in self.family(device) {
            ensure!(
                builds[at].status != CL_BUILD_IN_PROGRESS,
                CL_INVALID_OPERATION
            );
            match (&builds[at].product, &self.origin) {
                (Product::Objects { units, .. }, _) => {
                    return Ok(Some(units.iter().cloned().map(Part::Compiled).collect()));
                }
                (Product::Executable(_), _) => return Ok(None),
                (Product::Nothing, Origin::Binary(containers))
                    if containers[at].kind != binary::Kind::Executable =>
                {
                    return Ok(Some(containers[at].parts()));
                }
                (Product::Nothing, _) => {}
            }
        }
        Ok(None)
    }

    /// The names of the kernels that can be made: those of every device's executable, each
    /// once.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` when no device has an executable.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let builds = self.builds.lock();
        let mut executables = builds.iter().filter_map(Build::executable).peekable();
        ensure!(executables.peek().is_some(), CL_INVALID_PROGRAM_EXECUTABLE);
        let mut names: Vec<String> = Vec::new();
        for built in executables {
            for kernel in built.executable.kernels() {
                if built.offers(&kernel.name) && !names.contains(&kernel.name) {
                    names.push(kernel.name.clone());
                }
            }
        }
        Ok(names)
    }

    /// Takes a kernel from every executable that has it. It counts as attached from here
    /// on: no build can begin in between.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` when no device has an executable,
    /// `CL_INVALID_KERNEL_NAME` when none has the kernel, `CL_INVALID_KERNEL_DEFINITION`
    /// when its arguments differ from device to device.
    pub fn attach(&self, name: &str) -> Result<Vec<Target>> {
        let builds = self.builds.lock();
        let built = |build: &Build| build.executable().cloned();
        let executables: Vec<_> = (self.devices.iter().cloned())
            .zip(builds.iter().map(built))
            .filter_map(|(device, built)| Some((device, built?)))
            .collect();
        ensure!(!executables.is_empty(), CL_INVALID_PROGRAM_EXECUTABLE);
        let targets: Vec<Target> = executables
            .into_iter()
            .filter(|(_, built)| built.offers(name))
            .filter_map(|(device, built)| {
                let meta = built.executable.kernel(name)?.clone();
                Some(Target {
                    device,
                    built,
                    meta,
                })
            })
            .collect();
        let first = targets.first().ok_or(Error(CL_INVALID_KERNEL_NAME))?;
        let definition = |target: &Target| {
            let args = target.meta.info.args.iter();
            args.map(|arg| (arg.pass, arg.type_name.clone()))
                .collect::<Vec<_>>()
        };
        let expected = definition(first);
        let same = targets[1..]
            .iter()
            .all(|target| definition(target) == expected);
        ensure!(same, CL_INVALID_KERNEL_DEFINITION);
        self.kernels.fetch_add(1, Ordering::AcqRel);
        Ok(targets)
    }

    /// One kernel more, for a copy of one that is attached.
    pub fn attach_copy(&self) {
        self.kernels.fetch_add(1, Ordering::AcqRel);
    }

    /// One kernel less.
    pub fn detach(&self) {
        self.kernels.fetch_sub(1, Ordering::AcqRel);
    }

    /// The binary of each device; empty where there is nothing built.
    pub fn binaries(&self) -> Vec<Vec<u8>> {
        let builds = self.builds.lock();
        let binary = |(at, build): (usize, &Build)| match (build.product.parts(), &self.origin) {
            (_, Origin::BuiltIn) => Vec::new(),
            (Some((kind, units)), _) => binary::Container::of(kind, &build.options, units).write(),
            (None, Origin::Binary(containers)) => containers[at].write(),
            (None, Origin::Source(_) | Origin::Il(_) | Origin::Linked) => Vec::new(),
        };
        builds.iter().enumerate().map(binary).collect()
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
            CL_PROGRAM_SOURCE => Answer::string(match &self.origin {
                Origin::Source(source) => touchstone_clc::encoding::bytes_of(source),
                Origin::Il(_) | Origin::Binary(_) | Origin::Linked | Origin::BuiltIn => Vec::new(),
            }),
            CL_PROGRAM_BINARY_SIZES => Answer::list(self.binaries().iter().map(Vec::len)),
            CL_PROGRAM_NUM_KERNELS => Answer::of(self.kernel_names()?.len()),
            CL_PROGRAM_KERNEL_NAMES => Answer::text(&self.kernel_names()?.join(";")),
            CL_PROGRAM_IL => match &self.origin {
                Origin::Il(il) => Answer::list(il.module().iter().copied()),
                Origin::Source(_) | Origin::Binary(_) | Origin::Linked | Origin::BuiltIn => {
                    Answer::default()
                }
            },
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                self.kernel_names()?;
                Answer::boolean(false)
            }
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// One query about the build for a device: its own, or that of the device that it is a part of as long as
    /// there is none.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` when the program is not for the device, `CL_INVALID_VALUE` for an unknown name.
    pub fn build_info(&self, device: &Arc<Device>, name: cl_program_build_info) -> Result<Answer> {
        let own = self.index_of(device).ok_or(Error(CL_INVALID_DEVICE))?;
        let builds = self.builds.lock();
        let mut built = self
            .family(device)
            .filter(|&at| builds[at].status != CL_BUILD_NONE);
        let at = built.next().unwrap_or(own);
        let build = &builds[at];
        Ok(match name {
            CL_PROGRAM_BUILD_STATUS => Answer::of(build.status),
            CL_PROGRAM_BUILD_OPTIONS => Answer::text(&build.options),
            CL_PROGRAM_BUILD_LOG => Answer::text(&build.log),
            CL_PROGRAM_BINARY_TYPE => Answer::of(match (build.product.parts(), &self.origin) {
                (Some((kind, _)), _) => kind.code(),
                (None, Origin::Binary(containers)) => containers[at].kind.code(),
                (None, Origin::Source(_) | Origin::Il(_) | Origin::Linked | Origin::BuiltIn) => {
                    CL_PROGRAM_BINARY_TYPE_NONE
                }
            }),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => Answer::of(match &build.product {
                Product::Executable(_) if on(Fault::GlobalVariablesUncounted) => 0,
                Product::Executable(built) => built.executable.global_bytes() as usize,
                Product::Nothing | Product::Objects { .. } => 0,
            }),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
