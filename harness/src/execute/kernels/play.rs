//! Plays the steps of a case.

use super::super::NotRun;
use super::super::setup::SetupError;
use super::ask::code;
use super::memory::{self, Memory, release};
use super::{Bench, ask, images, talk};
use cl3::command_queue as queue;
use cl3::kernel as cl;
use cl3::memory as mem;
use cl3::types::{cl_command_queue, cl_event, cl_kernel, cl_mem, cl_program};
use classay_suites::kernels::case::{Arg, KernelCase, Kind, Launch, ObjectId, Place, Step};
use classay_suites::kernels::trace::Trace;
use classay_suites::kernels::transfer::{Corner, Move, Transfer};
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::ptr;

/// A run.
pub struct Play<'a> {
    bench: &'a Bench,
    case: &'a KernelCase,
    program: cl_program,
    /// Queues on the device. Declared before the memory, so that they are given up before it.
    device_queues: Vec<ask::DeviceQueue>,
    memory: Vec<Memory>,
    /// The queues of the case, the first one first.
    queues: Vec<cl_command_queue>,
    /// The events of launches that others wait for, by their steps; released at the end.
    events: BTreeMap<usize, cl_event>,
    trace: Trace,
}

/// What a step did: the function that it called, and the code.
type Called = (&'static str, i32);

impl Play<'_> {
    /// The beginning of a run. Program and queues are the case's own.
    pub fn make<'a>(
        bench: &'a Bench,
        case: &'a KernelCase,
        program: cl_program,
        queues: Vec<cl_command_queue>,
    ) -> Result<Play<'a>, SetupError> {
        let device_queues = case
            .device_queues
            .iter()
            .map(|queue| ask::DeviceQueue::make(bench, queue))
            .collect::<Result<Vec<_>, _>>()?;
        let memory = memory::make(bench, case)?;
        let mut trace = Trace::default();
        for (n, object) in memory.iter().enumerate() {
            if let Some(address) = object.address() {
                trace.addresses.insert(ObjectId(n as u16), address as u64);
            }
        }
        Ok(Play {
            bench,
            case,
            program,
            device_queues,
            memory,
            queues,
            events: BTreeMap::new(),
            trace,
        })
    }

    /// Plays until a step fails that should not.
    pub fn steps(&mut self) -> Result<(), NotRun> {
        for (n, step) in self.case.steps.iter().enumerate() {
            let (called, wanted) = match step {
                Step::Launch(launch) => {
                    let (called, status) = self.launch(launch, n);
                    if let Some(status) = status {
                        self.trace.statuses.insert(n, status);
                    }
                    (Some(called), launch.code)
                }
                Step::AskSubGroups { kernel, local } => {
                    let told = ask::sub_groups(self.bench, self.program, kernel, local)?;
                    self.trace.sub_groups.insert(n, told);
                    (None, 0)
                }
                Step::AskKernels { .. } => {
                    let asked = self.bench.built_in(self.case);
                    let told = ask::kernels(self.program, asked)?;
                    self.trace.kernels.insert(n, told);
                    (None, 0)
                }
                Step::Move(moved) => (Some(self.transfer(moved)), moved.code),
                Step::Finish => (Some(self.finish()), 0),
                Step::Talk { acts, .. } => {
                    let called = self.flush();
                    if called.1 == 0 {
                        let ended = talk::play(self.case, &self.memory, acts);
                        self.trace.gave_up |= ended.gave_up;
                        if let Some(what) = ended.astray {
                            self.trace.astray.insert(n, what);
                        }
                    }
                    (Some(called), 0)
                }
                Step::Host {
                    at,
                    bytes,
                    contents,
                } => {
                    self.write(*at, &contents.bytes(*bytes))?;
                    (None, 0)
                }
                Step::Point { at, to } => {
                    let address = to.and_then(|to| self.place(to)).map_or(0, |p| p as usize);
                    self.write(*at, &address.to_ne_bytes())?;
                    (None, 0)
                }
                Step::Look { object, .. } => {
                    let called = self.finish();
                    if called.1 == 0 {
                        let bytes = self.case.objects[object.index()].bytes;
                        let seen = self.memory[object.index()].look(self.bench, bytes)?;
                        self.trace.looks.insert(n, seen);
                    }
                    (Some(called), 0)
                }
            };
            if let Some(called) = called {
                self.trace.codes.insert(n, called);
                if called.1 != wanted && wanted == 0 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Finishes everything, gives up the memory, and gives back what was seen.
    pub fn end(mut self) -> Result<Trace, NotRun> {
        let finished = self.finish();
        for event in std::mem::take(&mut self.events).into_values() {
            release(event);
        }
        let (call, code) = finished;
        if code != 0 {
            // Commands may still use the memory: it is left to them.
            std::mem::forget(self.memory);
            return Err(SetupError { call, code }.into());
        }
        if let Some(at) = self.case.quit {
            let bytes = self.case.objects[at.object.index()].bytes;
            let seen = self.memory[at.object.index()].look(self.bench, bytes)?;
            self.trace.gave_up |= seen.iter().skip(at.byte).take(4).any(|b| *b != 0);
        }
        // Sub-buffers before their parents.
        let mut memory = self.memory;
        while memory.pop().is_some() {}
        Ok(self.trace)
    }

    /// Flushes all queues, so that none waits for what another has not been given yet, and finishes
    /// them.
    fn finish(&self) -> Called {
        if self.queues.len() > 1 {
            let flushed = self.flush();
            if flushed.1 != 0 {
                return flushed;
            }
        }
        let finish = |q: &cl_command_queue| queue::finish(*q);
        let result = self.queues.iter().try_for_each(finish);
        ("clFinish", result.err().unwrap_or(0))
    }

    fn flush(&self) -> Called {
        let flush = |q: &cl_command_queue| queue::flush(*q);
        let result = self.queues.iter().try_for_each(flush);
        ("clFlush", result.err().unwrap_or(0))
    }

    fn write(&self, at: Place, data: &[u8]) -> Result<(), SetupError> {
        self.memory[at.object.index()].write(self.bench, at.byte, data)
    }

    /// The address of a place.
    fn place(&self, at: Place) -> Option<*mut u8> {
        let start = self.memory[at.object.index()].address()?;
        // SAFETY: in a valid case the place lies in its object, or at its end.
        Some(unsafe { start.add(at.byte) })
    }

    /// The same for a call; null where the object is a buffer, which a valid call never names so.
    fn pointer(&self, at: Place) -> *mut c_void {
        self.place(at).unwrap_or(ptr::null_mut()).cast()
    }

    fn buffer(&self, id: ObjectId) -> cl_mem {
        self.memory[id.index()].handle().unwrap_or(ptr::null_mut())
    }

    /// Enqueues a kernel; the second answer is the status with which the command ended, where the
    /// host waited for it.
    fn launch(&mut self, launch: &Launch, step: usize) -> (Called, Option<i32>) {
        let name = CString::new(launch.kernel.as_str()).unwrap_or_default();
        // A program that is built for this launch alone; what is enqueued keeps it.
        let mut again = None;
        if launch.rebuilt {
            match self.bench.again(self.case) {
                Ok(program) => again = Some(program),
                Err(error) => return ((error.call, error.code), None),
            }
        }
        let program = again.as_ref().map_or(self.program, |own| own.handle());
        let kernel = match cl::create_kernel(program, &name) {
            Ok(kernel) => kernel,
            Err(code) => return (("clCreateKernel", code), None),
        };
        let called = self.prepare(launch, kernel, step);
        // SAFETY: the kernel is ours, and not used after this; what is enqueued keeps it.
        let _ = unsafe { cl::release_kernel(kernel) };
        called
    }

    /// Gives a kernel its arguments, and enqueues it or its copy.
    fn prepare(
        &mut self,
        launch: &Launch,
        kernel: cl_kernel,
        step: usize,
    ) -> (Called, Option<i32>) {
        // Samplers live until the kernel is enqueued, which keeps them.
        let mut samplers = Vec::new();
        for (n, arg) in launch.args.iter().enumerate() {
            let called = self.argument(kernel, n as u32, arg, &mut samplers);
            if called.1 != 0 {
                return (called, None);
            }
        }
        let called = self.reach(kernel, launch);
        if called.1 != 0 {
            return (called, None);
        }
        if !launch.cloned && !launch.disturbed {
            return self.enqueue(launch, kernel, step);
        }
        let copy = match cl::clone_kernel(kernel) {
            Ok(copy) => copy,
            Err(code) => return (("clCloneKernel", code), None),
        };
        let called = if launch.cloned {
            self.enqueue(launch, copy, step)
        } else {
            match self.disturb(copy, launch, &mut samplers) {
                (_, 0) => self.enqueue(launch, kernel, step),
                refused => (refused, None),
            }
        };
        // SAFETY: the copy is ours, and not used after this; what is enqueued keeps it.
        let _ = unsafe { cl::release_kernel(copy) };
        called
    }

    /// Gives a copy of a kernel other values for the arguments that are bytes.
    fn disturb(
        &self,
        copy: cl_kernel,
        launch: &Launch,
        samplers: &mut Vec<images::Sampler>,
    ) -> Called {
        for (n, arg) in launch.args.iter().enumerate() {
            if let Arg::Bytes(bytes) = arg {
                let other = Arg::Bytes(bytes.iter().map(|byte| !byte).collect());
                let called = self.argument(copy, n as u32, &other, samplers);
                if called.1 != 0 {
                    return called;
                }
            }
        }
        ("clSetKernelArg", 0)
    }

    fn enqueue(
        &mut self,
        launch: &Launch,
        kernel: cl_kernel,
        step: usize,
    ) -> (Called, Option<i32>) {
        let mut status = None;
        // What fails has a queue of its own, and does not keep others from theirs.
        let own = match launch.fails.then(|| ask::HostQueue::make(self.bench)) {
            None => None,
            Some(Ok(queue)) => Some(queue),
            Some(Err(error)) => return ((error.call, error.code), None),
        };
        let to = own
            .as_ref()
            .map_or(self.queues[usize::from(launch.queue)], |queue| {
                queue.handle()
            });
        let sizes = |list: &[u64]| -> Vec<usize> { list.iter().map(|n| *n as usize).collect() };
        let global = sizes(&launch.range.global);
        let offset = launch.range.offset.as_deref().map(sizes);
        let local = launch.range.local.as_deref().map(sizes);
        let or_null = |list: &Option<Vec<usize>>| list.as_ref().map_or(ptr::null(), |l| l.as_ptr());
        let waits: Vec<cl_event> = launch
            .after
            .iter()
            .filter_map(|n| self.events.get(&usize::from(*n)).copied())
            .collect();
        let waited_for = self.case.waited_for().contains(&step);
        let list = if waits.is_empty() {
            ptr::null()
        } else {
            waits.as_ptr()
        };
        for _ in 0..launch.times.max(1) {
            // SAFETY: the three lists have as many numbers as there are dimensions, and they and the
            // events live through the call; the arguments are set, and the memory lives until the queue is finished.
            let result = unsafe {
                queue::enqueue_nd_range_kernel(
                    to,
                    kernel,
                    global.len() as u32,
                    or_null(&offset),
                    global.as_ptr(),
                    or_null(&local),
                    waits.len() as u32,
                    list,
                )
            };
            if let Ok(event) = result
                && launch.fails
            {
                status = ask::ended(event);
            }
            let code = match result {
                Ok(event) if waited_for => {
                    if let Some(before) = self.events.insert(step, event) {
                        release(before);
                    }
                    0
                }
                Ok(event) => {
                    release(event);
                    0
                }
                Err(code) => code,
            };
            if code != 0 {
                return (("clEnqueueNDRangeKernel", code), None);
            }
        }
        (("clEnqueueNDRangeKernel", 0), status)
    }

    fn argument(
        &self,
        kernel: cl_kernel,
        n: u32,
        arg: &Arg,
        samplers: &mut Vec<images::Sampler>,
    ) -> Called {
        let set = |size: usize, value: *const c_void| {
            // SAFETY: the value has so many bytes, or is null for local memory.
            let result = unsafe { cl::set_kernel_arg(kernel, n, size, value) };
            ("clSetKernelArg", result.err().unwrap_or(0))
        };
        let svm = |address: *const c_void| {
            // SAFETY: an address in an allocation that lives until the queue is finished.
            let result = unsafe { cl::set_kernel_arg_svm_pointer(kernel, n, address) };
            ("clSetKernelArgSVMPointer", result.err().unwrap_or(0))
        };
        match arg {
            Arg::Object(id) => match self.memory[id.index()].handle() {
                Some(buffer) => set(size_of::<cl_mem>(), (&raw const buffer).cast()),
                None => svm(self.pointer(Place {
                    object: *id,
                    byte: 0,
                })),
            },
            Arg::Queue(n) => {
                let queue = self
                    .device_queues
                    .get(usize::from(*n))
                    .map_or(ptr::null_mut(), ask::DeviceQueue::handle);
                set(
                    size_of::<cl3::types::cl_command_queue>(),
                    (&raw const queue).cast(),
                )
            }
            Arg::Sampler(sampler) => match images::Sampler::make(self.bench.context, *sampler) {
                Ok(sampler) => {
                    let handle = sampler.handle();
                    samplers.push(sampler);
                    set(size_of_val(&handle), (&raw const handle).cast())
                }
                Err(error) => (error.call, error.code),
            },
            Arg::Pointer(place) => svm(self.pointer(*place)),
            Arg::Local(bytes) => set(*bytes, ptr::null()),
            Arg::Bytes(bytes) => set(bytes.len(), bytes.as_ptr().cast()),
            Arg::Uint(value) => set(4, (&raw const *value).cast()),
            Arg::Ulong(value) => set(8, (&raw const *value).cast()),
        }
    }

    /// Tells of allocations that the kernel reaches through pointers.
    fn reach(&self, kernel: cl_kernel, launch: &Launch) -> Called {
        let mut pointers: Vec<*mut c_void> = Vec::new();
        let mut system = false;
        for id in &launch.reaches {
            match self.case.objects[id.index()].kind {
                Kind::Host => system = true,
                Kind::Buffer
                | Kind::SubBuffer { .. }
                | Kind::Image(_)
                | Kind::Pipe { .. }
                | Kind::SvmCoarse
                | Kind::SvmFine
                | Kind::SvmAtomics => pointers.push(self.pointer(Place {
                    object: *id,
                    byte: launch.reaches_at as usize,
                })),
            }
        }
        let mut result = Ok(());
        if !pointers.is_empty() {
            // SAFETY: the list has so many bytes and lives through the call.
            result = unsafe {
                cl::set_kernel_exec_info(
                    kernel,
                    cl::CL_KERNEL_EXEC_INFO_SVM_PTRS,
                    size_of_val(pointers.as_slice()),
                    pointers.as_ptr().cast(),
                )
            };
        }
        if system && result.is_ok() {
            let yes: cl3::types::cl_bool = 1;
            // SAFETY: as above.
            result = unsafe {
                cl::set_kernel_exec_info(
                    kernel,
                    cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                    size_of_val(&yes),
                    (&raw const yes).cast(),
                )
            };
        }
        ("clSetKernelExecInfo", result.err().unwrap_or(0))
    }

    fn transfer(&self, moved: &Move) -> Called {
        let q = self.bench.queue;
        let block = u32::from(moved.blocking);
        // SAFETY: in a valid case the bytes lie in memory that lives until the queue is finished, and
        // the host's memory is touched by nothing else before that; small arrays and patterns live
        // through the calls, which copy them.
        unsafe {
            match &moved.what {
                Transfer::Read { from, to, bytes } => {
                    let (b, p) = (self.buffer(from.object), self.pointer(*to));
                    let event = queue::enqueue_read_buffer(
                        q,
                        b,
                        block,
                        from.byte,
                        *bytes,
                        p,
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueReadBuffer", code(event))
                }
                Transfer::Write { from, to, bytes } => {
                    let (b, p) = (self.buffer(to.object), self.pointer(*from));
                    let event = queue::enqueue_write_buffer(
                        q,
                        b,
                        block,
                        to.byte,
                        *bytes,
                        p,
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueWriteBuffer", code(event))
                }
                Transfer::Copy { from, to, bytes } => {
                    let (a, b) = (self.buffer(from.object), self.buffer(to.object));
                    let event = queue::enqueue_copy_buffer(
                        q,
                        a,
                        b,
                        from.byte,
                        to.byte,
                        *bytes,
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueCopyBuffer", code(event))
                }
                Transfer::Fill { pattern, to, bytes } => self.fill(pattern, *to, *bytes),
                Transfer::Renew {
                    pattern,
                    to,
                    bytes,
                    to_host,
                } => {
                    let buffer = self.buffer(to.object);
                    let host = if *to_host {
                        mem::CL_MIGRATE_MEM_OBJECT_HOST
                    } else {
                        0
                    };
                    let flags = host | mem::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
                    let event =
                        queue::enqueue_migrate_mem_object(q, 1, &buffer, flags, 0, ptr::null());
                    match code(event) {
                        0 => self.fill(pattern, *to, *bytes),
                        refused => ("clEnqueueMigrateMemObjects", refused),
                    }
                }
                Transfer::ReadRect { from, to, region } => {
                    let event = queue::enqueue_read_buffer_rect(
                        q,
                        self.buffer(from.object),
                        block,
                        from.origin.as_ptr(),
                        to.origin.as_ptr(),
                        region.as_ptr(),
                        from.row,
                        from.slice,
                        to.row,
                        to.slice,
                        self.corner(to),
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueReadBufferRect", code(event))
                }
                Transfer::WriteRect { from, to, region } => {
                    let event = queue::enqueue_write_buffer_rect(
                        q,
                        self.buffer(to.object),
                        block,
                        to.origin.as_ptr(),
                        from.origin.as_ptr(),
                        region.as_ptr(),
                        to.row,
                        to.slice,
                        from.row,
                        from.slice,
                        self.corner(from),
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueWriteBufferRect", code(event))
                }
                Transfer::CopyRect { from, to, region } => {
                    let event = queue::enqueue_copy_buffer_rect(
                        q,
                        self.buffer(from.object),
                        self.buffer(to.object),
                        from.origin.as_ptr(),
                        to.origin.as_ptr(),
                        region.as_ptr(),
                        from.row,
                        from.slice,
                        to.row,
                        to.slice,
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueCopyBufferRect", code(event))
                }
                Transfer::MapRead { from, to, bytes } => {
                    self.map(*from, *bytes, mem::CL_MAP_READ, |p| {
                        ptr::copy_nonoverlapping(p, self.pointer(*to).cast(), *bytes);
                    })
                }
                Transfer::MapWrite {
                    from,
                    to,
                    bytes,
                    invalidate,
                } => {
                    let flags = if *invalidate {
                        mem::CL_MAP_WRITE_INVALIDATE_REGION
                    } else {
                        mem::CL_MAP_WRITE
                    };
                    self.map(*to, *bytes, flags, |p| {
                        ptr::copy_nonoverlapping(self.pointer(*from).cast(), p, *bytes);
                    })
                }
                Transfer::ReadImage { .. }
                | Transfer::WriteImage { .. }
                | Transfer::CopyImage { .. }
                | Transfer::CopyImageToBuffer { .. }
                | Transfer::CopyBufferToImage { .. }
                | Transfer::FillImage { .. }
                | Transfer::MapReadImage { .. }
                | Transfer::MapWriteImage { .. } => {
                    let moving = images::Moving {
                        queue: q,
                        block,
                        handle: &|id| self.buffer(id),
                        image: &|id| match self.case.objects[id.index()].kind {
                            Kind::Image(image) => Some(image),
                            Kind::Buffer
                            | Kind::SubBuffer { .. }
                            | Kind::SvmCoarse
                            | Kind::SvmFine
                            | Kind::SvmAtomics
                            | Kind::Host
                            | Kind::Pipe { .. } => None,
                        },
                        pointer: &|place| self.pointer(place),
                    };
                    moving.transfer(&moved.what)
                }
                Transfer::SvmCopy { from, to, bytes } => {
                    let (a, b) = (self.pointer(*from), self.pointer(*to));
                    let event = queue::enqueue_svm_mem_cpy(q, block, b, a, *bytes, 0, ptr::null());
                    ("clEnqueueSVMMemcpy", code(event))
                }
                Transfer::SvmFill { pattern, to, bytes } => {
                    let event = queue::enqueue_svm_mem_fill(
                        q,
                        self.pointer(*to),
                        pattern.as_ptr().cast(),
                        pattern.len(),
                        *bytes,
                        0,
                        ptr::null(),
                    );
                    ("clEnqueueSVMMemFill", code(event))
                }
            }
        }
    }

    /// Fills bytes of a buffer.
    ///
    /// # Safety
    /// They lie in it.
    unsafe fn fill(&self, pattern: &[u8], to: Place, bytes: usize) -> Called {
        // SAFETY: the buffer is alive, and the call copies the pattern.
        let event = unsafe {
            queue::enqueue_fill_buffer(
                self.bench.queue,
                self.buffer(to.object),
                pattern.as_ptr().cast(),
                pattern.len(),
                to.byte,
                bytes,
                0,
                ptr::null(),
            )
        };
        ("clEnqueueFillBuffer", code(event))
    }

    fn corner(&self, corner: &Corner) -> *mut c_void {
        self.pointer(Place {
            object: corner.object,
            byte: 0,
        })
    }

    /// Maps bytes of a buffer, gives them to `act`, and unmaps them.
    ///
    /// # Safety
    /// `act` keeps to the bytes.
    unsafe fn map(&self, at: Place, bytes: usize, flags: u64, act: impl FnOnce(*mut u8)) -> Called {
        let buffer = self.buffer(at.object);
        let mut address: *mut c_void = ptr::null_mut();
        // SAFETY: the buffer is alive, and the call blocks.
        let event = unsafe {
            queue::enqueue_map_buffer(
                self.bench.queue,
                buffer,
                1,
                flags,
                at.byte,
                bytes,
                &mut address,
                0,
                ptr::null(),
            )
        };
        let mapped = code(event);
        if mapped != 0 || address.is_null() {
            return ("clEnqueueMapBuffer", mapped);
        }
        act(address.cast());
        // SAFETY: it was mapped above, and is not used after this.
        let event = unsafe {
            queue::enqueue_unmap_mem_object(self.bench.queue, buffer, address, 0, ptr::null())
        };
        ("clEnqueueUnmapMemObject", code(event))
    }
}
