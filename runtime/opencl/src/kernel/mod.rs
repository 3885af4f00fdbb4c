//! Kernels: one entry of an executable with its argument values.
//!
//! A kernel is for every device whose executable has it; the executables may differ, the
//! arguments may not. [`args`] checks and keeps the values; [`range`] checks index spaces
//! and chooses work-group sizes; [`image`] is about images among them; [`launch`] turns a kernel and an index space into a
//! command; [`print`] is where `printf` writes; [`sub_groups`] tells how work-groups are divided; [`settings`] are what the environment says about launches.

pub mod args;
pub mod broken;
pub mod image;
pub mod launch;
pub mod print;
pub mod range;
pub mod settings;
pub mod sub_groups;

use std::sync::Arc;

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_exec::KernelMeta;
use touchstone_faults::{Fault, Latitude, on, takes};
use touchstone_ir::{AddressSpace, ArgPass, ImageAccess, KernelArg};

use crate::context::Context;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure};
use crate::object::{self, Header, object};
use crate::platform::Device;
use crate::platform::limits::{GROUP_MEMORY, MAX_GLOBAL_SIZE, local_memory, max_work_group_size};
use crate::program::{Origin, Program, Target};
use args::Value;

/// What the application sets besides arguments.
#[derive(Clone, Debug, Default)]
pub struct ExecInfo {
    /// Addresses of SVM allocations that the kernel reaches through other pointers.
    pub svm_pointers: Vec<usize>,
    /// It uses no memory of the system but what its arguments point to.
    pub no_system: bool,
}

/// A kernel.
#[repr(C)]
pub struct Kernel {
    header: Header<Self>,
    /// Its program; being here counts as attached to it.
    pub program: Arc<Program>,
    /// The executables it was taken from, one a device and at least one; their
    /// declarations of its arguments are the same.
    targets: Vec<Target>,
    /// Argument values, as far as set; a kernel's own, but for a fault that shares them with its copies.
    pub values: Arc<Mutex<Vec<Option<Value>>>>,
    /// Set by `clSetKernelExecInfo`.
    pub exec_info: Mutex<ExecInfo>,
}
object!(Kernel, CL_INVALID_KERNEL);

impl Kernel {
    /// A kernel of a program's executables.
    ///
    /// # Errors
    /// As [`Program::attach`].
    pub fn new(program: &Arc<Program>, name: &str) -> Result<Arc<Self>> {
        let targets = program.attach(name)?;
        let values = Arc::new(Mutex::new(vec![None; targets[0].meta.info.args.len()]));
        Ok(Self::of(program, targets, values, ExecInfo::default()))
    }

    /// All kernels of a program's executables that have the same arguments everywhere.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`.
    pub fn all(program: &Arc<Program>) -> Result<Vec<Arc<Self>>> {
        let mut kernels = Vec::new();
        for name in program.kernel_names()? {
            match Self::new(program, &name) {
                Ok(kernel) => kernels.push(kernel),
                Err(Error(CL_INVALID_KERNEL_DEFINITION)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(kernels)
    }

    /// A copy with the argument values of this moment.
    pub fn duplicate(&self) -> Arc<Self> {
        let values = match on(Fault::CloneShares) {
            true => Arc::clone(&self.values),
            false => Arc::new(Mutex::new(self.values.lock().clone())),
        };
        if on(Fault::CloneLosesNull) {
            for value in values.lock().iter_mut() {
                let null = matches!(value, Some(Value::Null));
                *value = value.take().filter(|_| !null);
            }
        }
        let exec_info = self.exec_info.lock().clone();
        self.program.attach_copy();
        Self::of(&self.program, self.targets.clone(), values, exec_info)
    }

    /// A copy for the runtime alone, whatever faults do to the copies of applications.
    pub fn apart(&self) -> Arc<Self> {
        let values = Arc::new(Mutex::new(self.values.lock().clone()));
        let exec_info = self.exec_info.lock().clone();
        self.program.attach_copy();
        Self::of(&self.program, self.targets.clone(), values, exec_info)
    }

    fn of(
        program: &Arc<Program>,
        targets: Vec<Target>,
        values: Arc<Mutex<Vec<Option<Value>>>>,
        exec_info: ExecInfo,
    ) -> Arc<Self> {
        Arc::new(Self {
            header: Header::default(),
            program: Arc::clone(program),
            targets,
            values,
            exec_info: Mutex::new(exec_info),
        })
    }

    /// What there is of it for a device. "If a program binary has not been built for a
    /// sub-device, the program binary associated with the parent device will be used."
    pub fn on(&self, device: &Arc<Device>) -> Option<&Target> {
        let mut family = std::iter::successors(Some(device), |device| device.parent.as_ref());
        family.find_map(|member| {
            let mut targets = self.targets.iter();
            targets.find(|target| Arc::ptr_eq(&target.device, member))
        })
    }

    /// The only device it is for.
    pub fn only_target(&self) -> Option<&Target> {
        match &*self.targets {
            [only] if self.program.devices.len() == 1 => Some(only),
            _ => None,
        }
    }

    /// What the executors say about it; the arguments are the same for all of them.
    fn meta(&self) -> &KernelMeta {
        &self.targets[0].meta
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.program.context
    }

    /// The declaration of an argument.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`.
    pub fn argument(&self, index: u32) -> Result<&KernelArg> {
        let arg = self.meta().info.args.get(index as usize);
        arg.ok_or(Error(CL_INVALID_ARG_INDEX))
    }

    /// Bytes of local memory on a device: its variables, and its arguments as far as set.
    pub fn local_bytes(&self, target: &Target) -> u64 {
        let arguments: u64 = self
            .values
            .lock()
            .iter()
            .flatten()
            .map(Value::local_bytes)
            .sum();
        target.meta.local_bytes.saturating_add(arguments)
    }

    /// The largest work-group it can run with: fewer work-items the more private memory
    /// each needs.
    pub fn max_group_size(target: &Target) -> usize {
        Self::max_group_of(&target.meta)
    }

    /// As [`Kernel::max_group_size`], of a kernel or a block.
    pub fn max_group_of(meta: &KernelMeta) -> usize {
        let fitting = GROUP_MEMORY / meta.private_bytes.max(1);
        let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
        let most = fitting.clamp(1, max_work_group_size());
        if takes(Latitude::OddSizes) {
            // A kernel that asks for a size can have it.
            let sides = meta.info.reqd_work_group_size.unwrap_or([1; 3]);
            let required: usize = sides.iter().map(|&side| side as usize).product();
            return most.min(range::ODD_GROUP.max(required));
        }
        most
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_kernel_info) -> Result<Answer> {
        Ok(match name {
            CL_KERNEL_FUNCTION_NAME => Answer::text(&self.meta().name),
            CL_KERNEL_NUM_ARGS => Answer::of(self.meta().info.args.len() as u32),
            CL_KERNEL_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_KERNEL_CONTEXT => Answer::of(object::handle(self.context())),
            CL_KERNEL_PROGRAM => Answer::of(object::handle(&self.program)),
            CL_KERNEL_ATTRIBUTES if self.program.is_from_source() => {
                Answer::text(&self.meta().info.attributes)
            }
            CL_KERNEL_ATTRIBUTES => Answer::text(""),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// One query about an argument.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`; `CL_KERNEL_ARG_INFO_NOT_AVAILABLE` when the program was
    /// built without `-cl-kernel-arg-info` or not from source; `CL_INVALID_VALUE` for an
    /// unknown name.
    pub fn argument_info(&self, index: u32, name: cl_kernel_arg_info) -> Result<Answer> {
        let arg = self.argument(index)?;
        let available = self.targets.iter().all(|target| target.built.argument_info);
        ensure!(
            available && self.program.is_from_source(),
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE
        );
        Ok(match name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => Answer::of(match arg.pass.space() {
                AddressSpace::Global => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                AddressSpace::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
                AddressSpace::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
                AddressSpace::Private | AddressSpace::Generic => CL_KERNEL_ARG_ADDRESS_PRIVATE,
            }),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => Answer::of(match arg.pass {
                ArgPass::Image(_, ImageAccess::Read) => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                ArgPass::Image(_, ImageAccess::Write) => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                ArgPass::Image(_, ImageAccess::ReadWrite) => CL_KERNEL_ARG_ACCESS_READ_WRITE,
                ArgPass::Pipe { writes: false } => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                ArgPass::Pipe { writes: true } => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                _ => CL_KERNEL_ARG_ACCESS_NONE,
            }),
            CL_KERNEL_ARG_TYPE_NAME => Answer::text(&arg.type_name),
            CL_KERNEL_ARG_NAME => Answer::text(&arg.name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => {
                let is_pipe = matches!(arg.pass, ArgPass::Pipe { .. });
                let set = [
                    (arg.qualifiers.is_const, CL_KERNEL_ARG_TYPE_CONST),
                    (arg.qualifiers.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT),
                    (arg.qualifiers.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE),
                    (is_pipe, CL_KERNEL_ARG_TYPE_PIPE),
                ];
                let bits = set.iter().filter(|(has, _)| *has);
                // cl_kernel_arg_type_qualifier is a bit-field of 64 bits in C.
                Answer::of(bits.fold(0u64, |all, &(_, bit)| all | u64::from(bit)))
            }
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// One query about running on a device.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn work_group_info(
        &self,
        target: &Target,
        name: cl_kernel_work_group_info,
    ) -> Result<Answer> {
        Ok(match name {
            CL_KERNEL_WORK_GROUP_SIZE => Answer::of(Self::max_group_size(target)),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                let size = target.meta.info.reqd_work_group_size.unwrap_or([0; 3]);
                Answer::list(size.map(|side| side as usize))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => Answer::of(self.local_bytes(target)),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                Answer::of(range::preferred_multiple(Self::max_group_size(target)))
            }
            CL_KERNEL_PRIVATE_MEM_SIZE => Answer::of(target.meta.private_bytes),
            // For built-in kernels only, whose index spaces have one dimension.
            CL_KERNEL_GLOBAL_WORK_SIZE if matches!(self.program.origin, Origin::BuiltIn) => {
                Answer::list([MAX_GLOBAL_SIZE, 1, 1])
            }
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// Checks that its local memory fits.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES`.
    pub fn check_local_memory(&self, target: &Target) -> Result<()> {
        let bytes = self.local_bytes(target);
        ensure!(bytes <= local_memory(), CL_OUT_OF_RESOURCES);
        Ok(())
    }

    /// Whether an argument is a pointer to global or constant memory.
    pub fn takes_pointer(arg: &KernelArg) -> bool {
        matches!(arg.pass, ArgPass::Pointer(_))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.detach();
    }
}
