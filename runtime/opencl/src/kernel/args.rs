//! Argument values.
//!
//! A kernel does not keep the memory objects alive that are set as its arguments; the
//! specification leaves that to the application. An enqueue does, until it has ended.

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use opencl_sys::*;
use touchstone_faults::{Fault, on};
use touchstone_ir::{AddressSpace, ArgPass};

use super::Kernel;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::{Buffer, Image, Pipe};
use crate::object;
use crate::platform::capabilities;
use crate::platform::profile::{self, Version};
use crate::queue::Queue;

/// The value of one argument.
#[derive(Clone)]
pub enum Value {
    /// The bytes of a value or an aggregate.
    Bytes(Vec<u8>),
    /// A buffer.
    Buffer(Weak<Buffer>),
    /// An image.
    Image(Weak<Image>),
    /// A pipe.
    Pipe(Weak<Pipe>),
    /// A device queue.
    Queue(Weak<Queue>),
    /// An address of shared virtual memory.
    Svm(usize),
    /// An address of memory that is not the runtime's: fine-grain system SVM.
    System(usize),
    /// The null pointer.
    Null,
    /// So many bytes of local memory.
    Local(usize),
}

impl Value {
    /// Bytes of local memory it stands for.
    pub fn local_bytes(&self) -> u64 {
        match self {
            Self::Local(size) => *size as u64,
            Self::Bytes(_)
            | Self::Buffer(_)
            | Self::Image(_)
            | Self::Pipe(_)
            | Self::Queue(_)
            | Self::Svm(_)
            | Self::System(_)
            | Self::Null => 0,
        }
    }
}

impl Kernel {
    /// `clSetKernelArg`.
    ///
    /// # Errors
    /// As the specification lists them; the old value is then kept.
    ///
    /// # Safety
    /// `value` is null or valid for reads of `size` bytes.
    pub unsafe fn set_argument(&self, index: u32, size: usize, value: *const c_void) -> Result<()> {
        let arg = self.argument(index)?;
        let new = match arg.pass {
            ArgPass::LocalPointer { .. } => {
                ensure!(value.is_null(), CL_INVALID_ARG_VALUE);
                // "For OpenCL 3.1 and newer, arg_size may be zero, indicating that no local memory is required".
                let may_be_empty = profile::includes(Version::V3_1);
                ensure!(size != 0 || may_be_empty, CL_INVALID_ARG_SIZE);
                Value::Local(size)
            }
            ArgPass::Pointer(_) => {
                // Without a value there is nothing that the size could be the size of.
                if value.is_null() {
                    Value::Null
                } else {
                    ensure!(size == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE);
                    // SAFETY: valid for as many bytes as a handle has.
                    self.pointer_value(unsafe { value.cast::<cl_mem>().read_unaligned() })?
                }
            }
            ArgPass::Image(kind, access) => {
                ensure!(!value.is_null(), CL_INVALID_MEM_OBJECT);
                ensure!(size == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE);
                // SAFETY: valid for as many bytes as a handle has.
                let handle = unsafe { value.cast::<cl_mem>().read_unaligned() };
                self.image_value((kind, access), handle)?
            }
            ArgPass::Pipe { .. } => {
                ensure!(!value.is_null(), CL_INVALID_MEM_OBJECT);
                ensure!(size == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE);
                // SAFETY: valid for as many bytes as a handle has.
                self.pipe_value(unsafe { value.cast::<cl_mem>().read_unaligned() })?
            }
            ArgPass::Sampler => {
                ensure!(!value.is_null(), CL_INVALID_SAMPLER);
                ensure!(size == size_of::<cl_sampler>(), CL_INVALID_ARG_SIZE);
                // SAFETY: valid for as many bytes as a handle has.
                self.sampler_value(unsafe { value.cast::<cl_sampler>().read_unaligned() })?
            }
            ArgPass::Queue => {
                ensure!(!value.is_null(), CL_INVALID_DEVICE_QUEUE);
                ensure!(size == size_of::<cl_command_queue>(), CL_INVALID_ARG_SIZE);
                // SAFETY: valid for as many bytes as a handle has.
                let handle = unsafe { value.cast::<cl_command_queue>().read_unaligned() };
                self.queue_value(handle)?
            }
            ArgPass::Value(_) | ArgPass::Aggregate { .. } => {
                ensure!(!value.is_null(), CL_INVALID_ARG_VALUE);
                let wanted = arg.pass.size().map(|size| size as usize);
                ensure!(wanted == Some(size), CL_INVALID_ARG_SIZE);
                // SAFETY: not null, and the caller vouches for the size.
                Value::Bytes(unsafe { raw::slice(value.cast::<u8>(), size) }.to_vec())
            }
        };
        let kept = matches!(arg.pass, ArgPass::Image(..) | ArgPass::Sampler)
            && on(Fault::ImageArgumentKept);
        let slot = &mut self.values.lock()[index as usize];
        if slot.is_none() || !kept {
            *slot = Some(new);
        }
        Ok(())
    }

    fn pointer_value(&self, handle: cl_mem) -> Result<Value> {
        if handle.is_null() {
            return Ok(Value::Null);
        }
        let buffer: Arc<Buffer> = object::find(handle)?;
        ensure!(
            Arc::ptr_eq(&buffer.context, self.context()),
            CL_INVALID_CONTEXT
        );
        Ok(Value::Buffer(Arc::downgrade(&buffer)))
    }

    fn pipe_value(&self, handle: cl_mem) -> Result<Value> {
        let pipe: Arc<Pipe> = object::find(handle)?;
        ensure!(
            Arc::ptr_eq(pipe.context(), self.context()),
            CL_INVALID_CONTEXT
        );
        Ok(Value::Pipe(Arc::downgrade(&pipe)))
    }

    fn queue_value(&self, handle: cl_command_queue) -> Result<Value> {
        let queue: Arc<Queue> = object::find(handle).map_err(|_| Error(CL_INVALID_DEVICE_QUEUE))?;
        ensure!(queue.is_on_device(), CL_INVALID_DEVICE_QUEUE);
        ensure!(
            Arc::ptr_eq(&queue.context, self.context()),
            CL_INVALID_CONTEXT
        );
        Ok(Value::Queue(Arc::downgrade(&queue)))
    }

    /// `clSetKernelArgSVMPointer`.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` without SVM; `CL_INVALID_ARG_INDEX`; `CL_INVALID_ARG_VALUE` for
    /// an argument that is no pointer to global or constant memory or, without fine-grain system
    /// SVM, an address outside of every allocation.
    pub fn set_svm_argument(&self, index: u32, pointer: *const c_void) -> Result<()> {
        capabilities::require_svm()?;
        let arg = self.argument(index)?;
        ensure!(Self::takes_pointer(arg), CL_INVALID_ARG_VALUE);
        let address = pointer as usize;
        let value = if address == 0 {
            Value::Null
        } else if self.context().svm.find(address).is_some() {
            Value::Svm(address)
        } else {
            ensure!(capabilities::has_system_svm(), CL_INVALID_ARG_VALUE);
            Value::System(address)
        };
        self.values.lock()[index as usize] = Some(value);
        Ok(())
    }

    /// `clSetKernelExecInfo`.
    ///
    /// # Errors
    /// As the specification lists them.
    ///
    /// # Safety
    /// `value` is null or valid for reads of `size` bytes.
    pub unsafe fn set_exec_info(
        &self,
        name: cl_kernel_exec_info,
        size: usize,
        value: *const c_void,
    ) -> Result<()> {
        capabilities::require_svm()?;
        ensure!(!value.is_null() || size == 0, CL_INVALID_VALUE);
        match name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS => {
                ensure!(size.is_multiple_of(size_of::<usize>()), CL_INVALID_VALUE);
                // SAFETY: the caller vouches for the size.
                let pointers =
                    unsafe { raw::slice(value.cast::<usize>(), size / size_of::<usize>()) };
                let mut info = self.exec_info.lock();
                if info.svm_pointers.is_empty() || !on(Fault::SvmListKept) {
                    info.svm_pointers = pointers.to_vec();
                }
                Ok(())
            }
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
                ensure!(size == size_of::<cl_bool>(), CL_INVALID_VALUE);
                // SAFETY: the caller vouches for the size.
                let wanted = unsafe { value.cast::<cl_bool>().read_unaligned() } != CL_FALSE;
                ensure!(
                    !wanted || capabilities::has_system_svm(),
                    CL_INVALID_OPERATION
                );
                self.exec_info.lock().no_system = !wanted;
                Ok(())
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

/// Whether kernels may write through an argument: never into constant memory.
pub fn may_write(pass: ArgPass) -> bool {
    pass.space() != AddressSpace::Constant
}
