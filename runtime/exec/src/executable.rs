//! A program ready to run.

use crate::error::PrepareError;
use touchstone_ir::{KernelInfo, Module};

/// A kernel of an [`Executable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) u32);

/// What the host may know about a kernel.
#[derive(Clone, Debug)]
pub struct KernelMeta {
    /// Its id.
    pub id: KernelId,
    /// Its name.
    pub name: String,
    /// Arguments and attributes.
    pub info: KernelInfo,
    /// Bytes of its static local variables, for `CL_KERNEL_LOCAL_MEM_SIZE`
    /// (which adds the sizes of local arguments).
    pub local_bytes: u64,
    /// Bytes of private memory and registers of one work-item, for
    /// `CL_KERNEL_PRIVATE_MEM_SIZE`.
    pub private_bytes: u64,
}

/// A program ready to run. It holds the program-scope variables, which keep
/// their values from launch to launch.
#[derive(Debug)]
pub struct Executable {
    kernels: Vec<KernelMeta>,
    global_bytes: u64,
}

impl Executable {
    /// Validates a module and makes it ready to run.
    ///
    /// # Errors
    /// When the module breaks a rule of the IR or does not fit.
    pub fn prepare(module: Module) -> Result<Executable, PrepareError> {
        touchstone_ir::validate(&module)?;
        Ok(Executable {
            kernels: Vec::new(),
            global_bytes: 0,
        })
    }

    /// The kernels.
    pub fn kernels(&self) -> &[KernelMeta] {
        &self.kernels
    }

    /// The kernel with a name.
    pub fn kernel(&self, name: &str) -> Option<&KernelMeta> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Bytes of program-scope variables in global memory, for
    /// `CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE`.
    pub fn global_bytes(&self) -> u64 {
        self.global_bytes
    }
}
