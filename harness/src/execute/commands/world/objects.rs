//! Makes what is in memory, with its first tokens.

use super::arguments::{Arguments, Pointer};
use super::{Handle, Memory, Under, World, release};
use crate::execute::commands::bench::Bench;
use crate::execute::commands::host::put;
use crate::execute::commands::{Named, SetupError};
use crate::execute::memory::HostMemory;
use cl3::command_queue as queue;
use cl3::memory as mem;
use cl3::types::{cl_command_queue, cl_context};
use classay_suites::commands::program::{HostPointer, Kind, MOST_CELLS, Object, ObjectId, Writer};
use std::ptr;

impl World {
    pub(super) fn object(
        &self,
        bench: &mut Bench,
        id: ObjectId,
        object: &Object,
    ) -> Result<Memory, SetupError> {
        let words = usize::from(self.plan.program.cell_words);
        let cells = usize::from(object.cells);
        let size = cells * words * 4;
        let context = self.contexts[object.context.index()].0;
        let service = self.services[object.context.index()].0;
        let initial = || {
            let memory = HostMemory::words(cells * words);
            // SAFETY: the memory has so many words.
            unsafe { self.begin(memory.pointer().cast(), id, cells) };
            memory
        };
        let buffer = |flags, pointer| {
            let flags = mem::CL_MEM_READ_WRITE | flags;
            // SAFETY: the pointer is to this many bytes, which the world keeps as long as the buffer.
            unsafe { mem::create_buffer(context, flags, size, pointer) }.of("clCreateBuffer")
        };
        Ok(match object.kind {
            Kind::Buffer(HostPointer::Copy) => {
                let memory = initial();
                let made = buffer(mem::CL_MEM_COPY_HOST_PTR, memory.pointer())?;
                Memory::Buffer(Handle(made), None)
            }
            Kind::Buffer(HostPointer::Alloc) => {
                let memory = initial();
                let flags = mem::CL_MEM_ALLOC_HOST_PTR | mem::CL_MEM_COPY_HOST_PTR;
                Memory::Buffer(Handle(buffer(flags, memory.pointer())?), None)
            }
            Kind::Buffer(HostPointer::Use) => {
                let memory = initial();
                let made = buffer(mem::CL_MEM_USE_HOST_PTR, memory.pointer())?;
                Memory::Buffer(Handle(made), Some(Under::Host(memory)))
            }
            Kind::Buffer(HostPointer::UseSvm) => {
                let svm = self.svm(context, service, id, cells, false)?;
                let made = buffer(mem::CL_MEM_USE_HOST_PTR, svm.0)?;
                Memory::Buffer(Handle(made), Some(Under::Svm(svm)))
            }
            Kind::SubBuffer { of, first } => {
                let Memory::Buffer(parent, _) = &self.objects[of.index()] else {
                    // The shape of a valid program excludes it.
                    return Err(SetupError {
                        call: "clCreateSubBuffer",
                        code: mem::CL_INVALID_VALUE,
                    });
                };
                let region = mem::cl_buffer_region {
                    origin: usize::from(first) * words * 4,
                    size,
                };
                // SAFETY: the parent is alive and the region is one.
                let made = unsafe {
                    mem::create_sub_buffer(
                        parent.0,
                        mem::CL_MEM_READ_WRITE,
                        mem::CL_BUFFER_CREATE_TYPE_REGION,
                        ptr::from_ref(&region).cast(),
                    )
                }
                .of("clCreateSubBuffer")?;
                Memory::Buffer(Handle(made), None)
            }
            Kind::SvmCoarse => Memory::Svm(self.svm(context, service, id, cells, false)?),
            Kind::SvmFine => Memory::Svm(self.svm(context, service, id, cells, true)?),
            Kind::SvmSystem => Memory::System(initial()),
            Kind::Variable => {
                self.begin_variable(bench, object.context.0, id, cells)?;
                Memory::Variable
            }
        })
    }

    /// Puts an object's first tokens.
    ///
    /// # Safety
    /// `start` points to the object's words, which nothing else uses.
    unsafe fn begin(&self, start: *mut u32, id: ObjectId, cells: usize) {
        let words = usize::from(self.plan.program.cell_words);
        for cell in 0..cells {
            let token = self.token(Writer::Creation(id), cell as u8);
            // SAFETY: the caller's.
            unsafe { put(start, cell, words, token) };
        }
    }

    /// An SVM allocation with its first tokens.
    fn svm(
        &self,
        context: cl_context,
        service: cl_command_queue,
        id: ObjectId,
        cells: usize,
        fine: bool,
    ) -> Result<Handle, SetupError> {
        let size = cells * usize::from(self.plan.program.cell_words) * 4;
        let flags = if fine {
            mem::CL_MEM_READ_WRITE | mem::CL_MEM_SVM_FINE_GRAIN_BUFFER
        } else {
            mem::CL_MEM_READ_WRITE
        };
        // SAFETY: the context is alive; the world frees the memory when nothing uses it any more.
        let svm = unsafe { mem::svm_alloc(context, flags, size, 0) }.of("clSVMAlloc")?;
        if fine {
            // SAFETY: fine-grain memory of this size that nothing else uses yet.
            unsafe { self.begin(svm.cast(), id, cells) };
            return Ok(Handle(svm));
        }
        // SAFETY: the allocation is mapped by a blocking call, written, and unmapped.
        unsafe {
            let map = queue::enqueue_svm_map(
                service,
                1,
                cl3::memory::CL_MAP_WRITE,
                svm,
                size,
                0,
                ptr::null(),
            )
            .of("clEnqueueSVMMap")?;
            release(map);
            self.begin(svm.cast(), id, cells);
            let unmap =
                queue::enqueue_svm_unmap(service, svm, 0, ptr::null()).of("clEnqueueSVMUnmap")?;
            release(unmap);
        }
        queue::finish(service).of("clFinish")?;
        Ok(Handle(svm))
    }

    /// The variable's first tokens, by a kernel of the harness's own.
    fn begin_variable(
        &self,
        bench: &mut Bench,
        context: u16,
        id: ObjectId,
        cells: usize,
    ) -> Result<(), SetupError> {
        let n = self.plan.program.commands.len();
        let bench = bench.context(context)?;
        let kernel = bench.kernel(n, true)?;
        let log = self.logs[usize::from(context)].map_or(ptr::null_mut(), |h| h.0);
        let token = self.token(Writer::Creation(id), 0);
        let args = Arguments {
            pointers: [Pointer::None; 4],
            log,
            ranges: [[0; 4], [0; 4], [0, cells as u32, 1, 0], [0; 4]],
            words: u32::from(self.plan.program.cell_words),
            token,
            spin: 0,
            which: Some(4),
        };
        args.set(kernel)?;
        let items = 16;
        // SAFETY: the kernel's arguments are set; it writes the program's own variable.
        unsafe {
            let event = queue::enqueue_nd_range_kernel(
                bench.service,
                kernel,
                1,
                ptr::null(),
                &items,
                ptr::null(),
                0,
                ptr::null(),
            )
            .of("clEnqueueNDRangeKernel")?;
            release(event);
        }
        queue::finish(bench.service).of("clFinish")
    }
}

/// Keeps cells within what tokens can name.
const _: () = assert!(MOST_CELLS < 127);
