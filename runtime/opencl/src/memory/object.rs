//! Memory objects of any kind, as `cl_mem` handles stand for all of them.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::{CL_INVALID_VALUE, cl_mem_info};

use super::map::Mapping;
use super::{Buffer, Image, Pipe};
use crate::callback::UserData;
use crate::context::Context;
use crate::destructors::DestructorFn;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result};
use crate::object;
use crate::platform::Device;

/// A memory object.
#[derive(Clone)]
pub enum MemObject {
    /// A buffer or a sub-buffer.
    Buffer(Arc<Buffer>),
    /// An image.
    Image(Arc<Image>),
    /// A pipe.
    Pipe(Arc<Pipe>),
}

/// The same of any of them.
macro_rules! each {
    ($object:expr, $it:ident => $result:expr) => {
        match $object {
            MemObject::Buffer($it) => $result,
            MemObject::Image($it) => $result,
            MemObject::Pipe($it) => $result,
        }
    };
}

impl MemObject {
    /// The live object behind a handle.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`.
    pub fn find(handle: *mut c_void) -> Result<Self> {
        match object::find::<Buffer>(handle) {
            Ok(buffer) => Ok(Self::Buffer(buffer)),
            Err(_) => match object::find::<Image>(handle) {
                Ok(image) => Ok(Self::Image(image)),
                Err(_) => object::find::<Pipe>(handle).map(Self::Pipe),
            },
        }
    }

    /// `clRetainMemObject`.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`.
    pub fn retain(handle: *mut c_void) -> Result<()> {
        object::retain::<Buffer>(handle)
            .or_else(|_| object::retain::<Image>(handle))
            .or_else(|_| object::retain::<Pipe>(handle))
    }

    /// `clReleaseMemObject`.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`.
    pub fn release(handle: *mut c_void) -> Result<()> {
        object::release::<Buffer>(handle)
            .map(drop)
            .or_else(|_| object::release::<Image>(handle).map(drop))
            .or_else(|_| object::release::<Pipe>(handle).map(drop))
    }

    /// Its handle.
    pub fn handle(&self) -> *mut c_void {
        each!(self, it => object::handle(it))
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        match self {
            Self::Buffer(buffer) => &buffer.context,
            Self::Image(image) => image.context(),
            Self::Pipe(pipe) => pipe.context(),
        }
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(&self, name: cl_mem_info) -> Result<Answer> {
        each!(self, it => it.info(name))
    }

    /// Registers a callback for its deletion.
    pub fn on_destruction(&self, notify: DestructorFn, user_data: UserData) {
        each!(self, it => it.on_destruction(notify, user_data))
    }

    /// Whether it is mapped at an address.
    pub fn is_mapped_at(&self, address: usize) -> bool {
        match self {
            Self::Buffer(buffer) => buffer.is_mapped_at(address),
            Self::Image(image) => image.is_mapped_at(address),
            Self::Pipe(_) => false,
        }
    }

    /// Takes a mapping off.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is none at this address.
    pub fn unmap(&self, address: usize) -> Result<Mapping> {
        match self {
            Self::Buffer(buffer) => buffer.unmap(address),
            Self::Image(image) => image.unmap(address),
            Self::Pipe(_) => Err(Error(CL_INVALID_VALUE)),
        }
    }

    /// The buffer in which its bytes are.
    pub fn store(&self) -> &Arc<Buffer> {
        match self {
            Self::Buffer(buffer) => buffer,
            Self::Image(image) => image.store(),
            Self::Pipe(pipe) => pipe.store(),
        }
    }

    /// Sees that a command of a device finds memory for it there.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn prepare(&self, device: &Device) -> Result<()> {
        self.store().address(device).map(drop)
    }
}
