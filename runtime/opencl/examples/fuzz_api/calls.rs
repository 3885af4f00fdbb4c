//! Calls that make, count, query and release objects.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::memory::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;

use super::model::*;

extern "C" fn count_event(_: cl_event, _: cl_int, _: *mut c_void) {
    CALLBACKS.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn count_buffer(_: cl_mem, _: *mut c_void) {
    CALLBACKS.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn count_context(_: cl_context, _: *mut c_void) {
    CALLBACKS.fetch_add(1, Ordering::SeqCst);
}

const HOST_ACCESS: [cl_mem_flags; 4] = [
    0,
    CL_MEM_HOST_READ_ONLY,
    CL_MEM_HOST_WRITE_ONLY,
    CL_MEM_HOST_NO_ACCESS,
];

impl World {
    /// One call that enqueues nothing.
    pub fn call(&mut self) {
        match self.random.below(16) {
            0 => self.create_queue(),
            1 | 2 => self.create_buffer(),
            3 => self.create_sub_buffer(),
            4 | 5 => self.create_user_event(),
            6 => self.create_kernel(),
            7 => self.create_svm(),
            8 => self.build(),
            9 => self.retain(),
            10 | 11 => self.release(),
            12 => self.query(),
            13 => self.query_what_is_gone(),
            14 => self.register_callback(),
            _ => self.whole_context(),
        }
    }

    fn context(&mut self) -> usize {
        self.random.of(&[SHARED, OWN, OWN])
    }

    fn create_queue(&mut self) {
        let context = self.context();
        let properties = self.random.of(&[
            0,
            CL_QUEUE_PROFILING_ENABLE,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
        ]);
        let mut list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0, 0, 0];
        let (mut handle, mut device, mut expected) =
            (self.contexts[context].handle, self.device, CL_SUCCESS);
        match self.random.below(12) {
            0 => (handle, expected) = (self.foreign(self.device), CL_INVALID_CONTEXT),
            1 => (device, expected) = (self.foreign(handle), CL_INVALID_DEVICE),
            2 => (list[1], expected) = (1 << 40, CL_INVALID_VALUE),
            3 => (list[2], list[3], expected) = (0x7777, 1, CL_INVALID_VALUE),
            _ => {}
        }
        let mut code = 1;
        let made =
            unsafe { clCreateCommandQueueWithProperties(handle, device, list.as_ptr(), &mut code) };
        self.expect("clCreateCommandQueueWithProperties", code, &[expected]);
        if code == CL_SUCCESS {
            self.queues.push(QueueModel {
                handle: made,
                references: 1,
                context,
                waits: Vec::new(),
            });
        } else if !made.is_null() {
            self.found("a failed creation gave a queue");
        }
    }

    fn create_buffer(&mut self) {
        let context = self.context();
        let mut size = 4 * (1 + self.random.below(1024));
        let mut flags =
            self.random
                .of(&[0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY])
                | self.random.of(&HOST_ACCESS);
        let mut host = null_mut();
        match self.random.below(4) {
            0 => {
                flags |= CL_MEM_USE_HOST_PTR;
                let mut lent = vec![0u64; size.div_ceil(8)];
                host = lent.as_mut_ptr().cast();
                self.lent.push(lent);
            }
            1 => {
                flags |= CL_MEM_COPY_HOST_PTR;
                host = self.host.as_mut_ptr().cast();
            }
            2 => flags |= CL_MEM_ALLOC_HOST_PTR,
            _ => {}
        }
        let (mut handle, mut expected) = (self.contexts[context].handle, CL_SUCCESS);
        match self.random.below(14) {
            0 => (handle, expected) = (self.foreign(self.device), CL_INVALID_CONTEXT),
            1 => (flags, expected) = (1 << 50, CL_INVALID_VALUE),
            2 => {
                (flags, expected) = (
                    flags | CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                    CL_INVALID_VALUE,
                );
            }
            3 => (size, expected) = (0, CL_INVALID_BUFFER_SIZE),
            4 => {
                (flags, host, expected) = (CL_MEM_USE_HOST_PTR, null_mut(), CL_INVALID_HOST_PTR);
            }
            5 => {
                host = self.host.as_mut_ptr().cast();
                (flags, expected) = (CL_MEM_READ_WRITE, CL_INVALID_HOST_PTR);
            }
            6 => (size, expected) = (usize::MAX, CL_INVALID_BUFFER_SIZE),
            _ => {}
        }
        let mut code = 1;
        let made = unsafe { clCreateBuffer(handle, flags, size, host, &mut code) };
        self.expect("clCreateBuffer", code, &[expected]);
        if code == CL_SUCCESS {
            self.add_buffer(made, context, size, flags, None);
        }
    }

    fn add_buffer(
        &mut self,
        handle: cl_mem,
        context: usize,
        size: usize,
        flags: cl_mem_flags,
        parent: Option<cl_mem>,
    ) {
        self.buffers.push(BufferModel {
            handle,
            references: 1,
            context,
            size,
            flags,
            mappings: Vec::new(),
            parent,
        });
    }

    fn create_sub_buffer(&mut self) {
        let Some(place) = self.pick(|w| &w.buffers) else {
            return;
        };
        let (parent, context, size) = (
            self.buffers[place].handle,
            self.buffers[place].context,
            self.buffers[place].size,
        );
        let parent_flags = self.buffers[place].flags;
        let is_part = self.buffers[place].parent.is_some();
        let mut region = cl_buffer_region {
            origin: 0,
            size: 1 + self.random.below(size),
        };
        let (mut handle, mut flags, mut expected) = (parent, 0, CL_SUCCESS);
        let mut kind = CL_BUFFER_CREATE_TYPE_REGION;
        if is_part {
            expected = CL_INVALID_MEM_OBJECT;
        } else {
            match self.random.below(10) {
                0 => (handle, expected) = (self.foreign(self.device), CL_INVALID_MEM_OBJECT),
                1 => (kind, expected) = (0x1234, CL_INVALID_VALUE),
                2 => (region.size, expected) = (0, CL_INVALID_BUFFER_SIZE),
                3 => (region.size, expected) = (size + 1, CL_INVALID_VALUE),
                4 => (region.origin, expected) = (usize::MAX, CL_INVALID_VALUE),
                5 if size > 8 => {
                    (region, expected) = (
                        cl_buffer_region { origin: 1, size: 1 },
                        CL_MISALIGNED_SUB_BUFFER_OFFSET,
                    );
                }
                6 => (flags, expected) = (CL_MEM_USE_HOST_PTR, CL_INVALID_VALUE),
                _ => {}
            }
        }
        let mut code = 1;
        let made = unsafe {
            clCreateSubBuffer(handle, flags, kind, (&raw const region).cast(), &mut code)
        };
        self.expect("clCreateSubBuffer", code, &[expected]);
        if code == CL_SUCCESS {
            self.add_buffer(made, context, region.size, parent_flags, Some(parent));
        }
    }

    fn create_user_event(&mut self) {
        let context = self.context();
        let (mut handle, mut expected) = (self.contexts[context].handle, CL_SUCCESS);
        if self.random.once_in(12) {
            (handle, expected) = (self.foreign(self.device), CL_INVALID_CONTEXT);
        }
        let mut code = 1;
        let made = unsafe { clCreateUserEvent(handle, &mut code) };
        self.expect("clCreateUserEvent", code, &[expected]);
        if code == CL_SUCCESS {
            self.events.push(EventModel {
                handle: made,
                references: 1,
                context,
                kind: EventKind::User,
                waits: vec![Arc::new(AtomicBool::new(false))],
            });
        }
    }

    /// Sets a user event, or tries to set what is none or has been set.
    pub fn set_user_event(&mut self) {
        let Some(place) = self.pick(|w| &w.events) else {
            return;
        };
        self.set_event(place);
    }

    /// Sets an event if that is possible, and expects the right error if not.
    pub fn set_event(&mut self, place: usize) {
        let (handle, kind) = (self.events[place].handle, self.events[place].kind);
        if kind == EventKind::Command {
            let code = unsafe { clSetUserEventStatus(handle, CL_COMPLETE) };
            self.expect("clSetUserEventStatus", code, &[CL_INVALID_EVENT]);
            return;
        }
        let done = self.events[place].waits[0].load(Ordering::SeqCst);
        let status = if self.random.once_in(8) {
            -7777
        } else {
            CL_COMPLETE
        };
        if self.random.once_in(8) {
            let code = unsafe { clSetUserEventStatus(handle, 1) };
            self.expect("clSetUserEventStatus", code, &[CL_INVALID_VALUE]);
        }
        self.failures |= status < 0 && !done;
        let code = unsafe { clSetUserEventStatus(handle, status) };
        let expected = if done {
            CL_INVALID_OPERATION
        } else {
            CL_SUCCESS
        };
        self.expect("clSetUserEventStatus", code, &[expected]);
        self.events[place].waits[0].store(true, Ordering::SeqCst);
    }

    fn create_kernel(&mut self) {
        let context = self.context();
        let mut program = self.contexts[context].program;
        let (mut name, mut expected) = (c"fill", CL_SUCCESS);
        match self.random.below(8) {
            0 => (program, expected) = (self.foreign(self.device), CL_INVALID_PROGRAM),
            1 => (name, expected) = (c"nothing", CL_INVALID_KERNEL_NAME),
            2 => name = c"sum",
            _ => {}
        }
        let mut code = 1;
        let made = unsafe { clCreateKernel(program, name.as_ptr(), &mut code) };
        self.expect("clCreateKernel", code, &[expected]);
        if code != CL_SUCCESS {
            return;
        }
        // Wrong arguments leave a kernel as it is.
        let word = 0u32;
        for (index, size, expected) in [(9, 4, CL_INVALID_ARG_INDEX), (1, 3, CL_INVALID_ARG_SIZE)] {
            let code = unsafe { clSetKernelArg(made, index, size, (&raw const word).cast()) };
            self.expect("clSetKernelArg", code, &[expected]);
        }
        self.kernels.push(KernelModel {
            handle: made,
            references: 1,
        });
    }

    fn create_svm(&mut self) {
        let context = self.context();
        let size = 4 * (1 + self.random.below(1024));
        let mut flags = self.random.of(&[
            CL_MEM_READ_WRITE,
            CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
            CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
        ]);
        let (mut handle, mut asked, mut alignment, mut works) = (
            self.contexts[context].handle,
            size,
            self.random.of(&[0, 4, 64, 128]),
            true,
        );
        match self.random.below(12) {
            0 => (handle, works) = (self.foreign(self.device), false),
            1 => (asked, works) = (0, false),
            2 => (alignment, works) = (3, false),
            3 => (flags, works) = (CL_MEM_SVM_ATOMICS, false),
            _ => {}
        }
        let start = unsafe { clSVMAlloc(handle, flags, asked, alignment) };
        if start.is_null() == works {
            self.found(&format!(
                "clSVMAlloc({flags:#x}, {asked}, {alignment}) gave {start:?}"
            ));
        }
        if works {
            self.svm.push(SvmModel {
                start,
                size,
                context,
            });
        }
    }

    /// Builds a program, right or wrong, and lets go of it.
    fn build(&mut self) {
        let context = self.context();
        let (source, expected) = self.random.of(&[
            (SOURCE, CL_SUCCESS),
            ("kernel void k(global int *p) { *p = 1; }", CL_SUCCESS),
            ("kernel void k(", CL_BUILD_PROGRAM_FAILURE),
            (" ", CL_SUCCESS),
        ]);
        let mut text = source.as_ptr().cast();
        let mut code = 1;
        let program = unsafe {
            clCreateProgramWithSource(
                self.contexts[context].handle,
                1,
                &mut text,
                &source.len(),
                &mut code,
            )
        };
        self.expect("clCreateProgramWithSource", code, &[CL_SUCCESS]);
        let code = unsafe { clCreateKernel(program, c"k".as_ptr(), null_mut()) };
        if !code.is_null() {
            self.found("a kernel of a program that was not built");
        }
        let code = unsafe { clBuildProgram(program, 0, null(), c"".as_ptr(), None, null_mut()) };
        self.expect("clBuildProgram", code, &[expected]);
        let code = unsafe { clBuildProgram(program, 0, &self.device, null(), None, null_mut()) };
        self.expect("clBuildProgram", code, &[CL_INVALID_VALUE]);
        let code = unsafe { clReleaseProgram(program) };
        self.expect("clReleaseProgram", code, &[CL_SUCCESS]);
    }

    fn retain(&mut self) {
        match self.random.below(4) {
            0 => {
                let Some(place) = self.pick(|w| &w.queues).filter(|&place| place > 1) else {
                    return;
                };
                let code = unsafe { clRetainCommandQueue(self.queues[place].handle) };
                self.expect("clRetainCommandQueue", code, &[CL_SUCCESS]);
                self.queues[place].references += 1;
            }
            1 => {
                let Some(place) = self.pick(|w| &w.buffers) else {
                    return;
                };
                let code = unsafe { clRetainMemObject(self.buffers[place].handle) };
                self.expect("clRetainMemObject", code, &[CL_SUCCESS]);
                self.buffers[place].references += 1;
            }
            2 => {
                let Some(place) = self.pick(|w| &w.events) else {
                    return;
                };
                let code = unsafe { clRetainEvent(self.events[place].handle) };
                self.expect("clRetainEvent", code, &[CL_SUCCESS]);
                self.events[place].references += 1;
            }
            _ => {
                let Some(place) = self.pick(|w| &w.kernels) else {
                    return;
                };
                let code = unsafe { clRetainKernel(self.kernels[place].handle) };
                self.expect("clRetainKernel", code, &[CL_SUCCESS]);
                self.kernels[place].references += 1;
            }
        }
    }

    fn release(&mut self) {
        match self.random.below(6) {
            0 => {
                if let Some(place) = self.pick(|w| &w.queues).filter(|&place| place > 1) {
                    self.release_queue(place);
                }
            }
            1 => {
                if let Some(place) = self.pick(|w| &w.buffers) {
                    self.release_buffer(place);
                }
            }
            2 | 3 => {
                if let Some(place) = self.pick(|w| &w.events) {
                    self.release_event(place);
                }
            }
            4 => {
                if let Some(place) = self.pick(|w| &w.kernels) {
                    self.release_kernel(place);
                }
            }
            _ => {
                let stranger = self.foreign(self.device);
                self.expect_all_invalid(stranger);
            }
        }
    }

    /// Every retain and release refuses what is no object of its type.
    fn expect_all_invalid(&mut self, handle: *mut c_void) {
        unsafe {
            self.expect(
                "clReleaseContext",
                clReleaseContext(handle),
                &[CL_INVALID_CONTEXT],
            );
            let code = clReleaseCommandQueue(handle);
            self.expect("clReleaseCommandQueue", code, &[CL_INVALID_COMMAND_QUEUE]);
            self.expect(
                "clReleaseMemObject",
                clReleaseMemObject(handle),
                &[CL_INVALID_MEM_OBJECT],
            );
            self.expect(
                "clReleaseEvent",
                clReleaseEvent(handle),
                &[CL_INVALID_EVENT],
            );
            self.expect(
                "clReleaseKernel",
                clReleaseKernel(handle),
                &[CL_INVALID_KERNEL],
            );
            self.expect(
                "clReleaseProgram",
                clReleaseProgram(handle),
                &[CL_INVALID_PROGRAM],
            );
            self.expect(
                "clRetainContext",
                clRetainContext(handle),
                &[CL_INVALID_CONTEXT],
            );
            self.expect("clRetainEvent", clRetainEvent(handle), &[CL_INVALID_EVENT]);
            self.expect(
                "clRetainMemObject",
                clRetainMemObject(handle),
                &[CL_INVALID_MEM_OBJECT],
            );
            self.expect("clFinish", clFinish(handle), &[CL_INVALID_COMMAND_QUEUE]);
            self.expect("clFlush", clFlush(handle), &[CL_INVALID_COMMAND_QUEUE]);
        }
    }

    pub fn release_queue(&mut self, place: usize) {
        let queue = &self.queues[place];
        if queue.references == 1 && queue.context == OWN {
            if set(&queue.waits) && self.random.once_in(2) {
                let code = unsafe { clFinish(self.queues[place].handle) };
                self.expect("clFinish", code, &[CL_SUCCESS]);
            } else {
                self.loose = true;
            }
        }
        let code = unsafe { clReleaseCommandQueue(self.queues[place].handle) };
        self.expect("clReleaseCommandQueue", code, &[CL_SUCCESS]);
        self.queues[place].references -= 1;
        if self.queues[place].references == 0 {
            let queue = self.queues.remove(place);
            self.gone.push(queue.handle);
        }
    }

    pub fn release_buffer(&mut self, place: usize) {
        let code = unsafe { clReleaseMemObject(self.buffers[place].handle) };
        self.expect("clReleaseMemObject", code, &[CL_SUCCESS]);
        self.buffers[place].references -= 1;
        if self.buffers[place].references == 0 {
            let buffer = self.buffers.swap_remove(place);
            self.gone.push(buffer.handle);
        }
    }

    pub fn release_event(&mut self, place: usize) {
        let event = &self.events[place];
        if event.references == 1 && event.kind == EventKind::User && !set(&event.waits) {
            // Nobody could set it afterwards.
            self.set_event(place);
        }
        let code = unsafe { clReleaseEvent(self.events[place].handle) };
        self.expect("clReleaseEvent", code, &[CL_SUCCESS]);
        self.events[place].references -= 1;
        if self.events[place].references == 0 {
            let event = self.events.swap_remove(place);
            self.gone.push(event.handle);
        }
    }

    pub fn release_kernel(&mut self, place: usize) {
        let code = unsafe { clReleaseKernel(self.kernels[place].handle) };
        self.expect("clReleaseKernel", code, &[CL_SUCCESS]);
        self.kernels[place].references -= 1;
        if self.kernels[place].references == 0 {
            let kernel = self.kernels.swap_remove(place);
            self.gone.push(kernel.handle);
        }
    }

    /// A reference count is what the model says.
    fn query(&mut self) {
        let mut count: cl_uint = 0;
        let mut size = 0;
        let room = (&raw mut count).cast::<c_void>();
        let (code, expected) = match self.random.below(4) {
            0 => {
                let Some(place) = self.pick(|w| &w.buffers) else {
                    return;
                };
                let buffer = &self.buffers[place];
                let code = unsafe {
                    clGetMemObjectInfo(buffer.handle, CL_MEM_REFERENCE_COUNT, 4, room, &mut size)
                };
                (code, buffer.references)
            }
            1 => {
                let Some(place) = self.pick(|w| &w.events) else {
                    return;
                };
                let event = &self.events[place];
                let code = unsafe {
                    clGetEventInfo(event.handle, CL_EVENT_REFERENCE_COUNT, 4, room, &mut size)
                };
                (code, event.references)
            }
            2 => {
                let Some(place) = self.pick(|w| &w.queues).filter(|&place| place > 1) else {
                    return;
                };
                let queue = &self.queues[place];
                let code = unsafe {
                    clGetCommandQueueInfo(
                        queue.handle,
                        CL_QUEUE_REFERENCE_COUNT,
                        4,
                        room,
                        &mut size,
                    )
                };
                (code, queue.references)
            }
            _ => {
                let Some(place) = self.pick(|w| &w.kernels) else {
                    return;
                };
                let kernel = &self.kernels[place];
                let code = unsafe {
                    clGetKernelInfo(kernel.handle, CL_KERNEL_REFERENCE_COUNT, 4, room, &mut size)
                };
                (code, kernel.references)
            }
        };
        self.expect("a query of a reference count", code, &[CL_SUCCESS]);
        if (count, size) != (expected, 4) {
            self.found(&format!(
                "a reference count is {count} ({size} bytes), not {expected}"
            ));
        }
    }

    /// Queries of a handle that was released for good: the object may still be needed by
    /// others, or its address belong to a new one; otherwise the handle is invalid.
    fn query_what_is_gone(&mut self) {
        let Some(place) = self.pick(|w| &w.gone) else {
            return;
        };
        let handle = self.gone[place];
        let mut room = [0u64; 8];
        let at = room.as_mut_ptr().cast();
        let size = size_of_val(&room);
        unsafe {
            let code = clGetEventInfo(handle, CL_EVENT_COMMAND_TYPE, size, at, null_mut());
            self.expect("clGetEventInfo", code, &[CL_SUCCESS, CL_INVALID_EVENT]);
            let code = clGetMemObjectInfo(handle, CL_MEM_SIZE, size, at, null_mut());
            self.expect(
                "clGetMemObjectInfo",
                code,
                &[CL_SUCCESS, CL_INVALID_MEM_OBJECT],
            );
            let code = clGetCommandQueueInfo(handle, CL_QUEUE_DEVICE, size, at, null_mut());
            self.expect(
                "clGetCommandQueueInfo",
                code,
                &[CL_SUCCESS, CL_INVALID_COMMAND_QUEUE],
            );
            let code = clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, size, at, null_mut());
            self.expect("clGetKernelInfo", code, &[CL_SUCCESS, CL_INVALID_KERNEL]);
            let code = clGetContextInfo(handle, CL_CONTEXT_NUM_DEVICES, size, at, null_mut());
            self.expect("clGetContextInfo", code, &[CL_SUCCESS, CL_INVALID_CONTEXT]);
        }
    }

    fn register_callback(&mut self) {
        if self.random.once_in(2) {
            let Some(place) = self.pick(|w| &w.buffers) else {
                return;
            };
            let buffer = self.buffers[place].handle;
            let code =
                unsafe { clSetMemObjectDestructorCallback(buffer, Some(count_buffer), null_mut()) };
            self.expect("clSetMemObjectDestructorCallback", code, &[CL_SUCCESS]);
            self.callbacks += 1;
            return;
        }
        let Some(place) = self.pick(|w| &w.events) else {
            return;
        };
        let (event, kind) = (self.events[place].handle, self.events[place].kind);
        // A user event is submitted from the start and never runs.
        let status = match kind {
            EventKind::User => CL_COMPLETE,
            EventKind::Command => self.random.of(&[CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]),
        };
        let (mut asked, mut notify, mut expected) = (status, true, CL_SUCCESS);
        match self.random.below(8) {
            0 => (asked, expected) = (CL_QUEUED, CL_INVALID_VALUE),
            1 => (notify, expected) = (false, CL_INVALID_VALUE),
            _ => {}
        }
        let notify: Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)> =
            if notify { Some(count_event) } else { None };
        let code = unsafe { clSetEventCallback(event, asked, notify, null_mut()) };
        self.expect("clSetEventCallback", code, &[expected]);
        self.callbacks += u64::from(code == CL_SUCCESS);
    }

    /// A context that is released before what was made in it.
    fn whole_context(&mut self) {
        let mut code = 1;
        unsafe {
            let context = clCreateContext(null(), 1, &self.device, None, null_mut(), &mut code);
            self.expect("clCreateContext", code, &[CL_SUCCESS]);
            let code = clSetContextDestructorCallback(context, Some(count_context), null_mut());
            self.expect("clSetContextDestructorCallback", code, &[CL_SUCCESS]);
            self.callbacks += 1;
            let mut code = 1;
            let queue = clCreateCommandQueueWithProperties(context, self.device, null(), &mut code);
            self.expect("clCreateCommandQueueWithProperties", code, &[CL_SUCCESS]);
            let buffer = clCreateBuffer(context, 0, 64, null_mut(), &mut code);
            self.expect("clCreateBuffer", code, &[CL_SUCCESS]);
            self.expect("clReleaseContext", clReleaseContext(context), &[CL_SUCCESS]);
            let mut event = null_mut();
            let code = clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event);
            self.expect("clEnqueueMarkerWithWaitList", code, &[CL_SUCCESS]);
            let mut same = null_mut::<c_void>();
            let room = (&raw mut same).cast();
            let code = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, 8, room, null_mut());
            self.expect("clGetMemObjectInfo", code, &[CL_SUCCESS]);
            if same != context {
                self.found("a buffer forgot its context");
            }
            let mut order = [0, 1, 2];
            order.rotate_left(self.random.below(3));
            for which in order {
                let code = match which {
                    0 => clReleaseCommandQueue(queue),
                    1 => clReleaseMemObject(buffer),
                    _ => clReleaseEvent(event),
                };
                self.expect("a release", code, &[CL_SUCCESS]);
            }
        }
    }
}
