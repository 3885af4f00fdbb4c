//! The memory of a case: made, written and looked at by the host.

use super::super::memory::HostMemory;
use super::super::setup::SetupError;
use super::images;
use super::{Bench, Named};
use cl3::command_queue as queue;
use cl3::memory as mem;
use cl3::types::{cl_buffer_region, cl_context, cl_event, cl_mem};
use classay_suites::kernels::case::{KernelCase, Kind, Object};
use classay_suites::kernels::image::Image;
use std::ffi::c_void;
use std::ptr;

/// How SVM is aligned: as the largest vector of OpenCL C.
const ALIGN: usize = 128;

/// An object of a case.
pub enum Memory {
    /// A buffer or sub-buffer.
    Buffer(cl_mem),
    /// An image.
    Image(cl_mem, Image),
    /// A pipe.
    Pipe(cl_mem),
    /// An SVM allocation; whether it must be mapped for the host.
    Svm {
        context: cl_context,
        start: *mut u8,
        coarse: bool,
    },
    /// Memory of the host.
    Host(HostMemory),
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the handles are this object's own, and the commands on them are complete.
        unsafe {
            match self {
                Memory::Buffer(object) | Memory::Image(object, _) | Memory::Pipe(object) => {
                    let _ = mem::release_mem_object(*object);
                }
                Memory::Svm { context, start, .. } => {
                    let _ = mem::svm_free(*context, start.cast());
                }
                Memory::Host(_) => {}
            }
        }
    }
}

impl Memory {
    /// An object with its first contents; `before` are the objects before it.
    pub fn make(bench: &Bench, object: &Object, before: &[Memory]) -> Result<Memory, SetupError> {
        let mut contents = object.contents.bytes(object.bytes);
        let svm = |flags: u64, coarse: bool| {
            // SAFETY: asks for memory; a failure is an error value.
            let start = unsafe {
                mem::svm_alloc(
                    bench.context,
                    mem::CL_MEM_READ_WRITE | flags,
                    object.bytes,
                    ALIGN as u32,
                )
            }
            .of("clSVMAlloc")?;
            let memory = Memory::Svm {
                context: bench.context,
                start: start.cast(),
                coarse,
            };
            memory.write(bench, 0, &contents)?;
            Ok(memory)
        };
        let alloc = if object.alloc_host {
            mem::CL_MEM_ALLOC_HOST_PTR
        } else {
            0
        };
        let flags = mem::CL_MEM_READ_WRITE | mem::CL_MEM_COPY_HOST_PTR | alloc;
        match object.kind {
            Kind::Buffer => {
                // SAFETY: the contents are as long as the buffer and are copied by the call.
                let buffer = unsafe {
                    mem::create_buffer(
                        bench.context,
                        flags,
                        object.bytes,
                        contents.as_mut_ptr().cast(),
                    )
                };
                Ok(Memory::Buffer(buffer.of("clCreateBuffer")?))
            }
            Kind::SubBuffer { of, origin } => {
                let region = cl_buffer_region {
                    origin,
                    size: object.bytes,
                };
                let parent = before
                    .get(of.index())
                    .map(Memory::handle)
                    .unwrap_or_default();
                // SAFETY: the parent is alive, and the region lives through the call.
                let part = unsafe {
                    mem::create_sub_buffer(
                        parent.unwrap_or(ptr::null_mut()),
                        mem::CL_MEM_READ_WRITE,
                        mem::CL_BUFFER_CREATE_TYPE_REGION,
                        (&raw const region).cast(),
                    )
                };
                Ok(Memory::Buffer(part.of("clCreateSubBuffer")?))
            }
            Kind::Image(image) => images::make(bench.context, image, flags, &mut contents)
                .map(|made| Memory::Image(made, image)),
            Kind::Pipe { packet, packets } => {
                // SAFETY: a pipe has no properties; a failure is an error value.
                let pipe = unsafe {
                    mem::create_pipe(
                        bench.context,
                        mem::CL_MEM_READ_WRITE | mem::CL_MEM_HOST_NO_ACCESS,
                        packet,
                        packets,
                    )
                };
                Ok(Memory::Pipe(pipe.of("clCreatePipe")?))
            }
            Kind::SvmCoarse => svm(0, true),
            Kind::SvmFine => svm(mem::CL_MEM_SVM_FINE_GRAIN_BUFFER, false),
            Kind::SvmAtomics => svm(
                mem::CL_MEM_SVM_FINE_GRAIN_BUFFER | mem::CL_MEM_SVM_ATOMICS,
                false,
            ),
            Kind::Host => {
                let memory = Memory::Host(HostMemory::bytes(object.bytes));
                memory.write(bench, 0, &contents)?;
                Ok(memory)
            }
        }
    }

    /// The handle of a buffer, an image or a pipe.
    pub fn handle(&self) -> Option<cl_mem> {
        match self {
            Memory::Buffer(object) | Memory::Image(object, _) | Memory::Pipe(object) => {
                Some(*object)
            }
            Memory::Svm { .. } | Memory::Host(_) => None,
        }
    }

    /// Its address, where it has one.
    pub fn address(&self) -> Option<*mut u8> {
        match self {
            Memory::Buffer(_) | Memory::Image(..) | Memory::Pipe(_) => None,
            Memory::Svm { start, .. } => Some(*start),
            Memory::Host(bytes) => Some(bytes.pointer().cast()),
        }
    }

    /// Writes as the host: mapped where that is needed. Only for objects that have an address.
    pub fn write(&self, bench: &Bench, at: usize, data: &[u8]) -> Result<(), SetupError> {
        let Some(start) = self.address() else {
            return Ok(());
        };
        // SAFETY: the case is valid, so the bytes lie in the object; those of a coarse-grain
        // allocation are mapped. Nothing else writes them now: that is how cases are made.
        unsafe {
            let to = start.add(at);
            self.mapped(bench, to, data.len(), mem::CL_MAP_WRITE, &mut || {
                ptr::copy_nonoverlapping(data.as_ptr(), to, data.len());
            })
        }
    }

    /// All bytes, when everything is finished.
    pub fn look(&self, bench: &Bench, bytes: usize) -> Result<Vec<u8>, SetupError> {
        let mut seen = vec![0; bytes];
        // SAFETY: `seen` is as long as the object, the read blocks, and of what has an address the
        // bytes lie in the object, which is mapped where that is needed.
        unsafe {
            match (self, self.address()) {
                (Memory::Buffer(buffer), _) => {
                    let event = queue::enqueue_read_buffer(
                        bench.queue,
                        *buffer,
                        1,
                        0,
                        bytes,
                        seen.as_mut_ptr().cast(),
                        0,
                        ptr::null(),
                    )
                    .of("clEnqueueReadBuffer")?;
                    release(event);
                }
                (Memory::Image(handle, image), _) => {
                    images::look(bench.queue, *handle, *image, &mut seen)?;
                }
                (Memory::Svm { .. } | Memory::Host(_), Some(start)) => {
                    let to = seen.as_mut_ptr();
                    self.mapped(bench, start, bytes, mem::CL_MAP_READ, &mut || {
                        ptr::copy_nonoverlapping(start, to, bytes);
                    })?;
                }
                // Nothing but kernels sees what is in a pipe.
                (Memory::Pipe(_) | Memory::Svm { .. } | Memory::Host(_), _) => {}
            }
        }
        Ok(seen)
    }

    /// Does something with bytes at an address, which are mapped meanwhile in coarse-grain SVM.
    ///
    /// # Safety
    /// The bytes lie in this object.
    unsafe fn mapped(
        &self,
        bench: &Bench,
        at: *mut u8,
        bytes: usize,
        flags: u64,
        act: &mut dyn FnMut(),
    ) -> Result<(), SetupError> {
        let coarse = matches!(self, Memory::Svm { coarse: true, .. }) && bytes > 0;
        let at: *mut c_void = at.cast();
        if coarse {
            // SAFETY: by the caller.
            let event =
                unsafe { queue::enqueue_svm_map(bench.queue, 1, flags, at, bytes, 0, ptr::null()) };
            release(event.of("clEnqueueSVMMap")?);
        }
        act();
        if coarse {
            // SAFETY: it was mapped above.
            let event = unsafe { queue::enqueue_svm_unmap(bench.queue, at, 0, ptr::null()) };
            release(event.of("clEnqueueSVMUnmap")?);
            queue::finish(bench.queue).of("clFinish")?;
        }
        Ok(())
    }
}

/// Gives up an event.
pub fn release(event: cl_event) {
    // SAFETY: the caller owns the event and does not use it again.
    let _ = unsafe { cl3::event::release_event(event) };
}

/// The memory of a case.
pub fn make(bench: &Bench, case: &KernelCase) -> Result<Vec<Memory>, SetupError> {
    let mut made = Vec::new();
    for object in &case.objects {
        let memory = Memory::make(bench, object, &made)?;
        made.push(memory);
    }
    Ok(made)
}
