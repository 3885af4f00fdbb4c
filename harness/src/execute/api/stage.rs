//! What API cases make their calls with.

use crate::device::OpenDevice;
use crate::execute::setup::Named;
use crate::execute::setup::SetupError;
use cl3::command_queue as queue;
use cl3::memory as mem;
use cl3::types::{
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem, cl_program,
};
use std::ffi::{CString, c_void};
use std::ptr;

/// Bytes of the buffers.
pub const BYTES: usize = 16384;

/// The kernels.
pub const SOURCE: &str = "
kernel void fill(global uint *to, uint value) {
    size_t at = get_global_id(0);
    if (at < 4096) to[at] = value;
}
kernel void exchange(global uint *to, local uint *with) { with[0] = to[0]; to[0] = with[0]; }
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global uint *to) { to[0] = 4; }
";

/// A handle that threads may share: the functions that take it are safe to call from several at once.
#[derive(Debug, Clone, Copy)]
pub struct Shared(pub *mut c_void);

// SAFETY: an opaque handle; see above.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// A stage.
pub struct Stage {
    pub device: cl_device_id,
    pub version: (u32, u32),
    pub platform_version: (u32, u32),
    pub svm_offered: bool,
    pub built_in: Vec<String>,
    pub options: CString,
    pub context: cl_context,
    pub program: cl_program,
    /// An in-order queue that does not profile.
    pub queue: cl_command_queue,
    /// A context that has nothing to do with the first.
    pub other: Other,
}

/// Things of another context.
pub struct Other {
    pub context: cl_context,
    pub buffer: cl_mem,
    /// A user event that is set.
    pub event: cl_event,
    pub program: cl_program,
    pub kernel: cl_kernel,
}

// SAFETY: handles and plain values; see [`Shared`].
unsafe impl Sync for Stage {}

/// A program of these kernels, built.
pub fn build(
    context: cl_context,
    device: cl_device_id,
    options: &CString,
) -> Result<cl_program, SetupError> {
    let program = cl3::program::create_program_with_source(context, &[SOURCE])
        .of("clCreateProgramWithSource")?;
    cl3::program::build_program(program, &[device], options, None, ptr::null_mut())
        .of("clBuildProgram")?;
    Ok(program)
}

/// A context on a device.
pub fn context(device: cl_device_id) -> Result<cl_context, SetupError> {
    cl3::context::create_context(&[device], ptr::null(), None, ptr::null_mut())
        .of("clCreateContext")
}

/// A buffer of zeros.
pub fn buffer(context: cl_context, bytes: usize, flags: u64) -> Result<cl_mem, SetupError> {
    let mut zeros = vec![0_u8; bytes];
    let flags = flags | mem::CL_MEM_COPY_HOST_PTR;
    // SAFETY: the memory has this size and is copied by the call.
    unsafe { mem::create_buffer(context, flags, bytes, zeros.as_mut_ptr().cast()) }
        .of("clCreateBuffer")
}

impl Stage {
    /// A stage on a device.
    pub fn make(opened: &OpenDevice) -> Result<Stage, SetupError> {
        let device = opened.platform_devices[0].id();
        let capabilities = &opened.capabilities;
        let options = CString::new(format!("-cl-std={}", capabilities.c_std)).unwrap_or_default();
        let first = context(device)?;
        let other = context(device)?;
        let program = build(other, device, &options)?;
        let event = cl3::event::create_user_event(other).of("clCreateUserEvent")?;
        cl3::event::set_user_event_status(event, 0).of("clSetUserEventStatus")?;
        let mut stage = Stage {
            device,
            version: capabilities.version,
            platform_version: opened.platform_version(),
            svm_offered: capabilities.svm_coarse,
            built_in: capabilities
                .built_in_kernels
                .split(';')
                .filter(|name| !name.is_empty())
                .map(str::to_string)
                .collect(),
            context: first,
            program: build(first, device, &options)?,
            options,
            queue: ptr::null_mut(),
            other: Other {
                context: other,
                buffer: buffer(other, BYTES, mem::CL_MEM_READ_WRITE)?,
                event,
                program,
                kernel: cl3::kernel::create_kernel(program, c"fill").of("clCreateKernel")?,
            },
        };
        stage.queue = stage.queue_in(first, 0)?;
        Ok(stage)
    }

    /// A queue.
    pub fn queue_in(
        &self,
        context: cl_context,
        properties: u64,
    ) -> Result<cl_command_queue, SetupError> {
        if self.version < (2, 0) {
            // SAFETY: context and device are alive, and the device is one of the context.
            return unsafe { queue::create_command_queue(context, self.device, properties) }
                .of("clCreateCommandQueue");
        }
        let list = [u64::from(queue::CL_QUEUE_PROPERTIES), properties, 0];
        // SAFETY: as above; the list ends with 0 and lives through the call.
        unsafe { queue::create_command_queue_with_properties(context, self.device, list.as_ptr()) }
            .of("clCreateCommandQueueWithProperties")
    }

    /// The same in a context of its own, which it takes over with a program.
    pub fn within(&self, context: cl_context, program: cl_program) -> Result<Stage, SetupError> {
        let other = &self.other;
        // SAFETY: the handles are alive; the new stage gives these references back.
        unsafe {
            cl3::context::retain_context(other.context).of("clRetainContext")?;
            mem::retain_mem_object(other.buffer).of("clRetainMemObject")?;
            cl3::event::retain_event(other.event).of("clRetainEvent")?;
            cl3::program::retain_program(other.program).of("clRetainProgram")?;
            cl3::kernel::retain_kernel(other.kernel).of("clRetainKernel")?;
        }
        Ok(Stage {
            device: self.device,
            version: self.version,
            platform_version: self.platform_version,
            svm_offered: self.svm_offered,
            built_in: self.built_in.clone(),
            options: self.options.clone(),
            context,
            program,
            queue: self.queue_in(context, 0)?,
            other: Other { ..*other },
        })
    }

    /// A user event of the first context.
    pub fn user(&self) -> Result<cl_event, SetupError> {
        cl3::event::create_user_event(self.context).of("clCreateUserEvent")
    }

    /// The kernel `fill` over this buffer.
    pub fn fill(&self, to: cl_mem, value: u32) -> Result<cl_kernel, SetupError> {
        let kernel = cl3::kernel::create_kernel(self.program, c"fill").of("clCreateKernel")?;
        // SAFETY: the arguments are a buffer and a uint, as the kernel has them.
        unsafe {
            cl3::kernel::set_kernel_arg(kernel, 0, size_of::<cl_mem>(), ptr::from_ref(&to).cast())
                .of("clSetKernelArg")?;
            cl3::kernel::set_kernel_arg(kernel, 1, 4, ptr::from_ref(&value).cast())
                .of("clSetKernelArg")?;
        }
        Ok(kernel)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // SAFETY: the handles are the stage's own, and nothing of it is used after this.
        unsafe {
            let _ = cl3::kernel::release_kernel(self.other.kernel);
            let _ = cl3::program::release_program(self.other.program);
            let _ = cl3::event::release_event(self.other.event);
            let _ = mem::release_mem_object(self.other.buffer);
            let _ = cl3::context::release_context(self.other.context);
            let _ = queue::release_command_queue(self.queue);
            let _ = cl3::program::release_program(self.program);
            let _ = cl3::context::release_context(self.context);
        }
    }
}
