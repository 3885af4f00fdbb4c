//! Pipes: their state and their packets, in a buffer that the application has no handle of.
//!
//! What lies in the buffer is what `pipe.cl` in the library of `clc` takes it for. Only kernels change it.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::Buffer;
use super::copy;
use super::flags::HOST_ACCESS;
use crate::callback::UserData;
use crate::context::Context;
use crate::destructors::{DestructorFn, Destructors};
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure};
use crate::object::{self, Header, object};
use crate::platform::limits;

/// `struct state` of the library.
#[repr(C)]
struct State {
    head: u64,
    tail: u64,
    packet_bytes: u32,
    capacity: u32,
    packets: u32,
    unused: u32,
}

/// Bytes of a slot, `struct slot` of the library, of which each packet has one.
const SLOT: usize = 8;

/// What the packets are aligned to: the largest type of OpenCL C.
const PACKETS_ALIGNED: usize = 128;

/// A pipe.
#[repr(C)]
pub struct Pipe {
    header: Header<Self>,
    flags: cl_mem_flags,
    packet_bytes: u32,
    capacity: u32,
    store: Arc<Buffer>,
    destructors: Destructors,
}
object!(Pipe, CL_INVALID_MEM_OBJECT);

/// Bytes from the start of the state to the packets, and in all, of a pipe of so many packets of so many bytes.
fn layout(packet_bytes: u32, capacity: u32) -> Option<(usize, usize)> {
    let slots = SLOT.checked_mul(capacity as usize)?;
    let packets = slots.checked_add(size_of::<State>())?;
    let packets = packets.checked_next_multiple_of(PACKETS_ALIGNED)?;
    let bytes = (packet_bytes as usize).checked_mul(capacity as usize)?;
    Some((packets, packets.checked_add(bytes)?))
}

impl Pipe {
    /// Makes a pipe without packets.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for other flags than those of pipes, `CL_INVALID_PIPE_SIZE`,
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn new(
        context: Arc<Context>,
        flags: cl_mem_flags,
        packet_bytes: u32,
        capacity: u32,
    ) -> Result<Arc<Self>> {
        let known = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
        ensure!(flags & !known == 0, CL_INVALID_VALUE);
        ensure!(
            (1..=limits::PIPE_PACKET).contains(&packet_bytes) && capacity != 0,
            CL_INVALID_PIPE_SIZE
        );
        let refused = Error(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        let (packets, bytes) = layout(packet_bytes, capacity).ok_or(refused)?;
        let state = State {
            head: 0,
            tail: 0,
            packet_bytes,
            capacity,
            packets: u32::try_from(packets).map_err(|_| refused)?,
            unused: 0,
        };
        let mine = flags & !HOST_ACCESS | CL_MEM_READ_WRITE;
        // SAFETY: no pointer is given.
        let store = unsafe { Buffer::new(context, Vec::new(), mine, bytes, std::ptr::null_mut()) };
        let store = store.map_err(|_| refused)?;
        let start = store.start_mut();
        // SAFETY: nobody else knows the buffer yet, and the state and the slots are in it before the packets.
        unsafe {
            start.write_bytes(0, packets);
            copy::bytes((&raw const state).cast(), start, size_of::<State>());
        }
        Ok(Arc::new(Self {
            header: Header::default(),
            // "If the value specified for flags is 0, the default is used".
            flags: if flags == 0 { known } else { flags },
            packet_bytes,
            capacity,
            store,
            destructors: Destructors::default(),
        }))
    }

    /// The buffer in which it is.
    pub fn store(&self) -> &Arc<Buffer> {
        &self.store
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.store.context
    }

    /// Registers a callback for the deletion of the pipe.
    pub fn on_destruction(&self, notify: DestructorFn, user_data: UserData) {
        self.destructors.add(notify, user_data);
    }

    /// One query about what all memory objects have.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_mem_info) -> Result<Answer> {
        Ok(match name {
            CL_MEM_TYPE => Answer::of(CL_MEM_OBJECT_PIPE),
            CL_MEM_FLAGS => Answer::of(self.flags),
            CL_MEM_SIZE => Answer::of(self.store.size()),
            CL_MEM_HOST_PTR | CL_MEM_ASSOCIATED_MEMOBJECT => {
                Answer::of(std::ptr::null_mut::<c_void>())
            }
            CL_MEM_MAP_COUNT => Answer::of(0u32),
            CL_MEM_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_MEM_CONTEXT => Answer::of(object::handle(self.context())),
            CL_MEM_OFFSET => Answer::of(0usize),
            CL_MEM_USES_SVM_POINTER => Answer::boolean(false),
            CL_MEM_PROPERTIES => Answer::list(Vec::<cl_mem_properties>::new()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// One query about what pipes have.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn pipe_info(&self, name: cl_pipe_info) -> Result<Answer> {
        Ok(match name {
            CL_PIPE_PACKET_SIZE => Answer::of(self.packet_bytes),
            CL_PIPE_MAX_PACKETS => Answer::of(self.capacity),
            // The list is always null.
            CL_PIPE_PROPERTIES => Answer::list(Vec::<cl_pipe_properties>::new()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let handle = std::ptr::from_mut(self).cast::<c_void>();
        self.destructors.run(handle);
    }
}
